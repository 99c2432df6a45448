import Bluetooth
import Cryptography
import Sessions
import Words

// Rules about what is compared last in a pairing: the digits of numeric comparison, and the check
// values.

extension Rule {
  /// The rules about digits and check values.
  static let pairingChecks: [Rule] = [
    failing(
      "smp-numeric-rejected", "Numeric comparison was refused",
      when:
        "Numeric Comparison Failed (0x0c) in numeric comparison, or another refusal of values that are right, after both sides had shown their digits",
      do:
        "If no user pressed No, look for a program that answers for its user: \(answeringDigits). If the two screens differ, one side computes the digits (function g2) wrongly."
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
        "Numeric Comparison Failed (0x0c) in a pairing without a comparison, or before the method is known",
      do:
        "On BlueZ register an agent before pairing (bluetoothctl: agent on, default-agent; in a program: org.bluez.AgentManager1.RegisterAgent), or allow pairing without one with `JustWorksRepairing = always` if the devices are already bonded. On other hosts answer the pairing dialog."
    ) { failed in
      guard failed.reason == .numericComparisonFailed,
        failed.attempt.method?.association != .numericComparison
      else { return nil }
      return failed.unconfirmed()
    },
    failing(
      "smp-dhkey-check-failed", "A DHKey check value was refused",
      when: "DHKey Check Failed (0x0b)",
      do:
        "Check f5 and f6 of both firmwares against the sample data of the Core Specification (Vol 3, Part H, Appendix D): the address types, the order of AuthReq, OOB data flag and IO capability, and r."
    ) { failed in
      guard failed.reason == .dhKeyCheckFailed else { return nil }
      return failed.refusedCheck()
    },
  ]

  /// The places where programs answer for a user who compares digits.
  fileprivate static let answeringDigits: Wording =
    "on BlueZ the agent's RequestConfirmation, on Zephyr passkey_confirm, on Nordic's SoftDevice sd_ble_gap_auth_key_reply"
}

extension FailedPairing {
  /// The refusal by a program or a user of the captured host, if it is in the capture.
  private var localRefusal: PairingAct? { acts.last { $0.kind == .confirmed(false) } }

  fileprivate func refusedDigits() -> Finding {
    var pieces: [Wording] = []
    if case .opens = attempt.outcome.commitment {
      pieces.append(
        "The values of the peer and this host match, so both have the same digits.")
    } else if attempt.outcome.digits == nil {
      pieces.append("The capture does not have all the values needed to compute the digits.")
    }
    var certainty = Certainty.certain
    let hasty = attempt.programRefused
    if let act = localRefusal, side == .local {
      pieces.append("This host's program answered No for its user at \(packet: act.moment.packet).")
    } else if let hasty {
      pieces.append(
        "\(side.capitalized) answered \(reason) \(duration: hasty.delay) after it could know the digits (\(packet: hasty.known.packet)): no person reads them that fast; a program refused."
      )
      certainty = .likely
    } else if reason == .numericComparisonFailed {
      pieces.append(
        "\(side.capitalized) reports that they were not confirmed: its user pressed No or saw different digits, or nothing answered for the user."
      )
      certainty = .likely
    } else {
      pieces.append(
        "\(side.capitalized) refused with \(reason) although no value is wrong. That leaves its user, who pressed No or saw different digits; other stacks answer Numeric Comparison Failed (0x0c) then."
      )
      certainty = .likely
    }
    var packets = packets
    packets.insert(attempt.responding.confirms?.first.packet)
    packets.insert(attempt.initiating.randoms?.first.packet)
    packets.insert(attempt.responding.randoms?.first.packet)
    var finding = finding(
      "Numeric comparison was refused by \(side.words)",
      because: "\(side.words) refused the numeric comparison",
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
      ? "Nothing had been compared yet." : "The method is Just Works, which compares no digits."
    if side == .local, let missing = missingAgent {
      why =
        "\(method) bluetoothd asked for the user's consent and logged at \(packet: missing) that no agent was available."
      packets.insert(missing)
      certainty = .certain
    } else if side == .local, let asked {
      let answer: Wording =
        localRefusal.map { (act: PairingAct) -> Wording in
          ", and got No at \(packet: act.moment.packet)"
        } ?? ""
      why =
        "\(method) BlueZ asked for the user's consent at \(packet: asked.moment.packet)\(answer): it does so for Just Works too, and refuses if no agent answers."
      packets.insert(asked.moment.packet)
      packets.insert(localRefusal?.moment.packet)
      certainty = .likely
    } else {
      why =
        "\(method) \(side.capitalized) refused with \(reason): BlueZ does so if no agent answers for the user, other stacks if the user declines."
    }
    let subject: Wording = "\(side.words) did not confirm it"
    let refusedWhat: Wording =
      attempt.method == nil ? "The pairing was refused" : "Just Works was refused"
    return finding(
      "\(refusedWhat): \(subject)", because: "\(subject)", why: why, certainty,
      evidence: packets)
  }

  /// The packet in which bluetoothd logged during the attempt that no agent is available to ask
  /// about this peer.
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
    var packets = packets
    packets.insert(attempt[otherRole].check?.packet)
    var why: Wording =
      "\(side.capitalized) computed a different check value from the one that \(checked.words) sent: the two sides do not have the same DHKey, passkey, addresses or features. The capture does not show which of them differ."
    var certainty = Certainty.likely
    if let found = attempt.outcome.checks[otherRole] {
      certainty = .certain
      switch found {
      case nil:
        why =
          "One side used the debug key pair, so the values are known: the check value that \(checked.words) sent matches none of the known ways to compute it."
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
      hasCheck
        ? "A DHKey check value was refused" : "A DHKey check value was refused before it was sent",
      because: "\(side.words) refused the check value", why: why, certainty, evidence: packets)
  }
}
