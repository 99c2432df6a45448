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

  @Test(
    "In a sticky folder for everybody, links of other users are not followed",
    .enabled(if: geteuid() == 0, "only root can make links of other users"),
    arguments: [false, true])
  func foreignLinks(hasTarget: Bool) throws {
    let target = hasTarget ? folder.file("target", holding: [9]) : folder.file("target")
    let (own, foreign, indirect) = (
      folder.file("own"), folder.file("foreign"), folder.file("indirect")
    )
    for (link, destination) in [(own, target), (foreign, target), (indirect, "foreign")] {
      #expect(unsafe symlink(destination, link) == 0)
    }
    #expect(unsafe lchown(foreign, 4711, 4711) == 0)
    func outcome(_ path: String) -> WriteFailure.Reason? {
      do throws(WriteFailure) {
        let file = try NewFile(path: path)
        write([1], to: file.descriptor)
        try file.keep()
        return nil
      } catch {
        return error.reason
      }
    }
    // Without the sticky bit, or if only the owner can write, the kernel follows them, too.
    for (mode, isShared) in [(0o1777, true), (0o1775, false), (0o777, false)] as [(mode_t, Bool)] {
      #expect(unsafe chmod(folder.path, mode) == 0)
      let expected: WriteFailure.Reason? = isShared ? .foreignLink : nil
      #expect(outcome(foreign) == expected)
      #expect(outcome(indirect) == expected)
      #expect(bytes(target) == (isShared ? (hasTarget ? [9] : nil) : [1]))
      _ = unsafe hasTarget ? 0 : unlink(target)
    }
    #expect(unsafe chmod(folder.path, 0o1777) == 0)
    #expect(outcome(own) == nil && bytes(target) == [1])
    // The owner of the folder decides what is in it.
    #expect(unsafe chown(folder.path, 4711, 4711) == 0)
    #expect(outcome(foreign) == nil)
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

  /// The old file stays until then. The new one keeps its permissions, and a link stays a link.
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

  /// Only the owner can read new files, however they are written and whatever the umask.
  @Test func newFilesAreTheirOwners() throws {
    let file = try NewFile(path: folder.file("out"))
    try file.keep()
    let rotation = Rotation(bytes: 1000, count: nil)
    var writer = try CaptureWriter(
      path: folder.file("log"), WriterFormat(.btsnoop, .h4), rotation: rotation)
    var source = try CaptureReader(path: folder.file("in", holding: BtsnoopBytes.session(60).bytes))
    while let record = try source.next() { writer.write(record) }
    writer.finish()
    #expect(names.count > 4)
    for name in names where name != "in" {
      var status = stat()
      #expect(unsafe stat(folder.file(name), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
  }

  /// A file that is rewritten in place keeps its permissions, and the files after it get them too.
  @Test func rotationKeepsTheMode() throws {
    let path = folder.file("log", holding: [9])
    #expect(unsafe chmod(path, 0o640) == 0)
    var writer = try CaptureWriter(
      path: path, WriterFormat(.btsnoop, .h4), rotation: Rotation(bytes: 1000, count: nil))
    var source = try CaptureReader(path: folder.file("in", holding: BtsnoopBytes.session(60).bytes))
    while let record = try source.next() { writer.write(record) }
    writer.finish()
    for name in names where name != "in" {
      var status = stat()
      #expect(unsafe stat(folder.file(name), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o640, "\(name)")
    }
  }

  /// Another user's file keeps its owner, or is not replaced.
  @Test func anothersFile() throws {
    guard getuid() == 0 else { return }
    let path = folder.file("out", holding: [9])
    #expect(unsafe chown(path, 65534, 65534) == 0)
    let file = try NewFile(path: path)
    write([1], to: file.descriptor)
    try file.keep()
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    #expect(status.st_uid == 65534 && status.st_gid == 65534)
  }

  /// A file cannot have two writers: the second one fails, and the first continues.
  @Test func oneWriter() throws {
    let path = folder.file("log")
    let format = WriterFormat(.btsnoop, .h4)
    var first = try CaptureWriter(path: path, format)
    #expect(throws: WriteFailure(path: path, .isBeingWritten)) { try Self.begin(path, format) }
    #expect(throws: WriteFailure(path: path, .isBeingWritten)) { try Self.replace(path) }
    var source = try CaptureReader(path: folder.file("in", holding: BtsnoopBytes.session(5).bytes))
    while let record = try source.next() { first.write(record) }
    first.finish()
    #expect(Reading(path: path).records.count == 5)
    try Self.begin(path, format)
    #expect(Reading(path: path).records.isEmpty)
    let sentence = WriteFailure(path: "x", .isBeingWritten).sentence
    #expect(
      sentence == "x cannot be written: another program is writing it; choose another name")
  }

  private static func begin(_ path: String, _ format: WriterFormat) throws {
    var writer = try CaptureWriter(path: path, format)
    writer.finish()
  }

  private static func replace(_ path: String) throws {
    let file = try NewFile(path: path)
    try file.keep()
  }

  /// A path that is not a regular file is written at once, and not replaced.
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

  /// Spooled input can be read repeatedly, even from a pipe.
  @Test func spool() throws {
    let file = BtsnoopBytes.session(500)
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: 1000)
    let reader = pipe.takeReader()
    var input = try InputBuffer(path: "/proc/self/fd/\(reader)")
    let spool = try Spool(&input, in: folder.path)
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
      var input = try InputBuffer(path: "/dev/null")
      _ = try Spool(&input, in: "/nowhere")
    }
    #expect(failure?.kind == .inaccessible)
    #expect(
      failure?.message.hasSuffix("kept in /nowhere (TMPDIR): no such file or directory") == true)
  }
}
