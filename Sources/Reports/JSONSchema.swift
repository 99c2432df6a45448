/// The JSON contract: its number and its schema.
package enum JSONSchema {
  /// Raised when a key changes its name, type or meaning.
  package static let number = 1
  /// The schema of every document (JSON Schema 2020-12).
  package static let text: StaticString = "{}"
}
