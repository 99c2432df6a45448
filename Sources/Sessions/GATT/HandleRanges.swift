/// A set of handles, as ranges: those that a discovery has covered. Bounded: a range that would be one
/// too many is left out, so that less seems to be covered than was, never more.
package struct HandleRanges: Equatable, Sendable {
  /// Apart from each other, and in order.
  package private(set) var ranges: [ClosedRange<UInt16>] = []
  private static let limit = 64

  /// Whether no handle is in it.
  package var isEmpty: Bool { ranges.isEmpty }

  /// Adds the handles from `first` to `last`, and says whether any of them is new.
  mutating func insert(_ first: UInt16, _ last: UInt16) -> Bool {
    guard !covers(first, last) else { return false }
    var (low, high) = (first, last)
    // Neighbours become one.
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

  /// Adds the handles of a range, and where there is no room for it, all handles: for sets in which one
  /// that is missing would be worse than one too many.
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

  /// Whether all handles from `first` to `last` are in it; no handles always are.
  package func covers(_ first: UInt16, _ last: UInt16) -> Bool {
    first > last || ranges.contains { $0.lowerBound <= first && last <= $0.upperBound }
  }
}
