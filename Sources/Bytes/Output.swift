import Glibc

/// The one buffer through which text and JSON leave the program.
///
/// Everything is formatted straight into it. With a descriptor it is written out when it is full
/// and when asked (`flush`); without one it grows and its bytes can be read back, which serves
/// scratch work and tests. A failed write is remembered, not thrown: what follows is dropped, and
/// whoever drives the work asks `failure` now and then.
@safe
@usableFromInline
package struct Output: ~Copyable {
  @usableFromInline var buffer: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  private let descriptor: Int32?
  /// Bytes in the buffer.
  @usableFromInline package internal(set) var count = 0
  /// The `errno` of the first write that failed.
  package private(set) var failure: Int32?

  /// Bytes kept back before they are written to a descriptor.
  package static let bufferSize = 1 << 16

  /// A buffer that grows and keeps what is written.
  package init() {
    descriptor = nil
    capacity = 1024
    unsafe buffer = .allocate(capacity: capacity)
  }

  /// A buffer in front of an open file descriptor, which it does not close.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
    capacity = Self.bufferSize
    unsafe buffer = .allocate(capacity: capacity)
  }

  deinit { unsafe buffer.deallocate() }

  /// The bytes in the buffer.
  package var bytes: RawSpan {
    @_lifetime(borrow self) get {
      let span = unsafe RawSpan(_unsafeStart: buffer, byteCount: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Forgets the bytes in the buffer.
  package mutating func clear() { count = 0 }

  /// Writes out what the buffer holds.
  package mutating func flush() {
    guard let descriptor else { return }
    var written = 0
    while written < count, failure == nil {
      let result = unsafe write(descriptor, buffer + written, count - written)
      if result >= 0 {
        written += result
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&waiting, 1, -1)
      } else if errno != EINTR {
        failure = errno
      }
    }
    count = 0
  }

  /// Makes room for `needed` (at most `bufferSize`) more bytes without a flush in between.
  @inlinable
  package mutating func reserve(_ needed: Int) {
    if count + needed > capacity { makeRoom(needed) }
  }

  @usableFromInline
  mutating func makeRoom(_ needed: Int) {
    if descriptor != nil {
      flush()
    } else {
      let larger = max(capacity * 2, count + needed)
      let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
      unsafe grown.update(from: buffer, count: count)
      unsafe buffer.deallocate()
      unsafe buffer = grown
      capacity = larger
    }
  }

  /// Appends one byte.
  @inlinable
  package mutating func byte(_ value: UInt8) {
    reserve(1)
    unsafe buffer[count] = value
    count += 1
  }

  /// Appends constant text.
  package mutating func text(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    guard length < Self.bufferSize / 2 else {
      raw(unsafe RawSpan(_unsafeStart: text.utf8Start, byteCount: length))
      return
    }
    reserve(length + 8)
    copy(text, length)
  }

  /// Copies constant text to the end, for which there is room and for seven bytes more: words are
  /// short, and eight bytes at a time are sooner copied than a function is called for it.
  mutating func copy(_ text: StaticString, _ length: Int) {
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    count += length
    var offset = 0
    while offset < length {
      let word = unsafe Self.word(text, offset, length)
      unsafe target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
  }

  /// Copies as `copy` does, and makes `A` to `Z` lower case.
  ///
  /// With the top bit of each byte out of the way, adding 0x3f carries into it from `A` on, adding
  /// 0x25 from `[` on; where only the first does, the byte is upper case, and its bit 5 is set.
  mutating func copyLowercased(_ text: StaticString, _ length: Int) {
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    count += length
    var offset = 0
    while offset < length {
      let word = unsafe Self.word(text, offset, length)
      let low = word & 0x7f7f_7f7f_7f7f_7f7f
      let fromA = low &+ 0x3f3f_3f3f_3f3f_3f3f
      let afterZ = low &+ 0x2525_2525_2525_2525
      let upper = fromA & ~afterZ & ~word & 0x8080_8080_8080_8080
      unsafe target.storeBytes(of: word | upper >> 2, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
  }

  /// Up to eight bytes of a text from `offset` on, never one behind its end.
  @unsafe
  private static func word(_ text: StaticString, _ offset: Int, _ length: Int) -> UInt64 {
    let source = unsafe UnsafeRawPointer(text.utf8Start)
    if offset + 8 <= length {
      return unsafe source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    if length >= 8 {
      // The last eight bytes, without those that came before.
      let word = unsafe source.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
      return word >> UInt64(8 * (offset + 8 - length))
    }
    var word: UInt64 = 0
    for index in 0..<length {
      let byte = unsafe source.load(fromByteOffset: index, as: UInt8.self)
      word |= UInt64(byte) << UInt64(8 * index)
    }
    return word
  }

  /// Appends a byte for which there is room.
  mutating func put(_ value: UInt8) {
    unsafe buffer[count] = value
    count += 1
  }

  /// Appends constant text with `A` to `Z` in lower case.
  package mutating func lowercased(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length + 8)
    copyLowercased(text, length)
  }

  /// Appends text that is not constant; for what is not said once a packet.
  package mutating func text(_ text: String) {
    for byte in text.utf8 { self.byte(byte) }
  }

  /// Appends bytes as they are.
  package mutating func raw(_ bytes: RawSpan) {
    var done = 0
    while done < bytes.byteCount {
      let chunk = min(bytes.byteCount - done, Self.bufferSize)
      reserve(chunk)
      unsafe bytes.withUnsafeBytes { source in
        guard let start = source.baseAddress else { return }
        unsafe UnsafeMutableRawPointer(buffer + count).copyMemory(
          from: start + done, byteCount: chunk)
      }
      count += chunk
      done += chunk
    }
  }

  /// Appends the part `slice` of what this buffer holds to another one.
  package func copy(_ slice: Slice, into other: inout Output) { other.raw(bytes.part(slice)) }

  /// Appends what this buffer holds to another one.
  package func copy(into other: inout Output) { other.raw(bytes) }

  /// Appends the part `slice` of what this buffer holds to another one, as the inside of a JSON
  /// string.
  package func copyEscaped(_ slice: Slice, into other: inout Output) {
    other.jsonEscaped(bytes.part(slice))
  }

  /// Appends a number in decimal.
  package mutating func decimal(_ value: Int) {
    if value < 0 { byte(0x2d) }
    decimal(value.magnitude)
  }

  /// Appends a number in decimal, with leading zeros up to `digits`.
  package mutating func decimal(_ value: UInt, digits: Int = 1) {
    decimal(value, columns: digits, filler: 0x30)
  }

  /// Appends a number in decimal, right-aligned in so many columns.
  package mutating func decimal(_ value: UInt, columns: Int) {
    decimal(value, columns: columns, filler: 0x20)
  }

  private mutating func decimal(_ value: UInt, columns: Int, filler: UInt8) {
    let digits = Self.decimalDigits(value)
    let length = max(columns, digits)
    reserve(length)
    var index = count + length
    var rest = value
    while rest >= 10 {
      let quotient = rest / 10
      index -= 1
      unsafe buffer[index] = UInt8(truncatingIfNeeded: 0x30 + rest - quotient * 10)
      rest = quotient
    }
    index -= 1
    unsafe buffer[index] = UInt8(truncatingIfNeeded: 0x30 + rest)
    while index > count {
      index -= 1
      unsafe buffer[index] = filler
    }
    count += length
  }

  private static func decimalDigits(_ value: UInt) -> Int {
    if value < 10 { return 1 }
    if value < 100 { return 2 }
    if value < 1000 { return 3 }
    if value < 10_000 { return 4 }
    var digits = 4
    var rest = value / 10_000
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    return digits
  }

  /// Appends spaces.
  package mutating func spaces(_ number: Int) {
    guard number > 0 else { return }
    reserve(number)
    unsafe (buffer + count).update(repeating: 0x20, count: number)
    count += number
  }

  /// Appends `value` / 10^`decimals`, without trailing zeros: 37500 with 3 decimals reads `37.5`.
  package mutating func fixed(_ value: Int, decimals: Int, trim: Bool = true) {
    if value < 0 { byte(0x2d) }
    var power: UInt = 1
    for _ in 0..<decimals { power *= 10 }
    decimal(value.magnitude / power)
    var fraction = value.magnitude % power
    var digits = decimals
    if trim {
      while digits > 0, fraction % 10 == 0 {
        fraction /= 10
        digits -= 1
      }
    }
    guard digits > 0 else { return }
    byte(0x2e)
    decimal(fraction, digits: digits)
  }

  /// Appends two hexadecimal digits, lower case.
  @inlinable
  package mutating func hex(_ value: UInt8) {
    reserve(2)
    unsafe buffer[count] = Self.digit(value >> 4)
    unsafe buffer[count + 1] = Self.digit(value & 15)
    count += 2
  }

  /// Appends `0x` and `digits` hexadecimal digits.
  package mutating func hexadecimal(_ value: UInt64, digits: Int) {
    text("0x")
    reserve(digits)
    for index in 0..<digits {
      let nibble = value >> UInt64(4 * (digits - 1 - index))
      unsafe buffer[count + index] = Self.digit(UInt8(nibble & 15))
    }
    count += digits
  }

  /// Appends bytes as pairs of hexadecimal digits: `a5 06` with a separator, `a506` without.
  package mutating func hex(_ bytes: RawSpan, separator: UInt8? = nil) {
    for index in 0..<bytes.byteCount {
      if index > 0, let separator { byte(separator) }
      hex(bytes.byte(at: index))
    }
  }

  @usableFromInline
  static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? 0x30 + nibble : 0x57 + nibble
  }
}
