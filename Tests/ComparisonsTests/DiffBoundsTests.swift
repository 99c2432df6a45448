import Bytes
import Decoders
import MadeTraffic
import Sessions
import Testing

@testable import Comparisons
@testable import Reports

/// `diff` keeps what it compares, up to limits.
@Suite("Limits of diff") struct DiffBoundsTests {
  /// Returns what is kept of traffic, and the messages about it.
  private func remember(
    _ bound: (inout SessionBounds) -> Void = { _ in }, listed: Int = Limits().listedConnections,
    _ build: (inout Traffic) -> Void
  ) throws -> (kept: [ComparedOperation], bytes: [UInt8], remark: String?) {
    var traffic = Traffic()
    build(&traffic)
    var source = MemorySource(traffic)
    var bounds = SessionBounds()
    bound(&bounds)
    var limits = Limits()
    limits.listedConnections = listed
    var report = SessionReport(
      SuppliedProfiles(), showsKeys: false, limits: limits, bounds: bounds)
    var output = Output()
    var pass = Pass()
    try pass.run(&source, &report, into: &output)
    let (found, remark) = (report.capture, report.remark)
    let capture = try #require(found)
    let session = try #require(capture.devices.first?.session)
    return (session.connections.flatMap(\.operations), session.bytes, remark)
  }

  private func write(_ value: UInt8) -> (inout Traffic) -> Void {
    { traffic in
      traffic.ask("12 10 00 0\(value)", "13")
    }
  }

  /// Each write takes two packets, and the connection's beginning one.
  @Test("of more operations than the limit, the first are kept and the next is named")
  func operations() throws {
    func build(_ traffic: inout Traffic) {
      traffic.connect()
      for value in 1...5 { write(UInt8(value))(&traffic) }
    }
    let all = try remember({ _ in }, build)
    // Includes the beginning and end of the connection.
    #expect(all.kept.count == 7)
    #expect(all.remark == nil)
    let some = try remember({ $0.operations = 3 }, build)
    #expect(some.kept.count == 5)
    #expect(
      some.kept.map(\.packet).prefix(4) == all.kept.map(\.packet).prefix(4), "the first are kept")
    let next = all.kept[4].packet
    #expect(
      some.remark == "#\(next): too much to compare; only what comes before this packet is compared"
    )
  }

  @Test("the response to a kept request is used, whatever exceeds the limit")
  func answer() throws {
    let kept = try remember({ $0.operations = 1 }) { traffic in
      traffic.connect()
      traffic.ask("02 64 00", "03 64 00")
      traffic.ask("10 01 00 ff ff 00 28", "01 10 01 00 0a")
    }.kept
    let mtu = try #require(kept.first { $0.kind == .exchangeMTU })
    #expect(mtu.hasSucceeded)
    #expect(mtu.value != nil)
    #expect(!kept.contains { $0.kind == .discovery })
  }

  @Test("bytes are limited as well") func bytes() throws {
    let (kept, bytes, remark) = try remember({ $0.bytes = 100 }) { traffic in
      traffic.connect()
      for value in 0..<200 {
        traffic.received("1b 10 00 " + String(repeating: "0\(value % 10) ", count: 20))
      }
    }
    #expect(kept.count < 10)
    #expect(bytes.count < 400, "\(bytes.count) bytes")
    #expect(remark != nil)
  }

  /// Consecutive Find Information Requests are one discovery.
  @Test("of many requests without a response the latest are tracked") func unanswered() throws {
    let kept = try remember({ $0.unanswered = 2 }) { traffic in
      traffic.connect()
      for handle in 1...9 { traffic.sent("04 0\(handle) 00 ff ff") }
      // Without anything received, the answers may be missing from the capture.
      traffic.received("1b 10 00 01")
      traffic.disconnect()
    }.kept
    let discovery = try #require(kept.first { $0.kind == .discovery })
    #expect(discovery.count == 9)
    #expect(discovery.failure != nil)
  }

  @Test("connections beyond the limit are not compared") func connections() throws {
    let remark = try remember({ $0.connections = 2 }) { traffic in
      for handle in 0x40...0x44 {
        traffic.connect(handle, peer: 0xc011_2233_4400 + handle)
        traffic.received("1b 10 00 01", handle: handle)
      }
    }.remark
    #expect(remark?.hasPrefix("#") == true)
  }

  @Test("attributes beyond the limit are not compared") func attributes() throws {
    let (kept, _, remark) = try remember({ $0.attributes = 2 }) { traffic in
      traffic.connect()
      for handle in 10...14 { traffic.received("1b \(handle) 00 01") }
      traffic.received("1b 10 00 01")
    }
    #expect(kept.count { $0.kind == .value(.notification) } == 2, "nor is what comes later")
    #expect(remark?.hasPrefix("#4: too much to compare") == true, "\(remark ?? "nothing")")
  }

  @Test("unlisted connections are not compared, which is reported") func listed() throws {
    let build: (inout Traffic) -> Void = { traffic in
      for handle in 0x40...0x44 {
        traffic.connect(handle, peer: 0xc011_2233_4400 + handle)
        traffic.received("1b 10 00 01", handle: handle)
      }
    }
    #expect(try remember(listed: 5, build).remark == nil)
    let remark = try remember(listed: 3, build).remark
    #expect(
      remark == "only the first 3 connections are compared; 2 with operations are left out",
      "\(remark ?? "nothing")")
  }
}
