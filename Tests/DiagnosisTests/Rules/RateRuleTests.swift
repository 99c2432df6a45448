// Transfers that a property of the link limits.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Sessions
import Testing

/// A connection with transfers, whose interval is 30 ms.
enum LimitedTraffic {
  /// Values of this many bytes come from the peer, `each` of them in every interval.
  static func notifications(
    _ length: Int, each: Int, values: Int = 60, mtu: Int? = nil, octets: Int? = nil
  ) -> @Sendable (inout Traffic) -> Void {
    { traffic in
      traffic.open()
      if let octets {
        traffic.meta(
          0x07, little(0x40) + little(octets) + little(2120) + little(octets) + little(2120))
      }
      if let mtu { traffic.exchangeMTU(mtu) }
      for index in 0..<values {
        traffic.acl(value(0x1b, length, index), .received)
        if index % each == each - 1 { traffic.wait(30 - each) }
      }
      traffic.end(after: 5000)
    }
  }

  /// Values of 20 bytes are indicated; the next one comes `pause` ms after each confirmation.
  static func indications(
    pause: Int, differ: Bool = true, values: Int = 60
  ) -> @Sendable (inout Traffic) -> Void {
    { traffic in
      traffic.open()
      traffic.exchangeMTU(185)
      for index in 0..<values {
        traffic.acl(value(0x1d, 20, differ ? index : index % 4), .received)
        traffic.acl(l2cap([0x1e]), .sent)
        traffic.wait(pause)
      }
      traffic.end(after: 5000)
    }
  }

  /// This host writes values; its controller completes `each` of them in an interval, and always
  /// has `waiting` more. In the end it completes them, except `lost` ones.
  static func writes(
    _ length: Int, each: Int, waiting: Int, lost: Int = 0, mtu: Int? = nil
  ) -> @Sendable (inout Traffic) -> Void {
    { traffic in
      traffic.open()
      if let mtu { traffic.exchangeMTU(mtu) }
      for index in 0..<waiting { traffic.acl(value(0x52, length, index), .sent) }
      for index in 0..<60 {
        traffic.wait(30 - 1 - each)
        traffic.completed(each)
        for step in 0..<each { traffic.acl(value(0x52, length, index * each + step), .sent) }
      }
      traffic.wait(30)
      if waiting > lost { traffic.completed(waiting - lost) }
      traffic.end(after: 5000)
    }
  }

  private static func value(_ opcode: UInt8, _ length: Int, _ index: Int) -> [UInt8] {
    l2cap(
      [opcode, 0x10, 0] + little(index) + [UInt8](repeating: UInt8(length), count: length - 2))
  }
}

extension Traffic {
  /// Connects on LE 1M, as the command shows.
  fileprivate mutating func open() {
    askToConnect()
    connect()
  }

  fileprivate mutating func exchangeMTU(_ mtu: Int) {
    acl(l2cap([0x02] + little(mtu)), .sent)
    completed(1)
    acl(l2cap([0x03] + little(mtu)), .received)
  }
}

@Suite("Transfers that the link limits") struct RateRuleTests {
  private func limit(_ build: (inout Traffic) -> Void) -> Finding? {
    evidence(build).finding("link_transfer_limited")
  }

  @Test("a round trip for each value") func roundTrips() {
    let found = limit(LimitedTraffic.indications(pause: 58))
    #expect(
      found?.what.text
        == "The transfer of 0x0010 from the peer is limited to 333 bytes/s by a round trip for each value"
    )
    #expect(found?.severity == .note)
    #expect(found.whyText.contains("which took 58 ms on average: 1.93 intervals"))
    // A loop that polls, and too few values.
    #expect(limit(LimitedTraffic.indications(pause: 58, differ: false)) == nil)
    #expect(limit(LimitedTraffic.indications(pause: 58, values: 49)) == nil)
  }

  @Test("a data length of 27 bytes, an MTU of 23") func lengths() {
    // What comes from the peer may be all that its program sends.
    #expect(limit(LimitedTraffic.notifications(100, each: 3, mtu: 185)) == nil)
    #expect(limit(LimitedTraffic.notifications(20, each: 4)) == nil)
    let mtu = limit(LimitedTraffic.writes(20, each: 4, waiting: 8))
    #expect(
      mtu?.what.text
        == "The transfer of 0x0010 to the peer is limited to 2.7 kB/s by the MTU of 23")
    #expect(mtu?.severity == .warning)
    #expect(mtu.whyText.contains("held further packets of the link"))
    let length = limit(LimitedTraffic.writes(100, each: 4, waiting: 8, mtu: 185))
    #expect(
      length?.what.text
        == "The transfer of 0x0010 to the peer is limited to 14 kB/s by the data length of 27 bytes"
    )
  }

  @Test("LE 1M; the link is busy") func phy() {
    let found = limit(
      LimitedTraffic.notifications(244, each: 9, values: 180, mtu: 247, octets: 251))
    #expect(
      found?.what.text
        == "The transfer of 0x0010 from the peer is limited to 76 kB/s by LE 1M")
    #expect(found?.severity == .note)
    #expect(limit(LimitedTraffic.notifications(244, each: 2, mtu: 247, octets: 251)) == nil)
  }

  @Test("packets wait in the controller, or the capture lacks that one was completed")
  func waiting() {
    #expect(limit(LimitedTraffic.writes(20, each: 4, waiting: 0)) == nil)
    #expect(limit(LimitedTraffic.writes(20, each: 1, waiting: 1)) == nil)
    // Without a queue that is empty in the end, four completions may be missing at the beginning.
    #expect(limit(LimitedTraffic.writes(20, each: 4, waiting: 8, lost: 4)) == nil)
  }

  @Test("A peer that sends at its own pace waits for nothing") func pace() {
    #expect(limit(LimitedTraffic.indications(pause: 200)) == nil)
    // The app acknowledges each value with a command.
    #expect(
      limit { traffic in
        traffic.open()
        traffic.exchangeMTU(185)
        for index in 0..<60 {
          traffic.acl(
            l2cap([0x1b, 0x10, 0] + little(index) + [UInt8](repeating: 1, count: 18)), .received)
          traffic.acl(l2cap([0x52, 0x12, 0, 1]), .sent)
          traffic.wait(50)
        }
        traffic.end(after: 5000)
      } == nil)
  }
}
