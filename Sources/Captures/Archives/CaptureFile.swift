import Bytes
import Glibc
import Synchronization

/// A capture to read, with the name it has in messages.
package struct CaptureFile: Sendable {
  /// The name as given; for a log in an archive,
  /// `report.zip:FS/data/misc/bluetooth/logs/btsnoop_hci.log`.
  package let name: String
  /// The path at which its bytes can be read.
  package let path: String
  /// How many of its bytes are read at most; nil: all.
  private var byteLimit: Int64?
  private let spool: Spool?
  /// A pipe opened to examine its first bytes.
  private let opened: OpenedInput?

  /// Creates the capture at `path`; `-` is standard input.
  package init(_ path: String) {
    (name, self.path) = (path, path)
    (spool, opened) = (nil, nil)
  }

  /// Creates the capture at `path` with a different name in messages.
  ///
  /// - Parameter limit: The number of bytes to read at most; nil for all.
  package init(name: String, path: String, atMost limit: Int64? = nil) {
    (self.name, self.path) = (name, path)
    byteLimit = limit
    (spool, opened) = (nil, nil)
  }

  /// Creates a capture stored in an unnamed file.
  package init(name: String, _ spool: Spool) {
    self.name = name
    path = spool.path
    self.spool = spool
    opened = nil
  }

  /// Creates a capture from a pipe whose first bytes have been examined.
  init(_ path: String, _ opened: OpenedInput) {
    (name, self.path) = (path, path)
    spool = nil
    self.opened = opened
  }

  /// Opens the capture at its beginning. A pipe continues where reading stopped.
  ///
  /// - Throws: `.inaccessible` if it cannot be opened.
  package func open() throws(CaptureFailure) -> InputBuffer {
    if let input = opened?.take() { return input }
    return try InputBuffer(path: path, atMost: byteLimit)
  }

  /// The size of a regular file, which can be read more than once; nil for other kinds of files.
  package var byteCount: Int64? {
    var status = stat()
    guard path != "-", unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int64(status.st_size)
  }

  /// Why its bytes end early in the archive or pipe that they were kept from; nil if they do not.
  var damage: CaptureFailure? { spool?.damage?.of(name) }

  /// Returns whether another file has the same bytes.
  func isEqual(to other: CaptureFile) -> Bool {
    guard byteCount == other.byteCount, var one = try? open(), var two = try? other.open() else {
      return false
    }
    do throws(CaptureFailure) {
      while try one.fill(1), try two.fill(1) {
        let count = min(one.count, two.count)
        guard one.take(count).isEqual(to: two.take(count)) else { return false }
      }
      let (isFirstLonger, isSecondLonger) = (try one.fill(1), try two.fill(1))
      return isFirstLonger == isSecondLonger
    } catch {
      return false
    }
  }

  /// Returns a digest of all bytes, or nil if they cannot be read. Its key is new in each run, so
  /// that nobody can make files whose digests are equal.
  func digest() -> Int? {
    guard var input = try? open() else { return nil }
    var hasher = Hasher()
    do throws(CaptureFailure) {
      while try input.fill(1) {
        unsafe input.take { bytes in
          unsafe hasher.combine(bytes: bytes)
          return bytes.count
        }
      }
    } catch {
      return nil
    }
    return hasher.finalize()
  }

  /// Whether opening it again yields the same bytes, or fails immediately.
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
