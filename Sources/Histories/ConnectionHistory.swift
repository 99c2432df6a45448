package import Bluetooth
import Bytes
package import Captures
import Dissectors
import Meanings
package import Sessions

/// A packet and its time.
package struct Moment: Equatable, Sendable {
  package var packet: Int
  /// The capture's timestamp.
  package var time: Timestamp?

  package init(packet: Int, time: Timestamp?) { (self.packet, self.time) = (packet, time) }

  /// Creates the moment of a record.
  package init(_ record: borrowing CaptureRecord) { (packet, time) = (record.number, record.time) }

  /// Returns the time since `earlier` in nanoseconds, or nil if it is unknown or the clock went
  /// back.
  package func nanoseconds(since earlier: Moment) -> Int64? {
    guard let time, let before = earlier.time else { return nil }
    let nanoseconds = time.nanoseconds(since: before)
    return nanoseconds < 0 ? nil : nanoseconds
  }
}

/// What was remembered of one connection, for the rules and its story, after the capture was read
/// to its end. A class, since rules pass connections on and compare them: what is passed on is one
/// reference.
package final class ConnectionHistory: Sendable {
  /// The connection's last known state.
  package let connection: Connection
  /// Identifies the device across reconnections: the peer's identity address, if known.
  package let device: UInt64
  package let name: [UInt8]?
  /// How the link went: parameters, procedures, acknowledgements, end.
  package let link: LinkHistory
  /// How the link is protected, and why.
  package let security: LinkSecurityState
  package let pairing: PairingHistory
  /// Encryption, and the keys that were used.
  package let encryption: EncryptionHistory
  package let attributes: AttributeHistory
  package let channels: ChannelHistory
  /// How fast values crossed the link.
  package let transfers: LinkTransfers
  /// What a sniffer shows of it; nil if a host recorded it.
  package let air: AirHistory?
  /// Whether the capture omits all data, so that pairings and MTUs are unknown.
  package let lacksData: Bool

  package var id: Int { connection.id }
  /// The packets between its beginning and its end; a connection that is open at an end of the
  /// capture has no bound there.
  package var packets: ClosedRange<Int> {
    let first = connection.isOpeningMissing ? 1 : connection.firstPacket
    return first...max(first, connection.lastPacket ?? .max)
  }

  /// The name of the peer without digits of its address, which many products append.
  package var product: String? {
    guard let name else { return nil }
    let text = String(decoding: name, as: UTF8.self).uppercased()
    let digits = connection.peer.map { String($0.value, radix: 16, uppercase: true) } ?? ""
    let own = [12, 8, 6, 4].lazy.map(digits.suffix).first {
      $0.count >= 4 && text.contains(text: $0)
    }
    return own.map { text.replacing(text: $0, with: "") } ?? text
  }

  init(_ notes: ConnectionNotes) {
    (connection, device, name) = (notes.connection, notes.device, notes.name)
    (link, security, pairing) = (notes.link, notes.security, notes.pairing)
    (encryption, attributes) = (notes.encryption, notes.attributes)
    (channels, transfers, lacksData) = (notes.channels, notes.transfers, notes.lacksData)
    air = notes.connection.isOnAir ? notes.air : nil
  }
}

/// The notes on a connection while the capture is read. Bounded: each part has its own limits.
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
  var transfers = LinkTransfers()
  @Rare var air: AirHistory
  /// Whether the capture omits all data.
  var lacksData = false
  /// The approximate bytes of the notes and the number of used attributes when last measured, and
  /// the packets left until the next measurement.
  private(set) var measured = 0
  private var measuredUsages = 0
  private var unmeasured = 0
  /// Only some packets add up, since each adds little unless it uses further attributes.
  private static let betweenMeasuring = 8

  /// Measures the notes approximately, unless that was done a few packets ago.
  ///
  /// - Returns: the growth since the last measurement, in bytes.
  mutating func measure() -> Int {
    unmeasured &-= 1
    guard unmeasured < 0 || attributes.usages.count != measuredUsages else { return 0 }
    (unmeasured, measuredUsages) = (Self.betweenMeasuring, attributes.usages.count)
    let before = measured
    measured =
      MemoryLayout<Self>.stride + attributes.bytes + link.bytes + channels.bytes + transfers.size
      + ListBytes.of(encryption.attempts) + pairing.attempts.count * Self.pairingBytes
      + (connection.isOnAir ? $air.bytes + $air.part { $0.bytes } : 0)
    return measured - before
  }

  /// The approximate size of a pairing attempt in bytes, with the values that were exchanged.
  private static let pairingBytes = MemoryLayout<PairingAttempt>.stride + 512

  init(_ connection: Connection, _ knowledge: ProfileKnowledge) {
    attributes = AttributeHistory(knowledge)
    self.connection = connection
    device = Attributes.key(of: .peer, connection)
  }

  /// Records a packet of the connection.
  ///
  /// - Parameter isComplete: whether the use of attributes and channels is recorded, too.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory, isComplete: Bool) {
    if let fact = packet.answer.air {
      guard observe(packet, fact, memory) else { return }
    }
    link.observe(packet, memory)
    if isComplete { transfers.observe(packet, memory) }
    if packet.dissection.att != nil {
      if encryption.awaitsData { encryption.observeData(packet.record) }
      if encryption.isStarting { encryption.observeDataMeanwhile(packet.record) }
      if isComplete {
        attributes.observe(packet, memory, security.protection)
      }
      return
    }
    // No pairing begins after the end of the link: later data belongs to a link whose opening is
    // not in the capture.
    if packet.dissection.smp != nil, let ended = link.ended, ended.packet < packet.record.number {
      guard case .failed? = packet.dissection.smp, packet.record.direction == .received else {
        return
      }
    }
    if isComplete { channels.observe(packet, memory) }
    security.observe(packet, memory)
    pairing.observe(packet, memory, isEncrypted: security.isEncrypted == true)
    encryption.observe(packet, memory)
  }

  /// Records a packet on the air. Returns whether it has more than what only such packets have.
  private mutating func observe(
    _ packet: borrowing Packet, _ fact: AirFact, _ memory: borrowing Memory
  ) -> Bool {
    if case .advertising = packet.dissection.content { return true }
    if let slot = packet.answer.link { air.gap = memory.links.gap(of: slot) }
    air.observe(packet, fact, mayPause: link.current?.latency ?? 0 > 0)
    guard fact.crc != .wrong, let direction = packet.record.direction else { return false }
    let (moment, side) = (Moment(packet.record), Side(sent: direction))
    if side == .peer { link.hearOnAir(moment) }
    switch packet.dissection.content {
    case .acl:
      security.note(isEncrypted: fact.encryption != .clear, moment)
      return true
    case .linkControl:
      security.note(isEncrypted: fact.encryption != .clear, moment)
      observeControl(packet, fact, moment, side)
    case .linkData(let pdu) where fact.encryption == .unread && !pdu.isEmpty && !fact.isResent:
      security.note(isEncrypted: true, moment)
      if side == .peer { succeed(moment) }
    default: break
    }
    return false
  }

  private mutating func observeControl(
    _ packet: borrowing Packet, _ fact: AirFact, _ moment: Moment, _ side: Side
  ) {
    let body = packet.dissection.body
    guard !body.isEmpty, let control = LinkControl(packet.bytes, body) else { return }
    let opcode = LinkOpcode(rawValue: packet.bytes.byte(at: Int(body.start)))
    air.observe(control, opcode, moment, from: side, fact)
    link.observe(control, moment, from: side)
    switch control {
    case .encryptionRequest(let request):
      pairing.beginEncryption(moment, by: .local)
      encryption.begin(
        request, moment, isWhole: !connection.isOpeningMissing && !air.isIncomplete)
    case .reject(let rejected, let reason) where side == .peer:
      guard rejected == nil || rejected == .encryptionRequest, encryption.fail(reason, moment)
      else { return }
      pairing.observe(encryption: true, reason, moment)
    case .terminate(.pinOrKeyMissing):
      if encryption.fail(.pinOrKeyMissing, moment) {
        pairing.observe(encryption: true, .pinOrKeyMissing, moment)
      }
    case .startEncryptionResponse where side == .peer: succeed(moment)
    default: break
    }
  }

  /// Records that the peripheral sends encrypted, so that the link is encrypted.
  private mutating func succeed(_ moment: Moment) {
    if encryption.succeedOnAir(moment) { pairing.observe(encryption: true, .success, moment) }
  }

  /// Processes the end of the capture.
  ///
  /// - Parameter lacksData: whether the capture omits all data.
  mutating func finish(_ memory: borrowing Memory, _ extent: CaptureExtent, lacksData: Bool) {
    if let known = connection.peer.flatMap({ memory.identities.search($0) }) {
      device = Attributes.key(known.address, known.type)
    } else {
      device = memory.attributes.currentKey(Attributes.key(of: .peer, connection))
    }
    if let entry = connection.name, let known = memory.names[entry] { name = known.bytes.array }
    if connection.isOnAir { finishAir(memory, extent) }
    link.finish(connection, extent)
    pairing.finish(connection, memory, extent)
    encryption.finish(pairing, mayHavePairedAfter: lacksData ? 0 : pairing.cut?.first.packet)
    if !connection.isOpeningMissing {
      for attempt in encryption.attempts where attempt.failure != nil {
        attributes.learnUnencrypted(attempt.packets)
      }
    }
    self.lacksData = lacksData
    attributes.finish(connection, memory, at: extent.latest)
  }

  /// Completes a connection on the air: how it ended, and what the capture lacks of it.
  private mutating func finishAir(_ memory: borrowing Memory, _ extent: CaptureExtent) {
    air.finish(connection, link.current ?? link.parameters, memory, extent)
    if air.isIncomplete { connection.hasLostPackets = true }
    channels.forgetOpen(before: air.lastGap)
    guard connection.ending == nil || connection.ending == .unknown, let last = air.last else {
      return
    }
    switch air.end {
    case .open where connection.ending == nil: return
    case .open: break
    case .terminated:
      guard let termination = air.termination else { return }
      connection.ending = termination.side == .local ? .localHost : .peer
      connection.reason = termination.reason
    case .peripheralSilent: connection.ending = .timeout
    case .neverEstablished: connection.ending = .neverEstablished
    case .terminatedUnread, .unseen: connection.ending = .unknown
    }
    (connection.lastPacket, connection.lastTime) = (last.packet, last.time)
  }
}
