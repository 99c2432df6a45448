import Bluetooth
import Bytes
import Meanings
import Sessions

// What a sniffer recorded of a connection, as JSON.

extension JSONSink {
  /// Appends what a sniffer recorded of a connection as keys of the current object.
  mutating func radio(of link: AirLink) {
    identifier("access_address", UInt64(link.accessAddress), digits: 8)
    if let crcInit = link.crcInit {
      identifier("crc_init", UInt64(crcInit), digits: 6)
      if link.isCRCInitFound { word("crc_init_via", "inferred") }
    }
    if let hop = link.hop { number("hop", Int(hop)) }
    if link.channelSelection > 0 { number("channel_selection", Int(link.channelSelection)) }
    events(of: link)
    sides(of: link)
    if let lost = link.lostTrack {
      begin("lost_track")
      number("packet", lost.packet)
      number("event", lost.event)
      if lost.cause > 0 { number("cause", lost.cause) }
      end()
    }
    encryption(of: link)
  }

  /// Appends the intervals of a connection from the air and its changes of PHYs, each with the
  /// packet that announces it and the event from which on it applies.
  mutating func changes(_ changes: [AirChange], of connection: Connection) {
    let first = connection.isOpeningMissing ? nil : connection.figures.intervals.first
    let intervals = changes.filter { if case .interval = $0.what { true } else { false } }
    if first != nil || !intervals.isEmpty {
      beginList("intervals")
      if let first { interval(first, packet: connection.firstPacket, event: 0) }
      for case (let change, .interval(let value)) in intervals.map({ ($0, $0.what) }) {
        interval(value, packet: change.packet, event: change.event)
      }
      endList()
    }
    guard intervals.count < changes.count else { return }
    beginList("phy_changes")
    for case (let change, .phys(let sent, let received)) in changes.map({ ($0, $0.what) }) {
      beginItem()
      string(Direction.sent.key(.air), Wording("\(phy: sent)").text)
      string(Direction.received.key(.air), Wording("\(phy: received)").text)
      number("packet", change.packet)
      number("event", Int(change.event))
      endItem()
    }
    endList()
  }

  private mutating func interval(_ interval: UInt16, packet: Int, event: UInt16) {
    beginItem()
    quantity("interval", Int(interval), .interval)
    number("packet", packet)
    number("event", Int(event))
    endItem()
  }

  private mutating func events(of link: AirLink) {
    if link.isFiltered { flag("filtered", true) }
    guard !link.isFiltered, let first = link.firstEvent, let last = link.lastEvent else { return }
    begin("events")
    number("first", first)
    number("last", last)
    number("seen", link.eventsSeen)
    number("missed", link.eventsMissed)
    number("only_central", link.eventsOnlyCentral)
    number("only_peripheral", link.eventsOnlyPeripheral)
    if link.longestHole > 0 {
      number("longest_hole", link.longestHole)
      number("packet_after_hole", link.longestHolePacket)
    }
    end()
  }

  private mutating func sides(of link: AirLink) {
    begin("sides")
    for (key, side) in zip(["central", "peripheral", "unknown"] as [StaticString], link.sides)
    where side.packets > 0 || side.crcErrors > 0 {
      begin(key)
      number("packets", side.packets)
      number("empty", side.empty)
      number("resent", side.resent)
      number("crc_errors", side.crcErrors)
      if side.missed > 0 { number("missed_at_least", side.missed) }
      if let median = side.rssi.percentile(50) { quantity("rssi", Int(median), .dBm) }
      end()
    }
    end()
  }

  private mutating func encryption(of link: AirLink) {
    if let source = link.periods.last(where: { $0.keySource != nil })?.keySource {
      word("key_via", source.key)
    }
    let unread = link.periods.filter { $0.undecrypted > 0 }
    guard let worst = unread.max(by: { $0.undecrypted < $1.undecrypted }) else { return }
    begin("not_decrypted")
    if let reason = worst.reason { word("reason", reason.key) }
    number("packets", unread.reduce(0) { $0.adding(clamped: $1.undecrypted) })
    number("first_packet", unread.map(\.firstUndecrypted).min() ?? 0)
    number("last_packet", unread.map(\.lastUndecrypted).max() ?? 0)
    end()
  }
}

extension AirFact.Stream {
  /// The name of a stream in the JSON contract; nil for what is not a stream.
  var streamKey: StaticString? {
    switch self {
    case .connectedIsochronous: "cis"
    case .broadcastIsochronous: "bis"
    case .periodicAdvertising: "periodic_advertising"
    case .connection, .unknown: nil
    }
  }
}
