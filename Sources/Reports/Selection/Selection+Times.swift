// Selects packets by their times.

package import Bluetooth

/// A selected time range, including both ends.
package struct TimeRange: Sendable {
  /// The start of the range; nil: unbounded.
  let from: TimePoint?
  /// The end of the range; nil: unbounded.
  let to: TimePoint?

  /// Creates the range between two points.
  package init(from: TimePoint?, to: TimePoint?) {
    self.from = from
    self.to = to
  }

  /// Pairs the given points: the first start with the first end, and so on.
  package static func ranges(
    from: [TimePoint], to: [TimePoint]
  ) throws(SelectionError) -> [TimeRange] {
    guard from.count == to.count || from.count + to.count == 1 else {
      throw SelectionError(
        "for several time ranges, use --from and --to equally often: the first --from belongs to the first --to, and so on"
      )
    }
    for (from, to) in zip(from, to) where from.isLater(than: to) {
      throw SelectionError("--from is later than --to")
    }
    return (0..<max(from.count, to.count)).map { index in
      TimeRange(
        from: index < from.count ? from[index] : nil, to: index < to.count ? to[index] : nil)
    }
  }

  /// Returns the two ends on the capture's clock.
  func resolved(
    _ start: Timestamp, _ zoneOffset: (Int64) -> Int64
  ) -> (from: Timestamp?, to: Timestamp?) {
    let first = from?.resolved(start, after: nil, zoneOffset)
    let last = to?.resolved(start, after: first ?? start, zoneOffset)
    return (first, last)
  }
}

/// The selected times on the capture's clock, which is known from its first time on.
package struct TimeWindow: Sendable {
  private let ranges: [TimeRange]
  private let zoneOffset: @Sendable (Int64) -> Int64
  private var resolved: [(from: Timestamp?, to: Timestamp?)] = []
  /// The first time of the capture.
  package private(set) var start: Timestamp?

  package init(_ selection: Selection, _ zoneOffset: @escaping @Sendable (Int64) -> Int64) {
    ranges = selection.times
    self.zoneOffset = zoneOffset
  }

  /// Records the time of a packet: the first one is the start that elapsed times count from.
  @inline(__always)
  package mutating func observe(_ time: Timestamp?) {
    guard start == nil, let time else { return }
    start = time
    resolved = ranges.map { $0.resolved(time, zoneOffset) }
  }

  /// Returns whether a time is selected. If times are selected, a packet without one is not.
  package func contains(_ time: Timestamp?) -> Bool { ranges.isEmpty || stretch(of: time) != nil }

  /// Returns the position of the first selected stretch that has this time in it.
  package func stretch(of time: Timestamp?) -> Int? {
    guard let time else { return nil }
    return resolved.firstIndex { range in
      !(range.from.map { time.isEarlier(than: $0) } ?? false)
        && !(range.to.map { $0.isEarlier(than: time) } ?? false)
    }
  }
}

/// A point in time as written by the user.
package struct TimePoint: Sendable {
  private enum Kind: Sendable {
    /// Nanoseconds after the first record.
    case elapsed(Int64)
    /// Date and time, either in UTC or in the zone in which times are shown: UTC or local time.
    case date(Timestamp, isUTC: Bool)
    /// A time of day, as seconds and nanoseconds since midnight.
    case clock(Timestamp, isUTC: Bool)
  }

  private let kind: Kind

  /// Half a day, in seconds.
  private static let halfDay: Int64 = 43_200
  /// The time column shows tenths of milliseconds; this makes a time that was read there include
  /// its packet.
  private static let columnStep: Int64 = 99_999

  /// Reads `12.5` or `12.5s` (seconds since the first record), `2023-11-14T22:13:20Z` (RFC 3339; a
  /// blank may replace the `T`; without Z or offset it is in the zone in which times are shown), or
  /// `12:03:15`.
  package init(_ text: String) throws(SelectionError) {
    guard let kind = Self.elapsed(text) ?? Self.calendar(text) else {
      throw SelectionError(
        "expected seconds as in 12.5, a time as in 12:03:15, or both date and time as in "
          + "2023-11-14T22:13:20Z")
    }
    self.kind = kind
  }

  /// Returns whether this is later than another point, if both are of the same kind. Of two times
  /// of day, the later one may be meant to be on the previous day.
  fileprivate func isLater(than other: TimePoint) -> Bool {
    switch (kind, other.kind) {
    case (.elapsed(let one), .elapsed(let other)): one > other
    case (.date(let one, let zone), .date(let other, let otherZone)):
      zone == otherZone && other.isEarlier(than: one)
    default: false
    }
  }

  private static func elapsed(_ text: String) -> Kind? {
    let number = text.hasSuffix("s") ? text.dropLast() : text[...]
    guard let time = seconds(number), time.seconds < 1_000_000_000 else { return nil }
    // Bounded: less than a billion, as checked above.
    return .elapsed(time.seconds * 1_000_000_000 + Int64(time.nanoseconds))
  }

  /// Parses seconds with at most nine decimals.
  private static func seconds(_ text: Substring) -> Timestamp? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first.flatMap({ digits($0, 1...10) }) else {
      return nil
    }
    guard parts.count == 2 else { return Timestamp(seconds: whole, nanoseconds: 0) }
    guard digits(parts[1], 1...9) != nil,
      let fraction = UInt32(parts[1] + String(repeating: "0", count: 9 - parts[1].utf8.count))
    else { return nil }
    return Timestamp(seconds: whole, nanoseconds: fraction)
  }

  private static func digits(_ text: Substring, _ count: ClosedRange<Int>) -> Int64? {
    guard count.contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
    else { return nil }
    return Int64(text)
  }

  /// Parses a date, a time of day, or both, followed by `Z`, an offset such as `+01:00`, or
  /// nothing.
  private static func calendar(_ text: String) -> Kind? {
    var rest = text[...]
    var day: Int64?
    if rest.utf8.count >= 10, let date = days(rest.prefix(10)) {
      day = date
      rest = rest.dropFirst(10)
      if rest.isEmpty {
        return .date(Timestamp(seconds: date * 86_400, nanoseconds: 0), isUTC: false)
      }
      guard let separator = rest.popFirst(), "Tt ".contains(separator) else { return nil }
    }
    var offset: Int64?
    if rest.hasSuffix("Z") || rest.hasSuffix("z") {
      offset = 0
      rest = rest.dropLast()
    } else if let sign = rest.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      guard let zone = timeOfDay(rest[sign...].dropFirst()), zone.nanoseconds == 0 else {
        return nil
      }
      offset = rest[sign] == "-" ? -zone.seconds : zone.seconds
      rest = rest[..<sign]
    }
    guard var time = timeOfDay(rest) else { return nil }
    // Bounded: a day, as is the zone offset.
    if let offset { time.seconds -= offset }
    guard let day else { return .clock(time, isUTC: offset != nil) }
    // Bounded: years have four digits.
    time.seconds += day * 86_400
    return .date(time, isUTC: offset != nil)
  }

  /// Parses `HH:MM` or `HH:MM:SS`, optionally with a fraction.
  private static func timeOfDay(_ text: Substring) -> Timestamp? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let hour = digits(parts[0], 2...2), hour < 24,
      let minute = digits(parts[1], 2...2), minute < 60
    else { return nil }
    var time = Timestamp(seconds: 0, nanoseconds: 0)
    if parts.count == 3 {
      guard let second = seconds(parts[2]), second.seconds < 61, parts[2].prefix(3).count >= 2
      else { return nil }
      time = second
    }
    // Bounded: a day.
    time.seconds += hour * 3600 + minute * 60
    return time
  }

  /// Returns the days from 1970-01-01 to `YYYY-MM-DD` in the proleptic Gregorian calendar; years
  /// are counted from March, as in `Clock`.
  private static func days(_ text: Substring) -> Int64? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let year = digits(parts[0], 4...4), let month = digits(parts[1], 2...2),
      let day = digits(parts[2], 2...2), 1...12 ~= month
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Int(month) - 1]
    guard day >= 1, day <= length else { return nil }
    let marchYear = month > 2 ? year : year - 1
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Returns the point on the capture's clock.
  ///
  /// - Parameters:
  ///   - start: the time of the first record.
  ///   - earliest: for an end, the start that it belongs to; nil for a start.
  package func resolved(
    _ start: Timestamp, after earliest: Timestamp?, _ zoneOffset: (Int64) -> Int64
  ) -> Timestamp {
    switch kind {
    case .elapsed(let nanoseconds):
      return start.adding(nanoseconds &+ (earliest == nil ? 0 : Self.columnStep))
    case .date(let time, isUTC: true): return time
    case .date(var time, isUTC: false):
      // The offset at the time itself; the second lookup is right even if the clock was changed
      // nearby.
      let about = time.seconds &- zoneOffset(time.seconds)
      time.seconds = time.seconds &- zoneOffset(about)
      return time
    case .clock(let clock, let isUTC):
      guard start.isWritable else { return clock }
      let reference = (earliest ?? start).seconds
      let offset = isUTC ? 0 : zoneOffset(start.seconds)
      let day = (reference &+ offset).floored(by: 86_400)
      var time = Timestamp(
        seconds: day &+ clock.seconds &- offset, nanoseconds: clock.nanoseconds)
      if earliest != nil {
        // An end is the first such time at or after its start.
        // Bounded: a day added to a printable time; the same applies below.
        while time.seconds < reference { time.seconds += 86_400 }
        // Bounded: as above.
        while time.seconds - 86_400 >= reference { time.seconds -= 86_400 }
      } else if time.seconds - reference > Self.halfDay {
        // A start is the one nearest to the first record.
        // Bounded: as above.
        time.seconds -= 86_400
      } else if reference - time.seconds > Self.halfDay {
        // Bounded: as above.
        time.seconds += 86_400
      }
      return time
    }
  }
}

extension Timestamp {
  /// Returns the time `nanoseconds` later, or earlier if negative.
  package func adding(_ nanoseconds: Int64) -> Timestamp {
    let (carry, rest) = CivilDate.floorDivide(
      Int64(self.nanoseconds) + nanoseconds % 1_000_000_000, 1_000_000_000)
    return Timestamp(
      seconds: seconds &+ nanoseconds / 1_000_000_000 &+ carry,
      nanoseconds: UInt32(truncatingIfNeeded: rest))
  }
}

extension Int64 {
  /// Returns the greatest multiple of `step` that is not greater than this.
  fileprivate func floored(by step: Int64) -> Int64 {
    let rest = self % step
    return self &- (rest < 0 ? rest + step : rest)
  }
}
