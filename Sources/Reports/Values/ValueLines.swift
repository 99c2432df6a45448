import Bluetooth
package import Bytes
package import Captures
import Decoders
import Meanings
package import Sessions

/// `values --json`, `--csv`, `--all`: one line for each value, as soon as its result is known.
package struct ValueLines: PacketReport, ~Copyable {
  /// The format of lines.
  package enum Form: Sendable {
    /// One JSON object (json.md).
    case json
    /// Comma-separated values with the quoting of RFC 4180, after one line with the columns' names.
    case csv
    /// Text.
    case text
  }

  private let options: ValuesOptions
  private let form: Form
  private let timeDecimals: Int
  private var conversations: Conversations
  private var filter: ValueFilter
  private var sink: JSONSink
  /// Decodes values.
  private var reading: ValueReading
  private var clock = Clock()
  private var rows: ValueRows
  /// With `--changes`, `--distinct` and `--messages`.
  private var changes: ValueChanges
  private var distinct: DistinctValues
  private var messages: MessageRows
  private var advertised: AdvertisedRows
  /// What is not listed, in words.
  private var notes: [String] = []
  private var line = Output()
  /// The attribute of a line.
  private var label = Output()
  /// A line that is held.
  private var held = Output()
  /// The line in ASCII.
  private var ascii = Output()
  private var hasHeader = false
  private var numberColumns = GrowingColumn(digits: 5, margin: 0)
  private var timeColumn: TimeColumn
  /// The time of the previous line.
  private var previous: Timestamp?
  private var connectionColumns = GrowingColumn(digits: 2, margin: 1)
  private var attributeColumns = 0

  /// The last write that a line of `--changes` named, and the last that had a line of its own.
  private var namedWrite: (packet: Int, isOpen: Bool) = (0, false)
  private var listedWrite = 0

  /// The width of the operation, and the minimum width of the attribute.
  private static let operationColumns = 18
  private static let leastAttributeColumns = (usual: 30, limited: 16)
  private static let countColumns = 7
  /// The width up to which the attribute's column grows before it shifts the rest.
  private static let mostAttributeColumns = 60
  /// The indentation of what follows a line, if there is less room than this for values.
  private static let indentation = 6
  private static let leastValueColumns = 24
  /// The maximum number of a value's first packets that are listed, and of its last: thousands of
  /// values may have been in one PDU of thousands of fragments.
  static let listedPackets = 32

  /// Creates lines for a capture with this summary.
  package init(
    _ options: ValuesOptions, _ form: Form, _ summary: CaptureSummary, limits: Limits = Limits()
  ) {
    self.options = options
    self.form = form
    timeDecimals = summary.timeDecimals
    timeColumn = TimeColumn(
      options.time, decimals: summary.timeDecimals, zoneOffset: options.zoneOffset)
    conversations = Conversations(limits)
    filter = ValueFilter(options)
    rows = ValueRows(options, timeDecimals: summary.timeDecimals, limits)
    changes = ValueChanges(limits)
    distinct = DistinctValues(limits)
    messages = MessageRows(limits)
    // Programs get all values, and messages come from connected devices.
    advertised = AdvertisedRows(
      isListed: form == .json || options.listsAdvertised || options.isStreamed
        || options.rows == .messages, limits)
    sink = JSONSink(showsKeys: options.showsKeys)
    reading = ValueReading(
      options.profiles, showsKeys: options.showsKeys, keepsRecent: true)
  }

  /// Why nothing was printed, and what is not.
  package var remark: String? {
    let all = (form == .text ? [] : notes) + [problem].compactMap(\.self)
    return all.isEmpty ? nil : all.joined(separator: "; ")
  }

  private var problem: String? {
    if rows.table.omitsFields {
      return "some decoded fields have no column, since they came late or there are too many; "
        + "--uuid and --columns choose"
    }
    if options.rows == .messages, filter.hasSeenValues, filter.shown == 0 {
      return
        (options.selection.isEverything ? "no value" : "no selected value")
        + " is a message of a protocol that a profile describes"
    }
    return filter.remark ?? distinct.remark ?? conversations.remark
  }

  /// Whether all values that can be shown have been.
  package var isSatisfied: Bool { filter.isSatisfied }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    filter.observe(packet.record, memory)
    reading.follow(packet, memory)
    conversations.observe(packet, memory)
    if options.rows == .changes { changes.observe(packet, memory) }
    if !conversations.values.isEmpty { write(memory, into: &output) }
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    conversations.finish(memory)
    write(memory, into: &output)
    releaseAdvertised(into: &output)
    switch options.rows {
    case .all, .changes: break
    case .distinct: writeDistinct(memory, into: &output)
    case .messages:
      for one in reading.takeAbandoned() { messages.addIncomplete(one) }
      for one in reading.leftOpen { messages.addIncomplete(one.what) }
      writeMessages(nil, isOver: true, memory, into: &output)
    }
    if form == .csv { rows.table.finish(into: &output) }
    // If reading stopped early, more may have followed.
    if !filter.isSatisfied { note(memory, into: &output) }
    if form == .json, options.rows != .distinct, !filter.isSatisfied {
      exchanges(memory, into: &output)
    }
  }

  /// Reports what is not listed.
  private mutating func note(_ memory: borrowing Memory, into output: inout Output) {
    if filter.shown > 0 {
      let (others, cut) = (messages.others, messages.cut)
      if others > 0 {
        notes.append(
          Wording("\(count: others, "value is", "values are") not part of a message").text)
      }
      if cut > 0 {
        notes.append(
          Wording("\(count: cut, "value is", "values are") not whole in the capture").text)
      }
    }
    if let remark = advertised.remark(memory) { notes.append(remark) }
    notes += memory.air.encryptionRemarks.map(\.text)
    guard form == .text else { return }
    for note in notes {
      line.string(note)
      finishLine(into: &output)
    }
  }

  /// Returns whether a value is one of those that are listed, apart from the selection.
  private mutating func lists(_ value: ConveyedValue) -> Bool {
    if value.operation == .advertisement { return advertised.admits(value) }
    if advertised.areHeld {
      advertised.forget()
      // Until now only advertisers had values.
      distinct.removeAll()
      rows.table.forgetRows()
      (hasHeader, previous, attributeColumns) = (false, nil, 0)
    }
    return true
  }

  private mutating func releaseAdvertised(into output: inout Output) {
    guard advertised.areHeld else { return }
    filter.count(advertised.held)
    advertised.release(into: &output)
  }

  /// Writes an advertiser's value, which is held until it is known whether a device was connected.
  private mutating func hold(
    _ value: ConveyedValue, _ bytes: [UInt8], _ packets: ArraySlice<Int>,
    _ memory: borrowing Memory, into output: inout Output
  ) {
    if let limit = filter.limit, advertised.held >= limit { return }
    _ = reading.read(value, bytes.bytes, memory)
    if form == .csv {
      write(value, bytes, packets, Extra(), memory, into: &output)
      advertised.holdRow()
      if rows.table.hasWritten { releaseAdvertised(into: &output) }
      return
    }
    var lines = Output()
    swap(&lines, &held)
    lines.clear()
    write(value, bytes, packets, Extra(), memory, into: &lines)
    advertised.hold(lines)
    swap(&lines, &held)
    if advertised.isFull { releaseAdvertised(into: &output) }
  }

  private mutating func write(_ memory: borrowing Memory, into output: inout Output) {
    // Kept in a variable while lines are written: a span of the property would borrow all of
    // `self`.
    let bytes = conversations.bytes
    for index in conversations.values.indices {
      let value = conversations.values[index]
      if options.rows == .changes { changes.observe(value, bytes.bytes, memory) }
      guard filter.selects(value, bytes.bytes), lists(value) else { continue }
      var extra = Extra()
      switch options.rows {
      case .all: break
      case .changes:
        guard changes.differs(value, bytes.bytes) else { continue }
        extra.write = changes.write(before: value)
        // Its answer may be among lost records.
        if let write = extra.write, write.packet < memory.links.gap { extra.write?.isOpen = false }
      case .distinct:
        _ = reading.read(value, bytes.bytes, memory)
        distinct.add(value, bytes.bytes, reading)
        continue
      case .messages:
        _ = reading.read(value, bytes.bytes, memory)
        for one in reading.takeAbandoned() { messages.addIncomplete(one) }
        messages.add(value, bytes.bytes, reading.meaning)
        writeMessages(value.time, memory, into: &output)
        continue
      }
      let packets = value.packets.map { conversations.packets[$0] } ?? []
      if advertised.areHeld {
        hold(value, bytes, packets, memory, into: &output)
        continue
      }
      filter.count()
      _ = reading.read(value, bytes.bytes, memory)
      write(value, bytes, packets, extra, memory, into: &output)
    }
  }

  /// What some rows have beside a value.
  struct Extra {
    /// How often the value came, and in which packet last.
    var count: (number: Int, lastPacket: Int)?
    /// The last write before it.
    var write: ValueChanges.Write?
    /// Whether the value is a whole message, why it was not read (empty: it was), and the packet of
    /// its answer.
    var isMessage = false
    var reason: [UInt8] = []
    var answer: Int?
  }

  /// Writes the distinct values, at the end.
  private mutating func writeDistinct(_ memory: borrowing Memory, into output: inout Output) {
    for entry in distinct.sorted() where !filter.isSatisfied {
      filter.count()
      reading.read(entry.value, entry.bytes.bytes, as: entry.message, memory)
      var extra = Extra()
      extra.count = (entry.count, entry.lastPacket)
      write(entry.value, entry.bytes, [], extra, memory, into: &output)
    }
  }

  /// Writes the messages that wait for nothing any more.
  private mutating func writeMessages(
    _ now: Timestamp?, isOver: Bool = false, _ memory: borrowing Memory, into output: inout Output
  ) {
    while let row = messages.take(now, isOver: isOver) {
      guard !filter.isSatisfied else { continue }
      filter.count()
      let server = memory.attributes.currentKey(row.value.attribute.server)
      reading.read(row.sighting, row.bytes.bytes, server, isWhole: form != .text)
      var extra = Extra()
      extra.isMessage = true
      (extra.reason, extra.answer) = (row.reason, row.answer)
      write(row.value, row.bytes, row.packets[...], extra, memory, into: &output)
    }
  }

  /// Writes a value, which `reading` has read.
  private mutating func write(
    _ value: ConveyedValue, _ bytes: [UInt8], _ packets: ArraySlice<Int>, _ extra: Extra,
    _ memory: borrowing Memory, into output: inout Output
  ) {
    switch form {
    case .json: json(value, bytes, packets, extra, into: &output)
    case .csv:
      rows.write(
        value, bytes.bytes, packets: packets, extra, since: filter.start, &reading, memory,
        into: &output)
    case .text: text(value, bytes, packets, extra, memory, into: &output)
    }
  }

  private func hides(_ value: ConveyedValue) -> Bool { value.isKeyMaterial && !options.showsKeys }

  // MARK: JSON

  /// Writes the results of the requests and series of protocols and control points, after the last
  /// packet, as one line each.
  private mutating func exchanges(_ memory: borrowing Memory, into output: inout Output) {
    for tally in reading.finish(memory) where !tally.isEmpty {
      sink.beginDocument(in: &output)
      sink.word("type", "exchange")
      sink.number("connection", Int(tally.conversation >> 1))
      if tally.conversation & 1 == 1 { sink.server(memory.vantage) }
      sink.string("name", tally.title)
      if tally.requests > 0 {
        sink.number("requests", tally.requests)
        sink.number("answered", tally.answered)
        if tally.refused > 0 { sink.number("refused", tally.refused) }
      }
      if !tally.unanswered.isEmpty { sink.packets("unanswered", tally.unanswered[...]) }
      if tally.series > 0 {
        sink.number("series", tally.series)
        sink.number("complete", tally.completed)
      }
      if !tally.unfinished.isEmpty {
        sink.key("unfinished")
        sink.output.unfinished(tally.unfinished)
      }
      sink.endDocument(in: &output)
    }
  }

  private mutating func json(
    _ value: ConveyedValue, _ bytes: [UInt8], _ numbers: ArraySlice<Int>, _ extra: Extra,
    into output: inout Output
  ) {
    sink.beginDocument(in: &output)
    sink.word("type", extra.isMessage ? "message" : "value")
    sink.number("packet", value.packet)
    if let count = extra.count {
      sink.number("count", count.number)
      sink.number("last_packet", count.lastPacket)
    }
    if let time = value.time {
      sink.time(time, since: filter.start, decimals: timeDecimals, &clock)
    }
    if value.parties.connection > 0 { sink.number("connection", value.parties.connection) }
    if let peer = value.parties.peer { sink.address("device", peer) }
    if let identity = value.parties.otherIdentity { sink.address("identity", identity) }
    sink.identity(value, bytes.bytes)
    sink.word("operation", value.operation.key)
    if let direction = value.direction {
      sink.word("direction", direction.key(value.parties.vantage))
    }
    if value.offset > 0 { sink.number("offset", value.offset) }
    if let slice = value.value {
      if hides(value) {
        sink.hidden("value", Int(slice.count))
      } else {
        sink.bytes("value", bytes.bytes.part(slice))
        if value.operation == .advertisement {
          sink.advertiser = value.parties.advertiser
          sink.ownAddress(in: bytes.bytes.part(slice))
        }
      }
    }
    if value.isCut { sink.flag("cut", true) }
    if value.mayGoOn { sink.flag("may_go_on", true) }
    if value.isRestRefused { sink.flag("rest_refused", true) }
    if value.isEchoWrong { sink.word("echo", "differs") }
    if !numbers.isEmpty {
      if numbers.count > 2 * Self.listedPackets {
        sink.packets(
          "packets", numbers.prefix(Self.listedPackets), numbers.suffix(Self.listedPackets))
        sink.number("packets_total", numbers.count)
      } else {
        sink.packets("packets", numbers)
      }
    }
    if let response = value.response { sink.number("response", response) }
    if let latency = value.latency {
      // Exact to 0.001 ms.
      sink.fixed("latency_ms", Int(latency / 1000), decimals: 3)
    }
    if value.lacksAnswer { sink.word("answer", "not_captured") }
    if let failure = value.outcome.failureKey { sink.word("failed", failure) }
    switch value.outcome {
    case .done: break
    case .refused(let error):
      sink.error("error", error, reading.profiles.errorName(of: value))
    case .noResponse, .cancelled, .notExecuted:
      if let reason = value.outcome.reason { sink.word("because", reason.key) }
      if let isAcknowledged = value.isAcknowledged { sink.flag("acknowledged", isAcknowledged) }
    }
    if let answer = extra.answer { sink.number("answered_by", answer) }
    if !extra.reason.isEmpty { sink.string("not_read", extra.reason.bytes) }
    if let write = extra.write { lastWrite(write) }
    if let slice = value.value, reading.meaning.isKnown {
      sink.key("decoded")
      if extra.isMessage {
        reading.meaning.writeJSON(bytes.bytes, into: &sink.output)
      } else {
        reading.meaning.writeJSON(bytes.bytes.part(slice), into: &sink.output)
      }
    }
    sink.endDocument(in: &output)
  }

  /// Appends the last write before a value.
  private mutating func lastWrite(_ write: ValueChanges.Write) {
    sink.begin("last_write")
    sink.number("packet", write.packet)
    if let uuid = write.attribute.uuid { sink.uuid("uuid", uuid) }
    sink.identifier("handle", UInt64(write.handle), digits: 4)
    if write.isOpen { sink.flag("answered", false) }
    if let value = write.value {
      if value.isHidden, !options.showsKeys {
        sink.hidden("value", value.count)
      } else {
        sink.bytes("value", value.bytes.bytes)
        if value.count > value.bytes.count { sink.number("value_length", value.count) }
      }
    }
    sink.end()
  }
}

extension Memory {
  /// Returns the characteristic that a descriptor belongs to, if known.
  package func owner(of attribute: AttributeIdentity, _ connection: Int) -> AttributeIdentity? {
    guard let owner = attribute.owner else { return nil }
    return identity(
      of: owner, attribute.server, attribute.side, connection: connection)
  }
}

extension Output {
  /// Appends packet numbers: `#97–#99`, or `#97, #99, #104 and 5 more`.
  mutating func packets(_ packets: ArraySlice<Int>, _ glyphs: Glyphs) {
    guard let first = packets.first, let last = packets.last else { return }
    if last - first == packets.count - 1, packets.count > 1 {
      packet(first)
      text(glyphs.to)
      packet(last)
      return
    }
    listed(packets, most: 8) { $0.packet($1) }
  }
}

/// The lines as text.
extension ValueLines {
  private mutating func text(
    _ value: ConveyedValue, _ bytes: [UInt8], _ packets: ArraySlice<Int>, _ extra: Extra,
    _ memory: borrowing Memory, into output: inout Output
  ) {
    line.clear()
    numberColumns.make(room: UInt(value.packet))
    let connection = value.parties.connection
    if connection > 0 { connectionColumns.make(room: UInt(connection)) }
    let labelColumns = writeLabel(value, bytes, memory)
    let most = mostLabelColumns(extra)
    // The following lines are aligned with the longest one so far.
    let columns = Self.leastAttributeColumns
    let least = options.width == nil ? columns.usual : columns.limited
    attributeColumns = min(most, max(attributeColumns, labelColumns + 2, least))
    if !hasHeader { head(extra, into: &output) }
    if let count = extra.count {
      line.spaces(Self.countColumns)
      line.put(UInt(count.number), endingAt: line.count)
    }
    style(.dim)
    line.spaces(numberColumns.width)
    line.put(UInt(value.packet), endingAt: line.count)
    if let time = value.time {
      timeColumn.write(time, since: filter.start ?? time, after: previous, into: &line)
      previous = time
    } else {
      line.spaces(timeColumn.width)
    }
    style(.plain)
    line.spaces(connectionColumns.width)
    if connection > 0 {
      line.put(UInt(connection), endingAt: line.count)
    }
    line.byte(0x20)
    switch value.direction {
    case .sent: line.text(options.glyphs.sent)
    case .received: line.text(options.glyphs.received)
    case nil: line.spaces(options.glyphs.isUTF8 ? 1 : 2)
    }
    line.byte(0x20)
    if value.outcome != .done { style(.failure) }
    let column = line.count
    line.operation(value.operation)
    line.fate(value.outcome, of: value.operation)
    let room = column + Self.operationColumns - line.count
    line.spaces(room > 0 ? room : 2)
    let isCut = !wraps && labelColumns + 2 > most
    if isCut { label.cut(columns: most - 2, options.glyphs) }
    label.copy(into: &line)
    line.spaces(isCut ? 2 : max(2, attributeColumns - labelColumns))
    if extra.isMessage {
      message(extra)
    } else {
      content(value, bytes)
    }
    details(value, packets)
    if let answer = extra.answer {
      line.text(", answered by ")
      line.packet(answer)
    }
    if let write = extra.write { after(write) }
    if extra.isMessage, reading.meaning.isKnown, let slice = value.value, !hides(value) {
      line.text("  ")
      line.hex(bytes.bytes.part(slice), separator: 0x20)
    }
    if value.outcome != .done { style(.plain) }
    if value.isWritten { listedWrite = value.packet }
    finishLine(into: &output, valuesAt: leadingColumns(extra) + attributeColumns)
  }

  /// Whether lines that are too long continue below, instead of being cut: where the values are
  /// what lines are about.
  private var wraps: Bool { options.rows != .all }

  /// The width of what precedes the attribute.
  private func leadingColumns(_ extra: Extra) -> Int {
    (extra.count != nil ? Self.countColumns : 0) + numberColumns.width + timeColumn.width
      + connectionColumns.width + (options.glyphs.isUTF8 ? 3 : 4) + Self.operationColumns
  }

  /// The width that attributes may take: with a limited width, values get at least as much.
  private func mostLabelColumns(_ extra: Extra) -> Int {
    guard let width = options.width else { return Self.mostAttributeColumns }
    return min(Self.mostAttributeColumns, max(12, (width - leadingColumns(extra)) / 2))
  }

  /// Writes the headings of the columns.
  private mutating func head(_ extra: Extra, into output: inout Output) {
    hasHeader = true
    style(.dim)
    if extra.count != nil {
      line.spaces(Self.countColumns - 5)
      line.text("count")
    }
    line.spaces(numberColumns.width - 1)
    line.text("#")
    timeColumn.head(into: &line)
    line.spaces(connectionColumns.width - 2)
    line.text("id")
    line.spaces(options.glyphs.isUTF8 ? 3 : 4)
    line.text("operation")
    line.spaces(Self.operationColumns - 9)
    line.text("attribute")
    line.spaces(attributeColumns - 9)
    line.text(extra.isMessage ? "message" : "value")
    style(.plain)
    finishLine(into: &output)
  }

  /// Writes the attribute of a value, and returns its width.
  private mutating func writeLabel(
    _ value: ConveyedValue, _ bytes: [UInt8], _ memory: borrowing Memory
  ) -> Int {
    label.clear()
    if value.operation == .advertisement {
      label.advertiser(value.parties.peer, value.attribute.side)
      label.byte(0x20)
      label.advertised(value.attribute.uuid, value.company)
    } else if let slice = value.handles {
      let list = bytes.bytes.part(slice)
      for index in 0..<list.byteCount / 2 {
        if index > 0 { label.text(", ") }
        label.handle(list.littleEndianU16(at: 2 * index))
      }
    } else {
      label.attribute(
        value.attribute, owner: memory.owner(of: value.attribute, value.parties.connection),
        options.glyphs, profileName: reading.name(value.attribute.uuid))
    }
    return label.bytes.columns
  }

  /// Appends the value.
  private mutating func content(_ value: ConveyedValue, _ bytes: [UInt8]) {
    guard let slice = value.value else { return }
    let content = bytes.bytes.part(slice)
    if reading.meaning.isKnown {
      reading.meaning.writeText(into: &line)
    } else if hides(value) {
      line.text("<hidden>, ")
      line.count(content.byteCount, "byte", "bytes")
    } else {
      line.valueBytes(content)
      if content.isText(of: value.attribute.uuid) {
        line.text("  ")
        line.quoted(content)
      }
    }
    if value.operation == .advertisement, !hides(value) {
      line.ownAddress(value.parties.advertiser.place(in: content))
    }
  }

  /// Appends a message: its name and what it means, or why it was not read.
  private mutating func message(_ extra: Extra) {
    guard extra.reason.isEmpty else { return line.raw(extra.reason.bytes) }
    reading.meaning.writeTitle(into: &line)
    reading.meaning.writeText(into: &line)
  }

  /// Appends the last write before a value, unless a line before this one did.
  private mutating func after(_ write: ValueChanges.Write) {
    if namedWrite == (write.packet, write.isOpen) { return }
    namedWrite = (write.packet, write.isOpen)
    line.text("  after ")
    line.packet(write.packet)
    if write.packet != listedWrite { content(write) }
    if write.isOpen { line.text(write.value == nil ? ", not answered yet" : ", not answered") }
  }

  /// Appends what was written.
  private mutating func content(_ write: ValueChanges.Write) {
    line.byte(0x20)
    line.attribute(write.attribute, owner: nil, options.glyphs)
    guard let value = write.value else { return }
    line.byte(0x20)
    if value.isHidden, !options.showsKeys { return line.text("<hidden>") }
    line.valueBytes(value.bytes.bytes)
    if value.count > value.bytes.count { line.text(options.glyphs.ellipsis) }
  }

  /// Appends the details of a value.
  private mutating func details(_ value: ConveyedValue, _ packets: ArraySlice<Int>) {
    var isFirst = value.value == nil
    if value.offset > 0 {
      line.separate(&isFirst)
      line.text("from byte ")
      line.decimal(value.offset)
      line.text(" on")
    }
    if !packets.isEmpty {
      line.separate(&isFirst)
      line.packets(packets, options.glyphs)
    }
    if value.isCut {
      line.separate(&isFirst)
      line.text(ValueWords.cut)
    }
    if value.mayGoOn || value.isRestRefused {
      line.separate(&isFirst)
      line.text(
        value.isRestRefused ? ValueWords.restRefused(value.parties.vantage) : ValueWords.mayGoOn)
    }
    if value.isEchoWrong {
      line.separate(&isFirst)
      line.text("the server repeated something else")
    }
    if value.outcome != .done, value.outcome != .cancelled {
      line.separate(&isFirst)
      line.why(
        value.outcome, of: value.operation, isAcknowledged: value.isAcknowledged,
        error: reading.profiles.errorName(of: value))
    }
  }

  /// Ends a line.
  ///
  /// - Parameter column: the column of the value, below which it continues.
  private mutating func finishLine(into output: inout Output, valuesAt column: Int = 0) {
    guard wraps, let width = options.width else {
      return output.line(&line, ascii: &ascii, columns: options.width, options.glyphs)
    }
    output.wrappedLine(
      &line, ascii: &ascii, columns: width,
      indentation: column + Self.leastValueColumns <= width ? column : Self.indentation,
      options.glyphs)
  }

  @inline(__always)
  private mutating func style(_ style: TextStyle) {
    if options.usesColor { line.text(style.sequence) }
  }
}

extension JSONSink {
  /// Appends a serial channel.
  mutating func channel(_ channel: SerialChannel) {
    switch channel {
    case .rfcomm(let server): number("rfcomm_channel", Int(server))
    case .creditBased(let psm): code("psm", UInt64(psm.rawValue), digits: 4, psm.name)
    }
  }

  /// Appends the attribute of a value.
  mutating func identity(_ value: ConveyedValue, _ bytes: RawSpan) {
    if value.attribute.side == .local { server(value.parties.vantage) }
    if let service = value.attribute.service { self.uuid("service", service) }
    if let uuid = value.attribute.uuid { self.uuid("uuid", uuid) }
    if let company = value.company {
      self.code(
        "company", UInt64(company), digits: 4, assigned: CompanyID(rawValue: company).name)
    }
    if let channel = value.attribute.channel { self.channel(channel) }
    if let handle = value.attribute.handle {
      identifier("handle", UInt64(handle), digits: 4)
    } else if let slice = value.handles {
      beginList("handles")
      let list = bytes.part(slice)
      for index in 0..<list.byteCount / 2 {
        element(handle: list.littleEndianU16(at: 2 * index))
      }
      endList()
    }
    if let kind = value.attribute.kind { word("attribute", kind.key) }
    if let via = value.attribute.via { word("via", via.key) }
  }
}
