import Bytes
import Glibc
import Synchronization

/// A capture to read, and its name in messages.
package struct CaptureFile: Sendable {
  /// As it was named; of a log in an archive `report.zip:FS/data/misc/bluetooth/logs/btsnoop_hci.log`.
  package let name: String
  /// Where its bytes can be read.
  package let path: String
  /// How many of its bytes are read at most; nil: all.
  private var byteLimit: Int64?
  private let spool: Spool?
  /// A pipe that was opened to look at its first bytes.
  private let opened: OpenedInput?

  /// The capture at a path; `-` is standard input.
  package init(_ path: String) {
    (name, self.path) = (path, path)
    (spool, opened) = (nil, nil)
  }

  /// The capture at a path, with another name in messages.
  ///
  /// - Parameter limit: how many of its bytes are read at most; nil: all.
  package init(name: String, path: String, atMost limit: Int64? = nil) {
    (self.name, self.path) = (name, path)
    byteLimit = limit
    (spool, opened) = (nil, nil)
  }

  /// A capture in an unnamed file.
  package init(name: String, _ spool: Spool) {
    self.name = name
    path = spool.path
    self.spool = spool
    opened = nil
  }

  /// A pipe whose first bytes were looked at.
  init(_ path: String, _ opened: OpenedInput) {
    (name, self.path) = (path, path)
    spool = nil
    self.opened = opened
  }

  /// Opens it at its beginning; a pipe continues where reading stopped.
  ///
  /// - Parameter copy: gets everything that is read, piece by piece.
  /// - Throws: `.inaccessible` where it cannot be opened.
  package func open(
    copy: (([UInt8]) -> Void)? = nil
  ) throws(CaptureFailure) -> InputBuffer {
    if let input = opened?.take() { return input }
    return try InputBuffer(path: path, atMost: byteLimit, copy: copy)
  }

  /// The size of a regular file, which can be read more than once; nil for anything else.
  package var byteCount: Int64? {
    var status = stat()
    guard path != "-", unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int64(status.st_size)
  }

  /// Whether another file has the same size and begins with the same bytes.
  func isEqual(to other: CaptureFile) -> Bool {
    guard byteCount == other.byteCount, var one = try? open(), var two = try? other.open(),
      (try? one.fill(1)) == true, (try? two.fill(1)) == true
    else { return false }
    return one.bytes.isEqual(to: two.bytes)
  }

  /// Whether it gives the same bytes when it is opened again, or an error at once.
  var canBeOpenedAgain: Bool {
    var status = stat()
    guard path != "-" else { return false }
    guard unsafe stat(path, &status) == 0 else { return true }
    let kind = status.st_mode & S_IFMT
    return kind == S_IFREG || kind == S_IFDIR
  }
}

/// An open input that can be taken once.
final class OpenedInput: Sendable {
  private let input: Mutex<InputBuffer?>

  init(_ input: consuming sending InputBuffer) { self.input = Mutex(consume input) }

  func take() -> InputBuffer? { input.withLock { $0.take() } }
}
