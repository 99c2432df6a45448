import Bluetooth
import Bytes

/// A reader of btsnooz, Android's summary for bug reports: commands, events, and the first bytes of
/// data packets.
///
/// A file is a version (1 byte, 1 or 2), the time of the last record in microseconds since 1970 (8,
/// least significant first), and a zlib stream (RFC 1950) of records:
///
/// | version 1 | version 2 | field |
/// | ---: | ---: | --- |
/// | 2 | 2 | stored length plus 1 |
/// | – | 2 | packet length plus 1 |
/// | 4 | 4 | microseconds since the previous record |
/// | 1 | 1 | type |
/// | n | n | the packet |
///
/// Types, in hexadecimal: 10 event, 11 ACL, 12 SCO and 17 ISO received; 20 command, 21 ACL, 22 SCO
/// and 2d ISO sent.
///
/// The third form, which some phones write as `btsnooz_hci.log`, is records of version 2 after a
/// btsnoop header, neither compressed nor dated. Source: Android's `btsnooz.py` and `btsnoop_mem`,
/// and files of the third form [mem].
package struct BtsnoozReader: CaptureSource, ~Copyable {
  package let summary: CaptureSummary
  private let version: UInt8
  private var input: InputBuffer
  /// The last record's time in microseconds; nil before the first.
  private var microseconds: Int64?
  private let start: Int64
  /// Why the records end early.
  private var failure: CaptureFailure?
  private var number = 0

  /// Reads the summary at the beginning of `input`.
  ///
  /// - Throws: `.damaged` if its header ends early.
  init(_ input: consuming InputBuffer, _ budget: UnpackingBudget) throws(CaptureFailure) {
    var input = input
    guard try input.fill(Self.headerBytes) else {
      let count = input.count
      throw CaptureFailure(
        .damaged, "its header ends early: only \(count) of \(Self.headerBytes) bytes are present")
    }
    let version = input.bytes.byte(at: 0)
    let last = Int64(clamping: input.bytes.u64(at: 1, isBigEndian: false))
    _ = input.take(Self.headerBytes)
    let (bytes, isWhole) = try Self.inflate(input, budget)
    self.version = version
    start =
      last.subtractingReportingOverflow(Self.duration(bytes.bytes, version)).partialValue
    if !isWhole {
      failure = CaptureFailure(
        .damaged,
        "its records can be inflated up to byte \(bytes.count); the rest is damaged or missing"
      )
    }
    self.input = InputBuffer(bytes)
    summary = CaptureSummary(
      format: .btsnooz, datalink: nil, datalinkName: "Android's summary, version \(version)",
      timeDecimals: 6)
  }

  /// Inflates the records, up to the first damage.
  private static func inflate(
    _ input: consuming InputBuffer, _ budget: UnpackingBudget
  ) throws(CaptureFailure) -> (bytes: [UInt8], isWhole: Bool) {
    var bytes: [UInt8] = []
    do throws(CaptureFailure) {
      var records = InputBuffer(try CompressedFeed(.zlib, input, budget))
      while bytes.count <= CaptureLimits.summaryBytes, try records.fill(1) {
        bytes.append(records.take(records.count))
      }
    } catch {
      guard error.kind == .damaged, budget.failure == nil else { throw error }
      return (bytes, false)
    }
    return (bytes, bytes.count <= CaptureLimits.summaryBytes)
  }

  /// Reads records of version 2 after the btsnoop header at the beginning of `input`. They are
  /// undated, so times count from the first record.
  init(behindHeader input: consuming InputBuffer) {
    var input = input
    _ = input.take(BtsnoopHeader.byteCount)
    version = 2
    start = 0
    self.input = input
    var summary = CaptureSummary(
      format: .btsnooz, datalink: nil,
      datalinkName: "Android's summary, version 2, after a btsnoop header", timeDecimals: 6)
    summary.isDated = false
    summary.remarks = ["it has no date: times count from its first record"]
    self.summary = summary
  }

  /// The number of bytes needed to recognise the form with a btsnoop header: both headers and the
  /// first bytes of a packet.
  static let bytesThatTell = BtsnoopHeader.byteCount + 12

  static let headerBytes = 9

  private struct Header {
    let length: Int
    let packetLength: Int?
    let delta: Int64
    let type: UInt8

    init(_ bytes: RawSpan, _ version: UInt8) {
      let shift = version == 1 ? 0 : 2
      length = Int(bytes.littleEndianU16(at: 0))
      packetLength = version == 1 ? nil : Int(bytes.littleEndianU16(at: 2))
      delta = Int64(bytes.u32(at: 2 + shift, isBigEndian: false))
      type = bytes.byte(at: 6 + shift)
    }

    static func byteCount(_ version: UInt8) -> Int { version == 1 ? 7 : 9 }

    var direction: Direction? {
      switch type {
      case 0x10, 0x11, 0x12, 0x17: .received
      case 0x20, 0x21, 0x22, 0x2d: .sent
      default: nil
      }
    }

    /// The packet's framing; a packet of an unknown type keeps its type byte.
    var framing: CaptureRecord.Framing {
      switch type {
      case 0x10: .h1(.event)
      case 0x20: .h1(.command)
      case 0x11, 0x21: .h1(.acl)
      case 0x12, 0x22: .h1(.sco)
      case 0x17, 0x2d: .h1(.iso)
      default: .h4
      }
    }

    /// Returns the length stated by the packet's own header.
    func claimedLength(_ packet: RawSpan) -> Int {
      switch framing {
      case .h1(.event): Int(packet.byte(at: 1)) + 2
      case .h1(.command), .h1(.sco): Int(packet.byte(at: 2)) + 3
      default: Int(packet.littleEndianU16(at: 2)) + 4
      }
    }

    /// Returns whether this may be a record header of the third form, followed by `packet`.
    func isPlausible(_ packet: RawSpan) -> Bool {
      guard direction != nil, length >= 1, let packetLength, packetLength >= length else {
        return false
      }
      guard type & 0x0f == 0 else { return true }
      return packetLength <= length + 1
        && (packet.byteCount < 3 || claimedLength(packet) == length - 1)
    }
  }

  /// Returns whether `bytes`, which begin with a btsnoop header, continue with records of this
  /// format rather than btsnoop's. Read as btsnoop, the first record would claim more than a
  /// megabyte; here, up to eight records agree with their packets.
  static func followsHeader(_ bytes: RawSpan) -> Bool {
    var rest = bytes.dropping(BtsnoopHeader.byteCount)
    guard rest.byteCount >= Header.byteCount(2),
      rest.u32(at: 0, isBigEndian: true) > CaptureLimits.recordBytes
    else { return false }
    for _ in 0..<8 where rest.byteCount >= Header.byteCount(2) {
      let header = Header(rest, 2)
      let packet = rest.dropping(Header.byteCount(2))
      guard header.isPlausible(packet) else { return false }
      rest = packet.dropping(header.length - 1)
    }
    return true
  }

  /// Returns the time from the first record to the last.
  private static func duration(_ bytes: RawSpan, _ version: UInt8) -> Int64 {
    let size = Header.byteCount(version)
    var (sum, place, isFirst): (Int64, Int, Bool) = (0, 0, true)
    while place + size <= bytes.byteCount {
      let header = Header(bytes.dropping(place), version)
      guard header.length >= 1, place + size + header.length - 1 <= bytes.byteCount else { break }
      // The first delta is meaningless.
      if !isFirst { sum = sum.addingReportingOverflow(header.delta).partialValue }
      isFirst = false
      place += size + header.length - 1
    }
    return sum
  }

  /// Whether the buffer holds a whole further record or the end.
  package var isReady: Bool {
    if input.isAtEnd { return true }
    let size = Header.byteCount(version)
    return input.count >= size && input.count >= size + Header(input.bytes, version).length - 1
  }

  /// Returns the next record, or nil at the end.
  ///
  /// - Throws: `.damaged` if the records end early.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    let size = Header.byteCount(version)
    guard try input.fill(size) else { return try end(input.count == 0 ? nil : size) }
    let header = Header(input.bytes, version)
    guard header.length >= 1, try input.fill(size + header.length - 1) else {
      return try end(size + max(header.length, 1) - 1)
    }
    number += 1
    let time = microseconds.map { $0.addingReportingOverflow(header.delta).partialValue } ?? start
    microseconds = time
    let fileOffset = input.offset
    let isKnown = header.direction != nil
    _ = input.take(isKnown ? size : size - 1)
    let stored = isKnown ? header.length - 1 : header.length
    var original = stored
    // The packet's own length is trusted more than the record's.
    if let packetLength = header.packetLength, isKnown,
      header.claimedLength(input.bytes.part(Slice(start: 0, count: stored))) != stored
    {
      original = max(stored, packetLength - 1)
    }
    return CaptureRecord(
      number: number, time: Timestamp(microseconds: time), direction: header.direction, adapter: 0,
      framing: header.framing, originalLength: original, drops: 0, fileOffset: fileOffset,
      bytes: input.take(stored))
  }

  /// Ends the capture.
  ///
  /// - Parameter needed: The size of a record that begins here but is incomplete.
  @_lifetime(&self)
  private mutating func end(_ needed: Int?) throws(CaptureFailure) -> CaptureRecord? {
    let (place, count) = (input.offset, input.count)
    _ = input.take(count)
    if let failure = failure.take() { throw failure }
    guard let needed, count > 0 else { return nil }
    throw CaptureFailure(
      .damaged,
      "record \(number + 1) at byte \(place) of the records: only \(count) of \(needed) bytes are present"
    )
  }
}
