import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("The table of rules") struct RuleTableTests {
  @Test("ids are unique, lower case with underscores, and every rule states what it finds and when")
  func ids() {
    var seen: Set<String> = []
    for rule in Rule.all {
      let id = rule.id.description
      #expect(seen.insert(id).inserted, "\(id) occurs twice")
      #expect(
        id.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" } && id.contains("_"),
        "\(id) is not of the form family_what")
      for text in [rule.finds.description, rule.condition.description] {
        #expect(!text.isEmpty && text.last != ".", "\(id): \(text)")
      }
      if !rule.remedy.isEmpty {
        #expect(rule.remedy.text.last == ".", "\(id): \(rule.remedy.text) has no full stop")
      }
    }
  }

  @Test("an empty capture has no findings") func nothing() {
    #expect(evidence { _ in }.findings().isEmpty)
  }
}
