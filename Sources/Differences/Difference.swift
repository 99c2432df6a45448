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
    /// The operation on the left, by its place among that side's.
    package let left: Int
    /// And on the right.
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
      /// It is chosen at random for every session, or computed from what is.
      case random
      /// It has differed in every pair.
      case everyPair

      /// As JSON names it; nil where there is nothing to say.
      package var key: StaticString? {
        switch self {
        case .none: nil
        case .checksum: "checksum"
        case .time: "time"
        case .random: "random"
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
    /// Whether what it says is a secret that is not to be printed.
    package internal(set) var isHidden = false
    /// Whether that is in its nature, so that it does not count as a difference.
    var isNatural: Bool {
      switch expectation {
      case .checksum, .time, .random: true
      case .none, .everyPair: false
      }
    }
    /// Where in the value it is, where it is a byte.
    package var isByte: Bool { name.hasPrefix(Self.bytePrefix) }
    static let bytePrefix = "byte "
  }

  /// The left session and the right one.
  package let sessions: (left: Session, right: Session)
  /// The operations of both, over all connections.
  package let operations: (left: [Operation], right: [Operation])
  /// Which connections are held against each other.
  let pairing: ConnectionPairing
  /// The number of each connection's pair, by the connection's number; those without one have numbers of their own.
  let pairNumbers: (left: [Int: Int], right: [Int: Int])
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
  /// Where the conversations part; nil where they do not.
  package internal(set) var first: First?
  /// Connections that the other side has none for.
  package internal(set) var unpaired: (left: [Int], right: [Int]) = ([], [])

  /// What of `DifferenceOptions.ignored` has silenced something.
  package internal(set) var silencers: Set<String> = []

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
  /// Fields that may differ: `day`, `fff6.day`, all of an attribute, `fff6`, or all that are expected to for one
  /// reason, `random`.
  package var ignored: [String] = []
  /// Whether the two captures are of the two ends of one connection, each by its own clock.
  package var hasOtherClock = false
  /// Whether they are that, by whichever clock: what the two devices do at the same time passes each other.
  package var areTwoEnds = false

  /// The defaults.
  package init() {}

  /// What of `ignored` says that a difference may be: by the field's name, or by what in its nature makes it differ.
  func silencer(of change: Difference.FieldChange, _ owners: [String]) -> String? {
    if let name = silencer(of: change.name, owners) { return name }
    guard change.isNatural, let key = change.expectation.key else { return nil }
    return ignored.first { $0 == key.description }
  }

  /// What says that a field of an attribute or of a vendor's message may differ.
  ///
  /// - Parameter owners: the attribute's type, and the profile that reads it.
  func silencer(of field: String, _ owners: [String]) -> String? {
    ignored.first { name in
      name == field || owners.contains { name == $0 || name == "\($0).\(field)" }
    }
  }
}

extension Difference {
  /// Compares two sessions.
  package init(_ left: Session, _ right: Session, _ options: DifferenceOptions) {
    let (left, right) =
      options.areTwoEnds ? (left.partedByDevice, right.partedByDevice) : (left, right)
    sessions = (left, right)
    operations = (left.operations, right.operations)
    pairing = ConnectionPairing(left, right)
    var numbers: (left: [Int: Int], right: [Int: Int]) = ([:], [:])
    for (number, pair) in pairing.pairs.enumerated() {
      let (one, other) = (
        left.connections[pair.left].history, right.connections[pair.right].history
      )
      facts += Self.facts(one, other)
      (numbers.left[one.id], numbers.right[other.id]) = (number, number)
    }
    // Beyond those of the pairs, even on the left and odd on the right.
    for (place, connection) in left.connections.enumerated()
    where numbers.left[connection.history.id] == nil {
      unpaired.left.append(connection.history.id)
      numbers.left[connection.history.id] = 2 * (pairing.pairs.count + place)
    }
    for (place, connection) in right.connections.enumerated()
    where numbers.right[connection.history.id] == nil {
      unpaired.right.append(connection.history.id)
      numbers.right[connection.history.id] = 2 * (pairing.pairs.count + place) + 1
    }
    pairNumbers = numbers
    maps = (
      MapDifference.between(left.servers.peripheral, right.servers.peripheral),
      MapDifference.between(left.servers.central, right.servers.central)
    )
    alignOperations(options)
    findFirst()
    if options.hasOtherClock {
      timingRemark = "the two captures have their own clocks"
    } else {
      compareTimes()
    }
  }
}
