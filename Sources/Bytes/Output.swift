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

  /// Copies constant text to the end, for which there is room, and for seven bytes more: words are
  /// short, and eight bytes at a time are sooner copied than a function is called for it.
  mutating func copy(_ text: StaticString, _ length: Int) {
    let source = unsafe UnsafeRawPointer(text.utf8Start)
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    var offset = 0
    while offset + 8 <= length {
      unsafe target.storeBytes(
        of: source.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset,
        as: UInt64.self)
      offset += 8
    }
    while offset < length {
      unsafe target.storeBytes(
        of: source.load(fromByteOffset: offset, as: UInt8.self), toByteOffset: offset,
        as: UInt8.self)
      offset += 1
    }
    count += length
  }

  /// Appends a byte for which there is room.
  mutating func put(_ value: UInt8) {
    unsafe buffer[count] = value
    count += 1
  }

  /// Sets the bytes from `start` on to lower case where they are `A` to `Z`.
  mutating func lowercase(from start: Int) {
    for index in start..<count {
      let character = unsafe buffer[index]
      let isUpper = character &- 0x41 < 26
      unsafe buffer[index] = isUpper ? character | 0x20 : character
    }
  }

  /// Appends constant text with `A` to `Z` in lower case.
  package mutating func lowercased(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length + 8)
    let start = count
    copy(text, length)
    lowercase(from: start)
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
    if value < 10, digits == 1 {
      byte(0x30 + UInt8(truncatingIfNeeded: value))
      return
    }
    var length = 1
    var rest = value
    while rest >= 10 {
      length += 1
      rest /= 10
    }
    length = max(length, digits)
    reserve(length)
    rest = value
    for index in stride(from: length - 1, through: 0, by: -1) {
      unsafe buffer[count + index] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
      rest /= 10
    }
    count += length
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
