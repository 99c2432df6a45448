// RFCOMM and what precedes it.

package import Bluetooth

extension Traffic {
  /// Opens a BR/EDR channel: `local` here, `local` + 0x10 at the peer.
  package mutating func openClassic(
    psm: Int, local: Int, by opener: Direction = .sent, identifier: UInt8 = 1
  ) {
    let ends = opener == .sent ? (local, local + 0x10) : (local + 0x10, local)
    acl(
      l2cap([2, identifier, 4, 0] + little(psm) + little(ends.0), cid: 1), opener, handle: 0x40)
    acl(
      l2cap([3, identifier, 8, 0] + little(ends.1) + little(ends.0) + [0, 0, 0, 0], cid: 1),
      opener.reversed, handle: 0x40)
  }

  /// Appends an RFCOMM frame on the channel with the CID `local` here.
  package mutating func serial(_ frame: String, _ direction: Direction, local: Int = 0x45) {
    acl(l2cap(hex(frame), cid: direction == .sent ? local + 0x10 : local), direction)
  }

  /// Appends a UIH frame of the device that opened the session, or of the other one, with its frame
  /// check sequence.
  package mutating func uih(
    _ payload: [UInt8], _ direction: Direction, dlci: UInt8 = 2, isInitiators: Bool? = nil,
    credits: UInt8? = nil, local: Int = 0x45
  ) {
    let address = dlci << 2 | (isInitiators ?? (direction == .sent) ? 2 : 0) | 1
    let control: UInt8 = credits == nil ? 0xef : 0xff
    let length =
      payload.count < 128
      ? [UInt8(payload.count) << 1 | 1]
      : [UInt8(payload.count & 0x7f) << 1, UInt8(payload.count >> 7)]
    let frame =
      [address, control] + length + (credits.map { [$0] } ?? []) + payload
      + [Self.check([address, control])]
    acl(l2cap(frame, cid: direction == .sent ? local + 0x10 : local), direction)
  }

  /// Opens an RFCOMM session on CID 0x45 here, and server channel 1 of the peer.
  package mutating func openSerial() {
    connectClassic()
    openClassic(psm: 3, local: 0x45)
    serial("03 3f 01 1c", .sent)
    serial("03 73 01 d7", .received)
    serial("03 ef 15 83 11 02 f0 00 00 de 03 00 07 70", .sent)
    serial("01 ef 15 81 11 02 e0 00 00 ff 00 00 01 aa", .received)
    serial("0b 3f 01 59", .sent)
    serial("0b 73 01 92", .received)
  }

  /// The CRC with the polynomial 0x07, reflected; the table of TS 07.10, B.3.5 computes the same.
  private static func check(_ bytes: [UInt8]) -> UInt8 {
    var crc: UInt8 = 0xff
    for byte in bytes {
      for bit in 0..<8 {
        let isSet = (crc ^ byte >> UInt8(bit)) & 1 == 1
        crc = isSet ? crc >> 1 ^ 0xe0 : crc >> 1
      }
    }
    return 0xff - crc
  }
}
