import Bytes

/// The handles in requests for several values, whose responses contain none. Bounded: only the last
/// few requests are kept.
package struct AskedHandles: Sendable {
  private var requests: [(packet: Int, handles: [UInt16])] = []

  private static let mostRequests = 16
  /// The most handles that are kept of a request: as many values as a PDU can hold.
  private static let mostHandles = 256

  init() {}

  /// Records the handles that a request lists.
  @inline(never)
  mutating func note(_ list: RawSpan, packet: Int) {
    let handles = (0..<min(Self.mostHandles, list.byteCount / 2)).map {
      list.littleEndianU16(at: 2 * $0)
    }
    if requests.count >= Self.mostRequests { requests.removeFirst() }
    requests.append((packet, handles))
  }

  /// The handles in the request in a packet; empty if unknown.
  package subscript(packet: Int) -> [UInt16] {
    requests.last { $0.packet == packet }?.handles ?? []
  }
}
