import Bytes

/// The time that a file may take, without time in which the process was suspended.
package struct Patience: Sendable {
  private var deadline: Int64
  private var latest: Int64

  /// The longest pause between two checks, in nanoseconds. A longer one means that the process was
  /// suspended.
  private static let longestPause: Int64 = 2_000_000_000

  /// Starts the clock.
  package init(seconds: Int) {
    latest = MonotonicClock.nanoseconds
    // Bounded: a day at most.
    deadline = latest + Int64(seconds) * 1_000_000_000
  }

  /// Returns whether the time is over. Must be called often, because long pauses do not count.
  package mutating func isOver() -> Bool { isOver(at: MonotonicClock.nanoseconds) }

  /// Returns whether the time is over at `now`.
  mutating func isOver(at now: Int64) -> Bool {
    let pause = now - latest
    if pause > Self.longestPause { deadline.add(clamped: pause) }
    latest = now
    return now > deadline
  }
}
