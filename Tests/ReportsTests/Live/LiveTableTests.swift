// Tables that are drawn on a terminal while they grow.

import Bytes
import Captures
import MadeTraffic
import Sessions
import Synchronization
import Testing

@testable import Reports

/// Returns the screens of a terminal after each drawing of a table, below an earlier line, and
/// everything at the end.
private func screens<Report: TableReport & ~Copyable>(
  _ traffic: Traffic, silence: @escaping (Int) -> Int64, rows: Int = 20, columns: Int = 100,
  _ report: consuming Report
) -> (drawn: [[String]], end: [String]) {
  let clock = TestClock()
  var options = LiveTableOptions { TerminalSize(rows: rows, columns: columns) }
  options.now = { clock.now }
  let written = watched(traffic, clock, silence: silence, LiveTable(report, options))
  var terminal = FakeTerminal(rows: rows, columns: columns)
  terminal.write("$ gattscope live\n")
  var drawn: [[String]] = []
  for piece in FakeTerminal.drawings(written) {
    terminal.write(piece)
    drawn.append(terminal.screen)
  }
  return (drawn, terminal.everything)
}

@Suite("A table of values on a terminal") struct LiveValuesTests {
  @Test("It grows in place, and at the end the whole table is there") func grows() {
    let traffic = twoSensors()
    // No record arrives for a while after the first value, and before the end.
    let (drawn, end) = screens(
      traffic, silence: { [15: 300, 18: 2100][$0] ?? 0 }, ValuesReport(ValuesOptions()))
    guard drawn.count > 2 else {
      Issue.record("expected several drawings, got \(drawn)")
      return
    }
    #expect(
      drawn[0] == [
        "$ gattscope live", "0 s, 14 records, none lost",
        "  attribute                    operation     count  packets  first → last",
        "C0:11:22:33:44:55  connection 1, MTU 23 (not exchanged)",
        "180d Heart Rate",
        "  2a37 Heart Rate Measurement  notification      1  #14      72 bpm, contact detected",
      ])
    #expect(drawn.contains { $0.contains { $0.hasPrefix("2 s, 17 records") } }, "the clock runs")
    for screen in drawn { #expect(screen.first == "$ gattscope live") }
    var options = ValuesOptions()
    options.width = 100
    let plain = watched(traffic, TestClock(), silence: { _ in 0 }, ValuesReport(options))
    #expect(end == ["$ gattscope live"] + plain.split(separator: "\n").map(String.init))
  }

  @Test("If not all fit, the latest changes are shown, and the rest are counted")
  func tooMany() {
    var traffic = Traffic()
    traffic.connect()
    for handle in 0x20..<0x40 { traffic.ask("0a \(digits(handle)) 00", "0b \(digits(handle))") }
    traffic.received("1b 25 00 01")
    let (drawn, _) = screens(
      traffic, silence: { $0 == 67 ? 500 : 0 }, rows: 10, columns: 70,
      ValuesReport(ValuesOptions()))
    // 9 lines of the terminal's 10: the cursor has one.
    #expect(
      drawn.last { $0.first?.contains("records") ?? false } == [
        "0 s, 66 records, none lost",
        "  attribute  operation     count  packets  first → last",
        "C0:11:22:33:44:55  connection 1, MTU 23 (not exchanged)",
        "  0x0025     read              1  #13      25",
        "             notification      1  #66      01",
        "  0x003d     read              1  #61      3d",
        "  0x003e     read              1  #63      3e",
        "  0x003f     read              1  #65      3f",
        "… 28 more",
      ])
  }

  @Test("Without room for headings, only the latest change is shown") func low() {
    var traffic = Traffic()
    traffic.connect()
    for handle in 0x20..<0x40 { traffic.ask("0a \(digits(handle)) 00", "0b \(digits(handle))") }
    let last = traffic.records.count + 1
    let (drawn, _) = screens(
      traffic, silence: { $0 == last ? 500 : 0 }, rows: 4, columns: 70,
      ValuesReport(ValuesOptions()))
    let screen = drawn.last { $0.contains { $0.contains("records") } } ?? []
    #expect(screen.last?.hasPrefix("  0x003e  read") ?? false, "got \(screen)")
    #expect(
      screen.contains { $0.hasPrefix("  0x003f  read") && $0.hasSuffix("3f") }, "got \(screen)")
  }

  @Test("Narrow lines begin with the values") func narrow() {
    let traffic = twoSensors()
    let last = traffic.records.count + 1
    let (drawn, _) = screens(
      traffic, silence: { $0 == last ? 500 : 0 }, columns: 40, ValuesReport(ValuesOptions()))
    let screen = drawn.last { $0.contains { $0.contains("records") } } ?? []
    #expect(screen.contains { $0.hasPrefix("  72 bpm") }, "got \(screen)")
    #expect(screen.allSatisfy { $0.count <= 40 }, "got \(screen)")
  }

  @Test("It is drawn at most five times a second, and each second while no record arrives")
  func often() {
    var traffic = Traffic()
    traffic.connect()
    for _ in 0..<100 { traffic.received("1b 10 00 06 48") }
    // A record every 10 ms, then 3 s of silence.
    let (drawn, _) = screens(
      traffic, silence: { $0 <= 101 ? 10 : 3000 }, ValuesReport(ValuesOptions()))
    let seconds = drawn.compactMap {
      $0.dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
    }
    #expect(seconds.count { $0 == 0 } <= 5 && seconds.count { $0 == 0 } >= 4, "got \(seconds)")
    #expect(Set(seconds) == [0, 1, 2, 3, 4], "got \(seconds)")
    #expect(drawn.count <= 13, "got \(drawn.count)")
  }

  @Test("Packets that arrive without a pause are shown, too") func busy() {
    let clock = TestClock()
    var traffic = Traffic()
    traffic.connect()
    for _ in 0..<1000 { traffic.received("1b 10 00 06 48") }
    var options = LiveTableOptions { TerminalSize(rows: 20, columns: 80) }
    // 50 ms pass between two reads of the clock.
    options.now = {
      clock.advance(50)
      return clock.now
    }
    let written = watched(
      traffic, clock, silence: { _ in 0 }, LiveTable(ValuesReport(ValuesOptions()), options))
    #expect(FakeTerminal.drawings(written).count > 2)
  }

  @Test("Messages in the meantime appear above the table") func notices() {
    let clock = TestClock()
    let reported = Mutex(["a mark: \u{7}button"])
    var options = LiveTableOptions { TerminalSize(rows: 20, columns: 80) }
    options.now = { clock.now }
    options.notices = {
      reported.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
    let written = watched(
      twoSensors(), clock, silence: { $0 > 14 ? 400 : 0 },
      LiveTable(ValuesReport(ValuesOptions()), options))
    var terminal = FakeTerminal(rows: 20, columns: 80)
    terminal.write(written)
    #expect(terminal.everything.first == "a mark: \\x07button", "got \(terminal.everything)")
    #expect(terminal.everything.count { $0.hasPrefix("a mark") } == 1)
  }

  private func digits(_ value: Int) -> String { String(value, radix: 16) }
}

@Suite("A table of devices on a terminal") struct LiveDevicesTests {
  private func scanned(_ devices: Int) -> Traffic {
    var traffic = Traffic()
    traffic.perform(0x200c, [1, 0])
    for round in 0..<3 {
      for device in 0..<devices where device % 2 == 0 || round == 0 {
        traffic.advertise(peer: 0xc000_0000_0000 + device, data: "02 01 06 03 03 0d 18")
        traffic.wait(99)
      }
    }
    return traffic
  }

  private func report(_ traffic: Traffic) -> DevicesReport {
    DevicesReport(DevicesOptions(), MemorySource(traffic).summary)
  }

  @Test("One line per device, those heard most often first") func table() {
    let traffic = scanned(2)
    let last = traffic.records.count + 1
    let (drawn, end) = screens(traffic, silence: { $0 == last ? 100 : 0 }, report(traffic))
    #expect(
      drawn.first == [
        "$ gattscope live", "0 s, 6 records, none lost", "2 advertisers, 4 reports",
        "  reports     apart  RSSI  device",
        "        3    100 ms   -56  C0:00:00:00:00:00  random static, connectable; 180d Heart Rate; "
          + "general …",
        "        1             -56  C0:00:00:00:00:01  random static, connectable; 180d Heart Rate; "
          + "general …",
      ])
    #expect(end.contains { $0.hasPrefix("scan  from #1 on") }, "the whole page at the end: \(end)")
  }

  @Test("If not all fit, the rest are counted") func tooMany() {
    let traffic = scanned(30)
    let last = traffic.records.count + 1
    let (drawn, _) = screens(traffic, silence: { $0 == last ? 100 : 0 }, rows: 12, report(traffic))
    let screen = drawn.first ?? []
    #expect(screen.count == 11 && screen.last == "… 23 more", "got \(screen)")
  }
}
