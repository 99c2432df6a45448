// Values that do not arrive.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Subscribed, but no values arrive") struct SubscriptionRuleTests {
  @Test("notifications requested of 2a1c, which only indicates; indications are correct")
  func wrongBits() {
    func capture(_ value: String) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.discoverThermometer()
        $0.ask("12 19 00 \(value) 00", "13")
        $0.disconnect()
      }
      // The correct value for a characteristic that only indicates.
      if let remedy = evidence.finding("gatt_wrong_cccd_bits")?.remedy?.text {
        #expect(remedy.contains("ENABLE_INDICATION_VALUE"))
        #expect(!remedy.contains("ENABLE_NOTIFICATION_VALUE"))
      }
      return evidence.lines(of: "gatt_wrong_cccd_bits")
    }
    #expect(
      capture("01") == [
        "This host enabled notifications of 2a1c Temperature Measurement, which offers only indications #8 #9"
      ])
    #expect(capture("02") == [])
    #expect(capture("00") == [])
  }

  @Test("indications requested of 2a37, which only notifies, then corrected: a note")
  func wrongBitsPutRight() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("12 11 00 02 00", "13")
      $0.ask("12 11 00 01 00", "13")
      $0.received("1b 10 00 06 48")
    }
    let reported = evidence.finding("gatt_wrong_cccd_bits")
    #expect(reported?.severity == .note)
    #expect(reported?.isResolved == true)
    #expect(reported.whyText.contains("The right value followed at #10."))
    #expect(reported.remedyText.contains("ENABLE_NOTIFICATION_VALUE"))
    #expect(reported?.remedy?.text.contains("ENABLE_INDICATION_VALUE") == false)
  }

  /// Two connections of bonded devices; the first subscribes and gets two values.
  private func reconnection(
    _ second: (inout Traffic) -> Void, lasts: Int = 20_000, withKey: Bool = true
  ) -> Evidence {
    evidence {
      $0.connectToHeartRate()
      $0.agreeToPair()
      $0.encrypted()
      $0.getHeartRates()
      $0.connect()
      if withKey { $0.encrypted() }
      second(&$0)
      $0.wait(lasts)
      $0.askToDisconnect()
      $0.disconnect()
    }
  }

  @Test("bonded, reconnected, silent: the server lost the CCCD") func lost() {
    let evidence = reconnection { _ in }
    #expect(evidence.packets(of: "gatt_cccd_lost") == ["#11 #13 #20"])
    #expect(
      evidence.finding("gatt_cccd_lost")?.connections == [2])
  }

  @Test("a value that arrives, a written CCCD, a short connection, no key: nothing was lost")
  func notLost() {
    let captures = [
      reconnection { $0.received("1b 10 00 06 48") },
      reconnection { $0.ask("12 11 00 01 00", "13") },
      reconnection({ _ in }, lasts: 2000),
      reconnection({ _ in }, withKey: false),
    ]
    for (index, evidence) in captures.enumerated() {
      #expect(evidence.lines(of: "gatt_cccd_lost") == [], "capture \(index)")
    }
  }

  @Test("subscribed to the battery, but written to the control point of another service")
  func otherService() {
    func capture(subscribes: Bool) -> [String] {
      let evidence = evidence {
        $0.connectToHeartRate()
        $0.discoverThermometer()
        $0.ask("12 19 00 02 00", "13")
        if subscribes { $0.ask("12 11 00 01 00", "13") }
        for _ in 0..<3 { $0.ask("12 15 00 01", "13") }
        $0.wait(5000)
        $0.disconnect()
      }
      return evidence.lines(of: "gatt_notifications_silent")
    }
    #expect(capture(subscribes: false).count == 1)
    #expect(capture(subscribes: true) == [])
  }
}
