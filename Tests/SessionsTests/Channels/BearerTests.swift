// ATT bearers on channels of their own, and BR/EDR channels.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

@Suite struct BearerTests {
  @Test func bearersHaveTheirOwnTransactions() {
    let results = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.sdu("0a 01 00", .sent, cid: 0x51)
      traffic.sdu("0a 02 00", .sent, cid: 0x50)
      traffic.sent("0a 03 00")
      traffic.sdu("0b bb", .received, cid: 0x41)
      traffic.received("0b cc")
      traffic.sdu("0b aa", .received, cid: 0x40)
      traffic.sdu("02 40 00", .sent, cid: 0x51)
    }
    #expect(results[7].answers == "answers 5 after 2 ms")
    #expect(results[8].answers == "answers 6 after 2 ms")
    #expect(results[9].answers == "answers 4 after 5 ms")
    #expect(results[4].answer.channel?.bearer?.rawValue == 0x40)
    #expect(results[9].answer.channel?.bearer?.rawValue == 0x40)
    #expect(results[6].answer.channel == nil)
    // An enhanced bearer uses its channel's MTU.
    #expect(results[10].problems == ["mtuExchangeNotAllowed(0,0)"])
    #expect(results[10].connection?.mtu == nil)
  }

  /// Appends traffic of a host that pairs the channels' ends in another order than they were
  /// opened, and so responds on the other channel. One response reveals this for all later ones.
  private static func crossing(_ traffic: inout Traffic) {
    traffic.connect()
    traffic.openBearers()
    traffic.sdu("12 10 00 01 00", .sent, cid: 0x50)
    traffic.sdu("0a 20 00", .sent, cid: 0x51)
    traffic.sdu("13", .received, cid: 0x40)
    traffic.sdu("0b aa", .received, cid: 0x41)
    traffic.sdu("0a 30 00", .sent, cid: 0x50)
    traffic.sdu("0a 40 00", .sent, cid: 0x51)
    traffic.sdu("0b 33", .received, cid: 0x40)
    traffic.sdu("0b 44", .received, cid: 0x41)
  }

  @Test func answersOnTheOtherChannel() {
    let results = run { Self.crossing(&$0) }
    #expect(
      (4...11).map { results[$0].answers }
        == [
          nil, nil, "answers 4 after 2 ms", "answers 5 after 2 ms", nil, nil,
          "answers 8 after 2 ms", "answers 9 after 2 ms",
        ])
    #expect(
      results.problems == [4, 5, 8, 9].map { "answersOtherChannel(\($0),0)" }, "\(results.problems)"
    )
    let values = converse { Self.crossing(&$0) }
    #expect(
      values.lines == [
        "write 0x0010: 0100 #4", "read 0x0020: aa #7", "read 0x0030: 33 #10",
        "read 0x0040: 44 #11",
      ])
  }

  /// 2b7d Volume State has three bytes and 2a50 PnP ID has seven: the value belongs to the other
  /// channel's request.
  @Test func theLengthTellsWhoseAnswerItIs() {
    func traffic(_ value: String) -> (inout Traffic) -> Void {
      { traffic in
        traffic.connect()
        traffic.openBearers()
        traffic.ask("08 01 00 ff ff 03 28", "09 07 11 00 02 12 00 7d 2b 13 00 02 14 00 50 2a")
        traffic.sdu("0a 12 00", .sent, cid: 0x50)
        traffic.sdu("0a 14 00", .sent, cid: 0x51)
        traffic.sdu("0b \(value)", .received, cid: 0x41)
      }
    }
    let crossed = run(traffic("02 6b 1d 46 02 42 05"))
    #expect(crossed[8].answers == "answers 7 after 1 ms")
    #expect(crossed.problems == ["answersOtherChannel(7,0)"])
    #expect(run(traffic("01 00 05"))[8].answers == "answers 6 after 2 ms")
    // The error names the handle of the other channel's request.
    let error = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.sdu("0a 12 00", .sent, cid: 0x50)
      traffic.sdu("0a 14 00", .sent, cid: 0x51)
      traffic.sdu("01 0a 14 00 02", .received, cid: 0x41)
    }
    #expect(error[6].answers == "answers 5 after 1 ms")
    // Without an open request here, its request may be missing: only a certain match is another
    // channel's.
    let missing = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.sdu("0a 14 00", .sent, cid: 0x51)
      traffic.sdu("0b aa", .received, cid: 0x41)
    }
    #expect(missing[5].answers == nil)
    #expect(missing.problems == ["responseWithoutRequest(0,0)"])
    // An error that names the first handle of a searched range is certain; another handle is not.
    for (named, isAnswer) in [("01 00", true), ("05 00", false)] {
      let search = run { traffic in
        traffic.connect()
        traffic.openBearers()
        traffic.sdu("10 01 00 ff ff 01 28", .sent, cid: 0x51)
        traffic.sdu("01 10 \(named) 0a", .received, cid: 0x41)
      }
      #expect(search[5].answers == (isAnswer ? "answers 4 after 1 ms" : nil), "\(named)")
    }
    // Neither has two bytes: the server is wrong, not the channel.
    let other = run(traffic("01 00"))
    #expect(other[8].answers == "answers 6 after 2 ms" && other.problems == [])
  }

  /// An ATT PDU in two frames is a single PDU.
  @Test func attOverSeveralFrames() {
    let value = (0..<60).map { UInt8($0) }
    let results = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.first(63, [0x1b, 0x0e, 0x00] + value[0..<30], .received, cid: 0x40)
      traffic.acl(l2cap(Array(value[30...]), cid: 0x40), .received)
    }
    #expect(results[4].att == nil)
    #expect(results[5].att == "Handle Value Notification")
    #expect(results[5].attBytes == [0x1b, 0x0e, 0x00] + value)
    #expect(results[5].fragments == [4, 5])
  }

  @Test func classicChannels() {
    let results = run { traffic in
      traffic.connectClassic()
      traffic.openClassic(psm: "03 00")
      traffic.acl(l2cap(hex("0b ef 05 61 62 9a"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("0b ef 0d ff 55 02 00 ee 10 9a"), cid: 0x45), .received)
      traffic.acl(l2cap(hex("0b ef 05 61 62 9a"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("13 ef 05 61 62 65"), cid: 0x46), .sent)
    }
    #expect(results[4].answer.channel?.psm == .rfcomm)
    let accessories = (4...7).map { results[$0].answer.channel?.accessory }
    #expect(accessories == [nil, .iAP2, .iAP2, nil])
    #expect(results.problems == [])
  }

  @Test func attOverClassic() {
    let results = run { traffic in
      traffic.connectClassic()
      traffic.openClassic(psm: "1f 00")
      traffic.acl(l2cap(hex("0a 03 00"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("0b 01"), cid: 0x45), .received)
    }
    #expect(results[4].att == "Read Request")
    #expect(results[5].answers == "answers 4 after 1 ms")
    #expect(results[5].answer.channel?.bearer?.rawValue == 0x45)
  }

  /// Once both sides agree on the mode, frames begin with a control field.
  @Test func enhancedRetransmissionMode() {
    let option = "04 09 03 08 03 d0 07 e0 2e f2 03"
    let results = run { traffic in
      traffic.connectClassic()
      traffic.openClassic(psm: "17 00")
      traffic.signal("04 02 0f 00 46 00 00 00 \(option)", .sent, cid: 1)
      traffic.signal("05 02 11 00 45 00 00 00 00 00 \(option)", .received, cid: 1)
      traffic.acl(l2cap(hex("06 42 aa bb"), cid: 0x46), .sent)
      traffic.signal("04 03 0f 00 45 00 00 00 \(option)", .received, cid: 1)
      traffic.signal("05 03 11 00 46 00 00 00 00 00 \(option)", .sent, cid: 1)
      traffic.acl(l2cap(hex("06 42 aa bb"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("81 05"), cid: 0x45), .received)
    }
    #expect(results[6].control == nil, "only one direction is configured")
    #expect(results[9].control?.txSeq == 3 && results[9].body == [0xaa, 0xbb])
    #expect(results[10].control?.isSupervisory == true && results[10].body == [])
    #expect(results.problems == [])
  }
}
