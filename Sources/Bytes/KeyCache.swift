/// JSON keys as they are written, kept by the address of their literal.
///
/// A JSON line is half keys, always the same few hundred literals of the program. So each is turned
/// into `,"connection_handle":` once, and copied from then on; its address is enough to know it
/// again, since a literal stays where it is.
@safe
package struct KeyCache: ~Copyable {
  /// A literal and where it stands in `rendered`.
  private struct Entry {
    /// The literal's address; 0: the slot is free.
    var address: UInt
    // Small, so that an entry is found by shifting.
    var start: Int32
    var count: Int32
  }

  /// Every rendered key has this much room, so that it can be copied in whole halves; and the comma
  /// can be left out.
  private static let room = 72
  /// The longest key that is kept.
  private static let longest = 60
  /// Slots of the table, a power of two.
  private static let slots = 4096
  /// Half of the slots stay free, so that the search for one ends.
  private static let most = slots / 2

  // Raw memory: a line looks some thirty keys up, and an array's checks would take as long as the copy.
  // Of `rendered`, pages that no key was written to are never touched.
  private let table: UnsafeMutablePointer<Entry>
  private let rendered: UnsafeMutablePointer<UInt8>
  private var used = 0

  /// Nothing rendered yet.
  package init() {
    unsafe table = .allocate(capacity: Self.slots)
    unsafe table.initialize(repeating: Entry(address: 0, start: 0, count: 0), count: Self.slots)
    unsafe rendered = .allocate(capacity: Self.most * Self.room)
  }

  deinit {
    unsafe table.deallocate()
    unsafe rendered.deallocate()
  }

  /// Appends `key` in lower case with its quotes and colon, after a comma unless it is the first of
  /// its object.
  package mutating func write(_ key: StaticString, isFirst: Bool, into output: inout Output) {
    let address = unsafe UInt(bitPattern: key.utf8Start)
    let slot = Int(truncatingIfNeeded: (address ^ address &>> 12) & UInt(Self.slots - 1))
    // One place is looked at here, and the rest is done apart: what is hardly ever run would still cost
    // each key the saving of registers.
    guard unsafe table[slot].address == address else {
      search(key, isFirst: isFirst, address, from: slot, into: &output)
      return
    }
    copy(slot, isFirst: isFirst, into: &output)
  }

  /// Appends the key that is kept in a slot.
  @inline(__always)
  private func copy(_ slot: Int, isFirst: Bool, into output: inout Output) {
    let entry = unsafe table[slot]
    let skipped = isFirst ? 1 : 0
    unsafe output.copy(
      from: rendered + (Int(entry.start) &+ skipped), count: Int(entry.count) &- skipped)
  }

  /// Appends a key that is not where it is looked for first.
  @inline(never)
  private mutating func search(
    _ key: StaticString, isFirst: Bool, _ address: UInt, from slot: Int, into output: inout Output
  ) {
    if let slot = find(key, address, from: slot) {
      copy(slot, isFirst: isFirst, into: &output)
    } else {
      output.jsonKey(key, isFirst: isFirst)
    }
  }

  /// The slot of a key that is not where it is looked for first, rendered if it is new; nil where it
  /// has no room.
  private mutating func find(_ key: StaticString, _ address: UInt, from first: Int) -> Int? {
    var slot = first
    while unsafe table[slot].address != address {
      if unsafe table[slot].address == 0 { return render(key, address, slot) ? slot : nil }
      slot = (slot + 1) & (Self.slots - 1)
    }
    return slot
  }

  /// Renders a key for later; false where it has no room.
  private mutating func render(_ key: StaticString, _ address: UInt, _ slot: Int) -> Bool {
    guard used < Self.most, key.utf8CodeUnitCount <= Self.longest else { return false }
    var scratch = Output()
    scratch.jsonKey(key, isFirst: false)
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
  /// Appends `length` bytes, at most 64: in two halves of 32 bytes, of which those behind the length
  /// are read and written too, and not counted.
  ///
  /// - Parameter source: 64 bytes that can be read.
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
