import Histories
import Bluetooth
import Cryptography
import Meanings
import Sessions

// Notes on pairings, whether they succeed or fail.

extension Rule {
  static let pairingNotes: [Rule] = [
    Symptom(
      "smp_invalid_public_key", .warning, .fact,
      "A public key is invalid, or a copy of the other side's",
      when:
        "a public key is not a point on the curve P-256, or both keys have the same X coordinate",
      do:
        "Check the byte order of the key (X, then Y, each least significant byte first) and that the key is checked before use: a key off the curve reveals bits of the private key."
    ).with(.settled).onConnection { connection, _ in
      connection.pairing.attempts.firstFinding { $0.invalidKey() }
    },
    Symptom(
      "smp_debug_key", .warning, .fact,
      "A device pairs with the debug key pair of the specification",
      when:
        "a public key whose X coordinate is that of the debug key pair (Core, Vol 3, Part H, 2.3.5.6.1)",
      do:
        "Disable the debug keys in products (Zephyr: CONFIG_BT_USE_DEBUG_KEYS; BlueZ: btmgmt debug-keys): any eavesdropper can decrypt the link."
    ).with(.settled).onConnection { connection, _ in
      connection.pairing.attempts.firstFinding { $0.debugKey() }
    },
    Symptom(
      "smp_passkey_recovered", .note, .fact, "The capture reveals the passkey of a pairing",
      when: "all 20 rounds of passkey entry over Secure Connections are in the capture",
      do: "Use a new passkey for each pairing."
    ).needing([.bothDirections]).onConnection { connection, _ in
      connection.pairing.attempts.firstFinding { $0.recovered() }
    },
    Symptom(
      "smp_passkey_exposed", .note, .meaning,
      "An eavesdropper can find the passkey of a legacy pairing",
      when:
        "LE legacy pairing with passkey entry succeeds on a link that is not encrypted, and a confirm value and the random value that opens it are in the capture",
      do:
        "Pair with LE Secure Connections if both sides support it, and use a new passkey for each pairing."
    ).needing([.bothDirections]).onConnection(elsewise: [encryptedBefore]) { connection, _ in
      connection.pairing.attempts.firstFinding { $0.exposed(hasPasskey: true) }
    },
    Symptom(
      "smp_key_exposed", .note, .meaning, "An eavesdropper can compute the key of a legacy pairing",
      when:
        "LE legacy pairing with Just Works succeeds on a link that is not encrypted, and both random values are in the capture",
      do:
        "Pair with LE Secure Connections if both sides support it: a recording of the pairing does not give its key."
    ).needing([.bothDirections]).onConnection(elsewise: [encryptedBefore]) { connection, _ in
      connection.pairing.attempts.firstFinding { $0.exposed(hasPasskey: false) }
    },
    Symptom(
      "smp_keys_missing", .warning, .fact,
      "A side does not distribute the keys that were agreed on",
      when:
        "pairing succeeds, both sides agreed that keys are distributed, and one of them sends none of its own in the 5 s or more until the link ends or the capture shows it last",
      do:
        "Check the log of that side's security manager. Without the peripheral's key of a legacy pairing the link cannot be encrypted again, and without an identity resolving key the other side does not recognise a private address later: delete the bond, then pair again."
    ).needing([.bothDirections, .events, .opening]).onConnection { connection, _ in
      connection.pairing.attempts.suffix(1).compactMap { $0.undistributed(connection) }
    },
    Symptom(
      "smp_while_encrypted", .note, .fact,
      "Two devices pair although their link is already encrypted",
      when: "a Pairing Request on an encrypted LE link",
      do:
        "Nothing to do if the new key is better than the old one. Otherwise look for a program that pairs on each connection, or a side that does not keep its bond."
    ).needing([.bothDirections, .events]).onConnection { connection, _ in
      connection.pairing.attempts.firstFinding { $0.whileEncrypted() }
    },
    Symptom(
      "smp_over_bond", .warning, .fact, "Two devices pair again although they are bonded",
      when:
        "a Pairing Response after the same two devices had paired and bonded on an earlier connection of the capture, no program had deleted the bond, and encryption had not failed since; a note if the pairing gives a new key",
      do:
        "If this was not intended, check whether the side that asks to pair has kept its key, and whether the other one deletes the old bond (Android and iOS ask their user first)."
    ).needing([.bothDirections, .events]).onConnection { connection, evidence in
      connection.overBond(evidence)
    },
    Symptom(
      "smp_repeated", .note, .fact, "Two devices tried to pair several times",
      when: "three attempts or more with the same device, of which two or more failed",
      do: "Fix what the first failure shows."
    ).needing([.bothDirections]).inCapture { evidence in evidence.repeatedPairings() },
  ]

  private static let encryptedBefore = Alternative<ConnectionHistory>(
    "the link was already encrypted when the capture began"
  ) { history, _ in !history.connection.isOpeningMissing }
}

extension PairingAttempt {
  /// Returns the sides in words: `this host`, `both sides`.
  private func words(_ roles: [PairingSide]) -> Wording {
    roles.count == 2 ? "both sides" : Wording(listing: roles.map { "\(side($0).words)" })
  }

  /// Returns the packets with the public keys of these sides.
  private func keys(of roles: [PairingSide]) -> PacketSet {
    PacketSet(roles.compactMap { self[$0].publicKey?.moment.packet })
  }

  /// The time within which the keys follow the encryption of the link, in nanoseconds, and the
  /// number of the peripheral's connection events that they need at most, with retransmissions.
  private static let patience: Int64 = 5_000_000_000
  private static let eventsForKeys: Int64 = 12

  /// Returns a finding about a side that sends none of the keys that the two agreed on.
  fileprivate func undistributed(_ connection: ConnectionHistory) -> Finding? {
    let link = connection.connection
    guard isBonded, !isOverBREDR, let encrypted, !link.hasLostPackets, !link.isDataCut,
      let request = initiating.features, let response = responding.features
    else { return nil }
    // Whether a link without an end was open after its last packet is unknown.
    guard let end = link.lastMoment ?? connection.link.latest else { return nil }
    let pause = connection.link.current?.longestPause ?? 0
    let patience = max(Self.patience, Self.eventsForKeys * pause)
    // The responder sends its keys first (Core, Vol 3, Part H, 2.4.3).
    for role in [PairingSide.responder, .initiator] {
      let agreed = agreedKeys(of: role)
      guard agreed != 0, self[role].keyBits & agreed == 0 else { continue }
      let from = [encrypted, self[role.other].keys?.last].compactMap(\.self)
        .max { $0.packet < $1.packet }
      guard let from, let waited = end.nanoseconds(since: from), waited >= patience
      else { return nil }
      let sender = side(role)
      let names = Wording(
        listing: (0..<3).compactMap { bit in
          agreed & 1 << UInt8(bit) == 0 ? nil : KeyDistribution.short(bit: bit).map { "\($0)" }
        })
      return Finding(
        "\(sender.capitalized) did not distribute its keys",
        headline: "\(sender.words) did not distribute the keys that the two agreed on: \(names)",
        why:
          "The link was encrypted (\(packet: encrypted.packet)), and the two had agreed that \(sender.words) sends \(names) (\(packet: request.moment.packet), \(packet: response.moment.packet)). It sent none in the \(duration: waited) that followed.",
        evidence: [
          request.moment.packet, response.moment.packet, encrypted.packet, end.packet,
        ],
        restsOnAbsence: true)
    }
    return nil
  }

  fileprivate func invalidKey() -> Finding? {
    if outcome.isReflected {
      return Finding(
        "Both public keys are the same", headline: "both public keys have the same X coordinate",
        why:
          "The responder sent back the initiator's X coordinate, as in a reflection attack; no two devices have the same key by chance.",
        evidence: keys(of: [.initiator, .responder]))
    }
    guard !outcome.invalidKeys.isEmpty else { return nil }
    let (number, verb): (StaticString, StaticString) =
      outcome.invalidKeys.count == 2 ? ("keys", "are") : ("key", "is")
    let subject: Wording = "the public \(number) of \(words(outcome.invalidKeys)) \(verb)"
    var finding = Finding(
      "\(subject.capitalized) invalid", headline: "\(subject) invalid",
      why: "\(subject.capitalized) not on the curve P-256; the other side has to refuse it.",
      evidence: keys(of: outcome.invalidKeys))
    if isPaired {
      finding.note =
        "The pairing continued anyway: the key was not checked, or these are not real values."
    }
    return finding
  }

  fileprivate func debugKey() -> Finding? {
    guard !outcome.debugKeys.isEmpty else { return nil }
    let subject = words(outcome.debugKeys)
    var finding = Finding(
      "The debug key pair is in use on \(subject)", headline: "\(subject) used the debug key pair",
      why:
        "The private key that belongs to this public key is published in the Core Specification, so the shared secret and the long-term key can be computed from the packets.",
      evidence: keys(of: outcome.debugKeys))
    if let key = outcome.longTermKey {
      finding.details = [
        Finding.Detail(
          "key", hidden: "long-term key <hidden>\(hint: "; --show-keys prints it")",
          revealed: "long-term key \(key.revealed)")
      ]
    }
    return finding
  }

  fileprivate func recovered() -> Finding? {
    guard let passkey = outcome.agreed.passkey, let first = initiating.confirms?.first,
      let last = responding.randoms?.last ?? initiating.randoms?.last
    else { return nil }
    var finding = Finding(
      "This capture reveals the passkey", headline: "the capture reveals the passkey",
      why:
        "Each of the 20 rounds reveals one bit of the passkey, so an eavesdropper knows it afterwards. A passkey protects only one pairing.",
      evidence: PacketSet(first.packet...max(first.packet, last.packet)))
    finding.details = [
      Finding.Detail(
        "passkey", hidden: "<hidden>\(hint: "; --show-keys prints it")", revealed: passkey.revealed)
    ]
    return finding
  }

  /// Returns a finding for a legacy pairing whose only secret a listener can find: the passkey is
  /// the only unknown input of a confirm value, and the key of Just Works is 0 (Core, Vol 3, Part
  /// H, 2.2.3, 2.3.5.2 and 2.3.5.5).
  fileprivate func exposed(hasPasskey: Bool) -> Finding? {
    guard isPaired, !isSecureConnections, !beganEncrypted, let method,
      hasPasskey ? method.hasPasskey : method.association == .justWorks
    else { return nil }
    guard hasPasskey else {
      guard let one = initiating.randoms?.first, let other = responding.randoms?.first
      else { return nil }
      return Finding(
        "An eavesdropper can compute the key of this pairing",
        headline: "an eavesdropper who recorded the pairing can read the link",
        why:
          "This is LE legacy pairing with Just Works, whose temporary key is 0. With the two random values, which are not encrypted (\(packet: one.packet), \(packet: other.packet)), anyone can compute the short term key, and read the keys distributed under it and what they encrypt.",
        evidence: [one.packet, other.packet])
    }
    for role in [PairingSide.initiator, .responder] {
      guard let confirm = self[role].confirms?.first, let random = self[role].randoms?.first
      else { continue }
      return Finding(
        "An eavesdropper can find the passkey of this pairing",
        headline: "an eavesdropper can find the passkey",
        why:
          "This is LE legacy pairing. The confirm value of \(side(role).words) (\(packet: confirm.packet)) and the random value that opens it (\(packet: random.packet)) are not encrypted, so trying the 1 000 000 passkeys shows which one fits. With the passkey, the short term key can be computed, too, and the keys distributed under it can be read.",
        evidence: [confirm.packet, random.packet])
    }
    return nil
  }

  fileprivate func whileEncrypted() -> Finding? {
    guard beganEncrypted, !isOverBREDR else { return nil }
    let better: Wording =
      demandingMITM.map { " \($0.capitalized) requested MITM protection." } ?? ""
    return Finding(
      "The link was encrypted when pairing began",
      headline: "pairing began at \(packet: first.packet) on an encrypted link",
      why: "The link was encrypted with another key before \(packet: first.packet).\(better)",
      evidence: [first.packet])
  }
}

extension ConnectionHistory {
  /// Returns whether a program deleted the bond that a pairing created, or an attempt to use it
  /// before the next pairing showed that one side lacked it. If so, that is why they pair.
  private func isBondGone(after old: PairingAttempt, before next: PairingAttempt) -> Bool {
    let made = old.first.packet
    return pairing.acts.contains { $0.kind == .unpair && $0.moment.packet > made }
      || encryption.attempts.contains {
        $0.lacksKey && $0.moment.packet > made && $0.moment.packet < next.first.packet
      }
  }

  fileprivate func overBond(_ evidence: Evidence) -> [Finding] {
    let earlier = evidence.earlier(than: self)
    guard let attempt = pairing.attempts.first(where: { $0.initiating.features != nil }),
      // A peer that refuses at once is covered by a rule about missing keys.
      attempt.responding.features != nil, !attempt.beganEncrypted, !attempt.isOverBREDR,
      let bonded = earlier.last(where: { $0.pairing.attempts.contains(where: \.isBonded) }),
      let old = bonded.pairing.attempts.last(where: \.isBonded),
      !(earlier + [self]).contains(where: { $0.isBondGone(after: old, before: attempt) })
    else { return [] }
    let packet = old.encrypted?.packet ?? old.last.packet
    let removals =
      evidence.adapters.first { $0.index == connection.adapter }?.resolving.removals(
        of: device, after: packet, before: attempt.first.packet) ?? []
    let isHarmless = !removals.isEmpty || pairing.attempts.contains(where: \.isPaired)
    var finding = Finding(
      "\(attempt.initiator.capitalized) pairs again although the two were bonded",
      headline: "the two pair again at \(packet: attempt.first.packet), although they were bonded",
      why:
        "They had paired and bonded on connection \(bonded.id) (\(packet: packet)). \(attempt.initiator.capitalized) did not use that key but asked to pair again (\(packet: attempt.first.packet)).",
      evidence: [packet, attempt.first.packet], isHarmless ? .note : nil,
      // The absence is that the key was not tried and no program deleted it.
      restsOnAbsence: removals.isEmpty)
    if !removals.isEmpty {
      finding.add(
        "This host had removed the device from its lists of bonds (\(Wording(listing: removals.prefix(4).map { "\(packet: $0)" })))."
      )
      finding.evidence = finding.evidence.union(PacketSet(removals.prefix(4))).sorted
    }
    return [finding]
  }
}

extension Evidence {
  fileprivate func repeatedPairings() -> [Finding] {
    connectionsByDevice { !$0.pairing.attempts.isEmpty }.compactMap { same in
      let tried = same.flatMap { history in
        history.pairing.attempts.map { (connection: history.id, attempt: $0) }
      }
      let failed = tried.filter { $0.attempt.failure != nil }
      guard tried.count >= 3, failed.count >= 2, let first = tried.first, let last = tried.last
      else { return nil }
      let end: StaticString = last.attempt.isPaired ? "succeeded" : "did not succeed"
      let peer = same[0].connection.identity?.address ?? same[0].connection.peer
      let with: Wording = peer.map { " with \($0)" } ?? ""
      // Of very many attempts on one connection not all are remembered.
      let total = same.reduce(0) { $0 + $1.pairing.attemptCount }
      let count: Wording = total > tried.count ? "at least \(failed.count)" : "\(failed.count)"
      var finding = Finding(
        "\(total) attempts to pair\(with), \(count) failed",
        headline: "\(total) attempts to pair\(with), of which \(count) failed",
        why:
          "The two devices tried \(total) times between \(packet: first.attempt.first.packet) and \(packet: last.attempt.last.packet); \(count) of these ended with Pairing Failed, and the last one \(end).",
        evidence: PacketSet(failed.compactMap { $0.attempt.end?.packet }), on: same.map(\.id))
      // One that came too soon only follows from others.
      let cause = failed.first { $0.attempt.failure?.reason != .repeatedAttempts }?.attempt.end
      finding.remedy = cause.map { "Fix what the first failure shows (\(packet: $0.packet))." }
      return finding
    }
  }
}

extension [PairingAttempt] {
  /// Returns the first finding, if there is one. A loop, since the standard library's lazy
  /// sequences would be set up for it at each start.
  func firstFinding(_ find: (PairingAttempt) -> Finding?) -> [Finding] {
    for attempt in self { if let finding = find(attempt) { return [finding] } }
    return []
  }
}
