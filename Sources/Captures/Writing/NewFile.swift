import Glibc

/// A file that appears under its name only when it is complete; an existing file stays until then.
///
/// Until then it has no name at all (`O_TMPFILE`), so that nothing remains of it however the
/// program ends. If the file system does not support this, it has a temporary name in the same
/// folder, which is removed with this value. Anything but a regular file (a pipe, a device, `-` for
/// standard output) is written directly.
///
///     let file = try NewFile(path: "out.pcapng")
///     …  // write to file.descriptor
///     try file.keep()
@safe
package struct NewFile: ~Copyable {
  /// The descriptor to write to.
  package let descriptor: Int32
  /// The name as given.
  private let path: String
  /// The file's own path, with links resolved; nil if it is not a regular file.
  private let target: String?
  /// The temporary name, if any.
  private var temporary: String?
  private let isOwned: Bool
  private var isClosed = false

  /// Whether the output may be read before it is complete, because it is not a regular file.
  package var isReadMeanwhile: Bool { target == nil }

  /// Begins a file that will get the name `path`.
  ///
  /// - Throws: If no file can be created there, or the existing one may not be written.
  package init(path: String) throws(WriteFailure) {
    let opened = try Self.open(path)
    self.path = path
    (descriptor, target, temporary) = (opened.descriptor, opened.target, opened.temporary)
    isOwned = path != "-"
  }

  private static func open(
    _ path: String
  ) throws(WriteFailure) -> (descriptor: Int32, target: String?, temporary: String?) {
    if path == "-" { return (STDOUT_FILENO, nil, nil) }
    let target = try behindLinks(path)
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      let opened = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
      guard opened >= 0 else { throw WriteFailure(path: path, .system(errno)) }
      return (opened, nil, nil)
    }
    if isThere, unsafe access(path, W_OK) != 0 { throw WriteFailure(path: path, .system(errno)) }
    if isThere, FileLock.isTaken(path) { throw WriteFailure(path: path, .isBeingWritten) }
    let folder = folder(of: target)
    var temporary: String?
    var opened = UnnamedFile.open(in: folder, O_WRONLY)
    if opened < 0, UnnamedFile.isUnknown(errno) {
      let named = UnnamedFile.openNamed(in: folder)
      (opened, temporary) = (named.descriptor, named.descriptor < 0 ? nil : named.name)
    }
    // The folder of a link's target may be missing.
    guard opened >= 0 else {
      throw WriteFailure(path: errno == ENOENT ? target : path, .system(errno))
    }
    guard isThere else { return (opened, target, temporary) }
    // The new file gets the owner, group and permissions of the one it replaces.
    let isGiven = give(opened, to: status)
    guard isGiven, fchmod(opened, status.st_mode & 0o777) == 0 else {
      close(opened)
      if let temporary { unsafe unlink(temporary) }
      throw WriteFailure(path: path, .foreign)
    }
    return (opened, target, temporary)
  }

  deinit {
    if isOwned, !isClosed { close(descriptor) }
    if let temporary { unsafe unlink(temporary) }
  }

  /// Gives a new file to the owner and group of another one.
  ///
  /// - Returns: Whether it now belongs to them.
  private static func give(_ descriptor: Int32, to other: stat) -> Bool {
    var own = stat()
    guard unsafe fstat(descriptor, &own) == 0 else { return false }
    if own.st_uid == other.st_uid, own.st_gid == other.st_gid { return true }
    return fchown(descriptor, other.st_uid, other.st_gid) == 0
  }

  /// Returns the file's path with links resolved. A link's target may not exist yet; it is created,
  /// as a shell would do.
  private static func behindLinks(_ path: String) throws(WriteFailure) -> String {
    let (place, failure) = Links.follow(path)
    if let failure { throw WriteFailure(path: path, failure) }
    return place
  }

  private static func folder(of path: String) -> String { Links.folder(of: path) }

  /// Completes the file and gives it its name.
  package consuming func keep() throws(WriteFailure) {
    guard isOwned else { return }
    if let target, temporary == nil {
      // An unnamed file can be linked to a new name, but cannot replace an existing one.
      let folder = Self.folder(of: target)
      var number = 0
      while temporary == nil {
        let name = "\(folder)/.gattscope-\(getpid())-\(number)"
        let result = unsafe linkat(
          AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW)
        if result == 0 {
          temporary = name
        } else if errno == EEXIST, number < 1000 {
          number += 1
        } else {
          throw WriteFailure(path: path, .system(errno))
        }
      }
    }
    isClosed = true
    // Some systems report only here that there was no room. After EINTR, Linux has closed it all
    // the same.
    if close(descriptor) != 0, errno != EINTR { throw WriteFailure(path: path, .system(errno)) }
    guard let target, let name = temporary else { return }
    guard unsafe rename(name, target) == 0 else { throw WriteFailure(path: path, .system(errno)) }
    temporary = nil
  }
}
