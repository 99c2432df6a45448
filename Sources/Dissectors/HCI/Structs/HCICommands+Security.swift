// The commands that contain keys: a struct for each, besides the rows that describe them for
// display. All fields are little-endian. Keys are slices, which callers must copy to keep.

package import Bluetooth
package import Bytes

/// LE Encrypt: key (16 bytes), data (16), which is ignored (Core, Vol 4, Part E, 7.8.22).
package struct LEEncrypt: Sendable {
  /// The key, least significant byte first.
  package let key: Slice

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    key = try cursor.take(16)
  }
}

/// LE Enable Encryption: handle (2 bytes), Rand (8), EDIV (2), key (16) (Core, Vol 4, Part E,
/// 7.8.24).
package struct LEEnableEncryption: Sendable {
  package let handle: UInt16
  /// Identifies the key to the peer, together with `ediv`; both are zero for LE Secure Connections
  /// keys and short-term keys.
  package let rand: UInt64
  package let ediv: UInt16
  /// The key, least significant byte first; nil if the capture does not have all of it.
  package let key: Slice?

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
  package let handle: UInt16
  /// The key, least significant byte first.
  package let key: Slice

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    key = try cursor.take(16)
  }
}

/// LE Add Device To Resolving List: address type (1 byte), address (6), the peer's IRK (16), the
/// local IRK (16) (Core, Vol 4, Part E, 7.8.38).
package struct LEResolvingListDevice: Sendable {
  /// The type of the peer's identity address.
  package let type: AddressType
  /// The peer's identity address.
  package let address: DeviceAddress
  /// The peer's identity resolving key, least significant byte first.
  package let peerKey: Slice
  /// The host's IRK for this peer; nil if the capture does not have all of it.
  package let localKey: Slice?

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
  /// The peer's public address.
  package let peer: DeviceAddress
  /// The key, least significant byte first.
  package let key: Slice

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    peer = try DeviceAddress(parsing: &cursor)
    key = try cursor.take(16)
  }
}
