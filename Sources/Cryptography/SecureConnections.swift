/// The functions of LE Secure Connections. Each is the AES-CMAC of a message of its parameters,
/// most significant byte first (Core, Vol 3, Part H, 2.2.6 to 2.2.9).
package enum SecureConnections {
  /// Computes the confirm value generation function f4, whose result a side sends before it reveals
  /// `random`.
  ///
  /// Message: X of the sender's public key (32 bytes), X of the other one (32), z (1), which is 0
  /// if there is only one confirm value, or 0x80 or 0x81 for a passkey bit.
  package static func f4(
    _ own: P256Coordinate, _ other: P256Coordinate, random: PairingValue, z: UInt8
  ) -> PairingValue {
    var confirms = ConfirmValues(own, other, random: random)
    return confirms.f4(z: z)
  }

  /// Values of f4 that differ only in z, two for each passkey bit.
  struct ConfirmValues: Sendable {
    private var chain: AES128.CodeChain

    /// Processes the part they have in common.
    init(_ own: P256Coordinate, _ other: P256Coordinate, random: PairingValue) {
      chain = AES128.CodeChain(AES128(random))
      chain.absorb(own.high)
      chain.absorb(own.low)
      chain.absorb(other.high)
      chain.absorb(other.low)
    }

    /// Returns the value for `z`.
    mutating func f4(z: UInt8) -> PairingValue {
      PairingValue(number: chain.code(last: UInt128(z) << 120, bytes: 1))
    }
  }

  /// The result of f5.
  package struct Keys: Hashable, Sendable {
    /// The key for the check values.
    package let macKey: PairingValue
    /// The LTK before it is shortened to an agreed encryption key size below 16 bytes.
    package let longTermKey: PairingValue
  }

  /// Computes the key generation function f5 of the DHKey, both random values (of the last round,
  /// if there are several) and both addresses.
  ///
  /// Message: 0 for MacKey or 1 for LTK (1 byte), "btle" (4), initiator's random (16), responder's
  /// (16), initiator's address with its type (7), responder's (7), length in bits (2). Its key is
  /// the AES-CMAC of the DHKey.
  package static func f5(
    dhKey: P256Coordinate, initiatorRandom: PairingValue, responderRandom: PairingValue,
    initiator: PairingAddress, responder: PairingAddress
  ) -> Keys {
    let salt = PairingValue(number: 0x6c88_8391_aaf5_a538_6037_0bdb_5a60_83be)
    var secret: [UInt8] = []
    secret.append(dhKey)
    let key = AES128.authenticationCode(salt, of: secret)
    func derive(_ counter: UInt8) -> PairingValue {
      var message = [counter]
      message.append(mostSignificantFirst: 0x6274_6c65, count: 4)
      message.append(initiatorRandom)
      message.append(responderRandom)
      message.append(initiator)
      message.append(responder)
      message.append(mostSignificantFirst: 256, count: 2)
      return AES128.authenticationCode(key, of: message)
    }
    return Keys(macKey: derive(0), longTermKey: derive(1))
  }

  /// Computes the check value generation function f6 of the sender's and the other's random values,
  /// the *other's* r (a passkey, OOB data, or zero), the sender's pairing command, and the sender's
  /// and the other's addresses.
  ///
  /// Message: random (16 bytes), the other's random (16), r (16), AuthReq, OOB data flag and IO
  /// capability (3), address with its type (7), the other's (7).
  package static func f6(
    macKey: PairingValue, own: (random: PairingValue, address: PairingAddress),
    other: (random: PairingValue, address: PairingAddress), r: PairingValue, command: PairingCommand
  ) -> PairingValue {
    var message: [UInt8] = []
    message.append(own.random)
    message.append(other.random)
    message.append(r)
    message.append(mostSignificantFirst: UInt128(command.capabilities), count: 3)
    message.append(own.address)
    message.append(other.address)
    return AES128.authenticationCode(macKey, of: message)
  }

  /// Returns the six digits that both sides display: the last ones of the numeric comparison value
  /// generation function g2.
  ///
  /// Message: X of the initiator's public key (32 bytes), X of the responder's (32), the
  /// responder's random (16). Its key is the initiator's random, and its last 4 bytes are the
  /// value.
  package static func g2(
    initiatorKey: P256Coordinate, responderKey: P256Coordinate, initiatorRandom: PairingValue,
    responderRandom: PairingValue
  ) -> SixDigits {
    SixDigits(
      lastOf: comparisonValue(initiatorKey, responderKey, initiatorRandom, responderRandom))
  }

  /// Computes g2 before it is reduced to six digits.
  static func comparisonValue(
    _ initiatorKey: P256Coordinate, _ responderKey: P256Coordinate,
    _ initiatorRandom: PairingValue, _ responderRandom: PairingValue
  ) -> UInt32 {
    var message: [UInt8] = []
    message.append(initiatorKey)
    message.append(responderKey)
    message.append(responderRandom)
    let code = AES128.authenticationCode(initiatorRandom, of: message)
    return UInt32(truncatingIfNeeded: code.number)
  }
}
