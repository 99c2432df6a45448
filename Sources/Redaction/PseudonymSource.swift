import Cryptography

/// Where pseudonyms come from: AES-CMAC (RFC 4493) of what they stand for, with a key of this run that is
/// written nowhere. The same thing has the same pseudonym everywhere in one run, and another one in the
/// next; nobody can compute it backwards, or test a guess.
package struct PseudonymSource: Sendable {
  /// What a pseudonym stands for, so that equal bytes of different meaning have nothing in common.
  enum Purpose: UInt8 {
    case address, resolvableAddress, key, keyPair, passkeyBit, digits, pin, name, code, serial
  }

  private let cipher: AES128

  /// With a key of the system's random numbers.
  package init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// With a key of other numbers: a test has the same ones again.
  package init(using generator: inout some RandomNumberGenerator) {
    var key: [UInt8] = []
    for _ in 0..<AES128.size { key.append(.random(in: .min ... .max, using: &generator)) }
    guard let cipher = AES128(key: key) else { preconditionFailure("a key of 16 bytes is one") }
    self.cipher = cipher
  }

  /// So many bytes that stand for `original`.
  ///
  /// - Parameter attempt: another number gives other bytes, where the first ones cannot be used.
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

  /// Numbers that stand for the beginnings of a text.
  func prefixes(_ purpose: Purpose) -> AES128.PrefixNumbers {
    AES128.PrefixNumbers(cipher, kind: purpose.rawValue)
  }

  /// A number of 64 bits that stands for `original`.
  func number(_ purpose: Purpose, _ original: [UInt8], attempt: UInt16 = 0) -> UInt64 {
    bytes(purpose, original, count: 8, attempt: attempt).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension [UInt8] {
  /// The `count` least significant bytes of a number, the least significant first.
  init(littleEndian number: UInt64, count: Int) {
    self = (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  /// The number that these bytes are, the least significant first; of more than eight the first eight.
  var littleEndianNumber: UInt64 {
    prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether all bytes are zero, or all have all bits set: such a value tells nothing of anybody.
  var isBlank: Bool { allSatisfy { $0 == 0 } || allSatisfy { $0 == 0xff } }
}
