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

/// What became of supplied maps.
package struct SuppliedUse: Sendable {
  /// Peers whose name several maps have, so that none was applied: the first ones.
  package fileprivate(set) var ambiguous: [DeviceAddress] = []
  /// Peers that the only map was applied to although neither address nor name says that it is theirs: the
  /// first ones.
  package fileprivate(set) var assumed: [DeviceAddress] = []
  /// Whether a map was applied to any peer.
  package fileprivate(set) var isApplied = false
  /// Whether there was a peer to apply it to.
  package fileprivate(set) var wasAsked = false

  /// The first attribute of a map that the capture contradicts.
  package fileprivate(set) var conflict: SuppliedConflict?
  /// How many there are.
  package fileprivate(set) var conflicts = 0
  /// Where a server's Database Hash was read with which what was supplied does not agree.
  package fileprivate(set) var disagreeingHash: Int?

  private static let listed = 8

  fileprivate static func add(_ peer: DeviceAddress?, to list: inout [DeviceAddress]) {
    guard let peer, !list.contains(peer), list.count < Self.listed else { return }
    list.append(peer)
  }
}

/// The maps that were supplied, and to which servers they were applied.
struct SuppliedMaps: Sendable {
  var maps: [SuppliedMap] = []
  /// The servers that a map was applied to. It is not applied again: what they say themselves counts from
  /// then on, also where not all of that is remembered.
  private var served: Set<UInt64> = []
  /// What became of them, where there was a peer to apply one to: one array, as it is copied with the memory
  /// for each packet.
  private var uses: [SuppliedUse] = []

  /// What became of them.
  var use: SuppliedUse { uses.first ?? SuppliedUse() }

  /// The map of a device: by its addresses, else by its name, else the only one that there is. None where
  /// several fit equally.
  mutating func map(of addresses: [DeviceAddress], name: [UInt8]?) -> Int? {
    var use = self.use
    use.wasAsked = true
    let found = find(addresses, name: name, &use)
    if found != nil { use.isApplied = true }
    uses = [use]
    return found
  }

  /// Notes that a map is applied to a server; false where one was, or too many servers are known to tell.
  mutating func serve(_ key: UInt64, limit: Int) -> Bool {
    guard served.count < limit else { return false }
    return served.insert(key).inserted
  }

  /// Takes in that the capture contradicts a map.
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
    guard maps.count == 1 else { return nil }
    SuppliedUse.add(addresses.first, to: &use.assumed)
    return 0
  }
}

extension Memory {
  /// Takes maps from elsewhere, which say what servers have as long as these say nothing else.
  package mutating func supply(_ maps: [SuppliedMap]) { supplied.maps = maps }

  /// What became of the maps that were supplied; nil where none were.
  ///
  /// For the end of a capture: hashes are computed.
  package var suppliedUse: SuppliedUse? {
    guard !supplied.maps.isEmpty else { return nil }
    var use = supplied.use
    // What is contradicted was not used: the hash says nothing more.
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

  /// Applies the map that was supplied for the peer of a link, when its first ATT PDU comes: once. What the
  /// server has said since counts on its next connections, too.
  mutating func applySupplied(to link: LinkSlot, packet: Int) {
    links[link].hasLookedForMap = true
    let connection = links.connection(link)
    let addresses = [connection.peer, connection.identity?.address, connection.peerResolvable]
    guard
      let map = supplied.map(
        of: addresses.compactMap(\.self), name: connection.name.flatMap { names[$0] })
    else { return }
    let key = Attributes.key(isLocal: false, connection)
    guard supplied.serve(key, limit: shared.values.suppliedServers),
      let server = attributes.begin(map: map, of: key, packet: packet)
    else { return }
    for attribute in supplied.maps[map].attributes { _ = attributes.note(attribute, server) }
  }
}
