import Bluetooth
import Bytes
import Diagnosis
import Differences
import Sessions

/// `diff` for people.
struct DifferencePage: ~Copyable {
  let report: DifferenceReport
  let options: DiffOptions
  let columns: Int
  var out = Output()

  /// Columns where the terminal's are not known.
  private static let usualColumns = 100
  /// Both sides stand beside each other from so many columns on.
  private static let wideColumns = 90
  /// What stands before the sides of a table.
  private static let nameColumns = 23
  /// So many lines of a list are printed where not all are asked for.
  static let mostLines = 100

  /// Whether both sides stand beside each other.
  var isWide: Bool { columns >= Self.wideColumns }

  init(_ report: DifferenceReport) {
    self.report = report
    options = report.options
    columns = options.width ?? Self.usualColumns
  }

  mutating func write(into output: inout Output) {
    heading()
    for compared in report.compared {
      if report.compared.count > 1 || compared.pair.way.words != nil { out.byte(0x0a) }
      if report.compared.count > 1 {
        line("Device \(compared.pair.left.words.text)")
      }
      if let words = compared.pair.way.words { line(words.description) }
      if options.isSummary { summary(compared.difference) } else { write(compared.difference) }
    }
    unpaired()
    output.text(out.bytes, options.glyphs)
  }

  // MARK: Lines

  mutating func line(_ text: String, _ style: TextStyle = .plain) {
    styled(style, options.glyphs.written(text))
    out.byte(0x0a)
  }

  mutating func styled(_ style: TextStyle, _ text: String) {
    let isStyled = options.usesColor && style != .plain
    if isStyled { out.text(style.sequence) }
    out.string(text)
    if isStyled { out.text(TextStyle.plain.sequence) }
  }

  /// Cells that each begin at a column; one that is too long pushes the next.
  mutating func row(_ cells: [(column: Int, text: String)], _ style: TextStyle = .plain) {
    var line = ""
    var used = 0
    for cell in cells where !cell.text.isEmpty {
      let text = options.glyphs.written(cell.text)
      let blanks = used == 0 ? cell.column : max(cell.column - used, 2)
      line += String(repeating: " ", count: blanks) + text
      used += blanks + text.columns
    }
    styled(style, line)
    out.byte(0x0a)
  }

  // MARK: The heading

  private mutating func heading() {
    let pair = report.compared.count == 1 ? report.compared[0].pair : nil
    let rows = [
      ("left", options.names.left, pair?.left, report.records.left),
      ("right", options.names.right, pair?.right, report.records.right),
    ].map { (side, name, device, records) in
      var cells = [side, Self.printable(name)]
      if let device {
        cells.append(device.connectionWords.text)
        if pair?.way == .mirrored, let role = device.localRole { cells.append("\(role.key)") }
        cells.append(pair?.way == .mirrored ? "peer \(device.words.text)" : device.words.text)
      }
      cells.append(records.map { Wording("\(count: $0, "record", "records")").text } ?? "a map")
      return cells
    }
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

  private mutating func unpaired() {
    let sides = [("left", report.unpaired.left), ("right", report.unpaired.right)]
    if sides.contains(where: { !$0.1.isEmpty }) { out.byte(0x0a) }
    for (side, devices) in sides {
      for device in devices {
        line("only on the \(side): \(device.words.text), \(device.connectionWords.text)", .warning)
      }
    }
  }

  // MARK: Sections

  private mutating func write(_ difference: Difference) {
    var same: [String] = []
    first(difference)
    facts(difference, .security, "Security", &same)
    facts(difference, .link, "Link", &same)
    connections(difference)
    map(difference, &same)
    let isOfMap = report.isMap.left || report.isMap.right
    if isOfMap {
      out.byte(0x0a)
      line("Nothing else was compared: a map has no conversation")
      return
    }
    conversation(difference, &same)
    timing(difference, &same)
    guard !same.isEmpty else { return }
    out.byte(0x0a)
    let words = same.joined(separator: ", ")
    line("\(words.prefix(1).uppercased())\(words.dropFirst()): the same")
  }

  /// How much differs of each part.
  private mutating func summary(_ difference: Difference) {
    let count = { (differing: Int) in differing == 0 ? "the same" : "\(differing) differ" }
    first(difference)
    out.byte(0x0a)
    let isOfMap = report.isMap.left || report.isMap.right
    let name = Self.nameColumns - 6
    if !isOfMap {
      for (title, section) in [("Security", Difference.Fact.Section.security), ("Link", .link)] {
        let differing = difference.facts.count { $0.section == section && !$0.isSame }
        row([(0, title), (name, count(differing))])
      }
    }
    let kinds: [(MapDifference.Kind, String)] = [
      (.added, "added"), (.removed, "removed"), (.moved, "moved"), (.changed, "changed"),
    ]
    let said = kinds.compactMap { kind, word in
      let number = difference.map.count { $0.kind == kind }
      return number > 0 ? "\(number) \(word)" : nil
    }
    row([(0, "Map"), (name, said.isEmpty ? "the same" : said.joined(separator: ", "))])
    if isOfMap { return }
    let conversation = difference.conversationWords.text
    row([(0, "Conversation"), (name, conversation.isEmpty ? "the same" : conversation)])
    row([
      (0, "Timing"),
      (
        name,
        difference.timingRemark?.text
          ?? (difference.timing.isEmpty
            ? "no difference beyond noise" : count(difference.timing.count))
      ),
    ])
  }

  private mutating func first(_ difference: Difference) {
    guard let first = difference.first else { return }
    out.byte(0x0a)
    line("FIRST DIFFERENCE THAT MATTERS", .failure)
    let sides = [
      ("left", difference.side(of: first.left, isLeft: true)),
      ("right", difference.side(of: first.right, isLeft: false)),
    ]
    for (name, side) in sides {
      let packet = side?.packetWords ?? ""
      row([(2, name), (9, packet), (15, side?.words.text ?? "nothing of the kind here")])
    }
  }

  /// A table of facts, where any differs.
  private mutating func facts(
    _ difference: Difference, _ section: Difference.Fact.Section, _ title: String,
    _ same: inout [String]
  ) {
    let all = difference.facts.filter { $0.section == section }
    let shown = options.showsEqual ? all : all.filter { !$0.isSame }
    if all.allSatisfy(\.isSame), !all.isEmpty { same.append(title.lowercased()) }
    guard shown.contains(where: { !($0.left.isEmpty && $0.right.isEmpty) }) else { return }
    out.byte(0x0a)
    let right = Self.nameColumns + (columns - Self.nameColumns) / 2
    row(isWide ? [(0, title), (Self.nameColumns, "left"), (right, "right")] : [(0, title)])
    var connection: (left: Int, right: Int) = shown.first?.connections ?? (0, 0)
    for fact in shown where !(fact.left.isEmpty && fact.right.isEmpty) {
      if fact.connections != connection {
        connection = fact.connections
        row([(2, "connections \(connection.left) and \(connection.right)")], .dim)
      }
      let words = { (words: Wording, packet: Int?) in
        words.isEmpty ? "not told" : packet.map { "\(words.text), #\($0)" } ?? words.text
      }
      let one = words(fact.left, fact.packets.left)
      let other = fact.isSame ? "same" : words(fact.right, fact.packets.right)
      if isWide {
        row([(2, fact.name.description), (Self.nameColumns, one), (right, other)])
      } else if fact.isSame {
        row([(2, fact.name.description), (Self.nameColumns, one)])
      } else {
        row([(2, fact.name.description)])
        row([(4, "− \(one)")])
        row([(4, "+ \(other)")])
      }
    }
  }

  private mutating func connections(_ difference: Difference) {
    for (side, numbers) in [
      ("left", difference.unpaired.left), ("right", difference.unpaired.right),
    ] where !numbers.isEmpty {
      let list = numbers.prefix(8).map(String.init).joined(separator: ", ")
      let more = numbers.count > 8 ? " and \(numbers.count - 8) more" : ""
      out.byte(0x0a)
      line("more connections on the \(side): \(list)\(more)", .warning)
    }
  }

  private mutating func timing(_ difference: Difference, _ same: inout [String]) {
    if let remark = difference.timingRemark {
      out.byte(0x0a)
      line("Timing  \(remark.text)")
      return
    }
    if difference.timing.isEmpty {
      same.append("timing")
      return
    }
    out.byte(0x0a)
    line("Timing  (\(TimingDifference.criterion.text))")
    for entry in difference.timing {
      let words = { (side: TimingDifference.Side) -> String in
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
