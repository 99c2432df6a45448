// Requests that are refused for lack of security.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Refused for lack of security") struct AccessRuleTests {
  /// Returns the severities of a rule's findings.
  private func severities(of rule: String, in evidence: Evidence) -> [Severity?] {
    attributeFindings(in: evidence).filter { $0.rule.description == rule }.map(\.severity)
  }

  @Test("0x05 without a key, and no side pairs") func nobodyPairs() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("0a 13 00", "01 0a 13 00 05")
      $0.disconnect()
    }
    #expect(evidence.packets(of: "att_insufficient_authentication") == ["#8 #9"])
    #expect(severities(of: "att_insufficient_authentication", in: evidence) == [.error])
    #expect(
      attributeFindings(in: evidence).first.whyText.hasSuffix("neither device asked to pair."))
    #expect(attributeRules(in: evidence) == ["att_insufficient_authentication"])
  }

  @Test("0x05, then pairing, then the same read is allowed: a note") func pairsAndAsksAgain() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("0a 13 00", "01 0a 13 00 05")
      $0.agreeToPair()
      $0.encrypted()
      $0.ask("0a 13 00", "0b 01")
    }
    #expect(evidence.packets(of: "att_insufficient_authentication") == ["#8 #9 #13 #14"])
    #expect(severities(of: "att_insufficient_authentication", in: evidence) == [.note])
    #expect(attributeFindings(in: evidence).allSatisfy { $0.isResolved })
  }

  @Test("the same on three connections is one finding, with any packets and times") func grouped() {
    let evidence = evidence {
      for wait in [0, 700, 30] {
        $0.connect()
        $0.ask("0a 13 00", "01 0a 13 00 05")
        $0.wait(wait)
        $0.agreeToPair()
        $0.encrypted()
        $0.ask("0a 13 00", "0b 01")
        $0.disconnect()
      }
    }
    #expect(
      evidence.findings(of: "att_insufficient_authentication").map(\.connections) == [[1, 2, 3]])
  }

  @Test("0x05, then the link is encrypted, and the request is not repeated: a warning")
  func encryptedAndNotAskedAgain() {
    let evidence = evidence {
      $0.connect()
      $0.ask("0a 13 00", "01 0a 13 00 05")
      $0.encrypted()
      // A request for another attribute is not a repetition.
      $0.ask("0a 15 00", "0b 01")
    }
    #expect(evidence.packets(of: "att_insufficient_authentication") == ["#2 #3 #4"])
    #expect(severities(of: "att_insufficient_authentication", in: evidence) == [.warning])
  }

  @Test("0x05, then pairing fails: the cause names both") func pairingFails() {
    let evidence = evidence {
      $0.connect()
      $0.ask("0a 13 00", "01 0a 13 00 05")
      $0.agreeToPair()
      $0.smp("05 04", .received)
    }
    let reported = evidence.finding("att_insufficient_authentication")
    #expect(reported.whyText.hasSuffix("Pairing was attempted (#4) and failed (#6)."))
    // The failure of the pairing is the cause, and its own error.
    #expect(reported?.severity == .warning)
    #expect(rules(in: evidence).contains("smp_confirm_failed"))
  }

  @Test("0x05 after encryption failed for lack of a key is an effect: a warning") func withoutKey()
  {
    let evidence = evidence {
      $0.connect()
      $0.begin(0x2019, little(0x40) + [UInt8](repeating: 7, count: 26))
      $0.ask("0a 13 00", "01 0a 13 00 05")
      $0.event(0x08, [0x06] + little(0x40) + [0])
      $0.disconnect()
    }
    #expect(severities(of: "att_insufficient_authentication", in: evidence) == [.warning])
    #expect(
      evidence.findings().filter { $0.severity == .error }.map(\.rule.description) == [
        "enc_key_missing_peripheral"
      ])
  }

  @Test("0x0f on an encrypted link: a longer or different key is required") func tooWeak() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.encrypted()
      $0.ask("0a 13 00", "01 0a 13 00 0f")
    }
    #expect(evidence.packets(of: "att_encryption_too_weak") == ["#9 #10"])
    #expect(evidence.finding("att_encryption_too_weak")?.certainty == .likely)
    // Almost: the link is not encrypted.
    let open = DiagnosisTests.evidence {
      $0.connect()
      $0.ask("0a 13 00", "01 0a 13 00 0f")
    }
    #expect(open.lines(of: "att_encryption_too_weak") == [])
  }

  @Test("0x05 on a link encrypted by Just Works: an authenticated key is required")
  func demandsMITM() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.agreeToPair()
      $0.encrypted()
      $0.ask("12 15 00 01", "01 12 15 00 05")
    }
    #expect(evidence.packets(of: "att_mitm_demanded") == ["#11 #12"])
    #expect(evidence.lines(of: "att_insufficient_authentication") == [])
    #expect(attributeFindings(in: evidence).first?.certainty == .certain)
  }

  @Test("0x05, pairing by Just Works, 0x05 again: one finding, about the second")
  func refusedAgain() {
    let evidence = evidence {
      $0.connect()
      $0.ask("0a 13 00", "01 0a 13 00 05")
      $0.agreeToPair()
      $0.encrypted()
      $0.ask("0a 13 00", "01 0a 13 00 05")
    }
    #expect(attributeRules(in: evidence) == ["att_mitm_demanded"])
    #expect(attributeFindings(in: evidence).first?.evidence == [7, 8])
  }

  @Test("0x05 on a link encrypted with a stored key: likely an unauthenticated one")
  func demandsMITMOfStoredKey() {
    let evidence = evidence {
      $0.connect()
      $0.encrypted()
      $0.ask("0a 13 00", "01 0a 13 00 05")
    }
    let reported = evidence.finding("att_mitm_demanded")
    #expect(reported?.certainty == .likely)
    #expect(reported?.alternatives.count == 1)
  }

  @Test("0x0f before any key: answered too early, likely; with a stored key it is correct")
  func wrongCode() {
    func capture(pairs: Bool) -> Evidence {
      evidence {
        $0.connect()
        $0.ask("0a 13 00", "01 0a 13 00 0f")
        if pairs { $0.agreeToPair() }
        $0.encrypted()
        $0.ask("0a 13 00", "0b 01")
      }
    }
    #expect(
      attributeRules(in: capture(pairs: true)) == [
        "att_0f_without_key", "att_insufficient_encryption",
      ])
    #expect(attributeRules(in: capture(pairs: false)) == ["att_insufficient_encryption"])
  }

  @Test("authorization and key size") func authorizationAndKeySize() {
    let evidence = evidence {
      $0.connect()
      $0.ask("0a 13 00", "01 0a 13 00 08")
      $0.ask("0a 15 00", "01 0a 15 00 0c")
    }
    #expect(attributeRules(in: evidence) == ["att_authorization", "att_key_size"])
    // The refusal is a fact; no packet shows why the application decided so.
    #expect(evidence.finding("att_authorization")?.grounds == .fact)
    #expect(evidence.finding("att_authorization").whyText.contains("its application's decision"))
  }

  @Test("many requests, refused and allowed after pairing, are one finding") func manyAllowed() {
    let evidence = evidence {
      $0.connect()
      for handle in 10...14 { $0.ask("0a \(handle) 00", "01 0a \(handle) 00 05") }
      $0.agreeToPair()
      $0.encrypted()
      for handle in 10...14 { $0.ask("0a \(handle) 00", "0b 01") }
    }
    let reported = attributeFindings(in: evidence)
    #expect(reported.count == 1)
    #expect(reported.first.whatText.hasSuffix(", and 4 more like it"))
    #expect(reported.first?.severity == .note)
  }

  @Test("the peer asks this host: the wording is reversed") func otherSide() {
    let evidence = evidence {
      $0.connect(role: 1)
      $0.discoverHeartRate(by: .received)
      $0.ask("0a 13 00", "01 0a 13 00 05", by: .received)
    }
    #expect(
      attributeFindings(in: evidence).first?.headline.text.hasPrefix("the peer's read of 2a38")
        == true)
  }

  @Test("a capture that begins in the middle does not show that the link was not encrypted")
  func lateCapture() {
    let evidence = evidence {
      $0.ask("0a 13 00", "01 0a 13 00 05")
    }
    let finding = attributeFindings(in: evidence).first
    #expect(finding?.rule.description == "att_insufficient_authentication")
    #expect(finding?.certainty != .certain)
    #expect(finding.whyText.contains("does not show whether the link was encrypted"))
  }
}
