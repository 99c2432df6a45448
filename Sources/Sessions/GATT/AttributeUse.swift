package import Bluetooth
import Bytes

/// How one attribute was used.
package struct AttributeUse: Sendable {
  /// How a value crosses the link.
  package enum Operation: Int, CaseIterable, Sendable {
    case read, write, writeWithoutResponse, signedWrite, preparedWrite, notification, indication

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
  /// The value of a Write Request that waits for its response.
  var pending: [UInt8] = []
  /// Where the Read Blob Request that waits for its response begins.
  var offset = 0

  private static let accessLimit = 16
  /// No attribute value is longer (Core, Vol 3, Part F, 3.2.9).
  private static let longest = 512

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
      case .write, .preparedWrite: bits |= 0x08
      case .writeWithoutResponse: bits |= 0x04
      case .signedWrite: bits |= 0x40
      case .notification: bits |= 0x10
      case .indication: bits |= 0x20
      }
    }
    return CharacteristicProperties(rawValue: bits)
  }

  mutating func take(
    _ operation: Operation, _ value: [UInt8], packet: Int
  ) {
    self.value = Array(value.prefix(Self.longest))
    valuePacket = packet
    valueOperation = operation
    lengths =
      lengths.map { min($0.lowerBound, value.count)...max($0.upperBound, value.count) }
      ?? value.count...value.count
  }

  /// Takes a part of a value that follows what is there.
  mutating func append(_ part: RawSpan, packet: Int) {
    guard valueOperation == .read, var value, value.count == offset else { return }
    value.append(part)
    take(.read, value, packet: packet)
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
