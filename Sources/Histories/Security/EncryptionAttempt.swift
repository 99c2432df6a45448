package import Bluetooth
import Cryptography
package import Dissectors
package import Meanings

/// An attempt to encrypt a link, from its start to its result.
package struct EncryptionAttempt: Sendable {
  /// What started it.
  package enum Start: Equatable, Sendable {
    /// LE Enable Encryption: this host is the central.
    case command
    /// LE Long Term Key Request: the peer is the central, and the local controller asks for the
    /// key.
    case keyRequest
    /// Set Connection Encryption: BR/EDR.
    case classic
    /// LL_ENC_REQ, on the air.
    case linkLayer
    /// Its start is not in the capture.
    case unseen
  }

  /// Where the key comes from.
  package enum Origin: Equatable, Sendable {
    /// Pairing on this link has just created it; with Secure Connections, it is the key of the
    /// bond.
    case pairing(isSecureConnections: Bool)
    /// An earlier pairing.
    case stored
    /// One of the two: the capture does not show which.
    case unknown
  }

  package enum Outcome: Equatable, Sendable {
    /// The link is encrypted.
    case encrypted
    /// Encryption was switched off.
    case off
    /// It failed, with the status of the event, or of the command if the controller refused it at
    /// once.
    case failed(StatusCode)
  }

  package let start: Start
  /// The time of the start, or of the end if the start is missing.
  package let moment: Moment
  package internal(set) var origin: Origin
  /// The Encrypted Diversifier and the Random Number that identify the key.
  package internal(set) var ediv: UInt16 = 0
  package internal(set) var rand: UInt64 = 0
  /// The key, least significant byte first: given with the command, or in the reply to the request.
  package internal(set) var key: [UInt8]?
  /// The reply of this host to the request.
  package internal(set) var reply: Moment?
  /// Whether that reply was that there is no such key.
  package internal(set) var isKeyMissingHere = false
  /// The result; nil: unknown.
  package internal(set) var outcome: Outcome?
  package internal(set) var end: Moment?
  /// Whether no event reports the success, but the keys that were distributed after it show it.
  package internal(set) var isInferred = false
  /// Whether the controller refused the command itself.
  package internal(set) var isRefusedAtOnce = false
  /// The effective size of the key in bytes, if known.
  package internal(set) var keySize: UInt8?
  /// The packets that show that size.
  package internal(set) var keySizePackets: [Int] = []
  /// For a BR/EDR link: whether it uses AES-CCM.
  package internal(set) var isAESCCM = false
  /// The first ACL data from the peer after the attempt, other than data that was already on its
  /// way.
  package internal(set) var heard: Moment?
  /// The first ACL data sent between the start and the end by the side that started it, which must
  /// not send any (Core, Vol 6, Part B, 5.1.3.1).
  package internal(set) var meanwhile: Moment?
  /// The first ACL data that this host sent after the attempt.
  package internal(set) var sent: Moment?

  init(_ start: Start, _ moment: Moment, _ origin: Origin) {
    (self.start, self.moment, self.origin) = (start, moment, origin)
  }

  /// Whether a pairing on this link created the key.
  package var followsPairing: Bool { if case .pairing = origin { true } else { false } }

  /// Why it failed, or nil if it did not.
  package var failure: StatusCode? {
    if case .failed(let status)? = outcome { status } else { nil }
  }

  /// The central, which on LE is the only side that can start encryption.
  package var starter: Side? {
    switch start {
    case .command, .classic, .linkLayer: .local
    case .keyRequest: .peer
    case .unseen: nil
    }
  }

  /// The packets that show it: its start, the reply, its end.
  package var packets: PacketSet { PacketSet(of: moment, reply, end) }
}

/// The authentication of a BR/EDR link with its link key.
package struct ClassicAuthentication: Sendable {
  /// The Authentication Requested command, or the controller's request for the key.
  package let start: Moment
  /// The reply to that request.
  package internal(set) var reply: Moment?
  /// Whether there was a key; nil: it was not answered.
  package internal(set) var hasKey: Bool?
  /// The result; nil: unknown.
  package internal(set) var status: StatusCode?
  package internal(set) var end: Moment?
  /// The key that pairing created during the authentication.
  package internal(set) var newKey: Moment?
  package internal(set) var keyType: LinkKeyType?
  /// The features of this host and of the peer (Secure Simple Pairing).
  package internal(set) var features: (local: SimplePairingFeatures?, peer: SimplePairingFeatures?)
  /// What this host's user was asked for.
  package internal(set) var question: ClassicQuestion?
  /// The reply of the user, or a program, whether the digits are the same.
  package internal(set) var confirmed: (moment: Moment, isSame: Bool)?

  /// The negative reply of this host, and what it did not do (Core, Vol 4, Part E, 7.1.14, 7.1.31,
  /// 7.1.33, 7.1.36).
  package internal(set) var refused: (moment: Moment, words: StaticString)?

  init(_ start: Moment) { self.start = start }
}

/// What the controller asks of this host's user when two devices pair over BR/EDR (Core, Vol 4,
/// Part E, 7.7.22, 7.7.42, 7.7.43, 7.7.48).
package enum ClassicQuestion: Equatable, Sendable {
  /// User Confirmation Request: whether the other side shows the same number. With Just Works it is
  /// requested, too, but not shown.
  case confirmation(number: UInt32, Moment)
  /// User Passkey Request: to type what the other side shows.
  case passkey(Moment)
  /// User Passkey Notification: the passkey is shown here.
  case shown(Moment)
  /// PIN Code Request: pairing as it was before Secure Simple Pairing.
  case pin(Moment)
}

extension ClassicAuthentication {
  /// How the two authenticate each other, and who asked for protection against a man in the middle,
  /// as a clause, or nil if the capture does not show it.
  package var methodWords: Wording? {
    switch question {
    case .pin: "with a PIN, the same on both sides"
    case .passkey: "passkey entry: this host's user types six digits"
    case .shown: "passkey entry: this host shows six digits, the peer's user types them"
    case .confirmation(let number, let asked):
      switch comparison {
      case .both?: "numeric comparison\(digits(number)) (\(packet: asked.packet))\(answer(asked))"
      case .here?:
        "numeric comparison\(digits(number)) (\(packet: asked.packet)), which the peer confirms on its own\(answer(asked))"
      case .consent?:
        "Just Works: this host's user is asked whether to pair, without digits\(answer(asked))"
      case .none?: "Just Works: nothing is compared or typed"
      case nil: nil
      }
    case nil: nil
    }
  }

  /// Who compares a number.
  private enum Comparison {
    /// Both users.
    case both
    /// This host's user; the peer cannot refuse.
    case here
    /// This host's user is asked, but sees no number.
    case consent
    /// No user.
    case none
  }

  /// Who compares the number. This follows from the capabilities and requirements of both sides
  /// (Core, Vol 3, Part C, 5.2.2.6, table 5.7), or from the key's type.
  private var comparison: Comparison? {
    if keyType?.isAuthenticated == true { return .both }
    guard let local = features.local, let peer = features.peer else {
      return keyType?.isAuthenticated.map { _ in Comparison.none }
    }
    guard local.wantsMITM || peer.wantsMITM, local.ioCapability == .displayYesNo else {
      return Comparison.none
    }
    switch peer.ioCapability {
    case .displayYesNo: return .both
    case .displayOnly: return .here
    case .noInputNoOutput: return .consent
    default: return Comparison.none
    }
  }

  private func digits(_ number: UInt32) -> Wording {
    SixDigits(number).map { " of \($0.revealed)" } ?? ""
  }

  private func answer(_ asked: Moment) -> Wording {
    guard let confirmed else { return "" }
    let delay: Wording =
      confirmed.moment.nanoseconds(since: asked).map { ", \(duration: $0) later" } ?? ""
    let words: StaticString = confirmed.isSame ? "confirms" : "refuses"
    return ", which this host \(words) (\(packet: confirmed.moment.packet))\(delay)"
  }

  /// The capabilities and requirements of both sides, or nil if neither is in the capture.
  package var featureWords: Wording? {
    var pieces: [Wording] = []
    for (side, features) in [(Side.local, features.local), (.peer, features.peer)] {
      guard let features else { continue }
      let demand: StaticString = features.wantsMITM ? "MITM" : "no MITM"
      pieces.append("\(side.words): \(features.ioCapability.words), \(demand)")
    }
    return pieces.isEmpty ? nil : Wording(pieces, joinedBy: "; ")
  }

  /// The new key: `the new link key is authenticated, P-256`; nil if there is none or its type is
  /// unknown.
  package var keyWords: Wording? {
    keyType.map { "the new link key: \(code: $0.rawValue, of: .linkKeyType)" }
  }
}
