import Bluetooth
import Sessions

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
