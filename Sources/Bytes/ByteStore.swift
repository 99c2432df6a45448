/// Memory that grows as bytes and plain values are put behind one another, and is used again.
@safe
@usableFromInline
package final class ByteStore: @unchecked Sendable {
  @usableFromInline var storage: UnsafeMutableRawPointer
  /// The bytes that there is room for.
  @usableFromInline package internal(set) var capacity: Int
  /// The bytes that are used.
  @usableFromInline package internal(set) var count = 0

  /// Values stand at multiples of so many bytes.
  @inlinable package static var alignment: Int { 8 }

  /// Where a value may stand, from a position on.
  @inlinable
  package static func place(from position: Int) -> Int {
    (position + alignment - 1) & ~(alignment - 1)
  }

  /// An empty one with room for so many bytes.
  package init(capacity: Int) {
    self.capacity = max(Self.alignment, capacity)
    unsafe storage = .allocate(byteCount: self.capacity, alignment: Self.alignment)
  }

  deinit { unsafe storage.deallocate() }

  /// Forgets the bytes, and keeps the room.
  package func clear() { count = 0 }

  /// Puts a value behind the bytes, at the next place where one may stand.
  @inlinable
  package func append<Value: BitwiseCopyable>(_ value: Value) {
    precondition(MemoryLayout<Value>.alignment <= Self.alignment)
    let place = Self.place(from: count)
    makeRoom(place + MemoryLayout<Value>.size)
    unsafe (storage + place).storeBytes(of: value, as: Value.self)
    count = place + MemoryLayout<Value>.size
  }

  /// Puts bytes behind those that are there.
  package func append(_ bytes: RawSpan) {
    makeRoom(count + bytes.byteCount)
    unsafe bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe (storage + count).copyMemory(from: start, byteCount: source.count)
    }
    count += bytes.byteCount
  }

  /// Puts all bytes of another one behind those that are there.
  package func append(_ other: ByteStore) { append(other.bytes(at: 0, count: other.count)) }

  /// Fills up with bytes of no meaning to where a value may stand: what is appended whole afterwards keeps
  /// its places.
  package func align() {
    let place = Self.place(from: count)
    makeRoom(place)
    count = place
  }

  /// The value that was put at `position`.
  @inlinable
  package func value<Value: BitwiseCopyable>(_ type: Value.Type, at position: Int) -> Value {
    precondition(
      position >= 0 && position % Self.alignment == 0
        && position + MemoryLayout<Value>.size <= count)
    return unsafe UnsafeRawPointer(storage + position).load(as: type)
  }

  /// So many bytes from `position` on; they are valid until something is appended or forgotten.
  @_lifetime(borrow self)
  package func bytes(at position: Int, count length: Int) -> RawSpan {
    precondition(position >= 0 && length >= 0 && position + length <= count)
    let span = unsafe RawSpan(
      _unsafeStart: UnsafeRawPointer(storage + position), byteCount: length)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  @inlinable
  func makeRoom(_ needed: Int) {
    if needed > capacity { grow(needed) }
  }

  @usableFromInline
  @inline(never)
  func grow(_ needed: Int) {
    var larger = capacity
    while larger < needed { larger *= 2 }
    let grown = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: Self.alignment)
    unsafe grown.copyMemory(from: storage, byteCount: count)
    unsafe storage.deallocate()
    unsafe storage = grown
    capacity = larger
  }
}
