import Bluetooth
import Bytes
import Diagnosis
import Sessions

/// Gives what is equal on both sides the same number.
private struct Numbering<Key: Hashable> {
  private var numbers: [Key: Int] = [:]

  mutating func number(_ key: Key) -> Int {
    if let known = numbers[key] { return known }
    numbers[key] = numbers.count
    return numbers.count - 1
  }
}

/// What an operation is, wherever it stands.
private struct Meaning: Hashable {
  var kind: Int
  var side: UInt8
  var role: [UInt8]
  var message: String
  var offset: Int
}

/// The same by the places of one session.
private struct Place: Hashable {
  var kind: Int
  var side: UInt8
  var role: Int
  var message: Int
  var offset: Int
}

/// An operation with all that is compared of it.
private struct Content: Hashable {
  var meaning: Int
  var value: [UInt8]?
  var failure: [UInt8]?
  var unknown: [UInt8]?
}

/// One operation, or a run of them: what is aligned.
private struct Element {
  var operations: Range<Int>
  var meaning: Int
  var content: Int
}

extension Operation.Kind {
  /// A number for each.
  var number: Int {
    switch self {
    case .connect: 0
    case .exchangeMTU: 1
    case .discovery: 2
    case .encryption: 3
    case .end: 4
    case .value(let operation): 0x10 + Int(operation.rawValue)
    case .pairing(let opcode): 0x100 + Int(opcode.rawValue)
    }
  }
}

/// The numbers that operations are aligned by.
private struct Catalogue {
  private var meanings = Numbering<Meaning>()
  private var contents = Numbering<Content>()
  private var runs = Numbering<[Int]>()

  /// The meaning and the content of each operation.
  mutating func numbers(
    _ operations: [Operation], _ session: Session
  ) -> [(meaning: Int, content: Int)] {
    var known: [Place: Int] = [:]
    return operations.map { operation in
      let side: UInt8 = operation.isByCentral.map { $0 ? 1 : 2 } ?? 0
      let place = Place(
        kind: operation.kind.number, side: side, role: operation.role ?? -1,
        message: operation.message ?? -1, offset: operation.offset)
      let meaning: Int
      if let number = known[place] {
        meaning = number
      } else {
        meaning = meanings.number(
          Meaning(
            kind: place.kind, side: side, role: operation.role.map { session.roles[$0].key } ?? [],
            message: operation.message.map { session.messages[$0] } ?? "", offset: operation.offset)
        )
        known[place] = meaning
      }
      let content = Content(
        meaning: meaning, value: operation.value.map { Array(session.bytes($0)) },
        failure: operation.failure.map { Array(session.bytes($0)) },
        unknown: operation.unknown.map { Array(session.bytes($0)) })
      return (meaning, contents.number(content))
    }
  }

  /// Operations as they are aligned: those that a server sends by itself and that follow each other with the
  /// same meaning are one.
  mutating func elements(
    _ operations: [Operation], _ numbers: [(meaning: Int, content: Int)]
  ) -> [Element] {
    var elements: [Element] = []
    var start = 0
    while start < operations.count {
      var end = start + 1
      if operations[start].joinsRuns {
        while end < operations.count, numbers[end].meaning == numbers[start].meaning { end += 1 }
      }
      elements.append(
        Element(
          operations: start..<end, meaning: numbers[start].meaning,
          content: runs.number(numbers[start..<end].map(\.content))))
      start = end
    }
    return elements
  }
}

extension Difference {
  /// So many values that differ are kept of a run.
  private static let mostChanges = 1000
  /// A field is found to differ always in no fewer pairs than these.
  private static let leastPairs = 3

  /// Aligns the conversations, and finds out what differs in what was aligned.
  mutating func alignOperations(_ options: DifferenceOptions) {
    var catalogue = Catalogue()
    let numbers = (
      catalogue.numbers(operations.left, sessions.left),
      catalogue.numbers(operations.right, sessions.right)
    )
    let left = catalogue.elements(operations.left, numbers.0)
    let right = catalogue.elements(operations.right, numbers.1)
    // What is equal to the last byte first; between that, what means the same.
    var ends = (0, 0)
    let equal = Alignment.pairs(left.map(\.content), right.map(\.content))
    for pair in equal + [Alignment.Pair(left: left.count, right: right.count)] {
      alignGap(left[ends.0..<pair.left], right[ends.1..<pair.right])
      if pair.left < left.count {
        steps.append(
          Step(
            kind: .same, left: left[pair.left].operations, right: right[pair.right].operations))
      }
      ends = (pair.left + 1, pair.right + 1)
    }
    compareValues(numbers.0, numbers.1, options)
  }

  private mutating func alignGap(_ left: ArraySlice<Element>, _ right: ArraySlice<Element>) {
    if left.isEmpty && right.isEmpty { return }
    var ends = (left.startIndex, right.startIndex)
    let pairs = Alignment.pairs(left.map(\.meaning), right.map(\.meaning)).map {
      Alignment.Pair(left: $0.left + left.startIndex, right: $0.right + right.startIndex)
    }
    for pair in pairs + [Alignment.Pair(left: left.endIndex, right: right.endIndex)] {
      if let one = left[ends.0..<pair.left].first, let other = right[ends.1..<pair.right].first,
        isParting(one, other)
      {
        steps.append(Step(kind: .changed, left: one.operations, right: other.operations))
        ends = (ends.0 + 1, ends.1 + 1)
      }
      for element in left[ends.0..<pair.left] {
        steps.append(Step(kind: .removed, left: element.operations, right: nil))
      }
      for element in right[ends.1..<pair.right] {
        steps.append(Step(kind: .added, left: nil, right: element.operations))
      }
      if pair.left < left.endIndex {
        steps.append(
          Step(
            kind: .changed, left: left[pair.left].operations, right: right[pair.right].operations))
      }
      ends = (pair.left + 1, pair.right + 1)
    }
  }

  /// Whether the sides part here: the same device goes on with a pairing on one side, and ends it on the other.
  private func isParting(_ one: Element, _ other: Element) -> Bool {
    let (left, right) = (
      operations.left[one.operations.lowerBound], operations.right[other.operations.lowerBound]
    )
    guard case .pairing = left.kind, case .pairing = right.kind else { return false }
    return left.isByCentral == right.isByCentral
      && (left.failure == nil) != (right.failure == nil)
  }

  // MARK: Values

  /// Finds what differs in operations that belong together, and whether that was to be expected.
  private mutating func compareValues(
    _ left: [(meaning: Int, content: Int)], _ right: [(meaning: Int, content: Int)],
    _ options: DifferenceOptions
  ) {
    var pairs: [Int: Int] = [:]
    var differing: [Int: [String: Int]] = [:]
    for place in steps.indices {
      guard let one = steps[place].left, let other = steps[place].right else { continue }
      if steps[place].kind == .same {
        pairs[left[one.lowerBound].meaning, default: 0] += one.count
        continue
      }
      let matched = Self.matched(one, other, left, right)
      for (first, second) in matched {
        pairs[left[first].meaning, default: 0] += 1
        guard left[first].content != right[second].content else { continue }
        let fields = fields(first, second)
        for field in fields {
          differing[left[first].meaning, default: [:]][field.name, default: 0] += 1
        }
        steps[place].changeCount += 1
        if steps[place].changes.count < Self.mostChanges {
          steps[place].changes.append(ValueChange(left: first, right: second, fields: fields))
        }
      }
    }
    for place in steps.indices where steps[place].kind == .changed {
      let isWhole = steps[place].changeCount == steps[place].changes.count
      for change in steps[place].changes.indices {
        let meaning = left[steps[place].changes[change].left].meaning
        let (total, counts) = (pairs[meaning] ?? 0, differing[meaning] ?? [:])
        for field in steps[place].changes[change].fields.indices
        where steps[place].changes[change].fields[field].expectation == .none {
          let name = steps[place].changes[change].fields[field].name
          if total >= Self.leastPairs, counts[name] == total {
            steps[place].changes[change].fields[field].expectation = .everyPair
          }
        }
      }
      silence(place, options)
      settle(place, isWhole)
    }
  }

  /// The operations of two runs that belong together: those that are equal, and between them one by one.
  private static func matched(
    _ one: Range<Int>, _ other: Range<Int>, _ left: [(meaning: Int, content: Int)],
    _ right: [(meaning: Int, content: Int)]
  ) -> [(Int, Int)] {
    var matched: [(Int, Int)] = []
    var ends = (one.lowerBound, other.lowerBound)
    let equal = Alignment.pairs(left[one].map(\.content), right[other].map(\.content))
    for pair in equal + [Alignment.Pair(left: one.count, right: other.count)] {
      let next = (one.lowerBound + pair.left, other.lowerBound + pair.right)
      matched += zip(ends.0..<next.0, ends.1..<next.1)
      if pair.left < one.count { matched.append(next) }
      ends = (next.0 + 1, next.1 + 1)
    }
    return matched
  }

  /// The fields that differ between two operations; where none is known to, the bytes.
  private func fields(_ first: Int, _ second: Int) -> [FieldChange] {
    let (one, other) = (operations.left[first], operations.right[second])
    // Where one side came to no value there is nothing to hold against the other's.
    guard one.value != nil, other.value != nil else { return [] }
    var changes: [FieldChange] = []
    if one.fields != nil || other.fields != nil {
      let left = one.fields.map { FieldList.read(sessions.left.bytes($0)) } ?? []
      let right = other.fields.map { FieldList.read(sessions.right.bytes($0)) } ?? []
      changes = Self.changes(left, right)
    }
    if !changes.isEmpty { return changes }
    // Of what is no value the words are compared, or the fields.
    guard let here = one.value, let there = other.value, !one.isHidden, !other.isHidden,
      case .value = one.kind
    else { return [] }
    let (left, right) = (Array(sessions.left.bytes(here)), Array(sessions.right.bytes(there)))
    for place in 0..<max(left.count, right.count) {
      let (byte, second) = (
        place < left.count ? left[place] : nil, place < right.count ? right[place] : nil
      )
      guard byte != second else { continue }
      let words: (UInt8) -> String = { Wording("\(hex: [$0])").text }
      changes.append(
        FieldChange(
          name: "\(FieldChange.bytePrefix)\(place + 1)", left: byte.map(words),
          right: second.map(words), expectation: .none))
    }
    return changes
  }

  /// The fields that differ, by their names; of several with the same the first with the first.
  private static func changes(
    _ left: [FieldList.Field], _ right: [FieldList.Field]
  ) -> [FieldChange] {
    var places: [String: [Int]] = [:]
    for (place, field) in right.enumerated().reversed() {
      places[field.name, default: []].append(place)
    }
    var changes: [FieldChange] = []
    let add = { (one: FieldList.Field?, other: FieldList.Field?) in
      guard one != other, let either = one ?? other else { return }
      // What is wrong on one side follows from nothing.
      let isWrong = one?.kind == .wrongChecksum || other?.kind == .wrongChecksum
      let expectation: FieldChange.Expectation =
        switch isWrong ? .wrongChecksum : either.kind {
        case .plain, .wrongChecksum: .none
        case .checksum: .checksum
        case .time: .time
        }
      changes.append(
        FieldChange(
          name: either.name, left: one?.value, right: other?.value, expectation: expectation))
    }
    for field in left { add(field, places[field.name]?.popLast().map { right[$0] }) }
    for place in places.values.flatMap(\.self).sorted() { add(nil, right[place]) }
    // A checksum alone follows from nothing.
    if changes.count == 1, changes[0].expectation == .checksum { changes[0].expectation = .none }
    return changes
  }

  /// Takes out what may differ; a step of which nothing remains is the same.
  private mutating func silence(_ place: Int, _ options: DifferenceOptions) {
    guard !options.ignored.isEmpty else { return }
    var kept: [ValueChange] = []
    for change in steps[place].changes {
      let role = operations.left[change.left].role.map { sessions.left.roles[$0] }
      let uuid = role?.uuid.map { Wording("\($0)").text.split(separator: " ")[0] }.map(String.init)
      var change = change
      let before = change.fields.count
      if let uuid, options.ignored.contains(uuid) { continue }
      change.fields.removeAll { options.ignores($0.name, of: uuid) }
      let isSilenced = change.fields.count < before
      if isSilenced, change.fields.allSatisfy({ $0.expectation == .checksum }) { continue }
      kept.append(change)
    }
    steps[place].changeCount -= steps[place].changes.count - kept.count
    steps[place].changes = kept
  }

  /// Settles what a step comes to, now that its values were compared.
  ///
  /// - Parameter isWhole: whether all values that differ are kept.
  private mutating func settle(_ place: Int, _ isWhole: Bool) {
    let step = steps[place]
    guard let left = step.left, let right = step.right else { return }
    let fails = { (operation: Operation) in !operation.hasSucceeded }
    let isAsLong =
      left.count == right.count
      && operations.left[left].count(where: fails) == operations.right[right].count(where: fails)
    guard isAsLong, isWhole else { return }
    if step.changeCount == 0 {
      steps[place].kind = .same
      return
    }
    let fields = step.changes.flatMap(\.fields)
    guard !fields.isEmpty, step.changes.allSatisfy({ !$0.fields.isEmpty }) else { return }
    steps[place].isExpected = fields.allSatisfy { $0.expectation != .none }
    steps[place].isNatural = fields.allSatisfy {
      $0.expectation == .time || $0.expectation == .checksum
    }
  }
}
