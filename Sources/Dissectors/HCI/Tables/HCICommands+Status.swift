// OGF 5, the Status Parameters. Core, Vol 4, Part E, 7.5. Codes and sizes were checked against
// BlueZ's monitor, names against tshark 4.0 and bumble. The AMP commands are withdrawn.

import Bluetooth

/// The Status Parameters commands.
package let statusRows: [ParameterRow] = [
  .command(
    0x1401, "Read Failed Contact Counter", [.connectionHandle],
    returns: [.status, .connectionHandle, .u16("Failed_Contact_Counter", line: "failed contacts")]),
  .command(
    0x1402, "Reset Failed Contact Counter", [.connectionHandle],
    returns: [.status, .connectionHandle]),
  .command(
    0x1403, "Read Link Quality", [.connectionHandle],
    returns: [.status, .connectionHandle, .u8("Link_Quality", line: "quality")]),
  .command(
    0x1405, "Read RSSI", [.connectionHandle],
    returns: [.status, .connectionHandle, .i8("RSSI", .scaled(.dBmOrNone), line: "")]),
  .command(
    0x1406, "Read AFH Channel Map", [.connectionHandle],
    returns: [
      .status, .connectionHandle, .u8("AFH_Mode", .code(.onOff)),
      .bytes("AFH_Channel_Map", 10, .harmless),
    ]),
  .command(
    0x1407, "Read Clock", [.connectionHandle, .u8("Which_Clock", .code(.whichClock), line: "")],
    returns: [
      .status, .connectionHandle, .u32("Clock", .hex, line: "clock"),
      .u16("Accuracy", .scaled(.halfSlots)),
    ]),
  .command(
    0x1408, "Read Encryption Key Size", about: .security, [.connectionHandle],
    returns: [.status, .connectionHandle, .u8("Key_Size", line: "key size")]),
  .command(0x1409, "Read Local AMP Info", []),
  .command(0x140a, "Read Local AMP ASSOC"),
  .command(0x140b, "Write Remote AMP ASSOC"),
  .command(0x140c, "Get MWS Transport Layer Configuration", []),
  .command(
    0x140d, "Set Triggered Clock Capture",
    [
      .connectionHandle, .u8("Enable", .code(.onOff), line: ""),
      .u8("Which_Clock", .code(.whichClock), line: ""), .u8("LPO_Allowed", .code(.yesNo)),
      .u8("Num_Clock_Captures_To_Filter"),
    ], returns: [.status]),
]
