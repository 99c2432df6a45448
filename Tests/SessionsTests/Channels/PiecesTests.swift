import Testing

@testable import Sessions

@Suite("Pieces that may not belong together") struct PiecesTests {
  private func mayBeMixed(
    _ lengths: [Int], of expected: Int?, largest: Int = 27, isTorn: Bool = false
  ) -> Bool {
    var pieces = Pieces()
    for length in lengths { pieces.append(length) }
    return pieces.mayBeMixed(expected: expected, largest: largest, isTorn: isTorn)
  }

  @Test("pieces as a controller makes them are believed") func regular() {
    #expect(!mayBeMixed([27, 27, 10], of: 64))
    #expect(!mayBeMixed([27, 27], of: 64))
    #expect(!mayBeMixed([21], of: 21))
    #expect(!mayBeMixed([27, 10], of: 37, isTorn: true))
  }

  @Test("others may be mixed") func irregular() {
    #expect(mayBeMixed([1, 19], of: 21), "it is unknown where the header comes from")
    #expect(mayBeMixed([3, 3], of: nil))
    #expect(mayBeMixed([20, 20], of: 64), "a PDU with a key would be split, too")
    #expect(mayBeMixed([27, 10], of: 64), "only the last piece is shorter")
    #expect(mayBeMixed([27, 10, 27], of: 64))
    #expect(mayBeMixed([27, 28], of: 55))
    #expect(mayBeMixed([27, 27], of: 50), "too long")
    #expect(mayBeMixed([16, 3], of: 19), "it fits one packet")
    #expect(mayBeMixed([27, 10], of: 37, largest: 251, isTorn: true))
    #expect(!mayBeMixed([27, 10], of: 37, largest: 251))
  }
}
