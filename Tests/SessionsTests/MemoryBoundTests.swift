// The memory for joining PDUs and SDUs, whatever the input.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// Returns the bytes that `joiner` claims to hold.
private func reported(_ joiner: Any) -> Int? {
  part("open", of: joiner).flatMap { part("held", of: $0) as? Int }
}

/// Returns the bytes of memory that the places of `joiner` hold.
private func held(_ joiner: Any) -> Int {
  guard let places = part("open", of: joiner).flatMap({ part("places", of: $0) }) else { return -1 }
  return Mirror(reflecting: places).children.reduce(0) { sum, place in
    let bytes = part("bytes", of: place.value) as? [UInt8] ?? []
    let packets = part("packets", of: place.value) as? [Int] ?? []
    return sum + bytes.capacity + 8 * packets.capacity
  }
}

/// Returns an ACL packet.
@_lifetime(borrow bytes)
private func record(_ bytes: borrowing [UInt8], _ number: Int, _ direction: Direction)
  -> CaptureRecord
{
  CaptureRecord(
    number: number, time: nil, direction: direction, adapter: .unknown, framing: .h1(.acl),
    originalLength: bytes.count, drops: 0, fileOffset: 0, bytes: bytes.bytes)
}

@Suite struct MemoryBoundTests {
  /// PDUs of 60 000 bytes in two fragments, on one link after the other: the memory of joined PDUs
  /// is freed.
  @Test func completedPDUs() throws {
    let limits = Limits()
    var reassembly = Reassembly(limits)
    let pdu = notification(60_000)
    for link in 0..<limits.links {
      for (isFirst, piece) in [(true, pdu[..<30_000]), (false, pdu[30_000...])] {
        let handle = little(link | (isFirst ? 0 : 0x1000))
        let bytes = handle + little(piece.count) + piece
        var cursor = Cursor(bytes.bytes)
        let header = try ACLHeader(parsing: &cursor)
        let record = record(bytes, link, .received)
        var packet = Packet(record)
        packet.dissection.body = Slice(start: 4, count: piece.count)
        let joined = reassembly.accept(
          &packet, header, LinkSlot(index: link), connection: link + 1
        )?.byteCount
        let count = isFirst ? nil : pdu.count
        #expect(joined == count && packet.dissection.problems.isEmpty)
      }
    }
    #expect(
      held(reassembly) <= 16_384 * 2 && held(reassembly) == reported(reassembly))
  }

  /// Sends a frame of an SDU of 65 000 bytes.
  private func send(
    _ sdus: inout SDUs, _ payload: [UInt8], slot: Int, _ direction: Direction,
    _ problems: inout [Problem]
  ) -> [UInt8]? {
    var channel = Channel(1, serial: slot + 1, .creditBased, packet: 1)
    let record = record(payload, slot, direction)
    var packet = Packet(record)
    packet.dissection.body = Slice(start: 0, count: payload.count)
    let sdu = sdus.accept(
      &packet, ChannelFact(channel, slot: slot), &channel.ways[0], direction
    )?.array
    let found = packet.dissection.problems
    for index in 0..<found.count { problems.append(found[index]) }
    return sdu
  }

  /// Hostile input: all remembered channels, in both directions, are in the middle of a large SDU.
  /// The bytes kept stay within the limit, and SDUs that are not abandoned are still joined.
  @Test func unfinishedSDUs() {
    let limits = Limits()
    var sdus = SDUs(limits)
    var problems: [Problem] = []
    let body = (0..<65_000).map { UInt8(truncatingIfNeeded: $0) }
    let first = little(65_000) + body[..<60_000]
    for slot in 0..<limits.channels {
      for direction in [Direction.sent, .received] {
        #expect(send(&sdus, first, slot: slot, direction, &problems) == nil)
      }
    }
    let all = 2 * limits.channels * first.count
    #expect(all > 7 * limits.joinedBytes)
    #expect(held(sdus) <= limits.joinedBytes && held(sdus) == reported(sdus))
    #expect(problems.map(\.code) == [.limitReached])
    let last = send(&sdus, Array(body[60_000...]), slot: limits.channels - 1, .received, &problems)
    #expect(last == body && problems.count == 1)
    // The end of an abandoned SDU is not an SDU.
    let lost = send(&sdus, Array(body[60_000...]), slot: 0, .sent, &problems)
    #expect(lost == nil && problems.map(\.code) == [.limitReached, .frameOutOfStep])
  }

  /// Completed SDUs of 60 000 bytes, on one channel after the other.
  @Test func completedSDUs() {
    let limits = Limits()
    var sdus = SDUs(limits)
    var problems: [Problem] = []
    let body = [UInt8](repeating: 7, count: 60_000)
    for slot in 0..<limits.channels {
      #expect(send(&sdus, little(60_000) + body[..<40_000], slot: slot, .sent, &problems) == nil)
      #expect(send(&sdus, Array(body[40_000...]), slot: slot, .sent, &problems) == body)
    }
    #expect(held(sdus) <= 16_384 && problems.isEmpty)
  }
}
