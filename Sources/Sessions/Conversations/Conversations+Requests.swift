import Bluetooth
import Bytes
import Captures
import Dissectors

/// What becomes of requests and indications.
extension Conversations {
  /// Processes what the packet does.
  mutating func take(_ bytes: RawSpan, _ time: Timestamp?, _ memory: borrowing Memory) {
    for event in procedures.events {
      switch event {
      case .arrived(let place): meet(place, memory)
      case .began(let place, let slot): begin(place, slot, memory)
      case .answered(let place, let slot):
        guard let arrived = procedures.arrived else { continue }
        let procedure = procedures.sides[place.side].open[slot]
        complete(place, procedure, arrived, bytes, memory)
      case .settled(let place, let procedure, let arrived):
        complete(place, procedure, arrived, arrived.bytes.bytes, memory)
      case .unanswered(let place, let procedure, let reason):
        giveUp(place, procedure, reason, at: time, memory)
      case .orphan(let place):
        guard let arrived = procedures.arrived else { continue }
        tellOrphan(place, arrived, bytes, memory)
      case .unsettled(let place, let arrived):
        tellOrphan(place, arrived, arrived.bytes.bytes, memory)
      case .interrupted(let place): finishRead(place)
      case .ended(let place, .recordsLost): sides[place.side].queue.lose()
      case .ended(let place, let reason):
        if reason == .forgotten { reached(.bearers, limits.bearers) }
        let isOver = reason == .connectionEnded || reason == .captureEnded
        flush(
          sides[place.side].queue, place, .notExecuted(isOver ? reason : .forgotten),
          response: nil, memory)
        sides[place.side] = Side()
        if place.direction == .received { bearers[place.bearer].servers = (0, 0) }
      }
    }
  }

  /// Returns what is known about an attribute on one of the bearer's servers.
  func identity(
    _ handle: UInt16?, _ place: Place, isLocal: Bool, _ memory: borrowing Memory
  ) -> AttributeIdentity {
    let bearer = bearers[place.bearer]
    return memory.identity(
      of: handle, isLocal ? bearer.servers.local : bearer.servers.peer, isLocal: isLocal,
      connection: bearer.parties.connection)
  }

  // MARK: Requests

  private mutating func begin(_ place: Place, _ slot: Int, _ memory: borrowing Memory) {
    let procedure = procedures.sides[place.side].open[slot]
    if procedure.isIncomplete { return }
    let handle = procedure.attribute.handle
    let isIndication = slot == Procedures.Side.indications
    var attribute = identity(
      handle, place, isLocal: place.isLocal != isIndication, memory)
    if let type = procedure.type, procedure.opcode == .readByTypeRequest, !type.isDeclaration {
      attribute.uuid = type
    }
    procedures.sides[place.side].open[slot].attribute = attribute
    if isIndication { return }
    var goesOn = false
    if procedure.opcode == .readBlobRequest, sides[place.side].read.attribute.handle == handle {
      let read = sides[place.side].read
      let offset = procedure.offset
      goesOn = read.isOpen ? read.start < offset && offset <= read.end : offset == read.end
    }
    if goesOn { procedures.sides[place.side].open[slot].goesOn = true } else { finishRead(place) }
    if procedure.opcode == .executeWriteRequest {
      sides[place.side].closed.append((procedure.packet, sides[place.side].queue))
      sides[place.side].queue = PreparedQueue()
    }
  }

  /// Returns the parts that an Execute Write Request writes or cancels, and forgets them.
  private mutating func close(_ place: Place, _ execute: Int) -> PreparedQueue {
    guard let index = sides[place.side].closed.firstIndex(where: { $0.packet == execute }) else {
      return PreparedQueue()
    }
    return sides[place.side].closed.remove(at: index).queue
  }

  /// Reports a request or an indication as unanswered.
  private mutating func giveUp(
    _ place: Place, _ pending: Procedure, _ reason: ValueOutcome.Reason, at time: Timestamp?,
    _ memory: borrowing Memory
  ) {
    let isExecute = pending.opcode == .executeWriteRequest
    guard !pending.isIncomplete, isExecute || pending.operation != nil else { return }
    let mayBeAnswered = memory.hasHeard(place.direction.reversed)
    if !mayBeAnswered, pending.opcode.carriesValue, pending.opcode != .prepareWriteRequest {
      // The capture has no answers, so nobody knows whether one came.
      return tell(place, pending, .done, nil, nil)
    }
    var reason = mayBeAnswered ? pending.isPassed ? .overtaken : reason : .recordsLost
    if reason == .connectionEnded, let time, let sent = pending.time,
      time.nanoseconds(since: sent) >= Request.timeout
    {
      reason = .timedOut
    }
    var isAcknowledged: Bool?
    let link = bearers[place.bearer].link
    if memory.links.tellsCompleted, let ordinal = pending.ordinal,
      memory.links.id(link) == bearers[place.bearer].parties.connection,
      let flow = memory.links.flow(link)
    {
      isAcknowledged = flow.completed >= ordinal
    }
    // The event that reports it may come after the end of the capture.
    if reason == .captureEnded, isAcknowledged == false { isAcknowledged = nil }
    if isExecute {
      flush(
        close(place, pending.packet), place, pending.executes ? .noResponse(reason) : .cancelled,
        response: nil,
        unanswered: pending, isAcknowledged: isAcknowledged, memory)
    } else {
      tell(place, pending, .noResponse(reason), nil, nil, isAcknowledged: isAcknowledged)
    }
  }

  /// Reports the outcome of a request or an indication that carried everything itself.
  private mutating func tell(
    _ place: Place, _ pending: Procedure, _ outcome: ValueOutcome, _ response: Int?,
    _ latency: Int64?, isAcknowledged: Bool? = nil, attribute: AttributeIdentity? = nil
  ) {
    guard let operation = pending.operation else { return }
    var value = ConveyedValue(
      operation: operation, outcome: outcome, attribute: attribute ?? pending.attribute,
      parties: bearers[place.bearer].parties, direction: place.direction, packet: pending.packet,
      time: pending.time)
    value.response = response
    value.latency = latency
    value.offset = pending.offset
    value.isCut = pending.isCut
    value.isAcknowledged = isAcknowledged
    if pending.opcode.carriesValue {
      value.value = keep(pending.value.bytes)
      value.packets = keep(pending.packets[...])
    }
    tell(value)
  }

  // MARK: Responses

  /// Processes the answer to a request.
  private mutating func complete(
    _ place: Place, _ pending: Procedure, _ arrived: Arrived, _ bytes: RawSpan,
    _ memory: borrowing Memory
  ) {
    if pending.isIncomplete { return tellOrphan(place, arrived, bytes, memory) }
    let fields = arrived.pdu.fields
    if let error = fields.error {
      refuse(place, pending, error, fields.handle, arrived, memory)
      return
    }
    switch pending.opcode {
    case .readRequest, .readBlobRequest:
      guard let value = fields.value else { return }
      let missing = arrived.isCut ? max(0, arrived.length - 1 - Int(value.count)) : 0
      let mtu = memory.mtu(on: bearers[place.bearer].link, arrived.channel)
      let length = Int(value.count) + missing + 1
      read(
        place, pending, bytes.part(value), arrived,
        isFull: length >= mtu.value, fillsPDU: length == mtu.value && !mtu.isLowerBound, memory)
    case .readMultipleRequest, .readMultipleVariableRequest:
      readMultiple(place, pending, fields, arrived, bytes, memory)
    case .readByTypeRequest:
      guard pending.operation != nil, let items = fields.items else { return }
      readByType(place, pending, items, arrived, bytes, memory)
    case .prepareWriteRequest:
      prepare(place, pending, fields, bytes, isCut: arrived.isCut)
    case .executeWriteRequest:
      flush(
        close(place, pending.packet), place, pending.executes ? .done : .cancelled,
        response: arrived.packet, memory)
    default: tell(place, pending, .done, arrived.packet, arrived.latency)
    }
  }

  private mutating func refuse(
    _ place: Place, _ pending: Procedure, _ error: ATTErrorCode, _ handle: UInt16?,
    _ arrived: Arrived, _ memory: borrowing Memory
  ) {
    let response = arrived.packet
    switch pending.opcode {
    case .readBlobRequest where pending.goesOn:
      // Invalid Offset, Attribute Not Long: there is no more.
      let isEnd = error.rawValue == 0x07 || error.rawValue == 0x0b
      let fits = sides[place.side].read.fits(pending)
      if fits, sides[place.side].read.isOpen {
        sides[place.side].read.isEnded = isEnd
        finishRead(
          place, isEnd ? .done : .refused(error), response: isEnd ? nil : response,
          isRestRefused: error == .invalidOffset)
      } else if !fits || !isEnd {
        tell(place, pending, .refused(error), response, arrived.latency)
      }
    case .readByTypeRequest where error == .attributeNotFound: break
    case .readByTypeRequest, .readMultipleRequest, .readMultipleVariableRequest:
      var attribute = identity(
        handle == 0 ? nil : handle, place, isLocal: place.isLocal, memory)
      if attribute.uuid == nil { attribute.uuid = pending.attribute.uuid }
      tell(
        place, pending, .refused(error), response, arrived.latency, attribute: attribute)
    case .executeWriteRequest:
      flush(close(place, pending.packet), place, .refused(error), response: response, memory)
    default: tell(place, pending, .refused(error), response, arrived.latency)
    }
  }

  /// Adds a part of a prepared write that the server has accepted, and compares its echo.
  private mutating func prepare(
    _ place: Place, _ pending: Procedure, _ fields: ATTFields, _ bytes: RawSpan, isCut: Bool
  ) {
    let echo = bytes.part(fields.value ?? .empty)
    // What the capture did not keep cannot be compared.
    let isSame =
      fields.handle == pending.attribute.handle && Int(fields.offset ?? 0) == pending.offset
      && (isCut || pending.isCut || echo.isEqual(to: pending.value.bytes))
    // An Execute Write Request that was sent before this response includes the part.
    let hasRoom: Bool
    if let closed = sides[place.side].closed.firstIndex(where: { $0.packet > pending.packet }) {
      hasRoom = sides[place.side].closed[closed].queue.add(pending, isEchoWrong: !isSame, limits)
    } else {
      hasRoom = sides[place.side].queue.add(pending, isEchoWrong: !isSame, limits)
    }
    if !hasRoom {
      reached(.preparedParts, limits.preparedParts)
    }
  }

  // MARK: PDUs that nobody answers

  mutating func tellUnacknowledged(
    _ pdu: ATTPDU, _ place: Place, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ fragments: ArraySlice<Int>, isCut: Bool, _ memory: borrowing Memory
  ) {
    let fields = pdu.fields
    guard let operation = pdu.opcode.operation else { return }
    // A notification comes from the server, a command from the client.
    let isLocal = (place.direction == .sent) != operation.isWrite
    func told(_ handle: UInt16?) -> ConveyedValue {
      ConveyedValue(
        operation: operation, attribute: identity(handle, place, isLocal: isLocal, memory),
        parties: bearers[place.bearer].parties, direction: place.direction,
        packet: record.number, time: record.time)
    }
    if let items = fields.items {
      var cursor = Cursor(bytes, items.list)
      let packets = keep(fragments)
      while let item = items.next(&cursor) {
        guard let slice = item.value else { continue }
        var value = told(item.handle)
        value.value = keep(bytes.part(slice))
        value.packets = packets
        // As in `show`: if any attribute's values are keys, any of several values may be one.
        value.isSecret = memory.attributes.hasKeyMaterial
        value.isCut = item.missing > 0
        tell(value)
      }
    } else if let slice = fields.value {
      var value = told(fields.handle)
      value.value = keep(bytes.part(slice))
      value.packets = keep(fragments)
      value.isCut = isCut
      tell(value)
    }
  }
}
