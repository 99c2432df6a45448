// Devices as text and JSON.

import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions
import Testing

@testable import Reports

/// Returns LE Set Scan Parameters and LE Set Scan Enable (all reports by default), each with its
/// response.
private func scan(filter: UInt8 = 0) -> [TestRecord] {
  [
    TestRecord(bytes: hex("01 0b 20 07 01 a0 00 a0 00 00 00")), received("04 0e 04 01 0b 20 00"),
    TestRecord(bytes: hex("01 0c 20 02 01") + [filter]), received("04 0e 04 01 0c 20 00"),
  ]
}

/// Returns an LE Advertising Report with this data, of -60 dBm by default.
private func heard(
  _ data: [UInt8], event: UInt8 = 0, address: String = "55 44 33 22 11 c0", rssi: Int8 = -60
) -> TestRecord {
  let report =
    [event, 1] + hex(address) + [UInt8(data.count)] + data + [UInt8(bitPattern: rssi)]
  return TestRecord(
    bytes: [4, 0x3e, UInt8(report.count + 2), 2, 1] + report, direction: .received)
}

private func print(
  _ records: [TestRecord], json: Bool = false, limits: Limits = Limits(),
  of devices: [DevicePattern] = [], showsKeys: Bool = false, ios: Bool = false
) -> String {
  var options = DevicesOptions()
  options.isJSON = json
  options.showsAppleLimits = ios
  options.show.selection.devices = devices
  options.show.showsKeys = showsKeys
  var source = RecordList(records)
  var report = DevicesReport(options, source.summary, limits: limits)
  return Rendering.run(&source, &report)
}

/// Returns the lines of the first device.
private func device(_ records: [TestRecord], ios: Bool = false) -> [String] {
  let parts = print(records, ios: ios).split(separator: "\n\n").dropFirst(2)
  return parts.first?.split(separator: "\n").map(String.init) ?? []
}

private func structure(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
  [UInt8(data.count + 1), type] + data
}

@Suite struct DevicesTests {
  @Test("A signal that no receiver can report is shown as invalid, and not measured")
  func invalidSignals() {
    let levels: [Int8] = [72, -60, -128, 127, 20, -60]
    let records = scan() + levels.map { heard([2, 1, 6], rssi: $0) }
    let lines = print(records)
    #expect(lines.contains("RSSI -60") && lines.contains("20 dBm"), "\(lines)")
    #expect(!lines.contains("72") && !lines.contains("128"), "\(lines)")
    let document = print(records, json: true)
    #expect(document.contains("\"first_rssi_dbm\":-60"), "\(document)")
    let shown = Rendering.text(records).split(separator: "\n").dropFirst(5)
    #expect(
      shown.map { $0.contains("invalid RSSI") } == [true, false, true, false, false, false],
      "\(shown)")
    #expect(shown.first?.contains("invalid RSSI 72") == true, "\(shown)")
    let json = Rendering.json(records)
    #expect(json.contains("\"rssi\":{\"invalid\":72}"), "\(json)")
    #expect(json.contains("\"rssi_dbm\":20") && !json.contains("\"rssi_dbm\":72"), "\(json)")
  }

  @Test("Connectable devices come before others, whoever was heard first")
  func order() throws {
    let data = hex("02 01 06")
    let text = print(
      scan() + [
        heard(data, event: 3, address: "01 44 33 22 11 c0"),
        heard(data, event: 0, address: "02 44 33 22 11 c0"),
        heard(data, event: 2, address: "03 44 33 22 11 c0"),
      ])
    let addresses = text.split(separator: "\n").filter { $0.contains("11:22:33:44") }.map {
      $0.prefix(17)
    }
    #expect(addresses == ["C0:11:22:33:44:02", "C0:11:22:33:44:01", "C0:11:22:33:44:03"])
  }

  @Test func aDevice() {
    let name = heard(structure(9, Array("HRM".utf8)), event: 4)
    let lines = print(scan() + [heard(hex("02 01 06 03 03 0d 18")), name])
    #expect(
      lines == """
        1 advertiser, 2 reports

        scan  from #3 on, 0 ms: active, interval 100 ms, window 100 ms, duplicates reported; 2 reports; still on at the end

        C0:11:22:33:44:55  random static, "HRM", connectable
          1 ADV_IND, 1 SCAN_RSP, #5–#6 in 0 ms; RSSI -60 dBm
          first  PDU         size           content
          #5     ADV_IND     7 of 31 bytes  180d Heart Rate; general discoverable, LE only
          #6       SCAN_RSP  5 of 31 bytes  "HRM"

        """)
  }

  @Test func nobody() {
    #expect(print([]) == "no device was heard advertising\n")
    #expect(print([], json: true).isEmpty)
  }

  @Test func whyNothingIsMeasured() {
    let filtered = print(scan(filter: 1) + [heard([]), heard([])])
    #expect(filtered.contains("duplicates filtered (so no interval and no range of RSSI)"))
    #expect(filtered.contains("#5–#6 in 0 ms; first -60 dBm\n"))
    let json = print(scan(filter: 1) + [heard([])], json: true)
    #expect(json.contains("\"first_rssi_dbm\":-60,\"no_statistics\":\"duplicates_filtered\""))
    #expect(!json.contains("\"rssi_dbm\"") && !json.contains("interval_ms\":1,"))
    let unknown = print([heard([])], json: true)
    #expect(unknown.contains("\"no_statistics\":\"scan_unknown\""))
    #expect(unknown.contains("\"opening_missing\":true"))
  }

  // MARK: Apps on Apple's systems

  /// The data, whether it is a scan response, and the output.
  @Test(
    arguments: [
      // 28 bytes beside the Flags: a name of 26.
      (hex("02 01 06") + structure(9, [UInt8](repeating: 0x61, count: 26)), false, nil),
      (
        structure(9, [UInt8](repeating: 0x61, count: 27)), false,
        "29 bytes besides Flags instead of at most 28"
      ),
      (structure(9, Array("0123456789".utf8)), true, nil),
      (
        structure(9, Array("01234567891".utf8)), true,
        "11 bytes in a scan response instead of a name of at most 10"
      ),
      (hex("03 03 0d 18 11 07 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"), false, nil),
      (hex("02 0a 04"), false, "Tx Power Level"), (hex("02 33 00"), false, "type 0x33"),
      (
        hex("02 0a 04 03 19 41 03 02 1c 00 05 ff 59 00 01 02"), false,
        "Tx Power Level, Appearance, LE Role and 1 more type"
      ),
      // In Apple's overflow area the system encodes an app's services.
      (hex("14 ff 4c 00 01") + [UInt8](repeating: 0, count: 16), false, nil),
    ] as [([UInt8], Bool, String?)])
  func notFromAnApp(_ data: [UInt8], _ isScanResponse: Bool, _ expected: String?) {
    let records = scan() + [heard(data, event: isScanResponse ? 4 : 0)]
    let reported = device(records, ios: true).first { $0.contains("iOS") }
    #expect(!device(records).contains { $0.contains("iOS") })
    #expect(reported == expected.map { "  an iOS app could not advertise this: " + $0 })
  }

  @Test func theOverflowArea() {
    let data = hex("14 ff 4c 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 40 03")
    let words = "overflow area, 3 bits set: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 40 03"
    #expect(print([heard(data)]).contains("company 0x004c Apple, Inc. " + words))
    #expect(Rendering.text([heard(data)]).contains(words))
    #expect(print([heard(data)], json: true).contains("\"overflow_area_bits\":3"))
    // One byte more or less, another type, another company: different data.
    for other in [Array(data.dropLast()), data + [0]] {
      var other = other
      other[0] = UInt8(other.count - 1)
      #expect(!print([heard(other)]).contains("overflow"))
    }
    #expect(!print([heard([0x14, 0xff, 0x59] + data.dropFirst(3))]).contains("overflow"))
  }

  // MARK: Data over the air

  @Test func secretsAndControlCharacters() {
    let key = heard(structure(0x22, [UInt8](repeating: 0xab, count: 16)))
    #expect(!print([key]).contains("ab ab") && print([key]).contains("<hidden>"))
    #expect(!print([key], json: true).contains("abab"))
    #expect(print([key], json: true).contains("\"hidden\":[\"data\"]"))
    #expect(print([key], showsKeys: true).contains("ab ab"))
    let name = heard(structure(9, [0x1b, 0x5b, 0x41]))
    #expect(print([name]).contains("\"\\x1b[A\""))
    #expect(print([name], json: true).contains("\"name\":\"\\u001b[A\""))
  }

  @Test func whatIsAskedFor() throws {
    let records =
      scan() + [heard(structure(9, Array("one".utf8))), heard([], address: "55 44 33 22 11 c1")]
    for (pattern, isAddress) in [
      ("C0:FF:*", true), ("C0:F*", true), ("C0:FF*", true), ("*:34:56", true), ("C0:*:56", true),
      ("C0:FF:EE:12:34:5*", true), ("*:FE", false), ("C0:EE*", false), ("C0:*:34", false),
    ] {
      let bits = try #require(try DevicePattern(pattern).address, "\(pattern)")
      #expect((0xc0ff_ee12_3456 & bits.mask == bits.value) == isAddress, "\(pattern)")
    }
    #expect(try DevicePattern("C0:GF*").address == nil && DevicePattern("D6-1*").address == nil)
    let one = print(records, of: [try DevicePattern("on*")])
    #expect(one.contains("\"one\"") && !one.contains("C1:11"))
    let other = print(records, json: true, of: [try DevicePattern("C1:*")])
    #expect(other.contains("C1:11:22:33:44:55") && !other.contains("\"one\""))
    #expect(other.contains("\"reports\":1}"))
  }

  /// The complete name comes after the shortened one, or before it.
  @Test func shortenedNames() throws {
    let shortened = structure(8, Array("Acme".utf8))
    let complete = structure(9, Array("Acme thermometer".utf8))
    for data in [shortened + complete, complete + shortened] {
      let found = print(scan() + [heard(data)], of: [try DevicePattern("acme")])
      #expect(found.contains("1 advertiser, 1 report") && found.contains("\"Acme thermometer\""))
    }
    #expect(print([heard(shortened)], of: [try DevicePattern("nobody")]) == "no device matches\n")
  }

  @Test func limit() {
    var options = DevicesOptions()
    options.show.selection.limit = 5
    var source = RecordList(scan() + [heard([]), heard([]), heard([])])
    var report = DevicesReport(options, source.summary)
    #expect(Rendering.run(&source, &report).hasPrefix("1 advertiser, 1 report\n"))
  }

  /// Two links that were open before the capture began.
  @Test func unknownAddresses() {
    func data(_ handle: UInt8) -> TestRecord {
      TestRecord(
        bytes: hex("02 \(handle == 40 ? "40" : "41") 20 07 00 03 00 04 00 0a 03 00"),
        direction: .received)
    }
    #expect(
      print([data(40), data(41)]) == """
        no device was heard advertising; 2 devices connected

        unknown address, connection 1 (handle 0x0040), not heard advertising
        unknown address, connection 2 (handle 0x0041), not heard advertising

        """)
  }

  @Test func moreThanAreRemembered() {
    var limits = Limits()
    limits.listedAdvertisers = 1
    let text = print([heard([]), heard([], address: "55 44 33 22 11 c1")], limits: limits)
    #expect(text.hasPrefix("1 advertiser, 1 report; 1 more, heard earlier, not remembered\n"))
  }
}
