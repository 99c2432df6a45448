/// A growable, reusable memory region to which bytes and plain values are appended.
@safe
@usableFromInline
package final class ByteStore: @unchecked Sendable {
  @usableFromInline var storage: UnsafeMutableRawPointer
  /// The number of bytes allocated.
  @usableFromInline package internal(set) var capacity: Int
  /// The number of bytes in use.
  @usableFromInline package internal(set) var count = 0

  /// The alignment of values, in bytes.
  @inlinable package static var alignment: Int { 8 }

  /// Returns the first aligned offset at or after `position`.
  @inlinable
  package static func place(from position: Int) -> Int {
    (position + alignment - 1) & ~(alignment - 1)
  }

  /// Creates an empty store with room for `capacity` bytes.
  package init(capacity: Int) {
    self.capacity = max(Self.alignment, capacity)
    unsafe storage = .allocate(byteCount: self.capacity, alignment: Self.alignment)
  }

  deinit { unsafe storage.deallocate() }

  /// Removes all bytes and keeps the allocation.
  package func clear() { count = 0 }

  /// Appends a value at the next aligned offset.
  @inlinable
  package func append<Value: BitwiseCopyable>(_ value: Value) {
    precondition(MemoryLayout<Value>.alignment <= Self.alignment)
    let place = Self.place(from: count)
    makeRoom(place + MemoryLayout<Value>.size)
    unsafe (storage + place).storeBytes(of: value, as: Value.self)
    count = place + MemoryLayout<Value>.size
  }

  /// Appends bytes.
  package func append(_ bytes: RawSpan) {
    makeRoom(count + bytes.byteCount)
    unsafe bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe (storage + count).copyMemory(from: start, byteCount: source.count)
    }
    count += bytes.byteCount
  }

  /// Appends all bytes of another store.
  package func append(_ other: ByteStore) { append(other.bytes(at: 0, count: other.count)) }

  /// Pads to the next aligned offset, so that a store appended next keeps the alignment of its
  /// values. The padding bytes are unspecified.
  package func align() {
    let place = Self.place(from: count)
    makeRoom(place)
    count = place
  }

  /// Returns the value stored at `position`.
  @inlinable
  package func value<Value: BitwiseCopyable>(_ type: Value.Type, at position: Int) -> Value {
    precondition(
      position >= 0 && position % Self.alignment == 0
        && position + MemoryLayout<Value>.size <= count)
    return unsafe UnsafeRawPointer(storage + position).load(as: type)
  }

  /// Returns `length` bytes from `position` on. They are valid until the store is next changed.
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
