// One event is reported once.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Sessions
import Testing

@Suite("One event is reported once") struct TellingTests {
  private static let central = 0x00aa_0100_0000
  private static let peripheral = 0x00aa_0101_0001

  /// Records an adapter's public address and its use: LE Create Connection, or LE Set Advertising
  /// Parameters.
  private func setUp(
    _ traffic: inout Traffic, _ adapter: AdapterIndex, _ address: Int, isCentral: Bool
  ) {
    traffic.adapter = adapter
    traffic.complete(0x1009, [0] + little(address, width: 6))
    if isCentral {
      traffic.command(
        0x200d,
        hex("60 00 30 00 00 00") + little(Self.peripheral, width: 6)
          + hex("00 18 00 28 00 00 00 48 00 00 00 00 00"))
    } else {
      traffic.command(
        0x2006, hex("a0 00 a0 00 00 00 00") + little(0, width: 6) + hex("07 00"))
    }
  }

  /// A pairing that this end or the other one ends with Unspecified Reason.
  private func fails(_ traffic: inout Traffic, _ adapter: AdapterIndex, by side: Direction) {
    traffic.adapter = adapter
    traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1, from: side)
    traffic.pairingFailed(8, side)
  }

  /// Both ends of a link on two adapters; unless it is one link, the second adapter's peer is
  /// another device.
  private func bothEnds(_ isOneLink: Bool = true, _ build: (inout Traffic) -> Void) -> Evidence {
    evidence { traffic in
      setUp(&traffic, 0, Self.central, isCentral: true)
      setUp(&traffic, 1, Self.peripheral, isCentral: false)
      traffic.adapter = 0
      traffic.connect(peer: Self.peripheral, type: 0)
      traffic.adapter = 1
      traffic.connect(peer: isOneLink ? Self.central : 0x00aa_0100_0077, type: 0, role: 1)
      build(&traffic)
    }
  }

  @Test("a pairing that fails at both ends of a link is one failure") func pairing() throws {
    let evidence = bothEnds {
      fails(&$0, 0, by: .sent)
      fails(&$0, 1, by: .received)
    }
    let found = evidence.findings(of: "smp_unspecified")
    #expect(found.map(\.packets) == ["#7 #8 #9"])
    #expect(
      found.first?.note?.text
        == "Seen from both sides: connection 2, the other end of this link, shows the same (from #10 on)."
    )
    // Selected alone, the other end reports its own failure.
    #expect(
      evidence.findings(among: [2]).filter { $0.rule.description == "smp_unspecified" }.map(
        \.packets) == ["#10 #11 #12"])
  }

  @Test("findings of several connections name the other ends together") func grouped() {
    let evidence = evidence { traffic in
      setUp(&traffic, 0, Self.central, isCentral: true)
      setUp(&traffic, 1, Self.peripheral, isCentral: false)
      for _ in 0..<3 {
        for (adapter, role) in [(AdapterIndex(0), UInt8(0)), (1, 1)] {
          traffic.adapter = adapter
          traffic.connect(
            peer: role == 0 ? Self.peripheral : Self.central, type: 0, role: role)
        }
        for adapter: AdapterIndex in [0, 1] {
          traffic.adapter = adapter
          traffic.disconnect()
        }
      }
    }
    let symptom = Symptom("test_rule", .warning, .meaning, "Something", when: "always")
    let rule = symptom.onConnection { history, _ in
      [
        Finding(
          "Something failed", headline: "it failed", why: "So it is.",
          evidence: [history.connection.firstPacket])
      ]
    }
    let found = evidence.findings(by: [rule])
    #expect(found.map(\.what.text) == ["On 3 connections, something failed"])
    #expect(
      found.map { $0.note?.text } == [
        "Seen from both sides: connections 2, 4 and 6, the other ends of these links, show the same (from #6 on)."
      ])
  }

  @Test("two links at the same time are two, and so is what only one end shows") func apart() {
    let others = bothEnds(false) {
      fails(&$0, 0, by: .sent)
      fails(&$0, 1, by: .received)
    }
    #expect(others.lines(of: "smp_unspecified").count == 2)
    let one = bothEnds { fails(&$0, 0, by: .sent) }
    #expect(one.lines(of: "smp_unspecified").count == 1)
    #expect(one.finding("smp_unspecified")?.note == nil)
  }

  @Test("the same wording on one connection is one finding, with its number") func folded() {
    let evidence = evidence {
      $0.connect()
      $0.disconnect()
      $0.connect()
    }
    let symptom = Symptom("test_rule", .warning, .meaning, "Something", when: "always")
    let rule = symptom.onConnection { history, _ in
      [1, 5, 9].map {
        Finding(
          $0 == 9 ? "Something else" : "Something failed", headline: "it failed", why: "So it is.",
          evidence: [$0])
      }
    }
    #expect(
      evidence.findings(by: [rule]).map { "\($0.connections) \($0.line)" } == [
        "[1, 2] On 2 connections, something failed, 2 times #1 #5",
        "[1, 2] On 2 connections, something else #9",
      ])
    // In a live capture, each is reported when it happens.
    #expect(evidence.findings(by: [rule], isGrouped: false).count == 6)
  }

  @Test("several attempts: the remedy names the first failure, and 0x09 only if it occurred")
  func repeated() {
    func remedy(_ reasons: [UInt8]) -> String? {
      let evidence = evidence { traffic in
        traffic.connect()
        for reason in reasons {
          traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
          traffic.pairingFailed(reason)
        }
      }
      return evidence.finding("smp_repeated")?.remedy?.text
    }
    #expect(remedy([8, 8, 8]) == "Fix what the first failure shows (#4).")
    #expect(
      remedy([8, 9, 9])
        == "Fix what the first failure shows (#4)."
    )
    #expect(remedy([9, 9, 9]) == "Fix what the first failure shows.")
  }

  @Test("which side ended the pairing without a reason decides where to look") func unspecified() {
    for (side, unpairs) in [(Direction.sent, true), (.sent, false), (.received, true)] {
      let evidence = evidence { traffic in
        traffic.connect()
        traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
        if unpairs { traffic.management(event: false, 0x1b) }
        traffic.pairingFailed(8, side)
      }
      let remedy = evidence.finding("smp_unspecified")?.remedy?.text ?? "none"
      let expected =
        side == .sent && unpairs
        ? "Find the program that sent Unpair Device (#4): "
        : "Check the log of the side that ended it"
      #expect(remedy.hasPrefix(expected), "\(side) \(unpairs): \(remedy)")
    }
  }

  @Test("a peer's identity comes first, whichever side reported it") func identity() throws {
    let lines = try page {
      $0.connect(peer: 0x7081_940d_fbaa, type: 1)
      $0.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
      $0.legacyValues()
      $0.encrypt()
      $0.smp([8] + [UInt8](repeating: 0x24, count: 16), .received)
      $0.smp([9, 0] + little(0x0011_2233_4455, width: 6), .received)
    }
    #expect(
      lines.contains(
        "Connection 1: 00:11:22:33:44:55 public as 70:81:94:0D:FB:AA; this host is the central"))
  }

  @Test("a role that is not in the capture is reported as unknown") func role() throws {
    #expect(
      try page { $0.connectClassic() }.contains {
        $0.hasSuffix("; BR/EDR; this host's role is unknown")
      })
    #expect(
      try page { $0.sent("52 05 00 01") }.contains {
        $0 == "Connection 1: peer unknown, handle 0x0040; this host's role is unknown"
      })
    #expect(
      try !page { $0.connect() }.contains { $0.contains("which role") })
  }
}
