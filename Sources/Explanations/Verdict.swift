import Bluetooth
import Captures
import Diagnosis
import Histories
package import Meanings
import Sessions

/// The answer in one sentence.
extension Explanation {
  private static let mostHeadlines = 3

  /// The answer in one sentence, for readers who do not know HCI: `1 error: pairing failed at #48
  /// because the passkeys on the two sides differ`.
  package var verdict: Wording {
    guard let covered, covered.map(\.count) != [evidence.extent.records] else {
      return conclusion
    }
    if covered.isEmpty { return "\(conclusion); no packet has that time" }
    let packets = ExplainPage.packets(covered)
    return
      "\(conclusion); the findings cover only \(Wording(stringLiteral: packets)), but the stories cover whole connections"
  }

  private var conclusion: Wording {
    let (errors, warnings) = (count(.error), count(.warning))
    if errors > 0 {
      let others: Wording =
        warnings > 0 ? ", and \(count: warnings, "warning", "warnings")" : ""
      return "\(count: errors, "error", "errors"): \(headlines(.error))\(others)"
    }
    if warnings > 0 {
      return "\(count: warnings, "warning", "warnings"): \(headlines(.warning))"
    }
    // What was put right later is only noted.
    return nothing
      ?? (findings.contains(where: \.isResolved)
        ? "No open problem: all were resolved later" : "No problem found")
  }

  /// Why there is nothing to judge; nil if there is something.
  package var nothing: Wording? {
    let extent = evidence.extent
    if extent.records == 0 {
      guard let others = extent.summary?.leftOutWords else { return "This capture is empty" }
      return "No HCI packet in this capture; \(Wording(stringLiteral: others)) left out"
    }
    guard connections.isEmpty else { return nil }
    if extent.undecoded == extent.records {
      return "Nothing in this capture can be decoded; no record has a known packet type"
    }
    if isSelective { return "No connection matches the selection" }
    if extent.notes == extent.records { return "No HCI packet in this capture" }
    if extent.undecoded > 0 {
      return
        "No connection in this capture; \(extent.undecoded) of its \(extent.records) records cannot be decoded"
    }
    if let end = findings.first(where: { $0.traits.contains(.endsUnanswered) }) {
      return "No connection in this capture; \(end.headline)"
    }
    if evidence.hasManagementAlone {
      return "No HCI packet in this capture; the kernel reports no failed connection or pairing"
    }
    if let own = evidence.adapters.lazy.compactMap(\.advertised).first {
      let words: Wording =
        "No connection in this capture; this host advertised (\(packet: own.packet)), and no device connected"
      return words.naming(evidence.hostName)
    }
    return extent.advertisements > 0
      ? "No connection in this capture\(hint: "; gattscope devices lists the advertisers")"
      : "No connection and no advertisement in this capture"
  }

  /// Returns the most important findings of a severity as clauses, in the order of their packets.
  private func headlines(_ severity: Severity) -> Wording {
    var stated: [Finding] = []
    var left = 0
    for finding in findings
    where finding.severity == severity
      && !stated.contains(where: { $0.headline == finding.headline })
    {
      if stated.count < Self.mostHeadlines { stated.append(finding) } else { left += 1 }
    }
    let clauses = stated.enumerated().sorted {
      (Self.place($0.element), $0.offset) < (Self.place($1.element), $1.offset)
    }.map { clause($0.element) }
    let shown = Wording(clauses, joinedBy: "; ")
    return left > 0 ? "\(shown); and \(left) more" : shown
  }

  /// Returns the position of a finding in the capture: the end for a finding about one connection,
  /// the beginning for one about several, and 0 for one about the capture itself.
  private static func place(_ finding: Finding) -> Int {
    if finding.traits.contains(.ofCapture) { return 0 }
    return (finding.connections.count == 1 ? finding.evidence.last : finding.evidence.first) ?? 0
  }

  /// Returns the headline of a finding as a clause of the verdict, with how certain its cause is
  /// unless it is certain, and then with whose fault it is.
  private func clause(_ finding: Finding) -> Wording {
    let histories = finding.connections.compactMap { number in
      evidence.connections.first { $0.id == number }
    }
    let names = evidence.names(of: histories)
    let clause = finding.headline.withoutColons
    guard finding.certainty == .certain else { return "\(clause) (\(finding.certainty.key))" }
    guard let side = finding.fault else { return clause }
    let fault: Wording =
      side == .peer && histories.first?.connection.role(of: .peer) == .peripheral
      ? "\(side.possessive) firmware, not of the app"
      : "\(side.words), not of \(side.other.words)"
    return "\(clause), which is the fault of \(fault.naming(names))"
  }
}
