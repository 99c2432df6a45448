// Identifiers as the Core Specification prints them, the same in text and JSON.

package import Bytes

extension Output {
  /// Appends an address: `C0:FF:EE:12:34:56`.
  package mutating func address(_ address: DeviceAddress) {
    for index in 0..<6 {
      if index > 0 { byte(0x3a) }
      let octet = UInt8(truncatingIfNeeded: address.value >> UInt64(40 - 8 * index))
      upperHex(octet >> 4)
      upperHex(octet & 15)
    }
  }

  private mutating func upperHex(_ nibble: UInt8) {
    byte(nibble < 10 ? 0x30 + nibble : 0x37 + nibble)
  }

  /// Appends a handle: `0x0010`.
  package mutating func handle(_ handle: UInt16) {
    hexadecimal(UInt64(handle), digits: 4)
  }

  /// Appends a UUID: `180d`, `0000febe`'s short form, or the long one with dashes.
  package mutating func uuid(_ uuid: BluetoothUUID) {
    switch uuid.width {
    case 2:
      digits(uuid.low, 4)
    case 4:
      digits(uuid.low, 8)
    default:
      digits(uuid.high >> 32, 8)
      byte(0x2d)
      digits(uuid.high >> 16, 4)
      byte(0x2d)
      digits(uuid.high, 4)
      byte(0x2d)
      digits(uuid.low >> 48, 4)
      byte(0x2d)
      digits(uuid.low, 12)
    }
  }

  /// Appends the last `count` (even) hexadecimal digits of a number.
  private mutating func digits(_ value: UInt64, _ count: Int) {
    for index in stride(from: count / 2 - 1, through: 0, by: -1) {
      hex(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
    }
  }
}
