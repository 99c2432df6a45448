import Bytes
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Sessions
import Testing

@Suite("What is remembered of all connections together is limited") struct CrowdedHistoryTests {
  /// Three connections, each of which receives values of `count` attributes, the first one last.
  private func evidence(_ count: Int, bytes most: Int) throws -> Evidence {
    var traffic = Traffic()
    for handle in 0x40...0x42 { traffic.connect(handle, peer: 0xc011_2233_4400 + handle) }
    for handle in [0x41, 0x42, 0x40] {
      for attribute in 0x10..<0x10 + count {
        traffic.received("1b \(String(attribute, radix: 16)) 00 01 02", handle: handle)
      }
    }
    traffic.connect(0x43, peer: 0xc011_2233_4499)
    return try evidence(traffic, bytes: most)
  }

  private func evidence(_ traffic: Traffic, bytes most: Int) throws -> Evidence {
    var source = MemorySource(traffic)
    var report = EvidenceReport(bytes: most)
    var output = Output()
    var pass = Pass()
    try pass.run(&source, &report, into: &output)
    return report.evidence
  }

  @Test("The latest connections are left out, and counted") func latest() throws {
    let all = try evidence(40, bytes: CaptureHistory.mostBytes)
    #expect(all.connections.map(\.id) == [1, 2, 3, 4])
    #expect(all.unlisted == nil)
    // One connection with 40 attributes takes more than half of this.
    let some = try evidence(40, bytes: 120_000)
    #expect(some.connections.map(\.id) == [1])
    #expect(some.connections.first?.attributes.usages.count == 40, "the first is complete")
    #expect(some.unlisted?.text == "covers only the first 1 connections, 3 omitted")
  }

  @Test("A controller does not hold packets of connections that are left out")
  func buffers() throws {
    var traffic = Traffic()
    // Four buffers for LE data.
    traffic.perform(0x2002, returns: [0, 27, 0, 4])
    for handle in 0x40...0x41 { traffic.connect(handle, peer: 0xc011_2233_4400 + handle) }
    traffic.sent("52 03 00 01")
    traffic.completed(1)
    for _ in 0..<3 { traffic.sent("52 03 00 01", handle: 0x41) }
    for attribute in 0x10..<0x38 {
      traffic.received("1b \(String(attribute, radix: 16)) 00 01 02")
    }
    traffic.disconnect(0x41)
    for _ in 0..<2 { traffic.sent("52 03 00 01") }
    traffic.event(0x1a, [1])
    // The least room in which there is one connection: not enough for both.
    let budgets = [CaptureHistory.mostBytes] + stride(from: 5_000, to: 400_000, by: 5_000)
    for connections in [2, 1] {
      var found: Evidence?
      for budget in budgets where found == nil {
        let one = try evidence(traffic, bytes: budget)
        if one.connections.count == connections { found = one }
      }
      let evidence = try #require(found, "no budget has room for \(connections)")
      #expect(evidence.packets(of: "hci_data_overflow") == ["#53"])
    }
  }

  @Test("Few attributes take little room") func few() throws {
    #expect(try evidence(2, bytes: 120_000).connections.count == 4)
  }
}
