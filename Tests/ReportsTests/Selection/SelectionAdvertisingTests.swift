// Selection of packets by the advertising data in their parameters.

import Bluetooth
import Captures
import Testing

@testable import Reports

private func command(_ opcode: Int, _ parameters: [UInt8]) -> TestRecord {
  TestRecord(
    bytes: [1, UInt8(opcode & 0xff), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters)
}

/// Returns a field of 31 bytes after its length.
private func field(_ data: [UInt8], of size: Int = 31) -> [UInt8] {
  [UInt8(data.count)] + data + [UInt8](repeating: 0, count: size - data.count)
}

/// Service class 180d, and service data of 180f: 64.
private let data = hex("03 03 0d 18 04 16 0f 18 64")

/// Advertising packets from and to a host; all have `data`, except the first and the last four.
/// Layouts: Core, Vol 4, Part E, 7.8.7, 7.8.8, 7.8.54, 7.8.55, 7.8.62, 7.3.56, 7.7.38; Android's
/// HCI requirements; BlueZ, lib/bluetooth/mgmt.h.
private let records: [TestRecord] = [
  // 1: Reset
  command(0x0c03, []),
  // 2, 3: LE Set Advertising Data, LE Set Scan Response Data
  command(0x2008, field(data)), command(0x2009, field(data)),
  // 4, 5: LE Set Extended Advertising Data, its scan response: set 0, all of it
  command(0x2037, [0, 3, 1, UInt8(data.count)] + data),
  command(0x2038, [0, 3, 1, UInt8(data.count)] + data),
  // 6: LE Set Periodic Advertising Data
  command(0x203f, [0, 3, UInt8(data.count)] + data),
  // 7: Android LE Multi Advertising: data, instance 1
  command(0xfd54, [2] + field(data) + [1]),
  // 8: Write Extended Inquiry Response
  command(0x0c52, [0] + data + [UInt8](repeating: 0, count: 231)),
  // 9: Extended Inquiry Result
  TestRecord(
    bytes: [4, 0x2f, 255, 1, 6, 5, 4, 3, 2, 1, 1, 0, 4, 4, 0x24, 0, 0, 0xc4] + data
      + [UInt8](repeating: 0, count: 231), direction: .received),
  // 10: MGMT Add Advertising: instance 1, no flags, duration, timeout; data, no scan response
  TestRecord(
    bytes: hex("01 00 00 00 3e 00 01 00 00 00 00 00 00 00 00") + [UInt8(data.count), 0] + data,
    framing: .monitor(opcode: 16)),
  // 11: MGMT Add Extended Advertising Data: instance 1
  TestRecord(
    bytes: hex("01 00 00 00 55 00 01") + [UInt8(data.count), 0] + data,
    framing: .monitor(opcode: 16)),
  // 12: LE Set Advertising Data: none
  command(0x2008, field([])),
  // 13, 14: Android LE APCF: add filter 1: service UUID 180d with its mask; service data of 180f
  command(0xfd57, hex("03 00 01 0d 18 ff ff")), command(0xfd57, hex("07 00 01 0f 18 64 ff ff ff")),
  // 15: MGMT Device Connected without data
  TestRecord(
    bytes: hex("01 00 00 00 0b 00 01 02 03 04 05 06 02 00 00 00 00 00 00"),
    framing: .monitor(opcode: 17)),
]

private func numbers(_ change: (inout Selection) throws -> Void) throws -> [Int] {
  var options = ShowOptions()
  try change(&options.selection)
  return Rendering.json(records, options).split(separator: "\n").compactMap { line in
    line.firstMatch(of: /"packet":(\d+)/).flatMap { Int($0.1) }
  }
}

@Suite("Selection by the advertising data in packets' parameters")
struct SelectionAdvertisingTests {
  @Test func fixturesAreWhole() {
    let reported = Rendering.json(records)
    #expect(!reported.contains("\"problems\""), "\(reported)")
  }

  @Test("--layer adv") func layer() throws {
    #expect(try numbers { $0.layers = [.advertising] } == Array(2...12))
  }

  @Test(
    "--uuid",
    arguments: [
      ("180d", Array(2...11) + [13]), ("180f", Array(2...11) + [14]), ("180a", []), ("6418", []),
    ])
  func uuid(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.uuids = [try Selection.uuid(text)] } == expected)
  }

  @Test("--value", arguments: [("16 0f 18 64", Array(2...11)), ("16 0f 18 65", [])])
  func value(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.values = [try BytePattern(text)] } == expected)
  }

  @Test("--device: the device that the data names") func device() throws {
    #expect(try numbers { $0.devices = [try DevicePattern("06:05:04:03:02:01")] } == [15])
    #expect(try numbers { $0.devices = [try DevicePattern("01:02:03:04:05:06")] } == [9])
  }
}
