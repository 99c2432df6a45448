// The parts that follow connections on the air, each alone.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// Returns a data PDU.
private func pdu(_ llid: UInt8, sn: UInt8, nesn: UInt8, length: UInt8 = 0) -> LinkPDU {
  LinkPDU(flags: llid | nesn << 2 | sn << 3, length: length, cteInfo: nil, payload: .empty)
}

@Suite("Acknowledgement on the air") struct AcknowledgementTests {
  @Test("same number and content: resent; other content: one was missed; other number: new")
  func rules() {
    var side = Acknowledgement()
    func outcome(_ sn: UInt8, _ content: UInt64, _ event: Int?, length: UInt8 = 5) -> String {
      let outcome = side.accept(
        pdu(2, sn: sn, nesn: 0, length: length), content: content, event: event,
        isEncrypted: false)
      return "\(outcome)"
    }
    #expect(outcome(0, 1, 0) == "new")
    #expect(outcome(0, 1, 0) == "resent")
    #expect(outcome(0, 1, 1) == "resent")
    #expect(outcome(1, 1, 2) == "new")
    #expect(outcome(1, 2, 3) == "newAfterMissed")
    // Across a hole, an equal one may have come in between.
    #expect(outcome(1, 2, 5) == "resentUnsure")
    // Without events, nothing shows a hole.
    #expect(outcome(1, 2, nil) == "resent")
  }

  @Test("in an encrypted connection, equal bytes are the same PDU, unless it is empty")
  func encrypted() {
    for (length, expected) in [(UInt8(5), "resent"), (0, "resentUnsure")] {
      var side = Acknowledgement()
      _ = side.accept(
        pdu(2, sn: 1, nesn: 0, length: length), content: 7, event: 4, isEncrypted: true)
      let again = side.accept(
        pdu(2, sn: 1, nesn: 1, length: length), content: 7, event: 90, isEncrypted: true)
      #expect("\(again)" == expected)
    }
  }
}

@Suite("Clocks of sniffers") struct AirTimingTests {
  /// Returns when packets were on the air, for clocks of one interface.
  private func times(
    _ clocks: [UInt32], unit: UInt16, of interfaces: [AdapterIndex] = [0]
  ) -> [Int64?] {
    var timing = AirTiming()
    return clocks.enumerated().map { index, clock in
      var header = AirHeader()
      (header.clock, header.clockUnit, header.phy) = (clock, unit, 1)
      let bytes: [UInt8] = [1, 0]
      let packet = AirPacket(header: header, pdu: Slice(start: 0, count: 2))
      let record = CaptureRecord(
        number: index + 1, time: nil, direction: nil,
        adapter: interfaces[index % interfaces.count], framing: .air(.nordic), originalLength: 2,
        drops: 0, fileOffset: 0, bytes: bytes.bytes)
      return timing.time(packet, record)?.start
    }
  }

  @Test("a clock goes on where it starts again from 0, in both directions") func wraps() {
    let nordic = times([0xffff_fff0, 0x10, 0xffff_fff8, 0x20], unit: 1000)
    #expect(nordic == [0xffff_fff0, 0x1_0000_0010, 0xffff_fff8, 0x1_0000_0020])
    // The other one counts 100 ns, and up to 3,276,800,000.
    let ppi = times([3_276_799_990, 10, 3_276_799_980], unit: 100)
    #expect(ppi == [327_679_999, 327_680_001, 327_679_998])
  }

  @Test("each interface has its own clock, up to a limit") func interfaces() {
    let two = times([100, 0xffff_ffff, 200, 5], unit: 1000, of: [0, 1])
    #expect(two == [100, 0xffff_ffff, 200, 0x1_0000_0005])
    let many = times(
      [UInt32](repeating: 9, count: 20), unit: 1000, of: (0..<20).map { AdapterIndex($0) })
    #expect(many == [Int64?](repeating: 9, count: 16) + [Int64?](repeating: nil, count: 4))
  }
}

@Suite("Checksums from the air") struct CRCChecksTests {
  private func check(
    _ checks: inout CRCChecks, _ pdu: [UInt8], crc: UInt32?, _ claim: AirHeader.Verdict,
    initial: UInt32?
  ) -> (AirFact.CRC, isWrongClaim: Bool) {
    var header = AirHeader()
    header.crc = claim
    let packet = AirPacket(header: header, pdu: Slice(start: 0, count: pdu.count), crc: crc)
    var isWrongClaim = false
    let result = checks.check(
      packet, pdu.bytes, initial: initial, isTruncated: false, isWrongClaim: &isWrongClaim)
    return (result, isWrongClaim)
  }

  private static let pdu: [UInt8] = [2, 3, 7, 8, 9]
  private static func crc(_ initial: UInt32) -> UInt32 {
    let bytes = AirBits.crc(pdu, initial: initial)
    return UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
  }

  @Test("what is computed counts, and the claim where nothing can be computed") func verdicts() {
    var checks = CRCChecks()
    for claim in [AirHeader.Verdict.none, .right, .wrong] {
      let right = check(&checks, Self.pdu, crc: Self.crc(0x12_3456), claim, initial: 0x12_3456)
      #expect(right.0 == .right && right.isWrongClaim == (claim == .wrong))
      let wrong = check(&checks, Self.pdu, crc: Self.crc(0x12_3457), claim, initial: 0x12_3456)
      #expect(wrong.0 == .wrong && wrong.isWrongClaim == (claim == .right))
      let unknown = check(&checks, Self.pdu, crc: Self.crc(1), claim, initial: nil)
      #expect(unknown.0 == (claim == .none ? .unknown : claim == .right ? .right : .wrong))
    }
    #expect(!checks.isNotRecorded)
  }

  @Test("checksums of zeros, or of another initial value, were not recorded") func notRecorded() {
    for crc in [0, Self.crc(CRC24.advertising), 0x55_aa55] {
      var checks = CRCChecks()
      for _ in 0..<3 {
        let result = check(&checks, Self.pdu, crc: crc, .right, initial: 0x12_3456)
        #expect(result.0 == .right && !result.isWrongClaim)
      }
      #expect(checks.isNotRecorded)
    }
  }

  @Test("three packets of which most agree give the initial value") func votes() {
    var checks = CRCChecks()
    func vote(_ initial: UInt32) -> UInt32? {
      let packet = AirPacket(
        header: AirHeader(), pdu: Slice(start: 0, count: Self.pdu.count), crc: Self.crc(initial))
      return checks.vote(packet, Self.pdu.bytes)
    }
    #expect(vote(0xab_cdef) == nil && vote(0x11_1111) == nil && vote(0xab_cdef) == nil)
    #expect(vote(0xab_cdef) == 0xab_cdef)
  }

  @Test("a length that does not fit the record is wrong") func lengths() {
    var checks = CRCChecks()
    // The PDU with and without its CRC, and all that lies between and before it.
    for count in 2...5 {
      let short = Array(Self.pdu.prefix(count))
      let result = check(&checks, short, crc: nil, .none, initial: 0x12_3456)
      #expect(result.0 == (count == 5 ? .unknown : .wrong))
    }
  }
}

@Suite("Packets that others point to") struct AuxiliaryPointersTests {
  private func made(_ channel: UInt8, offset: Int) -> AuxiliaryPointer? {
    // The channel; the offset in units of 30 µs, 13 bits.
    let bytes: [UInt8] = [channel] + little(offset)
    var cursor = Cursor(bytes.bytes)
    return try? AuxiliaryPointer(parsing: &cursor)
  }

  private func time(_ start: Int64, isExact: Bool = true) -> PacketTime {
    PacketTime(start: start, end: start + 200, isExact: isExact)
  }

  @Test("channel, time and data information must fit, and each pointer leads to one packet")
  func take() throws {
    var pointers = AuxiliaryPointers(limit: 4)
    let pointer = try #require(made(9, offset: 100))
    var beginning = AuxiliaryPointers.Beginning(
      place: .auxiliary, address: DeviceAddress(value: 5), addressType: .random)
    beginning.dataInfo = 0x1002
    func takes(_ channel: UInt8, at start: Int64, _ info: UInt16?) -> Bool {
      var copy = pointers
      return copy.take(channel: channel, at: time(start), dataInfo: info, on: AdapterIndex(0))
        != nil
    }
    pointers.add(pointer, beginning, from: time(1000), on: AdapterIndex(0))
    // 100 times 30 µs after the start, within a unit and 100 µs.
    #expect(takes(9, at: 4000, 0x1002) && takes(9, at: 4130, nil) && takes(9, at: 3900, nil))
    #expect(!takes(8, at: 4000, 0x1002) && !takes(9, at: 4000, 0x1003))
    #expect(!takes(9, at: 3899, nil) && !takes(9, at: 4131, nil))
    #expect(
      pointers.take(channel: 9, at: time(4000), dataInfo: nil, on: AdapterIndex(0))?.address?.value
        == 5)
    #expect(pointers.take(channel: 9, at: time(4000), dataInfo: nil, on: AdapterIndex(0)) == nil)
  }

  @Test("of too many pointers, the oldest is forgotten; offset 0 points to nothing") func limit()
    throws
  {
    var pointers = AuxiliaryPointers(limit: 4)
    let beginning = AuxiliaryPointers.Beginning(place: .chain, addressType: .anonymous)
    for channel: UInt8 in 0..<5 {
      pointers.add(
        try #require(made(channel, offset: 10)), beginning, from: nil, on: AdapterIndex(0))
    }
    if let unused = made(30, offset: 0) {
      pointers.add(unused, beginning, from: nil, on: AdapterIndex(0))
    }
    let found = (0..<31).filter {
      pointers.take(channel: UInt8($0), at: nil, dataInfo: nil, on: AdapterIndex(0)) != nil
    }
    #expect(found == [1, 2, 3, 4])
  }
}
