// Writes that are accepted and not answered.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

/// Returns the bytes of text in hexadecimal.
func ascii(_ text: String) -> String {
  text.utf8.map { "\(($0 < 16 ? "0" : "") + String($0, radix: 16))" }.joined(separator: " ")
}

extension Traffic {
  /// Discovers the service fff0 of a vendor, 0x000e to 0x0013: fff1 at 0x0010 (notify, or
  /// `sender`), its CCCD at 0x0011, fff2 at 0x0013 (write with and without response, or `written`).
  /// Eight packets.
  mutating func discoverVendor(
    written: String = "0c", sender: String = "10", uuid: String = "f0 ff"
  ) {
    ask("10 01 00 ff ff 00 28", "11 06 0e 00 13 00 \(uuid)")
    ask("10 14 00 ff ff 00 28", "01 10 14 00 0a")
    ask(
      "08 0e 00 13 00 03 28", "09 07 0f 00 \(sender) 10 00 f1 ff 12 00 \(written) 13 00 f2 ff")
    ask("04 11 00 11 00", "05 01 11 00 02 29")
  }

  /// Discovers a service with a control point, 0x000e to 0x0014: 2a18 at 0x0010 (notify), its CCCD
  /// at 0x0011, the control point at 0x0013 (write, indicate), its CCCD at 0x0014. Enables both.
  mutating func discoverControl(_ uuid: String, enables: Bool = true) {
    ask("10 01 00 ff ff 00 28", "11 06 0e 00 14 00 08 18")
    ask(
      "08 0e 00 14 00 03 28", "09 07 0f 00 10 10 00 18 2a 12 00 28 13 00 \(uuid)")
    ask("04 11 00 11 00", "05 01 11 00 02 29")
    ask("04 14 00 14 00", "05 01 14 00 02 29")
    ask("12 11 00 01 00", "13")
    if enables { ask("12 14 00 02 00", "13") }
  }

  /// Ends the link after a time.
  mutating func end(after milliseconds: Int) {
    wait(milliseconds)
    askToDisconnect()
    disconnect()
  }
}

@Suite("Accepted, but not answered") struct SilenceRuleTests {
  /// A client that subscribes to fff1 and writes to fff2.
  private func writes(
    _ values: [String] = ["aa 01", "aa 02", "aa 03"], subscription: String = "01 00",
    uuid: String = "f0 ff", lasts: Int = 3000, _ after: (inout Traffic) -> Void = { _ in }
  ) -> Evidence {
    evidence {
      $0.connect()
      $0.discoverVendor(uuid: uuid)
      $0.ask("12 11 00 \(subscription)", "13")
      for value in values { $0.ask("12 13 00 \(value)", "13") }
      after(&$0)
      $0.end(after: lasts)
    }
  }

  @Test("subscribed, wrote three values, nothing came: a note") func silent() {
    let evidence = writes()
    #expect(
      evidence.lines(of: "gatt_writes_unanswered") == [
        "3 writes to fff2 were accepted, but no answer came on fff1 #10 #12 #16"
      ])
    let found = evidence.finding("gatt_writes_unanswered")
    #expect(found?.severity == .note)
    #expect(found?.certainty == .possible)
  }

  @Test("commands, too; text without a line end is mentioned") func commands() {
    let text = evidence {
      $0.connect()
      $0.discoverVendor()
      $0.ask("12 11 00 01 00", "13")
      for _ in 0..<3 { $0.sent("52 13 00 \(ascii("AT+VER?"))") }
      $0.end(after: 3000)
    }
    let found = text.finding("gatt_writes_unanswered")
    #expect(found?.what.text == "3 commands to fff2 were sent, but no answer came on fff1")
    #expect(found.whyText.hasSuffix("All of them are text with no line end."))
  }

  @Test("text with CR LF is answered, text without is not: that is mentioned") func lineEnd() {
    let evidence = evidence {
      $0.connect()
      $0.discoverVendor()
      $0.ask("12 11 00 01 00", "13")
      // The value may come before the response.
      $0.sent("12 13 00 \(ascii("AT+VER?\r\n"))")
      $0.received("1b 10 00 \(ascii("2.1\r\n"))")
      $0.received("13")
      $0.ask("12 13 00 \(ascii("AT+BAT?\r\n"))", "13")
      $0.received("1b 10 00 \(ascii("87\r\n"))")
      for _ in 0..<3 { $0.ask("12 13 00 \(ascii("AT+MODE=2"))", "13") }
      $0.end(after: 3000)
    }
    let found = evidence.finding("gatt_writes_unanswered")
    #expect(found?.line.hasPrefix("3 writes to fff2 were accepted") == true)
    #expect(found?.severity == .note && found?.certainty == .possible)
    #expect(
      found.whyText.hasSuffix(
        "Their line end differs: no line end, but CR LF (0x0d 0x0a) in 2 earlier writes after which it sent a value."
      ))
    #expect(found.remedyText.contains("CR LF (0x0d 0x0a)"))
  }

  @Test("an answer, a read, another service, a short or slow link, lost records: nothing")
  func answered() {
    let text = Array(repeating: ascii("AT+VER?\r\n"), count: 3)
    let captures = [
      writes { $0.received("1b 10 00 01") },
      writes { $0.ask("0a 10 00", "0b 01") },
      writes(Array(repeating: "aa 01", count: 2)),
      writes(lasts: 1000),
      writes(subscription: "00 00"),
      // A service of the Bluetooth SIG sends values when they change.
      writes(uuid: "05 18"),
      // Values of another service.
      evidence {
        $0.connect()
        $0.discoverVendor()
        $0.discoverThermometer()
        $0.ask("12 11 00 01 00", "13")
        $0.ask("12 19 00 02 00", "13")
        $0.received("1d 18 00 00 00 00 00 00")
        $0.sent("1e")
        for _ in 0..<3 { $0.ask("12 13 00 aa 01", "13") }
        $0.end(after: 3000)
      },
      // It sent values before, and what is written has the same form.
      evidence {
        $0.connect()
        $0.discoverVendor()
        $0.ask("12 11 00 01 00", "13")
        $0.ask("12 13 00 \(text[0])", "13")
        $0.received("1b 10 00 01")
        for value in text { $0.ask("12 13 00 \(value)", "13") }
        $0.end(after: 3000)
      },
      // An interval of 500 ms.
      writes { $0.parametersChanged("90 01 00 00 90 01") },
      // Refused.
      evidence {
        $0.connect()
        $0.discoverVendor()
        $0.ask("12 11 00 01 00", "13")
        for _ in 0..<3 { $0.ask("12 13 00 aa 01", "01 12 13 00 80") }
        $0.end(after: 3000)
      },
      // Without the opening.
      evidence {
        $0.discoverVendor()
        $0.ask("12 11 00 01 00", "13")
        for _ in 0..<3 { $0.ask("12 13 00 aa 01", "13") }
        $0.end(after: 3000)
      },
    ]
    for (index, evidence) in captures.enumerated() {
      #expect(evidence.lines(of: "gatt_writes_unanswered") == [], "capture \(index)")
    }
  }

  @Test("a client that ends its subscription, and goes on writing") func unsubscribed() {
    func capture(again: Bool = false, writes: Int = 3) -> Evidence {
      evidence {
        $0.connect()
        $0.discoverVendor()
        $0.ask("12 11 00 01 00", "13")
        $0.ask("12 13 00 aa 01", "13")
        $0.received("1b 10 00 01")
        $0.ask("12 11 00 00 00", "13")
        if again { $0.ask("12 11 00 01 00", "13") }
        for _ in 0..<writes { $0.ask("12 13 00 aa 01", "13") }
        $0.end(after: 3000)
      }
    }
    #expect(
      capture().lines(of: "gatt_unsubscribed") == [
        "This host ended its subscription to fff1, then wrote 3 values to fff2 #15 #17 #21"
      ])
    #expect(capture(again: true).lines(of: "gatt_unsubscribed") == [])
    #expect(capture(writes: 2).lines(of: "gatt_unsubscribed") == [])
  }

  // MARK: Control points

  @Test("a control point without a result") func control() {
    func capture(
      _ lasts: Int = 6000, enables: Bool = true, _ after: (inout Traffic) -> Void = { _ in }
    ) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.discoverControl("d9 2a", enables: enables)
        $0.ask("12 13 00 00", "13")
        $0.ask("12 13 00 05 78 00", "13")
        after(&$0)
        $0.end(after: lasts)
      }
      return evidence.lines(of: "gatt_result_missing")
    }
    #expect(
      capture() == [
        "The peer did not report the results of 2 writes to 2ad9 Fitness Machine Control Point #12 #14 #16"
      ])
    // Values of other characteristics are no results.
    #expect(capture { $0.received("1b 10 00 00") }.count == 1)
    #expect(capture { $0.received("1d 13 00 80 05 01") } == [])
    // The client has not confirmed the result of an earlier procedure.
    #expect(
      capture {
        $0.received("1d 13 00 80 05 01")
        $0.ask("12 13 00 07", "13")
      } == [])
    #expect(capture(4000) == [])
    #expect(capture(enables: false) == [])
  }

  @Test("records without a result") func records() {
    func capture(_ lasts: Int, result: Bool = false) -> Evidence {
      evidence {
        $0.connect()
        $0.discoverControl("52 2a")
        $0.ask("12 13 00 04 01", "13")
        $0.received("1d 13 00 05 00 0c 00")
        $0.sent("1e")
        $0.ask("12 13 00 01 01", "13")
        for _ in 0..<5 { $0.received("1b 10 00 00 00 00 e7 07 01 01 00 00 00") }
        if result { $0.received("1d 13 00 06 00 01 01") }
        $0.end(after: lasts)
      }
    }
    #expect(
      capture(31_000).lines(of: "gatt_result_missing") == [
        "The peer did not report the result of a write to 2a52 Record Access Control Point #12 #18 #24"
      ])
    // Records may follow.
    #expect(capture(10_000).lines(of: "gatt_result_missing") == [])
    #expect(capture(31_000, result: true).lines(of: "gatt_result_missing") == [])
  }
}
