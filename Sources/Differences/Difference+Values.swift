import Bytes
import Histories
import Words

// The differences in the values of operations that belong together.

extension Difference {
  /// The most differing values that are kept of a run.
  private static let mostChanges = 1000
  /// The least number of pairs for finding that a field always differs.
  private static let leastPairs = 3

  /// How often what differs in operations with the same meaning.
  private struct Counts {
    /// The number of pairs.
    var pairs = 0
    /// The number of pairs in which each byte differs.
    var bytes: [Int] = []
    /// The number of pairs in which each field differs.
    var fields: [String: Int] = [:]

    /// Returns whether a number of differing pairs is enough to conclude that they always differ.
    func isAlways(_ count: Int) -> Bool { pairs >= Difference.leastPairs && count == pairs }
  }

  /// Finds what differs in operations that belong together, and whether that was expected.
  mutating func compareValues(
    _ left: [(meaning: Int, content: Int)], _ right: [(meaning: Int, content: Int)],
    _ options: DifferenceOptions
  ) {
    var counts: [Int: Counts] = [:]
    // Differing values beyond what is kept of a run, by step.
    var others: [Int: [(Int, Int)]] = [:]
    for place in steps.indices {
      guard let one = steps[place].left, let other = steps[place].right else { continue }
      if steps[place].kind == .same {
        counts[left[one.lowerBound].meaning, default: Counts()].pairs += one.count
        compareRandom(place, one, other)
        continue
      }
      for (first, second) in Self.matched(one, other, left, right) {
        let meaning = left[first].meaning
        counts[meaning, default: Counts()].pairs += 1
        guard left[first].content != right[second].content, !mayBeEqual(first, second) else {
          continue
        }
        count(first, second, &counts[meaning, default: Counts()])
        if steps[place].changes.count < Self.mostChanges {
          steps[place].changes.append(
            ValueChange(left: first, right: second, fields: fields(first, second)))
        } else {
          others[place, default: []].append((first, second))
        }
      }
    }
    for place in steps.indices where steps[place].kind == .changed {
      let kept = steps[place].changes
      steps[place].changes = []
      var verdict = RunVerdict()
      for change in kept { judge(change, place, counts, left, options, &verdict) }
      for (first, second) in others[place] ?? [] {
        let meaning = left[first].meaning
        if steps[place].changes.count == Self.mostChanges, !hasFields(first, second),
          let counts = counts[meaning]
        {
          judgeBytes(first, second, counts, options, &verdict)
          continue
        }
        let change = ValueChange(left: first, right: second, fields: fields(first, second))
        judge(change, place, counts, left, options, &verdict)
      }
      settle(place, verdict)
    }
    compareMoved(left, right, options)
  }

  /// Compares operations with those that they moved from.
  private mutating func compareMoved(
    _ left: [(meaning: Int, content: Int)], _ right: [(meaning: Int, content: Int)],
    _ options: DifferenceOptions
  ) {
    for place in steps.indices {
      guard let other = steps[place].right, let from = steps[place].counterpart,
        let one = steps[from].left
      else { continue }
      for (first, second) in Self.matched(one, other, left, right)
      where left[first].content != right[second].content && !mayBeEqual(first, second) {
        var change = ValueChange(left: first, right: second, fields: fields(first, second))
        if silence(&change, options) { continue }
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
      let (one, other) = (sessions.left.bytes(here), sessions.right.bytes(there))
      if one == other { continue }
      steps[place].kind = .changed
      steps[place].changes.append(
        ValueChange(
          left: first, right: second,
          fields: Self.changes(FieldList.read(one), FieldList.read(other))))
    }
  }

  /// The conclusion about the differing values of a step.
  private struct RunVerdict {
    /// The number of values that differ beyond what is ignored.
    var count = 0
    var isExpected = true
    var isNatural = true
    /// The ignored bytes of the step's attribute; nil: not looked up yet.
    var ignoredBytes: [Bool]?
  }

  /// Determines whether a difference was expected, and keeps it if it is not ignored.
  private mutating func judge(
    _ change: ValueChange, _ place: Int, _ counts: [Int: Counts],
    _ left: [(meaning: Int, content: Int)], _ options: DifferenceOptions,
    _ verdict: inout RunVerdict
  ) {
    var change = change
    let counts = counts[left[change.left].meaning] ?? Counts()
    for field in change.fields.indices where change.fields[field].expectation == .none {
      let name = change.fields[field].name
      let byte =
        change.fields[field].isByte ? Int(name.dropFirst(FieldChange.bytePrefix.count)) : nil
      let count =
        byte.map { $0 <= counts.bytes.count ? counts.bytes[$0 - 1] : 0 } ?? counts.fields[name] ?? 0
      if counts.isAlways(count) { change.fields[field].expectation = .everyPair }
    }
    if silence(&change, options) { return }
    verdict.count += 1
    let isKnown = !change.fields.isEmpty
    verdict.isExpected =
      verdict.isExpected && isKnown && change.fields.allSatisfy { $0.expectation != .none }
    verdict.isNatural =
      verdict.isNatural && isKnown && change.fields.allSatisfy(\.isNatural)
    if steps[place].changes.count < Self.mostChanges { steps[place].changes.append(change) }
  }

  /// Does the same for a difference in bytes that is only counted, without creating text for each
  /// of them.
  private func judgeBytes(
    _ first: Int, _ second: Int, _ counts: Counts, _ options: DifferenceOptions,
    _ verdict: inout RunVerdict
  ) {
    let owners = owners(of: first)
    if options.ignored.contains(where: owners.contains) { return }
    let ignored =
      verdict.ignoredBytes
      ?? counts.bytes.indices.map {
        options.silencer(of: "\(FieldChange.bytePrefix)\($0 + 1)", owners) != nil
      }
    verdict.ignoredBytes = ignored
    var (isIgnored, remains, isExpected) = (false, false, true)
    differingBytes(first, second) { place in
      if place < ignored.count, ignored[place] {
        isIgnored = true
      } else {
        remains = true
        isExpected =
          isExpected && place < counts.bytes.count && counts.isAlways(counts.bytes[place])
      }
    }
    if isIgnored, !remains { return }
    verdict.count += 1
    verdict.isExpected = verdict.isExpected && remains && isExpected
    verdict.isNatural = false
  }

  /// Counts what differs between two operations.
  private func count(_ first: Int, _ second: Int, _ counts: inout Counts) {
    if hasFields(first, second) {
      for field in fields(first, second) where !field.isByte {
        counts.fields[field.name, default: 0] += 1
      }
    }
    var bytes = counts.bytes
    counts.bytes = []
    differingBytes(first, second) { place in
      while bytes.count <= place { bytes.append(0) }
      bytes[place] += 1
    }
    counts.bytes = bytes
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

  /// Returns the fields that differ between two operations, or the bytes if no field is known to.
  private func fields(_ first: Int, _ second: Int) -> [FieldChange] {
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

  /// Removes what may differ.
  ///
  /// - Returns: whether nothing remains that counts.
  private mutating func silence(_ change: inout ValueChange, _ options: DifferenceOptions) -> Bool {
    guard !options.ignored.isEmpty else { return false }
    let owners = owners(of: change.left)
    if let name = options.ignored.first(where: owners.contains) {
      silencers.insert(name)
      return true
    }
    let before = change.fields.count
    change.fields.removeAll { field in
      guard let name = options.silencer(of: field, owners) else { return false }
      silencers.insert(name)
      return true
    }
    return change.fields.count < before
      && change.fields.allSatisfy { $0.expectation == .checksum }
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
