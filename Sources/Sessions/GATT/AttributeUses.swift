// How attributes were used: what `map` shows beyond the results of discovery.

import Bluetooth
import Bytes
package import Captures
package import Dissectors

/// How the attributes of all servers were used. A report that needs this feeds it every packet.
/// Bounded in the same way as `Attributes`.
package struct AttributeUses: Sendable {
  private struct Server: Sendable {
    let key: UInt64
    /// In ascending order of their handles.
    var uses: [AttributeUse] = []

    func position(_ handle: UInt16) -> Int {
      var (low, high) = (0, uses.count)
      while low < high {
        let middle = (low + high) / 2
        if uses[middle].handle < handle { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private var servers: [Server] = []
  private var latest = 0
  /// Whether the devices of a connection authenticated each other when they paired, for recent
  /// connections.
  private var authenticated: [Int: Bool] = [:]
  private let limits: Limits
  private var procedures: Procedures
  /// The connection of the latest packet, how often its identifying properties had changed, and the
  /// keys of its servers. To copy the connection for each packet would cost more.
  private var known: (connection: Int, changes: Int, peer: UInt64, local: UInt64)?

  package init(_ limits: Limits = Limits()) {
    self.limits = limits
    procedures = Procedures(limits)
  }

  /// Returns the uses of a server's attributes, in ascending order of their handles. What was done
  /// while its identity was unknown counts, too.
  package func uses(of key: UInt64, _ attributes: Attributes) -> [AttributeUse] {
    let known = servers.indices.filter { attributes.currentKey(servers[$0].key) == key }
    guard known.count > 1 else { return known.first.map { servers[$0].uses } ?? [] }
    var all: [UInt16: AttributeUse] = [:]
    for server in known {
      for use in servers[server].uses {
        if all[use.handle]?.absorb(use) == nil { all[use.handle] = use }
      }
    }
    return all.values.sorted { $0.handle < $1.handle }
  }

  /// Returns the keys of the servers whose attributes were used.
  package func keys(_ attributes: Attributes) -> [UInt64] {
    servers.filter { !$0.uses.isEmpty }.map { attributes.currentKey($0.key) }
  }

  private mutating func key(
    of side: Side, _ link: LinkSlot, _ id: Int, _ memory: borrowing Memory
  ) -> UInt64 {
    let changes = memory.links.changes(link)
    // A link that is no connection has no number by which to know it again.
    if id > 0, let known, known.connection == id, known.changes == changes {
      return side == .local ? known.local : known.peer
    }
    let connection = memory.links.connection(link)
    let (peer, local) = (
      Attributes.key(of: .peer, connection), Attributes.key(of: .local, connection)
    )
    known = (id, changes, peer, local)
    return side == .local ? local : peer
  }

  private mutating func server(_ key: UInt64) -> Int? {
    if latest < servers.count, servers[latest].key == key { return latest }
    if let known = servers.firstIndex(where: { $0.key == key }) {
      latest = known
    } else if servers.count < max(1, limits.servers) {
      latest = servers.count
      servers.append(Server(key: key))
    } else {
      return nil
    }
    return latest
  }

  /// Returns the position of the use of one attribute, after adding it if it is new; nil if there
  /// is no room.
  private mutating func use(_ handle: UInt16, _ server: Int, packet: Int) -> Int? {
    guard handle != 0 else { return nil }
    let position = servers[server].position(handle)
    if position == servers[server].uses.count || servers[server].uses[position].handle != handle {
      guard servers[server].uses.count < limits.attributes else { return nil }
      servers[server].uses.insert(AttributeUse(handle, packet: packet), at: position)
    }
    servers[server].uses[position].note(packet: packet)
    return position
  }

  /// Records an operation that succeeded, with its value.
  private mutating func take(
    _ operation: ValueOperation, of handle: UInt16, _ value: RawSpan, _ server: Int,
    _ security: AttributeUse.Security, packet: Int, isSecret: Bool = false
  ) {
    guard let use = use(handle, server, packet: packet) else { return }
    servers[server].uses[use].note(operation, security, nil, packet: packet)
    servers[server].uses[use].take(operation, value, packet: packet, isSecret: isSecret)
  }

  /// Processes one packet.
  package mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    guard answer.link != nil else { return }
    procedures.observe(record, dissection, bytes, answer, memory)
    if procedures.hasEvents {
      let own = procedures
      take(own, bytes, memory)
    }
    note(record, dissection, bytes, answer, memory)
  }

  /// Processes one packet whose procedures the caller follows and has passed to `take`.
  package mutating func note(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    guard let link = answer.link else { return }
    if let method = answer.pairing?.method {
      if authenticated.count > limits.links { authenticated.removeAll() }
      authenticated[memory.links.id(link)] = method.association != .justWorks
    }
    guard let pdu = dissection.att, let direction = record.direction else { return }
    let opcode = pdu.opcode
    let id = memory.links.id(link)
    guard let server = server(key(of: opcode.server(direction), link, id, memory)) else { return }
    let security = security(memory.links.isEncrypted(link), id)
    let packet = record.number
    let fields = dissection.attFields
    if opcode == .multipleHandleValueNotification, let items = fields.items {
      take(
        items, .notification, bytes, [], isSecret: memory.attributes.hasKeyMaterial, security,
        packet, server, memory)
    }
    if opcode == .executeWriteResponse { takeJoined(memory, security, packet, server) }
    guard let handle = fields.handle else { return }
    switch opcode {
    case .writeRequest: _ = use(handle, server, packet: packet)
    case .writeCommand, .signedWriteCommand, .handleValueNotification, .handleValueIndication:
      guard let operation = opcode.operation else { return }
      take(
        operation, of: handle, bytes.part(fields.value ?? .empty), server, security,
        packet: packet)
    default: break
    }
  }

  /// Records the values of prepared writes that are now executed. A value that does not begin at
  /// offset 0 replaces the end of the attribute's value, if that is known.
  private mutating func takeJoined(
    _ memory: borrowing Memory, _ security: AttributeUse.Security, _ packet: Int, _ server: Int
  ) {
    for joined in memory.longValues.values {
      guard let use = use(joined.handle, server, packet: packet) else { continue }
      servers[server].uses[use].note(.preparedWrite, security, nil, packet: packet)
      guard !joined.isCut,
        let before = joined.offset == 0 ? [] : servers[server].uses[use].value,
        joined.offset <= before.count
      else { continue }
      let bytes = memory.longValues.bytes.bytes.part(joined.value).array
      let last = memory.longValues.packets[joined.packets].last ?? packet
      let whole = Array(before.prefix(joined.offset)) + bytes
      servers[server].uses[use].take(.preparedWrite, whole.bytes, packet: last)
    }
  }

  // MARK: Requests

  /// Records the outcomes of requests.
  package mutating func take(
    _ procedures: borrowing Procedures, _ bytes: RawSpan, _ memory: borrowing Memory
  ) {
    for event in procedures.events {
      switch event {
      case .answered(let place, let slot):
        guard let arrived = procedures.arrived else { continue }
        take(procedures.clients[place.client].open[slot], arrived, bytes, memory)
      case .settled(_, let procedure, let arrived):
        take(procedure, arrived, arrived.bytes.bytes, memory)
      case .orphan(let place):
        guard let arrived = procedures.arrived else { continue }
        let bearer = procedures.bearers[place.bearer]
        var unknown = Procedure()
        unknown.connection = bearer.connection
        unknown.server = Attributes.key(
          of: place.server, memory.links.connection(bearer.link))
        take(unknown, arrived, bytes, memory)
      case .unanswered(_, let procedure, _):
        guard procedure.opcode == .writeRequest, let handle = procedure.attribute.handle,
          let server = server(procedure.server)
        else { continue }
        if let use = use(handle, server, packet: procedure.packet) {
          servers[server].uses[use].note(unanswered: procedure.value, packet: procedure.packet)
        }
      case .arrived, .began, .unsettled, .interrupted, .ended: break
      }
    }
  }

  /// Records the answer to a request.
  private mutating func take(
    _ procedure: Procedure, _ arrived: Arrived, _ bytes: RawSpan, _ memory: borrowing Memory
  ) {
    guard let server = server(procedure.server) else { return }
    let security = security(arrived.isEncrypted, procedure.connection)
    let (opcode, fields, packet) = (arrived.pdu.opcode, arrived.pdu.fields, arrived.packet)
    // As in `show`: if any attribute's values are keys, any of several values may be one.
    let hasKeys = memory.attributes.hasKeyMaterial
    if let items = fields.items {
      guard opcode == .readByTypeResponse || opcode == .readMultipleVariableResponse,
        procedure.type?.isDeclaration != true
      else { return }
      let isUncertain = opcode != .readByTypeResponse || procedure.type == nil || arrived.isHeld
      take(
        items, .read, bytes, procedure.handles,
        isSecret: arrived.listsKeyMaterial || hasKeys && isUncertain, security, packet, server,
        isEvident: procedure.packet > 0, memory)
      return
    }
    if opcode == .readMultipleResponse, let value = fields.value {
      split(bytes.part(value), procedure.handles, security, packet, server, isSecret: hasKeys)
      return
    }
    // A value that may be a key is not kept as another attribute's value.
    guard !arrived.isHeld || !hasKeys, let handle = fields.handle ?? procedure.attribute.handle
    else { return }
    let value = bytes.part(fields.value ?? .empty)
    switch opcode {
    case .errorResponse:
      let isExecute = procedure.opcode == .executeWriteRequest
      guard let error = fields.error,
        let operation = isExecute ? .preparedWrite : procedure.opcode.operation,
        error != .attributeNotFound || procedure.attribute.handle != nil
      else { return }
      guard let use = use(handle, server, packet: packet) else { return }
      servers[server].uses[use].note(operation, security, error, packet: packet)
    case .readResponse: take(.read, of: handle, value, server, security, packet: packet)
    case .readBlobResponse:
      guard let use = use(handle, server, packet: packet),
        !servers[server].uses[use].append(value, at: procedure.offset, packet: packet)
      else { return }
      servers[server].uses[use].note(.read, security, nil, packet: packet)
      if procedure.offset == 0 { servers[server].uses[use].take(.read, value, packet: packet) }
    case .writeResponse:
      guard let use = use(handle, server, packet: packet) else { return }
      servers[server].uses[use].note(.write, security, nil, packet: packet)
      servers[server].uses[use].take(.write, procedure.value.bytes, packet: procedure.packet)
    // What was prepared may be cancelled: it counts once it is executed.
    case .prepareWriteResponse: _ = use(handle, server, packet: packet)
    default: break
    }
  }

  /// Settles what is still open at the end of the capture. If the capture has one direction only,
  /// written values count as written.
  ///
  /// - Parameter followed: the procedures at their end, if the caller followed them.
  package mutating func finish(_ memory: borrowing Memory, following followed: Procedures? = nil) {
    if followed == nil { procedures.finish(memory) }
    let none: [UInt8] = []
    take(followed ?? procedures, none.bytes, memory)
    for server in servers.indices
    where !memory.hasHeard(Attributes.isLocal(servers[server].key) ? .sent : .received) {
      for use in servers[server].uses.indices { servers[server].uses[use].takeUnanswered() }
    }
  }

  /// Records the values in a list: of Read By Type, of several notifications, or of several reads.
  ///
  /// - Parameters:
  ///   - asked: the handles, if the list has none.
  ///   - isEvident: whether the request shows that they are values.
  private mutating func take(
    _ items: ATTItems, _ operation: ValueOperation, _ bytes: RawSpan, _ asked: [UInt16],
    isSecret: Bool, _ security: AttributeUse.Security, _ packet: Int, _ server: Int,
    isEvident: Bool = true, _ memory: borrowing Memory
  ) {
    var cursor = Cursor(bytes, items.list)
    var index = 0
    while let item = items.next(&cursor) {
      defer { index += 1 }
      guard let handle = item.handle ?? (index < asked.count ? asked[index] : nil),
        let value = item.value, item.missing == 0,
        isEvident || memory.attributes.isRead(handle, bytes.part(value), of: servers[server].key)
      else { continue }
      take(
        operation, of: handle, bytes.part(value), server, security, packet: packet,
        isSecret: isSecret)
    }
  }

  /// Splits the values of Read Multiple, which have no lengths: a value that has always had the
  /// same length is separated by it, and the last one gets the rest.
  private mutating func split(
    _ values: RawSpan, _ asked: [UInt16], _ security: AttributeUse.Security, _ packet: Int,
    _ server: Int, isSecret: Bool
  ) {
    var offset = 0
    for (index, handle) in asked.enumerated() {
      let position = servers[server].position(handle)
      let length: Int
      if index == asked.count - 1 {
        length = values.byteCount - offset
      } else {
        guard position < servers[server].uses.count,
          servers[server].uses[position].handle == handle,
          let known = servers[server].uses[position].lengths, known.count == 1
        else { return }
        length = known.lowerBound
      }
      guard length >= 0, offset + length <= values.byteCount else { return }
      take(
        .read, of: handle, values.part(Slice(start: offset, count: length)), server, security,
        packet: packet, isSecret: isSecret)
      offset += length
    }
  }

  private func security(_ isEncrypted: Bool?, _ connection: Int) -> AttributeUse.Security {
    switch isEncrypted {
    case nil: .unknown
    case false: .unencrypted
    case true: authenticated[connection] == true ? .authenticated : .encrypted
    }
  }
}
