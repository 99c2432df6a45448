import Bluetooth
import Bytes
import Dissectors
import Sessions

// Records what discovery finds, and what invalidates earlier findings.

extension AttributeHistory {
  /// Records a discovery response. What was found before on this connection does not count again:
  /// hosts repeat discovery before they use a characteristic.
  mutating func discover(_ request: OpenRequest, _ packet: borrowing Packet, _ context: Context) {
    let fields = packet.dissection.attFields
    guard let items = fields.items else { return }
    var (services, characteristics, descriptors) = (0, 0, 0)
    let isService =
      request.opcode == .readByGroupTypeRequest || request.opcode == .findByTypeValueRequest
    let isInclude = request.type?.isShort(0x2802) == true
    var cursor = Cursor(packet.bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle else { break }
      if isInclude { continue }
      if let type = item.type {
        // In a list of types only descriptors are counted: values are counted with their
        // declarations.
        guard type.isDescriptor, isNew(handle, context.server) else { continue }
        descriptors += 1
      } else if isNew(handle, context.server) {
        if isService { services += 1 } else { characteristics += 1 }
      }
    }
    guard services + characteristics + descriptors > 0 else { return }
    if discoverer != request.client {
      discoverer = request.client
      // Beyond the limit, the last run is extended.
      if discoveries.count < Self.mostDiscoveries {
        discoveries.append(
          DiscoveryRun(client: request.client, first: request.moment, last: request.moment))
      }
    }
    guard !discoveries.isEmpty else { return }
    let last = discoveries.count - 1
    discoveries[last].services += services
    discoveries[last].characteristics += characteristics
    discoveries[last].descriptors += descriptors
    discoveries[last].last = context.moment
  }

  private mutating func isNew(_ handle: UInt16, _ server: Side) -> Bool {
    guard found.count < Self.mostHandles else { return false }
    return found.insert(Self.key(server, handle)).inserted
  }

  mutating func endSearch(_ request: OpenRequest, _ context: Context) {
    guard discoverer == request.client, !discoveries.isEmpty else { return }
    discoveries[discoveries.count - 1].last = context.moment
  }

  /// Records an indication of Service Changed: the first and the last handle (2 bytes each).
  mutating func change(_ value: RawSpan, _ context: Context) {
    guard value.byteCount == 4, serviceChanges.count < Self.mostListed else { return }
    // A handle that was found before may now be another attribute.
    found = found.filter { $0 >> 16 != Int(context.server.rawValue) }
    let (first, last) = (value.littleEndianU16(at: 0), value.littleEndianU16(at: 2))
    serviceChanges.append((context.server, first, last, context.moment))
  }

  /// Records a Database Hash (16 bytes).
  mutating func note(hash value: RawSpan, _ context: Context) {
    outOfSync = nil
    guard value.byteCount == 16, hashes.count < Self.mostListed else { return }
    hashes.append((context.server, value.array, context.moment))
  }
}
