// The events about keys: a struct each, beside the rows that describe them for people. All fields
// little-endian. Keys are slices: whoever has to keep one copies it.

package import Bluetooth
package import Bytes

/// The type of a BR/EDR link key: how it was made (Core, Vol 4, Part E, 7.7.24).
package struct LinkKeyType: RawRepresentable, Equatable, Sendable {
  /// The byte.
  package var rawValue: UInt8
  /// A type from its byte.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Unauthenticated Combination Key generated from P-192
  package static let unauthenticatedP192 = Self(rawValue: 0x04)
  /// Authenticated Combination Key generated from P-192
  package static let authenticatedP192 = Self(rawValue: 0x05)
  /// Unauthenticated Combination Key generated from P-256
  package static let unauthenticatedP256 = Self(rawValue: 0x07)
  /// Authenticated Combination Key generated from P-256
  package static let authenticatedP256 = Self(rawValue: 0x08)

  /// Whether the key is authenticated; nil where the type says nothing of it.
  package var isAuthenticated: Bool? {
    switch self {
    case .unauthenticatedP192, .unauthenticatedP256: false
    case .authenticatedP192, .authenticatedP256: true
    default: nil
    }
  }
}

/// Link Key Notification: address (6 bytes), key (16), type of the key (1) (Core, Vol 4, Part E, 7.7.24).
package struct LinkKeyNotification: Sendable {
  /// The peer's address, which is public.
  package let peer: DeviceAddress
  /// The key, least significant byte first.
  package let key: Slice
  /// How it was made; nil where the capture has no more of the event.
  package let type: LinkKeyType?

  /// The event code.
  package static let code: UInt8 = 0x18

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    peer = try DeviceAddress(parsing: &cursor)
    key = try cursor.take(16)
    type = cursor.isAtEnd ? nil : LinkKeyType(rawValue: try cursor.u8())
  }
}

/// What a device can do in BR/EDR Secure Simple Pairing: address (6 bytes), IO capability (1), OOB data (1),
/// authentication requirements (1). The command IO Capability Request Reply says it of this host, the event IO
/// Capability Response of the peer (Core, Vol 4, Part E, 7.1.29 and 7.7.41).
package struct SimplePairingFeatures: Sendable {
  /// The peer's address, which is public.
  package let peer: DeviceAddress
  /// Its keyboard and its display.
  package let ioCapability: IOCapability
  /// Whether it has data from out of band: 0 no.
  package let outOfBand: UInt8
  /// Whether it wants bonding, and protection against a man in the middle.
  package let requirements: UInt8

  /// The event code of IO Capability Response.
  package static let code: UInt8 = 0x32

  /// Whether protection against a man in the middle is required: the lowest bit.
  package var wantsMITM: Bool { requirements & 1 == 1 }

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    peer = try DeviceAddress(parsing: &cursor)
    ioCapability = IOCapability(rawValue: try cursor.u8())
    outOfBand = try cursor.u8()
    requirements = try cursor.u8()
  }
}

/// User Confirmation Request of BR/EDR: address (6 bytes), number (4), which is shown with six digits (Core,
/// Vol 4, Part E, 7.7.42).
package struct SimplePairingNumber: Sendable {
  /// The peer's address, which is public.
  package let peer: DeviceAddress
  /// The number, 0 to 999999.
  package let number: UInt32

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    peer = try DeviceAddress(parsing: &cursor)
    number = try cursor.u32()
  }
}

/// LE Long Term Key Request: handle (2 bytes), Rand (8), EDIV (2) (Core, Vol 4, Part E, 7.7.65.5).
package struct LELongTermKeyRequest: Sendable {
  /// The connection handle.
  package let handle: UInt16
  /// Which key is asked for: both zero for one of LE Secure Connections, and for a short-term key.
  package let rand: UInt64
  /// The second part of it.
  package let ediv: UInt16

  /// The subevent code.
  package static let subevent: UInt8 = 0x05

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    rand = try cursor.unsigned(width: 8)
    ediv = try cursor.u16()
  }
}

/// LE Generate DHKey Complete: status (1 byte), key (32) (Core, Vol 4, Part E, 7.7.65.9).
package struct LEGenerateDHKeyComplete: Sendable {
  /// Success, or why there is no key.
  package let status: StatusCode
  /// The Diffie-Hellman key, least significant byte first.
  package let key: Slice

  /// The subevent code.
  package static let subevent: UInt8 = 0x09

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    key = try cursor.take(32)
  }
}
