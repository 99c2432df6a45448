import Bluetooth
import Captures
import Testing

struct PacketLoggerTests {
  /// Types and their meanings (Wireshark, packetlogger.c; 12 and 13: BlueZ, btsnoop.c).
  private static let types: [(UInt8, CaptureRecord.Framing, Direction?)] = [
    (0x00, .h1(.command), .sent), (0x01, .h1(.event), .received), (0x02, .h1(.acl), .sent),
    (0x03, .h1(.acl), .received), (0x08, .h1(.sco), .sent), (0x09, .h1(.sco), .received),
    (0x12, .h1(.iso), .sent), (0x13, .h1(.iso), .received),
    (0x0a, .packetLogger(type: 0x0a), .sent), (0x0b, .packetLogger(type: 0x0b), .received),
    (0xf7, .packetLogger(type: 0xf7), nil), (0xfc, .packetLogger(type: 0xfc), nil),
    (0x55, .packetLogger(type: 0x55), nil),
  ]

  @Test(arguments: [false, true]) func everyType(bigEndian: Bool) {
    var file = PacketLoggerBytes(bigEndian: bigEndian)
    for (index, type) in Self.types.enumerated() {
      file.record(
        type.0, [3, 12, UInt8(index)], seconds: 1_700_000_000 - UInt32(index), microseconds: 7)
    }
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    #expect(reading.summary?.format == .packetLogger)
    #expect(reading.records.map(\.framing) == Self.types.map(\.1))
    #expect(reading.records.map(\.direction) == Self.types.map(\.2))
    #expect(reading.records.map(\.bytes) == Self.types.indices.map { [3, 12, UInt8($0)] })
    #expect(
      reading.records.map(\.time)
        == Self.types.indices.map {
          Timestamp(seconds: 1_700_000_000 - Int64($0), nanoseconds: 7000)
        })
    #expect(reading.records.map(\.fileOffset) == Self.types.indices.map { Int64($0 * 16) })
  }

  @Test(arguments: [false, true]) func everyPrefix(bigEndian: Bool) {
    var file = PacketLoggerBytes(bigEndian: bigEndian)
    file.record(0, [3, 12, 0])
    file.record(1, [0x0e, 4, 1, 3, 12, 0])
    let ends = [16, 35]
    for count in 13...file.bytes.count {
      let reading = Reading(Array(file.bytes[..<count]))
      #expect(reading.records.count == ends.count { $0 <= count })
      #expect((reading.failure == nil) == ends.contains(count), "\(count) bytes")
      if (17..<29).contains(count) {
        #expect(
          reading.message
            == "record 2 at byte 16: only \(count - 16) of 13 bytes of its header are present; "
            + "the capture ends early")
      } else if (29..<35).contains(count) {
        #expect(
          reading.message
            == "record 2 at byte 16: only \(count - 20) of 15 bytes are present; the capture ends early"
        )
      }
    }
  }

  @Test(arguments: [0, 8, 0x10_0001, 0xffff_ffff] as [UInt32])
  func lengthsThatNoRecordHas(length: UInt32) {
    var file = PacketLoggerBytes(bigEndian: true)
    file.record(0, [3, 12, 0])
    file.record(1, [0x0e, 0], length: length)
    let reading = Reading(file.bytes)
    #expect(reading.records.count == 1)
    #expect(
      reading.failure
        == CaptureFailure(
          .damaged,
          "record 2 at byte 16: its length is \(length); a record has 9 to 1048576 bytes; "
            + "the rest was not read"))
  }

  @Test func aRecordWithoutPayload() {
    var file = PacketLoggerBytes(bigEndian: false)
    file.record(0xfc, [])
    file.record(0, [3, 12, 0])
    #expect(Reading(file.bytes).records.map(\.bytes) == [[], [3, 12, 0]])
  }
}
