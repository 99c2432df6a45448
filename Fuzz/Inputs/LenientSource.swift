import Bluetooth
import Bytes
import Captures

/// Records out of any bytes, so that a fuzzer need not keep lengths right to get deep.
///
/// Laid out as a btsnoop file is, so that captures are good seeds, but nothing is damage: of the
/// header's 16 bytes only the last counts (H1, H4 or monitor), a record that claims too much gets
/// what is left, an original length that is smaller than the included one is raised to it.
struct LenientSource: CaptureSource, ~Copyable {
  let summary: CaptureSummary
  private let bytes: [UInt8]
  private let datalink: BtsnoopDatalink
  private var offset = BtsnoopHeader.byteCount
  private var number = 0

  init?(_ bytes: [UInt8]) {
    guard bytes.count > BtsnoopHeader.byteCount else { return nil }
    self.bytes = bytes
    // The last bytes of 1001, 1002 and 2001 are e9, ea and d1.
    datalink =
      switch bytes[BtsnoopHeader.byteCount - 1] & 3 {
      case 2: .h4
      case 1 where bytes[BtsnoopHeader.byteCount - 1] & 8 == 0: .linuxMonitor
      case 1: .h1
      default: .linuxMonitor
      }
    summary = CaptureSummary(
      format: .btsnoop, datalink: datalink.rawValue, datalinkName: datalink.name ?? "",
      timeDecimals: bytes[0] & 1 == 0 ? 6 : 9)
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
