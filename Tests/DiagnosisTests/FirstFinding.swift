import Diagnosis

/// The first finding of a rule.
func finding(_ rule: String, in evidence: Evidence) -> Finding? {
  evidence.findings().first { $0.rule.description == rule }
}
