import Bluetooth

/// How often reports were received at each signal level.
package struct SignalLevels: Sendable {
  /// The levels in dBm, ascending, each with its count. At most 256. Empty while all reports have
  /// the same level, as for the many devices that are heard once.
  private var levels: [(level: Int8, count: Int)] = []
  /// The level of the first report.
  private var first: Int8 = 0

  /// The number of reports.
  package private(set) var count = 0

  mutating func add(_ level: Int8, _ times: Int = 1) {
    if count == 0 { first = level }
    count += times
    if levels.isEmpty {
      if level == first { return }
      levels = [(first, count - times)]
    }
    var position = 0
    while position < levels.count, levels[position].level < level { position += 1 }
    if position < levels.count, levels[position].level == level {
      levels[position].count += times
    } else {
      levels.insert((level, times), at: position)
    }
  }

  mutating func absorb(_ other: SignalLevels) {
    if other.levels.isEmpty, other.count > 0 { add(other.first, other.count) }
    for (level, count) in other.levels { add(level, count) }
  }

  /// The weakest level, the median (of two the weaker) and the strongest.
  package var range: (min: Int, median: Int, max: Int)? {
    guard let least = levels.first, let last = levels.last else {
      return count > 0 ? (Int(first), Int(first), Int(first)) : nil
    }
    var below = 0
    var median = least.level
    for (level, times) in levels {
      median = level
      below += times
      if 2 * below >= count { break }
    }
    return (Int(least.level), Int(median), Int(last.level))
  }
}

/// The latest times between the reports of one stream, up to a limit.
package struct AdvertisingGaps: Sendable {
  /// In microseconds.
  private var gaps: [Int32] = []
  private var next = 0
  /// The number of gaps that are kept.
  private static let limit = 32
  /// The least gap, in nanoseconds. Reports closer together are of one advertising event, received
  /// on several channels: events are at least 20 ms apart (Core, Vol 6, Part B, 4.4.2.2.1).
  private static let leastGap: Int64 = 15_000_000
  /// The greatest gap, in nanoseconds. Beyond it the device was away, or the interval exceeds the
  /// legacy maximum.
  private static let mostGap: Int64 = 60_000_000_000

  /// Whether there are enough gaps for an estimate.
  package var isEnough: Bool { gaps.count >= 2 }
  /// The number of gaps.
  package var count: Int { gaps.count }

  /// Adds the time since the previous report, in nanoseconds. Returns false if both belong to one
  /// event.
  mutating func add(_ nanoseconds: Int64) -> Bool {
    guard nanoseconds >= Self.leastGap else { return false }
    guard nanoseconds <= Self.mostGap else { return true }
    let gap = Int32(truncatingIfNeeded: nanoseconds / 1000)
    if gaps.count < Self.limit {
      gaps.append(gap)
    } else {
      gaps[next] = gap
      next = (next + 1) % Self.limit
    }
    return true
  }

  /// Adds gaps that were measured elsewhere, as far as there is room.
  mutating func absorb(_ other: Self) {
    gaps += other.gaps.prefix(Self.limit - gaps.count)
  }

  /// The estimated interval in microseconds.
  ///
  /// If events were missed, a gap is a multiple of the interval. One of the shorter gaps (the lower
  /// quartile) is taken as a single interval, and the others are divided by the number of intervals
  /// they contain. The estimate includes the random delay of 0 to 10 ms that the controller adds to
  /// each interval.
  package var estimate: Int? {
    guard isEnough else { return nil }
    let sorted = gaps.sorted()
    let single = Int(sorted[(sorted.count - 1) / 4])
    var (sum, events) = (0, 0)
    for gap in sorted {
      let times = (Int(gap) + single / 2) / single
      // Over many intervals the delays add up and blur the multiple.
      guard times >= 1, times <= 4 else { continue }
      // Bounded: a few 32-bit numbers.
      sum += Int(gap)
      events += times
    }
    return events > 0 ? sum / events : nil
  }
}
