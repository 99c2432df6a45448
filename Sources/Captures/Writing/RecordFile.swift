import Bytes
import Glibc

/// A file that ends behind a whole record at every moment, however its writing fails.
@safe
struct RecordFile: ~Copyable {
  private let descriptor: Int32
  private let isOwned: Bool
  /// Whether what was written too much can be taken back.
  private let isRegular: Bool
  private var isClosed = false
  /// The bytes of the records in it, and of its header.
  private(set) var byteCount: Int64 = 0

  /// Opens a file anew: what was in it is gone. `-` is standard output.
  ///
  /// - Throws: the system's error number.
  init(path: String) throws(WriteFailure) {
    if path == "-" {
      self.init(descriptor: STDOUT_FILENO, owned: false)
      return
    }
    let opened = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o644)
    guard opened >= 0 else { throw WriteFailure(path: path, error: errno) }
    self.init(descriptor: opened, owned: true)
  }

  init(descriptor: Int32, owned: Bool) {
    self.descriptor = descriptor
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
  /// - Parameter ends: where each of them ends in `bytes`.
  /// - Returns: how many of them are in the file now, and the error where that is not all. The rest of
  ///   a record that was written in part is cut off again.
  mutating func write(_ bytes: RawSpan, ends: [Int]) -> (records: Int, error: Int32?) {
    var written = 0
    var failure: Int32?
    while written < bytes.byteCount, failure == nil {
      let rest = bytes.dropping(written)
      let result = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if result > 0 {
        written += result
      } else if result == 0 {
        failure = EIO
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&waiting, 1, -1)
      } else if errno != EINTR {
        failure = errno
      }
    }
    guard let failure else {
      byteCount += Int64(written)
      return (ends.count, nil)
    }
    let whole = ends.count { $0 <= written }
    let kept = whole > 0 ? ends[whole - 1] : 0
    byteCount += Int64(kept)
    if written > kept, isRegular {
      _ = ftruncate(descriptor, off_t(byteCount))
      _ = lseek(descriptor, off_t(byteCount), SEEK_SET)
    }
    return (whole, failure)
  }
}

/// Why a capture could not be written.
package struct WriteFailure: Error, Equatable, Sendable {
  /// The file's name.
  package var path: String
  /// The system's error number.
  package var error: Int32

  /// "x.btsnoop cannot be written: no space left on device".
  package var sentence: String {
    let subject = path == "-" ? "standard output" : path
    return "\(subject) cannot be written: \(systemWords(error))"
  }
}
