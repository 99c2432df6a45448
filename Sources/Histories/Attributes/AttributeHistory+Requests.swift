import Bluetooth
import Bytes
import Decoders
import Dissectors
import Meanings
import Sessions

// Records requests, their responses and refusals.

extension AttributeHistory {
  mutating func begin(_ packet: borrowing Packet, _ context: Context, _ memory: borrowing Memory) {
    let fields = packet.dissection.attFields
    let isWrite = context.opcode == .writeRequest || context.opcode == .prepareWriteRequest
    var written: [UInt8] = []
    var length = 0
    var configuration: Int?
    var isVendors = false
    if isWrite, let value = fields.value, let handle = fields.handle {
      length = Int(value.count)
      let place = use(handle, context, memory)
      let identity = place.map { usages[$0].identity } ?? identity(handle, context, memory)
      if !memory.attributes.secretTypes.contains(identity.uuid) {
        let kept = context.opcode == .writeRequest ? Self.mostValue : Self.mostHead
        written = packet.bytes.part(Slice(start: Int(value.start), count: min(length, kept))).array
      }
      noteLength(length, offset: fields.offset, handle, place, context, memory)
      if context.opcode == .writeRequest {
        configuration = configure(identity, packet.bytes.part(value), context, memory)
        if configuration == nil { noteCandidate(identity, packet.bytes.part(value), context) }
        if configuration == nil, let place {
          isVendors = sight(packet.bytes.part(value), place, .written, context, memory)
        }
      }
    }
    var parts: PreparedWrite?
    if context.opcode == .executeWriteRequest {
      parts = prepared[context.sender].take()
      length = parts?.length ?? 0
    }
    if open.count >= Self.mostOpen { open.removeFirst() }
    let range = fields.startHandle.flatMap { first in fields.endHandle.map { (first, $0) } }
    var request = OpenRequest(
      packet: context.moment.packet, time: context.moment.time, opcode: context.opcode,
      client: context.sender, channel: context.channel, handle: fields.handle, range: range,
      type: fields.type, offset: fields.offset, mtu: fields.mtu, length: length, written: written,
      configuration: configuration, isVendors: isVendors)
    request.prepared = parts
    request.epoch = epoch(of: context.server)
    request.isCancel = fields.executeFlags == 0
    if let list = fields.handles {
      var cursor = Cursor(packet.bytes, list)
      while let handle = try? cursor.u16() { request.handles.note(handle) }
    }
    open.append(request)
  }

  /// Records a part that the server has queued.
  private mutating func prepare(_ request: OpenRequest, _ context: Context) {
    discoverer = nil
    var write = prepared[request.client] ?? PreparedWrite(request.moment)
    write.attributes.note(request.handle ?? 0)
    write.parts &+= 1
    write.append(
      request.handle ?? 0, Int(request.offset ?? 0), request.length, request.written,
      request.moment)
    write.end = max(write.end, Int(request.offset ?? 0) &+ request.length)
    write.last = max(write.last, context.moment.packet)
    prepared[request.client] = write
  }

  /// Records the response to an Execute Write Request: the parts were written or cancelled.
  private mutating func execute(
    _ request: OpenRequest, _ context: Context, _ latency: Int64?, _ memory: borrowing Memory
  ) {
    let parts = request.prepared
    if !request.isCancel, let parts { subscribe(with: parts, context, memory) }
    if !request.isCancel, let parts, parts.late == nil, parts.attributes.handles.count == 1,
      let handle = parts.attributes.handles.first,
      let place = usages.firstIndex(where: { $0.handle == handle && $0.server == context.server }),
      parts.end > usages[place].longestWrite.length
    {
      usages[place].writing.longest = (parts.end, context.moment.packet)
    }
    run(
      request.isCancel ? .cancelled : .writes, .written, parts?.first ?? request.moment, context, 0,
      latency
    ) {
      if request.isCancel { $0.cancelled += 1 } else { $0.writes += 1 }
      $0.parts += parts?.parts ?? 0
      if let parts { $0.note(.written, parts.attributes) }
    }
  }

  /// Records the subscriptions among values that were written with prepared writes.
  private mutating func subscribe(
    with parts: PreparedWrite, _ context: Context, _ memory: borrowing Memory
  ) {
    for (handle, value, moment) in parts.shortValues {
      let identity = identity(handle, context, memory)
      var written = context
      written.moment = moment
      if let place = configure(identity, value.bytes, written, memory) {
        accept(configuration: place, context)
      } else {
        noteCandidate(identity, value.bytes, written, accepted: context.moment)
      }
    }
  }

  /// Records the prepared writes that were neither executed nor cancelled at the end.
  mutating func takePrepared() {
    for client in [Side.local, .peer] {
      guard let write = prepared[client].take(), runs.count < Self.mostRuns else { continue }
      var run = ValueRun(.prepared, client.other, write.first)
      run.last = write.last
      run.parts = write.parts
      run.note(.written, write.attributes)
      runs.append(run)
    }
    runs.sort { $0.first.packet < $1.first.packet }
  }

  mutating func end(_ packet: borrowing Packet, _ context: Context, _ memory: borrowing Memory) {
    let fields = packet.dissection.attFields
    for correction in memory.doubt.corrections {
      correct(correction, fields, packet.answer, context)
    }
    guard let asked = packet.answer.request?.packet,
      let index = open.firstIndex(where: { $0.packet == asked })
    else { return }
    let request = open.remove(at: index)
    if let error = fields.error {
      if error == .attributeNotFound, packet.answer.request?.meaningOfNotFound != nil {
        noteSearch(request, nil, packet.bytes, context)
        endSearch(request, context)
      } else {
        refuse(request, error, fields.handle, context, memory)
      }
      return
    }
    let isRepeated = accept(request, context)
    let latency = context.moment.nanoseconds(since: request.moment)
    switch context.opcode {
    case .exchangeMTUResponse:
      if context.channel == nil { faults.noteExchange() }
      exchange(request, fields, context)
    case .readByGroupTypeResponse, .findByTypeValueResponse, .findInformationResponse:
      if let items = fields.items { noteSearch(request, items, packet.bytes, context) }
      discover(request, packet, context)
    case .readByTypeResponse:
      if request.type?.isShort(0x2803) == true || request.type?.isShort(0x2802) == true {
        discover(request, packet, context)
      } else {
        readByType(request, packet, context, latency, memory)
      }
    case .readResponse, .readBlobResponse:
      read(request, packet, context, latency, memory, isRepeated: isRepeated)
    case .readMultipleResponse, .readMultipleVariableResponse:
      for handle in request.handles.handles {
        if let place = use(handle, context, memory) {
          usages[place].reading.all.note(context.moment)
        }
      }
      run(.reads, .read, request.moment, context, 0, latency) {
        $0.reads += 1
        $0.note(.read, request.handles)
      }
    case .writeResponse: written(request, context, latency, memory, isRepeated: isRepeated)
    case .prepareWriteResponse:
      checkEcho(request, packet, context)
      prepare(request, context)
    case .executeWriteResponse: execute(request, context, latency, memory)
    default: break
    }
  }

  /// Records the response to a Write Request.
  private mutating func written(
    _ request: OpenRequest, _ context: Context, _ latency: Int64?, _ memory: borrowing Memory,
    isRepeated: Bool
  ) {
    guard let handle = request.handle else { return }
    if let place = request.configuration, configurations.indices.contains(place) {
      accept(configuration: place, context)
      return
    }
    if !candidates.isEmpty,
      let index = candidates.firstIndex(where: { $0.request.packet == request.packet })
    {
      candidates[index].accepted = context.moment
    }
    guard let place = use(handle, context, memory) else { return }
    usages[place].writing.requests.note(context.moment)
    usages[place].writing.first = usages[place].firstWrite ?? request.moment
    noteWritten(request.length, request.written.bytes, place, request.moment, context)
    noteSeries(request.written.bytes, place, request.moment, epoch: request.epoch, context)
    noteControl(request.written.bytes, place, request.moment)
    if request.written.count == request.length {
      noteCut(request.written.bytes, .written, place, context, memory)
    }
    noteUnoffered(.write, bit: 3, place, request.packet, request.length, context)
    if request.isVendors, let last = runs.indices.last {
      runs[last].last = max(runs[last].last, context.moment.packet)
      return
    }
    if isRepeated { return }
    run(.writes, .written, request.moment, context, handle, latency) { $0.writes += 1 }
  }

  /// Records that the server accepted a subscription, or its end.
  private mutating func accept(configuration place: Int, _ context: Context) {
    configurations[place].accepted = context.moment
    beginEpoch(of: context.server)
    // The server sends no values while its client is not subscribed.
    let owner = configurations[place].owner?.handle
    if let index = usages.firstIndex(where: { $0.handle == owner && $0.server == context.server }) {
      usages[index].interrupt()
    }
  }

  // MARK: Refusals

  private mutating func refuse(
    _ request: OpenRequest, _ error: ATTErrorCode, _ answered: UInt16?, _ context: Context,
    _ memory: borrowing Memory
  ) {
    discoverer = nil
    refusalCount &+= 1
    if error.rawValue == 0x12 { outOfSync = context.sender }
    if let place = request.configuration, configurations.indices.contains(place) {
      configurations[place].error = error
    }
    vendors.refuse(request.packet)
    let handle = request.handle ?? answered ?? 0
    if error == .invalidOffset { faults.noteEnd(of: handle, context.server) }
    let known = refusals.firstIndex {
      $0.opcode == request.opcode && $0.handle == handle && $0.error == error
        && $0.security == context.security && $0.server == context.server
    }
    if let known {
      refusals[known].count &+= 1
      refusals[known].last = context.moment
      refusals[known].accepted = nil
      return
    }
    guard refusals.count < Self.mostRefusals else { return }
    let identity = identity(handle, context, memory)
    var subject = ErrorSubject(identity)
    subject.device = memory.peerName(of: context.link)
    let connection = memory.links.connection(context.link)
    let isWhole = request.opcode == .writeRequest && request.written.count == request.length
    refusals.append(
      Refusal(
        opcode: request.opcode, server: context.server, attribute: NamedAttribute(identity),
        owner: identity.owner.map { NamedAttribute(self.identity($0, context, memory)) },
        properties: memory.properties(of: identity), range: request.range, type: request.type,
        offset: request.offset, error: error,
        errorName: error.isOfProfile ? vendors.knowledge.errorName(error, of: subject) : nil,
        security: context.security, length: request.length, prepared: request.prepared,
        isFirstPart: request.opcode == .prepareWriteRequest && !connection.isOpeningMissing
          && !connection.hasLostPackets && prepared[request.client] == nil, head: request.head,
        meaning: isWhole
          ? vendors.knowledge.meaning(ofWritten: request.written, identity, subject.device) : nil,
        request: request.moment, answer: context.moment, last: context.moment))
  }

  /// Records that a request was allowed, possibly one that was refused before.
  ///
  /// - Returns: whether it was refused before; if so, it is reported with the refusal.
  private mutating func accept(_ request: OpenRequest, _ context: Context) -> Bool {
    var isRepeated = false
    for index in refusals.indices where refusals[index].accepted == nil {
      let refusal = refusals[index]
      let isSame =
        refusal.length == request.length && refusal.head == request.head
        && refusal.offset == request.offset
      guard refusal.opcode == request.opcode, refusal.handle == request.handle ?? 0,
        refusal.server == context.server, refusal.error.isAboutAttribute || isSame
      else { continue }
      refusals[index].accepted = (request.moment, context.moment)
      refusals[index].acceptedSecurity = context.security
      refusals[index].acceptsSameValue = isSame || !request.opcode.isWrite
      isRepeated = true
    }
    return isRepeated
  }

  // MARK: Lengths

  /// Records a write that is longer than the MTU or any value allows (Core, Vol 3, Part F, 3.2.9,
  /// 3.4.5).
  ///
  /// - Parameter place: The index of the attribute's usage, or nil if there was no room for it.
  mutating func noteLength(
    _ length: Int, offset: UInt16?, _ handle: UInt16, _ place: Int?, _ context: Context,
    _ memory: borrowing Memory
  ) {
    let connection = memory.links.connection(context.link)
    let end = Int(offset ?? 0) &+ length
    var found: (length: Int, most: Int, isValue: Bool)?
    if end > AttributeUse.longest {
      found = (end, AttributeUse.longest, true)
    } else if context.channel == nil, context.opcode != .prepareWriteRequest,
      let mtu = connection.knownMTU.map({ Int($0) }), length + 3 > mtu
    {
      found = (length + 3, mtu, false)
    }
    guard let found, longWrites.count < Self.mostListed else { return }
    let attribute = place.map { usages[$0].identity } ?? identity(handle, context, memory)
    longWrites.append(
      LongWrite(
        attribute: NamedAttribute(attribute), client: context.sender, length: found.length,
        most: found.most, isValue: found.isValue, moment: context.moment))
  }

  /// Moves an MTU exchange to the request that its response answered, as a later response shows;
  /// the later one answers the request that had it so far.
  private mutating func correct(
    _ correction: ResponseDoubt.Correction, _ fields: ATTFields, _ answer: Answer,
    _ context: Context
  ) {
    guard let place = mtuExchanges.firstIndex(where: { $0.answer.packet == correction.response }),
      let index = open.firstIndex(where: { $0.packet == correction.request.packet }),
      let offered = open[index].mtu
    else { return }
    let request = open.remove(at: index)
    let moved = mtuExchanges[place]
    mtuExchanges[place] = MTUExchange(
      client: request.client, offered: offered, answered: moved.answered,
      request: request.moment, answer: moved.answer)
    guard answer.request?.packet == moved.request.packet, let answered = fields.mtu,
      mtuExchanges.count < Self.mostListed
    else { return }
    mtuExchanges.append(
      MTUExchange(
        client: moved.client, offered: moved.offered, answered: answered,
        request: moved.request, answer: context.moment))
  }

  /// Records the response to an MTU request.
  private mutating func exchange(
    _ request: OpenRequest, _ fields: ATTFields, _ context: Context
  ) {
    guard let offered = request.mtu, let answered = fields.mtu, context.channel == nil,
      mtuExchanges.count < Self.mostListed
    else { return }
    mtuExchanges.append(
      MTUExchange(
        client: request.client, offered: offered, answered: answered, request: request.moment,
        answer: context.moment))
  }
}

extension ATTOpcode {
  /// Whether a request writes: only its device knows what that does.
  package var isWrite: Bool {
    self == .writeRequest || self == .prepareWriteRequest || self == .executeWriteRequest
  }
}
