// Captures that lack something: what recorders cut off, events and data that exports leave out,
// records that went missing. No claim may rest on what is not there.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Sessions
import Testing

@Suite("Captures that lack something") struct LackTests {
  /// The peer's Identity Information and Identity Address Information.
  private static func giveIdentity(_ traffic: inout Traffic) {
    traffic.smp([8] + [UInt8](repeating: 0x22, count: 16), .received)
    traffic.smp("09 01 55 44 33 22 11 c0", .received)
  }

  /// Returns the story of the only connection.
  private func story(_ build: (inout Traffic) -> Void) throws -> String {
    try page(build).filter { $0.hasPrefix("  ") }.joined(separator: "\n")
  }

  // MARK: Encryption

  @Test("keys that are distributed show that the link is encrypted, without Encryption Change")
  func keysShowEncryption() throws {
    func capture(_ traffic: inout Traffic) {
      traffic.connect()
      traffic.pairSecurely()
      traffic.startEncryption()
      Self.giveIdentity(&traffic)
      traffic.clock += 30_000
      traffic.endLink()
    }
    let evidence = evidence(capture)
    #expect(evidence.connections.first?.connection.isEncrypted == true)
    #expect(evidence.connections.first?.pairing.attempts.last?.isBonded == true)
    #expect(evidence.lines(of: "enc_timeout") == [])
    let story = try story(capture)
    #expect(story.contains("encrypted with the new key, as the keys that follow show"))
    #expect(!story.contains("never encrypted"), "\(story)")
  }

  @Test("an Encryption Change after the first key belongs to the same encryption")
  func lateEncryptionChange() {
    let evidence = evidence {
      $0.connect()
      $0.pairSecurely()
      $0.startEncryption()
      Self.giveIdentity(&$0)
      $0.encrypted()
    }
    let attempts = evidence.connections.first?.encryption.attempts ?? []
    #expect(attempts.map(\.isInferred) == [false], "one attempt, whose event was seen")
  }

  @Test("an encryption without an outcome is unknown; a refused one leaves the link unencrypted")
  func encryptionWithoutOutcome() {
    func isEncrypted(_ end: (inout Traffic) -> Void) -> Bool? {
      let evidence = evidence {
        $0.connect()
        end(&$0)
        $0.received("1b 10 00 01")
      }
      return evidence.connections.first?.connection.isEncrypted
    }
    #expect(isEncrypted { $0.startEncryption() } == nil, "its outcome is missing")
    #expect(isEncrypted { $0.startEncryption(status: 0x0c) } == false, "refused at once")
    let failed = isEncrypted {
      $0.startEncryption()
      $0.encrypted(status: 0x06, enabled: 0)
    }
    #expect(failed == false, "its event reports a failure")
    #expect(isEncrypted { _ in } == false, "never started")
  }

  @Test("what is refused while encryption fails is refused on a link that is not encrypted")
  func refusedMeanwhile() {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption(ediv: 1, rand: 1)
      $0.ask("0a 15 00", "01 0a 15 00 05")
      $0.encrypted(status: 0x06, enabled: 0)
    }
    let security = evidence.connections.first?.attributes.refusals.map(\.security)
    #expect(security == [.unencrypted])
  }

  @Test("encryption that data follows did not time out: its event is missing")
  func dataAfterEncryption() {
    func capture(dataAfter delay: Int?) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.startEncryption(ediv: 1, rand: 1)
        if let delay {
          $0.clock += delay
          $0.received("1b 10 00 01")
        }
        $0.clock += 20_000
        $0.disconnect(reason: 0x13)
      }
      return evidence.lines(of: "enc_timeout")
    }
    #expect(capture(dataAfter: nil).count == 1)
    #expect(capture(dataAfter: 5_000) == [])
  }

  @Test("a pairing whose beginning is missing does not begin on an encrypted link")
  func pairingInTheMiddle() {
    let evidence = evidence {
      $0.encrypted()
      Self.giveIdentity(&$0)
    }
    #expect(evidence.lines(of: "smp_while_encrypted") == [])
    #expect(evidence.connections.first?.security.isStoredKey == false)
  }

  // MARK: Requests

  @Test("an Error Response cut after its opcode answers the request that waits")
  func cutErrorResponse() {
    let evidence = evidence {
      $0.connect()
      $0.sent("08 01 00 ff ff 03 28")
      $0.acl(l2cap(hex("01 08 01 00 0a")), .received, kept: 5)
      $0.ask("0a 10 00", "0b 01")
      $0.clock += 40_000
      $0.disconnect(reason: 0x13)
    }
    #expect(evidence.lines(of: "att_request_unanswered") == [])
    #expect(evidence.lines(of: "att_second_request") == [])
  }

  @Test("if the client goes on and is answered, a missing answer is only possible")
  func clientGoesOn() {
    let evidence = evidence {
      $0.connect()
      $0.ask("0a 03 00", "0b 01")
      $0.sent("08 01 00 ff ff 03 28")
      $0.clock += 60
      $0.ask("04 0f 00 0f 00", "05 01 0f 00 02 29")
      $0.clock += 40_000
      $0.disconnect(reason: 0x13)
    }
    for rule in ["att_request_unanswered", "att_second_request"] {
      let found = evidence.finding(rule)
      #expect(found?.certainty != .certain, "\(rule)")
      #expect(found?.severity == .warning, "\(rule)")
    }
  }

  @Test("without any data from the peer, nothing is unanswered") func noAnswers() throws {
    let story = try story {
      $0.connect()
      for handle in 10..<22 {
        $0.sent("0a \(handle) 00")
        $0.completed(1)
      }
      $0.disconnect(reason: 0x13)
    }
    #expect(!story.contains("not answered"), "\(story)")
  }

  @Test("without the host's data, indications are not unconfirmed") func noConfirmations() throws {
    let story = try story {
      $0.connect()
      $0.received("1d 10 00 01")
      $0.received("1d 10 00 02")
    }
    #expect(story.contains("2 indications of 0x0010, no confirmation that the capture has"))
  }

  @Test("a client that went on before the timeout did not continue after it") func noTimeout() {
    func capture(goesOn: Bool) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("0a 03 00", "0b 01")
        $0.sent("0a 05 00")
        if goesOn { $0.ask("12 07 00 01", "13") }
        $0.clock += 31_000
        $0.sent("0a 09 00")
      }
      return evidence.lines(of: "att_after_timeout")
    }
    #expect(capture(goesOn: false).count == 1)
    #expect(capture(goesOn: true) == [])
  }

  @Test("a key whose pairing has lost its request is not that of an earlier pairing")
  func unknownMethod() {
    let evidence = evidence {
      $0.connect()
      $0.smp([4] + [UInt8](repeating: 0x5a, count: 16), .received)
      $0.startEncryption()
      $0.encrypted()
      $0.ask("0a 15 00", "01 0a 15 00 05")
    }
    let security = evidence.connections.first?.attributes.refusals.map(\.security)
    #expect(security == [.ofUnknownMethod])
  }

  @Test("a peer that sent nothing may have been silent, unless this host sent much")
  func silentPeer() throws {
    func words(_ times: Int) throws -> String {
      try page {
        $0.perform(0x0c03)
        $0.connect()
        for _ in 0..<times {
          $0.sent("52 03 00 01")
          $0.completed(1)
        }
        $0.disconnect(reason: 0x13)
      }.joined(separator: " ")
    }
    #expect(
      try words(2).contains(
        "they need data that this host received; the peer sent none, or this capture lacks it"))
    #expect(
      try words(12).contains("they need data that this host received, which this capture lacks"))
  }

  // MARK: The MTU

  @Test("the MTU is a lower bound if an exchange or the data may be missing")
  func mtu() {
    func mtu(_ build: (inout Traffic) -> Void) -> String {
      let connection = evidence {
        $0.connect()
        build(&$0)
      }.connections.first?.connection
      return connection.map { "\($0.attMTU.value)\($0.attMTU.isLowerBound ? " or more" : "")" }
        ?? "no connection"
    }
    #expect(mtu { $0.ask("0a 03 00", "0b 01") } == "23")
    #expect(mtu { _ in } == "23", "nothing was sent")
    #expect(mtu { $0.completed(3) } == "23 or more", "the data was left out")
    #expect(mtu { $0.sent("02 00 01") } == "23 or more", "the response is missing")
    #expect(mtu { $0.received("03 00 01") } == "23 or more", "the request is missing")
    #expect(mtu { $0.ask("02 00 01", "01 02 00 00 06") } == "23", "the exchange was refused")
    #expect(mtu { $0.ask("02 00 01", "03 40 00") } == "64")
  }

  @Test("a write is not too long for an MTU whose exchange lacks its response")
  func longWrite() {
    let evidence = evidence {
      $0.connect()
      $0.sent("02 c8 00")
      $0.ask("12 15 00" + String(repeating: " 01", count: 158), "13")
    }
    #expect(evidence.lines(of: "att_write_too_long") == [])
  }

  // MARK: Links

  @Test("a link without its opening was not open before the capture if the controller was reset")
  func resetBefore() throws {
    func capture(resets: Bool) throws -> String {
      try story {
        if resets {
          $0.perform(0x0c03)
        }
        $0.received("1b 10 00 01")
        $0.completed(1)
      }
    }
    let begun = "the connection was open before the capture began"
    #expect(try capture(resets: false).contains(begun))
    #expect(try !capture(resets: true).contains(begun))
  }

  @Test("an attempt that ends as a cancelled one was cancelled, wherever its command is")
  func cancelled() {
    func capture(status: UInt8) -> [String] {
      let evidence = evidence {
        $0.begin(
          0x200d,
          hex("60 00 30 00 00 01") + little(0xc011_2233_4455, width: 6)
            + hex("00 18 00 28 00 00 00 2a 00 00 00 00 00"))
        $0.clock += 3_000
        $0.connect(0, status: status)
      }
      return evidence.lines(of: "connect_refused")
    }
    #expect(capture(status: 0x02) == [])
    #expect(capture(status: 0x1f).count == 1, "any other status is the controller's")
  }

  @Test("a procedure that fails because the link ended does not leave the link unchanged")
  func procedureAtTheEnd() {
    func capture(status: UInt8) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.begin(0x2016, little(0x40))
        $0.meta(0x04, [status] + little(0x40) + little(0, width: 8))
      }
      return evidence.lines(of: "link_procedure_failed")
    }
    #expect(capture(status: 0x3e) == [])
    #expect(capture(status: 0x1f).count == 1)
  }

  @Test("a link does not stay open if its device connects again") func connectsAgain() throws {
    func lines(peer: Int) throws -> [String] {
      try page {
        $0.connect(0x40)
        $0.received("1b 10 00 01")
        $0.clock += 5_000
        $0.connect(0x41, peer: peer)
        $0.disconnect(0x41)
      }
    }
    let again = "the same device connects again in #3, so this connection ended before"
    #expect(try lines(peer: 0xc011_2233_4455).contains { $0.contains(again) })
    let other = try lines(peer: 0xc0aa_bbcc_ddee)
    #expect(other.contains { $0.contains("still open when the capture ends") }, "\(other)")
  }

  @Test("a link continues after a procedure has failed only if the peer is heard")
  func course() {
    func why(isHeard: Bool) -> String? {
      let evidence = evidence {
        $0.connect()
        $0.begin(0x2016, little(0x40))
        $0.meta(0x04, [0x1f] + little(0x40) + little(0, width: 8))
        if isHeard { $0.received("1b 10 00 01") }
      }
      return evidence.finding("link_procedure_failed")?.why.text
    }
    #expect(why(isHeard: true) == "The link continued unchanged.")
    #expect(why(isHeard: false) == "The peer is not heard after that.")
  }

  @Test("a reset after the host asked to disconnect does not find the link open")
  func resetAfterDisconnect() {
    func capture(asks: Bool) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.received("1b 10 00 01")
        if asks { $0.askToDisconnect() }
        $0.clock += 1_000
        $0.perform(0x0c03)
      }
      return evidence.lines(of: "link_reset")
    }
    #expect(capture(asks: false).count == 1)
    #expect(capture(asks: true) == [])
  }

  @Test("if the data was left out, nothing is said of what the peer may have waited for")
  func peerLeavesWithoutData() {
    func capture(completes: Bool) -> String? {
      let evidence = evidence {
        for _ in 0..<2 {
          $0.connect()
          if completes { $0.completed(3) }
          $0.clock += 30_000
          $0.disconnect(reason: 0x13)
        }
      }
      return evidence.finding("link_peer_leaves")?.why.text
    }
    #expect(capture(completes: false)?.hasPrefix("This host sent it nothing") == true)
    #expect(capture(completes: true) == "What crossed the links was not recorded.")
  }
}
