// Selection of packets by information from other packets or protocols.

import Bluetooth
import Captures
import Testing

@testable import Reports

/// Returns L2CAP signalling on LE, or on BR/EDR (channel 1), over the link 0x0001.
private func signal(_ text: String, channel: UInt8 = 5, sent: Bool = false) -> TestRecord {
  acl(hex(text), cid: channel, sent: sent)
}

/// Returns a management record: cookie 1, code, parameters.
private func control(_ code: UInt8, _ text: String, isEvent: Bool = false) -> TestRecord {
  TestRecord(
    bytes: [1, 0, 0, 0, code, 0] + hex(text), framing: .monitor(opcode: isEvent ? 17 : 16))
}

/// LE Connection Complete: handle 0x0001, with 5C:02:03:04:05:06, which may be resolved.
private let connected = received(
  "04 3e 13 01 00 01 00 00 01 06 05 04 03 02 5c 18 00 00 00 48 00 00")

private func numbers(_ records: [TestRecord], device: String) throws -> [Int] {
  var options = ShowOptions()
  options.selection.devices = [try DevicePattern(device)]
  return Rendering.numbers(records, options)
}

@Suite struct LearntSelectionTests {
  // MARK: Statuses

  private let outcomes = [
    // 1–2: LE Credit Based Connection Request; refused, SPSM not supported.
    signal("14 01 0a 00 80 00 40 00 64 00 1e 00 03 00", sent: true),
    signal("15 01 0a 00 00 00 00 00 00 00 00 00 02 00"),
    // 3–4: Connection Parameter Update Request; rejected (1).
    signal("12 02 08 00 18 00 28 00 00 00 2a 00", sent: true),
    signal("13 02 02 00 01 00"),
    // 5–6: the same; Command Reject, not understood (0).
    signal("12 03 08 00 18 00 28 00 00 00 2a 00", sent: true),
    signal("01 03 02 00 00 00"),
    // 7–8: Information Requests in one frame; not supported (1), success (0).
    signal("0a 04 02 00 02 00 0a 05 02 00 03 00", channel: 1, sent: true),
    signal("0b 04 04 00 02 00 01 00 0b 05 0c 00 03 00 00 00 02 00 00 00 00 00 00 00", channel: 1),
    // 9: Command Status: Set Powered, Busy (0x0a). 10: Connect Failed, Rejected (0x0b).
    control(2, "05 00 0a", isEvent: true),
    control(0x0d, "06 05 04 03 02 5c 02 0b", isEvent: true),
  ]

  @Test(
    "--status accepts results of L2CAP and of the management interface",
    arguments: [
      ("SPSM not supported", [2]), ("0x0002", [2]), ("Parameters rejected", [4]),
      ("not understood", [6]), ("1", [4, 8]), ("0", [8]), ("!0", [2, 4, 6, 9, 10]),
      ("!2", [4, 6, 9, 10]), ("busy", [9]), ("0x0b", [10]), ("refused", [2]),
    ])
  func statuses(_ text: String, _ expected: [Int]) throws {
    var options = ShowOptions()
    options.selection.statuses = [try StatusFilter(text)]
    #expect(Rendering.numbers(outcomes, options) == expected)
  }

  // MARK: Devices

  @Test("--device: the identity address that a peer reports, from then on")
  func identity() throws {
    let pair = { (sent: Bool) in
      TestRecord(
        bytes: hex(sent ? "02 01 00" : "02 01 20")
          + hex("0c 00 08 00 06 00 09 01 56 34 12 ee ff c0"),
        direction: sent ? .sent : .received)
    }
    let read = TestRecord(bytes: hex("02 01 00 07 00 03 00 04 00 0a 03 00"))
    #expect(
      try numbers([connected, read, pair(false), read], device: "C0:FF:EE:12:34:56") == [3, 4])
    // The captured host's identity address is its own.
    #expect(try numbers([connected, pair(true), read], device: "C0:FF:EE:12:34:56") == [])
    #expect(try numbers([connected, read, pair(false), read], device: "5C:*") == [1, 2, 3, 4])
  }

  @Test("--device: names from other packets than advertisements")
  func names() throws {
    let zeros = String(repeating: " 00", count: 244)
    // BR/EDR: Connection Complete, Remote Name Request Complete ("Jay"), data.
    let classic = [
      received("04 03 0b 00 02 00 06 05 04 03 02 5c 01 00"),
      received("04 07 ff 00 06 05 04 03 02 5c 4a 61 79" + zeros + " 00"),
      TestRecord(bytes: hex("02 02 00 07 00 03 00 40 00 01 02 03")),
    ]
    #expect(try numbers(classic, device: "jay") == [2, 3])
    // Extended Inquiry Result.
    let inquired = received(
      "04 2f ff 01 06 05 04 03 02 5c 01 00 00 00 00 00 00 c4 04 09 4a 61 79"
        + String(repeating: " 00", count: 235))
    #expect(try numbers([inquired, classic[0], classic[2]], device: "jay") == [1, 2, 3])
    // Device Found; then its LE connection.
    let found = control(
      0x12, "06 05 04 03 02 5c 02 c4 00 00 00 00 05 00 04 09 4a 61 79", isEvent: true)
    #expect(try numbers([found, connected], device: "jay") == [1, 2])
  }

  /// LE Periodic Advertising Sync Established: sync 0x0001, SID 3, C0:11:22:33:44:55.
  private let synced = received("04 3e 10 0e 00 01 00 03 01 55 44 33 22 11 c0 01 50 00 00")
  /// A report of that train, and its end.
  private let report = received("04 3e 0b 0f 01 00 7f c4 ff 00 03 02 0a 04")
  private let lost = received("04 3e 03 10 01 00")

  @Test("--device: the sender of a periodic train")
  func trains() throws {
    let other = received("04 3e 03 10 02 00")
    #expect(
      try numbers([report, synced, report, other, lost, lost], device: "C0:11:*") == [2, 3, 5])
  }

  @Test("A lost train is named once")
  func lostTrain() {
    let text = Rendering.text([synced, lost, lost]).split(separator: "\n")
    #expect(text[2].hasSuffix("C0:11:22:33:44:55, SID 3"), "\(text)")
    #expect(!text[3].contains("C0:11"), "\(text)")
    let json = Rendering.json([synced, lost, lost]).split(separator: "\n")
    #expect(
      json[1].contains(
        #""train":{"address":"C0:11:22:33:44:55","address_type":"random_static","sid":3}"#),
      "\(json)")
    #expect(!json[2].contains("train"), "\(json)")
  }

  // MARK: Other parts of lines

  @Test("Advertising data of the management interface is printed structure by structure")
  func structures() {
    let found = control(
      0x12, "06 05 04 03 02 5c 02 c4 00 00 00 00 05 00 04 09 4a 61 79", isEvent: true)
    let fields = #""fields":[{"type":"0x09","name":"Complete Local Name","text":"Jay"}]"#
    #expect(
      Rendering.json([found]).contains("eir_data_" + fields.dropFirst()),
      "\(Rendering.json([found]))")
    // Add Advertising: instance 1, flags, durations; data 3 and scan response 5 bytes.
    let add = control(
      0x3e, "01 00 00 00 00 00 00 00 00 03 05 02 0a 04 04 09 4a 61 79")
    let json = Rendering.json([add])
    #expect(json.contains(#""adv_data_fields":[{"type":"0x0a""#), "\(json)")
    #expect(json.contains("scan_rsp_" + fields.dropFirst()), "\(json)")
  }

  @Test(
    "Power levels that are not numbers",
    arguments: [
      ("04", "4 dBm", #""tx_power_level_dbm":4,"#),
      ("7e", "power not managed", #""tx_power_level":"unmanaged","#),
      ("7f", "", #""phy":{"code":"0x01","name":"LE 1M"},"tx_power_level_flag""#),
    ])
  func powerLevels(_ level: String, _ words: String, _ json: String) {
    // LE Transmit Power Reporting: success, 0x0040, remote, 1M, level, no flags, change not known.
    let event = received("04 3e 09 21 00 40 00 01 01 \(level) 00 7f")
    let line = Rendering.text([event]).split(separator: "\n").last ?? ""
    #expect(line.hasSuffix(words), "\(line)")
    #expect(!line.contains("126") && !line.contains("127"), "\(line)")
    let object = Rendering.json([event])
    #expect(object.contains(json) && !object.contains("delta"), "\(object)")
  }
}
