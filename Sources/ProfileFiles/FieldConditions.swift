import Decoders

/// A set of whole numbers: ascending ranges that do not touch.
struct NumberSet: Equatable {
  private var ranges: [ClosedRange<Int>]

  /// Creates the set of the numbers in one range.
  init(_ range: ClosedRange<Int>) { ranges = [range] }

  /// All numbers but 0: those for which a condition holds that is just a number.
  static var nonzero: NumberSet { NumberSet(0...0).complement }

  /// All other numbers.
  var complement: NumberSet {
    var other = self
    other.ranges = []
    var next: Int? = Int.min
    for range in ranges {
      if let low = next, low < range.lowerBound { other.ranges.append(low...range.lowerBound - 1) }
      next = range.upperBound == .max ? nil : range.upperBound + 1
    }
    if let low = next { other.ranges.append(low...Int.max) }
    return other
  }

  /// Returns the numbers in either set.
  func union(_ other: NumberSet) -> NumberSet {
    var all = self
    all.ranges = []
    for range in (ranges + other.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = all.ranges.last,
        last.upperBound == .max || range.lowerBound <= last.upperBound + 1
      {
        let end = max(last.upperBound, range.upperBound)
        all.ranges[all.ranges.count - 1] = last.lowerBound...end
      } else {
        all.ranges.append(range)
      }
    }
    return all
  }

  /// Returns the numbers in both sets.
  func intersection(_ other: NumberSet) -> NumberSet {
    complement.union(other.complement).complement
  }

  /// Returns the numbers of this set that the other one does not contain.
  func subtracting(_ other: NumberSet) -> NumberSet { intersection(other.complement) }

  /// Whether the set is empty.
  var isEmpty: Bool { ranges.isEmpty }
}

/// What must hold if a field is present: an expression has one of some numbers as its result.
struct FieldCondition {
  /// The expression, in postfix order.
  var operations: ArraySlice<Operation>
  var numbers: NumberSet
  /// The window of bytes that contains the field, whose size the expression may use.
  var window: Int
  /// For a case of `choose`, the program of its selector: the expression is computed once for all
  /// its cases.
  var choice: Int?

  /// Returns whether two conditions are known to concern the same number, judging by how they are
  /// written. The number of remaining bytes decreases after each field, so it is only comparable
  /// within one choice.
  func isComparable(with other: FieldCondition) -> Bool {
    guard operations == other.operations else { return false }
    if choice != nil, choice == other.choice { return true }
    return operations.allSatisfy { operation in
      switch operation.code {
      case .remaining: false
      case .size: window == other.window
      default: true
      }
    }
  }

  /// Returns the conditions, all of which must hold, under which an expression is not 0.
  static func all(of operations: ArraySlice<Operation>, _ window: Int) -> [FieldCondition] {
    guard let last = operations.last, let code = last.code else { return [] }
    let inner = operations.dropLast()
    let alone = [FieldCondition(operations: operations, numbers: .nonzero, window: window)]
    switch code {
    case .not:
      let conditions = all(of: inner, window)
      guard conditions.count == 1, var only = conditions.first else {
        return [FieldCondition(operations: inner, numbers: NumberSet(0...0), window: window)]
      }
      only.numbers = only.numbers.complement
      return [only]
    case .and, .or, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      let middle = start(ofLastIn: inner)
      let (left, right) = (inner[..<middle], inner[middle...])
      if code == .and { return all(of: left, window) + all(of: right, window) }
      guard code == .or else {
        return comparison(code, left, right, window).map { [$0] } ?? alone
      }
      let (first, second) = (all(of: left, window), all(of: right, window))
      guard first.count == 1, second.count == 1, var either = first.first, let other = second.first,
        either.operations == other.operations
      else { return alone }
      either.numbers = either.numbers.union(other.numbers)
      return [either]
    default: return alone
    }
  }

  /// Returns the condition of a comparison with a number; nil if neither side is a number.
  private static func comparison(
    _ code: Operation.Code, _ left: ArraySlice<Operation>, _ right: ArraySlice<Operation>,
    _ window: Int
  ) -> FieldCondition? {
    if let number = number(right) {
      return FieldCondition(operations: left, numbers: numbers(code, number), window: window)
    }
    guard let number = number(left) else { return nil }
    let turned: Operation.Code =
      switch code {
      case .less: .greater
      case .lessOrEqual: .greaterOrEqual
      case .greater: .less
      case .greaterOrEqual: .lessOrEqual
      default: code
      }
    return FieldCondition(operations: right, numbers: numbers(turned, number), window: window)
  }

  /// Returns the number that an expression is; nil if it is more than a number.
  private static func number(_ operations: ArraySlice<Operation>) -> Int? {
    guard let first = operations.first, first.code == .number else { return nil }
    if operations.count == 1 { return first.operand }
    return operations.count == 2 && operations.last?.code == .negate ? 0 &- first.operand : nil
  }

  /// Returns the numbers for which a comparison with `number` holds.
  private static func numbers(_ code: Operation.Code, _ number: Int) -> NumberSet {
    switch code {
    case .equal: NumberSet(number...number)
    case .notEqual: NumberSet(number...number).complement
    case .lessOrEqual: NumberSet(Int.min...number)
    case .greaterOrEqual: NumberSet(number...Int.max)
    case .less: NumberSet(number...Int.max).complement
    default: NumberSet(Int.min...number).complement
    }
  }

  /// Returns where the last operand of an operation with two operands begins.
  private static func start(ofLastIn operations: ArraySlice<Operation>) -> Int {
    var wanted = 1
    var place = operations.endIndex
    while wanted > 0, place > operations.startIndex {
      place -= 1
      wanted += (operations[place].code?.arity ?? 0) - 1
    }
    return place
  }
}

extension [FieldCondition] {
  /// Returns whether two fields with these conditions are never both present: no number satisfies
  /// all conditions that concern it.
  func exclude(_ other: [FieldCondition]) -> Bool {
    let all = self + other
    return contains { condition in
      let others = all.filter { condition.isComparable(with: $0) }
      return others.reduce(condition.numbers) { $0.intersection($1.numbers) }.isEmpty
    }
  }

  /// Claims a name in the object of the output for a field with these conditions; two fields can
  /// only share one if they are never both present.
  func claim(_ name: String, _ node: SourceNode, _ scope: Scope) throws(ProfileError) {
    let others = scope.output.places[name] ?? []
    if let other = others.first(where: { !$0.conditions.exclude(self) }) {
      throw node.error(
        "`\(name)` is defined twice: \(other.words(beside: node)) also defines it, and no condition ensures that "
          + "only one of the two is present; use cases of `choose`, or a `when` on each that requires "
          + "different numbers of one expression")
    }
    scope.output.places[name] = others + [FieldPlace(name, node, self)]
  }
}

/// The position of a field in a file, and its conditions.
struct FieldPlace {
  var name: String
  var file: String
  var line: Int
  /// What must hold if the field is present.
  var conditions: [FieldCondition]
  /// Whether it is repeated.
  var isList = false

  /// Creates the position of a field from its piece of a file.
  init(_ name: String, _ node: SourceNode, _ conditions: [FieldCondition]) {
    self.name = name
    file = node.file
    line = node.line
    self.conditions = conditions
  }

  /// Returns the position in words for an error about `node`: "line 5".
  func words(beside node: SourceNode) -> String {
    file == node.file ? "line \(line)" : "line \(line) of \(file)"
  }
}

/// The names in one object of the output: those of a list of fields, and of what is spliced into
/// it.
final class OutputNames {
  /// The fields with each name.
  var places: [String: [FieldPlace]] = [:]
}
