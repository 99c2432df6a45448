import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Sessions
import Testing

@Suite("Rules about connections on the air") struct AirRuleTests {
  static let key: [UInt8] = (1...16).map { $0 }

  // MARK: The beginning and the end

  @Test("a central that gets no answer to its connection request") func neverEstablished() throws {
    let evidence = airEvidence { Self.neverAnswer(&$0) }
    let finding = try #require(evidence.finding("air_never_established"))
    #expect(finding.severity == .error)
    #expect(finding.certainty == .certain)
    #expect(finding.packets == "#2 #3 #8 #9")
    #expect(evidence.finding("air_supervision_timeout") == nil)
  }

  static func neverAnswer(_ traffic: inout AirTraffic) {
    traffic.connect()
    traffic.peripheralIsGone = true
    traffic.run(events: 6)
    traffic.goOn()
  }

  @Test("a connection of which only the central is captured may have been answered")
  func centralAlone() {
    let evidence = airEvidence {
      $0.hears = { $0.side == .received ? .missed : nil }
      $0.connect()
      $0.run(events: 6)
      $0.goOn()
    }
    #expect(evidence.finding("air_never_established") == nil)
  }

  @Test("a peripheral that falls silent") func peripheralSilent() throws {
    let evidence = airEvidence {
      $0.connect()
      $0.run(events: 10)
      $0.losePeripheral()
      $0.goOn()
    }
    let finding = try #require(evidence.finding("air_supervision_timeout"))
    #expect(finding.severity == .error)
    #expect(finding.certainty == .certain)
    #expect(finding.packets.hasPrefix("#22 #23 #47"))
    #expect(finding.why.text.contains("720 ms"))
    #expect(evidence.connections[0].connection.ending == .timeout)
  }

  @Test("damaged packets in the silence leave open whether the peripheral sent")
  func damagedSilence() throws {
    let evidence = airEvidence { Self.losePeripheral(&$0, damages: true) }
    #expect(evidence.finding("air_supervision_timeout")?.certainty == .likely)
  }

  static func losePeripheral(_ traffic: inout AirTraffic, damages: Bool) {
    if damages { traffic.hears = { $0.event == 10 && $0.side != nil ? .damaged : nil } }
    traffic.connect()
    traffic.run(events: 10)
    traffic.losePeripheral()
    traffic.goOn()
  }

  @Test("a connection that the sniffer no longer hears is no fault of a device")
  func unseen() throws {
    let evidence = airEvidence {
      $0.connect()
      $0.run(events: 10)
      $0.pause(events: 200)
      $0.disconnect()
      $0.goOn()
    }
    let finding = evidence.finding("air_supervision_timeout")
    #expect(finding?.severity ?? .note == .note)
    #expect(evidence.findings().allSatisfy { $0.severity ?? .note == .note })
  }

  @Test("a connection that is terminated has no finding") func terminated() {
    let evidence = airEvidence {
      $0.connect()
      $0.run(events: 10)
      $0.disconnect()
      $0.goOn()
    }
    #expect(evidence.findings().isEmpty)
    #expect(evidence.connections[0].connection.ending == .localHost)
  }

  @Test("a central whose termination is not acknowledged is not left by the peripheral")
  func unacknowledgedEnd() {
    let evidence = airEvidence {
      $0.connect()
      $0.run(events: 10)
      $0.queueControl(0x02, [0x13], by: .sent)
      $0.losePeripheral()
      $0.goOn()
    }
    #expect(evidence.finding("air_supervision_timeout") == nil)
  }

  @Test("a change that the peripheral gets after its instant") func instantPassed() throws {
    let evidence = airEvidence { Self.passInstant(&$0) }
    let finding = try #require(evidence.finding("air_instant_passed"))
    #expect(finding.severity == .error)
    #expect(finding.certainty == .certain)
    #expect(evidence.finding("air_supervision_timeout") == nil)
  }

  static func passInstant(_ traffic: inout AirTraffic) {
    traffic.connect()
    traffic.run(events: 4)
    let instant = traffic.connection.event + 6
    traffic.refuses = { $0.llid == 3 && $0.event < instant + 2 }
    traffic.queueControl(
      0x00, [1, 2, 0] + little(24) + little(0) + little(72) + little(instant), by: .sent)
    traffic.run(events: 9)
    traffic.losePeripheral()
    traffic.goOn()
  }

  @Test("a change in time is no finding") func instantInTime() {
    let evidence = airEvidence {
      $0.connect()
      $0.run(events: 4)
      $0.updateConnection(interval: 12)
      $0.run(events: 10)
      $0.disconnect()
      $0.goOn()
    }
    #expect(evidence.findings().isEmpty)
    #expect(evidence.connections[0].link.current?.interval == 12)
  }

  // MARK: Procedures

  @Test("parameters other than those that were accepted") func parameters() throws {
    let evidence = airEvidence {
      $0.connect()
      // Connection Parameter Update Request and Response: 7.5 ms.
      $0.send(l2cap(hex("12 01 08 00 06 00 06 00 00 00 64 00"), cid: 5), .received)
      $0.send(l2cap(hex("13 01 02 00 00 00"), cid: 5), .sent)
      $0.updateConnection(interval: 9, timeout: 100)
      $0.disconnect()
    }
    let finding = try #require(evidence.finding("air_parameters_not_honoured"))
    #expect(finding.severity == .warning)
  }

  @Test("parameters as requested are no finding") func sameParameters() {
    let evidence = airEvidence {
      $0.connect()
      $0.send(l2cap(hex("12 01 08 00 06 00 0c 00 00 00 64 00"), cid: 5), .received)
      $0.send(l2cap(hex("13 01 02 00 00 00"), cid: 5), .sent)
      $0.updateConnection(interval: 9, timeout: 100)
      $0.disconnect()
    }
    #expect(evidence.finding("air_parameters_not_honoured") == nil)
  }

  @Test("procedures that collide, and are tried again") func collision() throws {
    let lengths = little(251) + little(2120) + little(251) + little(2120)
    let evidence = airEvidence {
      $0.connect()
      $0.control(0x16, [7, 7], by: .sent)
      $0.control(0x14, lengths, by: .received)
      $0.control(0x11, [0x14, 0x2a], by: .sent)
      $0.control(0x17, [7, 7], by: .received)
      $0.control(0x14, lengths, by: .received)
      $0.control(0x15, lengths, by: .sent)
      $0.disconnect()
    }
    let finding = try #require(evidence.finding("air_procedure_collision"))
    #expect(finding.severity == .note)
    #expect(finding.isResolved)
    #expect(evidence.connections[0].link.lengths.count == 1)
  }

  @Test("a procedure without an answer for 40 s") func unanswered() throws {
    let evidence = airEvidence { Self.leaveUnanswered(&$0) }
    let finding = try #require(evidence.finding("air_procedure_unanswered"))
    #expect(finding.severity == .error)
    #expect(finding.certainty == .certain)
    #expect(evidence.finding("air_supervision_timeout") == nil)
  }

  @Test("a procedure whose answer the sniffer may have missed is less certain")
  func unansweredWithGap() throws {
    let evidence = airEvidence { Self.leaveUnanswered(&$0, pause: 2) }
    let finding = try #require(evidence.finding("air_procedure_unanswered"))
    #expect(finding.certainty != .certain)
  }

  /// Leaves LL_PING_REQ unanswered for 40 s.
  static func leaveUnanswered(_ traffic: inout AirTraffic, pause: Int = 0) {
    traffic.settings.interval = 800
    traffic.settings.timeout = 600
    traffic.connect()
    traffic.run(events: 2)
    traffic.control(0x12, by: .received)
    traffic.run(events: 20)
    traffic.pause(events: pause)
    traffic.run(events: 20 - pause)
    traffic.losePeripheral()
    traffic.goOn()
  }

  // MARK: Encryption

  @Test("a peripheral without the key of a bond") func missingKey() throws {
    let evidence = airEvidence { Self.refuse(&$0) }
    let finding = try #require(evidence.finding("air_encryption_refused"))
    #expect(finding.severity == .error)
    #expect(finding.why.text.contains("EDIV 0x1f99"))
    #expect(finding.code?.value == 6)
    #expect(evidence.finding("enc_key_missing_peripheral") == nil)
  }

  static func refuse(_ traffic: inout AirTraffic) {
    traffic.connect()
    traffic.encrypt(key, ediv: 0x1f99, rand: 7, has: false)
    traffic.disconnect()
  }

  @Test("a peripheral that does not encrypt") func unsupported() throws {
    let evidence = airEvidence {
      $0.connect()
      $0.control(0x03, [UInt8](repeating: 1, count: 22), by: .sent)
      $0.control(0x11, [0x03, 0x1a], by: .received)
      $0.disconnect()
    }
    let finding = try #require(evidence.finding("air_encryption_refused"))
    #expect(finding.what.text.contains("does not support encryption"))
  }

  @Test("a peripheral that leaves at the first encrypted packet") func differentKeys() throws {
    let evidence = airEvidence { Self.tryKey(&$0, times: 1, advertises: true) }
    let finding = try #require(evidence.finding("air_mic_failure"))
    #expect(finding.certainty == .likely)
    #expect(evidence.finding("air_supervision_timeout") == nil)
    let twice = airEvidence { Self.tryKey(&$0, times: 2, advertises: true) }
    #expect(twice.findings(of: "air_mic_failure").allSatisfy { $0.certainty == .certain })
  }

  static func tryKey(_ traffic: inout AirTraffic, times: Int, advertises: Bool) {
    for _ in 0..<times {
      traffic.connect()
      traffic.run(events: 4)
      traffic.encrypt(key, ediv: 5, rand: 9, differs: true)
      if advertises { traffic.goOn() } else { traffic.clock += 2_000_000 }
      traffic.settings.accessAddress &+= 0x0101_0000
    }
    traffic.settings.peripheral += 1
    traffic.advertise(30)
  }

  @Test("encrypted packets without a key") func notDecrypted() throws {
    let evidence = airEvidence {
      $0.connect()
      $0.encrypt(Self.key, ediv: 0x1f99, rand: 7)
      $0.att("0a 03 00", .sent)
      $0.att("0b 01", .received)
      $0.disconnect()
      $0.goOn()
    }
    let finding = try #require(evidence.finding("air_not_decrypted"))
    #expect(finding.severity == .note)
    #expect(finding.why.text.contains("0x1f99"))
    #expect(evidence.connections[0].encryption.wasEncrypted)
    #expect(rules(in: evidence) == ["air_not_decrypted"])
  }

  @Test("random numbers that repeat") func weakNumbers() throws {
    let evidence = airEvidence {
      for number in 1...2 {
        $0.connect()
        $0.control(0x03, [UInt8](repeating: UInt8(number), count: 22), by: .sent)
        $0.control(0x04, [UInt8](repeating: 0x5a, count: 12), by: .received)
        $0.control(0x0d, [0x06], by: .received)
        $0.disconnect()
        $0.settings.accessAddress &+= 0x0101_0000
        $0.goOn()
      }
    }
    let finding = try #require(evidence.finding("air_weak_encryption"))
    #expect(finding.severity == .warning)
    #expect(finding.fault == .peer)
    #expect(evidence.findings(of: "air_weak_encryption").count == 1)
  }

  // MARK: The capture

  @Test("an update that the sniffer could not read") func lostTrack() throws {
    for isKnown in [true, false] {
      let evidence = airEvidence(bonds: isKnown ? [AirTraffic.bond(Self.key)] : []) {
        Self.lose(&$0)
      }
      let finding = try #require(evidence.finding("air_lost_track"))
      #expect(finding.severity == .warning)
      #expect(finding.certainty == (isKnown ? .certain : .likely))
      #expect(finding.why.text.contains("15 ms to 11.25 ms") == isKnown)
      #expect(evidence.finding("air_capture_holes") == nil)
      #expect(evidence.finding("air_supervision_timeout") == nil)
    }
  }

  static func lose(_ traffic: inout AirTraffic) {
    traffic.snifferDecrypts = false
    traffic.settings.interval = 12
    traffic.connect()
    traffic.run(events: 20)
    traffic.encrypt(key)
    traffic.updateConnection(interval: 9, timeout: 100)
    traffic.run(events: 600)
    traffic.disconnect()
    traffic.goOn()
  }

  @Test("events that the sniffer missed") func holes() throws {
    let evidence = airEvidence {
      $0.connect()
      for _ in 0..<10 {
        $0.run(events: 11)
        $0.pause(events: 1)
      }
      $0.run(events: 5)
      $0.disconnect()
      $0.goOn()
    }
    let finding = try #require(evidence.finding("air_capture_holes"))
    #expect(finding.severity == .note)
    #expect(rules(in: evidence) == ["air_capture_holes"])
  }

  @Test("a request before a hole of the sniffer is not called unanswered") func gapIsNoFault() {
    let evidence = airEvidence {
      $0.connect()
      $0.att("0a 03 00", .sent)
      $0.run(events: 3)
      $0.isDeaf = true
      $0.att("0b 01", .received)
      $0.isDeaf = false
      $0.run(events: 3)
      $0.att("0a 05 00", .sent)
      $0.att("0b 01", .received)
      $0.run(events: 100)
      $0.disconnect()
      $0.goOn()
    }
    #expect(evidence.findings().allSatisfy { $0.severity ?? .note == .note })
    #expect(evidence.finding("att_request_unanswered") == nil)
    #expect(evidence.finding("att_second_request") == nil)
  }

  @Test("a request without an answer on the air, with all packets") func unansweredRequest() {
    let evidence = airEvidence {
      $0.connect()
      $0.att("0a 03 00", .sent)
      $0.att("0b 01", .received)
      $0.att("0a 05 00", .sent)
      $0.run(events: 100)
      $0.disconnect()
      $0.goOn()
    }
    #expect(evidence.finding("att_request_unanswered") != nil)
  }

  // MARK: The radio

  @Test("many damaged packets of one side") func poorRadio() throws {
    let evidence = airEvidence { Self.damage(&$0) }
    let finding = try #require(evidence.finding("air_poor_radio"))
    #expect(finding.severity == .note)
    #expect(finding.certainty == .likely)
    #expect(finding.what.text == "Packets of the peripheral were received badly")
  }

  static func damage(_ traffic: inout AirTraffic, refused: Int = 0) {
    traffic.radio.refused = refused
    traffic.hears = { $0.side == .received && $0.event % 8 == 3 ? .damaged : nil }
    traffic.connect()
    traffic.run(events: 120)
    traffic.disconnect()
    traffic.goOn()
  }

  @Test("packets that are sent again") func retransmissions() throws {
    let evidence = airEvidence {
      $0.connect()
      $0.refuses = { $0.side == .received && $0.event % 3 == 1 }
      $0.run(events: 130)
      $0.disconnect()
      $0.goOn()
    }
    let finding = try #require(evidence.finding("air_retransmissions"))
    #expect(finding.severity == .warning)
    #expect(finding.what.text.hasPrefix("The peripheral sent"))
    let few = airEvidence {
      $0.connect()
      $0.refuses = { $0.side == .received && $0.event % 20 == 1 }
      $0.run(events: 130)
      $0.disconnect()
      $0.goOn()
    }
    #expect(few.findings().isEmpty)
  }

  @Test("a peripheral that does not use its latency") func latency() throws {
    let evidence = airEvidence {
      $0.settings.latency = 4
      $0.settings.timeout = 200
      $0.connect()
      $0.connection.latency = 0
      $0.run(events: 130)
      $0.disconnect()
      $0.goOn()
    }
    let finding = try #require(evidence.finding("air_latency_ignored"))
    #expect(finding.severity == .note)
    let used = airEvidence {
      $0.settings.latency = 4
      $0.settings.timeout = 200
      $0.connect()
      $0.run(events: 130)
      $0.disconnect()
      $0.goOn()
    }
    #expect(used.findings().isEmpty)
  }

  @Test("a clock that deviates by more than it declares") func drift() throws {
    let evidence = airEvidence { Self.drift(&$0, by: 200) }
    let finding = try #require(evidence.finding("air_clock_drift"))
    #expect(finding.certainty == .likely)
    #expect(finding.what.text.contains("198 ppm"))
    #expect(airEvidence { Self.drift(&$0, by: 20) }.findings().isEmpty)
  }

  /// Runs a connection whose central's clock is slow by some millionths.
  static func drift(_ traffic: inout AirTraffic, by ppm: Int64) {
    traffic.settings.interval = 400
    traffic.settings.timeout = 600
    traffic.connect()
    for _ in 0..<140 {
      traffic.run(events: 1)
      traffic.connection.anchor += ppm / 2
    }
    traffic.disconnect()
    traffic.goOn()
  }

  // MARK: No captured host

  @Test("a capture of a host is not judged by these rules, and they are not called skipped")
  func host() {
    let evidence = evidence {
      $0.connect()
      $0.disconnect()
    }
    let air = Rule.all.filter { $0.key.hasPrefix("air_") }
    #expect(air.count == 16)
    #expect(!evidence.skipped().contains { $0.rule.key.hasPrefix("air_") })
  }
}
