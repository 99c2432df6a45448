import Cryptography

/// The source of pseudonyms: AES-CMAC (RFC 4493) of the originals, with a key of this run that is
/// stored nowhere. In one run, the same original always has the same pseudonym, in the next run
/// another one. No one who lacks the key can reverse it or test a guess.
package struct PseudonymSource: Sendable {
  /// What a pseudonym replaces, so that equal bytes of different meaning have unrelated pseudonyms.
  enum Purpose: UInt8 {
    case address, resolvableAddress, key, keyPair, passkeyBit, digits, pin, name, code, serial,
      beacon
  }

  private let cipher: AES128

  /// Creates a source with a random key from the system.
  package init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// Creates a source with a key from another generator, so that tests are reproducible.
  package init(using generator: inout some RandomNumberGenerator) {
    var key: [UInt8] = []
    for _ in 0..<AES128.size { key.append(.random(in: .min ... .max, using: &generator)) }
    guard let cipher = AES128(key: key) else { preconditionFailure("a key of 16 bytes is one") }
    self.cipher = cipher
  }

  /// Returns a number of bytes that replace `original`.
  ///
  /// - Parameter attempt: a different number yields other bytes, if the first ones cannot be used.
  func bytes(
    _ purpose: Purpose, _ original: [UInt8], count: Int, attempt: UInt16 = 0
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    var block: UInt16 = 0
    while bytes.count < count {
      let head = [
        purpose.rawValue, UInt8(truncatingIfNeeded: attempt), UInt8(attempt >> 8),
        UInt8(truncatingIfNeeded: block), UInt8(block >> 8),
      ]
      bytes += cipher.authenticationCode(of: head + original)
      block &+= 1
    }
    return Array(bytes.prefix(count))
  }

  /// Returns numbers that replace the beginnings of a text.
  func prefixes(_ purpose: Purpose) -> AES128.PrefixNumbers {
    AES128.PrefixNumbers(cipher, kind: purpose.rawValue)
  }

  /// Returns a 64-bit number that replaces `original`.
  func number(_ purpose: Purpose, _ original: [UInt8], attempt: UInt16 = 0) -> UInt64 {
    bytes(purpose, original, count: 8, attempt: attempt).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension [UInt8] {
  /// Creates the `count` least significant bytes of a number, the least significant first.
  init(littleEndian number: UInt64, count: Int) {
    self = (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  /// The number in the first eight of these bytes, the least significant first.
  var littleEndianNumber: UInt64 {
    prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether all bytes are zero, or all have all bits set: such a value reveals nothing.
  var isBlank: Bool { allSatisfy { $0 == 0 } || allSatisfy { $0 == 0xff } }
}
