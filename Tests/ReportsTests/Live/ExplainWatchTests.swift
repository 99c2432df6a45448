// Findings in live captures.

import Bytes
import Captures
import Histories
import Dissectors
import Foundation
import MadeTraffic
import Sessions
import Testing

@testable import Explanations
@testable import Reports

/// Returns the output for traffic with half a second of silence before every record, so that
/// everything is checked as often as possible.
private func explained(json: Bool = false, _ write: (inout Traffic) -> Void) -> String {
  var traffic = Traffic()
  write(&traffic)
  let clock = TestClock()
  var options = ExplainOptions()
  options.face = json ? .json : .text
  return watched(
    traffic, clock, silence: { _ in 500 }, ExplainWatch(options) { clock.now })
}

@Suite("Findings, printed once they are certain") struct ExplainWatchTests {
  @Test("A refused request on an open connection, once, and the verdict at the end") func refused()
  {
    let text = explained { traffic in
      traffic.connectToHeartRate()
      traffic.ask("12 13 00 01", "01 12 13 00 03")
      for _ in 0..<5 { traffic.ask("0a 13 00", "0b 01") }
    }
    #expect(
      text == """
        Connection 1: C0:11:22:33:44:55 random static; this host is the central

        warning  Write to 2a38 Body Sensor Location refused: Write Not Permitted (0x03)    att_not_permitted
          why      The declaration offers read, but not write.                                certain  #8 #9
          do       Use what it offers: read it. If it should be written, the firmware has to declare write
                   and allow it (Zephyr: BT_GATT_PERM_WRITE).

        1 warning: the peripheral refused the central's write to 2a38 Body Sensor Location (#9) – Write Not
        Permitted (0x03)

        """)
  }

  @Test("It is printed before the packets that follow") func early() {
    var reported: [Int] = []
    var traffic = Traffic()
    traffic.connect()
    traffic.exchangeFeatures()
    traffic.pairingFailed(5)
    for _ in 0..<5 { traffic.ask("0a 13 00", "0b 01") }
    let clock = TestClock()
    let report = Watcher(ExplainWatch(ExplainOptions()) { clock.now })
    _ = watched(traffic, clock, silence: { _ in 500 }, report) { reported = $0.reported }
    // Pairing Failed is packet 4.
    #expect(reported == [5], "printed before packets \(reported)")
  }

  @Test("A failure that may still be resolved is printed when the connection ends") func later() {
    let write = { (traffic: inout Traffic) in
      traffic.connectToHeartRate()
      traffic.ask("0a 13 00", "01 0a 13 00 05")
      traffic.ask("0a 13 00", "0b 01")
    }
    var reported: [Int] = []
    var traffic = Traffic()
    write(&traffic)
    traffic.disconnect()
    traffic.command(0x0c03)
    let clock = TestClock()
    let report = Watcher(ExplainWatch(ExplainOptions()) { clock.now })
    _ = watched(traffic, clock, silence: { _ in 500 }, report) { reported = $0.reported }
    // The end of the connection is packet 12.
    #expect(reported == [13], "printed before packets \(reported)")
  }

  @Test("As JSON: one finding per line, then the verdict") func json() {
    let lines = explained(json: true) { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.pairingFailed(5)
      traffic.disconnect()
    }.split(separator: "\n").map(String.init)
    #expect(
      lines.first?.hasPrefix(#"{"type":"finding","rule":"smp_not_supported","severity":"error""#)
        ?? false, "got \(lines)")
    #expect(lines.first?.contains(#""connections":[1]"#) ?? false, "got \(lines)")
    #expect(lines.last?.hasPrefix(#"{"type":"verdict","records":5,"verdict":"1 error: "#) ?? false)
    #expect(lines.count { $0.contains("smp_not_supported") } == 1)
  }

  @Test("Nothing to find") func nothing() {
    #expect(explained { $0.connect() } == "No problem found\n")
  }

  /// The project's captures.
  private static let captures: [URL] = {
    let folder = project.appending(path: "captures")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().filter { $0.hasSuffix(".btsnoop") }.map { folder.appending(path: $0) }
  }()

  @Test("Early findings are still found at the end, and nothing else", arguments: captures)
  func agrees(_ capture: URL) throws {
    let early = try findings(capture.path) { _ in 250 }
    let late = try findings(capture.path) { _ in 0 }
    #expect(Set(early.map(\.rule)) == Set(late.map(\.rule)))
    for finding in early {
      // After a later success it may be less severe, and the end may join it with another one.
      let isThere = late.contains {
        $0.rule == finding.rule && $0.severity <= finding.severity
          && $0.evidence.contains(finding.evidence.min() ?? 0)
      }
      #expect(isThere || finding.evidence.isEmpty, "\(finding) is not among \(late)")
    }
  }

  private struct Told: CustomStringConvertible {
    let rule: String
    let severity: Int
    let evidence: [Int]

    var description: String { "\(rule) \(severity) \(evidence)" }
  }

  /// Returns the findings as they are printed.
  private func findings(_ path: String, silence: @escaping (Int) -> Int64) throws -> [Told] {
    let clock = TestClock()
    var source = PacedSource(try CaptureReader(path: path), clock, silence: silence)
    var options = ExplainOptions()
    options.face = .json
    var report = ExplainWatch(options) { clock.now }
    var output = Output()
    var pass = Pass()
    try pass.run(&source, &report, into: &output)
    return try output.string.split(separator: "\n").compactMap { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      guard object["type"] as? String == "finding" else { return nil }
      return Told(
        rule: object["rule"] as? String ?? "",
        severity: ["note", "warning", "error"].firstIndex(of: object["severity"] as? String) ?? -1,
        evidence: object["evidence"] as? [Int] ?? [])
    }
  }
}

/// Records before which packets a report prints something.
private struct Watcher: PacketReport, ~Copyable {
  private var report: ExplainWatch
  private var next = 1
  private(set) var reported: [Int] = []

  init(_ report: consuming ExplainWatch) { self.report = report }

  var isSatisfied: Bool { report.isSatisfied }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    next = packet.record.number + 1
    report.packet(packet, memory, into: &output)
  }

  mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32? {
    let before = output.count
    let wait = report.pause(memory, into: &output)
    if output.count > before { reported.append(next) }
    return wait
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) { report.finish(memory, failure, into: &output) }
}
