// The story of pairing over BR/EDR.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@testable import Explanations

@Suite("The story of pairing over BR/EDR") struct ClassicStoryTests {
  @Test("a host that refuses the digits on its screen ends the pairing") func refused()
    throws
  {
    let peer = little(0xc011_2233_4455, width: 6)
    let evidence = evidence {
      $0.connectClassic()
      $0.begin(0x0411, little(0x40))
      $0.event(0x17, peer)
      $0.command(0x040c, peer)
      // This host has DisplayYesNo, the peer DisplayOnly, both with MITM: only this host's user can
      // refuse.
      $0.command(0x042b, peer + [1, 0, 3])
      $0.event(0x32, peer + [0, 0, 3])
      $0.event(0x33, peer + little(87_197, width: 4))
      $0.wait(3400)
      $0.command(0x042d, peer)
      $0.event(0x06, [0x05] + little(0x40))
    }
    let line = try #require(evidence.connections.first?.encryptionStory(evidence).first)
    #expect(
      line.text.text
        == "this host has no link key, and pairing fails: Authentication Failure (0x05)")
    #expect(
      line.consequences.map(\.text).contains {
        $0.hasPrefix(
          "numeric comparison of 087197 (#8), which the peer confirms on its own, which this host refuses (#9)"
        )
      }, "\(line.consequences.map(\.text))")
    let finding = try #require(
      evidence.finding("enc_authentication_failure"))
    #expect(
      finding.line
        == "This host refused to pair over BR/EDR: Authentication Failure (0x05) #2 #5 #9 #10")
    #expect(finding.why.text.contains("did not confirm the pairing (#9)"))
    #expect(finding.remedy?.text.contains("Delete the bond") == false)
  }

  @Test("the method of pairing follows from the requests and the key's type")
  func simplePairing() {
    func story(_ keyType: UInt8, _ build: (inout Traffic) -> Void) -> [String] {
      let peer = little(0xc011_2233_4455, width: 6)
      let evidence = evidence {
        $0.connectClassic()
        $0.event(0x17, peer)
        $0.command(0x040c, peer)
        build(&$0)
        $0.event(0x18, peer + [UInt8](repeating: 0x33, count: 16) + [keyType])
        $0.event(0x06, [0] + little(0x40))
      }
      guard let line = evidence.connections.first?.encryptionStory(evidence).first else {
        return []
      }
      return ([line.text] + line.consequences).map(\.text)
    }
    let peer = little(0xc011_2233_4455, width: 6)
    // The same events, and an unauthenticated key: no user saw the digits.
    func features(_ traffic: inout Traffic, _ io: UInt8) {
      traffic.command(0x042b, peer + [io, 0, 2])
      traffic.event(0x32, peer + [3, 0, 2])
      traffic.event(0x33, peer + little(135_790, width: 4))
      traffic.command(0x042c, peer)
    }
    #expect(
      story(4) { features(&$0, 1) } == [
        "authenticated by pairing",
        "this host: display and yes/no, no MITM; the peer: no input and no output, no MITM",
        "Just Works: nothing is compared or typed",
        "the new link key: Unauthenticated, P-192 (0x04)",
      ])
    #expect(
      story(5) { $0.event(0x3b, peer + little(123_456, width: 4)) }.dropFirst().first
        == "passkey entry: this host shows six digits, the peer's user types them")
    #expect(
      story(5) { $0.event(0x34, peer) }.dropFirst().first
        == "passkey entry: this host's user types six digits")
    #expect(
      story(0) { $0.event(0x16, peer) } == [
        "authenticated by pairing", "with a PIN, the same on both sides",
        "the new link key: Combination (0x00)",
      ])
  }
}
