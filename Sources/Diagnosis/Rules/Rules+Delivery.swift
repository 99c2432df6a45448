import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about data that does not arrive: it never left this host, as Number Of Completed Packets
// shows (Core, Vol 4, Part E, 7.7.19), or its receiver discards it.

extension Rule {
  /// The rules about data that does not arrive.
  static let delivery: [Rule] = [undelivered, excessData]

  private static let excessData = Symptom(
    "l2cap_excess_data", .error, .meaning, "A request has more data than its L2CAP PDU announces",
    when:
      "a fragment has more bytes than its L2CAP PDU still needs, and the request in that PDU is never answered; no records are missing",
    do:
      "Fix the sender's stack: the fragments of a PDU must have as many bytes as its L2CAP header announces, and no padding. Look at the code that splits data into the controller's buffers."
  ).needing([.bothDirections, .events, .opening]).onConnection(elsewise: [
    Alternative(always: "the receiver did not answer for another reason")
  ]) { connection, _ in
    guard connection.isWhole else { return [] }
    for request in connection.attributes.unanswered {
      guard let excess = connection.discardedExcess(request) else { continue }
      let side = Side(sent: request.direction)
      let extra = excess.size - excess.needed
      let finding = Finding(
        "\(side.capitalized) sent more bytes than its L2CAP PDU announces",
        headline:
          "\(side.words) sent \(count: extra, "byte", "bytes") more than its L2CAP PDU announces (\(packet: request.packet)), and got no answer",
        why:
          "\(packet: request.packet) has \(count: excess.size, "byte", "bytes") of data, but the PDU needs only \(excess.needed) of them. Receivers discard a PDU whose length is wrong, so what it asks for is not answered.",
        evidence: [request.packet], restsOnAbsence: true)
      return [finding]
    }
    return []
  }

  private static let undelivered = Symptom(
    "link_not_delivered", .error, .meaning, "The controller does not deliver what this host sends",
    when:
      "Number Of Completed Packets does not report a packet for 5 s and longer than the supervision timeout, although the link lives on; the capture has the link from its beginning and no records are missing",
    do:
      "Reset the controller, or unplug it, and update its firmware; if only one peer is affected, look in that peer's firmware for receive buffers that are never freed. The kernel's log, or the host stack's, shows whether the host still waits for buffers."
  ).needing([.commands, .events, .sentData, .opening]).onConnection(elsewise: [
    Alternative(always: "the peer's controller accepts no more")
  ]) { connection, _ in
    guard let stuck = connection.undelivered else { return [] }
    let first = stuck.since.packet
    let more = (connection.link.unacknowledged ?? 1) - 1
    let others: Wording = more > 0 ? " and \(count: more, "later packet", "later packets")" : ""
    let heard = connection.link.heardLast.flatMap { $0.packet > first ? $0 : nil }
    let meanwhile: Wording =
      heard.map { " The peer itself was heard meanwhile (\(packet: $0.packet))." } ?? ""
    let finding = Finding(
      "What this host sent was not delivered",
      headline: "the controller did not deliver what this host sent from \(packet: first) on",
      why:
        "No Number Of Completed Packets reports \(packet: first)\(others) in the \(duration: stuck.waited) that the link lived on: the controller did not deliver it, so the peer cannot have answered.\(meanwhile) Either this host's controller has stopped sending, or the peer's controller accepts nothing.",
      evidence: PacketSet(of: stuck.since, heard, stuck.until), restsOnAbsence: true,
      group: "What this host sent was not delivered")
    return [finding]
  }
}

extension ConnectionHistory {
  /// Returns the excess of data in a request, if its receiver seems to discard such PDUs: it
  /// answers none, and had time to answer this one.
  func discardedExcess(_ request: UnansweredRequests.Sent) -> LinkHistory.Excess? {
    guard let excess = link.excess(atPacket: request.packet) else { return nil }
    let sent = Moment(packet: request.packet, time: request.time)
    let end = connection.lastPacket.map { Moment(packet: $0, time: connection.lastTime) }
    guard end?.nanoseconds(since: sent) ?? .max >= Self.leastWait,
      link.excess.allSatisfy({ other in
        other.sender != excess.sender
          || attributes.unanswered.contains { $0.packet == other.moment.packet }
      })
    else { return nil }
    return excess
  }

  /// A packet that waits for less time may still be under way.
  private static let patience: Int64 = 5_000_000_000

  /// The first packet that the controller never reported as delivered, if the link then lived on
  /// for longer than the supervision timeout, and the link's last sign of life.
  var undelivered: (since: Moment, until: Moment, waited: Int64)? {
    guard let since = link.unacknowledgedSince, let timeout = link.supervisionTimeout,
      // Packets are completed in order: if one is after the last was sent, a count is missing.
      link.acknowledgedLast?.packet ?? 0 < link.sentLast?.packet ?? 0
    else { return nil }
    let until: Moment? =
      switch connection.ending {
      case .localHost, .peer: link.ended
      // A link that is lost, or open at the end, lived at least until its last sign.
      default: link.lastSign
      }
    guard let until, let waited = until.nanoseconds(since: since),
      waited >= max(Self.patience, timeout &+ 1_000_000_000)
    else { return nil }
    return (since, until, waited)
  }

  /// Returns whether the peer cannot have answered a packet of this host, since its controller
  /// never delivered it.
  func isUndelivered(_ packet: Int) -> Bool {
    undelivered.map { $0.since.packet <= packet } ?? false
  }
}
