package import Bluetooth
import Bytes

extension Dissection {
  /// Dissects a sniffer's record: its header, the access address, and the header of the PDU. The
  /// dissection must be empty.
  package mutating func read(air format: SnifferFormat, _ bytes: RawSpan, isTruncated: Bool) {
    body = Slice(start: 0, count: bytes.byteCount)
  }
}
