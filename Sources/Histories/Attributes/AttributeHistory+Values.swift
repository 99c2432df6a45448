import Bluetooth
import Bytes
import Decoders
import Dissectors
import Meanings
import Sessions

// Records values that are transferred, and their attributes.

extension AttributeHistory {
  // MARK: Attributes

  /// Returns the index of an attribute's usage, or nil if there is no room.
  mutating func use(_ handle: UInt16, _ context: Context, _ memory: borrowing Memory) -> Int? {
    guard handle != 0 else { return nil }
    let key = Self.key(context.server, handle)
    if key == latest.key, let place = latest.place {
      if usages[place].identity.uuid == nil { learn(place, context, memory) }
      return place
    }
    measureLatest()
    if let place = positions[key] {
      latest = (key, place)
      if usages[place].identity.uuid == nil { learn(place, context, memory) }
      return place
    }
    guard usages.count < Self.mostUsages else { return nil }
    positions[key] = usages.count
    latest = (key, usages.count)
    usages.append(AttributeUsage(handle, context.server, identity(handle, context, memory)))
    let place = usages.count - 1
    usages[place].properties = memory.properties(of: usages[place].identity)
    return place
  }

  /// Measures the attribute that was used last, before another one is used.
  private mutating func measureLatest() {
    guard let place = latest.place else { return }
    usageBytes += usages[place].measure()
  }

  /// Returns the key of an attribute in `positions` and `found`.
  static func key(_ server: Side, _ handle: UInt16) -> Int {
    Int(server.rawValue) << 16 | Int(handle)
  }

  /// Looks up the identity of an attribute again.
  private mutating func learn(_ place: Int, _ context: Context, _ memory: borrowing Memory) {
    let identity = identity(usages[place].handle, context, memory)
    guard identity.uuid != nil else { return }
    usages[place].identity = identity
    usages[place].properties = memory.properties(of: identity)
    usages[place].claims = nil
  }

  /// Returns what is known of an attribute.
  func identity(
    _ handle: UInt16, _ context: Context, _ memory: borrowing Memory
  ) -> AttributeIdentity { memory.identity(of: handle, at: context.server, on: context.link) }

  /// Records an operation by a peer that the declaration does not offer.
  mutating func noteUnoffered(
    _ operation: ValueOperation, bit: Int, _ place: Int, _ request: Int, _ length: Int,
    _ context: Context
  ) {
    guard usages[place].identity.via == .discovered, let properties = usages[place].properties,
      !properties.has(bit: bit), usages[place].unoffered.count < 4,
      !usages[place].unoffered.contains(where: { $0.operation == operation })
    else { return }
    usages[place].unoffered.append((operation, request, context.moment.packet, length))
  }

  /// Assigns names from profiles to attributes that have no other name, wherever they are reported.
  /// Called at the end.
  mutating func nameAttributes() {
    for index in usages.indices {
      let usage = usages[index]
      usages[index].profileName =
        usage.vendor.map { vendors.name($0) } ?? vendors.knowledge.name(of: usage.identity)
    }
    for index in refusals.indices {
      refusals[index].attribute.profileName = profileName(refusals[index].attribute.identity)
    }
    for index in longWrites.indices {
      longWrites[index].attribute.profileName = profileName(longWrites[index].attribute.identity)
    }
    for index in configurations.indices {
      let name = configurations[index].owner.flatMap { profileName($0.identity) }
      configurations[index].owner?.profileName = name
    }
  }

  /// Returns the name assigned to the attribute's usage, or its name in profiles if it was unused.
  func profileName(_ attribute: AttributeIdentity) -> String? {
    let key = Self.key(attribute.side, attribute.handle ?? 0)
    guard let place = positions[key] else { return vendors.knowledge.name(of: attribute) }
    return usages[place].profileName
  }

  // MARK: Runs

  /// Adds a value to the current run, or starts a new one.
  mutating func run(
    _ kind: ValueRun.Kind, _ act: ValueRun.Act, _ first: Moment, _ context: Context,
    _ handle: UInt16, _ latency: Int64?, _ change: (inout ValueRun) -> Void
  ) {
    discoverer = nil
    var last = runs.count - 1
    if last < 0 || runs[last].kind != kind || runs[last].server != context.server {
      if runs.count >= Self.mostRuns {
        runs.fold(to: Self.mostRuns / 2)
        latencies = runs.reduce(0) { $0 + $1.latencies.count }
      }
      runs.append(ValueRun(kind, context.server, first))
      last = runs.count - 1
    }
    latencies -= runs[last].latencies.count
    runs[last].note(act, handle, from: first, to: context.moment.packet, latency)
    latencies += runs[last].latencies.count
    change(&runs[last])
  }

  // MARK: Reads

  /// Records a Read Response, or one with a part of a value.
  mutating func read(
    _ request: OpenRequest, _ packet: borrowing Packet, _ context: Context, _ latency: Int64?,
    _ memory: borrowing Memory, isRepeated: Bool
  ) {
    let fields = packet.dissection.attFields
    guard let handle = request.handle, let place = use(handle, context, memory) else { return }
    let length = fields.value.map { Int($0.count) } ?? 0
    usages[place].reading.all.note(context.moment)
    let end = length + Int(request.opcode == .readBlobRequest ? request.offset ?? 0 : 0)
    if end > usages[place].longestRead.length {
      usages[place].reading.longest = (end, context.moment.packet)
    }
    noteUnoffered(.read, bit: 1, place, request.packet, length, context)
    if end > AttributeUse.longest, context.isWhole {
      faults.note(longValue: end, handle, isRead: true, context)
    }
    if let value = fields.value {
      check(packet.bytes.part(value), end - length, request, place, context)
      if usages[place].identity.uuid?.isShort(0x2b2a) == true {
        note(hash: packet.bytes.part(value), context)
      }
      if context.opcode == .readResponse {
        noteCut(packet.bytes.part(value), .read, place, context, memory)
        sight(packet.bytes.part(value), place, .read, context, memory)
      }
    }
    if request.opcode == .readBlobRequest, length > 0 { noteRest(place) }
    // Later parts belong to the read of the first part.
    let key = Self.key(context.server, handle)
    let isPart = request.opcode == .readBlobRequest && request.offset != 0 && reading == key
    reading = key
    if isRepeated { return }
    if isPart {
      guard let last = runs.indices.last, runs[last].kind == .reads,
        runs[last].server == context.server
      else { return }
      runs[last].parts += 1
      runs[last].last = max(runs[last].last, context.moment.packet)
      return
    }
    run(.reads, .read, request.moment, context, handle, latency) { $0.reads += 1 }
  }

  /// Checks a value that was read, or a part of one.
  private mutating func check(
    _ value: RawSpan, _ offset: Int, _ request: OpenRequest, _ place: Int, _ context: Context
  ) {
    faults.note(part: value, at: offset, usages[place].handle, context)
    if usages[place].commands.count > 0 { usages[place].writing.dropped.note(read: value) }
    guard request.opcode == .readRequest else { return }
    if usages[place].identity.kind == .characteristic {
      guard usages[place].identity.via == .discovered else { return }
      faults.note(
        declaration: usages[place].handle, length: value.byteCount, request.packet, context)
    } else if usages[place].reads.count == 1, usages[place].identity.via == .discovered {
      faults.note(
        first: value, of: usages[place], below: ServerFaults.leastPart, context, vendors.knowledge)
    }
  }

  /// Records values that were requested by their type.
  mutating func readByType(
    _ request: OpenRequest, _ packet: borrowing Packet, _ context: Context, _ latency: Int64?,
    _ memory: borrowing Memory
  ) {
    let fields = packet.dissection.attFields
    guard let items = fields.items else { return }
    var cursor = Cursor(packet.bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle, let value = item.value else { break }
      if request.type?.isShort(0x2b2a) == true { note(hash: packet.bytes.part(value), context) }
      if let place = use(handle, context, memory) { usages[place].reading.all.note(context.moment) }
      run(.reads, .read, request.moment, context, handle, latency) { $0.reads += 1 }
    }
  }

  // MARK: Commands

  /// Records a Write Command or a signed one.
  mutating func command(
    _ packet: borrowing Packet, _ context: Context, _ memory: borrowing Memory
  ) {
    let fields = packet.dissection.attFields
    guard let handle = fields.handle, let value = fields.value,
      let place = use(handle, context, memory)
    else { return }
    usages[place].writing.commands.note(context.moment)
    usages[place].writing.first = usages[place].firstWrite ?? context.moment
    noteWritten(Int(value.count), packet.bytes.part(value), place, context.moment, context)
    noteSeries(
      packet.bytes.part(value), place, context.moment, epoch: epoch(of: context.server), context)
    noteCut(packet.bytes.part(value), .written, place, context, memory)
    if outOfSync == context.server { commandsOutOfSync.note(context.moment) }
    if value.count == 2, usages[place].identity.isConfiguration,
      commandedConfigurations.count < Self.mostListed
    {
      commandedConfigurations.append(
        configuration(usages[place].identity, packet.bytes.part(value), context, memory))
    }
    if value.count == 2 { noteCandidate(usages[place].identity, packet.bytes.part(value), context) }
    noteLength(Int(value.count), offset: nil, handle, place, context, memory)
    if sight(packet.bytes.part(value), place, .written, context, memory) { return }
    run(.writes, .commanded, context.moment, context, handle, nil) { $0.commands += 1 }
  }

  /// Records a value that was written.
  mutating func noteWritten(
    _ length: Int, _ value: RawSpan, _ place: Int, _ moment: Moment, _ context: Context
  ) {
    let isCommand = context.opcode.role == .unacknowledged
    if usages[place].noteUnsuitable(length, value, isCommand: isCommand), isCommand {
      droppedLast = (place, moment)
    }
    guard context.channel == nil else { return }
    if length == PieceSeries.length || usages[place].writesPieces {
      usages[place].writing.pieces.note(length, value, moment, after: lastValues.sent)
    }
    lastValues.written = moment.packet
  }

  /// Records a Write Request to a CCCD.
  ///
  /// - Returns: its index, or nil if the attribute is not a CCCD.
  mutating func configure(
    _ descriptor: AttributeIdentity, _ value: RawSpan, _ context: Context,
    _ memory: borrowing Memory
  ) -> Int? {
    guard descriptor.isConfiguration, value.byteCount == 2 else { return nil }
    guard configurations.count < Self.mostConfigurations else {
      omittedConfigurations += 1
      return nil
    }
    discoverer = nil
    configurations.append(configuration(descriptor, value, context, memory))
    return configurations.count - 1
  }

  /// Returns what a client writes to a CCCD.
  private func configuration(
    _ descriptor: AttributeIdentity, _ value: RawSpan, _ context: Context,
    _ memory: borrowing Memory
  ) -> Configuration {
    let owner = descriptor.owner.map { identity($0, context, memory) }
    return Configuration(
      descriptor: descriptor, owner: owner.map { NamedAttribute($0) },
      properties: owner.flatMap { memory.properties(of: $0) }, server: context.server,
      value: value.littleEndianU16(at: 0), request: context.moment)
  }

  /// Records a write to an attribute that is not known to be a CCCD, whose value would be valid for
  /// one. An unknown attribute may turn out to be one when values arrive; a known one may have been
  /// written instead of one.
  mutating func noteCandidate(
    _ attribute: AttributeIdentity, _ value: RawSpan, _ context: Context, accepted: Moment? = nil
  ) {
    guard !attribute.isConfiguration, value.byteCount == 2,
      value.littleEndianU16(at: 0) <= 3
    else { return }
    var write = Configuration(
      descriptor: attribute, owner: nil, properties: nil, server: context.server,
      value: value.littleEndianU16(at: 0), request: context.moment)
    write.accepted = accepted
    if attribute.uuid != nil {
      if write.value != 0, misdirected.count < Self.mostListed { misdirected.append(write) }
    } else if context.opcode == .writeRequest || accepted != nil, candidates.count < Self.mostListed
    {
      candidates.append(write)
    }
  }

  // MARK: Notifications and indications

  /// Records values that a server sends.
  mutating func send(_ packet: borrowing Packet, _ context: Context, _ memory: borrowing Memory) {
    let fields = packet.dissection.attFields
    if let items = fields.items {
      var cursor = Cursor(packet.bytes, items.list)
      while let item = items.next(&cursor) {
        guard let handle = item.handle, let value = item.value else { break }
        send(handle, packet.bytes.part(value), context, memory)
      }
    } else if let handle = fields.handle, let value = fields.value {
      send(handle, packet.bytes.part(value), context, memory)
    }
  }

  private mutating func send(
    _ handle: UInt16, _ value: RawSpan, _ context: Context, _ memory: borrowing Memory
  ) {
    guard let place = use(handle, context, memory) else { return }
    let isIndication = context.opcode == .handleValueIndication
    if isIndication {
      usages[place].sending.indications.note(context.moment)
      // Perhaps Service Changed, whose own attribute may be forgotten by then.
      if value.byteCount == 4, usages[place].identity.uuid ?? .serviceChanged == .serviceChanged {
        searches[context.server].invalidate()
        // Then its subscription shows what it was.
        let isServiceChanged =
          usages[place].identity.uuid != nil
          || configurations.contains {
            $0.owner?.handle == handle && $0.owner?.uuid == .serviceChanged
              && $0.server == context.server
          }
        if isServiceChanged { change(value, context) }
      }
    } else {
      usages[place].sending.notifications.note(context.moment)
      if context.channel == nil {
        if value.byteCount == PieceSeries.length || usages[place].sendsPieces {
          usages[place].sending.pieces.note(
            value.byteCount, value, context.moment, after: lastValues.written)
        }
        lastValues.sent = context.moment.packet
      }
      if value.byteCount > 1 {
        usages[place].sending.counter.note(value.byte(at: 0), context.moment)
      }
    }
    if value.byteCount > AttributeUse.longest {
      faults.note(longValue: value.byteCount, handle, isRead: false, context)
    }
    if usages[place].sent == 1, usages[place].identity.via == .discovered {
      faults.note(
        first: value, of: usages[place], below: ServerFaults.leastPart - 2, context,
        vendors.knowledge)
    }
    noteSent(value, place, context)
    noteCut(value, .sent, place, context, memory)
    if let (other, moment) = droppedLast { noteReaction(to: other, moment, place, context) }
    noteAnswer(value, place, context)
    noteUnoffered(
      isIndication ? .indication : .notification, bit: isIndication ? 5 : 4, place,
      context.moment.packet, value.byteCount, context)
    if sight(value, place, .notified, context, memory) { return }
    run(
      .sent, isIndication ? .indicated : .notified, context.moment, context, handle, nil
    ) {
      if isIndication { $0.indications += 1 } else { $0.notifications += 1 }
    }
  }

  /// A server that reacts to a command does so within this time.
  private static let longestReaction: Int64 = 1_000_000_000

  /// Records that a value was sent after a command to an attribute that cannot be written.
  private mutating func noteReaction(
    to command: Int, _ moment: Moment, _ place: Int, _ context: Context
  ) {
    droppedLast = nil
    guard usages[command].server == usages[place].server,
      usages[command].identity.service == usages[place].identity.service,
      context.moment.nanoseconds(since: moment) ?? .max <= Self.longestReaction
    else { return }
    usages[command].writing.dropped.noteReaction()
  }

  /// Records whether a control point reports that a procedure failed.
  private mutating func noteAnswer(_ value: RawSpan, _ place: Int, _ context: Context) {
    if usages[place].isControlPoint == nil {
      usages[place].isControlPoint = vendors.knowledge.isControlPoint(usages[place].identity)
    }
    guard usages[place].isControlPoint == true, context.isWhole,
      let answer = vendors.knowledge.answer(value, of: usages[place].identity)
    else { return }
    let usage = usages[place]
    let known = failedProcedures.firstIndex {
      $0.handle == usage.handle && $0.server == usage.server && $0.command == answer.command
    }
    if let known {
      failedProcedures[known].succeeded = answer.hasFailed ? nil : context.moment
      if answer.hasFailed { failedProcedures[known].count &+= 1 }
    } else if answer.hasFailed, failedProcedures.count < Self.mostListed {
      let written = [usage.commands.last, usage.writes.last].compactMap { $0?.packet }.max()
      failedProcedures.append(
        FailedProcedure(
          handle: usage.handle, server: usage.server, command: answer.command,
          words: answer.words, request: written, answer: context.moment))
    }
  }

  private static let mostRunsSinceIndication = 8

  mutating func confirm(_ answer: Answer, _ context: Context) {
    // Packets between an indication and its confirmation may have started another run.
    guard answer.request != nil,
      let place = runs.suffix(Self.mostRunsSinceIndication).lastIndex(where: {
        $0.indications > $0.confirmed
      })
    else { return }
    runs[place].confirmed += 1
    runs[place].last = max(runs[place].last, context.moment.packet)
  }

  // MARK: Vendors' protocols

  /// Records a value that may be a vendor's message, or a part of one.
  ///
  /// - Returns: whether it is.
  @discardableResult
  mutating func sight(
    _ value: RawSpan, _ place: Int, _ way: VendorProtocol.Path, _ context: Context,
    _ memory: borrowing Memory
  ) -> Bool {
    guard context.isWhole, value.byteCount > 0, usages[place].identity.kind != .descriptor else {
      return false
    }
    if usages[place].claims == nil {
      let name = memory.peerName(of: context.link)
      usages[place].claims = vendors.knowledge.claims(usages[place].identity, name)
    }
    guard let claims = usages[place].claims, !claims.isEmpty,
      let seen = vendors.record(
        value, of: usages[place].identity.uuid, usages[place].handle, of: usages[place].server,
        claims, way, context.sender, context.moment,
        gap: memory.links.gap(of: context.link))
    else { return false }
    usages[place].vendor = seen.vendor
    run(
      .vendor(seen.vendor), way == .notified ? .notified : .written, context.moment, context,
      usages[place].handle, nil
    ) {
      if seen.isRequest { $0.requests += 1 }
      if seen.isAnswer { $0.answered += 1 }
    }
    return true
  }
}
