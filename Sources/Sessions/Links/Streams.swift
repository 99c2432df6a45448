import Bluetooth
import Bytes

/// The ACL connection of each connected isochronous stream (CIS), which the stream's own events and
/// data do not contain. Bounded: the pair that was learnt first is dropped.
struct Streams: Sendable {
  private var pairs: [(stream: LinkKey, connection: LinkKey)] = []
  /// The most pairs that are kept; a controller has only a few open.
  private static let most = 64

  /// The opcode of LE Create CIS.
  static let createOpcode: UInt16 = 0x2064

  /// Learns from LE Create CIS: count (1 byte), each: CIS handle (2), ACL handle (2) (Core, Vol 4,
  /// Part E, 7.8.99).
  mutating func learn(created bytes: RawSpan, _ body: Slice, _ adapter: AdapterIndex) {
    var cursor = Cursor(bytes, body)
    guard let count = try? cursor.u8() else { return }
    for _ in 0..<count {
      guard let stream = try? cursor.u16(), let connection = try? cursor.u16() else { return }
      learn(adapter, stream: stream, connection: connection)
    }
  }

  mutating func learn(_ adapter: AdapterIndex, stream: UInt16, connection: UInt16) {
    let stream = LinkKey(adapter, stream & 0x0fff)
    pairs.removeAll { $0.stream == stream }
    if pairs.count >= Self.most { pairs.removeFirst() }
    pairs.append((stream, LinkKey(adapter, connection & 0x0fff)))
  }

  /// Returns a stream's ACL connection.
  func connection(of stream: LinkKey) -> LinkKey? {
    pairs.last { $0.stream == stream }?.connection
  }
}
