import Bluetooth
import Bytes

/// The commands of RFCOMM's multiplexer row by row (TS 07.10, 5.4.6.3; RFCOMM, 4.3 and 5.5). Made
/// when the first command needs it.
enum MultiplexerTable {
  private static let entries = Immortal<RowEntry>(rows.map { RowEntry($0) })

  /// Returns the row of a command by its type without EA and C/R.
  static func row(_ code: UInt8) -> RowID? {
    let known = entries.span
    for index in known.indices where known[index].code == UInt16(code) {
      return RowID(entry: entries[index])
    }
    return nil
  }

  private static let rows: [ParameterRow] = [
    // The most frequent ones come first.
    .event(
      0x38, "Modem Status",
      [
        addressAfterEA,
        .packed(1, [.unused(1), .bits("Signals", 7, .flags(.rfcommSignals), line: "")]),
        end(unlessMore: 1),
        .packed(1, [.unused(1), .bits("Break", 1), .unused(2), .bits("Break_Length", 4)]),
      ]),
    .event(
      0x20, "DLC Parameter Negotiation",
      [
        address,
        .packed(
          1,
          [
            .bits("Frame_Type", 4, .hex),
            .bits("Convergence_Layer", 4, .code(.rfcommConvergence)),
          ]),
        .packed(1, [.bits("Priority", 6, line: "priority"), .unused(2)]),
        .u8("Acknowledgement_Timer"),
        .u16("Maximum_Frame_Size", line: "frame size"),
        .u8("Maximum_Retransmissions"),
        .packed(1, [.bits("Initial_Credits", 3, .scaled(.credits), line: ""), .unused(5)]),
      ]),
    .event(
      0x24, "Remote Port Negotiation",
      [
        addressAfterEA, end(unlessMore: 7),
        .u8("Baud_Rate", .code(.rfcommBaudRate), line: ""),
        .packed(
          1,
          [
            .bits("Data_Bits", 2, .code(.rfcommDataBits), line: ""),
            .bits("Stop_Bits", 1, .code(.rfcommStopBits), line: ""),
            .bits("Parity", 1, .code(.rfcommParity), line: ""),
            .bits("Parity_Type", 2, .code(.rfcommParityType)), .unused(2),
          ]),
        .packed(1, [.bits("Flow_Control", 6, .flags(.rfcommFlowControl)), .unused(2)]),
        .u8("XON_Character", .hex), .u8("XOFF_Character", .hex),
        .u16("Parameter_Mask", .flags(.rfcommPortParameters)),
      ]),
    .event(
      0x14, "Remote Line Status",
      [
        addressAfterEA,
        .packed(1, [.bits("Line_Status", 4, .flags(.rfcommLineStatus), line: ""), .unused(4)]),
      ]),
    .event(0x08, "Test", [.rest("Data", line: "")]),
    .event(0x28, "Flow Control On", []),
    .event(0x18, "Flow Control Off", []),
    .event(0x30, "Multiplexer Close Down", []),
    .event(0x10, "Power Saving Control", []),
    .event(
      0x04, "Non-Supported Command",
      [
        .packed(
          1,
          [
            .unused(1), .bits("Rejected_Command_Response", 1),
            .bits("Rejected_Command_Type", 6, .code(.rfcommCommand), line: ""),
          ])
      ]),
  ]

  /// Ends the values unless this many more bytes follow.
  private static func end(unlessMore count: Int) -> Parameter {
    Parameter("Optional", .versionEnd(count), nil)
  }
  /// A DLCI in the lower bits.
  private static let address = Parameter.packed(
    1, [.bits("Direction", 1), .bits("Server_Channel", 5, line: "channel"), .unused(2)])
  /// A DLCI in the form of a frame's address.
  private static let addressAfterEA = Parameter.packed(
    1, [.unused(2), .bits("Direction", 1), .bits("Server_Channel", 5, line: "channel")])
}
