// How attributes were used: what `map` shows beyond the results of discovery.

import Bluetooth
import Bytes
import Captures
import Dissectors

/// How the attributes of all servers were used. A report that needs this feeds it every packet, and
/// the values of `Conversations`. Bounded in the same way as `Attributes`.
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
  /// The connection of the latest packet, how often its identifying properties had changed, and the
  /// keys of its servers. To copy the connection for each packet would cost more.
  private var known: (connection: Int, changes: Int, peer: UInt64, local: UInt64)?

  package init(_ limits: Limits = Limits()) { self.limits = limits }

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
  private mutating func add(
    _ operation: ValueOperation, of handle: UInt16, _ value: RawSpan, _ server: Int,
    _ security: AttributeUse.Security, packet: Int, isSecret: Bool = false
  ) {
    guard let use = use(handle, server, packet: packet) else { return }
    servers[server].uses[use].note(operation, security, nil, packet: packet)
    servers[server].uses[use].add(operation, value, packet: packet, isSecret: isSecret)
  }

  // MARK: Packets

  /// Processes one packet. A value that is sent without a request counts when it is sent; what a
  /// response decides is passed to `observe`.
  package mutating func note(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    guard let link = packet.answer.link else { return }
    if let method = packet.answer.pairing?.method {
      if authenticated.count > limits.links { authenticated.removeAll() }
      authenticated[memory.links.id(link)] = method.association != .justWorks
    }
    guard let opcode = packet.dissection.att?.opcode, let operation = opcode.operation,
      !operation.hasResponse, let direction = packet.record.direction
    else { return }
    let id = memory.links.id(link)
    guard let server = server(key(of: opcode.server(direction), link, id, memory)) else { return }
    let security = security(memory.links.isEncrypted(link), id)
    let fields = packet.dissection.attFields
    if let items = fields.items {
      var cursor = Cursor(packet.bytes, items.list)
      while let item = items.next(&cursor) {
        guard let handle = item.handle, let value = item.value, item.missing == 0 else { continue }
        add(
          operation, of: handle, packet.bytes.part(value), server, security,
          packet: packet.record.number,
          isSecret: packet.answer.mayHoldKey || memory.attributes.hasKeyMaterial)
      }
    } else if let handle = fields.handle {
      add(
        operation, of: handle, packet.bytes.part(fields.value ?? .empty), server, security,
        packet: packet.record.number, isSecret: packet.answer.mayHoldKey)
    }
  }

  /// Records the values and attempts whose outcome a response has decided, or the lack of one.
  package mutating func observe(_ conversations: borrowing Conversations) {
    for index in conversations.values.indices
    where conversations.values[index].operation.hasResponse {
      let conveyed = conversations.values[index]
      // A request to read reveals nothing before its response.
      let isRead = conveyed.operation == .read
      let start =
        isRead && conveyed.value == nil ? conveyed.response : conveyed.first ?? conveyed.packet
      guard let start, let handle = conveyed.attribute.handle,
        conveyed.outcome == .done || !conveyed.lacksRequest && !conveyed.isByType,
        let server = server(conveyed.attribute.server),
        let use = use(handle, server, packet: start)
      else { continue }
      servers[server].uses[use].add(
        conveyed, conversations.bytes.bytes.part(conveyed.value ?? .empty),
        security(conveyed.isEncrypted, conveyed.parties.connection))
    }
  }

  /// Ends the capture. If it has one direction only, written values count as written.
  ///
  /// - Parameter conversations: must already be finished.
  package mutating func finish(
    _ conversations: borrowing Conversations, _ memory: borrowing Memory
  ) {
    observe(conversations)
    for server in servers.indices
    where !memory.hasHeard(Attributes.isLocal(servers[server].key) ? .sent : .received) {
      for use in servers[server].uses.indices { servers[server].uses[use].takeUnanswered() }
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
