import Bluetooth
package import Bytes
package import Captures
import Diagnosis
import Histories
import Meanings
import Reports
package import Sessions

/// Live `explain`: each finding is printed once, as soon as its evidence is complete. At the end
/// follow the findings that only the end makes certain, and the verdict.
///
/// The evidence of a finding about connections is complete when all of them have ended; otherwise
/// when its rule states that later packets cannot refute it. The evidence is re-evaluated when
/// something failed or a connection ended, and occasionally when the source is idle, but not for
/// every packet.
package struct ExplainWatch: PacketReport, ~Copyable {
  /// Identifies a finding.
  private struct Key: Hashable {
    let rule: String
    let connection: Int
    let packet: Int
    let peer: DeviceAddress?

    init(_ finding: Finding) {
      rule = finding.rule.description
      connection = finding.connections.first ?? 0
      packet = finding.evidence.first ?? 0
      peer = finding.peers.first
    }
  }

  private let options: ExplainOptions
  private let now: @Sendable () -> Int64
  private var history: CaptureHistory?
  private var summary: CaptureSummary?
  private var reported: Set<Key> = []
  /// The connection that was named last.
  private var named: Int?
  private var isFirst = true
  /// Whether, since the last evaluation, a packet arrived, and one that may have completed a
  /// finding: a turn.
  private var isStale = false
  private var hasTurned = false
  private var otherEndings = 0
  private var packets = 0
  /// The times of the next evaluations, after a turn and without one, in milliseconds.
  private var nextAfterTurn: Int64
  private var next: Int64

  /// The minimum times between evaluations, after a turn and without one, in milliseconds; and the
  /// divisor of the share of time that they may take, for very many connections.
  private static var shortestAfterTurn: Int64 { 200 }
  private static var shortest: Int64 { 1000 }
  private static var mostShare: Int64 { 20 }
  /// The number of findings remembered as printed before those that are not found any more are
  /// forgotten.
  private static var mostReported: Int { 4096 }
  /// The number of packets between checks of the clock, if packets arrive without a pause.
  private static var packetsBetween: Int { 256 }

  /// Creates a report on the selected connections, as text or JSON.
  ///
  /// - Parameter now: a monotonic clock, in milliseconds.
  package init(
    _ options: ExplainOptions, limits: Limits = Limits(),
    now: @escaping @Sendable () -> Int64 = LiveClock.milliseconds()
  ) {
    self.options = options
    self.now = now
    history = CaptureHistory(limits, knowledge: ProfileKnowledge(options.profiles))
    next = now()
    nextAfterTurn = next
  }

  /// A remark that connections were left out because there were too many.
  package private(set) var remark: String?

  /// Always false: every packet may be relevant.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    history?.observe(packet, memory)
    isStale = true
    if packet.answer.closed || memory.links.otherEndings != otherEndings
      || packet.dissection.failure(packet.bytes, packet.answer) != nil
    {
      otherEndings = memory.links.otherEndings
      hasTurned = true
    }
    packets &+= 1
    guard hasTurned, packets % Self.packetsBetween == 0 else { return }
    let now = now()
    guard now >= next else { return }
    look(memory, now, into: &output)
    // If packets arrive without a pause, nothing else flushes the output.
    output.flush()
  }

  package mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32? {
    guard isStale else { return nil }
    let now = now()
    let due = hasTurned ? nextAfterTurn : next
    if now < due { return Int32(clamping: due - now) }
    look(memory, now, into: &output)
    return nil
  }

  package mutating func learn(_ summary: CaptureSummary) { self.summary = summary }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard let history = history.take() else { return }
    var evidence = history.finish(memory, summary, failure)
    evidence.listsKeys = options.showsKeys
    write(evidence, isEnd: true, into: &output)
    remark = evidence.unlisted?.text
    let explanation = Explanation(evidence, options.selection)
    if options.face == .json {
      var document = ExplainDocument(explanation, showsKeys: options.showsKeys)
      document.writeVerdict(into: &output)
    } else {
      var page = ExplainPage(explanation, options)
      page.writeVerdict(isFirst: isFirst, into: &output)
    }
  }

  /// Evaluates the evidence, and prints the findings that are complete and new.
  private mutating func look(
    _ memory: borrowing Memory, _ begin: Int64, into output: inout Output
  ) {
    isStale = false
    hasTurned = false
    guard let evidence = history?.evidence(memory) else { return }
    write(evidence, isEnd: false, into: &output)
    let pause = (now() - begin) * Self.mostShare
    nextAfterTurn = begin + max(Self.shortestAfterTurn, pause)
    next = begin + max(Self.shortest, pause)
  }

  private mutating func write(_ evidence: Evidence, isEnd: Bool, into output: inout Output) {
    let explanation = Explanation(evidence, options.selection, isGrouped: false)
    let open = Set(evidence.connections.filter(\.connection.isOpen).map(\.id))
    let new = explanation.findings.filter { finding in
      (isEnd || finding.isComplete(open: open)) && !reported.contains(Key(finding))
    }
    guard !new.isEmpty else { return }
    var page = ExplainPage(explanation, options)
    var document = ExplainDocument(explanation, showsKeys: options.showsKeys)
    for finding in new where reported.insert(Key(finding)).inserted {
      if options.face == .json {
        document.write(finding, into: &output)
        continue
      }
      var connection: Explanation.ReportedConnection?
      let number = finding.connections.count == 1 ? finding.connections[0] : nil
      if let number, number != named {
        connection = explanation.connections.first { $0.history.id == number }
      }
      named = number
      page.write(finding, on: connection, isFirst: isFirst, into: &output)
      isFirst = false
    }
    // Findings that are not found any more belong to forgotten connections, and are not found
    // again.
    if reported.count > Self.mostReported {
      reported.formIntersection(explanation.findings.map(Key.init))
    }
  }
}

extension Finding {
  /// Returns whether the finding can be printed although the capture continues.
  ///
  /// - Parameter open: the connections that have not ended.
  fileprivate func isComplete(open: Set<Int>) -> Bool {
    if isAppendix || traits.contains(.ofCapture) { return false }
    if !connections.isEmpty, open.isDisjoint(with: connections) { return true }
    guard !restsOnAbsence else { return false }
    return traits.contains(.settled)
  }
}
