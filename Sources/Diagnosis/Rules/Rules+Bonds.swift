// Bonds over several connections, and the private addresses of devices.

import Histories
import Bluetooth
import Meanings
import Sessions

extension Rule {
  static let bonds: [Rule] = [
    Symptom(
      "bond_address_unresolved", .note, .meaning,
      "A bonded peer uses a private address that no known key resolves",
      when:
        "the peer uses a resolvable private address that no identity resolving key in the capture or from --keys resolves, and the link was encrypted with a stored key",
      do:
        "Supply the bond (BlueZ's info file for the device, for example): its connections are then shown as one device\(hint: "; --keys reads it")."
    ).needing([.events]).onConnection(
      about: Bool.self,
      elsewise: [
        Alternative("the key is new, from a pairing that the capture lacks") { isStored, _ in
          isStored
        }
      ]
    ) { history, evidence in
      guard history.isUnresolved, let peer = history.connection.peer,
        let attempt = history.encryption.attempts.first(where: {
          $0.outcome == .encrypted && $0.usesStoredKey(history, evidence)
        })
      else { return [] }
      // A new key and one of a Secure Connections bond are both announced with zeros. If the
      // capture lacks SMP, nothing distinguishes them.
      let isStored =
        attempt.ediv != 0 || attempt.rand != 0 || attempt.source(history, evidence) != nil
      guard isStored || history.isWhole else { return [] }
      var finding = Finding(
        "The peer is bonded and uses a private address that no known key resolves",
        headline: "a bonded peer uses a private address that no known key resolves",
        why:
          "\(peer) is a resolvable private address, which changes every few minutes, and the capture has no identity resolving key for it. The link was encrypted with a stored key (\(packet: attempt.endPacket)), so this host knows the peer.",
        evidence: attempt.packets, restsOnAbsence: true,
        group: "A bonded peer uses a private address that no known key resolves")
      if let pairing = evidence.pairingWithoutIdentity(of: history) {
        finding.add(
          "The pairing did not give the peer's identity resolving key (\(packet: pairing.request), \(packet: pairing.response)): when the address changes, this host cannot recognise the peer.",
          pairing.request, pairing.response)
        finding.evidence = finding.evidence.sorted
        finding.remedy =
          "Let both sides distribute identity keys (IdKey in the Pairing Request and Response), delete the bond on both sides, and pair again."
      }
      return [(isStored, finding)]
    },
    Symptom(
      "privacy_rotated", .note, .fact, "One device connected under several private addresses",
      when:
        "an identity resolving key in the capture or from --keys resolves the addresses of two or more connections to one identity"
    ).needing([.events]).inCapture { evidence in rotated(evidence) },
    Symptom(
      "keys_known", .note, .fact, "Known keys",
      when: "--show-keys is given, and the capture or a --keys file has keys"
    ).inCapture { evidence in
      guard evidence.listsKeys else { return [] }
      let lines = evidence.keys.lines(evidence)
      if lines.isEmpty { return [] }
      var finding = Finding(
        "\(count: lines.count, "key is", "keys are") known",
        why:
          "\(evidence.keys.leftOut)Bytes are in HCI order, least significant first, as btmon and BlueZ print them.",
        evidence: PacketSet(evidence.keys.keys.map(\.packet)).sorted)
      finding.details = lines
      finding.isAppendix = true
      return [finding]
    },
  ]

  /// Finds devices whose connections have different resolvable addresses.
  private static func rotated(_ evidence: Evidence) -> [Finding] {
    evidence.connectionsByDevice { $0.usedResolvable != nil }.compactMap { same in
      var addresses: [DeviceAddress] = []
      for used in same.compactMap(\.usedResolvable) where !addresses.contains(used) {
        addresses.append(used)
      }
      guard addresses.count > 1, let device = same.first?.device else { return nil }
      var keys: [KnownKeys.Key] = []
      for key in same.flatMap({ evidence.keys(of: $0) })
      where key.kind == .identityResolving && key.side == .peer && key.packet > 0
        && !keys.contains(where: { $0.bytes == key.bytes })
      { keys.append(key) }
      let shown = Wording(first: 4, of: addresses) { "\($0)" }
      let given: Wording =
        keys.isEmpty ? "" : " (\(Wording(listing: keys.prefix(4).map { "\(packet: $0.packet)" })))"
      let resolve: Wording = keys.count > 1 ? "keys\(given) resolve" : "key\(given) resolves"
      return Finding(
        "\(DeviceAddress(value: device)) used \(addresses.count) private addresses",
        why:
          "Its identity resolving \(resolve) \(shown): connections \(Wording(listing: same.prefix(8).map { "\($0.id)" })) are with the same device.",
        evidence: PacketSet(
          (same.prefix(8).map(\.connection.firstPacket) + keys.map(\.packet)).sorted()),
        on: same.map(\.id))
    }
  }
}
