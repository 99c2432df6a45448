package import Bluetooth
package import Bytes
package import Captures
package import Dissectors

/// A report that receives every packet of a capture, in order.
package protocol PacketReport: ~Copyable {
  /// Whether the report needs no more packets; the pass then stops early.
  var isSatisfied: Bool { get }

  /// A note to print beside the output at the end: that there is no output, and why.
  var remark: String? { get }

  /// Whether the report uses the problems of the next packet (`Problems.areLookedFor`).
  var wantsProblems: Bool { get }

  /// Processes one packet.
  ///
  /// - Parameters:
  ///   - record: the record as captured.
  ///   - dissection: the decoded bytes.
  ///   - bytes: the bytes that the dissection's slices count from: the record's or the joined
  ///     PDU's.
  ///   - answer: what other packets reveal about this one.
  ///   - fragments: the packets of the PDU, if `answer.fragment.isJoined`.
  ///   - memory: everything that is known so far.
  mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory,
    into output: inout Output)

  /// Called when no input is pending; `output` is flushed before waiting.
  ///
  /// - Returns: after how many milliseconds without input to call again; nil: not before the next
  ///   packet.
  mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32?

  /// Receives what the source knows of the whole capture, after reading and before `finish`.
  mutating func learn(_ summary: CaptureSummary)

  /// Ends the report at the end of the capture, or after the failure that ended it.
  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output)
}

extension PacketReport where Self: ~Copyable {
  /// Nil by default, for reports that always print something.
  package var remark: String? { nil }

  /// True by default.
  package var wantsProblems: Bool { true }

  /// Does nothing by default.
  package mutating func learn(_ summary: CaptureSummary) {}

  /// Does nothing by default, for reports that depend on packets only.
  package mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32? {
    nil
  }
}

/// One run over a capture: passes each record from its bytes to the report.
///
/// This is the only place that knows the order of the work. The parts that lend bytes (source,
/// reassembly) and the part that changes while they are lent (memory) are separate values, passed
/// side by side.
package struct Pass: ~Copyable {
  private var reassembly: Reassembly
  private var sdus: SDUs
  private var memory: Memory
  private var fragments: [Int] = []
  private var directions: Directions
  /// The origin of the previous record; nil before the first.
  private var origin: Origin?
  /// The latest file that repeats records of an earlier one.
  private var overlapping: Int?
  /// The time of the previous record.
  private var previous: Timestamp?
  /// After this time no request is still pending (Core, Vol 3, Part F, 3.3.3; Part H, 3.4).
  private static let longestWait: Int64 = 30_000_000_000

  /// A file, and the section in it.
  private struct Origin: Equatable {
    var file = 0
    var section = 0
  }

  /// How the supplied maps were used; nil if there were none.
  package var suppliedUse: SuppliedUse? { memory.suppliedUse }

  /// The limits that were reached.
  package var reachedLimits: ReachedLimits { memory.reached }

  /// Creates a run that remembers no more than `limits` allows.
  ///
  /// - Parameters:
  ///   - maps: what is known about servers from other sources.
  ///   - secretTypes: the attributes whose values are secret.
  ///   - bonds: devices known from other sources.
  package init(
    _ limits: Limits = Limits(), maps: [SuppliedMap] = [],
    secretTypes: SecretTypes = SecretTypes(), bonds: [Bond] = []
  ) {
    reassembly = Reassembly(limits)
    directions = Directions(limits)
    sdus = SDUs(limits)
    memory = Memory(limits, secretTypes: secretTypes, bonds: bonds)
    memory.supply(maps)
  }

  /// Reads `source` to its end and passes every packet to `report`.
  ///
  /// `output` is flushed before every read that may wait.
  ///
  /// - Throws: if the capture is damaged; the report has then received all packets before the
  ///   damage, and the end.
  package mutating func run<Source: CaptureSource & ~Copyable, Report: PacketReport & ~Copyable>(
    _ source: inout Source, _ report: inout Report, into output: inout Output
  ) throws(CaptureFailure) {
    var failure: CaptureFailure?
    var dissection = Dissection()
    do throws(CaptureFailure) {
      while !report.isSatisfied, output.failure == nil {
        if !source.isReady {
          Self.pause(&source, &report, memory, &output)
          // The report may be satisfied now, or the output may no longer have a reader.
          if report.isSatisfied || output.failure != nil { break }
        }
        guard let record = try source.next() else { break }
        process(record, &dissection, &report, &output)
      }
    } catch {
      failure = error
    }
    memory.finish()
    report.learn(source.summary)
    report.finish(memory, failure, into: &output)
    output.flush()
    if let failure { throw failure }
  }

  /// Processes one record, from its place among the others to the report.
  ///
  /// Kept out of the loop and never inlined: a loop that looks into a record first copies it, and
  /// stalls until what was just written can be read.
  @inline(never)
  private mutating func process<Report: PacketReport & ~Copyable>(
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ report: inout Report,
    _ output: inout Output
  ) {
    let origin = Origin(file: record.file, section: record.section)
    if record.original != nil { overlapping = record.file }
    // A record that repeats one of another file is already known: it connects the two files.
    if record.original == nil, origin != self.origin {
      // What lies between two files or sections is unknown, and the same number may mean another
      // controller; the same holds before the first record. But a log that was rotated because it
      // was full continues at once, unless its end cannot be read.
      let isNextFile = origin.file != self.origin?.file && origin.section == 0
      let isFirst = self.origin == nil
      self.origin = origin
      let goesOn = isNextFile && goesOn(at: record.time)
      if !goesOn || record.followsDamage {
        lose(before: record)
        // A file that shares records with an earlier one is from the same device and time.
        if isNextFile, !isFirst, !goesOn, overlapping != record.file {
          memory.endFile(packet: record.number - 1, time: previous)
        }
      }
    }
    if record.original == nil {
      // Assigned part by part: a whole copy would stall on what was just written.
      if let time = record.time { previous = time } else { previous = nil }
    }
    if record.isGapNote { lose(before: record) }
    dissection.problems.areLookedFor = report.wantsProblems
    Self.dissect(
      record, &dissection, &directions, &reassembly, &sdus, &memory, &fragments, &report, &output)
  }

  /// Waits for the source while the report wants to be called again, and flushes what the report
  /// prints.
  private static func pause<
    Source: CaptureSource & ~Copyable, Report: PacketReport & ~Copyable
  >(
    _ source: inout Source, _ report: inout Report, _ memory: borrowing Memory,
    _ output: inout Output
  ) {
    while true {
      let wait = report.pause(memory, into: &output)
      output.flush()
      guard let wait, !report.isSatisfied, output.failure == nil,
        !source.wait(milliseconds: wait)
      else { return }
    }
  }

  /// Forgets everything that may have changed unseen.
  private mutating func lose(before record: borrowing CaptureRecord) {
    memory.lose(before: record, of: .unknown)
    reassembly.forget()
    sdus.forget()
  }

  /// Returns whether a record with this time may continue what the previous record began.
  private func goesOn(at time: Timestamp?) -> Bool {
    guard let time, let previous else { return false }
    return 0...Self.longestWait ~= time.nanoseconds(since: previous)
  }

  /// Dissects a record up to its envelope.
  private static func dissect<Report: PacketReport & ~Copyable>(
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection,
    _ directions: inout Directions, _ reassembly: inout Reassembly, _ sdus: inout SDUs,
    _ memory: inout Memory,
    _ fragments: inout [Int], _ report: inout Report, _ output: inout Output
  ) {
    dissection.read(record)
    let isTruncated = record.isTruncated
    if case .acl(let header) = dissection.content, header.mayBeControllerLog,
      memory.isControllerLog(header, record)
    {
      dissection.content = .controllerLog(header)
    }
    if dissection.isUnknownVendors, let known = memory.adapters.microsoft(of: record.adapter) {
      dissection.recognise(known, record.bytes, isTruncated: isTruncated)
    }
    if isTruncated {
      dissection.problems.add(
        Problem(.truncated, record.bytes.byteCount, record.originalLength))
    }
    if record.drops > 0 {
      dissection.problems.add(Problem(dropped: record.drops))
      if record.original == nil { memory.lose(before: record, of: record.adapter) }
    }
    if let original = record.original {
      dissection.problems.add(Problem(.repeatedRecord, original))
    }
    if record.time?.isWritable == false {
      dissection.problems.add(Problem(.timeOutOfRange))
    }
    if record.direction == nil, record.framing == .h4 {
      let direction = directions.infer(record, dissection, memory)
      join(
        record.inferring(direction), &dissection, &reassembly, &sdus, &memory, &fragments, &report,
        &output)
    } else {
      join(record, &dissection, &reassembly, &sdus, &memory, &fragments, &report, &output)
    }
  }

  /// Joins an ACL fragment to the PDU that it completes; all other records are already complete.
  private static func join<Report: PacketReport & ~Copyable>(
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection,
    _ reassembly: inout Reassembly, _ sdus: inout SDUs, _ memory: inout Memory,
    _ fragments: inout [Int], _ report: inout Report, _ output: inout Output
  ) {
    var answer = Answer()
    if record.original != nil {
      memory.observeAgain(record, &dissection, &answer)
      report.packet(
        record, dissection, record.bytes, answer, fragments: fragments, memory, into: &output)
      return
    }
    guard case .acl(let header) = dissection.content else {
      finish(record, &dissection, record.bytes, &answer, fragments, &memory, &report, &output)
      return
    }
    let link = memory.link(header.handle, record, &answer)
    answer.link = link
    let direction = record.direction
    if !memory.links[link].isOpen, let direction {
      dissection.problems.add(Problem(direction == .sent ? .sentAfterEnd : .receivedAfterEnd))
    }
    if let pdu = reassembly.accept(
      record.bytes, body: dissection.body, header, isTruncated: record.isTruncated, link,
      connection: memory.links[link].id, direction, packet: record.number, &answer.fragment,
      &fragments, &dissection.problems)
    {
      dissection.parsePDU(
        pdu, from: answer.fragment.start, isTruncated: answer.fragment.isTruncated)
      guard let header = dissection.l2cap, header.cid.isDynamic, let direction else {
        finish(record, &dissection, pdu, &answer, fragments, &memory, &report, &output)
        return
      }
      let channel = memory.channel(
        link, header, direction, record, pdu, isTruncated: answer.fragment.isTruncated,
        &dissection)
      answer.channel = channel
      carry(
        record, &dissection, pdu, channel, direction, &answer, &sdus, &memory, &fragments, &report,
        &output)
    } else {
      finish(record, &dissection, record.bytes, &answer, fragments, &memory, &report, &output)
    }
  }

  /// Joins a frame on a channel to the SDU that it completes; without credits, each frame is an
  /// SDU.
  private static func carry<Report: PacketReport & ~Copyable>(
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ pdu: RawSpan,
    _ channel: ChannelFact, _ direction: Direction, _ answer: inout Answer,
    _ sdus: inout SDUs, _ memory: inout Memory, _ fragments: inout [Int],
    _ report: inout Report, _ output: inout Output
  ) {
    if channel.isCreditBased,
      let sdu = sdus.accept(
        pdu, channel, &memory[way: channel, direction], direction,
        packet: record.number, &dissection, &answer.fragment, &fragments)
    {
      if channel.bearer != nil {
        let missing = answer.fragment.isTruncated ? answer.fragment.missing(dissection) : 0
        dissection.parseChannelATT(sdu, missing: missing)
      }
      finish(record, &dissection, sdu, &answer, fragments, &memory, &report, &output)
    } else {
      finish(record, &dissection, pdu, &answer, fragments, &memory, &report, &output)
    }
  }

  /// Updates memory with a dissection and passes the packet to the report.
  private static func finish<Report: PacketReport & ~Copyable>(
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ bytes: RawSpan,
    _ answer: inout Answer, _ fragments: [Int], _ memory: inout Memory,
    _ report: inout Report, _ output: inout Output
  ) {
    memory.observe(record, &dissection, bytes, &answer)
    if !dissection.problems.isEmpty {
      memory.noteLimits(dissection.problems, packet: record.number)
    }
    report.packet(
      record, dissection, bytes, answer, fragments: fragments, memory, into: &output)
  }
}

extension FragmentFate {
  /// Returns how many bytes of an SDU the capture did not keep.
  fileprivate func missing(_ dissection: Dissection) -> Int {
    let length = isJoined ? progress.of : Int(dissection.sduLength ?? 0)
    return max(0, length - Int(dissection.body.count))
  }
}
