import Bluetooth
import Reports
import Sessions

/// Attributes that are distinguished only by their position: values of the same type in services of
/// the same type, and descriptors of the same type of such characteristics.
struct TwinAttributes {
  /// The type of an attribute in its context.
  private struct Kind: Hashable {
    let service: BluetoothUUID
    let characteristic: BluetoothUUID
    let descriptor: BluetoothUUID?
  }

  /// The attributes of one server.
  private struct Server {
    /// The kind of each attribute by handle, and its position among those of that kind.
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

  /// Returns the position of an attribute among equal ones, and their number, or nil if it is not
  /// in the map.
  func place(of handle: UInt16, on server: UInt64) -> (place: Int, count: Int)? {
    guard let server = servers[server], let (kind, place) = server.places[handle] else {
      return nil
    }
    return (place, server.counts[kind])
  }
}
