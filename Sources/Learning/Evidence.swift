// Evidence in bits. A claim is tested on different frames only, and what a frame is worth depends
// on how often its check bytes have the value that they have: a byte that is always 0 proves
// nothing.

import Glibc

/// How sure a claim is.
package enum Confidence: Sendable, Equatable {
  case certain, likely

  /// The name in text, profiles and JSON.
  package var name: StaticString {
    switch self {
    case .certain: "certain"
    case .likely: "likely"
    }
  }
}

/// The evidence for a claim.
package struct Evidence: Sendable, Equatable {
  /// The number of different frames that agree, and of those that were tested.
  package var matches: Int
  package var frames: Int
  /// The sum of −log2 of each frame's chance to agree by accident, minus log2 of the number of
  /// hypotheses that were tried.
  package var bits: Double

  package var exceptions: Int { frames - matches }

  /// The least bits of a certain and of a likely claim, and the least different frames of a
  /// certain one.
  package static let certainBits = 40.0
  package static let likelyBits = 24.0
  package static let certainFrames = 8

  /// Returns how sure the claim is; nil: too little is known to make it.
  ///
  /// - Parameter isFree: whether the claim has a constant that was fitted to the frames.
  func confidence(isFree: Bool = false) -> Confidence? {
    if bits >= Self.certainBits, matches >= Self.certainFrames { return .certain }
    return bits >= Self.likelyBits && !isFree ? .likely : nil
  }

  /// Returns log2 of the number of ways to choose the exceptions.
  static func cost(exceptions: Int, of frames: Int) -> Double {
    var bits = 0.0
    for index in 0..<exceptions { bits += log2(Double(frames - index) / Double(index + 1)) }
    return bits
  }

  /// The share of different frames that must agree.
  static func isEnough(_ matches: Int, of frames: Int) -> Bool { matches * 10 >= frames * 9 }
}

/// How often a byte has each value. The chance of a value that occurs once is what Good and Turing
/// give to all that were not seen yet, shared by these.
struct ByteFrequencies {
  private var counts = [Int](repeating: 0, count: 256)
  private(set) var total = 0

  mutating func add(_ byte: UInt8) {
    counts[Int(byte)] += 1
    total += 1
  }

  /// The number of different values.
  var different: Int { counts.count { $0 > 0 } }

  /// Returns −log2 of each value's chance.
  func bits() -> [Double] {
    let different = different
    guard different > 1 else { return [Double](repeating: 0, count: 256) }
    let single = counts.count { $0 == 1 }
    let new = Double(single + 1) / Double(total + 1)
    let share = new / Double(max(1, 256 - different))
    return counts.map { count in
      let chance = count <= 1 ? share : max(share, (1 - new) * Double(count) / Double(total))
      return chance > 0 ? min(8, -log2(chance)) : 8
    }
  }
}
