import Bytes
import CLibcrypto

/// AES with a key of 128 bits, as Bluetooth uses it: blocks and keys most significant byte first
/// (Core, Vol 3, Part H, 2.2.1).
///
/// It is the key alone: libcrypto expands it when a thread first uses it after another key.
package struct AES128: Sendable {
  /// The bytes of a key, and of a block.
  package static let size = 16

  private let key: UInt128

  /// Nil where the key has not 16 bytes.
  package init?(key: [UInt8]) {
    guard key.count == Self.size else { return nil }
    self.init(PairingValue(mostSignificantFirst: key))
  }

  /// With a key that is a number.
  init(_ key: PairingValue) { self.key = key.number }

  /// The security function e: one block, as a number, encrypted.
  func encrypt(_ number: UInt128) -> UInt128 {
    UInt128(clibcrypto_aes(clibcrypto_block(key), clibcrypto_block(number), 1))
  }

  /// What e made a number of.
  func decrypt(_ number: UInt128) -> UInt128 {
    UInt128(clibcrypto_aes(clibcrypto_block(key), clibcrypto_block(number), 0))
  }

  /// AES-CMAC of a message of any length: 16 bytes, most significant first (RFC 4493; Core, Vol 3, Part
  /// H, 2.2.5).
  ///
  /// Made of the block cipher: the library's own needs a context for each message, and the rounds of one
  /// pairing are forty short ones.
  package func authenticationCode(of message: [UInt8]) -> [UInt8] {
    var code: [UInt8] = []
    code.append(PairingValue(number: authenticationCode(of: message)))
    return code
  }

  /// The same as a number.
  func authenticationCode(of message: [UInt8]) -> UInt128 {
    CodeChain(self).code(message)
  }

  /// AES-CMAC block by block: what has been taken can be closed with several last blocks, and each costs one
  /// encryption.
  struct CodeChain: Sendable {
    private let cipher: AES128
    private let subkey: UInt128
    private var code: UInt128 = 0

    /// Of an empty message so far.
    init(_ cipher: AES128) {
      self.cipher = cipher
      subkey = AES128.doubled(cipher.encrypt(0))
    }

    /// Takes a block that is not the last one.
    mutating func take(_ number: UInt128) { code = cipher.encrypt(code ^ number) }

    /// The code of the message that goes on with these bytes, and ends with them.
    func code(_ rest: [UInt8]) -> UInt128 {
      var chain = self
      // All blocks but the last one, which is there even where the message is empty.
      let whole = rest.isEmpty ? 0 : (rest.count - 1) / AES128.size
      for index in 0..<whole { chain.take(AES128.number(rest, at: index * AES128.size)) }
      return chain.code(
        last: AES128.number(rest, at: whole * AES128.size), bytes: rest.count - whole * AES128.size)
    }

    /// The code of the message that ends with these bytes, 0 to 16: the most significant ones of `last`,
    /// whose others are zero.
    ///
    /// The last block is whole, or followed by one bit 1 and zeros; each case has a subkey of its own.
    mutating func code(last: UInt128, bytes: Int) -> UInt128 {
      guard bytes < AES128.size else { return cipher.encrypt(code ^ last ^ subkey) }
      let padded = last | 0x80 << UInt128(8 * (AES128.size - 1 - bytes))
      return cipher.encrypt(code ^ padded ^ AES128.doubled(subkey))
    }
  }

  /// The number times x in the field of 2¹²⁸ elements (RFC 4493, 2.3).
  private static func doubled(_ number: UInt128) -> UInt128 {
    number << 1 ^ (number >> 127 == 0 ? 0 : 0x87)
  }

  /// The 16 bytes at `offset`, the most significant first; zeros behind the end.
  static func number(_ message: [UInt8], at offset: Int) -> UInt128 {
    let bytes = message.bytes
    if offset + size <= bytes.byteCount {
      return UInt128(bytes.bigEndianU64(at: offset)) << 64
        | UInt128(bytes.bigEndianU64(at: offset + 8))
    }
    var number: UInt128 = 0
    for index in 0..<size { number = number << 8 | UInt128(bytes.byte(at: offset + index)) }
    return number
  }

  /// AES-CMAC as a number.
  static func authenticationCode(_ key: PairingValue, of message: [UInt8]) -> PairingValue {
    PairingValue(number: AES128(key).authenticationCode(of: message))
  }
}

extension AES128 {
  /// Numbers that stand for the beginnings of a text, each for those bytes alone that were taken so far: one
  /// encryption for each byte. What is shown of them must be a small part, as a letter is.
  package struct PrefixNumbers: Sendable {
    private let cipher: AES128
    private var state: UInt128

    /// For texts of a kind that a number says.
    package init(_ cipher: AES128, kind: UInt8) {
      self.cipher = cipher
      state = cipher.encrypt(UInt128(kind) << 8 | 1)
    }

    /// The number of what was taken and this byte.
    package mutating func take(_ byte: UInt8) -> UInt8 {
      state = cipher.encrypt(state ^ UInt128(byte))
      return UInt8(truncatingIfNeeded: state >> 120)
    }
  }
}

extension clibcrypto_block {
  init(_ number: UInt128) {
    self.init(
      high: UInt64(truncatingIfNeeded: number >> 64), low: UInt64(truncatingIfNeeded: number))
  }
}

extension UInt128 {
  init(_ block: clibcrypto_block) {
    self = UInt128(block.high) << 64 | UInt128(block.low)
  }
}

/// The library that computes.
package enum CryptographyLibrary {
  /// Its version, "3.0.19".
  package static var version: String { unsafe String(cString: clibcrypto_version()) }
}
