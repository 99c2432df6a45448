import Bluetooth
package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// What is said when watching ends: how much came, and whether something was wrong with it.
package struct LiveSummary: Sendable, Equatable {
  /// Records that came, without markers.
  package private(set) var records = 0
  /// Records that the source says were lost.
  package private(set) var dropped: UInt64 = 0
  /// Connections that opened, or were first seen.
  package private(set) var connections = 0
  /// What did not work, by the packets' own words.
  private(set) var failures = FailureCounts()
  /// Problems of the packets.
  package private(set) var problems = ProblemCounts()

  /// Nothing came.
  package init() {}

  /// Takes a record.
  mutating func add(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    if !Marker.isMarker(record) { records += 1 }
    if record.drops > 0 { dropped.add(clamped: record.drops) }
    if let failure = dissection.failure(bytes, answer) { failures.add(failure) }
    if !dissection.problems.isEmpty { problems.add(dissection.problems) }
    connections = memory.links.count
  }

  /// The summary in words, without a full stop: `1234 records, nothing dropped, 2 connections, failures:
  /// none`.
  package var text: String {
    var text = Output()
    text.received(records, dropped: dropped)
    text.text(", ")
    text.count(connections, "connection", "connections")
    text.text(", failures: ")
    text.failures(failures)
    text.text(", problems: ")
    text.problems(problems)
    return String(decoding: text.bytes.array, as: UTF8.self)
  }
}

extension Output {
  /// Appends how much came: `1234 records, nothing dropped`.
  mutating func received(_ records: Int, dropped: UInt64) {
    count(records, "record", "records")
    text(", ")
    if dropped > 0 { decimal(Int(clamping: dropped)) } else { text("nothing") }
    text(" dropped")
  }
}

/// A report that is counted beside, and that ends where it was asked to end: after so many records, or with
/// a connection.
package struct Counted<Report: PacketReport & ~Copyable>: PacketReport, ~Copyable {
  /// The report itself.
  package private(set) var report: Report
  /// What came so far.
  package private(set) var summary = LiveSummary()
  private let mostRecords: Int
  private let untilDisconnect: Bool
  private let selection: Selection
  private var watch: DeviceWatch
  private var otherEndings = 0
  private var hasDisconnected = false

  /// A report with its counts.
  ///
  /// - Parameters:
  ///   - mostRecords: after so many records it ends; nil: never for that.
  ///   - untilDisconnect: whether it ends with the end of a connection.
  ///   - selection: which connections those are: by connection, adapter and device.
  package init(
    _ report: consuming Report, mostRecords: Int? = nil, untilDisconnect: Bool = false,
    selection: Selection = Selection()
  ) {
    self.report = report
    self.mostRecords = mostRecords ?? .max
    self.untilDisconnect = untilDisconnect
    self.selection = selection
    watch = DeviceWatch(selection.devices, named: selection.namedDevices)
  }

  /// Whether the report has all that it wants, or enough has come.
  package var isSatisfied: Bool {
    summary.records >= mostRecords || hasDisconnected || report.isSatisfied
  }

  /// What the report says beside its output.
  package var remark: String? { report.remark }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    summary.add(record, dissection, bytes, answer, memory)
    if untilDisconnect { observeEnds(record, answer, memory) }
    report.packet(
      record, dissection, bytes, answer, fragments: fragments, memory, into: &output)
  }

  package mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32? {
    report.pause(memory, into: &output)
  }

  package mutating func learn(_ summary: CaptureSummary) { report.learn(summary) }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    report.finish(memory, failure, into: &output)
  }

  /// Notes whether a connection that is asked for has ended with this packet, in whatever way but by being
  /// forgotten here.
  private mutating func observeEnds(
    _ record: borrowing CaptureRecord, _ answer: Answer, _ memory: borrowing Memory
  ) {
    watch.learn(memory.names)
    let isOther = memory.links.otherEndings != otherEndings
    otherEndings = memory.links.otherEndings
    guard answer.closed || isOther else { return }
    if isOther, let departed = memory.links.departed, departed.ending == .replaced,
      isWanted(departed)
    {
      hasDisconnected = true
    }
    let packet = record.number
    var hasEnded = false
    memory.links.forEach { connection in
      if connection.ending != nil, connection.lastPacket == packet, isWanted(connection) {
        hasEnded = true
      }
    }
    if hasEnded { hasDisconnected = true }
  }

  private func isWanted(_ connection: Connection) -> Bool {
    guard connection.id != 0 else { return false }
    if !selection.connections.isEmpty,
      !selection.connections.contains(where: { $0.contains(connection.id) })
    {
      return false
    }
    guard selection.admits(adapter: connection.adapter) else { return false }
    guard !selection.devices.isEmpty else { return true }
    for address in [connection.peer, connection.identity?.address, connection.peerResolvable] {
      if let address, watch.isWanted(address) { return true }
    }
    return false
  }
}
