// The management commands and events that others than reports read: a struct each, beside the rows that
// describe them for people (BlueZ, doc/mgmt-protocol.rst). All fields little-endian. Keys are slices:
// whoever has to keep one copies it.

package import Bluetooth
package import Bytes

/// A device, as most management records name it: address (6 bytes), type (1: 0 BR/EDR, 1 LE public, 2 LE
/// random). Pair Device, User Confirmation Reply and many others begin with it.
package struct ManagementDevice: Sendable {
  /// Its address.
  package let address: DeviceAddress
  /// The type of its address; that of BR/EDR is public.
  package let type: AddressType

  /// Reads it.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    address = try DeviceAddress(parsing: &cursor)
    type = try cursor.u8() == 2 ? .random : .public
  }
}

/// User Confirmation Request: device (7 bytes), hint (1), number (4).
package struct UserConfirmationRequest: Sendable {
  /// The peer.
  package let device: ManagementDevice
  /// 0: the user compares digits; 1: just agrees.
  package let hint: UInt8

  /// Whether the user compares digits.
  package var comparesDigits: Bool { hint == 0 }

  /// Reads the parameters but for the number, which nobody asks for.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    device = try ManagementDevice(parsing: &cursor)
    hint = try cursor.u8()
  }
}

/// A link key of BR/EDR, of Load Link Keys and New Link Key: device (7 bytes), type (1), value (16), length
/// of the PIN (1).
package struct ManagementLinkKey: Sendable {
  /// The peer.
  package let device: ManagementDevice
  /// How it was made.
  package let type: LinkKeyType
  /// The key, least significant byte first.
  package let key: Slice
  /// How many bytes the PIN has; 0: none.
  package let pinLength: UInt8

  /// Reads it.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    device = try ManagementDevice(parsing: &cursor)
    type = LinkKeyType(rawValue: try cursor.u8())
    key = try cursor.take(16)
    pinLength = try cursor.u8()
  }
}

/// A long term key, of Load Long Term Keys and New Long Term Key: device (7 bytes), type (1), central (1),
/// size (1), EDIV (2), Rand (8), value (16).
package struct ManagementLongTermKey: Sendable {
  /// The peer.
  package let device: ManagementDevice
  /// 0 unauthenticated, 1 authenticated, both of legacy pairing; 2 and 3 the same of Secure Connections; 4
  /// the debug key's.
  package let type: UInt8
  /// Whether it is for links on which this host is the central.
  package let isCentral: Bool
  /// How many bytes of it count.
  package let size: UInt8
  /// Which key it is, for the side that gave it.
  package let ediv: UInt16
  /// The second part of it.
  package let rand: UInt64
  /// The key, least significant byte first.
  package let key: Slice

  /// Whether legacy pairing made it.
  package var isLegacy: Bool { type < 2 }
  /// Whether it is authenticated; nil where the type says nothing of it.
  package var isAuthenticated: Bool? { type < 4 ? type & 1 == 1 : nil }

  /// Reads it.
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

/// An identity resolving key, of Load Identity Resolving Keys and New Identity Resolving Key: device (7
/// bytes), value (16).
package struct ManagementIdentityResolvingKey: Sendable {
  /// The peer, by its identity address.
  package let device: ManagementDevice
  /// The key, least significant byte first.
  package let key: Slice

  /// Reads it.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    device = try ManagementDevice(parsing: &cursor)
    key = try cursor.take(16)
  }
}

/// A signature resolving key, of New Signature Resolving Key: device (7 bytes), type (1: bit 0 the peer's,
/// bit 1 authenticated), value (16).
package struct ManagementSignatureResolvingKey: Sendable {
  /// The peer.
  package let device: ManagementDevice
  /// Whose it is, and how it was made.
  package let type: UInt8
  /// The key, least significant byte first.
  package let key: Slice

  /// Whether it is the peer's; else this host's.
  package var isPeers: Bool { type & 1 != 0 }
  /// Whether it is authenticated.
  package var isAuthenticated: Bool { type & 2 != 0 }

  /// Reads it.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    device = try ManagementDevice(parsing: &cursor)
    type = try cursor.u8()
    key = try cursor.take(16)
  }
}

/// A key that a management record brings.
package enum ManagementKey: Sendable {
  case link(ManagementLinkKey)
  case longTerm(ManagementLongTermKey)
  case identityResolving(ManagementIdentityResolvingKey)
  case signatureResolving(ManagementSignatureResolvingKey)
}

/// The keys that a management record brings, one after the other.
///
/// In front of them stand: Load Link Keys: debug keys (1 byte), count (2); Load Long Term Keys, Load
/// Identity Resolving Keys: count (2); New Link Key, New Long Term Key, New Signature Resolving Key: store
/// hint (1); New Identity Resolving Key: store hint (1), the address that the peer used (6).
package struct ManagementKeys: Sendable {
  private enum Kind: Sendable { case link, longTerm, identityResolving, signatureResolving }

  private let kind: Kind
  private var rest: Slice

  /// Those of a record; nil for a record of another kind, or one that ends before its keys begin.
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

  /// The next key; nil where no whole one is left.
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
