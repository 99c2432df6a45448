// The structures in advertising data and the services they contain, as both platforms pass them on.

import Bluetooth
import Bytes
import Dissectors

extension AdvertisedStructure {
  /// Returns the AD structures in advertising data.
  static func all(in data: RawSpan, isScanResponse: Bool) -> [AdvertisedStructure] {
    var structures = ADStructures(data, Slice(start: 0, count: data.byteCount))
    var all: [AdvertisedStructure] = []
    while let structure = structures.next() {
      all.append(
        AdvertisedStructure(
          type: structure.type, data: data.part(structure.data).array,
          isScanResponse: isScanResponse))
    }
    return all
  }

  private func uuids(width: Int) -> [BluetoothUUID] {
    stride(from: 0, to: data.count - data.count % width, by: width).compactMap { start in
      BluetoothUUID(littleEndian: Array(data[start..<start + width]))
    }
  }

  /// The services that it lists, if it does (Assigned Numbers, 2.3: 0x02 to 0x07).
  var serviceUUIDs: [BluetoothUUID]? {
    switch type.rawValue {
    case 0x02, 0x03: uuids(width: 2)
    case 0x04, 0x05: uuids(width: 4)
    case 0x06, 0x07: uuids(width: 16)
    default: nil
    }
  }

  /// The services that the device looks for, if it lists them (0x14, 0x1f, 0x15).
  var solicitedUUIDs: [BluetoothUUID]? {
    switch type.rawValue {
    case 0x14: uuids(width: 2)
    case 0x1f: uuids(width: 4)
    case 0x15: uuids(width: 16)
    default: nil
    }
  }

  /// Service data, with the UUID of its service.
  var serviceData: (uuid: BluetoothUUID, value: [UInt8])? {
    let width: Int
    switch type {
    case .serviceData16: width = 2
    case .serviceData32: width = 4
    case .serviceData128: width = 16
    default: return nil
    }
    guard data.count >= width, let uuid = BluetoothUUID(littleEndian: Array(data[..<width])) else {
      return nil
    }
    return (uuid, Array(data[width...]))
  }
}

extension BluetoothUUID {
  /// Creates a UUID from its bytes, the least significant first.
  fileprivate init?(littleEndian bytes: [UInt8]) {
    var cursor = Cursor(bytes.bytes)
    guard let uuid = try? BluetoothUUID(parsing: &cursor, width: bytes.count) else { return nil }
    self = uuid
  }
}
