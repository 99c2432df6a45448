import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What the captured host asks its peers for, at the packet of the request. What becomes of it is
/// reported by others, at the packet of the answer. Searches for attributes are `DiscoveryEvents`'.
/// Bounded: the number of connections is limited.
struct RequestEvents: Sendable {
  /// What is known about one connection.
  private struct Client: Sendable {
    /// When the request was sent that waits for its answer.
    var asked: Timestamp?
    /// A request that the server refused until the link is encrypted: its handle and opcode, and
    /// whether that has happened.
    var refused: (handle: UInt16, opcode: ATTOpcode, isEncrypted: Bool)?
    /// The attributes that the queued parts belong to, and the number of parts.
    var queued: (handles: Set<UInt16>, parts: Int) = ([], 0)
    /// Whether encryption has failed.
    var hasFailedToEncrypt = false
  }

  private var clients = ConnectionTable<Client>()
  private static let mostClients = 256
  private static let mostQueued = 64
  /// After this time without an answer the client ends the link on its own (Core, Vol 3, Part F,
  /// 3.3.3), in nanoseconds.
  private static let timeout: Int64 = 29_500_000_000

  // MARK: Packets

  /// Processes a packet.
  mutating func observe(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into events: inout [AppEvent]
  ) {
    guard let link = packet.answer.link else { return }
    let what: AppEvent.What?
    switch packet.dissection.content {
    case .acl where packet.dissection.att != nil:
      what = observe(packet, link, memory)
    case .acl where packet.dissection.isSignalling && packet.record.direction == .sent:
      what = packet.answer.fragment.isFragment ? nil : channel(packet.dissection, packet.bytes)
    case .command(let command):
      what = observe(
        command.opcode, packet.bytes.part(packet.dissection.body), link, packet.record, memory)
    case .event:
      guard case .encryption(let change) = packet.dissection.fact else { return }
      return noteEncryption(change.status, link, memory)
    case .advertising where packet.answer.opened: what = .connecting(nil)
    case .linkControl:
      switch LinkControl(packet.bytes, packet.dissection.body) {
      case .startEncryptionRequest: return noteEncryption(.success, link, memory)
      case .reject(.encryptionRequest?, let status), .reject(nil, let status):
        return noteEncryption(status, link, memory)
      case .terminate where packet.record.direction == .sent:
        what = disconnect(link, packet.record, memory)
      default: return
      }
    default: return
    }
    guard let what else { return }
    let connection = memory.links.connection(link)
    guard connection.id != 0, connection.transport == .le || connection.transport == .unknown
    else { return }
    var event = AppEvent(what, packet.record)
    event.connection = connection.id
    event.adapter = connection.adapter
    event.peer = connection.identity?.address ?? connection.peer
    event.role = connection.role(of: .local)
    events.append(event)
  }

  /// Ends a connection.
  mutating func end(_ id: Int) { clients.remove(id) }

  private mutating func client(_ id: Int) -> Int {
    clients.place(of: id) ?? clients.add(Client(), of: id, most: Self.mostClients)
  }

  // MARK: Commands and events

  private mutating func observe(
    _ opcode: UInt16, _ parameters: RawSpan, _ link: LinkSlot, _ record: borrowing CaptureRecord,
    _ memory: borrowing Memory
  ) -> AppEvent.What? {
    switch opcode {
    case HCICommand.readRSSI: return .asked(.rssi)
    case HCICommand.leReadPHY: return .asked(.readPHY)
    case HCICommand.leSetPHY:
      // Handle (2 bytes), ALL_PHYS (1), TX_PHYS (1), RX_PHYS (1) (Core, Vol 4, Part E, 7.8.49).
      guard parameters.byteCount >= 5 else { return nil }
      return .asked(.setPHY(sent: parameters.byte(at: 3), received: parameters.byte(at: 4)))
    case HCICommand.disconnect: return disconnect(link, record, memory)
    default: return nil
    }
  }

  private mutating func disconnect(
    _ link: LinkSlot, _ record: borrowing CaptureRecord, _ memory: borrowing Memory
  ) -> AppEvent.What? {
    let place = client(memory.links.id(link))
    // The stack ends a link that cannot be encrypted, or whose server does not answer.
    if clients[place].hasFailedToEncrypt { return nil }
    if let asked = clients[place].asked, let time = record.time,
      time.nanoseconds(since: asked) > Self.timeout
    {
      return nil
    }
    return .asked(.disconnect)
  }

  private mutating func noteEncryption(
    _ status: StatusCode, _ link: LinkSlot, _ memory: borrowing Memory
  ) {
    let place = client(memory.links.id(link))
    clients[place].hasFailedToEncrypt = status != .success
    if status == .success { clients[place].refused?.isEncrypted = true }
  }

  /// Returns the request for a credit-based channel, except for those of Enhanced ATT (Assigned
  /// Numbers, 2.6), which belong to the system.
  private func channel(_ dissection: Dissection, _ bytes: RawSpan) -> AppEvent.What? {
    var commands = SignallingCommands(dissection.body)
    var rest = Slice.empty
    guard dissection.l2cap?.cid == .leSignalling, let command = commands.next(bytes),
      command.data.count == command.length,
      let pdu = try? SignallingPDU(command, bytes, rest: &rest)
    else { return nil }
    switch pdu.code {
    case .leConnectionRequest: return .asked(.channel(pdu.psm))
    case .enhancedConnectionRequest where pdu.psm != .eatt: return .asked(.channel(pdu.psm))
    default: return nil
    }
  }

  // MARK: ATT

  private mutating func observe(
    _ packet: borrowing Packet, _ link: LinkSlot, _ memory: borrowing Memory
  ) -> AppEvent.What? {
    guard let opcode = packet.dissection.att?.opcode else { return nil }
    let id = memory.links.id(link)
    let fields = packet.dissection.attFields
    guard packet.record.direction == .sent else {
      guard let request = packet.answer.request, !request.opcode.isServers,
        let place = clients.place(of: id)
      else { return nil }
      clients[place].asked = nil
      // Insufficient Authentication, Insufficient Encryption: both stacks encrypt and repeat it.
      if let error = fields.error, let handle = request.handle,
        error.rawValue == 0x05 || error.rawValue == 0x0f
      {
        clients[place].refused = (handle, request.opcode, false)
      }
      return nil
    }
    guard !opcode.isServers, opcode.role == .request || opcode.role == .unacknowledged else {
      return nil
    }
    let place = client(id)
    if opcode.role == .request { clients[place].asked = packet.record.time }
    let attribute = memory.appAttribute(fields.handle, at: .peer, on: link)
    switch opcode {
    case .exchangeMTURequest: return fields.mtu.map { .asked(.mtu($0)) }
    case .readRequest:
      // The stack reads declarations for itself.
      switch attribute.identity.kind {
      case .service, .include, .characteristic: return nil
      case .value, .descriptor, nil: break
      }
      return isRepeated(opcode, fields.handle, place)
        ? .asked(.again(attribute)) : .asked(.read(attribute))
    case .writeRequest, .writeCommand, .signedWriteCommand:
      if opcode == .writeRequest, isRepeated(opcode, fields.handle, place) {
        return .asked(.again(attribute))
      }
      let way: AppCall.Way =
        opcode == .writeRequest ? .request : opcode == .writeCommand ? .command : .signed
      return .asked(.write(value(attribute, way, fields, packet, memory)))
    case .prepareWriteRequest:
      guard let handle = fields.handle else { return nil }
      if clients[place].queued.parts == 0 || clients[place].queued.handles.count < Self.mostQueued {
        clients[place].queued.handles.insert(handle)
      }
      clients[place].queued.parts += 1
      // The parts that follow continue the same value.
      guard fields.offset == 0 else { return nil }
      if isRepeated(opcode, handle, place) { return .asked(.again(attribute)) }
      return .asked(.write(value(attribute, .parts, fields, packet, memory)))
    case .executeWriteRequest:
      let queued = clients[place].queued
      clients[place].queued = ([], 0)
      // What fits in one part would have fit in a Write Request: an app has queued it.
      guard fields.executeFlags == 1, queued.parts == 1 || queued.handles.count > 1 else {
        return nil
      }
      return .asked(.execute)
    default: return nil
    }
  }

  private func value(
    _ attribute: AppAttribute, _ way: AppCall.Way, _ fields: ATTFields, _ packet: borrowing Packet,
    _ memory: borrowing Memory
  ) -> AppCall.Write {
    AppCall.Write(
      attribute: attribute, bytes: fields.value.map { packet.bytes.part($0).array } ?? [],
      isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid),
      isCut: packet.isCut, way: way)
  }

  /// Returns whether a request was refused until the link is encrypted, and now is.
  private mutating func isRepeated(_ opcode: ATTOpcode, _ handle: UInt16?, _ place: Int) -> Bool {
    guard let refused = clients[place].refused, refused.isEncrypted, refused.handle == handle,
      refused.opcode == opcode
    else { return false }
    clients[place].refused = nil
    return true
  }
}
