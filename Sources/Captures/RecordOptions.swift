import Bytes

/// The options of a pcapng packet block, which annotate the packet. They are parsed on demand.
///
/// Each has a code (2 bytes), a length (2 bytes), the value, and padding to four bytes; code 0 ends
/// the list (pcapng, 3.5). Numbers are in the section's byte order.
package struct RecordOptions: ~Escapable {
  /// `opt_comment`, UTF-8; may occur several times (pcapng, 3.5.1).
  static let comment: UInt16 = 1
  /// `epb_flags` and `pack_flags`, 4 bytes (pcapng, 4.3.1).
  static let flags: UInt16 = 2
  /// `epb_dropcount`, 8 bytes (pcapng, 4.3.1).
  static let dropCount: UInt16 = 4

  /// The options' bytes; empty if the format has none.
  let bytes: RawSpan
  let isBigEndian: Bool

  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, isBigEndian: Bool) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }

  package var isEmpty: Bool { bytes.byteCount == 0 }

  private func number(_ offset: Int) -> UInt16 {
    let value = bytes.littleEndianU16(at: offset)
    return isBigEndian ? value.byteSwapped : value
  }

  /// Returns the first option with this code from byte `offset` on, and the offset of the next one,
  /// or nil if there is none. An option that extends past the end does not count.
  func find(_ code: UInt16, from offset: Int = 0) -> (value: Slice, next: Int)? {
    var offset = offset
    while offset + 4 <= bytes.byteCount {
      let found = number(offset)
      let count = Int(number(offset + 2))
      guard found != 0, offset + 4 + count <= bytes.byteCount else { return nil }
      let next = offset + 4 + (count + 3) & ~3
      if found == code { return (Slice(start: offset + 4, count: count), next) }
      offset = next
    }
    return nil
  }

  /// Whether there are options other than comments, flags and drops, which are the only ones read.
  var hasOthers: Bool {
    var offset = 0
    while offset + 4 <= bytes.byteCount {
      let found = number(offset)
      switch found {
      case 0: return false
      case Self.comment, Self.flags, Self.dropCount:
        offset += 4 + (Int(number(offset + 2)) + 3) & ~3
      default: return true
      }
    }
    return false
  }

  /// Returns the value of an option.
  @_lifetime(copy self)
  func value(_ slice: Slice) -> RawSpan { bytes.part(slice) }

  /// Returns the next comment and advances `position`, which starts at 0; returns nil after the
  /// last one.
  @_lifetime(copy self)
  package func nextComment(_ position: inout Int) -> RawSpan? {
    guard let (slice, next) = find(Self.comment, from: position) else { return nil }
    position = next
    return bytes.part(slice)
  }
}
