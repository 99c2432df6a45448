import Bluetooth
package import Bytes
package import Captures
import Cryptography
package import Decoders
import Histories
import Dissectors
import Explanations
import Meanings
package import Reports
package import Sessions

/// The options of `report`.
package struct PageOptions: PresentationOptions, Sendable {
  /// The packets, connections and attributes to include. An empty selection includes all.
  package var selection = Selection()
  /// The capture's name.
  package var name = ""
  /// The user's title. If it is empty, the capture's name is used.
  package var title = ""
  /// The user's note, shown above everything else.
  package var note = ""
  /// The largest size of the page, in bytes.
  package var limit = Self.usualLimit
  /// Whether keys, addresses and names were replaced before the capture was read.
  package var isRedacted = false
  /// Whether unknown data of vendors' commands and events stays in it.
  package var keepsVendors = false
  /// What the archives report about the phones that made them.
  package var phones: [String] = []
  /// Remarks about damage to the archives that the capture came from.
  package var remarks: [String] = []
  /// Whether secrets are shown.
  package var showsKeys = false
  /// The passkeys to try when one is searched for.
  package var passkeys = SixDigits.all
  /// The user's profiles.
  package var profiles = SuppliedProfiles()
  /// The glyphs to use; a page is UTF-8.
  package var glyphs = Glyphs.utf8
  /// Unused, since a page has no terminal.
  package var usesColor = false
  package var width: Int?

  /// The default size limit, in bytes.
  package static let usualLimit = 20_000_000

  /// Returns a sentence about damage. It has no folders, and of a redacted capture no names of
  /// files in it.
  package func sentence(about failure: CaptureFailure) -> String {
    var failure = failure
    failure.file = isRedacted ? nil : failure.file.map(Self.withoutFolders)
    return failure.sentence(about: self.name)
  }

  /// Returns the remarks about a capture, naming files without their folders.
  func remarks(_ summary: CaptureSummary?) -> [String] {
    guard var summary else { return [] }
    for index in summary.files.indices {
      summary.files[index].name = Self.withoutFolders(summary.files[index].name)
    }
    return summary.allRemarks
  }

  private static func withoutFolders(_ name: String) -> String {
    name.split(separator: "/").last.map { String($0) } ?? name
  }

  /// Creates the default options.
  package init() {}
}

/// `report`: one HTML page. Collects its contents packet by packet, and writes them at the end.
package struct PageReport: PacketReport, ~Copyable {
  private let options: PageOptions
  private var history: CaptureHistory?
  private var values: CountedValues
  private var map: MapReport
  private var showing: Showing
  private var sentence: Sentence
  private var brief = Brief()
  private var details: VerboseSink
  private var contents: PageContents
  private var repeated = RepeatedFields()
  /// What the fields of the current packet depend on.
  private var context = FieldContext()
  private var openRuns: [(first: Int, run: Int)] = []
  private var scratch = Output()
  private var codes = PageCodes()
  private var summary: CaptureSummary?
  /// The time of the first record that has one.
  private var start: Timestamp?
  private var lastTime: Int64 = 0

  /// Creates a page about a capture with this summary.
  package init(_ options: PageOptions, _ summary: CaptureSummary, limits: Limits = Limits()) {
    self.options = options
    self.summary = summary
    history = CaptureHistory(
      limits, knowledge: ProfileKnowledge(options.profiles),
      passkeys: options.passkeys, followsRequests: false, bytes: Self.historyBytes)
    var chosen = ValuesOptions()
    chosen.selection = options.selection
    chosen.profiles = options.profiles
    chosen.showsKeys = options.showsKeys
    values = CountedValues(chosen, drawsPlots: true, limits: limits)
    var mapped = MapOptions()
    mapped.selection = options.selection
    mapped.profiles = options.profiles
    mapped.showsKeys = options.showsKeys
    map = MapReport(mapped, limits: limits)
    var shown = ShowOptions()
    shown.selection = options.selection
    showing = Showing(shown)
    sentence = Sentence(
      showsKeys: options.showsKeys, glyphs: .utf8, profiles: options.profiles, keepsRecent: true)
    details = VerboseSink(
      showsKeys: options.showsKeys, glyphs: .utf8, profiles: options.profiles, isData: true)
    contents = PageContents(limit: options.limit, decimals: summary.timeDecimals)
  }

  /// The most bytes of what findings need of connections: less than for `explain`, since the
  /// packets, values and attributes of the page are kept beside it.
  private static let historyBytes = CaptureHistory.mostBytes / 4 * 3

  /// The most controllers that are described.
  private static let mostAdapters = 4

  /// Always false, since every packet may add to the page.
  package var isSatisfied: Bool { false }

  /// The reason why no packet is on the page.
  package var remark: String? { showing.remark(sentence.reading) }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    // Requests are followed once, for the values, the history and the map.
    values.follow(packet, memory)
    history?.observe(packet, memory)
    list(packet, memory)
    // The sentence has read the packet. The values come last, since they read others.
    map.observe(values.conversations)
    map.packet(packet, memory, read: sentence.reading)
    values.count(packet.answer, memory, &sentence.reading)
  }

  /// Adds a packet to the list, if it is selected and the page has room for it.
  private mutating func list(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if start == nil { start = packet.record.time }
    var (flags, connection) = facts(packet, memory)
    if contents.rows.stage > .all, showing.showsEverything,
      !contents.rows.takes(flags, connection: connection)
    {
      showing.skip(packet.record)
      sentence.follow(packet, memory)
      if flags.contains(.advertising) { observeSignals(packet.record, memory) }
      return
    }
    guard showing.word(packet, memory, in: &sentence),
      showing.showsEverything || contents.rows.takes(flags, connection: connection)
    else { return }
    if sentence.isFailure { flags.insert(.failure) }
    if flags.contains(.advertising) { observeSignals(packet.record, memory) }
    let isRoutine = add(packet, memory, flags, connection)
    let isFailing = !flags.isDisjoint(with: [.failure, .problem]) && contents.details.keepsFailing
    let isImportant = packet.dissection.att != nil || packet.dissection.smp != nil
    addDetails(
      packet, memory,
      isFailing ? .failing : isRoutine ? .routine : isImportant ? .important : .other)
  }

  package mutating func learn(_ summary: CaptureSummary) { self.summary = summary }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard let history = history.take() else { return }
    wordRuns()
    values.finish(memory, &sentence.reading, latest: history.latest)
    var evidence = history.finish(
      memory, summary, failure, unanswered: values.conversations.unanswered)
    evidence.listsKeys = options.showsKeys
    let explanation = Explanation(evidence, options.selection)
    contents.start = start
    contents.remark = remark
    contents.damage = failure.flatMap { words($0) }
    for adapter in memory.adapters.all.prefix(Self.mostAdapters) {
      scratch.clear()
      scratch.facts(of: adapter)
      contents.adapters.append(String(decoding: scratch.bytes.array, as: UTF8.self))
    }
    contents.remarks = memory.reached.remarks + options.remarks(summary)
    if !memory.air.isEmpty {
      contents.sniffer = memory.air.claims.words.text
      contents.remarks += memory.air.claimRemarks.map { "the sniffer: \($0.text)" }
      contents.remarks += memory.air.encryptionRemarks.map(\.withoutHint.text)
    }
    contents.choose(signalsOf: explanation.connections.map(\.history.connection), memory)
    var tree = map.page(memory, values.conversations)
    var writer = PageWriter(options, explanation, takeContents())
    writer.write(&values, &tree, &sentence.reading, memory, into: &output)
  }

  /// Returns the contents, of which nothing else keeps a copy.
  private mutating func takeContents() -> PageContents {
    let taken = contents
    contents = PageContents(limit: options.limit, decimals: taken.decimals)
    return taken
  }

  /// Returns a sentence about damage, unless the remarks have it.
  private func words(_ failure: CaptureFailure) -> String? {
    let words = options.sentence(about: failure)
    return options.remarks.contains(words) ? nil : words
  }

  // MARK: Packets

  /// Returns what is known of a packet before it is described.
  private func facts(
    _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> (PageRows.Flags, connection: Int) {
    var flags: PageRows.Flags = []
    switch packet.record.direction {
    case .sent: flags.insert(.sent)
    case .received: flags.insert(.received)
    case nil: break
    }
    if packet.record.time == nil { flags.insert(.timeless) }
    if !packet.dissection.problems.isEmpty { flags.insert(.problem) }
    if packet.dissection.isOf(.advertising, packet.bytes, memory) { flags.insert(.advertising) }
    if case .linkData(let pdu) = packet.dissection.content, pdu.isEmpty {
      flags.insert(.flowControl)
    }
    if packet.dissection.isOf(.security, packet.bytes, memory) { flags.insert(.security) }
    if let att = packet.dissection.att {
      switch att.opcode.role {
      case .request, .indication: flags.insert(.request)
      case .response, .confirmation: flags.insert(.response)
      case .unacknowledged: break
      }
    }
    let connection = packet.answer.link.map { memory.links.id($0) } ?? 0
    if let link = packet.answer.link, memory.links.isEncrypted(link) == true {
      flags.insert(.encrypted)
    }
    return (flags, connection)
  }

  /// Returns the microseconds since the first packet. For a packet without a time, returns those of
  /// the previous one.
  private mutating func moment(_ record: borrowing CaptureRecord) -> Int64 {
    guard let time = record.time, let start else { return lastTime }
    lastTime = time.nanoseconds(since: start) / 1000
    return lastTime
  }

  private mutating func observeSignals(
    _ record: borrowing CaptureRecord, _ memory: borrowing Memory
  ) {
    let reports = memory.advertisements.reports
    guard !reports.isEmpty else { return }
    contents.signals.observe(reports, at: moment(record))
  }

  /// Adds a row, and returns whether the packet only reports free buffers.
  private mutating func add(
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ flags: PageRows.Flags,
    _ connection: Int
  ) -> Bool {
    var flags = flags
    let reason = brief.reason(packet, isFailure: sentence.isFailure, memory)
    if reason.map({ !brief.hasRoom($0, packet, memory) }) ?? true { wordRuns() }
    var run = 0
    if let reason {
      flags.insert(.folded)
      if case .flowControl = reason { flags.insert(.flowControl) }
      brief.fold(reason, packet, memory)
      run = self.run(of: packet.record.number)
    }
    var row = PageRows.Row(
      time: moment(packet.record), number: UInt32(truncatingIfNeeded: packet.record.number),
      flags: flags,
      layer: packet.dissection.layer.rawValue)
    row.connection = UInt32(truncatingIfNeeded: connection)
    if let request = packet.answer.request, request.packet < packet.record.number {
      row.answers = UInt32(truncatingIfNeeded: packet.record.number - request.packet)
    }
    scratch.clear()
    Self.write(sentence, into: &scratch)
    codes.write(packet, memory, into: &scratch)
    Self.add(row, sentence, packet.dissection.problems, &contents.rows, &scratch)
    if run > 0 { contents.rows.fold(into: run) }
    return flags.contains(.flowControl)
  }

  /// Writes the words up to the subject.
  private static func write(_ sentence: borrowing Sentence, into scratch: inout Output) {
    let parts = sentence.parts
    sentence.output.copy(parts.name, into: &scratch)
    if !parts.subject.isEmpty {
      scratch.byte(0x20)
      sentence.output.copy(parts.subject, into: &scratch)
    }
  }

  /// Adds a row.
  ///
  /// - Parameter scratch: the words up to the subject, and the packet's codes.
  private static func add(
    _ row: PageRows.Row, _ sentence: borrowing Sentence, _ problems: Problems,
    _ rows: inout PageRows, _ scratch: inout Output
  ) {
    rows.add(
      row, head: scratch.bytes, rest: sentence.output.bytes.part(sentence.parts.rest))
    for index in 0..<problems.count {
      scratch.clear()
      scratch.message(of: problems[index])
      rows.add(problem: scratch.bytes)
    }
  }

  /// Returns the run that a packet was folded into, or 0 if it has no line.
  private mutating func run(of packet: Int) -> Int {
    guard let run = brief.runs.last(where: { $0.last == packet }) else { return 0 }
    if let known = openRuns.first(where: { $0.first == run.first }) { return known.run }
    let place = contents.rows.beginRun()
    openRuns.append((run.first, place))
    return place
  }

  /// Sets the words of the runs that end here.
  private mutating func wordRuns() {
    guard !brief.runs.isEmpty else { return }
    for index in brief.runs.indices {
      let run = brief.runs[index]
      guard let place = openRuns.first(where: { $0.first == run.first })?.run else { continue }
      Self.word(run, place, &contents.rows, &scratch)
    }
    openRuns.removeAll(keepingCapacity: true)
    brief.clearRuns()
  }

  private static func word(
    _ run: Brief.Run, _ place: Int, _ rows: inout PageRows, _ scratch: inout Output
  ) {
    scratch.clear()
    scratch.words(of: run, .utf8)
    rows.word(run: place, scratch.bytes)
  }

  private mutating func addDetails(
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ rank: PageDetails.Rank
  ) {
    contents.details.learn(rows: contents.rows.size)
    if contents.details.wantsFields(rank) {
      addFields(packet, memory, rank)
    }
    guard contents.details.wantsBytes(packet.record.bytes.byteCount) else { return }
    let secrets = options.showsKeys ? .none : Secrets(packet, memory)
    contents.details.add(packet.record.bytes, hiding: secrets, of: packet.record.number)
  }

  private mutating func addFields(
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ rank: PageDetails.Rank
  ) {
    details.clear()
    guard packet.record.bytes.byteCount <= RepeatedFields.mostBytes,
      context.describe(packet, memory)
    else {
      details.packet(packet, memory, sentence.reading)
      Self.add(fields: details, after: nil, of: packet.record.number, rank, &contents.details)
      return
    }
    let value = context.value
    let count = value.isEmpty ? packet.record.bytes.byteCount : Int(value.start)
    let key = packet.record.bytes.part(Slice(start: 0, count: count))
    var beginning = repeated.beginning(context, key)
    if let known = beginning, !contents.details.has(known, rank) { beginning = nil }
    let content = packet.bytes.part(value)
    let valueContext = ValueContext(value, sentence.reading)
    if let beginning, let valueContext, let known = repeated.value(valueContext, content),
      contents.details.add(known, after: beginning, of: packet.record.number)
    {
      return
    }
    if beginning == nil {
      details.packet(packet, memory, sentence.reading)
      scratch.clear()
      details.output.copy(into: &scratch)
      details.clear()
    }
    if !value.isEmpty { details.value(value, of: packet.bytes, sentence.reading) }
    if beginning == nil {
      let first = Slice(start: 0, count: scratch.count - details.output.count)
      let added = Self.add(beginning: first, of: scratch, rank, &contents.details)
      repeated.learn(beginning: added, context, key)
      beginning = added
    }
    let lines = Self.add(
      fields: details, after: beginning, of: packet.record.number, rank, &contents.details)
    if let valueContext { repeated.learn(value: lines, valueContext, content) }
  }

  private static func add(
    beginning slice: Slice, of text: borrowing Output, _ rank: PageDetails.Rank,
    _ details: inout PageDetails
  ) -> PageDetails.Lines {
    details.add(beginning: text.bytes.part(slice), rank)
  }

  @discardableResult
  private static func add(
    fields: borrowing VerboseSink, after beginning: PageDetails.Lines?, of packet: Int,
    _ rank: PageDetails.Rank, _ details: inout PageDetails
  ) -> PageDetails.Lines {
    details.add(fields: fields.output.bytes, after: beginning, of: packet, rank)
  }
}

/// The contents of a page, apart from what other reports conclude.
struct PageContents: Sendable {
  var rows: PageRows
  var details: PageDetails
  var signals = PageSignals()
  /// The names of the advertisers, in the order in which they are drawn.
  private(set) var signalNames: [[UInt8]] = []
  var start: Timestamp?
  /// The number of decimals in the capture's times.
  let decimals: Int
  /// The reason why there are no packets, or nil if there are some.
  var remark: String?
  /// The damage that ended the capture early.
  var damage: String?
  /// The controllers, in words.
  var adapters: [String] = []
  /// What a sniffer recorded, if one did.
  var sniffer: String?
  /// Other remarks about the capture.
  var remarks: [String] = []

  /// The space for everything but packets, their details and the page's files: the limit divided by
  /// `shareOfProse`, but at least `leastProse` bytes.
  private static let shareOfProse = 8
  private static let leastProse = 160_000

  init(limit: Int, decimals: Int) {
    let room = limit - max(limit / Self.shareOfProse, Self.leastProse) - PageTexts.byteCount
    details = PageDetails(room: room)
    rows = PageRows(budget: room - PageDetails.least(room))
    self.decimals = decimals
  }

  /// Chooses the advertisers to draw, and records their names.
  mutating func choose(signalsOf connections: [Connection], _ memory: borrowing Memory) {
    signals.choose(connections)
    for signal in signals.drawn {
      var output = Output()
      output.address(signal.address)
      if let entry = memory.names.find(signal.address, signal.type), let name = memory.names[entry]
      {
        output.byte(0x20)
        output.quoted(name.bytes)
      }
      signalNames.append(output.bytes.array)
    }
  }
}
