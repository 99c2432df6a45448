import Bluetooth
import Histories
import Dissectors
import Meanings
import Sessions

extension Difference {
  /// Returns how two connections are protected, and the properties of their links. Everything is
  /// expressed by the roles of the devices, so that the captures of both ends give the same facts.
  static func facts(_ one: SessionConnection, _ other: SessionConnection) -> [Fact] {
    let (left, right) = (one.history, other.history)
    let fact = {
      (
        section: Fact.Section, name: StaticString,
        value: (ConnectionHistory) -> (words: Wording, packet: Int?)
      ) -> Fact in
      let (one, other) = (value(left), value(right))
      return Fact(
        section: section, name: name, left: one.words, right: other.words,
        packets: (one.packet, other.packet), connections: (left.id, right.id))
    }
    var mtu = fact(.link, "MTU") { $0.mtuFact }
    mtu.isCompatible =
      !left.lacksData && !right.lacksData
      && left.connection.attMTU.mayEqual(right.connection.attMTU)
    var keys = fact(.security, "keys") { $0.keysFact }
    // Each device sends its keys and its MTU itself.
    if !one.parts.isSuperset(of: .bothDirections) {
      (keys.left, mtu.left) = (Fact.unknown, Fact.unknown)
    }
    if !other.parts.isSuperset(of: .bothDirections) {
      (keys.right, mtu.right) = (Fact.unknown, Fact.unknown)
    }
    return [
      fact(.security, "method") { $0.methodFact },
      fact(.security, "pairing") { $0.resultFact },
      fact(.security, "encrypted") { $0.encryptionFact },
      fact(.security, "key size") { $0.keySizeFact },
      fact(.security, "bonding") { $0.bondingFact },
      keys,
      mtu,
      fact(.link, "interval") { history in
        (
          history.parameter(history.connection.interval) { "\(interval: $0)" },
          history.parametersPacket
        )
      },
      fact(.link, "latency") { history in
        (history.parameter(history.connection.latency) { "\($0)" }, history.parametersPacket)
      },
      fact(.link, "supervision timeout") { history in
        (
          history.parameter(history.connection.supervisionTimeout) { "\(Int($0) * 10) ms" },
          history.parametersPacket
        )
      },
      fact(.link, "parameter request") { $0.requestFact },
      fact(.link, "PHY") { $0.phyFact },
      fact(.link, "data length") { $0.lengthFact },
    ]
  }
}

extension Difference {
  /// Returns the roles of the captured hosts.
  static func roles(_ left: ConnectionHistory, _ right: ConnectionHistory) -> Fact {
    Fact(
      section: .link, name: "this host", left: left.roleWords, right: right.roleWords,
      packets: (left.link.opened?.packet, right.link.opened?.packet),
      connections: (left.id, right.id))
  }
}

extension ConnectionHistory {
  fileprivate var roleWords: Wording {
    switch connection.role(of: .local) {
    case .central: "central"
    case .peripheral: "peripheral"
    case nil: Self.unknown
    }
  }
}

extension ConnectionHistory {
  fileprivate typealias Fact = (words: Wording, packet: Int?)

  private static let unknown = Difference.Fact.unknown
  /// The value of a fact that only a pairing shows, if there was no pairing.
  private static let noPairing: Wording = "no pairing here"

  /// The pairing that counts: the last one.
  private var attempt: PairingAttempt? { pairing.attempts.last }

  /// Returns a fact about a pairing if there was none in the capture.
  private func withoutPairing(_ words: Wording) -> Fact {
    mayHavePairedUnseen || connection.isOpeningMissing
      ? (Self.unknown, pairing.cut?.first.packet) : (words, nil)
  }

  // MARK: Security

  fileprivate var methodFact: Fact {
    guard let attempt else { return withoutPairing("none") }
    guard let method = attempt.method else { return (Self.unknown, attempt.first.packet) }
    let kind: StaticString = method.isSecureConnections ? "Secure Connections" : "legacy"
    let way: StaticString =
      switch method.association {
      case .justWorks: "Just Works"
      case .numericComparison: "numeric comparison"
      case .outOfBand: "out of band"
      case .passkeyTypedTwice: "passkey entry, typed on both sides"
      case .initiatorShowsPasskey: "passkey entry, shown by the initiator"
      case .responderShowsPasskey: "passkey entry, shown by the responder"
      }
    let packet = attempt.responding.features?.moment.packet ?? attempt.first.packet
    return ("\(kind), \(way)", packet)
  }

  fileprivate var resultFact: Fact {
    guard let attempt else {
      // If a link was encrypted with an earlier key, or should have been, the devices were paired
      // before.
      let hasKey = connection.isEncrypted == true || !encryption.attempts.isEmpty
      return hasKey && !mayHavePairedUnseen ? ("paired before", nil) : withoutPairing("none")
    }
    if attempt.isPaired { return ("paired", attempt.encrypted?.packet ?? attempt.last.packet) }
    switch attempt.ending {
    case .failed(let reason, let side):
      // Where the request is missing, the initiator is not known.
      let who: Wording =
        connection.central == nil ? "" : " by the \(attempt.role(of: side).words)"
      return ("failed\(who): \(reason)", attempt.end?.packet)
    case .notEncrypted(let status): return ("failed: \(status)", attempt.end?.packet)
    case .abandoned: return ("not completed: the connection ended", attempt.end?.packet)
    case .superseded: return ("not completed: another one began", attempt.end?.packet)
    case nil: return ("not completed", attempt.last.packet)
    }
  }

  fileprivate var encryptionFact: Fact {
    if let encrypted = security.encrypted { return ("yes", encrypted.packet) }
    if let failed = encryption.attempts.last(where: { $0.failure != nil }),
      let status = failed.failure
    {
      return ("failed: \(status)", failed.end?.packet)
    }
    // The central's controller reports this.
    if let missing = encryption.attempts.last, missing.isKeyMissingHere {
      return ("failed: \(StatusCode.pinOrKeyMissing)", missing.reply?.packet)
    }
    switch connection.isEncrypted {
    case true: return ("yes", nil)
    case false: return ("no", nil)
    case nil: return (Self.unknown, nil)
    }
  }

  fileprivate var keySizeFact: Fact {
    let last = encryption.attempts.last { $0.outcome == .encrypted && $0.keySize != nil }
    guard let last, let size = last.keySize else {
      return (connection.isEncrypted == false ? "none" : "", nil)
    }
    return ("\(count: Int(size), "byte", "bytes")", last.end?.packet)
  }

  fileprivate var bondingFact: Fact {
    guard let attempt else { return withoutPairing(Self.noPairing) }
    guard let request = attempt.initiating.features, let response = attempt.responding.features
    else { return ("", nil) }
    let bonds = request.pdu.authReq.bonds && response.pdu.authReq.bonds
    return (bonds ? "yes" : "no", response.moment.packet)
  }

  fileprivate var keysFact: Fact {
    guard let attempt else { return withoutPairing(Self.noPairing) }
    var pieces: [Wording] = []
    let bits = attempt.initiating.keyBits & 7
    let isAlike = bits == attempt.responding.keyBits & 7
    for (party, who) in [(attempt.initiating, "initiator"), (attempt.responding, "responder")]
      as [(PairingAttempt.Party, StaticString)]
    {
      let names = ["LTK", "IRK", "CSRK"] as [Wording]
      let given = names.indices.filter { party.keyBits & 1 << UInt8($0) != 0 }.map { names[$0] }
      if given.isEmpty { continue }
      if isAlike {
        pieces = ["\(Wording(given, joinedBy: " ")) both ways"]
      } else {
        pieces.append("\(Wording(given, joinedBy: " ")) by the \(who)")
      }
    }
    let packet = attempt.responding.keys ?? attempt.initiating.keys
    return (pieces.isEmpty ? "none" : Wording(pieces, joinedBy: ", "), packet?.first.packet)
  }

  // MARK: The link

  fileprivate var mtuFact: Fact {
    if lacksData { return (Self.unknown, nil) }
    let mtu = connection.attMTU
    return (mtu.isLowerBound ? "\(mtu.value) or more" : "\(mtu.value)", nil)
  }

  fileprivate func parameter(_ value: UInt16?, _ words: (UInt16) -> Wording) -> Wording {
    value.map(words) ?? Self.unknown
  }

  /// The packet from which the parameters in force come.
  fileprivate var parametersPacket: Int? {
    link.updates.last { $0.result != nil }?.lastPacket ?? link.opened?.packet
  }

  /// The last parameters that the peripheral asked the central for, and the answer.
  fileprivate var requestFact: Fact {
    if lacksData { return (Self.unknown, nil) }
    let central = connection.central
    let isAsked = { (update: ParameterUpdate) in
      switch update.procedure {
      case .signalling: true
      case .linkLayer: central == .local
      case .command: central == .peer
      case .unasked: false
      }
    }
    guard let update = link.updates.last(where: isAsked) else {
      return (connection.isOpeningMissing ? Self.unknown : "none seen", nil)
    }
    let answer: Wording =
      switch update.isGranted {
      case true: "granted"
      case false: "refused"
      case nil: "not answered"
      }
    let wanted = update.wanted?.words ?? Self.unknown
    return ("\(wanted), \(answer)", update.answered?.packet ?? update.asked.packet)
  }

  /// Returns the words for two values of the two directions, the central's first.
  private func bothWays<Value: Equatable>(
    _ sent: Value, _ received: Value, _ words: (Value) -> Wording
  ) -> Wording {
    if sent == received { return "\(words(sent)) both ways" }
    let (central, peripheral) = connection.central != .peer ? (sent, received) : (received, sent)
    return "\(words(central)) by the central, \(words(peripheral)) by the peripheral"
  }

  fileprivate var phyFact: Fact {
    guard let change = link.phys.last else { return ("", nil) }
    return (bothWays(change.sent, change.received) { "\(phy: $0)" }, change.moment.packet)
  }

  fileprivate var lengthFact: Fact {
    guard let change = link.lengths.last else { return ("", nil) }
    return (
      bothWays(change.sent.octets, change.received.octets) { "\(count: Int($0), "byte", "bytes")" },
      change.moment.packet
    )
  }
}
