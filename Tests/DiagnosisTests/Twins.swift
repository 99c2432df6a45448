// Two captures for each other explanation that a rule declares: in one, packets exclude it; in its
// twin, it is what happened.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Sessions
import Testing

/// The two captures about another explanation of a rule.
struct Twin: Sendable, CustomTestStringConvertible {
  /// The rule's ID.
  let rule: String
  /// The other explanation, as the rule words it.
  let alternative: String
  /// The evidence of traffic that excludes it.
  let excluded: @Sendable () -> Evidence
  /// The evidence of traffic in which it is what happened, or may be.
  let open: @Sendable () -> Evidence

  init(
    _ rule: String, or alternative: String,
    excludedBy excluded: @escaping @Sendable (inout Traffic) -> Void,
    openIn open: @escaping @Sendable (inout Traffic) -> Void
  ) {
    (self.rule, self.alternative) = (rule, alternative)
    self.excluded = { evidence(excluded) }
    self.open = { evidence(open) }
  }

  /// Creates twins of traffic on the air.
  init(
    _ rule: String, or alternative: String, openAs form: AirForm = AirForm(.nordic3),
    bonds: [Bond] = [], excludedOnAir excluded: @escaping @Sendable (inout AirTraffic) -> Void,
    openIn open: @escaping @Sendable (inout AirTraffic) -> Void
  ) {
    (self.rule, self.alternative) = (rule, alternative)
    self.excluded = { airEvidence(bonds: bonds, excluded) }
    self.open = { airEvidence(form, open) }
  }

  var testDescription: String { "\(rule), or \(alternative)" }

  /// All twins: one list for each group of rules, in `TwinsOf….swift`.
  static let all: [Twin] = [
    airTwins, attributeTwins, channelTwins, controllerTwins, linkTwins, pairingTwins,
  ].flatMap(\.self)

}

@Suite("Other explanations") struct TwinTests {
  @Test("every explanation that packets can exclude has a twin") func complete() {
    let known = Set(Twin.all.map(\.testDescription))
    for rule in Rule.all {
      for (words, isExcludable) in rule.alternatives where isExcludable {
        #expect(known.contains("\(rule.id), or \(words)"), "no twin: \(rule.id), or \(words)")
      }
    }
    let declared = Set(
      Rule.all.flatMap { rule in rule.alternatives.map { "\(rule.id), or \($0.words)" } })
    for twin in known { #expect(declared.contains(twin), "no rule declares it: \(twin)") }
  }

  @Test("a rule excludes an explanation only by packets", arguments: Twin.all)
  func twin(_ twin: Twin) {
    let sure = twin.excluded().findings(isGrouped: false).filter {
      $0.rule.description == twin.rule
    }
    #expect(!sure.isEmpty, "the rule is silent where packets exclude the explanation")
    for finding in sure {
      #expect(!finding.alternatives.map(\.text).contains(twin.alternative), "\(finding.line)")
    }
    for finding in twin.open().findings(isGrouped: false)
    where finding.rule.description == twin.rule {
      #expect(finding.alternatives.map(\.text).contains(twin.alternative), "\(finding.line)")
      #expect(finding.certainty != .certain, "\(finding.line)")
    }
  }
}
