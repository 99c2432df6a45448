// The events except the LE Meta subevents. Core, Vol 4, Part E, 7.7. Codes and sizes were checked
// against BlueZ's monitor, names against tshark 4.0 and bumble. The AMP events (0x40 to 0x4d except
// 0x48) are withdrawn.

import Bluetooth

/// The events 0x01 to 0x23.
package let eventRows: [ParameterRow] = [
  .event(0x01, "Inquiry Complete", [.status]),
  .event(
    0x02, "Inquiry Result",
    [
      .count("Num_Responses", line: "responses"),
      .devices(
        "Responses",
        [
          .deviceAddress, .pageScanRepetition, .reserved(2),
          .u24("Class_Of_Device", .assigned(.deviceClass), line: "class"),
          .u16("Clock_Offset", .hex),
        ]),
    ]),
  .event(
    0x03, "Connection Complete",
    [
      .status, .connectionHandle, .deviceAddress, .u8("Link_Type", .code(.linkType), line: ""),
      .u8("Encryption_Enabled", .code(.onOff)),
    ]),
  .event(
    0x04, "Connection Request",
    [.deviceAddress, .classOfDevice, .u8("Link_Type", .code(.linkType), line: "")]),
  .event(0x05, "Disconnection Complete", [.status, .connectionHandle, .reason]),
  .event(0x06, "Authentication Complete", about: .security, [.status, .connectionHandle]),
  .event(
    0x07, "Remote Name Request Complete",
    [.status, .deviceAddress, .text("Remote_Name", 248, line: "")]),
  .event(
    0x08, "Encryption Change", about: .security,
    [.status, .connectionHandle, .u8("Encryption_Enabled", .code(.encryptionEnabled), line: "")]),
  .event(
    0x09, "Change Connection Link Key Complete", about: .security, [.status, .connectionHandle]),
  .event(
    0x0a, "Link Key Type Changed", about: .security,
    [.status, .connectionHandle, .u8("Key_Flag", .code(.keyFlag), line: "")]),
  .event(
    0x0b, "Read Remote Supported Features Complete",
    [.status, .connectionHandle, .u64("LMP_Features", .flags(.lmpFeatures), line: "")]),
  .event(
    0x0c, "Read Remote Version Information Complete",
    [
      .status, .connectionHandle, .u8("Version", .code(.coreVersion), line: "version"),
      .u16("Company_Identifier", .assigned(.company), line: "company"), .u16("Subversion", .hex),
    ]),
  .event(
    0x0d, "QoS Setup Complete",
    [
      .status, .connectionHandle, .bytes("Unused", 1),
      .u8("Service_Type", .code(.serviceType), line: ""), .u32("Token_Rate"),
      .u32("Peak_Bandwidth"), .u32("Latency", .scaled(.microseconds)),
      .u32("Delay_Variation", .scaled(.microseconds)),
    ]),
  .event(
    0x0e, "Command Complete",
    [.u8("Num_HCI_Command_Packets"), .u16("Command_Opcode", .opcode, line: "")]),
  .event(
    0x0f, "Command Status",
    [.status, .u8("Num_HCI_Command_Packets"), .u16("Command_Opcode", .opcode, line: "")]),
  .event(0x10, "Hardware Error", [.u8("Hardware_Code", .hex, line: "code")]),
  .event(0x11, "Flush Occurred", [.connectionHandle]),
  .event(
    0x12, "Role Change", [.status, .deviceAddress, .u8("New_Role", .code(.role), line: "")]),
  .event(
    0x13, "Number Of Completed Packets",
    [
      .count("Num_Handles"),
      .list("Handles", [.connectionHandle, .u16("Num_Completed_Packets", line: "")]),
    ]),
  .event(
    0x14, "Mode Change",
    [
      .status, .connectionHandle, .u8("Current_Mode", .code(.powerMode), line: ""),
      .u16("Interval", .scaled(.slots), line: "interval"),
    ]),
  .event(
    0x15, "Return Link Keys", about: .security,
    [
      .count("Num_Keys", line: "keys"),
      .list("Keys", [.address("BD_ADDR"), .secret("Link_Key", 16)]),
    ]),
  .event(0x16, "PIN Code Request", about: .security, [.deviceAddress]),
  .event(0x17, "Link Key Request", about: .security, [.deviceAddress]),
  .event(
    0x18, "Link Key Notification", about: .security,
    [
      .deviceAddress, .secret("Link_Key", 16, line: "link key"),
      .u8("Key_Type", .code(.linkKeyType), line: ""),
    ]),
  // Any command, including those that contain keys.
  .event(0x19, "Loopback Command", [.countedSecret("HCI_Command_Packet")]),
  .event(
    0x1a, "Data Buffer Overflow", [.u8("Link_Type", .code(.overflowLinkType), line: "")]),
  .event(0x1b, "Max Slots Change", [.connectionHandle, .u8("LMP_Max_Slots", line: "slots")]),
  .event(
    0x1c, "Read Clock Offset Complete",
    [.status, .connectionHandle, .u16("Clock_Offset", .hex, line: "offset")]),
  .event(
    0x1d, "Connection Packet Type Changed",
    [.status, .connectionHandle, .u16("Packet_Type", .flags(.aclPacketTypes), line: "")]),
  .event(0x1e, "QoS Violation", [.connectionHandle]),
  .event(0x1f, "Page Scan Mode Change", [.deviceAddress, .u8("Page_Scan_Mode", line: "mode")]),
  .event(
    0x20, "Page Scan Repetition Mode Change",
    [.deviceAddress, .u8("Page_Scan_Repetition_Mode", .code(.pageScanRepetition), line: "")]),
  .event(
    0x21, "Flow Specification Complete",
    [
      .status, .connectionHandle, .bytes("Unused", 1),
      .u8("Flow_Direction", .code(.flowDirection), line: ""),
      .u8("Service_Type", .code(.serviceType), line: ""), .u32("Token_Rate"),
      .u32("Token_Bucket_Size"), .u32("Peak_Bandwidth"),
      .u32("Access_Latency", .scaled(.microseconds)),
    ]),
  .event(
    0x22, "Inquiry Result with RSSI",
    [
      .count("Num_Responses", line: "responses"),
      .devices(
        "Responses",
        [
          .deviceAddress, .pageScanRepetition, .reserved(1),
          .u24("Class_Of_Device", .assigned(.deviceClass), line: "class"),
          .u16("Clock_Offset", .hex),
          .i8("RSSI", .scaled(.signal), line: ""),
        ]),
    ]),
  .event(
    0x23, "Read Remote Extended Features Complete",
    [
      .status, .connectionHandle, .page("Page_Number"), .u8("Max_Page_Number", line: "of"),
      .extendedFeatures,
    ]),
]

/// The events from 0x2c on.
package let eventLaterRows: [ParameterRow] = [
  .event(
    0x2c, "Synchronous Connection Complete",
    [
      .status, .connectionHandle, .deviceAddress, .u8("Link_Type", .code(.linkType), line: ""),
      .u8("Transmission_Interval", .scaled(.slots)), .u8("Retransmission_Window", .scaled(.slots)),
      .u16("RX_Packet_Length", .scaled(.octets)), .u16("TX_Packet_Length", .scaled(.octets)),
      .u8("Air_Mode", .code(.airMode), line: ""),
    ]),
  .event(
    0x2d, "Synchronous Connection Changed",
    [
      .status, .connectionHandle, .u8("Transmission_Interval", .scaled(.slots), line: "interval"),
      .u8("Retransmission_Window", .scaled(.slots)), .u16("RX_Packet_Length", .scaled(.octets)),
      .u16("TX_Packet_Length", .scaled(.octets)),
    ]),
  .event(
    0x2e, "Sniff Subrating",
    [
      .status, .connectionHandle, .u16("Max_TX_Latency", .scaled(.slots), line: "tx"),
      .u16("Max_RX_Latency", .scaled(.slots), line: "rx"),
      .u16("Min_Remote_Timeout", .scaled(.slots)), .u16("Min_Local_Timeout", .scaled(.slots)),
    ]),
  .event(
    0x2f, "Extended Inquiry Result",
    [
      .u8("Num_Responses"), .deviceAddress, .pageScanRepetition, .reserved(1), .classOfDevice,
      .u16("Clock_Offset", .hex), .rssi,
      .advertisingData("Extended_Inquiry_Response", field: 240, line: ""),
    ]),
  .event(0x30, "Encryption Key Refresh Complete", about: .security, [.status, .connectionHandle]),
  .event(0x31, "IO Capability Request", about: .security, [.deviceAddress]),
  .event(
    0x32, "IO Capability Response", about: .security,
    [
      .deviceAddress, .u8("IO_Capability", .code(.ioCapability), line: ""),
      .u8("OOB_Data_Present", .code(.oobDataPresent)),
      .u8("Authentication_Requirements", .code(.authenticationRequirements), line: ""),
    ]),
  .event(
    0x33, "User Confirmation Request", about: .security,
    [.deviceAddress, .u32("Numeric_Value", .sixDigits, line: "number")]),
  .event(0x34, "User Passkey Request", about: .security, [.deviceAddress]),
  .event(0x35, "Remote OOB Data Request", about: .security, [.deviceAddress]),
  .event(0x36, "Simple Pairing Complete", about: .security, [.status, .deviceAddress]),
  .event(
    0x38, "Link Supervision Timeout Changed",
    [.connectionHandle, .u16("Link_Supervision_Timeout", .scaled(.slots), line: "")]),
  .event(0x39, "Enhanced Flush Complete", [.connectionHandle]),
  .event(
    0x3b, "User Passkey Notification", about: .security,
    [.deviceAddress, .secret("Passkey", 4, .passkey, line: "passkey")]),
  .event(
    0x3c, "Keypress Notification", about: .security,
    [.deviceAddress, .u8("Notification_Type", .code(.keypress), line: "")]),
  .event(
    0x3d, "Remote Host Supported Features Notification",
    [.deviceAddress, .u64("Host_Supported_Features", .flags(.lmpFeatures1))]),
  // For an event that ends before its subevent code; all others have their own rows.
  .event(0x3e, "LE Meta", [.u8("Subevent_Code", .hex)]),
  .event(0x40, "Physical Link Complete", [.status, .u8("Physical_Link_Handle", .hex)]),
  .event(0x41, "Channel Selected", [.u8("Physical_Link_Handle", .hex)]),
  .event(
    0x42, "Disconnection Physical Link Complete",
    [.status, .u8("Physical_Link_Handle", .hex), .reason]),
  .event(0x43, "Physical Link Loss Early Warning", [.u8("Physical_Link_Handle", .hex), .reason]),
  .event(0x44, "Physical Link Recovery", [.u8("Physical_Link_Handle", .hex)]),
  .event(
    0x45, "Logical Link Complete",
    [
      .status, .u16("Logical_Link_Handle", .handle), .u8("Physical_Link_Handle", .hex),
      .u8("TX_Flow_Spec_ID", .hex),
    ]),
  .event(
    0x46, "Disconnection Logical Link Complete",
    [.status, .u16("Logical_Link_Handle", .handle), .reason]),
  .event(0x47, "Flow Spec Modify Complete", [.status, .u16("Handle", .handle)]),
  .event(
    0x48, "Number Of Completed Data Blocks",
    [
      .u16("Total_Num_Data_Blocks"), .count("Num_Handles"),
      .list(
        "Handles",
        [
          .connectionHandle, .u16("Num_Completed_Packets", line: "packets"),
          .u16("Num_Completed_Blocks"),
        ]),
    ]),
  .event(0x49, "AMP Start Test"),
  .event(0x4a, "AMP Test End"),
  .event(0x4b, "AMP Receiver Report"),
  .event(
    0x4c, "Short Range Mode Change Complete",
    [
      .status, .u8("Physical_Link_Handle", .hex),
      .u8("Short_Range_Mode_State", .code(.onOff), line: ""),
    ]),
  .event(0x4d, "AMP Status Change", [.status, .u8("AMP_Status", .hex, line: "status")]),
  .event(
    0x4e, "Triggered Clock Capture",
    [
      .connectionHandle, .u8("Which_Clock", .code(.whichClock), line: ""),
      .u32("Clock", .hex, line: "clock"), .u16("Slot_Offset", .scaled(.microseconds)),
    ]),
  .event(0x4f, "Synchronization Train Complete", [.status]),
  .event(
    0x50, "Synchronization Train Received",
    [
      .status, .deviceAddress, .u32("Clock_Offset", .hex), .bytes("AFH_Channel_Map", 10, .harmless),
      .u8("LT_ADDR"), .u32("Next_Broadcast_Instant", .hex),
      .u16("Connectionless_Peripheral_Broadcast_Interval", .scaled(.slots), line: "interval"),
      .u8("Service_Data", .hex),
    ]),
  .event(
    0x51, "Connectionless Peripheral Broadcast Receive",
    [
      .deviceAddress, .u8("LT_ADDR"), .u32("Clock", .hex), .u32("Offset"),
      .u8("RX_Status", .hex), .u8("Fragment"), .count("Data_Length", line: "length"),
      .counted("Data", .advertised),
    ]),
  .event(
    0x52, "Connectionless Peripheral Broadcast Timeout", [.deviceAddress, .u8("LT_ADDR")]),
  .event(0x53, "Truncated Page Complete", [.status, .deviceAddress]),
  .event(0x54, "Peripheral Page Response Timeout", []),
  .event(
    0x55, "Connectionless Peripheral Broadcast Channel Map Change",
    [.bytes("Channel_Map", 10, .harmless)]),
  .event(
    0x56, "Inquiry Response Notification",
    [.u24("LAP", .hex, line: "LAP"), .i8("RSSI", .scaled(.signal), line: "RSSI")]),
  .event(0x57, "Authenticated Payload Timeout Expired", about: .security, [.connectionHandle]),
  // [mem]
  .event(
    0x58, "SAM Status Change",
    [
      .connectionHandle, .u8("Local_SAM_Index", .hex, line: "local"),
      .u8("Local_SAM_TX_Availability"), .u8("Local_SAM_RX_Availability"),
      .u8("Remote_SAM_Index", .hex, line: "remote"), .u8("Remote_SAM_TX_Availability"),
      .u8("Remote_SAM_RX_Availability"),
    ]),
  .event(
    0x59, "Encryption Change [v2]", about: .security,
    [
      .status, .connectionHandle,
      .u8("Encryption_Enabled", .code(.encryptionEnabled), line: ""),
      .u8("Encryption_Key_Size", line: "key size"),
    ]),
  .event(0xff, "Vendor Specific"),
]
