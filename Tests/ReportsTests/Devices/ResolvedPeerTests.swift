// A peer that advertises with a resolvable private address, whose identity the controller reports
// once it is connected.

import Bluetooth
import Testing

@testable import Reports

/// LE Enhanced Connection Complete (Core, Vol 4, Part E, 7.7.65.10): handle 0x0040, central, peer
/// identity (type 3) F4:F4:F4:F4:F4:F4, local and peer resolvable addresses, interval 36, timeout
/// 500.
private func connected(resolvable: String) -> TestRecord {
  TestRecord(
    bytes: hex(
      "04 3e 1f 0a 00 40 00 00 03 f4 f4 f4 f4 f4 f4 55 44 33 22 11 5b \(resolvable) "
        + "24 00 00 00 f4 01 00"), direction: .received)
}

/// The advertisement of a watch at 4D:66:77:88:99:AB: its name, "Watch 7".
private let advertised = TestRecord(
  bytes: hex("04 3e 15 02 01 00 01 ab 99 88 77 66 4d 09 08 09 57 61 74 63 68 20 37 c4"),
  direction: .received)

/// Read Request 0x0003 on the link, and its response.
private let data = [
  TestRecord(bytes: hex("02 40 00 07 00 03 00 04 00 0a 03 00")),
  TestRecord(bytes: hex("02 40 20 06 00 02 00 04 00 0b 64"), direction: .received),
]

@Suite("A connection belongs to its peer's advertising address")
struct ResolvedPeerTests {
  private let session = [advertised, connected(resolvable: "ab 99 88 77 66 4d")] + data

  private func json(_ records: [TestRecord], _ device: String? = nil) throws -> [Substring] {
    var options = ShowOptions()
    if let device { options.selection.devices = [try DevicePattern(device)] }
    return Rendering.json(records, options).split(separator: "\n")
  }

  @Test(arguments: ["4D:66:77:88:99:AB", "4D:66:*", "Watch*"])
  func isFound(_ device: String) throws {
    #expect(try json(session, device).count == 4)
  }

  @Test func byItsIdentityToo() throws {
    #expect(try json(session, "F4:F4:F4:F4:F4:F4").count == 3)
  }

  @Test func isTold() throws {
    let lines = try json(session)
    let expected = """
      "peer":"F4:F4:F4:F4:F4:F4","peer_type":"random_identity",\
      "resolvable_address":"4D:66:77:88:99:AB","name":"Watch 7"
      """
    for line in lines.dropFirst() { #expect(line.contains(expected), "\(line)") }
  }

  @Test("Without one (all zeros) nothing is printed") func none() throws {
    let records = [advertised, connected(resolvable: "00 00 00 00 00 00")] + data
    #expect(try json(records, "4D:66:77:88:99:AB").count == 1)
    for line in try json(records) { #expect(!line.contains("resolvable_address"), "\(line)") }
  }
}
