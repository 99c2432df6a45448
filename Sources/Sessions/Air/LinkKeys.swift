import Bluetooth
import Bytes
import Cryptography

/// A key that may have encrypted a connection.
struct CandidateKey: Sendable {
  var key: PairingValue
  var source: EncryptionPeriod.KeySource
  /// Whether it is a session key instead of an LTK or STK.
  var isSessionKey = false
  /// Whether its bytes are in the reverse of the order in which it was given.
  var isReversed = false
}

/// The keys for decrypting connections: given ones, and those that pairings in the capture
/// distributed.
struct LinkKeys: Sendable {
  // Keys are often written in the other byte order than the file says: both are tried, and the MIC
  // decides.
  /// The temporary keys given, in both byte orders, and the passkeys.
  private(set) var temporary: [PairingValue] = []
  /// The private keys given, in both byte orders.
  private(set) var privateKeys: [P256Coordinate] = []
  /// The short-term keys and session keys given, in both byte orders.
  private var others: [CandidateKey] = []
  /// The number of keys and passkeys given.
  private(set) var count = 0
  /// Of more keys, the others are not tried.
  private static let most = 256

  init(_ bonds: [Bond]) {
    for bond in bonds {
      let given = bond.sniffer
      for key in given.shortTerm { add(key, isSessionKey: false) }
      for key in given.session { add(key, isSessionKey: true) }
      for value in given.temporary.compactMap({ PairingValue($0.bytes) }) {
        temporary += [value, value.reversed]
      }
      temporary += given.passkeys.compactMap { SixDigits($0).map { PairingValue($0) } }
      for key in given.privateKeys {
        privateKeys += [key, key.reversed()].compactMap { P256Coordinate($0.bytes) }
      }
      count += given.shortTerm.count + given.session.count + given.temporary.count
      count += given.passkeys.count + given.privateKeys.count + bond.longTermKeys.count
      if bond.linkKey != nil { count += 1 }
    }
  }

  private mutating func add(_ key: [UInt8], isSessionKey: Bool) {
    guard let value = PairingValue(key.bytes) else { return }
    for isReversed in [false, true] {
      others.append(
        CandidateKey(
          key: isReversed ? value.reversed : value, source: .supplied, isSessionKey: isSessionKey,
          isReversed: isReversed))
    }
  }

  /// Returns the keys to try for an encryption start, the likeliest first. Nothing is searched.
  func candidates(
    _ pairing: AirPairing, _ central: AirParty?, _ peripheral: AirParty?, ediv: UInt16,
    rand: UInt64, _ known: KnownKeys
  ) -> [CandidateKey] {
    var found: [CandidateKey] = []
    if let key = pairing.shortTermKey(.zero) {
      found.append(CandidateKey(key: key, source: .pairing))
    }
    if let secret = pairing.longTermKey(privateKeys: privateKeys, central, peripheral) {
      found.append(CandidateKey(key: secret.key, source: secret.isDebug ? .debugKey : .supplied))
    }
    if let passkey = pairing.found, let key = pairing.shortTermKey(passkey) {
      found.append(CandidateKey(key: key, source: .search))
    }
    for value in temporary {
      if let key = pairing.shortTermKey(value) {
        found.append(CandidateKey(key: key, source: .supplied))
      }
    }
    let parties = [central?.address, peripheral?.address].compactMap(\.self)
    // The key that EDIV and Rand identify comes first, then those of the two devices.
    for rank in 0..<3 {
      for key in known.keys + known.encrypting {
        let isIdentified = key.ediv == ediv && key.rand == rand
        let isTheirs = key.address.map(parties.contains) ?? false
        guard rank == (isIdentified ? 0 : isTheirs ? 1 : 2) else { continue }
        found += Self.candidates(key)
      }
      if rank == 0 { found += others }
    }
    // The same key may be known from several places.
    var seen: Set<PairingValue> = []
    let distinct = found.filter { $0.isSessionKey || seen.insert($0.key).inserted }
    return Array(distinct.prefix(2 * Self.most))
  }

  /// Returns the values that a key may have on the air.
  private static func candidates(_ key: KnownKeys.Key) -> [CandidateKey] {
    guard let value = PairingValue(key.bytes.bytes) else { return [] }
    let source: EncryptionPeriod.KeySource = key.source == .pairing ? .distributed : .supplied
    var found: [CandidateKey] = []
    func add(_ value: PairingValue, isReversed: Bool) {
      guard !found.contains(where: { $0.key == value }) else { return }
      found.append(CandidateKey(key: value, source: source, isReversed: isReversed))
    }
    let orders = key.source.isGiven ? [false, true] : [false]
    switch key.kind {
    case .longTerm, .shortTerm:
      for isReversed in orders { add(isReversed ? value.reversed : value, isReversed: isReversed) }
      guard let size = key.size.map({ Int($0) }), 1..<PairingValue.size ~= size else { break }
      // Both a whole key and one of that size may have been written.
      for isReversed in orders {
        add((isReversed ? value.reversed : value).shortened(to: size), isReversed: isReversed)
      }
      let written = key.bytes.prefix(size)
      if orders.count > 1, let value = PairingValue(key: Array(written.reversed()).bytes) {
        add(value, isReversed: true)
      }
    case .link:
      // Pairing over BR/EDR creates the LTK, too, if both sides support it.
      for isReversed in orders {
        for usesH7 in [true, false] {
          add(
            PairingValue.longTermKey(
              ofLinkKey: isReversed ? value.reversed : value, usesH7: usesH7),
            isReversed: isReversed)
        }
      }
    case .identityResolving, .signature, .diffieHellman, .unknown: break
    }
    return found
  }
}
