import Bluetooth
import Bytes
import Cryptography
import Dissectors
import Sessions

extension PairingAttempt.Party {
  /// Records a confirm value, and returns the run of confirm values.
  fileprivate mutating func add(confirm: PairingValue?, _ moment: Moment) -> PairingAttempt.Run? {
    PairingAttempt.Run.add(moment, to: &confirms)
    if confirms?.count == 1 { firstConfirm = confirm }
    return confirms
  }

  /// Records a random value, and returns the run of random values.
  fileprivate mutating func add(random: PairingValue?, _ moment: Moment) -> PairingAttempt.Run? {
    PairingAttempt.Run.add(moment, to: &randoms)
    if randoms?.count == 1 { firstRandom = random }
    lastRandom = random
    return randoms
  }
}

extension PairingAttempt {
  /// Records a PDU that is neither a Pairing Request nor a Security Request.
  mutating func record(_ pdu: SMPPDU, _ bytes: RawSpan, _ moment: Moment, from sender: Side) {
    let role = role(of: sender)
    if isUnexpected(pdu, role) {
      if unexpected == nil { unexpectedOpcode = pdu.opcode }
      Run.add(moment, to: &unexpected)
    }
    // PDUs that were under way when it ended are recorded, but do not count as steps.
    if ending == nil {
      (last, lastSender) = (moment, sender)
      if pdu.opcode != .pairingFailed { lastOpcode = pdu.opcode }
    }
    switch pdu {
    case .pairing(let pdu):
      let features = Features(moment: moment, pdu: pdu, command: PairingCommand(bytes))
      if self[role].features == nil {
        self[role].features = features
      } else if role == .responder, secondResponse == nil {
        secondResponse = features
      }
    case .publicKey:
      guard self[role].publicKey == nil else { return }
      self[role].publicKey = (moment, P256PublicKey(bytes.dropping(1)))
    case .confirm:
      let value = PairingValue(bytes.dropping(1))
      let run = self[role].add(confirm: value, moment)
      record(value, run, role == .initiator ? \.initiatorConfirm : \.responderConfirm)
    case .random:
      let value = PairingValue(bytes.dropping(1))
      let run = self[role].add(random: value, moment)
      record(value, run, role == .initiator ? \.initiatorRandom : \.responderRandom)
    case .dhKeyCheck:
      guard self[role].check == nil else { return }
      self[role].check = moment
      self[role].checkValue = PairingValue(bytes.dropping(1))
    case .keypressNotification(let type):
      Run.add(moment, to: &self[role].keypresses)
      self[role].presses[Int(min(type, 5))] &+= 1
    case .encryptionInformation, .centralIdentification: record(key: 1, moment, role)
    case .identityInformation, .identityAddressInformation: record(key: 2, moment, role)
    case .signingInformation: record(key: 4, moment, role)
    case .failed(let reason): close(.failed(reason, by: sender), at: moment)
    case .securityRequest, .incomplete, .unknown: break
    }
  }

  private mutating func record(key bit: UInt8, _ moment: Moment, _ role: PairingSide) {
    Run.add(moment, to: &self[role].keys)
    self[role].keyBits |= bit
  }

  /// Returns the round of a value: passkey entry over Secure Connections has 20.
  private func round(_ run: Run?) -> Int? {
    guard let method, method.isSecureConnections, method.hasPasskey, let run,
      run.count <= SecureConnectionsRounds.count
    else { return nil }
    return run.count - 1
  }

  /// Records a value of a round, the last one of a run.
  private mutating func record(
    _ value: PairingValue?, _ run: Run?,
    _ field: WritableKeyPath<SecureConnectionsRounds.Values, PairingValue?>
  ) {
    guard let round = round(run) else { return }
    while rounds.count <= round { rounds.append(SecureConnectionsRounds.Values()) }
    rounds[round][keyPath: field] = value
  }

  /// Returns whether a PDU cannot occur at this point, whatever the capture lacks: a second Pairing
  /// Response, values of a kind of pairing that was not agreed on, or more values than rounds.
  private func isUnexpected(_ pdu: SMPPDU, _ role: PairingSide) -> Bool {
    guard let method, !isOverBREDR, ending == nil else { return false }
    let most = method.isSecureConnections && method.hasPasskey ? SecureConnectionsRounds.count : 1
    switch pdu {
    case .pairing: return true
    case .publicKey: return !method.isSecureConnections || self[role].publicKey != nil
    case .dhKeyCheck: return !method.isSecureConnections || self[role].check != nil
    case .confirm: return (self[role].confirms?.count ?? 0) >= most
    case .random: return (self[role].randoms?.count ?? 0) >= most
    default: return false
    }
  }

  /// Whether the link can be encrypted with its key by now: the preceding values were seen, or some
  /// of them if records are missing.
  var isReadyForEncryption: Bool {
    if isOverBREDR { return false }
    return isSecureConnections
      ? initiating.check != nil || responding.check != nil
      : initiating.randoms != nil || responding.randoms != nil
  }

  /// Whether everything that precedes encryption has been exchanged. What is missing afterwards
  /// does not concern the Security Manager.
  package var isAuthenticated: Bool {
    isSecureConnections
      ? initiating.check != nil && responding.check != nil
      : initiating.randoms != nil && responding.randoms != nil
  }

  /// Records how it ended.
  mutating func close(_ ending: Ending, at moment: Moment?) {
    guard self.ending == nil else { return }
    self.ending = ending
    end = moment
  }
}
