import Bluetooth
import Bytes
import CLibpcap
import Glibc

/// The 24 bytes that begin a pcap file, in the byte order that the first four tell.
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 4 | a1b2c3d4, or a1b23c4d where times are in nanoseconds |
/// | 4 | 4 | version, 2.4 |
/// | 8 | 8 | unused |
/// | 16 | 4 | snapshot length |
/// | 20 | 4 | bits 0 to 25: link type |
struct PcapHeader: Equatable, Sendable {
  static let byteCount = 24

  let isBigEndian: Bool
  let hasNanoseconds: Bool
  let major: UInt16
  let minor: UInt16
  let linkType: LinkType

  init?(_ bytes: RawSpan) {
    var cursor = Cursor(bytes)
    guard bytes.byteCount >= Self.byteCount, let magic = try? cursor.bigEndianU32() else {
      return nil
    }
    isBigEndian = magic == 0xa1b2_c3d4 || magic == 0xa1b2_3c4d
    hasNanoseconds = magic == 0xa1b2_3c4d || magic == 0x4d3c_b2a1
    let isBigEndian = isBigEndian
    func number(_ offset: Int) -> UInt32 { bytes.u32(at: offset, isBigEndian: isBigEndian) }
    let version = number(4)
    major = UInt16(truncatingIfNeeded: isBigEndian ? version >> 16 : version)
    minor = UInt16(truncatingIfNeeded: isBigEndian ? version : version >> 16)
    linkType = LinkType(rawValue: number(20) & 0x03ff_ffff)
  }
}

extension RawSpan {
  /// Four bytes in either order; 0 for those outside the span.
  func u32(at offset: Int, isBigEndian: Bool) -> UInt32 {
    let value =
      UInt32(littleEndianU16(at: offset)) | UInt32(littleEndianU16(at: offset + 2)) << 16
    return isBigEndian ? value.byteSwapped : value
  }

  /// Eight bytes in either order; 0 for those outside the span.
  func u64(at offset: Int, isBigEndian: Bool) -> UInt64 {
    let first = UInt64(u32(at: offset, isBigEndian: isBigEndian))
    let second = UInt64(u32(at: offset + 4, isBigEndian: isBigEndian))
    return isBigEndian ? first << 32 | second : second << 32 | first
  }
}

/// Reads pcap through libpcap: link types 187, 201 and 254, microseconds and nanoseconds, both byte
/// orders.
///
/// The bytes come from an `InputBuffer`, and libpcap is asked for a record only when all of it is there,
/// so that it never waits: pipes in pieces work, byte offsets are known, and of a file that ends early it
/// can be said what is there. A record is 16 bytes (seconds, fraction, captured
/// and original length, 4 each) and its packet's. Damage ends the capture, as in `BtsnoopReader`.
package struct PcapReader: CaptureSource, ~Copyable {
  /// What the header says.
  package private(set) var summary: CaptureSummary
  private var input: InputBuffer
  private let header: PcapHeader
  private var library: PcapLibrary
  private var number = 0
  private var isFinished = false

  /// Bytes of a record's header.
  private static let recordHeaderBytes = 16

  /// Reads the header of the capture that `input` begins with.
  ///
  /// - Throws: `.notReadable` for link types and versions that are not read; `.damaged` where the
  ///   header ends early; `.inaccessible` where libpcap is not there.
  package init(_ input: consuming InputBuffer) throws(CaptureFailure) {
    var input = input
    guard try input.fill(PcapHeader.byteCount), let header = PcapHeader(input.bytes) else {
      throw CaptureFailure(
        .damaged,
        "its header ends early: \(input.count) of \(PcapHeader.byteCount) bytes are there")
    }
    // The lengths of records changed places in version 2.3 and before, which nobody writes any more.
    guard header.major == 2, header.minor == 4 else {
      throw CaptureFailure(
        .notReadable, "is pcap version \(header.major).\(header.minor); gattscope reads version 2.4"
      )
    }
    guard header.linkType.isReadable else { throw LinkType.refusal(of: [header.linkType]) }
    library = try PcapLibrary.open(input.take(PcapHeader.byteCount), header)
    self.header = header
    var summary = CaptureSummary(
      format: .pcap, datalink: header.linkType.rawValue,
      datalinkName: header.linkType.nameOrNumber, timeDecimals: header.hasNanoseconds ? 9 : 6)
    summary.lacksDirection = header.linkType == .h4
    self.summary = summary
    self.input = input
  }

  /// The captured length of the record that the buffer begins with.
  private var capturedLength: Int {
    Int(input.bytes.u32(at: 8, isBigEndian: header.isBigEndian))
  }

  /// Whether a whole further record, damage or the end is in the buffer.
  package var isReady: Bool {
    if isFinished { return true }
    guard input.count >= Self.recordHeaderBytes else { return false }
    let captured = capturedLength
    return captured > CaptureLimits.pcapRecordBytes
      || input.count - Self.recordHeaderBytes >= captured
  }

  /// The next record, or nil at the end of the capture.
  ///
  /// - Throws: `.damaged` with the record's number, its offset and how many bytes of how many are
  ///   there; `.inaccessible` where the system cannot read on.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    guard !isFinished else { return nil }
    // Holds for every way out of here but the last one.
    isFinished = true
    let headerBytes = Self.recordHeaderBytes
    var isWhole = try input.fill(headerBytes)
    while isWhole, capturedLength == 0, try skipHeader() { isWhole = try input.fill(headerBytes) }
    guard isWhole else {
      if input.count == 0 { return nil }
      throw damage(
        "\(input.count) of \(headerBytes) bytes of its header are there; the capture ends early")
    }
    let captured = capturedLength
    guard captured <= CaptureLimits.pcapRecordBytes else { throw tooLong(captured) }
    guard try input.fill(headerBytes + captured) else {
      throw damage(
        "\(input.count - headerBytes) of \(captured) bytes are there; the capture ends early")
    }
    guard let read = library.read(input.bytes, headerBytes + captured) else {
      throw damage("libpcap says \"\(library.message)\"; the rest was not read")
    }
    number += 1
    let (number, fileOffset, linkType) = (number, input.offset, header.linkType)
    _ = input.take(headerBytes + captured)
    isFinished = false
    let span = unsafe RawSpan(_unsafeStart: read.start, byteCount: read.count)
    let bytes = unsafe _overrideLifetime(span, mutating: &self)
    return linkType.record(
      number: number, time: read.time, direction: nil, adapter: 0,
      originalLength: read.originalLength, drops: 0, fileOffset: fileOffset, bytes)
  }

  /// Skips the header of a second file with the same header, where files were concatenated. As a record it would be an empty
  /// one from the year 2055.
  ///
  /// - Returns: whether there was one.
  private mutating func skipHeader() throws(CaptureFailure) -> Bool {
    guard CaptureFormat.detect(input.bytes) == .pcap, try input.fill(PcapHeader.byteCount),
      PcapHeader(input.bytes) == header
    else { return false }
    summary.tellSecond(at: input.offset)
    let known = header
    library = try PcapLibrary.open(input.take(PcapHeader.byteCount), known)
    return true
  }

  private func tooLong(_ captured: Int) -> CaptureFailure {
    let there = input.knownRemaining.map { max(0, $0 - Int64(Self.recordHeaderBytes)) }
    let claim = there.map { "\(min($0, Int64(captured))) of \(captured) bytes are there" }
    return damage(
      "\(claim ?? "\(captured) bytes are claimed"), but a record has at most "
        + "\(CaptureLimits.pcapRecordBytes); the rest was not read")
  }

  private func damage(_ what: String) -> CaptureFailure {
    CaptureFailure(.damaged, "record \(number + 1) at byte \(input.offset): \(what)")
  }
}

/// A capture that libpcap has open.
///
/// Not private, though nobody else uses it: the optimiser takes what ends its life into other modules, and a private
/// type has no symbol there (Swift 6.3).
@safe
struct PcapLibrary: ~Copyable {
  private let capture: UnsafeMutablePointer<clibpcap_capture>

  /// A record as libpcap tells it; its bytes are libpcap's until it is asked for the next one.
  @safe
  struct Record {
    let time: Timestamp
    let originalLength: Int
    let start: UnsafeRawPointer
    let count: Int
  }

  /// Hands libpcap the file's header.
  static func open(_ bytes: RawSpan, _ header: PcapHeader) throws(CaptureFailure) -> PcapLibrary {
    // libpcap would cut records to the snapshot length. What is longer in spite of it is there, and
    // is shown.
    var bytes = bytes.array
    let longest = UInt32(CaptureLimits.pcapRecordBytes)
    for index in 0..<4 {
      let shift = UInt32(header.isBigEndian ? 24 - 8 * index : 8 * index)
      bytes[16 + index] = UInt8(truncatingIfNeeded: longest >> shift)
    }
    guard let capture = unsafe clibpcap_open(bytes, bytes.count) else {
      throw CaptureFailure(.inaccessible, "cannot allocate memory")
    }
    let library = unsafe PcapLibrary(capture: capture)
    if unsafe capture.pointee.pcap != nil { return library }
    let message = library.message
    guard !message.isEmpty else {
      throw CaptureFailure(
        .inaccessible, "pcap is read through libpcap, which is not installed (Debian: libpcap0.8)")
    }
    throw CaptureFailure(.notReadable, "is refused by libpcap: \(message)")
  }

  deinit { unsafe clibpcap_close(capture) }

  /// What libpcap said last.
  var message: String {
    unsafe withUnsafeBytes(of: &capture.pointee.message) { bytes in
      let text = unsafe bytes.prefix { $0 != 0 }
      return unsafe String(decoding: text, as: UTF8.self)
    }
  }

  /// Has libpcap read the record that `bytes` begin with: `count` bytes, header and packet. The next call's
  /// bytes begin with what follows it.
  func read(_ bytes: RawSpan, _ count: Int) -> Record? {
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    let result = unsafe bytes.withUnsafeBytes {
      unsafe clibpcap_next(
        capture, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count, count, &header,
        &data)
    }
    guard result == 1, let header = unsafe header?.pointee, let data = unsafe data else {
      return nil
    }
    // Both are unsigned in the file; libpcap's are not, and a fraction may be a second and more.
    let nanoseconds = Int64(header.ts.tv_usec)
    let carried = nanoseconds / 1_000_000_000
    let time =
      nanoseconds < 0
      ? Timestamp(seconds: Int64(UInt32(truncatingIfNeeded: header.ts.tv_sec)), nanoseconds: 0)
      : Timestamp(
        seconds: Int64(UInt32(truncatingIfNeeded: header.ts.tv_sec)) + carried,
        nanoseconds: UInt32(nanoseconds % 1_000_000_000))
    return unsafe Record(
      time: time, originalLength: Int(header.len), start: UnsafeRawPointer(data),
      count: Int(header.caplen))
  }
}
