import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// Whether the controller has room for what the host sends. An app that sends data without waiting
/// for answers is notified when there is room again after there was none. The controller's buffers
/// are full when as many packets of all links are waiting as it reported to hold (Core, Vol 4, Part
/// E, 4.1.1).
struct BufferEvents: Sendable {
  private struct Full: Sendable {
    var link: LinkSlot
    var id: Int
    var adapter: AdapterIndex
    var isWrite: Bool
    var peer: DeviceAddress?
  }

  /// The number of packets that each controller holds, by its index.
  private var capacities: [AdapterIndex: Int] = [:]
  private var full: [Full] = []
  private static let mostControllers = 16
  private static let mostLinks = 64

  /// Processes a packet.
  mutating func observe(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into events: inout [AppEvent]
  ) {
    if case .commandComplete(let complete) = packet.dissection.fact {
      learn(complete, packet.bytes, packet.record.adapter)
    } else if case .completedPackets = packet.dissection.fact {
      if !full.isEmpty { release(packet.record, memory, &events) }
    } else if packet.record.direction == .sent, let opcode = packet.dissection.att?.opcode,
      opcode.role == .unacknowledged, let link = packet.answer.link,
      let capacity = capacities[packet.record.adapter],
      let outstanding = memory.links.outstanding(on: packet.record.adapter),
      outstanding >= capacity
    {
      let id = memory.links.id(link)
      guard full.count < Self.mostLinks, !full.contains(where: { $0.id == id }) else { return }
      full.append(
        Full(
          link: link, id: id, adapter: packet.record.adapter, isWrite: !opcode.isServers,
          peer: memory.links.identity(link) ?? memory.links.peer(link)))
    }
  }

  /// Learns from LE Read Buffer Size, versions 1 and 2: status (1 byte), data length (2), packets
  /// (1) (7.8.2).
  private mutating func learn(
    _ complete: CommandComplete, _ bytes: RawSpan, _ adapter: AdapterIndex
  ) {
    var cursor = Cursor(bytes, complete.returns)
    guard
      complete.opcode == HCICommand.leReadBufferSize
        || complete.opcode == HCICommand.leReadBufferSizeV2,
      complete.status == .success, (try? cursor.u8()) != nil, let length = try? cursor.u16(),
      length > 0, let packets = try? cursor.u8(), packets > 0,
      capacities[adapter] != nil || capacities.count < Self.mostControllers
    else { return }
    capacities[adapter] = Int(packets)
  }

  private mutating func release(
    _ record: borrowing CaptureRecord, _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    for position in full.indices.reversed() {
      let waiting = full[position]
      let capacity = capacities[waiting.adapter] ?? 0
      guard memory.links.id(waiting.link) == waiting.id, memory.links.isOpen(waiting.link),
        let outstanding = memory.links.outstanding(on: waiting.adapter)
      else {
        full.remove(at: position)
        continue
      }
      guard outstanding < capacity else { continue }
      var event = AppEvent(waiting.isWrite ? .readyToWrite : .readyToUpdate, record)
      event.connection = waiting.id
      event.adapter = waiting.adapter
      event.peer = waiting.peer
      events.append(event)
      full.remove(at: position)
    }
  }
}
