package import Decoders

/// The options that all reports for people have.
package protocol PresentationOptions {
  var showsKeys: Bool { get set }
  var usesColor: Bool { get set }
  /// The width of the terminal in columns; nil: lines are not cut.
  var width: Int? { get set }
  /// The signs to use.
  var glyphs: Glyphs { get set }
}

package struct ShowOptions: PresentationOptions, Sendable {
  /// The content of the time column.
  package enum TimeStyle: String, Sendable, CaseIterable {
    /// Seconds since the first record.
    case elapsed
    /// Seconds since the previous line.
    case delta
    /// Date and time in UTC.
    case utc
    /// Date and time in the local time zone.
    case local
    case none

    /// Returns the offset with which times in options are read, in seconds east of UTC. They are
    /// read as they are shown, so the local time zone applies only if it is requested.
    package func readingOffset(
      _ zoneOffset: @escaping @Sendable (Int64) -> Int64
    ) -> @Sendable (Int64) -> Int64 {
      self == .local ? zoneOffset : { @Sendable (_: Int64) -> Int64 in 0 }
    }
  }

  /// The selected packets.
  package var selection = Selection()
  /// The content of the time column.
  package var time = TimeStyle.elapsed
  package var usesColor = false
  /// The width of the terminal in columns; nil: lines are not cut.
  package var width: Int?
  /// The signs to use.
  package var glyphs = Glyphs.utf8
  /// Whether routine packets are folded (`--brief`).
  package var isBrief = false
  /// Whether empty packets on the air are folded.
  package var foldsEmpty = true
  /// Whether the end explains why packets on the air were not decrypted.
  package var explainsEncryption = true
  /// Whether a remark suggests `--brief` if many advertising reports were printed.
  package var suggestsBrief = false
  /// Whether every field gets a line (`-v`).
  package var isVerbose = false
  /// Whether the bytes follow (`-x`; in JSON `--raw`).
  package var showsBytes = false
  package var showsKeys = false
  /// The user's profiles, which decode values beside the built-in ones; nil: nothing is decoded.
  package var profiles: SuppliedProfiles? = SuppliedProfiles()
  /// Returns the offset of the local time zone in seconds east of UTC, at a time given in seconds
  /// since 1970.
  package var zoneOffset: @Sendable (Int64) -> Int64 = { _ in 0 }

  /// Whether every packet is shown.
  package var showsEverything: Bool { selection.isEverything && selection.limit == nil }

  /// Creates the default options.
  package init() {}
}
