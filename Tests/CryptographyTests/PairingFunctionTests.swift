import Bluetooth
import Bytes
import Testing

@testable import Cryptography

/// The specification's sample data. bumble's tests/smp_test.py has the same numbers and computes
/// them with another implementation of AES.
@Suite struct PairingFunctionTests {
  /// Core, Vol 3, Part H, 2.2.3: the example for c1.
  @Test func c1() throws {
    let pairing = LegacyPairing(
      request: try command("07071000000101"), response: try command("05000800000302"),
      initiator: try address("01a1a2a3a4a5a6"), responder: try address("00b1b2b3b4b5b6"))
    #expect(pairing.p1 == 0x0500_0800_0003_0207_0710_0000_0101_0001)
    #expect(pairing.p2 == 0xa1a2_a3a4_a5a6_b1b2_b3b4_b5b6)
    let confirm = pairing.c1(
      temporaryKey: .zero, random: try value("5783d52156ad6f0e6388274ec6702ee0"))
    #expect(confirm == (try value("1e1e3fef878988ead2a74dc5bef13b86")))
  }

  /// Core, Vol 3, Part H, 2.2.4: the example for s1.
  @Test func s1() throws {
    let key = LegacyPairing.s1(
      temporaryKey: .zero, responderRandom: try value("000f0e0d0c0b0a091122334455667788"),
      initiatorRandom: try value("010203040506070899aabbccddeeff00"))
    #expect(key == (try value("9a1fe1f0e8b0f49b5b4216ae796da062")))
  }

  /// D.2, and a value with a passkey's bit, computed with bumble's f4.
  @Test func f4() throws {
    let debug = try coordinate(Sample.debugX)
    let random = try value(Sample.random1)
    let other = try coordinate(Sample.otherPrivate)
    let confirm = SecureConnections.f4(debug, other, random: random, z: 0)
    #expect(confirm == (try value("f2c916f1 07a9bd1c f1eda1be a974872d")))
    let bit = SecureConnections.f4(
      debug, try coordinate(Sample.otherX), random: random, z: 0x81)
    #expect(bit == (try value("e877cd55d274e336d5fb2976647450d2")))
  }

  /// D.3, and keys for a random address, computed with bumble's f5.
  @Test func f5() throws {
    let keys = SecureConnections.f5(
      dhKey: try coordinate(Sample.dhKey), initiatorRandom: try value(Sample.random1),
      responderRandom: try value(Sample.random2), initiator: try address(Sample.address1),
      responder: try address(Sample.address2))
    #expect(keys.macKey == (try value(Sample.macKey)))
    #expect(keys.longTermKey == (try value(Sample.longTermKey)))
    let others = SecureConnections.f5(
      dhKey: try coordinate(Sample.dhKey), initiatorRandom: try value(Sample.random1),
      responderRandom: try value(Sample.random2), initiator: try address("01561237 37bfce"),
      responder: try address(Sample.address2))
    #expect(others.longTermKey == (try value("bbdfc86c2ee15c692831db65400cd02f")))
  }

  /// D.4.
  @Test func f6() throws {
    let check = SecureConnections.f6(
      macKey: try value(Sample.macKey),
      own: (try value(Sample.random1), try address(Sample.address1)),
      other: (try value(Sample.random2), try address(Sample.address2)),
      r: try value("12a3343b b453bb54 08da42d2 0c2d0fc8"), command: try command("00000001010200"))
    #expect(check == (try value("e3c47398 9cd0e8c5 d26c0b09 da958f61")))
  }

  /// D.5: the value, and the digits shown for it.
  @Test func g2() throws {
    let (initiator, responder) = (
      try coordinate(Sample.debugX), try coordinate(Sample.otherPrivate)
    )
    let (random1, random2) = (try value(Sample.random1), try value(Sample.random2))
    #expect(
      SecureConnections.comparisonValue(initiator, responder, random1, random2) == 0x2f9e_d5ba)
    let shown = SecureConnections.g2(
      initiatorKey: initiator, responderKey: responder, initiatorRandom: random1,
      responderRandom: random2)
    // 0x2f9ed5ba is 798938554.
    #expect(shown.description == "938554")
  }
}
