// What is written to a service, and how: slow transfers, mesh services, cut messages, and what
// becomes of indications and of the MTU.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Transfers") struct TransferRuleTests {
  // MARK: Mesh

  /// Discovers Mesh Provisioning (2adb at 0x000e, 2adc at 0x0010) and Mesh Proxy (2add at 0x0014),
  /// and writes a Proxy PDU.
  private func proxyPDU(_ bytes: String, to handle: String, discovers: Bool = true) -> Evidence {
    evidence {
      $0.connect(role: 1)
      if discovers {
        $0.ask("10 01 00 ff ff 00 28", "11 06 0c 00 11 00 27 18 12 00 17 00 28 18", by: .received)
        $0.ask("10 18 00 ff ff 00 28", "01 10 18 00 0a", by: .received)
        $0.ask(
          "08 0c 00 17 00 03 28", "09 07 0d 00 04 0e 00 db 2a 13 00 04 14 00 dd 2a", by: .received)
      }
      $0.received("52 \(handle) 00 \(bytes)")
      $0.wait(20_000)
      $0.disconnect()
    }
  }

  @Test("a provisioning PDU in Mesh Proxy Data In; one in Mesh Provisioning Data In")
  func meshServices() {
    let rule = "gatt_mesh_wrong_service"
    let found = proxyPDU("03 00 05", to: "14").finding(rule)
    #expect(found?.line == "The peer wrote a provisioning PDU to 2add Mesh Proxy Data In #5 #8")
    #expect(found?.severity == .error && found?.certainty == .certain)
    #expect(found.whyText.contains("The server offers both services (#5)"))
    #expect(proxyPDU("03 00 05", to: "0e").lines(of: rule) == [])
    #expect(
      proxyPDU("00 11 22", to: "0e").lines(of: rule) == [
        "The peer wrote a network PDU to 2adb Mesh Provisioning Data In #5 #8"
      ])
    // The first segment of a network PDU, a reserved type, and an unknown service.
    for (bytes, handle, discovers) in [
      ("40 11", "14", true), ("04 11", "14", true), ("03 00 05", "14", false),
    ] {
      #expect(proxyPDU(bytes, to: handle, discovers: discovers).lines(of: rule) == [])
    }
  }

  // MARK: Uploads

  /// Writes 30 values to fff2, each answered after 100 ms.
  private func upload(
    pause: Int = 0, alternates: Bool = false, answer: String = "01", grows: Bool = false
  ) -> Finding? {
    let evidence = evidence {
      $0.connect()
      $0.ask("02 64 00", "03 47 00")
      $0.discoverVendor()
      $0.ask("12 11 00 01 00", "13")
      for index in 0..<30 {
        let count = grows ? 1 + index : 20
        $0.sent("52 13 00 \(ascending(count, from: alternates ? index % 3 : index))")
        $0.wait(100)
        $0.received("1b 10 00 \(answer)")
        $0.wait(pause)
      }
    }
    return evidence.finding("gatt_upload_in_steps")
  }

  @Test("different values, each sent as soon as the one before it was answered") func steps() {
    let found = upload()
    #expect(
      found?.line
        == "This host wrote 30 values to fff2 one at a time: 600 bytes in 3.1 s #3 #14 #73")
    #expect(found?.severity == .note && found?.grounds == .fact)
    #expect(found.whyText.contains("The MTU is 71 (#3: this host offered 100, the peer 71)"))
    // A client that polls, one that pauses, one that downloads, and messages of any length.
    #expect(upload(alternates: true) == nil)
    #expect(upload(pause: 500) == nil)
    #expect(upload(answer: ascending(60)) == nil)
    #expect(upload(grows: true) == nil)
  }

  @Test("MCUmgr: little of each request is data") func fileData() throws {
    guard
      let evidence = try evidence(ofCapture: "claims/upload_in_small_chunks.btsnoop", beside: true)
    else { return }
    let found = try #require(evidence.finding("gatt_upload_in_steps"))
    #expect(found.what.text.hasSuffix("one at a time: 240 bytes in 9.4 s"))
    #expect(found.why.text.contains("and on average 4 were data"))
    #expect(found.severity == .warning)
  }

  // MARK: Messages

  /// Notifies messages, each after a write; each number is the length of a notification.
  private func messages(_ all: [Int]..., mtu: String = "64 00") -> Finding? {
    let evidence = evidence {
      $0.connect()
      $0.ask("02 \(mtu)", "03 \(mtu)")
      $0.discoverVendor()
      $0.ask("12 11 00 01 00", "13")
      for message in all {
        $0.ask("12 13 00 aa", "13")
        for length in message { $0.acl(notification(length, handle: 0x10), .received) }
      }
      $0.end(after: 5000)
    }
    return evidence.finding("gatt_message_cut")
  }

  @Test("every notification of a message fills a PDU, also the last one") func fullMessages() {
    let found = messages([97, 97, 97], [97, 97])
    #expect(
      found?.what.text
        == "Every notification of fff1 has 97 bytes, also the last of each of 2 messages")
    #expect(found?.severity == .note && found?.certainty == .possible)
    #expect(found?.alternatives.count == 2)
    // The rest of a message is sent, and messages of one notification say nothing.
    #expect(messages([97, 97, 12]) == nil)
    #expect(messages([97, 97, 97], [97, 97, 12]) == nil)
    #expect(messages([97], [97], [97]) == nil)
    #expect(messages([50, 50], [50, 50]) == nil)
  }

  // MARK: Without an answer

  @Test("an MTU exchange without an answer in a capture of data alone") func lonelyMTU() {
    func capture(_ request: String, answered: Bool = false) -> Finding? {
      evidence {
        $0.ask("0a 13 00", "0b 01", handle: 0x41)
        $0.sent(request)
        if answered { $0.received("03 05 02") }
        $0.wait(40_000)
        $0.ask("0a 13 00", "0b 01", handle: 0x41)
      }.finding("att_request_unanswered")
    }
    let found = capture("02 05 02")
    #expect(found?.what.text == "The peer never answered the Exchange MTU Request")
    #expect(found?.severity == .warning && found?.certainty == .possible)
    #expect(found.whyText.hasSuffix("The link seems to be gone."))
    #expect(capture("02 05 02", answered: true) == nil)
    // Any other request may have been the last one of its link.
    #expect(capture("0a 13 00") == nil)
  }

  /// This host indicates 2a1c; the peer does not confirm it.
  private func indication(subscribes: Bool, lasts: Int) -> Finding? {
    evidence {
      $0.connect(role: 1)
      $0.discoverThermometer(by: .received)
      if subscribes { $0.ask("12 19 00 02 00", "13", by: .received) }
      $0.sent("1d 18 00 00 6c 01 00 ff")
      $0.completed(subscribes ? 5 : 4)
      $0.wait(lasts)
      $0.received("52 18 00 01")
      $0.endLink()
    }.finding("att_indication_unconfirmed")
  }

  @Test("an indication that nobody had enabled is the fault of the side that indicates")
  func unwantedIndication() {
    let unwanted = indication(subscribes: false, lasts: 30_000)
    #expect(unwanted?.severity == .error)
    #expect(unwanted?.fault == .local)
    #expect(unwanted.whyText.contains("The peer had not enabled it"))
    #expect(unwanted.remedyText.hasPrefix("Fix the stack of this host"))
    let wanted = indication(subscribes: true, lasts: 30_000)
    #expect(wanted?.severity == .error)
    #expect(wanted?.why.text.contains("had not enabled it") == false)
    #expect(wanted.remedyText.hasPrefix("Hosts confirm on their own"))
  }

  @Test("a link that lives on without the confirmation: a note") func livesOn() {
    #expect(indication(subscribes: true, lasts: 60_000)?.severity == .note)
    #expect(indication(subscribes: true, lasts: 10_000)?.severity == .note)
  }
}
