package import Bluetooth

/// One attempt to encrypt a link, from what began it to what came of it.
package struct EncryptionAttempt: Sendable {
  /// What began it.
  package enum Start: Equatable, Sendable {
    /// LE Enable Encryption: this host is the central.
    case command
    /// LE Long Term Key Request: the peer is, and its controller has asked.
    case keyRequest
    /// Set Connection Encryption: BR/EDR.
    case classic
    /// It is not in the capture.
    case unseen
  }

  /// Which key it is.
  package enum Origin: Equatable, Sendable {
    /// Pairing on this link has just made it; whether by Secure Connections, so that it is the bond's.
    case pairing(isSecureConnections: Bool)
    /// An earlier pairing.
    case stored
    /// One of the two: the capture does not tell.
    case unknown
  }

  /// What became of it.
  package enum Outcome: Equatable, Sendable {
    /// The link is encrypted.
    case encrypted
    /// Encryption was switched off.
    case off
    /// It failed; the status of the event, or of the command where the controller refused at once.
    case failed(StatusCode)
  }

  /// What began it.
  package let start: Start
  /// When; of one whose start is missing, when it ended.
  package let moment: Moment
  /// Which key it is.
  package internal(set) var origin: Origin
  /// What the key was asked for by: the Encrypted Diversifier.
  package internal(set) var ediv: UInt16 = 0
  /// The Random Number beside it.
  package internal(set) var rand: UInt64 = 0
  /// The key, least significant byte first: given with the command, or in the answer to the request.
  package internal(set) var key: [UInt8]?
  /// The answer of this host to the request.
  package internal(set) var reply: Moment?
  /// Whether that was that there is no such key.
  package internal(set) var isKeyMissingHere = false
  /// What became of it; nil: nothing was told.
  package internal(set) var outcome: Outcome?
  /// Where that was told.
  package internal(set) var end: Moment?
  /// Whether the controller refused the command itself.
  package internal(set) var isRefusedAtOnce = false
  /// How many bytes of the key count, where that was told.
  package internal(set) var keySize: UInt8?
  /// Of a BR/EDR link: whether with AES-CCM.
  package internal(set) var isAESCCM = false
  /// The first ACL data from the peer after it, other than what was on its way.
  package internal(set) var heard: Moment?
  /// The first ACL data that this host sent after it.
  package internal(set) var sent: Moment?

  init(_ start: Start, _ moment: Moment, _ origin: Origin) {
    self.start = start
    self.moment = moment
    self.origin = origin
  }

  /// Whether a pairing on this link made the key.
  package var followsPairing: Bool { if case .pairing = origin { true } else { false } }

  /// Why it failed; nil where it did not.
  package var failure: StatusCode? {
    if case .failed(let status)? = outcome { status } else { nil }
  }

  /// Who is the central, and begins: on LE only that one can.
  package var starter: Side? {
    switch start {
    case .command, .classic: .local
    case .keyRequest: .peer
    case .unseen: nil
    }
  }

  /// The packets that show it: its beginning, the answer, its end.
  package var packets: PacketSet {
    var packets: PacketSet = [moment.packet]
    packets.insert(reply?.packet)
    packets.insert(end?.packet)
    return packets
  }
}

/// Authentication of a BR/EDR link with its link key.
package struct ClassicAuthentication: Sendable {
  /// The Authentication Requested command, or the controller's request for the key.
  package let start: Moment
  /// The answer to that request.
  package internal(set) var reply: Moment?
  /// Whether there was a key; nil: it was not answered.
  package internal(set) var hasKey: Bool?
  /// What became of it; nil: not told.
  package internal(set) var status: StatusCode?
  /// Where that was told.
  package internal(set) var end: Moment?
  /// The key that pairing made meanwhile.
  package internal(set) var newKey: Moment?

  init(_ start: Moment) { self.start = start }
}
