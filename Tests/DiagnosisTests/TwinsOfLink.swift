import Bluetooth
import MadeTraffic

extension Twin {
  /// The twins of the rules about links and connecting.
  static let linkTwins: [Twin] =
    lossTwins + procedureTwins + leavingTwins + connectingTwins + transferTwins

  private static let lossTwins: [Twin] = [
    Twin(
      "link_supervision_timeout",
      or: "the peer advertised beside the link, and went out of range later"
    ) {
      $0.connect(timeout: 550)
      $0.received("1b 03 00 01")
      $0.wait(5500)
      $0.disconnect(reason: 0x08)
    } openIn: {
      advertise(after: 500, &$0)
    },
    Twin(
      "link_dead_at_disconnect",
      or: "the peer advertised beside the link, and went out of range later"
    ) {
      disconnect(advertises: false, &$0)
    } openIn: {
      disconnect(advertises: true, &$0)
    },
    Twin(
      "link_supervision_timeout",
      or: "the peer was lost for another reason, or never got the request"
    ) {
      restart("01", &$0)
    } openIn: {
      restart("02", &$0)
    },
  ]

  /// Loses a link after 5.5 s of silence, in which the peer advertises.
  private static func advertise(after pause: Int, _ traffic: inout Traffic) {
    traffic.connect(timeout: 550)
    traffic.received("1b 03 00 01")
    traffic.wait(pause)
    traffic.advertise()
    traffic.wait(5500 - pause)
    traffic.disconnect(reason: 0x08)
  }

  /// Disconnects a link that has been silent for 4 s.
  private static func disconnect(advertises: Bool, _ traffic: inout Traffic) {
    traffic.connect(timeout: 500)
    traffic.received("1b 03 00 01")
    traffic.wait(4000)
    if advertises { traffic.advertise() }
    traffic.askToDisconnect()
    traffic.wait(1000)
    traffic.disconnect(reason: 0x08)
  }

  /// Writes to Telink's OTA, whose message ff02 ends an update, and loses the link.
  private static func restart(_ first: String, _ traffic: inout Traffic) {
    traffic.connect()
    traffic.ask("10 01 00 ff ff 00 28", "11 06 20 00 25 00 0d 18")
    traffic.ask(
      "08 20 00 25 00 03 28",
      "09 15 21 00 04 22 00 12 2b 0d 0c 0b 0a 09 08 07 06 05 04 03 02 01 00")
    traffic.sent("52 22 00 \(first) ff")
    traffic.wait(720)
    traffic.disconnect(reason: 0x08)
  }

  private static let transferTwins: [Twin] = [
    Twin(
      "link_transfer_limited", or: "the peer takes that long for each value",
      excludedBy: LimitedTraffic.indications(pause: 58),
      openIn: LimitedTraffic.indications(pause: 200)),
    Twin(
      "link_transfer_limited",
      or: "packets are lost and sent again, or other links and scans take the time of the radio",
      excludedBy: LimitedTraffic.notifications(
        244, each: 9, values: 180, mtu: 247, octets: 251),
      openIn: LimitedTraffic.writes(20, each: 4, waiting: 8)),
  ]

  private static let procedureTwins: [Twin] = [
    Twin(
      "link_lmp_timeout",
      or: "this host's controller had stalled, or gave up a procedure of its own early"
    ) {
      unfinished(0x2032, 41_000, &$0)
    } openIn: {
      unfinished(nil, 1000, &$0)
    },
    Twin("link_lmp_timeout", or: "the peer was silent at that time, too") {
      unfinished(nil, 1000, &$0)
    } openIn: {
      $0.establish()
      $0.command(0x200c, [0, 0])
      $0.wait(1000)
      $0.complete(0x200c)
      $0.disconnect(reason: 0x22)
    },
    Twin("link_lmp_timeout", or: "the peer's controller did not answer as it has to") {
      unfinished(0x2032, 40_000, &$0)
    } openIn: {
      unfinished(0x206d, 40_000, &$0)
    },
    Twin("link_lmp_timeout", or: "this host's controller began the procedure by itself") {
      unfinished(0x2032, 40_000, &$0)
    } openIn: {
      unfinished(nil, 40_500, &$0)
    },
    Twin("link_lmp_timeout", or: "this host asked for a procedure that is not in the capture") {
      unfinished(0x2032, 40_000, &$0)
    } openIn: {
      $0.establish()
      $0.wait(40_500)
      $0.disconnect(reason: 0x22)
    },
    Twin(
      "link_parameters_never_applied", or: "this host's controller does not report such changes"
    ) {
      $0.connect()
      $0.changeParameters()
      $0.parametersChanged()
      $0.connect(0x41, peer: 0xc0ff_eeff_eeff)
      neverApply(0x41, &$0)
    } openIn: {
      $0.connect()
      neverApply(0x40, &$0)
    },
    Twin("link_parameters_unanswered", or: "the answer comes after this capture") {
      leaveUnanswered(&$0)
      $0.disconnect(reason: 0x13)
    } openIn: {
      leaveUnanswered(&$0)
      $0.received("1b 03 00 02")
    },
    Twin(
      "link_parameters_refused",
      or: "a timer of the peer's program ended the link, and gave this reason"
    ) {
      $0.connect()
      $0.askForParameters(.received)
      $0.answerParameters(.sent, accepts: false)
      $0.disconnect(reason: 0x3b)
    } openIn: { traffic in
      for _ in 0..<2 {
        traffic.establish()
        traffic.wait(3050)
        traffic.disconnect(reason: 0x3b)
      }
    },
  ]

  /// Ends a link with LL Response Timeout, after a command of the host whose end is not reported.
  /// The peer has no features.
  private static func unfinished(_ opcode: Int?, _ wait: Int, _ traffic: inout Traffic) {
    traffic.command(0x2016, little(0x40))
    traffic.connect()
    traffic.meta(0x04, [0] + little(0x40) + little(0, width: 8))
    traffic.received("0b 01")
    if let opcode {
      traffic.begin(opcode, little(0x40) + hex("00 02 02 00 00"))
    }
    traffic.wait(wait)
    traffic.disconnect(reason: 0x22)
  }

  /// Leaves the peer's request for parameters without an answer for 31 s.
  private static func leaveUnanswered(_ traffic: inout Traffic) {
    traffic.connect()
    traffic.ask("0a 03 00", "0b 01")
    traffic.askForParameters(.received)
    traffic.wait(31_000)
  }

  /// Accepts parameters of the peer, and does not apply them.
  private static func neverApply(_ handle: Int, _ traffic: inout Traffic) {
    traffic.acl(
      l2cap(hex("12 01 08 00 10 00 20 00 00 00 90 01"), cid: 5), .received, handle: handle)
    traffic.acl(l2cap(hex("13 01 02 00 00 00"), cid: 5), .sent, handle: handle)
    traffic.wait(6000)
    traffic.received("0b 01", handle: handle)
    traffic.command(0x0c03)
  }

  private static let leavingTwins: [Twin] = [
    Twin(
      "link_peer_leaves_at_request", or: "the write asks the peer to leave, or to switch off"
    ) {
      leave(after: "02 00 01", &$0)
    } openIn: {
      leave(after: "12 10 00 01", &$0)
    },
    Twin("link_peer_leaves", or: "it had sent all its values") { traffic in
      for _ in 0..<2 {
        traffic.establish()
        traffic.wait(20_000)
        traffic.disconnect(reason: 0x13)
      }
    } openIn: { traffic in
      for _ in 0..<2 {
        traffic.connect()
        traffic.wait(2000)
        traffic.received("1b 03 00 01")
        traffic.wait(100)
        traffic.disconnect(reason: 0x13)
      }
    },
  ]

  /// Sends a request on two links, and the peer ends each at once.
  private static func leave(after request: String, _ traffic: inout Traffic) {
    for _ in 0..<2 {
      traffic.connect()
      traffic.sent(request)
      traffic.wait(80)
      traffic.disconnect(reason: 0x13)
    }
  }

  private static let connectingTwins: [Twin] = [
    Twin("connect_refused", or: "the controller refuses this command for another reason") {
      $0.askToConnect()
      $0.askToConnect(peer: 0xc0ff_eeff_eeff, status: 0x0c)
    } openIn: {
      $0.perform(0x200c, [1, 0])
      $0.askToConnect(status: 0x0c)
    },
    Twin(
      "connect_bredr_to_le", or: "the device has BR/EDR, and was busy or not connectable there"
    ) {
      page(flags: "06", &$0)
    } openIn: {
      page(flags: "02", &$0)
    },
    Twin(
      "connect_bredr_to_le", or: "the device has BR/EDR, but was switched off or out of range"
    ) {
      page(flags: "06", &$0)
    } openIn: {
      page(flags: "02", &$0)
    },
  ]

  /// Pages a device that advertises on LE with these flags.
  private static func page(flags: String, _ traffic: inout Traffic) {
    let peer = little(Traffic.peer, width: 6)
    traffic.advertise(type: 0, data: "02 01 \(flags)")
    traffic.begin(0x0405, peer + hex("18 cc 01 00 00 00 01"))
    traffic.wait(5119)
    traffic.event(0x03, [0x04, 0, 0] + peer + [1, 0])
  }
}
