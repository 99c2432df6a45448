import Bluetooth
import Dissectors

/// Follows the sequence numbers of one side of a connection on the air (Core, Vol 6, Part B,
/// 4.5.9), to tell new PDUs from resent ones.
struct Acknowledgement: Sendable {
  /// What a packet is, compared with the side's packet before.
  enum Outcome: Sendable {
    case new
    /// A new one; an odd number of PDUs before it was missed.
    case newAfterMissed
    case resent
    /// Resent, unless an equal PDU was missed in between.
    case resentUnsure
  }

  private var sequenceNumber: UInt8?
  /// LLID, length and a hash of the payload of the last packet.
  private var last: UInt64 = 0
  private var lastEvent = 0

  /// Adds a packet with a right CRC.
  ///
  /// - Parameters:
  ///   - content: `content(of:_:)` of the packet.
  ///   - isEncrypted: whether equal bytes prove that it is the same PDU.
  mutating func accept(
    _ pdu: LinkPDU, content: UInt64, event: Int?, isEncrypted: Bool
  ) -> Outcome {
    defer {
      sequenceNumber = pdu.sequenceNumber
      last = content
      lastEvent = event ?? lastEvent
    }
    guard let sequenceNumber, sequenceNumber == pdu.sequenceNumber else { return .new }
    guard content == last else { return .newAfterMissed }
    let isAdjacent = event.map { $0 - lastEvent <= 1 } ?? true
    return isAdjacent || isEncrypted && !pdu.isEmpty ? .resent : .resentUnsure
  }
}
