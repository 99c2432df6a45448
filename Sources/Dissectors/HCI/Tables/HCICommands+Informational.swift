// OGF 4, the Informational Parameters. Core, Vol 4, Part E, 7.4. Codes and sizes were checked
// against BlueZ's monitor, names against bumble. Read Local Supported Commands [v2] (after Core
// 6.1) is only known from a capture.

import Bluetooth

/// The Informational Parameters commands.
package let informationalRows: [ParameterRow] = [
  .command(
    0x1001, "Read Local Version Information", [],
    returns: [
      .status, .u8("HCI_Version", .code(.coreVersion), line: "HCI"),
      .u16("HCI_Subversion", .hex), .u8("LMP_Version", .code(.coreVersion), line: "LMP"),
      .u16("Company_Identifier", .assigned(.company), line: "company"),
      .u16("LMP_Subversion", .hex),
    ]),
  .command(
    0x1002, "Read Local Supported Commands", [],
    returns: [.status, .bytes("Supported_Commands", 64, .harmless)]),
  .command(
    0x1003, "Read Local Supported Features", [],
    returns: [.status, .u64("LMP_Features", .flags(.lmpFeatures), line: "")]),
  .command(
    0x1004, "Read Local Extended Features", [.u8("Page_Number", line: "page")],
    returns: [
      .status, .page("Page_Number"), .u8("Max_Page_Number", line: "of"), .extendedFeatures,
    ]),
  .command(
    0x1005, "Read Buffer Size", [],
    returns: [
      .status, .u16("ACL_Data_Packet_Length", line: "ACL length"),
      .u8("Synchronous_Data_Packet_Length"),
      .u16("Total_Num_ACL_Data_Packets", line: "packets"),
      .u16("Total_Num_Synchronous_Data_Packets"),
    ]),
  .command(0x1007, "Read Country Code", [], returns: [.status, .u8("Country_Code", .hex)]),
  .command(0x1009, "Read BD ADDR", [], returns: [.status, .deviceAddress]),
  .command(
    0x100a, "Read Data Block Size", [],
    returns: [
      .status, .u16("Max_ACL_Data_Packet_Length", line: "ACL length"),
      .u16("Data_Block_Length", line: "block"), .u16("Total_Num_Data_Blocks", line: "blocks"),
    ]),
  .command(
    0x100b, "Read Local Supported Codecs", [],
    returns: [
      .status, .count("Num_Supported_Standard_Codecs"),
      .list("Standard_Codecs", [.u8("Standard_Codec_ID", .code(.codingFormat))]),
      .count("Num_Supported_Vendor_Specific_Codecs"),
      .list("Vendor_Specific_Codecs", [.u32("Vendor_Specific_Codec_ID", .hex)]),
    ]),
  .command(
    0x100c, "Read Local Simple Pairing Options", [],
    returns: [
      .status, .u8("Simple_Pairing_Options", .hex),
      .u8("Max_Encryption_Key_Size", line: "key size at most"),
    ]),
  .command(
    0x100d, "Read Local Supported Codecs [v2]", [],
    returns: [
      .status, .count("Num_Supported_Standard_Codecs"),
      .list(
        "Standard_Codecs",
        [
          .u8("Standard_Codec_ID", .code(.codingFormat)),
          .u8("Standard_Codec_Transport", .flags(.codecTransports)),
        ]),
      .count("Num_Supported_Vendor_Specific_Codecs"),
      .list(
        "Vendor_Specific_Codecs",
        [
          .u32("Vendor_Specific_Codec_ID", .hex),
          .u8("Vendor_Specific_Codec_Transport", .flags(.codecTransports)),
        ]),
    ]),
  .command(
    0x100e, "Read Local Supported Codec Capabilities",
    [
      .u8("Coding_Format", .code(.codingFormat), line: ""), .u16("Company_ID", .assigned(.company)),
      .u16("Vendor_Codec_ID", .hex), .u8("Logical_Transport_Type", .code(.codecTransport)),
      .u8("Direction", .code(.dataPathDirection), line: ""),
    ],
    returns: [
      .status, .count("Num_Codec_Capabilities"),
      .list(
        "Codec_Capabilities",
        [.count("Codec_Capability_Length"), .counted("Codec_Capability", .harmless)]),
    ]),
  .command(
    0x100f, "Read Local Supported Controller Delay",
    [
      .u8("Coding_Format", .code(.codingFormat), line: ""), .u16("Company_ID", .assigned(.company)),
      .u16("Vendor_Codec_ID", .hex), .u8("Logical_Transport_Type", .code(.codecTransport)),
      .u8("Direction", .code(.dataPathDirection), line: ""),
      .count("Codec_Configuration_Length"), .counted("Codec_Configuration", .harmless),
    ],
    returns: [
      .status, .u24("Min_Controller_Delay", .scaled(.microseconds), line: ""),
      .u24("Max_Controller_Delay", .scaled(.microseconds), line: "-"),
    ]),
  .command(
    0x1010, "Read Local Supported Commands [v2]", [],
    returns: [.status, .bytes("Supported_Commands", 251, .harmless)]),
]
