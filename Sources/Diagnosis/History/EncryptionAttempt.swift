package import Bluetooth
import Cryptography
package import Dissectors

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
  /// The first ACL data that the side that starts sent between the start and the end: it must not send any
  /// (Core, Vol 6, Part B, 5.1.3.1).
  package internal(set) var meanwhile: Moment?
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
  /// How that was made, where the event says so.
  package internal(set) var keyType: LinkKeyType?
  /// What this host can do, and what the peer can (Secure Simple Pairing).
  package internal(set) var features: (local: SimplePairingFeatures?, peer: SimplePairingFeatures?)
  /// What this host's user was asked for.
  package internal(set) var question: ClassicQuestion?
  /// Where the user, or a program, answered that the digits are the same, or are not.
  package internal(set) var confirmed: (moment: Moment, isSame: Bool)?

  /// Where this host itself said no, and to what: a negative reply.
  package internal(set) var refused: (moment: Moment, what: ClassicRefusal)?

  init(_ start: Moment) { self.start = start }
}

/// What a host refuses when two devices pair over BR/EDR (Core, Vol 4, Part E, 7.1.14, 7.1.31, 7.1.33, 7.1.36).
package enum ClassicRefusal: Sendable {
  /// User Confirmation Request Negative Reply.
  case confirmation
  /// User Passkey Request Negative Reply.
  case passkey
  /// PIN Code Request Negative Reply.
  case pin
  /// IO Capability Request Negative Reply: pairing as such.
  case pairing

  /// In words: what it did not do.
  package var words: StaticString {
    switch self {
    case .confirmation: "did not confirm the pairing"
    case .passkey: "gave no passkey"
    case .pin: "gave no PIN"
    case .pairing: "did not want to pair"
    }
  }
}

/// What the controller wants of this host's user when two devices pair over BR/EDR (Core, Vol 4, Part E,
/// 7.7.22, 7.7.42, 7.7.43, 7.7.48).
package enum ClassicQuestion: Equatable, Sendable {
  /// User Confirmation Request: whether this number is on the other side, too. With Just Works it is asked for,
  /// and nobody sees it.
  case confirmation(number: UInt32, Moment)
  /// User Passkey Request: to type what the other side shows.
  case passkey(Moment)
  /// User Passkey Notification: the passkey is shown here.
  case shown(Moment)
  /// PIN Code Request: pairing as it was before Secure Simple Pairing.
  case pin(Moment)
}

extension ClassicAuthentication {
  /// How the two authenticate each other, and who asked for protection against a man in the middle, as a
  /// clause; nil where the capture does not tell.
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
        "Just Works: this host is asked whether to pair, without digits\(answer(asked))"
      case .none?: "Just Works: nobody compares or types anything"
      case nil: nil
      }
    case nil: nil
    }
  }

  /// Who compares a number.
  private enum Comparison {
    /// Both users.
    case both
    /// This host's user; the peer cannot say no.
    case here
    /// This host's user is asked, and sees no number.
    case consent
    /// Nobody.
    case none
  }

  /// Who compares the number: what both sides can do and want says it (Core, Vol 3, Part C, 5.2.2.6, table
  /// 5.7), or the key's type.
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

  /// What both sides have said that they can do and want; nil where neither is in the capture.
  package var featureWords: Wording? {
    var pieces: [Wording] = []
    for (side, features) in [(Side.local, features.local), (.peer, features.peer)] {
      guard let features else { continue }
      let demand: StaticString = features.wantsMITM ? "MITM" : "no MITM"
      pieces.append("\(side.words): \(features.ioCapability.words), \(demand)")
    }
    return pieces.isEmpty ? nil : Wording(pieces, joinedBy: "; ")
  }

  /// The new key: `the new link key is authenticated, P-256`; nil where there is none, or its kind is not told.
  package var keyWords: Wording? {
    keyType.map { "the new link key: \(code: $0.rawValue, of: .linkKeyType)" }
  }
}
