import Foundation

/// A btsnoop file under construction, and facts about it that do not need the program's reader.
package struct CaptureBytes: Sendable {
  package private(set) var bytes: [UInt8]
  /// 1970-01-01 00:00:00 UTC in a record's time field.
  private static let epoch: Int64 = 0x00dc_ddb3_0f2f_8000

  /// Creates a file with a header only.
  package init(datalink: UInt32 = 1002, version: UInt32 = 1) {
    bytes = Array("btsnoop\0".utf8)
    append(version)
    append(datalink)
  }

  /// Reads an existing file.
  package init(contentsOf path: String) throws {
    bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  private mutating func append(_ value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends a record. The lengths are the payload's by default.
  package mutating func record(
    _ payload: [UInt8], flags: UInt32 = 0, included: UInt32? = nil, original: UInt32? = nil,
    microseconds: Int64 = 0
  ) {
    append(original ?? UInt32(payload.count))
    append(included ?? UInt32(payload.count))
    append(flags)
    append(UInt32(0))
    append(Self.epoch + microseconds)
    bytes += payload
  }

  /// The offset after the header and after each complete record.
  package var ends: [Int] {
    var ends = [16]
    var offset = 16
    while offset + 24 <= bytes.count {
      let original = number(at: offset)
      let included = number(at: offset + 4)
      guard included <= original, included <= 1 << 20, offset + 24 + included <= bytes.count
      else { break }
      offset += 24 + included
      ends.append(offset)
    }
    return ends
  }

  /// The number of complete records.
  package var records: Int { ends.count - 1 }

  private func number(at offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns a capture of `count` notifications on one link, a millisecond apart.
  package static func session(_ count: Int) -> CaptureBytes {
    var file = CaptureBytes()
    for index in 0..<count {
      let low = UInt8(truncatingIfNeeded: index)
      let high = UInt8(truncatingIfNeeded: index >> 8)
      file.record(
        [2, 1, 0x20, 9, 0, 5, 0, 4, 0, 0x1b, 0x10, 0, low, high], flags: 1,
        microseconds: Int64(index) * 1000)
    }
    return file
  }
}
