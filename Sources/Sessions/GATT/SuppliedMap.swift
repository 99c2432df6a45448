// Maps from other sources, supplied with --map.

package import Bluetooth

/// A device's map from another source: another capture, or a host's own storage.
package struct SuppliedMap: Sendable {
  /// The addresses of the device; empty: only its name is known, or neither.
  package var addresses: [DeviceAddress] = []
  package var name: [UInt8]?
  package var attributes: [Attribute] = []
  /// Whether it is not used for a peer with another address or name, even if it is the only map.
  package var isForItsDeviceOnly = false

  /// Creates an empty map.
  package init() {}

  /// Creates an attribute of a supplied map.
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

extension Attribute {
  /// The attribute as part of a supplied map; nil if no server reported it.
  package var supplied: Attribute? {
    if via == .inferred { return nil }
    return SuppliedMap.attribute(
      handle, kind, uuid, target: target, end: end, isSecondary: isSecondary, properties: properties
    )
  }
}

/// How supplied maps were used.
package struct SuppliedUse: Sendable {
  /// Peers whose name appears in several maps, so that none was applied; up to a limit.
  package fileprivate(set) var ambiguous: [DeviceAddress] = []
  /// Peers to which the only map was applied although neither address nor name matches; up to a
  /// limit.
  package fileprivate(set) var assumed: [DeviceAddress] = []
  /// Whether a map was applied to any peer.
  package fileprivate(set) var isApplied = false
  /// Whether there was a peer to apply a map to.
  package fileprivate(set) var wasAsked = false

  /// The first attribute of a map that the capture contradicts.
  package fileprivate(set) var conflict: SuppliedConflict?
  /// The number of contradicted attributes.
  package fileprivate(set) var conflicts = 0
  /// The packet with a server's Database Hash that the supplied attributes do not match.
  package fileprivate(set) var disagreeingHash: Int?

  private static let listed = 8

  fileprivate static func add(_ peer: DeviceAddress?, to list: inout [DeviceAddress]) {
    guard let peer, !list.contains(peer), list.count < Self.listed else { return }
    list.append(peer)
  }
}

/// The supplied maps, and the servers to which they were applied.
struct SuppliedMaps: Sendable {
  private let maps: [SuppliedMap]
  /// The servers to which a map was applied. It is not applied again: from then on only what they
  /// report themselves counts, even if not all of it is remembered.
  private var served: Set<UInt64> = []
  /// How the maps were used.
  private var use = SuppliedUse()

  init(_ maps: [SuppliedMap] = []) { self.maps = maps }

  var isEmpty: Bool { maps.isEmpty }

  /// Returns how the maps were used, given all that is known about attributes at the end of a
  /// capture; nil if there are no maps.
  func use(of attributes: Attributes) -> SuppliedUse? {
    guard !maps.isEmpty else { return nil }
    var use = self.use
    // A contradicted map was not used, so the hash reveals nothing more.
    guard use.conflict == nil else { return use }
    for server in attributes.servers {
      guard let hash = server.hash else { continue }
      let known = server.attributes
      guard known.contains(where: { $0.via == .supplied }),
        !DatabaseProof.agrees(known.filter { $0.via != .inferred }, hash: hash.value),
        DatabaseProof.conclusions(known, [], hash: hash) == nil
      else { continue }
      use.disagreeingHash = hash.packet
      break
    }
    return use
  }

  /// Applies the map that was supplied for the peer of a connection, once, at its first ATT PDU.
  /// What the server has reported since also counts on its next connections.
  ///
  /// - Parameter limit: to how many servers maps are applied.
  mutating func apply(
    to connection: Connection, _ names: Names, _ attributes: inout Attributes, packet: Int,
    limit: Int
  ) {
    let addresses = [connection.peer, connection.identity?.address, connection.peerResolvable]
    let key = Attributes.key(of: .peer, connection)
    guard
      let map = map(
        of: addresses.compactMap(\.self), name: connection.name.flatMap { names[$0] }),
      served.count < limit, served.insert(key).inserted,
      let server = attributes.begin(map: map, of: key, packet: packet)
    else { return }
    for attribute in maps[map].attributes { _ = attributes.note(attribute, server) }
  }

  /// Returns the map of a device: by its addresses, else by its name, else the only map. Returns
  /// nil if several match equally.
  private mutating func map(of addresses: [DeviceAddress], name: [UInt8]?) -> Int? {
    use.wasAsked = true
    let found = find(addresses, name: name)
    if found != nil { use.isApplied = true }
    return found
  }

  /// Records that the capture contradicts a map.
  mutating func note(_ conflict: SuppliedConflict) {
    use.conflict = use.conflict ?? conflict
    use.conflicts += 1
  }

  private mutating func find(_ addresses: [DeviceAddress], name: [UInt8]?) -> Int? {
    let byAddress = maps.lastIndex { $0.addresses.contains { addresses.contains($0) } }
    if let byAddress { return byAddress }
    if let name {
      let byName = maps.indices.filter { maps[$0].name == name }
      if byName.count == 1 { return byName[0] }
      if byName.count > 1 {
        SuppliedUse.add(addresses.first, to: &use.ambiguous)
        return nil
      }
    }
    guard maps.count == 1, !maps[0].isForItsDeviceOnly else { return nil }
    SuppliedUse.add(addresses.first, to: &use.assumed)
    return 0
  }
}
