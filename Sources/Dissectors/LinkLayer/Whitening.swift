import Bytes

/// The whitening of packets: the PDU and the CRC are combined with a sequence that depends on the
/// channel (Core, Vol 6, Part B, 3.2). x⁷ + x⁴ + 1.
///
/// Nearly all sniffers undo it. Where one did not (`AirHeader.isWhitened`), a record's bytes do not
/// change; the caller has the plain packet written into a buffer of its own, and dissects that with
/// `Dissection.read(dewhitened:header:isTruncated:)`.
package struct Whitening: Sendable {
  private var state: UInt8

  /// Begins the sequence of a channel, by its index.
  package init(channel: UInt8) {
    // The first position is 1. The index follows, its most significant bit first.
    state = 0x40 | channel & 0x3f
  }

  /// Returns the next byte of the sequence, whose first bit is the least significant.
  package mutating func next() -> UInt8 {
    var byte: UInt8 = 0
    for bit in 0..<8 {
      let last = state & 1
      byte |= last << UInt8(bit)
      state >>= 1
      if last != 0 { state ^= 0x44 }
    }
    return byte
  }

  /// Writes a packet without its whitening.
  ///
  /// - Parameters:
  ///   - packet: the packet of the record.
  ///   - bytes: the record.
  ///   - channel: the channel's index.
  ///   - buffer: replaced by access address, coding indicator, PDU and CRC.
  package static func remove(
    _ packet: AirPacket, _ bytes: RawSpan, channel: UInt8, into buffer: inout [UInt8]
  ) {
    buffer.removeAll(keepingCapacity: true)
    for index in 0..<4 {
      buffer.append(UInt8(truncatingIfNeeded: packet.accessAddress >> UInt32(8 * index)))
    }
    if let indicator = packet.codingIndicator { buffer.append(indicator) }
    var sequence = Self(channel: channel)
    let whitened = bytes.part(packet.pdu)
    for offset in 0..<whitened.byteCount {
      buffer.append(whitened.byte(at: offset) ^ sequence.next())
    }
  }
}
