import Bluetooth
import Bytes
import Cryptography
import Decoders
import Diagnosis
import Differences
import Sessions

/// What `diff` has of one side: the devices of a capture, or those of a map that was saved.
package struct RememberedCapture: Sendable {
  /// A device, and all that was done with it.
  struct Device: Sendable {
    /// The address that it is called by.
    var address: DeviceAddress?
    /// All of its addresses, and the identity.
    var addresses: [DeviceAddress] = []
    /// Its names.
    var names: [[UInt8]] = []
    /// The part that the captured host plays; nil where it is not known, or several.
    var localRole: Connection.Role?
    /// The addresses of the captured host.
    var ownAddresses: [DeviceAddress] = []
    /// The connections with it, by their numbers.
    var connections: [Int] = []
    /// What was done.
    var session: Session
  }

  /// The devices, in the order of their first connections.
  private(set) var devices: [Device] = []
  /// How many records were read; nil of a map.
  private(set) var records: Int?
  /// Whether the capture is damaged: what is before the damage was read.
  private(set) var isDamaged = false

  /// Whether it is a map that was saved: nothing but attributes can be compared.
  var isMap: Bool { records == nil }

  /// What was remembered of a capture.
  init(
    _ maps: [MapDevice], _ connections: [ConnectionHistory],
    _ recorder: borrowing OperationRecorder, records: Int, isDamaged: Bool,
    _ memory: borrowing Memory
  ) {
    self.records = records
    self.isDamaged = isDamaged
    var reader = MapReader(showsKeys: recorder.showsKeys, recorder.profiles)
    for map in maps where map.adapter == nil {
      var session = recorder.session
      let own = connections.filter { map.connections.contains($0.id) }
      session.connections = own.map { SessionConnection($0, recorder.operations[$0.id] ?? []) }
      var device = Device(session: session)
      device.address = map.identity ?? map.address
      device.addresses = map.addresses + [map.identity, map.address].compactMap(\.self)
      device.names = map.names
      device.connections = map.connections
      let roles = Set(own.compactMap(\.connection.localRole))
      if roles.count == 1 { device.localRole = roles.first }
      device.ownAddresses = own.compactMap(\.pairing.ownAddress?.address)
      let local = maps.first { other in
        other.adapter != nil && other.connections.contains { map.connections.contains($0) }
      }
      if let local, let address = local.address { device.ownAddresses.append(address) }
      device.ownAddresses.removeAll { $0 == .zero }
      let peerMap = reader.map(of: map)
      let ownMap = local.map { reader.map(of: $0) }
      device.session.servers =
        device.localRole == .peripheral ? (ownMap, peerMap) : (peerMap, ownMap)
      devices.append(device)
    }
  }

  /// The devices of a saved map.
  init(_ maps: [(map: SuppliedMap, server: ServerMap)]) {
    for (map, server) in maps {
      var device = Device(session: Session())
      device.address = map.addresses.first
      device.addresses = map.addresses
      device.names = [map.name].compactMap(\.self)
      device.session.servers.peripheral = server
      devices.append(device)
    }
  }
}

/// Makes maps that are compared of those that `map` shows.
struct MapReader: ~Copyable {
  private var reading: ValueReading

  init(showsKeys: Bool, _ profiles: SuppliedProfiles) {
    reading = ValueReading(profiles, showsKeys: showsKeys)
  }

  mutating func map(of device: MapDevice) -> ServerMap {
    reading.learn(device)
    var map = ServerMap()
    map.isWhole = (
      device.serviceExtent == .all, device.characteristicExtent == .all,
      device.descriptorExtent == .all
    )
    for service in device.services {
      let start = service.declaration.handle
      var one = ServerMap.Service(
        service.declaration.uuid, start...max(start, service.end),
        packet: service.declaration.packet)
      one.isSecondary = service.declaration.isSecondary
      one.includes = service.includes.map { ($0.uuid, $0.target) }
      for characteristic in service.characteristics where !characteristic.isPlaceholder {
        one.characteristics.append(
          read(characteristic, service.declaration.uuid, device.key))
      }
      map.services.append(one)
    }
    return map
  }

  private mutating func read(
    _ characteristic: MapCharacteristic, _ service: BluetoothUUID, _ server: UInt64
  ) -> ServerMap.Characteristic {
    let attribute = characteristic.attribute
    var one = ServerMap.Characteristic(
      attribute.uuid, characteristic.declaration?.target ?? attribute.handle,
      properties: characteristic.declaration?.properties, packet: attribute.packet)
    one.value = value(characteristic.use, attribute.uuid, service, server)
    for descriptor in characteristic.descriptors {
      var other = ServerMap.Descriptor(
        descriptor.attribute.uuid, descriptor.attribute.handle,
        packet: descriptor.attribute.packet)
      other.value = value(descriptor.use, descriptor.attribute.uuid, nil, nil)
      one.descriptors.append(other)
    }
    return one
  }

  /// The last value, where it was read: what a client writes and a server sends belongs to the conversation.
  private mutating func value(
    _ use: AttributeUse?, _ uuid: BluetoothUUID, _ service: BluetoothUUID?, _ server: UInt64?
  ) -> ServerMap.Value? {
    guard let use, let bytes = use.value, use.valueOperation == .read else { return nil }
    let isHidden = !reading.showsKeys && (use.isSecret || reading.secretTypes.contains(uuid))
    return value(bytes, uuid, service, server, packet: use.valuePacket, isHidden: isHidden)
  }

  mutating func value(
    _ bytes: [UInt8], _ uuid: BluetoothUUID, _ service: BluetoothUUID?, _ server: UInt64?,
    packet: Int, isHidden: Bool
  ) -> ServerMap.Value {
    let isRead =
      !isHidden
      && reading.read(
        uuid.subjectKind, uuid, bytes.bytes, isWritten: false, service: service, server: server)
    return ServerMap.Value(
      bytes, text: isRead ? String(decoding: reading.line.bytes.array, as: UTF8.self) : "",
      packet: packet, isHidden: isHidden)
  }
}

extension Session.Role {
  /// An attribute by its type, its service, and the characteristic that it describes; of several alike by
  /// which one it is among them.
  init(_ attribute: AttributeIdentity, _ twins: TwinAttributes, _ memory: borrowing Memory) {
    var key: [UInt8] = []
    let add = { (uuid: BluetoothUUID?) in
      guard let uuid = uuid?.shortest else { return key.append(0) }
      key.append(uuid.width)
      for byte in uuid.octets { key.append(byte) }
    }
    var identity = attribute
    identity.needsHandle = false
    var words: Wording = "\(identity)"
    add(attribute.service)
    add(attribute.uuid)
    if attribute.uuid == nil, let handle = attribute.handle {
      key += [UInt8(handle >> 8), UInt8(handle & 0xff)]
    }
    if let owner = memory.owner(of: attribute, 0) {
      add(owner.uuid)
      words = "\(words) of \(short: owner)"
    }
    if attribute.kind == .value || attribute.kind == .descriptor, attribute.uuid != nil,
      let handle = attribute.handle
    {
      let server = memory.attributes.currentKey(attribute.server)
      if let (place, count) = twins.place(of: handle, on: server), count > 1 {
        key += [UInt8(place >> 8), UInt8(place & 0xff)]
        words = "\(words), \(place + 1) of \(count)"
      }
    }
    self.init(
      key: key, words: words, handle: attribute.handle, uuid: attribute.uuid,
      service: attribute.service)
  }
}

/// Which attributes nothing but their place tells from others: values of the same type in services of the same
/// type, descriptors of the same type of such characteristics.
struct TwinAttributes {
  /// What an attribute is.
  private struct Kind: Hashable {
    let service: BluetoothUUID
    let characteristic: BluetoothUUID
    let descriptor: BluetoothUUID?
  }

  /// One server's.
  private struct Server {
    /// By handle: of which attributes it is one, and at which place.
    var places: [UInt16: (kind: Int, place: Int)] = [:]
    var kinds: [Kind: Int] = [:]
    var counts: [Int] = []

    mutating func add(_ handle: UInt16, _ kind: Kind) {
      let number = kinds[kind] ?? counts.count
      if number == counts.count {
        kinds[kind] = number
        counts.append(0)
      }
      places[handle] = (number, counts[number])
      counts[number] += 1
    }
  }

  private var servers: [UInt64: Server] = [:]

  init(_ devices: [MapDevice]) {
    for device in devices where servers[device.key] == nil {
      var server = Server()
      for service in device.services {
        let uuid = service.declaration.uuid
        for characteristic in service.characteristics {
          let type = characteristic.attribute.uuid
          server.add(
            characteristic.value.handle, Kind(service: uuid, characteristic: type, descriptor: nil))
          for descriptor in characteristic.descriptors {
            server.add(
              descriptor.attribute.handle,
              Kind(service: uuid, characteristic: type, descriptor: descriptor.attribute.uuid))
          }
        }
      }
      servers[device.key] = server
    }
  }

  /// At which place among how many an attribute stands; nil of one that is not in the map.
  func place(of handle: UInt16, on server: UInt64) -> (place: Int, count: Int)? {
    guard let server = servers[server], let (kind, place) = server.places[handle] else {
      return nil
    }
    return (place, server.counts[kind])
  }
}

extension BluetoothUUID {
  /// Its bytes as two numbers hold them, most significant first.
  fileprivate var octets: [UInt8] {
    var octets: [UInt8] = []
    for half in [high, low] {
      for shift in stride(from: 56, through: 0, by: -8) {
        octets.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
      }
    }
    return octets
  }
}
