// Claims that depend on more than one packet: what the server allowed later, how long an answer may
// take, whether values were due.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Refusals, silence and gaps with another reason") struct StateTests {
  // MARK: Refusals

  /// Returns what a rule finds if a request is refused, something happens, and it is allowed.
  private static func repeated(
    _ rule: String, _ request: String, _ refusal: String, _ answer: String,
    before: (inout Traffic) -> Void = { _ in }, between: (inout Traffic) -> Void = { _ in },
    again: String? = nil
  ) -> Finding? {
    let evidence = evidence {
      $0.connectToHeartRate()
      before(&$0)
      $0.ask(request, refusal)
      between(&$0)
      $0.wait(600)
      $0.ask(again ?? request, answer)
      $0.disconnect()
    }
    return evidence.finding(rule)
  }

  /// The error codes that name a lasting reason.
  @Test(
    "a request that is allowed later, with the same protection, depended on the server's state",
    arguments: [
      ("att_insufficient_authentication", "05"), ("att_insufficient_encryption", "0f"),
      ("att_not_permitted", "03"), ("att_invalid_handle", "01"), ("att_invalid_length", "0d"),
      ("att_key_size", "0c"),
    ])
  func state(_ rule: String, _ code: String) throws {
    let finding = try #require(
      Self.repeated(rule, "12 15 00 01", "01 12 15 00 \(code)", "13"), "\(rule) found nothing")
    #expect(
      finding.why.text.hasPrefix(
        "It did not depend on what the error code names: the peer allowed the same request 602 ms "
          + "later (#10, #11), and "))
    #expect(finding.grounds == .fact)
    #expect(finding.severity == .note || finding.isResolved, "it was allowed in the end")
    #expect(finding.remedy?.text.hasPrefix("Find out what the server waits for") == true)
  }

  @Test("a write in between is named, and another value may be the reason") func reason() throws {
    let login = try #require(
      Self.repeated(
        "att_insufficient_authentication", "0a 13 00", "01 0a 13 00 05", "0b 01",
        between: { $0.ask("12 15 00 07", "13") }))
    #expect(
      login.why.text.hasSuffix(
        "in between, this host wrote to 2a39 Heart Rate Control Point (#11)."))
    let other = try #require(
      Self.repeated(
        "att_not_permitted", "12 15 00 01", "01 12 15 00 03", "13", again: "12 15 00 02"))
    #expect(other.why.text.contains("the peer allowed a write of another value"))
  }

  @Test("an encryption in between is the reason") func encrypted() throws {
    let finding = try #require(
      Self.repeated(
        "att_insufficient_authentication", "12 15 00 01", "01 12 15 00 05", "13",
        between: { $0.pairAndBond() }))
    #expect(!finding.why.text.contains("state"), "\(finding.why.text)")
    #expect(finding.remedy?.text.hasPrefix("Nothing") == true)
  }

  @Test(
    "an authenticated key is not demanded by a server that allows the request with the same key")
  func demanded() throws {
    let finding = try #require(
      Self.repeated(
        "att_mitm_demanded", "0a 13 00", "01 0a 13 00 05", "0b 01", before: { $0.pairAndBond() }))
    #expect(finding.grounds == .fact)
    #expect(
      finding.remedy?.text.hasSuffix("Pairing again or another key changes nothing.") == true)
  }

  @Test("a CCCD has two bytes") func configurationLength() throws {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("12 11 00 01", "01 12 11 00 0d")
      $0.disconnect()
    }
    let finding = try #require(
      evidence.finding("att_invalid_length"))
    #expect(
      finding.why.text.hasSuffix("Nothing succeeded after it, and the peer disconnected (#10)."))
  }

  // MARK: Time

  /// Returns what is found if this host disconnects `wait` milliseconds after a request.
  private static func impatient(_ wait: Int, interval: Int, latency: Int = 0) -> [String] {
    let evidence = evidence {
      $0.connectToHeartRate()
      // LE Connection Update Complete: interval, latency, timeout.
      $0.meta(
        0x03, [0] + little(0x40) + little(interval) + little(latency) + little(3200))
      $0.sent("0a 13 00")
      $0.wait(wait)
      $0.askToDisconnect()
      $0.wait(10_000)
      $0.disconnect(reason: 0x16)
    }
    return evidence.lines(of: "att_request_unanswered")
  }

  @Test("an answer needs some connection events") func patience() {
    // 30 ms, 1 s, 4 s, and 100 ms with a latency of 19.
    #expect(Self.impatient(2500, interval: 24).count == 1)
    #expect(Self.impatient(2500, interval: 800) == [])
    #expect(Self.impatient(5500, interval: 800).count == 1)
    #expect(Self.impatient(9000, interval: 3200) == [])
    #expect(Self.impatient(2500, interval: 80, latency: 19) == [])
    #expect(Self.impatient(1500, interval: 24) == [], "the wait ends with the command")
  }

  /// Returns the findings about a counter in values that arrive with this period; `jump` is the
  /// time before the value after the gap.
  private static func counting(period: Int, jump: Int) -> [Finding] {
    let evidence = evidence {
      $0.connect()
      for value in Array(1..<25) + Array(28..<40) {
        $0.wait((value == 28 ? jump : period) - 1)
        $0.received("1b 10 00 \(String(value, radix: 16)) 00")
      }
      $0.disconnect()
    }
    return evidence.findings(of: "gatt_counter_gap")
  }

  @Test("a counter that jumps without a pause lost nothing, if the queue was idle") func idle() {
    #expect(Self.counting(period: 1000, jump: 4000).map(\.certainty) == [.likely])
    #expect(Self.counting(period: 1000, jump: 1000).isEmpty)
    let busy = Self.counting(period: 30, jump: 30)
    #expect(busy.map(\.certainty) == [.possible] && busy.map(\.severity) == [.note])
  }

  // MARK: Subscriptions

  /// Returns what is found if this host subscribes and writes three times to the service at 0x0020,
  /// which is write-only or also has a sender.
  private static func elsewhere(_ subscription: String, sends: Bool) -> [String] {
    let evidence = evidence {
      $0.connect()
      $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 11 00 0f 18 20 00 25 00 f0 ff")
      $0.ask("08 0e 00 11 00 03 28", "09 07 0f 00 12 10 00 \(subscription)")
      $0.ask(
        "08 20 00 25 00 03 28",
        sends ? "09 07 21 00 08 22 00 f1 ff 23 00 10 24 00 f2 ff" : "09 07 21 00 08 22 00 f1 ff")
      $0.ask("04 11 00 11 00", "05 01 11 00 02 29")
      $0.ask("12 11 00 01 00", "13")
      for _ in 0..<3 { $0.ask("12 22 00 05", "13") }
      $0.wait(5000)
      $0.disconnect()
    }
    return evidence.lines(of: "gatt_notifications_silent")
  }

  @Test("answers need a sender in the service, and Battery Level need not change") func silent() {
    #expect(Self.elsewhere("f5 ff", sends: true).count == 1)
    #expect(Self.elsewhere("f5 ff", sends: false) == [])
    #expect(Self.elsewhere("19 2a", sends: true) == [])
  }

  @Test("a clock that is set does not answer") func clock() {
    func writing(_ uuid: String) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 11 00 05 18")
        $0.ask("08 0e 00 11 00 03 28", "09 07 0f 00 18 10 00 \(uuid)")
        $0.ask("04 11 00 11 00", "05 01 11 00 02 29")
        $0.ask("12 10 00 01", "13")
        $0.wait(3000)
        $0.disconnect()
      }
      return evidence.lines(of: "gatt_not_subscribed")
    }
    #expect(writing("2c 2a").count == 1)
    #expect(writing("2b 2a") == [])
  }

  // MARK: Ends

  @Test("a peer that leaves after its last indication has probably finished") func finished() {
    func leaving(_ values: (inout Traffic) -> Void) -> [Finding] {
      let evidence = evidence { traffic in
        for _ in 0..<3 {
          traffic.connect()
          traffic.ask("0a 03 00", "0b 41")
          traffic.wait(1000)
          values(&traffic)
          traffic.wait(2000)
          traffic.disconnect()
          traffic.wait(5000)
        }
      }
      return evidence.findings(of: "link_peer_leaves")
    }
    let idle = leaving { _ in }
    #expect(idle.map(\.certainty) == [.likely])
    let sensor = leaving { $0.ask("1d 10 00 01", "1e", by: .received) }
    #expect(sensor.map(\.severity) == [.note] && sensor.map(\.certainty) == [.possible])
  }

  @Test("Service Changed for all handles is recognised by its subscription") func changed() {
    let evidence = evidence {
      $0.connect()
      $0.ask("10 01 00 ff ff 00 28", "11 06 01 00 04 00 01 18")
      $0.ask("08 01 00 04 00 03 28", "09 07 02 00 20 03 00 05 2a")
      $0.ask("04 04 00 04 00", "05 01 04 00 02 29")
      $0.ask("12 04 00 02 00", "13")
      $0.ask("1d 03 00 01 00 ff ff", "1e", by: .received)
      $0.disconnect()
    }
    #expect(evidence.lines(of: "gatt_service_changed").count == 1)
  }
}
