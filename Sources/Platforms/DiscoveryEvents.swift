import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What the captured host finds out about the attributes of its peers, search by search (Core, Vol 3, Part G,
/// 4.4 to 4.7). Bounded: so many connections, and of a search no more attributes than there are handles.
struct DiscoveryEvents: Sendable {
  /// What is looked for.
  fileprivate enum Kind: UInt8, Sendable { case services, includes, characteristics, descriptors }

  /// A search that goes on from request to request.
  fileprivate struct Search: Sendable {
    var kind: Kind
    var wanted: BluetoothUUID?
    /// Where it began, the last handle that was told, and where it is to end.
    var start: UInt16
    var last: UInt16
    var end: UInt16
    var services: [AppService] = []
    var characteristics: [AppCharacteristic] = []
    var descriptors: [AppDescriptor] = []
    /// As many attributes as one search may tell.
    static let most = 16_384
    /// Its last answer, and what that answers.
    var packet = 0
    var time: Timestamp?
    var request: Int?
    var latency: Int64?

    /// Takes a note of an answer.
    mutating func note(_ record: borrowing CaptureRecord, _ request: Request, _ answer: Answer) {
      (packet, time) = (record.number, record.time)
      (self.request, latency) = (request.packet, answer.latency)
    }
  }

  /// What one client does.
  private struct Client: Sendable {
    var id: Int
    var open: Search?
    /// The search that ended last: many clients ask once more, to be told that there is nothing.
    var done: (kind: Kind, wanted: BluetoothUUID?, last: UInt16, end: UInt16)?
    /// The last answer of the searches that follow each other; nil: none is told of.
    var latest: (packet: Int, time: Timestamp?, peer: DeviceAddress?, adapter: UInt16)?
    /// Why a search for services was refused.
    var error: ATTErrorCode?
    var hasServices = false
    var services: [AppService] = []
  }

  private var clients: [Client] = []
  private static let mostClients = 256
  /// After so long without a search the searches are over.
  private static let silence: Int64 = 1_000_000_000

  // MARK: Packets

  /// Takes a PDU of ATT, of either direction.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory, into events: inout [AppEvent]
  ) {
    guard let link = answer.link, let direction = record.direction,
      let opcode = dissection.att?.opcode
    else { return }
    let id = memory.links.id(link)
    guard id != 0 else { return }
    let fields = dissection.attFields
    if direction == .sent {
      stop(id, opcode, fields, link, memory, &events)
      // Another request of the client's: it has found what it was looking for.
      if opcode.role == .request || opcode.role == .unacknowledged, !opcode.isServers,
        Self.kind(opcode, fields.type) == nil, opcode != .exchangeMTURequest
      {
        conclude(id, &events)
      }
      return
    }
    guard let request = answer.request, let kind = Self.kind(request.opcode, request.type),
      let position = client(id)
    else { return }
    clients[position].latest = (
      record.number, record.time, memory.links.identity(link) ?? memory.links.peer(link),
      record.adapter ?? 0xffff
    )
    if kind == .services { clients[position].hasServices = true }
    if opcode == .errorResponse, let error = fields.error {
      end(position, kind, request, error, link, record, answer, memory, &events)
    } else if let items = fields.items {
      take(position, kind, request, items, bytes, link, record, answer, memory, &events)
    }
  }

  /// Takes the time: searches that were silent long enough are over.
  mutating func pass(_ time: Timestamp?, into events: inout [AppEvent]) {
    guard let time else { return }
    for position in clients.indices {
      // What is open goes on, however long that takes.
      guard clients[position].open == nil, let latest = clients[position].latest?.time,
        time.nanoseconds(since: latest) > Self.silence
      else { continue }
      conclude(clients[position].id, &events)
    }
  }

  /// A connection has ended, or the capture (nil).
  mutating func end(_ id: Int?, into events: inout [AppEvent]) {
    // A search that was cut off has not ended.
    for client in clients where client.open == nil && (id == nil || client.id == id) {
      conclude(client.id, &events)
    }
    clients.removeAll { id == nil || $0.id == id }
  }

  /// Records of a controller, or of all, were lost: whether the searches under way have ended, and what they found
  /// besides, is not known.
  mutating func lose(_ adapter: UInt16?) {
    clients.removeAll { adapter == nil || $0.latest?.adapter == adapter }
  }

  private mutating func client(_ id: Int) -> Int? {
    if let known = clients.lastIndex(where: { $0.id == id }) { return known }
    if clients.count >= Self.mostClients { clients.removeFirst() }
    clients.append(Client(id: id))
    return clients.count - 1
  }

  private static func kind(_ opcode: ATTOpcode, _ type: BluetoothUUID?) -> Kind? {
    switch opcode {
    case .readByGroupTypeRequest, .findByTypeValueRequest:
      type == .primaryService ? .services : nil
    case .readByTypeRequest:
      type == .characteristic ? .characteristics : type == .include ? .includes : nil
    case .findInformationRequest: .descriptors
    default: nil
    }
  }

  /// A client may stop where it has found what it was looking for: then its search ends with the last answer.
  private mutating func stop(
    _ id: Int, _ opcode: ATTOpcode, _ fields: ATTFields, _ link: LinkSlot,
    _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    guard opcode.role == .request, opcode != .exchangeMTURequest,
      let position = clients.lastIndex(where: { $0.id == id }), let open = clients[position].open
    else { return }
    let isSame =
      Self.kind(opcode, fields.type) == open.kind && fields.endHandle == open.end
      && (fields.startHandle ?? 0) >= open.last
    guard !isSame else { return }
    finish(position, open, nil, link, memory, &events)
  }

  /// Tells that the searches are over.
  private mutating func conclude(_ id: Int, _ events: inout [AppEvent]) {
    guard let position = clients.lastIndex(where: { $0.id == id }),
      let latest = clients[position].latest
    else { return }
    clients[position].latest = nil
    guard clients[position].hasServices else { return }
    clients[position].hasServices = false
    var services = clients[position].services
    if let open = clients[position].open { services += open.services }
    clients[position].services = []
    let error = clients[position].error
    clients[position].error = nil
    var event = AppEvent(
      .discoveryEnded(services, error), packet: latest.packet, time: latest.time)
    event.connection = id
    event.adapter = latest.adapter
    event.peer = latest.peer
    events.append(event)
  }

  // MARK: Answers

  /// The search that a request goes on with, or a new one.
  private func search(_ position: Int, _ kind: Kind, _ request: Request) -> Search {
    let start = request.startHandle ?? 1
    let end = request.endHandle ?? .max
    if let open = clients[position].open, open.kind == kind, open.end == end,
      open.wanted == request.service, start >= open.last
    {
      return open
    }
    return Search(kind: kind, wanted: request.service, start: start, last: 0, end: end)
  }

  private mutating func take(
    _ position: Int, _ kind: Kind, _ request: Request, _ items: ATTItems, _ bytes: RawSpan,
    _ link: LinkSlot, _ record: borrowing CaptureRecord, _ answer: Answer,
    _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    var search = search(position, kind, request)
    // It is not copied while attributes are appended.
    clients[position].open = nil
    search.note(record, request, answer)
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle else { continue }
      search.add(handle, item, bytes)
    }
    guard search.last >= search.end || search.last == .max else {
      clients[position].open = search
      return
    }
    finish(position, search, nil, link, memory, &events)
  }

  private mutating func end(
    _ position: Int, _ kind: Kind, _ request: Request, _ error: ATTErrorCode, _ link: LinkSlot,
    _ record: borrowing CaptureRecord, _ answer: Answer, _ memory: borrowing Memory,
    _ events: inout [AppEvent]
  ) {
    let isEnd = error == .attributeNotFound
    if isEnd, clients[position].open == nil, let done = clients[position].done,
      done.kind == kind, done.wanted == request.service, done.end == request.endHandle,
      done.last > 0, (request.startHandle ?? 0) >= done.last
    {
      return
    }
    var search = search(position, kind, request)
    search.note(record, request, answer)
    finish(position, search, isEnd ? nil : error, link, memory, &events)
  }

  // MARK: Telling

  private mutating func finish(
    _ position: Int, _ search: Search, _ error: ATTErrorCode?, _ link: LinkSlot,
    _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    clients[position].open = nil
    clients[position].done = (search.kind, search.wanted, search.last, search.end)
    var told: [AppEvent.What]
    switch search.kind {
    case .services:
      clients[position].services += search.services
      clients[position].error = error
      told = [.services(search.services, wanted: search.wanted, error)]
    case .includes:
      told = [
        .includedServices(search.services, of: memory.service(of: search.start, on: link), error)
      ]
    case .characteristics:
      told = Self.groups(search.characteristics) { memory.service(of: $0.handle, on: link)?.start }
        .map {
          .characteristics($0, of: memory.service(of: $0[0].handle, on: link), error)
        }
      if told.isEmpty {
        told = [.characteristics([], of: memory.service(of: search.start, on: link), error)]
      }
    case .descriptors:
      let found = search.descriptors.filter {
        memory.appAttribute($0.handle, isLocal: false, on: link).isDescriptor
      }
      told = Self.groups(found) { memory.owner(of: $0.handle, on: link) }.map {
        .descriptors($0, of: memory.characteristic(with: $0[0].handle, on: link), error)
      }
      if told.isEmpty {
        told = [.descriptors([], of: memory.characteristic(before: search.start, on: link), error)]
      }
    }
    for what in told {
      var event = AppEvent(what, packet: search.packet, time: search.time)
      event.connection = memory.links.id(link)
      event.adapter = memory.links.connection(link).adapter
      event.peer = memory.links.identity(link) ?? memory.links.peer(link)
      event.request = search.request
      event.latency = search.latency
      events.append(event)
    }
  }

  /// Elements that follow each other and have the same key, together.
  private static func groups<Element>(
    _ all: [Element], _ key: (Element) -> UInt16?
  ) -> [[Element]] {
    var groups: [[Element]] = []
    var latest: UInt16??
    for element in all {
      let own = key(element)
      if let latest, latest == own, !groups.isEmpty {
        groups[groups.count - 1].append(element)
      } else {
        groups.append([element])
      }
      latest = own
    }
    return groups
  }
}

extension DiscoveryEvents.Search {
  /// Takes in an item of a response.
  fileprivate mutating func add(_ handle: UInt16, _ item: ATTItems.Item, _ bytes: RawSpan) {
    guard services.count + characteristics.count + descriptors.count < Self.most else { return }
    switch kind {
    case .services:
      last = max(last, item.endHandle ?? handle)
      var uuid = wanted
      if let slice = item.value {
        var cursor = Cursor(bytes, slice)
        uuid = try? BluetoothUUID(parsing: &cursor, width: Int(slice.count))
      }
      guard let uuid else { return }
      services.append(AppService(uuid: uuid, start: handle, end: item.endHandle ?? handle))
    case .includes:
      last = max(last, handle)
      guard let slice = item.value, let include = IncludeDeclaration(bytes.part(slice)) else {
        return
      }
      // A long UUID is not told here.
      services.append(
        AppService(
          uuid: include.uuid ?? .include, start: include.startHandle, end: include.endHandle))
    case .characteristics:
      guard let slice = item.value,
        let declaration = CharacteristicDeclaration(bytes.part(slice))
      else { return }
      last = max(last, max(handle, declaration.valueHandle))
      characteristics.append(
        AppCharacteristic(
          uuid: declaration.uuid, handle: declaration.valueHandle,
          properties: declaration.properties))
    case .descriptors:
      last = max(last, handle)
      if let type = item.type { descriptors.append(AppDescriptor(uuid: type, handle: handle)) }
    }
  }
}
