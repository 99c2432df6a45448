// Rules about a bond that one side has lost.

import Bluetooth
import Sessions
import Words

extension Rule {
  /// The rules about a bond that only one side has.
  static let missingKeys: [Rule] = [
    Rule(
      "enc-key-missing-peripheral", .error, .meaning,
      "The central encrypts with the key of a bond, but the peripheral has no such key",
      when:
        "encryption ends with PIN or Key Missing (0x06), or the peripheral's host answers LE Long Term Key Request with the Negative Reply",
      needs: [.events], leansOn: [.commands],
      do:
        "Delete the bond on the central too, then pair again: Forget This Device on iOS, Forget on Android, bluetoothctl remove on BlueZ, bt_unpair on Zephyr. If it recurs after each restart or update of the peripheral, its firmware does not keep bonds: on Zephyr CONFIG_BT_SETTINGS with settings_load, on Nordic's SDK the peer manager's flash pages, which an update must not erase."
    ) { history, evidence in
      let attempts = history.encryption.attempts.filter(\.lacksKey)
      guard let attempt = attempts.last, history.connection.transport != .brEDR else { return [] }
      var finding =
        attempt.isKeyMissingHere
        ? missingHere(attempt, history, evidence) : missingThere(attempt, history, evidence)
      for other in attempts.dropLast() { finding.evidence = finding.evidence.union(other.packets) }
      finding = evidence.settle(finding, attempt, history)
      if attempt.isKeyMissingHere,
        let deleted = history.unpaired(before: attempt.packets.first ?? 0, evidence),
        let success = evidence.success(after: attempt, history), success.attempt.followsPairing
      {
        finding.remedy =
          "Nothing more: a program on this host had deleted the bond (\(packet: deleted.packet)), and the devices have paired again since."
      }
      finding.evidence = finding.evidence.sorted
      return [finding]
    },
    Rule(
      "enc-key-missing-central", .error, .meaning,
      "The central has lost the bond and pairs again, but the peripheral still has the bond and refuses",
      when:
        "a Pairing Request without a preceding attempt to encrypt is refused at once, and the two had a bond on an earlier connection of the capture, or a --keys file has one",
      needs: [.bothDirections, .commands, .events, .opening],
      do:
        "Delete the bond on the peripheral too, by a reset or in its own menu, or make its firmware accept a new pairing from a known device: on Zephyr CONFIG_BT_SMP_ALLOW_UNAUTH_OVERWRITE or bt_unpair, on Nordic's SDK allow_repairing in the PM_EVT_CONN_SEC_CONFIG_REQ event."
    ) { history, evidence in
      guard let request = history.encryption.pairingRequest,
        let refusal = history.encryption.refusal, refusal.moment.packet > request.moment.packet,
        refusesBonded.contains(refusal.reason.rawValue), !history.connection.isOpeningMissing,
        !history.encryption.attempts.contains(where: {
          $0.moment.packet < request.moment.packet
        }), !history.encryption.wasEncrypted
      else { return [] }
      return lostByCentral(request, refusal, history, evidence)
    },
  ]

  /// Reasons with which a peripheral refuses a pairing that it does not want: Authentication
  /// Requirements, Pairing Not Supported, Unspecified Reason, Key Rejected.
  private static let refusesBonded: [UInt8] = [0x03, 0x05, 0x08, 0x0f]

  /// Returns the finding if this host is the central.
  private static func missingThere(
    _ attempt: EncryptionAttempt, _ history: ConnectionHistory, _ evidence: Evidence
  ) -> Finding {
    let end = attempt.end?.packet ?? attempt.moment.packet
    let isLocal = attempt.start != .keyRequest && history.connection.central != .peer
    let asked: Wording =
      attempt.start == .unseen
      ? "Encryption failed with \(StatusCode.pinOrKeyMissing) (\(packet: end))"
      : "\(attempt.beginning), and the peer answered \(StatusCode.pinOrKeyMissing) (\(packet: end))"
    var why: Wording =
      isLocal
      ? "\(asked): its host has no key for this one."
      : "\(asked): one side has no key for the other."
    why = "\(why)\(attempt.aside(history, evidence))"
    if let success = history.encryption.success(after: attempt), !success.followsPairing {
      let packet = success.end?.packet ?? success.moment.packet
      var finding = Finding(
        "The peer had no key when encryption was first requested",
        headline:
          "encryption failed at \(packet: end) because the peer had no key; it succeeded at \(packet: packet)",
        why: "\(why) Later it had one.", evidence: attempt.packets)
      finding.remedy =
        "Nothing, if it happens once. Some hosts load their bonds only after accepting the connection: encrypt again, as here."
      return finding
    }
    var finding = Finding(
      isLocal
        ? "The peer has lost the key of the bond" : "The key of the bond is missing on one side",
      headline:
        "this host and the peer no longer share a key: \(isLocal ? "the peer" : "one of them" as StaticString) has lost the bond, so encryption failed (\(packet: end))",
      why: why, evidence: attempt.packets)
    add(bondOf: history, evidence, isLocal ? "the peer" : "one side", to: &finding)
    return finding
  }

  /// Returns the finding if this host is the peripheral.
  private static func missingHere(
    _ attempt: EncryptionAttempt, _ history: ConnectionHistory, _ evidence: Evidence
  ) -> Finding {
    let reply = attempt.reply?.packet ?? attempt.moment.packet
    var finding = Finding(
      "This host has lost the key of the bond that the peer uses",
      headline:
        "this host and the peer no longer share a key: this host has none for the peer's bond, so encryption failed (\(packet: reply))",
      why:
        "\(attempt.beginning), and this host answered that it has none for it (\(packet: reply)).",
      evidence: attempt.packets)
    let isPrivate = history.connection.peerKind == .randomResolvable
    if isPrivate {
      finding.note =
        history.isUnresolved
        ? "The peer's address is a resolvable private one that no key in the capture resolves: if this host has the bond, it did not recognise the peer."
        : "The peer's address is a resolvable private one: if this host still has the bond, it did not recognise the peer."
      finding.what = "This host has no key for the bond that the peer uses"
    }
    if let refused = evidence.resolvingRefusal(history), history.bond(evidence) != nil, isPrivate {
      finding.note = nil
      finding.what = "This host did not recognise the bonded peer behind its private address"
      finding.headline =
        "this host did not recognise the peer behind its private address, so it has no key for it (\(packet: reply))"
      finding.why =
        "\(finding.why) The peer came with a new resolvable private address. The controller had refused LE Add Device To Resolving List (\(packet: refused)), so it does not resolve the address, and this host found no bond for it."
      finding.certainty = .likely
      finding.evidence.insert(refused)
      finding.remedy =
        "Let this host resolve private addresses itself, with the identity resolving keys of its bonds, or use a controller with a resolving list. Until then the two have to pair on each connection."
      return finding
    }
    if isPrivate, let known = history.connectionWithKey(attempt, evidence) {
      return notRecognised(finding, attempt, history, known, evidence)
    }
    add(
      bondOf: history, evidence, isPrivate ? nil : "this host", isLostHere: true, to: &finding)
    return finding
  }

  /// Returns the finding if this host has the key, since another connection used the one with the
  /// same numbers, but the peer came with an address that this host did not recognise.
  private static func notRecognised(
    _ found: Finding, _ attempt: EncryptionAttempt, _ history: ConnectionHistory,
    _ known: (history: ConnectionHistory, packet: Int), _ evidence: Evidence
  ) -> Finding {
    var finding = found
    let reply = attempt.reply?.packet ?? attempt.moment.packet
    finding.note = nil
    finding.what = "This host did not recognise the bonded peer behind its private address"
    finding.headline =
      "this host did not recognise the peer behind its private address, so it did not find the key (\(packet: reply))"
    finding.why =
      "\(finding.why) EDIV \(code: attempt.ediv, digits: 4) and the random number are those of the key of connection \(known.history.id) (\(packet: known.packet)), so the peer uses that bond. It came with another resolvable private address, which this host did not resolve."
    finding.certainty = .likely
    finding.evidence.insert(known.packet)
    guard let pairing = evidence.pairingWithoutIdentity(of: known.history) else {
      finding.remedy =
        "Let this host or its controller resolve private addresses with the identity resolving keys of its bonds, and find bonds by the identity, not by the address."
      return finding
    }
    finding.why =
      "\(finding.why) The pairing had not given it the peer's identity resolving key (\(packet: pairing.request), \(packet: pairing.response))."
    finding.evidence =
      finding.evidence.union(PacketSet([pairing.request, pairing.response])).sorted
    finding.remedy =
      "Let both sides distribute identity keys (IdKey in the Pairing Request and Response; NimBLE: sm_our_key_dist and sm_their_key_dist, Zephyr: CONFIG_BT_PRIVACY or CONFIG_BT_SMP with identity distribution). Delete the bond on both sides, then pair again. An accept list of private addresses is useless after some minutes."
    return finding
  }

  /// Adds when the two last had the bond, and who has lost it; nil: possibly neither side.
  private static func add(
    bondOf history: ConnectionHistory, _ evidence: Evidence, _ loser: StaticString?,
    isLostHere: Bool = false, to finding: inout Finding
  ) {
    let now = finding.evidence.first ?? 0
    if isLostHere, let deleted = history.unpaired(before: now, evidence) {
      finding.why =
        "\(finding.why) A program on this host had deleted the bond: Unpair Device (\(packet: deleted.packet))."
      finding.evidence.insert(deleted.packet)
    }
    guard let bond = history.bond(evidence) else { return }
    let packet = bond.attempt.end?.packet ?? bond.attempt.moment.packet
    finding.why =
      "\(finding.why) On connection \(bond.history.id) both still had the bond (\(packet: packet))\(loser.map { ", so \($0) has lost it since" as Wording } ?? "")."
    finding.evidence.insert(packet)
  }

  private static func lostByCentral(
    _ request: (moment: Moment, side: Side),
    _ refusal: (moment: Moment, side: Side, reason: PairingFailure), _ history: ConnectionHistory,
    _ evidence: Evidence
  ) -> [Finding] {
    let central = request.side.words
    let peripheral = refusal.side.words
    var packets: PacketSet = [request.moment.packet, refusal.moment.packet]
    let known: Wording
    if let bond = history.bond(evidence) {
      let packet = bond.attempt.end?.packet ?? bond.attempt.moment.packet
      packets.insert(packet)
      known = "The two had a bond on connection \(bond.history.id) (\(packet: packet))"
    } else if let keeper = history.bondKeeper(before: request.moment.packet, evidence),
      keeper.packet == 0 || refusal.side == .local
    {
      known = keeper.words
      packets.insert(keeper.packet)
    } else {
      return []
    }
    var finding = Finding(
      "\(Wording(stringLiteral: central.description).capitalized) has lost the key of the bond, and \(peripheral) refuses to pair again",
      headline:
        "pairing was refused at \(packet: refusal.moment.packet) because \(central) has lost the key of a bond that \(peripheral) keeps",
      why:
        "\(known), but \(central) asked to pair (\(packet: request.moment.packet)) without trying to encrypt with its key, and \(peripheral) refused: \(refusal.reason) (\(packet: refusal.moment.packet)).",
      .likely, evidence: packets.sorted)
    finding.restsOnAbsence = true
    if refusal.reason == .pairingNotSupported {
      finding.severity = .warning
      finding.certainty = .possible
      finding.why =
        "\(finding.why) A device that is not in pairing mode, or does not pair, answers the same."
    }
    if let later = evidence.encryptedLater(than: history) {
      finding.severity = .warning
      finding.note = "Connection \(later.id) with the same device was encrypted."
    }
    return [finding]
  }
}
