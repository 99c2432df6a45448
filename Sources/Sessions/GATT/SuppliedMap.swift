// Maps from elsewhere: what --map brings.

package import Bluetooth

/// What a map from elsewhere says of a device: another capture's, or a host's own memory.
package struct SuppliedMap: Sendable {
  /// The addresses that the device is known by; none: it is known by its name alone, or not at all.
  package var addresses: [DeviceAddress] = []
  /// Its name.
  package var name: [UInt8]?
  /// Its attributes.
  package var attributes: [Attribute] = []

  /// A map of nothing.
  package init() {}

  /// An attribute of such a map.
  package static func attribute(
    _ handle: UInt16, _ kind: Attribute.Kind, _ uuid: BluetoothUUID, target: UInt16 = 0,
    end: UInt16 = 0, isSecondary: Bool = false,
    properties: CharacteristicProperties = CharacteristicProperties(rawValue: 0)
  ) -> Attribute {
    var attribute = Attribute(handle: handle, kind: kind, uuid: uuid, connection: 0, packet: 0)
    attribute.via = .supplied
    attribute.target = target
    attribute.end = end
    attribute.isSecondary = isSecondary
    attribute.properties = properties
    return attribute
  }
}

/// The maps that were supplied, and to which connections they were applied.
struct SuppliedMaps: Sendable {
  var maps: [SuppliedMap] = []
  /// The connection that was looked at last.
  var latest = 0

  /// The map of a device: by its addresses, else by its name, else the only one that there is. None where
  /// several fit equally.
  func map(of addresses: [DeviceAddress], name: [UInt8]?) -> SuppliedMap? {
    let byAddress = maps.filter { $0.addresses.contains { addresses.contains($0) } }
    if let map = byAddress.last { return map }
    if let name {
      let byName = maps.filter { $0.name == name }
      if byName.count == 1 { return byName[0] }
    }
    return maps.count == 1 ? maps[0] : nil
  }
}

extension Memory {
  /// Takes maps from elsewhere, which say what servers have as long as these say nothing else.
  package mutating func supply(_ maps: [SuppliedMap]) { supplied.maps = maps }

  /// Applies the map that was supplied for the peer of a link, when its first ATT PDU comes.
  mutating func applySupplied(to link: LinkSlot, packet: Int) {
    guard links[link].id != supplied.latest else { return }
    supplied.latest = links[link].id
    let connection = links.connection(link)
    let addresses = [connection.peer, connection.identity?.address, connection.peerResolvable]
    guard
      let map = supplied.map(
        of: addresses.compactMap(\.self), name: connection.name.flatMap { names[$0] })
    else { return }
    let server = attributes.open(
      Attributes.key(isLocal: false, connection), packet: packet)
    for attribute in map.attributes { _ = attributes.note(attribute, server) }
  }
}
