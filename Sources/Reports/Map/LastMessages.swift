import Bytes
import Decoders
import Sessions

/// The messages of vendors' protocols that attributes had last: a value alone does not tell a message from
/// the end of one that came in several.
struct LastMessages: Sendable {
  private struct Place: Hashable {
    let server: UInt64
    let handle: UInt16
  }

  /// So many attributes are remembered.
  private static let most = 1024
  private var messages: [Place: ValueReading.Recent] = [:]

  /// Keeps what an attribute's value was.
  ///
  /// - Parameters:
  ///   - server: whose attribute it is.
  ///   - count: how many bytes the value has. Of longer ones than an attribute's nothing is kept.
  mutating func keep(_ message: ValueReading.Recent, of server: UInt64, count: Int) {
    let place = Place(server: server, handle: message.handle)
    guard count <= AttributeUse.longest, messages.count < Self.most || messages[place] != nil
    else {
      messages[place] = nil
      return
    }
    messages[place] = message
  }

  /// All of them by their packets and handles.
  var byPacket: [UInt64: ValueReading.Recent] {
    var found: [UInt64: ValueReading.Recent] = [:]
    for message in messages.values {
      found[Self.place(message.packet, message.handle)] = message
    }
    return found
  }

  /// Where the message of a packet and an attribute is in `byPacket`.
  static func place(_ packet: Int, _ handle: UInt16) -> UInt64 {
    UInt64(truncatingIfNeeded: packet) << 16 | UInt64(handle)
  }
}

extension ValueReading {
  /// Reads the message that an attribute's last value was, or was a part of; false where it was none.
  mutating func read(last place: UInt64, _ value: [UInt8], _ server: UInt64?) -> Bool {
    guard let message = last[place], var found = message.sighting else { return false }
    // What it answers is said of packets.
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
