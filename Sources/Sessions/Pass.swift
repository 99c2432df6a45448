package import Bluetooth
package import Bytes
package import Captures
import Cryptography
import Dissectors

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
  /// - Parameter memory: everything that is known so far.
  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output)

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
/// This is the only place that knows the order of the work.
package struct Pass: ~Copyable {
  private var reassembly: Reassembly
  private var sdus: SDUs
  private var memory: Memory
  private var fragments: [Int] = []
  /// The latest payload from the air that was decrypted.
  private var decrypted = BlockBuffer(count: LinkCipher.largestPayload)
  /// The latest packet from the air that was still whitened, without the whitening.
  private var dewhitened: [UInt8] = []
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
    do throws(CaptureFailure) {
      while !report.isSatisfied, output.failure == nil {
        if !source.isReady {
          Self.pause(&source, &report, memory, &output)
          // The report may be satisfied now, or the output may no longer have a reader.
          if report.isSatisfied || output.failure != nil { break }
        }
        guard let record = try source.next() else { break }
        process(record, &report, &output)
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
  package mutating func process<Report: PacketReport & ~Copyable>(
    _ record: borrowing CaptureRecord, _ report: inout Report, _ output: inout Output
  ) {
    notePlace(of: record)
    // The packet is large, so it stays in place. One array is reused for all fragments.
    var packet = Packet(record)
    swap(&packet.fragments, &fragments)
    defer { swap(&packet.fragments, &fragments) }
    packet.dissection.problems.areLookedFor = report.wantsProblems
    dissect(&packet)
    guard record.original == nil else {
      memory.observeAgain(&packet)
      report.packet(packet, memory, into: &output)
      return
    }
    if packet.dissection.air != nil {
      Self.dewhiten(&packet, &dewhitened, memory)
      Self.readAir(&packet, &decrypted, &memory)
    }
    if case .acl(let header) = packet.dissection.content {
      let link = memory.link(header, &packet)
      Self.join(header, link, &packet, &reassembly, &memory)
      Self.join(&packet, &sdus, &memory)
    }
    memory.observe(&packet)
    if !packet.dissection.problems.isEmpty {
      memory.noteLimits(packet.dissection.problems, packet: packet.record.number)
    }
    report.packet(packet, memory, into: &output)
  }

  /// Records the place of a record among the others, and forgets what may have changed unseen
  /// before it.
  private mutating func notePlace(of record: borrowing CaptureRecord) {
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
  private mutating func dissect(_ packet: inout Packet) {
    packet.dissection.read(packet.record)
    let isTruncated = packet.record.isTruncated
    if case .acl(let header) = packet.dissection.content, header.mayBeControllerLog,
      memory.isControllerLog(header, packet.record)
    {
      packet.dissection.content = .controllerLog(header)
    }
    if packet.dissection.isUnknownVendors {
      let (microsoft, vendor) = memory.adapters.vendors(of: packet.record.adapter)
      if let microsoft {
        packet.dissection.recognise(microsoft, packet.record.bytes, isTruncated: isTruncated)
      }
      if let vendor {
        packet.dissection.recognise(vendor, packet.record.bytes, isTruncated: isTruncated)
      }
    }
    if isTruncated {
      packet.dissection.problems.add(
        Problem(.truncated, packet.record.bytes.byteCount, packet.record.originalLength))
    }
    if packet.record.drops > 0 {
      packet.dissection.problems.add(Problem(dropped: packet.record.drops))
      if packet.record.original == nil {
        memory.lose(before: packet.record, of: packet.record.adapter)
      }
    }
    if let original = packet.record.original {
      packet.dissection.problems.add(Problem(.repeatedRecord, original))
    }
    if packet.record.time?.isWritable == false {
      packet.dissection.problems.add(Problem(.timeOutOfRange))
    }
    if packet.record.direction == nil, packet.record.framing == .h4 {
      packet.record.infer(directions.infer(packet.record, packet.dissection, memory))
    }
  }

  /// The latest packet from the air that was still whitened, from its access address on, without
  /// the whitening. It is valid until the next record is processed.
  package var dewhitenedPacket: RawSpan {
    @_lifetime(borrow self) get { dewhitened.bytes }
  }

  /// Returns the first `count` bytes of the latest payload from the air that was decrypted. They
  /// are valid until the next record is processed.
  @_lifetime(borrow self)
  package func decryptedPayload(count: Int) -> RawSpan { decrypted.bytes(count: count) }

  // What joins PDUs lends their bytes while memory changes, so both are passed side by side.

  /// Removes the whitening of a packet from the air whose sniffer kept it.
  private static func dewhiten(
    _ packet: inout Packet, _ buffer: inout [UInt8], _ memory: borrowing Memory
  ) {
    guard let air = packet.dissection.air, air.header.isWhitened,
      let channel = memory.air.whiteningChannel(air.header)
    else { return }
    Whitening.remove(air, packet.bytes, channel: channel, into: &buffer)
    packet.complete(buffer.bytes)
    packet.answer.fragment.hasJoinedBytes = true
    packet.dissection.clear()
    packet.dissection.read(
      dewhitened: packet.bytes, header: air.header, isTruncated: packet.record.isTruncated)
  }

  /// Follows a packet from the air, decrypts its payload, and reads it up to L2CAP.
  private static func readAir(
    _ packet: inout Packet, _ buffer: inout BlockBuffer, _ memory: inout Memory
  ) {
    switch memory.followAir(&packet, into: &buffer) {
    case .none: return
    case .plain: break
    case .decrypted(let count):
      packet.complete(buffer.bytes(count: count))
      packet.answer.fragment.hasJoinedBytes = true
      packet.dissection.body = Slice(start: 0, count: count)
    }
    guard case .linkData(let pdu) = packet.dissection.content else { return }
    memory.readAir(&packet, pdu)
  }

  /// Joins an ACL fragment to the PDU that it completes.
  private static func join(
    _ header: ACLHeader, _ link: LinkSlot, _ packet: inout Packet, _ reassembly: inout Reassembly,
    _ memory: inout Memory
  ) {
    let connection = memory.links[link].id
    guard let pdu = reassembly.accept(&packet, header, link, connection: connection) else {
      return
    }
    packet.complete(pdu)
    packet.parsePDU()
    if let frame = packet.dissection.l2cap, frame.cid.isDynamic,
      let direction = packet.record.direction
    {
      memory.channel(link, frame, direction, &packet)
    }
  }

  /// Joins a frame on a channel to the SDU that it completes; without credits, each frame is an
  /// SDU.
  private static func join(_ packet: inout Packet, _ sdus: inout SDUs, _ memory: inout Memory) {
    guard let channel = packet.answer.channel, channel.isCreditBased,
      let direction = packet.record.direction,
      let sdu = sdus.accept(&packet, channel, &memory[way: channel, direction], direction)
    else { return }
    packet.complete(sdu)
    packet.answer.channel?.completesSDU = true
    if channel.bearer != nil { packet.parseChannelATT() }
  }
}

extension Packet {
  /// Parses a PDU in one or several ACL packets.
  fileprivate mutating func parsePDU() {
    dissection.parsePDU(
      bytes, from: answer.fragment.start, isTruncated: answer.fragment.isTruncated)
  }

  /// Parses the SDU of an enhanced ATT bearer.
  fileprivate mutating func parseChannelATT() {
    // The bytes of the SDU that the capture did not keep.
    var missing = 0
    if answer.fragment.isTruncated {
      let length =
        answer.fragment.isJoined
        ? answer.fragment.progress.of : Int(dissection.sduLength ?? 0)
      missing = max(0, length - Int(dissection.body.count))
    }
    dissection.parseChannelATT(bytes, missing: missing)
  }
}
