import Glibc

/// A file that stands under its name only when it is whole: what was under that name stays until then.
///
/// Until then its bytes have no name at all (`O_TMPFILE`), so that nothing is left of them however the
/// program ends. Where the file system has no such files they have a name of their own in the same
/// folder, which goes with this value. What is no file (a pipe, a device, `-` for standard output) is
/// written at once.
///
///     let file = try NewFile(path: "out.pcapng")
///     …  // write to file.descriptor
///     try file.keep()
@safe
package struct NewFile: ~Copyable {
  /// What is written to.
  package let descriptor: Int32
  /// The name as it was given.
  private let path: String
  /// The file's own path, behind links; nil where there is no file to be replaced.
  private let target: String?
  /// The name that the bytes have meanwhile; nil for none.
  private var temporary: String?
  private let isOwned: Bool
  private var isClosed = false

  /// Whether somebody may read what is written before all is: it is no file.
  package var isReadMeanwhile: Bool { target == nil }

  /// Begins a file that is to have the name `path`.
  ///
  /// - Throws: where none can be made there, or the one that is there may not be written.
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
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      let opened = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
      guard opened >= 0 else { throw WriteFailure(path: path, .system(errno)) }
      return (opened, nil, nil)
    }
    if isThere, unsafe access(path, W_OK) != 0 { throw WriteFailure(path: path, .system(errno)) }
    if isThere, FileLock.isTaken(path) { throw WriteFailure(path: path, .isBeingWritten) }
    let target = try behindLinks(path)
    let folder = folder(of: target)
    var temporary: String?
    var opened = UnnamedFile.open(in: folder, O_WRONLY)
    if opened < 0, UnnamedFile.isUnknown(errno) {
      let named = UnnamedFile.openNamed(in: folder)
      (opened, temporary) = (named.descriptor, named.descriptor < 0 ? nil : named.name)
    }
    // A folder may be missing that a link leads to.
    guard opened >= 0 else {
      throw WriteFailure(path: errno == ENOENT ? target : path, .system(errno))
    }
    guard isThere else { return (opened, target, temporary) }
    // It is whose the one was that it replaces, and may be read by whom that could be read by.
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

  /// Gives a new file to the user and the group that another one belongs to.
  ///
  /// - Returns: whether it is theirs.
  private static func give(_ descriptor: Int32, to other: stat) -> Bool {
    var own = stat()
    guard unsafe fstat(descriptor, &own) == 0 else { return false }
    if own.st_uid == other.st_uid, own.st_gid == other.st_gid { return true }
    return fchown(descriptor, other.st_uid, other.st_gid) == 0
  }

  /// The file's own path. What a link points to may be still to be made, as where a shell writes to it.
  private static func behindLinks(_ path: String) throws(WriteFailure) -> String {
    if let real = unsafe realpath(path, nil) {
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }
    guard errno == ENOENT else { throw WriteFailure(path: path, .system(errno)) }
    var place = path
    for _ in 0..<mostLinks {
      var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe readlink(place, &bytes, bytes.count)
      guard count > 0 else { return place }
      let link = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      place = link.hasPrefix("/") ? link : "\(folder(of: place))/\(link)"
    }
    throw WriteFailure(path: path, .system(ELOOP))
  }

  /// As many links behind each other as Linux follows.
  private static let mostLinks = 40

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The file is whole: gives it its name.
  package consuming func keep() throws(WriteFailure) {
    guard isOwned else { return }
    if let target, temporary == nil {
      // An unnamed file can be given a name, but not one that is taken.
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
    // Some systems tell only here that there was no room. Interrupted, it is closed all the same on Linux.
    if close(descriptor) != 0, errno != EINTR { throw WriteFailure(path: path, .system(errno)) }
    guard let target, let name = temporary else { return }
    guard unsafe rename(name, target) == 0 else { throw WriteFailure(path: path, .system(errno)) }
    temporary = nil
  }
}
