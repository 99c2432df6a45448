import Bluetooth
import Bytes

extension CivilDate {
  /// Returns whether there is such a time; for the year, the month and the day 0 means "not known"
  /// (GATT Specification Supplement, Date Time).
  ///
  /// - Parameter rest: month, day, hours, minutes, seconds, one byte each.
  static func isPossible(year: Int64, _ rest: RawSpan) -> Bool {
    guard rest.byteCount >= 5 else { return true }
    let (month, day) = (Int64(rest.byte(at: 0)), Int64(rest.byte(at: 1)))
    guard month <= 12, day <= 31, rest.byte(at: 2) < 24, rest.byte(at: 3) < 60,
      rest.byte(at: 4) < 60
    else { return false }
    guard month > 0, day > 0 else { return true }
    // An unknown year may be a leap year.
    let date = CivilDate(year: year > 0 ? year : 2000, month: month, day: day)
    return CivilDate(days: date.days) == date
  }
}
