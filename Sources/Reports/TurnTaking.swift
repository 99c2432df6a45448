package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// A report that can be made by several at once, each of them reading the whole capture and printing
/// only its own stretches of it: what it prints of a packet depends on no packet printed before.
package protocol SharedReport: PacketReport, ~Copyable {
  /// Takes a packet that another prints.
  mutating func skip(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory)
}

/// One of several that make a report together, each in a thread of its own.
///
/// What a packet means depends on all packets before it, so that nobody can begin in the middle. But
/// most of the time goes into saying it, in JSON above all. So each of the members reads everything
/// and remembers everything, which costs it a quarter of what JSON costs and half of what lines cost,
/// and they take turns at printing, which is the rest. They share nothing but the order in which they
/// write: the output is the same, byte for byte, as if one had printed it.
package struct TurnTaking<Report: SharedReport & ~Copyable>: PacketReport, ~Copyable {
  /// Bytes of records after which the turn goes to the next: so much that handing it on costs nothing
  /// beside the work, so little that what a member holds back until its turn comes is small.
  package static var turnBytes: Int { 65_536 }
  /// What a record counts beside its bytes, so that records without any end a turn, too.
  private static var recordBytes: Int { 16 }

  private var report: Report
  private let member: Int
  private let members: Int
  private let turnBytes: Int
  /// Whose turn it is, and how much of it is left.
  private var turn = 0
  private var left: Int
  private let handOver: (inout Output) -> Void

  /// A member's part of a report.
  ///
  /// - Parameters:
  ///   - member: which it is, from 0; member 0 has the first turn.
  ///   - members: how many take turns.
  ///   - handOver: waits until all turns before have been written, writes what this one has
  ///     printed, and lets the next go on.
  package init(
    _ report: consuming Report, member: Int, of members: Int, turnBytes: Int = Self.turnBytes,
    handOver: @escaping (inout Output) -> Void
  ) {
    self.report = report
    self.member = member
    self.members = max(1, members)
    self.turnBytes = turnBytes
    left = turnBytes
    self.handOver = handOver
  }

  /// Why nothing was printed.
  package var remark: String? { report.remark }

  /// Whether all packets that can be shown have been.
  package var isSatisfied: Bool { report.isSatisfied }

  /// Of the packets that this one prints.
  package var wantsProblems: Bool { turn == member && report.wantsProblems }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    if turn == member {
      report.packet(
        record, dissection, bytes, answer, fragments: fragments, memory, into: &output)
    } else {
      report.skip(record, dissection, bytes, answer, memory)
    }
    left -= record.bytes.byteCount + Self.recordBytes
    if left <= 0 {
      if turn == member { handOver(&output) }
      turn = (turn + 1) % members
      left = turnBytes
    }
  }

  package mutating func learn(_ summary: CaptureSummary) { report.learn(summary) }

  /// The end is printed by the one whose turn it is.
  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard turn == member else { return }
    report.finish(memory, failure, into: &output)
    handOver(&output)
  }
}
