import Diagnosis
import Histories

/// Returns the findings of the attribute rules in order, without those of other rules, which most
/// traffic triggers.
func attributeFindings(in evidence: Evidence) -> [Finding] {
  evidence.findings().filter { finding in
    ["att_", "gatt_", "frame_", "app_"].contains { finding.rule.description.hasPrefix($0) }
  }
}

/// Returns the attribute rules that found something, each once.
func attributeRules(in evidence: Evidence) -> [String] {
  var rules: [String] = []
  for finding in attributeFindings(in: evidence)
  where !rules.contains(finding.rule.description) {
    rules.append(finding.rule.description)
  }
  return rules
}
