import Bluetooth
package import Diagnosis

/// What differs between two sessions.
package struct Difference: Sendable {
  /// What is compared beside attributes and operations: how the devices paired, what the link is like.
  package struct Fact: Sendable {
    /// Where it belongs.
    package enum Section: Sendable { case security, link }

    /// Where it belongs.
    package let section: Section
    /// What it is: `method`, `key size`.
    package let name: StaticString
    /// How it is on the left.
    package let left: Wording
    /// And on the right.
    package let right: Wording
    /// The packets that show it; nil: none does alone.
    package let packets: (left: Int?, right: Int?)
    /// The connections, by their numbers.
    package let connections: (left: Int, right: Int)

    /// Whether what is known of the sides does not contradict: 23, and 23 or more.
    package internal(set) var isCompatible = false

    /// Whether both are the same.
    package var isSame: Bool { left == right || isCompatible }
  }

  /// A place of the conversation: operations of both sides that belong together, or of one side that nothing
  /// of the other belongs to.
  package struct Step: Sendable {
    /// What becomes of it from the left to the right.
    package enum Kind: Sendable { case same, changed, removed, added }

    /// What becomes of it.
    package internal(set) var kind: Kind
    /// The operations on the left, one or a run; nil where there are none.
    package let left: Range<Int>?
    /// And on the right.
    package let right: Range<Int>?
    /// The values that differ, of a run those of its operations that were paired: the first ones.
    package internal(set) var changes: [ValueChange] = []
    /// How many there are.
    package internal(set) var changeCount = 0
    /// Whether all that differs was to be expected.
    package internal(set) var isExpected = false
    /// Whether that is in its nature, so that it does not count as a difference.
    package internal(set) var isNatural = false
  }

  /// A value that differs.
  package struct ValueChange: Sendable {
    /// The operations.
    package let left: Int
    package let right: Int
    /// Its fields that differ; where none is known to, the bytes.
    package internal(set) var fields: [FieldChange]
  }

  /// A field that differs.
  package struct FieldChange: Sendable {
    /// Why it is expected to.
    package enum Expectation: Sendable {
      case none
      /// It follows from the others.
      case checksum
      /// It is a time.
      case time
      /// It has differed in every pair.
      case everyPair

      /// As JSON names it; nil where there is nothing to say.
      package var key: StaticString? {
        switch self {
        case .none: nil
        case .checksum: "checksum"
        case .time: "time"
        case .everyPair: "every_pair"
        }
      }
    }

    /// Its name; of bytes `byte 4`, counted from 1.
    package let name: String
    /// What it says on the left; nil where it is not there.
    package let left: String?
    /// And on the right.
    package let right: String?
    /// Why it is expected to differ.
    package internal(set) var expectation: Expectation
    /// Where in the value it is, where it is a byte.
    package var isByte: Bool { name.hasPrefix(Self.bytePrefix) }
    static let bytePrefix = "byte "
  }

  /// The left session and the right one.
  package let sessions: (left: Session, right: Session)
  /// The operations of both, over all connections.
  package let operations: (left: [Operation], right: [Operation])
  /// How the sessions' devices and links are, also what is the same.
  package internal(set) var facts: [Fact] = []
  /// What differs of the peripheral's attributes, and of the central's.
  package internal(set) var maps: (peripheral: [MapDifference], central: [MapDifference]) = ([], [])
  /// The conversation.
  package internal(set) var steps: [Step] = []
  /// What differs in time.
  package internal(set) var timing: [TimingDifference] = []
  /// Why times were not compared; nil where they were.
  package internal(set) var timingRemark: Wording?
  /// The first operation that succeeds on one side and fails on the other: places in `operations`.
  package internal(set) var first: (left: Int?, right: Int?)?
  /// Connections that the other side has none for.
  package internal(set) var unpaired: (left: [Int], right: [Int]) = ([], [])

  /// What differs of the maps, the peripheral's first.
  package var map: [MapDifference] { maps.peripheral + maps.central }

  /// How many steps differ beyond what is in their nature.
  package var changedSteps: Int { steps.count { $0.kind != .same && !$0.isNatural } }

  /// Whether nothing differs.
  package var isEmpty: Bool {
    map.isEmpty && timing.isEmpty && facts.allSatisfy(\.isSame) && changedSteps == 0
      && unpaired.left.isEmpty && unpaired.right.isEmpty
  }
}

/// What of two sessions is compared, and how.
package struct DifferenceOptions: Sendable {
  /// Fields that may differ: `day`, `fff6.day`, or all of an attribute, `fff6`.
  package var ignored: [String] = []
  /// Whether the two captures are of the two ends of one connection.
  package var isMirrored = false

  /// The defaults.
  package init() {}

  /// Whether a field of an attribute may differ.
  func ignores(_ field: String, of uuid: String?) -> Bool {
    ignored.contains { name in
      name == field || uuid.map { name == $0 || name == "\($0).\(field)" } ?? false
    }
  }
}

extension Difference {
  /// Compares two sessions.
  package init(_ left: Session, _ right: Session, _ options: DifferenceOptions) {
    sessions = (left, right)
    operations = (left.operations, right.operations)
    let connections = zip(left.connections, right.connections)
    for (one, other) in connections { facts += Self.facts(one.history, other.history) }
    let common = min(left.connections.count, right.connections.count)
    unpaired = (
      left.connections[common...].map(\.history.id), right.connections[common...].map(\.history.id)
    )
    maps = (
      MapDifference.between(left.servers.peripheral, right.servers.peripheral),
      MapDifference.between(left.servers.central, right.servers.central)
    )
    alignOperations(options)
    findFirst()
    if options.isMirrored {
      timingRemark = "not compared: the two captures have their own clocks"
    } else {
      compareTimes()
    }
  }

  /// Finds the first operation that fails on one side and does not on the other. What only one side tries says
  /// nothing of the other.
  private mutating func findFirst() {
    // Made when they are needed first: nothing fails in most sessions.
    var successes: (left: [Attempt: Int], right: [Attempt: Int])?
    for (place, step) in steps.enumerated() where step.kind != .same {
      let (left, right) = (
        step.left?.first { operations.left[$0].failure != nil },
        step.right?.first { operations.right[$0].failure != nil }
      )
      guard (left == nil) != (right == nil) else { continue }
      if step.kind == .changed {
        // What the capture does not tell of the other side is no success.
        let isKnown =
          left == nil
          ? step.left.map { operations.left[$0].contains(where: \.hasSucceeded) }
          : step.right.map { operations.right[$0].contains(where: \.hasSucceeded) }
        guard isKnown == true else { continue }
        first = (left ?? step.left?.first, right ?? step.right?.first)
        return
      }
      let failed = left.map { operations.left[$0] } ?? right.map { operations.right[$0] }
      guard let failed else { continue }
      let other: Int?
      switch failed.kind {
      // That one discovery finds what another one does not ask for says nothing.
      case .discovery: continue
      case .connect, .exchangeMTU, .value, .end:
        let known =
          successes
          ?? (
            Self.successes(operations.left, sessions.left),
            Self.successes(operations.right, sessions.right)
          )
        successes = known
        other =
          left == nil
          ? known.left[Attempt(failed, sessions.right, sessions.right.places)]
          : known.right[Attempt(failed, sessions.left, sessions.left.places)]
        if other == nil { continue }
      case .pairing, .encryption:
        other = counterpart(of: place, failed.kind, isOnLeft: left == nil)
      }
      first = left == nil ? (other, right) : (left, other)
      return
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
      message = operation.message.map { session.messages[$0] }
      offset = operation.offset
      connection = connections[operation.connection]
      kind = operation.kind.number
      isByCentral = operation.isByCentral
      role = operation.role.map { session.roles[$0].key }
    }
  }

  /// Where one side succeeds first in each thing that it tries.
  private static func successes(
    _ operations: [Operation], _ session: Session
  ) -> [Attempt: Int] {
    let connections = session.places
    var first: [Attempt: Int] = [:]
    for (place, operation) in operations.enumerated() where operation.hasSucceeded {
      let attempt = Attempt(operation, session, connections)
      if first[attempt] == nil { first[attempt] = place }
    }
    return first
  }

  /// What one side does of the security procedures where the other one fails: the first that only it does,
  /// between what both do.
  private func counterpart(
    of place: Int, _ failed: Operation.Kind, isOnLeft: Bool
  ) -> Int? {
    let isAlone = { (step: Step) in step.kind == .removed || step.kind == .added }
    let start = steps[..<place].lastIndex { !isAlone($0) }.map { $0 + 1 } ?? 0
    for step in steps[start...].prefix(while: isAlone) {
      guard let other = isOnLeft ? step.left?.first : step.right?.first else { continue }
      let operation = isOnLeft ? operations.left[other] : operations.right[other]
      guard operation.hasSucceeded else { continue }
      switch (failed, operation.kind) {
      // That a peripheral asks for security is no step of a pairing.
      case (.pairing, .pairing(.securityRequest)): continue
      case (.pairing, .pairing), (.encryption, .encryption): return other
      default: continue
      }
    }
    return nil
  }
}
