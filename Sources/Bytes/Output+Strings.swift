// Strings from the air: names, log lines, user descriptions. They may contain anything, so control
// characters, escape sequences and broken UTF-8 must never reach a terminal or a JSON reader
// unchanged.

/// The next element of bytes that should be UTF-8.
package enum TextUnit: Equatable, Sendable {
  /// A scalar and its length in bytes.
  case scalar(UInt32, count: Int)
  /// A byte that is not part of a valid sequence.
  case invalid(UInt8)
}

extension RawSpan {
  /// Returns the scalar that begins at `offset`, by the rules of UTF-8: no overlong forms, no
  /// surrogates, nothing above U+10FFFF.
  package func textUnit(at offset: Int) -> TextUnit {
    let first = byte(at: offset)
    if first < 0x80 { return .scalar(UInt32(first), count: 1) }
    let length: Int
    let lowest: UInt32
    var value: UInt32
    switch first {
    case 0xc2...0xdf: (length, lowest, value) = (2, 0x80, UInt32(first & 0x1f))
    case 0xe0...0xef: (length, lowest, value) = (3, 0x800, UInt32(first & 0x0f))
    case 0xf0...0xf4: (length, lowest, value) = (4, 0x1_0000, UInt32(first & 0x07))
    default: return .invalid(first)
    }
    guard offset + length <= byteCount else { return .invalid(first) }
    for index in 1..<length {
      let next = byte(at: offset + index)
      guard next & 0xc0 == 0x80 else { return .invalid(first) }
      value = value << 6 | UInt32(next & 0x3f)
    }
    let isSurrogate = value >= 0xd800 && value <= 0xdfff
    guard value >= lowest, value <= 0x10_ffff, !isSurrogate else { return .invalid(first) }
    return .scalar(value, count: length)
  }
}

/// Returns whether a scalar would move the cursor, change direction or hide text on a terminal:
/// controls, line and paragraph separators, bidirectional and zero-width formatting.
package func isUnprintable(_ scalar: UInt32) -> Bool {
  switch scalar {
  case 0x00...0x1f, 0x7f...0x9f, 0xad, 0x61c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f,
    0xfeff, 0xfff9...0xfffb, 0xe0000...0xe007f:
    true
  default: false
  }
}

extension Output {
  /// Appends a captured string for people to read: printable UTF-8 unchanged, line ends and tabs as
  /// `\r`, `\n` and `\t`, everything else as `\xNN` per byte or `\u{…}` per scalar. Backslashes are
  /// doubled to keep the text unambiguous.
  ///
  /// - Parameter isQuoted: Whether the text appears in quotes, so that its own quotes are escaped.
  package mutating func printable(_ bytes: RawSpan, isQuoted: Bool = false) {
    var offset = 0
    while true {
      // What needs no escape in JSON needs none here.
      offset = copyPlain(bytes, from: offset)
      guard offset < bytes.byteCount else { return }
      switch bytes.textUnit(at: offset) {
      case .invalid(let byte):
        text("\\x")
        hex(byte)
        offset += 1
      case .scalar(let scalar, let count):
        if scalar == 0x5c {
          text("\\\\")
        } else if scalar == 0x22, isQuoted {
          text("\\\"")
        } else if scalar == 0x0a {
          text("\\n")
        } else if scalar == 0x0d {
          text("\\r")
        } else if scalar == 0x09 {
          text("\\t")
        } else if scalar < 0x80, isUnprintable(scalar) {
          text("\\x")
          hex(UInt8(scalar))
        } else if isUnprintable(scalar) {
          text("\\u{")
          string(String(scalar, radix: 16))
          byte(0x7d)
        } else {
          raw(bytes.part(Slice(start: offset, count: count)))
        }
        offset += count
      }
    }
  }

  /// Appends bytes as the contents of a JSON string (RFC 8259). Quotes, backslashes and unprintable
  /// characters are escaped, since JSON is also read on terminals. A byte that is not UTF-8 becomes
  /// U+FFFD.
  package mutating func jsonEscaped(_ bytes: RawSpan) {
    var offset = 0
    while true {
      offset = copyPlain(bytes, from: offset)
      guard offset < bytes.byteCount else { return }
      offset = escape(bytes, at: offset)
    }
  }

  /// Appends bytes from `offset` on, eight at a time, up to the first that JSON must escape, and
  /// returns that byte's offset.
  private mutating func copyPlain(_ bytes: RawSpan, from offset: Int) -> Int {
    var offset = offset
    while offset < bytes.byteCount {
      // Whole words as long as there is room; of the very last word only a part may count.
      let left = bytes.byteCount &- offset
      reserve(min(left, Self.mostReserved) &+ 8)
      let end = offset &+ min(left, Self.mostReserved)
      while offset < end {
        let left = bytes.byteCount &- offset
        let word = left >= 8 ? bytes.word(at: offset) : bytes.lastWord(left)
        // The first match is exact; a borrow only affects the bytes after it.
        let plain = min(Self.special(word).trailingZeroBitCount &>> 3, left)
        unsafe UnsafeMutableRawPointer(buffer + count).storeBytes(of: word, as: UInt64.self)
        count &+= plain
        offset &+= plain
        if plain < 8 { return offset }
      }
    }
    return offset
  }

  /// The number of bytes for which room is reserved at once.
  private static var mostReserved: Int { 1024 }

  /// Appends `slice` of this buffer to another buffer, as the contents of a JSON string.
  ///
  /// Copies sixteen bytes at a time, since most sentences go through here. Bytes after the slice,
  /// up to this buffer's capacity, are copied too, but not counted.
  package func copyEscaped(_ slice: Slice, into other: inout Output) {
    let (start, length) = (Int(slice.start), Int(slice.count))
    precondition(start >= 0 && length >= 0 && start &+ length <= count)
    guard length <= Self.mostReserved, start &+ length &+ 16 <= capacity else {
      other.jsonEscaped(bytes.part(slice))
      return
    }
    other.reserve(length &+ 16)
    let source = unsafe UnsafeRawPointer(buffer + start)
    let target = unsafe UnsafeMutableRawPointer(other.buffer + other.count)
    var offset = 0
    while offset < length {
      let first = unsafe source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let second = unsafe source.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
      unsafe target.storeBytes(of: first, toByteOffset: offset, as: UInt64.self)
      unsafe target.storeBytes(of: second, toByteOffset: offset &+ 8, as: UInt64.self)
      let (found, later) = (Self.special(first), Self.special(second))
      if found | later != 0 {
        let plain =
          (found != 0 ? found.trailingZeroBitCount : 64 &+ later.trailingZeroBitCount) &>> 3
        if offset &+ plain < length {
          other.count &+= offset &+ plain
          let done = start &+ offset &+ plain
          other.jsonEscaped(bytes.part(Slice(start: done, count: start &+ length &- done)))
          return
        }
      }
      offset &+= 16
    }
    other.count &+= length
  }

  /// Appends the scalar at `offset`, escaped if necessary, and returns the offset after it.
  @inline(never)
  private mutating func escape(_ bytes: RawSpan, at offset: Int) -> Int {
    switch bytes.textUnit(at: offset) {
    case .invalid:
      text("\u{fffd}")
      return offset + 1
    case .scalar(let scalar, let count):
      switch scalar {
      case 0x22: text("\\\"")
      case 0x5c: text("\\\\")
      case 0x0a: text("\\n")
      case 0x0d: text("\\r")
      case 0x09: text("\\t")
      case _ where isUnprintable(scalar):
        guard scalar > 0xffff else {
          jsonUnit(scalar)
          break
        }
        // A surrogate pair, as in UTF-16.
        jsonUnit(0xd800 + (scalar - 0x1_0000) >> 10)
        jsonUnit(0xdc00 + (scalar & 0x3ff))
      default: raw(bytes.part(Slice(start: offset, count: count)))
      }
      return offset + count
    }
  }

  /// Appends the escape of one UTF-16 code unit.
  private mutating func jsonUnit(_ unit: UInt32) {
    text("\\u")
    hex(UInt8(truncatingIfNeeded: unit >> 8))
    hex(UInt8(truncatingIfNeeded: unit))
  }

  /// Returns which of eight bytes JSON must escape or are not ASCII, as set top bits. After the
  /// first such byte, other bits may be set wrongly. The top bit of a sum or difference detects
  /// each case: a byte below 0x20, a byte of 0x7f or above, or a zero after XOR with the wanted
  /// character.
  private static func special(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ ones &* 0x22
    let backslashes = word ^ ones &* 0x5c
    let control = word &- ones &* 0x20
    let high = (word &+ ones) | word
    let found = control | high | (quotes &- ones) | (backslashes &- ones)
    return found & (ones &* 0x80)
  }
}

extension RawSpan {
  /// Returns the eight bytes at `offset`, the first as the least significant. All must exist.
  fileprivate func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset &+ 8 <= byteCount)
    return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
  }

  /// Returns the last `left` bytes, fewer than eight, the first as the least significant, padded
  /// with zeros.
  fileprivate func lastWord(_ left: Int) -> UInt64 {
    if byteCount >= 8 { return word(at: byteCount &- 8) &>> UInt64(8 &* (8 &- left)) }
    var word: UInt64 = 0
    for index in 0..<left {
      word |= UInt64(byte(at: byteCount &- left &+ index)) &<< UInt64(8 &* index)
    }
    return word
  }
}

extension RawSpan {
  /// The number of terminal columns the text occupies: none for continuation bytes and combining
  /// marks, two for wide East Asian characters and pictographs.
  package var columns: Int {
    var offset = 0
    // Most text set in columns is printable ASCII: one column per byte.
    while offset + 8 <= byteCount, Self.isPrintable(word(at: offset)) { offset += 8 }
    while offset < byteCount, byte(at: offset) & 0x80 == 0, byte(at: offset) >= 0x20 { offset += 1 }
    var columns = offset
    while offset < byteCount {
      switch textUnit(at: offset) {
      case .invalid:
        columns += 1
        offset += 1
      case .scalar(let scalar, let count):
        columns += columnsOf(scalar)
        offset += count
      }
    }
    return columns
  }

  /// Returns whether no byte of the word is below 0x20 or above 0x7f. It may return false even if
  /// all are printable.
  private static func isPrintable(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    return (word | (word &- ones &* 0x20)) & (ones &* 0x80) == 0
  }
}

/// Returns the number of columns one scalar occupies (based loosely on Unicode's East Asian Width).
package func columnsOf(_ scalar: UInt32) -> Int {
  switch scalar {
  case 0x20...0x7e: 1
  case 0x300...0x36f, 0xfe00...0xfe0f: 0
  case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
    0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff,
    0x20000...0x3fffd:
    2
  default: 1
  }
}

extension RawSpan {
  /// The bytes without trailing zeros.
  package var withoutZeros: RawSpan {
    @_lifetime(copy self) get { part(Slice(start: 0, count: countWithoutZeros)) }
  }

  /// Returns how many bytes of UTF-8 text to keep so that at most `most` remain and no character is
  /// cut.
  package func characters(atMost most: Int) -> Int {
    guard byteCount > most else { return byteCount }
    var end = max(0, most)
    while end > 0, byte(at: end) & 0xc0 == 0x80 { end -= 1 }
    return end
  }

  /// The length without trailing zeros, which many devices send after their strings.
  package var countWithoutZeros: Int {
    var count = byteCount
    while count > 0, byte(at: count - 1) == 0 { count -= 1 }
    return count
  }
}
