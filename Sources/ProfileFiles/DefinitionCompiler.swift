import Bluetooth
import Decoders

/// The fields of a `layout:`, together with the file that contains them.
struct LayoutSource {
  var fields: SourceNode
  /// The file that contains the fields.
  var file: FileContext
  /// Whether the most significant byte comes first in them.
  var isBigEndian: Bool
}

/// What all definitions of a file share.
final class FileContext {
  var profile = ""
  /// Whether `endian: big` applies to the file.
  var isBigEndian = false
  /// `structures:`, by name.
  var structures: [String: SourceNode] = [:]
  /// `enumerations:`, by name.
  var enumerations: [String: SourceNode] = [:]
  /// The fields of the file's own characteristics, by UUID, and whether the most significant byte
  /// comes first in them. They are not stored as `LayoutSource`, which holds its file: the file
  /// would hold itself and never be freed.
  var characteristics: [BluetoothUUID: (fields: SourceNode, isBigEndian: Bool)] = [:]
  /// Finds the fields of characteristics in other files.
  let elsewhere: (BluetoothUUID) -> LayoutSource?
  /// What its definitions cost: their rows, the bytes of their words, the steps of their
  /// expressions, and the conditions that are compared.
  private var cost = 0

  /// The most rows of a file's tables: fields, bits, cases and words of numbers. A structure or an
  /// enumeration counts each time it is used.
  private static let mostRows = 1 << 15
  /// The cost of a row, as a multiple of that of a byte, a step or a comparison.
  private static let rowCost = 16

  /// Creates a file's context.
  init(elsewhere: @escaping (BluetoothUUID) -> LayoutSource?) { self.elsewhere = elsewhere }

  /// Counts rows, before they are made.
  func add(rows: Int, _ node: SourceNode) throws(ProfileError) {
    add(cost: rows * Self.rowCost)
    guard cost <= Self.mostRows * Self.rowCost else {
      throw node.error(
        "the definitions of a file have at most \(Self.mostRows) fields, bits, cases and words, fewer if they are "
          + "long, share names or depend on each other; structures and enumerations count each time they are used"
      )
    }
  }

  /// Counts bytes, steps or comparisons; the next row fails if they are too many.
  func add(cost: Int) { self.cost += cost }

  /// Returns the fields of one of the file's own characteristics.
  func layout(_ uuid: BluetoothUUID) -> LayoutSource? {
    characteristics[uuid].map {
      LayoutSource(fields: $0.fields, file: self, isBigEndian: $0.isBigEndian)
    }
  }
}

/// Compiles one definition into tables.
struct DefinitionCompiler {
  private var builder: TableBuilder
  /// The file that contains the fields being compiled.
  private var file: FileContext
  /// The layouts being compiled, outermost first.
  private var layouts: [String] = []
  private var depth = 0
  /// What must hold if the field being compiled is present.
  private var conditions = FieldConditions()
  /// The index of each number that conditions concern.
  private var numbers: [FieldCondition.Number: Int] = [:]
  private var numberCount = 0
  /// The fields that take all remaining bytes of the current window, and the number of that window.
  private var takers: [FieldPlace] = []
  private var window = 0

  /// The deepest nesting of groups, layouts and choices.
  static let deepest = 8
  /// The most fields of a definition, as the profile language documents it.
  static let mostFields = 255

  /// Creates a compiler for one definition.
  init(_ file: FileContext, allowsCommand: Bool = false) {
    self.file = file
    builder = TableBuilder(file, allowsCommand: allowsCommand)
  }

  /// The name of the file's profile.
  var profile: String { file.profile }

  /// The tables so far.
  var tables: Definition.Tables { builder.tables }

  /// Compiles the names of Error Response codes.
  mutating func errors(_ node: SourceNode) throws(ProfileError) { try builder.errors(node) }

  /// Compiles the text of the whole value.
  mutating func text(_ node: SourceNode, _ scope: Scope) throws(ProfileError) {
    try builder.wholeText(node, scope)
  }

  /// Compiles an expression, and returns the index of its program.
  mutating func program(_ node: SourceNode, _ scope: Scope) throws(ProfileError) -> Int {
    try builder.program(node, scope)
  }

  /// Marks what is only known once everything is compiled.
  mutating func finish() { builder.markFields() }

  /// Compiles a list of fields.
  mutating func fields(
    _ node: SourceNode, _ scope: Scope, isBigEndian: Bool
  ) throws(ProfileError) {
    for field in try node.list("a list of fields") {
      try self.field(field, scope, isBigEndian: isBigEndian)
    }
  }

  private mutating func field(
    _ node: SourceNode, _ scope: Scope, isBigEndian: Bool
  ) throws(ProfileError) {
    let keys = try KeyedNode(node, "a field")
    let kinds = ["type", "compute", "fields", "layout", "choose"].filter(keys.has)
    guard kinds.count == 1, let kind = kinds.first else {
      throw node.error(
        kinds.isEmpty
          ? "a field needs one of the keys type, fields, layout, choose, compute"
            + keys.nearMiss("type")
          : "a field has only one of the keys \(kinds.joined(separator: " and "))")
    }
    guard builder.fieldCount < Self.mostFields else {
      throw node.error("a definition has up to \(Self.mostFields) fields, those of layouts counted")
    }
    let isDeeper = kind != "type" && kind != "compute"
    depth += isDeeper ? 1 : 0
    defer { depth -= isDeeper ? 1 : 0 }
    guard depth <= Self.deepest else {
      throw node.error("groups, layouts and choices nest up to \(Self.deepest) deep")
    }
    let outer = conditions
    defer { conditions = outer }
    let place = try builder.add(Field(), node)
    var field = Field()
    let isBig = try Self.isBigEndian(keys) ?? isBigEndian
    if isBig { field.flags.insert(.bigEndian) }
    if let when = keys.node("when") {
      field.when = try program(when, scope)
      for condition in FieldCondition.all(of: builder.operations(of: field.when), window) {
        require(condition)
      }
    }
    if kind != "choose" { try occurrence(keys, &field, scope) }
    switch kind {
    case "type":
      let name = try fieldName(keys, scope)
      field.name = builder.word(name)
      try checkBytes(keys)
      try builder.value(keys, &field, name, scope, context)
      if field.takesRest {
        takers.append(FieldPlace(name, keys.node, conditions))
      } else {
        takeAll(keys, field, name)
      }
    case "compute":
      let name = try fieldName(keys, scope)
      field.name = builder.word(name)
      field.kind = .computed
      field.selector = try program(try keys.required("compute"), scope)
      field.slot = builder.declare(name, isInteger: true, scope)
      try builder.meaning(keys, &field, bits: 64, file.enumerations)
    case "choose":
      try choice(keys, &field, scope, isBigEndian: isBig)
    default:
      try group(keys, &field, scope, isBigEndian: isBig)
      if let name = keys.node("name") { takeAll(keys, field, try name.name()) }
    }
    try keys.finish()
    builder.end(field, at: place)
  }

  /// Adds a condition to those of the field being compiled.
  private mutating func require(_ condition: FieldCondition) {
    let index = condition.number.flatMap { numbers[$0] } ?? numberCount
    if index == numberCount {
      numberCount += 1
      if let number = condition.number { numbers[number] = index }
    }
    conditions.require(condition, index: index)
  }

  /// Records a list that continues until nothing remains.
  private mutating func takeAll(_ keys: KeyedNode, _ field: Field, _ name: String) {
    guard field.flags.contains(.repeatRest), !keys.has("max") else { return }
    var place = FieldPlace(name, keys.node, conditions)
    place.isList = true
    takers.append(place)
  }

  /// Returns a field's name, which must differ from the names of bits beside it.
  private func fieldName(_ keys: KeyedNode, _ scope: Scope) throws(ProfileError) -> String {
    let node = try keys.required("name")
    let name = try node.name()
    try builder.checkOperand(name, node)
    guard !scope.bitNames.contains(name) else {
      throw node.error("`\(name)` is defined twice: bits appear next to fields")
    }
    try conditions.claim(name, node, scope, builder.file)
    return name
  }

  /// Reads the keys of every field.
  private mutating func occurrence(
    _ keys: KeyedNode, _ field: inout Field, _ scope: Scope
  ) throws(ProfileError) {
    if let optional = keys.node("optional"), try optional.flag() { field.flags.insert(.optional) }
    if let turns = keys.node("repeat") {
      field.flags.insert(.repeated)
      if case .scalar("rest") = turns.content {
        field.flags.insert(.repeatRest)
      } else {
        field.turns = try builder.count(turns, scope)
      }
      let bounds = 0...ValueDecoder.mostFields
      if let least = keys.node("min") { field.least = try least.number(in: bounds) }
      if let most = keys.node("max") { field.most = try most.number(in: bounds) }
    } else if keys.has("min") || keys.has("max") {
      throw keys.node.error("min and max go with repeat")
    }
    try builder.words(keys, &field)
  }

  /// What the field being compiled depends on besides its keys.
  private var context: FieldSurroundings {
    FieldSurroundings(enumerations: file.enumerations, conditions: conditions)
  }

  // MARK: Groups and choices

  private mutating func group(
    _ keys: KeyedNode, _ field: inout Field, _ scope: Scope, isBigEndian: Bool
  ) throws(ProfileError) {
    field.kind = .group
    var name: String?
    if let node = keys.node("name") {
      let given = try node.name()
      name = given
      field.name = builder.word(given)
      try builder.checkOperand(given, node)
      try conditions.claim(given, node, scope, builder.file)
    } else if field.flags.contains(.repeated) {
      throw keys.node.error("a repeated group needs a name")
    }
    try builder.size(keys, &field, scope, mayEnd: false)
    let outer = (takers, window)
    if keys.has("size") || keys.has("prefix") {
      field.flags.insert(.sized)
      beginWindow()
    }
    // The fields of a group without a name are beside the others, in names as in the output.
    let inner = name == nil ? scope : Scope(inside: scope)
    if let layout = keys.node("layout") {
      try self.layout(layout, inner)
    } else {
      try fields(try keys.required("fields"), inner, isBigEndian: isBigEndian)
    }
    if field.flags.contains(.sized) { (takers, window) = outer }
    if let name {
      field.slot = builder.declare(name, isInteger: false, members: inner, scope)
    }
    if let text = keys.node("text") { field.template = try builder.template(text, inner) }
  }

  /// Compiles the fields of a structure or of a characteristic, which see no names around them.
  private mutating func layout(_ node: SourceNode, _ scope: Scope) throws(ProfileError) {
    let name = try node.text("a structure's name or a characteristic's UUID")
    let source: LayoutSource
    let key: String
    if let structure = file.structures[name] {
      source = LayoutSource(fields: structure, file: file, isBigEndian: file.isBigEndian)
      key = "\(file.profile).\(name)"
    } else if let uuid = BluetoothUUID(text: name) {
      guard let found = file.layout(uuid) ?? file.elsewhere(uuid) else {
        throw node.error("no characteristic \(name) has fields here")
      }
      source = found
      key = name.lowercased()
    } else {
      let hint = Suggestion.nearest(name, Array(file.structures.keys))
      throw node.error(
        "no structure `\(name)`" + (hint.map { "; did you mean `\($0)`?" } ?? ""))
    }
    guard !layouts.contains(key) else {
      throw node.error("the layout \((layouts + [key]).joined(separator: " → ")) contains itself")
    }
    layouts.append(key)
    let outer = file
    file = source.file
    let isolated = Scope(output: scope.output)
    defer {
      layouts.removeLast()
      file = outer
    }
    try fields(source.fields, isolated, isBigEndian: source.isBigEndian)
    for (name, entry) in isolated.entries { scope.entries[name] = entry }
  }

  private mutating func choice(
    _ keys: KeyedNode, _ field: inout Field, _ scope: Scope, isBigEndian: Bool
  ) throws(ProfileError) {
    field.kind = .choice
    field.selector = try program(try keys.required("choose"), scope)
    let outer = conditions
    defer { conditions = outer }
    let selector = builder.operations(of: field.selector)
    func condition(_ numbers: NumberSet) -> FieldCondition {
      FieldCondition(
        operations: selector, numbers: numbers, window: window, choice: field.selector)
    }
    var taken = NumberSet()
    var other: (key: SourceNode, value: SourceNode)?
    for (key, value) in try keys.required("cases").pairs("a mapping of numbers to lists of fields")
    {
      if case .scalar("other") = key.content {
        other = (key, value)
      } else {
        let range = try key.range()
        let own = taken.gaps(in: range)
        guard !own.isEmpty else {
          throw key.error(
            "the case \(key.kind) is never used: earlier cases contain all of its numbers")
        }
        conditions = outer
        require(condition(own))
        taken.insert(range)
        try branch(range, key, value, scope, isBigEndian: isBigEndian)
      }
    }
    // After the others, since the first matching branch is taken.
    guard let other else { return }
    conditions = outer
    if !taken.isEmpty { require(condition(taken.complement)) }
    try branch(nil, other.key, other.value, scope, isBigEndian: isBigEndian)
  }

  private mutating func branch(
    _ range: ClosedRange<Int>?, _ key: SourceNode, _ node: SourceNode, _ scope: Scope,
    isBigEndian: Bool
  ) throws(ProfileError) {
    var field = Field()
    field.kind = .branch
    if let range {
      (field.firstCode, field.codeCount) = (builder.add(range), 1)
    } else {
      field.flags.insert(.other)
    }
    let place = try builder.add(field, key)
    try fields(node, scope, isBigEndian: isBigEndian)
    builder.end(field, at: place)
  }

  /// Returns `endian:` of a field, a definition or a file; nil if it is absent.
  static func isBigEndian(_ keys: KeyedNode) throws(ProfileError) -> Bool? {
    try keys.node("endian")?.choice([("little", false), ("big", true)])
  }

  // MARK: Messages

  /// Adds the message's command as a field, which texts and expressions can use.
  mutating func command(_ node: SourceNode, width: Int, _ scope: Scope) throws(ProfileError) {
    builder.command(width: width, scope)
    try conditions.claim("command", node, scope, builder.file)
  }

  /// Compiles a frame's header into a group without a name, with as many bytes as come before the
  /// payload.
  mutating func header(
    _ node: SourceNode, _ size: Int, _ scope: Scope, isBigEndian: Bool
  ) throws(ProfileError) {
    guard size > 0 else { throw node.error("there is nothing before the payload") }
    var field = Field()
    field.kind = .group
    field.width = size
    field.flags = [.sized, .open]
    let place = try builder.add(field, node)
    let outer = (takers, window)
    beginWindow()
    try fields(node, scope, isBigEndian: isBigEndian)
    (takers, window) = outer
    builder.end(field, at: place)
  }

  // MARK: Fields that take all bytes

  /// Fails if a field follows one that takes all bytes, and does not check whether some remain.
  private func checkBytes(_ keys: KeyedNode) throws(ProfileError) {
    guard !conditions.needRemaining else { return }
    builder.file.add(cost: takers.count * conditions.comparisons)
    guard let taker = takers.first(where: standsBefore) else { return }
    let remedy =
      taker.isList
      ? "it needs a number for repeat, or max" : "it needs one of the keys size, prefix, terminator"
    throw keys.node.error(
      "nothing can follow `\(taker.name)` of \(taker.words(beside: keys.node)), which uses all "
        + "remaining bytes; \(remedy)")
  }

  /// Returns whether a field that takes all bytes is present when the field being compiled is. A
  /// list may be one of several of which data has one, by its flags, so its presence must follow
  /// from the conditions.
  private func standsBefore(_ taker: FieldPlace) -> Bool {
    taker.isList
      ? taker.conditions.follow(from: conditions) : !taker.conditions.exclude(conditions)
  }

  /// Begins a new window of bytes: what takes all of them ends with it.
  private mutating func beginWindow() {
    takers = []
    // A number that no other window has: that of an earlier one must not come again.
    window = builder.fieldCount
  }
}

extension Field {
  /// Whether the field takes all remaining bytes.
  var takesRest: Bool {
    guard width == 0, size < 0, prefix == 0, terminator < 0 else { return false }
    return switch kind {
    case .bcd, .utf8, .utf16, .text, .json, .cbor, .bytes, .uuid: true
    default: false
    }
  }
}
