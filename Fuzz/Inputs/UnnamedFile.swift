import Glibc

/// A file that no folder lists and that goes with its descriptor: a fuzzer that is killed leaves
/// nothing behind.
struct UnnamedFile: ~Copyable {
  let descriptor: Int32

  /// A file that holds `bytes`, or nil where the system gives none.
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

  /// Where it can be opened once more.
  var path: String { "/proc/self/fd/\(descriptor)" }

  /// Goes back to the first byte.
  func rewind() { lseek(descriptor, 0, SEEK_SET) }
}
