// How requests and values are followed:
//
// - `Transactions`, in `Memory`, has the requests that are open on a bearer, and finds the one that
//   a response answers. `ResponseDoubt` reports what remains uncertain about that.
// - `LongValues`, in `Memory`, joins what is read and written in parts, on the packet that
//   completes it, if the requests of its parts are certain at that time.
// - `Conversations`, of which a report keeps one, waits for the outcome of each request. It keeps
//   what the request carried as a `Procedure`, and reports each value once, with its outcome.
// - `LongRead` and `PreparedQueue` join parts for both.

package import Bluetooth
import Bytes
import Captures
import Dissectors

/// The ATT conversations of each bearer. Gives requests their outcome, joins values that were read
/// or written in parts, and lists the values of each packet.
///
/// A report that wants values keeps one and feeds it every packet:
///
///     conversations.observe(packet, memory)
///     for value in conversations.values { … }
///
/// `Memory` matches responses to requests; this type keeps what the requests carried. It is bounded
/// by `Limits`: if there are too many bearers, the one that was silent longest is dropped and its
/// requests count as unanswered.
package struct Conversations: Sendable {
  private let passing = PassedByReference()

  /// An ATT bearer, or a free place for one.
  struct Bearer: Sendable {
    var key: UInt64
    var link: LinkSlot
    /// Its last packet; 0 for a free place.
    var lastUse = 0
    /// How often the identifying properties of its connection had changed when the others were set;
    /// nil: they were not.
    var changes: Int?
    var parties = ValueParties()
    /// The keys of the peer's server and the captured host's.
    var servers: (peer: UInt64, local: UInt64) = (0, 0)
  }

  /// What one client has open on one bearer, with the indications sent in the same direction.
  struct Client: Sendable {
    /// The indices in `open`, newest first.
    static let requests = 0..<Transactions.depth
    static let indications = Transactions.depth..<2 * Transactions.depth

    var open = [Procedure](repeating: Procedure(), count: 2 * Transactions.depth)
    /// Responses that may answer one of several of these; the next packets decide.
    var held: [Arrived] = []
    var parts = Parts()

    /// Whether a request waits for its response, or for the certainty which response that is.
    var isAsking: Bool { !held.isEmpty || open[Self.requests].contains { $0.isOpen } }
  }

  /// What one client reads and writes in parts on one bearer.
  struct Parts: Sendable {
    var read = LongRead()
    var queue = PreparedQueue()
    /// Whether the capture may lack the answers to its requests: it goes on without any.
    var lacksAnswers = false
  }

  /// An index into `clients`. Each bearer has two; the first is for what the captured host sends.
  struct Place {
    let bearer: Int
    let direction: Direction
    var client: Int { 2 * bearer + Int(direction.rawValue) }
    /// The end that is the server of this client's requests.
    var server: Side { Side(sent: direction).other }
  }

  /// An attribute's key among all servers.
  private struct AttributeKey: Hashable {
    var server: UInt64
    var handle: UInt16
  }

  /// The values of the current packet, in the order in which their outcomes became known.
  package private(set) var values: [ConveyedValue] = []
  /// The bytes of `values`.
  package private(set) var bytes: [UInt8] = []
  /// The packet numbers of those of `values` that came in several packets.
  package private(set) var packets: [Int] = []
  /// The bound that the current packet reached, if any, with its limit.
  package private(set) var limitReached: (what: Limited, limit: Int)?
  /// Packets that carried attribute values but whose handle is missing from the capture; they are
  /// not reported as values.
  package private(set) var withoutHandle = 0
  /// The requests that stayed unanswered.
  package internal(set) var unanswered: UnansweredRequests
  /// The limits that were already reported.
  private var reportedLimits: [Limited] = []

  /// The bounded tables.
  package enum Limited: Sendable {
    case bearers, preparedParts
  }

  var bearers: [Bearer] = []
  var clients: [Client] = []
  /// The index in `bearers` of the latest packet's bearer; negative: none.
  var latest = -1
  /// Indices into `bearers`, by the bearers' keys.
  var index: [UInt64: Int] = [:]
  var gap = 0
  var endings = 0
  /// The time of the current packet; at the end, of the latest one.
  private(set) var now: Timestamp?
  /// The lengths of values that were read, for Read Multiple.
  private var lengths: [AttributeKey: Int] = [:]
  /// Servers whose identity became known while values were in progress, each with its earlier key.
  private var aliases: [(key: UInt64, first: UInt64)] = []
  /// The keys of other servers in use.
  private var servers: [UInt64] = []
  /// The data that the captured host advertises.
  var ownData: OwnAdvertisedData
  let limits: Limits
  /// The attributes whose values are secret; nil before the first packet.
  private var secretTypes: SecretTypes?
  /// Whether values are wanted, and not only the unanswered requests.
  let joinsValues: Bool
  /// How many nanoseconds without a request end a read whose last part fills its PDU; nil: such a
  /// read ends only with the next request.
  private let patience: Int64?
  /// Whether such a read may be open.
  private var mayHaveOpenReads = false

  /// Creates the state before the first packet.
  ///
  /// - Parameters:
  ///   - joinsValues: false if only `unanswered` is wanted.
  ///   - patience: after how many nanoseconds without a request a value is reported although more
  ///     of it might be read; nil: only when something else is requested.
  package init(_ limits: Limits = Limits(), joinsValues: Bool = true, patience: Int64? = nil) {
    self.limits = limits
    self.joinsValues = joinsValues
    self.patience = patience
    unanswered = UnansweredRequests(limit: limits.listedRequests)
    ownData = OwnAdvertisedData(limits)
  }

  /// The client at a place, modified in place.
  subscript(place: Place) -> Client {
    _read { yield clients[place.client] }
    _modify { yield &clients[place.client] }
  }

  // MARK: Observing

  /// Processes one packet; `values` are then those whose outcome it decided.
  ///
  /// - Parameter memory: what is known after this packet.
  package mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if !values.isEmpty { clear() }
    limitReached = nil
    // A record that repeats one of another file was already reported.
    guard packet.record.original == nil else { return }
    now = packet.record.time
    if secretTypes == nil { secretTypes = memory.attributes.secretTypes }
    if mayHaveOpenReads, let patience, let now { finishReads(now, patience) }
    if memory.links.gap != gap { lose(memory) }
    if packet.answer.closed || memory.links.otherEndings != endings { sweep(memory) }
    if let pdu = packet.dissection.att {
      // Commands and notifications get no answer: they are only values.
      if joinsValues || pdu.opcode.role != .unacknowledged { follow(pdu, packet, memory) }
    } else if joinsValues {
      if packet.answer.channel != nil, let value = packet.serialValue {
        reportData(value.slice, value.on, packet, memory)
      } else if !memory.advertisements.reports.isEmpty {
        observeAdvertisements(packet.record, packet.bytes, memory)
      } else {
        for own in ownData.observe(packet) { advertise(own) }
      }
    }
  }

  /// Processes a PDU.
  @inline(never)
  private mutating func follow(
    _ pdu: ATTPDU, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    guard let place = find(packet, memory) else { return }
    if pdu.isIncomplete, pdu.opcode.carriesValue { withoutHandle += 1 }
    switch pdu.opcode.role {
    case .request, .indication: begin(pdu, place, packet, memory)
    case .response, .confirmation: end(pdu, place, packet, memory)
    case .unacknowledged:
      if !pdu.isIncomplete { reportUnacknowledged(pdu.opcode, place, packet, memory) }
    }
  }

  /// Ends the capture: what is still open is reported as such.
  ///
  /// - Parameter latest: the latest time in the capture, which shows how long requests have waited.
  package mutating func finish(_ memory: borrowing Memory, latest: Timestamp? = nil) {
    clear()
    limitReached = nil
    now = latest
    for own in ownData.finish() { advertise(own) }
    for bearer in bearers.indices where bearers[bearer].lastUse > 0 {
      close(bearer, .captureEnded, memory)
    }
    unanswered.sort()
  }

  private mutating func clear() {
    values.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    if !packets.isEmpty { packets.removeAll(keepingCapacity: true) }
  }

  /// Records that a bound was reached; each is reported once.
  mutating func reached(_ what: Limited, _ limit: Int) {
    guard !reportedLimits.contains(what) else { return }
    reportedLimits.append(what)
    limitReached = (what, limit)
  }

  /// Reports a value.
  mutating func report(_ value: ConveyedValue) {
    // Values are large: they are copied once, and not changed on the way.
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

  // MARK: Servers

  /// Returns the key that values use for a bearer's peer. If its identity became known while values
  /// were in progress, this is the earlier key, so that one device's values stay together.
  mutating func server(_ key: UInt64, before: UInt64) -> UInt64 {
    if key == before { return key }
    if let alias = aliases.last(where: { $0.key == key }) { return alias.first }
    if before == 0 || servers.contains(key) {
      if !servers.contains(key), servers.count < max(1, limits.servers) { servers.append(key) }
      return key
    }
    if aliases.count < max(1, limits.servers) { aliases.append((key, before)) }
    return before
  }

  /// Returns what is known about an attribute on one of the bearer's servers.
  func identity(
    _ handle: UInt16?, _ place: Place, _ side: Side, _ memory: borrowing Memory
  ) -> AttributeIdentity {
    let bearer = bearers[place.bearer]
    return memory.identity(
      of: handle, side == .local ? bearer.servers.local : bearer.servers.peer, side,
      connection: bearer.parties.connection)
  }

  // MARK: Requests

  /// Records that a client goes on before a request is answered. Normally it has its answers then:
  /// if the capture has nothing from its server, they may be missing.
  mutating func noteProgress(of place: Place, _ memory: borrowing Memory) {
    let bearer = bearers[place.bearer]
    guard memory.links.id(bearer.link) == bearer.parties.connection else { return }
    self[place].parts.lacksAnswers = memory.links[bearer.link].isOneSided(place.direction)
  }

  /// Reports a request or an indication as unanswered.
  mutating func reportUnanswered(
    _ place: Place, _ pending: Procedure, _ reason: ValueOutcome.Reason, _ memory: borrowing Memory
  ) {
    let link = bearers[place.bearer].link
    if reason == .overtaken || self[place].parts.lacksAnswers {
      noteProgress(of: place, memory)
    }
    let isExecute = pending.opcode == .executeWriteRequest
    guard !pending.isIncomplete, isExecute || pending.operation != nil else { return }
    let mayBeAnswered =
      memory.hasHeard(place.direction.reversed) && !self[place].parts.lacksAnswers
    if !mayBeAnswered, pending.opcode.carriesValue, pending.opcode != .prepareWriteRequest {
      // The capture has no answers, so it is unknown whether one came.
      return report(place, pending, .done, nil)
    }
    var reason = mayBeAnswered ? pending.isPassed ? .overtaken : reason : .recordsLost
    if reason == .connectionEnded, let now, let sent = pending.time,
      now.nanoseconds(since: sent) >= Request.timeout
    {
      reason = .timedOut
    }
    if mayLackAnswer(pending, place, memory) { reason = .recordsLost }
    var isAcknowledged: Bool?
    if memory.links.reportsCompletedPackets, bearers[place.bearer].parties.vantage == .host,
      let ordinal = pending.ordinal,
      memory.links.id(link) == bearers[place.bearer].parties.connection,
      let flow = memory.links.flow(link)
    {
      isAcknowledged = flow.completed >= ordinal
    }
    // The event that reports it may come after the end of the capture.
    if reason == .captureEnded, isAcknowledged == false { isAcknowledged = nil }
    if isExecute {
      flush(
        pending.prepared, place,
        pending.executes ? .noResponse(reason) : .cancelled,
        nil, unanswered: pending, isAcknowledged: isAcknowledged, memory)
    } else {
      report(place, pending, .noResponse(reason), nil, isAcknowledged: isAcknowledged)
    }
  }

  /// Returns whether the answer to a request may be among what a sniffer missed.
  func mayLackAnswer(
    _ request: borrowing Procedure, _ place: Place, _ memory: borrowing Memory
  ) -> Bool {
    let bearer = bearers[place.bearer]
    return memory.links.id(bearer.link) == bearer.parties.connection
      && memory.links[bearer.link].mayMissBefore > request.packet
  }

  /// Reports the outcome of a request or an indication that carried everything itself.
  private mutating func report(
    _ place: Place, _ pending: Procedure, _ outcome: ValueOutcome, _ arrived: Arrived?,
    isAcknowledged: Bool? = nil, attribute: AttributeIdentity? = nil
  ) {
    guard let operation = pending.operation else { return }
    var value = ConveyedValue(
      operation: operation, outcome: outcome, attribute: attribute ?? pending.attribute,
      parties: bearers[place.bearer].parties, direction: place.direction, packet: pending.packet,
      time: pending.time)
    value.response = arrived?.packet
    value.latency = arrived?.latency
    value.isEncrypted = arrived?.isEncrypted
    value.isByType = pending.opcode == .readByTypeRequest
    value.offset = pending.offset
    value.isCut = pending.isCut
    value.isSecret = pending.mayHoldKey
    value.isAcknowledged = isAcknowledged
    if pending.opcode.carriesValue {
      value.value = keep(pending.value.bytes)
      value.packets = keep(pending.packets[...])
    }
    report(value)
  }

  // MARK: Responses

  /// Processes the answer to a request.
  mutating func complete(
    _ place: Place, _ slot: Int, _ arrived: Arrived, _ bytes: RawSpan, _ memory: borrowing Memory
  ) {
    let pending = self[place].open[slot]
    self[place].open[slot].end()
    guard joinsValues else { return }
    if pending.isIncomplete { return reportOrphan(place, arrived, bytes, memory) }
    let fields = arrived.fields
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
      flush(pending.prepared, place, pending.executes ? .done : .cancelled, arrived, memory)
    default: report(place, pending, .done, arrived)
    }
  }

  private mutating func refuse(
    _ place: Place, _ pending: Procedure, _ error: ATTErrorCode, _ handle: UInt16?,
    _ arrived: Arrived, _ memory: borrowing Memory
  ) {
    switch pending.opcode {
    case .readBlobRequest where pending.goesOn:
      let isEnd = LongRead.isEnd(error)
      let fits = self[place].parts.read.fits(pending)
      if fits, self[place].parts.read.isOpen {
        self[place].parts.read.refusal = (error, arrived.packet)
        finishRead(place, isEnd ? .done : .refused(error), response: isEnd ? nil : arrived.packet)
      } else if !fits || !isEnd {
        report(place, pending, .refused(error), arrived)
      }
    case .readByTypeRequest where error == .attributeNotFound: break
    case .readByTypeRequest, .readMultipleRequest, .readMultipleVariableRequest:
      var attribute = identity(
        handle == 0 ? nil : handle, place, place.server, memory)
      if attribute.uuid == nil { attribute.uuid = pending.attribute.uuid }
      report(place, pending, .refused(error), arrived, attribute: attribute)
    case .executeWriteRequest:
      flush(pending.prepared, place, .refused(error), arrived, memory)
    default: report(place, pending, .refused(error), arrived)
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
    let execute = Client.requests.last {
      self[place].open[$0].prepared != nil && self[place].open[$0].packet > pending.packet
    }
    let limits = limits
    let hasRoom =
      if let execute {
        self[place].open[execute].prepared?.add(pending, isEchoWrong: !isSame, limits) ?? true
      } else {
        self[place].parts.queue.add(pending, isEchoWrong: !isSame, limits)
      }
    if !hasRoom { reached(.preparedParts, limits.preparedParts) }
  }

  // MARK: PDUs without an answer

  private mutating func reportUnacknowledged(
    _ opcode: ATTOpcode, _ place: Place, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    guard let operation = opcode.operation else { return }
    let (fields, bytes) = (packet.dissection.attFields, packet.bytes)
    let (number, time) = (packet.record.number, packet.record.time)
    let mayHoldKey = packet.answer.mayHoldKey
    // A notification comes from the server, a command from the client.
    let side = operation.isWrite ? place.server : place.server.other
    func empty(_ handle: UInt16?) -> ConveyedValue {
      ConveyedValue(
        operation: operation, attribute: identity(handle, place, side, memory),
        parties: bearers[place.bearer].parties, direction: place.direction,
        packet: number, time: time)
    }
    if let items = fields.items {
      var cursor = Cursor(bytes, items.list)
      let packets = keep(packet.parts)
      while let item = items.next(&cursor) {
        guard let slice = item.value else { continue }
        var value = empty(item.handle)
        value.value = keep(bytes.part(slice))
        value.packets = packets
        // As in `show`: if any attribute's values are keys, any of several values may be one.
        value.isSecret = mayHoldKey || memory.attributes.hasKeyMaterial
        value.isCut = item.missing > 0
        report(value)
      }
    } else if let slice = fields.value {
      var value = empty(fields.handle)
      value.value = keep(bytes.part(slice))
      value.packets = keep(packet.parts)
      value.isSecret = mayHoldKey
      value.isCut = packet.isCut
      report(value)
    }
  }

  /// Reports a value on a serial channel, which is complete at once.
  private mutating func reportData(
    _ slice: Slice, _ serial: SerialFact, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    guard let place = find(packet, memory) else { return }
    let bearer = bearers[place.bearer]
    var value = ConveyedValue(
      operation: .data,
      attribute: memory.identity(
        of: serial, serial.server == .local ? bearer.servers.local : bearer.servers.peer,
        on: bearer.link),
      parties: bearer.parties, direction: place.direction, packet: packet.record.number,
      time: packet.record.time)
    value.value = keep(packet.bytes.part(slice))
    value.packets = keep(packet.parts)
    value.isSecret = packet.answer.fragment.isDoubtful
    value.isCut = packet.isCut
    report(value)
  }

  // MARK: Reads

  /// Processes a value or part of one that was read.
  ///
  /// - Parameters:
  ///   - isFull: whether the part may fill its PDU, judging by what is known about the MTU, so that
  ///     there may be more.
  ///   - fillsPDU: whether it certainly fills its PDU.
  private mutating func read(
    _ place: Place, _ pending: Procedure, _ part: RawSpan, _ arrived: Arrived, isFull: Bool,
    fillsPDU: Bool, _ memory: borrowing Memory
  ) {
    // Other requests may have been answered since it was requested.
    let fits = pending.goesOn && self[place].parts.read.fits(pending)
    if !fits || !self[place].parts.read.isOpen {
      // Nothing follows a value that seemed to be whole.
      if fits, part.byteCount == 0 { return }
      finishRead(place)
      self[place].parts.read.begin(pending.attribute, at: pending.offset)
    }
    if arrived.mayHoldKey || arrived.isHeld && memory.attributes.hasKeyMaterial {
      self[place].parts.read.mayBeKey = true
    }
    self[place].parts.read.add(part, at: pending.offset, arrived, fillsPDU: fillsPDU, limits)
    if isFull { mayHaveOpenReads = true } else { finishRead(place) }
  }

  /// Reports the values that the client has not continued to read for a while.
  private mutating func finishReads(_ time: Timestamp, _ patience: Int64) {
    mayHaveOpenReads = false
    for bearer in bearers.indices {
      for direction in [Direction.sent, .received] {
        let place = Place(bearer: bearer, direction: direction)
        guard self[place].parts.read.isOpen else { continue }
        if !self[place].isAsking, let last = self[place].parts.read.time,
          time.nanoseconds(since: last) > patience
        {
          finishRead(place)
        } else {
          mayHaveOpenReads = true
        }
      }
    }
  }

  /// Reports the value that was read in parts, if one is open.
  mutating func finishRead(
    _ place: Place, _ outcome: ValueOutcome = .done, response: Int? = nil
  ) {
    guard self[place].parts.read.isOpen else { return }
    let read = self[place].parts.read
    self[place].parts.read.close()
    var value = ConveyedValue(
      operation: .read, outcome: outcome, attribute: read.attribute,
      parties: bearers[place.bearer].parties, direction: place.direction.reversed,
      packet: read.packet, time: read.time)
    value.response = response
    value.latency = read.packets.count > 1 ? nil : read.latency
    value.offset = read.start
    value.isCut = read.isCut
    value.first = read.first
    value.isEncrypted = read.isEncrypted
    value.mayGoOn = outcome == .done && read.fillsPDU && read.refusal == nil
    value.restRefusal = read.refusal
    value.isRestRefused = read.refusal?.error == .invalidOffset && read.fillsPDU
    value.isSecret = read.mayBeKey
    value.value = keep(read.bytes.bytes)
    value.packets = keep(read.packets[...])
    if outcome == .done { learnLength(read.attribute, read.start, read.bytes.count, read.isCut) }
    report(value)
  }

  /// Remembers the length of a value.
  private mutating func learnLength(
    _ attribute: AttributeIdentity, _ offset: Int, _ length: Int, _ isCut: Bool
  ) {
    guard offset == 0, !isCut, let handle = attribute.handle else { return }
    let key = AttributeKey(server: attribute.server, handle: handle)
    if lengths.count < limits.valueLengths || lengths[key] != nil { lengths[key] = length }
  }

  /// Reports values that were read by their type: one for each attribute of that type (Core, Vol 3,
  /// Part G, 4.8.2).
  private mutating func readByType(
    _ place: Place, _ pending: Procedure, _ items: ATTItems, _ arrived: Arrived, _ bytes: RawSpan,
    _ memory: borrowing Memory
  ) {
    let isSecret = arrived.mayHoldKey || arrived.isHeld && memory.attributes.hasKeyMaterial
    let mtu = memory.mtu(on: bearers[place.bearer].link, arrived.channel)
    // A single value that fills the PDU may continue.
    let isFull = items.singleValueLength.map { ATTItems.isFull($0, mtu: mtu.value) } ?? false
    var cursor = Cursor(bytes, items.list)
    let packets = isFull ? nil : keep(arrived.packets)
    while let item = items.next(&cursor) {
      guard let slice = item.value else { continue }
      var attribute = identity(item.handle, place, place.server, memory)
      if attribute.uuid == nil { attribute.uuid = pending.attribute.uuid }
      if isFull {
        finishRead(place)
        self[place].parts.read.begin(attribute, at: 0)
        self[place].parts.read.mayBeKey = isSecret
        self[place].parts.read.add(
          bytes.part(slice), at: 0, arrived, fillsPDU: !mtu.isLowerBound, limits)
        mayHaveOpenReads = true
      } else {
        reportRead(
          place, attribute, bytes.part(slice), arrived, packets, isCut: item.missing > 0,
          isSecret: isSecret)
      }
    }
  }

  /// Reports a value that was read.
  ///
  /// - Parameters:
  ///   - packets: the packets of the PDU, shared by all of its values.
  ///   - handles: those of several attributes, if the value is that of all of them.
  private mutating func reportRead(
    _ place: Place, _ attribute: AttributeIdentity, _ value: RawSpan, _ arrived: Arrived,
    _ packets: Range<Int>?, isCut: Bool, isSecret: Bool, of handles: Slice? = nil
  ) {
    var conveyed = ConveyedValue(
      operation: .read, attribute: attribute, parties: bearers[place.bearer].parties,
      direction: place.direction.reversed, packet: arrived.packet,
      time: arrived.time)
    conveyed.latency = arrived.latency
    conveyed.isEncrypted = arrived.isEncrypted
    conveyed.isCut = isCut
    conveyed.isSecret = isSecret
    conveyed.value = keep(value)
    conveyed.handles = handles
    conveyed.packets = packets
    report(conveyed)
  }

  /// Reports several values that were read at once (Core, Vol 3, Part F, 3.4.4.7 and 3.4.4.11).
  /// They are split if each comes with its length, or if the lengths are known.
  private mutating func readMultiple(
    _ place: Place, _ pending: Procedure, _ fields: ATTFields, _ arrived: Arrived, _ bytes: RawSpan,
    _ memory: borrowing Memory
  ) {
    let handles = pending.value.bytes
    let count = handles.byteCount / 2
    let packets = keep(arrived.packets)
    // The ends of the values come from the server or are inferred: if any attribute's values are
    // keys, any value may be one.
    let isSecret = arrived.mayHoldKey || memory.attributes.hasKeyMaterial
    if let items = fields.items {
      var cursor = Cursor(bytes, items.list)
      for index in 0..<count {
        guard let item = items.next(&cursor), let slice = item.value else { return }
        let handle = handles.littleEndianU16(at: 2 * index)
        reportRead(
          place, identity(handle, place, place.server, memory), bytes.part(slice),
          arrived, packets, isCut: item.missing > 0, isSecret: isSecret)
      }
      return
    }
    guard let value = fields.value else { return }
    if !arrived.isCut, let split = split(handles, Int(value.count), pending.attribute.server) {
      var start = Int(value.start)
      for (index, length) in split.enumerated() {
        let handle = handles.littleEndianU16(at: 2 * index)
        reportRead(
          place, identity(handle, place, place.server, memory),
          bytes.part(Slice(start: start, count: length)), arrived, packets, isCut: false,
          isSecret: isSecret)
        start += length
      }
      return
    }
    reportRead(
      place, identity(nil, place, place.server, memory), bytes.part(value), arrived, packets,
      isCut: arrived.isCut, isSecret: isSecret, of: keep(handles))
  }

  /// Returns the length of each of several values that have `total` bytes together; nil if that is
  /// unknown.
  private func split(_ handles: RawSpan, _ total: Int, _ server: UInt64) -> [Int]? {
    let count = handles.byteCount / 2
    var found: [Int?] = []
    var known = 0
    var unknown: UInt16?
    var unknownCount = 0
    for index in 0..<count {
      let handle = handles.littleEndianU16(at: 2 * index)
      let length = lengths[AttributeKey(server: server, handle: handle)]
      found.append(length)
      if let length {
        known += length
      } else if unknown == nil || unknown == handle {
        unknown = handle
        unknownCount += 1
      } else {
        return nil
      }
    }
    guard known <= total else { return nil }
    if unknownCount == 0 { return known == total ? found.compactMap(\.self) : nil }
    // One attribute of unknown length, possibly repeated: it gets what the others leave.
    guard (total - known) % unknownCount == 0 else { return nil }
    let each = (total - known) / unknownCount
    return found.map { $0 ?? each }
  }

  // MARK: Prepared writes

  /// Reports the values whose parts were prepared, one for each run of consecutive parts of an
  /// attribute, and empties the queue.
  mutating func flush(
    _ queue: PreparedQueue?, _ place: Place, _ outcome: ValueOutcome, _ arrived: Arrived?,
    unanswered: Procedure? = nil, isAcknowledged: Bool? = nil, _ memory: borrowing Memory
  ) {
    guard var queue, !queue.isEmpty else { return }
    for joined in queue.join(into: &bytes, packets: &packets, place.direction.reversed) {
      var value = ConveyedValue(
        operation: .preparedWrite, outcome: outcome,
        attribute: identity(joined.handle, place, place.server, memory),
        parties: bearers[place.bearer].parties, direction: place.direction,
        packet: unanswered?.packet ?? joined.packet, time: unanswered?.time ?? joined.time)
      value.response = arrived?.packet
      value.isEncrypted = arrived?.isEncrypted
      value.first = packets[joined.packets.lowerBound]
      value.isAcknowledged = isAcknowledged
      value.offset = joined.offset
      value.isCut = joined.isCut
      value.isSecret = joined.mayBeKey
      value.isEchoWrong = joined.isEchoWrong
      value.value = joined.value
      // The Execute Write Request is a packet of its own.
      if joined.packets.count > 1 || unanswered != nil { value.packets = joined.packets }
      report(value)
    }
  }

  // MARK: Responses without requests

  /// Reports a response or an error whose request is unknown.
  mutating func reportOrphan(
    _ place: Place, _ arrived: Arrived, _ bytes: RawSpan, _ memory: borrowing Memory
  ) {
    guard joinsValues else { return }
    let fields = arrived.fields
    var arrived = arrived
    arrived.forgetRequest()
    // As in `show`: if any attribute's values are keys, this may be one.
    let isSecret = arrived.mayHoldKey || memory.attributes.hasKeyMaterial
    switch arrived.opcode {
    case .errorResponse:
      guard let error = fields.error, let opcode = fields.requestOpcode,
        let operation = opcode == .readBlobRequest ? nil : opcode.operation,
        operation.hasResponse
      else { return }
      var refused = ConveyedValue(
        operation: operation, outcome: .refused(error),
        attribute: identity(
          fields.handle == 0 ? nil : fields.handle, place, place.server, memory),
        parties: bearers[place.bearer].parties, direction: place.direction.reversed,
        packet: arrived.packet, time: arrived.time)
      refused.isEncrypted = arrived.isEncrypted
      report(refused)
    case .readResponse, .readBlobResponse:
      guard let value = fields.value else { return }
      reportRead(
        place, identity(nil, place, place.server, memory), bytes.part(value), arrived,
        keep(arrived.packets), isCut: arrived.isCut, isSecret: isSecret)
    case .readByTypeResponse:
      guard let items = fields.items else { return }
      var cursor = Cursor(bytes, items.list)
      let packets = keep(arrived.packets)
      while let item = items.next(&cursor) {
        guard let handle = item.handle, let slice = item.value else { continue }
        let attribute = identity(handle, place, place.server, memory)
        guard memory.attributes.isRead(handle, bytes.part(slice), of: attribute.server) else {
          continue
        }
        reportRead(
          place, attribute, bytes.part(slice), arrived, packets, isCut: item.missing > 0,
          isSecret: isSecret)
      }
    default: break
    }
  }
}

extension Links {
  /// Returns the connection, adapter and peer of the link in a slot.
  func parties(_ slot: LinkSlot) -> ValueParties {
    ValueParties(
      connection: self[slot].id, adapter: self[slot].adapter, peer: self[slot].peer,
      identity: self[slot].identity?.address, resolvable: self[slot].peerResolvable,
      vantage: self[slot].vantage)
  }

  /// Returns whether the link in a slot is open.
  package func isOpen(_ slot: LinkSlot) -> Bool { self[slot].ending == nil }
}
