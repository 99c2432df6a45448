import Histories
import Bluetooth
import Cryptography
import Meanings

// Rules about pairing that fails, and pairing that is not what was intended.

extension Rule {
  /// What the values show, what the reason means, what did not happen, and notes.
  static let pairing: [Rule] =
    [unexpectedPDU] + pairingValues + pairingChecks + pairingReasons + pairingSilence
    + pairingNotes
}

extension Symptom {
  /// Returns a rule about attempts that a side ended with Pairing Failed. Failures of one
  /// connection that are described in the same words are reported once, with the packets of all.
  ///
  /// - Parameter reason: the reason of the failure; nil: any.
  func failed(
    with reason: PairingFailure? = nil, elsewise: [Alternative<FailedPairing>] = [],
    _ explain: @escaping @Sendable (FailedPairing) -> Finding?
  ) -> Rule {
    with(.settled).onConnection(about: FailedPairing.self, elsewise: elsewise) {
      connection, evidence in
      var found: [(failed: FailedPairing, finding: Finding, packets: [Int])] = []
      let attempts = connection.pairing.attempts
      // Attempts are large, so only those are copied that failed for this reason. Two responses to
      // one request explain everything that follows.
      for position in attempts.indices where attempts[position].secondResponse == nil {
        guard let ending = attempts[position].failure, reason ?? ending.reason == ending.reason,
          let failed = FailedPairing(attempts[position], position, connection, evidence),
          var finding = explain(failed)
        else { continue }
        if let same = found.firstIndex(where: { $0.finding.what == finding.what }) {
          found[same].packets.append(failed.packet)
          continue
        }
        failed.addOutcome(to: &finding)
        found.append((failed, finding, []))
      }
      return found.map { failed, finding, packets in
        var finding = finding
        finding.evidence = finding.evidence.union(PacketSet(packets)).sorted
        let note = Wording(
          sentences: finding.note ?? "", FailedPairing.again(packets),
          connection.pairing.omittedWords)
        if !note.isEmpty { finding.note = note }
        return (failed, finding)
      }
    }
  }

  /// Returns a rule about reasons that state by themselves what a side reports.
  func reported(_ words: KeyValuePairs<PairingFailure, StaticString>) -> Rule {
    failed { failed in
      guard let words = words.first(where: { $0.key == failed.reason })?.value else { return nil }
      return failed.finding("\(failed.side.capitalized) \(words)", why: failed.answer)
    }
  }
}

extension FailedPairing {
  /// Adds the reason's code, and whether pairing succeeded later.
  fileprivate func addOutcome(to finding: inout Finding) {
    if finding.code == nil { finding.code = NamedCode(UInt64(reason.rawValue), reason.name) }
    if let resolution {
      finding.resolve()
      finding.headline =
        "pairing failed at \(packet: packet), and succeeded at \(packet: resolution)"
    } else if attempt.isOverBREDR {
      finding.severity = .note
    } else if let later = laterSuccess {
      finding.resolve(.warning)
      finding.note = Wording(
        sentences: finding.note ?? "",
        "Pairing with the same device succeeded on connection \(later.connection) (\(packet: later.packet))."
      )
    }
  }

  /// Returns a sentence on the packets that report the same failure; empty if none does.
  fileprivate static func again(_ packets: [Int]) -> Wording {
    switch packets.count {
    case 0: ""
    case 1: "It failed in the same way again at \(packet: packets[0])."
    default:
      "It failed in the same way \(packets.count) more times, from \(packet: packets[0]) on."
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

extension [PairingAttempt] {
  /// Returns the packet that shows that pairing succeeded after the attempt at `position`.
  func success(after position: Int) -> Int? {
    for later in indices.dropFirst(position + 1) where self[later].isPaired {
      return self[later].encrypted?.packet ?? self[later].last.packet
    }
    return nil
  }
}

/// An attempt that a side ended with Pairing Failed, and its context.
struct FailedPairing {
  let attempt: PairingAttempt
  let position: Int
  let connection: ConnectionHistory
  let evidence: Evidence
  let reason: PairingFailure
  let side: Side
  let packet: Int

  /// Returns nil for an attempt that ended in another way.
  init?(
    _ attempt: PairingAttempt, _ position: Int, _ connection: ConnectionHistory,
    _ evidence: Evidence
  ) {
    guard let failure = attempt.failure, let end = attempt.end else { return nil }
    (self.attempt, self.position) = (attempt, position)
    (self.connection, self.evidence) = (connection, evidence)
    (reason, side) = failure
    packet = end.packet
  }

  var role: PairingSide { attempt.role(of: side) }
  var otherRole: PairingSide { role.other }

  /// The packet that shows that pairing succeeded later on the same connection.
  var resolution: Int? { connection.pairing.attempts.success(after: position) }

  /// The later connection with the device on which pairing succeeded.
  var laterSuccess: (connection: Int, packet: Int)? {
    evidence.later(than: connection).lazy.compactMap { later in
      later.pairing.attempts.success(after: -1).map { (later.id, $0) }
    }.first
  }

  var packets: PacketSet {
    PacketSet(
      of: attempt.askedFor, attempt.initiating.features?.moment,
      attempt.responding.features?.moment, attempt.end)
  }

  /// Returns the packets with a side's commitment, the value that opens it, and the failure.
  func opening(of roles: [PairingSide]) -> PacketSet {
    let values = roles.flatMap { [attempt[$0].confirms?.last, attempt[$0].randoms?.last] }
    return PacketSet((values + [attempt.end]).compactMap { $0?.packet })
  }

  var acts: [PairingAct] { connection.pairing.acts(during: attempt) }

  /// The fact in a sentence: `The peer answered the Pairing Request with Busy (0x10).`
  var answer: Wording {
    if attempt.isBeginningMissing || attempt.responding.features != nil {
      return "\(side.capitalized) ended the pairing with \(reason) \(attempt.progress)."
    }
    let refused: StaticString =
      attempt.initiating.features == nil ? "the Security Request" : "the Pairing Request"
    return "\(side.capitalized) answered \(refused) with \(reason)."
  }

  /// Returns a finding with these words: `what`, and "pairing failed at #48 because …".
  func finding(
    _ what: Wording, because clause: Wording? = nil, why: Wording, evidence: PacketSet? = nil,
    grounds: Grounds? = nil, do remedy: Wording? = nil, fault: Side? = nil
  ) -> Finding {
    Finding(
      what, headline: "pairing failed at \(packet: packet) because \(clause ?? what.asClause)",
      why: why, evidence: evidence ?? packets, grounds: grounds, do: remedy, fault: fault)
  }

  /// Whether the failure is best explained by a user who did not act.
  var isSilence: Bool { SilentUser(attempt, attempt.end) != nil }
}
