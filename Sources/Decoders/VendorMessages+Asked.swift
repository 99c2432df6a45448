import Bluetooth
import Bytes

// Responses without a length: their end follows from their fields and from the request.

/// What a request asks for, if the protocol's responses have no length.
struct Asked: Sendable {
  /// A number that a response may repeat: a field of the request, before its list.
  struct Echo: Sendable, Equatable {
    let name: [UInt8]
    let number: Int
  }

  /// The name of the list at the end of the request (empty: none), and the number of its elements.
  let list: [UInt8]
  let count: Int
  let echoes: [Echo]
}

extension VendorMessages.Request {
  /// Returns whether the request has already timed out at a time.
  func isOverdue(_ now: Timestamp?) -> Bool {
    guard let now, let time else { return false }
    return now.nanoseconds(since: time) > Int64(timeout) * 1_000_000
  }

  /// Returns whether the request belongs to a value's conversation and still waits.
  func isOpen(_ moment: VendorMessages.Moment, at time: Timestamp?) -> Bool {
    owner == moment.place && conversation == moment.conversation && !isOverdue(time)
  }
}

extension VendorMessages {
  /// Returns whether a response lacks something: bytes that its fields require, or elements of a
  /// list of which its request has more. This way an answer that is cut between two elements does
  /// not count as whole.
  ///
  /// - Parameter began: the time of its first byte.
  mutating func isIncomplete(_ bytes: RawSpan, _ moment: Moment, began: Timestamp?) -> Bool {
    guard let (message, command) = looker.response(bytes, moment) else { return false }
    if looker.lacksBytes { return true }
    guard let found = request(of: command, moment, at: began), let asked = requests[found].asked,
      !asked.list.isEmpty
    else { return false }
    return looker.count(of: asked.list, message.definition) < asked.count
  }

  /// Returns the oldest request that the last decoded response may answer.
  private func request(of command: Int?, _ moment: Moment, at time: Timestamp?) -> Int? {
    requests.firstIndex {
      $0.isOpen(moment, at: time) && moment.vendor.exchange.answers(command, $0.command)
        && !looker.contradicts($0.asked)
    }
  }

  /// Returns whether a value begins the answer to another request than the open frame: one that was
  /// sent later, or whose numbers the value repeats. The open frame is then over, unless its fields
  /// require more bytes and only the command indicates the other request.
  mutating func isOvertaken(_ slot: Int, _ bytes: RawSpan, _ moment: Moment) -> Bool {
    guard moment.vendor.frame.isOpenEnded, let first = channels[slot].packets.first,
      requests.contains(where: { $0.isOpen(moment, at: moment.time) })
    else { return false }
    let open = channels[slot].open
    guard let (_, begun) = looker.response(open.bytes, moment) else { return false }
    let isWhole = !looker.lacksBytes
    let own = request(of: begun, moment, at: channels[slot].began)
    let differing = requests.map { looker.contradicts($0.asked) }
    guard let (_, command) = looker.response(bytes, moment) else { return false }
    return requests.indices.contains { place in
      let request = requests[place]
      guard place != own, request.isOpen(moment, at: moment.time),
        moment.vendor.exchange.answers(command, request.command)
      else { return false }
      guard let asked = request.asked, !asked.echoes.isEmpty else {
        return isWhole && request.packet > first
      }
      return looker.repeats(asked) && (differing[place] || isWhole && request.packet > first)
    }
  }

  /// Gives up the open frame of a channel, which will not be complete: its request no longer waits.
  mutating func abandon(_ slot: Int, _ moment: Moment) -> Unfinished? {
    let unfinished = channels[slot].unfinished
    if moment.vendor.frame.isOpenEnded, let first = channels[slot].packets.first {
      let open = channels[slot].open
      if let (_, command) = looker.response(open.bytes, moment),
        let own = request(of: command, moment, at: channels[slot].began),
        requests[own].packet < first
      {
        // An answer with fewer elements than requested is an answer; one cut within an element is
        // not.
        if looker.lacksBytes { giveUp(own) } else { settle(own) }
      }
    }
    if let unfinished {
      _ = tally(moment.vendor.profile, moment.place, moment.conversation)
      note(unfinished, moment.place, moment.conversation)
    }
    close(slot)
    return unfinished
  }

  /// Returns what a request asks for, if the protocol's responses have no length.
  mutating func asked(
    _ message: VendorProtocol.Message, _ frame: Frame, _ bytes: RawSpan, _ sighting: VendorSighting,
    _ vendor: VendorProtocol
  ) -> Asked? {
    guard vendor.frame.isOpenEnded else { return nil }
    return looker.asked(message, frame, bytes, sighting, vendor)
  }
}
