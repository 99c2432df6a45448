/// The opcodes of the Linux monitor, which identify the kind of record (BlueZ,
/// doc/btsnoop-protocol.rst).
package enum MonitorOpcode: UInt16, Sendable, CaseIterable {
  case newIndex = 0, deletedIndex, command, event, aclSent, aclReceived, scoSent, scoReceived
  case openIndex, closeIndex, indexInfo, vendorDiagnostic, systemNote, userLog
  case controlOpen, controlClose, controlCommand, controlEvent, isoSent, isoReceived

  /// The packet's direction; nil for records that are not packets.
  package var direction: Direction? {
    switch self {
    case .command, .aclSent, .scoSent, .isoSent: .sent
    case .event, .aclReceived, .scoReceived, .isoReceived: .received
    default: nil
    }
  }
}
