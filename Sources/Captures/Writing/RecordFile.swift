import Bytes
import Glibc

/// A file that ends behind a whole record at every moment, however its writing fails.
@safe
struct RecordFile: ~Copyable {
  let descriptor: Int32
  private let isOwned: Bool
  /// Whether what was written too much can be taken back.
  private let isRegular: Bool
  private let interruption: Interruption?
  private var isClosed = false
  /// The bytes of the records in it, and of its header.
  private(set) var byteCount: Int64 = 0

  /// Opens a file anew: what was in it is gone. `-` is standard output.
  ///
  /// - Parameter interruption: after which nobody is waited for who does not read what is written.
  /// - Throws: why it cannot be opened.
  init(path: String, _ interruption: Interruption? = nil) throws(WriteFailure) {
    if path == "-" {
      self.init(descriptor: STDOUT_FILENO, owned: false, interruption)
      return
    }
    let (opened, error) = Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, interruption)
    guard opened >= 0 else {
      throw WriteFailure(path: path, error == EINTR ? .nobodyReads : .system(error))
    }
    self.init(descriptor: opened, owned: true, interruption)
  }

  init(descriptor: Int32, owned: Bool, _ interruption: Interruption? = nil) {
    self.descriptor = descriptor
    self.interruption = interruption
    isOwned = owned
    var status = stat()
    isRegular = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  deinit { if isOwned, !isClosed { Glibc.close(descriptor) } }

  /// Closes the file. Some systems tell only here that there was no room (EDQUOT) or that a disk failed
  /// (EIO).
  ///
  /// - Returns: the system's error number.
  mutating func close() -> Int32? {
    guard isOwned, !isClosed else { return nil }
    isClosed = true
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

/// Why a capture could not be written.
package struct WriteFailure: Error, Equatable, Sendable {
  /// What is in the way.
  package enum Reason: Equatable, Sendable {
    /// The system's error number.
    case system(Int32)
    /// Nobody reads what is written, and the end was put to the program: no fault.
    case nobodyReads
  }

  /// The file's name.
  package var path: String
  /// What is in the way.
  package var reason: Reason

  init(path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }

  /// "x.btsnoop cannot be written: no space left on device".
  package var sentence: String {
    let subject = path == "-" ? "standard output" : path
    switch reason {
    case .system(let error):
      let advice = error == ENOENT ? FolderWords.advice(path) : ""
      return "\(subject) cannot be written: \(systemWords(error))\(advice)"
    case .nobodyReads: return "\(subject): nobody reads what is written, so it ends early"
    }
  }
}
