import Bytes
import Glibc

/// A file that ends behind a whole record at every moment, however its writing fails.
@safe
struct RecordFile: ~Copyable {
  let descriptor: Int32
  private let isOwned: Bool
  /// Whether what was written too much can be taken back: it is a file that was opened here.
  private let isRegular: Bool
  private let interruption: Interruption?
  /// Who may read and write it.
  let mode: mode_t
  private var isClosed = false
  /// The bytes of the records in it, and of its header.
  private(set) var byteCount: Int64 = 0

  /// Opens a file anew: what was in it is gone, unless another process is writing it in this way. `-` is
  /// standard output.
  ///
  /// - Parameters:
  ///   - interruption: after which nobody is waited for who does not read what is written.
  ///   - mode: who may read and write it; nil: its owner, or of a file that is there who could before.
  /// - Throws: why it cannot be opened.
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
    // Two that write to one file write over each other. The lock goes with the descriptor.
    var reason: WriteFailure.Reason?
    if !FileLock.take(opened) {
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
    // Of a file that a shell opened for standard output, this writes perhaps only the end.
    isRegular = isFile && owned
    mode = status.st_mode & 0o777
  }

  deinit {
    guard isOwned, !isClosed else { return }
    FileLock.release(descriptor)
    Glibc.close(descriptor)
  }

  /// Closes the file. Some systems tell only here that there was no room (EDQUOT) or that a disk failed
  /// (EIO).
  ///
  /// - Returns: the system's error number.
  mutating func close() -> Int32? {
    guard isOwned, !isClosed else { return nil }
    isClosed = true
    FileLock.release(descriptor)
    // Interrupted, it is closed all the same on Linux.
    return Glibc.close(descriptor) == 0 || errno == EINTR ? nil : errno
  }

  /// Writes records, as many at once as the system takes.
  ///
  /// - Returns: how many of the bytes the system took, and why that is not all: then `keep(_:of:)` says
  ///   how many of them are to stay.
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

  /// Keeps the first `kept` of the `written` bytes of a write that failed: the rest of a record that was
  /// written in part is cut off again.
  mutating func keep(_ kept: Int, of written: Int) {
    byteCount += Int64(kept)
    if written > kept, isRegular {
      _ = ftruncate(descriptor, off_t(byteCount))
      _ = lseek(descriptor, off_t(byteCount), SEEK_SET)
    }
  }
}

/// The lock by which those that write a file keep each other off; who only reads it needs none.
enum FileLock {
  /// Takes the lock, until the descriptor is closed. File systems that have none give it to everyone.
  ///
  /// - Returns: whether nobody else has it.
  static func take(_ descriptor: Int32) -> Bool {
    while true {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      if errno != EINTR { return errno != EWOULDBLOCK }
    }
  }

  /// Releases the lock, before the descriptor is closed: a process that was started meanwhile shares the lock
  /// until it runs its own program, and would keep it for that long.
  static func release(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

  /// Whether somebody has the lock of a file that is there.
  static func isTaken(_ path: String) -> Bool {
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard opened >= 0 else { return false }
    defer { close(opened) }
    guard take(opened) else { return true }
    release(opened)
    return false
  }
}

/// Why a capture could not be written.
package struct WriteFailure: Error, Equatable, Sendable {
  /// What is in the way.
  package enum Reason: Equatable, Sendable {
    /// The system's error number.
    case system(Int32)
    /// Nobody reads what is written, and the end was put to the program: no fault.
    case nobodyReads
    /// Another process is writing it.
    case isBeingWritten
    /// It belongs to another user or group, to whom a file in its place cannot be given.
    case foreign
  }

  /// The file's name.
  package var path: String
  /// What is in the way.
  package var reason: Reason

  init(path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }

  /// What sentences call the file at `path`; `-` is standard output.
  package static func subject(_ path: String) -> String { path == "-" ? "standard output" : path }

  /// Whether the reader of a pipe has gone: an end like any other.
  package var isReaderGone: Bool { reason == .system(EPIPE) }

  /// "x.btsnoop cannot be written: no space left on device".
  package var sentence: String {
    let subject = Self.subject(path)
    switch reason {
    case .system(let error):
      let advice = error == ENOENT ? FolderWords.advice(path) : ""
      return "\(subject) cannot be written: \(systemWords(error))\(advice)"
    case .nobodyReads: return "\(subject): nobody reads what is written, so it ends early"
    case .isBeingWritten:
      return "\(subject) cannot be written: another program is writing it; choose another name"
    case .foreign:
      return "\(subject) cannot be replaced: it belongs to another user or group, to whom the new "
        + "file cannot be given; choose another name, or remove it first"
    }
  }
}
