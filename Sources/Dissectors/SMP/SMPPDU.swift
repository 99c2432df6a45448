// The Security Manager's PDUs, one struct each (in the files SMP+….swift), and the dispatch from
// opcode to struct.

package import Bluetooth
package import Bytes

/// The namespace of the structs that mirror the Security Manager's PDUs (Core, Vol 3, Part H, 3.5
/// and 3.6).
package enum SMP {}

/// A Security Manager PDU of any kind. Each has a fixed length.
package enum SMPPDU: Sendable {
  case pairing(SMP.PairingFeatures)
  case confirm(SMP.PairingConfirm)
  case random(SMP.PairingRandom)
  case failed(SMP.PairingFailed)
  case encryptionInformation(SMP.EncryptionInformation)
  case centralIdentification(SMP.CentralIdentification)
  case identityInformation(SMP.IdentityInformation)
  case identityAddressInformation(SMP.IdentityAddressInformation)
  case signingInformation(SMP.SigningInformation)
  case securityRequest(SMP.SecurityRequest)
  case publicKey(SMP.PairingPublicKey)
  case dhKeyCheck(SMP.PairingDHKeyCheck)
  case keypressNotification(SMP.KeypressNotification)
  case incomplete(SMP.Incomplete)
  case unknown(SMP.Unknown)

  /// Reads a PDU: opcode (1 byte), then the opcode's parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    let opcode = SMPOpcode(rawValue: try cursor.u8())
    switch opcode {
    case .pairingRequest, .pairingResponse:
      self = .pairing(try SMP.PairingFeatures(opcode, parsing: &cursor))
    case .pairingConfirm: self = .confirm(try SMP.PairingConfirm(parsing: &cursor))
    case .pairingRandom: self = .random(try SMP.PairingRandom(parsing: &cursor))
    case .pairingFailed: self = .failed(try SMP.PairingFailed(parsing: &cursor))
    case .encryptionInformation:
      self = .encryptionInformation(try SMP.EncryptionInformation(parsing: &cursor))
    case .centralIdentification:
      self = .centralIdentification(try SMP.CentralIdentification(parsing: &cursor))
    case .identityInformation:
      self = .identityInformation(try SMP.IdentityInformation(parsing: &cursor))
    case .identityAddressInformation:
      self = .identityAddressInformation(try SMP.IdentityAddressInformation(parsing: &cursor))
    case .signingInformation:
      self = .signingInformation(try SMP.SigningInformation(parsing: &cursor))
    case .securityRequest: self = .securityRequest(try SMP.SecurityRequest(parsing: &cursor))
    case .pairingPublicKey: self = .publicKey(try SMP.PairingPublicKey(parsing: &cursor))
    case .pairingDHKeyCheck: self = .dhKeyCheck(try SMP.PairingDHKeyCheck(parsing: &cursor))
    case .keypressNotification:
      self = .keypressNotification(try SMP.KeypressNotification(parsing: &cursor))
    default: self = .unknown(SMP.Unknown(opcode, parsing: &cursor))
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
    case .incomplete(let pdu): pdu.opcode
    case .unknown(let pdu): pdu.opcode
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

extension SMP {
  /// The beginning of a PDU that is too short for its opcode.
  package struct Incomplete: Sendable {
    package let opcode: SMPOpcode
    /// The bytes after the opcode.
    package let data: Slice

    /// Reads the opcode (1 byte), if it exists, and keeps the rest unparsed.
    @_lifetime(cursor: copy cursor)
    init?(parsing cursor: inout Cursor) {
      guard let byte = try? cursor.u8() else { return nil }
      opcode = SMPOpcode(rawValue: byte)
      data = cursor.rest()
    }
  }

  /// A PDU with an opcode that the specification does not define.
  package struct Unknown: Sendable {
    package let opcode: SMPOpcode
    /// The bytes after the opcode.
    package let data: Slice

    @_lifetime(cursor: copy cursor)
    init(_ opcode: SMPOpcode, parsing cursor: inout Cursor) {
      self.opcode = opcode
      data = cursor.rest()
    }
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
      if case .unknown(let unknown) = pdu {
        problems.add(Problem(.unknownOpcode, at: Int(body.start), Int(unknown.opcode.rawValue)))
      } else if missing == 0, !payload.isAtEnd {
        problems.add(Problem(.leftOver, at: payload.offset, payload.remaining))
      }
    } catch {
      var again = Cursor(bytes, body)
      smp = SMP.Incomplete(parsing: &again).map { .incomplete($0) }
      // A wrong length field has already been reported.
      if missing == 0 { throw error }
    }
  }
}
