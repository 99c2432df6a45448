import Bytes

/// A key pair on P-256 whose private key is known: of one that was made up, nothing is secret.
package struct P256KeyPair: Sendable {
  /// The public key: a point of the curve.
  package let publicKey: P256PublicKey
  private let privateKey: P256Coordinate

  /// The pair of a private key. Nil where the number is none: zero, or not less than the curve's order.
  package init?(privateKey: P256Coordinate) {
    guard let point = P256PublicKey.multiply(nil, by: privateKey) else { return nil }
    self.privateKey = privateKey
    publicKey = point
  }

  /// The shared secret with another public key; nil where that is no point of the curve.
  package func dhKey(with other: P256PublicKey) -> P256Coordinate? {
    other.dhKey(withPrivateKey: privateKey)
  }
}

extension P256PublicKey {
  /// The point with the same X and the other Y: it belongs to the negative private key, with which the
  /// same shared secret comes out.
  package var negative: P256PublicKey {
    // p − Y, with p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1 (FIPS 186-4, D.1.2.3).
    let prime = P256Coordinate(
      high: 0xffff_ffff_0000_0001_0000_0000_0000_0000,
      low: 0x0000_0000_ffff_ffff_ffff_ffff_ffff_ffff)
    let (low, borrow) = prime.low.subtractingReportingOverflow(y.low)
    return P256PublicKey(
      x: x, y: P256Coordinate(high: prime.high &- y.high &- (borrow ? 1 : 0), low: low))
  }

  /// Whether Y is an odd number: that tells the two points with one X apart.
  package var isOdd: Bool { y.low & 1 == 1 }

  /// The key as SMP and HCI carry it: X (32 bytes), Y (32), least significant byte first.
  package var littleEndian: [UInt8] { x.littleEndian + y.littleEndian }
}

extension P256Coordinate {
  /// The 32 bytes as SMP and HCI carry them, least significant first.
  package var littleEndian: [UInt8] {
    PairingValue(number: low).littleEndian + PairingValue(number: high).littleEndian
  }
}

extension PairingValue {
  /// The 16 bytes as they cross the link, least significant first.
  package var littleEndian: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(mostSignificantFirst: number)
    return bytes.reversed()
  }
}
