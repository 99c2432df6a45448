import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Testing
import Meanings

@Suite("Rules about peers that end links") struct LeavingRuleTests {
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
    let finding = try #require(evidence.finding("link_peer_leaves"))
    #expect(finding.packets == "#7 #4 #8")
    #expect(finding.why.text.hasPrefix("Its Security Request (#7) had no effect"))
    #expect(finding.certainty == .likely)
    #expect(finding.severity == .warning)
  }

  @Test("three stays that are equal since encryption, or since the same request") func otherStays()
    throws
  {
    func stays(_ meanwhile: (inout Traffic, Int) -> Void) -> Finding? {
      evidence { traffic in
        for index in 0..<3 {
          traffic.connect()
          traffic.wait(1000 + index * 4000)
          meanwhile(&traffic, index)
          traffic.wait(3000 + index * 20)
          traffic.disconnect(reason: index == 1 ? 0x3b : 0x13)
        }
      }.finding("link_peer_leaves")
    }
    let encrypted = try #require(
      stays { traffic, _ in
        traffic.encrypt()
      })
    #expect(
      encrypted.what.text == "The peer ended 3 connections 3.0 s after encryption",
      "\(encrypted.what.text)")
    let asked = try #require(
      stays { traffic, _ in
        traffic.ask("12 13 00 01", "13")
      })
    #expect(
      asked.what.text
        == "The peer ended 3 connections 3.0 s after this host's last request, to write 01 to 0x0013",
      "\(asked.what.text)")
    #expect(stays { traffic, index in traffic.ask("12 13 00 0\(index)", "13") } == nil)
  }

  @Test("a peer that leaves right after this host made the link slower, unless it asked for that")
  func leavesAfterChange() throws {
    func capture(_ pause: Int, asks: Bool = false, parameters: String = "a0 00 00 00 90 01")
      -> Finding?
    {
      evidence {
        $0.establish()
        $0.wait(2000)
        let wanted = "a0 00 a0 00 00 00 90 01"
        if asks {
          $0.askForParameters(.received, wanted: wanted)
          $0.answerParameters(.sent, accepts: true)
        }
        $0.changeParameters(wanted: wanted)
        $0.parametersChanged(parameters)
        $0.wait(pause)
        $0.disconnect(reason: 0x13)
      }.finding("link_peer_leaves_after_change")
    }
    let finding = try #require(capture(499))
    #expect(finding.packets == "#3 #5 #6")
    #expect(
      finding.what.text.hasSuffix(
        "500 ms after this host had changed the connection interval from 30 ms to 200 ms"))
    #expect(finding.certainty == .possible)
    #expect(capture(2000) == nil)
    #expect(capture(499, asks: true) == nil)
    #expect(capture(499, parameters: "30 00 00 00 90 01") == nil)
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
      #expect(evidence.finding("link_peer_leaves")?.why.text == words)
    }
    let quiet = evidence { traffic in
      for _ in 0..<2 {
        Self.stay(&traffic, 10_000) {
          $0.ask("0a 03 00", "0b 01")
        }
      }
    }
    #expect(
      quiet.finding("link_peer_leaves").whyText.contains("no request was pending on either side"))
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
          traffic.ask("0a 03 00", "0b 01")
        }
      ),
    ]
    for (words, meanwhile) in cases {
      let evidence = evidence { traffic in
        for _ in 0..<2 { Self.stay(&traffic, 10_000, meanwhile) }
      }
      #expect(
        evidence.finding("link_peer_leaves")?.why.text
          == words.replacing("#6", with: "#7").replacing("#8", with: "#9"))
    }
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
    #expect(own.lines(of: "link_peer_leaves") == [])
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
    #expect(evidence.lines(of: "link_peer_leaves") == [])
  }

  @Test("the peer ends each connection when it receives a certain request") func leavesAtRequest()
    throws
  {
    func capture(
      times: Int = 3, delay: Int = 80, request: String = "02 00 01",
      _ end: (inout Traffic) -> Void = { $0.disconnect(reason: 0x13) }
    ) -> Finding? {
      evidence { traffic in
        for _ in 0..<times {
          traffic.connect()
          traffic.sent(request)
          traffic.completed(1)
          traffic.clock += delay
          end(&traffic)
        }
      }.finding("link_peer_leaves_at_request")
    }
    let finding = try #require(capture())
    #expect(
      finding.line
        == "The peer ended 3 connections when it received Exchange MTU Request #2 #4 #6 #8 #10 #12")
    #expect(finding.certainty == .likely)
    #expect(finding.why.text.hasSuffix("Its controller had acknowledged it each time."))
    #expect(capture(times: 1) == nil)
    #expect(capture(delay: 2000) == nil, "later")
    #expect(
      capture {
        $0.received("03 00 01")
        $0.disconnect(reason: 0x13)
      } == nil, "after its answer")
    #expect(
      capture {
        $0.endLink()
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
    #expect(refuted.lines(of: "link_peer_leaves_at_request") == [])
  }
}
