// Rules about encryption that failed or ended.

import Histories
import Bluetooth
import Meanings
import Sessions

extension Rule {
  static let encryption: [Rule] = missingKeys + keyMismatches + encryptionFailures

  private static let encryptionFailures: [Rule] = [
    Symptom(
      "enc_authentication_failure", .error, .fact, "Encryption or authentication of a link failed",
      when:
        "encryption ends with Authentication Failure (0x05), or authentication of a BR/EDR link with a status other than success",
      do:
        "If the devices are bonded, delete the bond on both sides; then pair again. If it fails again, one side stores a different key from the one that pairing created."
    ).with([.settled, .ofHost]).needing([.events]).onConnection { history, evidence in
      attempts(of: history) { $0.failure == .authenticationFailure }.map { attempt in
        let end = attempt.endPacket
        let finding = Finding(
          "Encryption failed: \(StatusCode.authenticationFailure)",
          headline: "encryption failed at \(packet: end): Authentication Failure (0x05)",
          why:
            "\(attempt.beginning), and encryption ended with \(StatusCode.authenticationFailure) (\(packet: end)).\(attempt.aside(history, evidence))",
          evidence: attempt.packets)
        return evidence.settle(finding, attempt, history)
      } + classicFailures(history, evidence)
    },
    Symptom(
      "enc_timeout", .error, .fact, "Encryption was started and never completed",
      when:
        "no Encryption Change follows LE Enable Encryption for 10 s, the link ends with LL Response Timeout (0x22), or this host leaves LE Long Term Key Request unanswered",
      do:
        "If a host does not answer LE Long Term Key Request, its stack may be waiting for the application: the handler of that event must always reply, with the key or with the negative reply. Otherwise check the firmware of the peer's controller."
    ).needing([.commands, .events]).onConnection { history, evidence in
      unfinished(history, evidence).map { [$0] } ?? []
    },
    Symptom(
      "enc_rejected", .error, .fact, "Encryption was rejected",
      when:
        "LE Enable Encryption or Encryption Change ends with a status other than a missing key or a lost link",
      do:
        "Encrypt again once the link is idle; if the status reports an unsupported feature, the peer's controller cannot encrypt."
    ).with([.settled, .ofHost]).needing([.events]).onConnection { history, evidence in
      attempts(of: history) { $0.failure.map { !explained.contains($0.rawValue) } ?? false }
        .map { attempt in
          let end = attempt.endPacket
          let status = attempt.failure ?? .success
          let who: StaticString =
            attempt.isRefusedAtOnce
            ? "this host's controller refused to start" : "it was refused"
          let finding = Finding(
            "Encryption was rejected: \(status)",
            headline: "encryption was rejected at \(packet: end): \(status)",
            why: "\(attempt.beginning), and \(who): \(status) (\(packet: end)).",
            evidence: attempt.packets)
          return evidence.settle(finding, attempt, history)
        }
    },
    Symptom(
      "enc_key_size", .warning, .fact, "The encryption key is shorter than 16 bytes",
      when:
        "the controller reports a key size below 16 bytes, or the two sides negotiated one in pairing; the finding also says if it was longer before",
      do:
        "Make both sides offer a maximum key size of 16 bytes; a short key can be found by brute force, and services may refuse it with Encryption Key Size Too Short (0x0c)."
    ).needing([.events]).onConnection { history, evidence in shortKey(history, evidence) },
  ]

  /// Statuses that other rules explain, or that report the loss of the link in the meantime.
  private static let explained: [UInt8] = [
    0x02, 0x05, 0x06, 0x08, 0x13, 0x14, 0x15, 0x16, 0x22, 0x3d, 0x3e,
  ]

  /// Returns the last attempt that satisfies a condition: those before it failed in the same way.
  static func attempts(
    of history: ConnectionHistory, where holds: (EncryptionAttempt) -> Bool
  ) -> [EncryptionAttempt] { history.encryption.attempts.last(where: holds).map { [$0] } ?? [] }

  // MARK: Key sizes

  private static func shortKey(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> [Finding] {
    let attempt = history.encryption.attempts.last {
      $0.outcome == .encrypted && $0.keySize ?? 16 < 16
    }
    guard let attempt, let size = attempt.keySize else { return [] }
    let words: Wording = "\(count: Int(size), "byte", "bytes")"
    let shown = attempt.keySizePackets
    let places = Wording(listing: shown.map { "\(packet: $0)" })
    var finding = Finding(
      "The encryption key has only \(words)",
      headline: "the link was encrypted with a key of \(words)",
      why:
        "The link was encrypted (\(packet: attempt.endPacket)) with a key of \(count: Int(size), "significant byte", "significant bytes") (\(places)).",
      evidence: attempt.packets.union(PacketSet(shown)).sorted)
    if let sizes = history.pairing.attempt(before: attempt.moment.packet)?.keySizes,
      let less = sizes.min(by: { $0.size < $1.size }), let more = sizes.map(\.size).max(),
      less.size < more, less.size == size, sizes.count == 2
    {
      finding.add(
        "\(less.side.capitalized) allows no more (\(packet: less.packet)); the other side allows \(more)."
      )
      finding.remedy =
        "Make \(less.side.words) offer a maximum key size of 16 bytes; a short key can be found by brute force, and services may refuse it with Encryption Key Size Too Short (0x0c)."
    }
    compareWithEarlier(&finding, attempt, size, history, evidence)
    return [finding]
  }

  /// Adds that an earlier key of the device was longer.
  private static func compareWithEarlier(
    _ finding: inout Finding, _ attempt: EncryptionAttempt, _ size: UInt8,
    _ history: ConnectionHistory, _ evidence: Evidence
  ) {
    let earlier = (evidence.earlier(than: history) + [history]).lazy.filter {
      $0.connection.transport == history.connection.transport
    }
    for other in earlier.reversed() {
      let before = other.encryption.attempts.last {
        $0.outcome == .encrypted && $0.moment.packet < attempt.moment.packet
          && $0.keySize ?? 0 > size
      }
      guard let old = before?.keySize, let packet = before?.keySizePackets.last else { continue }
      let words: Wording = "\(count: Int(size), "byte", "bytes")"
      finding.what = "The encryption key has only \(words), after one of \(old)"
      finding.headline =
        "the link was encrypted with a key of \(words), after one of \(old) bytes on connection \(other.id)"
      finding.add(
        "On connection \(other.id) with the same device the key had \(old) bytes (\(packet: packet))."
      )
      finding.lead(with: packet)
      break
    }
  }

  // MARK: BR/EDR

  private static func classicFailures(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> [Finding] {
    let all = history.encryption.authentications
    guard let failed = all.last(where: { $0.status.map { $0 != .success } ?? false }),
      let status = failed.status, let end = failed.end
    else { return [] }
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
        "This host \(deed)\(failed.reply.map { " (\(packet: $0.packet))" as Wording } ?? ""), and authentication ended with \(status) (\(packet: end.packet)).",
      evidence: PacketSet(of: failed.start, failed.reply, failed.refused?.moment, end))
    if failed.hasKey == true, status == .pinOrKeyMissing {
      finding.add("The peer has no link key for this host.")
    }
    evidence.add(bondOverLE: history, before: end.packet, to: &finding)
    explainReversedKey(&finding, failed, end, evidence.keys(of: history))
    if let refused = failed.refused {
      finding.what = "This host refused to pair over BR/EDR: \(status)"
      finding.headline = "this host refused to pair at \(packet: refused.moment.packet)"
      finding.why =
        "This host, its user or a program on it \(refused.words) (\(packet: refused.moment.packet)); authentication ended with \(status) (\(packet: end.packet))."
      finding.remedy =
        "Pair again and accept on this host, if its user wants to pair. If the user was not asked, look for a program that answers for the user."
    }
    mentionSuccess(&finding, after: failed, history, evidence)
    return [finding]
  }

  /// Explains a failure if this host used a known key in the wrong byte order.
  private static func explainReversedKey(
    _ finding: inout Finding, _ failed: ClassicAuthentication, _ end: Moment,
    _ keys: [KnownKeys.Key]
  ) {
    guard let reply = failed.reply?.packet,
      let used = keys.last(where: {
        $0.kind == .link && $0.source == .controller && $0.packet <= reply
      }),
      let right = keys.first(where: {
        $0.kind == .link && $0.bytes == used.bytes.reversed() && $0.bytes != used.bytes
      })
    else { return }
    finding.what = "This host used the link key in reverse byte order"
    finding.headline =
      "authentication failed at \(packet: end.packet): this host used the link key in reverse byte order"
    finding.add(
      "The key of \(packet: used.packet) has the bytes of the key in \(packet: right.packet) in reverse order.",
      right.packet)
    finding.remedy =
      "Fix the byte order in which this host stores or derives the link key: HCI wants it least significant byte first."
  }

  private static func mentionSuccess(
    _ finding: inout Finding, after failed: ClassicAuthentication, _ history: ConnectionHistory,
    _ evidence: Evidence
  ) {
    func success(_ history: ConnectionHistory) -> ClassicAuthentication? {
      history.encryption.authentications.first {
        $0.status == .success && $0.start.packet > failed.start.packet
      }
    }
    if let later = success(history) {
      finding.resolve()
      finding.headline =
        "\(finding.headline); fixed at \(packet: later.end?.packet ?? later.start.packet)"
      finding.evidence.insert(later.end?.packet)
    } else if let later = evidence.later(than: history).first(where: { success($0) != nil }) {
      finding.severity = .note
      finding.note = "Authentication with the same device succeeded on connection \(later.id)."
    }
  }

  // MARK: What never ends

  private static let longWait: Int64 = 10_000_000_000
  private static let shortWait: Int64 = 2_000_000_000

  private static func unfinished(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> Finding? {
    let connection = history.connection
    guard let attempt = history.encryption.attempts.last, attempt.start != .unseen,
      attempt.start != .classic, !attempt.isKeyMissingHere
    else { return nil }
    let isLinkLayers = history.isEncryptionUnanswered
    guard isLinkLayers || attempt.outcome == nil else { return nil }
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
      return nil
    }
    if attempt.start == .keyRequest, attempt.reply == nil {
      guard let waited, waited >= shortWait else { return nil }
      return Finding(
        "This host never answered LE Long Term Key Request",
        headline:
          "encryption never completed: this host left LE Long Term Key Request (\(packet: attempt.moment.packet)) unanswered",
        why:
          "The peer started encryption and the controller requested the key (\(packet: attempt.moment.packet)), but this host sent neither a key nor a negative reply in \(duration: waited).",
        evidence: [attempt.moment.packet, last.packet], restsOnAbsence: !isLinkLayers,
        fault: .local)
    }
    guard isLinkLayers || waited.map({ $0 >= longWait }) ?? false else { return nil }
    let effect: Wording =
      isLinkLayers
      ? "it was not finished in time: \(StatusCode.responseTimeout) (\(packet: last.packet))"
      : "nothing was reported about it for \(duration: waited ?? 0)"
    return Finding(
      "Encryption was started and never completed",
      headline: "encryption started at \(packet: attempt.moment.packet) never completed",
      why: "\(attempt.beginning), and \(effect).",
      evidence: [attempt.moment.packet, last.packet], restsOnAbsence: !isLinkLayers)
  }
}

extension Evidence {
  /// Adds to a finding about a BR/EDR link that the two had bonded over LE, and whether that
  /// pairing derived the link key (Core, Vol 3, Part H, 2.4.2.4 and 3.6.1).
  fileprivate func add(
    bondOverLE history: ConnectionHistory, before packet: Int, to finding: inout Finding
  ) {
    for other in earlier(than: history).reversed() where other.connection.transport == .le {
      if let attempt = other.pairing.attempts.last(where: \.isBonded) {
        let made = attempt.encrypted?.packet ?? attempt.last.packet
        let derived: Wording =
          attempt.derivesLinkKey ? "; that pairing also derived a link key for BR/EDR" : ""
        finding.add(
          "The two had bonded over LE on connection \(other.id) (\(packet: made))\(derived).")
        finding.lead(with: made)
        finding.remedy =
          "Delete the bond on both sides, for LE and BR/EDR, and pair again; if it fails again, compare how the two derive and store the link key."
        return
      }
      guard other.showsBond, let used = other.encryption.attempts.last?.end else { continue }
      finding.add("On connection \(other.id) the two used a bond over LE (\(packet: used.packet)).")
      finding.lead(with: used.packet)
      return
    }
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
    case .command, .linkLayer:
      "This host started encryption \(key) (\(packet: moment.packet))"
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
