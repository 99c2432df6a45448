// The fields of AD structures. The comments show tshark 4.0's decoding of a report with the same
// bytes. For types that bumble (data_types.py) or BlueZ (monitor, tools/oobtest.c) decode in more
// detail, the comments show theirs; otherwise "by hand".

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// Structures without their length byte, and their fields as the visitor receives them.
let structureFixtures: [(bytes: String, fields: [String])] = [
  // Power Level (dBm): -12
  ("0a f4", ["TX_Power -12"]),
  // Vendor ID Source: Bluetooth SIG, Vendor ID: Nordic Semiconductor ASA (0x0059), Product ID:
  // 0x1234, Version: 0x0201
  (
    "10 01 00 59 00 34 12 01 02",
    ["Vendor_ID_Source 1", "Vendor_ID 0x0059", "Product_ID 0x1234", "Product_Version 0x0201"]
  ),
  // OOB Data Present, LE Supported By Host, Address Type: Random Device Address
  ("11 0b", ["Flags 0x0b"]),
  // Connection Interval Min: 24 (30 msec), Max: 40 (50 msec)
  ("12 18 00 28 00", ["Connection_Interval_Min 24", "Connection_Interval_Max 40"]),
  // BD_ADDR: 11:22:33:44:55:66, BD_ADDR: 44:55:66:77:88:99
  (
    "17 66 55 44 33 22 11 99 88 77 66 55 44",
    [
      "Addresses [", "{", "Address 112233445566", "}", "{", "Address 445566778899", "}", "]",
    ]
  ),
  // BD_ADDR: c1:22:33:44:55:66
  ("18 66 55 44 33 22 c1", ["Addresses [", "{", "Address c12233445566", "}", "]"]),
  // Advertising Interval: 160 (100 msec)
  ("1a a0 00", ["Advertising_Interval 160"]),
  // bumble: AdvertisingIntervalLong 65696, of 3 bytes and of 4
  ("2f a0 00 01", ["Advertising_Interval 65696"]),
  ("2f a0 00 01 00", ["Advertising_Interval 65696"]),
  // BlueZ: Device address: C1:22:33:44:55:66 (random)
  ("1b 66 55 44 33 22 c1 01", ["Address c12233445566", "Address_Type 1"]),
  // Peripheral and Central Role supported, Peripheral Role preferred
  ("1c 02", ["Role 2"]),
  // Coordinates: all False
  ("25 00", ["Configuration 0x00"]),
  // By hand, in tshark's order: Latitude 67305985, Longitude 134678021, Tx Power Level -10,
  // Altitude 16961, Floor Number 67, Uncertainty 0x44
  (
    "25 3d 01 02 03 04 05 06 07 08 f6 41 42 43 44",
    [
      "Configuration 0x3d", "Latitude 67305985", "Longitude 134678021", "TX_Power -10",
      "Altitude 16961", "Floor_Number 67", "Uncertainty 0x44",
    ]
  ),
  // By hand: 16 and -16 decimetres
  ("25 03 10 00 f0 ff", ["Configuration 0x03", "Local_North 16", "Local_East -16"]),
  // Organization ID: Bluetooth SIG, Role: Provider Only, Transport Data Incomplete, Transport
  // State: Temporarily Unavailable, Data: aabb; a second block by hand
  (
    "26 01 16 02 aa bb 02 08 00",
    [
      "Transports [", "{", "Organization_ID 1", "Flags 0x16", "Data_Length 2", "Data bytes aabb",
      "}",
      "{", "Organization_ID 2", "Flags 0x08", "Data_Length 0", "Data bytes ", "}", "]",
    ]
  ),
  // LE Features: 0xff, 0x49, 0x01
  ("27 ff 49 01", ["LE_Features 0x00000000000149ff"]),
  // Channel Map: ffffffff1f, Instant: 16
  ("28 ff ff ff ff 1f 10 00", ["Channel_Map bytes ffffffff1f", "Instant 16"]),
  // Link ID: 16909060, Transaction Number: 0, Bearer Opcode: Link Open,
  // Device UUID: 00010203-0405-0607-0809-0a0b0c0d0e0f
  (
    "29 01 02 03 04 00 03 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f",
    [
      "Link_ID bytes 01020304", "Transaction_Number 0", "Generic_Provisioning 3",
      "Bearer_Opcode 0", "Device_UUID bytes 000102030405060708090a0b0c0d0e0f",
    ]
  ),
  // Transaction Number: 128, Bearer Opcode: Link ACK; Transaction Acknowledgment; Bearer Opcode:
  // Link Close, Reason: Timeout
  (
    "29 01 02 03 04 80 07",
    [
      "Link_ID bytes 01020304", "Transaction_Number 128", "Generic_Provisioning 3",
      "Bearer_Opcode 1",
    ]
  ),
  (
    "29 01 02 03 04 80 01",
    ["Link_ID bytes 01020304", "Transaction_Number 128", "Generic_Provisioning 1"]
  ),
  (
    "29 01 02 03 04 00 0b 01",
    [
      "Link_ID bytes 01020304", "Transaction_Number 0", "Generic_Provisioning 3",
      "Bearer_Opcode 2", "Reason 1",
    ]
  ),
  // Transaction Start, the last segment number: 0, Total Length: 2, Frame Check Sequence: 0x14,
  // Provisioning Invite PDU, Attention Duration: 5
  (
    "29 01 02 03 04 00 00 00 02 14 00 05",
    [
      "Link_ID bytes 01020304", "Transaction_Number 0", "Generic_Provisioning 0",
      "Last_Segment 0", "Total_Length 2", "FCS 0x14", "PDU_Type 0", "Parameters bytes 05",
    ]
  ),
  // Transaction Continuation, segment number: 1
  (
    "29 01 02 03 04 01 06 ad 4a 87 94",
    [
      "Link_ID bytes 01020304", "Transaction_Number 1", "Generic_Provisioning 2", "Segment 1",
      "Data bytes ad4a8794",
    ]
  ),
  // IVI: 0, NID: 104, Obfuscated: eca6868dd2ae, Encrypted data and NetMIC: b011223344556677
  (
    "2a 68 ec a6 86 8d d2 ae b0 11 22 33 44 55 66 77",
    ["IVI_NID 0x68", "PDU bytes eca6868dd2aeb011223344556677"]
  ),
  // By hand: Unprovisioned Device, OOB information 0x0010, with a URI hash
  (
    "2b 00 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff 00 10 de ad be ef",
    [
      "Beacon_Type 0", "Device_UUID bytes 00112233445566778899aabbccddeeff",
      "OOB_Information bytes 0010", "URI_Hash bytes deadbeef",
    ]
  ),
  // Flags: 0x00, Network ID: 3ecaff672f673370, IV Index: 305419896, Authentication Value:
  // 8ea261582f364f6f
  (
    "2b 01 00 3e ca ff 67 2f 67 33 70 12 34 56 78 8e a2 61 58 2f 36 4f 6f",
    [
      "Beacon_Type 1", "Flags 0x00", "Network_ID bytes 3ecaff672f673370", "IV_Index bytes 12345678",
      "Authentication_Value bytes 8ea261582f364f6f",
    ]
  ),
  // By hand
  (
    "2b 02 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 11 12 13 14 15 21 22 23 24 25 26 27 28",
    [
      "Beacon_Type 2", "Random bytes 0102030405060708090a0b0c0d",
      "Obfuscated_Data bytes 1112131415", "Authentication_Tag bytes 2122232425262728",
    ]
  ),
  ("2b 07 01 02", ["Beacon_Type 7", "Data bytes 0102"]),
  // BlueZ's monitor: Hash: 0x030201, Random: 0x060504
  ("2e 01 02 03 04 05 06", ["Hash 0x030201", "Random 0x060504"]),
  // bumble: EncryptedData of randomizer 0102030405, data aabbcc, MIC 11223344
  (
    "31 01 02 03 04 05 aa bb cc 11 22 33 44",
    ["Randomizer bytes 0102030405", "Encrypted_Data_And_MIC bytes aabbcc11223344"]
  ),
  // bumble: rspaa=0x12345678, num_subevents=5, subevent_interval=6, response_slot_delay=2,
  // response_slot_spacing=8
  (
    "32 78 56 34 12 05 06 02 08",
    [
      "Response_Access_Address 0x12345678", "Num_Subevents 5", "Subevent_Interval 6",
      "Response_Slot_Delay 2", "Response_Slot_Spacing 8",
    ]
  ),
  // BlueZ's monitor: Features: 0x07, Path Loss Threshold: 100
  ("3d 07 64", ["Flags 0x07", "Path_Loss_Threshold 100"]),
]

/// Structures without fields of their own, with a length that is valid for their type.
private let plainStructures = [
  "01", "01 06", "02", "03 0d 18", "05 78 56 34 12",
  "07 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f",
  "08", "09 41", "0d 04 04 24", "14 0d 18 0f 18", "16 aa fe", "19 41 03", "1f 78 56 34 12",
  "20 78 56 34 12", "24 17", "30 48", "34 01", "99", "ff 59 00", "ff 4c 00 10",
]

/// Packs bit fields, the least significant bit first.
private func packed(_ fields: [(value: UInt64, bits: Int)]) -> [UInt8] {
  var bits: [Bool] = []
  for field in fields { for bit in 0..<field.bits { bits.append(field.value >> bit & 1 == 1) } }
  return stride(from: 0, to: bits.count, by: 8).map { start in
    (0..<8).reduce(0) { $0 | (bits[start + $1] ? 1 << $1 : 0) }
  }
}

@Suite struct ADFieldsTests {
  /// Returns the fields that the visitor receives for a structure after some other bytes, its
  /// problem, and the bytes left.
  private func entries(_ structure: [UInt8]) -> (entries: [String], problem: String?, left: Int?) {
    let bytes = [0xaa, 0xaa, 0xaa] + structure
    let type = ADType(rawValue: structure[0])
    let slice = Slice(start: 4, count: structure.count - 1)
    var recorder = Recorder()
    var left: Int?
    if case .fields = type.layout(count: structure.count - 1) {
      left = (try? ADFields.walk(type, bytes.bytes, slice, &recorder)).map { Int($0.count) }
    }
    #expect(recorder.isConsistent, "\(structure)")
    for slice in recorder.slices where slice.start < 4 || slice.end > bytes.count {
      Issue.record("\(structure): \(slice)")
    }
    return (recorder.entries, ADFields.problem(type, bytes.bytes, slice).map { words($0) }, left)
  }

  @Test(arguments: structureFixtures)
  func everyField(_ fixture: (bytes: String, fields: [String])) {
    let found = entries(hex(fixture.bytes))
    #expect(found.entries == fixture.fields && found.problem == nil && found.left == 0)
  }

  @Test func plainStructuresAreWhole() {
    for structure in plainStructures {
      #expect(entries(hex(structure)).problem == nil, "\(structure)")
    }
  }

  /// Core, Vol 6, Part B, 4.4.6.11, packed bit by bit.
  @Test func bigInfo() {
    let fields: [(value: UInt64, bits: Int)] = [
      (0x2345, 14), (1, 1), (0x678, 12), (3, 5), (4, 5), (5, 3), (0x6_789a, 20), (7, 4),
      (0x8_9abc, 20), (9, 4), (0xab, 8), (0, 8), (0xdead_beef, 32), (0x1_2345, 20), (0x678, 12),
      (0x9abc, 16), (0x1f_2345_6789, 37), (1, 3), (0x7a_bcde_f012, 39), (1, 1),
    ]
    let expected = [
      "BIG_Offset \(0x2345 * 300)", "ISO_Interval \(0x678)", "Num_BIS 3", "NSE 4", "BN 5",
      "Sub_Interval \(0x6_789a)", "PTO 7", "BIS_Spacing \(0x8_9abc)", "IRC 9", "Max_PDU 171",
      "Seed_Access_Address 0xdeadbeef", "SDU_Interval \(0x1_2345)", "Max_SDU \(0x678)",
      "Base_CRC_Init 0x9abc", "Channel_Map 0x1f23456789", "PHY 1",
      "BIS_Payload_Count \(0x7a_bcde_f012)", "Framing 1",
    ]
    let open = [0x2c] + packed(fields)
    #expect(open.count == 34)
    let found = entries(open)
    #expect(found.entries == expected && found.problem == nil && found.left == 0)
    let encrypted = open + (1...24).map { UInt8($0) }
    let all = entries(encrypted)
    #expect(
      all.entries == expected + [
        "GIV bytes 0102030405060708", "GSKD bytes 090a0b0c0d0e0f101112131415161718",
      ])
    #expect(all.problem == nil && all.left == 0)
    // The bit after the offset selects its unit.
    var finer = open
    finer[2] &= ~0x40
    #expect(entries(finer).entries.first == "BIG_Offset \(0x2345 * 30)")
  }

  @Test(
    arguments: [
      ("0a", "tooShort@4(1,0)"), ("0a 01 02", "leftOver@5(1,0)"), ("19 41", "tooShort@4(2,1)"),
      ("0d 01 02 03 04", "leftOver@7(1,0)"), ("03 0d 18 0f", "leftOver@6(1,0)"),
      ("07 01", "leftOver@4(1,0)"), ("16 aa", "tooShort@4(2,1)"), ("20 01 02", "tooShort@4(4,2)"),
      ("21 01", "tooShort@4(16,1)"), ("ff 4c", "tooShort@4(2,1)"), ("24", "tooShort@4(1,0)"),
      ("10 01 00", "tooShort@4(8,2)"), ("10 00 00 00 00 00 00 00 00 00", "tooShort@4(16,9)"),
      ("17 01 02 03 04 05 06 07", "leftOver@10(1,0)"), ("1b 01 02 03 04 05 06", "tooShort@4(7,6)"),
      ("2f 01 02", "tooShort@4(3,2)"), ("2f 01 02 03 04 05", "leftOver@8(1,0)"),
      ("0e 01", "tooShort@4(16,1)"), ("2d 01", "tooShort@4(16,1)"), ("2e 01", "tooShort@4(6,1)"),
      ("25 01 00", "tooShort@5(4,1)"), ("25 00 00", "leftOver@5(1,0)"),
      ("26 01 16 03 aa", "tooShort@7(3,1)"), ("2b 00 01", "tooShort@5(16,1)"),
      ("2b 01 00 01", "tooShort@6(8,1)"), ("31 01", "tooShort@4(9,1)"),
    ])
  func wrongLengths(_ structure: String, _ problem: String) {
    #expect(entries(hex(structure)).problem == problem)
  }

  /// Cuts at every length and flips every bit: slices stay inside (see `entries`), and a walk that
  /// does not reach the end has a problem.
  @Test func sweep() {
    for fixture in structureFixtures.map(\.bytes) + plainStructures {
      let structure = hex(fixture)
      for count in 1...structure.count {
        let found = entries(Array(structure.prefix(count)))
        if case .fields = ADType(rawValue: structure[0]).layout(count: count - 1) {
          #expect(found.left == 0 || found.problem != nil, "\(structure.prefix(count))")
        }
      }
      for index in structure.indices {
        for bit in 0..<8 {
          var damaged = structure
          damaged[index] ^= 1 << bit
          _ = entries(damaged)
        }
      }
    }
  }

  /// Every type at every length: the accepted sizes match the layout.
  @Test func everyLengthOfEveryType() {
    for type in UInt8.min...UInt8.max {
      for count in 0...255 {
        let found = entries([type] + [UInt8](repeating: 0, count: count))
        guard case .fields = ADType(rawValue: type).layout(count: count) else { continue }
        #expect(found.problem != nil || found.left == 0, "\(type), \(count) bytes")
      }
    }
  }

  @Test("Every AD type in the Assigned Numbers has a name")
  func names() {
    let assigned: [UInt8] =
      Array(0x01...0x0a) + Array(0x0d...0x12) + Array(0x14...0x32) + [0x34, 0x3d, 0xff]
    for type in UInt8.min...UInt8.max {
      #expect((ADType(rawValue: type).name != nil) == assigned.contains(type), "\(type)")
    }
  }

  // MARK: Lists of structures

  private func check(_ data: String) -> [String] {
    let bytes = hex(data)
    var problems = Problems()
    ADStructures.check(bytes.bytes, Slice(start: 0, count: bytes.count), &problems)
    return (0..<problems.count).map { words(problems[$0]) }
  }

  @Test func everyStructureIsChecked() {
    #expect(check("02 01 06 02 19 41 02 0a f4") == ["tooShort@5(2,1)"])
    #expect(
      check("02 19 41 04 03 0d 18 0f 09 09") == [
        "tooShort@2(2,1)", "leftOver@7(1,0)", "advertisingStructureTooLong@8(9,1)",
      ])
    // A zero length ends the data early; only zeros may follow.
    #expect(check("02 01 06 00 00 00") == [] && check("00") == [])
    #expect(check("02 01 06 00 02 19 41") == ["leftOver@4(3,0)"])
  }

  /// Data that a host sets, and data of inquiry results, is checked like that of reports.
  @Test func dataOfCommandsIsChecked() {
    let data = hex("02 19 41") + [UInt8](repeating: 0, count: 28)
    #expect(problems(h4([1, 0x08, 0x20, 32, 3] + data)) == ["tooShort@7(2,1)"])
    #expect(problems(h4([1, 0x08, 0x20, 32, 3] + hex("02 01 06") + data.dropFirst(3))) == [])
    let inquired = hex("02 19 41") + [UInt8](repeating: 0, count: 237)
    let head: [UInt8] = [1] + little(0x1122_3344_5566, width: 6) + hex("01 00 0c 02 5a 00 00 c4")
    #expect(problems(h4([4, 0x2f, 255] + head + inquired)) == ["tooShort@20(2,1)"])
  }

  @Test(
    arguments: [
      ("02 01 06 03 03 0d 18", false, true), ("", false, true), ("02 01 06 09 ff 4c", true, true),
      ("05", true, true), ("05", false, false),
      // A valid beginning does not make up for a broken rest.
      ("02 01 06 09 ff 4c", false, true), ("02 01 06 68 65 20", false, true),
      ("02 01 06 68 65 20", true, true),
      // One mistake: the length of the only structure, a size, a type.
      ("1e 09 41 63 6d 65", false, true), ("04 03 0d 18 0f", false, true),
      ("03 0a 01 02", false, true), ("02 ff 4c", false, true), ("03 98 01 02", false, true),
      ("03 98 01 02 02 01 06", false, true), ("03 98 01 02 02 99 06", false, true),
      ("03 98 01 02 02 01 06", true, true), ("03 98 01 02 09 ff 4c", true, true),
      // Two mistakes: neither the type nor the size is valid, and the structures miss the end.
      ("68 65 20 62", false, false), ("68 65 20 62", true, false), ("09 99 01", true, false),
      ("09 0a 01", false, false), ("09 0a 01", true, false),
      ("03 98 01 02 68 65", false, false), ("03 98 01 02 09 ff 4c", false, false),
      ("03 98 01 02 68 65", true, false), ("03 98 01 02 02 99 06", true, false),
      ("03 0a 01 02 02 99 06 01", true, false), ("03 98 01 02 68", true, true),
    ])
  func whatBeginsLikeAdvertisingData(_ data: String, _ goesOn: Bool, _ begins: Bool) {
    let bytes = hex(data)
    let found = ADStructures.begin(
      bytes.bytes, Slice(start: 0, count: bytes.count), goesOn: goesOn)
    #expect(found == begins)
  }
}
