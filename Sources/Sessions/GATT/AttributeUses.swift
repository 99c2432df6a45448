// How attributes were used: what `map` shows beyond the results of discovery.

package import Bluetooth
import Bytes
package import Dissectors

/// How the attributes of all servers were used. A report that needs this feeds it every packet.
/// Bounded in the same way as `Attributes`.
package struct AttributeUses: Sendable {
  private struct Server: Sendable {
    let key: UInt64
    /// In ascending order of their handles.
    var uses: [AttributeUse] = []
    /// The handles of the last request for several attributes; its packet follows.
    var asked: [UInt16] = []
    var asking = 0

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
  /// Responses whose request is uncertain.
  private var held: [Held] = []
  private static let mostHeld = 16

  /// A response that may answer one of several requests, with its bearer.
  private struct Held: Sendable {
    var use: Use
    let link: LinkSlot?
    let channel: Int?
  }

  package init(_ limits: Limits = Limits()) { self.limits = limits }

  /// Returns the uses of a server's attributes, in ascending order of their handles.
  package func uses(of key: UInt64, _ attributes: Attributes) -> [AttributeUse] {
    var all: [UInt16: AttributeUse] = [:]
    for server in servers where attributes.currentKey(server.key) == key {
      for use in server.uses {
        if let known = all[use.handle], known.packets.upperBound > use.packets.upperBound {
          continue
        }
        all[use.handle] = use
      }
    }
    return all.values.sorted { $0.handle < $1.handle }
  }

  /// Returns the keys of the servers whose attributes were used.
  package func keys(_ attributes: Attributes) -> [UInt64] {
    servers.filter { !$0.uses.isEmpty }.map { attributes.currentKey($0.key) }
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

  /// Changes what is known about the use of one attribute.
  private mutating func change(
    _ handle: UInt16, _ server: Int, packet: Int, _ change: (inout AttributeUse) -> Void
  ) {
    guard handle != 0 else { return }
    let position = servers[server].position(handle)
    if position == servers[server].uses.count || servers[server].uses[position].handle != handle {
      guard servers[server].uses.count < limits.attributes else { return }
      servers[server].uses.insert(AttributeUse(handle, packet: packet), at: position)
    }
    let first = servers[server].uses[position].packets.lowerBound
    servers[server].uses[position].packets = first...max(first, packet)
    change(&servers[server].uses[position])
  }

  /// Processes one packet.
  package mutating func observe(
    _ packet: Int, _ direction: Direction?, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    guard let link = answer.link else { return }
    if let method = answer.pairing?.method {
      if authenticated.count > limits.links { authenticated.removeAll() }
      authenticated[memory.links.id(link)] = method.association != .justWorks
    }
    guard let pdu = dissection.att, let direction else { return }
    let opcode = pdu.opcode
    let connection = memory.links.connection(link)
    let isLocal = (direction == .sent) == opcode.isServers
    guard let server = server(Attributes.key(isLocal: isLocal, connection)) else { return }
    let security = security(connection)
    let fields = dissection.attFields
    if let items = fields.items {
      observe(items, opcode, bytes, answer, memory, security, packet, server)
      return
    }
    if let handles = fields.handles {
      servers[server].asking = packet
      servers[server].asked = (0..<Int(handles.count) / 2).prefix(256).map {
        bytes.littleEndianU16(at: Int(handles.start) + 2 * $0)
      }
      return
    }
    if opcode == .readMultipleResponse, let value = fields.value {
      // As in `show`: if any attribute's values are keys, any of several values may be one.
      split(
        bytes.part(value), answer, security, packet, server,
        isSecret: memory.attributes.hasKeyMaterial)
      return
    }
    if opcode == .executeWriteResponse { takeJoined(memory, packet, server) }
    let isResponse = opcode.role == .response
    if !held.isEmpty { settle(answer, memory, isResponse: isResponse) }
    guard let handle = fields.handle ?? answer.request?.handle, handle != 0 else { return }
    let use = Use(
      opcode: opcode, handle: handle, value: fields.value.map { bytes.part($0).array } ?? [],
      error: fields.error, request: answer.request,
      security: security, packet: packet, server: server)
    if isResponse, !memory.doubt.alternatives.isEmpty {
      // A value that may be a key is not kept as another attribute's value.
      if !memory.attributes.hasKeyMaterial { hold(use, answer) }
    } else {
      take(use)
    }
  }

  /// Records the values of prepared writes that are now executed. A value that does not begin at
  /// offset 0 replaces the end of the attribute's value, if that is known.
  private mutating func takeJoined(_ memory: borrowing Memory, _ packet: Int, _ server: Int) {
    for joined in memory.longValues.values {
      change(joined.handle, server, packet: packet) { $0.isPreparedWritten = true }
      if joined.isCut { continue }
      let bytes = memory.longValues.bytes.bytes.part(joined.value).array
      let last = memory.longValues.packets[joined.packets].last ?? packet
      change(joined.handle, server, packet: packet) { use in
        guard let before = joined.offset == 0 ? [] : use.value, joined.offset <= before.count
        else { return }
        use.take(.preparedWrite, before.prefix(joined.offset) + bytes, packet: last)
      }
    }
  }

  /// A PDU that uses one attribute.
  private struct Use: Sendable {
    let opcode: ATTOpcode
    var handle: UInt16
    var value: [UInt8]
    let error: ATTErrorCode?
    var request: Request?
    let security: AttributeUse.Security
    let packet: Int
    let server: Int
  }

  /// Records what a PDU does with an attribute.
  private mutating func take(_ taken: Use) {
    let (handle, server, packet) = (taken.handle, taken.server, taken.packet)
    switch taken.opcode {
    case .errorResponse:
      guard let error = taken.error, let operation = taken.request?.opcode.operation,
        error != .attributeNotFound || taken.request?.handle != nil
      else { return }
      change(handle, server, packet: packet) {
        $0.note(operation, taken.security, error, packet: packet)
        _ = $0.end(taken.request?.packet ?? 0)
      }
    case .readResponse:
      change(handle, server, packet: packet) { use in
        use.note(.read, taken.security, nil, packet: packet)
        use.take(.read, taken.value, packet: packet)
      }
    case .readBlobResponse:
      guard let offset = taken.request?.offset else { return }
      change(handle, server, packet: packet) { use in
        if use.append(taken.value, at: Int(offset), packet: packet) { return }
        use.note(.read, taken.security, nil, packet: packet)
        if offset == 0 { use.take(.read, taken.value, packet: packet) }
      }
    case .writeRequest:
      change(handle, server, packet: packet) { $0.begin(taken.value, packet: packet) }
    case .writeResponse:
      change(handle, server, packet: packet) { use in
        use.note(.write, taken.security, nil, packet: packet)
        guard let request = taken.request, let value = use.end(request.packet) else { return }
        use.take(.write, value, packet: request.packet)
      }
    case .prepareWriteResponse:
      change(handle, server, packet: packet) {
        $0.note(.preparedWrite, taken.security, nil, packet: packet)
      }
    case .writeCommand, .signedWriteCommand, .handleValueNotification, .handleValueIndication:
      guard let operation = taken.opcode.operation else { return }
      change(handle, server, packet: packet) { use in
        use.note(operation, taken.security, nil, packet: packet)
        use.take(operation, taken.value, packet: packet)
      }
    default: break
    }
  }

  // MARK: Responses that may answer one of several requests

  /// Keeps a response until its request is certain. A few places are enough, since few clients have
  /// several requests open.
  private mutating func hold(_ use: Use, _ answer: Answer) {
    if held.count >= Self.mostHeld { take(held.removeFirst().use) }
    held.append(Held(use: use, link: answer.link, channel: answer.channel?.slot))
  }

  /// Settles the requests of held responses, if a packet decides them. A request of the same bearer
  /// confirms the provisional assignment; a response can show that other requests were meant.
  private mutating func settle(_ answer: Answer, _ memory: borrowing Memory, isResponse: Bool) {
    for correction in memory.doubt.corrections {
      guard let index = held.firstIndex(where: { $0.use.packet == correction.response }) else {
        continue
      }
      held[index].use.request = correction.request
      if let handle = correction.request.handle { held[index].use.handle = handle }
    }
    let isSettled = { (held: Held) in
      held.link == answer.link && held.channel == answer.channel?.slot
    }
    if isResponse, answer.request == nil, !memory.doubt.alternatives.isEmpty {
      // There is one more response than there can have been requests: it is unknown which requests
      // the held ones answered.
      held.removeAll(where: isSettled)
      return
    }
    guard !isResponse || !memory.doubt.corrections.isEmpty && memory.doubt.alternatives.isEmpty
    else { return }
    let settled = held.filter(isSettled)
    held.removeAll(where: isSettled)
    for held in settled { take(held.use) }
  }

  /// Settles what is still open at the end of the capture. If the capture has one direction only,
  /// written values count as written.
  package mutating func finish(_ memory: borrowing Memory) {
    for server in servers.indices
    where !memory.hasHeard(Attributes.isLocal(servers[server].key) ? .sent : .received) {
      for use in servers[server].uses.indices { servers[server].uses[use].takeUnanswered() }
    }
    for held in held { take(held.use) }
    held.removeAll()
  }

  /// Records the values in a list: of Read By Type, of several notifications, or of several reads.
  private mutating func observe(
    _ items: ATTItems, _ opcode: ATTOpcode, _ bytes: RawSpan, _ answer: Answer,
    _ memory: borrowing Memory,
    _ security: AttributeUse.Security, _ packet: Int, _ server: Int
  ) {
    let operation: AttributeUse.Operation
    var isSecret = memory.attributes.hasKeyMaterial
    switch opcode {
    case .readByTypeResponse:
      guard answer.request == nil || answer.request?.type?.isDeclaration == false else { return }
      operation = .read
      let isDoubtful = answer.request == nil || !memory.doubt.alternatives.isEmpty
      isSecret = answer.listsKeyMaterial || isSecret && isDoubtful
    case .readMultipleVariableResponse: operation = .read
    case .multipleHandleValueNotification: operation = .notification
    default: return
    }
    var cursor = Cursor(bytes, items.list)
    let asked = asked(by: answer, server)
    var index = 0
    while let item = items.next(&cursor) {
      defer { index += 1 }
      guard let handle = item.handle ?? (index < asked.count ? asked[index] : nil),
        let value = item.value, item.missing == 0
      else { continue }
      if opcode == .readByTypeResponse, answer.request == nil,
        !memory.attributes.isRead(handle, bytes.part(value), of: servers[server].key)
      {
        continue
      }
      let copy = bytes.part(value).array
      change(handle, server, packet: packet) { use in
        use.note(operation, security, nil, packet: packet)
        use.take(operation, copy, packet: packet, isSecret: isSecret)
      }
    }
  }

  /// Returns the requested handles, in order, for a response with several values; empty if its
  /// request is missing.
  private func asked(by answer: Answer, _ server: Int) -> [UInt16] {
    answer.request?.packet == servers[server].asking ? servers[server].asked : []
  }

  /// Splits the values of Read Multiple, which have no lengths: a value that has always had the
  /// same length is separated by it, and the last one gets the rest.
  private mutating func split(
    _ values: RawSpan, _ answer: Answer, _ security: AttributeUse.Security, _ packet: Int,
    _ server: Int, isSecret: Bool
  ) {
    let asked = asked(by: answer, server)
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
      let value = values.part(Slice(start: offset, count: length)).array
      offset += length
      change(handle, server, packet: packet) { use in
        use.note(.read, security, nil, packet: packet)
        use.take(.read, value, packet: packet, isSecret: isSecret)
      }
    }
  }

  private func security(_ connection: Connection) -> AttributeUse.Security {
    switch connection.isEncrypted {
    case nil: .unknown
    case false: .unencrypted
    case true: authenticated[connection.id] == true ? .authenticated : .encrypted
    }
  }
}

extension ATTOpcode {
  /// The operation of a request or of a PDU with a value.
  fileprivate var operation: AttributeUse.Operation? {
    switch self {
    case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest: .read
    case .writeRequest: .write
    case .writeCommand: .writeWithoutResponse
    case .signedWriteCommand: .signedWrite
    case .prepareWriteRequest, .executeWriteRequest: .preparedWrite
    case .handleValueNotification: .notification
    case .handleValueIndication: .indication
    default: nil
    }
  }
}
