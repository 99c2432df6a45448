package import Bluetooth
import Sessions

/// All that rules look at: what was remembered of a capture, once it was read to its end. Its arrays are
/// shared, so that handing it to a rule costs nothing.
package struct Evidence: Sendable {
  /// The connections, in the order in which they opened or were first seen.
  package var connections: [ConnectionHistory] = []
  /// The controllers.
  package var adapters: [AdapterHistory] = []
  /// The capture as a whole: what it lacks.
  package var extent = CaptureExtent()
  /// The keys that are known, from the capture and from a file.
  package var keys = KnownKeys()
  /// What is known of the captured host itself.
  package var host = HostFacts()
  /// The bonds that files tell.
  package var bonds: [Bond] = []
  /// Whether keys are asked for: then those that are known are listed.
  package var listsKeys = false

  /// Nothing.
  package init() {}

  /// The other connections of the device that is the peer of `connection`, those before it; the last one
  /// last.
  package func earlier(than connection: ConnectionHistory) -> [ConnectionHistory] {
    connections.filter { $0.device == connection.device && $0.id < connection.id }
  }

  /// Those after it; the next one first.
  package func later(than connection: ConnectionHistory) -> [ConnectionHistory] {
    connections.filter { $0.device == connection.device && $0.id > connection.id }
  }

  /// Runs every rule.
  ///
  /// - Returns: what they found: the most severe first, then by the rules' order and the first packet.
  package func findings(by rules: [Rule] = Rule.all) -> [Finding] {
    var found: [Finding] = []
    for rule in rules {
      var own: [Finding] = []
      switch rule.examination {
      case .connection(let examine):
        for connection in connections {
          own += examine(connection, self).map { finding in
            var finding = finding
            if finding.connections.isEmpty { finding.connections = [connection.id] }
            return finding
          }
        }
      case .whole(let examine): own = examine(self)
      }
      for index in own.indices {
        own[index].rule = rule.id
        own[index].severity = own[index].severity ?? rule.severity
        if own[index].remedy == nil, !rule.remedy.isEmpty { own[index].remedy = rule.remedy }
        if own[index].restsOnAbsence, lacksRecords(around: own[index]) {
          own[index].certainty = own[index].certainty.lowered
        }
      }
      found += Self.grouped(own)
    }
    // Stable: the rules' order stays among equals.
    return Severity.allCases.reversed().flatMap { severity in
      found.filter { $0.severity == severity }
    }
  }

  /// Whether records are missing where the evidence of a finding would be.
  private func lacksRecords(around finding: Finding) -> Bool {
    if unseenRecords > 0 { return true }
    if finding.connections.isEmpty { return extent.hasGaps }
    return connections.contains {
      finding.connections.contains($0.id) && $0.connection.hasLostPackets
    }
  }

  /// So many equal findings are told as one.
  private static let leastGroup = 3

  /// Tells equal findings of several connections as one.
  private static func grouped(_ findings: [Finding]) -> [Finding] {
    // One that is about several connections says so itself.
    let alike = Dictionary(grouping: findings.filter { $0.connections.count == 1 }) {
      $0.groupWords
    }
    var kept: [Finding] = []
    var told: Set<String> = []
    for finding in findings {
      guard finding.connections.count == 1, let equal = alike[finding.groupWords],
        Set(equal.flatMap(\.connections)).count >= leastGroup
      else {
        kept.append(finding)
        continue
      }
      guard told.insert(finding.groupWords).inserted else { continue }
      var one = finding
      one.connections = equal.flatMap(\.connections)
      one.evidence = equal.reduce(PacketSet()) { $0.union($1.evidence) }
      let words = finding.group ?? finding.what
      let number: Wording =
        "\(count: Set(one.connections).count, "connection", "connections")"
      one.what = "\(number): \(words)"
      one.headline = "\(number): \(words.asClause)"
      kept.append(one)
    }
    return kept
  }
}

extension Finding {
  /// What it has in common with those that are told with it.
  fileprivate var groupWords: String { (group ?? what).text }
}
