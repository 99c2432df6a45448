import Histories
import Bluetooth
import Bytes
import Meanings
import Sessions

// Rules about the radio, as a sniffer received it: it is not at the place of either device.

extension Rule {
  static let airRadio: [Rule] = [
    Symptom(
      "air_poor_radio", .note, .meaning, "A side's packets are received badly",
      when:
        "more than 5 % of a side's packets have a wrong CRC, half of them come with less than −85 dBm, or more than 30 % are damaged on channels that stay in use; a warning if the devices themselves send again more than 10 %",
      do:
        "Move the sniffer nearer to the devices. If the devices have to send again as well, look for interference (Wi-Fi) on these channels: a central should exclude such channels."
    ).needing([.air]).onConnection(
      about: Reception.self,
      elsewise: [
        Alternative("only the sniffer receives it badly, and the devices hear each other") {
          it, _ in
          it.isResent
        }
      ]
    ) { history, _ in
      Reception(history).flatMap { it in it.finding.map { [(it, $0)] } } ?? []
    },
    Symptom(
      "air_retransmissions", .warning, .fact, "A side sends much of its data again",
      when:
        "more than 20 % of 100 or more packets of a side repeat the one before, in consecutive connection events",
      do:
        "A packet is sent again if the other side did not receive it, if its acknowledgement was lost, or if the other side has no room for it (flow control). Compare distance, antennas and interference first, then the receiving side's buffers."
    ).needing([.air]).onConnection { history, _ in
      [Side.local, .peer].compactMap { resent($0, history) }
    },
    Symptom(
      "air_latency_ignored", .note, .fact,
      "A peripheral answers every connection event although it may skip them",
      when:
        "the peripheral may skip events, and answers 95 % or more of 100 or more events in which neither side has anything to send",
      do:
        "To save energy, let the peripheral's controller use the latency: in most controllers it is on by default, and a setting or a pending transmission switches it off."
    ).needing([.air]).onConnection { history, _ in latencyIgnored(history).map { [$0] } ?? [] },
    Symptom(
      "air_clock_drift", .note, .meaning,
      "The central's clock deviates by more than it declares",
      when:
        "the connection events of a minute or more drift from the connection interval by 50 ppm more than the central's sleep clock accuracy",
      do:
        "Check the central's crystal and its load capacitors, or let its controller declare a lower accuracy."
    ).needing([.air, .opening]).onConnection(elsewise: [
      Alternative(always: "the sniffer's own clock deviates")
    ]) { history, _ in drift(history).map { [$0] } ?? [] },
  ]

  private static let leastPackets = 100

  private static func resent(_ side: Side, _ history: ConnectionHistory) -> Finding? {
    guard let air = history.air, let link = air.link, !link.isFiltered, link.lostTrack == nil else {
      return nil
    }
    // A central sends again in every event that the peripheral may skip.
    if side == .local, history.mayHaveSkipped { return nil }
    // Nothing acknowledges the packets after the last answer.
    let tail = side == .local ? air.unanswered?.count ?? 0 : 0
    let all = link.side(side).packets - tail
    let again = air.resent(by: side) - tail
    guard all >= leastPackets, again * 5 > all else { return nil }
    // Where the sniffer hears only one side of many events, an equal packet may be another one.
    let oneSided = link.eventsOnlyCentral.adding(clamped: link.eventsOnlyPeripheral)
    guard link.eventsSeen > 0, oneSided <= link.eventsSeen / 5 else { return nil }
    return Finding(
      "\(side.roleCapitalized) sent \(percent: again, of: all) of its packets again",
      headline: "\(side.roleWords) sent \(percent: again, of: all) of its packets again",
      why:
        "\(again) of the \(all) packets of \(side.roleWords) in the capture repeat the one before, in consecutive connection events.",
      evidence: PacketSet(of: link.side(side).firstPacket, link.side(side).lastPacket),
      group: "\(side.roleCapitalized) sent much of its data again")
  }

  private static func latencyIgnored(_ history: ConnectionHistory) -> Finding? {
    guard let air = history.air, air.idle.answered >= leastPackets,
      air.idle.skipped * 20 <= air.idle.answered, let current = history.link.current
    else { return nil }
    return Finding(
      "The peripheral answered \(air.idle.answered) idle events although it may skip up to \(current.latency) at a time",
      headline: "the peripheral does not use the latency of \(current.latency)",
      why:
        "Neither side had anything to send in \(air.idle.answered + air.idle.skipped) events, and the peripheral answered \(air.idle.answered) of them (\(packet: air.idle.first) to \(packet: air.idle.last)). With the latency in force it may sleep for \(duration: current.longestPause).",
      evidence: PacketSet(of: air.idle.first, air.idle.last),
      group: "The peripheral does not use the latency")
  }

  private static let leastDriftTime: Int64 = 60_000_000
  private static let leastDrift: Int64 = 50

  private static func drift(_ history: ConnectionHistory) -> Finding? {
    guard let link = history.air?.link, let declared = link.declaredAccuracy,
      link.drift.time >= leastDriftTime
    else { return nil }
    let drift = link.drift.deviation.multiplied(clamped: 1_000_000) / link.drift.time
    guard abs(drift) >= Int64(declared) + leastDrift else { return nil }
    return Finding(
      "The central's connection events drift by \(abs(drift)) ppm",
      headline: "the central's clock deviates by \(abs(drift)) ppm",
      why:
        "Over \(duration: link.drift.time.multiplied(clamped: 1000)) the connection events came \(duration: abs(link.drift.deviation).multiplied(clamped: 1000)) \(drift > 0 ? "later" : "earlier" as StaticString) than the interval gives, by the sniffer's clock. The central declares \(declared) ppm or better (\(packet: link.opening)).",
      evidence: PacketSet(of: link.opening, link.sides[0].lastPacket),
      group: "The central's connection events drift")
  }
}

/// How well a sniffer received the sides of a connection.
private struct Reception: Sendable {
  let history: ConnectionHistory
  let link: AirLink
  /// The sides with many damaged packets or a weak signal.
  let damaged: [Side]
  let weak: [Side]
  /// Channels in use on which many packets are damaged.
  let channels: [Int]
  /// Whether such a side sends much again.
  let isResent: Bool

  private static let leastPackets = 100
  private static let leastOnChannel = 10
  private static let weakest: Int8 = -85

  init?(_ history: ConnectionHistory) {
    guard let air = history.air, let link = air.link else { return nil }
    (self.history, self.link) = (history, link)
    let sides = [Side.local, .peer]
    damaged = sides.filter {
      let side = link.side($0)
      return side.packets + side.crcErrors >= Self.leastPackets
        && side.crcErrors * 20 > side.packets + side.crcErrors
    }
    weak = sides.filter {
      let rssi = link.side($0).rssi
      return rssi.total >= Self.leastPackets && rssi.percentile(50) ?? 0 < Self.weakest
    }
    channels = (0..<37).filter { channel in
      let cells = (0..<2).map { link.cell($0, channel) }
      let (errors, all) = (
        cells.reduce(0) { $0 + $1.errors }, cells.reduce(0) { $0 + $1.errors + $1.packets }
      )
      return all >= Self.leastOnChannel && errors * 10 > all * 3
        && (link.channelMap == 0 || link.channelMap >> UInt64(channel) & 1 == 1)
    }
    isResent = sides.contains {
      let packets = link.side($0).packets
      return !link.isFiltered && !($0 == .local && history.mayHaveSkipped)
        && packets >= Self.leastPackets && air.resent(by: $0) * 10 > packets
    }
  }

  var finding: Finding? {
    guard !damaged.isEmpty || !weak.isEmpty || !channels.isEmpty else { return nil }
    let who: Wording =
      damaged.isEmpty && weak.isEmpty
      ? "Packets on some channels"
      : "Packets of \(Wording(listing: Side.both.filter { damaged.contains($0) || weak.contains($0) }.map { "\($0.roleWords)" }))"
    var sentences: [Wording] = damaged.map {
      let side = link.side($0)
      return
        "Of the packets of \($0.roleWords), \(side.crcErrors) of \(side.packets + side.crcErrors) (\(percent: side.crcErrors, of: side.packets + side.crcErrors)) have a wrong CRC."
    }
    sentences += weak.map {
      "Half of the packets of \($0.roleWords) came with \(Int(link.side($0).rssi.percentile(50) ?? 0)) dBm or less."
    }
    if !channels.isEmpty {
      sentences.append(
        "On \(channels.count == 1 ? "channel" : "channels" as StaticString) \(Wording(first: 12, of: channels) { "\($0)" }), which \(channels.count == 1 ? "is" : "are" as StaticString) in use, more than 30 % are damaged."
      )
    }
    if isResent { sentences.append("The devices send more than 10 % of their packets again.") }
    return Finding(
      "\(who) were received badly", why: Wording(sentences, joinedBy: " "),
      evidence: PacketSet(of: link.firstPacket, link.sides.map(\.lastPacket).max()),
      isResent ? .warning : nil, group: "Packets were received badly")
  }
}

extension Side {
  fileprivate static let both: [Side] = [.local, .peer]
}

extension ConnectionHistory {
  /// Whether the peripheral may have skipped events, because it was allowed to.
  var mayHaveSkipped: Bool {
    link.parameters.map { $0.latency > 0 } ?? true
      || link.updates.contains { $0.result?.latency ?? 0 > 0 } || !link.subrates.isEmpty
  }
}

extension AirLink {
  /// The accuracy in ppm that the central declared of its sleep clock (Core, Vol 6, Part B,
  /// 2.3.3.1); nil: unknown.
  fileprivate var declaredAccuracy: Int? {
    clockAccuracy.map { [500, 250, 150, 100, 75, 50, 30, 20][Int($0 & 7)] }
  }
}

extension Wording.StringInterpolation {
  /// Appends a share: `7.2 %`.
  mutating func appendInterpolation(percent part: Int, of all: Int) {
    appendInterpolation(
      decimal: all > 0 ? part.multiplied(clamped: 1000).adding(clamped: all / 2) / all * 10 : 0)
    appendLiteral(" %")
  }
}
