// Infers directions in captures without them, and compares with the same captures' own directions.

import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

/// Collects the directions that a report receives, and the number of complete PDUs.
private struct Told: PacketReport {
  var directions: [Direction?] = []
  var areInferred: [Bool] = []
  var pdus = 0
  var responses = 0

  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    directions.append(packet.record.direction)
    areInferred.append(packet.record.isDirectionInferred)
    if packet.dissection.l2cap != nil { pdus += 1 }
    if packet.dissection.att != nil, packet.answer.request != nil { responses += 1 }
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}

@Suite struct DirectionTests {
  private func results(_ records: [StoredRecord]) throws -> Told {
    var source = MemorySource(records)
    var report = Told()
    var output = Output()
    var pass = Pass()
    try pass.run(&source, &report, into: &output)
    return report
  }

  /// The packet boundary flags show the direction, even of fragments.
  @Test(arguments: ["heart-rate", "heart-rate.peripheral", "wristband", "pairing-fails"])
  func asTheCaptureWouldSay(_ name: String) throws {
    let known = try storedRecords(name)
    let blind = known.map { record in
      var record = record
      record.direction = nil
      return record
    }
    let (seen, found) = (try results(known), try results(blind))
    #expect(found.directions == seen.directions)
    #expect(!found.areInferred.contains(false))
    #expect(!seen.areInferred.contains(true))
    #expect(found.pdus == seen.pdus && found.responses == seen.responses)
  }

  private func record(_ bytes: [UInt8], number: Int) -> StoredRecord {
    StoredRecord(
      bytes: bytes, direction: nil, adapter: 0, framing: .h4, time: nil,
      originalLength: bytes.count, drops: 0, number: number)
  }

  /// Returns an LE Connection Complete: handle 0x0040, the given role, public peer
  /// 06:05:04:03:02:01.
  private func connection(role: UInt8) -> [UInt8] {
    [4, 0x3e, 19, 1, 0, 0x40, 0, role, 0, 1, 2, 3, 4, 5, 6, 0x18, 0, 0, 0, 0x48, 0, 0]
  }

  /// Returns an ATT PDU on handle 0x0040 with boundary flag 00 or 10.
  private func att(_ boundary: UInt8, _ pdu: [UInt8]) -> [UInt8] {
    let count = UInt8(pdu.count)
    return [2, 0x40, boundary << 4, count + 4, 0, count, 0, 4, 0] + pdu
  }

  private func directions(_ packets: [[UInt8]]) throws -> [Direction?] {
    let numbered = packets.enumerated().map { record($1, number: $0 + 1) }
    let report = try results(numbered)
    #expect(report.areInferred == report.directions.map { $0 != nil })
    return report.directions
  }

  /// A controller that also uses 00: once a read's response arrives with it, the role decides.
  @Test(arguments: [(UInt8(0), true), (1, false)])
  func flagsThatTellNothing(role: UInt8, isCentral: Bool) throws {
    let read: [UInt8] = [0x0a, 3, 0]
    let answer: [UInt8] = [0x0b, 7]
    let found = try directions([
      connection(role: role), att(0, read), att(0, answer), att(0, read), att(0, answer),
    ])
    let (client, server): (Direction, Direction) =
      isCentral ? (.sent, .received) : (.received, .sent)
    // Nothing contradicts the first one yet.
    #expect(found == [.received, .sent, server, client, server])
  }

  /// Without a role, such directions are unknown from then on.
  @Test func flagsThatTellNothingWithoutARole() throws {
    let found = try directions([
      att(2, [0x0a, 3, 0]), att(2, [0x0b, 7]), att(2, [0x0a, 3, 0]), att(0, [0x0a, 3, 0]),
      att(2, [0x0b, 7]),
    ])
    #expect(found == [.received, nil, nil, .sent, .received])
  }

  /// Packets without a direction are still joined and dissected.
  @Test func unknownDirectionsAreDissected() throws {
    let numbered = [
      att(2, [0x0a, 3, 0]), att(2, [0x0b, 7]),
      // a Read Request in two fragments, the second a continuation
      [2, 0x40, 0x20, 4, 0, 3, 0, 4, 0], [2, 0x40, 0x10, 3, 0, 0x0a, 3, 0],
      // 11 does not begin a packet with a known direction
      [2, 0x41, 0x30, 7, 0, 3, 0, 4, 0, 0x0a, 3, 0],
    ].enumerated().map { record($1, number: $0 + 1) }
    let report = try results(numbered)
    #expect(report.directions == [.received, nil, nil, nil, nil])
    #expect(report.pdus == 4)
  }

  /// SCO data, ISO data and records that are not packets have no direction.
  @Test func others() throws {
    #expect(
      try directions([
        [1, 3, 12, 0], [4, 0x0e, 4, 1, 3, 12, 0], [3, 0x40, 0, 0], [5, 0x40, 0, 0, 0], [9], [],
      ]) == [.sent, .received, nil, nil, nil, nil])
  }
}
