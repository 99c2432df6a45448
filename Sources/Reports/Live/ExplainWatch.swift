import Bluetooth
package import Bytes
package import Captures
import Diagnosis
package import Dissectors
package import Sessions

/// `explain` while it goes on: each finding is told once, as soon as its evidence is complete, and at the
/// end those that only the end makes certain, then the verdict.
///
/// The evidence of a finding on connections is complete when all of them have ended; else where its rule
/// says that nothing that follows can take it back. All is looked at anew where something went wrong or a
/// connection has ended, and now and then where nothing comes: not for every packet.
package struct ExplainWatch: PacketReport, ~Copyable {
  /// What tells one finding from another.
  private struct Key: Hashable {
    let rule: String
    let connection: Int
    let packet: Int

    init(_ finding: Finding) {
      rule = finding.rule.description
      connection = finding.connections.first ?? 0
      packet = finding.evidence.first ?? 0
    }
  }

  private let options: ExplainOptions
  private let now: @Sendable () -> Int64
  private var history: CaptureHistory?
  private var summary: CaptureSummary?
  private var told: Set<Key> = []
  /// The connection that was named last.
  private var named: Int?
  private var isFirst = true
  /// Whether a packet came, and one after which a finding may be complete, since all was looked at.
  private var isStale = false
  private var hasTurned = false
  private var otherEndings = 0
  private var packets = 0
  /// When all may be looked at again, after a turn and without one, in milliseconds.
  private var nextAfterTurn: Int64
  private var next: Int64
  /// Whether a finding is an error, once it has spoken.
  package private(set) var hasErrors = false

  /// Not more often than every so many milliseconds, after a turn and without one, and so rarely that it
  /// takes at most a part of the time: of very many connections.
  private static var shortestAfterTurn: Int64 { 200 }
  private static var shortest: Int64 { 1000 }
  private static var mostShare: Int64 { 20 }
  /// So many findings are remembered as told before those that are found no more are forgotten.
  private static var mostTold: Int { 4096 }
  /// Where packets come without a pause, the clock is asked once in so many.
  private static var packetsBetween: Int { 256 }

  /// A report on the connections that the options choose, as text or JSON.
  ///
  /// - Parameter now: a clock that never goes back, in milliseconds.
  package init(
    _ options: ExplainOptions, limits: Limits = Limits(),
    now: @escaping @Sendable () -> Int64 = LiveClock.milliseconds()
  ) {
    self.options = options
    self.now = now
    history = CaptureHistory(
      limits, bonds: options.bonds, knowledge: ProfileKnowledge(options.profiles))
    next = now()
    nextAfterTurn = next
  }

  /// That connections were left out, where there were too many.
  package private(set) var remark: String?

  /// Never: every packet may tell more.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    history?.observe(record, dissection, bytes, answer, memory)
    isStale = true
    if answer.closed || memory.links.otherEndings != otherEndings
      || dissection.failure(bytes, answer) != nil
    {
      otherEndings = memory.links.otherEndings
      hasTurned = true
    }
    packets &+= 1
    guard hasTurned, packets % Self.packetsBetween == 0 else { return }
    let now = now()
    guard now >= next else { return }
    look(memory, now, into: &output)
    // Where packets come without a pause nobody else writes it out.
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
    tell(evidence, isEnd: true, into: &output)
    remark = evidence.unlisted?.text
    let explanation = Explanation(evidence, options.selection)
    hasErrors = explanation.hasErrors
    if options.face == .json {
      var document = ExplainDocument(explanation, showsKeys: options.showsKeys)
      document.writeVerdict(into: &output)
    } else {
      var page = ExplainPage(explanation, options)
      page.writeVerdict(isFirst: isFirst, into: &output)
    }
  }

  /// Looks at all that is known, and tells what is complete and new.
  private mutating func look(
    _ memory: borrowing Memory, _ begin: Int64, into output: inout Output
  ) {
    isStale = false
    hasTurned = false
    guard let evidence = history?.evidence(memory) else { return }
    tell(evidence, isEnd: false, into: &output)
    let pause = (now() - begin) * Self.mostShare
    nextAfterTurn = begin + max(Self.shortestAfterTurn, pause)
    next = begin + max(Self.shortest, pause)
  }

  private mutating func tell(_ evidence: Evidence, isEnd: Bool, into output: inout Output) {
    let explanation = Explanation(evidence, options.selection, isGrouped: false)
    let open = Set(evidence.connections.filter(\.connection.isOpen).map(\.id))
    let new = explanation.findings.filter { finding in
      (isEnd || finding.isComplete(open: open)) && !told.contains(Key(finding))
    }
    guard !new.isEmpty else { return }
    var page = ExplainPage(explanation, options)
    var document = ExplainDocument(explanation, showsKeys: options.showsKeys)
    for finding in new where told.insert(Key(finding)).inserted {
      if options.face == .json {
        document.write(finding, into: &output)
        continue
      }
      var connection: Explanation.Told?
      let number = finding.connections.count == 1 ? finding.connections[0] : nil
      if let number, number != named {
        connection = explanation.connections.first { $0.history.id == number }
      }
      named = number
      page.write(finding, on: connection, isFirst: isFirst, into: &output)
      isFirst = false
    }
    // What is not found any more is of connections that were forgotten, and not found again.
    if told.count > Self.mostTold { told.formIntersection(explanation.findings.map(Key.init)) }
  }
}

extension Finding {
  /// Whether the finding can be told although the capture goes on.
  ///
  /// - Parameter open: the connections that have not ended.
  fileprivate func isComplete(open: Set<Int>) -> Bool {
    if isAppendix || rule.description.hasPrefix("capture-") { return false }
    if !connections.isEmpty, open.isDisjoint(with: connections) { return true }
    guard !restsOnAbsence else { return false }
    return Rule.all.first { $0.id.description == rule.description }?.isSettledAtOnce ?? false
  }
}
