// The Security Manager's PDUs with several fields (Core, Vol 3, Part H, 3.5 and 3.6).

package import Bluetooth
package import Bytes

/// The namespace of these structs.
package enum SMP {
  /// Pairing Request and Pairing Response: IO capability (1 byte), OOB data flag (1), AuthReq (1),
  /// maximum encryption key size (1), initiator key distribution (1), responder key distribution
  /// (1) (3.5.1, 3.5.2).
  package struct PairingFeatures: Sendable {
    package let opcode: SMPOpcode
    /// The device's input and output capabilities.
    package let ioCapability: IOCapability
    /// 1 if OOB authentication data from the other device is present.
    package let oobDataFlag: UInt8
    /// The authentication requirements.
    package let authReq: AuthReq
    /// The maximum encryption key size in bytes: 7 to 16.
    package let maximumEncryptionKeySize: UInt8
    /// The keys that the initiator requests to distribute, or may distribute.
    package let initiatorKeys: KeyDistribution
    /// The keys that the responder may distribute, or is requested to distribute.
    package let responderKeys: KeyDistribution

    @_lifetime(cursor: copy cursor)
    init(_ opcode: SMPOpcode, parsing cursor: inout Cursor) throws(ParseError) {
      self.opcode = opcode
      ioCapability = IOCapability(rawValue: try cursor.u8())
      oobDataFlag = try cursor.u8()
      authReq = AuthReq(rawValue: try cursor.u8())
      maximumEncryptionKeySize = try cursor.u8()
      initiatorKeys = KeyDistribution(rawValue: try cursor.u8())
      responderKeys = KeyDistribution(rawValue: try cursor.u8())
    }
  }

  /// Pairing Public Key: X (32 bytes), Y (32) of a point on P-256, least significant byte first
  /// (3.5.6).
  package struct PairingPublicKey: Sendable {
    package let x: Slice
    package let y: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      x = try cursor.take(32)
      y = try cursor.take(32)
    }

    /// Returns whether this is the public key of the debug key pair, whose private key is public
    /// knowledge (2.3.5.6.1). The X coordinate suffices, since a peer that validates the point
    /// accepts no other Y but its negative.
    package func isDebugKey(_ bytes: RawSpan) -> Bool {
      let own = bytes.part(x)
      guard own.byteCount == Self.debugX.count else { return false }
      for index in Self.debugX.indices where own.byte(at: index) != Self.debugX[index] {
        return false
      }
      return true
    }

    /// The X coordinate of the debug key, in the byte order of the PDU.
    private static let debugX: InlineArray<32, UInt8> = [
      0xe6, 0x9d, 0x35, 0x0e, 0x48, 0x01, 0x03, 0xcc, 0xdb, 0xfd, 0xf4, 0xac, 0x11, 0x91, 0xf4,
      0xef, 0xb9, 0xa5, 0xf9, 0xe9, 0xa7, 0x83, 0x2c, 0x5e, 0x2c, 0xbe, 0x97, 0xf2, 0xd2, 0x03,
      0xb0, 0x20,
    ]
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
}
