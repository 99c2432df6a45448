import Bluetooth
import Bytes
import Captures

/// Reads records from any bytes, so that a fuzzer does not need correct lengths to get deep.
///
/// The layout is btsnoop's, which makes captures good seeds, but nothing counts as damage. Of the
/// header's 16 bytes only the last matters (H1, H4 or monitor), a record with too large a length
/// gets the remaining bytes, and an original length below the included length is raised to it.
struct LenientSource: CaptureSource, ~Copyable {
  let summary: CaptureSummary
  private let bytes: [UInt8]
  private let datalink: BtsnoopDatalink
  private var offset = BtsnoopHeader.byteCount
  private var number = 0

  init?(_ bytes: [UInt8]) {
    guard bytes.count > BtsnoopHeader.byteCount else { return nil }
    self.bytes = bytes
    datalink = Self.datalink(bytes)
    summary = CaptureSummary(
      format: .btsnoop, datalink: datalink.rawValue, datalinkName: datalink.name ?? "",
      timeDecimals: bytes[0] & 1 == 0 ? 6 : 9)
  }

  /// Returns the datalink of bytes that have a complete header.
  static func datalink(_ bytes: [UInt8]) -> BtsnoopDatalink {
    // The last bytes of 1001, 1002 and 2001 are e9, ea and d1.
    let last = bytes[BtsnoopHeader.byteCount - 1]
    return switch last & 3 {
    case 2: .h4
    case 1 where last & 8 == 0: .linuxMonitor
    case 1: .h1
    default: .linuxMonitor
    }
  }

  var isReady: Bool { true }

  @_lifetime(&self)
  mutating func next() -> CaptureRecord? {
    var cursor = Cursor(bytes.bytes.dropping(offset))
    guard let header = try? BtsnoopRecordHeader(parsing: &cursor) else { return nil }
    number += 1
    let start = offset + BtsnoopRecordHeader.byteCount
    let included = min(Int(header.includedLength), bytes.count - start)
    let fileOffset = Int64(offset)
    offset = start + included
    return CaptureRecord(
      number: number, time: header.originalLength & 0x8000_0000 == 0 ? header.time : nil,
      direction: header.direction(datalink), adapter: header.adapter(datalink),
      framing: header.framing(datalink),
      originalLength: max(included, Int(header.originalLength & 0x7fff_ffff)),
      drops: UInt64(header.cumulativeDrops), fileOffset: fileOffset,
      bytes: bytes.bytes.part(Slice(start: start, count: included)))
  }
}

extension LenientSource {
  /// Makes two captures from the same records: the left one lacks some at its end, the right one
  /// some at its beginning and in between. The header's version, which is not used otherwise,
  /// chooses them; with btsnoop's version, 1, both sides have every record.
  static func sides(_ bytes: [UInt8]) -> (left: [UInt8], right: [UInt8]) {
    var starts: [Int] = []
    var offset = BtsnoopHeader.byteCount
    while offset + BtsnoopRecordHeader.byteCount <= bytes.count {
      starts.append(offset)
      let claimed = bytes[offset + 4..<offset + 8].reduce(0) { $0 << 8 | Int($1) }
      offset += BtsnoopRecordHeader.byteCount + claimed
    }
    guard let first = starts.first else { return (bytes, bytes) }
    func place(_ share: UInt8) -> Int {
      let index = starts.count * Int(share) / 256
      return index < starts.count ? starts[index] : bytes.count
    }
    let left = bytes[8] == 0 ? bytes : Array(bytes.prefix(place(0 &- bytes[8])))
    if bytes[9] == 0, bytes[10] == 0 { return (left, bytes) }
    var right = Array(bytes.prefix(first))
    let step = Int(bytes[10]) + 1
    for (index, start) in starts.enumerated() where start >= place(bytes[9]) {
      if step > 1, index % step == 1 { continue }
      right += bytes[start..<(index + 1 < starts.count ? starts[index + 1] : bytes.count)]
    }
    return (left, right)
  }
}
