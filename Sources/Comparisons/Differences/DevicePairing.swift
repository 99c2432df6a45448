import Bluetooth
import Bytes
import Histories
import Reports
import Sessions

/// Two devices that are compared, and why they were paired.
struct DevicePair: Sendable {
  /// The criterion by which two devices were paired.
  enum Basis: JSONKey, Sendable {
    /// They were requested.
    case asked = "asked"
    /// They have an address in common.
    case address = "address"
    /// Each is the other's peer: the captures are from the two ends of one connection.
    case mirrored = "two_ends"
    /// They have the same name.
    case name = "name"
    /// Most of their services are the same.
    case map = "map"
    /// There is no other device on either side.
    case only = "only_ones"
    /// Neither capture contains an address: the first is paired with the first.
    case order = "order"

    /// In words, or nil if no explanation is needed.
    var words: StaticString? {
      switch self {
      case .asked, .address: nil
      case .mirrored: "paired as the two ends of one connection: the addresses mirror each other"
      case .name: "paired by their name"
      case .map: "paired by the shape of their maps"
      case .only:
        "paired as the only devices: no address, name or map shows that they are the same"
      case .order: "paired by their order: neither capture has an address"
      }
    }
  }

  fileprivate(set) var left: RememberedCapture.Device
  fileprivate(set) var right: RememberedCapture.Device
  let basis: Basis

  /// Whether their addresses show that they are two devices.
  var hasDifferentAddresses: Bool {
    !left.addresses.isEmpty && !right.addresses.isEmpty
      && !left.addresses.contains { right.addresses.contains($0) }
  }
}

extension DevicePair {
  fileprivate mutating func forgetConnections() {
    left.session.connections = []
    right.session.connections = []
  }
}

/// The pairing of the devices of both sides.
struct DevicePairing: Sendable {
  private(set) var pairs: [DevicePair] = []
  /// The index of the pair to be taken next.
  private var next = 0
  /// The devices without a counterpart.
  private(set) var unpaired: (left: [RememberedCapture.Device], right: [RememberedCapture.Device])

  private typealias Device = RememberedCapture.Device
  /// The minimum share of services and characteristics that two maps must have in common.
  private static let leastLikeness = 0.5

  init(
    _ left: RememberedCapture, _ right: RememberedCapture, _ leftSelection: Selection,
    _ rightSelection: Selection
  ) {
    unpaired = (left.chosen(by: leftSelection), right.chosen(by: rightSelection))
    let isAsked = !leftSelection.isEverything || !rightSelection.isEverything
    if isAsked, unpaired.left.count == 1, unpaired.right.count == 1 {
      let isMirrored = Self.mirror(unpaired.left[0], unpaired.right[0])
      pair(isMirrored ? .mirrored : .asked) { _, _ in true }
      return
    }
    pair(.address) { one, other in one.addresses.contains { other.addresses.contains($0) } }
    pair(.mirrored, Self.mirror)
    pair(.name) { one, other in one.names.contains { other.names.contains($0) } }
    pair(.map) { Self.likeness($0, $1) >= Self.leastLikeness }
    pair(.order) { $0.addresses.isEmpty && $1.addresses.isEmpty }
    if unpaired.left.count == 1, unpaired.right.count == 1, pairs.isEmpty {
      pair(.only) { _, _ in true }
    }
    pairs.sort { ($0.left.connections.first ?? 0) < ($1.left.connections.first ?? 0) }
  }

  private mutating func pair(_ basis: DevicePair.Basis, _ belong: (Device, Device) -> Bool) {
    var rest: [Device] = []
    for one in unpaired.left {
      if let place = unpaired.right.firstIndex(where: { belong(one, $0) }) {
        pairs.append(DevicePair(left: one, right: unpaired.right[place], basis: basis))
        unpaired.right.remove(at: place)
      } else {
        rest.append(one)
      }
    }
    unpaired.left = rest
  }

  /// Returns the next pair and the sessions of its devices. The pair itself keeps no connections.
  ///
  /// - Parameter withConnections: false if a side is a map, which has no conversation to compare.
  mutating func takeNext(
    withConnections: Bool
  ) -> (pair: DevicePair, left: ComparedSession, right: ComparedSession)? {
    guard next < pairs.count else { return nil }
    defer { next += 1 }
    if !withConnections { pairs[next].forgetConnections() }
    let (one, other) = (pairs[next].left.session, pairs[next].right.session)
    pairs[next].forgetConnections()
    return (pairs[next], one, other)
  }

  /// Returns whether each is the other's peer.
  private static func mirror(_ one: Device, _ other: Device) -> Bool {
    guard let role = one.localRole, let otherRole = other.localRole, role != otherRole else {
      return false
    }
    return one.ownAddresses.contains { other.addresses.contains($0) }
      && other.ownAddresses.contains { one.addresses.contains($0) }
  }

  /// Returns the share of services and characteristics in either map that both maps have. The
  /// services that every device has, GAP and GATT, prove nothing.
  private static func likeness(_ one: Device, _ other: Device) -> Double {
    let (left, right) = (one.session.servers.peripheral, other.session.servers.peripheral)
    guard let left, let right, !left.services.isEmpty, !right.services.isEmpty else { return 0 }
    let uuids = { (map: ServerMap) in
      var all: Set<BluetoothUUID> = []
      for service in map.services
      where !service.uuid.shortest.isShort(0x1800) && !service.uuid.shortest.isShort(0x1801) {
        all.insert(service.uuid.shortest)
        for characteristic in service.characteristics { all.insert(characteristic.uuid.shortest) }
      }
      return all
    }
    let (here, there) = (uuids(left), uuids(right))
    if here.isEmpty || there.isEmpty { return 0 }
    return Double(here.intersection(there).count) / Double(here.union(there).count)
  }
}

extension RememberedCapture {
  /// Returns the selected devices with the selected connections.
  fileprivate func chosen(by selection: Selection) -> [Device] {
    func isAsked(_ id: Int) -> Bool {
      selection.admits(excluding: { !$0.connections.isEmpty }, { $0.admits(connection: id) })
    }
    return devices.compactMap { device in
      let isWanted = selection.admits(excluding: { !$0.devices.isEmpty }) { selection in
        selection.devices.isEmpty || selection.devices.contains { $0.matches(device) }
      }
      guard isWanted else { return nil }
      var device = device
      let all = device.connections
      device.connections.removeAll { !isAsked($0) }
      device.session.connections.removeAll { !isAsked($0.history.id) }
      // A saved map has no connections that could be excluded.
      let isLeft =
        !device.connections.isEmpty || all.isEmpty && selection.connections.isEmpty
      return isLeft ? device : nil
    }
  }
}

extension DevicePattern {
  /// Returns whether a device is selected.
  fileprivate func matches(_ device: RememberedCapture.Device) -> Bool {
    if let bits = address {
      return device.addresses.contains { $0.value & bits.mask == bits.value }
    }
    return device.names.contains { matches(name: $0) }
  }
}
