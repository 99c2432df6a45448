import Glibc

/// A read beyond the end: at `offset`, `needed` bytes were wanted but only `available` were left.
///
/// The only error that parsers throw. Offsets count from the first byte of the packet, however
/// deeply the parser is nested.
@usableFromInline
package struct ParseError: Error, Equatable, Sendable {
  /// The offset at which the read failed.
  @usableFromInline package var offset: Int
  /// The length of the field that was to be read, in bytes.
  @usableFromInline package var needed: Int
  /// The number of bytes that were left.
  @usableFromInline package var available: Int

  @inlinable
  package init(offset: Int, needed: Int, available: Int) {
    self.offset = offset
    self.needed = needed
    self.available = available
  }
}

/// A range of a packet's bytes, which may be kept longer than the bytes themselves.
@usableFromInline
package struct Slice: Equatable, Sendable {
  // Both fields share one integer. The compiler passes them on as one load; if they were written as
  // two stores, that load would have to wait until both have reached the cache.
  @usableFromInline var bits: UInt64

  /// The offset from the first byte of the packet.
  @inlinable
  package var start: Int32 { Int32(truncatingIfNeeded: bits) }
  /// The number of bytes.
  @inlinable
  package var count: Int32 { Int32(truncatingIfNeeded: bits &>> 32) }

  /// Creates the range of `count` bytes from `start` on.
  @inlinable
  package init(start: Int, count: Int) {
    bits =
      UInt64(UInt32(truncatingIfNeeded: start))
      | UInt64(truncatingIfNeeded: count) &<< 32
  }

  /// A slice without bytes.
  package static let empty = Slice(start: 0, count: 0)

  /// The offset after the last byte.
  @inlinable
  package var end: Int { Int(start) + Int(count) }
  /// Whether there are no bytes.
  @inlinable
  package var isEmpty: Bool { count == 0 }
}

/// A reader of a span of bytes from front to back; the only code that loads wire bytes.
///
/// Every read is checked. A nested element is cut off first (`take`) and read by its own cursor, so
/// that no read can pass the element's end.
///
///     var cursor = Cursor(bytes)
///     let handle = try cursor.u16()
///     let value = cursor.rest()
@usableFromInline
package struct Cursor: ~Escapable {
  @usableFromInline let span: RawSpan
  @usableFromInline let base: Int
  // Never beyond the span's end, so sums with it do not overflow.
  @usableFromInline var position = 0

  /// Creates a cursor over `span`, whose first byte is at offset `base` of the packet.
  @inlinable
  @_lifetime(copy span)
  package init(_ span: RawSpan, base: Int = 0) {
    self.span = span
    self.base = base
  }

  /// Creates a cursor over `slice` of the packet's bytes, clipped to the bytes that exist.
  @inlinable
  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, _ slice: Slice) {
    self.span = bytes.part(slice)
    self.base = Int(slice.start)
  }

  /// The number of bytes not yet read.
  @inlinable
  package var remaining: Int { span.byteCount &- position }
  /// Whether all bytes have been read.
  @inlinable
  package var isAtEnd: Bool { position == span.byteCount }
  /// The offset of the next byte from the first byte of the packet.
  @inlinable
  package var offset: Int { base &+ position }

  /// Returns the byte at packet offset `offset`, or 0 outside this cursor's span, without
  /// advancing.
  @inlinable
  package func peek(_ offset: Int) -> UInt8 { span.byte(at: offset - base) }

  /// Returns the bytes of a slice that was cut off by this cursor, without advancing.
  @inlinable
  @_lifetime(copy self)
  package func bytes(_ slice: Slice) -> RawSpan {
    span.part(Slice(start: Int(slice.start) - base, count: Int(slice.count)))
  }

  /// Throws if fewer than `count` bytes are left. A negative count always throws; it can result
  /// from subtracting an outer length from an inner one.
  @inlinable
  func check(_ count: Int) throws(ParseError) {
    guard count >= 0, remaining >= count else {
      throw ParseError(offset: offset, needed: count, available: remaining)
    }
  }

  /// Reads one byte.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func u8() throws(ParseError) -> UInt8 {
    try check(1)
    defer { position &+= 1 }
    return unsafe span.unsafeLoad(fromUncheckedByteOffset: position, as: UInt8.self)
  }

  /// Reads two bytes, least significant first.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func u16() throws(ParseError) -> UInt16 {
    try check(2)
    defer { position &+= 2 }
    return UInt16(
      littleEndian: unsafe span.unsafeLoadUnaligned(
        fromUncheckedByteOffset: position, as: UInt16.self))
  }

  /// Reads four bytes, least significant first.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func u32() throws(ParseError) -> UInt32 {
    try check(4)
    defer { position &+= 4 }
    return UInt32(
      littleEndian: unsafe span.unsafeLoadUnaligned(
        fromUncheckedByteOffset: position, as: UInt32.self))
  }

  /// Reads four bytes, most significant first.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func bigEndianU32() throws(ParseError) -> UInt32 {
    try u32().byteSwapped
  }

  /// Reads eight bytes, most significant first.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func bigEndianU64() throws(ParseError) -> UInt64 {
    try check(8)
    defer { position &+= 8 }
    return UInt64(
      bigEndian: unsafe span.unsafeLoadUnaligned(
        fromUncheckedByteOffset: position, as: UInt64.self))
  }

  /// Reads `width` bytes (1 to 8), least significant first.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func unsigned(width: Int) throws(ParseError) -> UInt64 {
    // Nearly all fields have one or two bytes.
    if width == 1 { return UInt64(try u8()) }
    if width == 2 { return UInt64(try u16()) }
    try check(width)
    if remaining >= 8, width > 0 {
      // The bytes after the field are read too, and shifted out.
      let unused = UInt64(64 &- 8 &* width)
      let word = unsafe span.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
      position &+= width
      return (UInt64(littleEndian: word) &<< unused) &>> unused
    }
    var value: UInt64 = 0
    for index in 0..<width {
      value |= UInt64(span.byte(at: position + index)) << UInt64(8 * index)
    }
    position += width
    return value
  }

  /// Cuts off the next `count` bytes.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func take(_ count: Int) throws(ParseError) -> Slice {
    try check(count)
    defer { position &+= count }
    return Slice(start: offset, count: count)
  }

  /// Cuts off all remaining bytes.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func rest() -> Slice {
    defer { position = span.byteCount }
    return Slice(start: offset, count: remaining)
  }

  /// Cuts off the next `count` bytes, or fewer if fewer are left.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func takeUpTo(_ count: Int) -> Slice {
    let taken = max(0, min(count, remaining))
    defer { position &+= taken }
    return Slice(start: offset, count: taken)
  }
}

extension RawSpan {
  /// Returns the byte at `offset`, or 0 outside the span.
  @inlinable
  package func byte(at offset: Int) -> UInt8 {
    guard offset >= 0, offset < byteCount else { return 0 }
    return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// Returns the two bytes at `offset`, least significant first. Bytes outside the span count as 0.
  @inlinable
  package func littleEndianU16(at offset: Int) -> UInt16 {
    UInt16(byte(at: offset)) | UInt16(byte(at: offset + 1)) << 8
  }

  /// Returns the four bytes at `offset`, most significant first, or 0 unless all are inside the
  /// span.
  @inlinable
  package func bigEndianU32(at offset: Int) -> UInt32 {
    guard offset >= 0, offset + 4 <= byteCount else { return 0 }
    return UInt32(
      bigEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
  }

  /// Returns the eight bytes at `offset`, most significant first, or 0 unless all are inside the
  /// span.
  @inlinable
  package func bigEndianU64(at offset: Int) -> UInt64 {
    guard offset >= 0, offset + 8 <= byteCount else { return 0 }
    return UInt64(
      bigEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Returns the bytes of `slice`, clipped to the span.
  @inlinable
  @_lifetime(copy self)
  package func part(_ slice: Slice) -> RawSpan {
    let start = min(max(Int(slice.start), 0), byteCount)
    let end = min(max(slice.end, start), byteCount)
    return extracting(start..<end)
  }

  /// Returns the bytes from `offset` on.
  @inlinable
  @_lifetime(copy self)
  package func dropping(_ offset: Int) -> RawSpan {
    extracting(min(max(offset, 0), byteCount)..<byteCount)
  }

  /// Returns whether both spans hold the same bytes.
  package func isEqual(to other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    return unsafe withUnsafeBytes { own in
      unsafe other.withUnsafeBytes { other in
        guard let start = own.baseAddress, let otherStart = other.baseAddress else { return true }
        return unsafe memcmp(start, otherStart, own.count) == 0
      }
    }
  }

  /// Returns how many bytes at the beginning of both spans are the same.
  package func commonCount(with other: RawSpan) -> Int {
    let count = min(byteCount, other.byteCount)
    var offset = 0
    while offset &+ 8 <= count {
      let (own, others) = unsafe (
        unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self),
        other.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
      )
      let difference = UInt64(littleEndian: own ^ others)
      if difference != 0 { return offset &+ difference.trailingZeroBitCount / 8 }
      offset &+= 8
    }
    while offset < count, byte(at: offset) == other.byte(at: offset) { offset &+= 1 }
    return offset
  }

  /// Returns whether the span begins with `bytes`.
  @inlinable
  package func starts(with bytes: StaticString) -> Bool {
    let count = bytes.utf8CodeUnitCount
    guard byteCount >= count else { return false }
    for index in 0..<count {
      let expected = unsafe bytes.utf8Start[index]
      if byte(at: index) != expected { return false }
    }
    return true
  }

  /// Returns the offset of the first byte that equals `value`, or nil if no byte does.
  package func firstOffset(of value: UInt8) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress,
        let found = unsafe memchr(start, Int32(value), bytes.count)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - start
    }
  }

  /// Returns the offset of the first byte from `offset` on that is not ASCII, or the end.
  package func endOfASCII(from offset: Int) -> Int {
    precondition(offset >= 0)
    var offset = offset
    while offset &+ 8 <= byteCount {
      let word = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
      let found = UInt64(littleEndian: word) & 0x8080_8080_8080_8080
      if found != 0 { return offset &+ found.trailingZeroBitCount / 8 }
      offset &+= 8
    }
    while offset < byteCount, byte(at: offset) < 0x80 { offset &+= 1 }
    return offset
  }

  /// A copy that outlives the span.
  @inlinable
  package var array: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }
}

extension StaticString {
  /// The UTF-8 bytes of the text, valid for the life of the program.
  @inlinable
  package var bytes: RawSpan {
    @_lifetime(immortal) get {
      let span = unsafe RawSpan(_unsafeStart: utf8Start, byteCount: utf8CodeUnitCount)
      return unsafe _overrideLifetime(span, copying: ())
    }
  }

  /// Returns whether both are the same text, without creating strings.
  package func isEqual(to other: StaticString) -> Bool { bytes.isEqual(to: other.bytes) }

  /// Returns the part `slice` of the text, clipped to the text.
  @inlinable
  @_lifetime(immortal)
  package func bytes(_ slice: Slice) -> RawSpan {
    unsafe _overrideLifetime(bytes.part(slice), copying: ())
  }
}

extension [UInt8] {
  @inlinable
  package var bytes: RawSpan {
    @_lifetime(borrow self) get { unsafe span.bytes }
  }

  /// Appends the bytes of a span.
  @inlinable
  package mutating func append(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}

extension RawSpan {
  /// FNV-1a: equal values have equal hashes, and others hardly ever.
  package var hash: UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in 0..<byteCount { hash = (hash ^ UInt64(byte(at: index))) &* 0x100_0000_01b3 }
    return hash
  }
}
