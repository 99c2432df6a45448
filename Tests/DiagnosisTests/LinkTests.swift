import Bluetooth
import Diagnosis
import MadeTraffic
import Testing
import Words

@Suite("Rules about links that end") struct LinkTests {
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
    let finding = try #require(first("link-supervision-timeout", in: evidence))
    #expect(finding.line == "The link was lost: Connection Timeout (0x08) #4 #6 #9")
    #expect(
      finding.why.text
        == "Nothing was heard from the peer for the supervision timeout of 720 ms. The last data from it is #4, 725 ms before the end. 2 packets this host sent since #6 were never acknowledged. The last thing this host requested was to write 02 to 0x0003 (#7)."
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
      first("link-supervision-timeout", in: evidence)?.why.text.contains(
        "The capture has no data from it on this connection. Everything this host sent was acknowledged."
      ) == true)
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
    let found = evidence.findings().filter { $0.rule.description == "link-supervision-timeout" }
    #expect(found.count == 2)
    for finding in found {
      #expect(!finding.why.text.contains("acknowledged"), "\(finding.why.text)")
    }
    #expect(found.last?.why.text.contains("no data from it") == false, "its beginning is unknown")
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
      first("link-supervision-timeout", in: evidence)?.why.text.contains(
        "200 packets this host sent were never acknowledged.") == true)
  }

  @Test("a host that disconnects with reason 0x08 has not lost the link") func ownReason() {
    let evidence = evidence {
      $0.connect()
      $0.received("0b 01")
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
      findings(of: "link-lost-repeatedly", in: twice) == [
        "2 links to one device were lost after 1.0 s and 1.0 s #2 #4"
      ])
    let apart = evidence { traffic in
      for peer in [0xc011_2233_4455, 0xc011_2233_4456] {
        traffic.connect(peer: peer)
        traffic.disconnect(reason: 0x08)
      }
    }
    #expect(findings(of: "link-lost-repeatedly", in: apart) == [])
  }

  private static func stay(
    _ traffic: inout Traffic, _ milliseconds: Int, reason: UInt8 = 0x13,
    _ meanwhile: (inout Traffic) -> Void = { _ in }
  ) {
    traffic.connect()
    let start = traffic.clock
    meanwhile(&traffic)
    traffic.clock = start + milliseconds - 1
    traffic.disconnect(reason: reason)
  }

  @Test("a peer that disconnects after the same time twice, and requested security") func leaves()
    throws
  {
    let evidence = evidence { traffic in
      for time in [30_000, 30_200] {
        Self.stay(&traffic, time) {
          $0.sent("52 03 00 01")
          $0.acl(l2cap(hex("0b 05"), cid: 6), .received)
        }
      }
    }
    let finding = try #require(first("link-peer-leaves", in: evidence))
    #expect(finding.line == "The peer ended 2 connections after 30.0 s to 30.2 s #7 #4 #8")
    #expect(
      finding.why.text
        == "Its Security Request (#7) had no effect: it wants the link encrypted, but this host neither paired nor encrypted. Nothing was sent in the last 30.2 s before the end (last #7)."
    )
    #expect(finding.certainty == .likely)
    #expect(finding.severity == .warning)
  }

  @Test("what the peer may have waited for: a response, anything, nothing known")
  func wishes() {
    let cases: [(String, (inout Traffic) -> Void)] = [
      (
        "This host did not answer its request (#5). Nothing was sent in the last 10.0 s before the end (last #5).",
        { $0.received("0a 03 00") }
      ),
      (
        "This host sent it nothing: it may end connections that are not used.",
        { $0.received("1b 03 00 01") }
      ),
      (
        "It had not answered this host's request (#5) when it disconnected.",
        { $0.sent("0a 03 00") }
      ),
    ]
    for (words, meanwhile) in cases {
      let evidence = evidence { traffic in
        for _ in 0..<2 { Self.stay(&traffic, 10_000, meanwhile) }
      }
      #expect(first("link-peer-leaves", in: evidence)?.why.text == words)
    }
    let quiet = evidence { traffic in
      for _ in 0..<2 {
        Self.stay(&traffic, 10_000) {
          $0.sent("0a 03 00")
          $0.received("0b 01")
        }
      }
    }
    #expect(
      first("link-peer-leaves", in: quiet)?.why.text
        == "On the last connection no request was pending on either side. The devices did not pair. Nothing was sent in the last 10.0 s before the end (last #7)."
    )
  }

  @Test("a confirmation does not answer a request, and a channel request is a request")
  func openRequests() {
    let cases: [(String, (inout Traffic) -> Void)] = [
      (
        "This host did not answer its request (#6). Nothing was sent in the last 10.0 s before the end (last #8).",
        {
          $0.received("0a 03 00")
          $0.received("1d 05 00 01")
          $0.sent("1e")
        }
      ),
      (
        "It had not answered this host's request (#6) when it disconnected.",
        { traffic in
          traffic.signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
          traffic.sent("0a 03 00")
          traffic.received("0b 01")
        }
      ),
    ]
    for (words, meanwhile) in cases {
      let evidence = evidence { traffic in
        for _ in 0..<2 { Self.stay(&traffic, 10_000, meanwhile) }
      }
      #expect(
        first("link-peer-leaves", in: evidence)?.why.text
          == words.replacing("#6", with: "#7").replacing("#8", with: "#9"))
    }
  }

  @Test("Authenticated Payload Timeout Expired: how long, how often, and this host's reaction")
  func payloadTimeout() throws {
    let evidence = evidence {
      $0.connect()
      $0.command(0x0c7c, little(0x40) + little(1000))
      $0.complete(0x0c7c, [0] + little(0x40))
      $0.event(0x57, little(0x40))
      $0.event(0x57, little(0x40))
      $0.askToDisconnect()
      $0.disconnect(reason: 0x16)
    }
    let finding = try #require(first("link-payload-timeout", in: evidence))
    #expect(finding.line == "Authenticated Payload Timeout Expired, 2 times #4 #5")
    #expect(finding.severity == .warning)
    #expect(
      finding.why.text.hasPrefix("During the authenticated payload timeout of 10.0 s no packet"))
    #expect(finding.why.text.hasSuffix("This host then asked to disconnect (#6)."))
    // Setting it is not reported, nor is its value without one or on another link.
    let quiet = DiagnosisTests.evidence {
      $0.connect()
      $0.connect(0x41, peer: 0xc0ff_eeff_eeff)
      $0.command(0x0c7c, little(0x40) + little(1000))
      $0.complete(0x0c7c, [0x0c] + little(0x40))
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
      $0.command(0x207e, request)
      $0.status(0x207e, 0x1a)
      // A failed request of the peer is not a failure of this host.
      $0.meta(0x23, [0x1f] + change)
    }
    #expect(findings(of: "link-procedure-failed", in: refused) == [])
    let failed = evidence {
      $0.connect()
      $0.command(0x207e, request)
      $0.status(0x207e)
      $0.meta(0x23, [0x1f] + change)
    }
    #expect(
      findings(of: "link-procedure-failed", in: failed) == [
        "LE Subrate Request failed: Unspecified Error (0x1f) #4"
      ])
    let changed = evidence {
      $0.connect()
      $0.meta(0x23, [0] + change)
    }
    #expect(changed.connections.first?.link.current?.timeout == 600)
    #expect(changed.connections.first?.link.current?.latency == 1)
  }

  @Test(
    "once, after different times, within a second, or by this host: no finding about the peer",
    arguments: [[30_000], [30_000, 40_000], [500, 500]])
  func stays(times: [Int]) {
    let evidence = evidence { traffic in
      for time in times { Self.stay(&traffic, time) }
    }
    #expect(rules(in: evidence) == [])
    let own = DiagnosisTests.evidence { traffic in
      for _ in 0..<2 { Self.stay(&traffic, 10_000) { $0.askToDisconnect() } }
    }
    #expect(findings(of: "link-peer-leaves", in: own) == [])
  }

  @Test("if the other end is in the capture, too, its host reports it") func bothEnds() {
    let evidence = evidence { traffic in
      for _ in 0..<2 {
        traffic.adapter = 0
        traffic.connect(role: 1)
        traffic.adapter = 1
        traffic.connect(peer: 0xc0ff_eeff_eeff)
        traffic.clock += 5000
        traffic.askToDisconnect()
        traffic.disconnect(reason: 0x13)
        traffic.adapter = 0
        traffic.disconnect(reason: 0x13)
      }
    }
    #expect(findings(of: "link-peer-leaves", in: evidence) == [])
  }

  @Test("low resources is a warning, power off a note") func reasons() {
    for (reason, rule, severity) in [
      (0x14, "link-peer-low-resources", Severity.warning), (0x15, "link-power-off", .note),
    ] {
      let evidence = evidence {
        $0.connect()
        $0.received("0b 01")
        $0.disconnect(reason: UInt8(reason))
      }
      #expect(rules(in: evidence) == [rule])
      #expect(first(rule, in: evidence)?.severity == severity)
    }
  }

  @Test("a controller that ends the link because of a procedure names it") func procedures() {
    let instant = evidence {
      $0.connect()
      $0.received("0b 01")
      $0.changeParameters()
      $0.disconnect(reason: 0x28)
    }
    #expect(
      findings(of: "link-procedure-collision", in: instant) == [
        "The controller ended the link: Instant Passed (0x28) #3 #5"
      ])
    let silent = evidence {
      $0.connect()
      $0.received("0b 01")
      $0.disconnect(reason: 0x22)
    }
    #expect(rules(in: silent) == ["link-lmp-timeout"])
    let other = evidence {
      $0.connect()
      $0.received("0b 01")
      $0.disconnect(reason: 0x1f)
    }
    #expect(rules(in: other) == ["link-controller-ended"])
  }

  @Test("a collision that the link survives is a warning, an update that succeeds is nothing")
  func collision() {
    let failed = evidence {
      $0.connect()
      $0.changeParameters()
      $0.parametersChanged(status: 0x23)
    }
    #expect(
      findings(of: "link-procedure-collision", in: failed) == [
        "LE Connection Update failed: LL Procedure Collision (0x23) #2 #4"
      ])
    #expect(first("link-procedure-collision", in: failed)?.severity == .warning)
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
      findings(of: "link-procedure-failed", in: evidence) == [
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
      $0.connect()
      $0.received("0b 01")
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0x0c03)
      $0.complete(0x0c03)
    }
    #expect(
      findings(of: "link-reset", in: evidence) == [
        "The controller was reset, or switched off, with the link open #4"
      ])
    #expect(rules(in: evidence) == ["link-reset"])
  }

  @Test("LL Response Timeout: what this host had asked for 40 s before, or that it had not")
  func responseTimeout() throws {
    func capture(asks: Bool, at delay: Int = 600, without part: Bool = false) -> Finding? {
      first(
        "link-lmp-timeout",
        in: evidence {
          if !part { $0.command(0x2016, little(0x40)) }
          $0.connect()
          $0.received("0b 01")
          $0.clock += delay
          if asks {
            $0.command(0x2032, little(0x40) + hex("00 02 02 00 00"))
            $0.status(0x2032)
          }
          $0.clock += 40_000
          $0.meta(0x03, [0x22] + little(0x40) + hex("00 00 00 00 00 00"))
          $0.disconnect(reason: 0x22)
        })
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
      other.why.text
        == "Neither host requested the end. A controller ends a link if a Link Layer procedure is not finished 40 s after it began, here about 600 ms after the link was opened (#2). This host had asked for none then, so the peer's controller began it, or this host's controller on its own. #4 reports that it was a change of the connection parameters."
    )
    let unknown = try #require(capture(asks: false, without: true))
    #expect(unknown.certainty == .likely, "the capture has no commands")
    #expect(unknown.headline.text.contains("got no answer of the peer's controller"))
  }

  @Test("the peer ends each connection when it receives a certain request") func leavesAtRequest()
    throws
  {
    func capture(
      times: Int = 3, delay: Int = 80, request: String = "02 00 01",
      _ end: (inout Traffic) -> Void = { $0.disconnect(reason: 0x13) }
    ) -> Finding? {
      first(
        "link-peer-leaves-at-request",
        in: evidence { traffic in
          for _ in 0..<times {
            traffic.connect()
            traffic.sent(request)
            traffic.completed(1)
            traffic.clock += delay
            end(&traffic)
          }
        })
    }
    let finding = try #require(capture())
    #expect(
      finding.line
        == "The peer ended 3 connections when it received Exchange MTU Request #2 #4 #6 #8 #10 #12")
    #expect(finding.certainty == .likely)
    #expect(
      finding.why.text
        == "Each time Exchange MTU Request was the only data that this host sent, and the peer ended the link within 82 ms after it, with Remote User Terminated Connection (0x13). Its controller had acknowledged it each time."
    )
    #expect(capture(times: 1) == nil)
    #expect(capture(delay: 2000) == nil, "later")
    #expect(
      capture {
        $0.received("03 00 01")
        $0.disconnect(reason: 0x13)
      } == nil, "after its answer")
    #expect(
      capture {
        $0.askToDisconnect()
        $0.disconnect(reason: 0x16)
      } == nil, "this host did")
    #expect(capture(times: 10) == nil, "the capture lacks what the peer sent")
    let refuted = evidence { traffic in
      for _ in 0..<2 {
        traffic.connect()
        traffic.sent("02 00 01")
        traffic.disconnect(reason: 0x13)
      }
      traffic.connect()
      traffic.ask("02 00 01", "03 00 01")
      traffic.disconnect(reason: 0x13)
    }
    #expect(findings(of: "link-peer-leaves-at-request", in: refuted) == [])
  }
}
