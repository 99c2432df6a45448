// The parameters of Pairing Request, Pairing Response and Security Request (Core, Vol 3, Part H,
// 3.5.1, 3.6.1).

/// A device's means to display and enter digits (Core, Vol 3, Part H, 2.3.2), one byte.
@usableFromInline
package struct IOCapability: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The device can display digits.
  package static let displayOnly = Self(rawValue: 0x00)
  /// The device can display digits and enter yes or no.
  package static let displayYesNo = Self(rawValue: 0x01)
  /// The device can enter digits.
  package static let keyboardOnly = Self(rawValue: 0x02)
  /// The device can do neither.
  package static let noInputNoOutput = Self(rawValue: 0x03)
  /// The device can do both.
  package static let keyboardDisplay = Self(rawValue: 0x04)
}

/// AuthReq, one byte: Bonding_Flags (bits 0–1), MITM (2), SC (3), Keypress (4), CT2 (5).
package struct AuthReq: RawRepresentable, Equatable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Whether bonding is requested.
  package var bonds: Bool { rawValue & 0x03 == 0x01 }
  /// Whether MITM protection is requested.
  package var wantsMITM: Bool { rawValue & 0x04 != 0 }
  /// Whether LE Secure Connections is supported.
  package var supportsSC: Bool { rawValue & 0x08 != 0 }
  /// Whether keypress notifications are requested.
  package var hasKeypresses: Bool { rawValue & 0x10 != 0 }
  /// Whether the h7 function is supported.
  package var supportsCT2: Bool { rawValue & 0x20 != 0 }
}

/// The keys that a side distributes, one byte: EncKey (bit 0), IdKey (1), SignKey (2), LinkKey (3).
package struct KeyDistribution: RawRepresentable, Equatable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Returns the abbreviation of a bit's key; nil for a reserved bit.
  package static func short(bit: Int) -> StaticString? {
    switch bit {
    case 0: "LTK"
    case 1: "IRK"
    case 2: "CSRK"
    case 3: "link key"
    default: nil
    }
  }
}
