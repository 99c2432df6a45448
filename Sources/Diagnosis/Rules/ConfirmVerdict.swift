import Bluetooth
import Cryptography
import Histories
import Sessions

/// Why a side refused a confirm value (Confirm Value Failed, 0x04), as far as the values show it.
///
/// Legacy (Core, Vol 3, Part H, 2.3.5.5): the responder checks what the initiator has revealed, and
/// only then reveals its own random value, which the initiator checks. Secure Connections
/// (2.3.5.6): passkey entry does the same in each round; otherwise only the responder commits
/// itself, and the initiator checks.
enum ConfirmVerdict {
  /// The two sides have different passkeys.
  case passkeysDiffer
  /// This side computed its values incorrectly.
  case flaw(PairingSide, PairingAttempt.Flaw, isThorough: Bool)
  /// The values are correct, but this side refused them.
  case refusedThoughRight(PairingSide)
  /// The values of numeric comparison are correct: the digits were refused.
  case digitsRefused
  /// The values depend on out-of-band data, which is not in the capture.
  case outOfBand
  /// The values show nothing.
  case unknown

  init?(_ attempt: PairingAttempt) {
    guard let failure = attempt.failure, failure.reason == .confirmValueFailed else { return nil }
    let refusing = attempt.role(of: failure.side)
    self =
      switch attempt.method {
      case nil: .unknown
      case let method? where method.association == .outOfBand: .outOfBand
      case let method? where !method.isSecureConnections: Self.legacy(attempt, method, refusing)
      case let method? where method.hasPasskey: Self.rounds(attempt, refusing)
      case let method?: Self.single(attempt, method, refusing)
      }
  }

  private static func legacy(
    _ attempt: PairingAttempt, _ method: PairingMethod, _ refusing: PairingSide
  ) -> Self {
    guard let search = attempt.outcome.search, search.has(refusing.other) else { return .unknown }
    if let flaw = search.flaw(of: refusing.other) { return flaw }
    guard method.hasPasskey else { return .refusedThoughRight(refusing) }
    // The responder refuses before it reveals its own value.
    guard search.has(refusing) else { return .passkeysDiffer }
    if let flaw = search.flaw(of: refusing) { return flaw }
    return search.finding(refusing)?.passkey == search.finding(refusing.other)?.passkey
      ? .refusedThoughRight(refusing) : .passkeysDiffer
  }

  private static func rounds(_ attempt: PairingAttempt, _ refusing: PairingSide) -> Self {
    if attempt.outcome.parting != nil { return .passkeysDiffer }
    guard let round = attempt.outcome.lastRound else { return .unknown }
    let (checked, own) =
      refusing == .initiator
      ? (round.responder, round.initiator) : (round.initiator, round.responder)
    if let verdict = verdict(on: checked, of: refusing.other) { return verdict }
    switch own {
    case .opens: return .refusedThoughRight(refusing)
    case .deviates: return verdict(on: own, of: refusing) ?? .unknown
    case .hidden, .closed: return .unknown
    }
  }

  private static func single(
    _ attempt: PairingAttempt, _ method: PairingMethod, _ refusing: PairingSide
  ) -> Self {
    let isOpen = attempt.initiating.randoms != nil && attempt.responding.randoms != nil
    guard isOpen, let commitment = attempt.outcome.commitment else { return .unknown }
    return verdict(on: commitment, of: .responder)
      ?? (method.association == .numericComparison ? .digitsRefused : .refusedThoughRight(refusing))
  }

  /// Returns what a side's commitment shows, or nil if it opens as it should.
  private static func verdict(
    on commitment: SecureConnectionsCommitment, of role: PairingSide
  ) -> Self? {
    switch commitment {
    case .opens: nil
    case .hidden: .unknown
    case .closed: .flaw(role, .secureConnections(nil), isThorough: true)
    case .deviates(_, let deviation):
      .flaw(role, .secureConnections(deviation), isThorough: true)
    }
  }
}

extension PairingAttempt.Searched {
  /// Returns the flaw that the search shows in a side's values, if there is one.
  fileprivate func flaw(of role: PairingSide) -> ConfirmVerdict? {
    guard let finding = finding(role) else {
      return .flaw(role, .legacy([]), isThorough: lookedForDeviations)
    }
    return finding.deviations.isEmpty
      ? nil : .flaw(role, .legacy(finding.deviations), isThorough: true)
  }
}
