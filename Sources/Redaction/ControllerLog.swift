import Bluetooth
import Bytes
import Captures
import Dissectors

/// What some controllers report to their manufacturers while they run: logs and memory dumps, sent
/// to the host as ACL data with handles that no connection has.
enum ControllerLog {
  /// Qualcomm's, and MediaTek's three: the first 16 bits of the packet, including flags (Linux,
  /// drivers/bluetooth, btqca and btmtk [mem]).
  private static let words: [UInt16] = [0x2edc, 0x05fe, 0x05ff, 0xfc6f]

  /// Returns whether a record contains such a packet.
  static func holds(_ record: borrowing CaptureRecord, _ dissection: Dissection) -> Bool {
    guard case .acl = dissection.content, record.direction != .sent, dissection.air == nil else {
      return false
    }
    let start = record.framing == .h4 ? 1 : 0
    return words.contains(record.bytes.littleEndianU16(at: start))
  }
}
