/// Paths as the system has them: bytes, which need not be UTF-8. Kept in one array, since there may be a million.
struct PathList: Sendable {
  /// The paths, each with a zero behind it.
  private var bytes: [UInt8] = []
  /// How many there are.
  private(set) var count = 0

  mutating func add(_ path: some Sequence<UInt8>) {
    bytes.append(contentsOf: path)
    bytes.append(0)
    count += 1
  }

  /// Hands out each path.
  func forEach(_ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
    try Self.forEach(in: bytes, endingWith: 0, body)
  }

  /// Hands out each path of a list but empty ones.
  ///
  /// - Parameter end: what stands behind each: a line feed, or a zero. The last one may lack it.
  static func forEach(
    in list: [UInt8], endingWith end: UInt8, _ body: (ArraySlice<UInt8>) throws -> Void
  ) rethrows {
    var start = list.startIndex
    while start < list.endIndex {
      let next = list[start...].firstIndex(of: end) ?? list.endIndex
      if next > start { try body(list[start..<next]) }
      start = next + 1
    }
  }
}
