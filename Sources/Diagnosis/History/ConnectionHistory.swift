package import Bluetooth
import Bytes
package import Captures
import Dissectors
package import Sessions

/// A packet, and when it came.
package struct Moment: Equatable, Sendable {
  /// Its number.
  package var packet: Int
  /// When the capture says that it was made.
  package var time: Timestamp?

  /// A packet and its time.
  package init(packet: Int, time: Timestamp?) {
    self.packet = packet
    self.time = time
  }

  /// The moment of a record.
  package init(_ record: borrowing CaptureRecord) {
    packet = record.number
    time = record.time
  }

  /// The time since `earlier` in nanoseconds; nil where it is not known, or the clock went back.
  package func nanoseconds(since earlier: Moment) -> Int64? {
    guard let time, let before = earlier.time else { return nil }
    let nanoseconds = time.nanoseconds(since: before)
    return nanoseconds < 0 ? nil : nanoseconds
  }
}

/// One of the two ends of a link.
package enum Side: UInt8, Sendable {
  /// The captured host.
  case local
  /// The other one.
  case peer

  /// Who sent a packet of this direction.
  package init(sent direction: Direction) { self = direction == .sent ? .local : .peer }

  /// The other one.
  package var other: Side { self == .local ? .peer : .local }

  /// In words: `this host`, `the peer`.
  package var words: StaticString { self == .local ? "this host" : "the peer" }
}

/// What is remembered of one connection for the rules and for its story. Bounded: each part by its own
/// limits.
package struct ConnectionHistory: Sendable {
  /// The connection as it was known last.
  package var connection: Connection
  /// Tells devices apart: the peer's identity address where one is known; stays over reconnections.
  package var device: UInt64
  /// The peer's name, where one was told.
  package var name: [UInt8]?
  /// How the link went: parameters, procedures, acknowledgements, end.
  package var link = LinkHistory()
  /// The pairings.
  package var pairing = PairingHistory()
  /// Encryption, and the keys that were used.
  package var encryption = EncryptionHistory()
  /// Requests, values and what became of them.
  package var attributes = AttributeHistory()

  /// Its number.
  package var id: Int { connection.id }

  init(_ connection: Connection) {
    self.connection = connection
    device = Attributes.key(isLocal: false, connection)
  }

  /// Takes a packet of the connection.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    link.observe(record, dissection, bytes, answer, memory)
    if dissection.att != nil {
      attributes.observe(record, dissection, bytes, answer, memory)
      return
    }
    if dissection.smp != nil { pairing.observe(record, dissection, bytes, answer, memory) }
    encryption.observe(record, dissection, bytes, answer, memory)
  }
}
