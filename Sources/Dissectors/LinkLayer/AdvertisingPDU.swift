package import Bytes

/// A PDU on an advertising channel: byte 0: type (bits 0–3), ChSel (5), TxAdd (6), RxAdd (7); byte
/// 1: length (Core, Vol 6, Part B, 2.3).
package struct AdvertisingPDU: Sendable {
  /// The first byte of the header.
  package let flags: UInt8
  package let length: UInt8
  /// The payload, in the record's bytes.
  package let payload: Slice

  /// The PDU type.
  package var type: UInt8 { flags & 0xf }

  package init(flags: UInt8, length: UInt8, payload: Slice) {
    self.flags = flags
    self.length = length
    self.payload = payload
  }
}
