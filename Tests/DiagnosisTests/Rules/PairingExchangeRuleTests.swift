// Rules about the values of Secure Connections. The values are computed here with the debug key
// pair, whose shared secret is known.

import Bluetooth
import Bytes
import Cryptography
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Rules over the values of Secure Connections") struct PairingExchangeRuleTests {
  /// Pairs with the debug key pair on both sides; `check` computes the initiator's check value from
  /// the exchange.
  private func debugPairing(
    io: UInt8 = 3, own: Bool = true, failure: UInt8? = nil, pause: Int = 0,
    check: (DHKeyExchange, PairingCommand, PairingCommand) -> PairingValue
  ) -> Evidence {
    evidence { traffic in
      if own {
        traffic.command(0x2005, little(0xc0ff_eec0_ffee, width: 6))
        traffic.command(0x200d, [UInt8](repeating: 0, count: 12) + [1])
      }
      traffic.connect()
      let request = Traffic.pairingFeatures(response: false, io: io, auth: 13)
      let response = Traffic.pairingFeatures(response: true, io: io, auth: 13)
      traffic.smp(request, .sent)
      traffic.smp(response, .received)
      let key = P256PublicKey.debug
      traffic.smp([12] + key.x.bytes + key.y.bytes, .sent)
      traffic.smp([12] + key.x.bytes + key.y.bytes, .received)
      let (first, second) = (PairingValue(number: 1234), PairingValue(number: 5678))
      traffic.smp(
        [3] + SecureConnections.f4(key.x, key.x, random: second, z: 0).bytes, .received)
      traffic.smp([4] + first.bytes, .sent)
      traffic.smp([4] + second.bytes, .received)
      guard let secret = P256PublicKey.debugDHKey(key, key),
        let requested = PairingCommand(request.bytes),
        let responded = PairingCommand(response.bytes)
      else { return }
      let exchange = DHKeyExchange(
        dhKey: secret, initiatorRandom: first, responderRandom: second,
        initiator: LegacyValues().own, responder: LegacyValues().peer)
      traffic.smp([13] + check(exchange, requested, responded).bytes, .sent)
      if let failure {
        traffic.clock += pause
        traffic.pairingFailed(failure)
      } else {
        traffic.smp(
          [13] + exchange.responderCheck(initiatorR: .zero, response: responded).bytes, .received)
        traffic.encrypt()
      }
    }
  }

  @Test("the debug key pair: reported, and the long-term key computed") func debugKey() {
    let evidence = debugPairing { exchange, request, _ in
      exchange.initiatorCheck(responderR: .zero, request: request)
    }
    #expect(
      evidence.lines(of: "smp_debug_key") == [
        "The debug key pair is in use on both sides #6 #7"
      ])
    let shown = details(of: "smp_debug_key", in: evidence).first ?? ""
    #expect(shown.hasPrefix("long-term key <hidden>; --show-keys prints it | long-term key "))
    #expect(
      shown.count == "long-term key <hidden>; --show-keys prints it | long-term key ".count + 32)
    #expect(pairingErrors(in: evidence) == [])
    // Both have the same X, although neither reflects the other's key.
    #expect(evidence.lines(of: "smp_invalid_public_key") == [])
  }

  @Test("the debug key pair without the host's own address: reported, but no key")
  func debugKeyAlone() {
    let evidence = debugPairing(own: false) { exchange, request, _ in
      exchange.initiatorCheck(responderR: .zero, request: request)
    }
    #expect(rules(in: evidence).contains("smp_debug_key"))
    #expect(details(of: "smp_debug_key", in: evidence) == [])
  }

  @Test("a check value with the other side's capabilities is named") func wrongCheck() {
    // The two sides' features differ only in their code, which f6 does not use; here r differs.
    let evidence = debugPairing(failure: 11) { exchange, request, _ in
      exchange.initiatorCheck(responderR: PairingValue(number: 7), request: request)
    }
    #expect(pairingErrors(in: evidence) == ["smp_dhkey_check_failed #4 #5 #11 #12"])
    #expect(
      evidence.findings().first.whyText.contains("matches none of the known ways to compute it"))
  }

  @Test("a correct check value that is refused: the refusing side is wrong") func rightCheck() {
    let evidence = debugPairing(failure: 11) { exchange, request, _ in
      exchange.initiatorCheck(responderR: .zero, request: request)
    }
    #expect(
      evidence.findings().first.whyText.contains(
        "that this host sent is right. The peer refused it anyway."))
  }

  @Test("the digits of numeric comparison: refused with 0x0c, and both had to show the same")
  func digits() {
    let evidence = debugPairing(io: 1, failure: 12) { exchange, request, _ in
      exchange.initiatorCheck(responderR: .zero, request: request)
    }
    #expect(pairingErrors(in: evidence) == ["smp_numeric_rejected #4 #5 #8 #9 #10 #12"])
    #expect(evidence.finding("smp_numeric_rejected").whatText.hasSuffix("by the peer"))
    // This is the meaning of the reason.
    #expect(
      evidence.findings().first?.headline.text.hasSuffix("refused the numeric comparison") == true)
    let key = P256PublicKey.debug.x
    let digits = SecureConnections.g2(
      initiatorKey: key, responderKey: key, initiatorRandom: PairingValue(number: 1234),
      responderRandom: PairingValue(number: 5678))
    #expect(
      details(of: "smp_numeric_rejected", in: evidence)
        == ["the digits on both sides are \(digits) | nothing hidden"])
  }

  @Test("digits refused too quickly to read: by a program; later possibly by the user")
  func hastyRefusal() {
    for (pause, isProgram) in [(0, true), (295, true), (300, false)] {
      let evidence = debugPairing(io: 1, failure: 12, pause: pause) { exchange, request, _ in
        exchange.initiatorCheck(responderR: .zero, request: request)
      }
      let finding = evidence.finding("smp_numeric_rejected")
      let reported =
        isProgram
        ? "The peer answered Numeric Comparison Failed (0x0c) \(pause + 3) ms after it could know the digits (#9): no person reads them that fast; a program refused."
        : "The peer reports that they were not confirmed: Numeric Comparison Failed (0x0c)."
      #expect(
        finding?.why.text
          == "The values of the peer and this host match, so both have the same digits. \(reported)"
      )
      #expect(
        finding?.remedy?.text.hasPrefix("Look for the program on the peer that answers")
          == isProgram)
    }
  }

  @Test("the same refusal in Just Works does not concern digits") func noDigits() {
    let evidence = debugPairing(io: 3, failure: 12) { exchange, request, _ in
      exchange.initiatorCheck(responderR: .zero, request: request)
    }
    #expect(pairingErrors(in: evidence) == ["smp_just_works_unconfirmed #4 #5 #12"])
    #expect(evidence.findings().first?.grounds == .fact)
  }

  @Test("a commitment that f4 cannot give: its sender computes it wrongly")
  func wrongCommitment() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 1, auth: 13, peerIO: 1, peerAuth: 13)
      let key = P256PublicKey.debug
      traffic.smp([12] + key.x.bytes + key.y.bytes, .sent)
      traffic.smp([12] + key.x.bytes + key.y.bytes, .received)
      traffic.pairingValue(3, 9, .received)
      traffic.pairingValue(4, 8, .sent)
      traffic.pairingValue(4, 7, .received)
      traffic.pairingFailed(4, .sent)
    }
    #expect(pairingErrors(in: evidence) == ["smp_confirm_deviates #6 #8 #9"])
    #expect(evidence.finding("smp_confirm_deviates").whatText.hasPrefix("The peer computes"))
  }

  @Test(
    "passkey rounds that agree until one side refuses: the round, and both bits if both are open"
  )
  func rounds() {
    let key = P256PublicKey.debug
    func play(_ first: [UInt8], _ second: [UInt8], pause: Int = 0) -> Evidence {
      evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures(io: 2, auth: 13, peerIO: 0, peerAuth: 13)
        traffic.smp([12] + key.x.bytes + key.y.bytes, .sent)
        traffic.smp([12] + key.x.bytes + key.y.bytes, .received)
        traffic.clock += pause
        for (round, (bit, other)) in zip(first, second).enumerated() {
          let own = PairingValue(number: UInt128(round) + 100)
          let peer = PairingValue(number: UInt128(round) + 200)
          let f4 = SecureConnections.f4
          traffic.smp([3] + f4(key.x, key.x, own, 0x80 | bit).bytes, .sent)
          traffic.smp([3] + f4(key.x, key.x, peer, 0x80 | other).bytes, .received)
          traffic.smp([4] + own.bytes, .sent)
          traffic.smp([4] + peer.bytes, .received)
        }
        traffic.pairingFailed(4, .sent)
      }
    }
    let differing = play([1, 0, 1], [1, 0, 0])
    #expect(
      details(of: "smp_passkey_mismatch", in: differing) == [
        "bit 3 of 20, from the least significant one: this host <hidden>, the peer <hidden>; --show-keys prints them | bit 3 of 20, from the least significant one: this host 1, the peer 0"
      ])
    #expect(pairingErrors(in: differing) == ["smp_passkey_mismatch #14 #15 #16 #17 #18"])
    // No user types so fast, so the program's passkey is mentioned first.
    let typed =
      "Compare the digits typed on this host with those on the peer's display; check leading zeros"
    for (pause, beginning) in [
      (0, "First check where the program that typed on this host gets its passkey from"),
      (2000, typed),
    ] {
      let remedy = play([1, 0, 1], [1, 0, 0], pause: pause).findings().first?.remedy?.text ?? ""
      #expect(remedy.hasPrefix(beginning), "\(pause) ms: \(remedy)")
    }
    // Almost: the bits are the same.
    #expect(
      pairingErrors(in: play([1, 0, 1], [1, 0, 1])) == ["smp_confirm_deviates #14 #15 #16 #17 #18"])
    #expect(differing.lines(of: "smp_passkey_recovered") == [])
  }

  @Test("missing passkey rounds of a successful pairing are reported")
  func missingRounds() {
    let key = P256PublicKey.debug
    func reported(rounds: Int, isPaired: Bool) -> String? {
      let evidence = evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures(io: 2, auth: 13, peerIO: 0, peerAuth: 13)
        traffic.smp([12] + key.x.bytes + key.y.bytes, .sent)
        traffic.smp([12] + key.x.bytes + key.y.bytes, .received)
        for round in 0..<rounds {
          for (opcode, side) in [
            (UInt8(3), Direction.sent), (3, .received), (4, .sent), (4, .received),
          ] {
            let random = PairingValue(number: UInt128(round) + (side == .sent ? 100 : 200))
            traffic.smp(
              [opcode]
                + (opcode == 4
                ? random : SecureConnections.f4(key.x, key.x, random: random, z: 0x80))
                .bytes, side)
          }
        }
        // Keys are distributed on the encrypted link.
        if isPaired {
          traffic.encrypt()
          traffic.smp([10] + key.x.bytes.prefix(16), .received)
        }
      }
      return story(of: evidence).first { $0.contains("passkey rounds") }
    }
    #expect(
      reported(rounds: 16, isPaired: true)
        == "16 of 20 passkey rounds agree; records of the others are missing in the capture")
    #expect(reported(rounds: 20, isPaired: true) == "20 of 20 passkey rounds agree")
    #expect(reported(rounds: 16, isPaired: false) == "16 of 20 passkey rounds agree")
  }

  @Test("public keys: an invalid point is reported, and so is the same one on both sides")
  func publicKeys() {
    func play(_ first: [UInt8], _ second: [UInt8]) -> Evidence {
      evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures(io: 3, auth: 9, peerIO: 3, peerAuth: 9)
        traffic.smp([12] + first, .sent)
        traffic.smp([12] + second, .received)
        traffic.pairingFailed(10, .sent)
      }
    }
    let key = P256PublicKey.debug.x.bytes + P256PublicKey.debug.y.bytes
    let none = [UInt8](repeating: 1, count: 64)
    let invalid = play(key, none)
    #expect(
      invalid.lines(of: "smp_invalid_public_key")
        == ["The public key of the peer is invalid #5"])
    #expect(pairingErrors(in: invalid) == ["smp_invalid_parameters #2 #3 #5 #6"])
    #expect(
      evidenceOfReflection(play(none, none)) == ["Both public keys are the same #4 #5"])
    #expect(play(key, key).lines(of: "smp_invalid_public_key") == [])
  }

  private func evidenceOfReflection(_ evidence: Evidence) -> [String] {
    evidence.lines(of: "smp_invalid_public_key")
  }
}
