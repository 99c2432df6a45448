import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Rules about links that end") struct LinkRuleTests {
  @Test("a supervision timeout reports what was last heard and what was never acknowledged")
  func timeout() throws {
    let evidence = evidence {
      $0.connect()
      $0.sent("0a 01 00")
      $0.completed(1)
      $0.received("0b 01")
      $0.sent("0a 02 00")
      $0.sent("52 03 00 01")
      $0.sent("52 03 00 02")
      $0.completed(1)
      $0.clock += 720
      $0.disconnect(reason: 0x08)
    }
    let finding = try #require(evidence.finding("link_supervision_timeout"))
    #expect(finding.packets == "#6 #8 #9")
    #expect(
      finding.why.text
        == "Nothing was heard from the peer for the supervision timeout of 720 ms. The last sign of it is an acknowledgement (#8), 721 ms before the end. 2 packets this host sent since #6 were never acknowledged. The last thing this host requested was to write 02 to 0x0003 (#7)."
    )
    #expect(finding.severity == .error)
    #expect(finding.certainty == .certain)
  }

  @Test("if everything was acknowledged, that is reported") func acknowledged() {
    let evidence = evidence {
      $0.connect()
      $0.sent("52 03 00 01")
      $0.completed(1)
      $0.clock += 720
      $0.disconnect(reason: 0x08)
    }
    #expect(
      evidence.finding("link_supervision_timeout").whyText.contains(
        "Everything this host sent was acknowledged."))
  }

  @Test("without Number Of Completed Packets, or in the middle of a link, it is not mentioned")
  func unknown() {
    let evidence = evidence {
      $0.connect()
      $0.sent("52 03 00 01")
      $0.disconnect(reason: 0x08)
      $0.sent("52 03 00 01", handle: 0x41)
      $0.disconnect(0x41, reason: 0x08)
    }
    let found = evidence.findings(of: "link_supervision_timeout")
    #expect(found.count == 2)
    for finding in found {
      #expect(!finding.why.text.contains("acknowledged"), "\(finding.why.text)")
    }
    #expect(found.last?.why.text.contains("no sign of it") == false, "its beginning is unknown")
  }

  @Test("the number of the first of 200 unacknowledged packets is unknown") func many() {
    let evidence = evidence { traffic in
      traffic.connect()
      traffic.sent("52 03 00 01")
      traffic.completed(1)
      for _ in 0..<200 { traffic.sent("52 03 00 01") }
      traffic.disconnect(reason: 0x08)
    }
    #expect(
      evidence.finding("link_supervision_timeout").whyText.contains(
        "200 packets this host sent were never acknowledged."))
  }

  @Test("what a controller reports about the radio, and every event that the peer caused, counts")
  func signs() throws {
    /// Android's Bluetooth Quality Report: this report, a signal of this strength, 16 packets sent
    /// again.
    func report(_ kind: UInt8, _ rssi: Int8, _ traffic: inout Traffic) {
      traffic.event(
        0xff,
        [0x58, kind, 1] + little(0x40) + [0, 8, UInt8(bitPattern: rssi), 20, 0, 0]
          + little(1152) + little(0, width: 4) + little(16, width: 4) + little(0, width: 28))
    }
    let evidence = evidence {
      $0.connect(timeout: 500)
      $0.received("1b 03 00 01")
      $0.wait(60_000)
      report(1, -45, &$0)
      $0.meta(0x07, little(0x40) + little(251) + little(2120) + little(251) + little(2120))
      $0.wait(2500)
      report(2, -46, &$0)
      report(2, 72, &$0)
      $0.wait(2500)
      $0.disconnect(reason: 0x08)
    }
    let finding = try #require(evidence.finding("link_supervision_timeout"))
    #expect(
      finding.line
        == "The link was lost right after a data length change: Connection Timeout (0x08) #4 #5 #7")
    #expect(
      finding.why.text.contains(
        "The last sign of it is an event (#4), 5.0 s before the end. The controller reported that half of the supervision timeout had passed without a packet (#6). This host's controller reported a signal of -46 dBm, and 16 packets sent again (#5, 2.5 s before the end)."
      ))
    #expect(finding.certainty == .possible, "one event after another")
    // Without the change, at this signal nobody should look at the range.
    let strong = DiagnosisTests.evidence {
      $0.connect(timeout: 500)
      $0.received("1b 03 00 01")
      $0.wait(2500)
      report(2, -45, &$0)
      $0.wait(2500)
      $0.disconnect(reason: 0x08)
    }
    let other = try #require(strong.finding("link_supervision_timeout"))
    #expect(other.remedy?.text.hasPrefix("The signal was strong (-45 dBm)") == true)
    #expect(other.certainty == .certain, "a fact")
  }

  @Test("an idle link was lost one supervision timeout before its end, not after its last data")
  func idle() throws {
    let evidence = evidence {
      $0.connect(timeout: 500)
      $0.sent("52 03 00 01")
      $0.completed(1)
      $0.received("0b 01")
      $0.wait(20_000)
      $0.disconnect(reason: 0x08)
    }
    let finding = try #require(evidence.finding("link_supervision_timeout"))
    #expect(
      finding.headline.text == "connection 1 was lost at #5: this host no longer heard the peer")
    #expect(finding.why.text.contains("kept it open until about 5.0 s before the end"))
    #expect(!finding.why.text.contains("The last thing this host requested"))
  }

  @Test("a procedure is only named if the peer fell silent then; twice, it is likely")
  func procedureOfLoss() throws {
    func capture(_ pause: Int, times: Int = 1) -> Finding? {
      evidence { traffic in
        for _ in 0..<times {
          traffic.connect(timeout: 500)
          traffic.received("1b 03 00 01")
          traffic.meta(0x0c, [0] + little(0x40) + [2, 2])
          traffic.wait(pause)
          traffic.disconnect(reason: 0x08)
        }
      }.finding("link_supervision_timeout")
    }
    let once = try #require(capture(5000))
    #expect(once.headline.text.contains("after the change to the LE 2M PHY (#3)"))
    #expect(once.certainty == .possible)
    #expect(try #require(capture(5000, times: 2)).certainty == .likely)
    let late = try #require(capture(6500))
    #expect(!late.what.text.contains("PHY"), "the peer was heard for 1.5 s after it")
  }

  @Test("a controller that sent nothing while a link was lost has stalled, if a command waited")
  func stalledController() throws {
    func lost(_ meanwhile: (inout Traffic) -> Void) throws -> Finding {
      try #require(
        evidence {
          $0.connect(timeout: 2000)
          $0.received("1b 03 00 01")
          $0.command(0x200c, [0, 0])
          meanwhile(&$0)
          $0.disconnect(reason: 0x22)
        }.finding("link_lmp_timeout"))
    }
    let late = try lost {
      $0.wait(1000)
      $0.complete(0x200c)
    }
    #expect(late.headline.text.contains("LE Set Scan Enable (#3) waited for its answer, until #4"))
    #expect(late.line.hasSuffix(" #3 #4 #5"))
    #expect(late.certainty == .likely)
    #expect(late.alternatives.map(\.text) == ["the peer was silent at that time, too"])
    #expect(late.remedy?.text.hasPrefix("Suspect this host's controller") == true)
    // The link's end is no answer. A controller that sends anything else has not stalled.
    let alive = [
      try lost { $0.wait(1000) },
      try lost {
        $0.wait(500)
        $0.received("1b 03 00 01")
        $0.wait(500)
        $0.complete(0x200c)
      },
      try lost {
        $0.complete(0x200c)
        $0.wait(1000)
      },
      try lost {
        $0.wait(400)
        $0.advertise(peer: 0xc0ff_eeff_eeff)
        $0.wait(590)
        $0.complete(0x200c)
      },
    ]
    for finding in alive {
      #expect(finding.headline.text.hasSuffix("this host no longer heard the peer"))
      #expect(finding.alternatives.first?.text.hasPrefix("this host's controller had") == true)
    }
  }

  @Test("a controller may wait for the supervision timeout with which the link was opened")
  func firstTimeout() throws {
    func why(_ life: Int) throws -> String {
      try #require(
        evidence {
          $0.connect(timeout: 2000)
          $0.changeParameters()
          $0.parametersChanged()
          $0.received("1b 03 00 01")
          $0.wait(life)
          $0.disconnect(reason: 0x08)
        }.finding("link_supervision_timeout")
      ).why.text
    }
    let begun = try why(20_000)
    #expect(
      begun.contains(
        "The link ended 20.0 s after it was opened (#1): this host's controller may have waited for the supervision timeout of then, 20000 ms, although 4000 ms were in force since #4."
      ))
    #expect(!begun.contains("kept it open"), "\(begun)")
    let idle = try why(30_000)
    #expect(idle.contains("kept it open until about 4.0 s before the end"))
    #expect(!idle.contains("may have waited"), "\(idle)")
  }

  @Test("a link that lived less than its supervision timeout, and its encryption") func shortLife()
    throws
  {
    let finding = try #require(
      evidence {
        $0.connect()
        $0.startEncryption()
        $0.wait(680)
        $0.event(0x08, [0x08] + little(0x40) + [0])
        $0.disconnect(reason: 0x08)
        // The key works.
        $0.connect(0x41)
        $0.startEncryption(0x41)
        $0.encrypted(0x41)
        $0.received("1b 03 00 01", handle: 0x41)
      }.finding("link_supervision_timeout"))
    #expect(finding.why.text.contains("ended 684 ms after it was opened (#1)"))
    #expect(finding.why.text.contains("Encryption (#2) failed for the same reason."))
    #expect(finding.line.hasSuffix(" #2 #4 #5 #6"))
  }

  @Test("a short supervision timeout: who requested it, and the side that can request another")
  func shortTimeout() throws {
    func lost(byPeer: Bool, android: Bool = false, timeout: String = "0a 00") throws -> Finding {
      try #require(
        evidence {
          if android { $0.command(0xfd57, [0]) }
          $0.connect(timeout: 500)
          if byPeer {
            $0.askForParameters(.received, wanted: "18 00 18 00 00 00 \(timeout)")
            $0.answerParameters(.sent, accepts: true)
          }
          $0.changeParameters(wanted: "18 00 18 00 00 00 \(timeout)")
          $0.parametersChanged("18 00 00 00 \(timeout)")
          $0.received("1b 03 00 01")
          $0.wait(timeout == "0a 00" ? 100 : 720)
          $0.disconnect(reason: 0x08)
        }.finding("link_supervision_timeout"))
    }
    let peers = try lost(byPeer: true)
    #expect(
      peers.headline.text.hasSuffix(
        "the short supervision timeout that the peer had requested (#2)"))
    #expect(peers.evidence.ranges.contains(2...2))
    #expect(peers.remedy?.text.hasPrefix("In the peer's firmware request a longer") == true)
    let own = try lost(byPeer: false)
    #expect(own.headline.text.hasSuffix("that this host had requested (#2)"))
    #expect(own.remedy?.text.hasPrefix("In this host's firmware or program request") == true)
    // Programs on Android cannot choose it.
    let phone = try lost(byPeer: false, android: true)
    #expect(phone.remedy?.text.hasPrefix("In the peer's firmware request a longer") == true)
    // 24 connection intervals are not short.
    let long = try lost(byPeer: true, timeout: "48 00")
    #expect(!long.why.text.contains("That is short"), "\(long.why.text)")
    #expect(long.headline.text.contains("nothing came from the peer after"))
  }

  @Test("without data a capture does not show who requested a short supervision timeout")
  func shortTimeoutWithoutData() throws {
    func lost(hasData: Bool) throws -> Finding {
      try #require(
        evidence {
          $0.connect(timeout: 500)
          $0.changeParameters(wanted: "18 00 18 00 00 00 0a 00")
          $0.parametersChanged("18 00 00 00 0a 00")
          if hasData { $0.sent("52 03 00 01") }
          $0.completed(1)
          $0.wait(100)
          $0.disconnect(reason: 0x08)
        }.finding("link_supervision_timeout"))
    }
    let whole = try lost(hasData: true)
    #expect(whole.headline.text.hasSuffix("that this host had requested (#2)"))
    // The peer's request, which this host may have granted, would be data.
    let bare = try lost(hasData: false)
    #expect(bare.headline.text.hasSuffix("the short supervision timeout"))
    for words in [bare.headline.text, bare.why.text] { #expect(!words.contains("requested")) }
  }

  @Test("what a controller acknowledges when a link is silent is late, or discarded")
  func lateAcknowledgement() throws {
    func why(_ pause: Int, _ rest: Int) throws -> String {
      try #require(
        evidence {
          $0.connect(timeout: 500)
          $0.sent("52 03 00 01")
          $0.completed(1)
          $0.sent("52 03 00 02")
          $0.wait(pause)
          $0.completed(1)
          $0.wait(rest)
          $0.disconnect(reason: 0x08)
        }.finding("link_supervision_timeout")
      ).why.text
    }
    for (pause, rest) in [(5000, 0), (2000, 3000)] {
      let words = try why(pause, rest)
      #expect(words.contains("an acknowledgement (#3), 5.0 s before the end"))
      #expect(!words.contains("was acknowledged"), "\(words)")
      #expect(
        words.contains(
          "The controller reported an acknowledgement later (#5), 3.0 s before the end.")
          == (rest > 0), "\(words)")
    }
    let last = try why(100, 5000)
    #expect(last.contains("an acknowledgement (#5), 5.0 s before the end. Everything"))
  }

  @Test("a peer that is connected to again at once was in range") func inRange() throws {
    func remedy(_ pause: Int) throws -> String {
      let finding = try #require(
        evidence {
          $0.establish()
          $0.wait(60_000)
          $0.disconnect(reason: 0x08)
          $0.wait(pause)
          $0.connect(0x41)
          $0.received("1b 03 00 01", handle: 0x41)
        }.finding("link_supervision_timeout"))
      #expect(finding.why.text.contains("A connection to it was possible again"))
      return finding.remedy?.text ?? ""
    }
    #expect(try remedy(150).hasPrefix("The peer was in range (#4), so look for another reason"))
    #expect(try remedy(10_000).hasPrefix("Check range"))
  }

  @Test("a link that was opened before the capture, without data, and lost in it") func unopened() {
    let lost = evidence {
      $0.advertise()
      $0.completed(1, handle: 0x43)
      $0.disconnect(0x42, reason: 0x08)
      $0.disconnect(0x43, reason: 0x08)
      $0.disconnect(0x44, reason: 0x13)
    }
    #expect(
      lost.lines(of: "link_supervision_timeout") == [
        "A link that was opened before the capture was lost: Connection Timeout (0x08) #2 #4",
        "A link that was opened before the capture was lost: Connection Timeout (0x08) #3",
      ])
    let known = evidence {
      $0.connect()
      $0.disconnect(reason: 0x13)
      $0.disconnect(reason: 0x08)
    }
    #expect(rules(in: known) == [])
  }

  @Test("a link that was dead when this host disconnected, and one whose end is not confirmed")
  func deadAtDisconnect() throws {
    func capture(_ silence: Int, _ wait: Int, reason: UInt8 = 0x08) -> Finding? {
      evidence {
        $0.connect(timeout: 500)
        $0.received("1b 03 00 01")
        $0.wait(silence)
        $0.askToDisconnect()
        $0.wait(wait)
        $0.disconnect(reason: reason)
      }.finding("link_dead_at_disconnect")
    }
    let dead = try #require(capture(4000, 1000))
    #expect(
      dead.line
        == "The link was already dead when this host disconnected: Connection Timeout (0x08) #2 #3 #5"
    )
    #expect(dead.severity == .warning)
    #expect(capture(60_000, 5000)?.severity == .note, "the peer left meanwhile")
    #expect(capture(60_000, 1000, reason: 0x22)?.severity == .warning)
    #expect(capture(60_000, 1000, reason: 0x16) == nil)
  }

  @Test("a host that disconnects with reason 0x08 has not lost the link") func ownReason() {
    let evidence = evidence {
      $0.establish()
      $0.askToDisconnect()
      $0.disconnect(reason: 0x08)
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("two losses of one device are reported together, those of two devices are not")
  func repeatedly() {
    let twice = evidence { traffic in
      for _ in 0..<2 {
        traffic.connect()
        traffic.clock += 999
        traffic.disconnect(reason: 0x08)
      }
    }
    #expect(
      twice.lines(of: "link_lost_repeatedly") == [
        "2 of 2 links to one device were lost after 1.0 s and 1.0 s #2 #4"
      ])
    let apart = evidence { traffic in
      for peer in [0xc011_2233_4455, 0xc011_2233_4456] {
        traffic.connect(peer: peer)
        traffic.disconnect(reason: 0x08)
      }
    }
    #expect(apart.lines(of: "link_lost_repeatedly") == [])
  }

  @Test("Authenticated Payload Timeout Expired: how long, how often, and this host's reaction")
  func payloadTimeout() throws {
    let evidence = evidence {
      $0.connect()
      $0.perform(0x0c7c, little(0x40) + little(1000), returns: [0] + little(0x40))
      $0.event(0x57, little(0x40))
      $0.event(0x57, little(0x40))
      $0.endLink()
    }
    let finding = try #require(evidence.finding("link_payload_timeout"))
    #expect(finding.packets == "#4 #5")
    #expect(finding.severity == .warning)
    #expect(finding.why.text.hasSuffix("This host then asked to disconnect (#6)."))
    // Setting it is not reported, nor is its value without one or on another link.
    let quiet = DiagnosisTests.evidence {
      $0.connect()
      $0.connect(0x41, peer: 0xc0ff_eeff_eeff)
      $0.perform(0x0c7c, little(0x40) + little(1000), returns: [0x0c] + little(0x40))
      $0.event(0x57, little(0x41))
    }
    #expect(quiet.connections.map(\.link.payloadTimeouts.count) == [0, 1])
    #expect(quiet.connections.map(\.link.payloadTimeout) == [nil, nil])
  }

  @Test("a subrate that is refused at once, or fails, or that the peer changes") func subrate() {
    let request = little(0x40) + little(1) + little(8) + little(0) + little(0) + little(400)
    let change = little(0x40) + little(4) + little(1) + little(2) + little(600)
    let refused = evidence {
      $0.connect()
      $0.begin(0x207e, request, status: 0x1a)
      // A failed request of the peer is not a failure of this host.
      $0.meta(0x23, [0x1f] + change)
    }
    #expect(refused.lines(of: "link_procedure_failed") == [])
    let failed = evidence {
      $0.connect()
      $0.begin(0x207e, request)
      $0.meta(0x23, [0x1f] + change)
    }
    #expect(
      failed.lines(of: "link_procedure_failed") == [
        "LE Subrate Request failed: Unspecified Error (0x1f) #4"
      ])
    let changed = evidence {
      $0.connect()
      $0.meta(0x23, [0] + change)
    }
    #expect(changed.connections.first?.link.current?.timeout == 600)
    #expect(changed.connections.first?.link.current?.latency == 1)
  }

  @Test("low resources is a warning, power off a note") func reasons() {
    for (reason, rule, severity) in [
      (0x14, "link_peer_low_resources", Severity.warning), (0x15, "link_power_off", .note),
    ] {
      let evidence = evidence {
        $0.establish()
        $0.disconnect(reason: UInt8(reason))
      }
      #expect(rules(in: evidence) == [rule])
      #expect(evidence.finding(rule)?.severity == severity)
    }
  }

  @Test("a controller that ends the link because of a procedure names it") func procedures() {
    let instant = evidence {
      $0.establish()
      $0.changeParameters()
      $0.disconnect(reason: 0x28)
    }
    #expect(
      instant.lines(of: "link_instant_passed") == [
        "The controller ended the link: Instant Passed (0x28) #3 #5"
      ])
    let silent = evidence {
      $0.establish()
      $0.disconnect(reason: 0x22)
    }
    #expect(rules(in: silent) == ["link_lmp_timeout"])
    let other = evidence {
      $0.establish()
      $0.disconnect(reason: 0x1f)
    }
    #expect(rules(in: other) == ["link_controller_ended"])
  }

  @Test("one known procedure is no collision; what it requests may be in force already")
  func instantPassed() throws {
    let evidence = evidence { traffic in
      traffic.connect(timeout: 1000)
      for _ in 0..<2 {
        traffic.changeParameters(wanted: "18 00 18 00 05 00 e8 03")
        traffic.parametersChanged("18 00 05 00 e8 03")
        traffic.wait(1000)
      }
      traffic.changeParameters(wanted: "18 00 18 00 05 00 e8 03")
      traffic.disconnect(reason: 0x28)
    }
    let finding = try #require(evidence.finding("link_instant_passed"))
    #expect(finding.evidence.ranges.map(\.lowerBound) == [8, 10])
    #expect(
      finding.why.text.contains(
        "under way (#8). It requests what is already in force, 3 times. With latency 5"))
    #expect(evidence.lines(of: "link_procedure_collision") == [])
  }

  @Test("a collision that the link survives is a warning, an update that succeeds is nothing")
  func collision() {
    let failed = evidence {
      $0.connect()
      $0.changeParameters()
      $0.parametersChanged(status: 0x23)
    }
    #expect(
      failed.lines(of: "link_procedure_collision") == [
        "LE Connection Update failed: LL Procedure Collision (0x23) #2 #4"
      ])
    #expect(failed.finding("link_procedure_collision")?.severity == .warning)
    let done = evidence {
      $0.connect()
      $0.changeParameters()
      $0.parametersChanged()
    }
    #expect(rules(in: done) == [])
  }

  @Test("failures of PHY and features are notes; a peer that lacks a feature has responded")
  func failures() {
    let evidence = evidence {
      $0.connect()
      $0.meta(0x0c, [0x1f] + little(0x40) + [0, 0])
      $0.meta(0x04, [0x1a] + little(0x40) + little(0, width: 8))
    }
    #expect(
      evidence.lines(of: "link_procedure_failed") == [
        "LE Set PHY failed: Unspecified Error (0x1f) #2"
      ])
    #expect(evidence.connections.first?.link.established?.packet == 3)
  }

  @Test("an acknowledgement among those of other links proves that the peer is there")
  func several() {
    let evidence = evidence {
      $0.connect()
      $0.connect(0x41, peer: 0xc0ff_eeff_eeff)
      $0.sent("52 03 00 01")
      $0.event(0x13, [3] + little(0x41) + little(0) + little(0x40) + little(1) + little(0x99))
    }
    #expect(evidence.connections.map(\.link.established?.packet) == [4, nil])
    #expect(evidence.connections.first?.link.unacknowledged == 0)
  }

  @Test("a reset with an open link is a note, one without is nothing") func reset() {
    let evidence = evidence {
      $0.establish()
      $0.perform(0x0c03)
      $0.perform(0x0c03)
    }
    #expect(
      evidence.lines(of: "link_reset") == [
        "The controller was reset or removed with the link open #4"
      ])
    #expect(rules(in: evidence) == ["link_reset"])
  }

  @Test("LL Response Timeout: what this host had asked for 40 s before, or that it had not")
  func responseTimeout() throws {
    func capture(asks: Bool, at delay: Int = 600, without part: Bool = false) -> Finding? {
      evidence {
        if !part { $0.command(0x2016, little(0x40)) }
        $0.establish()
        $0.clock += delay
        if asks {
          $0.begin(0x2032, little(0x40) + hex("00 02 02 00 00"))
        }
        $0.clock += 40_000
        $0.meta(0x03, [0x22] + little(0x40) + hex("00 00 00 00 00 00"))
        $0.disconnect(reason: 0x22)
      }.finding("link_lmp_timeout")
    }
    let own = try #require(capture(asks: true))
    #expect(own.certainty == .certain)
    #expect(own.why.text.contains("This host had asked for LE Set PHY (#4) 40 s before"))
    let other = try #require(capture(asks: false))
    #expect(other.certainty == .likely)
    #expect(
      other.headline.text
        == "connection 1 ended at #5: a Link Layer procedure that this host had not asked for was not finished"
    )
    #expect(
      other.why.text.contains(
        "This host had asked for none then, so the peer's controller began it. #4 reports"))
    let unknown = try #require(capture(asks: false, without: true))
    #expect(unknown.certainty == .likely, "the capture has no commands")
    #expect(unknown.headline.text.contains("got no answer of the peer's controller"))
  }
}
