// Values that are read in several parts, which `show` joins on the packet that completes them.

import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

/// Collects the values that packets complete.
private struct Joining: PacketReport {
  private(set) var lines: [String] = []
  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    for joined in memory.longValues.values {
      lines.append("\(joined.handle): \(joined.value.count) #\(packet.record.number)")
    }
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}

@Suite struct LongValueTests {
  /// 22 bytes fill a Read Response at the default MTU, 23 (Core, Vol 3, Part G, 5.2.1).
  private static let full = "0b" + String(repeating: " 41", count: 22)

  /// Joins a value, with other traffic between its first and second part.
  private func joined(_ between: (inout Traffic) -> Void) -> [String] {
    var traffic = Traffic()
    traffic.connect()
    traffic.sent("0a 30 00")
    traffic.received(Self.full)
    between(&traffic)
    traffic.ask("0c 30 00 16 00", "0d 43")
    var report = Joining()
    traffic.report(to: &report)
    return report.lines
  }

  /// Hosts read a long Device Name by type and the rest with Read Blob: with the handle, 19 bytes
  /// fill the PDU.
  @Test("Read By Type and its continuation with Read Blob are one value, the device's name")
  func readByTypeInParts() {
    let write = { (traffic: inout Traffic) in
      traffic.connect()
      traffic.ask("08 01 00 ff ff 00 2a", "09 15 03 00" + String(repeating: " 41", count: 19))
      traffic.ask("0c 03 00 13 00", "0d 42 43")
    }
    var traffic = Traffic()
    write(&traffic)
    var report = Joining()
    traffic.report(to: &report)
    #expect(report.lines == ["3: 21 #5"])
    let values = converse { write(&$0) }
    #expect(values.lines == ["read 0x0003: \(String(repeating: "41", count: 19))4243 #5"])
    #expect(values.results.first?.packets == [3, 5])
    let known = run(write)
    let name = known.connections.first?.name.flatMap { known.memory.names[$0] }
    #expect(name == [UInt8](repeating: 0x41, count: 19) + [0x42, 0x43])
  }

  @Test("A value that fills the PDU without a continuation may be longer") func readByTypeAlone() {
    let values = converse { traffic in
      traffic.connect()
      traffic.ask("08 01 00 ff ff 00 2a", "09 15 03 00" + String(repeating: " 41", count: 19))
      traffic.ask("0a 05 00", "0b 01")
    }
    #expect(
      values.lines == [
        "read 0x0003: \(String(repeating: "41", count: 19)) #3 may go on", "read 0x0005: 01 #5",
      ])
  }

  @Test func twoParts() {
    #expect(joined { _ in } == ["48: 23 #5"])
  }

  /// The value was read again and is shorter now, so later parts do not continue the old value.
  @Test func aWholeValueBetween() {
    let again = joined { traffic in
      traffic.ask("0a 30 00", "0b 42")
    }
    #expect(again == [])
    let another = joined { traffic in
      traffic.ask("0a 31 00", "0b 42")
    }
    #expect(another == ["48: 23 #7"])
  }

  /// One controller lost records: reads on another continue.
  @Test(arguments: [AdapterIndex(0), 1])
  func lostRecords(_ adapter: AdapterIndex) {
    let lines = joined { traffic in
      traffic.adapter = adapter
      traffic.add([4, 0x13, 5, 1, 1, 0, 1, 0], .received, drops: 3)
      traffic.adapter = 0
    }
    #expect(lines == (adapter == 0 ? [] : ["48: 23 #6"]))
  }

  /// Data that is not kept is counted once, however it is added.
  @Test func dataThatIsNotKept() {
    var budget = PayloadBudget(bytes: 100, others: 100)
    let stream = AdvertisingStream(.advInd)
    func take(_ payloads: inout Payloads, _ data: [UInt8], limit: Int) {
      _ = payloads.record(
        stream, data.bytes, isTruncated: false, packet: 1, time: nil, limit: limit, &budget)
    }
    var one = Payloads()
    take(&one, [1], limit: 1)
    take(&one, [2], limit: 1)
    var other = Payloads()
    take(&other, [2], limit: 1)
    #expect(one.absorb(other, limit: 1) == [nil])
    #expect(one.otherCount == 1)
  }
}
