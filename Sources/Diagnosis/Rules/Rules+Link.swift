import Bluetooth
import Dissectors
import Sessions
import Words

// Rules about links that end.

extension Rule {
  /// The rules about links that end, and about their parameters.
  static let link: [Rule] = linkEndings + linkParameters

  private static let linkEndings: [Rule] = [
    supervisionTimeout, lostRepeatedly, responseTimeout, collision, controllerEnded, lowResources,
    powerOff, hostStalled, peerLeavesAtRequest, peerLeaves, payloadTimeout, procedureFailed, reset,
  ]

  private static let lossRemedy: Wording =
    "Check range, battery and antenna, and whether the peer reset or crashed at that time. A central that is busy with scans or other links may also miss the peripheral."

  private static let supervisionTimeout = Rule(
    "link-supervision-timeout", .error, .meaning, "A link was lost: the peer was no longer heard",
    when: "the link ended with Connection Timeout (0x08)", needs: [.events, .end],
    do:
      "\(Rule.lossRemedy) A supervision timeout of 4 to 6 s is enough for short gaps."
  ) { history, evidence in
    // A link that is lost because the keys differ has its own rule.
    guard history.connection.ending == .timeout, let ended = history.link.ended,
      Rule.mismatch(history, evidence) == nil
    else { return [] }
    let link = history.link
    let timeout: Wording =
      link.supervisionTimeout.map { " of \($0 / 1_000_000) ms" } ?? ""
    let departure = history.departure
    var why: Wording =
      departure ?? "Nothing was heard from the peer for the supervision timeout\(timeout)."
    if let heard = link.heardLast {
      let ago: Wording =
        ended.nanoseconds(since: heard).map { ", \(duration: $0) before the end" } ?? ""
      why = "\(why) The last data from it is \(packet: heard.packet)\(ago)."
    } else if !history.connection.isOpeningMissing, !history.connection.hasLostPackets {
      why = "\(why) The capture has no data from it on this connection."
    }
    why = Wording(
      sentences: why, history.acknowledgement, history.askedLast,
      departure == nil ? history.weakness : "",
      departure == nil ? history.returnWords(evidence) : "")
    var finding = Finding(
      "The link was lost: \(StatusCode.connectionTimeout)",
      headline:
        "connection \(history.id) was lost at \(packet: ended.packet): \(history.silenceWords)",
      why: why,
      evidence: PacketSet(
        [link.heardLast?.packet, link.unacknowledgedSince?.packet, ended.packet].compactMap(\.self))
    )
    if let restart = history.attributes.restart {
      finding.severity = .note
      finding.what = "The peer restarted as requested: \(StatusCode.connectionTimeout)"
      finding.headline =
        "the peer dropped connection \(history.id) (\(packet: ended.packet)) to restart as requested"
      finding.why =
        "\(restart) makes a device restart, which drops its links without terminating them. \(finding.why)"
      finding.remedy = "Nothing, if the restart was intended."
      finding.certainty = .likely
      return [finding]
    }
    if departure != nil {
      let what: Wording =
        "The peer dropped the link without terminating it: \(StatusCode.connectionTimeout)"
      finding.what = what
      finding.headline =
        "the peer dropped connection \(history.id) without terminating it, and advertised again (\(packet: link.seenAway?.lastConnectable?.packet ?? ended.packet))"
      finding.evidence.insert(link.seenAway?.lastConnectable?.packet)
      finding.remedy =
        "Find out why the peer restarted: its log and reset reason, its power supply, and how it handles this host's last request."
      finding.group = what
      finding.groupHeadline =
        "the peer dropped the link without terminating it, and advertised again"
      if !link.isCertainlyAway { finding.certainty = .likely }
      return [finding]
    }
    if let fatal = history.fatalProcedure {
      finding.what = "The link was lost right after \(fatal.words): \(StatusCode.connectionTimeout)"
      finding.headline =
        "connection \(history.id) was lost at \(packet: ended.packet): nothing was heard from the peer after \(fatal.words) (\(packet: fatal.moment.packet))"
      finding.why = Wording(
        sentences: finding.why,
        "The last procedure was \(fatal.words) (\(packet: fatal.moment.packet)), and nothing was heard after it: one of the controllers seems to fail at it."
      )
      finding.certainty = .likely
      finding.evidence.insert(fatal.moment.packet)
      finding.remedy =
        "Try without this procedure (another PHY, data length or interval), and look for newer firmware of both controllers."
      return [finding]
    }
    // The supervision timeout is already long.
    if link.supervisionTimeout ?? 0 >= 4_000_000_000 { finding.remedy = Rule.lossRemedy }
    finding.group = "The link was lost: \(StatusCode.connectionTimeout)"
    finding.groupHeadline =
      "the link was lost because this host no longer heard the peer"
    return [finding]
  }

  private static let lostRepeatedly = Rule(
    whole: "link-lost-repeatedly", .note, .meaning, "The links to one device are lost repeatedly",
    when: "two or more connections of one device ended with Connection Timeout (0x08)",
    needs: [.events, .end],
    do:
      "Compare when it happens: always after the same time or the same request points to the peer's firmware, random times point to the radio."
  ) { evidence in
    devices(evidence.connections) { $0.connection.ending == .timeout }.map { lost in
      let spans = lost.compactMap(\.length)
      let after: Wording =
        spans.count == lost.count && !spans.isEmpty
        ? " after \(Wording(listing: spans.prefix(6).map { "\(duration: $0)" }))" : ""
      let same = commonRequest(before: lost)
      return Finding(
        "\(lost.count) links to one device were lost\(after)",
        headline: "\(lost.count) links to one device were lost",
        why: Wording(
          sentences: "Each ended with \(StatusCode.connectionTimeout).", same?.words ?? ""),
        evidence: PacketSet(lost.prefix(8).compactMap(\.connection.lastPacket)).union(
          PacketSet(same?.packets ?? [])), on: lost.map(\.id))
    }
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

  private static let responseTimeout = Rule(
    "link-lmp-timeout", .error, .meaning, "A Link Layer procedure was not answered in time",
    when: "the link or a procedure on it ended with LL Response Timeout (0x22)", needs: [.events],
    do:
      "One of the two controllers has a defect: the peer's did not answer, or this host's did not understand the answer. Update the firmware of both, and avoid the procedure (PHY, data length, parameter requests) until then. Another adapter on this host shows which one it is."
  ) { history, evidence in
    // Encryption that is not answered has its own rule.
    history.isEncryptionUnanswered
      ? [] : failures(history, evidence) { $0 == .responseTimeout }
  }

  /// The Link Layer's procedure response timeout (Core, Vol 6, Part B, 5.2).
  private static let procedureTimeout: Int64 = 40_000_000_000

  private static let collision = Rule(
    "link-procedure-collision", .error, .meaning, "Procedures of the two controllers collided",
    when:
      "the link or a procedure on it ended with LL Procedure Collision (0x23), Instant Passed (0x28) or Different Transaction Collision (0x2a)",
    needs: [.events],
    do:
      "Start one procedure at a time and wait for its event (PHY, data length, parameters, encryption), or let the central alone start them. Instant Passed points to lost packets: allow more events before the instant."
  ) { history, evidence in
    failures(history, evidence) {
      $0.rawValue == 0x23 || $0 == .instantPassed || $0.rawValue == 0x2a
    }
  }

  /// Returns findings about the end of the link and about procedures on it that have one of these
  /// statuses. A procedure that failed on a link that continued is a warning.
  private static func failures(
    _ history: ConnectionHistory, _ evidence: Evidence, _ isMeant: (StatusCode) -> Bool
  ) -> [Finding] {
    var findings: [Finding] = []
    if let reason = history.connection.reason, isMeant(reason), let ended = history.link.ended,
      history.connection.ending == .controller
    {
      var finding = Finding(
        "The controller ended the link: \(reason.linkWords)",
        headline:
          "connection \(history.id) ended at \(packet: ended.packet): \(reason == .responseTimeout ? "this host's controller got no answer of the peer's controller" : "procedures of the two controllers collided" as StaticString)",
        why: Wording(sentences: "Neither host requested it.", history.lastProcedure),
        evidence: PacketSet([history.lastProcedurePacket, ended.packet].compactMap(\.self)))
      if reason == .responseTimeout, let length = history.length, length < procedureTimeout {
        let heard: Wording =
          history.link.heardLast.map { " The last data from it is \(packet: $0.packet)." } ?? ""
        finding.headline =
          "connection \(history.id) was lost at \(packet: ended.packet): this host no longer heard the peer"
        finding.why = Wording(
          sentences:
            "Neither host requested it. A peer has 40 s to answer a Link Layer procedure, but the link was open for \(duration: length): so this controller gave up earlier, most likely because it no longer heard the peer.\(heard)",
          history.lastProcedure, history.weakness)
        finding.certainty = .likely
        finding.remedy = lossRemedy
      } else if reason == .responseTimeout, history.connection.transport == .le {
        explain(&finding, history, ended, evidence)
      }
      findings.append(finding)
    }
    for failed in history.failedProcedures where isMeant(failed.status) {
      let name = failed.name
      var finding = Finding(
        "\(name) failed: \(failed.status.linkWords)",
        headline: "\(name) failed on connection \(history.id)",
        why: history.course(after: failed.packets), evidence: failed.packets)
      finding.severity = .warning
      findings.append(finding)
    }
    return findings
  }

  /// The clocks of controllers and of the capture differ a little.
  private static let procedureMargin: Int64 = 2_000_000_000

  /// Explains LL Response Timeout by the procedure of this host that began 40 s before, or by the
  /// lack of one.
  private static func explain(
    _ finding: inout Finding, _ history: ConnectionHistory, _ ended: Moment, _ evidence: Evidence
  ) {
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
      else { return }
      let feature: Wording =
        CodeSet.leFeatures.name(of: UInt64(bit)).map { "\($0)" } ?? "feature \(bit)"
      finding.headline =
        "connection \(history.id) ended at \(packet: ended.packet): this host's controller did not finish \(name), for which the peer lacks the feature"
      finding.why =
        "\(finding.why) The peer's controller does not support it: \(feature) is not among its features (\(packet: features.moment.packet)). Then this host's controller must not wait for an answer to it, or has to take the peer's LL_UNKNOWN_RSP for one."
      finding.certainty = .likely
      finding.evidence.insert(features.moment.packet)
      finding.remedy =
        "Suspect this host's controller: update its firmware or try another adapter. Until then do not request \(name) from this peer."
      return
    }
    guard evidence.coverage.parts(of: history.connection).isSuperset(of: [.commands, .opening]),
      !history.connection.hasLostPackets, let opened = history.link.opened,
      let length = history.length
    else {
      // What began then is not in the capture.
      finding.certainty = .likely
      return
    }
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
      "Neither host requested the end. A controller ends a link if a Link Layer procedure is not finished 40 s after it began, here about \(duration: began) after the link was opened (\(packet: opened.packet)). This host had asked for none then, so the peer's controller began it, or this host's controller on its own.\(what)"
    finding.certainty = .likely
    finding.restsOnAbsence = true
    finding.evidence = PacketSet(
      [opened.packet, request?.packet, failed?.completed?.packet, ended.packet].compactMap(\.self))
    finding.remedy =
      "One of the two controllers has a defect, the peer's or this host's: update the firmware of both. Look for the procedure that the peer's firmware starts at that time (connection parameters, PHY, data length), and try without it: a peripheral can ask for other parameters over L2CAP instead (Connection Parameter Update Request)."
  }

  private static let procedureFailed = Rule(
    "link-procedure-failed", .note, .meaning, "A Link Layer procedure failed",
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
    "link-payload-timeout", .warning, .meaning,
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
    "link-controller-ended", .error, .meaning, "A controller ended the link by itself",
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
      why: Wording(sentences: "Neither host requested it.", history.lastProcedure), .likely,
      evidence: PacketSet([history.lastProcedurePacket, ended.packet].compactMap(\.self)))
    finding.restsOnAbsence = true
    return [finding]
  }

  private static let lowResources = Rule(
    "link-peer-low-resources", .warning, .meaning, "The peer ended the link for lack of resources",
    when: "the reason is Remote Device Terminated Connection due to Low Resources (0x14)",
    needs: [.events, .end],
    do:
      "Free links or memory on the peer: disconnect other devices, restart it; in firmware raise the number of connections or buffers."
  ) { history, _ in ended(history, .remoteLowResources, "for lack of resources") }

  private static let powerOff = Rule(
    "link-power-off", .note, .meaning, "The peer ended the link because it is switched off",
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
    "link-reset", .note, .meaning, "The controller was reset while a link was open",
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
        "Bluetooth was switched off, or the host's software was restarted. The peer notices only after its supervision timeout.",
      evidence: [ended.packet])
    finding.group = "The controller was reset, or switched off, with the link open"
    return [finding]
  }

  private static let hostStalled = Rule(
    whole: "host-stalled", .error, .meaning,
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
        dead),
      stalled.count >= 2 ? .likely : .possible,
      evidence: PacketSet(stalled.prefix(8).flatMap { [$0.1.packet, $0.2.packet] }),
      on: stalled.map(\.0.id))
    if stalled.count == 1 { finding.severity = .warning }
    finding.evidence.insert(left?.moment.packet)
    return [finding]
  }

  // MARK: The peer that leaves

  /// Shorter times are not intended: they are the time that the requests took.
  private static let leastStay: Int64 = 1_000_000_000

  private static let peerLeavesAtRequest = Rule(
    whole: "link-peer-leaves-at-request", .warning, .meaning,
    "The peer ends its connections when it receives a certain request",
    when:
      "two or more connections of one device were ended by the peer within a second after the same request, which is unanswered and the last that this host sent; a write, or if the capture has no data of the peer, only if it is the only one",
    needs: [.sentData, .events, .opening, .end],
    do:
      "Connect without this request, to find out whether the peer then stays: if it is Exchange MTU Request, do not call requestMtu() on Android or esp_ble_gattc_send_mtu_req() on ESP-IDF. The peer's firmware has to answer each request, if only with an Error Response: update it."
  ) { evidence in
    devices(evidence.connections) { evidence.fatalRequest(of: $0) != nil }.flatMap { left in
      let asked = left.compactMap { history in
        evidence.fatalRequest(of: history).map { (history: history, request: $0) }
      }
      return Dictionary(grouping: asked) { $0.request.words.text }.values.sorted {
        $0[0].history.id < $1[0].history.id
      }.compactMap { group -> Finding? in
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
        return Finding(
          "The peer ended \(group.count) connections when it received \(request.words)",
          headline: "the peer ends the connection when it receives \(request.words)",
          why:
            "Each time \(request.words) was \(group.allSatisfy(\.request.isOnly) ? "the only data that this host sent" : "the last thing that this host sent, and had no answer" as StaticString), and the peer ended the link within \(duration: longest) after it, with \(StatusCode.remoteUserTerminated).\(acknowledged)",
          // Some writes switch a device off.
          group.allSatisfy { $0.request.opcode.isWrite } ? .possible : .likely,
          evidence: PacketSet(
            group.prefix(8).flatMap {
              [$0.request.packet, $0.history.link.ended?.packet].compactMap(\.self)
            }), on: group.map(\.history.id))
      }
    }
  }

  private static let peerLeaves = Rule(
    whole: "link-peer-leaves", .warning, .meaning,
    "The peer ends its connections after a constant time",
    when:
      "two or more connections of one device, each a second or longer, were ended by the peer after times that differ by at most a tenth",
    needs: [.events, .opening, .end], leansOn: [.bothDirections],
    do:
      "The peer waits for something and gives up (pairing, a request, or a login of its own protocol within a fixed time), or it ends idle connections. Compare with what its own app does first."
  ) { evidence in
    devices(evidence.connections) {
      $0.connection.ending == .peer && $0.connection.reason == .remoteUserTerminated
        && ($0.length ?? 0) >= leastStay && !$0.connection.isOpeningMissing
        && !evidence.hasOtherEnd(of: $0)
        // What it waited for, or left at, has its own finding.
        && !$0.link.hasOpenRequest(of: .peer)
    }.compactMap { left in
      // Only if this applies to all connections that the peer ended, not to two of many.
      let spans = left.compactMap(\.length)
      guard let shortest = spans.min(), let longest = spans.max(), spans.count == left.count,
        longest - shortest <= longest / 10,
        !left.allSatisfy({ evidence.fatalRequest(of: $0) != nil })
      else { return nil }
      let wish: (words: Wording, packet: Int?) =
        evidence.lacksData
        ? ("What crossed the links was not recorded.", nil) : left[left.count - 1].lastWish
      let after: Wording =
        "\(duration: shortest)" == ("\(duration: longest)" as Wording)
        ? "\(duration: longest)" : "\(duration: shortest) to \(duration: longest)"
      var finding = Finding(
        "The peer ended \(left.count) connections after \(after)",
        headline: "the peer ends its connections after \(after)",
        why: wish.words, .likely,
        evidence: PacketSet([wish.packet].compactMap(\.self)).union(
          PacketSet(left.prefix(8).compactMap(\.connection.lastPacket))), on: left.map(\.id))
      finding.restsOnAbsence = true
      let pauses = left.compactMap(\.pauseAfterLastValue)
      if pauses.count == left.count, let pause = pauses.max() {
        finding.severity = .note
        finding.certainty = .possible
        finding.why =
          "On each of them the peer sent values and left within \(duration: pause) of the last one: it had probably finished."
        finding.remedy =
          "Nothing, if the values are complete: devices that measure or store something disconnect after sending it."
      }
      return finding
    }
  }

  /// Returns the connections that satisfy a condition, grouped by device; groups have two or more.
  private static func devices(
    _ connections: [ConnectionHistory], _ isMeant: (ConnectionHistory) -> Bool
  ) -> [[ConnectionHistory]] {
    var groups: [[ConnectionHistory]] = []
    var places: [UInt64: Int] = [:]
    for history in connections where history.connection.peer != nil && isMeant(history) {
      if let place = places[history.device] {
        groups[place].append(history)
      } else {
        places[history.device] = groups.count
        groups.append([history])
      }
    }
    return groups.filter { $0.count >= 2 }
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
