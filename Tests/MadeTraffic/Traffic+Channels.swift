// L2CAP channels: signalling, frames, openings.

package import Bluetooth

extension Traffic {
  /// Appends signalling commands in one frame; `cid` 1 is BR/EDR, 5 is LE.
  package mutating func signal(
    _ text: String, _ direction: Direction, cid: Int = 5, handle: Int = 0x40
  ) {
    acl(l2cap(hex(text), cid: cid), direction, handle: handle)
  }

  /// Appends the first K-frame of an SDU of `length` bytes.
  package mutating func first(
    _ length: Int, _ payload: [UInt8], _ direction: Direction, cid: Int = 0x41, handle: Int = 0x40
  ) {
    acl(l2cap(little(length) + payload, cid: cid), direction, handle: handle)
  }

  /// Appends a complete SDU in one K-frame.
  package mutating func sdu(
    _ text: String, _ direction: Direction, cid: Int = 0x41, handle: Int = 0x40
  ) {
    first(hex(text).count, hex(text), direction, cid: cid, handle: handle)
  }

  /// Opens an LE credit-based channel for SPSM 0x0080, with CID 0x40 here and 0x41 at the peer.
  /// This host accepts SDUs of 100 bytes in frames of 30 and gives 3 credits; the peer's values are
  /// 64, 23 and 2.
  package mutating func openChannel(result: Int = 0) {
    signal("14 02 0a 00 80 00 40 00 64 00 1e 00 03 00", .sent)
    signal("15 02 0a 00 41 00 40 00 17 00 02 00 \(result) 00", .received)
  }

  /// Opens two enhanced bearers: 0x40 here with 0x51 at the peer, 0x41 here with 0x50 there. The
  /// peer accepts 80 bytes, this host 64.
  package mutating func openBearers() {
    signal("17 03 0c 00 27 00 40 00 40 00 08 00 40 00 41 00", .sent)
    signal("18 03 0c 00 50 00 50 00 08 00 00 00 51 00 50 00", .received)
  }

  /// Opens a BR/EDR channel: 0x45 here, 0x46 at the peer.
  package mutating func openClassic(psm: String) {
    signal("02 01 04 00 \(psm) 45 00", .sent, cid: 1)
    signal("03 01 08 00 46 00 45 00 00 00 00 00", .received, cid: 1)
  }

  /// Appends the Connection Complete of a BR/EDR link.
  package mutating func connectClassic() {
    event(0x03, [0] + little(0x40) + little(0xc011_2233_4455, width: 6) + [1, 0])
  }
}
