import Histories
import Bluetooth
import Cryptography
import Dissectors
import Meanings
import Sessions

// Rules about the reasons of Pairing Failed (Core, Vol 3, Part H, 3.5.5), and about features that
// do not match. Those about values have files of their own.

extension Rule {
  static let pairingReasons: [Rule] = [
    Symptom(
      "smp_passkey_entry_failed", .error, .fact, "The passkey was not entered",
      when: "Passkey Entry Failed (0x01)",
      do:
        "Pair again, and type the digits within 30 s. On BlueZ an agent with a keyboard has to be registered (bluetoothctl: agent KeyboardDisplay, default-agent); on Zephyr answer passkey_entry with bt_conn_auth_passkey_entry."
    ).failed(with: .passkeyEntryFailed) {
      $0.isSilence ? nil : $0.stoppedAfterEntry() ?? $0.cancelledEntry()
    },
    Symptom(
      "smp_oob_missing", .error, .fact, "One side has no out-of-band data",
      when: "OOB Not Available (0x02)",
      do:
        "Transfer the out-of-band data before pairing begins, or clear the OOB data flag: legacy pairing needs the data on both sides, Secure Connections on one."
    ).failed(with: .oobNotAvailable) { $0.withoutOutOfBand() },
    Symptom(
      "smp_not_supported", .error, .meaning, "One side does not pair",
      when:
        "Pairing Not Supported (0x05), unless the evidence is that the side keeps a bond that the other one has lost",
      do: "Make the side that refused pairable, or put it into pairing mode. \(enablingPairing)"
    ).failed(
      with: .pairingNotSupported,
      elsewise: [
        // The initiator would have used its bond.
        Alternative("it keeps a bond with the other side, and does not replace it") { failed, _ in
          failed.role == .initiator
        }
      ]
    ) { $0.isSilence || $0.connection.lostBond($0.evidence) != nil ? nil : $0.refused() },
    Symptom(
      "smp_authentication_requirements", .error, .meaning,
      "One side requires more than this pairing can provide",
      when: "Authentication Requirements (0x03)",
      do:
        "Give one side a display and the other a keyboard, or use numeric comparison: on Zephyr bt_conn_auth_cb_register with passkey_display or passkey_confirm, on BlueZ an agent with KeyboardDisplay, on Nordic's SoftDevice io_caps. Or do not request MITM protection if the device has neither; if Secure Connections is required, enable it on both sides."
    ).failed(
      with: .authenticationRequirements,
      elsewise: [
        Alternative("it accepts only Secure Connections, which the other side does not offer") {
          failed, _ in failed.unmet != .mitm || !failed.lacksSecureConnections
        },
        // With its own wish unfulfillable, it has to refuse.
        Alternative(
          "it requires something that its features do not show, or keeps a better key"
        ) { failed, _ in
          failed.unmet == nil
            || failed.unmet == .mitm
              && failed.attempt[failed.role].features?.pdu.authReq.wantsMITM == true
        },
      ]
    ) { $0.unmetRequirements() },
    Symptom(
      "smp_key_size", .error, .fact, "The negotiated key is too short for one side",
      when: "Encryption Key Size (0x06)",
      do:
        "Allow 16-byte keys on the side that offers only shorter ones. The size that a side requires is set with CONFIG_BT_SMP_MIN_ENC_KEY_SIZE on Zephyr, with min_key_size and max_key_size on Nordic's SoftDevice."
    ).failed(with: .encryptionKeySize) { $0.shortKey() },
    Symptom(
      "smp_invalid_parameters", .error, .fact,
      "A Security Manager PDU was refused because of its content",
      when: "Invalid Parameters (0x0a)",
      do:
        "Check the last PDU before the refusal: its length, reserved values, a key size outside 7 to 16, a public key that is not on the curve or equals the receiver's own."
    ).failed(with: .invalidParameters) { $0.invalidParameters() },
    Symptom(
      "smp_command_not_supported", .error, .fact,
      "A Security Manager PDU was not understood", when: "Command Not Supported (0x07)",
      do: "Check the last PDU before the refusal, and the Bluetooth version of that side."
    ).reported([.commandNotSupported: "did not understand a pairing PDU"]),
    Symptom(
      "smp_repeated_attempts", .error, .fact,
      "A new pairing attempt came too soon after a failed one", when: "Repeated Attempts (0x09)",
      do:
        "Wait: after a failure a device refuses to pair for a time that grows with each failure (Core, Vol 3, Part H, 2.3.6). Fix the first failure."
    ).failed(with: .repeatedAttempts) { $0.tooSoon() },
    Symptom(
      "smp_cross_transport", .error, .fact,
      "Pairing on BR/EDR and LE collides, or cross-transport key derivation is not allowed",
      when:
        "BR/EDR Pairing in Progress (0x0d) or Cross-transport Key Derivation/Generation Not Allowed (0x0e)",
      do:
        "Pair on one transport at a time; a key of the other transport that is stronger or authenticated is not replaced by a weaker one."
    ).reported(
      [
        .brEDRPairingInProgress: "is pairing over BR/EDR",
        .crossTransportNotAllowed: "does not allow cross-transport key derivation",
      ]
    ),
    Symptom(
      "smp_key_rejected", .error, .fact, "One side rejected a key",
      when: "Key Rejected (0x0f)",
      do:
        "Check whether a key before the refusal is all zeros, or on a list of publicly known keys."
    ).reported([.keyRejected: "rejected a key"]),
    Symptom(
      "smp_busy", .error, .fact, "One side is busy", when: "Busy (0x10)",
      do: "Pair again later; some devices pair with only one other at a time."
    ).reported([.busy: "is busy"]),
    Symptom(
      "smp_unspecified", .error, .fact, "One side ended pairing without giving a reason",
      when: "Unspecified Reason (0x08)",
      do:
        "Check the log of the side that ended it; only that shows why. Often a program or its user cancelled: Unpair Device or Cancel Pair Device on BlueZ, removeBond or cancelBondProcess on Android."
    ).failed(with: .unspecified) { $0.isSilence ? nil : $0.unspecified() },
    Symptom(
      "smp_failed", .error, .fact,
      "Pairing was refused for a reason that the specification does not define",
      when: "Pairing Failed with a reason above 0x10, or 0",
      do:
        "Pair again; if it recurs, update the firmware of the side that refuses: its reason code is undefined. Its own log has the reason."
    ).failed { failed in
      guard failed.reason.name == nil else { return nil }
      return failed.finding(
        "\(failed.side.capitalized) refused with an unknown reason",
        why: "\(failed.answer) The specification does not define this reason.")
    },
    Symptom(
      "smp_mitm_impossible", .note, .fact,
      "MITM protection was requested, but the IO capabilities allow only Just Works",
      when:
        "a side requests MITM protection, the method is Just Works, and the pairing did not fail because of that",
      do:
        "Nothing to do if no attribute requires an authenticated key. Otherwise give one side a display or a keyboard."
    ).needing([.bothDirections]).onConnection { connection, _ in
      connection.pairing.attempts.firstFinding { $0.unauthenticated() }
    },
  ]

  fileprivate static let enablingPairing: Wording =
    "Firmware enables pairing with CONFIG_BT_SMP (Zephyr) or a peer manager (Nordic); BlueZ refuses unless it is bondable (bluetoothctl: pairable on)."
}

extension PairingAttempt {
  /// Returns a finding about a new key that is unauthenticated although a side wanted another.
  fileprivate func unauthenticated() -> Finding? {
    guard isPaired, let shortfall, let demandingMITM, let request = initiating.features,
      let response = responding.features
    else { return nil }
    return Finding(
      "The new key is unauthenticated although MITM protection was requested",
      headline: "the key of \(packet: response.moment.packet) is unauthenticated",
      why:
        "\(demandingMITM.capitalized) requested MITM protection, but \(shortfall), so the method is Just Works. Attributes that require an authenticated key still refuse access, and pairing again does not help.",
      evidence: [request.moment.packet, response.moment.packet],
      do:
        "Nothing to do if no attribute requires an authenticated key. Otherwise \(wayToAuthenticate(request.pdu, response.pdu))."
    )
  }

  /// Returns what makes an authenticated key possible if the IO capabilities allow only Just Works.
  private func wayToAuthenticate(
    _ request: SMP.PairingFeatures, _ response: SMP.PairingFeatures
  ) -> Wording {
    let silent = withoutInputAndOutput
    if silent.count == 2 { return "give one side a display and the other a keyboard" }
    guard let role = silent.first else { return "give one side a keyboard" }
    let means: Wording =
      switch (role == .initiator ? response : request).ioCapability {
      case .keyboardOnly, .keyboardDisplay: "a display or a keyboard"
      case .displayYesNo where request.authReq.supportsSC && response.authReq.supportsSC:
        "a keyboard, or a display and a way to confirm"
      default: "a keyboard"
      }
    return "give \(side(role).words) \(means), and the matching IO capability"
  }
}

extension FailedPairing {
  fileprivate func refused() -> Finding {
    return finding(
      "\(side.capitalized) refused to pair",
      because: "\(side.words) does not pair, or not at the moment",
      why:
        "\(answer) It does not support pairing, or does not allow it at the moment. The reason does not show which.",
      do: side == .local
        ? "Make this host pairable if it is meant to pair; otherwise the peer has to work without pairing. \(Rule.enablingPairing)"
        : "If the peer does pair, put it into pairing mode, and delete a bond with this host that it may keep (Nordic's Peer Manager refuses without allow_repairing). Otherwise use it without pairing: remove createBond and similar calls. \(Rule.enablingPairing)"
    )
  }

  /// Returns a finding if the side that shows the passkey gave up although it had been typed on the
  /// other side: a confirm value commits to digits (Core, Vol 3, Part H, 2.3.5.5 and 2.3.5.6.3).
  fileprivate func stoppedAfterEntry() -> Finding? {
    guard attempt.shows(role), attempt.method?.hasPasskey == true,
      let committed = attempt[otherRole].confirms?.first
    else { return nil }
    let rounds = min(attempt.initiating.randoms?.count ?? 0, attempt.responding.randoms?.count ?? 0)
    let progress: Wording = attempt.isSecureConnections ? " after \(rounds) of 20 rounds" : ""
    let completed = attempt[otherRole].presses[4] > 0 ? attempt[otherRole].keypresses?.last : nil
    let keypresses: Wording =
      completed.map { " and had reported that its entry was completed (\(packet: $0.packet))" }
      ?? ""
    return finding(
      "\(side.capitalized) stopped after the passkey was typed",
      why:
        "\(side.capitalized) stopped\(progress) with \(reason), although \(attempt.side(otherRole).words) had committed to its digits (\(packet: committed.packet))\(keypresses). The capture does not show why.",
      evidence: packets.union(PacketSet(of: committed, completed)),
      do: "Check the log of \(side.words); only that shows why it stopped.")
  }

  fileprivate func cancelledEntry() -> Finding {
    var packets = packets
    var pieces: [Wording] = [answer]
    let missing = side == .local || attempt.shows(role.other) ? missingAgent : nil
    if let missing {
      let task: StaticString = side == .local ? "ask for" : "show"
      pieces.append(
        "On this host bluetoothd logged at \(packet: missing) that no agent was available to \(task) the passkey."
      )
      packets.insert(acts.first { $0.kind == .passkeyShown }?.moment.packet)
      packets.insert(missing)
    }
    if side == .local, let refused = acts.last(where: { $0.kind == .typed(false) })?.moment {
      let asked = acts.first { $0.kind == .passkeyAsked }?.moment
      let delay = asked.flatMap { refused.nanoseconds(since: $0) }
      let after: Wording = delay.map { ", \(duration: $0) after it was asked" } ?? ""
      pieces.append("This host's program gave no passkey (\(packet: refused.packet))\(after).")
      packets.insert(of: asked, refused)
    }
    if attempt.method == nil {
      pieces.append("The pairing method is not in the capture.")
    } else if attempt.method?.hasPasskey != true {
      pieces.append("The method of this pairing has no passkey.")
    }
    var finding =
      attempt.shows(role)
      ? finding(
        "\(side.capitalized), which shows the passkey, gave up before it was typed",
        because: "\(side.words) gave up before the passkey that it shows was typed",
        why: Wording(pieces, joinedBy: " "), evidence: packets)
      : finding(
        "\(side.capitalized) reports that the passkey was not entered",
        because: "no passkey was entered on \(side.words)", why: Wording(pieces, joinedBy: " "),
        evidence: packets)
    if missing != nil {
      let (agent, then): (StaticString, StaticString) =
        side == .local
        ? ("KeyboardDisplay", "type the digits within 30 s")
        : ("DisplayOnly", "type on the peer, within 30 s, the digits that this host shows")
      finding.remedy =
        "First register an agent on this host: without one bluetoothd cannot ask the user (bluetoothctl: agent \(agent), default-agent). Then pair again, and \(then)."
    }
    return finding
  }

  /// Returns a finding about out-of-band data, as the two flags in the features describe it.
  fileprivate func withoutOutOfBand() -> Finding {
    let other = attempt.side(otherRole)
    let (own, others) = (attempt[role].features, attempt[otherRole].features)
    let words = [(side, own), (other, others)].compactMap { side, features -> Wording? in
      guard let features else { return nil }
      let has: StaticString = features.pdu.oobDataFlag == 1 ? "has" : "has no"
      return
        "\(side.words) declares that it \(has) such data of the other side (\(packet: features.moment.packet))"
    }
    let why = words.isEmpty ? answer : "\(answer) \(Wording(listing: words).capitalized)."
    guard own?.pdu.oobDataFlag == 1 else {
      return finding("\(side.capitalized) has no out-of-band data", why: why)
    }
    guard others?.pdu.oobDataFlag == 0 else {
      return finding(
        "\(side.capitalized) ended pairing over out-of-band data",
        because: "\(side.words) does not accept the out-of-band data", why: why)
    }
    return finding(
      "\(other.capitalized) declares no out-of-band data, and \(side.words) demands it",
      because: "\(other.words) declared no out-of-band data, which \(side.words) demands", why: why,
      do:
        "Give the out-of-band data to \(other.words) before pairing begins, or, if it has the data, make its stack set the flag. If only one side can have the data, use Secure Connections, and let \(side.words) accept that."
    )
  }

  fileprivate enum Requirement { case mitm, secureConnections }

  /// The requirement that is not met, as far as the features show it.
  fileprivate var unmet: Requirement? {
    attempt.shortfall != nil ? .mitm : lacksSecureConnections ? .secureConnections : nil
  }

  fileprivate var lacksSecureConnections: Bool {
    attempt[role].features?.pdu.authReq.supportsSC == true
      && attempt[otherRole].features?.pdu.authReq.supportsSC == false
  }

  fileprivate func unmetRequirements() -> Finding {
    let other = attempt.side(otherRole).words
    let clause: Wording
    let cause: Wording
    var remedy: Wording?
    if let shortfall = attempt.shortfall, let demanding = attempt.demandingMITM {
      cause =
        "\(demanding.capitalized) requested MITM protection, which these IO capabilities do not allow: \(shortfall) (\(attempt.capabilityWords))."
      clause = "MITM protection is impossible with these IO capabilities"
    } else if unmet == .secureConnections, let others = attempt[otherRole].features {
      cause =
        "\(side.capitalized) supports Secure Connections and \(other) does not (\(packet: others.moment.packet)), so this would be legacy pairing: a side that accepts only Secure Connections refuses it like this."
      clause = "\(side.words) accepts only Secure Connections, which \(other) lacks"
      remedy =
        "Enable LE Secure Connections on \(other) (Zephyr: CONFIG_BT_SMP_SC_PAIR_ONLY needs it on both sides; BlueZ: a controller of Bluetooth 4.2 or later), or let \(side.words) accept legacy pairing."
    } else {
      clause = "\(side.words) requires more than this pairing provides"
      cause = undeclaredRequirement
    }
    var finding = finding(
      "\(side.capitalized) requires more than this pairing can provide", because: clause,
      why: "\(answer) \(cause)", do: remedy)
    if unmet == nil { finding.grounds = .fact }
    return finding
  }

  private var undeclaredRequirement: Wording {
    guard attempt.method == nil, let request = attempt.initiating.features?.pdu else {
      return
        "The pairing features do not show what \(side.words) requires: \(attempt.capabilityWords)."
    }
    // The responder has seen only the request, and does not report what it wants.
    var lacks: [Wording] = []
    if !request.authReq.wantsMITM { lacks.append("does not request MITM protection") }
    if request.ioCapability == .noInputNoOutput { lacks.append("has no input and no output") }
    if !request.authReq.supportsSC { lacks.append("does not offer Secure Connections") }
    if !request.authReq.bonds { lacks.append("does not request bonding") }
    return lacks.isEmpty
      ? "The request offers MITM protection, Secure Connections and bonding; the capture does not show what else \(side.words) requires."
      : "The request \(Wording(listing: lacks)); the reason does not show whether \(side.words) requires one of these."
  }

  fileprivate func shortKey() -> Finding {
    let sizes = attempt.keySizes
    let words = Wording(
      listing: sizes.map { "\($0.side.words) allows keys of at most \($0.size) bytes" })
    let rule: StaticString = sizes.count == 2 ? ": the smaller size counts" : ""
    var finding = finding(
      "The key is too short for \(side.words)",
      why: sizes.isEmpty ? answer : "\(answer) \(words.capitalized)\(rule).")
    let lacking = sizes.filter { $0.size < 16 }
    if !lacking.isEmpty {
      finding.remedy =
        "Allow 16-byte keys on \(Wording(listing: lacking.map { "\($0.side.words)" })). The size that \(side.words) requires is set with CONFIG_BT_SMP_MIN_ENC_KEY_SIZE on Zephyr, with min_key_size and max_key_size on Nordic's SoftDevice."
    }
    return finding
  }

  fileprivate func invalidParameters() -> Finding {
    var finding = finding(
      "\(side.capitalized) rejected a pairing PDU as invalid",
      because: "\(side.words) rejected a PDU as invalid", why: answer)
    if attempt.outcome.invalidKeys.contains(otherRole) {
      finding.add(
        "The public key that \(attempt.side(otherRole).words) sent is not a point on the curve P-256; \(side.words) had to refuse it.",
        attempt[otherRole].publicKey?.moment.packet)
    } else if let packet = attempt.unexpected?.first.packet,
      let name = attempt.unexpectedOpcode?.name
    {
      finding.add("Before that, at \(packet: packet), \(name) was out of sequence.", packet)
    }
    return finding
  }

  /// The number of earlier failed attempts with the same device, and the end of the last one.
  /// Attempts are large, so none is copied.
  private var earlierFailures: (count: Int, end: Moment?) {
    var found: (count: Int, end: Moment?) = (0, nil)
    for other in evidence.earlier(than: connection) + [connection] {
      let attempts = other.pairing.attempts
      for index in 0..<(other.id == connection.id ? position : attempts.count)
      where attempts[index].failure != nil { found = (found.count + 1, attempts[index].end) }
    }
    return found
  }

  fileprivate func tooSoon() -> Finding {
    let earlier = earlierFailures
    let after: Wording =
      earlier.end.flatMap { attempt.first.nanoseconds(since: $0) }
      .map { ", \(duration: $0) before this attempt" } ?? ""
    let before: Wording =
      earlier.end.map {
        "\(count: earlier.count, "attempt", "attempts") before this one failed, the last one at \(packet: $0.packet)\(after)."
      } ?? "The failure that caused the wait is not in the capture."
    return finding(
      "\(side.capitalized) refused a new attempt so soon after a failed one",
      because: "it was retried too soon",
      why: "\(answer) It waits before it pairs again. \(before)",
      evidence: packets.union(PacketSet(of: earlier.end)))
  }

  fileprivate func unspecified() -> Finding {
    // The management interface defines that both commands cancel a pairing.
    if side == .local, let act = acts.last(where: { $0.kind == .unpair || $0.kind == .cancel }) {
      let command: StaticString = act.kind == .unpair ? "Unpair Device" : "Cancel Pair Device"
      let agreed = attempt.outcome.agreed.count
      let rounds: Wording =
        agreed > 0
        ? " The \(count: agreed, "passkey round", "passkey rounds") before that match." : ""
      return finding(
        "A program on this host cancelled the pairing",
        because: "a program on this host cancelled it",
        why:
          "A program sent \(command) to the kernel at \(packet: act.moment.packet) during the pairing; this host then sent \(reason).\(rounds)",
        evidence: packets.union([act.moment.packet]),
        do:
          "Find the program that sent \(command) (\(packet: act.moment.packet)): it must not do that during pairing. Then pair again.",
        fault: .local)
    }
    guard attempt.isOverBREDR else {
      return finding(
        "\(side.capitalized) ended pairing without giving a reason",
        because: "\(side.words) ended it without giving a reason", why: answer)
    }
    return finding(
      "\(side.capitalized) refused to derive keys for LE over BR/EDR",
      why:
        "This pairing derives keys for LE from those of the BR/EDR link (cross-transport key derivation). \(answer)"
    )
  }
}
