import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about requests for channels that stay open. L2CAP gives up a request after its response
// timeout of 1 to 60 s, and one whose response is pending after 60 to 300 s (Core, Vol 3, Part A,
// 6.2.1 and 6.2.2).

extension Rule {
  /// The rule about requests for channels that are not answered.
  static let openChannels = Symptom(
    "l2cap_request_unanswered", .error, .meaning, "A channel request is never answered",
    when:
      "a connection request has no response for 60 s, or until the link is ended on purpose 2 s later or more, and the other side was heard; 300 s if a response reports it as pending",
    do:
      "Check the stack of the side that was asked: it has to answer each request, even if only with a refusal."
  ).needing([.bothDirections, .events]).onConnection(
    about: Bool.self,
    elsewise: [
      Alternative("the other side would have answered later") { isTimedOut, _ in isTimedOut }
    ]
  ) { history, evidence in history.channels.open.compactMap { history.unanswered($0, evidence) } }
}

extension ConnectionHistory {
  /// The longest response timeout, and the longest one of a pending request.
  private static let responseTimeout: Int64 = 60_000_000_000
  private static let pendingTimeout: Int64 = 300_000_000_000

  /// Returns a finding about a request that is open at the end, and whether it timed out. Returns
  /// nil if the link was lost, the capture contains nothing from the other side, or no side waited.
  fileprivate func unanswered(
    _ request: ChannelRequest, _ evidence: Evidence
  ) -> (isTimedOut: Bool, Finding)? {
    let answering = request.side.other
    guard request.isConnection, (answering == .local ? link.sent : link.heard) > 0 else {
      return nil
    }
    let end = link.ended ?? Moment(packet: evidence.extent.lastPacket, time: evidence.extent.latest)
    let since = request.pending ?? request.asked
    guard let waited = end.nanoseconds(since: since), waited >= Self.leastWait else { return nil }
    let timeout = request.pending == nil ? Self.responseTimeout : Self.pendingTimeout
    let isOnPurpose = connection.ending == .localHost || connection.ending == .peer
    guard waited >= timeout || isOnPurpose && request.pending == nil else { return nil }
    let until: Wording =
      link.ended == nil ? "to the end of the capture" : "\(untilItsEnd) (\(packet: end.packet))"
    let pending: Wording =
      request.pending.map {
        " \(answering.capitalized) had reported that the answer was pending (\(packet: $0.packet))."
      } ?? ""
    let clause: Wording = "\(answering.words) never answered the request for \(request.channels)"
    var finding = Finding(
      clause, at: request.asked.packet,
      why: "No answer in \(duration: waited), \(until).\(pending)",
      evidence: PacketSet(of: request.asked, request.pending, link.ended), restsOnAbsence: true,
      group: clause)
    // ATT has another channel.
    finding.severity = !request.isOnLE ? .note : request.psm == .eatt ? .warning : nil
    return (waited >= timeout, finding)
  }
}
