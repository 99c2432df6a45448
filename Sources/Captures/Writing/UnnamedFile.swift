import Bytes
import Glibc

/// Files without a name, which vanish with their last descriptor, however the program ends.
enum UnnamedFile {
  /// glibc's O_TMPFILE, which is only declared with _GNU_SOURCE. It has the same value on all
  /// platforms that Swift supports.
  private static let flag = 0o20_000_000 | O_DIRECTORY

  /// Opens a new one readable only by its owner. The result is negative, and `errno` set, on
  /// failure.
  static func open(in folder: String, _ flags: Int32) -> Int32 {
    unsafe Glibc.open(folder, flag | flags | O_CLOEXEC, 0o600)
  }

  /// Returns whether this error means that the kernel or the file system does not support such
  /// files.
  static func isUnknown(_ error: Int32) -> Bool { [EOPNOTSUPP, EISDIR, EINVAL].contains(error) }

  /// Opens a new file with a unique name, for file systems without unnamed files.
  static func openNamed(in folder: String) -> (descriptor: Int32, name: String) {
    var name = Array("\(folder)/.gattscope-XXXXXX".utf8CString)
    let opened = unsafe mkstemp(&name)
    guard opened >= 0 else { return (opened, "") }
    _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
    return (opened, String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
}

/// The bytes of an input that can be read only once, stored in an unnamed file so that they can be
/// read again.
package final class Spool: Sendable {
  private let descriptor: Int32
  /// The path under which this process can open it at its beginning, any number of times.
  package var path: String { "/proc/self/fd/\(descriptor)" }
  /// The size in bytes.
  let byteCount: Int64
  /// Why the input could not be read to its end; nil if it was.
  package let damage: CaptureFailure?

  /// Reads `input` to its end.
  ///
  /// - Parameters:
  ///   - folder: The folder for the file.
  ///   - most: The maximum number of bytes to keep.
  /// - Throws: If the file cannot be created or written.
  package init(
    _ input: inout InputBuffer, in folder: String, most: Int64 = .max
  ) throws(CaptureFailure) {
    var opened = UnnamedFile.open(in: folder, O_RDWR)
    if opened < 0, UnnamedFile.isUnknown(errno) {
      let named = UnnamedFile.openNamed(in: folder)
      opened = named.descriptor
      if opened >= 0 { unsafe unlink(named.name) }
    }
    descriptor = opened
    guard opened >= 0 else {
      (byteCount, damage) = (0, nil)
      throw Self.failure(folder, errno)
    }
    var output = Output(descriptor: opened)
    var (count, damage): (Int64, CaptureFailure?) = (0, nil)
    do throws(CaptureFailure) {
      while count <= most, try input.fill(1), output.failure == nil {
        count += Int64(input.count)
        output.raw(input.take(input.count))
      }
    } catch {
      damage = error
    }
    output.flush()
    (byteCount, self.damage) = (count, damage)
    if let error = output.failure { throw Self.failure(folder, error) }
    guard count <= most else {
      throw CaptureFailure(.damaged, "holds more than \(most) bytes of logs; the rest was not read")
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Passes the file's descriptor to `body`, positioned at its beginning.
  func withDescriptor(
    _ body: (Int32) throws(CaptureFailure) -> Void
  ) throws(CaptureFailure) {
    lseek(descriptor, 0, SEEK_SET)
    try body(descriptor)
  }

  private static func failure(_ folder: String, _ error: Int32) -> CaptureFailure {
    CaptureFailure(
      .inaccessible,
      "it can be read only once, and could not be kept in \(folder) (TMPDIR): \(systemWords(error))"
    )
  }
}
