extension Fuzzing {
  /// Reads the bytes as PDUs. Two bytes precede each one: the first encodes its family, its
  /// direction and the time since the previous PDU, the second its length. The rest of the capture
  /// is generated, so that mutations change only what the family's own rules read.
  ///
  /// The very first byte chooses the connections.
  package static func pdu(_ bytes: [UInt8], _ faces: Faces) -> String? {
    let file = list(bytes).file
    for face in Face.chosen(faces) {
      if let broken = render(file, face) { return "\(face): \(broken)" }
    }
    return nil
  }

  private static func list(_ bytes: [UInt8]) -> PacketList {
    var list = PacketList()
    let first = bytes.first ?? 0
    if first & 1 == 0 { list.connect(1, isCentral: true, peer: [1, 2, 3, 4, 5, 0xc6]) }
    if first & 2 == 0 { list.connect(2, isCentral: false, peer: [6, 5, 4, 3, 2, 0x41]) }
    if first & 4 != 0 { list.openSerial(on: 3) }
    var rest = bytes.dropFirst()
    while rest.count >= 2, let choice = rest.popFirst(), let count = rest.popFirst() {
      let pdu = Array(rest.prefix(Int(count)))
      rest = rest.dropFirst(Int(count))
      list.wait(microseconds: [0, 0, 40_000, 31_000_000][Int(choice >> 5) & 3])
      list.add(pdu, family: choice & 31, isSent: choice & 0x80 == 0)
    }
    return list
  }
}

extension PacketList {
  /// Adds a PDU at the place of its family.
  fileprivate mutating func add(_ pdu: [UInt8], family: UInt8, isSent: Bool) {
    // ACL channels: connections 1 and 2, and those that only BR/EDR has.
    switch family {
    case 0...3: att(pdu, on: 1, isSent: isSent)
    case 4...5: att(pdu, on: 2, isSent: isSent)
    case 6: frame(pdu, channel: 6, on: 1, isSent: isSent)
    case 7: frame(pdu, channel: 6, on: 2, isSent: isSent)
    case 8: frame(pdu, channel: 5, on: 1, isSent: isSent)
    case 9: frame(pdu, channel: 0x40, on: 1, isSent: isSent)
    case 10: frame(pdu, channel: 1, on: 3, isSent: isSent)
    case 11: frame(pdu, channel: 7, on: 3, isSent: isSent)
    // RFCOMM, then SDP, on channels of which the file's first byte decides whether they are open.
    case 12 where (pdu.first ?? 0) & 1 == 1: frame(pdu, channel: 0x45, on: 3, isSent: isSent)
    case 12: frame(pdu, channel: 0x46, on: 3, isSent: isSent)
    case 13...14: command(pdu)
    case 15...16: event(pdu.first ?? 0, Array(pdu.dropFirst()))
    case 17...18: event(0x3e, pdu)
    // Command Complete and Command Status, which begin with Num_HCI_Command_Packets.
    case 19: event(0x0e, [1] + pdu)
    case 20: event(0x0f, [0, 1] + pdu)
    // Advertising data, in a legacy and in an extended report.
    case 21, 22:
      let data = Array(pdu.prefix(31))
      event(0x3e, [2, 1, 0, 1, 1, 2, 3, 4, 5, 0xc6, UInt8(data.count)] + data + [0xc0])
    case 23:
      let data = Array(pdu.prefix(229))
      event(
        0x3e,
        [0x0d, 1, 0, 0, 1, 1, 2, 3, 4, 5, 0xc6, 1, 0, 0xff, 0x7f, 0xc0]
          + [UInt8](repeating: 0, count: 9) + [UInt8(data.count)] + data)
    // Records that only the monitor has, by opcode: index records, SCO and ISO, text, management.
    case 24...26: record(pdu.first ?? 0, Array(pdu.dropFirst()))
    case 27: record(16, [1, 0, 0, 0] + pdu)
    case 28: record(17, [1, 0, 0, 0] + pdu)
    case 29: record(isSent ? 18 : 19, pdu)
    // A fragment of ACL data, with any lengths.
    default: record(isSent ? 4 : 5, pdu)
    }
  }
}

extension PacketList {
  /// Opens channels for RFCOMM and SDP with the same identifiers at both ends.
  fileprivate mutating func openSerial(on connection: UInt8) {
    for (psm, channel) in [(3, 0x45), (1, 0x46)] as [(UInt8, UInt8)] {
      frame([2, channel, 4, 0, psm, 0, channel, 0], channel: 1, on: connection, isSent: true)
      frame(
        [3, channel, 8, 0, channel, 0, channel, 0, 0, 0, 0, 0], channel: 1, on: connection,
        isSent: false)
    }
  }
}
