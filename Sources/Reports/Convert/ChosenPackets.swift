/// A set of packet numbers, with one bit for each.
package struct ChosenPackets: Sendable, Equatable {
  private var words: [UInt64] = []
  /// The number of packets in the set.
  package private(set) var count = 0
  /// The highest packet number, or 0 if the set is empty.
  package private(set) var last = 0

  package init() {}

  /// Returns whether the set contains a packet.
  package func contains(_ number: Int) -> Bool {
    let word = number >> 6
    return words.indices.contains(word) && words[word] >> UInt64(number & 63) & 1 == 1
  }

  /// Inserts a packet number; numbers below 1 are ignored.
  package mutating func insert(_ number: Int) {
    guard number > 0, !contains(number) else { return }
    let word = number >> 6
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    words[word] |= 1 << UInt64(number & 63)
    count += 1
    last = max(last, number)
  }

  /// Removes packets.
  mutating func subtract(_ other: Self) {
    for place in words.indices.prefix(other.words.count) { words[place] &= ~other.words[place] }
    count = words.reduce(0) { $0 + $1.nonzeroBitCount }
    let top = words.lastIndex { $0 != 0 }
    last = top.map { $0 * 64 + 63 - words[$0].leadingZeroBitCount } ?? 0
  }

  /// Inserts packet numbers.
  mutating func insert(_ numbers: some Sequence<Int>) {
    for number in numbers { insert(number) }
  }
}
