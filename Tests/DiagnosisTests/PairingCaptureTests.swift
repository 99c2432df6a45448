// Pairing in captures: what failed, why, and in which packets; and that success raises no alarm.
// The causes are from the generator's truth.json, captures/README.md, and the output of the
// kernel's test programs.

import Cryptography
import Diagnosis
import Histories
import Meanings
import Sessions
import Testing

@testable import Explanations

/// Returns the findings about pairing of severity error: rule, what and packets.
func pairingErrors(in evidence: Evidence) -> [String] {
  evidence.findings(by: Rule.all).filter {
    ($0.severity == .error || $0.isResolved) && $0.rule.description.hasPrefix("smp_")
  }.map { "\($0.rule) \($0.packets)" }
}

/// Returns a detail as printed with and without requesting keys.
func details(of rule: String, in evidence: Evidence) -> [String] {
  evidence.findings(of: rule).flatMap(\.details).map {
    "\($0.text.text) | \($0.revealed?.text ?? "nothing hidden")"
  }
}

/// Returns the pairing lines of a connection's story, without their times.
func story(of evidence: Evidence, connection position: Int = 0) -> [String] {
  guard evidence.connections.indices.contains(position) else { return ["no connection"] }
  return words(evidence.connections[position].pairingStory(evidence))
}

/// Returns the whole story of the first connection, without its times.
func wholeStory(of evidence: Evidence) -> [String] {
  words(evidence.connections.first?.story(evidence) ?? [])
}

private func words(_ lines: [StoryLine]) -> [String] {
  lines.map { line in
    ([line.text] + line.consequences).map(\.text).joined(separator: " ⇒ ")
  }
}

@Suite("Pairing in captures") struct PairingCaptureTests {
  // MARK: Failures

  @Test(
    "the typed digits differ from the shown ones: the initiator's are found, the responder's stay unknown",
    arguments: ["pairing-fails.btsnoop", "pairing-fails.pcap"])
  func typedWrong(_ name: String) throws {
    guard let evidence = try evidence(ofCapture: name) else { return }
    #expect(
      pairingErrors(in: evidence)
        == ["smp_passkey_mismatch #48 #51 #53"])
    #expect(
      details(of: "smp_passkey_mismatch", in: evidence) == [
        "this host <hidden>, the peer unknown; --show-keys prints it | this host 923801, the peer unknown"
      ])
    #expect(evidence.connections.first?.paired.key.description == "failed")
  }

  @Test(
    "each failing pairing of the generator, from both ends",
    arguments: [
      (
        "pairfail_legacy_passkey_confirm",
        "smp_passkey_mismatch #43 #46 #48",
        "smp_passkey_mismatch #44 #47 #48"
      ),
      (
        "pairfail_sc_passkey_confirm",
        "smp_passkey_mismatch #50 #53 #55",
        "smp_passkey_mismatch #51 #54 #55"
      ),
      (
        "pairfail_sc_numeric_rejected",
        "smp_numeric_rejected #40 #42 #50 #51 #53 #54",
        "smp_numeric_rejected #41 #42 #48 #53 #54 #56"
      ),
      (
        "pairfail_not_supported", "smp_not_supported #40 #42",
        "smp_not_supported #41 #42"
      ),
    ])
  func generated(_ name: String, _ central: String, _ peripheral: String) throws {
    for (side, expected) in [("", central), (".peripheral", peripheral)] {
      guard
        let evidence = try evidence(ofCapture: "generated/\(name)\(side).btsnoop", beside: true)
      else { return }
      #expect(pairingErrors(in: evidence) == [expected], "\(name)\(side)")
    }
  }

  @Test("the secrets that the generator's failures reveal if keys are requested")
  func generatedDetails() throws {
    for (name, rule, expected) in [
      (
        "pairfail_legacy_passkey_confirm.peripheral", "smp_passkey_mismatch",
        "the peer <hidden>, this host unknown; --show-keys prints it | the peer 799309, this host unknown"
      ),
      (
        "pairfail_sc_passkey_confirm", "smp_passkey_mismatch",
        "bit 1 of 20, from the least significant one: this host <hidden>, the peer <hidden>; --show-keys prints them | bit 1 of 20, from the least significant one: this host 1, the peer 0 (concluded)"
      ),
      (
        "pairfail_sc_numeric_rejected", "smp_numeric_rejected",
        "the digits on both sides are 180625 | nothing hidden"
      ),
    ] {
      guard let evidence = try evidence(ofCapture: "generated/\(name).btsnoop", beside: true) else {
        return
      }
      #expect(details(of: rule, in: evidence) == [expected], "\(name)")
    }
  }

  /// kernel/pair-gatt-coc-612: the test program unpaired in the middle of one pairing, and answered
  /// nothing for the user in the other (pair-sc-passkey.txt: "auth failed 05"). Both ends are in
  /// the capture.
  @Test("the kernel's two failing pairings, each from both ends") func kernel() throws {
    guard let evidence = try evidence(ofCapture: "kernel/pair-gatt-coc-612.btsnoop", beside: true)
    else { return }
    #expect(
      pairingErrors(in: evidence) == [
        "smp_passkey_entry_failed #2359 #2364 #2372 #2388 #2398 #2401",
        "smp_unspecified #2148 #2153 #2203 #2208",
      ])
    #expect(
      evidence.findings().contains {
        $0.what.text.hasPrefix("A program on this host cancelled the pairing")
      })
    #expect(
      evidence.findings().contains {
        $0.why.text.contains("The 3 passkey rounds before that match.")
      })
    // One failure is reported once, by the end that shows more of it.
    let reported = evidence.findings().filter { $0.isResolved && $0.isOfPairing }
    #expect(
      reported.map { $0.note?.text } == [
        "Pairing with the same device succeeded on connection 10 (#2733). Seen from both sides: connection 7, the other end of this link, shows the same (from #2360 on).",
        "Pairing with the same device succeeded on connection 10 (#2733). Seen from both sides: connection 5, the other end of this link, shows the same (from #2150 on).",
      ])
    #expect(
      reported.map { $0.remedy?.text } == [
        "First register an agent on this host: without one bluetoothd cannot ask the user (bluetoothctl: agent KeyboardDisplay, default-agent). Then pair again, and type the digits within 30 s.",
        "Find the program that sent Unpair Device (#2203): it must not do that during pairing. Then pair again.",
      ])
    // If only one end is selected, it reports the failure.
    let alone = evidence.findings(among: [5, 7]).filter(\.isResolved)
    #expect(alone.contains { $0.connections == [5] })
    // The side that shows the passkey had no agent either.
    #expect(
      alone.contains {
        $0.connections == [7]
          && $0.why.text.hasSuffix(
            "On this host bluetoothd logged at #2383 that no agent was available to show the passkey."
          )
          && $0.remedy?.text.hasPrefix("First register an agent on this host") == true
      })
    #expect(
      story(of: evidence, connection: 6).contains(
        "the kernel asks bluetoothd to show the passkey"))
    #expect(
      story(of: evidence, connection: 7).contains("the kernel asks bluetoothd for the passkey"))
    #expect(evidence.packets(of: "smp_repeated") == ["#2208 #2401"])
    // Repeated Attempts is not in the capture, and is not mentioned.
    #expect(
      evidence.finding("smp_repeated")?.remedy?.text
        == "Fix what the first failure shows (#2208).")
    #expect(
      evidence.connections.map(\.paired.key.description) == [
        "sc_just_works", "sc_just_works", "sc_numeric_comparison", "sc_numeric_comparison",
        "failed", "failed", "failed", "failed", "legacy_just_works", "legacy_just_works",
        "legacy_passkey", "legacy_passkey", "no", "no",
      ])
  }

  @Test("each reason of Pairing Failed has its rule") func reasons() throws {
    guard let evidence = try evidence(ofCapture: "pairing-all-keys.btsnoop") else { return }
    var rules: [String: [Int]] = [:]
    for finding in evidence.findings()
    where finding.severity == .error || finding.isResolved && finding.isOfPairing {
      rules[finding.rule.description, default: []].append(finding.evidence.ranges[1].lowerBound)
    }
    #expect(
      rules == [
        "smp_passkey_entry_failed": [153, 96], "smp_oob_missing": [156],
        "smp_authentication_requirements": [159], "smp_confirm_failed": [162],
        "smp_not_supported": [165], "smp_key_size": [168], "smp_command_not_supported": [171],
        "smp_unspecified": [174], "smp_repeated_attempts": [175], "smp_invalid_parameters": [180],
        "smp_dhkey_check_failed": [183], "smp_just_works_unconfirmed": [186],
        "smp_cross_transport": [189, 192], "smp_key_rejected": [195], "smp_busy": [198],
        "smp_failed": [201],
      ])
    // Its secrets are words, so its public keys are not points on the curve.
    #expect(evidence.packets(of: "smp_invalid_public_key") == ["#66 #68 #97 #99 #131 #133"])
    #expect(
      evidence.packets(of: "smp_repeated") == [
        "#120 #153 #156 #159 #162 #165 #168 #171 #174 #177 #180 #183 #186 #189 #192 #195 #198 #201"
      ])
  }

  // MARK: Successes

  @Test(
    "successful pairings give no error, and report the method",
    arguments: [
      ("pair_legacy_justworks", "legacy_just_works"), ("pair_legacy_passkey", "legacy_passkey"),
      ("pair_sc_justworks", "sc_just_works"), ("pair_sc_numeric", "sc_numeric_comparison"),
      ("pair_sc_passkey", "sc_passkey"), ("insufficient_auth_then_pair", "sc_passkey"),
      ("bond_key_missing", "sc_just_works"), ("bond_privacy_reconnect", "sc_numeric_comparison"),
    ])
  func succeeding(_ name: String, _ paired: String) throws {
    for side in ["", ".peripheral"] {
      guard
        let evidence = try evidence(ofCapture: "generated/\(name)\(side).btsnoop", beside: true)
      else { return }
      #expect(pairingErrors(in: evidence) == [], "\(name)\(side)")
      #expect(evidence.connections.first?.paired.key.description == paired, "\(name)\(side)")
    }
  }

  @Test(
    "the kernel's successful pairings, and captures that begin late or lost records",
    arguments: [
      "pair-clean.pcap", "btmon-lost-59.btsnoop", "late-bluetooth0-dlt201.pcap",
      "late-monitor-dlt254.pcap",
    ])
  func succeedingKernel(_ name: String) throws {
    guard let evidence = try evidence(ofCapture: "kernel/\(name)", beside: true) else { return }
    #expect(pairingErrors(in: evidence) == [])
  }

  @Test("the digits are those that the kernel's test program printed on both ends")
  func digits() throws {
    guard let clean = try evidence(ofCapture: "kernel/pair-clean.pcap", beside: true),
      let other = try evidence(ofCapture: "kernel/pair-gatt-coc-612.btsnoop", beside: true)
    else { return }
    for (evidence, expected) in [(clean, "728046"), (other, "137849")] {
      let attempts = evidence.connections.flatMap(\.pairing.attempts)
      let digits = attempts.filter { $0.method?.association == .numericComparison }.map {
        $0.outcome.digits?.description ?? "none"
      }
      #expect(digits == [expected, expected])
    }
  }

  @Test(
    "a passkey over Secure Connections can be derived, but is only printed if keys are requested",
    arguments: ["write-refused.btsnoop", "write-refused.pklg"])
  func recovered(_ name: String) throws {
    guard let evidence = try evidence(ofCapture: name) else { return }
    #expect(
      details(of: "smp_passkey_recovered", in: evidence)
        == ["<hidden>; --show-keys prints it | 353169"])
    #expect(pairingErrors(in: evidence) == [])
  }

  // MARK: The story

  @Test("the story of a failed legacy pairing") func failedStory() throws {
    guard let evidence = try evidence(ofCapture: "pairing-fails.btsnoop") else { return }
    #expect(
      story(of: evidence) == [
        "this host asks to pair: keyboard only, bonding, MITM, no Secure Connections",
        "the peer agrees: display only, bonding, MITM, no Secure Connections ⇒ LE legacy pairing, passkey entry: the peer shows six digits, this host types them",
        "this host commits to its digits", "this host opens its commitment",
        "the peer commits to its digits", "the peer stops pairing: Confirm Value Failed (0x04)",
      ])
  }

  @Test("a legacy passkey that a program entered: how fast, at the packet that shows it")
  func quickLegacyStory() throws {
    guard
      let evidence = try evidence(ofCapture: "generated/pair_legacy_passkey.btsnoop", beside: true)
    else { return }
    let reported = evidence.connections.first?.pairingStory(evidence).prefix(4).map {
      "\($0.packets.lowerBound)-\($0.packets.upperBound) \($0.text.text)"
    }
    #expect(
      reported?.suffix(2) == [
        "43-43 this host commits to its digits, 0.9 ms after #42: a program typed them",
        "45-48 both sides have the same passkey",
      ])
    #expect(evidence.packets(of: "smp_passkey_exposed") == ["#43 #46"])
  }

  @Test("the digits of numeric comparison: the computed ones, not those on screens")
  func comparedStory() throws {
    for side in ["", ".peripheral"] {
      guard
        let evidence = try evidence(
          ofCapture: "generated/pairfail_sc_numeric_rejected\(side).btsnoop", beside: true)
      else { return }
      #expect(story(of: evidence).contains("the digits on both sides are 180625"))
      // The reason is Confirm Value Failed, so the verdict is as certain as the finding.
      let finding = evidence.findings().first
      #expect(finding?.certainty == .likely)
      #expect(finding?.headline.text.hasSuffix("numeric comparison") == true)
      #expect(finding.whyText.contains("so both have the same digits"))
      #expect(
        finding.whyText.contains("no person reads them that fast; a program refused"),
        "\(side): \(finding?.why.text ?? "no finding")")
      #expect(
        finding.remedyText.hasPrefix("Look for the program on"),
        "\(side): \(finding?.remedy?.text ?? "no remedy")")
    }
  }

  @Test("key presses are reported by type") func keypresses() throws {
    guard let evidence = try evidence(ofCapture: "pairing-all-keys.btsnoop") else { return }
    #expect(
      story(of: evidence, connection: 3).contains(
        "the peer sends 8 keypress notifications: started, 4 entered, 1 erased, 1 cleared, completed"
      ))
  }

  @Test("the story of a passkey over Secure Connections that a program entered") func quickStory()
    throws
  {
    guard
      let evidence = try evidence(
        ofCapture: "generated/pair_sc_passkey.peripheral.btsnoop", beside: true)
    else { return }
    #expect(
      story(of: evidence) == [
        "the peer asks to pair: keyboard only, bonding, MITM, Secure Connections",
        "this host agrees: display only, bonding, MITM, Secure Connections ⇒ Secure Connections, passkey entry: this host shows six digits, the peer types them",
        "public keys exchanged",
        "the peer commits to the first bit of its digits, 17.1 ms after #42: a program typed them",
        "20 of 20 passkey rounds agree",
        "check values exchanged",
        "this host gives IRK and CSRK, the peer gives IRK and CSRK; bonded",
      ])
  }

  @Test("the story of LE keys over BR/EDR") func crossTransportStory() throws {
    guard let evidence = try evidence(ofCapture: "classic.btsnoop") else { return }
    #expect(
      story(of: evidence) == [
        "this host asks to pair for LE over BR/EDR: no input and no output, bonding, no Secure Connections",
        "the peer agrees: no input and no output, bonding, no Secure Connections ⇒ the LE keys are derived from the BR/EDR link key",
        "the peer gives IRK, this host gives IRK and CSRK; bonded",
      ])
    #expect(pairingErrors(in: evidence) == [])
    // How the link key was created.
    let lines = evidence.connections[0].encryptionStory(evidence).filter {
      !$0.consequences.isEmpty
    }
    var reported: [String] = []
    for line in lines {
      reported.append(line.text.text)
      reported += line.consequences.map(\.text)
    }
    #expect(
      reported == [
        "authenticated by pairing",
        "this host: display and yes/no, MITM; the peer: display and yes/no, MITM",
        "numeric comparison of 135790 (#29), which this host confirms (#30), 2.5 s later",
        "the new link key: Authenticated, P-256 (0x08)",
      ])
  }
}

extension Finding {
  /// Whether the rule is one about pairing.
  fileprivate var isOfPairing: Bool { rule.description.hasPrefix("smp_") }
}
