// Data that the controller never reports as delivered.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Data that is not delivered") struct DeliveryTests {
  private static let rule = "link_not_delivered"

  /// A read whose packet may be completed, notifications meanwhile, and the end of the link.
  private func capture(
    completes: Bool, waits: Int = 20_000, hears: Bool = true, reason: UInt8 = 0x16,
    loses: Bool = false
  ) -> Evidence {
    evidence {
      $0.connect()
      $0.discoverHeartRate()
      $0.completed(3)
      $0.sent("0a 13 00")
      if completes { $0.completed(1) }
      if loses { $0.completed(60) }
      $0.wait(waits / 2)
      if hears { $0.received("1b 10 00 06 48") }
      $0.wait(waits / 2)
      if reason == 0x16 { $0.askToDisconnect() }
      $0.disconnect(reason: reason)
    }
  }

  @Test("a request that is never completed: not the peer is to blame") func undelivered() {
    let evidence = capture(completes: false)
    #expect(
      findings(of: Self.rule, in: evidence) == ["What this host sent was not delivered #9 #10 #13"])
    #expect(findings(of: "att_request_unanswered", in: evidence) == [], "the peer never got it")
    let found = finding(Self.rule, in: evidence)
    #expect(found?.certainty == .likely)
    #expect(found?.why.text.contains("The peer itself was heard meanwhile (#10).") == true)
  }

  @Test("a request that is completed: the peer is to blame") func delivered() {
    let evidence = capture(completes: true)
    #expect(findings(of: Self.rule, in: evidence) == [])
    #expect(findings(of: "att_request_unanswered", in: evidence).count == 1)
  }

  @Test("no claim about packets that are under way, of a lost link, or in a capture with gaps")
  func silent() {
    #expect(findings(of: Self.rule, in: capture(completes: false, waits: 3_000)) == [])
    #expect(
      findings(of: Self.rule, in: capture(completes: false, hears: false, reason: 0x08)) == [],
      "the peer was gone")
    #expect(findings(of: Self.rule, in: capture(completes: false, loses: true)) == [])
  }

  @Test("a pairing whose last PDU is never completed is not a peer that does not answer")
  func pairing() {
    func rules(completes: Bool) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.discoverHeartRate()
        $0.completed(3)
        $0.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
        $0.completed(1)
        $0.pairingValue(3, 1, .sent)
        if completes { $0.completed(1) }
        $0.wait(32_000)
        $0.askToDisconnect()
        $0.disconnect(reason: 0x16)
      }
      return DiagnosisTests.rules(in: evidence)
    }
    #expect(rules(completes: false).contains(Self.rule))
    #expect(!rules(completes: false).contains("smp_timeout"))
    #expect(rules(completes: true).contains("smp_timeout"))
    #expect(!rules(completes: true).contains(Self.rule))
  }

  @Test("an answer shows that the request arrived, whatever the events say") func answered() {
    let evidence = evidence {
      $0.connect()
      $0.discoverHeartRate()
      $0.completed(2)
      $0.ask("0a 13 00", "0b 01")
      $0.completed(1)
      $0.ask("0a 13 00", "0b 01")
      $0.wait(20_000)
      $0.askToDisconnect()
      $0.disconnect(reason: 0x16)
    }
    #expect(findings(of: Self.rule, in: evidence) == [], "one event is missing")
  }
}
