package import Histories
package import Bluetooth
package import Meanings
import Sessions

// Words for requests and refusals, for rules and for the story.

extension Refusal {
  /// The operation: `write to 2a39 Heart Rate Control Point`.
  package var action: Wording {
    switch opcode {
    case .readRequest: "read of \(target)"
    case .readBlobRequest: "read of \(target) from offset \(offset ?? 0)"
    case .writeRequest: "write to \(target)"
    case .prepareWriteRequest: "prepared write to \(target) at offset \(offset ?? 0)"
    case .executeWriteRequest:
      if let prepared, prepared.attributes.handles.count == 1, !prepared.attributes.hasMore {
        "long write of \(count: length, "byte", "bytes") to \(target) in \(count: prepared.parts, "part", "parts")"
      } else {
        "execution of the prepared writes"
      }
    case .exchangeMTURequest: "MTU exchange"
    case .findInformationRequest, .readByTypeRequest, .readByGroupTypeRequest,
      .findByTypeValueRequest:
      "search for \(type.map { "\($0)" } ?? "descriptors" as Wording)\(rangeWords)"
    default: "\(opcode)"
    }
  }

  /// The attribute, and the characteristic of a descriptor: `2902 CCCD (0x0011) of 2a37`.
  private var target: Wording { owner.map { "\(attribute) of \(short: $0)" } ?? "\(attribute)" }

  private var rangeWords: Wording {
    range.map { " in \(handle: $0.first) to \(handle: $0.last)" } ?? ""
  }

  /// The reason for the refusal, with the profile's name if it has one.
  package var reason: Wording {
    guard let errorName else { return "\(error)" }
    var code = NamedCode(UInt64(error.rawValue), error.name)
    code.ownName = errorName
    let words: Wording =
      "\(Wording(stringLiteral: String(decoding: errorName, as: UTF8.self))) (\(code: error.rawValue, digits: 2))"
    return words.naming(code)
  }

  /// The side that refused, at the beginning of a sentence.
  var refuser: Wording { "\(server.capitalized)" }

  /// The packets of the request and the response: `#159, #161`.
  package var packets: Wording { "\(packet: request.packet), \(packet: answer.packet)" }

  var protection: Wording {
    switch security {
    case .unknown: "the capture does not show whether the link was encrypted then"
    case .unencrypted: "the link was not encrypted"
    case .unauthenticated: "the link was encrypted with an unauthenticated Just Works key"
    case .authenticated: "the link was encrypted with an authenticated key"
    case .encrypted: "the link was encrypted with the key of an earlier pairing"
    case .ofUnknownMethod:
      "the link was encrypted with the key of a pairing whose method is not in the capture"
    }
  }

  /// How long after the refusal the same request was allowed.
  var delay: Wording { lateness.map { "\($0) later" } ?? "later" }

  /// The duration alone, or nil if it is unknown.
  var lateness: Wording? { accepted?.answer.nanoseconds(since: last).map { "\(duration: $0)" } }

  func finding(_ why: Wording) -> Finding {
    var finding = Finding(
      "\(action.capitalized) refused\(Wording.times(count)): \(reason)",
      headline:
        "\(server.words) refused \(client.possessive) \(action) (\(packet: answer.packet)): \(reason)",
      why: why, evidence: evidence)
    if handle != 0 { finding.attribute = attribute }
    if let accepted {
      finding.resolve()
      finding.note =
        "The same request was allowed \(delay) (\(packet: accepted.request.packet), \(packet: accepted.answer.packet))."
    }
    return finding
  }

  /// Whether the client read or wrote the handle 0x0000.
  var isOfNoHandle: Bool { handle == 0 && (opcode == .readRequest || opcode == .writeRequest) }

  /// Whether it refuses a write that only switches something off.
  fileprivate var isSwitchingOff: Bool {
    opcode == .writeRequest && attribute.uuid == .clientConfiguration && length == 2
      && head == [0, 0]
  }
}

extension ConnectionHistory {
  /// Returns a later connection on which the refused attribute could be used, and that packet.
  fileprivate func allowed(_ refusal: Refusal, _ evidence: Evidence) -> (id: Int, packet: Int)? {
    guard refusal.handle != 0, refusal.accepted == nil else { return nil }
    for later in evidence.later(than: self) {
      let configured = later.attributes.configurations.first {
        $0.descriptor.handle == refusal.handle && $0.server == refusal.server
      }?.accepted
      let usage = later.attributes.usage(refusal.handle, of: refusal.server)
      let used = refusal.opcode.isWrite ? usage?.writes.first : usage?.reads.first
      guard let moment = refusal.opcode.isWrite ? configured ?? used : used else { continue }
      return (later.id, moment.packet)
    }
    return nil
  }

  /// Replaces the cause of a refusal if the same request was allowed later although nothing about
  /// the protection of the link had changed: what its error code names was not the reason.
  func explainByState(_ refusal: Refusal, _ finding: inout Finding) {
    guard let accepted = refusal.accepted, isRepeatOnly(refusal) else { return }
    let between = attributes.usages.compactMap { usage -> (name: NamedAttribute, packet: Int)? in
      guard usage.server == refusal.server, usage.identity.handle != refusal.handle,
        let write = usage.writes.first ?? usage.commands.first,
        refusal.last.packet < write.packet, write.packet < accepted.request.packet
      else { return nil }
      return (usage.named, write.packet)
    }.max { $0.packet < $1.packet }
    let step: Wording =
      between.map {
        "; in between, \(refusal.client.words) wrote to \($0.name) (\(packet: $0.packet))"
      } ?? ""
    let isSame = refusal.acceptsSameValue
    finding.grounds = .fact
    finding.why =
      "It did not depend on what the error code names: \(refusal.server.words) allowed \(isSame ? "the same request" : "a write of another value" as StaticString) \(refusal.delay) (\(packet: accepted.request.packet), \(packet: accepted.answer.packet)), and the protection of the link was the same\(step)."
    finding.remedy =
      "Find out what the server waits for before it allows this: a login or a mode of its own, or time.\(refusal.error.isAboutSecurity ? " Pairing again or another key changes nothing." : "" as StaticString)"
    finding.note = nil
    finding.evidence.insert(between?.packet)
  }

  /// Returns whether a refused request was allowed later although the protection was the same.
  func isRepeatOnly(_ refusal: Refusal) -> Bool {
    guard let accepted = refusal.accepted, refusal.acceptedSecurity == refusal.security,
      refusal.security != .unknown, !connection.hasLostPackets
    else { return false }
    let between = refusal.last.packet..<max(refusal.last.packet, accepted.answer.packet)
    return !security.pairingRequests.contains { between.contains($0.packet) }
      && !encryption.attempts.contains { between.contains($0.moment.packet) }
  }

  /// A side that disconnects within this time after a refusal does so because of it.
  private static let soon: Int64 = 10_000_000_000

  /// Returns who ended the link because of a refusal, and in which packet: no value was exchanged
  /// on the whole connection, and one of the two hosts disconnected soon. Returns nil if the
  /// session continued, or had been useful before.
  func end(over last: Moment) -> (words: StaticString, packet: Int)? {
    guard !attributes.hasExchangedValues, let ended = link.ended, ended.packet > last.packet,
      attributes.lastUse.map({ $0.packet < last.packet }) ?? true,
      let passed = ended.nanoseconds(since: last), passed <= Self.soon
    else { return nil }
    return switch connection.ending {
    case .localHost: ("this host", ended.packet)
    case .peer: ("the peer", ended.packet)
    default: nil
    }
  }
}

extension CharacteristicProperties {
  /// The offered operations: `read and notify`, or `nothing`.
  package var words: Wording {
    let all = (0..<8).filter { has(bit: $0) }.map { Wording("\(Self.word(bit: $0))") }
    return all.isEmpty ? "nothing" : Wording(listing: all)
  }
}

struct RefusedRequest: Sendable {
  let refusal: Refusal
  let connection: ConnectionHistory
}

extension Alternative where Subject == RefusedRequest {
  /// The client did not discover the attribute on this connection.
  static var moved: Self {
    Self("the handle is from an earlier connection, and the attributes have changed since") {
      it, _ in
      it.refusal.accepted != nil || !it.refusal.isOfUnseenMap(it.connection)
    }
  }
}

/// What a rule concludes about something that was refused.
struct Reason: ExpressibleByStringInterpolation {
  let why: Wording
  /// How to fix it, if the rule's own remedy is not suitable.
  var instead: Wording?
  /// The side that has to change, if the specification leaves no doubt about that.
  var fault: Side?
  /// Whether the cause is something that did not happen before on the connection.
  var restsOnAbsence = false

  init(
    _ why: Wording, instead: Wording? = nil, fault: Side? = nil, restsOnAbsence: Bool = false
  ) {
    (self.why, self.instead, self.fault) = (why, instead, fault)
    self.restsOnAbsence = restsOnAbsence
  }

  init(stringLiteral value: String) { why = Wording(stringLiteral: value) }

  init(stringInterpolation: Wording.StringInterpolation) {
    why = Wording(stringInterpolation: stringInterpolation)
  }
}

extension Symptom {
  /// Returns a rule about requests that are refused with certain errors.
  ///
  /// - Parameters:
  ///   - isSettled: false if the same request may be allowed later, for example after pairing.
  ///   - reason: returns nil if the rule does not apply.
  func refused(
    with codes: ClosedRange<UInt8>..., isSettled: Bool = true,
    elsewise: [Alternative<RefusedRequest>] = [],
    _ reason: @escaping @Sendable (Refusal, ConnectionHistory) -> Reason?
  ) -> Rule {
    with(isSettled ? .settled : []).needing(.bothDirections)
      .leaningOn(grounds == .fact ? [] : [.opening, .events])
      .onConnection(about: RefusedRequest.self, merges: true, elsewise: elsewise) {
        connection, evidence in
        connection.attributes.refusals.compactMap { refusal in
          guard codes.contains(where: { $0 ~= refusal.error.rawValue }),
            !refusal.isOfStaleMap(connection, evidence), !connection.explainsValue(of: refusal),
            let reason = reason(refusal, connection)
          else { return nil }
          let refused = RefusedRequest(refusal: refusal, connection: connection)
          return (refused, refused.finding(reason, severity, evidence))
        }
      }
  }
}

extension RefusedRequest {
  /// Returns the finding of a rule whose severity is `severity`.
  fileprivate func finding(
    _ reason: Reason, _ severity: Severity, _ evidence: Evidence
  ) -> Finding {
    var finding = refusal.finding(reason.why)
    (finding.remedy, finding.fault) = (reason.instead, reason.fault)
    finding.restsOnAbsence = reason.restsOnAbsence
    if refusal.error.isAboutAttribute || refusal.error.rawValue == 0x0d,
      !connection.hidesNotifications(refusal)
    {
      connection.explainByState(refusal, &finding)
    }
    if refusal.isOfNoHandle || refusal.isMistakenForCCCD { finding.severity = .note }
    if refusal.isSwitchingOff { excuseSwitchingOff(&finding) }
    mentionLaterUse(&finding, evidence)
    // A refusal that ends the session is not minor, whatever its code.
    if severity == .warning, finding.severity == nil { blameForEnd(&finding) }
    return finding
  }

  private func excuseSwitchingOff(_ finding: inout Finding) {
    finding.severity = finding.severity ?? .warning
    finding.remedy =
      "Nothing to do if it was off already: a client that switches off what was never on has to expect this error."
    finding.add("The write was to switch notifications and indications off.")
  }

  private func mentionLaterUse(_ finding: inout Finding, _ evidence: Evidence) {
    guard let (later, packet) = connection.allowed(refusal, evidence) else { return }
    finding.note = Wording(
      sentences: finding.note ?? "",
      "The attribute could be \(refusal.opcode.isWrite ? "written" : "read" as StaticString) on connection \(later) (\(packet: packet))."
    )
  }

  /// Makes it an error if one of the hosts disconnected because of the refusal.
  private func blameForEnd(_ finding: inout Finding) {
    guard let end = connection.end(over: refusal.last) else { return }
    finding.severity = .error
    finding.headline = "\(finding.headline), and \(end.words) disconnected (\(packet: end.packet))"
    finding.add(
      "Nothing succeeded after it, and \(end.words) disconnected (\(packet: end.packet)).",
      end.packet)
  }
}

extension Finding {
  /// Up to this many findings of one rule on a connection are reported separately.
  private static let mostApart = 3

  /// Merges many findings of one rule after they were weighed: none becomes more certain.
  static func merged(_ findings: [Finding]) -> [Finding] {
    guard findings.count > mostApart else { return findings }
    return [false, true].flatMap { isResolved in
      let all = findings.filter { $0.isResolved == isResolved }
      guard all.count > mostApart, var one = all.first else { return all }
      one.what = "\(one.what), and \(all.count - 1) more like it"
      one.evidence = all.prefix(16).packets(\.evidence)
      one.severity = all.contains { $0.severity == .error } ? .error : isResolved ? .note : nil
      if !isResolved { one.note = nil }
      one.add(alternatives: all.flatMap(\.alternatives))
      return [one]
    }
  }
}
