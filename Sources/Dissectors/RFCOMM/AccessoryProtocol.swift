package import Bytes

/// Apple's accessory protocol, as recognised by the first bytes sent.
///
/// From public descriptions of the protocol [mem]: iAP2 begins with the handshake `ff 55 02 00 ee
/// 10`. Its link packets begin with `ff 5a`, length (2 bytes, most significant first), control (1),
/// sequence number (1), acknowledgement (1), session (1) and a checksum that makes the nine bytes
/// sum to 0. iAP1: `ff 55`, length (1), that many bytes, and a checksum that makes length and bytes
/// sum to 0.
package enum AccessoryProtocol: UInt8, Sendable {
  case iAP1, iAP2

  /// Returns the protocol if the bytes can be nothing else; otherwise nil.
  package init?(_ bytes: RawSpan, _ payload: Slice) {
    let data = bytes.part(payload)
    let sum = { (data: RawSpan, range: Range<Int>) in
      range.reduce(UInt8(0)) { $0 &+ data.byte(at: $1) }
    }
    guard data.byteCount >= 4, data.byte(at: 0) == 0xff else { return nil }
    switch data.byte(at: 1) {
    case 0x55:
      if data.byteCount >= 6, data.byte(at: 2) == 2, data.byte(at: 3) == 0,
        data.byte(at: 4) == 0xee, data.byte(at: 5) == 0x10
      {
        self = .iAP2
        return
      }
      let length = Int(data.byte(at: 2))
      guard length >= 2, data.byteCount >= length + 4, sum(data, 2..<length + 4) == 0 else {
        return nil
      }
      self = .iAP1
    case 0x5a:
      let length = Int(data.byte(at: 2)) << 8 | Int(data.byte(at: 3))
      guard data.byteCount >= 9, length >= 9, sum(data, 0..<9) == 0 else { return nil }
      self = .iAP2
    default: return nil
    }
  }

  package var name: StaticString { self == .iAP1 ? "iAP1" : "iAP2" }
}
