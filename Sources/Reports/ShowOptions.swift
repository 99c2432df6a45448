package import Decoders

/// What the options of all reports have that print for people.
package protocol PresentationOptions {
  /// Whether secrets are shown.
  var showsKeys: Bool { get set }
  /// Whether to colour.
  var usesColor: Bool { get set }
  /// Columns of the terminal; nil: lines are not cut.
  var width: Int? { get set }
  /// The signs to use.
  var glyphs: Glyphs { get set }
}

/// How `show` presents packets.
package struct ShowOptions: PresentationOptions, Sendable {
  /// What stands in the time column.
  package enum TimeStyle: String, Sendable, CaseIterable {
    /// Seconds since the first record.
    case elapsed
    /// Seconds since the line above.
    case delta
    /// Date and time, UTC.
    case utc
    /// Date and time of this machine's zone.
    case local
    /// Nothing.
    case none

    /// The offset by which times are read that are asked for, in seconds east of UTC: as they are shown,
    /// this machine's zone only where that is asked for.
    func readingOffset(
      _ zoneOffset: @escaping @Sendable (Int64) -> Int64
    ) -> @Sendable (Int64) -> Int64 {
      self == .local ? zoneOffset : { @Sendable (_: Int64) -> Int64 in 0 }
    }
  }

  /// Which packets.
  package var selection = Selection()
  /// What stands in the time column.
  package var time = TimeStyle.elapsed
  /// Whether to colour.
  package var usesColor = false
  /// Columns of the terminal; nil: lines are not cut.
  package var width: Int?
  /// The signs to use.
  package var glyphs = Glyphs.utf8
  /// Whether packets that carry no news are folded (`--brief`).
  package var isBrief = false
  /// Whether every field gets a line (`-v`).
  package var isVerbose = false
  /// Whether the bytes follow (`-x`; in JSON `--raw`).
  package var showsBytes = false
  /// Whether secrets are shown.
  package var showsKeys = false
  /// People's own profiles, by which values are decoded beside the program's; nil: none are.
  package var profiles: SuppliedProfiles? = SuppliedProfiles()
  /// How many seconds east of UTC this machine's zone is at a time given in seconds since 1970.
  package var zoneOffset: @Sendable (Int64) -> Int64 = { _ in 0 }

  /// Whether every packet is shown.
  package var showsEverything: Bool { selection.isEverything && selection.limit == nil }
  /// Whether several can share the work: what is printed of a packet depends on no other's being printed.
  package var canBeShared: Bool { showsEverything && !isBrief }

  /// The defaults.
  package init() {}
}
