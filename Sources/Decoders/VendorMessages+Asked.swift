import Bytes

// Responses without a length: where they end is told by their fields, and by what was asked for.

/// How many elements of a list a message has.
struct ListLength: Sendable {
  /// The list's name.
  let name: [UInt8]
  let count: Int
}

extension VendorMessages {
  /// Whether a response lacks something: bytes that its fields want, or elements of a list that its request
  /// has too, and more of. So an answer that is cut between two elements is not taken for a whole one.
  mutating func isIncomplete(_ bytes: RawSpan, _ moment: Moment) -> Bool {
    guard let (message, command) = looker.response(bytes, moment) else { return false }
    if looker.lacksBytes { return true }
    let asked = requests.first {
      $0.owner == moment.place && $0.conversation == moment.conversation
        && moment.vendor.exchange.answers(command, $0.command)
    }?.asked
    guard let asked else { return false }
    return looker.count(of: asked.name, message.definition) < asked.count
  }

  /// Whether a frame that is open was answered by fewer elements than were asked for: its fields want no
  /// more bytes, and the next request was already sent.
  mutating func isOvertaken(_ slot: Int, _ moment: Moment) -> Bool {
    guard moment.vendor.frame.isOpenEnded, let first = channels[slot].packets.first,
      requests.contains(where: {
        $0.owner == moment.place && $0.conversation == moment.conversation && $0.packet > first
      })
    else { return false }
    let open = channels[slot].open
    return looker.response(open.bytes, moment) != nil && !looker.lacksBytes
  }

  /// How many elements a request asks for, where the protocol's responses have no length.
  mutating func asked(
    _ message: VendorProtocol.Message, _ frame: Frame, _ bytes: RawSpan, _ sighting: VendorSighting,
    _ vendor: VendorProtocol
  ) -> ListLength? {
    guard vendor.frame.isOpenEnded else { return nil }
    return looker.list(message, frame, bytes, sighting, vendor)
  }
}
