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

  /// An error of close(2) is reported: here the descriptor is already closed.
  @Test func closing() throws {
    let folder = TemporaryFolder()
    let file = unsafe open(folder.file("x"), O_WRONLY | O_CREAT, 0o600)
    // A number that no other test receives meanwhile.
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

  /// Names are kept only of files that may be removed later.
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
    // The first three files, of 1, 2 and 3 records.
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

  /// A write that fails within a record is undone up to the end of the previous one, so the file
  /// stays readable. The file is memory that is sealed against growth.
  ///
  /// Each record has 100 bytes after its own header (plus options and a trailer in pcapng).
  @Test(
    arguments: [4096, 8192, 12_288],
    [(.btsnoop, 16, 124), (.pcap, 24, 120), (.pcapng, 104, 148), (.packetLogger, 0, 113)]
      as [(
        WriterFormat.Container, Int, Int
      )])
  func writtenInPart(room: Int, layout: (WriterFormat.Container, header: Int, record: Int)) throws {
    let descriptor = try Self.sealedFile(room)
    var writer = CaptureWriter(
      descriptor: dup(descriptor), owned: true, name: "sealed", WriterFormat(layout.0, .monitor))
    Self.write(200, to: &writer)
    writer.finish()
    let whole = (room - layout.header) / layout.record
    #expect(writer.failure?.reason == .system(EPERM))
    #expect(writer.recordsWritten == whole)
    #expect(writer.recordsLost == 200 - whole)
    lseek(descriptor, 0, SEEK_SET)
    #expect(lseek(descriptor, 0, SEEK_END) == off_t(layout.header + whole * layout.record))
    lseek(descriptor, 0, SEEK_SET)
    var reader = try CaptureReader(InputBuffer(descriptor: descriptor, owned: true))
    var found = 0
    while try reader.next() != nil { found += 1 }
    #expect(found == whole)
  }

  /// A function that this system lacks.
  private enum Absence: Error { case memfd }

  /// Returns memory of a size that cannot grow.
  private static func sealedFile(_ room: Int) throws -> Int32 {
    typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    let symbol = unsafe dlsym(nil, "memfd_create")
    guard let found = unsafe symbol else { throw Absence.memfd }
    let create = unsafe unsafeBitCast(found, to: Create.self)
    let allowsSealing: UInt32 = 2
    let descriptor = unsafe create("capture", allowsSealing)
    #expect(descriptor >= 0)
    #expect(ftruncate(descriptor, off_t(room)) == 0)
    // F_ADD_SEALS with F_SEAL_GROW.
    #expect(fcntl(descriptor, 1033, 4) == 0)
    return descriptor
  }

  /// Drops before a record that becomes a comment count as drops before the commented packet.
  @Test func dropsBeforeMarker() throws {
    let folder = TemporaryFolder()
    var writer = try CaptureWriter(path: folder.file("x"), WriterFormat(.pcapng, .h4))
    let note = Marker.payload("here")
    writer.write(
      CaptureRecord(
        number: 1, time: Timestamp(seconds: 1, nanoseconds: 0), direction: nil, adapter: .unknown,
        framing: .monitor(opcode: MonitorOpcode.userLog.rawValue), originalLength: note.count,
        drops: 5, fileOffset: 0, bytes: note.bytes))
    Self.write(1, to: &writer)
    writer.finish()
    var reader = try CaptureReader(path: folder.file("x"))
    var drops: [UInt64] = []
    while let record = try reader.next() { drops.append(record.drops) }
    #expect(drops == [5])
  }

  /// An option's length allows 65 535 bytes, and an option of that size is written in full.
  @Test func longestOption() {
    var output = Output()
    let block = PcapngBlock(.enhancedPacket, into: &output)
    let comment = [UInt8](repeating: 0x61, count: 65_535)
    block.option(.comment, comment.bytes, into: &output)
    let written = output.bytes.array
    #expect(Array(written[10..<12]) == [0xff, 0xff])
    #expect(written.count == 8 + 4 + 65_536)
  }

  /// A second thread writes the same file: 10 000 records are several of its batches.
  @Test(arguments: [WriterFormat.Container.btsnoop, .pcap, .pcapng, .packetLogger])
  func behind(container: WriterFormat.Container) throws {
    let folder = TemporaryFolder()
    for (name, behind) in [("here", false), ("behind", true)] {
      let descriptor = unsafe open(folder.file(name), O_WRONLY | O_CREAT, 0o600)
      var writer = CaptureWriter(
        descriptor: descriptor, owned: true, name: name, WriterFormat(container, .monitor),
        behind: behind)
      Self.write(10_000, to: &writer)
      writer.finish()
      #expect(writer.failure == nil)
      #expect(writer.recordsWritten == 10_000)
    }
    var here = try InputBuffer(path: folder.file("here"))
    var behind = try InputBuffer(path: folder.file("behind"))
    #expect(try !here.fill(1 << 30) && !behind.fill(1 << 30))
    #expect(here.count > 1_000_000)
    #expect(behind.bytes.array == here.bytes.array)
  }

  /// A failure in the second thread stops the writing early, and is known by the end.
  @Test func behindFullDisk() throws {
    let descriptor = unsafe open("/dev/full", O_WRONLY)
    var writer = CaptureWriter(
      descriptor: descriptor, owned: true, name: "x", WriterFormat(.btsnoop, .monitor),
      behind: true)
    #expect(writer.failure?.reason == .system(ENOSPC), "the header is written at once")
    // A descriptor that fails later: a pipe whose reader closes.
    var ends: [Int32] = [0, 0]
    unsafe pipe(&ends)
    signal(SIGPIPE, SIG_IGN)
    writer = CaptureWriter(
      descriptor: ends[1], owned: true, name: "x", WriterFormat(.btsnoop, .monitor), behind: true)
    #expect(writer.failure == nil)
    close(ends[0])
    Self.write(50_000, to: &writer)
    #expect(writer.failure?.reason == .system(EPIPE), "known before all records were made")
    writer.finish()
    #expect(writer.recordsWritten == 0)
    #expect(writer.recordsLost == 50_000)
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

  /// Files of another run are kept, and a record longer than the limit has a file of its own.
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
}
