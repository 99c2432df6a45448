package import Histories
import Bluetooth
package import Meanings
import Sessions

// Rules about L2CAP channels: requests that are refused (Core, Vol 3, Part A, 4.1 to 4.28).

extension Rule {
  /// The rules about channels.
  static let channels: [Rule] = [
    Symptom(
      "l2cap_service_missing", .error, .meaning, "No service listens for a requested channel",
      when:
        "a connection request is refused because its PSM or SPSM is not supported (result 0x0002)",
      do:
        "Make the side that refused listen before the request, and request the number that its service publishes."
    ).refusedChannels(.service) {
      Reason(
        "Nothing on \($0.side.other.words) listens for \($0.service), or not yet.",
        instead: $0.listeningRemedy)
    },
    Symptom(
      "l2cap_security", .error, .meaning, "A channel requires a higher security level",
      when:
        "a connection request is refused for insufficient authentication (0x0005), a key that is too short (0x0007), insufficient encryption (0x0008), or on BR/EDR for security (0x0003)",
      do:
        "Pair and encrypt the link before requesting the channel. If the link is already encrypted, pair again with MITM protection (passkey entry or numeric comparison) or with a 16-byte key."
    ).refusedChannels(.security) { Reason($0.securityWords) },
    Symptom(
      "l2cap_not_authorized", .error, .meaning, "A channel requires authorization",
      when: "a connection request is refused for insufficient authorization (0x0006)",
      do: "Authorize the device on the side that refused: in its settings, its app or its firmware."
    ).refusedChannels(.authorization) { request in
      "This does not depend on keys: on \(request.side.other.words) the user or a program has to permit it."
    },
    Symptom(
      "l2cap_no_resources", .error, .meaning, "There are no resources for another channel",
      when: "a connection request is refused because no resources are available (0x0004)",
      do:
        "Close channels that are not needed, or raise the limit (Zephyr: CONFIG_BT_L2CAP_TX_BUF_COUNT and the server's own limit); try again later."
    ).refusedChannels(
      .resources,
      elsewise: [
        Alternative("both sides requested the channel at the same time, and one request gave way") {
          refused, _ in !refused.isCrossed
        }
      ]
    ) { "\($0.side.other.capitalized) ran out of channels or memory." },
    Symptom(
      "l2cap_unacceptable_parameters", .error, .fact,
      "A channel is refused because of the requested sizes",
      when:
        "a credit-based connection request is refused for unacceptable (0x000b) or invalid parameters (0x000c)",
      do:
        "Request an MTU and an MPS of at least 23 bytes (64 on enhanced channels), an MPS of at most 65533, and one to five channels at a time."
    ).refusedChannels(.parameters) {
      "It offered \($0.offer.words); the refusal does not show which of them is wrong."
    },
    Symptom(
      "l2cap_some_refused", .warning, .fact, "Only some of the requested channels are opened",
      when: "a Credit Based Connection Response opens fewer channels than were requested",
      do: "Use those that were opened; request fewer at a time."
    ).refusedChannels(.part) {
      "\($0.side.capitalized) requested \($0.count), and \($0.side.other.words) opened \($0.opened)."
    },
    Symptom(
      "l2cap_refused", .error, .fact, "A channel is refused for another reason",
      when:
        "a connection request is refused with another result: an invalid Source CID (0x0009), one that is in use (0x000a), or one that the specification does not define",
      do:
        "Give each channel a Source CID of its own, from 0x0040 to 0x007f on LE, and reuse it only after the channel is closed on both sides."
    ).refusedChannels(.other) {
      "The result is the only reason that \($0.side.other.words) gives."
    },
    Symptom(
      "l2cap_configuration_refused", .error, .fact,
      "The configuration of a BR/EDR channel is refused",
      when: "a Configure Request is refused without an alternative: rejected, or its flow spec is",
      do: "Compare the modes and options that both sides support (Information Response)."
    ).refusedChannels(.configuration) { _ in
      "Nothing can be sent on the channel until both sides agree on a configuration."
    },
    Symptom(
      "l2cap_reconfigure_refused", .warning, .fact,
      "The sizes of an open channel cannot be changed",
      when: "a Credit Based Reconfigure Response has a failing result",
      do:
        "Do not request a smaller MTU than before; reduce the MPS on one channel at a time; list only open channels."
    ).refusedChannels(.reconfiguration) { request in "The channels keep their previous sizes." },
    Symptom(
      "l2cap_command_rejected", .warning, .fact, "A signalling command is rejected",
      when: "Command Reject answers anything but a Connection Parameter Update Request on LE",
      do:
        "Compare the command with what the other side reports as supported (Information Response)."
    ).refusedChannels(.rejected) { Reason($0.rejectionWords, instead: $0.rejectionRemedy) },
    openChannels,
    sizeTooSmall, noCredits,
  ]
}

extension Symptom {
  fileprivate func refusedChannels(
    _ kind: ChannelRequest.Refusal, elsewise: [Alternative<RefusedChannel>] = [],
    _ reason: @escaping @Sendable (ChannelRequest) -> Reason
  ) -> Rule {
    needing(.bothDirections).onConnection(about: RefusedChannel.self, elsewise: elsewise) {
      history, evidence in
      history.channels.refusals.compactMap { request in
        guard request.refusal == kind else { return nil }
        let refused = RefusedChannel(request: request, history: history)
        return (refused, refused.finding(reason(request), evidence))
      }
    }
  }
}

/// A refused request for a channel, and its connection.
private struct RefusedChannel {
  let request: ChannelRequest
  let history: ConnectionHistory

  func finding(_ reason: Reason, _ evidence: Evidence) -> Finding {
    let clause: Wording = "\(request.refusalClause)\(Wording.times(request.times))"
    var finding = Finding(
      "\(clause.capitalized): \(request.resultWords)",
      headline: "\(clause) (\(packet: request.answer?.packet ?? request.asked.packet))",
      why: reason.why, evidence: request.evidence, request.severity, do: reason.instead)
    if !request.isOnLE, request.isConnection { playDown(&finding) }
    if request.refusal == .service { history.takeWrongTransport(&finding, request, evidence) }
    if let opening {
      let packet = opening.answer?.packet ?? 0
      finding.resolve()
      finding.headline = "\(clause) at first, and the channel was opened at \(packet: packet)"
      finding.note = "The channel was opened in \(packet: packet)."
    } else if request.psm == .eatt {
      finding.note = "ATT continues on its fixed channel, one request at a time."
    }
    return finding
  }

  /// Lowers the finding about a refused connection on BR/EDR to a note.
  private func playDown(_ finding: inout Finding) {
    finding.grounds = .fact
    finding.severity = .note
    finding.remedy = ""
    finding.why = request.classicWords
    finding.evidence.insert(request.pending?.packet)
  }

  /// Requests of both sides for one service within this time cross.
  private static let crossing: Int64 = 1_000_000_000

  /// The requests for the same service that opened a channel after the refused one was sent, by
  /// either side.
  var opening: ChannelRequest? {
    guard request.isConnection, let last = request.last else { return nil }
    return history.channels.openings.first {
      $0.psm == request.psm && $0.opened > 0 && $0.answer?.packet ?? 0 > request.asked.packet
        && ($0.side != request.side || $0.asked.packet > last.packet)
    }
  }

  /// Whether the other side requested a channel for the same service at the same time.
  var isCrossed: Bool {
    let channels = history.channels
    return (channels.openings + channels.refusals + channels.open).contains {
      $0.psm == request.psm && $0.side != request.side && $0.isConnection
        && ($0.asked.nanoseconds(since: request.asked)
          ?? request.asked.nanoseconds(since: $0.asked) ?? 0) <= Self.crossing
    }
  }
}

extension ChannelRequest {
  /// The reasons for refusals that rules distinguish.
  fileprivate enum Refusal {
    case service, security, authorization, resources, parameters, part, other
    case configuration, reconfiguration, rejected
  }

  fileprivate var refusal: Refusal {
    if result.set == .l2capReject { return .rejected }
    if opened > 0 { return .part }
    switch (code, result.code) {
    case (.configureRequest, _): return .configuration
    case (.reconfigureRequest, _): return .reconfiguration
    case (_, 2): return .service
    case (_, 4): return .resources
    // The results of BR/EDR.
    case (.connectionRequest, 3), (.createChannelRequest, 3): return .security
    case (.leConnectionRequest, 5), (.enhancedConnectionRequest, 5): return .security
    case (.leConnectionRequest, 6), (.enhancedConnectionRequest, 6): return .authorization
    case (.leConnectionRequest, 7...8), (.enhancedConnectionRequest, 7...8): return .security
    case (.leConnectionRequest, 11...12), (.enhancedConnectionRequest, 11...12): return .parameters
    default: return .other
    }
  }

  /// The severity, if it differs from the rule's.
  fileprivate var severity: Severity? {
    // ATT has another channel.
    if psm == .eatt { return .warning }
    guard refusal == .rejected else { return nil }
    if isConnection { return .error }
    switch code {
    case .informationRequest, .echoRequest: return .note
    default: return code.name == nil ? .note : nil
    }
  }

  /// What happened: `the peer refused a channel for SPSM 0x0081`.
  package var refusalClause: Wording {
    let who = side.other.words
    switch refusal {
    case .part: return "\(who) opened \(opened) of \(count) channels for \(service)"
    case .configuration: return "\(who) refused the configuration of \(channels)"
    case .reconfiguration: return "\(who) refused new sizes for \(channels)"
    case .rejected: return "\(who) rejected \(name)"
    case .service, .security, .authorization, .resources, .parameters, .other:
      return isConnection ? "\(who) refused \(channels)" : "\(who) refused \(name)"
    }
  }

  /// The command's name, and the transport if it does not belong there.
  private var name: Wording {
    guard let name = code.name else {
      return "a command with the code \(code: code.rawValue, digits: 2)"
    }
    let link: StaticString =
      isOnWrongTransport || isOfCreditsOnBREDR ? isOnLE ? " on LE" : " on BR/EDR" : ""
    return "\(name)\(link)"
  }

  /// Whether it concerns credit-based channels on BR/EDR.
  private var isOfCreditsOnBREDR: Bool { !isOnLE && 0x16...0x1a ~= code.rawValue }

  /// The meaning of a Command Reject.
  fileprivate var rejectionWords: Wording {
    if isOnWrongTransport {
      return
        "\(side.capitalized) sent a command that L2CAP defines only for \(isOnLE ? "BR/EDR" : "LE" as StaticString), and \(side.other.words) has to reject it."
    }
    if isOfCreditsOnBREDR, result.code == 0 {
      let channel: Wording = psm.map { " The channel is one for \($0)." } ?? ""
      return
        "\(side.capitalized) sent a command for credit-based channels. L2CAP has these on LE, and on BR/EDR only since version 5.2 and if both sides support them; other channels of BR/EDR have no credits.\(channel)"
    }
    switch result.code {
    case 0:
      let what: StaticString = isConnection ? "support channels of this type" : "know the command"
      return "\(side.other.capitalized) does not \(what)."
    case 1: return "The command is longer than \(side.other.words) accepts."
    case 2: return "The command names a channel that \(side.other.words) does not have."
    default: return "The reason is the only explanation that \(side.other.words) gives."
    }
  }

  /// How to fix a channel that the other side does not listen for. On LE, SPSMs up to 0x007f are
  /// assigned numbers; those from 0x0080 to 0x00ff are assigned by the device (Core, Vol 3, Part A,
  /// 4.22).
  fileprivate var listeningRemedy: Wording {
    let who = side.other.words
    if code == .connectionRequest || code == .createChannelRequest {
      return
        "Make \(who) listen before the request (a socket on BlueZ, bt_l2cap_server_register on Zephyr), and request the PSM in the service's SDP record."
    }
    let number: Wording =
      psm.map { (0x80...0xff).contains($0.rawValue) } ?? false
      ? " SPSMs from 0x0080 to 0x00ff are assigned dynamically and may change: use the number that the service publishes."
      : ""
    return
      "Make \(who) listen before the request: a socket on BlueZ, listenUsingL2capChannel on Android, publishL2CAPChannel on iOS, bt_l2cap_server_register on Zephyr.\(number)"
  }

  /// How to fix a command that is rejected for this reason (Core, Vol 3, Part A, 4.1).
  fileprivate var rejectionRemedy: Wording? {
    let (asker, who) = (side.words, side.other.words)
    if isOnWrongTransport || isOfCreditsOnBREDR && result.code == 0 {
      return
        "Fix the L2CAP implementation of \(asker): it has to distinguish the transport of each link, and send credits only on channels that were opened with a credit-based request."
    }
    switch result.code {
    case 0 where code.name == nil:
      return
        "Find out why \(asker) sends a code that the specification does not define; \(who) has to reject it."
    case 0 where isConnection:
      return "Do not use such a channel, or use a newer Bluetooth stack on \(who)."
    case 0:
      return "Nothing to do if \(asker) works without it: \(who) may be older than the command."
    case 1: return "Send fewer and shorter signalling commands in one packet."
    case 2:
      return
        "Check \(asker): the channel was already closed or never open, or the two sides disagree about channels."
    default: return nil
    }
  }

  /// How the link was protected when a request was refused for lack of security.
  fileprivate var securityWords: Wording {
    let who = side.other.words
    return switch isEncrypted {
    case false?: "The link was not encrypted, and \(who) requires encryption for \(service)."
    case true?:
      result.code == 7
        ? "The link was encrypted, but with a shorter key than \(who) requires for \(service)."
        : "The link was encrypted, but \(who) requires a stronger key for \(service)."
    case nil: "\(side.other.capitalized) requires a higher security level for \(service)."
    }
  }

  /// What is known of a refusal on BR/EDR. A pending response with status 2 means that a program or
  /// its user decides, not the link's key (Core, Vol 3, Part A, 4.3).
  fileprivate var classicWords: Wording {
    let encrypted: Wording =
      isEncrypted.map { "The link was \($0 ? "" : "not " as StaticString)encrypted." } ?? ""
    let before: Wording =
      switch (pendingStatus, pending) {
      case (1, let pending?):
        "It had reported that authentication was pending (\(packet: pending.packet))."
      case (2, let pending?):
        "It had reported that authorization was pending (\(packet: pending.packet)): its user or a program refused, and the link's key was not the reason."
      default: ""
      }
    return Wording(
      sentences: "\(side.other.capitalized) gave no other reason than this result.", before,
      encrypted)
  }
}

extension Rule {
  /// The least MTU and MPS, of LE and of enhanced channels (Core, Vol 3, Part A, 4.22 to 4.26).
  private static let leastSize: UInt16 = 23
  private static let leastEnhancedSize: UInt16 = 64

  /// A channel that was opened although a side accepts too little on it.
  private static let sizeTooSmall = Symptom(
    "l2cap_size_too_small", .warning, .fact,
    "A channel is opened with an MTU or MPS that is too small",
    when:
      "a credit-based channel is opened, and a side accepts SDUs or frames of fewer than 23 bytes (64 on enhanced channels); an error if that is 0",
    do:
      "Fix the side that gave the value: it has to accept at least 23 bytes (64 on enhanced channels). Look for a buffer pool or a setting that is 0. The other side should refuse or close such a channel."
  ).needing(.bothDirections).onConnection { history, _ in
    history.channels.openings.flatMap { request in
      let isLE = request.code == .leConnectionRequest
      guard isLE || request.code == .enhancedConnectionRequest else { return [Finding]() }
      let least = isLE ? leastSize : leastEnhancedSize
      return [(request.side, request.offer), (request.side.other, request.answered)].compactMap {
        side, capacity in
        let sizes: [(name: StaticString, value: UInt16)] = [
          ("MTU", capacity.mtu ?? .max), ("MPS", capacity.mps ?? .max),
        ]
        let small = sizes.filter { $0.value < least }
        guard let first = small.first else { return nil }
        let words = Wording(listing: small.map { "\($0.name) of \($0.value)" })
        let isZero = small.contains { $0.value == 0 }
        let packet = side == request.side ? request.asked.packet : request.answer?.packet ?? 0
        return Finding(
          "\(side.capitalized) opened a channel for \(request.service) with an \(words); the least is \(least)",
          headline:
            "\(side.words) opened a channel for \(request.service) with an \(first.name) of \(first.value) (\(packet: packet))",
          why: isZero
            ? "\(side.other.capitalized) cannot send anything there: \(side.words) accepts no byte in \(capacity.mps == 0 ? "a frame" : "an SDU" as StaticString)."
            : "\(side.capitalized) must accept at least \(least) bytes; some hosts refuse such a channel, others send frames that are too long for it.",
          evidence: request.evidence, isZero ? .error : nil)
      }
    }
  }

  /// The time after which credits do not come any more: receivers give them when they have read a
  /// frame.
  private static let leastStarvation: Int64 = 5_000_000_000

  /// A channel on which the receiver gives no more credits.
  private static let noCredits = Symptom(
    "l2cap_no_credits", .warning, .meaning, "A channel stops because its receiver gives no credits",
    when:
      "the last credit of a credit-based channel is used, and no Flow Control Credit follows for 5 s on an open link; an error if an SDU is incomplete",
    do:
      "Make the receiver give a credit for each frame that it has processed: look for an application that does not read, a buffer that is not released, or a callback that blocks (Zephyr: bt_l2cap_chan_recv_complete(), NimBLE: ble_l2cap_recv_ready() with a new buffer)."
  ).needing([.bothDirections, .events]).onConnection(
    about: ChannelHistory.Starvation.self,
    elsewise: [
      Alternative("nothing more was to be sent") { starved, _ in starved.isInSDU },
      Alternative(always: "the receiving program pauses on purpose"),
    ]
  ) { history, evidence in
    let connection = history.connection
    guard !connection.hasLostPackets, !connection.isDataCut else { return [] }
    let end: Moment
    switch connection.ending {
    case nil: end = Moment(packet: evidence.extent.lastPacket, time: evidence.extent.latest)
    case .localHost?, .peer?:
      guard let ended = history.link.disconnect ?? history.link.ended else { return [] }
      end = ended
    // The other side may have been out of range.
    default: return []
    }
    return history.channels.starved.compactMap { starved in
      let last = starved.closed ?? end
      guard let waited = last.nanoseconds(since: starved.since), waited >= leastStarvation else {
        return nil
      }
      return (starved, history.starvation(starved, waited, until: last))
    }
  }
}

extension ConnectionHistory {
  fileprivate func starvation(
    _ starved: ChannelHistory.Starvation, _ waited: Int64, until last: Moment
  ) -> Finding {
    let receiver = starved.sender.other.words
    let service: Wording = starved.psm.map { " for \($0)" } ?? ""
    let before: Wording =
      starved.granted.map {
        " The last ones were \(count: $0.credits, "credit", "credits") in \(packet: $0.moment.packet)."
      } ?? " It gave none since the channel was opened."
    let until: Wording =
      starved.closed != nil
      ? "until the channel was closed"
      : connection.ending == nil ? "to the end of the capture" : untilItsEnd
    let rest: Wording =
      starved.isInSDU
      ? " The SDU is incomplete: \(starved.sender.words) has more to send, and must not."
      : " Whatever \(starved.sender.words) sends next has to wait."
    return Finding(
      "\(starved.sender.other.capitalized) gave no more credits on the channel\(service)",
      headline:
        "\(receiver) gave no more credits on the channel\(service) after \(packet: starved.since.packet)",
      why:
        "\(packet: starved.since.packet) used the last credit. For \(duration: waited), \(until), \(receiver) gave no other.\(before)\(rest)",
      evidence: PacketSet(of: starved.granted?.moment, starved.since, last),
      starved.isInSDU ? .error : nil, restsOnAbsence: true)
  }

  /// Explains a request for ATT over BR/EDR to a host that advertises that it has no BR/EDR.
  fileprivate func takeWrongTransport(
    _ finding: inout Finding, _ request: ChannelRequest, _ evidence: Evidence
  ) {
    guard request.psm == .att, !request.isOnLE, request.side == .peer,
      connection.transport == .brEDR,
      let adapter = evidence.adapters.first(where: { $0.index == connection.adapter }),
      let own = adapter.sets.leOnly, own.packet < request.asked.packet
    else { return }
    finding.grounds = .meaning
    finding.severity = .warning
    finding.headline =
      "the peer asked for ATT over BR/EDR (\(packet: request.asked.packet)), but this host offers it on LE"
    finding.groupHeadline = "the peer asked for ATT over BR/EDR, but this host offers it on LE"
    finding.why =
      "This host advertises on LE with the flag BR/EDR Not Supported (\(packet: own.packet)), yet it accepted a BR/EDR connection, and the peer asked for ATT there. Nothing on this host listens for ATT on BR/EDR."
    finding.lead(with: own.packet)
    finding.remedy =
      "Make the peer connect over LE: on Android connectGatt(context, false, callback, TRANSPORT_LE), and remove this host from the peer's Bluetooth settings first. Or switch BR/EDR off on this host while it is an LE peripheral (btmgmt bredr off, or ControllerMode = le in BlueZ's main.conf)."
  }
}

extension ChannelRequest {
  /// The service of the channels: `SPSM 0x0081`, `EATT (0x0027)`.
  package var service: Wording { psm.map { "\($0)" } ?? "an unknown service" }

  /// The channels: `a channel for SPSM 0x0081`, `2 channels for EATT (0x0027)`.
  package var channels: Wording { channels(count) }

  package func channels(_ count: Int) -> Wording {
    count == 1 ? "a channel for \(service)" : "\(count) channels for \(service)"
  }

  /// The result in the response: `Connection refused, SPSM not supported (0x0002)`.
  package var resultWords: Wording { "\(error: result.code, of: result.set)" }
}

extension ChannelRequest.Capacity {
  /// In words: `MTU 120, MPS 60, 3 credits`; empty if nothing is known.
  package var words: Wording {
    Wording(
      [
        mtu.map { "MTU \($0)" }, mps.map { "MPS \($0)" },
        credits.map { "\(count: Int($0), "credit", "credits")" },
      ].compactMap(\.self), joinedBy: ", ")
  }
}
