// The commands and events that Android requires, and Microsoft's extension. The meanings are from
// the named source: a phone's log as decoded by Wireshark, bumble, or AOSP's packet definitions
// with their test vectors.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// Android's packets without problems, and their fields.
let androidFixtures: [(bytes: String, fields: [String])] = [
  // LE Get Vendor Capabilities (a phone of version 1.01)
  (
    "04 0e 1c 01 53 fd 00 10 01 00 28 00 01 40 01 01 01 14 00 01 01 00 23 00 00 00 01 23 00 00 00",
    [
      "Num_HCI_Command_Packets 1", "Command_Opcode 0xfd53", "Status 0", "Max_Advt_Instances 16",
      "Offloaded_Resolution_Of_Private_Address 1", "Total_Scan_Results_Storage 10240",
      "Max_IRK_List_Size 0", "Filtering_Support 1", "Max_Filter 64",
      "Activity_Energy_Info_Support 1", "Version_Supported 257", "Total_Num_Of_Advt_Tracked 20",
      "Extended_Scan_Support 1", "Debug_Logging_Supported 1",
      "LE_Address_Generation_Offloading_Support 0", "A2DP_Source_Offload_Capability 0x00000023",
      "Bluetooth_Quality_Report_Support 1", "Dynamic_Audio_Buffer_Support 0x00000023",
    ]
  ),
  // LE Multi Advertising, Set Parameters: interval 100 to 150 ms, ADV_IND, random, instance 1,
  // -7 dBm (AOSP: LeMultiAdvtParam)
  (
    "01 54 fd 18 01 a0 00 f0 00 00 01 55 44 33 22 11 c0 00 00 00 00 00 00 00 07 00 01 f9",
    [
      "Sub_Opcode 1", "Advertising_Interval_Min 160", "Advertising_Interval_Max 240",
      "Advertising_Type 0", "Own_Address_Type 1", "Own_Address c01122334455",
      "Peer_Address_Type 0", "Peer_Address 000000000000", "Advertising_Channel_Map 0x07",
      "Advertising_Filter_Policy 0", "Advertising_Instance 1", "TX_Power -7",
    ]
  ),
  // … Set Advertising Data: Flags, TX Power Level of instance 2 (AOSP: LeMultiAdvtSetData)
  (
    "01 54 fd 22 02 06 02 01 06 02 0a 04" + String(repeating: " 00", count: 25) + " 02",
    [
      "Sub_Opcode 2", "Advertising_Data_Length 6", "Advertising_Data AD 020106020a04",
      "Advertising_Instance 2",
    ]
  ),
  (
    "01 54 fd 08 04 55 44 33 22 11 40 02",
    ["Sub_Opcode 4", "Random_Address 401122334455", "Advertising_Instance 2"]
  ),
  ("01 54 fd 03 05 01 02", ["Sub_Opcode 5", "Advertising_Enable 1", "Advertising_Instance 2"]),
  (
    "04 0e 05 01 54 fd 00 05",
    ["Num_HCI_Command_Packets 1", "Command_Opcode 0xfd54", "Status 0", "Sub_Opcode 5"]
  ),
  // LE RPA Offload: an IRK (AOSP: btm_ble_privacy)
  (
    "01 55 fd 18 02 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 00 55 44 33 22 11 00",
    ["Sub_Opcode 2", "IRK secret of 16", "Address_Type 0", "Address 001122334455"]
  ),
  // LE Batch Scan (AOSP: LeBatchScan…)
  ("01 56 fd 02 01 01", ["Sub_Opcode 1", "Enable 1"]),
  (
    "01 56 fd 04 02 64 00 5f",
    [
      "Sub_Opcode 2", "Full_Max 100", "Truncated_Max 0",
      "Notify_Threshold 95",
    ]
  ),
  (
    "01 56 fd 0c 03 03 60 09 00 00 c0 12 00 00 01 00",
    [
      "Sub_Opcode 3", "Scan_Modes 0x03", "Scan_Window 2400", "Scan_Interval 4800",
      "Own_Address_Type 1", "Discard_Rule 0",
    ]
  ),
  ("01 56 fd 02 04 02", ["Sub_Opcode 4", "Read_Mode 2"]),
  // A full result and a truncated one (AOSP: FullResult, TruncatedResult)
  (
    "04 0e 19 01 56 fd 00 04 02 01 55 44 33 22 11 c0 01 7f c4 0a 00 03 02 0a 04 02 01 09",
    [
      "Num_HCI_Command_Packets 1", "Command_Opcode 0xfd56", "Status 0", "Sub_Opcode 4",
      "Read_Mode 2", "Num_Records 1", "Records [", "{", "Address c01122334455", "Address_Type 1",
      "TX_Power 127", "RSSI -60", "Timestamp 10", "Advertising_Data_Length 3",
      "Advertising_Data AD 020a04", "Scan_Response_Data_Length 2", "Scan_Response_Data AD 0109",
      "}", "]",
    ]
  ),
  (
    "04 0e 12 01 56 fd 00 04 01 01 55 44 33 22 11 c0 01 7f c4 0a 00",
    [
      "Num_HCI_Command_Packets 1", "Command_Opcode 0xfd56", "Status 0", "Sub_Opcode 4",
      "Read_Mode 1", "Num_Records 1", "Records [", "{", "Address c01122334455", "Address_Type 1",
      "TX_Power 127", "RSSI -60", "Timestamp 10", "}", "]",
    ]
  ),
  // LE APCF, from a phone's log: enabling, a filter, its conditions, its end (Wireshark)
  ("01 57 fd 02 00 01", ["Sub_Opcode 0", "Enable 1"]),
  (
    "01 57 fd 12 01 00 03 40 00 11 11 01 80 00 00 00 00 00 00 00 00 00",
    [
      "Sub_Opcode 1", "Action 0", "Filter_Index 3", "Feature_Selection 0x0040",
      "List_Logic_Type 0x1111", "Filter_Logic_Type 1", "RSSI_High_Threshold -128",
      "Delivery_Mode 0", "On_Found_Timeout 0", "On_Found_Timeout_Count 0", "RSSI_Low_Threshold 0",
      "On_Lost_Timeout 0", "Num_Of_Tracking_Entries 0",
    ]
  ),
  ("01 57 fd 03 01 01 03", ["Sub_Opcode 1", "Action 1", "Filter_Index 3"]),
  (
    "01 57 fd 0a 02 00 04 55 44 33 22 11 c0 02",
    [
      "Sub_Opcode 2", "Action 0", "Filter_Index 4", "Broadcaster_Address c01122334455",
      "Application_Address_Type 2",
    ]
  ),
  (
    "01 57 fd 07 03 00 06 f3 fe ff ff",
    [
      "Sub_Opcode 3", "Action 0", "Filter_Index 6", "Service_UUID UUID fef3",
      "Service_UUID_Mask bytes ffff",
    ]
  ),
  (
    "01 57 fd 05 05 00 01 41 62", ["Sub_Opcode 5", "Action 0", "Filter_Index 1", "Local_Name 'Ab'"]
  ),
  (
    "01 57 fd 0b 06 00 09 4c 00 02 15 ff ff ff ff",
    [
      "Sub_Opcode 6", "Action 0", "Filter_Index 9", "Company_Identifier 0x004c",
      "Manufacturer_Data bytes 0215",
      "Manufacturer_Data_Mask bytes ffffffff",
    ]
  ),
  (
    "01 57 fd 09 09 00 09 16 02 aa fe ff ff",
    [
      "Sub_Opcode 9", "Action 0", "Filter_Index 9", "AD_Type 0x16", "AD_Data_Length 2",
      "AD_Data bytes aafe", "AD_Data_Mask bytes ffff",
    ]
  ),
  ("01 57 fd 01 ff", ["Sub_Opcode 255"]),
  (
    "04 0e 07 01 57 fd 00 07 00 4f",
    [
      "Num_HCI_Command_Packets 1", "Command_Opcode 0xfd57", "Status 0", "Sub_Opcode 7", "Action 0",
      "Available_Spaces 79",
    ]
  ),
  (
    "04 0e 07 01 57 fd 00 ff 03 00",
    [
      "Num_HCI_Command_Packets 1", "Command_Opcode 0xfd57", "Status 0", "Sub_Opcode 255",
      "Supported_Features 0x0003",
    ]
  ),
  // LE Energy Info (AOSP: LeEnergyInfoComplete)
  (
    "04 0e 14 01 59 fd 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00",
    [
      "Num_HCI_Command_Packets 1", "Command_Opcode 0xfd59", "Status 0", "Total_TX_Time 1",
      "Total_RX_Time 2", "Total_Idle_Time 3", "Total_Energy_Used 4",
    ]
  ),
  // A2DP Hardware Offload: Stop (Wireshark)
  (
    "01 5d fd 06 04 40 00 41 00 00",
    [
      "Sub_Opcode 4", "Connection_Handle 0x0040", "L2CAP_Channel_ID 0x0041",
      "Data_Path_Direction 0",
    ]
  ),
  // Bluetooth Quality Report (AOSP: ControllerBqr's test)
  (
    "01 5e fd 07 00 1f 00 07 00 88 13",
    ["Report_Action 0", "Quality_Event_Mask 0x0007001f", "Minimum_Report_Interval 5000"]
  ),
  (
    "04 0e 08 01 5e fd 00 1f 00 07 00",
    [
      "Num_HCI_Command_Packets 1", "Command_Opcode 0xfd5e", "Status 0",
      "Current_Quality_Event_Mask 0x0007001f",
    ]
  ),
  // The events (AOSP: StorageThresholdBreachEvent, LEAdvertiseStateChangeEvent,
  // LEAdvertisementTracking…)
  ("04 ff 01 54", []),
  (
    "04 ff 05 55 01 00 40 00",
    ["Advertising_Instance 1", "State_Change_Reason 0", "Connection_Handle 0x0040"]
  ),
  (
    "04 ff 14 56 01 00 00 55 44 33 22 11 c0 01 7f c4 0a 00 03 02 0a 04 00",
    [
      "Filter_Index 1", "Advertiser_State 0", "Advt_Info_Present 0",
      "Advertiser_Address c01122334455", "Advertiser_Address_Type 1", "TX_Power 127", "RSSI -60",
      "Timestamp 10", "Advertising_Data_Length 3", "Advertising_Data AD 020a04",
      "Scan_Response_Data_Length 0", "Scan_Response_Data AD ",
    ]
  ),
  (
    "04 ff 0b 56 01 01 01 55 44 33 22 11 c0 01",
    [
      "Filter_Index 1", "Advertiser_State 1", "Advt_Info_Present 1",
      "Advertiser_Address c01122334455", "Advertiser_Address_Type 1",
    ]
  ),
  // A quality report of this version (bumble)
  (
    "04 ff 56 58 01 52 40 00 00 09 b8 0c 03 01 40 1f 40 e2 01 00 07 00 00 00 08 00 00 00 09 00 00 "
      + "00 0a 00 00 00 0b 00 00 00 0c 00 00 00 0d 00 00 00 0e 00 00 00 55 44 33 22 11 c0 00 e8 03 "
      + "00 00 15 00 00 00 16 00 00 00 17 00 00 00 18 00 00 00 19 00 00 00 1a 00 00 00 01 00",
    [
      "Quality_Report_ID 1", "Packet_Type 82", "Connection_Handle 0x0040", "Connection_Role 0",
      "TX_Power_Level 9", "RSSI -72", "SNR 12", "Unused_AFH_Channel_Count 3",
      "AFH_Select_Unideal_Channel_Count 1", "LSTO 8000", "Connection_Piconet_Clock 123456",
      "Retransmission_Count 7", "No_RX_Count 8", "NAK_Count 9", "Last_TX_ACK_Timestamp 10",
      "Flow_Off_Count 11", "Last_Flow_On_Timestamp 12", "Buffer_Overflow_Bytes 13",
      "Buffer_Underflow_Bytes 14", "BD_ADDR c01122334455", "Cal_Failed_Item_Count 0",
      "TX_Total_Packets 1000", "TX_UnAcked_Packets 21", "TX_Flushed_Packets 22",
      "TX_Last_Subevent_Packets 23", "CRC_Error_Packets 24", "RX_Duplicate_Packets 25",
      "RX_Unreceived_Packets 26", "Vendor_Specific_Parameters bytes 0100",
    ]
  ),
  // Root inflammation (AOSP: BqrRootInflammationEvent)
  (
    "04 ff 04 58 05 1f 07",
    ["Quality_Report_ID 5", "Error_Code 31", "Vendor_Specific_Error_Code 0x07"]
  ),
]

@Suite struct HCIVendorTests {
  @Test(arguments: hciLaterFixtures + androidFixtures)
  func everyField(_ fixture: (bytes: String, fields: [String])) {
    let bytes = hex(fixture.bytes)
    let dissection = h4(bytes)
    let walked = walk(dissection, bytes)
    #expect(walked.entries == fixture.fields)
    #expect(walked.isConsistent)
    #expect(problems(dissection) == [])
  }

  /// Only length and version distinguish the capabilities' versions. Each may end where a version
  /// ends; inside a version, bytes are missing.
  @Test func capabilitiesOfEveryVersion() {
    let all = hex(
      "00 10 01 00 28 00 01 40 01 06 01 14 00 01 01 00 23 00 00 00 01 23 00 00 00 01 01 01 01 00 "
        + "00 0f ff 0f 05")
    let ends = [9, 15, 16, 21, 25, 26, 27, 28, 35]
    for count in 1...all.count {
      let packet = [4, 0x0e, UInt8(3 + count), 1, 0x53, 0xfd] + all.prefix(count)
      let dissection = h4(packet)
      let isOpen = (29..<35).contains(count)
      #expect(
        problems(dissection).isEmpty == (ends.contains(count) || isOpen),
        "\(count): \(problems(dissection))")
    }
  }

  /// Controllers that report version 0.99 have the codecs in the place of address generation.
  @Test func capabilitiesOfVersion099() {
    let bytes = hex("04 0e 16 01 53 fd 00 10 01 00 28 00 01 40 01 63 00 14 00 01 01 1f 00 00 00")
    let entries = walk(h4(bytes), bytes).entries
    #expect(entries.last == "A2DP_Source_Offload_Capability 0x0000001f")
    #expect(problems(h4(bytes)) == [])
  }

  /// A phone's 32 codecs: SBC, AAC and Opus.
  @Test func audioBuffers() {
    let times =
      "f4 01 f4 01 64 00 f4 01 f4 01 64 00" + String(repeating: " 00", count: 18)
      + " 04 01 f4 01 64 00" + String(repeating: " 00", count: 26 * 6)
    let bytes = hex("04 0e c9 01 5f fd 00 01 23 00 00 00 " + times)
    #expect(bytes.count == 204)
    let entries = walk(h4(bytes), bytes).entries
    #expect(
      entries.prefix(11) == [
        "Num_HCI_Command_Packets 1", "Command_Opcode 0xfd5f", "Status 0", "Sub_Opcode 1",
        "Codec_Types_Supported 0x00000023", "Codecs [", "{", "Default_Buffer_Time 500",
        "Maximum_Buffer_Time 500", "Minimum_Buffer_Time 100", "}",
      ])
    #expect(entries.count { $0 == "{" } == 32)
    #expect(problems(h4(bytes)) == [])
  }

  /// Bytes after an unknown subcommand are neither a problem nor parameters.
  @Test(arguments: ["01 57 fd 03 77 01 02", "01 54 fd 02 09 01", "04 0e 07 01 56 fd 00 04 09 00"])
  func unknownSubcommands(_ text: String) {
    let bytes = hex(text)
    #expect(problems(h4(bytes)) == [])
    #expect(h4(bytes).parameters?.row != nil)
  }

  /// A subcommand with truncated parameters, or with extra bytes.
  @Test(arguments: [
    ("01 54 fd 02 05 01", "tooShort@6(1,0)"), ("01 54 fd 04 05 01 02 03", "leftOver@7(1,0)"),
    ("01 57 fd 00", "tooShort@4(1,0)"), ("01 57 fd 03 00 01 02", "leftOver@6(1,0)"),
    // Four of the five bytes of a filter's features.
    ("01 57 fd 04 01 00 03 40", "tooShort@7(2,1)"),
  ])
  func subcommandsOfTheWrongLength(_ text: String, _ problem: String) {
    #expect(problems(h4(hex(text))) == [problem])
  }

  /// A UUID of an invalid length is shown as bytes.
  @Test func aFilterForNoUUID() {
    let bytes = hex("01 57 fd 09 03 00 06 01 02 03 ff ff ff")
    #expect(
      walk(h4(bytes), bytes).entries.suffix(2) == [
        "Service_UUID bytes 010203", "Service_UUID_Mask bytes ffffff",
      ])
  }

  /// MediaTek has another command with the number of Android's Dynamic Audio Buffer.
  @Test func anotherVendorsCommand() {
    let command = h4(hex("01 5f fd 20 01" + String(repeating: " 00", count: 31)))
    #expect(command.parameters?.row == nil && problems(command) == [])
    let done = h4(hex("04 0e 04 01 5f fd 00"))
    #expect(done.parameters?.completed == nil && problems(done) == [])
    #expect(h4(hex("01 5f fd 01 01")).parameters?.row != nil)
    #expect(h4(hex("04 0e 04 01 5f fd 12")).parameters?.completed != nil)
  }

  /// Other vendors' events are not Android's, whatever their first bytes.
  @Test(arguments: [
    "04 ff 02 54 00", "04 ff 04 55 01 00 40", "04 ff 06 55 01 00 40 00 07",
    "04 ff 0b 56 01 00 00 55 44 33 22 11 c0", "04 ff 07 57 00 00 00 09 00 01",
    "04 ff 03 58 77 01", "04 ff 03 58 01 52", "04 ff 02 06 00", "04 ff 00",
  ])
  func otherVendorsEvents(_ text: String) {
    let dissection = h4(hex(text))
    #expect(dissection.parameters?.row.map { $0.name.description } == "Vendor Specific")
    #expect(dissection.parameters?.outer == dissection.body)
  }

  /// A handle that is only in the chosen layout.
  @Test func handlesBehindASelector() {
    func handle(_ text: String) -> UInt16? {
      let bytes = hex(text)
      return h4(bytes).parameters?.connectionHandle(bytes.bytes)
    }
    #expect(handle("01 5d fd 06 04 41 20 41 00 00") == 0x41)
    #expect(handle("01 5d fd 01 02") == nil)
    #expect(handle("04 ff 05 58 11 42 00 01 02") == 0x42)
    #expect(handle("04 ff 04 58 05 1f 07") == nil)
    // Truncated before the handle.
    #expect(handle("01 5d fd 02 04 41") == nil)
  }

  /// An older quality report, followed by vendor-specific bytes.
  @Test func anOlderQualityReport() {
    let bytes = hex(
      "04 ff 33 58 02 11 40 00 00 09 b8 0c 03 01 40 1f 40 e2 01 00 07 00 00 00 08 00 00 00 09 00 00 "
        + "00 0a 00 00 00 0b 00 00 00 0c 00 00 00 0d 00 00 00 0e 00 00 00 aa bb")
    #expect(walk(h4(bytes), bytes).entries.last == "Buffer_Underflow_Bytes 14")
    #expect(problems(h4(bytes)) == [])
  }
}
