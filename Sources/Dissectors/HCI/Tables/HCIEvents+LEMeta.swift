// The LE Meta subevents by code; their parameters begin after that code. Core, Vol 4, Part E,
// 7.7.65. Codes and sizes were checked against BlueZ's monitor and bumble, up to 0x23 also against
// tshark 4.0 and NimBLE; 0x36 to 0x38 are only in bumble. Names of first versions omit [v1].

import Bluetooth

/// The LE Meta subevents 0x01 to 0x18.
package let leMetaRows: [ParameterRow] = [
  .event(
    0x01, "LE Connection Complete",
    Parameter.connectionComplete + Parameter.connectionParameters),
  .event(
    0x02, "LE Advertising Report",
    [
      .count("Num_Reports"),
      .list(
        "Reports",
        [
          .u8("Event_Type", .code(.advertisingReportType), line: ""),
          .u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: ""),
          .count("Data_Length"), .advertisingData("Data", line: ""), .rssi,
        ]),
    ]),
  .event(
    0x03, "LE Connection Update Complete",
    [
      .status, .connectionHandle, .connectionInterval, .peripheralLatency, .supervisionTimeout,
    ]),
  .event(
    0x04, "LE Read Remote Features Page 0 Complete",
    [.status, .connectionHandle, .u64("LE_Features", .flags(.leFeatures), line: "")]),
  .event(
    0x05, "LE Long Term Key Request", about: .security,
    [.connectionHandle, .randomNumber, .encryptedDiversifier]),
  .event(
    0x06, "LE Remote Connection Parameter Request",
    [
      .connectionHandle, .u16("Interval_Min", .scaled(.interval), line: "interval"),
      .u16("Interval_Max", .scaled(.interval), line: "-"), .maxLatency,
      .u16("Timeout", .scaled(.timeout), line: "timeout"),
    ]),
  .event(
    0x07, "LE Data Length Change",
    [
      .connectionHandle, .u16("Max_TX_Octets", .scaled(.octets), line: "tx"),
      .u16("Max_TX_Time", .scaled(.microseconds), line: "in"),
      .u16("Max_RX_Octets", .scaled(.octets), line: "rx"),
      .u16("Max_RX_Time", .scaled(.microseconds), line: "in"),
    ]),
  .event(
    0x08, "LE Read Local P-256 Public Key Complete", about: .security,
    [.status, .bytes("Key_X_Coordinate", 32, .keyX), .bytes("Key_Y_Coordinate", 32, .keyY)]),
  .event(0x09, "LE Generate DHKey Complete", about: .security, [.status, .secret("DH_Key", 32)]),
  .event(0x0a, "LE Enhanced Connection Complete", Parameter.enhancedConnectionComplete),
  .event(
    0x0b, "LE Directed Advertising Report",
    [
      .count("Num_Reports"),
      .list(
        "Reports",
        [
          .u8("Event_Type", .code(.advertisingReportType), line: ""),
          .u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: ""),
          .u8("Direct_Address_Type", .code(.addressType)),
          .address("Direct_Address", line: "to"), .rssi,
        ]),
    ]),
  .event(
    0x0c, "LE PHY Update Complete",
    [
      .status, .connectionHandle, .u8("TX_PHY", .code(.phy), line: "tx"),
      .u8("RX_PHY", .code(.phy), line: "rx"),
    ]),
  .event(
    0x0d, "LE Extended Advertising Report",
    [
      .count("Num_Reports"),
      .list(
        "Reports",
        [
          .u16("Event_Type", .flags(.extendedReportType), line: ""),
          .u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: ""),
          .u8("Primary_PHY", .code(.phy)), .u8("Secondary_PHY", .code(.phy)),
          .u8("Advertising_SID"), .i8("TX_Power", .scaled(.dBmOrNone)), .rssi,
          .u16("Periodic_Advertising_Interval", .scaled(.intervalOrNone)),
          .u8("Direct_Address_Type", .code(.addressType)), .address("Direct_Address"),
          .count("Data_Length"), .advertisingData("Data", line: ""),
        ]),
    ]),
  .event(
    0x0e, "LE Periodic Advertising Sync Established",
    [.status, .aboutSync] + Parameter.periodicTrain),
  .event(
    0x0f, "LE Periodic Advertising Report",
    [
      .aboutSync, .txPower, .rssi,
      .u8("CTE_Type", .code(.cteType)), .u8("Data_Status", .code(.dataStatus), line: ""),
      .count("Data_Length"), .advertisingData("Data", line: ""),
    ]),
  .event(
    0x10, "LE Periodic Advertising Sync Lost", [.aboutSync]),
  .event(0x11, "LE Scan Timeout", []),
  .event(
    0x12, "LE Advertising Set Terminated",
    [
      .status, .advertisingHandle, .connectionHandle,
      .u8("Num_Completed_Extended_Advertising_Events", .identifier, line: "events"),
    ]),
  .event(
    0x13, "LE Scan Request Received",
    [
      .advertisingHandle, .u8("Scanner_Address_Type", .code(.addressType), line: ""),
      .address("Scanner_Address", line: ""),
    ]),
  .event(
    0x14, "LE Channel Selection Algorithm",
    [
      .connectionHandle,
      .u8("Channel_Selection_Algorithm", .code(.channelSelection), line: ""),
    ]),
  .event(
    0x15, "LE Connectionless IQ Report",
    [
      .aboutSync, .u8("Channel_Index", line: "channel"),
    ] + Parameter.iqSamples),
  .event(
    0x16, "LE Connection IQ Report",
    [
      .connectionHandle, .u8("RX_PHY", .code(.phy)),
      .u8("Data_Channel_Index", line: "channel"),
    ] + Parameter.iqSamples),
  .event(0x17, "LE CTE Request Failed", [.status, .connectionHandle]),
  .event(
    0x18, "LE Periodic Advertising Sync Transfer Received",
    [.status, .connectionHandle, .u16("Service_Data", .hex), .aboutSync]
      + Parameter.periodicTrain),
]

/// The LE Meta subevents 0x19 to 0x2a.
package let leMetaIsochronousRows: [ParameterRow] = [
  .event(0x19, "LE CIS Established", Parameter.cisEstablished),
  .event(
    0x1a, "LE CIS Request",
    [
      .u16("ACL_Connection_Handle", .handle), .u16("CIS_Connection_Handle", .handle, line: "CIS"),
      .u8("CIG_ID"), .u8("CIS_ID"),
    ]),
  .event(
    0x1b, "LE Create BIG Complete",
    [
      .status, .u8("BIG_Handle", .identifier, line: "BIG"),
      .u24("BIG_Sync_Delay", .scaled(.microseconds)),
      .u24("Transport_Latency_BIG", .scaled(.microseconds)), .u8("PHY", .code(.phy), line: ""),
      .u8("NSE"), .u8("BN"), .u8("PTO"), .u8("IRC"), .u16("Max_PDU"),
      .u16("ISO_Interval", .scaled(.interval), line: "interval"),
      .count("Num_BIS", line: "streams"), .list("Streams", [.u16("Connection_Handle", .handle)]),
    ]),
  .event(
    0x1c, "LE Terminate BIG Complete", [.u8("BIG_Handle", .identifier, line: "BIG"), .reason]),
  .event(
    0x1d, "LE BIG Sync Established",
    [
      .status, .u8("BIG_Handle", .identifier, line: "BIG"),
      .u24("Transport_Latency_BIG", .scaled(.microseconds)), .u8("NSE"), .u8("BN"), .u8("PTO"),
      .u8("IRC"), .u16("Max_PDU"), .u16("ISO_Interval", .scaled(.interval), line: "interval"),
      .count("Num_BIS", line: "streams"), .list("Streams", [.u16("Connection_Handle", .handle)]),
    ]),
  .event(0x1e, "LE BIG Sync Lost", [.u8("BIG_Handle", .identifier, line: "BIG"), .reason]),
  .event(
    0x1f, "LE Request Peer SCA Complete",
    [.status, .connectionHandle, .u8("Peer_Clock_Accuracy", .code(.clockAccuracy), line: "")]),
  .event(
    0x20, "LE Path Loss Threshold",
    [
      .connectionHandle, .u8("Current_Path_Loss", .scaled(.dBOrNone), line: ""),
      .u8("Zone_Entered", .code(.pathLossZone), line: "zone"),
    ]),
  .event(
    0x21, "LE Transmit Power Reporting",
    [
      .status, .connectionHandle, .u8("Reason", .code(.powerReportReason), line: ""),
      .u8("PHY", .code(.phyCoding)), .i8("TX_Power_Level", .scaled(.dBmIfManaged), line: ""),
      .u8("TX_Power_Level_Flag", .hex), .i8("Delta", .scaled(.dBChangeOrNone)),
    ]),
  .event(
    0x22, "LE BIGInfo Advertising Report",
    [
      .aboutSync, .u8("Num_BIS", line: "streams"), .u8("NSE"),
      .u16("ISO_Interval", .scaled(.interval), line: "interval"), .u8("BN"), .u8("PTO"),
      .u8("IRC"), .u16("Max_PDU"), .u24("SDU_Interval", .scaled(.microseconds)), .u16("Max_SDU"),
      .u8("PHY", .code(.phy)), .u8("Framing", .code(.framing)),
      .u8("Encryption", .code(.onOff), line: "encryption"),
    ]),
  .event(
    0x23, "LE Subrate Change",
    [
      .status, .connectionHandle, .u16("Subrate_Factor", line: "subrate"), .peripheralLatency,
      .u16("Continuation_Number", line: "continuation"), .supervisionTimeout,
    ]),
  .event(
    0x24, "LE Periodic Advertising Sync Established [v2]",
    [.status, .aboutSync] + Parameter.periodicTrain + Parameter.periodicSubevents),
  .event(
    0x25, "LE Periodic Advertising Report [v2]",
    [
      .aboutSync, .txPower, .rssi,
      .u8("CTE_Type", .code(.cteType)), .u16("Periodic_Event_Counter"),
      .u8("Subevent", line: "subevent"), .u8("Data_Status", .code(.dataStatus), line: ""),
      .count("Data_Length"), .advertisingData("Data", line: ""),
    ]),
  .event(
    0x26, "LE Periodic Advertising Sync Transfer Received [v2]",
    [.status, .connectionHandle, .u16("Service_Data", .hex), .aboutSync]
      + Parameter.periodicTrain + Parameter.periodicSubevents),
  .event(
    0x27, "LE Periodic Advertising Subevent Data Request",
    [
      .advertisingHandle, .u8("Subevent_Start", line: "subevent"),
      .u8("Subevent_Data_Count", line: "count"),
    ]),
  .event(
    0x28, "LE Periodic Advertising Response Report",
    [
      .advertisingHandle, .u8("Subevent", line: "subevent"), .u8("TX_Status", .hex),
      .count("Num_Responses", line: "responses"),
      .devices(
        "Responses",
        [
          .i8("TX_Power", .scaled(.dBmOrNone)), .i8("RSSI", .scaled(.signal)),
          .u8("CTE_Type", .code(.cteType)), .u8("Response_Slot"),
          .u8("Data_Status", .code(.dataStatus)), .count("Data_Length"),
          .advertisingData("Data"),
        ]),
    ]),
  .event(
    0x29, "LE Enhanced Connection Complete [v2]",
    Parameter.enhancedConnectionComplete + [
      .u8("Advertising_Handle", .identifier), .syncHandle,
    ]),
  .event(
    0x2a, "LE CIS Established [v2]",
    Parameter.cisEstablished + [
      .u24("Sub_Interval", .scaled(.microseconds)), .u16("Max_SDU_C_To_P"),
      .u16("Max_SDU_P_To_C"), .u24("SDU_Interval_C_To_P", .scaled(.microseconds)),
      .u24("SDU_Interval_P_To_C", .scaled(.microseconds)), .u8("Framing", .code(.framing)),
    ]),
]

extension Parameter {
  /// The first parameters of LE Connection Complete, in all its versions.
  fileprivate static let connectionComplete: [Parameter] = [
    status, connectionHandle, u8("Role", .code(.role), line: ""),
    u8("Peer_Address_Type", .code(.addressType)), peerAddress,
  ]
  /// The remaining parameters in version 1.
  fileprivate static let connectionParameters: [Parameter] = [
    connectionInterval, peripheralLatency, supervisionTimeout,
    u8("Central_Clock_Accuracy", .code(.clockAccuracy)),
  ]
  /// LE Enhanced Connection Complete.
  fileprivate static let enhancedConnectionComplete: [Parameter] =
    connectionComplete + [
      address("Local_Resolvable_Private_Address"), address("Peer_Resolvable_Private_Address"),
    ] + connectionParameters
  /// The periodic advertising train that was synchronized to.
  fileprivate static let periodicTrain: [Parameter] = [
    advertisingSID, advertiserAddressType, advertiserAddress,
    u8("Advertiser_PHY", .code(.phy), line: ""),
    u16("Periodic_Advertising_Interval", .scaled(.interval), line: "interval"),
    u8("Advertiser_Clock_Accuracy", .code(.clockAccuracy)),
  ]
  /// The subevents of that train.
  fileprivate static let periodicSubevents: [Parameter] = [
    u8("Num_Subevents", line: "subevents"), u8("Subevent_Interval", .scaled(.interval)),
    u8("Response_Slot_Delay", .scaled(.interval)),
    u8("Response_Slot_Spacing", .scaled(.finerInterval)),
  ]
  /// The IQ samples of a constant tone extension.
  fileprivate static let iqSamples: [Parameter] = [
    i16("RSSI", .scaled(.tenthsOfDBm), line: "RSSI"), u8("RSSI_Antenna_ID"),
    u8("CTE_Type", .code(.cteType)), u8("Slot_Durations", .scaled(.microseconds)),
    u8("Packet_Status", .hex), u16("Event_Counter"), count("Sample_Count", line: "samples"),
    list("Samples", [i8("I_Sample"), i8("Q_Sample")]),
  ]
  /// LE CIS Established.
  fileprivate static let cisEstablished: [Parameter] = [
    status, connectionHandle, u24("CIG_Sync_Delay", .scaled(.microseconds)),
    u24("CIS_Sync_Delay", .scaled(.microseconds)),
    u24("Transport_Latency_C_To_P", .scaled(.microseconds), line: "latency"),
    u24("Transport_Latency_P_To_C", .scaled(.microseconds)),
    u8("PHY_C_To_P", .code(.phy), line: ""),
    u8("PHY_P_To_C", .code(.phy)), u8("NSE"), u8("BN_C_To_P"), u8("BN_P_To_C"), u8("FT_C_To_P"),
    u8("FT_P_To_C"), u16("Max_PDU_C_To_P"), u16("Max_PDU_P_To_C"),
    u16("ISO_Interval", .scaled(.interval), line: "interval"),
  ]
}
