// Finds the checksum of frames: an algorithm, its place from the frame's end, and the first byte
// that it covers. A few frames show which hypotheses are worth testing on all of them.

import Decoders
import Glibc

struct ChecksumSearch {
  /// The last first byte that is tried, and the most bytes after a checksum.
  static let lastFirst = 9
  static let mostAfter = 3
  /// log2 of the number of hypotheses: starts, places, first bytes, algorithms, byte orders.
  static let triedBits = 13.0
  /// The number of frames that a hypothesis is tried on first.
  private static let probeCount = 5
  /// The number of frames on which the others are tested.
  private static let mostTested = 1000

  private struct Hypothesis {
    var algorithm: ChecksumAlgorithm
    var after: Int
    var isBigEndian: Bool
    var first: Int
  }

  private let frames: [[UInt8]]
  private let probes: [[UInt8]]
  private var found: [LearntChecksum] = []

  /// - Parameter frames: different frames.
  init(_ frames: [[UInt8]]) {
    self.frames = Self.evenly(frames, Self.mostTested)
    probes = Self.evenly(frames, Self.probeCount)
  }

  /// Returns at most `most` of the elements, evenly.
  static func evenly<Element>(_ elements: [Element], _ most: Int) -> [Element] {
    guard elements.count > most else { return elements }
    return (0..<most).map { elements[$0 * elements.count / most] }
  }

  /// Returns the checksum with the strongest evidence; nil if none has enough.
  static func find(_ frames: [[UInt8]]) -> LearntChecksum? {
    guard frames.count >= 4 else { return nil }
    var search = ChecksumSearch(frames)
    search.trySums()
    search.tryNamedCRCs()
    // Some CRCs contain an exclusive or with a constant.
    if search.found.allSatisfy(\.algorithm.isFree), frames.count >= Evidence.certainFrames {
      search.tryAnyCRC()
    }
    return search.best
  }

  /// The strongest; of equally strong ones the simplest.
  private var best: LearntChecksum? {
    guard let most = found.map(\.evidence.bits).max() else { return nil }
    return found.filter { $0.evidence.bits > most - 0.5 }.min { Self.rank($0) < Self.rank($1) }
  }

  private static func rank(_ checksum: LearntChecksum) -> Int {
    let algorithm =
      checksum.algorithm.number
      ?? 32 + 2 * checksum.algorithm.width + (checksum.algorithm.kind == .crc ? 32 : 0)
    return (algorithm << 1 | (checksum.isBigEndian ? 0 : 1)) << 8 | checksum.first << 4
      | checksum.after
  }

  // MARK: Sums

  private mutating func trySums() {
    let sums = probes.map { frame in
      var (sum, xor) = ([Int](), [UInt8]())
      var (lastSum, lastXor) = (0, UInt8(0))
      for byte in frame {
        sum.append(lastSum)
        xor.append(lastXor)
        lastSum += Int(byte)
        lastXor ^= byte
      }
      return (sum: sum, xor: xor)
    }
    let wanted = probes.count - (probes.count >= Self.probeCount ? 1 : 0)
    for after in 0...Self.mostAfter {
      for first in 0...Self.lastFirst {
        for form in SumForm.allCases {
          var constants: [UInt32] = []
          for (index, frame) in probes.enumerated() {
            let place = frame.count - after - form.width
            guard place > first else { continue }
            let sum = sums[index].sum[place] - sums[index].sum[first]
            let xor = UInt32(sums[index].xor[place] ^ sums[index].xor[first])
            constants.append(form.constant(frame, place, sum, xor))
          }
          // Two of the first three agree with any constant that most agree with.
          guard constants.count >= wanted,
            let constant = constants.first(where: { constant in
              constants.count { $0 == constant } >= wanted
            })
          else { continue }
          test(
            Hypothesis(
              algorithm: form.algorithm(constant), after: after, isBigEndian: form.isBigEndian,
              first: first))
        }
      }
    }
  }

  // MARK: CRCs

  /// An algorithm with a name, whose results for all beginnings of a frame are computed in one
  /// pass. Like all of these, it reflects both input and result or neither, and its initial value
  /// is 0 or all ones.
  private struct NamedCRC {
    let algorithm: ChecksumAlgorithm
    private let table: [UInt32]

    init(_ algorithm: ChecksumAlgorithm) {
      self.algorithm = algorithm
      var plain = algorithm
      (plain.initial, plain.inverted) = (0, 0)
      table = (0...UInt8.max).map { plain.compute([$0], 0..<1) }
    }

    /// Returns the remainder after one more byte.
    func step(_ value: UInt32, _ byte: UInt8) -> UInt32 {
      if algorithm.reflectsInput {
        return value >> 8 ^ table[Int((value ^ UInt32(byte)) & 0xff)]
      }
      let top = value >> UInt32(8 * algorithm.width - 8)
      return value << 8 & algorithm.mask ^ table[Int((top ^ UInt32(byte)) & 0xff)]
    }
  }

  private static let namedCRCs = ChecksumAlgorithm.named.map { $0.algorithm }
    .filter { $0.kind == .crc }.map { NamedCRC($0) }

  private mutating func tryNamedCRCs() {
    // What four of five frames have, one of the first two has.
    for crc in Self.namedCRCs {
      var hits: Set<Int> = []
      for frame in probes.prefix(2) {
        for first in 0...Self.lastFirst where first < frame.count {
          let width = crc.algorithm.width
          var value = crc.algorithm.initial
          for place in first..<frame.count {
            let after = frame.count - place - width
            if after < 0 { break }
            if after <= Self.mostAfter, place > first {
              let result = value ^ crc.algorithm.inverted
              let hit = (first << 2 | after) << 1
              if frame.number(at: place, width: width, isBigEndian: true) == result {
                hits.insert(hit | 1)
              }
              if width > 1, frame.number(at: place, width: width, isBigEndian: false) == result {
                hits.insert(hit)
              }
            }
            value = crc.step(value, frame[place])
          }
        }
      }
      for hit in hits.sorted() {
        test(
          Hypothesis(
            algorithm: crc.algorithm, after: hit >> 1 & 3,
            isBigEndian: hit & 1 == 1, first: hit >> 3))
      }
    }
  }

  private mutating func tryAnyCRC() {
    for (after, first, isBigEndian, crc) in CRCSearch.find(frames) {
      test(
        Hypothesis(
          algorithm: crc, after: after, isBigEndian: isBigEndian, first: first))
    }
  }

  // MARK: Testing

  private mutating func test(_ hypothesis: Hypothesis) {
    let nothing = Evidence(matches: 0, frames: 0, bits: 0)
    var checksum = LearntChecksum(
      algorithm: hypothesis.algorithm, after: hypothesis.after,
      isBigEndian: hypothesis.isBigEndian, first: hypothesis.first, evidence: nothing,
      confidence: .likely)
    let failing = probes.count { !checksum.matches($0) }
    guard failing <= (probes.count >= Self.probeCount ? 1 : 0) else { return }
    guard let evidence = Self.evidence(checksum, frames) else { return }
    checksum.evidence = evidence
    guard let confidence = evidence.confidence(isFree: checksum.algorithm.isFree) else { return }
    checksum.confidence = confidence
    found.append(checksum)
  }

  /// Returns the evidence for a checksum; nil if too few agree, or if what it covers varies in
  /// one byte alone, whose copy may be anything.
  ///
  /// - Parameter isKnown: whether it is that of other frames of the same device.
  static func evidence(
    _ checksum: LearntChecksum, _ frames: [[UInt8]], isKnown: Bool = false
  ) -> Evidence? {
    var columns = [ByteFrequencies](repeating: ByteFrequencies(), count: checksum.width)
    var known: Set<ArraySlice<UInt8>> = []
    var matched: [(place: Int, frame: [UInt8])] = []
    var (different, agreeing) = (0, 0)
    var firstCovered: ArraySlice<UInt8> = []
    var varying: Set<Int> = []
    for frame in frames {
      guard let place = checksum.place(in: frame) else { continue }
      // Frames that differ elsewhere only count once.
      guard known.insert(frame[checksum.first..<place + checksum.width]).inserted else { continue }
      different += 1
      for byte in 0..<checksum.width { columns[byte].add(frame[place + byte]) }
      let covered = frame[checksum.first..<place]
      if firstCovered.isEmpty { firstCovered = covered }
      if varying.count < 2 {
        if covered.count != firstCovered.count { varying.insert(-1) }
        for index in covered.indices.prefix(firstCovered.count)
        where covered[index] != firstCovered[index] { varying.insert(index) }
      }
      guard checksum.matches(frame) else { continue }
      agreeing += 1
      matched.append((place, frame))
    }
    guard varying.count >= 2, agreeing >= 4,
      isKnown ? agreeing * 4 >= different * 3 : Evidence.isEnough(agreeing, of: different)
    else { return nil }
    let bits = columns.map { $0.bits() }
    var evidence = Evidence(matches: agreeing, frames: different, bits: 0)
    // Of frames whose checksum is only a copy of one byte, the first alone counts.
    let copies = copies(matched, checksum)
    var isFirst = true
    for (index, (place, frame)) in matched.enumerated() {
      if copies.contains(index) {
        guard isFirst else { continue }
        isFirst = false
      }
      for byte in 0..<checksum.width { evidence.bits += bits[byte][Int(frame[place + byte])] }
    }
    evidence.bits -=
      (isKnown ? 2 : triedBits + constantBits(checksum.algorithm))
      + Evidence.cost(exceptions: evidence.exceptions, of: different)
    return evidence
  }

  /// Returns the frames whose checksum is the byte at one distance before it: as if everything else
  /// that it covers were 0.
  private static func copies(
    _ frames: [(place: Int, frame: [UInt8])], _ checksum: LearntChecksum
  ) -> Set<Int> {
    var most: [Int] = []
    for distance in 1...16 {
      var copies: [Int] = []
      for (index, (place, frame)) in frames.enumerated() where place - distance >= checksum.first {
        if checksum.found(in: frame, at: place) == UInt32(frame[place - distance]) {
          copies.append(index)
        }
      }
      if copies.count > most.count { most = copies }
    }
    // A few are chance.
    return most.count * 2 > frames.count ? Set(most) : []
  }

  /// Returns the bits of the numbers that were fitted to the frames.
  private static func constantBits(_ algorithm: ChecksumAlgorithm) -> Double {
    guard algorithm.isFree else { return 0 }
    let bits = Double(8 * algorithm.width)
    return algorithm.kind == .crc ? bits * (algorithm.isPlain ? 1 : 2) + 2 : bits
  }
}

/// The forms of sums that are tried: what remains of a checksum without the sum is the same number
/// in all frames.
private enum SumForm: CaseIterable {
  case xor8, sum8, negated8, sum16Big, sum16Little, negated16Big, negated16Little

  var width: Int {
    switch self {
    case .xor8, .sum8, .negated8: 1
    default: 2
    }
  }

  var isBigEndian: Bool {
    switch self {
    case .sum16Little, .negated16Little: false
    default: true
    }
  }

  func constant(_ frame: [UInt8], _ place: Int, _ sum: Int, _ xor: UInt32) -> UInt32 {
    let sum = UInt32(truncatingIfNeeded: sum)
    switch self {
    case .xor8: return UInt32(frame[place]) ^ xor
    case .sum8: return (UInt32(frame[place]) &- sum) & 0xff
    case .negated8: return (UInt32(frame[place]) &+ sum) & 0xff
    default: break
    }
    let number = frame.number(at: place, width: 2, isBigEndian: isBigEndian)
    switch self {
    case .sum16Big, .sum16Little: return (number &- sum) & 0xffff
    default: return (number &+ sum) & 0xffff
    }
  }

  /// Returns the algorithm that leaves a constant.
  func algorithm(_ constant: UInt32) -> ChecksumAlgorithm {
    switch self {
    case .xor8:
      var xor = ChecksumAlgorithm.xor8
      xor.inverted = constant
      return xor
    case .sum8: return adding(constant, to: .sum8)
    case .negated8: return adding(constant, to: .sum8Negated)
    case .sum16Big, .sum16Little: return adding(constant, to: .sum16)
    case .negated16Big, .negated16Little: return adding(constant, to: .sum16Negated)
    }
  }

  private func adding(
    _ constant: UInt32, to algorithm: ChecksumAlgorithm
  ) -> ChecksumAlgorithm {
    var sum = algorithm
    sum.added = (sum.added &+ constant) & sum.mask
    return sum
  }
}
