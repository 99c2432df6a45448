import Bluetooth
import Cryptography
import Histories
import Reports
import Sessions

/// One side of `diff`: the devices of a capture, or those of a saved map.
package struct RememberedCapture: Sendable {
  /// A device, and everything that was done with it.
  struct Device: Sendable {
    /// The address by which it is named.
    fileprivate(set) var address: DeviceAddress?
    /// All its addresses, including the identity address.
    fileprivate(set) var addresses: [DeviceAddress] = []
    fileprivate(set) var names: [[UInt8]] = []
    /// The role of the captured host; nil if it is unknown, or varies.
    fileprivate(set) var localRole: LinkRole?
    /// Whether it was recorded on the air, where no host was captured.
    fileprivate(set) var isOnAir = false
    /// The addresses of the captured host.
    fileprivate(set) var ownAddresses: [DeviceAddress] = []
    /// The numbers of its connections.
    var connections: [Int] = []
    /// The attributes that it reported.
    fileprivate(set) var map = SuppliedMap()
    /// What was done with it.
    var session: ComparedSession
  }

  /// The devices, in the order of their first connections.
  var devices: [Device] = []
  /// The number of records that were read; nil for a map.
  private(set) var records: Int?
  /// Whether the capture is damaged, so that it was read only up to the damage.
  private(set) var isDamaged = false

  /// Whether it is a saved map, so that only attributes can be compared.
  var isMap: Bool { records == nil }

  /// Creates a side from what was remembered of a capture.
  init(
    _ maps: [MapDevice], _ connections: [ConnectionHistory],
    _ recorder: borrowing OperationRecorder, records: Int, isDamaged: Bool,
    _ memory: borrowing Memory
  ) {
    self.records = records
    self.isDamaged = isDamaged
    var reader = MapReader(showsKeys: recorder.showsKeys, recorder.profiles)
    for map in maps where map.adapter == nil {
      var session = recorder.session
      let own = connections.filter { map.connections.contains($0.id) }
      session.connections = own.map { history in
        SessionConnection(
          history, recorder.operations[history.id] ?? [],
          parts: memory.coverage.parts(of: history.connection),
          hasUncompared: recorder.uncompared.contains(history.id))
      }
      var device = Device(session: session)
      device.address = map.identity ?? map.address
      device.addresses = map.addresses + [map.identity, map.address].compactMap(\.self)
      device.names = map.names
      device.map.attributes = (map.database?.attributes ?? []).compactMap(\.supplied)
      device.connections = map.connections
      let roles = Set(own.compactMap { $0.connection.role(of: .local) })
      if roles.count == 1 { device.localRole = roles.first }
      device.isOnAir = own.contains(where: \.connection.isOnAir)
      device.ownAddresses = own.compactMap(\.pairing.ownAddress?.address)
      let local = maps.first { other in
        other.adapter != nil && other.connections.contains { map.connections.contains($0) }
      }
      if let local, let address = local.address { device.ownAddresses.append(address) }
      device.ownAddresses.removeAll { $0 == .zero }
      let peerMap = reader.map(of: map)
      let ownMap = local.map { reader.map(of: $0) }
      device.session.servers =
        device.localRole == .peripheral ? (ownMap, peerMap) : (peerMap, ownMap)
      device.session.knowsServers = !roles.isEmpty
      devices.append(device)
    }
  }

  /// Creates a side from the devices of a saved map.
  init(_ maps: [(map: SuppliedMap, server: ServerMap)]) {
    for (map, server) in maps {
      var device = Device(session: ComparedSession())
      device.address = map.addresses.first
      device.addresses = map.addresses
      device.names = [map.name].compactMap(\.self)
      device.session.servers.peripheral = server
      devices.append(device)
    }
  }
}
