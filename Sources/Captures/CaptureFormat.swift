import Bytes

/// The file formats that are told apart by their first bytes, never by their names.
package enum CaptureFormat: Sendable {
  case btsnoop, pcap, pcapng, packetLogger, btsnooz, gzip, zip

  /// What is read, for "expected …".
  package static let readable = "btsnoop, pcap, pcapng or PacketLogger"

  /// The format whose files begin like `bytes`; a shorter file that could have become btsnoop
  /// counts as btsnoop.
  ///
  /// pcap: a1b2c3d4 or, with nanoseconds, a1b23c4d, in either byte order. pcapng: the Section
  /// Header Block's type, the same in both. gzip: RFC 1952, 2.3.1. ZIP: a local file header, or the
  /// end record of an empty archive (APPNOTE 4.3.7, 4.3.16).
  package static func detect(_ bytes: RawSpan) -> CaptureFormat? {
    if isBtsnoop(bytes) { return .btsnoop }
    var cursor = Cursor(bytes)
    switch try? cursor.bigEndianU32() {
    case 0xa1b2_c3d4, 0xa1b2_3c4d, 0xd4c3_b2a1, 0x4d3c_b2a1: return .pcap
    case 0x0a0d_0d0a: return .pcapng
    case 0x504b_0304, 0x504b_0506: return .zip
    default: break
    }
    if bytes.starts(with: "\u{1f}"), bytes.byte(at: 1) == 0x8b { return .gzip }
    if isBtsnooz(bytes) { return .btsnooz }
    return PacketLoggerHeader.isBigEndian(bytes) == nil ? nil : .packetLogger
  }

  private static func isBtsnoop(_ bytes: RawSpan) -> Bool {
    let magic = BtsnoopHeader.magic
    let compared = min(bytes.byteCount, 8)
    var cursor = Cursor(bytes)
    for index in 0..<compared {
      let expected = UInt8(truncatingIfNeeded: magic >> UInt64(56 - 8 * index))
      guard let byte = try? cursor.u8(), byte == expected else { return false }
    }
    return compared > 0
  }

  /// Android's summary for bug reports: version 1 or 2 (1 byte), a time (8), and a zlib stream
  /// (RFC 1950, 2.2); in a report's text, base64 behind a line that says so.
  private static func isBtsnooz(_ bytes: RawSpan) -> Bool {
    let zlib = UInt16(bytes.byte(at: 9)) << 8 | UInt16(bytes.byte(at: 10))
    if bytes.byte(at: 0) == 1 || bytes.byte(at: 0) == 2, zlib >> 8 == 0x78, zlib % 31 == 0 {
      return true
    }
    return bytes.starts(with: "--- BEGIN:BTSNOOP_LOG_SUMMARY")
  }

  /// Why a capture of this format is refused.
  var refusal: CaptureFailure {
    let what =
      switch self {
      case .btsnoop: "is a btsnoop capture"
      case .pcap: "is a pcap capture"
      case .pcapng: "is a pcapng capture"
      case .packetLogger: "is a PacketLogger capture"
      case .btsnooz: "is Android's btsnooz summary, which gattscope does not read yet"
      case .gzip: "is compressed with gzip: unpack it first"
      case .zip: "is a ZIP archive: unpack it first"
      }
    return CaptureFailure(.notReadable, "\(what); gattscope reads \(Self.readable)")
  }

  /// Why a file that begins with `bytes` is no capture at all.
  static func unknown(_ bytes: RawSpan) -> CaptureFailure {
    guard bytes.byteCount > 0 else {
      return CaptureFailure(.notReadable, "is empty; expected \(readable)")
    }
    var words = Output()
    words.hex(bytes.part(Slice(start: 0, count: 4)), separator: 0x20)
    let start = String(decoding: words.bytes.array, as: UTF8.self)
    return CaptureFailure(
      .notReadable, "is not a capture: it starts with \(start); expected \(readable)")
  }
}
