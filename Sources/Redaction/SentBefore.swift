import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The latest new packet of each side of the connections on the air. What is sent again is changed
/// in the same way.
struct SentBefore: Sendable {
  private struct Sent: Sendable {
    var record = 0
    var start = 0
    var payload: [UInt8] = []
  }

  private var sent: [Sent] = []
  /// The positions in `sent`, by access address and side.
  private var positions: [UInt64: Int] = [:]

  /// The most sides that are remembered.
  private static let most = 2048

  private static func key(_ packet: borrowing Packet, _ air: AirPacket) -> UInt64 {
    UInt64(air.accessAddress) << 1 | (packet.record.direction == .received ? 1 : 0)
  }

  /// Records a new packet with a payload.
  mutating func observe(_ packet: borrowing Packet, _ air: AirPacket) {
    let payload = air.payload(packet.record.bytes)
    guard !payload.isEmpty else { return }
    let key = Self.key(packet, air)
    let position: Int
    if let known = positions[key] {
      position = known
    } else {
      if sent.count >= Self.most {
        sent.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
      }
      position = sent.count
      positions[key] = position
      sent.append(Sent())
    }
    sent[position].record = packet.record.number
    sent[position].start = Int(payload.start)
    sent[position].payload.removeAll(keepingCapacity: true)
    sent[position].payload.append(packet.record.bytes.part(payload))
  }

  /// Returns the record that a packet repeats, and where its payload begins there.
  func original(of packet: borrowing Packet, _ air: AirPacket) -> (record: Int, start: Int)? {
    guard let position = positions[Self.key(packet, air)] else { return nil }
    let before = sent[position]
    let payload = packet.record.bytes.part(air.payload(packet.record.bytes))
    return payload.isEqual(to: before.payload.bytes) ? (before.record, before.start) : nil
  }
}
