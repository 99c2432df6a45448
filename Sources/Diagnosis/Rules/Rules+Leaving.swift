import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about peers that end their links.

extension Rule {
  static let peerLeavesAtRequest = Symptom(
    "link_peer_leaves_at_request", .warning, .sequence,
    "The peer ends its connections when it receives a certain request",
    when:
      "two or more connections of one device were ended by the peer within a second after the same request, which is unanswered and the last that this host sent; a write, or if the capture has no data of the peer, only if it is the only one",
    do:
      "Connect without this request, to find out whether the peer then stays: if it is Exchange MTU Request, do not call requestMtu() on Android or esp_ble_gattc_send_mtu_req() on ESP-IDF. The peer's firmware has to answer each request, if only with an Error Response: update it."
  ).needing([.sentData, .events, .opening, .end]).inCapture(
    about: Bool.self,
    elsewise: [
      Alternative("the write asks the peer to leave, or to switch off") { isWrite, _ in !isWrite }
    ]
  ) { evidence -> [(Bool, Finding)] in
    evidence.repeated { evidence.fatalRequest(of: $0) != nil }.flatMap { left in
      let asked = left.compactMap { history in
        evidence.fatalRequest(of: history).map { (history: history, request: $0) }
      }
      return asked.grouped { [UInt16($0.request.opcode.rawValue), $0.request.handle] }.compactMap {
        group -> (Bool, Finding)? in
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
            group.prefix(8).flatMap { [$0.request.packet, $0.history.link.ended?.packet ?? 0] }),
          on: group.map(\.history.id))
        finding.repetitions = group.count
        return (group.contains { $0.request.opcode.isWrite }, finding)
      }
    }
  }

  static let peerLeaves = Symptom(
    "link_peer_leaves", .warning, .sequence, "The peer ends its connections after a constant time",
    when:
      "two or more connections of one device, each a second or longer, were ended by the peer after times that differ by at most a tenth; or three or more after such times since encryption, or since the same last request of this host",
    do:
      "The peer may wait for something and give up (pairing, a request, or a login of its own protocol within a fixed time), or end idle connections. Compare with what its own app does first."
  ).needing([.events, .opening, .end]).leaningOn([.bothDirections]).inCapture(
    about: Bool.self,
    elsewise: [
      Alternative("it had sent all its values") { hasFinished, _ in !hasFinished }
    ]
  ) { evidence -> [(Bool, Finding)] in
    evidence.connections.filter {
      $0.connection.peer != nil && $0.leavesByChoice && !$0.connection.isOpeningMissing
        // What it waited for, or left at, has its own finding.
        && !evidence.hasOtherEnd(of: $0) && !$0.link.hasOpenRequest(of: .peer)
    }.grouped {
      (evidence.leavesByTimer($0) ? $0.product.map { AnyHashable($0) } : nil)
        ?? AnyHashable($0.device)
    }.filter { $0.count >= 2 }.compactMap { left in
      // Only if this applies to all connections that the peer ended, not to two of many.
      guard let stay = Stay(left), !left.allSatisfy({ evidence.fatalRequest(of: $0) != nil })
      else { return nil }
      let pauses = left.compactMap(\.pauseAfterLastValue)
      let hasFinished = pauses.count == left.count
      return (hasFinished, leaving(left, stay, hasFinished ? pauses.max() : nil, evidence))
    }
  }

  /// - Parameter pause: the longest time from the last value to the end, if the peer sent values on
  ///   each connection and then left.
  private static func leaving(
    _ left: [ConnectionHistory], _ stay: Stay, _ pause: Int64?, _ evidence: Evidence
  ) -> Finding {
    let wish: (words: Wording, packet: Int?) =
      evidence.lacksData
      ? ("What crossed the links was not recorded.", nil) : left[left.count - 1].lastWish
    let isOne = left.allSatisfy { $0.device == left[0].device }
    var finding = Finding(
      "\(isOne ? "The peer" : "Peers with like names" as StaticString) ended \(left.count, isLeast: evidence.omitsConnections) connections \(stay.words)",
      headline:
        "\(isOne ? "the peer ends its" : "peers with like names end their" as StaticString) connections \(stay.words)",
      why: wish.words,
      evidence: PacketSet(
        [wish.packet ?? 0] + left.prefix(8).compactMap(\.connection.lastPacket)
          + stay.anchors.prefix(8)), on: left.map(\.id), restsOnAbsence: true)
    finding.repetitions = left.count
    if evidence.leavesByTimer(left[0]), let lived = evidence.siblings(of: left[0]).survivor,
      let length = lived.length
    {
      finding.why = Wording(
        sentences:
          "It gave \(StatusCode.unacceptableConnectionParameters) as its reason, but connection \(lived.id) with \(lived.device == left[0].device ? "the same device" : "a device of a like name" as StaticString) had the same parameters and lived for \(duration: length).",
        finding.why)
      finding.evidence.insert(lived.connection.lastPacket)
    }
    if let pause {
      finding.severity = .note
      finding.why =
        "On each of them the peer sent values and left within \(duration: pause) of the last one."
      finding.remedy =
        "Nothing to do if the values are complete: devices that measure or store something disconnect after sending it."
    }
    return finding
  }

  static let peerLeavesAfterChange = Symptom(
    "link_peer_leaves_after_change", .warning, .sequence,
    "The peer left right after this host had made the link slower",
    when:
      "this host, the central, made the connection interval four times as long or more without being asked by the peer, which ended the link within a second",
    do:
      "Keep the shorter interval while the peer is in use, or request one between the two, to find out whether it then stays. A peripheral that cannot work with an interval should ask for another one instead of leaving."
  ).needing([.commands, .events, .end]).onConnection { history, evidence in
    guard let change = history.lastSlowing else { return [] }
    var finding = Finding(
      "The peer ended the link \(duration: change.passed) after this host had changed the connection interval from \(interval: change.before) to \(interval: change.after)",
      headline:
        "the peer ended connection \(history.id) right after this host had changed the connection interval from \(interval: change.before) to \(interval: change.after)",
      why: Wording(
        sentences:
          "The change took effect at \(packet: change.update.lastPacket), and the peer disconnected \(duration: change.passed) later.",
        history.lastWish.words),
      evidence: change.update.evidence.union(PacketSet(of: history.link.ended)))
    finding.repetitions = evidence.connections.count {
      $0.device == history.device && $0.lastSlowing != nil
    }
    finding.group = "The peer ended the link right after this host had made it slower"
    return [finding]
  }
}

/// A request of this host after which the peer ended the link at once.
struct FatalRequest {
  /// The request in words: `Exchange MTU Request`, `Read Request for 2a00 Device Name`.
  let words: Wording
  let opcode: ATTOpcode
  let handle: UInt16
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
  /// Returns the connections that satisfy a condition, by known device: two or more of each.
  func repeated(_ isMeant: (ConnectionHistory) -> Bool) -> [[ConnectionHistory]] {
    connectionsByDevice { $0.connection.peer != nil && isMeant($0) }.filter { $0.count >= 2 }
  }

  /// The peer ends the link within this time after the request.
  private static let soon: Int64 = 1_000_000_000

  /// Returns the last request of this host, if the peer ended the link soon after it instead of
  /// answering, and nothing else that it may have wanted was open.
  func fatalRequest(of history: ConnectionHistory) -> FatalRequest? {
    guard history.connection.ending == .peer, history.connection.reason == .remoteUserTerminated,
      history.isWhole, let ended = history.link.ended, let asked = history.attributes.lastAsked,
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
      asked.handle == 0 ? "" : " for \(history.attributes.name(asked.handle, of: .peer))"
    return FatalRequest(
      words: "\(name)\(target)", opcode: asked.opcode, handle: asked.handle,
      packet: asked.moment.packet, wait: wait, isOnly: isOnly)
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
