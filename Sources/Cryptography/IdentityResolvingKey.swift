package import Bluetooth
import Bytes

/// The key that resolves a device's resolvable private addresses (Core, Vol 6, Part B, 1.3.2.3).
package struct IdentityResolvingKey: Equatable, Sendable {
  /// The length of a key in bytes.
  package static let size = AES128.size

  private let cipher: AES128

  /// Reads a key in the byte order of SMP, HCI and MGMT: 16 bytes, least significant first. Returns
  /// nil for any other length, or if all bytes are zero, which means that the device has no key.
  package init?(_ bytes: RawSpan) {
    let key = [UInt8](bytes.array.reversed())
    guard key.contains(where: { $0 != 0 }), let cipher = AES128(key: key) else { return nil }
    self.cipher = cipher
  }

  /// Computes the random address hash function ah of 24 random bits; the hash has 24 bits too
  /// (Core, Vol 3, Part H, 2.2.2).
  package func hash(_ random: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: cipher.encrypt(UInt128(random & 0xff_ffff))) & 0xff_ffff
  }

  /// Returns whether an address was generated with this key: its lower 24 bits are the hash of the
  /// upper ones, whose two most significant bits mark it as resolvable.
  package func resolves(_ address: DeviceAddress) -> Bool {
    guard address.value >> 46 == 0b01 else { return false }
    return hash(UInt32(truncatingIfNeeded: address.value >> 24))
      == UInt32(truncatingIfNeeded: address.value & 0xff_ffff)
  }

  /// Returns which of four addresses were generated with this key, if they are resolvable.
  ///
  /// - Parameter place: a number that differs between up to 64 keys that are tried in turn.
  package func resolves(
    _ addresses: SIMD4<UInt64>, place: Int
  ) -> SIMDMask<SIMD4<Int32>> {
    let random = SIMD4<UInt32>(truncatingIfNeeded: addresses &>> 24) & 0xff_ffff
    let hash = SIMD4<UInt32>(truncatingIfNeeded: addresses)
    return (cipher.encrypt(random, place: place) ^ hash) & 0xff_ffff .== 0
  }
}
