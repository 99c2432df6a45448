// The PDUs of pairing itself: features, authentication, failure (Core, Vol 3, Part H, 3.5).

package import Bluetooth
package import Bytes

extension SMP {
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

  /// Pairing Confirm: the confirm value (16 bytes) (3.5.3).
  package struct PairingConfirm: Sendable {
    /// The commitment to the random value that follows.
    package let value: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) { value = try cursor.take(16) }
  }

  /// Pairing Random: the random value (16 bytes) (3.5.4).
  package struct PairingRandom: Sendable {
    package let value: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) { value = try cursor.take(16) }
  }

  /// Pairing Failed: reason (1 byte) (3.5.5).
  package struct PairingFailed: Sendable {
    package let reason: PairingFailure

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      reason = PairingFailure(rawValue: try cursor.u8())
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

  /// Pairing DHKey Check: the check value (16 bytes) (3.5.7).
  package struct PairingDHKeyCheck: Sendable {
    /// The check value, which proves knowledge of the shared key without revealing it.
    package let value: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) { value = try cursor.take(16) }
  }

  /// Pairing Keypress Notification: notification type (1 byte) (3.5.8).
  package struct KeypressNotification: Sendable {
    /// The user's action; see `CodeSet.keypress`.
    package let type: UInt8

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) { type = try cursor.u8() }
  }

  /// Security Request: AuthReq (1 byte) (3.6.7).
  package struct SecurityRequest: Sendable {
    /// The authentication requirements of the peripheral.
    package let authReq: AuthReq

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      authReq = AuthReq(rawValue: try cursor.u8())
    }
  }
}
