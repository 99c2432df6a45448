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

/// What was remembered of one connection, for the rules and for its story, now that the capture was read to
/// its end. A class, since rules hand connections on and compare them with each other: what is handed on is
/// one reference.
package final class ConnectionHistory: Sendable {
  /// The connection as it was known last.
  package let connection: Connection
  /// Tells devices apart: the peer's identity address where one is known; stays over reconnections.
  package let device: UInt64
  /// The peer's name, where one was told.
  package let name: [UInt8]?
  /// How the link went: parameters, procedures, acknowledgements, end.
  package let link: LinkHistory
  /// How the link is protected, and what led to it.
  package let security: LinkSecurityState
  /// The pairings.
  package let pairing: PairingHistory
  /// Encryption, and the keys that were used.
  package let encryption: EncryptionHistory
  /// The last attempt to encrypt for which a side lacked the key. Said here since each later connection of
  /// the device asks for it.
  package let lackingKey: EncryptionAttempt?
  /// Requests, values and what became of them.
  package let attributes: AttributeHistory
  /// Channels of L2CAP.
  package let channels: ChannelHistory

  /// Its number.
  package var id: Int { connection.id }
  /// The packets between its beginning and its end; a connection that is open at an end of the capture
  /// has no bound there.
  package var packets: ClosedRange<Int> {
    let first = connection.isOpeningMissing ? 1 : connection.firstPacket
    return first...max(first, connection.lastPacket ?? .max)
  }

  init(_ notes: ConnectionNotes) {
    connection = notes.connection
    device = notes.device
    name = notes.name
    link = notes.link
    security = notes.security
    pairing = notes.pairing
    encryption = notes.encryption
    lackingKey = notes.encryption.attempts.last(where: \.lacksKey)
    attributes = notes.attributes
    channels = notes.channels
  }
}

/// The same while the capture is read. Bounded: each part by its own limits.
struct ConnectionNotes: Sendable {
  var connection: Connection
  var device: UInt64
  var name: [UInt8]?
  var link = LinkHistory()
  var security = LinkSecurityState()
  var pairing = PairingHistory()
  var encryption = EncryptionHistory()
  var attributes: AttributeHistory
  var channels = ChannelHistory()

  init(_ connection: Connection, _ knowledge: ProfileKnowledge) {
    attributes = AttributeHistory(knowledge)
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
      if encryption.awaitsData { encryption.observeData(record) }
      if encryption.isStarting { encryption.observeDataMeanwhile(record) }
      attributes.observe(record, dissection, bytes, answer, memory, security.protection)
      return
    }
    // After its end no pairing begins: data that comes then belongs to a link whose opening is not in the capture.
    if dissection.smp != nil, let ended = link.ended, ended.packet < record.number {
      guard case .failed? = dissection.smp, record.direction == .received else { return }
    }
    channels.observe(record, dissection, bytes, answer, memory)
    security.observe(record, dissection, answer, memory)
    pairing.observe(
      record, dissection, bytes, answer, memory, isEncrypted: security.isEncrypted == true)
    encryption.observe(record, dissection, bytes, answer, memory)
  }

  /// Takes the end of the capture.
  mutating func finish(_ memory: borrowing Memory, _ extent: CaptureExtent) {
    if let known = connection.peer.flatMap({ memory.identities.search($0) }) {
      device = Attributes.key(known.address, known.type)
    } else {
      device = memory.attributes.currentKey(Attributes.key(isLocal: false, connection))
    }
    if let entry = connection.name, let known = memory.names[entry] { name = known.bytes.array }
    link.finish(connection, extent)
    pairing.finish(connection, memory, extent)
    attributes.finish(connection, memory, extent)
  }
}
