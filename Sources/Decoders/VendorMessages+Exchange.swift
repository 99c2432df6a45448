package import Bluetooth
import Bytes

// Requests and their responses, for protocols and for control points.

extension VendorMessages {
  /// A request that waits for its answer.
  struct Request: Sendable {
    let conversation: UInt64
    /// The index of the protocol, or below 0 a control point.
    let owner: Int
    let command: Int?
    let sequence: Int?
    let packet: Int
    let time: Timestamp?
    /// How many milliseconds it waits.
    let timeout: Int
    /// What it requests, if responses have no length.
    var asked: Asked?
  }

  /// The most open requests and conversations that are remembered.
  private static let mostRequests = 256
  private static let mostTallies = 256

  /// Whether any request waits for its answer.
  package var hasRequests: Bool { !requests.isEmpty }

  /// Records a request that expects an answer.
  mutating func request(_ request: Request, _ title: String) {
    if let tally = tally(title, request.owner, request.conversation) {
      tallies[tally].requests += 1
    }
    if requests.count >= Self.mostRequests { giveUp(0) }
    requests.append(request)
  }

  /// Processes a protocol's response, and finds the oldest request that it fits.
  mutating func response(
    _ frame: Frame, _ bytes: RawSpan, _ vendor: VendorProtocol, _ moment: Moment
  ) -> ExchangeNote {
    // Numbers that a response shares with its request are only compared if the fields determine its
    // end.
    let isLooked = vendor.frame.isOpenEnded && looker.response(bytes, moment) != nil
    let looker = isLooked ? looker : nil
    return answer(
      vendor.profile, moment.place, moment.conversation, moment.packet, moment.time
    ) {
      vendor.exchange.answers(frame.command, $0.command, frame.sequence, $0.sequence)
        && looker?.contradicts($0.asked) != true
    }
  }

  /// Finds the oldest request that a response fits.
  private mutating func answer(
    _ title: String, _ owner: Int, _ conversation: UInt64, _ packet: Int, _ time: Timestamp?,
    _ fits: (Request) -> Bool
  ) -> ExchangeNote {
    expire(time, owner)
    var note = ExchangeNote()
    let found = requests.firstIndex {
      $0.owner == owner && $0.conversation == conversation && fits($0)
    }
    let tally = tally(title, owner, conversation)
    guard let found else {
      // Before the first request, the capture may have begun too late to contain it, or the
      // requests are not in the profile.
      note.isOrphan = tally.map { tallies[$0].requests > 0 } ?? false
      return note
    }
    note.request = requests[found].packet
    if let sent = requests[found].time, let time { note.latency = time.nanoseconds(since: sent) }
    settle(found)
    return note
  }

  /// Counts a request as answered, and removes it.
  mutating func settle(_ index: Int) {
    let request = requests.remove(at: index)
    if let tally = tally("", request.owner, request.conversation) { tallies[tally].answered += 1 }
  }

  // MARK: Control points

  /// Processes a value of a control point: a characteristic to which requests are written, and
  /// which sends the responses.
  ///
  /// - Returns: what it answers; nil if it is a request, or neither request nor response.
  package mutating func acceptControl(
    _ definition: Definition, _ exchange: VendorProtocol.Exchange, conversation: UInt64,
    handle: UInt16, isWritten: Bool, _ bytes: RawSpan, packet: Int, time: Timestamp?
  ) -> ExchangeNote? {
    guard let command = definition.command(of: bytes) else { return nil }
    let owner = -1 - Int(handle)
    if isWritten {
      guard exchange.isRequest(command) ?? true else { return nil }
      request(
        Request(
          conversation: conversation, owner: owner, command: command, sequence: nil,
          packet: packet, time: time, timeout: exchange.timeout), definition.name)
      return nil
    }
    guard exchange.request == nil || exchange.isRequest(command) == false,
      exchange.isResponse(command)
    else { return nil }
    var named: Int?
    if !exchange.requestField.isEmpty {
      named = looker.number(of: exchange.requestField, definition, bytes)
    }
    return answer(definition.name, owner, conversation, packet, time) { request in
      if let named, named != request.command { return false }
      return exchange.answers(command, request.command, nil, nil)
    }
  }

  /// Records that a server refused the request in a packet: no response will come.
  package mutating func refuse(_ packet: Int) {
    guard let found = requests.lastIndex(where: { $0.packet == packet }) else { return }
    let request = requests.remove(at: found)
    if let tally = tally("", request.owner, request.conversation) {
      tallies[tally].refused += 1
    }
  }

  // MARK: Counting

  /// Returns the index of the tally of a conversation; nil if there is no room.
  mutating func tally(_ title: String, _ owner: Int, _ conversation: UInt64) -> Int? {
    let known = tallies.firstIndex { $0.conversation == conversation && $0.owner == owner }
    if let known { return known }
    guard tallies.count < Self.mostTallies else { return nil }
    tallies.append(VendorTally(conversation: conversation, title: title, owner: owner))
    return tallies.count - 1
  }

  /// Gives up requests after their timeout.
  private mutating func expire(_ time: Timestamp?, _ owner: Int) {
    var index = 0
    while index < requests.count {
      if requests[index].owner == owner, requests[index].isOverdue(time) {
        giveUp(index)
      } else {
        index += 1
      }
    }
  }

  mutating func giveUp(_ index: Int) {
    let request = requests.remove(at: index)
    let found = tallies.firstIndex {
      $0.conversation == request.conversation && $0.owner == request.owner
    }
    if let found, tallies[found].unanswered.count < Self.listed {
      tallies[found].unanswered.append(request.packet)
    }
  }

  /// The open series and messages in parts, with their conversations: what stays incomplete if the
  /// capture ends now.
  package var leftOpen: [(conversation: UInt64, profile: String, what: Unfinished)] {
    func title(_ owner: Int, _ conversation: UInt64) -> String {
      tallies.first { $0.conversation == conversation && $0.owner == owner }?.title ?? ""
    }
    var found: [(conversation: UInt64, profile: String, what: Unfinished)] = []
    for one in series {
      found.append((one.conversation, title(one.owner, one.conversation), one.unfinished))
    }
    for channel in channels {
      let conversation = channel.key >> 18
      for case let open? in [channel.unfinished, channel.chunks?.unfinished] {
        found.append((conversation, title(channel.vendor, conversation), open))
      }
    }
    return found.sorted { $0.what.packet < $1.what.packet }
  }

  /// Ends the capture: open requests stay unanswered, and open series and messages incomplete.
  package mutating func finish() {
    while !requests.isEmpty { giveUp(0) }
    for one in series { note(one.unfinished, one.owner, one.conversation) }
    series.removeAll()
    for index in channels.indices {
      for case let open? in [channels[index].unfinished, channels[index].chunks?.unfinished] {
        note(open, channels[index].vendor, channels[index].key >> 18)
      }
      close(index)
      channels[index].chunks = nil
    }
    for index in tallies.indices { tallies[index].unanswered.sort() }
  }

  /// Counts an incomplete series or message.
  mutating func note(_ unfinished: Unfinished, _ owner: Int, _ conversation: UInt64) {
    let found = tallies.firstIndex { $0.conversation == conversation && $0.owner == owner }
    guard let found else { return }
    if unfinished.kind == .parts { tallies[found].incompleteMessages += 1 }
    if tallies[found].unfinished.count < 16 { tallies[found].unfinished.append(unfinished) }
  }
}

extension Definition {
  /// Returns the number of the first field, which is a control point's command; nil if there is
  /// none.
  package func command(of bytes: RawSpan) -> Int? {
    guard let field = tables.fields.first, field.kind == .unsigned,
      field.width <= bytes.byteCount
    else { return nil }
    let isBigEndian = field.flags.contains(.bigEndian)
    return Int(
      truncatingIfNeeded: ValueDecoder.load(bytes, 0, field.width, bigEndian: isBigEndian))
  }
}

extension VendorProtocol.Exchange {
  /// Returns whether one command, with its sequence number, can be the answer to another.
  func answers(
    _ answer: Int?, _ command: Int?, _ sequence: Int?, _ requested: Int?
  ) -> Bool {
    if usesSequence, sequence != requested { return false }
    return answers(answer, command)
  }

  /// Returns whether a command is that of a response, as far as the rule decides without a request.
  func isResponse(_ command: Int) -> Bool {
    guard let rule = response, !rule.contains(where: { $0.code == .command }) else { return true }
    return answers(command, 0)
  }
}
