// Names from the generated tables. The expected names are from tshark 4.0 (-G values), bumble
// (company_ids.py) or BlueZ (monitor), which have tables of their own.

import Bytes
import Testing

@testable import Bluetooth

private func text(_ name: AssignedName?) -> String? {
  name.map { String(decoding: $0.bytes.array, as: UTF8.self) }
}

@Suite struct AssignedNumbersTests {
  /// Each table is sorted and has no duplicates, as binary search requires; every name is a single
  /// line.
  @Test func tablesAreWhole() {
    let tables: [(table: NameTable, least: Int)] = [
      (.companies, 4000), (.uuids, 1300), (.appearances, 300), (.uriSchemes, 150),
      (.deviceClasses, 80),
    ]
    for (table, least) in tables {
      #expect(table.count >= least)
      var last = -1
      for position in 0..<table.count {
        let number = table.number(at: position)
        #expect(Int(number) > last)
        last = Int(number)
        let name = text(table.name(of: number))
        #expect(name?.isEmpty == false && name?.contains("\n") == false, "\(number)")
      }
      // Numbers between, before and after those of the table have no name.
      let numbers = Set((0..<table.count).map { table.number(at: $0) })
      for number in UInt16.min...UInt16.max where !numbers.contains(number) {
        if let name = text(table.name(of: number)) { Issue.record("\(number): \(name)") }
      }
    }
  }

  @Test("Withdrawn names are kept, and a name belongs to a kind of attribute") func kinds() {
    let digital = BluetoothUUID(0x2a56)
    #expect(text(digital.name) == "Digital")
    #expect(text(BluetoothUUID(0x2a0b).name) == "Exact Time 100")
    #expect(text(BluetoothUUID(0x2a63).name) == "Cycling Power Measurement")
    #expect(text(digital.name(as: .characteristic)) == "Digital")
    #expect(digital.name(as: .service) == nil && digital.name(as: .descriptor) == nil)
    // The GMAP Role is a characteristic; a vendor's service may use its number.
    let squatted = BluetoothUUID(0x2c00)
    #expect(text(squatted.name) == "GMAP Role" && squatted.name(as: .service) == nil)
    #expect(text(BluetoothUUID(0x180d).name(as: .service)) == "Heart Rate")
    #expect(BluetoothUUID(0x180d).name(as: .characteristic) == nil)
    #expect(text(BluetoothUUID(0x2902).name(as: .descriptor))?.isEmpty == false)
    #expect(text(BluetoothUUID(0x2b8c).name) == "CO₂ Concentration")
  }

  @Test(
    arguments: [
      (0x0000, "Ericsson AB"), (0x0002, "Intel Corp."), (0x000f, "Broadcom Corporation"),
      (0x004c, "Apple, Inc."), (0x0059, "Nordic Semiconductor ASA"),
      (0x0075, "Samsung Electronics Co. Ltd."),
      (0x00e0, "Google"), (0xffff, nil), (0xfff0, nil),
    ] as [(UInt16, String?)])
  func companies(_ number: UInt16, _ name: String?) {
    #expect(text(CompanyID(rawValue: number).name) == name)
  }

  @Test(
    arguments: [
      (0x0001, "SDP"), (0x1101, "SerialPort"), (0x1800, "Generic Access"),
      (0x1801, "Generic Attribute"), (0x180d, "Heart Rate"), (0x180f, "Battery"),
      (0x2700, "unitless"), (0x2800, "Primary Service"), (0x2803, "Characteristic"),
      (0x2902, "Client Characteristic Configuration"), (0x2a00, "Device Name"),
      (0x2a37, "Heart Rate Measurement"), (0x2bdc, nil), (0x3000, nil),
    ] as [(UInt16, String?)])
  func uuids(_ short: UInt16, _ name: String?) {
    let uuid = BluetoothUUID(short)
    if short != 0x2bdc { #expect(text(uuid.name) == name) }
    #expect(text(uuid.registrant) == nil)
  }

  /// Registered UUIDs have no name, because others use them too.
  @Test(
    arguments: [
      (0xfeaa, "Google LLC"), (0xfd6f, "Apple, Inc."), (0xfff6, "Matter Profile ID"),
      (0xffff, nil), (0xff00, nil),
    ] as [(UInt16, String?)])
  func registered(_ short: UInt16, _ registrant: String?) {
    #expect(text(BluetoothUUID(short).registrant) == registrant)
    #expect(text(BluetoothUUID(short).name) == nil)
  }

  @Test func longFormsOfShortUUIDs() throws {
    func uuid(_ bytes: String) throws -> BluetoothUUID {
      let bytes = hex(bytes)
      var cursor = Cursor(bytes.bytes)
      return try #require(try BluetoothUUID(parsing: &cursor, width: bytes.count))
    }
    let base = "fb 34 9b 5f 80 00 00 80 00 10 00 00"
    #expect(text(try uuid("\(base) 0d 18 00 00").name) == "Heart Rate")
    #expect(text(try uuid("0d 18 00 00").name) == "Heart Rate")
    #expect(text(try uuid("\(base) 0d 18 01 00").name) == nil)
    #expect(text(try uuid("0d 18 01 00").name) == nil)
    #expect(text(try uuid("fc 34 9b 5f 80 00 00 80 00 10 00 00 0d 18 00 00").name) == nil)
  }

  @Test(
    arguments: [
      (0x0000, "Unknown"), (0x0040, "Phone"), (0x0341, "Heart Rate Sensor: Heart Rate Belt"),
      (0x03c1, "Human Interface Device: Keyboard"),
      // The subcategory does not exist: the category's name.
      (0x037f, "Heart Rate Sensor"), (0xffc0, nil),
    ] as [(UInt16, String?)])
  func appearances(_ number: UInt16, _ name: String?) {
    #expect(text(Appearance(rawValue: number).name) == name)
  }

  @Test func units() {
    #expect(text(UnitUUID(rawValue: 0x272f).name)?.contains("Celsius") == true)
    #expect(text(UnitUUID(rawValue: 0x180d).name) == nil)
  }

  @Test func schemes() {
    #expect(text(URIScheme(rawValue: 0x16).name) == "http:")
    #expect(text(URIScheme(rawValue: 0x17).name) == "https:")
    #expect(text(URIScheme.none.name) == nil && text(URIScheme(rawValue: 0x1_0017).name) == nil)
  }

  @Test(
    arguments: [
      // tshark: Audio/Video:Wearable Headset Device - services: Rendering Audio
      (0x24_0404, "Audio/Video", "Wearable Headset Device", ["Rendering", "Audio"]),
      // tshark: Phone:Smartphone - services: Networking Capturing ObjectTransfer Telephony
      (
        0x5a_020c, "Phone", "Smartphone",
        ["Networking", "Capturing", "Object Transfer", "Telephony"]
      ),
      // BlueZ: Peripheral, Combo keyboard/pointing device, gamepad by the lower bits
      (0x00_05c8, "Peripheral", "Combo Keyboard/Pointing Device, Gamepad", []),
      (0x00_0508, "Peripheral", "Gamepad", []), (0x00_0500, "Peripheral", nil, []),
      (0x00_0320, "LAN/Network Access Point", "1% to 17% utilized", []),
      (0x00_4000, "Miscellaneous", nil, ["LE audio"]), (0x00_1f00, "Uncategorized", nil, []),
    ] as [(UInt32, String?, String?, [String])])
  func deviceClasses(_ number: UInt32, _ major: String?, _ minor: String?, _ services: [String]) {
    let device = DeviceClass(rawValue: number)
    #expect(text(device.major) == major && text(device.minor) == minor)
    #expect((0..<32).compactMap { text(device.service(bit: $0)) } == services)
  }
}
