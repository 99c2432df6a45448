// Rules about links that end because one side cannot decrypt what the other encrypts.

import Bluetooth
import Sessions
import Words

extension Rule {
  /// The rules about different keys and loss of integrity.
  static let keyMismatches: [Rule] = [
    Rule(
      "enc-keys-differ", .error, .meaning, "The two sides have different keys for the bond",
      when:
        "encryption was started with a stored key, nothing was received afterwards, and the link was lost within the supervision timeout: with MIC Failure (0x3d) on the side that notices, with Connection Timeout (0x08) or 0x13 on the other",
      needs: [.commands, .events, .receivedData, .end],
      do:
        "Delete the bond on both sides and pair again. One side has replaced its key without the other: two hosts of a device that share an address, a restored backup, firmware that saves the key before pairing is complete, or the byte order or key size of keys copied by hand."
    ) { history, evidence in
      guard let (attempt, certainty) = mismatch(history, evidence),
        let loss = attempt.loss(history)
      else { return [] }
      let end = history.connection.lastPacket ?? attempt.moment.packet
      let shown = attempt.failure ?? loss.reason
      let after: Wording =
        loss.nanoseconds.map { ", \(duration: $0) later" as Wording } ?? ""
      let effect: Wording =
        attempt.outcome == .encrypted
        ? "The controller reported success, but nothing came from the peer, and the link was lost\(after): \(loss.reason) (\(packet: end))."
        : "Nothing more came from the peer, and the link was lost\(after): \(loss.reason) (\(packet: end))."
      let meaning: Wording =
        shown == .micFailure
        ? "What the other side encrypted could not be decrypted with this key."
        : "The side that does not notice the different keys sees this; the other side sees MIC Failure (0x3d)."
      var finding = Finding(
        "The two sides have different keys for the bond",
        headline:
          "this host and the peer have different keys for their bond\(certainty == .certain ? "" : ", it seems" as StaticString): the link was lost at \(packet: end)",
        why: "\(attempt.beginning). \(effect) \(meaning)\(attempt.aside(history, evidence))",
        certainty, evidence: attempt.packets.union([end]))
      finding.restsOnAbsence = shown != .micFailure
      finding.group = "The two sides have different keys for the bond"
      if let mixUp = evidence.mixUp(of: attempt, history) {
        finding.what = "This host used the wrong key for the bond"
        finding.headline =
          "this host used the wrong key for the bond at \(packet: attempt.packets.last ?? end)"
        finding.group = "This host used the wrong key for the bond"
        finding.why = "\(finding.why) \(mixUp.words)"
        finding.certainty = .certain
        // A pairing that the capture lacks may have replaced the key.
        finding.restsOnAbsence = true
        for packet in mixUp.packets { finding.evidence.insert(packet) }
        finding.remedy =
          "Fix where this host stores and looks up keys: the peripheral's distributed key encrypts the link, and HCI wants it least significant byte first. The bond itself is right."
      }
      if certainty == .possible { finding.severity = .warning }
      if let later = evidence.encryptedLater(than: history) {
        finding.severity = .warning
        finding.note = "Connection \(later.id) with the same device was encrypted."
      }
      if certainty == .possible, let meanwhile = attempt.meanwhile {
        finding.why =
          "\(finding.why) Data was sent (\(packet: meanwhile.packet)) before encryption was complete: if a controller let it through unencrypted, the link ends in the same way although the key is right."
        finding.evidence.insert(meanwhile.packet)
      } else if finding.certainty != .certain,
        let procedure = history.link.procedure(after: attempt.moment.packet, before: end)
      {
        finding.why =
          "\(finding.why) \(procedure.name) was reported meanwhile (\(packet: procedure.packet)): if the controllers ran this procedure while encryption was started, the link ends in the same way although the key is right."
        finding.evidence.insert(procedure.packet)
      }
      return [finding]
    },
    Rule(
      "enc-mic-failure", .error, .meaning,
      "An encrypted link was lost because a packet failed its integrity check",
      when:
        "the link ends with MIC Failure (0x3d) after it was encrypted with a new key, or after encrypted data was received",
      needs: [.events, .end],
      do:
        "Check the controllers' firmware versions first: a packet counter or a key refresh that the two sides handle differently is the usual cause. If it happens with one device only, near others that inject packets, the link may be under attack."
    ) { history, evidence in
      let connection = history.connection
      guard let end = connection.lastPacket else { return [] }
      if let attempt = history.encryption.attempts.last, let meanwhile = attempt.meanwhile,
        attempt.outcome != .encrypted, mismatch(history, evidence) == nil,
        attempt.outcome != nil || !history.link.goesOn(after: attempt),
        connection.ending == .micFailure || attempt.failure?.rawValue == 0x24
          || connection.ending == .controller && connection.reason?.rawValue == 0x24
      {
        let sender = attempt.starter ?? .local
        var finding = Finding(
          "The link was lost because data was sent while encryption was being started",
          headline:
            "the link was lost at \(packet: end) because \(sender.words) sent data while encryption was being started",
          why:
            "\(attempt.beginning), and \(sender.words) sent data (\(packet: meanwhile.packet)) before that was complete. No data may be sent in between: the other side treats it as wrongly encrypted and ends the link. This does not mean that the key is wrong.",
          .likely, evidence: attempt.packets.union([meanwhile.packet, end]))
        finding.remedy =
          sender == .local
          ? "Send nothing between LE Enable Encryption and Encryption Change. A controller has to hold data back itself: look for newer controller firmware."
          : "The peer must send nothing while it starts encryption: update its firmware."
        if let later = evidence.encryptedLater(than: history) {
          finding.severity = .warning
          finding.note = "Connection \(later.id) with the same device was encrypted."
        }
        finding.group = "The link was lost because data was sent while encryption was being started"
        return [finding]
      }
      guard connection.ending == .micFailure, mismatch(history, evidence) == nil else { return [] }
      if let finding = disturbed(history, evidence) { return [finding] }
      let attempt = history.encryption.attempts.last { $0.outcome == .encrypted }
      var packets: PacketSet = []
      packets.insert(attempt?.end?.packet)
      packets.insert(attempt?.heard?.packet)
      packets.insert(end)
      let why: Wording
      if let attempt, let heard = attempt.heard {
        let time = Moment(packet: end, time: connection.lastTime).nanoseconds(
          since: attempt.end ?? attempt.moment)
        let after: Wording = time.map { " for \(duration: $0)" } ?? ""
        why =
          "Encryption had worked\(after): data came from the peer (\(packet: heard.packet)). So the keys match; one packet was changed, or was encrypted with a different packet counter from the receiver's."
      } else if let attempt = history.encryption.attempts.last, attempt.followsPairing {
        why =
          "Pairing had just created the key (\(packet: attempt.moment.packet)): the two sides compute different keys, or one of the controllers uses another byte order or key size."
      } else {
        why =
          "A packet could not be decrypted. The capture does not show when the link was encrypted, or whether data was received since."
      }
      return [
        Finding(
          "The link was lost because a packet failed its integrity check",
          headline: "the link was lost at \(packet: end): \(StatusCode.micFailure)", why: why,
          attempt?.heard != nil ? .likely : .possible, evidence: packets)
      ]
    },
  ]

  /// The end of the link is reported at most this long after the supervision timeout.
  private static let margin: Int64 = 1_000_000_000

  /// Returns a finding about a link that was lost while encryption was started with a key that had
  /// worked before, if another procedure of the Link Layer ran at the same time.
  private static func disturbed(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> Finding? {
    guard let attempt = history.encryption.attempts.last, let end = history.connection.lastPacket,
      attempt.outcome != .encrypted, attempt.heard == nil, attempt.meanwhile == nil,
      attempt.outcome != nil || !history.link.goesOn(after: attempt),
      // A key that the two have replaced since may have been wrong.
      !evidence.pairsLater(than: history), let proof = evidence.proof(of: attempt, history),
      let procedure = history.link.procedure(after: attempt.moment.packet, before: end)
    else { return nil }
    var finding = Finding(
      "The link was lost because another procedure ran while encryption was being started",
      headline:
        "the link was lost at \(packet: end): encryption and \(procedure.name) ran at the same time",
      why:
        "\(attempt.beginning). The key was right on connection \(proof.connection) (\(packet: proof.packet)). Before encryption was complete, \(procedure.name) was reported (\(packet: procedure.packet)): while encryption starts, a controller may run no other procedure (Core, Vol 6, Part B, 5.1.3.1), and one that does can send a packet that the other side cannot decrypt.",
      .likely, evidence: attempt.packets.union([procedure.packet, end, proof.packet]))
    finding.remedy =
      "Do not start procedures (data length, PHY, connection parameters) until the link is encrypted, on both sides, and update the controllers' firmware. If it does not help, delete the bond on both sides and pair again."
    return finding
  }

  /// Returns the attempt after which the link was lost because the keys differ, and how certain
  /// that is, or nil if the evidence does not show it.
  static func mismatch(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> (EncryptionAttempt, Certainty)? {
    let connection = history.connection
    guard let attempt = history.encryption.attempts.last, attempt.start != .unseen,
      attempt.start != .classic, !attempt.isRefusedAtOnce, !attempt.isKeyMissingHere,
      attempt.heard == nil, attempt.usesStoredKey(history, evidence),
      let (reason, passed) = attempt.loss(history),
      !evidence.hasWorked(attempt, history)
    else { return nil }
    if attempt.outcome == nil, history.link.goesOn(after: attempt) { return nil }
    if reason == .micFailure, disturbed(history, evidence) != nil { return nil }
    // A key that worked before is wrong only if the peer has replaced its own since, and another
    // procedure at the same time has the same effect.
    let isDoubtful =
      evidence.proof(of: attempt, history) != nil
      || history.link.procedure(
        after: attempt.moment.packet, before: connection.lastPacket ?? .max) != nil
    let sure: Certainty = attempt.meanwhile != nil ? .possible : isDoubtful ? .likely : .certain
    switch attempt.outcome {
    case .off?: return nil
    case .failed(let status)?:
      if status == .micFailure { return (attempt, sure) }
      guard status == .connectionTimeout else { return nil }
    case .encrypted?, nil: break
    }
    if reason == .micFailure, connection.ending != .localHost {
      // Data that was sent too early has the same effect.
      return (attempt, sure)
    }
    // If the request was not answered, this host is the reason.
    if attempt.start == .keyRequest, attempt.reply == nil { return nil }
    guard connection.ending != .localHost, let timeout = connection.supervisionTimeout, let passed,
      passed <= Int64(timeout) &* 10_000_000 &+ margin
    else { return nil }
    let isUnacknowledged =
      !connection.hasLostPackets && connection.completedPackets < connection.sentPackets
    // If nothing shows that encryption began, data received after the request was sent as before.
    if attempt.outcome == nil, let last = history.link.heardLast,
      last.packet > attempt.moment.packet
    {
      return nil
    }
    switch (reason, attempt.outcome == .encrypted) {
    case (.connectionTimeout, false): return (attempt, .likely)
    // Both controllers have decrypted the other's packets before they report success.
    case (.connectionTimeout, true):
      return isUnacknowledged && attempt.sent != nil ? (attempt, .possible) : nil
    case (.remoteUserTerminated, false): return (attempt, .possible)
    default: return nil
    }
  }
}

extension LinkHistory {
  /// Data that comes this long after encryption was started was encrypted: its event is missing.
  private static let longestStart: Int64 = 2_000_000_000

  /// Returns whether the link was in use long after an attempt whose outcome is not in the capture.
  fileprivate func goesOn(after attempt: EncryptionAttempt) -> Bool {
    heardLast?.nanoseconds(since: attempt.moment) ?? 0 >= Self.longestStart
  }
}
