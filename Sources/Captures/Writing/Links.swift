import Glibc

/// Symbolic links, resolved here because an unnamed file gets its name in the folder of the target.
///
/// The kernel's rule for links in shared folders (fs.protected_symlinks, proc_sys_fs(5)) applies
/// only when the kernel follows a link, so it is repeated here: in a sticky folder in which
/// everybody may write, such as /tmp, only links of this user or of the folder's owner are
/// followed.
package enum Links {
  /// The maximum number of links followed, as in Linux.
  private static let mostLinks = 40

  /// Returns the path to which the links at the end of `path` lead, whether or not it exists, or
  /// why they are not followed.
  package static func follow(_ path: String) -> (path: String, failure: WriteFailure.Reason?) {
    var place = path
    for _ in 0...mostLinks {
      var link = stat()
      guard unsafe lstat(place, &link) == 0, link.st_mode & S_IFMT == S_IFLNK else {
        return (place, nil)
      }
      var shared = stat()
      let sharing = S_ISVTX | S_IWOTH
      if unsafe stat(folder(of: place), &shared) == 0, shared.st_mode & sharing == sharing,
        link.st_uid != geteuid(), link.st_uid != shared.st_uid
      {
        return (path, .foreignLink)
      }
      var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe readlink(place, &bytes, bytes.count)
      guard count > 0 else { return (path, .system(errno)) }
      let target = String(
        decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      place = target.hasPrefix("/") ? target : "\(folder(of: place))/\(target)"
    }
    return (path, .system(ELOOP))
  }

  /// Returns the folder of a path, without looking at the file system.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
