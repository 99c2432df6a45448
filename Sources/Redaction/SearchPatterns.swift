import Bytes

/// Byte strings to find, of which many may begin alike: sorted, so that the longest one that stands at a place
/// is found in as many steps as it has bytes, and a few more.
struct SearchPatterns: Sendable {
  struct Pattern: Sendable {
    let kind: RedactionReport.Elsewhere
    let bytes: [UInt8]
    let replacement: [UInt8]
  }

  /// No two of the same bytes, in lexicographic order.
  private var patterns: [Pattern] = []
  /// For each the longest other one that is its beginning; −1: none.
  private var beginnings: [Int32] = []

  /// A shorter one is not looked for.
  static let least = 6

  init(_ all: [Pattern]) {
    let sorted = all.enumerated().filter { $0.element.bytes.count >= Self.least }.sorted {
      if $0.element.bytes == $1.element.bytes { return $0.offset < $1.offset }
      return $0.element.bytes.lexicographicallyPrecedes($1.element.bytes)
    }
    // What the next one may begin with: each is a beginning of the one behind it.
    var open: [Int] = []
    for (_, pattern) in sorted where patterns.last?.bytes != pattern.bytes {
      while let last = open.last, !pattern.bytes.starts(with: patterns[last].bytes) {
        open.removeLast()
      }
      beginnings.append(Int32(open.last ?? -1))
      open.append(patterns.count)
      patterns.append(pattern)
    }
  }

  /// The longest one that stands at `offset`.
  func longest(in bytes: RawSpan, at offset: Int) -> Pattern? {
    // Those before `low` come before the text or are its beginning, those from `high` on come behind it; how
    // many bytes they have in common with it.
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
    // Whatever is a beginning of the text is one of the last pattern before it, or that itself.
    var candidate = low - 1
    while candidate >= 0 {
      if patterns[candidate].bytes.count <= lowCommon { return patterns[candidate] }
      candidate = Int(beginnings[candidate])
    }
    return nil
  }
}
