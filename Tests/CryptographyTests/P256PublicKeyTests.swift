import Bytes
import Testing

@testable import Cryptography

@Suite struct P256PublicKeyTests {
  private static func other() throws -> P256PublicKey {
    P256PublicKey(x: try coordinate(Sample.otherX), y: try coordinate(Sample.otherY))
  }

  /// In SMP's order: X, then Y.
  @Test func read() throws {
    let bytes = wire(Sample.debugX) + wire(Sample.debugY)
    let key = P256PublicKey(bytes.bytes)
    #expect(key == .debug)
  }

  /// Core, Vol 2, Part G, 7.1.2.1. Python's `cryptography` computes the same value.
  @Test func sharedSecret() throws {
    let other = try Self.other()
    let expected = try coordinate(Sample.dhKey)
    #expect(P256PublicKey.debugDHKey(.debug, other) == expected)
    #expect(P256PublicKey.debugDHKey(other, .debug) == expected)
    #expect(
      P256PublicKey.debug.dhKey(withPrivateKey: try coordinate(Sample.otherPrivate)) == expected)
    #expect(P256PublicKey.debugDHKey(other, other) == nil, "neither key is the debug key")
    // Computed with Python's `cryptography`.
    let both = try coordinate(
      "70aad7e649f91c7cae5f79fc32992787c38757a8728b7b55da7bb3cb4800ab2d")
    #expect(P256PublicKey.debugDHKey(.debug, .debug) == both)
  }

  /// The point of the negated private key has the same X and yields the same secret. Its Y is p −
  /// Y, computed with Python.
  @Test func theOtherPointWithThatX() throws {
    let negative = P256PublicKey(
      x: P256PublicKey.debug.x,
      y: try coordinate("237f63b59ad514939ccd6540a5adeaa3899cba3e7012cfdb8be3712fea762d74"))
    #expect(negative.isOnCurve)
    let other = try Self.other()
    #expect(
      P256PublicKey.debugDHKey(negative, other) == P256PublicKey.debugDHKey(.debug, other))
  }

  @Test func pairs() throws {
    let own = try #require(P256KeyPair(privateKey: try coordinate(Sample.otherPrivate)))
    let sample = try Self.other()
    #expect(own.publicKey == sample)
    #expect(own.dhKey(with: .debug) == P256PublicKey.debugDHKey(.debug, sample))
    #expect(own.publicKey.negative.isOnCurve)
    #expect(own.publicKey.negative.isOdd != own.publicKey.isOdd)
    #expect(own.publicKey.negative.negative == own.publicKey)
    let bytes = own.publicKey.littleEndian
    let again = P256PublicKey(bytes.bytes)
    #expect(again == own.publicKey)
    #expect(P256KeyPair(privateKey: P256Coordinate(high: 0, low: 0)) == nil)
    #expect(P256KeyPair(privateKey: P256Coordinate(high: .max, low: .max)) == nil)
  }

  /// Invalid points: Y of another point, zeros as an attacker sends them, numbers beyond the field.
  @Test func notOnTheCurve() throws {
    let other = try Self.other()
    let zero = P256Coordinate(high: 0, low: 0)
    let beyond = P256Coordinate(high: .max, low: .max)
    for key in [
      P256PublicKey(x: other.x, y: P256PublicKey.debug.y), P256PublicKey(x: other.x, y: zero),
      P256PublicKey(x: zero, y: zero), P256PublicKey(x: beyond, y: beyond),
    ] {
      #expect(!key.isOnCurve)
      #expect(P256PublicKey.debugDHKey(.debug, key) == nil)
    }
    #expect(other.isOnCurve)
    for privateKey in [zero, beyond] {
      #expect(other.dhKey(withPrivateKey: privateKey) == nil, "not a private key")
    }
  }
}
