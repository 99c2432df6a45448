/// The packets that form the evidence, in the order in which to read them.
package struct PacketSet: Equatable, Sendable, ExpressibleByArrayLiteral {
  /// Ranges of packet numbers, as `show --packets` accepts them. A single packet is a range of one.
  package private(set) var ranges: [ClosedRange<Int>] = []

  /// Creates an empty set.
  package init() {}

  package init(arrayLiteral elements: Int...) { for packet in elements { insert(packet) } }

  /// Creates a set of packets without duplicates.
  package init(_ packets: some Sequence<Int>) { for packet in packets { insert(packet) } }

  /// Creates a set of one range.
  package init(_ range: ClosedRange<Int>) { ranges = [range] }

  /// Creates a set of packets in capture order, with consecutive packets as one range.
  package init(runsOf packets: some Sequence<Int>) {
    for packet in packets.sorted() where packet > 0 {
      if let last = ranges.last, packet <= last.upperBound + 1 {
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, packet)
      } else {
        ranges.append(packet...packet)
      }
    }
  }

  /// Creates the union of several sets, in capture order.
  package init(merging sets: [PacketSet]) {
    for range in sets.flatMap(\.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = ranges.last, range.upperBound <= last.upperBound { continue }
      ranges.append(range)
    }
  }

  package var isEmpty: Bool { ranges.isEmpty }
  /// The lowest packet number.
  package var first: Int? { ranges.map(\.lowerBound).min() }
  /// The highest packet number.
  package var last: Int? { ranges.map(\.upperBound).max() }

  /// Inserts a packet, unless it is already present or 0 (no packet).
  package mutating func insert(_ packet: Int?) {
    guard let packet, packet > 0, !ranges.contains(where: { $0.contains(packet) }) else { return }
    ranges.append(packet...packet)
  }

  /// Appends a range.
  package mutating func insert(_ range: ClosedRange<Int>) {
    if range.count == 1 { insert(range.lowerBound) } else { ranges.append(range) }
  }

  /// Returns the union with another set.
  package func union(_ other: PacketSet) -> PacketSet {
    var union = self
    for range in other.ranges { union.insert(range) }
    return union
  }

  package init(of moments: Moment?...) { self.init(moments.compactMap { $0?.packet }) }

  package init(of packets: Int?...) { self.init(packets.compactMap(\.self)) }

  /// Inserts the packets of the moments that exist.
  package mutating func insert(of moments: Moment?...) {
    for moment in moments { insert(moment?.packet) }
  }

  /// The same packets in the order of the capture.
  package var sorted: PacketSet {
    ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: PacketSet()) { $0.insert($1) }
  }
}
