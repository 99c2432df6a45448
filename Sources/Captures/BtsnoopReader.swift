package import Bluetooth
import Bytes

/// A reader of btsnoop: Android's `btsnoop_hci.log`, `btmon -w`, and the same bytes through a pipe.
///
/// It reads datalinks 1001 (H1), 1002 (H4) and 2001 (Linux monitor) of version 1. Damage ends the
/// capture: after the records before it, `next` throws `.damaged` once and then returns nil. Damage
/// is a record that ends early, one that claims more than `CaptureLimits.recordBytes`, or one that
/// includes more bytes than its packet had. The format has no marker from which to find a later
/// record, so nothing after the damage is read.
///
///     var capture = try BtsnoopReader(path: "btsnoop_hci.log")
///     while let record = try capture.next() {
///       print(record.number, record.bytes.byteCount)
///     }
package struct BtsnoopReader: CaptureSource, ~Copyable {
  /// The properties given by the header.
  package private(set) var summary: CaptureSummary
  private let datalink: BtsnoopDatalink
  /// Readable by the tests, which check its capacity and count its reads.
  private(set) var input: InputBuffer
  private var number = 0
  private var cumulativeDrops: UInt32 = 0
  private var isFinished = false

  /// Opens the capture at `path`; `-` is standard input.
  ///
  /// - Throws: `.inaccessible` if it cannot be opened or read, otherwise as `init(_:)` does.
  package init(path: String) throws(CaptureFailure) {
    try self.init(InputBuffer(path: path))
  }

  /// Reads the header at the beginning of `input`.
  ///
  /// - Throws: `.notReadable`, naming the format, if it is something else; `.damaged` if its header
  ///   ends early.
  package init(_ input: consuming InputBuffer) throws(CaptureFailure) {
    var input = input
    let header = try Self.readFileHeader(&input)
    datalink = header.datalink
    summary = CaptureSummary(
      format: .btsnoop, datalink: datalink.rawValue, datalinkName: datalink.name ?? "unknown",
      timeDecimals: 6)
    self.input = input
  }

  private static func readFileHeader(
    _ input: inout InputBuffer
  ) throws(CaptureFailure) -> BtsnoopHeader {
    let isWhole = try input.fill(BtsnoopHeader.byteCount)
    guard let format = CaptureFormat.detect(input.bytes) else {
      throw CaptureFormat.unknown(input.bytes)
    }
    guard format == .btsnoop else { throw format.refusal }
    var cursor = Cursor(input.take(BtsnoopHeader.byteCount))
    guard isWhole, let header = try? BtsnoopHeader(parsing: &cursor) else {
      throw CaptureFailure(
        .damaged,
        "its header ends early: only \(input.offset) of \(BtsnoopHeader.byteCount) bytes are present"
      )
    }
    guard header.version == BtsnoopHeader.version else {
      throw CaptureFailure(
        .notReadable, "is btsnoop version \(header.version); gattscope reads version 1")
    }
    guard header.datalink.isReadable else {
      let name = header.datalink.name.map { " (\($0))" } ?? ", which is unknown"
      throw CaptureFailure(
        .notReadable,
        "is btsnoop of datalink \(header.datalink.rawValue)\(name); "
          + "gattscope reads 1001 (H1), 1002 (H4) and 2001 (Linux monitor)")
    }
    return header
  }

  /// Whether the buffer holds a whole further record, damage or the end.
  package var isReady: Bool {
    if isFinished { return true }
    guard input.count >= BtsnoopRecordHeader.byteCount else { return false }
    var cursor = Cursor(input.bytes, base: 0)
    guard let lengths = try? cursor.bigEndianU64() else { return false }
    return verdict(original: lengths >> 32, included: lengths & 0xffff_ffff) != .incomplete
  }

  /// Returns the next record, or nil at the end of the capture.
  ///
  /// - Throws: `.damaged` with the record's number, its offset, and how many of its bytes exist;
  ///   `.inaccessible` if the system cannot read any further.
  @_lifetime(&self)
  @inline(__always)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    var found = bufferedHeader()
    if found == nil { found = try readHeader() }
    guard let header = found else { return nil }
    let fileOffset = input.offset
    _ = input.take(BtsnoopRecordHeader.byteCount)
    number += 1
    // The writer's count restarts when the writer does; only an increase is a loss.
    let drops = header.cumulativeDrops.subtractingReportingOverflow(cumulativeDrops)
    cumulativeDrops = header.cumulativeDrops
    return CaptureRecord(
      number: number, time: header.time, direction: header.direction(datalink),
      adapter: header.adapter(datalink), framing: header.framing(datalink),
      originalLength: Int(header.originalLength),
      drops: drops.overflow ? 0 : UInt64(drops.partialValue), fileOffset: fileOffset,
      bytes: input.take(Int(header.includedLength)))
  }

  /// The state of a record, judged by its lengths and the buffered bytes after its header.
  private enum Verdict {
    case whole, incomplete
    /// The lengths are wrong, however many bytes follow.
    case damage
  }

  private func verdict(original: UInt64, included: UInt64) -> Verdict {
    if included > original || included > CaptureLimits.recordBytes { return .damage }
    return input.count - BtsnoopRecordHeader.byteCount >= included ? .whole : .incomplete
  }

  private func verdict(_ header: BtsnoopRecordHeader) -> Verdict {
    verdict(original: UInt64(header.originalLength), included: UInt64(header.includedLength))
  }

  /// Returns the header of the record at the start of the buffer if the whole record is present.
  private func bufferedHeader() -> BtsnoopRecordHeader? {
    guard !isFinished, input.count >= BtsnoopRecordHeader.byteCount else { return nil }
    var cursor = Cursor(input.bytes, base: 0)
    guard let header = try? BtsnoopRecordHeader(parsing: &cursor) else { return nil }
    return verdict(header) == .whole ? header : nil
  }

  /// Reads until the buffer begins with a whole record; returns nil at the end of the capture.
  @inline(never)
  private mutating func readHeader() throws(CaptureFailure) -> BtsnoopRecordHeader? {
    guard !isFinished else { return nil }
    // Applies to every exit from here but the last.
    isFinished = true
    let size = BtsnoopRecordHeader.byteCount
    var isWhole = try input.fill(size)
    while skipHeader() { isWhole = try input.fill(size) }
    guard isWhole else {
      if input.count == 0 { return nil }
      throw damage(
        "only \(input.count) of \(size) bytes of its header are present; the capture ends early")
    }
    var cursor = Cursor(input.bytes)
    guard let header = try? BtsnoopRecordHeader(parsing: &cursor) else { return nil }
    guard verdict(header) != .damage else { throw damage(header) }
    guard try input.fill(size + Int(header.includedLength)) else {
      let there = input.count - size
      throw damage(
        "only \(there) of \(header.includedLength) bytes are present; the capture ends early")
    }
    isFinished = false
    return header
  }

  /// Skips the header of a second file of the same datalink, as found in concatenated files. Read
  /// as a record, it would claim more than a gigabyte.
  ///
  /// - Returns: Whether there was one.
  private mutating func skipHeader() -> Bool {
    var cursor = Cursor(input.bytes)
    guard CaptureFormat.detect(input.bytes) == .btsnoop,
      let header = try? BtsnoopHeader(parsing: &cursor),
      header.version == BtsnoopHeader.version, header.datalink == datalink
    else { return false }
    summary.remarkSecond(at: input.offset)
    _ = input.take(BtsnoopHeader.byteCount)
    return true
  }

  private func damage(_ header: BtsnoopRecordHeader) -> CaptureFailure {
    let included = header.includedLength
    guard included > CaptureLimits.recordBytes else {
      return damage(
        "included length \(included) exceeds original length \(header.originalLength); "
          + "the rest was not read")
    }
    let there = input.knownRemaining.map { max(0, $0 - Int64(BtsnoopRecordHeader.byteCount)) }
    let present = there.map { ", of which \(min($0, Int64(included))) are present" } ?? ""
    return damage(
      "it claims \(included) bytes\(present), but a record has at most "
        + "\(CaptureLimits.recordBytes); the rest was not read")
  }

  private func damage(_ what: String) -> CaptureFailure {
    CaptureFailure(.damaged, "record \(number + 1) at byte \(input.offset): \(what)")
  }
}

extension BtsnoopRecordHeader {
  /// The record's time. Seconds are split off before the epoch is moved, so that no stored number
  /// overflows.
  package var time: Timestamp {
    var time = Timestamp(microseconds: microseconds)
    // Bounded: the seconds come from 64-bit microseconds.
    time.seconds -= Self.secondsBefore1970
    return time
  }

  /// Returns the packet's direction.
  package func direction(_ datalink: BtsnoopDatalink) -> Direction? {
    if datalink == .linuxMonitor {
      return MonitorOpcode(rawValue: UInt16(truncatingIfNeeded: flags))?.direction
    }
    return flags & 1 == 0 ? .sent : .received
  }

  /// Returns the controller's index: the one the monitor names; 0 for other datalinks.
  package func adapter(_ datalink: BtsnoopDatalink) -> AdapterIndex {
    datalink == .linuxMonitor ? AdapterIndex(UInt16(flags >> 16)) : 0
  }

  /// Returns what the record's bytes begin with.
  package func framing(_ datalink: BtsnoopDatalink) -> CaptureRecord.Framing {
    switch datalink {
    case .linuxMonitor: .monitor(opcode: UInt16(truncatingIfNeeded: flags))
    case .h1 where flags & 2 == 0: .h1(.acl)
    case .h1: .h1(flags & 1 == 0 ? .command : .event)
    default: .h4
    }
  }
}
