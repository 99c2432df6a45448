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
  @inlinable package var bytes: RawSpan {
    @_lifetime(borrow self) get {
      let span = unsafe RawSpan(_unsafeStart: buffer, byteCount: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Forgets the bytes in the buffer.
  package mutating func clear() { count = 0 }

  /// Forgets the bytes in the buffer after the first `length`. For buffers without a descriptor: of
  /// others, what was written out is not taken back.
  package mutating func shorten(to length: Int) { count = min(count, max(0, length)) }

  /// Writes out what the buffer holds.
  package mutating func flush() {
    guard let descriptor else { return }
    var written = 0
    while written < count, failure == nil {
      let result = unsafe write(descriptor, buffer + written, count - written)
      if result > 0 {
        written += result
      } else if result == 0 {
        // Nothing written, and no reason given: to try again could go on for ever.
        failure = EIO
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

  /// Appends constant text. Always inlined: where a literal is written its length is known, and
  /// copying it takes a few moves.
  @inlinable
  @inline(__always)
  package mutating func text(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    guard length <= Self.slack else {
      raw(unsafe RawSpan(_unsafeStart: text.utf8Start, byteCount: length))
      return
    }
    reserve(length)
    unsafe (buffer + count).update(from: text.utf8Start, count: length)
    count += length
  }

  /// Longer texts than this are copied in pieces.
  @usableFromInline static var slack: Int { 1024 }

  /// Appends constant text with `A` to `Z` in lower case.
  ///
  /// Eight bytes at a time, in place. With the top bit of each byte out of the way, adding 0x3f
  /// carries into it from `A` on, adding 0x25 from `[` on; where only the first does, the byte is
  /// upper case, and its bit 5 is set. Bytes behind the text are changed too, and not counted.
  @inlinable
  package mutating func lowercased(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length + 8)
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    unsafe (buffer + count).update(from: text.utf8Start, count: length)
    var offset = 0
    while offset < length {
      let word = unsafe target.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let low = word & 0x7f7f_7f7f_7f7f_7f7f
      let fromA = low &+ 0x3f3f_3f3f_3f3f_3f3f
      let afterZ = low &+ 0x2525_2525_2525_2525
      let upper = fromA & ~afterZ & ~word & 0x8080_8080_8080_8080
      unsafe target.storeBytes(of: word | upper &>> 2, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    count += length
  }

  /// Appends text that is not constant; for what is not said once a packet.
  package mutating func string(_ string: String) {
    for byte in string.utf8 { self.byte(byte) }
  }

  /// Appends bytes as they are.
  @usableFromInline
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
  @inlinable
  @inline(__always)
  package func copy(_ slice: Slice, into other: inout Output) {
    let start = Int(slice.start)
    let length = Int(slice.count)
    precondition(start >= 0 && length >= 0 && start + length <= count)
    guard length <= 32, start + 32 <= capacity else {
      other.raw(bytes.part(slice))
      return
    }
    // Words are short: one move, of which the bytes behind the word are not counted.
    other.reserve(32)
    unsafe UnsafeMutableRawPointer(other.buffer + other.count).storeBytes(
      of: UnsafeRawPointer(buffer + start).loadUnaligned(as: SIMD32<UInt8>.self),
      as: SIMD32<UInt8>.self)
    other.count += length
  }

  /// Appends what this buffer holds to another one.
  package func copy(into other: inout Output) {
    copy(Slice(start: 0, count: count), into: &other)
  }

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
    if value < 10, digits == 1 {
      byte(UInt8(truncatingIfNeeded: 0x30 + value))
    } else if value < 100, digits == 2 {
      // Hours, minutes and seconds.
      reserve(2)
      unsafe Self.pair(value, buffer + count)
      count &+= 2
    } else {
      decimal(value, columns: digits, filler: 0x30)
    }
  }

  /// Appends a number in decimal, right-aligned in so many columns.
  package mutating func decimal(_ value: UInt, columns: Int) {
    decimal(value, columns: columns, filler: 0x20)
  }

  private mutating func decimal(_ value: UInt, columns: Int, filler: UInt8) {
    // From the last digit to the first, then the filler; a number that is wider than its columns
    // needs its digits counted.
    let length = value < 10 ? max(columns, 1) : max(columns, Self.decimalDigits(value))
    reserve(length)
    let target = unsafe buffer + count
    var index = length
    var rest = value
    while rest >= 100 {
      let quotient = rest / 100
      index = index &- 2
      unsafe Self.pair(rest &- quotient &* 100, target + index)
      rest = quotient
    }
    if rest >= 10 {
      index = index &- 2
      unsafe Self.pair(rest, target + index)
    } else {
      index = index &- 1
      unsafe target[index] = UInt8(truncatingIfNeeded: 0x30 &+ rest)
    }
    while index > 0 {
      index = index &- 1
      unsafe target[index] = filler
    }
    count += length
  }

  /// Writes a number below 100 as two digits: one multiplication gives the tens, since 205 / 2048 is
  /// near enough to a tenth up to there.
  private static func pair(_ value: UInt, _ target: UnsafeMutablePointer<UInt8>) {
    let tens = (value &* 205) &>> 11
    unsafe target[0] = UInt8(truncatingIfNeeded: 0x30 &+ tens)
    unsafe target[1] = UInt8(truncatingIfNeeded: 0x30 &+ value &- tens &* 10)
  }

  private static func decimalDigits(_ value: UInt) -> Int {
    var digits = 1
    var power: UInt = 10
    // 10^19 is the largest power that a UInt holds.
    while value >= power, digits < 20 {
      digits = digits &+ 1
      power = power &* 10
    }
    return digits
  }

  /// Writes a number over bytes that are there, so that its last digit stands before the byte at
  /// `end`, and gives where its first digit stands: a column's right-aligned number, over spaces. For
  /// buffers without a descriptor, like everything that writes over bytes: in others they may have
  /// gone.
  @discardableResult
  package mutating func put(_ value: UInt, endingAt end: Int) -> Int {
    precondition(end <= count)
    let target = unsafe buffer
    var index = end
    var rest = value
    repeat {
      precondition(index > 0)
      let quotient = rest / 10
      index = index &- 1
      unsafe target[index] = UInt8(truncatingIfNeeded: 0x30 &+ rest &- quotient &* 10)
      rest = quotient
    } while rest > 0
    return index
  }

  /// Writes a point and four decimals over bytes that are there, up to the byte at `end`.
  package mutating func put(fraction value: UInt32, endingAt end: Int) {
    precondition(end >= 5 && end <= count && value < 10_000)
    let target = unsafe buffer + (end - 5)
    let high = UInt(value / 100)
    unsafe target[0] = 0x2e
    unsafe Self.pair(high, target + 1)
    unsafe Self.pair(UInt(value) &- high &* 100, target + 3)
  }

  /// Writes a byte over one that is there.
  package mutating func put(_ value: UInt8, at offset: Int) {
    precondition(offset >= 0 && offset < count)
    unsafe buffer[offset] = value
  }

  /// Appends spaces: a row of them at once, of which those that are too many are not counted.
  @inlinable
  @inline(__always)
  package mutating func spaces(_ number: Int) {
    guard number <= 32 else {
      for _ in 0..<number { byte(0x20) }
      return
    }
    reserve(32)
    unsafe UnsafeMutableRawPointer(buffer + count).storeBytes(
      of: SIMD32<UInt8>(repeating: 0x20), as: SIMD32<UInt8>.self)
    count += max(0, number)
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
    reserve(digits + 2)
    unsafe buffer[count] = 0x30
    unsafe buffer[count + 1] = 0x78
    count += 2
    var index = count + digits
    var rest = value
    while index > count {
      index -= 1
      unsafe buffer[index] = Self.digit(UInt8(truncatingIfNeeded: rest) & 15)
      rest &>>= 4
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

  /// `0` to `9`, then `a` to `f`: 39 characters further on.
  @inlinable
  static func digit(_ nibble: UInt8) -> UInt8 {
    0x30 &+ nibble &+ (nibble > 9 ? 39 : 0)
  }
}
