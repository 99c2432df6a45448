import Glibc

/// The clock that never goes back and cannot be set. It measures durations, not dates.
package enum MonotonicClock {
  /// Nanoseconds since an unspecified moment.
  package static var nanoseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// The system's date and time, which the user can set.
package enum WallClock {
  /// The time since 1970: whole seconds, and the nanoseconds beyond them.
  package static var now: (seconds: Int64, nanoseconds: Int64) {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return (Int64(time.tv_sec), Int64(time.tv_nsec))
  }
}
