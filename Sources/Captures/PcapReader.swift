import Bluetooth
import Bytes
import CBlueZ  // for timeval, which belongs to the module that the compiler loads first
import CLibpcap
import Glibc

/// The 24 bytes that begin a pcap file, in the byte order given by the first four.
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 4 | a1b2c3d4, or a1b23c4d if times are in nanoseconds |
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
  /// Returns four bytes in either order; bytes outside the span count as 0.
  func u32(at offset: Int, isBigEndian: Bool) -> UInt32 {
    let value =
      UInt32(littleEndianU16(at: offset)) | UInt32(littleEndianU16(at: offset + 2)) << 16
    return isBigEndian ? value.byteSwapped : value
  }

  /// Returns eight bytes in either order; bytes outside the span count as 0.
  func u64(at offset: Int, isBigEndian: Bool) -> UInt64 {
    let first = UInt64(u32(at: offset, isBigEndian: isBigEndian))
    let second = UInt64(u32(at: offset + 4, isBigEndian: isBigEndian))
    return isBigEndian ? first << 32 | second : second << 32 | first
  }
}

/// A reader of pcap that uses libpcap: the link types of `LinkType.isReadable`, microseconds and
/// nanoseconds, both byte orders.
///
/// The bytes come from an `InputBuffer`, and libpcap is called only when a whole record has
/// arrived. So it never waits: pipes may deliver pieces, byte offsets are known, and for a file
/// that ends early the available bytes can be reported. A record is 16 bytes (seconds, fraction,
/// captured and original length, 4 each) followed by its packet. Damage ends the capture, as in
/// `BtsnoopReader`.
package struct PcapReader: CaptureSource, ~Copyable {
  /// The properties given by the header.
  package private(set) var summary: CaptureSummary
  private var input: InputBuffer
  private let header: PcapHeader
  private var library: PcapLibrary
  private var number = 0
  private var isFinished = false

  /// The length of a record's header in bytes.
  private static let recordHeaderBytes = 16

  /// Reads the header at the beginning of `input`.
  ///
  /// - Throws: `.notReadable` for unsupported link types and versions; `.damaged` if the header
  ///   ends early; `.inaccessible` if libpcap is not installed.
  package init(_ input: consuming InputBuffer) throws(CaptureFailure) {
    var input = input
    guard try input.fill(PcapHeader.byteCount), let header = PcapHeader(input.bytes) else {
      throw CaptureFailure(
        .damaged,
        "its header ends early: only \(input.count) of \(PcapHeader.byteCount) bytes are present")
    }
    // Versions up to 2.3, no longer written, store a record's two lengths in the other order.
    guard header.major == 2, header.minor == 4 else {
      throw CaptureFailure(
        .notReadable, "is pcap version \(header.major).\(header.minor); gattscope reads version 2.4"
      )
    }
    if let foreign = try Self.foreignPackets(header, &input) {
      throw ForeignPackets.refusal(of: [foreign])
    }
    library = try PcapLibrary.open(input.take(PcapHeader.byteCount), header)
    self.header = header
    var summary = CaptureSummary(
      format: .pcap, datalink: header.linkType.rawValue,
      datalinkName: header.linkType.nameOrNumber, timeDecimals: header.hasNanoseconds ? 9 : 6)
    summary.lacksDirection = header.linkType == .h4
    summary.setContents([header.linkType])
    self.summary = summary
    self.input = input
  }

  /// Returns what the packets are if they are not read, by the link type and the first packet.
  private static func foreignPackets(
    _ header: PcapHeader, _ input: inout InputBuffer
  ) throws(CaptureFailure) -> ForeignPackets? {
    let linkType = header.linkType
    if linkType.isReadable, linkType != .ppi { return nil }
    let start = PcapHeader.byteCount + recordHeaderBytes
    var count = 0
    do throws(CaptureFailure) {
      // A pipe's first packet may take a long time to come; it is only needed to read PPI.
      if linkType == .ppi || input.knownRemaining != nil, try input.fill(start) {
        let captured = input.bytes.u32(at: start - 8, isBigEndian: header.isBigEndian)
        count = min(Int(captured), ForeignPackets.bytesThatTell)
        _ = try input.fill(start + count)
      }
    } catch {
      // Reading on reports damage again.
      guard error.kind == .damaged else { throw error }
    }
    return ForeignPackets(linkType, first: input.bytes.part(Slice(start: start, count: count)))
  }

  /// The captured length of the record at the start of the buffer.
  private var capturedLength: Int {
    Int(input.bytes.u32(at: 8, isBigEndian: header.isBigEndian))
  }

  /// Whether the buffer holds a whole further record, damage or the end.
  package var isReady: Bool {
    if isFinished { return true }
    guard input.count >= Self.recordHeaderBytes else { return false }
    let captured = capturedLength
    return captured > CaptureLimits.pcapRecordBytes
      || input.count - Self.recordHeaderBytes >= captured
  }

  /// Returns the next record, or nil at the end of the capture.
  ///
  /// - Throws: `.damaged` with the record's number, its offset, and how many of its bytes exist;
  ///   `.inaccessible` if the system cannot read any further.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    guard !isFinished else { return nil }
    // Applies to every exit from here but the last.
    isFinished = true
    let headerBytes = Self.recordHeaderBytes
    var isWhole = try input.fill(headerBytes)
    while isWhole, capturedLength == 0, try skipHeader() { isWhole = try input.fill(headerBytes) }
    guard isWhole else {
      if input.count == 0 { return nil }
      throw damage(
        "only \(input.count) of \(headerBytes) bytes of its header are present; the capture ends early"
      )
    }
    let captured = capturedLength
    guard captured <= CaptureLimits.pcapRecordBytes else { throw tooLong(captured) }
    guard try input.fill(headerBytes + captured) else {
      throw damage(
        "only \(input.count - headerBytes) of \(captured) bytes are present; the capture ends early"
      )
    }
    guard let read = library.read(input.bytes, headerBytes + captured) else {
      throw damage("libpcap reports \"\(library.message)\"; the rest was not read")
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

  /// Skips an identical header of a second file, as found in concatenated files. Read as a record,
  /// it would be an empty one from the year 2055.
  ///
  /// - Returns: Whether there was one.
  private mutating func skipHeader() throws(CaptureFailure) -> Bool {
    guard CaptureFormat.detect(input.bytes) == .pcap, try input.fill(PcapHeader.byteCount),
      PcapHeader(input.bytes) == header
    else { return false }
    summary.remarkSecond(at: input.offset)
    let known = header
    library = try PcapLibrary.open(input.take(PcapHeader.byteCount), known)
    return true
  }

  private func tooLong(_ captured: Int) -> CaptureFailure {
    let there = input.knownRemaining.map { max(0, $0 - Int64(Self.recordHeaderBytes)) }
    let present = there.map { ", of which \(min($0, Int64(captured))) are present" } ?? ""
    return damage(
      "it claims \(captured) bytes\(present), but a record has at most "
        + "\(CaptureLimits.pcapRecordBytes); the rest was not read")
  }

  private func damage(_ what: String) -> CaptureFailure {
    CaptureFailure(.damaged, "record \(number + 1) at byte \(input.offset): \(what)")
  }
}

/// A capture opened by libpcap.
///
/// Not private, although used only here: the optimiser moves its deinitializer into other modules,
/// where a private type has no symbol (Swift 6.3).
@safe
struct PcapLibrary: ~Copyable {
  private let capture: UnsafeMutablePointer<clibpcap_capture>

  /// A record read by libpcap; its bytes belong to libpcap and are valid until the next one is
  /// requested.
  @safe
  struct Record {
    let time: Timestamp
    let originalLength: Int
    let start: UnsafeRawPointer
    let count: Int
  }

  /// Passes the file's header to libpcap.
  static func open(_ bytes: RawSpan, _ header: PcapHeader) throws(CaptureFailure) -> PcapLibrary {
    // libpcap would cut records to the snapshot length. Bytes beyond it that exist nevertheless are
    // shown.
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

  /// libpcap's last message.
  var message: String {
    unsafe withUnsafeBytes(of: &capture.pointee.message) { bytes in
      let text = unsafe bytes.prefix { $0 != 0 }
      return unsafe String(decoding: text, as: UTF8.self)
    }
  }

  /// Reads the record of `count` bytes, header and packet, at the start of `bytes` with libpcap.
  /// The next call must pass the bytes after it.
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
    // Both are unsigned in the file but signed in libpcap, and the fraction may exceed a second.
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
