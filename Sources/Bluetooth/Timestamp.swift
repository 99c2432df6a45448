/// A time of a capture's clock: whole seconds since 1970-01-01 00:00:00 UTC, and the nanoseconds
/// after them.
///
/// Captures contain zero, negative and absurd times. All of them can be represented, and none
/// traps.
package struct Timestamp: Equatable, Sendable {
  /// Seconds since 1970, rounded down; negative for earlier times.
  package var seconds: Int64
  /// 0 to 999 999 999, always counted forward from `seconds`.
  package var nanoseconds: UInt32

  package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Creates the time `microseconds` after 1970, or before it if negative.
  package init(microseconds: Int64) {
    var (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if remainder < 0 {
      quotient -= 1
      remainder += 1_000_000
    }
    self.init(seconds: quotient, nanoseconds: UInt32(remainder) * 1000)
  }

  /// Whether the clock was never set: such clocks start in 1970 or earlier, and there was no
  /// Bluetooth LE before 2010.
  package var isOfUnsetClock: Bool { seconds < Self.year2000 }
  private static let year2000: Int64 = 946_684_800

  /// Whether the time is in the years 0000 to 9999, which RFC 3339 can represent.
  package var isWritable: Bool {
    seconds >= -62_167_219_200 && seconds <= 253_402_300_799
  }

  /// Returns whether the time is before `other`.
  package func isEarlier(than other: Timestamp) -> Bool {
    seconds == other.seconds ? nanoseconds < other.nanoseconds : seconds < other.seconds
  }

  /// Returns the earlier of two times; if `time` is nil, `other`.
  package static func earlier(_ time: Timestamp?, _ other: Timestamp) -> Timestamp {
    guard let time, time.isEarlier(than: other) else { return other }
    return time
  }

  /// Returns the nanoseconds since `earlier`, negative if the clock went back. For times more than
  /// 292 years apart, returns the nearest representable number.
  package func nanoseconds(since earlier: Timestamp) -> Int64 {
    let (apart, overflow) = seconds.subtractingReportingOverflow(earlier.seconds)
    let fraction = Int64(nanoseconds) - Int64(earlier.nanoseconds)
    // Within 292 years, which are 2^63 nanoseconds, nothing overflows.
    if !overflow, apart.magnitude < 9_223_372_035 {
      return apart &* 1_000_000_000 &+ fraction
    }
    return seconds < earlier.seconds ? .min : .max
  }
}
