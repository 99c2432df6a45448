import Bluetooth
import Captures
import Testing

struct PcapReaderTests {
  private let reset: [UInt8] = [1, 3, 12, 0]

  @Test(arguments: [false, true], [false, true])
  func bothOrdersAndResolutions(bigEndian: Bool, nanoseconds: Bool) {
    var file = PcapBytes(link: 201, nanoseconds: nanoseconds, bigEndian: bigEndian)
    // The direction is in big-endian order in every file.
    file.record([0, 0, 0, 0] + reset, seconds: 1_700_000_000, fraction: 999_999)
    file.record([0, 0, 0, 1, 4, 0x0e, 0], seconds: 0xffff_ffff, fraction: 1)
    // Other bits of the direction are ignored.
    file.record([0xff, 0xff, 0xff, 0xfe, 4], seconds: 1)
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    #expect(reading.summary?.format == .pcap)
    #expect(reading.summary?.datalink == 201)
    #expect(reading.summary?.timeDecimals == (nanoseconds ? 9 : 6))
    #expect(reading.records.map(\.number) == [1, 2, 3])
    #expect(reading.records.map(\.bytes) == [reset, [4, 0x0e, 0], [4]])
    #expect(reading.records.map(\.originalLength) == [4, 3, 1])
    #expect(reading.records.map(\.direction) == [.sent, .received, .sent])
    #expect(reading.records.map(\.fileOffset) == [24, 48, 71])
    let unit: UInt32 = nanoseconds ? 1 : 1000
    #expect(
      reading.records[0].time
        == Timestamp(seconds: 1_700_000_000, nanoseconds: 999_999 * unit))
    // After 2038: seconds are unsigned.
    #expect(reading.records[1].time == Timestamp(seconds: 0xffff_ffff, nanoseconds: unit))
  }

  @Test func withoutDirection() {
    var file = PcapBytes(link: 187)
    file.record(reset)
    let reading = Reading(file.bytes)
    #expect(reading.records.map(\.direction) == [nil])
    #expect(reading.records.map(\.framing) == [.h4])
    #expect(reading.summary?.lacksDirection == true)
  }

  @Test func linuxMonitor() {
    var file = PcapBytes(link: 254)
    // adapter and opcode: an event (no adapter), data sent and received, a note without an adapter
    file.record([0, 2, 0, 3, 0x0e, 0])
    file.record([0, 0, 0, 4, 1, 0x20, 0, 0])
    file.record([0, 0, 0, 5, 1, 0x20, 0, 0])
    file.record([0xff, 0xff, 0, 12, 0x68, 0x69])
    let records = Reading(file.bytes).records
    #expect(records.map(\.adapter) == [2, 0, 0, .unknown])
    #expect(records.map(\.direction) == [.received, .sent, .received, nil])
    #expect(
      records.map(\.framing) == [3, 4, 5, 12].map { CaptureRecord.Framing.monitor(opcode: $0) })
    #expect(records.map(\.bytes.count) == [2, 4, 4, 2])
  }

  /// The link type's own header may be truncated, or be counted in the original length.
  @Test func shortRecords() {
    var file = PcapBytes(link: 201)
    file.record([0, 0, 0])
    file.record([])
    file.record([0, 0, 0, 1, 4, 5], original: 90)
    file.record([0, 0], original: 2)
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    #expect(
      reading.records.map(\.framing)
        == [.incomplete(needed: 4), .incomplete(needed: 4), .h4, .incomplete(needed: 4)])
    #expect(reading.records.map(\.bytes) == [[0, 0, 0], [], [4, 5], [0, 0]])
    #expect(reading.records.map(\.originalLength) == [3, 0, 86, 2])
  }

  /// Records longer than the file's snapshot length are read in full.
  @Test func theSnapshotLengthIsNotBelieved() {
    var file = PcapBytes(link: 187, snapshot: 4)
    file.record([UInt8](repeating: 2, count: 300))
    #expect(Reading(file.bytes).records.map(\.bytes.count) == [300])
  }

  /// Fractions of a second or more carry into the seconds without a trap.
  @Test(arguments: [1_000_000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] as [UInt32], [false, true])
  func fractionsThatAreTooLarge(fraction: UInt32, nanoseconds: Bool) throws {
    var file = PcapBytes(link: 187, nanoseconds: nanoseconds)
    file.record(reset, seconds: 5, fraction: fraction)
    let record = try #require(Reading(file.bytes).records.first)
    let time = try #require(record.time)
    #expect(time.nanoseconds < 1_000_000_000)
    if fraction == 1_000_000 {
      let expected =
        nanoseconds
        ? Timestamp(seconds: 5, nanoseconds: 1_000_000) : Timestamp(seconds: 6, nanoseconds: 0)
      #expect(time == expected)
    }
  }

  @Test func whatIsClaimedOverTheLimit() {
    var file = PcapBytes(link: 187)
    file.record(reset)
    file.record([1, 2, 3], captured: 262_145)
    let folder = TemporaryFolder()
    let reading = Reading(path: folder.file("capture", holding: file.bytes))
    #expect(reading.records.count == 1)
    #expect(
      reading.failure
        == CaptureFailure(
          .damaged,
          "record 2 at byte 44: it claims 262145 bytes, of which 3 are present, but a record has at most 262144; "
            + "the rest was not read"))
  }

  @Test(arguments: [187, 201, 254] as [UInt32]) func everyPrefix(link: UInt32) {
    var file = PcapBytes(link: link)
    file.record([0, 0, 0, 1] + reset)
    file.record([0, 0, 0, 3, 4, 0x0e, 0])
    let ends = [24, 48, file.bytes.count]
    for count in 4...file.bytes.count {
      let reading = Reading(Array(file.bytes[..<count]))
      #expect(reading.records.count == ends.count { $0 <= count } - (count < 24 ? 0 : 1))
      #expect((reading.failure == nil) == ends.contains(count), "\(count) bytes")
      switch count {
      case 0..<24:
        #expect(reading.message == "its header ends early: only \(count) of 24 bytes are present")
      case 25..<40:
        #expect(
          reading.message
            == "record 1 at byte 24: only \(count - 24) of 16 bytes of its header are present; "
            + "the capture ends early")
      case 40..<48:
        #expect(
          reading.message
            == "record 1 at byte 24: only \(count - 40) of 8 bytes are present; the capture ends early"
        )
      default: break
      }
    }
  }

  @Test(arguments: [1, 7, 4096]) func pieces(piece: Int) throws {
    var file = PcapBytes(link: 187, bigEndian: true)
    for index in 0..<100 {
      file.record([UInt8](repeating: 4, count: index), seconds: UInt32(index))
    }
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: piece)
    let reading = Reading(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.bytes.count) == Array(0..<100))
    pipe.wait()
  }

  /// A record is returned as soon as its last byte arrives.
  @Test func aStreamThatNeverEnds() throws {
    var file = PcapBytes(link: 187)
    for _ in 0..<3 { file.record(reset) }
    let pipe = Pipe()
    pipe.guardAgainstWaiting()
    pipe.write(Array(file.bytes[..<44]))
    var reader = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    for count in [44, 64, 84] {
      if count > 44 { pipe.write(Array(file.bytes[count - 20..<count])) }
      #expect(try reader.nextKept()?.bytes == reset)
      let isReady = reader.isReady
      #expect(!isReady)
    }
  }
}
