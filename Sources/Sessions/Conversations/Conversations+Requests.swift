// ATT requests and indications, from the packets that begin them to their outcomes. If a response
// may answer one of several requests, it is held until later packets decide.

import Bluetooth
import Bytes
import Captures
import Dissectors

extension Conversations {
  // MARK: Requests and indications

  mutating func begin(
    _ pdu: ATTPDU, _ place: Place, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    settle(place, memory)
    let isIndication = pdu.opcode.role == .indication
    let slots = isIndication ? Client.indications : Client.requests
    let isValues = joinsValues && !pdu.isIncomplete
    let goesOn =
      isValues && pdu.opcode == .readBlobRequest
      && self[place].parts.read.isContinued(by: packet.dissection.attFields)
    if !isIndication {
      if isValues, !goesOn { finishRead(place) }
      giveUpPassed(place, memory)
    }
    push(place, slots, memory)
    let first = slots.lowerBound
    self[place].open[first].begin(pdu.opcode, packet, packets: packet.parts)
    self[place].open[first].connection = bearers[place.bearer].parties.connection
    self[place].open[first].goesOn = goesOn
    let link = bearers[place.bearer].link
    self[place].open[first].isLate = !memory.links.isOpen(link)
    if place.direction == .sent {
      self[place].open[first].ordinal = memory.links.flow(link)?.sent
    }
    guard isValues else { return }
    let fields = packet.dissection.attFields
    var attribute = identity(
      fields.handle, place, isIndication ? place.server.other : place.server, memory)
    if pdu.opcode == .readByTypeRequest, let type = fields.type, !type.isDeclaration {
      attribute.uuid = type
    }
    self[place].open[first].attribute = attribute
    if pdu.opcode == .executeWriteRequest {
      self[place].open[first].prepared = self[place].parts.queue
      self[place].parts.queue = PreparedQueue()
    }
  }

  /// Makes room for a new request or indication. Those that wait stay open; if there are too many,
  /// the oldest is given up as overtaken.
  private mutating func push(_ place: Place, _ slots: Range<Int>, _ memory: borrowing Memory) {
    guard self[place].open[slots.lowerBound].isOpen else { return }
    giveUp(place, slots.upperBound - 1, .overtaken, memory)
    for slot in slots.dropFirst().reversed() { self[place].open.swapAt(slot, slot - 1) }
  }

  /// Gives up requests that were passed, since their client has sent another request.
  private mutating func giveUpPassed(_ place: Place, _ memory: borrowing Memory) {
    for slot in Client.requests.reversed() where self[place].open[slot].isPassed {
      giveUp(place, slot, .overtaken, memory)
    }
  }

  private mutating func giveUp(
    _ place: Place, _ slot: Int, _ reason: ValueOutcome.Reason, _ memory: borrowing Memory
  ) {
    guard self[place].open[slot].isOpen else { return }
    let procedure = self[place].open[slot]
    self[place].open[slot].end()
    unanswered.note(
      procedure, place.direction, mayLackAnswer(procedure, place, memory) ? .recordsLost : reason,
      at: now, memory)
    if joinsValues { reportUnanswered(place, procedure, reason, memory) }
  }

  // MARK: Answers

  /// - Parameter arrival: the place of the packet's own direction.
  mutating func end(
    _ pdu: ATTPDU, _ arrival: Place, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    let place = answered(
      Place(bearer: arrival.bearer, direction: arrival.direction.reversed), pdu, packet.answer)
    let slot = slot(place, pdu.opcode, packet.answer.request?.packet)
    if pdu.isIncomplete {
      if let slot { self[place].open[slot].hasCutAnswer = true }
      return
    }
    var arrived = Arrived(
      pdu.opcode, packet,
      isEncrypted: memory.links[bearers[place.bearer].link].isEncrypted)
    guard let slot else {
      // There is one more response than there can have been requests: the held ones answer others
      // than they were assigned to, and which ones is unknown.
      if packet.answer.request == nil, !memory.doubt.alternatives.isEmpty {
        let held = self[place].held
        self[place].held.removeAll()
        for response in held { reportOrphan(place, response, response.bytes.bytes, memory) }
      }
      return reportOrphan(place, arrived, packet.bytes, memory)
    }
    if !memory.doubt.corrections.isEmpty {
      for index in self[place].held.indices {
        let response = self[place].held[index].packet
        if let correction = memory.doubt.corrections.first(where: { $0.response == response }) {
          self[place].held[index].assign(
            correction.request, isCertain: memory.doubt.alternatives.isEmpty)
        }
      }
    }
    if memory.doubt.alternatives.isEmpty {
      settle(place, memory)
      pass(place, slot, isLast: false, memory)
      complete(place, slot, arrived, packet.bytes, memory)
    } else {
      arrived.hold(packet.bytes)
      self[place].held.append(arrived)
    }
  }

  /// Returns the place of the request that a PDU answers: on its own bearer, except for hosts that
  /// answer on others.
  private func answered(_ place: Place, _ pdu: ATTPDU, _ answer: Answer) -> Place {
    guard let request = answer.request, answer.channel != nil,
      slot(place, pdu.opcode, request.packet) == nil
    else { return place }
    let link = bearers[place.bearer].link
    for bearer in bearers.indices where bearers[bearer].lastUse > 0 && bearers[bearer].link == link
    {
      let other = Place(bearer: bearer, direction: place.direction)
      if slot(other, pdu.opcode, request.packet) != nil { return other }
    }
    return place
  }

  /// Returns the slot of the request that a PDU answers.
  private func slot(_ place: Place, _ opcode: ATTOpcode, _ request: Int?) -> Int? {
    (opcode.role == .confirmation ? Client.indications : Client.requests).first { slot in
      self[place].open[slot].isOpen && self[place].open[slot].packet == request
    }
  }

  /// Settles held responses when no other response can change them: they answer the requests they
  /// were assigned to.
  private mutating func settle(_ place: Place, _ memory: borrowing Memory) {
    guard !self[place].held.isEmpty else { return }
    let held = self[place].held
    self[place].held.removeAll()
    for response in held {
      guard let slot = slot(place, response.opcode, response.request) else { continue }
      pass(place, slot, isLast: true, memory)
      complete(place, slot, response, response.bytes.bytes, memory)
    }
  }

  /// Passes the requests before one that is answered. As in `Transactions`, they get no answer any
  /// more, or a late one.
  ///
  /// - Parameter isLast: whether no other answer follows before the next request.
  private mutating func pass(
    _ place: Place, _ slot: Int, isLast: Bool, _ memory: borrowing Memory
  ) {
    let slots = Client.requests.contains(slot) ? Client.requests : Client.indications
    for earlier in (slot + 1..<slots.upperBound).reversed()
    where self[place].open[earlier].isOpen {
      self[place].open[earlier].pass()
      if isLast { giveUp(place, earlier, .overtaken, memory) }
    }
  }

  // MARK: Bearers

  /// Returns the bearer of a packet and its direction, and updates what is known about its link.
  mutating func find(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Place? {
    guard let link = packet.answer.link, let direction = packet.record.direction else { return nil }
    let key = packet.answer.bearer(of: memory.links.id(link))
    if latest < 0 || bearers[latest].key != key { latest = index[key] ?? place(key, link, memory) }
    bearers[latest].lastUse = packet.record.number
    meet(latest, memory)
    return Place(bearer: latest, direction: direction)
  }

  /// Updates what is known about the link of a bearer.
  private mutating func meet(_ bearer: Int, _ memory: borrowing Memory) {
    let link = bearers[bearer].link
    let (id, changes) = (memory.links.id(link), memory.links.changes(link))
    // Mostly, nothing has changed since the previous packet. A link that is no connection has no
    // number by which to know it again.
    if id > 0, bearers[bearer].parties.connection == id, bearers[bearer].changes == changes {
      return
    }
    bearers[bearer].changes = changes
    bearers[bearer].parties = memory.links.parties(link)
    bearers[bearer].servers = (
      server(Attributes.key(of: .peer, memory.links[link]), before: bearers[bearer].servers.peer),
      Attributes.key(of: .local, memory.links[link])
    )
  }

  /// Returns a place for a new bearer: a free one, a new one, or that of the bearer that was silent
  /// longest.
  private mutating func place(
    _ key: UInt64, _ link: LinkSlot, _ memory: borrowing Memory
  ) -> Int {
    var chosen = bearers.count
    if chosen >= max(1, limits.bearers) {
      chosen = bearers.indices.min { bearers[$0].lastUse < bearers[$1].lastUse } ?? 0
      if bearers[chosen].lastUse > 0 {
        reached(.bearers, limits.bearers)
        close(chosen, .forgotten, memory)
      }
    } else if let free = bearers.firstIndex(where: { $0.lastUse == 0 }) {
      chosen = free
    }
    let new = Bearer(key: key, link: link)
    if chosen == bearers.count {
      bearers.append(new)
      clients.append(Client())
      clients.append(Client())
    } else {
      bearers[chosen] = new
    }
    index[key] = chosen
    return chosen
  }

  /// Gives up what is open on a bearer. After lost records, what is queued there stays, marked as
  /// incomplete.
  private mutating func giveUp(
    _ bearer: Int, _ reason: ValueOutcome.Reason, _ memory: borrowing Memory
  ) {
    for direction in [Direction.sent, .received] {
      let place = Place(bearer: bearer, direction: direction)
      settle(place, memory)
      finishRead(place)
      let open = self[place].open
      if open[Client.requests].count(where: \.isOpen) > 1
        || open[Client.indications].count(where: \.isOpen) > 1
      {
        noteProgress(of: place, memory)
      }
      for slots in [Client.requests, Client.indications] {
        for slot in slots.reversed() { giveUp(place, slot, reason, memory) }
      }
      if reason == .recordsLost {
        self[place].parts.queue.lose()
        continue
      }
      let isOver = reason == .connectionEnded || reason == .captureEnded
      flush(
        self[place].parts.queue, place, .notExecuted(isOver ? reason : .forgotten), nil,
        memory)
      self[place].parts = Parts()
    }
  }

  /// Gives up what is open on a bearer, and frees it.
  mutating func close(
    _ bearer: Int, _ reason: ValueOutcome.Reason, _ memory: borrowing Memory
  ) {
    giveUp(bearer, reason, memory)
    index[bearers[bearer].key] = nil
    bearers[bearer] = Bearer(key: .max, link: bearers[bearer].link)
    latest = -1
  }

  /// Closes the bearers whose connection has ended.
  mutating func sweep(_ memory: borrowing Memory) {
    endings = memory.links.otherEndings
    for bearer in bearers.indices where bearers[bearer].lastUse > 0 {
      let link = bearers[bearer].link
      guard
        memory.links.id(link) != bearers[bearer].parties.connection || !memory.links.isOpen(link)
      else { continue }
      close(bearer, .connectionEnded, memory)
    }
  }

  /// Gives up what is open after records were lost: answers may be among them.
  mutating func lose(_ memory: borrowing Memory) {
    gap = memory.links.gap
    ownData.forgetParts { memory.links.gapAdapter.mayBe($0.adapter) }
    for bearer in bearers.indices
    where bearers[bearer].lastUse > 0
      && memory.links.gapAdapter.mayBe(bearers[bearer].parties.adapter)
    {
      giveUp(bearer, .recordsLost, memory)
    }
  }
}

extension Answer {
  /// Returns what identifies the packet's ATT bearer among those of all connections.
  func bearer(of connection: Int) -> UInt64 {
    UInt64(UInt32(truncatingIfNeeded: connection)) << 32
      | UInt64(channel.map { UInt32(truncatingIfNeeded: $0.serial) &+ 1 } ?? 0)
  }
}
