package import Bluetooth
package import Sessions

/// How often something was done, when first and when last.
package struct Tally: Sendable {
  /// How often.
  package private(set) var count = 0
  /// When first; nil: never.
  package private(set) var first: Moment?
  /// When last.
  package private(set) var last: Moment?

  /// The packets from the first to the last.
  package var packets: PacketSet {
    guard let first, let last else { return [] }
    return PacketSet(first.packet...max(first.packet, last.packet))
  }

  /// Counts one more.
  mutating func note(_ moment: Moment) {
    count &+= 1
    if first == nil { first = moment }
    last = moment
  }
}

/// An attribute as one connection used it.
package struct AttributeUsage: Sendable {
  /// Something that the peer did although the declaration does not offer it.
  package struct Unoffered: Sendable {
    /// What was done.
    package let operation: AttributeUse.Operation
    /// The request, or the packet itself.
    package let request: Int
    /// The answer.
    package let answer: Int
    /// How many bytes came or went.
    package let length: Int
  }

  /// Its handle.
  package let handle: UInt16
  /// Who has it.
  package let server: Side
  /// What it is, as far as that is known.
  package internal(set) var identity: AttributeIdentity
  /// Of a characteristic's value: what its declaration offers, where that is known.
  package internal(set) var properties: CharacteristicProperties?
  /// Reads that were answered.
  package internal(set) var reads = Tally()
  /// Write Requests that were answered.
  package internal(set) var writes = Tally()
  /// Write Commands and Signed Write Commands.
  package internal(set) var commands = Tally()
  /// The end of the longest value that was read, and the packet of the answer.
  package internal(set) var longestRead: (length: Int, packet: Int) = (0, 0)
  /// The end of the longest value that prepared writes brought, and the packet of the answer.
  package internal(set) var longestWrite: (length: Int, packet: Int) = (0, 0)
  /// Notifications.
  package internal(set) var notifications = Tally()
  /// Indications.
  package internal(set) var indications = Tally()
  /// Of the notifications: how many filled a PDU of the default MTU, 23 bytes.
  package internal(set) var fullNotifications = Tally()
  /// The same of the writes.
  package internal(set) var fullWrites = Tally()
  /// Whether the first byte of notifications counts them.
  package internal(set) var counter = CountingByte()
  /// What was done and is not offered; the first ones.
  package internal(set) var unoffered: [Unoffered] = []
  /// The protocol that is spoken here, by its place; nil: none was recognised.
  var vendor: Int?
  /// The protocols that may be spoken here; nil: not looked up yet.
  var claims: [(vendor: Int, isByFrame: Bool)]?

  /// How often its value came without being asked for.
  package var sent: Int { notifications.count + indications.count }
  /// How often it was written.
  package var written: Int { writes.count + commands.count }

  init(_ handle: UInt16, _ server: Side, _ identity: AttributeIdentity) {
    self.handle = handle
    self.server = server
    self.identity = identity
  }
}

/// A byte that grows by one from value to value, and where it does not.
package struct CountingByte: Sendable {
  /// A place where it grew by more.
  package struct Gap: Sendable {
    /// The packet before.
    package let before: Int
    /// The packet behind it.
    package let after: Int
    /// How many values are missing.
    package let missing: Int
  }

  /// How often it grew by one.
  package private(set) var steps = 0
  /// How often it did something else that a counter does not.
  package private(set) var breaks = 0
  /// Where it grew by more; the first ones.
  package private(set) var gaps: [Gap] = []
  /// How many of those there are.
  package private(set) var gapCount = 0
  /// How many values are missing in all.
  package private(set) var missing = 0
  private var last: (value: UInt8, packet: Int)?

  /// No transport loses more at a time and still goes on.
  private static let mostMissing: UInt8 = 32
  private static let listed = 8

  /// Whether it is a counter beyond reasonable doubt: many steps, nothing that a counter does not, and few
  /// gaps among them.
  package var isCounter: Bool { steps >= 20 && breaks == 0 && gapCount * 8 <= steps }

  /// Takes the next value.
  mutating func note(_ value: UInt8, packet: Int) {
    defer { last = (value, packet) }
    guard let last else { return }
    let step = value &- last.value
    switch step {
    case 1: steps &+= 1
    case 2...(Self.mostMissing + 1):
      gapCount &+= 1
      missing &+= Int(step) - 1
      if gaps.count < Self.listed {
        gaps.append(Gap(before: last.packet, after: packet, missing: Int(step) - 1))
      }
    default: breaks &+= 1
    }
  }
}
