import Bluetooth
import Captures
import Dissectors
import Meanings
import Sessions

/// A change of a connection on the air, which a control PDU of its central announces.
struct AirChange: Sendable {
  enum What: Sendable {
    /// In units of 1.25 ms.
    case interval(UInt16)
    /// In HCI's values.
    case phys(sent: UInt8, received: UInt8)
  }

  let connection: Int
  let packet: Int
  /// The connection event from which on it applies.
  let event: UInt16
  let what: What

  /// Creates the change that a control PDU announces, if it does.
  ///
  /// - Parameter memory: what is known after the packet.
  init?(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    guard packet.record.direction == .sent, let link = packet.answer.link else { return nil }
    connection = memory.links.id(link)
    self.packet = packet.record.number
    switch LinkControl(packet.bytes, packet.dissection.body) {
    case .connectionUpdate(let update):
      (what, event) = (.interval(update.interval), update.instant)
    case .phyUpdate(let central, let peripheral, let instant) where central | peripheral != 0:
      guard let phys = memory.links.connection(link).figures.phys else { return nil }
      (what, event) = (.phys(sent: phys.sent, received: phys.received), instant)
    default: return nil
    }
  }

  /// What changes: `45 ms`, `LE 2M`.
  var words: Wording {
    switch what {
    case .interval(let interval): "\(interval: interval)"
    case .phys(let sent, let received):
      sent == received
        ? "\(phy: sent)"
        : "\(phy: sent) \(Direction.sent.words(.air)), \(phy: received) \(Direction.received.words(.air))"
    }
  }
}
