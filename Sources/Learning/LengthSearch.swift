// Length fields: a number at a fixed place that, plus a constant, is the length of each frame.

import Glibc

/// The number in a frame from which its length follows.
package struct LearntLength: Sendable, Equatable {
  package var at: Int
  package var width: Int
  package var isBigEndian: Bool
  /// What is added to the number to get the length of the whole frame.
  package var add: Int
  /// The number of different lengths that agree.
  package var lengths: Int
  package var evidence: Evidence
  package var confidence: Confidence

  /// Returns the number; nil if the bytes end before it.
  func number(in bytes: [UInt8]) -> Int? {
    guard at + width <= bytes.count else { return nil }
    return Int(bytes.number(at: at, width: width, isBigEndian: isBigEndian))
  }

  /// Returns the length of the frame that begins with some bytes; nil: not known yet.
  func total(of bytes: [UInt8]) -> Int? { number(in: bytes).map { $0 + add } }
}

enum LengthSearch {
  /// The last place of a length, and what may be added to it.
  static let lastPlace = 15
  static let added = -2...16
  /// log2 of the number of hypotheses: places, types and constants.
  static let triedBits = 10.0

  /// Returns the length fields that agree with different frames, the best first.
  ///
  /// - Parameter lengths: the length of each frame, without what pads it.
  static func candidates(_ frames: [[UInt8]], lengths: [Int]) -> [LearntLength] {
    let different = Set(lengths)
    guard frames.count >= 4, different.count >= 2 else { return [] }
    var found: [LearntLength] = []
    for at in 0...lastPlace {
      for (width, isBigEndian) in [(1, false), (2, false), (2, true)] {
        var length = LearntLength(
          at: at, width: width, isBigEndian: isBigEndian, add: 0, lengths: 0,
          evidence: Evidence(matches: 0, frames: frames.count, bits: 0), confidence: .likely)
        guard let add = commonest(frames, lengths, length) else { continue }
        length.add = add
        if let judged = judge(length, frames, lengths) { found.append(judged) }
      }
    }
    return found.sorted { first, second in
      if first.evidence.matches != second.evidence.matches {
        return first.evidence.matches > second.evidence.matches
      }
      if first.width != second.width { return first.width < second.width }
      return first.at < second.at
    }
  }

  /// Returns the commonest difference between the length of a frame and the number.
  private static func commonest(
    _ frames: [[UInt8]], _ lengths: [Int], _ length: LearntLength
  ) -> Int? {
    var counts = [Int](repeating: 0, count: added.count)
    for (index, frame) in frames.enumerated() {
      guard let number = length.number(in: frame) else { continue }
      let add = lengths[index] - number
      if added.contains(add) { counts[add - added.lowerBound] += 1 }
    }
    guard let most = counts.max(), Evidence.isEnough(most, of: frames.count),
      let place = counts.firstIndex(of: most)
    else { return nil }
    return place + added.lowerBound
  }

  private static func judge(
    _ length: LearntLength, _ frames: [[UInt8]], _ lengths: [Int]
  ) -> LearntLength? {
    var columns = [ByteFrequencies](repeating: ByteFrequencies(), count: length.width)
    for frame in frames where length.at + length.width <= frame.count {
      for byte in 0..<length.width { columns[byte].add(frame[length.at + byte]) }
    }
    let bits = columns.map { $0.bits() }
    var result = length
    var matched: Set<Int> = []
    for (index, frame) in frames.enumerated() where length.total(of: frame) == lengths[index] {
      result.evidence.matches += 1
      matched.insert(lengths[index])
      for byte in 0..<length.width {
        result.evidence.bits += bits[byte][Int(frame[length.at + byte])]
      }
    }
    result.evidence.bits -=
      triedBits
      + Evidence.cost(exceptions: result.evidence.exceptions, of: frames.count)
    result.lengths = matched.count
    return matched.count >= 2 && result.evidence.bits > 0 ? result : nil
  }

  /// Returns how sure a length is, given the checksum of the frames that it ends; nil: there is too
  /// little evidence for it.
  static func confidence(
    _ length: LearntLength, beside checksum: LearntChecksum?
  ) -> Confidence? {
    guard let checksum else {
      // A kind of frame may have its own length and its own number by chance.
      return length.lengths >= 3 ? length.evidence.confidence() : nil
    }
    let end = length.at + length.width
    let usual = [0, end, end + checksum.width, end + checksum.width + checksum.after]
    let isUsual = usual.contains(length.add)
    let isProven =
      length.lengths >= 3 && (isUsual || length.evidence.bits >= Evidence.certainBits)
      || length.lengths == 2 && isUsual
    guard isProven || length.lengths >= 3 else { return nil }
    let isCertain =
      isProven && checksum.confidence == .certain
      && length.evidence.matches >= Evidence.certainFrames
    return isCertain ? .certain : .likely
  }
}
