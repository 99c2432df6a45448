import Bytes

/// The clock of what is shown while it goes on: not the capture's.
package enum LiveClock {
  /// Milliseconds from now on; they never go back.
  package static func milliseconds() -> @Sendable () -> Int64 {
    let start = MonotonicClock.nanoseconds
    return { (MonotonicClock.nanoseconds - start) / 1_000_000 }
  }
}
