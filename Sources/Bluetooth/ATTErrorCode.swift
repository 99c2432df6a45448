/// Why a request was refused, one byte of an Error Response (Core, Vol 3, Part F, 3.4.1.1; Core
/// Specification Supplement, Part B).
package struct ATTErrorCode: RawRepresentable, Equatable, Hashable, Sendable {
  /// The byte.
  package var rawValue: UInt8
  /// A code from its byte.
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// The same where a `switch` compares.
  package static func ~= (pattern: Self, value: Self) -> Bool {
    pattern.rawValue == value.rawValue
  }

  /// No attribute in the range, or no further one: how every discovery ends.
  package static let attributeNotFound = Self(rawValue: 0x0a)

  /// Whether it asks for a better protected link: what is refused so may be allowed later.
  package var isAboutSecurity: Bool {
    switch rawValue {
    case 0x05, 0x08, 0x0c, 0x0f: true
    default: false
    }
  }

  /// Who gives a code its meaning.
  package enum Range: Sendable {
    /// The Core Specification.
    case attributeProtocol
    /// The profile or application behind the attribute: 0x80–0x9f.
    case application
    /// The list that all profiles and services share: 0xe0–0xff.
    case commonProfile
    /// Nobody yet.
    case reserved
  }

  /// Who gives this code its meaning.
  package var range: Range {
    switch rawValue {
    case 0x01...0x13: .attributeProtocol
    case 0x80...0x9f: .application
    case 0xe0...0xff: .commonProfile
    default: .reserved
    }
  }

  /// The codes to which a profile may give a name: those of the application, and those behind them, which
  /// are reserved and used all the same by services as old as Alert Notification and Apple's. Those below
  /// are the Attribute Protocol's own, those above all profiles share.
  package static let ofProfiles: ClosedRange<UInt8> = 0x80...0xdf

  /// Whether a profile may give the code a name.
  package var isOfProfile: Bool { Self.ofProfiles.contains(rawValue) }

  /// The specification's name; for a code that only its range names, the range's.
  package var name: StaticString {
    switch rawValue {
    case 0x01: "Invalid Handle"
    case 0x02: "Read Not Permitted"
    case 0x03: "Write Not Permitted"
    case 0x04: "Invalid PDU"
    case 0x05: "Insufficient Authentication"
    case 0x06: "Request Not Supported"
    case 0x07: "Invalid Offset"
    case 0x08: "Insufficient Authorization"
    case 0x09: "Prepare Queue Full"
    case 0x0a: "Attribute Not Found"
    case 0x0b: "Attribute Not Long"
    case 0x0c: "Encryption Key Size Too Short"
    case 0x0d: "Invalid Attribute Value Length"
    case 0x0e: "Unlikely Error"
    case 0x0f: "Insufficient Encryption"
    case 0x10: "Unsupported Group Type"
    case 0x11: "Insufficient Resources"
    case 0x12: "Database Out Of Sync"
    case 0x13: "Value Not Allowed"
    case 0xfc: "Write Request Rejected"
    case 0xfd: "Client Characteristic Configuration Descriptor Improperly Configured"
    case 0xfe: "Procedure Already in Progress"
    case 0xff: "Out of Range"
    default:
      switch range {
      case .application: "Application Error"
      case .commonProfile: "Common Profile and Service Error"
      default: "Reserved Error"
      }
    }
  }
}
