import Histories
import Bluetooth
import Dissectors
import Meanings
import Sessions

// A rule about devices that pair on each connection.

extension Rule {
  static let unbonded: [Rule] = [
    Symptom(
      "smp_not_bonded", .warning, .meaning,
      "The devices pair on each connection because a side does not bond",
      when:
        "pairing succeeds on two or more connections of a device, one side declares no bonding in each of them, and no connection is encrypted with a stored key",
      do:
        "Enable bonding on the side that does not declare it (with Zephyr CONFIG_BT_BONDABLE, with NimBLE ble_hs_cfg.sm_bonding = 1, with ESP-IDF ESP_LE_AUTH_REQ_SC_BOND, in BlueZ AlwaysPairable and btmgmt bondable on), let both sides distribute their keys, and store them."
    ).needing([.bothDirections, .events]).inCapture { evidence in notBonded(evidence) }
  ]

  private static func notBonded(_ evidence: Evidence) -> [Finding] {
    evidence.connectionsByDevice { _ in true }.compactMap { same in
      let pairings = same.compactMap { history in
        history.pairing.attempts.last {
          $0.encrypted != nil && $0.isPaired && !$0.isOverBREDR && $0.keySizes.count == 2
        }.map { (history, $0) }
      }
      guard pairings.count > 1, let last = pairings.last,
        !same.contains(where: { $0.security.isStoredKey || $0.connection.hasLostPackets })
      else { return nil }
      let sides = [Side.local, .peer].filter { side in
        pairings.allSatisfy { $0.1[$0.1.role(of: side)].features?.pdu.authReq.bonds == false }
      }
      guard let side = sides.first else { return nil }
      let who: Wording = sides.count > 1 ? "neither side bonds" : "\(side.words) does not bond"
      let declared = pairings.prefix(4).compactMap { pairing in
        pairing.1[pairing.1.role(of: side)].features?.moment.packet
      }
      let numbers = Wording(first: 4, of: pairings) { "\($0.0.id)" }
      // Without a refusal, the two may be meant to have no bond.
      let isRefused = pairings.dropFirst().contains { history, _ in
        history.attributes.refusals.contains { $0.error.isAboutSecurity && $0.accepted != nil }
      }
      return Finding(
        "The devices paired on \(pairings.count) connections, because \(who)",
        headline:
          "the devices paired on \(pairings.count) connections, because \(who) (\(packet: declared.first ?? last.1.first.packet))",
        why:
          "Pairing succeeded on connections \(numbers). Each time \(sides.count > 1 ? "both sides" : side.words as StaticString) declared no bonding (\(Wording(listing: declared.map { "\(packet: $0)" }))), so this pairing leaves no key for the next connection.",
        evidence: PacketSet(declared), on: pairings.map(\.0.id), isRefused ? nil : .note,
        restsOnAbsence: true)
    }
  }
}
