package import Dissectors

/// Which tables were full in a capture, each with the packet at which that was said.
///
/// Reports that do not show each packet's problems have it from here.
package struct ReachedLimits: Sendable {
  /// The packet of each kind, 0 for those that were not reached, by `Problem.Limited`; and the limit.
  private var packets = InlineArray<16, Int>(repeating: 0)
  private var limits = InlineArray<16, UInt32>(repeating: 0)

  /// None.
  init() {}

  /// Takes in a packet's problems; of each limit the first packet counts.
  mutating func note(_ problems: Problems, packet: Int) {
    for index in 0..<problems.count where problems[index].code == .limitReached {
      let place = Int(problems[index].second)
      guard packets.indices.contains(place), packets[place] == 0 else { continue }
      packets[place] = packet
      limits[place] = problems[index].first
    }
  }

  /// The problems that told of them, and their packets, in the order of the packets.
  package var all: [(problem: Problem, packet: Int)] {
    Problem.Limited.allCases.compactMap { limited in
      let packet = packets[limited.rawValue]
      return packet == 0
        ? nil : (Problem(limited, limit: Int(limits[limited.rawValue])), packet)
    }.sorted { $0.packet < $1.packet }
  }
}
