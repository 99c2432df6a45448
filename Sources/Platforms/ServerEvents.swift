import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What clients request of the captured host as a server, and its answers. Bounded: by the number
/// of connections, and for queued writes by the size of a value.
struct ServerEvents: Sendable {
  /// A request that waits for its response.
  struct Waiting: Sendable {
    var attribute: AppAttribute?
    /// The attributes of a request that reads several values.
    var several: [AppAttribute] = []
    var request: AppRequest
    var packet: Int
    var time: Timestamp?
    /// The enhanced bearer that it came on; nil: the unenhanced bearer.
    var bearer: ChannelID?
    /// Whether values of a type were requested: the stack determines which attributes they belong
    /// to.
    var isByType = false
    /// The value to write.
    var write: AppWrite?
    /// Its events, held until the response shows whether it comes from the stack or the app: they
    /// are reported with the response, or after a while without one.
    var held: [AppEvent] = []
  }

  /// What Prepare Write Requests have queued on one bearer (Core, Vol 3, Part F, 3.4.6.1).
  struct Queue: Sendable {
    var bearer: ChannelID?
    var parts: [AppWrite] = []
    var bytes = 0
  }

  /// A client and its subscriptions.
  struct Client: Sendable {
    var id: Int
    var peer: DeviceAddress?
    var adapter: AdapterIndex
    /// The waiting requests; several on enhanced bearers.
    var waiting: [Waiting] = []
    var queues: [Queue] = []
    /// The configurations that are not zero.
    var subscriptions: [(attribute: AppAttribute, bits: UInt16)] = []
  }

  private var clients = ConnectionTable<Client>()
  /// The time of the earliest request with held events, or an earlier time.
  private var earliest: Timestamp?
  /// The services that were reported to clients, by their first handles, and by controller.
  private var served: Set<UInt64> = []

  private static let mostClients = 256
  private static let mostSubscriptions = 512
  private static let mostWaiting = 16
  private static let mostParts = 512
  private static let mostQueued = 65_536
  private static let mostServed = 4096
  private static let mostQueues = 16
  private static let mostRead = 256
  /// How long a request's events wait for its response, in nanoseconds: less than lines wait to be
  /// sorted.
  private static let patience: Int64 = 900_000_000

  // MARK: Packets

  /// Processes an ATT PDU.
  mutating func observe(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into events: inout [AppEvent]
  ) {
    guard let link = packet.answer.link, let direction = packet.record.direction,
      let opcode = packet.dissection.att?.opcode
    else { return }
    if direction == .received {
      guard !opcode.isServers, let position = client(link, memory) else { return }
      if opcode == .handleValueConfirmation {
        guard let handle = packet.answer.request?.handle else { return }
        let attribute = memory.appAttribute(handle, at: .local, on: link)
        answer(.confirmed(attribute), position, packet, &events)
      } else {
        ask(opcode, position, packet, link, memory, &events)
      }
    } else if opcode.isServers, let position = client(link, memory) {
      report(opcode, position, packet, link, memory, &events)
    }
  }

  /// Reports requests that are still unanswered after a while: an app was asked.
  mutating func pass(_ time: Timestamp?, into events: inout [AppEvent]) {
    guard let time, let first = earliest, time.nanoseconds(since: first) > Self.patience else {
      return
    }
    earliest = nil
    for position in clients.indices {
      for waiting in clients[position].waiting.indices
      where !clients[position].waiting[waiting].held.isEmpty {
        guard let asked = clients[position].waiting[waiting].time else { continue }
        guard time.nanoseconds(since: asked) > Self.patience else {
          earliest = .earlier(earliest, asked)
          continue
        }
        events += clients[position].waiting[waiting].held
        clients[position].waiting[waiting].held = []
      }
    }
  }

  /// Ends a connection, or all at the end of the capture (nil).
  mutating func end(_ id: Int?, packet: Int, time: Timestamp?, into events: inout [AppEvent]) {
    for ended in id.map({ [$0] }) ?? clients.connections {
      guard let place = clients.place(of: ended) else { continue }
      let client = clients[place]
      clients.remove(ended)
      func add(_ what: AppEvent.What, request: Int? = nil) {
        var event = AppEvent(what, packet: packet, time: time)
        event.connection = client.id
        event.adapter = client.adapter
        event.peer = client.peer
        event.request = request
        events.append(event)
      }
      for waiting in client.waiting {
        events += waiting.held
        // It is unknown which attributes these values belong to.
        if waiting.isByType { continue }
        add(
          .neverResponded(waiting.attribute, waiting.request, linkEnded: id != nil),
          request: waiting.packet)
      }
      guard id != nil else { continue }
      for (attribute, bits) in client.subscriptions {
        add(.subscription(attribute, before: bits, now: 0))
      }
    }
  }

  /// Forgets the waiting requests of a controller, or of all, whose records were lost: it is
  /// unknown whether they were answered.
  mutating func lose(_ adapter: AdapterIndex) {
    for position in clients.indices where adapter.mayBe(clients[position].adapter) {
      clients[position].waiting.removeAll()
    }
  }

  private mutating func client(_ link: LinkSlot, _ memory: borrowing Memory) -> Int? {
    let id = memory.links.id(link)
    guard id != 0 else { return nil }
    if let known = clients.place(of: id) { return known }
    let client = Client(
      id: id, peer: memory.links.identity(link) ?? memory.links.peer(link),
      adapter: memory.links.connection(link).adapter)
    return clients.add(client, of: id, most: Self.mostClients)
  }

  private func add(
    _ what: AppEvent.What, _ position: Int, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    events.append(event(what, position, record))
  }

  /// Adds what answers a request.
  private func answer(
    _ what: AppEvent.What, _ position: Int, _ packet: borrowing Packet, _ events: inout [AppEvent]
  ) {
    var event = event(what, position, packet.record)
    event.request = packet.answer.request?.packet
    event.latency = packet.answer.latency
    events.append(event)
  }

  private func event(
    _ what: AppEvent.What, _ position: Int, _ record: borrowing CaptureRecord
  ) -> AppEvent {
    var event = AppEvent(what, record)
    event.connection = clients[position].id
    event.adapter = clients[position].adapter
    event.peer = clients[position].peer
    return event
  }

  // MARK: What clients ask

  private mutating func ask(
    _ opcode: ATTOpcode, _ position: Int, _ packet: borrowing Packet, _ link: LinkSlot,
    _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    let fields = packet.dissection.attFields
    switch opcode {
    case .readRequest, .readBlobRequest:
      let attribute = memory.appAttribute(fields.handle, at: .local, on: link)
      let held = event(
        .readRequested(attribute, offset: Int(fields.offset ?? 0)), position, packet.record)
      wait(
        attribute, attribute.isDescriptor ? .descriptorRead : .read, position, packet,
        [held], &events)
    case .readMultipleRequest, .readMultipleVariableRequest:
      // Each of the values is read on its own; one response answers all.
      var (held, several): ([AppEvent], [AppAttribute]) = ([], [])
      var handles = Cursor(packet.bytes, fields.handles ?? .empty)
      while let handle = try? handles.u16(), held.count < Self.mostRead {
        let attribute = memory.appAttribute(handle, at: .local, on: link)
        several.append(attribute)
        held.append(event(.readRequested(attribute, offset: 0), position, packet.record))
      }
      wait(nil, .read, position, packet, held, &events)
      clients[position].waiting[clients[position].waiting.count - 1].several = several
    case .readByTypeRequest:
      // Declarations belong to the stack. Only the response shows which values have the type.
      guard let type = fields.type, type != .characteristic, type != .include else { return }
      wait(nil, .read, position, packet, [], &events)
      clients[position].waiting[clients[position].waiting.count - 1].isByType = true
    case .writeRequest, .writeCommand, .signedWriteCommand:
      guard let write = write(packet, link, memory) else { return }
      let way: AppWrite.Kind =
        opcode == .writeRequest ? .request : opcode == .writeCommand ? .command : .signed
      let held = event(.writeRequested([write], way), position, packet.record)
      guard opcode == .writeRequest else {
        events.append(held)
        subscribe(write, position, packet.record, &events)
        return
      }
      wait(
        write.attribute, write.attribute.isDescriptor ? .descriptorWrite : .write, position, packet,
        [held], &events, write)
    case .prepareWriteRequest:
      guard let write = write(packet, link, memory) else { return }
      let held = event(.writePrepared(write), position, packet.record)
      wait(write.attribute, .prepare, position, packet, [held], &events, write)
    case .executeWriteRequest:
      let isWritten = fields.executeFlags == 1
      let place = clients[position].queues.firstIndex { $0.bearer == packet.answer.channel?.bearer }
      let parts = place.map { clients[position].queues.remove(at: $0).parts } ?? []
      let hasParts = isWritten && !parts.isEmpty
      add(.writesExecuted(isWritten), position, packet.record, &events)
      if hasParts { add(.writeRequested(parts, .execute), position, packet.record, &events) }
      wait(nil, hasParts ? .execute : .cancel, position, packet, [], &events)
    default: break
    }
  }

  private mutating func wait(
    _ attribute: AppAttribute?, _ request: AppRequest, _ position: Int, _ packet: borrowing Packet,
    _ held: [AppEvent], _ events: inout [AppEvent], _ write: AppWrite? = nil
  ) {
    if clients[position].waiting.count >= Self.mostWaiting {
      events += clients[position].waiting.removeFirst().held
    }
    if !held.isEmpty, let time = packet.record.time { earliest = .earlier(earliest, time) }
    clients[position].waiting.append(
      Waiting(
        attribute: attribute, request: request, packet: packet.record.number,
        time: packet.record.time, bearer: packet.answer.channel?.bearer, write: write, held: held))
  }

  private func write(
    _ packet: borrowing Packet, _ link: LinkSlot, _ memory: borrowing Memory
  ) -> AppWrite? {
    let fields = packet.dissection.attFields
    guard let handle = fields.handle else { return nil }
    let attribute = memory.appAttribute(handle, at: .local, on: link)
    return AppWrite(
      attribute: attribute, offset: Int(fields.offset ?? 0),
      bytes: fields.value.map { packet.bytes.part($0).array } ?? [],
      isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid))
  }

  /// Updates a client's subscription after a write to a characteristic's configuration.
  mutating func subscribe(
    _ write: AppWrite, _ position: Int, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    guard write.attribute.isConfiguration, write.bytes.count == 2 else { return }
    let bits = (UInt16(write.bytes[0]) | UInt16(write.bytes[1]) << 8) & 3
    let handle = write.attribute.identity.handle
    let known = clients[position].subscriptions.firstIndex {
      $0.attribute.identity.handle == handle
    }
    let before = known.map { clients[position].subscriptions[$0].bits } ?? 0
    if let known { clients[position].subscriptions.remove(at: known) }
    if bits != 0, clients[position].subscriptions.count < Self.mostSubscriptions {
      clients[position].subscriptions.append((write.attribute, bits))
    }
    guard bits != before else { return }
    add(.subscription(write.attribute, before: before, now: bits), position, record, &events)
  }

  // MARK: What the captured host sends

  /// Processes a PDU that this host sends as a server.
  mutating func report(
    _ opcode: ATTOpcode, _ position: Int, _ packet: borrowing Packet, _ link: LinkSlot,
    _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    let fields = packet.dissection.attFields
    switch opcode {
    case .handleValueNotification, .handleValueIndication:
      guard let handle = fields.handle else { return }
      let attribute = memory.appAttribute(handle, at: .local, on: link)
      add(
        .updated(
          attribute, value: fields.value.map { packet.bytes.part($0).array } ?? [],
          isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid),
          isIndication: opcode == .handleValueIndication), position, packet.record, &events)
    case .multipleHandleValueNotification:
      guard let items = fields.items else { return }
      var cursor = Cursor(packet.bytes, items.list)
      while let item = items.next(&cursor) {
        guard let handle = item.handle else { continue }
        let attribute = memory.appAttribute(handle, at: .local, on: link)
        add(
          .updated(
            attribute, value: item.value.map { packet.bytes.part($0).array } ?? [],
            isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid),
            isIndication: false), position, packet.record, &events)
      }
    case .readByGroupTypeResponse:
      guard let items = fields.items else { return }
      serve(items, position, packet, &events)
    default:
      guard let request = packet.answer.request?.packet,
        let found = clients[position].waiting.firstIndex(where: { $0.packet == request })
      else { return }
      let waiting = clients[position].waiting.remove(at: found)
      respond(to: waiting, opcode, position, packet, link, memory, &events)
    }
  }

  /// Reports a request with its answer.
  private mutating func respond(
    to waiting: Waiting, _ opcode: ATTOpcode, _ position: Int, _ packet: borrowing Packet,
    _ link: LinkSlot, _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    let fields = packet.dissection.attFields
    if let error = fields.error, waiting.isByType {
      // That there are no more values is not a refusal.
      guard error != .attributeNotFound else { return }
      answer(.stackRefused(nil, waiting.request, error), position, packet, &events)
      return
    }
    // What was already reported belongs to an app.
    if let error = fields.error, error.isStacks, waiting.attribute != nil, !waiting.held.isEmpty {
      answer(.stackRefused(waiting.attribute, waiting.request, error), position, packet, &events)
      return
    }
    events += waiting.held
    if opcode == .readByTypeResponse, let items = fields.items {
      read(items, waiting, position, packet, link, memory, &events)
      return
    }
    if !waiting.several.isEmpty {
      let refused = memory.appAttribute(fields.handle, at: .local, on: link)
      for attribute in fields.error == nil ? waiting.several : [refused] {
        respond(attribute, fields.error, nil, position, packet, memory, &events)
      }
      return
    }
    let isRead = opcode == .readResponse || opcode == .readBlobResponse
    answer(
      .responded(
        AppAnswer(
          attribute: waiting.attribute, request: waiting.request, error: fields.error,
          value: isRead ? fields.value.map { packet.bytes.part($0).array } : nil,
          isHidden: memory.attributes.secretTypes.contains(waiting.attribute?.identity.uuid))),
      position, packet, &events)
    guard fields.error == nil, let write = waiting.write else { return }
    if waiting.request == .prepare {
      queue(write, position, waiting.bearer)
    } else {
      subscribe(write, position, packet.record, &events)
    }
  }

  /// Reports the answer to a read of one attribute.
  private func respond(
    _ attribute: AppAttribute, _ error: ATTErrorCode?, _ value: [UInt8]?, _ position: Int,
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    answer(
      .responded(
        AppAnswer(
          attribute: attribute, request: .read, error: error, value: value,
          isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid))),
      position, packet, &events)
  }

  /// Reports values that were read by their type: each was requested from its owner.
  private func read(
    _ items: ATTItems, _ waiting: Waiting, _ position: Int, _ packet: borrowing Packet,
    _ link: LinkSlot, _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    var cursor = Cursor(packet.bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle else { continue }
      let attribute = memory.appAttribute(handle, at: .local, on: link)
      var asked = event(.readRequested(attribute, offset: 0), position, packet.record)
      (asked.packet, asked.time) = (waiting.packet, waiting.time)
      events.append(asked)
      let value = item.value.map { packet.bytes.part($0).array }
      respond(attribute, nil, value, position, packet, memory, &events)
    }
  }

  /// Queues a part that the server has accepted.
  private mutating func queue(_ write: AppWrite, _ position: Int, _ bearer: ChannelID?) {
    let place: Int
    if let known = clients[position].queues.firstIndex(where: { $0.bearer == bearer }) {
      place = known
    } else {
      if clients[position].queues.count >= Self.mostQueues {
        clients[position].queues.removeFirst()
      }
      clients[position].queues.append(Queue(bearer: bearer))
      place = clients[position].queues.count - 1
    }
    clients[position].queues[place].bytes += write.bytes.count
    guard clients[position].queues[place].bytes <= Self.mostQueued,
      clients[position].queues[place].parts.count < Self.mostParts
    else { return }
    clients[position].queues[place].parts.append(write)
  }

  private mutating func serve(
    _ items: ATTItems, _ position: Int, _ packet: borrowing Packet, _ events: inout [AppEvent]
  ) {
    var cursor = Cursor(packet.bytes, items.list)
    while let item = items.next(&cursor) {
      guard let start = item.handle, let end = item.endHandle, let slice = item.value else {
        continue
      }
      let value = packet.bytes.part(slice)
      var uuids = Cursor(value)
      let key = UInt64(packet.record.adapter.value) << 32 | UInt64(start) << 16 | UInt64(end)
      guard let uuid = try? BluetoothUUID(parsing: &uuids, width: value.byteCount),
        served.count < Self.mostServed, served.insert(key).inserted
      else { continue }
      add(
        .serviceServed(AppService(uuid: uuid, start: start, end: end)), position, packet.record,
        &events)
    }
  }
}

extension ATTErrorCode {
  /// Whether a server's stack refuses with it on its own: the handle is unknown, or the
  /// requirements of the attribute's permissions are not met (Core, Vol 3, Part F, 3.4.1.1; Part C,
  /// 10.3). An app may answer with any error, but is only asked if the permissions allow the
  /// access.
  fileprivate var isStacks: Bool {
    switch rawValue {
    // Invalid Handle, Read/Write Not Permitted, Invalid PDU, Insufficient Authentication, Request
    // Not Supported, Encryption Key Size Too Short, Insufficient Encryption.
    case 0x01...0x06, 0x0c, 0x0f: true
    default: false
    }
  }

  /// Whether it means that the attribute's permissions do not allow the request, or not on this
  /// link (same sources).
  var isOfPermissions: Bool {
    switch rawValue {
    // Read/Write Not Permitted, Insufficient Authentication, Encryption Key Size Too Short,
    // Insufficient Encryption.
    case 0x02, 0x03, 0x05, 0x0c, 0x0f: true
    default: false
    }
  }
}
