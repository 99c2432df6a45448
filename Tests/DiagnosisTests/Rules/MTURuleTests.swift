// The MTU, and the lengths that it allows.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("The MTU and lengths") struct MTURuleTests {
  @Test("a side that offers one MTU as a client and another as a server") func asymmetric() {
    func capture(asks: String, answers: String) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("02 \(asks)", "03 05 02", by: .received)
        $0.ask("02 05 02", "03 \(answers)")
      }
      return evidence.lines(of: "att_mtu_asymmetric")
    }
    #expect(
      capture(asks: "a7 02", answers: "67 00") == [
        "The peer offers two MTUs: 679 as a client, 103 as a server #2 #3 #4 #5"
      ])
    #expect(capture(asks: "67 00", answers: "67 00") == [])
    #expect(capture(asks: "a7 02", answers: "58 02") == [], "both results are 517")
  }

  @Test("a longer PDU after two different offers is part of that finding") func asymmetricPDU() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("02 a7 02", "03 05 02", by: .received)
      $0.ask("02 05 02", "03 67 00")
      $0.ask("0a 13 00", "0b \(ascending(150))")
    }
    let found = evidence.finding("att_mtu_asymmetric")
    #expect(found.whyText.contains("sent a Read Response of 151 bytes (#13)"))
    #expect(evidence.lines(of: "att_pdu_too_long") == [])
  }

  @Test("a second exchange with another result; one with the same result") func changed() {
    func capture(_ second: String) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("02 c8 00", "03 05 02", by: .received)
        $0.ask("02 \(second)", "03 05 02", by: .received)
      }
      return evidence.lines(of: "att_mtu_changed")
    }
    #expect(
      capture("64 00") == [
        "The peer exchanges the MTU again, with another result: 200, then 100 #2 #3 #4 #5"
      ])
    #expect(capture("c8 00") == [])
  }

  private static let long = "att_pdu_too_long"

  @Test("a notification and a response that are longer than the MTU") func longPDUs() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("02 17 00", "03 17 00")
      $0.received("1b 10 00 06 \(ascending(24))")
      $0.ask("0a 13 00", "0b \(ascending(30))")
      $0.ask("0a 13 00", "0b \(ascending(30))")
    }
    #expect(
      evidence.lines(of: Self.long) == [
        "The peer's Handle Value Notification for 2a37 Heart Rate Measurement has 28 bytes, but the MTU is 23 #8 #9 #10",
        "The peer's Read Response for 2a38 Body Sensor Location has 31 bytes, but the MTU is 23 #8 #9 #12",
      ])
    #expect(evidence.finding(Self.long)?.certainty == .certain)
  }

  @Test("a PDU that fits, an unknown MTU, and missing records") func fitting() {
    func capture(mtu: String?, drops: UInt64 = 0) -> Finding? {
      let evidence = evidence {
        $0.connectToHeartRate()
        if let mtu { $0.ask("02 \(mtu)", "03 \(mtu)") }
        if drops > 0 { $0.add([4, 0xff, 1, 0], .received, drops: drops) }
        $0.received("1b 10 00 06 \(ascending(24))")
        $0.ask("0a 13 00", "0b \(ascending(99))")
      }
      return evidence.finding(Self.long)
    }
    #expect(capture(mtu: "64 00") == nil)
    #expect(capture(mtu: nil) == nil, "the exchange may be missing")
    #expect(capture(mtu: "60 00")?.certainty == .certain)
    #expect(capture(mtu: "60 00", drops: 1) == nil, "an exchange may be missing")
  }

  @Test("a value of 513 bytes; one of 512") func longValues() {
    func capture(_ count: Int) -> [String] {
      let evidence = evidence {
        $0.connectToHeartRate()
        $0.ask("02 58 02", "03 58 02")
        $0.acl(notification(count, handle: 0x10), .received)
      }
      return evidence.lines(of: "att_value_too_long")
    }
    #expect(capture(513) == ["A value of 2a37 Heart Rate Measurement has 513 bytes #10"])
    #expect(capture(512) == [])
  }

  @Test("a read that reaches beyond byte 512") func longRead() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("0c 13 00 fe 01", "0d 01 02 03")
    }
    #expect(
      evidence.lines(of: "att_value_too_long") == [
        "A read of 2a38 Body Sensor Location reaches to byte 513 #9"
      ])
  }

  private static let unused = "att_mtu_unused"

  /// Writes of these lengths to 2a39.
  private func writing(_ lengths: [Int], mtu: String? = "64 00", pause: Int = 0) -> Finding? {
    let evidence = evidence {
      $0.connectToHeartRate()
      if let mtu { $0.ask("02 \(mtu)", "03 \(mtu)") }
      for length in lengths {
        $0.ask("12 15 00 \(ascending(length))", "13")
        $0.wait(pause)
      }
    }
    return evidence.finding(Self.unused)
  }

  @Test("ten writes of 20 bytes with an MTU of 100") func pieces() {
    let ten = [Int](repeating: 20, count: 10)
    let found = writing(ten)
    #expect(
      found?.line
        == "10 consecutive writes to 2a39 Heart Rate Control Point have exactly 20 bytes: the MTU is 100 #9 #10 #28"
    )
    #expect(found?.certainty == .possible)
    for other in [
      writing(Array(ten.dropLast())), writing(ten, mtu: nil), writing(ten, mtu: "17 00"),
      writing(ten, pause: 1000), writing(ten.flatMap { [$0, 7] }),
    ] {
      #expect(other == nil)
    }
  }
}
