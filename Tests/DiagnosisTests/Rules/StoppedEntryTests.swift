// Pairings that stop although the passkey was typed.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Pairing that stops after the passkey was typed") struct StoppedEntryTests {
  @Test(
    "Passkey Entry Failed after the digits were typed: the displaying side stopped, and only its log has the reason"
  )
  func stoppedAfterEntry() {
    // The peer, which shows the passkey, stops before anything was typed, and after; the typing
    // side stops.
    let played: [(typed: Bool, by: Direction, what: String)] = [
      (true, .received, "The peer stopped after the passkey was typed #2 #3 #4 #5"),
      (false, .received, "The peer, which shows the passkey, gave up before it was typed #2 #3 #4"),
      (true, .sent, "This host reports that the passkey was not entered #2 #3 #5"),
    ]
    for (typed, side, what) in played {
      let evidence = evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures()
        traffic.clock += 2000
        if typed { traffic.pairingValue(3, 1, .sent) }
        traffic.pairingFailed(1, side)
      }
      #expect(evidence.lines(of: "smp_passkey_entry_failed") == [what])
      guard let finding = evidence.findings().first, what.contains("after") else { continue }
      #expect(finding.why.text.contains("although this host had committed to its digits (#4)"))
    }
  }

  @Test("the same over Secure Connections: after how many rounds, and that the entry was completed")
  func stoppedAfterRounds() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(auth: 29, peerAuth: 29)
      traffic.smp([12] + [UInt8](repeating: 1, count: 64), .sent)
      traffic.smp([12] + [UInt8](repeating: 2, count: 64), .received)
      traffic.clock += 2000
      traffic.smp("0e 00", .sent)
      traffic.smp("0e 04", .sent)
      for _ in 0..<2 { traffic.legacyValues() }
      traffic.pairingFailed(1)
    }
    let finding = evidence.finding("smp_passkey_entry_failed")
    #expect(finding.whyText.contains("after 2 of 20 rounds"))
    #expect(finding.whyText.contains("its entry was completed (#7)"))
  }
}
