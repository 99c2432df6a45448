import Glibc

/// The size at which a file is finished and the next one begun, and the number of files kept.
///
/// The current file always has the requested name. A finished one gets a number before its
/// extension, in order of time: `air.btsnoop` becomes `air.1.btsnoop`, the next one
/// `air.2.btsnoop`.
package struct Rotation: Equatable, Sendable {
  /// The maximum size of a file in bytes; a longer record gets a file of its own.
  package var bytes: Int64
  /// The number of files kept, including the current one; nil for all.
  package var count: Int?

  /// The smallest size accepted, so that a file holds more than its header.
  package static let leastBytes: Int64 = 1000

  /// Creates a rotation of `count` files of at most `bytes`.
  package init(bytes: Int64, count: Int?) {
    self.bytes = bytes
    self.count = count
  }

  /// Parses `SIZE[:COUNT]`: a number of bytes, optionally with `k`, `M` or `G` (1000, 1000² and
  /// 1000³ bytes). Returns nil for anything else, and for sizes below `leastBytes` and counts below
  /// 1.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let size = parts.first else { return nil }
    let units: [Character: Int64] = ["k": 1000, "K": 1000, "M": 1_000_000, "G": 1_000_000_000]
    let unit = size.last.flatMap { units[$0] }
    let digits = unit == nil ? size : size.dropLast()
    guard digits.isDigits, let number = Int64(digits) else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflow, bytes >= Self.leastBytes else { return nil }
    var count: Int?
    if parts.count == 2 {
      guard parts[1].isDigits, let number = Int(parts[1]), number >= 1 else { return nil }
      count = number
    }
    self.init(bytes: bytes, count: count)
  }
}

/// The finished files of a rotation.
struct FinishedFiles {
  private let path: String
  private let most: Int?
  /// The number of the last finished file.
  private var last = 0
  /// The files that may become too old, with their record counts; empty if all are kept.
  private(set) var kept: [(name: String, records: Int)] = []
  /// The number of files that exist.
  private(set) var count = 0
  /// The files removed because they were too old.
  private(set) var removed = RemovedFiles()

  init(_ path: String, _ rotation: Rotation) {
    self.path = path
    most = rotation.count.map { $0 - 1 }
  }

  /// Returns the name of a finished file.
  private func name(_ number: Int) -> String {
    let folder = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[folder...].lastIndex(of: "."), dot != folder else {
      return "\(path).\(number)"
    }
    return "\(path[..<dot]).\(number)\(path[dot...])"
  }

  /// Renames the current file to a finished one, and removes those that are too old. Files of other
  /// runs are kept.
  ///
  /// - Parameter records: The number of records in the file.
  /// - Throws: If it cannot be renamed.
  mutating func takeIn(records: Int) throws(WriteFailure) {
    repeat { last += 1 } while unsafe access(name(last), F_OK) == 0
    guard unsafe rename(path, name(last)) == 0 else {
      throw WriteFailure(path: name(last), .system(errno))
    }
    count += 1
    guard let most else { return }
    kept.append((name(last), records))
    while kept.count > most {
      let oldest = kept.removeFirst()
      unsafe unlink(oldest.name)
      count -= 1
      removed.files += 1
      removed.records += oldest.records
    }
  }
}

/// The files that a rotation removed because they were too old.
package struct RemovedFiles: Equatable, Sendable {
  /// The number of files.
  package var files = 0
  /// The number of records in them.
  package var records = 0

  package init() {}
}
