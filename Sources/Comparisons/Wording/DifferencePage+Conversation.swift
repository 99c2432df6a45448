import Bluetooth
import Bytes
import Histories
import Meanings
import Reports
import Sessions

/// The map and the conversation, as `diff` prints them.
extension DifferencePage {
  /// The number of bytes in a line of a long value.
  private static let bytesInLine = 16
  /// The number of values of a run, and of lines of a value, that are printed unless all are
  /// requested.
  static let mostValues = 4
  private static let mostByteLines = 4
  /// The number of characters up to which a random value is printed in full.
  private static let longestRandom = 20

  func sign(_ kind: Difference.Step.Kind) -> String {
    switch kind {
    case .same: "="
    case .changed: "~"
    case .removed: "−"
    case .added: "+"
    }
  }

  // MARK: The map

  mutating func map(_ difference: Difference, _ same: inout [String]) {
    let servers = [
      ("Map", difference.maps.peripheral), ("Map of the central", difference.maps.central),
    ]
    if difference.map.isEmpty { same.append("map") }
    for (title, entries) in servers where !entries.isEmpty {
      out.byte(0x0a)
      line(title)
      let new = options.showsEqual ? entries : entries.filter { isNew($0) }
      for entry in new.prefix(options.showsEqual ? .max : Self.mostLines) { write(entry) }
      rest(new.count)
      if new.count < entries.count { row([(2, "… \(entries.count - new.count) as above")], .dim) }
    }
  }

  /// Returns whether no map had the same difference before, for example that of a device of the
  /// same kind.
  private mutating func isNew(_ entry: MapDifference) -> Bool {
    let sides = [entry.left, entry.right].map { MapDifference.side($0)?.words.text ?? "-" }
    let words = [sign(entry), entry.title.text, entry.what.description, entry.remark.text] + sides
    return printedMaps.insert(words.joined(separator: "\n")).inserted
  }

  /// Returns the words for what is not printed.
  private func left(_ words: String) -> String {
    "… \(words)\(namesOptions ? "; --all prints more" : "")"
  }

  /// Appends how many lines of a list are not printed.
  mutating func rest(_ count: Int) {
    guard !options.showsEqual, count > Self.mostLines else { return }
    row([(2, left("\(count - Self.mostLines) more"))], .dim)
  }

  private func sign(_ entry: MapDifference) -> String {
    switch entry.kind {
    case .added: "+"
    case .removed: "−"
    case .moved, .changed: "~"
    }
  }

  private mutating func write(_ entry: MapDifference) {
    let sign = sign(entry)
    let (left, right) = (MapDifference.side(entry.left), MapDifference.side(entry.right))
    let what: Wording = entry.what.utf8CodeUnitCount > 0 ? ", \(entry.what)" : ""
    let remark = entry.remark.isEmpty ? "" : " (\(entry.remark.text))"
    let title = "\(sign) \(entry.title.text)\(what.text)\(remark)"
    let words = { (side: DescribedSide?) -> String in
      guard let side else { return "" }
      return [side.words.text, side.packetWords].filter { !$0.isEmpty }.joined(separator: ", ")
    }
    if entry.subject == .map {
      row([(2, "\(sign) \(words(left ?? right)): \(entry.remark.text)")])
      return
    }
    guard left != nil, right != nil else {
      row([(2, title), (titleColumns, words(left ?? right))])
      return
    }
    row([(2, title)])
    if isWide {
      row([(6, "\(words(left))  →  \(words(right))")])
    } else {
      row([(6, "− \(words(left))")])
      row([(6, "+ \(words(right))")])
    }
  }

  /// The column of the packets after a title.
  private var titleColumns: Int { max(30, columns - 36) }

  // MARK: The conversation

  mutating func conversation(_ difference: Difference, _ same: inout [String]) {
    let words = difference.conversationWords
    if words.isEmpty { same.append("conversation") }
    guard !words.isEmpty || options.showsEqual else { return }
    out.byte(0x0a)
    line(words.isEmpty ? "Conversation" : "Conversation  \(words.text)")
    var (place, lines, hidden) = (0, 0, 0)
    while place < difference.steps.count {
      let end = group(difference, from: place)
      if !options.showsEqual, lines < Self.mostLines, end == place + 1,
        let rounds = difference.rounds(from: place)
      {
        for step in rounds.first { write(difference.steps[step...step], difference) }
        write(rounds, difference)
        lines += rounds.first.count + 1
        place = rounds.end
        continue
      }
      let group = difference.steps[place..<end]
      place = end
      if group[group.startIndex].kind == .same, !options.showsEqual { continue }
      if lines >= Self.mostLines, !options.showsEqual {
        hidden += group.count
        continue
      }
      lines += 1
      write(group, difference)
    }
    if hidden > 0 { row([(2, left("\(hidden) more"))], .dim) }
  }

  /// Returns the end of the steps that are summarised in one line: pairing PDUs that only one side
  /// has, or in which only random values differ.
  func group(_ difference: Difference, from start: Int) -> Int {
    let kind = difference.steps[start].kind
    var end = start + 1
    guard isSummarised(difference, start, with: kind) else { return end }
    while end < difference.steps.count, isSummarised(difference, end, with: kind) { end += 1 }
    return end
  }

  /// Returns whether a step may be summarised in one line with others of the same kind.
  private func isSummarised(
    _ difference: Difference, _ place: Int, with kind: Difference.Step.Kind
  ) -> Bool {
    let step = difference.steps[place]
    guard step.kind == kind, isPairing(difference, place) else { return false }
    switch kind {
    case .same: return false
    case .removed, .added: return true
    case .changed: return step.isOnlyRandom && !options.showsEqual
    }
  }

  private func isPairing(_ difference: Difference, _ place: Int) -> Bool {
    let step = difference.steps[place]
    let operation =
      difference.operations(of: step, isLeft: true).first
      ?? difference.operations(of: step, isLeft: false).first
    guard let operation, operation.failure == nil, case .pairing = operation.kind else {
      return false
    }
    return true
  }

  /// Appends that the steps above come again.
  private mutating func write(_ rounds: Rounds, _ difference: Difference) {
    let step = difference.steps[rounds.first.lowerBound]
    let isLeft = step.kind == .removed
    let side = { (place: Int) in difference.side(of: difference.steps[place], isLeft: isLeft) }
    let packets = span(side(rounds.first.upperBound), side(rounds.end - 1))
    let words: Wording =
      "… repeated \(count: rounds.repeats, "time", "times")\(rounds.hasOtherValues ? ", with other values" : "" as StaticString)"
    conversationRow(
      "\(sign(step.kind)) \(words.text)", isLeft ? (packets, "") : ("", packets), .dim)
  }

  /// Appends a title with the packets of both sides; a title that is too long goes on below them.
  private mutating func conversationRow(
    _ title: String, _ packets: (String, String), _ style: TextStyle
  ) {
    guard isWide else {
      let both = [packets.0, packets.1].filter { !$0.isEmpty }.joined(separator: " → ")
      return row([(2, title), (titleColumns + 18, both)], style)
    }
    var lines = [""]
    for word in title.split(separator: " ", omittingEmptySubsequences: false) {
      let last = lines[lines.count - 1]
      let isFull = last.columns + word.count + (lines.count > 1 ? 8 : 2) > columns - 38
      if isFull, !last.isEmpty {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
      }
    }
    row([(2, lines[0]), (columns - 36, packets.0), (columns - 18, packets.1)], style)
    for line in lines.dropFirst() { row([(8, line)], style) }
  }

  private mutating func write(_ group: ArraySlice<Difference.Step>, _ difference: Difference) {
    guard let step = group.first, let last = group.last else { return }
    let sides = (
      difference.side(of: step, isLeft: true), difference.side(of: step, isLeft: false)
    )
    let style: TextStyle = step.isExpected ? .dim : .plain
    var title = "\(sign(step.kind)) \(arrow(step, difference))\(difference.title(of: step).text)"
    var packets = (sides.0?.packetWords ?? "", sides.1?.packetWords ?? "")
    if group.count > 1 {
      title = words(ofPairing: group)
      packets = (
        span(sides.0, difference.side(of: last, isLeft: true)),
        span(sides.1, difference.side(of: last, isLeft: false))
      )
    } else if step.kind != .changed, let side = sides.0 ?? sides.1, !side.words.isEmpty {
      title += "  \(side.words.text)"
    } else if let left = step.left, let right = step.right, step.kind == .changed,
      left.count > 1 || right.count > 1
    {
      let counts =
        left.count == right.count ? "\(left.count)" : "\(left.count) → \(right.count)"
      title += "  \(counts) values, \(step.changeCount) differ"
    }
    if group.count == 1, let moved = difference.movedWords(step) { title += "  \(moved)" }
    conversationRow(title, packets, style)
    guard step.kind == .changed || step.kind == .added, group.count == 1 else { return }
    let shown = options.showsEqual ? step.changes.count : Self.mostValues
    for change in step.changes.prefix(shown) { write(change, step, difference) }
    let left = step.changeCount - min(shown, step.changes.count)
    if left > 0 { row([(6, self.left("\(left) more values differ"))], .dim) }
  }

  /// Returns the words for several PDUs of pairing that are summarised.
  func words(ofPairing group: ArraySlice<Difference.Step>) -> String {
    guard let kind = group.first?.kind else { return "" }
    let words = "\(sign(kind)) \(group.count) PDUs of pairing"
    return kind == .changed ? words + "  random values, as always" : words
  }

  private func span(_ first: DescribedSide?, _ last: DescribedSide?) -> String {
    guard let start = first?.packets, let end = last?.packets else { return "" }
    return DescribedSide(packets: start.lowerBound...max(start.lowerBound, end.upperBound))
      .packetWords
  }

  /// Returns the direction of a step in the left capture.
  func arrow(_ step: Difference.Step, _ difference: Difference) -> String {
    let operation =
      difference.operations(of: step, isLeft: true).first
      ?? difference.operations(of: step, isLeft: false).first
    let session = step.left == nil ? difference.sessions.right : difference.sessions.left
    return operation.map { arrow($0, session) } ?? ""
  }

  /// Returns the direction of an operation in its capture.
  func arrow(_ operation: ComparedOperation, _ session: ComparedSession) -> String {
    guard let isByCentral = operation.isByCentral else { return "" }
    switch operation.kind {
    case .value, .pairing: break
    case .connect, .exchangeMTU, .discovery, .encryption, .end: return ""
    }
    let central = session.history(of: operation)?.connection.central
    return central.map { isByCentral == ($0 == .local) ? "→ " : "← " } ?? ""
  }

  // MARK: Values

  mutating func write(
    _ change: Difference.ValueChange, _ step: Difference.Step, _ difference: Difference
  ) {
    let outcomes = difference.outcomes(change)
    let (one, other) = (outcomes.left.text, outcomes.right.text)
    let bytes = (
      difference.bytes(change.left, isLeft: true), difference.bytes(change.right, isLeft: false)
    )
    let isDim = step.isExpected
    let isRun = (step.left?.count ?? 0) > 1 || (step.right?.count ?? 0) > 1
    var prefix = ""
    if isRun {
      let packets = (
        difference.operations.left[change.left].packet,
        difference.operations.right[change.right].packet
      )
      prefix = "#\(packets.0), #\(packets.1)  "
    }
    let fields = difference.fields(of: change)
    let isDecoded = fields.contains { !$0.isByte }
    let failures = (
      !difference.operations.left[change.left].hasSucceeded,
      !difference.operations.right[change.right].hasSucceeded
    )
    // A value is printed once: in words, if these show what differs, else by its fields, and plain
    // bytes below.
    let isText = difference.isText(change)
    let isClear = fields.allSatisfy {
      [.none, .checksum].contains($0.expectation) && !$0.isHidden
    }
    let fits = prefix.columns + one.columns + other.columns + 11 <= columns
    let showsFields = options.showsEqual || one == other || !isClear || !fits
    if isDecoded, !options.showsEqual, showsFields {
      if isRun { row([(6, prefix)]) }
    } else if isDecoded || isText || bytes.0 == nil || bytes.1 == nil || failures.0 || failures.1
      || fields.isEmpty
    {
      let words = "\(prefix)\(one)  →  \(other)"
      if words.columns + 6 <= columns {
        row([(6, words)], isDim ? .dim : .plain)
      } else {
        row([(6, "\(prefix)− \(one)")], isDim ? .dim : .plain)
        row([(6, "\(prefix)+ \(other)")], isDim ? .dim : .plain)
      }
    } else if isRun {
      row([(6, prefix)])
    }
    for field in fields where !field.isByte && showsFields {
      let isExpected = field.expectation != .none
      let why: String =
        switch field.expectation {
        case .none, .time: ""
        case .checksum: "  follows"
        case .random: "  random"
        case .everyPair: "  differs in every pair"
        }
      row(
        [
          (8, String(field.name.map { $0 == "_" ? " " : $0 })),
          (20, "\(words(field.left, field)) → \(words(field.right, field))\(why)"),
        ],
        isExpected ? .dim : .plain)
    }
    if let left = bytes.0, let right = bytes.1, left != right,
      options.showsEqual || !isDecoded && !isText
    {
      hex(left, right, isDim ? .dim : .plain)
    }
  }

  /// Returns a field's value on one side; a long random value is shortened unless everything is
  /// requested.
  private func words(_ value: String?, _ field: Difference.FieldChange) -> String {
    guard let value else { return "not there" }
    if field.isHidden { return "<hidden>" }
    guard field.expectation == .random, !options.showsEqual, value.count > Self.longestRandom else {
      return value
    }
    return "\(value.prefix(8))…\(value.suffix(6))"
  }

  /// Appends both values in hex, and below them marks where bytes differ: side by side if there is
  /// room, else one below the other. Of long values only the lines that differ are printed.
  private mutating func hex(_ left: [UInt8], _ right: [UInt8], _ style: TextStyle) {
    let longest = max(left.count, right.count)
    let words = { (bytes: [UInt8]) in
      bytes.isEmpty ? "(empty)" : Wording("\(hex: bytes)").text
    }
    if isWide, longest <= Self.bytesInLine, 6 * longest + 14 <= columns {
      let start = 8 + max(words(left).columns, 3 * longest) + 4
      row([(8, words(left)), (start - 3, "→ \(words(right))")], style)
      let marks = Self.marks(left, right, 0..<longest)
      row([(8, marks), (start - 1, marks)], .warning)
      return
    }
    var lines = 0
    var differing = 0
    let inLine = min(Self.bytesInLine, max(4, (columns - 22) / 12 * 4))
    for first in stride(from: 0, to: longest, by: inLine) {
      let range = first..<min(first + inLine, longest)
      let pieces = (
        Array(left.dropFirst(first).prefix(range.count)),
        Array(right.dropFirst(first).prefix(range.count))
      )
      guard pieces.0 != pieces.1 else { continue }
      differing += 1
      guard options.showsEqual || lines < Self.mostByteLines else { continue }
      lines += 1
      let place = longest > inLine ? "byte \(first + 1)" : ""
      row([(8, place), (20, "− \(pieces.0.isEmpty ? "" : words(pieces.0))")], style)
      row([(20, "+ \(pieces.1.isEmpty ? "" : words(pieces.1))")], style)
      row([(22, Self.marks(left, right, range))], .warning)
    }
    if differing > lines { row([(8, "… \(differing - lines) more lines of bytes differ")], .dim) }
  }

  /// Returns `^^` for each byte that differs.
  private static func marks(_ left: [UInt8], _ right: [UInt8], _ range: Range<Int>) -> String {
    var marks = ""
    for place in range {
      let differs =
        place >= left.count || place >= right.count || left[place] != right[place]
      marks += differs ? "^^ " : "   "
    }
    while marks.last == " " { marks.removeLast() }
    return marks
  }
}
