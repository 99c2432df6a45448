import Bluetooth
import Cryptography
import Dissectors
import Sessions

extension PairingAttempt {
  /// Evaluates the exchanged values, and discards those of the rounds.
  mutating func settle() {
    guard !isSettled else { return }
    isSettled = true
    defer { rounds = [] }
    guard let first = initiating.publicKey?.key, let second = responding.publicKey?.key else {
      return
    }
    for (role, key) in [(PairingSide.initiator, first), (.responder, second)] {
      if key.x == P256PublicKey.debug.x { outcome.debugKeys.append(role) }
      if !key.isOnCurve { outcome.invalidKeys.append(role) }
    }
    outcome.isReflected = first.x == second.x && outcome.debugKeys.isEmpty
    // Values computed from invalid keys show nothing.
    guard outcome.invalidKeys.isEmpty, let method else { return }
    if method.hasPasskey {
      settleRounds(first.x, second.x)
    } else if method.association != .outOfBand {
      outcome.commitment = .single(
        second.x, first.x, confirm: responding.firstConfirm, random: responding.firstRandom)
      if let initiatorRandom = initiating.firstRandom, let responderRandom = responding.firstRandom
      {
        outcome.digits = SecureConnections.g2(
          initiatorKey: first.x, responderKey: second.x, initiatorRandom: initiatorRandom,
          responderRandom: responderRandom)
      }
    }
    settleChecks(first, second, method.hasPasskey)
  }

  private mutating func settleRounds(_ first: P256Coordinate, _ second: P256Coordinate) {
    guard !rounds.isEmpty else { return }
    var refusing: PairingSide?
    if let failure, failure.reason == .confirmValueFailed { refusing = role(of: failure.side) }
    let found = SecureConnectionsRounds(
      initiatorKey: first, responderKey: second, rounds, refusedBy: refusing,
      hasSucceeded: isPaired)
    outcome.agreed = found.agreed
    outcome.parting = found.parting
    outcome.lastRound = found.rounds.last
  }

  /// Evaluates a pairing in which one side used the debug key pair: the long-term key, and how each
  /// check value was computed (Core, Vol 3, Part H, 2.3.5.6.5).
  private mutating func settleChecks(
    _ first: P256PublicKey, _ second: P256PublicKey, _ hasPasskey: Bool
  ) {
    guard !outcome.debugKeys.isEmpty, let secret = P256PublicKey.debugDHKey(first, second),
      let own = address(of: .initiator), let other = address(of: .responder),
      let initiatorRandom = initiating.lastRandom, let responderRandom = responding.lastRandom,
      let request = initiating.features, let response = responding.features,
      let requested = request.command, let responded = response.command
    else { return }
    let exchange = DHKeyExchange(
      dhKey: secret, initiatorRandom: initiatorRandom, responderRandom: responderRandom,
      initiator: own, responder: other)
    let size = min(request.pdu.maximumEncryptionKeySize, response.pdu.maximumEncryptionKeySize)
    outcome.longTermKey = exchange.keys.longTermKey.shortened(to: Int(size))
    // r is the passkey; out-of-band data is unknown.
    guard method?.association != .outOfBand else { return }
    guard let r = hasPasskey ? outcome.agreed.passkey.map({ PairingValue($0) }) : PairingValue.zero
    else { return }
    for (role, check, command, other) in [
      (PairingSide.initiator, initiating.checkValue, requested, responded),
      (.responder, responding.checkValue, responded, requested),
    ] {
      guard let check else { continue }
      outcome.checks.updateValue(
        exchange.deviations(of: check, from: role, r: r, command: command, other: other),
        forKey: role)
    }
  }
}
