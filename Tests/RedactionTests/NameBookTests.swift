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

  /// Names with the same part: the first one counts, as if all were compared.
  @Test func partsOfSeveral() {
    var names = names
    for name in ["Bernd's phone", "Clara's phone", "phone", "Zoe's phone"] {
      names.learn(Array(name.utf8))
    }
    let parts = NameParts(names)
    for (name, offset) in [("Bernd's phone", 8), ("Zoe's phone", 6), ("phone", 1)] {
      let (bytes, whole) = (Array(name.utf8), names[Array(name.utf8)])
      let part = Array(bytes[offset...])
      #expect(parts.pseudonym(of: part.bytes, at: offset, names) == Array(whole[offset...]))
    }
    let other = Array("tablet".utf8)
    #expect(parts.pseudonym(of: other.bytes, at: 8, names) == names[other])
  }

  /// Once a name had no room, no more names are added.
  @Test func room() {
    var limits = BookLimits()
    limits.bytes = 20
    var names = NameBook(.fixed(), keepsNames: false, limits)
    for name in ["Anna's phone", "Bernd's phone", "Clara", "Anna's phone"] {
      names.learn(Array(name.utf8))
    }
    #expect(names.listed == [Array("Anna's phone".utf8)])
    #expect(names.unlisted == 2)
    #expect(names[Array("Bernd's phone".utf8)] != Array("Bernd's phone".utf8))
  }

  @Test func kept() {
    let names = NameBook(.fixed(), keepsNames: true)
    #expect(names[Array("Anna".utf8)] == Array("Anna".utf8))
  }
}
