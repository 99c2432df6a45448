import Bluetooth
import Bytes
import Histories
import Sessions

/// Assigns the same number to what is equal on both sides.
private struct Numbering<Key: Hashable> {
  private var numbers: [Key: Int] = [:]

  mutating func number(_ key: Key) -> Int {
    if let known = numbers[key] { return known }
    numbers[key] = numbers.count
    return numbers.count - 1
  }
}

/// What an operation is, independent of its position.
private struct Meaning: Hashable {
  var kind: Int
  var side: UInt8
  var role: [UInt8]
  var message: String
  var offset: Int
}

/// The same by the indexes of one session.
private struct Place: Hashable {
  var kind: Int
  var side: UInt8
  var role: Int
  var message: Int
  var offset: Int
}

/// One operation, or a run of them: the unit of alignment.
private struct Element {
  var operations: Range<Int>
  var meaning: Int
  var content: Int
}

extension ComparedOperation.Kind {
  /// A distinct number for each kind.
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

/// The numbers by which operations are aligned.
private struct Catalogue {
  /// What is compared of one side.
  struct Side {
    let session: ComparedSession
    let operations: [ComparedOperation]
    /// The meaning and the content of each operation.
    var numbers: [(meaning: Int, content: Int)] = []
  }

  private(set) var left: Side
  private(set) var right: Side
  private var meanings = Numbering<Meaning>()
  /// The numbers of contents by their hashes. If different content already has
  /// a hash, the next free number is used.
  private var contents: [Int: UInt32] = [:]
  /// Of each content, the first operation that has it: its index, doubled; plus 1 on the right.
  private var first: [UInt32] = []
  private var runs = Numbering<[Int]>()

  init(_ left: Side, _ right: Side) {
    (self.left, self.right) = (left, right)
    self.left.numbers.reserveCapacity(left.operations.count)
    self.right.numbers.reserveCapacity(right.operations.count)
    for isRight in [false, true] { number(isRight) }
    (meanings, contents, first) = (Numbering(), [:], [])
  }

  /// Numbers the operations of a side.
  private mutating func number(_ isRight: Bool) {
    var known: [Place: Int] = [:]
    let session = isRight ? right.session : left.session
    for (index, operation) in (isRight ? right : left).operations.enumerated() {
      // Either device may end a connection.
      let side = operation.kind == .end ? 0 : operation.device
      // A refusal may be the answer to any request.
      let kind = operation.kind.number | (operation.lacksRequest ? 0x1000 : 0)
      let place = Place(
        kind: kind, side: side, role: operation.role ?? -1,
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
      let content = content(of: operation, meaning, session, index, isRight)
      if isRight {
        right.numbers.append((meaning, content))
      } else {
        left.numbers.append((meaning, content))
      }
    }
  }

  /// Returns the number of an operation with everything that is compared of it.
  private mutating func content(
    of operation: ComparedOperation, _ meaning: Int, _ session: ComparedSession, _ index: Int,
    _ isRight: Bool
  ) -> Int {
    var hasher = Hasher()
    hasher.combine(meaning)
    hasher.combine(operation.device)
    hasher.combine(operation.isRestRefused)
    for slice in [operation.value, operation.failure, operation.unknown] {
      hasher.combine(slice.map { session.bytes($0) })
    }
    var hash = hasher.finalize()
    while let number = contents[hash] {
      let known = first[Int(number)]
      let side = known & 1 == 0 ? left : right
      let other = side.operations[Int(known >> 1)]
      if side.numbers[Int(known >> 1)].meaning == meaning, other.device == operation.device,
        other.isRestRefused == operation.isRestRefused,
        side.session.hasEqualBytes(other, operation, of: session)
      {
        return Int(number)
      }
      hash &+= 1
    }
    contents[hash] = UInt32(first.count)
    first.append(UInt32(index) << 1 | (isRight ? 1 : 0))
    return first.count - 1
  }

  /// Returns the elements to be aligned: consecutive operations with the same meaning that a server
  /// sends on its own form one.
  mutating func elements(_ side: Side, _ range: Range<Int>) -> [Element] {
    let (operations, numbers) = (side.operations, side.numbers)
    var elements: [Element] = []
    var start = range.lowerBound
    while start < range.upperBound {
      var end = start + 1
      if operations[start].joinsRuns {
        while end < range.upperBound, numbers[end].meaning == numbers[start].meaning { end += 1 }
      }
      elements.append(
        Element(
          operations: start..<end, meaning: numbers[start].meaning,
          // Runs have negative numbers.
          content: end - start == 1
            ? numbers[start].content : ~runs.number(numbers[start..<end].map(\.content))))
      start = end
    }
    return elements
  }
}

extension ComparedOperation {
  /// The device that did it, as it is compared. Only commands show who has a link encrypted.
  fileprivate var device: UInt8 {
    kind == .encryption ? 0 : isByCentralAssumed.map { $0 ? 1 : 2 } ?? 0
  }
}

extension ComparedSession {
  /// Returns whether an operation has the same bytes as one of another session, as far as they are
  /// compared.
  fileprivate func hasEqualBytes(
    _ own: ComparedOperation, _ other: ComparedOperation, of session: ComparedSession
  ) -> Bool {
    func isEqual(_ one: Slice?, _ two: Slice?) -> Bool {
      one.map { bytes($0) } == two.map { session.bytes($0) }
    }
    return isEqual(own.value, other.value) && isEqual(own.failure, other.failure)
      && isEqual(own.unknown, other.unknown)
  }
}

extension Difference {
  /// Aligns the conversations, and determines what differs in what was aligned.
  mutating func alignOperations() {
    var catalogue = Catalogue(
      Catalogue.Side(session: sessions.left, operations: operations.left),
      Catalogue.Side(session: sessions.right, operations: operations.right))
    let numbers = (catalogue.left.numbers, catalogue.right.numbers)
    for stretch in stretches {
      let start = steps.count
      let left = catalogue.elements(catalogue.left, stretch.left)
      let right = catalogue.elements(catalogue.right, stretch.right)
      // First what is equal to the last byte; between that, what means the same.
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
      removeUnseenConnect(from: start)
      for byContent in [true, false] { matchMoved(from: start, numbers, byContent: byContent) }
    }
    leftNumbers = numbers.0
    compareValues(numbers.0, numbers.1)
  }

  /// Removes a beginning that only one side has if the other capture begins later or has no events,
  /// which reveals nothing about the devices.
  private mutating func removeUnseenConnect(from start: Int) {
    let place = steps[start...].firstIndex { step in
      guard let only = step.left == nil ? step.right : step.right == nil ? step.left : nil else {
        return false
      }
      let isLeft = step.right == nil
      let operation = (isLeft ? operations.left : operations.right)[only.lowerBound]
      let number = (isLeft ? pairNumbers.left : pairNumbers.right)[operation.connection]
      guard operation.kind == .connect, let number, number < pairing.pairs.count else {
        return false
      }
      let pair = pairing.pairs[number]
      let other =
        isLeft ? sessions.right.connections[pair.right] : sessions.left.connections[pair.left]
      return other.history.connection.isOpeningMissing
    }
    if let place { steps.remove(at: place) }
  }

  /// The ranges of operations that are compared with each other, connection by connection; those of
  /// an unpaired connection are compared with none.
  private var stretches: [(left: Range<Int>, right: Range<Int>)] {
    let (left, right) = ranges
    var stretches: [(left: Range<Int>, right: Range<Int>)] = []
    var next = (left: 0, right: 0)
    for pair in pairing.pairs + [(left: left.count, right: right.count)] {
      for place in next.left..<pair.left { stretches.append((left[place], 0..<0)) }
      for place in next.right..<pair.right { stretches.append((0..<0, right[place])) }
      if pair.left < left.count { stretches.append((left[pair.left], right[pair.right])) }
      next = (pair.left + 1, pair.right + 1)
    }
    return stretches
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

  /// Matches operations that one side lacks at a place with those that it has elsewhere on the
  /// connection: equal ones, or those with the same meaning.
  ///
  /// - Parameter start: The index of the stretch's first step.
  private mutating func matchMoved(
    from start: Int, _ numbers: ([(meaning: Int, content: Int)], [(meaning: Int, content: Int)]),
    byContent: Bool
  ) {
    func key(
      _ operations: [ComparedOperation], _ range: Range<Int>?, _ all: [(meaning: Int, content: Int)]
    )
      -> Int?
    {
      // Several values in a row are more than their first one.
      guard let range, range.count == 1, case .value = operations[range.lowerBound].kind else {
        return nil
      }
      let first = range.lowerBound
      if byContent { return all[first].content }
      // Values that are not decoded have nothing in common but their attribute.
      return operations[first].fields == nil ? nil : all[first].meaning
    }
    var added: [Int: [Int]] = [:]
    for place in (start..<steps.count).reversed()
    where steps[place].kind == .added && steps[place].counterpart == nil {
      if let key = key(operations.right, steps[place].right, numbers.1) {
        added[key, default: []].append(place)
      }
    }
    for place in start..<steps.count
    where steps[place].kind == .removed && steps[place].counterpart == nil {
      guard let key = key(operations.left, steps[place].left, numbers.0),
        let other = added[key]?.popLast()
      else { continue }
      (steps[place].counterpart, steps[other].counterpart) = (other, place)
    }
  }

  /// Returns whether the sides diverge here: the same device continues a pairing on one side, and
  /// ends it on the other.
  private func isParting(_ one: Element, _ other: Element) -> Bool {
    let (left, right) = (
      operations.left[one.operations.lowerBound], operations.right[other.operations.lowerBound]
    )
    guard case .pairing = left.kind, case .pairing = right.kind else { return false }
    return left.isByCentralAssumed == right.isByCentralAssumed
      && (left.failure == nil) != (right.failure == nil)
  }
}
