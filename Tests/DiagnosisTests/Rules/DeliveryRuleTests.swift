// Data that the controller never reports as delivered.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Data that is not delivered") struct DeliveryRuleTests {
  private static let rule = "link_not_delivered"

  /// A read whose packet may be completed, notifications meanwhile, and the end of the link.
  private func capture(
    completes: Bool, waits: Int = 20_000, hears: Bool = true, reason: UInt8 = 0x16,
    loses: Bool = false
  ) -> Evidence {
    evidence {
      $0.connectToHeartRate()
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
      evidence.lines(of: Self.rule) == ["What this host sent was not delivered #9 #10 #13"])
    #expect(evidence.lines(of: "att_request_unanswered") == [], "the peer never got it")
    let found = evidence.finding(Self.rule)
    #expect(found?.certainty == .likely)
    #expect(found.whyText.contains("The peer itself was heard meanwhile (#10)."))
  }

  @Test("a request that is completed: the peer is to blame") func delivered() {
    let evidence = capture(completes: true)
    #expect(evidence.lines(of: Self.rule) == [])
    #expect(evidence.lines(of: "att_request_unanswered").count == 1)
  }

  @Test("no claim about packets that are under way, of a lost link, or in a capture with gaps")
  func silent() {
    #expect(capture(completes: false, waits: 3_000).lines(of: Self.rule) == [])
    #expect(
      capture(completes: false, hears: false, reason: 0x08).lines(of: Self.rule) == [],
      "the peer was gone")
    #expect(capture(completes: false, loses: true).lines(of: Self.rule) == [])
  }

  @Test("a pairing whose last PDU is never completed is not a peer that does not answer")
  func pairing() {
    func rules(completes: Bool) -> [String] {
      let evidence = evidence {
        $0.connectToHeartRate()
        $0.completed(3)
        $0.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
        $0.completed(1)
        $0.pairingValue(3, 1, .sent)
        if completes { $0.completed(1) }
        $0.wait(32_000)
        $0.endLink()
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
      $0.connectToHeartRate()
      $0.completed(2)
      $0.ask("0a 13 00", "0b 01")
      $0.completed(1)
      $0.ask("0a 13 00", "0b 01")
      $0.wait(20_000)
      $0.endLink()
    }
    #expect(evidence.lines(of: Self.rule) == [], "one event is missing")
  }
}
