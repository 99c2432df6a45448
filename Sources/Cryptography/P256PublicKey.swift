import Bytes
import CLibcrypto

/// A coordinate of a point on the elliptic curve P-256, or a DHKey, which is one: 256 bits.
package struct P256Coordinate: Hashable, Sendable {
  /// The length of a coordinate in bytes.
  package static let size = 32

  /// The 128 most significant bits.
  package let high: UInt128
  /// The 128 least significant bits.
  package let low: UInt128

  package init(high: UInt128, low: UInt128) {
    self.high = high
    self.low = low
  }

  /// Reads a coordinate or a DHKey in the byte order of SMP and HCI: 32 bytes, least significant
  /// first. Returns nil for any other length.
  package init?(_ bytes: RawSpan) {
    guard bytes.byteCount == Self.size, let low = bytes.number(at: 0),
      let high = bytes.number(at: PairingValue.size)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The number with its bytes reversed.
  var reversed: P256Coordinate { P256Coordinate(high: low.byteSwapped, low: high.byteSwapped) }
}

/// A public key of LE Secure Connections: a point on P-256 (Core, Vol 3, Part H, 2.3.5.6.1).
package struct P256PublicKey: Hashable, Sendable {
  /// The length of a public key in bytes.
  package static let size = 2 * P256Coordinate.size

  package let x: P256Coordinate
  package let y: P256Coordinate

  /// Creates a point, which need not be on the curve.
  package init(x: P256Coordinate, y: P256Coordinate) {
    self.x = x
    self.y = y
  }

  /// Reads a key in the byte order of SMP and HCI: X (32 bytes), Y (32), least significant byte
  /// first. Returns nil unless there are 64 bytes.
  package init?(_ bytes: RawSpan) {
    let (x, y) = (
      bytes.part(Slice(start: 0, count: P256Coordinate.size)), bytes.dropping(P256Coordinate.size)
    )
    guard let x = P256Coordinate(x), let y = P256Coordinate(y) else { return nil }
    self.init(x: x, y: y)
  }

  /// The debug public key (2.3.5.6.1).
  package static let debug = P256PublicKey(
    x: P256Coordinate(
      high: 0x20b0_03d2_f297_be2c_5e2c_83a7_e9f9_a5b9,
      low: 0xeff4_9111_acf4_fddb_cc03_0148_0e35_9de6),
    y: P256Coordinate(
      high: 0xdc80_9c49_652a_eb6d_6332_9abf_5a52_155c,
      low: 0x7663_45c2_8fed_3024_741c_8ed0_1589_d28b))

  /// The private key of the debug key pair, which is published so that sniffers can follow a
  /// pairing (2.3.5.6.1).
  private static let debugPrivateKey = P256Coordinate(
    high: 0x3f49_f6d4_a3c5_5f38_74c9_b3e3_d210_3f50,
    low: 0x4aff_607b_eb40_b799_5899_b8a6_cd3c_1abd)

  /// Whether the point is on the curve. A peer must reject any other (2.3.5.6.1), since it could
  /// reveal bits of the peer's private key.
  package var isOnCurve: Bool { clibcrypto_is_on_curve(clibcrypto_point(self)) != 0 }

  /// Returns the shared secret of two public keys, at least one of which is that of the debug key
  /// pair: X of the other one multiplied by the debug private key. Returns nil if neither is, or if
  /// the other is not on the curve.
  ///
  /// The X coordinate identifies the debug key: the only other point with it belongs to the
  /// negative private key, which yields the same X.
  package static func debugDHKey(_ one: P256PublicKey, _ other: P256PublicKey) -> P256Coordinate? {
    if one.x == debug.x { return other.dhKey(withPrivateKey: debugPrivateKey) }
    if other.x == debug.x { return one.dhKey(withPrivateKey: debugPrivateKey) }
    return nil
  }

  /// Computes the function P256: X of this point multiplied by a private key (2.3.5.6.1). Returns
  /// nil if the point is not on the curve or the number is not a private key.
  func dhKey(withPrivateKey privateKey: P256Coordinate) -> P256Coordinate? {
    Self.multiply(self, by: privateKey)?.x
  }

  /// Multiplies a point, or the curve's base point, by a private key. Returns nil if the point is
  /// not on the curve or the number is not a private key: zero, or not less than the curve's order.
  static func multiply(
    _ point: P256PublicKey?, by privateKey: P256Coordinate
  ) -> P256PublicKey? {
    let product = clibcrypto_multiply(
      clibcrypto_number(privateKey), point.map { clibcrypto_point($0) } ?? clibcrypto_point())
    guard product.exists != 0 else { return nil }
    return P256PublicKey(x: P256Coordinate(product.x), y: P256Coordinate(product.y))
  }
}

extension clibcrypto_number {
  fileprivate init(_ coordinate: P256Coordinate) {
    self.init(high: clibcrypto_block(coordinate.high), low: clibcrypto_block(coordinate.low))
  }
}

extension clibcrypto_point {
  fileprivate init(_ key: P256PublicKey) {
    self.init(x: clibcrypto_number(key.x), y: clibcrypto_number(key.y), exists: 1)
  }
}

extension P256Coordinate {
  fileprivate init(_ number: clibcrypto_number) {
    self.init(high: UInt128(number.high), low: UInt128(number.low))
  }
}
