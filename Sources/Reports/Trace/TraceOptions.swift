package import Decoders
package import Platforms

/// How `trace` presents a capture.
package struct TraceOptions: PresentationOptions, Sendable {
  /// Whose words.
  package var platform = Platform.corebluetooth
  /// Which devices, connections and adapters; what is empty chooses all.
  package var selection = Selection()
  /// Whether only what apps see is told, not what the system does.
  package var hidesSystem = false
  /// Whether every advertisement is told, not only those that say something new.
  package var tellsDuplicates = false
  /// Whether to print one object a line instead of text.
  package var isJSON = false
  /// What stands in the time column.
  package var time = ShowOptions.TimeStyle.elapsed
  /// How many seconds east of UTC this machine's zone is at a time given in seconds since 1970.
  package var zoneOffset: @Sendable (Int64) -> Int64 = { _ in 0 }
  /// The app's own log, to be laid beside the trace.
  package var log: AppLog?
  /// People's own profiles, by which values are decoded beside the program's; nil: none are.
  package var profiles: SuppliedProfiles? = SuppliedProfiles()
  /// Whether secrets are shown.
  package var showsKeys = false
  /// The signs to use.
  package var glyphs = Glyphs.utf8
  /// Columns of the terminal; nil: lines are not wrapped.
  package var width: Int?
  /// Whether to colour.
  package var usesColor = false

  /// The defaults.
  package init() {}
}
