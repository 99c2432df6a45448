import Decoders

/// A set of whole numbers: ascending ranges that do not touch.
struct NumberSet: Equatable {
  private var ranges: [ClosedRange<Int>] = []

  /// Creates the empty set.
  init() {}

  /// Creates the set of the numbers in one range.
  init(_ range: ClosedRange<Int>) { ranges = [range] }

  /// All numbers but 0: those for which a condition holds that is just a number.
  static var nonzero: NumberSet { NumberSet(0...0).complement }

  /// All other numbers.
  var complement: NumberSet { gaps(in: Int.min...Int.max) }

  /// Returns the numbers of a range that the set does not contain.
  func gaps(in range: ClosedRange<Int>) -> NumberSet {
    var gaps = NumberSet()
    var next = range.lowerBound
    for known in ranges[first(endingFrom: next)...] where next <= range.upperBound {
      if known.lowerBound > range.upperBound { break }
      if next < known.lowerBound { gaps.ranges.append(next...known.lowerBound - 1) }
      guard known.upperBound < range.upperBound else { return gaps }
      next = known.upperBound + 1
    }
    gaps.ranges.append(next...range.upperBound)
    return gaps
  }

  /// Adds the numbers of a range.
  mutating func insert(_ range: ClosedRange<Int>) {
    // Those that overlap or touch it become one with it.
    let first = first(endingFrom: range.lowerBound == .min ? .min : range.lowerBound - 1)
    var end = first
    var (low, high) = (range.lowerBound, range.upperBound)
    while end < ranges.count, high == .max || ranges[end].lowerBound <= high + 1 {
      (low, high) = (min(low, ranges[end].lowerBound), max(high, ranges[end].upperBound))
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: CollectionOfOne(low...high))
  }

  /// Returns the index of the first range that ends at a number or after it.
  private func first(endingFrom number: Int) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the numbers in either set.
  func union(_ other: NumberSet) -> NumberSet {
    var all = self
    for range in other.ranges { all.insert(range) }
    return all
  }

  /// Returns the numbers in both sets.
  func intersection(_ other: NumberSet) -> NumberSet {
    var both = NumberSet()
    overlaps(with: other) {
      both.ranges.append($0)
      return true
    }
    return both
  }

  /// Returns whether no number is in both sets.
  func isDisjoint(with other: NumberSet) -> Bool {
    var isDisjoint = true
    overlaps(with: other) { _ in
      isDisjoint = false
      return false
    }
    return isDisjoint
  }

  /// Returns whether the other set contains all numbers of this one.
  func isSubset(of other: NumberSet) -> Bool {
    ranges.allSatisfy { range in
      let place = other.first(endingFrom: range.upperBound)
      return place < other.ranges.count && other.ranges[place].lowerBound <= range.lowerBound
    }
  }

  /// Calls `body` for each range of numbers in both sets until it returns false.
  private func overlaps(with other: NumberSet, _ body: (ClosedRange<Int>) -> Bool) {
    guard let low = ranges.first?.lowerBound, let start = other.ranges.first?.lowerBound else {
      return
    }
    var (left, right) = (first(endingFrom: start), other.first(endingFrom: low))
    while left < ranges.count, right < other.ranges.count {
      let (one, two) = (ranges[left], other.ranges[right])
      if one.overlaps(two), !body(one.clamped(to: two)) { return }
      if one.upperBound < two.upperBound { left += 1 } else { right += 1 }
    }
  }

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

  /// What identifies the number that a condition concerns, judging by how it is written.
  struct Number: Hashable {
    var operations: ArraySlice<Operation>
    var window: Int?
    var choice: Int?
  }

  /// The number that the condition concerns; nil if it may not be the one of any other condition:
  /// the number of remaining bytes decreases after each field, so it only stays the same within one
  /// choice.
  var number: Number? {
    if operations.contains(where: { $0.code == .remaining }) {
      return choice.map { Number(operations: operations, choice: $0) }
    }
    let usesSize = operations.contains { $0.code == .size }
    return Number(operations: operations, window: usesSize ? window : nil)
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

/// All that must hold if a field is present: the numbers that each expression may have, by the
/// index of the expression.
struct FieldConditions {
  private var all: [(index: Int, numbers: NumberSet)] = []
  /// Whether bytes must remain.
  private(set) var needRemaining = false

  /// The most expressions; what further ones exclude is not known.
  private static let most = 32

  /// Adds that an expression has one of some numbers.
  mutating func require(_ condition: FieldCondition, index: Int) {
    if condition.operations.count == 1, condition.operations.first?.code == .remaining,
      condition.numbers.isDisjoint(with: NumberSet(0...0))
    {
      needRemaining = true
    }
    let place = all.firstIndex { $0.index >= index } ?? all.count
    if place < all.count, all[place].index == index {
      all[place].numbers = all[place].numbers.intersection(condition.numbers)
    } else if all.count < Self.most {
      all.insert((index, condition.numbers), at: place)
    }
  }

  /// The number of comparisons with the conditions of another field.
  var comparisons: Int { all.count + 1 }

  /// Returns whether two fields with these conditions are never both present: no number satisfies
  /// all conditions that concern it.
  func exclude(_ other: FieldConditions) -> Bool {
    var place = 0
    for (index, numbers) in all {
      while place < other.all.count, other.all[place].index < index { place += 1 }
      let isSame = place < other.all.count && other.all[place].index == index
      if numbers.isEmpty || isSame && other.all[place].numbers.isDisjoint(with: numbers) {
        return true
      }
    }
    return false
  }

  /// Returns whether these conditions hold whenever the others do.
  func follow(from other: FieldConditions) -> Bool {
    var place = 0
    for (index, numbers) in all {
      while place < other.all.count, other.all[place].index < index { place += 1 }
      guard place < other.all.count, other.all[place].index == index,
        other.all[place].numbers.isSubset(of: numbers)
      else { return false }
    }
    return true
  }

  /// Claims a name in the object of the output for a field with these conditions; two fields can
  /// only share one if they are never both present.
  func claim(
    _ name: String, _ node: SourceNode, _ scope: Scope, _ file: FileContext
  ) throws(ProfileError) {
    file.add(cost: (scope.output.places[name]?.count ?? 0) * comparisons)
    if let other = scope.output.places[name]?.first(where: { !$0.conditions.exclude(self) }) {
      throw node.error(
        "`\(name)` is defined twice: \(other.words(beside: node)) also defines it, and no condition ensures that "
          + "only one of the two is present; use cases of `choose`, or a `when` on each that requires "
          + "different numbers of one expression")
    }
    scope.output.places[name, default: []].append(FieldPlace(name, node, self))
  }
}

/// The position of a field in a file, and its conditions.
struct FieldPlace {
  var name: String
  var file: String
  var line: Int
  /// What must hold if the field is present.
  var conditions: FieldConditions
  /// Whether it is repeated.
  var isList = false

  /// Creates the position of a field from its piece of a file.
  init(_ name: String, _ node: SourceNode, _ conditions: FieldConditions) {
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
