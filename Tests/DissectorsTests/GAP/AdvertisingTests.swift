// Advertising reports and their AD structures. The comments show tshark 4.0's decoding of a capture
// with the same bytes.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// Valid events with reports, and the number of reports.
let advertisingFixtures: [(bytes: String, count: Int)] = [
  // Num Reports: 2: Connectable Undirected Advertising, Random c0:11:22:33:44:55, 9 bytes, "gatt",
  // RSSI -60; Scan Response, Public 11:22:33:44:55:66, 7 bytes, "gatts", RSSI 127
  (
    "04 3e 26 02 02 00 01 55 44 33 22 11 c0 09 02 01 06 05 09 67 61 74 74 c4 04 00 66 55 44 33 22 "
      + "11 07 06 08 67 61 74 74 73 7f", 2
  ),
  // ADV_DIRECT_IND; Public 11:22:33:44:55:66, calling (tshark mixes the two up) Random
  // 40:11:22:33:44:55; RSSI -60
  ("04 3e 12 0b 01 01 00 66 55 44 33 22 11 01 55 44 33 22 11 40 c4", 1),
  // 0x0013, Random c0:11:22:33:44:55, LE 1M, none, SID 0xff, TX 127, RSSI 127, "abc"
  (
    "04 3e 1f 0d 01 13 00 01 55 44 33 22 11 c0 01 00 ff 7f 7f 00 00 00 00 00 00 00 00 00 05 04 09 "
      + "61 62 63", 1
  ),
  // 0x0020, Incomplete, more to come; LE 1M, LE 2M, SID 3, TX -12, RSSI -60, 0x0050 (100 msec)
  (
    "04 3e 1d 0d 01 20 00 01 55 44 33 22 11 c0 01 02 03 f4 c4 50 00 00 00 00 00 00 00 00 03 ff 4c "
      + "00", 1
  ),
  // Sync Handle: 0x0001, TX 127, RSSI -60, no CTE, Complete, 020106
  ("04 3e 0b 0f 01 00 7f c4 ff 00 03 02 01 06", 1),
  // By hand, after Core, Vol 4, Part E, 7.7.65.15: version 2 with event counter 5 and subevent 0;
  // truncated
  ("04 3e 0e 25 01 00 7f c4 ff 05 00 00 02 03 02 01 06", 1),
  // BlueZ's monitor: Advertising handle 1, Subevent 2, Tx status 0, responses 2: TX -8, RSSI -60,
  // no CTE, Response slot 3, Complete, 020106; 127, 127, slot 4, failed, nothing
  ("04 3e 14 28 01 02 00 02 f8 c4 ff 03 00 03 02 01 06 7f 7f ff 04 ff 00", 2),
  // Sync Handle: 0x0001, Num BIS 2, NSE 4, ISO Interval 0x0008, BN 2, PTO 0, IRC 2, Max PDU 100,
  // SDU Interval 10000, Max SDU 100, LE 2M, unframed, encrypted
  ("04 3e 14 22 01 00 02 04 08 00 02 00 02 64 00 10 27 00 64 00 02 00 01", 1),
]

/// Returns the readable reports of an H4 event.
func reports(_ bytes: [UInt8]) -> [AdvertisingReport] {
  let dissection = h4(bytes)
  guard let list = AdvertisingReports(event: bytes.bytes, body: dissection.body) else { return [] }
  var cursor = Cursor(bytes.bytes, list.list)
  var all: [AdvertisingReport] = []
  for _ in 0..<list.claimed {
    guard let report = list.next(&cursor) else { break }
    all.append(report)
  }
  return all
}

@Suite struct AdvertisingTests {
  private let random = DeviceAddress(value: 0xc011_2233_4455)
  private let other = DeviceAddress(value: 0x1122_3344_5566)

  private func fixture(_ index: Int) -> [UInt8] { hex(advertisingFixtures[index].bytes) }

  @Test(arguments: advertisingFixtures)
  func nothingIsWrong(_ fixture: (bytes: String, count: Int)) {
    let bytes = hex(fixture.bytes)
    #expect(reports(bytes).count == fixture.count)
    #expect(problems(h4(bytes)) == [])
  }

  @Test func legacy() throws {
    let bytes = fixture(0)
    let all = reports(bytes)
    try #require(all.count == 2)
    #expect(all[0].kind == .legacy && all[0].legacyName?.description == "ADV_IND")
    #expect(all[0].addressType == .random && all[0].address == random && all[0].rssi == -60)
    #expect(words(all[0].data, of: bytes) == "020106050967617474")
    #expect(!all[0].isScanResponse && all[0].dataStatus == .complete && all[0].txPower == nil)
    #expect(all[1].legacyName?.description == "SCAN_RSP" && all[1].isScanResponse)
    #expect(all[1].addressType == .public && all[1].address == other && all[1].rssi == nil)
    #expect(words(all[1].data, of: bytes) == "06086761747473")
  }

  @Test func directed() throws {
    let report = try #require(reports(fixture(1)).first)
    #expect(report.kind == .directed && report.legacyName?.description == "ADV_DIRECT_IND")
    #expect(report.addressType == .public && report.address == other)
    #expect(report.directAddressType == .random)
    #expect(report.directAddress == DeviceAddress(value: 0x4011_2233_4455))
    #expect(report.rssi == -60 && report.data.isEmpty)
  }

  @Test func extendedThatStandsForALegacyOne() throws {
    let report = try #require(reports(fixture(2)).first)
    #expect(report.legacyName?.description == "ADV_IND" && report.dataStatus == .complete)
    #expect(report.rssi == nil && report.txPower == nil)
    #expect(report.primaryPHY == 1 && report.secondaryPHY == 0 && report.sid == 0xff)
    #expect(report.directAddress == nil && report.directAddressType == nil)
  }

  @Test func extended() throws {
    let report = try #require(reports(fixture(3)).first)
    #expect(report.legacyName == nil && report.dataStatus == .incomplete)
    #expect(report.secondaryPHY == 2 && report.sid == 3 && report.periodicInterval == 0x50)
    #expect(report.txPower == -12 && report.rssi == -60)
    #expect(words(report.data, of: fixture(3)) == "ff4c00")
  }

  /// Bit 4 marks a legacy PDU; only these have names.
  @Test(
    arguments: [
      (0x13, "ADV_IND"), (0x15, "ADV_DIRECT_IND"), (0x12, "ADV_SCAN_IND"),
      (0x10, "ADV_NONCONN_IND"),
      (0x1b, "SCAN_RSP"), (0x1a, "SCAN_RSP"), (0x03, nil), (0x05, nil), (0x02, nil), (0x00, nil),
      (0x0a, nil), (0x11, nil), (0x1f, nil),
    ] as [(UInt8, String?)])
  func namesOfExtendedReports(_ type: UInt8, _ name: String?) throws {
    // The data status in bits 5 and 6 does not change the name.
    for status in UInt8(0)..<4 {
      var bytes = fixture(2)
      bytes[5] = type | status << 5
      let report = try #require(reports(bytes).first)
      #expect(report.legacyName?.description == name)
      #expect(report.dataStatus.rawValue == status)
      #expect(report.isScanResponse == (type & 8 != 0))
      #expect((report.directAddress != nil) == (type & 4 != 0))
    }
  }

  @Test func namesOfLegacyReports() throws {
    let names = ["ADV_IND", "ADV_DIRECT_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND", "SCAN_RSP", nil]
    for (type, name) in names.enumerated() {
      var bytes = fixture(0)
      bytes[5] = UInt8(type)
      #expect(try #require(reports(bytes).first).legacyName?.description == name)
    }
    #expect(
      (0..<5).map { "\(AdvertisingReport.propertyKey(bit: $0))" } == [
        "connectable", "scannable", "directed", "scan_response", "legacy",
      ])
  }

  @Test func anonymous() throws {
    var bytes = fixture(3)
    bytes[7] = 0xff
    let report = try #require(reports(bytes).first)
    #expect(report.address == nil && report.addressType == .anonymous)
  }

  @Test func periodic() throws {
    let first = try #require(reports(fixture(4)).first)
    #expect(first.kind == .periodic && first.syncHandle == 1 && first.address == nil)
    #expect(first.txPower == nil && first.rssi == -60 && first.dataStatus == .complete)
    #expect(words(first.data, of: fixture(4)) == "020106" && first.legacyName == nil)
    let second = try #require(reports(fixture(5)).first)
    #expect(second.syncHandle == 1 && second.dataStatus == .truncated && second.rssi == -60)
    #expect(words(second.data, of: fixture(5)) == "020106")
    // 0xff: the subevent was not received.
    var failed = fixture(5)
    failed[12] = 0xff
    #expect(try #require(reports(failed).first).dataStatus == .failed)
    #expect(second.eventCounter == 5 && second.subevent == 0 && second.cteType == 0xff)
    #expect(first.eventCounter == nil && first.subevent == nil)
  }

  @Test func responses() throws {
    let all = reports(fixture(6))
    try #require(all.count == 2)
    for report in all {
      #expect(report.kind == .response && report.advertisingHandle == 1 && report.subevent == 2)
      #expect(report.address == nil && report.syncHandle == nil && report.legacyName == nil)
    }
    #expect(all[0].responseSlot == 3 && all[0].dataStatus == .complete && !all[0].wasNotSent)
    #expect(all[0].txPower == -8 && all[0].rssi == -60)
    #expect(words(all[0].data, of: fixture(6)) == "020106")
    #expect(all[1].responseSlot == 4 && all[1].dataStatus == .failed && all[1].rssi == nil)
    var notSent = fixture(6)
    notSent[6] = 1
    #expect(reports(notSent).first?.wasNotSent == true)
  }

  @Test func bigInfo() throws {
    let report = try #require(reports(fixture(7)).first)
    #expect(report.kind == .bigInfo && report.syncHandle == 1 && report.data.isEmpty)
  }

  @Test func syncs() throws {
    // Status: Success, Sync Handle: 0x0001, SID 3, Random c0:11:22:33:44:55, LE 1M, 100 ms
    let tail = "03 01 55 44 33 22 11 c0 01 50 00 00"
    for (subevent, bytes) in [
      (UInt8(0x0e), "00 01 00 \(tail)"), (0x24, "00 01 00 \(tail) 01 06 02 08"),
      (0x18, "00 40 00 cd ab 01 00 \(tail)"), (0x26, "00 40 00 cd ab 01 00 \(tail) 01 06 02 08"),
    ] {
      let bytes = hex(bytes)
      var cursor = Cursor(bytes.bytes)
      let sync = try PeriodicSync(subevent: subevent, parsing: &cursor)
      #expect(sync.status == .success && sync.handle == 1 && sync.sid == 3)
      #expect(sync.address == random && sync.addressType == .random)
      for count in 0..<11 {
        let short = Array(bytes.prefix(count))
        var cursor = Cursor(short.bytes)
        #expect(throws: ParseError.self) {
          try PeriodicSync(subevent: subevent, parsing: &cursor)
        }
      }
    }
  }

  @Test func countsThatLie() {
    var more = fixture(0)
    more[4] = 3
    #expect(reports(more).count == 2)
    #expect(problems(h4(more)) == ["tooShort@41(1,0)"])
    var fewer = fixture(0)
    fewer[4] = 1
    #expect(reports(fewer).count == 1)
    #expect(problems(h4(fewer)) == ["leftOver@24(17,0)"])
    var none = fixture(0)
    none[4] = 0
    #expect(reports(none).isEmpty)
    #expect(problems(h4(none)) == ["leftOver@5(36,0)"])
    #expect(reports(hex("04 3e 01 02")).isEmpty)
    #expect(problems(h4(hex("04 3e 01 02"))) == ["tooShort@4(1,0)"])
  }

  @Test func otherEventsHaveNoReports() {
    for code in UInt8.min...UInt8.max {
      let kind = AdvertisingReport.kind(ofSubevent: code)
      #expect((kind != nil) == [0x02, 0x0b, 0x0d, 0x0f, 0x22, 0x25, 0x28].contains(code))
      let found = AdvertisingReports(event: [code].bytes, body: Slice(start: 0, count: 1))
      #expect((found != nil) == (kind != nil))
    }
    #expect(AdvertisingReports(event: [UInt8]().bytes, body: .empty) == nil)
  }

  // MARK: AD structures

  /// Returns "type=data" of each structure, and the overrun.
  private func structures(_ text: String, from start: Int = 0) -> [String] {
    let bytes = [UInt8](repeating: 0xaa, count: start) + hex(text)
    var list = ADStructures(bytes.bytes, Slice(start: start, count: bytes.count - start))
    var all: [String] = []
    while let structure = list.next() {
      all.append("\(digits(structure.type.rawValue, 2))=\(words(structure.data, of: bytes))")
    }
    // The list stays at its end.
    #expect(list.next() == nil)
    if let overrun = list.overrun { all.append(words(overrun)) }
    return all
  }

  @Test(
    arguments: [
      ("", []), ("02 01 06", ["01=06"]), ("02 01 06 05 09 67 61 74 74", ["01=06", "09=67617474"]),
      ("01 ff", ["ff="]),
      // Padding: bytes after a zero length are ignored.
      ("02 01 06 00 00 00", ["01=06"]), ("00 02 01 06", []),
      // Overruns.
      ("02 01", ["advertisingStructureTooLong@0(2,1)"]),
      ("01", ["advertisingStructureTooLong@0(1,0)"]),
      ("02 01 06 ff 4c 00", ["01=06", "advertisingStructureTooLong@3(255,2)"]),
      ("02 01 06 03 02 0d", ["01=06", "advertisingStructureTooLong@3(3,2)"]),
    ] as [(String, [String])])
  func structuresOf(_ text: String, _ expected: [String]) {
    #expect(structures(text) == expected)
  }

  @Test func structuresCountFromThePacket() {
    #expect(
      structures("02 01 06 09 09", from: 7) == ["01=06", "advertisingStructureTooLong@10(9,1)"])
  }
}
