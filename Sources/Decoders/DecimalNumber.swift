package import Bytes

/// An exact decimal number: `mantissa` · 10^`exponent`.
///
/// Scaling a raw number stays exact this way: 364 with a scale of a tenth is 36.4 and not
/// 36.399999999999999.
package struct DecimalNumber: Equatable, Sendable {
  /// The digits.
  package var mantissa: Int128
  /// The power of ten.
  package var exponent: Int

  /// Creates a number from its digits and power of ten.
  package init(_ mantissa: Int128, exponent: Int = 0) {
    self.mantissa = mantissa
    self.exponent = exponent
  }

  /// Reads `12`, `-0.005` or `+3`: digits with or without a fraction. Returns nil if the text has
  /// another form or more than 18 digits.
  package init?(text: String) {
    var mantissa: Int128 = 0
    var (digits, decimals) = (0, 0)
    var isNegative = false
    var sawPoint = false
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case 0x2d where index == 0: isNegative = true
      case 0x2b where index == 0: break
      case 0x2e where !sawPoint && digits > 0: sawPoint = true
      case 0x30...0x39:
        digits += 1
        if sawPoint { decimals += 1 }
        guard digits <= 18 else { return nil }
        mantissa = mantissa * 10 + Int128(byte - 0x30)
      default: return nil
      }
    }
    guard digits > 0, !(sawPoint && decimals == 0) else { return nil }
    self.init(isNegative ? -mantissa : mantissa, exponent: -decimals)
  }

  /// The same number without trailing zeros in its digits.
  package var reduced: DecimalNumber {
    guard mantissa != 0 else { return DecimalNumber(0) }
    if var small = Int64(exactly: mantissa) {
      var exponent = exponent
      while small % 10 == 0 {
        small /= 10
        exponent += 1
      }
      return DecimalNumber(Int128(small), exponent: exponent)
    }
    var number = self
    while number.mantissa % 10 == 0 {
      number.mantissa /= 10
      number.exponent += 1
    }
    return number
  }

  /// Returns whether both are the same number, however they are written.
  package func isSame(as other: DecimalNumber) -> Bool { reduced == other.reduced }

  /// Returns the sum; nil if it has too many digits.
  package func adding(_ other: DecimalNumber) -> DecimalNumber? {
    let exponent = min(exponent, other.exponent)
    guard let left = digits(at: exponent), let right = other.digits(at: exponent) else {
      return nil
    }
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? nil : DecimalNumber(sum, exponent: exponent)
  }

  /// Returns the digits of the number with a smaller exponent; nil if there are too many.
  private func digits(at exponent: Int) -> Int128? {
    guard let power = Self.powerOfTen(self.exponent - exponent) else { return nil }
    let (digits, overflow) = mantissa.multipliedReportingOverflow(by: power)
    return overflow ? nil : digits
  }

  /// Returns 10^`exponent`; nil if the exponent is negative or too large.
  static func powerOfTen(_ exponent: Int) -> Int128? {
    guard exponent >= 0, exponent <= 38 else { return nil }
    var power: Int128 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }

  /// Returns 10^`exponent` in 64 bits, which suffices for nearly all numbers; nil if it is negative
  /// or above 18.
  static func smallPowerOfTen(_ exponent: Int) -> UInt64? {
    guard exponent >= 0, exponent <= 18 else { return nil }
    var power: UInt64 = 1
    for _ in 0..<exponent { power &*= 10 }
    return power
  }

  /// Returns the number rounded to a number of decimals, halves away from zero; unchanged if it has
  /// no more.
  package func rounded(decimals: Int) -> DecimalNumber {
    let excess = -exponent - decimals
    guard excess > 0 else { return self }
    guard let power = Self.powerOfTen(excess) else { return DecimalNumber(0, exponent: -decimals) }
    return DecimalNumber(Self.divide(mantissa, by: power), exponent: -decimals)
  }

  /// Divides and rounds to the nearest whole number, halves away from zero. Nearly all numbers fit
  /// into 64 bits, which are divided many times as fast as 128.
  static func divide(_ number: Int128, by divisor: Int128) -> Int128 {
    func rounded<Number: SignedInteger & FixedWidthInteger>(
      _ number: Number, _ divisor: Number
    ) -> Int128 {
      let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
      let isUp = remainder.magnitude >= divisor.magnitude - remainder.magnitude
      return Int128(quotient) + (isUp ? (number < 0 ? -1 : 1) : 0)
    }
    if let number = Int64(exactly: number), let divisor = Int64(exactly: divisor) {
      return rounded(number, divisor)
    }
    return rounded(number, divisor)
  }

  /// The number as binary floating point, the nearest one or next to it.
  package var double: Double {
    // The conversion of 128 bits costs a hundred times that of 64.
    var value = Int64(exactly: mantissa).map { Double($0) } ?? Double(mantissa)
    var left = min(abs(exponent), 700)
    while left > 0 {
      let step = min(left, 22)
      var power = 1.0
      for _ in 0..<step { power *= 10 }
      value = exponent < 0 ? value / power : value * power
      left -= step
    }
    return value
  }
}

extension Output {
  /// Appends a decimal number: with a number of decimals, or exactly, without trailing zeros. Very
  /// large and very small numbers have an exponent: `12e40`.
  package mutating func decimalNumber(_ number: DecimalNumber, decimals: Int? = nil) {
    var number = number
    if let decimals { number = number.rounded(decimals: decimals) } else { number = number.reduced }
    guard number.exponent >= -24, number.exponent <= 15 else {
      string(String(number.mantissa))
      byte(0x65)
      decimal(number.exponent)
      return
    }
    if number.mantissa < 0 { byte(0x2d) }
    let digits = number.mantissa.magnitude
    guard number.exponent < 0 else {
      wide(digits, digits: 1)
      if number.mantissa != 0 { zeros(number.exponent) }
      if let decimals, decimals > 0 {
        byte(0x2e)
        zeros(decimals)
      }
      return
    }
    if let power = DecimalNumber.smallPowerOfTen(-number.exponent),
      let small = UInt64(exactly: digits)
    {
      decimal(UInt(small / power), digits: 1)
      byte(0x2e)
      decimal(UInt(small % power), digits: -number.exponent)
      zeros((decimals ?? 0) + number.exponent)
      return
    }
    let power = (DecimalNumber.powerOfTen(-number.exponent) ?? 1).magnitude
    let (whole, fraction) = digits.quotientAndRemainder(dividingBy: power)
    wide(whole, digits: 1)
    byte(0x2e)
    wide(fraction, digits: -number.exponent)
    zeros((decimals ?? 0) + number.exponent)
  }

  private mutating func zeros(_ count: Int) {
    for _ in 0..<max(0, count) { byte(0x30) }
  }

  /// Appends a number of up to 128 bits with a minimum number of digits.
  private mutating func wide(_ value: UInt128, digits: Int) {
    let limit: UInt128 = 1_000_000_000_000_000_000
    guard value >= limit else {
      decimal(UInt(value), digits: digits)
      return
    }
    wide(value / limit, digits: max(1, digits - 18))
    decimal(UInt(value % limit), digits: 18)
  }
}
