package import Bluetooth

/// An ATT PDU. `ATTFields` has its parameters.
package struct ATTPDU: Sendable {
  package let opcode: ATTOpcode
  /// Whether it ends before its last parameter, so that it has only bytes.
  package internal(set) var isIncomplete = false

  /// Whether it has no parameters: what it means follows from the request that it answers.
  package var isBare: Bool {
    switch opcode {
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: true
    default: false
    }
  }
}
