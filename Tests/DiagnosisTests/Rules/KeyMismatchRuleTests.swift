// Bonds that both sides have, but do not use as they should.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Bonds that are not used as they should be") struct KeyMismatchRuleTests {
  // MARK: Keys that worked before

  /// A bond, and a second connection that ends with MIC Failure while encryption starts.
  private func reconnection(key: UInt8, changesLength: Bool) -> Evidence {
    evidence {
      $0.bondAsPeripheral(key: 0x11)
      $0.connect(role: 1)
      $0.requestKey(key: key)
      if changesLength { $0.meta(0x07, hex("40 00 fb 00 48 08 fb 00 48 08")) }
      $0.disconnect(reason: 0x3d)
    }
  }

  @Test("a key that worked before is at most likely to be wrong") func workedBefore() {
    let rule = "enc_keys_differ"
    #expect(reconnection(key: 0x22, changesLength: false).finding(rule)?.certainty == .certain)
    #expect(reconnection(key: 0x11, changesLength: false).finding(rule)?.certainty == .likely)
  }

  @Test("another procedure while encryption starts with a key that worked before")
  func procedureMeanwhile() {
    let evidence = reconnection(key: 0x11, changesLength: true)
    #expect(evidence.lines(of: "enc_keys_differ") == [])
    let found = evidence.finding("enc_mic_failure")
    #expect(
      found?.what.text
        == "The link was lost because another procedure ran while encryption was being started")
    #expect(found?.certainty == .possible)
    #expect(found.whyText.contains("LE Data Length Change was reported (#16)"))
    #expect(
      reconnection(key: 0x22, changesLength: true).finding("enc_keys_differ") != nil,
      "another key proves nothing")
  }

  // MARK: The wrong key

  /// A legacy pairing in which both sides distribute a key, and a reconnection with `reply`.
  private func mixUp(reply: [UInt8], pairsAgain: Bool = false) -> Evidence {
    let (own, others) = ((0..<16).map { UInt8($0) }, (16..<32).map { UInt8($0) })
    return evidence {
      $0.connect(role: 1)
      $0.pairLegacy(by: .received)
      $0.requestKey(key: 0x33)
      $0.encrypted()
      $0.smp([6] + own, .sent)
      $0.smp("07 34 12 07 00 00 00 00 00 00 00", .sent)
      $0.smp([6] + others, .received)
      $0.smp("07 78 56 08 00 00 00 00 00 00 00", .received)
      $0.disconnect()
      if pairsAgain {
        $0.connect(role: 1)
        $0.pairLegacy(by: .received)
        $0.disconnect()
      }
      $0.connect(role: 1)
      $0.askForKey(ediv: 0x1234, rand: 7)
      $0.perform(0x201a, little(0x40) + reply, returns: [0] + little(0x40))
      $0.disconnect(reason: 0x3d)
    }
  }

  @Test("this host replies with the key that the peer distributed, or with its own reversed")
  func wrongKey() {
    let rule = "enc_keys_differ"
    let swapped = mixUp(reply: (16..<32).map { UInt8($0) }).finding(rule)
    #expect(swapped?.what.text == "This host used the wrong key for the bond")
    #expect(swapped.whyText.contains("EDIV and Rand identify the key of #12"))
    #expect(swapped.whyText.hasSuffix("for its own use as a peripheral (#14)."))
    #expect(swapped?.certainty == .certain)
    let reversed = mixUp(reply: (0..<16).reversed().map { UInt8($0) }).finding(rule)
    #expect(reversed.whyText.hasSuffix("The key has the bytes of the key in #12 in reverse order."))
    let right = mixUp(reply: (0..<16).map { UInt8($0) }).finding(rule)
    #expect(right?.what.text == "The two sides have different keys for the bond")
    let replaced = mixUp(reply: (16..<32).map { UInt8($0) }, pairsAgain: true)
    #expect(
      replaced.finding(rule)?.what.text == "The two sides have different keys for the bond",
      "another pairing may have replaced the key")
    let shortened = (0..<16).map { $0 < 7 ? UInt8($0) : 0 }
    #expect(
      mixUp(reply: shortened).finding(rule)?.what.text
        == "The two sides have different keys for the bond", "the same key with 7 bytes")
  }

  // MARK: Private addresses

  @Test("a controller that refuses the resolving list: the peer is not recognised")
  func notRecognised() {
    func what(refuses: Bool) -> String? {
      let evidence = evidence {
        $0.perform(
          0x2027, [1] + little(0xc011_2233_4455, width: 6) + [UInt8](repeating: 1, count: 32),
          returns: [refuses ? 0x1a : 0])
        $0.connect(role: 1)
        $0.pairSecurely(by: .received)
        $0.requestKey(key: 0x11)
        $0.encrypted()
        // The sample key and address of Core, Vol 3, Part H, Appendix D.7.
        $0.smp("08 9b 7d 39 0a a6 10 10 34 05 ad c8 57 a3 34 02 ec", .received)
        $0.smp("09 01 55 44 33 22 11 c0", .received)
        $0.received("0b 64")
        $0.disconnect()
        $0.connect(peer: 0x7081_940d_fbaa, role: 1)
        $0.requestKey(key: nil)
        $0.disconnect()
      }
      return evidence.finding("enc_key_missing_peripheral")?.what.text
    }
    #expect(
      what(refuses: true)
        == "This host did not recognise the bonded peer behind its private address")
    #expect(what(refuses: false) == "This host found no key for the bond that the peer uses")
  }

  // MARK: Keys that are not distributed

  @Test("a side that sends none of the keys that were agreed on", arguments: [3_000, 20_000])
  func keysMissing(_ lasts: Int) {
    func capture(both: Bool) -> Evidence {
      evidence {
        $0.connect()
        $0.pairSecurely()
        $0.startEncryption()
        $0.encrypted()
        $0.smp([8] + [UInt8](repeating: 0x22, count: 16), .received)
        $0.smp("09 01 55 44 33 22 11 c0", .received)
        if both {
          $0.smp([8] + [UInt8](repeating: 0x44, count: 16), .sent)
          $0.smp("09 00 06 05 04 03 02 01", .sent)
        }
        $0.wait(lasts)
        $0.disconnect()
      }
    }
    #expect(capture(both: true).lines(of: "smp_keys_missing") == [])
    let found = capture(both: false).lines(of: "smp_keys_missing")
    #expect(found == (lasts < 5_000 ? [] : ["This host did not distribute its keys #2 #3 #8 #11"]))
  }

  // MARK: Links that are not encrypted

  /// A bonded device that notifies, and a second connection without encryption.
  private func withoutEncryption(
    lasts: Int = 20_000, comes: Bool = false, isOff: Bool = false, needsIt: Bool = true
  ) -> Evidence {
    evidence {
      $0.connectToHeartRate()
      if !needsIt { $0.received("1b 10 00 06 48") }
      $0.pairSecurely()
      $0.startEncryption()
      $0.encrypted()
      $0.getHeartRates()
      $0.connect()
      $0.ask(isOff ? "12 11 00 00 00" : "12 11 00 01 00", "13")
      if comes { $0.received("1b 10 00 06 48") }
      $0.wait(lasts)
      $0.endLink()
    }
  }

  @Test("a bonded device sends nothing on a link that is never encrypted") func neverEncrypted() {
    let rule = "gatt_not_encrypted"
    let found = withoutEncryption().finding(rule)
    #expect(
      found?.what.text
        == "The peer sent no 2a37 Heart Rate Measurement on a link that was never encrypted")
    #expect(found?.certainty == .possible)
    #expect(withoutEncryption(lasts: 3000).lines(of: rule) == [])
    #expect(withoutEncryption(comes: true).lines(of: rule) == [])
    #expect(withoutEncryption(isOff: true).lines(of: rule) == [], "switched off")
    #expect(
      withoutEncryption(needsIt: false).lines(of: rule) == [],
      "values came before encryption, too")
  }
}
