import Bluetooth
import Bytes
import Histories
import Sessions

// Where two conversations diverge.

extension Difference {
  /// The first difference, by indexes in `operations`.
  struct First: Sendable {
    enum Kind: JSONKey, Sendable {
      /// An operation succeeds on one side and fails on the other: the difference that matters.
      case outcome = "outcome"
      /// There is no such operation; the left side fails in something that the right side does not
      /// try.
      case onlyLeftFails = "only_left_fails"
      /// There is no such operation; the right side fails in something that the left side does not
      /// try.
      case onlyRightFails = "only_right_fails"
      /// Nothing fails on one side alone; only the left side does this, and it is the first
      /// difference.
      case onlyLeft = "only_left"
      /// Nothing fails on one side alone; only the right side does this, and it is the first
      /// difference.
      case onlyRight = "only_right"
      /// Both do it, with different values.
      case changed = "changed"
    }

    let kind: Kind
    /// The operation on the left; nil if only the right has one.
    let left: Int?
    /// The operation on the right; nil if only the left has one.
    let right: Int?
  }

  /// Returns where the conversations diverge: at the first operation that fails on one side and
  /// succeeds on the other, or else at the first failure in something that the other side does not
  /// try, or else at the first difference, preferring those that reveal most about the devices.
  /// Returns also whether they differ only in what one of the captures does not show.
  func findFirst() -> (first: First?, isUnseen: Bool) {
    guard steps.contains(where: { $0.kind != .same }) else { return (nil, false) }
    let left = shown(\.left, operations.left, sessions.left)
    let right = shown(\.right, operations.right, sessions.right)
    if let first = firstOutcome(left, right) { return (first, false) }
    guard steps.contains(where: { $0.kind != .same && !$0.isExpected }) else { return (nil, false) }
    let found = firstFailure(left, right) ?? firstChange(left, right)
    let isUnseen =
      found == nil
      && steps.indices.allSatisfy { place in
        steps[place].kind == .same || steps[place].isExpected
          || weakness(of: change(in: steps[place]), at: place, left, right) == .notShown
      }
    // A single difference is not repeated.
    return (changedSteps > 1 ? found : nil, isUnseen)
  }

  /// The first operation that fails and that the other side does not try, although it continues
  /// with something else. If there is one on each side, it is the one that came sooner after the
  /// beginning of its connection.
  private func firstFailure(_ shownLeft: Shown, _ shownRight: Shown) -> First? {
    let left = firstFailure(isLeft: true, shownLeft, shownRight)
    let right = firstFailure(isLeft: false, shownLeft, shownRight)
    let isLeft =
      if let left, let right {
        age(operations.left[left], sessions.left) <= age(operations.right[right], sessions.right)
      } else {
        left != nil
      }
    if isLeft { return left.map { First(kind: .onlyLeftFails, left: $0, right: nil) } }
    return right.map { First(kind: .onlyRightFails, left: nil, right: $0) }
  }

  /// Returns the first such operation of one side, in the steps that the other capture shows.
  private func firstFailure(isLeft: Bool, _ shownLeft: Shown, _ shownRight: Shown) -> Int? {
    let shown = isLeft ? shownRight : shownLeft
    let (own, others) =
      isLeft ? (operations.left, operations.right) : (operations.right, operations.left)
    let (session, other) =
      isLeft ? (sessions.left, sessions.right) : (sessions.right, sessions.left)
    // How far the other side goes.
    let last = steps.lastIndex { step in
      (isLeft ? step.right : step.left).map { others[$0.lowerBound].kind != .end } ?? false
    }
    // What the other side tries, on any connection; computed on first use.
    var known: Set<Attempt>?
    func tries(_ attempt: Attempt) -> Bool {
      let tried = known ?? Set(others.map { Attempt($0, other, [:]) })
      known = tried
      return tried.contains(attempt)
    }
    // The beginning of the steps that only one side has: the two sides have no common order there.
    var start = 0
    for place in shown.steps {
      guard steps[place].left == nil || steps[place].right == nil else {
        start = place + 1
        continue
      }
      guard let range = isLeft ? steps[place].left : steps[place].right else { continue }
      guard let last, last >= start else { return nil }
      let failed = range.first { index in
        let first = First(
          kind: isLeft ? .onlyLeftFails : .onlyRightFails, left: isLeft ? index : nil,
          right: isLeft ? nil : index)
        return own[index].hasFailed && !tries(Attempt(own[index], session, [:]))
          && [.none, .ofFirstConnection].contains(
            weakness(of: first, at: place, shownLeft, shownRight))
      }
      if let failed { return failed }
    }
    return nil
  }

  /// Returns whether the other side may do the same with an attribute that only one capture names.
  private func isNamedOtherwise(
    _ operation: ComparedOperation, isLeft: Bool, _ others: Set<Naming>
  ) -> Bool {
    guard
      let own = Naming(operation, isLeft ? sessions.left : sessions.right)
    else { return false }
    let opposite = { (handle: UInt16?) in
      Naming(kind: own.kind, isNamed: !own.isNamed, handle: handle)
    }
    if others.contains(opposite(own.handle)) || others.contains(opposite(nil)) { return true }
    return own.handle == nil
      && others.contains { $0.kind == own.kind && $0.isNamed != own.isNamed }
  }

  /// What is done to an attribute, and whether the capture names it.
  private struct Naming: Hashable {
    var kind: Int
    var isNamed: Bool
    var handle: UInt16?

    init(kind: Int, isNamed: Bool, handle: UInt16?) {
      (self.kind, self.isNamed, self.handle) = (kind, isNamed, handle)
    }

    init?(_ operation: ComparedOperation, _ session: ComparedSession) {
      guard case .value = operation.kind, let role = operation.role.map({ session.roles[$0] })
      else { return nil }
      self.init(
        kind: operation.kind.number, isNamed: role.uuid != nil && role.service != nil,
        handle: role.handle)
    }
  }

  /// Returns how many nanoseconds after the beginning of its connection an operation took place.
  private func age(_ operation: ComparedOperation, _ session: ComparedSession) -> Int64 {
    guard let time = operation.time,
      let start = session.history(of: operation)?.connection.firstTime
    else { return .max }
    return time.nanoseconds(since: start)
  }

  /// The first operation that fails on one side and succeeds on the other. What only one side tries
  /// shows nothing about the other.
  private func firstOutcome(_ shownLeft: Shown, _ shownRight: Shown) -> First? {
    // Computed on first use, since nothing fails in most sessions.
    var successes: (left: [Attempt: Int], right: [Attempt: Int])?
    var run: Run?
    for (place, step) in steps.enumerated() where step.kind != .same {
      let (left, right) = (
        step.left?.first { operations.left[$0].hasFailed },
        step.right?.first { operations.right[$0].hasFailed }
      )
      guard (left == nil) != (right == nil) else { continue }
      if step.left != nil, step.right != nil {
        if let pair = counterparts(in: step, left, right) {
          return First(kind: .outcome, left: pair.left, right: pair.right)
        }
        continue
      }
      guard (left == nil ? shownLeft : shownRight).steps.contains(place),
        let failed = left.map({ operations.left[$0] }) ?? right.map({ operations.right[$0] })
      else { continue }
      let other: Int?
      switch failed.kind {
      // That one discovery finds what another does not search for means nothing.
      case .discovery: other = nil
      case .connect, .exchangeMTU, .value, .end:
        let known =
          successes
          ?? (
            Self.successes(operations.left, sessions.left, pairNumbers.left),
            Self.successes(operations.right, sessions.right, pairNumbers.right)
          )
        successes = known
        other =
          left == nil
          ? known.left[Attempt(failed, sessions.right, pairNumbers.right)]
          : known.right[Attempt(failed, sessions.left, pairNumbers.left)]
      case .pairing, .encryption:
        other = counterpart(of: place, failed, isOnLeft: left == nil, &run)
      }
      guard let other else { continue }
      return First(kind: .outcome, left: left ?? other, right: right ?? other)
    }
    return nil
  }

  /// Returns the two operations of a step in which one side fails: the failure, and the other
  /// side's success; nil if that is not known to have succeeded.
  private func counterparts(
    in step: Step, _ left: Int?, _ right: Int?
  ) -> (left: Int, right: Int)? {
    guard let failed = left.map({ operations.left[$0] }) ?? right.map({ operations.right[$0] })
    else { return nil }
    let hasSucceeded = { (other: ComparedOperation) in
      // An unknown outcome on the other side is not a success, and neither is a request it did not
      // send.
      other.hasSucceeded && (failed.failedRequest.map { other.requests.contains($0) } ?? true)
    }
    if let left {
      return step.right?.first { hasSucceeded(operations.right[$0]) }.map { (left, $0) }
    }
    guard let right else { return nil }
    return step.left?.first { hasSucceeded(operations.left[$0]) }.map { ($0, right) }
  }

  /// What a capture shows: what it lacks proves nothing about the device.
  private struct Shown {
    /// Whether it begins within the first connection.
    let lacksBeginning: Bool
    /// Whether it ends within the last connection.
    let lacksEnd: Bool
    /// Whether it lacks so much in between that its steps are not reliably aligned: a direction,
    /// parts of values, or the events that separate connections.
    let isPatchy: Bool
    /// The steps from the first one that it shows to the last.
    let steps: Range<Int>
    /// Whether the link is encrypted with a key from earlier.
    let isBonded: Bool
    /// What the capture contains of all connections.
    let parts: Coverage.Parts
    /// Whether it omits all data.
    let lacksData: Bool
    /// Whether the captured host is the central.
    let isCentral: Bool
    /// What it does to which attributes.
    let namings: Set<Naming>

    /// Returns whether the capture contains operations of this kind by this device.
    func mayShow(_ operation: ComparedOperation) -> Bool {
      switch operation.kind {
      case .connect, .encryption, .end: return parts.contains(.events)
      case .exchangeMTU, .discovery, .value, .pairing:
        if lacksData { return false }
        guard let isByCentral = operation.isByCentralAssumed else { return true }
        if isByCentral != isCentral { return parts.contains(.receivedData) }
        // A host that sends nothing is silent if its controller completes no packets.
        return parts.contains(.sentData)
          || parts.contains(.events) && !parts.contains(.accounting)
      }
    }
  }

  private func shown(
    _ side: KeyPath<Step, Range<Int>?>, _ operations: [ComparedOperation],
    _ session: ComparedSession
  ) -> Shown {
    let isDone = { (step: Step) in
      // A connection has these steps even where the capture lacks its beginning or its end.
      step[keyPath: side].map { ![.connect, .end].contains(operations[$0.lowerBound].kind) }
        ?? false
    }
    let lacksBeginning = session.connections.first?.history.connection.isOpeningMissing ?? false
    let lacksEnd = session.connections.last?.operations.last?.unknown != nil
    let start = lacksBeginning ? steps.firstIndex(where: isDone) ?? steps.count : 0
    var end = steps.count
    if lacksEnd, let last = steps.lastIndex(where: isDone) {
      // Between two steps that both sides have, those of one side have no order among the other's.
      let isAlone = { (step: Step) in step.left == nil || step.right == nil }
      end =
        isAlone(steps[last]) ? steps[last...].firstIndex { !isAlone($0) } ?? end : last + 1
    }
    let parts = session.parts
    let isPatchy =
      !parts.isSuperset(of: .bothDirections) || operations.contains(where: \.isCut)
      || !parts.contains(.events) && !(unpaired.left.isEmpty && unpaired.right.isEmpty)
    return Shown(
      lacksBeginning: lacksBeginning, lacksEnd: lacksEnd,
      isPatchy: isPatchy || hasUnknownDevices, steps: start..<max(start, end),
      isBonded: operations.encryptsWithoutPairing, parts: parts,
      lacksData: session.connections.allSatisfy(\.history.lacksData),
      isCentral: session.assumedRole == .central,
      namings: Set(operations.lazy.compactMap { Naming($0, session) }))
  }

  /// How little a difference reveals about the devices.
  private enum Weakness {
    case none
    /// The other side may know the result from an earlier connection.
    case ofFirstConnection
    /// One of the captures lacks it, or its outcome.
    case notShown
    /// The other side may have it under another name, or as the answer to another request.
    case notAligned
  }

  /// The first of the steps that differ in something that is not expected to, of those that reveal
  /// most about the devices.
  private func firstChange(_ left: Shown, _ right: Shown) -> First? {
    var ofFirstConnection: First?
    var cut: First?
    for (place, step) in steps.enumerated() where step.kind != .same && !step.isExpected {
      let first = change(in: step)
      switch weakness(of: first, at: place, left, right) {
      case .none: return first
      case .ofFirstConnection: ofFirstConnection = ofFirstConnection ?? first
      // That only one capture shows something is no difference; where the other one is cut, it is.
      case .notShown where first.kind == .changed && !isEnd(first): cut = cut ?? first
      case .notShown, .notAligned: break
      }
    }
    return ofFirstConnection ?? cut
  }

  private func isEnd(_ first: First) -> Bool {
    first.left.map { operations.left[$0].kind == .end } ?? false
  }

  /// Returns what differs first in a step.
  private func change(in step: Step) -> First {
    guard let left = step.left, let right = step.right else {
      return First(
        kind: step.right == nil ? .onlyLeft : .onlyRight, left: step.left?.first,
        right: step.right?.first)
    }
    if let change = step.changes.first {
      return First(kind: .changed, left: change.left, right: change.right)
    }
    // A run that is longer than the other one: the first value that the other one lacks.
    let value = { (operation: ComparedOperation, session: ComparedSession) in
      operation.value.map { session.bytes($0) }
    }
    let same = zip(left, right).prefix { one, other in
      value(operations.left[one], sessions.left) == value(operations.right[other], sessions.right)
    }
    if left.count > right.count {
      return First(kind: .onlyLeft, left: left.lowerBound + same.count, right: nil)
    }
    if right.count > left.count {
      return First(kind: .onlyRight, left: nil, right: right.lowerBound + same.count)
    }
    return First(kind: .changed, left: left.lowerBound, right: right.lowerBound)
  }

  private func weakness(
    of first: First, at place: Int, _ left: Shown, _ right: Shown
  ) -> Weakness {
    let both = [
      first.left.map { operations.left[$0] }, first.right.map { operations.right[$0] },
    ].compactMap { $0 }
    if both.contains(where: \.lacksRequest) { return .notAligned }
    if both.contains(where: { $0.unknown != nil || $0.isCut }) { return .notShown }
    guard both.count == 1, let only = both.first else {
      return both.contains(where: \.lacksAnswer) && both.contains(where: \.hasFailed)
        ? .notShown : .none
    }
    let isLeft = first.right == nil
    let (own, other) = isLeft ? (left, right) : (right, left)
    let number = (isLeft ? pairNumbers.left : pairNumbers.right)[only.connection]
    if isNamedOtherwise(only, isLeft: isLeft, other.namings) { return .notAligned }
    guard other.steps.contains(place), other.mayShow(only), number ?? .max < pairing.pairs.count
    else { return .notShown }
    if left.isPatchy || right.isPatchy { return .notAligned }
    // A run is shorter where the capture begins or ends within it.
    if steps[place].left != nil, steps[place].right != nil {
      let isCut =
        other.lacksEnd && place == other.steps.upperBound - 1
        || other.lacksBeginning && place == other.steps.lowerBound
      return isCut ? .notShown : .none
    }
    switch only.kind {
    case .connect where own.lacksBeginning, .encryption where other.lacksBeginning: return .notShown
    case .pairing where other.isBonded, .discovery: return .ofFirstConnection
    default: return .none
    }
  }

  /// What a device tries, regardless of position and number.
  private struct Attempt: Hashable {
    var kind: Int
    var isByCentral: Bool?
    var role: [UInt8]?
    var message: String?
    var offset: Int
    /// The connection's number within the session: those of both sides are compared one by one.
    var connection: Int?

    init(_ operation: ComparedOperation, _ session: ComparedSession, _ connections: [Int: Int]) {
      // The message of a read is known from its answer only: a refused client has asked for any.
      if operation.kind != .value(.read) {
        message = operation.message.map { session.messages[$0] }
      }
      offset = operation.offset
      connection = connections[operation.connection]
      kind = operation.kind.number
      isByCentral = operation.isByCentralAssumed
      role = operation.role.map { session.roles[$0].key }
    }
  }

  /// Returns the first success of one side in each thing that it tries.
  private static func successes(
    _ operations: [ComparedOperation], _ session: ComparedSession, _ connections: [Int: Int]
  ) -> [Attempt: Int] {
    var first: [Attempt: Int] = [:]
    for (place, operation) in operations.enumerated() where operation.hasSucceeded {
      let attempt = Attempt(operation, session, connections)
      if first[attempt] == nil { first[attempt] = place }
    }
    return first
  }

  /// The steps that only one side has, between two steps that both have, with the security
  /// procedures that succeed in them.
  private struct Run {
    /// A success, by what a failed operation looks for.
    struct Key: Hashable {
      var isOnLeft: Bool
      /// Whether it is an encryption; else a pairing PDU.
      var isEncryption: Bool
      /// Whether the central sent the PDU.
      var isByCentral: Bool?
      /// The connection's number within the session: those of both sides are compared one by one.
      var connection: Int?
    }

    var steps: Range<Int>
    /// The first operation of each kind.
    var first: [Key: Int] = [:]
  }

  /// Returns how the other side continues the security procedure that fails on one: its first PDU
  /// from the same device, or else from the other, between the steps that both sides have; or an
  /// encryption that succeeds.
  ///
  /// - Parameter run: what the latest call found, to be reused for the same steps.
  private func counterpart(
    of place: Int, _ failed: ComparedOperation, isOnLeft: Bool, _ run: inout Run?
  ) -> Int? {
    let known = run.flatMap { $0.steps.contains(place) ? $0 : nil } ?? makeRun(around: place)
    run = known
    let numbers = isOnLeft ? pairNumbers.right : pairNumbers.left
    var key = Run.Key(
      isOnLeft: isOnLeft, isEncryption: failed.kind == .encryption,
      connection: numbers[failed.connection])
    if key.isEncryption { return known.first[key] }
    key.isByCentral = failed.isByCentralAssumed
    if let same = known.first[key] { return same }
    return [nil, false, true].compactMap { (isByCentral: Bool?) in
      key.isByCentral = isByCentral
      return known.first[key]
    }.min()
  }

  private func makeRun(around place: Int) -> Run {
    let isAlone = { (step: Step) in step.left == nil || step.right == nil }
    let start = steps[..<place].lastIndex { !isAlone($0) }.map { $0 + 1 } ?? 0
    let end = steps[place...].firstIndex { !isAlone($0) } ?? steps.endIndex
    var run = Run(steps: start..<end)
    for step in steps[start..<end] {
      for isOnLeft in [true, false] {
        guard let next = isOnLeft ? step.left?.first : step.right?.first else { continue }
        let operation = isOnLeft ? operations.left[next] : operations.right[next]
        let number = (isOnLeft ? pairNumbers.left : pairNumbers.right)[operation.connection]
        guard operation.hasSucceeded else { continue }
        var key = Run.Key(isOnLeft: isOnLeft, isEncryption: true, connection: number)
        switch operation.kind {
        case .encryption: break
        // A Security Request of the peripheral is not a step of a pairing.
        case .pairing(.securityRequest): continue
        case .pairing: (key.isEncryption, key.isByCentral) = (false, operation.isByCentralAssumed)
        default: continue
        }
        if run.first[key] == nil { run.first[key] = next }
      }
    }
    return run
  }
}

extension [ComparedOperation] {
  /// Whether they encrypt the link, with a key from earlier.
  fileprivate var encryptsWithoutPairing: Bool {
    contains { $0.kind == .encryption && $0.hasSucceeded }
      && !contains { if case .pairing = $0.kind { true } else { false } }
  }
}
