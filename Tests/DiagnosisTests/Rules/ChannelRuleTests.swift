// Rules about L2CAP channels, and their part of the story.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Rules about channels") struct ChannelRuleTests {
  /// Returns the findings about channels on a connection: rule, severity, text and packets.
  private func finds(_ build: (inout Traffic) -> Void) -> [String] {
    let evidence = evidence {
      $0.connect()
      build(&$0)
    }
    return evidence.findings().filter { $0.rule.description.hasPrefix("l2cap_") }.map {
      "\($0.rule) \(($0.severity ?? .note).key): \($0.line)"
    }
  }

  @Test(
    "each result of an LE Credit Based Connection Response has its rule and is named",
    arguments: [
      ("02", "l2cap_service_missing", "Connection refused, SPSM not supported (0x0002)"),
      ("04", "l2cap_no_resources", "Connection refused, no resources available (0x0004)"),
      ("05", "l2cap_security", "Connection refused, insufficient authentication (0x0005)"),
      ("06", "l2cap_not_authorized", "Connection refused, insufficient authorization (0x0006)"),
      ("07", "l2cap_security", "Connection refused, encryption key size too short (0x0007)"),
      ("08", "l2cap_security", "Connection refused, insufficient encryption (0x0008)"),
      ("09", "l2cap_refused", "Connection refused, invalid Source CID (0x0009)"),
      ("0a", "l2cap_refused", "Connection refused, Source CID already allocated (0x000a)"),
      (
        "0b", "l2cap_unacceptable_parameters",
        "Connection refused, unacceptable parameters (0x000b)"
      ),
      ("77", "l2cap_refused", "0x0077"),
    ])
  func results(_ code: String, _ rule: String, _ words: String) {
    let found = finds {
      $0.signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
      $0.signal("15 02 0a 00 00 00 00 00 00 00 00 00 \(code) 00", .received)
    }
    #expect(found == ["\(rule) error: The peer refused a channel for SPSM 0x0080: \(words) #2 #3"])
  }

  @Test(
    "the results of BR/EDR have other meanings",
    arguments: [
      ("02", "l2cap_service_missing", "Connection refused, PSM not supported (0x0002)"),
      ("03", "l2cap_security", "Connection refused, security block (0x0003)"),
      ("04", "l2cap_no_resources", "Connection refused, no resources available (0x0004)"),
      ("05", "l2cap_refused", "Connection refused, Controller ID not supported (0x0005)"),
      ("06", "l2cap_refused", "Connection refused, invalid Source CID (0x0006)"),
    ])
  func classic(_ code: String, _ rule: String, _ words: String) {
    let evidence = evidence {
      $0.connectClassic()
      $0.signal("02 07 04 00 01 10 45 00", .received, cid: 1)
      // Pending is not a final response.
      $0.signal("03 07 08 00 46 00 45 00 01 00 00 00", .sent, cid: 1)
      $0.signal("03 07 08 00 00 00 45 00 \(code) 00 00 00", .sent, cid: 1)
    }
    let finding = evidence.finding(rule)
    #expect(finding?.line == "This host refused a channel for PSM 0x1001: \(words) #2 #4 #3")
    #expect(finding?.severity == .note)
    #expect(finding?.grounds == .fact)
    #expect(finding?.remedy == nil)
  }

  @Test("a refusal after a pending authorization was not about the key")
  func authorization() throws {
    func finding(pending: String) -> Finding? {
      evidence {
        $0.connectClassic()
        $0.signal("02 07 04 00 01 10 45 00", .sent, cid: 1)
        $0.signal("03 07 08 00 46 00 45 00 01 00 \(pending) 00", .received, cid: 1)
        $0.signal("03 07 08 00 00 00 45 00 03 00 00 00", .received, cid: 1)
      }.finding("l2cap_security")
    }
    let refused = try #require(finding(pending: "02"))
    #expect(refused.why.text.contains("the link's key was not the reason"))
    #expect(refused.evidence == [2, 4, 3])
    let other = try #require(finding(pending: "01"))
    #expect(!other.why.text.contains("program"), "\(other.why.text)")
  }

  @Test("both sides request a channel at once, and one request opens it") func crossing() throws {
    let evidence = evidence {
      $0.connect()
      $0.signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
      $0.signal("14 07 0a 00 80 00 50 00 64 00 1e 00 03 00", .received)
      $0.signal("15 02 0a 00 00 00 00 00 00 00 00 00 04 00", .received)
      $0.signal("15 07 0a 00 51 00 50 00 17 00 02 00 00 00", .sent)
    }
    let finding = try #require(evidence.finding("l2cap_no_resources"))
    #expect(finding.severity == .note)
    #expect(finding.isResolved)
    #expect(finding.certainty == .likely)
  }

  @Test("channels that are opened, and requests without a response, are not refusals")
  func opened() {
    #expect(finds { $0.openChannel() } == [])
    #expect(finds { $0.openBearers() } == [])
    #expect(finds { $0.signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent) } == [])
    // A response to another request.
    #expect(
      finds {
        $0.signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
        $0.signal("15 03 0a 00 00 00 00 00 00 00 00 00 02 00", .received)
      } == [])
    // Another rule reports refused parameters of the link.
    #expect(
      finds {
        $0.askForParameters(.received)
        $0.answerParameters(.sent, accepts: false)
        $0.askForParameters(.received, identifier: "02")
        $0.signal("01 02 02 00 00 00", .sent)
      } == [])
  }

  @Test("refused for lack of security, then paired and opened: a note") func resolved() throws {
    let evidence = evidence {
      $0.connect()
      $0.openChannel(result: 5)
      $0.pairAndBond()
      $0.openChannel()
    }
    let finding = try #require(evidence.finding("l2cap_security"))
    #expect(finding.severity == .note)
    #expect(finding.isResolved)
    #expect(
      finding.why.text
        == "The link was not encrypted, and the peer requires encryption for SPSM 0x0080."
    )
    #expect(finding.note?.text == "The channel was opened in #14.")
    #expect(
      finding.headline.text
        == "the peer refused a channel for SPSM 0x0080 at first, and the channel was opened at #14")
    // Opening another channel does not fix it.
    let other = DiagnosisTests.evidence {
      $0.connect()
      $0.openChannel(result: 5)
      $0.openBearers()
    }
    #expect(other.finding("l2cap_security")?.severity == .error)
  }

  @Test("equal refusals are reported once, with their number") func repeated() {
    #expect(
      finds { for _ in 0..<3 { $0.openChannel(result: 8) } } == [
        "l2cap_security error: The peer refused a channel for SPSM 0x0080, 3 times: Connection refused, insufficient encryption (0x0008) #2 #3 #7"
      ])
    let many = evidence { traffic in
      traffic.connect()
      for psm in 0..<40 {
        traffic.signal("14 02 0a 00 \(hexDigits(0x80 + psm)) 00 40 00 64 00 1e 00 03 00", .sent)
        traffic.signal("15 02 0a 00 00 00 00 00 00 00 00 00 02 00", .received)
      }
    }
    #expect(many.connections.first?.channels.refusals.count == 32)
    #expect(many.connections.first?.channels.omittedRefusals == 8)
  }

  private func hexDigits(_ value: Int) -> String { String(value, radix: 16) }

  @Test("one of two enhanced channels is opened, or none, or a request is pending")
  func enhanced() {
    let asked = "17 03 0c 00 a0 00 40 00 40 00 08 00 40 00 41 00"
    #expect(
      finds {
        $0.signal(asked, .sent)
        $0.signal("18 03 0c 00 50 00 50 00 08 00 04 00 50 00 00 00", .received)
      } == [
        "l2cap_some_refused warning: The peer opened 1 of 2 channels for SPSM 0x00a0: Some connections refused, insufficient resources available (0x0004) #2 #3"
      ])
    #expect(
      finds {
        $0.signal(asked, .sent)
        $0.signal("18 03 0c 00 50 00 50 00 08 00 04 00 00 00 00 00", .received)
      } == [
        "l2cap_no_resources error: The peer refused 2 channels for SPSM 0x00a0: Some connections refused, insufficient resources available (0x0004) #2 #3"
      ])
    #expect(
      finds {
        $0.signal(asked, .sent)
        $0.signal("18 03 08 00 00 00 00 00 00 00 0d 00", .received)
      } == [])
  }

  @Test("refused enhanced ATT bearers are a warning: ATT continues") func bearers() throws {
    let evidence = evidence {
      $0.connect()
      $0.signal("17 03 0c 00 27 00 40 00 40 00 08 00 40 00 41 00", .sent)
      $0.signal("18 03 08 00 00 00 00 00 00 00 08 00", .received)
    }
    let finding = try #require(evidence.finding("l2cap_security"))
    #expect(finding.severity == .warning)
    #expect(finding.what.text.hasPrefix("The peer refused 2 channels for EATT (0x0027): All"))
  }

  @Test("a refused reconfiguration and a refused configuration") func configured() {
    #expect(
      finds {
        $0.openBearers()
        $0.signal("19 04 06 00 20 00 40 00 40 00", .sent)
        $0.signal("1a 04 02 00 01 00", .received)
        $0.signal("19 05 06 00 80 00 40 00 40 00", .sent)
        $0.signal("1a 05 02 00 00 00", .received)
      } == [
        "l2cap_reconfigure_refused warning: The peer refused new sizes for a channel for EATT (0x0027): Reconfiguration failed, reduction in size of MTU not allowed (0x0001) #4 #5"
      ])
    let classic = evidence {
      $0.connectClassic()
      $0.openClassic(psm: "19 00")
      $0.signal("04 02 08 00 46 00 00 00 01 02 a0 02", .sent, cid: 1)
      // Two devices negotiate by refusing parameters as unacceptable.
      $0.signal("05 02 06 00 45 00 00 00 01 00", .received, cid: 1)
      $0.signal("04 03 08 00 46 00 00 00 01 02 a0 02", .sent, cid: 1)
      $0.signal("05 03 06 00 45 00 00 00 02 00", .received, cid: 1)
    }
    #expect(
      classic.lines(of: "l2cap_configuration_refused") == [
        "The peer refused the configuration of a channel for AVDTP (0x0019): Failure, rejected (0x0002) #6 #7"
      ])
  }

  @Test("a command that is not understood: an error if channels were requested")
  func rejected() {
    #expect(
      finds {
        $0.signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
        $0.signal("01 02 02 00 00 00", .received)
      } == [
        "l2cap_command_rejected error: The peer rejected LE Credit Based Connection Request: Command not understood (0x0000) #2 #3"
      ])
    let classic = evidence {
      $0.connectClassic()
      $0.signal("3f 05 00 00", .sent, cid: 1)
      $0.signal("01 05 02 00 00 00", .received, cid: 1)
      $0.signal("04 06 04 00 77 00 00 00", .sent, cid: 1)
      $0.signal("01 06 06 00 02 00 77 00 00 00", .received, cid: 1)
    }
    #expect(classic.packets(of: "l2cap_command_rejected") == ["#4 #5", "#2 #3"])
  }

  @Test("a response whose request may be among lost records gives no finding") func lost() {
    #expect(
      finds {
        $0.signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
        $0.add([4, 0x13, 5, 1, 0x40, 0, 1, 0], .received, drops: 3)
        $0.signal("15 02 0a 00 00 00 00 00 00 00 00 00 02 00", .received)
      } == [])
  }

  // MARK: Transports, sizes and credits

  @Test("a command of the other transport, or credits on BR/EDR, are rejected") func transports()
    throws
  {
    let classic = evidence {
      $0.connectClassic()
      $0.openClassic(psm: "01 10")
      for identifier in ["05", "06"] {
        $0.signal("16 \(identifier) 04 00 46 00 ed 05", .received, cid: 1)
        $0.signal("01 \(identifier) 02 00 00 00", .sent, cid: 1)
      }
    }
    let credits = try #require(classic.finding("l2cap_command_rejected"))
    #expect(
      credits.line
        == "This host rejected Flow Control Credit on BR/EDR, 2 times: Command not understood (0x0000) #4 #5 #7"
    )
    #expect(credits.why.text.contains("other channels of BR/EDR have no credits"))
    let response = evidence {
      $0.connect()
      // Echo Response
      $0.signal("09 05 00 00", .received)
      $0.signal("01 05 02 00 00 00", .sent)
    }
    #expect(
      response.finding("l2cap_command_rejected")?.why.text
        == "The peer sent a command that L2CAP defines only for BR/EDR, and this host has to reject it."
    )
    #expect(
      finds {
        $0.signal("16 05 04 00 46 00 ed 05", .received)
        $0.signal("01 06 02 00 00 00", .sent)
      } == [], "another identifier")
  }

  @Test("a channel whose receiver accepts nothing, or too little") func sizes() throws {
    func opened(_ mps: String, mtu: String = "40") -> [String] {
      finds {
        $0.signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
        $0.signal("15 02 0a 00 41 00 \(mtu) 00 \(mps) 00 02 00 00 00", .received)
      }
    }
    #expect(
      opened("00") == [
        "l2cap_size_too_small error: The peer opened a channel for SPSM 0x0080 with an MPS of 0; the least is 23 #2 #3"
      ])
    #expect(
      opened("16", mtu: "10") == [
        "l2cap_size_too_small warning: The peer opened a channel for SPSM 0x0080 with an MTU of 16 and MPS of 22; the least is 23 #2 #3"
      ])
    #expect(opened("17") == [])
  }

  @Test("the last credit is used, and no other comes") func credits() throws {
    func starved(
      wait: Int = 20_000, length: Int = 5, reason: UInt8? = nil,
      _ more: (inout Traffic) -> Void = { _ in }
    ) -> Finding? {
      evidence {
        $0.connect()
        $0.openChannel()
        $0.sdu("01 02 03", .sent)
        $0.first(length, hex("01 02 03 04 05"), .sent)
        more(&$0)
        $0.clock += wait
        if let reason {
          $0.disconnect(reason: reason)
        } else {
          $0.endLink()
        }
      }.finding("l2cap_no_credits")
    }
    let finding = try #require(starved())
    #expect(
      finding.line == "The peer gave no more credits on the channel for SPSM 0x0080 #5 #6")
    #expect(finding.certainty == .possible)
    #expect(finding.severity == .warning)
    #expect(
      finding.why.text.hasPrefix("#5 used the last credit. For 20.0 s, until this host ended"))
    #expect(finding.why.text.contains("It gave none since the channel was opened."))
    #expect(starved(length: 9)?.severity == .error, "in the middle of an SDU")
    #expect(starved(wait: 3000) == nil)
    #expect(starved(reason: 0x08) == nil, "the peer was gone")
    #expect(starved { $0.signal("16 03 04 00 41 00 01 00", .received) } == nil, "it gave one")
    #expect(
      starved { $0.add([4, 0xff, 1, 0], .received, drops: 1) } == nil, "it may have given some")
    #expect(
      starved {
        $0.signal("06 04 04 00 41 00 40 00", .sent)
        $0.signal("07 04 04 00 41 00 40 00", .received)
      } == nil, "the channel was closed")
  }

  @Test("a phone asks for ATT over BR/EDR, although this host advertises that it has none")
  func wrongTransport() throws {
    func refused(flags: String) -> Finding? {
      evidence {
        $0.perform(0x2008, [3] + hex("02 01 \(flags)") + [UInt8](repeating: 0, count: 28))
        $0.connectClassic()
        $0.signal("02 01 04 00 1f 00 40 00", .received, cid: 1)
        $0.signal("03 01 08 00 00 00 40 00 02 00 00 00", .sent, cid: 1)
      }.finding("l2cap_service_missing")
    }
    let finding = try #require(refused(flags: "06"))
    #expect(
      finding.headline.text
        == "the peer asked for ATT over BR/EDR (#4), but this host offers it on LE")
    #expect(finding.evidence.first == 1)
    #expect(finding.remedy?.text.hasPrefix("Make the peer connect over LE") == true)
    #expect(refused(flags: "02")?.remedy == nil)
  }
}

@Suite("The story of channels") struct ChannelStoryTests {
  private func story(_ build: (inout Traffic) -> Void) throws -> [String] {
    try page {
      $0.connect()
      build(&$0)
      $0.disconnect()
    }
    .filter { $0.hasPrefix("  #") }.map { String($0.drop { $0 != "." }.dropFirst(6)) }
  }

  @Test("opened, used, closed; the story does not claim that no attribute was used") func whole()
    throws
  {
    let lines = try story {
      $0.openChannel()
      $0.sdu("01 02 03", .sent)
      // 24 bytes take two frames.
      $0.first(24, [UInt8](repeating: 1, count: 20), .received, cid: 0x40)
      $0.acl(l2cap([1, 2, 3, 4], cid: 0x40), .received)
      $0.signal("06 04 04 00 41 00 40 00", .sent)
      $0.signal("07 04 04 00 41 00 40 00", .received)
    }
    #expect(
      lines == [
        "connected: interval 30 ms, latency 0, supervision timeout 720 ms",
        "the central opens a channel for SPSM 0x0080: MTU 100, MPS 30, 3 credits; the",
        "1 SDU to the peripheral (3 bytes), 1 SDU from the peripheral (24 bytes) on the",
        "the central closes the channel for SPSM 0x0080",
        "the peripheral disconnects; neither paired nor encrypted",
      ])
  }

  @Test("refused, without a response, changed; a channel without its beginning") func others()
    throws
  {
    let lines = try story {
      $0.openChannel(result: 2)
      $0.openBearers()
      $0.signal("19 04 06 00 80 00 40 00 40 00", .sent)
      $0.signal("1a 04 02 00 00 00", .received)
      $0.signal("06 05 04 00 40 00 51 00", .received)
      $0.signal("14 09 0a 00 85 00 48 00 64 00 1e 00 03 00", .sent)
      $0.sdu("01 02 03", .received, cid: 0x77)
    }
    #expect(
      lines.dropFirst() == [
        "the peripheral refused a channel for SPSM 0x0080: Connection refused, SPSM not",
        "the central opens 2 channels for EATT (0x0027): MTU 64, MPS 64, 8 credits; the",
        "the central now accepts MTU 128, MPS 64 on a channel for EATT (0x0027)",
        "the peripheral closes one of the channels for EATT (0x0027), not answered",
        "the central requests a channel for SPSM 0x0085: no answer",
        "1 SDU from the peripheral on a channel whose opening is not in the capture",
        "the peripheral disconnects; neither paired nor encrypted",
      ])
  }

  @Test("an isochronous stream is part of its connection's story") func stream() throws {
    let lines = try story {
      $0.begin(0x2064, [1] + little(0x60) + little(0x40))
      $0.meta(0x19, [0] + little(0x60) + [UInt8](repeating: 0, count: 25))
    }
    #expect(lines.contains("a connected isochronous stream, CIS 0x0060, is established"))
  }

  @Test("of many channels the first ones are listed individually") func many() throws {
    let lines = try story { traffic in
      for _ in 0..<40 {
        traffic.openChannel()
        traffic.signal("06 04 04 00 41 00 40 00", .sent)
        traffic.signal("07 04 04 00 41 00 40 00", .received)
      }
    }
    #expect(lines.contains("8 more channels opened"))
    #expect(lines.contains("8 more channels closed"))
    #expect(lines.count == 36, "\(lines)")
  }

  @Test("data on more channels than the limit is counted together") func manyUses() throws {
    let lines = try story { traffic in
      for channel in 0..<40 { traffic.sdu("01 02", .received, cid: 0x40 + channel) }
    }
    #expect(
      lines.contains { $0.hasPrefix("1 SDU from the peripheral on a channel") }, "\(lines)")
    #expect(lines.contains("8 SDUs on channels that are not listed individually"))
  }
}
