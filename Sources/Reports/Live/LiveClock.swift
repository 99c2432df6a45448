import Bytes

/// The clock of live displays, as opposed to the capture's.
package enum LiveClock {
  /// Returns a monotonic clock that counts milliseconds from now.
  package static func milliseconds() -> @Sendable () -> Int64 {
    let start = MonotonicClock.nanoseconds
    return { (MonotonicClock.nanoseconds - start) / 1_000_000 }
  }
}
