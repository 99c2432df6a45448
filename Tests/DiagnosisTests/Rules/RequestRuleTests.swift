// Requests without a response, and their order.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Sessions
import Testing

@Suite("Requests without a response") struct RequestRuleTests {
  @Test("a read without a response until the link is ended 8 s later") func noAnswer() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.sent("0a 13 00")
      $0.wait(8000)
      $0.endLink()
    }
    #expect(evidence.packets(of: "att_request_unanswered") == ["#8 #9"])
    let finding = attributeFindings(in: evidence).first
    // Nothing shows that the peer got it, and ATT's 30 s had not passed.
    #expect(finding?.certainty == .possible)
    #expect(finding.whyText.hasPrefix("No answer in 8.0 s, until this host ended the link"))
  }

  @Test("a link that is ended at once, or lost, proves nothing about the server")
  func endedAtOnce() {
    for (wait, reason) in [(500, UInt8(0x13)), (8000, 0x08)] {
      let evidence = evidence {
        $0.connectToHeartRate()
        $0.sent("0a 13 00")
        $0.wait(wait)
        $0.disconnect(reason: reason)
      }
      #expect(evidence.lines(of: "att_request_unanswered") == [], "after \(wait) ms")
    }
  }

  @Test("without any packets of the other side there is no finding") func oneSide() {
    let evidence = evidence {
      $0.connect()
      $0.sent("0a 13 00")
      $0.wait(40_000)
      $0.disconnect()
    }
    #expect(evidence.lines(of: "att_request_unanswered") == [])
  }

  @Test("in data alone, the other direction counts even if it comes later") func heardLater() {
    func capture(answers: Bool) -> Evidence {
      evidence {
        $0.sent("0a 13 00")
        $0.wait(40_000)
        $0.sent("0a 13 00", handle: 0x41)
        if answers { $0.received("0b 01", handle: 0x41) }
      }
    }
    func unanswered(_ evidence: Evidence) -> [Int]? {
      evidence.connections.first?.attributes.unanswered.map(\.packet)
    }
    #expect(unanswered(capture(answers: true)) == [1])
    #expect(unanswered(capture(answers: false)) == [])
  }

  @Test("a request to this host names the function that an application must call")
  func localServer() {
    let evidence = evidence {
      $0.connect(role: 1)
      $0.discoverHeartRate(by: .received)
      $0.received("12 15 00 01")
      $0.wait(30_500)
      $0.disconnect()
    }
    let reported = evidence.finding("att_request_unanswered")
    #expect(
      reported?.what.text
        == "This host never answered the Write Request for 2a39 Heart Rate Control Point")
    #expect(reported?.certainty == .certain)
    #expect(reported.remedyText.contains("respond(to:withResult:)"))
    #expect(reported.remedyText.contains("sendResponse()"))
  }

  @Test(
    "the application is not blamed for the stack's responses, on either side",
    arguments: [("02 05 02", 1), ("02 05 02", 0), ("04 01 00 ff ff", 1), ("04 01 00 ff ff", 0)])
  func stackRequests(_ request: String, _ role: UInt8) {
    let evidence = evidence {
      $0.connect(role: role)
      $0.discoverHeartRate(by: role == 1 ? .received : .sent)
      $0.att(request, role == 1 ? .received : .sent)
      $0.wait(30_500)
      $0.disconnect()
    }
    let remedy = evidence.finding("att_request_unanswered")?.remedy?.text
    #expect(
      remedy?.hasPrefix(
        role == 1
          ? "The Bluetooth stack of this host answers" : "The peer's Bluetooth stack answers")
        == true, "\(remedy ?? "nothing")")
  }

  @Test("an indication that the peer does not confirm, and one that it does") func indication() {
    func capture(isConfirmed: Bool) -> [String] {
      let evidence = evidence {
        $0.connect(role: 1)
        $0.discoverThermometer(by: .received)
        $0.ask("12 19 00 02 00", "13", by: .received)
        $0.sent("1d 18 00 00 6c 01 00 ff")
        if isConfirmed { $0.received("1e") }
        $0.wait(31_000)
        $0.disconnect()
      }
      return evidence.lines(of: "att_indication_unconfirmed")
    }
    #expect(
      capture(isConfirmed: false) == [
        "The peer never confirmed the Handle Value Indication of 2a1c Temperature Measurement #10 #11"
      ])
    #expect(capture(isConfirmed: true) == [])
  }

  @Test("who waited 30 s and ended the link, and whose fault that is")
  func indicationTimesOut() throws {
    func unconfirmed(subscribes: Bool, endsBy side: Side) throws -> Finding {
      let evidence = evidence {
        $0.connect()
        $0.discoverThermometer()
        if subscribes { $0.ask("12 19 00 02 00", "13") }
        $0.received("1d 18 00 00 6c 01 00 ff")
        $0.wait(30_000)
        if side == .local { $0.askToDisconnect() }
        $0.disconnect(reason: side == .local ? 0x16 : 0x13)
      }
      return try #require(evidence.finding("att_indication_unconfirmed"))
    }
    let own = try unconfirmed(subscribes: true, endsBy: .peer)
    #expect(own.headline.text.hasPrefix("the peer ended the link after 30.0 s"))
    #expect(own.headline.text.contains("because this host never confirmed"))
    #expect(own.fault == .local)
    // The side that did not answer ended the link, for whatever reason.
    let other = try unconfirmed(subscribes: true, endsBy: .local)
    #expect(other.headline.text.hasPrefix("this host never confirmed"))
    // Nobody had enabled the indication.
    #expect(try unconfirmed(subscribes: false, endsBy: .peer).fault == .peer)
  }

  @Test("a second request before the response; one after the response is nothing") func second() {
    func capture(waits: Bool) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.sent("0a 13 00")
        if waits { $0.received("0b 01") }
        $0.sent("0a 15 00")
        if !waits { $0.received("0b 01") }
        $0.received("0b 02")
      }
      return evidence.lines(of: "att_second_request")
    }
    #expect(
      capture(waits: false) == [
        "This host sent a request before the previous one was answered #2 #3"
      ])
    #expect(capture(waits: true) == [])
  }

  @Test("on an enhanced bearer a second request counts if neither gets a response")
  func secondOnBearer() {
    func capture(_ build: (inout Traffic) -> Void) -> Evidence {
      evidence {
        $0.connect()
        $0.openBearers()
        $0.sdu("0a 12 00", .sent, cid: 0x50)
        $0.sdu("0a 14 00", .sent, cid: 0x50)
        build(&$0)
        $0.wait(3000)
        $0.disconnect()
      }
    }
    let open = capture { _ in }
    #expect(
      open.lines(of: "att_second_request") == [
        "This host sent a request before the previous one was answered #4 #5"
      ])
    let reported = open.finding("att_second_request")
    #expect(reported?.certainty == .likely)
    #expect(
      reported.whyText.hasSuffix(
        "It happened 1 time on this connection. Neither #4 nor #5 was answered."))
    // A request on a closed channel is lost anyway.
    let closed = evidence {
      $0.connect()
      $0.openBearers()
      $0.signal("06 04 04 00 41 00 50 00", .received)
      $0.signal("07 04 04 00 41 00 50 00", .sent)
      $0.sdu("0a 12 00", .sent, cid: 0x50)
      $0.sdu("0a 14 00", .sent, cid: 0x50)
      $0.wait(3000)
      $0.disconnect()
    }
    #expect(closed.lines(of: "att_second_request") == [])
    // A host that confuses two bearers.
    let answered = capture { $0.sdu("0b 01", .received, cid: 0x41) }
    #expect(answered.lines(of: "att_second_request") == [])
  }

  @Test("requests that continue after one has timed out") func afterTimeout() {
    func capture(_ wait: Int) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("0a 13 00", "0b 01")
        $0.sent("0a 13 00")
        $0.wait(wait)
        $0.sent("0a 15 00")
      }
      return evidence.lines(of: "att_after_timeout")
    }
    #expect(capture(31_000) == ["This host continued after an ATT timeout #4 #5"])
    #expect(capture(29_000) == [])
  }

  @Test("responses on another bearer than their requests are a note, once for all connections")
  func otherBearer() {
    func crossing(_ traffic: inout Traffic, crosses: Bool = true) {
      traffic.connect()
      traffic.openBearers()
      traffic.sdu("12 10 00 01 00", .sent, cid: 0x50)
      traffic.sdu("0a 20 00", .sent, cid: 0x51)
      traffic.sdu("13", .received, cid: crosses ? 0x40 : 0x41)
      traffic.sdu("0b aa", .received, cid: crosses ? 0x41 : 0x40)
      traffic.disconnect()
    }
    let one = evidence { crossing(&$0) }
    #expect(
      one.lines(of: "att_answer_on_other_bearer") == [
        "2 responses arrived on a different bearer from the request #4 #6 #5 #7"
      ])
    let reported = one.finding("att_answer_on_other_bearer")
    #expect(reported.whyText.hasPrefix("#6 is the answer to #4, "))
    #expect(reported?.severity == .note)
    let three = evidence { for _ in 0..<3 { crossing(&$0) } }
    #expect(
      three.packets(of: "att_answer_on_other_bearer") == [
        "#4 #5 #6 #7 #12 #13 #14 #15 #20 #21 #22 #23"
      ])
    let right = evidence { crossing(&$0, crosses: false) }
    #expect(right.lines(of: "att_answer_on_other_bearer") == [])
  }

  @Test("lost records make a missing response less certain") func lost() {
    let evidence = evidence {
      $0.connect()
      $0.ask("0a 13 00", "0b 01")
      $0.add([4, 0x13, 5, 1] + little(0x40) + little(1), .received, drops: 3)
      $0.sent("0a 13 00")
      $0.wait(31_000)
      $0.disconnect()
    }
    #expect(attributeFindings(in: evidence).filter { $0.certainty == .certain }.isEmpty)
  }
}
