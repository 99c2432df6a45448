package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// A report that several threads can create together: each reads the whole capture and prints only
/// its own stretches of it. What is printed for a packet must not depend on packets printed before.
package protocol SharedReport: PacketReport, ~Copyable {
  /// Records a packet that is printed elsewhere.
  mutating func skip(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory)
}

/// One of several members that create a report together, each in its own thread.
///
/// The meaning of a packet depends on all previous packets, so no member can start in the middle.
/// But most of the time is spent on formatting, especially of JSON. So each member reads and
/// remembers everything, which takes a quarter of the time of JSON and half of that of lines, and
/// they take turns at formatting the rest. They share only the order in which they write: the
/// output is the same, byte for byte, as if one had printed it.
package struct TurnTaking<Report: SharedReport & ~Copyable>: PacketReport, ~Copyable {
  /// The number of bytes of records after which the turn passes on: large enough that passing it
  /// costs little in comparison, and small enough that a member buffers little until its turn
  /// comes.
  package static var turnBytes: Int { 65_536 }
  /// What each record counts in addition to its bytes, so that empty records end a turn, too.
  private static var recordBytes: Int { 16 }

  private var report: Report
  private let member: Int
  private let members: Int
  private let turnBytes: Int
  /// The member whose turn it is, and how much of the turn is left.
  private var turn = 0
  private var left: Int
  private let handOver: (inout Output) -> Void

  /// Creates a member's part of a report.
  ///
  /// - Parameters:
  ///   - member: the member's index; member 0 has the first turn.
  ///   - members: the number of members.
  ///   - handOver: waits until all previous turns were written, writes what this member has
  ///     printed, and lets the next one continue.
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

  /// Only for the packets that this member prints.
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

  /// Prints the end if it is this member's turn.
  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard turn == member else { return }
    report.finish(memory, failure, into: &output)
    handOver(&output)
  }
}
