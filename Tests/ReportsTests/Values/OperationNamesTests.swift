// The names of operations that options accept.

import Reports
import Sessions
import Testing

@Suite("Names of operations") struct OperationNamesTests {
  @Test("Text and JSON print names that options accept", arguments: ValueOperation.allCases)
  func printed(operation: ValueOperation) {
    for name in [operation.words.description, operation.key.description] {
      #expect(ValueOperation(named: name) == operation)
      #expect(ValueOperation(named: name.uppercased()) == operation)
    }
  }

  @Test(
    "So do the names of other programs",
    arguments: [
      ("write-nr", .writeWithoutResponse), ("writeWithoutResponse", .writeWithoutResponse),
      ("WRITE NO RESPONSE", .writeWithoutResponse), ("Write Command", .writeWithoutResponse),
      ("notifications", .notification), ("indications", .indication),
    ] as [(String, ValueOperation)])
  func others(name: String, operation: ValueOperation) {
    #expect(ValueOperation(named: name) == operation)
  }

  @Test("Other words are none", arguments: ["", "wri", "response", "notif"])
  func unknown(name: String) { #expect(ValueOperation(named: name) == nil) }
}
