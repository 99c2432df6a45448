// ATT requests and indications, from the packets that begin them to their outcomes.

import Bluetooth
import Bytes
import Captures
import Dissectors

/// The ATT procedures of each bearer. Keeps what requests and indications carried, and reports for
/// each packet which of them it begins, answers or gives up.
///
/// `Memory` matches responses to requests. If a response may answer one of several requests, it is
/// held until later packets decide. Bounded by `Limits`: if there are too many bearers, the one
/// that was silent longest is dropped and its requests count as unanswered.
package struct Procedures: Sendable {
  /// An ATT bearer, or a free place for one.
  struct Bearer: Sendable {
    var key: UInt64
    var link: LinkSlot
    var connection: Int
    var adapter: AdapterIndex
    var lastUse: Int
  }

  /// What one client has open on one bearer, with the indications sent in the same direction.
  struct Client: Sendable {
    /// The index of the first indication in `open`.
    static let indications = Transactions.Doubt.depth
    /// The order in which procedures are given up: oldest requests first, then oldest indications.
    static let oldestFirst =
      Array((0..<indications).reversed()) + (indications..<2 * indications).reversed()

    /// The newest request and those it overtook, then the newest indication and those before it.
    var open = [Procedure](repeating: Procedure(), count: 2 * Transactions.Doubt.depth)
    /// Responses that may answer one of several of these; the next packets decide.
    var held: [Arrived] = []

    /// Whether a request waits for its response, or for the certainty which response that is.
    var isAsking: Bool { !held.isEmpty || open[..<Self.indications].contains { $0.isOpen } }
  }

  /// An index into `clients`. Each bearer has two; the first is for what the captured host sends.
  struct Place {
    let bearer: Int
    let direction: Direction
    var client: Int { 2 * bearer + Int(direction.rawValue) }
    /// The end that is the server of this client's requests.
    var server: Side { Side(sent: direction).other }
  }

  /// What a packet does. A place is that of the request or indication.
  enum Event: Sendable {
    /// The packet's bearer, with its direction.
    case arrived(Place)
    /// The procedure at this index of `open` was begun.
    case began(Place, Int)
    /// The procedure at this index is answered by the packet, `arrived`.
    case answered(Place, Int)
    /// A procedure was answered by a response that was held.
    indirect case settled(Place, Procedure, Arrived)
    /// Nothing answers a procedure any more, or only a late response.
    indirect case unanswered(Place, Procedure, ValueOutcome.Reason)
    /// The request that the packet, `arrived`, answers is unknown.
    case orphan(Place)
    /// The request that a held response answers will stay unknown.
    indirect case unsettled(Place, Arrived)
    /// What is open at a place is about to be given up; whether that is several requests.
    case interrupted(Place, isSeveral: Bool)
    /// What was open at a place was given up.
    case ended(Place, ValueOutcome.Reason)
  }

  /// What the current packet does, in order.
  private(set) var events: [Event] = []
  /// The current packet, if it is a response or a confirmation.
  private(set) var arrived: Arrived?
  private(set) var bearers: [Bearer] = []
  var clients: [Client] = []
  private var latest = -1
  private var index: [UInt64: Int] = [:]
  private var gap = 0
  private var endings = 0
  private let limits: Limits

  init(_ limits: Limits) { self.limits = limits }

  // MARK: Packets

  /// Whether the current packet does something.
  package var hasEvents: Bool { !events.isEmpty }

  /// Passes over a packet that does nothing.
  mutating func skip() {
    if !events.isEmpty { events.removeAll(keepingCapacity: true) }
  }

  /// Processes one packet; `events` are then what it does.
  ///
  /// - Parameter memory: what is known after this packet.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    skip()
    // A record that repeats one of another file was already processed.
    guard packet.record.original == nil else { return }
    if memory.links.gap != gap { lose(memory) }
    if packet.answer.closed || memory.links.otherEndings != endings { sweep(memory) }
    guard let pdu = packet.dissection.att, pdu.opcode.role != .unacknowledged else { return }
    follow(pdu, packet, memory)
  }

  /// Processes a PDU that is answered or an answer.
  @inline(never)
  private mutating func follow(
    _ pdu: ATTPDU, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    guard let place = find(packet, memory) else { return }
    events.append(.arrived(place))
    switch pdu.opcode.role {
    case .request, .indication:
      begin(pdu, place, packet, memory)
    case .response, .confirmation:
      let asking = Place(bearer: place.bearer, direction: place.direction.reversed)
      end(pdu, asking, packet, memory)
    case .unacknowledged: break
    }
  }

  /// Ends the capture: what is still open is given up.
  mutating func finish(_ memory: borrowing Memory) {
    events.removeAll(keepingCapacity: true)
    for bearer in bearers.indices where bearers[bearer].lastUse > 0 { close(bearer, .captureEnded) }
  }

  // MARK: Requests and indications

  private mutating func begin(
    _ pdu: ATTPDU, _ place: Place, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    settle(place)
    let first = pdu.opcode.role == .indication ? Client.indications : 0
    events.append(.began(place, first))
    if first == 0 { giveUpPassed(place) }
    push(place, from: first)
    let link = bearers[place.bearer].link
    clients[place.client].open[first].begin(pdu.opcode, packet, packets: packet.parts)
    if pdu.isIncomplete { clients[place.client].open[first].isIncomplete = true }
    clients[place.client].open[first].isLate = !memory.links.isOpen(link)
    clients[place.client].open[first].connection = bearers[place.bearer].connection
    let server = Attributes.key(
      of: first == 0 ? place.server : place.server.other, memory.links[link])
    clients[place.client].open[first].server = server
    clients[place.client].open[first].attribute.server = server
    if place.direction == .sent {
      clients[place.client].open[first].ordinal = memory.links.flow(link)?.sent
    }
  }

  /// Makes room for a new request (`first` 0) or indication: those that wait are overtaken, and if
  /// there are too many, the oldest is given up.
  private mutating func push(_ place: Place, from first: Int) {
    guard clients[place.client].open[first].isOpen else { return }
    let last = first + Transactions.Doubt.depth - 1
    giveUp(place, last, .overtaken)
    for slot in (first..<last).reversed() { clients[place.client].open.swapAt(slot, slot + 1) }
  }

  /// Gives up requests that were passed, since their client has sent another request.
  private mutating func giveUpPassed(_ place: Place) {
    for slot in (0..<Client.indications).reversed() where clients[place.client].open[slot].isPassed
    {
      giveUp(place, slot, .overtaken)
    }
  }

  private mutating func giveUp(_ place: Place, _ slot: Int, _ reason: ValueOutcome.Reason) {
    guard clients[place.client].open[slot].isOpen else { return }
    events.append(.unanswered(place, clients[place.client].open[slot], reason))
    clients[place.client].open[slot].end()
  }

  // MARK: Answers

  private mutating func end(
    _ pdu: ATTPDU, _ place: Place, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    let place = answered(place, pdu, packet.answer)
    let slot = slot(place, pdu.opcode, packet.answer.request?.packet)
    if pdu.isIncomplete {
      if let slot { clients[place.client].open[slot].hasCutAnswer = true }
      return
    }
    var arrived = Arrived(
      pdu.opcode, packet,
      isEncrypted: memory.links[bearers[place.bearer].link].isEncrypted)
    self.arrived = arrived
    guard let slot else {
      // There is one more response than there can have been requests: the held ones answer others
      // than they were assigned to, and which ones is unknown.
      if packet.answer.request == nil, !memory.doubt.alternatives.isEmpty {
        for response in clients[place.client].held { events.append(.unsettled(place, response)) }
        clients[place.client].held.removeAll()
      }
      events.append(.orphan(place))
      return
    }
    if !memory.doubt.corrections.isEmpty {
      for index in clients[place.client].held.indices {
        let response = clients[place.client].held[index].packet
        if let correction = memory.doubt.corrections.first(where: { $0.response == response }) {
          clients[place.client].held[index].assign(
            correction.request, isCertain: memory.doubt.alternatives.isEmpty)
        }
      }
    }
    if memory.doubt.alternatives.isEmpty {
      settle(place)
      pass(place, slot, isLast: false)
      events.append(.answered(place, slot))
      clients[place.client].open[slot].end()
    } else {
      arrived.hold(packet.bytes)
      clients[place.client].held.append(arrived)
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
    let first = opcode.role == .confirmation ? Client.indications : 0
    return (first..<first + Client.indications).first { slot in
      clients[place.client].open[slot].isOpen && clients[place.client].open[slot].packet == request
    }
  }

  /// Settles held responses when no other response can change them: they answer the requests they
  /// were assigned to.
  private mutating func settle(_ place: Place) {
    guard !clients[place.client].held.isEmpty else { return }
    let held = clients[place.client].held
    clients[place.client].held.removeAll()
    for response in held {
      guard let slot = slot(place, response.opcode, response.request) else { continue }
      pass(place, slot, isLast: true)
      events.append(.settled(place, clients[place.client].open[slot], response))
      clients[place.client].open[slot].end()
    }
  }

  /// Passes the requests before one that is answered. As in `Transactions`, they get no answer any
  /// more, or a late one.
  ///
  /// - Parameter isLast: whether no other answer follows before the next request.
  private mutating func pass(_ place: Place, _ slot: Int, isLast: Bool) {
    let end = slot < Client.indications ? Client.indications : 2 * Client.indications
    for earlier in (slot + 1..<end).reversed() where clients[place.client].open[earlier].isOpen {
      clients[place.client].open[earlier].isPassed = true
      if isLast { giveUp(place, earlier, .overtaken) }
    }
  }

  // MARK: Bearers

  /// Returns the bearer of a packet and its direction, and updates what is known about its link.
  mutating func find(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Place? {
    guard let link = packet.answer.link, let direction = packet.record.direction else { return nil }
    let id = memory.links.id(link)
    let key =
      UInt64(UInt32(truncatingIfNeeded: id)) << 32
      | UInt64(packet.answer.channel.map { UInt32(truncatingIfNeeded: $0.serial) &+ 1 } ?? 0)
    if latest < 0 || bearers[latest].key != key { latest = index[key] ?? place(key, link) }
    bearers[latest].lastUse = packet.record.number
    bearers[latest].connection = id
    bearers[latest].adapter = memory.links[link].adapter
    return Place(bearer: latest, direction: direction)
  }

  /// Returns a place for a new bearer: a free one, a new one, or that of the bearer that was silent
  /// longest.
  private mutating func place(_ key: UInt64, _ link: LinkSlot) -> Int {
    let new = Bearer(
      key: key, link: link, connection: 0, adapter: .unknown, lastUse: 0)
    var chosen = bearers.count
    if chosen >= max(1, limits.bearers) {
      chosen = bearers.indices.min { bearers[$0].lastUse < bearers[$1].lastUse } ?? 0
      if bearers[chosen].lastUse > 0 { close(chosen, .forgotten) }
    } else if let free = bearers.firstIndex(where: { $0.lastUse == 0 }) {
      chosen = free
    }
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

  /// Gives up what is open on a bearer.
  private mutating func giveUp(_ bearer: Int, _ reason: ValueOutcome.Reason) {
    for direction in [Direction.sent, .received] {
      let place = Place(bearer: bearer, direction: direction)
      settle(place)
      let requests = clients[place.client].open[..<Client.indications].count { $0.isOpen }
      events.append(.interrupted(place, isSeveral: requests > 1))
      for slot in Client.oldestFirst { giveUp(place, slot, reason) }
      events.append(.ended(place, reason))
    }
  }

  /// Gives up what is open on a bearer, and frees it.
  private mutating func close(_ bearer: Int, _ reason: ValueOutcome.Reason) {
    giveUp(bearer, reason)
    index[bearers[bearer].key] = nil
    bearers[bearer].lastUse = 0
    bearers[bearer].key = .max
    latest = -1
  }

  /// Closes the bearers whose connection has ended.
  private mutating func sweep(_ memory: borrowing Memory) {
    endings = memory.links.otherEndings
    for bearer in bearers.indices where bearers[bearer].lastUse > 0 {
      let link = bearers[bearer].link
      guard memory.links.id(link) != bearers[bearer].connection || !memory.links.isOpen(link)
      else { continue }
      close(bearer, .connectionEnded)
    }
  }

  /// Gives up what is open after records were lost: answers may be among them.
  private mutating func lose(_ memory: borrowing Memory) {
    gap = memory.links.gap
    for bearer in bearers.indices
    where bearers[bearer].lastUse > 0 && memory.links.gapAdapter.mayBe(bearers[bearer].adapter) {
      giveUp(bearer, .recordsLost)
    }
  }
}
