/// Paths as the system has them: bytes, which need not be UTF-8. Kept in one array, since there may be a million.
struct PathList: Sendable {
  /// The paths, each with a zero behind it.
  private(set) var bytes: [UInt8] = []
  /// How many there are.
  private(set) var count = 0

  /// No path.
  init() {}

  /// The paths of a list.
  ///
  /// - Parameter end: what stands behind each: a line feed, or a zero. The last one may lack it; empty ones do not count.
  init(_ list: [UInt8], endingWith end: UInt8) {
    for path in list.split(separator: end) { add(path) }
  }

  mutating func add(_ path: some Sequence<UInt8>) {
    bytes.append(contentsOf: path)
    bytes.append(0)
    count += 1
  }

  /// Hands out each path.
  func forEach(_ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let end = bytes[start...].firstIndex(of: 0) ?? bytes.endIndex
      try body(bytes[start..<end])
      start = end + 1
    }
  }
}
