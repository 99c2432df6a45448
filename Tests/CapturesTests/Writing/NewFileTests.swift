import Glibc
import Testing

@testable import Captures

struct NewFileTests {
  private let folder = TemporaryFolder()

  private func write(_ bytes: [UInt8], to descriptor: Int32) {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    #expect(count == bytes.count)
  }

  private func bytes(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    return Array(bytes.prefix(max(0, count)))
  }

  /// The names in the folder.
  private var names: [String] {
    guard let listing = unsafe opendir(folder.file("")) else { return [] }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  @Test func appearsWhenItIsKept() throws {
    let path = folder.file("out")
    let file = try NewFile(path: path)
    write([1, 2, 3], to: file.descriptor)
    #expect(names == [])
    try file.keep()
    #expect(names == ["out"])
    #expect(bytes(path) == [1, 2, 3])
  }

  @Test func leavesNothingWhenItIsNotKept() throws {
    let path = folder.file("out", holding: [9])
    do {
      let file = try NewFile(path: path)
      write([1, 2, 3], to: file.descriptor)
    }
    #expect(names == ["out"])
    #expect(bytes(path) == [9])
  }

  /// What was there stays until then, and who could read it can read the new one; a link stays a link.
  @Test func replaces() throws {
    let path = folder.file("out", holding: [9])
    #expect(unsafe chmod(path, 0o640) == 0)
    let link = folder.file("link")
    #expect(unsafe symlink(path, link) == 0)
    let file = try NewFile(path: link)
    write([1], to: file.descriptor)
    #expect(bytes(path) == [9])
    try file.keep()
    #expect(bytes(path) == [1] && bytes(link) == [1])
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(unsafe lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(names == ["link", "out"])
  }

  /// What is no file is written at once, and stays what it is.
  @Test func devices() throws {
    let file = try NewFile(path: "/dev/null")
    write([1], to: file.descriptor)
    try file.keep()
    var status = stat()
    #expect(unsafe stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test(arguments: [("/nowhere/x", ENOENT), ("/tmp", EISDIR), ("/proc/x", ENOENT)])
  func refusals(_ path: String, _ error: Int32) {
    var failure: WriteFailure?
    do throws(WriteFailure) {
      let file = try NewFile(path: path)
      try file.keep()
    } catch {
      failure = error
    }
    #expect(failure?.path == path)
    #expect(failure?.reason == .system(error) || path == "/proc/x" && failure != nil)
  }

  /// What can be read only once can be read again and again.
  @Test func spool() throws {
    let file = BtsnoopBytes.session(500)
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: 1000)
    let reader = pipe.takeReader()
    let spool = try Spool(of: "/proc/self/fd/\(reader)", in: folder.path)
    #expect(names == [])
    for _ in 1...2 {
      let reading = Reading(path: spool.path)
      #expect(reading.failure == nil && reading.records.count == 500)
    }
    pipe.wait()
    close(reader)
  }

  @Test func spoolWithoutAFolder() {
    let failure = #expect(throws: CaptureFailure.self) {
      _ = try Spool(of: "/dev/null", in: "/nowhere")
    }
    #expect(failure?.kind == .inaccessible)
    #expect(
      failure?.message.hasSuffix("kept in /nowhere (TMPDIR): no such file or directory") == true)
  }
}
