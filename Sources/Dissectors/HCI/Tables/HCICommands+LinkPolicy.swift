// OGF 2, the Link Policy commands. Core, Vol 4, Part E, 7.2. Codes and sizes were checked against
// BlueZ's monitor, names against tshark 4.0 and bumble. Park is withdrawn.

import Bluetooth

/// The Link Policy commands.
package let linkPolicyRows: [ParameterRow] = [
  .command(
    0x0801, "Hold Mode",
    [
      .connectionHandle, .u16("Hold_Mode_Max_Interval", .scaled(.slots), line: "at most"),
      .u16("Hold_Mode_Min_Interval", .scaled(.slots), line: "at least"),
    ]),
  .command(
    0x0803, "Sniff Mode",
    [
      .connectionHandle, .u16("Sniff_Max_Interval", .scaled(.slots), line: "at most"),
      .u16("Sniff_Min_Interval", .scaled(.slots), line: "at least"), .u16("Sniff_Attempt"),
      .u16("Sniff_Timeout"),
    ]),
  .command(0x0804, "Exit Sniff Mode", [.connectionHandle]),
  .command(
    0x0805, "Park State",
    [
      .connectionHandle, .u16("Beacon_Max_Interval", .scaled(.slots)),
      .u16("Beacon_Min_Interval", .scaled(.slots)),
    ]),
  .command(0x0806, "Exit Park State", [.connectionHandle]),
  .command(
    0x0807, "QoS Setup",
    [
      .connectionHandle, .bytes("Unused", 1), .u8("Service_Type", .code(.serviceType), line: ""),
      .u32("Token_Rate"), .u32("Peak_Bandwidth"), .u32("Latency", .scaled(.microseconds)),
      .u32("Delay_Variation", .scaled(.microseconds)),
    ]),
  .command(
    0x0809, "Role Discovery", [.connectionHandle],
    returns: [.status, .connectionHandle, .u8("Current_Role", .code(.role), line: "")]),
  .command(0x080b, "Switch Role", [.deviceAddress, .u8("Role", .code(.role), line: "")]),
  .command(
    0x080c, "Read Link Policy Settings", [.connectionHandle],
    returns: [
      .status, .connectionHandle, .u16("Link_Policy_Settings", .flags(.linkPolicy), line: ""),
    ]),
  .command(
    0x080d, "Write Link Policy Settings",
    [.connectionHandle, .u16("Link_Policy_Settings", .flags(.linkPolicy), line: "")],
    returns: [.status, .connectionHandle]),
  .command(
    0x080e, "Read Default Link Policy Settings", [],
    returns: [.status, .u16("Default_Link_Policy_Settings", .flags(.linkPolicy), line: "")]),
  .command(
    0x080f, "Write Default Link Policy Settings",
    [.u16("Default_Link_Policy_Settings", .flags(.linkPolicy), line: "")], returns: [.status]),
  .command(
    0x0810, "Flow Specification",
    [
      .connectionHandle, .bytes("Unused", 1),
      .u8("Flow_Direction", .code(.flowDirection), line: ""),
      .u8("Service_Type", .code(.serviceType), line: ""), .u32("Token_Rate"),
      .u32("Token_Bucket_Size"), .u32("Peak_Bandwidth"),
      .u32("Access_Latency", .scaled(.microseconds)),
    ]),
  .command(
    0x0811, "Sniff Subrating",
    [
      .connectionHandle, .u16("Max_Latency", .scaled(.slots), line: "latency"),
      .u16("Min_Remote_Timeout", .scaled(.slots)), .u16("Min_Local_Timeout", .scaled(.slots)),
    ], returns: [.status, .connectionHandle]),
]
