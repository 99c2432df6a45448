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
    let results = run { traffic in
      traffic.connect()
      traffic.ask("0a 03 00", "0b 07")
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
    #expect(results.connections.map(\.id) == [1, 2])
    #expect(results.connections.map(\.firstPacket) == [1, 5])
    for number in 9...16 {
      #expect(results[number].problems == ["repeatedRecord(\(number - 8),0)"])
      #expect(results[number].connection == nil && results[number].answers == nil)
      #expect(!results[number].answer.opened && !results[number].answer.closed)
    }
    #expect(results[10].att == "Read Request" && results[11].attBytes == hex("0b 07"))
    #expect(results[15].att == "Read Request" && results[16].att == nil)
    // Requests and PDUs of the first file continue.
    #expect(results[17].fragments == [8, 17] && results[17].pdu == notification(30))
    #expect(results[18].answers == "answers 7 after 3 ms")
    #expect(results[19].answers == "answers 6 after 5 ms")
    #expect(results[17].problems == ["sduTooLong(33,23)"])
    #expect(results[18].problems == [] && results[19].problems == [])
    #expect(results[17].connection?.id == 2)
  }

  /// The second file has records that the first one lacks, between records of both: it is unknown
  /// whether earlier requests continue there.
  @Test func recordsBetweenThoseOfAnother() {
    let results = run { traffic in
      traffic.connect()
      traffic.sent("0a 03 00")
      traffic.file = 1
      traffic.again(1...1)
      traffic.clock -= 10
      traffic.received("0b 07")
      traffic.again(2...2)
      traffic.received("0b 08")
    }
    #expect(results[4].connection?.id == 1 && results[4].answers == nil)
    #expect(results[6].connection?.id == 1 && results[6].answers == nil)
  }

  /// A repeated fragment of an advertisement is still a fragment, with unknown contents.
  @Test func partsOfAdvertisements() {
    let results = run { traffic in
      traffic.extended(firstPart, 1)
      traffic.extended(secondPart, 0)
      traffic.extended([2, 1, 6], 0)
      traffic.file = 1
      traffic.again(1...3)
    }
    #expect(results[2].chains == [[1, 2]] && results[2].mayHoldSecret)
    #expect(results[4].advertised == [firstPart] && results[5].advertised == [secondPart])
    #expect(results[4].mayHoldSecret && results[5].mayHoldSecret && !results[6].mayHoldSecret)
    #expect((4...6).allSatisfy { results[$0].chains.joined().isEmpty })
  }

  /// Encrypted Data Key Material (2b88) is read: only the first copy shows which values are keys.
  @Test func keyMaterial() {
    let results = run { traffic in
      traffic.connect()
      traffic.ask("08 01 00 ff ff 88 2b", "09 06 03 00 c0 c1 c2 c3")
      traffic.file = 1
      traffic.again(1...3)
    }
    #expect(results[3].att == "Read By Type Response")
    #expect(results[5].att == nil && results[6].att == nil)
  }
}
