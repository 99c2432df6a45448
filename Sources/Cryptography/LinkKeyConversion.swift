import Bytes

/// Cross-transport key derivation: LE keys from a BR/EDR link key, and vice versa (Core, Vol 3,
/// Part H, 2.4.2.4 and 2.4.2.5).
package enum LinkKeyConversion {
  /// Computes the link key conversion function h6: AES-CMAC of four letters (Core, Vol 3, Part H,
  /// 2.2.10).
  package static func h6(_ key: PairingValue, keyID: UInt32) -> PairingValue {
    var message: [UInt8] = []
    message.append(mostSignificantFirst: UInt128(keyID), count: 4)
    return AES128.authenticationCode(key, of: message)
  }

  /// Computes the link key conversion function h7: AES-CMAC of a key, with a salt as its key (Core,
  /// Vol 3, Part H, 2.2.11).
  package static func h7(salt: PairingValue, _ key: PairingValue) -> PairingValue {
    var message: [UInt8] = []
    message.append(key)
    return AES128.authenticationCode(salt, of: message)
  }

  /// Derives the BR/EDR link key from an LTK, with h7 if both sides have set CT2, otherwise with
  /// h6.
  package static func linkKey(ofLongTermKey key: PairingValue, usesH7: Bool) -> PairingValue {
    convert(key, by: "tmp1", then: "lebr", usesH7: usesH7)
  }

  /// Derives the LTK from a BR/EDR link key, with h7 if both sides have set CT2, otherwise with h6.
  package static func longTermKey(ofLinkKey key: PairingValue, usesH7: Bool) -> PairingValue {
    convert(key, by: "tmp2", then: "brle", usesH7: usesH7)
  }

  private static func convert(
    _ key: PairingValue, by first: StaticString, then second: StaticString, usesH7: Bool
  ) -> PairingValue {
    let intermediate =
      usesH7
      ? h7(salt: PairingValue(number: UInt128(letters(first))), key)
      : h6(key, keyID: letters(first))
    return h6(intermediate, keyID: letters(second))
  }

  /// Returns four letters as a number, the first the most significant.
  private static func letters(_ text: StaticString) -> UInt32 { text.bytes.bigEndianU32(at: 0) }
}
