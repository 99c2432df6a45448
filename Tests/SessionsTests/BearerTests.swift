// ATT bearers on channels of their own, and channels of BR/EDR.

import Bluetooth
import Bytes
import Captures
import Testing

@testable import Dissectors
@testable import Sessions

@Suite struct BearerTests {
  @Test func bearersHaveTheirOwnTransactions() {
    let told = run { traffic in
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
    #expect(told[7].answers == "answers 5 after 2 ms")
    #expect(told[8].answers == "answers 6 after 2 ms")
    #expect(told[9].answers == "answers 4 after 5 ms")
    #expect(told[4].answer.channel?.bearer?.rawValue == 0x40)
    #expect(told[9].answer.channel?.bearer?.rawValue == 0x40)
    #expect(told[6].answer.channel == nil)
    // The MTU of an enhanced bearer is the channel's.
    #expect(told[10].problems == ["mtuExchangeNotAllowed(0,0)"])
    #expect(told[10].connection?.mtu == nil)
  }

  /// An ATT PDU in two frames is one PDU.
  @Test func attOverSeveralFrames() {
    let value = (0..<60).map { UInt8($0) }
    let told = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.first(63, [0x1b, 0x0e, 0x00] + value[0..<30], .received, cid: 0x40)
      traffic.acl(l2cap(Array(value[30...]), cid: 0x40), .received)
    }
    #expect(told[4].att == nil)
    #expect(told[5].att == "Handle Value Notification")
    #expect(told[5].attBytes == [0x1b, 0x0e, 0x00] + value)
    #expect(told[5].fragments == [4, 5])
  }

  @Test func classicChannels() {
    let told = run { traffic in
      traffic.connectClassic()
      traffic.openClassic(psm: "03 00")
      traffic.acl(l2cap(hex("0b ef 05 61 62 9a"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("0b ef 0d ff 55 02 00 ee 10 9a"), cid: 0x45), .received)
      traffic.acl(l2cap(hex("0b ef 05 61 62 9a"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("13 ef 05 61 62 9a"), cid: 0x46), .sent)
    }
    #expect(told[4].answer.channel?.psm == .rfcomm)
    let accessories = (4...7).map { told[$0].answer.channel?.accessory }
    #expect(accessories == [nil, .iAP2, .iAP2, nil])
    #expect(told.problems == [])
  }

  @Test func attOverClassic() {
    let told = run { traffic in
      traffic.connectClassic()
      traffic.openClassic(psm: "1f 00")
      traffic.acl(l2cap(hex("0a 03 00"), cid: 0x46), .sent)
      traffic.acl(l2cap(hex("0b 01"), cid: 0x45), .received)
    }
    #expect(told[4].att == "Read Request")
    #expect(told[5].answers == "answers 4 after 1 ms")
    #expect(told[5].answer.channel?.bearer?.rawValue == 0x45)
  }

  /// Once the mode is agreed on both ways, frames begin with a control field.
  @Test func enhancedRetransmissionMode() {
    let option = "04 09 03 08 03 d0 07 e0 2e f2 03"
    let told = run { traffic in
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
    #expect(told[6].control == nil, "agreed on one way only")
    #expect(told[9].control?.txSeq == 3 && told[9].body == [0xaa, 0xbb])
    #expect(told[10].control?.isSupervisory == true && told[10].body == [])
    #expect(told.problems == [])
  }
}
