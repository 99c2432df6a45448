import Bluetooth
import Cryptography
import Histories
import Dissectors
import Sessions

/// A pairing whose values depend on each other. They are computed again from the pseudonyms of
/// their inputs, so that what matched still matches, and what did not match fails in the same way.
struct PseudonymousPairing: Sendable {
  private let exchange: PairingExchange
  private let attempt: PairingAttempt
  /// For legacy pairing: the passkey, or the zero key of Just Works, from which each side's confirm
  /// value was computed, and how.
  private var findings: [PairingSide: PasskeySearch.Finding] = [:]

  private static let roles: [PairingSide] = [.initiator, .responder]

  init(
    _ exchange: PairingExchange, _ attempt: PairingAttempt, _ searches: inout PasskeySearchLimit
  ) {
    self.exchange = exchange
    self.attempt = attempt
    if let method = attempt.method, !method.isSecureConnections,
      method.association != .outOfBand
    {
      for role in Self.roles {
        findings[role] = find(role, hasPasskey: method.hasPasskey, &searches)
      }
    }
  }

  private func party(_ role: PairingSide) -> PairingExchange.Party {
    exchange.party(role, of: attempt)
  }

  /// Returns what yields a side's confirm value; nil if nothing does, or something is missing.
  private func find(
    _ role: PairingSide, hasPasskey: Bool, _ searches: inout PasskeySearchLimit
  ) -> PasskeySearch.Finding? {
    // If the pairing failed because of it, the search was already made.
    if let searched = attempt.outcome.search {
      return role == .initiator ? searched.initiator : searched.responder
    }
    guard let confirm = party(role).confirms.first, let random = party(role).randoms.first,
      let request = attempt.initiating.features?.command,
      let response = attempt.responding.features?.command,
      let search = PasskeySearch(
        request: request, response: response, initiator: attempt.address(of: .initiator),
        responder: attempt.address(of: .responder))
    else { return nil }
    let opening = PasskeySearch.Opening(confirm: confirm, random: random)
    if !hasPasskey { return search.search(opening, in: 0...0) }
    return searches.search(search, opening)
  }

  /// Records the passkeys that the values reveal.
  func learnPasskeys(into passkeys: inout PasskeyBook) {
    if attempt.method?.hasPasskey == true {
      for finding in findings.values { passkeys.learn(finding.passkey.number) }
    }
    if let passkey = attempt.outcome.agreed.passkey { passkeys.learn(passkey.number) }
  }

  /// Computes the pairing's values again from pseudonyms.
  func derive(_ books: inout Books) {
    if attempt.isSecureConnections {
      deriveSecureConnections(&books)
    } else {
      deriveLegacy(&books)
    }
  }

  // MARK: LE legacy pairing

  private func deriveLegacy(_ books: inout Books) {
    let hasPasskey = attempt.method?.hasPasskey == true
    var keys: [PairingValue: PairingValue] = [:]
    for role in Self.roles {
      guard let finding = findings[role], let random = party(role).randoms.first else { continue }
      let passkey = hasPasskey ? books.passkeys[finding.passkey] : finding.passkey
      keys[PairingValue(finding.passkey)] = PairingValue(passkey)
      let addresses = books.addresses
      let inputs = finding.inputs.changingAddresses(finding.deviations) { addresses[$0] }
      let confirm = inputs.c1(
        temporaryKey: PairingValue(passkey), random: books.keys[random], finding.deviations)
      books.keys.derive(party(role).confirms.first, confirm)
    }
    // The short-term key depends on a temporary key that both sides had.
    guard keys.count == 1, let (key, pseudonym) = keys.first,
      let initiator = party(.initiator).randoms.first,
      let responder = party(.responder).randoms.first
    else { return }
    let size = keySize
    books.keys.derive(
      LegacyPairing.s1(
        temporaryKey: key, responderRandom: responder, initiatorRandom: initiator
      ).shortened(to: size),
      LegacyPairing.s1(
        temporaryKey: pseudonym, responderRandom: books.keys[responder],
        initiatorRandom: books.keys[initiator]
      ).shortened(to: size))
  }

  /// The key size that both sides have agreed on, in bytes.
  private var keySize: Int {
    guard let request = attempt.initiating.features, let response = attempt.responding.features
    else { return PairingValue.size }
    return Int(
      min(request.pdu.maximumEncryptionKeySize, response.pdu.maximumEncryptionKeySize))
  }

  // MARK: LE Secure Connections

  private func deriveSecureConnections(_ books: inout Books) {
    guard let first = party(.initiator).publicKey, let second = party(.responder).publicKey else {
      return
    }
    if attempt.method?.hasPasskey == true {
      deriveRounds(first, second, &books)
    } else if attempt.method?.association != .outOfBand {
      deriveCommitment(first, second, &books)
      deriveDigits(first, second, &books)
    }
    deriveSecret(first, second, &books)
  }

  /// Derives the responder's single commitment in Just Works and numeric comparison.
  private func deriveCommitment(
    _ first: P256PublicKey, _ second: P256PublicKey, _ books: inout Books
  ) {
    guard let confirm = party(.responder).confirms.first,
      let random = party(.responder).randoms.first
    else { return }
    let commitment = SecureConnectionsCommitment.single(
      second.x, first.x, confirm: confirm, random: random)
    books.keys.derive(
      confirm,
      commitment.confirm(
        books.keys[second].x, books.keys[first].x, random: books.keys[random], bit: 0, z: 0))
  }

  /// Derives the digits that both sides show.
  private func deriveDigits(
    _ first: P256PublicKey, _ second: P256PublicKey, _ books: inout Books
  ) {
    guard let initiator = party(.initiator).randoms.first,
      let responder = party(.responder).randoms.first
    else { return }
    books.passkeys.derive(
      SecureConnections.g2(
        initiatorKey: first.x, responderKey: second.x, initiatorRandom: initiator,
        responderRandom: responder),
      SecureConnections.g2(
        initiatorKey: books.keys[first].x, responderKey: books.keys[second].x,
        initiatorRandom: books.keys[initiator], responderRandom: books.keys[responder]))
  }

  /// Derives the commitments of passkey entry, round by round.
  private func deriveRounds(
    _ first: P256PublicKey, _ second: P256PublicKey, _ books: inout Books
  ) {
    let parties = [party(.initiator), party(.responder)]
    // The bits so far, of either side; a side that continues has agreed.
    var bits: UInt32 = 0
    for round in 0..<SecureConnectionsRounds.count {
      var found: UInt8?
      for (party, (own, other)) in zip(parties, [(first, second), (second, first)]) {
        guard round < party.confirms.count, round < party.randoms.count else { continue }
        let (confirm, random) = (party.confirms[round], party.randoms[round])
        let commitment = SecureConnectionsCommitment.passkeyBit(
          own.x, other.x, confirm: confirm, random: random)
        guard let bit = commitment.bit else { continue }
        found = found ?? bit
        let pseudonym = books.passkeys.bit(bit, after: bits, round: round)
        books.keys.derive(
          confirm,
          commitment.confirm(
            books.keys[own].x, books.keys[other].x, random: books.keys[random], bit: pseudonym,
            z: 0x80 | pseudonym))
      }
      guard let found else { return }
      bits |= UInt32(found) << UInt32(round)
    }
  }

  /// Derives what depends on the shared secret if that can be computed because one side used the
  /// debug key pair: the long-term key and the check values.
  private func deriveSecret(
    _ first: P256PublicKey, _ second: P256PublicKey, _ books: inout Books
  ) {
    guard let longTermKey = attempt.outcome.longTermKey,
      let secret = P256PublicKey.debugDHKey(books.keys[first], books.keys[second]),
      let initiator = party(.initiator).randoms.last,
      let responder = party(.responder).randoms.last,
      let own = attempt.address(of: .initiator), let other = attempt.address(of: .responder),
      let request = attempt.initiating.features?.command,
      let response = attempt.responding.features?.command
    else { return }
    let exchange = DHKeyExchange(
      dhKey: secret, initiatorRandom: books.keys[initiator],
      responderRandom: books.keys[responder],
      initiator: PairingAddress(books.addresses[own.address], isRandom: own.isRandom),
      responder: PairingAddress(books.addresses[other.address], isRandom: other.isRandom))
    books.keys.derive(longTermKey, exchange.keys.longTermKey.shortened(to: keySize))
    let passkey = attempt.outcome.agreed.passkey.map { PairingValue(books.passkeys[$0]) }
    let r = attempt.method?.hasPasskey == true ? passkey ?? .zero : .zero
    for role in Self.roles {
      // If no computation yields the value, none yields its replacement.
      guard let deviations = attempt.outcome.checks[role] ?? nil else { continue }
      let (own, others) = role == .initiator ? (request, response) : (response, request)
      books.keys.derive(
        party(role).check,
        exchange.check(from: role, r: r, command: own, other: others, deviations))
    }
  }
}

/// Limits the searches for passkeys of pairings that did not fail. Passkeys found before are tried
/// first, and after very many pairings with different ones the later ones are not searched.
struct PasskeySearchLimit {
  private let passkeys: ClosedRange<UInt32>
  private var found: [UInt32] = []
  /// The searches that are left, and the futile ones: a search fails only if the pairing is not a
  /// real one, and each takes a million computations.
  private var left = 16
  private var inVain = 2

  init(_ passkeys: ClosedRange<UInt32>) { self.passkeys = passkeys }

  mutating func search(
    _ search: PasskeySearch, _ opening: PasskeySearch.Opening
  ) -> PasskeySearch.Finding? {
    for passkey in found {
      if let finding = search.asSpecified(opening, in: passkey...passkey) { return finding }
    }
    guard left > 0, inVain > 0 else { return nil }
    left -= 1
    guard let finding = search.asSpecified(opening, in: passkeys) else {
      inVain -= 1
      return nil
    }
    found.append(finding.passkey.number)
    return finding
  }
}

extension SecureConnectionsCommitment {
  /// Returns a confirm value with the same properties; nil if nothing yields the original one.
  ///
  /// - Parameters:
  ///   - own: the X coordinate of the sender's public key.
  ///   - other: the X coordinate of the other one.
  func confirm(
    _ own: P256Coordinate, _ other: P256Coordinate, random: PairingValue, bit: UInt8, z: UInt8
  ) -> PairingValue? {
    switch self {
    case .opens: SecureConnections.f4(own, other, random: random, z: z)
    case .deviates(_, let deviation): deviation.f4(own, other, random: random, bit: bit, z: z)
    case .hidden, .closed: nil
    }
  }
}
