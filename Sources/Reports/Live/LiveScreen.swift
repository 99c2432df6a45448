import Bytes

/// How large a terminal is.
package struct TerminalSize: Sendable, Equatable {
  /// Lines.
  package var rows: Int
  /// Characters in a line.
  package var columns: Int

  /// A size; one that is too small to be one is taken as the smallest that can show something.
  package init(rows: Int, columns: Int) {
    self.rows = max(2, rows)
    self.columns = max(1, columns)
  }
}

/// A few lines that are drawn again and again in the same place of a terminal, below all that stands there.
///
/// The cursor rests in the line below them, at its beginning. From there it goes up over no more lines than
/// were drawn, so that nothing above them is ever touched: also where the terminal has become narrower and
/// has broken them in two, of which then a part stays behind above. Whoever draws cuts lines to the
/// terminal's width and draws fewer than it has rows.
struct LiveScreen: Sendable {
  /// Lines that stand there.
  private var drawn = 0

  /// Draws lines, each of which ends with a line feed, in place of those before.
  ///
  /// - Parameter rows: the terminal's; never more than `rows` − 1 lines are drawn.
  mutating func show(_ lines: RawSpan, rows: Int, into output: inout Output) {
    rise(rows, into: &output)
    var start = 0
    var count = 0
    for offset in 0..<lines.byteCount where lines.byte(at: offset) == 0x0a {
      guard count < rows - 1 else { break }
      output.raw(lines.part(Slice(start: start, count: offset - start)))
      // Erase in line: what was longer before (ECMA-48, EL).
      output.text("\u{1b}[K\n")
      start = offset + 1
      count += 1
    }
    // Erase in page: lines that are not there any more (ECMA-48, ED).
    output.text("\u{1b}[J")
    drawn = count
  }

  /// Takes away what was drawn.
  mutating func clear(rows: Int, into output: inout Output) {
    guard drawn > 0 else { return }
    rise(rows, into: &output)
    output.text("\u{1b}[J")
    drawn = 0
  }

  /// Goes to the first line of what was drawn (ECMA-48, CUU), or as far up as a lower terminal has kept it.
  private func rise(_ rows: Int, into output: inout Output) {
    guard drawn > 0 else { return }
    output.byte(0x0d)
    output.text("\u{1b}[")
    output.decimal(min(drawn, rows - 1))
    output.byte(0x41)
  }
}
