import Bluetooth
import Bytes
import Testing

@testable import Cryptography

@Suite struct LongTermKeysTests {
  /// Keys of every length in both byte orders.
  @Test(arguments: 0...17) func padding(_ length: Int) {
    let bytes = (0..<length).map { UInt8(0x11 + $0) }
    let (first, last) = (
      PairingValue(key: bytes.bytes), PairingValue(key: bytes.bytes, isMostSignificantFirst: true)
    )
    guard 1...16 ~= length else {
      #expect(first == nil)
      #expect(last == nil)
      return
    }
    #expect(first?.number == bytes.reversed().reduce(0) { $0 << 8 | UInt128($1) })
    #expect(last?.number == bytes.reduce(0) { $0 << 8 | UInt128($1) })
  }

  /// The sample data for cross-transport key derivation (Core, Vol 3, Part H, appendix D).
  @Test func linkKey() throws {
    let linkKey = try value("05040302 01000908 07060504 03020100")
    let converted = (
      PairingValue.longTermKey(ofLinkKey: linkKey, usesH7: false),
      PairingValue.longTermKey(ofLinkKey: linkKey, usesH7: true)
    )
    #expect(converted.0 == (try value("a813fb72 f1a3dfa1 8a2c9a43 f10d0a30")))
    #expect(converted.1 == (try value("e85e09eb 5eccb3e2 69418a13 3211bc79")))
  }

  @Test func keySizes() throws {
    let sixteen = try command("07071009000402")
    #expect(sixteen.largestKeySize == 16)
    let seven = try command("07070709000402")
    #expect(PairingCommand.keySize(sixteen, seven) == 7)
    #expect(PairingCommand.keySize(try command("0707ff09000402"), sixteen) == 16)
  }

  /// A pairing with numeric comparison between two devices, recorded by a sniffer
  /// (bsniffhub-sc-numericcomparison-380717.pcap). The peripheral uses the debug key pair.
  private static func recorded() throws -> SecureConnectionsPairing {
    let keys = (
      hex(
        """
        8c35b0b2a9a9938b87a8e10c11fee3147ea7580fe2034cac8fa14e51e2d4da24
        11924c28c0743ace2c8ae783e03e2cd17face2a7257ac7b5a23d77a77645bae8
        """.filter { !$0.isNewline }),
      hex(
        """
        e69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b020
        8bd28915d08e1c742430ed8fc24563765c15525abf9a32636deb2a65499c80dc
        """.filter { !$0.isNewline })
    )
    let publicKeys = (P256PublicKey(keys.0.bytes), P256PublicKey(keys.1.bytes))
    var pairing = SecureConnectionsPairing(
      initiatorKey: try #require(publicKeys.0), responderKey: try #require(publicKeys.1),
      initiatorRandom: try onLink("9f35b00cd71b136f6af949d29c932193"),
      responderRandom: try onLink("7f33d58dd0173e3ca9da3f1d857ec741"),
      initiator: try address("0004ee034a8a2f"), responder: try address("0004ee034a8b38"),
      request: try command("07071008000401"), response: try command("0606100c000402"))
    pairing.initiatorCheck = try onLink("27b7cefc660671a3e67ac8a627a14bd1")
    pairing.responderCheck = try onLink("86e6b04595ebe55b1d2aa2ea75ad3fdf")
    return pairing
  }

  /// Parses a value in transmission order.
  private static func onLink(_ text: String) throws -> PairingValue {
    let bytes = hex(text)
    let value = PairingValue(bytes.bytes)
    return try #require(value)
  }

  @Test func debugKey() throws {
    var pairing = try Self.recorded()
    let key = try value("1047e6f9fbf05a2bfb850e0f45b00f92")
    #expect(pairing.longTermKey() == .init(longTermKey: key, isConfirmed: true, isDebugKey: true))
    let number = SecureConnections.g2(
      initiatorKey: pairing.initiatorKey.x, responderKey: pairing.responderKey.x,
      initiatorRandom: pairing.initiatorRandom, responderRandom: pairing.responderRandom)
    #expect(number.description == "380717")
    // One check is enough; without any, the key is not confirmed.
    pairing.initiatorCheck = nil
    #expect(pairing.longTermKey()?.isConfirmed == true)
    pairing.initiatorR = nil
    #expect(pairing.longTermKey() == .init(longTermKey: key, isConfirmed: false, isDebugKey: true))
    pairing.initiatorR = .zero
    pairing.responderCheck = .zero
    #expect(pairing.longTermKey() == nil)
    pairing.initiatorKey = try Self.otherKey()
    pairing.responderKey = pairing.initiatorKey
    #expect(pairing.longTermKey() == nil)
  }

  private static func otherKey() throws -> P256PublicKey {
    P256PublicKey(x: try coordinate(Sample.otherX), y: try coordinate(Sample.otherY))
  }

  /// The private key of either side, in both byte orders.
  @Test(arguments: [false, true]) func privateKey(ofResponder isResponder: Bool) throws {
    let privateKey = try coordinate(Sample.otherPrivate)
    let pair = try #require(P256KeyPair(privateKey: P256Coordinate(high: 1, low: 2)))
    let keys = (try Self.otherKey(), pair.publicKey)
    var pairing = SecureConnectionsPairing(
      initiatorKey: isResponder ? keys.1 : keys.0, responderKey: isResponder ? keys.0 : keys.1,
      initiatorRandom: try value(Sample.random1), responderRandom: try value(Sample.random2),
      initiator: try address(Sample.address1), responder: try address(Sample.address2),
      request: try command("0707100d000301"), response: try command("07070709000402"))
    #expect(pairing.longTermKey() == nil)
    let found = pairing.longTermKey(privateKey: privateKey)
    #expect(found?.isConfirmed == false)
    #expect(found?.isDebugKey == false)
    #expect(found == pairing.longTermKey(privateKey: privateKey.reversed))
    #expect(found == pairing.longTermKey(privateKey: P256Coordinate(high: 1, low: 2)))
    #expect(pairing.longTermKey(privateKey: P256Coordinate(high: 1, low: 3)) == nil)
    #expect(pairing.longTermKey(privateKey: P256Coordinate(high: 0, low: 0)) == nil)
    let dhKey = try #require(pair.dhKey(with: keys.0))
    let exchange = DHKeyExchange(
      dhKey: dhKey, initiatorRandom: pairing.initiatorRandom,
      responderRandom: pairing.responderRandom, initiator: pairing.initiator,
      responder: pairing.responder)
    #expect(found?.longTermKey == exchange.keys.longTermKey.shortened(to: 7))
    // The passkey is r of both sides.
    let r = PairingValue(try digits(799_308))
    pairing.initiatorCheck = exchange.initiatorCheck(responderR: r, request: pairing.request)
    pairing.responderCheck = exchange.responderCheck(initiatorR: r, response: pairing.response)
    #expect(pairing.longTermKey(privateKey: privateKey) == nil)
    (pairing.initiatorR, pairing.responderR) = (r, r)
    #expect(pairing.longTermKey(privateKey: privateKey)?.isConfirmed == true)
  }

  /// r is unknown if the other side received OOB data.
  @Test func outOfBand() throws {
    let (plain, received) = (try command("07071009000402"), try command("07071009010402"))
    func pairing(_ request: PairingCommand, _ response: PairingCommand) throws
      -> SecureConnectionsPairing
    {
      SecureConnectionsPairing(
        initiatorKey: .debug, responderKey: try Self.otherKey(), initiatorRandom: .zero,
        responderRandom: .zero, initiator: try address(Sample.address1),
        responder: try address(Sample.address2), request: request, response: response)
    }
    let none = try pairing(plain, plain)
    #expect(none.initiatorR == .zero)
    #expect(none.responderR == .zero)
    let initiator = try pairing(received, plain)
    #expect(initiator.initiatorR == .zero)
    #expect(initiator.responderR == nil)
    let responder = try pairing(plain, received)
    #expect(responder.initiatorR == nil)
    #expect(responder.responderR == .zero)
  }
}
