import Glibc

/// The clock that never goes back and that nobody sets: for how long something takes, not for when it was.
package enum MonotonicClock {
  /// Nanoseconds from a moment that means nothing.
  package static var nanoseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// The clock that people set: for when something was.
package enum WallClock {
  /// Seconds since 1970, and what is beyond them in nanoseconds.
  package static var now: (seconds: Int64, nanoseconds: Int64) {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return (Int64(time.tv_sec), Int64(time.tv_nsec))
  }
}
