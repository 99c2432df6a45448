import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What the captured host discovers of the attributes of its peers, search by search (Core, Vol 3,
/// Part G, 4.4 to 4.7). Bounded: by the number of connections, and for one search by the number of
/// handles.
struct DiscoveryEvents: Sendable {
  /// The searches on one ATT bearer, which has its own requests.
  private struct Lane: Sendable {
    /// The enhanced bearer's channel; nil: the unenhanced bearer.
    var bearer: ChannelID?
    var open: DiscoverySearch?
    /// Whether the last request of a search has no answer yet.
    var isAsked = false
    /// The search that ended last: many clients send another request, to learn that there is
    /// nothing more.
    var done: (kind: DiscoverySearch.Kind, wanted: BluetoothUUID?, last: UInt16, end: UInt16)?
  }

  /// The searches of one client.
  private struct Client: Sendable {
    var lanes: [Lane] = []
    /// The last answer of the consecutive searches; nil: there is none to report.
    var latest: (packet: Int, time: Timestamp?, peer: DeviceAddress?, adapter: AdapterIndex)?
    /// Why a search for services was refused.
    var error: ATTErrorCode?
    var hasServices = false
    /// Whether a search for services was reported as begun.
    var hasBegun = false
    var services: [AppService] = []
    /// The handles in which descriptors were searched for, whether found or not: a client that
    /// searches there again has another reason.
    var described: [ClosedRange<UInt16>] = []
    /// The first handles of included services whose 128-bit UUIDs their includes do not contain:
    /// the stack reads them on its own (Core, Vol 3, Part G, 4.5.1).
    var openIncludes: [UInt16] = []
    static let mostDescribed = 1024
    static let mostOpenIncludes = 256
    static let mostLanes = 16

    var isSearching: Bool { lanes.contains { $0.open != nil } || isAsked }
    var isAsked: Bool { lanes.contains(where: \.isAsked) }

    /// Returns the lane of a bearer, and adds it if it is new.
    mutating func lane(_ bearer: ChannelID?) -> Int {
      if let known = lanes.firstIndex(where: { $0.bearer == bearer }) { return known }
      if lanes.count >= Self.mostLanes { lanes.removeFirst() }
      lanes.append(Lane(bearer: bearer))
      return lanes.count - 1
    }

    /// Returns whether a request reads what an include does not contain.
    func readsInclude(_ opcode: ATTOpcode, _ handle: UInt16?) -> Bool {
      opcode == .readRequest && handle.map { openIncludes.contains($0) } ?? false
    }

    /// Records a search for descriptors.
    mutating func describe(_ start: UInt16, _ last: UInt16) {
      guard !isDescribed(start) else { return }
      if described.count >= Self.mostDescribed { described.removeFirst() }
      described.append(start...last)
    }

    /// Returns whether descriptors were searched for from a handle on.
    func isDescribed(_ start: UInt16) -> Bool { described.contains { $0.contains(start) } }
  }

  /// The client and the bearer of a search.
  private struct Place {
    var client: Int
    var lane: Int
  }

  private var clients = ConnectionTable<Client>()
  /// The time of the earliest last answer after which nothing is searched for, or an earlier time.
  private var earliest: Timestamp?
  private static let mostClients = 256
  /// The time without a search after which the searches are over, in nanoseconds.
  private static let silence: Int64 = 1_000_000_000

  // MARK: Packets

  /// Processes an ATT PDU of either direction.
  mutating func observe(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into events: inout [AppEvent]
  ) {
    guard let link = packet.answer.link, let direction = packet.record.direction,
      let opcode = packet.dissection.att?.opcode
    else { return }
    let id = memory.links.id(link)
    guard id != 0 else { return }
    observe(id, link, direction, opcode, packet, memory, &events)
    if let position = clients.place(of: id) { noteLatest(position) }
  }

  /// Records that the searches of a client may be over.
  private mutating func noteLatest(_ position: Int) {
    guard let latest = clients[position].latest?.time, !clients[position].isSearching else {
      return
    }
    earliest = .earlier(earliest, latest)
  }

  private mutating func observe(
    _ id: Int, _ link: LinkSlot, _ direction: Direction, _ opcode: ATTOpcode,
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    let fields = packet.dissection.attFields
    if direction == .sent {
      stop(id, opcode, packet, link, memory, &events)
      // Another request of the client shows that it has found what it searched for. The same
      // applies if it searches for known descriptors: it wants to subscribe.
      if let position = clients.place(of: id), !clients[position].isAsked {
        let isSearch =
          opcode == .exchangeMTURequest || Self.isStacks(opcode)
          || clients[position].readsInclude(opcode, fields.handle)
        let looksAgain =
          opcode == .findInformationRequest
          && clients[position].isDescribed(fields.startHandle ?? 0)
        if opcode.role == .request || opcode.role == .unacknowledged, !opcode.isServers,
          !isSearch || looksAgain
        {
          conclude(id, &events)
        }
      }
      begin(id, opcode, packet, link, memory, &events)
      return
    }
    guard let request = packet.answer.request else { return }
    if let known = clients.place(of: id),
      clients[known].readsInclude(request.opcode, request.handle)
    {
      if clients[known].latest != nil {
        clients[known].latest?.packet = packet.record.number
        clients[known].latest?.time = packet.record.time
      }
      return
    }
    guard let kind = Self.kind(request.opcode, request.type) else { return }
    let position = client(id)
    let isAgain =
      kind == .descriptors && clients[position].isDescribed(request.startHandle ?? 0)
    // What a client searches for again to subscribe is not part of its discovery.
    if !isAgain {
      clients[position].latest = (
        packet.record.number, packet.record.time,
        memory.links.identity(link) ?? memory.links.peer(link),
        packet.record.adapter
      )
    }
    if kind == .services { clients[position].hasServices = true }
    let place = Place(client: position, lane: clients[position].lane(packet.answer.channel?.bearer))
    clients[position].lanes[place.lane].isAsked = false
    if opcode == .errorResponse, let error = fields.error {
      end(place, kind, request, error, link, packet, memory, &events)
    } else if let items = fields.items {
      add(place, kind, request, items, packet, link, memory, &events)
    }
  }

  /// Ends searches that have been silent long enough at this time.
  mutating func pass(_ time: Timestamp?, into events: inout [AppEvent]) {
    guard let time, let first = earliest, time.nanoseconds(since: first) > Self.silence else {
      return
    }
    earliest = nil
    for id in clients.connections {
      // An open search continues, however long that takes.
      guard let position = clients.place(of: id), !clients[position].isSearching,
        let latest = clients[position].latest?.time
      else { continue }
      if time.nanoseconds(since: latest) > Self.silence {
        conclude(id, &events)
      } else {
        noteLatest(position)
      }
    }
  }

  /// Ends the searches of a connection that has ended, or of all at the end of the capture (nil).
  mutating func end(_ id: Int?, into events: inout [AppEvent]) {
    // A search that was cut off has not ended.
    for ended in id.map({ [$0] }) ?? clients.connections {
      guard let position = clients.place(of: ended) else { continue }
      if !clients[position].isSearching { conclude(ended, &events) }
      clients.remove(ended)
    }
  }

  /// Ends the searches when a client begins pairing, which it does after it has found what it
  /// searched for.
  mutating func interrupt(_ id: Int, into events: inout [AppEvent]) {
    guard let position = clients.place(of: id), !clients[position].isSearching else { return }
    conclude(id, &events)
  }

  /// Forgets the searches of a controller, or of all, whose records were lost: it is unknown
  /// whether they have ended, and what else they found.
  mutating func lose(_ adapter: AdapterIndex) {
    for id in clients.connections {
      guard let position = clients.place(of: id),
        adapter.mayBe(clients[position].latest?.adapter)
      else { continue }
      clients.remove(id)
    }
  }

  private mutating func client(_ id: Int) -> Int {
    clients.place(of: id) ?? clients.add(Client(), of: id, most: Self.mostClients)
  }

  /// Returns whether apps have no call that sends a request: searches, and reads by type, with
  /// which a stack reads the name and the like between its searches.
  private static func isStacks(_ opcode: ATTOpcode) -> Bool {
    switch opcode {
    case .readByGroupTypeRequest, .findByTypeValueRequest, .readByTypeRequest,
      .findInformationRequest:
      true
    default: false
    }
  }

  private static func kind(_ opcode: ATTOpcode, _ type: BluetoothUUID?) -> DiscoverySearch.Kind? {
    switch opcode {
    case .readByGroupTypeRequest, .findByTypeValueRequest:
      type == .primaryService ? .services : nil
    case .readByTypeRequest:
      type == .characteristic ? .characteristics : type == .include ? .includes : nil
    case .findInformationRequest: .descriptors
    default: nil
    }
  }

  /// Ends a search with its last answer if the client stops after finding what it searched for.
  private mutating func stop(
    _ id: Int, _ opcode: ATTOpcode, _ packet: borrowing Packet, _ link: LinkSlot,
    _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    let fields = packet.dissection.attFields
    let bearer = packet.answer.channel?.bearer
    guard opcode.role == .request, opcode != .exchangeMTURequest,
      opcode != .readByTypeRequest || Self.kind(opcode, fields.type) != nil,
      let position = clients.place(of: id),
      let lane = clients[position].lanes.firstIndex(where: { $0.bearer == bearer }),
      let open = clients[position].lanes[lane].open,
      !clients[position].readsInclude(opcode, fields.handle)
    else { return }
    let isSame =
      Self.kind(opcode, fields.type) == open.kind && fields.endHandle == open.end
      && (fields.startHandle ?? 0) >= open.last
    guard !isSame else { return }
    finish(Place(client: position, lane: lane), open, nil, link, memory, &events)
  }

  /// Reports a request that begins a search.
  private mutating func begin(
    _ id: Int, _ opcode: ATTOpcode, _ packet: borrowing Packet, _ link: LinkSlot,
    _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    let fields = packet.dissection.attFields
    guard let kind = Self.kind(opcode, fields.type) else { return }
    let position = client(id)
    let start = fields.startHandle ?? 1
    let place = clients[position].lane(packet.answer.channel?.bearer)
    clients[position].lanes[place].isAsked = true
    let lane = clients[position].lanes[place]
    if let open = lane.open, open.kind == kind, open.end == fields.endHandle, start >= open.last {
      return
    }
    var wanted: BluetoothUUID?
    if opcode == .findByTypeValueRequest, let value = fields.value,
      case .service(let uuid) = DeclaredAttribute(packet.bytes.part(value), fields.type)
    {
      wanted = uuid
    }
    if let done = lane.done, done.kind == kind, done.wanted == wanted,
      done.end == fields.endHandle, done.last > 0, start >= done.last
    {
      return
    }
    let call: AppCall
    switch kind {
    case .services:
      call = .discoverServices(wanted, isNew: !clients[position].hasBegun)
      clients[position].hasBegun = true
    case .includes: call = .discoverIncludedServices(memory.service(of: start, on: link))
    case .characteristics: call = .discoverCharacteristics(memory.service(of: start, on: link))
    case .descriptors:
      call = .discoverDescriptors(
        memory.characteristic(before: start, on: link),
        again: clients[position].isDescribed(start))
    }
    var event = AppEvent(.asked(call), packet.record)
    event.connection = id
    event.adapter = memory.links.connection(link).adapter
    event.peer = memory.links.identity(link) ?? memory.links.peer(link)
    events.append(event)
  }

  /// Reports that the searches are over.
  private mutating func conclude(_ id: Int, _ events: inout [AppEvent]) {
    guard let position = clients.place(of: id),
      let latest = clients[position].latest
    else { return }
    clients[position].latest = nil
    clients[position].hasBegun = false
    guard clients[position].hasServices else { return }
    clients[position].hasServices = false
    var services = clients[position].services
    for lane in clients[position].lanes { services += lane.open?.services ?? [] }
    clients[position].services = []
    // A search for one service, and then for all, finds it twice: apps get services in the order of
    // their handles, each once.
    services.sort { ($0.start, $0.end) < ($1.start, $1.end) }
    var seen: Set<UInt32> = []
    services.removeAll { !seen.insert(UInt32($0.start) << 16 | UInt32($0.end)).inserted }
    let error = clients[position].error
    clients[position].error = nil
    var event = AppEvent(.discoveryEnded(services, error), packet: latest.packet, time: latest.time)
    event.connection = id
    event.adapter = latest.adapter
    event.peer = latest.peer
    events.append(event)
  }

  // MARK: Answers

  /// Returns the search that a request continues, or a new one.
  private func search(_ place: Place, _ kind: DiscoverySearch.Kind, _ request: Request)
    -> DiscoverySearch
  {
    let start = request.startHandle ?? 1
    let end = request.endHandle ?? .max
    if let open = clients[place.client].lanes[place.lane].open, open.kind == kind, open.end == end,
      open.wanted == request.service, start >= open.last
    {
      return open
    }
    return DiscoverySearch(kind, request.service, start: start, end: end)
  }

  private mutating func add(
    _ place: Place, _ kind: DiscoverySearch.Kind, _ request: Request, _ items: ATTItems,
    _ packet: borrowing Packet, _ link: LinkSlot, _ memory: borrowing Memory,
    _ events: inout [AppEvent]
  ) {
    var search = search(place, kind, request)
    // Removed, so that it is not copied while attributes are appended.
    clients[place.client].lanes[place.lane].open = nil
    search.note(packet, request)
    var cursor = Cursor(packet.bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle else { continue }
      search.add(handle, item, packet.bytes)
    }
    if kind == .includes {
      for service in search.services where service.uuid == .include {
        guard clients[place.client].openIncludes.count < Client.mostOpenIncludes,
          !clients[place.client].openIncludes.contains(service.start)
        else { continue }
        clients[place.client].openIncludes.append(service.start)
      }
    }
    guard search.last >= search.end || search.last == .max else {
      clients[place.client].lanes[place.lane].open = search
      return
    }
    finish(place, search, nil, link, memory, &events)
  }

  private mutating func end(
    _ place: Place, _ kind: DiscoverySearch.Kind, _ request: Request, _ error: ATTErrorCode,
    _ link: LinkSlot, _ packet: borrowing Packet, _ memory: borrowing Memory,
    _ events: inout [AppEvent]
  ) {
    let isEnd = error == .attributeNotFound
    let lane = clients[place.client].lanes[place.lane]
    if isEnd, lane.open == nil, let done = lane.done,
      done.kind == kind, done.wanted == request.service, done.end == request.endHandle,
      done.last > 0, (request.startHandle ?? 0) >= done.last
    {
      return
    }
    var search = search(place, kind, request)
    search.note(packet, request)
    finish(place, search, isEnd ? nil : error, link, memory, &events)
  }

  // MARK: Telling

  private mutating func finish(
    _ place: Place, _ search: DiscoverySearch, _ error: ATTErrorCode?, _ link: LinkSlot,
    _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    let position = place.client
    clients[position].lanes[place.lane].open = nil
    clients[position].lanes[place.lane].done = (
      search.kind, search.wanted, search.last, search.end
    )
    var contents: [AppEvent.What]
    switch search.kind {
    case .services:
      clients[position].services += search.services
      clients[position].error = error
      contents = [.services(search.services, wanted: search.wanted, error)]
    case .includes:
      // A 128-bit UUID may have been read since.
      let included = search.services.map { service in
        guard service.uuid == .include,
          let known = memory.service(of: service.start, on: link), known.start == service.start
        else { return service }
        return known
      }
      contents = [
        .includedServices(included, of: memory.service(of: search.start, on: link), error)
      ]
    case .characteristics:
      contents = Self.groups(search.characteristics) {
        memory.service(of: $0.handle, on: link)?.start
      }
      .map {
        .characteristics($0, of: memory.service(of: $0[0].handle, on: link), error)
      }
      if contents.isEmpty {
        contents = [.characteristics([], of: memory.service(of: search.start, on: link), error)]
      }
    case .descriptors:
      let found = search.descriptors.filter {
        memory.appAttribute($0.handle, at: .peer, on: link).isDescriptor
      }
      let isAgain = clients[position].isDescribed(search.start)
      if error == nil { clients[position].describe(search.start, max(search.last, search.start)) }
      contents = Self.groups(found) { memory.owner(of: $0.handle, on: link) }.map {
        .descriptors(
          $0, of: memory.characteristic(with: $0[0].handle, on: link), error, again: isAgain)
      }
      if contents.isEmpty {
        contents = [
          .descriptors(
            [], of: memory.characteristic(before: search.start, on: link), error, again: isAgain)
        ]
      }
    }
    for what in contents {
      var event = AppEvent(what, packet: search.packet, time: search.time)
      event.connection = memory.links.id(link)
      event.adapter = memory.links.connection(link).adapter
      event.peer = memory.links.identity(link) ?? memory.links.peer(link)
      event.request = search.request
      event.latency = search.latency
      events.append(event)
    }
  }

  /// Returns consecutive elements with the same key as groups.
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
