import Bytes
import Reports

/// Distinct texts, each identified by its place. Place 0 is the empty text.
struct TextTable: Sendable {
  private var bytes: [UInt8] = []
  /// Where each text ends in `bytes`, and its hash.
  private var texts: [(end: UInt32, hash: UInt32)] = [(0, 0)]
  /// Places by hash, in a table that is at most half full; 0 marks a free slot.
  private var slots = [UInt32](repeating: 0, count: 1024)
  private let seed = Self.seed

  /// - Parameter bytes: The bytes for which there is room before the table has to grow.
  init(bytes count: Int = 0) { bytes.reserveCapacity(count) }

  /// The number of texts, including the empty one.
  var count: Int { texts.count }
  /// The total size of the texts in bytes.
  var byteCount: Int { bytes.count }

  /// Returns the place of a text, after adding the text if it is new.
  mutating func place(of text: RawSpan) -> Int {
    guard text.byteCount > 0 else { return 0 }
    let hash = Self.hash(text, seed: seed)
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let place = Int(slots[slot])
      if texts[place].hash == hash, self[place].isEqual(to: text) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = UInt32(texts.count)
    bytes.append(text)
    texts.append((UInt32(truncatingIfNeeded: bytes.count), hash))
    if 2 * texts.count > slots.count { grow() }
    return texts.count - 1
  }

  /// Forgets all texts but the first `count`.
  mutating func keep(first count: Int) {
    guard count < texts.count, count > 0 else { return }
    bytes.removeLast(bytes.count - Int(texts[count - 1].end))
    texts.removeLast(texts.count - count)
    slots = [UInt32](repeating: 0, count: slots.count)
    fill()
  }

  /// The text at a place.
  subscript(_ place: Int) -> RawSpan {
    @_lifetime(borrow self) get {
      let start = place > 0 ? Int(texts[place - 1].end) : 0
      return bytes.bytes.part(Slice(start: start, count: Int(texts[place].end) - start))
    }
  }

  /// Returns the end of the places whose texts, one after the other, are the next bytes of `other`,
  /// beginning with the text at `place`, and moves `offset` after them.
  func end(from place: Int, in other: RawSpan, at offset: inout Int) -> Int {
    guard place < texts.count else { return place }
    let start = Int(texts[place - 1].end)
    let equal = bytes.bytes.dropping(start).commonCount(with: other.dropping(offset))
    var end = place
    while end < texts.count, Int(texts[end].end) - start <= equal { end += 1 }
    offset += Int(texts[end - 1].end) - start
    return end
  }

  /// Writes the texts as a JSON list.
  ///
  /// - Parameters:
  ///   - left: The bytes at the end of each text to leave out.
  ///   - spill: called after each text.
  func write(
    withoutLast left: Int = 0, into out: inout Output, _ spill: (inout Output) -> Void = { _ in }
  ) {
    // Most tables have no `<`, and then none of their texts needs to be searched for one.
    let isPlain = bytes.bytes.firstOffset(of: 0x3c) == nil
    out.byte(0x5b)
    for place in texts.indices {
      if place > 0 { out.byte(0x2c) }
      let text = self[place]
      let shown = text.part(Slice(start: 0, count: text.byteCount - left))
      if isPlain { out.jsonString(shown) } else { out.embedded(shown) }
      spill(&out)
    }
    out.byte(0x5d)
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: 2 * slots.count)
    fill()
  }

  /// Enters all texts into the slots, which are free.
  private mutating func fill() {
    for place in 1..<texts.count {
      var slot = Int(texts[place].hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(place)
    }
  }

  /// Random, so that a capture can hardly choose many texts with equal hashes; the page's limit
  /// bounds the time that they would cost.
  private static let seed = UInt64.random(in: .min ... .max)

  /// Returns a hash, computed eight bytes at a time and folded so that its low bits depend on all
  /// of them.
  static func hash(_ text: RawSpan, seed: UInt64) -> UInt32 {
    var hash = seed ^ UInt64(truncatingIfNeeded: text.byteCount)
    func add(_ word: UInt64) {
      hash = (hash ^ word) &* 0x9fb2_1c65_1e98_df25
      hash ^= hash >> 32
    }
    var offset = 0
    while offset + 8 <= text.byteCount {
      add(text.bigEndianU64(at: offset))
      offset += 8
    }
    if offset < text.byteCount { add(text.lastWord) }
    return UInt32(truncatingIfNeeded: hash)
  }
}

extension RawSpan {
  /// The last eight bytes as one number, or the whole text if it is shorter than that.
  fileprivate var lastWord: UInt64 {
    if byteCount >= 8 { return bigEndianU64(at: byteCount - 8) }
    var word: UInt64 = 0
    for place in 0..<byteCount { word = word << 8 | UInt64(byte(at: place)) }
    return word
  }
}
