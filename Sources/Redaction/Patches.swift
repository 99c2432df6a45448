import Bytes

/// The changes to records of ACL data: positions and new bytes.
///
/// They are small, since a capture may need one for every record: the bytes are in one array.
struct Patches: Sendable {
  private struct Patch: Sendable {
    let record: Int
    let offset: Int32
    let count: Int32
    /// The offset of the new bytes in `bytes`, or one of the negative numbers below.
    let start: Int

    /// Zeros, since the rest of a PDU is missing.
    static let unfinished = -1
    /// Zeros that remove something.
    static let removed = -2
    /// New bytes that are all zeros.
    static let zeros = -3
    /// Random bytes that are the same for the same bytes.
    static let disguised = -4

    init(_ place: RecordPlace, count: Int, start: Int) {
      (record, offset) = (place.record, Int32(clamping: place.offset))
      (self.count, self.start) = (Int32(clamping: count), start)
    }

    /// Whether the patch writes the new bytes of a whole PDU.
    var isWritten: Bool { start >= 0 || start == Self.zeros }
  }

  /// A record with the payload of an earlier one.
  private struct Repeated: Sendable {
    let record: Int
    let original: Int
    /// How much later it begins in the record.
    let shift: Int
  }

  private var patches: [Patch] = []
  private var bytes: [UInt8] = []
  /// Records whose payload is that of an earlier one.
  private var repeated: [Repeated] = []
  /// By record, the zeros of PDUs of which not all parts have come yet.
  private var open: [Int: Patch] = [:]
  /// The most entries of `open`. When it is full, all of them become changes, and a later change
  /// undoes each whose PDU is completed.
  private static let mostOpen = 1 << 16

  /// Adds bytes at several places, one part after the other. Earlier zeros of an unfinished PDU at
  /// these places are dropped.
  ///
  /// - Parameters:
  ///   - original: the bytes before the change.
  ///   - last: the last record. Parts of it, and those that were only zeroed, need no change if
  ///     they are as before.
  mutating func add(
    _ places: [RecordPlace], _ replacement: [UInt8], original: RawSpan, last: Int
  ) {
    var position = 0
    for place in places {
      let count = max(0, min(place.count, replacement.count - position))
      let part = Slice(start: position, count: count)
      position += place.count
      let isUntouched = place.record == last || open[place.record] != nil
      if forget(place), isUntouched, original.part(part).isEqual(to: replacement.bytes.part(part)) {
        continue
      }
      add(place, Array(replacement[Int(part.start)..<part.end]))
    }
  }

  /// Adds bytes at several places, one part after the other.
  mutating func add(_ places: [RecordPlace], _ replacement: [UInt8]) {
    var position = 0
    for place in places {
      add(place, Array(replacement.dropFirst(position).prefix(place.count)))
      position += place.count
    }
  }

  /// Adds a change; nil: to zeros. The last of several at the same place counts.
  ///
  /// - Parameter isUnfinished: whether zeros replace a part of a PDU whose other parts are missing.
  mutating func add(
    _ place: RecordPlace, _ replacement: [UInt8]?, isUnfinished: Bool = false
  ) {
    let count = min(place.count, replacement?.count ?? place.count)
    guard count > 0 else { return }
    guard let replacement else {
      let start = isUnfinished ? Patch.unfinished : Patch.removed
      return patches.append(Patch(place, count: count, start: start))
    }
    forget(place)
    if replacement.allSatisfy({ $0 == 0 }) {
      patches.append(Patch(place, count: count, start: Patch.zeros))
    } else {
      patches.append(Patch(place, count: count, start: bytes.count))
      bytes.append(contentsOf: replacement)
    }
  }

  /// Replaces bytes that are encrypted by random ones, which are the same where those are.
  mutating func disguise(_ place: RecordPlace) {
    guard place.count > 0 else { return }
    patches.append(Patch(place, count: place.count, start: Patch.disguised))
  }

  /// Zeroes a part of a PDU whose other parts have not come yet.
  mutating func addUnfinished(_ place: RecordPlace) {
    guard place.count > 0 else { return }
    if open.count >= Self.mostOpen { closeOpen() }
    let patch = Patch(place, count: place.count, start: Patch.unfinished)
    if let earlier = open.updateValue(patch, forKey: place.record) { patches.append(earlier) }
  }

  /// Drops the zeros of an unfinished PDU at a place that is now written. Bytes after the PDU stay
  /// zero.
  ///
  /// - Returns: whether nothing else is zero in its record.
  @discardableResult
  private mutating func forget(_ place: RecordPlace) -> Bool {
    guard let earlier = open.removeValue(forKey: place.record) else { return true }
    let end = Int(earlier.offset) + Int(earlier.count)
    if earlier.offset >= place.offset, end <= place.offset + place.count { return true }
    patches.append(earlier)
    return false
  }

  /// Repeats the changes to an earlier record in one that has the same payload, which begins
  /// `shift` bytes later.
  mutating func add(_ record: Int, repeating original: Int, shift: Int) {
    repeated.append(Repeated(record: record, original: original, shift: shift))
  }

  /// Repeats the changes, once all are known.
  private mutating func repeatChanges() {
    var copies: [Patch] = []
    for place in repeated {
      var index = first(of: place.original)
      while index < patches.count, patches[index].record == place.original {
        let patch = patches[index]
        let target = RecordPlace(
          record: place.record, offset: Int(patch.offset) + place.shift, count: Int(patch.count))
        copies.append(Patch(target, count: Int(patch.count), start: patch.start))
        index += 1
      }
    }
    guard !copies.isEmpty else { return }
    patches += copies
    patches.sort { $0.record < $1.record }
    repeated = []
  }

  private mutating func closeOpen() {
    patches += open.values
    open.removeAll(keepingCapacity: true)
  }

  /// Sorts the changes by record; those of one record stay in their order.
  ///
  /// - Returns: how many parts of records are zeroed and not written again later.
  mutating func close() -> Int {
    closeOpen()
    open = [:]
    patches.sort { $0.record < $1.record }
    var zeros = 0
    for (index, patch) in patches.enumerated() where patch.start == Patch.unfinished {
      // If the end of a PDU came, the part was written again.
      let next = index + 1
      if next == patches.count || patches[next].record != patch.record || !patches[next].isWritten {
        zeros += 1
      }
    }
    repeatChanges()
    return zeros
  }

  /// Returns the place of the first change to a record, or of the next one's.
  private func first(of number: Int) -> Int {
    var low = 0
    var high = patches.count
    while low < high {
      let middle = (low + high) / 2
      if patches[middle].record < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns whether one change replaces all bytes of a record.
  func replacesAll(_ count: Int, of number: Int) -> Bool {
    let place = first(of: number)
    return place < patches.count && patches[place].record == number
      && patches[place].offset == 0 && Int(patches[place].count) == count
  }

  /// Applies the changes to the bytes of a record.
  ///
  /// - Parameter books: what random bytes come from; nil: they are zeros.
  func apply(to record: inout [UInt8], of number: Int, _ books: Books? = nil) {
    var low = first(of: number)
    while low < patches.count, patches[low].record == number {
      let patch = patches[low]
      let (start, end) = (Int(patch.offset), Int(patch.offset) + Int(patch.count))
      if let books, patch.start == Patch.disguised, end <= record.count {
        record.replaceSubrange(start..<end, with: books.disguised(Array(record[start..<end])))
        low += 1
        continue
      }
      for index in 0..<Int(patch.count) where Int(patch.offset) + index < record.count {
        record[Int(patch.offset) + index] = patch.start < 0 ? 0 : bytes[patch.start + index]
      }
      low += 1
    }
  }
}
