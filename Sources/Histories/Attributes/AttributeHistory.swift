package import Bluetooth
import Bytes
import Captures
import Dissectors
package import Meanings
package import Sessions

/// The requests on attributes of a connection, and their results.
///
/// Bounded by the constants below, whatever the capture contains. Beyond them, attributes, refusals
/// and configurations are not remembered individually, runs of values are merged, and the oldest
/// open request is dropped.
package struct AttributeHistory: Sendable {
  static let mostUsages = 256
  static let mostRefusals = 48
  static let mostConfigurations = 64
  /// Whether all configurations are remembered, so that the last one is known.
  package var remembersConfigurations: Bool { configurations.count < Self.mostConfigurations }
  static let mostRuns = 96
  static let mostDiscoveries = 16
  static let mostOpen = 8
  static let mostHandles = 2048
  package static let mostListed = 16
  /// The number of bytes that are reported of a value to be written, and the number kept until it
  /// is answered: no value is longer (Core, Vol 3, Part F, 3.2.9).
  package static let mostHead = 4
  static let mostValue = 512

  /// A request that was sent before the previous one was answered.
  package struct Overlap: Sendable {
    package let packet: Int
    /// The packet of the previous request.
    package let before: Int
    /// The opcodes of this request and of the previous one; nil: unknown.
    package let opcode: ATTOpcode
    package let openOpcode: ATTOpcode?
    /// The sender of both.
    package let sender: Side
    package let isIndication: Bool
    /// Whether they were sent on an enhanced bearer.
    package let isOnChannel: Bool
    /// Whether both are MTU requests, of which a client sends one on a connection (Core, Vol 3,
    /// Part F, 3.4.2.1).
    package var asksForMTU: Bool { opcode == .exchangeMTURequest && openOpcode == opcode }
  }

  /// The last request or command of this host.
  package struct Asked: Sendable {
    package let moment: Moment
    package let opcode: ATTOpcode
    /// The attribute; 0: none, or several.
    package let handle: UInt16
    /// The number of bytes that it writes; nil if the capture cut them.
    package let length: Int?
    /// The first of those bytes, the first one in the lowest bits; nil if there are none, they were
    /// cut, or they may be secret.
    package internal(set) var head: UInt32?
    /// Whether the peer has answered it.
    package internal(set) var isAnswered = false
  }

  // MARK: What rules read

  /// The attributes that were used, in the order of their first use.
  package internal(set) var usages: [AttributeUsage] = []
  /// The first refusals, each reason once for each request.
  package internal(set) var refusals: [Refusal] = []
  package internal(set) var refusalCount = 0
  package internal(set) var configurations: [Configuration] = []
  /// The number of later ones that are not kept.
  package internal(set) var omittedConfigurations = 0
  /// Values written to CCCDs with commands, which are not answered.
  package internal(set) var commandedConfigurations: [Configuration] = []
  package private(set) var missedSubscriptions: [MissedSubscription] = []
  /// Procedures of control points that failed, each command once.
  package internal(set) var failedProcedures: [FailedProcedure] = []
  /// The MTUs that were exchanged on the unenhanced bearer.
  package internal(set) var mtuExchanges: [MTUExchange] = []
  package internal(set) var discoveries: [DiscoveryRun] = []
  package internal(set) var runs: [ValueRun] = []
  package internal(set) var serviceChanges: [ServiceChange] = []
  package internal(set) var hashes: [HashReading] = []
  /// Requests that were not answered, and indications that were not confirmed.
  package internal(set) var unanswered: [UnansweredRequests.Sent] = []
  /// The first Error Responses to indications, which a client must confirm: the packet, its sender,
  /// and the request that the indicating side itself had pending.
  package private(set) var refusedIndications: [(packet: Int, sender: Side, pending: Int?)] = []
  /// The first responses that no request waits for.
  package private(set) var strays: [(packet: Int, sender: Side, opcode: ATTOpcode)] = []
  /// The first requests that were sent before the previous one was answered.
  package internal(set) var overlapping: [Overlap] = []
  package internal(set) var overlapCount = 0
  /// The same on enhanced bearers: a host that uses one bearer for another seems to have two
  /// requests open on it. They count if neither is answered, which is known only at the end.
  private var overlapsOnChannels: [Overlap] = []
  /// The first responses that arrived on another enhanced bearer than their request: both packets,
  /// and the sender of the response.
  package internal(set) var crossed: [(request: Int, packet: Int, sender: Side)] = []
  package internal(set) var crossedCount = 0
  /// The first packets sent on a bearer on which a transaction had timed out, each with the
  /// request.
  package internal(set) var afterTimeout: [(request: Int, packet: Int, sender: Side)] = []
  package internal(set) var longWrites: [LongWrite] = []
  package internal(set) var faults = ServerFaults()
  package internal(set) var echoes: [WrongEcho] = []
  /// The searches for primary services, by server.
  var searches = BothSides(ServiceSearch())
  /// Counts what servers send, by server.
  var epochs = BothSides(ValueEpoch())
  /// The transfers that take a round trip for each write, by server.
  package internal(set) var steps = BothSides(WriteSteps())
  /// The first Proxy PDUs that were written to the characteristic of another Mesh service: the
  /// index of the usage, the message type, and the packet.
  package internal(set) var misplacedProxyPDUs: [(place: Int, type: UInt8, moment: Moment)] = []
  /// Commands that were sent after the server had reported that the client's view is out of date,
  /// by packet.
  package internal(set) var commandsOutOfSync = Tally()
  /// Attributes of a supplied map that the capture contradicts on this connection.
  package internal(set) var conflicts: [SuppliedConflict] = []
  package internal(set) var vendors: VendorTraffic
  /// The last PDU that transferred something: a successful response, a value or a command.
  package internal(set) var lastUse: Moment?
  package internal(set) var lastAsked: Asked?
  /// What the capture has of the connection; known at its end.
  private var parts: Coverage.Parts = .all
  package internal(set) var sentByLocal = 0
  package internal(set) var sentByPeer = 0

  // MARK: What is needed meanwhile

  /// Writes that are valid for a CCCD, to attributes that may turn out to be one.
  var candidates: [Configuration] = []
  var misdirected: [Configuration] = []
  /// The last response of each side that answers a request.
  private var responses = BothSides<Response?>(nil)

  private struct Response: Sendable {
    let opcode: ATTOpcode
    let moment: Moment
    /// The number of bytes, and the first and the last ones.
    private let count: Int
    private var start: UInt64 = 0
    private var end: UInt64 = 0

    init(_ context: Context, _ bytes: RawSpan) {
      (opcode, moment, count) = (context.opcode, context.moment, bytes.byteCount)
      for index in 0..<min(8, count) {
        start = start << 8 | UInt64(bytes.byte(at: index))
        end = end << 8 | UInt64(bytes.byte(at: count - 1 - index))
      }
    }

    /// Returns whether another response seems to have the same bytes.
    func isRepeated(by other: Self) -> Bool {
      (opcode, count, start, end) == (other.opcode, other.count, other.start, other.end)
    }
  }

  /// The indices in `usages`, by `key`. Like `found`, it has keys of a type that other tables use,
  /// too: to find out how to hash another one would cost as much as some hundred packets.
  var positions: [Int: Int] = [:]
  /// The bytes of `usages`, except for what was added to the one that was used last.
  var usageBytes = 0
  /// The number of latencies in `runs`.
  var latencies = 0
  /// The attribute that was used last, since consecutive packets often use the same one.
  var latest: (key: Int, place: Int?) = (-1, nil)
  var gap = 0
  /// On the air, the last packet before which others may be missing.
  private var lastMissing = 0
  var open: [OpenRequest] = []
  /// The keys of attributes that discovery has found.
  var found: Set<Int> = []
  /// The side that is discovering, if nothing else has happened since.
  var discoverer: Side?
  /// The server whose client's view is out of date.
  var outOfSync: Side?
  /// The prepared writes, by the client's side.
  var prepared = BothSides<PreparedWrite?>(nil)
  /// The last packets with a written value and with a notification.
  var lastValues = (written: 0, sent: 0)
  /// The last command to an attribute that cannot be written, as an index in `usages`.
  var droppedLast: (place: Int, moment: Moment)?
  /// The value whose first part was read last, as a key of `positions`.
  var reading: Int?

  /// A request that waits for its response.
  struct OpenRequest: Sendable {
    let packet: Int
    let time: Timestamp?
    let opcode: ATTOpcode
    let client: Side
    let channel: Int?
    let handle: UInt16?
    let range: (first: UInt16, last: UInt16)?
    let type: BluetoothUUID?
    let offset: UInt16?
    let mtu: UInt16?
    let length: Int
    /// The value to be written, or the first bytes of a part of one; empty if it may be secret.
    let written: [UInt8]
    /// The index of its configuration, if it writes one.
    var configuration: Int?
    var isVendors = false
    /// For an Execute Write Request: the parts, and whether it cancels them.
    var prepared: PreparedWrite?
    var isCancel = false
    /// The attributes of a request that names several.
    var handles = HandleList()
    /// That of the server (`ValueEpoch`).
    var epoch = 0

    var moment: Moment { Moment(packet: packet, time: time) }
    /// The first bytes to be written.
    var head: [UInt8] { Array(written.prefix(AttributeHistory.mostHead)) }
  }

  init(_ knowledge: ProfileKnowledge) { vendors = VendorTraffic(knowledge) }

  /// The approximate size in bytes of the lists that can be long.
  var bytes: Int {
    let texts = (refusals.count + open.count) * Self.textBytes + latencies * 8
    let sets = (found.count + 2 * positions.count) * Self.keyBytes
    return usageBytes + texts + sets + ListBytes.of(runs) + ListBytes.of(refusals)
      + ListBytes.of(configurations) + ListBytes.of(commandedConfigurations)
      + ListBytes.of(candidates) + ListBytes.of(misdirected) + ListBytes.of(open)
      + ListBytes.of(longWrites) + ListBytes.of(failedProcedures) + ListBytes.of(mtuExchanges)
      + ListBytes.of(discoveries) + ListBytes.of(overlapping) + ListBytes.of(serviceChanges)
      + faults.bytes
  }
  /// The approximate sizes in bytes of a request's texts, and of a key in a set that may be half
  /// full.
  private static let (textBytes, keyBytes) = (256, 16)

  // MARK: Observing

  /// Records an ATT packet on a link with the given protection.
  mutating func observe(
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ security: LinkSecurity
  ) {
    guard let pdu = packet.dissection.att, let link = packet.answer.link,
      let direction = packet.record.direction
    else {
      return
    }
    if memory.links.gap != gap {
      gap = memory.links.gap
      // Responses may be among the missing records, and values.
      open.removeAll()
      for index in usages.indices { usages[index].interrupt() }
    }
    let missing = memory.links.gap(of: link)
    if missing != lastMissing {
      lastMissing = missing
      for index in usages.indices { usages[index].interrupt() }
    }
    let opcode = pdu.opcode
    let fields = packet.dissection.attFields
    let sender = Side(sent: direction)
    let context = Context(
      moment: Moment(packet.record), opcode: opcode, sender: sender,
      server: opcode.server(direction),
      link: link, channel: packet.answer.channel?.serial,
      isWhole: !packet.isCut, security: security
    )
    if sender == .local {
      sentByLocal &+= 1
      if !opcode.isServers, opcode.role != .confirmation { ask(packet, context) }
    } else {
      sentByPeer &+= 1
      if let request = packet.answer.request?.packet, request == lastAsked?.moment.packet {
        lastAsked?.isAnswered = true
      }
    }
    switch opcode.role {
    case .response where opcode == .errorResponse:
      if fields.requestOpcode == .handleValueIndication, refusedIndications.count < Self.mostListed
      {
        let pending = open.last { $0.client == sender.other }?.packet
        refusedIndications.append((context.moment.packet, sender, pending))
      }
    case .response, .indication, .unacknowledged: lastUse = context.moment
    case .request, .confirmation: break
    }
    if !packet.dissection.problems.isEmpty {
      note(packet.dissection.problems, packet.answer, context)
      noteStray(packet, context)
      faults.note(
        packet.dissection.problems, packet.dissection.body,
        fields.handle ?? packet.answer.request?.handle,
        packet.answer.request?.packet, context, memory)
    }
    if !open.isEmpty { checkTimeout(context) }
    switch opcode.role {
    case .request: begin(packet, context, memory)
    case .response:
      if packet.answer.request != nil {
        responses[sender] = Response(context, packet.bytes.part(packet.dissection.body))
      }
      if context.channel == nil, let length = packet.dissection.l2cap?.length {
        faults.note(
          response: Int(length), fields.handle ?? packet.answer.request?.handle, context, memory)
      }
      end(packet, context, memory)
    case .indication: send(packet, context, memory)
    case .confirmation: confirm(packet.answer, context)
    case .unacknowledged:
      if opcode.isServers {
        send(packet, context, memory)
      } else {
        command(packet, context, memory)
      }
    }
  }

  /// The circumstances of a PDU.
  struct Context {
    var moment: Moment
    let opcode: ATTOpcode
    let sender: Side
    let server: Side
    let link: LinkSlot
    let channel: Int?
    /// Whether the capture contains all of it.
    let isWhole: Bool
    let security: LinkSecurity
  }

  /// Records the ordering problems of PDUs that memory found.
  private mutating func note(_ problems: Problems, _ answer: Answer, _ context: Context) {
    for index in 0..<problems.count where problems[index].code == .answersOtherChannel {
      guard let request = answer.request else { break }
      crossedCount &+= 1
      if crossed.count < Self.mostListed {
        crossed.append((request.packet, context.moment.packet, context.sender))
      }
    }
    // A PDU on a closed channel is lost, whatever is open on it.
    for index in 0..<problems.count where problems[index].code == .channelClosed { return }
    for index in 0..<problems.count {
      let code = problems[index].code
      guard code == .requestBeforeResponse || code == .indicationBeforeConfirmation else {
        continue
      }
      let overlap = Overlap(
        packet: context.moment.packet, before: Int(problems[index].first), opcode: context.opcode,
        openOpcode: open.first { $0.packet == Int(problems[index].first) }?.opcode,
        sender: context.sender, isIndication: code == .indicationBeforeConfirmation,
        isOnChannel: context.channel != nil)
      if overlap.isOnChannel {
        if overlapsOnChannels.count < Self.mostListed { overlapsOnChannels.append(overlap) }
      } else {
        note(overlap)
      }
    }
  }

  /// Records a response without a request, if it repeats the last one: others may answer a request
  /// that the capture lacks.
  private mutating func noteStray(_ packet: borrowing Packet, _ context: Context) {
    let fields = packet.dissection.attFields
    let problems = packet.dissection.problems
    guard context.opcode.role == .response, context.isWhole, strays.count < Self.mostListed,
      (0..<problems.count).contains(where: {
        problems[$0].code == .responseWithoutRequest || problems[$0].code == .responseMismatch
      }),
      // Some stacks answer an indication or a command that they do not support.
      fields.requestOpcode.map({ $0.role == .request }) ?? true,
      let last = responses[context.sender],
      last.isRepeated(by: Response(context, packet.bytes.part(packet.dissection.body))),
      // A record that the recorder wrote twice has one time.
      context.moment.nanoseconds(since: last.moment) ?? 0 > 0
    else { return }
    strays.append((context.moment.packet, context.sender, context.opcode))
  }

  private mutating func note(_ overlap: Overlap) {
    overlapCount &+= 1
    if overlapping.count < Self.mostListed { overlapping.append(overlap) }
  }

  /// Records what a client sends although its request on this bearer has timed out.
  private mutating func checkTimeout(_ context: Context) {
    guard afterTimeout.count < Self.mostListed, !context.opcode.isServers,
      context.opcode.role != .confirmation
    else { return }
    for request in open
    where request.client == context.sender && request.channel == context.channel {
      guard let waited = context.moment.nanoseconds(since: request.moment),
        waited >= Request.timeout, request.packet >= lastMissing,
        !afterTimeout.contains(where: { $0.request == request.packet }),
        // A client that continued before has probably been answered.
        !overlapping.contains(where: {
          $0.before == request.packet && $0.packet < context.moment.packet
        })
      else { continue }
      afterTimeout.append((request.packet, context.moment.packet, context.sender))
    }
  }

  private mutating func ask(_ packet: borrowing Packet, _ context: Context) {
    let fields = packet.dissection.attFields
    var head: UInt32?
    if context.isWhole, let value = fields.value, !value.isEmpty {
      var bits: UInt32 = 0
      for index in 0..<min(Int(value.count), Self.mostHead) {
        bits |= UInt32(packet.bytes.byte(at: Int(value.start) + index)) << UInt32(8 * index)
      }
      head = bits
    }
    lastAsked = Asked(
      moment: context.moment, opcode: context.opcode, handle: fields.handle ?? 0,
      length: context.isWhole ? fields.value.map { Int($0.count) } ?? 0 : nil, head: head)
  }

  /// Returns whether the capture lacks the data that a side sent, so that its answers are missing.
  package func lacks(_ side: Side) -> Bool {
    !parts.contains(side == .local ? .sentData : .receivedData)
  }

  // MARK: The end

  /// Records that an attempt to encrypt, shown by these packets, failed: what was refused meanwhile
  /// was refused on a link that was not encrypted.
  mutating func learnUnencrypted(_ attempt: PacketSet) {
    guard let first = attempt.first, let last = attempt.last else { return }
    for index in refusals.indices
    where refusals[index].security == .unknown && refusals[index].request.packet > first
      && refusals[index].answer.packet < last
    { refusals[index].security = .unencrypted }
  }

  /// Processes the end of the capture.
  ///
  /// - Parameter end: its last time.
  mutating func finish(
    _ connection: Connection, _ memory: borrowing Memory, at end: Timestamp?
  ) {
    parts = memory.coverage.parts(of: connection)
    // A capture without the other direction lacks all answers.
    unanswered.removeAll { !memory.hasHeard($0.direction.reversed) }
    let left = Set(unanswered.map(\.packet))
    for overlap in overlapsOnChannels
    where left.contains(overlap.packet) && left.contains(overlap.before) { note(overlap) }
    vendors.finish(
      at: connection.lastPacket == nil ? end : connection.lastTime,
      isLost: connection.ending == .timeout,
      gap: max(memory.links.gap, connection.mayMissBefore))
    takePrepared()
    for candidate in candidates { resolve(candidate, connection, memory) }
    configurations.sort { $0.request.packet < $1.request.packet }
    for index in configurations.indices where configurations[index].owner == nil {
      resolve(index, connection, memory)
    }
    // Growing by doubling would take as much again as all that is kept.
    usages.reserveCapacity(usages.count + unanswered.count)
    for request in unanswered {
      let asking = Side(sent: request.direction)
      let server = request.opcode.role == .indication ? asking : asking.other
      guard let handle = request.handle, handle != 0, usage(handle, of: server) == nil else {
        continue
      }
      usages.append(AttributeUsage(handle, server, memory.identity(of: handle, server, connection)))
    }
    for index in usages.indices where usages[index].identity.uuid == nil {
      let usage = usages[index]
      usages[index].identity = memory.identity(
        of: usage.handle, usage.identity.server, usage.server, connection: connection.id)
    }
    if !discoveries.isEmpty {
      for side in [Side.peer, .local] {
        guard let server = memory.server(side, connection) else { continue }
        let used = usages.filter { $0.server == side && $0.reads.count + $0.written + $0.sent > 0 }
        let configured = configurations.filter { $0.server == side && $0.accepted != nil }
        faults.findMissing(
          in: server, side, connection.id,
          used: Set(used.map(\.handle) + configured.compactMap(\.descriptor.handle)), memory)
      }
    }
    for index in usages.indices
    where usages[index].sent > 0 && usages[index].identity.kind == .characteristic {
      let usage = usages[index]
      let declaration = memory.server(usage.server, connection)?.attributes.first {
        $0.handle == usage.handle && $0.kind == .characteristic && $0.connection == connection.id
          && $0.packet < usage.firstSent
      }
      usages[index].declaredValue = declaration?.target ?? 0
    }
    nameAttributes()
    missedSubscriptions = findMissedSubscriptions(connection, memory)
    if let handle = lastAsked?.handle, handle != 0,
      memory.attributes.secretTypes.contains(identity(handle, of: .peer)?.uuid)
    {
      lastAsked?.head = nil
    }
    let last = connection.lastPacket ?? .max
    conflicts =
      memory.server(.peer, connection)?.conflicts.filter {
        connection.firstPacket <= $0.packet && $0.packet <= last
      } ?? []
    (open, positions, found, candidates, misdirected) = ([], [:], [], [], [])
    latest = (-1, nil)
  }

  /// Records a write that may have been to a CCCD, now that its attribute is known.
  private mutating func resolve(
    _ candidate: Configuration, _ connection: Connection, _ memory: borrowing Memory
  ) {
    let descriptor = memory.identity(
      of: candidate.descriptor.handle, candidate.descriptor.server, candidate.server,
      connection: connection.id)
    guard descriptor.uuid == .clientConfiguration, configurations.count < Self.mostConfigurations
    else { return }
    var configuration = candidate
    configuration.descriptor = descriptor
    configurations.append(configuration)
    // It was counted as a value before.
    let run = runs.firstIndex {
      $0.kind == .writes && $0.first.packet <= candidate.request.packet
        && candidate.request.packet <= $0.last && $0.writes > 0
    }
    guard let run, candidate.accepted != nil else { return }
    runs[run].writes -= 1
    if runs[run].writes == 0 { runs[run].remove(.written, candidate.descriptor.handle ?? 0) }
    if runs[run].isEmpty { runs.remove(at: run) }
  }

  /// Finds the characteristic of a CCCD that was written before the characteristic was known.
  private mutating func resolve(
    _ index: Int, _ connection: Connection, _ memory: borrowing Memory
  ) {
    let known = configurations[index]
    func identity(_ handle: UInt16?) -> AttributeIdentity {
      memory.identity(of: handle, known.descriptor.server, known.server, connection: connection.id)
    }
    let descriptor = identity(known.descriptor.handle)
    guard let owner = descriptor.owner.map({ identity($0) }) else { return }
    configurations[index].owner = NamedAttribute(owner)
    configurations[index].properties = memory.properties(of: owner)
  }

  // MARK: Asking

  /// Whether an application's value was read, written or sent. The services that every device has
  /// do not count, nor do subscriptions.
  package var hasExchangedValues: Bool {
    usages.contains { usage in
      usage.identity.kind != .descriptor && usage.identity.service?.isShort(0x1800) != true
        && usage.identity.service?.isShort(0x1801) != true
        && usage.reads.count + usage.written + usage.sent > 0
    }
  }

  /// Returns how an attribute was used, or nil if it was not used or there was no room.
  package func usage(_ handle: UInt16, of server: Side) -> AttributeUsage? {
    usages.first { $0.handle == handle && $0.server == server }
  }

  /// Returns what is known of an attribute that was used.
  package func identity(_ handle: UInt16, of server: Side) -> NamedAttribute? {
    usage(handle, of: server)?.named
  }
}

extension Memory {
  /// Returns what is known of the server at one side of a connection.
  func server(_ side: Side, _ connection: Connection) -> Database? {
    let key = attributes.currentKey(Attributes.key(of: side, connection))
    return attributes.servers.first { $0.key == key }
  }

  func identity(of handle: UInt16, _ side: Side, _ connection: Connection) -> AttributeIdentity {
    identity(of: handle, Attributes.key(of: side, connection), side, connection: connection.id)
  }
}
