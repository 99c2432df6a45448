import Bluetooth
import Bytes
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct TransactionTests {
  private func run(_ build: (inout Traffic) -> Void) -> Recording { runAmongEvents(build) }

  @Test func requestAndResponse() {
    let results = run { traffic in
      traffic.connect()
      traffic.sent("0a 03 00")
      traffic.clock += 6
      traffic.received("0b 64")
    }
    #expect(results[2].answers == nil)
    #expect(results[3].answers == "answers 2 after 7 ms")
    #expect(results[3].answer.request?.opcode == .readRequest)
    #expect(results[3].answer.request?.handle == 3)
    #expect(results.problems == [])
  }

  /// Every request and its response, and the part of the request that decodes the response.
  @Test(arguments: [
    ("02 f7 00", "03 b9 00"), ("04 01 00 05 00", "05 01 01 00 00 28"),
    ("06 01 00 ff ff 00 28 0d 18", "07 0e 00 11 00"), ("08 01 00 05 00 03 28", "09 03 01 00 02"),
    ("0a 03 00", "0b 64"), ("0c 03 00 16 00", "0d 64"), ("0e 03 00 05 00", "0f 64 01"),
    ("10 01 00 ff ff 00 28", "11 06 01 00 05 00 00 18"), ("12 03 00 01", "13"),
    ("16 03 00 00 00 01", "17 03 00 00 00 01"), ("18 01", "19"),
    ("20 03 00 05 00", "21 01 00 64"),
  ])
  func everyRequest(_ request: String, _ response: String) {
    let results = run { traffic in
      traffic.sent(request)
      traffic.received(response)
      traffic.received(request)
      traffic.sent("01 \(request.prefix(2)) 03 00 0e")
    }
    #expect(results[2].answers == "answers 1 after 1 ms")
    #expect(results[4].answers == "answers 3 after 1 ms")
    #expect(results.problems == [])
  }

  @Test func whatTheRequestAskedFor() {
    let results = run { traffic in
      traffic.ask("08 01 00 05 00 2a 2b", "01 08 01 00 0a")
    }
    let request = results[2].answer.request
    #expect(request?.startHandle == 1 && request?.endHandle == 5 && request?.handle == nil)
    #expect(request?.type == BluetoothUUID(0x2b2a))
  }

  @Test func responseWithoutRequest() {
    let results = run { traffic in
      traffic.connect()
      traffic.received("0b 64")
      traffic.received("01 0a 03 00 0a")
      traffic.sent("1e")
    }
    #expect(results[2].problems == ["responseWithoutRequest(0,0)"] && results[2].answers == nil)
    #expect(results[3].problems == ["responseWithoutRequest(0,0)"])
    #expect(results[4].problems == ["confirmationWithoutIndication(0,0)"])
  }

  @Test("With one direction only, no response is missing, and writes count")
  func oneDirection() {
    let write = { (traffic: inout Traffic) in
      traffic.sent("12 05 00 01")
      traffic.sent("12 05 00 02")
      traffic.sent("0a 05 00")
      traffic.sent("12 05 00 03")
    }
    #expect(SessionsTests.run(write).problems == [])
    #expect(
      converse { write(&$0) }.lines == [
        "write 0x0005: 01 #1", "write 0x0005: 02 #2", "read 0x0005 #3 no response, recordsLost",
        "write 0x0005: 03 #4",
      ])
    // Responses of the other direction are in the capture: now one is missing.
    func problems(_ heard: String) -> Int {
      SessionsTests.run { traffic in
        traffic.received(heard)
        write(&traffic)
      }.problems.count
    }
    #expect(problems("1b 10 00 41") == 0, "a notification is not a response")
    #expect(problems("13") == 3 + 1, "the first one has no request")
  }

  @Test("A notification longer than a known MTU") func longNotification() {
    let long = "1b 10 00" + String(repeating: " 41", count: 21)
    let known = run { traffic in
      traffic.connect()
      traffic.received(long)
      traffic.ask("02 40 00", "03 40 00")
      traffic.received(long)
    }
    #expect(known[2].problems == ["sduTooLong(24,23)"])
    #expect(known[5].problems == [])
    // The MTU may have been exchanged before the capture begins.
    #expect(SessionsTests.run { $0.received(long) }[1].problems == [])
  }

  @Test("An MTU below 23, and services with invalid UUIDs") func impossible() {
    let results = run { traffic in
      traffic.connect()
      traffic.sent("02 14 00")
      traffic.ask("10 01 00 ff ff 00 28", "11 05 01 00 05 00 0d")
    }
    #expect(results[2].problems == ["parameterTooSmall(20,23)"])
    #expect(results[4].problems.contains("invalidElementLength(5,0)"), "\(results[4].problems)")
  }

  @Test("An identity address is public or static") func privateIdentity() {
    for (address, problems) in [
      ("09 01 56 34 12 ee ff 40", ["privateIdentity(0,0)"]), ("09 01 56 34 12 ee ff c0", []),
      ("09 00 56 34 12 ee ff 40", []),
    ] {
      let results = run { $0.acl(l2cap(hex(address), cid: 6), .received) }
      #expect(results[1].problems == problems, "\(address)")
    }
  }

  /// A response is used up by the request that it answers.
  @Test func secondResponse() {
    let results = run { traffic in
      traffic.ask("0a 03 00", "0b 64")
      traffic.received("0b 64")
    }
    #expect(results[3].problems == ["responseWithoutRequest(0,0)"])
  }

  /// Two open requests are an error. The first one's response seems to be lost, unless a second
  /// response follows: then the first response answered the first request.
  @Test func secondRequestBeforeTheAnswer() {
    let results = run { traffic in
      traffic.sent("0a 03 00")
      traffic.ask("0a 05 00", "0b 64")
      traffic.received("0b 65")
    }
    #expect(results[2].problems == ["requestBeforeResponse(1,0)"])
    #expect(results[3].answers == "answers 2 after 1 ms")
    #expect(results[4].answers == "answers 2 after 2 ms")
    #expect(results[4].problems == ["answersEarlier(3,1)"])
  }

  @Test func lostResponseShiftsNothing() {
    let results = run { traffic in
      for handle in 1...6 {
        traffic.sent("0a 0\(handle) 00")
        if handle != 2 { traffic.received("0b 0\(handle)") }
      }
    }
    #expect(results.packets.compactMap(\.answer.request?.handle) == [1, 3, 4, 5, 6])
    #expect(results.problems == ["requestBeforeResponse(3,0)"])
  }

  /// The attribute in a response may show which of two equal requests it answers.
  @Test(arguments: [
    ("08 01 00 05 00 03 28", "08 06 00 ff ff 03 28", "09 03 02 00 02", "09 03 07 00 02"),
    ("04 01 00 05 00", "04 06 00 ff ff", "05 01 01 00 00 28", "05 01 06 00 00 28"),
    ("10 01 00 05 00 00 28", "10 06 00 ff ff 00 28", "11 06 01 00 05 00 00 18", "01 10 06 00 0a"),
    ("0a 03 00", "0a 05 00", "01 0a 03 00 02", "01 0a 05 00 02"),
    ("16 03 00 00 00 01", "16 04 00 00 00 01", "17 03 00 00 00 01", "17 04 00 00 00 01"),
  ])
  func answersThatNameTheirAttribute(
    _ first: String, _ second: String, _ toFirst: String, _ toSecond: String
  ) {
    let results = run { traffic in
      traffic.sent(first)
      traffic.sent(second)
      traffic.received(toFirst)
      traffic.received(toSecond)
    }
    #expect(results[3].answers == "answers 1 after 2 ms")
    #expect(results[4].answers == "answers 2 after 2 ms")
    #expect(results.problems == ["requestBeforeResponse(1,0)"])
  }

  /// Lost records may contain responses: later responses do not answer requests from before the
  /// loss.
  @Test func lostRecordsEndWhatIsOpen() {
    let results = run { traffic in
      traffic.sent("0a 03 00")
      traffic.adapter = 1
      traffic.sent("0a 03 00")
      traffic.add([1] + hex("03 0c 00"), .sent, drops: 2)
      traffic.received("0b 64")
      traffic.adapter = 0
      traffic.received("0b 64")
      traffic.sent("0a 04 00")
      traffic.adapter = .unknown
      traffic.add([1] + hex("03 0c 00"), .sent, drops: 2)
      traffic.adapter = 0
      traffic.received("0b 64")
    }
    #expect(results[4].problems == ["responseWithoutRequest(0,0)"])
    #expect(results[5].answers == "answers 1 after 4 ms")
    #expect(results[8].problems == ["responseWithoutRequest(0,0)"])
  }

  /// A response is matched to a request of its kind, even if another request was sent in between.
  @Test func answerToTheRequestThatWasOvertaken() {
    let results = run { traffic in
      traffic.sent("0a 03 00")
      traffic.sent("12 05 00 01")
      traffic.received("01 0a 03 00 02")
      traffic.received("13")
    }
    #expect(results[3].answers == "answers 1 after 2 ms" && results[3].problems == [])
    #expect(results[4].answers == "answers 2 after 2 ms" && results[4].problems == [])
  }

  /// The request is still open for its own response.
  @Test func wrongKindOfResponse() {
    let results = run { traffic in
      traffic.sent("0a 03 00")
      traffic.received("13")
      traffic.received("01 12 03 00 03")
      traffic.received("01 0a 03 00 02")
    }
    #expect(results[2].problems == ["responseMismatch(1,0)"] && results[2].answers == nil)
    #expect(results[3].problems == ["responseMismatch(1,0)"])
    #expect(results[4].answers == "answers 1 after 3 ms" && results[4].problems == [])
  }

  @Test func indications() {
    let results = run { traffic in
      traffic.received("1d 0e 00 01")
      traffic.sent("1e")
      traffic.received("1d 0e 00 01")
      traffic.received("1d 0e 00 02")
      traffic.sent("1e")
    }
    #expect(
      results[2].answers == "answers 1 after 1 ms" && results[2].answer.request?.handle == 0x0e)
    #expect(results[4].problems == ["indicationBeforeConfirmation(3,0)"])
    #expect(results[5].answers == "answers 4 after 1 ms")
  }

  /// Each side may have a request and an indication open at the same time.
  @Test func bothDirectionsAtOnce() {
    let results = run { traffic in
      traffic.sent("0a 03 00")
      traffic.received("0a 04 00")
      traffic.sent("1d 05 00 01")
      traffic.received("1d 06 00 01")
      traffic.sent("0b 64")
      traffic.received("0b 65")
      traffic.sent("1e")
      traffic.received("1e")
    }
    #expect(results.packets.compactMap(\.answer.request).map(\.packet) == [2, 1, 4, 3])
    #expect(results.problems == [])
  }

  @Test func twoLinksAtOnce() {
    let results = run { traffic in
      traffic.sent("0a 03 00", handle: 0x40)
      traffic.ask("0a 03 00", "0b 64", handle: 0x41)
      traffic.received("0b 64", handle: 0x40)
      traffic.adapter = 1
      traffic.received("0b 64", handle: 0x40)
    }
    #expect(results[3].answers == "answers 2 after 1 ms")
    #expect(results[4].answers == "answers 1 after 3 ms")
    #expect(results[5].problems == ["responseWithoutRequest(0,0)"])
  }

  @Test func whatNeedsNoAnswer() {
    let results = run { traffic in
      traffic.sent("52 03 00 01")
      traffic.sent("52 03 00 01")
      traffic.sent("d2 03 00 01 00 00 00 01 02 03 04 05 06 07 08")
      traffic.received("1b 03 00 01")
      traffic.received("23 03 00 01 00 01 05 00 01 00 01")
      traffic.received("1b 03 00 01")
    }
    #expect(results.problems == [] && results.packets.allSatisfy { $0.answer.request == nil })
  }

  /// A malformed or unknown request is refused like any other (Core, Vol 3, Part F, 3.4.1.1:
  /// Invalid PDU, Request Not Supported).
  @Test func refusedRequests() {
    let results = run { traffic in
      traffic.ask("0a 03", "01 0a 00 00 04")
      traffic.ask("3e 01 02", "01 3e 00 00 06")
    }
    #expect(results[1].problems == ["tooShort(2,1)"])
    #expect(results[2].answers == "answers 1 after 1 ms" && results[2].problems == [])
    #expect(results[3].problems == ["unknownOpcode(62,0)"])
    #expect(results[4].answers == "answers 3 after 1 ms" && results[4].problems == [])
  }

  @Test func unknownCommandsAndResponsesAreNoTransactions() {
    let results = run { traffic in
      traffic.sent("0a 03 00")
      traffic.sent("7e 01")
      traffic.received("3f 01")
      traffic.received("0b 64")
    }
    #expect(results[2].problems == ["unknownOpcode(126,0)"])
    #expect(results[3].problems == ["unknownOpcode(63,0)"])
    #expect(results[4].answers == "answers 1 after 3 ms")
  }

  @Test func openRequestsEndWithTheirLink() {
    let results = run { traffic in
      traffic.connect()
      traffic.sent("0a 03 00")
      traffic.disconnect()
      traffic.connect()
      traffic.ask("0a 03 00", "0b 64")
      traffic.received("0b 64")
    }
    #expect(results[5].problems == [] && results[6].answers == "answers 5 after 1 ms")
    #expect(results[7].problems == ["responseWithoutRequest(0,0)"])
  }

  // MARK: Time

  @Test func timeThatGoesBack() {
    let results = run { traffic in
      traffic.sent("0a 03 00")
      traffic.clock -= 5001
      traffic.received("0b 64")
      traffic.command(0x0c03)
      traffic.clock = -1_000_000
      traffic.complete(0x0c03)
    }
    // The clock was set, so the time in between is unknown.
    #expect(results[2].answers == "answers 1 after unknown")
    #expect(results[4].answers == "answers 3 after unknown")
    #expect(results.packets.count == 4 && results.problems == [])
  }

  @Test func timeThatIsNotKnown() {
    let results = run { traffic in
      traffic.addWithoutTime([2] + hex("40 00 07 00") + l2cap(hex("0a 03 00")), .sent)
      traffic.received("0b 64")
    }
    #expect(results[2].answers == "answers 1 after unknown")
  }

  // MARK: Not found

  @Test(
    arguments: [
      ("10 01 00 ff ff 00 28", Request.NothingFound.endOfDiscovery),
      ("06 01 00 ff ff 00 28 0d 18", .endOfDiscovery), ("04 01 00 05 00", .endOfDiscovery),
      ("08 01 00 05 00 03 28", .endOfDiscovery), ("08 01 00 05 00 02 28", .endOfDiscovery),
      // By type, Database Hash and a long UUID: it does not exist, and no discovery ends.
      ("08 01 00 ff ff 2a 2b", Request.NothingFound.none),
      ("08 01 00 ff ff 9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e", Request.NothingFound.none),
      ("0a 03 00", nil), ("12 03 00 01", nil), ("0c 03 00 01 00", nil), ("0e 03 00 05 00", nil),
      ("16 03 00 00 00 01", nil), ("18 01", nil), ("02 f7 00", nil),
    ] as [(String, Request.NothingFound?)])
  func meaningOfNotFound(_ request: String, _ meaning: Request.NothingFound?) {
    let results = run { traffic in
      traffic.sent(request)
      traffic.received("01 \(request.prefix(2)) 01 00 0a")
    }
    #expect(results[2].answer.request?.meaningOfNotFound == meaning)
  }

  /// A search by type is complete only if it found something before. Its first handle shows
  /// nothing, because hosts search inside a service.
  @Test func endOfASearchByType() {
    let results = run { traffic in
      traffic.ask("08 10 00 13 00 02 29", "01 08 10 00 0a")
      traffic.ask("08 01 00 ff ff 2a 2b", "09 03 20 00 01")
      traffic.ask("08 21 00 ff ff 2a 2b", "01 08 21 00 0a", by: .received)
      traffic.ask("08 21 00 ff ff 2a 2b", "01 08 21 00 0a")
      traffic.ask("08 21 00 ff ff 02 29", "01 08 21 00 0a")
    }
    let meanings = [2, 6, 8, 10].map { results[$0].answer.request?.meaningOfNotFound }
    #expect(meanings == [Request.NothingFound.none, .some(.none), .endOfDiscovery, .some(.none)])
    #expect(results.problems == [])
  }

  // MARK: MTU

  @Test(arguments: [
    (247, 185, 185), (185, 247, 185), (23, 517, 23), (517, 517, 517), (10, 517, 23), (0, 0, 23),
    (65_535, 65_535, 65_535),
  ])
  func mtuIsTheSmallerOne(_ offered: Int, _ answered: Int, _ expected: UInt16) {
    func bytes(_ value: Int) -> String {
      "\(String(value & 255, radix: 16)) \(String(value >> 8, radix: 16))"
    }
    let results = run { traffic in
      traffic.ask("02 \(bytes(offered))", "03 \(bytes(answered))")
    }
    #expect(results[1].connection?.mtu == nil)
    #expect(results[2].connection?.mtu == expected)
  }

  @Test func mtuThatWasNotAgreedUpon() {
    let refused = run { traffic in
      traffic.ask("02 f7 00", "01 02 00 00 06")
    }
    #expect(refused[2].connection?.mtu == nil)
    let unasked = run { traffic in
      traffic.received("03 f7 00")
      traffic.sent("02 f7 00")
      traffic.sent("03 b9 00")
    }
    #expect(unasked[3].connection?.mtu == nil)
  }

  /// Both sides may ask: each response belongs to its own request.
  @Test func mtuThatBothSidesAskFor() {
    let results = run { traffic in
      traffic.received("02 64 00")
      traffic.sent("02 05 02")
      traffic.sent("03 05 02")
      traffic.received("03 f7 00")
    }
    #expect(results[3].answers == "answers 1 after 2 ms" && results[3].connection?.mtu == 100)
    #expect(results[4].answers == "answers 2 after 2 ms" && results[4].connection?.mtu == 247)
  }

  @Test func mtuIsOfOneLink() {
    let results = run { traffic in
      traffic.connect()
      traffic.ask("02 f7 00", "03 b9 00")
      traffic.received("0b 64", handle: 0x41)
      traffic.disconnect()
      traffic.connect()
    }
    #expect(results[3].connection?.mtu == 185 && results[4].connection?.mtu == nil)
    #expect(results[6].connection?.mtu == nil)
  }
}
