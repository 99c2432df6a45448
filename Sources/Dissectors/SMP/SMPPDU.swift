package import Bluetooth
package import Bytes

/// A Security Manager PDU of any kind: opcode (1 byte), then parameters of a fixed length (Core,
/// Vol 3, Part H, 3.5 and 3.6). Values and keys are slices of 16 bytes.
package enum SMPPDU: Sendable {
  /// Pairing Request or Pairing Response.
  case pairing(SMP.PairingFeatures)
  /// The commitment to the random value that follows.
  case confirm(Slice)
  case random(Slice)
  case failed(PairingFailure)
  /// The LTK, which is a secret.
  case encryptionInformation(Slice)
  case centralIdentification(SMP.CentralIdentification)
  /// The IRK, which is a secret.
  case identityInformation(Slice)
  case identityAddressInformation(SMP.IdentityAddressInformation)
  /// The CSRK, which is a secret.
  case signingInformation(Slice)
  /// What the peripheral requires.
  case securityRequest(AuthReq)
  case publicKey(SMP.PairingPublicKey)
  /// The check value, which proves knowledge of the shared key without revealing it.
  case dhKeyCheck(Slice)
  /// The user's action; see `CodeSet.keypress`.
  case keypressNotification(UInt8)
  /// A PDU that is too short for its opcode, with the bytes after that.
  case incomplete(SMPOpcode, Slice)
  /// An opcode that the specification does not define, with the bytes after it.
  case unknown(SMPOpcode, Slice)

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    let opcode = SMPOpcode(rawValue: try cursor.u8())
    self =
      switch opcode {
      case .pairingRequest, .pairingResponse: .pairing(try .init(opcode, parsing: &cursor))
      case .pairingConfirm: .confirm(try cursor.take(16))
      case .pairingRandom: .random(try cursor.take(16))
      case .pairingFailed: .failed(PairingFailure(rawValue: try cursor.u8()))
      case .encryptionInformation: .encryptionInformation(try cursor.take(16))
      case .centralIdentification: .centralIdentification(try .init(parsing: &cursor))
      case .identityInformation: .identityInformation(try cursor.take(16))
      case .identityAddressInformation: .identityAddressInformation(try .init(parsing: &cursor))
      case .signingInformation: .signingInformation(try cursor.take(16))
      case .securityRequest: .securityRequest(AuthReq(rawValue: try cursor.u8()))
      case .pairingPublicKey: .publicKey(try .init(parsing: &cursor))
      case .pairingDHKeyCheck: .dhKeyCheck(try cursor.take(16))
      case .keypressNotification: .keypressNotification(try cursor.u8())
      default: .unknown(opcode, cursor.rest())
      }
  }

  package var opcode: SMPOpcode {
    switch self {
    case .pairing(let pdu): pdu.opcode
    case .confirm: .pairingConfirm
    case .random: .pairingRandom
    case .failed: .pairingFailed
    case .encryptionInformation: .encryptionInformation
    case .centralIdentification: .centralIdentification
    case .identityInformation: .identityInformation
    case .identityAddressInformation: .identityAddressInformation
    case .signingInformation: .signingInformation
    case .securityRequest: .securityRequest
    case .publicKey: .pairingPublicKey
    case .dhKeyCheck: .pairingDHKeyCheck
    case .keypressNotification: .keypressNotification
    case .incomplete(let opcode, _), .unknown(let opcode, _): opcode
    }
  }
}

extension SMPPDU {
  /// Returns the bytes of `body`, which contains the PDU, that belong to no field. If the PDU is
  /// too short or its layout unknown, these are all bytes after the opcode.
  package func rest(of body: Slice) -> Slice {
    let used =
      switch self {
      case .incomplete, .unknown: 1
      default: opcode.size ?? 1
      }
    let taken = min(used, Int(body.count))
    return Slice(start: Int(body.start) + taken, count: Int(body.count) - taken)
  }
}

extension Dissection {
  /// Dissects the Security Manager PDU in `body`; for one that is too short, keeps opcode and
  /// bytes.
  ///
  /// - Parameter missing: The number of its bytes that are missing, in which case a PDU that is too
  ///   short is not the sender's fault.
  mutating func parseSMP(_ bytes: RawSpan, missing: Int) throws(ParseError) {
    var payload = Cursor(bytes, body)
    do throws(ParseError) {
      let pdu = try SMPPDU(parsing: &payload)
      smp = pdu
      if case .identityAddressInformation(let identity) = pdu, identity.isPrivate {
        problems.add(Problem(.privateIdentity, at: Int(body.start) + 2))
      }
      if case .unknown(let opcode, _) = pdu {
        problems.add(Problem(.unknownOpcode, at: Int(body.start), Int(opcode.rawValue)))
      } else if missing == 0, !payload.isAtEnd {
        problems.add(Problem(.leftOver, at: payload.offset, payload.remaining))
      }
    } catch {
      var again = Cursor(bytes, body)
      smp = (try? again.u8()).map { .incomplete(SMPOpcode(rawValue: $0), again.rest()) }
      // A wrong length field has already been reported.
      if missing == 0 { throw error }
    }
  }
}
