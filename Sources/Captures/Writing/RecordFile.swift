import Bytes
import Glibc

/// A file that always ends after a whole record, however writing fails.
@safe
struct RecordFile: ~Copyable {
  let descriptor: Int32
  private let isOwned: Bool
  /// Whether excess bytes can be removed: it is a regular file opened here.
  private let isRegular: Bool
  private let interruption: Interruption?
  /// The file's permissions.
  let mode: mode_t
  private var isClosed = false
  /// The size of the file's header and records in bytes.
  private(set) var byteCount: Int64 = 0

  /// Creates or truncates a file, unless another process is writing it in this way. `-` is standard
  /// output.
  ///
  /// - Parameters:
  ///   - interruption: Ends waiting for a reader that does not read what is written.
  ///   - mode: The permissions; nil keeps those of an existing file, and makes a new one private.
  /// - Throws: The reason why it cannot be opened.
  init(
    path: String, _ interruption: Interruption? = nil, mode: mode_t? = nil
  ) throws(WriteFailure) {
    if path == "-" {
      self.init(descriptor: STDOUT_FILENO, owned: false, interruption)
      return
    }
    self.init(descriptor: try Self.open(path, interruption, mode), owned: true, interruption)
  }

  private static func open(
    _ path: String, _ interruption: Interruption?, _ mode: mode_t?
  ) throws(WriteFailure) -> Int32 {
    let (opened, error) = Descriptor.open(path, O_WRONLY | O_CREAT, interruption)
    guard opened >= 0 else {
      throw WriteFailure(path: path, error == EINTR ? .nobodyReads : .system(error))
    }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return opened
    }
    // Two writers of one file would overwrite each other. The lock is released with the descriptor.
    var reason: WriteFailure.Reason?
    if !FileLock.acquire(opened) {
      reason = .isBeingWritten
    } else if ftruncate(opened, 0) != 0 {
      reason = .system(errno)
    }
    if let reason {
      Glibc.close(opened)
      throw WriteFailure(path: path, reason)
    }
    if let mode { fchmod(opened, mode) }
    return opened
  }

  init(descriptor: Int32, owned: Bool, _ interruption: Interruption? = nil) {
    self.descriptor = descriptor
    self.interruption = interruption
    isOwned = owned
    var status = stat()
    let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    // This may be only the end of a file that a shell opened for standard output.
    isRegular = isFile && owned
    mode = status.st_mode & 0o777
  }

  deinit {
    guard isOwned, !isClosed else { return }
    FileLock.release(descriptor)
    Glibc.close(descriptor)
  }

  /// Closes the file. Some systems report only here that there was no room (EDQUOT) or that a disk
  /// failed (EIO).
  ///
  /// - Returns: The system's error number.
  mutating func close() -> Int32? {
    guard isOwned, !isClosed else { return nil }
    isClosed = true
    FileLock.release(descriptor)
    // After EINTR, Linux has closed it all the same.
    return Glibc.close(descriptor) == 0 || errno == EINTR ? nil : errno
  }

  /// Writes records, as many at once as the system accepts.
  ///
  /// - Returns: How many of the bytes were written, and why not all. After a failure, call
  ///   `keep(_:of:)` with the number of bytes to keep.
  mutating func write(_ bytes: RawSpan) -> (written: Int, reason: WriteFailure.Reason?) {
    let (written, ending) = Descriptor.write(bytes, to: descriptor, interruption)
    switch ending {
    case .complete:
      byteCount += Int64(written)
      return (written, nil)
    case .failed(let error): return (written, .system(error))
    case .givenUp: return (written, .nobodyReads)
    }
  }

  /// Keeps the first `kept` of the `written` bytes of a failed write, so that a partial record is
  /// removed.
  mutating func keep(_ kept: Int, of written: Int) {
    byteCount += Int64(kept)
    if written > kept, isRegular {
      _ = ftruncate(descriptor, off_t(byteCount))
      _ = lseek(descriptor, off_t(byteCount), SEEK_SET)
    }
  }
}

/// The lock by which writers of a file exclude each other; readers do not need it.
enum FileLock {
  /// Acquires the lock until the descriptor is closed. File systems without locks always grant it.
  ///
  /// - Returns: Whether no other process holds it.
  static func acquire(_ descriptor: Int32) -> Bool {
    while true {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      if errno != EINTR { return errno != EWOULDBLOCK }
    }
  }

  /// Releases the lock before the descriptor is closed. A process forked meanwhile shares the lock
  /// until it executes its own program, and would hold it for that long.
  static func release(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

  /// Returns whether any process holds the lock of an existing file.
  static func isTaken(_ path: String) -> Bool {
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard opened >= 0 else { return false }
    defer { close(opened) }
    guard acquire(opened) else { return true }
    release(opened)
    return false
  }
}

/// The reason why a capture could not be written.
package struct WriteFailure: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    /// The system's error number.
    case system(Int32)
    /// The output is not being read, and an interruption came. This is not an error.
    case nobodyReads
    /// Another process is writing the file.
    case isBeingWritten
    /// The file belongs to another user or group, to which its replacement cannot be given.
    case foreign
    /// It is a link of another user in a folder that everybody shares.
    case foreignLink
  }

  package var path: String
  package var reason: Reason

  package init(path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }

  /// Returns the name of the file at `path` in sentences; `-` is standard output.
  package static func subject(_ path: String) -> String { path == "-" ? "standard output" : path }

  /// Whether the reader of a pipe has closed it, which is a normal end.
  package var isReaderGone: Bool { reason == .system(EPIPE) }

  /// "x.btsnoop cannot be written: no space left on device".
  package var sentence: String {
    let subject = Self.subject(path)
    switch reason {
    case .system(let error):
      let advice = error == ENOENT ? FolderWords.advice(path) : ""
      return "\(subject) cannot be written: \(systemWords(error))\(advice)"
    case .nobodyReads: return "\(subject): its reader is gone, so it ends early"
    case .isBeingWritten:
      return "\(subject) cannot be written: another program is writing it; choose another name"
    case .foreign:
      return "\(subject) cannot be replaced: it belongs to another user or group, to whom the new "
        + "file cannot be given; choose another name, or remove it first"
    case .foreignLink:
      return
        "\(subject) cannot be written: it is a link that another user made in a shared folder; "
        + "choose another name"
    }
  }
}
