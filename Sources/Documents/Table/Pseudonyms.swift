import Bluetooth
import Bytes
import Cryptography

/// Pseudonyms for addresses, names and paths in tables. They depend only on a key, so they are the
/// same in every capture of a fleet, and cannot be reversed without the key.
package struct Pseudonyms: Sendable {
  private let cipher: AES128

  /// The minimum length of keys, in bytes.
  package static let leastKeyBytes = 16

  /// Creates pseudonyms from a key, or returns nil if it has fewer than 16 bytes. Every key is
  /// condensed as RFC 4615 does with keys that do not have 16 bytes.
  package init?(key: [UInt8]) {
    guard key.count >= Self.leastKeyBytes,
      let zero = AES128(key: [UInt8](repeating: 0, count: AES128.size)),
      let cipher = AES128(key: zero.authenticationCode(of: key))
    else { return nil }
    self.cipher = cipher
  }

  /// The use of a pseudonym. The same bytes have different pseudonyms in different uses.
  private enum Use: UInt8 {
    case address, name, file, entry, check
  }

  private func number(_ use: Use, _ bytes: [UInt8]) -> UInt64 {
    cipher.authenticationCode(of: [use.rawValue] + bytes).prefix(8).reduce(0) {
      $0 << 8 | UInt64($1)
    }
  }

  /// Returns the pseudonym of an address, which is of the same kind: the two most significant bits
  /// are kept, and a public address is marked as one that the IEEE did not assign (IEEE 802, 8.2).
  /// Addresses of all zeros or all ones have no pseudonym and are returned unchanged.
  func address(_ address: DeviceAddress, isRandom: Bool) -> DeviceAddress {
    if address.value == 0 || address.value == 0xffff_ffff_ffff { return address }
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) }
    let kept: UInt64 = 0b11 << 46
    var value = number(.address, bytes) & 0xffff_ffff_ffff & ~kept | address.value & kept
    if !isRandom { value = value & ~(0b11 << 40) | 0b10 << 40 }
    return DeviceAddress(value: value)
  }

  /// Returns the pseudonym of a name.
  func name(_ name: [UInt8]) -> [UInt8] { word("name-", number(.name, name)) }

  /// Returns the pseudonym of a path.
  func file(_ path: [UInt8]) -> [UInt8] { word("file-", number(.file, path)) }

  /// Returns the pseudonym of an entry of a manifest.
  package func entry(_ entry: [UInt8]) -> [UInt8] { word("entry-", number(.entry, entry)) }

  /// A number by which two keys can be compared without storing them.
  package var check: UInt64 { number(.check, []) }

  private func word(_ start: StaticString, _ number: UInt64) -> [UInt8] {
    var output = Output()
    output.text(start)
    output.hexDigits(number, 16)
    return output.bytes.array
  }
}
