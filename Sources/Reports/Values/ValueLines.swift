import Bluetooth
package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// `values --json`, `--csv`, `--all`: one line a value, as soon as it is known what became of it.
package struct ValueLines: PacketReport, ~Copyable {
  /// How a line is written.
  package enum Form: Sendable {
    /// One JSON object (json.md).
    case json
    /// Comma-separated values with the quoting of RFC 4180, below one line with the columns' names.
    case csv
    /// For people.
    case text
  }

  private let options: ValuesOptions
  private let form: Form
  private let timeDecimals: Int
  private var conversations: Conversations
  private var filter: ValueFilter
  private var sink: JSONSink
  private var clock = Clock()
  private var line = Output()
  private var hasHeader = false
  private var numberColumns = GrowingColumn(digits: 5, margin: 0)
  private var secondColumns = GrowingColumn(digits: 4, margin: 1)

  /// Columns of text up to the attribute, and of that.
  private static let operationColumns = 16
  private static let attributeColumns = 30

  /// Lines on a capture with this summary.
  package init(
    _ options: ValuesOptions, _ form: Form, _ summary: CaptureSummary, limits: Limits = Limits()
  ) {
    self.options = options
    self.form = form
    timeDecimals = summary.timeDecimals
    conversations = Conversations(limits)
    filter = ValueFilter(options)
    sink = JSONSink(showsKeys: options.showsKeys)
  }

  /// Why nothing was printed.
  package var remark: String? { filter.remark }

  /// Whether all values that can be shown have been.
  package var isSatisfied: Bool { filter.isSatisfied }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: Memory, into output: inout Output
  ) {
    filter.observe(record, memory)
    conversations.observe(record, dissection, bytes, answer, fragments: fragments, memory)
    if !conversations.values.isEmpty { write(memory, into: &output) }
  }

  package mutating func finish(
    _ memory: Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    conversations.finish(memory)
    write(memory, into: &output)
    if form == .csv { header(into: &output) }
  }

  private mutating func write(_ memory: Memory, into output: inout Output) {
    // Held while lines are written: a span of it would hold all of this.
    let bytes = conversations.bytes
    for index in conversations.values.indices {
      guard filter.admits(conversations.values[index], bytes.bytes) else { continue }
      switch form {
      case .json: json(index, bytes, memory, into: &output)
      case .csv: csv(index, bytes, memory, into: &output)
      case .text: text(index, bytes, memory, into: &output)
      }
    }
  }

  private func hides(_ value: ConveyedValue) -> Bool { value.isKeyMaterial && !options.showsKeys }

  // MARK: JSON

  private mutating func json(
    _ index: Int, _ bytes: [UInt8], _ memory: Memory, into output: inout Output
  ) {
    let value = conversations.values[index]
    sink.beginDocument()
    sink.word("type", "value")
    sink.number("packet", value.packet)
    if let time = value.time {
      if time.isWritable {
        sink.key("time")
        sink.output.byte(0x22)
        clock.utc(time, decimals: timeDecimals, into: &sink.output)
        sink.output.byte(0x22)
      }
      if let start = filter.start {
        sink.key("elapsed_s")
        sink.output.elapsed(time, since: start)
      }
    }
    if value.parties.connection > 0 { sink.number("connection", value.parties.connection) }
    if let peer = value.parties.peer { sink.address("device", peer) }
    identity(value, bytes)
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
      }
    }
    if value.isCut { sink.flag("cut", true) }
    if value.mayGoOn { sink.flag("may_go_on", true) }
    if value.isEchoWrong { sink.word("echo", "differs") }
    if let packets = value.packets {
      sink.packets("packets", conversations.packets[packets])
    }
    if let response = value.response { sink.number("response", response) }
    if let latency = value.latency {
      // Exact to 0.001 ms.
      sink.fixed("latency_ms", Int(latency / 1000), decimals: 3)
    }
    switch value.outcome {
    case .done: break
    case .refused(let error):
      sink.code("error", UInt64(error.rawValue), digits: 2, error.name)
    case .noResponse, .cancelled, .notExecuted:
      if let error = value.outcome.errorKey { sink.word("error", error) }
      if let reason = value.outcome.reason { sink.word("because", reason.key) }
      if let isAcknowledged = value.isAcknowledged { sink.flag("acknowledged", isAcknowledged) }
    }
    sink.end()
    sink.output.byte(0x0a)
    output.raw(sink.output.bytes)
  }

  /// Whose value it is.
  private mutating func identity(_ value: ConveyedValue, _ bytes: [UInt8]) {
    if value.attribute.isLocal { sink.word("server", "local") }
    if let service = value.attribute.service { sink.uuid("service", service) }
    if let uuid = value.attribute.uuid { sink.uuid("uuid", uuid) }
    if let company = value.company {
      sink.code(
        "company", UInt64(company), digits: 4, assigned: CompanyID(rawValue: company).name)
    }
    if let handle = value.attribute.handle {
      sink.identifier("handle", UInt64(handle), digits: 4)
    } else if let slice = value.handles {
      sink.beginList("handles")
      let list = bytes.bytes.part(slice)
      for index in 0..<list.byteCount / 2 {
        sink.element(handle: list.littleEndianU16(at: 2 * index))
      }
      sink.endList()
    }
    if let kind = value.attribute.kind { sink.word("attribute", kind.key) }
    if let via = value.attribute.via { sink.word("via", via.key) }
  }

  // MARK: CSV

  /// The columns' names; new ones come behind these.
  private static let columns: StaticString =
    """
    packet,time,elapsed_s,connection,device,service,uuid,name,handle,operation,direction,value,\
    number,error,response,packets
    """

  private mutating func header(into output: inout Output) {
    guard !hasHeader else { return }
    hasHeader = true
    output.text(Self.columns)
    output.byte(0x0a)
  }

  /// No cell needs quotes but names: they may have commas.
  private mutating func csv(
    _ index: Int, _ bytes: [UInt8], _ memory: Memory, into output: inout Output
  ) {
    header(into: &output)
    let value = conversations.values[index]
    output.decimal(value.packet)
    output.byte(0x2c)
    if let time = value.time, time.isWritable {
      clock.utc(time, decimals: timeDecimals, into: &output)
    }
    output.byte(0x2c)
    if let time = value.time, let start = filter.start { output.elapsed(time, since: start) }
    output.byte(0x2c)
    if value.parties.connection > 0 { output.decimal(value.parties.connection) }
    output.byte(0x2c)
    if let peer = value.parties.peer { output.address(peer) }
    output.byte(0x2c)
    if let service = value.attribute.service { output.uuid(service) }
    output.byte(0x2c)
    if let uuid = value.attribute.uuid { output.uuid(uuid) }
    output.byte(0x2c)
    if let name = value.attribute.uuid?.name
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
        if value.isPlain, !content.isText(of: value.attribute.uuid), let number = content.number {
          output.decimal(UInt(number))
        }
      }
    } else {
      output.byte(0x2c)
    }
    output.byte(0x2c)
    switch value.outcome {
    case .done: break
    case .refused(let error): output.named(error.name, UInt64(error.rawValue), digits: 2)
    case .noResponse, .cancelled, .notExecuted:
      if let error = value.outcome.errorKey { output.text(error) }
    }
    output.byte(0x2c)
    if let response = value.response { output.decimal(response) }
    output.byte(0x2c)
    if let range = value.packets {
      for (place, packet) in conversations.packets[range].enumerated() {
        if place > 0 { output.byte(0x20) }
        output.decimal(packet)
      }
    }
    output.byte(0x0a)
  }

  // MARK: Text

  private mutating func text(
    _ index: Int, _ bytes: [UInt8], _ memory: Memory, into output: inout Output
  ) {
    let value = conversations.values[index]
    line.clear()
    numberColumns.make(room: UInt(value.packet))
    let start = filter.start
    if !hasHeader {
      hasHeader = true
      style(.dim)
      line.spaces(numberColumns.width - 1)
      line.text("#")
      line.spaces(secondColumns.width + 1)
      line.text("time      how")
      style(.plain)
      finishLine(into: &output)
    }
    style(.dim)
    line.spaces(numberColumns.width)
    line.put(UInt(value.packet), endingAt: line.count)
    elapsed(value.time, since: start)
    style(.plain)
    line.spaces(3)
    if value.parties.connection > 0 {
      line.put(UInt(value.parties.connection), endingAt: line.count)
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
    line.spaces(max(2, column + Self.attributeColumns + surplus - line.count))
    content(value, bytes)
    if value.outcome != .done { style(.plain) }
    finishLine(into: &output)
  }

  /// Whose value it is; gives how many of its bytes have no column of their own.
  private mutating func subject(
    _ value: ConveyedValue, _ bytes: [UInt8], _ memory: Memory
  ) -> Int {
    let start = line.count
    if value.operation == .advertisement {
      if let peer = value.parties.peer { line.address(peer) } else { line.text("anonymous") }
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
        options.glyphs)
    }
    let part = Slice(start: start, count: line.count - start)
    return Int(part.count) - line.bytes.part(part).columns
  }

  /// The value and what is to be said of it.
  private mutating func content(_ value: ConveyedValue, _ bytes: [UInt8]) {
    var isFirst = true
    func comma(_ line: inout Output) {
      if !isFirst { line.text(", ") }
      isFirst = false
    }
    if let slice = value.value {
      isFirst = false
      let content = bytes.bytes.part(slice)
      if hides(value) {
        line.text("<hidden>, ")
        line.count(content.byteCount, "byte", "bytes")
      } else {
        line.valueBytes(content)
        if content.isText(of: value.attribute.uuid) {
          line.byte(0x20)
          line.byte(0x20)
          line.quoted(content.part(Slice(start: 0, count: content.countWithoutZeros)))
        }
      }
    }
    if value.offset > 0 {
      comma(&line)
      line.text("from byte ")
      line.decimal(value.offset)
      line.text(" on")
    }
    if let packets = value.packets {
      comma(&line)
      line.packets(conversations.packets[packets], options.glyphs)
    }
    if value.isCut {
      comma(&line)
      line.text("not all of it in the capture")
    }
    if value.mayGoOn {
      comma(&line)
      line.text("fills the PDU: there may be more")
    }
    if value.isEchoWrong {
      comma(&line)
      line.text("the server repeated something else")
    }
    if value.outcome != .done, value.outcome != .cancelled {
      comma(&line)
      line.why(value.outcome, isAcknowledged: value.isAcknowledged)
    }
  }

  private mutating func elapsed(_ time: Timestamp?, since start: Timestamp?) {
    guard let time, let start else {
      line.spaces(secondColumns.width + 5)
      return
    }
    let nanoseconds = time.nanoseconds(since: start)
    let magnitude = nanoseconds.magnitude
    let seconds = UInt(magnitude / 1_000_000_000)
    secondColumns.make(room: nanoseconds < 0 ? seconds &* 10 : seconds)
    line.spaces(secondColumns.width + 5)
    let end = line.count
    line.put(fraction: UInt32(magnitude % 1_000_000_000 / 100_000), endingAt: end)
    let first = line.put(seconds, endingAt: end - 5)
    if nanoseconds < 0 { line.put(0x2d, at: first - 1) }
  }

  private mutating func finishLine(into output: inout Output) {
    if !options.glyphs.isUTF8 {
      var ascii = Output()
      line.copyASCII(into: &ascii)
      swap(&ascii, &line)
    }
    if let width = options.width {
      output.cut(line.bytes, columns: width, glyphs: options.glyphs)
    } else {
      output.raw(line.bytes)
    }
    output.byte(0x0a)
    line.clear()
  }

  @inline(__always)
  private mutating func style(_ style: TextStyle) {
    if options.usesColor { line.text(style.sequence) }
  }
}

extension Memory {
  /// The characteristic that a descriptor belongs to, where that is known.
  func owner(of attribute: AttributeIdentity, _ connection: Int) -> AttributeIdentity? {
    guard let owner = attribute.owner else { return nil }
    return identity(
      of: owner, attribute.server, isLocal: attribute.isLocal, connection: connection)
  }
}

extension Output {
  /// Appends a cell of a table in CSV: in quotes where it needs them (RFC 4180, 2).
  mutating func cell(_ bytes: RawSpan) {
    var needsQuotes = false
    for index in 0..<bytes.byteCount {
      let byte = bytes.byte(at: index)
      if byte == 0x22 || byte == 0x2c || byte < 0x20 { needsQuotes = true }
    }
    guard needsQuotes else {
      raw(bytes)
      return
    }
    byte(0x22)
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
    for (index, number) in packets.prefix(8).enumerated() {
      if index > 0 { text(", ") }
      packet(number)
    }
    guard packets.count > 8 else { return }
    text(" and ")
    decimal(packets.count - 8)
    text(" more")
  }
}
