// The vendor-specific events (0xff) that Android requires, by the subevent code at the beginning of
// their parameters. Android, "HCI requirements". Layouts were checked against the packet
// definitions of AOSP and Wireshark, the quality report against bumble.

import Bluetooth

/// Android's events.
package let androidEventRows: [ParameterRow] = [
  .event(0x54, "Android Storage Threshold Breach", []),
  .event(
    0x55, "Android LE Multi Advertising State Change",
    [
      .u8("Advertising_Instance", line: "instance"),
      .u8("State_Change_Reason", .code(.androidStateChange), line: ""), .connectionHandle,
    ]),
  .event(
    0x56, "Android LE Advertisement Tracking",
    [
      .u8("Filter_Index", line: "filter"),
      .u8("Advertiser_State", .code(.androidAdvertiserState), line: ""),
      .selector("Advt_Info_Present", .androidAdvertiserInfo, line: nil),
      .address("Advertiser_Address", line: ""),
      .u8("Advertiser_Address_Type", .code(.addressType), line: ""),
      .since(), .txPower, .rssi, .u16("Timestamp", .scaled(.batchTime)),
      .count("Advertising_Data_Length"), .advertisingData("Advertising_Data"),
      .count("Scan_Response_Data_Length"), .advertisingData("Scan_Response_Data"),
    ]),
  // [mem]
  .event(
    0x57, "Android Controller Debug Info",
    [
      .u16("Debug_Block_Byte_Offset_Start"), .u8("Last_Block", .code(.yesNo)),
      Parameter("Current_Payload_Size", .count(width: 2), nil), .counted("Debug_Data"),
    ]),
  .event(
    0x58, "Android Bluetooth Quality Report",
    [
      .selector("Quality_Report_ID", .androidQualityReport),
      .choice([
        .on(0x01, Parameter.linkQuality), .on(0x02, Parameter.linkQuality),
        .on(0x03, Parameter.linkQuality), .on(0x04, Parameter.linkQuality),
        .on(
          0x05,
          [
            .u8("Error_Code", .code(.status), line: ""),
            .u8("Vendor_Specific_Error_Code", .hex, line: "code"), .since(),
            .rest("Vendor_Specific_Parameters", .vendors),
          ]),
        .on(0x06, Parameter.energy), .on(0x07, Parameter.linkQuality),
        .on(0x08, Parameter.linkQuality), .on(0x09, Parameter.radio),
        .on(0x0a, Parameter.radio),
        .on(0x11, Parameter.trace), .on(0x12, Parameter.trace),
        .on(0x13, Parameter.trace),
      ]),
    ]),
]

extension Parameter {
  /// A link quality report. Versions 1 to 4 end before the address, followed by vendor-specific
  /// parameters; the version is only recognisable by the length.
  fileprivate static let linkQuality: [Parameter] = [
    u8("Packet_Type", .code(.androidPacketType)), connectionHandle,
    u8("Connection_Role", .code(.role)), i8("TX_Power_Level", .scaled(.dBm), line: "TX power"),
    i8("RSSI", .scaled(.signal), line: "RSSI"), u8("SNR", .scaled(.dB), line: "SNR"),
    u8("Unused_AFH_Channel_Count"), u8("AFH_Select_Unideal_Channel_Count"),
    u16("LSTO", .scaled(.slots)), u32("Connection_Piconet_Clock"),
    u32("Retransmission_Count", line: "retransmitted"), u32("No_RX_Count", line: "not received"),
    u32("NAK_Count", line: "NAK"), u32("Last_TX_ACK_Timestamp"), u32("Flow_Off_Count"),
    u32("Last_Flow_On_Timestamp"), u32("Buffer_Overflow_Bytes"), u32("Buffer_Underflow_Bytes"),
    since(35), deviceAddress, u8("Cal_Failed_Item_Count"),
    u32("TX_Total_Packets"), u32("TX_UnAcked_Packets"), u32("TX_Flushed_Packets"),
    u32("TX_Last_Subevent_Packets"), u32("CRC_Error_Packets", line: "CRC errors"),
    u32("RX_Duplicate_Packets"), u32("RX_Unreceived_Packets"),
    since(), rest("Vendor_Specific_Parameters", .vendors),
  ]
  /// The Controller's energy consumption.
  fileprivate static let energy: [Parameter] = [
    u16("Average_Current_Consumption", line: "mA"),
    u32("Idle_Total_Time", .scaled(.milliseconds), line: "idle"), u32("Idle_Enter_Count"),
    u32("Active_Total_Time", .scaled(.milliseconds), line: "active"), u32("Active_Enter_Count"),
    u32("BR_EDR_TX_Total_Time", .scaled(.milliseconds)), u32("BR_EDR_TX_Enter_Count"),
    i8("BR_EDR_TX_Average_Power", .scaled(.dBm)),
    u32("BR_EDR_RX_Total_Time", .scaled(.milliseconds)), u32("BR_EDR_RX_Enter_Count"),
    u32("LE_TX_Total_Time", .scaled(.milliseconds)), u32("LE_TX_Enter_Count"),
    i8("LE_TX_Average_Power", .scaled(.dBm)),
    u32("LE_RX_Total_Time", .scaled(.milliseconds)), u32("LE_RX_Enter_Count"),
    u32("Report_Time_Duration", .scaled(.milliseconds)),
    u32("RX_Active_One_Chain_Time", .scaled(.milliseconds)),
    u32("RX_Active_Two_Chain_Time", .scaled(.milliseconds)),
    u32("TX_iPA_Active_One_Chain_Time", .scaled(.milliseconds)),
    u32("TX_iPA_Active_Two_Chain_Time", .scaled(.milliseconds)),
    u32("TX_ePA_Active_One_Chain_Time", .scaled(.milliseconds)),
    u32("TX_ePA_Active_Two_Chain_Time", .scaled(.milliseconds)),
    since(), u32("BR_EDR_RX_Scan_Total_Time", .scaled(.milliseconds)),
    u32("LE_RX_Scan_Total_Time", .scaled(.milliseconds)),
    since(), rest("Vendor_Specific_Parameters", .vendors),
  ]
  /// Radio statistics; only in Wireshark.
  fileprivate static let radio: [Parameter] = [
    u8("Extension_Info"), u32("Report_Time_Period", line: "period"),
    bytes("TX_Power_Counts", 16, .harmless),
    bytes("RSSI_Counts", 40, .harmless), bytes("RSSI_Delta_Counts", 20, .harmless),
    u32("Antenna_Switch_Count"),
    bytes("Retransmission_Counts", 16, .harmless), u8("Good_Channels", line: "good channels"),
    u8("OK_Channels"), u8("Bad_Channels", line: "bad"), u8("Very_Bad_Channels"),
    since(), rest("Vendor_Specific_Parameters", .vendors),
  ]
  /// A trace from the Controller.
  fileprivate static let trace: [Parameter] = [
    connectionHandle, rest("Vendor_Specific_Parameters", .vendors),
  ]
}
