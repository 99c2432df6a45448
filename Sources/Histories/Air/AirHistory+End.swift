import Bluetooth
import Captures
package import Sessions

// How a connection on the air ended. A sniffer shows no reason: it follows from what was sent last.

extension AirHistory {
  /// A capture that continues for this long after the last packet shows that the connection had
  /// ended or was lost, in nanoseconds.
  private static let leastSilence: Int64 = 200_000_000
  /// A connection that is not established ends after six intervals (Core, Vol 6, Part B, 4.5.2).
  package static let establishingEvents: Int64 = 6

  /// Processes the end of the capture.
  mutating func finish(
    _ connection: Connection, _ parameters: LinkParameters?, _ memory: borrowing Memory,
    _ extent: CaptureExtent
  ) {
    link = memory.air.link(connection: connection.id)
    end = findEnd(connection, parameters, extent)
  }

  private func findEnd(
    _ connection: Connection, _ parameters: LinkParameters?, _ extent: CaptureExtent
  ) -> AirEnd {
    if termination != nil { return .terminated }
    guard let last else { return .unseen }
    // Another connection of the two shows that this one is over.
    let isOver = connection.ending != nil
    let rest =
      isOver ? .max : Moment(packet: .max, time: extent.latest).nanoseconds(since: last)
    let interval = Int64(parameters?.interval ?? 0) * 1_250_000
    if let unreadControl, unreadControl.length == Self.terminateLength,
      unreadControl.moment.packet == lastPDU, rest ?? 0 > Self.leastSilence
    {
      return .terminatedUnread
    }
    if isSilent(parameters, rest: rest ?? 0) { return .peripheralSilent }
    guard let rest, rest > max(Self.leastSilence, interval * Self.establishingEvents) else {
      return .open
    }
    if isUnestablished(connection, interval) { return .neverEstablished }
    let timeout = Int64(parameters?.timeout ?? 0) * 10_000_000
    return rest > max(timeout, 2_000_000_000) || advertised != nil ? .unseen : .open
  }

  /// Whether the central sent for a supervision timeout without an answer. Nothing is known if the
  /// sniffer followed another channel sequence, or if the central wanted to end the connection.
  private func isSilent(_ parameters: LinkParameters?, rest: Int64) -> Bool {
    guard let unanswered, !unanswered.mayEndLink, let parameters, parameters.timeout > 0,
      lastAnswer != nil, let silence = lastCentral?.nanoseconds(since: unanswered.first),
      unanswered.count >= Int(Self.establishingEvents), link?.lostTrack == nil
    else { return false }
    let timeout = Int64(parameters.timeout) * 10_000_000
    let interval = Int64(parameters.interval) * 1_250_000
    // A central that could still get an answer when the capture ends has not given up.
    return silence >= timeout
      || silence >= timeout / 10 * 9 - 2 * interval
        && rest > max(Self.leastSilence, interval * Self.establishingEvents)
  }

  /// Whether only the central was heard, and for no longer than it waits for the first answer.
  private func isUnestablished(_ connection: Connection, _ interval: Int64) -> Bool {
    guard !connection.isOpeningMissing, lastAnswer == nil, unanswered?.count ?? 0 > 1,
      let firstCentral, interval > 0, let link, link.isHeardFromCentralOnly,
      let sent = lastCentral?.nanoseconds(since: firstCentral)
    else { return false }
    return sent <= interval * (Self.establishingEvents + 1)
  }
}

extension AirLink {
  /// Whether all packets that the capture has of it are the central's.
  package var isHeardFromCentralOnly: Bool {
    sides.count == 3 && sides[0].packets > 0 && sides[0].crcErrors == 0 && sides[1].packets == 0
      && sides[1].crcErrors == 0 && sides[2].packets == 0 && sides[2].crcErrors == 0
  }

  /// Returns the packets and the CRC errors of a side (0 the central, 1 the peripheral) on a
  /// channel.
  package func cell(_ side: Int, _ channel: Int) -> (packets: Int, errors: Int) {
    let place = 2 * (40 * side + channel)
    guard place >= 0, place + 1 < cells.count else { return (0, 0) }
    return (Int(cells[place]), Int(cells[place + 1]))
  }
}
