import Bluetooth
import Diagnosis
import Sessions

// Where two conversations part.

extension Difference {
  /// The first difference: places in `operations`.
  package struct First: Sendable {
    /// What differs.
    package enum Kind: Sendable {
      /// What succeeds on one side and fails on the other: the difference that matters.
      case outcome
      /// There is no such; the left fails in something that the right does not try.
      case onlyLeftFails
      /// The same of the right.
      case onlyRightFails
      /// Nothing fails on one side alone; only the left does this, and it is the first that differs.
      case onlyLeft
      /// The same of the right.
      case onlyRight
      /// Both do it, with another value.
      case changed

      /// As JSON names it.
      package var key: StaticString {
        switch self {
        case .outcome: "outcome"
        case .onlyLeftFails: "only_left_fails"
        case .onlyRightFails: "only_right_fails"
        case .onlyLeft: "only_left"
        case .onlyRight: "only_right"
        case .changed: "changed"
        }
      }
    }

    /// What differs.
    package let kind: Kind
    /// The operation on the left; nil where only the right has one.
    package let left: Int?
    /// And on the right.
    package let right: Int?
  }

  /// Finds where the conversations part: at the first operation that fails on one side and succeeds on the
  /// other, or else at the first that fails where the other side does not try it, or else at the first that differs.
  mutating func findFirst() {
    first = firstOutcome ?? (changedSteps > 1 ? firstFailure ?? firstChange : nil)
  }

  /// The first operation that fails and that the other side does not try, though it goes on with something else; of
  /// one of each side the one that came sooner after its connection's beginning.
  private var firstFailure: First? {
    let left = firstFailure(\.left, operations.left, other: \.right, operations.right)
    let right = firstFailure(\.right, operations.right, other: \.left, operations.left)
    let isLeft =
      if let left, let right {
        age(operations.left[left], sessions.left) <= age(operations.right[right], sessions.right)
      } else {
        left != nil
      }
    if isLeft { return left.map { First(kind: .onlyLeftFails, left: $0, right: nil) } }
    return right.map { First(kind: .onlyRightFails, left: nil, right: $0) }
  }

  /// The same of one side.
  private func firstFailure(
    _ mine: KeyPath<Step, Range<Int>?>, _ operations: [Operation],
    other: KeyPath<Step, Range<Int>?>, _ others: [Operation]
  ) -> Int? {
    // How far the other side goes.
    let last = steps.lastIndex { step in
      step[keyPath: other].map { others[$0.lowerBound].kind != .end } ?? false
    }
    // Where what is alone on either side began: of that the two sides have no order.
    var start = 0
    for (place, step) in steps.enumerated() {
      guard step[keyPath: other] == nil, let range = step[keyPath: mine] else {
        if step.left != nil, step.right != nil { start = place + 1 }
        continue
      }
      guard let last, last >= start else { return nil }
      if let failed = range.first(where: { operations[$0].failure != nil }) { return failed }
    }
    return nil
  }

  /// How many nanoseconds after its connection's beginning an operation was.
  private func age(_ operation: Operation, _ session: Session) -> Int64 {
    guard let time = operation.time,
      let start = session.history(of: operation)?.connection.firstTime
    else { return .max }
    return time.nanoseconds(since: start)
  }

  /// The first operation that fails on one side and succeeds on the other. What only one side tries says nothing
  /// of the other.
  private var firstOutcome: First? {
    // Made when they are needed first: nothing fails in most sessions.
    var successes: (left: [Attempt: Int], right: [Attempt: Int])?
    var run: Run?
    for (place, step) in steps.enumerated() where step.kind != .same {
      let (left, right) = (
        step.left?.first { operations.left[$0].failure != nil },
        step.right?.first { operations.right[$0].failure != nil }
      )
      guard (left == nil) != (right == nil) else { continue }
      if step.left != nil, step.right != nil {
        if let pair = counterparts(in: step, left, right) {
          return First(kind: .outcome, left: pair.left, right: pair.right)
        }
        continue
      }
      guard let failed = left.map({ operations.left[$0] }) ?? right.map({ operations.right[$0] })
      else { continue }
      let other: Int?
      switch failed.kind {
      // That one discovery finds what another one does not ask for says nothing.
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

  /// The two operations of a step in which one side fails: the failure, and what the other side has succeeded
  /// in; nil where it is not known to have.
  private func counterparts(
    in step: Step, _ left: Int?, _ right: Int?
  ) -> (left: Int, right: Int)? {
    guard let failed = left.map({ operations.left[$0] }) ?? right.map({ operations.right[$0] })
    else { return nil }
    let hasSucceeded = { (other: Operation) in
      // What the capture does not tell of the other side is no success, and neither is what it did not ask.
      other.hasSucceeded && (failed.failedRequest.map { other.requests.contains($0) } ?? true)
    }
    if let left {
      return step.right?.first { hasSucceeded(operations.right[$0]) }.map { (left, $0) }
    }
    guard let right else { return nil }
    return step.left?.first { hasSucceeded(operations.left[$0]) }.map { ($0, right) }
  }

  /// The first step that differs beyond what is expected to.
  private var firstChange: First? {
    guard let step = steps.first(where: { $0.kind != .same && !$0.isExpected }) else { return nil }
    switch step.kind {
    case .same: return nil
    case .removed: return First(kind: .onlyLeft, left: step.left?.first, right: nil)
    case .added: return First(kind: .onlyRight, left: nil, right: step.right?.first)
    case .changed:
      return First(
        kind: .changed, left: step.changes.first?.left ?? step.left?.first,
        right: step.changes.first?.right ?? step.right?.first)
    }
  }

  /// What somebody tries, wherever and however often.
  private struct Attempt: Hashable {
    var kind: Int
    var isByCentral: Bool?
    var role: [UInt8]?
    var message: String?
    var offset: Int
    /// Which of the session's connections: those of both sides are compared one by one.
    var connection: Int?

    init(_ operation: Operation, _ session: Session, _ connections: [Int: Int]) {
      // Which message is read is known of an answer alone: who is refused has asked for any.
      if operation.kind != .value(.read) {
        message = operation.message.map { session.messages[$0] }
      }
      offset = operation.offset
      connection = connections[operation.connection]
      kind = operation.kind.number
      isByCentral = operation.isByCentral
      role = operation.role.map { session.roles[$0].key }
    }
  }

  /// Where one side succeeds first in each thing that it tries.
  private static func successes(
    _ operations: [Operation], _ session: Session, _ connections: [Int: Int]
  ) -> [Attempt: Int] {
    var first: [Attempt: Int] = [:]
    for (place, operation) in operations.enumerated() where operation.hasSucceeded {
      let attempt = Attempt(operation, session, connections)
      if first[attempt] == nil { first[attempt] = place }
    }
    return first
  }

  /// What is alone on either side between two steps that both have, as far as security procedures succeed in it.
  private struct Run {
    /// What succeeds, as one that fails looks for it.
    struct Key: Hashable {
      var isOnLeft: Bool
      /// Whether it is an encryption; else a PDU of a pairing.
      var isEncryption: Bool
      /// Who sent the PDU.
      var isByCentral: Bool?
      /// Which of the session's connections: those of both sides are compared one by one.
      var connection: Int?
    }

    /// The steps.
    var steps: Range<Int>
    /// The first operation of each kind.
    var first: [Key: Int] = [:]
  }

  /// How the other side goes on with the security procedure that fails on one: its first PDU by the same device,
  /// or else by the other, between what both sides have; an encryption that succeeds.
  ///
  /// - Parameter run: what the latest such look found, where it was into the same steps.
  private func counterpart(
    of place: Int, _ failed: Operation, isOnLeft: Bool, _ run: inout Run?
  ) -> Int? {
    let known = run.flatMap { $0.steps.contains(place) ? $0 : nil } ?? makeRun(around: place)
    run = known
    let numbers = isOnLeft ? pairNumbers.right : pairNumbers.left
    var key = Run.Key(
      isOnLeft: isOnLeft, isEncryption: failed.kind == .encryption,
      connection: numbers[failed.connection])
    if key.isEncryption { return known.first[key] }
    key.isByCentral = failed.isByCentral
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
        // That a peripheral asks for security is no step of a pairing.
        case .pairing(.securityRequest): continue
        case .pairing: (key.isEncryption, key.isByCentral) = (false, operation.isByCentral)
        default: continue
        }
        if run.first[key] == nil { run.first[key] = next }
      }
    }
    return run
  }
}
