package import Bluetooth
import Bytes

/// The key that tells whose a resolvable private address is (Core, Vol 6, Part B, 1.3.2.3).
package struct IdentityResolvingKey: Sendable {
  /// The 16 bytes of a key.
  package static let size = AES128.size

  private let cipher: AES128
  private let key: [UInt8]

  /// Reads a key as SMP, HCI and MGMT carry it: 16 bytes, least significant first. Nil where there are
  /// others, or all are zero: so a device says that it has none.
  package init?(_ bytes: RawSpan) {
    let key = [UInt8](bytes.array.reversed())
    guard key.contains(where: { $0 != 0 }), let cipher = AES128(key: key) else { return nil }
    self.key = key
    self.cipher = cipher
  }

  /// The random address hash function ah: 24 bits of 24 (Core, Vol 3, Part H, 2.2.2).
  package func hash(_ random: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: cipher.encrypt(UInt128(random & 0xff_ffff))) & 0xff_ffff
  }

  /// Whether an address was made with this key: its lower 24 bits are the hash of the upper ones, of
  /// which the two most significant say that it is resolvable.
  package func resolves(_ address: DeviceAddress) -> Bool {
    guard address.value >> 46 == 0b01 else { return false }
    return hash(UInt32(truncatingIfNeeded: address.value >> 24))
      == UInt32(truncatingIfNeeded: address.value & 0xff_ffff)
  }

  /// Whether this is the same key.
  package func equals(_ other: Self) -> Bool { key == other.key }
}
