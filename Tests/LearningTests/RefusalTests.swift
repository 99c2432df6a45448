import Testing

@testable import Learning

/// Values without structure: nothing may be claimed of them.
struct RefusalTests {
  enum Kind: CaseIterable {
    case random, lengths, blocks, kindByte, fewBytes, measured
  }

  private func values(_ kind: Kind, _ random: inout SeededGenerator) -> [[UInt8]] {
    let count = Int.random(in: 8...120, using: &random)
    let size = Int.random(in: 4...24, using: &random)
    let blocks = (0..<4).map { _ in random.bytes(16) }
    var (slow, fast) = (Int(random.byte()) * 100, Int(random.byte()))
    return (0..<count).map { _ in
      switch kind {
      case .random: return random.bytes(size)
      case .lengths: return random.bytes(Int.random(in: 1...24, using: &random))
      case .blocks:
        return (0..<2).flatMap { _ in
          Bool.random(using: &random)
            ? random.bytes(16) : blocks.randomElement(using: &random) ?? []
        }
      case .kindByte:
        let number = Int.random(in: 1...4, using: &random)
        return [UInt8(number)] + random.bytes(size + 3 * (number % 2))
      case .fewBytes:
        return (0..<size).map { _ in [0, 0, 0, 1, 255].randomElement(using: &random) ?? 0 }
      case .measured:
        slow += Int.random(in: -3...3, using: &random)
        fast = max(0, fast + Int.random(in: -20...20, using: &random))
        return [0x06, UInt8(slow & 0xff), UInt8(slow >> 8 & 0xff), UInt8(fast & 0xff), 0]
      }
    }
  }

  /// Of 1000 sets, at most 10 may get a claim, and none that is certain; here are 240 of them.
  @Test func structurelessValuesGetNoClaim() {
    var random = SeededGenerator(seed: 48)
    var claims: [String] = []
    for round in 0..<40 {
      for kind in Kind.allCases {
        let learnt = FrameSearch.learn(ObservedValue.series(values(kind, &random)))
        for frame in learnt.kinds {
          let isCertain =
            frame.checksum?.confidence == .certain || frame.length?.confidence == .certain
          #expect(!isCertain, "\(kind), round \(round)")
          claims.append(
            "\(kind), round \(round): \(frame.start) \(String(describing: frame.length)) \(String(describing: frame.checksum))"
          )
        }
      }
    }
    #expect(claims.count <= 2, "\(claims)")
  }

  /// A byte that repeats another one, while the others are mostly 0, is no checksum: a lamp whose
  /// user only tried shades of red.
  @Test func aCopyOfOneByteIsNoChecksum() {
    var values = (0..<70).map { place -> [UInt8] in
      let red = UInt8(place * 3 & 0xff)
      return [0x69, 0x96, 0x05, 0x02, red, 0, 0, red]
    }
    values[5] = [0x69, 0x96, 0x05, 0x02, 0, 0x7f, 0, 0x7f]
    values[9] = [0x69, 0x96, 0x05, 0x02, 0, 0, 0x7f, 0x7f]
    let learnt = FrameSearch.learn(ObservedValue.series(values))
    #expect(learnt.kinds.allSatisfy { $0.checksum == nil && $0.partial == nil })
  }
}
