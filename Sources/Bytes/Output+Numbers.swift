// Numbers as decimal and hexadecimal digits.

extension Output {
  // MARK: Decimal

  /// Appends a number in decimal.
  package mutating func decimal(_ value: Int) {
    if value < 0 { byte(0x2d) }
    let magnitude = value.magnitude
    if magnitude < 10 {
      byte(UInt8(truncatingIfNeeded: 0x30 &+ magnitude))
    } else {
      decimal(magnitude)
    }
  }

  /// Appends a number in decimal.
  package mutating func decimal(_ value: UInt) {
    let length = Self.decimalDigits(value)
    reserve(length)
    _ = unsafe Self.digits(of: value, buffer + count, endingAt: length)
    count &+= length
  }

  /// Appends a number in decimal, with leading zeros up to `digits`.
  package mutating func decimal(_ value: UInt, digits: Int) {
    decimal(value, columns: digits, filler: 0x30)
  }

  /// Appends the last six digits of a number: the microseconds of a second.
  package mutating func sixDigits(_ value: UInt32) {
    reserve(6)
    let target = unsafe buffer + count
    let value = UInt(value)
    let hundreds = value / 100
    let tenThousands = value / 10_000
    unsafe Self.pair(tenThousands % 100, target)
    unsafe Self.pair(hundreds &- tenThousands &* 100, target + 2)
    unsafe Self.pair(value &- hundreds &* 100, target + 4)
    count &+= 6
  }

  /// Appends a number in decimal, right-aligned in `columns` columns.
  package mutating func decimal(_ value: UInt, columns: Int) {
    decimal(value, columns: columns, filler: 0x20)
  }

  private mutating func decimal(_ value: UInt, columns: Int, filler: UInt8) {
    let length = max(columns, Self.decimalDigits(value))
    reserve(length)
    let target = unsafe buffer + count
    var index = unsafe Self.digits(of: value, target, endingAt: length)
    while index > 0 {
      index &-= 1
      unsafe target[index] = filler
    }
    count &+= length
  }

  /// Writes a number from its last digit to its first and returns the index of the first. The
  /// caller provides the room.
  @inline(__always)
  private static func digits(
    of value: UInt, _ target: UnsafeMutablePointer<UInt8>, endingAt end: Int
  ) -> Int {
    var index = end
    var rest = value
    while rest >= 100 {
      let quotient = rest / 100
      index &-= 2
      unsafe Self.pair(rest &- quotient &* 100, target + index)
      rest = quotient
    }
    if rest >= 10 {
      index &-= 2
      unsafe Self.pair(rest, target + index)
    } else {
      index &-= 1
      unsafe target[index] = UInt8(truncatingIfNeeded: 0x30 &+ rest)
    }
    return index
  }

  /// Writes a number below 100 as two digits. One multiplication yields the tens, since 205 / 2048
  /// is close enough to a tenth in that range. The tens are the lower byte, the ones the higher
  /// one.
  @inline(__always)
  private static func pair(_ value: UInt, _ target: UnsafeMutablePointer<UInt8>) {
    let tens = (value &* 205) &>> 11
    let digits = 0x3030 &+ tens &+ (value &- tens &* 10) &<< 8
    unsafe UnsafeMutableRawPointer(target).storeBytes(
      of: UInt16(truncatingIfNeeded: digits).littleEndian, as: UInt16.self)
  }

  /// Returns the number of decimal digits, comparing with constants, the most frequent lengths
  /// first.
  @inline(__always)
  private static func decimalDigits(_ value: UInt) -> Int {
    if value < 100 { return value < 10 ? 1 : 2 }
    if value < 10_000 { return value < 1000 ? 3 : 4 }
    if value < 1_000_000 { return value < 100_000 ? 5 : 6 }
    return manyDigits(value)
  }

  @inline(never)
  private static func manyDigits(_ value: UInt) -> Int {
    var digits = 6
    var rest = value / 1_000_000
    while rest > 0 {
      digits &+= 1
      rest /= 10
    }
    return digits
  }

  /// Overwrites existing bytes with a number whose last digit is just before offset `end`, and
  /// returns the offset of its first digit. This writes a right-aligned column over spaces. Like
  /// everything that overwrites bytes, it is for buffers without a descriptor; in others the bytes
  /// may already have been written out.
  @discardableResult
  package mutating func put(_ value: UInt, endingAt end: Int) -> Int {
    // No number has more than twenty digits; digits are only counted near the start of the buffer.
    precondition(end <= count && (end >= 20 || end >= Self.decimalDigits(value)))
    return unsafe Self.digits(of: value, buffer, endingAt: end)
  }

  /// Adds one to an existing right-aligned number whose last digit is just before offset `end`.
  /// There must be room to its left for one more digit.
  package mutating func increment(endingAt end: Int) {
    precondition(end <= count)
    var index = end
    while index > 0 {
      index &-= 1
      let digit = unsafe buffer[index]
      if digit != 0x39 {
        unsafe buffer[index] = digit == 0x20 ? 0x31 : digit &+ 1
        return
      }
      unsafe buffer[index] = 0x30
    }
  }

  /// Overwrites the bytes before offset `end` with a point and four decimals.
  package mutating func put(fraction value: UInt32, endingAt end: Int) {
    precondition(end >= 5 && end <= count && value < 10_000)
    let target = unsafe buffer + (end - 5)
    let high = UInt(value / 100)
    unsafe target[0] = 0x2e
    unsafe Self.pair(high, target + 1)
    unsafe Self.pair(UInt(value) &- high &* 100, target + 3)
  }

  /// Appends `value` / 10^`decimals` without trailing zeros: 37500 with 3 decimals becomes `37.5`.
  package mutating func fixed(_ value: Int, decimals: Int, trim: Bool = true) {
    if value < 0 { byte(0x2d) }
    var power: UInt = 1
    for _ in 0..<decimals { power *= 10 }
    let whole = value.magnitude / power
    decimal(whole)
    fraction(value.magnitude - whole * power, decimals: decimals, trim: trim)
  }

  /// Appends a point and `value` as `decimals` decimals, without trailing zeros. Appends nothing if
  /// no digit remains.
  package mutating func fraction(_ value: UInt, decimals: Int, trim: Bool = true) {
    var (value, digits) = (value, decimals)
    if trim {
      if value == 0 { return }
      // Nanoseconds are mostly whole microseconds, which mostly do not end in zero.
      while digits >= 3 {
        let thousands = value / 1000
        guard thousands &* 1000 == value else { break }
        (value, digits) = (thousands, digits &- 3)
      }
      while digits > 0 {
        let tens = value / 10
        guard tens &* 10 == value else { break }
        (value, digits) = (tens, digits &- 1)
      }
    }
    guard digits > 0 else { return }
    byte(0x2e)
    if digits == 6 {
      sixDigits(UInt32(truncatingIfNeeded: value))
    } else {
      decimal(value, digits: digits)
    }
  }

  // MARK: Hexadecimal

  /// Appends a byte as two hexadecimal digits, lower case.
  @inlinable
  package mutating func hex(_ value: UInt8) {
    reserve(2)
    unsafe buffer[count] = Self.digit(value >> 4)
    unsafe buffer[count + 1] = Self.digit(value & 15)
    count += 2
  }

  /// Appends `0x` and `digits` hexadecimal digits.
  package mutating func hexadecimal(_ value: UInt64, digits: Int) {
    reserve(2)
    unsafe UnsafeMutableRawPointer(buffer + count).storeBytes(of: 0x7830, as: UInt16.self)
    count &+= 2
    hexDigits(value, digits)
  }

  /// Appends the last `digits` (at most 16) hexadecimal digits of a number.
  package mutating func hexDigits(_ value: UInt64, _ digits: Int) {
    var digits = digits
    if digits > 8 {
      hexDigits(value &>> 32, digits &- 8)
      digits = 8
    }
    reserve(8)
    unsafe UnsafeMutableRawPointer(buffer + count).storeBytes(
      of: Self.digits(value, digits), as: UInt64.self)
    count &+= digits
  }

  /// Returns the last `digits` (at most 8) hexadecimal digits of a number as characters, the first
  /// in the lowest byte. The bytes after them are unspecified.
  @inline(__always)
  static func digits(_ value: UInt64, _ digits: Int) -> UInt64 {
    // The digits before the wanted ones are shifted out.
    let shift = UInt32(truncatingIfNeeded: 4 &* (8 &- digits))
    return eightDigits(UInt32(truncatingIfNeeded: value) &<< shift)
  }

  /// Appends the last six bytes of a number, upper case with colons between: `C0:FF:EE:12:34:56`.
  package mutating func sixOctets(_ value: UInt64) {
    reserve(18)
    var target = unsafe buffer + count
    var rest = value &<< 16
    for _ in 0..<6 {
      unsafe target[0] = Self.upperDigit(UInt8(truncatingIfNeeded: rest &>> 60))
      unsafe target[1] = Self.upperDigit(UInt8(truncatingIfNeeded: rest &>> 56) & 15)
      // Also written after the last byte, where it is not counted.
      unsafe target[2] = 0x3a
      unsafe target += 3
      rest = rest &<< 8
    }
    count &+= 17
  }

  private static func upperDigit(_ nibble: UInt8) -> UInt8 {
    0x30 &+ nibble &+ (nibble > 9 ? 7 : 0)
  }

  /// Appends bytes as pairs of hexadecimal digits: `a5 06` with a separator, `a506` without.
  package mutating func hex(_ bytes: RawSpan, separator: UInt8? = nil) {
    guard let separator else {
      hexRun(bytes)
      return
    }
    guard bytes.byteCount > 0 else { return }
    // Four bytes at a time, each with a separator after it; the last one is not counted.
    var offset = 0
    while offset < bytes.byteCount {
      let left = min(4, bytes.byteCount &- offset)
      var four: UInt32 = 0
      if left == 4 {
        four = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)
          .bigEndian
      } else {
        for index in 0..<4 {
          four = four &<< 8 | (index < left ? UInt32(bytes.byte(at: offset &+ index)) : 0)
        }
      }
      reserve(13)
      let target = unsafe UnsafeMutableRawPointer(buffer + count)
      var digits = Self.eightDigits(four)
      for index in 0..<4 {
        let group = UInt32(truncatingIfNeeded: digits & 0xffff) | UInt32(separator) &<< 16
        unsafe target.storeBytes(of: group.littleEndian, toByteOffset: 3 &* index, as: UInt32.self)
        digits = digits &>> 16
      }
      count &+= 3 &* left
      offset &+= left
    }
    count &-= 1
  }

  /// Appends bytes without a separator, four at a time.
  private mutating func hexRun(_ bytes: RawSpan) {
    var offset = 0
    while offset &+ 4 <= bytes.byteCount {
      reserve(8)
      let four = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)
      unsafe UnsafeMutableRawPointer(buffer + count).storeBytes(
        of: Self.eightDigits(four.bigEndian), as: UInt64.self)
      count &+= 8
      offset &+= 4
    }
    while offset < bytes.byteCount {
      hex(bytes.byte(at: offset))
      offset &+= 1
    }
  }

  /// Returns the eight hexadecimal digits of a number as characters, the first in the lowest byte.
  ///
  /// The bytes are spread to every second position, and each is split into its two digits. Digits
  /// above nine (those for which adding 0x76 reaches the top bit) move 39 characters further, to
  /// `a`.
  @inline(__always)
  private static func eightDigits(_ value: UInt32) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var word = UInt64(value.byteSwapped)
    word = (word | word &<< 16) & 0x0000_ffff_0000_ffff
    word = (word | word &<< 8) & 0x00ff_00ff_00ff_00ff
    word = (word &>> 4 | word &<< 8) & (ones &* 0x0f)
    let letters = ((word &+ ones &* 0x76) &>> 7) & ones
    return word &+ ones &* 0x30 &+ letters &* 39
  }

  /// Returns `0` to `9`, or `a` to `f`, which are 39 characters further on.
  @inlinable
  static func digit(_ nibble: UInt8) -> UInt8 {
    0x30 &+ nibble &+ (nibble > 9 ? 39 : 0)
  }
}
