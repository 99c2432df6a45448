import Bytes
import Crypto
import CryptoExtras

/// AES with a key of 128 bits, as Bluetooth uses it: blocks and keys most significant byte first
/// (Core, Vol 3, Part H, 2.2.1).
package struct AES128: Sendable {
  /// The bytes of a key, and of a block.
  package static let size = 16

  private let key: SymmetricKey

  /// Nil where the key has not 16 bytes.
  package init?(key: [UInt8]) {
    guard key.count == Self.size else { return nil }
    self.key = SymmetricKey(data: key)
  }

  /// With a key that is a number.
  init(_ key: PairingValue) {
    var block = Self.block
    self.init(key.number, &block)
  }

  /// The same by way of a block that the caller lends.
  init(_ key: UInt128, _ block: inout [UInt8]) {
    Self.write(key, to: &block)
    self.key = SymmetricKey(data: block)
  }

  /// The security function e: one block, as a number, encrypted.
  func encrypt(_ number: UInt128) -> UInt128 {
    var block = Self.block
    return encrypt(number, &block)
  }

  /// The same by way of a block that the caller lends: a search does it millions of times.
  func encrypt(_ number: UInt128, _ block: inout [UInt8]) -> UInt128 {
    Self.write(number, to: &block)
    // The key and the block have sizes that the function takes: it never throws.
    do { try AES.permute(&block, key: key) } catch { return 0 }
    return PairingValue(mostSignificantFirst: block).number
  }

  /// What e made a number of, by way of a block that the caller lends.
  func decrypt(_ number: UInt128, _ block: inout [UInt8]) -> UInt128 {
    Self.write(number, to: &block)
    do { try AES.inversePermute(&block, key: key) } catch { return 0 }
    return PairingValue(mostSignificantFirst: block).number
  }

  /// A block to lend.
  static var block: [UInt8] { [UInt8](repeating: 0, count: size) }

  private static func write(_ number: UInt128, to block: inout [UInt8]) {
    let high = UInt64(truncatingIfNeeded: number >> 64)
    let low = UInt64(truncatingIfNeeded: number)
    var bytes = block.mutableSpan
    guard bytes.count == size else { return }
    for index in 0..<8 {
      let shift = UInt64(56 - 8 * index)
      bytes[index] = UInt8(truncatingIfNeeded: high >> shift)
      bytes[index + 8] = UInt8(truncatingIfNeeded: low >> shift)
    }
  }

  /// AES-CMAC of a message of any length: 16 bytes, most significant first (RFC 4493; Core, Vol 3, Part
  /// H, 2.2.5).
  ///
  /// On the block cipher, and not CryptoExtras' own: that takes five times as long for messages of a few
  /// blocks, and the rounds of one pairing are forty of them.
  package func authenticationCode(of message: [UInt8]) -> [UInt8] {
    var code: [UInt8] = []
    code.append(PairingValue(number: authenticationCode(of: message)))
    return code
  }

  /// The same as a number.
  func authenticationCode(of message: [UInt8]) -> UInt128 {
    var chain = CodeChain(self)
    // All blocks but the last one, which is there even where the message is empty.
    let whole = message.isEmpty ? 0 : (message.count - 1) / Self.size
    for index in 0..<whole { chain.take(Self.number(message, at: index * Self.size)) }
    return chain.code(
      last: Self.number(message, at: whole * Self.size), bytes: message.count - whole * Self.size)
  }

  /// AES-CMAC block by block: what has been taken can be closed with several last blocks, and each costs one
  /// encryption.
  struct CodeChain: Sendable {
    private let cipher: AES128
    private let subkey: UInt128
    private var code: UInt128 = 0
    private var block = AES128.block

    /// Of an empty message so far.
    init(_ cipher: AES128) {
      self.cipher = cipher
      subkey = AES128.doubled(cipher.encrypt(0, &block))
    }

    /// Takes a block that is not the last one.
    mutating func take(_ number: UInt128) { code = cipher.encrypt(code ^ number, &block) }

    /// The code of the message that ends with these bytes, 0 to 16: the most significant ones of `last`,
    /// whose others are zero.
    ///
    /// The last block is whole, or followed by one bit 1 and zeros; each case has a subkey of its own.
    mutating func code(last: UInt128, bytes: Int) -> UInt128 {
      guard bytes < AES128.size else { return cipher.encrypt(code ^ last ^ subkey, &block) }
      let padded = last | 0x80 << UInt128(8 * (AES128.size - 1 - bytes))
      return cipher.encrypt(code ^ padded ^ AES128.doubled(subkey), &block)
    }
  }

  /// The number times x in the field of 2¹²⁸ elements (RFC 4493, 2.3).
  private static func doubled(_ number: UInt128) -> UInt128 {
    number << 1 ^ (number >> 127 == 0 ? 0 : 0x87)
  }

  /// The 16 bytes at `offset`, the most significant first; zeros behind the end.
  private static func number(_ message: [UInt8], at offset: Int) -> UInt128 {
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
