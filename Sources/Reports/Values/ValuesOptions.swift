package import Decoders
package import Sessions

/// How `values` presents what it finds.
package struct ValuesOptions: PresentationOptions, Sendable {
  /// Which packets' values, by what of a packet's selection makes sense for a value.
  package var selection = Selection()
  /// Which operations; empty: all.
  package var operations: [ValueOperation] = []
  /// What stands in the time column of lines.
  package var time = ShowOptions.TimeStyle.elapsed
  /// How many seconds east of UTC this machine's zone is at a time given in seconds since 1970.
  package var zoneOffset: @Sendable (Int64) -> Int64 = { _ in 0 }
  /// People's own profiles, by which values are decoded beside the program's; nil: none are.
  package var profiles: SuppliedProfiles? = SuppliedProfiles()
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
