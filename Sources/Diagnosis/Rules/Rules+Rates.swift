import Bluetooth
import Bytes
import Dissectors
import Histories
import Meanings
import Sessions

// The rule about transfers that a property of the link limits.

/// A transfer and its limit.
struct LimitedTransfer: Sendable {
  let run: TransferRun
  let limit: TransferLimit
  let direction: Direction

  /// In nanoseconds: the mean time until something came back from the peer.
  var trip: Int64 { run.halves(direction).trip / Int64(max(1, run.answered)) }

  /// Returns the bytes per second that the link allows with another data length, MTU or PHY.
  func rate(length: UInt16? = nil, mtu: UInt16? = nil, phy: UInt8? = nil) -> Int {
    var carrier = run.carrier
    if let length { carrier.length = length }
    if let phy { (carrier.phy, carrier.answerPHY) = (phy, phy) }
    return carrier.rate(
      ofValues: mtu.map { Int($0) - 3 } ?? run.longest, header: TransferRun.header) ?? 0
  }
}

extension Rule {
  static let rates: [Rule] = [
    Symptom(
      "link_transfer_limited", .note, .meaning, "A transfer is limited by a property of the link",
      when:
        "a transfer (50 values or more, or 5 kB, without a pause of a second) is limited by round trips, the data length of 27 bytes, the MTU of 23, few packets in a connection interval, or LE 1M or LE Coded: the time is spent waiting for what comes back; or the link is busy for 70 % of the time; or further packets nearly always wait in the controller. A warning if another data length or MTU would double the rate that the link allows"
    ).with(.ofHost).needing([.events, .opening]).onConnection(
      about: LimitedTransfer.self,
      elsewise: [
        Alternative("the peer takes that long for each value") { transfer, _ in
          transfer.limit != .roundTrips
            || transfer.trip
              <= transfer.run.carrier.period.multiplied(clamped: TransferRun.mostIntervals)
        },
        Alternative(
          "packets are lost and sent again, or other links and scans take the time of the radio"
        ) { transfer, _ in transfer.run.busy >= TransferRun.leastBusy },
      ]
    ) { history, _ in history.limitedTransfers }
  ]
}

extension ConnectionHistory {
  fileprivate var limitedTransfers: [(LimitedTransfer, Finding)] {
    transfers.flows.compactMap { flow in
      guard let run = flow.longest, let limit = run.limit(flow.direction) else { return nil }
      let transfer = LimitedTransfer(run: run, limit: limit, direction: flow.direction)
      guard isLeft(transfer, flow) else { return nil }
      let usage = attributes.usages.first {
        $0.server == flow.server && $0.identity.handle == flow.handle
      }
      let subject: Wording = usage.map { "\($0.named)" } ?? "an attribute"
      let queued: Wording =
        run.isQueued == true
        ? "This host's controller held further packets of the link when it completed \(run.behind) of \(run.completed)."
        : ""
      let direction: StaticString = flow.direction == .sent ? "to" : "from"
      var finding = Finding(
        "The transfer of \(subject) \(direction) the peer is limited to \(rate: run.rate) by \(transfer.run.words(transfer.limit))",
        headline:
          "the transfer of \(subject) on connection \(id) is limited to \(rate: run.rate) by \(transfer.run.words(transfer.limit))",
        why: Wording(
          sentences:
            "\(run.values) values of up to \(count: run.longest, "byte", "bytes") took \(duration: run.span).",
          transfer.details, queued), evidence: PacketSet(run.firstPacket...run.lastPacket),
        transfer.isGrave ? .warning : nil, do: transfer.remedy,
        group: "A transfer is limited by \(transfer.run.words(transfer.limit))")
      finding.attribute = usage?.named
      return (transfer, finding)
    }
  }

  /// Returns whether no other rule reports the transfer, and it is one: a loop that polls and an
  /// exchange of commands go in steps, too.
  private func isLeft(_ transfer: LimitedTransfer, _ flow: LinkTransfers.Flow) -> Bool {
    let run = transfer.run
    switch transfer.limit {
    case .link, .onePacketPerInterval: return false
    case .dataLength:
      // If more was agreed on, the time for it is too short.
      let length = link.lengths.last { $0.moment.packet < run.firstPacket }
      return (flow.direction == .sent ? length?.sent : length?.received)?.octets ?? 27 <= 27
    case .roundTrips:
      // What comes back may be the transfer, and single writes have a rule of their own.
      let other = transfers.flows.lazy.filter { $0.direction != flow.direction }.map(\.bytes).max()
      return (!flow.operation.isWrite || run.perTrip > 1) && flow.bytes > other ?? 0
        && run.repeats * 10 <= run.values && run.alike * 10 >= run.values * 9
    case .mtu, .phy, .fewPacketsPerInterval: return true
    }
  }
}

extension LimitedTransfer {
  fileprivate var details: Wording {
    switch limit {
    case .roundTrips:
      let period = max(1, run.carrier.period)
      return
        "\(run.perTrip > 1 ? "They were sent only when something had come back for those before them" : "Each was sent only when something had come back for the one before it" as StaticString), which took \(duration: trip) on average: \(decimal: Int(clamping: trip.multiplied(clamped: 100) / period)) intervals of \(interval: run.carrier.interval). Without waiting the link would allow \(rate: rate())."
    case .dataLength:
      return
        "The data length was not raised, so a value takes \(run.packets / max(1, run.values)) packets. The link allows \(rate: rate()) with such values, and would allow \(rate: rate(length: 251)) with packets of 251 bytes."
    case .mtu:
      return
        "An MTU of 23 leaves 20 bytes for a value, and \(run.alike) values have as many. The link allows \(rate: rate()) with such values, and would allow \(rate: rate(length: 251, mtu: 247)) with an MTU of 247 and packets of 251 bytes."
    case .phy:
      return
        "The link is busy with these packets for \(run.busy) % of the time. On LE 2M it would allow \(rate: rate(phy: AirTime.le2M))."
    case .fewPacketsPerInterval, .onePacketPerInterval:
      return
        "At most \(run.mostInEvent) packets cross the link in an interval of \(interval: run.carrier.interval), and \(run.room ?? 0) have room. HCI does not show which of the two controllers ends the connection events."
    case .link: return ""
    }
  }

  /// Whether another setting would double what the link allows.
  fileprivate var isGrave: Bool {
    switch limit {
    case .dataLength: rate(length: 251) >= rate() * 2
    case .mtu: rate(length: 251, mtu: 247) >= rate() * 2
    default: false
    }
  }

  fileprivate var remedy: Wording {
    switch limit {
    case .roundTrips:
      "Let several values be under way at a time: notifications instead of indications, Write Without Response, one request for several parts. A shorter connection interval shortens each round trip."
    case .dataLength:
      "Raise the data length to 251 bytes on both sides: LE Set Data Length, or LE Write Suggested Default Data Length before connecting; in firmware the controller's setting (Zephyr: CONFIG_BT_CTLR_DATA_LENGTH_MAX, CONFIG_BT_BUF_ACL_TX_SIZE)."
    case .mtu:
      "Exchange a larger MTU first (on Android requestMtu()), and send longer values: 244 bytes fill a packet of 251."
    case .phy: "Change to LE 2M (LE Set PHY) if both controllers support it."
    case .fewPacketsPerInterval, .onePacketPerInterval, .link:
      "Look at the event length on both sides (this host's: Min_CE_Length and Max_CE_Length of LE Connection Update), and at other links and scans at the same time."
    }
  }
}
