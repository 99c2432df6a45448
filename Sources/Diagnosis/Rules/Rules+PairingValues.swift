import Bluetooth
import Cryptography
import Sessions
import Words

// Rules about what the confirm and random values of a pairing reveal.

extension Rule {
  /// The rules about confirm values.
  static let pairingValues: [Rule] = [
    failing(
      "smp-passkey-mismatch", "The two sides of a pairing have different passkeys",
      when:
        "Confirm Value Failed (0x04) in passkey entry, and the values show that the refused side had another passkey, or that its own values are sound",
      do:
        "Compare the digits that were typed with those that were shown; check leading zeros, and that a fixed passkey is the same in both firmwares."
    ) { failed in
      switch ConfirmVerdict(failed.attempt) {
      case .passkeysDiffer:
        return failed.attempt.isSecureConnections
          ? failed.differingRounds() : failed.differingPasskeys()
      case .unknown: return failed.presumablyDifferingPasskeys()
      default: return nil
      }
    },
    failing(
      "smp-confirm-deviates", "One side computes its confirm values wrongly",
      when:
        "Confirm Value Failed (0x04), and the refused value fits no passkey, fits only a wrong computation, or is right",
      do:
        "Check c1 or f4 of that firmware against the sample data of the Core Specification (Vol 3, Part H, 2.2.3 for c1, Appendix D for f4): the address types, the byte order of each input, and the Pairing Request and Response as they were sent."
    ) { failed in
      switch ConfirmVerdict(failed.attempt) {
      case .flaw(let role, let flaw, let isThorough): return failed.flaw(role, flaw, isThorough)
      case .refusedThoughRight(let role): return failed.refusal(of: role)
      default: return nil
      }
    },
    failing(
      "smp-confirm-failed", "A confirm value was refused, and the capture does not show why",
      when: "Confirm Value Failed (0x04) without values that could be checked",
      do:
        "Pair again with fresh digits or fresh out-of-band data; if it fails again, compare the logs of both sides for the function that computes it, c1 in LE legacy pairing and f4 in Secure Connections."
    ) { failed in
      switch ConfirmVerdict(failed.attempt) {
      case .outOfBand:
        return failed.finding(
          "The out-of-band data differs", because: "the out-of-band data differs",
          why:
            "\(failed.side.capitalized) refused a value computed from data that came over another channel, such as NFC. That data is not in the capture.",
          .likely)
      case .unknown where failed.presumablyDifferingPasskeys() == nil:
        return failed.finding(
          "A confirm value was refused", because: "a confirm value was refused",
          why:
            "\(failed.side.capitalized) answered \(failed.refused) with \(failed.reason). The capture has no values that show whose were wrong.",
          failed.attempt.method == nil ? .possible : .certain)
      default: return nil
      }
    },
    Rule(
      "smp-address-missing", .note, .meaning,
      "The addresses of both sides are missing, so a passkey cannot be searched for",
      when:
        "a legacy pairing was refused with Confirm Value Failed (0x04), and neither side's address is in the capture",
      needs: [.bothDirections],
      do:
        "Start the capture before the connection: the Connection Complete event has the addresses."
    ) { connection, _ in
      connection.pairing.attempts.filter(\.outcome.lacksAddresses).prefix(1).map { attempt in
        let packet = attempt.end?.packet ?? attempt.last.packet
        return Finding(
          "The passkeys cannot be checked: both addresses are missing",
          headline:
            "the passkeys of the pairing that failed at \(packet: packet) cannot be checked",
          why:
            "A legacy confirm value is computed from both devices' addresses. The capture has neither.",
          evidence: [packet])
      }
    },
  ]
}

extension FailedPairing {
  /// Returns a line with `<hidden>` for each side's passkey, or `unknown`.
  private func passkeys(_ own: SixDigits?, _ other: SixDigits?, of role: PairingSide)
    -> Finding.Detail
  {
    func words(_ digits: SixDigits?, isRevealed: Bool) -> Wording {
      guard let digits else { return "unknown" }
      return isRevealed ? digits.revealed : "<hidden>"
    }
    func line(isRevealed: Bool) -> Wording {
      "\(attempt.side(role).words) \(words(own, isRevealed: isRevealed)), \(attempt.side(role.other).words) \(words(other, isRevealed: isRevealed))"
    }
    return Finding.Detail(
      "passkey", hidden: "\(line(isRevealed: false)); --show-keys prints it",
      revealed: line(isRevealed: true))
  }

  private var passkeysDiffer: Wording { "The passkeys on the two sides differ" }
  private var theyDiffer: Wording { "the passkeys on the two sides differ" }

  /// Returns a finding for legacy pairing, in which one commitment was opened, or both were.
  fileprivate func differingPasskeys() -> Finding? {
    guard let found = attempt.outcome.search?.finding(otherRole) else { return nil }
    let refused = attempt.side(otherRole)
    let own = attempt.outcome.search?.finding(role)
    let why: Wording =
      own == nil
      ? "The opened commitment matches one of the 1 000 000 passkeys, so \(refused.words)'s values are sound; \(side.words) compared them with its own passkey and refused. The passkey of \(side.words) is unknown: it never sent its random value."
      : "Both commitments are open. Each matches one of the 1 000 000 passkeys, so both sides' values are sound, but the passkeys differ."
    var finding = finding(
      passkeysDiffer, because: theyDiffer, why: why,
      evidence: opening(of: own == nil ? [otherRole] : [.initiator, .responder]))
    finding.details = [passkeys(found.passkey, own?.passkey, of: otherRole)]
    if let typed = typedPlace { finding.remedy = typed }
    finding.note =
      "A failed legacy attempt reveals the passkey of \(refused.words) to an eavesdropper: never retry with the same fixed passkey."
    return finding
  }

  /// What to compare if one side shows the passkey and the user types it on the other.
  private var typedPlace: Wording? {
    guard attempt.shows(.initiator) || attempt.shows(.responder) else { return nil }
    let typing = attempt.side(attempt.shows(.initiator) ? .responder : .initiator)
    let (typed, shown): (StaticString, StaticString) =
      typing == .local ? ("typed here", "the peer's display") : ("typed there", "this display")
    if let program = attempt.programTyped {
      return
        "First check where the program that typed on \(program.side.words) gets its passkey from, and that a fixed passkey is the same in both firmwares. Then compare the digits \(typed) with those on \(shown); check leading zeros."
    }
    return
      "Compare the digits \(typed) with those on \(shown); check leading zeros, and that a fixed passkey is the same in both firmwares."
  }

  /// Returns a finding for Secure Connections with the round in which the bits differ.
  fileprivate func differingRounds() -> Finding? {
    guard let parting = attempt.outcome.parting else { return nil }
    let (first, second) = (attempt.side(.initiator), attempt.side(.responder))
    let before: Wording =
      parting.round == 1
      ? "They differ in the first of the 20 rounds."
      : "The first \(parting.round - 1) of the 20 rounds agree; in round \(parting.round) the sides differ."
    let why: Wording =
      parting.isDeduced
      ? "Each round compares one bit of the passkey. \(before) The bit of \(first.words) is computed from the commitment that it opened; \(second.words), which has the other bit, refused before it opened its own."
      : "Each round compares one bit of the passkey. \(before) Both bits are computed from the commitments that were opened."
    var finding = finding(
      passkeysDiffer, because: theyDiffer, why: why,
      evidence: opening(of: parting.isDeduced ? [.initiator] : [.initiator, .responder]))
    let concluded: Wording = parting.isDeduced ? " (concluded)" : ""
    finding.details = [
      Finding.Detail(
        "passkey",
        hidden:
          "bit \(parting.round) of 20, from the least significant one: \(first.words) <hidden>, \(second.words) <hidden>; --show-keys prints them",
        revealed:
          "bit \(parting.round) of 20, from the least significant one: \(first.words) \(parting.initiatorBit), \(second.words) \(parting.responderBit)\(concluded)"
      )
    ]
    if let typed = typedPlace { finding.remedy = typed }
    finding.note =
      "Each failed attempt reveals bits of the passkey: a fixed one can be found attempt by attempt."
    return finding
  }

  /// Returns a finding for a refused passkey whose values cannot be checked: different passkeys are
  /// the best explanation.
  fileprivate func presumablyDifferingPasskeys() -> Finding? {
    guard attempt.method?.hasPasskey == true, attempt[otherRole].randoms != nil else { return nil }
    return finding(
      passkeysDiffer, because: "the passkeys on the two sides differ",
      why:
        "\(side.capitalized) refused the value that \(attempt.side(otherRole).words) had opened. The capture does not have all the values needed to compute it, so a wrong computation is also possible.",
      .likely, evidence: opening(of: [otherRole]))
  }

  // MARK: Wrong computations

  fileprivate func flaw(
    _ role: PairingSide, _ flaw: PairingAttempt.Flaw, _ isThorough: Bool
  ) -> Finding {
    let side = attempt.side(role)
    let (why, certainty): (Wording, Certainty)
    switch flaw {
    case .legacy(let deviations) where deviations.isEmpty:
      let tried: Wording =
        isThorough ? ", even with the common errors in c1" : ""
      let all: Wording =
        attempt.method?.hasPasskey == true
        ? "None of the 1 000 000 passkeys" : "The key of Just Works"
      let fits: Wording =
        attempt.method?.hasPasskey == true ? "fits" : "does not fit"
      why =
        "\(all) \(fits) the commitment that \(side.words) opened\(tried). Its c1 uses inputs other than those sent on the link, or the temporary key is not a passkey."
      certainty = isThorough ? .certain : .likely
    case .legacy(let deviations):
      let ways = Wording(listing: deviations.map { "\($0.words)" })
      why =
        "The commitment that \(side.words) opened fits a passkey only if c1 was computed with \(ways)."
      certainty = hasOnlyOwnAddress(deviations, side) ? .likely : .certain
    case .secureConnections(let deviation?):
      why =
        "The commitment that \(side.words) opened fits only if f4 was computed with \(deviation.words)."
      certainty = .certain
    case .secureConnections(nil):
      why =
        "The commitment that \(side.words) opened does not fit its random value and the two public keys, whatever the passkey."
      certainty = .certain
    }
    var finding = finding(
      "\(side.capitalized) computes its confirm value wrongly",
      because: "\(side.words) computes its confirm value wrongly", why: why, certainty,
      evidence: opening(of: [role]))
    if let found = attempt.outcome.search?.finding(role), attempt.method?.hasPasskey == true {
      finding.details = [passkeys(found.passkey, nil, of: role)]
    }
    return finding
  }

  /// Returns whether only the captured host's own address deviates, in which case the capture may
  /// lack a change of it.
  private func hasOnlyOwnAddress(_ deviations: [ConfirmDeviation], _ side: Side) -> Bool {
    side == .local
      && deviations.allSatisfy {
        switch $0 {
        case .initiatorAddress, .initiatorAddressType: attempt.initiator == .local
        case .responderAddress, .responderAddressType: attempt.initiator == .peer
        default: false
        }
      }
  }

  fileprivate func refusal(of role: PairingSide) -> Finding {
    let (refusing, other) = (attempt.side(role), attempt.side(role.other))
    let hasPasskey = attempt.method?.hasPasskey == true
    var finding = finding(
      "\(refusing.capitalized) refused a confirm value that is right",
      because: "\(refusing.words) refused a confirm value that is right",
      why: hasPasskey
        ? "Both sides' commitments are open and show the same passkey. \(refusing.capitalized) refused it anyway: the value that it compared with was computed wrongly."
        : "The commitment that \(other.words) opened is computed as the specification requires. \(refusing.capitalized) refused it anyway: the value that it compared with was computed wrongly, or it refused for another reason.",
      hasPasskey ? .certain : .likely,
      evidence: opening(of: hasPasskey ? [.initiator, .responder] : [role.other]))
    if hasPasskey, let found = attempt.outcome.search?.finding(role.other) {
      finding.details = [passkeys(found.passkey, found.passkey, of: role.other)]
    }
    return finding
  }
}
