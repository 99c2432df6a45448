import Bluetooth
import Bytes

/// Writes times. Remembers the second that it wrote last, since many packets share it.
struct Clock: Sendable {
  private var seconds: Int64?
  private var minute: Int64?
  private var separator: UInt8 = 0
  private var prefix: [UInt8] = []

  /// Appends a time as RFC 3339, UTC: `2023-11-14T22:13:20.175500Z`.
  mutating func utc(_ time: Timestamp, decimals: Int, into output: inout Output) {
    seconds(time.seconds, separator: 0x54, into: &output)
    Self.fraction(time, decimals: decimals, into: &output)
    output.byte(0x5a)
  }

  /// Appends a date and time of day without a zone, `offset` seconds east of UTC.
  mutating func local(
    _ time: Timestamp, offset: Int64, decimals: Int, into output: inout Output
  ) {
    seconds(time.seconds + offset, separator: 0x20, into: &output)
    Self.fraction(time, decimals: decimals, into: &output)
  }

  private static func fraction(_ time: Timestamp, decimals: Int, into output: inout Output) {
    guard decimals > 0 else { return }
    output.byte(0x2e)
    if decimals == 6 {
      // As most captures have it.
      output.sixDigits(time.nanoseconds / 1000)
      return
    }
    var divisor: UInt = 1
    for _ in 0..<(9 - decimals) { divisor *= 10 }
    output.decimal(UInt(time.nanoseconds) / divisor, digits: decimals)
  }

  /// `YYYY-MM-DD`, the separator, `HH:MM:SS`.
  private mutating func seconds(_ seconds: Int64, separator: UInt8, into output: inout Output) {
    if seconds != self.seconds || separator != self.separator {
      let (minute, second) = Self.floorDivide(seconds, 60)
      if minute != self.minute || separator != self.separator {
        self.minute = minute
        self.separator = separator
        prefix = Self.prefix(minute: minute, separator: separator)
      }
      self.seconds = seconds
      // The last two characters; the others stay for a minute.
      prefix[prefix.count - 2] = UInt8(truncatingIfNeeded: 0x30 + second / 10)
      prefix[prefix.count - 1] = UInt8(truncatingIfNeeded: 0x30 + second % 10)
    }
    output.raw(prefix.bytes)
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// Up to the seconds, for which two places are left.
  private static func prefix(minute: Int64, separator: UInt8) -> [UInt8] {
    let (hours, minuteOfHour) = floorDivide(minute, 60)
    let (days, hour) = floorDivide(hours, 24)
    let date = civil(days: days)
    var text = Output()
    text.decimal(UInt(max(0, date.year)), digits: 4)
    text.byte(0x2d)
    text.decimal(UInt(date.month), digits: 2)
    text.byte(0x2d)
    text.decimal(UInt(date.day), digits: 2)
    text.byte(separator)
    text.decimal(UInt(hour), digits: 2)
    text.byte(0x3a)
    text.decimal(UInt(minuteOfHour), digits: 2)
    text.byte(0x3a)
    text.spaces(2)
    return text.bytes.array
  }

  /// The date that lies `days` after 1970-01-01 in the proleptic Gregorian calendar.
  ///
  /// Years are counted from March, so that the leap day is a year's last; 400 years, an era, have
  /// always 146 097 days.
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let (era, dayOfEra) = floorDivide(shifted, 146_097)
    let leaps = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leaps) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Output {
  /// Appends the time since `start` in seconds, exact, without trailing zeros; negative where the
  /// clock went back.
  mutating func elapsed(_ time: Timestamp, since start: Timestamp) {
    var seconds = time.seconds - start.seconds
    var nanoseconds = Int64(time.nanoseconds) - Int64(start.nanoseconds)
    // Both parts get one sign.
    if seconds > 0, nanoseconds < 0 {
      seconds -= 1
      nanoseconds += 1_000_000_000
    } else if seconds < 0, nanoseconds > 0 {
      seconds += 1
      nanoseconds -= 1_000_000_000
    }
    if seconds < 0 || nanoseconds < 0 { byte(0x2d) }
    decimal(UInt(seconds.magnitude))
    fraction(UInt(nanoseconds.magnitude), decimals: 9)
  }
}

extension JSONSink {
  /// The keys `time` and `elapsed_s` of an object that has others before them.
  ///
  /// - Parameters:
  ///   - start: the time of the first record.
  ///   - decimals: those of the capture's times.
  @inline(__always)
  mutating func time(
    _ time: Timestamp, since start: Timestamp?, decimals: Int, _ clock: inout Clock
  ) {
    if time.isWritable {
      constant(#","time":""#)
      clock.utc(time, decimals: decimals, into: &output)
      constant("\"")
    }
    if let start {
      constant(#","elapsed_s":"#)
      output.elapsed(time, since: start)
    }
  }
}
