import Bytes
import Dissectors

/// Checks CRCs, and finds out whether a capture has recorded them at all.
struct CRCChecks: Sendable {
  /// Packets whose computed CRC is right; those for which it is wrong although the capture calls it
  /// right, of these with a CRC of zero bytes, and with one that another initial value gives.
  private var right = 0
  private var contradicted = 0
  private(set) var zeros = 0
  private(set) var made = 0
  /// The initial values that packets of a connection without an opening would need, and how often.
  private var votes: [(initial: UInt32, count: Int)] = []

  private static let mostVotes = 8

  /// Whether the CRCs of packets that the capture calls right are not those of the air.
  var isNotRecorded: Bool { right == 0 && zeros + made + contradicted >= 3 }

  /// Returns whether the CRC of a packet is right: as computed if that is possible, else as the
  /// capture says. A computed result that contradicts every claim is not believed: then the CRCs
  /// are not those of the air.
  ///
  /// - Parameters:
  ///   - initial: the initial value; nil: unknown.
  ///   - isTruncated: whether the capture cut the packet.
  mutating func check(
    _ packet: AirPacket, _ bytes: RawSpan, initial: UInt32?, isTruncated: Bool,
    isWrongClaim: inout Bool
  ) -> AirFact.CRC {
    let claim = packet.header.crc
    // A length that does not fit a whole record is wrong itself.
    if claim == .none, !isTruncated, packet.isLengthWrong(bytes) { return .wrong }
    guard let crc = packet.crc, let initial, !packet.header.isDecrypted else {
      return claim == .wrong ? .wrong : claim == .right ? .right : .unknown
    }
    if crc == 0, claim != .wrong {
      // A program that changed the packet left the CRC out.
      zeros += 1
      return claim == .right ? .right : .unknown
    }
    if CRC24.compute(init: initial, bytes.part(packet.pdu)) == crc {
      right += 1
      if claim == .wrong { isWrongClaim = true }
      return .right
    }
    guard claim == .right else { return .wrong }
    if initial != CRC24.advertising,
      CRC24.compute(init: CRC24.advertising, bytes.part(packet.pdu)) == crc
    {
      made += 1
      return .right
    }
    contradicted += 1
    guard right > 0 else { return .right }
    isWrongClaim = true
    return .wrong
  }

  /// Records which initial value a packet needs. Returns the value that most packets, and at least
  /// three, need.
  mutating func vote(_ packet: AirPacket, _ bytes: RawSpan) -> UInt32? {
    guard let crc = packet.crc, crc != 0, packet.header.crc != .wrong, !packet.header.isDecrypted
    else { return nil }
    let initial = CRC24.initial(of: bytes.part(packet.pdu), crc: crc)
    if let position = votes.firstIndex(where: { $0.initial == initial }) {
      votes[position].count += 1
    } else {
      if votes.count >= Self.mostVotes { votes.removeFirst() }
      votes.append((initial, 1))
    }
    guard let best = votes.max(by: { $0.count < $1.count }), best.count >= 3,
      2 * best.count > votes.reduce(0, { $0 + $1.count })
    else { return nil }
    return best.initial
  }
}

extension AirPacket {
  /// Whether the record has no room for the CRC, although it goes on after the PDU or ends in it.
  fileprivate func isLengthWrong(_ bytes: RawSpan) -> Bool {
    guard crc == nil, pdu.count >= 2 else { return false }
    let payload = Int(pdu.start) + 2
    return bytes.byteCount != payload + Int(bytes.byte(at: payload - 1))
  }
}
