import Bytes

/// A key pair on P-256 with a known private key.
package struct P256KeyPair: Sendable {
  /// The public key, a point on the curve.
  package let publicKey: P256PublicKey
  private let privateKey: P256Coordinate

  /// Creates the pair of a private key; returns nil if the number is zero or not less than the
  /// curve's order.
  package init?(privateKey: P256Coordinate) {
    guard let point = P256PublicKey.multiply(nil, by: privateKey) else { return nil }
    self.privateKey = privateKey
    publicKey = point
  }

  /// Returns the DHKey shared with another public key, or nil if that is not on the curve.
  package func dhKey(with other: P256PublicKey) -> P256Coordinate? {
    other.dhKey(withPrivateKey: privateKey)
  }
}

extension P256PublicKey {
  /// The point with the same X and the opposite Y. It belongs to the negative private key, which
  /// yields the same shared secret.
  package var negative: P256PublicKey {
    // p − Y, with p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1 (FIPS 186-4, D.1.2.3).
    let prime = P256Coordinate(
      high: 0xffff_ffff_0000_0001_0000_0000_0000_0000,
      low: 0x0000_0000_ffff_ffff_ffff_ffff_ffff_ffff)
    let (low, borrow) = prime.low.subtractingReportingOverflow(y.low)
    return P256PublicKey(
      x: x, y: P256Coordinate(high: prime.high &- y.high &- (borrow ? 1 : 0), low: low))
  }

  /// Whether Y is odd, which distinguishes the two points with the same X.
  package var isOdd: Bool { y.low & 1 == 1 }

  /// The key in the byte order of SMP and HCI: X (32 bytes), Y (32), least significant byte first.
  package var littleEndian: [UInt8] { x.littleEndian + y.littleEndian }
}

extension P256Coordinate {
  /// The 32 bytes in the order of SMP and HCI, least significant first.
  package var littleEndian: [UInt8] {
    PairingValue(number: low).littleEndian + PairingValue(number: high).littleEndian
  }
}

extension PairingValue {
  /// The 16 bytes in the order of the link, least significant first.
  package var littleEndian: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(mostSignificantFirst: number)
    return bytes.reversed()
  }
}
