import Bluetooth
import Testing

@testable import Reports

/// Returns the lines under a packet.
private func lines(_ records: [TestRecord], _ change: (inout ShowOptions) -> Void = { _ in })
  -> [String]
{
  var options = ShowOptions()
  options.isVerbose = true
  change(&options)
  return Rendering.text(records, options).split(separator: "\n").dropFirst(2).map(String.init)
}

@Suite("Fields and the positions of their bytes")
struct VerboseTests {
  @Test(
    "Offsets count from the record's first byte",
    arguments: [
      // Write Request of 01 00 to 0x0011 on 0x0001, H4.
      (
        [2, 1, 0, 9, 0, 5, 0, 4, 0, 0x12, 0x11, 0, 1, 0],
        [
          "1–2 handle: 0x0001", "3–4 length: 9", "7–8 cid: 0x0004", "5–6 length: 5",
          "9 opcode: 0x12", "10–11 handle: 0x0011", "12–13 value: 01 00",
        ]
      ),
      // Error Response: Write Request, 0x0011, Insufficient Authentication.
      (
        [2, 1, 0, 9, 0, 5, 0, 4, 0, 1, 0x12, 0x11, 0, 5],
        [
          "10 request_opcode: 0x12", "11–12 handle: 0x0011",
          "13 error: Insufficient Authentication",
        ]
      ),
      // Read By Group Type Request.
      (
        [2, 1, 0, 11, 0, 7, 0, 4, 0, 0x10, 1, 0, 0xff, 0xff, 0, 0x28],
        ["10–11 start_handle: 0x0001", "12–13 end_handle: 0xffff", "14–15 uuid: 2800"]
      ),
      // Prepare Write Request at offset 18.
      (
        [2, 1, 0, 11, 0, 7, 0, 4, 0, 0x16, 3, 0, 18, 0, 0xaa, 0xbb],
        ["10–11 handle: 0x0003", "12–13 offset: 18", "14–15 value: aa bb"]
      ),
      // Signed Write Command: aa, counter 7, eight bytes.
      (
        [2, 1, 0, 20, 0, 16, 0, 4, 0, 0xd2, 3, 0, 0xaa, 7, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8],
        ["12 value: aa", "13–16 sign_counter: 7", "17–24 signature: 01 02 03 04 05 06 07 08"]
      ),
      // Read Multiple Request.
      ([2, 1, 0, 9, 0, 5, 0, 4, 0, 0x0e, 3, 0, 5, 0], ["10–11 0x0003", "12–13 0x0005"]),
      // Find Information Response.
      (
        [2, 1, 0, 10, 0, 6, 0, 4, 0, 5, 1, 4, 0, 2, 0x29],
        ["11–14 -", "11–12 handle: 0x0004", "13–14 uuid: 2902"]
      ),
      // Disconnect 0x0001 for 0x13.
      (
        [1, 6, 4, 3, 1, 0, 0x13],
        ["1–2 opcode: 0x0406", "3 length: 3", "4–5 Connection_Handle: 0x0001", "6 Reason: Remote"]
      ),
      // Command Complete of Reset.
      (
        [4, 0x0e, 4, 1, 3, 0x0c, 0],
        ["1 event: 0x0e", "2 length: 4", "3 Num_HCI", "4–5 Command_Opcode: Reset", "6 Status"]
      ),
      // SCO data.
      ([3, 1, 0x10, 2, 9, 9], ["1–2 handle: 0x0001", "2 packet_status: 1", "3 data_length: 2"]),
    ] as [([UInt8], [String])])
  func offsets(_ bytes: [UInt8], _ expected: [String]) {
    let printed = lines([TestRecord(bytes: bytes)]).map { line in
      line.split(separator: " ").joined(separator: " ")
    }
    for field in expected {
      #expect(printed.contains { $0.hasPrefix(field) }, "\(field) in \(printed)")
    }
  }

  @Test("An advertisement's structures have their own")
  func advertisement() {
    let record = TestRecord(
      bytes: [4, 0x3e, 17, 2, 1, 0, 1, 1, 2, 3, 4, 5, 0xc6, 5, 2, 1, 6, 1, 0x42, 0xc4],
      direction: .received)
    let printed = lines([record]).map { $0.split(separator: " ").joined(separator: " ") }
    // Printed once, among the event's parameters.
    #expect(printed.count { $0.hasSuffix("ata: 02 01 06 01 42") } == 1, "\(printed)")
    #expect(
      !printed.contains("advertisements") && printed.contains { $0.hasSuffix("RSSI: -60 dBm") })
    #expect(
      printed.contains("15 type: 0x01") && printed.contains { $0.hasPrefix("16 value: 0x06") })
  }

  @Test("All columns line up: offsets, bytes, characters, names")
  func columns() {
    let value: [UInt8] = Array(0x7a...0x85)
    let bytes: [UInt8] = [2, 1, 0, 19, 0, 15, 0, 4, 0, 0x12, 0x11, 0] + value
    let printed = lines([TestRecord(bytes: bytes)]) { $0.showsBytes = true }
    #expect(printed.contains("      10–11  11 00                    ..          handle: 0x0011"))
    let value8 =
      "      12–23  7a 7b 7c 7d 7e 7f 80 81  z{|}~...    value: 7a 7b 7c 7d 7e 7f 80 81 82 83 84 85"
    #expect(printed.contains(value8))
    #expect(printed.contains("      20–23  82 83 84 85              ...."), "\(printed)")
    // The bytes are beside the fields, not also below them.
    #expect(!printed.contains { $0.contains("0x0000 02 01") })
    let ascii = lines([TestRecord(bytes: bytes)]) { $0.glyphs = .ascii }
    #expect(ascii.contains("      10-11    handle: 0x0011"), "\(ascii)")
  }

  @Test(
    "A PDU in several records: offsets are within the PDU, which is stated; each record has its bytes"
  )
  func joined() {
    let records = [
      TestRecord(bytes: [2, 1, 0x20, 6, 0, 11, 0, 4, 0, 0x1b, 3], direction: .received),
      TestRecord(
        bytes: [2, 1, 0x10, 9, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8], direction: .received),
    ]
    let printed = lines(records) { $0.showsBytes = true }
    #expect(
      printed.count { $0.contains("offsets count from the first byte of the joined PDU") } == 1)
    #expect(
      printed.contains { $0.hasPrefix("        5–6  03 00") && $0.hasSuffix("handle: 0x0003") })
    #expect(printed.contains { $0.hasPrefix("      0x0000 02 01 20 06") })
    #expect(printed.contains { $0.hasPrefix("      0x0000 02 01 10 09") })
    // The PDU contains no ACL header of the last record.
    #expect(
      printed.contains {
        $0.hasPrefix("    ") && $0.hasSuffix("  handle: 0x0001") && !$0.contains("–")
      })
  }

  @Test("-x alone: sixteen bytes a line, and their ASCII characters")
  func dump() {
    let text = Array("Hello".utf8)
    let bytes: [UInt8] = [2, 1, 0, 12, 0, 8, 0, 4, 0, 0x12, 0x11, 0] + text
    let printed = lines([TestRecord(bytes: bytes)]) {
      $0.showsBytes = true
      $0.isVerbose = false
    }
    #expect(
      printed[0]
        == "      0x0000 02 01 00 0c 00 08 00 04  00 12 11 00 48 65 6c 6c  ............Hell")
    #expect(printed[1] == "      0x0010 6f" + String(repeating: " ", count: 48) + "o")
  }
}
