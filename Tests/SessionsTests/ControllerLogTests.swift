// The debug logs of Qualcomm's and MediaTek's controllers, which look like ACL data.

import Bluetooth
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct ControllerLogTests {
  /// Returns ACL data with this first word, containing what would be an SMP Signing Information.
  private func record(_ word: Int) -> [UInt8] {
    let pdu = l2cap([0x0a] + [UInt8](repeating: 0xaa, count: 16), cid: 6)
    return [2] + little(word) + little(pdu.count) + pdu
  }

  @Test(
    "A log opens no connection and is not read as PDUs",
    arguments: [
      0x2edc, 0x2edd, 0x05fe, 0x05ff, 0xfc6f, 0x0f00, 0x2ff1, 0x2fff,
    ])
  func nothingIsReadFromALog(_ word: Int) {
    let results = run {
      $0.add(record(word), .received)
      $0.add(record(word), nil)
    }
    for packet in 1...2 {
      #expect(results[packet].answer.link == nil, "\(word) opened a link")
      #expect(results[packet].pdu.isEmpty && results[packet].problems.isEmpty, "\(results[packet])")
    }
    #expect(results.connections.isEmpty)
  }

  @Test("The host's packets and other flags are data") func data() {
    for (word, direction) in [
      (0x0edc, Direction.sent), (0x0edc, .received), (0x25fe, .received), (0x2eff, .received),
    ] {
      let results = run { $0.add(record(word), direction) }
      #expect(results.connections.count == 1, "\(word) is data")
    }
  }

  @Test("A connection may have a log's handle") func connection() {
    let results = run {
      $0.connect(0x0edc)
      $0.add(record(0x2edc), .received)
    }
    #expect(results.connections.count == 1)
    #expect(results[2].answer.link != nil)
  }
}
