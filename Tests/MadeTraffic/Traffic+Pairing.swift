// The Security Manager in traffic: features, values, failures.

package import Bluetooth
import Captures

extension Traffic {
  /// A Security Manager PDU.
  package mutating func smp(_ bytes: [UInt8], _ direction: Direction, handle: Int = 0x40) {
    acl(l2cap(bytes, cid: 6), direction, handle: handle)
  }

  /// The same, its bytes in hex.
  package mutating func smp(_ text: String, _ direction: Direction, handle: Int = 0x40) {
    smp(hex(text), direction, handle: handle)
  }

  /// What a side says that it can do. IO capability: 0 display, 1 display and yes/no, 2 keyboard, 3
  /// nothing, 4 keyboard and display. AuthReq: 1 bonding, 4 MITM, 8 Secure Connections.
  package static func pairingFeatures(
    response: Bool, io: UInt8, auth: UInt8, outOfBand: UInt8 = 0, size: UInt8 = 16
  ) -> [UInt8] {
    [response ? 2 : 1, io, outOfBand, auth, size, 3, 3]
  }

  /// Pairing Request of this host, Pairing Response of the peer.
  package mutating func exchangeFeatures(
    io: UInt8 = 2, auth: UInt8 = 5, peerIO: UInt8 = 0, peerAuth: UInt8 = 5,
    from side: Direction = .sent,
    handle: Int = 0x40
  ) {
    smp(Self.pairingFeatures(response: false, io: io, auth: auth), side, handle: handle)
    smp(
      Self.pairingFeatures(response: true, io: peerIO, auth: peerAuth), side.reversed,
      handle: handle)
  }

  /// Confirm (3), Random (4) or DHKey Check (13) whose bytes are all `byte`.
  package mutating func pairingValue(
    _ opcode: UInt8, _ byte: UInt8, _ direction: Direction, handle: Int = 0x40
  ) {
    smp([opcode] + [UInt8](repeating: byte, count: 16), direction, handle: handle)
  }

  /// Legacy values that nobody checks: confirm and random of both.
  package mutating func legacyValues(from side: Direction = .sent, handle: Int = 0x40) {
    pairingValue(3, 1, side, handle: handle)
    pairingValue(3, 2, side.reversed, handle: handle)
    pairingValue(4, 3, side, handle: handle)
    pairingValue(4, 4, side.reversed, handle: handle)
  }

  /// Pairing Failed.
  package mutating func pairingFailed(
    _ reason: UInt8, _ direction: Direction = .received, handle: Int = 0x40
  ) {
    smp([5, reason], direction, handle: handle)
  }

  /// LE Enable Encryption with the key of a pairing, and Encryption Change.
  package mutating func encrypt(_ handle: Int = 0x40, status: UInt8 = 0) {
    command(0x2019, little(handle) + [UInt8](repeating: 0, count: 10 + 16))
    event(0x08, [status] + little(handle) + [status == 0 ? 1 : 0])
  }

  /// A whole legacy Just Works pairing with bonding, from connection to keys: 3 + 4 + 2 + 2 records.
  package mutating func pairAndBond(_ handle: Int = 0x40) {
    exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1, handle: handle)
    legacyValues(handle: handle)
    encrypt(handle)
    smp([6] + [UInt8](repeating: 7, count: 16), .received, handle: handle)
  }

  /// A record of the kernel's management interface about a device: a command (16) or an event (17) of this
  /// code, with the peer of `connect` as its device.
  package mutating func management(
    event isEvent: Bool, _ code: Int, peer: Int = 0xc011_2233_4455, type: UInt8 = 2,
    _ more: [UInt8] = []
  ) {
    add(
      little(2, width: 4) + little(code) + little(peer, width: 6) + [type] + more, nil,
      framing: .monitor(opcode: isEvent ? 17 : 16))
  }
}
