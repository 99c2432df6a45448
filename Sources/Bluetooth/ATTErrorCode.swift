/// The reason why a request failed, one byte of an Error Response (Core, Vol 3, Part F, 3.4.1.1;
/// Core Specification Supplement, Part B).
@usableFromInline
package struct ATTErrorCode: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The offset of a read or write is beyond the value.
  package static let invalidOffset = Self(rawValue: 0x07)
  package static let attributeNotLong = Self(rawValue: 0x0b)
  /// The range has no attribute, or no further one. Every discovery ends with it.
  package static let attributeNotFound = Self(rawValue: 0x0a)

  /// Whether it requires a more secure link, on which the request may be allowed.
  package var isAboutSecurity: Bool {
    switch rawValue {
    case 0x05, 0x08, 0x0c, 0x0f: true
    default: false
    }
  }

  /// The origin of a code's meaning.
  package enum Range: Sendable {
    /// The Core Specification.
    case attributeProtocol
    /// The profile or application of the attribute: 0x80–0x9f.
    case application
    /// The list shared by all profiles and services: 0xe0–0xff.
    case commonProfile
    /// Not assigned.
    case reserved
  }

  /// The origin of this code's meaning.
  package var range: Range {
    switch rawValue {
    case 0x01...0x13: .attributeProtocol
    case 0x80...0x9f: .application
    case 0xe0...0xff: .commonProfile
    default: .reserved
    }
  }

  /// The codes to which a profile may give a name: the application's, and the reserved ones after
  /// them, which services as old as Alert Notification and Apple's use nevertheless. Codes below
  /// belong to the Attribute Protocol; codes above are shared by all profiles.
  package static let ofProfiles: ClosedRange<UInt8> = 0x80...0xdf

  /// Whether a profile may give the code a name.
  package var isOfProfile: Bool { Self.ofProfiles.contains(rawValue) }

  /// The specification's name; for codes without their own name, that of the range.
  package var name: AssignedName {
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
