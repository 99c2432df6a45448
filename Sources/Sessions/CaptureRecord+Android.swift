package import Captures
import Dissectors

extension CaptureRecord {
  /// Returns whether a command is one that only Android's Bluetooth stack sends.
  package func isOfAndroid(_ opcode: UInt16) -> Bool {
    guard HCICommand.androidVendorCommands.contains(opcode) else { return false }
    // Linux's kernel sends some of them, too.
    if case .monitor = framing { return false }
    return true
  }
}
