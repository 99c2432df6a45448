import Bytes
import Cryptography

/// Keys and other secrets, and the bytes that replace them.
///
/// Equal secrets have equal pseudonyms everywhere, and trailing zeros stay, since they are beyond
/// the key's size. A value that depends on others (a confirm value on a random value, for instance)
/// is not made up but computed from their pseudonyms, and recorded here (`derive`).
struct KeyBook: Sendable {
  private let source: PseudonymSource
  private var derived: [[UInt8]: [UInt8]] = [:]
  private(set) var known: Set<[UInt8]> = []
  /// Public keys whose pseudonyms are cached, since computing one takes a multiplication on the
  /// curve.
  private var pairs: [P256Coordinate: P256KeyPair] = [:]

  /// The number of bytes of the known secrets.
  private var byteCount = 0
  private let limits: BookLimits
  /// Sightings of secrets that had no room: they have pseudonyms, too, but are not looked for
  /// elsewhere.
  private(set) var unlisted = 0
  /// The least length of a secret that is looked for; a shorter one is found everywhere by chance.
  static let leastSearched = 8

  init(_ source: PseudonymSource, _ limits: BookLimits = BookLimits()) {
    (self.source, self.limits) = (source, limits)
  }

  /// The secrets that are looked for.
  var searched: [[UInt8]] {
    known.filter { $0.count >= Self.leastSearched && Set($0).count >= 4 }.sorted {
      $0.lexicographicallyPrecedes($1)
    }
  }

  /// Records a secret.
  mutating func learn(_ secret: [UInt8]) {
    guard !secret.isBlank, !known.contains(secret) else { return }
    if known.count < limits.secrets, byteCount + secret.count <= limits.bytes {
      byteCount += secret.count
      known.insert(secret)
    } else if secret.count >= Self.leastSearched {
      unlisted += 1
    }
  }

  /// Records the replacement of a value that depends on others.
  mutating func derive(_ value: PairingValue?, _ pseudonym: PairingValue?) {
    guard let value, let pseudonym else { return }
    derive(value.littleEndian, pseudonym.littleEndian)
  }

  /// Records the replacement of any bytes that depend on others.
  mutating func derive(_ value: [UInt8], _ pseudonym: [UInt8]) {
    guard !value.isBlank, derived.count < limits.secrets else { return }
    learn(value)
    derived[value] = pseudonym
  }

  /// The pseudonym of a secret, of the same length.
  subscript(secret: [UInt8]) -> [UInt8] {
    if secret.isBlank { return secret }
    if let found = derived[secret] { return found }
    let count = (secret.lastIndex { $0 != 0 } ?? -1) + 1
    let kept = [UInt8](repeating: 0, count: secret.count - count)
    return source.bytes(.key, secret, count: count) + kept
  }

  /// The pseudonym of a pairing value.
  subscript(value: PairingValue) -> PairingValue {
    PairingValue(self[value.littleEndian].bytes) ?? .zero
  }

  /// Returns the pseudonym of a PIN in its field: the same number of digits.
  func pin(_ field: [UInt8]) -> [UInt8] {
    let count = (field.lastIndex { $0 != 0 } ?? -1) + 1
    let digits = source.bytes(.pin, field, count: count).map { 0x30 + $0 % 10 }
    return digits + [UInt8](repeating: 0, count: field.count - count)
  }

  /// Returns the pseudonym of an encrypted diversifier; 0, which identifies no key, stays.
  func diversifier(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.isBlank { return bytes }
    let number = source.number(.code, bytes) % 0xfffe + 1
    return [UInt8](littleEndian: number, count: bytes.count)
  }

  // MARK: Public keys

  /// Records a public key and makes its pseudonym.
  mutating func learn(_ key: P256PublicKey) {
    guard !key.littleEndian.isBlank, key.x != P256PublicKey.debug.x else { return }
    learn(key.x.littleEndian)
    learn(key.y.littleEndian)
    guard pairs[key.x] == nil, pairs.count < limits.secrets else { return }
    pairs[key.x] = pair(key.x)
  }

  /// Returns the key pair that replaces a public key, by its X coordinate.
  private func pair(_ x: P256Coordinate) -> P256KeyPair? {
    for attempt: UInt16 in 0..<64 {
      let number = source.bytes(
        .keyPair, x.littleEndian, count: P256Coordinate.size, attempt: attempt)
      if let found = P256Coordinate(number.bytes), let pair = P256KeyPair(privateKey: found) {
        return pair
      }
    }
    return nil
  }

  /// The pseudonym of a public key, which is a point on the curve if the key is one. The debug key,
  /// which is public, stays, and so does an all-zero key.
  subscript(key: P256PublicKey) -> P256PublicKey {
    if key.littleEndian.isBlank || key.x == P256PublicKey.debug.x { return key }
    guard let pair = pairs[key.x] ?? pair(key.x) else { return key }
    var other = pair.publicKey
    // The other point with the same X gets the other point with the pseudonym's X.
    if other.isOdd != key.isOdd { other = other.negative }
    if key.isOnCurve { return other }
    let y = P256Coordinate(high: other.y.high, low: other.y.low ^ 2)
    return P256PublicKey(x: other.x, y: y)
  }

  /// Returns the shared secret of the pseudonyms of two public keys; nil if one of them is not a
  /// point on the curve.
  func dhKey(_ one: P256PublicKey, _ other: P256PublicKey) -> P256Coordinate? {
    if let found = P256PublicKey.debugDHKey(self[one], self[other]) { return found }
    return (pairs[one.x] ?? pair(one.x))?.dhKey(with: self[other])
  }
}
