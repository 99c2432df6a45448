// Records that are in two files are shown twice but processed once.

import Bluetooth
import Bytes
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

/// AD structures: flags, then the beginning of a broadcast code.
private let firstPart: [UInt8] = [2, 1, 6, 17, 0x2d] + (0xc0...0xc5).map { UInt8($0) }
private let secondPart: [UInt8] = (0xc6...0xcf).map { UInt8($0) }

extension Traffic {
  /// Appends an LE Extended Advertising Report with one report; status 0 complete, 1 more to come.
  fileprivate mutating func extended(_ data: [UInt8], _ status: Int) {
    meta(
      0x0d,
      [1] + little(status << 5) + [1] + little(0xc011_2233_4455, width: 6) + [1, 1, 1, 127, 127]
        + [UInt8](repeating: 0, count: 9) + [UInt8(data.count)] + data)
  }
}

@Suite struct RepeatTests {
  /// The second file repeats everything in the first one, including an open request and an
  /// incomplete PDU.
  @Test func nothingIsLearntTwice() {
    let told = run { traffic in
      traffic.connect()
      traffic.sent("0a 03 00")
      traffic.received("0b 07")
      traffic.disconnect()
      traffic.connect(peer: 0xc0ff_ee00_0001)
      traffic.command(0x1009)
      traffic.sent("0a 05 00")
      traffic.acl(Array(notification(30)[..<10]), .received)
      traffic.file = 1
      traffic.again(1...8)
      traffic.acl(Array(notification(30)[10...]), .received, .more)
      traffic.received("0b 08")
      traffic.complete(0x1009, [0, 1, 2, 3, 4, 5, 6])
    }
    #expect(told.connections.map(\.id) == [1, 2])
    #expect(told.connections.map(\.firstPacket) == [1, 5])
    for number in 9...16 {
      #expect(told[number].problems == ["repeatedRecord(\(number - 8),0)"])
      #expect(told[number].connection == nil && told[number].answers == nil)
      #expect(!told[number].answer.opened && !told[number].answer.closed)
    }
    #expect(told[10].att == "Read Request" && told[11].attBytes == hex("0b 07"))
    #expect(told[15].att == "Read Request" && told[16].att == nil)
    // Requests and PDUs of the first file continue.
    #expect(told[17].fragments == [8, 17] && told[17].pdu == notification(30))
    #expect(told[18].answers == "answers 7 after 3 ms")
    #expect(told[19].answers == "answers 6 after 5 ms")
    #expect(told[17].problems == ["sduTooLong(33,23)"])
    #expect(told[18].problems == [] && told[19].problems == [])
    #expect(told[17].connection?.id == 2)
  }

  /// The second file has records that the first one lacks, between records of both: it is unknown
  /// whether earlier requests continue there.
  @Test func recordsBetweenThoseOfAnother() {
    let told = run { traffic in
      traffic.connect()
      traffic.sent("0a 03 00")
      traffic.file = 1
      traffic.again(1...1)
      traffic.clock -= 10
      traffic.received("0b 07")
      traffic.again(2...2)
      traffic.received("0b 08")
    }
    #expect(told[4].connection?.id == 1 && told[4].answers == nil)
    #expect(told[6].connection?.id == 1 && told[6].answers == nil)
  }

  /// A repeated fragment of an advertisement is still a fragment, with unknown contents.
  @Test func partsOfAdvertisements() {
    let told = run { traffic in
      traffic.extended(firstPart, 1)
      traffic.extended(secondPart, 0)
      traffic.extended([2, 1, 6], 0)
      traffic.file = 1
      traffic.again(1...3)
    }
    #expect(told[2].chains == [[1, 2]] && told[2].mayHoldSecret)
    #expect(told[4].advertised == [firstPart] && told[5].advertised == [secondPart])
    #expect(told[4].mayHoldSecret && told[5].mayHoldSecret && !told[6].mayHoldSecret)
    #expect((4...6).allSatisfy { told[$0].chains.joined().isEmpty })
  }

  /// Encrypted Data Key Material (2b88) is read: only the first copy shows which values are keys.
  @Test func keyMaterial() {
    let told = run { traffic in
      traffic.connect()
      traffic.sent("08 01 00 ff ff 88 2b")
      traffic.received("09 06 03 00 c0 c1 c2 c3")
      traffic.file = 1
      traffic.again(1...3)
    }
    #expect(told[3].att == "Read By Type Response")
    #expect(told[5].att == nil && told[6].att == nil)
  }
}
