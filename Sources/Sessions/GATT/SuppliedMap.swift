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
  var maps: [SuppliedMap] = []
  /// The servers to which a map was applied. It is not applied again: from then on only what they
  /// report themselves counts, even if not all of it is remembered.
  private var served: Set<UInt64> = []
  /// How the maps were used, once there was a peer to apply one to. It is an array of at most one
  /// element, since it is copied with the memory for each packet.
  private var uses: [SuppliedUse] = []

  /// How the maps were used.
  var use: SuppliedUse { uses.first ?? SuppliedUse() }

  /// Returns the map of a device: by its addresses, else by its name, else the only map. Returns
  /// nil if several match equally.
  mutating func map(of addresses: [DeviceAddress], name: [UInt8]?) -> Int? {
    var use = self.use
    use.wasAsked = true
    let found = find(addresses, name: name, &use)
    if found != nil { use.isApplied = true }
    uses = [use]
    return found
  }

  /// Records that a map is applied to a server. Returns false if one already was, or if there are
  /// too many servers.
  mutating func serve(_ key: UInt64, limit: Int) -> Bool {
    guard served.count < limit else { return false }
    return served.insert(key).inserted
  }

  /// Records that the capture contradicts a map.
  mutating func note(_ conflict: SuppliedConflict) {
    var use = self.use
    use.conflict = use.conflict ?? conflict
    use.conflicts += 1
    uses = [use]
  }

  private func find(
    _ addresses: [DeviceAddress], name: [UInt8]?, _ use: inout SuppliedUse
  ) -> Int? {
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

extension Memory {
  /// Supplies maps from other sources, which count until a server reports something else.
  package mutating func supply(_ maps: [SuppliedMap]) { supplied.maps = maps }

  /// How the supplied maps were used; nil if there were none.
  ///
  /// Only for the end of a capture, since it computes hashes.
  package var suppliedUse: SuppliedUse? {
    guard !supplied.maps.isEmpty else { return nil }
    var use = supplied.use
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

  /// Applies the map that was supplied for the peer of a link, once, at its first ATT PDU. What the
  /// server has reported since also counts on its next connections.
  mutating func applySupplied(to link: LinkSlot, packet: Int) {
    links[link].hasLookedForMap = true
    let connection = links.connection(link)
    let addresses = [connection.peer, connection.identity?.address, connection.peerResolvable]
    guard
      let map = supplied.map(
        of: addresses.compactMap(\.self), name: connection.name.flatMap { names[$0] })
    else { return }
    let key = Attributes.key(of: .peer, connection)
    guard supplied.serve(key, limit: shared.values.suppliedServers),
      let server = attributes.begin(map: map, of: key, packet: packet)
    else { return }
    for attribute in supplied.maps[map].attributes { _ = attributes.note(attribute, server) }
  }
}
