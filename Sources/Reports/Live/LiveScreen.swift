import Bytes

package struct TerminalSize: Sendable, Equatable {
  package var rows: Int
  /// The number of characters in a line.
  package var columns: Int

  /// Creates a size; one that is too small is replaced by the smallest that can show something.
  package init(rows: Int, columns: Int) {
    self.rows = max(2, rows)
    self.columns = max(1, columns)
  }
}

/// A few lines that are redrawn in the same place of a terminal, below everything else.
///
/// The cursor stays at the start of the line below them. From there it moves up by at most the
/// number of lines drawn, so that nothing above them is changed. If the terminal has become
/// narrower and has wrapped lines, a part of them remains above. The caller cuts lines to the
/// terminal's width, and draws fewer than it has rows.
struct LiveScreen: Sendable {
  /// The number of lines on the terminal.
  private var drawn = 0

  /// Draws lines, each of which ends with a line feed, in place of the previous ones.
  ///
  /// - Parameter rows: the number of rows of the terminal; at most `rows` − 1 lines are drawn.
  mutating func show(_ lines: RawSpan, rows: Int, into output: inout Output) {
    rise(rows, into: &output)
    var start = 0
    var count = 0
    for offset in 0..<lines.byteCount where lines.byte(at: offset) == 0x0a {
      guard count < rows - 1 else { break }
      output.raw(lines.part(Slice(start: start, count: offset - start)))
      // Erase in line: removes the rest of a longer line (ECMA-48, EL).
      output.text("\u{1b}[K\n")
      start = offset + 1
      count += 1
    }
    // Erase in page: removes lines that no longer exist (ECMA-48, ED).
    output.text("\u{1b}[J")
    drawn = count
  }

  /// Removes what was drawn.
  mutating func clear(rows: Int, into output: inout Output) {
    guard drawn > 0 else { return }
    rise(rows, into: &output)
    output.text("\u{1b}[J")
    drawn = 0
  }

  /// Moves to the first line that was drawn (ECMA-48, CUU), or as far up as a terminal with fewer
  /// rows has kept it.
  private func rise(_ rows: Int, into output: inout Output) {
    guard drawn > 0 else { return }
    output.byte(0x0d)
    output.text("\u{1b}[")
    output.decimal(min(drawn, rows - 1))
    output.byte(0x41)
  }
}
