import Bluetooth
import Bytes
import Captures
import Decoders
import Dissectors
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
  private var messages: [Place: ValueReading.Recent] = [:]

  /// Stores the message that a packet's value is, completes, or is a part of. Values longer than an
  /// attribute's maximum are not kept.
  mutating func keep(
    _ reading: borrowing ValueReading, _ record: borrowing CaptureRecord,
    _ dissection: Dissection, _ answer: Answer, _ memory: borrowing Memory, on link: LinkSlot
  ) {
    guard reading.isOfPDU, let pdu = dissection.att, let sighting = reading.sighting,
      let value = dissection.attFields.value,
      let handle = dissection.attFields.handle ?? answer.request?.handle
    else { return }
    let isLocal = (record.direction == .sent) == pdu.opcode.isServers
    let place = Place(
      server: Attributes.key(isLocal: isLocal, memory.links.connection(link)), handle: handle)
    guard value.count <= AttributeUse.longest,
      messages.count < Self.most || messages[place] != nil
    else {
      messages[place] = nil
      return
    }
    messages[place] = ValueReading.Recent(
      packet: record.number, handle: handle, sighting: sighting,
      following: reading.messages.following)
  }

  /// All messages by packet and handle.
  var byPacket: [UInt64: ValueReading.Recent] {
    var found: [UInt64: ValueReading.Recent] = [:]
    for message in messages.values {
      found[Self.place(message.packet, message.handle)] = message
    }
    return found
  }

  /// Returns the key of the message of a packet and an attribute in `byPacket`.
  static func place(_ packet: Int, _ handle: UInt16) -> UInt64 {
    UInt64(truncatingIfNeeded: packet) << 16 | UInt64(handle)
  }
}

extension ValueReading {
  /// Decodes the message that an attribute's last value was, or was a part of. Returns false if it
  /// was not one.
  mutating func read(last place: UInt64, _ value: [UInt8], _ server: UInt64?) -> Bool {
    guard let message = last[place], var found = message.sighting else { return false }
    // The request that it answers is shown only with packets.
    found.exchange = ExchangeNote()
    let following = message.following.map { other in
      var other = other
      other.exchange = ExchangeNote()
      return other
    }
    begin()
    sighting = found
    readMessage(value.bytes, server, following)
    return hasMeaning
  }
}
