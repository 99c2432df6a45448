import Bytes
import Testing

@testable import Cryptography

@Suite struct P256PublicKeyTests {
  private static func other() throws -> P256PublicKey {
    P256PublicKey(x: try coordinate(Sample.otherX), y: try coordinate(Sample.otherY))
  }

  /// As SMP carries it: X, then Y.
  @Test func read() throws {
    let bytes = wire(Sample.debugX) + wire(Sample.debugY)
    let key = P256PublicKey(bytes.bytes)
    #expect(key == .debug)
  }

  /// Core, Vol 2, Part G, 7.1.2.1; Python's `cryptography` gives the same.
  @Test func sharedSecret() throws {
    let other = try Self.other()
    let expected = try coordinate(Sample.dhKey)
    #expect(P256PublicKey.debugDHKey(.debug, other) == expected)
    #expect(P256PublicKey.debugDHKey(other, .debug) == expected)
    #expect(
      P256PublicKey.debug.dhKey(withPrivateKey: try coordinate(Sample.otherPrivate)) == expected)
    #expect(P256PublicKey.debugDHKey(other, other) == nil, "neither is the debug key")
    // Python's `cryptography`.
    let both = try coordinate(
      "70aad7e649f91c7cae5f79fc32992787c38757a8728b7b55da7bb3cb4800ab2d")
    #expect(P256PublicKey.debugDHKey(.debug, .debug) == both)
  }

  /// The point of the negative private key has the same X, and gives the same secret: p − Y, by Python.
  @Test func theOtherPointWithThatX() throws {
    let negative = P256PublicKey(
      x: P256PublicKey.debug.x,
      y: try coordinate("237f63b59ad514939ccd6540a5adeaa3899cba3e7012cfdb8be3712fea762d74"))
    #expect(negative.isOnCurve)
    let other = try Self.other()
    #expect(
      P256PublicKey.debugDHKey(negative, other) == P256PublicKey.debugDHKey(.debug, other))
  }

  /// Y of another point, zeros as an attacker sends them, and numbers beyond the field.
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
      #expect(other.dhKey(withPrivateKey: privateKey) == nil, "no private key")
    }
  }

  /// Both check values of one pairing: D.4, and with no passkey by bumble's f6.
  @Test func checkValues() throws {
    let dhKey = try #require(P256PublicKey.debugDHKey(.debug, Self.other()))
    let exchange = DHKeyExchange(
      dhKey: dhKey, initiatorRandom: try value(Sample.random1),
      responderRandom: try value(Sample.random2), initiator: try address(Sample.address1),
      responder: try address(Sample.address2))
    #expect(exchange.keys.longTermKey == (try value(Sample.longTermKey)))
    let withPasskey = exchange.initiatorCheck(
      responderR: try value("12a3343b b453bb54 08da42d2 0c2d0fc8"),
      request: try command("07071001010201"))
    #expect(withPasskey == (try value("e3c47398 9cd0e8c5 d26c0b09 da958f61")))
    let initiator = exchange.initiatorCheck(
      responderR: .zero, request: try command("0707100d000301"))
    #expect(initiator == (try value("933ce9be1f2013049b52e40be3f7af9e")))
    let responder = exchange.responderCheck(
      initiatorR: .zero, response: try command("07071009000402"))
    #expect(responder == (try value("499fa4b33b77064d9cb3b66f9d42599e")))
  }
}
