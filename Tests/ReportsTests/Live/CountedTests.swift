// What is counted in addition to any report, and where it ends.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Sessions
import Testing

@testable import Reports

@Suite("Counting in addition to a report, and its end") struct CountedTests {
  /// Returns the summary of values in a live capture.
  private func summary(
    mostRecords: Int? = nil, untilDisconnect: Bool = false, of selection: Selection = Selection(),
    _ write: (inout Traffic) -> Void
  ) -> LiveSummary {
    var traffic = Traffic()
    write(&traffic)
    var summary = LiveSummary()
    let report = Counted(
      ValueLines(ValuesOptions(), .text, MemorySource(traffic).summary), mostRecords: mostRecords,
      untilDisconnect: untilDisconnect, selection: selection)
    _ = watched(traffic, TestClock(), silence: { _ in 0 }, report) { summary = $0.summary }
    return summary
  }

  @Test("The text of the summary") func words() {
    #expect(
      summary { _ in }.text
        == "0 records, none lost, 0 connections, failures: none, problems: none")
    let some = summary { traffic in
      traffic.connect()
      traffic.add(hex("01 03 0c 00"), .sent, drops: 7)
      traffic.add(hex("01 06 04 03 40 00 13"), .sent, kept: 5)
      traffic.add(hex("01 03 0c 00"), .sent, drops: 2)
    }
    #expect(
      some.text == "4 records, 9 lost, 1 connection, "
        + "failures: none, problems: 3 warnings: 1 record cut short, 2 gaps of dropped records",
      "got \(some.text)")
  }

  @Test("A number of records") func count() {
    let write = { (traffic: inout Traffic) in for _ in 0..<9 { traffic.command(0x0c03) } }
    #expect(summary(mostRecords: 4, write).records == 4)
    #expect(summary(mostRecords: 0, write).records == 0)
    #expect(summary(write).records == 9)
  }

  /// Records two connections that end, in packets 4 and 6 of 8.
  private func twoLinks(_ traffic: inout Traffic) {
    traffic.connect(0x40)
    traffic.connect(0x41, peer: 0xc000_0000_0002)
    traffic.received("1b 10 00 06")
    traffic.disconnect(0x40)
    traffic.received("1b 10 00 06", handle: 0x41)
    traffic.disconnect(0x41)
    traffic.perform(0x0c03)
  }

  @Test("Until a connection ends: any, or the selected one") func disconnect() throws {
    #expect(summary(untilDisconnect: true, twoLinks).records == 4)
    var selection = Selection()
    selection.connections = [2...2]
    #expect(summary(untilDisconnect: true, of: selection, twoLinks).records == 6)
    selection = Selection()
    selection.devices = [try DevicePattern("C0:00:00:00:00:02")]
    #expect(summary(untilDisconnect: true, of: selection, twoLinks).records == 6)
    selection.devices = [try DevicePattern("C0:00:00:00:00:03")]
    #expect(summary(untilDisconnect: true, of: selection, twoLinks).records == 8)
    #expect(summary(twoLinks).records == 8)
  }

  @Test("A controller that is reset ends its connections, too") func reset() {
    let records = summary(untilDisconnect: true) { traffic in
      traffic.connect()
      traffic.perform(0x0c03)
      traffic.command(0x1001)
    }.records
    #expect(records == 3)
  }
}
