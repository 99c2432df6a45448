/// Packets by their numbers, a bit each.
package struct ChosenPackets: Sendable, Equatable {
  private var words: [UInt64] = []
  /// How many there are.
  package private(set) var count = 0
  /// The highest number; 0 where there is none.
  package private(set) var last = 0

  /// No packet.
  package init() {}

  /// Whether a packet is one of them.
  package func contains(_ number: Int) -> Bool {
    let word = number >> 6
    return words.indices.contains(word) && words[word] >> UInt64(number & 63) & 1 == 1
  }

  /// Takes a packet in, whose number is from 1 on.
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

  /// Takes packets in.
  mutating func insert(_ numbers: some Sequence<Int>) {
    for number in numbers { insert(number) }
  }
}
