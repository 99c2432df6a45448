import Bluetooth
import Bytes
import Captures
import Testing

struct BtsnoopReaderTests {
  /// Returns the record of a file with a single record whose header has these fields.
  private func record(
    datalink: UInt32 = 1002, flags: UInt32 = 0, time: Int64 = BtsnoopBytes.epoch
  ) throws -> Kept {
    var file = BtsnoopBytes(datalink: datalink)
    file.record([0x01, 0x03, 0x0c, 0x00], flags: flags, time: time)  // H4 command: HCI Reset
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    #expect(reading.records.count == 1)
    return try #require(reading.records.first)
  }

  @Test func numbersOffsetsAndBytes() {
    var file = BtsnoopBytes()
    file.record([0x01, 0x03, 0x0c, 0x00])  // command: Reset
    file.record([])  // an empty packet
    file.record([0x04, 0x0e], original: 7, flags: 3)  // an event, truncated to two bytes
    file.record([], original: 30)  // truncated to nothing
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.number) == [1, 2, 3, 4])
    #expect(reading.records.map(\.fileOffset) == [16, 44, 68, 94])
    #expect(reading.records.map(\.originalLength) == [4, 0, 7, 30])
    #expect(reading.records.map(\.bytes) == [[0x01, 0x03, 0x0c, 0x00], [], [0x04, 0x0e], []])
  }

  @Test func onlyCutRecordsAreTruncated() throws {
    var file = BtsnoopBytes()
    file.record([1, 2])
    file.record([1, 2], original: 3)
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: 4096)
    var reader = try BtsnoopReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    var truncated: [Bool] = []
    while let record = try reader.next() { truncated.append(record.isTruncated) }
    #expect(truncated == [false, true])
  }

  // Flags bit 0: received. Bit 1: command or event, which only H1 uses.
  @Test(
    arguments: [
      (0, .sent, .acl), (1, .received, .acl), (2, .sent, .command), (3, .received, .event),
      (0x12, .sent, .command), (0xffff_fffd, .received, .acl),
    ] as [(UInt32, Direction, CaptureRecord.PacketKind)])
  func flagsOfPhoneCaptures(flags: UInt32, direction: Direction, kind: CaptureRecord.PacketKind)
    throws
  {
    let h1 = try record(datalink: 1001, flags: flags)
    #expect(h1.direction == direction)
    #expect(h1.framing == .h1(kind))
    #expect(h1.adapter == 0)
    let h4 = try record(datalink: 1002, flags: flags)
    #expect(h4.direction == direction)
    #expect(h4.framing == .h4)
    #expect(h4.adapter == 0)
  }

  @Test(arguments: 0...20 as ClosedRange<UInt16>)
  func directionsOfTheMonitor(opcode: UInt16) throws {
    let sent: Set<UInt16> = [2, 4, 6, 18]  // command, ACL, SCO, ISO
    let received: Set<UInt16> = [3, 5, 7, 19]  // event, ACL, SCO, ISO
    let monitor = try record(datalink: 2001, flags: 0x0001_0000 | UInt32(opcode))
    #expect(
      monitor.direction
        == (sent.contains(opcode) ? .sent : received.contains(opcode) ? .received : nil))
    #expect(monitor.framing == .monitor(opcode: opcode))
    #expect(monitor.adapter == 1)
  }

  @Test func adaptersOfTheMonitor() throws {
    #expect(try record(datalink: 2001, flags: 0x0000_0002).adapter == 0)
    #expect(try record(datalink: 2001, flags: 0xfffe_0002).adapter == 0xfffe)
    let none = try record(datalink: 2001, flags: 0xffff_000d)  // user logging, no adapter
    #expect(none.adapter == .unknown)
    let unknown = try record(datalink: 2001, flags: 0x0000_ffff)
    #expect(unknown.framing == .monitor(opcode: 0xffff))
    #expect(unknown.direction == nil)
  }

  // The field, and the same instant since 1970. Floor division, worked out by hand: -1 µs is one
  // second less and 999 999 µs.
  @Test(
    arguments: [
      (BtsnoopBytes.epoch, 0, 0),
      (BtsnoopBytes.epoch + 1_700_000_000_123_456, 1_700_000_000, 123_456_000),
      (BtsnoopBytes.epoch - 1, -1, 999_999_000),
      (0, -62_168_256_000, 0),
      (1, -62_168_256_000, 1000),
      (-1, -62_168_256_001, 999_999_000),
      (Int64.max, 9_161_203_780_854, 775_807_000),
      (Int64.min, -9_285_540_292_855, 224_192_000),
    ] as [(Int64, Int64, UInt32)])
  func everyTimeCanBeSaid(field: Int64, seconds: Int64, nanoseconds: UInt32) throws {
    let time = try record(time: field).time
    #expect(time == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }

  /// The field counts all drops since the writer started; a record's drops are those just before
  /// it.
  @Test(
    arguments: [
      ([0, 0, 0], [0, 0, 0]),
      ([3, 3, 5], [3, 0, 2]),
      ([9, 2, 4], [9, 0, 2]),  // the writer restarted
      ([0, 0xffff_ffff, 0], [0, 0xffff_ffff, 0]),
    ] as [([UInt32], [UInt64])])
  func dropsAreIncreases(counts: [UInt32], drops: [UInt64]) {
    var file = BtsnoopBytes()
    for count in counts { file.record([1], drops: count) }
    #expect(Reading(file.bytes).records.map(\.drops) == drops)
  }
}
