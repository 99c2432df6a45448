import Bluetooth
import Bytes
import Sessions
import Words

// Rules about requests that are not answered, and about the order of requests: one at a time on a
// bearer and in each direction, timing out after 30 s (Core, Vol 3, Part F, 3.3.2, 3.3.3).

extension Rule {
  /// The rules about requests that are not answered.
  static let requests: [Rule] = [
    Rule(
      "att-request-unanswered", .error, .meaning, "A request is never answered",
      when:
        """
        a request has no answer for 30 s, until a host ends the link 2 s and three connection \
        events later or more, or while later ones are answered, and the other side was heard
        """, needs: [.bothDirections, .events],
      do: unansweredRemedy
    ) { connection, evidence in
      Finding.together(
        connection.attributes.unanswered.compactMap { request in
          guard request.opcode.role == .request, !evidence.isWithheld(request, connection) else {
            return nil
          }
          return connection.unanswered(request)
        })
    },
    Rule(
      "att-indication-unconfirmed", .error, .meaning, "An indication is never confirmed",
      when:
        """
        an indication has no confirmation for 30 s, until a host ends the link 2 s and three \
        connection events later or more, or while later ones are confirmed
        """, needs: [.bothDirections, .events],
      do:
        """
        Hosts confirm on their own: look for a client whose receive path is blocked, or for a stack that \
        leaves the confirmation to the application. Until then no other indication may be sent.
        """
    ) { connection, _ in
      Finding.together(
        connection.attributes.unanswered.compactMap { request in
          guard request.opcode.role == .indication else { return nil }
          return connection.unanswered(request)
        })
    },
    Rule(
      "att-second-request", .warning, .meaning,
      "A request is sent before the previous one is answered",
      when:
        """
        a request or an indication is sent while another one of the same side is pending on the \
        same bearer; on an enhanced bearer only if neither is answered
        """, needs: [.bothDirections, .events],
      do:
        """
        Queue requests: on Android wait for the callback of each GATT operation, in firmware for the \
        response. Servers may drop the second one.
        """
    ) { connection, _ in
      let all = connection.attributes.overlapping
      return [Side.local, .peer].compactMap { side in
        let own = all.filter { $0.sender == side }
        guard let first = own.first else { return nil }
        let what: Wording = first.isIndication ? "an indication" : "a request"
        let answer: Wording = first.isIndication ? "confirmed" : "answered"
        let second: Wording = first.opcode.name.map { "\($0)" } ?? "request"
        let open: Wording = first.openOpcode?.name.map { "\($0)" } ?? "request"
        var finding = Finding(
          Wording("\(side.words) sent \(what) before the previous one was \(answer)").capitalized,
          headline:
            """
            \(side.words) sent its \(second) (\(packet: first.packet)) before its \(open) \
            (\(packet: first.before)) was \(answer)
            """,
          why:
            """
            The \(second) in \(packet: first.packet) was sent while the \(open) in \
            \(packet: first.before) was unanswered. A bearer allows only one pending in each \
            direction. It happened \
            \(count: max(own.count, all.count == own.count ? connection.attributes.overlapCount : 0), "time", "times") \
            on this connection.
            """,
          evidence: PacketSet(
            own.flatMap { $0.isOnChannel || own.count == 1 ? [$0.before, $0.packet] : [$0.packet] })
        )
        if let twice = own.first(where: \.asksForMTU) {
          finding.what = "Two programs of \(side.words) use one link"
          finding.headline =
            "two programs of \(side.words) use one link: both exchange the MTU (\(packet: twice.before), \(packet: twice.packet))"
          finding.why =
            "\(packet: twice.before) and \(packet: twice.packet) both exchange the MTU, which a client does once per connection: a second program or stack sends on the same link without knowledge of the first."
          finding.certainty = .likely
          finding.evidence = PacketSet([twice.before]).union(finding.evidence)
          finding.remedy =
            "Let only one program use the link: stop bluetoothd if a library opens the controller itself (noble, bleno), or the other way round."
        }
        if let crossed = own.first(where: \.isOnChannel) {
          finding.why =
            "\(finding.why) \(packet: crossed.before) and \(packet: crossed.packet) were sent on one enhanced bearer, and neither was answered."
          finding.certainty = .likely
        }
        if connection.connection.hasLostPackets { finding.certainty = .likely }
        if let stray = connection.attributes.strays.first(where: {
          $0.sender == side.other && $0.packet < first.packet
        }) {
          finding.severity = .note
          finding.why =
            "\(finding.why) \(side.other.capitalized) had sent a response that no request waits for (\(packet: stray.packet)), which \(side.words) may have taken for the answer."
          finding.certainty = .possible
        }
        // A client that continues before an answer is rarer than a capture that lacks one.
        let lacking = connection.attributes.unanswered.filter(\.isOvertaken).map(\.packet)
        if own.allSatisfy({ lacking.contains($0.before) }) { finding.certainty = .possible }
        finding.restsOnAbsence = true
        return finding
      }
    },
    Rule(
      "att-after-timeout", .warning, .meaning, "Requests continue after one has timed out",
      when: "a client sends on a bearer on which its request has been pending for 30 s or longer",
      needs: [.bothDirections, .events],
      do:
        """
        Disconnect after an ATT timeout and reconnect: nothing more may be sent on that bearer, \
        and stacks drop it.
        """
    ) { connection, _ in
      guard let first = connection.attributes.afterTimeout.first else { return [] }
      var finding = Finding(
        Wording("\(first.sender.words) continued after an ATT timeout").capitalized,
        headline:
          """
          \(first.sender.words) continued (\(packet: first.packet)) after its request \
          \(packet: first.request) had timed out
          """,
        why:
          """
          \(packet: first.request) was not answered for 30 s: the transaction has failed, and no \
          other may begin on that bearer.
          """,
        evidence: [first.request, first.packet])
      finding.restsOnAbsence = true
      return [finding]
    },
    crossedBearers, strayResponses,
  ]

  private static let strayResponses = Rule(
    "att-response-unexpected", .warning, .meaning, "A response is sent twice",
    when:
      """
      an ATT response with the opcode of the one before it arrives, and no pending request fits it, \
      on a connection whose opening is in the capture and that lacks no records
      """, needs: [.bothDirections, .events, .opening],
    do:
      """
      Fix the server: it has to send one response to each request. Look for two parts of its \
      firmware that both answer (a stack and an application, for instance), or for an answer that is \
      sent again. A client should ignore a response that it does not wait for.
      """
  ) { connection, _ in
    guard !connection.connection.hasLostPackets, !connection.connection.isOpeningMissing else {
      return []
    }
    return [Side.peer, .local].compactMap { side in
      let own = connection.attributes.strays.filter { $0.sender == side }
      guard let first = own.first else { return nil }
      var finding = Finding(
        "\(side.capitalized) sent \(count: own.count, "response", "responses") that no request waits for",
        headline:
          "\(side.words) sent a response that no request waits for (\(packet: first.packet)), which may be taken for the answer to another one",
        why:
          """
          No request that was pending fits the \(first.opcode) of \(side.words) \
          (\(packet: first.packet)). A client that takes it for the answer to its next request \
          misses the real answer, and all later answers seem to be one too late.
          """,
        .possible, evidence: PacketSet(own.map(\.packet)))
      finding.restsOnAbsence = true
      return finding
    }
  }

  private static let crossedBearers = Rule(
    "att-answer-on-other-bearer", .note, .meaning,
    "Responses arrive on a different enhanced bearer from their requests",
    when:
      "a response on an enhanced bearer can only be the answer to a request on another one",
    needs: [.bothDirections],
    do:
      """
      Nothing, if every request is answered. A host that tracks one transaction per bearer gives \
      up a bearer on which the wrong response arrives, and its pending request stays unanswered: \
      then compare, in the stack that opens the channels, the order of the channel lists in \
      L2CAP's Credit Based Connection Request and Response (Core, Vol 3, Part A, 4.25 and 4.26).
      """
  ) { connection, _ in
    let attributes = connection.attributes
    guard let first = attributes.crossed.first else { return [] }
    let number: Wording = "\(count: attributes.crossedCount, "response", "responses")"
    let open = attributes.unanswered.map(\.packet)
    let others: Wording = open.count > 1 ? " and \(open.count - 1) more" : ""
    let harm: Wording =
      if let lost = open.first {
        "Most likely it did harm here: \(packet: lost)\(others) was not answered."
      } else {
        "This is harmless if both sides do it and every request is answered, as here."
      }
    var finding = Finding(
      "\(number) arrived on a different bearer from the request",
      headline: "\(number) arrived on a different bearer from the request",
      why:
        """
        \(packet: first.packet) is the answer to \(packet: first.request), which was sent on \
        another channel. Some hosts open several bearers at once and mix them up. \(harm)
        """,
      .likely,
      evidence: PacketSet(attributes.crossed.prefix(4).flatMap { [$0.request, $0.packet] }))
    // Hosts that do this do it on each connection, so it is reported once.
    finding.group = "Responses arrived on a different bearer from the request"
    return [finding]
  }

  /// How to fix a server that does not answer.
  private static let unansweredRemedy: Wording =
    "Check the server: each request needs its response, whatever the application does."
}

extension Evidence {
  /// Returns whether the controller may hold the answer to a request back, because this host has
  /// not freed its buffers. That has a finding of its own.
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

extension ConnectionHistory {
  /// If a link is ended on purpose within this time after a request, it is normal that the request
  /// stays open.
  static let leastWait: Int64 = 2_000_000_000
  /// So many connection events must have passed in which the answer could have come: the request
  /// has to be sent first, and may be sent again.
  private static let leastEvents: Int64 = 3
  /// The time between two events in which the peer has to listen.
  private var eventPeriod: Int64 { link.current?.longestPause ?? 0 }

  /// A client that disconnects this long after its request has waited for the 30 s of ATT: its
  /// timer and the capture's clock differ slightly.
  private static let fullWait = Request.timeout - 500_000_000

  /// Returns when the wait for an answer ended: with the end of the link, or with this host's
  /// command to end it.
  private func waitEnd(after sent: Moment) -> Moment? {
    guard let last = connection.lastPacket else { return nil }
    if connection.ending == .localHost, let disconnect = link.disconnect,
      sent.packet < disconnect.packet
    {
      return disconnect
    }
    return Moment(packet: last, time: connection.lastTime)
  }

  /// Returns how to fix one side that does not answer a kind of request: values come from the
  /// application, everything else from the stack.
  private static func remedy(_ opcode: ATTOpcode, _ answering: Side) -> Wording {
    switch opcode {
    case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest,
      .readByGroupTypeRequest:
      answering == .local
        ? """
        The Bluetooth stack of this host answers such a request, not the application; on Linux \
        bluetoothd, or the program that opened ATT itself, as gatttool does: check whether it is \
        still running. Restart Bluetooth if nothing is answered any more.
        """
        : """
        The peer's Bluetooth stack answers such a request, not its application: check whether the \
        firmware hangs or a callback blocks the stack, and whether the stack has a free buffer \
        for the answer.
        """
    default:
      answering == .local
        ? """
        The application on this host has to answer: on iOS and macOS CBPeripheralManager's \
        respond(to:withResult:), on Android BluetoothGattServer.sendResponse(), with BlueZ the reply of \
        ReadValue or WriteValue.
        """
        : "Check the peer's firmware for a callback that waits or returns without a response."
    }
  }

  /// Returns a finding about a request or indication without an answer. Returns nil if the link was
  /// lost, the capture contains only one side, or no side waited.
  fileprivate func unanswered(_ request: UnansweredRequests.Sent) -> Finding? {
    let asking = Side(sent: request.direction)
    let answering = asking.other
    // The peer cannot answer what it did not get; that has a finding of its own.
    if asking == .local, isUndelivered(request.packet) { return nil }
    // If there is nothing at all from the other side, the capture may lack that side.
    guard (answering == .local ? attributes.sentByLocal : attributes.sentByPeer) > 0 else {
      return nil
    }
    let sent = Moment(packet: request.packet, time: request.time)
    let isIndication = request.opcode.role == .indication
    let done: Wording = isIndication ? "confirmed" : "answered"
    var evidence: PacketSet = [request.packet]
    var why: Wording
    var certainty = Certainty.certain
    let end = waitEnd(after: sent)
    let waited = end.flatMap { $0.nanoseconds(since: sent) }
    if request.isOvertaken {
      why =
        "Later ones on the same bearer were \(done), this one was not, or the capture lacks its answer."
      certainty = .possible
    } else if let end {
      guard let waited, waited >= Self.leastWait + Self.leastEvents * eventPeriod else {
        return nil
      }
      if waited < Self.fullWait {
        // A link that was lost reveals nothing about the server.
        guard connection.ending == .localHost || connection.ending == .peer else { return nil }
        certainty = .likely
      }
      why = "No answer in \(duration: waited), \(untilItsEnd) (\(packet: end.packet))."
      evidence.insert(end.packet)
    } else {
      why = "No answer in 30 s or more, up to the end of the capture."
      if link.latest?.nanoseconds(since: sent) ?? 0 < Self.fullWait {
        why = "\(why) Nothing else was sent on the link meanwhile."
        certainty = .possible
      }
    }
    let all = connection
    // A receiver discards a PDU whose length is wrong.
    if !connection.hasLostPackets, discardedExcess(request) != nil { return nil }
    let arrived =
      asking == .local && !all.hasLostPackets && all.sentPackets > 0
      && all.sentPackets == all.completedPackets
    if arrived {
      why = "\(why) The peer's controller acknowledged every packet, so the request arrived."
    }
    let name: Wording = request.opcode.name.map { "\($0)" } ?? "request"
    let target = request.handle.flatMap {
      attributes.identity($0, of: isIndication ? asking : answering)
    }
    let about: Wording =
      if let target {
        isIndication ? " of \(target)" : " for \(target)"
      } else if let handle = request.handle {
        " for \(handle: handle)"
      } else {
        ""
      }
    if isIndication,
      let refused = attributes.refusedIndications.first(where: {
        $0.sender == answering && $0.packet > request.packet
      })
    {
      return refusal(ofIndication: request.packet, by: answering, about, refused)
    }
    let strays = attributes.strays.filter { $0.sender == answering }
    if !isIndication, let stray = strays.first {
      why =
        "\(why) \(answering.capitalized) also sent a response that no request waits for (\(packet: stray.packet)), so its answers may have been assigned to the wrong requests."
      certainty = .possible
      evidence.insert(stray.packet)
    }
    let exchanged =
      request.opcode == .exchangeMTURequest
      ? attributes.mtuExchanges.first {
        $0.client == answering && $0.answer.packet < request.packet
      } : nil
    if let exchanged {
      why =
        "\(why) \(answering.capitalized) had exchanged the MTU itself (\(packet: exchanged.request.packet), \(packet: exchanged.answer.packet)): some stacks ignore a second exchange."
    }
    let clause: Wording = "\(answering.words) never \(done) the \(name)\(about)"
    var finding = Finding(
      clause.capitalized, headline: "\(clause) (\(packet: request.packet))", why: why, certainty,
      evidence: evidence)
    // A side that does not get an answer in 30 s has to give up the bearer.
    if let end, let waited, Self.fullWait..<Self.fullWait + Self.leastWait ~= waited,
      connection.ending == (asking == .local ? .localHost : .peer)
    {
      finding.headline =
        "\(asking.words) ended the link after \(duration: waited) (\(packet: end.packet)) because \(finding.headline)"
    }
    // The other side has received it, and has to answer; indications only if it subscribed.
    if asking == .peer || arrived, !isIndication || asked(for: request, of: asking) {
      finding.fault = answering
    }
    finding.attribute = target
    if !isIndication { finding.remedy = Self.remedy(request.opcode, answering) }
    if exchanged != nil {
      finding.remedy =
        "Do not exchange the MTU again: the first exchange sets it for both directions (Core, Vol 3, Part F, 3.4.2.1)."
    }
    // The session continues.
    if request.opcode == .exchangeMTURequest || request.isOvertaken { finding.severity = .warning }
    finding.restsOnAbsence = true
    finding.group = clause
    return finding
  }

  /// Returns whether the client subscribed to what an indication of `server` sends.
  private func asked(for indication: UnansweredRequests.Sent, of server: Side) -> Bool {
    attributes.configurations.contains {
      $0.server == server && $0.value & 2 != 0 && $0.accepted != nil
        && $0.owner?.handle == indication.handle
    }
  }

  /// Returns a finding about an indication that was answered with an Error Response.
  private func refusal(
    ofIndication packet: Int, by answering: Side, _ about: Wording,
    _ refused: (packet: Int, sender: Side, pending: Int?)
  ) -> Finding {
    let asking = answering.other
    var finding = Finding(
      "\(answering.capitalized) answered an indication\(about) with an Error Response",
      headline:
        "\(answering.words) answered the indication\(about) (\(packet: packet)) with an Error Response instead of a confirmation",
      why:
        """
        \(packet: refused.packet) is an Error Response to the Handle Value Indication \
        \(packet: packet). A client has to send a confirmation, even if it does not use the value.
        """,
      evidence: [packet, refused.packet])
    if let pending = refused.pending {
      finding.why =
        "\(finding.why) \(asking.capitalized) itself waited for the answer to \(packet: pending) and may take the error for it."
      finding.evidence.insert(pending)
      finding.evidence = finding.evidence.sorted
    }
    finding.remedy =
      answering == .local
      ? "Make the stack on this host confirm indications: it needs a GATT client (Zephyr: CONFIG_BT_GATT_CLIENT)."
      : "The peer's stack has to confirm indications: it needs a GATT client (Zephyr: CONFIG_BT_GATT_CLIENT). Until then do not indicate to it, and wait until no request is pending."
    return finding
  }
}
