// A parameter's name is its JSON key: each key has one form.

import Bluetooth
import Testing

@testable import Dissectors

@Suite("One name, one form") struct ParameterFormTests {
  /// Returns the form of a parameter in JSON; nil if it has none of its own or is hidden. Codes and
  /// sets of flags are both objects with `code`.
  private func form(_ parameter: Parameter) -> String? {
    switch parameter.kind {
    case .unsigned(_, let form), .signed(_, let form), .selector(_, let form):
      words(form)
    case .bits(_, let form): words(form)
    case .count, .laterCount, .countBeyond, .lengthBits: "number"
    case .countOfBits, .dataOperation: "code"
    case .address, .addressByHeader: "address"
    case .bytes, .counted, .rest, .half, .advertisingData, .untilEnd, .restAdvertising: "bytes"
    case .text, .restText: "text"
    case .uuid, .halfUUID: "UUID"
    case .list: "list"
    case .secret, .optionalSecret, .countedSecret: nil
    case .choice, .alternative, .otherwise, .versionEnd, .openEnd: nil
    case .packed, .unusedBits, .ifSet: nil
    }
  }

  private func words(_ form: Parameter.Form) -> String {
    switch form {
    case .plain, .identifier, .sixDigits: "number"
    case .scaled(let scale): "number with \(scale.unit)"
    case .hex, .diversifier, .handle: "identifier"
    case .code, .assigned, .flags, .opcode, .controlOpcode, .controlEvent, .linkOpcode: "code"
    }
  }

  /// Collects the forms of each key, which includes the unit.
  private func collect(
    _ parameters: [Parameter], _ row: String, into forms: inout [String: [String: String]]
  ) {
    for parameter in parameters {
      if let form = form(parameter) {
        let unit = form.hasPrefix("number with ") ? form.dropFirst(12) : ""
        forms["\(parameter.name) \(unit)", default: [:]][unit.isEmpty ? form : "number"] = row
      }
      collect(parameter.items, row, into: &forms)
    }
  }

  @Test func allTables() {
    var forms: [String: [String: String]] = [:]
    let tables: [[[ParameterRow]]] = [
      hciCommandTables, hciEventTables, hciLEMetaTables, [androidEventRows],
      [[microsoftCommandRow, microsoftEventRow]], managementCommandTables, managementEventTables,
      [
        linkControlRows0.map(\.row), linkControlRows1.map(\.row), broadcastControlRows,
        advertisingRows,
      ],
    ]
    for row in tables.flatMap({ $0.flatMap(\.self) }) {
      collect((row.parameters ?? []) + (row.returns ?? []), "\(row.name)", into: &forms)
    }
    for row in adRows { collect(row.parameters, "AD type \(row.type)", into: &forms) }
    #expect(forms.count > 500, "the tables have \(forms.count) names")
    for (name, found) in forms.sorted(by: { $0.key < $1.key }) {
      #expect(found.count == 1, "\(name): \(found)")
    }
  }
}
