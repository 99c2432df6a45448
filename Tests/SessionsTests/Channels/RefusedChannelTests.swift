import Bluetooth
import MadeTraffic
import Testing

@testable import Sessions

/// Channels that are refused, answered wrongly, or opened over existing ones.
@Suite struct RefusedChannelTests {
  /// Distinct bytes, so that frames differ.
  private let payload = (0..<100).map { UInt8($0) }

  /// A refused mode (result 1, unacceptable parameters) is discarded. The next request proposes no
  /// mode, which means basic mode.
  @Test func refusedRetransmissionMode() {
    let option = "04 09 03 08 03 d0 07 e0 2e f2 03"
    let results = run { traffic in
      traffic.connectClassic()
      traffic.openClassic(psm: "17 00")
      traffic.signal("04 02 0f 00 46 00 00 00 \(option)", .sent, cid: 1)
      traffic.signal("05 02 11 00 45 00 00 00 01 00 \(option)", .received, cid: 1)
      traffic.signal("04 03 04 00 46 00 00 00", .sent, cid: 1)
      traffic.signal("05 03 06 00 45 00 00 00 00 00", .received, cid: 1)
      traffic.signal("04 04 04 00 45 00 00 00", .received, cid: 1)
      traffic.signal("05 04 06 00 46 00 00 00 00 00", .sent, cid: 1)
      traffic.acl(l2cap(hex("06 42 aa bb"), cid: 0x46), .sent)
    }
    #expect(results[10].control == nil && results[10].body == [0x06, 0x42, 0xaa, 0xbb])
  }

  /// An identifier belongs to one channel: the previous one is closed, and its other end is still
  /// known.
  @Test func channelsWithTheSameEnd() {
    let results = run { traffic in
      traffic.connect()
      traffic.signal("17 03 0c 00 27 00 40 00 40 00 08 00 40 00 41 00", .sent)
      traffic.signal("18 03 0c 00 50 00 50 00 08 00 00 00 50 00 50 00", .received)
      traffic.sdu("0b aa", .received, cid: 0x40)
      traffic.sdu("0a 01 00", .sent, cid: 0x50)
      traffic.sdu("0b aa", .received, cid: 0x41)
    }
    #expect(results[3].problems == ["channelInUse(80,0)"])
    #expect(results[4].answer.channel?.isUnknown == false)
    #expect(results[4].problems.first == "channelClosed(3,0)")
    #expect(results[5].problems == [])
    #expect(results[6].answers == "answers 5 after 1 ms")
  }

  @Test(arguments: [("50 00", 0x0a, 1), ("50 00 51 00 52 00", 0x0e, 3)])
  func responseWithOtherChannelsThanAsked(_ cids: String, _ length: Int, _ count: Int) {
    let results = run { traffic in
      traffic.connect()
      traffic.signal("17 03 0c 00 27 00 40 00 40 00 08 00 40 00 41 00", .sent)
      traffic.acl(
        l2cap(
          [0x18, 3] + little(length) + hex("50 00 50 00 08 00 00 00 \(cids)"), cid: 5), .received)
    }
    #expect(results[3].problems == ["channelCountMismatch(\(count),2)"])
  }

  /// A frame in several records that does not complete an SDU: the frame's bytes are joined, but
  /// not the SDU's.
  @Test func joinedFrameOfAnSDU() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.split(l2cap(little(40) + payload[0..<20], cid: 0x40), [10])
      traffic.acl(l2cap(Array(payload[20..<40]), cid: 0x40), .received)
      traffic.sdu("07", .received, cid: 0x40)
    }
    #expect(results[5].answer.fragment.hasJoinedBytes && !results[5].answer.fragment.isJoined)
    #expect(results[6].answer.fragment.hasJoinedBytes && results[6].fragments == [4, 5, 6])
    #expect(!results[7].answer.fragment.hasJoinedBytes)
  }
}
