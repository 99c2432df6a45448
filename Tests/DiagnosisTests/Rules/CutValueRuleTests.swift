// Values that end where a PDU does.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Testing

@Suite("Values are cut") struct CutValueRuleTests {
  private func capture(
    mtu: String? = nil, opening: Bool = true, _ values: (inout Traffic) -> Void
  ) -> [String] {
    let evidence = evidence {
      if opening { $0.connect() }
      if let mtu { $0.ask("02 05 02", "03 \(mtu)") }
      $0.discoverVendor(sender: "12")
      $0.ask("12 11 00 01 00", "13")
      values(&$0)
    }
    return evidence.lines(of: "gatt_value_cut")
  }

  private func notifies(_ texts: [String]) -> (inout Traffic) -> Void {
    { traffic in for text in texts { traffic.received("1b 10 00 \(ascii(text))") } }
  }

  /// Twenty bytes of an object, and twenty of what follows.
  private static let cut = #"{"id": "greenhouse-3"#
  private static let rest = #"", "temp": 21.5, "a""#

  @Test("JSON that fills each notification and begins anew") func notifications() {
    #expect(
      capture(notifies(Array(repeating: Self.cut, count: 3))) == [
        "Values of fff1 seem to be cut to 20 bytes #12 #14"
      ])
    #expect(capture(mtu: "17 00", notifies(Array(repeating: Self.cut, count: 3))).count == 1)
    // A quotation mark in text does not end it, and a bracket alone is no JSON.
    #expect(capture(notifies(Array(repeating: #"{"log":"\"{\" now1"}"#, count: 3))) == [])
    #expect(capture(notifies(Array(repeating: "{TMP=21.0;HUM=50;B=1", count: 3))) == [])
  }

  @Test("JSON that goes on, is complete, shorter than the MTU, or too rare: nothing") func whole() {
    #expect(capture(notifies([Self.cut, Self.rest, Self.cut, Self.rest, Self.cut])) == [])
    #expect(capture(notifies(Array(repeating: #"{"id": "greenhouse"}"#, count: 3))) == [])
    #expect(capture(mtu: "f7 00", notifies(Array(repeating: Self.cut, count: 3))) == [])
    #expect(capture(notifies([Self.cut, Self.cut])) == [])
    // Without the opening the MTU is unknown.
    #expect(capture(opening: false, notifies(Array(repeating: Self.cut, count: 3))) == [])
    // Numbered frames, and binary ones.
    #expect(capture(notifies((1...4).map { "\($0)" + Self.cut.dropFirst() })) == [])
    #expect(
      capture { traffic in
        for _ in 0..<4 { traffic.received("1b 10 00 7b 00" + String(repeating: " 01", count: 18)) }
      } == [])
  }

  @Test("texts that fill each write, each of them repeated: possible") func texts() {
    let texts = ["0 m - Turn left onto", "120 m - Keep right a", "At the roundabout ta"]
    func writes(_ texts: [String]) -> (inout Traffic) -> Void {
      { traffic in for text in texts { traffic.sent("52 13 00 \(ascii(text))") } }
    }
    #expect(
      capture(writes(texts.flatMap { [$0, $0] })) == [
        "Values of fff2 seem to be cut to 20 bytes #12 #17"
      ])
    #expect(capture(writes(texts + texts)) == [])
    #expect(capture(writes([texts[0], texts[0], texts[1], texts[1]])) == [])
  }

  @Test("reads of 22 bytes although the MTU is larger") func reads() {
    let value = #"{"serial": "MTR-00412""#
    func reads(_ values: [String]) -> (inout Traffic) -> Void {
      { traffic in for value in values { traffic.ask("0a 10 00", "0b \(ascii(value))") } }
    }
    #expect(
      capture(mtu: "f7 00", reads(Array(repeating: value, count: 3))) == [
        "Values of fff1 seem to be cut to 22 bytes #15 #19"
      ])
    // With the default MTU the client has to read the rest.
    #expect(capture(reads(Array(repeating: value, count: 3))) == [])
    #expect(capture(mtu: "f7 00", reads([value, value, value + "}"])) == [])
    #expect(
      capture(mtu: "f7 00") { traffic in
        reads(Array(repeating: value, count: 3))(&traffic)
        traffic.ask("0c 10 00 16 00", "0d 7d")
      } == [])
  }
}
