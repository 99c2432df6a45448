import Histories
import Meanings
import Sessions

// Reports each event once, even if the capture has both ends of a link or the event is repeated.

extension Finding {
  /// Merges what a rule found at both ends of a link. Keeps the finding with more evidence, which
  /// then refers to the other end.
  ///
  /// - Parameters:
  ///   - ends: the connections that are the ends of one link.
  ///   - reported: the connections that are reported; nil: all.
  static func reportedOnce(
    _ findings: [Finding], _ ends: [Int: Int], among reported: Set<Int>?
  ) -> [Finding] {
    if ends.isEmpty { return findings }
    var numbers: [[Int]: Int] = [:]
    for finding in findings { numbers[finding.connections.sorted(), default: 0] += 1 }
    var kept: [Finding] = []
    // For each kept finding, the connections at the other ends, until the matching finding has been
    // merged.
    var awaited: [[Int]?] = []
    for finding in findings {
      let own = finding.connections.sorted()
      if let place = awaited.firstIndex(where: { $0 == own }) {
        awaited[place] = nil
        kept[place] = kept[place].seenFromBothSides(finding)
        continue
      }
      kept.append(finding)
      let others = own.compactMap { ends[$0] }.sorted()
      let isWhole = !others.isEmpty && others.count == own.count
      let areReported = reported.map { $0.isSuperset(of: others + own) } ?? true
      // If one end has more findings than the other, it is unknown which ones match.
      let isEqual = numbers[others] == numbers[own]
      awaited.append(isWhole && areReported && isEqual ? others : nil)
    }
    return kept
  }

  /// Merges equal findings of a rule on one connection.
  static func folded(_ findings: [Finding]) -> [Finding] {
    // Most rules find one thing at most.
    if findings.count < 2 { return findings }
    var kept: [(finding: Finding, times: Int)] = []
    var places: [String: Int] = [:]
    for finding in findings {
      let severity = finding.severity.map { Int($0.rawValue) } ?? -1
      let key = "\(finding.connections) \(severity) \(finding.isResolved) \(finding.what.text)"
      guard finding.connections.count == 1, let place = places[key] else {
        places[key] = kept.count
        kept.append((finding, 1))
        continue
      }
      kept[place].times += 1
      kept[place].finding.evidence = PacketSet(
        merging: [kept[place].finding.evidence, finding.evidence])
    }
    return kept.map { finding, times in
      guard times > 1 else { return finding }
      var finding = finding
      finding.what = "\(finding.what), \(times) times"
      return finding
    }
  }
}

extension Finding {
  /// Returns one of two findings of the same event, marked as seen from the other end, too.
  fileprivate func seenFromBothSides(_ other: Finding) -> Finding {
    var (one, other) = (self, other)
    if other.evidence.ranges.count > one.evidence.ranges.count { swap(&one, &other) }
    one.otherEnds = (other.connections.sorted(), other.evidence)
    return one
  }

  /// Adds to the note that the other ends show the same.
  ///
  /// - Parameter connections: the capture's connections. What led to an event may be on an earlier
  ///   one.
  mutating func mentionOtherEnds(among connections: [ConnectionHistory]) {
    let (others, evidence) = otherEnds
    guard let one = others.first else { return }
    let names: Wording =
      others.count > 4
      ? "\(others.count) connections" : "connections \(Wording(listing: others.map { "\($0)" }))"
    let ends: Wording =
      others.count == 1
      ? "connection \(one), the other end of this link, shows"
      : "\(names), the other ends of these links, show"
    let begin = connections.first { $0.id == one }?.connection.firstPacket ?? 0
    let first = evidence.ranges.first { $0.upperBound >= begin }.map { max($0.lowerBound, begin) }
    let place: Wording = first.map { " (from \(packet: $0) on)" } ?? ""
    note = Wording(sentences: note ?? "", "Seen from both sides: \(ends) the same\(place).")
  }
}
