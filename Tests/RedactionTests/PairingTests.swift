import Bytes
import Captures
import Cryptography
import Histories
import Dissectors
import Foundation
import Sessions
import Testing

@testable import Redaction

/// Keeps the evidence at the end.
private struct EvidenceKeeper: PacketReport, ~Copyable {
  var history: CaptureHistory? = CaptureHistory()
  var evidence: Evidence?
  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    history?.observe(packet, memory)
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    evidence = history.take()?.finish(memory, nil, failure)
  }
}

/// Returns the pairing attempts in a capture.
private func attempts(_ path: String, _ redaction: Redaction?) throws -> [PairingAttempt] {
  var keeper = EvidenceKeeper()
  var output = Output()
  try run({ try AnySource(path: path, redaction) }, &keeper, &output)
  return keeper.evidence?.connections.flatMap(\.pairing.attempts) ?? []
}

/// Expects that values in the pairings of a capture match exactly if they matched before, and that
/// the passkeys differ from the original ones.
///
/// - Returns: the number of passkeys that could be compared.
func expectSamePairings(_ capture: URL, _ redaction: Redaction) throws -> Int {
  let before = try attempts(capture.path, nil)
  let after = try attempts(capture.path, redaction)
  #expect(before.count == after.count)
  var passkeys = 0
  for (old, new) in zip(before, after) {
    let name = "\(capture.lastPathComponent), #\(old.first.packet)"
    #expect(old.outcome.commitment == new.outcome.commitment, "\(name)")
    #expect(old.outcome.agreed.count == new.outcome.agreed.count, "\(name)")
    #expect(old.outcome.parting?.round == new.outcome.parting?.round, "\(name)")
    #expect(old.outcome.invalidKeys == new.outcome.invalidKeys, "\(name)")
    #expect(old.outcome.debugKeys == new.outcome.debugKeys, "\(name)")
    #expect(old.outcome.checks == new.outcome.checks, "\(name)")
    for role in [PairingSide.initiator, .responder] {
      let (first, second) = (old.finding(role), new.finding(role))
      #expect(first?.deviations == second?.deviations, "\(name)")
      guard let first, let second, first.passkey.number != 0 else { continue }
      passkeys += 1
      #expect(first.passkey != second.passkey, "\(name)")
    }
  }
  return passkeys
}

extension PairingAttempt {
  /// Returns the finding about a side's commitment.
  fileprivate func finding(_ role: PairingSide) -> PasskeySearch.Finding? {
    role == .initiator ? outcome.search?.initiator : outcome.search?.responder
  }
}
