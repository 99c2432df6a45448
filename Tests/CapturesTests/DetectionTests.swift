import Bytes
import Captures
import Glibc
import Testing

struct DetectionTests {
  @Test(
    arguments: [
      ([], "is empty; expected \(CaptureFormat.readable)"),
      (
        Array("# Notes of a session\n".utf8),
        "is not a capture: it starts with 23 20 4e 6f; expected \(CaptureFormat.readable)"
      ),
      (
        [0x42],
        "is not a capture: it starts with 42; expected \(CaptureFormat.readable)"
      ),
      (
        [0x00, 0x00],
        "is not a capture: it starts with 00 00; expected \(CaptureFormat.readable)"
      ),
      (
        [UInt8](repeating: 0, count: 40),
        "is not a capture: it starts with 00 00 00 00; expected \(CaptureFormat.readable)"
      ),
      // btsnoop in capitals, and with another byte in place of its zero
      (
        Array("BTSNOOP\0".utf8),
        "is not a capture: it starts with 42 54 53 4e; expected \(CaptureFormat.readable)"
      ),
      (
        Array("btsnoop!".utf8),
        "is not a capture: it starts with 62 74 73 6e; expected \(CaptureFormat.readable)"
      ),
    ] as [([UInt8], String)])
  func whatIsNoCapture(bytes: [UInt8], message: String) {
    #expect(Reading(bytes).failure == CaptureFailure(.notReadable, message))
  }

  @Test(
    arguments: [
      [0x1f, 0x8b, 8, 0], [0x50, 0x4b, 3, 4, 20, 0], [0x50, 0x4b, 5, 6, 0, 0],
      [0x28, 0xb5, 0x2f, 0xfd], [0xfd, 0x37, 0x7a, 0x58], Array("BZh9".utf8),
    ] as [[UInt8]])
  func archivesAreForWhoLooksIntoThem(bytes: [UInt8]) {
    #expect(
      Reading(bytes).message?.hasPrefix("is an archive or a compressed file") == true,
      "\(Reading(bytes).message ?? "nothing")")
  }

  // Each differs in one field from a PacketLogger record of 13 bytes, of type 0.
  @Test(
    arguments: [
      [0, 0, 0, 8, 0x5f, 0, 0, 0, 0, 0x07, 0xa1, 0x20, 0x00],  // shorter than time and type
      [0, 1, 0, 0, 0x5f, 0, 0, 0, 0, 0x07, 0xa1, 0x20, 0x00],  // 65 536 bytes long
      [0, 0, 0, 13, 0x5f, 0, 0, 0, 0, 0x0f, 0x42, 0x40, 0x00],  // a million microseconds
      [0, 0, 0, 13, 0x5f, 0, 0, 0, 0, 0x07, 0xa1, 0x20, 0x44],  // an unknown type
      [0, 0, 0, 13, 0x5f, 0, 0, 0, 0, 0x07, 0xa1, 0x20],  // no type
      // its packet's own length differs, and no record follows
      [0, 0, 0, 12, 0x5f, 0, 0, 0, 0, 0x07, 0xa1, 0x20, 0, 3, 12, 9]
        + [UInt8](repeating: 0xaa, count: 20),
      // an icon: 16 images, the first of 16 colours
      [0, 0, 1, 0, 1, 0, 0x10, 0x10, 0, 0, 1, 0, 8, 0] + [UInt8](repeating: 0x77, count: 280),
    ] as [[UInt8]])
  func whatIsNotPacketLogger(bytes: [UInt8]) {
    #expect(Reading(bytes).message?.hasPrefix("is not a capture") == true)
  }

  @Test func theNameDoesNotMatter() {
    let folder = TemporaryFolder()
    let capture = folder.file("capture.pcapng", holding: BtsnoopBytes.session(3).bytes)
    #expect(Reading(path: capture).records.count == 3)
    let text = folder.file("text.btsnoop", holding: Array("hello".utf8))
    #expect(
      Reading(path: text).message
        == "is not a capture: it starts with 68 65 6c 6c; expected \(CaptureFormat.readable)"
    )
  }

  @Test func sentencesNameTheCapture() {
    let empty = CaptureFailure(
      .notReadable, "is empty; expected \(CaptureFormat.readable)")
    #expect(
      empty.sentence(about: "notes.txt")
        == "notes.txt is empty; expected \(CaptureFormat.readable)")
    #expect(
      empty.sentence(about: "-")
        == "standard input is empty; expected \(CaptureFormat.readable)")
    let damage = CaptureFailure(.damaged, "record 3 at byte 71: …")
    #expect(damage.sentence(about: "a.log") == "a.log: record 3 at byte 71: …")
    let missing = CaptureFailure(.inaccessible, "no such file or directory")
    #expect(missing.sentence(about: "a.log") == "a.log: no such file or directory")
  }
}

struct OpeningTests {
  private let folder = TemporaryFolder()

  private func expect(_ path: String, inaccessible message: String) {
    let reading = Reading(path: path)
    #expect(reading.records.isEmpty)
    #expect(reading.failure == CaptureFailure(.inaccessible, message))
  }

  @Test func missing() {
    expect(folder.file("missing"), inaccessible: "no such file or directory")
    expect("", inaccessible: "no such file or directory")
  }

  @Test func aDirectory() { expect(folder.path, inaccessible: "is a directory") }

  @Test func aFileAsADirectory() {
    let file = folder.file("file", holding: [])
    expect(file + "/inside", inaccessible: "not a directory")
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may read everything")) func noPermission() {
    let file = folder.file("secret", holding: BtsnoopBytes().bytes)
    let changed = unsafe chmod(file, 0)
    #expect(changed == 0)
    expect(file, inaccessible: "permission denied")
  }

  @Test func aSocket() {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    let path = folder.file("socket")
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let bound = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(bound == 0)
    expect(path, inaccessible: "no such device or address")
  }

  @Test func aDescriptorThatIsClosed() {
    let reading = Reading(InputBuffer(descriptor: -1, owned: false))
    #expect(reading.failure == CaptureFailure(.inaccessible, "it is closed"))
  }

  @Test func aNamedPipe() throws {
    let path = folder.file("fifo")
    let made = unsafe mkfifo(path, 0o600)
    try #require(made == 0)
    let file = BtsnoopBytes.session(20)
    // Opened for reading and writing, it can be filled before it has a reader.
    let writer = unsafe open(path, O_RDWR)
    let bytes = file.bytes
    let written = unsafe bytes.withUnsafeBytes { unsafe write(writer, $0.baseAddress, $0.count) }
    #expect(written == bytes.count)
    var reader = try BtsnoopReader(path: path)
    close(writer)
    let reading = Reading(&reader)
    #expect(reading.records == Reading(bytes).records)
    #expect(reading.failure == nil)
  }

  @Test(arguments: [true, false]) func onlyOwnedDescriptorsAreClosed(owned: Bool) {
    let pipe = Pipe()
    let descriptor = pipe.takeReader()
    pipe.write(BtsnoopBytes(version: 2).bytes)
    #expect(Reading(InputBuffer(descriptor: descriptor, owned: owned)).failure != nil)
    #expect(pipe.hasReader == !owned)
    if !owned { close(descriptor) }
  }
}
