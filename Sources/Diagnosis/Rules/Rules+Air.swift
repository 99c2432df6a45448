import Histories
import Bluetooth
import Dissectors
import Meanings
import Sessions

// Rules about connections that a sniffer recorded: how they began and ended.

extension Rule {
  /// The rules about what a sniffer shows, apart from those about the capture.
  static let air: [Rule] = airConnections + airProcedures + airEncryption + airRadio

  private static let airConnections: [Rule] = [
    Symptom(
      "air_never_established", .error, .meaning,
      "A peripheral does not answer a connection request",
      when:
        "after CONNECT_IND only packets of the central are captured, and the central stops within seven connection intervals, although the capture continues",
      do:
        "Compare the two devices' distance and antennas, and the channels of the first connection events. If the central is heard well, check the peripheral: whether it was still listening when the request came, and whether its clock keeps the time that the request announces."
    ).needing([.air, .opening]).onConnection(elsewise: [
      Alternative("the peripheral answered, and the sniffer lost the connection at once") {
        history, evidence in
        history.air?.advertised != nil || !evidence.later(than: history).isEmpty
      }
    ]) { history, _ in neverEstablished(history).map { [$0] } ?? [] },
    Symptom(
      "air_instant_passed", .error, .meaning,
      "A change took effect before the peripheral knew of it",
      when:
        "the peripheral acknowledges an update of parameters, channel map or PHY only after the connection event in which it takes effect, and is not heard any more",
      do:
        "In the central's controller, announce changes earlier: six events ahead, and more if the peripheral may skip events. In the peripheral, listen to every event while a change is pending."
    ).needing([.air]).onConnection(elsewise: [
      Alternative("the connection events are counted wrongly") { history, _ in
        history.air?.lateChange?.isEventSure ?? false
      }
    ]) { history, _ in instantPassed(history).map { [$0] } ?? [] },
    Symptom(
      "air_supervision_timeout", .error, .meaning,
      "The peripheral fell silent, and the link was lost",
      when:
        "the central sends for a supervision timeout, and the peripheral acknowledges nothing; a note if neither side is captured any more although the capture continues, since the sniffer may have lost the connection",
      do:
        "Check what the peripheral did at that time: whether it reset, crashed, lost power, or no longer heard the central. Range and antennas matter to both."
    ).needing([.air]).onConnection(elsewise: [
      Alternative("the peripheral still sent, and its packets were damaged on the way") {
        history, _ in
        guard let air = history.air, let answer = air.lastAnswer else { return true }
        return air.damaged?.packet ?? 0 < answer.packet
      }
    ]) { history, evidence in silence(history, evidence).map { [$0] } ?? [] },
  ]

  private static func neverEstablished(_ history: ConnectionHistory) -> Finding? {
    guard let air = history.air, air.end == .neverEstablished, let sent = air.unanswered,
      let last = air.lastCentral
    else { return nil }
    return Finding(
      "The peripheral did not answer the connection request",
      headline:
        "the peripheral did not answer the connection request (\(packet: history.connection.firstPacket))",
      why: Wording(
        sentences:
          "After CONNECT_IND (\(packet: history.connection.firstPacket)) the central sent \(count: sent.count, "packet", "packets") (\(packet: sent.first.packet) to \(packet: last.packet)), and no packet of the peripheral was captured. The central then gave up, as it does after six connection intervals (Core, Vol 6, Part B, 4.5.2).",
        air.signalWords(of: .local),
        air.advertised.map { "The peripheral advertises again (\(packet: $0.packet))." } ?? ""),
      evidence: PacketSet(
        of: history.connection.firstPacket, sent.first.packet, last.packet, air.advertised?.packet),
      group: "The peripheral did not answer the connection request")
  }

  private static func instantPassed(_ history: ConnectionHistory) -> Finding? {
    guard let air = history.air, let change = air.lateChange, let event = change.lastEvent else {
      return nil
    }
    let times: Wording =
      change.count > 1
      ? ", and sent it \(change.count) times (last in \(packet: change.last.packet))" : ""
    return Finding(
      "The peripheral got \(change.opcode.words) after its instant had passed",
      headline:
        "connection \(history.id) was lost: the peripheral got \(change.opcode.words) (\(packet: change.announced.packet)) after its instant had passed",
      why:
        "The central announced it for event \(change.instant) (\(packet: change.announced.packet))\(times). The peripheral acknowledged it in event \(event), and was not heard again: a device that learns too late of a change considers the connection lost (Instant Passed, 0x28; Core, Vol 6, Part B, 5.5).",
      evidence: PacketSet(of: change.announced, change.last, air.lastAnswer),
      group: "The peripheral got a change after its instant had passed")
  }

  private static func silence(_ history: ConnectionHistory, _ evidence: Evidence) -> Finding? {
    guard let air = history.air, air.lateChange == nil else { return nil }
    // Encryption that the peripheral could not check, and procedures, have their own rules.
    if history.endsWithEncryption || history.endsWithProcedure { return nil }
    switch air.end {
    case .peripheralSilent: return peripheralSilent(history, air)
    case .unseen where air.link?.lostTrack == nil && air.link?.isFiltered != true:
      return endUnseen(history, air, evidence)
    default: return nil
    }
  }

  private static func peripheralSilent(
    _ history: ConnectionHistory, _ air: AirHistory
  ) -> Finding? {
    guard let sent = air.unanswered, let answer = air.lastAnswer, let last = air.lastCentral,
      let silence = last.nanoseconds(since: answer)
    else { return nil }
    let timeout: Wording =
      history.link.current.map { " The supervision timeout was \(Int($0.timeout) * 10) ms." } ?? ""
    return Finding(
      "The peripheral fell silent, and the link was lost",
      headline:
        "connection \(history.id) was lost: the peripheral fell silent after \(packet: answer.packet)",
      why: Wording(
        sentences:
          "The last sign of the peripheral is \(packet: answer.packet). The central then sent \(count: sent.count, "packet", "packets") in \(duration: silence) (to \(packet: last.packet)), and none was acknowledged.\(timeout)",
        air.signalWords(of: .peer), air.advertisedWords),
      evidence: PacketSet(of: answer, sent.first, last, air.advertised),
      group: "The peripheral fell silent, and the link was lost")
  }

  private static func endUnseen(
    _ history: ConnectionHistory, _ air: AirHistory, _ evidence: Evidence
  ) -> Finding? {
    guard let last = air.last, air.lastAnswer != nil,
      let rest = Moment(packet: .max, time: evidence.extent.latest).nanoseconds(since: last)
    else { return nil }
    let missed: Wording =
      air.link.map { link in
        link.eventsMissed > 0
          ? "The sniffer had missed \(count: link.eventsMissed, "connection event", "connection events") of this connection before, so it may have lost it."
          : ""
      } ?? ""
    return Finding(
      "The end of the connection is not in the capture",
      headline: "the end of connection \(history.id) is not in the capture",
      why: Wording(
        sentences:
          "\(packet: last.packet) is its last packet, and the capture continues for \(duration: rest). Either both sides stopped, or the sniffer no longer followed them.",
        missed, air.advertisedWords),
      evidence: PacketSet(of: last, air.advertised), .note, grounds: .fact,
      do:
        "Place the sniffer nearer to both devices, and give it the keys before they encrypt, so that it can follow changes of the channel map and the interval.",
      group: "The end of the connection is not in the capture")
  }
}

extension AirHistory {
  /// The change that the peripheral got too late, if the connection ended with it.
  var lateChange: AirChange? {
    guard end == .peripheralSilent || end == .unseen, let change = changes.last,
      change.isLate == true, let lastAnswer, lastAnswer.packet >= change.announced.packet,
      (lastAnswer.nanoseconds(since: change.last) ?? 0) < Self.longestReaction
    else { return nil }
    return change
  }

  /// A side that gets a change too late ends the connection within this time, in nanoseconds.
  private static let longestReaction: Int64 = 100_000_000

  /// Returns the strength of a side's signal at the sniffer as a sentence; empty if it is unknown.
  func signalWords(of side: Side) -> Wording {
    guard let median = link?.side(side).rssi.percentile(50) else { return "" }
    return "The sniffer received \(side.roleWords) at \(Int(median)) dBm (median)."
  }

  /// Returns a sentence that the peripheral advertised again; empty if it did not.
  var advertisedWords: Wording {
    guard let advertised, let last = lastAnswer ?? last,
      let passed = advertised.nanoseconds(since: last)
    else { return "" }
    return
      "The peripheral advertised again \(duration: passed) later (\(packet: advertised.packet)), so it had left the connection by then."
  }
}

extension LinkOpcode {
  /// The name, or the number if it has none.
  var words: Wording { name.map { "\($0)" } ?? "control PDU \(code: rawValue, digits: 2)" }
}

extension AirLink {
  /// Returns the counts of a side.
  func side(_ side: Side) -> AirSide { sides[side == .local ? 0 : 1] }
}

extension Side {
  /// The side of a connection on the air: `the central`, `the peripheral`.
  var roleWords: StaticString { self == .local ? "the central" : "the peripheral" }

  /// The same at the beginning of a sentence.
  var roleCapitalized: StaticString { self == .local ? "The central" : "The peripheral" }
}
