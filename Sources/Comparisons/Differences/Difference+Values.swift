import Bytes
import Histories
import Meanings

// The differences in the values of operations that belong together.

/// How often each byte and field differs between paired operations with the same meaning.
struct ValueCounts: Sendable {
  /// The number of pairs.
  var pairs = 0
  /// The number of pairs in which each byte differs.
  var bytes: [UInt32] = []
  /// The number of pairs in which each field differs.
  var fields: [String: Int] = [:]

  /// The least number of pairs for finding that a field always differs.
  private static let leastPairs = 3

  /// Whether there are enough pairs to find that a field always differs.
  var areEnough: Bool { pairs >= Self.leastPairs }

  /// Returns whether a number of differing pairs is enough to conclude that they always differ.
  func isAlways(_ count: Int) -> Bool { areEnough && count == pairs }

  /// Returns whether a byte always differs.
  func isAlways(byte place: Int) -> Bool {
    place < bytes.count && isAlways(Int(bytes[place]))
  }
}

extension Difference {
  /// The most differing values that are kept of a run.
  private static let mostChanges = 1000

  /// Finds what differs in operations that belong together, and whether that was expected.
  mutating func compareValues(
    _ left: [(meaning: Int, content: Int)], _ right: [(meaning: Int, content: Int)]
  ) {
    // Differing values beyond what is kept of a run, by step.
    var others: [Int: [(Int, Int)]] = [:]
    for place in steps.indices {
      guard let one = steps[place].left, let other = steps[place].right else { continue }
      if steps[place].kind == .same {
        counts[left[one.lowerBound].meaning, default: ValueCounts()].pairs += one.count
        compareRandom(place, one, other)
        continue
      }
      for (first, second) in Self.matched(one, other, left, right) {
        counts[left[first].meaning, default: ValueCounts()].pairs += 1
        guard left[first].content != right[second].content, !mayBeEqual(first, second) else {
          continue
        }
        if steps[place].changes.count < Self.mostChanges {
          steps[place].changes.append(ValueChange(left: first, right: second, basis: .value))
        } else {
          others[place, default: []].append((first, second))
        }
      }
    }
    for place in steps.indices where steps[place].kind == .changed {
      for change in steps[place].changes where change.basis == .value {
        count(change.left, change.right, left[change.left].meaning)
      }
      for (first, second) in others[place] ?? [] { count(first, second, left[first].meaning) }
    }
    for place in steps.indices where steps[place].kind == .changed {
      let kept = steps[place].changes
      steps[place].changes = []
      var verdict = RunVerdict()
      for change in kept { judge(change, place, &verdict) }
      for (first, second) in others[place] ?? [] {
        judge(ValueChange(left: first, right: second, basis: .value), place, &verdict)
      }
      settle(place, verdict)
    }
    compareMoved(left, right)
  }

  /// Compares operations with those that they moved from.
  private mutating func compareMoved(
    _ left: [(meaning: Int, content: Int)], _ right: [(meaning: Int, content: Int)]
  ) {
    for place in steps.indices {
      guard let other = steps[place].right, let from = steps[place].counterpart,
        let one = steps[from].left
      else { continue }
      for (first, second) in Self.matched(one, other, left, right)
      where left[first].content != right[second].content && !mayBeEqual(first, second) {
        var change = ValueChange(left: first, right: second, basis: .moved)
        if silence(&change) { continue }
        steps[place].changeCount += 1
        if steps[place].changes.count < Self.mostChanges { steps[place].changes.append(change) }
      }
    }
  }

  /// Compares what is chosen at random: a step in which nothing else differs has changed as
  /// expected.
  private mutating func compareRandom(_ place: Int, _ left: Range<Int>, _ right: Range<Int>) {
    for (first, second) in zip(left, right) {
      guard let here = operations.left[first].random, let there = operations.right[second].random
      else { continue }
      if sessions.left.bytes(here) == sessions.right.bytes(there) { continue }
      steps[place].kind = .changed
      steps[place].changes.append(ValueChange(left: first, right: second, basis: .random))
    }
  }

  /// The conclusion about the differing values of a step.
  private struct RunVerdict {
    /// The number of values that differ beyond what is ignored.
    var count = 0
    var isExpected = true
    var isNatural = true
    /// Whether the first bytes of the step's attribute are ignored.
    var ignoredBytes: [Bool] = []
  }

  /// Determines whether a difference was expected, and keeps it if it is not ignored.
  private mutating func judge(
    _ change: ValueChange, _ place: Int, _ verdict: inout RunVerdict
  ) {
    var change = change
    let isKept = steps[place].changes.count < Self.mostChanges
    let hasText = change.basis == .random || hasFields(change.left, change.right)
    // Bytes are compared without text for each of them, unless one is searched for by its name.
    if !hasText, options.ignored.isEmpty || !isKept {
      guard judgeBytes(&change, &verdict) else { return }
    } else if silence(&change) {
      return
    }
    verdict.count += 1
    let isKnown = !change.expectations.isEmpty
    verdict.isExpected =
      verdict.isExpected && isKnown && change.expectations.isDisjoint(with: .none)
    verdict.isNatural =
      verdict.isNatural && isKnown && change.expectations.isSubset(of: .natural)
    if isKept { steps[place].changes.append(change) }
  }

  /// Finds why the bytes of two values differ, and returns whether they are not ignored.
  private func judgeBytes(_ change: inout ValueChange, _ verdict: inout RunVerdict) -> Bool {
    let counts = counts[leftNumbers[change.left].meaning] ?? ValueCounts()
    var ignored: [Bool] = []
    if !options.ignored.isEmpty {
      let owners = owners(of: change.left)
      if options.ignored.contains(where: owners.contains) { return false }
      ignored = verdict.ignoredBytes
      let values = (operations.left[change.left].value, operations.right[change.right].value)
      while ignored.count < max(values.0?.count ?? 0, values.1?.count ?? 0) {
        let name = "\(FieldChange.bytePrefix)\(ignored.count + 1)"
        ignored.append(options.silencer(of: name, owners) != nil)
      }
      verdict.ignoredBytes = ignored
    }
    var (isIgnored, found) = (false, Expectations())
    differingBytes(change.left, change.right) { place in
      if place < ignored.count, ignored[place] {
        isIgnored = true
      } else {
        found.insert(counts.isAlways(byte: place) ? .everyPair : .none)
      }
    }
    change.expectations = found
    return !isIgnored || !found.isEmpty
  }

  /// Counts what differs between two operations, if operations with their meaning are enough to
  /// find that something always differs.
  private mutating func count(_ first: Int, _ second: Int, _ meaning: Int) {
    guard counts[meaning]?.areEnough == true else { return }
    if hasFields(first, second) {
      for field in differingFields(first, second) where !field.isByte {
        counts[meaning]?.fields[field.name, default: 0] += 1
      }
    }
    var bytes = counts[meaning]?.bytes ?? []
    counts[meaning]?.bytes = []
    differingBytes(first, second) { place in
      while bytes.count <= place { bytes.append(0) }
      bytes[place] += 1
    }
    counts[meaning]?.bytes = bytes
  }

  /// Returns whether fields are known for one of two operations.
  private func hasFields(_ first: Int, _ second: Int) -> Bool {
    operations.left[first].fields != nil || operations.right[second].fields != nil
  }

  /// Calls `visit` with the indexes of the bytes that differ in two values; not for hidden ones,
  /// nor for what is not a value.
  private func differingBytes(_ first: Int, _ second: Int, _ visit: (Int) -> Void) {
    let (one, other) = (operations.left[first], operations.right[second])
    guard let here = one.value, let there = other.value, !one.isHidden, !other.isHidden,
      case .value = one.kind
    else { return }
    let (left, right) = (sessions.left.bytes(here), sessions.right.bytes(there))
    for place in 0..<max(left.count, right.count) {
      if place < left.count, place < right.count,
        left[left.startIndex + place] == right[right.startIndex + place]
      {
        continue
      }
      visit(place)
    }
  }

  /// Returns the operations of two runs that belong together: equal ones, and those between them
  /// one by one.
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

  /// Returns whether two operations may be equal as far as the captures show them: the value of one
  /// is cut.
  private func mayBeEqual(_ first: Int, _ second: Int) -> Bool {
    let (one, other) = (operations.left[first], operations.right[second])
    guard one.isCut || other.isCut,
      [one, other].allSatisfy({ $0.failure == nil && $0.unknown == nil })
    else { return false }
    guard let here = one.value, let there = other.value else { return true }
    let (left, right) = (sessions.left.bytes(here), sessions.right.bytes(there))
    let isPrefix = zip(left, right).allSatisfy { $0 == $1 }
    return isPrefix && (one.isCut || left.count >= right.count)
      && (other.isCut || right.count >= left.count)
  }

  /// Returns the fields that differ in a value, except ignored ones; if the value has no known
  /// fields, its bytes.
  func fields(of change: ValueChange) -> [FieldChange] {
    guard !options.ignored.isEmpty else { return allFields(of: change) }
    let owners = owners(of: change.left)
    return allFields(of: change).filter { options.silencer(of: $0, owners) == nil }
  }

  /// Returns the fields that differ in a value, and why.
  private func allFields(of change: ValueChange) -> [FieldChange] {
    switch change.basis {
    case .random:
      let here = operations.left[change.left].random.map { sessions.left.bytes($0) } ?? []
      let there = operations.right[change.right].random.map { sessions.right.bytes($0) } ?? []
      return Self.changes(FieldList.read(here), FieldList.read(there))
    case .moved: return differingFields(change.left, change.right)
    case .value:
      let counts = counts[leftNumbers[change.left].meaning] ?? ValueCounts()
      return differingFields(change.left, change.right).map { field in
        var field = field
        guard field.expectation == .none else { return field }
        let isAlways =
          field.isByte
          ? Int(field.name.dropFirst(FieldChange.bytePrefix.count)).map {
            counts.isAlways(byte: $0 - 1)
          } ?? false
          : counts.isAlways(counts.fields[field.name] ?? 0)
        if isAlways { field.expectation = .everyPair }
        return field
      }
    }
  }

  /// Returns the fields that differ between two operations, or the bytes if no field is known to.
  private func differingFields(_ first: Int, _ second: Int) -> [FieldChange] {
    let (one, other) = (operations.left[first], operations.right[second])
    // If one side has no value, there is nothing to compare with the other's.
    guard one.value != nil, other.value != nil else { return [] }
    var changes: [FieldChange] = []
    // The fields of a cut value are not all there.
    if one.fields != nil || other.fields != nil, !one.isCut, !other.isCut {
      let left = one.fields.map { FieldList.read(sessions.left.bytes($0)) } ?? []
      let right = other.fields.map { FieldList.read(sessions.right.bytes($0)) } ?? []
      changes = Self.changes(left, right)
    }
    if !changes.isEmpty { return changes }
    // What is not a value is compared by its text or its fields.
    guard let here = one.value, let there = other.value else { return [] }
    let (left, right) = (Array(sessions.left.bytes(here)), Array(sessions.right.bytes(there)))
    differingBytes(first, second) { place in
      changes.append(
        FieldChange(
          name: "\(FieldChange.bytePrefix)\(place + 1)",
          left: place < left.count ? Self.words(left[place]) : nil,
          right: place < right.count ? Self.words(right[place]) : nil, expectation: .none))
    }
    return changes
  }

  private static func words(_ byte: UInt8) -> String { Wording("\(hex: [byte])").text }

  /// Returns the fields that differ, by name; of several with the same name the first is compared
  /// with the first.
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
      // A wrong checksum on one side does not depend on anything.
      let isWrong = one?.kind == .wrongChecksum || other?.kind == .wrongChecksum
      let expectation: FieldChange.Expectation =
        switch isWrong ? .wrongChecksum : either.kind {
        case .plain, .wrongChecksum: .none
        case .checksum: .checksum
        case .time: .time
        case .random, .secret: .random
        }
      changes.append(
        FieldChange(
          name: either.name, left: one?.value, right: other?.value, expectation: expectation,
          isHidden: one?.kind == .secret || other?.kind == .secret))
    }
    for field in left { add(field, places[field.name]?.popLast().map { right[$0] }) }
    for place in places.values.flatMap(\.self).sorted() { add(nil, right[place]) }
    // A checksum that differs alone does not depend on anything.
    if changes.count == 1, changes[0].expectation == .checksum { changes[0].expectation = .none }
    return changes
  }

  /// Returns what the fields of a left operation belong to: the short type of its attribute, and
  /// the profile that reads it as a vendor's message.
  private func owners(of first: Int) -> [String] {
    let operation = operations.left[first]
    let type = operation.role.flatMap { sessions.left.roles[$0].uuid }.map { "\($0)" as Wording }
    let profile = operation.message.map { sessions.left.messages[$0] }
    return [type?.text, profile].compactMap { $0?.split(separator: " ").first.map(String.init) }
  }

  /// Finds why the fields of a value differ, except ignored ones.
  ///
  /// - Returns: whether the whole difference is ignored.
  private mutating func silence(_ change: inout ValueChange) -> Bool {
    let all = allFields(of: change)
    var (rest, isSilenced) = (all, false)
    if !options.ignored.isEmpty {
      let owners = owners(of: change.left)
      if let name = options.ignored.first(where: owners.contains) {
        silencers.insert(name)
        return true
      }
      rest.removeAll { field in
        guard let name = options.silencer(of: field, owners) else { return false }
        silencers.insert(name)
        return true
      }
      isSilenced = rest.count < all.count && rest.allSatisfy { $0.expectation == .checksum }
    }
    change.expectations = rest.reduce(into: Expectations()) {
      $0.insert(Expectations($1.expectation))
    }
    return isSilenced
  }

  /// Sets the result of a step after its values were compared.
  private mutating func settle(_ place: Int, _ verdict: RunVerdict) {
    steps[place].changeCount = verdict.count
    let step = steps[place]
    guard let left = step.left, let right = step.right else { return }
    let fails = { (operation: ComparedOperation) in !operation.hasSucceeded }
    let isAsLong =
      left.count == right.count
      && operations.left[left].count(where: fails) == operations.right[right].count(where: fails)
    guard isAsLong else { return }
    if verdict.count == 0 {
      steps[place].kind = .same
      return
    }
    steps[place].isExpected = verdict.isExpected
    steps[place].isNatural = verdict.isNatural
  }
}
