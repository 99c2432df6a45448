import Bluetooth
import Captures
import Sessions
import Words

// Rules about pairing that stops silently, and about Security Requests.

extension Rule {
  /// The rule about PDUs that should not occur.
  static let unexpectedPDU =
    Rule(
      "smp-unexpected", .warning, .meaning, "A Security Manager PDU was out of sequence",
      when:
        "a Pairing Request from the peripheral, a second Pairing Response, or a value that the pairing method does not use",
      needs: [.bothDirections],
      do:
        "Check the Security Manager of that side; a peripheral sends a Security Request, never a Pairing Request."
    ) { connection, _ in connection.unexpectedPDUs() }

  /// The rules about what did not happen.
  static let pairingSilence: [Rule] = [
    Rule(
      "smp-user-silent", .error, .meaning,
      "A user had to act for the pairing to continue, but did not",
      when:
        "no SMP PDU for 25 s or more at a step where digits are typed or compared, then the pairing or the link ends",
      needs: [.bothDirections, .events],
      do:
        "Pair again, and act within 30 s. If nothing was shown, the app or firmware does not handle the request: on Android the pairing notification, on iOS the dialog, on BlueZ an agent, on Zephyr bt_conn_auth_cb."
    ) { connection, evidence in
      connection.pairing.attempts.enumerated().compactMap { position, attempt in
        SilentPairing(attempt, position, connection, evidence)?.ofUser()
      }
    },
    Rule(
      "smp-timeout", .error, .meaning, "A pairing was not answered for 30 s",
      when:
        "no SMP PDU for 30 s at a step where no user has to act; then the pairing is over (Core, Vol 3, Part H, 3.4)",
      needs: [.bothDirections, .events],
      do:
        "Check the log of the side that had to answer. After this timeout no SMP PDU may be sent on the link: disconnect, then connect again."
    ) { connection, evidence in
      connection.pairing.attempts.enumerated().compactMap { position, attempt in
        SilentPairing(attempt, position, connection, evidence)?.ofProgram()
      }
    },
    Rule(
      "smp-abandoned", .error, .meaning, "The link ended in the middle of a pairing",
      when: "the link ends before it is encrypted with the new key, and neither side refused",
      needs: [.bothDirections, .events, .end],
      do:
        "Find out why the link ended. If a host ended it, its log shows why; an app must not disconnect while the system pairs."
    ) { connection, evidence in
      connection.pairing.attempts.enumerated().compactMap { position, attempt in
        SilentPairing(attempt, position, connection, evidence)?.abandoned()
      }
    },
    Rule(
      "smp-security-request-ignored", .warning, .meaning,
      "A peripheral requested security, but the central did nothing",
      when:
        "a Security Request on a link that is not encrypted, after which the central neither pairs nor encrypts for 5 s, or until the link ends",
      needs: [.bothDirections, .commands, .events, .opening],
      do:
        "Pair from the central (createBond on Android; iOS pairs when a protected attribute is accessed), or make an attribute require encryption: a central may ignore a Security Request."
    ) { connection, evidence in
      connection.pairing.securityRequests.compactMap { request in
        connection.ignored(request, evidence)
      }.first.map { [$0] } ?? []
    },
    Rule(
      "smp-security-request-race", .note, .meaning,
      "A Security Request crossed with the central's own pairing or encryption",
      when:
        "a Security Request arrives after the central's Pairing Request, or while it starts encryption, and that did not succeed",
      needs: [.bothDirections],
      do:
        "Nothing, if pairing succeeds. Otherwise make the peripheral wait about 100 ms before its Security Request, or leave security to the central."
    ) { connection, _ in
      connection.pairing.securityRequests.compactMap { request -> Finding? in
        guard let crossed = request.crossed else { return nil }
        return Finding(
          "A Security Request crossed with the central's own pairing or encryption",
          headline:
            "the Security Request at \(packet: request.moment.packet) crossed with the central's own pairing or encryption",
          why:
            "\(request.side.capitalized) requested security at \(packet: request.moment.packet), when the central had already started (\(packet: crossed.packet)). The central then ignores the request; some devices do not handle this.",
          evidence: [crossed.packet, request.moment.packet])
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
    guard !attempt.isPaired, !attempt.isOverBREDR,
      !attempt.isAuthenticated || attempt.failure != nil
    else { return nil }
    // A link that is encrypted at the end without an event that reports it was paired unseen.
    if attempt.failure == nil, connection.connection.isEncrypted == true,
      !attempt.beganEncrypted
    {
      return nil
    }
    self.attempt = attempt
    self.connection = connection
    self.evidence = evidence
    end =
      attempt.end
      ?? Moment(
        packet: max(attempt.last.packet, evidence.extent.lastPacket), time: evidence.extent.latest)
    resolution = connection.pairing.attempts.dropFirst(position + 1).first(where: \.isPaired).map {
      $0.encrypted?.packet ?? $0.last.packet
    }
  }

  /// A side answers a pairing step within this time unless it waits for its user.
  private static let longSilence: Int64 = 5_000_000_000

  private var silence: Int64? { attempt.lastStep.flatMap { end.nanoseconds(since: $0) } }

  private func finding(
    _ what: Wording, _ clause: Wording, why: Wording, _ certainty: Certainty, _ packets: PacketSet
  ) -> Finding {
    var finding = Finding(
      what, headline: "pairing stopped after \(packet: attempt.last.packet): \(clause)", why: why,
      certainty, evidence: packets)
    finding.restsOnAbsence = true
    if let resolution {
      finding.severity = .note
      finding.isResolved = true
      finding.headline =
        "pairing stopped after \(packet: attempt.last.packet), and succeeded at \(packet: resolution)"
    }
    return finding
  }

  /// What came after the silence.
  private var ending: Wording {
    switch attempt.ending {
    case .failed(let reason, let side):
      return "then \(side.words) ended pairing with \(reason)"
    case .superseded: return "then a new pairing began"
    case .abandoned: return "then \(connection.connection.endingWords)"
    case .notEncrypted, nil: return "then the capture ends"
    }
  }

  func ofUser() -> Finding? {
    guard let silent = SilentUser(attempt, end), let before = attempt.lastStep else { return nil }
    // An unconfirmed Just Works pairing has its own, more specific rule.
    if !silent.isSure, attempt.failure?.reason == .numericComparisonFailed { return nil }
    let asked = connection.pairing.acts(during: attempt).first {
      $0.kind == .passkeyAsked || $0.kind == .confirmationAsked(comparesDigits: true)
        || $0.kind == .confirmationAsked(comparesDigits: false)
    }
    let isAsked = silent.side == .local && asked != nil
    let user: Wording = "\(silent.side.possessive) user"
    var packets: PacketSet = [before.packet]
    if isAsked { packets.insert(asked?.moment.packet) }
    packets.insert(attempt.end?.packet)
    let why: Wording =
      silent.isSure
      ? "After \(packet: before.packet) \(user) had to \(silent.task). Nothing was sent for \(duration: silent.silence); \(ending)."
      : "After \(packet: before.packet) nothing was sent for \(duration: silent.silence); \(ending). The method is Just Works: at this step \(silent.side.words) may ask its user whether to pair."
    return finding(
      "\(user.capitalized) did not \(silent.task)", "\(user) did not \(silent.task)", why: why,
      silent.isSure || isAsked ? .likely : .possible, packets)
  }

  func ofProgram() -> Finding? {
    guard attempt.failure == nil, SilentUser(attempt, end) == nil,
      let silence, silence >= PairingAttempt.timeout
    else { return nil }
    let waiting = attempt.lastSender
    // The peer cannot answer what it did not get; that has a finding of its own.
    if waiting == .local, connection.isUndelivered(attempt.last.packet) { return nil }
    var packets: PacketSet = [attempt.last.packet]
    packets.insert(attempt.end?.packet)
    return finding(
      "\(waiting.other.capitalized) did not answer for 30 s",
      "\(waiting.other.words) did not answer for 30 s",
      why:
        "\(waiting.capitalized) sent the last PDU of the pairing at \(packet: attempt.last.packet). \(waiting.other.capitalized) sent nothing in the \(duration: silence) after it; \(ending).",
      .certain, packets)
  }

  func abandoned() -> Finding? {
    guard attempt.ending == .abandoned, SilentUser(attempt, end) == nil else { return nil }
    if let silence, silence >= PairingAttempt.timeout { return nil }
    let after: Wording =
      silence.map { (span: Int64) -> Wording in "\(duration: span) later " } ?? ""
    var packets: PacketSet = [attempt.last.packet]
    packets.insert(attempt.end?.packet)
    let words = connection.connection.endingWords
    let waiting = attempt.lastSender
    // Then the capture may lack the rest of the pairing.
    let isUsed = connection.attributes.lastUse?.packet ?? 0 > attempt.last.packet
    let isSilent =
      silence ?? 0 >= Self.longSilence
      && !(waiting == .local && connection.isUndelivered(attempt.last.packet))
    var finding = finding(
      isSilent
        ? "\(waiting.other.capitalized) did not answer, and the link ended in the middle of the pairing"
        : "The link ended in the middle of the pairing",
      isSilent
        ? "\(waiting.other.words) sent nothing for \(duration: silence ?? 0), then \(words)"
        : "\(words)",
      why:
        "The pairing had reached \(packet: attempt.last.packet), \(attempt.progress); \(after)\(words). The capture has no Pairing Failed.",
      attempt.isBeginningMissing || !connection.connection.hasKnownEnding || isUsed
        ? .likely : .certain,
      packets)
    if isSilent, attempt.responding.features == nil, let bond = connection.bond(evidence) {
      let packet = bond.attempt.end?.packet ?? bond.attempt.moment.packet
      finding.why =
        "\(finding.why) The two had a bond on connection \(bond.history.id) (\(packet: packet)): a side that still has it may ignore a new pairing."
      finding.evidence = PacketSet([packet]).union(finding.evidence)
      finding.remedy =
        "Delete the bond on both sides, then pair again. If that does not help, check in the log of \(waiting.other.words) why it does not answer."
    }
    if connection.pairing.attempts.contains(where: { $0.secondResponse != nil }) {
      finding.severity = finding.severity ?? .warning
    }
    // The cause is why the link ended, which has a finding of its own.
    switch connection.connection.ending {
    case .timeout, .neverEstablished, .micFailure, .controller:
      finding.severity = finding.severity ?? .warning
    default: break
    }
    return finding
  }
}

extension Connection {
  /// Whether the capture shows who or what ended the link.
  fileprivate var hasKnownEnding: Bool {
    switch ending {
    case .replaced, .unknown, .forgotten, .fileEnded, nil: false
    default: true
    }
  }

  /// How the link ended: `the peer disconnected`.
  fileprivate var endingWords: Wording {
    let because: Wording = reason.map { (reason: StatusCode) -> Wording in " (\(reason))" } ?? ""
    switch ending {
    case .localHost: return "this host disconnected"
    case .peer: return "the peer disconnected\(because)"
    case .timeout: return "the link was lost\(because)"
    case .micFailure: return "the link failed because of a wrong MIC\(because)"
    case .neverEstablished: return "the link was never established\(because)"
    case .reset: return "the controller was reset"
    case .controller: return "the controller ended the link\(because)"
    case .replaced, .unknown, .forgotten, .fileEnded, nil: return "the link was gone"
    }
  }
}

extension ConnectionHistory {
  /// A Security Request counts as ignored after this long without security.
  private static let patience: Int64 = 5_000_000_000
  /// A link that ends sooner did not leave enough time.
  private static let leastPatience: Int64 = 1_000_000_000

  /// Returns a finding about a Security Request that nothing followed.
  fileprivate func ignored(
    _ request: PairingHistory.SecurityRequest, _ evidence: Evidence
  ) -> Finding? {
    guard request.answer == nil, !request.cameEncrypted, connection.isEncrypted == false else {
      return nil
    }
    let ended = connection.lastPacket.map { Moment(packet: $0, time: connection.lastTime) }
    let end = ended ?? Moment(packet: evidence.extent.lastPacket, time: evidence.extent.latest)
    guard let waited = end.nanoseconds(since: request.moment),
      waited >= Self.patience || ended != nil && waited >= Self.leastPatience
    else { return nil }
    let times: Wording =
      request.count > 1 ? " (\(request.count) times)" : ""
    let (asker, central) = (request.side, request.side.other)
    let until: Wording =
      ended == nil
      ? "in the \(duration: waited) up to the end of the capture"
      : "in the \(duration: waited) until the link ended"
    var packets: PacketSet = [request.moment.packet]
    packets.insert(ended?.packet)
    var finding = Finding(
      "\(central.capitalized) ignored a Security Request",
      headline: "the Security Request at \(packet: request.moment.packet) was ignored",
      why:
        "\(asker.capitalized), the peripheral, requested \(request.authReq.words)\(times). \(central.capitalized) neither paired nor encrypted \(until).",
      evidence: packets)
    finding.restsOnAbsence = true
    return finding
  }

  /// Returns findings about PDUs that should not occur.
  fileprivate func unexpectedPDUs() -> [Finding] {
    for attempt in pairing.attempts {
      if let second = attempt.secondResponse, let first = attempt.responding.features {
        let side = attempt.initiator.other
        var packets: PacketSet = [first.moment.packet, second.packet]
        if attempt.failure != nil { packets.insert(attempt.end?.packet) }
        var finding = Finding(
          "Two Security Managers answer on \(side.words)",
          headline:
            "two programs on \(side.words) answer one Pairing Request (\(packet: first.moment.packet), \(packet: second.packet))",
          why:
            "\(side.capitalized) answered one Pairing Request twice (\(packet: first.moment.packet), \(packet: second.packet)): two Security Managers, such as the kernel's and a program's own, use one controller, and each breaks the other's pairing.",
          .likely, evidence: packets)
        finding.remedy =
          "Let only one program use the controller: stop bluetoothd, or the library that opens the HCI socket itself (noble, bleno)."
        if !attempt.isPaired { finding.severity = .error }
        return [finding]
      }
      if let request = attempt.initiating.features, !attempt.isOverBREDR,
        connection.role(of: attempt.initiator) == .peripheral
      {
        let side = attempt.initiator
        return [
          Finding(
            "\(side.capitalized) is the peripheral and sent a Pairing Request",
            headline: "a peripheral sent a Pairing Request at \(packet: request.moment.packet)",
            why:
              "Only the central starts pairing (Core, Vol 3, Part H, 2.4.1); a peripheral requests it with a Security Request.",
            evidence: [request.moment.packet])
        ]
      }
      guard attempt.failure == nil, let unexpected = attempt.unexpected,
        let name = attempt.unexpectedOpcode?.name
      else { continue }
      let method: Wording =
        attempt.methodWords.map { (words: Wording) -> Wording in
          " of this pairing (\(words))"
        } ?? ""
      return [
        Finding(
          "\(name) was out of sequence",
          headline: "\(name) was out of sequence at \(packet: unexpected.first.packet)",
          why: "The method\(method) has no \(name) at this point.", .likely,
          evidence: [unexpected.first.packet])
      ]
    }
    return []
  }
}
