import Diagnosis
import Histories
import Meanings

/// Which findings make a test fail: `--strict`, `--fail-on` and `--allow`.
package struct Strictness: Sendable {
  /// The severities of `--strict`: the least with which a finding fails.
  package enum Level: String, CaseIterable, Sendable {
    case error, warning
  }

  /// The result.
  package enum Judgement: Equatable, Sendable {
    case passed, failed
    /// There was nothing to judge, for this reason: a clause.
    case nothing(String)
  }

  /// The least severity with which a finding fails; nil: no severity does.
  private let least: Severity?
  /// The keys of the rules that fail whatever the severity.
  private let failing: Set<String>
  /// The keys of the rules that never fail.
  private let allowed: Set<String>

  /// - Parameters:
  ///   - failing: the names of the rules that fail whatever the severity.
  ///   - allowed: the names of the rules that never fail.
  package init(_ level: Level? = nil, failing: [String] = [], allowed: [String] = []) {
    least = level.map { $0 == .error ? .error : .warning }
    self.failing = Set(failing.map(Rule.key))
    self.allowed = Set(allowed.map(Rule.key))
  }

  /// The keys of all rules.
  package static var rules: [String] { Rule.all.map(\.key) }

  /// Returns the key of a rule's name, which may be written with `-` or `_`.
  package static func key(_ name: String) -> String { Rule.key(name) }

  /// Returns whether a rule has this name.
  package static func hasRule(_ name: String) -> Bool {
    Rule.all.contains { $0.key == key(name) }
  }

  /// Returns whether the findings fail.
  func judge(_ explanation: Explanation) -> Judgement {
    guard least != nil || !failing.isEmpty else { return .passed }
    let fails = explanation.findings.contains { finding in
      guard !allowed.contains(finding.key) else { return false }
      return failing.contains(finding.key)
        || least.map { finding.severity ?? .note >= $0 } ?? false
    }
    if fails { return .failed }
    return explanation.nothing.map { .nothing($0.asClause.text) } ?? .passed
  }
}
