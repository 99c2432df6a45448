// OGF 6, the Testing commands. Core, Vol 4, Part E, 7.6. Codes and sizes were checked against
// BlueZ's monitor, names against tshark 4.0 and bumble. The current specification uses
// "Implementation" instead of "Device" Under Test.

import Bluetooth

/// The Testing commands.
package let testingRows: [ParameterRow] = [
  .command(
    0x1801, "Read Loopback Mode", [],
    returns: [.status, .u8("Loopback_Mode", .code(.loopbackMode), line: "")]),
  .command(
    0x1802, "Write Loopback Mode", [.u8("Loopback_Mode", .code(.loopbackMode), line: "")],
    returns: [.status]),
  .command(0x1803, "Enable Implementation Under Test Mode", [], returns: [.status]),
  .command(
    0x1804, "Write Simple Pairing Debug Mode",
    [.u8("Simple_Pairing_Debug_Mode", .code(.onOff), line: "")], returns: [.status]),
  .command(0x1807, "Enable AMP Receiver Reports"),
  .command(0x1808, "AMP Test End"),
  .command(0x1809, "AMP Test"),
  .command(
    0x180a, "Write Secure Connections Test Mode",
    [
      .connectionHandle, .u8("DM1_ACL-U_Mode", .code(.onOff)),
      .u8("eSCO_Loopback_Mode", .code(.onOff)),
    ], returns: [.status, .connectionHandle]),
]
