// The fields that a visitor receives for real packets. The values are tshark 4.0's, of a capture
// with the same bytes; the names are the specification's. Comments mark packets that tshark does
// not know.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// Valid commands and events, and their fields.
let hciFixtures: [(bytes: String, fields: [String])] = [
  // LE Set Extended Scan Parameters: Scanning PHYs: 0x05, LE Coded, LE 1M; LE 1M: Active, 96 (60
  // msec), 48 (30 msec); LE Coded: Passive, 288 (180 msec), 144 (90 msec)
  (
    "01 41 20 0d 00 00 05 01 60 00 30 00 00 20 01 90 00",
    [
      "Own_Address_Type 0", "Scanning_Filter_Policy 0", "Scanning_PHYs 0x05", "PHY_Parameters [",
      "{",
      "Scan_Type 1", "Scan_Interval 96", "Scan_Window 48", "}", "{", "Scan_Type 0",
      "Scan_Interval 288", "Scan_Window 144", "}", "]",
    ]
  ),
  // LE Extended Create Connection: peer public 55:44:33:22:11:c0, PHYs 0x05; LE 1M: scan 96 and 48,
  // interval 24 to 40, latency 0, timeout 42, CE 0 to 0; LE Coded: 40 to 56, 4, 500, 2 to 4
  (
    "01 43 20 2a 00 01 00 c0 11 22 33 44 55 05 60 00 30 00 18 00 28 00 00 00 2a 00 00 00 00 00 60 "
      + "00 30 00 28 00 38 00 04 00 f4 01 02 00 04 00",
    [
      "Initiator_Filter_Policy 0", "Own_Address_Type 1", "Peer_Address_Type 0",
      "Peer_Address 5544332211c0", "Initiating_PHYs 0x05", "PHY_Parameters [", "{",
      "Scan_Interval 96",
      "Scan_Window 48", "Connection_Interval_Min 24", "Connection_Interval_Max 40",
      "Max_Latency 0", "Supervision_Timeout 42", "Min_CE_Length 0", "Max_CE_Length 0", "}", "{",
      "Scan_Interval 96", "Scan_Window 48", "Connection_Interval_Min 40",
      "Connection_Interval_Max 56", "Max_Latency 4", "Supervision_Timeout 500",
      "Min_CE_Length 2", "Max_CE_Length 4", "}", "]",
    ]
  ),
  // Number of Completed Packets: 2 handles: 0x0040 1, 0x0041 2
  (
    "04 13 09 02 40 00 01 00 41 00 02 00",
    [
      "Num_Handles 2", "Handles [", "{", "Connection_Handle 0x0040", "Num_Completed_Packets 1",
      "}", "{", "Connection_Handle 0x0041", "Num_Completed_Packets 2", "}", "]",
    ]
  ),
  // By hand, after Core, Vol 4, Part E, 7.7.65.10 (tshark 4.0 and btmon: "Unknown")
  (
    "04 3e 22 29 00 40 00 00 01 55 44 33 22 11 c0 00 00 00 00 00 00 01 02 03 04 05 46 18 00 00 00 "
      + "48 00 00 ff ff ff",
    [
      "Status 0", "Connection_Handle 0x0040", "Role 0", "Peer_Address_Type 1",
      "Peer_Address c01122334455", "Local_Resolvable_Private_Address 000000000000",
      "Peer_Resolvable_Private_Address 460504030201", "Connection_Interval 24",
      "Peripheral_Latency 0", "Supervision_Timeout 72", "Central_Clock_Accuracy 0",
      "Advertising_Handle 255", "Sync_Handle 0xffff",
    ]
  ),
  // LE Enhanced Connection Complete: Role: Slave, Random c0:11:22:33:44:55, peer resolvable
  // 46:05:04:03:02:01, 40 (50 msec), 2, 500 (5 sec), 151-250 ppm (0x01)
  (
    "04 3e 1f 0a 00 40 00 01 01 55 44 33 22 11 c0 00 00 00 00 00 00 01 02 03 04 05 46 28 00 02 00 "
      + "f4 01 01",
    [
      "Status 0", "Connection_Handle 0x0040", "Role 1", "Peer_Address_Type 1",
      "Peer_Address c01122334455", "Local_Resolvable_Private_Address 000000000000",
      "Peer_Resolvable_Private_Address 460504030201", "Connection_Interval 40",
      "Peripheral_Latency 2", "Supervision_Timeout 500", "Central_Clock_Accuracy 1",
    ]
  ),
  // LE Set Extended Advertising Parameters: handle 0x01, properties 0x0013, 160 (100 msec) to 240
  // (150 msec), channels 37 38 39, own random, peer public 11:22:33:44:55:66, power 127, LE 1M,
  // skip 0, LE 1M, SID 0x02, notification 0x01
  (
    "01 36 20 19 01 13 00 a0 00 00 f0 00 00 07 01 00 66 55 44 33 22 11 00 7f 01 00 01 02 01",
    [
      "Advertising_Handle 1", "Advertising_Event_Properties 0x0013",
      "Primary_Advertising_Interval_Min 160", "Primary_Advertising_Interval_Max 240",
      "Primary_Advertising_Channel_Map 0x07", "Own_Address_Type 1", "Peer_Address_Type 0",
      "Peer_Address 112233445566", "Advertising_Filter_Policy 0", "Advertising_TX_Power 127",
      "Primary_Advertising_PHY 1", "Secondary_Advertising_Max_Skip 0",
      "Secondary_Advertising_PHY 1", "Advertising_SID 2", "Scan_Request_Notification_Enable 1",
    ]
  ),
  // Command Complete, Read Local Name, Status: Success, Device Name: gatt (248 bytes with zeros)
  (
    "04 0e fc 01 14 0c 00 67 61 74 74" + String(repeating: " 00", count: 244),
    ["Num_HCI_Command_Packets 1", "Command_Opcode 0x0c14", "Status 0", "Local_Name 'gatt'"]
  ),
  // LE Start Encryption: 0x0040, 0102030405060708, 0x1234, 00112233445566778899aabbccddeeff
  (
    "01 19 20 1c 40 00 01 02 03 04 05 06 07 08 34 12 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee "
      + "ff",
    [
      "Connection_Handle 0x0040", "Random_Number bytes 0102030405060708",
      "Encrypted_Diversifier 0x1234", "Long_Term_Key secret of 16",
    ]
  ),
  // Disconnect: 0x0040, Remote User Terminated Connection (0x13)
  ("01 06 04 03 40 00 13", ["Connection_Handle 0x0040", "Reason 19"]),
  // Command Status: Pending, 1, LE Extended Create Connection
  (
    "04 0f 04 00 01 43 20",
    ["Status 0", "Num_HCI_Command_Packets 1", "Command_Opcode 0x2043"]
  ),
  // Command Complete, Read Local Version Information: 5.2 (0x0b), 0, 5.2 (0x0b), 0x003b, 8721
  (
    "04 0e 0c 01 01 10 00 0b 00 00 0b 3b 00 11 22",
    [
      "Num_HCI_Command_Packets 1", "Command_Opcode 0x1001", "Status 0", "HCI_Version 11",
      "HCI_Subversion 0x0000", "LMP_Version 11", "Company_Identifier 0x003b",
      "LMP_Subversion 0x2211",
    ]
  ),
  // LE Read Remote Features Complete: Success, 0x0040, 0x00000000000001ff
  (
    "04 3e 0c 04 00 40 00 ff 01 00 00 00 00 00 00",
    ["Status 0", "Connection_Handle 0x0040", "LE_Features 0x00000000000001ff"]
  ),
  // LE Data Length Change: 0x0040, 251, 2120 us, 251, 2120 us
  (
    "04 3e 0b 07 40 00 fb 00 48 08 fb 00 48 08",
    [
      "Connection_Handle 0x0040", "Max_TX_Octets 251", "Max_TX_Time 2120", "Max_RX_Octets 251",
      "Max_RX_Time 2120",
    ]
  ),
  // LE Set Advertising Data: Data Length: 7: Flags, Heart Rate; Unused (24 bytes)
  (
    "01 08 20 20 07 02 01 06 03 03 0d 18" + String(repeating: " 00", count: 24),
    ["Advertising_Data_Length 7", "Advertising_Data AD 02010603030d18"]
  ),
  // LE Set Extended Advertising Enable: 1 set: handle 1, 500 (5000 msec), 5 events
  (
    "01 39 20 06 01 01 01 f4 01 05",
    [
      "Enable 1", "Num_Sets 1", "Sets [", "{", "Advertising_Handle 1", "Duration 500",
      "Max_Extended_Advertising_Events 5", "}", "]",
    ]
  ),
  // Command Complete, Read RSSI: Success, 0x0040, -60 dBm
  (
    "04 0e 07 01 05 14 00 40 00 c4",
    [
      "Num_HCI_Command_Packets 1", "Command_Opcode 0x1405", "Status 0",
      "Connection_Handle 0x0040", "RSSI -60",
    ]
  ),
  // LE Extended Advertising Report: 0x0013, Random c0:11:22:33:44:55, LE 1M, none, SID 0xff, TX
  // 127, RSSI 127, Data Length: 5, Device Name: abc
  (
    "04 3e 1f 0d 01 13 00 01 55 44 33 22 11 c0 01 00 ff 7f 7f 00 00 00 00 00 00 00 00 00 05 04 09 "
      + "61 62 63",
    [
      "Num_Reports 1", "Reports [", "{", "Event_Type 0x0013", "Address_Type 1",
      "Address c01122334455", "Primary_PHY 1", "Secondary_PHY 0", "Advertising_SID 255",
      "TX_Power 127", "RSSI 127", "Periodic_Advertising_Interval 0", "Direct_Address_Type 0",
      "Direct_Address 000000000000", "Data_Length 5", "Data AD 0409616263", "}", "]",
    ]
  ),
]

@Suite struct FieldWalkTests {
  @Test(arguments: hciFixtures)
  func everyField(_ fixture: (bytes: String, fields: [String])) {
    let bytes = hex(fixture.bytes)
    let dissection = h4(bytes)
    let walked = walk(dissection, bytes)
    #expect(walked.entries == fixture.fields)
    #expect(walked.isConsistent)
    #expect(problems(dissection) == [])
  }

  @Test(arguments: [
    (0x00, "'abc'", "61 62 63 00 64"), (0x01, "'abcde'", "61 62 63 64 65"), (0x02, "''", "00 61"),
  ])
  func aStringEndsAtItsFirstZeroOrFillsItsField(_ index: Int, _ text: String, _ bytes: String) {
    let field = hex(bytes)
    let all = [UInt8](repeating: 0xff, count: index) + field
    var fields = FieldWalk(all.bytes, Slice(start: index, count: field.count))
    var recorder = Recorder()
    try? fields.walk([.text("Name", field.count)], &recorder)
    #expect(recorder.entries == ["Name \(text)"])
  }

  /// A visitor receives the fields before the end, and the end of a truncated list. An item without
  /// any bytes is not an item.
  @Test func aWalkThatEndsEarly() {
    let bytes = hex("02 40 00 01 00 41")
    var fields = FieldWalk(bytes.bytes, Slice(start: 0, count: 6))
    var recorder = Recorder()
    #expect(throws: ParseError(offset: 5, needed: 2, available: 1)) {
      try fields.walk(
        [.count("Num"), .list("List", [.connectionHandle, .u16("Packets")])], &recorder)
    }
    #expect(
      recorder.entries == [
        "Num 2", "List [", "{", "Connection_Handle 0x0040", "Packets 1", "}", "]",
      ])
  }

  /// Signed numbers keep their sign, and long ones all of their bits.
  @Test func numbersAtTheirLimits() {
    let bytes = hex("80 00 80 ff ff ff ff ff ff ff ff ff ff ff")
    var fields = FieldWalk(bytes.bytes, Slice(start: 0, count: bytes.count))
    var recorder = Recorder()
    try? fields.walk([.i8("A"), .i16("B"), .u64("C", .hex), .u24("D")], &recorder)
    #expect(recorder.entries == ["A -128", "B -32768", "C 0xffffffffffffffff", "D 16777215"])
    #expect(fields.rest() == Slice(start: 14, count: 0))
  }

  /// A list without a count extends to the end. It also ends if its items have no bytes.
  @Test func listsWithoutACount() {
    let bytes = hex("01 02 03")
    var fields = FieldWalk(bytes.bytes, Slice(start: 0, count: 3))
    var recorder = Recorder()
    try? fields.walk([.list("List", [.u8("A")]), .list("None", [])], &recorder)
    #expect(
      recorder.entries == [
        "List [", "{", "A 1", "}", "{", "A 2", "}", "{", "A 3", "}", "]", "None [", "]",
      ])
    var again = FieldWalk(bytes.bytes, Slice(start: 0, count: 3))
    var second = Recorder()
    try? again.walk([.list("None", []), .rest("Rest")], &second)
    #expect(second.entries == ["None [", "{", "}", "]", "Rest bytes 010203"])
    var third = FieldWalk(bytes.bytes, Slice(start: 0, count: 3))
    var counted = Recorder()
    try? third.walk([.list("Empty", [.counted("A")])], &counted)
    #expect(counted.entries == ["Empty [", "{", "A bytes ", "}", "]"])
  }

  /// No list of the tables has items that may be empty; such a list would never end.
  @Test func itemsOfListsHaveBytes() {
    func check(_ parameters: [Parameter]) {
      for parameter in parameters {
        guard case .list = parameter.kind else {
          check(parameter.items)
          continue
        }
        #expect(parameter.items.contains { ($0.size ?? 0) > 0 }, "\(parameter.name)")
        check(parameter.items)
      }
    }
    for row in PDUTableTests.rows {
      check(row.parameters ?? [])
      check(row.returns ?? [])
    }
  }
}
