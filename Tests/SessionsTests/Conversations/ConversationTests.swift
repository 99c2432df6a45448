// Values from requests and responses (Core, Vol 3, Part F, 3.4; Part G, 4.8 to 4.11).

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

@Suite struct ConversationTests {
  @Test func eachOperation() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0a 10 00", "0b 01 02")
      traffic.ask("12 12 00 aa", "13")
      traffic.sent("52 12 00 bb")
      traffic.sent("d2 12 00 cc 01 00 00 00 11 22 33 44 55 66 77 88")
      traffic.received("1b 14 00 dd")
      traffic.received("1d 16 00 ee")
      traffic.sent("1e")
      traffic.received("23 14 00 01 00 01 16 00 02 00 02 03")
      traffic.ask("12 12 00 ff", "01 12 12 00 05")
      traffic.ask("0a 18 00", "01 0a 18 00 02")
    }
    #expect(
      results.lines == [
        "read 0x0010: 0102 #3", "write 0x0012: aa #4", "write_without_response 0x0012: bb #6",
        "signed_write 0x0012: cc #7", "notification 0x0014: dd #8", "indication 0x0016: ee #9",
        "notification 0x0014: 01 #11", "notification 0x0016: 0203 #11",
        "write 0x0012: ff #12 refused 0x0005", "read 0x0018 #14 refused 0x0002",
      ])
    #expect(results.results[1].value.response == 5)
    #expect(results.results[1].value.latency == 1_000_000)
    #expect(results.results[5].value.response == 10)
    #expect(
      results.results.map(\.value.direction).prefix(5) == [
        .received, .sent, .sent, .sent, .received,
      ])
  }

  /// A host that goes on has its answers; a capture with nothing from the peer lacks them. If the
  /// peer is heard later, they did not come.
  @Test(arguments: [false, true]) func answersOfASilentPeer(isHeard: Bool) {
    let results = converse { traffic in
      traffic.connect()
      if isHeard { traffic.received("1b 20 00 01") }
      for handle in 0x10..<0x16 { traffic.sent("0a \(String(handle, radix: 16)) 00") }
    }
    let reasons = results.results.filter { $0.value.operation == .read }
      .map { $0.line.split(separator: ", ").last ?? "" }
    let first = isHeard ? "overtaken" : "recordsLost"
    let last = isHeard ? "captureEnded" : "recordsLost"
    #expect(
      reasons == [first, first, last, last, last, last].map { Substring($0) }, "\(results.lines)")
  }

  /// Discovery shows that a host goes on, too; one request that is open at the end shows nothing.
  @Test(arguments: [1, 2]) func answersAtTheEnd(requests: Int) {
    let results = converse { traffic in
      traffic.connect()
      for request in ["10 01 00 ff ff 00 28", "0a 10 00"].suffix(requests) { traffic.sent(request) }
      traffic.disconnect()
    }
    let read = results.results.first { $0.value.operation == .read }
    let reason = requests == 2 ? "recordsLost" : "connectionEnded"
    #expect(read?.line.hasSuffix(reason) == true, "\(results.lines)")
  }

  /// A peer that sends another indication got the confirmation of the one before, or does not wait
  /// for it.
  @Test(arguments: [1, 2]) func confirmationsAtTheEnd(indications: Int) {
    let results = converse { traffic in
      traffic.connect()
      for _ in 1...indications { traffic.received("1d 14 00 ee") }
      traffic.disconnect()
    }
    let found = results.results.filter { $0.value.operation == .indication }.map(\.line)
    let isOpen = indications == 1
    #expect(
      found.count == indications && found.allSatisfy { $0.hasSuffix("connectionEnded") == isOpen },
      "\(found)")
  }

  /// The captured host is the server.
  @Test func ownValues() {
    let results = converse { traffic in
      traffic.connect(role: 1)
      traffic.ask("0a 10 00", "0b 01 02", by: .received)
      traffic.received("52 12 00 bb")
      traffic.sent("1b 14 00 dd")
      traffic.sent("1d 14 00 ee")
      traffic.received("1e")
      traffic.ask("0a 10 00", "0b 03")
    }
    #expect(
      results.lines == [
        "own read 0x0010: 0102 #3", "own write_without_response 0x0012: bb #4",
        "own notification 0x0014: dd #5", "own indication 0x0014: ee #6", "read 0x0010: 03 #9",
      ])
    // The same handle on two servers.
    #expect(results.results[0].value.attribute.server != results.results[4].value.attribute.server)
  }

  /// Values may have another length than when they were read one by one: Read Multiple (0x0e) of
  /// 0x0009, which had 4 bytes and has 2, and of a key with 24 (Encrypted Data Key Material,
  /// 0x2b88).
  @Test func severalValuesAroundAKey() {
    let key = (0xa0..<0xb8).map { String($0, radix: 16) }.joined(separator: " ")
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("02 00 02", "03 00 02")
      traffic.ask("08 01 00 ff ff 88 2b", "09 1a 03 00 " + key)
      traffic.ask("0a 09 00", "0b 41 42 43 44")
      traffic.ask("0e 09 00 03 00", "0f 5a 5a " + key + " 21 21")
    }
    let read = results.results.filter { $0.value.packet == 9 }
    #expect(!read.isEmpty && read.allSatisfy(\.value.isSecret), "\(results.lines)")
  }

  /// Multiple Handle Value Notification (0x23) of three empty values in two fragments: the packets
  /// are stored once.
  @Test func fragmentsOfSeveralValues() {
    let results = converse { traffic in
      traffic.connect()
      traffic.add([2] + hex("40 20 08 00 0d 00 04 00 23 03 00 00"), .received)
      traffic.add([2] + hex("40 10 09 00 00 04 00 00 00 05 00 00 00"), .received)
    }
    #expect(results.results.map(\.packets) == [[2, 3], [2, 3], [2, 3]], "\(results.lines)")
    #expect(results.results.map(\.value.packets) == [0..<2, 0..<2, 0..<2])
  }

  /// Records that are in two files.
  @Test func valuesOfTwoFilesAreToldOnce() {
    let results = converse { traffic in
      traffic.connect()
      traffic.received("1b 14 00 dd")
      traffic.sent("52 12 00 bb")
      traffic.file = 1
      traffic.again(1...3)
    }
    #expect(
      results.lines == ["notification 0x0014: dd #2", "write_without_response 0x0012: bb #3"])
  }

  // MARK: Reads in parts

  private static let full = (0..<22).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }
  private static let filling = full.joined(separator: " ")
  private static let digits = full.joined()

  /// The next connection has another peer, and its attribute another value.
  @Test func readsEndWithTheirConnection() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0a 03 00", "0b 41 42 43 44 45")
      traffic.disconnect()
      traffic.connect(peer: 0xc011_2233_4466)
      traffic.ask("0c 03 00 05 00", "01 0c 03 00 07")
    }
    #expect(
      results.lines == ["read 0x0003: 4142434445 #3", "read 0x0003 from 5 #6 refused 0x0007"])
  }

  /// A Read Blob Request (0x0c) that continues 0x0003 is answered while a value of 0x0009 is
  /// incomplete.
  @Test func readsAreNotMixed() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0a 03 00", "0b 41 41")
      traffic.sent("0a 09 00")
      traffic.sent("0c 03 00 02 00")
      traffic.received("0b " + Self.filling)
      traffic.received("0d 43 43")
    }
    #expect(
      results.lines.map { $0.replacing(" may go on", with: "") } == [
        "read 0x0003: 4141 #3", "read 0x0009: \(Self.digits) #6", "read 0x0003 from 2: 4343 #7",
      ])
  }

  @Test func longReadThatEndsShort() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0a 10 00", "0b " + Self.filling)
      traffic.received("1b 14 00 dd")
      traffic.ask("0c 10 00 16 00", "0d aa bb")
    }
    #expect(results.lines == ["notification 0x0014: dd #4", "read 0x0010: \(Self.digits)aabb #6"])
    #expect(results.results[1].packets == [3, 6])
  }

  @Test(
    "A value that fills its last PDU ends with an empty part or an error",
    arguments: [("0d", 4), ("01 0c 10 00 07", 4), ("01 0c 10 00 0b", 4)])
  func longReadThatEndsExactly(_ end: String, _ packets: Int) {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0a 10 00", "0b " + Self.filling)
      traffic.sent("0c 10 00 16 00")
      traffic.received(end)
      traffic.ask("0a 12 00", "0b 01")
    }
    #expect(results.lines == ["read 0x0010: \(Self.digits) #3", "read 0x0012: 01 #7"])
    #expect(results.results[0].packets.isEmpty)
    #expect(results.results[0].value.isRestRefused == end.hasSuffix("07"))
  }

  @Test func longReadThatIsRefusedHalfway() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0a 10 00", "0b " + Self.filling)
      traffic.ask("0c 10 00 16 00", "01 0c 10 00 0e")
    }
    #expect(results.lines == ["read 0x0010: \(Self.digits) #3 refused 0x000e"])
  }

  @Test func longReadThatNobodyGoesOnWith() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0a 10 00", "0b " + Self.filling)
      traffic.ask("0a 12 00", "0b 01")
      traffic.ask("0a 14 00", "0b " + Self.filling)
    }
    #expect(
      results.lines == [
        "read 0x0010: \(Self.digits) #3 may go on", "read 0x0012: 01 #5",
        "read 0x0014: \(Self.digits) #7 may go on",
      ])
  }

  @Test func readBlobFromAnOffsetOn() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0c 10 00 09 00", "0d aa")
      traffic.ask("0c 10 00 30 00", "0d " + Self.filling)
      traffic.ask("0c 10 00 46 00", "0d bb")
      traffic.ask("0c 12 00 09 00", "01 0c 12 00 07")
    }
    #expect(
      results.lines == [
        "read 0x0010 from 9: aa #3", "read 0x0010 from 48: \(Self.digits)bb #7",
        "read 0x0012 from 9 #8 refused 0x0007",
      ])
    #expect(results.results[1].packets == [5, 7])
  }

  /// A part that is requested twice counts once.
  @Test func partThatIsReadTwice() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0a 10 00", "0b " + Self.filling)
      traffic.ask("0c 10 00 16 00", "0d " + Self.filling)
      traffic.ask("0c 10 00 16 00", "0d aa")
    }
    #expect(results.lines == ["read 0x0010: \(Self.digits)aa #7"])
    #expect(results.results[0].packets == [3, 5, 7])
  }

  @Test func theMTUThatWasExchangedCounts() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("02 40 00", "03 19 00")
      traffic.ask("0a 10 00", "0b " + Self.filling)
      traffic.ask("0a 10 00", "0b " + Self.filling + " 16 17")
      traffic.ask("0c 10 00 18 00", "0d")
    }
    #expect(
      results.lines == ["read 0x0010: \(Self.digits) #5", "read 0x0010: \(Self.digits)1617 #7"])
  }

  /// Without an exchange the MTU is at least the largest PDU; a client that continues reading
  /// confirms it.
  @Test func theMTUOfALinkThatWasOpenBefore() {
    let long = (0..<40).map { _ in "55" }
    let results = converse { traffic in
      traffic.ask("0a 10 00", "0b " + long.joined(separator: " "))
      traffic.ask("0c 10 00 28 00", "0d 01")
      traffic.ask("0a 10 00", "0b 02")
    }
    #expect(results.lines == ["read 0x0010: \(long.joined())01 #4", "read 0x0010: 02 #6"])
    let memory = run { traffic in traffic.received("1b 10 00 " + long.joined(separator: " ")) }
    let connection = memory.connections[0]
    #expect(connection.attMTU == BearerMTU(value: 43, isLowerBound: true))
  }

  // MARK: Several at once

  @Test func readMultipleIsSplitWhereLengthsAreKnown() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0e 10 00 12 00", "0f 01 02 03")
      traffic.ask("0a 10 00", "0b 01")
      traffic.ask("0e 10 00 12 00", "0f 04 05 06")
      traffic.ask("0e 10 00 10 00", "0f 07 08")
      traffic.ask("20 10 00 12 00", "21 01 00 09 02 00 0a 0b")
    }
    #expect(
      results.lines == [
        "read: 010203 #3", "read 0x0010: 01 #5", "read 0x0010: 04 #7", "read 0x0012: 0506 #7",
        "read 0x0010: 07 #9", "read 0x0010: 08 #9", "read 0x0010: 09 #11", "read 0x0012: 0a0b #11",
      ])
    #expect(results.results[0].value.handles?.count == 4)
  }

  @Test func readByTypeReadsValuesButDiscoveryDoesNot() {
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("08 01 00 ff ff 00 2a", "09 05 03 00 41 42 43")
      traffic.ask("08 01 00 ff ff 03 28", "09 07 02 00 02 03 00 00 2a")
      traffic.ask("08 01 00 ff ff 2a 2b", "01 08 01 00 0a")
      traffic.ask("08 01 00 ff ff 00 2a", "01 08 03 00 05")
    }
    #expect(results.lines == ["read 0x0003: 414243 #3", "read 0x0003 #8 refused 0x0005"])
    #expect(results.results[0].value.attribute.uuid == BluetoothUUID(0x2a00))
    #expect(results.results[1].value.attribute.uuid == BluetoothUUID(0x2a00))
  }
}
