package import Decoders
package import Sessions

package struct ValuesOptions: PresentationOptions, Sendable {
  /// What has a row.
  package enum Rows: Sendable {
    /// Each value.
    case all
    /// Each value that differs from the one before.
    case changes
    /// Each distinct value.
    case distinct
    /// Each message of a vendor's protocol.
    case messages
  }

  /// What has a line or a row, if not the table is printed.
  package var rows = Rows.all
  /// The selection of packets whose values are shown, as far as it applies to values.
  package var selection = Selection()
  package var operations = Set(ValueOperation.allCases)
  /// Whether every value is shown.
  var showsEverything: Bool {
    selection.isEverything && selection.limit == nil
      && operations.count == ValueOperation.allCases.count
  }
  /// The content of the time column of lines.
  package var time = ShowOptions.TimeStyle.elapsed
  /// Returns the offset of the local time zone in seconds east of UTC, at a time given in seconds
  /// since 1970.
  package var zoneOffset: @Sendable (Int64) -> Int64 = { _ in 0 }
  /// Whether text and CSV have the values of advertisers even if others were connected.
  package var listsAdvertised = true
  /// The names of the columns of CSV, in order; empty: all that are not empty.
  package var columns: [String] = []
  /// Whether CSV has a column for each decoded field.
  package var isWide = false
  /// Whether rows are written at once, so that CSV has all columns.
  package var isStreamed = false
  /// The columns that rows of CSV may have.
  package var csvColumns: [ValueColumn] { ValueColumn.all(of: rows) }
  /// The user's profiles, which decode values beside the built-in ones; nil: nothing is decoded.
  package var profiles: SuppliedProfiles? = SuppliedProfiles()
  package var showsKeys = false
  package var usesColor = false
  /// The width of the terminal in columns; nil: lines are not cut.
  package var width: Int?
  /// The signs to use.
  package var glyphs = Glyphs.utf8

  /// Creates the default options.
  package init() {}
}
