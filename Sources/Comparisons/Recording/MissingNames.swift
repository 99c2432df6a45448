import Bluetooth
package import Sessions

// Names for the attributes of which a capture has only handles, since it begins after discovery.

extension RememberedCapture {
  /// Returns the maps that name attributes of the left and of the right capture, each from its
  /// counterpart on the other side.
  package static func namingMaps(
    _ left: Self, _ right: Self, _ options: DiffOptions
  ) -> (left: [SuppliedMap], right: [SuppliedMap]) {
    if left.isMap || right.isMap { return ([], []) }
    let pairs = DevicePairing(left, right, options.sides.left, options.sides.right).pairs
    return (
      pairs.compactMap { left.map(naming: $0.left, as: $0.right) },
      pairs.compactMap { right.map(naming: $0.right, as: $0.left) }
    )
  }

  private struct Key: Hashable {
    var handle: UInt16
    var kind: Attribute.Kind
  }

  /// Returns the map of `other` for a device of this capture, or nil if that is not the same device
  /// or has nothing to name.
  private func map(naming device: Device, as other: Device) -> SuppliedMap? {
    guard !other.map.attributes.isEmpty, device.localRole != .peripheral else { return nil }
    let unnamed = device.session.unnamedHandles
    guard other.map.attributes.contains(where: { unnamed.contains($0.handle) }),
      device.session.fits(other.map)
    else { return nil }
    var map = other.map
    // A server with another attribute has another map.
    let own = Dictionary(
      device.map.attributes.map { (Key(handle: $0.handle, kind: $0.kind), $0.uuid.shortest) },
      uniquingKeysWith: { first, _ in first })
    let isOther = map.attributes.contains { attribute in
      let known = own[Key(handle: attribute.handle, kind: attribute.kind)]
      return known.map { $0 != attribute.uuid.shortest } ?? false
    }
    if isOther { return nil }
    let isSame =
      device.addresses.contains { other.addresses.contains($0) }
      || device.names.contains { other.names.contains($0) }
    // If an address is missing, the only device of a capture may be the other one.
    let mayBeSame = device.addresses.isEmpty || other.addresses.isEmpty
    guard isSame || mayBeSame && devices.count == 1 else { return nil }
    map.addresses = device.addresses
    map.isForItsDeviceOnly = !device.addresses.isEmpty
    return map
  }

  /// Marks the names that an earlier reading of the same capture lacked as inferred.
  package mutating func markNames(since first: Self) {
    for place in devices.indices where place < first.devices.count {
      // What is compared of the maps is in the captures.
      devices[place].session.servers = first.devices[place].session.servers
      let known = first.devices[place].session.roles
      for role in devices[place].session.roles.indices
      where role < known.count && (known[role].uuid == nil || known[role].service == nil)
        && devices[place].session.roles[role].service != nil
      {
        devices[place].session.roles[role].isInferred = true
      }
    }
  }
}

extension ComparedSession {
  /// Returns whether all that succeeds with unnamed attributes is possible with those of a map:
  /// they are values or descriptors, with the properties that it takes (Core, Vol 3, Part G,
  /// 3.3.1.1).
  fileprivate func fits(_ map: SuppliedMap) -> Bool {
    var kinds: [UInt16: Attribute.Kind] = [:]
    var properties: [UInt16: CharacteristicProperties] = [:]
    for attribute in map.attributes {
      kinds[attribute.handle] = attribute.kind
      guard attribute.kind == .characteristic else { continue }
      properties[attribute.target] = attribute.properties
      kinds[attribute.target] = kinds[attribute.target] ?? .value
    }
    let unnamed = unnamedHandles
    return connections.lazy.flatMap(\.operations).allSatisfy { operation in
      guard case .value(let kind) = operation.kind, operation.hasSucceeded,
        let handle = operation.role.flatMap({ roles[$0].handle }), unnamed.contains(handle)
      else { return true }
      guard kinds[handle] == .value else { return kinds[handle] == .descriptor }
      guard let properties = properties[handle] else { return true }
      switch kind {
      case .read: return properties.has(bit: 1)
      case .writeWithoutResponse: return properties.has(bit: 2)
      case .write, .preparedWrite: return properties.has(bit: 3)
      case .notification: return properties.has(bit: 4)
      case .indication: return properties.has(bit: 5)
      case .signedWrite: return properties.has(bit: 6)
      case .advertisement, .data: return true
      }
    }
  }
}
