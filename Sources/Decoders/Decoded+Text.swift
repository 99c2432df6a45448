package import Bytes

// The line of text: by the definition's template, or made from the fields; then the problems.

extension DecodedWriter {
  /// How many values of a list text shows.
  private static var mostListed: Int { 8 }

  /// Writes the line.
  ///
  /// - Parameter writesProblems: whether the problems follow.
  /// - Returns: the position at which the problems begin.
  @discardableResult
  package func line(
    _ value: RawSpan, writesProblems: Bool = true, into output: inout Output
  ) -> Int {
    let all = 0..<decoded.fields.count
    let template = definition.tables.template
    let start = output.count
    let limit = start + max(ValueDecoder.mostText, isWhole ? 4 * value.byteCount : 0)
    if template >= 0, hasFields(of: template, all) {
      self.template(template, all, value, limit, into: &output)
    } else {
      // Without a text of its own, a message has its name.
      let isNamed = definition.subject.kind == .message && !definition.name.isEmpty
      if isNamed {
        let name = definition.nameBytes
        output.title(name.bytes)
        output.text(": ")
      }
      let end = output.count
      list(all, isAlone: definition.isAlone(nil), value, limit, into: &output)
      if isNamed, output.count == end { output.shorten(to: start) }
    }
    if output.count > limit { cut(&output, limit) }
    if output.count == start, decoded.problems.isEmpty { nothing(value, into: &output) }
    let end = output.count
    guard writesProblems else { return end }
    for problem in decoded.problems {
      if output.count > start { output.text(", ") }
      self.problem(problem, value, inLine: true, into: &output)
    }
    return end
  }

  /// Cuts a line that is too long, between two characters.
  @inline(never)
  private func cut(_ output: inout Output, _ limit: Int) {
    var end = limit
    while output.bytes.byte(at: end) & 0xc0 == 0x80 { end -= 1 }
    output.shorten(to: end)
    output.text(" … (longer than is shown)")
  }

  /// Writes why text shows no field of a value without problems.
  @inline(never)
  private func nothing(_ value: RawSpan, into output: inout Output) {
    if hasFlags {
      // Unset flags are left out, but that none is set is exactly the meaning of such a value.
      output.text("nothing set")
    } else if definition.subject.kind == .message {
      let name = definition.nameBytes
      output.title(name.bytes)
    } else {
      output.text(value.byteCount == 0 ? "empty" : "nothing of note")
    }
  }

  /// Whether there are flags that text shows when they are set.
  private var hasFlags: Bool {
    decoded.fields.contains { entry in
      guard entry.field >= 0 else { return false }
      let flags = definition.tables.fields[entry.field].flags
      return flags.contains(.flag) && flags.isDisjoint(with: [.layout, .quiet])
    }
  }

  /// Writes the entries of one list, separated by commas, until the output has `limit` bytes.
  private func list(
    _ range: Range<Int>, isAlone: Bool, _ value: RawSpan, _ limit: Int,
    into output: inout Output
  ) {
    var place = range.lowerBound
    var isFirst = true
    while place < range.upperBound, output.count <= limit {
      let run = run(from: place, in: range)
      let entry = decoded.fields[place]
      if entry.field >= 0, isShown(place..<run) {
        if !isFirst { output.text(", ") }
        isFirst = false
        let field = definition.tables.fields[entry.field]
        let isFlag = field.flags.contains(.flag) && entry.word < 0
        if !isAlone || isFlag {
          let label = field.label >= 0 ? field.label : field.name
          word(label, into: &output)
          if words.bytes(label).byteCount > 0, !isFlag { output.byte(0x20) }
        }
        if !isFlag { values(place..<run, value, limit, withUnit: true, into: &output) }
      }
      place = run
    }
  }

  /// Returns whether text shows one of the turns of a field.
  private func isShown(_ range: Range<Int>) -> Bool {
    let first = decoded.fields[range.lowerBound]
    if first.form != .group, !isRepeated(first) { return isShown(first) }
    var place = range.lowerBound
    while place < range.upperBound {
      if isShown(decoded.fields[place]), !isEmpty(place) { return true }
      place = max(decoded.fields[place].end, place + 1)
    }
    return false
  }

  /// Returns whether an entry is a group of which text shows nothing.
  private func isEmpty(_ group: Int) -> Bool {
    let entry = decoded.fields[group]
    guard entry.form == .group, definition.tables.fields[entry.field].template < 0 else {
      return false
    }
    var place = group + 1
    while place < entry.end {
      if isShown(decoded.fields[place]), !isEmpty(place) { return false }
      place = max(decoded.fields[place].end, place + 1)
    }
    return true
  }

  /// Returns whether text shows the entry.
  private func isShown(_ entry: DecodedField) -> Bool {
    guard entry.field >= 0 else { return false }
    let flags = definition.tables.fields[entry.field].flags
    if flags.contains(.quiet) || entry.form == .checksumOK || entry.form == .checksumBad {
      return false
    }
    if flags.contains(.flag), entry.word < 0, entry.raw == 0 || flags.contains(.layout) {
      return false
    }
    return !isQuiet(entry)
  }

  /// Returns whether text leaves out the field for this number, or for bytes if there are none.
  private func isQuiet(_ entry: DecodedField) -> Bool {
    guard entry.field >= 0 else { return false }
    if entry.form == .bytes, entry.bytes.isEmpty, !isHidden(entry) { return true }
    let field = definition.tables.fields[entry.field]
    for place in field.firstQuiet..<field.firstQuiet + field.quietCount
    where definition.tables.codes[place].contains(entry.raw) {
      return true
    }
    return false
  }

  /// Writes the turns of one field, separated by spaces, with the unit once.
  private func values(
    _ range: Range<Int>, _ value: RawSpan, _ limit: Int, withUnit: Bool,
    into output: inout Output
  ) {
    var place = range.lowerBound
    var count = 0
    while place < range.upperBound {
      let entry = decoded.fields[place]
      // Of a list, only those that are not quiet; a single field was requested explicitly.
      if range.count > 1, entry.form != .group, isQuiet(entry) {
        place += 1
        continue
      }
      if isWhole || count < Self.mostListed && output.count <= limit {
        let start = output.count
        if count > 0 { output.text(entry.form == .group ? "; " : " ") }
        if entry.form == .group {
          let before = output.count
          group(place, value, limit, into: &output)
          // All of its parts are absent.
          if output.count == before {
            output.shorten(to: start)
            place = max(entry.end, place + 1)
            continue
          }
        } else {
          self.value(entry, value, into: &output)
        }
      }
      count += 1
      place = max(entry.end, place + 1)
    }
    if withUnit { unit(range, into: &output) }
    if !isWhole { output.andMore(count - Self.mostListed) }
  }

  /// Writes the unit of numbers.
  func unit(_ range: Range<Int>, into output: inout Output) {
    let first = decoded.fields[range.lowerBound]
    guard first.field >= 0 else { return }
    let field = definition.tables.fields[first.field]
    guard field.unit >= 0, field.tick == 0 else { return }
    let isNumber = range.contains { place in
      let entry = decoded.fields[place]
      return switch entry.form {
      case .integer: entry.word < 0
      case .decimal, .double: true
      default: false
      }
    }
    guard isNumber else { return }
    output.byte(0x20)
    output.raw(words.bytes(field.unit))
  }

  private func group(
    _ place: Int, _ value: RawSpan, _ limit: Int, into output: inout Output
  ) {
    let entry = decoded.fields[place]
    guard let field = field(of: entry) else { return }
    let inside = place + 1..<max(entry.end, place + 1)
    if field.template >= 0, hasFields(of: field.template, inside) {
      template(field.template, inside, value, limit, into: &output)
    } else {
      list(inside, isAlone: definition.isAlone(entry.field), value, limit, into: &output)
    }
  }

  // MARK: Templates

  private func template(
    _ template: Int, _ range: Range<Int>, _ value: RawSpan, _ limit: Int,
    into output: inout Output
  ) {
    var place = definition.tables.templates[template]
    let end = definition.tables.templates[template + 1]
    while place < end, output.count <= limit {
      let piece = definition.tables.pieces[place]
      place += 1
      switch piece.kind {
      case .literal: output.raw(words.bytes(piece.operand))
      case .open:
        let close = place - 1 + piece.operand
        if !isComplete(place..<min(close, end), range) { place = close }
      case .close, nil: break
      default: self.piece(piece, range, value, limit, into: &output)
      }
    }
  }

  /// Returns whether the fields that a template requires are present; otherwise the text is made
  /// from the fields that are.
  private func hasFields(of template: Int, _ range: Range<Int>) -> Bool {
    let templates = definition.tables.templates
    return isComplete(templates[template]..<templates[template + 1], range, mayBeQuiet: true)
  }

  /// Returns whether all fields of some pieces are present, and none is quiet; nested brackets are
  /// decided on their own.
  private func isComplete(
    _ pieces: Range<Int>, _ range: Range<Int>, mayBeQuiet: Bool = false
  ) -> Bool {
    var place = pieces.lowerBound
    while place < pieces.upperBound {
      let piece = definition.tables.pieces[place]
      place += 1
      switch piece.kind {
      case .open: place += piece.operand
      case .literal, .close, nil: continue
      default:
        guard let found = find(piece.operand, range),
          mayBeQuiet || !isQuiet(decoded.fields[found])
        else { return false }
      }
    }
    return true
  }

  /// Returns the first entry of the field with a slot.
  private func find(_ slot: Int, _ range: Range<Int>) -> Int? {
    guard slot >= 0, slot < decoded.firsts.count else { return nil }
    let first = Int(decoded.firsts[slot])
    guard first >= 0, first < range.upperBound else { return nil }
    // A search is only needed outside the first turn of a group.
    if first >= range.lowerBound { return first }
    for place in range {
      let field = decoded.fields[place].field
      if field >= 0, definition.tables.fields[field].slot == slot { return place }
    }
    return nil
  }

  private func piece(
    _ piece: TemplatePiece, _ range: Range<Int>, _ value: RawSpan, _ limit: Int,
    into output: inout Output
  ) {
    guard let place = find(piece.operand, range) else {
      output.byte(0x3f)
      return
    }
    let entry = decoded.fields[place]
    if isHidden(entry) {
      self.value(entry, value, into: &output)
      return
    }
    switch piece.kind {
    case .digits:
      if entry.raw < 0 { output.byte(0x2d) }
      output.decimal(entry.raw.magnitude, digits: piece.digits)
    case .hex:
      output.hexDigits(
        UInt64(bitPattern: Int64(entry.raw)),
        max(piece.digits, (67 - UInt64(bitPattern: Int64(entry.raw)).leadingZeroBitCount) / 4))
    case .raw: output.decimal(entry.raw)
    default:
      if piece.kind == .plain, entry.form == .utf8, !isHidden(entry), let field = field(of: entry) {
        output.printable(expanded(value.part(entry.bytes), field).bytes)
      } else {
        let run = run(from: place, in: place..<range.upperBound)
        values(place..<run, value, limit, withUnit: piece.kind == .field, into: &output)
      }
    }
  }

  // MARK: Problems

  /// Writes a problem as in text and in JSON's `message`.
  ///
  /// - Parameter inLine: whether this follows the value's text, which contains the number if it is
  ///   the only field.
  package func problem(
    _ problem: DecodingProblem, _ value: RawSpan, inLine: Bool = false, into output: inout Output
  ) {
    if inLine, problem.code == .reservedValue, decoded.fields.count == 1, definition.isAlone(nil),
      definition.tables.template < 0, !definition.hasSecrets
    {
      output.text("which is reserved")
      return
    }
    let bytes = value.part(problem.bytes)
    switch problem.code {
    case .trailingBytes:
      output.decimal(problem.found)
      output.text(problem.found == 1 ? " byte too many" : " bytes too many")
      guard !definition.hasSecrets || showsKeys else { return }
      output.text(": ")
      output.hex(bytes.part(Slice(start: 0, count: 16)), separator: 0x20)
      if bytes.byteCount > 16 { output.text(" …") }
      return
    case .limit:
      if problem.expected == ValueDecoder.mostText {
        subject(problem, into: &output)
        output.text(" stands for more text than is shown")
      } else {
        output.text("more fields than are decoded")
      }
      return
    case .tooFew:
      output.text(problem.found == 0 ? "no " : "too few ")
      subject(problem, into: &output)
      return
    case .reservedBits:
      output.text("reserved bits ")
      output.hexadecimal(
        UInt64(bitPattern: Int64(problem.found)), digits: Int(2 * problem.bytes.count))
      output.text(" in ")
      subject(problem, into: &output)
      return
    default: break
    }
    subject(problem, into: &output)
    if problem.field >= 0, problem.field < definition.tables.fields.count, !showsKeys,
      definition.tables.fields[problem.field].flags.contains(.secret), problem.code != .missingBytes
    {
      output.text(" is not what it must be")
      return
    }
    switch problem.code {
    case .missingBytes:
      output.text(" at offset ")
      output.decimal(Int(problem.bytes.start))
      output.text(problem.found == 0 ? " is missing" : " is cut short: ")
      guard problem.found > 0 else { return }
      output.decimal(problem.found)
      output.text(" of ")
      output.decimal(problem.expected)
      output.text(" bytes")
    case .badChecksum:
      let digits = Int(2 * problem.bytes.count)
      output.byte(0x20)
      output.hexDigits(UInt64(bitPattern: Int64(problem.found)), digits)
      output.text(", not ")
      output.hexDigits(UInt64(bitPattern: Int64(problem.expected)), digits)
    case .reservedValue:
      output.byte(0x20)
      output.decimal(problem.found)
      output.text(" is reserved")
    case .outOfRange:
      // A date is not a single number.
      if problem.field < 0 || definition.tables.fields[problem.field].kind != .dateTime {
        output.byte(0x20)
        output.decimal(problem.found)
      }
      output.text(" is out of range")
    case .unexpectedValue:
      output.text(" is not what it must be")
    case .badText: output.text(" is not UTF-8")
    case .badDigit: output.text(" has a digit above 9")
    default: break
    }
  }

  /// Writes the name of the field that a problem refers to.
  private func subject(_ problem: DecodingProblem, into output: inout Output) {
    let fields = definition.tables.fields
    guard problem.field >= 0, problem.field < fields.count, fields[problem.field].name >= 0 else {
      if problem.field == DecodedField.frameChecksum {
        output.text("checksum")
      } else {
        output.text("value")
      }
      return
    }
    output.spaced(words.bytes(fields[problem.field].name))
  }
}
