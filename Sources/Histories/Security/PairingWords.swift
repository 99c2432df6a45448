package import Bluetooth
package import Cryptography
package import Dissectors
package import Meanings
import Sessions

extension PairingSide {
  package var other: PairingSide { self == .initiator ? .responder : .initiator }
}

extension IOCapability {
  package var words: Wording {
    switch self {
    case .displayOnly: "display only"
    case .displayYesNo: "display and yes/no"
    case .keyboardOnly: "keyboard only"
    case .noInputNoOutput: "no input and no output"
    case .keyboardDisplay: "keyboard and display"
    default: "unknown IO capability \(code: rawValue, digits: 2)"
    }
  }
}

extension AuthReq {
  /// Such as `bonding, MITM, no Secure Connections`.
  package var words: Wording {
    var pieces: [Wording] = [bonds ? "bonding" : "no bonding"]
    if wantsMITM { pieces.append("MITM") }
    pieces.append(supportsSC ? "Secure Connections" : "no Secure Connections")
    return Wording(pieces, joinedBy: ", ")
  }
}

extension PairingAttempt.Features {
  package var words: Wording { pdu.words }
}

extension SMP.PairingFeatures {
  /// Such as `keyboard only, bonding, MITM, no Secure Connections`.
  package var words: Wording {
    var pieces = [ioCapability.words]
    if oobDataFlag == 1 { pieces.append("has OOB data") }
    pieces.append(authReq.words)
    // 16 bytes is the usual size.
    if maximumEncryptionKeySize != 16 {
      pieces.append("keys of at most \(maximumEncryptionKeySize) bytes")
    }
    return Wording(pieces, joinedBy: ", ")
  }
}

extension PairingAttempt {
  /// The method, such as `LE legacy pairing, passkey entry: the peer shows six digits, this host
  /// types them`, or nil if it is unknown.
  package var methodWords: Wording? {
    guard let method else { return nil }
    let kind: StaticString = method.isSecureConnections ? "Secure Connections" : "LE legacy pairing"
    switch method.association {
    case .justWorks: return "\(kind), Just Works: nothing is compared or typed"
    case .numericComparison: return "\(kind), numeric comparison: both show six digits"
    case .outOfBand: return "\(kind), with out-of-band data"
    case .passkeyTypedTwice:
      return "\(kind), passkey entry: the same six digits are typed on both sides"
    case .initiatorShowsPasskey, .responderShowsPasskey:
      let shows: PairingSide = self.shows(.initiator) ? .initiator : .responder
      return
        "\(kind), passkey entry: \(side(shows).words) shows six digits, \(side(shows.other).words) types them"
    }
  }

  /// The sides that declare that they have neither input nor output.
  package var withoutInputAndOutput: [PairingSide] {
    [.initiator, .responder].filter { self[$0].features?.pdu.ioCapability == .noInputNoOutput }
  }

  /// Why the association is Just Works although one side requested MITM protection, or nil if that
  /// is not the case.
  package var shortfall: Wording? {
    guard method?.association == .justWorks, let (request, response) = declared,
      request.authReq.wantsMITM || response.authReq.wantsMITM
    else { return nil }
    let silent = withoutInputAndOutput
    if silent.count == 2 { return "neither side has input or output" }
    if let role = silent.first { return "\(side(role).words) has no input and no output" }
    if request.ioCapability == .displayYesNo, response.ioCapability == .displayYesNo {
      return "neither side can type, and only Secure Connections compares digits"
    }
    return "neither side can type"
  }

  /// The sides that requested MITM protection: `this host`, `both sides`.
  package var demandingMITM: Wording? {
    let demanding = [PairingSide.initiator, .responder].filter {
      self[$0].features?.pdu.authReq.wantsMITM == true
    }
    if demanding.count == 2 { return "both sides" }
    return demanding.first.map { "\(side($0).words)" }
  }

  /// The IO capabilities of both sides, if known: `this host: keyboard only; the peer: display
  /// only`.
  package var capabilityWords: Wording {
    let pieces = [PairingSide.initiator, .responder].compactMap { role -> Wording? in
      self[role].features.map { "\(side(role).words): \($0.pdu.ioCapability.words)" }
    }
    return Wording(pieces, joinedBy: "; ")
  }

  /// How far the pairing got: `after the public keys`.
  package var progress: StaticString {
    if isPaired { return "during key distribution" }
    if initiating.check != nil || responding.check != nil { return "after a check value" }
    if initiating.randoms != nil || responding.randoms != nil { return "after a random value" }
    if initiating.confirms != nil || responding.confirms != nil { return "after a confirm value" }
    if responding.publicKey != nil { return "after the public keys" }
    if initiating.publicKey != nil { return "after the first public key" }
    if responding.features != nil { return "after the Pairing Response" }
    if initiating.features != nil { return "after the Pairing Request" }
    return "in the middle"
  }
}

extension PairingSide {
  package var words: StaticString { self == .initiator ? "initiator" : "responder" }
}

extension SixDigits {
  /// The digits as printed if keys are requested or the digits are not secret: "004871".
  package var revealed: Wording { Wording(stringLiteral: description) }

  /// The digits that the values of numeric comparison yield. A capture does not contain what
  /// screens show.
  package var ofBothSides: Wording { "the digits on both sides are \(revealed)" }
}

extension PairingValue {
  /// The value as printed if keys are requested: 32 hex digits, most significant first.
  package var revealed: Wording {
    let digits = String(number, radix: 16)
    return Wording(
      stringLiteral: String(repeating: "0", count: max(0, 32 - digits.utf8.count)) + digits)
  }
}
