// Lines and rows of `values`: which advertisers they list, and how they keep to a width.

import Bluetooth
import MadeTraffic
import Sessions
import Testing

@testable import Reports

/// The output and the remark of `values` in one of its forms.
private func values(
  _ form: ValueLines.Form = .text, limits: Limits = Limits(),
  with change: (inout ValuesOptions) -> Void = { _ in }, of build: (inout Traffic) -> Void
) throws -> (lines: [String], remark: String?) {
  var traffic = Traffic()
  build(&traffic)
  var options = ValuesOptions()
  options.listsAdvertised = false
  change(&options)
  var source = MemorySource(traffic.records)
  var report = ValueLines(options, form, source.summary, limits: limits)
  let text = Rendering.run(&source, &report)
  return (text.split(separator: "\n").map(String.init), report.remark)
}

extension Traffic {
  /// Appends advertisements with a company's data from different devices.
  fileprivate mutating func advertised(by devices: Int) {
    for device in 0..<devices {
      let data = hex("0b ff d6 08") + [UInt8](repeating: UInt8(device), count: 8)
      meta(
        0x02,
        [1, 0, 0] + little(0x0c11_2200_0000 + device, width: 6) + [UInt8(data.count)] + data + [
          0xc8
        ])
    }
  }

  fileprivate mutating func talk() {
    connect()
    discoverHeartRate()
    for value in ["06 48", "06 49", "06 4a"] { received("1b 10 00 \(value)") }
  }
}

@Suite("Lines of values: advertisers, columns")
struct ValueLinesTests {
  private func both(_ traffic: inout Traffic) {
    traffic.advertised(by: 3)
    traffic.talk()
    traffic.advertised(by: 4)
  }

  private let words = "4 advertisers; --advertised lists them"

  @Test(
    "If a device was connected, advertisers are only counted",
    arguments: [ValuesOptions.Rows.all, .changes, .distinct])
  func counted(_ rows: ValuesOptions.Rows) throws {
    let text = try values(with: { $0.rows = rows }, of: both)
    #expect(text.lines.count == 5 && text.lines.last == words, "\(text.lines)")
    #expect(text.lines[0].contains("#") && text.lines[0].hasSuffix("value"), "\(text.lines)")
    #expect(!text.lines.dropLast().contains { $0.contains("advertise") }, "\(text.lines)")
    #expect(text.remark == nil)
    let csv = try values(.csv, with: { $0.rows = rows }, of: both)
    #expect(csv.lines.count == 4 && csv.remark == words, "\(csv)")
    // Programs get everything.
    let json = try values(.json, with: { $0.rows = rows }, of: both)
    #expect(json.lines.count >= 3 + 4 && json.remark == nil, "\(json)")
  }

  @Test("If none was, or on request, they are listed; the connected ones come first if possible")
  func listed() throws {
    let alone = try values { $0.advertised(by: 3) }
    #expect(alone.lines.count == 4 && alone.remark == nil, "\(alone.lines)")
    #expect(try values(.csv) { $0.advertised(by: 3) }.lines.count == 4)
    let all = try values(of: { both(&$0) })
    #expect(all.lines.count == 5)
    let requested = try values(with: { $0.listsAdvertised = true }, of: both)
    #expect(requested.lines.count == 1 + 3 + 3 + 4, "\(requested.lines)")
    let distinct = try values(
      with: {
        $0.listsAdvertised = true
        $0.rows = .distinct
      }, of: both)
    #expect(distinct.lines.count == 1 + 3 + 4)
    #expect(distinct.lines[1...3].allSatisfy { $0.contains("notification") }, "\(distinct.lines)")
  }

  @Test("A limit counts only what is printed") func limit() throws {
    for form in [ValueLines.Form.text, .csv] {
      let found = try values(form, with: { $0.selection.limit = 2 }, of: both)
      #expect(found.lines.count == 3, "\(found.lines)")
      #expect(found.lines.allSatisfy { !$0.contains("advertise") }, "\(found.lines)")
    }
    let alone = try values(with: { $0.selection.limit = 2 }, of: { $0.advertised(by: 3) })
    #expect(alone.lines.count == 3, "\(alone.lines)")
  }

  @Test("No more is held than the limit; then everything is listed") func held() throws {
    var limits = Limits()
    limits.heldRowBytes = 100
    for form in [ValueLines.Form.text, .csv] {
      let found = try values(form, limits: limits, of: both)
      #expect(found.lines.count == 1 + 3 + 3 + 4 && found.remark == nil, "\(found)")
    }
  }

  @Test(
    "Lines keep to the width, with all of the value, or with its beginning",
    arguments: [60, 80, 100])
  func width(_ width: Int) throws {
    let long = [UInt8](repeating: 0xab, count: 60)
    func build(_ traffic: inout Traffic) {
      traffic.talk()
      traffic.acl(l2cap([0x1b, 0x13, 0] + long), .received)
      traffic.ask("12 15 00 01", "01 12 15 00 80")
    }
    for rows in [ValuesOptions.Rows.changes, .distinct] {
      let found = try values(
        with: {
          $0.rows = rows
          $0.width = width
          $0.profiles = nil
        }, of: build)
      #expect(found.lines.allSatisfy { $0.columns <= width }, "\(found.lines)")
      let bytes = found.lines.joined(separator: " ").split(separator: " ")
      #expect(bytes.count { $0 == "ab" } == long.count, "\(found.lines)")
    }
    let cut = try values(
      with: {
        $0.width = width
        $0.profiles = nil
      }, of: build)
    #expect(cut.lines.allSatisfy { $0.columns <= width }, "\(cut.lines)")
    #expect(cut.lines.contains { $0.contains(" ab ab ab") && $0.hasSuffix("…") }, "\(cut.lines)")
  }

  @Test("The last write before a value is one to its server, and not to a CCCD")
  func lastWrites() throws {
    let found = try values(
      with: { $0.rows = .changes },
      of: { traffic in
        traffic.connectToHeartRate()
        traffic.received("52 03 00 01")
        traffic.received("1b 10 00 06 48")
        traffic.sent("52 20 00 07")
        // The CCCD's response comes after the first value.
        traffic.sent("12 11 00 01 00")
        traffic.received("1b 10 00 06 49")
        traffic.received("13")
      })
    let values = found.lines.filter { $0.contains("bpm") }
    #expect(values.count == 2 && !values[0].contains("after"), "\(found.lines)")
    let write = found.lines.first { $0.contains("0x0020") }?.split(separator: " ").first ?? ""
    #expect(values.last?.contains("after #\(write)") == true, "\(found.lines)")
  }

  @Test("Advertisers do not take the room of values") func advertisedWidth() throws {
    let found = try values(
      with: {
        $0.listsAdvertised = true
        $0.width = 100
      }, of: both)
    let notified = found.lines.filter { $0.contains("notification") }
    #expect(notified.count == 3 && notified.allSatisfy { $0.contains(" bpm") }, "\(found.lines)")
  }
}
