import Bluetooth
import Bytes
import Cryptography
import Diagnosis
import Histories
import Explanations
import Meanings
import Reports
import Sessions

/// Writes the page: the template with its marks filled in. Everything can be read without the
/// script, except the timeline, the list of packets, the ladder and the charts.
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
  /// If there are more notes than this, they are folded away; and connections after the first ones.
  private static let mostNotes = 4
  private static let mostUnfolded = 8
  /// The most failed connections that are not folded away.
  private static let mostFailed = 40

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
    var details = Output()
    contents.details.take(into: &details)
    var (remarks, packets, fields) = (0, 0, 0)
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
      case "links": writeLinks(memory, into: &page)
      case "remarks": remarks = page.count
      case "details": fields = page.count
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
    let rows = fitRows(
      options.limit - page.count - details.count - probe.count - Self.leftOutBytes)
    page.copy(Slice(start: 0, count: remarks), into: &out)
    writeRemarks(into: &out)
    page.copy(Slice(start: remarks, count: packets - remarks), into: &out)
    if let rows { rows.copy(into: &out) } else { contents.rows.write(into: &out) }
    page.copy(Slice(start: packets, count: fields - packets), into: &out)
    details.copy(into: &out)
    page.copy(Slice(start: fields, count: page.count - fields), into: &out)
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
    case "phone": writePhone(into: &out)
    case "verdict": writeVerdict(into: &out)
    case "host": out.html(Wording("this host").naming(explanation.evidence.hostName).text)
    case "sent": out.text(Direction.sent.words(explanation.evidence.vantage))
    case "received": out.text(Direction.received.words(explanation.evidence.vantage))
    case "note": writeNote(into: &out)
    case "findings": writeFindings(into: &out)
    case "stories": writeStories(into: &out)
    case "markdown": writeMarkdown(into: &out)
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
    out.text("<p class=\"facts\"><code>")
    out.html(Wording(printable: [UInt8](options.name.utf8).bytes).text)
    out.text("</code></p>")
  }

  private func writeVerdict(into out: inout Output) {
    let severity: StaticString =
      explanation.count(.error) > 0
      ? "error" : explanation.count(.warning) > 0 ? "warning" : "none"
    out.text("<p class=\"verdict ")
    out.text(severity)
    out.text("\">")
    out.linked(explanation.verdict.withoutHint.text)
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
      end)
    return lines
  }

  // MARK: The overview

  /// Writes what is known of the phone and of its controllers.
  private func writePhone(into out: inout Output) {
    if !options.phones.isEmpty, !options.isRedacted {
      row("phone", options.phones.joined(separator: "; "), into: &out)
    }
    for adapter in contents.adapters { row("controller", adapter, into: &out) }
    if let sniffer = contents.sniffer { row("from the air", sniffer, into: &out) }
  }

  /// Writes a row for each connection, or for several of one peer that follow each other: the facts
  /// of `info`.
  private func writeLinks(_ memory: borrowing Memory, into out: inout Output) {
    let connections = explanation.connections
    let end = out.count + storyBytes
    let evidence = explanation.evidence
    var histories: [Int: ConnectionHistory] = [:]
    for one in connections { histories[one.history.id] = one.history }
    var lines = ConnectionLines(
      connections.map(\.history.connection), until: evidence.extent.latest,
      alone: Set(connections.filter { !$0.findings.isEmpty }.map(\.history.id)),
      lacksEvents: !evidence.coverage.parts.contains(.events), lacksBeginning: false, .utf8)
    var left = connections.count
    while out.count < end, lines.writeNext(memory) {
      let names = evidence.names(of: lines.current.compactMap { histories[$0.id] })
      left -= lines.current.count
      var parts: [ConnectionLines.Part: [UInt8]] = [:]
      lines.forEachPart { parts[$0] = $1.array }
      out.text("<tr>")
      for part in [
        ConnectionLines.Part.numbers, .device, .packets, .link, .traffic, .security, .end,
      ] {
        out.text(part == .numbers ? "<th scope=\"row\">" : "<td>")
        let words = Wording(stringLiteral: String(decoding: parts[part] ?? [], as: UTF8.self))
        switch part {
        case .numbers: out.linkedConnections(words.text)
        case .device: out.html(words.naming(evidence.hostName).text)
        default: out.linked(words.naming(names).text)
        }
        out.text(part == .numbers ? "</th>" : "</td>")
      }
      out.text("</tr>\n")
    }
    if left > 0 || connections.isEmpty {
      out.text("<tr><td colspan=\"7\">")
      if left > 0 {
        out.count(left, "more connection", "more connections")
      } else {
        out.text("none")
      }
      out.text("</td></tr>")
    }
  }

  // MARK: Findings

  private func writeFindings(into out: inout Output) {
    let findings = explanation.findings
    if findings.isEmpty { out.text("<p>none</p>") }
    var places: [String: Int] = [:]
    for severity in [Severity.error, .warning, .note] {
      let equal = Self.grouped(findings.filter { ($0.severity ?? .note) == severity })
      guard !equal.isEmpty else { continue }
      let isFolded = severity == .note && equal.count > Self.mostNotes
      if isFolded {
        out.text("<details class=\"fold\"><summary>")
        out.count(equal.count, "note", "notes")
        out.text("</summary>")
      }
      for group in equal { write(group, severity, &places, into: &out) }
      if isFolded { out.text("</details>") }
    }
  }

  /// Returns the findings with those of the same rule and for the same reason together. Numbers in
  /// the reason may differ: packets and times.
  private static func grouped(_ findings: [Finding]) -> [[Finding]] {
    var groups: [[Finding]] = []
    var places: [String: Int] = [:]
    for finding in findings {
      let reasons = ([finding.why] + finding.alternatives).map { $0.text.filter { !$0.isNumber } }
      let exact = finding.details.map(\.text) + [finding.remedy, finding.note].compactMap(\.self)
      let parts = ["\(finding.rule)", finding.certaintyWord, finding.what.text] + reasons
      let key = (parts + exact.map(\.text)).joined(separator: "\n")
      if let place = places[key] {
        groups[place].append(finding)
      } else {
        places[key] = groups.count
        groups.append([finding])
      }
    }
    return groups
  }

  /// Writes equal findings as one: the first in full, of the others where they were found.
  private func write(
    _ group: [Finding], _ severity: Severity, _ places: inout [String: Int], into out: inout Output
  ) {
    guard let finding = group.first else { return }
    out.text("<details class=\"finding ")
    out.text(severity.key)
    out.text("\" id=\"")
    let rule = finding.rule.description
    let place = places[rule, default: 0] + 1
    places[rule] = place
    let anchor = place == 1 ? rule : "\(rule)-\(place)"
    out.string(anchor)
    out.text(severity > .note ? "\" open><summary><h3>" : "\"><summary><h3>")
    out.text("<span class=\"badge\">")
    out.text(severity.key)
    out.text("</span> ")
    out.html(finding.what.text)
    out.text("</h3></summary><dl>")
    row("why", finding.why.text, into: &out)
    let packets = ExplainPage.packets(finding.evidence)
    let evidence = [finding.certaintyWord, packets].filter { !$0.isEmpty }.joined(separator: ": ")
    if !evidence.isEmpty { row("evidence", evidence, into: &out) }
    for alternative in finding.alternatives { row("or", alternative.asSentence.text, into: &out) }
    for detail in finding.details {
      let text = options.showsKeys ? detail.revealed ?? detail.text : detail.text
      row(detail.label, text.withoutHint.text, into: &out)
    }
    if let remedy = finding.remedy { row("do", remedy.withoutHint.text, into: &out) }
    if let note = finding.note { row("note", note.text, into: &out) }
    for one in group where !one.connections.isEmpty {
      let isFirst = one.evidence == finding.evidence
      out.text(isFirst ? "<dt>where</dt><dd>" : "<dt>also</dt><dd>")
      out.linkedConnections(ExplainPage.connections(of: one))
      if !isFirst {
        out.text(": ")
        out.linked(ExplainPage.packets(one.evidence))
        if one.why != finding.why {
          out.text(". ")
          out.linked(one.why.text)
        }
      }
      out.text("</dd>")
    }
    out.text("</dl><p class=\"rule\"><a href=\"#")
    out.string(anchor)
    out.text("\">")
    out.string(rule)
    out.text("</a></p></details>\n")
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
    // What failed comes first, so that it is never folded away with the others.
    let failed = connections.indices.filter { place in
      connections[place].findings.contains { $0.severity ?? .note > .note }
    }
    let isFailed = Set(failed)
    let order = failed + connections.indices.filter { !isFailed.contains($0) }
    let unfolded = max(Self.mostUnfolded, min(failed.count, Self.mostFailed))
    let busiest = connections.indices.max {
      (connections[$0].history.connection.packets, $1)
        < (connections[$1].history.connection.packets, $0)
    }
    var written = 0
    var shown = 0
    for (place, index) in order.prefix(Self.mostStories).enumerated() where written < storyBytes {
      let one = connections[index]
      if place == unfolded {
        out.text("<details class=\"fold\"><summary>")
        out.count(connections.count - place, "more connection", "more connections")
        out.text("</summary>")
      }
      shown += 1
      let history = one.history
      out.text("<details class=\"story\" id=\"connection-")
      out.decimal(history.id)
      out.text(index == failed.first ?? busiest ? "\" open><summary>" : "\"><summary>")
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
      let start = out.count
      write(explanation.story(index), into: &out)
      written += out.count - start
      out.text("</details>\n")
    }
    if connections.count > shown {
      out.text("<p>")
      out.count(connections.count - shown, "more connection", "more connections")
      out.text(" without a story</p>")
    }
    if shown > unfolded { out.text("</details>\n") }
  }

  /// Writes the lines of a story; the middle of a long one is folded.
  private func write(_ story: [StoryLine], into out: inout Output) {
    let (start, end) = (ExplainPage.storyStart, ExplainPage.storyEnd)
    let isLong = story.count > start + end + 1
    out.text("<ol>")
    for (index, line) in story.enumerated() {
      if isLong, index == start {
        out.text("</ol><details><summary>")
        out.count(story.count - start - end, "more line", "more lines")
        out.text("</summary><ol>")
      }
      if isLong, index == story.count - end { out.text("</ol></details><ol>") }
      write(line, into: &out)
    }
    out.text("</ol>")
  }

  private func write(_ line: StoryLine, into out: inout Output) {
    out.text("<li data-first=\"")
    out.decimal(line.packets.lowerBound)
    out.text("\" data-last=\"")
    out.decimal(line.packets.upperBound)
    out.text("\"><i>")
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

extension Connection {
  /// The data packets in both directions.
  fileprivate var packets: Int { sentPackets.adding(clamped: receivedPackets) }
}
