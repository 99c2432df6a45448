// Named causes, and the sentence of the verdict that names them.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Causes are named, with the side that has them") struct CauseTests {
  @Test(
    "a link that was never established although the peer's signal was strong: this host's Wi-Fi")
  func heardWell() {
    func reported(_ rssi: Int8?, then after: Int8? = nil, pause: Int = 200) -> Finding? {
      evidence {
        if let rssi { $0.advertise(rssi: rssi) }
        $0.askToConnect()
        $0.connect()
        $0.clock += 180
        $0.disconnect(reason: 0x3e)
        $0.wait(pause)
        if let after { $0.advertise(rssi: after) }
      }.finding("connect_not_established")
    }
    let near = reported(-50)
    #expect(
      near.whyText.hasSuffix(
        "Its advertisements just before or after had a strong signal: -50 dBm (#1) or more."))
    #expect(near.remedyText.contains("Wi-Fi"))
    #expect(near?.remedy?.text.contains("distance") == false)
    #expect(reported(-80)?.remedy?.text.contains("distance") == true)
    // Only heard after the failure.
    let after = reported(nil, then: -68)
    #expect(after.whyText.contains("-68 dBm (#5)"))
    #expect(after?.remedy?.text.contains("distance") == false)
    #expect(reported(nil, then: -75)?.remedy?.text.contains("distance") == true)
    #expect(reported(nil, then: -50, pause: 9000)?.remedy?.text.contains("distance") == true)
    #expect(reported(nil).remedyText.contains("distance"))
  }

  @Test("a side that requests security but does not pair keeps a bond that the other one has lost")
  func keptBond() {
    func reported(_ rule: String, _ build: (inout Traffic) -> Void) -> Finding? {
      evidence {
        $0.connect()
        $0.command(0x1405, little(0x40))
        build(&$0)
        $0.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 5), .sent)
        $0.pairingFailed(5)
      }.finding(rule)
    }
    func ask(_ traffic: inout Traffic) { traffic.smp("0b 05", .received) }
    let kept = reported("enc_key_missing_central", ask)
    #expect(kept?.packets == "#3 #4 #5")
    #expect(kept?.certainty == .likely)
    #expect(reported("smp_not_supported", ask) == nil)
    // Almost: it did not request security.
    #expect(reported("enc_key_missing_central") { _ in } == nil)
    #expect(reported("smp_not_supported") { _ in } != nil)
  }

  @Test(
    "refused parameters after which the peer disconnects are an error, with advice to this host")
  func refusedParameters() {
    func reported(_ build: (inout Traffic) -> Void) -> Finding? {
      evidence {
        $0.connect()
        $0.askForParameters(.received)
        $0.answerParameters(.sent, accepts: false)
        build(&$0)
        $0.clock += 5000
        $0.disconnect(reason: 0x13)
      }.finding("link_parameters_refused")
    }
    let left = reported { _ in }
    #expect(left?.severity == .error)
    #expect(
      left?.headline.text
        == "the peer ended connection 1 (#4) after this host had refused its connection parameters")
    #expect(left.remedyText.contains("ConnectionSupervisionTimeout to 400 or more"))
    #expect(left?.remedy?.text.contains("Apple") == false)
    // Almost: the link was used in between.
    #expect(reported { $0.received("1b 03 00 01") }?.severity == .warning)
  }

  @Test("Apple's rules are only mentioned for Apple's devices") func apple() {
    func remedy(_ company: Int) -> String? {
      evidence {
        $0.connect(role: 1)
        $0.event(0x0c, [0] + little(0x40) + [12] + little(company) + little(1))
        $0.askForParameters(.sent)
        $0.answerParameters(.received, accepts: false)
      }.finding("link_parameters_refused")?.remedy?.text
    }
    #expect(remedy(0x004c)?.contains("Apple") == true)
    #expect(remedy(0x000f)?.contains("Apple") == false)
  }

  @Test("the verdict of a lost link names the side that heard nothing, and after what") func lost()
  {
    let reported = evidence {
      $0.establish()
      $0.sent("52 03 00 01")
      $0.clock += 720
      $0.disconnect(reason: 0x08)
    }.finding("link_supervision_timeout")
    #expect(
      reported?.headline.text
        == "connection 1 was lost at #4: nothing came from the peer after #2",
      "\(reported?.headline.text ?? "nothing")")
  }

  @Test("two lost links of one device are one finding; of two devices they are two")
  func together() {
    func found(_ peers: [Int]) -> [String] {
      evidence {
        for peer in peers {
          $0.connect(peer: peer)
          $0.received("1b 03 00 01")
          $0.clock += 720
          $0.disconnect(reason: 0x08)
        }
      }.lines(of: "link_supervision_timeout")
    }
    #expect(
      found([0xc011_2233_4455, 0xc011_2233_4455]) == [
        "On 2 connections, the link to C0:11:22:33:44:55 was lost: Connection Timeout (0x08) #2 #3 #4 #5 #6"
      ])
    #expect(found([0xc011_2233_4455, 0xc011_2233_4466]).count == 2)
  }

  @Test("a subscription that is written to a descriptor other than the CCCD") func misplaced() {
    func why(_ value: String) -> String? {
      evidence {
        $0.connect()
        $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 15 00 0d 18")
        $0.ask("08 0e 00 15 00 03 28", "09 07 0f 00 10 10 00 37 2a")
        $0.ask("04 11 00 12 00", "05 01 11 00 02 29 12 00 01 29")
        $0.ask("12 12 00 \(value)", "01 12 12 00 03")
      }.finding("att_not_permitted")?.why.text
    }
    #expect(
      why("01 00")?.hasPrefix("01 00 enables notifications in a CCCD, but ") == true,
      "\(why("01 00") ?? "nothing")")
    #expect(why("41 42")?.contains("CCCD") == false)
  }

  @Test("a private address that no key resolves may be the device's")
  func hidden() {
    func names(_ peer: Int) -> Bool? {
      evidence {
        $0.askToConnect()
        $0.advertise(peer: peer)
        $0.clock += 20_000
        $0.giveUpConnecting()
      }.finding("connect_timeout")?.why.text.contains(
        "1 private address that no known key resolves")
    }
    // A resolvable address, and a static one.
    #expect(names(0x4011_2233_4466) == true)
    #expect(names(0xc011_2233_4466) == false)
  }

  @Test("what was sent too early, and before which response") func early() {
    let reported = evidence {
      $0.connect()
      $0.sent("0a 13 00")
      $0.sent("12 15 00 01")
      $0.received("0b 01")
      $0.received("13")
    }.finding("att_second_request")
    #expect(
      reported?.headline.text
        == "this host sent its Write Request (#3) before its Read Request (#2) was answered",
      "\(reported?.headline.text ?? "nothing")")
  }
}
