import Bluetooth
package import Histories
package import Sessions

// Determines which rules can be applied to a capture.

/// A rule that was not applied.
package struct SkippedRule: Sendable {
  package let rule: Rule
  /// What the rule needs and the capture lacks.
  package let lacks: Coverage.Parts
}

extension Coverage.Parts {
  /// The parts that the capture as a whole has or lacks; the others belong to connections.
  var ofCapture: Coverage.Parts { intersection([.commands, .events, .air]) }
}

extension Evidence {
  /// The parts that the capture has of each connection, by connection number.
  var coveredParts: [Int: Coverage.Parts] {
    Dictionary(
      connections.map { ($0.id, coverage.parts(of: $0.connection)) }, uniquingKeysWith: { $1 })
  }

  /// Returns whether a finding lacks something that its rule takes into account.
  func lacks(
    _ parts: Coverage.Parts, _ finding: Finding, _ covered: [Int: Coverage.Parts]
  ) -> Bool {
    if finding.connections.isEmpty { return !coverage.parts.isSuperset(of: parts.ofCapture) }
    return finding.connections.contains { !(covered[$0]?.isSuperset(of: parts) ?? false) }
  }

  /// Returns the rules that are not applied at all because the capture lacks what they need.
  ///
  /// - Parameter reported: the connections that are reported; nil: all.
  package func skipped(_ rules: [Rule] = Rule.all, among reported: Set<Int>? = nil) -> [SkippedRule]
  {
    let all = connections.filter { reported?.contains($0.id) ?? true }.map {
      coverage.parts(of: $0.connection)
    }
    // A sniffer that heard no connection lacks nothing of one.
    guard !coverage.parts.isEmpty, vantage == .host || !all.isEmpty else { return [] }
    let union = all.reduce(into: Coverage.Parts()) { $0.formUnion($1) }
    return rules.compactMap { rule in
      // What is never concluded from such a capture is not missed.
      guard rule.symptom.applies(to: vantage) else { return nil }
      let needs = rule.needs
      let ofCapture = needs.ofCapture.subtracting(coverage.parts)
      switch rule.examination {
      case .whole: return ofCapture.isEmpty ? nil : SkippedRule(rule: rule, lacks: ofCapture)
      case .connection:
        guard let first = all.first, !all.contains(where: { $0.isSuperset(of: needs) }) else {
          return nil
        }
        let never = needs.subtracting(union)
        return SkippedRule(rule: rule, lacks: never.isEmpty ? needs.subtracting(first) : never)
      }
    }
  }
}
