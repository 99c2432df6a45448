import Bluetooth
import Bytes
import Captures
import Decoders
import Dissectors
import Meanings
import Sessions

/// The last vendor messages of attributes: a value alone does not show whether it is a message or
/// the end of one that was split.
struct LastMessages: Sendable {
  private struct Place: Hashable {
    let server: UInt64
    let handle: UInt16
  }

  /// The maximum number of attributes that are remembered.
  private static let most = 1024
  private var messages: [Place: (packet: Int, content: RecentMessages.Content)] = [:]

  /// Stores the message that a packet's value is, completes, or is a part of. Values longer than an
  /// attribute's maximum are not kept.
  mutating func keep(
    _ reading: borrowing ValueReading, _ packet: borrowing Packet, _ memory: borrowing Memory,
    on link: LinkSlot
  ) {
    guard reading.isMessage, let pdu = packet.dissection.att, let message = reading.messageAlone,
      let value = packet.dissection.attFields.value,
      let handle = packet.dissection.attFields.handle ?? packet.answer.request?.handle
    else { return }
    let side = pdu.opcode.server(packet.record.direction ?? .received)
    let place = Place(
      server: Attributes.key(of: side, memory.links.connection(link)), handle: handle)
    guard value.count <= AttributeUse.longest,
      messages.count < Self.most || messages[place] != nil
    else {
      messages[place] = nil
      return
    }
    messages[place] = (packet.record.number, message)
  }

  /// The messages, to be described again.
  var recent: RecentMessages {
    var recent = RecentMessages(Self.most)
    for (place, message) in messages {
      recent.keep(message.content, message.packet, place.handle)
    }
    return recent
  }
}
