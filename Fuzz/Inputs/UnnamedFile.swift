import Glibc

/// A file without a name that vanishes with its descriptor, so that a killed fuzzer leaves nothing
/// on disk.
struct UnnamedFile: ~Copyable {
  let descriptor: Int32

  /// Creates a file that contains `bytes`, or returns nil on failure.
  init?(holding bytes: [UInt8]) {
    var name = Array("/tmp/gattscope-fuzz-XXXXXX".utf8CString)
    descriptor = unsafe mkstemp(&name)
    guard descriptor >= 0 else { return nil }
    unsafe unlink(name)
    let written = unsafe bytes.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0)
    }
    guard written == bytes.count else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// A path that opens the file again.
  var path: String { "/proc/self/fd/\(descriptor)" }

  func rewind() { lseek(descriptor, 0, SEEK_SET) }
}
