import Diagnosis

/// The first finding of a rule.
func finding(_ rule: String, in evidence: Evidence) -> Finding? {
  evidence.findings().first { $0.rule.description == rule }
}

/// What the rules about attributes find, in their order; others have something to say of most traffic, too.
func attributeFindings(in evidence: Evidence) -> [Finding] {
  evidence.findings().filter { finding in
    ["att-", "gatt-", "frame-", "app-"].contains { finding.rule.description.hasPrefix($0) }
  }
}

/// The rules about attributes that found something, each once.
func attributeRules(in evidence: Evidence) -> [String] {
  var rules: [String] = []
  for finding in attributeFindings(in: evidence)
  where !rules.contains(finding.rule.description) {
    rules.append(finding.rule.description)
  }
  return rules
}
