import Histories
import Meanings

/// A connection that has no counterpart on the other side.
struct LoneConnection: Sendable {
  /// Whether the left side has it.
  let isLeft: Bool
  /// The index of the pair of devices that it belongs to; nil if its device has no counterpart.
  let pair: Int?
  /// The connection's number.
  let number: Int
  /// The number of operations on it.
  let operations: Int
  /// How many of these failed, or the link itself.
  let failures: Int
  /// The first of these, in words, and its packet.
  let failed: DescribedSide?
  /// The connection, what it has, and what fails: `connection 3, 12 operations, nothing fails`.
  private let content: Wording

  /// The side that has it, in words and in JSON.
  var side: StaticString { isLeft ? "left" : "right" }

  /// - Parameter device: the device, if it has no counterpart either.
  init(
    _ connection: SessionConnection, of session: ComparedSession, isLeft: Bool, pair: Int? = nil,
    device: Wording? = nil
  ) {
    (self.isLeft, self.pair, number) = (isLeft, pair, connection.history.id)
    operations = connection.operations.count { $0.kind != .connect && $0.kind != .end }
    let failed = connection.operations.filter(\.hasFailed)
    failures = failed.count
    self.failed = failed.first.map { first in
      DescribedSide(
        words: session.words(of: first),
        packets: first.packet == .max ? nil : first.packet...first.packet)
    }
    var outcome: Wording = "nothing fails"
    if let first = failed.first {
      let packet: Wording = first.packet == .max ? "" : " (\(packet: first.packet))"
      let number: Wording = failed.count == 1 ? "1 fails," : "\(failed.count) fail, the first is"
      outcome = "\(number) \(session.words(of: first))\(packet)"
    }
    let owner: Wording = device.map { "\($0), " } ?? ""
    content =
      """
      \(owner)connection \(number), \(count: operations, "operation", "operations"), \(outcome)
      """
  }

  /// Returns its line: `only on the left: connection 3, 12 operations, nothing fails`.
  func words(_ names: SideNames = .plain) -> Wording {
    "only \(names.place(isLeft: isLeft)): \(content)"
  }
}

extension DifferenceReport {
  /// Returns the connections of paired devices that have no counterpart.
  static func lone(_ compared: [Compared]) -> [LoneConnection] {
    compared.map(\.difference).enumerated().flatMap { pair, difference in
      [
        (true, difference.unpaired.left, difference.sessions.left),
        (false, difference.unpaired.right, difference.sessions.right),
      ].flatMap { isLeft, numbers, session in
        let numbers = Set(numbers)
        return session.connections.filter { numbers.contains($0.history.id) }.map {
          LoneConnection($0, of: session, isLeft: isLeft, pair: pair)
        }
      }
    }
  }

  /// Returns the connections of devices that have no counterpart.
  ///
  /// - Parameter isOnly: whether no device has a counterpart.
  static func lone(
    _ devices: [RememberedCapture.Device], isLeft: Bool, isOnly: Bool
  ) -> [LoneConnection] {
    devices.flatMap { device in
      let doubt: Wording =
        device.address == nil && !isOnly ? " (it may be any of the devices)" : ""
      return device.session.connections.map {
        LoneConnection(
          $0, of: device.session, isLeft: isLeft, device: "\(device.words)\(doubt)")
      }
    }
  }

  /// Returns a line for each device without a counterpart that has no connection, then for each
  /// connection of the others.
  func unpairedWords(_ names: SideNames = .plain) -> [Wording] {
    let silent = [(true, unpaired.left), (false, unpaired.right)].flatMap { isLeft, devices in
      devices.filter(\.session.connections.isEmpty).map { device -> Wording in
        "only \(names.place(isLeft: isLeft)): \(device.words)"
      }
    }
    return silent + lone.filter { $0.pair == nil }.map { $0.words(names) }
  }

  /// Returns the connections without a counterpart in which something fails, if nothing fails on
  /// only one side of a pair otherwise: those of the pair, and those of other devices if it is the
  /// only pair.
  func failingAlone(ofPair pair: Int) -> [LoneConnection] {
    let difference = compared[pair].difference
    if let first = difference.first, difference.words(of: first).fails { return [] }
    return lone.filter { $0.failures > 0 && ($0.pair == pair || compared.count == 1) }
  }

  /// Returns what makes it the first difference of a pair, in words; nil if nothing is worth a
  /// headline.
  func firstWords(ofPair pair: Int, _ names: SideNames = .plain) -> Wording? {
    let failing = failingAlone(ofPair: pair)
    guard let one = failing.first else {
      let difference = compared[pair].difference
      return difference.first.map { "\(difference.words(of: $0).words)" }
    }
    if failing.contains(where: { $0.isLeft != one.isLeft }) {
      return "an operation fails in connections that only one side has"
    }
    return
      "an operation fails in a connection that only \(names.side(isLeft: one.isLeft)) has"
  }
}
