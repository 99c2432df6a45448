import Bluetooth
import Decoders

// A field with a type: its number of bytes, the meaning of its number, and its bits.

extension TableBuilder {
  /// The kind and width of each type; 0: as many bytes as the field specifies.
  private static let types: [(String, (Field.Kind, Int))] =
    (1...8).map { ("u\(8 * $0)", (.unsigned, $0)) } + (1...8).map { ("i\(8 * $0)", (.signed, $0)) }
    + [
      ("f16", (.float, 2)), ("f32", (.float, 4)), ("f64", (.float, 8)),
      ("medfloat16", (.medfloat, 2)), ("medfloat32", (.medfloat, 4)), ("bcd", (.bcd, 0)),
      ("datetime", (.dateTime, 7)), ("utf8", (.utf8, 0)), ("utf16", (.utf16, 0)),
      ("text", (.text, 0)), ("bytes", (.bytes, 0)), ("uuid", (.uuid, 0)),
      ("address", (.address, 6)),
    ]

  /// Reads the keys of a field with a type.
  mutating func value(
    _ keys: KeyedNode, _ field: inout Field, _ name: String, _ scope: Scope,
    _ context: FieldSurroundings
  ) throws(ProfileError) {
    let type = try keys.required("type")
    let (kind, width) = try type.choice(Self.types)
    field.kind = kind
    field.width = width
    if kind != .unsigned, keys.has("bits") {
      throw keys.node.error("bits need an unsigned type such as u8", key: "bits")
    }
    if width == 0 { try size(keys, &field, scope, mayEnd: [.utf8, .text, .bytes].contains(kind)) }
    switch kind {
    case .unsigned, .signed, .bcd:
      if kind == .unsigned, let bits = keys.node("bits") {
        // Fields with the same name whose conditions exclude each other share the slots of their
        // bits.
        let inner = scope.entries[name]?.members ?? Scope()
        field.slot = declare(name, isInteger: true, members: inner, scope)
        try self.bits(bits, &field, inner, scope, context)
        return
      }
      field.slot = declare(name, isInteger: true, scope)
      try meaning(
        keys, &field, bits: kind == .bcd ? 64 : 8 * width, context.enumerations)
      if kind != .bcd { try checksum(keys, &field) }
    case .float, .medfloat:
      field.slot = declare(name, isInteger: false, scope)
      if let unit = keys.node("unit") { field.unit = word(try unit.line()) }
      try floatScale(keys, &field)
    default:
      field.slot = declare(name, isInteger: false, scope)
      if kind == .address, let special = keys.node("special") {
        try codes(special, &field, bits: 48, isSigned: false)
      }
      if kind == .utf8, let expand = keys.node("expand") {
        try boundExpansion(expand)
        try codes(expand, &field, bits: 8, isSigned: false)
      }
      if kind == .bytes, let equals = keys.node("equals") {
        field.pattern = add(try equals.bytes())
      }
      if kind == .uuid, field.width > 0, ![2, 4, 16].contains(field.width) {
        throw keys.node.error("a UUID has 2, 4 or 16 bytes", key: "size")
      }
    }
  }

  /// Reads `size`, `prefix`, `terminator`.
  mutating func size(
    _ keys: KeyedNode, _ field: inout Field, _ scope: Scope, mayEnd: Bool
  ) throws(ProfileError) {
    let given = ["size", "prefix", "terminator"].filter(keys.has)
    guard given.count <= 1 else {
      throw keys.node.error("a field has only one of the keys \(given.joined(separator: " and "))")
    }
    if let size = keys.node("size") {
      if case .scalar(let text) = size.content, let number = SourceNode.number(text), number > 0 {
        field.width = try size.number(in: 1...65_535)
      } else if case .scalar("rest") = size.content {
        return
      } else {
        field.size = try count(size, scope)
      }
    }
    if let prefix = keys.node("prefix") {
      field.prefix = try prefix.choice([("u8", 1), ("u16", 2), ("u32", 4)])
      if let counts = keys.node("prefix_counts"),
        try counts.choice([("after", false), ("whole", true)])
      {
        field.flags.insert(.prefixWhole)
      }
    }
    if mayEnd, let terminator = keys.node("terminator") {
      field.terminator = add(try terminator.ending())
    }
  }

  // MARK: What a number means

  /// Reads unit, scale, words and bounds of a number with a number of bits.
  mutating func meaning(
    _ keys: KeyedNode, _ field: inout Field, bits: Int, _ enumerations: [String: SourceNode]
  ) throws(ProfileError) {
    if let epoch = keys.node("epoch") {
      field.epoch = try Self.day(epoch)
      field.tick =
        try keys.node("unit")?.choice([
          ("s", 1000), ("ms", 1), ("min", 60_000), ("d", 86_400_000),
        ]) ?? 1000
    } else if let unit = keys.node("unit") {
      field.unit = word(try unit.line())
    }
    try scale(keys, &field)
    if let format = keys.node("format"), try format.choice([("decimal", false), ("hex", true)]) {
      field.flags.insert(.hex)
    }
    let isSigned = field.kind == .signed || field.flags.contains(.signedBits)
    if let values = keys.node("values") {
      if keys.has("special") {
        throw keys.node.error("a number has only one of the keys values and special")
      }
      field.flags.insert(try keys.node("open")?.flag() ?? false ? .isOpenCode : .isCode)
      try self.values(values, &field, bits: bits, isSigned: isSigned, enumerations)
    }
    if let special = keys.node("special") {
      try codes(special, &field, bits: bits, isSigned: isSigned)
    }
    if let range = keys.node("range") {
      field.limit = add(limit: try range.bounds())
    }
    if let equals = keys.node("equals") {
      field.equals = try Self.fitted(try equals.range(), equals, bits, isSigned).lowerBound
      field.flags.insert(.hasEquals)
    }
  }

  /// Reads the scale of a number with its own power of ten, which can only be a factor. For other
  /// floating-point numbers, only the decimals in text can be set.
  private mutating func floatScale(
    _ keys: KeyedNode, _ field: inout Field
  ) throws(ProfileError) {
    if field.kind == .float, keys.has("scale") {
      throw keys.node.error("a number of this type has no scale")
    }
    try scale(keys, &field)
    guard field.kind == .medfloat, field.scaling >= 0 else { return }
    var written = tables.scalings[field.scaling]
    (written.multiply, written.multiplyExponent, written.decimal) = (1, 0, 0)
    guard written == Scaling.Written() else {
      throw keys.node.error("the scale of a medfloat has only multiply and decimal", key: "scale")
    }
  }

  private static func day(_ node: SourceNode) throws(ProfileError) -> Int {
    let parts = try node.text("a date").split(separator: "-").map { Int64($0) ?? -1 }
    guard parts.count == 3, (0...9999).contains(parts[0]), (1...12).contains(parts[1]),
      (1...31).contains(parts[2])
    else { throw node.error("expected a date such as \"1970-01-01\", found \(node.kind)") }
    return Int(CivilDate(year: parts[0], month: parts[1], day: parts[2]).days)
  }

  private mutating func scale(_ keys: KeyedNode, _ field: inout Field) throws(ProfileError) {
    var written = Scaling.Written()
    let scale = keys.node("scale")
    let exponential = keys.node("exponential")
    if scale != nil, exponential != nil {
      throw keys.node.error("a number has only one of the keys scale and exponential")
    }
    if let scale {
      let keys = try KeyedNode(scale, "a mapping of multiply, divide, decimal, binary, add")
      if let node = keys.node("multiply") {
        (written.multiply, written.multiplyExponent) = try Self.fraction(node)
      }
      if let node = keys.node("divide") { written.divide = try node.number(in: 1...Int.max) }
      if let node = keys.node("decimal") { written.decimal = try node.number(in: -30...30) }
      if let node = keys.node("binary") { written.binary = try node.number(in: -64...64) }
      if let node = keys.node("add") {
        (written.add, written.addExponent) = try Self.fraction(node)
      }
      try keys.finish()
    }
    if let exponential {
      let keys = try KeyedNode(exponential, "a mapping of base and minus")
      (written.base, written.baseExponent) = try Self.fraction(try keys.required("base"))
      guard written.base > 0 else { throw exponential.error("expected a base above 0") }
      if let minus = keys.node("minus") { written.minus = try minus.number() }
      try keys.finish()
    }
    if let decimals = keys.node("decimals") { written.decimals = try decimals.number(in: 0...15) }
    guard written != Scaling.Written() else { return }
    guard Scaling(written) != nil else {
      throw (scale ?? keys.node).error("a scale of this size cannot be computed exactly")
    }
    field.scaling = add(written)
  }

  /// Returns a decimal fraction as digits and power of ten.
  private static func fraction(_ node: SourceNode) throws(ProfileError) -> (Int, Int) {
    guard let number = DecimalNumber(text: try node.text("a number")) else {
      throw node.error("expected a number such as 0.005, found \(node.kind)")
    }
    return (Int(number.mantissa), number.exponent)
  }

  private mutating func values(
    _ node: SourceNode, _ field: inout Field, bits: Int, isSigned: Bool,
    _ enumerations: [String: SourceNode]
  ) throws(ProfileError) {
    guard case .scalar(let name) = node.content else {
      try codes(node, &field, bits: bits, isSigned: isSigned)
      return
    }
    if let enumeration = enumerations[name] {
      try codes(enumeration, &field, bits: bits, isSigned: isSigned)
    } else if let assigned = AssignedSet.allCases.first(where: { "\($0.name)" == name }) {
      field.assigned = assigned.rawValue
      field.flags.remove(.isCode)
    } else {
      let names = Array(enumerations.keys) + AssignedSet.allCases.map { "\($0.name)" }
      let hint = Suggestion.nearest(name, names).map { "; did you mean `\($0)`?" } ?? ""
      throw node.error("no enumeration is named `\(name)`\(hint)")
    }
  }

  /// Fails if a byte represents more text than is decoded.
  private func boundExpansion(_ node: SourceNode) throws(ProfileError) {
    for (_, value) in try node.pairs("a mapping of numbers to texts") {
      let count = try value.text().utf8.count
      guard count > ValueDecoder.mostExpanded else { continue }
      throw value.error(
        "a byte expands to at most \(ValueDecoder.mostExpanded) bytes of text, not \(count)")
    }
  }

  private mutating func codes(
    _ node: SourceNode, _ field: inout Field, bits: Int, isSigned: Bool
  ) throws(ProfileError) {
    let pairs = try node.pairs("a mapping of numbers to words")
    try file.add(rows: pairs.count, node)
    var codes: [(range: ClosedRange<Int>, place: Int, word: Int)] = []
    for (place, (key, value)) in pairs.enumerated() {
      let range = try Self.fitted(try key.range(), key, bits, isSigned)
      codes.append((range, place, word(try value.line("a word"))))
    }
    codes.sort { ($0.range.lowerBound, $0.place) < ($1.range.lowerBound, $1.place) }
    for (one, two) in zip(codes, codes.dropFirst()) where one.range.overlaps(two.range) {
      let (other, later) = one.place < two.place ? (one, two) : (two, one)
      let key = pairs[later.place].key
      throw key.error("\(key.kind) has a number that `\(tables.words.string(other.word))` has")
    }
    field.firstCode = tables.codes.count
    for code in codes { _ = add(code.range, word: code.word) }
    field.codeCount = codes.count
  }

  /// Returns a raw number as the field contains it: `0x8000` of a signed number of 16 bits is
  /// −32768.
  private static func fitted(
    _ range: ClosedRange<Int>, _ node: SourceNode, _ bits: Int, _ isSigned: Bool
  ) throws(ProfileError) -> ClosedRange<Int> {
    guard bits < 64 else { return range }
    let (low, high) = (range.lowerBound, range.upperBound)
    if isSigned, low >= 1 << (bits - 1), high < 1 << bits {
      return low - 1 << bits...high - 1 << bits
    }
    let least = isSigned ? -1 << (bits - 1) : 0
    let most = isSigned ? 1 << (bits - 1) - 1 : 1 << bits - 1
    guard low >= least, high <= most else {
      throw node.error("\(node.kind) does not fit into \(bits) bits")
    }
    return range
  }

  private mutating func checksum(_ keys: KeyedNode, _ field: inout Field) throws(ProfileError) {
    guard let node = keys.node("checksum") else { return }
    var name = node
    if case .mapping = node.content {
      let keys = try KeyedNode(node, "a checksum")
      name = try keys.required("algorithm")
      if let from = keys.node("from") { field.checksumFrom = try from.number(in: 0...65_535) }
      try keys.finish()
    }
    let algorithm = try Self.algorithm(name)
    guard field.kind == .unsigned, field.width == algorithm.width else {
      throw name.error("\(algorithm.name) needs a field of type u\(8 * algorithm.width)")
    }
    if let number = algorithm.number {
      field.checksum = number
    } else {
      field.checksum = Definition.Tables.firstChecksum + add(algorithm)
    }
  }

  /// Returns a checksum's algorithm: the one of a name, or of its parameters.
  static func algorithm(_ node: SourceNode) throws(ProfileError) -> ChecksumAlgorithm {
    guard case .mapping = node.content else {
      return try node.choice(ChecksumAlgorithm.named.map { ("\($0.name)", $0.algorithm) })
    }
    let keys = try KeyedNode(node, "the name of an algorithm, or a mapping of its parameters")
    let given = ["name", "crc", "sum", "xor"].filter(keys.has)
    guard given.count == 1, let key = given.first else {
      throw node.error("an algorithm has one of the keys name, crc, sum and xor")
    }
    let kindNode = try keys.required(key)
    var algorithm: ChecksumAlgorithm
    if key == "name" {
      algorithm = try Self.algorithm(kindNode)
    } else {
      let kinds: [String: ChecksumAlgorithm.Kind] = ["crc": .crc, "sum": .sum, "xor": .xor]
      let width = try kindNode.choice((1...4).map { ("\(8 * $0)", $0) })
      algorithm = ChecksumAlgorithm(kinds[key] ?? .crc, width: width)
    }
    let bounds = 0...Int(algorithm.mask)
    func number(_ key: String) throws(ProfileError) -> UInt32? {
      try keys.node(key).map { node throws(ProfileError) in
        UInt32(truncatingIfNeeded: try node.number(in: bounds))
      }
    }
    if key == "crc" {
      algorithm.polynomial = UInt32(
        truncatingIfNeeded: try keys.required("poly").number(in: bounds))
      if let reflect = keys.node("reflect") {
        (algorithm.reflectsInput, algorithm.reflectsOutput) = try reflect.choice([
          ("true", (true, true)), ("false", (false, false)), ("in", (true, false)),
          ("out", (false, true)),
        ])
      }
    }
    if key != "name", let initial = try number("init") { algorithm.initial = initial }
    if let xorOut = try number("xorout") {
      guard algorithm.added == 0 else {
        throw node.error("something is added to \(algorithm.name), so `xorout` is ambiguous")
      }
      algorithm.inverted ^= xorOut
    }
    if let added = try number("add") {
      algorithm.added = (algorithm.added &+ added) & algorithm.mask
    }
    try keys.finish()
    return algorithm
  }

  // MARK: Bits

  private mutating func bits(
    _ node: SourceNode, _ field: inout Field, _ inner: Scope, _ scope: Scope,
    _ context: FieldSurroundings
  ) throws(ProfileError) {
    var used: UInt64 = 0
    var names: Set<String> = []
    for node in try node.list("a list of bits") {
      let keys = try KeyedNode(node, "a mapping of bit or bits, and name")
      var row = Field()
      row.kind = .bits
      let name = try keys.required("name").name()
      row.name = word(name)
      let last = 8 * field.width - 1
      if let bit = keys.node("bit") {
        (row.bit, row.bitCount) = (try bit.number(in: 0...last), 1)
        row.flags.insert(.flag)
        if keys.has("bits") { throw node.error("either bit or bits") }
      } else {
        let bounds = try (try keys.required("bits")).bounds()
        guard bounds.lowerBound >= 0, bounds.upperBound <= last else {
          throw node.error("expected bits from 0 to \(last)", key: "bits")
        }
        (row.bit, row.bitCount) = (bounds.lowerBound, bounds.count)
      }
      let mask: UInt64 =
        row.bitCount == 64 ? .max : (1 << UInt64(row.bitCount) - 1) << UInt64(row.bit)
      guard used & mask == 0 else { throw node.error("`\(name)` has bits that another has") }
      used |= mask
      if let signed = keys.node("signed"), try signed.flag() { row.flags.insert(.signedBits) }
      try words(keys, &row)
      try meaning(keys, &row, bits: row.bitCount, context.enumerations)
      try keys.finish()
      guard names.insert(name).inserted, scope.entries[name] == nil else {
        throw node.error("`\(name)` is defined twice: bits appear next to fields")
      }
      try context.conditions.claim(name, node, scope, file)
      scope.bitNames.insert(name)
      row.slot = declare(name, isInteger: true, inner)
      end(row, at: try add(row, node))
    }
  }

  /// The most numbers of `quiet`, which are compared with each value.
  private static let mostQuiet = 256

  /// Reads `label`, `secret` and `quiet`.
  mutating func words(_ keys: KeyedNode, _ field: inout Field) throws(ProfileError) {
    if let label = keys.node("label") { field.label = word(try label.line()) }
    if let secret = keys.node("secret"), try secret.flag() { field.flags.insert(.secret) }
    guard let quiet = keys.node("quiet") else { return }
    guard case .list(let numbers) = quiet.content else {
      if try quiet.flag() { field.flags.insert(.quiet) }
      return
    }
    guard numbers.count <= Self.mostQuiet else {
      throw quiet.error("expected at most \(Self.mostQuiet) numbers, found \(numbers.count)")
    }
    try file.add(rows: numbers.count, quiet)
    field.firstQuiet = tables.codes.count
    for number in numbers { _ = add(try number.range()) }
    field.quietCount = numbers.count
  }
}
