// The LE Meta subevents for Channel Sounding and related features. Core 6.0, Vol 4, Part E,
// 7.7.65.38 on. Codes were checked against BlueZ's monitor and bumble, sizes against BlueZ's; 0x36
// and 0x38 are only in bumble. Spacing_Types has two bytes in bumble and Zephyr, one in BlueZ. The
// 248 bytes of LE_Features are split into three fields, so that the bits in use have names.

import Bluetooth

/// The LE Meta subevents from 0x2b on.
package let leMetaSoundingRows: [ParameterRow] = [
  .event(
    0x2b, "LE Read All Remote Features Complete",
    [
      .status, .connectionHandle, .u8("Max_Remote_Page", line: "pages to"),
      .u8("Max_Valid_Page"), .u64("LE_Features", .flags(.leFeatures)),
      .u64("LE_Features_64_To_127", .flags(.leFeatures1)),
      .bytes("LE_Features_From_128", 232, .harmless),
    ]),
  .event(
    0x2c, "LE CS Read Remote Supported Capabilities Complete",
    [.status, .connectionHandle] + Parameter.soundingCapabilities),
  .event(
    0x2d, "LE CS Read Remote FAE Table Complete",
    [.status, .connectionHandle, .bytes("Remote_FAE_Table", 72, .harmless)]),
  .event(0x2e, "LE CS Security Enable Complete", [.status, .connectionHandle]),
  .event(
    0x2f, "LE CS Config Complete",
    [
      .status, .connectionHandle, .u8("Config_ID", .identifier, line: "config"),
      .u8("Action", .code(.csConfigAction), line: ""),
    ] + Parameter.soundingConfig + [
      .bytes("Reserved", 1), .u8("T_IP1_Time", .scaled(.microseconds)),
      .u8("T_IP2_Time", .scaled(.microseconds)), .u8("T_FCS_Time", .scaled(.microseconds)),
      .u8("T_PM_Time", .scaled(.microseconds)),
    ]),
  .event(
    0x30, "LE CS Procedure Enable Complete",
    [
      .status, .connectionHandle, .u8("Config_ID", .identifier, line: "config"),
      .u8("State", .code(.onOff), line: ""), .u8("Tone_Antenna_Config_Selection"),
      .i8("Selected_TX_Power", .scaled(.dBmOrNone)),
      .u24("Subevent_Len", .scaled(.microseconds)), .u8("Subevents_Per_Event"),
      .u16("Subevent_Interval", .scaled(.slots)), .u16("Event_Interval"),
      .u16("Procedure_Interval"), .u16("Procedure_Count", line: "count"),
      .u16("Max_Procedure_Len", .scaled(.slots)),
    ]),
  .event(
    0x31, "LE CS Subevent Result",
    [
      .connectionHandle, .u8("Config_ID", .identifier, line: "config"),
      .u16("Start_ACL_Conn_Event_Counter"), .u16("Procedure_Counter", line: "procedure"),
      .i16("Frequency_Compensation", .scaled(.frequencyCompensation)),
      .i8("Reference_Power_Level", .scaled(.dBmOrNone)),
    ] + Parameter.soundingSteps),
  .event(
    0x32, "LE CS Subevent Result Continue",
    [.connectionHandle, .u8("Config_ID", .identifier, line: "config")] + Parameter.soundingSteps),
  .event(0x33, "LE CS Test End Complete", [.status]),
  .event(
    0x34, "LE Monitored Advertisers Report",
    [
      .u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: ""),
      .u8("Condition", .code(.monitorCondition), line: ""),
    ]),
  .event(
    0x35, "LE Frame Space Update Complete",
    [
      .status, .connectionHandle, .u8("Initiator", .code(.frameSpaceInitiator), line: ""),
      .u16("Frame_Space", .scaled(.microseconds), line: ""), .u8("PHYs", .flags(.phys), line: ""),
      .u16("Spacing_Types", .flags(.spacingTypes), line: ""),
    ]),
  .event(0x36, "LE UTP Receive"),
  .event(
    0x37, "LE Connection Rate Change",
    [
      .status, .connectionHandle,
      .u16("Connection_Interval", .scaled(.finerInterval), line: "interval"),
      .u16("Subrate_Factor", line: "subrate"), .peripheralLatency,
      .u16("Continuation_Number", line: "continuation"), .supervisionTimeout,
    ]),
  .event(
    0x38, "LE CS Read Remote Supported Capabilities Complete [v2]",
    [.status, .connectionHandle] + Parameter.soundingCapabilities2),
]

extension Parameter {
  /// The steps of a Channel Sounding subevent.
  fileprivate static let soundingSteps: [Parameter] = [
    u8("Procedure_Done_Status", .code(.csDoneStatus), line: "procedure"),
    u8("Subevent_Done_Status", .code(.csDoneStatus), line: "subevent"),
    u8("Abort_Reason", .hex), u8("Num_Antenna_Paths"),
    count("Num_Steps_Reported", line: "steps"),
    list(
      "Steps",
      [
        u8("Step_Mode"), u8("Step_Channel"), count("Step_Data_Length"),
        counted("Step_Data", .harmless),
      ]),
  ]
}
