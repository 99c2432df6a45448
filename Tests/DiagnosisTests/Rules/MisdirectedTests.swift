// Requests, answers and subscriptions that go wrong although both sides send something.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Answers and subscriptions that miss their target") struct MisdirectedTests {
  // MARK: Subscriptions

  /// A client that writes to the control point of the heart rate service, and stays.
  private static func writer(
    stays: Int = 3000, _ before: (inout Traffic) -> Void = { _ in }
  ) -> Evidence {
    evidence {
      $0.connectToHeartRate()
      before(&$0)
      $0.ask("12 15 00 01", "13")
      $0.wait(stays)
      $0.disconnect()
    }
  }

  @Test("a client that writes without a subscription gets a note") func notSubscribed() throws {
    let evidence = Self.writer()
    let finding = try #require(evidence.finding("gatt_not_subscribed"))
    #expect(
      finding.line
        == "This host wrote to 2a39 Heart Rate Control Point but did not subscribe to 2a37 Heart Rate Measurement #8"
    )
    #expect(finding.severity == .note)
    #expect(finding.certainty == .likely)
  }

  @Test("a subscription, a value, a read, a bond or a link that ends at once: no note")
  func subscribed() {
    let rule = "gatt_not_subscribed"
    #expect(Self.writer { $0.ask("12 11 00 01 00", "13") }.lines(of: rule) == [])
    #expect(Self.writer { $0.received("1b 10 00 06 48") }.lines(of: rule) == [])
    #expect(Self.writer { $0.ask("0a 13 00", "0b 01") }.lines(of: rule) == [])
    #expect(Self.writer { $0.encrypted() }.lines(of: rule) == [], "a stored subscription")
    #expect(Self.writer(stays: 500).lines(of: rule) == [])
    #expect(
      Self.writer { $0.add([4, 0xff, 1, 0], .received, drops: 1) }.lines(of: rule) == [],
      "records are missing")
  }

  @Test("a subscription that is written to another attribute is named") func misdirected() throws {
    func finding(_ write: String) -> Finding? {
      Self.writer { $0.ask("12 \(write) 01 00", "13") }.finding("gatt_subscription_misplaced")
    }
    let value = try #require(finding("10 00"))
    #expect(
      value.line
        == "This host wrote a subscription to the value of 2a37 Heart Rate Measurement itself #8")
    #expect(value.certainty == .likely)
    let other = try #require(finding("13 00"))
    #expect(
      other.line
        == "This host wrote a subscription to 2a38 Body Sensor Location, which is not a CCCD #8")
    #expect(other.certainty == .likely)
    #expect(finding("11 00") == nil, "the CCCD itself")
    #expect(finding("15 00") == nil, "a value that may be written")
  }

  @Test("a CCCD's value with swapped bytes enables nothing") func swapped() throws {
    func evidence(_ value: String, _ answer: String = "13", then: String? = nil) -> Evidence {
      DiagnosisTests.evidence {
        $0.connectToHeartRate()
        $0.ask("12 11 00 \(value)", answer)
        if let then { $0.ask("12 11 00 \(then)", "13") }
      }
    }
    let finding = try #require(evidence("00 01").finding("gatt_cccd_swapped"))
    #expect(
      finding.line
        == "This host wrote the CCCD of 2a37 Heart Rate Measurement with its bytes in the wrong order #8"
    )
    #expect(finding.severity == .warning)
    let refused = evidence("00 01", "01 12 11 00 80")
    #expect(refused.finding("gatt_cccd_swapped")?.severity == .error)
    for value in ["01 00", "00 00", "00 04"] {
      #expect(evidence(value).lines(of: "gatt_cccd_swapped") == [], "\(value)")
    }
    #expect(evidence("00 01", then: "01 00").lines(of: "gatt_cccd_swapped") == [])
  }

  // MARK: Answers

  @Test("an Error Response is no confirmation of an indication") func refusedIndication() throws {
    func evidence(_ answer: String) -> Evidence {
      DiagnosisTests.evidence {
        $0.connect()
        $0.discoverThermometer()
        $0.ask("12 19 00 02 00", "13")
        $0.sent("0a 18 00")
        $0.received("1d 18 00 01")
        $0.sent(answer)
        $0.wait(31_000)
        $0.received("0b 01")
        $0.disconnect()
      }
    }
    let finding = try #require(
      evidence("01 1d 18 00 06").finding("att_indication_unconfirmed"))
    #expect(
      finding.line
        == "This host answered an indication of 2a1c Temperature Measurement with an Error Response #11 #12"
    )
    #expect(finding.certainty == .certain)
    #expect(evidence("1e").lines(of: "att_indication_unconfirmed") == [])
  }

  @Test("a response that no request waits for makes the next silence less certain")
  func strayResponse() throws {
    func evidence(repeats: Bool) -> Evidence {
      DiagnosisTests.evidence {
        $0.connect()
        $0.ask("02 00 01", "03 f7 00")
        if repeats { $0.received("03 f7 00") }
        $0.sent("0a 03 00")
        $0.wait(31_000)
        $0.received("1b 10 00 06 48")
        $0.disconnect()
      }
    }
    let stray = try #require(evidence(repeats: true).finding("att_response_unexpected"))
    #expect(stray.packets == "#4")
    let silence = evidence(repeats: true).finding("att_request_unanswered")
    #expect(silence?.certainty == .possible)
    #expect(silence.whyText.contains("(#4)"))
    #expect(evidence(repeats: false).lines(of: "att_response_unexpected") == [])
    #expect(evidence(repeats: false).finding("att_request_unanswered")?.certainty == .likely)
  }

  @Test("no claim about a response if the capture begins late or lacks records") func late() {
    let rule = "att_response_unexpected"
    #expect(evidence { $0.received("0b 01") }.lines(of: rule) == [])
    let lossy = evidence {
      $0.connect()
      $0.add([4, 0xff, 1, 0], .received, drops: 1)
      $0.received("0b 01")
    }
    #expect(lossy.lines(of: rule) == [])
  }

  @Test("bytes beyond the L2CAP PDU explain why it has no answer") func excessData() throws {
    func evidence(padding: Int) -> Evidence {
      DiagnosisTests.evidence {
        $0.connect()
        $0.ask("0a 03 00", "0b 01")
        $0.split(
          l2cap(hex("12 03 00") + [UInt8](repeating: 1, count: 30))
            + [UInt8](repeating: 0, count: padding), [27], .sent)
        $0.wait(31_000)
        $0.received("1b 10 00 06 48")
        $0.disconnect()
      }
    }
    let finding = try #require(evidence(padding: 14).finding("l2cap_excess_data"))
    #expect(finding.line == "This host sent more bytes than its L2CAP PDU announces #5")
    #expect(finding.severity == .error)
    #expect(finding.headline.text.contains("sent 14 bytes more"))
    #expect(evidence(padding: 14).lines(of: "att_request_unanswered") == [])
    #expect(evidence(padding: 0).lines(of: "l2cap_excess_data") == [])
    #expect(evidence(padding: 0).lines(of: "att_request_unanswered").count == 1)
  }

  // MARK: Controllers

  /// A host that announces two buffers and frees some.
  private static func holder(
    frees: Int = 0, announces: Bool = true, isFreed: Bool = true, waits: Int = 6000,
    _ then: (inout Traffic) -> Void = { _ in }
  ) -> Evidence {
    evidence { traffic in
      if announces {
        traffic.perform(0x0c33, hex("fb 00 00 02 00 00 00"))
        traffic.perform(0x0c31, [1])
      }
      traffic.connect()
      if isFreed {
        traffic.received("1b 10 00 06 48")
        traffic.command(0x0c35, [1] + little(0x40) + little(1))
      }
      traffic.received("1b 10 00 06 48")
      traffic.received("1b 10 00 06 48")
      if frees > 0 { traffic.command(0x0c35, [1] + little(0x40) + little(frees)) }
      then(&traffic)
      traffic.sent("0a 03 00")
      traffic.wait(waits)
      traffic.endLink()
    }
  }

  @Test("a host that frees none of its buffers gets no more data") func hostBuffers() throws {
    let finding = try #require(Self.holder().finding("hci_host_buffers"))
    #expect(
      finding.line == "This host held all its 2 buffers for data from the controller #1 #9 #13")
    #expect(Self.holder().lines(of: "att_request_unanswered") == [])
  }

  @Test("a host that frees buffers, or whose buffers nobody counts, is not to blame")
  func freedBuffers() {
    for evidence in [
      Self.holder(frees: 1), Self.holder(announces: false), Self.holder(waits: 2000),
      Self.holder(isFreed: false),
      Self.holder { $0.received("1b 10 00 06 48") },
      Self.holder { $0.add([4, 0xff, 1, 0], .received, drops: 1) },
    ] {
      #expect(evidence.lines(of: "hci_host_buffers") == [])
    }
    #expect(Self.holder(frees: 1).lines(of: "att_request_unanswered").count == 1)
  }

  /// A host that has three buffers for BR/EDR data and sends packets.
  private static func sender(
    packets: Int = 3, returns: Int = 0, waits: Int = 22_000, hears: Bool = true,
    ofLE buffers: Int? = nil,
    _ then: (inout Traffic) -> Void = { _ in }
  ) -> Evidence {
    evidence { traffic in
      traffic.perform(0x1005, returns: hex("00 fd 03 40 03 00 08 00"))
      if let buffers {
        traffic.perform(0x2002, returns: hex("00 fb 00") + [UInt8(buffers)])
      }
      traffic.connectClassic()
      traffic.acl(l2cap([1, 2], cid: 0x41), .sent)
      traffic.completed(1)
      for _ in 0..<packets { traffic.acl(l2cap([1, 2], cid: 0x41), .sent) }
      if returns > 0 { traffic.completed(returns) }
      then(&traffic)
      traffic.wait(waits)
      if hears {
        traffic.acl(l2cap([3, 4], cid: 0x41), .received)
      } else {
        traffic.perform(0x1009, returns: hex("00 55 44 33 22 11 00"))
      }
      traffic.disconnect(reason: 0x13)
    }
  }

  @Test("a controller that returns no buffer keeps the host from sending") func withheldBuffers()
    throws
  {
    let finding = try #require(Self.sender().finding("hci_buffers_withheld"))
    #expect(finding.line == "The controller returned none of its 3 buffers #2 #8 #10")
    #expect(finding.severity == .warning)
    #expect(finding.certainty == .possible, "the peer may have stopped taking packets")
    let unheard = Self.sender(hears: false).finding("hci_buffers_withheld")
    #expect(unheard?.severity == .error)
    #expect(unheard?.certainty == .likely)
    let beside = Self.sender(ofLE: 0) {
      $0.connect(0x41)
      $0.sent("52 03 00 01", handle: 0x41)
      $0.completed(1, handle: 0x41)
    }
    #expect(beside.lines(of: "hci_buffers_withheld") == [], "LE uses the same buffers")
    let apart = Self.sender(ofLE: 4) {
      $0.connect(0x41)
      $0.sent("52 03 00 01", handle: 0x41)
      $0.completed(1, handle: 0x41)
    }
    #expect(apart.lines(of: "hci_buffers_withheld").count == 1, "LE has its own buffers")
    for evidence in [
      Self.sender(packets: 2), Self.sender(returns: 1), Self.sender(waits: 12_000),
      Self.sender { $0.acl(l2cap([1, 2], cid: 0x41), .sent) },
      Self.sender { $0.add([4, 0xff, 1, 0], .received, drops: 1) },
    ] {
      #expect(evidence.lines(of: "hci_buffers_withheld") == [])
    }
  }

  @Test("a peripheral that does not advertise after a connection cannot be found")
  func notAdvertisingAgain() throws {
    func evidence(
      again: Bool = false, waits: Int = 20_000, role: UInt8 = 1,
      _ then: (inout Traffic) -> Void = { _ in }
    ) -> Evidence {
      DiagnosisTests.evidence {
        $0.perform(0x200a, [1])
        $0.connect(role: role)
        $0.received("0b 01")
        $0.disconnect()
        if again {
          $0.perform(0x200a, [1])
        }
        then(&$0)
        $0.wait(waits)
        $0.event(0x3e, [0xff])
      }
    }
    let finding = try #require(evidence().finding("adv_not_restarted"))
    #expect(finding.line == "This host did not advertise again after connection 1 #1 #3 #5 #6")
    #expect(finding.severity == .note)
    #expect(evidence(again: true).lines(of: "adv_not_restarted") == [])
    #expect(evidence(waits: 3000).lines(of: "adv_not_restarted") == [])
    #expect(evidence(role: 0).lines(of: "adv_not_restarted") == [])
    for opcode in [0x0c03, 0x200a, 0x2039, 0xfd54] {
      let other = evidence { $0.command(opcode, [0]) }
      #expect(other.lines(of: "adv_not_restarted") == [], "another wish: \(opcode)")
    }
  }

  @Test("a scan that is enabled twice goes on, and one that is disabled later did not succeed")
  func scansTwice() {
    func finding(_ status: UInt8, isScanning: Bool) -> Finding? {
      evidence {
        if isScanning {
          $0.perform(0x200c, [1, 0])
          $0.wait(2000)
        }
        $0.perform(0x200c, [1, 0], returns: [status])
        $0.perform(0x200c, [0, 0])
      }.finding("hci_scanning_refused")
    }
    #expect(finding(0x0c, isScanning: true)?.severity == .note)
    #expect(finding(0x12, isScanning: false)?.severity == .error)
    #expect(finding(0x12, isScanning: false)?.isResolved == false)
  }

  @Test("an address that the controller refuses is not used") func refusedAddress() {
    func found(_ status: UInt8) -> [String] {
      evidence {
        $0.perform(0x2005, little(0x9122_3344_5566, width: 6), returns: [status])
      }.lines(of: "adv_random_address")
    }
    #expect(found(0).count == 1)
    #expect(found(0x12) == [])
  }

  @Test("commands to a declaration, or to a value that cannot be written, are dropped")
  func droppedCommands() {
    func found(_ handle: String, answers: Bool = false) -> [String] {
      evidence {
        $0.connectToHeartRate()
        $0.sent("52 \(handle) 01")
        if answers { $0.received("1b \(handle) 06 48") }
        $0.disconnect()
      }.lines(of: "att_command_dropped")
    }
    #expect(found("12 00").count == 1, "a declaration")
    #expect(
      found("10 00") == [
        "This host wrote 1 command to 2a37 Heart Rate Measurement, which cannot be written #8"
      ])
    #expect(found("10 00", answers: true) == [], "it has an effect")
    #expect(found("15 00") == [], "its declaration offers writing")
    #expect(found("30 00") == [], "unknown")
  }

  @Test("a procedure that the peer does not support: this host's controller waits in vain")
  func unsupportedProcedure() throws {
    func finding(features: String) -> Finding? {
      evidence {
        $0.connect()
        $0.meta(0x04, [0] + little(0x40) + hex("\(features) 00 00 00 00 00 00 00"))
        $0.received("0b 01")
        $0.begin(0x2013, little(0x40) + hex("50 00 50 00 00 00 f4 01 00 00 00 00"))
        $0.wait(40_000)
        $0.disconnect(reason: 0x22)
      }.finding("link_lmp_timeout")
    }
    let lacking = try #require(finding(features: "01"))
    #expect(lacking.certainty == .likely)
    #expect(lacking.why.text.contains("Connection Parameters Request Procedure"))
    #expect(lacking.remedy?.text.contains("Suspect this host's controller") == true)
    let supported = try #require(finding(features: "03"))
    #expect(
      supported.remedy?.text.hasPrefix("Probably one of the two controllers has a defect") == true)
    #expect(supported.why.text.contains("HCI does not show whether the peer's controller answered"))
  }

  // MARK: Connections

  /// Pages a device over BR/EDR, without success.
  private static func page(_ traffic: inout Traffic, _ peer: Int) {
    traffic.begin(0x0405, little(peer, width: 6) + hex("18 cc 01 00 00 00 01"))
    traffic.wait(5119)
    traffic.event(0x03, [0x04, 0, 0] + little(peer, width: 6) + [1, 0])
  }

  @Test("a random address cannot be paged, and the failure ends the LE link") func pagesRandom()
    throws
  {
    let linked = evidence {
      $0.connect(peer: 0x5ab4_981f_cc04)
      $0.received("0b 01")
      Self.page(&$0, 0x5ab4_981f_cc04)
      $0.endLink()
    }
    let finding = try #require(linked.finding("connect_bredr_to_le"))
    #expect(
      finding.line
        == "A BR/EDR connection was attempted to 5A:B4:98:1F:CC:04, a random address: Page Timeout (0x04) #1 #3 #5 #6"
    )
    #expect(finding.headline.text.hasSuffix("then it ended the LE link to that device"))
    #expect(linked.lines(of: "connect_page_timeout") == [])
    let advertised = evidence {
      $0.advertise(type: 1, event: 0, data: "02 01 06")
      Self.page(&$0, Traffic.peer)
    }
    #expect(advertised.lines(of: "connect_bredr_to_le").count == 1)
  }

  @Test("a device that advertises a Class of Device or a BR/EDR service class may have both")
  func classicAdvertiser() {
    func found(_ data: String) -> Int {
      let evidence = evidence {
        $0.advertise(type: 0, event: 0, data: "02 01 02 \(data)")
        Self.page(&$0, Traffic.peer)
      }
      return evidence.lines(of: "connect_bredr_to_le").count
    }
    #expect(found("03 03 0f 18") == 1, "an LE service")
    #expect(found("03 03 0b 11") == 0, "Audio Sink")
    #expect(found("04 0d 04 04 24") == 0, "Class of Device")
  }

  // MARK: Bonds

  @Test("a bonded peer that ignores a new pairing is named") func ignoredPairing() throws {
    func finding(bonds: Bool, waits: Int = 15_000) -> Finding? {
      evidence {
        if bonds { $0.bond() }
        $0.connect()
        $0.ask("0a 03 00", "0b 01")
        $0.smp("01 03 00 01 10 01 01", .sent)
        $0.wait(waits)
        $0.endLink()
      }.finding("smp_abandoned")
    }
    let bonded = try #require(finding(bonds: true))
    #expect(bonded.what.text.hasPrefix("The peer did not answer"))
    #expect(bonded.remedy?.text.contains("may ignore a new pairing") == true)
    let other = try #require(finding(bonds: false))
    #expect(!other.why.text.contains("bond"))
    #expect(
      finding(bonds: true, waits: 500)?.what.text == "The link ended in the middle of the pairing")
  }

  /// Pairs as the peripheral, agrees on these keys, and comes back with another private address.
  private static func returning(keys: String, ediv: Int = 0x8460) -> Evidence {
    evidence { traffic in
      traffic.connect(peer: 0x5b20_1174_c891, role: 1)
      traffic.smp("01 03 00 01 10 \(keys)", .received)
      traffic.smp("02 03 00 01 10 \(keys)", .sent)
      for (opcode, side) in [
        ("03", Direction.received), ("03", .sent), ("04", .received), ("04", .sent),
      ] {
        traffic.smp(hex(opcode) + [UInt8](repeating: 0x5a, count: 16), side)
      }
      traffic.requestKey(key: 0x22)
      traffic.encrypted()
      traffic.smp([6] + [UInt8](repeating: 0x33, count: 16), .sent)
      traffic.smp(hex("07 60 84 37 81 6b dd 0a 73 09 4b"), .sent)
      traffic.disconnect()
      traffic.connect(peer: 0x6f0c_921d_33a7, role: 1)
      traffic.requestKey(key: nil, ediv: ediv, rand: 0x4b09_730a_dd6b_8137)
      traffic.encrypted(status: 0x06)
      traffic.disconnect()
    }
  }

  @Test("a peer with another private address is not recognised, although the key is known")
  func notRecognised() throws {
    let rule = "enc_key_missing_peripheral"
    let finding = try #require(Self.returning(keys: "01 01").finding(rule))
    #expect(
      finding.what.text == "This host did not recognise the bonded peer behind its private address")
    #expect(finding.why.text.contains("EDIV 0x8460"))
    #expect(finding.why.text.contains("had not given it the peer's identity resolving key"))
    let identified = try #require(Self.returning(keys: "03 03").finding(rule))
    #expect(!identified.why.text.contains("had not given it"), "\(identified.why.text)")
    let other = try #require(
      Self.returning(keys: "01 01", ediv: 0x1234).finding(rule))
    #expect(other.what.text == "This host found no key for the bond that the peer uses")
  }
}
