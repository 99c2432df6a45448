import Bluetooth
import Captures
import Diagnosis
import Histories
import Foundation
import MadeTraffic
import Meanings
import Sessions
import Testing

@Suite("Rules about what the capture lacks") struct CaptureTests {
  @Test("dropped records, with the packets after the gaps") func dropped() {
    let evidence = evidence {
      $0.connect()
      $0.add([4, 0x13, 5, 1, 0x40, 0, 1, 0], .received, drops: 12)
    }
    #expect(
      findings(of: "capture_dropped", in: evidence) == [
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
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.connect()
      $0.sent("52 03 00 01")
      $0.completed(3)
      $0.complete(0x1009)
      $0.disconnect()
    }
    #expect(
      findings(of: "capture_records_missing", in: evidence) == [
        "At least 3 records are missing #7 #6"
      ])
    #expect(
      first("capture_records_missing", in: evidence)?.why.text
        == "2 data packets were completed that the capture does not show as sent (connection 1) and 1 answer belongs to a command that the capture lacks."
    )
  }

  @Test(
    "responses at the beginning, a second response to one command, and a link without its beginning"
  )
  func notMissing() {
    let evidence = evidence {
      $0.complete(0x1009)
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0x200e)
      $0.status(0x200e)
      $0.complete(0x200e)
      $0.event(0x0e, [1, 0, 0])
      $0.sent("0a 03 00")
      $0.completed(3)
      $0.received("0b 01")
    }
    #expect(findings(of: "capture_records_missing", in: evidence) == [])
  }

  @Test("records that btmon lost silently are noticed") func silentLoss() throws {
    let name = "kernel/btmon-lost-59.btsnoop"
    guard let evidence = try evidence(ofCapture: name, beside: true) else { return }
    #expect(
      findings(of: "capture_records_missing", in: evidence) == [
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
      findings(of: "capture_truncated", in: one) == [
        "1 packet was cut short by the recorder #3"
      ])
    #expect(first("capture_truncated", in: one)?.why.text.contains("Android") == false)
    let most = evidence { traffic in
      traffic.connect()
      for _ in 0..<3 { traffic.acl(notification(20), .received, kept: 9) }
    }
    #expect(first("capture_truncated", in: most)?.why.text.contains("Android") == true)
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
    #expect(first("capture_truncated", in: removed)?.severity == .note)
    #expect(first("capture_truncated", in: removed)?.why.text.contains("PROHIBITED") == true)
    let cut = evidence { traffic in
      traffic.connect()
      frame(&traffic, "PROHIBITED")
      traffic.acl(notification(60), .received, kept: 30)
    }
    #expect(cut.coverage.cuts.reason == nil)
  }

  @Test("a connection without its beginning; with it, no finding") func late() {
    let late = evidence {
      $0.sent("0a 03 00")
      $0.received("0b 01")
      $0.disconnect()
    }
    #expect(
      findings(of: "capture_starts_late", in: late) == [
        "The capture starts in the middle of 1 connection #1"
      ])
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
      $0.sent("10 01 00 ff ff 00 28")
      $0.received("01 10 01 00 0a")
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
      findings(
        of: "capture_one_sided",
        in: evidence { traffic in
          traffic.connect()
          // Twenty values need no answer.
          for _ in 0..<20 {
            traffic.att(direction == .sent ? "52 03 00 01" : "1b 03 00 01", direction)
          }
          for pdu in pdus { traffic.att(pdu, direction) }
          more(&traffic)
        }
      ).count
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
      findings(of: "capture_clock_jumps", in: back) == [
        "The capture's clock goes back 1 time, by up to 2.0 s #2"
      ])
    let pause = evidence {
      $0.connect()
      $0.clock += 7_200_000
      $0.received("0b 01")
    }
    #expect(
      findings(of: "capture_clock_jumps", in: pause) == [
        "Nothing was captured for up to 2.0 h #2"
      ])
    let disorder = evidence {
      $0.connect()
      $0.clock -= 500
      $0.received("0b 01")
      $0.clock += 3_000_000
      $0.received("0b 01")
    }
    #expect(findings(of: "capture_clock_jumps", in: disorder) == [])
  }

  @Test("a capture that breaks off") func damaged() {
    let evidence = evidence(failure: CaptureFailure(.damaged, "record 2 is not all there")) {
      $0.connect()
    }
    #expect(
      findings(of: "capture_ends_damaged", in: evidence) == ["The capture is damaged after #1 #1"])
    #expect(evidence.lacks.map(\.text).last == "damaged at its end")
  }

  @Test("handles that are used without discovery are from the host's cache") func cached() throws {
    let evidence = evidence {
      $0.connect()
      $0.sent("0a 03 00")
      $0.received("0b 01")
      for _ in 0..<3 { $0.sent("52 05 00 01") }
    }
    let finding = try #require(first("capture_cached_discovery", in: evidence))
    #expect(finding.line == "This host did not discover the peer's services #3 #6")
    #expect(finding.severity == .note)
  }

  @Test("after a discovery, in this connection or an earlier one, they are not")
  func discovered() {
    let evidence = evidence {
      $0.connect()
      $0.discoverHeartRate()
      $0.ask("0a 13 00", "0b 01")
      $0.disconnect()
      $0.connect()
      for _ in 0..<4 { $0.sent("12 15 00 01") }
      for _ in 0..<4 { $0.received("1b 10 00 01") }
    }
    #expect(findings(of: "capture_cached_discovery", in: evidence) == [])
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
    let finding = try #require(first("capture_cached_discovery", in: evidence))
    #expect(
      finding.line == "This host did not discover all the peer's attributes that it uses #7 #12")
    // The peer sends this value, so this host does not use the handle.
    #expect(
      finding.why.text.hasPrefix(
        "This host used handles of the peer 3 times and the peer sent 1 value on its own. This host did not discover them: "
      ))
  }

  @Test("values that the peer sends unrequested count as use, too") func notified() throws {
    let evidence = evidence {
      $0.connect()
      for _ in 0..<3 { $0.received("1b 05 00 01") }
      $0.ask("1d 05 00 01", "1e", by: .received)
    }
    let finding = try #require(first("capture_cached_discovery", in: evidence))
    #expect(finding.line == "This host did not discover the peer's services #2 #5")
    #expect(
      finding.why.text
        == "The peer sent 4 values on its own, of handles that this host did not discover: it knows them from an earlier connection or not at all, or the peer uses the wrong handle."
    )
  }

  @Test("a read by type of a value is not a discovery, and a peer's request is not use")
  func notDiscovered() {
    let byType = evidence {
      $0.connect()
      $0.sent("08 01 00 ff ff 2a 2b")
      $0.received("01 08 01 00 0a")
      for _ in 0..<4 { $0.sent("52 03 00 01") }
    }
    #expect(rules(in: byType) == ["capture_cached_discovery"])
    #expect(
      first("capture_cached_discovery", in: byType)?.why.text.hasSuffix(
        "If the peer's firmware has changed since, they may be wrong.") == true)
    let server = evidence {
      $0.connect(role: 1)
      $0.received("0a 03 00")
      $0.sent("0b 01")
      for _ in 0..<4 { $0.sent("1b 03 00 01") }
    }
    #expect(rules(in: server) == [])
  }

  @Test("captures whose link type has no direction report that") func direction() throws {
    guard let evidence = try evidence(ofCapture: "pairing-fails.pcap") else { return }
    #expect(
      findings(of: "capture_direction_missing", in: evidence) == [
        "The capture does not record packet directions"
      ])
  }

  /// The rules about links, controllers and captures.
  private static let table = Rule.all.filter { rule in
    ["capture_", "hci_", "connect_", "link_"].contains { rule.id.description.hasPrefix($0) }
  }

  /// Captures with failed links: each error was checked against the packets.
  private static let failing: Set<String> = [
    "connecting-fails.btsnoop",
    // Disconnection Complete with Connection Timeout (0x08).
    "NovaX-Escooter-btsnoop_hci.log",
    "Reverse-Engineering-Bluetooth-Protocols-BTServer_-_with_alerts.pklg",
    "blefun-btsnoop_hci.log", "btsnooper-btsnoop_hci.log", "dsp408-tuner-btsnoop_hci.log",
    // Disconnection Complete with LL Response Timeout (0x22).
    "bj_led-btsnoop_hci.full.log",
    // Attempts of 30 s that this host cancelled, to devices that never answered.
    "OPPO-Earbuds-btsnoop_fresh.log", "fossibot-bluetooth-btsnoop_hci.log",
    "fuut-btsnoop_hci20241230_1.log",
    // LE Create Connection while another attempt is pending: Command Disallowed (0x0c).
    "hciparse-test00.pklg",
  ]

  @Test("the links of a key fob at the edge of its range, each with its packets") func edge() throws
  {
    guard let evidence = try evidence(ofCapture: "connecting-fails.btsnoop") else { return }
    let found = evidence.findings(by: Self.table).map { "\($0.rule): \($0.line)" }
    #expect(
      found == [
        "link_supervision_timeout: The link was lost: Connection Timeout (0x08) #78 #79 #82 #92",
        "capture_cached_discovery: This host did not discover the peer's services #78 #81",
        "connect_timeout: Could not connect to F3:F3:F3:F3:F3:F3 #13 #16 #18 #20",
        "connect_not_established: 3 links to one device were not established and ended after 185 ms: Connection Failed to be Established (0x3e) #30 #34 #44 #48 #58 #62",
      ])
  }

  @Test("a lock that disconnects after the same time, three times") func leaves() throws {
    guard let evidence = try evidence(ofCapture: "peer-leaves.btsnoop") else { return }
    #expect(
      findings(of: "link_peer_leaves", in: evidence) == [
        "The peer ended 3 connections after 5.7 s #142 #76 #124 #172"
      ])
  }

  @Test("captures of working sessions have no errors of these families")
  func working() throws {
    var seen = 0
    for isBeside in [false, true] {
      for folder in isBeside ? ["generated", "kernel", "real", "damaged"] : [""] {
        let place = (isBeside ? otherCaptures : project.appending(path: "captures")).appending(
          path: folder)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        for file in files.sorted() {
          let name = folder.isEmpty ? file : folder + "/" + file
          guard let evidence = try? evidence(ofCapture: name, beside: isBeside) else { continue }
          seen += 1
          for finding in evidence.findings(by: Self.table) where finding.severity == .error {
            #expect(Self.failing.contains(file), "\(name): \(finding.rule), \(finding.line)")
          }
        }
      }
    }
    #expect(seen >= 20, "only \(seen) captures were found")
  }

  @Test("a capture without connections that ends with a command") func endsUnanswered() throws {
    func capture(
      connects: Bool = false, answers: Bool = false, others: Int = 0
    ) -> [String] {
      findings(
        of: "capture_ends_unanswered",
        in: evidence {
          $0.command(0x0c03)
          $0.complete(0x0c03)
          if connects { $0.connect() }
          for _ in 0..<others { $0.command(0x1002) }
          $0.command(0x1001)
          if answers { $0.status(0x1001) }
        })
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
