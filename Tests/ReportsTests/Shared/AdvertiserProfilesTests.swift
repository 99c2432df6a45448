import Bluetooth
import Bytes
import Decoders
import Sessions
import Testing

@testable import Reports

/// Definitions of advertisements that need the advertiser's name, or its address in the data.
@Suite("Profiles of certain advertisers")
struct AdvertiserProfilesTests {
  /// Returns an LE Advertising Report (Core, Vol 4, Part E, 7.7.65.2) of the random address
  /// F1:E2:D3:C4:B5:xx: ADV_IND (0) or SCAN_RSP (4), with one AD structure.
  private static func report(
    _ structure: [UInt8], from last: UInt8 = 0xa6, type: UInt8 = 0
  ) -> TestRecord {
    let data = [UInt8(structure.count)] + structure
    let parameters: [UInt8] =
      [2, 1, type, 1, last, 0xb5, 0xc4, 0xd3, 0xe2, 0xf1, UInt8(data.count)] + data + [0xc0]
    return TestRecord(
      bytes: [4, 0x3e, UInt8(parameters.count)] + parameters, direction: .received)
  }

  private static func name(_ name: String, from last: UInt8 = 0xa6) -> TestRecord {
    report([0x09] + Array(name.utf8), from: last, type: 4)
  }

  /// Manufacturer data of company 0xeeee, which has no definition.
  private static let data = report([0xff, 0xee, 0xee, 1, 2, 3])

  /// Returns profiles with one definition without fields.
  private static func profiles(
    _ kind: Subject.Kind, _ number: UInt16, _ limit: (inout Subject) -> Void
  ) throws -> SuppliedProfiles {
    var subject = Subject(kind, BluetoothUUID(number))
    limit(&subject)
    var profiles = SuppliedProfiles()
    profiles.definitions = [
      try #require(
        Definition(subject, profile: "trial", name: "Trial Thing", Definition.Tables()))
    ]
    return profiles
  }

  private static let subjects: [(Subject.Kind, UInt16)] = [
    (.company, 0xeeee), (.advertisingData, 0xff),
  ]

  // MARK: Names

  @Test("A name in a scan response counts from then on", arguments: subjects)
  func scanResponse(_ kind: Subject.Kind, _ number: UInt16) throws {
    var options = ShowOptions()
    options.profiles = try Self.profiles(kind, number) { $0.device = "Tiny T*" }
    let records = [Self.data, Self.name("Tiny T7"), Self.data]
    let lines = Rendering.text(records, options).split(separator: "\n")
      .filter { $0.contains("0xeeee") }
    #expect(lines.count == 2)
    #expect(lines.map { $0.contains("Trial Thing") } == [false, true], "\(lines)")
    let json = Rendering.json(records, options)
    #expect(
      json.split(separator: "\n").count { $0.contains(#""profile":"trial""#) } == 1, "\(json)")
    options.isVerbose = true
    let verbose = Rendering.text(records, options)
    #expect(
      verbose.split(separator: "\n").count { $0.contains(#"name: "Trial Thing""#) } == 1,
      "\(verbose)")
  }

  @Test("Other names, and names of other devices, do not count")
  func otherNames() throws {
    var options = ShowOptions()
    options.profiles = try Self.profiles(.company, 0xeeee) { $0.device = "Tiny T*" }
    for name in [Self.name("Tiny"), Self.name("Tiny T7", from: 0xa7)] {
      let text = Rendering.text([name, Self.data], options)
      #expect(!text.contains("Trial Thing"), "\(text)")
    }
  }

  @Test("devices knows the names of the whole capture")
  func devices() throws {
    var options = DevicesOptions()
    options.show.profiles = try Self.profiles(.company, 0xeeee) { $0.device = "Tiny T*" }
    var source = RecordList([Self.data, Self.name("Tiny T7")])
    var report = DevicesReport(options, source.summary)
    let text = Rendering.run(&source, &report)
    #expect(text.contains("company 0xeeee: Trial Thing"), "\(text)")
  }

  @Test("values and profiles match know the names so far", arguments: subjects)
  func values(_ kind: Subject.Kind, _ number: UInt16) throws {
    var options = ValuesOptions()
    options.profiles = try Self.profiles(kind, number) { $0.device = "Tiny T*" }
    var source = RecordList([Self.data, Self.name("Tiny T7"), Self.data])
    var matches = ProfileMatches(options)
    let text = Rendering.run(&source, &matches)
    #expect(text.contains("2 values"), "\(text)")
    #expect(text.contains("trial (1)"), "\(text)")
  }

  // MARK: Addresses

  private static let address: [UInt8] = [0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6]

  @Test(
    "The sender's address in the data counts in either byte order, at its offset",
    arguments: [
      ([1] + address, true), ([1] + address.reversed(), true), (address + [1], false),
      ([1] + address.dropLast() + [0xa7], false), ([1] + address.dropLast(), false), ([], false),
    ] as [([UInt8], Bool)])
  func ownAddress(_ data: [UInt8], _ fits: Bool) throws {
    var options = ShowOptions()
    options.profiles = try Self.profiles(.company, 0xeeee) { $0.ownAddress = 1 }
    let records = [Self.report([0xff, 0xee, 0xee] + data)]
    #expect(Rendering.text(records, options).contains("Trial Thing") == fits)
    #expect(Rendering.json(records, options).contains(#""profile":"trial""#) == fits)
    var values = ValuesOptions()
    values.profiles = options.profiles
    var source = RecordList(records)
    var matches = ProfileMatches(values)
    #expect(Rendering.run(&source, &matches).contains("trial") == fits)
  }

  @Test("A subject with an offset is stored and ranks before one without, whatever the offset")
  func stored() throws {
    var plain = Subject(.company, BluetoothUUID(0xeeee))
    plain.match = [1, 2, 3]
    for offset in [0, 1, 248, Int.max] {
      var subject = Subject(.company, BluetoothUUID(0xeeee))
      subject.ownAddress = min(offset, Int.max - 2)
      var writer = TableWriter()
      subject.write(&writer)
      var reader = TableReader(writer.bytes)
      #expect(Subject(&reader) == subject)
      #expect(subject.specificity > plain.specificity)
      let bytes: [UInt8] = [1, 2]
      let fits = subject.fits(sender: DeviceAddress(value: 0x0102), bytes.bytes)
      #expect(!fits)
    }
  }
}
