package import Bluetooth
package import Sessions

/// How much a finding matters.
package enum Severity: UInt8, Sendable, CaseIterable, Comparable {
  /// Worth knowing; nothing failed.
  case note
  /// Something did not work that the rest of the session got along without.
  case warning
  /// What the devices were to do did not work.
  case error

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// As text and JSON name it.
  package var key: StaticString {
    switch self {
    case .note: "note"
    case .warning: "warning"
    case .error: "error"
    }
  }
}

/// How sure a finding is.
package enum Certainty: UInt8, Sendable, CaseIterable {
  /// One of several explanations.
  case possible
  /// The explanation that the evidence supports best.
  case likely
  /// It follows from the packets.
  case certain

  /// As text and JSON name it.
  package var key: StaticString {
    switch self {
    case .possible: "possible"
    case .likely: "likely"
    case .certain: "certain"
    }
  }

  /// The next lower one: the capture has holes where the evidence would be.
  var lowered: Certainty { self == .certain ? .likely : .possible }
}

/// Packets that are the evidence, in the order in which they are to be read.
package struct PacketSet: Equatable, Sendable, ExpressibleByArrayLiteral {
  /// Ranges of packet numbers, as `show --packets` takes them; a single one from itself to itself.
  package private(set) var ranges: [ClosedRange<Int>] = []

  /// No packet.
  package init() {}

  package init(arrayLiteral elements: Int...) { for packet in elements { insert(packet) } }

  /// These packets; the same one counts once.
  package init(_ packets: some Sequence<Int>) { for packet in packets { insert(packet) } }

  /// One range.
  package init(_ range: ClosedRange<Int>) { ranges = [range] }

  /// These packets in the order of the capture, those that follow each other without a gap as one range.
  package init(runsOf packets: some Sequence<Int>) {
    for packet in packets.sorted() where packet > 0 {
      if let last = ranges.last, packet <= last.upperBound + 1 {
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, packet)
      } else {
        ranges.append(packet...packet)
      }
    }
  }

  /// All packets of several, in the order of the capture.
  package init(merging sets: [PacketSet]) {
    for range in sets.flatMap(\.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = ranges.last, range.upperBound <= last.upperBound { continue }
      ranges.append(range)
    }
  }

  /// Whether there is none.
  package var isEmpty: Bool { ranges.isEmpty }
  /// The first packet of all.
  package var first: Int? { ranges.map(\.lowerBound).min() }
  /// The last.
  package var last: Int? { ranges.map(\.upperBound).max() }

  /// Takes a packet in, unless it is there or no packet (0).
  package mutating func insert(_ packet: Int?) {
    guard let packet, packet > 0, !ranges.contains(where: { $0.contains(packet) }) else { return }
    ranges.append(packet...packet)
  }

  /// Takes a range in.
  package mutating func insert(_ range: ClosedRange<Int>) {
    if range.count == 1 { insert(range.lowerBound) } else { ranges.append(range) }
  }

  /// These packets and those.
  package func union(_ other: PacketSet) -> PacketSet {
    var union = self
    for range in other.ranges { union.insert(range) }
    return union
  }
}

/// Something that a rule has found.
package struct Finding: Sendable {
  /// A line of its own beside the explanation: `passkey  this host <hidden>, peer unknown`.
  package struct Detail: Sendable {
    /// What it is: one word, lower case; a key of JSON.
    package var label: StaticString
    /// What is printed.
    package var text: Wording
    /// What is printed instead where keys are asked for; nil: nothing is hidden.
    package var revealed: Wording?

    /// A line that everybody may read.
    package init(_ label: StaticString, _ text: Wording) {
      self.label = label
      self.text = text
    }

    /// A line with a secret, in `revealed` alone.
    package init(_ label: StaticString, hidden text: Wording, revealed: Wording) {
      self.label = label
      self.text = text
      self.revealed = revealed
    }
  }

  /// The rule; the table puts it in.
  package internal(set) var rule: StaticString = ""
  /// How much it matters: the rule's severity, unless the rule knows better.
  package var severity: Severity?
  /// What failed, in a line that starts with a capital letter and has no full stop: "The passkeys on the
  /// two sides differ".
  package var what: Wording
  /// The same as a clause for the verdict of the whole capture, lower case: "pairing failed at #48 because
  /// the passkeys on the two sides differ".
  package var headline: Wording
  /// The cause that the evidence supports, in whole sentences.
  package var why: Wording
  /// How sure that is.
  package var certainty: Certainty
  /// The packets that show it.
  package var evidence: PacketSet
  /// Lines beside the explanation.
  package var details: [Detail] = []
  /// What people do about it, where it is not what the rule says in general.
  package var remedy: Wording?
  /// What else is to be known.
  package var note: Wording?
  /// Whether it rests on something that the capture does *not* have: then it is less sure where records
  /// are missing.
  package var restsOnAbsence = false
  /// Whether later packets show that it came right.
  package var isResolved = false
  /// The attribute that it is about, where it is about one.
  package var attribute: AttributeIdentity?
  /// The devices that it is about where no connection with them came about.
  package var peers: [DeviceAddress] = []
  /// The connections that it is about; none where it is about the capture or a controller.
  package var connections: [Int] = []
  /// The connections that show the same from the other ends of these links, and the packets in which.
  var otherEnds: (connections: [Int], evidence: PacketSet) = ([], [])
  /// Findings with the same words are reported as one if several connections have them; a rule
  /// whose words differ from case to case by a number gives its own.
  package var group: Wording?
  /// What the verdict says of several such connections, as a clause; nil: the words that they share.
  package var groupHeadline: Wording?
  /// Whether it is a list to look things up in, which stands behind all that is told.
  package var isAppendix = false

  /// A finding of a rule.
  package init(
    _ what: Wording, headline: Wording, why: Wording, _ certainty: Certainty = .certain,
    evidence: PacketSet, on connections: [Int] = []
  ) {
    self.what = what
    self.headline = headline
    self.why = why
    self.certainty = certainty
    self.evidence = evidence
    self.connections = connections
  }
}

/// One thing that goes wrong with Bluetooth LE devices, and how it is recognised.
package struct Rule: Sendable {
  /// What a rule looks at.
  package enum Examination: Sendable {
    /// One connection at a time.
    case connection(@Sendable (ConnectionHistory, Evidence) -> [Finding])
    /// All at once: controllers, several connections of one device, the capture itself.
    case whole(@Sendable (Evidence) -> [Finding])
  }

  /// Its name, stable: `smp-passkey-mismatch`; JSON has `_` for `-`.
  package let id: StaticString
  /// How much what it finds matters, in general.
  package let severity: Severity
  /// What it finds, for the catalogue: a sentence without a full stop.
  package let finds: StaticString
  /// When it speaks: the condition in words, for the catalogue.
  package let condition: StaticString
  /// What a capture must hold for the rule to conclude anything: without it the rule is skipped.
  package private(set) var needs: Coverage.Parts = []
  /// What the rule takes into account if the capture holds it: without it the finding is less certain.
  package private(set) var leansOn: Coverage.Parts = []
  /// What people do about it.
  package let remedy: Wording
  /// The condition.
  package let examination: Examination

  /// A rule about one connection.
  package init(
    _ id: StaticString, _ severity: Severity, _ finds: StaticString, when condition: StaticString,
    needs: Coverage.Parts = [], leansOn: Coverage.Parts = [], do remedy: Wording = "",
    _ examine: @escaping @Sendable (ConnectionHistory, Evidence) -> [Finding]
  ) {
    self.needs = needs
    self.leansOn = leansOn
    self.id = id
    self.severity = severity
    self.finds = finds
    self.condition = condition
    self.remedy = remedy
    examination = .connection(examine)
  }

  /// A rule about the whole.
  package init(
    whole id: StaticString, _ severity: Severity, _ finds: StaticString,
    when condition: StaticString, needs: Coverage.Parts = [], leansOn: Coverage.Parts = [],
    do remedy: Wording = "", _ examine: @escaping @Sendable (Evidence) -> [Finding]
  ) {
    self.needs = needs
    self.leansOn = leansOn
    self.id = id
    self.severity = severity
    self.finds = finds
    self.condition = condition
    self.remedy = remedy
    examination = .whole(examine)
  }
}

extension Rule {
  /// Every rule, in the order in which findings of one severity are told: what explains others first.
  package static let all: [Rule] =
    capture + controller + connecting + pairing + encryption + bonds + access + requests
    + subscriptions + cache + traffic + channels + link + management + classic
}
