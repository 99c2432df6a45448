// OGF 1, the Link Control commands. Core, Vol 4, Part E, 7.1. Codes and sizes were checked against
// BlueZ's monitor, names against tshark 4.0 and bumble. The AMP commands (0x0435 to 0x043c) and Add
// SCO Connection are withdrawn, but occur in old captures.

import Bluetooth

/// The Link Control commands, 0x0401 to 0x0420, and opcode 0, with which a Controller reports in
/// Command Complete that it accepts commands again.
package let linkControlRows: [ParameterRow] = [
  .command(0x0000, "NOP", []),
  .command(
    0x0401, "Inquiry",
    [
      .u24("LAP", .hex), .u8("Inquiry_Length", .scaled(.inquiry), line: ""), .u8("Num_Responses"),
    ]),
  .command(0x0402, "Inquiry Cancel", [], returns: [.status]),
  .command(
    0x0403, "Periodic Inquiry Mode",
    [
      .u16("Max_Period_Length", .scaled(.inquiry)), .u16("Min_Period_Length", .scaled(.inquiry)),
      .u24("LAP", .hex), .u8("Inquiry_Length", .scaled(.inquiry), line: ""), .u8("Num_Responses"),
    ], returns: [.status]),
  .command(0x0404, "Exit Periodic Inquiry Mode", [], returns: [.status]),
  .command(
    0x0405, "Create Connection",
    [
      .deviceAddress, .u16("Packet_Type", .flags(.aclPacketTypes)), .pageScanRepetition,
      .reserved(1), .u16("Clock_Offset", .hex),
      .u8("Allow_Role_Switch", .code(.allowRoleSwitch)),
    ]),
  .command(0x0406, "Disconnect", [.connectionHandle, .reasonGiven]),
  .command(
    0x0407, "Add SCO Connection", [.connectionHandle, .u16("Packet_Type", .flags(.aclPacketTypes))]),
  .command(
    0x0408, "Create Connection Cancel", [.deviceAddress], returns: [.status, .deviceAddress]),
  .command(
    0x0409, "Accept Connection Request", [.deviceAddress, .u8("Role", .code(.role), line: "")]),
  .command(0x040a, "Reject Connection Request", [.deviceAddress, .reasonGiven]),
  .command(
    0x040b, "Link Key Request Reply", about: .security,
    [.deviceAddress, .secret("Link_Key", 16, line: "link key")],
    returns: [.status, .deviceAddress]),
  .command(
    0x040c, "Link Key Request Negative Reply", about: .security, [.deviceAddress],
    returns: [.status, .deviceAddress]),
  .command(
    0x040d, "PIN Code Request Reply", about: .security,
    [.deviceAddress, .u8("PIN_Code_Length"), .secret("PIN_Code", 16, .pin, line: "PIN")],
    returns: [.status, .deviceAddress]),
  .command(
    0x040e, "PIN Code Request Negative Reply", about: .security, [.deviceAddress],
    returns: [.status, .deviceAddress]),
  .command(
    0x040f, "Change Connection Packet Type",
    [.connectionHandle, .u16("Packet_Type", .flags(.aclPacketTypes), line: "")]),
  .command(0x0411, "Authentication Requested", about: .security, [.connectionHandle]),
  .command(
    0x0413, "Set Connection Encryption", about: .security,
    [.connectionHandle, .u8("Encryption_Enable", .code(.onOff), line: "")]),
  .command(0x0415, "Change Connection Link Key", about: .security, [.connectionHandle]),
  .command(
    0x0417, "Link Key Selection", about: .security, [.u8("Key_Flag", .code(.keyFlag), line: "")]),
  .command(
    0x0419, "Remote Name Request",
    [.deviceAddress, .pageScanRepetition, .reserved(1), .u16("Clock_Offset", .hex)]),
  .command(
    0x041a, "Remote Name Request Cancel", [.deviceAddress], returns: [.status, .deviceAddress]),
  .command(0x041b, "Read Remote Supported Features", [.connectionHandle]),
  .command(
    0x041c, "Read Remote Extended Features",
    [.connectionHandle, .u8("Page_Number", line: "page")]),
  .command(0x041d, "Read Remote Version Information", [.connectionHandle]),
  .command(0x041f, "Read Clock Offset", [.connectionHandle]),
  .command(
    0x0420, "Read LMP Handle", [.connectionHandle],
    returns: [
      .status, .connectionHandle, .u8("LMP_Handle", .hex, line: "LMP handle"), .reserved(4),
    ]),
]

/// The Link Control commands, from 0x0428 on.
package let linkControlPairingRows: [ParameterRow] = [
  .command(
    0x0428, "Setup Synchronous Connection",
    [
      .connectionHandle, .u32("Transmit_Bandwidth"), .u32("Receive_Bandwidth"),
      .u16("Max_Latency", .scaled(.milliseconds)), .u16("Voice_Setting", .hex),
      .u8("Retransmission_Effort", .code(.retransmissionEffort)),
      .u16("Packet_Type", .flags(.synchronousPacketTypes)),
    ]),
  .command(
    0x0429, "Accept Synchronous Connection Request",
    [
      .deviceAddress, .u32("Transmit_Bandwidth"), .u32("Receive_Bandwidth"),
      .u16("Max_Latency", .scaled(.milliseconds)), .u16("Voice_Setting", .hex),
      .u8("Retransmission_Effort", .code(.retransmissionEffort)),
      .u16("Packet_Type", .flags(.synchronousPacketTypes)),
    ]),
  .command(0x042a, "Reject Synchronous Connection Request", [.deviceAddress, .reasonGiven]),
  .command(
    0x042b, "IO Capability Request Reply", about: .security,
    [
      .deviceAddress, .u8("IO_Capability", .code(.ioCapability), line: ""),
      .u8("OOB_Data_Present", .code(.oobDataPresent)),
      .u8("Authentication_Requirements", .code(.authenticationRequirements), line: ""),
    ], returns: [.status, .deviceAddress]),
  .command(
    0x042c, "User Confirmation Request Reply", about: .security, [.deviceAddress],
    returns: [.status, .deviceAddress]),
  .command(
    0x042d, "User Confirmation Request Negative Reply", about: .security, [.deviceAddress],
    returns: [.status, .deviceAddress]),
  .command(
    0x042e, "User Passkey Request Reply", about: .security,
    [.deviceAddress, .secret("Numeric_Value", 4, .passkey, line: "passkey")],
    returns: [.status, .deviceAddress]),
  .command(
    0x042f, "User Passkey Request Negative Reply", about: .security, [.deviceAddress],
    returns: [.status, .deviceAddress]),
  .command(
    0x0430, "Remote OOB Data Request Reply", about: .security,
    [.deviceAddress, .secret("C", 16), .secret("R", 16)],
    returns: [.status, .deviceAddress]),
  .command(
    0x0433, "Remote OOB Data Request Negative Reply", about: .security, [.deviceAddress],
    returns: [.status, .deviceAddress]),
  .command(
    0x0434, "IO Capability Request Negative Reply", about: .security, [.deviceAddress, .reason],
    returns: [.status, .deviceAddress]),
  .command(0x0435, "Create Physical Link", physicalLink),
  .command(0x0436, "Accept Physical Link", physicalLink),
  .command(0x0437, "Disconnect Physical Link", [.u8("Physical_Link_Handle", .hex), .reason]),
  .command(0x0438, "Create Logical Link", [.u8("Physical_Link_Handle", .hex)] + flowSpecs),
  .command(0x0439, "Accept Logical Link", [.u8("Physical_Link_Handle", .hex)] + flowSpecs),
  .command(0x043a, "Disconnect Logical Link", [.u16("Logical_Link_Handle", .handle)]),
  .command(
    0x043b, "Logical Link Cancel",
    [.u8("Physical_Link_Handle", .hex), .u8("TX_Flow_Spec_ID", .hex)],
    returns: [.status, .u8("Physical_Link_Handle", .hex), .u8("TX_Flow_Spec_ID", .hex)]),
  .command(0x043c, "Flow Spec Modify", [.u16("Handle", .handle)] + flowSpecs),
  .command(
    0x043d, "Enhanced Setup Synchronous Connection",
    [.connectionHandle] + enhancedSynchronousConnection),
  .command(
    0x043e, "Enhanced Accept Synchronous Connection Request",
    [.deviceAddress] + enhancedSynchronousConnection),
  .command(
    0x043f, "Truncated Page", [.deviceAddress, .pageScanRepetition, .u16("Clock_Offset", .hex)]),
  .command(0x0440, "Truncated Page Cancel", [.deviceAddress], returns: [.status, .deviceAddress]),
  .command(
    0x0441, "Set Connectionless Peripheral Broadcast",
    [
      .u8("Enable", .code(.onOff), line: ""), .u8("LT_ADDR"), .u8("LPO_Allowed", .code(.yesNo)),
      .u16("Packet_Type", .flags(.aclPacketTypes)),
      .u16("Interval_Min", .scaled(.slots), line: "interval"),
      .u16("Interval_Max", .scaled(.slots), line: "-"),
      .u16("Supervision_Timeout", .scaled(.slots), line: "timeout"),
    ],
    returns: [
      .status, .u8("LT_ADDR"), .u16("Interval", .scaled(.slots), line: "interval"),
    ]),
  .command(
    0x0442, "Set Connectionless Peripheral Broadcast Receive",
    [
      .u8("Enable", .code(.onOff), line: ""), .deviceAddress, .u8("LT_ADDR"),
      .u16("Interval", .scaled(.slots), line: "interval"), .u32("Clock_Offset", .hex),
      .u32("Next_Connectionless_Peripheral_Broadcast_Clock", .hex),
      .u16("Supervision_Timeout", .scaled(.slots), line: "timeout"),
      .u8("Remote_Timing_Accuracy"), .u8("Skip"), .u16("Packet_Type", .flags(.aclPacketTypes)),
      .bytes("AFH_Channel_Map", 10, .harmless),
    ], returns: [.status, .deviceAddress, .u8("LT_ADDR")]),
  .command(0x0443, "Start Synchronization Train", []),
  .command(
    0x0444, "Receive Synchronization Train",
    [
      .deviceAddress, .u16("Sync_Scan_Timeout", .scaled(.slots), line: "timeout"),
      .u16("Sync_Scan_Window", .scaled(.slots)), .u16("Sync_Scan_Interval", .scaled(.slots)),
    ]),
  .command(
    0x0445, "Remote OOB Extended Data Request Reply", about: .security,
    [
      .deviceAddress, .secret("C_192", 16), .secret("R_192", 16), .secret("C_256", 16),
      .secret("R_256", 16),
    ], returns: [.status, .deviceAddress]),
]

/// The parameters for creating an AMP physical link.
private let physicalLink: [Parameter] = [
  .u8("Physical_Link_Handle", .hex), .count("Dedicated_AMP_Key_Length"),
  .u8("Dedicated_AMP_Key_Type"), .countedSecret("Dedicated_AMP_Key", line: "AMP key"),
]

/// The flow specifications of an AMP logical link.
private let flowSpecs: [Parameter] = [
  .bytes("TX_Flow_Spec", 16, .harmless), .bytes("RX_Flow_Spec", 16, .harmless),
]

/// The parameters of the two enhanced synchronous connection commands. A coding format is its
/// number, followed by a vendor's company and codec.
private let enhancedSynchronousConnection: [Parameter] = [
  .u32("Transmit_Bandwidth"), .u32("Receive_Bandwidth"),
  .u8("Transmit_Coding_Format", .code(.codingFormat), line: "tx"),
  .u16("Transmit_Company_ID", .hex), .u16("Transmit_Vendor_Codec_ID", .hex),
  .u8("Receive_Coding_Format", .code(.codingFormat), line: "rx"), .u16("Receive_Company_ID", .hex),
  .u16("Receive_Vendor_Codec_ID", .hex),
  .u16("Transmit_Codec_Frame_Size"), .u16("Receive_Codec_Frame_Size"),
  .u32("Input_Bandwidth"), .u32("Output_Bandwidth"),
  .u8("Input_Coding_Format", .code(.codingFormat)), .u16("Input_Company_ID", .hex),
  .u16("Input_Vendor_Codec_ID", .hex), .u8("Output_Coding_Format", .code(.codingFormat)),
  .u16("Output_Company_ID", .hex), .u16("Output_Vendor_Codec_ID", .hex),
  .u16("Input_Coded_Data_Size"), .u16("Output_Coded_Data_Size"),
  .u8("Input_PCM_Data_Format"), .u8("Output_PCM_Data_Format"),
  .u8("Input_PCM_Sample_Payload_MSB_Position"), .u8("Output_PCM_Sample_Payload_MSB_Position"),
  .u8("Input_Data_Path", .code(.dataPath)), .u8("Output_Data_Path", .code(.dataPath)),
  .u8("Input_Transport_Unit_Size"), .u8("Output_Transport_Unit_Size"),
  .u16("Max_Latency", .scaled(.milliseconds)),
  .u16("Packet_Type", .flags(.synchronousPacketTypes)),
  .u8("Retransmission_Effort", .code(.retransmissionEffort)),
]
