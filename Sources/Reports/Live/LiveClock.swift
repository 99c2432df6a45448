/// The clock of what is shown while it goes on: not the capture's.
package enum LiveClock {
  /// Milliseconds from now on; they never go back.
  package static func milliseconds() -> @Sendable () -> Int64 {
    let start = ContinuousClock.now
    return {
      let (seconds, attoseconds) = (ContinuousClock.now - start).components
      return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
  }
}
