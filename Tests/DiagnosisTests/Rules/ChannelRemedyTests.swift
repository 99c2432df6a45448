// Channel requests without a response, and how to fix refused ones.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Channels that are refused or get no response: how to fix it") struct ChannelRemedyTests {
  private static let asked = "14 02 0a 00 80 00 40 00 64 00 1e 00 03 00"

  private func remedy(_ rule: String, _ build: (inout Traffic) -> Void) -> String {
    evidence(build).finding(rule)?.remedy?.text ?? "none"
  }

  @Test("no service listens: the transport's own terms, and who should listen")
  func listening() {
    let given =
      " SPSMs from 0x0080 to 0x00ff are assigned dynamically and may change: use the number"
    let peer = remedy("l2cap_service_missing") {
      $0.connect()
      $0.openChannel(result: 2)
    }
    #expect(peer.hasPrefix("Make the peer listen before the request: a socket on BlueZ, "))
    #expect(peer.contains(given))
    // An assigned SPSM is not allocated by the device.
    let assigned = remedy("l2cap_service_missing") {
      $0.connect()
      $0.signal("14 02 0a 00 25 00 40 00 64 00 1e 00 03 00", .sent)
      $0.signal("15 02 0a 00 00 00 00 00 00 00 00 00 02 00", .received)
    }
    #expect(!assigned.contains("SPSM"), "\(assigned)")
    let classic = remedy("l2cap_service_missing") {
      $0.connectClassic()
      $0.signal("02 07 04 00 01 10 45 00", .received, cid: 1)
      $0.signal("03 07 08 00 00 00 45 00 02 00 00 00", .sent, cid: 1)
    }
    #expect(classic == "none", "channels of BR/EDR are facts")
  }

  @Test("a rejected command: by reason, and by command") func rejected() {
    func classic(_ command: String, _ answer: String) -> String {
      remedy("l2cap_command_rejected") {
        $0.connectClassic()
        $0.signal(command, .sent, cid: 1)
        $0.signal(answer, .received, cid: 1)
      }
    }
    #expect(
      classic("3f 05 00 00", "01 05 02 00 00 00")
        == "Find out why this host sends a code that the specification does not define; the peer has to reject it."
    )
    #expect(
      classic("04 06 04 00 77 00 00 00", "01 06 06 00 02 00 77 00 00 00").hasPrefix(
        "Check this host: the channel was already closed or never open"))
    #expect(
      classic("0a 05 02 00 02 00", "01 05 02 00 00 00")
        == "Nothing to do if this host works without it: the peer may be older than the command.")
    #expect(
      remedy("l2cap_command_rejected") {
        $0.connect()
        $0.signal(Self.asked, .sent)
        $0.signal("01 02 02 00 00 00", .received)
      } == "Do not use such a channel, or use a newer Bluetooth stack on the peer.")
  }

  private func unanswered(_ build: (inout Traffic) -> Void) -> [String] {
    let evidence = evidence {
      $0.connect()
      $0.received("1b 10 00 01")
      build(&$0)
    }
    return evidence.findings(of: "l2cap_request_unanswered").map {
      "\(($0.severity ?? .note).key) \($0.certainty.key): \($0.line). \($0.why.text)"
    }
  }

  @Test("a request without a response, until the link ends or for a minute") func open() {
    #expect(
      unanswered {
        $0.signal(Self.asked, .sent)
        $0.clock += 2500
        $0.disconnect()
      } == [
        "error likely: The peer never answered the request for a channel for SPSM 0x0080 #3 #4. No answer in 2.5 s, until the peer ended the link (#4)."
      ])
    #expect(
      unanswered {
        $0.sent("52 05 00 01")
        $0.signal(Self.asked, .received)
        $0.clock += 61_000
        $0.received("1b 10 00 01")
      } == [
        "error certain: This host never answered the request for a channel for SPSM 0x0080 #4. No answer in 61.0 s, to the end of the capture."
      ])
    #expect(
      unanswered {
        $0.signal("17 03 0c 00 27 00 40 00 40 00 08 00 40 00 41 00", .sent)
        $0.clock += 3000
        $0.disconnect()
      }.first?.hasPrefix(
        "warning likely: The peer never answered the request for 2 channels for EATT")
        == true)
  }

  @Test("answered, pending, too early to tell, or a lost link: no finding")
  func nearMisses() {
    #expect(
      unanswered {
        $0.openChannel()
        $0.clock += 61_000
        $0.disconnect()
      } == [], "it was answered")
    #expect(
      unanswered {
        $0.signal(Self.asked, .sent)
        $0.clock += 1500
        $0.disconnect()
      } == [], "the link ended soon")
    #expect(
      unanswered {
        $0.signal(Self.asked, .sent)
        $0.clock += 5000
        $0.disconnect(reason: 0x08)
      } == [], "the link was lost")
    #expect(
      unanswered {
        $0.signal(Self.asked, .sent)
        $0.clock += 40_000
        $0.received("1b 10 00 01")
      } == [], "the answer may come yet")
    #expect(
      unanswered {
        $0.signal("17 03 0c 00 a0 00 40 00 40 00 08 00 40 00 41 00", .sent)
        $0.signal("18 03 08 00 00 00 00 00 00 00 0d 00", .received)
        $0.clock += 61_000
        $0.disconnect()
      } == [], "the answer is pending")
    let oneSided = evidence {
      $0.connect()
      $0.signal(Self.asked, .sent)
      $0.clock += 61_000
      $0.disconnect()
    }
    #expect(
      oneSided.lines(of: "l2cap_request_unanswered") == [], "nothing of the peer is there")
  }

  @Test("pending for five minutes is reported as such") func pending() {
    #expect(
      unanswered {
        $0.signal("17 03 0c 00 a0 00 40 00 40 00 08 00 40 00 41 00", .sent)
        $0.signal("18 03 08 00 00 00 00 00 00 00 0d 00", .received)
        $0.clock += 301_000
        $0.disconnect()
      } == [
        "error certain: The peer never answered the request for 2 channels for SPSM 0x00a0 #3 #4 #5. No answer in 301 s, until the peer ended the link (#5). The peer had reported that the answer was pending (#4)."
      ])
  }
}
