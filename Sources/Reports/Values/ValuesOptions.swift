package import Sessions

/// How `values` presents what it finds.
package struct ValuesOptions: Sendable {
  /// Which packets' values, by what of a packet's selection makes sense for a value.
  package var selection = Selection()
  /// Which operations; empty: all.
  package var operations: [ValueOperation] = []
  /// Whether secrets are shown.
  package var showsKeys = false
  /// Whether to colour.
  package var usesColor = false
  /// Columns of the terminal; nil: lines are not cut.
  package var width: Int?
  /// The signs to use.
  package var glyphs = Glyphs.utf8

  /// The defaults.
  package init() {}
}
