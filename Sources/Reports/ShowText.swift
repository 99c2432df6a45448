import Bluetooth
package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// `show` for people: one line a packet, in columns that need no look-ahead.
///
///     #      time    gap     what
///     97    0.1773         1 → Read Request   0x0010
package struct ShowText: PacketReport, ~Copyable {
  private let options: ShowOptions
  private var sentence: Sentence
  private var details: VerboseSink
  private var line = Output()
  private var cell = Output()
  private var timeColumn: TimeColumn
  private var showing: Showing
  private var previous: Timestamp?
  /// The files, where there are several, and which of them the last line is of.
  private let files: [CaptureSummary.File]
  private var file: Int
  private var brief = Brief()
  private var hasHeader = false
  /// The adapter that was seen first: records of others say whose they are.
  private var firstAdapter: UInt16?
  private var hasSeveralAdapters = false

  /// Columns of a packet number.
  private var numberColumns = GrowingColumn(digits: 5, margin: 0)
  /// Columns of a controller's name, with a space behind it.
  private static let adapterColumns = 5
  /// Columns of a connection's number, with a space before it.
  private var idColumns = GrowingColumn(digits: 2, margin: 1)
  /// Columns of a PDU's name, before its subject.
  private static let nameColumns = 16
  /// Columns of name and subject together, before the rest.
  private let subjectColumns: Int
  /// Columns before the bytes of a record, and how many of those stand in a line.
  private static let dumpIndentation = 6
  private static let dumpedBytes = 16
  /// From this silence on the gap is printed.
  private static let shortestGap: Int64 = 500_000_000

  /// A report on a capture with this summary.
  package init(_ options: ShowOptions, _ summary: CaptureSummary) {
    self.options = options
    timeColumn = TimeColumn(
      options.time, decimals: summary.timeDecimals, zoneOffset: options.zoneOffset)
    files = summary.files
    file = summary.files.isEmpty ? 0 : -1
    // On a narrow terminal what is said of a packet matters more than where it stands.
    let width = options.width ?? .max
    subjectColumns = width < 110 ? 24 : width < 130 ? 36 : 44
    showing = Showing(options)
    sentence = Sentence(
      showsKeys: options.showsKeys, glyphs: options.glyphs, profiles: options.profiles)
    details = VerboseSink(
      showsKeys: options.showsKeys, glyphs: options.glyphs,
      profiles: options.isVerbose ? options.profiles : nil)
  }

  /// Why nothing was printed; else what stays open of what was.
  package var remark: String? {
    showing.remark
      ?? (showing.isSatisfied
        ? nil : sentence.reading.openRemark(isAllWorded: showing.showsEverything))
  }

  /// Whether all packets that can be shown have been.
  package var isSatisfied: Bool { showing.isSatisfied }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    if firstAdapter == nil { firstAdapter = record.adapter }
    if let adapter = record.adapter, adapter != firstAdapter { hasSeveralAdapters = true }
    guard showing.word(record, dissection, bytes, answer, memory, in: &sentence) else { return }
    if record.file != file {
      if options.isBrief { sayFolded(into: &output) }
      name(file: record.file, into: &output)
    }
    if options.isBrief {
      let reason = brief.reason(record, dissection, bytes, answer, memory)
      if reason.map({ !brief.hasRoom($0, record, answer, memory) }) ?? true {
        sayFolded(into: &output)
      }
      if let reason {
        brief.fold(reason, record, dissection, bytes, answer, memory)
        return
      }
    }
    line.clear()
    let id = answer.link.map { memory.links.id($0) } ?? 0
    // Notes name their controller themselves.
    var adapter = record.adapter
    if case .note = dissection.content { adapter = nil }
    prefix(
      record.number, record.time, id, adapter, record.direction,
      isInferred: record.isDirectionInferred)
    words(dissection.problems)
    finishLine(into: &output)
    if options.isVerbose {
      details.clear()
      if options.showsBytes {
        let secrets: Secrets =
          options.showsKeys
          ? .none
          : answer.fragment.hasJoinedBytes
            ? Secrets(joined: dissection, bytes, answer, memory)
            : Secrets(dissection, record, answer, memory)
        details.show(bytes, hiding: secrets)
      }
      comments(record)
      if answer.fragment.hasJoinedBytes {
        details.remark("offsets count from the first byte of the joined PDU")
      }
      Details.packet(
        record, dissection, bytes, answer, fragments: fragments, memory, to: &details)
      if sentence.reading.isOfPDU, let value = dissection.attFields.value {
        sentence.reading.writeLines(bytes.part(value), to: &details)
      }
      output.text(details.output.bytes, options.glyphs)
    }
    // Beside its fields stand the bytes of a PDU; those of a fragment of one belong to no field.
    let isInParts = answer.fragment.isFragment || answer.fragment.isJoined
    if options.showsBytes, !options.isVerbose || isInParts {
      dump(
        record.bytes, options.showsKeys ? .none : Secrets(dissection, record, answer, memory),
        into: &output)
    }
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard options.isBrief else { return }
    sayFolded(into: &output)
    sayLeftOut(into: &output)
  }

  // MARK: Brief

  /// A line for each run of packets that was folded, in the columns of its first packet.
  private mutating func sayFolded(into output: inout Output) {
    for index in brief.runs.indices {
      let run = brief.runs[index]
      line.clear()
      prefix(run.first, run.firstTime, run.connection, run.adapter, nil)
      style(.dim)
      line.run(run, options.glyphs)
      style(.plain)
      finishLine(into: &output)
      if let last = run.lastTime { previous = last }
    }
    brief.clearRuns()
  }

  /// What was left out without a line.
  private mutating func sayLeftOut(into output: inout Output) {
    line.clear()
    style(.dim)
    var isFirst = true
    for (number, one, several) in [
      (brief.answers, "command answered with success", "commands answered with success"),
      (brief.flowControl, "packet of flow control", "packets of flow control"),
      (brief.fragments, "fragment", "fragments"),
      (brief.unknownEvents, "event of an unknown code", "events of unknown codes"),
    ] as [(Int, StaticString, StaticString)] where number > 0 {
      line.text(isFirst ? "left out: " : ", ")
      isFirst = false
      line.count(number, one, several)
    }
    style(.plain)
    if !isFirst { finishLine(into: &output) }
  }

  // MARK: Columns

  /// Columns of the gap; none where the time column says it.
  private var gapColumns: Int { options.time == .delta ? 0 : 7 }

  private mutating func header(into output: inout Output) {
    line.clear()
    style(.dim)
    line.spaces(numberColumns.width - 1)
    line.byte(0x23)
    timeColumn.head(into: &line)
    if gapColumns > 0 {
      line.spaces(gapColumns - 3)
      line.text("gap")
    }
    line.text("      what")
    style(.plain)
    finishLine(into: &output)
  }

  /// The line that says which file the following packets are of.
  private mutating func name(file index: Int, into output: inout Output) {
    file = index
    guard files.indices.contains(index) else { return }
    line.clear()
    style(.dim)
    line.text("file ")
    line.printable([UInt8](CaptureFailure.subject(files[index].name).utf8).bytes)
    style(.plain)
    finishLine(into: &output)
  }

  /// What the capture says beside the packet.
  private mutating func comments(_ record: borrowing CaptureRecord) {
    var position = 0
    while let comment = record.options.nextComment(&position) {
      details.string("comment", comment)
    }
  }

  /// Number, time, gap and connection: right-aligned over spaces that are laid out first.
  private mutating func prefix(
    _ packet: Int, _ time: Timestamp?, _ id: Int, _ adapter: UInt16?, _ direction: Direction?,
    isInferred: Bool = false
  ) {
    let number = UInt(packet)
    numberColumns.make(room: number)
    style(.dim)
    line.spaces(numberColumns.width)
    line.put(number, endingAt: line.count)
    if let time {
      timeColumn.write(time, since: showing.start ?? time, after: previous, into: &line)
      gap(time)
      previous = time
    } else {
      line.spaces(timeColumn.width + gapColumns)
    }
    style(.plain)
    if id > 0 { idColumns.make(room: UInt(id)) }
    line.spaces(idColumns.width)
    if id > 0 { line.put(UInt(id), endingAt: line.count) }
    line.byte(0x20)
    self.adapter(adapter)
    switch direction {
    case .sent: line.name(isInferred ? options.glyphs.sentInferred : options.glyphs.sent)
    case .received:
      line.name(isInferred ? options.glyphs.receivedInferred : options.glyphs.received)
    case nil: line.spaces(options.glyphs.isUTF8 ? 1 : 2)
    }
    line.byte(0x20)
  }

  /// Which controller, once there are several: from then on it has a column.
  private mutating func adapter(_ adapter: UInt16?) {
    guard hasSeveralAdapters else { return }
    let start = line.count
    if let adapter {
      line.text("hci")
      line.decimal(Int(adapter))
      line.byte(0x20)
    }
    line.spaces(start + Self.adapterColumns - line.count)
  }

  /// The silence since the line above.
  private mutating func gap(_ time: Timestamp) {
    guard gapColumns > 0 else { return }
    let previous = previous ?? time
    // Most packets follow within the same second.
    let isSoon =
      time.seconds == previous.seconds
      && time.nanoseconds < previous.nanoseconds &+ UInt32(Self.shortestGap)
    let gap = isSoon ? 0 : time.nanoseconds(since: previous)
    guard gap >= Self.shortestGap else {
      line.spaces(gapColumns)
      return
    }
    cell.clear()
    cell.gap(nanoseconds: gap)
    // Clocks that jump by years may need more than the column.
    line.spaces(max(1, gapColumns - cell.count))
    cell.copy(into: &line)
  }

  /// Name, subject and rest in their columns; what does not fit pushes the next to the right. Names
  /// and subjects are ASCII but for what `surplus` counts: their bytes are their columns.
  private mutating func words(_ problems: Problems) {
    let parts = sentence.parts
    if sentence.isFailure { style(.failure) }
    let start = line.count
    sentence.output.copy(parts.name, into: &line)
    if !parts.subject.isEmpty {
      line.spaces(max(1, start + Self.nameColumns - line.count))
      sentence.output.copy(parts.subject, into: &line)
    }
    if !parts.rest.isEmpty {
      line.spaces(max(1, start + subjectColumns + sentence.surplus - line.count))
      sentence.output.copy(parts.rest, into: &line)
    }
    if sentence.isFailure { style(.plain) }
    for index in 0..<problems.count {
      style(.warning)
      line.text("  ")
      line.name(options.glyphs.warning)
      line.byte(0x20)
      line.message(of: problems[index])
      style(.plain)
    }
    if problems.omitted > 0 {
      line.text("; ")
      line.decimal(problems.omitted)
      line.text(" more problems")
    }
  }

  // MARK: Pieces

  /// Ends a line, the first of all under the columns' heads; on a terminal what does not fit is cut.
  private mutating func finishLine(into output: inout Output) {
    if !hasHeader {
      hasHeader = true
      var first = Output()
      swap(&first, &line)
      header(into: &output)
      swap(&first, &line)
    }
    if !options.glyphs.isUTF8 {
      cell.clear()
      line.copyASCII(into: &cell)
      swap(&cell, &line)
    }
    if let width = options.width {
      output.cut(line.bytes, columns: width, glyphs: options.glyphs)
    } else {
      output.raw(line.bytes)
    }
    output.byte(0x0a)
  }

  /// The record's bytes, sixteen a line with their offsets, and as ASCII where they are that.
  private mutating func dump(
    _ record: RawSpan, _ secrets: Secrets, into output: inout Output
  ) {
    for start in stride(from: 0, to: record.byteCount, by: Self.dumpedBytes) {
      let end = min(start + Self.dumpedBytes, record.byteCount)
      output.spaces(Self.dumpIndentation)
      output.handle(UInt16(truncatingIfNeeded: start))
      for offset in start..<start + Self.dumpedBytes {
        output.text(offset % 16 == 8 ? "  " : " ")
        if offset >= end {
          output.text("  ")
        } else if secrets.contains(offset) {
          output.text("..")
        } else {
          output.hex(record.byte(at: offset))
        }
      }
      output.text("  ")
      for offset in start..<end {
        let byte = record.byte(at: offset)
        let isShown = byte >= 0x20 && byte < 0x7f && !secrets.contains(offset)
        output.byte(isShown ? byte : 0x2e)
      }
      output.byte(0x0a)
    }
  }

  @inline(__always)
  private mutating func style(_ style: TextStyle) {
    if options.usesColor { line.name(style.sequence) }
  }
}
