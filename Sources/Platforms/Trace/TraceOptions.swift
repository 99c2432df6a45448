package import Decoders
package import Reports

package struct TraceOptions: PresentationOptions, Sendable {
  /// The platform whose terms are used.
  package var platform = Platform.corebluetooth
  /// The packet that shows the platform, if one does.
  package var platformPacket: Int?
  /// What is printed; an empty selection means all.
  package var selection = Selection()
  /// Whether only what apps see is printed, not what the system does.
  package var hidesSystem = false
  /// Whether every advertisement is printed, not just those with new content.
  package var reportsDuplicates = false
  /// Whether to print one object for each line instead of text.
  package var isJSON = false
  /// The content of the time column.
  package var time = ShowOptions.TimeStyle.elapsed
  /// Returns the offset of the local time zone in seconds east of UTC, at a time given in seconds
  /// since 1970.
  package var zoneOffset: @Sendable (Int64) -> Int64 = { _ in 0 }
  /// The app's own log, to be merged with the trace.
  package var log: AppLog?
  /// The user's profiles, which decode values beside the built-in ones; nil: nothing is decoded.
  package var profiles: SuppliedProfiles? = SuppliedProfiles()
  package var showsKeys = false
  /// The signs to use.
  package var glyphs = Glyphs.utf8
  /// The width of the terminal in columns; nil: lines are not wrapped.
  package var width: Int?
  package var usesColor = false

  /// Creates the default options.
  package init() {}
}
