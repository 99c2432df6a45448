// OGF 8, the LE Controller commands for direction finding, sync transfer, isochronous channels,
// power control and subrating, and for features since Core 5.4 other than advertising and Channel
// Sounding. Core, Vol 4, Part E, 7.8.78 to 7.8.124 and 7.8.128 on. Codes and sizes were checked
// against BlueZ's monitor and bumble; rows that only bumble has are marked.

import Bluetooth

/// The LE Controller commands, 0x204f to 0x205f.
package let leDirectionRows: [ParameterRow] = [
  .command(
    0x204f, "LE Receiver Test [v3]",
    [
      .u8("RX_Channel", line: "channel"), .u8("PHY", .code(.phy), line: ""),
      .u8("Modulation_Index", .code(.modulationIndex)), .u8("Expected_CTE_Length"),
      .u8("Expected_CTE_Type", .code(.cteType)), .u8("Slot_Durations", .scaled(.microseconds)),
      .count("Switching_Pattern_Length"), .list("Antennas", [.u8("Antenna_ID")]),
    ], returns: [.status]),
  .command(0x2050, "LE Transmitter Test [v3]", Parameter.transmitterTest, returns: [.status]),
  .command(
    0x2051, "LE Set Connectionless CTE Transmit Parameters",
    [
      .advertisingHandle, .u8("CTE_Length"), .u8("CTE_Type", .code(.cteType), line: ""),
      .u8("CTE_Count"), .count("Switching_Pattern_Length"),
      .list("Antennas", [.u8("Antenna_ID")]),
    ], returns: [.status]),
  .command(
    0x2052, "LE Set Connectionless CTE Transmit Enable",
    [.advertisingHandle, .u8("CTE_Enable", .code(.onOff), line: "")], returns: [.status]),
  .command(
    0x2053, "LE Set Connectionless IQ Sampling Enable",
    [
      .aboutSync, .u8("Sampling_Enable", .code(.onOff), line: ""),
      .u8("Slot_Durations", .scaled(.microseconds)), .u8("Max_Sampled_CTEs"),
      .count("Switching_Pattern_Length"), .list("Antennas", [.u8("Antenna_ID")]),
    ], returns: [.status, .syncHandle]),
  .command(
    0x2054, "LE Set Connection CTE Receive Parameters",
    [
      .connectionHandle, .u8("Sampling_Enable", .code(.onOff), line: ""),
      .u8("Slot_Durations", .scaled(.microseconds)), .count("Switching_Pattern_Length"),
      .list("Antennas", [.u8("Antenna_ID")]),
    ], returns: [.status, .connectionHandle]),
  .command(
    0x2055, "LE Set Connection CTE Transmit Parameters",
    [
      .connectionHandle, .u8("CTE_Types", .flags(.cteTypes), line: ""),
      .count("Switching_Pattern_Length"), .list("Antennas", [.u8("Antenna_ID")]),
    ], returns: [.status, .connectionHandle]),
  .command(
    0x2056, "LE Connection CTE Request Enable",
    [
      .connectionHandle, .u8("Enable", .code(.onOff), line: ""),
      .u16("CTE_Request_Interval"), .u8("Requested_CTE_Length"),
      .u8("Requested_CTE_Type", .code(.cteType)),
    ], returns: [.status, .connectionHandle]),
  .command(
    0x2057, "LE Connection CTE Response Enable",
    [.connectionHandle, .u8("Enable", .code(.onOff), line: "")],
    returns: [.status, .connectionHandle]),
  .command(
    0x2058, "LE Read Antenna Information", [],
    returns: [
      .status, .u8("Supported_Switching_Sampling_Rates", .hex),
      .u8("Num_Antennae", line: "antennae"), .u8("Max_Switching_Pattern_Length"),
      .u8("Max_CTE_Length"),
    ]),
  .command(
    0x2059, "LE Set Periodic Advertising Receive Enable",
    [.aboutSync, .u8("Enable", .flags(.periodicReceiveEnable), line: "")], returns: [.status]),
  .command(
    0x205a, "LE Periodic Advertising Sync Transfer",
    [.connectionHandle, .u16("Service_Data", .hex), .aboutSync],
    returns: [.status, .connectionHandle]),
  .command(
    0x205b, "LE Periodic Advertising Set Info Transfer",
    [.connectionHandle, .u16("Service_Data", .hex), .advertisingHandle],
    returns: [.status, .connectionHandle]),
  .command(
    0x205c, "LE Set Periodic Advertising Sync Transfer Parameters",
    [.connectionHandle] + Parameter.syncTransfer, returns: [.status, .connectionHandle]),
  .command(
    0x205d, "LE Set Default Periodic Advertising Sync Transfer Parameters",
    Parameter.syncTransfer, returns: [.status]),
  .command(
    0x205e, "LE Generate DHKey [v2]", about: .security,
    [
      .bytes("Key_X_Coordinate", 32, .keyX), .bytes("Key_Y_Coordinate", 32, .keyY),
      .u8("Key_Type", .code(.dhKeyType), line: ""),
    ]),
  .command(
    0x205f, "LE Modify Sleep Clock Accuracy",
    [.u8("Action", .code(.sleepClockAction), line: "")], returns: [.status]),
]

/// The LE Controller commands, 0x2060 to 0x2075.
package let leIsochronousRows: [ParameterRow] = [
  .command(
    0x2060, "LE Read Buffer Size [v2]", about: .setUp, [],
    returns: [
      .status, .u16("LE_ACL_Data_Packet_Length", line: "ACL length"),
      .u8("Total_Num_LE_ACL_Data_Packets", line: "packets"),
      .u16("ISO_Data_Packet_Length", line: "ISO length"),
      .u8("Total_Num_ISO_Data_Packets", line: "packets"),
    ]),
  .command(
    0x2061, "LE Read ISO TX Sync", [.connectionHandle],
    returns: [
      .status, .connectionHandle, .u16("Packet_Sequence_Number", line: "packet"),
      .u32("TX_Time_Stamp", .scaled(.microseconds)), .u24("Time_Offset", .scaled(.microseconds)),
    ]),
  .command(
    0x2062, "LE Set CIG Parameters",
    [
      .u8("CIG_ID", line: "CIG"), .u24("SDU_Interval_C_To_P", .scaled(.microseconds)),
      .u24("SDU_Interval_P_To_C", .scaled(.microseconds)),
      .u8("Worst_Case_SCA", .code(.clockAccuracy)), .u8("Packing", .code(.packing)),
      .u8("Framing", .code(.framing)),
      .u16("Max_Transport_Latency_C_To_P", .scaled(.milliseconds)),
      .u16("Max_Transport_Latency_P_To_C", .scaled(.milliseconds)),
      .count("CIS_Count", line: "streams"),
      .list(
        "Streams",
        [
          .u8("CIS_ID"), .u16("Max_SDU_C_To_P"), .u16("Max_SDU_P_To_C"),
          .u8("PHY_C_To_P", .flags(.phys)), .u8("PHY_P_To_C", .flags(.phys)), .u8("RTN_C_To_P"),
          .u8("RTN_P_To_C"),
        ]),
    ], returns: Parameter.cigReturns),
  .command(
    0x2063, "LE Set CIG Parameters Test",
    [
      .u8("CIG_ID", line: "CIG"), .u24("SDU_Interval_C_To_P", .scaled(.microseconds)),
      .u24("SDU_Interval_P_To_C", .scaled(.microseconds)), .u8("FT_C_To_P"), .u8("FT_P_To_C"),
      .u16("ISO_Interval", .scaled(.interval), line: "interval"),
      .u8("Worst_Case_SCA", .code(.clockAccuracy)), .u8("Packing", .code(.packing)),
      .u8("Framing", .code(.framing)), .count("CIS_Count", line: "streams"),
      .list(
        "Streams",
        [
          .u8("CIS_ID"), .u8("NSE"), .u16("Max_SDU_C_To_P"), .u16("Max_SDU_P_To_C"),
          .u16("Max_PDU_C_To_P"), .u16("Max_PDU_P_To_C"), .u8("PHY_C_To_P", .flags(.phys)),
          .u8("PHY_P_To_C", .flags(.phys)), .u8("BN_C_To_P"), .u8("BN_P_To_C"),
        ]),
    ], returns: Parameter.cigReturns),
  .command(
    0x2064, "LE Create CIS",
    [
      .count("CIS_Count", line: "streams"),
      .list(
        "Streams",
        [.u16("CIS_Connection_Handle", .handle), .u16("ACL_Connection_Handle", .handle)]),
    ]),
  .command(
    0x2065, "LE Remove CIG", [.u8("CIG_ID", line: "CIG")],
    returns: [.status, .u8("CIG_ID", line: "CIG")]),
  .command(0x2066, "LE Accept CIS Request", [.connectionHandle]),
  .command(
    0x2067, "LE Reject CIS Request", [.connectionHandle, .reasonGiven],
    returns: [.status, .connectionHandle]),
  .command(
    0x2068, "LE Create BIG",
    [
      .u8("BIG_Handle", .identifier, line: "BIG"), .advertisingHandle,
      .u8("Num_BIS", line: "streams"),
      .u24("SDU_Interval", .scaled(.microseconds)), .u16("Max_SDU"),
      .u16("Max_Transport_Latency", .scaled(.milliseconds)), .u8("RTN"),
      .u8("PHY", .flags(.phys)), .u8("Packing", .code(.packing)), .u8("Framing", .code(.framing)),
      .u8("Encryption", .code(.onOff), line: "encryption"), .secret("Broadcast_Code", 16),
    ]),
  .command(
    0x2069, "LE Create BIG Test",
    [
      .u8("BIG_Handle", .identifier, line: "BIG"), .advertisingHandle,
      .u8("Num_BIS", line: "streams"),
      .u24("SDU_Interval", .scaled(.microseconds)), .u16("ISO_Interval", .scaled(.interval)),
      .u8("NSE"), .u16("Max_SDU"), .u16("Max_PDU"), .u8("PHY", .flags(.phys)),
      .u8("Packing", .code(.packing)), .u8("Framing", .code(.framing)), .u8("BN"), .u8("IRC"),
      .u8("PTO"), .u8("Encryption", .code(.onOff), line: "encryption"),
      .secret("Broadcast_Code", 16),
    ]),
  .command(
    0x206a, "LE Terminate BIG", [.u8("BIG_Handle", .identifier, line: "BIG"), .reasonGiven]),
  .command(
    0x206b, "LE BIG Create Sync",
    [
      .u8("BIG_Handle", .identifier, line: "BIG"), .aboutSync,
      .u8("Encryption", .code(.onOff), line: "encryption"), .secret("Broadcast_Code", 16),
      .u8("MSE"), .u16("BIG_Sync_Timeout", .scaled(.timeout), line: "timeout"),
      .count("Num_BIS", line: "streams"), .list("Streams", [.u8("BIS")]),
    ]),
  .command(
    0x206c, "LE BIG Terminate Sync", [.u8("BIG_Handle", .identifier, line: "BIG")],
    returns: [.status, .u8("BIG_Handle", .identifier, line: "BIG")]),
  .command(0x206d, "LE Request Peer SCA", [.connectionHandle]),
  .command(
    0x206e, "LE Setup ISO Data Path",
    [
      .connectionHandle, .u8("Data_Path_Direction", .code(.dataPathDirection), line: ""),
      .u8("Data_Path_ID", .code(.dataPath), line: ""),
      .u8("Coding_Format", .code(.codingFormat)), .u16("Company_ID", .assigned(.company)),
      .u16("Vendor_Codec_ID", .hex), .u24("Controller_Delay", .scaled(.microseconds)),
      .count("Codec_Configuration_Length"), .counted("Codec_Configuration", .harmless),
    ], returns: [.status, .connectionHandle]),
  .command(
    0x206f, "LE Remove ISO Data Path",
    [.connectionHandle, .u8("Data_Path_Direction", .flags(.dataPathDirections), line: "")],
    returns: [.status, .connectionHandle]),
  .command(
    0x2070, "LE ISO Transmit Test",
    [.connectionHandle, .u8("Payload_Type", .code(.isoPayloadType), line: "")],
    returns: [.status, .connectionHandle]),
  .command(
    0x2071, "LE ISO Receive Test",
    [.connectionHandle, .u8("Payload_Type", .code(.isoPayloadType), line: "")],
    returns: [.status, .connectionHandle]),
  .command(
    0x2072, "LE ISO Read Test Counters", [.connectionHandle], returns: Parameter.isoCounters),
  .command(0x2073, "LE ISO Test End", [.connectionHandle], returns: Parameter.isoCounters),
  .command(
    0x2074, "LE Set Host Feature", about: .setUp,
    [
      .u8("Bit_Number", .code(.leFeatures), line: ""), .u8("Bit_Value", .code(.onOff), line: ""),
    ], returns: [.status]),
  .command(
    0x2075, "LE Read ISO Link Quality", [.connectionHandle],
    returns: [
      .status, .connectionHandle, .u32("TX_UnACKed_Packets", line: "unacknowledged"),
      .u32("TX_Flushed_Packets", line: "flushed"), .u32("TX_Last_Subevent_Packets"),
      .u32("Retransmitted_Packets", line: "retransmitted"),
      .u32("CRC_Error_Packets", line: "CRC errors"), .u32("RX_Unreceived_Packets"),
      .u32("Duplicate_Packets"),
    ]),
]

/// The LE Controller commands, 0x2076 to 0x207e.
package let lePowerRows: [ParameterRow] = [
  .command(
    0x2076, "LE Enhanced Read Transmit Power Level",
    [.connectionHandle, .u8("PHY", .code(.phyCoding), line: "")],
    returns: [
      .status, .connectionHandle, .u8("PHY", .code(.phyCoding), line: ""),
      .i8("Current_TX_Power_Level", .scaled(.dBmOrNone), line: "now"),
      .i8("Max_TX_Power_Level", .scaled(.dBmOrNone), line: "at most"),
    ]),
  .command(
    0x2077, "LE Read Remote Transmit Power Level",
    [.connectionHandle, .u8("PHY", .code(.phyCoding), line: "")]),
  .command(
    0x2078, "LE Set Path Loss Reporting Parameters",
    [
      .connectionHandle, .u8("High_Threshold", .scaled(.dB), line: "high"),
      .u8("High_Hysteresis", .scaled(.dB)), .u8("Low_Threshold", .scaled(.dB), line: "low"),
      .u8("Low_Hysteresis", .scaled(.dB)), .u16("Min_Time_Spent"),
    ], returns: [.status, .connectionHandle]),
  .command(
    0x2079, "LE Set Path Loss Reporting Enable",
    [.connectionHandle, .u8("Enable", .code(.onOff), line: "")],
    returns: [.status, .connectionHandle]),
  .command(
    0x207a, "LE Set Transmit Power Reporting Enable",
    [
      .connectionHandle, .u8("Local_Enable", .code(.onOff), line: "local"),
      .u8("Remote_Enable", .code(.onOff), line: "remote"),
    ], returns: [.status, .connectionHandle]),
  .command(
    0x207b, "LE Transmitter Test [v4]",
    Parameter.transmitterTest + [.i8("TX_Power_Level", .scaled(.dBmOrExtreme), line: "")],
    returns: [.status]),
  .command(
    0x207c, "LE Set Data Related Address Changes",
    [.advertisingHandle, .u8("Change_Reasons", .hex, line: "reasons")], returns: [.status]),
  .command(
    0x207d, "LE Set Default Subrate", Parameter.wantedSubrate, returns: [.status]),
  .command(
    0x207e, "LE Subrate Request", [.connectionHandle] + Parameter.wantedSubrate),
]

/// The LE Controller commands for all pages of features, 0x2087 and 0x2088 (Core 6.0). From bumble
/// and, as far as it has them, BlueZ's monitor.
package let leLaterRows: [ParameterRow] = [
  .command(
    0x2087, "LE Read All Local Supported Features", [],
    returns: [
      .status, .u8("Max_Page", line: "pages to"), .u64("LE_Features", .flags(.leFeatures)),
      .u64("LE_Features_64_To_127", .flags(.leFeatures1)),
      .bytes("LE_Features_From_128", 232, .harmless),
    ]),
  .command(
    0x2088, "LE Read All Remote Features",
    [.connectionHandle, .u8("Pages_Requested", line: "pages")]),
]

/// The LE Controller commands from 0x2097 on except Channel Sounding: monitoring advertisers, frame
/// space and connection rate (Core 6.0 to 6.2). From bumble and, as far as it has them, BlueZ's
/// monitor.
package let leMonitoringRows: [ParameterRow] = [
  .command(
    0x2097, "LE Set Host Feature [v2]",
    [
      .u16("Bit_Number", .code(.leFeatures), line: ""),
      .u8("Bit_Value", .code(.onOff), line: ""),
    ], returns: [.status]),
  .command(
    0x2098, "LE Add Device To Monitored Advertisers List",
    [
      .u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: ""),
      .i8("RSSI_Low_Threshold", .scaled(.dBm), line: "low"),
      .i8("RSSI_High_Threshold", .scaled(.dBm), line: "high"),
      .u8("Timeout", .scaled(.seconds), line: "timeout"),
    ], returns: [.status]),
  .command(
    0x2099, "LE Remove Device From Monitored Advertisers List",
    [.u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: "")],
    returns: [.status]),
  .command(0x209a, "LE Clear Monitored Advertisers List", [], returns: [.status]),
  .command(
    0x209b, "LE Read Monitored Advertisers List Size", [],
    returns: [.status, .u8("Num_Supported_Monitored_Advertisers", line: "size")]),
  .command(
    0x209c, "LE Enable Monitoring Advertisers", [.u8("Enable", .code(.onOff), line: "")],
    returns: [.status]),
  .command(
    0x209d, "LE Frame Space Update",
    [
      .connectionHandle, .u16("Frame_Space_Min", .scaled(.microseconds), line: ""),
      .u16("Frame_Space_Max", .scaled(.microseconds), line: "-"),
      .u8("PHYs", .flags(.phys), line: ""),
      .u16("Spacing_Types", .flags(.spacingTypes), line: ""),
    ]),
  .command(
    0x209e, "LE Set Resolvable Private Address Timeout [v2]",
    [
      .u16("RPA_Timeout_Min", .scaled(.seconds), line: ""),
      .u16("RPA_Timeout_Max", .scaled(.seconds), line: "-"),
    ], returns: [.status]),
  .command(
    0x209f, "LE Enable UTP OTA Mode", [.u8("Enable", .code(.onOff), line: "")],
    returns: [.status]),
  .command(
    0x20a0, "LE UTP Send", [.count("UTP_Data_Length", line: "length"), .counted("UTP_Data")],
    returns: [.status]),
  .command(
    0x20a1, "LE Connection Rate Request", [.connectionHandle] + Parameter.wantedRate),
  .command(
    0x20a2, "LE Set Default Rate Parameters", Parameter.wantedRate, returns: [.status]),
  .command(
    0x20a3, "LE Read Minimum Supported Connection Interval", [],
    returns: [
      .status, .u8("Minimum_Supported_Connection_Interval", .scaled(.finerInterval), line: ""),
      .count("Num_Groups"),
      .list(
        "Groups",
        [
          .u16("Group_Min", .scaled(.finerInterval)), .u16("Group_Max", .scaled(.finerInterval)),
          .u16("Group_Stride", .scaled(.finerInterval)),
        ]),
    ]),
]

extension Parameter {
  /// The parameters of the third version of the transmitter test.
  fileprivate static let transmitterTest: [Parameter] = [
    u8("TX_Channel", line: "channel"), u8("Test_Data_Length", line: "length"),
    u8("Packet_Payload", .code(.testPayload), line: ""), u8("PHY", .code(.phyCoding), line: ""),
    u8("CTE_Length"), u8("CTE_Type", .code(.cteType)), count("Switching_Pattern_Length"),
    list("Antennas", [u8("Antenna_ID")]),
  ]
  /// The parameters for receiving periodic advertising sync transfers.
  fileprivate static let syncTransfer: [Parameter] = [
    u8("Mode", .code(.syncTransferMode), line: ""), u16("Skip", line: "skip"),
    u16("Sync_Timeout", .scaled(.timeout), line: "timeout"),
    u8("CTE_Type", .flags(.syncCTEType)),
  ]
  /// The return parameters of setting a CIG's parameters.
  fileprivate static let cigReturns: [Parameter] = [
    status, u8("CIG_ID", line: "CIG"), count("CIS_Count", line: "streams"),
    list("Streams", [u16("Connection_Handle", .handle)]),
  ]
  /// The counters of an ISO test.
  fileprivate static let isoCounters: [Parameter] = [
    status, connectionHandle, u32("Received_SDU_Count", line: "received"),
    u32("Missed_SDU_Count", line: "missed"), u32("Failed_SDU_Count", line: "failed"),
  ]
}
