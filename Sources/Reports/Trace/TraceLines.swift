import Bluetooth
import Bytes
import Captures
import Platforms
import Sessions

/// Writes the lines of a trace: as text, or one JSON object each.
struct TraceLines: ~Copyable {
  let options: TraceOptions
  /// The time of the first record.
  var start: Timestamp?
  /// How many lines were written.
  private(set) var count = 0
  private let timeDecimals: Int
  private var sink: JSONSink
  private var clock = Clock()
  private var text: TraceText

  init(_ options: TraceOptions, _ summary: CaptureSummary) {
    self.options = options
    timeDecimals = summary.timeDecimals
    sink = JSONSink(showsKeys: options.showsKeys)
    text = TraceText(options, decimals: summary.timeDecimals)
  }

  /// Writes what an event makes.
  mutating func write(_ event: AppEvent, into output: inout Output) {
    for callback in options.platform.callbacks(event) {
      if options.hidesSystem, callback.isSystem { continue }
      count += 1
      if options.isJSON {
        json(callback, event, into: &output)
      } else {
        text.write(callback, event, since: start, into: &output)
      }
    }
  }

  /// Writes a line of the app's log.
  mutating func write(_ line: AppLog.Line, into output: inout Output) {
    count += 1
    guard options.isJSON else {
      text.write(line, since: start, into: &output)
      return
    }
    sink.beginDocument(in: &output)
    sink.word("type", "log")
    sink.time(line.time, since: start, decimals: timeDecimals, &clock)
    sink.number("line", line.number)
    sink.string("text", line.text.bytes)
    sink.endDocument(in: &output)
  }

  // MARK: JSON

  private mutating func json(
    _ callback: Callback, _ event: AppEvent, into output: inout Output
  ) {
    sink.beginDocument(in: &output)
    sink.word("type", callback.kind.key)
    sink.string("platform", options.platform.rawValue)
    sink.word(callback.kind == .callback || callback.kind == .call ? "callback" : "what", callback.name)
    sink.number("packet", event.packet)
    if let time = event.time { sink.time(time, since: start, decimals: timeDecimals, &clock) }
    if event.connection > 0 { sink.number("connection", event.connection) }
    if let request = event.request { sink.number("request", request) }
    if let latency = event.latency {
      // Exact to 0.001 ms.
      sink.fixed("latency_ms", Int(latency / 1000), decimals: 3)
    }
    sink.flag("system", callback.isSystem)
    if !callback.arguments.isEmpty {
      sink.begin("arguments")
      for (name, value) in callback.arguments { member(name, value) }
      sink.end()
    }
    if let remark = callback.remark { sink.word("remark", remark) }
    sink.endDocument(in: &output)
  }

  private mutating func member(_ name: StaticString, _ value: ArgumentValue) {
    switch value {
    case .flag(let flag): sink.flag(name, flag)
    case .number(let number): sink.number(name, number)
    case .word(let word): sink.word(name, word)
    case .code(let constant, let number):
      sink.begin(name)
      sink.number("code", number)
      if let constant { sink.word("name", constant) }
      sink.end()
    case .text(let bytes): sink.string(name, bytes.bytes)
    case .bytes(let bytes): sink.bytes(name, bytes.bytes)
    case .hidden(let count, let bytes):
      if options.showsKeys { sink.bytes(name, bytes.bytes) } else { sink.hidden(name, count) }
    case .address(let address): sink.address(name, address)
    case .uuid(let uuid): sink.uuid(name, uuid)
    case .attribute, .service, .characteristic, .descriptor, .object:
      sink.begin(name)
      fields(value)
      sink.end()
    case .list(let values):
      sink.beginList(name)
      for value in values { element(value) }
      sink.endList()
    case .pairs(let pairs):
      sink.beginList(name)
      for (key, value) in pairs {
        sink.beginItem()
        if case .number = key { member("company", key) } else { member("uuid", key) }
        member("data", value)
        sink.endItem()
      }
      sink.endList()
    case .dictionary(let entries):
      sink.begin(name)
      for (key, value, _) in entries { member(key, value) }
      let answered = entries.filter(\.isScanResponse)
      if !answered.isEmpty {
        sink.beginList("from_scan_response")
        for entry in answered { sink.element(word: entry.key) }
        sink.endList()
      }
      sink.end()
    }
  }

  private mutating func element(_ value: ArgumentValue) {
    switch value {
    case .word(let word): sink.element(word: word)
    case .address(let address): sink.element(address: address)
    case .uuid(let uuid):
      var text = Output()
      text.uuid(uuid)
      sink.element(string: text.bytes)
    default:
      sink.beginItem()
      fields(value)
      sink.endItem()
    }
  }

  /// The members of an object.
  private mutating func fields(_ value: ArgumentValue) {
    switch value {
    case .attribute(let attribute):
      if let uuid = attribute.identity.uuid { sink.uuid("uuid", uuid) }
      if let handle = attribute.identity.handle {
        sink.identifier("handle", UInt64(handle), digits: 4)
      }
      if let uuid = attribute.owner?.uuid { sink.uuid("characteristic", uuid) }
      if let service = attribute.identity.service { sink.uuid("service", service) }
    case .service(let service):
      sink.uuid("uuid", service.uuid)
      sink.identifier("handle", UInt64(service.start), digits: 4)
      sink.identifier("end", UInt64(service.end), digits: 4)
    case .characteristic(let characteristic, let properties):
      sink.uuid("uuid", characteristic.uuid)
      sink.identifier("handle", UInt64(characteristic.handle), digits: 4)
      sink.beginList("properties")
      for property in properties { sink.element(word: property) }
      sink.endList()
    case .descriptor(let descriptor):
      sink.uuid("uuid", descriptor.uuid)
      sink.identifier("handle", UInt64(descriptor.handle), digits: 4)
    case .object(let members):
      for (name, value) in members { member(name, value) }
    default: member("value", value)
    }
  }
}
