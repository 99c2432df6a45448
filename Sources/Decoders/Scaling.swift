/// How a raw number becomes a quantity: raw · multiply ÷ divide · 10^decimal · 2^binary + add.
///
/// It is kept in two forms: as written, which is stored; and reduced to one numerator, one power of
/// ten and the rest of the divisor, which is used for computing.
package struct Scaling: Sendable, Equatable {
  /// The scale as it is written.
  package struct Written: Sendable, Equatable {
    /// The digits of `multiply`, and its power of ten.
    package var multiply = 1
    package var multiplyExponent = 0
    /// The divisor; not 0.
    package var divide = 1
    /// The power of ten.
    package var decimal = 0
    /// The power of two.
    package var binary = 0
    /// The digits of the summand, and its power of ten.
    package var add = 0
    package var addExponent = 0
    /// The number of decimals in text; −1: as many as the scale resolves.
    package var decimals = -1
    /// The digits of the base of an exponential, and its power of ten; 0 digits: not exponential.
    package var base = 0
    package var baseExponent = 0
    /// The number subtracted from the exponent.
    package var minus = 0

    /// Creates a scale that changes nothing.
    package init() {}
  }

  /// The scale as it is written.
  package let written: Written
  /// raw · numerator · 10^exponent ÷ divisor is the quantity before `add`.
  private let numerator: Int128
  private let exponent: Int
  private let divisor: Int128
  /// The number of decimals in text.
  package let decimals: Int

  /// Creates a scale; nil if it divides by 0 or its numbers are too large to compute with.
  package init?(_ written: Written) {
    guard written.divide > 0, abs(written.binary) <= 64, abs(written.decimal) <= 30 else {
      return nil
    }
    var numerator = Int128(written.multiply)
    var exponent = written.decimal + written.multiplyExponent
    var divisor = Int128(written.divide)
    var isTooLarge = false
    func times(_ factor: Int128) {
      let (product, overflow) = numerator.multipliedReportingOverflow(by: factor)
      if overflow { isTooLarge = true } else { numerator = product }
    }
    for _ in 0..<max(0, written.binary) { times(2) }
    // A half is five tenths, a fifth is two tenths.
    for _ in 0..<max(0, -written.binary) {
      times(5)
      exponent -= 1
    }
    while divisor % 2 == 0 {
      divisor /= 2
      times(5)
      exponent -= 1
    }
    while divisor % 5 == 0 {
      divisor /= 5
      times(2)
      exponent -= 1
    }
    let common = Self.commonDivisor(numerator.magnitude, divisor.magnitude)
    numerator /= Int128(common)
    divisor /= Int128(common)
    let reduced = DecimalNumber(numerator, exponent: exponent).reduced
    // The product with 64 bits of raw number must still fit for ordinary numbers.
    guard !isTooLarge, reduced.mantissa.magnitude < UInt128(1) << 90 else { return nil }
    self.written = written
    self.numerator = reduced.mantissa
    self.exponent = reduced.exponent
    self.divisor = divisor
    let add = DecimalNumber(Int128(written.add), exponent: written.addExponent).reduced
    let own = Self.decimals(
      exact: divisor == 1 ? max(0, -reduced.exponent) : 99,
      step: reduced.double / Double(divisor))
    decimals =
      written.decimals >= 0
      ? written.decimals
      : written.base != 0 ? 3 : max(own, written.add == 0 ? 0 : min(9, -add.exponent))
  }

  /// Returns how many decimals a step needs: all of them if they are few, else enough to
  /// distinguish one step from the next.
  private static func decimals(exact: Int, step: Double) -> Int {
    if exact <= 3 { return exact }
    var (resolution, decimals) = (1.0, 0)
    while resolution > abs(step) * 1.1, decimals < 9 {
      resolution /= 10
      decimals += 1
    }
    return min(exact, decimals)
  }

  private static func commonDivisor(_ left: UInt128, _ right: UInt128) -> UInt128 {
    var (left, right) = (left, right)
    while right != 0 { (left, right) = (right, left % right) }
    return max(left, 1)
  }

  /// Returns the quantity of a raw number.
  package func apply(_ raw: Int128) -> Number {
    if written.base != 0 { return exponential(raw) }
    let (product, overflow) = raw.multipliedReportingOverflow(by: numerator)
    guard !overflow, let scaled = divided(product) else { return approximate(raw) }
    guard written.add != 0 else { return .decimal(scaled) }
    let added = DecimalNumber(Int128(written.add), exponent: written.addExponent)
    guard let sum = scaled.adding(added) else { return approximate(raw) }
    return .decimal(sum)
  }

  /// Returns a product divided by the rest of the divisor, to three decimals more than text shows.
  private func divided(_ product: Int128) -> DecimalNumber? {
    guard divisor != 1 else { return DecimalNumber(product, exponent: exponent) }
    let target = min(exponent, -(decimals + 3))
    guard let power = DecimalNumber.powerOfTen(exponent - target) else { return nil }
    let (wide, overflow) = product.multipliedReportingOverflow(by: power)
    guard !overflow else { return nil }
    return DecimalNumber(DecimalNumber.divide(wide, by: divisor), exponent: target)
  }

  private func approximate(_ raw: Int128) -> Number {
    let factor = DecimalNumber(numerator, exponent: exponent).double / Double(divisor)
    let added = DecimalNumber(Int128(written.add), exponent: written.addExponent).double
    return .double(Double(raw) * factor + added)
  }

  /// Returns base^(raw − minus), by repeated squaring.
  private func exponential(_ raw: Int128) -> Number {
    let power = max(-4096, min(4096, raw - Int128(written.minus)))
    var base = DecimalNumber(Int128(written.base), exponent: written.baseExponent).double
    var left = Int(power.magnitude)
    var result = 1.0
    while left > 0 {
      if left & 1 == 1 { result *= base }
      base *= base
      left >>= 1
    }
    return .double(power < 0 ? 1 / result : result)
  }
}

/// A number after scaling.
package enum Number: Sendable, Equatable {
  /// An exact number.
  case decimal(DecimalNumber)
  /// A number that is inherently a binary fraction: IEEE 754, or a power.
  case double(Double)

  /// The number as binary floating point, for statistics.
  package var double: Double {
    switch self {
    case .decimal(let number): number.double
    case .double(let number): number
    }
  }
}
