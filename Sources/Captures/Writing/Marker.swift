import Bluetooth
import Bytes

/// A text that the user adds to a live capture, to relate actions to traffic.
///
/// In captures of the Linux monitor it is a User Logging record: priority (1 byte), the
/// identifier's length including its zero byte (1), the identifier, the text, and a zero byte
/// (BlueZ, doc/btsnoop-protocol.rst). In other pcapng files it is a comment on the next packet.
package enum Marker {
  /// The identifier of the program that logs.
  package static let identifier: StaticString = "gattscope"
  /// The syslog priority of information (RFC 5424, 6.2.1).
  private static let priority: UInt8 = 6
  /// The maximum number of bytes kept of a text.
  private static let mostBytes = 4096

  /// Returns the payload of a marker's record.
  static func payload(_ text: String) -> [UInt8] {
    let name = unsafe [UInt8](
      UnsafeBufferPointer(start: identifier.utf8Start, count: identifier.utf8CodeUnitCount))
    let bytes = [UInt8](text.utf8)
    let kept = bytes.prefix(bytes.bytes.characters(atMost: mostBytes))
    return [priority, UInt8(name.count + 1)] + name + [0] + kept + [0]
  }

  /// Returns whether a record is a marker.
  package static func isMarker(_ record: borrowing CaptureRecord) -> Bool {
    record.framing == .monitor(opcode: MonitorOpcode.userLog.rawValue) && text(of: record) != nil
  }

  /// Returns the text of a marker's record, or nil for other records.
  static func text(of record: borrowing CaptureRecord) -> [UInt8]? {
    guard record.framing == .monitor(opcode: MonitorOpcode.userLog.rawValue), !record.isTruncated
    else { return nil }
    let count = identifier.utf8CodeUnitCount
    let bytes = record.bytes
    let start = 2 + count + 1
    guard bytes.byteCount >= start, Int(bytes.byte(at: 1)) == count + 1,
      bytes.dropping(2).starts(with: identifier), bytes.byte(at: start - 1) == 0
    else { return nil }
    let hasEnd = bytes.byteCount > start && bytes.byte(at: bytes.byteCount - 1) == 0
    let text = Slice(start: start, count: bytes.byteCount - start - (hasEnd ? 1 : 0))
    return bytes.part(text).array
  }
}
