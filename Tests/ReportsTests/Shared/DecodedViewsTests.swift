import Bluetooth
import Bytes
import Decoders
import Sessions
import Testing

@testable import Reports

@Suite("Decoded data in every view")
struct DecodedViewsTests {
  // MARK: The advertiser's own address

  /// Returns an LE Advertising Report (Core, Vol 4, Part E, 7.7.65.2): ADV_IND of the random
  /// address F1:E2:D3:C4:B5:A6 with one AD structure.
  private static func report(_ structure: [UInt8]) -> [TestRecord] {
    let data = [UInt8(structure.count)] + structure
    let parameters: [UInt8] =
      [2, 1, 0, 1, 0xa6, 0xb5, 0xc4, 0xd3, 0xe2, 0xf1, UInt8(data.count)] + data + [0xc0]
    return [
      TestRecord(bytes: [4, 0x3e, UInt8(parameters.count)] + parameters, direction: .received)
    ]
  }

  private static let forward: [UInt8] = [0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6]

  @Test(
    "Data that contains the advertiser's own address is marked as such",
    arguments: [
      // Manufacturer data of company 0xffff, whose layout is unknown.
      (
        [0xff, 0xff, 0xff, 9] + forward, ", holds its own address\n",
        #""offset":1,"byte_order":"big"#
      ),
      (
        [0xff, 0xff, 0xff, 9, 8] + forward.reversed() + [7],
        ", holds its own address, last byte first\n", #""offset":2,"byte_order":"little"#
      ),
      // Service data of 0xfff0.
      (
        [0x16, 0xf0, 0xff] + forward, ", holds its own address\n", #""offset":0,"byte_order":"big"#
      ),
    ] as [([UInt8], String, String)])
  func ownAddress(_ structure: [UInt8], _ words: String, _ place: String) {
    let records = Self.report(structure)
    let text = Rendering.text(records)
    #expect(text.contains(words), "\(text)")
    let json = Rendering.json(records)
    #expect(json.contains(#""own_address":{"address":"F1:E2:D3:C4:B5:A6","# + place), "\(json)")
  }

  @Test("Five of its bytes are not the address, nor are zeros")
  func otherBytes() {
    for data in [Array(Self.forward.dropLast()), Array(Self.forward.dropLast()) + [0xa7]] {
      #expect(!Rendering.text(Self.report([0xff, 0xff, 0xff] + data)).contains("own address"))
    }
    let nobody = KnownAdvertiser(address: .zero)
    let zeros = [UInt8](repeating: 0, count: 8)
    #expect(nobody.place(in: zeros.bytes) == nil)
    #expect(KnownAdvertiser().place(in: zeros.bytes) == nil)
  }

  @Test("The identity address counts as well")
  func identity() {
    let identity = DeviceAddress(value: 0xf1e2_d3c4_b5a6)
    let sender = KnownAdvertiser(
      address: DeviceAddress(value: 0x5b11_2233_4455), identity: identity)
    let place = sender.place(in: ([1] + Self.forward).bytes)
    #expect(
      place
        == KnownAdvertiser.Place(address: identity, isIdentity: true, offset: 1, isReversed: false))
    var output = Output()
    output.ownAddress(place)
    #expect(
      String(decoding: output.bytes.array, as: UTF8.self) == ", holds its own identity address")
  }

  @Test("A definition by AD type explains manufacturer data of any company")
  func altBeacon() {
    // AltBeacon, with a company without its own definition.
    let beacon: [UInt8] =
      [0xff, 0x18, 0x01, 0xbe, 0xac] + (0..<16).map { UInt8($0) } + [0, 1, 0, 2, 0xc5, 0]
    let text = Rendering.text(Self.report(beacon))
    #expect(text.contains("AltBeacon"), "\(text)")
    #expect(Rendering.json(Self.report(beacon)).contains(#""profile":"altbeacon""#))
  }

  // MARK: Values of several attributes in one PDU

  /// Declarations: 0x0003 is Battery Level (2a19), 0x0005 Heart Rate Measurement (2a37).
  private static let discovery = [
    acl([0x08, 1, 0, 0xff, 0xff, 0x03, 0x28], sent: true),
    acl([0x09, 7, 2, 0, 0x12, 3, 0, 0x19, 0x2a, 4, 0, 0x10, 5, 0, 0x37, 0x2a], sent: false),
  ]

  @Test("Each value of a Multiple Handle Value Notification is decoded")
  func multipleNotification() {
    let records = Self.discovery + [acl([0x23, 3, 0, 1, 0, 98, 5, 0, 2, 0, 0, 72], sent: false)]
    let text = Rendering.text(records)
    #expect(text.contains("2a19 Battery Level 98 %, 2a37 Heart Rate Measurement 72 bpm"), "\(text)")
    let json = Rendering.json(records)
    #expect(
      json.contains(#""uuid":"2a19","name":"Battery Level","value":"62","decoded":{"#), "\(json)")
    #expect(json.contains(#""text":"72 bpm"}"#), "\(json)")
  }

  @Test("Those of a Read Multiple Variable Response are decoded by the handles of its request")
  func readMultipleVariable() {
    let records =
      Self.discovery + [
        acl([0x20, 5, 0, 3, 0], sent: true), acl([0x21, 2, 0, 0, 72, 1, 0, 98], sent: false),
      ]
    let text = Rendering.text(records)
    #expect(text.contains("2a37 Heart Rate Measurement 72 bpm, 2a19 Battery Level 98 %"), "\(text)")
    let json = Rendering.json(records)
    #expect(json.contains(#""handle":"0x0005","uuid":"2a37""#), "\(json)")
    #expect(json.contains(#""text":"98 %"}"#), "\(json)")
    // Without the request the values' attributes are unknown.
    let alone = Rendering.json(Self.discovery + records.suffix(1))
    #expect(alone.contains(#""items":[{"value":"0048"},{"value":"62"}]"#), "\(alone)")
  }

  // MARK: Statistics

  @Test("A value with an unexpected layout is listed, but left out of the chart")
  func doubtful() {
    let levels: [[UInt8]] = [[80], [79], [78, 1], [77], [255], [76]]
    let records = Self.discovery + levels.map { acl([0x1b, 3, 0] + $0, sent: false) }
    var source = RecordList(records)
    var table = ValuesReport(ValuesOptions())
    let text = Rendering.run(&source, &table)
    #expect(text.contains("76…80 %, median 78 %"), "\(text)")
    #expect(text.contains("2 of 6: wrong layout or checksum"), "\(text)")
    source = RecordList(records)
    var lines = ValueLines(ValuesOptions(), .csv, source.summary)
    let csv = Rendering.run(&source, &lines)
    #expect(csv.contains(#""78 %, 1 byte too many: 01",,"#), "\(csv)")
  }

  // MARK: Profiles

  @Test("The list names every definition, as text and as JSON")
  func list() {
    let list = ProfileList(own: .init(), glyphs: .utf8)
    var text = Output()
    list.writeText(into: &text)
    let lines = String(decoding: text.bytes.array, as: UTF8.self)
    #expect(lines.contains("characteristic 2a37"))
    var json = Output()
    list.writeJSON(into: &json)
    let document = String(decoding: json.bytes.array, as: UTF8.self)
    #expect(document.hasPrefix(#"{"schema":2,"definitions":[{"profile":""#))
    #expect(
      document.contains(
        #"{"profile":"ibeacon","of":"manufacturer_data","company":{"code":"0x004c","name":"Apple, Inc."},"#
          + #""match":"02 15","least_bytes":23,"most_bytes":24,"name":"iBeacon"}"#))
    #expect(document.contains(#""name":"Set Identity Resolving Key","has_secrets":true"#))
    #expect(document.contains(#""applies_to":[{"frame":true}]"#))
  }
}
