import Bluetooth
import Bytes
import Captures
import Dissectors
import Meanings
import Reports
import Sessions

/// Writes the lines of a trace, as text or as one JSON object each.
struct TraceLines: ~Copyable {
  let options: TraceOptions
  /// The time of the first record.
  var start: Timestamp?
  /// Where the capture was recorded.
  var vantage = Vantage.host
  /// The number of lines that were written.
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

  /// Whether as many lines were written as were requested.
  var isFull: Bool { options.selection.limit.map { count >= $0 } ?? false }

  private var usesText: Bool { !options.isJSON || !options.selection.words.isEmpty }

  /// Records a packet whose values may be vendor messages, or parts of them.
  mutating func follow(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if usesText { text.follow(packet, memory) }
  }

  /// Writes the callbacks of an event.
  mutating func write(_ event: AppEvent, into output: inout Output) {
    for callback in options.platform.callbacks(event) {
      if isFull || options.hidesSystem && callback.isSystem { continue }
      if usesText, !text.describe(callback, event, vantage) { continue }
      count += 1
      if options.isJSON {
        json(callback, event, into: &output)
      } else {
        text.write(event, since: start, into: &output)
      }
    }
  }

  /// Writes a line of the app's log.
  mutating func write(_ line: AppLog.Line, into output: inout Output) {
    if isFull { return }
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
    words(
      callback.kind == .callback || callback.kind == .call ? "callback" : "what", callback.name)
    sink.number("packet", event.packet)
    if let time = event.time { sink.time(time, since: start, decimals: timeDecimals, &clock) }
    if let index = event.adapter.number { sink.number("adapter", Int(index)) }
    if event.connection > 0 { sink.number("connection", event.connection) }
    if let request = event.request { sink.number("request", request) }
    if let latency = event.latency {
      // Exact to 0.001 ms.
      sink.fixed("latency_ms", Int(latency / 1000), decimals: 3)
    }
    sink.flag("system", callback.isSystem)
    sink.key("arguments")
    sink.output.object(callback.arguments, showsKeys: options.showsKeys)
    if let remark = callback.remark { words("remark", remark) }
    sink.endDocument(in: &output)
  }

  private mutating func words(_ key: StaticString, _ words: StaticString) {
    guard vantage == .air else { return sink.word(key, words) }
    sink.string(key, Wording("\(words)").naming(.onAir).text)
  }
}

extension Output {
  /// Appends words about a capture; on the air with the names of the two ends.
  mutating func words(_ words: StaticString, _ vantage: Vantage) {
    if vantage == .air { write(Wording("\(words)").naming(.onAir)) } else { text(words) }
  }
}
