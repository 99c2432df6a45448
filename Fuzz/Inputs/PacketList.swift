/// A btsnoop file (datalink 2001) that is built packet by packet.
struct PacketList {
  private(set) var file = [UInt8]("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 7, 0xd1]
  /// Microseconds since the format's year 0; the first packet is from 2000-01-01.
  private var time: UInt64 = 0x00e0_3ab4_4a67_6000

  /// Appends a packet of adapter 0 with the monitor's opcode.
  mutating func record(_ opcode: UInt8, _ packet: [UInt8]) {
    let count = [UInt8(packet.count >> 8 & 0xff), UInt8(packet.count & 0xff)]
    file += [0, 0] + count + [0, 0] + count + [0, 0, 0, opcode] + [0, 0, 0, 0]
    file += (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
    file += packet
    time += 1000
  }

  mutating func wait(microseconds: UInt64) { time += microseconds }

  mutating func command(_ bytes: [UInt8]) {
    record(2, Array(bytes.prefix(2)) + [UInt8(max(bytes.count, 2) - 2)] + bytes.dropFirst(2))
  }

  mutating func event(_ code: UInt8, _ bytes: [UInt8]) {
    record(3, [code, UInt8(min(bytes.count, 255))] + bytes.prefix(255))
  }

  /// Appends a frame of an L2CAP channel, in one ACL packet.
  mutating func frame(_ bytes: [UInt8], channel: UInt8, on handle: UInt8, isSent: Bool) {
    let count = bytes.count
    let length = { (count: Int) in [UInt8(count & 0xff), UInt8(count >> 8)] }
    record(
      isSent ? 4 : 5,
      [handle, isSent ? 0 : 0x20] + length(count + 4) + length(count) + [channel, 0] + bytes)
  }

  mutating func att(_ pdu: [UInt8], on handle: UInt8, isSent: Bool) {
    frame(pdu, channel: 4, on: handle, isSent: isSent)
  }

  /// Appends an LE Connection Complete (Core, Vol 4, Part E, 7.7.65.1): a random address, 30 ms, 2
  /// s.
  mutating func connect(_ handle: UInt8, isCentral: Bool, peer: [UInt8]) {
    event(
      0x3e, [1, 0, handle, 0, isCentral ? 0 : 1, 1] + peer + [24, 0, 0, 0, 200, 0, 0])
  }
}
