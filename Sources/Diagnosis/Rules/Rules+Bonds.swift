// Bonds over several connections, and the private addresses of devices.

import Bluetooth
import Sessions
import Words

extension Rule {
  /// The rules about bonds and privacy.
  static let bonds: [Rule] = [
    Rule(
      "bond-repaired", .note, "The two paired anew after the key of their bond was missing",
      when:
        "pairing ends with an encrypted link, and encryption had failed for a missing key before, on this or an earlier connection",
      needs: [.events]
    ) { history, evidence in
      guard
        let pairing = history.encryption.attempts.last(where: {
          $0.followsPairing && $0.outcome == .encrypted
        })
      else { return [] }
      let failed =
        history.encryption.attempts.last {
          $0.lacksKey && $0.moment.packet < pairing.moment.packet
        }
        ?? evidence.earlier(than: history).last { $0.lackingKey != nil }?.lackingKey
      guard let failed else { return [] }
      let packet = pairing.end?.packet ?? pairing.moment.packet
      var finding = Finding(
        "The two paired anew after the key of their bond was missing",
        headline: "the bond whose key was missing was made anew at \(packet: packet)",
        why:
          "A key was missing (\(packet: failed.end?.packet ?? failed.reply?.packet ?? failed.moment.packet)); pairing made a new one, and the link was encrypted with it (\(packet: packet)).",
        evidence: failed.packets.union(pairing.packets))
      finding.isResolved = true
      return [finding]
    },
    Rule(
      "bond-address-unresolved", .note,
      "A bonded peer uses a private address that no known key resolves",
      when:
        "the peer's address is a resolvable private one, none of the identity resolving keys of the capture or of --keys resolves it, and the link was encrypted with a stored key",
      needs: [.events],
      do:
        "Give the bond with --keys, such as BlueZ's info file of the device: then its connections are shown as one device's."
    ) { history, evidence in
      guard history.isUnresolved, let peer = history.connection.peer,
        let attempt = history.encryption.attempts.first(where: {
          $0.outcome == .encrypted && $0.usesStoredKey(history, evidence)
        })
      else { return [] }
      var finding = Finding(
        "The peer is bonded, and hides behind a private address",
        headline: "a bonded peer hides behind a private address",
        why:
          "\(peer) is a resolvable private address, which changes every few minutes; the key that says whose it is came before this capture. The link was encrypted with a stored key (\(packet: attempt.end?.packet ?? attempt.moment.packet)), so this host knows it.",
        evidence: attempt.packets)
      finding.group = "A bonded peer hides behind a private address"
      finding.restsOnAbsence = true
      return [finding]
    },
    Rule(
      whole: "privacy-rotated", .note, "One device was connected under several private addresses",
      when:
        "an identity resolving key of the capture or of --keys resolves the addresses of two or more connections to one identity",
      needs: [.events]
    ) { evidence in rotated(evidence) },
    Rule(
      whole: "keys-known", .note, "The keys that are known",
      when: "keys are asked for with --show-keys, and the capture or a file of --keys has some"
    ) { evidence in
      guard evidence.listsKeys else { return [] }
      let lines = evidence.keys.lines(evidence)
      if lines.isEmpty { return [] }
      var packets = PacketSet()
      for key in evidence.keys.keys { packets.insert(key.packet) }
      var finding = Finding(
        "\(count: lines.count, "key is", "keys are") known",
        headline: "\(count: lines.count, "key is", "keys are") known",
        why:
          "\(evidence.keys.leftOut)The bytes are in the order in which they cross HCI, as btmon and BlueZ print them: least significant first.",
        evidence: packets.sorted)
      finding.details = lines
      finding.isAppendix = true
      return [finding]
    },
  ]

  /// Finds devices whose connections have different resolvable addresses.
  private static func rotated(_ evidence: Evidence) -> [Finding] {
    var order: [UInt64] = []
    var uses: [UInt64: [(address: DeviceAddress, history: ConnectionHistory)]] = [:]
    for history in evidence.connections {
      let connection = history.connection
      var used = connection.peerResolvable
      if used == nil, connection.peerKind == .randomResolvable { used = connection.peer }
      guard let used, !history.isUnresolved, used.value != history.device & 0xffff_ffff_ffff
      else { continue }
      if uses[history.device] == nil { order.append(history.device) }
      uses[history.device, default: []].append((used, history))
    }
    return order.compactMap { device in
      guard let all = uses[device] else { return nil }
      var addresses: [DeviceAddress] = []
      for use in all where !addresses.contains(use.address) { addresses.append(use.address) }
      guard addresses.count > 1 else { return nil }
      let identity = DeviceAddress(value: device)
      let shown = addresses.prefix(4).map { address -> Wording in "\(address)" }
      let more: Wording = addresses.count > 4 ? " and \(addresses.count - 4) more" : ""
      var packets = PacketSet(all.prefix(8).map(\.history.connection.firstPacket))
      let key = all.lazy.compactMap { use in
        evidence.keys.keys(of: use.history).first {
          $0.kind == .identityResolving && $0.side == .peer && $0.packet > 0
        }
      }.first
      packets.insert(key?.packet)
      let given: Wording = key.map { " (\(packet: $0.packet))" } ?? ""
      var finding = Finding(
        "\(identity) used \(addresses.count) private addresses",
        headline: "\(identity) used \(addresses.count) private addresses",
        why:
          "Its identity resolving key\(given) resolves \(Wording(listing: shown))\(more): connections \(Wording(listing: all.prefix(8).map { "\($0.history.id)" })) are with one device.",
        evidence: packets.sorted, on: all.map(\.history.id))
      finding.group = "\(identity) used \(addresses.count) private addresses"
      return finding
    }
  }
}
