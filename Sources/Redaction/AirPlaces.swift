import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

extension Packet {
  /// The data of an ACL packet, or the payload of a PDU from the air, in the record's bytes.
  var payload: Slice {
    if let air = dissection.air {
      if case .acl(let header) = dissection.content {
        let count = min(Int(header.length), Int(air.pdu.count))
        return Slice(start: air.pdu.end - count, count: count)
      }
      return air.payload(record.bytes)
    }
    guard case .acl(let header) = dissection.content else { return .empty }
    // The packet type if the record has one; handle (2 bytes), length (2).
    let start = (record.framing == .h4 ? 1 : 0) + 4
    return Slice(
      start: start, count: max(0, min(Int(header.length), record.bytes.byteCount - start)))
  }

  /// The end of what may hold data in the record: on the air, the CRC follows.
  var payloadEnd: Int { dissection.air == nil ? record.bytes.byteCount : payload.end }
}

extension CaptureRecord {
  /// Whether it has a packet from the air as it was sent, whitened.
  var isWhitened: Bool {
    framing == .air(.pseudoHeader)
      && !PseudoHeader.Flags(rawValue: bytes.littleEndianU16(at: 8)).contains(.dewhitened)
  }
}

extension AirPacket {
  /// Returns the payload of the PDU, after its header and CTEInfo.
  func payload(_ bytes: RawSpan) -> Slice {
    let start = Int(pdu.start)
    let length = Int(bytes.byte(at: start + 1))
    let hasCTEInfo =
      !isAdvertising && bytes.byte(at: start) & 0x20 != 0 && Int(pdu.count) == 3 + length
    let head = min(hasCTEInfo ? 3 : 2, Int(pdu.count))
    return Slice(start: start + head, count: Int(pdu.count) - head)
  }

  /// The end of the CRC, or of the PDU if the record lacks its CRC.
  var end: Int { pdu.end + (crc == nil ? 0 : 3) }

  /// Whether it is a PDU of advertising, also on the access address of a periodic train.
  var isOfAdvertising: Bool { isAdvertising || header.kind == .auxiliaryAdvertising }

  /// Changes the CRC of a changed PDU as much as its bytes require: what was right is right, what
  /// was wrong is wrong in the same bits, and nothing follows from it about the bytes before.
  ///
  /// A CRC of zeros was not recorded, and stays.
  func repairCRC(from original: RawSpan, in bytes: inout [UInt8]) {
    guard let crc, crc != 0, pdu.end + 3 <= bytes.count else { return }
    let before = original.part(pdu)
    guard !before.isEqual(to: bytes.bytes.part(pdu)) else {
      for place in 0..<3 { bytes[pdu.end + place] = UInt8(truncatingIfNeeded: crc >> (8 * place)) }
      return
    }
    let initial = CRC24.initial(of: before, crc: crc)
    let repaired = CRC24.compute(init: initial, bytes.bytes.part(pdu))
    for place in 0..<3 {
      bytes[pdu.end + place] = UInt8(truncatingIfNeeded: repaired >> (8 * place))
    }
  }
}
