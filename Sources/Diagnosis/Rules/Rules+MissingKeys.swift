// Rules about a bond that one side has lost.

import Histories
import Bluetooth
import Cryptography
import Meanings
import Sessions

extension Rule {
  static let missingKeys: [Rule] = [
    Symptom(
      "enc_key_missing_peripheral", .error, .meaning,
      "The central encrypts with the key of a bond, but the peripheral finds no key for it",
      when:
        "encryption ends with PIN or Key Missing (0x06), or the peripheral's host answers LE Long Term Key Request with the Negative Reply",
      do:
        "Delete the bond on the central too, then pair again: Forget This Device on iOS, Forget on Android, bluetoothctl remove on BlueZ, bt_unpair on Zephyr. If it recurs after each restart or update of the peripheral, its firmware does not keep bonds: on Zephyr CONFIG_BT_SETTINGS with settings_load, on Nordic's SDK the Peer Manager's flash pages, which an update must not erase."
    ).with([.settled, .ofHost]).needing([.events]).leaningOn([.commands]).onConnection(
      about: Doubts.self,
      elsewise: [
        Doubts.privacy.or(
          "it has the key, but did not recognise the other side behind its private address"),
        Doubts.lostKey.or("it has lost the key"),
      ]
    ) { history, evidence in
      let attempts = history.encryption.attempts.filter(\.lacksKey)
      guard let attempt = attempts.last, history.connection.transport != .brEDR else { return [] }
      let missing = MissingKey(attempt: attempt, history: history)
      var (doubts, finding) =
        attempt.isKeyMissingHere ? missing.here(evidence) : missing.there(evidence)
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
      return [(doubts, finding)]
    },
    Symptom(
      "enc_key_missing_central", .error, .meaning,
      "The central has lost the bond and pairs again, but the peripheral still has the bond and refuses",
      when:
        "a Pairing Request without a preceding attempt to encrypt is refused at once, and the two had a bond on an earlier connection of the capture, or a --keys file has one; or the refusing side had sent a Security Request",
      do:
        "Delete the bond on the peripheral too, by a reset or in its own menu, or make its firmware accept a new pairing from a known device: on Zephyr CONFIG_BT_SMP_ALLOW_UNAUTH_OVERWRITE or bt_unpair, on Nordic's SDK allow_repairing in the PM_EVT_CONN_SEC_CONFIG_REQ event."
    ).needing(LostBond.needs).onConnection(
      about: LostBond.self,
      elsewise: [
        Alternative("the peripheral keeps no bond, and does not pair at the moment, or at all") {
          lost, _ in lost.isKeptByRefuser
        },
        Alternative("the pairing does not meet its requirements") { lost, _ in
          lost.refusal.reason != .authenticationRequirements
        },
        Alternative("it ended the pairing for a reason that it does not give") { lost, _ in
          lost.refusal.reason != .unspecified
        },
      ]
    ) { history, evidence in
      history.lostBond(evidence).map { [($0, $0.finding(history, evidence))] } ?? []
    },
  ]
}

/// An attempt to encrypt for which a side has no key.
struct MissingKey {
  let attempt: EncryptionAttempt
  let history: ConnectionHistory

  /// Returns the finding if the peer has no key.
  func there(_ evidence: Evidence) -> (Doubts, Finding) {
    let end = attempt.endPacket
    let isLocal = attempt.start != .keyRequest && history.connection.central != .peer
    let asked: Wording =
      attempt.start == .unseen
      ? "Encryption failed with \(StatusCode.pinOrKeyMissing) (\(packet: end))"
      : "\(attempt.beginning), and the peer answered \(StatusCode.pinOrKeyMissing) (\(packet: end))"
    let lack: StaticString =
      isLocal ? "it found no key for this host" : "one side has no key for the other"
    let why: Wording = "\(asked): \(lack).\(attempt.aside(history, evidence))"
    if let success = history.encryption.success(after: attempt), !success.followsPairing {
      let packet = success.endPacket
      let finding = Finding(
        "The peer had no key when encryption was first requested",
        headline:
          "encryption failed at \(packet: end) because the peer had no key; it succeeded at \(packet: packet)",
        why: "\(why) Later it had one.", evidence: attempt.packets, grounds: .fact,
        do:
          "Nothing to do if it happens once. Some hosts load their bonds only after accepting the connection: encrypt again, as here."
      )
      return ([], finding)
    }
    var finding = Finding(
      isLocal
        ? "The peer found no key for the bond that this host uses"
        : "One side found no key for the bond",
      headline:
        "encryption failed (\(packet: end)) because \(isLocal ? "the peer" : "one side" as StaticString) found no key for the bond",
      why: why, evidence: attempt.packets)
    add(bond: evidence, isLocal ? "the peer" : "one side", to: &finding)
    let own = history.pairing.ownAddress
    // A peer that found the bond behind another private address knows how to.
    let isRecognised =
      own.map { !$0.isResolvable } ?? false
      || evidence.earlier(than: history).contains { other in
        other.pairing.ownAddress != own && other.pairing.ownAddress?.isResolvable == true
          && other.encryption.attempts.contains { $0.origin == .stored && $0.outcome == .encrypted }
      }
    return (isLocal && isRecognised ? [] : .privacy, finding)
  }

  /// Returns the finding if this host has no key.
  func here(_ evidence: Evidence) -> (Doubts, Finding) {
    let reply = attempt.reply?.packet ?? attempt.moment.packet
    var finding = Finding(
      "This host found no key for the bond that the peer uses",
      headline:
        "encryption failed (\(packet: reply)) because this host found no key for the bond",
      why:
        "\(attempt.beginning), and this host answered that it has none for it (\(packet: reply)).",
      evidence: attempt.packets)
    guard history.connection.peerKind == .randomResolvable else {
      add(bond: evidence, "this host", to: &finding)
      return (history.connection.peerKind == nil ? .privacy : [], finding)
    }
    if let refused = evidence.resolvingRefusal(history), history.bond(evidence) != nil {
      finding.add(
        "The peer came with a new resolvable private address. The controller had refused LE Add Device To Resolving List (\(packet: refused)), so it does not resolve the address, and this host found no bond for it.",
        refused)
      finding.remedy =
        "Let this host resolve private addresses itself, with the identity resolving keys of its bonds, or use a controller with a resolving list. Until then the two have to pair on each connection."
    } else if let known = history.connectionWithKey(attempt, evidence) {
      add(known, evidence, to: &finding)
    } else {
      add(bond: evidence, nil, to: &finding)
      return (evidence.recognisedPeer(of: history) ? [] : .privacy, finding)
    }
    finding.what = "This host did not recognise the bonded peer behind its private address"
    finding.headline =
      "this host did not recognise the peer behind its private address, so it did not find the key (\(packet: reply))"
    return (.lostKey, finding)
  }

  /// Adds that another connection used the key with the same numbers, and whether pairing gave the
  /// key that resolves the peer's addresses.
  private func add(
    _ known: (history: ConnectionHistory, packet: Int), _ evidence: Evidence,
    to finding: inout Finding
  ) {
    finding.add(
      "EDIV \(code: attempt.ediv, digits: 4) and the random number are those of the key of connection \(known.history.id) (\(packet: known.packet)), so the peer uses that bond. It came with another resolvable private address.",
      known.packet)
    guard let pairing = evidence.pairingWithoutIdentity(of: known.history) else {
      finding.remedy =
        "Let this host or its controller resolve private addresses with the identity resolving keys of its bonds, and find bonds by the identity, not by the address."
      return
    }
    finding.add(
      "The pairing had not given it the peer's identity resolving key (\(packet: pairing.request), \(packet: pairing.response)).",
      pairing.request, pairing.response)
    finding.evidence = finding.evidence.sorted
    finding.remedy =
      "Let both sides distribute identity keys (IdKey in the Pairing Request and Response; NimBLE: sm_our_key_dist and sm_their_key_dist, Zephyr: CONFIG_BT_PRIVACY or CONFIG_BT_SMP with identity distribution). Delete the bond on both sides, then pair again. An accept list of private addresses is useless after some minutes."
  }

  /// Adds when the two last had the bond, and who has lost it; nil: possibly neither side.
  private func add(bond evidence: Evidence, _ loser: StaticString?, to finding: inout Finding) {
    let now = finding.evidence.first ?? 0
    if attempt.isKeyMissingHere, let deleted = history.unpaired(before: now, evidence) {
      finding.add(
        "A program on this host had deleted the bond: Unpair Device (\(packet: deleted.packet)).",
        deleted.packet)
    }
    guard let bond = history.bond(evidence) else { return }
    let packet = bond.attempt.endPacket
    let since: Wording = loser.map { ", so \($0) has lost it since" } ?? ""
    if attempt.isKeyMissingHere, loser != nil {
      finding.what = "This host has lost the key of the bond that the peer uses"
    } else if !attempt.isKeyMissingHere, history.connection.central != .peer {
      finding.what = "The peer has lost the key of the bond"
    }
    finding.add(
      "On connection \(bond.history.id) both still had the bond (\(packet: packet))\(since).",
      packet)
  }
}

/// A pairing that the peripheral refuses since it keeps a bond that the central has lost.
struct LostBond {
  static let needs: Coverage.Parts = [.bothDirections, .commands, .events, .opening]

  let attempt: PairingAttempt
  let refusal: (reason: PairingFailure, side: Side)
  /// What shows the bond, and the packet; 0: a file.
  let known: (words: Wording, packet: Int)
  /// Whether the refusing side is this host, whose kernel has a key.
  let isKeptByRefuser: Bool

  /// Reasons with which a peripheral refuses a pairing that it does not want.
  private static let reasons: [PairingFailure] = [
    .authenticationRequirements, .pairingNotSupported, .unspecified, .keyRejected,
  ]

  fileprivate init?(_ history: ConnectionHistory, _ evidence: Evidence) {
    guard let attempt = history.pairing.attempts.last, let refusal = attempt.failure,
      let request = attempt.initiating.features?.moment.packet, !attempt.isOverBREDR,
      refusal.side != attempt.initiator, attempt.responding.features == nil,
      Self.reasons.contains(refusal.reason), !history.connection.isOpeningMissing,
      evidence.coverage.parts(of: history.connection).isSuperset(of: Self.needs),
      !history.encryption.attempts.contains(where: { $0.moment.packet < request }),
      !history.encryption.wasEncrypted
    else { return nil }
    (self.attempt, self.refusal) = (attempt, refusal)
    let keeper = history.bondKeeper(before: request, evidence)
    if let bond = history.bond(evidence) {
      let packet = bond.attempt.endPacket
      known = ("The two had a bond on connection \(bond.history.id) (\(packet: packet))", packet)
    } else if let keeper, keeper.packet == 0 || refusal.side == .local {
      known = keeper
    } else if refusal.reason == .pairingNotSupported, let asked = attempt.askedFor {
      // A side requests security to have a key used (Core, Vol 3, Part H, 2.4.6).
      known = (
        "\(refusal.side.capitalized) had sent a Security Request (\(packet: asked.packet)), so it wants to encrypt",
        asked.packet
      )
    } else {
      return nil
    }
    isKeptByRefuser = refusal.side == .local && keeper.map { $0.packet > 0 } ?? false
  }

  fileprivate func finding(_ history: ConnectionHistory, _ evidence: Evidence) -> Finding {
    let (central, peripheral) = (attempt.initiator, refusal.side)
    let (asked, refused) = (attempt.first.packet, attempt.end?.packet ?? attempt.last.packet)
    var finding = Finding(
      "\(central.capitalized) has lost the key of the bond, and \(peripheral.words) refuses to pair again",
      headline:
        "pairing was refused at \(packet: refused) because \(central.words) has lost the key of a bond that \(peripheral.words) keeps",
      why:
        "\(known.words), but \(central.words) asked to pair (\(packet: asked)) without trying to encrypt with a key, and \(peripheral.words) refused: \(refusal.reason) (\(packet: refused)).",
      evidence: PacketSet([known.packet, asked, refused]).sorted, restsOnAbsence: true)
    if peripheral == .local {
      finding.remedy =
        "Delete the old bond on this host (bluetoothctl: remove; on a phone: forget the device), then pair again."
    }
    evidence.mention(laterEncryption: history, in: &finding)
    return finding
  }
}

extension ConnectionHistory {
  /// Returns the pairing that was refused since one side keeps a bond that the other has lost.
  func lostBond(_ evidence: Evidence) -> LostBond? { LostBond(self, evidence) }
}
