import Bluetooth
package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// A report whose table can be shown while the capture goes on.
package protocol TableReport: PacketReport, ~Copyable {
  /// The columns that the table at the end may take; nil: as many as it needs.
  var width: Int? { get set }

  /// Writes the table as it is now: at most so many lines, cut to so many columns. Where not all of it has
  /// room, the last line says how much is left out.
  mutating func table(
    _ memory: borrowing Memory, rows: Int, columns: Int, into lines: inout Output)
}

/// How a table is shown while it grows.
package struct LiveTableOptions: Sendable {
  /// The terminal's size, asked for each time that the table is drawn.
  package var size: @Sendable () -> TerminalSize
  /// A clock that never goes back, in milliseconds; tests have their own.
  package var now: @Sendable () -> Int64 = LiveClock.milliseconds()
  /// What is to be said above the table, a line each: asked for, and taken away, each time that it is drawn.
  package var notices: @Sendable () -> [String] = { [] }

  /// The defaults, on a terminal of this size.
  package init(size: @escaping @Sendable () -> TerminalSize) { self.size = size }
}

/// A table on a terminal, drawn again in the same place as it grows: below a line that says how long it was
/// watched and how much came. At the end the whole table takes its place and stays.
package struct LiveTable<Report: TableReport & ~Copyable>: PacketReport, ~Copyable {
  private var report: Report
  private let options: LiveTableOptions
  private var screen = LiveScreen()
  private var records = 0
  private var dropped: UInt64 = 0
  /// When watching began, and when the table may be drawn again.
  private let start: Int64
  private var nextDraw: Int64
  /// The whole second that the first line shows next.
  private var nextSecond: Int64
  /// Whether something came that is not drawn yet.
  private var isStale = true

  /// Not drawn more often than every so many milliseconds, and so rarely that drawing takes at most a part
  /// of the time: of very large tables.
  private static var shortest: Int64 { 200 }
  private static var mostShare: Int64 { 10 }
  /// Where packets come without a pause, the clock is asked once in so many.
  private static var packetsBetween: Int { 64 }

  /// Whether the table has a use for them.
  package var wantsProblems: Bool { report.wantsProblems }

  /// A table that is shown while it grows.
  package init(_ report: consuming Report, _ options: LiveTableOptions) {
    self.report = report
    self.options = options
    start = options.now()
    nextDraw = start
    nextSecond = start + 1000
  }

  /// Whether the report has all that it wants.
  package var isSatisfied: Bool { report.isSatisfied }

  /// Why there is nothing in the table.
  package var remark: String? { report.remark }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    records += 1
    if record.drops > 0 { dropped.add(clamped: record.drops) }
    isStale = true
    report.packet(
      record, dissection, bytes, answer, fragments: fragments, memory, into: &output)
    guard records % Self.packetsBetween == 0 else { return }
    let now = options.now()
    guard now >= nextDraw else { return }
    draw(memory, now, into: &output)
    // Where packets come without a pause nobody else writes it out.
    output.flush()
  }

  package mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32? {
    let now = options.now()
    if now >= (isStale ? nextDraw : max(nextDraw, nextSecond)) {
      draw(memory, now, into: &output)
    }
    let next = isStale ? nextDraw : max(nextDraw, nextSecond)
    return Int32(clamping: max(1, next - now))
  }

  package mutating func learn(_ summary: CaptureSummary) { report.learn(summary) }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    let size = options.size()
    screen.clear(rows: size.rows, into: &output)
    say(into: &output)
    report.width = size.columns
    report.finish(memory, failure, into: &output)
  }

  private mutating func draw(
    _ memory: borrowing Memory, _ now: Int64, into output: inout Output
  ) {
    let size = options.size()
    var lines = Output()
    first(now, size.columns, into: &lines)
    report.table(memory, rows: size.rows - 2, columns: size.columns, into: &lines)
    let notices = options.notices()
    if !notices.isEmpty {
      screen.clear(rows: size.rows, into: &output)
      say(notices, into: &output)
    }
    screen.show(lines.bytes, rows: size.rows, into: &output)
    isStale = false
    let cost = options.now() - now
    nextDraw = now + max(Self.shortest, cost * Self.mostShare)
    nextSecond = start + ((now - start) / 1000 + 1) * 1000
  }

  /// `12 s, 340 records, nothing dropped`.
  private func first(_ now: Int64, _ columns: Int, into lines: inout Output) {
    var line = Output()
    line.decimal(Int((now - start) / 1000))
    line.text(" s, ")
    line.received(records, dropped: dropped)
    lines.cut(line.bytes, columns: columns, glyphs: .ascii)
    lines.byte(0x0a)
  }

  private func say(into output: inout Output) { say(options.notices(), into: &output) }

  private func say(_ notices: [String], into output: inout Output) {
    for notice in notices {
      output.printable([UInt8](notice.utf8).bytes)
      output.byte(0x0a)
    }
  }
}
