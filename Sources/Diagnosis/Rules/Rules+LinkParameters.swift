import Histories
import Bluetooth
import Dissectors
import Meanings
import Sessions

// Rules about link parameters: interval, latency, supervision timeout.

extension Rule {
  static let linkParameters: [Rule] = [
    impossible, impossibleAttempt, unansweredParameters, refusedParameters, neverApplied,
    longInterval, shortPackets, onePerInterval,
  ]

  private static let remedyForImpossible: Wording =
    "Choose a supervision timeout above 2 × (1 + latency) × maximum interval, preferably six times that, within 100 ms to 32 s; intervals from 7.5 ms to 4 s. Apple's rules for accessories are stricter: interval at least 15 ms, latency at most 30, timeout 6 s (2 to 6 s in older releases, 6 to 18 s in newer ones)."

  private static let impossible = Symptom(
    "link_parameters_impossible", .warning, .meaning, "Connection parameters are invalid",
    when:
      "parameters that are requested or in force are out of range, or their supervision timeout is too short for interval and latency",
    do: remedyForImpossible
  ).onConnection { history, _ in
    var findings: [Finding] = []
    let link = history.link
    if let wanted = link.parameters.map({ WantedParameters($0) }), let opened = link.opened,
      wanted.fault != nil
    {
      findings.append(
        Finding(
          "The link was opened with invalid parameters", why: wanted.faultWords,
          evidence: [opened.packet]))
    }
    for update in link.updates {
      guard let wanted = update.wanted, wanted.fault != nil else { continue }
      let outcome: Wording =
        update.isRefused
        ? " They were refused." : update.completed == nil ? "" : " They were accepted."
      findings.append(
        Finding(
          "\(update.side.capitalized) requested invalid parameters",
          headline: "\(update.side.words) requested invalid connection parameters",
          why: "\(wanted.faultWords)\(outcome)", evidence: update.evidence))
    }
    // A link that was lost while such parameters were in force was lost because of them.
    if history.connection.ending == .timeout, let current = link.current,
      WantedParameters(current).fault != nil
    {
      for index in findings.indices { findings[index].severity = .error }
    }
    return findings
  }

  private static let impossibleAttempt = Symptom(
    "connect_parameters_impossible", .warning, .meaning,
    "A connection attempt requests invalid parameters",
    when:
      "LE Create Connection has a supervision timeout that is too short for interval and latency, or values out of range",
    do: remedyForImpossible
  ).needing([.commands]).inCapture { evidence in
    evidence.adapters.flatMap(\.attempts.kept).compactMap { attempt in
      guard let wanted = attempt.wanted, wanted.fault != nil else { return nil }
      return Finding(
        "The connection was requested with invalid parameters",
        headline: "a connection was requested with invalid parameters",
        why: wanted.faultWords, evidence: attempt.evidence)
    }
  }

  /// What a refusal of parameters led to.
  private enum Refusal: Sendable {
    case kept
    /// The side that wanted them left.
    case left
    /// The peer left with Unacceptable Connection Parameters.
    case reason(ConnectionHistory)
  }

  private static let refusedParameters = Symptom(
    "link_parameters_refused", .warning, .meaning,
    "A change of the connection parameters was refused",
    when:
      "a Connection Parameter Update Response, a negative reply or LE Connection Update Complete refuses the change, and no later change was accepted; or the peer ends the link with Unacceptable Connection Parameters (0x3b)",
    do: "Wait a few seconds after connecting, and stay connected without the change."
  ).onConnection(
    about: Refusal.self,
    elsewise: [
      Alternative("a timer of the peer's program ended the link, and gave this reason") {
        refusal, evidence in
        guard case .reason(let history) = refusal else { return true }
        // A peer that insists on its parameters asks for them first.
        let (alike, survivor) = evidence.siblings(of: history)
        return history.link.updates.contains { $0.side == .peer && $0.isRefused }
          && alike.isEmpty && survivor == nil
      }
    ]
  ) { history, evidence -> [(Refusal, Finding)] in
    let change = refusedChange(history, evidence).map {
      ($0.severity == .error ? Refusal.left : .kept, $0)
    }
    // If a timer ended it, the rule about peers that leave reports it.
    let leave = evidence.leavesByTimer(history) ? nil : leftOverParameters(history)
    return [change, leave.map { (.reason(history), $0) }].compactMap(\.self)
  }

  private static func refusedChange(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> Finding? {
    let link = history.link
    let refused = link.updates.filter { $0.isRefused && $0.status?.isProcedureTrouble != true }
    guard let first = refused.first, let last = refused.last else { return nil }
    let later = link.updates.first {
      $0.status == .success && $0.lastPacket > last.lastPacket && $0.grants(last.wanted)
    }
    let who = history.refuser(of: first)
    let reason: Wording = (first.status ?? first.refusal).map { ": \($0)" } ?? ""
    let times: Wording =
      refused.count == 1 ? "" : " \(refused.count, isLeast: link.omittedUpdates > 0) times"
    let asked: Wording =
      first.wanted.map { "\(first.side.capitalized) requested \($0.words)." } ?? ""
    let kept: Wording = link.current.map { " The link kept \($0.words)." } ?? ""
    var finding = Finding(
      "\(who.capitalized) refused new connection parameters\(times)\(reason)",
      headline: "\(who) refused new connection parameters",
      why: later == nil ? "\(asked)\(kept)" : asked,
      evidence: refused.prefix(8).packets(\.evidence), grounds: .fact,
      do: evidence.wayToParameters(history, first))
    if let later {
      finding.resolve()
      let got: Wording = later.result.map { ": \($0.words)" } ?? ""
      finding.why = "\(asked) A later change was made (\(packet: later.lastPacket))\(got)."
    } else if let end = history.end(overParameters: last) {
      finding.grounds = .sequence
      finding.severity = .error
      finding.headline =
        "\(last.side.words) ended connection \(history.id) (\(packet: end.packet)) after \(who) had refused its connection parameters\(times)"
      finding.add(
        "\(last.side.capitalized) then disconnected (\(packet: end.packet)), \(duration: end.passed) after the last refusal.",
        end.packet)
    }
    return finding
  }

  /// Returns a finding about a peer that left with Unacceptable Connection Parameters.
  private static func leftOverParameters(_ history: ConnectionHistory) -> Finding? {
    guard history.leavesOverParameters, let ended = history.link.ended else { return nil }
    let link = history.link
    return Finding(
      "The peer disconnected because of the connection parameters",
      headline: "the peer ended connection \(history.id) because of its parameters",
      why:
        "It gave \(StatusCode(rawValue: 0x3b)) as its reason\(history.length.map { ", \(duration: $0) after the link was opened" } ?? "").\(link.current.map { " The parameters in force were \($0.words)." } ?? "")",
      evidence: PacketSet(of: link.updates.last?.lastPacket, ended.packet), .error,
      do: history.connection.central == .peer
        ? "The peer chooses the parameters: look in its program for what it expects, and at the parameters that this host requested or reports in its preferred parameters (2a04)."
        : "This host chooses the parameters: use those that the peer requests, or its preferred ones (2a04). A peer that needs others has to request them (Connection Parameter Update Request) instead of leaving."
    )
  }

  private static let unansweredParameters = Symptom(
    "link_parameters_unanswered", .warning, .meaning,
    "A connection parameter update request is never answered",
    when:
      "a Connection Parameter Update Request has no response for 30 s or until the other side ends the link 5 s later or more, and the parameters do not change; an error if the requesting side ends the link",
    do:
      "The central's host has to answer this request and to carry it out with LE Connection Update: check its L2CAP, or the callback that decides. A peripheral that insists on its parameters should stay connected without them."
  ).needing([.bothDirections, .events, .end]).onConnection(
    about: Bool.self,
    elsewise: [
      Alternative(always: "the unanswered request had no consequence"),
      Alternative("the answer comes after this capture") { hasLeft, _ in hasLeft },
    ]
  ) { history, _ -> [(Bool, Finding)] in
    let link = history.link
    let open = link.updates.filter { update in
      update.procedure == .signalling && update.answered == nil && update.command == nil
        && update.completed == nil
        && !link.updates.contains { $0.lastPacket > update.asked.packet && $0.result != nil }
    }
    guard let first = open.first, !history.connection.hasLostPackets else { return [] }
    // If the end of a link is not in the capture, the link was open as long as it was used.
    guard let end = link.ended ?? link.latest else { return [] }
    let left: Connection.Ending = first.side == .peer ? .peer : .localHost
    let hasLeft = history.connection.ending == left
    guard let waited = end.nanoseconds(since: first.asked),
      waited >= (hasLeft ? 5_000_000_000 : 30_000_000_000)
    else { return [] }
    let packets = PacketSet(open.prefix(8).map(\.asked.packet) + [hasLeft ? end.packet : 0])
    return [(hasLeft, unanswered(first, packets, history, hasLeft ? (end, waited) : nil))]
  }

  /// - Parameter leave: the end of the link if the side that asked ended it, and the time from the
  ///   request to that.
  private static func unanswered(
    _ first: ParameterUpdate, _ packets: PacketSet, _ history: ConnectionHistory,
    _ leave: (end: Moment, waited: Int64)?
  ) -> Finding {
    let (asker, other) = (first.side.words, first.side.other.words)
    let asked: Wording = first.wanted.map { " for \($0.words)" } ?? ""
    let then: Wording =
      leave.map {
        " \(first.side.capitalized) ended the link \(duration: $0.waited) later (\(packet: $0.end.packet))."
      } ?? ""
    var finding = Finding(
      "\(first.side.other.capitalized) never answered the connection parameter update request",
      headline: leave != nil
        ? "\(asker) ended connection \(history.id), and \(other) had not answered its connection parameter update request (\(packet: first.asked.packet))"
        : "\(other) never answered the connection parameter update request (\(packet: first.asked.packet))",
      why:
        "\(first.side.capitalized) sent a request\(asked) (\(packet: first.asked.packet)), but neither a response nor a change followed.\(then)",
      evidence: packets, leave != nil ? .error : nil, restsOnAbsence: true,
      group: "\(other) never answered the connection parameter update request")
    if leave != nil {
      finding.groupHeadline =
        "\(asker) disconnected, and \(other) had not answered its connection parameter update request"
    }
    return finding
  }

  private static let leastPaced = 8

  private static let longInterval = Symptom(
    "link_interval_long", .warning, .meaning, "The connection interval is too long for the traffic",
    when:
      "eight packets or more are sent as soon as the previous one is acknowledged, at a connection interval of 400 ms or more",
    do:
      "Request a shorter interval while there is data to send: 15 to 30 ms for transfers. A peripheral that requests a range should not leave the longest interval to the central (20 to 1000 ms may become 1000 ms)."
  ).with(.ofHost).needing([.events, .sentData]).onConnection(elsewise: [
    Alternative(always: "the program sends at that pace by itself")
  ]) { history, _ in
    let paced = history.link.paced
    guard paced.count >= leastPaced, let first = paced.first, let last = paced.last,
      let current = history.link.current, current.interval >= LinkHistory.longInterval
    else { return [] }
    let update = history.link.updates.last {
      $0.result?.interval == current.interval && $0.lastPacket < first.packet
    }
    let origin: Wording =
      update.map { update in
        update.wanted.map {
          "\(update.side.capitalized) had requested \($0.words) (\(packet: update.asked.packet)), and the central chose \(interval: current.interval) (\(packet: update.lastPacket))."
        } ?? "It has been in force since \(packet: update.lastPacket)."
      } ?? ""
    let rate: Wording =
      last.nanoseconds(since: first).map { " \(paced.count) packets took \(duration: $0)." } ?? ""
    let finding = Finding(
      "The connection interval of \(interval: current.interval) slows down the traffic",
      headline:
        "the connection interval of \(interval: current.interval) slows down connection \(history.id)",
      why: Wording(
        sentences:
          "This host sent each packet as soon as the previous one was acknowledged (from \(packet: first.packet) to \(packet: last.packet)).\(rate)",
        origin), evidence: PacketSet(of: update?.lastPacket, first.packet, last.packet),
      group: "The connection interval slows down the traffic")
    return [finding]
  }

  /// A central carries out a change six events after it is announced, a few seconds later at most.
  private static let longestChange: Int64 = 5_000_000_000

  private static let neverApplied = Symptom(
    "link_parameters_never_applied", .warning, .meaning,
    "Connection parameters were accepted but never applied",
    when:
      "a change was accepted, no LE Connection Update Complete followed in the five seconds that the link stayed open, and the parameters in force are not those requested",
    do:
      "The central's host has to send LE Connection Update itself after it has accepted: check there. A peripheral can repeat its request after a few seconds."
  ).needing([.commands, .events]).onConnection(
    elsewise: [
      Alternative("this host's controller does not report such changes") { history, evidence in
        evidence.connections.contains { other in
          other.connection.adapter == history.connection.adapter
            && other.link.updates.contains { $0.result != nil }
        }
      }
    ]
  ) { history, evidence in
    guard !history.connection.hasLostPackets else { return [] }
    // A link that was lost was dead since the peer's last sign.
    let end =
      history.connection.ending == .timeout
      ? history.link.lastSign?.time : history.link.ended.map(\.time) ?? evidence.extent.latest
    return history.link.updates.compactMap { update in
      // Changes that the controllers negotiate are carried out by the controllers.
      guard update.completed == nil, update.procedure != .linkLayer,
        update.isGranted == true || update.procedure == .command,
        let granted = update.answered ?? update.command ?? Optional(update.asked), let last = end,
        Moment(packet: .max, time: last).nanoseconds(since: granted) ?? 0 > longestChange,
        !(update.wanted.map { wanted in update.before.map { wanted.allow($0) } ?? false } ?? false),
        !history.link.updates.contains(where: {
          $0.asked.packet > update.asked.packet && $0.result != nil
        })
      else { return nil }
      return neverApplied(update)
    }
  }

  private static func neverApplied(_ update: ParameterUpdate) -> Finding {
    let asked: Wording = update.wanted.map { ": \($0.words)" } ?? ""
    return Finding(
      update.procedure == .command
        ? "A change of the connection parameters was never reported"
        : "\(update.side.other.capitalized) accepted new connection parameters but did not apply them",
      headline: "accepted connection parameters were never applied",
      why: update.procedure == .command
        ? "This host's LE Connection Update (\(packet: update.asked.packet)) was accepted, but no LE Connection Update Complete followed\(asked)."
        : update.command == nil && update.side == .peer
          ? "This host accepted the peer's request\(asked), but never sent LE Connection Update."
          : "No LE Connection Update Complete followed\(asked).", evidence: update.evidence,
      restsOnAbsence: true)
  }
}

extension Rule {
  fileprivate static let mostPackets = 50
  private static let mostBytes = 5_000

  private static let shortPackets = Symptom(
    "link_data_length_time", .warning, .meaning, "The packets are shorter than the data length",
    when:
      "the last LE Data Length Change allows so little time for a packet that it holds at most half of the bytes on the PHY in force; a note unless 50 or more packets with longer data crossed the link",
    do:
      "Allow the time as well as the bytes, on the side that has the limit: 2120 µs for 251 bytes on LE 1M (TX_Time of LE Set Data Length, or of LE Write Suggested Default Data Length before connecting). If this host's side allows it already, only newer firmware of the peer's controller, or the LE 2M PHY, helps."
  ).with(.ofHost).needing([.events, .opening]).onConnection { history, evidence in
    [Side.local, .peer].compactMap { history.shortPackets(from: $0, evidence) }
  }

  private static let onePerInterval = Symptom(
    "link_one_packet_per_interval", .warning, .fact,
    "A transfer has one packet per connection interval",
    when:
      "the controller completed 50 packets, or 5 kB, one at a time and a connection interval or more apart, although two or more were waiting and would fit into an interval",
    do:
      "Find out which controller ends the connection events: this host's (its event length, Min_CE_Length and Max_CE_Length of LE Connection Update, other links and scans at the same time) or the peer's (its event length, its receive buffers). A shorter interval helps as long as neither changes."
  ).with(.ofHost).needing([.events, .sentData, .opening]).onConnection { history, _ in
    let link = history.link
    guard let slow = link.slowTransfer, let first = slow.completions.first,
      let last = slow.completions.last,
      slow.completions.count >= mostPackets || slow.bytes >= mostBytes,
      slow.others * 10 <= slow.completions.count, slow.time > 0
    else { return [] }
    let change = link.phys.last { $0.moment.packet < first.packet }
    let phy = change?.sent ?? 1
    let length = link.lengths.last { $0.moment.packet < first.packet }?.sent ?? .initial
    let air = AirTime.exchange(
      of: slow.largest, onPHY: phy, answer: change?.received ?? 1,
      isEncrypted: history.connection.isEncrypted != false)
    let interval = Int(slow.interval) * 1250
    // A longer packet is several of the Link Layer.
    guard slow.largest <= Int(length.effective(onPHY: phy)), air * 3 <= interval else { return [] }
    let rate = Int64(slow.bytes) &* 1_000_000 / max(slow.time / 1000, 1)
    let finding = Finding(
      "One packet per connection interval: \(rate) bytes per second",
      headline:
        "connection \(history.id) carries one packet per connection interval of \(interval: slow.interval): \(rate) bytes per second",
      why:
        "From \(packet: first.packet) to \(packet: last.packet) the controller completed \(slow.completions.count) packets of up to \(slow.largest) bytes one at a time, an interval of \(interval: slow.interval) or more apart, although more were waiting: \(rate) bytes per second. On \(phy: phy) such a packet and its answer take \(air) µs, so \(interval / air) have room in an interval. HCI does not show which of the two controllers ends the connection events.",
      evidence: PacketSet(first.packet...last.packet), group: "One packet per connection interval")
    return [finding]
  }
}

extension ConnectionHistory {
  /// Returns a finding about the packets of a side for which the agreed time is too short.
  fileprivate func shortPackets(from side: Side, _ evidence: Evidence) -> Finding? {
    guard let change = link.lengths.last else { return nil }
    let isOwn = side == .local
    let length = isOwn ? change.sent : change.received
    let phy = link.phys.last.map { isOwn ? $0.sent : $0.received } ?? 1
    let held = length.effective(onPHY: phy)
    guard Int(held) * 2 <= Int(length.octets) else { return nil }
    let suggested =
      isOwn ? evidence.adapters.first { $0.index == connection.adapter }?.suggestedLength : nil
    let own: Wording =
      suggested.map {
        " This host's default for sending is \($0.length.octets) bytes in \($0.length.time) µs (\(packet: $0.moment.packet)); the smaller of that and of what the peer's controller receives counts."
      } ?? ""
    let isHarmless =
      (isOwn ? link.sent : link.heard) < Rule.mostPackets
      || (isOwn ? link.largest.sent : link.largest.heard) <= Int(held)
    return Finding(
      "The packets that \(side.words) sends have at most \(held) bytes, although \(length.octets) were agreed on",
      headline:
        "the packets that \(side.words) sends on connection \(id) have at most \(held) bytes: the agreed time of \(length.time) µs holds no more",
      why:
        "LE Data Length Change allows \(length.octets) bytes and \(length.time) µs for a packet (\(packet: change.moment.packet)). The smaller limit counts: on \(phy: phy) \(length.time) µs hold \(held) bytes.\(own)",
      evidence: PacketSet(
        of: suggested?.moment, link.phys.last?.moment, change.moment
      ).sorted, isHarmless ? .note : nil)
  }

  /// Whether the peer ended the link with Unacceptable Connection Parameters.
  var leavesOverParameters: Bool {
    connection.reason == .unacceptableConnectionParameters && connection.ending == .peer
  }

  /// Returns who refused a change: the other host, this host's controller if its Command Status
  /// did, or the peer's controller if the change failed later.
  fileprivate func refuser(of update: ParameterUpdate) -> Wording {
    if update.isGranted == false { return "\(update.side.other.words)" }
    if update.procedure == .unasked || update.procedure == .linkLayer {
      return "one of the controllers"
    }
    return update.isRefusedAtOnce ? "this host's controller" : "the peer's controller"
  }

  /// The longest wait of a peripheral for its parameters (Core, Vol 3, Part C, 9.3.12.2: 30 s).
  private static let patienceOfPeripherals: Int64 = 31_000_000_000

  /// Returns when the side that requested parameters disconnected after they were refused, or nil
  /// if it did not, or the link was used for something else in between.
  fileprivate func end(
    overParameters refused: ParameterUpdate
  ) -> (packet: Int, passed: Int64)? {
    guard connection.ending == (refused.side == .peer ? .peer : .localHost), let ended = link.ended,
      let answered = refused.answered ?? refused.completed,
      let passed = ended.nanoseconds(since: answered), passed <= Self.patienceOfPeripherals,
      attributes.lastUse.map({ $0.packet < answered.packet }) ?? true
    else { return nil }
    return (ended.packet, passed)
  }

  /// Returns whether the central is known to be Apple's, and whether it is known to run Linux.
  fileprivate func central(_ evidence: Evidence) -> (isApple: Bool, isLinux: Bool) {
    guard connection.central == .local else { return (link.peerCompany == 0x004c, false) }
    return (evidence.extent.isOfPacketLogger, evidence.extent.isOfLinux)
  }
}

extension LinkHistory {
  /// Returns whether the link had these parameters for longer than this time without a change.
  fileprivate func had(_ parameters: LinkParameters, longerThan time: Int64) -> Bool {
    var since = opened
    for update in updates where update.result != nil {
      if update.before == parameters, let since,
        update.completed?.nanoseconds(since: since) ?? 0 > time
      {
        return true
      }
      since = update.completed
    }
    return current == parameters && since.flatMap { ended?.nanoseconds(since: $0) } ?? 0 > time
  }
}

extension ParameterUpdate {
  /// Returns whether its result is what was requested before.
  fileprivate func grants(_ wanted: WantedParameters?) -> Bool {
    guard let wanted, let result else { return true }
    return result.interval >= wanted.intervalMin && result.interval <= wanted.intervalMax
      && result.latency == wanted.latency
  }
}

extension Evidence {
  /// Returns the connections to devices of the same product that their peers ended for the same
  /// reason after the same time, and one that had the same parameters and lived on.
  func siblings(
    of history: ConnectionHistory
  ) -> (alike: [ConnectionHistory], survivor: ConnectionHistory?) {
    guard let length = history.length else { return ([], nil) }
    let product = history.product
    let others = connections.filter { other in
      guard other.id != history.id, let span = other.length else { return false }
      return other.leavesOverParameters
        ? abs(span - length) <= length / 20
        : span / 2 > length
          && history.link.current.map { other.link.had($0, longerThan: length) } ?? false
    }.filter { $0.device == history.device || product != nil && $0.product == product }
    return (others.filter(\.leavesOverParameters), others.last { !$0.leavesOverParameters })
  }

  /// Returns whether a timer of the peer's program ended a connection, though it gave the
  /// parameters as the reason: others ended after the same time, and one lived on with the same
  /// parameters.
  func leavesByTimer(_ history: ConnectionHistory) -> Bool {
    guard history.leavesOverParameters else { return false }
    let (alike, survivor) = siblings(of: history)
    return !alike.isEmpty && survivor != nil
  }

  /// Returns how to fix parameters that are refused, for the side that has to act.
  fileprivate func wayToParameters(
    _ history: ConnectionHistory, _ update: ParameterUpdate
  ) -> Wording? {
    if update.status == .commandDisallowed {
      return
        "Nothing to do on the other side: this host's controller refuses LE Connection Update during another procedure on the link. This host has to repeat it after that."
    }
    let side = update.side
    let asker: Wording = "\(side.possessive) firmware"
    // The central decides, so what it wants is refused by the peripheral's controller alone.
    if history.connection.role(of: side) == .central {
      return update.isRefusedAtOnce
        ? "This host has to choose parameters that its own controller supports: look at its other links, whose intervals may exclude these."
        : "\(side.capitalized) has to choose parameters that the peripheral's controller supports: those that it requests, or its preferred ones (2a04)."
    }
    guard update.procedure != .command, update.isGranted == false else {
      return
        "\(side.capitalized) can request others some seconds later, and should stay connected without the change."
    }
    let (isApple, isLinux) = history.central(self)
    if isApple {
      return
        "In \(asker) request what Apple's devices accept: interval 15 ms or more, the maximum at least 15 ms above the minimum or both 15 ms, latency up to 30, timeout 6 s; and stay connected without the change."
    }
    let bluez: Wording =
      "BlueZ refuses a timeout or intervals outside the limits of its settings: raise ConnectionSupervisionTimeout (in units of 10 ms) and MaxConnectionInterval, and lower MinConnectionInterval, under [LE] in /etc/bluetooth/main.conf"
    if side == .peer, isLinux || history.connection.central == .local {
      let wanted: Wording =
        update.wanted.map {
          "; the peer requests a timeout of \(Int($0.timeout) * 10) ms, so set ConnectionSupervisionTimeout to \($0.timeout) or more"
        } ?? ""
      return
        "This host has to allow them. \(isLinux ? bluez : "On Linux \(bluez)")\(wanted). On other hosts look for the callback that decides. \(asker.capitalized) should stay connected without them."
    }
    return
      "In \(asker) request what the central accepts, wait a few seconds after connecting, and stay connected without the change. On Linux \(bluez)."
  }
}
