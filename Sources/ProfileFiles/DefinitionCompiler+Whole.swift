import Bluetooth
import Decoders

// What applies to a definition as a whole: its errors, and which fields are secret.

extension DefinitionCompiler {
  /// Compiles the names of Error Response codes.
  mutating func errors(_ node: SourceNode) throws(ProfileError) {
    for (key, value) in try node.pairs("a mapping of error codes to names") {
      let expected = "an error code from 0x80 to 0xdf"
      let code = try key.number(expected)
      guard UInt8(exactly: code).map({ ATTErrorCode(rawValue: $0).isOfProfile }) ?? false else {
        throw key.error("expected \(expected), found \(key.kind)")
      }
      guard !tables.errors.contains(where: { $0.low == code }) else {
        throw key.error("the error 0x\(String(code, radix: 16)) is there twice")
      }
      let name = try value.line("a name")
      guard !name.isEmpty else { throw value.error("expected a name, found nothing") }
      tables.errors.append(
        Code(low: code, high: code, word: tables.words.add([UInt8](name.utf8))))
    }
  }

  /// Marks everything inside a secret field as secret, and what is computed from one.
  mutating func markSecrets() {
    var slots: Set<Int> = []
    for place in tables.fields.indices {
      let field = tables.fields[place]
      if field.kind == .computed, field.selector >= 0 {
        let program = tables.programs[field.selector]..<tables.programs[field.selector + 1]
        let isDerived = tables.operations[program].contains {
          $0.code == .slot && slots.contains($0.operand)
        }
        if isDerived { tables.fields[place].flags.insert(.secret) }
      }
      guard tables.fields[place].flags.contains(.secret) else { continue }
      slots.insert(field.slot)
      for inner in place + 1..<max(field.end, place + 1) {
        tables.fields[inner].flags.insert(.secret)
      }
    }
  }
}
