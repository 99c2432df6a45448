// The forms of one UUID, and its written notations.

extension BluetoothUUID {
  /// The lower 64 bits of the Bluetooth Base UUID, 00000000-0000-1000-8000-00805f9b34fb (Core, Vol
  /// 3, Part B, 2.5.1).
  private static let baseLow: UInt64 = 0x8000_0080_5f9b_34fb
  /// The upper 64 bits of the Base UUID without the 32 replaced by a short UUID.
  private static let baseHigh: UInt64 = 0x0000_1000

  /// Creates a UUID of 16 bits, or of 32 if necessary.
  package init(upTo32Bits short: UInt32) {
    width = short > 0xffff ? 4 : 2
    high = 0
    low = UInt64(short)
  }

  /// Creates a 128-bit UUID from its two halves.
  package init(high: UInt64, low: UInt64) {
    width = 16
    self.high = high
    self.low = low
  }

  /// The shortest form of this UUID, which is the same for all equivalent forms.
  package var shortest: BluetoothUUID {
    switch width {
    case 2: self
    case 4: BluetoothUUID(upTo32Bits: UInt32(truncatingIfNeeded: low))
    default:
      low == Self.baseLow && high & 0xffff_ffff == Self.baseHigh
        ? BluetoothUUID(upTo32Bits: UInt32(high >> 32)) : self
    }
  }

  /// The form of 128 bits.
  package var longest: BluetoothUUID {
    width == 16 ? self : BluetoothUUID(high: low << 32 | Self.baseHigh, low: Self.baseLow)
  }

  /// Parses the usual notations of a UUID: `180d`, `0x180D`, `0000180d`, or 128 bits with or
  /// without dashes and braces. Returns nil if the text is not a UUID.
  package init?(text: String) {
    guard let uuid = Self(asWritten: text) else { return nil }
    self = uuid.shortest
  }

  /// Parses the same notations and keeps the form: a 128-bit UUID stays one, since a server may use
  /// it.
  package init?(asWritten text: String) {
    var digits = text.lowercased()
    if digits.hasPrefix("{"), digits.hasSuffix("}") {
      digits = String(digits.dropFirst().dropLast())
    }
    let parts = digits.split(separator: "-", omittingEmptySubsequences: false)
    if parts.count > 1, parts.map(\.count) != [8, 4, 4, 4, 12] { return nil }
    digits = parts.joined()
    if digits.hasPrefix("0x") { digits = String(digits.dropFirst(2)) }
    guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }) else {
      return nil
    }
    switch digits.utf8.count {
    case 4, 8:
      guard let short = UInt32(digits, radix: 16) else { return nil }
      self.init(upTo32Bits: short)
    case 32:
      guard let high = UInt64(digits.prefix(16), radix: 16),
        let low = UInt64(digits.suffix(16), radix: 16)
      else { return nil }
      self.init(high: high, low: low)
    default: return nil
    }
  }
}
