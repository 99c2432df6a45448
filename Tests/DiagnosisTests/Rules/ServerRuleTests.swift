// Servers that do not answer, describe or send as the specification requires.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

/// Returns `count` bytes as hexadecimal text, each larger by `step` than the one before.
func ascending(_ count: Int, from first: Int = 1, step: Int = 1) -> String {
  (0..<count).map { String((first + $0 * step) & 0xff, radix: 16) }.joined(separator: " ")
}

@Suite("What servers answer and offer") struct ServerRuleTests {
  // MARK: Malformed PDUs

  @Test("a format that does not exist: a warning, an error if the client ends the link at once")
  func malformed() {
    func capture(_ answer: String, stays: Int, by client: Direction = .sent) -> Finding? {
      let evidence = evidence {
        $0.connect()
        $0.discoverHeartRate(by: client)
        $0.ask("04 11 00 11 00", answer, by: client)
        $0.wait(stays)
        if client == .sent { $0.askToDisconnect() }
        $0.disconnect(reason: client == .sent ? 0x16 : 0x13)
      }
      return evidence.finding("att_malformed")
    }
    let found = capture("05 03 11 00 02 29", stays: 10)
    #expect(found?.line == "The peer sent a malformed Find Information Response #8 #9 #10")
    #expect(found?.severity == .error)
    #expect(found.whyText.hasPrefix("Its format or length is 3,"))
    let own = capture("05 03 11 00 02 29", stays: 10, by: .received)
    #expect(own?.what.text == "This host sent a malformed Find Information Response")
    #expect(own?.severity == .error)
    #expect(own.whyText.contains("The peer ended the link"))
    #expect(capture("05 03 11 00 02 29", stays: 5000)?.severity == .warning)
    #expect(capture("05 01 11 00 02 29", stays: 10) == nil)
  }

  @Test("a byte too many, a byte too few, and records that the recorder cut") func lengths() {
    func why(_ answer: String, kept: Int? = nil) -> String? {
      let evidence = evidence {
        $0.connect()
        $0.sent("02 64 00")
        $0.acl(l2cap(hex(answer)), .received, kept: kept)
      }
      return evidence.finding("att_malformed")?.why.text
    }
    #expect(why("03 64 00 00") == "1 byte follows its last field.")
    #expect(why("03 64") == "A field needs 2 bytes, but only 1 follow.")
    #expect(why("03 0a 00") == "It offers an MTU of 10, but the minimum is 23.")
    #expect(why("03 64 00") == nil)
    #expect(why("03 64 00", kept: 6) == nil)
  }

  // MARK: Offsets

  /// Reads 2a38 in parts.
  private func reading(
    _ parts: [String], step: Int = 22, by client: Direction = .sent
  ) -> Evidence {
    evidence {
      $0.connect()
      $0.discoverHeartRate(by: client)
      for (index, part) in parts.enumerated() {
        let offset = index * step
        if index == 0 {
          $0.ask("0a 13 00", "0b \(part)", by: client)
        } else {
          $0.ask(
            "0c 13 00 \(String(offset & 0xff, radix: 16)) \(String(offset >> 8, radix: 16))",
            "0d \(part)", by: client)
        }
      }
    }
  }
  private static let offsets = "att_offset_ignored"

  @Test("equal parts at rising offsets: the server starts at the first byte again")
  func offsetIgnored() {
    let part = ascending(22)
    let evidence = reading([part, part, part, part])
    #expect(
      evidence.lines(of: Self.offsets) == [
        "The peer answers a read of 2a38 Body Sensor Location with the same part again and again #9 #15"
      ])
    #expect(evidence.finding(Self.offsets)?.certainty == .likely)
    #expect(evidence.finding(Self.offsets)?.severity == .error)
    let own = reading([part, part, part], by: .received).finding(Self.offsets)
    #expect(own.whatText.hasPrefix("This host answers a read"))
    let two = reading([part, part]).finding(Self.offsets)
    #expect(two?.certainty == .likely)
    #expect(two?.severity == .warning)
  }

  @Test("a value that repeats itself, parts that differ, and a shorter last part are no evidence")
  func offsetUsed() {
    let (one, other) = (ascending(22), ascending(22, from: 40))
    let zeros = ascending(22, from: 0, step: 0)
    for parts in [
      [zeros, zeros, zeros], [one, other, one], [one, one, other], [one, one, ascending(4)],
      [one], [ascending(10), ascending(10)],
    ] {
      #expect(reading(parts).lines(of: Self.offsets) == [], "\(parts)")
    }
    // The parts overlap.
    #expect(reading([one, one, one], step: 11).lines(of: Self.offsets) == [])
  }

  @Test("beyond byte 512 even equal bytes are a finding, and the value is not reported as too long")
  func offsetBeyondAll() {
    let zeros = ascending(22, from: 0, step: 0)
    let evidence = reading([String](repeating: zeros, count: 25))
    #expect(evidence.finding(Self.offsets)?.certainty == .likely)
    let others = reading([String](repeating: ascending(22), count: 25))
    #expect(others.finding(Self.offsets)?.certainty == .certain)
    #expect(evidence.lines(of: "att_value_too_long") == [])
  }

  // MARK: Declarations

  @Test("a read of a declaration that returns its first byte; one that returns all of it")
  func declaration() {
    func capture(_ value: String, discovers: Bool = true) -> [String] {
      let evidence = evidence {
        $0.connect()
        if discovers { $0.discoverHeartRate() }
        $0.ask("0a 0f 00", "0b \(value)")
      }
      return evidence.lines(of: "gatt_declaration_malformed")
    }
    #expect(
      capture("10") == ["A read of the declaration of 2a37 does not give a declaration #8 #9"])
    #expect(capture("10 10 00 37 2a") == [])
    #expect(capture("10", discovers: false) == [])
  }

  // MARK: Short values

  private static let short = "gatt_value_too_short"

  @Test("a heart rate without the rate, and a temperature that ends early") func tooShort() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.discoverThermometer()
      $0.received("1b 10 00 06")
      $0.received("1b 10 00 06")
      $0.received("1d 18 00 00 6d 01")
      $0.sent("1e")
    }
    #expect(
      evidence.lines(of: Self.short) == [
        "A value of 2a37 Heart Rate Measurement is too short #14",
        "A value of 2a1c Temperature Measurement is too short #16",
      ])
    #expect(evidence.finding(Self.short).whyText.contains("It has 1 byte, which is less"))
  }

  @Test("complete, empty, cut, later, unknown and full values are no evidence") func longEnough() {
    func capture(_ build: (inout Traffic) -> Void) -> [String] {
      let evidence = evidence {
        $0.connect()
        build(&$0)
      }
      return evidence.lines(of: Self.short)
    }
    #expect(
      capture {
        $0.discoverHeartRate()
        $0.received("1b 10 00 06 48")
        $0.received("1b 10 00 06")
      } == [])
    #expect(
      capture {
        $0.discoverHeartRate()
        $0.received("1b 10 00")
      } == [])
    #expect(
      capture {
        $0.discoverHeartRate()
        $0.acl(l2cap(hex("1b 10 00 06 48")), .received, kept: 8)
      } == [])
    #expect(capture { $0.received("1b 10 00 06") } == [])
  }

  // MARK: Missing descriptors

  private static let missing = "gatt_cccd_missing"

  /// A heart rate service up to a handle, with descriptors.
  private func service(to last: String, _ descriptors: (request: String, answer: String)?)
    -> (inout Traffic) -> Void
  {
    {
      $0.connect()
      $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 \(last) 0d 18")
      $0.ask("08 0e 00 \(last) 03 28", "09 07 0f 00 10 10 00 37 2a")
      if let descriptors { $0.ask(descriptors.request, descriptors.answer) }
    }
  }

  @Test("notifications without a descriptor to enable them") func missingCCCD() {
    let text = "2a37 Heart Rate Measurement offers notifications, but has no CCCD #3 #5"
    #expect(
      evidence(service(to: "10 00", nil)).lines(of: Self.missing) == [text],
      "the service ends with the value")
    let other = ("04 11 00 11 00", "05 01 11 00 01 29")
    #expect(evidence(service(to: "11 00", other)).lines(of: Self.missing) == [text])
    let none = ("04 11 00 ff ff", "01 04 11 00 0a")
    #expect(evidence(service(to: "ff ff", none)).lines(of: Self.missing) == [text])
  }

  @Test("with the descriptor, or before its handle was searched, there is no finding")
  func hasCCCD() {
    let found = ("04 11 00 11 00", "05 01 11 00 02 29")
    #expect(evidence(service(to: "11 00", found)).lines(of: Self.missing) == [])
    #expect(evidence(service(to: "11 00", nil)).lines(of: Self.missing) == [])
    let other = ("04 11 00 12 00", "05 01 11 00 01 29")
    #expect(
      evidence(service(to: "12 00", other)).lines(of: Self.missing) == [],
      "0x0012 is unknown")
    let refused = ("04 11 00 11 00", "01 04 11 00 05")
    #expect(evidence(service(to: "11 00", refused)).lines(of: Self.missing) == [])
  }

  @Test("a Device Name that offers notifications without a descriptor is a note")
  func missingInGenericAccess() {
    let evidence = evidence {
      $0.connect()
      $0.ask("10 01 00 ff ff 00 28", "11 06 01 00 03 00 00 18")
      $0.ask("08 01 00 03 00 03 28", "09 07 02 00 12 03 00 00 2a")
    }
    #expect(evidence.finding(Self.missing)?.severity == .note)
  }

  @Test("values that arrive anyway make it a note") func missingButSent() {
    let evidence = evidence {
      service(to: "10 00", nil)(&$0)
      $0.received("1b 10 00 06 48")
    }
    let found = evidence.finding(Self.missing)
    #expect(found?.severity == .note)
    #expect(found.whyText.contains("The peer sent 1 value anyway."))
  }

  // MARK: Values before encryption

  /// Two connections of bonded devices; on the second, values arrive before encryption.
  private func reconnection(
    _ between: (inout Traffic) -> Void = { _ in }, after: (inout Traffic) -> Void = { _ in },
    lasts: Int = 20_000
  ) -> [String] {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.agreeToPair()
      $0.encrypted()
      $0.getHeartRates()
      $0.connect()
      $0.received("1b 10 00 06 48")
      between(&$0)
      $0.encrypted()
      after(&$0)
      $0.wait(lasts)
      $0.askToDisconnect()
      $0.disconnect()
    }
    return evidence.lines(of: "gatt_value_before_encryption")
  }

  @Test("a value before encryption and none after it") func tooEarly() {
    #expect(
      reconnection() == [
        "The peer sends 2a37 Heart Rate Measurement only before the link is encrypted #20 #21"
      ])
    #expect(reconnection(after: { $0.received("1b 10 00 06 48") }) == [])
    #expect(reconnection({ $0.ask("12 11 00 01 00", "13") }) == [])
    #expect(reconnection(lasts: 2000) == [])
  }
}
