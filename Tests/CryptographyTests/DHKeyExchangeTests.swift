import Bytes
import Testing

@testable import Cryptography

/// Values from Core, Vol 3, Part H, D.3 and D.4, and from bumble's f5 and f6 applied to them.
@Suite struct DHKeyExchangeTests {
  private static let request = "0707100d000301"
  private static let response = "07071009000402"

  private static func exchange() throws -> DHKeyExchange {
    let other = P256PublicKey(x: try coordinate(Sample.otherX), y: try coordinate(Sample.otherY))
    return DHKeyExchange(
      dhKey: try #require(P256PublicKey.debugDHKey(.debug, other)),
      initiatorRandom: try value(Sample.random1), responderRandom: try value(Sample.random2),
      initiator: try address(Sample.address1), responder: try address(Sample.address2))
  }

  /// From the public keys to the keys of D.3.
  @Test func keys() throws {
    let keys = try Self.exchange().keys
    #expect(keys.macKey == (try value(Sample.macKey)))
    #expect(keys.longTermKey == (try value(Sample.longTermKey)))
  }

  /// D.4, and both check values of one pairing without a passkey.
  @Test func checkValues() throws {
    let exchange = try Self.exchange()
    let sample = exchange.initiatorCheck(
      responderR: try value("12a3343b b453bb54 08da42d2 0c2d0fc8"),
      request: try command("07071001010201"))
    #expect(sample == (try value("e3c47398 9cd0e8c5 d26c0b09 da958f61")))
    let initiator = exchange.initiatorCheck(
      responderR: .zero, request: try command(Self.request))
    #expect(initiator == (try value("933ce9be1f2013049b52e40be3f7af9e")))
    let responder = exchange.responderCheck(
      initiatorR: .zero, response: try command(Self.response))
    #expect(responder == (try value("499fa4b33b77064d9cb3b66f9d42599e")))
  }

  /// The correct and wrong values for the passkey 799308.
  @Test(arguments: [
    (PairingSide.initiator, "", "b489e95a1716bca3c15ca0c9f9b4c98e"),
    (.initiator, "initiator_address_type", "70b1665c690925a351e190e994b6e1fe"),
    (.initiator, "responder_address_type", "e1bc301eb45bb9ac5c9f0537919c089b"),
    (
      .initiator, "initiator_address_type responder_address_type",
      "4b25af39f3461db311bd2d96c0d813a8"
    ),
    (.initiator, "capabilities_reversed", "41faf15fb4fa96ed23d2935aed5ab398"),
    (.initiator, "capabilities_of_other", "ae47abeb6f53828072eeaab522b652fa"),
    (.initiator, "r_zero", "933ce9be1f2013049b52e40be3f7af9e"),
    (.initiator, "responder_address_type r_zero", "a28cf7cedf64a7c2e9df28df73beb711"),
    (.initiator, "unexplained", "00000000000000000000000000000000"),
    (.responder, "", "e4852374566256b57ced19a4fa21eb13"),
    (.responder, "initiator_address_type", "e56d01721142547c86b877da0b40e28c"),
    (.responder, "capabilities_of_other", "fcee409871df654e95a44f0bc1b5c51e"),
    (.responder, "unexplained", "b489e95a1716bca3c15ca0c9f9b4c98e"),
  ])
  func deviations(_ side: PairingSide, _ names: String, _ check: String) throws {
    let commands = [try command(Self.request), try command(Self.response)]
    let own = side == .initiator ? 0 : 1
    let found = try Self.exchange().deviations(
      of: try value(check), from: side, r: PairingValue(try digits(799_308)),
      command: commands[own], other: commands[1 - own])
    let reported = found?.map(\.key.description).joined(separator: " ") ?? "unexplained"
    #expect(reported == names)
    guard let found else { return }
    let again = try Self.exchange().check(
      from: side, r: PairingValue(try digits(799_308)), command: commands[own],
      other: commands[1 - own], found)
    #expect(again == (try value(check)))
  }

  @Test func names() {
    let all = CheckDeviation.allCases
    #expect(Set(all.map(\.key.description)).count == all.count)
    #expect(Set(all.map(\.words.description)).count == all.count)
  }
}
