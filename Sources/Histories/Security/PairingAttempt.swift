package import Bluetooth
package import Cryptography
package import Dissectors
package import Sessions

/// An attempt of two devices to pair: from the Pairing Request, or the Security Request that was
/// refused, to its end. The values of its rounds are kept only until it has ended.
package struct PairingAttempt: Sendable {
  /// The features that a side declared (Core, Vol 3, Part H, 3.5.1 and 3.5.2).
  package struct Features: Sendable {
    /// The Pairing Request or Pairing Response, and its fields.
    package let moment: Moment
    package let pdu: SMP.PairingFeatures
    /// Its bytes, including the code; nil if some are missing from the capture.
    package let command: PairingCommand?
  }

  /// PDUs of one kind from one side.
  package struct Run: Sendable {
    package let first: Moment
    package var last: Moment
    package var count = 1

    init(_ moment: Moment) { (first, last) = (moment, moment) }

    /// Adds a PDU to a run, which may be the first one.
    static func add(_ moment: Moment, to run: inout Run?) {
      guard run != nil else {
        run = Run(moment)
        return
      }
      run?.last = moment
      run?.count &+= 1
    }
  }

  /// What one side sent.
  package struct Party: Sendable {
    package internal(set) var features: Features?
    /// Its public key (Secure Connections).
    package internal(set) var publicKey: (moment: Moment, key: P256PublicKey?)?
    /// Its confirm values, which are commitments.
    package internal(set) var confirms: Run?
    /// Its random values, which open the commitments.
    package internal(set) var randoms: Run?
    /// Its check value (Secure Connections).
    package internal(set) var check: Moment?
    package internal(set) var keypresses: Run?
    /// The number of Keypress Notifications by type: 0 started, 1 entered, 2 erased,
    /// 3 cleared, 4 completed, 5 any other (Core, Vol 3, Part H, 3.5.8).
    package internal(set) var presses = [0, 0, 0, 0, 0, 0]
    /// The keys that it distributed: bit 0 LTK, 1 IRK, 2 CSRK.
    package internal(set) var keys: Run?
    package internal(set) var keyBits: UInt8 = 0
    /// Its first confirm value, and the random value that opens it.
    var firstConfirm: PairingValue?
    var firstRandom: PairingValue?
    var lastRandom: PairingValue?
    var checkValue: PairingValue?
  }

  /// How an attempt ended.
  package enum Ending: Equatable, Sendable {
    /// Pairing Failed.
    case failed(PairingFailure, by: Side)
    /// The link ended first.
    case abandoned
    /// Another Pairing Request came first.
    case superseded
    /// Encryption failed at the end: the keys do not match, or the controller refused.
    case notEncrypted(StatusCode)
  }

  /// Why a commitment does not open as it should.
  package enum Flaw: Equatable, Sendable {
    /// c1 of LE legacy pairing, with its deviations; empty if none is recognised.
    case legacy([ConfirmDeviation])
    /// f4, with its deviation; nil if none is recognised.
    case secureConnections(CommitmentDeviation?)
  }

  /// The result of a passkey search; the findings are nil if none of the million passkeys fits.
  package struct Searched: Sendable {
    /// The findings for the opened commitments that were searched.
    var findings: [PairingSide: PasskeySearch.Finding?] = [:]
    package var initiator: PasskeySearch.Finding? { finding(.initiator) }
    package var responder: PasskeySearch.Finding? { finding(.responder) }
    package var hasInitiator: Bool { has(.initiator) }
    /// Whether the search also covered devices that compute their values incorrectly.
    package internal(set) var lookedForDeviations = true

    /// Returns whether a side's commitment was searched.
    package func has(_ role: PairingSide) -> Bool { findings[role] != nil }

    /// Returns what the search found for a side.
    package func finding(_ role: PairingSide) -> PasskeySearch.Finding? { findings[role] ?? nil }
  }

  /// What the exchanged values reveal.
  package struct Outcome: Sendable {
    /// The six digits that both sides show in numeric comparison; g2 yields them for Just Works,
    /// too.
    package internal(set) var digits: SixDigits?
    /// The responder's only commitment in numeric comparison and Just Works.
    package internal(set) var commitment: SecureConnectionsCommitment?
    /// Passkey entry over Secure Connections: the rounds in which both sides had the same bit.
    package internal(set) var agreed = PasskeyBits()
    /// Where the bits of the two sides first differ.
    package internal(set) var parting: SecureConnectionsRounds.Parting?
    /// The commitments of the last round that was started.
    package internal(set) var lastRound: SecureConnectionsRounds.Round?
    /// The sides whose public key is not a point on the curve.
    package internal(set) var invalidKeys: [PairingSide] = []
    /// Whether both public keys have the same X coordinate.
    package internal(set) var isReflected = false
    /// The sides that used the specification's debug key pair.
    package internal(set) var debugKeys: [PairingSide] = []
    /// The long-term key that follows from it.
    package internal(set) var longTermKey: PairingValue?
    /// How each side's check value was computed, if the shared secret is known: an empty list if it
    /// is correct, nil if no computation fits.
    package internal(set) var checks: [PairingSide: [CheckDeviation]?] = [:]
    package internal(set) var search: Searched?
    /// Why no search was made: the capture lacks both addresses, or there were too many failures.
    package internal(set) var lacksAddresses = false
  }

  /// The side that sent the Pairing Request.
  package let initiator: Side
  /// Whether keys for LE are distributed over an encrypted BR/EDR link (2.4.2.4).
  package let isOverBREDR: Bool
  package let first: Moment
  /// The last packet, and its sender.
  package internal(set) var last: Moment
  package internal(set) var lastSender: Side
  /// The last PDU that is not Pairing Failed.
  package internal(set) var lastOpcode: SMPOpcode
  /// Whether its beginning is not in the capture.
  package internal(set) var isBeginningMissing = false
  /// The Security Request that it answers.
  package internal(set) var askedFor: Moment?
  /// How the two authenticate each other; nil until both have declared their features.
  package internal(set) var method: PairingMethod?
  package internal(set) var initiating = Party()
  package internal(set) var responding = Party()
  /// Whether the link was encrypted when it began.
  package internal(set) var beganEncrypted = false
  /// When the link was encrypted with its key.
  package internal(set) var encrypted: Moment?
  /// How it ended without success; nil also if the capture ends first.
  package internal(set) var ending: Ending?
  package internal(set) var end: Moment?
  /// The PDUs that arrived at an impossible point: the first, and how many.
  package internal(set) var unexpected: Run?
  /// A second Pairing Response to one request.
  package internal(set) var secondResponse: Features?
  /// The opcode of the first of the unexpected PDUs.
  package internal(set) var unexpectedOpcode: SMPOpcode?
  /// What its values reveal, after it has ended.
  package internal(set) var outcome = Outcome()
  /// The addresses with which the link was established.
  var addresses: (own: PairingAddress?, peer: PairingAddress?)
  var isSettled = false
  /// The values of passkey rounds over Secure Connections.
  var rounds: [SecureConnectionsRounds.Values] = []

  init(
    initiator: Side, _ opcode: SMPOpcode, _ moment: Moment, by sender: Side,
    isOverBREDR: Bool = false
  ) {
    (self.initiator, self.isOverBREDR, first) = (initiator, isOverBREDR, moment)
    (last, lastSender, lastOpcode) = (moment, sender, opcode)
  }

  package func side(_ role: PairingSide) -> Side {
    role == .initiator ? initiator : initiator.other
  }

  package func role(of side: Side) -> PairingSide { side == initiator ? .initiator : .responder }

  package internal(set) subscript(role: PairingSide) -> Party {
    get { role == .initiator ? initiating : responding }
    // In place: a side is large, and each of the eighty values of the passkey rounds changes it.
    _modify { if role == .initiator { yield &initiating } else { yield &responding } }
  }

  package func address(of role: PairingSide) -> PairingAddress? {
    side(role) == .local ? addresses.own : addresses.peer
  }

  /// Whether new keys were established: the link was encrypted with them, or they were distributed.
  package var isPaired: Bool {
    if case .failed = ending { return false }
    if case .notEncrypted = ending { return false }
    return encrypted != nil || initiating.keys != nil || responding.keys != nil
  }

  /// Whether both sides keep the keys.
  package var isBonded: Bool {
    guard isPaired, let (request, response) = declared else { return false }
    return request.authReq.bonds && response.authReq.bonds
  }

  /// What the two declared, if both have.
  var declared: (request: SMP.PairingFeatures, response: SMP.PairingFeatures)? {
    guard let request = initiating.features?.pdu, let response = responding.features?.pdu else {
      return nil
    }
    return (request, response)
  }

  /// Returns the keys that a side has to send: bit 0 LTK, 1 IRK, 2 CSRK. With Secure Connections
  /// there is no LTK to send (Core, Vol 3, Part H, 3.6.1).
  package func agreedKeys(of role: PairingSide) -> UInt8 {
    guard let (request, response) = declared else { return 0 }
    let both =
      role == .initiator
      ? request.initiatorKeys.rawValue & response.initiatorKeys.rawValue
      : request.responderKeys.rawValue & response.responderKeys.rawValue
    return both & (request.authReq.supportsSC && response.authReq.supportsSC ? 0b110 : 0b111)
  }

  /// The maximum key sizes that the sides declare.
  package var keySizes: [(side: Side, size: UInt8, packet: Int)] {
    [PairingSide.initiator, .responder].compactMap { role in
      self[role].features.map { (side(role), $0.pdu.maximumEncryptionKeySize, $0.moment.packet) }
    }
  }

  /// Whether the two agreed to derive the link key of BR/EDR from the new key as well.
  package var derivesLinkKey: Bool {
    guard isSecureConnections, let (request, response) = declared else { return false }
    return [request, response].allSatisfy {
      $0.initiatorKeys.rawValue & $0.responderKeys.rawValue & 0b1000 != 0
    }
  }

  /// Whether a side has sent none of the keys that the two agreed on.
  package var lacksKeys: Bool {
    [PairingSide.initiator, .responder].contains { role in
      let agreed = agreedKeys(of: role)
      return agreed != 0 && self[role].keyBits & agreed == 0
    }
  }

  /// Whether it has neither succeeded nor ended.
  var isUnderWay: Bool { ending == nil && !isPaired }

  /// Whether it ended without success although no side refused. An attempt that was authenticated
  /// but not seen to be encrypted does not count.
  var hasStopped: Bool {
    if case .notEncrypted = ending { return true }
    return ending != nil && failure == nil && !isPaired && !isAuthenticated
  }

  /// Why it failed, if a side gave the reason.
  package var failure: (reason: PairingFailure, side: Side)? {
    if case .failed(let reason, let side) = ending { return (reason, side) }
    return nil
  }

  /// Whether it is LE Secure Connections; a public key shows that even if the beginning is missing.
  package var isSecureConnections: Bool {
    method?.isSecureConnections ?? (initiating.publicKey != nil || responding.publicKey != nil)
  }

  /// Returns whether a side shows the passkey that the user types on the other side.
  package func shows(_ role: PairingSide) -> Bool {
    switch method?.association {
    case .initiatorShowsPasskey: role == .initiator
    case .responderShowsPasskey: role == .responder
    default: false
    }
  }

  /// Returns whether a user types a passkey on a side.
  package func types(_ role: PairingSide) -> Bool { method?.hasPasskey == true && !shows(role) }
}
