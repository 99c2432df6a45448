import Bluetooth
import Dissectors
import Sessions
import Words

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
  private enum Loss: Sendable {
    /// Only that nothing was heard, or not even since when; or that it was right after a procedure.
    case silence, procedure
    /// The peer advertised again; so late that it had left the link for certain, or not.
    case departure, earlyAdvertising
    /// The peer had been asked to restart.
    case restart
  }

  private static let supervisionTimeout = Rule(
    about: Loss.self, whole: "link-supervision-timeout", .error, .meaning,
    "A link was lost: the peer was no longer heard",
    when:
      "a link ended with Connection Timeout (0x08); a warning if the capture has neither its opening nor data of it",
    needs: [.events, .end],
    elsewise: [
      Alternative("the peer advertised beside the link, and went out of range later") {
        loss, _ in loss != .earlyAdvertising && loss != .departure
      },
      Alternative("the peer was lost for another reason, or never got the request") {
        loss, _ in loss != .restart
      },
    ], do: lossRemedy
  ) { evidence -> [(Loss, Finding)] in
    let all = evidence.connections.compactMap { lost($0, evidence) }
    // How often the link to a device was lost right after the same procedure.
    let key = { (finding: Finding) in
      "\(finding.connections.first.flatMap { evidence.devices[$0] } ?? 0) \(finding.what.text)"
    }
    let procedures = Dictionary(
      all.filter { $0.0 == .procedure }.map { (key($0.1), 1) }, uniquingKeysWith: +)
    return all.map { loss, found in
      var finding = found
      finding.evidence = finding.evidence.sorted
      if loss == .procedure { finding.repetitions = procedures[key(finding)] ?? 1 }
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
      evidence: PacketSet([loss.acknowledged?.packet, loss.ended.packet].compactMap(\.self)))
    finding.grounds = .fact
    if loss.acknowledged == nil { finding.severity = .warning }
    return finding
  }

  /// Returns a finding about a link that was lost; nil if it was not.
  private static func lost(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> (Loss, Finding)? {
    // A link that is lost because the keys differ has its own rule.
    guard history.connection.ending == .timeout, let ended = history.link.ended,
      Rule.mismatch(history, evidence) == nil
    else { return nil }
    let link = history.link
    let departure = history.departure
    var finding = Finding(
      "The link was lost: \(StatusCode.connectionTimeout)",
      headline:
        "connection \(history.id) was lost at \(packet: ended.packet): \(history.silenceWords)",
      why: Wording(
        sentences: departure ?? history.timeoutWords, history.lastSignWords,
        history.acknowledgement, departure == nil ? history.signalWords : "", history.askedLast,
        departure == nil ? history.returnWords(evidence) : ""),
      evidence: PacketSet(
        [link.lastSign?.packet, link.unacknowledgedSince?.packet, ended.packet].compactMap(\.self)),
      on: [history.id])
    finding.evidence.insert(departure == nil ? link.quality?.moment.packet : nil)
    if let restart = history.attributes.restart {
      finding.severity = .note
      finding.what = "The peer restarted as requested: \(StatusCode.connectionTimeout)"
      finding.headline =
        "the peer dropped connection \(history.id) (\(packet: ended.packet)) to restart as requested"
      finding.why =
        "\(restart) makes a device restart, which drops its links without terminating them. \(finding.why)"
      finding.remedy = "Nothing, if the restart was intended."
      return (.restart, finding)
    }
    if departure != nil {
      let what: Wording =
        "The peer dropped the link without terminating it: \(StatusCode.connectionTimeout)"
      finding.what = what
      finding.headline =
        "the peer dropped connection \(history.id) without terminating it, and advertised again (\(packet: link.seenAway?.lastConnectable?.packet ?? ended.packet))"
      finding.evidence.insert(link.seenAway?.lastConnectable?.packet)
      finding.remedy = restartRemedy
      finding.group = what
      finding.groupHeadline =
        "the peer dropped the link without terminating it, and advertised again"
      return (link.isCertainlyAway ? .departure : .earlyAdvertising, finding)
    }
    if let fatal = history.fatalProcedure {
      finding.grounds = .sequence
      finding.what = "The link was lost right after \(fatal.words): \(StatusCode.connectionTimeout)"
      finding.headline =
        "connection \(history.id) was lost at \(packet: ended.packet): nothing was heard from the peer after \(fatal.words) (\(packet: fatal.moment.packet))"
      finding.why = Wording(
        sentences: finding.why,
        "The last procedure was \(fatal.words) (\(packet: fatal.moment.packet)), and nothing was heard after it: one of the controllers may fail at it."
      )
      finding.evidence.insert(fatal.moment.packet)
      finding.remedy =
        "Try without this procedure (another PHY, data length or interval), and look for newer firmware of both controllers."
      return (.procedure, finding)
    }
    finding.grounds = .fact
    let signal = link.quality?.rssi
    var at: StaticString = ""
    if let signal, signal <= Sighting.weakest {
      at = " at a weak signal"
      finding.remedy =
        "Bring the devices closer together: the signal was near the sensitivity limit of receivers (\(Int(signal)) dBm)."
    } else if history.hasShortTimeout {
      let side = history.originOfParameters?.side ?? history.connection.central ?? .local
      finding.remedy =
        "In \(side.possessive) firmware or program request a longer supervision timeout, or a lower latency: six times the peripheral's longest pause, and at least 4 s."
    } else if let signal, Sighting.strong ~= signal {
      at = " at a strong signal"
      finding.remedy =
        "The signal was strong (\(Int(signal)) dBm), so look for another reason than range: whether the peer was switched off, reset or crashed at that time, and whether this host's controller was busy with scans, other links or Wi-Fi."
    }
    if history.connection.transport == .brEDR {
      finding.severity = evidence.later(than: history).isEmpty ? .warning : .note
    }
    let peer: Wording = history.connection.peer.map { " to \($0)" } ?? ""
    finding.group = "The link\(peer) was lost\(at): \(StatusCode.connectionTimeout)"
    finding.groupHeadline = "the link\(peer) was lost\(at): this host no longer heard the peer"
    return (.silence, finding)
  }

  private static let lostRepeatedly = Rule(
    whole: "link-lost-repeatedly", .note, .fact, "The links to one device are lost repeatedly",
    when:
      "two or more connections of one device ended with Connection Timeout (0x08), or LL Response Timeout (0x22) when this host disconnected",
    needs: [.events, .end],
    do:
      "Compare when it happens: always after the same time or the same request points to the peer's firmware, random times point to the radio."
  ) { evidence in
    devices(evidence.connections) { $0.connection.ending == .timeout || $0.isUnconfirmed }.map {
      lost in
      let spans = lost.compactMap(\.length)
      let after: Wording =
        spans.count == lost.count && !spans.isEmpty
        ? " after \(Wording(listing: spans.prefix(6).map { "\(duration: $0)" }))" : ""
      let same = commonRequest(before: lost)
      return Finding(
        "\(lost.count, isLeast: evidence.omitsConnections) links to one device were lost\(after)",
        headline: "\(lost.count, isLeast: evidence.omitsConnections) links to one device were lost",
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

  private static let deadAtDisconnect = Rule(
    "link-dead-at-disconnect", .warning, .fact,
    "This host disconnected a link that was already dead",
    when:
      "this host asked to disconnect, and the link ended with Connection Timeout (0x08) or LL Response Timeout (0x22); a note if the peer may have fallen silent only then",
    needs: [.commands, .events, .end], do: lossRemedy
  ) { history, _ in
    let link = history.link
    guard history.isUnconfirmed, let reason = history.connection.reason,
      let asked = link.disconnect, let ended = link.ended,
      let waited = ended.nanoseconds(since: asked)
    else { return [] }
    let quiet = link.lastSign.flatMap { ended.nanoseconds(since: $0) } ?? .max
    let silence = reason == .connectionTimeout ? link.supervisionTimeout : quiet
    // A later sign of the peer contradicts the reason.
    guard quiet >= (silence ?? 0) - LinkHistory.clockMargin else { return [] }
    let wasSilent =
      history.connection.transport == .le && (silence ?? 0) - LinkHistory.clockMargin > waited
    // LL Response Timeout does not show how long nothing was heard: HCI has no empty packets.
    let wasDead = wasSilent && reason == .connectionTimeout
    var finding = Finding(
      wasDead
        ? "The link was already dead when this host disconnected: \(reason.linkWords)"
        : "The peer did not confirm the disconnection: \(reason.linkWords)",
      headline: wasDead
        ? "connection \(history.id) was already dead when this host disconnected (\(packet: asked.packet))"
        : "the peer did not confirm the end of connection \(history.id) (\(packet: ended.packet))",
      why: Wording(
        sentences:
          "This host asked to disconnect (\(packet: asked.packet)); \(duration: waited) later its controller reported \(reason.linkWords) instead of the host's own request.",
        history.departure ?? (reason == .connectionTimeout ? history.timeoutWords : ""),
        history.lastSignWords, history.signalWords),
      evidence: PacketSet(
        [
          link.lastSign?.packet, asked.packet, link.seenAway?.lastConnectable?.packet, ended.packet,
        ].compactMap(\.self)
      ).sorted)
    if history.departure != nil { finding.remedy = restartRemedy }
    if !wasSilent { (finding.severity, finding.remedy) = (.note, "") }
    return [finding]
  }

  /// Returns what this host requested last before most of the links were lost, as a sentence, or
  /// nil if no request precedes most of them.
  private static func commonRequest(
    before lost: [ConnectionHistory]
  ) -> (words: Wording, packets: [Int])? {
    let asked = lost.compactMap(\.askedBeforeSilence)
    let groups = Dictionary(grouping: asked) { $0.act.text }
    guard let most = groups.values.max(by: { $0.count < $1.count }), most.count >= 2,
      most.count * 2 > lost.count
    else { return nil }
    return (
      "In \(most.count) of \(lost.count) cases the last thing this host requested was to \(most[0].act).",
      most.prefix(8).map(\.packet)
    )
  }

  /// What is known of an LL Response Timeout.
  private enum Unfinished: Sendable {
    /// A procedure failed with this status, or this host had asked for one.
    case reported
    /// The link was not open for 40 s.
    case early
    /// This host had asked for a procedure whose feature the peer reported to lack.
    case lacking
    /// This host had asked for nothing, or what began then is not in the capture.
    case ofPeer, unknown
  }

  private static let responseTimeout = Rule(
    about: Unfinished.self, "link-lmp-timeout", .error, .meaning,
    "A Link Layer procedure was not answered in time",
    when: "the link or a procedure on it ended with LL Response Timeout (0x22)", needs: [.events],
    elsewise: [
      Alternative("this host's controller had stalled, or gave up a procedure of its own early") {
        end, _ in end != .early
      },
      Alternative("the peer's controller did not answer as it has to") {
        end, _ in end != .lacking
      },
      Alternative("this host's controller began the procedure by itself") {
        end, _ in end != .ofPeer
      },
      Alternative("this host asked for a procedure that is not in the capture") {
        end, _ in end != .unknown
      },
    ],
    do:
      "One of the two controllers has a defect: the peer's did not answer, or this host's did not understand the answer. Update the firmware of both, and avoid the procedure (PHY, data length, parameter requests) until then. Another adapter on this host shows which one it is."
  ) { history, evidence -> [(Unfinished, Finding)] in
    // Encryption that is not answered has its own rule.
    guard !history.isEncryptionUnanswered else { return [] }
    var findings: [(Unfinished, Finding)] = []
    if let ended = history.link.ended, history.connection.reason == .responseTimeout,
      history.connection.ending == .controller
    {
      var finding = Finding(
        "The controller ended the link: \(StatusCode.responseTimeout.linkWords)",
        headline:
          "connection \(history.id) ended at \(packet: ended.packet): this host's controller got no answer of the peer's controller",
        why: Wording(sentences: "Neither host requested it.", history.lastProcedure),
        evidence: PacketSet([history.lastProcedurePacket, ended.packet].compactMap(\.self)))
      if let length = history.length, length < procedureTimeout {
        finding.headline =
          "connection \(history.id) was lost at \(packet: ended.packet): this host no longer heard the peer"
        finding.why = Wording(
          sentences:
            "Neither host requested it. A peer has 40 s to answer a Link Layer procedure, but the link was open for \(duration: length): so this controller gave up earlier, because it no longer heard the peer.",
          history.lastSignWords, history.lastProcedure, history.signalWords)
        finding.remedy = lossRemedy
        findings.append((.early, finding))
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

  private static let collision = Rule(
    "link-procedure-collision", .error, .meaning, "Procedures of the two controllers collided",
    when:
      "the link or a procedure on it ended with LL Procedure Collision (0x23) or Different Transaction Collision (0x2a)",
    needs: [.events],
    do:
      "Start one procedure at a time and wait for its event (PHY, data length, parameters, encryption), or let the central alone start them."
  ) { history, _ in
    history.ends(by: { $0.rawValue == 0x23 || $0.rawValue == 0x2a }) {
      "connection \(history.id) ended at \(packet: $0.packet): procedures of the two controllers collided"
    }
  }

  private static let instantPassed = Rule(
    "link-instant-passed", .error, .meaning,
    "A change took effect before the other side knew of it",
    when: "the link or a procedure on it ended with Instant Passed (0x28)", needs: [.events],
    do:
      "Do not request parameters again that are already in force, and change one thing at a time. Update the firmware of the central's controller, which has to announce a change early enough (six events, and more if the peripheral may skip events), and of the peripheral's, which must not skip events while a change is pending."
  ) { history, _ in
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
        finding.evidence = PacketSet([(update.command ?? update.asked).packet]).union(
          finding.evidence)
        if let wanted = update.wanted, let before = update.before, wanted.allow(before) {
          words.append(
            "It requests what is already in force\(same.count > 1 ? ", \(same.count) times" : "")."
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

  /// The clocks of controllers and of the capture differ a little.
  private static let procedureMargin: Int64 = 2_000_000_000

  /// Explains LL Response Timeout by the procedure of this host that began 40 s before, or by the
  /// lack of one.
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
    if let own {
      let name: Wording =
        PDUTable.core.command(own.opcode).map { "\($0.name)" }
        ?? "command \(code: own.opcode, digits: 4)"
      finding.why =
        "\(finding.why) This host had asked for \(name) (\(packet: own.moment.packet)) 40 s before, and its controller did not report the end of that. HCI does not show whether the peer's controller answered."
      finding.evidence = PacketSet([own.moment.packet]).union(finding.evidence)
      guard let bit = history.link.lackingFeature(for: own.opcode),
        let features = history.link.peerFeatures
      else {
        finding.grounds = .fact
        return .reported
      }
      let feature: Wording =
        CodeSet.leFeatures.name(of: UInt64(bit)).map { "\($0)" } ?? "feature \(bit)"
      finding.headline =
        "connection \(history.id) ended at \(packet: ended.packet): this host's controller did not finish \(name), for which the peer lacks the feature"
      finding.why =
        "\(finding.why) The peer's controller does not support it: \(feature) is not among its features (\(packet: features.moment.packet)). Then this host's controller must not wait for an answer to it, or has to take the peer's LL_UNKNOWN_RSP for one."
      finding.evidence.insert(features.moment.packet)
      finding.remedy =
        "Suspect this host's controller: update its firmware or try another adapter. Until then do not request \(name) from this peer."
      return .lacking
    }
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
      if let request {
        " \(packet: request.packet) is a request of the peer's controller for other connection parameters."
      } else if let failed = failed?.completed {
        " \(packet: failed.packet) reports that it was a change of the connection parameters."
      } else {
        ""
      }
    finding.headline =
      "connection \(history.id) ended at \(packet: ended.packet): a Link Layer procedure that this host had not asked for was not finished"
    finding.groupHeadline =
      "a Link Layer procedure that this host had not asked for was not finished"
    // Not more precise than the clocks.
    let began = (length - procedureTimeout + 50_000_000) / 100_000_000 * 100_000_000
    finding.why =
      "Neither host requested the end. A controller ends a link if a Link Layer procedure is not finished 40 s after it began, here about \(duration: began) after the link was opened (\(packet: opened.packet)). This host had asked for none then, so the peer's controller began it.\(what)"
    finding.restsOnAbsence = true
    finding.evidence = PacketSet(
      [opened.packet, request?.packet, failed?.completed?.packet, ended.packet].compactMap(\.self))
    finding.remedy =
      "One of the two controllers has a defect, the peer's or this host's: update the firmware of both. Look for the procedure that the peer's firmware starts at that time (connection parameters, PHY, data length), and try without it: a peripheral can ask for other parameters over L2CAP instead (Connection Parameter Update Request)."
    return .ofPeer
  }

  private static let procedureFailed = Rule(
    "link-procedure-failed", .note, .fact, "A Link Layer procedure failed",
    when:
      "a feature, version, PHY or subrate procedure ended with another error status on a link that stayed open",
    needs: [.events]
  ) { history, _ in
    history.failedProcedures.filter { !$0.isUpdate && !$0.status.isProcedureTrouble }.map {
      failed in
      Finding(
        "\(failed.name) failed: \(failed.status.linkWords)",
        headline: "\(failed.name) failed", why: history.course(after: failed.packets),
        evidence: failed.packets)
    }
  }

  private static let payloadTimeout = Rule(
    "link-payload-timeout", .warning, .fact,
    "No authenticated packet came from the peer on an encrypted link",
    when: "the controller reports Authenticated Payload Timeout Expired", needs: [.events],
    do:
      "Encrypt again or disconnect, as the host's security policy requires. If it recurs, update the firmware of the peer's controller, which has to answer LE Ping, or set a longer Authenticated Payload Timeout."
  ) { history, _ in
    let expired = history.link.payloadTimeouts
    guard let first = expired.first else { return [] }
    let timeout: Wording =
      history.link.payloadTimeout.map { " of \(duration: Int64($0) * 10_000_000)" } ?? ""
    let times: Wording = expired.count > 1 ? ", \(expired.count) times" : ""
    var after: Wording = ""
    if let disconnect = history.link.disconnect, disconnect.packet > first.packet {
      after = "This host then asked to disconnect (\(packet: disconnect.packet))."
    }
    return [
      Finding(
        "Authenticated Payload Timeout Expired\(times)",
        headline: "no authenticated packet came from the peer (\(packet: first.packet))",
        why: Wording(
          sentences:
            "During the authenticated payload timeout\(timeout) no packet with a valid MIC came from the peer. Empty packets have no MIC but keep the link open: the controller has to request a packet with one by LE Ping before the timeout, and none came.",
          after),
        evidence: PacketSet([expired.first?.packet, expired.last?.packet].compactMap(\.self)))
    ]
  }

  private static let controllerEnded = Rule(
    "link-controller-ended", .error, .fact, "A controller ended the link by itself",
    when: "Disconnection Complete has a reason that no host gives, and no other rule explains it",
    needs: [.events, .end],
    do:
      "Update the firmware of this host's controller, and try without the last request or procedure before the end."
  ) { history, _ in
    guard history.connection.ending == .controller, let reason = history.connection.reason,
      !reason.isProcedureTrouble, !reason.isOfSecurity, let ended = history.link.ended
    else { return [] }
    var finding = Finding(
      "The controller ended the link: \(reason.linkWords)",
      headline: "the controller ended connection \(history.id)",
      why: Wording(sentences: "Neither host requested it.", history.lastProcedure),
      evidence: PacketSet([history.lastProcedurePacket, ended.packet].compactMap(\.self)))
    finding.restsOnAbsence = true
    return [finding]
  }

  private static let lowResources = Rule(
    "link-peer-low-resources", .warning, .fact, "The peer ended the link for lack of resources",
    when: "the reason is Remote Device Terminated Connection due to Low Resources (0x14)",
    needs: [.events, .end],
    do:
      "Free links or memory on the peer: disconnect other devices, restart it; in firmware raise the number of connections or buffers."
  ) { history, _ in ended(history, .remoteLowResources, "for lack of resources") }

  private static let powerOff = Rule(
    "link-power-off", .note, .fact, "The peer ended the link because it is switched off",
    when: "the reason is Remote Device Terminated Connection due to Power Off (0x15)",
    needs: [.events, .end]
  ) { history, _ in ended(history, .remotePowerOff, "because it, or its Bluetooth, is switched off")
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

  private static let reset = Rule(
    "link-reset", .note, .fact, "The controller was reset while a link was open",
    when:
      "a reset, or the controller's removal, ended an open link that this host had not asked to end",
    needs: [.events]
  ) { history, _ in
    // If this host had asked to disconnect, the link had probably ended.
    guard history.connection.ending == .reset, history.link.disconnect == nil,
      let ended = history.link.ended
    else { return [] }
    var finding = Finding(
      "The controller was reset, or switched off, with the link open",
      headline: "the controller was reset with connection \(history.id) open",
      why:
        "A reset ends all links without a word to the peers, which notice it only after their supervision timeouts.",
      evidence: [ended.packet])
    finding.group = "The controller was reset, or switched off, with the link open"
    return [finding]
  }

  private static let hostStalled = Rule(
    whole: "host-stalled", .error, .sequence,
    "A request reaches this host 30 s late, and the peer has given up",
    when:
      "a request of the peer arrives 29 to 31 s after the previous packet, followed at once by the peer's disconnection, on two or more connections, or on one after which the controller leaves a command unanswered",
    needs: [.bothDirections, .events, .end],
    do:
      "Find out what delays data: the controller (newer firmware, another adapter), its transport (UART flow control, USB), or a program on this host that blocks its thread. On the host, read events in a thread of their own, and answer requests at once."
  ) { evidence in
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
    let dead: Wording =
      left.map {
        "The controller then also left a command unanswered (\(packet: $0.moment.packet))."
      } ?? ""
    var finding = Finding(
      "A request of the peer reached this host about 30 s late, and the peer had given up\(times)",
      headline:
        "a request of the peer reached this host about 30 s late, and the peer had given up\(stalled.count == 1 ? "" : " each time" as StaticString)",
      why: Wording(
        sentences:
          "A request of the peer (\(packet: first.1.packet)) arrived together with its disconnection (\(packet: first.2.packet)), about 30 s after the previous packet. A client gives up 30 s after its request (Core, Vol 3, Part F, 3.3.3), so the request had been delayed all that time and arrived when the link ended. That points to the controller or its transport rather than to a program on this host.",
        dead), evidence: PacketSet(stalled.prefix(8).flatMap { [$0.1.packet, $0.2.packet] }),
      on: stalled.map(\.0.id))
    finding.repetitions = stalled.count
    if stalled.count == 1 { finding.severity = .warning }
    finding.evidence.insert(left?.moment.packet)
    return [finding]
  }

  // MARK: The peer that leaves

  private static let peerLeavesAtRequest = Rule(
    about: Bool.self, whole: "link-peer-leaves-at-request", .warning, .sequence,
    "The peer ends its connections when it receives a certain request",
    when:
      "two or more connections of one device were ended by the peer within a second after the same request, which is unanswered and the last that this host sent; a write, or if the capture has no data of the peer, only if it is the only one",
    needs: [.sentData, .events, .opening, .end],
    elsewise: [
      Alternative("the write asks the peer to leave, or to switch off") { isWrite, _ in !isWrite }
    ],
    do:
      "Connect without this request, to find out whether the peer then stays: if it is Exchange MTU Request, do not call requestMtu() on Android or esp_ble_gattc_send_mtu_req() on ESP-IDF. The peer's firmware has to answer each request, if only with an Error Response: update it."
  ) { evidence -> [(Bool, Finding)] in
    devices(evidence.connections) { evidence.fatalRequest(of: $0) != nil }.flatMap { left in
      let asked = left.compactMap { history in
        evidence.fatalRequest(of: history).map { (history: history, request: $0) }
      }
      return asked.grouped { $0.request.words.text }.compactMap { group -> (Bool, Finding)? in
        let request = group[0].request
        guard group.count >= 2,
          // Another connection with the same request that the peer did not end refutes it.
          !evidence.connections.contains(where: { other in
            other.device == group[0].history.device
              && !group.contains { $0.history.id == other.id } && other.survived(request)
          })
        else { return nil }
        let longest = group.map(\.request.wait).max() ?? 0
        let acknowledged: Wording =
          group.allSatisfy { $0.history.link.unacknowledged == 0 }
          ? " Its controller had acknowledged it each time." : ""
        var finding = Finding(
          "The peer ended \(group.count, isLeast: evidence.omitsConnections) connections when it received \(request.words)",
          headline: "the peer ends the connection when it receives \(request.words)",
          why:
            "Each time \(request.words) was \(group.allSatisfy(\.request.isOnly) ? "the only data that this host sent" : "the last thing that this host sent, and had no answer" as StaticString), and the peer ended the link within \(duration: longest) after it, with \(StatusCode.remoteUserTerminated).\(acknowledged)",
          evidence: PacketSet(
            group.prefix(8).flatMap {
              [$0.request.packet, $0.history.link.ended?.packet].compactMap(\.self)
            }), on: group.map(\.history.id))
        finding.repetitions = group.count
        return (group.contains { $0.request.opcode.isWrite }, finding)
      }
    }
  }

  private static let peerLeaves = Rule(
    about: Bool.self, whole: "link-peer-leaves", .warning, .sequence,
    "The peer ends its connections after a constant time",
    when:
      "two or more connections of one device, each a second or longer, were ended by the peer after times that differ by at most a tenth; or three or more after such times since encryption, or since the same last request of this host",
    needs: [.events, .opening, .end], leansOn: [.bothDirections],
    elsewise: [
      Alternative("it had sent all its values") { hasFinished, _ in !hasFinished }
    ],
    do:
      "The peer waits for something and gives up (pairing, a request, or a login of its own protocol within a fixed time), or it ends idle connections. Compare with what its own app does first."
  ) { evidence -> [(Bool, Finding)] in
    devices(evidence.connections) {
      $0.leavesByChoice && !$0.connection.isOpeningMissing && !evidence.hasOtherEnd(of: $0)
        // What it waited for, or left at, has its own finding.
        && !$0.link.hasOpenRequest(of: .peer)
    }.compactMap { left in
      // Only if this applies to all connections that the peer ended, not to two of many.
      guard let stay = Stay(left), !left.allSatisfy({ evidence.fatalRequest(of: $0) != nil })
      else { return nil }
      let wish: (words: Wording, packet: Int?) =
        evidence.lacksData
        ? ("What crossed the links was not recorded.", nil) : left[left.count - 1].lastWish
      var finding = Finding(
        "The peer ended \(left.count, isLeast: evidence.omitsConnections) connections \(stay.words)",
        headline: "the peer ends its connections \(stay.words)", why: wish.words,
        evidence: PacketSet([wish.packet].compactMap(\.self)).union(
          PacketSet(left.prefix(8).compactMap(\.connection.lastPacket))), on: left.map(\.id))
      finding.evidence = finding.evidence.union(PacketSet(stay.anchors.prefix(8)))
      finding.repetitions = left.count
      finding.restsOnAbsence = true
      let pauses = left.compactMap(\.pauseAfterLastValue)
      let hasFinished = pauses.count == left.count
      if hasFinished, let pause = pauses.max() {
        finding.severity = .note
        finding.why =
          "On each of them the peer sent values and left within \(duration: pause) of the last one."
        finding.remedy =
          "Nothing, if the values are complete: devices that measure or store something disconnect after sending it."
      }
      return (hasFinished, finding)
    }
  }

  private static let peerLeavesAfterChange = Rule(
    "link-peer-leaves-after-change", .warning, .sequence,
    "The peer left right after this host had made the link slower",
    when:
      "this host, the central, made the connection interval four times as long or more without being asked by the peer, which ended the link within a second",
    needs: [.commands, .events, .end],
    do:
      "Keep the shorter interval while the peer is in use, or request one between the two, to find out whether it then stays. A peripheral that cannot work with an interval should ask for another one instead of leaving."
  ) { history, evidence in
    guard let change = history.lastSlowing else { return [] }
    var finding = Finding(
      "The peer ended the link \(duration: change.passed) after this host had changed the connection interval from \(interval: change.before) to \(interval: change.after)",
      headline:
        "the peer ended connection \(history.id) right after this host had changed the connection interval from \(interval: change.before) to \(interval: change.after)",
      why: Wording(
        sentences:
          "The change took effect at \(packet: change.update.lastPacket), and the peer disconnected \(duration: change.passed) later.",
        history.lastWish.words),
      evidence: change.update.evidence.union(
        PacketSet([history.link.ended?.packet].compactMap(\.self))))
    finding.repetitions = evidence.connections.count {
      $0.device == history.device && $0.lastSlowing != nil
    }
    finding.group = "The peer ended the link right after this host had made it slower"
    return [finding]
  }

  /// Returns the connections that satisfy a condition, grouped by device; groups have two or more.
  private static func devices(
    _ connections: [ConnectionHistory], _ isMeant: (ConnectionHistory) -> Bool
  ) -> [[ConnectionHistory]] {
    connections.filter { $0.connection.peer != nil && isMeant($0) }.grouped(by: \.device)
      .filter { $0.count >= 2 }
  }
}

/// A request of this host after which the peer ended the link at once.
struct FatalRequest {
  /// The request in words: `Exchange MTU Request`, `Read Request for 2a00 Device Name`.
  let words: Wording
  let opcode: ATTOpcode
  let packet: Int
  /// The time from the request to the end of the link.
  let wait: Int64
  /// Whether this host sent nothing else on the link.
  let isOnly: Bool
}

/// A time after which a device ended all of several connections.
private struct Stay {
  /// When it was, as a phrase: `after 30.0 s`, `3.0 s to 3.1 s after encryption`.
  let words: Wording
  /// The packets from which the times are counted, unless they opened the links.
  let anchors: [Int]

  /// Times to events other than the opening count if there are this many.
  private static let leastOthers = 3

  /// Creates the time that is the same for all of these connections; returns nil if none is.
  init?(_ left: [ConnectionHistory]) {
    if let span = Self.span(left.map { ($0.link.opened, $0.link.ended) }) {
      (words, anchors) = ("after \(span)", [])
      return
    }
    guard left.count >= Self.leastOthers else { return nil }
    let starts = left.map { $0.encryption.attempts.last { $0.outcome == .encrypted }?.end }
    if let span = Self.span(zip(starts, left).map { ($0, $1.link.ended) }) {
      (words, anchors) = ("\(span) after encryption", starts.compactMap { $0?.packet })
      return
    }
    let asked = left.map(\.lastAct)
    guard let first = asked[0], asked.allSatisfy({ $0?.act == first.act }),
      let span = Self.span(zip(asked, left).map { ($0?.moment, $1.link.ended) })
    else { return nil }
    words = "\(span) after this host's last request, to \(first.act)"
    anchors = asked.compactMap { $0?.moment.packet }
  }

  /// Returns the times between two moments in words, or nil if one is unknown or they differ.
  private static func span(_ moments: [(from: Moment?, to: Moment?)]) -> Wording? {
    let spans = moments.compactMap { from, to in from.flatMap { to?.nanoseconds(since: $0) } }
    guard spans.count == moments.count, let shortest = spans.min(), let longest = spans.max(),
      longest - shortest <= longest / 10
    else { return nil }
    return "\(duration: shortest)" == ("\(duration: longest)" as Wording)
      ? "\(duration: longest)" : "\(duration: shortest) to \(duration: longest)"
  }
}

extension Evidence {
  /// The peer ends the link within this time after the request.
  private static let soon: Int64 = 1_000_000_000

  /// Returns the last request of this host, if the peer ended the link soon after it instead of
  /// answering, and nothing else that it may have wanted was open.
  func fatalRequest(of history: ConnectionHistory) -> FatalRequest? {
    guard history.connection.ending == .peer, history.connection.reason == .remoteUserTerminated,
      !history.connection.isOpeningMissing, !history.connection.hasLostPackets,
      let ended = history.link.ended, let asked = history.attributes.lastAsked,
      asked.opcode.role == .request, !asked.isAnswered,
      // The peer does not leave because of what it answered before.
      (history.attributes.usage(asked.handle, of: .peer)?.reads.count ?? 0) == 0,
      history.link.sentLast?.packet == asked.moment.packet,
      let wait = ended.nanoseconds(since: asked.moment), wait <= Self.soon,
      history.pairing.securityRequests.isEmpty, history.security.pairing == nil,
      history.attributes.restart == nil, !hasOtherEnd(of: history)
    else { return nil }
    let isOnly = history.link.sent == 1
    let hasBoth = coverage.parts(of: history.connection).isSuperset(of: .bothDirections)
    guard isOnly || hasBoth && !asked.opcode.isWrite,
      hasBoth || extent.sentData < Coverage.leastOneSided
    else { return nil }
    let name: Wording = asked.opcode.name.map { "\($0)" } ?? "a request"
    let target: Wording =
      asked.handle == 0
      ? ""
      : history.attributes.identity(asked.handle, of: .peer).map { " for \($0)" }
        ?? " for \(handle: asked.handle)"
    return FatalRequest(
      words: "\(name)\(target)", opcode: asked.opcode, packet: asked.moment.packet, wait: wait,
      isOnly: isOnly)
  }
}

extension ConnectionHistory {
  /// Shorter times are not intended: they are the time that the requests took.
  private static let leastStay: Int64 = 1_000_000_000

  /// Whether the peer ended the link after a while, for no reason that concerns itself.
  fileprivate var leavesByChoice: Bool {
    connection.ending == .peer && length ?? 0 >= Self.leastStay
      && (connection.reason == .remoteUserTerminated
        || connection.reason == .unacceptableConnectionParameters)
  }

  /// Whether the peer did not confirm the end that this host requested.
  fileprivate var isUnconfirmed: Bool {
    connection.ending == .localHost
      && (connection.reason == .connectionTimeout || connection.reason == .responseTimeout)
  }

  /// Returns findings about the end of the link and about procedures on it that have one of these
  /// statuses.
  fileprivate func ends(
    by isMeant: (StatusCode) -> Bool, headline: (Moment) -> Wording
  ) -> [Finding] {
    guard let reason = connection.reason, isMeant(reason), let ended = link.ended,
      connection.ending == .controller
    else { return failures(isMeant) }
    return [
      Finding(
        "The controller ended the link: \(reason.linkWords)", headline: headline(ended),
        why: Wording(sentences: "Neither host requested it.", lastProcedure),
        evidence: PacketSet([lastProcedurePacket, ended.packet].compactMap(\.self)))
    ] + failures(isMeant)
  }

  /// Returns warnings about procedures that failed with one of these statuses on a link that
  /// continued.
  fileprivate func failures(_ isMeant: (StatusCode) -> Bool) -> [Finding] {
    failedProcedures.filter { isMeant($0.status) }.map { failed in
      var finding = Finding(
        "\(failed.name) failed: \(failed.status.linkWords)",
        headline: "\(failed.name) failed on connection \(id)",
        why: course(after: failed.packets), evidence: failed.packets)
      finding.severity = .warning
      finding.grounds = .fact
      return finding
    }
  }

  /// The change by this host that made the link much slower just before the peer left.
  fileprivate var lastSlowing:
    (update: ParameterUpdate, before: UInt16, after: UInt16, passed: Int64)?
  {
    guard leavesByChoice, connection.reason == .remoteUserTerminated,
      let update = link.updates.last(where: { $0.result != nil }), update.procedure == .command,
      let before = update.before?.interval, let after = update.result?.interval,
      Int(after) >= Int(before) * 4, let completed = update.completed,
      let passed = link.ended?.nanoseconds(since: completed), passed <= 1_000_000_000
    else { return nil }
    return (update, before, after, passed)
  }

  /// A peer that has sent what it had leaves within this time, in nanoseconds.
  private static let promptly: Int64 = 5_000_000_000
  /// A peer that sends more notifications than this has no last one that would mean its end.
  private static let fewValues = 3

  /// The time between the peer's last value and the end of the link, if it seems to have left
  /// because it had sent everything: values that it indicated, or few of them.
  fileprivate var pauseAfterLastValue: Int64? {
    let sending = attributes.usages.filter { $0.server == .peer && $0.sent > 0 }
    let last = sending.compactMap { $0.indications.last ?? $0.notifications.last }
      .max { $0.packet < $1.packet }
    guard let last, let ended = link.ended, let pause = ended.nanoseconds(since: last),
      pause <= Self.promptly,
      sending.contains(where: { $0.indications.last?.packet == last.packet })
        || sending.reduce(0, { $0 + $1.sent }) <= Self.fewValues
    else { return nil }
    return pause
  }

  /// Returns whether this host sent the same request here, and the peer stayed.
  fileprivate func survived(_ request: FatalRequest) -> Bool {
    if request.opcode == .exchangeMTURequest, !attributes.mtuExchanges.isEmpty { return true }
    guard let asked = attributes.lastAsked, asked.opcode == request.opcode else { return false }
    return connection.ending != .peer || asked.isAnswered
  }
}
