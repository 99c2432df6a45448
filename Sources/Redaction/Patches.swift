/// The changes to records of ACL data: positions and new bytes.
///
/// They are small, since a capture may need one for every record: the bytes are in one array.
struct Patches: Sendable {
  private struct Patch: Sendable {
    let record: Int
    let offset: Int32
    let count: Int32
    /// The number of patches that were added before it.
    let order: Int
    /// The offset of the new bytes in `bytes`; −1: zeros, since the rest of a PDU is missing; −2:
    /// zeros.
    let start: Int
  }

  private var patches: [Patch] = []
  private var bytes: [UInt8] = []

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
    patches.append(
      Patch(
        record: place.record, offset: Int32(clamping: place.offset),
        count: Int32(clamping: count), order: patches.count,
        start: replacement == nil ? isUnfinished ? -1 : -2 : bytes.count))
    if let replacement { bytes.append(contentsOf: replacement) }
  }

  /// Sorts the changes by record.
  ///
  /// - Returns: how many parts of records are zeroed and not written again later.
  mutating func close() -> Int {
    patches.sort { ($0.record, $0.order) < ($1.record, $1.order) }
    var zeros = 0
    for (index, patch) in patches.enumerated() where patch.start == -1 {
      // If the end of a PDU came, the part was written again.
      let next = index + 1
      if next == patches.count || patches[next].record != patch.record || patches[next].start < 0 {
        zeros += 1
      }
    }
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
  func apply(to record: inout [UInt8], of number: Int) {
    var low = first(of: number)
    while low < patches.count, patches[low].record == number {
      let patch = patches[low]
      for index in 0..<Int(patch.count) where Int(patch.offset) + index < record.count {
        record[Int(patch.offset) + index] = patch.start < 0 ? 0 : bytes[patch.start + index]
      }
      low += 1
    }
  }
}
