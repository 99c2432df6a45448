// OGF 8, the LE Controller commands of Core 4.0 to 4.2. Core, Vol 4, Part E, 7.8.1 to 7.8.46. Codes
// and sizes were checked against BlueZ's monitor, names against bumble and tshark 4.0. Names of
// first versions omit [v1].

import Bluetooth

/// The LE Controller commands, 0x2001 to 0x201f.
package let leRows: [ParameterRow] = [
  .command(
    0x2001, "LE Set Event Mask", about: .setUp, [.u64("LE_Event_Mask", .flags(.leEventMask))],
    returns: [.status]),
  .command(
    0x2002, "LE Read Buffer Size", about: .setUp, [],
    returns: [
      .status, .u16("LE_ACL_Data_Packet_Length", line: "ACL length"),
      .u8("Total_Num_LE_ACL_Data_Packets", line: "packets"),
    ]),
  .command(
    0x2003, "LE Read Local Supported Features Page 0", about: .setUp, [],
    returns: [.status, .u64("LE_Features", .flags(.leFeatures), line: "")]),
  .command(
    0x2005, "LE Set Random Address", [.randomAddress("Random_Address", line: "")],
    returns: [.status]),
  .command(
    0x2006, "LE Set Advertising Parameters",
    [
      .u16("Advertising_Interval_Min", .scaled(.slots), line: "interval"),
      .u16("Advertising_Interval_Max", .scaled(.slots), line: "-"),
      .u8("Advertising_Type", .code(.advertisingType), line: ""), .ownAddressType,
      .u8("Peer_Address_Type", .code(.addressType)), .address("Peer_Address"),
      .u8("Advertising_Channel_Map", .flags(.advertisingChannels)),
      .u8("Advertising_Filter_Policy", .code(.advertisingFilterPolicy)),
    ], returns: [.status]),
  .command(
    0x2007, "LE Read Advertising Physical Channel Tx Power", about: .setUp, [],
    returns: [.status, .i8("TX_Power_Level", .scaled(.dBm), line: "")]),
  .command(
    0x2008, "LE Set Advertising Data",
    [
      .count("Advertising_Data_Length"),
      .advertisingData("Advertising_Data", field: 31, line: ""),
    ], returns: [.status]),
  .command(
    0x2009, "LE Set Scan Response Data",
    [
      .count("Scan_Response_Data_Length"),
      .advertisingData("Scan_Response_Data", field: 31, line: ""),
    ], returns: [.status]),
  .command(
    0x200a, "LE Set Advertising Enable", [.u8("Advertising_Enable", .code(.onOff), line: "")],
    returns: [.status]),
  .command(
    0x200b, "LE Set Scan Parameters",
    [
      .u8("LE_Scan_Type", .code(.scanType), line: ""),
      .u16("LE_Scan_Interval", .scaled(.slots), line: "interval"),
      .u16("LE_Scan_Window", .scaled(.slots), line: "window"), .ownAddressType,
      .u8("Scanning_Filter_Policy", .code(.scanFilterPolicy), line: ""),
    ], returns: [.status]),
  .command(
    0x200c, "LE Set Scan Enable",
    [
      .u8("LE_Scan_Enable", .code(.onOff), line: ""),
      .u8("Filter_Duplicates", .code(.filterDuplicates), line: ""),
    ], returns: [.status]),
  .command(
    0x200d, "LE Create Connection",
    [
      .u16("LE_Scan_Interval", .scaled(.slots)), .u16("LE_Scan_Window", .scaled(.slots)),
      .u8("Initiator_Filter_Policy", .code(.initiatorFilterPolicy)), .peerAddressType,
      .peerAddress, .ownAddressType,
    ] + Parameter.wantedConnection),
  .command(0x200e, "LE Create Connection Cancel", [], returns: [.status]),
  .command(
    0x200f, "LE Read Filter Accept List Size", about: .setUp, [],
    returns: [.status, .u8("Filter_Accept_List_Size", line: "size")]),
  .command(0x2010, "LE Clear Filter Accept List", about: .setUp, [], returns: [.status]),
  .command(
    0x2011, "LE Add Device To Filter Accept List",
    [.u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: "")],
    returns: [.status]),
  .command(
    0x2012, "LE Remove Device From Filter Accept List",
    [.u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: "")],
    returns: [.status]),
  .command(
    0x2013, "LE Connection Update", [.connectionHandle] + Parameter.wantedConnection),
  .command(
    0x2014, "LE Set Host Channel Classification",
    [.bytes("Channel_Map", 5, .harmless, line: "channels")],
    returns: [.status]),
  .command(
    0x2015, "LE Read Channel Map", [.connectionHandle],
    returns: [.status, .connectionHandle, .bytes("Channel_Map", 5, .harmless, line: "channels")]),
  .command(0x2016, "LE Read Remote Features Page 0", [.connectionHandle]),
  .command(
    0x2017, "LE Encrypt", about: .security, [.secret("Key", 16), .secret("Plaintext_Data", 16)],
    returns: [.status, .secret("Encrypted_Data", 16)]),
  // Hosts derive keys from the numbers: older ones their long-term keys and passkeys.
  .command(0x2018, "LE Rand", about: .setUp, [], returns: [.status, .secret("Random_Number", 8)]),
  .command(
    0x2019, "LE Enable Encryption", about: .security,
    [
      .connectionHandle, .randomNumber, .encryptedDiversifier,
      .secret("Long_Term_Key", 16, line: "LTK"),
    ]),
  .command(
    0x201a, "LE Long Term Key Request Reply", about: .security,
    [.connectionHandle, .secret("Long_Term_Key", 16, line: "LTK")],
    returns: [.status, .connectionHandle]),
  .command(
    0x201b, "LE Long Term Key Request Negative Reply", about: .security, [.connectionHandle],
    returns: [.status, .connectionHandle]),
  .command(
    0x201c, "LE Read Supported States", about: .setUp, [],
    returns: [.status, .u64("LE_States", .flags(.leStates))]),
  .command(
    0x201d, "LE Receiver Test", [.u8("RX_Channel", line: "channel")], returns: [.status]),
  .command(
    0x201e, "LE Transmitter Test",
    [
      .u8("TX_Channel", line: "channel"), .u8("Test_Data_Length", line: "length"),
      .u8("Packet_Payload", .code(.testPayload), line: ""),
    ], returns: [.status]),
  .command(
    0x201f, "LE Test End", [], returns: [.status, .u16("Num_Packets", line: "packets")]),
]

/// The LE Controller commands, 0x2020 to 0x2034.
package let leDataLengthRows: [ParameterRow] = [
  .command(
    0x2020, "LE Remote Connection Parameter Request Reply",
    [
      .connectionHandle, .u16("Interval_Min", .scaled(.interval), line: "interval"),
      .u16("Interval_Max", .scaled(.interval), line: "-"), .maxLatency,
      .u16("Timeout", .scaled(.timeout), line: "timeout"),
      .u16("Min_CE_Length", .scaled(.slots)), .u16("Max_CE_Length", .scaled(.slots)),
    ], returns: [.status, .connectionHandle]),
  .command(
    0x2021, "LE Remote Connection Parameter Request Negative Reply",
    [.connectionHandle, .reasonGiven],
    returns: [.status, .connectionHandle]),
  .command(
    0x2022, "LE Set Data Length",
    [
      .connectionHandle, .u16("TX_Octets", .scaled(.octets), line: "tx"),
      .u16("TX_Time", .scaled(.microseconds), line: "in"),
    ], returns: [.status, .connectionHandle]),
  .command(
    0x2023, "LE Read Suggested Default Data Length", about: .setUp, [],
    returns: [
      .status, .u16("Suggested_Max_TX_Octets", .scaled(.octets), line: "tx"),
      .u16("Suggested_Max_TX_Time", .scaled(.microseconds), line: "in"),
    ]),
  .command(
    0x2024, "LE Write Suggested Default Data Length", about: .setUp,
    [
      .u16("Suggested_Max_TX_Octets", .scaled(.octets), line: "tx"),
      .u16("Suggested_Max_TX_Time", .scaled(.microseconds), line: "in"),
    ], returns: [.status]),
  .command(0x2025, "LE Read Local P-256 Public Key", about: .security, []),
  .command(
    0x2026, "LE Generate DHKey", about: .security,
    [.bytes("Key_X_Coordinate", 32, .keyX), .bytes("Key_Y_Coordinate", 32, .keyY)]),
  .command(
    0x2027, "LE Add Device To Resolving List", about: .security,
    [
      .identityAddressType, .identityAddress, .secret("Peer_IRK", 16), .secret("Local_IRK", 16),
    ], returns: [.status]),
  .command(
    0x2028, "LE Remove Device From Resolving List", about: .security,
    [.identityAddressType, .identityAddress],
    returns: [.status]),
  .command(0x2029, "LE Clear Resolving List", about: [.security, .setUp], [], returns: [.status]),
  .command(
    0x202a, "LE Read Resolving List Size", about: .setUp, [],
    returns: [.status, .u8("Resolving_List_Size", line: "size")]),
  .command(
    0x202b, "LE Read Peer Resolvable Address", [.identityAddressType, .identityAddress],
    returns: [.status, .address("Peer_Resolvable_Address", line: "")]),
  .command(
    0x202c, "LE Read Local Resolvable Address", [.identityAddressType, .identityAddress],
    returns: [.status, .address("Local_Resolvable_Address", line: "")]),
  .command(
    0x202d, "LE Set Address Resolution Enable", about: .setUp,
    [.u8("Address_Resolution_Enable", .code(.onOff), line: "")], returns: [.status]),
  .command(
    0x202e, "LE Set Resolvable Private Address Timeout", about: .setUp,
    [.u16("RPA_Timeout", .scaled(.seconds), line: "")], returns: [.status]),
  .command(
    0x202f, "LE Read Maximum Data Length", about: .setUp, [],
    returns: [
      .status, .u16("Supported_Max_TX_Octets", .scaled(.octets), line: "tx"),
      .u16("Supported_Max_TX_Time", .scaled(.microseconds), line: "in"),
      .u16("Supported_Max_RX_Octets", .scaled(.octets), line: "rx"),
      .u16("Supported_Max_RX_Time", .scaled(.microseconds), line: "in"),
    ]),
  .command(
    0x2030, "LE Read PHY", [.connectionHandle],
    returns: [
      .status, .connectionHandle, .u8("TX_PHY", .code(.phy), line: "tx"),
      .u8("RX_PHY", .code(.phy), line: "rx"),
    ]),
  .command(
    0x2031, "LE Set Default PHY", about: .setUp,
    [
      .u8("All_PHYs", .flags(.allPHYs), line: ""), .u8("TX_PHYs", .flags(.phys), line: "tx"),
      .u8("RX_PHYs", .flags(.phys), line: "rx"),
    ], returns: [.status]),
  .command(
    0x2032, "LE Set PHY",
    [
      .connectionHandle, .u8("All_PHYs", .flags(.allPHYs), line: ""),
      .u8("TX_PHYs", .flags(.phys), line: "tx"), .u8("RX_PHYs", .flags(.phys), line: "rx"),
      .u16("PHY_Options", .code(.phyOptions)),
    ]),
  .command(
    0x2033, "LE Receiver Test [v2]",
    [
      .u8("RX_Channel", line: "channel"), .u8("PHY", .code(.phy), line: ""),
      .u8("Modulation_Index", .code(.modulationIndex)),
    ], returns: [.status]),
  .command(
    0x2034, "LE Transmitter Test [v2]",
    [
      .u8("TX_Channel", line: "channel"), .u8("Test_Data_Length", line: "length"),
      .u8("Packet_Payload", .code(.testPayload), line: ""), .u8("PHY", .code(.phyCoding), line: ""),
    ], returns: [.status]),
]
