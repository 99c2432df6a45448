// The attributes of GATT servers as far as discovery has told: which UUID a handle stands for.

package import Bluetooth
import Bytes
import Dissectors

/// An attribute that was discovered.
package struct Attribute: Equatable, Sendable {
  /// What an attribute is.
  package enum Kind: UInt8, Sendable {
    /// The declaration of a service.
    case service
    /// The declaration of a characteristic.
    case characteristic
    /// The value of a characteristic.
    case value
    /// Anything else: a descriptor.
    case descriptor

    /// Whether it only says what other attributes are.
    fileprivate var isDeclaration: Bool { self == .service || self == .characteristic }

    /// As the JSON contract names it.
    package var key: StaticString {
      switch self {
      case .service: "service"
      case .characteristic: "characteristic"
      case .value: "value"
      case .descriptor: "descriptor"
      }
    }
  }

  /// Its handle.
  package let handle: UInt16
  /// What it is.
  package var kind: Kind
  /// The UUID of the service or characteristic that it declares, of the characteristic whose value it
  /// is, or of the descriptor: the UUID that it stands for.
  package var uuid: BluetoothUUID
  /// The number of the connection on which this was learnt last.
  package var connection: Int
  /// How many of its groups of digits tell a long UUID from all others of the server: 1 to 5.
  package fileprivate(set) var groups: UInt8 = 1
  /// Whether another attribute of the server has the same UUID: then the handle tells them apart. The
  /// declarations of services and characteristics do not count.
  package fileprivate(set) var hasTwin = false
}

/// What is known of the GATT servers of a capture. The seed of the GATT database: it answers which
/// UUID a handle stands for, no more.
///
/// A server is a peer by its address, or this host by its controller; its attributes stay known over
/// reconnections. Bounded: the server that was silent longest goes; attributes beyond the limit of
/// one server are not remembered.
package struct Attributes: Sendable {
  /// Where an attribute stands; valid until the next packet.
  package struct Place: Equatable, Sendable {
    fileprivate let server: Int
    fileprivate let position: Int
  }

  /// A service's range of handles.
  private struct Range: Sendable {
    let start: UInt16
    var end: UInt16
    var uuid: BluetoothUUID
  }

  private struct Server: Sendable {
    var key: UInt64
    var lastUse: Int
    /// By handle.
    var attributes: [Attribute] = []
    /// By first handle.
    var services: [Range] = []

    /// Where the attribute `handle` stands, or would.
    func position(_ handle: UInt16) -> Int {
      var (low, high) = (0, attributes.count)
      while low < high {
        let middle = (low + high) / 2
        if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
      }
      return low
    }

    func find(_ handle: UInt16) -> Int? {
      let position = position(handle)
      return position < attributes.count && attributes[position].handle == handle ? position : nil
    }
  }

  private var servers: [Server] = []
  /// The server that was asked for last: traffic comes in runs.
  private var latest = 0
  /// Whether something was not remembered for want of room, and that has not been said yet.
  private var isFull = false
  private var hasSaidFull = false
  /// Whether there was an attribute, or a request for one, whose value is a key.
  package private(set) var hasKeyMaterial = false
  private let shared: SharedLimits
  private var limits: Limits { shared.values }

  init(_ limits: SharedLimits) { shared = limits }

  // MARK: Asking

  /// The attribute at a place.
  package subscript(place: Place) -> Attribute { servers[place.server].attributes[place.position] }

  /// The service that holds the attribute at a place, where its range is known.
  package func service(of place: Place) -> BluetoothUUID? {
    let handle = self[place].handle
    let services = servers[place.server].services
    var (low, high) = (0, services.count)
    while low < high {
      let middle = (low + high) / 2
      if services[middle].start <= handle { low = middle + 1 } else { high = middle }
    }
    guard low > 0, services[low - 1].end >= handle else { return nil }
    return services[low - 1].uuid
  }

  /// The value of the characteristic that a descriptor belongs to: the one before it, where nothing but
  /// descriptors is known to stand between them (Core, Vol 3, Part G, 3.3.3). Nil also where that is
  /// far away: no characteristic has so many.
  package func value(before place: Place) -> Place? {
    var position = place.position
    guard servers[place.server].attributes[position].kind == .descriptor else { return nil }
    for _ in 0..<Self.mostDescriptors where position > 0 {
      let handle = servers[place.server].attributes[position].handle
      position -= 1
      let before = servers[place.server].attributes[position]
      guard before.handle + 1 == handle else { return nil }
      if before.kind == .value { return Place(server: place.server, position: position) }
      guard before.kind == .descriptor else { return nil }
    }
    return nil
  }

  private static let mostDescriptors = 16

  /// Where the attribute `handle` of a server stands, if it is known.
  mutating func find(_ handle: UInt16, of key: UInt64, packet: Int) -> Place? {
    guard let server = server(key), let position = servers[server].find(handle) else { return nil }
    servers[server].lastUse = packet
    return Place(server: server, position: position)
  }

  /// The same where nothing is to be noted.
  func look(_ handle: UInt16, of key: UInt64) -> Place? {
    guard let server = servers.firstIndex(where: { $0.key == key }),
      let position = servers[server].find(handle)
    else { return nil }
    return Place(server: server, position: position)
  }

  /// What a server is known by: a peer by its address and whether that is random, where it is not
  /// known by its connection, and this host by its controller.
  static func key(isLocal: Bool, _ connection: Connection) -> UInt64 {
    if isLocal { return 1 << 63 | UInt64(connection.adapter) }
    guard let peer = connection.peer else { return 1 << 62 | UInt64(connection.id) }
    return peer.value | UInt64((connection.peerType ?? .public).rawValue & 1) << 48
  }

  private mutating func server(_ key: UInt64) -> Int? {
    if latest < servers.count, servers[latest].key == key { return latest }
    guard let found = servers.firstIndex(where: { $0.key == key }) else { return nil }
    latest = found
    return found
  }

  // MARK: Learning

  /// The code's number, once, where something had no room.
  mutating func takeLimitReached() -> Int? {
    guard isFull, !hasSaidFull else { return nil }
    hasSaidFull = true
    return limits.attributes
  }

  /// Notes that a key was asked for by its type.
  mutating func noteKeyMaterial() { hasKeyMaterial = true }

  /// Learns from a response of discovery (Core, Vol 3, Part G, 4.4 to 4.7).
  ///
  /// - Parameters:
  ///   - bytes: what the slices of `items` count from.
  ///   - request: what the response answers: it says what the values are.
  mutating func learn(
    _ opcode: ATTOpcode, _ items: ATTItems, _ bytes: RawSpan, _ request: Request, of key: UInt64,
    connection: Int, packet: Int
  ) {
    switch opcode {
    case .readByGroupTypeResponse, .findByTypeValueResponse, .readByTypeResponse,
      .findInformationResponse:
      break
    default: return
    }
    let server = open(key, packet: packet)
    var cursor = Cursor(bytes, items.list)
    /// The handle behind a characteristic's declaration: its value's.
    var valueHandle: UInt16?
    while let item = items.next(&cursor) {
      guard let handle = item.handle else { return }
      if let type = item.type {
        let isValue = valueHandle == handle
        valueHandle = type == .characteristic && handle < .max ? handle + 1 : nil
        guard !type.isDeclaration else { continue }
        note(handle, isValue ? .value : .descriptor, type, server, connection)
      } else if let value = item.value {
        note(handle, item.endHandle, bytes.part(value), request, server, connection)
      } else if let end = item.endHandle, let uuid = request.service {
        note(handle, .service, uuid, server, connection)
        note(service: uuid, handle, end, server)
      }
    }
  }

  /// An attribute that was read by its type.
  private mutating func note(
    _ handle: UInt16, _ end: UInt16?, _ value: RawSpan, _ request: Request, _ server: Int,
    _ connection: Int
  ) {
    switch DeclaredAttribute(value, request.type) {
    case .service(let uuid):
      note(handle, .service, uuid, server, connection)
      if let end { note(service: uuid, handle, end, server) }
    case .characteristic(let declaration):
      note(handle, .characteristic, declaration.uuid, server, connection)
      note(declaration.valueHandle, .value, declaration.uuid, server, connection)
    case .include: break
    case .other:
      guard let type = request.type, !type.isDeclaration else { return }
      note(handle, type.isDescriptor ? .descriptor : .value, type, server, connection)
    }
  }

  private mutating func note(
    _ handle: UInt16, _ kind: Attribute.Kind, _ uuid: BluetoothUUID, _ server: Int,
    _ connection: Int
  ) {
    guard handle != 0 else { return }
    if uuid == .encryptedDataKeyMaterial { hasKeyMaterial = true }
    let position = servers[server].position(handle)
    let isKnown =
      position < servers[server].attributes.count
      && servers[server].attributes[position].handle == handle
    if isKnown {
      // A list of types does not tell a value from a descriptor; the declaration has.
      let before = servers[server].attributes[position]
      let isVaguer = kind == .descriptor && before.kind == .value && before.uuid == uuid
      let isNew = before.uuid != uuid || before.kind.isDeclaration && !kind.isDeclaration
      servers[server].attributes[position].kind = isVaguer ? .value : kind
      servers[server].attributes[position].uuid = uuid
      servers[server].attributes[position].connection = connection
      if isNew { compare(position, server) }
    } else if servers[server].attributes.count < limits.attributes {
      servers[server].attributes.insert(
        Attribute(handle: handle, kind: kind, uuid: uuid, connection: connection), at: position)
      compare(position, server)
    } else {
      isFull = true
    }
  }

  /// Notes of an attribute that is new, and of those that it is alike, what tells them apart.
  private mutating func compare(_ position: Int, _ server: Int) {
    var new = servers[server].attributes[position]
    (new.groups, new.hasTwin) = (1, false)
    for index in servers[server].attributes.indices where index != position {
      let other = servers[server].attributes[index]
      if other.uuid == new.uuid {
        guard !other.kind.isDeclaration, !new.kind.isDeclaration else { continue }
        new.hasTwin = true
        servers[server].attributes[index].hasTwin = true
      } else if new.uuid.width == 16, other.uuid.width == 16 {
        let groups = new.uuid.groups(unlike: other.uuid)
        guard groups > 1 else { continue }
        new.groups = max(new.groups, groups)
        servers[server].attributes[index].groups = max(other.groups, groups)
      }
    }
    servers[server].attributes[position] = new
  }

  private mutating func note(
    service uuid: BluetoothUUID, _ start: UInt16, _ end: UInt16, _ server: Int
  ) {
    // Looked at in place: a copy would have to be made anew with each insertion.
    let count = servers[server].services.count
    let position = servers[server].services.firstIndex { $0.start >= start } ?? count
    if position < count, servers[server].services[position].start == start {
      servers[server].services[position].end = end
      servers[server].services[position].uuid = uuid
    } else if count < limits.attributes {
      servers[server].services.insert(Range(start: start, end: end, uuid: uuid), at: position)
    }
  }

  /// Forgets the attributes of a range, which the server says have changed (Core, Vol 3, Part G, 7.1).
  mutating func forget(_ first: UInt16, _ last: UInt16, of key: UInt64) {
    guard let server = server(key) else { return }
    servers[server].attributes.removeAll { first <= $0.handle && $0.handle <= last }
    servers[server].services.removeAll { first <= $0.end && $0.start <= last }
  }

  /// The server of this key, which is new where it is not known.
  private mutating func open(_ key: UInt64, packet: Int) -> Int {
    if let known = server(key) {
      servers[known].lastUse = packet
      return known
    }
    let new = Server(key: key, lastUse: packet)
    if servers.count < max(1, limits.servers) {
      servers.append(new)
      latest = servers.count - 1
    } else {
      latest = servers.indices.min { servers[$0].lastUse < servers[$1].lastUse } ?? 0
      servers[latest] = new
      isFull = true
    }
    return latest
  }
}

extension BluetoothUUID {
  /// «Service Changed», whose indications name a range of handles.
  static let serviceChanged = Self(0x2a05)

  /// How many groups of digits two different long UUIDs take to be told apart: 8, 4, 4, 4 and 12 digits.
  fileprivate func groups(unlike other: BluetoothUUID) -> UInt8 {
    let (high, low) = (high ^ other.high, low ^ other.low)
    return high >> 32 != 0 ? 1 : high >> 16 != 0 ? 2 : high != 0 ? 3 : low >> 48 != 0 ? 4 : 5
  }

  /// Whether attributes of this type declare services, includes or characteristics.
  fileprivate var isDeclaration: Bool { width == 2 && 0x2800...0x2803 ~= low }

  /// Whether the Assigned Numbers give this type to descriptors.
  fileprivate var isDescriptor: Bool { width == 2 && low >> 8 == 0x29 }
}
