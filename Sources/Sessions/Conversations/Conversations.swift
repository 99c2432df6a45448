// Joins requests and responses into values; each is reported once, when its outcome is known.

import Bluetooth
import Bytes
package import Captures
package import Dissectors

/// The ATT conversations of each bearer. Joins values that were read or written in parts, gives
/// requests their outcome, and lists the values of each packet.
///
/// A report that wants values keeps one and feeds it every packet:
///
///     conversations.observe(record, dissection, bytes, answer, fragments, memory)
///     for value in conversations.values { … }
///
/// `Memory` matches responses to requests; this type keeps what the requests carried. It is bounded
/// by `Limits`: if there are too many bearers, the one that was silent longest is dropped and its
/// requests count as unanswered.
package struct Conversations: Sendable {
  /// An ATT bearer, or a free place for one.
  struct Bearer: Sendable {
    var key: UInt64
    var link: LinkSlot
    var parties: ValueParties
    /// The keys of the peer's server and the captured host's.
    var servers: (peer: UInt64, local: UInt64)
    var lastUse: Int
  }

  /// What one client has open on one bearer, with the indications sent in the same direction.
  struct Side: Sendable {
    /// The index of the first indication in `pending`.
    static let indications = Transactions.Doubt.depth
    /// The order in which pending entries are given up: oldest requests first, then oldest
    /// indications.
    static let oldestFirst =
      Array((0..<indications).reversed()) + (indications..<2 * indications).reversed()

    /// The newest request and those it overtook, then the newest indication and those before it.
    var pending = [Pending](repeating: Pending(), count: 2 * Transactions.Doubt.depth)
    /// Responses that may answer one of several of these; the next packets decide.
    var held: [HeldResponse] = []
    var read = LongRead()
    var queue = PreparedQueue()
  }

  /// An index into `sides`. Each bearer has two; the first is for what the captured host sends.
  struct Place {
    let bearer: Int
    let direction: Direction
    var side: Int { 2 * bearer + Int(direction.rawValue) }
    /// Whether the captured host is the server of this client's requests.
    var isLocal: Bool { direction == .received }
  }

  /// The number and time of a packet.
  struct Moment: Sendable {
    var number: Int
    var time: Timestamp?

    init(_ record: borrowing CaptureRecord) { (number, time) = (record.number, record.time) }
  }

  /// An attribute's key among all servers.
  struct AttributeKey: Hashable {
    var server: UInt64
    var handle: UInt16
  }

  /// The values of the current packet, in the order in which their outcomes became known.
  package private(set) var values: [ConveyedValue] = []
  /// The bytes of `values`.
  package internal(set) var bytes: [UInt8] = []
  /// The packet numbers of those of `values` that came in several packets.
  package internal(set) var packets: [Int] = []
  /// The bound that the current packet reached, if any, with its limit.
  package private(set) var limitReached: (what: Limited, limit: Int)?
  /// Packets that carried attribute values but whose handle is missing from the capture; they are
  /// not reported as values.
  package internal(set) var withoutHandle = 0
  /// The limits that were already reported.
  private var said: [Limited] = []

  /// The bounded tables.
  package enum Limited: Sendable {
    case bearers, preparedParts
  }

  var bearers: [Bearer] = []
  var sides: [Side] = []
  private var index: [UInt64: Int] = [:]
  private var latest = -1
  /// The lengths of values that were read, for Read Multiple.
  var lengths: [AttributeKey: Int] = [:]
  /// Servers whose identity became known while values were in progress, each with its earlier key.
  private var aliases: [(key: UInt64, first: UInt64)] = []
  /// The keys of other servers in use.
  private var told: [UInt64] = []
  private var gap = 0
  private var endings = 0
  /// The data that the captured host advertises.
  var ownData: OwnAdvertisedData
  let limits: Limits
  /// The attributes whose values are secret; nil before the first packet.
  private var secretTypes: SecretTypes?
  /// How many nanoseconds without a request end a read whose last part fills its PDU; nil: such a
  /// read ends only with the next request.
  private let patience: Int64?
  /// Whether such a read may be open.
  var mayHaveOpenReads = false

  /// Creates the state before the first packet.
  ///
  /// - Parameter patience: after how many nanoseconds without a request a value is reported
  ///   although more of it might be read; nil: only when something else is requested.
  package init(_ limits: Limits = Limits(), patience: Int64? = nil) {
    self.limits = limits
    self.patience = patience
    ownData = OwnAdvertisedData(limits)
  }

  // MARK: Observing

  /// Processes one packet; `values` are then those whose outcome it decided.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that the dissection's slices count from.
  ///   - fragments: the packets of the PDU, if it came in several.
  ///   - memory: what is known after this packet.
  package mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory
  ) {
    if !values.isEmpty { clear() }
    if secretTypes == nil { secretTypes = memory.attributes.secretTypes }
    limitReached = nil
    // A record that repeats one of another file was already reported.
    guard record.original == nil else { return }
    if memory.links.gap != gap { lose(record, memory) }
    if answer.closed || memory.links.otherEndings != endings { sweep(record, memory) }
    if mayHaveOpenReads, let patience, let time = record.time { finishReads(time, patience) }
    if let pdu = dissection.att {
      guard let link = answer.link, let direction = record.direction else { return }
      let bearer = bearer(link, answer.channel, record, memory)
      observe(pdu, bearer, direction, record, dissection, bytes, answer, fragments, memory)
    } else if !memory.advertisements.reports.isEmpty {
      observeAdvertisements(record, bytes, memory)
    } else {
      observeOwnData(record, dissection, bytes, answer)
    }
  }

  /// Ends the capture: what is still open is reported as such.
  package mutating func finish(_ memory: borrowing Memory) {
    clear()
    limitReached = nil
    finishOwnData()
    for bearer in bearers.indices where bearers[bearer].lastUse > 0 {
      close(bearer, .captureEnded, at: nil, memory)
    }
  }

  private mutating func clear() {
    values.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    packets.removeAll(keepingCapacity: true)
  }

  /// Records that a bound was reached; each is reported once.
  mutating func reached(_ what: Limited, _ limit: Int) {
    guard !said.contains(what) else { return }
    said.append(what)
    limitReached = (what, limit)
  }

  /// Reports a value.
  mutating func tell(_ value: ConveyedValue) {
    values.append(value)
    if value.operation != .advertisement, secretTypes?.contains(value.attribute.uuid) ?? false {
      values[values.count - 1].isOfSecretType = true
    }
  }

  /// Copies bytes for a reported value.
  mutating func keep(_ span: RawSpan) -> Slice {
    let start = bytes.count
    bytes.append(span)
    return Slice(start: start, count: span.byteCount)
  }

  /// Copies the packet numbers of a reported value, if there are several.
  mutating func keep(_ numbers: ArraySlice<Int>) -> Range<Int>? {
    guard numbers.count > 1 else { return nil }
    let start = packets.count
    packets.append(contentsOf: numbers)
    return start..<packets.count
  }

  // MARK: Bearers

  /// Returns the bearer of a packet, and updates what is known about its link.
  private mutating func bearer(
    _ link: LinkSlot, _ channel: ChannelFact?, _ record: borrowing CaptureRecord,
    _ memory: borrowing Memory
  ) -> Int {
    let key =
      UInt64(UInt32(truncatingIfNeeded: memory.links.id(link))) << 32
      | UInt64(channel.map { UInt32(truncatingIfNeeded: $0.serial) &+ 1 } ?? 0)
    let found: Int
    if latest >= 0, bearers[latest].key == key {
      found = latest
    } else if let known = index[key] {
      found = known
    } else {
      found = place(key, link, record, memory)
    }
    latest = found
    bearers[found].lastUse = record.number
    bearers[found].parties = memory.links.parties(link)
    let peer = Attributes.key(isLocal: false, memory.links[link])
    bearers[found].servers = (
      server(peer, before: bearers[found].servers.peer),
      Attributes.key(isLocal: true, memory.links[link])
    )
    return found
  }

  /// Returns the key that values use for a bearer's peer. If its identity became known while values
  /// were in progress, this is the earlier key, so that one device's values stay together.
  private mutating func server(_ key: UInt64, before: UInt64) -> UInt64 {
    if key == before { return key }
    if let alias = aliases.last(where: { $0.key == key }) { return alias.first }
    if before == 0 || told.contains(key) {
      if !told.contains(key), told.count < max(1, limits.servers) { told.append(key) }
      return key
    }
    if aliases.count < max(1, limits.servers) { aliases.append((key, before)) }
    return before
  }

  /// Returns a place for a new bearer: a free one, a new one, or that of the bearer that was silent
  /// longest.
  private mutating func place(
    _ key: UInt64, _ link: LinkSlot, _ record: borrowing CaptureRecord, _ memory: borrowing Memory
  ) -> Int {
    let new = Bearer(
      key: key, link: link, parties: ValueParties(), servers: (0, 0), lastUse: record.number)
    var chosen = bearers.count
    if chosen >= max(1, limits.bearers) {
      chosen = bearers.indices.min { bearers[$0].lastUse < bearers[$1].lastUse } ?? 0
      if bearers[chosen].lastUse > 0 {
        reached(.bearers, limits.bearers)
        close(chosen, .forgotten, at: record.time, memory)
      }
    } else if let free = bearers.firstIndex(where: { $0.lastUse == 0 }) {
      chosen = free
    }
    if chosen == bearers.count {
      bearers.append(new)
      sides.append(Side())
      sides.append(Side())
    } else {
      bearers[chosen] = new
    }
    index[key] = chosen
    return chosen
  }

  /// Reports what is open on a bearer, and frees it.
  private mutating func close(
    _ bearer: Int, _ reason: ValueOutcome.Reason, at time: Timestamp?, _ memory: borrowing Memory
  ) {
    for direction in [Direction.sent, .received] {
      let place = Place(bearer: bearer, direction: direction)
      settle(place, memory)
      finishRead(place)
      sides[place.side].read.forget()
      for slot in Side.oldestFirst { giveUp(place, slot, reason, at: time, memory) }
      let isOver = reason == .connectionEnded || reason == .captureEnded
      flush(
        sides[place.side].queue, place, .notExecuted(isOver ? reason : .forgotten), response: nil,
        memory)
      sides[place.side].queue.clear()
    }
    index[bearers[bearer].key] = nil
    bearers[bearer].lastUse = 0
    bearers[bearer].key = .max
    latest = -1
  }

  /// Closes the bearers whose connection has ended.
  private mutating func sweep(_ record: borrowing CaptureRecord, _ memory: borrowing Memory) {
    endings = memory.links.otherEndings
    for bearer in bearers.indices where bearers[bearer].lastUse > 0 {
      let link = bearers[bearer].link
      guard
        memory.links.id(link) != bearers[bearer].parties.connection || !memory.links.isOpen(link)
      else { continue }
      close(bearer, .connectionEnded, at: record.time, memory)
    }
  }

  /// Gives up what is open after records were lost: answers may be among them.
  private mutating func lose(_ record: borrowing CaptureRecord, _ memory: borrowing Memory) {
    gap = memory.links.gap
    ownData.forgetParts { known in memory.links.gapAdapter.map { $0 == known.adapter } ?? true }
    for bearer in bearers.indices where bearers[bearer].lastUse > 0 {
      if let adapter = memory.links.gapAdapter, bearers[bearer].parties.adapter != adapter {
        continue
      }
      for direction in [Direction.sent, .received] {
        let place = Place(bearer: bearer, direction: direction)
        settle(place, memory)
        finishRead(place)
        for slot in Side.oldestFirst { giveUp(place, slot, .recordsLost, at: nil, memory) }
        sides[place.side].queue.lose()
      }
    }
  }
}

extension Links {
  /// Returns the connection, adapter and peer of the link in a slot.
  func parties(_ slot: LinkSlot) -> ValueParties {
    ValueParties(
      connection: self[slot].id, adapter: self[slot].adapter, peer: self[slot].peer,
      identity: self[slot].identity?.address, resolvable: self[slot].peerResolvable)
  }

  /// Returns whether the link in a slot is open.
  package func isOpen(_ slot: LinkSlot) -> Bool { self[slot].ending == nil }
}
