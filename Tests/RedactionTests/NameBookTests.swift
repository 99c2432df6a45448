import Bytes
import Testing

@testable import Redaction

/// Numbers that are the same in every run.
struct FixedNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state
  }
}

extension PseudonymSource {
  /// Returns a source that always gives the same pseudonyms.
  static func fixed(_ seed: UInt64 = 1) -> PseudonymSource {
    var numbers = FixedNumbers(state: seed)
    return PseudonymSource(using: &numbers)
  }
}

@Suite struct NameBookTests {
  private let names = NameBook(.fixed(), keepsNames: false)

  /// A shortened name's pseudonym is the beginning of the complete one's.
  @Test func beginningsAgree() {
    let whole = names[Array("Anna's phone".utf8)]
    let short = names[Array("Anna's".utf8)]
    #expect(whole.count == 12)
    #expect(whole.starts(with: short))
    #expect(whole != Array("Anna's phone".utf8))
    #expect(whole.allSatisfy { $0 < 0x80 && $0 > 0x20 })
  }

  @Test func padding() {
    let padded = names[Array("Anna".utf8) + [0, 0, 0]]
    #expect(padded == names[Array("Anna".utf8)] + [0, 0, 0])
  }

  @Test func parts() {
    var names = names
    names.learn(Array("Anna's phone".utf8))
    let whole = names[Array("Anna's phone".utf8)]
    let part = Array("phone".utf8)
    #expect(NameParts(names).pseudonym(of: part.bytes, at: 7, names) == Array(whole[7...]))
  }

  @Test func kept() {
    let names = NameBook(.fixed(), keepsNames: true)
    #expect(names[Array("Anna".utf8)] == Array("Anna".utf8))
  }
}
