// Advertising data as text and JSON: names of numbers, hostile strings, periodic reports.

import Bluetooth
import Captures
import Testing

@testable import Reports

/// Returns an LE Advertising Report with this data, received.
private func legacy(_ data: [UInt8], event: UInt8 = 0) -> TestRecord {
  let report = [event, 1] + hex("55 44 33 22 11 c0") + [UInt8(data.count)] + data + [0xc4]
  return received([4, 0x3e, UInt8(report.count + 2), 2, 1] + report)
}

private func received(_ bytes: [UInt8]) -> TestRecord {
  TestRecord(bytes: bytes, direction: .received)
}

/// Returns one AD structure.
private func structure(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
  [UInt8(data.count + 1), type] + data
}

/// Returns the line of the last record.
private func line(_ records: TestRecord...) -> String {
  String(Rendering.text(records).split(separator: "\n").last ?? "")
}

/// Returns the first AD structure in the JSON of an advertisement with this data.
private func field(_ data: [UInt8]) -> String {
  let json = Rendering.json([legacy(data)])
  guard let start = json.range(of: "\"fields\":["), let end = json.range(of: "]}],\"summary\"")
  else { return json }
  return String(json[start.upperBound..<end.lowerBound])
}

extension String {
  /// Returns the first position of `text`.
  fileprivate func range(of text: String) -> Range<String.Index>? { ranges(of: text).first }
}

/// Lines about several things: devices of one event, attributes of one PDU.
@Suite struct SeveralWordingTests {
  private func words(_ records: [TestRecord]) -> String {
    let line = Rendering.text(records).split(separator: "\n").last ?? ""
    return line.split(separator: " ").drop { $0 != "→" && $0 != "←" }.dropFirst()
      .joined(separator: " ")
  }

  /// Inquiry Result with RSSI: 4 devices; address, mode, reserved byte, class, clock offset, RSSI
  /// each.
  @Test func inquiry() {
    var devices: [UInt8] = []
    for device in UInt8(1)...4 {
      devices += [device, 0, 0, 0, 0xee, 0xff, 1, 0, 4, 4, 0x24, 0, 0, 0xc4]
    }
    let event: [UInt8] = [4, 0x22, UInt8(devices.count + 1), 4] + devices
    #expect(
      words([TestRecord(bytes: event, direction: .received)])
        == "Inquiry Result with RSSI responses 4: FF:EE:00:00:00:01, class 0x240404 Wearable Headset Device, "
        + "-60 dBm; FF:EE:00:00:00:02, class 0x240404 Wearable Headset Device, -60 dBm; "
        + "FF:EE:00:00:00:03, class 0x240404 Wearable Headset Device, -60 dBm; and 1 more")
  }

  /// LE Advertising Report: 4 reports, two with a name.
  @Test func reports() {
    var reports: [UInt8] = []
    for device in UInt8(1)...4 {
      let name: [UInt8] = device % 2 == 1 ? [3, 9, 0x41, 0x40 + device] : []
      reports += [0, 1, device, 0, 0, 0, 0xee, 0xff, UInt8(name.count)] + name + [0xc4]
    }
    let event: [UInt8] = [4, 0x3e, UInt8(reports.count + 2), 2, 4] + reports
    #expect(
      words([TestRecord(bytes: event, direction: .received)])
        == #"Advertising FF:EE:00:00:00:01 -60 dBm, random static, ADV_IND, "AA"; FF:EE:00:00:00:02, "#
        + #"-60 dBm; FF:EE:00:00:00:03, -60 dBm "AC"; and 1 more"#)
  }

  /// A Multiple Handle Value Notification: two values whose attributes were discovered (2a37, and
  /// 2a19 twice), one of an unknown attribute, one that is empty.
  @Test func notifications() {
    let records = [
      acl(hex("08 01 00 ff ff 03 28"), sent: true),
      acl(
        hex("09 07 02 00 10 03 00 37 2a 05 00 10 06 00 19 2a 08 00 10 09 00 19 2a"), sent: false),
      acl(hex("23 03 00 02 00 06 48 06 00 01 00 64 0c 00 01 00 ff 09 00 00 00"), sent: false),
    ]
    #expect(
      words(records)
        == "Multiple Notification 2a37 Heart Rate Measurement 72 bpm, contact detected, "
        + "2a19 Battery Level (0x0006) 100 %, 0x000c ff, 2a19 Battery Level (0x0009) (empty)")
    let json = Rendering.json(records).split(separator: "\n").last ?? ""
    #expect(
      json.contains(
        #""items":[{"handle":"0x0003","uuid":"2a37","name":"Heart Rate Measurement","value":"0648","decoded":{"#
      ),
      "\(json)")
    #expect(json.contains(#"{"handle":"0x000c","value":"ff"}"#), "\(json)")
  }
}

@Suite struct AdvertisingWordsTests {
  @Test(
    arguments: [
      ("03 03 0d 18", "180d Heart Rate"), ("05 02 0d 18 0f 18", "180d Heart Rate, 180f Battery"),
      ("03 03 aa fe", "feaa (registered: Google LLC)"), ("03 03 01 ff", "ff01"),
      ("05 16 aa fe 00 e8", "feaa (registered: Google LLC) data 00 e8"),
      ("05 ff 59 00 01 02", "company 0x0059 Nordic Semiconductor ASA data 01 02"),
      ("05 ff fe ff 01 02", "company 0xfffe data 01 02"),
      ("03 19 41 03", "appearance 0x0341 Heart Rate Sensor: Heart Rate Belt"),
      ("04 0d 04 04 24", "class 0x240404 Wearable Headset Device"), ("02 0a f4", "sent at -12 dBm"),
      ("05 24 17 2f 2f 61", "\"https://a\""), ("05 24 01 61 3a 62", "\"a:b\""),
      ("05 12 18 00 28 00", "prefers interval 30–50 ms"),
      ("05 12 18 00 18 00", "prefers interval 30 ms"),
      ("05 12 ff ff 28 00", "prefers interval of at most 50 ms"),
      ("05 12 18 00 ff ff", "prefers interval of at least 30 ms"),
      ("09 02 00 00 00 00 00 00 0d 18", "0000 (3 times), 180d Heart Rate"),
      ("05 02 0d 18 0d 18", "180d Heart Rate (2 times)"),
      ("00 00 00", "no data"), ("02 01 06 00 00", "general discoverable, LE only"),
      ("00 02 01 06", "no data  ⚠ 3 bytes are left over"),
      ("02 1c 02", "role: Peripheral preferred"), ("03 98 01 02", "type 0x98 01 02"),
      ("01 98", "type 0x98"), ("01 01", "flags"), ("03 16 0f 18", "180f Battery"),
      ("03 ff 59 00", "company 0x0059 Nordic Semiconductor ASA"),
      ("03 0a 01 02", "Tx Power Level 01 02  ⚠ 1 byte is left over"),
      ("02 19 41", "Appearance 41  ⚠ too short: the next field has 2 bytes, 1 is left"),
    ])
  func structures(_ data: String, _ words: String) {
    let text = line(legacy(hex(data)))
    #expect(text.hasSuffix(" -60 dBm, random static, ADV_IND, " + words), "\(text)")
  }

  /// A terminal may cut the line: first comes the device, then its services, then the rest.
  @Test func whatMattersComesFirst() {
    let data =
      structure(0x01, [6]) + structure(0x0a, [0xf4]) + structure(0xff, [0x59, 0, 1])
      + structure(0x03, [0x0d, 0x18]) + structure(0x09, Array("gatt".utf8)) + [9, 0x16, 0x0f]
    let text = line(legacy(data))
    #expect(
      text.contains(
        "ADV_IND, \"gatt\"; company 0x0059 Nordic Semiconductor ASA data 01; 180d Heart Rate; "
          + "general discoverable, LE only; sent at -12 dBm; broken: 09 16 0f"), "\(text)")
    // In received order where only the order matters.
    let json = Rendering.json([legacy(data)])
    let types = json.ranges(of: "\"type\":\"0x").map { json[$0.upperBound...].prefix(2) }
    #expect(types == ["01", "0a", "ff", "03", "09"], "\(json)")
  }

  @Test(
    arguments: [
      ("03 03 0d 18", #""name":"Complete List of 16-bit Service Class UUIDs","uuids":["180d"]"#),
      (
        "04 16 0f 18 64",
        #""value":{"uuid":"180f","name":"Battery","data":"64"}"#
      ),
      ("04 16 aa fe 00", #""value":{"uuid":"feaa","registered_to":"Google LLC","data":"00"}"#),
      (
        "04 ff 4c 00 10",
        #""value":{"company":{"code":"0x004c","name":"Apple, Inc."},"data":"10"}"#
      ),
      ("04 ff fe ff 10", #""value":{"company":{"code":"0xfffe"},"data":"10"}"#),
      ("02 0a f4", #""value":{"tx_power_dbm":-12}"#),
      ("03 19 41 03", #""value":{"code":"0x0341","name":"Heart Rate Sensor: Heart Rate Belt"}"#),
      ("05 24 17 2f 2f 61", #""text":"https://a""#),
      ("03 98 01 02", #"{"type":"0x98","data":"0102"}"#),
      ("05 12 ff ff 28 00", #""value":{"connection_interval_max_ms":50}"#),
      ("02 19 41", #""name":"Appearance","data":"41"}"#),
      ("04 03 0d 18 0f", #""uuids":["180d"],"data":"0f"}"#),
      ("03 01 06 80", #"BR/EDR Not Supported"]},"data":"80"}"#),
    ])
  func fields(_ data: String, _ json: String) {
    #expect(field(hex(data)).contains(json), "\(field(hex(data)))")
  }

  /// Text over the air never reaches a terminal unescaped.
  @Test(
    arguments: [
      [0x1b, 0x5b, 0x32, 0x4a], [0x0a], [0x22], [0xe2, 0x80, 0xae], [0xff, 0xc3], [0x00],
    ] as [[UInt8]])
  func hostileStrings(_ bytes: [UInt8]) {
    for data in [
      structure(9, bytes), structure(8, bytes), structure(0x30, bytes),
      structure(0x24, [0x17] + bytes), structure(0x24, bytes),
    ] {
      let text = line(legacy(data))
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e }, "\(text)")
      let json = Rendering.json([legacy(data)])
      #expect(!json.dropLast().unicodeScalars.contains { $0.value < 0x20 }, "\(json)")
      #expect(json.split(separator: "\n").count == 1)
    }
  }

  @Test func secretsStayHidden() {
    let key = [UInt8](repeating: 0x5a, count: 16)
    for type in [0x0e, 0x0f, 0x10, 0x1d, 0x1e, 0x22, 0x23, 0x2d] as [UInt8] {
      // With a correct length, and with wrong ones.
      for count in [16, 15, 12] {
        let record = legacy(structure(type, Array(key.prefix(count))))
        #expect(!Rendering.text([record]).contains("5a 5a"), "\(type), \(count)")
        #expect(!Rendering.json([record]).contains("5a5a"), "\(type), \(count)")
      }
    }
  }

  // MARK: Trains

  private let sync = received(hex("04 3e 10 0e 00 01 00 03 01 55 44 33 22 11 c0 01 50 00 00"))

  @Test func trainsHaveTheirAdvertiser() {
    let report = received(hex("04 3e 0e 25 01 00 7f c4 ff 05 00 02 00 03 02 01 06"))
    #expect(
      line(sync, report).hasSuffix(
        "C0:11:22:33:44:55     -60 dBm, random static, SID 3, subevent 2, "
          + "general discoverable, LE only"), "\(line(sync, report))")
    #expect(line(report).contains("sync 0x0001"))
    let json = Rendering.json([sync, report])
    #expect(
      json.contains(
        #"{"address":"C0:11:22:33:44:55","address_type":"random_static","event":"periodic","#
          + #""sync_handle":"0x0001","subevent":2,"event_counter":5,"rssi_dbm":-60,"sid":3,"#),
      "\(json)")
  }

  /// After a failed attempt the other parameters have no meaning.
  @Test func trainsThatWereNotFound() {
    let failed = received(hex("04 3e 10 0e 44 00 00 00 00 00 00 00 00 00 00 00 00 00 00"))
    #expect(
      line(failed).hasSuffix("Operation Cancelled by Host (0x44)"),
      "\(line(failed))")
    #expect(Rendering.json([failed]).contains(#""sync_handle":"0x0000""#))
  }

  @Test func bigInfoHasItsAdvertiser() {
    let report = received(
      hex("04 3e 14 22 01 00 02 04 08 00 02 00 02 64 00 10 27 00 64 00 02 00 01"))
    let text = line(sync, report)
    #expect(text.contains("BIGInfo") && text.contains("C0:11:22:33:44:55"), "\(text)")
    #expect(text.hasSuffix("streams 2, interval 10 ms, encryption On"), "\(text)")
    #expect(Rendering.json([sync, report]).contains(#""event":"big_info","sync_handle":"0x0001""#))
  }

  @Test func responses() {
    let report = received(
      hex("04 3e 14 28 01 02 01 02 f8 c4 ff 03 00 03 02 01 06 7f 7f ff 04 ff 00"))
    let text = line(report)
    #expect(text.contains("Periodic Response  slot 3 "), "\(text)")
    #expect(
      text.hasSuffix(
        "-60 dBm, set 1, subevent 2, which was not sent, general discoverable, "
          + "LE only; slot 4"), "\(text)")
    let json = Rendering.json([report])
    #expect(
      json.contains(
        #""event":"periodic_response","advertising_handle":1,"subevent":2,"sent":false,"#
          + #""response_slot":4,"data_status":"failed""#), "\(json)")
  }

  @Test func aFirstPartThatIsMissing() {
    let report = received(hex("04 3e 0b 0f 01 00 7f c4 ff 00 03 68 65 6c"))
    #expect(
      line(report).hasSuffix(
        "a later part; the first seems to be missing from the capture, 3 bytes"), "\(line(report))")
    let json = Rendering.json([report])
    #expect(json.contains(#""first_part":"missing""#) && !json.contains("problems"), "\(json)")
    #expect(!json.contains("68656c"))
  }

  // MARK: Other places

  @Test func companiesAndServicesElsewhere() {
    let version = received(hex("04 0e 0c 01 01 10 00 0b 00 00 0b 59 00 11 22"))
    #expect(line(version).contains("company 0x0059 Nordic Semiconductor ASA"))
    #expect(
      Rendering.json([version]).contains(
        #""company_identifier":{"code":"0x0059","name":"Nordic Semiconductor ASA"}"#))
    let note = TestRecord(
      bytes: hex("55 44 33 22 11 00 59 00"), framing: .monitor(opcode: 10))
    #expect(line(note).contains("company 0x0059 Nordic Semiconductor ASA"))
    #expect(
      Rendering.json([note]).contains(
        #""manufacturer":"0x0059","manufacturer_name":"Nordic Semiconductor ASA""#))
  }

  @Test func discoveredAttributes() {
    let request = TestRecord(bytes: hex("02 40 00 0b 00 07 00 04 00 08 01 00 ff ff 03 28"))
    let response = received(
      hex("02 40 20 15 00 11 00 04 00 09 07 02 00 10 03 00 37 2a 04 00 02 05 00 aa fe 00"))
    let text = line(request, response)
    #expect(text.contains("0x0003 2a37 Heart Rate Measurement notify"), "\(text)")
    // The registrant of a characteristic's UUID is not in the line.
    #expect(text.contains("0x0005 feaa read"), "\(text)")
    let json = Rendering.json([request, response])
    #expect(
      json.contains(#""uuid":"2a37","name":"Heart Rate Measurement","value_handle":"0x0003""#))
    #expect(json.contains(#""uuid":"feaa","registered_to":"Google LLC""#))
  }

  /// A host's advertising data is printed structure by structure; reports print theirs once.
  @Test func dataOfCommands() {
    let set = TestRecord(
      bytes: hex("01 08 20 20 03 02 0a f4") + [UInt8](repeating: 0, count: 28))
    #expect(
      Rendering.json([set]).contains(
        #""advertising_data":"020af4","advertising_data_fields":[{"type":"0x0a","name":"Tx Power Level","#
          + #""value":{"tx_power_dbm":-12}}]"#), "\(Rendering.json([set]))")
    let inquired =
      hex("04 2f ff 01 66 55 44 33 22 11 01 00 0c 02 5a 00 00 c4 02 0a f4")
      + [UInt8](repeating: 0, count: 237)
    let json = Rendering.json([received(inquired)])
    #expect(json.contains(#""value":{"tx_power_dbm":-12}"#), "\(json)")
    #expect(json.contains(#""class_of_device":{"code":"0x5a020c","name":"Smartphone"}"#), "\(json)")
    #expect(Rendering.json([legacy(hex("02 0a f4"))]).components(of: "tx_power_dbm") == 1)
  }
}

extension String {
  /// Returns the number of occurrences of `text`.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
