import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What is asked of the captured host as a server, and what it answers. Bounded: so many connections, and of
/// queued writes no more than a value has bytes.
struct ServerEvents: Sendable {
  /// A request that waits for its response.
  private struct Waiting: Sendable {
    var attribute: AppAttribute?
    var request: AppRequest
    var packet: Int
    /// What is to be written.
    var write: AppWrite?
  }

  /// A client and what it has subscribed to.
  private struct Client: Sendable {
    var id: Int
    var peer: DeviceAddress?
    var adapter: UInt16
    /// Those that wait; several on enhanced bearers.
    var waiting: [Waiting] = []
    /// What Prepare Write Requests have queued.
    var queue: [AppWrite] = []
    var queuedBytes = 0
    /// The configurations that are not zero.
    var subscriptions: [(attribute: AppAttribute, bits: UInt16)] = []
  }

  private var clients: [Client] = []
  /// The services that clients were told of, by their first handles, and on which controller.
  private var served: Set<UInt64> = []

  private static let mostClients = 256
  private static let mostSubscriptions = 512
  private static let mostWaiting = 16
  private static let mostParts = 512
  private static let mostQueued = 65_536
  private static let mostServed = 4096

  // MARK: Packets

  /// Takes a PDU of ATT.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory, into events: inout [AppEvent]
  ) {
    guard let link = answer.link, let direction = record.direction,
      let opcode = dissection.att?.opcode
    else { return }
    let fields = dissection.attFields
    if direction == .received {
      guard !opcode.isServers, let position = client(link, memory) else { return }
      if opcode == .handleValueConfirmation {
        guard let handle = answer.request?.handle else { return }
        let attribute = memory.appAttribute(handle, isLocal: true, on: link)
        add(.confirmed(attribute), position, record, answer, &events)
      } else {
        ask(opcode, fields, position, bytes, link, record, memory, &events)
      }
    } else if opcode.isServers, let position = client(link, memory) {
      tell(opcode, fields, position, bytes, link, record, answer, memory, &events)
    }
  }

  /// A connection has ended, or the capture (nil).
  mutating func end(
    _ id: Int?, packet: Int, time: Timestamp?, into events: inout [AppEvent]
  ) {
    for client in clients where id == nil || client.id == id {
      func add(_ what: AppEvent.What, request: Int? = nil) {
        var event = AppEvent(what, packet: packet, time: time)
        event.connection = client.id
        event.adapter = client.adapter
        event.peer = client.peer
        event.request = request
        events.append(event)
      }
      for waiting in client.waiting {
        add(
          .neverResponded(waiting.attribute, waiting.request, linkEnded: id != nil),
          request: waiting.packet)
      }
      guard id != nil else { continue }
      for (attribute, bits) in client.subscriptions {
        add(.subscription(attribute, before: bits, now: 0))
      }
    }
    clients.removeAll { id == nil || $0.id == id }
  }

  /// Records of a controller, or of all, were lost: whether what waits was answered is not known.
  mutating func lose(_ adapter: UInt16?) {
    for position in clients.indices where adapter == nil || clients[position].adapter == adapter {
      clients[position].waiting.removeAll()
    }
  }

  private mutating func client(_ link: LinkSlot, _ memory: borrowing Memory) -> Int? {
    let id = memory.links.id(link)
    guard id != 0 else { return nil }
    if let known = clients.lastIndex(where: { $0.id == id }) { return known }
    if clients.count >= Self.mostClients { clients.removeFirst() }
    clients.append(
      Client(
        id: id, peer: memory.links.identity(link) ?? memory.links.peer(link),
        adapter: memory.links.connection(link).adapter))
    return clients.count - 1
  }

  private func add(
    _ what: AppEvent.What, _ position: Int, _ record: borrowing CaptureRecord, _ answer: Answer?,
    _ events: inout [AppEvent]
  ) {
    var event = AppEvent(what, record)
    event.connection = clients[position].id
    event.adapter = clients[position].adapter
    event.peer = clients[position].peer
    event.request = answer?.request?.packet
    event.latency = answer?.latency
    events.append(event)
  }

  // MARK: What clients ask

  private mutating func ask(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ position: Int, _ bytes: RawSpan, _ link: LinkSlot,
    _ record: borrowing CaptureRecord, _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    switch opcode {
    case .readRequest, .readBlobRequest:
      let attribute = memory.appAttribute(fields.handle, isLocal: true, on: link)
      wait(
        attribute, attribute.isDescriptor ? .descriptorRead : .read, position, record.number)
      add(
        .readRequested(attribute, offset: Int(fields.offset ?? 0)), position, record, nil, &events)
    case .writeRequest, .writeCommand, .signedWriteCommand:
      guard let write = write(fields, bytes, link, memory) else { return }
      if opcode == .writeRequest {
        let isDescriptor = write.attribute.isDescriptor
        wait(
          write.attribute, isDescriptor ? .descriptorWrite : .write, position, record.number, write)
      }
      let way: AppWrite.Way =
        opcode == .writeRequest ? .request : opcode == .writeCommand ? .command : .signed
      add(.writeRequested([write], way), position, record, nil, &events)
      if opcode != .writeRequest { subscribe(write, position, record, &events) }
    case .prepareWriteRequest:
      guard let write = write(fields, bytes, link, memory) else { return }
      wait(write.attribute, .prepare, position, record.number, write)
      add(.writePrepared(write), position, record, nil, &events)
    case .executeWriteRequest:
      let isWritten = fields.executeFlags == 1
      let hasParts = isWritten && !clients[position].queue.isEmpty
      wait(nil, hasParts ? .execute : .cancel, position, record.number)
      add(.writesExecuted(isWritten), position, record, nil, &events)
      if isWritten, !clients[position].queue.isEmpty {
        add(.writeRequested(clients[position].queue, .execute), position, record, nil, &events)
      }
      clients[position].queue.removeAll()
      clients[position].queuedBytes = 0
    default: break
    }
  }

  private mutating func wait(
    _ attribute: AppAttribute?, _ request: AppRequest, _ position: Int, _ packet: Int,
    _ write: AppWrite? = nil
  ) {
    if clients[position].waiting.count >= Self.mostWaiting {
      clients[position].waiting.removeFirst()
    }
    clients[position].waiting.append(
      Waiting(attribute: attribute, request: request, packet: packet, write: write))
  }

  private func write(
    _ fields: ATTFields, _ bytes: RawSpan, _ link: LinkSlot, _ memory: borrowing Memory
  ) -> AppWrite? {
    guard let handle = fields.handle else { return nil }
    let attribute = memory.appAttribute(handle, isLocal: true, on: link)
    return AppWrite(
      attribute: attribute, offset: Int(fields.offset ?? 0),
      bytes: fields.value.map { bytes.part($0).array } ?? [],
      isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid))
  }

  /// A write to a characteristic's configuration changes what a client subscribes to.
  private mutating func subscribe(
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
    add(.subscription(write.attribute, before: before, now: bits), position, record, nil, &events)
  }

  // MARK: What this host tells

  private mutating func tell(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ position: Int, _ bytes: RawSpan, _ link: LinkSlot,
    _ record: borrowing CaptureRecord, _ answer: Answer, _ memory: borrowing Memory,
    _ events: inout [AppEvent]
  ) {
    switch opcode {
    case .handleValueNotification, .handleValueIndication:
      guard let handle = fields.handle else { return }
      let attribute = memory.appAttribute(handle, isLocal: true, on: link)
      add(
        .updated(
          attribute, value: fields.value.map { bytes.part($0).array } ?? [],
          isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid),
          isIndication: opcode == .handleValueIndication), position, record, nil, &events)
    case .readByGroupTypeResponse:
      guard let items = fields.items else { return }
      serve(items, bytes, position, record, &events)
    default:
      guard let packet = answer.request?.packet,
        let found = clients[position].waiting.firstIndex(where: { $0.packet == packet })
      else { return }
      let waiting = clients[position].waiting.remove(at: found)
      add(
        .responded(waiting.attribute, waiting.request, fields.error), position, record, answer,
        &events)
      guard fields.error == nil, let write = waiting.write else { return }
      if waiting.request == .prepare {
        queue(write, position)
      } else {
        subscribe(write, position, record, &events)
      }
    }
  }

  /// Keeps a part that the server has taken.
  private mutating func queue(_ write: AppWrite, _ position: Int) {
    clients[position].queuedBytes += write.bytes.count
    guard clients[position].queuedBytes <= Self.mostQueued,
      clients[position].queue.count < Self.mostParts
    else { return }
    clients[position].queue.append(write)
  }

  private mutating func serve(
    _ items: ATTItems, _ bytes: RawSpan, _ position: Int, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      guard let start = item.handle, let end = item.endHandle, let slice = item.value else {
        continue
      }
      let value = bytes.part(slice)
      var uuids = Cursor(value)
      let key = UInt64(record.adapter ?? 0xffff) << 32 | UInt64(start) << 16 | UInt64(end)
      guard let uuid = try? BluetoothUUID(parsing: &uuids, width: value.byteCount),
        served.count < Self.mostServed, served.insert(key).inserted
      else { continue }
      add(
        .serviceServed(AppService(uuid: uuid, start: start, end: end)), position, record, nil,
        &events)
    }
  }
}
