// Rules about how pairing goes: silence, refusals, Security Requests, repetition; each with what triggers it
// and what nearly does.

import Bluetooth
import Diagnosis
import MadeTraffic
import Testing

@Suite("Rules about how pairing goes") struct PairingRuleTests {
  // MARK: Silence

  @Test(
    "nobody types the passkey within 30 s: who had to, whoever ends it",
    arguments: [true, false])
  func silentUser(isRefused: Bool) {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.clock += 30_000
      if isRefused { traffic.pairingFailed(1, .sent) } else { traffic.disconnect(reason: 0x13) }
    }
    #expect(
      pairingErrors(in: evidence) == [
        "smp-user-silent: This host's user did not type the six digits that the peer shows #3 #4"
      ])
    #expect(evidence.findings().first?.certainty == .likely)
  }

  @Test("a user who cancels after 20 s is no silent one") func cancellingUser() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.clock += 20_000
      traffic.pairingFailed(1, .sent)
    }
    #expect(
      pairingErrors(in: evidence) == [
        "smp-passkey-entry-failed: The passkey was not entered on this host #2 #3 #4"
      ])
  }

  @Test("the responder types: its user is the silent one, once the initiator has committed itself")
  func silentPeer() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 0, peerIO: 2)
      traffic.pairingValue(3, 1, .sent)
      traffic.clock += 30_000
      traffic.disconnect(reason: 0x13)
    }
    #expect(
      pairingErrors(in: evidence) == [
        "smp-user-silent: The peer's user did not type the six digits that this host shows #4 #5"
      ])
  }

  @Test("Just Works and silence: consent may have been asked for, or not; that is only possible")
  func silentConsent() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.clock += 30_000
      traffic.disconnect(reason: 0x13)
    }
    #expect(rules(in: evidence).contains("smp-user-silent"))
    #expect(evidence.findings().first?.certainty == .possible)
  }

  @Test("a Pairing Request without an answer for 30 s is a timeout of a program") func timeout() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
      traffic.clock += 30_000
      traffic.disconnect(reason: 0x13)
    }
    #expect(
      pairingErrors(in: evidence) == ["smp-timeout: The peer did not answer for 30 s #2 #3"])
  }

  @Test("a capture that ends 10 s after the Pairing Request says nothing") func noTimeout() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
      traffic.clock += 10_000
      traffic.command(0x0c14)
    }
    #expect(pairingErrors(in: evidence) == [])
    #expect(evidence.connections.first?.paired.description == "unknown")
  }

  @Test("the link ends in the middle: by whom, and how far it was") func abandoned() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.pairingValue(3, 1, .sent)
      traffic.clock += 2000
      traffic.disconnect(reason: 0x13)
    }
    #expect(
      pairingErrors(in: evidence) == [
        "smp-abandoned: The link ended in the middle of the pairing #4 #5"
      ])
    #expect(
      evidence.findings().first?.why.text
        == "The pairing had come as far as #4, after a confirm value, 2.0 s later the peer disconnected (Remote User Terminated Connection (0x13)). Nobody refused the pairing."
    )
  }

  @Test("a link that ends after it was encrypted with the new key was paired") func notAbandoned() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.pairAndBond()
      traffic.disconnect()
    }
    #expect(pairingErrors(in: evidence) == [])
    #expect(evidence.connections.first?.paired.description == "legacy_just_works")
  }

  @Test("records are missing: what did not come is less sure") func lost() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.add([4, 0x13, 5, 1, 0x40, 0, 1, 0], .received, drops: 3)
      traffic.disconnect(reason: 0x13)
    }
    #expect(
      evidence.findings().first { $0.rule.description == "smp-abandoned" }?.certainty == .likely)
  }

  // MARK: Refusals

  @Test("no MITM protection with these IO capabilities: which, and why") func requirements() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 4, auth: 5, peerIO: 3, peerAuth: 1)
      traffic.pairingFailed(3, .sent)
    }
    #expect(
      pairingErrors(in: evidence) == [
        "smp-authentication-requirements: This host demands more than this pairing can give #2 #3 #4"
      ])
    #expect(
      evidence.findings().first?.why.text
        == "This host answered the pairing with Authentication Requirements (0x03). This host asked for MITM protection, which these IO capabilities do not allow: the peer has no input and no output (this host: keyboard and display; the peer: no input and no output)."
    )
    #expect(findings(of: "smp-mitm-impossible", in: evidence) == [])
  }

  @Test("the same features, and nobody refuses: a note on the key, no error") func unauthenticated()
  {
    func play(_ auth: UInt8) -> Evidence {
      evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures(io: 4, auth: auth, peerIO: 3, peerAuth: 1)
        traffic.legacyValues()
        traffic.encrypt()
      }
    }
    #expect(
      findings(of: "smp-mitm-impossible", in: play(5)) == [
        "The new key is unauthenticated although MITM protection was asked for #2 #3"
      ])
    #expect(pairingErrors(in: play(5)) == [])
    // Nearly: nobody asks for it.
    #expect(findings(of: "smp-mitm-impossible", in: play(1)) == [])
  }

  @Test("a failure that a later attempt on the connection makes good is a note") func resolved() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.pairingFailed(8)
      traffic.pairAndBond()
    }
    let finding = evidence.findings().first { $0.rule.description == "smp-unspecified" }
    #expect(finding?.severity == .note)
    #expect(finding?.isResolved == true)
    #expect(finding?.headline.text == "pairing failed at #4, and succeeded at #12")
    #expect(pairingErrors(in: evidence) == [])
  }

  @Test("equal failures of a connection are told once, with all packets") func equalFailures() {
    let evidence = evidence { traffic in
      traffic.connect()
      for _ in 0..<3 {
        traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
        traffic.pairingFailed(5)
      }
    }
    #expect(
      pairingErrors(in: evidence) == ["smp-not-supported: The peer does not pair #2 #3 #5 #7"])
    #expect(
      evidence.findings().first?.note?.text
        == "It failed in the same way 2 more times, from #5 on.")
    #expect(
      findings(of: "smp-repeated", in: evidence) == ["3 attempts to pair, 3 failed #3 #5 #7"])
  }

  @Test("one failure and one success are no repetition") func notRepeated() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
      traffic.pairingFailed(5)
      traffic.pairAndBond()
    }
    #expect(findings(of: "smp-repeated", in: evidence) == [])
  }

  @Test("Repeated Attempts tells how soon after which failure") func tooSoon() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.pairingFailed(8)
      traffic.clock += 499
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
      traffic.pairingFailed(9)
    }
    #expect(
      findings(of: "smp-repeated-attempts", in: evidence) == [
        "The peer refused a new attempt so soon after one that failed #5 #6 #4"
      ])
    #expect(
      evidence.findings().contains {
        $0.why.text.contains(
          "1 attempt before this one failed, the last one at #4, 500 ms before this attempt.")
      })
  }

  // MARK: Users and programs of BlueZ

  @Test("Just Works refused by this host after BlueZ asked for consent: likely nobody answered")
  func unconfirmed() {
    let evidence = evidence { traffic in
      traffic.connect(role: 1)
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1, from: .received)
      traffic.management(event: true, 0x0f, [1, 0, 0, 0, 0])
      traffic.management(event: false, 0x1d)
      traffic.pairingFailed(12, .sent)
    }
    #expect(
      pairingErrors(in: evidence) == [
        "smp-just-works-unconfirmed: Just Works was refused: this host did not confirm it #2 #3 #6 #4 #5"
      ])
    #expect(evidence.findings().first?.certainty == .likely)
    #expect(
      evidence.findings().first?.why.text.contains(
        "BlueZ asked for the user's consent at #4, and got No at #5") == true)
  }

  @Test("the same from a peer: only a refusal is proven") func unconfirmedPeer() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.pairingFailed(12)
    }
    #expect(
      pairingErrors(in: evidence) == [
        "smp-just-works-unconfirmed: Just Works was refused: the peer did not confirm it #2 #3 #4"
      ])
    #expect(evidence.findings().first?.certainty == .possible)
  }

  @Test("a log line that no agent is there counts for the peer that it is about, and for no other")
  func agentMissing() {
    func play(_ address: String) -> Evidence {
      evidence { traffic in
        func log(_ text: String) {
          traffic.note(13, [7, 11] + Array("bluetoothd\0".utf8) + Array(text.utf8) + [0])
        }
        traffic.connect(role: 1)
        traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1, from: .received)
        log("src/device.c:new_auth() Requesting agent authentication for \(address)")
        log("src/device.c:new_auth() No agent available for request type 2")
        traffic.pairingFailed(12, .sent)
      }
    }
    #expect(
      pairingErrors(in: play("C0:11:22:33:44:55")) == [
        "smp-just-works-unconfirmed: Just Works was refused: this host did not confirm it #2 #3 #6 #5"
      ])
    #expect(
      pairingErrors(in: play("00:11:22:33:44:55")) == [
        "smp-just-works-unconfirmed: Just Works was refused: this host did not confirm it #2 #3 #6"
      ])
  }

  // MARK: Security Requests

  @Test("a Security Request that the central ignores") func ignored() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp("0b 05", .received)
      traffic.clock += 2000
      traffic.disconnect(reason: 0x13)
    }
    #expect(
      findings(of: "smp-security-request-ignored", in: evidence) == [
        "This host ignored a request for security #2 #3"
      ])
    #expect(evidence.findings().first?.severity == .warning)
  }

  @Test(
    "a Security Request that is answered: by pairing, by a refusal, by encryption; or not given time",
    arguments: 0..<4)
  func answered(_ answer: Int) {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp("0b 05", .received)
      switch answer {
      case 0: traffic.pairAndBond()
      case 1: traffic.pairingFailed(5, .sent)
      case 2: traffic.encrypt()
      default: break
      }
      traffic.clock += answer == 3 ? 200 : 6000
      traffic.disconnect(reason: 0x13)
    }
    #expect(findings(of: "smp-security-request-ignored", in: evidence) == [])
    #expect(
      pairingErrors(in: evidence)
        == (answer == 1 ? ["smp-not-supported: This host does not pair #2 #3"] : []))
  }

  @Test("a Security Request that crosses with the central's Pairing Request") func race() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
      traffic.smp("0b 01", .received)
    }
    #expect(
      findings(of: "smp-security-request-race", in: evidence) == [
        "A Security Request crossed with the central's own beginning #2 #3"
      ])
    // Nearly: it came before.
    let before = evidence_ { traffic in
      traffic.connect()
      traffic.smp("0b 01", .received)
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
    }
    #expect(findings(of: "smp-security-request-race", in: before) == [])
    #expect(
      story(of: before).last
        == "this host asks to pair, as asked at #2: no input and no output, bonding, no Secure Connections"
    )
  }

  // MARK: Once more

  @Test("pairing on an encrypted link, and on one that is not") func whileEncrypted() {
    func play(_ isEncrypted: Bool) -> Evidence {
      evidence { traffic in
        traffic.connect()
        if isEncrypted { traffic.encrypt() }
        traffic.pairAndBond()
      }
    }
    #expect(
      findings(of: "smp-while-encrypted", in: play(true)) == [
        "The link was encrypted when pairing began #4"
      ])
    #expect(findings(of: "smp-while-encrypted", in: play(false)) == [])
  }

  @Test(
    "pairing anew over a bond, unless a program deleted it or the key had failed", arguments: 0..<3)
  func overBond(_ between: Int) {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.pairAndBond()
      if between == 1 { traffic.management(event: false, 0x1b, [1]) }
      traffic.disconnect()
      traffic.connect()
      if between == 2 { traffic.encrypt(status: 6) }
      traffic.pairAndBond()
    }
    #expect(
      findings(of: "smp-over-bond", in: evidence)
        == (between == 0
          ? ["This host pairs anew although the two were bonded #9 #13"] : []))
  }

  @Test("a Pairing Request from the peripheral, and from the central") func peripheralRequest() {
    func play(_ side: Direction) -> Evidence {
      evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1, from: side)
      }
    }
    #expect(
      findings(of: "smp-unexpected", in: play(.received)) == [
        "The peer is the peripheral and sent a Pairing Request #2"
      ])
    #expect(findings(of: "smp-unexpected", in: play(.sent)) == [])
  }

  @Test("a public key in legacy pairing came out of turn; a value after the failure did not")
  func outOfTurn() {
    func play(_ isBefore: Bool) -> Evidence {
      evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures()
        if !isBefore { traffic.pairingFailed(8) }
        traffic.smp([12] + [UInt8](repeating: 1, count: 64), .sent)
      }
    }
    #expect(
      findings(of: "smp-unexpected", in: play(true)) == ["Pairing Public Key came out of turn #4"])
    #expect(findings(of: "smp-unexpected", in: play(false)) == [])
  }

  // MARK: Hostile input

  @Test("PDUs in any order, cut or repeated, on links that are known or not: nothing traps")
  func hostile() {
    var seed: UInt64 = 1
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    for _ in 0..<60 {
      let evidence = evidence { traffic in
        if random(2) == 0 { traffic.connect(role: UInt8(random(3))) }
        for _ in 0..<60 {
          let size = [1, 2, 7, 8, 11, 17, 65][random(7)]
          let bytes =
            [UInt8(random(16))] + (1..<max(2, size)).map { _ in UInt8(random(6)) }
          traffic.smp(bytes, random(2) == 0 ? .sent : .received, handle: 0x40 + random(2))
          switch random(12) {
          case 0: traffic.encrypt(status: UInt8(random(2)) &* 6)
          case 1: traffic.disconnect(reason: 0x13)
          case 2: traffic.connect()
          case 3: traffic.management(event: random(2) == 0, 0x0f + random(17))
          case 4: traffic.clock += random(2) == 0 ? 30_000 : -40_000
          case 5: traffic.addWithoutTime([2, 0x40, 0x20, 6, 0, 2, 0, 6, 0, 5, 4], .received)
          default: break
          }
        }
      }
      for finding in evidence.findings() {
        #expect(!finding.why.isEmpty && !finding.evidence.isEmpty, "\(finding.rule)")
      }
      for position in evidence.connections.indices { _ = story(of: evidence, connection: position) }
    }
  }

  @Test("a thousand attempts: the first and the last are kept, the rest is counted") func many() {
    let evidence = evidence { traffic in
      traffic.connect()
      for _ in 0..<1000 {
        traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
        traffic.pairingFailed(5)
      }
    }
    let pairing = evidence.connections.first?.pairing
    #expect(pairing?.attemptCount == 1000)
    #expect(pairing?.attempts.count == 24)
    #expect(pairing?.attempts.first?.first.packet == 2)
    #expect(pairing?.attempts.last?.first.packet == 2000)
  }
}

/// The evidence of traffic, where a local of that name hides the function.
private func evidence_(_ build: (inout Traffic) -> Void) -> Evidence { evidence(build) }
