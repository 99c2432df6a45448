// The events that concern keys: a struct for each, besides the rows that describe them for display.
// All fields are little-endian. Keys are slices, which callers must copy to keep.

package import Bluetooth
package import Bytes

/// The type of a BR/EDR link key, which reveals how it was created (Core, Vol 4, Part E, 7.7.24).
package struct LinkKeyType: RawRepresentable, Equatable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Unauthenticated Combination Key generated from P-192
  package static let unauthenticatedP192 = Self(rawValue: 0x04)
  /// Authenticated Combination Key generated from P-192
  package static let authenticatedP192 = Self(rawValue: 0x05)
  /// Unauthenticated Combination Key generated from P-256
  package static let unauthenticatedP256 = Self(rawValue: 0x07)
  /// Authenticated Combination Key generated from P-256
  package static let authenticatedP256 = Self(rawValue: 0x08)

  /// Whether the key is authenticated; nil if the type does not determine it.
  package var isAuthenticated: Bool? {
    switch self {
    case .unauthenticatedP192, .unauthenticatedP256: false
    case .authenticatedP192, .authenticatedP256: true
    default: nil
    }
  }
}

/// Link Key Notification: address (6 bytes), key (16), key type (1) (Core, Vol 4, Part E, 7.7.24).
package struct LinkKeyNotification: Sendable {
  /// The peer's public address.
  package let peer: DeviceAddress
  /// The key, least significant byte first; nil if the capture does not have all of it.
  package let key: Slice?
  /// The key type; nil if the capture does not have the end of the event.
  package let type: LinkKeyType?

  package static let code: UInt8 = 0x18

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    peer = try DeviceAddress(parsing: &cursor)
    key = try? cursor.take(16)
    type = key == nil ? nil : (try? cursor.u8()).map { LinkKeyType(rawValue: $0) }
  }
}

/// A device's capabilities in BR/EDR Secure Simple Pairing: address (6 bytes), IO capability (1),
/// OOB data (1), authentication requirements (1). The command IO Capability Request Reply states
/// those of the local host, the event IO Capability Response those of the peer (Core, Vol 4, Part
/// E, 7.1.29 and 7.7.41).
package struct SimplePairingFeatures: Sendable {
  /// The peer's public address.
  package let peer: DeviceAddress
  /// The device's input and output capabilities.
  package let ioCapability: IOCapability
  /// Whether the device has OOB authentication data; 0 means no.
  package let outOfBand: UInt8
  /// Whether the device requires bonding and MITM protection.
  package let requirements: UInt8

  /// The event code of IO Capability Response.
  package static let code: UInt8 = 0x32

  /// Whether MITM protection is required (the lowest bit).
  package var wantsMITM: Bool { requirements & 1 == 1 }

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    peer = try DeviceAddress(parsing: &cursor)
    ioCapability = IOCapability(rawValue: try cursor.u8())
    outOfBand = try cursor.u8()
    requirements = try cursor.u8()
  }
}

/// User Confirmation Request of BR/EDR: address (6 bytes), number (4), which is displayed with six
/// digits (Core, Vol 4, Part E, 7.7.42).
package struct SimplePairingNumber: Sendable {
  /// The peer's public address.
  package let peer: DeviceAddress
  /// The number, 0 to 999999.
  package let number: UInt32

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    peer = try DeviceAddress(parsing: &cursor)
    number = try cursor.u32()
  }
}

/// LE Long Term Key Request: handle (2 bytes), Rand (8), EDIV (2) (Core, Vol 4, Part E, 7.7.65.5).
package struct LELongTermKeyRequest: Sendable {
  package let handle: UInt16
  /// Identifies the requested key, together with `ediv`; both are zero for LE Secure Connections
  /// keys and short-term keys, and if the capture does not have them.
  package let rand: UInt64
  package let ediv: UInt16

  package static let subevent: UInt8 = 0x05

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    let isWhole = cursor.remaining >= 10
    rand = isWhole ? try cursor.unsigned(width: 8) : 0
    ediv = isWhole ? try cursor.u16() : 0
  }
}

/// LE Generate DHKey Complete: status (1 byte), key (32) (Core, Vol 4, Part E, 7.7.65.9).
package struct LEGenerateDHKeyComplete: Sendable {
  /// Success, or why no key was generated.
  package let status: StatusCode
  /// The Diffie-Hellman key, least significant byte first.
  package let key: Slice

  package static let subevent: UInt8 = 0x09

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    key = try cursor.take(32)
  }
}
