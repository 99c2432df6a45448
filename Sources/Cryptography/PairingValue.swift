package import Bluetooth
import Bytes

/// A 128-bit number of pairing: a confirm, random or check value, a key.
///
/// SMP, HCI and MGMT send it least significant byte first; the pairing functions take it as a number.
package struct PairingValue: Hashable, Sendable {
  /// The bytes of a value.
  package static let size = AES128.size
  /// All bits zero: the temporary key of Just Works, and r where there is no passkey.
  package static let zero = PairingValue(number: 0)

  /// The number.
  package let number: UInt128

  /// A value from its number.
  package init(number: UInt128) { self.number = number }

  /// Reads a value as it crosses the link: 16 bytes, least significant first. Nil where there are
  /// others.
  package init?(_ bytes: RawSpan) {
    guard bytes.byteCount == Self.size, let number = bytes.number(at: 0) else { return nil }
    self.number = number
  }

  /// Six digits as a value: the temporary key of a legacy passkey (Core, Vol 3, Part H, 2.3.5.3), and r
  /// of a Secure Connections one (2.3.5.6.5).
  package init(_ digits: SixDigits) { number = UInt128(digits.number) }

  /// Reads 16 bytes, most significant first: what AES and CMAC give. Zero where there are others.
  init(mostSignificantFirst bytes: [UInt8]) {
    var cursor = Cursor(bytes.bytes)
    guard let high = try? cursor.bigEndianU64(), let low = try? cursor.bigEndianU64() else {
      self = .zero
      return
    }
    number = UInt128(high) << 64 | UInt128(low)
  }

  /// The same number with its bytes in the other order.
  var reversed: PairingValue { PairingValue(number: number.byteSwapped) }

  /// The value with all but its `size` least significant bytes zero: a key is shortened so to the size
  /// that both sides agreed on (Core, Vol 3, Part H, 2.3.4).
  package func shortened(to size: Int) -> PairingValue {
    guard (0..<Self.size).contains(size) else { return self }
    return PairingValue(number: number & (1 << UInt128(8 * size) - 1))
  }
}

/// A decimal number of six digits, leading zeros among them: what people compare and type. A passkey is
/// secret; the number of numeric comparison is not.
package struct SixDigits: Hashable, Sendable, CustomStringConvertible {
  /// All of them.
  package static let all: ClosedRange<UInt32> = 0...999_999

  /// The number, 0 to 999,999.
  package let number: UInt32

  /// Nil where a number has more digits.
  package init?(_ number: UInt32) {
    guard Self.all.contains(number) else { return nil }
    self.number = number
  }

  /// The last six digits of a number.
  init(lastOf number: UInt32) { self.number = number % (Self.all.upperBound + 1) }

  /// "004871".
  package var description: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }
}

/// An address as the pairing functions take it: that by which the link was made, and whether it is random
/// (Core, Vol 3, Part H, 2.2.3 and 2.2.7).
package struct PairingAddress: Hashable, Sendable {
  /// The address.
  package let address: DeviceAddress
  /// Its type: random, else public.
  package let isRandom: Bool

  /// An address and its type.
  package init(_ address: DeviceAddress, isRandom: Bool) {
    self.address = address
    self.isRandom = isRandom
  }

  /// An address as HCI gives it. Nil for an identity address, whose device used another one on the air,
  /// and for a type that is none of an address.
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

/// A Pairing Request or Pairing Response as it was sent, its code included: 7 bytes.
package struct PairingCommand: Hashable, Sendable {
  /// The bytes of either.
  package static let size = 7

  /// The bytes as a number, of which the code is the least significant one.
  package let number: UInt64

  /// Reads the bytes in the order of the link. Nil where there are not 7.
  package init?(_ bytes: RawSpan) {
    var cursor = Cursor(bytes)
    guard bytes.byteCount == Self.size, let number = try? cursor.unsigned(width: Self.size) else {
      return nil
    }
    self.number = number
  }

  /// The 7 least significant bytes of a number.
  init(number: UInt64) { self.number = number & (1 << 56 - 1) }

  /// IOcap of the check value: AuthReq, OOB data flag, IO capability, most significant first (Core, Vol
  /// 3, Part H, 2.2.8).
  var capabilities: UInt32 { UInt32(truncatingIfNeeded: number >> 8) & 0xff_ffff }

  /// The same with IOcap in the wrong order.
  var withReversedCapabilities: PairingCommand {
    let reversed = UInt64(capabilities.byteSwapped >> 8) << 8
    return PairingCommand(number: number & ~0xffff_ff00 | reversed)
  }
}

extension RawSpan {
  /// The 16 bytes at `offset`, least significant first, as a number. Nil where they are not there.
  func number(at offset: Int) -> UInt128? {
    var cursor = Cursor(dropping(offset))
    guard let low = try? cursor.unsigned(width: 8), let high = try? cursor.unsigned(width: 8) else {
      return nil
    }
    return UInt128(high) << 64 | UInt128(low)
  }
}

extension [UInt8] {
  /// Appends the `count` least significant bytes of a number, the most significant of them first.
  mutating func append(mostSignificantFirst number: UInt128, count: Int = PairingValue.size) {
    var left = number << UInt128(8 * (PairingValue.size - count))
    for _ in 0..<count {
      append(UInt8(truncatingIfNeeded: left >> 120))
      left <<= 8
    }
  }

  /// Appends a value.
  mutating func append(_ value: PairingValue) { append(mostSignificantFirst: value.number) }

  /// Appends an address: its type (1 byte), and 6 bytes.
  mutating func append(_ address: PairingAddress) {
    append(address.typeByte)
    append(mostSignificantFirst: UInt128(address.address.value), count: 6)
  }

  /// Appends a coordinate.
  mutating func append(_ coordinate: P256Coordinate) {
    append(mostSignificantFirst: coordinate.high)
    append(mostSignificantFirst: coordinate.low)
  }
}
