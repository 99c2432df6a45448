import Bluetooth
import Bytes
import Cryptography
import Diagnosis
import Histories
import Explanations
import Reports
import Sessions
import Words

/// Writes the page: the template with its marks filled in. Everything can be read without the
/// script, except the time line, the list of packets, the ladder and the charts.
struct PageWriter {
  let options: PageOptions
  private(set) var explanation: Explanation
  private(set) var contents: PageContents
  /// The plots that are drawn, in the order of their figures.
  var plots: [DrawnPlot] = []

  /// The most connections whose stories are written, and the bytes after which none is added.
  private static let mostStories = 400
  private var storyBytes: Int { options.limit / 100 }
  /// The size of most pages without the packets, in bytes.
  private static let usualBytes = 1 << 20
  /// The largest part with packets that is kept until it is written, in bytes.
  private static let mostKept = 4 << 20
  /// The room for the remarks about what did not fit, in bytes.
  private static let leftOutBytes = 512
  /// If there are more notes than this, they are folded away.
  private static let mostNotes = 4

  init(_ options: PageOptions, _ explanation: Explanation, _ contents: PageContents) {
    self.options = options
    self.explanation = explanation
    self.contents = contents
  }

  /// Writes the whole page. The packets get the room that the rest of the page leaves.
  mutating func write(
    _ values: inout CountedValues, _ map: inout MapPage, _ reading: inout ValueReading,
    _ memory: borrowing Memory, into out: inout Output
  ) {
    let template = PageTexts.page.bytes
    var table = values.conclude(memory, &reading)
    var page = Output()
    page.reserve(Self.usualBytes)
    var (remarks, packets) = (0, 0)
    var (start, offset) = (0, 0)
    while offset + 1 < template.byteCount {
      guard template.byte(at: offset) == 0x7b, template.byte(at: offset + 1) == 0x7b else {
        offset += 1
        continue
      }
      page.raw(template.part(Slice(start: start, count: offset - start)))
      var end = offset + 2
      while end < template.byteCount, template.byte(at: end) != 0x7d { end += 1 }
      let mark = template.part(Slice(start: offset + 2, count: end - offset - 2)).array
      switch String(decoding: mark, as: UTF8.self) {
      case "values": writeValues(values, &table, &reading, memory, into: &page)
      case "map": writeMap(&map, into: &page)
      case "remarks": remarks = page.count
      case "data":
        page.byte(0x7b)
        packets = page.count
        writeData(into: &page)
        page.byte(0x7d)
      case let name: write(name, into: &page)
      }
      (start, offset) = (end + 2, end + 2)
    }
    page.raw(template.part(Slice(start: start, count: template.byteCount - start)))
    var probe = Output()
    writeRemarks(into: &probe)
    let rows = fitRows(options.limit - page.count - probe.count - Self.leftOutBytes)
    page.copy(Slice(start: 0, count: remarks), into: &out)
    writeRemarks(into: &out)
    page.copy(Slice(start: remarks, count: packets - remarks), into: &out)
    if let rows { rows.copy(into: &out) } else { contents.rows.write(into: &out) }
    page.copy(Slice(start: packets, count: page.count - packets), into: &out)
  }

  /// Leaves out the last packets if their part of the data has more bytes than there is room for.
  ///
  /// - Returns: that part; nil if it is too large to be kept beside the packets.
  private mutating func fitRows(_ room: Int) -> Output? {
    if contents.rows.size < min(room, Self.mostKept) {
      var written = Output()
      written.reserve(contents.rows.size)
      contents.rows.write(into: &written)
      if written.count <= room { return written }
    }
    var bytes = contents.rows.writtenBytes
    while bytes > room, !contents.rows.rows.isEmpty {
      // Somewhat fewer than would fit if all needed the same number of bytes.
      let share = Double(max(0, room)) / Double(bytes) * 0.97
      contents.rows.keep(first: Int(Double(contents.rows.rows.count) * share))
      bytes = contents.rows.writtenBytes
    }
    return nil
  }

  private mutating func write(_ mark: String, into out: inout Output) {
    switch mark {
    case "title": out.html(title)
    case "style": out.text(PageTexts.style)
    case "script": out.text(PageTexts.script)
    case "script-hash":
      let digest = SHA256()
      digest.add(PageTexts.script.bytes)
      out.string(digest.base64())
    case "name": writeName(into: &out)
    case "heading": out.html(explanation.heading.text)
    case "verdict": writeVerdict(into: &out)
    case "host": out.html(Wording("this host").naming(explanation.evidence.hostName).text)
    case "note": writeNote(into: &out)
    case "findings": writeFindings(into: &out)
    case "stories": writeStories(into: &out)
    case "charts": writeFigures(into: &out)
    case "markdown": writeMarkdown(into: &out)
    case "details": contents.details.write(into: &out)
    default: preconditionFailure("a mark of page.html that nothing stands for")
    }
  }

  private var title: String {
    let name = options.title.isEmpty ? options.name : options.title
    return Wording(printable: [UInt8](name.utf8).bytes).text
  }

  // MARK: The head

  /// Writes the capture's name, unless it is the title.
  private func writeName(into out: inout Output) {
    guard !options.title.isEmpty else { return }
    out.text("<code>")
    out.html(Wording(printable: [UInt8](options.name.utf8).bytes).text)
    out.text("</code> ")
  }

  private func writeVerdict(into out: inout Output) {
    let severity: StaticString =
      explanation.count(.error) > 0
      ? "error" : explanation.count(.warning) > 0 ? "warning" : "none"
    out.text("<p class=\"verdict ")
    out.text(severity)
    out.text("\">")
    out.linked(explanation.verdict.text)
    out.text("</p>")
  }

  private func writeNote(into out: inout Output) {
    guard !options.note.isEmpty else { return }
    out.text("<p class=\"own\">")
    // Line ends are kept; all other unprintable characters are escaped.
    let lines = options.note.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if index > 0 { out.text("<br>") }
      out.linked(Wording(printable: [UInt8](line.utf8).bytes).text)
    }
    out.text("</p>")
  }

  /// Writes what the capture lacks, how it was changed, and what the page leaves out.
  private func writeRemarks(into out: inout Output) {
    var lines: [String] = []
    if let damage = contents.damage { lines.append(damage) }
    if let remark = contents.remark { lines.append(remark) }
    if options.isRedacted {
      lines.append(
        "redacted: keys, addresses and names are pseudonyms, and asterisks replace programs' texts; unknown data of vendors' commands and events \(options.keepsVendors ? "was kept" : "became zeros")"
      )
    }
    lines += options.remarks + contents.remarks
    if let words = explanation.skippedWords { lines.append(words.text) }
    lines += leftOut
    guard !lines.isEmpty else { return }
    out.text("<ul class=\"remarks\">")
    for line in lines {
      out.text("<li>")
      out.linked(Wording(printable: [UInt8](line.utf8).bytes).text)
      out.text("</li>")
    }
    out.text("</ul>")
  }

  /// Remarks about what did not fit into the page.
  private var leftOut: [String] {
    let rows = contents.rows.leftOut
    var lines: [String] = []
    func add(_ count: Int, _ one: StaticString, _ several: StaticString, _ end: StaticString) {
      guard count > 0 else { return }
      let words: Wording = "\(count: count, one, several)\(end)"
      lines.append(words.text)
    }
    let end: StaticString = " left out to keep the page below its limit"
    add(
      rows.noise, "packet of flow control or advertising",
      "packets of flow control or advertising", end)
    add(rows.unconnected, "packet of no connection", "packets of no connection", end)
    add(rows.late, "later packet", "later packets", end)
    add(
      contents.details.withoutFields, "packet without its fields", "packets without their fields",
      ", to keep the page small; a larger --limit keeps more")
    return lines
  }

  // MARK: Findings

  private func writeFindings(into out: inout Output) {
    let findings = explanation.findings
    if findings.isEmpty { out.text("<p>none</p>") }
    for severity in [Severity.error, .warning, .note] {
      let equal = findings.filter { ($0.severity ?? .note) == severity }
      guard !equal.isEmpty else { continue }
      let isFolded = severity == .note && equal.count > Self.mostNotes
      if isFolded {
        out.text("<details class=\"fold\"><summary>")
        out.count(equal.count, "note", "notes")
        out.text("</summary>")
      }
      for finding in equal { write(finding, severity, into: &out) }
      if isFolded { out.text("</details>") }
    }
  }

  private func write(_ finding: Finding, _ severity: Severity, into out: inout Output) {
    out.text("<article class=\"finding ")
    out.text(severity.key)
    out.text("\"><h3><span class=\"badge\">")
    out.text(severity.key)
    out.text("</span> ")
    out.linked(finding.what.text)
    out.text("</h3>")
    out.text("<dl>")
    row("why", finding.why.text, into: &out)
    let packets = ExplainPage.packets(finding.evidence)
    let proof = [finding.certaintyWord, packets].filter { !$0.isEmpty }.joined(separator: ": ")
    if !proof.isEmpty { row("proof", proof, into: &out) }
    for alternative in finding.alternatives { row("or", alternative.asSentence.text, into: &out) }
    for detail in finding.details {
      let text = options.showsKeys ? detail.revealed ?? detail.text : detail.text
      row(detail.label, text.text, into: &out)
    }
    if let remedy = finding.remedy { row("do", remedy.text, into: &out) }
    if let note = finding.note { row("note", note.text, into: &out) }
    if !finding.connections.isEmpty {
      out.text("<dt>where</dt><dd>")
      out.linkedConnections(ExplainPage.connections(of: finding))
      out.text("</dd>")
    }
    out.text("<dt>rule</dt><dd><code>")
    out.text(finding.rule)
    out.text("</code></dd></dl></article>\n")
  }

  private func row(_ label: StaticString, _ text: String, into out: inout Output) {
    out.text("<dt>")
    out.text(label)
    out.text("</dt><dd>")
    out.linked(text)
    out.text("</dd>")
  }

  // MARK: Stories

  private mutating func writeStories(into out: inout Output) {
    let connections = explanation.connections
    if connections.isEmpty { out.text("<p>none</p>") }
    var story = Output()
    var written = 0
    var shown = 0
    for (index, one) in connections.prefix(Self.mostStories).enumerated() where written < storyBytes
    {
      shown += 1
      let history = one.history
      out.text("<details class=\"story\" id=\"connection-")
      out.decimal(history.id)
      let isOpen =
        connections.count == 1 || (connections.count <= 8 && !one.findings.isEmpty) || index == 0
      out.text(isOpen ? "\" open><summary>" : "\"><summary>")
      out.text("Connection ")
      out.decimal(history.id)
      out.text(": ")
      out.html(history.peerWords.text)
      out.text("</summary>")
      let host = history.hostWords(explanation.evidence)
      if !host.isEmpty {
        out.text("<p>")
        out.html(host.capitalized.text)
        out.text("</p>")
      }
      story.clear()
      for line in explanation.story(index) { write(line, into: &story) }
      written += story.count
      out.text("<ol>")
      story.copy(into: &out)
      out.text("</ol></details>\n")
    }
    if connections.count > shown {
      out.text("<p>")
      out.count(connections.count - shown, "more connection", "more connections")
      out.text(": gattscope explain --connection describes one</p>")
    }
  }

  private func write(_ line: StoryLine, into out: inout Output) {
    out.text("<li><i>")
    out.string(explanation.seconds(line.time))
    out.text("</i> <b>")
    out.linked(ExplainPage.packets(line.packets))
    out.text("</b> <span>")
    out.linked(line.text.text)
    for consequence in line.consequences {
      out.text("<span>⇒ ")
      out.linked(consequence.text)
      out.text("</span>")
    }
    out.text("</span></li>\n")
  }

  private func writeMarkdown(into out: inout Output) {
    var options = ExplainOptions()
    options.name = self.options.name
    options.showsKeys = self.options.showsKeys
    var markdown = ExplainMarkdown(explanation, options, isBrief: true)
    var text = Output()
    markdown.write(into: &text)
    out.html(text.bytes)
  }
}
