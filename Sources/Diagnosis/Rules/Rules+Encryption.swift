// Rules about encryption that failed or ended.

import Bluetooth
import Sessions
import Words

extension Rule {
  /// The rules about encryption and keys.
  static let encryption: [Rule] = missingKeys + keyMismatches + encryptionFailures

  private static let encryptionFailures: [Rule] = [
    Rule(
      "enc-authentication-failure", .error, .meaning,
      "Authentication with a stored key failed",
      when:
        "encryption ends with Authentication Failure (0x05), or authentication of a BR/EDR link with a status other than success",
      needs: [.events],
      do:
        "Delete the bond on both sides and pair again; if it fails again, one side stores a different key from the one that pairing created."
    ) { history, evidence in
      attempts(of: history) { $0.failure == .authenticationFailure }.map { attempt in
        let end = attempt.end?.packet ?? attempt.moment.packet
        let finding = Finding(
          "Authentication failed: the two sides do not have the same key",
          headline: "encryption failed at \(packet: end): Authentication Failure (0x05)",
          why:
            "\(attempt.beginning), and encryption ended with \(StatusCode.authenticationFailure) (\(packet: end)).\(attempt.aside(history, evidence))",
          .likely, evidence: attempt.packets)
        return evidence.settle(finding, attempt, history)
      } + classicFailures(history, evidence)
    },
    Rule(
      "enc-timeout", .error, .meaning, "Encryption was started and never completed",
      when:
        "no Encryption Change follows LE Enable Encryption for 10 s, the link ends with LL Response Timeout (0x22), or this host leaves LE Long Term Key Request unanswered",
      needs: [.commands, .events],
      do:
        "If a host does not answer LE Long Term Key Request, its stack is waiting for the application: the handler of that event must always reply, with the key or with the negative reply. Otherwise check the firmware of the peer's controller."
    ) { history, evidence in unfinished(history, evidence) },
    Rule(
      "enc-rejected", .error, .meaning, "Encryption was rejected",
      when:
        "LE Enable Encryption or Encryption Change ends with a status other than a missing key or a lost link",
      needs: [.events],
      do:
        "Encrypt again once the link is idle; if the status reports an unsupported feature, the peer's controller cannot encrypt."
    ) { history, evidence in
      attempts(of: history) { $0.failure.map { !explained.contains($0.rawValue) } ?? false }
        .map { attempt in
          let end = attempt.end?.packet ?? attempt.moment.packet
          let status = attempt.failure ?? .success
          let who: StaticString =
            attempt.isRefusedAtOnce
            ? "this host's controller refused to start" : "it was refused"
          let meaning = meaning(of: status)
          let finding = Finding(
            "Encryption was rejected: \(status)",
            headline: "encryption was rejected at \(packet: end): \(status)",
            why:
              "\(attempt.beginning), and \(who): \(status) (\(packet: end)).\(meaning.map { " \($0)" as Wording } ?? "")",
            evidence: attempt.packets)
          return evidence.settle(finding, attempt, history)
        }
    },
    Rule(
      "enc-key-size", .warning, .meaning, "The encryption key is shorter than 16 bytes",
      when:
        "the controller reports a key size below 16 bytes, or the two sides negotiated one in pairing",
      needs: [.events],
      do:
        "Make both sides offer a maximum key size of 16 bytes; a short key can be found by brute force, and services may refuse it with Encryption Key Size Too Short (0x0c)."
    ) { history, _ in
      let attempt = history.encryption.attempts.last {
        $0.outcome == .encrypted && $0.keySize.map { $0 < 16 } ?? false
      }
      guard let attempt, let size = attempt.keySize else { return [] }
      let end = attempt.end?.packet ?? attempt.moment.packet
      let sizes = history.encryption.keySizes
      var why: Wording =
        "The link was encrypted (\(packet: end)) with a key of \(count: Int(size), "significant byte", "significant bytes")."
      if let own = sizes.local, let peers = sizes.peer, own != peers, min(own, peers) == size {
        let side: Side = own < peers ? .local : .peer
        why =
          "\(why) \(side.capitalized) allows no more; the other side allows \(max(own, peers))."
      }
      return [
        Finding(
          "The encryption key has only \(count: Int(size), "byte", "bytes")",
          headline: "the link was encrypted with a key of \(count: Int(size), "byte", "bytes")",
          why: why, evidence: attempt.packets)
      ]
    },
  ]

  /// Statuses that other rules explain, or that report the loss of the link in the meantime.
  private static let explained: [UInt8] = [
    0x02, 0x05, 0x06, 0x08, 0x13, 0x14, 0x15, 0x16, 0x22, 0x3d, 0x3e,
  ]

  /// Returns the last attempt that satisfies a condition: those before it failed in the same way.
  static func attempts(
    of history: ConnectionHistory, where holds: (EncryptionAttempt) -> Bool
  ) -> [EncryptionAttempt] {
    history.encryption.attempts.last(where: holds).map { [$0] } ?? []
  }

  /// Returns what a status means here.
  private static func meaning(of status: StatusCode) -> Wording? {
    switch status.rawValue {
    case 0x0c: "A controller refuses to start while another procedure is under way on the link."
    case 0x1a: "The peer's controller does not support encryption."
    case 0x25: "The security mode that the peer requires does not allow it."
    default: nil
    }
  }

  // MARK: BR/EDR

  private static func classicFailures(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> [Finding] {
    let all = history.encryption.authentications
    guard
      let failed = all.last(where: { $0.status.map { $0 != .success } ?? false }),
      let status = failed.status, let end = failed.end
    else { return [] }
    var packets: PacketSet = [failed.start.packet]
    packets.insert(failed.reply?.packet)
    packets.insert(failed.refused?.moment.packet)
    packets.insert(end.packet)
    let cause: Wording =
      switch (status, failed.hasKey) {
      case (.authenticationFailure, true): "the link keys of the two sides differ"
      case (.pinOrKeyMissing, true): "the peer no longer has a link key for this host"
      case (_, false): "there was no stored link key, and pairing did not create one"
      case (_, nil): "the capture does not show which key was used"
      default: "the stored link key was not accepted"
      }
    let deed: StaticString =
      switch failed.hasKey {
      case true?: "gave its controller a stored link key"
      case false?: "had no link key"
      case nil: "requested authentication"
      }
    var finding = Finding(
      "Authentication over BR/EDR failed: \(status)",
      headline: "authentication failed at \(packet: end.packet): \(status)",
      why:
        "This host \(deed)\(failed.reply.map { " (\(packet: $0.packet))" as Wording } ?? ""), and authentication ended with \(status) (\(packet: end.packet)): \(cause).",
      failed.hasKey == true ? .certain : .likely, evidence: packets)
    if let reply = failed.reply?.packet,
      let used = evidence.keys(of: history).last(where: {
        $0.kind == .link && $0.source == .controller && $0.packet <= reply
      }),
      let right = evidence.keys(of: history).first(where: {
        $0.kind == .link && $0.bytes == used.bytes.reversed() && $0.bytes != used.bytes
      })
    {
      finding.what = "This host used the link key in reverse byte order"
      finding.headline =
        "authentication failed at \(packet: end.packet) because this host used the link key in reverse byte order"
      finding.why =
        "\(finding.why) The key of \(packet: used.packet) has the bytes of the key in \(packet: right.packet) in reverse order."
      finding.certainty = .certain
      finding.evidence.insert(right.packet)
      finding.remedy =
        "Fix the byte order in which this host stores or derives the link key: HCI wants it least significant byte first."
    }
    if let refused = failed.refused {
      finding.what = "This host refused to pair over BR/EDR: \(status)"
      finding.headline = "this host refused to pair at \(packet: refused.moment.packet)"
      finding.why =
        "This host, its user or a program on it \(refused.what.words) (\(packet: refused.moment.packet)), so authentication ended with \(status) (\(packet: end.packet))."
      finding.certainty = .certain
      finding.remedy =
        "Pair again and accept on this host, if its user wants to pair. If the user was not asked, look for a program that answers for the user."
    }
    if let later = all.first(where: {
      $0.status == .success && $0.start.packet > failed.start.packet
    }) {
      finding.severity = .note
      finding.isResolved = true
      finding.headline =
        "\(finding.headline); fixed at \(packet: later.end?.packet ?? later.start.packet)"
      finding.evidence.insert(later.end?.packet)
    }
    return [finding]
  }

  // MARK: What never ends

  private static let longWait: Int64 = 10_000_000_000
  private static let shortWait: Int64 = 2_000_000_000

  private static func unfinished(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> [Finding] {
    let connection = history.connection
    guard let attempt = history.encryption.attempts.last, attempt.start != .unseen,
      attempt.start != .classic, !attempt.isKeyMissingHere
    else { return [] }
    let isLinkLayers = history.isEncryptionUnanswered
    guard isLinkLayers || attempt.outcome == nil else { return [] }
    let last =
      attempt.end
      ?? Moment(
        packet: connection.lastPacket ?? evidence.extent.lastPacket,
        time: connection.lastTime ?? evidence.extent.latest)
    let waited = last.nanoseconds(since: attempt.moment)
    // While a link is being encrypted, no data crosses it: an event must be missing.
    if !isLinkLayers, let heard = history.link.heardLast?.nanoseconds(since: attempt.moment),
      heard >= shortWait
    {
      return []
    }
    var finding: Finding
    if attempt.start == .keyRequest, attempt.reply == nil {
      guard let waited, waited >= shortWait else { return [] }
      finding = Finding(
        "This host never answered LE Long Term Key Request",
        headline:
          "encryption never completed: this host left LE Long Term Key Request (\(packet: attempt.moment.packet)) unanswered",
        why:
          "The peer started encryption and the controller requested the key (\(packet: attempt.moment.packet)), but this host sent neither a key nor a negative reply in \(duration: waited).",
        .certain, evidence: [attempt.moment.packet, last.packet])
    } else {
      guard isLinkLayers || waited.map({ $0 >= longWait }) ?? false else { return [] }
      let effect: Wording =
        isLinkLayers
        ? "the peer's controller did not answer for 40 s: \(StatusCode.responseTimeout) (\(packet: last.packet))"
        : "nothing was reported about it for \(duration: waited ?? 0)"
      finding = Finding(
        "Encryption was started and never completed",
        headline: "encryption started at \(packet: attempt.moment.packet) never completed",
        why: "\(attempt.beginning), and \(effect).", isLinkLayers ? .certain : .likely,
        evidence: [attempt.moment.packet, last.packet])
    }
    finding.restsOnAbsence = !isLinkLayers
    return [finding]
  }
}

extension EncryptionAttempt {
  /// How it began, in words: `This host started encryption with a stored key (#88)`.
  var beginning: Wording {
    let key: StaticString =
      switch origin {
      case .pairing: "with the key of the pairing"
      case .stored: "with a stored key"
      case .unknown: "with a key"
      }
    return switch start {
    case .command: "This host started encryption \(key) (\(packet: moment.packet))"
    case .keyRequest: "The peer started encryption \(key) (\(packet: moment.packet))"
    case .classic: "This host started encryption (\(packet: moment.packet))"
    case .unseen: "Encryption was started (not in the capture)"
    }
  }

  /// Returns what else is known of the key: sentences each preceded by a space, or nothing.
  func aside(_ history: ConnectionHistory, _ evidence: Evidence) -> Wording {
    let words = [
      sourceWords(history, evidence).map { "It is \($0)." as Wording },
      contradiction(history, evidence),
    ].compactMap(\.self)
    return Wording(words.map { " \($0)" }, joinedBy: "")
  }
}
