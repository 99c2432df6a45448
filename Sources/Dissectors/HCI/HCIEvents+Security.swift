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
