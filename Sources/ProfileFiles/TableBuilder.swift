import Bluetooth
import Bytes
import Decoders

/// What a field depends on besides its keys.
struct FieldSurroundings {
  /// The enumerations of its file, by name.
  let enumerations: [String: SourceNode]
  /// What must hold if it is present.
  let conditions: FieldConditions
}

/// Builds the tables of one definition.
struct TableBuilder {
  /// The tables so far.
  private(set) var tables = Definition.Tables()
  /// Whether expressions can use `command`, which is not a field.
  let allowsCommand: Bool
  /// The slots that expressions use.
  private var usedSlots: Set<Int> = []
  /// The file whose tables these are.
  let file: FileContext
  /// The index of each word, and of each field of another characteristic.
  private var words: [[UInt8]: Int] = [:]
  private var externals: [External: Int] = [:]

  /// The names with a fixed meaning in expressions.
  static let operands = ["size", "remaining", "index", "written"]
  /// The additional name if there is a message.
  static let commandOperand = "command"

  init(_ file: FileContext, allowsCommand: Bool) {
    self.file = file
    self.allowsCommand = allowsCommand
  }

  // MARK: Fields

  /// The number of fields so far.
  var fieldCount: Int { tables.fields.count }

  /// Adds a field, and returns its index.
  mutating func add(_ field: Field, _ node: SourceNode) throws(ProfileError) -> Int {
    try file.add(rows: 1, node)
    guard fieldCount < Definition.Tables.mostFields else {
      throw node.error(
        "a definition has up to \(Definition.Tables.mostFields) fields, bits and cases altogether")
    }
    tables.fields.append(field)
    return tables.fields.count - 1
  }

  /// Completes a field: the fields inside it end here.
  mutating func end(_ field: Field, at place: Int) {
    tables.fields[place] = field
    tables.fields[place].end = tables.fields.count
  }

  /// Adds the message's command as a field, which texts and expressions can use.
  mutating func command(width: Int, _ scope: Scope) {
    var field = Field()
    field.kind = .computed
    field.name = word("command")
    field.width = width
    field.flags = [.hex, .quiet]
    field.selector = tables.programs.count - 1
    tables.operations.append(Operation(.command))
    tables.programs.append(tables.operations.count)
    field.slot = declare("command", isInteger: true, scope)
    field.end = tables.fields.count + 1
    tables.fields.append(field)
  }

  /// Adds a range of numbers, and returns its index.
  mutating func add(_ range: ClosedRange<Int>, word: Int = -1) -> Int {
    tables.codes.append(Code(low: range.lowerBound, high: range.upperBound, word: word))
    return tables.codes.count - 1
  }

  /// Adds the bounds of a number, and returns their index.
  mutating func add(limit: ClosedRange<Int>) -> Int {
    tables.limits.append(Code(low: limit.lowerBound, high: limit.upperBound, word: -1))
    return tables.limits.count - 1
  }

  /// Returns the index of a scale.
  mutating func add(_ written: Scaling.Written) -> Int {
    let place = tables.scalings.firstIndex(of: written) ?? tables.scalings.count
    if place == tables.scalings.count { tables.scalings.append(written) }
    return place
  }

  /// Returns the index of a checksum's algorithm that has no name.
  mutating func add(_ algorithm: ChecksumAlgorithm) -> Int {
    let place = tables.checksums.firstIndex(of: algorithm) ?? tables.checksums.count
    if place == tables.checksums.count { tables.checksums.append(algorithm) }
    return place
  }

  /// Compiles the names of Error Response codes.
  mutating func errors(_ node: SourceNode) throws(ProfileError) {
    for (key, value) in try node.pairs("a mapping of error codes to names") {
      let expected = "an error code from 0x80 to 0xdf"
      let code = try key.number(expected)
      guard UInt8(exactly: code).map({ ATTErrorCode(rawValue: $0).isOfProfile }) ?? false else {
        throw key.error("expected \(expected), found \(key.kind)")
      }
      guard !tables.errors.contains(where: { $0.low == code }) else {
        throw key.error("the error 0x\(String(code, radix: 16)) is defined twice")
      }
      let name = try value.line("a name")
      guard !name.isEmpty else { throw value.error("expected a name, found nothing") }
      tables.errors.append(
        Code(low: code, high: code, word: word(name)))
    }
  }

  /// Marks what is only known once everything is compiled.
  mutating func markFields() {
    markLayout()
    markSecrets()
  }

  /// Marks flags that expressions use as describing the layout.
  private mutating func markLayout() {
    for place in tables.fields.indices
    where tables.fields[place].kind == .bits && usedSlots.contains(tables.fields[place].slot) {
      tables.fields[place].flags.insert(.layout)
    }
  }

  /// Marks everything inside a secret field as secret, and what is computed from one.
  private mutating func markSecrets() {
    var slots: Set<Int> = []
    for place in tables.fields.indices {
      let field = tables.fields[place]
      if field.kind == .computed, field.selector >= 0 {
        let program = tables.programs[field.selector]..<tables.programs[field.selector + 1]
        let isDerived = tables.operations[program].contains {
          $0.code == .slot && slots.contains($0.operand)
        }
        if isDerived { tables.fields[place].flags.insert(.secret) }
      }
      guard tables.fields[place].flags.contains(.secret) else { continue }
      slots.insert(field.slot)
      for inner in place + 1..<max(field.end, place + 1) {
        tables.fields[inner].flags.insert(.secret)
      }
    }
  }

  // MARK: Words, slots, programs

  /// Returns the index of a word.
  mutating func word(_ word: String) -> Int { add([UInt8](word.utf8)) }

  /// Returns the index of bytes that are kept among the words.
  mutating func add(_ bytes: [UInt8]) -> Int {
    if let known = words[bytes] { return known }
    file.add(cost: bytes.count)
    let place = tables.words.append(bytes.bytes)
    words[bytes] = place
    return place
  }

  /// Declares a name, with the slot that others of this name in this list have.
  mutating func declare(
    _ name: String, isInteger: Bool, members: Scope? = nil, _ scope: Scope
  ) -> Int {
    let earlier = scope.entries[name]
    let slot = earlier?.slot ?? tables.slotCount
    if earlier == nil { tables.slotCount += 1 }
    scope.entries[name] = Scope.Entry(
      slot: slot, isInteger: isInteger && earlier?.isInteger ?? true, members: members)
    return slot
  }

  /// Compiles an expression, and returns the index of its program.
  mutating func program(_ node: SourceNode, _ scope: Scope) throws(ProfileError) -> Int {
    let steps = try ExpressionParser.parse(node).steps
    file.add(cost: steps.count)
    for step in steps {
      switch step {
      case .operation(let operation): tables.operations.append(operation)
      case .name(let name): tables.operations.append(try operand(name, node, scope))
      case .external(let text, let path):
        guard let uuid = BluetoothUUID(text: text) else {
          throw node.error("in the expression, expected a UUID after @, found `\(text)`")
        }
        let external = External(uuid: uuid, path: path)
        let place = externals[external] ?? tables.externals.count
        if place == tables.externals.count { tables.externals.append(external) }
        externals[external] = place
        tables.operations.append(Operation(.external, place))
      }
    }
    tables.programs.append(tables.operations.count)
    return tables.programs.count - 2
  }

  private mutating func operand(
    _ name: String, _ node: SourceNode, _ scope: Scope
  ) throws(ProfileError) -> Operation {
    if let entry = scope.find(name) {
      guard entry.isInteger else {
        throw node.error("in the expression, `\(name)` is not a whole number")
      }
      usedSlots.insert(entry.slot)
      return Operation(.slot, entry.slot)
    }
    switch name {
    case "size": return Operation(.size)
    case "remaining": return Operation(.remaining)
    case "index": return Operation(.index)
    case "written": return Operation(.written)
    case Self.commandOperand where allowsCommand: return Operation(.command)
    default: break
    }
    let names = scope.names() + Self.operands
    let hint = Suggestion.nearest(name, names).map { "; did you mean `\($0)`?" } ?? ""
    throw node.error("in the expression, no earlier field is named `\(name)`\(hint)")
  }

  /// Returns the operations of an expression, by the index of its program.
  func operations(of program: Int) -> ArraySlice<Operation> {
    // A copy, which does not hold the growing table.
    Array(tables.operations[tables.programs[program]..<tables.programs[program + 1]])[...]
  }

  /// Fails for a name that hides an operand: after such a field an expression would refer to the
  /// field.
  func checkOperand(_ name: String, _ node: SourceNode) throws(ProfileError) {
    guard Self.operands.contains(name) || allowsCommand && name == Self.commandOperand else {
      return
    }
    throw node.error(
      "`\(name)` already has a meaning in expressions; the field needs another name")
  }

  /// Compiles an expression for a number of bytes or turns, which must not be negative.
  mutating func count(_ node: SourceNode, _ scope: Scope) throws(ProfileError) -> Int {
    if case .scalar(let text) = node.content, let number = SourceNode.number(text), number < 0 {
      throw node.error("expected a number from 0, found \(node.kind)")
    }
    return try program(node, scope)
  }

  // MARK: Texts: literals, fields in braces, and brackets around optional parts

  /// Compiles the text of the whole value.
  mutating func wholeText(_ node: SourceNode, _ scope: Scope) throws(ProfileError) {
    tables.template = try template(node, scope)
  }

  /// Compiles a text, and returns the index of its template.
  mutating func template(_ node: SourceNode, _ scope: Scope) throws(ProfileError) -> Int {
    let text = [UInt8](try node.line().utf8)
    var literal: [UInt8] = []
    var opened: [Int] = []
    var position = 0
    func flush(_ builder: inout TableBuilder) {
      guard !literal.isEmpty else { return }
      builder.tables.pieces.append(TemplatePiece(.literal, builder.add(literal)))
      literal = []
    }
    while position < text.count {
      let byte = text[position]
      position += 1
      guard [0x7b, 0x7d, 0x5b, 0x5d].contains(byte) else {
        literal.append(byte)
        continue
      }
      // A doubled character means the character itself.
      if position < text.count, text[position] == byte {
        literal.append(byte)
        position += 1
        continue
      }
      flush(&self)
      switch byte {
      case 0x5b:
        opened.append(tables.pieces.count)
        tables.pieces.append(TemplatePiece(.open, 0))
      case 0x5d:
        guard let open = opened.popLast() else { throw node.error("a ] without [ in the text") }
        tables.pieces[open].operand = tables.pieces.count - open
        tables.pieces.append(TemplatePiece(.close, 0))
      case 0x7b:
        guard let end = text[position...].firstIndex(of: 0x7d) else {
          throw node.error("a { without } in the text")
        }
        let inside = String(decoding: text[position..<end], as: UTF8.self)
        tables.pieces.append(try piece(inside, node, scope))
        position = end + 1
      default: throw node.error("a } without { in the text")
      }
    }
    guard opened.isEmpty else { throw node.error("a [ without ] in the text") }
    flush(&self)
    tables.templates.append(tables.pieces.count)
    return tables.templates.count - 2
  }

  /// Returns the piece for the content of braces: `name`, `name:02`.
  private func piece(
    _ text: String, _ node: SourceNode, _ scope: Scope
  ) throws(ProfileError) -> TemplatePiece {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    guard let entry = scope.find(name) else {
      let hint = Suggestion.nearest(name, scope.names()).map { "; did you mean `\($0)`?" } ?? ""
      throw node.error("no field is named `\(name)` in the text\(hint)")
    }
    guard parts.count == 2 else { return TemplatePiece(.field, entry.slot) }
    let format = String(parts[1])
    if format == "n" { return TemplatePiece(.plain, entry.slot) }
    guard entry.isInteger else {
      throw node.error("`\(name)` is not a whole number, so `:\(format)` cannot be")
    }
    if format == "raw" { return TemplatePiece(.raw, entry.slot) }
    let isHex = format.hasPrefix("x")
    let digits = isHex ? format.dropFirst() : format.hasPrefix("0") ? format.dropFirst() : ""
    guard let count = isHex && digits.isEmpty ? 1 : Int(digits), (1...16).contains(count) else {
      throw node.error("expected :n, :02, :x2 or :raw in the text, found `:\(format)`")
    }
    return TemplatePiece(isHex ? .hex : .digits, entry.slot, digits: count)
  }
}
