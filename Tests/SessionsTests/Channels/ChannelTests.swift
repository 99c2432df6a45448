// L2CAP channels: opening, use and closing; credits and SDUs; bearers.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

@Suite struct ChannelTests {
  /// Distinct bytes, so that frames differ.
  private let payload = (0..<100).map { UInt8($0) }

  @Test func sduInSeveralFrames() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.first(60, Array(payload[0..<28]), .received, cid: 0x40)
      traffic.acl(l2cap(Array(payload[28..<58]), cid: 0x40), .received)
      traffic.acl(l2cap(Array(payload[58..<60]), cid: 0x40), .received)
    }
    #expect(results.problems == [])
    #expect(results[4].answer.fragment.isFragment && results[5].answer.fragment.isFragment)
    #expect(results[4].answer.fragment.progress == (28, 60))
    #expect(results[5].answer.fragment.progress == (58, 60))
    #expect(results[6].fragments == [4, 5, 6])
    #expect(results[6].body == Array(payload[0..<60]))
    #expect(results[6].answer.channel?.psm == PSM(rawValue: 0x80))
    #expect(results[6].answer.channel?.isOutOfCredits == true)
    #expect(results[5].answer.channel?.isOutOfCredits == false)
  }

  /// A frame may itself span several records, which all carry the SDU.
  @Test func framesInSeveralRecords() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.split(l2cap(little(40) + payload[0..<28], cid: 0x40), [10, 10])
      traffic.split(l2cap(Array(payload[28..<40]), cid: 0x40), [5])
    }
    #expect(results.problems == [])
    #expect(results[8].fragments == [4, 5, 6, 7, 8])
    #expect(results[8].body == Array(payload[0..<40]))
  }

  @Test func sduOfOneFrameIsLentUncopied() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.sdu("01 02 03", .sent)
      traffic.sdu("", .sent)
    }
    #expect(results[4].body == [1, 2, 3] && !results[4].answer.fragment.isJoined)
    #expect(results[4].answer.fragment.start == 5)
    #expect(results[5].body == [])
    #expect(results.problems == [])
  }

  /// Compares frames with the initial and the later credits.
  @Test func credits() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      for _ in 0..<3 { traffic.sdu("01", .sent) }
      traffic.signal("16 05 04 00 41 00 01 00", .received)
      traffic.sdu("01", .sent)
      traffic.sdu("01", .sent)
    }
    #expect(results[4].problems == [] && results[5].problems == [])
    #expect(results[5].answer.channel?.isOutOfCredits == true)
    #expect(results[6].problems == ["noCredits(3,2)"])
    #expect(results[7].problems == [])
    #expect(results[8].problems == [])
    #expect(results[9].problems == ["noCredits(5,3)"])
  }

  @Test func creditsThatCannotBe() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.signal("16 05 04 00 41 00 00 00", .received)
      traffic.signal("16 06 04 00 41 00 fe ff", .received)
      traffic.signal("16 07 04 00 99 00 01 00", .received)
    }
    #expect(results[4].problems == ["invalidCredits(0,2)"])
    #expect(results[5].problems == ["invalidCredits(65534,65536)"])
    #expect(results[6].problems == ["unknownChannel(153,0)"])
  }

  @Test func sduAndFrameTooLong() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      // The peer accepts SDUs of 64 bytes in frames of 23; this host 100 and 30.
      traffic.first(65, Array(payload[0..<21]), .sent)
      traffic.acl(l2cap(Array(payload[21..<65]), cid: 0x41), .sent)
      traffic.first(29, Array(payload[0..<29]), .received, cid: 0x40)
      traffic.first(3, Array(payload[0..<5]), .received, cid: 0x40)
    }
    #expect(results[4].problems == ["sduTooLong(65,64)"])
    #expect(results[5].problems == ["frameTooLong(44,23)"])
    #expect(results[5].body == Array(payload[0..<65]))
    #expect(results[6].problems == ["frameTooLong(31,30)"])
    #expect(results[7].problems == ["sduOverrun(5,3)"])
    #expect(results[7].body == [0, 1, 2])
  }

  /// A frame of the SDU is missing: the length shows that another SDU begins, which is not joined
  /// to it.
  @Test func frameOfAnSDUIsLost() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.first(20, Array(payload[0..<10]), .received, cid: 0x40)
      traffic.first(18, Array(payload[50..<68]), .received, cid: 0x40)
      traffic.sdu("07", .received, cid: 0x40)
    }
    #expect(results[5].problems == ["sduLost(10,20)"])
    #expect(results[5].body == Array(payload[50..<68]))
    #expect(results[6].body == [7] && results[6].problems == [])
  }

  @Test func framesBeyondTheSDU() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.first(20, Array(payload[0..<10]), .received, cid: 0x40)
      traffic.acl(l2cap(Array(payload[10..<30]), cid: 0x40), .received)
      // The start of the next SDU is unknown until one is recognised.
      traffic.acl(l2cap(Array(payload[30..<40]), cid: 0x40), .received)
      traffic.signal("16 05 04 00 40 00 09 00", .sent)
      traffic.sdu("07", .received, cid: 0x40)
    }
    #expect(results[5].problems == ["sduOverrun(30,20)"])
    #expect(results[5].body == Array(payload[10..<30]) && results[5].fragments == [])
    #expect(results[6].body == Array(payload[30..<40]) && !results[6].answer.fragment.isFragment)
    #expect(results[6].problems == ["frameOutOfStep(0,0)"])
    #expect(results[8].body == [7])
  }

  /// Bytes that the capture truncated did arrive.
  @Test func truncatedFrame() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.acl(
        l2cap(little(40) + payload[0..<20], cid: 0x40), .received, kept: 16)
      traffic.acl(l2cap(Array(payload[20..<40]), cid: 0x40), .received)
      traffic.sdu("07", .received, cid: 0x40)
    }
    #expect(results[4].answer.fragment.progress == (20, 40))
    #expect(results[5].body == Array(payload[0..<10]) && results[5].answer.fragment.isTruncated)
    #expect(results[6].body == [7])
    #expect(results.problems == ["truncated(21,31)"])
  }

  /// A frame has the receiver's identifier: the same number in the other direction is another
  /// channel.
  @Test func identifiersAreTheReceivers() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.sdu("01", .sent, cid: 0x40)
      traffic.sdu("01", .received, cid: 0x40)
      traffic.sdu("01", .sent, cid: 0x41)
      traffic.sdu("01", .received, cid: 0x41)
    }
    let known = (4...7).map { results[$0].answer.channel?.isUnknown == false }
    #expect(known == [false, true, true, false])
  }

  @Test func refusedChannelIsNone() {
    let results = run { traffic in
      traffic.connect()
      traffic.openChannel(result: 4)
      traffic.sdu("01", .sent)
    }
    #expect(results[4].answer.channel?.isUnknown == true)
    #expect(results.memory.channels.opened.isEmpty)
  }

  /// Enhanced channels: identifiers are in the order of the request; 0 is a channel that was not
  /// opened.
  @Test func someOfSeveralChannelsAreOpened() {
    let results = run { traffic in
      traffic.connect()
      traffic.signal("17 03 0e 00 27 00 40 00 40 00 08 00 40 00 41 00 42 00", .received)
      traffic.signal("18 03 0e 00 50 00 50 00 08 00 04 00 60 00 00 00 61 00", .sent)
      traffic.sdu("0a 01 00", .received, cid: 0x60)
      traffic.sdu("0a 02 00", .received, cid: 0x61)
      traffic.sdu("0b aa", .sent, cid: 0x42)
      traffic.sdu("0b bb", .sent, cid: 0x40)
      traffic.sdu("0b cc", .sent, cid: 0x41)
    }
    #expect(results[6].answer.request?.packet == 5)
    #expect(results[7].answer.request?.packet == 4)
    #expect(results[6].answer.channel?.bearer?.rawValue == 0x61)
    #expect(results[8].answer.channel?.isUnknown == true)
    #expect(results.memory.channels.opened.map(\.count) == [2])
    #expect(results.problems == [])
  }

  @Test func pendingResponseIsFollowedByAnother() {
    let results = run { traffic in
      traffic.connectClassic()
      traffic.signal("02 01 04 00 03 00 45 00", .sent, cid: 1)
      traffic.signal("03 01 08 00 46 00 45 00 01 00 02 00", .received, cid: 1)
      traffic.signal("03 01 08 00 46 00 45 00 00 00 00 00", .received, cid: 1)
      traffic.signal("03 01 08 00 46 00 45 00 00 00 00 00", .received, cid: 1)
    }
    #expect(results[3].answers == "answers 2 after 1 ms")
    #expect(results[4].answers == "answers 2 after 2 ms")
    #expect(results[5].problems == ["responseWithoutRequest(0,0)", "channelInUse(69,0)"])
  }

  @Test func signallingAnswersByIdentifier() {
    let results = run { traffic in
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
    #expect(results[4].answers == "answers 2 after 2 ms")
    #expect(results[5].answers == "answers 3 after 2 ms")
    #expect(results[6].problems == ["responseWithoutRequest(0,0)"])
    #expect(results[8].problems == ["responseMismatch(7,0)"])
    #expect(results[9].problems == ["invalidIdentifier(0,0)"])
  }

  /// Each of several commands in one frame has a response.
  @Test func answersOfOneFrame() {
    let results = run { traffic in
      traffic.connectClassic()
      traffic.signal("0a 05 02 00 02 00", .sent, cid: 1)
      traffic.signal("02 06 04 00 01 00 45 00", .sent, cid: 1)
      traffic.signal(
        "0b 05 08 00 02 00 00 00 b8 02 00 00 03 06 08 00 46 00 45 00 00 00 00 00", .received, cid: 1
      )
    }
    #expect(results[4].notes == [2, 3])
    #expect(results[4].answer.request?.packet == 2)
    #expect(results[2].notes == [nil])
  }

  @Test func closedChannel() {
    let results = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.signal("06 04 04 00 51 00 40 00", .sent)
      traffic.sdu("1b 01 00 aa", .received, cid: 0x40)
      traffic.signal("07 04 04 00 51 00 40 00", .received)
      traffic.sdu("1b 01 00 aa", .received, cid: 0x40)
      traffic.sdu("1b 01 00 aa", .received, cid: 0x41)
    }
    #expect(results[5].problems == [])
    #expect(results[6].answers == "answers 4 after 2 ms")
    #expect(results[7].problems == ["channelClosed(6,0)"])
    #expect(results[8].problems == [])
  }

  /// Channels end with their connection and with the controller.
  @Test(arguments: [false, true])
  func connectionEnds(_ isReset: Bool) {
    let results = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.signal("12 07 08 00 18 00 28 00 00 00 2a 00", .received)
      if isReset { traffic.complete(0x0c03) } else { traffic.disconnect() }
      traffic.connect()
      traffic.sdu("0a 01 00", .sent, cid: 0x51)
      traffic.signal("13 07 02 00 00 00", .sent)
    }
    #expect(results[7].answer.channel?.isUnknown == true)
    #expect(results[7].att == nil)
    #expect(results[8].problems == ["responseWithoutRequest(0,0)"])
  }

  /// After lost records a channel is probably still open, but its credits are unknown.
  @Test func lostRecords() {
    let results = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.sdu("0a 01 00", .sent, cid: 0x51)
      traffic.add(hex("04 13 00"), .received, drops: 3)
      traffic.sdu("0b aa", .received, cid: 0x40)
      traffic.acl(l2cap(hex("01 02 03 04"), cid: 0x40), .received)
      for _ in 0..<9 { traffic.sdu("0a 01 00", .sent, cid: 0x51) }
    }
    #expect(results[6].answer.channel?.isInferred == true)
    #expect(results[6].att == "Read Response")
    #expect(results[6].problems == ["responseWithoutRequest(0,0)"])
    #expect(results[4].answer.channel?.isInferred == false)
    #expect(!results.problems.contains { $0.hasPrefix("noCredits") })
  }

  @Test func reconfigured() {
    let results = run { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.signal("19 05 06 00 80 00 80 00 40 00", .sent)
      traffic.signal("1a 05 02 00 00 00", .received)
      traffic.first(100, [0x1b] + payload[0..<99], .received, cid: 0x40)
      traffic.first(100, [0x1b] + payload[0..<99], .received, cid: 0x41)
    }
    #expect(results[5].answers == "answers 4 after 1 ms")
    #expect(results[6].problems == [])
    #expect(results[7].problems == ["frameTooLong(102,64)", "sduTooLong(100,64)"])
  }

  @Test func tally() {
    let results = run { traffic in
      traffic.connectClassic()
      for psm in ["01 00", "03 00", "01 00"] {
        traffic.openClassic(psm: psm)
        traffic.signal("06 02 04 00 46 00 45 00", .sent, cid: 1)
        traffic.signal("07 02 04 00 46 00 45 00", .received, cid: 1)
      }
    }
    #expect(
      results.memory.channels.opened.map { "\($0.psm.rawValue) \($0.count)" } == ["1 2", "3 1"])
  }
}
