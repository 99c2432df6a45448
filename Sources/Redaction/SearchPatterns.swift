import Bytes

/// Byte strings to find, many of which may begin alike. They are sorted, so that finding the
/// longest one at a position takes little more steps than it has bytes.
struct SearchPatterns: Sendable {
  struct Pattern: Sendable {
    let kind: RedactionReport.Elsewhere
    let bytes: [UInt8]
    let replacement: [UInt8]
  }

  /// The patterns without duplicates, in lexicographic order.
  private var patterns: [Pattern] = []
  /// For each, the longest other one that is its prefix; −1: none.
  private var beginnings: [Int32] = []

  /// The least length of a pattern; shorter ones are not looked for.
  static let least = 6

  init(_ all: [Pattern]) {
    // Of equal patterns, the first counts: sorting is stable. Indexes need less memory than copies.
    var sorted = all.indices.filter { all[$0].bytes.count >= Self.least }
    sorted.sort { all[$0].bytes.lexicographicallyPrecedes(all[$1].bytes) }
    // The prefixes of the next pattern: each is a prefix of the one after it.
    var open: [Int] = []
    for pattern in sorted.lazy.map({ all[$0] }) where patterns.last?.bytes != pattern.bytes {
      while let last = open.last, !pattern.bytes.starts(with: patterns[last].bytes) {
        open.removeLast()
      }
      beginnings.append(Int32(open.last ?? -1))
      open.append(patterns.count)
      patterns.append(pattern)
    }
  }

  /// Returns the longest pattern at `offset`.
  func longest(in bytes: RawSpan, at offset: Int) -> Pattern? {
    // Patterns before `low` precede the text or are its prefix, those from `high` on follow it. The
    // other two are the numbers of bytes that they share with the text.
    var (low, high) = (0, patterns.count)
    var (lowCommon, highCommon) = (0, 0)
    while low < high {
      let middle = (low + high) / 2
      let pattern = patterns[middle].bytes
      var common = min(lowCommon, highCommon)
      while common < pattern.count, offset + common < bytes.byteCount,
        pattern[common] == bytes.byte(at: offset + common)
      {
        common += 1
      }
      let isBefore =
        common == pattern.count
        || offset + common < bytes.byteCount && pattern[common] < bytes.byte(at: offset + common)
      if isBefore {
        (low, lowCommon) = (middle + 1, common)
      } else {
        (high, highCommon) = (middle, common)
      }
    }
    // Any prefix of the text is the last pattern before it or a prefix of that.
    var candidate = low - 1
    while candidate >= 0 {
      if patterns[candidate].bytes.count <= lowCommon { return patterns[candidate] }
      candidate = Int(beginnings[candidate])
    }
    return nil
  }
}
