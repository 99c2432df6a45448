// Rules about links that end because one side cannot decrypt what the other encrypts.

import Histories
import Bluetooth
import Dissectors
import Meanings
import Sessions

extension Rule {
  static let keyMismatches: [Rule] = [
    Symptom(
      "enc_keys_differ", .error, .meaning, "The two sides have different keys for the bond",
      when:
        "encryption was started with a stored key, nothing was received afterwards, and the link was lost within the supervision timeout: with MIC Failure (0x3d) on the side that notices, with Connection Timeout (0x08) or 0x13 on the other; not if the key had worked and another procedure was pending",
      do:
        "Delete the bond on both sides and pair again. One side has replaced its key without the other: two hosts of a device that share an address, a restored backup, firmware that saves the key before pairing is complete, or the byte order or key size of keys copied by hand."
    ).needing([.commands, .events, .receivedData, .end]).onConnection(
      about: Doubts.self,
      elsewise: [
        Doubts.procedure.or("another Link Layer procedure ran meanwhile, and the key is right"),
        Doubts.earlyData.or("data crossed the link unencrypted meanwhile, and the key is right"),
        Doubts.keyWorked.or("the key is right, as on an earlier connection; a controller fails"),
        Doubts.distance.or("the link was lost for another reason, such as the distance"),
        Doubts.success.or("encryption worked, as the controller reported"),
        Doubts.peerLeft.or("the peer ended the link by itself, for another reason"),
        Doubts.peerLeft.or("the peer has lost its key, and ends the link instead"),
      ]
    ) { history, evidence in
      mismatch(history, evidence).map { [($0.doubts, differing($0, history, evidence))] } ?? []
    },
    Symptom(
      "enc_mic_failure", .error, .meaning,
      "An encrypted link was lost because a packet failed its integrity check",
      when:
        "the link ends with MIC Failure (0x3d) after it was encrypted with a new key, or after encrypted data was received; or data was sent, or another procedure was pending, while encryption was started",
      do:
        "Check the controllers' firmware versions first: a packet counter or a key refresh that the two sides handle differently is a frequent cause. If it happens in one place only, a device there may be injecting packets."
    ).with(.ofHost).needing([.events, .end]).onConnection(
      about: Doubts.self,
      elsewise: [
        Doubts.unprovenKey.or("the two sides have different keys"),
        Doubts.unrepeated.or("a controller fails for another reason"),
      ]
    ) { history, evidence in
      guard let end = history.connection.lastPacket, mismatch(history, evidence) == nil
      else { return [] }
      if let found = tooEarly(end, history, evidence) { return [found] }
      guard history.connection.ending == .micFailure else { return [] }
      return [disturbed(history, evidence) ?? ([], failedCheck(end, history))]
    },
  ]

  // MARK: Different keys

  /// Explains the loss if this host used another key than that of the bond.
  private static func explainMixUp(
    _ finding: inout Finding, _ mismatch: KeyMismatch, _ end: Int
  ) {
    guard let mixUp = mismatch.mixUp else { return }
    finding.what = "This host used the wrong key for the bond"
    finding.headline =
      "this host used the wrong key for the bond at \(packet: mismatch.attempt.packets.last ?? end)"
    finding.add(mixUp.words)
    // A pairing that the capture lacks may have replaced the key.
    finding.restsOnAbsence = true
    finding.fault = .local
    for packet in mixUp.packets { finding.evidence.insert(packet) }
    finding.remedy =
      "Fix where this host stores and looks up keys: the peripheral's distributed key encrypts the link, and HCI wants it least significant byte first. The bond itself is right."
  }

  private static func differing(
    _ mismatch: KeyMismatch, _ history: ConnectionHistory, _ evidence: Evidence
  ) -> Finding {
    let attempt = mismatch.attempt
    let end = history.connection.lastPacket ?? attempt.moment.packet
    let after: Wording = mismatch.passed.map { ", \(duration: $0) later" } ?? ""
    let success: StaticString =
      attempt.outcome == .encrypted
      ? "The controller reported success, but nothing came from the peer"
      : "Nothing more came from the peer"
    let meaning: Wording =
      mismatch.isNoticed
      ? "What the other side encrypted could not be decrypted with this key."
      : "The side that does not notice the different keys sees this; the other side sees MIC Failure (0x3d)."
    var finding = Finding(
      "The two sides have different keys for the bond",
      headline:
        "this host and the peer have different keys for their bond: the link was lost at \(packet: end)",
      why:
        "\(attempt.beginning). \(success), and the link was lost\(after): \(mismatch.reason) (\(packet: end)). \(meaning)\(attempt.aside(history, evidence))",
      evidence: attempt.packets.union([end]), restsOnAbsence: !mismatch.isNoticed)
    explainMixUp(&finding, mismatch, end)
    if !mismatch.doubts.isDisjoint(with: [.earlyData, .peerLeft, .success]) {
      finding.severity = .warning
    }
    evidence.mention(laterEncryption: history, in: &finding)
    if let meanwhile = attempt.meanwhile {
      finding.add(
        "Data was sent (\(packet: meanwhile.packet)) before encryption was complete.",
        meanwhile.packet)
    }
    if let procedure = mismatch.procedure { finding.add("\(procedure.words).", procedure.packet) }
    if let proof = mismatch.proof {
      finding.add("The key was right on connection \(proof.connection) (\(packet: proof.packet)).")
      finding.lead(with: proof.packet)
    }
    return finding
  }

  /// The end of the link is reported at most this long after the supervision timeout.
  private static let margin: Int64 = 1_000_000_000

  /// Returns the attempt after which the link was lost because the keys differ.
  static func mismatch(_ history: ConnectionHistory, _ evidence: Evidence) -> KeyMismatch? {
    let connection = history.connection
    guard let attempt = history.encryption.attempts.last, attempt.start != .unseen,
      attempt.start != .classic, !attempt.isRefusedAtOnce, !attempt.isKeyMissingHere,
      attempt.heard == nil, attempt.usesStoredKey(history, evidence),
      let (reason, passed) = attempt.loss(history), !evidence.hasWorked(attempt, history),
      attempt.outcome != nil || !history.link.goesOn(after: attempt)
    else { return nil }
    let isMICFailure = reason == .micFailure && connection.ending != .localHost
    if isMICFailure, history.disturbance(evidence) != nil { return nil }
    let found = KeyMismatch(
      attempt: attempt, reason: reason, passed: passed,
      isNoticed: isMICFailure || attempt.failure == .micFailure,
      proof: evidence.proof(of: attempt, history),
      procedure: history.procedure(during: attempt), mixUp: evidence.mixUp(of: attempt, history))
    switch attempt.outcome {
    case .off?: return nil
    case .failed(let status)?:
      if status == .micFailure { return found }
      guard status == .connectionTimeout else { return nil }
    case .encrypted?, nil: break
    }
    if isMICFailure { return found }
    // If the request was not answered, this host is the reason.
    if attempt.start == .keyRequest, attempt.reply == nil { return nil }
    guard connection.ending != .localHost, let timeout = connection.supervisionTimeout, let passed,
      passed <= Int64(timeout) &* 10_000_000 &+ margin
    else { return nil }
    // If nothing shows that encryption began, data received after the request was sent as before.
    if attempt.outcome == nil, let last = history.link.heardLast,
      last.packet > attempt.moment.packet
    {
      return nil
    }
    // Both controllers have decrypted the other's packets before they report success.
    let isUnacknowledged =
      !connection.hasLostPackets && connection.completedPackets < connection.sentPackets
    switch (reason, attempt.outcome == .encrypted) {
    case (.connectionTimeout, false), (.remoteUserTerminated, false): return found
    case (.connectionTimeout, true): return isUnacknowledged && attempt.sent != nil ? found : nil
    default: return nil
    }
  }

  // MARK: Failed integrity checks

  /// Returns a finding about data that was sent while encryption was being started.
  private static func tooEarly(
    _ end: Int, _ history: ConnectionHistory, _ evidence: Evidence
  ) -> (Doubts, Finding)? {
    let connection = history.connection
    guard let attempt = history.encryption.attempts.last, let meanwhile = attempt.meanwhile,
      attempt.outcome != .encrypted, attempt.outcome != nil || !history.link.goesOn(after: attempt),
      connection.ending == .micFailure || attempt.failure?.rawValue == 0x24
        || connection.ending == .controller && connection.reason?.rawValue == 0x24
    else { return nil }
    let sender = attempt.starter ?? .local
    var finding = Finding(
      "The link was lost because data was sent while encryption was being started",
      headline:
        "the link was lost at \(packet: end) because \(sender.words) sent data while encryption was being started",
      why:
        "\(attempt.beginning), and \(sender.words) sent data (\(packet: meanwhile.packet)) before that was complete. No data may be sent in between: the other side treats it as wrongly encrypted and ends the link.",
      evidence: attempt.packets.union([meanwhile.packet, end]),
      do: sender == .local
        ? "Send nothing between LE Enable Encryption and Encryption Change. A controller has to hold data back itself: look for newer controller firmware."
        : "The peer must send nothing while it starts encryption: update its firmware.")
    evidence.mention(laterEncryption: history, in: &finding)
    let isProven =
      evidence.hasWorked(attempt, history) || evidence.proof(of: attempt, history) != nil
    return (isProven ? .unrepeated : [.unrepeated, .unprovenKey], finding)
  }

  /// Returns a finding about a link that another procedure broke while encryption was started.
  private static func disturbed(
    _ history: ConnectionHistory, _ evidence: Evidence
  ) -> (Doubts, Finding)? {
    guard let (attempt, proof, procedure) = history.disturbance(evidence),
      let end = history.connection.lastPacket
    else { return nil }
    let finding = Finding(
      "The link was lost because another procedure ran while encryption was being started",
      headline:
        "the link was lost at \(packet: end): encryption and \(procedure.name) ran at the same time",
      why:
        "\(attempt.beginning). The key was right on connection \(proof.connection) (\(packet: proof.packet)). \(procedure.words): while encryption starts, a controller may run no other procedure (Core, Vol 6, Part B, 5.1.3.1), and one that does can send a packet that the other side cannot decrypt.",
      evidence: attempt.packets.union([proof.packet, procedure.packet, end]).sorted,
      do:
        "Do not start procedures (data length, PHY, connection parameters) until the link is encrypted, on both sides, and update the controllers' firmware. If it does not help, delete the bond on both sides and pair again."
    )
    var doubts: Doubts = evidence.hasWorked(attempt, history) ? [] : .unprovenKey
    let isRepeated = evidence.connections.contains {
      $0.id != history.id && $0.device == history.device && $0.connection.ending == .micFailure
        && $0.disturbance(evidence) != nil
    }
    if !isRepeated { doubts.insert(.unrepeated) }
    return (doubts, finding)
  }

  private static func failedCheck(_ end: Int, _ history: ConnectionHistory) -> Finding {
    let attempt = history.encryption.attempts.last { $0.outcome == .encrypted }
    var packets = PacketSet(of: attempt?.end?.packet, attempt?.heard?.packet, end)
    let why: Wording
    if let attempt, let heard = attempt.heard {
      let time = Moment(packet: end, time: history.connection.lastTime).nanoseconds(
        since: attempt.end ?? attempt.moment)
      let after: Wording = time.map { " for \(duration: $0)" } ?? ""
      why =
        "Encryption had worked\(after): data came from the peer (\(packet: heard.packet)), so the keys match. Then a packet did not pass the check."
    } else if let attempt = history.encryption.attempts.last, attempt.followsPairing {
      why =
        "Pairing had just created the key (\(packet: attempt.moment.packet)). The capture does not show whether the two sides computed the same one."
      packets.insert(attempt.moment.packet)
    } else {
      why =
        "A packet could not be decrypted. The capture does not show when the link was encrypted, or whether data was received since."
    }
    return Finding(
      "The link was lost because a packet failed its integrity check",
      headline: "the link was lost at \(packet: end): \(StatusCode.micFailure)", why: why,
      evidence: packets.sorted, grounds: .fact)
  }
}

/// A link that was lost right after encryption was started with a stored key.
struct KeyMismatch {
  let attempt: EncryptionAttempt
  let reason: StatusCode
  /// How long after encryption was started or reported the link was lost.
  let passed: Int64?
  /// Whether this side found that it cannot decrypt.
  let isNoticed: Bool
  /// The earlier connection on which the key worked.
  let proof: (connection: Int, packet: Int)?
  let procedure: (name: Wording, words: Wording, packet: Int)?
  /// What shows that this host used a wrong key.
  let mixUp: (words: Wording, packets: [Int])?

  /// What else may explain the loss: nothing if this host is shown to use a wrong key.
  var doubts: Doubts {
    guard mixUp == nil else { return [] }
    var doubts: Doubts = []
    if procedure != nil { doubts.insert(.procedure) }
    if attempt.meanwhile != nil { doubts.insert(.earlyData) }
    if proof != nil { doubts.insert(.keyWorked) }
    guard !isNoticed else { return doubts }
    doubts.insert(reason == .connectionTimeout ? .distance : .peerLeft)
    if attempt.outcome == .encrypted { doubts.insert(.success) }
    return doubts
  }
}

extension ConnectionHistory {
  /// Returns the attempt, with a key that had worked, that another procedure may have broken.
  fileprivate func disturbance(_ evidence: Evidence) -> (
    attempt: EncryptionAttempt, proof: (connection: Int, packet: Int),
    procedure: (name: Wording, words: Wording, packet: Int)
  )? {
    guard let attempt = encryption.attempts.last, attempt.outcome != .encrypted,
      attempt.heard == nil, attempt.meanwhile == nil,
      attempt.outcome != nil || !link.goesOn(after: attempt),
      // A key that the two have replaced since may have been wrong.
      !evidence.pairsLater(than: self), let proof = evidence.proof(of: attempt, self),
      let procedure = procedure(during: attempt)
    else { return nil }
    return (attempt, proof, procedure)
  }

  /// Returns another procedure that was reported, or that was pending, when encryption was started.
  func procedure(
    during attempt: EncryptionAttempt
  ) -> (name: Wording, words: Wording, packet: Int)? {
    let end = connection.lastPacket ?? .max
    if let reported = link.procedure(after: attempt.moment.packet, before: end) {
      return (
        "\(reported.name)",
        "Before encryption was complete, \(reported.name) was reported (\(packet: reported.packet))",
        reported.packet
      )
    }
    guard let pending = link.procedures.last(where: { $0.opcode != HCICommand.leEnableEncryption }),
      pending.moment.packet < end, let name = PDUTable.core.command(pending.opcode)?.name
    else { return nil }
    return (
      "\(name)",
      "\(name) (\(packet: pending.moment.packet)) had been started by this host, and was not reported to have ended",
      pending.moment.packet
    )
  }
}

extension Evidence {
  /// Adds to a finding that a later connection with the device was encrypted.
  func mention(
    laterEncryption history: ConnectionHistory, in finding: inout Finding
  ) {
    guard let later = encryptedLater(than: history) else { return }
    finding.severity = .warning
    finding.note = "Connection \(later.id) with the same device was encrypted."
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
