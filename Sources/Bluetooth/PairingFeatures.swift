// The parameters of Pairing Request, Pairing Response and Security Request (Core, Vol 3, Part H,
// 3.5.1, 3.6.1).

/// How a device can show and take digits (Core, Vol 3, Part H, 2.3.2), one byte.
package struct IOCapability: RawRepresentable, Equatable, Hashable, Sendable {
  /// The byte.
  package var rawValue: UInt8
  /// A capability from its byte.
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// The same where a `switch` compares.
  package static func ~= (pattern: Self, value: Self) -> Bool {
    pattern.rawValue == value.rawValue
  }

  /// It shows digits.
  package static let displayOnly = Self(rawValue: 0x00)
  /// It shows digits and can say yes or no.
  package static let displayYesNo = Self(rawValue: 0x01)
  /// It takes digits.
  package static let keyboardOnly = Self(rawValue: 0x02)
  /// Neither.
  package static let noInputNoOutput = Self(rawValue: 0x03)
  /// Both.
  package static let keyboardDisplay = Self(rawValue: 0x04)
}

/// AuthReq, one byte: Bonding_Flags (bits 0–1), MITM (2), SC (3), Keypress (4), CT2 (5).
package struct AuthReq: RawRepresentable, Equatable, Sendable {
  /// The byte.
  package var rawValue: UInt8
  /// What is asked for, from its byte.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Whether the keys are to be kept.
  package var bonds: Bool { rawValue & 0x03 == 0x01 }
  /// Whether pairing shall protect against somebody in the middle.
  package var wantsMITM: Bool { rawValue & 0x04 != 0 }
  /// Whether LE Secure Connections is supported.
  package var supportsSC: Bool { rawValue & 0x08 != 0 }
  /// Whether key presses are told.
  package var tellsKeypresses: Bool { rawValue & 0x10 != 0 }
  /// Whether the h7 function is supported.
  package var supportsCT2: Bool { rawValue & 0x20 != 0 }
}

/// The keys that a side sends, one byte: EncKey (bit 0), IdKey (1), SignKey (2), LinkKey (3).
package struct KeyDistribution: RawRepresentable, Equatable, Sendable {
  /// The byte.
  package var rawValue: UInt8
  /// Keys from their byte.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The key that a bit stands for, in short; nil for a reserved bit.
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
