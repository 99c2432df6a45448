// OGF 8, the LE Controller commands for extended and periodic advertising, scanning and initiating.
// Core, Vol 4, Part E, 7.8.52 to 7.8.77 and 7.8.124 on. Codes and sizes were checked against
// BlueZ's monitor, names against bumble and tshark 4.0.

import Bluetooth

/// The LE Controller commands, 0x2035 to 0x204e.
package let leAdvertisingRows: [ParameterRow] = [
  .command(
    0x2035, "LE Set Advertising Set Random Address",
    [.advertisingHandle, .randomAddress("Random_Address", line: "")], returns: [.status]),
  .command(
    0x2036, "LE Set Extended Advertising Parameters", Parameter.extendedAdvertising,
    returns: [.status, .i8("Selected_TX_Power", .scaled(.dBm), line: "TX power")]),
  .command(
    0x2037, "LE Set Extended Advertising Data",
    [
      .advertisingHandle, .dataOperation,
      .u8("Fragment_Preference", .code(.fragmentPreference)), .count("Advertising_Data_Length"),
      .advertisingData("Advertising_Data", line: ""),
    ], returns: [.status]),
  .command(
    0x2038, "LE Set Extended Scan Response Data",
    [
      .advertisingHandle, .dataOperation,
      .u8("Fragment_Preference", .code(.fragmentPreference)),
      .count("Scan_Response_Data_Length"), .advertisingData("Scan_Response_Data", line: ""),
    ], returns: [.status]),
  .command(
    0x2039, "LE Set Extended Advertising Enable",
    [
      .u8("Enable", .code(.onOff), line: ""), .count("Num_Sets"),
      .list(
        "Sets",
        [
          .advertisingHandle, .u16("Duration", .scaled(.timeout)),
          .u8("Max_Extended_Advertising_Events"),
        ]),
    ], returns: [.status]),
  .command(
    0x203a, "LE Read Maximum Advertising Data Length", about: .setUp, [],
    returns: [.status, .u16("Max_Advertising_Data_Length", .scaled(.octets), line: "at most")]),
  .command(
    0x203b, "LE Read Number of Supported Advertising Sets", about: .setUp, [],
    returns: [.status, .u8("Num_Supported_Advertising_Sets", line: "sets")]),
  .command(0x203c, "LE Remove Advertising Set", [.advertisingHandle], returns: [.status]),
  .command(0x203d, "LE Clear Advertising Sets", [], returns: [.status]),
  .command(
    0x203e, "LE Set Periodic Advertising Parameters", Parameter.periodicAdvertising,
    returns: [.status]),
  .command(
    0x203f, "LE Set Periodic Advertising Data",
    [
      .advertisingHandle, .dataOperation,
      .count("Advertising_Data_Length"), .advertisingData("Advertising_Data", line: ""),
    ], returns: [.status]),
  .command(
    0x2040, "LE Set Periodic Advertising Enable",
    [.u8("Enable", .flags(.periodicEnable), line: ""), .advertisingHandle], returns: [.status]),
  .command(
    0x2041, "LE Set Extended Scan Parameters",
    [
      .u8("Own_Address_Type", .code(.ownAddressType), line: ""),
      .u8("Scanning_Filter_Policy", .code(.scanFilterPolicy)),
      .countOfBits("Scanning_PHYs", .phys),
      .list(
        "PHY_Parameters",
        [
          .u8("Scan_Type", .code(.scanType), line: ""),
          .u16("Scan_Interval", .scaled(.slots), line: "interval"),
          .u16("Scan_Window", .scaled(.slots), line: "window"),
        ]),
    ], returns: [.status]),
  .command(
    0x2042, "LE Set Extended Scan Enable",
    [
      .u8("Enable", .code(.onOff), line: ""),
      .u8("Filter_Duplicates", .code(.filterDuplicates), line: ""),
      .u16("Duration", .scaled(.timeout)), .u16("Period", .scaled(.inquiry)),
    ], returns: [.status]),
  .command(0x2043, "LE Extended Create Connection", Parameter.extendedConnection),
  .command(
    0x2044, "LE Periodic Advertising Create Sync",
    [
      .u8("Options", .flags(.syncOptions)), .advertisingSID, .advertiserAddressType,
      .advertiserAddress, .u16("Skip", line: "skip"),
      .u16("Sync_Timeout", .scaled(.timeout), line: "timeout"),
      .u8("Sync_CTE_Type", .flags(.syncCTEType)),
    ]),
  .command(0x2045, "LE Periodic Advertising Create Sync Cancel", [], returns: [.status]),
  .command(
    0x2046, "LE Periodic Advertising Terminate Sync",
    [.aboutSync], returns: [.status]),
  .command(
    0x2047, "LE Add Device To Periodic Advertiser List",
    [.advertiserAddressType, .advertiserAddress, .advertisingSID], returns: [.status]),
  .command(
    0x2048, "LE Remove Device From Periodic Advertiser List",
    [.advertiserAddressType, .advertiserAddress, .advertisingSID], returns: [.status]),
  .command(0x2049, "LE Clear Periodic Advertiser List", [], returns: [.status]),
  .command(
    0x204a, "LE Read Periodic Advertiser List Size", about: .setUp, [],
    returns: [.status, .u8("Periodic_Advertiser_List_Size", line: "size")]),
  .command(
    0x204b, "LE Read Transmit Power", about: .setUp, [],
    returns: [
      .status, .i8("Min_TX_Power", .scaled(.dBm), line: ""),
      .i8("Max_TX_Power", .scaled(.dBm), line: "-"),
    ]),
  .command(
    0x204c, "LE Read RF Path Compensation", about: .setUp, [],
    returns: [
      .status, .i16("RF_TX_Path_Compensation_Value", .scaled(.tenthsOfDB), line: "tx"),
      .i16("RF_RX_Path_Compensation_Value", .scaled(.tenthsOfDB), line: "rx"),
    ]),
  .command(
    0x204d, "LE Write RF Path Compensation", about: .setUp,
    [
      .i16("RF_TX_Path_Compensation_Value", .scaled(.tenthsOfDB), line: "tx"),
      .i16("RF_RX_Path_Compensation_Value", .scaled(.tenthsOfDB), line: "rx"),
    ], returns: [.status]),
  .command(
    0x204e, "LE Set Privacy Mode",
    [
      .identityAddressType, .identityAddress,
      .u8("Privacy_Mode", .code(.privacyMode), line: ""),
    ], returns: [.status]),
]

/// The LE Controller commands for advertising from 0x207f on.
package let leAdvertisingLaterRows: [ParameterRow] = [
  .command(
    0x207f, "LE Set Extended Advertising Parameters [v2]",
    Parameter.extendedAdvertising + [
      .u8("Primary_Advertising_PHY_Options", .code(.phyOptions)),
      .u8("Secondary_Advertising_PHY_Options", .code(.phyOptions)),
    ], returns: [.status, .i8("Selected_TX_Power", .scaled(.dBm), line: "TX power")]),
  .command(
    0x2080, "LE Set Decision Data",
    [
      .advertisingHandle, .u8("Decision_Type_Flags", .hex), .count("Decision_Data_Length"),
      .counted("Decision_Data", .advertised),
    ], returns: [.status]),
  .command(
    0x2081, "LE Set Decision Instructions",
    [
      .count("Num_Tests", line: "tests"),
      .list(
        "Tests",
        [.u8("Test_Flags", .hex), .u8("Test_Field", .hex), .bytes("Test_Parameters", 16)]),
    ], returns: [.status]),
  .command(
    0x2082, "LE Set Periodic Advertising Subevent Data",
    [
      .advertisingHandle, .count("Num_Subevents_With_Data", line: "subevents"),
      .list(
        "Subevents",
        [
          .u8("Subevent"), .u8("Response_Slot_Start"), .u8("Response_Slot_Count"),
          .count("Subevent_Data_Length"), .advertisingData("Subevent_Data"),
        ]),
    ], returns: [.status, .u8("Advertising_Handle", .identifier)]),
  .command(
    0x2083, "LE Set Periodic Advertising Response Data",
    [
      .aboutSync, .u16("Request_Event"), .u8("Request_Subevent"),
      .u8("Response_Subevent", line: "subevent"), .u8("Response_Slot", line: "slot"),
      .count("Response_Data_Length", line: "length"), .counted("Response_Data", .advertised),
    ], returns: [.status, .syncHandle]),
  .command(
    0x2084, "LE Set Periodic Sync Subevent",
    [
      .aboutSync, .u16("Periodic_Advertising_Properties", .flags(.periodicProperties)),
      .count("Num_Subevents_To_Sync", line: "subevents"), .list("Subevents", [.u8("Subevent")]),
    ], returns: [.status, .syncHandle]),
  .command(
    0x2085, "LE Extended Create Connection [v2]",
    [.u8("Advertising_Handle", .identifier), .u8("Subevent")] + Parameter.extendedConnection),
  .command(
    0x2086, "LE Set Periodic Advertising Parameters [v2]",
    Parameter.periodicAdvertising + [
      .u8("Num_Subevents", line: "subevents"), .u8("Subevent_Interval", .scaled(.interval)),
      .u8("Response_Slot_Delay", .scaled(.interval)),
      .u8("Response_Slot_Spacing", .scaled(.finerInterval)), .u8("Num_Response_Slots"),
    ], returns: [.status, .u8("Advertising_Handle", .identifier)]),
]

extension Parameter {
  /// The parameters of an advertising set.
  fileprivate static let extendedAdvertising: [Parameter] = [
    advertisingHandle,
    u16("Advertising_Event_Properties", .flags(.advertisingProperties), line: ""),
    u24("Primary_Advertising_Interval_Min", .scaled(.slots), line: "interval"),
    u24("Primary_Advertising_Interval_Max", .scaled(.slots), line: "-"),
    u8("Primary_Advertising_Channel_Map", .flags(.advertisingChannels)), ownAddressType,
    u8("Peer_Address_Type", .code(.addressType)), address("Peer_Address"),
    u8("Advertising_Filter_Policy", .code(.advertisingFilterPolicy)),
    i8("Advertising_TX_Power", .scaled(.dBmOrNone)),
    u8("Primary_Advertising_PHY", .code(.phy), line: ""), u8("Secondary_Advertising_Max_Skip"),
    u8("Secondary_Advertising_PHY", .code(.phy), line: "then"), advertisingSID,
    u8("Scan_Request_Notification_Enable", .code(.onOff)),
  ]
  /// The parameters of a periodic advertising train.
  fileprivate static let periodicAdvertising: [Parameter] = [
    advertisingHandle,
    u16("Periodic_Advertising_Interval_Min", .scaled(.interval), line: "interval"),
    u16("Periodic_Advertising_Interval_Max", .scaled(.interval), line: "-"),
    u16("Periodic_Advertising_Properties", .flags(.periodicProperties)),
  ]
  /// The parameters of LE Extended Create Connection, with those of each PHY.
  fileprivate static let extendedConnection: [Parameter] = [
    u8("Initiator_Filter_Policy", .code(.initiatorFilterPolicy)), ownAddressType,
    peerAddressType, peerAddress, countOfBits("Initiating_PHYs", .phys),
    list(
      "PHY_Parameters",
      [u16("Scan_Interval", .scaled(.slots)), u16("Scan_Window", .scaled(.slots))]
        + wantedConnection),
  ]
}
