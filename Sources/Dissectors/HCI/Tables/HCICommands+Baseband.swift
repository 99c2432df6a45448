// OGF 3, the Controller & Baseband commands. Core, Vol 4, Part E, 7.3. Codes and sizes were checked
// against BlueZ's monitor, names against tshark 4.0 and bumble. Commands that only AMP or old
// versions had are listed without parameters.

import Bluetooth

/// The Controller & Baseband commands, 0x0c01 to 0x0c2c.
package let basebandRows: [ParameterRow] = [
  .command(
    0x0c01, "Set Event Mask", [.u64("Event_Mask", .flags(.eventMask))], returns: [.status]),
  .command(0x0c03, "Reset", [], returns: [.status]),
  .command(
    0x0c05, "Set Event Filter",
    Parameter.eventFilter, returns: [.status]),
  .command(0x0c08, "Flush", [.connectionHandle], returns: [.status, .connectionHandle]),
  .command(
    0x0c09, "Read PIN Type", about: .security, [],
    returns: [.status, .u8("PIN_Type", .code(.pinType), line: "")]),
  .command(
    0x0c0a, "Write PIN Type", about: .security, [.u8("PIN_Type", .code(.pinType), line: "")],
    returns: [.status]),
  .command(0x0c0b, "Create New Unit Key", about: .security, [], returns: [.status]),
  .command(
    0x0c0d, "Read Stored Link Key", about: .security,
    [.deviceAddress, .u8("Read_All", .code(.yesNo))],
    returns: [.status, .u16("Max_Num_Keys"), .u16("Num_Keys_Read", line: "keys")]),
  .command(
    0x0c11, "Write Stored Link Key", about: .security,
    [
      .count("Num_Keys_To_Write", line: "keys"),
      .list("Keys", [.address("BD_ADDR"), .secret("Link_Key", 16)]),
    ],
    returns: [.status, .u8("Num_Keys_Written", line: "keys")]),
  .command(
    0x0c12, "Delete Stored Link Key", about: .security,
    [.deviceAddress, .u8("Delete_All", .code(.yesNo))],
    returns: [.status, .u16("Num_Keys_Deleted", line: "keys")]),
  .command(0x0c13, "Write Local Name", [.text("Local_Name", 248, line: "")], returns: [.status]),
  .command(
    0x0c14, "Read Local Name", [], returns: [.status, .text("Local_Name", 248, line: "")]),
  .command(
    0x0c15, "Read Connection Accept Timeout", [],
    returns: [.status, .u16("Connection_Accept_Timeout", .scaled(.slots), line: "")]),
  .command(
    0x0c16, "Write Connection Accept Timeout",
    [.u16("Connection_Accept_Timeout", .scaled(.slots), line: "")], returns: [.status]),
  .command(
    0x0c17, "Read Page Timeout", [],
    returns: [.status, .u16("Page_Timeout", .scaled(.slots), line: "")]),
  .command(
    0x0c18, "Write Page Timeout", [.u16("Page_Timeout", .scaled(.slots), line: "")],
    returns: [.status]),
  .command(
    0x0c19, "Read Scan Enable", [],
    returns: [.status, .u8("Scan_Enable", .code(.scanEnable), line: "")]),
  .command(
    0x0c1a, "Write Scan Enable", [.u8("Scan_Enable", .code(.scanEnable), line: "")],
    returns: [.status]),
  .command(
    0x0c1b, "Read Page Scan Activity", [],
    returns: [
      .status, .u16("Page_Scan_Interval", .scaled(.slots), line: "interval"),
      .u16("Page_Scan_Window", .scaled(.slots), line: "window"),
    ]),
  .command(
    0x0c1c, "Write Page Scan Activity",
    [
      .u16("Page_Scan_Interval", .scaled(.slots), line: "interval"),
      .u16("Page_Scan_Window", .scaled(.slots), line: "window"),
    ], returns: [.status]),
  .command(
    0x0c1d, "Read Inquiry Scan Activity", [],
    returns: [
      .status, .u16("Inquiry_Scan_Interval", .scaled(.slots), line: "interval"),
      .u16("Inquiry_Scan_Window", .scaled(.slots), line: "window"),
    ]),
  .command(
    0x0c1e, "Write Inquiry Scan Activity",
    [
      .u16("Inquiry_Scan_Interval", .scaled(.slots), line: "interval"),
      .u16("Inquiry_Scan_Window", .scaled(.slots), line: "window"),
    ], returns: [.status]),
  .command(
    0x0c1f, "Read Authentication Enable", about: .security, [],
    returns: [.status, .u8("Authentication_Enable", .code(.onOff), line: "")]),
  .command(
    0x0c20, "Write Authentication Enable", about: .security,
    [.u8("Authentication_Enable", .code(.onOff), line: "")], returns: [.status]),
  .command(
    0x0c21, "Read Encryption Mode", about: .security, [],
    returns: [.status, .u8("Encryption_Mode", .code(.encryptionMode), line: "")]),
  .command(
    0x0c22, "Write Encryption Mode", about: .security,
    [.u8("Encryption_Mode", .code(.encryptionMode), line: "")],
    returns: [.status]),
  .command(
    0x0c23, "Read Class Of Device", [], returns: [.status, .classOfDevice]
  ),
  .command(
    0x0c24, "Write Class Of Device", [.classOfDevice], returns: [.status]),
  .command(
    0x0c25, "Read Voice Setting", [],
    returns: [.status, .u16("Voice_Setting", .hex, line: "setting")]),
  .command(
    0x0c26, "Write Voice Setting", [.u16("Voice_Setting", .hex, line: "setting")],
    returns: [.status]),
  .command(
    0x0c27, "Read Automatic Flush Timeout", [.connectionHandle],
    returns: [.status, .connectionHandle, .u16("Flush_Timeout", .scaled(.slots), line: "")]),
  .command(
    0x0c28, "Write Automatic Flush Timeout",
    [.connectionHandle, .u16("Flush_Timeout", .scaled(.slots), line: "")],
    returns: [.status, .connectionHandle]),
  .command(
    0x0c29, "Read Num Broadcast Retransmissions", [],
    returns: [.status, .u8("Num_Broadcast_Retransmissions", line: "retransmissions")]),
  .command(
    0x0c2a, "Write Num Broadcast Retransmissions",
    [.u8("Num_Broadcast_Retransmissions", line: "retransmissions")], returns: [.status]),
  .command(
    0x0c2b, "Read Hold Mode Activity", [],
    returns: [.status, .u8("Hold_Mode_Activity", .flags(.holdModeActivity), line: "")]),
  .command(
    0x0c2c, "Write Hold Mode Activity",
    [.u8("Hold_Mode_Activity", .flags(.holdModeActivity), line: "")], returns: [.status]),
]

/// The Controller & Baseband commands, 0x0c2d to 0x0c53.
package let basebandFlowRows: [ParameterRow] = [
  .command(
    0x0c2d, "Read Transmit Power Level",
    [.connectionHandle, .u8("Type", .code(.txPowerLevelType), line: "")],
    returns: [.status, .connectionHandle, .i8("TX_Power_Level", .scaled(.dBm), line: "")]),
  .command(
    0x0c2e, "Read Synchronous Flow Control Enable", [],
    returns: [.status, .u8("Synchronous_Flow_Control_Enable", .code(.onOff), line: "")]),
  .command(
    0x0c2f, "Write Synchronous Flow Control Enable",
    [.u8("Synchronous_Flow_Control_Enable", .code(.onOff), line: "")], returns: [.status]),
  .command(
    0x0c31, "Set Controller To Host Flow Control",
    [.u8("Flow_Control_Enable", .code(.flowControl), line: "")], returns: [.status]),
  .command(
    0x0c33, "Host Buffer Size",
    [
      .u16("Host_ACL_Data_Packet_Length", line: "ACL length"),
      .u8("Host_Synchronous_Data_Packet_Length"),
      .u16("Host_Total_Num_ACL_Data_Packets", line: "packets"),
      .u16("Host_Total_Num_Synchronous_Data_Packets"),
    ], returns: [.status]),
  .command(
    0x0c35, "Host Number Of Completed Packets",
    [
      .count("Num_Handles"),
      .list(
        "Handles", [.connectionHandle, .u16("Host_Num_Completed_Packets", line: "packets")]),
    ], returns: [.status]),
  .command(
    0x0c36, "Read Link Supervision Timeout", [.connectionHandle],
    returns: [
      .status, .connectionHandle, .u16("Link_Supervision_Timeout", .scaled(.slots), line: ""),
    ]),
  .command(
    0x0c37, "Write Link Supervision Timeout",
    [.connectionHandle, .u16("Link_Supervision_Timeout", .scaled(.slots), line: "")],
    returns: [.status, .connectionHandle]),
  .command(
    0x0c38, "Read Number Of Supported IAC", [],
    returns: [.status, .u8("Num_Supported_IAC", line: "codes")]),
  .command(
    0x0c39, "Read Current IAC LAP", [],
    returns: [.status, .count("Num_Current_IAC"), .list("IACs", [.u24("IAC_LAP", .hex)])]),
  .command(
    0x0c3a, "Write Current IAC LAP",
    [.count("Num_Current_IAC"), .list("IACs", [.u24("IAC_LAP", .hex)])], returns: [.status]),
  .command(
    0x0c3b, "Read Page Scan Period Mode", [], returns: [.status, .u8("Page_Scan_Period_Mode")]),
  .command(
    0x0c3c, "Write Page Scan Period Mode", [.u8("Page_Scan_Period_Mode")], returns: [.status]),
  .command(0x0c3d, "Read Page Scan Mode", [], returns: [.status, .u8("Page_Scan_Mode")]),
  .command(0x0c3e, "Write Page Scan Mode", [.u8("Page_Scan_Mode")], returns: [.status]),
  .command(
    0x0c3f, "Set AFH Host Channel Classification",
    [.bytes("AFH_Host_Channel_Classification", 10, .harmless)], returns: [.status]),
  .command(
    0x0c42, "Read Inquiry Scan Type", [],
    returns: [.status, .u8("Inquiry_Scan_Type", .code(.interlacedScan), line: "")]),
  .command(
    0x0c43, "Write Inquiry Scan Type",
    [.u8("Inquiry_Scan_Type", .code(.interlacedScan), line: "")], returns: [.status]),
  .command(
    0x0c44, "Read Inquiry Mode", [],
    returns: [.status, .u8("Inquiry_Mode", .code(.inquiryMode), line: "")]),
  .command(
    0x0c45, "Write Inquiry Mode", [.u8("Inquiry_Mode", .code(.inquiryMode), line: "")],
    returns: [.status]),
  .command(
    0x0c46, "Read Page Scan Type", [],
    returns: [.status, .u8("Page_Scan_Type", .code(.interlacedScan), line: "")]),
  .command(
    0x0c47, "Write Page Scan Type", [.u8("Page_Scan_Type", .code(.interlacedScan), line: "")],
    returns: [.status]),
  .command(
    0x0c48, "Read AFH Channel Assessment Mode", [],
    returns: [.status, .u8("AFH_Channel_Assessment_Mode", .code(.onOff), line: "")]),
  .command(
    0x0c49, "Write AFH Channel Assessment Mode",
    [.u8("AFH_Channel_Assessment_Mode", .code(.onOff), line: "")], returns: [.status]),
  .command(
    0x0c51, "Read Extended Inquiry Response", [],
    returns: [
      .status, .u8("FEC_Required", .code(.yesNo)),
      .advertisingData("Extended_Inquiry_Response", field: 240, line: ""),
    ]),
  .command(
    0x0c52, "Write Extended Inquiry Response",
    [
      .u8("FEC_Required", .code(.yesNo)),
      .advertisingData("Extended_Inquiry_Response", field: 240, line: ""),
    ],
    returns: [.status]),
  .command(0x0c53, "Refresh Encryption Key", about: .security, [.connectionHandle]),
]

/// The Controller & Baseband commands, from 0x0c55 on.
package let basebandPairingRows: [ParameterRow] = [
  .command(
    0x0c55, "Read Simple Pairing Mode", about: .security, [],
    returns: [.status, .u8("Simple_Pairing_Mode", .code(.onOff), line: "")]),
  .command(
    0x0c56, "Write Simple Pairing Mode", about: .security,
    [.u8("Simple_Pairing_Mode", .code(.onOff), line: "")],
    returns: [.status]),
  .command(
    0x0c57, "Read Local OOB Data", about: .security, [],
    returns: [.status, .secret("C", 16), .secret("R", 16)]),
  .command(
    0x0c58, "Read Inquiry Response Transmit Power Level", [],
    returns: [.status, .i8("TX_Power", .scaled(.dBm), line: "")]),
  .command(
    0x0c59, "Write Inquiry Transmit Power Level", [.i8("TX_Power", .scaled(.dBm), line: "")],
    returns: [.status]),
  .command(
    0x0c5a, "Read Default Erroneous Data Reporting", [],
    returns: [.status, .u8("Erroneous_Data_Reporting", .code(.onOff), line: "")]),
  .command(
    0x0c5b, "Write Default Erroneous Data Reporting",
    [.u8("Erroneous_Data_Reporting", .code(.onOff), line: "")], returns: [.status]),
  .command(
    0x0c5f, "Enhanced Flush", [.connectionHandle, .u8("Packet_Type", .code(.flushPacketType))]),
  .command(
    0x0c60, "Send Keypress Notification", about: .security,
    [.deviceAddress, .u8("Notification_Type", .code(.keypress), line: "")],
    returns: [.status, .deviceAddress]),
  .command(
    0x0c61, "Read Logical Link Accept Timeout", [],
    returns: [.status, .u16("Logical_Link_Accept_Timeout", .scaled(.slots), line: "")]),
  .command(
    0x0c62, "Write Logical Link Accept Timeout",
    [.u16("Logical_Link_Accept_Timeout", .scaled(.slots), line: "")], returns: [.status]),
  .command(
    0x0c63, "Set Event Mask Page 2", [.u64("Event_Mask_Page_2", .flags(.eventMask2))],
    returns: [.status]),
  .command(0x0c64, "Read Location Data", [], returns: [.status] + Parameter.location),
  .command(0x0c65, "Write Location Data", Parameter.location, returns: [.status]),
  .command(
    0x0c66, "Read Flow Control Mode", [],
    returns: [.status, .u8("Flow_Control_Mode", .code(.flowControlMode), line: "")]),
  .command(
    0x0c67, "Write Flow Control Mode",
    [.u8("Flow_Control_Mode", .code(.flowControlMode), line: "")], returns: [.status]),
  .command(
    0x0c68, "Read Enhanced Transmit Power Level",
    [.connectionHandle, .u8("Type", .code(.txPowerLevelType), line: "")],
    returns: [
      .status, .connectionHandle, .i8("TX_Power_Level_GFSK", .scaled(.dBm), line: "GFSK"),
      .i8("TX_Power_Level_DQPSK", .scaled(.dBm), line: "DQPSK"),
      .i8("TX_Power_Level_8DPSK", .scaled(.dBm), line: "8DPSK"),
    ]),
  .command(
    0x0c69, "Read Best Effort Flush Timeout", [.u16("Logical_Link_Handle", .handle)],
    returns: [.status, .u32("Best_Effort_Flush_Timeout", .scaled(.microseconds), line: "")]),
  .command(
    0x0c6a, "Write Best Effort Flush Timeout",
    [
      .u16("Logical_Link_Handle", .handle),
      .u32("Best_Effort_Flush_Timeout", .scaled(.microseconds), line: ""),
    ], returns: [.status]),
  .command(
    0x0c6b, "Short Range Mode",
    [.u8("Physical_Link_Handle", .hex), .u8("Short_Range_Mode", .code(.onOff), line: "")]),
  .command(
    0x0c6c, "Read LE Host Support", [],
    returns: [.status, .u8("LE_Supported_Host", .code(.onOff), line: ""), .bytes("Unused", 1)]),
  .command(
    0x0c6d, "Write LE Host Support",
    [.u8("LE_Supported_Host", .code(.onOff), line: ""), .bytes("Unused", 1)], returns: [.status]),
  .command(0x0c6e, "Set MWS Channel Parameters", returns: [.status]),
  .command(0x0c6f, "Set External Frame Configuration", returns: [.status]),
  .command(0x0c70, "Set MWS Signaling"),
  .command(0x0c71, "Set MWS Transport Layer", returns: [.status]),
  .command(0x0c72, "Set MWS Scan Frequency Table", returns: [.status]),
  .command(0x0c73, "Set MWS PATTERN Configuration", returns: [.status]),
  .command(0x0c74, "Set Reserved LT ADDR", [.u8("LT_ADDR")], returns: [.status, .u8("LT_ADDR")]),
  .command(
    0x0c75, "Delete Reserved LT ADDR", [.u8("LT_ADDR")], returns: [.status, .u8("LT_ADDR")]),
  .command(
    0x0c76, "Set Connectionless Peripheral Broadcast Data",
    [
      .u8("LT_ADDR"), .u8("Fragment"), .count("Data_Length", line: "length"),
      .counted("Data", .advertised),
    ],
    returns: [.status, .u8("LT_ADDR")]),
  .command(
    0x0c77, "Read Synchronization Train Parameters", [],
    returns: [
      .status, .u16("Sync_Train_Interval", .scaled(.slots), line: "interval"),
      .u32("Sync_Train_Timeout", .scaled(.slots), line: "timeout"), .u8("Service_Data", .hex),
    ]),
  .command(
    0x0c78, "Write Synchronization Train Parameters",
    [
      .u16("Interval_Min", .scaled(.slots), line: "interval"),
      .u16("Interval_Max", .scaled(.slots), line: "-"),
      .u32("Sync_Train_Timeout", .scaled(.slots), line: "timeout"), .u8("Service_Data", .hex),
    ],
    returns: [.status, .u16("Sync_Train_Interval", .scaled(.slots), line: "interval")]),
  .command(
    0x0c79, "Read Secure Connections Host Support", about: .security, [],
    returns: [.status, .u8("Secure_Connections_Host_Support", .code(.onOff), line: "")]),
  .command(
    0x0c7a, "Write Secure Connections Host Support", about: .security,
    [.u8("Secure_Connections_Host_Support", .code(.onOff), line: "")], returns: [.status]),
  .command(
    0x0c7b, "Read Authenticated Payload Timeout", about: .security, [.connectionHandle],
    returns: [
      .status, .connectionHandle,
      .u16("Authenticated_Payload_Timeout", .scaled(.timeout), line: ""),
    ]),
  .command(
    0x0c7c, "Write Authenticated Payload Timeout", about: .security,
    [.connectionHandle, .u16("Authenticated_Payload_Timeout", .scaled(.timeout), line: "")],
    returns: [.status, .connectionHandle]),
  .command(
    0x0c7d, "Read Local OOB Extended Data", about: .security, [],
    returns: [
      .status, .secret("C_192", 16), .secret("R_192", 16), .secret("C_256", 16),
      .secret("R_256", 16),
    ]),
  .command(
    0x0c7e, "Read Extended Page Timeout", [],
    returns: [.status, .u16("Extended_Page_Timeout", .scaled(.slots), line: "")]),
  .command(
    0x0c7f, "Write Extended Page Timeout",
    [.u16("Extended_Page_Timeout", .scaled(.slots), line: "")], returns: [.status]),
  .command(
    0x0c80, "Read Extended Inquiry Length", [],
    returns: [.status, .u16("Extended_Inquiry_Length", .scaled(.slots), line: "")]),
  .command(
    0x0c81, "Write Extended Inquiry Length",
    [.u16("Extended_Inquiry_Length", .scaled(.slots), line: "")], returns: [.status]),
  .command(
    0x0c82, "Set Ecosystem Base Interval", [.u16("Interval", .scaled(.interval), line: "")],
    returns: [.status]),
  .command(
    0x0c83, "Configure Data Path",
    [
      .u8("Data_Path_Direction", .code(.dataPathDirection), line: ""),
      .u8("Data_Path_ID", .code(.dataPath)),
      .count("Vendor_Specific_Config_Length"), .counted("Vendor_Specific_Config", .vendors),
    ], returns: [.status]),
  .command(
    0x0c84, "Set Min Encryption Key Size", about: .security,
    [.u8("Min_Encryption_Key_Size", line: "key size")],
    returns: [.status]),
]

extension Parameter {
  /// The Controller's location for radio regulations; the region is two letters of ISO 3166-1.
  fileprivate static let location: [Parameter] = [
    u8("Location_Domain_Aware", .code(.yesNo)), text("Location_Domain", 2, line: ""),
    u8("Location_Domain_Options", .hex), u8("Location_Options", .hex),
  ]
}
