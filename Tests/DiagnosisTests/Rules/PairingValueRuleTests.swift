// Rules about the values of a pairing. The values are computed here: those that trigger the rules,
// and those that almost do. CryptographyTests tests the functions.

import Bluetooth
import Bytes
import Cryptography
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

extension PairingValue {
  /// The bytes in transmission order.
  var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: number >> UInt128(8 * $0)) }
  }
}

extension P256Coordinate {
  var bytes: [UInt8] {
    PairingValue(number: low).bytes + PairingValue(number: high).bytes
  }
}

/// A legacy pairing of this host (keyboard) with the peer (display).
struct LegacyValues {
  var own = PairingAddress(DeviceAddress(value: 0xc0ff_eec0_ffee), isRandom: true)
  var peer = PairingAddress(DeviceAddress(value: 0xc011_2233_4455), isRandom: true)
  var request = Traffic.pairingFeatures(response: false, io: 2, auth: 5)
  var response = Traffic.pairingFeatures(response: true, io: 0, auth: 5)
  let initiatorRandom = PairingValue(number: 0x1111_2222_3333_4444)
  let responderRandom = PairingValue(number: 0x5555_6666_7777_8888)

  func confirm(_ passkey: UInt32, _ random: PairingValue) -> [UInt8] {
    guard let requested = PairingCommand(request.bytes),
      let responded = PairingCommand(response.bytes), let digits = SixDigits(passkey)
    else { return [] }
    let pairing = LegacyPairing(
      request: requested, response: responded, initiator: own, responder: peer)
    return [3] + pairing.c1(temporaryKey: PairingValue(digits), random: random).bytes
  }

  /// Records features, confirm and random values up to the refusal by `side`.
  func play(
    _ traffic: inout Traffic, _ initiator: UInt32, _ responder: UInt32, refusedBy side: Direction
  ) {
    traffic.connect()
    traffic.smp(request, .sent)
    traffic.smp(response, .received)
    traffic.smp(confirm(initiator, initiatorRandom), .sent)
    traffic.smp(confirm(responder, responderRandom), .received)
    traffic.smp([4] + initiatorRandom.bytes, .sent)
    if side == .sent { traffic.smp([4] + responderRandom.bytes, .received) }
    traffic.pairingFailed(4, side)
  }
}

@Suite("Rules about the values of a pairing") struct PairingValueRuleTests {
  // MARK: Legacy

  @Test("the responder refuses: the initiator's passkey and address are found")
  func responderRefuses() {
    let evidence = evidence { LegacyValues().play(&$0, 123, 124, refusedBy: .received) }
    #expect(pairingErrors(in: evidence) == ["smp_passkey_mismatch #4 #6 #7"])
    #expect(
      details(of: "smp_passkey_mismatch", in: evidence) == [
        "this host <hidden>, the peer unknown; --show-keys prints it | this host 000123, the peer unknown"
      ])
    #expect(evidence.findings().first.whyText.contains("is unknown: it never sent its random"))
  }

  @Test("the initiator refuses after both have revealed their values: both passkeys are found")
  func initiatorRefuses() {
    let evidence = evidence { LegacyValues().play(&$0, 123, 124, refusedBy: .sent) }
    #expect(pairingErrors(in: evidence) == ["smp_passkey_mismatch #4 #5 #6 #7 #8"])
    #expect(
      details(of: "smp_passkey_mismatch", in: evidence) == [
        "the peer <hidden>, this host <hidden>; --show-keys prints it | the peer 000124, this host 000123"
      ])
  }

  @Test(
    "a listener can find a successful pairing's legacy passkey, and compute the key of Just Works; not without the values"
  )
  func exposed() {
    func play(_ io: UInt8, hasValues: Bool = true, _ rule: String = "smp_passkey_exposed")
      -> [String]
    {
      evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures(io: io)
        if hasValues {
          traffic.legacyValues()
        } else {
          traffic.pairingValue(4, 3, .sent)
        }
        traffic.encrypt()
      }.lines(of: rule)
    }
    #expect(play(2) == ["An eavesdropper can find the passkey of this pairing #4 #6"])
    #expect(play(2, hasValues: false) == [])
    #expect(play(3) == [])
    #expect(
      play(3, "smp_key_exposed") == ["An eavesdropper can compute the key of this pairing #6 #7"])
    #expect(play(3, hasValues: false, "smp_key_exposed") == [])
    #expect(play(2, "smp_key_exposed") == [])
    // On an encrypted link nobody sees the values.
    let hidden = evidence { traffic in
      traffic.connect()
      traffic.startEncryption()
      traffic.encrypted()
      traffic.exchangeFeatures(io: 3)
      traffic.legacyValues()
      traffic.startEncryption(key: 0x22)
      traffic.encrypted()
    }
    #expect(hidden.lines(of: "smp_key_exposed") == [])
    #expect(hidden.lines(of: "smp_while_encrypted").count == 1)
  }

  @Test("the same passkey on both sides, and the initiator refuses: no mismatch, its own mistake")
  func refusedThoughEqual() {
    let evidence = evidence { LegacyValues().play(&$0, 123, 123, refusedBy: .sent) }
    #expect(pairingErrors(in: evidence) == ["smp_confirm_deviates #4 #5 #6 #7 #8"])
    #expect(
      evidence.finding("smp_confirm_deviates").whatText.hasPrefix(
        "This host refused a confirm value"))
  }

  @Test("c1 with the wrong type of the responder's address: no mismatch, the deviation is named")
  func wrongAddressType() {
    var legacy = LegacyValues()
    legacy.peer = PairingAddress(legacy.peer.address, isRandom: false)
    let evidence = evidence { legacy.play(&$0, 123, 123, refusedBy: .received) }
    #expect(pairingErrors(in: evidence) == ["smp_confirm_deviates #4 #6 #7"])
    #expect(
      evidence.findings().first.whyText.hasSuffix("the wrong type of the responder's address."))
    #expect(evidence.findings().first?.certainty == .certain)
  }

  @Test(
    "c1 with an own address other than the capture's: the capture may lack a change, so not certain"
  )
  func otherOwnAddress() {
    let evidence = evidence { traffic in
      traffic.command(0x2005, little(0xc0aa_aaaa_aaaa, width: 6))
      traffic.command(0x200d, [UInt8](repeating: 0, count: 12) + [1])
      LegacyValues().play(&traffic, 123, 124, refusedBy: .received)
    }
    let finding = evidence.findings().first
    #expect(finding?.rule.description == "smp_confirm_deviates")
    #expect(finding?.certainty == .likely)
    #expect(finding.whyText.contains("an address other than the initiator's"))
  }

  @Test(
    "the capture's own address is used: LE Set Random Address and the address type of the connection"
  )
  func ownAddress() {
    let evidence = evidence { traffic in
      traffic.command(0x2005, little(0xc0ff_eec0_ffee, width: 6))
      traffic.command(0x200d, [UInt8](repeating: 0, count: 12) + [1])
      LegacyValues().play(&traffic, 123, 124, refusedBy: .received)
    }
    #expect(rules(in: evidence).contains("smp_passkey_mismatch"))
  }

  @Test("Just Works with a correct value, refused by the responder: its mistake, and no passkeys")
  func justWorksRefused() {
    var legacy = LegacyValues()
    legacy.request[1] = 3
    let evidence = evidence { legacy.play(&$0, 0, 0, refusedBy: .received) }
    #expect(pairingErrors(in: evidence) == ["smp_confirm_deviates #4 #6 #7"])
    #expect(evidence.finding("smp_confirm_deviates").whatText.hasPrefix("The peer refused"))
    #expect(evidence.findings().first?.grounds == .fact)
  }

  @Test("a Just Works value that matches nothing: its sender computes it wrongly")
  func nothingFits() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.legacyValues()
      traffic.pairingFailed(4, .sent)
    }
    #expect(pairingErrors(in: evidence) == ["smp_confirm_deviates #5 #7 #8"])
    #expect(
      evidence.findings().first.whyText.hasPrefix(
        "The key of Just Works does not fit the commitment that the peer opened, even with the common errors"
      ))
  }

  @Test("many failed pairings: four are searched, and all are reported") func searches() {
    let evidence = evidence { traffic in
      for passkey in 1...6 as ClosedRange<UInt32> {
        LegacyValues().play(&traffic, passkey, 0, refusedBy: .received)
        traffic.disconnect()
      }
    }
    let attempts = evidence.connections.flatMap(\.pairing.attempts)
    #expect(
      attempts.map { $0.outcome.search?.hasInitiator ?? false } == [
        true, true, true, true, false, false,
      ])
    let reported = evidence.findings(of: "smp_passkey_mismatch")
    #expect(reported.map(\.connections.count) == [6])
  }

  @Test("both addresses are missing: no search, which is reported")
  func addressesMissing() {
    let evidence = evidence { traffic in
      let legacy = LegacyValues()
      traffic.smp(legacy.request, .sent)
      traffic.smp(legacy.response, .received)
      traffic.smp(legacy.confirm(123, legacy.initiatorRandom), .sent)
      traffic.smp(legacy.confirm(124, legacy.responderRandom), .received)
      traffic.smp([4] + legacy.initiatorRandom.bytes, .sent)
      traffic.pairingFailed(4)
    }
    let mismatch = evidence.finding("smp_passkey_mismatch")
    #expect(mismatch.whyText.contains("the capture has neither"))
    #expect(mismatch?.certainty == .likely)
    #expect(mismatch?.details.isEmpty == true)
  }

  @Test("a passkey refused before any value was revealed: passkeys are not mentioned")
  func refusedAtOnce() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.pairingValue(3, 1, .sent)
      traffic.pairingFailed(4)
    }
    #expect(pairingErrors(in: evidence) == ["smp_confirm_failed #2 #3 #5"])
  }
}
