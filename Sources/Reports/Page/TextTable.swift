import Bytes

/// Texts, each kept once and called by its place. Place 0 is the empty text.
struct TextTable: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [UInt32] = [0]
  private var hashes: [UInt32] = [0]
  /// Places by hash, in a table that is at most half full; 0 is free.
  private var slots = [UInt32](repeating: 0, count: 1024)

  /// How many texts there are, the empty one included.
  var count: Int { ends.count }
  /// How many bytes all of them have.
  var byteCount: Int { bytes.count }

  /// Returns the place of a text, which is added if it is new.
  mutating func place(of text: RawSpan) -> Int {
    guard text.byteCount > 0 else { return 0 }
    let hash = Self.hash(text)
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let place = Int(slots[slot])
      if hashes[place] == hash, self[place].isEqual(to: text) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = UInt32(ends.count)
    bytes.append(text)
    ends.append(UInt32(truncatingIfNeeded: bytes.count))
    hashes.append(hash)
    if 2 * ends.count > slots.count { grow() }
    return ends.count - 1
  }

  /// The text at a place.
  subscript(_ place: Int) -> RawSpan {
    @_lifetime(borrow self) get {
      let start = place > 0 ? Int(ends[place - 1]) : 0
      return bytes.bytes.part(Slice(start: start, count: Int(ends[place]) - start))
    }
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: 2 * slots.count)
    for place in 1..<ends.count {
      var slot = Int(hashes[place]) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(place)
    }
  }

  /// FNV-1a over pairs of bytes, mixed at the end so that the low bits depend on all of them.
  private static func hash(_ text: RawSpan) -> UInt32 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(truncatingIfNeeded: text.byteCount)
    var offset = 0
    while offset < text.byteCount {
      hash = (hash ^ UInt64(text.littleEndianU16(at: offset))) &* 0x0000_0100_0000_01b3
      offset += 2
    }
    return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
  }
}
