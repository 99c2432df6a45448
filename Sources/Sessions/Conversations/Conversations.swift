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
  typealias Place = Procedures.Place

  /// The link of a bearer.
  struct Parties: Sendable {
    var link: LinkSlot
    var parties = ValueParties()
    /// The keys of the peer's server and the captured host's.
    var servers: (peer: UInt64, local: UInt64) = (0, 0)
  }

  /// What one client reads and writes in parts on one bearer.
  struct Side: Sendable {
    var read = LongRead()
    var queue = PreparedQueue()
    /// The parts that were prepared before an Execute Write Request that waits for its response,
    /// with its packet. Answered or not, it closes the queue (Core, Vol 3, Part F, 3.4.6.3).
    var closed: [(packet: Int, queue: PreparedQueue)] = []
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

  /// The procedures that values belong to, for others that would follow them, too.
  package internal(set) var procedures: Procedures
  /// By the index of the bearer, and by that of the place.
  var bearers: [Parties] = []
  var sides: [Side] = []
  /// The lengths of values that were read, for Read Multiple.
  var lengths: [AttributeKey: Int] = [:]
  /// Servers whose identity became known while values were in progress, each with its earlier key.
  private var aliases: [(key: UInt64, first: UInt64)] = []
  /// The keys of other servers in use.
  private var told: [UInt64] = []
  private var gap = 0
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
    procedures = Procedures(limits)
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
    guard record.original == nil else { return procedures.skip() }
    if memory.links.gap != gap {
      gap = memory.links.gap
      ownData.forgetParts { known in memory.links.gapAdapter.map { $0 == known.adapter } ?? true }
    }
    if mayHaveOpenReads, let patience, let time = record.time { finishReads(time, patience) }
    procedures.observe(record, dissection, bytes, answer, fragments: fragments, memory)
    let pdu = dissection.att
    // Nobody answers commands and notifications, so they are no procedures.
    let place =
      pdu?.opcode.role == .unacknowledged ? procedures.find(record, answer, memory) : nil
    if !procedures.events.isEmpty { take(bytes, record.time, memory) }
    if let pdu {
      guard answer.link != nil, record.direction != nil else { return }
      if let place { meet(place, memory) }
      if case .incomplete = pdu {
        if pdu.opcode.carriesValue { withoutHandle += 1 }
      } else if let place {
        tellUnacknowledged(
          pdu, place, record, bytes, answer.fragment.isJoined ? fragments[...] : [],
          isCut: record.isTruncated || answer.fragment.isTruncated, memory)
      }
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
    procedures.finish(memory)
    let none: [UInt8] = []
    take(none.bytes, nil, memory)
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
  mutating func tell(_ value: consuming ConveyedValue) {
    if value.operation != .advertisement, secretTypes?.contains(value.attribute.uuid) ?? false {
      value.isOfSecretType = true
    }
    values.append(value)
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

  /// Updates what is known about the link of a packet's bearer.
  mutating func meet(_ place: Place, _ memory: borrowing Memory) {
    let known = procedures.bearers[place.bearer]
    while bearers.count <= place.bearer {
      bearers.append(Parties(link: known.link))
      sides.append(Side())
      sides.append(Side())
    }
    bearers[place.bearer].link = known.link
    bearers[place.bearer].parties = memory.links.parties(known.link)
    let peer = Attributes.key(isLocal: false, memory.links[known.link])
    bearers[place.bearer].servers = (
      server(peer, before: bearers[place.bearer].servers.peer),
      Attributes.key(isLocal: true, memory.links[known.link])
    )
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
