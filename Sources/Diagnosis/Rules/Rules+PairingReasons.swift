import Bluetooth
import Cryptography
import Dissectors
import Sessions
import Words

// Rules about reasons of Pairing Failed that are self-explanatory (Core, Vol 3, Part H, 3.5.5).

extension Rule {
  /// The rules about the other reasons of Pairing Failed.
  static let pairingReasons: [Rule] = [
    failing(
      "smp-passkey-entry-failed", "The passkey was not entered",
      when: "Passkey Entry Failed (0x01)",
      do:
        "Pair again, and type the digits within 30 s. On BlueZ an agent with a keyboard has to be registered (bluetoothctl: agent KeyboardDisplay, default-agent); on Zephyr answer passkey_entry with bt_conn_auth_passkey_entry."
    ) { failed in
      guard failed.reason == .passkeyEntryFailed, !failed.isSilence else { return nil }
      return failed.stoppedAfterEntry() ?? failed.cancelledEntry()
    },
    failing(
      "smp-oob-missing", "One side has no out-of-band data",
      when: "OOB Not Available (0x02)",
      do:
        "Transfer the out-of-band data before pairing begins, or clear the OOB data flag: legacy pairing needs the data on both sides, Secure Connections on one."
    ) { failed in
      guard failed.reason == .oobNotAvailable else { return nil }
      if let demanded = failed.demandedOutOfBand { return demanded }
      return failed.finding(
        "\(failed.side.capitalized) has no out-of-band data",
        because: "\(failed.side.words) has no out-of-band data",
        why:
          "\(failed.side.capitalized) answered \(failed.refused) with \(failed.reason). \(failed.outOfBandWords)"
      )
    },
    failing(
      "smp-not-supported", "One side does not pair",
      when: "Pairing Not Supported (0x05)",
      do:
        "Make the side that refused pairable, or put it into pairing mode. \(enablingPairing)"
    ) { failed in
      guard failed.reason == .pairingNotSupported, !failed.isSilence else { return nil }
      var finding = failed.finding(
        "\(failed.side.capitalized) does not pair", because: "\(failed.side.words) does not pair",
        why:
          "\(failed.side.capitalized) answered \(failed.refused) with \(failed.reason): it does not support pairing, or not at the moment. The reason does not show which.",
        evidence: failed.packets)
      finding.remedy =
        failed.side == .local
        ? "Make this host pairable if it is meant to pair; otherwise the peer has to work without pairing. \(enablingPairing)"
        : "If the peer does pair, put it into pairing mode. Otherwise use it without pairing: remove createBond and similar calls. \(enablingPairing)"
      if failed.side == .peer, failed.attempt.initiator == .local,
        failed.attempt.responding.features == nil,
        failed.attempt.initiating.features?.pdu.authReq.bonds == true
      {
        finding.headline =
          "pairing failed at \(packet: failed.packet) because the peer does not pair; it may still keep an old bond with this host"
        finding.remedy =
          "\(finding.remedy ?? "") A peer that keeps an old bond with this host and does not replace it also answers this (Nordic's peer manager without allow_repairing): if the two were bonded before, delete the bond on the peer as well."
      }
      return failed.keepingBond(finding)
    },
    failing(
      "smp-invalid-parameters", "A Security Manager PDU was refused because of its content",
      when: "Invalid Parameters (0x0a)",
      do:
        "Check the last PDU before the refusal: its length, reserved values, a key size outside 7 to 16, a public key that is not on the curve or equals the receiver's own."
    ) { failed in
      guard failed.reason == .invalidParameters else { return nil }
      return failed.invalidParameters()
    },
    failing(
      "smp-command-not-supported", "A Security Manager PDU was not understood",
      when: "Command Not Supported (0x07)",
      do: "Check the last PDU before the refusal, and the Bluetooth version of that side."
    ) { failed in
      guard failed.reason == .commandNotSupported else { return nil }
      return failed.finding(
        "\(failed.side.capitalized) did not understand a pairing PDU",
        because: "\(failed.side.words) did not understand a PDU",
        why: "\(failed.side.capitalized) answered with \(failed.reason) \(failed.attempt.progress)."
      )
    },
    failing(
      "smp-repeated-attempts", "A new pairing attempt came too soon after a failed one",
      when: "Repeated Attempts (0x09)",
      do:
        "Wait: after a failure a device refuses to pair for a time that grows with each failure (Core, Vol 3, Part H, 2.3.6). Fix the first failure."
    ) { failed in
      guard failed.reason == .repeatedAttempts else { return nil }
      return failed.tooSoon()
    },
    failing(
      "smp-cross-transport",
      "Pairing on BR/EDR and LE collides, or cross-transport key derivation is not allowed",
      when:
        "BR/EDR Pairing in Progress (0x0d) or Cross-transport Key Derivation/Generation Not Allowed (0x0e)",
      do:
        "Pair on one transport at a time; a key of the other transport that is stronger or authenticated is not replaced by a weaker one."
    ) { failed in
      guard failed.reason == .brEDRPairingInProgress || failed.reason == .crossTransportNotAllowed
      else { return nil }
      let isBusy = failed.reason == .brEDRPairingInProgress
      let what: Wording =
        isBusy
        ? "\(failed.side.capitalized) is pairing over BR/EDR"
        : "\(failed.side.capitalized) does not allow cross-transport key derivation"
      let clause: Wording =
        isBusy
        ? "\(failed.side.words) was pairing over BR/EDR"
        : "\(failed.side.words) does not allow cross-transport key derivation"
      return failed.finding(
        what, because: clause,
        why: "\(failed.side.capitalized) answered \(failed.refused) with \(failed.reason).")
    },
    failing(
      "smp-key-rejected", "One side rejected a key",
      when: "Key Rejected (0x0f)",
      do:
        "Check the keys before the refusal: all zeros, or on a list of publicly known keys."
    ) { failed in
      guard failed.reason == .keyRejected else { return nil }
      return failed.finding(
        "\(failed.side.capitalized) rejected a key", because: "\(failed.side.words) rejected a key",
        why: "\(failed.side.capitalized) answered with \(failed.reason) \(failed.attempt.progress)."
      )
    },
    failing(
      "smp-busy", "One side is busy",
      when: "Busy (0x10)",
      do: "Pair again later; a device may pair with only one other at a time."
    ) { failed in
      guard failed.reason == .busy else { return nil }
      return failed.finding(
        "\(failed.side.capitalized) is busy", because: "\(failed.side.words) is busy",
        why: "\(failed.side.capitalized) answered \(failed.refused) with \(failed.reason).")
    },
    failing(
      "smp-unspecified", "One side ended pairing without giving a reason",
      when: "Unspecified Reason (0x08)",
      do:
        "Check the log of the side that ended it; only that shows why. Often a program or its user cancelled: Unpair Device or Cancel Pair Device on BlueZ, removeBond or cancelBondProcess on Android."
    ) { failed in
      guard failed.reason == .unspecified, !failed.isSilence else { return nil }
      return failed.unspecified()
    },
    failing(
      "smp-failed", "Pairing was refused for a reason that the specification does not define",
      when: "Pairing Failed with a reason above 0x10, or 0",
      do:
        "Pair again; if it recurs, update the firmware of the side that refuses: its reason code is undefined. Its own log has the reason."
    ) { failed in
      guard failed.reason.name == nil else { return nil }
      return failed.finding(
        "\(failed.side.capitalized) refused with an unknown reason",
        because: "\(failed.side.words) refused with an unknown reason",
        why:
          "\(failed.side.capitalized) answered \(failed.refused) with \(failed.reason), which the specification does not define."
      )
    },
  ]

  /// How to enable pairing on a device.
  private static let enablingPairing: Wording =
    "Firmware enables pairing with CONFIG_BT_SMP (Zephyr) or a peer manager (Nordic); BlueZ refuses unless it is bondable (bluetoothctl: pairable on)."
}

extension FailedPairing {
  /// Returns a finding if the side that shows the passkey gave up although it had been typed on the
  /// other side: a confirm value commits to digits (Core, Vol 3, Part H, 2.3.5.5 and 2.3.5.6.3).
  fileprivate func stoppedAfterEntry() -> Finding? {
    guard attempt.shows(role), attempt.method?.hasPasskey == true,
      let committed = attempt[otherRole].confirms?.first
    else { return nil }
    let typist = attempt.side(otherRole).words
    let rounds = min(
      attempt.initiating.randoms?.count ?? 0, attempt.responding.randoms?.count ?? 0)
    let progress: Wording =
      attempt.isSecureConnections ? " after \(rounds) of 20 rounds" : ""
    var packets = packets
    packets.insert(committed.packet)
    var keypresses: Wording = ""
    if attempt[otherRole].presses.completed > 0, let last = attempt[otherRole].keypresses?.last {
      keypresses = " and had reported that its entry was completed (\(packet: last.packet))"
      packets.insert(last.packet)
    }
    var finding = finding(
      "\(side.capitalized) stopped after the passkey was typed",
      because: "\(side.words) stopped after the passkey was typed",
      why:
        "\(side.capitalized) stopped\(progress) with \(reason), although \(typist) had committed to its digits (\(packet: committed.packet))\(keypresses). The capture does not show why.",
      evidence: packets)
    finding.remedy = "Check the log of \(side.words); only that shows why it stopped."
    return finding
  }

  fileprivate func cancelledEntry() -> Finding {
    var packets = packets
    var pieces: [Wording] = []
    var certainty = Certainty.certain
    var isAgentMissing = false
    let refusedAct = acts.last { $0.kind == .typed(false) }
    if side == .local, let missing = missingAgent {
      isAgentMissing = true
      pieces.append(
        "bluetoothd was asked for the passkey and logged at \(packet: missing) that no agent was available."
      )
      packets.insert(missing)
    }
    if side == .local, let refusedAct {
      let asked = acts.first { $0.kind == .passkeyAsked }
      let delay = asked.flatMap { refusedAct.moment.nanoseconds(since: $0.moment) }
      let soon: Wording =
        delay.map { (delay: Int64) -> Wording in
          delay < PairingAttempt.fastestPerson
            ? ", \(duration: delay) after it was asked: no person was asked" : ""
        } ?? ""
      pieces.append(
        "This host's program gave no passkey (\(packet: refusedAct.moment.packet))\(soon).")
      packets.insert(asked?.moment.packet)
      packets.insert(refusedAct.moment.packet)
    }
    let shows = attempt.shows(role)
    if pieces.isEmpty {
      let task: StaticString = shows ? "show the digits" : "ask for the digits"
      pieces.append(
        "\(side.capitalized) answered \(refused) with \(reason): its user cancelled, or no program was available to \(task)."
      )
      if isExchangeUnseen {
        pieces.append("The pairing method is not in the capture.")
        certainty = .possible
      } else if attempt.method?.hasPasskey != true {
        pieces.append("No passkey had been requested yet.")
        certainty = .likely
      }
    }
    if side == .peer, attempt.shows(role.other), let missing = missingAgent {
      isAgentMissing = true
      let shown = acts.first { $0.kind == .passkeyShown }?.moment.packet
      let place: Wording = shown.map { " (\(packet: $0))" } ?? ""
      pieces.append(
        "On this host bluetoothd was to show the passkey\(place), and logged at \(packet: missing) that no agent was available to show it."
      )
      packets.insert(shown)
      packets.insert(missing)
    }
    var finding = finding(
      shows
        ? "\(side.capitalized), which shows the passkey, gave up before it was typed"
        : "The passkey was not entered on \(side.words)",
      because: shows
        ? "\(side.words) gave up before the passkey that it shows was typed"
        : "no passkey was entered on \(side.words)", why: Wording(pieces, joinedBy: " "),
      certainty, evidence: packets)
    if isAgentMissing {
      let (agent, then): (StaticString, StaticString) =
        side == .local
        ? ("KeyboardDisplay", "type the digits within 30 s")
        : ("DisplayOnly", "type on the peer, within 30 s, the digits that this host shows")
      finding.remedy =
        "First register an agent on this host: without one bluetoothd cannot ask the user (bluetoothctl: agent \(agent), default-agent). Then pair again, and \(then)."
    }
    return finding
  }

  /// Changes the finding if the side that refuses had requested security itself: it has a key, and
  /// wants that key to be used (Core, Vol 3, Part H, 2.4.6).
  fileprivate func keepingBond(_ finding: Finding) -> Finding {
    guard let asked = attempt.askedFor, side != attempt.initiator,
      attempt.responding.features == nil,
      !connection.encryption.attempts.contains(where: { $0.moment.packet < packet })
    else { return finding }
    let (keeper, loser) = (side, side.other)
    var finding = finding
    finding.what =
      "\(keeper.capitalized) keeps a bond that \(loser.words) has lost and does not pair again"
    finding.headline =
      "pairing failed at \(packet: packet) because \(keeper.words) still keeps an old bond that \(loser.words) has lost"
    finding.why =
      "\(keeper.capitalized) sent a Security Request (\(packet: asked.packet)), so it can encrypt. \(loser.capitalized) did not encrypt with a stored key but asked to pair, and \(keeper.words) answered with \(reason): it has a key for this device and does not replace it."
    finding.certainty = .likely
    finding.remedy =
      keeper == .peer
      ? "Delete the old bond on the peer (its reset or its own menu), or make its firmware accept a new pairing from a known device: on Zephyr CONFIG_BT_SMP_ALLOW_UNAUTH_OVERWRITE or bt_unpair, on Nordic's SDK allow_repairing in the PM_EVT_CONN_SEC_CONFIG_REQ event."
      : "Delete the old bond on this host (bluetoothctl: remove; on a phone: forget the device), then pair again."
    return finding
  }

  /// Whether the capture lacks the features that the two declared: no side refuses before they are
  /// known.
  private var isExchangeUnseen: Bool {
    guard attempt.askedFor == nil else { return false }
    return attempt.initiating.features == nil
      || attempt.responding.features == nil && side == attempt.initiator
  }

  /// A finding if the side that refuses has the out-of-band data, as its own flag shows, and the
  /// other side's flag shows that it has none.
  fileprivate var demandedOutOfBand: Finding? {
    guard let own = attempt[role].features, own.pdu.oobDataFlag == 1 else { return nil }
    let other = attempt.side(otherRole)
    guard let others = attempt[otherRole].features, others.pdu.oobDataFlag == 0 else {
      return finding(
        "\(side.capitalized) ended pairing over out-of-band data",
        because: "\(side.words) does not accept the out-of-band data",
        why:
          "\(side.capitalized) answered with \(reason), although it has such data of \(other.words), as the flag in its features shows (\(packet: own.moment.packet)). The capture does not show what it lacks.",
        .likely, evidence: packets.union([own.moment.packet]))
    }
    var finding = finding(
      "\(other.capitalized) declares no out-of-band data, and \(side.words) demands it",
      because: "\(other.words) declared no out-of-band data, which \(side.words) demands",
      why:
        "\(side.capitalized) has out-of-band data of \(other.words): the flag in its features is set (\(packet: own.moment.packet)). \(other.capitalized) left its own flag clear (\(packet: others.moment.packet)), and \(side.words) answered with \(reason).",
      .likely, evidence: packets.union([others.moment.packet, own.moment.packet]))
    finding.remedy =
      "Give the out-of-band data to \(other.words) before pairing begins, or, if it has the data, make its stack set the flag. If only one side can have the data, use Secure Connections, and let \(side.words) accept that."
    return finding
  }

  fileprivate var outOfBandWords: Wording {
    let having = [attempt.initiating, attempt.responding].count {
      $0.features?.pdu.oobDataFlag == 1
    }
    if attempt.responding.features == nil {
      return attempt.initiating.features?.pdu.oobDataFlag == 1
        ? "The request states that its sender has this data."
        : "The request did not state that its sender has this data."
    }
    switch having {
    case 2: return "Both sides had reported that they have this data."
    case 1: return "One side had reported that it has this data."
    default: return "Neither side had reported that it has this data."
    }
  }

  fileprivate func invalidParameters() -> Finding {
    var packets = packets
    var why: Wording =
      "\(side.capitalized) answered with \(reason) \(attempt.progress)."
    if attempt.outcome.invalidKeys.contains(otherRole) {
      why =
        "The public key that \(attempt.side(otherRole).words) sent is not a point on the curve P-256; \(side.words) had to refuse it."
      packets.insert(attempt[otherRole].publicKey?.moment.packet)
    } else if let unexpected = attempt.unexpected, let name = attempt.unexpectedOpcode?.name {
      why =
        "\(why) Before that, at \(packet: unexpected.first.packet), \(name) was out of sequence."
      packets.insert(unexpected.first.packet)
    }
    return finding(
      "\(side.capitalized) rejected a pairing PDU as invalid",
      because: "\(side.words) rejected a PDU as invalid", why: why, evidence: packets)
  }

  /// The number of earlier failed attempts with the same device, and the end of the last one.
  /// Attempts are large, so none is copied.
  private var earlierFailures: (count: Int, end: Moment?) {
    var found: (count: Int, end: Moment?) = (0, nil)
    func add(_ attempts: [PairingAttempt], upTo end: Int) {
      for index in 0..<end where attempts[index].failure != nil {
        found = (found.count + 1, attempts[index].end)
      }
    }
    for other in evidence.earlier(than: connection) {
      add(other.pairing.attempts, upTo: other.pairing.attempts.count)
    }
    add(connection.pairing.attempts, upTo: position)
    return found
  }

  fileprivate func tooSoon() -> Finding {
    let earlier = earlierFailures
    var packets = packets
    var why: Wording =
      "\(side.capitalized) answered \(refused) with \(reason): it waits before it pairs again. The failure that caused the wait is not in the capture."
    if let end = earlier.end {
      packets.insert(end.packet)
      let after: Wording =
        attempt.first.nanoseconds(since: end).map { (span: Int64) -> Wording in
          ", \(duration: span) before this attempt"
        } ?? ""
      why =
        "\(side.capitalized) answered \(refused) with \(reason): it waits before it pairs again. \(count: earlier.count, "attempt", "attempts") before this one failed, the last one at \(packet: end.packet)\(after)."
    }
    return finding(
      "\(side.capitalized) refused a new attempt so soon after a failed one",
      because: "it was retried too soon", why: why, evidence: packets)
  }

  fileprivate func unspecified() -> Finding {
    var packets = packets
    let act = acts.last { $0.kind == .unpair || $0.kind == .cancel }
    var why: Wording =
      "\(side.capitalized) answered with \(reason) \(attempt.progress). The reason gives no details."
    var what: Wording = "\(side.capitalized) ended pairing without giving a reason"
    var clause: Wording = "\(side.words) ended it without giving a reason"
    var remedy: Wording?
    if attempt.isOverBREDR {
      // Encryption that follows shows that it was too early.
      let late = connection.encryption.attempts.first {
        $0.outcome == .encrypted && $0.moment.packet > attempt.first.packet
      }
      let early: Wording =
        late.map {
          " It began (\(packet: attempt.first.packet)) before the link was encrypted (\(packet: $0.end?.packet ?? $0.moment.packet))."
        } ?? ""
      what = "\(side.capitalized) refused to derive keys for LE over BR/EDR"
      clause = "\(side.words) refused to derive keys for LE over BR/EDR"
      why =
        "This pairing derives keys for LE from those of the BR/EDR link (cross-transport key derivation). \(why)\(early)"
      remedy =
        "Begin it only once the BR/EDR link is encrypted with a key of Secure Connections; without such a key, pair over LE instead."
    }
    if side == .local, let act {
      packets.insert(act.moment.packet)
      let command: StaticString = act.kind == .unpair ? "Unpair Device" : "Cancel Pair Device"
      what = "A program on this host cancelled the pairing"
      clause = "a program on this host cancelled it"
      why =
        "A program sent \(command) to the kernel at \(packet: act.moment.packet) during the pairing; this host then sent \(reason)."
      if attempt.outcome.agreed.count > 0 {
        why =
          "\(why) The \(count: attempt.outcome.agreed.count, "passkey round", "passkey rounds") before that match."
      }
      remedy =
        "Find the program that sent \(command) (\(packet: act.moment.packet)): it must not do that during pairing. Then pair again."
    }
    var finding = finding(what, because: clause, why: why, evidence: packets)
    finding.remedy = remedy
    return finding
  }
}
