/// The JSON contract: its number and its schema.
package enum JSONSchema {
  /// Raised when a key changes its name, type or meaning.
  package static let number = 2
}
