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

  /// The security function e: one block, encrypted. Nil where it has not 16 bytes.
  package func encrypt(_ block: [UInt8]) -> [UInt8]? {
    guard block.count == Self.size else { return nil }
    var block = block
    do { try AES.permute(&block, key: key) } catch { return nil }
    return block
  }

  /// AES-CMAC of a message of any length: 16 bytes, most significant first (RFC 4493; Core, Vol 3, Part
  /// H, 2.2.5).
  package func authenticationCode(of message: [UInt8]) -> [UInt8] {
    // The key has a size that the function takes: it never throws.
    guard var code = try? AES.CMAC(key: key) else { return [] }
    code.update(data: message)
    return [UInt8](code.finalize())
  }
}
