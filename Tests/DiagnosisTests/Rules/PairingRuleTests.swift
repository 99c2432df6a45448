// Rules about the course of a pairing: silence, refusals, Security Requests, repetition; each with
// traffic that triggers it and traffic that almost does.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Rules about how pairing goes") struct PairingRuleTests {
  // MARK: Silence

  @Test(
    "no passkey is typed within 30 s: who had to type it, whichever side ends the pairing",
    arguments: [true, false])
  func silentUser(isRefused: Bool) {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.clock += 30_000
      if isRefused { traffic.pairingFailed(1, .sent) } else { traffic.disconnect(reason: 0x13) }
    }
    #expect(pairingErrors(in: evidence) == ["smp_user_silent #3 #4"])
    #expect(evidence.finding("smp_user_silent").whatText.hasPrefix("This host's user did not type"))
    #expect(evidence.findings().first?.certainty == .likely)
  }

  @Test("a user who cancels after 20 s is not silent") func cancellingUser() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.clock += 20_000
      traffic.pairingFailed(1, .sent)
    }
    #expect(pairingErrors(in: evidence) == ["smp_passkey_entry_failed #2 #3 #4"])
  }

  @Test("the responder types: its user is silent, once the initiator has sent its commitment")
  func silentPeer() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 0, peerIO: 2)
      traffic.pairingValue(3, 1, .sent)
      traffic.clock += 30_000
      traffic.disconnect(reason: 0x13)
    }
    #expect(pairingErrors(in: evidence) == ["smp_user_silent #4 #5"])
    #expect(evidence.finding("smp_user_silent").whatText.hasPrefix("The peer's user did not type"))
  }

  @Test("Just Works and silence: consent may have been requested, so it is only possible")
  func silentConsent() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.clock += 30_000
      traffic.disconnect(reason: 0x13)
    }
    #expect(rules(in: evidence).contains("smp_user_silent"))
    #expect(evidence.findings().first?.certainty == .possible)
  }

  @Test("Just Works refused with 0x0c after silence is reported by its own rule, once")
  func silentConsentRefused() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.clock += 30_000
      traffic.pairingFailed(12)
    }
    #expect(pairingErrors(in: evidence) == ["smp_just_works_unconfirmed #2 #3 #4"])
    #expect(
      evidence.finding("smp_just_works_unconfirmed").whatText.hasSuffix(
        "the peer did not confirm it"))
  }

  @Test("a Pairing Request without a response for 30 s is a program's timeout") func timeout() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
      traffic.received("1b 03 00 01")
      traffic.clock += 30_000
      traffic.disconnect(reason: 0x13)
    }
    #expect(pairingErrors(in: evidence) == ["smp_timeout #2 #4"])
    #expect(
      evidence.finding("smp_timeout").whatText.hasPrefix(
        "The peer did not answer the Pairing Request"))
  }

  @Test("a capture that ends 10 s after the Pairing Request gives no finding") func noTimeout() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
      traffic.clock += 10_000
      traffic.command(0x0c14)
    }
    #expect(pairingErrors(in: evidence) == [])
    #expect(evidence.connections.first?.paired.key.description == "unknown")
  }

  @Test("the link ends during the pairing: which side ended it, and at which step") func abandoned()
  {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.pairingValue(3, 1, .sent)
      traffic.clock += 2000
      traffic.disconnect(reason: 0x13)
    }
    #expect(pairingErrors(in: evidence) == ["smp_abandoned #4 #5"])
    #expect(
      evidence.findings().first.whyText.contains(
        "the Pairing Confirm (#4); 2.0 s later the peer disconnected"))
  }

  @Test("a link that ends after it was encrypted with the new key was paired") func notAbandoned() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.pairAndBond()
      traffic.disconnect()
    }
    #expect(pairingErrors(in: evidence) == [])
    #expect(evidence.connections.first?.paired.key.description == "legacy_just_works")
  }

  @Test("all values arrived, but no encryption: the Security Manager is not the cause")
  func notEncrypted() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.legacyValues()
      traffic.clock += 40_000
      traffic.disconnect(reason: 0x13)
    }
    #expect(pairingErrors(in: evidence) == [])
    #expect(evidence.connections.first?.paired.key.description == "unknown")
  }

  @Test("without data, the key may come from a pairing that the capture does not show")
  func unseen() {
    let unseen = evidence { traffic in
      traffic.connect()
      traffic.completed(1)
      traffic.startEncryption()
      traffic.encrypted()
    }
    #expect(unseen.connections.first?.paired.key.description == "unknown")
    #expect(wholeStory(of: unseen).contains("encrypted"), "\(wholeStory(of: unseen))")
    let seen = evidence { traffic in
      traffic.connect()
      traffic.startEncryption()
      traffic.encrypted()
      traffic.received("1b 03 00 01")
    }
    #expect(seen.connections.first?.paired.key.description == "bonded_earlier")
    #expect(
      wholeStory(of: seen).contains { $0.hasPrefix("encrypted with a stored key") },
      "\(wholeStory(of: seen))")
  }

  @Test("of a pairing whose PDUs the capture cut, only that it happened is known") func cutShort() {
    let cut = evidence { traffic in
      traffic.connect()
      let request = Traffic.pairingFeatures(response: false, io: 3, auth: 1)
      traffic.acl(little(7) + little(6) + request, .sent, kept: 9)
      let response = Traffic.pairingFeatures(response: true, io: 3, auth: 1)
      traffic.acl(little(7) + little(6) + response, .received, kept: 9)
      traffic.startEncryption()
      traffic.encrypted()
    }
    #expect(cut.connections.first?.paired.key.description == "unknown")
    #expect(
      story(of: cut).contains(
        "pairing by an unknown method: the capture cut its 2 packets short"),
      "\(story(of: cut))")
    #expect(wholeStory(of: cut).contains("encrypted"), "\(wholeStory(of: cut))")
    // A device that sends too few bytes is not the capture's fault.
    let short = evidence { traffic in
      traffic.connect()
      traffic.smp("01 03 00", .sent)
    }
    #expect(!story(of: short).contains { $0.contains("cut") }, "\(story(of: short))")
  }

  @Test("lost records make missing values less certain") func lost() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.add([4, 0x13, 5, 1, 0x40, 0, 1, 0], .received, drops: 3)
      traffic.disconnect(reason: 0x13)
    }
    #expect(
      evidence.finding("smp_abandoned")?.alternatives.map(\.text)
        == ["a packet that shows otherwise is missing from this capture"])
  }

  // MARK: Refusals

  @Test("no MITM protection with these IO capabilities: which, and why") func requirements() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 4, auth: 5, peerIO: 3, peerAuth: 1)
      traffic.pairingFailed(3, .sent)
    }
    #expect(pairingErrors(in: evidence) == ["smp_authentication_requirements #2 #3 #4"])
    #expect(
      evidence.findings().first.whyText.contains(
        "do not allow: the peer has no input and no output (this host: keyboard and display"))
    #expect(evidence.lines(of: "smp_mitm_impossible") == [])
  }

  @Test("the same features without a refusal: a note about the key, not an error")
  func unauthenticated() {
    func play(_ auth: UInt8) -> Evidence {
      evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures(io: 4, auth: auth, peerIO: 3, peerAuth: 1)
        traffic.legacyValues()
        traffic.encrypt()
      }
    }
    #expect(
      play(5).lines(of: "smp_mitm_impossible") == [
        "The new key is unauthenticated although MITM protection was requested #2 #3"
      ])
    #expect(pairingErrors(in: play(5)) == [])
    // Almost: neither side requires it.
    #expect(play(1).lines(of: "smp_mitm_impossible") == [])
  }

  @Test(
    "how to get an authenticated key is explained for the side that prevents it",
    arguments: [
      // IO capabilities (1 display and yes or no, 2 keyboard, 0 display, 3 nothing, 4 both),
      // AuthReq.
      (
        1, 3, 13,
        "give the peer a keyboard, or a display and a way to confirm, and the matching IO capability."
      ),
      (
        3, 1, 13,
        "give this host a keyboard, or a display and a way to confirm, and the matching IO capability."
      ),
      (1, 3, 5, "give the peer a keyboard, and the matching IO capability."),
      (0, 3, 13, "give the peer a keyboard, and the matching IO capability."),
      (2, 3, 5, "give the peer a display or a keyboard, and the matching IO capability."),
      (3, 3, 5, "give one side a display and the other a keyboard."),
      (0, 0, 5, "give one side a keyboard."),
    ])
  func wayToAuthenticate(_ io: UInt8, _ peerIO: UInt8, _ auth: UInt8, _ words: String) {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: io, auth: auth, peerIO: peerIO, peerAuth: auth)
      if auth & 8 == 0 { traffic.legacyValues() } else { traffic.pairingValue(13, 1, .sent) }
      traffic.encrypt()
    }
    let remedy = evidence.finding("smp_mitm_impossible")?.remedy
    #expect(
      remedy?.text.hasPrefix(
        "Nothing to do if no attribute requires an authenticated key. Otherwise \(words)") == true,
      "\(remedy?.text ?? "none")")
  }

  @Test("a short key: both sides' sizes in a sentence, and the side with too few bytes")
  func shortKey() {
    func play(_ size: UInt8, _ peers: UInt8?) -> Finding? {
      evidence { traffic in
        traffic.connect()
        traffic.smp(
          Traffic.pairingFeatures(response: false, io: 3, auth: 1, size: size), .sent)
        if let peers {
          traffic.smp(
            Traffic.pairingFeatures(response: true, io: 3, auth: 1, size: peers), .received)
        }
        traffic.pairingFailed(6, peers == nil ? .received : .sent)
      }.finding("smp_key_size")
    }
    let both = play(16, 7)
    #expect(both.whyText.contains("at most 16 bytes and the peer allows keys of at most 7 bytes"))
    #expect(
      both.remedyText.hasPrefix(
        "Allow 16-byte keys on the peer. The size that this host requires is set with"))
    let one = play(16, nil)
    #expect(one.whyText.hasSuffix("This host allows keys of at most 16 bytes."))
    #expect(
      one.remedyText.hasPrefix("Allow 16-byte keys on the side that offers only shorter ones."))
  }

  @Test("a side that does not pair: the remedy addresses that side", arguments: [true, false])
  func notSupported(isLocal: Bool) {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp(
        Traffic.pairingFeatures(response: false, io: 3, auth: 1), isLocal ? .received : .sent)
      traffic.pairingFailed(5, isLocal ? .sent : .received)
    }
    let remedy = evidence.finding("smp_not_supported")?.remedy
    #expect(
      remedy?.text.hasPrefix(
        isLocal
          ? "Make this host pairable if it is meant to pair; "
          : "If the peer does pair, put it into pairing mode, and delete a bond ") == true)
  }

  @Test("a failure that a later attempt on the connection resolves is a note") func resolved() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.pairingFailed(8)
      traffic.pairAndBond()
    }
    let finding = evidence.finding("smp_unspecified")
    #expect(finding?.severity == .note)
    #expect(finding?.isResolved == true)
    #expect(finding?.headline.text == "pairing failed at #4, and succeeded at #12")
  }

  @Test("equal failures of a connection are reported once, with all packets") func equalFailures() {
    let evidence = evidence { traffic in
      traffic.connect()
      for _ in 0..<3 {
        traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
        traffic.pairingFailed(5)
      }
    }
    #expect(pairingErrors(in: evidence) == ["smp_not_supported #2 #3 #5 #7"])
    #expect(evidence.finding("smp_not_supported").whatText.hasPrefix("The peer"))
    #expect(
      evidence.findings().first?.note?.text
        == "It failed in the same way 2 more times, from #5 on.")
    let many = DiagnosisTests.evidence { traffic in
      traffic.connect()
      for _ in 0..<30 {
        traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
        traffic.pairingFailed(5)
      }
    }
    #expect(
      many.findings().first?.note?.text.hasPrefix(
        "It failed in the same way 23 more times, from #5 on. Of 30 attempts") == true)
    #expect(evidence.packets(of: "smp_repeated") == ["#3 #5 #7"])
  }

  @Test("one failure and one success are not a repetition") func notRepeated() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
      traffic.pairingFailed(5)
      traffic.pairAndBond()
    }
    #expect(evidence.lines(of: "smp_repeated") == [])
  }

  @Test("Repeated Attempts reports how soon it came after which failure") func tooSoon() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.pairingFailed(8)
      traffic.clock += 499
      traffic.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1), .sent)
      traffic.pairingFailed(9)
    }
    #expect(evidence.packets(of: "smp_repeated_attempts") == ["#4 #5 #6"])
    #expect(
      evidence.findings().contains {
        $0.why.text.contains(
          "1 attempt before this one failed, the last one at #4, 500 ms before this attempt.")
      })
  }

  // MARK: Users and programs of BlueZ

  @Test("Just Works refused by this host after BlueZ asked for consent: both facts")
  func unconfirmed() {
    let evidence = evidence { traffic in
      traffic.connect(role: 1)
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1, from: .received)
      traffic.management(event: true, 0x0f, [1, 0, 0, 0, 0])
      traffic.management(event: false, 0x1d)
      traffic.pairingFailed(12, .sent)
    }
    #expect(pairingErrors(in: evidence) == ["smp_just_works_unconfirmed #2 #3 #4 #5 #6"])
    #expect(
      evidence.finding("smp_just_works_unconfirmed").whatText.hasSuffix(
        "this host did not confirm it"))
    #expect(evidence.findings().first?.grounds == .fact)
    #expect(
      evidence.findings().first.whyText.contains(
        "BlueZ asked for the user's consent at #4, and got No at #5"))
  }

  @Test("the same from a peer: only a refusal is proven") func unconfirmedPeer() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      traffic.pairingFailed(12)
    }
    #expect(pairingErrors(in: evidence) == ["smp_just_works_unconfirmed #2 #3 #4"])
    #expect(evidence.findings().first?.grounds == .fact)
  }

  @Test("a log line about a missing agent only counts for the peer that it names")
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
      pairingErrors(in: play("C0:11:22:33:44:55")) == ["smp_just_works_unconfirmed #2 #3 #5 #6"])
    #expect(pairingErrors(in: play("00:11:22:33:44:55")) == ["smp_just_works_unconfirmed #2 #3 #6"])
  }

  @Test("out-of-band data that one side declares and demands, and the other does not declare")
  func demandsOutOfBand() {
    func capture(own: UInt8, others: UInt8) -> Finding? {
      evidence {
        $0.connect()
        $0.smp(
          Traffic.pairingFeatures(response: false, io: 3, auth: 9, outOfBand: own), .sent)
        $0.smp(
          Traffic.pairingFeatures(response: true, io: 3, auth: 9, outOfBand: others), .received)
        $0.pairingFailed(2)
        $0.wait(1_000)
        $0.disconnect()
      }.finding("smp_oob_missing")
    }
    let demanded = capture(own: 0, others: 1)
    #expect(
      demanded?.what.text == "This host declares no out-of-band data, and the peer demands it")
    #expect(demanded?.grounds == .fact)
    #expect(capture(own: 1, others: 0)?.what.text == "The peer has no out-of-band data")
    #expect(
      capture(own: 1, others: 1)?.what.text == "The peer ended pairing over out-of-band data",
      "it does not lack what its own flag declares")
  }
}
