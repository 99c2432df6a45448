import Bytes

/// The file formats, recognised by their first bytes and never by their names.
package enum CaptureFormat: Equatable, Sendable {
  case btsnoop, pcap, pcapng, packetLogger, btsnooz
  case archive(ArchiveKind)

  /// The readable formats, for "expected …".
  package static let readable =
    "btsnoop, pcap, pcapng or PacketLogger, or an archive or a bug report that holds one"

  /// Returns the format whose files begin like `bytes`. A file too short to tell counts as btsnoop
  /// if it matches as far as it goes.
  ///
  /// pcap: a1b2c3d4 or, with nanoseconds, a1b23c4d, in either byte order. pcapng: the Section
  /// Header Block's type, which is the same in both.
  package static func detect(_ bytes: RawSpan) -> CaptureFormat? {
    if isBtsnoop(bytes) { return .btsnoop }
    var cursor = Cursor(bytes)
    switch try? cursor.bigEndianU32() {
    case 0xa1b2_c3d4, 0xa1b2_3c4d, 0xd4c3_b2a1, 0x4d3c_b2a1: return .pcap
    case 0x0a0d_0d0a: return .pcapng
    default: break
    }
    if let kind = ArchiveKind(bytes) { return .archive(kind) }
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

  /// Returns whether `bytes` begin like Android's summary for bug reports: version 1 or 2 (1 byte),
  /// a time (8), and a zlib stream (RFC 1950, 2.2).
  private static func isBtsnooz(_ bytes: RawSpan) -> Bool {
    let zlib = UInt16(bytes.byte(at: 9)) << 8 | UInt16(bytes.byte(at: 10))
    return (bytes.byte(at: 0) == 1 || bytes.byte(at: 0) == 2) && zlib >> 8 == 0x78
      && zlib % 31 == 0
  }

  /// Returns whether an archive entry that begins with `bytes` is a log. PacketLogger files have no
  /// magic number, so their name decides.
  static func isLog(_ bytes: RawSpan, named name: String?) -> Bool {
    guard bytes.byteCount >= 8 else { return false }
    switch detect(bytes) {
    case .btsnoop, .pcap, .pcapng, .btsnooz: return true
    case .packetLogger: return name?.hasSuffix(".pklg") ?? true
    case .archive, nil: return false
    }
  }

  /// The failure for a capture of a format that is not accepted here.
  var refusal: CaptureFailure {
    let what =
      switch self {
      case .btsnoop: "is a btsnoop capture"
      case .pcap: "is a pcap capture"
      case .pcapng: "is a pcapng capture"
      case .packetLogger: "is a PacketLogger capture"
      case .btsnooz: "is Android's btsnooz summary"
      case .archive:
        "is an archive or a compressed file: unpack it first, or leave out --follow"
      }
    return CaptureFailure(.notReadable, "\(what); gattscope reads \(Self.readable)")
  }

  /// Returns the failure for a file that begins with `bytes` and is not a capture.
  static func unknown(_ bytes: RawSpan) -> CaptureFailure {
    guard bytes.byteCount > 0 else {
      return CaptureFailure(.notReadable, "is empty; expected \(readable)")
    }
    if let words = ForeignText.words(of: bytes) { return CaptureFailure(.notReadable, words) }
    var words = Output()
    words.hex(bytes.part(Slice(start: 0, count: 4)), separator: 0x20)
    let start = String(decoding: words.bytes.array, as: UTF8.self)
    return CaptureFailure(
      .notReadable, "is not a capture: it starts with \(start); expected \(readable)")
  }
}
