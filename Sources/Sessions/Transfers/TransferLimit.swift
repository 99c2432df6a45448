package import Bluetooth
package import Bytes
import Dissectors

/// What limits how fast a transfer is, as far as packets show it.
package enum TransferLimit: JSONKey, Sendable {
  /// Values are sent only when something has come back for those before them.
  case roundTrips = "round_trips"
  /// The controllers exchange one packet of the Link Layer in a connection interval, although more
  /// would fit.
  case onePacketPerInterval = "one_packet_per_interval"
  /// They exchange few packets in an interval, although three times as many would fit.
  case fewPacketsPerInterval = "few_packets_per_interval"
  /// The data length is still 27 bytes, so that each value takes several packets.
  case dataLength = "data_length"
  /// The ATT_MTU is still 23, and values have as many bytes as it permits.
  case mtu = "mtu"
  /// The link is busy all the time on LE 1M or LE Coded.
  case phy = "phy"
  /// The link is busy all the time.
  case link = "link"
}

extension TransferRun {
  /// From this share of the time on, in percent, a link counts as busy all the time: events, their
  /// ends and what else crosses the link take the rest.
  package static let leastBusy = 70
  /// The connection intervals in which a value comes that was only waiting for its turn.
  package static let mostIntervals: Int64 = 3
  /// From this number of packets on, a controller that holds others is behind.
  private static let leastHeld = 3
  /// The bytes of a PDU and its frame around a value.
  package static let header = 7

  /// The number of packets of this size that have room in a connection interval; nil: unknown.
  package var room: Int? {
    carrier.isKnown && carrier.period > 0 && airTime > 0
      ? max(1, Int(carrier.period / 1000) * packets / airTime) : nil
  }

  /// The share of the time in which the link was busy with these packets, in percent.
  package var busy: Int {
    carrier.isKnown && span > 0 ? min(100, Int(clamping: Int64(airTime) * 100_000 / span)) : 0
  }

  /// The bytes per second of such values if the controllers used all of each interval; nil: the
  /// interval is unknown.
  package var allowed: Int? {
    values > 0 ? carrier.rate(ofValues: longest, header: Self.header) : nil
  }

  /// The same for values that fill a PDU.
  package var allowedByMTU: Int? {
    carrier.rate(ofValues: max(Int(carrier.mtu) - 3, longest), header: Self.header)
  }

  /// The share of that which was reached, in percent.
  package var share: Int? {
    guard let allowed, let allowedByMTU else { return nil }
    return min(100, Int(Double(rate) * 100 / Double(max(allowed, allowedByMTU, 1))))
  }

  /// How many values were sent for each time that something came back, rounded down.
  package var perTrip: Int { answered > 0 ? values / answered : 0 }

  /// In nanoseconds, over all values: the time until something came back from the peer, and the
  /// time that the captured host took for its part.
  package func halves(_ direction: Direction) -> (trip: Int64, own: Int64) {
    direction == .sent ? (waited, idle) : (idle, waited)
  }

  /// Whether the time is spent waiting for what comes back. A peer that is asked for nothing sends
  /// at its own pace, unless it waits for confirmations and its next value comes in one of the next
  /// intervals.
  package func isInSteps(_ direction: Direction) -> Bool {
    let (trip, own) = halves(direction)
    // Clocks that differ, as those of data and events can, give more than there was.
    guard trip.adding(clamped: own) <= span.adding(clamped: span / 8) else { return false }
    // If some values came without, none of them had to wait.
    guard answered >= 10, perTrip > 1 || answered + 1 >= values, !seemsQueued, trip >= span / 5 * 4
    else { return false }
    if operation == .read || direction == .sent && operation.isAcknowledged { return true }
    // Without events that complete packets, the link may be what takes the time.
    if direction == .sent { return completed > 0 }
    return operation == .indication
      && trip / Int64(answered) <= carrier.period.multiplied(clamped: Self.mostIntervals)
  }

  /// Whether the controller nearly always held further packets when it completed one, so that the
  /// link was slower than the program; nil: unknown, or the capture may lack that some were
  /// completed.
  package var isQueued: Bool? { completed >= 20 && isDrained ? seemsQueued : nil }

  private var seemsQueued: Bool {
    completed >= 20 && behind * 10 >= completed * 8 && dry * 5 <= events
      && mostLeft >= Self.leastHeld
  }

  /// Returns what limits the transfer; nil: nothing that packets show, so the program that sends.
  package func limit(_ direction: Direction) -> TransferLimit? {
    guard isTransfer, span > 0, values > 1, let room else { return nil }
    if isInSteps(direction) { return .roundTrips }
    let isFull = busy >= Self.leastBusy
    // What waits in the peer's controller is unknown.
    guard isFull || direction == .sent && isQueued == true else { return nil }
    let frame = longest + Self.header
    if carrier.length <= PacketLength.initial.octets, frame > PacketLength.initial.octets {
      return .dataLength
    }
    if carrier.isMTUKnown, carrier.mtu == BearerMTU.byDefault, longest == Int(carrier.mtu) - 3,
      alike * 10 >= values * 8
    {
      return .mtu
    }
    if isFull { return carrier.phy == AirTime.le2M ? .link : .phy }
    if mostInEvent <= 1, room >= 3 { return .onePacketPerInterval }
    // Those that are waiting go with the next interval.
    return packets * 3 <= room * events ? .fewPacketsPerInterval : nil
  }
}

extension LinkTransfers.Flow {
  /// Returns a value of the flow without its bytes: whose it is.
  package func value(on connection: Connection, _ memory: borrowing Memory) -> ConveyedValue {
    let key = Attributes.key(of: server, connection)
    return ConveyedValue(
      operation: operation,
      attribute: memory.identity(of: handle, key, server, connection: connection.id),
      parties: ValueParties(
        connection: connection.id, adapter: connection.adapter, peer: connection.peer,
        identity: connection.identity?.address, resolvable: connection.peerResolvable,
        vantage: connection.vantage),
      direction: direction, packet: firstPacket, time: firstTime)
  }
}
