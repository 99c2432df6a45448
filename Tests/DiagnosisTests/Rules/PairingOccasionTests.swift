// Rules about why and how often two devices pair (Security Requests, repeated pairing), and hostile
// pairing traffic.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Rules about why and how often devices pair") struct PairingOccasionTests {
  // MARK: Security Requests

  @Test("a Security Request that the central ignores") func ignored() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp("0b 05", .received)
      traffic.command(0x1405, little(0x40))
      traffic.sent("52 03 00 01")
      traffic.clock += 2000
      traffic.disconnect(reason: 0x13)
    }
    #expect(evidence.packets(of: "smp_security_request_ignored") == ["#2 #5"])
    #expect(evidence.findings().first?.severity == .warning)
  }

  @Test(
    "a Security Request that is answered: by pairing, refusal or encryption; or has no time for a response",
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
    #expect(evidence.lines(of: "smp_security_request_ignored") == [])
    #expect(pairingErrors(in: evidence) == (answer == 1 ? ["smp_not_supported #2 #3"] : []))
  }

  @Test("a Security Request that the central answers by pairing is named in the story")
  func asked() {
    let before = evidence { traffic in
      traffic.connect()
      traffic.smp("0b 01", .received)
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
    }
    #expect(
      story(of: before).last
        == "this host asks to pair, as requested at #2: no input and no output, bonding, no Secure Connections"
    )
  }

  // MARK: Repeated pairing

  @Test("pairing on an encrypted link, and on one that is not") func whileEncrypted() {
    func play(_ isEncrypted: Bool) -> Evidence {
      evidence { traffic in
        traffic.connect()
        if isEncrypted { traffic.encrypt() }
        traffic.pairAndBond()
      }
    }
    #expect(
      play(true).lines(of: "smp_while_encrypted") == [
        "The link was encrypted when pairing began #4"
      ])
    #expect(play(false).lines(of: "smp_while_encrypted") == [])
  }

  @Test(
    "pairing over a bond, unless a program deleted it or the key had failed; a note on success",
    arguments: 0..<4)
  func overBond(_ between: Int) {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.pairAndBond()
      if between == 1 { traffic.management(event: false, 0x1b, [1]) }
      traffic.disconnect()
      traffic.connect()
      if between == 2 { traffic.encrypt(status: 6) }
      if between == 3 {
        traffic.pairAndBond()
      } else {
        traffic.exchangeFeatures()
        traffic.pairingFailed(8)
      }
    }
    #expect(
      evidence.packets(of: "smp_over_bond") == (between == 0 || between == 3 ? ["#9 #13"] : []))
    let severity = evidence.finding("smp_over_bond")?.severity
    #expect(severity == [0: .warning, 3: .note][between])
  }

  @Test("a Pairing Request from the peripheral, and from the central") func peripheralRequest() {
    func play(_ side: Direction) -> Evidence {
      evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1, from: side)
      }
    }
    #expect(
      play(.received).lines(of: "smp_unexpected") == [
        "The peer sent a Pairing Request, although only a central may #2"
      ])
    #expect(play(.sent).lines(of: "smp_unexpected") == [])
  }

  @Test("a public key in legacy pairing is out of turn; a value after the failure is not")
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
      play(true).lines(of: "smp_unexpected") == [
        "Pairing Public Key was out of sequence #4"
      ])
    #expect(play(false).lines(of: "smp_unexpected") == [])
  }

  // MARK: Hostile input

  @Test("PDUs in any order, cut or repeated, on known and unknown links: nothing traps")
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

  @Test("a thousand attempts: the first and the last are kept, the rest are counted") func many() {
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
