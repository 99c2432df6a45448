import Bluetooth
package import Bytes
package import Captures
import Dissectors
import Meanings
package import Sessions

/// `show --json`: one object for each record, in the order of the capture (json.md).
package struct ShowJSON: PacketReport, ~Copyable {
  private let options: ShowOptions
  private let timeDecimals: Int
  private var sink: JSONSink
  private var sentence: Sentence
  private var clock = Clock()
  private var showing: Showing
  /// The files, if there are several, and the index of the last line's file.
  private let files: [CaptureSummary.File]
  private var file = -1

  /// Creates a report on a capture with this summary.
  package init(_ options: ShowOptions, _ summary: CaptureSummary) {
    self.options = options
    timeDecimals = summary.timeDecimals
    files = summary.files
    showing = Showing(options)
    sink = JSONSink(showsKeys: options.showsKeys, profiles: options.profiles)
    // JSON is UTF-8, whatever the terminal supports.
    sentence = Sentence(
      showsKeys: options.showsKeys, glyphs: .utf8, profiles: options.profiles)
  }

  /// Why nothing was printed; otherwise what is still open in what was printed.
  package var remark: String? {
    showing.remark(sentence.reading)
  }

  /// Whether all packets that can be shown have been.
  package var isSatisfied: Bool { showing.isSatisfied }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    guard showing.word(packet, memory, in: &sentence) else { return }
    sink.beginDocument(in: &output)
    head(packet.record, packet.dissection, packet.answer.air)
    Details.packet(packet, memory, to: &sink)
    if sentence.reading.meaning.isKnown, sentence.reading.isOfPDU, let value = packet.soleValue {
      sink.key("decoded")
      sentence.reading.meaning.writeJSON(packet.bytes.part(value), into: &sink.output)
    }
    summary()
    problems(packet.dissection.problems, isJoined: packet.answer.fragment.hasJoinedBytes)
    if options.showsBytes {
      raw(packet.record.bytes, options.showsKeys ? .none : Secrets(packet, memory))
    }
    sink.endDocument(in: &output)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}

  /// Writes the record's own fields, which every line starts with.
  private mutating func head(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ fact: AirFact?
  ) {
    let layer = dissection.layer
    if layer == .note {
      sink.constant(#""type":"note","packet":"#)
    } else {
      sink.constant(#""type":"packet","packet":"#)
    }
    sink.output.decimal(record.number)
    if record.file != file {
      file = record.file
      if files.indices.contains(file) { sink.string("file", files[file].name) }
    }
    if let time = record.time {
      sink.time(time, since: showing.start, decimals: timeDecimals, &clock)
    }
    if let number = record.adapter.number {
      sink.constant(#","adapter":"#)
      sink.output.decimal(Int(number))
    }
    switch record.direction {
    case nil: break
    case let direction? where dissection.air != nil: self.direction(direction, fact)
    case .sent: sink.constant(#","direction":"sent""#)
    case .received: sink.constant(#","direction":"received""#)
    }
    if record.isReplayed { sink.flag("replayed", true) }
    if record.isDirectionInferred, dissection.air == nil { sink.word("direction_via", "inferred") }
    sink.constant(#","length":"#)
    sink.output.decimal(record.originalLength)
    if record.isTruncated { sink.number("captured", record.bytes.byteCount) }
    if layer != .note { sink.word("protocol", layer.key) }
    if !record.options.isEmpty { comments(record) }
  }

  /// Writes the direction of a packet on the air, and how it is known.
  private mutating func direction(_ direction: Direction, _ fact: AirFact?) {
    sink.word(
      "direction",
      direction == .sent ? "central_to_peripheral" : "peripheral_to_central")
    if let via = fact?.directionEvidence { sink.word("direction_via", via.key) }
  }

  /// Writes the capture's comments on the packet.
  private mutating func comments(_ record: borrowing CaptureRecord) {
    var position = 0
    var isFirst = true
    while let comment = record.options.nextComment(&position) {
      if isFirst { sink.beginList("comments") }
      isFirst = false
      sink.element(string: comment)
    }
    if !isFirst { sink.endList() }
  }

  /// Writes the sentence in one piece: `Notification 0x0012: a5 06`.
  private mutating func summary() {
    sink.key("summary")
    sink.output.byte(0x22)
    sentence.copySummary(escaped: true, into: &sink.output)
    sink.output.byte(0x22)
  }

  /// - Parameter isJoined: whether the packet completes a PDU of several records. Offsets would
  ///   then count from the start of the PDU, which no record contains as a whole.
  private mutating func problems(_ problems: Problems, isJoined: Bool) {
    guard !problems.isEmpty else { return }
    sink.beginList("problems")
    for index in 0..<problems.count {
      let problem = problems[index]
      sink.beginItem()
      sink.word("severity", problem.code.severity.key)
      sink.word("code", problem.code.key)
      sink.key("message")
      sink.output.byte(0x22)
      sink.output.message(of: problem)
      sink.output.byte(0x22)
      if let response = problem.response { sink.number("response", response) }
      if let request = problem.request { sink.number("request", request) }
      if !isJoined, let offset = problem.offset { sink.number("offset", Int(offset)) }
      sink.endItem()
    }
    sink.endList()
    if problems.omitted > 0 { sink.number("problems_omitted", problems.omitted) }
  }

  private mutating func raw(_ record: RawSpan, _ secrets: Secrets) {
    sink.key("raw")
    sink.output.byte(0x22)
    sink.output.hex(record, hiding: secrets)
    sink.output.byte(0x22)
  }
}
