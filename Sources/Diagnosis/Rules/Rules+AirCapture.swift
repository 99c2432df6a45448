import Histories
import Bluetooth
import Bytes
import Meanings
import Sessions

// Rules about what a sniffer missed, and what it could not read.

extension Rule {
  static let airCapture: [Rule] = [
    Symptom(
      "air_lost_track", .warning, .meaning, "The sniffer lost track of a connection",
      when:
        "after a change that the sniffer could not read, it counts the connection events wrongly, or has packets of less than a tenth of them",
      do:
        "Give the sniffer the passkey or the key before the devices pair or encrypt, so that it can read the changes of interval and channel map. What it seems to miss from there on proves nothing about the devices."
    ).with(.ofCapture).needing([.air]).onConnection(elsewise: [
      Alternative("the devices went out of the sniffer's range, or it missed another change") {
        history, _ in
        guard let cause = history.air?.link?.lostTrack?.cause, cause > 0 else { return false }
        // It was decrypted later, and explains the count.
        return history.link.updates.contains { $0.completed?.packet == cause }
      }
    ]) { history, _ in lostTrack(history).map { [$0] } ?? [] },
    Symptom(
      "air_not_decrypted", .note, .fact, "Packets on the air stay encrypted",
      when: "a connection has encrypted packets, and no key for them is known",
      do:
        "Supply the key with --keys: the long term key of one of the devices, the capture of the pairing, or the HCI log of one side."
    ).with(.ofCapture).needing([.air]).onConnection(merges: true) { history, _ in
      (history.air?.link?.periods ?? []).compactMap { notDecrypted($0) }
    },
    Symptom(
      "air_capture_holes", .note, .fact, "The sniffer missed connection events",
      when: "more than 2 % of 100 or more connection events have no packet in the capture",
      do:
        "Place the sniffer between the devices, away from other radios. Packets that this connection seems to lack may have been sent."
    ).with(.ofCapture).needing([.air]).onConnection { history, _ in
      holes(history).map { [$0] } ?? []
    },
  ]

  private static func lostTrack(_ history: ConnectionHistory) -> Finding? {
    guard let link = history.air?.link, let lost = link.lostTrack else { return nil }
    let update = history.link.updates.last { $0.completed?.packet == lost.cause }
    let change: Wording =
      update.flatMap { update -> Wording? in
        guard let before = update.before, let after = update.result else { return nil }
        return " (\(interval: before.interval) to \(interval: after.interval))"
      } ?? ""
    let cause: Wording =
      lost.cause > 0
      ? "It could not read the encrypted LL_CONNECTION_UPDATE_IND\(change) in \(packet: lost.cause), and followed the old interval."
      : ""
    let count: Wording =
      update == nil ? "" : "Its count of connection events is wrong from then on."
    let (seen, passed) = (
      link.eventsSeen - link.eventsSeenBeforeLoss, (link.lastEvent ?? 0) - lost.event + 1
    )
    let rest: Wording =
      seen > 0 && passed > seen
      ? "From then on the capture has packets of \(seen) of \(passed) connection events."
      : ""
    return Finding(
      "The sniffer lost track of the connection at \(packet: lost.packet)",
      headline: "the sniffer lost track of connection \(history.id) (\(packet: lost.packet))",
      why: Wording(
        sentences: cause, rest, count),
      evidence: PacketSet(of: lost.cause, lost.packet),
      group: "The sniffer lost track of the connection")
  }

  private static func notDecrypted(_ period: EncryptionPeriod) -> Finding? {
    guard period.undecrypted > 0 else { return nil }
    let packets: Wording = "\(count: period.undecrypted, "packet is", "packets are")"
    return Finding(
      "\(packets) encrypted, and could not be read",
      headline: "\(packets) encrypted",
      why:
        "\(period.undecryptedRange): \(packets) encrypted\(period.why).",
      evidence: PacketSet(
        of: period.request, period.response, period.start, period.firstUndecrypted,
        period.lastUndecrypted),
      do: period.help)
  }

  private static let leastEvents = 100

  private static func holes(_ history: ConnectionHistory) -> Finding? {
    guard let link = history.air?.link, !link.isFiltered, link.lostTrack == nil else { return nil }
    let all = link.eventsSeen.adding(clamped: link.eventsMissed)
    guard all >= leastEvents, link.eventsMissed > all / 50 else { return nil }
    let rare = link.rareChannels
    return Finding(
      "The sniffer missed \(percent: link.eventsMissed, of: all) of the connection events",
      headline:
        "the sniffer missed \(percent: link.eventsMissed, of: all) of the events of connection \(history.id)",
      why: Wording(
        sentences:
          "Of \(all) connection events, \(link.eventsMissed) have no packet in the capture; the longest run is \(count: link.longestHole, "event", "events") before \(packet: link.longestHolePacket).",
        rare.isEmpty
          ? ""
          : "It has fewest packets on \(rare.count == 1 ? "channel" : "channels" as StaticString) \(Wording(first: 12, of: rare) { "\($0)" })."
      ),
      evidence: PacketSet(of: link.longestHolePacket),
      group: "The sniffer missed connection events")
  }
}

extension EncryptionPeriod {
  /// What helps, if it is not what the rule says: a key, or the capture of the pairing.
  fileprivate var help: Wording? {
    switch reason {
    case .secureConnections:
      "Supply the long term key of one device, or the HCI log of one side, with --keys. Firmware for tests can use the debug key pair, with which no key is needed."
    case .outOfBand: "Supply the out-of-band data (oob: in a file of keys) or the key with --keys."
    case .lostCounter:
      "Place the sniffer nearer to the devices, so that fewer packets are missing."
    case .requestMissing, .responseMissing, .beganBefore:
      "Record again from the beginning of the connection, with the sniffer nearer to the devices."
    default: nil
    }
  }
}

extension AirLink {
  private static let mostRare = 6

  /// The channels in use on which the capture has less than half as many packets as on average.
  fileprivate var rareChannels: [Int] {
    let counts = (0..<37).map { cell(0, $0).packets + cell(1, $0).packets }
    let used = (0..<37).filter { channelMap >> UInt64($0) & 1 == 1 }
    let sum = used.reduce(0) { $0 + counts[$1] }
    guard sum >= 20 * used.count, used.count > 1 else { return [] }
    let rare = used.filter { counts[$0] * used.count * 2 < sum }
    // Many are those that were not in use all the time.
    return rare.count <= Self.mostRare ? rare : []
  }
}
