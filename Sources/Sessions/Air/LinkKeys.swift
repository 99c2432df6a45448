import Bluetooth
import Bytes
import Cryptography

/// A key that may have encrypted a connection.
struct CandidateKey: Sendable {
  var key: PairingValue
  var source: EncryptionPeriod.KeySource
  /// Whether it is a session key instead of an LTK or STK.
  var isSessionKey = false
}

/// The keys for decrypting connections: given ones, and those that pairings in the capture
/// distributed.
struct LinkKeys: Sendable {
  /// The keys given for decrypting, of all devices.
  private var shortTerm: [PairingValue] = []
  private(set) var temporary: [PairingValue] = []
  private(set) var privateKeys: [P256Coordinate] = []
  private var session: [PairingValue] = []
  /// The number of keys and passkeys given.
  private(set) var count = 0
  /// Of more keys, the others are not tried.
  private static let most = 256

  init(_ bonds: [Bond]) {
    for bond in bonds {
      shortTerm += bond.sniffer.shortTerm.compactMap { PairingValue($0.bytes) }
      temporary += bond.sniffer.temporary.compactMap { PairingValue($0.bytes) }
      temporary += bond.sniffer.passkeys.compactMap { SixDigits($0).map { PairingValue($0) } }
      privateKeys += bond.sniffer.privateKeys.compactMap { P256Coordinate($0.bytes) }
      session += bond.sniffer.session.compactMap { PairingValue($0.bytes) }
      count += bond.longTermKeys.count
    }
    count += shortTerm.count + temporary.count + privateKeys.count + session.count
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
    for key in temporary {
      for value in [key, key.reversed] {
        if let key = pairing.shortTermKey(value) {
          found.append(CandidateKey(key: key, source: .supplied))
        }
      }
    }
    // The key that EDIV and Rand identify comes first.
    for isIdentified in [true, false] {
      for key in known.keys where key.kind == .longTerm || key.kind == .shortTerm {
        guard (key.ediv == ediv && key.rand == rand) == isIdentified,
          let value = PairingValue(key.bytes.bytes)
        else { continue }
        let source: EncryptionPeriod.KeySource =
          if case .file = key.source { .supplied } else { .distributed }
        found.append(CandidateKey(key: value, source: source))
        if source == .supplied { found.append(CandidateKey(key: value.reversed, source: source)) }
      }
    }
    for key in shortTerm {
      found.append(CandidateKey(key: key, source: .supplied))
      found.append(CandidateKey(key: key.reversed, source: .supplied))
    }
    for key in session {
      found.append(CandidateKey(key: key, source: .supplied, isSessionKey: true))
      found.append(CandidateKey(key: key.reversed, source: .supplied, isSessionKey: true))
    }
    return Array(found.prefix(2 * Self.most))
  }
}
