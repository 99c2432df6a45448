package import Dissectors

/// What is known about a sniffer's packet beyond its bytes.
package struct AirFact: Sendable {
  package enum CRC: UInt8, Sendable {
    /// The sniffer does not record it, or nothing is known to compute it with.
    case unknown
    case right
    case wrong
  }

  /// How a packet's direction is known, best first.
  package enum DirectionEvidence: UInt8, Sendable, Comparable {
    /// The MIC, computed with the nonce of this direction.
    case mic
    /// Only one side may send this PDU.
    case opcode
    /// The capture's header.
    case capture
    /// The place in the connection event.
    case timing
    /// The sequence numbers.
    case acknowledgement

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// How the connection event is known.
  package enum EventEvidence: UInt8, Sendable { case capture, hops, clock }

  /// What is known of the payload's encryption.
  package enum Encryption: UInt8, Sendable {
    case clear
    /// Encrypted, and not read.
    case unread
    /// Decrypted with a key.
    case decrypted
    /// The sniffer decrypted it.
    case byFirmware
    /// It was decrypted before it was saved.
    case before
  }

  /// What an access address other than that of advertising is used for.
  package enum Stream: UInt8, Sendable {
    case unknown, connection, connectedIsochronous, broadcastIsochronous, periodicAdvertising
  }

  package var crc = CRC.unknown
  /// For an advertising PDU: its place in the advertisement, which decides its name.
  package var place = AdvertisingPDU.Place.primary
  package var stream = Stream.unknown
  /// The channel index, once it is known how the file counts channels.
  package var channel: UInt8?
  package var event: UInt16?
  package var eventEvidence: EventEvidence?
  package var directionEvidence: DirectionEvidence?
  /// Whether the packet repeats the one before of its side.
  package var isResent = false
  /// Whether that is uncertain, since packets between the two are missing.
  package var isResendUnsure = false
  package var encryption = Encryption.clear
  /// The packet counter with which it was decrypted.
  package var packetCounter: UInt64?
  /// How many PDUs of its side are known to be missing just before this one.
  package var missedBefore: UInt32 = 0

  package init() {}
}
