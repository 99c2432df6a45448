import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// How a connection was encrypted, and with which keys.
///
/// Of more than `most` attempts the first ones and the last one are kept; the same applies to
/// authentications.
package struct EncryptionHistory: Sendable {
  /// The attempts to encrypt the link, in order.
  package internal(set) var attempts: [EncryptionAttempt] = []
  /// The authentications of a BR/EDR link.
  package internal(set) var authentications: [ClassicAuthentication] = []
  /// Whether the peer has not been heard since the link was encrypted; only then is data recorded.
  var awaitsData = false

  /// Whether the pairing under way has progressed so far that there is a key.
  private var isKeyAgreed = false
  private var isSecureConnections = false

  private static let most = 16
  private static let mostAuthentications = 8

  /// Records a packet that is not an ATT PDU.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    switch packet.dissection.content {
    case .acl:
      if let pdu = packet.dissection.smp, packet.record.direction != nil {
        observe(pdu, Moment(packet.record))
      }
      if awaitsData { observeData(packet.record) }
      if isStarting { observeDataMeanwhile(packet.record) }
    case .command(let command):
      guard let link = packet.answer.link else { return }
      observe(
        command.opcode, packet.bytes, packet.dissection.body, link, memory, Moment(packet.record))
    case .event(let event):
      guard let link = packet.answer.link else { return }
      observe(event, packet.dissection, packet.bytes, link, memory, Moment(packet.record))
    case .note, .control, .sco, .iso, .controllerLog, .unknown, .advertising, .linkData,
      .linkControl:
      break
    }
  }

  /// Whether encryption was started and has not ended.
  var isStarting = false

  /// Records data that is sent while encryption is being started.
  mutating func observeDataMeanwhile(_ record: borrowing CaptureRecord) {
    guard let last = attempts.indices.last, attempts[last].outcome == nil else {
      isStarting = false
      return
    }
    guard attempts[last].meanwhile == nil, let direction = record.direction,
      Side(sent: direction) == attempts[last].starter
    else { return }
    attempts[last].meanwhile = Moment(record)
  }

  /// Records data of any protocol: it shows whether the two understand each other.
  mutating func observeData(_ record: borrowing CaptureRecord) {
    guard let last = attempts.indices.last else {
      awaitsData = false
      return
    }
    if record.direction == .received {
      attempts[last].heard = Moment(record)
      awaitsData = false
    } else if attempts[last].sent == nil {
      attempts[last].sent = Moment(record)
    }
  }

  // MARK: The Security Manager

  private mutating func observe(_ pdu: SMPPDU, _ moment: Moment) {
    switch pdu.opcode {
    case .pairingRequest: (isKeyAgreed, isSecureConnections) = (false, false)
    case .pairingFailed: isKeyAgreed = false
    case .pairingPublicKey: isSecureConnections = true
    case .pairingRandom: isKeyAgreed = true
    case .pairingDHKeyCheck: (isKeyAgreed, isSecureConnections) = (true, true)
    default:
      guard pdu.opcode.distributesKeys, let last = attempts.indices.last,
        attempts[last].outcome == nil
      else { return }
      succeed(last, at: moment)
      attempts[last].isInferred = true
    }
  }

  // MARK: HCI commands

  private mutating func observe(
    _ opcode: UInt16, _ bytes: RawSpan, _ body: Slice, _ link: LinkSlot,
    _ memory: borrowing Memory, _ moment: Moment
  ) {
    var cursor = Cursor(bytes, body)
    switch opcode {
    case HCICommand.leEnableEncryption:
      var attempt = EncryptionAttempt(.command, moment, .unknown)
      if let command = try? LEEnableEncryption(parsing: &cursor) {
        (attempt.rand, attempt.ediv) = (command.rand, command.ediv)
        if let key = command.key { attempt.key = bytes.part(key).array }
      }
      begin(attempt, memory.links.connection(link))
    case HCICommand.leLongTermKeyRequestReply, HCICommand.leLongTermKeyRequestNegativeReply:
      guard let last = attempts.indices.last, attempts[last].start == .keyRequest,
        attempts[last].reply == nil
      else { return }
      attempts[last].reply = moment
      if opcode == HCICommand.leLongTermKeyRequestNegativeReply {
        attempts[last].isKeyMissingHere = true
      } else if let reply = try? LELongTermKeyRequestReply(parsing: &cursor) {
        attempts[last].key = bytes.part(reply.key).array
      }
    case HCICommand.setConnectionEncryption:
      begin(EncryptionAttempt(.classic, moment, .unknown), memory.links.connection(link))
    case HCICommand.authenticationRequested: authentications.append(ClassicAuthentication(moment))
    case HCICommand.linkKeyRequestReply, HCICommand.linkKeyRequestNegativeReply:
      guard let last = authentications.indices.last, authentications[last].end == nil else {
        return
      }
      authentications[last].reply = moment
      authentications[last].hasKey = opcode == HCICommand.linkKeyRequestReply
    default: observe(simplePairing: opcode, &cursor, moment)
    }
    if authentications.count > Self.mostAuthentications {
      authentications.remove(at: Self.mostAuthentications - 1)
    }
  }

  private mutating func begin(_ new: EncryptionAttempt, _ connection: Connection) {
    begin(new, isWhole: !connection.isOpeningMissing && !connection.hasLostPackets)
  }

  /// Adds a new attempt, and determines which key it uses.
  ///
  /// - Parameter isWhole: whether the capture has all packets of the link so far.
  mutating func begin(_ new: EncryptionAttempt, isWhole: Bool) {
    var attempt = new
    if isKeyAgreed {
      attempt.origin = .pairing(isSecureConnections: isSecureConnections)
      isKeyAgreed = false
    } else if attempt.ediv != 0 || attempt.rand != 0 || isWhole {
      attempt.origin = .stored
    }
    if attempts.count >= Self.most { attempts.removeLast() }
    attempts.append(attempt)
    awaitsData = false
    isStarting = attempt.start == .command || attempt.start == .keyRequest
  }

  // MARK: HCI events

  private mutating func observe(
    _ event: HCIEvent, _ dissection: Dissection, _ bytes: RawSpan, _ link: LinkSlot,
    _ memory: borrowing Memory, _ moment: Moment
  ) {
    switch dissection.fact {
    case .encryption(let change): end(change, memory.links.connection(link), moment)
    case .commandStatus(let status) where status.status != .success:
      switch status.opcode {
      case HCICommand.leEnableEncryption, HCICommand.setConnectionEncryption:
        guard let last = attempts.indices.last, attempts[last].outcome == nil else { return }
        attempts[last].outcome = .failed(status.status)
        attempts[last].isRefusedAtOnce = true
        attempts[last].end = moment
      case HCICommand.authenticationRequested: endAuthentication(status.status, moment)
      default: break
      }
    case .commandComplete(let complete):
      var cursor = Cursor(bytes, complete.returns)
      guard complete.opcode == HCICommand.readEncryptionKeySize,
        let values = try? ReadEncryptionKeySizeReturn(parsing: &cursor), values.status == .success,
        1...16 ~= values.size, let last = attempts.indices.last
      else { return }
      (attempts[last].keySize, attempts[last].keySizePackets) = (values.size, [moment.packet])
    case .authentication(let complete): endAuthentication(complete.status, moment)
    case .keyRequest(let request):
      var attempt = EncryptionAttempt(.keyRequest, moment, .unknown)
      (attempt.rand, attempt.ediv) = (request.rand, request.ediv)
      begin(attempt, memory.links.connection(link))
    case .linkKey(let notified):
      guard let last = authentications.indices.last else { return }
      (authentications[last].newKey, authentications[last].keyType) = (moment, notified.type)
    case .other where event.code == HCIEvent.linkKeyRequestCode:
      if authentications.last.map({ $0.end != nil }) ?? true,
        authentications.count < Self.mostAuthentications
      {
        authentications.append(ClassicAuthentication(moment))
      }
    case .other:
      var cursor = Cursor(bytes, dissection.body)
      ask(event.code, &cursor, moment)
    default: break
    }
  }

  private mutating func endAuthentication(_ status: StatusCode, _ moment: Moment) {
    guard let last = authentications.indices.last, authentications[last].end == nil else { return }
    authentications[last].status = status
    authentications[last].end = moment
  }

  private mutating func end(
    _ change: EncryptionChange, _ connection: Connection, _ moment: Moment
  ) {
    // Its event may come after the data that shows it.
    let isKnown = attempts.last.map { $0.outcome == nil || $0.isInferred } ?? false
    if !isKnown {
      // A new key replaces the old one on an encrypted link: its event does not report a change.
      if change.isRefresh { return }
      // Switching encryption off has its own command.
      begin(EncryptionAttempt(.unseen, moment, .unknown), connection)
    }
    guard let last = attempts.indices.last else { return }
    isStarting = false
    attempts[last].end = moment
    attempts[last].isInferred = false
    // Some controllers give 0, which is no size (Core, Vol 4, Part E, 7.7.8).
    if let keySize = change.keySize, 1...16 ~= keySize, change.status == .success {
      (attempts[last].keySize, attempts[last].keySizePackets) = (keySize, [moment.packet])
    }
    guard change.status == .success else {
      attempts[last].outcome = .failed(change.status)
      return
    }
    if change.isOn == false {
      attempts[last].outcome = .off
      return
    }
    if connection.transport == .brEDR, change.enabled == 2 { attempts[last].isAESCCM = true }
    succeed(last, at: moment)
  }

  mutating func succeed(_ last: Int, at moment: Moment) {
    isStarting = false
    attempts[last].end = moment
    attempts[last].outcome = .encrypted
    awaitsData = true
  }
}

extension EncryptionHistory {
  /// Processes the end of the capture. Of a new key, the sizes that both sides declare are known:
  /// the smaller one applies (Core, Vol 3, Part H, 2.3.4). After a pairing that the capture does
  /// not show, the key may be new: one of LE Secure Connections has the same empty identifiers as
  /// an older one.
  ///
  /// - Parameter unseen: the first packet after which the devices may have paired; nil: none.
  mutating func finish(_ pairing: PairingHistory, mayHavePairedAfter unseen: Int?) {
    for index in attempts.indices {
      if attempts[index].followsPairing, attempts[index].outcome == .encrypted,
        attempts[index].keySize == nil,
        let sizes = pairing.attempt(before: attempts[index].moment.packet)?.keySizes,
        sizes.count == 2
      {
        attempts[index].keySize = sizes.map(\.size).filter { 7...16 ~= $0 }.min()
        attempts[index].keySizePackets = sizes.map(\.packet)
      }
      if let unseen, attempts[index].origin == .stored, attempts[index].moment.packet > unseen,
        attempts[index].ediv == 0, attempts[index].rand == 0
      {
        attempts[index].origin = .unknown
      }
    }
  }

  /// Whether the link was ever encrypted.
  package var wasEncrypted: Bool { attempts.contains { $0.outcome == .encrypted } }

  /// Returns the first successful attempt after `attempt`.
  package func success(after attempt: EncryptionAttempt) -> EncryptionAttempt? {
    attempts.first { $0.outcome == .encrypted && $0.moment.packet > attempt.moment.packet }
  }
}
