package import Bytes

/// A device address (BD_ADDR): 48 bits.
@usableFromInline
package struct DeviceAddress: Hashable, Sendable {
  /// The address as a number; the first octet in text is the most significant.
  @usableFromInline package var value: UInt64

  /// Creates an address from a number; bits above the 48th are dropped.
  package init(value: UInt64) { self.value = value & 0xffff_ffff_ffff }

  /// Reads the 6 bytes of an address, least significant first (Core, Vol 4, Part E, 5.2).
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    self.init(value: try cursor.unsigned(width: 6))
  }

  /// Parses an address in the usual notation, `C0:FF:EE:12:34:56`, in either case.
  package init?(text: some StringProtocol) {
    let octets = text.split(separator: ":", omittingEmptySubsequences: false)
    guard octets.count == 6,
      octets.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }),
      let value = UInt64(octets.joined(), radix: 16)
    else { return nil }
    self.init(value: value)
  }

  /// The all-zero address, which means none.
  package static let zero = DeviceAddress(value: 0)
}

/// The type of a device address as HCI states it, one byte (Core, Vol 4, Part E, 7.7.65.2).
@usableFromInline
package struct AddressType: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A public device address.
  package static let `public` = Self(rawValue: 0x00)
  /// A random device address of any of the three kinds.
  package static let random = Self(rawValue: 0x01)
  /// A public identity address: the controller resolved the address used on the air.
  package static let publicIdentity = Self(rawValue: 0x02)
  /// A random static identity address: the controller resolved the address used on the air.
  package static let randomIdentity = Self(rawValue: 0x03)
  /// No address, in anonymous advertising.
  package static let anonymous = Self(rawValue: 0xff)
}

/// The kind of a device address, determined by the address type and, if that is random, by the two
/// most significant bits (Core, Vol 6, Part B, 1.3).
package enum AddressKind: UInt8, Sendable {
  case `public`, randomStatic, randomResolvable, randomNonresolvable
  case publicIdentity, randomIdentity, anonymous, unknown

  /// Returns the kind of `address` with the HCI address type `type`.
  package init(_ address: DeviceAddress, _ type: AddressType) {
    switch type {
    case .public: self = .public
    case .publicIdentity: self = .publicIdentity
    case .randomIdentity: self = .randomIdentity
    case .anonymous: self = .anonymous
    case .random:
      switch address.value >> 46 {
      case 0b11: self = .randomStatic
      case 0b01: self = .randomResolvable
      case 0b00: self = .randomNonresolvable
      default: self = .unknown
      }
    default: self = .unknown
    }
  }

  /// The name in the JSON contract; nil for kinds that it does not name.
  package var key: StaticString? {
    switch self {
    case .public: "public"
    case .randomStatic: "random_static"
    case .randomResolvable: "random_resolvable"
    case .randomNonresolvable: "random_nonresolvable"
    case .publicIdentity: "public_identity"
    case .randomIdentity: "random_identity"
    case .anonymous: "anonymous"
    case .unknown: nil
    }
  }

  /// The name for people to read.
  package var words: StaticString {
    switch self {
    case .public: "public"
    case .randomStatic: "random static"
    case .randomResolvable: "random resolvable"
    case .randomNonresolvable: "random non-resolvable"
    case .publicIdentity: "public identity"
    case .randomIdentity: "random identity"
    case .anonymous: "anonymous"
    case .unknown: "of unknown type"
    }
  }
}
