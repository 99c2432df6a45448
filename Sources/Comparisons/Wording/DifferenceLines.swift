import Bluetooth
import Bytes
import Histories
import Meanings

/// How a line of a difference describes one side, for both text and JSON.
struct DescribedSide: Sendable {
  /// The description; empty if the packets are enough.
  var words: Wording = ""
  /// The description without the bytes of a value, for documents that have these as well; nil: the
  /// same.
  var wordsAlone: Wording?
  /// The packets; nil if none shows it.
  var packets: ClosedRange<Int>?

  /// `#43–#61`; empty if there are none.
  var packetWords: String {
    guard let packets else { return "" }
    return packets.count == 1
      ? "#\(packets.lowerBound)" : "#\(packets.lowerBound)–#\(packets.upperBound)"
  }
}

extension Difference.Step {
  /// Whether only values that are chosen at random differ.
  var isOnlyRandom: Bool {
    kind == .changed && isNatural
      && changes.allSatisfy { $0.expectations.isSubset(of: .random) }
  }
}

extension DifferenceReport.Compared {
  /// The parts of a difference that were not compared, and why.
  var notCompared: [(parts: [StaticString], why: Wording)] {
    if isOfMap {
      return [(["security", "link", "conversation", "timing"], "a map has nothing but attributes")]
    }
    let map: [(parts: [StaticString], why: Wording)] =
      hasOneMap ? [(["map"], "the capture has one map of a device, for all its connections")] : []
    return map + (difference.timingRemark.map { [(["timing"], $0)] } ?? [])
  }

  /// Returns what limits the comparison, and how to make more of the sides comparable.
  func hints(_ names: SideNames = .plain) -> [Wording] {
    var hints: [Wording] = []
    if pair.basis == .asked, pair.hasDifferentAddresses {
      hints.append("compared as requested: the addresses differ")
    }
    let inferred = count(names) { $0.isInferred }
    if !inferred.sides.isEmpty {
      hints.append(
        """
        \(Wording(inferred.sides, joinedBy: " and ")) \(onlyHandles(inferred.all)), named as on the other side: \
        both are assumed to have one map
        """)
    }
    let unnamed = count(names) { $0.uuid == nil && $0.handle != nil }
    if !unnamed.sides.isEmpty {
      hints.append(
        """
        \(Wording(unnamed.sides, joinedBy: " and ")) \(onlyHandles(unnamed.all))\
        \(hint: "; --map with a saved map (map --json) names them")
        """)
    }
    let answers = count(names) { $0.uuid == nil && $0.handle == nil }
    if !answers.sides.isEmpty {
      let verb: StaticString = answers.all == 1 ? "is an answer" : "are answers"
      hints.append(
        """
        \(Wording(answers.sides, joinedBy: " and ")) \(verb) without a request, so that the attribute is not \
        known
        """)
    }
    if difference.differsOnlyUnseen {
      hints.append("nothing differs in what both captures show of the conversation")
    }
    if difference.sessions.left.hasUncompared || difference.sessions.right.hasUncompared {
      hints.append(Self.uncompared)
    }
    return hints
  }

  /// What is never compared.
  static let uncompared: Wording =
    "data of L2CAP channels other than ATT and pairing is not compared"

  private func onlyHandles(_ count: Int) -> Wording {
    count == 1 ? "has only a handle" : "have only handles"
  }

  /// Returns the number of operations on attributes that match, on both sides and in words for each
  /// side that has some.
  private func count(
    _ names: SideNames, _ matches: (ComparedSession.Role) -> Bool
  ) -> (all: Int, sides: [Wording]) {
    let sides = [(true, difference.sessions.left), (false, difference.sessions.right)]
    var found: (all: Int, sides: [Wording]) = (0, [])
    for (isLeft, session) in sides {
      let places = Set(session.roles.indices.filter { matches(session.roles[$0]) })
      if places.isEmpty { continue }
      let count = session.connections.reduce(0) { sum, connection in
        sum + connection.operations.count { $0.role.map(places.contains) ?? false }
      }
      if count == 0 { continue }
      found.all += count
      found.sides.append(
        "\(count: count, "operation", "operations") \(names.place(isLeft: isLeft))")
    }
    return found
  }
}

extension ComparedOperation {
  /// Its packets, or nil for an end that is not in the capture.
  var packets: ClosedRange<Int>? {
    packet == .max ? nil : packet...max(packet, lastPacket)
  }
}

extension Difference {
  /// Returns the operations of one side of a step.
  func operations(of step: Step, isLeft: Bool) -> ArraySlice<ComparedOperation> {
    guard let range = isLeft ? step.left : step.right else { return [] }
    return isLeft ? operations.left[range] : operations.right[range]
  }

  /// Returns the title of a step: `Notification 2a37 Heart Rate Measurement`.
  func title(of step: Step) -> Wording {
    if let left = operations(of: step, isLeft: true).first { return sessions.left.title(of: left) }
    return operations(of: step, isLeft: false).first.map { sessions.right.title(of: $0) } ?? ""
  }

  /// Returns one side of a step, or nil if that side has nothing.
  func side(of step: Step, isLeft: Bool) -> DescribedSide? {
    let operations = operations(of: step, isLeft: isLeft)
    guard let first = operations.first, let last = operations.last else { return nil }
    let session = isLeft ? sessions.left : sessions.right
    var side = DescribedSide()
    if let start = first.packets, let end = last.packets {
      side.packets = start.lowerBound...max(start.lowerBound, end.upperBound)
    }
    if operations.count > 1 {
      side.words = "\(operations.count) values"
    } else {
      side.words = session.outcome(of: first)
      side.wordsAlone = session.outcome(of: first, hasBytes: false)
    }
    return side
  }

  /// Returns an operation described on its own: `#48 Pairing Failed: Confirm Value Failed (0x04)`.
  func side(of place: Int?, isLeft: Bool) -> DescribedSide? {
    guard let place else { return nil }
    let operation = isLeft ? operations.left[place] : operations.right[place]
    let session = isLeft ? sessions.left : sessions.right
    return DescribedSide(
      words: session.words(of: operation),
      wordsAlone: session.words(of: operation, hasBytes: false),
      packets: operation.packet == .max
        ? nil : operation.packet...operation.packet)
  }

  /// Returns the results of both operations of a change: `packet count for 11-20?`, `Invalid Handle
  /// (0x01)`. If the operations differ, returns their descriptions.
  ///
  /// - Parameter hasBytes: whether values without a meaning are printed as bytes.
  func outcomes(
    _ change: ValueChange, hasBytes: Bool = true
  ) -> (left: Wording, right: Wording) {
    let (one, other) = (operations.left[change.left], operations.right[change.right])
    guard one.kind == other.kind else {
      return (
        sessions.left.words(of: one, hasBytes: hasBytes),
        sessions.right.words(of: other, hasBytes: hasBytes)
      )
    }
    let (left, right) = (
      sessions.left.outcome(of: one, hasBytes: hasBytes),
      sessions.right.outcome(of: other, hasBytes: hasBytes)
    )
    // If the words omit the difference, the bytes of the PDU show it.
    if left == right, change.expectations.isEmpty, case .pairing = one.kind, let here = one.value,
      let there = other.value, !one.isHidden, !other.isHidden
    {
      return (
        "\(left): \(hex: Array(sessions.left.bytes(here)))",
        "\(right): \(hex: Array(sessions.right.bytes(there)))"
      )
    }
    let words = { (words: Wording, lacksAnswer: Bool, otherFails: Bool) -> Wording in
      let words = words.isEmpty && hasBytes ? "done" : words
      guard lacksAnswer, otherFails else { return words }
      return words.isEmpty
        ? OperationRecorder.notCaptured : "\(words), \(OperationRecorder.notCaptured)"
    }
    return (
      words(left, one.lacksAnswer, other.hasFailed), words(right, other.lacksAnswer, one.hasFailed)
    )
  }

  /// Returns whether both values of a change are text without a decoder, so that quoted they show
  /// all that differs.
  func isText(_ change: ValueChange) -> Bool {
    sessions.left.isText(operations.left[change.left])
      && sessions.right.isText(operations.right[change.right])
      && outcomes(change).left != outcomes(change).right
  }

  /// Returns a value's bytes, or nil if there are none that may be printed.
  func bytes(_ place: Int, isLeft: Bool) -> [UInt8]? {
    let operation = isLeft ? operations.left[place] : operations.right[place]
    guard let value = operation.value, !operation.isHidden, case .value = operation.kind else {
      return nil
    }
    return Array((isLeft ? sessions.left : sessions.right).bytes(value))
  }

  /// Returns where the other side has the operations of a step, if elsewhere: `moved to #12`.
  func movedWords(_ step: Step) -> String? {
    guard let other = step.counterpart else { return nil }
    let isAdded = step.kind == .added
    guard let side = side(of: steps[other], isLeft: isAdded) else { return nil }
    return "moved \(isAdded ? "from" : "to") \(side.packetWords)"
  }

  /// How much of the conversation differs: `3 of 36 steps differ`.
  var conversationWords: Wording {
    let changed = steps.count { $0.kind != .same }
    guard changed > 0 else { return "" }
    let verb: StaticString = changed == 1 ? "differs" : "differ"
    let words: Wording = "\(changed) of \(count: steps.count, "step", "steps") \(verb)"
    let natural = steps.count { $0.isNatural }
    guard natural > 0 else { return words }
    return "\(words), \(natural) of them only in \(naturalWords)"
  }
}

extension Difference {
  /// What differs in steps in which nothing else does: `random values and times`.
  private var naturalWords: Wording {
    var found = Expectations()
    for step in steps where step.isNatural {
      for change in step.changes { found.formUnion(change.expectations) }
    }
    let words: [(Expectations, Wording)] = [
      (.random, "random values"), (.time, "times"), (.checksum, "checksums"),
    ]
    return Wording(words.filter { found.contains($0.0) }.map(\.1), joinedBy: " and ")
  }
}

extension MapDifference {
  /// The subject: `characteristic 2a19 Battery Level in 180f Battery`.
  var title: Wording {
    guard let uuid else { return "the map" }
    return owner.map { "\(subject.key) \(uuid) in \($0)" } ?? "\(subject.key) \(uuid)"
  }

  /// Returns the description of one side.
  static func side(_ side: Half?) -> DescribedSide? {
    guard let side else { return nil }
    var pieces: [Wording] = []
    if let handles = side.handles {
      pieces.append(
        handles.count == 1
          ? "\(handle: handles.lowerBound)"
          : "\(handle: handles.lowerBound)–\(handle: handles.upperBound)")
    }
    if !side.words.isEmpty { pieces.append(side.words) }
    return DescribedSide(
      words: Wording(pieces, joinedBy: "  "),
      packets: side.packet == 0 ? nil : side.packet...side.packet)
  }
}

extension TimingDifference {
  /// Returns `median of 12`, or nothing for a single sample.
  static func sampleWords(_ side: Half) -> Wording {
    side.count > 1 ? ", median of \(side.count)" : ""
  }
}

extension RememberedCapture.Device {
  /// The device: address and name.
  var words: Wording {
    let address: Wording? = address.map { "\($0)" }
    guard let name = names.last else { return address ?? "a device without an address" }
    return address.map { "\($0) \(quoted: name)" } ?? "\(quoted: name)"
  }

  /// The heading of its section.
  var heading: Wording {
    address == nil && names.isEmpty ? "Device without an address" : "Device \(words)"
  }

  /// Its connections: `connection 1`, `connections 1, 3`.
  var connectionWords: Wording {
    let numbers = connections.prefix(8).map { (id: Int) -> Wording in "\(id)" }
    let more: Wording = connections.count > 8 ? " and \(connections.count - 8) more" : ""
    let noun: StaticString = connections.count == 1 ? "connection" : "connections"
    return connections.isEmpty ? "" : "\(noun) \(Wording(numbers, joinedBy: ", "))\(more)"
  }
}
