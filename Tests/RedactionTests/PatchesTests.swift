import Bytes
import Testing

@testable import Redaction

@Suite("changes to records") struct PatchesTests {
  /// The fragments of a PDU in records 1 and 2: 3 bytes each, from offset 5.
  private let places = [
    RecordPlace(record: 1, offset: 5, count: 3), RecordPlace(record: 2, offset: 5, count: 3),
  ]
  private let original: [UInt8] = [1, 2, 3, 4, 5, 6]

  /// Returns the payload of a record after the changes, which was `bytes`.
  private func payload(_ bytes: ArraySlice<UInt8>, of record: Int, _ patches: Patches) -> [UInt8] {
    var whole = [UInt8](repeating: 0xee, count: 5) + bytes
    patches.apply(to: &whole, of: record)
    #expect(whole.prefix(5).allSatisfy { $0 == 0xee })
    return Array(whole.dropFirst(5))
  }

  @Test("parts of a PDU that does not end become zeros, and are counted") func unfinished() {
    var patches = Patches()
    patches.addUnfinished(places[0])
    #expect(patches.close() == 1)
    #expect(payload([1, 2, 3], of: 1, patches) == [0, 0, 0])
    #expect(payload([1, 2, 3], of: 2, patches) == [1, 2, 3])
  }

  @Test(
    "if the end comes, the whole PDU counts", arguments: [0, 1 << 16],
    [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 9, 6], [7, 2, 3, 4, 5, 6], [0, 0, 0, 4, 5, 6]] as [[UInt8]])
  func finished(others: Int, changed: [UInt8]) {
    var patches = Patches()
    patches.addUnfinished(places[0])
    // More than are followed.
    for number in 0..<others {
      patches.addUnfinished(RecordPlace(record: 3 + number, offset: 5, count: 1))
    }
    patches.add(places, changed, original: original.bytes, last: 2)
    #expect(patches.close() == others)
    #expect(payload(original[..<3], of: 1, patches) == Array(changed[..<3]))
    #expect(payload(original[3...], of: 2, patches) == Array(changed[3...]))
  }

  @Test("bytes after the PDU stay zero when the PDU is completed", arguments: [0, 2])
  func behind(surplus: Int) {
    var patches = Patches()
    patches.addUnfinished(RecordPlace(record: 1, offset: 5, count: 3 + surplus))
    patches.add(places, original, original: original.bytes, last: 2)
    #expect(patches.close() == 0)
    #expect(
      payload([1, 2, 3, 8, 9], of: 1, patches) == [1, 2, 3] + (surplus > 0 ? [0, 0] : [8, 9]))
  }

  @Test("the last of several changes counts") func order() {
    var patches = Patches()
    patches.add(places, [9, 9, 9, 9, 9, 9])
    patches.add(places[1], nil)
    // What was changed before needs a change to become as it was.
    patches.add(places, original, original: original.bytes, last: 2)
    #expect(patches.close() == 0)
    #expect(payload(original[..<3], of: 1, patches) == [1, 2, 3])
  }
}
