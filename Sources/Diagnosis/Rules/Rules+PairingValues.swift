import Bluetooth
import Cryptography
import Sessions

// Rules over what the values of a pairing come to: confirm, random and check values, public keys.

extension Rule {
  /// Rules over the values of a pairing.
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
        "Pair again with fresh digits or fresh out-of-band data; if it fails again, compare what both sides log of the function that computes it, c1 in LE legacy pairing and f4 in Secure Connections."
    ) { failed in
      switch ConfirmVerdict(failed.attempt) {
      case .outOfBand:
        return failed.finding(
          "The data from out of band differ", because: "the data from out of band differ",
          why:
            "\(failed.side.capitalized) refused a value that is computed with data that came by another way, such as NFC. That data is not in the capture.",
          .likely)
      case .unknown where failed.presumablyDifferingPasskeys() == nil:
        return failed.finding(
          "A confirm value was refused", because: "a confirm value was refused",
          why:
            "\(failed.side.capitalized) answered \(failed.refused) with \(failed.reason). The capture holds no values that show whose were wrong.",
          .certain)
      default: return nil
      }
    },
    Rule(
      "smp-address-missing", .note,
      "The addresses of both sides are missing, so that a passkey cannot be searched for",
      when:
        "a legacy pairing was refused with Confirm Value Failed (0x04), and neither its own address nor the peer's is in the capture",
      do:
        "Start the capture before the connection is made: the Connection Complete event has the addresses."
    ) { connection, _ in
      connection.pairing.attempts.filter(\.outcome.lacksAddresses).prefix(1).map { attempt in
        let packet = attempt.end?.packet ?? attempt.last.packet
        return Finding(
          "The passkeys cannot be checked: both addresses are missing",
          headline:
            "the passkeys of the pairing that failed at \(packet: packet) cannot be checked",
          why:
            "A legacy confirm value is computed from both devices' addresses. The capture begins after the connection was made and has neither.",
          evidence: [packet])
      }
    },
    failing(
      "smp-numeric-rejected", "The digits of numeric comparison were refused",
      when:
        "Numeric Comparison Failed (0x0c) in numeric comparison, or another refusal of values that are right, after both sides had shown their digits",
      do:
        "If nobody pressed No, look for a program that answers for its user: \(answeringDigits). If the two screens differ, one side computes the digits (function g2) wrongly."
    ) { failed in
      guard failed.attempt.method?.association == .numericComparison, !failed.isSilence else {
        return nil
      }
      if failed.reason == .numericComparisonFailed { return failed.refusedDigits() }
      guard case .digitsRefused = ConfirmVerdict(failed.attempt) else { return nil }
      return failed.refusedDigits()
    },
    failing(
      "smp-just-works-unconfirmed", "Just Works was refused as if digits had been compared",
      when:
        "Numeric Comparison Failed (0x0c) in a pairing that compares nothing, or before the method is known",
      do:
        "On BlueZ register an agent before pairing (bluetoothctl: agent on, default-agent; in a program: org.bluez.AgentManager1.RegisterAgent), or allow pairing without one with `JustWorksRepairing = always` where the devices are bonded already. On other hosts answer the pairing dialog."
    ) { failed in
      guard failed.reason == .numericComparisonFailed,
        failed.attempt.method?.association != .numericComparison
      else { return nil }
      return failed.unconfirmed()
    },
    failing(
      "smp-dhkey-check-failed", "A check value was refused",
      when: "DHKey Check Failed (0x0b)",
      do:
        "Check f5 and f6 of both firmwares against the sample data of the Core Specification (Vol 3, Part H, Appendix D): the address types, the order of AuthReq, OOB data flag and IO capability, and r."
    ) { failed in
      guard failed.reason == .dhKeyCheckFailed else { return nil }
      return failed.refusedCheck()
    },
  ]

  /// Where a program answers for a user who compares digits.
  fileprivate static let answeringDigits: Wording =
    "on BlueZ the agent's RequestConfirmation, on Zephyr passkey_confirm, on Nordic's SoftDevice sd_ble_gap_auth_key_reply"
}

extension FailedPairing {
  /// `<hidden>` for both sides' values, or who has none.
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

  /// Legacy: one commitment is open, or both are.
  fileprivate func differingPasskeys() -> Finding? {
    guard let found = attempt.outcome.search?.finding(otherRole) else { return nil }
    let refused = attempt.side(otherRole)
    let own = attempt.outcome.search?.finding(role)
    let why: Wording =
      own == nil
      ? "The opened commitment fits one of the 1 000 000 passkeys, so \(refused.words)'s values are sound; \(side.words) compared them with its own passkey and refused. The passkey of \(side.words) cannot be known: it never sent its random."
      : "Both commitments are open. Each fits one of the 1 000 000 passkeys, so both sides' values are sound, and they are not the same passkey."
    var finding = finding(
      passkeysDiffer, because: theyDiffer, why: why,
      evidence: opening(of: own == nil ? [otherRole] : [.initiator, .responder]))
    finding.details = [passkeys(found.passkey, own?.passkey, of: otherRole)]
    if let typed = typedPlace { finding.remedy = typed }
    finding.note =
      "A failed legacy attempt gives the passkey of \(refused.words) to anyone who listened: never retry with the same fixed passkey."
    return finding
  }

  /// What to compare, where one side shows and the other types.
  private var typedPlace: Wording? {
    guard attempt.shows(.initiator) || attempt.shows(.responder) else { return nil }
    let typing = attempt.side(attempt.shows(.initiator) ? .responder : .initiator)
    let (typed, shown): (StaticString, StaticString) =
      typing == .local ? ("typed here", "the peer's display") : ("typed there", "this display")
    if let program = attempt.programTyped {
      return
        "First see where the program that typed on \(program.side.words) takes its passkey from, and that a fixed passkey is the same in both firmwares. Then compare the digits \(typed) with those on \(shown); check leading zeros."
    }
    return
      "Compare the digits \(typed) with those on \(shown); check leading zeros, and that a fixed passkey is the same in both firmwares."
  }

  /// Secure Connections: the round in which the bits differ.
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
      "Each failed attempt gives bits of a passkey away: one that stays the same is found out attempt by attempt."
    return finding
  }

  /// A passkey was refused, and the values cannot be checked: different passkeys are what explains it best.
  fileprivate func presumablyDifferingPasskeys() -> Finding? {
    guard attempt.method?.hasPasskey == true, attempt[otherRole].randoms != nil else { return nil }
    return finding(
      passkeysDiffer, because: "the passkeys on the two sides differ, most likely",
      why:
        "\(side.capitalized) refused the value that \(attempt.side(otherRole).words) had opened. The capture does not have all that is needed to compute it, so a wrong computation is possible, too.",
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
        isThorough ? ", nor one computed in any of the ways that are often got wrong" : ""
      let all: Wording =
        attempt.method?.hasPasskey == true
        ? "None of the 1 000 000 passkeys" : "The key of Just Works"
      let fits: Wording =
        attempt.method?.hasPasskey == true ? "fits" : "does not fit"
      why =
        "\(all) \(fits) the commitment that \(side.words) opened\(tried). Its c1 works with other inputs than those that crossed the link, or the temporary key is no passkey."
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

  /// Whether all that deviates is the captured host's own address: then the capture may lack its change.
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
        ? "Both sides' commitments are open and show the same passkey. \(refusing.capitalized) refused nevertheless: what it compared with was computed wrongly."
        : "The commitment that \(other.words) opened is computed as the specification wants. \(refusing.capitalized) refused nevertheless: what it compared with was computed wrongly, or it refused for another reason.",
      hasPasskey ? .certain : .likely,
      evidence: opening(of: hasPasskey ? [.initiator, .responder] : [role.other]))
    if hasPasskey, let found = attempt.outcome.search?.finding(role.other) {
      finding.details = [passkeys(found.passkey, found.passkey, of: role.other)]
    }
    return finding
  }

  // MARK: Digits and check values

  /// A program's or a user's answer about the captured host, if it is in the capture.
  private var localRefusal: PairingAct? { acts.last { $0.kind == .confirmed(false) } }

  fileprivate func refusedDigits() -> Finding {
    var pieces: [Wording] = []
    if case .opens = attempt.outcome.commitment {
      pieces.append(
        "The peer's and this host's values fit each other, so the digits of both are the same.")
    } else if attempt.outcome.digits == nil {
      pieces.append("The capture does not have all values from which the digits follow.")
    }
    var certainty = Certainty.certain
    let hasty = attempt.programRefused
    if let act = localRefusal, side == .local {
      pieces.append("This host's program answered No for its user at \(packet: act.moment.packet).")
    } else if let hasty {
      pieces.append(
        "\(side.capitalized) answered \(reason) \(duration: hasty.delay) after it could know the digits (\(packet: hasty.known.packet)): no person reads them so fast, a program refused."
      )
      certainty = .likely
    } else if reason == .numericComparisonFailed {
      pieces.append(
        "\(side.capitalized) says that they were not confirmed: its user pressed No or saw other digits, or nobody answered for the user."
      )
      certainty = .likely
    } else {
      pieces.append(
        "\(side.capitalized) refused with \(reason) although no value is wrong: what is left is its user, who pressed No or saw other digits. Other stacks say Numeric Comparison Failed (0x0c) then."
      )
      certainty = .likely
    }
    var packets = packets
    packets.insert(attempt.responding.confirms?.first.packet)
    packets.insert(attempt.initiating.randoms?.first.packet)
    packets.insert(attempt.responding.randoms?.first.packet)
    var finding = finding(
      "The digits of numeric comparison were refused by \(side.words)",
      because: reason == .numericComparisonFailed
        ? "\(side.words) refused the digits of numeric comparison"
        : "\(side.words) refused the digits of numeric comparison, most likely",
      why: Wording(pieces, joinedBy: " "), certainty, evidence: packets)
    if hasty != nil {
      finding.remedy =
        "Look for the program on \(side.words) that answers for its user: \(Rule.answeringDigits). It has to show the digits and wait for the user's answer."
    }
    if let digits = attempt.outcome.digits {
      finding.details = [Finding.Detail("digits", digits.ofBothSides)]
    }
    return finding
  }

  fileprivate func unconfirmed() -> Finding {
    let why: Wording
    var certainty = Certainty.possible
    var packets = packets
    let asked = acts.first { $0.kind == .confirmationAsked(comparesDigits: false) }
    let method: Wording =
      attempt.method == nil
      ? "Nothing was compared yet." : "The method is Just Works, in which nobody compares digits."
    if side == .local, let missing = missingAgent {
      why =
        "\(method) bluetoothd asked for the user's consent and logged at \(packet: missing) that no agent is there to ask."
      packets.insert(missing)
      certainty = .certain
    } else if side == .local, let asked {
      let answer: Wording =
        localRefusal.map { (act: PairingAct) -> Wording in
          ", and got No at \(packet: act.moment.packet)"
        } ?? ""
      why =
        "\(method) BlueZ asked for the user's consent at \(packet: asked.moment.packet)\(answer): it does so for Just Works, too, and refuses where no agent answers."
      packets.insert(asked.moment.packet)
      packets.insert(localRefusal?.moment.packet)
      certainty = .likely
    } else {
      why =
        "\(method) \(side.capitalized) refused with \(reason): BlueZ does so where no agent answers for the user, others where the user declines."
    }
    let subject: Wording =
      side == .local ? "this host did not confirm it" : "the peer did not confirm it"
    let refusedWhat: Wording =
      attempt.method == nil ? "The pairing was refused" : "Just Works was refused"
    return finding(
      "\(refusedWhat): \(subject)", because: "\(subject)", why: why, certainty,
      evidence: packets)
  }

  /// Where bluetoothd logged during the attempt that no agent is there to ask about this peer.
  var missingAgent: Int? {
    evidence.host.agentMissing.first {
      $0.moment.packet > attempt.first.packet && $0.moment.packet <= packet + Self.logDelay
        && $0.peer != nil && $0.peer == connection.connection.peer
    }?.moment.packet
  }

  /// Log lines come later than what they tell of, by some packets.
  private static let logDelay = 16

  fileprivate func refusedCheck() -> Finding {
    let checked = attempt.side(otherRole)
    var packets = packets
    packets.insert(attempt[otherRole].check?.packet)
    var why: Wording =
      "\(side.capitalized) computed another check value than \(checked.words) sent: the two sides do not have the same DHKey, passkey, addresses or features. Which, the capture does not show."
    var certainty = Certainty.likely
    if let found = attempt.outcome.checks[otherRole] {
      certainty = .certain
      switch found {
      case nil:
        why =
          "One side used the debug key pair, so the values are known: the check value that \(checked.words) sent fits none of the known ways to compute it."
      case let deviations? where deviations.isEmpty:
        why =
          "One side used the debug key pair, so the values are known: the check value that \(checked.words) sent is right. \(side.capitalized) refused it, so its own computation is wrong."
      case let deviations?:
        let ways = Wording(listing: deviations.map { "\($0.words)" })
        why =
          "One side used the debug key pair, so the values are known: the check value that \(checked.words) sent was computed with \(ways)."
      }
    } else if attempt[otherRole].check == nil {
      why =
        "\(side.capitalized) answered \(refused) with \(reason), before a check value was sent."
    }
    let hasCheck = attempt[otherRole].check != nil
    return finding(
      hasCheck ? "A check value was refused" : "A check value was refused before it was sent",
      because: "\(side.words) refused the check value", why: why, certainty, evidence: packets)
  }
}
