// Conclusions about L2CAP channels from their frames alone.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// Channels whose opening is not in the capture.
@Suite struct InferredChannelTests {
  @Test func bearerIsInferredFromRequestsAndResponses() {
    let results = run { traffic in
      traffic.connect()
      for handle in 1...4 {
        traffic.sdu("0a \(handle) 00", .sent, cid: 0x51)
        traffic.sdu("0b aa", .received, cid: 0x40)
      }
    }
    // Two responses are evidence, one is not.
    #expect((2...5).map { results[$0].att } == [nil, nil, nil, nil])
    #expect((2...5).map { results[$0].answer.channel?.isUnknown } == [true, true, true, true])
    #expect(results[6].att == "Read Request" && results[6].answer.channel?.psm == .eatt)
    #expect(results[6].answer.channel?.isInferred == true)
    #expect(results[7].answers == "answers 6 after 1 ms")
    #expect(results[9].answers == "answers 8 after 1 ms")
    #expect(results.problems == [])
    #expect(results.memory.channels.opened.isEmpty)
  }

  @Test(
    arguments: [
      // Only one direction.
      [("0a 01 00", Direction.sent, 0x51), ("0a 02 00", .sent, 0x51), ("0a 03 00", .sent, 0x51)],
      // Responses that do not match.
      [
        ("0a 01 00", .sent, 0x51), ("13", .received, 0x40), ("0a 02 00", .sent, 0x51),
        ("13", .received, 0x40), ("0a 03 00", .sent, 0x51), ("13", .received, 0x40),
      ],
      // Only notifications.
      [
        ("1b 01 00 aa", .received, 0x40), ("1b 01 00 aa", .received, 0x40),
        ("1b 01 00 aa", .sent, 0x40),
      ],
      // Identifiers outside of LE's range.
      [
        ("0a 01 00", .sent, 0x80), ("0b aa", .received, 0x81), ("0a 02 00", .sent, 0x80),
        ("0b aa", .received, 0x81), ("0a 03 00", .sent, 0x80), ("0b aa", .received, 0x81),
      ],
      // Interrupted by a byte that is not an ATT opcode.
      [
        ("0a 01 00", .sent, 0x51), ("0b aa", .received, 0x40), ("99", .sent, 0x51),
        ("0a 02 00", .sent, 0x51), ("0b aa", .received, 0x40), ("0a 02 00", .sent, 0x51),
        ("0b aa", .received, 0x40),
      ],
    ] as [[(String, Direction, Int)]])
  func notEnough(_ frames: [(String, Direction, Int)]) {
    let results = run { traffic in
      traffic.connect()
      for (bytes, direction, cid) in frames { traffic.sdu(bytes, direction, cid: cid) }
    }
    for packet in results.packets.dropFirst() {
      #expect(packet.answer.channel?.isUnknown == true && packet.att == nil, "\(packet.number)")
    }
  }

  /// The request's channel is ambiguous.
  @Test func twoThatMayHaveAsked() {
    let results = run { traffic in
      traffic.connect()
      for _ in 0..<4 {
        traffic.sdu("0a 01 00", .sent, cid: 0x51)
        traffic.sdu("0a 01 00", .sent, cid: 0x52)
        traffic.sdu("0b aa", .received, cid: 0x40)
      }
    }
    #expect(results.packets.allSatisfy { $0.att == nil })
  }

  /// The accessory protocol is recognised by its own bytes only.
  @Test func accessoryWithoutOpening() {
    let results = run { traffic in
      traffic.acl(l2cap(hex("0b ef 05 61 62 9a"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("0b ef 0d ff 55 02 00 ee 10 9a"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("0b ef 05 61 62 9a"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("0b ef 05 61 62 9a"), cid: 0x47), .sent)
    }
    let services = (1...4).map { results[$0].answer.channel?.psm }
    #expect(services == [nil, .rfcomm, .rfcomm, nil])
    #expect(results[3].answer.channel?.isInferred == true)
    #expect(results[3].answer.channel?.accessory == .iAP2)
  }

  /// Several frames with right lengths and check sequences can only be RFCOMM.
  @Test func serialPortWithoutOpening() {
    let results = run { traffic in
      traffic.connectClassic()
      for byte in ["61", "62", "63", "64"] {
        traffic.acl(l2cap(hex("0b ef 03 \(byte) 9a"), cid: 0x46), .sent)
      }
      // Another check sequence; interrupted by another frame; on LE.
      for byte in ["61", "62", "63", "64"] {
        traffic.acl(l2cap(hex("0b ef 03 \(byte) 9b"), cid: 0x47), .sent)
      }
      for frame in ["0b ef 03 61 9a", "0b ef 03 61 9a", "0b ef", "0b ef 03 61 9a"] {
        traffic.acl(l2cap(hex(frame), cid: 0x48), .sent)
      }
    }
    let found = (2...13).map { results[$0].answer.channel?.psm == .rfcomm }
    #expect(found == [false, false, true, true] + [Bool](repeating: false, count: 8))
    #expect(results[4].answer.channel?.isInferred == true)
    #expect(
      results[5].answer.channel?.serialChannel
        == SerialFact(channel: .rfcomm(1), server: .peer))
  }

  @Test func classicLinksAreNotGuessedAt() {
    let results = run { traffic in
      traffic.connectClassic()
      for handle in 1...4 {
        traffic.sdu("0a \(handle) 00", .sent, cid: 0x51)
        traffic.sdu("0b aa", .received, cid: 0x40)
      }
    }
    #expect(results.packets.allSatisfy { $0.att == nil })
  }
}
