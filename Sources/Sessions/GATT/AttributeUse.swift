package import Bluetooth
import Bytes

/// How one attribute was used.
package struct AttributeUse: Sendable {
  /// How a value crosses the link.
  package enum Operation: Int, CaseIterable, Sendable {
    case read, write, writeWithoutResponse, signedWrite, preparedWrite, notification, indication

    /// Whether a client sends the value.
    package var isWrite: Bool {
      switch self {
      case .write, .writeWithoutResponse, .signedWrite, .preparedWrite: true
      case .read, .notification, .indication: false
      }
    }

    /// As the JSON contract names it.
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

  /// What protected the link.
  package enum Security: UInt8, Sendable {
    case unknown, unencrypted, encrypted, authenticated
  }

  /// An operation, and what became of it.
  package struct Access: Sendable {
    /// What was tried.
    package let operation: Operation
    /// How the link was protected then.
    package let security: Security
    /// Why it was refused; nil where it was not.
    package let error: ATTErrorCode?
    /// The packet with the outcome; the first one.
    package let packet: Int
  }

  /// The attribute.
  package let handle: UInt16
  /// How often each operation was done or tried, by `Operation`.
  package internal(set) var counts = InlineArray<7, Int>(repeating: 0)
  /// The value that crossed the link last; nil: none.
  package internal(set) var value: [UInt8]?
  /// Which packet has brought it, and how.
  package internal(set) var valuePacket = 0
  package internal(set) var valueOperation = Operation.read
  /// How long values were.
  package internal(set) var lengths: ClosedRange<Int>?
  /// What was tried and what became of it, each once.
  package internal(set) var accesses: [Access] = []
  /// The first packet that used it, and the last.
  package internal(set) var packets: ClosedRange<Int>
  /// Whether the value may be a key: one of several, where there is an attribute whose values are keys.
  package private(set) var isSecret = false
  /// Whether prepared writes were executed.
  var isPreparedWritten = false
  /// The values of Write Requests that wait for their responses, by their packets.
  private var pending: [(packet: Int, value: [UInt8])] = []

  /// How many Write Requests there were, and the first one's packet.
  private var requested = (count: 0, first: 0)

  private static let accessLimit = 16
  /// No attribute value is longer (Core, Vol 3, Part F, 3.2.9).
  package static let longest = 512

  init(_ handle: UInt16, packet: Int) {
    self.handle = handle
    packets = packet...packet
  }

  /// What may be done with it, as far as that was done: the properties that a declaration must have. Of a
  /// command nobody knows whether it was obeyed; a client sends it to what it knows to take it.
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

  /// Takes a part of a value that was read from an offset on.
  ///
  /// - Returns: whether it belongs to the value that is there: it follows that, or is a part of it.
  mutating func append(_ part: [UInt8], at offset: Int, packet: Int) -> Bool {
    guard valueOperation == .read, offset > 0, let value, offset <= value.count else {
      return false
    }
    if value.count == offset { take(.read, value + part, packet: packet, isSecret: isSecret) }
    return true
  }

  /// Takes the value of a Write Request.
  mutating func begin(_ value: [UInt8], packet: Int) {
    requested = (requested.count + 1, requested.count == 0 ? packet : requested.first)
    if pending.count >= Transactions.Doubt.depth { pending.removeFirst() }
    pending.append((packet, value))
  }

  /// Takes the Write Requests as done: the capture has not one answer.
  mutating func takeUnanswered() {
    guard requested.count > 0, counts[Operation.write.rawValue] == 0 else { return }
    note(.write, .unknown, nil, packet: requested.first)
    counts[Operation.write.rawValue] = requested.count
    if let last = pending.last, last.packet > valuePacket {
      take(.write, last.value, packet: last.packet)
    }
  }

  /// The value of the Write Request in a packet, which was answered; nil where it is not known.
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
