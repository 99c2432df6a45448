import Glibc

/// The buffer through which all text and JSON leaves the program.
///
/// Everything is formatted directly into it. With a descriptor, it is written out when it is full
/// and on `flush`. Without one, it grows and its bytes can be read back, for intermediate results
/// and tests. A failed write is recorded, not thrown: later output is dropped, and the caller
/// should check `failure` from time to time.
@safe
@usableFromInline
package struct Output: ~Copyable {
  @usableFromInline var buffer: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  private let descriptor: Int32?
  /// The number of bytes in the buffer.
  @usableFromInline package internal(set) var count = 0
  /// The `errno` of the first write that failed.
  package private(set) var failure: Int32?
  /// The number of bytes dropped because, after the interruption, the reader accepted no more. This
  /// is not a failure; the caller carries on.
  package private(set) var unwritten = 0
  /// The interruption that ends waiting for a reader that accepts nothing.
  private let interruption: Interruption?

  /// The capacity of a buffer in front of a descriptor, in bytes.
  package static let bufferSize = 1 << 16

  /// Creates a buffer that grows and keeps what is written.
  package init() {
    descriptor = nil
    interruption = nil
    capacity = 1024
    unsafe buffer = .allocate(capacity: capacity)
  }

  /// Creates a buffer in front of an open file descriptor, which it does not close.
  ///
  /// - Parameter interruption: Ends waiting for a reader that accepts nothing; if nil, waits
  ///   forever.
  package init(descriptor: Int32, _ interruption: Interruption? = nil) {
    self.descriptor = descriptor
    self.interruption = interruption
    capacity = Self.bufferSize
    unsafe buffer = .allocate(capacity: capacity)
  }

  deinit { unsafe buffer.deallocate() }

  /// The buffered bytes.
  @inlinable package var bytes: RawSpan {
    @_lifetime(borrow self) get {
      let span = unsafe RawSpan(_unsafeStart: buffer, byteCount: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Discards the buffered bytes.
  package mutating func clear() { count = 0 }

  /// Discards the buffered bytes after the first `length`. Meant for buffers without a descriptor;
  /// otherwise, bytes already written out cannot be taken back.
  package mutating func shorten(to length: Int) { count = min(count, max(0, length)) }

  /// Drops the buffered bytes and all later output because an error lost the output before them.
  package mutating func fail(_ error: Int32) { failure = failure ?? error }

  /// Writes the buffered bytes to the buffer's descriptor, if it has one.
  package mutating func flush() {
    if let descriptor { flush(to: descriptor) }
  }

  /// Writes the buffered bytes to `descriptor`, whatever the buffer's own descriptor is.
  package mutating func flush(to descriptor: Int32) {
    if count > 0, isWritable {
      note(Descriptor.write(bytes, to: descriptor, interruption), of: count)
    } else if unwritten > 0 {
      unwritten += count
    }
    count = 0
  }

  /// Whether nothing has kept earlier bytes from being written.
  private var isWritable: Bool { failure == nil && unwritten == 0 }

  /// Records how the writing of some bytes ended.
  private mutating func note(
    _ outcome: (count: Int, ending: Descriptor.Ending), of count: Int
  ) {
    switch outcome.ending {
    case .complete: break
    case .failed(let error): failure = error
    case .givenUp: unwritten = count - outcome.count
    }
  }

  /// Makes room for `needed` more bytes (at most `bufferSize`), so that no flush happens in
  /// between.
  @inlinable
  package mutating func reserve(_ needed: Int) {
    if count &+ needed > capacity { makeRoom(needed) }
  }

  // Not inlined: it rarely runs, and inlined it would make every write save registers.
  @usableFromInline
  @inline(never)
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
    count &+= 1
  }

  /// Appends constant text. The copying is not inlined: this is called in thousands of places, and
  /// inlined copies accounted for a quarter of the program's compile time.
  @inlinable
  package mutating func text(_ text: StaticString) {
    raw(unsafe RawSpan(_unsafeStart: text.utf8Start, byteCount: text.utf8CodeUnitCount))
  }

  /// Appends up to 32 bytes without a call, as two halves that overlap if they are longer than the
  /// whole.
  @inline(__always)
  private mutating func short(_ bytes: RawSpan) {
    reserve(32)
    let length = bytes.byteCount
    if length >= 16 {
      ends(of: bytes, as: SIMD16<UInt8>.self)
    } else if length >= 8 {
      ends(of: bytes, as: UInt64.self)
    } else if length >= 4 {
      ends(of: bytes, as: UInt32.self)
    } else {
      for index in 0..<length {
        unsafe buffer[count &+ index] = bytes.unsafeLoad(
          fromUncheckedByteOffset: index, as: UInt8.self)
      }
    }
    count &+= length
  }

  /// Copies the first and the last `Word` of `bytes`, which has at least one, behind the buffered
  /// bytes.
  @inline(__always)
  private func ends<Word: BitwiseCopyable>(of bytes: RawSpan, as word: Word.Type) {
    let last = bytes.byteCount &- MemoryLayout<Word>.size
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    let (start, end) = unsafe (
      bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: word),
      bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: last, as: word)
    )
    unsafe target.storeBytes(of: start, as: word)
    unsafe target.storeBytes(of: end, toByteOffset: last, as: word)
  }

  /// Appends constant text with `A` to `Z` in lower case.
  ///
  /// Works on eight bytes at a time, in place. With each byte's top bit masked out, adding 0x3f
  /// carries into it from `A` on, adding 0x25 from `[` on. If only the first does, the byte is
  /// upper case, and its bit 5 is set. Bytes after the text are changed too, but not counted.
  @inlinable
  package mutating func lowercased(_ text: RawSpan) {
    let length = text.byteCount
    reserve(length + 8)
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    unsafe text.withUnsafeBytes { bytes in
      if let first = bytes.baseAddress { unsafe target.copyMemory(from: first, byteCount: length) }
    }
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
    count &+= length
  }

  /// Appends a string that is not constant. Not for use on every packet.
  package mutating func string(_ string: String) {
    raw(unsafe string.utf8Span.span.bytes)
  }

  /// Appends a number in native byte order.
  @inlinable
  @inline(__always)
  package mutating func native<Number: BitwiseCopyable>(_ value: Number) {
    let size = MemoryLayout<Number>.size
    reserve(size)
    unsafe UnsafeMutableRawPointer(buffer + count).storeBytes(of: value, as: Number.self)
    count &+= size
  }

  /// Appends bytes unchanged.
  @usableFromInline
  @inline(never)
  package mutating func raw(_ bytes: RawSpan) {
    // Most spans are short, and calling the system's copy function costs more than copying them.
    if bytes.byteCount <= 32 { return short(bytes) }
    if let descriptor, bytes.byteCount > Self.bufferSize {
      flush()
      if isWritable {
        note(Descriptor.write(bytes, to: descriptor, interruption), of: bytes.byteCount)
      } else if unwritten > 0 {
        unwritten += bytes.byteCount
      }
      return
    }
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

  /// Appends `slice` of this buffer to another buffer.
  @inlinable
  @inline(__always)
  package func copy(_ slice: Slice, into other: inout Output) {
    let start = Int(slice.start)
    let length = Int(slice.count)
    precondition(start >= 0 && length >= 0 && start + length <= count)
    guard length <= 64, start + 64 <= capacity else {
      other.raw(bytes.part(slice))
      return
    }
    // Words are short: one or two stores suffice. Bytes after the word are not counted.
    other.reserve(64)
    let source = unsafe UnsafeRawPointer(buffer + start)
    let target = unsafe UnsafeMutableRawPointer(other.buffer + other.count)
    unsafe target.storeBytes(
      of: source.loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
    if length > 32 {
      unsafe target.storeBytes(
        of: source.loadUnaligned(fromByteOffset: 32, as: SIMD32<UInt8>.self), toByteOffset: 32,
        as: SIMD32<UInt8>.self)
    }
    other.count &+= length
  }

  /// Appends the contents of this buffer to another buffer.
  package func copy(into other: inout Output) {
    copy(Slice(start: 0, count: count), into: &other)
  }

  /// Overwrites an existing byte.
  package mutating func put(_ value: UInt8, at offset: Int) {
    precondition(offset >= 0 && offset < count)
    unsafe buffer[offset] = value
  }

  /// Overwrites existing bytes with a number in native byte order.
  @inlinable
  @inline(__always)
  package mutating func put(native value: UInt32, at offset: Int) {
    precondition(offset >= 0 && offset <= count &- 4)
    unsafe UnsafeMutableRawPointer(buffer + offset).storeBytes(of: value, as: UInt32.self)
  }

  /// Appends spaces. A fixed-size run is written at once; the excess is not counted.
  @inlinable
  @inline(__always)
  package mutating func spaces(_ number: Int) {
    guard number <= 32 else {
      manySpaces(number)
      return
    }
    reserve(32)
    unsafe UnsafeMutableRawPointer(buffer + count).storeBytes(
      of: SIMD32<UInt8>(repeating: 0x20), as: SIMD32<UInt8>.self)
    count &+= max(0, number)
  }

  @usableFromInline
  @inline(never)
  mutating func manySpaces(_ number: Int) {
    for _ in 0..<number { byte(0x20) }
  }
}
