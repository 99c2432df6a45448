import Bluetooth
import MadeTraffic

extension Twin {
  /// The twins of the rules about controllers, this host's advertising, and traffic.
  static let controllerTwins: [Twin] = [
    Twin("hci_data_overflow", or: "the controller has more buffers than it reports") {
      overflow(&$0)
      $0.event(0x1a, [1])
    } openIn: {
      overflow(&$0)
      $0.wait(2000)
      $0.note(12)
    },
    Twin(
      "hci_buffers_withheld",
      or: "the peer of the only link with data accepted none for this time"
    ) {
      withhold(&$0, links: 2)
    } openIn: {
      withhold(&$0, links: 1, hears: true)
    },
    Twin("hci_buffers_withheld", or: "the controller was busy for this time") {
      withhold(&$0, links: 2)
    } openIn: {
      withhold(&$0, links: 2)
      $0.completed(1)
    },
    Twin(
      "hci_advertising_refused", or: "the controller refuses the command for another reason"
    ) {
      $0.perform(0x200a, [1])
      $0.perform(0x2006, [UInt8](repeating: 0, count: 15), returns: [0x0c])
    } openIn: {
      $0.perform(0x200a, [1])
      $0.wait(2000)
      $0.perform(0x200a, [1], returns: [0x0c])
    },
    Twin("hci_scanning_refused", or: "the controller refuses the command for another reason") {
      $0.perform(0x200c, [1, 0])
      $0.perform(0x200b, [UInt8](repeating: 0, count: 7), returns: [0x0c])
    } openIn: {
      // A connection attempt is pending, with which not every controller can scan.
      $0.begin(
        0x200d, hex("60 00 30 00 00 01 55 44 33 22 11 c0 00 18 00 28 00 00 00 48 00 00 00 00 00"))
      $0.perform(0x200b, [UInt8](repeating: 0, count: 7), returns: [0x0c])
    },
    Twin("gatt_counter_gap", or: "the counter itself skips values") {
      count(&$0, pause: 1000)
    } openIn: {
      count(&$0, pause: 0)
    },
    twice("hci_advertising_refused", 0x200a),
    twice("hci_scanning_refused", 0x200c),
    twice("hci_command_refused", 0x2002),
    Twin("adv_data_malformed", or: "the list of UUIDs is empty on purpose") {
      $0.perform(0x2008, [3] + hex("05 01 06") + [UInt8](repeating: 0, count: 28))
    } openIn: {
      $0.perform(0x2008, [9] + hex("01 06 06 09 41 42 43 44 45") + [UInt8](repeating: 0, count: 22))
    },
  ]

  /// Sends more packets than the controller has buffers.
  private static func overflow(_ traffic: inout Traffic) {
    learnBuffers(&traffic)
    traffic.connect()
    traffic.sent("52 03 00 01")
    traffic.completed(1)
    for _ in 0..<3 { traffic.sent("52 03 00 01") }
  }

  private static func learnBuffers(_ traffic: inout Traffic) {
    traffic.perform(0x0c03)
    traffic.perform(0x2002, returns: [0] + little(27) + [2])
  }

  /// Fills the controller's buffers with packets of one link or two, after which it returns none.
  private static func withhold(_ traffic: inout Traffic, links: Int, hears: Bool = false) {
    learnBuffers(&traffic)
    for link in 0..<links { traffic.connect(0x40 + link, peer: Traffic.peer + link) }
    traffic.sent("52 03 00 01")
    traffic.completed(1)
    for packet in 0..<2 { traffic.sent("52 03 00 01", handle: 0x40 + packet % links) }
    for _ in 0..<10 {
      traffic.wait(1000)
      if hears { traffic.received("1b 10 00 06 48") } else { traffic.command(0x1001) }
      if !hears { traffic.complete(0x1001) }
    }
  }

  /// Notifies counted values each 20 ms, three of which are missing after this pause.
  private static func count(_ traffic: inout Traffic, pause: Int) {
    traffic.connect()
    for value in Array(0..<12) + Array(15..<30) {
      traffic.wait(value == 15 ? pause : 20)
      traffic.received("1b 10 00 \(String(value, radix: 16)) 00")
    }
  }

  /// A command that is refused after an equal one was accepted, and one of two that are pending.
  private static func twice(_ rule: String, _ opcode: Int) -> Twin {
    Twin(rule, or: "the answer belongs to the other one of two equal commands") {
      $0.perform(opcode, [1, 0])
      $0.perform(opcode, [1, 0], returns: [0x0c])
    } openIn: {
      $0.complete(0x1001)
      $0.command(opcode, [1, 0])
      $0.perform(opcode, [1, 0])
      $0.complete(opcode, [0x0c])
    }
  }
}
