// The commands that carry keys: a struct each, beside the rows that describe them for people. All fields
// little-endian. Keys are slices: whoever has to keep one copies it.

package import Bluetooth
package import Bytes

/// LE Encrypt: key (16 bytes), data (16), which is not looked at (Core, Vol 4, Part E, 7.8.22).
package struct LEEncrypt: Sendable {
  /// The key, least significant byte first.
  package let key: Slice

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    key = try cursor.take(16)
  }
}

/// LE Enable Encryption: handle (2 bytes), Rand (8), EDIV (2), key (16) (Core, Vol 4, Part E, 7.8.24).
package struct LEEnableEncryption: Sendable {
  /// The connection handle.
  package let handle: UInt16
  /// Which key it is, for the peer: both zero for one of LE Secure Connections, and for a short-term key.
  package let rand: UInt64
  /// The second part of it.
  package let ediv: UInt16
  /// The key, least significant byte first; nil where the capture does not have all of it.
  package let key: Slice?

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    rand = try cursor.unsigned(width: 8)
    ediv = try cursor.u16()
    key = try? cursor.take(16)
  }
}

/// LE Long Term Key Request Reply: handle (2 bytes), key (16) (Core, Vol 4, Part E, 7.8.25).
package struct LELongTermKeyRequestReply: Sendable {
  /// The connection handle.
  package let handle: UInt16
  /// The key, least significant byte first.
  package let key: Slice

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    key = try cursor.take(16)
  }
}

/// LE Add Device To Resolving List: address type (1 byte), address (6), the peer's key (16), the host's own
/// (16) (Core, Vol 4, Part E, 7.8.38).
package struct LEResolvingListDevice: Sendable {
  /// The type of the peer's identity address.
  package let type: AddressType
  /// The peer's identity address.
  package let address: DeviceAddress
  /// The peer's identity resolving key, least significant byte first.
  package let peerKey: Slice
  /// That of this host towards it; nil where the capture does not have all of it.
  package let localKey: Slice?

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    type = AddressType(rawValue: try cursor.u8())
    address = try DeviceAddress(parsing: &cursor)
    peerKey = try cursor.take(16)
    localKey = try? cursor.take(16)
  }
}

/// Link Key Request Reply: address (6 bytes), key (16) (Core, Vol 4, Part E, 7.1.10).
package struct LinkKeyRequestReply: Sendable {
  /// The peer's address, which is public.
  package let peer: DeviceAddress
  /// The key, least significant byte first.
  package let key: Slice

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    peer = try DeviceAddress(parsing: &cursor)
    key = try cursor.take(16)
  }
}
