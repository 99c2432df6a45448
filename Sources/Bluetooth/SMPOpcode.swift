/// The opcode of a Security Manager PDU, its first byte (Core, Vol 3, Part H, 3.3).
@usableFromInline
package struct SMPOpcode: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let pairingRequest = Self(rawValue: 0x01)
  package static let pairingResponse = Self(rawValue: 0x02)
  package static let pairingConfirm = Self(rawValue: 0x03)
  package static let pairingRandom = Self(rawValue: 0x04)
  package static let pairingFailed = Self(rawValue: 0x05)
  package static let encryptionInformation = Self(rawValue: 0x06)
  package static let centralIdentification = Self(rawValue: 0x07)
  package static let identityInformation = Self(rawValue: 0x08)
  package static let identityAddressInformation = Self(rawValue: 0x09)
  package static let signingInformation = Self(rawValue: 0x0a)
  package static let securityRequest = Self(rawValue: 0x0b)
  package static let pairingPublicKey = Self(rawValue: 0x0c)
  package static let pairingDHKeyCheck = Self(rawValue: 0x0d)
  package static let keypressNotification = Self(rawValue: 0x0e)

  /// The specification's name; nil for an undefined opcode.
  package var name: AssignedName? {
    switch rawValue {
    case 0x01: "Pairing Request"
    case 0x02: "Pairing Response"
    case 0x03: "Pairing Confirm"
    case 0x04: "Pairing Random"
    case 0x05: "Pairing Failed"
    case 0x06: "Encryption Information"
    case 0x07: "Central Identification"
    case 0x08: "Identity Information"
    case 0x09: "Identity Address Information"
    case 0x0a: "Signing Information"
    case 0x0b: "Security Request"
    case 0x0c: "Pairing Public Key"
    case 0x0d: "Pairing DHKey Check"
    case 0x0e: "Pairing Keypress Notification"
    default: nil
    }
  }

  /// The length of a PDU with this opcode, including the opcode; nil for an undefined one.
  package var size: Int? {
    switch self {
    case .pairingRequest, .pairingResponse: 7
    case .pairingConfirm, .pairingRandom, .encryptionInformation, .identityInformation,
      .signingInformation, .pairingDHKeyCheck:
      17
    case .pairingFailed, .securityRequest, .keypressNotification: 2
    case .centralIdentification: 11
    case .identityAddressInformation: 8
    case .pairingPublicKey: 65
    default: nil
    }
  }

  /// Whether a key follows the opcode: LTK, IRK or CSRK. Assumed for unknown PDUs.
  package var carriesKey: Bool {
    switch self {
    case .encryptionInformation, .identityInformation, .signingInformation: true
    default: name == nil
    }
  }

  /// Whether the PDU belongs to the last phase of pairing, the distribution of keys, for which the
  /// link must be encrypted (Core, Vol 3, Part H, 2.4.3).
  package var distributesKeys: Bool { 0x06...0x0a ~= rawValue }

  /// Whether the bytes after the opcode reveal the passkey of a pairing that has one.
  package var mayTellPasskey: Bool { self == .pairingConfirm || self == .pairingRandom }
}

/// The reason why pairing failed, the byte after the opcode of Pairing Failed (Core, Vol 3, Part H,
/// 3.5.5).
@usableFromInline
package struct PairingFailure: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let passkeyEntryFailed = Self(rawValue: 0x01)
  package static let oobNotAvailable = Self(rawValue: 0x02)
  package static let authenticationRequirements = Self(rawValue: 0x03)
  package static let confirmValueFailed = Self(rawValue: 0x04)
  package static let pairingNotSupported = Self(rawValue: 0x05)
  package static let encryptionKeySize = Self(rawValue: 0x06)
  package static let commandNotSupported = Self(rawValue: 0x07)
  package static let unspecified = Self(rawValue: 0x08)
  package static let repeatedAttempts = Self(rawValue: 0x09)
  package static let invalidParameters = Self(rawValue: 0x0a)
  package static let dhKeyCheckFailed = Self(rawValue: 0x0b)
  package static let numericComparisonFailed = Self(rawValue: 0x0c)
  package static let brEDRPairingInProgress = Self(rawValue: 0x0d)
  package static let crossTransportNotAllowed = Self(rawValue: 0x0e)
  package static let keyRejected = Self(rawValue: 0x0f)
  package static let busy = Self(rawValue: 0x10)

  /// The specification's name; nil for an undefined reason.
  package var name: AssignedName? {
    switch rawValue {
    case 0x01: "Passkey Entry Failed"
    case 0x02: "OOB Not Available"
    case 0x03: "Authentication Requirements"
    case 0x04: "Confirm Value Failed"
    case 0x05: "Pairing Not Supported"
    case 0x06: "Encryption Key Size"
    case 0x07: "Command Not Supported"
    case 0x08: "Unspecified Reason"
    case 0x09: "Repeated Attempts"
    case 0x0a: "Invalid Parameters"
    case 0x0b: "DHKey Check Failed"
    case 0x0c: "Numeric Comparison Failed"
    case 0x0d: "BR/EDR Pairing in Progress"
    case 0x0e: "Cross-transport Key Derivation/Generation Not Allowed"
    case 0x0f: "Key Rejected"
    case 0x10: "Busy"
    default: nil
    }
  }
}
