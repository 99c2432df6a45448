import Bluetooth
import Histories
import Meanings
import Sessions

/// What differs between two sessions.
struct Difference: Sendable {
  /// What is compared besides attributes and operations: how the devices paired, and the properties
  /// of the link.
  struct Fact: Sendable {
    /// The section it belongs to.
    enum Section: Sendable { case security, link }

    let section: Section
    /// Its name: `method`, `key size`.
    let name: StaticString
    /// Its value on the left.
    var left: Wording
    /// Its value on the right.
    var right: Wording
    /// The packets that show it; nil: no single packet does.
    let packets: (left: Int?, right: Int?)
    /// The connections, by their numbers.
    let connections: (left: Int, right: Int)

    /// Whether the known values do not contradict each other: 23, and 23 or more.
    var isCompatible = false

    /// Whether both are the same, or may be.
    var isSame: Bool { left == right || isCompatible }
    /// Whether a value is not known, or only a bound of it.
    var isUncertain: Bool {
      left == Self.unknown || right == Self.unknown || left.isEmpty != right.isEmpty
        || isCompatible && left != right
    }

    /// The value of a fact that the capture does not show.
    static let unknown: Wording = "not known"
  }

  /// A step of the conversation: operations of both sides that belong together, or of one side
  /// without a counterpart on the other.
  struct Step: Sendable {
    /// How the step changes from left to right.
    enum Kind: Sendable { case same, changed, removed, added }

    /// How the step changes from left to right.
    var kind: Kind
    /// The operations on the left, one or a run, if any.
    @RangeIfAny var left: Range<Int>?
    /// The operations on the right, if any.
    @RangeIfAny var right: Range<Int>?
    /// For operations that the other side has, too, but elsewhere: its step, by the index in
    /// `steps`.
    @SmallIfAny var counterpart: Int? = nil
    /// The number of differing values.
    @Small var changeCount = 0
    /// The values that differ, up to a limit; for a run, those of its paired operations.
    var changes: [ValueChange] = []
    /// Whether everything that differs was expected to.
    var isExpected = false
    /// Whether it differs by nature, so that it does not count as a difference.
    var isNatural = false
  }

  /// A value that differs. What differs in it is found again when it is printed, since there may
  /// be hundreds of thousands of bytes.
  struct ValueChange: Sendable {
    /// How the two values are compared.
    enum Basis: Sendable {
      /// By their fields or bytes, some of which differ in every pair.
      case value
      /// The same, with an operation that moved.
      case moved
      /// By what is chosen at random.
      case random
    }

    /// The operation on the left, by its index on that side.
    @Small var left: Int
    /// The operation on the right, by its index on that side.
    @Small var right: Int
    let basis: Basis
    /// Why its fields differ.
    var expectations = Expectations()
  }

  /// The reasons why fields differ.
  struct Expectations: OptionSet, Sendable {
    let rawValue: UInt8
    init(rawValue: UInt8) { self.rawValue = rawValue }
    init(_ one: FieldChange.Expectation) { rawValue = 1 << one.rawValue }

    static let none = Self(.none)
    static let checksum = Self(.checksum)
    static let time = Self(.time)
    static let random = Self(.random)
    static let everyPair = Self(.everyPair)
    /// The reasons that are natural: such fields may always differ.
    static let natural: Self = [.checksum, .time, .random]
  }

  /// A field that differs.
  struct FieldChange: Sendable {
    /// Why it is expected to.
    enum Expectation: UInt8, Sendable {
      case none
      /// It depends on the others.
      case checksum
      case time
      /// It is chosen at random for every session, or computed from something that is.
      case random
      /// It has differed in every pair.
      case everyPair

      /// The name in JSON; nil if there is nothing to report.
      var key: StaticString? {
        switch self {
        case .none: nil
        case .checksum: "checksum"
        case .time: "time"
        case .random: "random"
        case .everyPair: "every_pair"
        }
      }
    }

    /// Its name; for bytes `byte 4`, counted from 1.
    let name: String
    /// Its value on the left; nil if it is absent.
    let left: String?
    /// Its value on the right; nil if it is absent.
    let right: String?
    /// Why it is expected to differ.
    var expectation: Expectation
    /// Whether its value is a secret that must not be printed.
    var isHidden = false
    /// Whether it differs by nature, so that it does not count as a difference.
    var isNatural: Bool {
      switch expectation {
      case .checksum, .time, .random: true
      case .none, .everyPair: false
      }
    }
    /// Whether it is a byte of the value rather than a field.
    var isByte: Bool { name.hasPrefix(Self.bytePrefix) }
    static let bytePrefix = "byte "
  }

  /// The left session and the right one.
  let sessions: (left: ComparedSession, right: ComparedSession)
  /// The operations of both, over all connections.
  let operations: (left: [ComparedOperation], right: [ComparedOperation])
  /// The range of each connection's operations.
  let ranges: (left: [Range<Int>], right: [Range<Int>])
  /// Which connections are compared with each other.
  let pairing: ConnectionPairing
  /// The number of each connection's pair, by the connection's number; unpaired connections have
  /// numbers of their own.
  let pairNumbers: (left: [Int: Int], right: [Int: Int])
  /// The properties of the sessions' devices and links, including those that are the same.
  private(set) var facts: [Fact] = []
  /// The differences in the peripheral's attributes, and in the central's.
  private(set) var maps: (peripheral: [MapDifference], central: [MapDifference]) = ([], [])
  var steps: [Step] = []
  /// The differences in time.
  private(set) var timing: [TimingDifference] = []
  /// Why times were not compared; nil if they were.
  private(set) var timingRemark: Wording?
  /// Where the conversations diverge; nil if they do not.
  private(set) var first: First?
  /// Whether a side has connections of devices without addresses, which may belong to this one.
  let hasUnknownDevices: Bool
  /// Whether the conversations differ only in what one of the captures does not show.
  private(set) var differsOnlyUnseen = false
  /// Connections without a counterpart on the other side.
  private(set) var unpaired: (left: [Int], right: [Int]) = ([], [])

  /// What is ignored.
  var options = DifferenceOptions()
  /// How often each value differs, by the number of the operation's meaning.
  var counts: [Int: ValueCounts] = [:]
  /// The meaning and the content of each operation on the left.
  var leftNumbers: [(meaning: Int, content: Int)] = []
  /// The entries of `DifferenceOptions.ignored` that have silenced something.
  var silencers: Set<String> = []

  /// The differences of the maps, the peripheral's first.
  var map: [MapDifference] { maps.peripheral + maps.central }

  /// The number of steps that differ other than by nature.
  var changedSteps: Int { steps.count { $0.kind != .same && !$0.isNatural } }

  /// Whether nothing differs.
  var isEmpty: Bool {
    map.isEmpty && timing.isEmpty && facts.allSatisfy(\.isSame) && changedSteps == 0
      && unpaired.left.isEmpty && unpaired.right.isEmpty
  }
}

/// What is compared of two sessions, and how.
struct DifferenceOptions: Sendable {
  /// Fields that may differ: `day`, `fff6.day`, all of an attribute, `fff6`, or all that are
  /// expected to for one reason, `random`.
  var ignored: [String] = []
  /// Whether the two captures are of the two ends of one connection, each with its own clock.
  var hasOtherClock = false
  /// Whether they are of the two ends of one connection, with any clock: what the two devices send
  /// at the same time crosses.
  var areTwoEnds = false

  /// Whether a side has connections of devices without addresses that are not compared.
  var hasUnknownDevices = false

  /// Creates the default options.
  init() {}

  /// Returns the entry of `ignored` that allows a difference: by the field's name, or by the reason
  /// for which it differs by nature.
  func silencer(of change: Difference.FieldChange, _ owners: [String]) -> String? {
    if let name = silencer(of: change.name, owners) { return name }
    guard change.isNatural, let key = change.expectation.key else { return nil }
    return ignored.first { $0 == key.description }
  }

  /// Returns the entry that allows a field of an attribute or of a vendor's message to differ.
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
  init(
    _ left: consuming ComparedSession, _ right: consuming ComparedSession,
    _ options: DifferenceOptions
  ) {
    if options.areTwoEnds {
      left = left.partedByDevice
      right = right.partedByDevice
    }
    ComparedSession.assumeRoles(&left, &right)
    hasUnknownDevices = options.hasUnknownDevices
    ranges = (left.ranges, right.ranges)
    operations = (left.takeOperations(), right.takeOperations())
    left.share(operations.left, ranges.left)
    right.share(operations.right, ranges.right)
    sessions = (left, right)
    pairing = ConnectionPairing(sessions.left, sessions.right)
    var numbers: (left: [Int: Int], right: [Int: Int]) = ([:], [:])
    for (number, pair) in pairing.pairs.enumerated() {
      let (first, second) = (
        sessions.left.connections[pair.left], sessions.right.connections[pair.right]
      )
      let (one, other) = (first.history, second.history)
      facts += Self.facts(first, second)
      // The two ends of a link have different roles; on the air there is no host.
      if !options.areTwoEnds, !one.connection.isOnAir, !other.connection.isOnAir {
        facts.append(Self.roles(one, other))
      }
      (numbers.left[one.id], numbers.right[other.id]) = (number, number)
    }
    // Beyond those of the pairs, even on the left and odd on the right.
    for (place, connection) in sessions.left.connections.enumerated()
    where numbers.left[connection.history.id] == nil {
      unpaired.left.append(connection.history.id)
      numbers.left[connection.history.id] = 2 * (pairing.pairs.count + place)
    }
    for (place, connection) in sessions.right.connections.enumerated()
    where numbers.right[connection.history.id] == nil {
      unpaired.right.append(connection.history.id)
      numbers.right[connection.history.id] = 2 * (pairing.pairs.count + place) + 1
    }
    pairNumbers = numbers
    maps = (
      MapDifference.between(sessions.left.servers.peripheral, sessions.right.servers.peripheral),
      MapDifference.between(sessions.left.servers.central, sessions.right.servers.central)
    )
    self.options = options
    alignOperations()
    (first, differsOnlyUnseen) = findFirst()
    if options.hasOtherClock {
      timingRemark = "the two captures have their own clocks"
    } else {
      timing = timingDifferences()
    }
  }
}
