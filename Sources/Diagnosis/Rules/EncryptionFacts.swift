// Facts for the rules about encryption and bonds.

package import Histories
import Bluetooth
import Cryptography
package import Meanings
package import Sessions

/// Doubts about the cause of a finding that show while it is made. Each is another explanation.
struct Doubts: OptionSet, Sendable {
  let rawValue: UInt16
  static let procedure = Self(rawValue: 1)
  static let earlyData = Self(rawValue: 2)
  static let keyWorked = Self(rawValue: 4)
  /// The link ended with Connection Timeout, which has other causes.
  static let distance = Self(rawValue: 8)
  static let success = Self(rawValue: 16)
  static let peerLeft = Self(rawValue: 32)
  static let unprovenKey = Self(rawValue: 64)
  static let unrepeated = Self(rawValue: 128)
  static let privacy = Self(rawValue: 256)
  /// No packet shows that a key was lost, or that it was kept.
  static let lostKey = Self(rawValue: 512)
  /// Nothing shows that a user is asked at this step.
  static let consent = Self(rawValue: 1024)

  /// Returns the explanation that applies unless the doubt is excluded.
  func or(_ words: StaticString) -> Alternative<Self> {
    Alternative(words) { doubts, _ in doubts.isDisjoint(with: self) }
  }
}

extension EncryptionAttempt {
  /// Whether one of the two has no key for the other.
  var lacksKey: Bool { failure == .pinOrKeyMissing || isKeyMissingHere }

  /// The packet in which it ended, or in which it began if no end is known.
  var endPacket: Int { end?.packet ?? moment.packet }

  /// Returns how long after the attempt the link was lost, and why. Returns nil if it was not lost,
  /// this host ended it, or another attempt followed.
  func loss(_ history: ConnectionHistory) -> (reason: StatusCode, nanoseconds: Int64?)? {
    guard history.encryption.attempts.last?.moment == moment,
      let last = history.connection.lastMoment, let reason = history.connection.reason
    else { return nil }
    return (reason, last.nanoseconds(since: end ?? moment))
  }

  /// Returns whether the key of this attempt does not come from a pairing on this link, as far as
  /// known: the capture contains the link from its beginning, or the key was seen before.
  func usesStoredKey(_ history: ConnectionHistory, _ evidence: Evidence) -> Bool {
    switch origin {
    case .stored: true
    case .pairing: false
    case .unknown: source(history, evidence) != nil
    }
  }

  /// Returns the source of the key: an earlier connection that it encrypted, a packet, or a file.
  package func source(_ history: ConnectionHistory, _ evidence: Evidence) -> KnownKeys.Key? {
    guard let key, !followsPairing else { return nil }
    return evidence.keys(of: history).first {
      $0.kind == .longTerm && $0.bytes == key && $0.packet < moment.packet
        && ($0.connection != history.id || $0.source == .pairing)
    }
  }

  /// Returns the source of the key in words: `the key of connection 1 (#57)`.
  package func sourceWords(_ history: ConnectionHistory, _ evidence: Evidence) -> Wording? {
    guard let source = source(history, evidence) else { return nil }
    switch source.source {
    case .file(let file), .capture(let file): return "the key of \(quoted: Array(file.utf8))"
    case .management: return "the key given to the kernel in \(packet: source.packet)"
    case .pairing:
      guard let connection = source.connection, connection != history.id
      else { return "the key from pairing (\(packet: source.packet))" }
      return "the key from pairing on connection \(connection) (\(packet: source.packet))"
    case .controller, .event:
      return source.connection.map { "the key of connection \($0) (\(packet: source.packet))" }
    }
  }

  /// Returns a sentence that a file has another key for the device, or nil if that is not the case.
  func contradiction(_ history: ConnectionHistory, _ evidence: Evidence) -> Wording? {
    guard let key, !followsPairing else { return nil }
    let others = evidence.keys(of: history).filter {
      if case .file = $0.source { $0.kind == .longTerm } else { false }
    }
    guard let other = others.first, !others.contains(where: { $0.bytes == key }),
      case .file(let file) = other.source
    else { return nil }
    return "\(quoted: Array(file.utf8)) has a different key for the device."
  }
}

extension ConnectionHistory {
  /// Whether this connection shows that the two have a bond: they created one, or used it.
  var showsBond: Bool {
    pairing.attempts.contains(where: \.isBonded)
      || encryption.attempts.contains { $0.outcome == .encrypted && $0.origin == .stored }
  }

  /// Returns the device's last earlier connection that created or used a bond, and that attempt.
  func bond(_ evidence: Evidence) -> (history: ConnectionHistory, attempt: EncryptionAttempt)? {
    for earlier in evidence.earlier(than: self).reversed() where earlier.showsBond {
      let attempt = earlier.encryption.attempts.last {
        $0.outcome == .encrypted && ($0.followsPairing || $0.origin == .stored)
      }
      if let attempt { return (earlier, attempt) }
    }
    return nil
  }

  /// Returns the last earlier connection of any device that was encrypted with the key with the
  /// numbers of an attempt, and the packet that shows it. All numbers of Secure Connections are 0.
  func connectionWithKey(
    _ attempt: EncryptionAttempt, _ evidence: Evidence
  ) -> (history: ConnectionHistory, packet: Int)? {
    guard attempt.ediv != 0 || attempt.rand != 0 else { return nil }
    for other in evidence.connections.reversed() where other.id < id {
      let used = other.encryption.attempts.last {
        $0.ediv == attempt.ediv && $0.rand == attempt.rand && $0.outcome == .encrypted
      }
      if let used { return (other, used.moment.packet) }
      let given = evidence.keys.keys.last {
        $0.connection == other.id && $0.kind == .longTerm && $0.ediv == attempt.ediv
          && $0.rand == attempt.rand
      }
      if let given { return (other, given.packet) }
    }
    return nil
  }

  /// Returns when a program on this host last deleted the bond with the device before a packet.
  func unpaired(before packet: Int, _ evidence: Evidence) -> Moment? {
    evidence.earlier(than: self).lazy.flatMap(\.pairing.acts).last {
      $0.kind == .unpair && $0.moment.packet < packet
    }?.moment
  }

  /// Returns who keeps a bond with the device, if no connection of the capture shows one: a file of
  /// --keys, or this host's kernel, which was given a key before `packet` that no program has
  /// deleted since.
  func bondKeeper(before packet: Int, _ evidence: Evidence) -> (words: Wording, packet: Int)? {
    for key in evidence.keys(of: self) where key.kind == .longTerm && key.packet < packet {
      switch key.source {
      case .file(let file): return ("\(quoted: Array(file.utf8)) has a bond between the two", 0)
      case .management:
        if let deleted = unpaired(before: packet, evidence), deleted.packet > key.packet {
          continue
        }
        return (
          "This host's kernel has a key for the peer (\(packet: key.packet))", key.packet
        )
      case .pairing, .controller, .event, .capture: continue
      }
    }
    return nil
  }

  /// Whether the peer's controller did not answer a request for encryption: LL Response Timeout.
  var isEncryptionUnanswered: Bool {
    guard let attempt = encryption.attempts.last, attempt.start != .unseen,
      attempt.start != .classic, !attempt.isKeyMissingHere,
      attempt.start != .keyRequest || attempt.reply != nil
    else { return false }
    return attempt.failure == .responseTimeout
      || attempt.outcome == nil && connection.reason == .responseTimeout
  }

  /// The resolvable private address of the peer, if a key resolves it.
  var usedResolvable: DeviceAddress? {
    let isPrivate = connection.peerKind == .randomResolvable
    guard !isUnresolved,
      let used = connection.peerResolvable ?? (isPrivate ? connection.peer : nil),
      used.value != device & 0xffff_ffff_ffff
    else { return nil }
    return used
  }

  /// Whether the peer's address is a resolvable private one that no key resolves: the device is not
  /// known by another address.
  var isUnresolved: Bool {
    connection.peerKind == .randomResolvable && connection.identity == nil
      && connection.peer.map { device & 0xffff_ffff_ffff == $0.value } ?? true
  }
}

extension Evidence {
  /// Returns the connections that satisfy a condition, one list for each device, in order.
  func connectionsByDevice(
    where holds: (ConnectionHistory) -> Bool
  ) -> [[ConnectionHistory]] { connections.filter(holds).grouped(by: \.device) }

  /// Returns the features of the device's last pairing, if it did not give the peer's IRK.
  func pairingWithoutIdentity(
    of history: ConnectionHistory
  ) -> (request: Int, response: Int)? {
    let all = earlier(than: history) + [history]
    guard let attempt = all.flatMap(\.pairing.attempts).last(where: \.isBonded),
      attempt.agreedKeys(of: attempt.role(of: .peer)) & 2 == 0,
      let request = attempt.initiating.features, let response = attempt.responding.features
    else { return nil }
    return (request.moment.packet, response.moment.packet)
  }

  func encryptedLater(than history: ConnectionHistory) -> ConnectionHistory? {
    later(than: history).first { $0.encryption.wasEncrypted }
  }

  /// Returns whether the key of an attempt encrypted a later connection, so that it is not wrong.
  func hasWorked(_ attempt: EncryptionAttempt, _ history: ConnectionHistory) -> Bool {
    guard let key = attempt.key else { return false }
    return later(than: history).contains { other in
      other.encryption.attempts.contains {
        $0.key == key && $0.outcome == .encrypted && $0.heard != nil
      }
    }
  }

  /// Returns the command to resolve the peer's private addresses that this host's controller had
  /// refused when the peer connected. Returns nil if this host recognised the peer behind another
  /// private address before, so that it does not need the controller.
  func resolvingRefusal(_ history: ConnectionHistory) -> Int? {
    if recognisedPeer(of: history) { return nil }
    return adapters.first { $0.index == history.connection.adapter }?.resolving
      .refusal(of: history.device, at: history.connection.firstPacket)
  }

  /// Returns whether this host found the bond of the peer behind another private address before.
  func recognisedPeer(of history: ConnectionHistory) -> Bool {
    earlier(than: history).contains { other in
      other.connection.peerKind == .randomResolvable
        && other.connection.peer != history.connection.peer
        && other.encryption.attempts.contains { $0.origin == .stored && $0.outcome == .encrypted }
    }
  }

  /// Returns the earlier connection with the same device on which the key of an attempt worked.
  func proof(of attempt: EncryptionAttempt, _ history: ConnectionHistory)
    -> (connection: Int, packet: Int)?
  {
    guard let key = attempt.key else { return nil }
    for earlier in self.earlier(than: history).reversed() {
      let worked = earlier.encryption.attempts.last {
        $0.key == key && $0.outcome == .encrypted && $0.heard != nil
      }
      if let worked { return (earlier.id, worked.endPacket) }
    }
    return nil
  }

  /// Returns what shows that this host, whose commands have its keys, used the wrong key of a bond:
  /// pairing had distributed another one for the same identification, or the same bytes in reverse
  /// order. A pairing since may have replaced the key.
  func mixUp(of attempt: EncryptionAttempt, _ history: ConnectionHistory)
    -> (words: Wording, packets: [Int])?
  {
    guard let used = attempt.key, let central = attempt.starter else { return nil }
    let replaced = pairings(with: history).last { $0 < attempt.moment.packet } ?? 0
    let known = keys(of: history).filter {
      $0.kind == .longTerm && replaced < $0.packet && $0.packet < attempt.moment.packet
    }
    if let reversed = known.first(where: { $0.bytes == used.reversed() && $0.bytes != used }) {
      return (
        "The key has the bytes of the key in \(packet: reversed.packet) in reverse order.",
        [reversed.packet]
      )
    }
    // Legacy pairing: the peripheral distributes the key that encrypts, with its identification.
    guard attempt.ediv != 0 || attempt.rand != 0,
      let right = known.last(where: {
        $0.source == .pairing && $0.side == central.other && $0.ediv == attempt.ediv
          && $0.rand == attempt.rand
      }), !used.isSame(shortened: right.bytes)
    else { return nil }
    let other = known.first { $0.bytes == used && $0.source == .pairing && $0.side == central }
    let what: Wording =
      other.map {
        "the key that \(central.words) had distributed for its own use as a peripheral (\(packet: $0.packet))"
      } ?? "another key"
    return (
      "EDIV and Rand identify the key of \(packet: right.packet); this host used \(what).",
      [right.packet] + (other.map { [$0.packet] } ?? [])
    )
  }

  /// Returns the packets that began the pairings with the device of a connection, in order.
  private func pairings(with history: ConnectionHistory) -> [Int] {
    connections.filter { $0.device == history.device }
      .flatMap { $0.pairing.attempts.map(\.first.packet) }.sorted()
  }

  /// Returns whether the device paired again on a later connection, which replaces its key.
  func pairsLater(than history: ConnectionHistory) -> Bool {
    later(than: history).contains { $0.pairing.attempts.contains(where: \.isPaired) }
  }

  /// Returns the attempt that succeeded after a failed one, on the same connection or on `later`.
  func success(after attempt: EncryptionAttempt, _ history: ConnectionHistory)
    -> (attempt: EncryptionAttempt, later: ConnectionHistory?)?
  {
    if let success = history.encryption.success(after: attempt) { return (success, nil) }
    guard let later = encryptedLater(than: history),
      let success = later.encryption.attempts.first(where: { $0.outcome == .encrypted })
    else { return nil }
    return (success, later)
  }

  /// Adds how the matter was resolved: later on the same connection, or on another of the device.
  func settle(
    _ finding: Finding, _ attempt: EncryptionAttempt, _ history: ConnectionHistory
  ) -> Finding {
    guard let success = success(after: attempt, history) else { return finding }
    let packet = success.attempt.endPacket
    var finding = finding
    if let later = success.later {
      finding.severity = .warning
      finding.note =
        "Connection \(later.id) with the same device was encrypted (\(packet: packet))."
      return finding
    }
    finding.resolve()
    finding.evidence.insert(packet)
    finding.note =
      success.attempt.followsPairing
      ? "The devices paired again on the same connection, and the link was encrypted at \(packet: packet)."
      : "A later attempt on the same connection succeeded at \(packet: packet)."
    if success.attempt.followsPairing {
      finding.headline = "\(finding.headline); fixed at \(packet: packet)"
    }
    return finding
  }
}

extension PairingAddress {
  var isResolvable: Bool { AddressKind(address, isRandom ? .random : .public) == .randomResolvable }
}

extension [UInt8] {
  /// Returns whether a key, least significant byte first, is another one or what is left of it when
  /// it is shortened to the negotiated size (Core, Vol 3, Part H, 2.3.4).
  fileprivate func isSame(shortened whole: [UInt8]) -> Bool {
    let size = (lastIndex { $0 != 0 } ?? -1) + 1
    return count == whole.count && size >= 7 && prefix(size) == whole.prefix(size)
  }
}
