// Requests that are open at the same time on one bearer: which response answers which request, and
// how this affects values and the map. ATT allows one request (Core, Vol 3, Part F, 3.3.2), and
// servers respond in order.

import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct OpenRequestsTests {
  private func run(_ build: (inout Traffic) -> Void) -> Recording { runAmongEvents(build) }

  /// Returns the uses of each attribute, as `map` shows them: "0x0003 read 1: 64 #3".
  private func uses(_ write: (inout Traffic) -> Void) -> [String] {
    var traffic = Traffic()
    write(&traffic)
    var report = Using()
    traffic.report(to: &report)
    return report.lines
  }

  /// A second response without a request in between shows that both requests were open.
  @Test func valuesOfAClientThatDoesNotWait() {
    let results = converse { traffic in
      traffic.sent("0a 03 00")
      traffic.ask("0a 05 00", "0b 64")
      traffic.received("0b 65")
    }
    #expect(results.lines == ["read 0x0003: 64 #3", "read 0x0005: 65 #4"])
    #expect(results.results.map(\.value.latency) == [2_000_000, 2_000_000])
  }

  /// A capture of one direction has no responses, so writes count as successful. Notifications are
  /// not responses.
  @Test func mapOfOneDirection() {
    let write = { (traffic: inout Traffic) in
      traffic.sent("12 17 00 01")
      traffic.sent("12 17 00 02")
      traffic.sent("12 17 00 03")
    }
    #expect(uses(write) == ["0x0017 write 3: 03 #3"])
    let notified = { (traffic: inout Traffic) in
      write(&traffic)
      traffic.received("1b 10 00 41")
    }
    #expect(uses(notified) == ["0x0010 notification 1: 41 #4", "0x0017 write 3: 03 #3"])
    #expect(
      uses {
        notified(&$0)
        $0.received("13")
      } == ["0x0010 notification 1: 41 #4", "0x0017 write 1: 03 #3"])
  }

  /// The handle in the refusal of a read by type may be that of the range. The parts of a value
  /// that were read before a refusal count as read.
  @Test func mapOfRefusedReads() {
    #expect(
      uses { traffic in
        traffic.ask("08 01 00 ff ff 00 2a", "01 08 01 00 05")
      } == [])
    #expect(
      uses { traffic in
        traffic.ask("0a 03 00", "0b" + String(repeating: " 41", count: 22))
        traffic.ask("0c 03 00 16 00", "01 0c 03 00 07")
      } == ["0x0003 read 2: " + String(repeating: "41", count: 22) + " #2"])
  }

  @Test func mapOfReadMultiple() {
    #expect(
      uses { traffic in
        traffic.ask("0e 03 00 03 00", "0f 64 64")
      } == ["0x0003 read 2: 64 #2"])
  }

  @Test func mapOfAClientThatDoesNotWait() {
    let lines = uses { traffic in
      traffic.sent("0a 03 00")
      traffic.ask("0a 05 00", "0b 64")
      traffic.received("0b 65")
    }
    #expect(lines == ["0x0003 read 1: 64 #3", "0x0005 read 1: 65 #4"])
  }

  /// If a request follows, there was only one response, to the newest request.
  @Test func anAnswerThatIsMissing() {
    let write = { (traffic: inout Traffic) in
      traffic.sent("0a 03 00")
      traffic.ask("0a 05 00", "0b 64")
      traffic.ask("0a 06 00", "0b 66")
    }
    let results = converse { write(&$0) }
    #expect(
      results.lines == [
        "read 0x0003 #1 no response, overtaken", "read 0x0005: 64 #3", "read 0x0006: 66 #5",
      ])
    #expect(uses { write(&$0) } == ["0x0005 read 1: 64 #3", "0x0006 read 1: 66 #5"])
  }

  /// A server that responds out of order: a response that only matches the earlier request answers
  /// it.
  @Test func aLateAnswer() {
    let write = { (traffic: inout Traffic) in
      traffic.sent("0a 03 00")
      traffic.ask("12 05 00 02", "13")
      traffic.received("0b 64")
    }
    let results = run(write)
    #expect(results[3].answers == "answers 2 after 1 ms")
    #expect(results[4].answers == "answers 1 after 3 ms")
    #expect(results[4].problems == ["answersLate(1,0)"])
    #expect(converse { write(&$0) }.lines == ["write 0x0005: 02 #2", "read 0x0003: 64 #4"])
    #expect(uses { write(&$0) } == ["0x0003 read 1: 64 #4", "0x0005 write 1: 02 #2"])
  }

  /// A response that matches two requests is ambiguous.
  @Test func aLateAnswerOfTwo() {
    let results = run { traffic in
      traffic.sent("0a 03 00")
      traffic.sent("0a 04 00")
      traffic.ask("12 05 00 02", "13")
      traffic.received("0b 64")
    }
    #expect(results[5].answers == nil)
    #expect(results[5].problems == ["responseWithoutRequest(0,0)"])
  }

  /// The same at the end of the connection and of the capture.
  @Test func anAnswerThatNothingFollows() {
    let ended = converse { traffic in
      traffic.connect()
      traffic.sent("0a 03 00")
      traffic.ask("0a 05 00", "0b 64")
      traffic.disconnect()
    }
    #expect(ended.lines == ["read 0x0003 #2 no response, overtaken", "read 0x0005: 64 #4"])
    let write = { (traffic: inout Traffic) in
      traffic.sent("12 03 00 01")
      traffic.ask("12 05 00 02", "13")
    }
    #expect(
      converse { write(&$0) }.lines == [
        "write 0x0003: 01 #1 no response, overtaken", "write 0x0005: 02 #2",
      ])
    #expect(uses { write(&$0) } == ["0x0005 write 1: 02 #2"])
  }

  /// Three and four open requests: each further response shifts the earlier ones.
  @Test(arguments: [3, 4])
  func severalAtOnce(_ count: Int) {
    let write = { (traffic: inout Traffic) in
      for handle in 1...count { traffic.sent("0a 0\(handle) 00") }
      for handle in 1...count { traffic.received("0b 0\(handle)") }
    }
    let expected = (1...count).map { "read 0x000\($0): 0\($0) #\(count + $0)" }
    #expect(converse { write(&$0) }.lines == expected)
    #expect(uses { write(&$0) } == (1...count).map { "0x000\($0) read 1: 0\($0) #\(count + $0)" })
  }

  /// Of five requests the oldest is forgotten: responses are ambiguous, and none is assigned.
  @Test func moreThanAreRemembered() {
    let write = { (traffic: inout Traffic) in
      for handle in 1...5 { traffic.sent("0a 0\(handle) 00") }
      for handle in 1...5 { traffic.received("0b 0\(handle)") }
    }
    let lines = converse { write(&$0) }.lines
    #expect(
      lines.filter { !$0.contains("no response") } == (1...5).map { "read: 0\($0) #\(5 + $0)" })
    #expect(uses { write(&$0) } == [])
    // A single response still answers the newest request.
    let one = converse { traffic in
      for handle in 1...5 { traffic.sent("0a 0\(handle) 00") }
      traffic.received("0b 05")
      traffic.sent("0a 06 00")
    }
    #expect(one.lines.contains("read 0x0005: 05 #6"), "\(one.lines)")
  }

  /// Every response may belong to the forgotten request, even if it names an attribute.
  @Test func answersAmongMoreThanAreRemembered() {
    var traffic = Traffic()
    for handle in 1...5 { traffic.sent("0a 0\(handle) 00") }
    traffic.received("01 0a 03 00 02")
    for handle in 4...5 { traffic.received("0b 0\(handle)") }
    var doubts = Doubts()
    traffic.report(to: &doubts)
    #expect(doubts.lines == ["#6 0 corrections", "#7 0 corrections", "#8 0 corrections"])
  }

  // MARK: Uses in map

  /// If a read of several values was requested, its values are assigned to that request.
  @Test func severalReadsWithoutTheirRequest() {
    let lines = uses { traffic in
      traffic.ask("0a 22 00", "0b 55")
      traffic.ask("0e 22 00 24 00", "0f 01 02 03")
      traffic.received("0f a0 a1 a2 a3")
    }
    #expect(lines == ["0x0022 read 2: 01 #4", "0x0024 read 1: 0203 #4"])
  }

  /// The first of two writes succeeded, the second was refused.
  @Test func writesThatDoNotWait() {
    let lines = uses { traffic in
      traffic.sent("12 09 00 01")
      traffic.ask("12 09 00 02", "13")
      traffic.received("01 12 09 00 03")
    }
    #expect(lines == ["0x0009 write 2: 01 #1"])
  }

  /// Reading a part of an unknown value is a use, but the part is not the value.
  @Test func aPartAlone() {
    let lines = uses { traffic in
      traffic.ask("0c 05 00 16 00", "0d 42 42")
    }
    #expect(lines == ["0x0005 read 1:  #0"])
  }

  /// Prepared values are written when they are executed, not before (Core, Vol 3, Part F, 3.4.6).
  @Test(arguments: [("", UInt8(0)), ("18 00", 0), ("18 01", 0x08)])
  func preparedWrites(_ execute: String, _ properties: UInt8) {
    var traffic = Traffic()
    traffic.ask("16 07 00 00 00 01 02", "17 07 00 00 00 01 02")
    if !execute.isEmpty {
      traffic.sent(execute)
      traffic.received("19")
    }
    var report = Using()
    traffic.report(to: &report)
    #expect(report.properties == [properties], "\(execute)")
  }

  /// Two of three are answered: the oldest has no response in the capture.
  @Test func twoOfThreeAnswered() {
    let results = converse { traffic in
      for handle in 1...3 { traffic.sent("0a 0\(handle) 00") }
      traffic.received("0b 02")
      traffic.received("0b 03")
      traffic.sent("0a 04 00")
    }
    #expect(
      results.lines.prefix(3) == [
        "read 0x0001 #1 no response, overtaken", "read 0x0002: 02 #4", "read 0x0003: 03 #5",
      ])
  }

  /// If formats have a fixed length, a value shows at once which of two reads it answers: PnP ID (7
  /// bytes) and Volume State (3 bytes), which bluetoothd reads on enhanced bearers without waiting.
  @Test func lengthsTell() {
    let results = run { traffic in
      traffic.ask("08 01 00 ff ff 03 28", "09 07 02 00 02 03 00 50 2a 04 00 02 05 00 7d 2b")
      traffic.sent("0a 03 00")
      traffic.ask("0a 05 00", "0b 02 6b 1d 46 02 42 05")
      traffic.received("0b 00 00 00")
      // The response to the first one is missing.
      traffic.sent("0a 03 00")
      traffic.ask("0a 05 00", "0b 00 00 00")
    }
    #expect(
      results[5].answers == "answers 3 after 2 ms" && results[6].answers == "answers 4 after 2 ms")
    #expect(results[9].answers == "answers 8 after 1 ms")
    #expect(results.problems == ["requestBeforeResponse(3,0)", "requestBeforeResponse(7,0)"])
  }

  /// The length of a list's items distinguishes declarations from values; the offset distinguishes
  /// the parts of a prepared write.
  @Test(arguments: [
    (
      "08 01 00 ff ff 00 2a", "08 01 00 ff ff 03 28", "09 05 03 00 41 42 43",
      "09 07 02 00 02 03 00 00 2a"
    ),
    (
      "08 01 00 ff ff 02 28", "08 01 00 ff ff 03 28", "09 08 02 00 10 00 12 00 0f 18",
      "09 07 05 00 02 06 00 00 2a"
    ),
    ("16 03 00 00 00 01", "16 03 00 01 00 02", "17 03 00 00 00 01", "17 03 00 01 00 02"),
  ])
  func contentsTell(_ first: String, _ second: String, _ toFirst: String, _ toSecond: String) {
    let results = run { traffic in
      traffic.sent(first)
      traffic.sent(second)
      traffic.received(toFirst)
      traffic.received(toSecond)
    }
    #expect(
      results[3].answers == "answers 1 after 2 ms" && results[4].answers == "answers 2 after 2 ms")
    #expect(results.problems == ["requestBeforeResponse(1,0)"])
  }

  /// Responses that may end another search are not used to learn attributes.
  @Test func nothingIsLearntFromWhatIsOpen() {
    let results = run { traffic in
      traffic.sent("10 01 00 ff ff 00 28")
      traffic.ask("10 01 00 ff ff 01 28", "11 06 01 00 05 00 00 18")
    }
    #expect(results.memory.attributes.servers.allSatisfy { $0.count == 0 })
  }

  /// A value that may be a key is not assigned to an attribute.
  @Test func whatMayBeAKey() {
    let results = converse { traffic in
      traffic.ask("08 01 00 ff ff 03 28", "09 07 02 00 02 03 00 88 2b 04 00 02 05 00 01 2b")
      traffic.sent("0a 03 00")
      traffic.ask("0a 05 00", "0b 01 02 03 04")
      traffic.sent("0a 05 00")
    }
    let read = results.results.first { $0.line.contains("01020304") }
    #expect(read?.value.isSecret == true, "\(results.lines)")
  }
}

/// Collects the responses that may belong to other requests, and their corrections.
private struct Doubts: PacketReport {
  private(set) var lines: [String] = []
  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    guard !memory.doubt.alternatives.isEmpty else { return }
    lines.append("#\(packet.record.number) \(memory.doubt.corrections.count) corrections")
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}

/// Collects the uses of attributes.
private struct Using: PacketReport {
  private var uses = AttributeUses()
  private var conversations = Conversations()
  private(set) var lines: [String] = []
  private(set) var properties: [UInt8] = []
  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    conversations.observe(packet, memory)
    uses.observe(conversations)
    uses.note(packet, memory)
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    conversations.finish(memory)
    uses.finish(conversations, memory)
    for key in uses.keys(memory.attributes) {
      for use in uses.uses(of: key, memory.attributes) {
        properties.append(use.properties.rawValue)
        let counts = ValueOperation.allCases.compactMap { operation in
          let count = use.count(of: operation)
          return count > 0 ? "\(operation.key) \(count)" : nil
        }
        guard !counts.isEmpty else { continue }
        let value = (use.value ?? []).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }
        let handle = String(UInt32(use.handle) | 0x10000, radix: 16).dropFirst()
        lines.append(
          "0x\(handle) \(counts.joined(separator: ", ")): \(value.joined()) #\(use.valuePacket)")
      }
    }
  }
}
