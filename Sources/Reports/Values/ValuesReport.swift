import Bluetooth
package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// `values`: a table of the values of each characteristic. Counts while packets are fed, and prints
/// at the end.
package struct ValuesReport: TableReport, ~Copyable {
  private var options: ValuesOptions
  private let limits: Limits
  private var conversations: Conversations
  private var filter: ValueFilter
  private var facts: ValueFacts
  /// Decodes values.
  private var reading: ValueReading
  private var notes: [(what: Conversations.Limited, limit: Int)] = []
  /// Whether the courses of numbers are kept for charts.
  package var drawsPlots = false
  /// What is said where there is no value.
  package static let nothing: StaticString = "no attribute value crossed any link in this capture"

  /// Creates a table for a capture.
  package init(_ options: ValuesOptions, limits: Limits = Limits()) {
    self.options = options
    self.limits = limits
    conversations = Conversations(limits)
    filter = ValueFilter(options)
    facts = ValueFacts(limits)
    reading = ValueReading(
      options.profiles, showsKeys: options.showsKeys, keepsRecent: true)
  }

  /// The width of the terminal in columns; nil: lines are not cut.
  package var width: Int? {
    get { options.width }
    set { options.width = newValue }
  }

  /// Why there are no values.
  package var remark: String? { filter.remark ?? conversations.remark }

  /// Whether the requested number of values was counted.
  package var isSatisfied: Bool { filter.isSatisfied }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    filter.observe(record, memory)
    reading.follow(record, dissection, bytes, answer, memory)
    conversations.observe(record, dissection, bytes, answer, fragments: fragments, memory)
    if let limit = conversations.limitReached { notes.append(limit) }
    guard !conversations.values.isEmpty else { return }
    count(memory)
    if let link = answer.link { facts.learn(link, memory) }
  }

  private mutating func count(_ memory: borrowing Memory) {
    // Kept in a variable while they are counted: a span of the property would borrow all of `self`.
    let bytes = conversations.bytes
    for index in conversations.values.indices
    where filter.admits(conversations.values[index], bytes.bytes) {
      let value = conversations.values[index]
      _ = reading.read(value, bytes.bytes, memory)
      let name = reading.name(value.attribute.uuid)
      facts.add(
        value, bytes.bytes, reading, name, plotsSince: drawsPlots ? filter.start : nil)
    }
  }

  package mutating func table(
    _ memory: borrowing Memory, rows: Int, columns: Int, into lines: inout Output
  ) {
    // A copy, since later packets may reveal more.
    var now = facts
    now.finish(memory, &reading)
    var options = options
    options.width = columns
    var table = ValuesTable(now, options, memory)
    table.write(memory, rows: rows, into: &lines)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    var table = conclude(memory)
    if facts.entries.isEmpty {
      if filter.remark == nil {
        output.text(Self.nothing)
        output.byte(0x0a)
      }
      return
    }
    table.write(memory, into: &output)
    sayRest(&table, into: &output)
  }

  /// Counts what is still open, now that the capture was read to its end.
  package mutating func conclude(_ memory: borrowing Memory) -> ValuesTable {
    conversations.finish(memory)
    count(memory)
    facts.finish(memory, &reading)
    return ValuesTable(facts, options, memory)
  }

  /// Says below the table what became of vendors' requests, and which limits were reached.
  package mutating func sayRest(_ table: inout ValuesTable, into output: inout Output) {
    table.say(reading.finish(), into: &output)
    table.say(notes, into: &output)
  }
}

extension Conversations {
  /// A remark on values that are in no row.
  var remark: String? {
    guard withoutHandle > 0 else { return nil }
    return withoutHandle == 1
      ? "the value of 1 packet is in no row: the handle is cut off"
      : "the values of \(withoutHandle) packets are in no row: the handles are cut off"
  }
}
