import Bytes
import CLibcrypto

/// AES with a 128-bit key as used by Bluetooth, with blocks and keys most significant byte first
/// (Core, Vol 3, Part H, 2.2.1).
///
/// Only the key is stored: libcrypto expands it when a thread first uses it after another key.
package struct AES128: Equatable, Sendable {
  /// The length of a key and of a block in bytes.
  package static let size = 16

  private let key: UInt128

  /// Returns nil unless the key has 16 bytes.
  package init?(key: [UInt8]) {
    guard key.count == Self.size else { return nil }
    self.init(PairingValue(mostSignificantFirst: key))
  }

  /// Creates a cipher with a key given as a number.
  init(_ key: PairingValue) { self.key = key.number }

  /// Encrypts one block, given as a number: the security function e.
  func encrypt(_ number: UInt128) -> UInt128 {
    UInt128(clibcrypto_aes(clibcrypto_block(key), clibcrypto_block(number), 1))
  }

  /// Encrypts four numbers and returns the last 32 bits of each result. Meant for many keys in
  /// turn: the last key of each place stays expanded.
  func encrypt(_ numbers: SIMD4<UInt32>, place: Int) -> SIMD4<UInt32> {
    clibcrypto_aes_words(clibcrypto_block(key), UInt32(truncatingIfNeeded: place), numbers)
  }

  /// Decrypts one block: the inverse of e.
  func decrypt(_ number: UInt128) -> UInt128 {
    UInt128(clibcrypto_aes(clibcrypto_block(key), clibcrypto_block(number), 0))
  }

  /// Returns the AES-CMAC of a message of any length: 16 bytes, most significant first (RFC 4493;
  /// Core, Vol 3, Part H, 2.2.5).
  ///
  /// Implemented with the block cipher: the library's own function needs a context per message, and
  /// the rounds of one pairing have forty short messages.
  package func authenticationCode(of message: [UInt8]) -> [UInt8] {
    var code: [UInt8] = []
    code.append(PairingValue(number: authenticationCode(of: message)))
    return code
  }

  /// Returns the AES-CMAC as a number.
  func authenticationCode(of message: [UInt8]) -> UInt128 {
    CodeChain(self).code(message)
  }

  /// AES-CMAC block by block. The same beginning can be closed with several last blocks, each for
  /// one encryption.
  struct CodeChain: Sendable {
    private let cipher: AES128
    private let subkey: UInt128
    private var code: UInt128 = 0

    /// Starts with an empty message.
    init(_ cipher: AES128) {
      self.cipher = cipher
      subkey = AES128.doubled(cipher.encrypt(0))
    }

    /// Processes a block that is not the last one.
    mutating func absorb(_ number: UInt128) { code = cipher.encrypt(code ^ number) }

    /// Returns the code of the message that ends with these bytes.
    func code(_ rest: [UInt8]) -> UInt128 {
      var chain = self
      // All blocks but the last one, which exists even for an empty message.
      let whole = rest.isEmpty ? 0 : (rest.count - 1) / AES128.size
      for index in 0..<whole { chain.absorb(AES128.number(rest, at: index * AES128.size)) }
      return chain.code(
        last: AES128.number(rest, at: whole * AES128.size), bytes: rest.count - whole * AES128.size)
    }

    /// Returns the code of the message that ends with these bytes, 0 to 16: the most significant
    /// ones of `last`, whose other bytes must be zero.
    ///
    /// The last block is either whole, or padded with a 1 bit and zeros; each case has its own
    /// subkey.
    mutating func code(last: UInt128, bytes: Int) -> UInt128 {
      guard bytes < AES128.size else { return cipher.encrypt(code ^ last ^ subkey) }
      let padded = last | 0x80 << UInt128(8 * (AES128.size - 1 - bytes))
      return cipher.encrypt(code ^ padded ^ AES128.doubled(subkey))
    }
  }

  /// Multiplies a number by x in the field of 2¹²⁸ elements (RFC 4493, 2.3).
  private static func doubled(_ number: UInt128) -> UInt128 {
    number << 1 ^ (number >> 127 == 0 ? 0 : 0x87)
  }

  /// Returns the 16 bytes at `offset`, most significant first, with zeros after the end.
  static func number(_ message: [UInt8], at offset: Int) -> UInt128 {
    message.bytes.bigEndianU128(at: offset)
  }

  /// Returns an AES-CMAC as a number.
  static func authenticationCode(_ key: PairingValue, of message: [UInt8]) -> PairingValue {
    PairingValue(number: AES128(key).authenticationCode(of: message))
  }
}

extension AES128 {
  /// Numbers that represent the prefixes of a text, each depending only on the bytes of the prefix,
  /// with one encryption per byte. Only a small part of each number, such as a letter, may be
  /// shown.
  package struct PrefixNumbers: Sendable {
    private let cipher: AES128
    private var state: UInt128

    /// Starts a text of a kind identified by a number.
    package init(_ cipher: AES128, kind: UInt8) {
      self.cipher = cipher
      state = cipher.encrypt(UInt128(kind) << 8 | 1)
    }

    /// Returns the number of the prefix extended by this byte.
    package mutating func extend(_ byte: UInt8) -> UInt8 {
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

/// The cryptography library in use.
package enum CryptographyLibrary {
  /// The library's version, such as "3.0.19".
  package static var version: String { unsafe String(cString: clibcrypto_version()) }
}
