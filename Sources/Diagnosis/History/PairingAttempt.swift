package import Bluetooth
package import Cryptography
package import Dissectors
package import Sessions

/// One attempt of two devices to pair: from the Pairing Request, or the Security Request that was refused,
/// to its end. The values of its rounds are kept only until it has ended.
package struct PairingAttempt: Sendable {
  /// What a side has said that it can do (Core, Vol 3, Part H, 3.5.1 and 3.5.2).
  package struct Features: Sendable {
    /// The Pairing Request or Pairing Response.
    package let moment: Moment
    /// Its fields.
    package let pdu: SMP.PairingFeatures
    /// Its bytes, the code included; nil where the capture lacks some.
    package let command: PairingCommand?
  }

  /// PDUs of one kind from one side.
  package struct Run: Sendable {
    /// The first one.
    package let first: Moment
    /// The last one.
    package var last: Moment
    /// How many there were.
    package var count = 1

    /// One PDU.
    init(_ moment: Moment) {
      first = moment
      last = moment
    }

    /// Takes in another one.
    static func add(_ moment: Moment, to run: inout Run?) {
      guard run != nil else {
        run = Run(moment)
        return
      }
      run?.last = moment
      run?.count &+= 1
    }
  }

  /// Keypress Notifications, by their type (Core, Vol 3, Part H, 3.5.8).
  package struct Keypresses: Sendable {
    /// The user began to enter the passkey.
    package private(set) var started = 0
    /// Entered a digit.
    package private(set) var entered = 0
    /// Erased one.
    package private(set) var erased = 0
    /// Erased all.
    package private(set) var cleared = 0
    /// Was done.
    package private(set) var completed = 0
    /// Types that the specification does not give out.
    package private(set) var other = 0

    /// Counts one.
    mutating func add(type: UInt8) {
      switch type {
      case 0: started &+= 1
      case 1: entered &+= 1
      case 2: erased &+= 1
      case 3: cleared &+= 1
      case 4: completed &+= 1
      default: other &+= 1
      }
    }
  }

  /// What one side has sent.
  package struct Party: Sendable {
    /// What it can do.
    package internal(set) var features: Features?
    /// Its public key (Secure Connections).
    package internal(set) var publicKey: (moment: Moment, key: P256PublicKey?)?
    /// Its confirm values: commitments.
    package internal(set) var confirms: Run?
    /// Its random values, which open them.
    package internal(set) var randoms: Run?
    /// Its check value (Secure Connections).
    package internal(set) var check: Moment?
    /// What it told of key presses.
    package internal(set) var keypresses: Run?
    /// And of which kinds they were.
    package internal(set) var presses = Keypresses()
    /// The keys that it gave.
    package internal(set) var keys: Run?
    /// Which ones: bit 0 LTK, 1 IRK, 2 CSRK.
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
    /// Encryption failed at the end of it: the keys do not agree, or the controller refuses.
    case notEncrypted(StatusCode)
  }

  /// What became of a commitment that does not open as it should.
  package enum Flaw: Equatable, Sendable {
    /// c1 of LE legacy pairing, with its deviations; none where nothing is recognised.
    case legacy([ConfirmDeviation])
    /// f4, with its deviation; nil where nothing is recognised.
    case secureConnections(CommitmentDeviation?)
  }

  /// What a passkey search has found: nil where none of the million fits.
  package struct Searched: Sendable {
    /// Of the initiator's opened commitment.
    package internal(set) var initiator: PasskeySearch.Finding?
    /// Of the responder's.
    package internal(set) var responder: PasskeySearch.Finding?
    /// Whether the initiator's was searched for.
    package internal(set) var hasInitiator = false
    /// Whether the responder's was.
    package internal(set) var hasResponder = false
    /// Whether it looked for devices that compute their values wrongly, too.
    package internal(set) var lookedForDeviations = true
  }

  /// What its values come to.
  package struct Outcome: Sendable {
    /// The six digits that both sides show in numeric comparison; g2 gives them for Just Works, too.
    package internal(set) var digits: SixDigits?
    /// The responder's one commitment in numeric comparison and Just Works.
    package internal(set) var commitment: SecureConnectionsCommitment?
    /// Passkey entry over Secure Connections: the rounds in which both sides had the same bit.
    package internal(set) var agreed = PasskeyBits()
    /// Where they parted.
    package internal(set) var parting: SecureConnectionsRounds.Parting?
    /// The commitments of the last round that was begun.
    package internal(set) var lastRound: SecureConnectionsRounds.Round?
    /// Whose public key is no point of the curve.
    package internal(set) var invalidKeys: [PairingSide] = []
    /// Whether both public keys have the same X coordinate.
    package internal(set) var isReflected = false
    /// Who used the specification's debug key pair.
    package internal(set) var debugKeys: [PairingSide] = []
    /// The long-term key that follows from it.
    package internal(set) var longTermKey: PairingValue?
    /// How each side's check value was computed, where the shared secret is known: nothing in the list
    /// where it is right, nil where no way fits.
    package internal(set) var checks: [PairingSide: [CheckDeviation]?] = [:]
    /// The legacy passkey.
    package internal(set) var search: Searched?
    /// Why no search was made: the capture lacks both addresses, or there were too many failures.
    package internal(set) var lacksAddresses = false
  }

  /// Who sent the Pairing Request.
  package let initiator: Side
  /// Whether keys for LE are given over an encrypted BR/EDR link (2.4.2.4).
  package let isOverBREDR: Bool
  /// The first packet.
  package let first: Moment
  /// The last packet of it.
  package internal(set) var last: Moment
  /// And who sent that.
  package internal(set) var lastSender: Side
  /// Whether its beginning is not in the capture.
  package internal(set) var isBeginningMissing = false
  /// The Security Request that it answers.
  package internal(set) var askedFor: Moment?
  /// How the two authenticate each other; nil before both have said what they can.
  package internal(set) var method: PairingMethod?
  /// The initiator.
  package internal(set) var initiating = Party()
  /// The responder.
  package internal(set) var responding = Party()
  /// Whether the link was encrypted when it began.
  package internal(set) var beganEncrypted = false
  /// When the link was encrypted with its key.
  package internal(set) var encrypted: Moment?
  /// How it ended where it did not succeed; nil too where the capture ends first.
  package internal(set) var ending: Ending?
  /// The packet that ended it.
  package internal(set) var end: Moment?
  /// PDUs that came when they could not: the first, and how many.
  package internal(set) var unexpected: Run?
  /// A second Pairing Response to one request.
  package internal(set) var secondResponse: Moment?
  /// What the first of these was.
  package internal(set) var unexpectedOpcode: SMPOpcode?
  /// What its values come to, once it has ended.
  package internal(set) var outcome = Outcome()
  /// The addresses of the link, as far as they are known.
  var addresses = Addresses()
  /// Whether that was computed.
  var isSettled = false
  /// The values of passkey rounds over Secure Connections.
  var rounds: [SecureConnectionsRounds.Values] = []

  /// By which addresses the link was made.
  struct Addresses: Sendable {
    var own: PairingAddress?
    var peer: PairingAddress?
  }

  /// An attempt that begins.
  init(initiator: Side, _ moment: Moment, by sender: Side, isOverBREDR: Bool = false) {
    self.initiator = initiator
    self.isOverBREDR = isOverBREDR
    first = moment
    last = moment
    lastSender = sender
  }

  /// Which end of the link a side is.
  package func side(_ role: PairingSide) -> Side {
    role == .initiator ? initiator : initiator.other
  }

  /// Which side an end of the link is.
  package func role(of side: Side) -> PairingSide { side == initiator ? .initiator : .responder }

  /// What a side has sent.
  package internal(set) subscript(role: PairingSide) -> Party {
    get { role == .initiator ? initiating : responding }
    // In place: a side is large, and each of the eighty values of a passkey's rounds changes it.
    _modify {
      if role == .initiator { yield &initiating } else { yield &responding }
    }
  }

  /// The address of a side.
  package func address(of role: PairingSide) -> PairingAddress? {
    side(role) == .local ? addresses.own : addresses.peer
  }

  /// Whether new keys came about: the link was encrypted with them, or they were given.
  package var isPaired: Bool {
    if case .failed = ending { return false }
    if case .notEncrypted = ending { return false }
    return encrypted != nil || initiating.keys != nil || responding.keys != nil
  }

  /// Whether both sides keep the keys.
  package var isBonded: Bool {
    guard isPaired, let request = initiating.features, let response = responding.features else {
      return false
    }
    return request.pdu.authReq.bonds && response.pdu.authReq.bonds
  }

  /// Whether it has neither succeeded nor ended.
  var isUnderWay: Bool { ending == nil && !isPaired }

  /// Whether it ended without success, although no side refused: what was authenticated and then not seen to
  /// be encrypted is not counted.
  var hasStopped: Bool {
    if case .notEncrypted = ending { return true }
    return ending != nil && failure == nil && !isPaired && !isAuthenticated
  }

  /// Why it failed, where a side said that.
  package var failure: (reason: PairingFailure, side: Side)? {
    if case .failed(let reason, let side) = ending { return (reason, side) }
    return nil
  }

  /// Whether it is LE Secure Connections; a public key shows that even where the beginning is missing.
  package var isSecureConnections: Bool {
    method?.isSecureConnections ?? (initiating.publicKey != nil || responding.publicKey != nil)
  }

  /// Whether a side shows the passkey that the other one types.
  package func shows(_ role: PairingSide) -> Bool {
    switch method?.association {
    case .initiatorShowsPasskey: role == .initiator
    case .responderShowsPasskey: role == .responder
    default: false
    }
  }

  /// Whether a person types a passkey on a side.
  package func types(_ role: PairingSide) -> Bool {
    method?.hasPasskey == true && !shows(role)
  }

  /// The silence before its end, in nanoseconds; nil where that is not known.
  package var silence: Int64? { end?.nanoseconds(since: last) }
}
