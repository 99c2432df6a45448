package import Bytes

/// A date in the proleptic Gregorian calendar.
package struct CivilDate: Equatable, Sendable {
  /// The year; 0 is 1 BC.
  package var year: Int64
  /// The month, 1 to 12.
  package var month: Int64
  /// The day, 1 to 31.
  package var day: Int64

  /// Creates a date from its parts without validating them.
  package init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the date `days` after 1970-01-01.
  ///
  /// Years are counted from March, so that the leap day is the last of its year. An era of 400
  /// years always has 146 097 days.
  package init(days: Int64) {
    let shifted = days + 719_468
    let (era, dayOfEra) = Self.floorDivide(shifted, 146_097)
    let leaps = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leaps) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }

  /// The number of days after 1970-01-01, for years of four digits.
  package var days: Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = Self.floorDivide(shifted, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Divides, rounding down.
  package static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension Output {
  /// Appends a date: `2024-11-13`.
  package mutating func date(_ date: CivilDate) {
    decimal(UInt(max(0, date.year)), digits: 4)
    byte(0x2d)
    decimal(UInt(max(0, date.month)), digits: 2)
    byte(0x2d)
    decimal(UInt(max(0, date.day)), digits: 2)
  }
}
