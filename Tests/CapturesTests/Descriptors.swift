import Dispatch
import Glibc
import Synchronization

/// A pipe whose writing end is fed from its own thread. Open ends are closed on release.
final class Pipe: Sendable {
  private let reader: Mutex<Int32>
  private let writer: Mutex<Int32>
  private let queue = DispatchQueue(label: "feeder")

  init() {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    let result = unsafe pipe(&ends)
    precondition(result == 0)
    reader = Mutex(ends[0])
    writer = Mutex(ends[1])
  }

  deinit {
    closeWriter()
    let left = takeReader()
    if left >= 0 { close(left) }
  }

  /// Returns the reading end, which the caller closes.
  func takeReader() -> Int32 {
    reader.withLock { end in
      defer { end = -1 }
      return end
    }
  }

  /// Whether the reading end is still open.
  var hasReader: Bool {
    writer.withLock { end in
      var state = pollfd(fd: end, events: 0, revents: 0)
      unsafe poll(&state, 1, 0)
      return state.revents & Int16(POLLERR) == 0
    }
  }

  /// Writes immediately, on this thread; only for data that fits in the pipe.
  func write(_ bytes: [UInt8]) {
    writer.withLock { end in
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes {
          unsafe Glibc.write(end, $0.baseAddress, $0.count)
        }
        guard written > 0 else { return }
        rest = rest.dropFirst(written)
      }
    }
  }

  func closeWriter() {
    writer.withLock { end in
      if end >= 0 { close(end) }
      end = -1
    }
  }

  /// Writes `bytes` in pieces from another thread, then closes the pipe.
  func feed(_ bytes: [UInt8], piece: Int) {
    queue.async { [self] in
      for start in stride(from: 0, to: bytes.count, by: piece) {
        write(Array(bytes[start..<min(start + piece, bytes.count)]))
      }
      closeWriter()
    }
  }

  /// Closes the pipe after `seconds`, so that a reader that waits for too much fails instead of
  /// hanging.
  func guardAgainstWaiting(seconds: Int = 20) {
    queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in self?.closeWriter() }
  }

  /// Waits for the feeding thread.
  func wait() { queue.sync {} }
}

/// A temporary folder that is removed with its contents on release.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/gattscope-captures-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template)
    unsafe precondition(made != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names() { unsafe remove(file(name)) }
    unsafe rmdir(path)
  }

  /// Returns the names of the files in it.
  func names() -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Returns the path of `name` in the folder.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Creates a file that contains `bytes`.
  func file(_ name: String, holding bytes: [UInt8]) -> String {
    append(bytes, to: name, flags: O_CREAT | O_TRUNC)
    return file(name)
  }

  /// Appends `bytes` to a file.
  func append(_ bytes: [UInt8], to name: String, flags: Int32 = 0) {
    let descriptor = unsafe open(file(name), O_WRONLY | O_APPEND | flags, 0o600)
    precondition(descriptor >= 0)
    defer { close(descriptor) }
    let written = unsafe bytes.withUnsafeBytes {
      unsafe write(descriptor, $0.baseAddress, $0.count)
    }
    precondition(written == bytes.count)
  }
}
