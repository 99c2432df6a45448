// The management commands and events that are not only displayed: a struct for each, besides the
// rows that describe them for display (BlueZ, doc/mgmt-protocol.rst). All fields are little-endian.
// Keys are slices, which callers must copy to keep.

package import Bluetooth
package import Bytes

/// A device as identified in most management records: address (6 bytes), type (1: 0 BR/EDR, 1 LE
/// public, 2 LE random). Pair Device, User Confirmation Reply and many others begin with it.
package struct ManagementDevice: Sendable {
  package let address: DeviceAddress
  /// The address type; public for BR/EDR.
  package let type: AddressType

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    address = try DeviceAddress(parsing: &cursor)
    type = try cursor.u8() == 2 ? .random : .public
  }
}

/// User Confirmation Request: device (7 bytes), hint (1), number (4).
package struct UserConfirmationRequest: Sendable {
  package let device: ManagementDevice
  /// 0 if the user must compare digits, 1 if the user must only agree.
  package let hint: UInt8

  /// Whether the user must compare digits.
  package var comparesDigits: Bool { hint == 0 }

  /// Reads the parameters except the number, which is not needed.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    device = try ManagementDevice(parsing: &cursor)
    hint = try cursor.u8()
  }
}

/// A BR/EDR link key in Load Link Keys or New Link Key: device (7 bytes), type (1), value (16), PIN
/// length (1).
package struct ManagementLinkKey: Sendable {
  package let device: ManagementDevice
  /// The key type, which reveals how the key was created.
  package let type: LinkKeyType
  /// The key, least significant byte first.
  package let key: Slice
  /// The length of the PIN in bytes; 0 for none.
  package let pinLength: UInt8

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    device = try ManagementDevice(parsing: &cursor)
    type = LinkKeyType(rawValue: try cursor.u8())
    key = try cursor.take(16)
    pinLength = try cursor.u8()
  }
}

/// A long-term key in Load Long Term Keys or New Long Term Key: device (7 bytes), type (1), central
/// (1), size (1), EDIV (2), Rand (8), value (16).
package struct ManagementLongTermKey: Sendable {
  package let device: ManagementDevice
  /// 0 unauthenticated, 1 authenticated, both from legacy pairing; 2 and 3 the same from Secure
  /// Connections; 4 from the debug key.
  package let type: UInt8
  /// Whether it is for links on which the local host is the central.
  package let isCentral: Bool
  /// The encryption key size in bytes.
  package let size: UInt8
  /// Identifies the key, together with `rand`, to the side that distributed it.
  package let ediv: UInt16
  package let rand: UInt64
  /// The key, least significant byte first.
  package let key: Slice

  /// Whether the key comes from legacy pairing.
  package var isLegacy: Bool { type < 2 }
  /// Whether the key is authenticated; nil if the type does not determine it.
  package var isAuthenticated: Bool? { type < 4 ? type & 1 == 1 : nil }

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    device = try ManagementDevice(parsing: &cursor)
    type = try cursor.u8()
    isCentral = try cursor.u8() != 0
    size = try cursor.u8()
    ediv = try cursor.u16()
    rand = try cursor.unsigned(width: 8)
    key = try cursor.take(16)
  }
}

/// An identity resolving key in Load Identity Resolving Keys or New Identity Resolving Key: device
/// (7 bytes), value (16).
package struct ManagementIdentityResolvingKey: Sendable {
  /// The peer, with its identity address.
  package let device: ManagementDevice
  /// The key, least significant byte first.
  package let key: Slice

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    device = try ManagementDevice(parsing: &cursor)
    key = try cursor.take(16)
  }
}

/// A signature resolving key in New Signature Resolving Key: device (7 bytes), type (1: bit 0 the
/// peer's, bit 1 authenticated), value (16).
package struct ManagementSignatureResolvingKey: Sendable {
  package let device: ManagementDevice
  /// The key type: whose key it is, and whether it is authenticated.
  package let type: UInt8
  /// The key, least significant byte first.
  package let key: Slice

  /// Whether it is the peer's key rather than the local host's.
  package var isPeers: Bool { type & 1 != 0 }
  /// Whether the key is authenticated.
  package var isAuthenticated: Bool { type & 2 != 0 }

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    device = try ManagementDevice(parsing: &cursor)
    type = try cursor.u8()
    key = try cursor.take(16)
  }
}

/// A key in a management record.
package enum ManagementKey: Sendable {
  case link(ManagementLinkKey)
  case longTerm(ManagementLongTermKey)
  case identityResolving(ManagementIdentityResolvingKey)
  case signatureResolving(ManagementSignatureResolvingKey)
}

/// A reader of the keys in a management record.
///
/// The data before the keys: in Load Link Keys debug keys (1 byte), count (2); in Load Long Term
/// Keys and Load Identity Resolving Keys count (2); in New Link Key, New Long Term Key and New
/// Signature Resolving Key store hint (1); in New Identity Resolving Key store hint (1), the
/// address that the peer used (6).
package struct ManagementKeys: Sendable {
  private enum Kind: Sendable { case link, longTerm, identityResolving, signatureResolving }

  private let kind: Kind
  private var rest: Slice

  /// Reads the keys of a record; returns nil for other records, or if the record ends before its
  /// keys.
  package init?(_ control: ControlRecord, _ bytes: RawSpan, _ body: Slice) {
    let head: Int
    switch (control.isEvent, control.code) {
    case (false, ManagementCommand.loadLinkKeys): (kind, head) = (.link, 3)
    case (false, ManagementCommand.loadLongTermKeys): (kind, head) = (.longTerm, 2)
    case (false, ManagementCommand.loadIdentityResolvingKeys):
      (kind, head) = (.identityResolving, 2)
    case (true, ManagementEvent.newLinkKey): (kind, head) = (.link, 1)
    case (true, ManagementEvent.newLongTermKey): (kind, head) = (.longTerm, 1)
    case (true, ManagementEvent.newIdentityResolvingKey): (kind, head) = (.identityResolving, 7)
    case (true, ManagementEvent.newSignatureResolvingKey): (kind, head) = (.signatureResolving, 1)
    default: return nil
    }
    var cursor = Cursor(bytes, body)
    guard (try? cursor.take(head)) != nil else { return nil }
    rest = cursor.rest()
  }

  /// Returns the next key; nil if no whole one is left.
  package mutating func next(_ bytes: RawSpan) -> ManagementKey? {
    var cursor = Cursor(bytes, rest)
    let key = try? Self.key(kind, &cursor)
    rest = key == nil ? .empty : cursor.rest()
    return key
  }

  @_lifetime(cursor: copy cursor)
  private static func key(_ kind: Kind, _ cursor: inout Cursor) throws(ParseError) -> ManagementKey
  {
    switch kind {
    case .link: .link(try ManagementLinkKey(parsing: &cursor))
    case .longTerm: .longTerm(try ManagementLongTermKey(parsing: &cursor))
    case .identityResolving:
      .identityResolving(try ManagementIdentityResolvingKey(parsing: &cursor))
    case .signatureResolving:
      .signatureResolving(try ManagementSignatureResolvingKey(parsing: &cursor))
    }
  }
}
