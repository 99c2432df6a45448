/// JSON keys as they are written, kept by the address of their literal.
///
/// A JSON line is half keys, always the same few hundred literals of the program. So each is turned
/// into `,"connection_handle":` once, and copied from then on; its address is enough to know it
/// again, since a literal stays where it is.
package struct KeyCache: Sendable {
  /// A place in `rendered`, and how many of its bytes count.
  private struct Entry: Sendable {
    var address: UInt = 0
    // Small, so that an entry is found by shifting.
    var start: Int32 = 0
    var count: Int32 = 0
  }

  /// Every rendered key has this much room, so that it can be copied in whole halves; and the comma
  /// can be left out.
  private static let room = 72
  /// Slots of the table, a power of two; full only where a program has as many literals.
  private static let slots = 4096

  private var table = [Entry](repeating: Entry(), count: KeyCache.slots)
  private var rendered: [UInt8] = []
  private var used = 0

  /// Nothing rendered yet.
  package init() {}

  /// Appends `key` in lower case with its quotes and colon, after a comma unless it is the first of
  /// its object.
  package mutating func write(_ key: StaticString, isFirst: Bool, into output: inout Output) {
    let address = unsafe UInt(bitPattern: key.utf8Start)
    var slot = Int(truncatingIfNeeded: (address ^ address &>> 12) & UInt(Self.slots - 1))
    // One place is looked at here, and the rest is done apart: what is never run would still cost each
    // key the saving of registers.
    if table[slot].address != address {
      guard let found = find(key, address, from: slot) else {
        output.jsonKey(key, isFirst: isFirst)
        return
      }
      slot = found
    }
    let entry = table[slot]
    let skipped = isFirst ? 1 : 0
    output.copy(
      rendered.bytes, from: Int(entry.start) &+ skipped, count: Int(entry.count) &- skipped)
  }

  /// The slot of a key that is not where it is looked for first, rendered if it is new; nil where it
  /// has no room.
  @inline(never)
  private mutating func find(_ key: StaticString, _ address: UInt, from first: Int) -> Int? {
    var slot = first
    while table[slot].address != address {
      if table[slot].address == 0 { return render(key, address, slot) ? slot : nil }
      slot = (slot + 1) & (Self.slots - 1)
    }
    return slot
  }

  /// Renders a key for later; false where it has no room.
  private mutating func render(_ key: StaticString, _ address: UInt, _ slot: Int) -> Bool {
    guard used < Self.slots / 2, key.utf8CodeUnitCount <= 60 else { return false }
    var scratch = Output()
    scratch.jsonKey(key, isFirst: false)
    table[slot] = Entry(
      address: address, start: Int32(rendered.count), count: Int32(scratch.count))
    rendered.append(scratch.bytes)
    rendered.append(contentsOf: repeatElement(0, count: Self.room - scratch.count))
    used += 1
    return true
  }
}

extension Output {
  /// Appends `length` bytes, at most 64, of `source` from `start` on: in two halves of 32 bytes, of
  /// which those behind the length are read and written too, and not counted.
  mutating func copy(_ source: RawSpan, from start: Int, count length: Int) {
    reserve(64)
    precondition(start >= 0 && start <= source.byteCount &- 64 && length <= 64)
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    unsafe target.storeBytes(
      of: source.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: SIMD32<UInt8>.self),
      as: SIMD32<UInt8>.self)
    if length > 32 {
      unsafe target.storeBytes(
        of: source.unsafeLoadUnaligned(
          fromUncheckedByteOffset: start + 32, as: SIMD32<UInt8>.self),
        toByteOffset: 32, as: SIMD32<UInt8>.self)
    }
    count &+= length
  }
}
