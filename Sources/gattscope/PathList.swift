/// Paths as the system has them: bytes, which may not be UTF-8. They are kept in one array, since
/// there may be a million.
struct PathList: Sendable {
  /// The paths, each with a zero byte after it.
  private var bytes: [UInt8] = []
  /// The number of paths.
  private(set) var count = 0

  mutating func add(_ path: some Sequence<UInt8>) {
    bytes.append(contentsOf: path)
    bytes.append(0)
    count += 1
  }

  /// Calls `body` with each path.
  func forEach(_ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
    try Self.forEach(in: bytes, endingWith: 0, body)
  }

  /// Calls `body` with each path of a list, except empty ones.
  ///
  /// - Parameter end: the byte after each path: a line feed or zero. The last path may lack it.
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
