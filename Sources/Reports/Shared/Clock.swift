package import Bluetooth
package import Bytes

/// Writes times. Caches the second that it wrote last, since many packets share it.
package struct Clock: Sendable {
  private var seconds: Int64?
  private var minute: Int64?
  private var separator: UInt8 = 0
  private var prefix: [UInt8] = []

  package init() {}

  /// Appends a time as RFC 3339, UTC: `2023-11-14T22:13:20.175500Z`.
  package mutating func utc(_ time: Timestamp, decimals: Int, into output: inout Output) {
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
      // The resolution of most captures.
      output.sixDigits(time.nanoseconds / 1000)
      return
    }
    var divisor: UInt = 1
    for _ in 0..<(9 - decimals) { divisor *= 10 }
    output.decimal(UInt(time.nanoseconds) / divisor, digits: decimals)
  }

  /// Appends `YYYY-MM-DD`, the separator, `HH:MM:SS`.
  private mutating func seconds(_ seconds: Int64, separator: UInt8, into output: inout Output) {
    if seconds != self.seconds || separator != self.separator {
      let (minute, second) = CivilDate.floorDivide(seconds, 60)
      if minute != self.minute || separator != self.separator {
        self.minute = minute
        self.separator = separator
        prefix = Self.prefix(minute: minute, separator: separator)
      }
      self.seconds = seconds
      // Only the last two characters change within a minute.
      prefix[prefix.count - 2] = UInt8(truncatingIfNeeded: 0x30 + second / 10)
      prefix[prefix.count - 1] = UInt8(truncatingIfNeeded: 0x30 + second % 10)
    }
    output.raw(prefix.bytes)
  }

  /// Returns the text up to the seconds, with room for two digits.
  private static func prefix(minute: Int64, separator: UInt8) -> [UInt8] {
    let (hours, minuteOfHour) = CivilDate.floorDivide(minute, 60)
    let (days, hour) = CivilDate.floorDivide(hours, 24)
    var text = Output()
    text.date(CivilDate(days: days))
    text.byte(separator)
    text.decimal(UInt(hour), digits: 2)
    text.byte(0x3a)
    text.decimal(UInt(minuteOfHour), digits: 2)
    text.byte(0x3a)
    text.spaces(2)
    return text.bytes.array
  }
}

extension Output {
  /// Appends the time since `start` in seconds, exact, without trailing zeros; negative if the
  /// clock went back.
  package mutating func elapsed(_ time: Timestamp, since start: Timestamp) {
    var seconds = time.seconds - start.seconds
    var nanoseconds = Int64(time.nanoseconds) - Int64(start.nanoseconds)
    // Both parts get the same sign.
    if seconds > 0, nanoseconds < 0 {
      // Bounded: readers keep times within 2^56 seconds.
      seconds -= 1
      // Bounded: less than a second, as is the next one.
      nanoseconds += 1_000_000_000
    } else if seconds < 0, nanoseconds > 0 {
      // Bounded: as above.
      seconds += 1
      // Bounded: less than a second.
      nanoseconds -= 1_000_000_000
    }
    if seconds < 0 || nanoseconds < 0 { byte(0x2d) }
    decimal(UInt(seconds.magnitude))
    fraction(UInt(nanoseconds.magnitude), decimals: 9)
  }
}

extension JSONSink {
  /// Appends the keys `time` and `elapsed_s` to an object that has other keys before them.
  ///
  /// - Parameters:
  ///   - start: the time of the first record.
  ///   - decimals: the number of decimals of the capture's times.
  @inline(__always)
  package mutating func time(
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
