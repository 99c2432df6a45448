/// A cache of keys in their written form, looked up by the address of their literal.
///
/// Half of a JSON line is keys, drawn from the same few hundred literals. Each is rendered once, as
/// `,"connection_handle":` or as `connection_handle: `, and copied from then on. The literal's
/// address identifies it, since literals never move.
@safe
package struct KeyCache: ~Copyable {
  /// A literal and the position of its text in `rendered`.
  private struct Entry {
    /// The literal's address; 0 if the slot is free.
    var address: UInt
    // Small integers, so that an entry's address is computed by a shift.
    var start: Int32
    var count: Int32
  }

  /// The space reserved for each rendered key. It allows copying in fixed-size halves, and skipping
  /// the comma.
  private static let room = 72
  /// The length of the longest key that is cached.
  private static let longest = 60
  /// The number of slots in the table, a power of two.
  private static let slots = 4096
  /// The maximum number of keys. Half of the slots stay free, so that every search ends.
  private static let most = slots / 2

  // Raw memory: a line looks up some thirty keys, and an array's bounds checks would take as long
  // as the copy. Pages of `rendered` to which no key was written are never touched.
  private let table: UnsafeMutablePointer<Entry>
  private let rendered: UnsafeMutablePointer<UInt8>
  private var used = 0
  private let isJSON: Bool
  /// What follows a key in text.
  private let end: StaticString

  /// Creates an empty cache of JSON keys, or of keys in text.
  package init(isJSON: Bool, end: StaticString = ": ") {
    (self.isJSON, self.end) = (isJSON, end)
    unsafe table = .allocate(capacity: Self.slots)
    unsafe table.initialize(repeating: Entry(address: 0, start: 0, count: 0), count: Self.slots)
    unsafe rendered = .allocate(capacity: Self.most * Self.room)
  }

  deinit {
    unsafe table.deallocate()
    unsafe rendered.deallocate()
  }

  /// Appends `key` and a colon or the other end, in JSON in lower case with its quotes, preceded by
  /// a comma unless it is the first in its object.
  package mutating func write(
    _ key: StaticString, isFirst: Bool = false, into output: inout Output
  ) {
    let address = unsafe UInt(bitPattern: key.utf8Start)
    let slot = Int(truncatingIfNeeded: (address ^ address &>> 12) & UInt(Self.slots - 1))
    // Only the first slot is checked here. The rest is in a function of its own: inlined, the
    // rarely run code would make every key pay for saving registers.
    guard unsafe table[slot].address == address else {
      search(key, isFirst: isFirst, address, from: slot, into: &output)
      return
    }
    copy(slot, isFirst: isFirst, into: &output)
  }

  /// Appends the key cached in `slot`.
  @inline(__always)
  private func copy(_ slot: Int, isFirst: Bool, into output: inout Output) {
    let entry = unsafe table[slot]
    let skipped = isFirst ? 1 : 0
    unsafe output.copy(
      from: rendered + (Int(entry.start) &+ skipped), count: Int(entry.count) &- skipped)
  }

  /// Appends a key that is not in its first slot.
  @inline(never)
  private mutating func search(
    _ key: StaticString, isFirst: Bool, _ address: UInt, from slot: Int, into output: inout Output
  ) {
    if let slot = find(key, address, from: slot) {
      copy(slot, isFirst: isFirst, into: &output)
    } else {
      write(uncached: key, isFirst: isFirst, into: &output)
    }
  }

  private func write(uncached key: StaticString, isFirst: Bool, into output: inout Output) {
    if isJSON { return output.jsonKey(key, isFirst: isFirst) }
    output.text(key)
    output.text(end)
  }

  /// Returns the slot of a key that is not in its first slot, rendering the key if it is new.
  /// Returns nil if the cache has no room for it.
  private mutating func find(_ key: StaticString, _ address: UInt, from first: Int) -> Int? {
    var slot = first
    while unsafe table[slot].address != address {
      if unsafe table[slot].address == 0 { return render(key, address, slot) ? slot : nil }
      slot = (slot + 1) & (Self.slots - 1)
    }
    return slot
  }

  /// Renders a key into the cache; returns false if there is no room.
  private mutating func render(_ key: StaticString, _ address: UInt, _ slot: Int) -> Bool {
    guard used < Self.most, key.utf8CodeUnitCount <= Self.longest else { return false }
    var scratch = Output()
    write(uncached: key, isFirst: false, into: &scratch)
    let start = used * Self.room
    unsafe (rendered + start).initialize(repeating: 0, count: Self.room)
    unsafe (rendered + start).update(from: scratch.buffer, count: scratch.count)
    unsafe table[slot] = Entry(
      address: address, start: Int32(start), count: Int32(scratch.count))
    used += 1
    return true
  }
}

extension Output {
  /// Appends `length` bytes, at most 64, as two halves of 32 bytes. Bytes after `length` are read
  /// and written too, but not counted.
  ///
  /// - Parameter source: At least 64 readable bytes.
  @inline(__always)
  fileprivate mutating func copy(from source: UnsafePointer<UInt8>, count length: Int) {
    reserve(64)
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    let source = unsafe UnsafeRawPointer(source)
    unsafe target.storeBytes(
      of: source.loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
    if length > 32 {
      unsafe target.storeBytes(
        of: source.loadUnaligned(fromByteOffset: 32, as: SIMD32<UInt8>.self),
        toByteOffset: 32, as: SIMD32<UInt8>.self)
    }
    count = count &+ length
  }
}
