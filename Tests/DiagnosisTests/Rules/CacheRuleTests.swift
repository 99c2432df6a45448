// Outdated maps.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Outdated maps") struct CacheRuleTests {
  /// Two connections; on the first 2a38 is read, on the second the read is refused.
  private func reconnection(
    _ error: String, hashes: (String, String)? = nil, discovers: Bool = false
  ) -> Evidence {
    evidence { $0.refuseLater(error, hashes: hashes, discovers: discovers) }
  }

  @Test("a handle that an earlier connection read is invalid now: likely an outdated map")
  func invalidNow() {
    let evidence = reconnection("01")
    #expect(evidence.packets(of: "gatt_stale_cache") == ["#12 #13"])
    #expect(evidence.finding("gatt_stale_cache")?.certainty == .likely)
    #expect(evidence.lines(of: "att_invalid_handle") == [])
  }

  @Test("a different hash makes it certain, whatever the error; an equal one does not")
  func hash() {
    let changed = reconnection("02", hashes: ("11", "22"))
    #expect(changed.finding("gatt_stale_cache")?.certainty == .certain)
    let same = reconnection("02", hashes: ("11", "11"))
    #expect(attributeRules(in: same) == ["att_not_permitted"])
  }

  @Test("a handle that was discovered on this connection is not from an outdated map")
  func discovered() {
    #expect(
      reconnection("01", discovers: true).lines(of: "gatt_stale_cache") == [])
  }

  @Test("Service Changed is reported, and the use of a handle in its range without discovery")
  func serviceChanged() {
    let evidence = evidence {
      $0.connect()
      $0.ask("0a 0a 00", "0b 00")
      $0.disconnect()
      $0.connect()
      $0.ask("08 06 00 0d 00 03 28", "09 07 07 00 20 08 00 05 2a", by: .sent)
      $0.received("1d 08 00 0e 00 ff ff")
      $0.sent("1e")
      $0.disconnect()
    }
    #expect(
      evidence.lines(of: "gatt_service_changed") == [
        "The peer indicated that its attributes have changed #8"
      ])
    let reported = evidence.finding("gatt_service_changed")
    #expect(reported.whyText.contains("0x000e to 0xffff"))
  }

  @Test("0x12, then commands: they are dropped; after the hash was read they are not")
  func changeUnaware() {
    func capture(reads: Bool) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("0a 13 00", "01 0a 13 00 12")
        if reads {
          $0.ask("08 01 00 ff ff 2a 2b", "09 12 0d 00" + String(repeating: " 33", count: 16))
        }
        $0.sent("52 15 00 01")
        $0.sent("52 15 00 02")
      }
      return evidence.lines(of: "gatt_change_unaware")
    }
    #expect(
      capture(reads: false) == ["This host sent 2 commands that the server ignores #2 #3 #4-5"])
    #expect(capture(reads: true) == [])
  }
}
