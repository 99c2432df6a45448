import Bytes

/// The kinds of archives and compressed files, recognised by their first bytes.
package enum ArchiveKind: Sendable {
  case zip, sevenZip, rar, tar, gzip, xz, zstd, bzip2, lz4
  /// Plain text, which may contain a bug report's summary.
  case text

  /// Whether reading it needs a seekable file.
  var needsSeeking: Bool { self == .sevenZip || self == .rar }

  /// Recognises the first bytes of `input`; returns nil for captures and everything else. It reads
  /// as few bytes as possible, since a live pipe may be slow.
  static func detect(_ input: inout InputBuffer) throws(CaptureFailure) -> ArchiveKind? {
    _ = try input.fill(BtsnoopHeader.byteCount)
    switch CaptureFormat.detect(input.bytes) {
    case .archive(let kind): return kind
    case .some: return nil
    case nil: break
    }
    // A live source of text may be slow, too.
    if ForeignText.words(of: input.bytes) != nil { return .text }
    _ = try input.fill(tarMagicOffset + 5)
    let bytes = input.bytes
    if bytes.dropping(tarMagicOffset).starts(with: "ustar") { return .tar }
    return isText(bytes) ? .text : nil
  }

  /// The offset of "ustar" in the header of a tar entry (POSIX, pax).
  private static let tarMagicOffset = 257

  /// Recognises magic numbers: ZIP's local header or end record (APPNOTE 4.3.7, 4.3.16), gzip (RFC
  /// 1952, 2.3.1), xz, zstd (RFC 8878, 3.1.1), bzip2, 7z, RAR, LZ4.
  init?(_ bytes: RawSpan) {
    var cursor = Cursor(bytes)
    guard let first = try? cursor.bigEndianU32() else { return nil }
    switch first {
    case 0x504b_0304, 0x504b_0506: self = .zip
    case 0x377a_bcaf: self = .sevenZip
    case 0x5261_7221: self = .rar
    case 0xfd37_7a58: self = .xz
    case 0x28b5_2ffd: self = .zstd
    case 0x0422_4d18: self = .lz4
    case _ where first >> 16 == 0x1f8b: self = .gzip
    case 0x425a_6831...0x425a_6839: self = .bzip2
    default: return nil
    }
  }

  /// Returns whether the first bytes are text: no control characters except line ends and tabs.
  private static func isText(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount > 0 else { return false }
    for offset in 0..<min(bytes.byteCount, tarMagicOffset) {
      let byte = bytes.byte(at: offset)
      guard byte >= 0x20 && byte != 0x7f || byte == 0x0a || byte == 0x0d || byte == 0x09 else {
        return false
      }
    }
    return true
  }
}
