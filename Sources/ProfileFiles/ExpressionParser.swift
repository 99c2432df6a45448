import Decoders

/// A parsed expression before its names are looked up: operations in postfix order.
struct Expression {
  /// A step: an operation, or a name that refers to one.
  enum Step {
    case operation(Operation)
    case name(String)
    case external(uuid: String, path: String)
  }

  var steps: [Step] = []
}

/// Reads expressions by descending from the weakest operator to the operands.
struct ExpressionParser {
  private let node: SourceNode
  private let text: [UInt8]
  private var position = 0
  private var expression = Expression()
  private var depth = 0
  private var operands = 0

  /// Operators from the weakest to the strongest, the longer ones first.
  private static let levels: [[(String, Operation.Code)]] = [
    [("||", .or)],
    [("&&", .and)],
    [("==", .equal), ("!=", .notEqual), ("<=", .lessOrEqual), (">=", .greaterOrEqual)],
    [("<", .less), (">", .greater)],
    [("|", .bitOr)],
    [("^", .bitXor)],
    [("&", .bitAnd)],
    [("<<", .shiftLeft), (">>", .shiftRight)],
    [("+", .add), ("-", .subtract)],
    [("*", .multiply), ("/", .divide), ("%", .remainder)],
  ]

  /// Longer operators that begin with a shorter one.
  private static let longer: [String: [String]] = [
    "|": ["||"], "&": ["&&"], "<": ["<<", "<="], ">": [">>", ">="],
  ]

  private init(_ node: SourceNode, _ text: String) {
    self.node = node
    self.text = [UInt8](text.utf8)
  }

  /// Reads the expression in a scalar.
  static func parse(_ node: SourceNode) throws(ProfileError) -> Expression {
    var parser = ExpressionParser(node, try node.text("an expression"))
    try parser.level(0)
    parser.skipSpaces()
    guard parser.position == parser.text.count else {
      throw parser.failure("expected an operator")
    }
    return parser.expression
  }

  private func failure(_ expected: String) -> ProfileError {
    let rest = String(decoding: text[min(position, text.count)...].prefix(20), as: UTF8.self)
    let found = rest.isEmpty ? "the end" : "`\(rest)`"
    return node.error("in the expression, \(expected), found \(found)")
  }

  private mutating func skipSpaces() {
    while position < text.count, text[position] == 0x20 || text[position] == 0x0a { position += 1 }
  }

  private func isNext(_ word: String) -> Bool {
    text[position...].starts(with: word.utf8)
  }

  private mutating func consume(_ word: String) -> Bool {
    guard isNext(word), !(Self.longer[word] ?? []).contains(where: isNext) else { return false }
    position += word.utf8.count
    return true
  }

  private mutating func level(_ level: Int) throws(ProfileError) {
    guard level < Self.levels.count else {
      try unary()
      return
    }
    try self.level(level + 1)
    while true {
      skipSpaces()
      var taken: Operation.Code?
      for (word, code) in Self.levels[level] where taken == nil && consume(word) { taken = code }
      guard let taken else { return }
      try self.level(level + 1)
      expression.steps.append(.operation(Operation(taken)))
    }
  }

  private mutating func unary() throws(ProfileError) {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 16 else { throw failure("too deep") }
    skipSpaces()
    for (word, code) in [("!", Operation.Code.not), ("~", .invert), ("-", .negate)]
    where consume(word) {
      try unary()
      expression.steps.append(.operation(Operation(code)))
      return
    }
    guard consume("(") else {
      try operand()
      return
    }
    try level(0)
    skipSpaces()
    guard consume(")") else { throw failure("expected )") }
  }

  private mutating func operand() throws(ProfileError) {
    operands += 1
    guard operands <= Definition.Tables.mostOperands else {
      throw failure("more than \(Definition.Tables.mostOperands) operands")
    }
    let isExternal = consume("@")
    let start = position
    while position < text.count, Self.isWordByte(text[position]) { position += 1 }
    let word = String(decoding: text[start..<position], as: UTF8.self)
    guard !word.isEmpty else { throw failure("expected a number, a field's name or (") }
    if isExternal {
      let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[1].isEmpty else {
        position = start
        throw failure("expected @UUID.field")
      }
      expression.steps.append(.external(uuid: String(parts[0]), path: String(parts[1])))
    } else if let number = SourceNode.number(word) {
      expression.steps.append(.operation(Operation(.number, number)))
    } else {
      guard let first = word.utf8.first, first > 0x39 else {
        position = start
        throw failure("expected a number")
      }
      expression.steps.append(.name(word))
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a, 0x2e: true
    default: false
    }
  }
}
