import Bluetooth
import Bytes
import Glibc
import Testing

@testable import Captures

struct FailingWriterTests {
  private static let bytes = [UInt8](repeating: 7, count: 100)

  private static func write(_ count: Int, to writer: inout CaptureWriter) {
    for number in 1...count {
      writer.write(
        CaptureRecord(
          number: number, time: Timestamp(seconds: Int64(number), nanoseconds: 0),
          direction: .received, adapter: 0, framing: .monitor(opcode: 5), originalLength: 100,
          drops: 0, fileOffset: 0, bytes: bytes.bytes))
    }
  }

  @Test func fullDisk() throws {
    var writer = try CaptureWriter(path: "/dev/full", WriterFormat(.btsnoop, .monitor))
    #expect(
      writer.failure?.sentence == "/dev/full cannot be written: no space left on device")
    Self.write(3, to: &writer)
    writer.finish()
    #expect(writer.recordsWritten == 0)
    #expect(writer.recordsLost == 3)
    #expect(writer.remarks == ["3 records were not written"])
  }

  /// What close(2) says against the file is said: its descriptor is closed already.
  @Test func closing() throws {
    let folder = TemporaryFolder()
    let file = unsafe open(folder.file("x"), O_WRONLY | O_CREAT, 0o600)
    // One that no other test gets meanwhile.
    let descriptor = fcntl(file, F_DUPFD_CLOEXEC, 900)
    close(file)
    #expect(descriptor >= 900)
    var writer = CaptureWriter(
      descriptor: descriptor, owned: true, name: "x", WriterFormat(.btsnoop, .monitor))
    Self.write(3, to: &writer)
    writer.flush()
    #expect(writer.failure == nil)
    close(descriptor)
    writer.finish()
    #expect(writer.failure == WriteFailure(path: "x", .system(EBADF)))
    #expect(writer.recordsWritten == 3)
    withExtendedLifetime(folder) {}
  }

  /// Names are kept only of files that may become too old.
  @Test(arguments: [nil, 3]) func namesKept(count: Int?) throws {
    let folder = TemporaryFolder()
    let path = folder.file("x")
    var finished = FinishedFiles(path, Rotation(bytes: 1024, count: count))
    for number in 1...5 {
      _ = folder.file("x", holding: [1])
      try finished.takeIn(records: number)
    }
    #expect(finished.kept.count == (count == nil ? 0 : 2))
    #expect(finished.count == (count == nil ? 5 : 2))
    // The first three, of 1, 2 and 3 records.
    #expect(finished.removed.files == (count == nil ? 0 : 3))
    #expect(finished.removed.records == (count == nil ? 0 : 6))
    #expect(unsafe (access(folder.file("x.1"), F_OK) == 0) == (count == nil))
  }

  @Test func noSuchFolder() {
    var failure: WriteFailure?
    do throws(WriteFailure) {
      _ = try CaptureWriter(path: "/nowhere/x.btsnoop", WriterFormat(.btsnoop, .monitor))
    } catch {
      failure = error
    }
    #expect(
      failure?.sentence
        == "/nowhere/x.btsnoop cannot be written: no such file or directory; make its folder first: "
        + "mkdir -p /nowhere")
  }

  /// A write that stops within a record is taken back to the end of the one before: the file stays
  /// readable. The file is memory that is sealed against growth.
  @Test(arguments: [4096, 8192, 12_288]) func writtenInPart(room: Int) throws {
    typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    guard let symbol = unsafe dlsym(nil, "memfd_create") else {
      Issue.record("this system has no memfd_create")
      return
    }
    let create = unsafe unsafeBitCast(symbol, to: Create.self)
    let allowsSealing: UInt32 = 2
    let descriptor = unsafe create("capture", allowsSealing)
    #expect(descriptor >= 0)
    #expect(ftruncate(descriptor, off_t(room)) == 0)
    // F_ADD_SEALS with F_SEAL_GROW.
    #expect(fcntl(descriptor, 1033, 4) == 0)
    var writer = CaptureWriter(
      descriptor: dup(descriptor), owned: true, name: "sealed", WriterFormat(.btsnoop, .monitor))
    // 124 bytes each, behind a header of 16.
    Self.write(200, to: &writer)
    writer.finish()
    let whole = (room - 16) / 124
    #expect(writer.failure?.reason == .system(EPERM))
    #expect(writer.recordsWritten == whole)
    #expect(writer.recordsLost == 200 - whole)
    lseek(descriptor, 0, SEEK_SET)
    let reading = Reading(InputBuffer(descriptor: descriptor, owned: true))
    #expect(reading.failure == nil)
    #expect(reading.records.count == whole)
  }

  @Test func rotation() throws {
    let folder = TemporaryFolder()
    let path = folder.file("air.btsnoop")
    // 16 bytes of header and 124 for each record: eight fit.
    var writer = try CaptureWriter(
      path: path, WriterFormat(.btsnoop, .monitor), rotation: Rotation(bytes: 1024, count: 3))
    Self.write(30, to: &writer)
    writer.finish()
    #expect(writer.failure == nil)
    #expect(writer.recordsWritten == 30)
    let files = ["air.1.btsnoop", "air.2.btsnoop", "air.3.btsnoop", "air.btsnoop"].map {
      Reading(path: folder.file($0))
    }
    #expect(files.map(\.records.count) == [0, 8, 8, 6])
    #expect(files.map { $0.failure?.kind } == [.inaccessible, nil, nil, nil])
    let seconds = files.flatMap(\.records).map { $0.time?.seconds }
    #expect(seconds == (9...30).map { Int64($0) })
  }

  /// Files of another run are not touched, and a record that is longer than a file has one of its own.
  @Test func rotationKeepsWhatIsThere() throws {
    let folder = TemporaryFolder()
    let path = folder.file("air")
    _ = folder.file("air.1", holding: [1, 2, 3])
    var writer = try CaptureWriter(
      path: path, WriterFormat(.pcapng, .h4), rotation: Rotation(bytes: 120, count: 2))
    for _ in 1...3 {
      writer.write(
        CaptureRecord(
          number: 1, time: Timestamp(seconds: 1, nanoseconds: 0), direction: .received,
          adapter: 0, framing: .monitor(opcode: 5), originalLength: 100, drops: 0, fileOffset: 0,
          bytes: Self.bytes.bytes))
    }
    writer.finish()
    #expect(writer.failure == nil)
    let files = ["air.1", "air.2", "air.3", "air"].map { Reading(path: folder.file($0)) }
    #expect(files.map { $0.failure?.kind } == [.notReadable, .inaccessible, nil, nil])
    #expect(files.map(\.records.count) == [0, 0, 1, 1])
  }

  @Test func sizes() {
    #expect(Rotation("10M:3") == Rotation(bytes: 10_000_000, count: 3))
    #expect(Rotation("2048") == Rotation(bytes: 2048, count: nil))
    #expect(Rotation("5k") == Rotation(bytes: 5000, count: nil))
    #expect(Rotation("1G:1") == Rotation(bytes: 1_000_000_000, count: 1))
    for text in ["", "1", "10M:0", "10M:", "x", "-5k", "10MB", "99999999999G", "5k:1:1", "+5k"] {
      #expect(Rotation(text) == nil, "\(text)")
    }
  }

  @Test func formatsByName() {
    #expect(WriterFormat(path: "a/b.btsnoop") == WriterFormat(.btsnoop, .monitor))
    #expect(WriterFormat(path: "b.LOG") == WriterFormat(.btsnoop, .monitor))
    #expect(WriterFormat(path: "b.pcap") == WriterFormat(.pcap, .monitor))
    #expect(WriterFormat(path: "x.y/b.pcapng") == WriterFormat(.pcapng, .monitor))
    #expect(WriterFormat(path: "x.pcapng/b") == nil)
    #expect(WriterFormat(path: "b.txt") == nil)
  }
}
