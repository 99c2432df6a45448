import Bluetooth
import Bytes
import Decoders
import Histories
import Meanings
import Reports
import Sessions

/// Converts the maps of `map` into maps that can be compared.
struct MapReader: ~Copyable {
  private var reading: ValueReading
  /// The values of a saved map, by handle.
  private var saved: [UInt16: [UInt8]] = [:]

  init(showsKeys: Bool, _ profiles: SuppliedProfiles) {
    reading = ValueReading(profiles, showsKeys: showsKeys)
  }

  /// Returns a saved map with its values. It does not show what was searched: everything counts as
  /// discovered.
  mutating func map(of read: SavedMap) -> ServerMap {
    saved = read.values
    var map = map(of: MapDevice(read.map))
    saved = [:]
    map.isWhole = ServerMap().isWhole
    return map
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
    one.value = value(of: one.handle, characteristic.use, attribute.uuid, service, server)
    for descriptor in characteristic.descriptors {
      var other = ServerMap.Descriptor(
        descriptor.attribute.uuid, descriptor.attribute.handle,
        packet: descriptor.attribute.packet)
      other.value = value(of: other.handle, descriptor.use, other.uuid, nil, nil)
      one.descriptors.append(other)
    }
    return one
  }

  /// Returns the last value, if it was read: written and sent values belong to the conversation.
  private mutating func value(
    of handle: UInt16, _ use: AttributeUse?, _ uuid: BluetoothUUID, _ service: BluetoothUUID?,
    _ server: UInt64?
  ) -> ServerMap.Value? {
    let read = use?.valueOperation == .read ? use?.value : nil
    guard let bytes = saved[handle] ?? read else { return nil }
    let isHidden = use.map { reading.profiles.hides($0, uuid) } ?? false
    let isRead =
      !isHidden
      && reading.read(
        uuid.subjectKind, uuid, bytes.bytes, isWritten: false, service: service, server: server)
    return ServerMap.Value(
      bytes, text: isRead ? String(decoding: reading.meaning.line.bytes.array, as: UTF8.self) : "",
      packet: use?.valuePacket ?? 0, isHidden: isHidden)
  }
}
