import Bluetooth
import Bytes
import Diagnosis
import Histories
import Meanings
import Reports
import Sessions

/// `explain --json`: one document (json.md).
struct ExplainDocument: ~Copyable {
  private let explanation: Explanation
  private let showsKeys: Bool
  private var sink: JSONSink

  /// The maximum number of listed packets of the evidence.
  private static let mostPackets = 1000

  init(_ explanation: Explanation, showsKeys: Bool) {
    self.explanation = explanation
    self.showsKeys = showsKeys
    sink = JSONSink(showsKeys: showsKeys)
  }

  mutating func write(into output: inout Output) {
    sink.beginDocument(in: &output)
    sink.number("schema", JSONSchema.number)
    verdict()
    list("findings", explanation.findings)
    let unlisted = explanation.evidence.extent.unlistedConnections
    if unlisted > 0 { sink.number("connections_left_out", unlisted) }
    if !explanation.skipped.isEmpty {
      sink.beginList("skipped_rules")
      for skipped in explanation.skipped {
        sink.beginItem()
        sink.string("rule", skipped.rule.key)
        sink.parts("needs", skipped.lacks)
        sink.endItem()
      }
      sink.endList()
    }
    sink.beginList("connections")
    for connection in explanation.connections { write(connection) }
    sink.endList()
    list("problems", explanation.ofCapture + explanation.ofOthers + explanation.appendix)
    sink.endDocument(in: &output)
  }

  /// Writes a single finding.
  mutating func write(_ finding: Finding, into output: inout Output) {
    sink.beginDocument(in: &output)
    sink.word("type", "finding")
    fields(finding)
    sink.endDocument(in: &output)
  }

  /// Writes only the verdict.
  mutating func writeVerdict(into output: inout Output) {
    sink.beginDocument(in: &output)
    sink.word("type", "verdict")
    verdict()
    sink.endDocument(in: &output)
  }

  /// Appends the answer in one sentence, and the numbers in it.
  private mutating func verdict() {
    sink.number("records", explanation.evidence.extent.records)
    sink.string("verdict", explanation.verdict.text)
    sink.begin("found")
    for severity in Severity.allCases.reversed() {
      sink.number(severity.key, explanation.count(severity))
    }
    sink.end()
  }

  private mutating func write(_ connection: Explanation.ReportedConnection) {
    sink.beginItem()
    sink.connection(
      connection.history.connection, name: connection.history.name,
      until: explanation.evidence.extent.latest, connection.history.air?.link)
    if let link = connection.history.air?.link { sink.radio(link) }
    sink.word("paired", connection.history.paired.key)
    sink.beginList("story")
    for line in connection.history.namedStory(explanation.evidence) {
      sink.beginItem()
      sink.number("first_packet", line.packets.lowerBound)
      sink.number("last_packet", line.packets.upperBound)
      if let time = line.time, let earliest = explanation.evidence.extent.earliest {
        sink.key("elapsed_s")
        sink.output.elapsed(time, since: earliest)
      }
      sink.string("text", line.text.text)
      if !line.consequences.isEmpty {
        sink.beginList("conclusions")
        for consequence in line.consequences {
          sink.element(string: [UInt8](consequence.text.utf8).bytes)
        }
        sink.endList()
      }
      sink.endItem()
    }
    sink.endList()
    list("problems", connection.findings)
    sink.endItem()
  }

  private mutating func list(_ key: StaticString, _ findings: [Finding]) {
    sink.beginList(key)
    for finding in findings {
      sink.beginItem()
      fields(finding)
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func fields(_ finding: Finding) {
    sink.string("rule", finding.key)
    sink.word("severity", (finding.severity ?? .note).key)
    sink.string("what", finding.what.text)
    sink.string("cause", finding.why.text)
    sink.word("certainty", finding.certainty.key)
    sink.word("grounds", (finding.grounds ?? .meaning).key)
    if !finding.alternatives.isEmpty {
      sink.beginList("alternatives")
      for alternative in finding.alternatives {
        sink.element(string: [UInt8](alternative.asSentence.text.utf8).bytes)
      }
      sink.endList()
    }
    if finding.isResolved { sink.flag("resolved", true) }
    if let fault = finding.fault {
      sink.word("fault", fault.key(explanation.evidence.vantage(of: finding)))
    }
    sink.packets("connections", finding.connections[...])
    if let attribute = finding.attribute {
      if let uuid = attribute.uuid { sink.uuid("uuid", uuid) }
      if let handle = attribute.handle { sink.identifier("handle", UInt64(handle), digits: 4) }
    }
    let packets = finding.evidence.ranges.flatMap { $0.prefix(Self.mostPackets) }
    sink.packets("evidence", packets.prefix(Self.mostPackets))
    write(finding.details)
    if let remedy = finding.remedy { sink.string("remedy", remedy.text) }
    if let note = finding.note { sink.string("note", note.text) }
  }

  /// Appends the details; lines with the same label are merged.
  private mutating func write(_ details: [Finding.Detail]) {
    guard !details.isEmpty else { return }
    var labels: [StaticString] = []
    var lines: [String: (text: [String], isHidden: Bool)] = [:]
    for detail in details {
      let name = detail.label.description
      if lines[name] == nil { labels.append(detail.label) }
      let isHidden = detail.revealed != nil && !showsKeys
      let text = isHidden ? detail.text : detail.revealed ?? detail.text
      lines[name, default: ([], false)].text.append(text.text)
      if isHidden { lines[name]?.isHidden = true }
    }
    sink.begin("details")
    for label in labels {
      guard let line = lines[label.description] else { continue }
      sink.string(label, line.text.joined(separator: "; "))
      if line.isHidden { sink.hidden(label, 0) }
    }
    sink.end()
  }
}
