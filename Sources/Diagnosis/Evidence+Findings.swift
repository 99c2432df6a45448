import Bluetooth
package import Histories
import Meanings
import Sessions

/// What a capture lacks.
private struct Gaps {
  /// The parts that it has of each connection.
  let covered: [Int: Coverage.Parts]
  /// The connections of which packets are missing or cut.
  let lossy: Set<Int>
  /// The connections that were recorded on the air, and the last packet of each before which others
  /// may be missing.
  let onAir: [Int: Int]
  let hasUnseenRecords: Bool

  init(_ evidence: Evidence) {
    covered = evidence.coveredParts
    lossy = Set(
      evidence.connections.lazy.filter {
        $0.connection.hasLostPackets || $0.connection.isDataCut
      }.map(\.id))
    onAir = Dictionary(
      evidence.connections.lazy.filter(\.connection.isOnAir).map { ($0.id, $0.air?.lastGap ?? 0) },
      uniquingKeysWith: { $1 })
    hasUnseenRecords = evidence.unseenRecords > 0
  }

  /// Returns whether a packet that refutes a finding on these connections may be missing. On the
  /// air, what is missing is known to be before a packet.
  func mayHide(_ finding: Finding) -> Bool {
    finding.connections.contains { id in
      lossy.contains(id) && onAir[id].map { $0 > finding.evidence.first ?? 0 } ?? true
    }
  }
}

extension Evidence {
  /// Runs every rule.
  ///
  /// - Parameters:
  ///   - isGrouped: whether equal findings, and those at both ends of a link, are reported as one.
  ///   - reported: the connections that are reported; nil: all.
  /// - Returns: the findings, ordered by severity (most severe first), rule order and first packet.
  package func findings(
    by rules: [Rule] = Rule.all, isGrouped: Bool = true, among reported: Set<Int>? = nil
  ) -> [Finding] {
    let gaps = Gaps(self)
    let ends = isGrouped ? self.ends : [:]
    var found: [Finding] = []
    for rule in rules {
      var own = findings(by: rule, gaps)
      // Findings on connections that are not reported are not merged with those on other
      // connections.
      if let reported {
        own.removeAll { !$0.connections.isEmpty && reported.isDisjoint(with: $0.connections) }
      }
      for index in own.indices {
        own[index].complete(by: rule.symptom)
        addDoubts(to: &own[index], rule.symptom, gaps)
      }
      found +=
        isGrouped ? grouped(Finding.reportedOnce(Finding.folded(own), ends, among: reported)) : own
    }
    for index in found.indices { found[index].mentionOtherEnds(among: connections) }
    // Stable: the order of rules is kept among equals. Findings that were resolved later come after
    // those that were not.
    return Severity.allCases.reversed().flatMap { severity in
      let equal = found.filter { $0.severity == severity }
      return equal.filter { !$0.isResolved } + equal.filter(\.isResolved)
    }
  }

  /// Returns what one rule finds where it applies, and the capture has the parts that it needs.
  private func findings(by rule: Rule, _ gaps: Gaps) -> [Finding] {
    let needs = rule.needs
    switch rule.examination {
    case .connection(let examine):
      var own: [Finding] = []
      for connection in connections
      where rule.symptom.applies(to: connection.connection.vantage)
        && gaps.covered[connection.id]?.isSuperset(of: needs) ?? needs.isEmpty
      {
        for var finding in examine(connection, self) {
          if finding.connections.isEmpty { finding.connections = [connection.id] }
          own.append(finding)
        }
      }
      return own
    case .whole(let examine):
      guard coverage.parts.isSuperset(of: needs.ofCapture), rule.symptom.applies(to: vantage)
      else { return [] }
      let excluded = rule.symptom.applies(to: .air) ? [] : Set(gaps.onAir.keys)
      return examine(self).filter { finding in
        finding.connections.allSatisfy { gaps.covered[$0]?.isSuperset(of: needs) ?? true }
          && excluded.isDisjoint(with: finding.connections)
      }
    }
  }

  /// Adds the doubts about a finding that remain because the capture lacks packets.
  private func addDoubts(to finding: inout Finding, _ symptom: Symptom, _ gaps: Gaps) {
    if !symptom.leansOn.isEmpty, lacks(symptom.leansOn, finding, gaps.covered) {
      finding.doubt(Self.unrecorded)
    }
    guard finding.restsOnAbsence else { return }
    // Records are missing where the evidence would be.
    let isLossy = finding.connections.isEmpty ? extent.hasGaps : gaps.mayHide(finding)
    guard gaps.hasUnseenRecords || isLossy else { return }
    finding.doubt(Self.missing)
    // A sniffer misses packets more often than devices fail.
    if isLossy, finding.connections.contains(where: { gaps.onAir[$0] != nil }) {
      let isSparse = connections.contains {
        finding.connections.contains($0.id) && $0.air?.isSparse ?? false
      }
      finding.severity = finding.severity == .error && !isSparse ? .warning : .note
    }
  }

  /// The doubts that remain if the capture lacks a kind of packet, or records.
  private static let unrecorded: Wording =
    "packets of a kind that this capture lacks show something else"
  private static let missing: Wording = "a packet that shows otherwise is missing from this capture"

  /// The number of connections of several devices from which equal findings are reported as one.
  /// For one device, two are enough, since they are attempts at the same thing.
  private static let leastGroup = 3

  /// Returns whether equal findings of these connections are reported as one.
  private func isGroup(_ connections: [Int]) -> Bool {
    guard connections.count < Self.leastGroup else { return true }
    let known = self.connections.filter { connections.contains($0.id) }
    return connections.count > 1
      && known.allSatisfy { $0.connection.peer != nil && $0.device == known[0].device }
  }

  /// Reports equal findings of several connections as one.
  private func grouped(_ findings: [Finding]) -> [Finding] {
    if findings.count < 2 { return findings }
    // A finding about several connections names them itself.
    let alike = Dictionary(grouping: findings.filter { $0.connections.count == 1 }) {
      $0.groupWords
    }
    var kept: [Finding] = []
    var reported: Set<String> = []
    for finding in findings {
      let words = finding.groupWords
      guard finding.connections.count == 1, let equal = alike[words], equal.count > 1 else {
        kept.append(finding)
        continue
      }
      guard reported.insert(words).inserted else { continue }
      let connections = Set(equal.flatMap(\.connections)).sorted()
      // Equal findings on the same connection are reported separately.
      guard isGroup(connections) else {
        kept += equal
        continue
      }
      var one = finding
      one.connections = connections
      one.evidence = PacketSet(merging: equal.map(\.evidence))
      one.otherEnds.connections = equal.flatMap(\.otherEnds.connections).sorted()
      one.repetitions = equal.reduce(0) { $0 + $1.repetitions }
      one.add(alternatives: equal.flatMap(\.alternatives))
      if let first = finding.connections.first, equal.contains(where: { $0.why != finding.why }) {
        one.why = "On connection \(first): \(finding.why.asClause)"
      }
      let number: Wording = "\(count: connections.count, "connection", "connections")"
      let what = (finding.group ?? finding.what).asClause
      one.what = "On \(number), \(what)"
      one.headline = "on \(number), \(finding.groupHeadline ?? what)"
      kept.append(one)
    }
    return kept
  }
}

extension Finding {
  /// Sets what the rule decides unless the finding does.
  fileprivate mutating func complete(by symptom: Symptom) {
    (rule, traits) = (symptom.id, symptom.traits)
    // What was put right later is not a problem.
    severity = isResolved ? .note : severity ?? symptom.severity
    let remedy = remedy ?? symptom.remedy
    self.remedy = remedy.isEmpty ? nil : remedy
    grounds = grounds ?? symptom.grounds
  }

  /// Adds another explanation, which missing packets may support; the finding is then not a fact.
  fileprivate mutating func doubt(_ alternative: Wording) {
    alternatives.append(alternative)
    if grounds == .fact { grounds = .meaning }
  }

  /// The text that findings must share to be grouped.
  fileprivate var groupWords: String {
    "\(severity?.rawValue ?? 0) \(isResolved) \((group ?? what).text)"
  }
}
