import Histories
import Bluetooth
import Dissectors
import Meanings
import Sessions

// Rules about the Link Layer's procedures on the air.

extension Rule {
  static let airProcedures: [Rule] = [
    Symptom(
      "air_parameters_not_honoured", .note, .fact,
      "Accepted connection parameters differ from those requested",
      when:
        "the central accepts a request for connection parameters, and announces others; a warning if the interval is outside of the requested range",
      do:
        "The central should use the parameters that it accepted, or reject the request. A peripheral should work with any parameters; it can ask again later, for parameters that the central's system allows."
    ).needing([.air]).onConnection(merges: true) { history, _ in
      history.link.updates.compactMap { differing($0) }
    },
    Symptom(
      "air_procedure_collision", .warning, .fact, "Procedures of the two sides collided",
      when:
        "a side rejects a procedure with LL Procedure Collision (0x23) or Different Transaction Collision (0x2a)",
      do:
        "Start one procedure at a time (PHY, data length, parameters, channel map), or leave them to the central; the side that was rejected has to try again later."
    ).needing([.air]).onConnection(merges: true) { history, _ in
      guard let air = history.air else { return [] }
      return air.procedures.compactMap { collided($0, air) }
    },
    Symptom(
      "air_procedure_unanswered", .error, .meaning, "A Link Layer procedure is not answered",
      when:
        "a request of the Link Layer has no answer, and the link ends 40 s later; a note if the link ends earlier, but 10 s later or more, and nothing of it is missing",
      do:
        "One of the two controllers has a defect: it did not answer, or the other one did not understand the answer. Update the firmware of both, and avoid the procedure until then."
    ).needing([.air]).onConnection(
      about: UnansweredProcedure.self,
      elsewise: [
        Alternative("the answer was sent, and the sniffer missed it") { it, _ in it.isWhole }
      ]
    ) { history, _ in
      UnansweredProcedure.all(of: history).map { ($0, $0.finding) }
    },
  ]

  // MARK: Parameters

  private static func differing(_ update: ParameterUpdate) -> Finding? {
    guard update.isGranted == true, let wanted = update.wanted, let result = update.result,
      !wanted.allow(result)
    else { return nil }
    let isOutside =
      result.interval < wanted.intervalMin || result.interval > wanted.intervalMax
    let central = update.side.other
    return Finding(
      "\(central.roleCapitalized) accepted connection parameters and announced others",
      headline:
        "\(central.roleWords) accepted connection parameters (\(packet: (update.answered ?? update.asked).packet)) and announced others",
      why:
        "\(update.side.roleCapitalized) requested \(wanted.words) (\(packet: update.asked.packet)). \(central.roleCapitalized) accepted, and announced \(result.words) (\(packet: update.lastPacket)).",
      evidence: update.evidence, isOutside ? .warning : .note,
      group: "Accepted connection parameters differ from those requested")
  }

  // MARK: Collisions

  private static func collided(_ procedure: AirProcedure, _ air: AirHistory) -> Finding? {
    guard let refusal = procedure.refusal, refusal.isCollision, let rejected = procedure.answered
    else { return nil }
    let (side, other) = (procedure.side, procedure.side.other)
    // The other side's procedure that was under way.
    let against = air.procedures.last {
      $0.side == other && $0.asked.packet < rejected.packet
        && $0.answered?.packet ?? .max > procedure.asked.packet
    }
    let retry = air.procedures.first {
      $0.side == side && $0.opcode == procedure.opcode && $0.asked.packet > rejected.packet
    }
    var finding = Finding(
      "Procedures of the two sides collided: \(refusal.linkWords)",
      headline: "procedures of the two sides collided (\(packet: rejected.packet))",
      why: Wording(
        sentences:
          "\(side.roleCapitalized) sent \(procedure.opcode.words) (\(packet: procedure.asked.packet)).",
        against.map {
          "\(other.roleCapitalized)'s \($0.opcode.words) was under way (\(packet: $0.asked.packet))."
        } ?? "",
        "\(other.roleCapitalized) rejected it: \(refusal.linkWords) (\(packet: rejected.packet)).",
        retry.map {
          "\(side.roleCapitalized) tried again (\(packet: $0.asked.packet))\($0.refusal == nil && $0.answered != nil ? ", and was answered" : "" as StaticString)."
        } ?? "It was not tried again."),
      evidence: PacketSet(
        of: against?.asked, procedure.asked, rejected, retry?.asked, retry?.answered
      ).sorted,
      group: "Procedures of the two sides collided")
    if let retry, retry.refusal == nil, retry.answered != nil { finding.isResolved = true }
    return finding
  }
}

extension ConnectionHistory {
  /// Whether the link ended when the time for the answer to a procedure had passed.
  var endsWithProcedure: Bool { UnansweredProcedure.all(of: self).contains(where: \.isTimedOut) }
}

/// A procedure of the Link Layer without an answer.
private struct UnansweredProcedure: Sendable {
  let procedure: AirProcedure
  let history: ConnectionHistory
  let end: Moment
  let waited: Int64
  /// Whether the capture has everything of the connection since the request.
  let isWhole: Bool

  /// The Link Layer's procedure response timeout (Core, Vol 6, Part B, 5.2).
  private static let timeout: Int64 = 40_000_000_000
  /// It does not expire early, but the last packet may be some intervals before the end.
  private static let expiry: ClosedRange<Int64> = timeout - 200_000_000...timeout + 1_000_000_000
  private static let leastWait: Int64 = 10_000_000_000

  /// Returns those of a connection that its end leaves without an answer.
  static func all(of history: ConnectionHistory) -> [UnansweredProcedure] {
    guard let air = history.air, air.end != .open, let end = air.lastAnswer ?? air.last else {
      return []
    }
    return air.procedures.compactMap { procedure in
      // Without a later packet of the other side, the sniffer may not hear it.
      let other = procedure.side == .local ? air.lastPeripheral : air.lastCentral
      guard procedure.answered == nil, procedure.opcode != .phyResponse,
        procedure.opcode != .cisResponse, let other, other.packet > procedure.asked.packet,
        let waited = end.nanoseconds(since: procedure.asked), waited >= leastWait
      else { return nil }
      let it = UnansweredProcedure(
        procedure: procedure, history: history, end: end, waited: waited,
        isWhole: air.isComplete(after: procedure.asked.packet))
      return it.isTimedOut || it.isWhole ? it : nil
    }
  }

  /// Whether the link ended when the time for the answer had passed.
  var isTimedOut: Bool {
    Self.expiry.contains(waited) && history.air?.termination == nil
  }

  var finding: Finding {
    let (side, other) = (procedure.side, procedure.side.other)
    return Finding(
      "\(other.roleCapitalized) did not answer \(procedure.opcode.words)",
      headline: isTimedOut
        ? "connection \(history.id) ended 40 s after \(procedure.opcode.words) (\(packet: procedure.asked.packet)), which \(other.roleWords) had not answered"
        : "\(other.roleWords) did not answer \(procedure.opcode.words) (\(packet: procedure.asked.packet))",
      why:
        "\(side.roleCapitalized) sent \(procedure.opcode.words) (\(packet: procedure.asked.packet)). No answer followed in the \(duration: waited) that the link lasted (\(packet: end.packet))\(isTimedOut ? ": after 40 s a side gives up, and the link ends (LL Response Timeout, 0x22)" : "" as StaticString).",
      evidence: PacketSet(of: procedure.asked, end), isTimedOut ? nil : .note,
      restsOnAbsence: true,
      group: "\(other.roleCapitalized) did not answer \(procedure.opcode.words)")
  }
}

extension StatusCode {
  /// LL Procedure Collision or Different Transaction Collision.
  fileprivate var isCollision: Bool { rawValue == 0x23 || rawValue == 0x2a }
}
