// Identifiers as printed in the Core Specification, the same in text and JSON.

package import Bytes

extension Output {
  /// Appends an address: `C0:FF:EE:12:34:56`.
  package mutating func address(_ address: DeviceAddress) { sixOctets(address.value) }

  /// Appends a handle: `0x0010`.
  package mutating func handle(_ handle: UInt16) {
    hexadecimal(UInt64(handle), digits: 4)
  }

  /// Appends a UUID: `180d`, `0000febe` if it has 32 bits, or 128 bits with dashes.
  package mutating func uuid(_ uuid: BluetoothUUID) {
    switch uuid.width {
    case 2:
      hexDigits(uuid.low, 4)
    case 4:
      hexDigits(uuid.low, 8)
    default:
      hexDigits(uuid.high >> 32, 8)
      byte(0x2d)
      hexDigits(uuid.high >> 16, 4)
      byte(0x2d)
      hexDigits(uuid.high, 4)
      byte(0x2d)
      hexDigits(uuid.low >> 48, 4)
      byte(0x2d)
      hexDigits(uuid.low, 12)
    }
  }
}
