// The output of `values`, `info` and `devices` about advertised data: with changing addresses, and
// of the captured host itself.

import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Reports

private func values(_ records: [TestRecord], _ form: ValueLines.Form? = nil) -> String {
  var source = RecordList(
    records.enumerated().map { index, record in
      var record = record
      record.time = Timestamp(seconds: 1_700_000_000 + Int64(index), nanoseconds: 0)
      return record
    })
  if let form {
    var report = ValueLines(ValuesOptions(), form, source.summary)
    return Rendering.run(&source, &report)
  }
  var report = ValuesReport(ValuesOptions())
  return Rendering.run(&source, &report)
}

private func info(_ records: [TestRecord]) -> String {
  var source = RecordList(records)
  var report = InfoReport("capture", source.summary, json: true, glyphs: .utf8)
  return Rendering.run(&source, &report)
}

private func devices(_ records: [TestRecord], json: Bool = false) -> String {
  var options = DevicesOptions()
  options.isJSON = json
  var source = RecordList(records)
  var report = DevicesReport(options, source.summary)
  return Rendering.run(&source, &report)
}

private func sent(_ text: String) -> TestRecord { TestRecord(bytes: hex(text)) }

/// Returns an LE Advertising Report, ADV_IND from a random address, -60 dBm, of service data fff7
/// with one byte.
private func battery(_ level: String, from address: String) -> TestRecord {
  received("04 3e 11 02 01 00 01 \(address) 05 04 16 f7 ff \(level) c4")
}

/// Two resolvable addresses of one key: the sample of Core, Vol 3, Part H, D.7 (70:81:94:0D:FB:AA),
/// and that of the random part 41:02:03, made with OpenSSL's AES-128.
private let first = "aa fb 0d 94 81 70"
private let second = "16 d7 34 03 02 41"
/// LE Add Device To Resolving List: random static C0:11:22:33:44:55 and that key, then its
/// response.
private let key = [
  sent(
    "01 27 20 27 01 55 44 33 22 11 c0 9b 7d 39 0a a6 10 10 34 05 ad c8 57 a3 34 02 ec "
      + "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
  received("04 0e 04 01 27 20 00"),
]

@Suite("Advertised values")
struct AdvertisedValuesTests {
  @Test(
    "Several addresses of one identity are one series, wherever the key is", arguments: 0...2)
  func resolved(_ place: Int) {
    var records = [
      battery("64", from: first), battery("63", from: first), battery("62", from: second),
      battery("61", from: second),
    ]
    records.insert(contentsOf: key, at: 2 * place)
    let text = values(records)
    #expect(
      text.contains("C0:11:22:33:44:55  as 70:81:94:0D:FB:AA, 41:02:03:34:D7:16; advertising"),
      "key \(place)\n\(text)")
    #expect(
      text.contains("advertised      4") && text.contains("64 → 61, all different"), "\(text)")
    #expect(text.contains("█▆▃▁  97…100 if uint8"), "\(text)")
    #expect(info(records).contains(#""advertisers":{"count":1,"reports":4}"#), "\(info(records))")
  }

  @Test("The identity is with each value that came after its key")
  func identity() {
    let records = [battery("64", from: first)] + key + [battery("63", from: second)]
    let json = values(records, .json).split(separator: "\n")
    #expect(json.map { $0.contains(#""identity":"C0:11:22:33:44:55""#) } == [false, true])
    let csv = values(records, .csv).split(separator: "\n")
    #expect(
      csv.map { $0.hasSuffix(",C0:11:22:33:44:55") } == [false, false, true], "\(csv)")
    #expect(csv[0].hasSuffix(",identity"))
  }

  @Test("A connection that ended before its peer's key came belongs to the identity")
  func connection() {
    let records =
      [
        received(
          "04 3e 13 01 00 40 00 00 01 \(first) 18 00 00 00 48 00 00"),
        received("04 05 04 00 40 00 13"),
      ] + key
    #expect(
      info(records).contains(#""peer_type":"random_resolvable","identity":"C0:11:22:33:44:55""#))
  }

  // MARK: This host

  /// Returns LE Set Advertising Data with service data 1802: 64, in 31 bytes, and its response.
  private func set(_ level: String, status: String = "00") -> [TestRecord] {
    [
      sent(
        "01 08 20 20 05 04 16 02 18 \(level)" + String(repeating: " 00", count: 26)),
      received("04 0e 04 01 08 20 \(status)"),
    ]
  }

  @Test(
    "This host's advertising is its own series; refused data was not advertised")
  func own() {
    let text = values(set("64") + set("63") + set("00", status: "0c"))
    #expect(
      text == """
          attribute                     operation   count  packets  first → last
        this host  advertising
          service 1802 Immediate Alert  advertised      2  #1–#3    64 → 63

        """)
    let json = values(set("64"), .json)
    #expect(
      json.contains(#""server":"local","uuid":"1802","operation":"advertisement""#), "\(json)")
    #expect(json.contains(#""direction":"sent","value":"64","response":2"#), "\(json)")
    #expect(values(set("64"), .text).contains("this host service 1802 Immediate Alert  64"))
    // The response is missing, so the command may have succeeded.
    #expect(values([set("64")[0]]).contains("advertised      1"))
  }

  @Test("Data in several commands is one value, and each extended set has its own")
  func ownParts() {
    // Operations 1 first, 2 last: 05 16 0f 18 | 64 65.
    let records = [
      sent("01 37 20 08 01 01 00 04 05 16 0f 18"), received("04 0e 04 01 37 20 00"),
      sent("01 37 20 06 01 02 00 02 64 65"), received("04 0e 04 01 37 20 00"),
    ]
    let json = values(records, .json)
    #expect(json.contains(#""packet":3"#) && json.contains(#""value":"6465""#), "\(json)")
    #expect(json.split(separator: "\n").count == 1)
  }

  /// The packets between the first part (`ownParts`) and the last.
  @Test("Parts that other packets separate are not a value", arguments: 0...4)
  func ownPartsApart(_ index: Int) {
    let between: [[TestRecord]] = [
      [],
      // An intermediate part, operation 0, without its data in the capture.
      [
        TestRecord(bytes: hex("01 37 20 06 01"), missing: 5), received("04 0e 04 01 37 20 00"),
      ],
      // LE Remove Advertising Set.
      [sent("01 3c 20 01 01"), received("04 0e 04 01 3c 20 00")],
      // Reset.
      [sent("01 03 0c 00"), received("04 0e 04 01 03 0c 00")],
      // The Linux monitor's Close Index.
      [TestRecord(bytes: [], framing: .monitor(opcode: 9))],
    ]
    let records =
      [
        sent("01 37 20 08 01 01 00 04 05 16 0f 18"), received("04 0e 04 01 37 20 00"),
      ] + between[index] + [
        sent("01 37 20 06 01 02 00 02 64 65"), received("04 0e 04 01 37 20 00"),
      ]
    let json = values(records, .json)
    #expect(json.contains(#""value":"6465""#) == (index == 0), "\(index): \(json)")
  }

  /// Add Advertising of instance 1, connectable, with manufacturer data 0x0059: 01 02, a scan
  /// response with service data 180f: 64, and its Command Complete (BlueZ, doc/mgmt-protocol.rst).
  private let instance = [
    TestRecord(
      bytes: hex("01 00 00 00 3e 00 01 01 00 00 00 00 00 00 00 06 05")
        + hex("05 ff 59 00 01 02 04 16 0f 18 64"), framing: .monitor(opcode: 16)),
    TestRecord(
      bytes: hex("01 00 00 00 01 00 3e 00 00 01"), direction: .received,
      framing: .monitor(opcode: 17)),
  ]

  @Test("Requests to the kernel count only if the commands to the controller are missing")
  func kernel() {
    let text = values(instance)
    #expect(text.contains("company 0x0059 Nordic Semiconductor ASA  advertised"), "\(text)")
    #expect(text.contains("service 180f Battery") && text.hasPrefix("  "), "\(text)")
    #expect(!values(set("64") + instance).contains("0x0059"))
    let listed = devices(instance)
    #expect(
      listed.contains(
        """
        this host  as asked of the kernel (MGMT), connectable, instance 1
          on since #1, 0 ms, still on at the end

        """), "\(listed)")
    #expect(listed.contains("#1     advertisement  6 of 31 bytes"), "\(listed)")
    let json = devices(instance, json: true)
    #expect(
      json.contains(#""this_host":true,"adapter":0,"commands":"mgmt","advertising_handle":1"#))
    #expect(!devices(set("64") + instance).contains("kernel"))
    // Advertising Removed: instance 1.
    let removed = TestRecord(
      bytes: hex("00 00 00 00 24 00 01"), direction: .received, framing: .monitor(opcode: 17))
    #expect(devices(instance + [removed]).contains("on #1–#3, 0 ms\n"))
  }

  // MARK: Reports are the same everywhere

  @Test("info and devices agree on what is a report")
  func reports() {
    // The first part of a two-part advertisement counts; a BIGInfo report is not an advertisement.
    let part = "00 01 55 44 33 22 11 c0 01 02 03 7f c4 00 00 00 00 00 00 00 00 00"
    let records = [
      received("04 3e 1d 0d 01 20 \(part) 03 02 01 06"),
      received("04 3e 1d 0d 01 00 \(part) 03 02 0a 04"), battery("64", from: first),
      received("04 3e 14 22" + String(repeating: " 00", count: 19)),
    ]
    let text = devices(records)
    #expect(text.hasPrefix("2 advertisers, 2 reports\n"), "\(text)")
    #expect(info(records).contains(#""advertisers":{"count":2,"reports":2}"#), "\(info(records))")
  }
}
