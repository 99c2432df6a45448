// This host's own advertising with a selection: by adapter, by name.

import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Reports

/// Returns LE Set Advertising Data with the name "Own", and LE Set Advertising Enable, each with
/// its response (Core, Vol 4, Part E, 7.8.7 and 7.8.9).
private func advertise(_ adapter: AdapterIndex) -> [TestRecord] {
  let data = hex("01 08 20 20 05 04 09 4f 77 6e") + [UInt8](repeating: 0, count: 26)
  return [
    TestRecord(bytes: data, adapter: adapter),
    TestRecord(bytes: hex("04 0e 04 01 08 20 00"), direction: .received, adapter: adapter),
    TestRecord(bytes: hex("01 0a 20 01 01"), adapter: adapter),
    TestRecord(bytes: hex("04 0e 04 01 0a 20 00"), direction: .received, adapter: adapter),
  ]
}

private func devices(
  _ records: [TestRecord], _ select: (inout Selection) -> Void
) -> (page: String, remark: String?) {
  var options = DevicesOptions()
  select(&options.show.selection)
  var source = RecordList(records)
  var report = DevicesReport(options, source.summary)
  let page = Rendering.run(&source, &report)
  return (page, report.remark)
}

@Suite("This host's own advertising with a selection")
struct OwnSelectionTests {
  @Test func byAdapter() {
    let both = advertise(0) + advertise(1)
    let first = devices(both) { $0.adapters = [0...0] }
    #expect(first.page.contains("this host"), "\(first.page)")
    #expect(!first.page.contains("#5") && !first.page.contains("#7"), "\(first.page)")
    let second = devices(both) { $0.adapters = [1...1] }
    #expect(second.page.contains("#5") && !second.page.contains("#1 "), "\(second.page)")
    let none = devices(both) { $0.adapters = [2...2] }
    #expect(none.page == "no device matches\n", "\(none.page)")
  }

  /// No packet reports a device with the name, but this host has it.
  @Test func byName() throws {
    let pattern = try DevicePattern("own")
    let found = devices(advertise(0)) { $0.devices = [pattern] }
    #expect(found.page.contains("\"Own\""), "\(found.page)")
    #expect(found.remark == nil, "\(found.remark ?? "")")
    let other = try DevicePattern("other")
    let missed = devices(advertise(0)) { $0.devices = [other] }
    #expect(missed.remark == "no device of that name; the capture has: Own")
  }

  /// LE Advertising Set Terminated (7.7.65.18) for a set that was never enabled: Operation
  /// Cancelled by Host, set 1.
  @Test func alreadyRunning() {
    let ended = TestRecord(bytes: hex("04 3e 06 12 44 01 00 00 44"), direction: .received)
    let page = devices([ended]) { _ in }.page
    #expect(
      page.contains("already running, its beginning is not in the capture; off in #1\n"), "\(page)")
    // Disabling something that is disabled proves nothing.
    let off = [
      TestRecord(bytes: hex("01 0a 20 01 00")),
      TestRecord(bytes: hex("04 0e 04 01 0a 20 00"), direction: .received),
    ]
    #expect(devices(off) { _ in }.page == "no device was heard advertising\n")
  }

  /// Android's LE_APCF_Command: enables filtering, sets a filter, then scans (LE Set Scan Enable).
  @Test func contentFilters() {
    func page(_ features: String, scans: [String] = ["01"]) -> String {
      let texts =
        [
          ("01 57 fd 02 00 01", "04 0e 06 01 57 fd 00 00 01"),
          ("01 57 fd 05 01 00 05 \(features)", "04 0e 07 01 57 fd 00 01 00 0f"),
        ]
        + scans.flatMap { type in
          [
            ("01 0b 20 07 \(type) 10 00 10 00 00 00", "04 0e 04 01 0b 20 00"),
            ("01 0c 20 02 01 00", "04 0e 04 01 0c 20 00"),
            ("01 0c 20 02 00 00", "04 0e 04 01 0c 20 00"),
          ]
        }
      return devices(
        texts.flatMap { command, answer in
          [
            TestRecord(bytes: hex(command)),
            TestRecord(bytes: hex(answer), direction: .received),
          ]
        }
      ) { _ in }.page
    }
    let words =
      "; chosen by up to 1 content filter (APCF): devices that are not listed may have been there"
    #expect(page("20 00").contains(words), "\(page("20 00"))")
    // Of several scans, it is said once.
    let several = page("20 00", scans: ["01", "00"])
    #expect(
      several.ranges(of: "chosen by up to 1 content filter (APCF); no").count == 2, "\(several)")
    #expect(several.ranges(of: "may have been there").count == 1, "\(several)")
    // A filter without features accepts everything.
    #expect(!page("00 00").contains("content filter"), "\(page("00 00"))")
  }
}
