import Histories
import Bluetooth
import Cryptography
import Meanings
import Sessions

// Rules about what the values of a pairing reveal: confirm and random values, the digits of numeric
// comparison, and check values. What is recomputed from packets is a fact.

extension Rule {
  static let pairingValues: [Rule] = [
    Symptom(
      "smp_passkey_mismatch", .error, .meaning,
      "The two sides of a pairing have different passkeys",
      when:
        "Confirm Value Failed (0x04) in passkey entry, and the values show that the refused side had another passkey, or that its own values are sound",
      do:
        "Compare the digits that were typed with those that were shown; check leading zeros, and that a fixed passkey is the same in both firmwares."
    ).failed(
      elsewise: [
        Alternative("a side computes its confirm values wrongly") { failed, _ in
          failed.provesSoundValues
        }
      ]
    ) { failed in
      switch ConfirmVerdict(failed.attempt) {
      case .passkeysDiffer:
        failed.attempt.isSecureConnections ? failed.differingRounds() : failed.differingPasskeys()
      case .unknown: failed.presumablyDifferingPasskeys()
      default: nil
      }
    },
    Symptom(
      "smp_confirm_deviates", .error, .meaning, "One side computes its confirm value wrongly",
      when:
        "Confirm Value Failed (0x04), and the refused value fits no passkey, fits only a wrong computation, or is right",
      do:
        "Check c1 or f4 of that firmware against the sample data of the Core Specification (Vol 3, Part H, 2.2.3 for c1, Appendix D for f4): the address types, the byte order of each input, and the Pairing Request and Response as they were sent."
    ).failed(
      elsewise: [
        Alternative("this host used an address whose change the capture lacks") { failed, _ in
          !failed.hasOnlyOwnAddressWrong
        },
        Alternative("its temporary key is not a passkey of six digits") { failed, _ in
          failed.attempt.method?.hasPasskey != true || failed.legacyFlaw?.deviations.isEmpty != true
        },
      ]
    ) { failed in
      switch ConfirmVerdict(failed.attempt) {
      case .flaw(let role, let flaw, let isThorough): return failed.flaw(role, flaw, isThorough)
      case .refusedThoughRight(let role): return failed.refusal(of: role)
      default: return nil
      }
    },
    Symptom(
      "smp_confirm_failed", .error, .meaning,
      "A confirm value was refused, and the capture does not show why",
      when: "Confirm Value Failed (0x04) without values that could be checked",
      do:
        "Pair again with fresh digits or fresh out-of-band data; if it fails again, compare the logs of both sides for the function that computes it, c1 in LE legacy pairing and f4 in Secure Connections."
    ).failed(
      elsewise: [
        Alternative("a side computes its confirm values wrongly") { failed, _ in
          failed.attempt.method?.association != .outOfBand
        }
      ]
    ) { failed in
      switch ConfirmVerdict(failed.attempt) {
      case .outOfBand:
        return failed.finding(
          "The out-of-band data differs",
          why:
            "\(failed.side.capitalized) refused a value computed from data that came over another channel, such as NFC. That data is not in the capture."
        )
      case .unknown where failed.presumablyDifferingPasskeys() == nil:
        return failed.finding(
          "A confirm value was refused",
          why: "\(failed.answer) The capture has no values that show whose were wrong.",
          grounds: .fact)
      default: return nil
      }
    },
  ]

  static let pairingChecks: [Rule] = [
    Symptom(
      "smp_numeric_rejected", .error, .fact, "Numeric comparison was refused",
      when:
        "Numeric Comparison Failed (0x0c) in numeric comparison, or another refusal of values that are right, after both sides had shown their digits",
      do:
        "If no user pressed No, look for a program that answers for its user: \(answeringDigits). If the two screens differ, one side computes the digits (function g2) wrongly, or someone is in the middle."
    ).failed(
      elsewise: [
        Alternative("the refusing user had cancelled before the digits were shown") { failed, _ in
          failed.attempt.programRefused == nil
        }
      ]
    ) { failed in
      guard failed.attempt.method?.association == .numericComparison, !failed.isSilence
      else { return nil }
      if failed.reason == .numericComparisonFailed { return failed.refusedDigits() }
      guard case .digitsRefused = ConfirmVerdict(failed.attempt) else { return nil }
      return failed.refusedDigits()
    },
    Symptom(
      "smp_just_works_unconfirmed", .error, .fact,
      "Just Works was refused as if digits had been compared",
      when:
        "Numeric Comparison Failed (0x0c) in a pairing without a comparison, or before the method is known",
      do:
        "On BlueZ register an agent before pairing (bluetoothctl: agent on, default-agent; in a program: org.bluez.AgentManager1.RegisterAgent), or allow pairing without one with `JustWorksRepairing = always` if the devices are already bonded. On other hosts answer the pairing dialog."
    ).failed { failed in
      guard failed.reason == .numericComparisonFailed,
        failed.attempt.method?.association != .numericComparison
      else { return nil }
      return failed.unconfirmed()
    },
    Symptom(
      "smp_dhkey_check_failed", .error, .fact, "A DHKey check value was refused",
      when: "DHKey Check Failed (0x0b)",
      do:
        "Check f5 and f6 of both firmwares against the sample data of the Core Specification (Vol 3, Part H, Appendix D): the address types, the order of AuthReq, OOB data flag and IO capability, and r."
    ).failed(with: .dhKeyCheckFailed) { $0.refusedCheck() },
  ]

  /// The places where programs answer for a user who compares digits.
  fileprivate static let answeringDigits: Wording =
    "on BlueZ the agent's RequestConfirmation, on Zephyr passkey_confirm, on Nordic's SoftDevice sd_ble_gap_auth_key_reply"
}

extension FailedPairing {
  // MARK: Other explanations

  /// Whether the side that refused is known to compute confirm values as specified: it opened its
  /// own, earlier rounds agreed, or it has completed another pairing with the same function.
  fileprivate var provesSoundValues: Bool {
    if attempt.isSecureConnections {
      if let parting = attempt.outcome.parting, !parting.isDeduced || parting.round > 1 {
        return true
      }
    } else if attempt.outcome.search?.finding(role) != nil,
      attempt.outcome.search?.finding(otherRole) != nil
    {
      return true
    }
    return evidence.connections.contains { other in
      isSameSide(of: other)
        && other.pairing.attempts.contains {
          $0.isPaired && $0.method?.isSecureConnections == attempt.method?.isSecureConnections
            && (!attempt.isSecureConnections || $0.method?.hasPasskey == true)
        }
    }
  }

  /// Returns whether the side that refused takes part in another connection, too. The centrals on
  /// the air differ; their addresses show which are the same.
  private func isSameSide(of other: ConnectionHistory) -> Bool {
    if side == .peer { return other.device == connection.device }
    guard connection.connection.isOnAir else { return !other.connection.isOnAir }
    return other.id == connection.id
      || connection.pairing.ownAddress.map { $0 == other.pairing.ownAddress } ?? false
  }

  fileprivate var legacyFlaw: (side: Side, deviations: [ConfirmDeviation])? {
    guard case .flaw(let role, .legacy(let deviations), _) = ConfirmVerdict(attempt)
    else { return nil }
    return (attempt.side(role), deviations)
  }

  /// Whether only the captured host's own address deviates. On the air, the packet that opens the
  /// connection has the addresses that count.
  fileprivate var hasOnlyOwnAddressWrong: Bool {
    guard let legacyFlaw, legacyFlaw.side == .local, !legacyFlaw.deviations.isEmpty,
      !connection.connection.isOnAir
    else { return false }
    return legacyFlaw.deviations.allSatisfy {
      switch $0 {
      case .initiatorAddress, .initiatorAddressType: attempt.initiator == .local
      case .responderAddress, .responderAddressType: attempt.initiator == .peer
      default: false
      }
    }
  }

  // MARK: Different passkeys

  /// Returns a line with `<hidden>` for each side's passkey, or `unknown`.
  private func passkeys(_ own: SixDigits?, _ other: SixDigits?, of role: PairingSide)
    -> Finding.Detail
  {
    func line(_ words: (SixDigits) -> Wording) -> Wording {
      "\(attempt.side(role).words) \(own.map(words) ?? "unknown"), \(attempt.side(role.other).words) \(other.map(words) ?? "unknown")"
    }
    return Finding.Detail(
      "passkey", hidden: "\(line { _ in "<hidden>" })\(hint: "; --show-keys prints it")",
      revealed: line(\.revealed))
  }

  private func passkeysDiffer(_ why: Wording, evidence: PacketSet) -> Finding {
    return finding(
      "The passkeys on the two sides differ", why: why, evidence: evidence, do: typedPlace)
  }

  /// Returns a finding for legacy pairing, in which one commitment was opened, or both were.
  fileprivate func differingPasskeys() -> Finding? {
    guard let found = attempt.outcome.search?.finding(otherRole) else { return nil }
    let refused = attempt.side(otherRole)
    let own = attempt.outcome.search?.finding(role)
    var finding = passkeysDiffer(
      own == nil
        ? "The opened commitment matches one of the 1 000 000 passkeys, so \(refused.words)'s values are sound; \(side.words) compared them with its own passkey and refused. The passkey of \(side.words) is unknown: it never sent its random value."
        : "Both commitments are open. Each matches one of the 1 000 000 passkeys, so both sides' values are sound, but the passkeys differ.",
      evidence: opening(of: own == nil ? [otherRole] : [.initiator, .responder]))
    finding.details = [passkeys(found.passkey, own?.passkey, of: otherRole)]
    finding.note =
      "A failed legacy attempt reveals the passkey of \(refused.words) to an eavesdropper: never retry with the same fixed passkey."
    return finding
  }

  /// What to compare if one side shows the passkey and the user types it on the other.
  private var typedPlace: Wording? {
    guard attempt.shows(.initiator) || attempt.shows(.responder) else { return nil }
    let typing = attempt.side(attempt.shows(.initiator) ? .responder : .initiator)
    let (typed, shown): (StaticString, StaticString) =
      typing == .local
      ? ("typed on this host", "the peer's display") : ("typed on the peer", "this host's display")
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
    let bits: Wording =
      parting.isDeduced
      ? "The bit of \(first.words) is computed from the commitment that it opened; \(second.words), which has the other bit, refused before it opened its own."
      : "Both bits are computed from the commitments that were opened."
    var finding = passkeysDiffer(
      "Each round compares one bit of the passkey. \(before) \(bits)",
      evidence: opening(of: parting.isDeduced ? [.initiator] : [.initiator, .responder]))
    let concluded: Wording = parting.isDeduced ? " (concluded)" : ""
    finding.details = [
      Finding.Detail(
        "passkey",
        hidden:
          "bit \(parting.round) of 20, from the least significant one: \(first.words) <hidden>, \(second.words) <hidden>\(hint: "; --show-keys prints them")",
        revealed:
          "bit \(parting.round) of 20, from the least significant one: \(first.words) \(parting.initiatorBit), \(second.words) \(parting.responderBit)\(concluded)"
      )
    ]
    finding.note =
      "Each failed attempt reveals bits of the passkey: a fixed one can be found attempt by attempt."
    return finding
  }

  /// Returns a finding for a refused passkey whose values cannot be checked.
  fileprivate func presumablyDifferingPasskeys() -> Finding? {
    guard attempt.method?.hasPasskey == true, attempt[otherRole].randoms != nil else { return nil }
    let lack: StaticString =
      attempt.outcome.lacksAddresses
      ? "It is computed from both devices' addresses, and the capture has neither: start it before the connection."
      : "The capture does not have all the values needed to compute it."
    return passkeysDiffer(
      "\(side.capitalized) refused the value that \(attempt.side(otherRole).words) had opened. \(lack)",
      evidence: opening(of: [otherRole]))
  }

  // MARK: Wrong computations

  fileprivate func flaw(
    _ role: PairingSide, _ flaw: PairingAttempt.Flaw, _ isThorough: Bool
  ) -> Finding {
    let side = attempt.side(role)
    let hasPasskey = attempt.method?.hasPasskey == true
    let opened: Wording = "the commitment that \(side.words) opened"
    let why: Wording
    switch flaw {
    case .legacy(let deviations) where deviations.isEmpty:
      let tried: StaticString = isThorough ? ", even with the common errors in c1" : ""
      why =
        hasPasskey
        ? "None of the 1 000 000 passkeys fits \(opened)\(tried). Its c1 uses inputs other than those sent on the link."
        : "The key of Just Works does not fit \(opened)\(tried). Its c1 uses inputs other than those sent on the link."
    case .legacy(let deviations):
      why =
        "\(opened.capitalized) fits a passkey only if c1 was computed with \(Wording(listing: deviations.map { "\($0.words)" }))."
    case .secureConnections(let deviation?):
      why = "\(opened.capitalized) fits only if f4 was computed with \(deviation.words)."
    case .secureConnections(nil):
      why =
        "\(opened.capitalized) does not fit its random value and the two public keys, whatever the passkey."
    }
    var finding = finding(
      "\(side.capitalized) computes its confirm value wrongly",
      why: why, evidence: opening(of: [role]), fault: side)
    if let found = attempt.outcome.search?.finding(role), hasPasskey {
      finding.details = [passkeys(found.passkey, nil, of: role)]
    }
    return finding
  }

  fileprivate func refusal(of role: PairingSide) -> Finding {
    let (refusing, other) = (attempt.side(role), attempt.side(role.other))
    let hasPasskey = attempt.method?.hasPasskey == true
    var finding = finding(
      "\(refusing.capitalized) refused a confirm value that is right",
      why: hasPasskey
        ? "Both sides' commitments are open and show the same passkey. \(refusing.capitalized) refused it anyway."
        : "The commitment that \(other.words) opened is computed as the specification requires. \(refusing.capitalized) refused it anyway.",
      evidence: opening(of: hasPasskey ? [.initiator, .responder] : [role.other]), grounds: .fact,
      do:
        "Check in the log of \(refusing.words) with what it compared the value; c1 or f4 there may be wrong, or it refused for another reason."
    )
    if hasPasskey, let found = attempt.outcome.search?.finding(role.other) {
      finding.details = [passkeys(found.passkey, found.passkey, of: role.other)]
    }
    return finding
  }

  // MARK: Digits and check values

  /// The refusal by a program or a user of the captured host, if it is in the capture.
  private var localRefusal: PairingAct? { acts.last { $0.kind == .confirmed(false) } }

  fileprivate func refusedDigits() -> Finding {
    var pieces: [Wording] = []
    if case .opens = attempt.outcome.commitment {
      pieces.append("The values of the peer and this host match, so both have the same digits.")
    } else if attempt.outcome.digits == nil {
      pieces.append("The capture does not have all the values needed to compute the digits.")
    }
    var packets = packets
    packets.insert(
      of: attempt.responding.confirms?.first, attempt.initiating.randoms?.first,
      attempt.responding.randoms?.first)
    let hasty = attempt.programRefused
    if let act = localRefusal, side == .local {
      pieces.append("This host's program answered No for its user at \(packet: act.moment.packet).")
      packets.insert(act.moment.packet)
    } else if let hasty {
      pieces.append(
        "\(side.capitalized) answered \(reason) \(duration: hasty.delay) after it could know the digits (\(packet: hasty.known.packet)): no person reads them that fast; a program refused."
      )
    } else if reason == .numericComparisonFailed {
      pieces.append("\(side.capitalized) reports that they were not confirmed: \(reason).")
    } else {
      pieces.append(
        "\(side.capitalized) refused with \(reason) although no value is wrong; other stacks answer Numeric Comparison Failed (0x0c) if digits are refused."
      )
    }
    var finding = finding(
      "Numeric comparison was refused by \(side.words)",
      because: "\(side.words) refused the numeric comparison",
      why: Wording(pieces, joinedBy: " "), evidence: packets)
    if hasty != nil {
      finding.grounds = .meaning
      finding.remedy =
        "Look for the program on \(side.words) that answers for its user: \(Rule.answeringDigits). It has to show the digits and wait for the user's answer."
    }
    if let digits = attempt.outcome.digits {
      finding.details = [Finding.Detail("digits", digits.ofBothSides)]
    }
    return finding
  }

  fileprivate func unconfirmed() -> Finding {
    var packets = packets
    var pieces: [Wording] = [
      answer,
      attempt.method == nil
        ? "Nothing had been compared yet." : "The method is Just Works, which compares no digits.",
    ]
    if side == .local, let missing = missingAgent {
      pieces.append(
        "bluetoothd asked for the user's consent and logged at \(packet: missing) that no agent was available."
      )
      packets.insert(missing)
    } else if side == .local,
      let asked = acts.first(where: { $0.kind == .confirmationAsked(comparesDigits: false) })
    {
      let no: Wording = localRefusal.map { ", and got No at \(packet: $0.moment.packet)" } ?? ""
      pieces.append("BlueZ asked for the user's consent at \(packet: asked.moment.packet)\(no).")
      packets.insert(of: asked.moment, localRefusal?.moment)
    } else {
      pieces.append(
        "BlueZ answers this if no agent answers for the user, other stacks if the user declines.")
    }
    return finding(
      "\(attempt.method == nil ? "The pairing" : "Just Works" as StaticString) was refused: \(side.words) did not confirm it",
      because: "\(side.words) did not confirm it",
      why: Wording(pieces, joinedBy: " "), evidence: packets)
  }

  /// The packet in which bluetoothd logged that no agent is available to ask about this peer.
  var missingAgent: Int? {
    evidence.host.agentMissing.first {
      $0.moment.packet > attempt.first.packet && $0.moment.packet <= packet + Self.logDelay
        && $0.peer != nil && $0.peer == connection.connection.peer
    }?.moment.packet
  }

  /// Log lines appear up to this many packets after the event.
  private static let logDelay = 16

  fileprivate func refusedCheck() -> Finding {
    let checked = attempt.side(otherRole)
    let known: Wording =
      "One side used the debug key pair, so the values are known: the check value that \(checked.words) sent"
    let check = attempt[otherRole].check
    let why: Wording =
      switch attempt.outcome.checks[otherRole] {
      case .some(.some([])): "\(known) is right. \(side.capitalized) refused it anyway."
      case .some(.some(let deviations)):
        "\(known) was computed with \(Wording(listing: deviations.map { "\($0.words)" }))."
      case .some(nil): "\(known) matches none of the known ways to compute it."
      case nil where check == nil: "\(answer) No check value had been sent."
      case nil:
        "\(side.capitalized) computed a different check value from the one that \(checked.words) sent. The values follow from the DHKey, the passkey, the addresses and the features; the capture does not show which of them differ on the two sides."
      }
    return finding(
      "A DHKey check value was refused\(check == nil ? " before it was sent" : "" as StaticString)",
      because: "\(side.words) refused the check value", why: why,
      evidence: packets.union(PacketSet(of: check)))
  }
}
