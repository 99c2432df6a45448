// Situations that look like a fault but are not one: other packets, or what the capture lacks,
// explain them.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("What other packets refute") struct RefutedClaimTests {
  private static let full = String(repeating: " 06", count: 20)

  // MARK: Subscriptions

  /// A client that writes to the heart rate service, on a second connection.
  private static func reconnected(
    _ first: (inout Traffic) -> Void, _ second: (inout Traffic) -> Void = { _ in }
  ) -> [String] {
    let evidence = evidence {
      $0.connectToHeartRate()
      first(&$0)
      $0.disconnect()
      $0.connectToHeartRate()
      $0.ask("12 15 00 01", "13")
      second(&$0)
      $0.wait(3000)
      $0.disconnect()
    }
    return evidence.lines(of: "gatt_not_subscribed")
  }

  @Test("a server that sends to everybody, and a subscription that a bond keeps")
  func keptSubscription() {
    #expect(Self.reconnected { _ in }.count == 1)
    #expect(Self.reconnected { $0.received("1b 10 00 06 48") } == [], "nobody subscribed")
    #expect(
      Self.reconnected {
        $0.pairAndBond()
        $0.ask("12 11 00 01 00", "13")
      } == [], "bonded")
    #expect(
      Self.reconnected { $0.ask("12 11 00 01 00", "13") }.count == 1, "not bonded")
  }

  @Test("a subscription in prepared writes, and a value in Read Multiple") func otherWays() {
    func capture(_ change: (inout Traffic) -> Void) -> [String] {
      let evidence = evidence {
        $0.connectToHeartRate()
        change(&$0)
        $0.ask("12 15 00 01", "13")
        $0.wait(3000)
        $0.disconnect()
      }
      return evidence.lines(of: "gatt_not_subscribed")
    }
    #expect(
      capture {
        $0.ask("16 11 00 00 00 01 00", "17 11 00 00 00 01 00")
        $0.ask("18 01", "19")
      } == [])
    #expect(
      capture {
        $0.ask("16 11 00 00 00 01 00", "17 11 00 00 00 01 00")
        $0.ask("18 00", "19")
      }.count == 1, "cancelled")
    #expect(capture { $0.ask("0e 13 00 15 00", "0f 01 00") } == [])
  }

  // MARK: Commands

  @Test("a server that carries commands out does not drop them") func honoured() {
    func capture(_ change: (inout Traffic) -> Void) -> [String] {
      let evidence = evidence {
        $0.connectToHeartRate()
        $0.ask("12 11 00 01 00", "13")
        change(&$0)
      }
      return evidence.lines(of: "att_command_dropped")
    }
    #expect(capture { $0.sent("52 13 00 02") }.count == 1)
    #expect(
      capture {
        $0.sent("52 13 00 02")
        $0.ask("0a 13 00", "0b 02")
      } == [], "it is read back")
    #expect(
      capture {
        $0.sent("52 13 00 02")
        $0.ask("0a 13 00", "0b 01")
      }.count == 1, "another value is read")
    #expect(
      capture {
        for _ in 0..<2 {
          $0.sent("52 13 00 02")
          $0.received("1b 10 00 06 48")
        }
      } == [], "each is answered")
    #expect(
      capture {
        $0.ask("12 13 00 02", "13")
        $0.sent("52 13 00 02")
      } == [], "a request is accepted")
  }

  // MARK: Lengths

  @Test("values of 20 bytes that are answered, numbered or of an enhanced bearer are no pieces")
  func fixedLength() {
    func capture(_ change: (inout Traffic) -> Void) -> [String] {
      let evidence = evidence {
        $0.connectToHeartRate()
        change(&$0)
      }
      return evidence.lines(of: "att_mtu_default")
    }
    #expect(capture { for _ in 0..<3 { $0.received("1b 10 00" + Self.full) } }.count == 1)
    #expect(
      capture {
        for _ in 0..<3 {
          $0.sent("52 15 00" + Self.full)
          $0.received("1b 10 00" + Self.full)
        }
      } == [])
    #expect(
      capture {
        for number in 1...5 {
          $0.received("1b 10 00 0\(number)" + String(repeating: " 06", count: 19))
        }
      } == [])
    #expect(
      capture {
        for _ in 0..<3 {
          $0.received("1b 10 00" + Self.full)
          $0.wait(600)
        }
      } == [])
  }

  @Test("a counter without 0, one that was not subscribed to, and one across missing records")
  func counters() {
    func capture(_ values: [UInt8], _ change: (inout Traffic, Int) -> Void = { _, _ in })
      -> [String]
    {
      let evidence = evidence {
        $0.connectToHeartRate()
        $0.ask("12 11 00 01 00", "13")
        for (index, value) in values.enumerated() {
          change(&$0, index)
          $0.att(l: [0x1b, 0x10, 0, value, 1])
        }
      }
      return evidence.lines(of: "gatt_counter_gap")
    }
    let gap: [UInt8] = Array(1...20) + Array(25...50)
    #expect(capture(gap).count == 1)
    #expect(capture(Array(230...255) + Array(1...30)) == [])
    #expect(
      capture(gap) { traffic, index in
        guard index == 20 else { return }
        traffic.ask("12 11 00 00 00", "13")
        traffic.ask("12 11 00 01 00", "13")
      } == [])
    #expect(
      capture(gap) { traffic, index in
        if index == 20 { traffic.add([4, 0xff, 1, 0], .received, drops: 4) }
      } == [])
  }

  // MARK: Other devices and times

  @Test("an earlier connection's discovery does not describe other firmware") func otherFirmware() {
    func capture(_ discovers: Bool, _ packets: (inout Traffic) -> Void) -> Evidence {
      evidence {
        $0.connectToHeartRate()
        $0.disconnect()
        $0.connect()
        if discovers { $0.discoverHeartRate() }
        packets(&$0)
      }
    }
    for discovers in [false, true] {
      let command = capture(discovers) { $0.sent("52 13 00 02") }
      #expect(command.lines(of: "att_command_dropped").count == (discovers ? 1 : 0))
      let short = capture(discovers) { $0.ask("0a 10 00", "0b 06") }
      #expect(short.lines(of: "gatt_value_too_short").count == (discovers ? 1 : 0))
      #expect(short.lines(of: "att_not_in_properties").count == (discovers ? 1 : 0))
    }
  }

  @Test("an Error Response to a command or an indication is not a second response")
  func answeredCommand() {
    func capture(_ answer: String) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("0a 15 00", "01 0a 15 00 02")
        $0.sent("52 15 00 01")
        $0.received(answer)
      }
      return evidence.lines(of: "att_response_unexpected")
    }
    #expect(capture("01 0a 15 00 02").count == 1, "the same bytes again")
    #expect(capture("01 52 15 00 02") == [])
    #expect(capture("01 0a 16 00 02") == [], "another one's answer")
  }

  @Test("a refused attempt: one that is being cancelled blocks it, not a scan") func cancelling()
    throws
  {
    let evidence = evidence {
      $0.perform(0x200c, [1, 0])
      $0.askToConnect()
      $0.perform(0x200e)
      $0.askToConnect(status: 0x0c)
    }
    let finding = try #require(evidence.finding("connect_refused"))
    #expect(finding.why.text.contains("another connection attempt is pending"), "\(finding.why)")
    #expect(!finding.why.text.contains("scan"), "\(finding.why)")
  }
}

extension Traffic {
  /// Adds an ATT PDU that was received, given as bytes.
  fileprivate mutating func att(l bytes: [UInt8]) { acl(l2cap(bytes), .received) }
}
