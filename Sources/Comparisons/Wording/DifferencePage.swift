import Bluetooth
import Bytes
import Histories
import Meanings
import Reports
import Sessions

/// `diff` as text.
struct DifferencePage: ~Copyable {
  let report: DifferenceReport
  let options: DiffOptions
  let columns: Int
  /// Whether lines name options of this program, for readers who have it.
  let namesOptions: Bool
  var out = Output()
  /// The differences of maps that were printed.
  var printedMaps: Set<String> = []

  /// The width if the terminal's is unknown.
  private static let usualColumns = 100
  /// The maximum width of lines: packet numbers would be too far from what they belong to.
  private static let mostColumns = 132
  /// The minimum width at which both sides are printed side by side.
  private static let wideColumns = 90
  /// The width of the names in a table.
  private static let nameColumns = 23
  /// The number of lines of a list that are printed unless all are requested.
  static let mostLines = 100

  /// Whether both sides are printed side by side.
  var isWide: Bool { columns >= Self.wideColumns }

  init(_ report: DifferenceReport, namesOptions: Bool = true) {
    (self.report, self.namesOptions) = (report, namesOptions)
    options = report.options
    columns = min(options.width ?? Self.usualColumns, Self.mostColumns)
  }

  mutating func write(into output: inout Output) {
    heading()
    for (pair, compared) in report.compared.enumerated() {
      let hints = compared.hints()
      if report.compared.count > 1 || compared.pair.basis.words != nil || !hints.isEmpty {
        out.byte(0x0a)
      }
      if report.compared.count > 1 {
        line(compared.pair.left.heading.text)
      }
      if let words = compared.pair.basis.words { line(words.description) }
      for hint in hints { line(hint.text, .warning) }
      if options.isSummary {
        summary(compared.difference, ofPair: pair)
      } else {
        write(compared, ofPair: pair)
      }
    }
    unpaired()
    output.text(out.bytes, options.glyphs)
  }

  // MARK: Lines

  mutating func line(_ text: String, _ style: TextStyle = .plain) {
    wrapped(options.glyphs.written(text), indentation: 6, style)
  }

  /// Appends a line; what does not fit follows below, indented.
  private mutating func wrapped(_ text: String, indentation: Int, _ style: TextStyle) {
    var lines = Output()
    lines.wrapped([UInt8](text.utf8).bytes, columns: columns, indentation: indentation)
    styled(style, String(decoding: lines.bytes.array, as: UTF8.self))
    out.byte(0x0a)
  }

  mutating func styled(_ style: TextStyle, _ text: String) {
    let isStyled = options.usesColor && style != .plain
    if isStyled { out.text(style.sequence) }
    out.string(text)
    if isStyled { out.text(TextStyle.plain.sequence) }
  }

  /// The least room in which the rest of a cell follows below it.
  private static let leastRest = 24

  /// Appends cells at their columns; a cell that is too long shifts the next one. What does not fit
  /// follows below the last cell.
  mutating func row(_ cells: [(column: Int, text: String)], _ style: TextStyle = .plain) {
    var line = ""
    var used = 0
    for cell in cells where !cell.text.isEmpty {
      let text = options.glyphs.written(cell.text)
      let blanks = used == 0 ? cell.column : max(cell.column - used, 2)
      line += String(repeating: " ", count: blanks) + text
      used += blanks + text.columns
    }
    let first = cells.first?.column ?? 0
    let last = cells.last { !$0.text.isEmpty }?.column ?? 0
    let isRoomy = last > first && last + Self.leastRest <= columns
    wrapped(line, indentation: isRoomy ? last : first + 4, style)
  }

  // MARK: The heading

  /// What is compared: a row of cells for each side.
  var sideRows: [[String]] {
    let pair = report.compared.count == 1 ? report.compared[0].pair : nil
    return [
      ("left", options.names.left, pair?.left, report.records.left, report.isDamaged.left),
      ("right", options.names.right, pair?.right, report.records.right, report.isDamaged.right),
    ].map { (side, name, device, records, isDamaged) in
      var cells = [side, Self.printable(name)]
      if let device {
        cells.append(device.connectionWords.text)
        if pair?.basis == .mirrored, let role = device.localRole { cells.append("\(role.key)") }
        cells.append(pair?.basis == .mirrored ? "peer \(device.words.text)" : device.words.text)
      }
      let size = records.map { Wording("\(count: $0, "record", "records")").text } ?? "a map"
      cells.append(isDamaged ? "\(size), damaged" : size)
      return cells
    }
  }

  private mutating func heading() {
    let rows = sideRows
    for cells in rows {
      var line = ""
      for (place, cell) in cells.enumerated() {
        let width = rows.map { place < $0.count ? $0[place].columns : 0 }.max() ?? 0
        if place > 0 { line += "  " }
        line += cell
        if place + 1 < cells.count {
          line += String(repeating: " ", count: max(0, width - cell.columns))
        }
      }
      self.line(line)
    }
  }

  private static func printable(_ name: String) -> String {
    var text = Output()
    text.printable([UInt8](name.utf8).bytes)
    return String(decoding: text.bytes.array, as: UTF8.self)
  }

  /// Returns a file's name as a shell argument, or nil if it would need quoting.
  private static func argument(_ name: String) -> String? {
    let isPlain = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (0x2b...0x3a).contains(byte)
        || byte == 0x5f
    }
    return isPlain && !name.isEmpty && name != "-" ? name : nil
  }

  private mutating func unpaired() {
    let sides = [("left", report.unpaired.left), ("right", report.unpaired.right)]
    if sides.contains(where: { !$0.1.isEmpty }) { out.byte(0x0a) }
    for line in report.unpairedWords() { self.line(line.text, .warning) }
    if report.compared.isEmpty, sides.allSatisfy({ !$0.1.isEmpty }) {
      line(
        "no device has a counterpart on the other side; --left-device and --right-device compare two anyway"
      )
    }
  }

  // MARK: Sections

  private mutating func write(_ compared: DifferenceReport.Compared, ofPair pair: Int) {
    let difference = compared.difference
    var same: [String] = []
    var uncertain: [String] = []
    first(difference, ofPair: pair)
    facts(difference, .security, "Security", &same, &uncertain)
    facts(difference, .link, "Link", &same, &uncertain)
    if !compared.hasOneMap { map(difference, &same) }
    if !report.isOfMap {
      conversation(difference, &same)
      timing(difference, &same)
    }
    lone(of: pair)
    guard !same.isEmpty || !uncertain.isEmpty || !compared.notCompared.isEmpty else { return }
    out.byte(0x0a)
    if !same.isEmpty { line("\(Self.list(same)): the same") }
    if !uncertain.isEmpty {
      line("\(Self.list(uncertain)): \(Self.noneKnown)")
    }
    for left in compared.notCompared {
      line("\(Self.list(left.parts.map(\.description))): not compared, since \(left.why.text)")
    }
  }

  /// The words for a part of which one capture shows too little to differ.
  static let noneKnown = "no known difference"

  /// Returns a list such as `Link, map, timing`.
  private static func list(_ words: [String]) -> String {
    let list = words.joined(separator: ", ")
    return "\(list.prefix(1).uppercased())\(list.dropFirst())"
  }

  /// Appends how much of each part differs.
  private mutating func summary(_ difference: Difference, ofPair pair: Int) {
    let count = { (differing: Int) in
      differing == 0 ? "the same" : differing == 1 ? "1 differs" : "\(differing) differ"
    }
    first(difference, ofPair: pair)
    out.byte(0x0a)
    let name = Self.nameColumns - 6
    if !report.isOfMap {
      for (title, section) in [("Security", Difference.Fact.Section.security), ("Link", .link)] {
        let facts = difference.facts.filter { $0.section == section }
        let differing = facts.count { !$0.isSame }
        let isUncertain = differing == 0 && facts.contains(where: \.isUncertain)
        row([(0, title), (name, isUncertain ? Self.noneKnown : count(differing))])
      }
    }
    let kinds: [(MapDifference.Kind, String)] = [
      (.added, "added"), (.removed, "removed"), (.moved, "moved"), (.changed, "changed"),
    ]
    let counts = kinds.compactMap { kind, word in
      let number = difference.map.count { $0.kind == kind }
      return number > 0 ? "\(number) \(word)" : nil
    }
    row([(0, "Map"), (name, counts.isEmpty ? "the same" : counts.joined(separator: ", "))])
    if report.isOfMap { return }
    let conversation = difference.conversationWords.text
    row([(0, "Conversation"), (name, conversation.isEmpty ? "the same" : conversation)])
    row([
      (0, "Timing"),
      (
        name,
        difference.timingRemark.map { "not compared, since \($0.text)" }
          ?? (difference.timing.isEmpty
            ? "no difference beyond noise" : count(difference.timing.count))
      ),
    ])
    lone(of: pair)
  }

  /// Appends where the sides first differ.
  private mutating func first(_ difference: Difference, ofPair pair: Int) {
    guard let words = report.firstWords(ofPair: pair) else { return }
    out.byte(0x0a)
    switch difference.first?.kind {
    case .outcome: line("FIRST DIFFERENCE THAT MATTERS", .failure)
    case .onlyLeftFails, .onlyRightFails: line("FIRST DIFFERENCE  \(words.text)", .failure)
    case .onlyLeft, .onlyRight, .changed, nil: line("FIRST DIFFERENCE  \(words.text)", .warning)
    }
    // The conversation below shows the first difference of the connections that both sides have.
    let failing = report.failingAlone(ofPair: pair)
    guard failing.isEmpty else {
      for isLeft in [true, false] {
        guard let one = failing.first(where: { $0.isLeft == isLeft }), let failed = one.failed
        else { continue }
        failure(
          "only \(one.side)", failed.packetWords, "\(failed.words.text), connection \(one.number)",
          column: 20, isLeft: isLeft)
      }
      return
    }
    guard let first = difference.first else { return }
    for (name, place, isLeft) in [("left", first.left, true), ("right", first.right, false)] {
      guard let place, let side = difference.side(of: place, isLeft: isLeft) else { continue }
      let isAlone = first.left == nil || first.right == nil
      let operation =
        isLeft ? difference.operations.left[place] : difference.operations.right[place]
      let way = arrow(operation, isLeft ? difference.sessions.left : difference.sessions.right)
      failure(
        isAlone ? "only \(name)" : name, side.packetWords, "\(way)\(side.words.text)",
        column: isAlone ? 20 : 15, isLeft: isLeft, hasFailed: operation.failure != nil)
    }
  }

  /// Appends an operation of one side, and if it failed where the details are.
  private mutating func failure(
    _ side: String, _ packets: String, _ words: String, column: Int, isLeft: Bool,
    hasFailed: Bool = true
  ) {
    row([(2, side), (column - 6, packets), (column, words)])
    if hasFailed, let name = Self.argument(isLeft ? options.names.left : options.names.right) {
      row([(column, "gattscope explain \(name)  has the details")], .dim)
    }
  }

  private typealias FactRow = (fact: Difference.Fact, left: String, right: String)

  private func rows(_ facts: [Difference.Fact]) -> [FactRow] {
    let words = { (words: Wording, packet: Int?) in
      words.isEmpty ? "unknown" : packet.map { "\(words.text), #\($0)" } ?? words.text
    }
    return facts.filter { !($0.left.isEmpty && $0.right.isEmpty) }.map { fact in
      (
        fact, words(fact.left, fact.packets.left),
        fact.isSame && !fact.isUncertain ? "same" : words(fact.right, fact.packets.right)
      )
    }
  }

  /// Whether both sides of a row have room in one line.
  private var fits: (FactRow) -> Bool {
    let room = columns - Self.nameColumns - 3
    return { $0.left.columns + $0.right.columns <= room }
  }

  /// Returns the column of the right side in all tables of facts: after the longest left cell that
  /// leaves it room.
  private func rightColumn(_ difference: Difference) -> Int {
    let rows = rows(options.showsEqual ? difference.facts : difference.facts.filter { !$0.isSame })
      .filter(fits)
    let widest = rows.map(\.left.columns).max() ?? 0
    let longest = rows.map(\.right.columns).max() ?? 0
    return min(
      Self.nameColumns + max(widest + 3, (columns - Self.nameColumns) / 2),
      max(Self.nameColumns + widest + 3, columns - longest))
  }

  /// Appends a table of facts, if any differs.
  private mutating func facts(
    _ difference: Difference, _ section: Difference.Fact.Section, _ title: String,
    _ same: inout [String], _ uncertain: inout [String]
  ) {
    let all = difference.facts.filter { $0.section == section }
    let shown = options.showsEqual ? all : all.filter { !$0.isSame }
    if all.allSatisfy(\.isSame), !all.isEmpty {
      if all.contains(where: \.isUncertain) {
        uncertain.append(title.lowercased())
      } else {
        same.append(title.lowercased())
      }
    }
    guard shown.contains(where: { !($0.left.isEmpty && $0.right.isEmpty) }) else { return }
    out.byte(0x0a)
    let rows = rows(shown)
    let right = rightColumn(difference)
    let fits = fits
    let isTable = isWide && rows.contains { fits($0) || $0.fact.isSame }
    row(isTable ? [(0, title), (Self.nameColumns, "left"), (right, "right")] : [(0, title)])
    var connection: (left: Int, right: Int) = rows.first?.fact.connections ?? (0, 0)
    for entry in rows {
      if entry.fact.connections != connection {
        connection = entry.fact.connections
        row([(2, "connections \(connection.left) and \(connection.right)")], .dim)
      }
      let name = entry.fact.name.description
      if entry.fact.isSame || isWide && fits(entry) {
        row([
          (2, name), (Self.nameColumns, entry.left), (right, isWide ? entry.right : ""),
        ])
      } else {
        row([(2, name)])
        row([(4, "− \(entry.left)")])
        row([(4, "+ \(entry.right)")])
      }
    }
  }

  /// Appends a line for each connection of a pair without a counterpart.
  private mutating func lone(of pair: Int) {
    let lone = report.lone.filter { $0.pair == pair }
    if lone.isEmpty { return }
    out.byte(0x0a)
    let shown = lone.prefix(options.showsEqual ? .max : Self.mostLines)
    for connection in shown { line(connection.words().text, .warning) }
    rest(lone.count)
  }

  mutating func timing(_ difference: Difference, _ same: inout [String]) {
    if difference.timingRemark != nil { return }
    if difference.timing.isEmpty {
      same.append("timing")
      return
    }
    out.byte(0x0a)
    line("Timing  (\(TimingDifference.criterion.text))")
    for entry in difference.timing {
      let words = { (side: TimingDifference.Half) -> String in
        let packet = side.packet == nil || side.packet == .max ? "" : ", #\(side.packet ?? 0)"
        return Wording("\(duration: side.time)\(TimingDifference.sampleWords(side))").text + packet
      }
      let title = "\(entry.kind.key)  \(entry.name.text)"
      if isWide {
        row([(2, title), (52, words(entry.left)), (76, words(entry.right))])
      } else {
        row([(2, title)])
        row([(4, "− \(words(entry.left))")])
        row([(4, "+ \(words(entry.right))")])
      }
    }
  }
}

extension Difference {
  /// Returns whether the operation that fails does so on the other side, too, but at another place.
  private func failsElsewhere(_ first: First) -> Bool {
    let step = steps.first { step in
      first.left.map { step.left?.contains($0) ?? false } ?? false
        || first.right.map { step.right?.contains($0) ?? false } ?? false
    }
    guard let other = step?.counterpart, steps.indices.contains(other) else { return false }
    return steps[other].left?.contains { operations.left[$0].hasFailed } ?? false
      || steps[other].right?.contains { operations.right[$0].hasFailed } ?? false
  }

  /// Returns what makes it the first difference, in words, and whether something fails there.
  func words(of first: First) -> (words: StaticString, fails: Bool) {
    let fails = (
      first.left.map { operations.left[$0].hasFailed } ?? false,
      first.right.map { operations.right[$0].hasFailed } ?? false
    )
    switch first.kind {
    case .outcome: return ("an operation succeeds on one side and fails on the other", true)
    case .onlyLeftFails, .onlyRightFails:
      return ("an operation fails that the other side does not try", true)
    case .onlyLeft, .onlyRight, .changed:
      return fails.0 != fails.1 && !failsElsewhere(first)
        ? ("an operation fails on only one side", true)
        : ("no operation fails on only one side", false)
    }
  }
}
