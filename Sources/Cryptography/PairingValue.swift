package import Bluetooth
import Bytes

/// A 128-bit number used in pairing: a confirm, random or check value, or a key.
///
/// SMP, HCI and MGMT send it least significant byte first; the pairing functions use it as a
/// number.
package struct PairingValue: Hashable, Sendable {
  /// The length of a value in bytes.
  package static let size = AES128.size
  /// All bits zero: the temporary key of Just Works, and r if there is no passkey.
  package static let zero = PairingValue(number: 0)

  package let number: UInt128

  package init(number: UInt128) { self.number = number }

  /// Reads a value in the byte order of the link: 16 bytes, least significant first. Returns nil
  /// for any other length.
  package init?(_ bytes: RawSpan) {
    guard bytes.byteCount == Self.size, let number = bytes.number(at: 0) else { return nil }
    self.number = number
  }

  /// Creates a value from six digits: the temporary key for a legacy passkey (Core, Vol 3, Part H,
  /// 2.3.5.3), or r for a Secure Connections passkey (2.3.5.6.5).
  package init(_ digits: SixDigits) { number = UInt128(digits.number) }

  /// Reads 16 bytes, most significant first, as returned by AES and CMAC; zero for any other
  /// length.
  init(mostSignificantFirst bytes: [UInt8]) {
    var cursor = Cursor(bytes.bytes)
    guard let high = try? cursor.bigEndianU64(), let low = try? cursor.bigEndianU64() else {
      self = .zero
      return
    }
    number = UInt128(high) << 64 | UInt128(low)
  }

  /// The number with its bytes reversed.
  package var reversed: PairingValue { PairingValue(number: number.byteSwapped) }

  /// Returns the value with all but its `size` least significant bytes set to zero, which shortens
  /// a key to the agreed encryption key size (Core, Vol 3, Part H, 2.3.4).
  package func shortened(to size: Int) -> PairingValue {
    guard (0..<Self.size).contains(size) else { return self }
    return PairingValue(number: number & (1 << UInt128(8 * size) - 1))
  }
}

/// A decimal number of six digits, including leading zeros, that users compare and type. A passkey
/// is secret; the number in numeric comparison is not.
package struct SixDigits: Hashable, Sendable, CustomStringConvertible {
  /// The range of all such numbers.
  package static let all: ClosedRange<UInt32> = 0...999_999

  /// The number, 0 to 999,999.
  package let number: UInt32

  /// Returns nil if the number has more than six digits.
  package init?(_ number: UInt32) {
    guard Self.all.contains(number) else { return nil }
    self.number = number
  }

  /// Creates a number from the last six digits of another.
  init(lastOf number: UInt32) { self.number = number % (Self.all.upperBound + 1) }

  /// The number with six digits, such as "004871".
  package var description: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }
}

/// An address as used in the pairing functions: the one used to create the connection, and whether
/// it is random (Core, Vol 3, Part H, 2.2.3 and 2.2.7).
package struct PairingAddress: Hashable, Sendable {
  package let address: DeviceAddress
  /// Whether the address is random rather than public.
  package let isRandom: Bool

  package init(_ address: DeviceAddress, isRandom: Bool) {
    self.address = address
    self.isRandom = isRandom
  }

  /// Creates an address from HCI's values. Returns nil for an identity address, whose device used
  /// another address on the air, and for types without an address.
  package init?(_ address: DeviceAddress, _ type: AddressType) {
    switch type {
    case .public: self.init(address, isRandom: false)
    case .random: self.init(address, isRandom: true)
    default: return nil
    }
  }

  /// The type as one byte.
  var typeByte: UInt8 { isRandom ? 1 : 0 }
}

/// A Pairing Request or Pairing Response as sent, including its code: 7 bytes.
package struct PairingCommand: Hashable, Sendable {
  /// The length of either in bytes.
  package static let size = 7

  /// The bytes as a number, in which the code is the least significant one.
  package let number: UInt64

  /// Reads the bytes in the order of the link; returns nil unless there are 7.
  package init?(_ bytes: RawSpan) {
    var cursor = Cursor(bytes)
    guard bytes.byteCount == Self.size, let number = try? cursor.unsigned(width: Self.size) else {
      return nil
    }
    self.number = number
  }

  /// Creates a command from the 7 least significant bytes of a number.
  init(number: UInt64) { self.number = number & (1 << 56 - 1) }

  /// IOcap of the check value: AuthReq, OOB data flag and IO capability, most significant first
  /// (Core, Vol 3, Part H, 2.2.8).
  var capabilities: UInt32 { UInt32(truncatingIfNeeded: number >> 8) & 0xff_ffff }

  /// The same command with IOcap in the wrong order.
  var withReversedCapabilities: PairingCommand {
    let reversed = UInt64(capabilities.byteSwapped >> 8) << 8
    return PairingCommand(number: number & ~0xffff_ff00 | reversed)
  }
}

extension RawSpan {
  /// Returns the 16 bytes at `offset` as a number, least significant first, or nil unless all
  /// exist.
  func number(at offset: Int) -> UInt128? {
    var cursor = Cursor(dropping(offset))
    guard let low = try? cursor.unsigned(width: 8), let high = try? cursor.unsigned(width: 8) else {
      return nil
    }
    return UInt128(high) << 64 | UInt128(low)
  }
}

extension [UInt8] {
  /// Appends the `count` least significant bytes of a number, most significant first.
  mutating func append(mostSignificantFirst number: UInt128, count: Int = PairingValue.size) {
    var left = number << UInt128(8 * (PairingValue.size - count))
    for _ in 0..<count {
      append(UInt8(truncatingIfNeeded: left >> 120))
      left <<= 8
    }
  }

  mutating func append(_ value: PairingValue) { append(mostSignificantFirst: value.number) }

  /// Appends an address: type (1 byte), address (6).
  mutating func append(_ address: PairingAddress) {
    append(address.typeByte)
    append(mostSignificantFirst: UInt128(address.address.value), count: 6)
  }

  mutating func append(_ coordinate: P256Coordinate) {
    append(mostSignificantFirst: coordinate.high)
    append(mostSignificantFirst: coordinate.low)
  }
}
