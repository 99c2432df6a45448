// OGF 8, the LE Controller commands for Channel Sounding. Core 6.0, Vol 4, Part E, 7.8.130 to
// 7.8.143. Codes and sizes were checked against BlueZ's monitor, names against bumble; the [v2]
// commands and the security requirements (after Core 6.1) are only in bumble.

import Bluetooth

/// The LE Controller commands, 0x2089 to 0x2096.
package let leSoundingRows: [ParameterRow] = [
  .command(
    0x2089, "LE CS Read Local Supported Capabilities", [],
    returns: [.status] + Parameter.soundingCapabilities),
  .command(0x208a, "LE CS Read Remote Supported Capabilities", [.connectionHandle]),
  .command(
    0x208b, "LE CS Write Cached Remote Supported Capabilities",
    [.connectionHandle] + Parameter.soundingCapabilities,
    returns: [.status, .connectionHandle]),
  .command(0x208c, "LE CS Security Enable", [.connectionHandle]),
  .command(
    0x208d, "LE CS Set Default Settings",
    [
      .connectionHandle, .u8("Role_Enable", .flags(.csRoles), line: ""),
      .u8("CS_SYNC_Antenna_Selection", .hex), .i8("Max_TX_Power", .scaled(.dBm), line: "at most"),
    ], returns: [.status, .connectionHandle]),
  .command(0x208e, "LE CS Read Remote FAE Table", [.connectionHandle]),
  .command(
    0x208f, "LE CS Write Cached Remote FAE Table",
    [.connectionHandle, .bytes("Remote_FAE_Table", 72, .harmless)],
    returns: [.status, .connectionHandle]),
  .command(
    0x2090, "LE CS Create Config",
    [
      .connectionHandle, .u8("Config_ID", .identifier, line: "config"),
      .u8("Create_Context", .code(.csCreateContext)),
    ] + Parameter.soundingConfig + [.bytes("Reserved", 1)]),
  .command(
    0x2091, "LE CS Remove Config",
    [.connectionHandle, .u8("Config_ID", .identifier, line: "config")]),
  .command(
    0x2092, "LE CS Set Channel Classification", [.bytes("Channel_Classification", 10, .harmless)],
    returns: [.status]),
  .command(
    0x2093, "LE CS Set Procedure Parameters",
    [
      .connectionHandle, .u8("Config_ID", .identifier, line: "config"),
      .u16("Max_Procedure_Len", .scaled(.slots)), .u16("Min_Procedure_Interval", line: "every"),
      .u16("Max_Procedure_Interval", line: "-"), .u16("Max_Procedure_Count", line: "count"),
      .u24("Min_Subevent_Len", .scaled(.microseconds)),
      .u24("Max_Subevent_Len", .scaled(.microseconds)), .u8("Tone_Antenna_Config_Selection"),
      .u8("PHY", .code(.phyCoding)), .i8("TX_Power_Delta", .scaled(.dBOrNoRecommendation)),
      .u8("Preferred_Peer_Antenna", .hex), .u8("SNR_Control_Initiator", .code(.csSNR)),
      .u8("SNR_Control_Reflector", .code(.csSNR)),
    ], returns: [.status, .connectionHandle]),
  .command(
    0x2094, "LE CS Procedure Enable",
    [
      .connectionHandle, .u8("Config_ID", .identifier, line: "config"),
      .u8("Enable", .code(.onOff), line: ""),
    ]),
  .command(
    0x2095, "LE CS Test",
    [
      .u8("Main_Mode_Type", .code(.csMode), line: ""), .u8("Sub_Mode_Type", .code(.csMode)),
      .u8("Main_Mode_Repetition"), .u8("Mode_0_Steps"), .u8("Role", .code(.csRole), line: ""),
      .u8("RTT_Type", .code(.csRTTType)), .u8("CS_SYNC_PHY", .code(.csSyncPHY)),
      .u8("CS_SYNC_Antenna_Selection", .hex), .u24("Subevent_Len", .scaled(.microseconds)),
      .u16("Subevent_Interval", .scaled(.slots)), .u8("Max_Num_Subevents"),
      .i8("Transmit_Power_Level", .scaled(.dBmOrExtreme)),
      .u8("T_IP1_Time", .scaled(.microseconds)),
      .u8("T_IP2_Time", .scaled(.microseconds)), .u8("T_FCS_Time", .scaled(.microseconds)),
      .u8("T_PM_Time", .scaled(.microseconds)), .u8("T_SW_Time", .scaled(.microseconds)),
      .u8("Tone_Antenna_Config_Selection"), .bytes("Reserved", 1),
      .u8("SNR_Control_Initiator", .code(.csSNR)), .u8("SNR_Control_Reflector", .code(.csSNR)),
      .u16("DRBG_Nonce", .hex), .u8("Channel_Map_Repetition"), .u16("Override_Config", .hex),
      .count("Override_Parameters_Length"), .counted("Override_Parameters_Data", .harmless),
    ], returns: [.status]),
  .command(0x2096, "LE CS Test End", []),
]

/// The LE Controller commands for Channel Sounding from 0x20a5 on.
package let leSoundingLaterRows: [ParameterRow] = [
  .command(
    0x20a5, "LE CS Read Local Supported Capabilities [v2]", [],
    returns: [.status] + Parameter.soundingCapabilities2),
  .command(
    0x20a6, "LE CS Write Cached Remote Supported Capabilities [v2]",
    [.connectionHandle] + Parameter.soundingCapabilities2,
    returns: [.status, .connectionHandle]),
]

extension Parameter {
  /// A device's Channel Sounding capabilities.
  static let soundingCapabilities: [Parameter] = [
    u8("Num_Config_Supported", line: "configs"), u16("Max_Consecutive_Procedures_Supported"),
    u8("Num_Antennas_Supported", line: "antennas"), u8("Max_Antenna_Paths_Supported"),
    u8("Roles_Supported", .flags(.csRoles), line: ""), u8("Modes_Supported", .flags(.csModes)),
    u8("RTT_Capability", .hex), u8("RTT_AA_Only_N"), u8("RTT_Sounding_N"),
    u8("RTT_Random_Sequence_N"), u16("NADM_Sounding_Capability", .hex),
    u16("NADM_Random_Capability", .hex), u8("CS_SYNC_PHYs_Supported", .flags(.csSyncPHYs)),
    u16("Subfeatures_Supported", .hex), u16("T_IP1_Times_Supported", .hex),
    u16("T_IP2_Times_Supported", .hex), u16("T_FCS_Times_Supported", .hex),
    u16("T_PM_Times_Supported", .hex), u8("T_SW_Time_Supported", .scaled(.microseconds)),
    u8("TX_SNR_Capability", .flags(.csSNR)),
  ]
  /// The same in version 2.
  static let soundingCapabilities2: [Parameter] =
    soundingCapabilities + [
      u16("T_IP2_IPT_Times_Supported", .hex), u8("T_SW_IPT_Time_Supported"),
      u8("RTT_2M_AA_Only_N"), u8("RTT_2M_Sounding_N"), u8("RTT_2M_Random_Sequence_N"),
    ]
  /// A Channel Sounding configuration, as in the command and in the event.
  static let soundingConfig: [Parameter] = [
    u8("Main_Mode_Type", .code(.csMode), line: ""), u8("Sub_Mode_Type", .code(.csMode)),
    u8("Min_Main_Mode_Steps"), u8("Max_Main_Mode_Steps"), u8("Main_Mode_Repetition"),
    u8("Mode_0_Steps"), u8("Role", .code(.csRole), line: ""), u8("RTT_Type", .code(.csRTTType)),
    u8("CS_SYNC_PHY", .code(.csSyncPHY)), bytes("Channel_Map", 10, .harmless),
    u8("Channel_Map_Repetition"),
    u8("Channel_Selection_Type", .code(.csChannelSelection)), u8("Ch3c_Shape", .code(.csShape)),
    u8("Ch3c_Jump"),
  ]
}
