import Decoders

// What cannot be present together: fields with the same name, and what follows a field that takes
// all bytes.

extension DefinitionCompiler {
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
      "`\(name)` stands for something else in expressions; the field needs another name")
  }

  /// Claims a name in the object of the output; two fields can only share one if they are never
  /// both present.
  func claim(_ name: String, _ node: SourceNode, _ scope: Scope) throws(ProfileError) {
    let others = scope.output.places[name] ?? []
    if let other = others.first(where: { !$0.conditions.exclude(conditions) }) {
      throw node.error(
        "`\(name)` is there twice: \(other.words(beside: node)) has it too, and no condition says that "
          + "only one of the two is there; cases of `choose` say so, or a `when` of each that asks for "
          + "different numbers of one expression")
    }
    scope.output.places[name] = others + [FieldPlace(name, node, conditions)]
  }

  /// Fails if a field follows one that takes all bytes, and does not check whether some remain.
  func checkBytes(_ keys: KeyedNode) throws(ProfileError) {
    let asks = conditions.contains { condition in
      condition.operations == [Operation(.remaining)]
        && condition.numbers.intersection(NumberSet(0...0)).isEmpty
    }
    guard !asks else { return }
    guard let taker = takers.first(where: standsBefore) else { return }
    let remedy =
      taker.isList
      ? "it needs a number for repeat, or max" : "it needs one of the keys size, prefix, terminator"
    throw keys.node.error(
      "nothing can follow `\(taker.name)` of \(taker.words(beside: keys.node)), which takes all "
        + "bytes that remain; \(remedy)")
  }

  /// Returns whether a field that takes all bytes is present when the field being compiled is. A
  /// list may be one of several of which data has one, by its flags, so its presence must follow
  /// from the conditions.
  private func standsBefore(_ taker: FieldPlace) -> Bool {
    guard taker.isList else { return !taker.conditions.exclude(conditions) }
    return taker.conditions.allSatisfy { wanted in
      conditions.contains {
        $0.isComparable(with: wanted) && $0.numbers.subtracting(wanted.numbers).isEmpty
      }
    }
  }

  /// Begins a new window of bytes: what takes all of them ends with it.
  mutating func beginWindow() {
    takers = []
    // A number that no other window has: that of an earlier one must not come again.
    window = tables.fields.count
  }

  /// Compiles an expression for a number of bytes or turns, which must not be negative.
  mutating func count(_ node: SourceNode, _ scope: Scope) throws(ProfileError) -> Int {
    if case .scalar(let text) = node.content, let number = SourceNode.number(text), number < 0 {
      throw node.error("expected a number from 0, found \(node.kind)")
    }
    return try program(node, scope)
  }
}

extension Field {
  /// Whether the field takes all remaining bytes.
  var takesRest: Bool {
    guard width == 0, size < 0, prefix == 0, terminator < 0 else { return false }
    return switch kind {
    case .bcd, .utf8, .utf16, .text, .bytes, .uuid: true
    default: false
    }
  }
}
