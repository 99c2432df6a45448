import Bluetooth
import Bytes
package import Diagnosis
package import Histories
import Meanings
import Reports
import Sessions

/// `explain` as text.
package struct ExplainPage: ~Copyable {
  private let explanation: Explanation
  private let options: ExplainOptions
  private let columns: Int
  private var out = Output()

  /// The width if the terminal's is unknown: redirected output is wrapped as well.
  private static let usualColumns = 100
  private static let leastColumns = 20
  /// The width of labels such as `why` and `do`, including the margin.
  private static let labelColumns = 11
  /// The minimum width of a text. If a margin leaves less, the text is printed below with a small
  /// margin.
  private static let leastRoom = 24
  private static let narrowMargin = 4
  /// With more connections than this, those without a finding get one line each.
  static let mostStories = 8
  /// The number of lines printed from the beginning and from the end of a longer story.
  package static let storyStart = 24
  package static let storyEnd = 12
  /// The maximum number of ranges that are listed for packets or connections.
  private static let mostRanges = 12

  init(_ explanation: Explanation, _ options: ExplainOptions) {
    self.explanation = explanation
    self.options = options
    let width = options.isEndless ? Paragraph.endless : options.width
    columns = max(Self.leastColumns, width ?? Self.usualColumns)
  }

  mutating func write(into output: inout Output) {
    paragraph(explanation.heading.text)
    paragraph(explanation.verdict.text)
    writeSkipped()
    for finding in explanation.ofCapture + explanation.ofOthers { write(finding) }
    let isLong = explanation.connections.count > Self.mostStories && !options.isFull
    for connection in explanation.connections {
      // Findings about several connections were printed before, and are no reason to print the
      // stories of all of them.
      if isLong, connection.findings.isEmpty { continue }
      write(connection)
    }
    if isLong { listOthers() }
    for finding in explanation.appendix { write(finding) }
    output.text(out.bytes, options.glyphs)
  }

  /// Appends how many rules the capture cannot prove, and with `-v` which ones.
  private mutating func writeSkipped() {
    guard let words = explanation.skippedWords else { return }
    paragraph(options.isVerbose ? "\(words.text):" : words.text)
    guard options.isVerbose else { return }
    for (lacks, rules) in explanation.skippedByReason {
      let names = rules.map(\.rule.id.description).joined(separator: ", ")
      let parts = explanation.words(lacks, joinedBy: "and")
      paragraph("  \(parts.text): \(names)", hanging: 4)
    }
  }

  /// Writes a single finding.
  ///
  /// - Parameters:
  ///   - connection: the connection that it is about, if that is to be printed.
  ///   - isFirst: whether nothing was printed before.
  mutating func write(
    _ finding: Finding, on connection: Explanation.ReportedConnection?, isFirst: Bool,
    into output: inout Output
  ) {
    if let connection { heading(connection) }
    write(finding)
    // Each of the two starts with an empty line.
    let start = isFirst ? 1 : 0
    output.text(
      out.bytes.part(Slice(start: start, count: out.count - start)), options.glyphs)
    out.clear()
  }

  /// Writes only the verdict.
  mutating func writeVerdict(isFirst: Bool, into output: inout Output) {
    if !isFirst { out.byte(0x0a) }
    paragraph(explanation.verdict.text)
    output.text(out.bytes, options.glyphs)
    out.clear()
  }

  /// Appends the connection and its peer.
  private mutating func heading(_ connection: Explanation.ReportedConnection) {
    out.byte(0x0a)
    let history = connection.history
    let host = history.hostWords(explanation.evidence)
    let words: Wording =
      host.isEmpty ? history.peerWords : "\(history.peerWords); \(host)"
    paragraph("Connection \(history.id): \(words.text)")
  }

  private mutating func write(_ connection: Explanation.ReportedConnection) {
    heading(connection)
    let history = connection.history
    writeRadio(history)
    story(history.namedStory(explanation.evidence))
    for finding in connection.findings { write(finding) }
  }

  /// Appends how well a sniffer received the two sides, and the channels with errors.
  private mutating func writeRadio(_ history: ConnectionHistory) {
    if let words = history.radioWords { labelled("radio", words.text) }
    if let words = history.channelWords { labelled("channels", words.text) }
  }

  /// Appends the connections without a finding, if there are many: each peer with the numbers of
  /// its connections.
  private mutating func listOthers() {
    var peers: [String] = []
    var numbers: [String: [Int]] = [:]
    var count = 0
    for connection in explanation.connections where connection.findings.isEmpty {
      let peer = connection.history.peerWords.text
      if numbers[peer] == nil { peers.append(peer) }
      numbers[peer, default: []].append(connection.history.id)
      count += 1
    }
    guard count > 0 else { return }
    out.byte(0x0a)
    let noun: Wording = "\(count: count, "connection", "connections")"
    paragraph(
      "\(noun.text) without a finding of their own; --full shows all, --connection N shows one:")
    for peer in peers {
      paragraph("  \(peer): \(Self.connections(numbers[peer] ?? []))", hanging: 4)
    }
  }

  /// Returns the numbers of connections: `3–5, 8`. Of many only the first ones are listed.
  static func connections(_ numbers: [Int]) -> String {
    let runs = PacketSet(runsOf: numbers).ranges
    let shown = runs.prefix(mostRanges)
    var words = shown.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)"
    }.joined(separator: ", ")
    let left = runs.dropFirst(shown.count).reduce(0) { $0 + $1.count }
    if left > 0 { words += " and \(left) more" }
    return words
  }

  // MARK: The story

  private mutating func story(_ lines: [StoryLine]) {
    var shown = Array(lines)
    var left = 0
    if !options.isFull, lines.count > Self.storyStart + Self.storyEnd + 1 {
      left = lines.count - Self.storyStart - Self.storyEnd
      shown = lines.prefix(Self.storyStart) + lines.suffix(Self.storyEnd)
    }
    let packets = shown.map { Self.packets($0.packets) }
    let times = shown.map { explanation.seconds($0.time) }
    let packetColumns = packets.map(\.columns).max() ?? 0
    let timeColumns = times.map(\.columns).max() ?? 0
    let margin = 2 + packetColumns + 2 + timeColumns + 2
    for (index, line) in shown.enumerated() {
      if left > 0, index == Self.storyStart {
        block("… \(left) more; --full lists them", behind: margin, written: 0)
      }
      out.text("  ")
      out.string(packets[index])
      if !times[index].isEmpty {
        out.spaces(packetColumns - packets[index].columns + 2 + timeColumns - times[index].columns)
        styled(.dim, times[index])
      }
      block(
        line.text.text, behind: margin,
        written: times[index].isEmpty ? 2 + packets[index].columns : margin - 2)
      for consequence in line.consequences {
        let sign = options.glyphs.written("⇒ ")
        guard isRoomy(behind: margin + sign.columns) else {
          block("⇒ \(consequence.text)", behind: columns, written: 0)
          continue
        }
        out.spaces(margin)
        out.string(sign)
        block(consequence.text, behind: margin + sign.columns, written: margin + sign.columns)
      }
    }
  }

  package static func packets(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "#\(range.lowerBound)" : "#\(range.lowerBound)–\(range.upperBound)"
  }

  // MARK: Findings

  private mutating func write(_ finding: Finding) {
    out.byte(0x0a)
    let severity = finding.severity ?? .note
    styled(severity.style, severity.key.description)
    block(
      finding.what.text, behind: Self.labelColumns - 2, written: severity.key.utf8CodeUnitCount,
      right: finding.rule.description)
    labelled(
      "why", finding.why.text,
      right: [finding.certaintyWord, Self.packets(finding.evidence)].filter { !$0.isEmpty }
        .joined(separator: "  "))
    for alternative in finding.alternatives { labelled("or", alternative.asSentence.text) }
    for detail in finding.details {
      let text = options.showsKeys ? detail.revealed ?? detail.text : detail.text
      labelled(detail.label, text.text)
    }
    // One connection is in the heading above.
    if finding.connections.count > 1 { labelled("where", Self.connections(of: finding)) }
    if let remedy = finding.remedy { labelled("do", remedy.text) }
    if let note = finding.note { labelled("note", note.text) }
  }

  /// Returns packets as evidence: `#43 #46–48`. Of many only the first ones are listed.
  package static func packets(_ set: PacketSet) -> String { packets(set.ranges) }

  static func packets(_ ranges: [ClosedRange<Int>]) -> String {
    var words = ranges.prefix(mostRanges).map(packets)
    if ranges.count > mostRanges { words.append("and \(ranges.count - mostRanges) more") }
    return words.joined(separator: " ")
  }

  /// Returns the connections of a finding: `connection 2`, `connections 3–5, 8`.
  package static func connections(of finding: Finding) -> String {
    "connection\(finding.connections.count == 1 ? "" : "s") \(connections(finding.connections))"
  }

  private mutating func labelled(_ label: StaticString, _ text: String, right: String = "") {
    out.text("  ")
    styled(.dim, label.description)
    block(text, behind: Self.labelColumns, written: 2 + label.utf8CodeUnitCount, right: right)
  }

  // MARK: Lines

  private mutating func styled(_ style: TextStyle, _ text: String) {
    guard options.usesColor, style != .plain else {
      out.string(text)
      return
    }
    out.text(style.sequence)
    out.string(text)
    out.text(TextStyle.plain.sequence)
  }

  private mutating func paragraph(_ text: String, hanging: Int = 0) {
    let lines = Paragraph(options.glyphs.written(text), columns: columns - hanging).lines
    let indentation = text.prefix { $0 == " " }.count
    for (index, line) in lines.enumerated() {
      out.spaces(index == 0 ? indentation : hanging)
      out.string(line)
      out.byte(0x0a)
    }
  }

  /// Returns whether a text has room after a margin; otherwise it is printed below the start of its
  /// line.
  private func isRoomy(behind margin: Int) -> Bool { columns - margin >= Self.leastRoom }

  /// Appends the rest of a line after a margin, and further lines below it. If there is no room,
  /// all of it is printed below.
  ///
  /// - Parameters:
  ///   - written: the columns of the line that were already written.
  ///   - right: text at the right end of the last line.
  private mutating func block(
    _ text: String, behind margin: Int, written: Int, right: String = ""
  ) {
    let hasRoom = isRoomy(behind: margin)
    if !hasRoom, written > 0 { out.byte(0x0a) }
    let margin = hasRoom ? margin : Self.narrowMargin
    let lines = Paragraph(options.glyphs.written(text), columns: columns - margin, right: right)
      .lines
    for (index, line) in lines.enumerated() {
      out.spaces(index == 0 && hasRoom ? max(0, margin - written) : margin)
      out.string(line)
      out.byte(0x0a)
    }
  }
}

extension Finding {
  /// How certain the cause is, in a word; empty if the finding states only facts.
  package var certaintyWord: String { grounds == .fact ? "" : certainty.key.description }
}

extension Severity {
  /// The colour.
  fileprivate var style: TextStyle {
    switch self {
    case .error: .failure
    case .warning: .warning
    case .note: .dim
    }
  }
}
