import Bluetooth
package import Bytes
package import Captures
import Dissectors
package import Sessions

/// The summary at the end of live display: how much arrived, and what was wrong with it.
package struct LiveSummary: Sendable, Equatable {
  /// The number of records that arrived, without markers.
  package private(set) var records = 0
  /// The number of records that the source reports as lost.
  package private(set) var dropped: UInt64 = 0
  /// The number of connections that opened, or were first seen.
  package private(set) var connections = 0
  /// The failures that packets report.
  private(set) var failures = FailureCounts()
  /// The problems of the packets.
  package private(set) var problems = ProblemCounts()

  package init() {}

  mutating func add(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if !Marker.isMarker(packet.record) { records += 1 }
    if packet.record.drops > 0 { dropped.add(clamped: packet.record.drops) }
    if let failure = packet.dissection.failure(packet.bytes, packet.answer) {
      failures.add(failure)
    }
    if !packet.dissection.problems.isEmpty { problems.add(packet.dissection.problems) }
    connections = memory.links.count
  }

  /// The summary in words, without a full stop: `1234 records, none lost, 2 connections,
  /// failures: none`.
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
  /// Appends how much arrived: `1234 records, none lost`.
  mutating func received(_ records: Int, dropped: UInt64) {
    count(records, "record", "records")
    text(", ")
    if dropped > 0 { decimal(Int(clamping: dropped)) } else { text("none") }
    text(" lost")
  }
}

/// A report that counts packets, and ends after a number of records or with a connection, if
/// requested.
package struct Counted<Report: PacketReport & ~Copyable>: PacketReport, ~Copyable {
  package private(set) var report: Report
  /// The counts so far.
  package private(set) var summary = LiveSummary()
  private let mostRecords: Int
  private let untilDisconnect: Bool
  private var watched: WatchedSelection
  private var otherEndings = 0
  private var hasDisconnected = false

  /// Adds counts to a report.
  ///
  /// - Parameters:
  ///   - mostRecords: the number of records after which it ends; nil: no limit.
  ///   - untilDisconnect: whether it ends with the end of a connection.
  ///   - selection: the connections that count for this: by connection, adapter and device.
  package init(
    _ report: consuming Report, mostRecords: Int? = nil, untilDisconnect: Bool = false,
    selection: Selection = Selection()
  ) {
    self.report = report
    self.mostRecords = mostRecords ?? .max
    self.untilDisconnect = untilDisconnect
    watched = WatchedSelection(selection.excluding(only: \.isOfParties))
  }

  /// Whether the report needs nothing more, or enough has arrived.
  package var isSatisfied: Bool {
    summary.records >= mostRecords || hasDisconnected || report.isSatisfied
  }

  /// The report's remark.
  package var remark: String? { report.remark }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    summary.add(packet, memory)
    if untilDisconnect { observeEnds(packet, memory) }
    report.packet(packet, memory, into: &output)
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

  /// Records whether a selected connection has ended with this packet, in any way other than being
  /// forgotten.
  private mutating func observeEnds(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    watched.learn(memory.names)
    let isOther = memory.links.otherEndings != otherEndings
    otherEndings = memory.links.otherEndings
    guard packet.answer.closed || isOther else { return }
    if isOther, let departed = memory.links.departed, departed.ending == .replaced,
      isWanted(departed)
    {
      hasDisconnected = true
    }
    let number = packet.record.number
    var hasEnded = false
    memory.links.forEach { connection in
      if connection.ending != nil, connection.lastPacket == number, isWanted(connection) {
        hasEnded = true
      }
    }
    if hasEnded { hasDisconnected = true }
  }

  private func isWanted(_ connection: Connection) -> Bool {
    guard connection.id != 0 else { return false }
    let addresses = [connection.peer, connection.identity?.address, connection.peerResolvable]
      .compactMap(\.self)
    return watched.admits { selection, watch in
      selection.admits(connection: connection.id)
        && selection.admits(adapter: connection.adapter)
        && (selection.devices.isEmpty || addresses.contains { watch.isWanted($0) })
    }
  }
}
