/// A set of handles as ranges, such as those that a discovery has covered. Bounded: a range beyond
/// the bound is left out, so that less seems to be covered than was, never more.
package struct HandleRanges: Equatable, Sendable {
  /// The ranges, disjoint and in ascending order.
  package private(set) var ranges: [ClosedRange<UInt16>] = []
  private static let limit = 64

  /// Whether the set is empty.
  package var isEmpty: Bool { ranges.isEmpty }

  /// Adds the handles from `first` to `last`, and returns whether any of them is new.
  mutating func insert(_ first: UInt16, _ last: UInt16) -> Bool {
    guard !covers(first, last) else { return false }
    var (low, high) = (first, last)
    // Adjacent ranges are merged.
    let start = ranges.firstIndex { $0.upperBound >= (low == 0 ? 0 : low - 1) } ?? ranges.count
    var end = start
    while end < ranges.count, ranges[end].lowerBound <= (high == .max ? .max : high + 1) {
      low = min(low, ranges[end].lowerBound)
      high = max(high, ranges[end].upperBound)
      end += 1
    }
    guard start < end || ranges.count < Self.limit else { return false }
    ranges.replaceSubrange(start..<end, with: [low...high])
    return true
  }

  /// Adds the handles of a range, or all handles if there is no room for it: for sets in which a
  /// missing handle would be worse than an extra one.
  mutating func insert(atLeast range: ClosedRange<UInt16>) {
    if !insert(range.lowerBound, range.upperBound), !covers(range.lowerBound, range.upperBound) {
      ranges = [0...UInt16.max]
    }
  }

  /// Removes the handles from `first` to `last`.
  mutating func remove(_ first: UInt16, _ last: UInt16) {
    guard first <= last else { return }
    var left: [ClosedRange<UInt16>] = []
    for range in ranges {
      if range.upperBound < first || range.lowerBound > last {
        left.append(range)
        continue
      }
      if range.lowerBound < first { left.append(range.lowerBound...first - 1) }
      if range.upperBound > last { left.append(last + 1...range.upperBound) }
    }
    ranges = left
  }

  /// Returns whether the set contains all handles from `first` to `last`, which is always true for
  /// an empty range.
  package func covers(_ first: UInt16, _ last: UInt16) -> Bool {
    first > last || ranges.contains { $0.lowerBound <= first && last <= $0.upperBound }
  }
}
