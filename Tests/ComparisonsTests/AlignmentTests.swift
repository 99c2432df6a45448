import Testing

@testable import Comparisons

@Suite("Alignment of two sequences")
struct AlignmentTests {
  /// Returns the length of the longest common subsequence, by the usual table.
  private static func longest(_ left: [Int], _ right: [Int]) -> Int {
    var row = [Int](repeating: 0, count: right.count + 1)
    for element in left {
      var corner = 0
      for (place, other) in right.enumerated() {
        let above = row[place + 1]
        row[place + 1] = element == other ? corner + 1 : max(above, row[place])
        corner = above
      }
    }
    return row[right.count]
  }

  /// Returns what is wrong with pairs; empty if each joins equal elements, and they ascend on both
  /// sides.
  private static func faults(
    _ pairs: [Alignment.Pair], _ left: [Int], _ right: [Int]
  ) -> [String] {
    var faults: [String] = []
    var last = (-1, -1)
    for pair in pairs {
      if left[pair.left] != right[pair.right] { faults.append("\(pair) are not equal") }
      if pair.left <= last.0 || pair.right <= last.1 { faults.append("\(pair) after \(last)") }
      last = (pair.left, pair.right)
    }
    return faults
  }

  @Test("Small sequences have as many pairs as their longest common subsequence")
  func small() {
    var generator = SeededGenerator(seed: 20_261_122)
    for round in 0..<4000 {
      let letters = Int.random(in: 1...6, using: &generator)
      let make = { (generator: inout SeededGenerator) in
        (0..<Int.random(in: 0...24, using: &generator)).map { _ in
          Int.random(in: 0..<letters, using: &generator)
        }
      }
      let (left, right) = (make(&generator), make(&generator))
      let pairs = Alignment.pairs(left, right)
      #expect(Self.faults(pairs, left, right) == [], "round \(round): \(left) and \(right)")
      #expect(
        pairs.count == Self.longest(left, right),
        "round \(round): \(left) and \(right) have pairs \(pairs)")
    }
  }

  @Test("Equal sequences are paired one by one, empty ones not at all")
  func equal() {
    let elements = (0..<100_000).map { $0 % 7 }
    #expect(
      Alignment.pairs(elements, elements)
        == elements.indices.map { Alignment.Pair(left: $0, right: $0) })
    #expect(Alignment.pairs([], elements) == [])
    #expect(Alignment.pairs(elements, []) == [])
  }

  @Test("A long insertion is found by elements that are unique on both sides")
  func insertion() {
    var generator = SeededGenerator(seed: 7)
    let left = (0..<20_000).map { $0 % 50 == 0 ? 1000 + $0 : $0 % 3 }
    let inserted = (0..<5000).map { _ in Int.random(in: 0..<3, using: &generator) }
    let right = inserted + left
    let pairs = Alignment.pairs(left, right)
    #expect(Self.faults(pairs, left, right) == [])
    #expect(pairs.count == left.count, "the right side contains the left one")
  }

  @Test(
    "In any disorder many possible pairs are found, in time that grows with the length",
    arguments: [(letters: 2, least: 0.7), (letters: 40, least: 0.1), (letters: .max, least: 0.001)])
  func disorder(letters: Int, least: Double) throws {
    var generator = SeededGenerator(seed: 99)
    let clock = ContinuousClock()
    var times: [Duration] = []
    // The fastest of three measurements each, because of other load.
    for count in [10_000, 80_000] {
      let make = { (generator: inout SeededGenerator) in
        (0..<count).map { _ in Int.random(in: 0..<min(letters, count), using: &generator) }
      }
      let (left, right) = (make(&generator), make(&generator))
      var pairs: [Alignment.Pair] = []
      let times3 = (0..<3).map { _ in clock.measure { pairs = Alignment.pairs(left, right) } }
      times.append(times3.min() ?? .zero)
      #expect(Self.faults(pairs, left, right) == [])
      let share = Double(pairs.count) / Double(count)
      #expect(share >= least, "\(letters) letters: \(pairs.count) of \(count)")
    }
    // Eight times as many elements; comparing each with each would take 64 times as long.
    #expect(times[1] < times[0] * 24, "\(letters) letters: \(times)")
  }

  @Test(
    "A long run of equal elements after disorder is found without repeated passes over it")
  func disorderAndRun() {
    var generator = SeededGenerator(seed: 20_261_123)
    // Each value twice, so that none is an anchor; a different last element, so that nothing is
    // trimmed.
    let values = (0..<8000).flatMap { [$0, $0] }
    let run = [Int](repeating: -1, count: 50_000)
    let left = values.shuffled(using: &generator) + run + [-2, -3]
    let right = values.shuffled(using: &generator) + run + [-3, -2]
    let clock = ContinuousClock()
    var pairs: [Alignment.Pair] = []
    let time = clock.measure { pairs = Alignment.pairs(left, right) }
    #expect(Self.faults(pairs, left, right).isEmpty)
    #expect(pairs.count >= run.count)
    // Measured without optimisation: 0.3 s; 62 s if each search passes over the run.
    #expect(time < .seconds(30), "\(time)")
  }
}

/// SplitMix64: the same numbers on every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

}
