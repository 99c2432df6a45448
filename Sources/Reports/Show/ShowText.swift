import Bluetooth
package import Bytes
package import Captures
import Dissectors
package import Sessions

/// `show` as text: one line for each packet, in columns that need no look-ahead.
///
///     #      time    gap     what
///     97    0.1773         1 → Read Request   0x0010
package struct ShowText: PacketReport, ~Copyable {
  private let options: ShowOptions
  private var sentence: Sentence
  private var details: VerboseSink
  private var columns: LineColumns
  private var line = Output()
  private var ascii = Output()
  private var showing: Showing
  /// The files, if there are several, and the index of the last line's file.
  private let files: [CaptureSummary.File]
  private var file: Int
  private var brief = Brief()
  private var hasHeader = false
  /// Whether a packet was shown that is encrypted and was not decrypted.
  private var hasUnread = false
  /// Whether lines are neither cut nor converted to ASCII, so that most are written directly to the
  /// output.
  private let isSetAsItIs: Bool
  /// Longer sentences are written via `line`.
  private static let mostWords = 8192

  /// The indentation of a record's bytes, and the number of bytes in a line.
  private static let dumpIndentation = 6
  private static let dumpedBytes = 16

  /// Creates a report on a capture with this summary.
  package init(_ options: ShowOptions, _ summary: CaptureSummary) {
    self.options = options
    isSetAsItIs = options.width == nil && options.glyphs.isUTF8
    columns = LineColumns(options, decimals: summary.timeDecimals)
    files = summary.files
    file = summary.files.isEmpty ? 0 : -1
    showing = Showing(options)
    sentence = Sentence(
      showsKeys: options.showsKeys, glyphs: options.glyphs, profiles: options.profiles)
    details = VerboseSink(
      showsKeys: options.showsKeys, glyphs: options.glyphs,
      profiles: options.isVerbose ? options.profiles : nil)
  }

  /// The number of advertising reports that have lines.
  private var reports = 0
  /// Fewer are not worth a suggestion.
  private static let manyReports = 20

  /// Why nothing was printed; otherwise what is still open in what was printed, and how to hide
  /// what is most of it.
  package var remark: String? {
    let advertising =
      reports < Self.manyReports
      ? nil : "\(reports) advertising reports were printed; --brief folds them"
    let remarks = [showing.remark(sentence.reading), advertising].compactMap(\.self)
    return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
  }

  /// Whether all packets that can be shown have been.
  package var isSatisfied: Bool { showing.isSatisfied }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    columns.observe(packet.record.adapter)
    guard showing.word(packet, memory, in: &sentence) else { return }
    let isOnAir = packet.dissection.air != nil
    if isOnAir, packet.answer.air?.encryption == .unread { hasUnread = true }
    if packet.record.file != file {
      writeFolded(into: &output)
      name(file: packet.record.file, into: &output)
    }
    if options.isBrief || isOnAir || !brief.runs.isEmpty {
      let reason = reasonToFold(packet, memory)
      if reason.map({ !brief.hasRoom($0, packet, memory) }) ?? true {
        writeFolded(into: &output)
      }
      if let reason {
        if let run = brief.fold(reason, packet, memory) {
          line.clear()
          columns.words(sentence, packet.dissection.style, into: &line)
          brief.keep(
            Brief.Alone(
              direction: packet.record.direction,
              isDirectionInferred: packet.isDirectionInferred,
              words: line.bytes.array), of: run)
        }
        return
      }
    }
    if options.suggestsBrief { reports += memory.advertisements.reports.count }
    let id = packet.answer.link.map { memory.links.id($0) } ?? 0
    // Notes contain the name of their controller.
    var adapter = packet.record.adapter
    if case .note = packet.dissection.content { adapter = .unknown }
    if hasHeader, packet.dissection.problems.isEmpty, isSetAsItIs,
      sentence.output.count <= Self.mostWords
    {
      output.reserve(sentence.output.count + LineColumns.mostBytes)
      columns.prefix(
        packet.record.number, packet.record.time, since: showing.start, id, adapter,
        packet.record.direction,
        isInferred: packet.isDirectionInferred, into: &output)
      columns.words(sentence, packet.dissection.style, into: &output)
      output.byte(0x0a)
    } else {
      line.clear()
      columns.prefix(
        packet.record.number, packet.record.time, since: showing.start, id, adapter,
        packet.record.direction,
        isInferred: packet.isDirectionInferred, into: &line)
      columns.words(sentence, packet.dissection.style, into: &line)
      problems(packet.dissection.problems)
      finishLine(into: &output)
    }
    if options.isVerbose {
      details.clear()
      if options.showsBytes {
        let secrets: Secrets =
          options.showsKeys
          ? .none
          : packet.answer.fragment.hasJoinedBytes
            ? Secrets(joined: packet, memory)
            : Secrets(packet, memory)
        details.show(packet.bytes, hiding: secrets)
      }
      details.packet(packet, memory, sentence.reading)
      output.text(details.output.bytes, options.glyphs)
    }
    // The bytes of a PDU are shown beside its fields; those of a fragment belong to no field.
    let isInParts = packet.answer.fragment.isFragment || packet.answer.fragment.isJoined
    if options.showsBytes, !options.isVerbose || isInParts {
      let isPlain = packet.isDecrypted
      dump(
        isPlain ? packet.bytes : packet.record.bytes,
        options.showsKeys
          ? .none : isPlain ? Secrets(joined: packet, memory) : Secrets(packet, memory),
        into: &output)
    }
  }

  /// Shows what was heard of advertisers, or of a connection without data, since only another
  /// packet would end the run.
  package mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32? {
    if brief.runs.contains(where: { $0.kind == .advertising || $0.kind == .empty }) {
      writeFolded(into: &output)
    }
    return nil
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    writeFolded(into: &output)
    if options.isBrief { writeLeftOut(into: &output) }
    if hasUnread, options.explainsEncryption {
      output.encryptionRemarks(memory, options.glyphs, width: options.width)
    }
  }

  // MARK: Folding

  /// Returns why a packet is folded, or nil if it has a line.
  private mutating func reasonToFold(
    _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> Brief.Reason? {
    if packet.isEmptyOnAir {
      return !options.foldsEmpty ? nil : options.isBrief ? .hiddenEmpty : .empty
    }
    guard options.isBrief else { return nil }
    return brief.reason(packet, isFailure: sentence.isFailure, memory)
  }

  /// Appends a line for each run of packets that was folded, in the columns of its first packet.
  private mutating func writeFolded(into output: inout Output) {
    for index in brief.runs.indices {
      let run = brief.runs[index]
      let alone = run.count == 1 ? run.alone : nil
      // Bytes are shown with the packet's own line, which it does not have.
      let isEmpty = run.count == 1 && run.kind == .empty && !options.showsBytes
      line.clear()
      columns.prefix(
        run.first, run.firstTime, since: showing.start, run.connection, run.adapter,
        isEmpty ? run.empty.direction : alone?.direction,
        isInferred: isEmpty
          ? run.empty.isDirectionInferred : alone?.isDirectionInferred ?? false, into: &line)
      if let alone {
        line.raw(alone.words.bytes)
      } else if isEmpty {
        columns.words(run.empty.title, into: &line)
        line.empty(isResent: run.empty.resent > 0, isDamaged: run.empty.damaged > 0)
      } else {
        style(.dim)
        line.run(run, options.glyphs)
        style(.plain)
      }
      finishLine(into: &output)
      if let last = run.lastTime { columns.previous = last }
    }
    brief.clearRuns()
  }

  /// Appends what was omitted without a line.
  private mutating func writeLeftOut(into output: inout Output) {
    line.clear()
    style(.dim)
    var isFirst = true
    for (number, one, several) in [
      (brief.answers, "successful command", "successful commands"),
      (brief.flowControl, "flow control packet", "flow control packets"),
      (brief.fragments, "fragment", "fragments"),
      (brief.unknownEvents, "unknown event", "unknown events"),
      (brief.empty, "empty packet", "empty packets"),
      (brief.resent, "resent packet", "resent packets"),
    ] as [(Int, StaticString, StaticString)] where number > 0 {
      line.text(isFirst ? "hidden: " : ", ")
      isFirst = false
      line.count(number, one, several)
    }
    style(.plain)
    if !isFirst { finishLine(into: &output) }
  }

  /// Appends the line that names the file of the following packets.
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

  /// Appends the problems of the packet, after its description.
  private mutating func problems(_ problems: Problems) {
    for index in 0..<problems.count {
      style(.warning)
      line.text("  ")
      line.text(options.glyphs.warning)
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

  /// Ends a line, printing the column headings before the first one. On a terminal, lines that do
  /// not fit are cut.
  private mutating func finishLine(into output: inout Output) {
    if !hasHeader {
      hasHeader = true
      var first = Output()
      swap(&first, &line)
      columns.head(into: &line)
      finishLine(into: &output)
      swap(&first, &line)
    }
    if !options.glyphs.isUTF8 {
      ascii.clear()
      line.copyASCII(into: &ascii)
      swap(&ascii, &line)
    }
    if let width = options.width {
      output.cut(line.bytes, columns: width, glyphs: options.glyphs)
    } else {
      output.raw(line.bytes)
    }
    output.byte(0x0a)
  }

  /// Appends the record's bytes, sixteen in a line with their offset, and as ASCII if printable.
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
        output.byte(secrets.contains(offset) ? 0x2e : record.byte(at: offset).inDump)
      }
      output.byte(0x0a)
    }
  }

  private mutating func style(_ style: TextStyle) {
    line.style(style, isOn: options.usesColor)
  }
}

extension Dissection {
  /// The style of the packet's name: what users look for stands out.
  fileprivate var style: TextStyle {
    att != nil ? .attribute : smp != nil ? .security : .plain
  }
}

extension UInt8 {
  /// The byte as a character of a dump: itself if it is printable ASCII, else a dot.
  var inDump: UInt8 { 0x20..<0x7f ~= self ? self : 0x2e }
}
