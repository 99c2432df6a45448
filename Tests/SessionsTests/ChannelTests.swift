// L2CAP channels: opened, used, closed; credits and SDUs; bearers.

import Bluetooth
import Bytes
import Captures
import Testing

@testable import Dissectors
@testable import Sessions

extension Traffic {
  /// Signalling commands in one frame, on LE unless `cid` says 1.
  mutating func signal(_ text: String, _ direction: Direction, cid: Int = 5, handle: Int = 0x40) {
    acl(l2cap(hex(text), cid: cid), direction, handle: handle)
  }

  /// A K-frame that begins an SDU of `length` bytes.
  mutating func first(
    _ length: Int, _ payload: [UInt8], _ direction: Direction, cid: Int = 0x41, handle: Int = 0x40
  ) {
    acl(l2cap(little(length) + payload, cid: cid), direction, handle: handle)
  }

  /// A whole SDU in one K-frame.
  mutating func sdu(_ text: String, _ direction: Direction, cid: Int = 0x41, handle: Int = 0x40) {
    first(hex(text).count, hex(text), direction, cid: cid, handle: handle)
  }

  /// Opens an LE credit-based channel for SPSM 0x0080: 0x40 here, 0x41 there; this host takes SDUs of
  /// 100 bytes in frames of 30 and gives 3 credits, the peer 64, 23 and 2.
  mutating func openChannel(result: Int = 0) {
    signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
    signal("15 02 0a 00 41 00 40 00 17 00 02 00 \(result) 00", .received)
  }

  /// Opens two enhanced bearers: 0x40 here and 0x51 there, 0x41 here and 0x50 there; the peer takes 80
  /// bytes, this host 64.
  mutating func openBearers() {
    signal("17 03 0c 00 27 00 40 00 40 00 08 00 40 00 41 00", .sent)
    signal("18 03 0c 00 50 00 50 00 08 00 00 00 51 00 50 00", .received)
  }

  /// Opens a BR/EDR channel: 0x45 here, 0x46 there.
  mutating func openClassic(psm: String) {
    signal("02 01 04 00 \(psm) 45 00", .sent, cid: 1)
    signal("03 01 08 00 46 00 45 00 00 00 00 00", .received, cid: 1)
  }

  /// Connection Complete of a BR/EDR link.
  mutating func connectClassic() {
    event(0x03, [0] + little(0x40) + little(0xc011_2233_4455, width: 6) + [1, 0])
  }
}

@Suite struct ChannelTests {
  /// Bytes that no frame repeats.
  private let payload = (0..<100).map { UInt8($0) }

  @Test func sduInSeveralFrames() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.first(60, Array(payload[0..<28]), .received, cid: 0x40)
      traffic.acl(l2cap(Array(payload[28..<58]), cid: 0x40), .received)
      traffic.acl(l2cap(Array(payload[58..<60]), cid: 0x40), .received)
    }
    #expect(told.problems == [])
    #expect(told[4].answer.fragment.isFragment && told[5].answer.fragment.isFragment)
    #expect(told[4].answer.fragment.progress == (28, 60))
    #expect(told[5].answer.fragment.progress == (58, 60))
    #expect(told[6].fragments == [4, 5, 6])
    #expect(told[6].body == Array(payload[0..<60]))
    #expect(told[6].answer.channel?.psm == PSM(rawValue: 0x80))
    #expect(told[6].answer.channel?.isOutOfCredits == true)
    #expect(told[5].answer.channel?.isOutOfCredits == false)
  }

  /// A frame may itself come in several records: all of them carried the SDU.
  @Test func framesInSeveralRecords() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.split(l2cap(little(40) + payload[0..<28], cid: 0x40), [10, 10])
      traffic.split(l2cap(Array(payload[28..<40]), cid: 0x40), [5])
    }
    #expect(told.problems == [])
    #expect(told[8].fragments == [4, 5, 6, 7, 8])
    #expect(told[8].body == Array(payload[0..<40]))
  }

  @Test func sduOfOneFrameIsLentUncopied() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.sdu("01 02 03", .sent)
      traffic.sdu("", .sent)
    }
    #expect(told[4].body == [1, 2, 3] && !told[4].answer.fragment.isJoined)
    #expect(told[4].answer.fragment.start == 5)
    #expect(told[5].body == [])
    #expect(told.problems == [])
  }

  /// Frames against the credits that were given at first and later.
  @Test func credits() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      for _ in 0..<3 { traffic.sdu("01", .sent) }
      traffic.signal("16 05 04 00 41 00 01 00", .received)
      traffic.sdu("01", .sent)
      traffic.sdu("01", .sent)
    }
    #expect(told[4].problems == [] && told[5].problems == [])
    #expect(told[5].answer.channel?.isOutOfCredits == true)
    #expect(told[6].problems == ["noCredits(3,2)"])
    #expect(told[7].problems == [])
    #expect(told[8].problems == [])
    #expect(told[9].problems == ["noCredits(5,3)"])
  }

  @Test func creditsThatCannotBe() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.signal("16 05 04 00 41 00 00 00", .received)
      traffic.signal("16 06 04 00 41 00 fe ff", .received)
      traffic.signal("16 07 04 00 99 00 01 00", .received)
    }
    #expect(told[4].problems == ["invalidCredits(0,2)"])
    #expect(told[5].problems == ["invalidCredits(65534,65536)"])
    #expect(told[6].problems == ["unknownChannel(153,0)"])
  }

  @Test func sduAndFrameTooLong() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      // The peer takes SDUs of 64 bytes in frames of 23, this host 100 and 30.
      traffic.first(65, Array(payload[0..<21]), .sent)
      traffic.acl(l2cap(Array(payload[21..<65]), cid: 0x41), .sent)
      traffic.first(29, Array(payload[0..<29]), .received, cid: 0x40)
      traffic.first(3, Array(payload[0..<5]), .received, cid: 0x40)
    }
    #expect(told[4].problems == ["sduTooLong(65,64)"])
    #expect(told[5].problems == ["frameTooLong(44,23)"])
    #expect(told[5].body == Array(payload[0..<65]))
    #expect(told[6].problems == ["frameTooLong(31,30)"])
    #expect(told[7].problems == ["sduOverrun(5,3)"])
    #expect(told[7].body == [0, 1, 2])
  }

  /// A frame of the SDU is missing: the next SDU is told by its length, not joined to the first.
  @Test func frameOfAnSDUIsLost() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.first(20, Array(payload[0..<10]), .received, cid: 0x40)
      traffic.first(18, Array(payload[50..<68]), .received, cid: 0x40)
      traffic.sdu("07", .received, cid: 0x40)
    }
    #expect(told[5].problems == ["sduLost(10,20)"])
    #expect(told[5].body == Array(payload[50..<68]))
    #expect(told[6].body == [7] && told[6].problems == [])
  }

  @Test func framesBeyondTheSDU() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.first(20, Array(payload[0..<10]), .received, cid: 0x40)
      traffic.acl(l2cap(Array(payload[10..<30]), cid: 0x40), .received)
      // Where the next SDU begins is no longer known until one shows itself.
      traffic.acl(l2cap(Array(payload[30..<40]), cid: 0x40), .received)
      traffic.signal("16 05 04 00 40 00 09 00", .sent)
      traffic.sdu("07", .received, cid: 0x40)
    }
    #expect(told[5].problems == ["sduOverrun(30,20)"])
    #expect(told[5].body == Array(payload[10..<30]) && told[5].fragments == [])
    #expect(told[6].body == Array(payload[30..<40]) && !told[6].answer.fragment.isFragment)
    #expect(told[6].problems == ["frameOutOfStep(0,0)"])
    #expect(told[8].body == [7])
  }

  /// What the capture did not keep had arrived.
  @Test func truncatedFrame() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.acl(
        l2cap(little(40) + payload[0..<20], cid: 0x40), .received, kept: 16)
      traffic.acl(l2cap(Array(payload[20..<40]), cid: 0x40), .received)
      traffic.sdu("07", .received, cid: 0x40)
    }
    #expect(told[4].answer.fragment.progress == (20, 40))
    #expect(told[5].body == Array(payload[0..<10]) && told[5].answer.fragment.isTruncated)
    #expect(told[6].body == [7])
    #expect(told.problems == ["truncated(21,31)"])
  }

  /// The identifier in a frame is the receiver's: the same number is another channel the other way.
  @Test func identifiersAreTheReceivers() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.sdu("01", .sent, cid: 0x40)
      traffic.sdu("01", .received, cid: 0x40)
      traffic.sdu("01", .sent, cid: 0x41)
      traffic.sdu("01", .received, cid: 0x41)
    }
    let known = (4...7).map { told[$0].answer.channel?.isUnknown == false }
    #expect(known == [false, true, true, false])
  }

  @Test func refusedChannelIsNone() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel(result: 4)
      traffic.sdu("01", .sent)
    }
    #expect(told[4].answer.channel?.isUnknown == true)
    #expect(told.memory.channels.opened.isEmpty)
  }

  /// Enhanced: identifiers come in the order of the request; 0 is a channel that was not opened.
  @Test func someOfSeveralChannelsAreOpened() {
    let told = run { traffic in
      traffic.connect()
      traffic.signal("17 03 0e 00 27 00 40 00 40 00 08 00 40 00 41 00 42 00", .received)
      traffic.signal("18 03 0e 00 50 00 50 00 08 00 04 00 60 00 00 00 61 00", .sent)
      traffic.sdu("0a 01 00", .received, cid: 0x60)
      traffic.sdu("0a 02 00", .received, cid: 0x61)
      traffic.sdu("0b aa", .sent, cid: 0x42)
      traffic.sdu("0b bb", .sent, cid: 0x40)
      traffic.sdu("0b cc", .sent, cid: 0x41)
    }
    #expect(told[6].answer.request?.packet == 5)
    #expect(told[7].answer.request?.packet == 4)
    #expect(told[6].answer.channel?.bearer?.rawValue == 0x61)
    #expect(told[8].answer.channel?.isUnknown == true)
    #expect(told.memory.channels.opened.map(\.count) == [2])
    #expect(told.problems == [])
  }

  @Test func pendingResponseIsFollowedByAnother() {
    let told = run { traffic in
      traffic.connectClassic()
      traffic.signal("02 01 04 00 03 00 45 00", .sent, cid: 1)
      traffic.signal("03 01 08 00 46 00 45 00 01 00 02 00", .received, cid: 1)
      traffic.signal("03 01 08 00 46 00 45 00 00 00 00 00", .received, cid: 1)
      traffic.signal("03 01 08 00 46 00 45 00 00 00 00 00", .received, cid: 1)
    }
    #expect(told[3].answers == "answers 2 after 1 ms")
    #expect(told[4].answers == "answers 2 after 2 ms")
    #expect(told[5].problems == ["responseWithoutRequest(0,0)", "channelInUse(69,0)"])
  }

  @Test func signallingAnswersByIdentifier() {
    let told = run { traffic in
      traffic.connect()
      traffic.signal("12 07 08 00 18 00 28 00 00 00 2a 00", .received)
      traffic.signal("14 07 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
      traffic.signal("13 07 02 00 01 00", .sent)
      traffic.signal("01 07 02 00 00 00", .received)
      traffic.signal("13 08 02 00 00 00", .sent)
      traffic.signal("08 09 00 00", .sent, cid: 1)
      traffic.signal("13 09 02 00 00 00", .received)
      traffic.signal("08 00 00 00", .sent, cid: 1)
    }
    #expect(told[4].answers == "answers 2 after 2 ms")
    #expect(told[5].answers == "answers 3 after 2 ms")
    #expect(told[6].problems == ["responseWithoutRequest(0,0)"])
    #expect(told[8].problems == ["responseMismatch(7,0)"])
    #expect(told[9].problems == ["invalidIdentifier(0,0)"])
  }

  /// Several commands in one frame have an answer each.
  @Test func answersOfOneFrame() {
    let told = run { traffic in
      traffic.connectClassic()
      traffic.signal("0a 05 02 00 02 00", .sent, cid: 1)
      traffic.signal("02 06 04 00 01 00 45 00", .sent, cid: 1)
      traffic.signal(
        "0b 05 08 00 02 00 00 00 b8 02 00 00 03 06 08 00 46 00 45 00 00 00 00 00", .received, cid: 1
      )
    }
    #expect(told[4].notes == [2, 3])
    #expect(told[4].answer.request?.packet == 2)
    #expect(told[2].notes == [nil])
  }

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

  @Test func closedChannel() {
    let told = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.signal("06 04 04 00 51 00 40 00", .sent)
      traffic.sdu("1b 01 00 aa", .received, cid: 0x40)
      traffic.signal("07 04 04 00 51 00 40 00", .received)
      traffic.sdu("1b 01 00 aa", .received, cid: 0x40)
      traffic.sdu("1b 01 00 aa", .received, cid: 0x41)
    }
    #expect(told[5].problems == [])
    #expect(told[6].answers == "answers 4 after 2 ms")
    #expect(told[7].problems == ["channelClosed(6,0)"])
    #expect(told[8].problems == [])
  }

  /// Channels end with their connection, and with the controller.
  @Test(arguments: [false, true])
  func connectionEnds(_ isReset: Bool) {
    let told = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.signal("12 07 08 00 18 00 28 00 00 00 2a 00", .received)
      if isReset { traffic.complete(0x0c03) } else { traffic.disconnect() }
      traffic.connect()
      traffic.sdu("0a 01 00", .sent, cid: 0x51)
      traffic.signal("13 07 02 00 00 00", .sent)
    }
    #expect(told[7].answer.channel?.isUnknown == true)
    #expect(told[7].att == nil)
    #expect(told[8].problems == ["responseWithoutRequest(0,0)"])
  }

  /// After lost records a channel is only likely to be there still, and its credits are not known.
  @Test func lostRecords() {
    let told = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.sdu("0a 01 00", .sent, cid: 0x51)
      traffic.add(hex("04 13 00"), .received, drops: 3)
      traffic.sdu("0b aa", .received, cid: 0x40)
      traffic.acl(l2cap(hex("01 02 03 04"), cid: 0x40), .received)
      for _ in 0..<9 { traffic.sdu("0a 01 00", .sent, cid: 0x51) }
    }
    #expect(told[6].answer.channel?.isInferred == true)
    #expect(told[6].att == "Read Response")
    #expect(told[6].problems == ["responseWithoutRequest(0,0)"])
    #expect(told[4].answer.channel?.isInferred == false)
    #expect(!told.problems.contains { $0.hasPrefix("noCredits") })
  }

  @Test func reconfigured() {
    let told = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.signal("19 05 06 00 80 00 80 00 40 00", .sent)
      traffic.signal("1a 05 02 00 00 00", .received)
      traffic.first(100, [0x1b] + payload[0..<99], .received, cid: 0x40)
      traffic.first(100, [0x1b] + payload[0..<99], .received, cid: 0x41)
    }
    #expect(told[5].answers == "answers 4 after 1 ms")
    #expect(told[6].problems == [])
    #expect(told[7].problems == ["frameTooLong(102,64)", "sduTooLong(100,64)"])
  }

  // MARK: BR/EDR

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

  /// A mode that was refused (result 1, unacceptable parameters) is forgotten; the next request, which
  /// proposes none, means basic mode.
  @Test func refusedRetransmissionMode() {
    let option = "04 09 03 08 03 d0 07 e0 2e f2 03"
    let told = run { traffic in
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
    #expect(told[10].control == nil && told[10].body == [0x06, 0x42, 0xaa, 0xbb])
  }

  /// An end can be only one channel's: the one that had it is closed, and its other end still known.
  @Test func channelsWithTheSameEnd() {
    let told = run { traffic in
      traffic.connect()
      traffic.signal("17 03 0c 00 27 00 40 00 40 00 08 00 40 00 41 00", .sent)
      traffic.signal("18 03 0c 00 50 00 50 00 08 00 00 00 50 00 50 00", .received)
      traffic.sdu("0b aa", .received, cid: 0x40)
      traffic.sdu("0a 01 00", .sent, cid: 0x50)
      traffic.sdu("0b aa", .received, cid: 0x41)
    }
    #expect(told[3].problems == ["channelInUse(80,0)"])
    #expect(told[4].answer.channel?.isUnknown == false)
    #expect(told[4].problems.first == "channelClosed(3,0)")
    #expect(told[5].problems == [])
    #expect(told[6].answers == "answers 5 after 1 ms")
  }

  @Test(arguments: [("50 00", 0x0a, 1), ("50 00 51 00 52 00", 0x0e, 3)])
  func responseWithOtherChannelsThanAsked(_ cids: String, _ length: Int, _ count: Int) {
    let told = run { traffic in
      traffic.connect()
      traffic.signal("17 03 0c 00 27 00 40 00 40 00 08 00 40 00 41 00", .sent)
      traffic.acl(
        l2cap(
          [0x18, 3] + little(length) + hex("50 00 50 00 08 00 00 00 \(cids)"), cid: 5), .received)
    }
    #expect(told[3].problems == ["channelCountMismatch(\(count),2)"])
  }

  /// A frame in several records that completes no SDU: its bytes are joined, the SDU's are not.
  @Test func joinedFrameOfAnSDU() {
    let told = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.split(l2cap(little(40) + payload[0..<20], cid: 0x40), [10])
      traffic.acl(l2cap(Array(payload[20..<40]), cid: 0x40), .received)
      traffic.sdu("07", .received, cid: 0x40)
    }
    #expect(told[5].answer.fragment.hasJoinedBytes && !told[5].answer.fragment.isJoined)
    #expect(told[6].answer.fragment.hasJoinedBytes && told[6].fragments == [4, 5, 6])
    #expect(!told[7].answer.fragment.hasJoinedBytes)
  }

  @Test func tally() {
    let told = run { traffic in
      traffic.connectClassic()
      for psm in ["01 00", "03 00", "01 00"] {
        traffic.openClassic(psm: psm)
        traffic.signal("06 02 04 00 46 00 45 00", .sent, cid: 1)
        traffic.signal("07 02 04 00 46 00 45 00", .received, cid: 1)
      }
    }
    #expect(told.memory.channels.opened.map { "\($0.psm.rawValue) \($0.count)" } == ["1 2", "3 1"])
  }
}
