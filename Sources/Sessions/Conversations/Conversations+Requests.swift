import Bluetooth
import Bytes
import Captures
import Dissectors

/// The PDUs of one bearer.
extension Conversations {
  /// ATT's transaction timeout, in nanoseconds (Core, Vol 3, Part F, 3.3.3).
  private static let longestWait: Int64 = 30_000_000_000

  mutating func observe(
    _ pdu: ATTPDU, _ bearer: Int, _ direction: Direction, _ record: borrowing CaptureRecord,
    _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer, _ fragments: [Int],
    _ memory: borrowing Memory
  ) {
    let opcode = pdu.opcode
    if case .incomplete = pdu {
      if opcode.carriesValue { withoutHandle += 1 }
      return
    }
    let parts = answer.fragment.isJoined ? fragments[...] : []
    let isCut = record.isTruncated || answer.fragment.isTruncated
    switch opcode.role {
    case .request:
      let place = Place(bearer: bearer, direction: direction)
      begin(pdu, place, record, bytes, parts, isCut: isCut, memory)
    case .indication:
      let place = Place(bearer: bearer, direction: direction)
      settle(place, memory)
      push(place, from: Side.indications, memory)
      let fields = pdu.fields
      let attribute = identity(fields.handle, place, isLocal: direction == .sent, memory)
      sides[place.side].pending[Side.indications].begin(
        opcode, record, attribute, bytes.part(fields.value ?? .empty),
        offset: 0, fragments: parts, isCut: isCut, ordinal: ordinal(place, memory))
    case .response, .confirmation:
      let place = Place(bearer: bearer, direction: direction.reversed)
      end(pdu, place, record, dissection, bytes, answer, parts, isCut: isCut, memory)
    case .unacknowledged:
      tellUnacknowledged(
        pdu, Place(bearer: bearer, direction: direction), record, bytes, parts, isCut: isCut,
        memory)
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

  /// Returns how many packets the captured host has sent, including this one; nil if the host did
  /// not send it, or the count is unreliable.
  private func ordinal(_ place: Place, _ memory: borrowing Memory) -> Int? {
    guard place.direction == .sent else { return nil }
    return memory.links.flow(bearers[place.bearer].link)?.sent
  }

  // MARK: Requests

  private mutating func begin(
    _ pdu: ATTPDU, _ place: Place, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ fragments: ArraySlice<Int>, isCut: Bool, _ memory: borrowing Memory
  ) {
    settle(place, memory)
    let side = place.side
    let fields = pdu.fields
    let handle = fields.handle
    let offset = Int(fields.offset ?? 0)
    var goesOn = false
    if pdu.opcode == .readBlobRequest, sides[side].read.attribute.handle == handle {
      let read = sides[side].read
      goesOn = read.isOpen ? read.start < offset && offset <= read.end : offset == read.end
    }
    if !goesOn { finishRead(place) }
    giveUpPassed(place, memory)
    push(place, from: 0, memory)
    var attribute = identity(handle, place, isLocal: place.isLocal, memory)
    if pdu.opcode == .readByTypeRequest, let type = fields.type, !type.isDeclaration {
      attribute.uuid = type
    }
    let content = bytes.part(fields.value ?? fields.handles ?? .empty)
    sides[side].pending[0].begin(
      pdu.opcode, record, attribute, content, offset: offset, fragments: fragments, isCut: isCut,
      ordinal: ordinal(place, memory))
    sides[side].pending[0].goesOn = goesOn
    sides[side].pending[0].executes = fields.executeFlags != 0
    if pdu.opcode == .executeWriteRequest {
      let queue = sides[side].queue
      sides[side].queue = PreparedQueue()
      sides[side].pending[0].queue = queue
    }
  }

  /// Makes room for a new request (`first` 0) or indication: those that wait are overtaken, and if
  /// there are too many, the oldest is given up.
  private mutating func push(_ place: Place, from first: Int, _ memory: borrowing Memory) {
    guard sides[place.side].pending[first].isOpen else { return }
    let last = first + Transactions.Doubt.depth - 1
    giveUp(place, last, .overtaken, at: nil, memory)
    for slot in (first..<last).reversed() { sides[place.side].pending.swapAt(slot, slot + 1) }
  }

  /// Reports requests that were passed as unanswered, since their client has sent another request.
  private mutating func giveUpPassed(_ place: Place, _ memory: borrowing Memory) {
    for slot in (0..<Side.indications).reversed() where sides[place.side].pending[slot].isPassed {
      giveUp(place, slot, .overtaken, at: nil, memory)
    }
  }

  /// Marks the requests before the one in a slot as passed by the answer to a later request.
  private mutating func pass(_ place: Place, after slot: Int) {
    let end = slot < Side.indications ? Side.indications : 2 * Side.indications
    for earlier in slot + 1..<end where sides[place.side].pending[earlier].isOpen {
      sides[place.side].pending[earlier].isPassed = true
    }
  }

  /// Reports the requests before the one in a slot as unanswered, oldest first.
  private mutating func giveUp(
    _ place: Place, after slot: Int, _ reason: ValueOutcome.Reason, _ memory: borrowing Memory
  ) {
    let end = slot < Side.indications ? Side.indications : 2 * Side.indications
    for earlier in (slot + 1..<end).reversed() { giveUp(place, earlier, reason, at: nil, memory) }
  }

  /// Reports a request or an indication as unanswered.
  mutating func giveUp(
    _ place: Place, _ slot: Int, _ reason: ValueOutcome.Reason, at time: Timestamp?,
    _ memory: borrowing Memory
  ) {
    let pending = sides[place.side].pending[slot]
    guard pending.isOpen else { return }
    sides[place.side].pending[slot].end()
    sides[place.side].pending[slot].isPassed = false
    guard pending.operation != nil || !pending.queue.isEmpty else { return }
    if !memory.hasHeard(place.direction.reversed) {
      // The capture has one direction only: as far as it shows, written values were written.
      if pending.hasValue, pending.opcode != .prepareWriteRequest {
        tell(place, pending, .done, nil, nil)
        return
      }
      if pending.operation == .read {
        tell(place, pending, .noResponse(.recordsLost), nil, nil)
        return
      }
    }
    var reason = pending.isPassed ? .overtaken : reason
    if reason == .connectionEnded, let time, let sent = pending.time,
      time.nanoseconds(since: sent) >= Self.longestWait
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
    if pending.opcode == .executeWriteRequest {
      flush(
        pending.queue, place, pending.executes ? .noResponse(reason) : .cancelled, response: nil,
        unanswered: pending, isAcknowledged: isAcknowledged, memory)
    } else {
      tell(place, pending, .noResponse(reason), nil, nil, isAcknowledged: isAcknowledged)
    }
  }

  /// Reports the outcome of a request or an indication that carried everything itself.
  private mutating func tell(
    _ place: Place, _ pending: Pending, _ outcome: ValueOutcome, _ response: Int?,
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
    if pending.hasValue {
      value.value = keep(pending.value.bytes)
      value.packets = keep(pending.packets[...])
    }
    tell(value)
  }

  // MARK: Responses

  private mutating func end(
    _ pdu: ATTPDU, _ place: Place, _ record: borrowing CaptureRecord, _ dissection: Dissection,
    _ bytes: RawSpan, _ answer: Answer, _ fragments: ArraySlice<Int>, isCut: Bool,
    _ memory: borrowing Memory
  ) {
    let place = answered(place, pdu, answer)
    let side = place.side
    let arrived = Arrived(
      pdu: pdu, moment: Moment(record), latency: answer.latency, packets: fragments,
      length: dissection.pduLength, channel: answer.channel, isCut: isCut,
      listsKeyMaterial: answer.listsKeyMaterial)
    guard let request = answer.request, slot(place, pdu, request.packet) != nil else {
      if answer.request == nil, !memory.doubt.alternatives.isEmpty { orphan(place, memory) }
      tellOrphan(place, arrived, bytes, memory)
      return
    }
    if !memory.doubt.corrections.isEmpty {
      for index in sides[side].held.indices {
        let packet = sides[side].held[index].arrived.moment.number
        if let correction = memory.doubt.corrections.first(where: { $0.response == packet }) {
          sides[side].held[index].take(
            correction.request, isCertain: memory.doubt.alternatives.isEmpty)
        }
      }
    }
    if memory.doubt.alternatives.isEmpty {
      settle(place, memory)
      complete(place, request.packet, arrived, bytes, isLast: false, memory)
    } else {
      sides[side].held.append(
        HeldResponse(request: request.packet, arrived: arrived, bytes: bytes.array))
    }
  }

  /// Returns the slot of the request that a PDU answers.
  func slot(_ place: Place, _ pdu: ATTPDU, _ request: Int) -> Int? {
    let first = pdu.opcode.role == .confirmation ? Side.indications : 0
    return (first..<first + Side.indications).first { slot in
      sides[place.side].pending[slot].isOpen && sides[place.side].pending[slot].packet == request
    }
  }

  /// Settles held responses when no other response can change them: they answer the requests they
  /// were assigned to.
  mutating func settle(_ place: Place, _ memory: borrowing Memory) {
    guard !sides[place.side].held.isEmpty else { return }
    let held = sides[place.side].held
    sides[place.side].held.removeAll()
    for response in held {
      complete(
        place, response.request, response.arrived, response.bytes.bytes, isLast: true, memory)
    }
  }

  /// Processes the answer to a request.
  ///
  /// - Parameter isLast: whether no other answer follows before the next request.
  private mutating func complete(
    _ place: Place, _ request: Int, _ arrived: Arrived, _ bytes: RawSpan, isLast: Bool,
    _ memory: borrowing Memory
  ) {
    let side = place.side
    guard let slot = slot(place, arrived.pdu, request) else { return }
    // As in `Transactions`: after an answer to one request, those before it get none, or a late
    // one.
    if isLast { giveUp(place, after: slot, .overtaken, memory) } else { pass(place, after: slot) }
    let pending = sides[side].pending[slot]
    sides[side].pending[slot].end()
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
      prepare(place, pending, slot, fields, bytes, isCut: arrived.isCut)
    case .executeWriteRequest:
      flush(
        pending.queue, place, pending.executes ? .done : .cancelled,
        response: arrived.moment.number, memory)
    default: tell(place, pending, .done, arrived.moment.number, arrived.latency)
    }
  }

  private mutating func refuse(
    _ place: Place, _ pending: Pending, _ error: ATTErrorCode, _ handle: UInt16?,
    _ arrived: Arrived, _ memory: borrowing Memory
  ) {
    let response = arrived.moment.number
    switch pending.opcode {
    case .readBlobRequest where pending.goesOn:
      // Invalid Offset, Attribute Not Long: there is no more.
      let isEnd = error.rawValue == 0x07 || error.rawValue == 0x0b
      let fits = sides[place.side].read.fits(pending)
      if fits, sides[place.side].read.isOpen {
        sides[place.side].read.isEnded = isEnd
        finishRead(place, isEnd ? .done : .refused(error), response: isEnd ? nil : response)
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
      flush(pending.queue, place, .refused(error), response: response, memory)
    default: tell(place, pending, .refused(error), response, arrived.latency)
    }
  }

  /// Adds a part of a prepared write that the server has accepted, and compares its echo.
  private mutating func prepare(
    _ place: Place, _ pending: Pending, _ slot: Int, _ fields: ATTFields, _ bytes: RawSpan,
    isCut: Bool
  ) {
    let echo = bytes.part(fields.value ?? .empty)
    // What the capture did not keep cannot be compared.
    let isSame =
      fields.handle == pending.attribute.handle && Int(fields.offset ?? 0) == pending.offset
      && (isCut || pending.isCut || echo.isEqual(to: pending.value.bytes))
    // An Execute Write Request that was sent before this response includes the part.
    let execute = (0..<slot).last {
      sides[place.side].pending[$0].isOpen
        && sides[place.side].pending[$0].opcode == .executeWriteRequest
    }
    let hasRoom: Bool
    if let execute {
      hasRoom = sides[place.side].pending[execute].queue.add(
        pending, isEchoWrong: !isSame, limits)
    } else {
      hasRoom = sides[place.side].queue.add(pending, isEchoWrong: !isSame, limits)
    }
    if !hasRoom {
      reached(.preparedParts, limits.preparedParts)
    }
  }

  // MARK: PDUs that nobody answers

  private mutating func tellUnacknowledged(
    _ pdu: ATTPDU, _ place: Place, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ fragments: ArraySlice<Int>, isCut: Bool, _ memory: borrowing Memory
  ) {
    let fields = pdu.fields
    let operation: ValueOperation
    switch pdu.opcode {
    case .handleValueNotification, .multipleHandleValueNotification: operation = .notification
    case .writeCommand: operation = .writeWithoutResponse
    case .signedWriteCommand: operation = .signedWrite
    default: return
    }
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

extension Dissection {
  /// The length of the ATT PDU before the capture cut it, if its headers show it.
  fileprivate var pduLength: Int { max(Int(body.count), Int(sduLength ?? l2cap?.length ?? 0)) }
}

extension ATTOpcode {
  /// Whether a value follows a handle.
  fileprivate var carriesValue: Bool {
    switch self {
    case .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest,
      .handleValueNotification, .multipleHandleValueNotification, .handleValueIndication:
      true
    default: false
    }
  }
}
