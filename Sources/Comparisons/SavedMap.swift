import Bluetooth
package import Decoders
import Differences
package import Reports
import Sessions

extension RememberedCapture {
  /// Reads a saved map: the output of `map --json`, or one of BlueZ's cache files.
  ///
  /// - Parameter name: the file's own name.
  package init(
    savedMap bytes: [UInt8], name: String, _ profiles: SuppliedProfiles, showsKeys: Bool
  ) throws(MapFileError) {
    let maps = try MapFile.read(bytes, name: name)
    var reader = JSONReader(bytes)
    let devices = reader.document()?["devices"]?.elements ?? []
    var values: [[UInt16: [UInt8]]] = []
    for device in devices {
      var known: [UInt16: [UInt8]] = [:]
      for service in device["services"]?.elements ?? [] {
        for characteristic in service["characteristics"]?.elements ?? [] {
          Self.learn(characteristic, "value_handle", into: &known)
          for descriptor in characteristic["descriptors"]?.elements ?? [] {
            Self.learn(descriptor, "handle", into: &known)
          }
        }
      }
      values.append(known)
    }
    var meaning = MapReader(showsKeys: showsKeys, profiles)
    var read: [(map: SuppliedMap, server: ServerMap)] = []
    // Devices without attributes are not maps; the others keep their order.
    var left = values[...]
    for map in maps {
      let handles = Set(map.attributes.map(\.handle))
      while let first = left.first, !first.keys.allSatisfy(handles.contains), left.count > 1 {
        left.removeFirst()
      }
      read.append((map, meaning.map(of: map, left.popFirst() ?? [:])))
    }
    self.init(read)
  }

  /// Records an attribute's value if it was read: what was written or sent is not a property of the
  /// device.
  private static func learn(
    _ attribute: JSONReader.Value, _ key: String, into values: inout [UInt16: [UInt8]]
  ) {
    guard let handle = attribute[key]?.text.flatMap({ UInt16($0.dropFirst(2), radix: 16) }),
      attribute["value_operation"]?.text ?? "read" == "read",
      let digits = attribute["value"]?.text, digits.utf8.count.isMultiple(of: 2)
    else { return }
    var bytes: [UInt8] = []
    var rest = digits[...]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    values[handle] = bytes
  }
}

extension MapReader {
  /// Returns a map of supplied attributes with their known values.
  mutating func map(of supplied: SuppliedMap, _ values: [UInt16: [UInt8]]) -> ServerMap {
    var map = ServerMap()
    for attribute in supplied.attributes.sorted(by: { $0.handle < $1.handle }) {
      switch attribute.kind {
      case .service:
        let end = max(attribute.handle, attribute.end)
        var service = ServerMap.Service(attribute.uuid, attribute.handle...end, packet: 0)
        service.isSecondary = attribute.isSecondary
        map.services.append(service)
      case .include:
        guard !map.services.isEmpty else { continue }
        map.services[map.services.count - 1].includes.append((attribute.uuid, attribute.target))
      case .characteristic:
        guard !map.services.isEmpty else { continue }
        let service = map.services.count - 1
        var one = ServerMap.Characteristic(
          attribute.uuid, attribute.target, properties: attribute.properties, packet: 0)
        one.value = values[attribute.target].map {
          value($0, attribute.uuid, map.services[service].uuid, nil, packet: 0, isHidden: false)
        }
        map.services[service].characteristics.append(one)
      case .descriptor:
        guard let service = map.services.indices.last,
          let place = map.services[service].characteristics.indices.last
        else { continue }
        var one = ServerMap.Descriptor(attribute.uuid, attribute.handle, packet: 0)
        one.value = values[attribute.handle].map {
          value($0, attribute.uuid, nil, nil, packet: 0, isHidden: false)
        }
        map.services[service].characteristics[place].descriptors.append(one)
      case .value: break
      }
    }
    return map
  }
}
