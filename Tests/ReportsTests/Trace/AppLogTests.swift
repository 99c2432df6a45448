import MadeTraffic
import Sessions
import Testing

@testable import Platforms

@Suite("An app's log beside the trace") struct AppLogTests {
  /// The first record's time is 1 700 000 000 s: 2023-11-14 22:13:20 UTC.
  @Test(
    "times as logs write them",
    arguments: [
      "2023-11-14 22:13:20.175523+0000 App[12:34] here", "2023-11-14T22:13:20.175Z here",
      "2023-11-14 23:13:20.175+0100 here", "[2023-11-14 22:13:20,175] here",
      "11-14 22:13:20.175  1234  5678 D App: here", "22:13:20.175 here",
      "1700000000.175 here", "1700000000175 here", "2023/11/14 22:13:20.175 here",
      "Nov 14 22:13:20.175 here", "Nov 14 22:13:20.175 phone App[12]: here",
      "default\t22:13:20.175523+0000\tApp\there", "Error\t2023-11-14 22:13:20.175+0000\tApp\there",
    ]) func times(line: String) throws
  {
    let lines = try trace(.corebluetooth, { $0.log = AppLog([UInt8](line.utf8), offset: 0) }) {
      $0.connect()
      $0.received("1b 10 00 01")
      $0.wait(300)
      $0.received("1b 10 00 02")
    }.filter { !$0.contains("link layer") }
    #expect(lines.count == 4, "\(lines)")
    #expect(lines.firstIndex { $0.hasSuffix("here") } == 2, "\(line): \(lines)")
  }

  @Test("of a log with too many lines the first are read, which is reported") func length() throws {
    let text = [UInt8]("22:13:20 a\n22:13:21 b\n".utf8)
    func remark(_ most: Int) throws -> String? {
      var traffic = Traffic()
      traffic.connect()
      var source = MemorySource(traffic)
      var options = TraceOptions()
      options.log = AppLog(text, offset: 0, most: most)
      var report = TraceReport(options, source.summary)
      _ = Rendering.run(&source, &report)
      return report.remark
    }
    #expect(try remark(2) == nil)
    #expect(try remark(1) == "only the first 1 lines of the app's log are read")
  }

  @Test("of a line with too much text the beginning is shown, which is reported") func width()
    throws
  {
    let part = String(repeating: "a", count: AppLog.mostText / 2)
    for (text, count) in [
      (part + part, 1), ("\(part)\n\(part)", 2), ("a\n\(part)\n\(part)\nb", 2),
    ] {
      var traffic = Traffic()
      traffic.connect()
      var source = MemorySource(traffic)
      var options = TraceOptions()
      options.log = AppLog([UInt8]("22:13:20 \(text)\n22:13:21 next".utf8), offset: 0)
      var report = TraceReport(options, source.summary)
      let text = Rendering.run(&source, &report)
      #expect(report.remark == "only the first 1 MB of each line of the app's log is shown")
      let lines = text.split(separator: "\n")
      #expect(lines.count { $0.contains("aaa") } == count)
      #expect(lines.last?.hasSuffix("next") == true)
    }
  }

  @Test("the app's clock can be corrected, and lines without a time stay with theirs") func offset()
    throws
  {
    let log = "no time yet\n22:13:20.175 first\n  more of it\n22:13:20.176 second\n"
    let lines = try trace(
      .corebluetooth, { $0.log = AppLog([UInt8](log.utf8), offset: 1_000_000_000) }
    ) {
      $0.connect()
      $0.received("1b 10 00 01")
      $0.wait(300)
      $0.received("1b 10 00 02")
    }.filter { !$0.contains("link layer") }
    let last = lines.suffix(3).map { (line: String) -> String in
      line.split(separator: " ").last.map(String.init) ?? ""
    }
    #expect(last == ["first", "it", "second"])
  }

  @Test(
    "a log far from the capture's time is reported, with how to fix it",
    arguments: [
      ("2023-11-15 03:13:25 late", "begins 5 hours after the capture's end"),
      ("2023-11-14 22:10:00 early", "ends 3 minutes before the capture's beginning"),
      ("2023-11-11 22:10:00 early", "ends 3 days before the capture's beginning"),
    ]) func far(line: String, words: String) throws
  {
    var traffic = Traffic()
    traffic.connect()
    var source = MemorySource(traffic)
    var options = TraceOptions()
    options.log = AppLog([UInt8](line.utf8), offset: 0)
    var report = TraceReport(options, source.summary)
    let text = Rendering.run(&source, &report)
    #expect(report.remark?.contains("the app's log \(words): --clock-offset") == true)
    // The output beside it remains.
    #expect(text.contains(line.suffix(4)))
  }

  @Test("text that only begins like a time is not one") func noTimes() throws {
    for line in ["Mar is a month", "May 99 12:00:00", "default 22:13:20 here", "App\tstarted"] {
      let lines = try trace(.android, { $0.log = AppLog([UInt8](line.utf8), offset: 0) }) {
        $0.connect()
      }
      #expect(!lines.contains { $0.hasPrefix("|") }, "\(line): \(lines)")
    }
  }
}
