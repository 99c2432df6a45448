// Lengths, counters and vendors' frames.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Lengths and frames") struct TrafficRuleTests {
  @Test("a write of 21 bytes with an MTU of 23; one of 20 fits") func writeTooLong() {
    func capture(_ count: Int, exchanges: Bool = false) -> [String] {
      let evidence = evidence {
        $0.connectToHeartRate()
        if exchanges { $0.ask("02 64 00", "03 64 00") }
        $0.ask("12 15 00" + String(repeating: " 01", count: count), "13")
      }
      return evidence.lines(of: "att_write_too_long")
    }
    #expect(
      capture(21) == [
        "A write to 2a39 Heart Rate Control Point has 21 bytes, but only 20 fit #8"
      ])
    #expect(capture(20) == [])
    #expect(capture(21, exchanges: true) == [])
  }

  @Test("a prepared write that extends beyond byte 512") func valueTooLong() {
    func capture(_ offset: String) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("16 15 00 \(offset) 01 02", "17 15 00 \(offset) 01 02")
      }
      return evidence.lines(of: "att_write_too_long")
    }
    #expect(capture("ff 01") == ["A write to 0x0015 reaches to byte 513 #2"])
    #expect(capture("fe 01") == [])
  }

  @Test("without the connection's beginning the MTU is unknown: no write is too long")
  func unknownMTU() {
    let evidence = evidence {
      $0.ask("12 15 00" + String(repeating: " 01", count: 40), "13")
    }
    #expect(evidence.lines(of: "att_write_too_long") == [])
  }

  @Test("values of 20 bytes and no MTU exchange: a note; after an exchange nothing")
  func defaultMTU() {
    func capture(exchanges: Bool) -> [String] {
      let evidence = evidence {
        $0.connectToHeartRate()
        if exchanges { $0.ask("02 64 00", "03 64 00") }
        for _ in 0..<3 { $0.received("1b 10 00" + String(repeating: " 06", count: 20)) }
      }
      return evidence.lines(of: "att_mtu_default")
    }
    #expect(
      capture(exchanges: false) == [
        "3 values of 2a37 Heart Rate Measurement have exactly 20 bytes: the MTU is 23 #8 #10"
      ])
    #expect(capture(exchanges: true) == [])
  }

  /// Records notifications with these values as first byte.
  private func counting(_ values: [Int]) -> [String] {
    let evidence = evidence {
      $0.connect()
      for value in values {
        $0.received("1b 10 00 \(String(value & 0xff, radix: 16)) 00")
      }
    }
    return evidence.lines(of: "gatt_counter_gap")
  }

  @Test("a counter with a gap") func gap() {
    #expect(
      counting(Array(0..<12) + Array(15..<30)) == ["3 values of 0x0010 are missing #13 #14"])
  }

  @Test("not a counter: no gap, too few values, a value that goes back, steps of two")
  func noGap() {
    #expect(counting(Array(240..<300)) == [])
    #expect(counting(Array(0..<8) + Array(10..<15)) == [])
    #expect(counting(Array(0..<12) + Array(10..<30)) == [])
    #expect(counting((0..<30).map { 2 * $0 }) == [])
  }

  /// The wristband's command channel fff6 and response channel fff7 at 0x0010 and 0x0012.
  private func wristband(_ build: (inout Traffic) -> Void) -> Evidence {
    evidence {
      $0.connect()
      $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 13 00 f0 ff")
      $0.ask("08 0e 00 13 00 03 28", "09 07 0f 00 0c 10 00 f6 ff 11 00 10 12 00 f7 ff")
      build(&$0)
      $0.disconnect()
    }
  }

  @Test("hostile order and lengths: nothing traps", arguments: 0..<200)
  func hostile(_ seed: Int) {
    var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1
    func next(_ limit: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(max(1, limit)))
    }
    let opcodes = [
      0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
      0x10,
      0x11, 0x12, 0x13, 0x16, 0x17, 0x18, 0x19, 0x1b, 0x1d, 0x1e, 0x20, 0x21, 0x23, 0x52, 0xd2,
      0x77,
    ]
    let evidence = evidence {
      if next(2) == 0 { $0.connect() }
      for _ in 0..<120 {
        let pdu =
          [UInt8(opcodes[next(opcodes.count)])]
          + (0..<next(24)).map { _ in UInt8(next(3) == 0 ? next(256) : next(24)) }
        let direction: Direction = next(2) == 0 ? .sent : .received
        $0.acl(l2cap(pdu), direction, kept: next(10) == 0 ? next(12) : nil)
        if next(15) == 0 { $0.wait(next(40_000)) }
        if next(40) == 0 { $0.encrypted() }
        if next(60) == 0 { $0.disconnect() }
        if next(60) == 0 { $0.connect() }
      }
    }
    for finding in attributeFindings(in: evidence) {
      #expect(!finding.what.isEmpty && !finding.evidence.isEmpty, "\(finding.rule)")
    }
  }

  @Test("memory is limited, however much is refused and used") func bounded() {
    let evidence = evidence {
      $0.connect()
      for handle in 1...600 {
        let bytes = "\(String(handle & 0xff, radix: 16)) \(String(handle >> 8, radix: 16))"
        $0.ask("0a \(bytes)", "01 0a \(bytes) 0e")
        $0.ask("12 \(bytes) 01", "13")
        $0.received("1b \(bytes) 01")
      }
    }
    let attributes = evidence.connections.first?.attributes
    #expect(attributes?.refusals.count == 48)
    #expect(attributes?.refusalCount == 600)
    #expect(attributes?.usages.count == 256)
    #expect((attributes?.runs.count ?? 0) <= 96)
  }
}
