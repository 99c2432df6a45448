// Conclusions from something that the capture does not hold are less certain, or not drawn, if the
// capture may lack it.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Conclusions from absence") struct AbsenceTests {
  /// Returns the certainty of a rule's first finding, or nil if it finds nothing.
  private func certainty(
    _ rule: String, losesRecords: Bool = false, _ build: (inout Traffic) -> Void
  ) -> Certainty? {
    let evidence = evidence {
      build(&$0)
      // Completed packets that the capture does not show as sent.
      if losesRecords { $0.completed(60) }
    }
    return evidence.finding(rule)?.certainty
  }

  @Test("0xfd: the CCCD may have been written before the capture began, or in lost records")
  func improperConfiguration() {
    func refuse(_ traffic: inout Traffic) { traffic.ask("12 15 00 02", "01 12 15 00 fd") }
    func whole(_ traffic: inout Traffic) {
      traffic.connect()
      refuse(&traffic)
    }
    #expect(certainty("att_cccd_improper", whole) == .certain)
    #expect(certainty("att_cccd_improper", refuse) == .likely)
    for (words, build) in [("on this connection.", whole), ("in this capture.", refuse)] {
      let why = evidence(build).finding("att_cccd_improper")?.why.text ?? "nothing"
      #expect(why.hasSuffix("none of its CCCDs was written \(words)"))
    }
    #expect(certainty("att_cccd_improper", losesRecords: true, whole) == .likely)
    // Another refusal of the same rule does not depend on where the capture begins.
    #expect(
      certainty("att_procedure_in_progress") { $0.ask("12 15 00 02", "01 12 15 00 fe") }
        == .certain)
  }

  @Test(
    "Service Changed without a later discovery: records may be missing; with one it is reported")
  func serviceChanged() {
    func changed(_ traffic: inout Traffic) {
      traffic.ask("08 06 00 0d 00 03 28", "09 07 07 00 20 08 00 05 2a")
      traffic.received("1d 08 00 0e 00 ff ff")
      traffic.sent("1e")
    }
    func whole(_ traffic: inout Traffic) {
      traffic.connect()
      changed(&traffic)
    }
    #expect(certainty("gatt_service_changed", whole) == .certain)
    #expect(certainty("gatt_service_changed", losesRecords: true, whole) == .likely)
    // A capture that begins late still has everything that would follow.
    #expect(certainty("gatt_service_changed", changed) == .certain)
    #expect(
      certainty("gatt_service_changed", losesRecords: true) {
        whole(&$0)
        $0.discoverHeartRate()
      } == .certain)
  }

  @Test("an outdated map: the discovery may be in lost records")
  func staleCache() {
    func changed(_ traffic: inout Traffic) {
      traffic.ask("08 06 00 0d 00 03 28", "09 07 07 00 20 08 00 05 2a")
      traffic.received("1d 08 00 0e 00 ff ff")
      traffic.sent("1e")
      traffic.ask("0a 13 00", "01 0a 13 00 01")
    }
    func whole(_ traffic: inout Traffic) {
      traffic.connect()
      changed(&traffic)
    }
    #expect(certainty("gatt_stale_cache", whole) == .certain)
    #expect(certainty("gatt_stale_cache", losesRecords: true, whole) == .likely)
    // The change and what follows it are also in a capture that begins late.
    #expect(certainty("gatt_stale_cache", changed) == .certain)
    // The lack of an earlier discovery is not: then an invalid handle says nothing about maps.
    #expect(certainty("gatt_stale_cache") { $0.ask("0a 13 00", "01 0a 13 00 01") } == nil)
  }

  @Test("a bond that is created again: the attempt to use it may be in lost records")
  func overBond() {
    func again(_ traffic: inout Traffic) {
      traffic.connect()
      traffic.exchangeFeatures()
      traffic.pairingFailed(8)
    }
    func whole(_ traffic: inout Traffic) {
      traffic.connect()
      traffic.pairAndBond()
      traffic.disconnect()
      again(&traffic)
    }
    #expect(certainty("smp_over_bond", whole) == .certain)
    #expect(certainty("smp_over_bond", losesRecords: true, whole) == .likely)
    // A capture that begins after the bonding knows no bond.
    #expect(certainty("smp_over_bond", again) == nil)
  }

  @Test(
    "0x0f without a key: a pairing may be missing; with a late start or a bond of --keys, no finding"
  )
  func withoutKey() {
    func refuse(_ traffic: inout Traffic) {
      traffic.ask("0a 13 00", "01 0a 13 00 0f")
      traffic.agreeToPair()
      traffic.encrypted()
    }
    func whole(_ traffic: inout Traffic) {
      traffic.connect()
      refuse(&traffic)
    }
    #expect(certainty("att_0f_without_key", whole) == .likely)
    #expect(certainty("att_0f_without_key", losesRecords: true, whole) == .possible)
    #expect(certainty("att_0f_without_key", refuse) == nil)
    var bond = Bond(DeviceAddress(value: 0xc011_2233_4455), .random, file: "keys")
    bond.longTermKeys = [Bond.LongTermKey([UInt8](repeating: 7, count: 16))]
    let known = evidence(bonds: [bond], whole)
    #expect(known.lines(of: "att_0f_without_key") == [])
    // Only an identity key, which encrypts nothing.
    bond.longTermKeys = []
    bond.identityResolvingKey = [UInt8](repeating: 7, count: 16)
    #expect(!evidence(bonds: [bond], whole).lines(of: "att_0f_without_key").isEmpty)
  }

  @Test(
    "a peer that disconnects: less certain with lost records, no finding without the beginnings")
  func peerLeaves() {
    func stays(_ traffic: inout Traffic, opens: Bool) {
      for time in [30_000, 30_200] {
        if opens { traffic.connect() }
        let start = traffic.clock
        traffic.acl(l2cap(hex("0b 05"), cid: 6), .received)
        traffic.sent("52 03 00 01")
        traffic.clock = start + time
        traffic.disconnect()
      }
    }
    #expect(certainty("link_peer_leaves") { stays(&$0, opens: true) } == .likely)
    #expect(
      certainty("link_peer_leaves") {
        stays(&$0, opens: true)
        $0.connect()
        $0.completed(60)
      } == .possible)
    #expect(certainty("link_peer_leaves") { stays(&$0, opens: false) } == nil)
  }
}
