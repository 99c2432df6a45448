package import Bluetooth
import Bytes

/// How one attribute was used.
package struct AttributeUse: Sendable {
  /// How a value is conveyed.
  package enum Operation: Int, CaseIterable, Sendable {
    case read, write, writeWithoutResponse, signedWrite, preparedWrite, notification, indication

    /// Whether a client sends the value.
    package var isWrite: Bool {
      switch self {
      case .write, .writeWithoutResponse, .signedWrite, .preparedWrite: true
      case .read, .notification, .indication: false
      }
    }

    /// The name in the JSON contract.
    package var key: StaticString {
      switch self {
      case .read: "read"
      case .write: "write"
      case .writeWithoutResponse: "write_without_response"
      case .signedWrite: "signed_write"
      case .preparedWrite: "prepared_write"
      case .notification: "notification"
      case .indication: "indication"
      }
    }
  }

  /// The protection of the link.
  package enum Security: UInt8, Sendable {
    case unknown, unencrypted, encrypted, authenticated
  }

  /// An operation and its outcome.
  package struct Access: Sendable {
    /// The operation.
    package let operation: Operation
    /// The protection of the link at that time.
    package let security: Security
    /// The error with which it was refused; nil if it was not.
    package let error: ATTErrorCode?
    /// The first packet with this outcome.
    package let packet: Int
  }

  /// The attribute.
  package let handle: UInt16
  /// How often each operation was done or tried, by `Operation`.
  package internal(set) var counts = InlineArray<7, Int>(repeating: 0)
  /// The value that was conveyed last; nil: none.
  package internal(set) var value: [UInt8]?
  /// The packet that carried the value, and its operation.
  package internal(set) var valuePacket = 0
  package internal(set) var valueOperation = Operation.read
  /// The range of the values' lengths.
  package internal(set) var lengths: ClosedRange<Int>?
  /// Each distinct operation with its outcome.
  package internal(set) var accesses: [Access] = []
  /// The first packet that used it, and the last.
  package internal(set) var packets: ClosedRange<Int>
  /// Whether the value may be a key: it is one of several, and some attribute's values are keys.
  package private(set) var isSecret = false
  /// Whether prepared writes were executed.
  var isPreparedWritten = false
  /// The values of Write Requests that wait for their responses, by their packets.
  private var pending: [(packet: Int, value: [UInt8])] = []

  /// The number of Write Requests, and the packet of the first.
  private var requested = (count: 0, first: 0)

  private static let accessLimit = 16
  /// The maximum length of an attribute value (Core, Vol 3, Part F, 3.2.9).
  package static let longest = 512

  init(_ handle: UInt16, packet: Int) {
    self.handle = handle
    packets = packet...packet
  }

  /// The operations that succeeded, as the properties that a declaration must have. It is unknown
  /// whether a command was obeyed, but a client only sends one if it knows the attribute accepts
  /// it.
  package var properties: CharacteristicProperties {
    var bits: UInt8 = 0
    for access in accesses where access.error == nil {
      switch access.operation {
      case .read: bits |= 0x02
      case .write: bits |= 0x08
      // What was prepared may have been cancelled.
      case .preparedWrite: if isPreparedWritten { bits |= 0x08 }
      case .writeWithoutResponse: bits |= 0x04
      case .signedWrite: bits |= 0x40
      case .notification: bits |= 0x10
      case .indication: bits |= 0x20
      }
    }
    return CharacteristicProperties(rawValue: bits)
  }

  mutating func take(
    _ operation: Operation, _ value: [UInt8], packet: Int, isSecret: Bool = false
  ) {
    self.isSecret = isSecret
    self.value = Array(value.prefix(Self.longest))
    valuePacket = packet
    valueOperation = operation
    lengths =
      lengths.map { min($0.lowerBound, value.count)...max($0.upperBound, value.count) }
      ?? value.count...value.count
  }

  /// Records a part of a value that was read from an offset.
  ///
  /// - Returns: whether it belongs to the known value: it follows that value, or is part of it.
  mutating func append(_ part: [UInt8], at offset: Int, packet: Int) -> Bool {
    guard valueOperation == .read, offset > 0, let value, offset <= value.count else {
      return false
    }
    if value.count == offset { take(.read, value + part, packet: packet, isSecret: isSecret) }
    return true
  }

  /// Records the value of a Write Request.
  mutating func begin(_ value: [UInt8], packet: Int) {
    requested = (requested.count + 1, requested.count == 0 ? packet : requested.first)
    if pending.count >= Transactions.Doubt.depth { pending.removeFirst() }
    pending.append((packet, value))
  }

  /// Counts the Write Requests as successful: the capture has no answer at all.
  mutating func takeUnanswered() {
    guard requested.count > 0, counts[Operation.write.rawValue] == 0 else { return }
    note(.write, .unknown, nil, packet: requested.first)
    counts[Operation.write.rawValue] = requested.count
    if let last = pending.last, last.packet > valuePacket {
      take(.write, last.value, packet: last.packet)
    }
  }

  /// Removes and returns the value of the Write Request in a packet, which was answered; nil if
  /// unknown.
  mutating func end(_ packet: Int) -> [UInt8]? {
    guard let index = pending.firstIndex(where: { $0.packet == packet }) else { return nil }
    return pending.remove(at: index).value
  }

  mutating func note(
    _ operation: Operation, _ security: Security, _ error: ATTErrorCode?, packet: Int
  ) {
    counts[operation.rawValue] += 1
    let isKnown = accesses.contains {
      $0.operation == operation && $0.security == security && $0.error == error
    }
    guard !isKnown, accesses.count < Self.accessLimit else { return }
    accesses.append(
      Access(operation: operation, security: security, error: error, packet: packet))
  }
}
