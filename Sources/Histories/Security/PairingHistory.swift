package import Bluetooth
import Bytes
import Captures
package import Cryptography
import Dissectors
package import Sessions

/// The pairings of a connection, and what led to them. Bounded: of very many attempts those in the
/// middle are only counted, and so are the actions of users and programs.
package struct PairingHistory: Sendable {
  /// A Security Request, and its result (Core, Vol 3, Part H, 2.4.6).
  package struct SecurityRequest: Sendable {
    /// The first request, and the last one, if it was sent several times.
    package let moment: Moment
    package internal(set) var last: Moment
    /// The sender: the peripheral.
    package let side: Side
    package let authReq: AuthReq
    /// The number of requests before it was answered.
    package internal(set) var count = 1
    /// The answer: a Pairing Request, the start of encryption, or Pairing Failed.
    package internal(set) var answer: Moment?
    package internal(set) var cameEncrypted = false
  }

  /// The attempts, in order, and their total number.
  package private(set) var attempts: [PairingAttempt] = []
  package private(set) var attemptCount = 0
  /// The number of attempts that are not kept: those in the middle.
  package var omitted: Int { attemptCount - attempts.count }
  /// Of many attempts the first ones are kept, and the last ones.
  package static let firstAttempts = 8
  package private(set) var securityRequests: [SecurityRequest] = []
  /// The actions of users and programs, as the management interface reports them.
  package private(set) var acts: [PairingAct] = []
  /// The local address with which the link was established, if the capture contains it.
  package internal(set) var ownAddress: PairingAddress?
  /// LE Enable Encryption, or the request for a long-term key, that waits for its result.
  private var encryptionStart: Moment?

  /// The PDUs of a pairing of which the capture has only the beginnings: too little for an attempt.
  package private(set) var cut: PairingAttempt.Run?

  private static let mostAttempts = 24
  private static let mostSecurityRequests = 8
  private static let mostActs = 24

  // MARK: Packets

  /// Records a packet that is not an ATT PDU.
  ///
  /// - Parameter isEncrypted: whether the link is known to be encrypted.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory, isEncrypted: Bool) {
    switch packet.dissection.content {
    case .acl:
      guard let pdu = packet.dissection.smp, let direction = packet.record.direction else { return }
      observe(
        pdu, packet.bytes.part(packet.dissection.body), Moment(packet.record),
        Side(sent: direction),
        isOverBREDR: packet.dissection.l2cap?.cid.rawValue == Self.classicChannel, packet.answer,
        memory,
        isEncrypted: isEncrypted)
    case .event:
      switch packet.dissection.fact {
      case .encryption(let change):
        observe(encryption: change.isOn ?? true, change.status, Moment(packet.record))
      // The central starts encryption.
      case .keyRequest: beginEncryption(Moment(packet.record), by: .peer)
      default: return
      }
    case .command(let command) where command.opcode == HCICommand.leEnableEncryption:
      beginEncryption(Moment(packet.record), by: .local)
    default: return
    }
  }

  /// The channel of SMP over BR/EDR.
  private static let classicChannel: UInt16 = 7

  private mutating func observe(
    _ pdu: SMPPDU, _ bytes: RawSpan, _ moment: Moment, _ sender: Side, isOverBREDR: Bool,
    _ answer: Answer, _ memory: borrowing Memory, isEncrypted: Bool
  ) {
    switch pdu {
    case .pairing(let features) where features.opcode == .pairingRequest:
      var attempt = PairingAttempt(
        initiator: sender, pdu.opcode, moment, by: sender, isOverBREDR: isOverBREDR)
      attempt.initiating.features = PairingAttempt.Features(
        moment: moment, pdu: features, command: PairingCommand(bytes))
      attempt.askedFor = answerSecurityRequest(from: sender.other, moment)
      begin(attempt, answer, memory, isEncrypted: isEncrypted)
    case .securityRequest(let wanted):
      observe(wanted, moment, sender, isEncrypted: isEncrypted)
    default:
      if !belongsToLatest(pdu) {
        guard let attempt = attemptWithoutRequest(pdu, moment, sender, isOverBREDR, answer, memory)
        else {
          if case .incomplete = pdu, answer.fragment.isTruncated {
            PairingAttempt.Run.add(moment, to: &cut)
          }
          return
        }
        begin(attempt, answer, memory, isEncrypted: isEncrypted)
      }
      guard !attempts.isEmpty else { return }
      let latest = attempts.count - 1
      let method = attempts[latest].method ?? answer.pairing?.method
      // The method is known from the response on, which is not recorded yet.
      if pdu.opcode != .pairingResponse { attempts[latest].method = method }
      attempts[latest].record(pdu, bytes, moment, from: sender)
      attempts[latest].method = method
    }
  }

  /// Returns whether a PDU continues the latest attempt. PDUs that were still under way after
  /// Pairing Failed do, too: they are recorded, and change nothing.
  private func belongsToLatest(_ pdu: SMPPDU) -> Bool {
    guard let latest = attempts.last else { return false }
    if case .failed = pdu, latest.ending != nil || latest.isPaired { return false }
    return true
  }

  /// Returns an attempt whose Pairing Request is not in the capture, or nil if the PDU does not
  /// indicate one.
  private mutating func attemptWithoutRequest(
    _ pdu: SMPPDU, _ moment: Moment, _ sender: Side, _ isOverBREDR: Bool, _ answer: Answer,
    _ memory: borrowing Memory
  ) -> PairingAttempt? {
    if case .failed = pdu {
      // The central refuses a request to pair.
      if let asked = answerSecurityRequest(from: sender.other, moment) {
        var attempt = PairingAttempt(initiator: sender, pdu.opcode, moment, by: sender)
        attempt.askedFor = asked
        return attempt
      }
      guard attempts.isEmpty else { return nil }
    }
    switch pdu {
    case .keypressNotification, .incomplete, .unknown: return nil
    default: break
    }
    var initiator = sender
    if case .pairing = pdu {
      initiator = sender.other
    } else if let link = answer.link, let central = memory.links.connection(link).central {
      initiator = central
    }
    var attempt = PairingAttempt(
      initiator: initiator, pdu.opcode, moment, by: sender, isOverBREDR: isOverBREDR)
    attempt.isBeginningMissing = true
    return attempt
  }

  private mutating func begin(
    _ attempt: PairingAttempt, _ answer: Answer, _ memory: borrowing Memory, isEncrypted: Bool
  ) {
    if let latest = attempts.indices.last {
      if attempts[latest].isUnderWay { attempts[latest].close(.superseded, at: attempt.first) }
      attempts[latest].settle()
    }
    var attempt = attempt
    attempt.beganEncrypted = isEncrypted && !attempt.isBeginningMissing
    attempt.addresses.own = ownAddress
    if let link = answer.link {
      let connection = memory.links.connection(link)
      if let resolvable = connection.peerResolvable {
        attempt.addresses.peer = PairingAddress(resolvable, isRandom: true)
      } else if let peer = connection.peer, let type = connection.peerType {
        attempt.addresses.peer = PairingAddress(peer, type)
      }
    }
    attemptCount &+= 1
    if attempts.count >= Self.mostAttempts { attempts.remove(at: Self.firstAttempts) }
    attempts.append(attempt)
  }

  // MARK: Security Requests and encryption

  private mutating func observe(
    _ authReq: AuthReq, _ moment: Moment, _ sender: Side, isEncrypted: Bool
  ) {
    if let latest = securityRequests.indices.last, securityRequests[latest].answer == nil,
      securityRequests[latest].side == sender
    {
      securityRequests[latest].count &+= 1
      securityRequests[latest].last = moment
      return
    }
    guard securityRequests.count < Self.mostSecurityRequests else { return }
    var request = SecurityRequest(moment: moment, last: moment, side: sender, authReq: authReq)
    request.cameEncrypted = isEncrypted
    // The two cross if the central has already started on its own.
    let isPairing = attempts.last.map { $0.isUnderWay && $0.initiator != sender } ?? false
    request.answer = isPairing ? attempts.last?.first : encryptionStart
    securityRequests.append(request)
  }

  /// Records that the central has acted, which answers the Security Request of `side`.
  ///
  /// - Returns: the request.
  private mutating func answerSecurityRequest(from side: Side, _ moment: Moment) -> Moment? {
    guard let latest = securityRequests.indices.last, securityRequests[latest].side == side,
      securityRequests[latest].answer == nil
    else { return nil }
    securityRequests[latest].answer = moment
    return securityRequests[latest].moment
  }

  mutating func beginEncryption(_ moment: Moment, by side: Side) {
    encryptionStart = moment
    _ = answerSecurityRequest(from: side.other, moment)
  }

  mutating func observe(encryption isOn: Bool, _ status: StatusCode, _ moment: Moment) {
    encryptionStart = nil
    if isOn, status == .success, let latest = securityRequests.indices.last,
      securityRequests[latest].answer == nil
    {
      securityRequests[latest].answer = moment
    }
    guard let latest = attempts.indices.last, attempts[latest].ending == nil,
      attempts[latest].encrypted == nil, attempts[latest].isReadyForEncryption
    else { return }
    if status != .success {
      attempts[latest].close(.notEncrypted(status), at: moment)
    } else if isOn {
      attempts[latest].encrypted = moment
    }
  }

  // MARK: Users and programs

  /// Records an action of a user or a program that the management interface reports. Each of its
  /// sockets has a record of the event: only the first one counts.
  mutating func observe(_ act: PairingAct) {
    if let last = acts.last, last.kind == act.kind, last.moment.packet == act.moment.packet - 1 {
      return
    }
    if acts.count >= Self.mostActs { acts.removeFirst() }
    acts.append(act)
  }

  package func attempt(before packet: Int) -> PairingAttempt? {
    attempts.last { $0.first.packet < packet }
  }

  /// Returns the actions of users and programs during an attempt.
  package func acts(during attempt: PairingAttempt) -> [PairingAct] {
    let end = attempt.end?.packet ?? .max
    return acts.filter { $0.moment.packet > attempt.first.packet && $0.moment.packet <= end }
  }

  // MARK: The end

  /// Processes the end of the capture.
  mutating func finish(
    _ connection: Connection, _ memory: borrowing Memory, _ extent: CaptureExtent
  ) {
    guard let latest = attempts.indices.last else { return }
    if attempts[latest].isUnderWay, let packet = connection.lastPacket, connection.ending != nil,
      connection.ending != .forgotten, connection.ending != .fileEnded
    {
      attempts[latest].close(.abandoned, at: Moment(packet: packet, time: connection.lastTime))
    }
    attempts[latest].settle()
  }

  mutating func search(_ searches: inout PasskeySearches) {
    for index in attempts.indices { attempts[index].search(&searches) }
  }
}

/// How the devices of a connection were paired.
package enum PairedState: Equatable {
  case method(PairingMethod)
  case no
  case failed
  case bondedEarlier
  case unknown

  /// The name in the JSON contract.
  package var key: StaticString {
    switch self {
    case .method(let method): method.key
    case .no: "no"
    case .failed: "failed"
    case .bondedEarlier: "bonded_earlier"
    case .unknown: "unknown"
    }
  }
}

extension ConnectionHistory {
  /// How the devices were paired.
  package var paired: PairedState {
    if let attempt = pairing.attempts.last(where: \.isPaired) {
      return attempt.method.map { .method($0) } ?? .unknown
    }
    if pairing.attempts.contains(where: { $0.failure != nil || $0.hasStopped }) { return .failed }
    if !pairing.attempts.isEmpty { return .unknown }
    switch connection.isEncrypted {
    case true: return usesEarlierKey ? .bondedEarlier : .unknown
    case _ where mayHavePairedUnseen: return .unknown
    case false: return connection.isOpeningMissing ? .unknown : .no
    case nil: return .unknown
    }
  }

  /// Whether the devices may have paired on this connection although no attempt is known.
  package var mayHavePairedUnseen: Bool { lacksData || pairing.cut != nil }

  /// Whether the link was encrypted with a key that existed before the connection.
  package var usesEarlierKey: Bool {
    encryption.attempts.contains { $0.outcome == .encrypted && $0.origin == .stored }
      || encryption.authentications.contains { $0.hasKey == true && $0.newKey == nil }
  }
}
