package import Dissectors

/// The tables that were full in a capture, each with the packet at which that was reported.
///
/// For reports that do not show each packet's problems.
package struct ReachedLimits: Sendable {
  /// The packet of each kind, by `Problem.Limited`; 0: not reached. The limits follow.
  private var packets = InlineArray<16, Int>(repeating: 0)
  private var limits = InlineArray<16, UInt32>(repeating: 0)
  /// The tables that were already reported as full, one bit each, by `Problem.Limited`.
  private var reported: UInt16 = 0

  init() {}

  /// Records a packet's problems; for each limit the first packet counts.
  mutating func note(_ problems: Problems, packet: Int) {
    for index in 0..<problems.count where problems[index].code == .limitReached {
      let place = Int(problems[index].second)
      guard packets.indices.contains(place), packets[place] == 0 else { continue }
      packets[place] = packet
      limits[place] = problems[index].first
    }
  }

  /// Reports once that a table is full.
  mutating func report(
    _ isFull: Bool, _ limited: Problem.Limited, _ limit: Int, _ problems: inout Problems
  ) {
    let bit = UInt16(1) << UInt16(limited.rawValue)
    guard isFull, reported & bit == 0 else { return }
    reported |= bit
    problems.add(Problem(limited, limit: limit))
  }

  /// The problems that reported them, and their packets, in the order of the packets.
  package var all: [(problem: Problem, packet: Int)] {
    Problem.Limited.allCases.compactMap { limited in
      let packet = packets[limited.rawValue]
      return packet == 0
        ? nil : (Problem(limited, limit: Int(limits[limited.rawValue])), packet)
    }.sorted { $0.packet < $1.packet }
  }
}
