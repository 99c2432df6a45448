import Decoders

/// A set of whole numbers: ascending ranges that do not touch.
struct NumberSet: Equatable {
  /// The ranges.
  private var ranges: [ClosedRange<Int>]

  /// Numbers of one range.
  init(_ range: ClosedRange<Int>) { ranges = [range] }

  /// All but 0: what a condition that is a number alone asks for.
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

  /// The numbers of both.
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

  /// The numbers that are in both.
  func intersection(_ other: NumberSet) -> NumberSet {
    complement.union(other.complement).complement
  }

  /// Those of this set that the other one does not have.
  func subtracting(_ other: NumberSet) -> NumberSet { intersection(other.complement) }

  /// Whether there are none.
  var isEmpty: Bool { ranges.isEmpty }
}

/// What must hold where a field is there: an expression comes to one of some numbers.
struct FieldCondition {
  /// The expression, in postfix order.
  var operations: ArraySlice<Operation>
  /// The numbers.
  var numbers: NumberSet
  /// In which stretch of bytes, whose size it may ask for.
  var window: Int
  /// Of a case of `choose` the place of that field: the expression is computed once for all its cases.
  var choice: Int?

  /// Whether two conditions are about one number, as far as can be told from how they are written. What
  /// remains is less behind each field, so that it can be compared within one choice alone.
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

  /// What an expression that is not 0 asks for, all of which must hold.
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

  /// A comparison with a number; nil where neither side is one.
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

  /// The number that an expression is; nil where it is more than one.
  private static func number(_ operations: ArraySlice<Operation>) -> Int? {
    guard let first = operations.first, first.code == .number else { return nil }
    if operations.count == 1 { return first.operand }
    return operations.count == 2 && operations.last?.code == .negate ? 0 &- first.operand : nil
  }

  /// The numbers that compare so with one.
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

  /// Where the last operand of an operation with two of them begins.
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
  /// Whether two fields with these conditions are never both there: no number is left that all those about
  /// it ask for.
  func exclude(_ other: [FieldCondition]) -> Bool {
    let all = self + other
    return contains { condition in
      let others = all.filter { condition.isComparable(with: $0) }
      return others.reduce(condition.numbers) { $0.intersection($1.numbers) }.isEmpty
    }
  }
}

/// Where a field stands, and when it is there.
struct FieldPlace {
  /// Its name.
  var name: String
  /// Its file and line.
  var file: String
  var line: Int
  /// What must hold.
  var conditions: [FieldCondition]
  /// Whether it is repeated.
  var isList = false

  /// A field that a piece of a file defines.
  init(_ name: String, _ node: SourceNode, _ conditions: [FieldCondition]) {
    self.name = name
    file = node.file
    line = node.line
    self.conditions = conditions
  }

  /// Where it is, for an error about `node`: "line 5".
  func words(beside node: SourceNode) -> String {
    file == node.file ? "line \(line)" : "line \(line) of \(file)"
  }
}

/// The names in one object of the output: those of a list of fields, and of what is spliced into it.
final class OutputNames {
  /// The fields with a name.
  var places: [String: [FieldPlace]] = [:]
}
