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
  package func authenticationCode(of message: [UInt8]) -> [UInt8] {
    // The key has a size that the function takes: it never throws.
    guard var code = try? AES.CMAC(key: key) else { return [] }
    code.update(data: message)
    return [UInt8](code.finalize())
  }

  /// AES-CMAC as a number.
  static func authenticationCode(_ key: PairingValue, of message: [UInt8]) -> PairingValue {
    PairingValue(mostSignificantFirst: AES128(key).authenticationCode(of: message))
  }
}
