import Bluetooth
import Captures
import Diagnosis
import Histories
import MadeTraffic
import Sessions
import Testing
import Meanings

@Suite("Rules about what the capture lacks") struct CaptureRuleTests {
  @Test("dropped records, with the packets after the gaps") func dropped() {
    let evidence = evidence {
      $0.connect()
      $0.add([4, 0x13, 5, 1, 0x40, 0, 1, 0], .received, drops: 12)
    }
    #expect(
      evidence.lines(of: "capture_dropped") == [
        "12 records were dropped while recording #2"
      ])
    #expect(
      evidence.lacks.map(\.text) == [
        "12 records dropped", "commands and events only, no data", "includes connection setup",
      ])
  }

  @Test("more packets completed than sent, and responses to missing commands")
  func missing() {
    let evidence = evidence {
      $0.perform(0x0c03)
      $0.connect()
      $0.sent("52 03 00 01")
      $0.completed(3)
      $0.complete(0x1009)
      $0.disconnect()
    }
    #expect(evidence.packets(of: "capture_records_missing") == ["#7 #6"])
    #expect(
      evidence.finding("capture_records_missing").whyText.contains(
        "does not show as sent (connection 1) and 1 answer belongs to a command"))
  }

  @Test(
    "responses at the beginning, a second response to one command, and a link without its beginning"
  )
  func notMissing() {
    let evidence = evidence {
      $0.complete(0x1009)
      $0.perform(0x0c03)
      $0.begin(0x200e)
      $0.complete(0x200e)
      $0.event(0x0e, [1, 0, 0])
      $0.sent("0a 03 00")
      $0.completed(3)
      $0.received("0b 01")
    }
    #expect(evidence.lines(of: "capture_records_missing") == [])
  }

  @Test("records that btmon lost silently are noticed") func silentLoss() throws {
    let name = "kernel/btmon-lost-59.btsnoop"
    guard let evidence = try evidence(ofCapture: name, beside: true) else { return }
    #expect(
      evidence.lines(of: "capture_records_missing") == [
        "At least 1 record is missing #1758"
      ])
    #expect(evidence.lacks.map(\.text) == ["records missing", "includes connection setup"])
  }

  @Test("packets that were cut short; if most data is, Android's filtered log is named")
  func truncated() throws {
    let one = evidence {
      $0.connect()
      $0.received("0b 01")
      $0.acl(notification(20), .received, kept: 8)
      $0.received("0b 01")
    }
    #expect(
      one.lines(of: "capture_truncated") == [
        "1 packet was cut short by the recorder #3"
      ])
    #expect(one.finding("capture_truncated")?.why.text.contains("Android") == false)
    let most = evidence { traffic in
      traffic.connect()
      for _ in 0..<3 { traffic.acl(notification(20), .received, kept: 9) }
    }
    #expect(most.finding("capture_truncated").whyText.contains("Android"))
    #expect(
      most.lacks.map(\.text) == [
        "includes connection setup", "3 records cut short",
      ])
  }

  @Test(
    "lengths identify the setting that cut packets, unless a whole packet contradicts",
    arguments: [
      (10, CutLengths.Reason.summary), (9, .headers), (4, .channels), (40, .snapshot(45)),
    ])
  func settings(_ kept: Int, _ reason: CutLengths.Reason) {
    func found(_ build: (inout Traffic) -> Void) -> CutLengths.Reason? {
      evidence { traffic in
        traffic.connect()
        for _ in 0..<3 { traffic.acl(notification(60), .received, kept: kept) }
        build(&traffic)
      }.coverage.cuts.reason
    }
    #expect(found { _ in } == reason)
    #expect(found { $0.acl(notification(60), .received, .flushable) } == nil)
    // Android does not cut signalling on BR/EDR.
    if case .snapshot = reason { return }
    #expect(
      found { $0.acl([40, 0, 1, 0] + [UInt8](repeating: 0, count: 40), .received) } == reason)
  }

  @Test("payloads that Android removes, whose headers agree with what is left") func payloads() {
    /// A frame on an RFCOMM channel of which `text` is left; it had 40 bytes more.
    func frame(_ traffic: inout Traffic, _ text: String) {
      let start = [0x21, 0xef, 0x51] + Array(text.utf8)
      let left = little(start.count) + little(0x41) + start
      traffic.acl(
        left + [UInt8](repeating: 7, count: 40), .received, claimed: left.count, kept: left.count)
    }
    let removed = evidence { traffic in
      traffic.connect()
      frame(&traffic, "PROHIBITED")
      frame(&traffic, "")
      traffic.acl([UInt8](repeating: 7, count: 40), .received, .more, kept: 0)
      traffic.received("1b 0e 00 01 02")
    }
    #expect(removed.coverage.cuts.reason == .payloads)
    #expect(removed.finding("capture_truncated")?.severity == .note)
    #expect(removed.finding("capture_truncated").whyText.contains("PROHIBITED"))
    let cut = evidence { traffic in
      traffic.connect()
      frame(&traffic, "PROHIBITED")
      traffic.acl(notification(60), .received, kept: 30)
    }
    #expect(cut.coverage.cuts.reason == nil)
  }

  @Test("a connection without its beginning; with it, no finding") func late() {
    let late = evidence {
      $0.ask("0a 03 00", "0b 01")
      $0.disconnect()
    }
    #expect(late.packets(of: "capture_starts_late") == ["#1"])
    #expect(
      late.lacks.map(\.text) == ["starts in the middle of 1 connection"])
    let whole = evidence {
      $0.connect()
      $0.received("0b 01")
      $0.disconnect()
    }
    #expect(rules(in: whole) == [])
    #expect(whole.lacks.map(\.text) == ["includes connection setup"])
  }

  @Test("a capture with only data is reported as such, not as a late start") func dataAlone() {
    let evidence = evidence {
      $0.ask("10 01 00 ff ff 00 28", "01 10 01 00 0a")
    }
    #expect(rules(in: evidence) == ["capture_data_only"])
    #expect(
      evidence.lacks.map(\.text) == ["data only, no commands and events"])
  }

  @Test(
    "one direction is missing only if what is there needs the other: a stream does not",
    arguments: [
      (["1b 03 00 01"], .received, 0),
      (["52 03 00 01"], .sent, 0),
      (["0a 03 00"], .sent, 0),
      (["0a 03 00", "0a 05 00"], .sent, 1),
      (["0b 01"], .received, 1),
      (["1e"], .sent, 1),
    ] as [([String], Direction, Int)])
  func oneSided(_ pdus: [String], _ direction: Direction, _ expected: Int) {
    func found(_ more: (inout Traffic) -> Void) -> Int {
      evidence { traffic in
        traffic.connect()
        // Twenty values need no answer.
        for _ in 0..<20 {
          traffic.att(direction == .sent ? "52 03 00 01" : "1b 03 00 01", direction)
        }
        for pdu in pdus { traffic.att(pdu, direction) }
        more(&traffic)
      }.lines(of: "capture_one_sided").count
    }
    #expect(found { _ in } == expected, "\(pdus)")
    #expect(
      found { $0.att("1b 03 00 01", direction == .sent ? .received : .sent) } == 0,
      "\(pdus): both directions")
  }

  @Test("a clock that goes back by two seconds, or jumps by two hours") func clock() {
    let back = evidence {
      $0.connect()
      $0.clock -= 2000
      $0.received("0b 01")
    }
    #expect(
      back.lines(of: "capture_clock_jumps") == [
        "The capture's clock goes back 1 time, by up to 2.0 s #2"
      ])
    let pause = evidence {
      $0.connect()
      $0.clock += 7_200_000
      $0.received("0b 01")
    }
    #expect(
      pause.lines(of: "capture_clock_jumps") == [
        "Nothing was captured for up to 2.0 h #2"
      ])
    let disorder = evidence {
      $0.connect()
      $0.clock -= 500
      $0.received("0b 01")
      $0.clock += 3_000_000
      $0.received("0b 01")
    }
    #expect(disorder.lines(of: "capture_clock_jumps") == [])
  }

  @Test("a capture that breaks off") func damaged() {
    let evidence = evidence(failure: CaptureFailure(.damaged, "record 2 is not all there")) {
      $0.connect()
    }
    #expect(evidence.packets(of: "capture_ends_damaged") == ["#1"])
    #expect(evidence.lacks.map(\.text).last == "damaged at its end")
  }

  @Test("handles that are used without discovery are from the host's cache") func cached() throws {
    let evidence = evidence {
      $0.connect()
      $0.ask("0a 03 00", "0b 01")
      for _ in 0..<3 { $0.sent("52 05 00 01") }
    }
    let finding = try #require(evidence.finding("capture_cached_discovery"))
    #expect(finding.packets == "#3 #6")
    #expect(finding.severity == .note)
  }

  @Test("after a discovery, in this connection or an earlier one, they are not")
  func discovered() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("0a 13 00", "0b 01")
      $0.disconnect()
      $0.connect()
      for _ in 0..<4 { $0.sent("12 15 00 01") }
      for _ in 0..<4 { $0.received("1b 10 00 01") }
    }
    #expect(evidence.lines(of: "capture_cached_discovery") == [])
    let seldom = DiagnosisTests.evidence {
      $0.connect()
      for _ in 0..<3 { $0.sent("52 03 00 01") }
    }
    #expect(rules(in: seldom) == [], "three uses are too few")
  }

  @Test("a discovered descriptor says nothing about the other handles") func part() throws {
    let evidence = evidence {
      $0.connect()
      $0.ask("04 11 00 11 00", "05 01 11 00 02 29")
      $0.ask("12 11 00 01 00", "13")
      for _ in 0..<2 { $0.ask("0a 13 00", "0b 01") }
      $0.ask("0a 14 00", "01 0a 14 00 02")
      $0.received("1b 10 00 01")
    }
    let finding = try #require(evidence.finding("capture_cached_discovery"))
    #expect(
      finding.line == "This host did not discover all the peer's attributes that it uses #7 #12")
    // The peer sends this value, so this host does not use the handle.
    #expect(
      finding.why.text.contains("handles of the peer 3 times and the peer sent 1 value on its own"))
  }

  @Test("values that the peer sends unrequested count as use, too") func notified() throws {
    let evidence = evidence {
      $0.connect()
      for _ in 0..<3 { $0.received("1b 05 00 01") }
      $0.ask("1d 05 00 01", "1e", by: .received)
    }
    let finding = try #require(evidence.finding("capture_cached_discovery"))
    #expect(finding.packets == "#2 #5")
    #expect(finding.why.text.hasPrefix("The peer sent 4 values on its own"))
  }

  @Test("a read by type of a value is not a discovery, and a peer's request is not use")
  func notDiscovered() {
    let byType = evidence {
      $0.connect()
      $0.ask("08 01 00 ff ff 2a 2b", "01 08 01 00 0a")
      for _ in 0..<4 { $0.sent("52 03 00 01") }
    }
    #expect(rules(in: byType) == ["capture_cached_discovery"])
    #expect(
      byType.finding("capture_cached_discovery").whyText.hasSuffix(
        "If the peer's firmware has changed since, they may be wrong."))
    let server = evidence {
      $0.connect(role: 1)
      $0.ask("0a 03 00", "0b 01", by: .received)
      for _ in 0..<4 { $0.sent("1b 03 00 01") }
    }
    #expect(rules(in: server) == [])
  }

  @Test("captures whose link type has no direction report that") func direction() throws {
    guard let evidence = try evidence(ofCapture: "pairing-fails.pcap") else { return }
    #expect(evidence.findings(of: "capture_direction_missing").count == 1)
  }

  @Test("a capture without connections that ends with a command") func endsUnanswered() throws {
    func capture(
      connects: Bool = false, answers: Bool = false, others: Int = 0
    ) -> [String] {
      evidence {
        $0.perform(0x0c03)
        if connects { $0.connect() }
        for _ in 0..<others { $0.command(0x1002) }
        $0.command(0x1001)
        if answers { $0.status(0x1001) }
      }.lines(of: "capture_ends_unanswered")
    }
    #expect(
      capture() == [
        "The capture ends with Read Local Version Information (#3), which has no answer in it #3"
      ])
    #expect(capture(answers: true) == [])
    #expect(capture(connects: true) == [], "it shows other things")
    #expect(capture(others: 1) == [], "others had no answer, either")
  }
}
