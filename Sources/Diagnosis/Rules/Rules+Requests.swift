import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about requests that are not answered, and about the order of requests: one at a time on a
// bearer and in each direction, timing out after 30 s (Core, Vol 3, Part F, 3.3.2, 3.3.3).

extension Rule {
  static let requests: [Rule] = [
    Symptom(
      "att_request_unanswered", .error, .meaning, "A request is never answered",
      when:
        "a request has no answer for 30 s, or until a host ends the link (2 s and three connection events later, or more), or while later ones are answered; in a capture without events only an Exchange MTU Request. A warning for the MTU, and if later ones are answered",
      do: "Check the server: each request needs its response, whatever the application does."
    ).needing(.bothDirections).leaningOn(.events).onConnection(
      about: Unanswered.self, merges: true,
      elsewise: [
        .answerMissing, .stillToCome, .lostMeanwhile,
        Alternative("its answer was taken for the answer to another request") { it, _ in
          it.stray == nil
        },
      ]
    ) { connection, evidence in
      let hasEvents = evidence.coverage.parts(of: connection.connection).contains(.events)
      return connection.attributes.unanswered.compactMap { request in
        guard request.opcode.role == .request, !evidence.isWithheld(request, connection),
          hasEvents || request.opcode == .exchangeMTURequest
        else { return nil }
        return Unanswered(request, connection).flatMap { it in it.unanswered.map { (it, $0) } }
      }
    },
    Symptom(
      "att_indication_unconfirmed", .error, .meaning, "An indication is never confirmed",
      when:
        "an indication has no confirmation for 30 s, or until a host ends the link (2 s and three connection events later, or more), or while later ones are confirmed; a note unless the side that indicated ends the link when ATT's 30 s have passed",
      do:
        "Hosts confirm on their own: look for a client whose receive path is blocked, or for a stack that leaves the confirmation to the application. Until then no other indication may be sent."
    ).needing([.bothDirections, .events]).onConnection(
      about: Unanswered.self, merges: true,
      elsewise: [
        .answerMissing, .stillToCome, .lostMeanwhile,
        Alternative("its client had subscribed before this capture began") { it, evidence in
          it.refused != nil || it.isSubscribed(evidence) || it.cannotBeBonded
        },
      ]
    ) { connection, evidence in
      connection.attributes.unanswered.compactMap { request in
        guard request.opcode.role == .indication else { return nil }
        return Unanswered(request, connection).flatMap { it in
          it.unconfirmed(evidence).map { (it, $0) }
        }
      }
    },
    Symptom(
      "att_second_request", .warning, .meaning,
      "A request is sent before the previous one is answered",
      when:
        "a request or an indication is sent while another one of the same side is pending on the same bearer; on an enhanced bearer only if neither is answered",
      do:
        "Queue requests: on Android wait for the callback of each GATT operation, in firmware for the response. Servers may drop the second one."
    ).needing([.bothDirections, .events]).onConnection(
      about: Overlapping.self,
      elsewise: [
        Alternative("the answer to the previous one is missing from this capture") { it, _ in
          !it.isLacking
        },
        Alternative("a response that no request waits for was taken for the answer") { it, _ in
          it.stray == nil
        },
        Alternative("one program exchanges the MTU twice") { it, _ in
          !it.own.contains(where: \.asksForMTU)
        },
      ]
    ) { connection, _ in
      [Side.local, .peer].compactMap { side in
        Overlapping(connection, side).map { ($0, $0.finding) }
      }
    },
    Symptom(
      "att_after_timeout", .warning, .meaning, "Requests continue after one has timed out",
      when: "a client sends on a bearer on which its request has been pending for 30 s or longer",
      do:
        "Disconnect after an ATT timeout and reconnect: nothing more may be sent on that bearer, and stacks drop it."
    ).needing([.bothDirections, .events]).onConnection(elsewise: [
      Alternative(always: "its answer is missing from this capture")
    ]) { connection, _ in
      connection.attributes.afterTimeout.prefix(1).map { first in
        Finding(
          "\(first.sender.words) continued after an ATT timeout", at: first.packet,
          why:
            "\(packet: first.request) was not answered for 30 s: the transaction has failed, and no other may begin on that bearer.",
          evidence: [first.request, first.packet], restsOnAbsence: true)
      }
    },
    crossedBearers, strayResponses,
  ]

  private static let strayResponses = Symptom(
    "att_response_unexpected", .warning, .meaning, "A response is sent twice",
    when:
      "an ATT response with the opcode and bytes of the one before it arrives, and no pending request fits it, on a connection whose opening is in the capture and that lacks no records",
    do:
      "Fix the server: it has to send one response to each request. Look for two parts of its firmware that both answer (a stack and an application, for instance), or for an answer that is sent again. A client should ignore a response that it does not wait for."
  ).needing([.bothDirections, .events, .opening]).onConnection(
    elsewise: [
      Alternative(always: "its request is missing from this capture"),
      Alternative(always: "the recorder wrote one response twice"),
    ]
  ) { connection, _ in
    guard connection.isWhole else { return [] }
    return [Side.peer, .local].compactMap { side in
      let own = connection.attributes.strays.filter { $0.sender == side }
      guard let first = own.first else { return nil }
      return Finding(
        "\(side.words) sent \(connection.attributes.strays.count >= AttributeHistory.mostListed ? "at least " : "" as StaticString)\(count: own.count, "response", "responses") that no request waits for",
        at: first.packet,
        why:
          "The \(first.opcode) in \(packet: first.packet) repeats the one before it, and no request was pending. A client that takes it for the answer to its next request misses the real answer, and all later answers seem to be one too late.",
        evidence: PacketSet(own.map(\.packet)))
    }
  }

  private static let crossedBearers = Symptom(
    "att_answer_on_other_bearer", .note, .fact,
    "Responses arrive on a different enhanced bearer from their requests",
    when: "a response on an enhanced bearer can only be the answer to a request on another one",
    do:
      "Nothing to do if every request is answered. A host that tracks one transaction per bearer gives up a bearer on which the wrong response arrives, and its pending request stays unanswered: then compare, in the stack that opens the channels, the order of the channel lists in L2CAP's Credit Based Connection Request and Response (Core, Vol 3, Part A, 4.25 and 4.26)."
  ).needing([.bothDirections]).onConnection { connection, _ in
    let attributes = connection.attributes
    guard let first = attributes.crossed.first else { return [] }
    let open = attributes.unanswered.map(\.packet)
    let others: Wording = open.count > 1 ? " and \(open.count - 1) more" : ""
    let harm: Wording =
      open.first.map { "\(packet: $0)\(others) was not answered." }
      ?? "This is harmless if both sides do it and every request is answered, as here."
    let finding = Finding(
      "\(count: attributes.crossedCount, "response", "responses") arrived on a different bearer from the request",
      at: first.packet,
      why:
        "\(packet: first.packet) is the answer to \(packet: first.request), which was sent on another channel. Some hosts open several bearers at once and mix them up. \(harm)",
      evidence: PacketSet(attributes.crossed.prefix(4).flatMap { [$0.request, $0.packet] }),
      // Hosts that do this do it on each connection, so it is reported once.
      group: "Responses arrived on a different bearer from the request")
    return [finding]
  }
}

extension Evidence {
  /// Whether the controller may withhold the answer, which has a finding of its own.
  fileprivate func isWithheld(
    _ request: UnansweredRequests.Sent, _ connection: ConnectionHistory
  ) -> Bool {
    guard request.direction == .sent else { return false }
    return adapters.contains {
      $0.index == connection.connection.adapter
        && $0.hostBuffers.stuck.map { $0.since.packet <= request.packet } ?? false
    }
  }
}

private struct Overlapping: Sendable {
  let own: [AttributeHistory.Overlap]
  let side: Side
  let connection: ConnectionHistory

  init?(_ connection: ConnectionHistory, _ side: Side) {
    (self.connection, self.side) = (connection, side)
    own = connection.attributes.overlapping.filter { $0.sender == side }
    if own.isEmpty { return nil }
  }

  /// Whether no request that was pending got an answer.
  var isLacking: Bool {
    own.allSatisfy { overlap in
      connection.attributes.unanswered.contains { $0.packet == overlap.before }
    }
  }

  /// The first response of the other side, before them, that no request waits for.
  var stray: Int? {
    connection.attributes.strays.first {
      $0.sender == side.other && $0.packet < own.first?.packet ?? 0
    }?.packet
  }

  var finding: Finding {
    let first = own[0]
    let (kind, done): (StaticString, StaticString) =
      first.isIndication ? ("an indication", "confirmed") : ("a request", "answered")
    let second: Wording = first.opcode.name.map { "\($0)" } ?? "request"
    let open: Wording = first.openOpcode?.name.map { "\($0)" } ?? "request"
    let attributes = connection.attributes
    let times = max(
      own.count, attributes.overlapping.count == own.count ? attributes.overlapCount : 0)
    var finding = Finding(
      "\(side.capitalized) sent \(kind) before the previous one was \(done)",
      headline:
        "\(side.words) sent its \(second) (\(packet: first.packet)) before its \(open) (\(packet: first.before)) was \(done)",
      why:
        "The \(second) in \(packet: first.packet) was sent while the \(open) in \(packet: first.before) was unanswered. A bearer allows only one pending in each direction. It happened \(count: times, "time", "times") on this connection.",
      evidence: PacketSet(
        own.flatMap { $0.isOnChannel || own.count == 1 ? [$0.before, $0.packet] : [$0.packet] }),
      stray == nil ? nil : .note, restsOnAbsence: true)
    if let twice = own.first(where: \.asksForMTU) {
      finding.what = "Two programs of \(side.words) use one link"
      finding.headline =
        "two programs of \(side.words) use one link: both exchange the MTU (\(packet: twice.before), \(packet: twice.packet))"
      finding.why =
        "\(packet: twice.before) and \(packet: twice.packet) both exchange the MTU, which a client does once per connection: a second program or stack sends on the same link without knowledge of the first."
      finding.lead(with: twice.before)
      finding.remedy =
        "Let only one program use the link: stop bluetoothd if a library opens the controller itself (noble, bleno), or the other way round."
    }
    if let crossed = own.first(where: \.isOnChannel) {
      finding.add("Neither \(packet: crossed.before) nor \(packet: crossed.packet) was answered.")
    }
    if let stray {
      finding.add(
        "\(side.other.capitalized) had sent a response that no request waits for (\(packet: stray))."
      )
    }
    // A client that continues before an answer is rarer than a capture that lacks one.
    if !first.isOnChannel, isLacking { finding.grounds = .sequence }
    return finding
  }
}

private struct Unanswered: Sendable {
  let request: UnansweredRequests.Sent
  let connection: ConnectionHistory
  private let sent: Moment
  /// When the wait for an answer ended: with the end of the link, or with this host's command to
  /// end it; nil: neither is in the capture.
  let end: Moment?
  let waited: Int64?

  var asking: Side { Side(sent: request.direction) }
  var answering: Side { asking.other }

  /// So many connection events must have passed in which the answer could have come: the request
  /// has to be sent first, and may be sent again.
  private static let leastEvents: Int64 = 3
  /// A client that disconnects this long after its request has waited for the 30 s of ATT: its
  /// timer and the capture's clock differ slightly.
  private static let fullWait = Request.timeout - 500_000_000
  private static let longestWait = Request.timeout + 2_000_000_000

  /// Returns nil if the link was lost, the capture contains only one side, or no side waited.
  init?(_ request: UnansweredRequests.Sent, _ connection: ConnectionHistory) {
    (self.request, self.connection) = (request, connection)
    sent = Moment(packet: request.packet, time: request.time)
    let disconnect = connection.connection.ending == .localHost ? connection.link.disconnect : nil
    end =
      disconnect.flatMap { request.packet < $0.packet ? $0 : nil }
      ?? connection.connection.lastMoment
    waited = end?.nanoseconds(since: sent)
    guard !isUnheard, isOtherSideRecorded, hasWaited else { return nil }
  }

  // MARK: Whether it counts as unanswered

  /// Whether the other side cannot answer because it did not get the request, or discarded a PDU
  /// whose length is wrong. Both have findings of their own.
  private var isUnheard: Bool {
    asking == .local && connection.isUndelivered(request.packet)
      || !connection.connection.hasLostPackets && connection.discardedExcess(request) != nil
  }

  /// Whether the capture has data of the other side. Only an Exchange MTU Request on a link whose
  /// end is unknown needs none, since its response may be the first.
  private var isOtherSideRecorded: Bool {
    let attributes = connection.attributes
    let heard = asking == .local ? attributes.sentByPeer : attributes.sentByLocal
    return heard > 0 || end == nil && request.opcode == .exchangeMTURequest
  }

  /// Whether an answer had time to come: a later request was answered, the end of the wait is
  /// unknown, or the wait was long enough.
  private var hasWaited: Bool {
    guard !request.isOvertaken, end != nil else { return true }
    let period = connection.link.current?.longestPause ?? 0
    guard let waited, waited >= ConnectionHistory.leastWait + Self.leastEvents * period else {
      return false
    }
    // A link that was lost reveals nothing about the server.
    return waited >= Self.fullWait || connection.connection.ending == .localHost
      || connection.connection.ending == .peer
  }

  // MARK: What the packets show

  /// Whether the side that asked gave up when ATT's 30 s had passed: to it, there was no answer.
  var isTimedOut: Bool {
    guard let waited, Self.fullWait...Self.longestWait ~= waited else { return false }
    return !request.isOvertaken
      && connection.connection.ending == (asking == .local ? .localHost : .peer)
  }

  /// Whether the answer would have come before the link ended.
  var hadTime: Bool { request.isOvertaken || waited ?? .max >= Self.fullWait }

  /// Whether the other side was seen on the link after it. A captured host needs no sign.
  var wasHeardLater: Bool {
    let link = connection.link
    let sign = answering == .peer ? link.lastSign : isOnAir ? link.sentLast : nil
    return answering == .local && !isOnAir || sign?.packet ?? 0 > request.packet
  }

  private var isOnAir: Bool { connection.connection.isOnAir }

  /// The Error Response to an indication, and the request that the indicating side had pending.
  var refused: (packet: Int, sender: Side, pending: Int?)? {
    guard request.opcode.role == .indication else { return nil }
    return connection.attributes.refusedIndications.first {
      $0.sender == answering && $0.packet > request.packet
    }
  }

  /// The first response of the other side that no request waits for.
  var stray: Int? { connection.attributes.strays.first { $0.sender == answering }?.packet }

  /// Whether the client had enabled the indication, on this connection or an earlier one.
  func isSubscribed(_ evidence: Evidence) -> Bool {
    func enables(_ history: ConnectionHistory) -> Bool {
      history.attributes.configurations.contains {
        // Of a CCCD that was not discovered it is unknown what it enables.
        $0.server == asking && $0.owner?.handle ?? request.handle == request.handle
          && $0.value & 2 != 0 && $0.accepted?.packet ?? .max < request.packet
      }
    }
    return enables(connection) || evidence.earlier(than: connection).contains(where: enables)
  }

  /// Whether no subscription of an earlier connection can be in force: only those of bonded clients
  /// persist, on encrypted links.
  var cannotBeBonded: Bool { connection.isWhole && connection.security.encrypted == nil }

  // MARK: Findings

  /// How long there was no answer, as a sentence.
  private var waitWords: Wording {
    let done: StaticString = request.opcode.role == .indication ? "confirmed" : "answered"
    if request.isOvertaken {
      return "Later ones on the same bearer were \(done), this one was not."
    }
    if let end, let waited {
      return "No answer in \(duration: waited), \(connection.untilItsEnd) (\(packet: end.packet))."
    }
    return Wording(
      sentences: "No answer in 30 s or more, up to the end of the capture.",
      connection.link.latest?.nanoseconds(since: sent) ?? 0 < Self.fullWait
        ? "Nothing else was sent on the link meanwhile." : "",
      connection.link.opened == nil && request.opcode == .exchangeMTURequest
        && connection.link.latest?.packet == request.packet ? "The link seems to be gone." : "")
  }

  /// Whether it is certain that the other side received it. What a host's capture contains has
  /// reached the host.
  private var hasArrived: Bool {
    let link = connection.connection
    return asking == .peer && !isOnAir
      || !link.hasLostPackets && link.sentPackets > 0
        && link.sentPackets == link.completedPackets
  }

  /// The finding, without what differs between requests and indications.
  private func finding(_ done: StaticString, _ about: Wording, why: Wording...) -> Finding {
    let words: Wording =
      "\(answering.words) never \(done) the \(request.opcode.name.map { "\($0)" as Wording } ?? "request")\(about)"
    var finding = Finding(
      words, at: request.packet,
      why: Wording(
        sentences: waitWords,
        asking == .local && hasArrived
          ? "The peer's controller acknowledged every packet, so the request arrived." : "",
        Wording(why.filter { !$0.isEmpty }, joinedBy: " ")),
      evidence: PacketSet(of: sent, request.isOvertaken ? nil : end), restsOnAbsence: true,
      group: words)
    // A side that does not get an answer in 30 s has to give up the bearer.
    if isTimedOut, let end, let waited {
      finding.headline =
        "\(asking.words) ended the link after \(duration: waited) (\(packet: end.packet)) because \(finding.headline)"
    }
    if hasArrived { finding.fault = answering }
    // If later ones were answered, only their order shows that this one arrived and was not.
    if request.isOvertaken { finding.grounds = .sequence }
    return finding
  }

  /// The attribute that it names, as words after those for the request.
  private func target(_ word: StaticString, _ server: Side) -> Wording {
    guard let handle = request.handle else { return "" }
    return " \(word) \(connection.attributes.name(handle, of: server))"
  }

  var unanswered: Finding? {
    let attributes = connection.attributes
    let exchanged =
      request.opcode == .exchangeMTURequest
      ? attributes.mtuExchanges.first {
        $0.client == answering && $0.answer.packet < request.packet
      } : nil
    var finding = finding(
      "answered", target("for", answering),
      why: stray.map {
        "\(answering.capitalized) also sent a response that no request waits for (\(packet: $0))."
      } ?? "",
      exchanged.map {
        "\(answering.capitalized) had exchanged the MTU itself (\(packet: $0.request.packet), \(packet: $0.answer.packet)): some stacks ignore a second exchange."
      } ?? "")
    finding.evidence.insert(stray)
    finding.attribute = request.handle.flatMap { attributes.identity($0, of: answering) }
    finding.remedy =
      exchanged == nil
      ? Self.remedy(request.opcode, answering)
      : "Do not exchange the MTU again: the first exchange sets it for both directions (Core, Vol 3, Part F, 3.4.2.1)."
    // The session continues.
    if request.opcode == .exchangeMTURequest || request.isOvertaken { finding.severity = .warning }
    return finding
  }

  func unconfirmed(_ evidence: Evidence) -> Finding? {
    let about = target("of", asking)
    if let refused { return refusal(by: refused, about) }
    let isSubscribed = isSubscribed(evidence)
    var finding = finding(
      "confirmed", about,
      why: isSubscribed
        ? ""
        : "\(answering.capitalized) had not enabled it: no CCCD of it is written in this capture. \(asking.capitalized) may indicate only what its client has enabled (Core, Vol 3, Part G, 3.3.3.3).",
      isTimedOut ? "\(asking.capitalized) then ended the link, as ATT requires." : "")
    finding.attribute = request.handle.flatMap { connection.attributes.identity($0, of: asking) }
    if !isSubscribed {
      finding.fault = asking
      finding.remedy =
        asking == .local
        ? "Fix the stack of this host: indicate only to clients that have written the CCCD, and to bonded ones that had. Until then the peer's firmware has to confirm, which a GATT client in its stack does."
        : "Fix the peer's firmware: indicate only to clients that have written the CCCD. Until then this host has to confirm."
    }
    if !isTimedOut { finding.severity = .note }
    return finding
  }

  /// A finding about an indication that was answered with an Error Response.
  private func refusal(
    by refused: (packet: Int, sender: Side, pending: Int?), _ about: Wording
  ) -> Finding {
    return Finding(
      "\(answering.capitalized) answered an indication\(about) with an Error Response",
      headline:
        "\(answering.words) answered the indication\(about) (\(packet: request.packet)) with an Error Response instead of a confirmation",
      why: Wording(
        sentences:
          "\(packet: refused.packet) is an Error Response to the Handle Value Indication \(packet: request.packet). A client has to send a confirmation, even if it does not use the value.",
        refused.pending.map {
          "\(asking.capitalized) itself waited for the answer to \(packet: $0) and may take the error for it."
        } ?? ""),
      evidence: PacketSet([refused.pending ?? 0, request.packet, refused.packet].sorted()),
      grounds: .fact,
      do: answering == .local
        ? "Make the stack on this host confirm indications: it needs a GATT client (Zephyr: CONFIG_BT_GATT_CLIENT)."
        : "The peer's stack has to confirm indications: it needs a GATT client (Zephyr: CONFIG_BT_GATT_CLIENT). Until then do not indicate to it, and wait until no request is pending."
    )
  }

  /// Returns how to fix one side that does not answer a kind of request: values come from the
  /// application, everything else from the stack.
  private static func remedy(_ opcode: ATTOpcode, _ answering: Side) -> Wording {
    switch opcode {
    case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest,
      .readByGroupTypeRequest:
      answering == .local
        ? "The Bluetooth stack of this host answers such a request, not the application; on Linux bluetoothd, or the program that opened ATT itself, as gatttool does: check whether it is still running. Restart Bluetooth if nothing is answered any more."
        : "The peer's Bluetooth stack answers such a request, not its application: check whether the firmware hangs or a callback blocks the stack, and whether the stack has a free buffer for the answer."
    default:
      answering == .local
        ? "The application on this host has to answer: on Android with BluetoothGattServer.sendResponse(), on iOS and macOS with CBPeripheralManager's respond(to:withResult:), with BlueZ by the reply of ReadValue or WriteValue."
        : "Check the peer's firmware for a callback that waits or returns without a response."
    }
  }
}

extension Alternative where Subject == Unanswered {
  /// What the asking side did shows whether it got an answer.
  fileprivate static var answerMissing: Self {
    Self("its answer is missing from this capture") { it, _ in it.refused != nil || it.isTimedOut }
  }

  fileprivate static var stillToCome: Self {
    Self("the answer was still to come when the link ended") { it, _ in
      it.refused != nil || it.hadTime
    }
  }

  fileprivate static var lostMeanwhile: Self {
    Self("the link was already dead") { it, _ in it.refused != nil || it.wasHeardLater }
  }
}

extension ConnectionHistory {
  /// A request that stays open because its link is ended on purpose within this time is normal.
  static let leastWait: Int64 = 2_000_000_000
}
