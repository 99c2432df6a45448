// Values conveyed in several PDUs, joined on the packet that completes them, where `show` prints
// them.

import Bluetooth
import Bytes
import Captures
import Dissectors

/// What is read and written in parts, by client (Core, Vol 3, Part G, 4.8.3 and 4.9.4). Bounded by
/// `Limits`: if too many clients have parts open, the one that was silent longest is forgotten. A
/// value whose parts do not all fit is not reported.
package struct LongValues: Sendable {
  /// A client on one bearer.
  private struct Client: Sendable {
    var key: UInt64
    var lastUse: Int
    /// The Prepare Write or Execute Write Request that waits for its response; the latter closes
    /// the queue.
    var pending = Procedure()
    var queue = PreparedQueue()
    var read = LongRead()
  }

  /// The values that the current packet completes.
  package private(set) var values: [JoinedValue] = []
  /// The bytes of `values`.
  package private(set) var bytes: [UInt8] = []
  /// The packet numbers of `values`.
  package private(set) var packets: [Int] = []
  private var clients: [Client] = []
  private let shared: SharedLimits

  init(_ limits: SharedLimits) { shared = limits }

  /// Whether the current packet completes no value.
  package var isEmpty: Bool { values.isEmpty }

  /// Whether nothing is read or written in parts.
  var isUnused: Bool { clients.isEmpty }

  mutating func clear() {
    values.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    packets.removeAll(keepingCapacity: true)
  }

  /// Processes a PDU that may read or write in parts.
  ///
  /// - Parameters:
  ///   - mtu: the ATT_MTU of its bearer.
  ///   - isCertain: whether it is certain which request the PDU answers.
  mutating func observe(
    _ opcode: ATTOpcode, _ packet: borrowing Packet, _ direction: Direction, connection: Int,
    mtu: Int, isCertain: Bool
  ) {
    let fields = packet.dissection.attFields
    let isFull =
      if let items = fields.items {
        items.singleValueLength.map { ATTItems.isFull($0, mtu: mtu) } ?? false
      } else {
        Int(fields.value?.count ?? 0) + 1 >= mtu
      }
    let isConcerned = Self.concerns(opcode, fields, isFull: isFull)
    let isEnd = !isConcerned && opcode == .readResponse && !clients.isEmpty
    // The part's request must be certain.
    guard isEnd || isConcerned && isCertain else { return }
    let isClients = opcode.role == .request
    let key =
      packet.answer.bearer(of: connection) << 1 | ((direction == .sent) == isClients ? 1 : 0)
    if isEnd {
      end(key: key, isCertain ? packet.answer.request?.handle : nil)
      return
    }
    follow(opcode, packet, direction, key: key, isFull: isFull)
  }

  /// Returns whether a PDU concerns values in parts; the first part of a read is one that fills its
  /// PDU.
  private static func concerns(_ opcode: ATTOpcode, _ fields: ATTFields, isFull: Bool) -> Bool {
    switch opcode {
    case .prepareWriteRequest, .prepareWriteResponse, .executeWriteRequest, .executeWriteResponse,
      .readBlobResponse:
      true
    case .readResponse, .readByTypeResponse: isFull
    case .errorResponse:
      fields.requestOpcode == .readBlobRequest || fields.requestOpcode == .prepareWriteRequest
        || fields.requestOpcode == .executeWriteRequest
    default: false
    }
  }

  /// Processes a PDU that concerns values in parts.
  ///
  /// - Parameters:
  ///   - key: the client: its bearer and direction.
  ///   - isFull: whether the value may continue after the part that was read.
  @inline(never)
  private mutating func follow(
    _ opcode: ATTOpcode, _ packet: borrowing Packet, _ direction: Direction, key: UInt64,
    isFull: Bool
  ) {
    let fields = packet.dissection.attFields
    let client = client(key, packet.record.number)
    let isCut = packet.isCut
    switch opcode {
    case .prepareWriteRequest, .executeWriteRequest:
      // The response to the last Execute Write Request is missing from the capture.
      if clients[client].pending.opcode == .executeWriteRequest { clients[client].queue.clear() }
      clients[client].pending.begin(opcode, packet, packets: [])
    case .prepareWriteResponse:
      guard isAnswered(client, packet.answer) else { return }
      let pending = clients[client].pending
      clients[client].pending.end()
      _ = clients[client].queue.add(pending, isEchoWrong: false, shared.values)
    case .executeWriteResponse:
      defer { clients[client].queue.clear() }
      guard isAnswered(client, packet.answer), clients[client].pending.executes,
        !clients[client].queue.isIncomplete
      else { return }
      values += clients[client].queue.join(into: &bytes, packets: &packets, direction)
    case .readByTypeResponse:
      guard let items = fields.items, packet.answer.request?.type?.isDeclaration == false else {
        return
      }
      var cursor = Cursor(packet.bytes, items.list)
      guard let item = items.next(&cursor), let handle = item.handle, let value = item.value else {
        return
      }
      clients[client].read.begin(AttributeIdentity(server: 0, handle: handle), at: 0)
      clients[client].read.mayBeKey = packet.answer.mayHoldKey
      clients[client].read.add(
        packet.bytes.part(value), at: 0, packet.record.number, isCut: isCut, shared.values)
    case .readResponse, .readBlobResponse:
      guard let request = packet.answer.request, let handle = request.handle,
        let value = fields.value
      else { return }
      let offset = Int(request.offset ?? 0)
      let read = clients[client].read
      if offset == 0 || !read.isOpen || read.attribute.handle != handle || offset < read.start
        || read.end < offset
      {
        clients[client].read.begin(AttributeIdentity(server: 0, handle: handle), at: offset)
      }
      if packet.answer.mayHoldKey { clients[client].read.mayBeKey = true }
      clients[client].read.add(
        packet.bytes.part(value), at: offset, packet.record.number, isCut: isCut, shared.values)
      if !isFull { finishRead(client, direction) }
    case .errorResponse:
      guard let request = packet.answer.request, request.opcode == .readBlobRequest else {
        if fields.requestOpcode == .executeWriteRequest { clients[client].queue.clear() }
        return
      }
      let read = clients[client].read
      if let error = fields.error, LongRead.isEnd(error), read.isOpen,
        read.attribute.handle == request.handle, Int(request.offset ?? 0) == read.end
      {
        finishRead(client, direction)
      }
      clients[client].read.forget()
    default: break
    }
  }

  /// Ends an open read of an attribute after a Read Response that contains the whole value.
  ///
  /// - Parameter handle: the attribute; nil if it is uncertain.
  @inline(never)
  private mutating func end(key: UInt64, _ handle: UInt16?) {
    guard let client = clients.firstIndex(where: { $0.key == key }),
      handle == nil || clients[client].read.attribute.handle == handle
    else { return }
    clients[client].read.forget()
  }

  /// Forgets the parts of connections whose records were lost.
  mutating func lose(_ isLost: (Int) -> Bool) {
    clients.removeAll { isLost(Int($0.key >> 33)) }
  }

  private func isAnswered(_ client: Int, _ answer: Answer) -> Bool {
    clients[client].pending.isOpen && clients[client].pending.packet == answer.request?.packet
  }

  /// Ends a read and reports its value.
  private mutating func finishRead(_ client: Int, _ direction: Direction) {
    clients[client].read.close()
    if let value = clients[client].read.join(into: &bytes, packets: &packets, direction) {
      values.append(value)
    }
  }

  private mutating func client(_ key: UInt64, _ packet: Int) -> Int {
    var found = clients.firstIndex { $0.key == key }
    if found == nil {
      let new = Client(key: key, lastUse: packet)
      if clients.count < max(1, shared.values.bearers) {
        clients.append(new)
        found = clients.count - 1
      } else {
        found = clients.indices.min { clients[$0].lastUse < clients[$1].lastUse }
        if let found { clients[found] = new }
      }
    }
    let index = found ?? 0
    clients[index].lastUse = packet
    return index
  }
}
