import Bytes

/// The kinds of archives and compressed files, recognised by their first bytes.
package enum ArchiveKind: Sendable {
  case zip, sevenZip, rar, tar, gzip, xz, zstd, bzip2
  /// Plain text, which may contain a bug report's summary.
  case text

  /// Whether reading it needs a seekable file.
  var needsSeeking: Bool { self == .sevenZip || self == .rar }

  /// The memory in bytes that reading it needs: the list of a zip's entries, or the dictionary of a
  /// 7z or RAR.
  var memory: Int {
    switch self {
    case .zip: 24 << 20
    case .sevenZip, .rar: 68 << 20
    default: 8 << 20
    }
  }

  /// How it is compressed, if it is a single stream; libarchive reads the others.
  var codec: CompressedFeed.Codec? {
    switch self {
    case .gzip: .gzip
    case .xz: .xz
    case .zstd: .zstd
    case .bzip2: .bzip2
    case .zip, .sevenZip, .rar, .tar, .text: nil
    }
  }

  /// Recognises the first bytes of `input`; returns nil for captures and everything else. It reads
  /// as few bytes as possible, since a live pipe may be slow. Damage within these bytes ends them;
  /// reading on reports it.
  static func detect(_ input: inout InputBuffer) throws(CaptureFailure) -> ArchiveKind? {
    try fill(&input, BtsnoopHeader.byteCount)
    switch CaptureFormat.detect(input.bytes) {
    case .archive(let kind): return kind
    case .some: return nil
    case nil: break
    }
    // A live source of text may be slow, too.
    if ForeignText.words(of: input.bytes) != nil { return .text }
    try fill(&input, tarMagicOffset + 5)
    if input.bytes.dropping(tarMagicOffset).starts(with: "ustar") { return .tar }
    if isText(input.bytes) { return .text }
    try fill(&input, tarHeaderBytes)
    return isTarHeader(input.bytes) ? .tar : nil
  }

  private static func fill(_ input: inout InputBuffer, _ count: Int) throws(CaptureFailure) {
    do throws(CaptureFailure) {
      _ = try input.fill(count)
    } catch {
      guard error.kind == .damaged else { throw error }
    }
  }

  /// The offset of "ustar" in the header of a tar entry (POSIX, pax).
  private static let tarMagicOffset = 257
  /// The size of the header of a tar entry, which is the most that is read of any file.
  static let tarHeaderBytes = 512

  /// Recognises magic numbers: ZIP's local header or end record (APPNOTE 4.3.7, 4.3.16), gzip (RFC
  /// 1952, 2.3.1), xz, zstd (RFC 8878, 3.1.1), bzip2, 7z and RAR. cpio and LZ4 are not read:
  /// no phone writes them, and people do not send them.
  init?(_ bytes: RawSpan) {
    var cursor = Cursor(bytes)
    guard let first = try? cursor.bigEndianU32() else { return nil }
    switch first {
    case 0x504b_0304, 0x504b_0506: self = .zip
    case 0x377a_bcaf: self = .sevenZip
    case 0x5261_7221: self = .rar
    case 0xfd37_7a58: self = .xz
    case 0x28b5_2ffd: self = .zstd
    case _ where first >> 16 == 0x1f8b: self = .gzip
    case 0x425a_6831...0x425a_6839: self = .bzip2
    default: return nil
    }
  }

  /// Returns whether the bytes are the header of a tar entry from before POSIX, which has no magic
  /// number: the sum of its bytes, with spaces in place of the sum itself, is in octal at byte 148.
  private static func isTarHeader(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount >= tarHeaderBytes else { return false }
    let field = 148..<156
    var (sum, expected, hasEnded) = (0, 0, false)
    for offset in 0..<tarHeaderBytes {
      let byte = bytes.byte(at: offset)
      sum += field.contains(offset) ? 0x20 : Int(byte)
      guard field.contains(offset), !hasEnded else { continue }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "7"): expected = expected << 3 | Int(byte & 7)
      case 0x20 where expected == 0: break
      default: hasEnded = true
      }
    }
    return sum == expected
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
