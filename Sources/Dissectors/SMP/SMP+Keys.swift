// The PDUs that distribute keys (Core, Vol 3, Part H, 3.6).

package import Bluetooth
package import Bytes

extension SMP {
  /// Encryption Information: long term key (16 bytes) (3.6.2).
  package struct EncryptionInformation: Sendable {
    /// The LTK, which is a secret.
    package let longTermKey: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) { longTermKey = try cursor.take(16) }
  }

  /// Central Identification: EDIV (2 bytes), Rand (8) (3.6.3). They identify the LTK and are sent
  /// in the clear when it is used, so they are not secret.
  package struct CentralIdentification: Sendable {
    /// The encrypted diversifier.
    package let ediv: UInt16
    /// The random number.
    package let rand: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      ediv = try cursor.u16()
      rand = try cursor.take(8)
    }
  }

  /// Identity Information: identity resolving key (16 bytes) (3.6.4).
  package struct IdentityInformation: Sendable {
    /// The IRK, which is a secret.
    package let identityResolvingKey: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      identityResolvingKey = try cursor.take(16)
    }
  }

  /// Identity Address Information: address type (1 byte), address (6) (3.6.5).
  package struct IdentityAddressInformation: Sendable {
    /// Public, or random for a static address.
    package let addressType: AddressType
    package let address: DeviceAddress

    /// Whether it is a private address, which cannot be an identity: a random one without both
    /// upper bits set (3.6.5; Core, Vol 6, Part B, 1.3.2).
    package var isPrivate: Bool { addressType == .random && address.value >> 46 & 3 != 3 }

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      addressType = AddressType(rawValue: try cursor.u8())
      address = try DeviceAddress(parsing: &cursor)
    }
  }

  /// Signing Information: signature key (16 bytes) (3.6.6).
  package struct SigningInformation: Sendable {
    /// The CSRK, which is a secret.
    package let signatureKey: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) { signatureKey = try cursor.take(16) }
  }
}
