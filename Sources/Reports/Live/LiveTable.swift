import Bluetooth
package import Bytes
package import Captures
package import Sessions

/// A report whose table can be shown live.
package protocol TableReport: PacketReport, ~Copyable {
  /// The width of the table at the end; nil: unlimited.
  var width: Int? { get set }

  /// Writes the current table: at most `rows` lines, cut to `columns`. If it does not fit, the last
  /// line shows how much is left out.
  mutating func table(
    _ memory: borrowing Memory, rows: Int, columns: Int, into lines: inout Output)
}

package struct LiveTableOptions: Sendable {
  /// Returns the terminal's size; called each time the table is drawn.
  package var size: @Sendable () -> TerminalSize
  /// A monotonic clock, in milliseconds; tests use their own.
  package var now: @Sendable () -> Int64 = LiveClock.milliseconds()
  /// Returns and removes the messages to print above the table, one for each line; called each time
  /// the table is drawn.
  package var notices: @Sendable () -> [String] = { [] }

  /// Creates the default options for a terminal of this size.
  package init(size: @escaping @Sendable () -> TerminalSize) { self.size = size }
}

/// A table on a terminal, which is redrawn in the same place as it grows, below a line with the
/// elapsed time and the number of records. At the end the whole table takes its place and stays.
package struct LiveTable<Report: TableReport & ~Copyable>: PacketReport, ~Copyable {
  private var report: Report
  private let options: LiveTableOptions
  private var screen = LiveScreen()
  private var records = 0
  private var dropped: UInt64 = 0
  /// The start time, and the earliest time at which the table may be redrawn.
  private let start: Int64
  private var nextDraw: Int64
  /// The next whole second that the first line shows.
  private var nextSecond: Int64
  /// Whether something has arrived that is not drawn yet.
  private var isStale = true

  /// The minimum time between redraws in milliseconds, and the divisor of the share of time that
  /// drawing may take, for very large tables.
  private static var shortest: Int64 { 200 }
  private static var mostShare: Int64 { 10 }
  /// The number of packets between checks of the clock, if packets arrive without a pause.
  private static var packetsBetween: Int { 64 }

  /// Whether the table uses problems.
  package var wantsProblems: Bool { report.wantsProblems }

  /// Creates a table that is shown live.
  package init(_ report: consuming Report, _ options: LiveTableOptions) {
    self.report = report
    self.options = options
    start = options.now()
    nextDraw = start
    nextSecond = start + 1000
  }

  /// Whether the report needs nothing more.
  package var isSatisfied: Bool { report.isSatisfied }

  /// Why the table is empty.
  package var remark: String? { report.remark }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    records += 1
    if packet.record.drops > 0 { dropped.add(clamped: packet.record.drops) }
    isStale = true
    report.packet(packet, memory, into: &output)
    guard records % Self.packetsBetween == 0 else { return }
    let now = options.now()
    guard now >= nextDraw else { return }
    draw(memory, now, into: &output)
    // If packets arrive without a pause, nothing else flushes the output.
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
    write(into: &output)
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
      write(notices, into: &output)
    }
    screen.show(lines.bytes, rows: size.rows, into: &output)
    isStale = false
    let cost = options.now() - now
    nextDraw = now + max(Self.shortest, cost * Self.mostShare)
    nextSecond = start + ((now - start) / 1000 + 1) * 1000
  }

  /// Appends the first line: `12 s, 340 records, none lost`.
  private func first(_ now: Int64, _ columns: Int, into lines: inout Output) {
    var line = Output()
    line.decimal(Int((now - start) / 1000))
    line.text(" s, ")
    line.received(records, dropped: dropped)
    lines.cut(line.bytes, columns: columns, glyphs: .ascii)
    lines.byte(0x0a)
  }

  private func write(into output: inout Output) { write(options.notices(), into: &output) }

  private func write(_ notices: [String], into output: inout Output) {
    for notice in notices {
      output.printable([UInt8](notice.utf8).bytes)
      output.byte(0x0a)
    }
  }
}
