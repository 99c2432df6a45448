import Bluetooth

/// How strong reports were received: how often each level.
package struct SignalLevels: Sendable {
  /// The levels in dBm, ascending, each with its number. At most 256.
  private var levels: [(level: Int8, count: Int)] = []

  /// How many reports.
  package private(set) var count = 0

  mutating func add(_ level: Int8, _ times: Int = 1) {
    count += times
    var position = 0
    while position < levels.count, levels[position].level < level { position += 1 }
    if position < levels.count, levels[position].level == level {
      levels[position].count += times
    } else {
      levels.insert((level, times), at: position)
    }
  }

  mutating func absorb(_ other: SignalLevels) {
    for (level, count) in other.levels { add(level, count) }
  }

  /// The weakest, the middle one (of two the weaker) and the strongest.
  package var range: (min: Int, median: Int, max: Int)? {
    guard let first = levels.first, let last = levels.last else { return nil }
    var below = 0
    var median = first.level
    for (level, times) in levels {
      median = level
      below += times
      if 2 * below >= count { break }
    }
    return (Int(first.level), Int(median), Int(last.level))
  }
}

/// The times between the reports of one stream, the latest few.
package struct AdvertisingGaps: Sendable {
  /// Microseconds.
  private var gaps: [Int32] = []
  private var next = 0
  /// How many are looked at.
  private static let limit = 32
  /// Reports that are nearer than this are of one advertising event, heard on several channels: events
  /// are 20 ms apart at least (Core, Vol 6, Part B, 4.4.2.2.1).
  private static let leastGap: Int64 = 15_000_000
  /// Later than this the device was away, or the interval is longer than any legacy one can be.
  private static let mostGap: Int64 = 60_000_000_000

  /// Whether an estimate can be given.
  package var isEnough: Bool { gaps.count >= 2 }
  /// How many gaps an estimate is made of.
  package var count: Int { gaps.count }

  /// Takes the time since the report before in nanoseconds; false where both are of one event.
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

  /// Takes in gaps that were measured elsewhere, as far as there is room.
  mutating func absorb(_ other: Self) {
    gaps += other.gaps.prefix(Self.limit - gaps.count)
  }

  /// The estimated interval in microseconds.
  ///
  /// Where events were missed a gap is a multiple of the interval: of the shorter gaps one in four is
  /// taken as a single one, the others are divided by how many of it they hold. The random delay of 0 to
  /// 10 ms that the controller adds to each interval is part of the estimate.
  package var estimate: Int? {
    guard isEnough else { return nil }
    let sorted = gaps.sorted()
    let single = Int(sorted[(sorted.count - 1) / 4])
    var (sum, events) = (0, 0)
    for gap in sorted {
      let times = (Int(gap) + single / 2) / single
      // Over many intervals the delays add up, and what they were a multiple of blurs.
      guard times >= 1, times <= 4 else { continue }
      // Bounded: a few numbers of 32 bits.
      sum += Int(gap)
      events += times
    }
    return events > 0 ? sum / events : nil
  }
}
