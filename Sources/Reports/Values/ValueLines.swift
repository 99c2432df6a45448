import Bluetooth
package import Bytes
package import Captures
import Decoders
package import Dissectors
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
  private var line = Output()
  /// The line in ASCII.
  private var ascii = Output()
  private var hasHeader = false
  private var numberColumns = GrowingColumn(digits: 5, margin: 0)
  private var timeColumn: TimeColumn
  /// The time of the previous line.
  private var previous: Timestamp?
  private var connectionColumns = GrowingColumn(digits: 2, margin: 1)
  private var attributeColumns = Self.leastAttributeColumns

  /// The width of the operation, and the minimum width of the attribute.
  private static let operationColumns = 16
  private static let leastAttributeColumns = 30
  /// The width up to which the attribute's column grows before it shifts the rest.
  private static let mostAttributeColumns = 60
  /// The maximum number of a value's first packets that are listed, and of its last: thousands of
  /// values may have been in one PDU of thousands of fragments.
  private static let listedPackets = 32

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
    sink = JSONSink(showsKeys: options.showsKeys)
    reading = ValueReading(
      options.profiles, showsKeys: options.showsKeys, keepsRecent: true)
  }

  /// Why nothing was printed.
  package var remark: String? { filter.remark ?? conversations.remark }

  /// Whether all values that can be shown have been.
  package var isSatisfied: Bool { filter.isSatisfied }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    filter.observe(record, memory)
    reading.follow(record, dissection, bytes, answer, memory)
    conversations.observe(record, dissection, bytes, answer, fragments: fragments, memory)
    if !conversations.values.isEmpty { write(memory, into: &output) }
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    conversations.finish(memory)
    write(memory, into: &output)
    if form == .csv { header(into: &output) }
    // If reading stopped early, more may have followed.
    if form == .json, !filter.isSatisfied { exchanges(into: &output) }
  }

  private mutating func write(_ memory: borrowing Memory, into output: inout Output) {
    // Kept in a variable while lines are written: a span of the property would borrow all of
    // `self`.
    let bytes = conversations.bytes
    for index in conversations.values.indices {
      guard filter.admits(conversations.values[index], bytes.bytes) else { continue }
      _ = reading.read(conversations.values[index], bytes.bytes, memory)
      switch form {
      case .json: json(index, bytes, memory, into: &output)
      case .csv: csv(index, bytes, memory, into: &output)
      case .text: text(index, bytes, memory, into: &output)
      }
    }
  }

  private func hides(_ value: ConveyedValue) -> Bool { value.isKeyMaterial && !options.showsKeys }

  // MARK: JSON

  /// Writes the results of the requests and series of protocols and control points, after the last
  /// packet, as one line each.
  private mutating func exchanges(into output: inout Output) {
    for tally in reading.finish() where !tally.isEmpty {
      sink.beginDocument(in: &output)
      sink.word("type", "exchange")
      sink.number("connection", Int(tally.conversation >> 1))
      if tally.conversation & 1 == 1 { sink.word("server", "local") }
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
    _ index: Int, _ bytes: [UInt8], _ memory: borrowing Memory, into output: inout Output
  ) {
    let value = conversations.values[index]
    sink.beginDocument(in: &output)
    sink.word("type", "value")
    sink.number("packet", value.packet)
    if let time = value.time {
      sink.time(time, since: filter.start, decimals: timeDecimals, &clock)
    }
    if value.parties.connection > 0 { sink.number("connection", value.parties.connection) }
    if let peer = value.parties.peer { sink.address("device", peer) }
    if let identity = value.parties.otherIdentity { sink.address("identity", identity) }
    sink.identity(value, bytes.bytes)
    sink.word("operation", value.operation.key)
    if let direction = value.direction {
      sink.word("direction", direction == .sent ? "sent" : "received")
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
    if let packets = value.packets {
      let numbers = conversations.packets[packets]
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
    switch value.outcome {
    case .done: break
    case .refused(let error):
      sink.error("error", error, reading.profiles.errorName(of: value))
    case .noResponse, .cancelled, .notExecuted:
      if let error = value.outcome.errorKey { sink.word("error", error) }
      if let reason = value.outcome.reason { sink.word("because", reason.key) }
      if let isAcknowledged = value.isAcknowledged { sink.flag("acknowledged", isAcknowledged) }
    }
    if let slice = value.value, reading.meaning.isKnown {
      sink.key("decoded")
      reading.meaning.writeJSON(bytes.bytes.part(slice), into: &sink.output)
    }
    sink.endDocument(in: &output)
  }

  // MARK: CSV

  /// The columns' names; new ones are added at the end.
  private static let columns: StaticString =
    """
    packet,time,elapsed_s,connection,device,service,uuid,name,handle,operation,direction,value,\
    number,error,response,packets,identity,offset,cut,may_go_on,company,decoded,quantity,unit
    """

  private mutating func header(into output: inout Output) {
    guard !hasHeader else { return }
    hasHeader = true
    output.text(Self.columns)
    output.byte(0x0a)
  }

  /// Appends a line of CSV. Only names need quotes, since they may contain commas.
  private mutating func csv(
    _ index: Int, _ bytes: [UInt8], _ memory: borrowing Memory, into output: inout Output
  ) {
    header(into: &output)
    let value = conversations.values[index]
    output.decimal(value.packet)
    output.byte(0x2c)
    let time = options.time == .none ? nil : value.time
    if let time, time.isWritable {
      if options.time == .local {
        let offset = options.zoneOffset(time.seconds)
        clock.local(time, offset: offset, decimals: timeDecimals, into: &output)
      } else {
        clock.utc(time, decimals: timeDecimals, into: &output)
      }
    }
    output.byte(0x2c)
    if let time, let start = filter.start { output.elapsed(time, since: start) }
    output.byte(0x2c)
    if value.parties.connection > 0 { output.decimal(value.parties.connection) }
    output.byte(0x2c)
    if let peer = value.parties.peer { output.address(peer) }
    output.byte(0x2c)
    if let service = value.attribute.service { output.uuid(service) }
    output.byte(0x2c)
    if let uuid = value.attribute.uuid { output.uuid(uuid) }
    output.byte(0x2c)
    if let name = value.attribute.uuid?.name(as: value.attribute.kind?.use)
      ?? value.company.flatMap({ CompanyID(rawValue: $0).name })
    {
      output.cell(name.bytes)
    }
    output.byte(0x2c)
    if let handle = value.attribute.handle { output.handle(handle) }
    output.byte(0x2c)
    output.text(value.operation.key)
    output.byte(0x2c)
    if let direction = value.direction { output.text(direction == .sent ? "sent" : "received") }
    output.byte(0x2c)
    if let slice = value.value {
      if hides(value) {
        output.text("<hidden>,")
      } else {
        let content = bytes.bytes.part(slice)
        output.hex(content)
        output.byte(0x2c)
        if value.isPlain, !content.isText(of: value.attribute.uuid),
          let form = NumberForm(value.attribute.uuid), let number = content.number(form)
        {
          output.decimal(number)
        }
      }
    } else {
      output.byte(0x2c)
    }
    output.byte(0x2c)
    switch value.outcome {
    case .done: break
    case .refused(let error):
      var words = Output()
      words.error(error, reading.profiles.errorName(of: value))
      output.cell(words.bytes)
    case .noResponse, .cancelled, .notExecuted:
      if let error = value.outcome.errorKey { output.text(error) }
    }
    output.byte(0x2c)
    if let response = value.response { output.decimal(response) }
    output.byte(0x2c)
    if let range = value.packets {
      let numbers = conversations.packets[range]
      let isLong = numbers.count > 2 * Self.listedPackets
      for packet in isLong ? numbers.prefix(Self.listedPackets) : numbers {
        if packet != numbers.first { output.byte(0x20) }
        output.decimal(packet)
      }
      if isLong {
        output.text(" ...")
        for packet in numbers.suffix(Self.listedPackets) {
          output.byte(0x20)
          output.decimal(packet)
        }
      }
    }
    output.byte(0x2c)
    if let identity = value.parties.otherIdentity { output.address(identity) }
    output.byte(0x2c)
    if value.offset > 0 { output.decimal(value.offset) }
    output.byte(0x2c)
    if value.isCut { output.text("true") }
    output.byte(0x2c)
    if value.mayGoOn { output.text("true") }
    output.byte(0x2c)
    if let company = value.company { output.handle(company) }
    output.byte(0x2c)
    if reading.meaning.isKnown { output.cell(reading.meaning.line.bytes) }
    output.byte(0x2c)
    if let quantity = reading.meaning.quantity {
      output.number(quantity.value, decimals: quantity.decimals)
      output.byte(0x2c)
      output.cell(reading.meaning.unit(of: quantity).bytes)
    } else {
      output.byte(0x2c)
    }
    output.byte(0x0a)
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
  /// Appends a cell of a CSV table: in quotes if necessary (RFC 4180, 2), and after an apostrophe
  /// if a spreadsheet would evaluate it.
  package mutating func cell(_ bytes: RawSpan) {
    let isFormula = bytes.isFormula
    var needsQuotes = false
    for index in 0..<bytes.byteCount {
      let byte = bytes.byte(at: index)
      if byte == 0x22 || byte == 0x2c || byte < 0x20 { needsQuotes = true }
    }
    guard needsQuotes else {
      if isFormula { byte(0x27) }
      raw(bytes)
      return
    }
    byte(0x22)
    if isFormula { byte(0x27) }
    for index in 0..<bytes.byteCount {
      let byte = bytes.byte(at: index)
      if byte == 0x22 { self.byte(0x22) }
      self.byte(byte)
    }
    byte(0x22)
  }

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

extension RawSpan {
  /// Whether a spreadsheet would interpret a text as a formula. A text that starts with a sign is
  /// usually a number; anything beyond arithmetic needs a call or a program's name, as in `-1+f(2)`
  /// and `-1+program|'argument'!A0`.
  fileprivate var isFormula: Bool {
    guard byteCount > 0 else { return false }
    switch byte(at: 0) {
    case 0x3d, 0x40, 0x09, 0x0d: return true
    case 0x2b, 0x2d: return (1..<byteCount).contains { [0x28, 0x7c].contains(byte(at: $0)) }
    default: return false
    }
  }
}

/// The lines as text.
extension ValueLines {
  private mutating func text(
    _ index: Int, _ bytes: [UInt8], _ memory: borrowing Memory, into output: inout Output
  ) {
    let value = conversations.values[index]
    line.clear()
    numberColumns.make(room: UInt(value.packet))
    let connection = value.parties.connection
    if connection > 0 { connectionColumns.make(room: UInt(connection)) }
    if !hasHeader {
      hasHeader = true
      style(.dim)
      line.spaces(numberColumns.width - 1)
      line.text("#")
      timeColumn.head(into: &line)
      line.spaces(connectionColumns.width + 3)
      line.text("how")
      style(.plain)
      finishLine(into: &output)
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
    var column = line.count
    line.operation(value.operation)
    line.fate(value.outcome, of: value.operation)
    line.spaces(max(1, column + Self.operationColumns - line.count))
    column = line.count
    let surplus = subject(value, bytes, memory)
    // The following lines are aligned with the longest one so far.
    let width = line.count - column - surplus + 2
    attributeColumns = max(attributeColumns, min(width, Self.mostAttributeColumns))
    line.spaces(max(2, column + attributeColumns + surplus - line.count))
    content(value, bytes)
    if value.outcome != .done { style(.plain) }
    finishLine(into: &output)
  }

  /// Appends the attribute of a value, and returns the number of its bytes that take no column.
  private mutating func subject(
    _ value: ConveyedValue, _ bytes: [UInt8], _ memory: borrowing Memory
  ) -> Int {
    let start = line.count
    if value.operation == .advertisement {
      line.advertiser(value.parties.peer, value.attribute.side)
      line.byte(0x20)
      line.advertised(value.attribute.uuid, value.company)
    } else if let slice = value.handles {
      let list = bytes.bytes.part(slice)
      for index in 0..<list.byteCount / 2 {
        if index > 0 { line.text(", ") }
        line.handle(list.littleEndianU16(at: 2 * index))
      }
    } else {
      line.attribute(
        value.attribute, owner: memory.owner(of: value.attribute, value.parties.connection),
        options.glyphs, profileName: reading.name(value.attribute.uuid))
    }
    let part = Slice(start: start, count: line.count - start)
    return Int(part.count) - line.bytes.part(part).columns
  }

  /// Appends the value and its details.
  private mutating func content(_ value: ConveyedValue, _ bytes: [UInt8]) {
    var isFirst = true
    if let slice = value.value {
      isFirst = false
      let content = bytes.bytes.part(slice)
      if reading.meaning.isKnown {
        reading.meaning.writeText(into: &line)
      } else if hides(value) {
        line.text("<hidden>, ")
        line.count(content.byteCount, "byte", "bytes")
      } else {
        line.valueBytes(content)
        if content.isText(of: value.attribute.uuid) {
          line.byte(0x20)
          line.byte(0x20)
          line.quoted(content)
        }
      }
      if value.operation == .advertisement, !hides(value) {
        line.ownAddress(value.parties.advertiser.place(in: content))
      }
    }
    if value.offset > 0 {
      line.separate(&isFirst)
      line.text("from byte ")
      line.decimal(value.offset)
      line.text(" on")
    }
    if let packets = value.packets {
      line.separate(&isFirst)
      line.packets(conversations.packets[packets], options.glyphs)
    }
    if value.isCut {
      line.separate(&isFirst)
      line.text(ValueWords.cut)
    }
    if value.mayGoOn || value.isRestRefused {
      line.separate(&isFirst)
      line.text(value.isRestRefused ? ValueWords.restRefused : ValueWords.mayGoOn)
    }
    if value.isEchoWrong {
      line.separate(&isFirst)
      line.text("the server repeated something else")
    }
    if value.outcome != .done, value.outcome != .cancelled {
      line.separate(&isFirst)
      line.why(
        value.outcome, isAcknowledged: value.isAcknowledged,
        error: reading.profiles.errorName(of: value))
    }
  }

  private mutating func finishLine(into output: inout Output) {
    output.line(&line, ascii: &ascii, columns: options.width, options.glyphs)
  }

  @inline(__always)
  private mutating func style(_ style: TextStyle) {
    if options.usesColor { line.text(style.sequence) }
  }
}

extension JSONSink {
  /// Appends the attribute of a value.
  mutating func identity(_ value: ConveyedValue, _ bytes: RawSpan) {
    if value.attribute.side == .local { word("server", "local") }
    if let service = value.attribute.service { self.uuid("service", service) }
    if let uuid = value.attribute.uuid { self.uuid("uuid", uuid) }
    if let company = value.company {
      self.code(
        "company", UInt64(company), digits: 4, assigned: CompanyID(rawValue: company).name)
    }
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
