import Bluetooth
import Bytes

/// The 13 bytes before each record of an Apple PacketLogger file, which has no file header.
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 4 | length of what follows: 9 plus the payload's length |
/// | 4 | 4 | seconds since 1970 |
/// | 8 | 4 | microseconds |
/// | 12 | 1 | type |
///
/// The byte order is the same throughout a file but is not stated in it (Wireshark, packetlogger.c;
/// BlueZ, btsnoop.c).
struct PacketLoggerHeader: Equatable, Sendable {
  static let byteCount = 13
  /// The number of bytes that the length includes besides the payload: the time and the type.
  static let countedBytes: UInt32 = 9
  /// The maximum length of the first record in a file recognised as PacketLogger.
  static let mostLength: UInt32 = 65_535

  let length: UInt32
  let seconds: UInt32
  let microseconds: UInt32
  let type: UInt8

  init?(_ bytes: RawSpan, isBigEndian: Bool) {
    guard bytes.byteCount >= Self.byteCount else { return nil }
    length = bytes.u32(at: 0, isBigEndian: isBigEndian)
    seconds = bytes.u32(at: 4, isBigEndian: isBigEndian)
    microseconds = bytes.u32(at: 8, isBigEndian: isBigEndian)
    type = bytes.byte(at: 12)
  }

  /// The number of bytes in the whole record.
  var recordBytes: Int { Int(length) + 4 }

  /// Whether a file may begin with this header.
  private var isPlausible: Bool {
    let isKnown =
      switch type {
      case 0x00...0x03, 0x08...0x0b, 0x12, 0x13, 0xf7...0xfe: true
      default: false
      }
    return isKnown && length >= Self.countedBytes && length <= Self.mostLength
      && microseconds < 1_000_000
  }

  /// Returns the byte order of the PacketLogger file that begins with `bytes`, or nil for other
  /// files.
  ///
  /// The first record must be plausible. In addition, either its packet's own length must agree or
  /// the next record must be plausible, as far as the bytes are present, since zeros and icons
  /// resemble a record at first sight. Only one of the two orders can match, since a length has at
  /// most 16 bits.
  static func isBigEndian(_ bytes: RawSpan) -> Bool? {
    for isBigEndian in [true, false] {
      guard let first = Self(bytes, isBigEndian: isBigEndian), first.isPlausible else { continue }
      let rest = bytes.dropping(first.recordBytes)
      guard let second = Self(rest, isBigEndian: isBigEndian) else { return isBigEndian }
      if second.isPlausible || first.isConsistent(bytes) { return isBigEndian }
    }
    return nil
  }

  /// Returns whether the packet's own length field agrees with the record's.
  private func isConsistent(_ bytes: RawSpan) -> Bool {
    let payload = Int(length - Self.countedBytes)
    switch type {
    case 0x00: return payload == Int(bytes.byte(at: 15)) + 3
    case 0x01: return payload == Int(bytes.byte(at: 14)) + 2
    case 0x02, 0x03: return payload == Int(bytes.littleEndianU16(at: 15)) + 4
    default: return false
    }
  }

  var time: Timestamp {
    let (carried, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Timestamp(seconds: Int64(seconds) + Int64(carried), nanoseconds: rest * 1000)
  }

  var direction: Direction? {
    switch type {
    case 0x00, 0x02, 0x08, 0x0a, 0x12: .sent
    case 0x01, 0x03, 0x09, 0x0b, 0x13: .received
    default: nil
    }
  }

  var framing: CaptureRecord.Framing {
    switch type {
    case 0x00: .h1(.command)
    case 0x01: .h1(.event)
    case 0x02, 0x03: .h1(.acl)
    case 0x08, 0x09: .h1(.sco)
    case 0x12, 0x13: .h1(.iso)
    default: .packetLogger(type: type)
    }
  }
}

/// A reader of Apple's PacketLogger files, in both byte orders.
///
/// Times that go back are normal, since log lines are written when they arrive. Damage is a record
/// that ends early or has an impossible length; it ends the capture, as in `BtsnoopReader`.
package struct PacketLoggerReader: CaptureSource, ~Copyable {
  /// The properties given by the first record.
  package let summary: CaptureSummary
  private var input: InputBuffer
  private let isBigEndian: Bool
  private var number = 0
  private var isFinished = false

  /// Reads the beginning of the capture in `input`.
  ///
  /// - Throws: `.notReadable` if it is something else; `.inaccessible` if it cannot be read.
  package init(_ input: consuming InputBuffer) throws(CaptureFailure) {
    var input = input
    _ = try input.fill(PacketLoggerHeader.byteCount)
    guard let isBigEndian = PacketLoggerHeader.isBigEndian(input.bytes) else {
      throw CaptureFormat.unknown(input.bytes)
    }
    self.isBigEndian = isBigEndian
    summary = CaptureSummary(
      format: .packetLogger, datalink: nil,
      datalinkName: isBigEndian ? "most significant byte first" : "least significant byte first",
      timeDecimals: 6)
    self.input = input
  }

  /// Returns whether a record can have this length.
  private func isBelievable(_ header: PacketLoggerHeader) -> Bool {
    header.length >= PacketLoggerHeader.countedBytes && header.length <= CaptureLimits.recordBytes
  }

  /// Whether the buffer holds a whole further record, damage or the end.
  package var isReady: Bool {
    if isFinished { return true }
    guard let header = PacketLoggerHeader(input.bytes, isBigEndian: isBigEndian) else {
      return false
    }
    return !isBelievable(header) || input.count >= header.recordBytes
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
    let size = PacketLoggerHeader.byteCount
    guard try input.fill(size) else {
      if input.count == 0 { return nil }
      throw damage(
        "only \(input.count) of \(size) bytes of its header are present; the capture ends early")
    }
    guard let header = PacketLoggerHeader(input.bytes, isBigEndian: isBigEndian) else {
      return nil
    }
    guard isBelievable(header) else {
      throw damage(
        "its length is \(header.length); a record has \(PacketLoggerHeader.countedBytes) to "
          + "\(CaptureLimits.recordBytes) bytes; the rest was not read")
    }
    guard try input.fill(header.recordBytes) else {
      throw damage(
        "only \(input.count - 4) of \(header.length) bytes are present; the capture ends early")
    }
    number += 1
    let fileOffset = input.offset
    _ = input.take(size)
    isFinished = false
    let payload = header.recordBytes - size
    return CaptureRecord(
      number: number, time: header.time, direction: header.direction, adapter: 0,
      framing: header.framing, originalLength: payload, drops: 0, fileOffset: fileOffset,
      bytes: input.take(payload))
  }

  private func damage(_ what: String) -> CaptureFailure {
    CaptureFailure(.damaged, "record \(number + 1) at byte \(input.offset): \(what)")
  }
}
