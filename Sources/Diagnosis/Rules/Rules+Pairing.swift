import Bluetooth
import Cryptography
import Words

// Rules about pairing that fails, and pairing that is not what was intended.

extension Rule {
  /// The rules about pairing: what the values show, what the reason means, what did not happen, and
  /// notes.
  static let pairing: [Rule] =
    [unexpectedPDU] + pairingValues + pairingChecks + pairingReasons + pairingCapabilities
    + pairingSilence
    + pairingNotes

  /// Returns a rule about attempts that a side ended with Pairing Failed. Failures of one
  /// connection that are described in the same words are reported once, with the packets of all.
  static func failing(
    _ id: StaticString, _ finds: StaticString, when condition: StaticString, do remedy: Wording,
    _ explain: @escaping @Sendable (FailedPairing) -> Finding?
  ) -> Rule {
    Rule(id, .error, .meaning, finds, when: condition, do: remedy) { connection, evidence in
      var found: [(finding: Finding, packets: [Int])] = []
      for (position, attempt) in connection.pairing.attempts.enumerated() {
        // Two responses to one request explain everything that follows.
        guard attempt.secondResponse == nil,
          let failed = FailedPairing(attempt, position, connection, evidence),
          var finding = explain(failed)
        else { continue }
        if let same = found.firstIndex(where: { $0.finding.what == finding.what }) {
          found[same].packets.append(failed.packet)
          continue
        }
        if finding.code == nil {
          finding.code = NamedCode(UInt64(failed.reason.rawValue), failed.reason.name)
        }
        if let resolved = failed.resolution {
          finding.severity = .note
          finding.isResolved = true
          finding.headline =
            "pairing failed at \(packet: failed.packet), and succeeded at \(packet: resolved)"
        }
        found.append((finding, []))
      }
      return found.map { finding, packets in
        var finding = finding
        finding.evidence = finding.evidence.union(PacketSet(packets)).sorted
        let more: Wording =
          switch packets.count {
          case 0: ""
          case 1: "It failed in the same way again at \(packet: packets[0])."
          default:
            "It failed in the same way \(packets.count) more times, from \(packet: packets[0]) on."
          }
        let note = Wording(
          sentences: finding.note ?? "", more, connection.pairing.omittedWords)
        if !note.isEmpty { finding.note = note }
        return finding
      }
    }
  }
}

extension PairingHistory {
  /// A sentence on how many attempts are not examined; empty if all are.
  var omittedWords: Wording {
    guard omitted > 0 else { return "" }
    return
      "Of \(attemptCount) attempts on this connection, \(omitted) in the middle are not analysed, and their outcome is not counted here."
  }
}

extension PacketSet {
  /// The same packets in the order of the capture.
  var sorted: PacketSet {
    ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: PacketSet()) { $0.insert($1) }
  }
}

/// An attempt that a side ended with Pairing Failed, and its context.
struct FailedPairing {
  let attempt: PairingAttempt
  let position: Int
  let connection: ConnectionHistory
  let evidence: Evidence
  let reason: PairingFailure
  /// The side that gave the reason.
  let side: Side
  let packet: Int

  /// Returns nil for an attempt that ended in another way.
  init?(
    _ attempt: PairingAttempt, _ position: Int, _ connection: ConnectionHistory,
    _ evidence: Evidence
  ) {
    guard let failure = attempt.failure, let end = attempt.end else { return nil }
    self.attempt = attempt
    self.position = position
    self.connection = connection
    self.evidence = evidence
    (reason, side) = failure
    packet = end.packet
  }

  /// The role of the side that refused.
  var role: PairingSide { attempt.role(of: side) }
  var otherRole: PairingSide { role.other }

  /// The packet that shows that pairing succeeded later on the same connection.
  var resolution: Int? {
    connection.pairing.attempts.dropFirst(position + 1).first(where: \.isPaired).map {
      $0.encrypted?.packet ?? $0.last.packet
    }
  }

  /// The packets of the features and the failure.
  var packets: PacketSet {
    var packets = PacketSet()
    packets.insert(attempt.askedFor?.packet)
    packets.insert(attempt.initiating.features?.moment.packet)
    packets.insert(attempt.responding.features?.moment.packet)
    packets.insert(packet)
    return packets
  }

  /// Returns the packets with a side's commitment, the value that opens it, and the failure.
  func opening(of roles: [PairingSide]) -> PacketSet {
    var packets = PacketSet()
    for role in roles {
      packets.insert(attempt[role].confirms?.last.packet)
      packets.insert(attempt[role].randoms?.last.packet)
    }
    packets.insert(packet)
    return packets
  }

  /// The actions of users and programs during the attempt.
  var acts: [PairingAct] { connection.pairing.acts(during: attempt) }

  /// What was refused: `the Pairing Request`.
  var refused: StaticString {
    if attempt.isBeginningMissing { return "the pairing" }
    if attempt.initiating.features == nil, attempt.askedFor != nil { return "the Security Request" }
    if attempt.responding.features == nil { return "the Pairing Request" }
    return "the pairing"
  }

  /// Returns a finding with these words: `what`, and "pairing failed at #48 because …".
  func finding(
    _ what: Wording, because clause: Wording, why: Wording, _ certainty: Certainty = .certain,
    evidence: PacketSet? = nil
  ) -> Finding {
    Finding(
      what, headline: "pairing failed at \(packet: packet) because \(clause)", why: why, certainty,
      evidence: evidence ?? packets)
  }

  /// Whether the failure is best explained by a user who did not act.
  var isSilence: Bool { SilentUser(attempt, attempt.end) != nil }
}
