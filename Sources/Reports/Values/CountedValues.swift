package import Bluetooth
package import Bytes
package import Meanings
package import Sessions

/// The values of each attribute, counted packet by packet. The caller reads the packets, so that
/// other reports can use the same reading.
package struct CountedValues: ~Copyable {
  var options: ValuesOptions
  package private(set) var conversations: Conversations
  private(set) var filter: ValueFilter
  private var facts: ValueFacts
  private var notes: [(what: Conversations.Limited, limit: Int)] = []
  /// Whether the courses of numbers are kept for charts.
  private let drawsPlots: Bool
  /// Printed if there are no values.
  package static let nothing: StaticString = "this capture contains no attribute value"

  package init(_ options: ValuesOptions, drawsPlots: Bool = false, limits: Limits = Limits()) {
    self.options = options
    self.drawsPlots = drawsPlots
    conversations = Conversations(limits)
    filter = ValueFilter(options)
    facts = ValueFacts(limits)
  }

  /// Why there are no values.
  var remark: String? { filter.remark ?? conversations.remark }

  /// Counts the values whose outcome a packet decided.
  ///
  /// - Parameter reading: must already have read the packet; afterwards it holds the last of these
  ///   values.
  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ reading: inout ValueReading
  ) {
    follow(packet, memory)
    count(packet.answer, memory, &reading)
  }

  /// Follows the values of a packet. `count` counts those whose outcome it decided.
  package mutating func follow(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    filter.observe(packet.record, memory)
    conversations.observe(packet, memory)
    if let limit = conversations.limitReached { notes.append(limit) }
  }

  /// Counts the values of the packet that was followed.
  ///
  /// - Parameter reading: must already have read the packet.
  package mutating func count(
    _ answer: Answer, _ memory: borrowing Memory, _ reading: inout ValueReading
  ) {
    guard !conversations.values.isEmpty else { return }
    count(memory, &reading)
    if let link = answer.link { facts.learn(link, memory) }
  }

  private mutating func count(_ memory: borrowing Memory, _ reading: inout ValueReading) {
    // Kept in a variable while they are counted: a span of the property would borrow all of `self`.
    let bytes = conversations.bytes
    for value in conversations.values where filter.admits(value, bytes.bytes) {
      _ = reading.read(value, bytes.bytes, memory)
      let name = reading.name(value.attribute.uuid)
      facts.add(
        value, bytes.bytes, reading.meaning, name, plotsSince: drawsPlots ? filter.start : nil)
    }
  }

  /// Returns a table of the values so far. Later packets may reveal more.
  func table(
    _ memory: borrowing Memory, columns: Int, _ reading: inout ValueReading
  ) -> ValuesTable {
    var now = facts
    now.finish(memory, &reading)
    var options = options
    options.width = columns
    return ValuesTable(now, options, memory)
  }

  /// Counts what is still open, now that the capture was read to its end.
  ///
  /// - Parameter latest: the latest time in the capture, for the unanswered requests.
  package mutating func finish(
    _ memory: borrowing Memory, _ reading: inout ValueReading, latest: Timestamp? = nil
  ) {
    conversations.finish(memory, latest: latest)
    count(memory, &reading)
  }

  /// Returns the table, after `finish`.
  package mutating func conclude(
    _ memory: borrowing Memory, _ reading: inout ValueReading
  ) -> ValuesTable {
    facts.finish(memory, &reading)
    return ValuesTable(facts, options, memory)
  }

  /// Appends the results of vendors' requests and the limits that were reached.
  package func writeRest(
    _ table: inout ValuesTable, _ memory: borrowing Memory, _ reading: inout ValueReading,
    into output: inout Output
  ) {
    table.write(reading.finish(memory), into: &output)
    table.write(notes, into: &output)
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
