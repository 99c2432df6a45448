import Bluetooth
import Bytes
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Rules about the parameters of links") struct LinkParameterRuleTests {
  @Test("the peer refuses this host's request") func refused() throws {
    let evidence = evidence {
      $0.connect(role: 1)
      $0.askForParameters(.sent)
      $0.answerParameters(.received, accepts: false)
    }
    let finding = try #require(evidence.finding("link_parameters_refused"))
    #expect(finding.line == "The peer refused new connection parameters #2 #3")
    #expect(
      finding.why.text.contains(
        "supervision timeout 4000 ms. The link kept interval 30 ms, latency 0"))
    #expect(finding.severity == .warning)
  }

  @Test("this host refuses the peer's request; a reject counts as well") func refuses() {
    let response = evidence {
      $0.connect()
      $0.askForParameters(.received)
      $0.answerParameters(.sent, accepts: false)
    }
    #expect(
      response.lines(of: "link_parameters_refused") == [
        "This host refused new connection parameters #2 #3"
      ])
    let reject = evidence {
      $0.connect()
      $0.askForParameters(.received)
      $0.signal("01 01 02 00 00 00", .sent)
    }
    #expect(reject.packets(of: "link_parameters_refused") == ["#2 #3"])
  }

  @Test("refused once and granted later is a note") func granted() {
    let evidence = evidence {
      $0.connect(role: 1)
      $0.askForParameters(.sent)
      $0.answerParameters(.received, accepts: false)
      $0.askForParameters(.sent, identifier: "02")
      $0.answerParameters(.received, accepts: true, identifier: "02")
      $0.parametersChanged()
    }
    let finding = evidence.finding("link_parameters_refused")
    #expect(finding?.severity == .note)
    #expect(finding?.isResolved == true)
    #expect(
      finding.whyText.hasSuffix(
        "A later change was made (#6): interval 125 ms, latency 0, supervision timeout 4000 ms."))
  }

  @Test("a controller's negative reply and a failing update have their reason") func controllers() {
    let negative = evidence {
      $0.connect()
      $0.meta(0x06, little(0x40) + hex("50 00 64 00 00 00 90 01"))
      $0.perform(0x2021, little(0x40) + [0x3b], returns: [0] + little(0x40))
    }
    #expect(
      negative.lines(of: "link_parameters_refused") == [
        "This host refused new connection parameters: Unacceptable Connection Parameters (0x3b) #2 #3"
      ])
    let failed = evidence {
      $0.connect()
      $0.changeParameters()
      $0.parametersChanged(status: 0x3b)
    }
    #expect(
      failed.lines(of: "link_parameters_refused") == [
        "The peer's controller refused new connection parameters: Unacceptable Connection Parameters (0x3b) #2 #4"
      ])
    // Nobody advises the central to request what the central accepts.
    let remedy = failed.finding("link_parameters_refused")?.remedy?.text
    #expect(remedy?.hasPrefix("This host has to choose parameters") == true, "\(remedy ?? "")")
    let atOnce = evidence {
      $0.connect()
      $0.changeParameters(status: 0x12)
    }
    #expect(
      atOnce.lines(of: "link_parameters_refused") == [
        "This host's controller refused new connection parameters: Invalid HCI Command Parameters (0x12) #2 #3"
      ])
  }

  @Test("0x3b after the same time, or while an equal link lived on, may be a timer's")
  func timer() throws {
    func capture(_ stays: [(Int, UInt8)]) -> [Finding] {
      evidence { traffic in
        for (time, reason) in stays {
          traffic.establish()
          traffic.wait(time)
          traffic.disconnect(reason: reason)
        }
      }.findings(isGrouped: false).filter { $0.rule.description == "link_parameters_refused" }
    }
    #expect(capture([(3050, 0x3b), (3060, 0x3b)]).map(\.certainty) == [.likely, .likely])
    #expect(capture([(3050, 0x3b), (60_000, 0x13)]).map(\.certainty) == [.likely])
    #expect(capture([(3050, 0x3b), (9000, 0x3b)]).map(\.certainty) == [.likely, .likely])
  }

  @Test("the time for a packet limits its length, on the PHY in force") func dataLength() throws {
    func capture(_ time: Int, phy: UInt8? = nil, packets: Int = 0) -> Finding? {
      evidence { traffic in
        traffic.perform(0x2024, little(251) + little(2120))
        traffic.connect()
        if let phy { traffic.meta(0x0c, [0] + little(0x40) + [phy, phy]) }
        traffic.meta(
          0x07, little(0x40) + little(251) + little(time) + little(251) + little(17040))
        for _ in 0..<packets {
          traffic.acl(l2cap([0x1b, 0x10, 0] + [UInt8](repeating: 7, count: 100)), .sent)
        }
      }.finding("link_data_length_time")
    }
    let finding = try #require(capture(328))
    #expect(
      finding.line
        == "The packets that this host sends have at most 27 bytes, although 251 were agreed on #1 #4"
    )
    #expect(finding.severity == .note)
    #expect(finding.why.text.contains("on LE 1M 328 µs hold 27 bytes"))
    #expect(finding.why.text.contains("default for sending is 251 bytes in 2120 µs (#1)"))
    #expect(capture(328, packets: 50)?.severity == .warning)
    #expect(capture(328, phy: 2)?.what.text.contains("at most 67 bytes") == true)
    #expect(capture(2120) == nil)
    #expect(capture(1064, phy: 2) == nil)
    #expect(capture(2704, phy: 3)?.what.text.contains("at most 27 bytes") == true)
  }

  @Test("a transfer of one packet in each interval, although more wait") func onePerInterval()
    throws
  {
    /// Keeps four packets waiting; the controller completes some of them after each pause.
    func capture(_ pause: Int, each count: Int = 1, waiting: Int = 4, length: Int = 251)
      -> Finding?
    {
      evidence { traffic in
        traffic.connect()
        traffic.meta(0x0c, [0] + little(0x40) + [2, 2])
        traffic.meta(
          0x07, little(0x40) + little(length) + little(2120) + little(251) + little(2120))
        let value = l2cap([0x1b, 0x10, 0] + [UInt8](repeating: 7, count: 200))
        for _ in 0..<waiting { traffic.acl(value, .sent) }
        for _ in 0..<60 {
          traffic.wait(pause - 1 - count)
          traffic.completed(count)
          for _ in 0..<count { traffic.acl(value, .sent) }
        }
      }.finding("link_one_packet_per_interval")
    }
    let finding = try #require(capture(30))
    #expect(finding.what.text == "One packet per connection interval: 6900 bytes per second")
    #expect(finding.severity == .warning)
    #expect(finding.certainty == .certain, "a fact")
    #expect(capture(30, each: 2) == nil)
    #expect(capture(10) == nil, "three in each interval")
    #expect(capture(30, waiting: 1) == nil, "the host sends no more")
    #expect(capture(30, length: 27) == nil, "a packet is eight of the Link Layer")
  }

  @Test("a peer that ends the link with 0x3b does so because of the parameters") func left() {
    let evidence = evidence {
      $0.establish()
      $0.disconnect(reason: 0x3b)
    }
    #expect(
      evidence.lines(of: "link_parameters_refused") == [
        "The peer disconnected because of the connection parameters #3"
      ])
    #expect(evidence.finding("link_parameters_refused")?.severity == .error)
  }

  @Test("a constant time with 0x3b is a timer if a device of the same kind lived on")
  func timerOfProduct() throws {
    func capture(survives: Bool) -> Evidence {
      evidence { traffic in
        for (place, peer) in [0xc011_2233_4455, 0xc011_2233_6677, 0xc011_2233_8899].enumerated() {
          // "LAMP4455"
          let digits = ["34 34 35 35", "36 36 37 37", "38 38 39 39"][place]
          traffic.advertise(peer: peer, data: "09 09 4c 41 4d 50 \(digits)")
          traffic.connect(peer: peer)
          traffic.wait(place == 1 && survives ? 60_000 : 3050 + place)
          traffic.disconnect(reason: place == 1 && survives ? 0x13 : 0x3b)
        }
      }
    }
    let timed = capture(survives: true)
    #expect(timed.lines(of: "link_parameters_refused") == [])
    let finding = try #require(timed.finding("link_peer_leaves"))
    #expect(finding.what.text == "Peers with like names ended 2 connections after 3.1 s")
    #expect(finding.why.text.contains("the same parameters and lived for 60.0 s."))
    #expect(capture(survives: false).lines(of: "link_parameters_refused").count == 1)
  }

  @Test(
    "a host's own update before its response does not carry out the peer's request, which comes later"
  )
  func ownUpdateMeanwhile() {
    let evidence = evidence {
      $0.connect()
      $0.askForParameters(.received, wanted: "10 00 18 00 10 00 58 02")
      // 7.5 ms, latency 0, timeout 20 s: Android's parameters for discovery.
      $0.changeParameters(wanted: "06 00 06 00 00 00 d0 07")
      $0.answerParameters(.sent, accepts: true)
      $0.parametersChanged("06 00 00 00 d0 07")
      $0.changeParameters(wanted: "10 00 18 00 10 00 58 02")
      $0.parametersChanged("18 00 10 00 58 02")
    }
    #expect(rules(in: evidence) == [])
    let updates = evidence.connections.first?.link.updates ?? []
    #expect(updates.map(\.procedure) == [.signalling, .command])
    #expect(updates.map(\.side) == [.peer, .local])
    #expect(updates.map { $0.completed?.packet } == [9, 6], "\(updates)")
    #expect(updates.map { $0.result?.interval } == [24, 6])
  }

  @Test("a response with another identifier answers another request") func identifier() {
    let evidence = evidence {
      $0.connect()
      $0.askForParameters(.received, identifier: "02")
      $0.answerParameters(.sent, accepts: false, identifier: "03")
    }
    #expect(evidence.connections.first?.link.updates.first?.answered == nil)
  }

  @Test("the controllers carry out the host's reply to the peer's controller") func linkLayer() {
    let evidence = evidence {
      $0.connect()
      $0.meta(0x06, little(0x40) + hex("50 00 64 00 00 00 90 01"))
      $0.perform(
        0x2020, little(0x40) + hex("50 00 64 00 00 00 90 01 00 00 00 00"),
        returns: [0] + little(0x40))
      $0.clock += 6000
      $0.received("1b 03 00 01")
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("granted by this host, but no LE Connection Update in six seconds") func neverApplied()
    throws
  {
    let evidence = evidence {
      $0.connect()
      $0.askForParameters(.received)
      $0.answerParameters(.sent, accepts: true)
      $0.clock += 6000
      $0.received("1b 03 00 01")
      // The capture has commands, so the missing one was not sent.
      $0.command(0x0c03)
    }
    let finding = try #require(evidence.finding("link_parameters_never_applied"))
    #expect(
      finding.line == "This host accepted new connection parameters but did not apply them #2 #3")
    #expect(finding.why.text.hasSuffix("but never sent LE Connection Update."))
  }

  @Test("granted, but the link ends after a second or already has the parameters: no finding")
  func noTime() {
    let short = evidence {
      $0.connect()
      $0.askForParameters(.received)
      $0.answerParameters(.sent, accepts: true)
      $0.clock += 1000
      $0.endLink()
    }
    #expect(rules(in: short) == [])
    // Interval 30 ms, latency 0, timeout 720 ms are in effect.
    let same = evidence {
      $0.connect()
      $0.askForParameters(.received, wanted: "10 00 18 00 00 00 48 00")
      $0.answerParameters(.sent, accepts: true)
      $0.clock += 6000
      $0.received("1b 03 00 01")
    }
    #expect(rules(in: same) == [])
  }

  @Test("granted and carried out, by the host's command or by the peer alone: no finding")
  func applied() {
    let own = evidence {
      $0.connect()
      $0.askForParameters(.received)
      $0.answerParameters(.sent, accepts: true)
      $0.changeParameters()
      $0.parametersChanged()
      $0.clock += 6000
      $0.received("1b 03 00 01")
    }
    #expect(rules(in: own) == [])
    #expect(own.connections.first?.link.updates.count == 1)
    let peers = evidence {
      $0.connect(role: 1)
      $0.askForParameters(.sent)
      $0.answerParameters(.received, accepts: true)
      $0.parametersChanged()
      $0.clock += 6000
      $0.received("1b 03 00 01")
    }
    #expect(rules(in: peers) == [])
  }

  @Test("impossible parameters: why, and whether they were accepted") func impossible() throws {
    // Interval 500 ms, latency 4, timeout 3000 ms: must be above 2 × 5 × 500 = 5000 ms.
    let evidence = evidence {
      $0.connect()
      $0.askForParameters(.received, wanted: "90 01 90 01 04 00 2c 01")
      $0.answerParameters(.sent, accepts: false)
    }
    let finding = try #require(evidence.finding("link_parameters_impossible"))
    #expect(finding.line == "The peer requested invalid parameters #2 #3")
    #expect(finding.why.text.contains("2 × (1 + latency 4) × interval 500 ms = 5000 ms"))
    #expect(finding.severity == .warning)
  }

  @Test("with a timeout one unit above the minimum they are possible") func possible() {
    let evidence = evidence {
      $0.connect()
      $0.askForParameters(.received, wanted: "90 01 90 01 04 00 f5 01")
      $0.answerParameters(.sent, accepts: true)
      $0.changeParameters(wanted: "90 01 90 01 04 00 f5 01")
      $0.parametersChanged("90 01 04 00 f5 01")
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("a link that is lost with such parameters in effect is lost because of them") func lost() {
    let evidence = evidence {
      $0.connect()
      $0.changeParameters(wanted: "90 01 90 01 04 00 2c 01")
      $0.parametersChanged("90 01 04 00 2c 01")
      $0.disconnect(reason: 0x08)
    }
    #expect(evidence.finding("link_parameters_impossible")?.severity == .error)
  }

  @Test("values out of range are listed individually") func ranges() {
    for (wanted, words) in [
      ("05 00 18 00 00 00 64 00", "An interval of 6.25 ms to 30 ms is outside 7.5 ms to 4 s."),
      ("18 00 18 00 f4 01 80 0c", "A latency of 500 exceeds the maximum of 499."),
      ("06 00 06 00 00 00 09 00", "A supervision timeout of 90 ms is outside 100 ms to 32 s."),
    ] {
      let evidence = evidence {
        $0.connect()
        $0.changeParameters(wanted: wanted)
      }
      #expect(evidence.finding("link_parameters_impossible")?.why.text == words)
    }
  }
}
