import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What the captured host reads, writes and receives as a client, once the outcome is known.
struct ClientEvents: Sendable {
  private var conversations: Conversations
  private var subscriptions = OwnSubscriptions()
  /// The connections of which it was reported that no answers are in the capture.
  private var unanswered: Set<Int> = []
  /// How long a client may take to request the next part of a value, in nanoseconds: less than
  /// lines wait to be sorted.
  private static let patience: Int64 = 900_000_000

  init(_ limits: Limits) { conversations = Conversations(limits, patience: Self.patience) }

  /// Processes a packet.
  mutating func observe(
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ links: LinkEvents,
    into events: inout [AppEvent]
  ) {
    // A configuration has two bytes.
    if packet.record.direction == .sent, packet.dissection.att?.opcode == .writeRequest,
      packet.dissection.attFields.value?.count == 2, let link = packet.answer.link
    {
      subscriptions.ask(
        memory.appAttribute(packet.dissection.attFields.handle, at: .peer, on: link),
        connection: memory.links.id(link))
    }
    conversations.observe(packet, memory)
    report(
      memory, links, packet: packet.record.number, time: packet.record.time, packet.answer.request,
      &events)
  }

  /// Ends a connection.
  mutating func end(_ connection: Int) {
    subscriptions.end(connection)
    unanswered.remove(connection)
  }

  /// Ends the capture.
  mutating func finish(
    _ memory: borrowing Memory, _ links: LinkEvents, packet: Int, time: Timestamp?,
    into events: inout [AppEvent]
  ) {
    conversations.finish(memory)
    report(memory, links, packet: packet, time: time, nil, &events)
  }

  private mutating func report(
    _ memory: borrowing Memory, _ links: LinkEvents, packet: Int, time: Timestamp?,
    _ request: Request?, _ events: inout [AppEvent]
  ) {
    // What is reported once for all values that a response has written, after them.
    var completion: AppEvent?
    var isAborted = false
    for value in conversations.values {
      guard value.parties.connection > 0, value.attribute.side == .peer,
        value.operation != .advertisement, value.operation != .data, !isDeclaration(value, memory)
      else { continue }
      // The call was reported at the request; that no answer was seen is reported once.
      if value.lacksAnswer, !unanswered.insert(value.parties.connection).inserted {
        subscriptions.observe(
          value, value.value.map { conversations.bytes.bytes.byte(at: Int($0.start)) })
        continue
      }
      // Queued writes of several attributes that one response has settled belong together; and what
      // fits in one part would have fit in a Write Request.
      let isReliable =
        value.operation == .preparedWrite
        && (value.packets == nil
          || conversations.values.contains {
            $0.operation == .preparedWrite && $0.response == value.response
              && $0.attribute.handle != value.attribute.handle
          })
      let first = value.value.map { conversations.bytes.bytes.byte(at: Int($0.start)) }
      subscriptions.observe(value, first)
      var event = AppEvent(
        .value(
          AppValue(
            operation: value.operation,
            attribute: memory.appAttribute(
              value.attribute, connection: value.parties.connection),
            bytes: value.value.map { conversations.bytes.bytes.part($0).array },
            isHidden: value.isSecret || value.isOfSecretType, isCut: value.isCut,
            request: (value.response ?? value.packet) == packet ? request?.opcode : nil,
            isReliable: isReliable, isUnasked: subscriptions.isUnasked(value, links),
            isAnswerUnseen: value.lacksAnswer,
            isRestRefused: value.isRestRefused,
            invalidated: invalidated(value, memory), outcome: value.outcome)),
        packet: value.packet, time: value.time)
      // What the peer sends is reported before it is confirmed.
      let isPeers = value.operation == .notification || value.operation == .indication
      if let response = value.response, !isPeers {
        (event.packet, event.request) = (response, value.packet)
        event.time = response == packet ? time : value.time
      }
      if event.request == nil, value.operation == .read, event.packet == packet {
        event.request = request?.packet
      }
      if value.outcome.reason != nil || value.isRestRefused {
        (event.packet, event.time) = (packet, time)
      }
      event.latency = value.latency
      event.connection = value.parties.connection
      event.adapter = value.parties.adapter
      event.peer = value.parties.identity ?? value.parties.peer
      if value.outcome == .cancelled {
        // Once for the whole queue: the call belongs to the request, the callback to the response.
        guard !isAborted else { continue }
        isAborted = true
        var call = event
        call.what = .queueAborted
        if value.response == packet, let request {
          (call.packet, call.time) = (request.packet, request.time)
        }
        (call.request, call.latency) = (nil, nil)
        events.append(call)
        guard value.response != nil else { continue }
        event.what = .queueWritten(nil)
        events.append(event)
        continue
      }
      events.append(event)
      guard isReliable, value.response != nil, completion == nil else { continue }
      if case .refused(let error) = value.outcome {
        event.what = .queueWritten(error)
      } else {
        event.what = .queueWritten(nil)
      }
      completion = event
    }
    if let completion { events.append(completion) }
  }
}

extension ClientEvents {
  /// Returns whether a value is a declaration, which the stack reads for itself: apps have no
  /// object for it.
  private func isDeclaration(_ value: ConveyedValue, _ memory: borrowing Memory) -> Bool {
    guard value.operation == .read else { return false }
    switch memory.kind(of: value.attribute, connection: value.parties.connection) {
    case .service, .include, .characteristic: return true
    case .value, .descriptor, nil: return false
    }
  }

  /// Returns the services that a Service Changed indication reports as possibly changed, as they
  /// were known (Core, Vol 3, Part G, 7.1).
  private func invalidated(_ value: ConveyedValue, _ memory: borrowing Memory) -> [AppService] {
    guard value.operation == .indication, value.attribute.uuid?.isShort(0x2a05) == true else {
      return []
    }
    return memory.invalidated(of: value.attribute.server)
  }
}
