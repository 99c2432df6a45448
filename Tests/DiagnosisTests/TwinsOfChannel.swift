import Bluetooth
import MadeTraffic

extension Twin {
  /// The twins of the rules about channels.
  static let channelTwins: [Twin] = [
    Twin(
      "l2cap_no_resources",
      or: "both sides requested the channel at the same time, and one request gave way"
    ) {
      $0.connect()
      $0.openChannel(result: 4)
    } openIn: {
      $0.connect()
      $0.signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
      $0.signal("14 07 0a 00 80 00 50 00 64 00 1e 00 03 00", .received)
      $0.signal("15 02 0a 00 00 00 00 00 00 00 00 00 04 00", .received)
      $0.signal("15 07 0a 00 00 00 00 00 00 00 00 00 04 00", .sent)
    },
    Twin("l2cap_no_credits", or: "nothing more was to be sent") {
      starve(&$0, of: 9)
    } openIn: {
      starve(&$0, of: 5)
    },
    Twin("l2cap_request_unanswered", or: "the other side would have answered later") {
      $0.wait(for: 61_000)
    } openIn: {
      $0.wait(for: 10_000)
    },
  ]

  /// Uses the last credit for five bytes of an SDU of this length.
  private static func starve(_ traffic: inout Traffic, of length: Int) {
    traffic.connect()
    traffic.openChannel()
    traffic.sdu("01 02 03", .sent)
    traffic.first(length, hex("01 02 03 04 05"), .sent)
    traffic.wait(20_000)
    traffic.endLink()
  }
}

extension Traffic {
  /// Requests a channel, and ends the link after some milliseconds without an answer.
  fileprivate mutating func wait(for milliseconds: Int) {
    connect()
    ask("0a 10 00", "0b 64")
    signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
    wait(milliseconds)
    askToDisconnect()
    disconnect(reason: 0x16)
  }
}
