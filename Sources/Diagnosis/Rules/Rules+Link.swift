import Histories
import Bluetooth
import Dissectors
import Meanings
import Sessions

// Rules about links that end.

extension Rule {
  /// The rules about links that end, and about their parameters.
  static let link: [Rule] = linkEndings + linkParameters

  private static let linkEndings: [Rule] = [
    supervisionTimeout, lostRepeatedly, deadAtDisconnect, responseTimeout, collision,
    instantPassed, controllerEnded, lowResources, powerOff, hostStalled, peerLeavesAtRequest,
    peerLeaves, peerLeavesAfterChange, payloadTimeout, procedureFailed, reset,
  ]

  private static let lossRemedy: Wording =
    "Check range, battery and antenna, and whether the peer reset or crashed at that time. A central that is busy with scans or other links may also miss the peripheral."

  private static let restartRemedy: Wording =
    "Find out why the peer restarted: its log and reset reason, its power supply, and how it handles this host's last request."

  /// What is known of the end of a lost link.
  private enum Loss: Hashable, Sendable {
    /// Only that nothing was heard; that the peer advertised again; that it was asked to restart.
    case silence, departure, restart
    /// It was right after this procedure with a device.
    case procedure(ConnectionHistory.Procedure, device: UInt64)
  }

  private static let besideLink = Alternative<Loss>(
    "the peer advertised beside the link, and went out of range later"
  ) { loss, _ in loss != .departure }

  private static let supervisionTimeout = Symptom(
    "link_supervision_timeout", .error, .meaning, "A link was lost: the peer was no longer heard",
    when:
      "a link ended with Connection Timeout (0x08); a warning if the capture has neither its opening nor data of it",
    do: lossRemedy
  ).with(.ofHost).needing([.events, .end]).inCapture(
    about: Loss.self,
    elsewise: [
      besideLink,
      Alternative("the peer was lost for another reason, or never got the request") {
        loss, _ in loss != .restart
      },
    ]
  ) { evidence -> [(Loss, Finding)] in
    let all = evidence.connections.compactMap { LostLink($0, evidence)?.outcome }
    // How often the link to a device was lost right after the same procedure.
    let counts = Dictionary(all.map { ($0.0, 1) }, uniquingKeysWith: +)
    return all.map { loss, found in
      var finding = found
      finding.evidence = finding.evidence.sorted
      if case .procedure = loss { finding.repetitions = counts[loss] ?? 1 }
      return (loss, finding)
    }
      + evidence.adapters.flatMap(\.unknownLosses).map { (.silence, lost($0)) }
  }

  /// Returns a finding about the loss of a link that the capture does not open.
  private static func lost(_ loss: AdapterHistory.UnknownLoss) -> Finding {
    let use: Wording =
      loss.acknowledged.map {
        "The peer acknowledged data on it before (last \(packet: $0.packet))."
      } ?? "It had no data in the capture: it may be a connection, or a stream of one."
    var finding = Finding(
      "A link that was opened before the capture was lost: \(StatusCode.connectionTimeout)",
      headline: "a link that was opened before the capture was lost (\(packet: loss.ended.packet))",
      why:
        "Disconnection Complete (\(packet: loss.ended.packet)) is for handle \(handle: loss.handle), which the capture does not open. \(use)",
      evidence: PacketSet(of: loss.acknowledged, loss.ended),
      loss.acknowledged == nil ? .warning : nil)
    finding.grounds = .fact
    return finding
  }

  /// A peer that is connected to again so soon did not go out of range.
  private static let soonAgain: Int64 = 2_000_000_000

  /// Returns how to get a longer supervision timeout, for the side that chose it.
  private static func longerTimeout(_ history: ConnectionHistory, _ evidence: Evidence) -> Wording {
    let central = history.connection.central
    var side = history.timeoutRequest?.side ?? central ?? .local
    // A central's system may not let programs choose it, but carries out what the peripheral asks.
    let isPhone = evidence.host.isAndroid || evidence.extent.isOfPacketLogger
    if side == central, side == .peer || isPhone { side = side.other }
    return
      "In \(side.possessive) firmware\(side == .peer ? "" : " or program" as Wording) request a longer supervision timeout, or a lower latency: six times the peripheral's longest pause, and at least 4 s."
  }

  private static let lostRepeatedly = Symptom(
    "link_lost_repeatedly", .note, .fact, "The links to one device are lost repeatedly",
    when:
      "two or more connections of one device ended with Connection Timeout (0x08), or LL Response Timeout (0x22) when this host disconnected",
    do:
      "Compare when it happens: always after the same time or the same request points to the peer's firmware, random times point to the radio."
  ).with(.ofHost).needing([.events, .end]).inCapture { evidence in
    evidence.repeated { $0.connection.ending == .timeout || $0.isUnconfirmed }.map {
      lost in
      let total = evidence.earlier(than: lost[0]).count + 1 + evidence.later(than: lost[0]).count
      let isAll = total == lost.count && !evidence.omitsConnections
      let count: Wording =
        "\(lost.count, isLeast: evidence.omitsConnections)\(isAll ? " of \(total)" as Wording : "") links to one device were lost"
      let spans = lost.compactMap(\.length)
      let after: Wording =
        spans.count == lost.count && !spans.isEmpty
        ? " after \(Wording(listing: spans.prefix(6).map { "\(duration: $0)" }))" : ""
      let same = commonRequest(before: lost)
      return Finding(
        "\(count)\(after)", headline: count,
        why: Wording(
          sentences:
            lost.allSatisfy { $0.connection.reason == .connectionTimeout }
            ? "Each ended with \(StatusCode.connectionTimeout)."
            : "They ended with \(StatusCode.connectionTimeout) or \(StatusCode.responseTimeout.linkWords).",
          same?.words ?? ""),
        evidence: PacketSet(lost.prefix(8).compactMap(\.connection.lastPacket)).union(
          PacketSet(same?.packets ?? [])), on: lost.map(\.id))
    }
  }

  private static let deadAtDisconnect = Symptom(
    "link_dead_at_disconnect", .warning, .meaning,
    "This host disconnected a link that was already dead",
    when:
      "this host asked to disconnect, and the link ended with Connection Timeout (0x08) or LL Response Timeout (0x22); a note if the peer may have fallen silent only then",
    do: lossRemedy
  ).needing([.commands, .events, .end]).onConnection(about: Loss.self, elsewise: [besideLink]) {
    history, _ -> [(Loss, Finding)] in
    let (link, departure) = (history.link, history.departure)
    guard history.isUnconfirmed, let reason = history.connection.reason,
      let asked = link.disconnect, let ended = link.ended,
      let waited = ended.nanoseconds(since: asked)
    else { return [] }
    let quiet = link.lastSign.flatMap { ended.nanoseconds(since: $0) } ?? .max
    let silence = reason == .connectionTimeout ? link.supervisionTimeout : quiet
    // A later sign of the peer contradicts the reason.
    let least = Connection.leastSilence(timeout: silence ?? 0)
    guard quiet >= least else { return [] }
    // LL Response Timeout does not show how long nothing was heard: HCI has no empty packets.
    let wasDead = history.connection.wasDeadBefore
    let wasSilent =
      reason == .connectionTimeout
      ? wasDead : history.connection.transport == .le && least > waited
    var finding = Finding(
      wasDead
        ? "The link was already dead when this host disconnected: \(reason.linkWords)"
        : "The peer did not confirm the disconnection: \(reason.linkWords)",
      headline: wasDead
        ? "connection \(history.id) was already dead when this host disconnected (\(packet: asked.packet))"
        : "the peer did not confirm the end of connection \(history.id) (\(packet: ended.packet))",
      why: Wording(
        sentences:
          "This host asked to disconnect (\(packet: asked.packet)); \(duration: waited) later its controller reported \(reason.linkWords) instead of confirming that this host ended the link.",
        departure?.words ?? (reason == .connectionTimeout ? history.timeoutWords : ""),
        history.lastSignWords, history.signalWords),
      evidence: PacketSet(of: link.lastSign, departure?.moment, asked, ended).sorted)
    if departure != nil { finding.remedy = restartRemedy } else { finding.grounds = .fact }
    if !wasSilent { (finding.severity, finding.remedy) = (.note, "") }
    return [(departure == nil ? .silence : .departure, finding)]
  }

  /// Returns what this host requested last before most of the links were lost, as a sentence.
  private static func commonRequest(
    before lost: [ConnectionHistory]
  ) -> (words: Wording, packets: [Int])? {
    let asked = lost.filter { $0.askedBeforeSilence != nil }
    let groups = Dictionary(grouping: asked) { history in
      history.attributes.lastAsked.map {
        [Int($0.opcode.rawValue), Int($0.handle), $0.length, $0.head.map { Int($0) }]
      }
    }
    guard let same = groups.values.max(by: { $0.count < $1.count }), same.count >= 2,
      same.count * 2 > lost.count
    else { return nil }
    let most = same.compactMap(\.askedBeforeSilence)
    return (
      "In \(most.count) of \(lost.count) cases the last thing this host requested was to \(most[0].act).",
      most.prefix(8).map(\.packet)
    )
  }

  /// What is known of an LL Response Timeout.
  private enum Unfinished: Sendable {
    /// A procedure failed with this status, or this host had asked for one.
    case reported
    /// The link was not open for 40 s; or this host's controller stalled at its end, too.
    case early, stalled
    /// This host had asked for a procedure whose feature the peer reported to lack.
    case lacking
    /// This host had asked for nothing, or what began then is not in the capture.
    case ofPeer, unknown
  }

  private static let responseTimeout = Symptom(
    "link_lmp_timeout", .error, .meaning, "A Link Layer procedure was not answered in time",
    when: "the link or a procedure on it ended with LL Response Timeout (0x22)",
    do:
      "Probably one of the two controllers has a defect: the peer's did not answer, or this host's did not understand the answer. Update the firmware of both, and avoid the procedure (PHY, data length, parameter requests) until then. Another adapter on this host shows which one it is."
  ).with(.ofHost).needing([.events]).onConnection(
    about: Unfinished.self,
    elsewise: [
      Alternative("this host's controller had stalled, or gave up a procedure of its own early") {
        end, _ in end != .early
      },
      Alternative("the peer was silent at that time, too") { end, _ in end != .stalled },
      Alternative("the peer's controller did not answer as it has to") {
        end, _ in end != .lacking
      },
      Alternative("this host's controller began the procedure by itself") {
        end, _ in end != .ofPeer
      },
      Alternative("this host asked for a procedure that is not in the capture") {
        end, _ in end != .unknown
      },
    ]
  ) { history, evidence -> [(Unfinished, Finding)] in
    // Encryption that is not answered has its own rule.
    guard !history.isEncryptionUnanswered else { return [] }
    var findings: [(Unfinished, Finding)] = []
    let end = history.endByController(for: { $0 == .responseTimeout }) {
      "connection \(history.id) ended at \(packet: $0.packet): this host's controller got no answer of the peer's controller"
    }
    if var finding = end, let ended = history.link.ended {
      if let length = history.length, length < procedureTimeout {
        findings.append((explainEarly(&finding, history, ended, length), finding))
      } else if history.connection.transport == .le {
        findings.append((explain(&finding, history, ended, evidence), finding))
      } else {
        finding.grounds = .fact
        findings.append((.reported, finding))
      }
    }
    return findings + history.failures { $0 == .responseTimeout }.map { (.reported, $0) }
  }

  /// The Link Layer's procedure response timeout (Core, Vol 6, Part B, 5.2).
  private static let procedureTimeout: Int64 = 40_000_000_000

  private static let collision = Symptom(
    "link_procedure_collision", .error, .meaning, "Procedures of the two controllers collided",
    when:
      "the link or a procedure on it ended with LL Procedure Collision (0x23) or Different Transaction Collision (0x2a)",
    do:
      "Start one procedure at a time and wait for its event (PHY, data length, parameters, encryption), or let the central alone start them."
  ).with(.ofHost).needing([.events]).onConnection { history, _ in
    history.ends(by: { $0.rawValue == 0x23 || $0.rawValue == 0x2a }) {
      "connection \(history.id) ended at \(packet: $0.packet): procedures of the two controllers collided"
    }
  }

  private static let instantPassed = Symptom(
    "link_instant_passed", .error, .meaning,
    "A change took effect before the other side knew of it",
    when: "the link or a procedure on it ended with Instant Passed (0x28)",
    do:
      "Do not request parameters again that are already in force, and change one thing at a time. Update the firmware of the central's controller, which has to announce a change early enough (six events, and more if the peripheral may skip events), and of the peripheral's, which must not skip events while a change is pending."
  ).with(.ofHost).needing([.events]).onConnection { history, _ in
    let link = history.link
    return history.ends(by: { $0 == .instantPassed }) {
      "connection \(history.id) ended at \(packet: $0.packet): a change took effect before the other side knew of it (Instant Passed)"
    }.map { found in
      var finding = found
      var words: [Wording] = [
        "A change of parameters, PHY or channels takes effect at an announced event, and the announcement came too late."
      ]
      if let update = link.updates.last(where: { $0.completed == nil && $0.isGranted != false }) {
        let same = link.updates.filter { $0.wanted != nil && $0.wanted == update.wanted }
        words.append(
          "A change of the connection parameters was under way (\(packet: (update.command ?? update.asked).packet))."
        )
        finding.lead(with: (update.command ?? update.asked).packet)
        if let wanted = update.wanted, let before = update.before, wanted.allow(before) {
          words.append(
            "It requests what is already in force\(Wording.times(same.count))."
          )
        }
        if let current = link.current, current.latency > 0 {
          words.append(
            "With latency \(current.latency) the peripheral may sleep for \(duration: current.longestPause)."
          )
        }
      } else {
        words.append("The capture shows no such change under way.")
      }
      finding.why = Wording(words + [finding.why], joinedBy: " ")
      return finding
    }
  }

  /// Explains LL Response Timeout on a link that was not open for as long as a procedure may take.
  private static func explainEarly(
    _ finding: inout Finding, _ history: ConnectionHistory, _ ended: Moment, _ length: Int64
  ) -> Unfinished {
    let stall = history.controllerStall
    let silent: Wording =
      stall.map { stall in
        "sent nothing for \(duration: stall.length) while \(commandName(stall.opcode)) (\(packet: stall.asked.packet)) waited for its answer, until \(packet: stall.ended.packet)"
      } ?? ""
    finding.headline =
      "connection \(history.id) was lost at \(packet: ended.packet)\(stall == nil ? ": this host no longer heard the peer" : " because this host's controller stalled: it \(silent)")"
    finding.why = Wording(
      sentences:
        "Neither host asked to disconnect. A peer has 40 s to answer a Link Layer procedure, but the link was open for \(duration: length): so this controller gave up earlier\(stall == nil ? ", because it no longer heard the peer" : ". It \(silent)").",
      history.lastSignWords, history.lastProcedureWords, history.signalWords)
    finding.remedy =
      stall == nil
      ? lossRemedy
      : "Suspect this host's controller: update its firmware or try another adapter. Until then do not scan while a link is open."
    finding.evidence = PacketSet(of: stall?.asked, stall?.ended).union(finding.evidence)
    return stall == nil ? .early : .stalled
  }

  /// The clocks of controllers and of the capture differ a little.
  private static let procedureMargin: Int64 = 2_000_000_000

  /// Explains LL Response Timeout by a procedure of this host 40 s before, or the lack of one.
  private static func explain(
    _ finding: inout Finding, _ history: ConnectionHistory, _ ended: Moment, _ evidence: Evidence
  ) -> Unfinished {
    func isThen(_ moment: Moment) -> Bool {
      guard let age = ended.nanoseconds(since: moment) else { return false }
      return abs(age - procedureTimeout) <= procedureMargin
    }
    // LE Data Length Change comes only if the lengths change, so its absence shows nothing.
    let own = history.link.procedures.last {
      isThen($0.moment) && $0.opcode != HCICommand.leSetDataLength
    }
    if let own { return explain(&finding, by: own.opcode, own.moment, history, ended) }
    guard evidence.coverage.parts(of: history.connection).isSuperset(of: [.commands, .opening]),
      !history.connection.hasLostPackets, let opened = history.link.opened,
      let length = history.length
    else { return .unknown }
    let failed = history.link.updates.last {
      $0.status == .responseTimeout && $0.procedure == .unasked && $0.completed != nil
    }
    let request = history.link.updates.last { $0.procedure == .linkLayer && isThen($0.asked) }?
      .asked
    let what: Wording =
      request.map {
        " \(packet: $0.packet) is a request of the peer's controller for other connection parameters."
      } ?? failed?.completed.map {
        " \(packet: $0.packet) reports that it was a change of the connection parameters."
      } ?? ""
    finding.headline =
      "connection \(history.id) ended at \(packet: ended.packet): a Link Layer procedure that this host had not asked for was not finished"
    finding.groupHeadline =
      "a Link Layer procedure that this host had not asked for was not finished"
    // Not more precise than the clocks.
    let began = (length - procedureTimeout + 50_000_000) / 100_000_000 * 100_000_000
    finding.why =
      "Neither host asked to disconnect. A controller ends a link if a Link Layer procedure is not finished 40 s after it began, here about \(duration: began) after the link was opened (\(packet: opened.packet)). This host had asked for none then, so the peer's controller began it.\(what)"
    finding.restsOnAbsence = true
    finding.evidence = PacketSet(of: opened, request, failed?.completed, ended)
    finding.remedy =
      "Probably one of the two controllers has a defect, the peer's or this host's: update the firmware of both. Look for the procedure that the peer's firmware starts at that time (connection parameters, PHY, data length), and try without it: a peripheral can ask for other parameters over L2CAP instead (Connection Parameter Update Request)."
    return .ofPeer
  }

  /// Explains LL Response Timeout by a procedure that this host asked for.
  private static func explain(
    _ finding: inout Finding, by opcode: UInt16, _ asked: Moment, _ history: ConnectionHistory,
    _ ended: Moment
  ) -> Unfinished {
    let name = commandName(opcode)
    finding.add(
      "This host had asked for \(name) (\(packet: asked.packet)) 40 s before, and its controller did not report the end of that. HCI does not show whether the peer's controller answered."
    )
    finding.lead(with: asked.packet)
    guard let bit = history.link.lackingFeature(for: opcode),
      let features = history.link.peerFeatures
    else {
      finding.grounds = .fact
      return .reported
    }
    let feature: Wording =
      CodeSet.leFeatures.name(of: UInt64(bit)).map { "\($0)" } ?? "feature \(bit)"
    finding.headline =
      "connection \(history.id) ended at \(packet: ended.packet): this host's controller did not finish \(name), for which the peer lacks the feature"
    finding.add(
      "The peer's controller does not support it: \(feature) is not among its features (\(packet: features.moment.packet)). Then this host's controller must not wait for an answer to it, or has to take the peer's LL_UNKNOWN_RSP for one.",
      features.moment.packet)
    finding.remedy =
      "Suspect this host's controller: update its firmware or try another adapter. Until then do not request \(name) from this peer."
    return .lacking
  }

  private static let procedureFailed = Symptom(
    "link_procedure_failed", .note, .fact, "A Link Layer procedure failed",
    when:
      "a feature, version, PHY or subrate procedure ended with another error status on a link that stayed open"
  ).with(.ofHost).needing([.events]).onConnection { history, _ in
    history.failedProcedures.filter { !$0.isUpdate && !$0.status.isProcedureTrouble }.map {
      failed in
      Finding(
        "\(failed.name) failed: \(failed.status.linkWords)",
        headline: "\(failed.name) failed", why: history.course(after: failed.packets),
        evidence: failed.packets)
    }
  }

  private static let payloadTimeout = Symptom(
    "link_payload_timeout", .warning, .fact,
    "No authenticated packet came from the peer on an encrypted link",
    when: "the controller reports Authenticated Payload Timeout Expired",
    do:
      "Encrypt again or disconnect, as the host's security policy requires. If it recurs, update the firmware of the peer's controller, which has to answer LE Ping, or set a longer Authenticated Payload Timeout."
  ).with(.ofHost).needing([.events]).onConnection { history, _ in
    let expired = history.link.payloadTimeouts
    guard let first = expired.first else { return [] }
    let timeout: Wording =
      history.link.payloadTimeout.map { " of \(duration: Int64($0) * 10_000_000)" } ?? ""
    let disconnect = history.link.disconnect.flatMap { $0.packet > first.packet ? $0 : nil }
    return [
      Finding(
        "Authenticated Payload Timeout Expired\(Wording.times(expired.count))",
        headline: "no authenticated packet came from the peer (\(packet: first.packet))",
        why: Wording(
          sentences:
            "During the authenticated payload timeout\(timeout) no packet with a valid MIC came from the peer. Empty packets have no MIC but keep the link open: the controller has to request a packet with one by LE Ping before the timeout, and none came.",
          disconnect.map { "This host then asked to disconnect (\(packet: $0.packet))." } ?? ""),
        evidence: PacketSet(of: first, expired.last))
    ]
  }

  private static let controllerEnded = Symptom(
    "link_controller_ended", .error, .fact, "A controller ended the link by itself",
    when: "Disconnection Complete has a reason that no host gives, and no other rule explains it",
    do:
      "Update the firmware of this host's controller, and try without the last request or procedure before the end."
  ).with(.ofHost).needing([.events, .end]).onConnection { history, _ in
    history.endByController(
      for: { !$0.isProcedureTrouble && !$0.isOfSecurity }, restsOnAbsence: true
    ) { _ in "the controller ended connection \(history.id)" }.map { [$0] } ?? []
  }

  private static let lowResources = Symptom(
    "link_peer_low_resources", .warning, .fact, "The peer ended the link for lack of resources",
    when: "the reason is Remote Device Terminated Connection due to Low Resources (0x14)",
    do:
      "Free links or memory on the peer: disconnect other devices, restart it; in firmware raise the number of connections or buffers."
  ).needing([.events, .end]).onConnection { history, _ in
    ended(history, .remoteLowResources, "for lack of resources")
  }

  private static let powerOff = Symptom(
    "link_power_off", .note, .fact, "The peer ended the link because it is switched off",
    when: "the reason is Remote Device Terminated Connection due to Power Off (0x15)"
  ).needing([.events, .end]).onConnection { history, _ in
    ended(history, .remotePowerOff, "because it, or its Bluetooth, is switched off")
  }

  private static func ended(
    _ history: ConnectionHistory, _ reason: StatusCode, _ because: StaticString
  ) -> [Finding] {
    guard history.connection.ending == .peer, history.connection.reason == reason,
      let ended = history.link.ended
    else { return [] }
    return [
      Finding(
        "The peer ended the link \(because)",
        headline: "the peer ended connection \(history.id) \(because)",
        why: "It gave \(reason) as its reason.", evidence: [ended.packet])
    ]
  }

  private static let reset = Symptom(
    "link_reset", .note, .fact, "The controller was reset or removed while a link was open",
    when:
      "a reset, or the controller's removal, ended an open link that this host had not asked to end"
  ).with(.ofHost).needing([.events]).onConnection { history, _ in
    // If this host had asked to disconnect, the link had probably ended.
    guard history.connection.ending == .reset, history.link.disconnect == nil,
      let ended = history.link.ended
    else { return [] }
    return [
      Finding(
        "The controller was reset or removed with the link open",
        headline: "the controller was reset with connection \(history.id) open",
        why:
          "That ends all links without a word to the peers, which notice it only after their supervision timeouts.",
        evidence: [ended.packet])
    ]
  }

  private static let hostStalled = Symptom(
    "host_stalled", .error, .sequence,
    "A request reaches this host 30 s late, and the peer has given up",
    when:
      "a request of the peer arrives 29 to 31 s after the previous packet, followed at once by the peer's disconnection, on two or more connections, or on one after which the controller leaves a command unanswered",
    do:
      "Find out what delays data: the controller (newer firmware, another adapter), its transport (UART flow control, USB), or a program on this host that blocks its thread. On the host, read events in a thread of their own, and answer requests at once."
  ).with(.ofHost).needing([.bothDirections, .events, .end]).inCapture { evidence in
    let stalled = evidence.connections.compactMap {
      history -> (ConnectionHistory, Moment, Moment)? in
      guard history.connection.ending == .peer, let stall = history.link.stall,
        let ended = history.link.ended, let rest = ended.nanoseconds(since: stall.after),
        rest < 1_000_000_000
      else { return nil }
      return (history, stall.after, ended)
    }
    guard let first = stalled.first else { return [] }
    let left = evidence.adapters.first { $0.index == first.0.connection.adapter }?.commands.waiting
      .first { $0.moment.packet > first.2.packet }
    guard stalled.count >= 2 || left != nil else { return [] }
    let times: Wording = stalled.count == 1 ? "" : " (\(stalled.count) connections)"
    var finding = Finding(
      "A request of the peer reached this host about 30 s late, and the peer had given up\(times)",
      headline:
        "a request of the peer reached this host about 30 s late, and the peer had given up\(stalled.count == 1 ? "" : " each time" as StaticString)",
      why: Wording(
        sentences:
          "A request of the peer (\(packet: first.1.packet)) arrived together with its disconnection (\(packet: first.2.packet)), about 30 s after the previous packet. A client gives up 30 s after its request (Core, Vol 3, Part F, 3.3.3), so the request had been delayed all that time and arrived when the link ended. That points to the controller or its transport first.",
        left.map {
          "The controller then also left a command unanswered (\(packet: $0.moment.packet))."
        } ?? ""),
      evidence: PacketSet(
        stalled.prefix(8).flatMap { [$0.1.packet, $0.2.packet] } + [left?.moment.packet ?? 0]),
      on: stalled.map(\.0.id), stalled.count == 1 ? .warning : nil)
    finding.repetitions = stalled.count
    return [finding]
  }
}

extension Rule {
  /// A link that was lost, and what the packets show about the reason.
  private struct LostLink {
    let history: ConnectionHistory
    let evidence: Evidence
    let ended: Moment
    let departure: (words: Wording, moment: Moment, left: Int64)?
    let reconnection: (opened: Moment, passed: Int64)?

    /// Returns nil if the link was not lost, or if it was lost because the keys differ.
    init?(_ history: ConnectionHistory, _ evidence: Evidence) {
      // A link that is lost because the keys differ has its own rule.
      guard history.connection.ending == .timeout, let ended = history.link.ended,
        Rule.mismatch(history, evidence) == nil
      else { return nil }
      (self.history, self.evidence, self.ended) = (history, evidence, ended)
      departure = history.departure
      reconnection = departure == nil ? history.reconnection(evidence) : nil
    }

    var outcome: (Loss, Finding) {
      if let restart = history.attributes.restart { return (.restart, restarted(restart)) }
      if departure != nil { return (.departure, departed) }
      if let fatal = history.fatalProcedure {
        let loss = Loss.procedure(fatal.procedure, device: history.device)
        return (loss, lost(after: fatal.procedure.words, fatal.moment))
      }
      return (.silence, silent)
    }

    /// The finding, without a reason.
    private var finding: Finding {
      let link = history.link
      let encryption = history.encryption.attempts.last { $0.failure == .connectionTimeout }
      return Finding(
        "The link was lost: \(StatusCode.connectionTimeout)",
        headline:
          "connection \(history.id) was lost at \(packet: ended.packet): \(history.silenceWords)",
        why: Wording(
          sentences: departure?.words ?? history.timeoutWords, history.lastSignWords,
          encryption.map {
            "Encryption (\(packet: $0.moment.packet)) failed for the same reason."
          } ?? "",
          history.acknowledgement, departure == nil ? history.signalWords : "", history.askedLast,
          reconnection.map {
            "A connection to it was possible again \(duration: $0.passed) later (\(packet: $0.opened.packet))."
          } ?? ""),
        evidence: PacketSet(
          of: link.lastSign, link.unacknowledgedSince, ended,
          departure?.moment ?? link.quality?.moment, reconnection?.opened
        ).union(encryption?.packets ?? []), on: [history.id])
    }

    private func restarted(_ request: Wording) -> Finding {
      var finding = finding
      finding.severity = .note
      finding.what = "The peer restarted as requested: \(StatusCode.connectionTimeout)"
      finding.headline =
        "the peer dropped connection \(history.id) (\(packet: ended.packet)) to restart as requested"
      finding.why =
        "\(request) makes a device restart, which drops its links without terminating them. \(finding.why)"
      finding.remedy = "Nothing to do if the restart was intended."
      return finding
    }

    private var departed: Finding {
      var finding = finding
      finding.what =
        "The peer dropped the link without terminating it: \(StatusCode.connectionTimeout)"
      finding.headline =
        "the peer dropped connection \(history.id) without terminating it, and advertised again (\(packet: departure?.moment.packet ?? 0))"
      finding.remedy = restartRemedy
      finding.groupHeadline =
        "the peer dropped the link without terminating it, and advertised again"
      return finding
    }

    private func lost(after procedure: Wording, _ moment: Moment) -> Finding {
      var finding = finding
      finding.grounds = .sequence
      finding.what = "The link was lost right after \(procedure): \(StatusCode.connectionTimeout)"
      finding.headline =
        "connection \(history.id) was lost at \(packet: ended.packet): nothing was heard from the peer after \(procedure) (\(packet: moment.packet))"
      finding.add(
        "The last procedure was \(procedure) (\(packet: moment.packet)), and nothing was heard after it: one of the controllers may fail at it.",
        moment.packet)
      finding.remedy =
        "Try without this procedure (another PHY, data length or interval), and look for newer firmware of both controllers."
      return finding
    }

    /// The finding if nothing is known but that the peer was not heard.
    private var silent: Finding {
      var finding = finding
      finding.grounds = .fact
      let circumstance = addCircumstance(to: &finding)
      if history.connection.transport == .brEDR {
        finding.severity = evidence.later(than: history).isEmpty ? .warning : .note
      }
      let peer: Wording = history.connection.peer.map { " to \($0)" } ?? ""
      finding.group = "The link\(peer) was lost\(circumstance): \(StatusCode.connectionTimeout)"
      finding.groupHeadline =
        "the link\(peer) was lost\(circumstance): this host no longer heard the peer"
      return finding
    }

    /// Adds what to do about a weak signal, a short timeout, or a peer that was in range.
    ///
    /// - Returns: the circumstance as a phrase, or an empty string.
    private func addCircumstance(to finding: inout Finding) -> StaticString {
      let signal = history.link.quality?.rssi
      if let signal, signal <= Sighting.weakest {
        finding.remedy =
          "Bring the devices closer together: the signal was near the sensitivity limit of receivers (\(Int(signal)) dBm)."
        return " at a weak signal"
      }
      if history.hasShortTimeout {
        finding.remedy = longerTimeout(history, evidence)
        let asked = history.timeoutRequest
        finding.headline =
          "connection \(history.id) was lost at \(packet: ended.packet): nothing was heard for \((history.link.supervisionTimeout ?? 0) / 1_000_000) ms, the short supervision timeout\(asked.map { " that \($0.side.words) had requested (\(packet: $0.packet))" as Wording } ?? "")"
        finding.evidence.insert(asked?.packet)
        return " at a short supervision timeout"
      }
      if let signal, Sighting.strong ~= signal {
        finding.remedy = otherReason("The signal was strong (\(Int(signal)) dBm)")
        return " at a strong signal"
      }
      if let reconnection, reconnection.passed <= soonAgain {
        finding.remedy = otherReason(
          "The peer was in range (\(packet: reconnection.opened.packet))")
      }
      return ""
    }

    private func otherReason(_ inRange: Wording) -> Wording {
      "\(inRange), so look for another reason than range: whether the peer was switched off, reset or crashed at that time, and whether this host's controller was busy with scans, other links or Wi-Fi."
    }
  }
}

extension ConnectionHistory {
  /// Whether the peer did not confirm the end that this host requested.
  fileprivate var isUnconfirmed: Bool {
    connection.ending == .localHost
      && (connection.reason == .connectionTimeout || connection.reason == .responseTimeout)
  }

  /// Returns findings about ends of the link, and about procedures on it, with these statuses.
  fileprivate func ends(
    by isMeant: (StatusCode) -> Bool, headline: (Moment) -> Wording
  ) -> [Finding] {
    (endByController(for: isMeant, headline: headline).map { [$0] } ?? []) + failures(isMeant)
  }

  /// Returns a finding if the controller ended the link, for a reason that is meant.
  fileprivate func endByController(
    for isMeant: (StatusCode) -> Bool, restsOnAbsence: Bool = false, headline: (Moment) -> Wording
  ) -> Finding? {
    guard let reason = connection.reason, isMeant(reason), let ended = link.ended,
      connection.ending == .controller
    else { return nil }
    return Finding(
      "The controller ended the link: \(reason.linkWords)", headline: headline(ended),
      why: Wording(sentences: "Neither host asked to disconnect.", lastProcedureWords),
      evidence: PacketSet(of: lastProcedure?.moment, ended), restsOnAbsence: restsOnAbsence)
  }

  /// Returns warnings about procedures that failed with these statuses on a link that continued.
  fileprivate func failures(_ isMeant: (StatusCode) -> Bool) -> [Finding] {
    failedProcedures.filter { isMeant($0.status) }.map { failed in
      var finding = Finding(
        "\(failed.name) failed: \(failed.status.linkWords)",
        headline: "\(failed.name) failed on connection \(id)",
        why: course(after: failed.packets), evidence: failed.packets, .warning)
      finding.grounds = .fact
      return finding
    }
  }
}
