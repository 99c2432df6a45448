import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about encryption on the air.

extension Rule {
  static let airEncryption: [Rule] = [
    Symptom(
      "air_encryption_refused", .error, .meaning,
      "The peripheral rejects the central's request to encrypt",
      when:
        "LL_REJECT_IND or LL_REJECT_EXT_IND answers LL_ENC_REQ: PIN or Key Missing (0x06), Unsupported Remote Feature (0x1a), or another reason",
      do:
        "If the key is missing, delete the bond on the central too, then pair again. If it recurs after each restart or update of the peripheral, its firmware does not keep bonds."
    ).with(.settled).needing([.air]).onConnection(
      about: Doubts.self,
      elsewise: [
        Doubts.privacy.or(
          "it has the key, but did not recognise the other side behind its private address")
      ]
    ) { history, evidence in refused(history, evidence).map { [$0] } ?? [] },
    Symptom(
      "air_mic_failure", .error, .meaning, "The two sides encrypt with different keys",
      when:
        "the peripheral starts encryption, and is silent from the central's first encrypted packet on, until the central gives up",
      do:
        "Delete the bond on both sides, then pair again. If that does not help, compare how each side stores the key: byte order, key size, and which of the two distributed keys it uses."
    ).needing([.air]).onConnection(
      about: KeyTrial.self,
      elsewise: [
        Alternative("the peripheral was switched off or went out of range at that moment") {
          it, _ in it.isRepeated || it.history.air?.advertised != nil
        },
        Alternative("the peripheral restarts when encryption begins") { it, _ in it.isRepeated },
      ]
    ) { history, evidence in
      KeyTrial(history, evidence).map { [($0, $0.finding)] } ?? []
    },
    Symptom(
      "air_weak_encryption", .warning, .fact, "The encryption is weaker than it seems",
      when:
        "a side repeats its part of the session key diversifier and of the initialization vector in two encryption starts, a key with the same identification or the same value is given to two bonds, or a long term key equals the short term key that protects it",
      do:
        "Update the firmware of that device: random numbers and keys must be new each time. Devices with the same key can decrypt each other's links."
    ).needing([.air]).onConnection { history, evidence in
      repeatedNumbers(history, evidence) + repeatedKeys(history, evidence)
        + unprotectedKeys(history, evidence)
    },
  ]

  // MARK: Refusals

  private static func refused(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> (Doubts, Finding)? {
    let refusals = history.encryption.attempts.filter {
      $0.start == .linkLayer && $0.failure != nil
    }
    guard let attempt = refusals.last, let reason = attempt.failure else { return nil }
    var doubts: Doubts = []
    var finding: Finding
    if attempt.lacksKey {
      (doubts, finding) = MissingKey(attempt: attempt, history: history).there(evidence)
    } else {
      finding = Finding(
        reason == .unsupportedRemoteFeature
          ? "The peripheral does not support encryption"
          : "The peripheral rejected encryption: \(reason)",
        headline: "the peripheral rejected encryption (\(packet: attempt.endPacket)): \(reason)",
        why:
          "\(attempt.beginning), and the peripheral answered \(reason) (\(packet: attempt.endPacket)).",
        evidence: attempt.packets, grounds: .fact)
    }
    if attempt.ediv != 0 || attempt.rand != 0 {
      finding.add("The central asked for the key with EDIV \(code: attempt.ediv, digits: 4).")
      if let given = evidence.key(with: attempt, after: attempt.moment.packet) {
        finding.add(
          "The peripheral gave a key with the same EDIV and random number in a later pairing (\(packet: given.packet)): they do not distinguish its bonds.",
          given.packet)
      }
    }
    for other in refusals.dropLast() { finding.evidence = finding.evidence.union(other.packets) }
    finding = evidence.settle(finding, attempt, history)
    finding.evidence = finding.evidence.sorted
    return (doubts, finding)
  }

  // MARK: Weak numbers and keys

  private static func repeatedNumbers(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> [Finding] {
    // Reported on the last connection of the device that shows it.
    let all = (evidence.earlier(than: history) + [history]).flatMap { other in
      (other.air?.link?.periods ?? []).map { ($0, other.id) }
    }
    return [Side.peer, .local].compactMap { side in
      let starts = all.filter { $0.0.hasNumbers(of: side) }
      guard let last = starts.last, last.1 == history.id,
        !evidence.later(than: history).contains(where: { other in
          other.air?.link?.periods.contains { $0.repeats(last.0, side) } ?? false
        })
      else { return nil }
      let same = starts.filter { $0.0.repeats(last.0, side) }
      guard same.count > 1 else { return nil }
      let packets = same.map { $0.0.packet(of: side) }
      let names: StaticString = side == .peer ? "SKD_P and IV_P" : "SKD_C and IV_C"
      return Finding(
        "\(side.roleCapitalized)'s random numbers repeat",
        headline:
          "\(side.roleWords) began \(count: same.count, "encryption", "encryptions") with the same \(names)",
        why:
          "\(side.roleCapitalized) began \(same.count) encryptions with the same \(names) (\(Wording(first: 8, of: packets) { "\(packet: $0)" })): its random numbers repeat. If the other side's numbers repeat as well, so do session keys.",
        evidence: PacketSet(packets.prefix(8)), fault: side)
    }
  }

  private static func repeatedKeys(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> [Finding] {
    let given = evidence.keys.keys.filter {
      $0.kind == .longTerm && $0.source == .pairing && $0.connection == history.id
    }
    var found: [Finding] = []
    for key in given {
      // The central asked for a key with these numbers before this pairing gave it.
      let asked = (evidence.earlier(than: history) + [history]).lazy
        .flatMap(\.encryption.attempts).first {
          $0.start == .linkLayer && ($0.ediv != 0 || $0.rand != 0) && $0.ediv == key.ediv
            && $0.rand == key.rand && $0.moment.packet < key.packet
        }
      guard let asked else { continue }
      found.append(
        Finding(
          "\(key.side.roleCapitalized) gives several bonds the same key identification",
          headline:
            "\(key.side.roleWords) gave a new bond the EDIV and random number of an earlier one (\(packet: key.packet))",
          why:
            "The central asked for the key of an earlier bond with EDIV \(code: key.ediv, digits: 4) (\(packet: asked.moment.packet)). The pairing that followed gave a key with the same EDIV and random number (\(packet: key.packet)). If the key is the same, too, every device that ever paired has it.",
          evidence: [asked.moment.packet, key.packet], fault: key.side))
    }
    for again in evidence.keys.repeated where again.connection == history.id {
      let key = evidence.keys.keys[again.key]
      found.append(
        Finding(
          "\(key.side.roleCapitalized) gives several bonds the same key",
          headline: "\(key.side.roleWords) gave two bonds the same key (\(packet: again.packet))",
          why:
            "The key of this pairing (\(packet: again.packet)) is the one that an earlier pairing gave (\(packet: key.packet)). Every device that ever paired with it has that key.",
          evidence: [key.packet, again.packet], fault: key.side))
    }
    return found
  }

  private static func unprotectedKeys(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> [Finding] {
    let known = evidence.keys.keys
    return known.compactMap { key in
      guard key.kind == .longTerm, key.source == .pairing, key.connection == history.id,
        let short = known.first(where: {
          $0.kind == .shortTerm && $0.connection == history.id && $0.bytes == key.bytes
        })
      else { return nil }
      return Finding(
        "\(key.side.roleCapitalized) gives the short term key as the long term key",
        headline:
          "\(key.side.roleWords) gave the short term key of the pairing as its long term key (\(packet: key.packet))",
        why:
          "The long term key (\(packet: key.packet)) equals the short term key that encrypts the link on which it is given. The short term key has no more randomness than the pairing.",
        evidence: [short.packet, key.packet], fault: key.side)
    }
  }
}

/// A start of encryption that ends with the peripheral's silence.
private struct KeyTrial: Sendable {
  let history: ConnectionHistory
  let attempt: EncryptionAttempt
  let period: EncryptionPeriod
  let sent: AirHistory.Unanswered
  let ended: Moment
  /// Whether other connections of the two ended in the same way.
  let others: [Int]

  var isRepeated: Bool { !others.isEmpty }

  init?(_ history: ConnectionHistory, _ evidence: Evidence) {
    guard history.endsWithEncryption, let air = history.air,
      let attempt = history.encryption.attempts.last, let period = air.link?.periods.last,
      let sent = air.unanswered, let ended = air.lastCentral
    else { return nil }
    (self.history, self.attempt, self.period) = (history, attempt, period)
    (self.sent, self.ended) = (sent, ended)
    others = (evidence.earlier(than: history) + Array(evidence.later(than: history))).filter {
      $0.endsWithEncryption
    }.map(\.id)
  }

  var finding: Finding {
    let key: Wording =
      period.decrypted > 0
      ? "The key that is known decrypts what the central sent, so the peripheral has another one."
      : ""
    return Finding(
      "The peripheral could not decrypt what the central encrypted: the keys differ",
      headline:
        "connection \(history.id) was lost when encryption began: the two sides have different keys",
      why: Wording(
        sentences:
          "\(attempt.beginning), and the peripheral agreed (\(packet: period.start)). From the central's first encrypted packet on (\(packet: sent.first.packet)) the peripheral was silent, and the central gave up (\(packet: ended.packet)). A controller that finds a wrong MIC leaves the connection without a packet (MIC Failure, 0x3d; Core, Vol 6, Part B, 5.1.3.1).",
        key,
        others.isEmpty
          ? ""
          : "It was the same on connection \(Wording(first: 4, of: others) { "\($0)" })."),
      evidence: PacketSet(of: attempt.moment.packet, period.start, sent.first.packet, ended.packet),
      group: "The peripheral could not decrypt what the central encrypted: the keys differ")
  }
}

extension ConnectionHistory {
  /// Whether the peripheral is silent from the central's first encrypted packet on.
  var endsWithEncryption: Bool {
    guard let air, air.end == .peripheralSilent, let sent = air.unanswered,
      let period = air.link?.periods.last, period.start > 0, period.firstEncrypted > 0
    else { return false }
    return sent.first.packet == period.firstEncrypted
  }
}

extension EncryptionPeriod {
  /// Returns whether the capture has a side's random numbers.
  fileprivate func hasNumbers(of side: Side) -> Bool { packet(of: side) > 0 }

  /// Returns the packet with a side's random numbers; 0: missing.
  fileprivate func packet(of side: Side) -> Int { side == .peer ? response : request }

  fileprivate func repeats(_ other: EncryptionPeriod, _ side: Side) -> Bool {
    guard hasNumbers(of: side), other.hasNumbers(of: side) else { return false }
    return side == .peer
      ? peripheralDiversifier == other.peripheralDiversifier
        && peripheralVector == other.peripheralVector
      : centralDiversifier == other.centralDiversifier && centralVector == other.centralVector
  }
}

extension Evidence {
  /// Returns the key that a pairing gave after a packet with the numbers of an attempt.
  fileprivate func key(with attempt: EncryptionAttempt, after packet: Int) -> KnownKeys.Key? {
    keys.keys.first {
      $0.kind == .longTerm && $0.source == .pairing && $0.packet > packet
        && $0.ediv == attempt.ediv && $0.rand == attempt.rand
    }
  }
}
