import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about pairing that stops silently, and about Security Requests.

extension Rule {
  static let unexpectedPDU = Symptom(
    "smp_unexpected", .warning, .meaning, "A Security Manager PDU was out of sequence",
    when:
      "a Pairing Request from the peripheral, a second Pairing Response, or a value that the pairing method does not use",
    do:
      "Check the Security Manager of that side; a peripheral sends a Security Request, never a Pairing Request."
  ).with(.settled).needing([.bothDirections]).onConnection(
    elsewise: [
      Alternative("one Security Manager answers twice") { history, _ in !history.hasEqualResponses }
    ]
  ) { connection, _ in connection.unexpectedPDUs() }

  static let pairingSilence: [Rule] = [
    Symptom(
      "smp_user_silent", .error, .meaning,
      "A user had to act for the pairing to continue, but did not",
      when:
        "no SMP PDU for 25 s or more at a step where digits are typed or compared, then the pairing or the link ends",
      do:
        "Pair again, and act within 30 s. If nothing was shown, the app or firmware does not handle the request: on Android the pairing notification, on iOS the dialog, on BlueZ an agent, on Zephyr bt_conn_auth_cb."
    ).needing([.bothDirections, .events]).onConnection(
      about: Doubts.self,
      elsewise: [
        Alternative(always: "no program or firmware asked that user"),
        Doubts.consent.or(
          "no user is asked at this step, and that side stopped for another reason"),
      ]
    ) { connection, evidence in SilentPairing.findings(connection, evidence) { $0.ofUser() } },
    Symptom(
      "smp_timeout", .error, .fact, "A pairing was not answered for 30 s",
      when:
        "no SMP PDU for 30 s at a step where no user has to act; then the pairing is over (Core, Vol 3, Part H, 3.4)",
      do:
        "Check the log of the side that had to answer. After this timeout no SMP PDU may be sent on the link: disconnect, then connect again."
    ).needing([.bothDirections, .events]).onConnection { connection, evidence in
      SilentPairing.findings(connection, evidence) { $0.ofProgram() }
    },
    Symptom(
      "smp_abandoned", .error, .fact, "The link ended in the middle of a pairing",
      when: "the link ends before it is encrypted with the new key, and neither side refused",
      do:
        "Find out why the link ended. If a host ended it, its log shows why; an app must not disconnect while the system pairs."
    ).needing([.bothDirections, .events, .end]).onConnection { connection, evidence in
      SilentPairing.findings(connection, evidence) { $0.abandoned() }
    },
    Symptom(
      "smp_not_encrypted", .error, .fact,
      "A pairing was complete or confirmed, but the link was never encrypted",
      when:
        "all values of a pairing were exchanged, or this host confirmed a pairing over BR/EDR, and the link is not encrypted for 25 s, or until it ends",
      do:
        "Check the log of the side that has to continue, and whether a program ends the link during the pairing."
    ).needing([.bothDirections, .commands, .events]).onConnection { connection, evidence in
      SilentPairing.findings(connection, evidence) { $0.neverEncrypted() }
        + connection.confirmedInVain(evidence)
    },
    Symptom(
      "smp_security_request_ignored", .warning, .fact,
      "A peripheral requested security, but the central did nothing",
      when:
        "a Security Request on a link that is not encrypted, after which the central neither pairs nor encrypts for 5 s, or until the link ends",
      do:
        "Pair from the central (createBond on Android; iOS pairs when a protected attribute is accessed), or make an attribute require encryption: a central may ignore a Security Request."
    ).needing([.bothDirections, .commands, .events, .opening]).onConnection {
      connection, evidence in
      connection.pairing.securityRequests.compactMap { request in
        connection.ignored(request, evidence)
      }.first.map { [$0] } ?? []
    },
  ]
}

/// A pairing that no side refused but that did not succeed.
private struct SilentPairing {
  let attempt: PairingAttempt
  let connection: ConnectionHistory
  let evidence: Evidence
  /// Where the silence ended: the end of the link, or of the capture.
  let end: Moment
  /// The packet that shows that pairing succeeded later on the same connection.
  let resolution: Int?

  init?(
    _ attempt: PairingAttempt, _ position: Int, _ connection: ConnectionHistory,
    _ evidence: Evidence
  ) {
    guard !attempt.isPaired, !attempt.isOverBREDR else { return nil }
    // A link that is encrypted at the end without an event that reports it was paired unseen.
    if attempt.failure == nil, connection.connection.isEncrypted == true, !attempt.beganEncrypted {
      return nil
    }
    (self.attempt, self.connection, self.evidence) = (attempt, connection, evidence)
    end = attempt.end ?? evidence.lastMoment(after: attempt.last)
    resolution = connection.pairing.attempts.success(after: position)
  }

  /// Returns the findings about the attempts of a connection.
  static func findings<Found>(
    _ connection: ConnectionHistory, _ evidence: Evidence, _ find: (Self) -> Found?
  ) -> [Found] {
    connection.pairing.attempts.enumerated().compactMap { position, attempt in
      Self(attempt, position, connection, evidence).flatMap(find)
    }
  }

  /// A side answers a pairing step within this time unless it waits for its user.
  private static let longSilence: Int64 = 5_000_000_000

  private var silence: Int64? { attempt.lastStep.flatMap { end.nanoseconds(since: $0) } }

  /// Whether everything before encryption was exchanged, so that no PDU was due.
  private var isComplete: Bool { attempt.isAuthenticated && attempt.failure == nil }

  /// The last PDU: `the Pairing Confirm (#48)`.
  private var lastWords: Wording {
    guard let step = attempt.lastStep else { return "its last PDU" }
    let name: Wording = attempt.lastOpcode.name.map { "\($0)" } ?? "last PDU"
    return "the \(name) (\(packet: step.packet))"
  }

  private func finding(
    _ what: Wording, _ clause: Wording, why: Wording, _ packets: PacketSet
  ) -> Finding {
    var finding = Finding(
      what.capitalized, headline: "pairing stopped after \(packet: attempt.last.packet): \(clause)",
      why: why, evidence: packets.union(PacketSet(of: attempt.end)), restsOnAbsence: true)
    if let confirmed {
      finding.add(
        "This host's program had confirmed the pairing (\(packet: confirmed.packet)).",
        confirmed.packet)
    }
    if let resolution {
      finding.resolve()
      finding.headline =
        "pairing stopped after \(packet: attempt.last.packet), and succeeded at \(packet: resolution)"
    }
    return finding
  }

  /// When this host's user, or a program, confirmed the pairing.
  private var confirmed: Moment? {
    connection.pairing.acts(during: attempt).last { $0.kind == .confirmed(true) }?.moment
  }

  /// What came after the silence.
  private var ending: Wording {
    switch attempt.ending {
    case .failed(let reason, let side): "then \(side.words) ended pairing with \(reason)"
    case .superseded: "then a new pairing began"
    case .abandoned: "then \(connection.connection.endingWords)"
    case .notEncrypted, nil: "then the capture ends"
    }
  }

  func ofUser() -> (Doubts, Finding)? {
    guard let silent = SilentUser(attempt, end), let before = attempt.lastStep else { return nil }
    // An unconfirmed Just Works pairing has its own, more specific rule.
    if !silent.isSure, attempt.failure?.reason == .numericComparisonFailed { return nil }
    let asked = connection.pairing.acts(during: attempt).first {
      $0.kind == .passkeyAsked || $0.kind == .confirmationAsked(comparesDigits: true)
        || $0.kind == .confirmationAsked(comparesDigits: false)
    }
    let user: Wording = "\(silent.side.possessive) user"
    let packets = PacketSet(of: before, silent.side == .local ? asked?.moment : nil)
    let why: Wording =
      silent.isSure
      ? "After \(lastWords) \(user) had to \(silent.task). Nothing was sent for \(duration: silent.silence); \(ending)."
      : "After \(lastWords) nothing was sent for \(duration: silent.silence); \(ending). The method is Just Works: at this step \(silent.side.words) may ask its user whether to pair."
    let deed: Wording = "\(user) did not \(silent.task)"
    return (silent.isSure ? [] : .consent, finding(deed, deed, why: why, packets))
  }

  /// The side that had to send the next PDU.
  private var awaited: Side { attempt.awaited.map { attempt.side($0) } ?? attempt.lastSender.other }

  /// Whether the peer cannot answer since it did not get the last PDU, which has its own finding.
  private var isUndelivered: Bool {
    attempt.lastSender == .local && connection.isUndelivered(attempt.last.packet)
  }

  func ofProgram() -> Finding? {
    guard attempt.failure == nil, !isComplete, SilentUser(attempt, end) == nil, !isUndelivered,
      let silence, silence >= PairingAttempt.timeout
    else { return nil }
    let sender = attempt.lastSender
    let verb: StaticString = awaited == sender ? "did not continue after its" : "did not answer the"
    let name: Wording = attempt.lastOpcode.name.map { "\($0)" } ?? "last PDU"
    let deed: Wording = "\(awaited.words) \(verb) \(name) for 30 s"
    return finding(
      deed, deed,
      why:
        "\(sender.capitalized) sent \(lastWords). It was the turn of \(awaited.words), which sent nothing of the pairing in the \(duration: silence) after it; \(ending).",
      [attempt.last.packet])
  }

  func abandoned() -> Finding? {
    guard attempt.ending == .abandoned, !isComplete, SilentUser(attempt, end) == nil,
      silence ?? 0 < PairingAttempt.timeout
    else { return nil }
    let after: Wording = silence.map { "\(duration: $0) later " } ?? ""
    let words = connection.connection.endingWords
    let isSilent = silence ?? 0 >= Self.longSilence && !isUndelivered
    var finding = finding(
      isSilent
        ? "\(awaited.words) did not answer, and the link ended in the middle of the pairing"
        : "The link ended in the middle of the pairing",
      isSilent
        ? "\(awaited.words) sent nothing for \(duration: silence ?? 0), then \(words)" : words,
      why:
        "The pairing had reached \(lastWords); \(after)\(words). The capture has no Pairing Failed.",
      [attempt.last.packet])
    if isSilent, attempt.responding.features == nil, let bond = connection.bond(evidence) {
      let packet = bond.attempt.endPacket
      finding.add("The two had a bond on connection \(bond.history.id) (\(packet: packet)).")
      finding.lead(with: packet)
      finding.remedy =
        "A side that still has a bond may ignore a new pairing: delete the bond on both sides, then pair again. If that does not help, check in the log of \(awaited.words) why it does not answer."
    }
    // The cause is why the link ended, which has a finding of its own.
    let hasOwnFinding =
      switch connection.connection.ending {
      case .timeout, .neverEstablished, .micFailure, .controller: true
      default: connection.pairing.attempts.contains { $0.secondResponse != nil }
      }
    if hasOwnFinding { finding.severity = finding.severity ?? .warning }
    return finding
  }

  /// Returns a finding if all values were exchanged, and the initiator did not start encryption.
  func neverEncrypted() -> Finding? {
    guard isComplete, connection.connection.isEncrypted != true, let silence,
      attempt.end != nil || silence >= PairingAttempt.longSilence,
      !connection.encryption.attempts.contains(where: { $0.moment.packet > attempt.first.packet })
    else { return nil }
    if case .notEncrypted = attempt.ending { return nil }
    let initiator = attempt.initiator
    var finding = finding(
      "The pairing was complete, but \(initiator.words) did not encrypt the link",
      "\(initiator.words) did not encrypt the link",
      why:
        "Both sides had sent all values of the pairing, up to \(lastWords). \(initiator.capitalized), the initiator, started no encryption in the \(duration: silence) after it; \(ending).",
      [attempt.last.packet])
    finding.remedy =
      "Check the log of \(initiator.words): after the last value the initiator has to start encryption with the new key."
    return finding
  }
}

extension Evidence {
  /// Returns the end of the capture, for what is open there.
  fileprivate func lastMoment(after moment: Moment) -> Moment {
    Moment(packet: max(moment.packet, extent.lastPacket), time: extent.latest)
  }
}

extension Connection {
  /// How the link ended: `the peer disconnected`.
  fileprivate var endingWords: Wording {
    let because: Wording = reason.map { (reason: StatusCode) -> Wording in " (\(reason))" } ?? ""
    return switch ending {
    case .localHost: "this host disconnected"
    case .peer: "the peer disconnected\(because)"
    case .timeout: "the link was lost\(because)"
    case .micFailure: "the link failed because of a wrong MIC\(because)"
    case .neverEstablished: "the link was never established\(because)"
    case .reset: "the controller was reset"
    case .controller: "the controller ended the link\(because)"
    case .replaced, .unknown, .forgotten, .fileEnded, nil: "the link was gone"
    }
  }
}

extension ConnectionHistory {
  /// A Security Request counts as ignored after this long without security.
  private static let patience: Int64 = 5_000_000_000
  /// A link that ends sooner did not leave enough time.
  private static let leastPatience: Int64 = 1_000_000_000

  fileprivate func ignored(
    _ request: PairingHistory.SecurityRequest, _ evidence: Evidence
  ) -> Finding? {
    guard request.answer == nil, !request.cameEncrypted, connection.isEncrypted == false
    else { return nil }
    let ended = connection.lastMoment
    let end = ended ?? Moment(packet: evidence.extent.lastPacket, time: evidence.extent.latest)
    guard let waited = end.nanoseconds(since: request.moment),
      waited >= Self.patience || ended != nil && waited >= Self.leastPatience
    else { return nil }
    let times = Wording.timesAside(request.count)
    let (asker, central) = (request.side, request.side.other)
    let until: StaticString = ended == nil ? "up to the end of the capture" : "until the link ended"
    return Finding(
      "\(central.capitalized) ignored a Security Request",
      headline: "the Security Request at \(packet: request.moment.packet) was ignored",
      why:
        "\(asker.capitalized) requested \(request.authReq.words)\(times). \(central.capitalized) neither paired nor encrypted in the \(duration: waited) \(until).",
      evidence: PacketSet(of: request.moment, ended), restsOnAbsence: true)
  }

  /// Returns a finding about a BR/EDR pairing that was confirmed here and led to no encryption.
  fileprivate func confirmedInVain(_ evidence: Evidence) -> [Finding] {
    guard connection.transport == .brEDR, !encryption.wasEncrypted, connection.isEncrypted != true,
      let last = encryption.authentications.last, let confirmed = last.confirmed,
      confirmed.isSame, last.status == nil || last.status == .success
    else { return [] }
    let ended = connection.lastMoment
    let end = ended ?? evidence.lastMoment(after: confirmed.moment)
    guard let waited = end.nanoseconds(since: confirmed.moment),
      ended != nil || waited >= PairingAttempt.longSilence
    else { return [] }
    let key: Wording =
      last.newKey.map { " Pairing created a link key (\(packet: $0.packet))." } ?? ""
    // Two devices may pair only to have a key.
    let isHarmless = last.newKey != nil || last.status == .success
    let finding = Finding(
      "This host confirmed the pairing, but the link was never encrypted",
      headline:
        "the link was never encrypted after this host had confirmed the pairing (\(packet: confirmed.moment.packet))",
      why:
        "This host confirmed the pairing over BR/EDR (\(packet: confirmed.moment.packet)).\(key) The link was not encrypted in the \(duration: waited) until \(ended == nil ? "the capture" : "the link" as StaticString) ended.",
      evidence: PacketSet(of: confirmed.moment.packet, last.newKey?.packet, ended?.packet),
      isHarmless ? .note : nil, restsOnAbsence: true)
    return [finding]
  }

  /// Whether a Pairing Request was answered with the same response twice.
  fileprivate var hasEqualResponses: Bool {
    pairing.attempts.contains { attempt in
      attempt.secondResponse.map { $0.command == attempt.responding.features?.command } ?? false
    }
  }

  fileprivate func unexpectedPDUs() -> [Finding] {
    pairing.attempts.firstFinding { attempt in
      if let second = attempt.secondResponse?.moment, let first = attempt.responding.features {
        return answeredTwice(attempt, first.moment, second)
      }
      let side = attempt.initiator
      if let request = attempt.initiating.features, !attempt.isOverBREDR,
        connection.role(of: side) == .peripheral
      {
        return Finding(
          "\(side.capitalized) sent a Pairing Request, although only a central may",
          headline: "a peripheral sent a Pairing Request at \(packet: request.moment.packet)",
          why:
            "Only the central starts pairing (Core, Vol 3, Part H, 2.4.1); a peripheral requests it with a Security Request.",
          evidence: [request.moment.packet], grounds: .fact)
      }
      guard attempt.failure == nil, let unexpected = attempt.unexpected,
        let name = attempt.unexpectedOpcode?.name
      else { return nil }
      let method: Wording = attempt.methodWords.map { " of this pairing (\($0))" } ?? ""
      return Finding(
        "\(name) was out of sequence",
        headline: "\(name) was out of sequence at \(packet: unexpected.first.packet)",
        why: "The method\(method) has no \(name) at this point.",
        evidence: [unexpected.first.packet], restsOnAbsence: true, grounds: .fact)
    }
  }

  private func answeredTwice(
    _ attempt: PairingAttempt, _ first: Moment, _ second: Moment
  ) -> Finding {
    let side = attempt.initiator.other
    return Finding(
      "Two Security Managers answer on \(side.words)",
      headline:
        "two programs on \(side.words) answer one Pairing Request (\(packet: first.packet), \(packet: second.packet))",
      why:
        "\(side.capitalized) answered one Pairing Request twice (\(packet: first.packet), \(packet: second.packet)): two Security Managers, such as the kernel's and a program's own, use one controller, and each breaks the other's pairing.",
      evidence: PacketSet(of: first, second, attempt.failure == nil ? nil : attempt.end),
      attempt.isPaired ? nil : .error, restsOnAbsence: true,
      do:
        "Let only one program use the controller: stop bluetoothd, or the library that opens the HCI socket itself (noble, bleno).",
      fault: side)
  }
}
