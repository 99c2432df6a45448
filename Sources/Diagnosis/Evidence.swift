import Bluetooth
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
    if finding.connections.isEmpty { return extent.hasGaps }
    return connections.contains {
      finding.connections.contains($0.id) && $0.connection.hasLostPackets
    }
  }

  /// So many equal findings are told as one.
  private static let leastGroup = 3

  /// Tells equal findings of several connections as one.
  private static func grouped(_ findings: [Finding]) -> [Finding] {
    var kept: [Finding] = []
    var done: Set<String> = []
    for finding in findings {
      let words = (finding.group ?? finding.what).text
      guard !done.contains(words) else { continue }
      let equal = findings.filter { ($0.group ?? $0.what) == (finding.group ?? finding.what) }
      let connections = equal.flatMap(\.connections)
      guard Set(connections).count >= leastGroup else {
        kept.append(finding)
        continue
      }
      done.insert(words)
      var one = finding
      one.connections = connections
      one.evidence = equal.reduce(PacketSet()) { $0.union($1.evidence) }
      one.what =
        "\(count: connections.count, "connection", "connections"): \(finding.group ?? finding.what)"
      one.headline = one.what
      kept.append(one)
    }
    return kept
  }
}
