import Bluetooth
import MadeTraffic
import Testing

@testable import Reports

@Suite("Pieces of a PDU that may be a key's") struct PieceTests {
  private static let key: [UInt8] = (0xb0...0xbf).map { $0 }

  /// Returns what `show -x` and `show --json --raw` print about received fragments.
  private func shown(_ fragments: [(isFirst: Bool, bytes: [UInt8])]) -> [String] {
    let records = fragments.map { fragment in
      let header = [0x40, fragment.isFirst ? 0x20 : 0x10] + little(fragment.bytes.count)
      return TestRecord(bytes: [2] + header + fragment.bytes, direction: .received)
    }
    var options = ShowOptions()
    options.showsBytes = true
    return [Rendering.text(records, options), Rendering.json(records, options)]
  }

  private func showsKey(_ text: String) -> Bool {
    text.contains("b4 b5 b6 b7") || text.contains("b4b5b6b7")
  }

  @Test("a key behind a fragment without a whole header, after one that is lost", arguments: 0...3)
  func header(count: Int) {
    let pdu = l2cap([0x06] + Self.key, cid: 6)
    for lost in 1...5 where count > 0 {
      let texts = shown([
        (true, Array(pdu.prefix(count))), (false, Array(pdu.dropFirst(count + lost))),
      ])
      for text in texts { #expect(!showsKey(text) && text.contains("<hidden>"), "\(text)") }
    }
    // The whole PDU is no secret if it holds no key.
    let value = l2cap([0x1b, 3, 0] + Self.key)
    let whole = shown([(true, Array(value.prefix(10))), (false, Array(value.dropFirst(10)))])
    #expect(showsKey(whole[0]) && showsKey(whole[1]), "\(whole)")
  }

  @Test("a value is hidden if a fragment is known to be missing, and its pieces are unusual")
  func torn() {
    let value = l2cap([0x1b, 3, 0] + Self.key)
    let parts = [(true, Array(value.prefix(10))), (false, Array(value.dropFirst(10)))]
    for text in shown([(false, [1, 2, 3])] + parts) {
      #expect(!showsKey(text) && text.contains("<hidden>, 16 bytes"), "\(text)")
    }
  }
}
