/// A point in time of a capture's clock: whole seconds since 1970-01-01 00:00:00 UTC and the
/// nanoseconds after them.
///
/// Captures hold zero, negative and absurd times; every one of them can be said here, and none
/// traps.
package struct Timestamp: Equatable, Sendable {
  /// Seconds since 1970, rounded down; negative before.
  package var seconds: Int64
  /// 0 to 999 999 999, always forward from `seconds`.
  package var nanoseconds: UInt32

  /// A time from its two parts.
  package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The time `microseconds` after 1970, or before where negative.
  package init(microseconds: Int64) {
    var (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if remainder < 0 {
      quotient -= 1
      remainder += 1_000_000
    }
    self.init(seconds: quotient, nanoseconds: UInt32(remainder) * 1000)
  }

  /// Whether the clock was never set: there was no Bluetooth LE before 2010, and such clocks begin in 1970 or before.
  package var isOfUnsetClock: Bool { seconds < Self.year2000 }
  private static let year2000: Int64 = 946_684_800

  /// Whether the time lies in the years 0000 to 9999, which RFC 3339 can write.
  package var isWritable: Bool {
    seconds >= -62_167_219_200 && seconds <= 253_402_300_799
  }

  /// Whether the time lies before `other`.
  package func isEarlier(than other: Timestamp) -> Bool {
    seconds == other.seconds ? nanoseconds < other.nanoseconds : seconds < other.seconds
  }

  /// The time since `earlier` in nanoseconds, negative where the clock went back; the nearest
  /// representable number where clocks are further than 292 years apart.
  package func nanoseconds(since earlier: Timestamp) -> Int64 {
    let (apart, overflow) = seconds.subtractingReportingOverflow(earlier.seconds)
    let fraction = Int64(nanoseconds) - Int64(earlier.nanoseconds)
    // Within 292 years, which is 2^63 nanoseconds, nothing overflows.
    if !overflow, apart.magnitude < 9_223_372_035 {
      return apart &* 1_000_000_000 &+ fraction
    }
    return seconds < earlier.seconds ? .min : .max
  }
}
