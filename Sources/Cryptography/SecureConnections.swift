/// The functions of LE Secure Connections: each is AES-CMAC of a message made of its parameters, most
/// significant byte first (Core, Vol 3, Part H, 2.2.6 to 2.2.9).
package enum SecureConnections {
  /// The confirm value generation function f4: what a side sends before it reveals `random`.
  ///
  /// Message: X of the sender's public key (32 bytes), X of the other one (32), z (1): 0 where there is
  /// one confirm value, 0x80 or 0x81 for a passkey's bit.
  package static func f4(
    _ own: P256Coordinate, _ other: P256Coordinate, random: PairingValue, z: UInt8
  ) -> PairingValue {
    var confirms = ConfirmValues(own, other, random: random)
    return confirms.f4(z: z)
  }

  /// The values of f4 that differ in z alone, of which a passkey's bit has two.
  struct ConfirmValues: Sendable {
    private var chain: AES128.CodeChain

    /// Takes what they have in common.
    init(_ own: P256Coordinate, _ other: P256Coordinate, random: PairingValue) {
      chain = AES128.CodeChain(AES128(random))
      chain.take(own.high)
      chain.take(own.low)
      chain.take(other.high)
      chain.take(other.low)
    }

    /// The value with a z.
    mutating func f4(z: UInt8) -> PairingValue {
      PairingValue(number: chain.code(last: UInt128(z) << 120, bytes: 1))
    }
  }

  /// What f5 gives.
  package struct Keys: Hashable, Sendable {
    /// The key of the check values.
    package let macKey: PairingValue
    /// The long-term key; an agreed size of less than 16 bytes still shortens it.
    package let longTermKey: PairingValue
  }

  /// The key generation function f5, of the shared secret, both random values (of the last round, where
  /// there are several) and both addresses.
  ///
  /// Message: 0 for MacKey or 1 for LTK (1 byte), "btle" (4), initiator's random (16), responder's (16),
  /// initiator's address with its type (7), responder's (7), the length in bits (2); its key is the
  /// AES-CMAC of the shared secret.
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

  /// The check value generation function f6: the sender's and the other's random values, the *other's* r
  /// (a passkey, OOB data, or zero), the command in which the sender said what it can do, and the
  /// sender's and the other's addresses.
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

  /// The numeric comparison value generation function g2, and what both sides show of it: the last six
  /// digits.
  ///
  /// Message: X of the initiator's public key (32 bytes), of the responder's (32), the responder's random
  /// (16); its key is the initiator's random, and the last 4 bytes are the value.
  package static func g2(
    initiatorKey: P256Coordinate, responderKey: P256Coordinate, initiatorRandom: PairingValue,
    responderRandom: PairingValue
  ) -> SixDigits {
    SixDigits(
      lastOf: comparisonValue(initiatorKey, responderKey, initiatorRandom, responderRandom))
  }

  /// g2 before its last digits are taken.
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
