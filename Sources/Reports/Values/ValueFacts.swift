import Bluetooth
import Bytes
import Captures
import Dissectors
import Meanings
import Sessions

/// The maximum numbers of connections and addresses that are listed for a server.
private let listedConnections = 8
private let listedAddresses = 8

/// The counts of a capture's values. Bounded by `Limits`.
package struct ValueFacts: Sendable {
  /// A server or an advertiser.
  struct Server: Sendable {
    let key: UInt64
    let side: Side
    let isAdvertiser: Bool
    /// The last address that it used.
    var peer: DeviceAddress?
    /// Its identity address, if it gave one or a key in the capture resolves the address that it
    /// used.
    var identity: DeviceAddress?
    /// The first addresses that it used, if there are several or an identity address.
    private(set) var addresses: [DeviceAddress] = []
    var name: Names.Entry?
    /// The first connections, and their total number.
    var connections: [Int] { connectionNumbers.first }
    var connectionCount: Int { connectionNumbers.count }
    var connectionNumbers = ConnectionNumbers()
    var mtu: BearerMTU?
    /// Where it was recorded.
    private(set) var vantage = Vantage.host

    init(key: UInt64, _ side: Side, isAdvertiser: Bool) {
      self.key = key
      self.side = side
      self.isAdvertiser = isAdvertiser
    }

    /// What the other device is called if its address is unknown.
    var unknown: StaticString { vantage == .air ? "peripheral unknown" : "peer unknown" }

    /// The address by which it is named.
    var address: DeviceAddress? { identity ?? peer }

    /// The other addresses that it used.
    var otherAddresses: [DeviceAddress] { addresses.filter { $0 != address } }

    /// Records the other side of a value.
    mutating func note(_ parties: ValueParties) {
      vantage = parties.vantage
      if let peer = parties.peer, peer != self.peer {
        self.peer = peer
        note(peer)
        // Other devices use this host, too.
        if side == .local { identity = nil }
      }
      if let identity = parties.identity { self.identity = identity }
    }

    private mutating func note(_ address: DeviceAddress) {
      guard side == .peer, addresses.count < listedAddresses, !addresses.contains(address) else {
        return
      }
      addresses.append(address)
    }

    /// Adds what is known of the same device under another address.
    mutating func absorb(_ other: Self) {
      for address in other.addresses { note(address) }
      name = name ?? other.name
      mtu = other.mtu ?? mtu
      connectionNumbers.absorb(other.connectionNumbers, limit: listedConnections)
    }
  }

  /// The writes that turned notifications or indications of a characteristic on or off.
  struct Subscription: Sendable {
    var server: UInt64
    /// The characteristic.
    let handle: UInt16
    /// The packet of the last write that turned them on, and of the last that turned them off; 0:
    /// none.
    var on = 0
    var off = 0
    /// Whether the last write turned them on.
    var isOn: Bool { on > off }
  }

  private(set) var servers: [Server] = []
  package private(set) var entries: [ValueEntry] = []
  private(set) var subscriptions: [Subscription] = []
  /// Writes that subscribe if their attribute turns out to be a CCCD.
  private var possible: [Possible] = []

  /// A write to an attribute whose type or owner was unknown.
  private struct Possible: Sendable {
    let attribute: AttributeIdentity
    /// The packet of the last write that enabled something, and of the last write.
    var on: Int?
    var last: Int
  }
  /// The number of values that were not counted for lack of room.
  private(set) var omitted = 0
  /// The number of values of counted attributes whose result was not counted for lack of room.
  private(set) var omittedResults = 0
  /// The number of entries that belong to advertisers.
  private var advertised = 0
  private var serverIndex: [UInt64: Int] = [:]
  private var latestServer: Int?
  private var plotRoom = PlotRoom()
  private var index: [ValueEntry.Key: Int] = [:]
  private var latest: (key: ValueEntry.Key, place: Int)?
  private let limits: Limits

  private static let mostSubscriptions = 256
  /// The number of attributes of which many distinct values are counted.
  private static let wellCounted = 4096

  init(_ limits: Limits) { self.limits = limits }

  /// - Parameters:
  ///   - meaning: what the value means.
  ///   - name: the name of its attribute, if only profiles name it.
  mutating func add(
    _ value: ConveyedValue, _ bytes: RawSpan, _ meaning: borrowing ValueMeaning, _ name: String?,
    plotsSince start: Timestamp? = nil
  ) {
    guard let place = place(value, bytes) else {
      omitted += 1
      return
    }
    // A characteristic that carries frames is named after them, even if other values follow.
    if let name, meaning.isMessage || !entries[place].hasFrames {
      entries[place].profileName = name
      entries[place].hasFrames = meaning.isMessage
    }
    // With thousands of attributes, the tables of distinct values would take most of the memory.
    let distinct =
      place < Self.wellCounted ? limits.distinctValues : limits.distinctValues / 8
    if !entries[place].add(value, bytes, meaning, distinctLimit: distinct) { omittedResults += 1 }
    if let start {
      entries[place].plots.add(value, bytes, meaning, since: start, &plotRoom)
      if plotRoom.shrink() {
        for place in entries.indices { entries[place].plots.limit(&plotRoom) }
      }
    }
    note(value)
    if value.operation == .write,
      value.attribute.uuid?.isShort(0x2902) ?? (value.attribute.handle != nil)
    {
      subscribe(value, bytes)
    }
  }

  /// Returns the index of the entry that a value belongs to.
  private mutating func place(_ value: ConveyedValue, _ bytes: RawSpan) -> Int? {
    let key = ValueEntry.Key(value)
    if let latest, latest.key == key { return latest.place }
    if let place = index[key] {
      latest = (key, place)
      return place
    }
    // Unknown advertisers take no room from attributes.
    let isAdvertised = value.operation == .advertisement
    let others = isAdvertised ? advertised : entries.count - advertised
    guard others < limits.valueSeries else { return nil }
    if isAdvertised { advertised += 1 }
    index[key] = entries.count
    latest = (key, entries.count)
    entries.append(ValueEntry(value, bytes))
    return entries.count - 1
  }

  /// Records the parties of a value.
  private mutating func note(_ value: ConveyedValue) {
    let key = value.attribute.server
    let place: Int
    if let latestServer, servers[latestServer].key == key {
      place = latestServer
    } else if let known = serverIndex[key] {
      place = known
    } else {
      place = servers.count
      serverIndex[key] = place
      servers.append(
        Server(
          key: key, value.attribute.side,
          isAdvertiser: value.operation == .advertisement))
    }
    latestServer = place
    servers[place].note(value.parties)
    let connection = value.parties.connection
    guard connection > 0 else { return }
    servers[place].connectionNumbers.note(connection, limit: listedConnections)
  }

  /// Records what is known of the link of the last value.
  mutating func learn(_ link: LinkSlot, _ memory: borrowing Memory) {
    guard let latestServer,
      servers[latestServer].connectionNumbers.latest == memory.links.id(link)
    else { return }
    if latest.map({ entries[$0.place].attribute.channel == nil }) ?? true {
      servers[latestServer].mtu = memory.links.attMTU(link)
    }
    if let name = memory.links.name(link) { servers[latestServer].name = name }
  }

  private mutating func subscribe(_ value: ConveyedValue, _ bytes: RawSpan) {
    guard value.outcome == .done, let slice = value.value, slice.count > 0 else { return }
    let isOn = bytes.byte(at: Int(slice.start)) & 3 != 0
    if value.attribute.uuid != nil, let owner = value.attribute.owner {
      subscribe(value.attribute.server, owner, value.packet, isOn)
    } else if slice.count == 2, bytes.littleEndianU16(at: Int(slice.start)) <= 3 {
      remember(value.attribute, value.packet, isOn)
    }
  }

  private mutating func remember(_ attribute: AttributeIdentity, _ packet: Int, _ isOn: Bool) {
    let known = possible.firstIndex {
      $0.attribute.server == attribute.server && $0.attribute.handle == attribute.handle
    }
    if let known {
      possible[known].last = packet
      if isOn { possible[known].on = packet }
    } else if possible.count < Self.mostSubscriptions {
      possible.append(Possible(attribute: attribute, on: isOn ? packet : nil, last: packet))
    }
  }

  private mutating func subscribe(_ server: UInt64, _ owner: UInt16, _ packet: Int, _ isOn: Bool) {
    var place = subscriptions.firstIndex { $0.server == server && $0.handle == owner }
    if place == nil, subscriptions.count < Self.mostSubscriptions {
      place = subscriptions.count
      subscriptions.append(Subscription(server: server, handle: owner))
    }
    guard let place else { return }
    // A write that is recognised only at the end may have been earlier.
    if isOn {
      subscriptions[place].on = max(subscriptions[place].on, packet)
    } else {
      subscriptions[place].off = max(subscriptions[place].off, packet)
    }
  }

  /// Returns whether the server sent a value of a characteristic after the subscription.
  func isHeard(_ subscription: Subscription) -> Bool {
    entries.contains { entry in
      entry.attribute.server == subscription.server
        && entry.attribute.handle == subscription.handle
        && entry.series.contains { series in
          (series.operation == .notification || series.operation == .indication)
            && series.lastPacket > subscription.on
        }
    }
  }

  /// Names attributes that were discovered after their use, and devices whose addresses were
  /// resolved later.
  mutating func finish(_ memory: borrowing Memory, _ reading: inout ValueReading) {
    for write in possible {
      let identity = memory.identity(
        of: write.attribute.handle, write.attribute.server, write.attribute.side,
        connection: 0)
      guard identity.uuid?.isShort(0x2902) ?? false, let owner = identity.owner else { continue }
      if let on = write.on { subscribe(write.attribute.server, owner, on, true) }
      if write.last != write.on { subscribe(write.attribute.server, owner, write.last, false) }
    }
    if !possible.isEmpty { subscriptions.sort { max($0.on, $0.off) < max($1.on, $1.off) } }
    for position in entries.indices
    where
      entries[position].attribute.mayBeKnownBetter && entries[position].attribute.handle != nil
    {
      let known = entries[position].attribute
      entries[position].attribute = memory.identity(
        of: known.handle, known.server, known.side, connection: 0)
      if known.uuid == nil {
        entries[position].readAgain(&reading)
        if entries[position].profileName == nil {
          entries[position].profileName = reading.name(entries[position].attribute.uuid)
        }
      }
    }
    for position in entries.indices {
      let subject = ErrorSubject(entries[position].attribute)
      for place in entries[position].series.indices {
        entries[position].series[place].nameErrors(subject, &reading)
      }
    }
    for position in servers.indices
    where servers[position].isAdvertiser && servers[position].name == nil {
      guard let peer = servers[position].peer else { continue }
      let type = AddressType(rawValue: UInt8(servers[position].key >> 48 & 1))
      servers[position].name = memory.names.find(peer, type)
    }
    unite(memory)
  }

  /// The names of attributes that only profiles name.
  var names: ProfileNames { ProfileNames(entries) }

  /// Merges servers that turn out to be one device, which used several resolvable addresses that a
  /// key resolves.
  private mutating func unite(_ memory: borrowing Memory) {
    var places: [UInt64: Int] = [:]
    var renamed: [UInt64: UInt64] = [:]
    var united: [Server] = []
    for var server in servers {
      var key = server.key
      if server.side == .peer {
        for address in server.addresses {
          guard let known = memory.resolve(server: key, peer: address) else { continue }
          server.identity = known.identity.address
          key = known.server
          if server.name == nil {
            server.name = memory.names.find(known.identity.address, known.identity.type)
          }
          break
        }
      }
      if let place = places[key] {
        united[place].absorb(server)
        renamed[server.key] = united[place].key
      } else {
        places[key] = united.count
        united.append(server)
      }
    }
    servers = united
    guard !renamed.isEmpty else { return }
    for position in subscriptions.indices {
      subscriptions[position].server =
        renamed[subscriptions[position].server] ?? subscriptions[position].server
    }
    let parted = entries
    entries = []
    var known: [ValueEntry.Key: Int] = [:]
    for var entry in parted {
      entry.attribute.server = renamed[entry.attribute.server] ?? entry.attribute.server
      let key = ValueEntry.Key(entry.attribute, entry.company)
      // Values that were read together have no handle of their own.
      if entry.handles.isEmpty, let place = known[key] {
        entries[place].absorb(entry, limits)
      } else {
        known[key] = entries.count
        entries.append(entry)
      }
    }
  }
}

/// The names of attributes that only profiles name, as the table has them.
struct ProfileNames: Sendable {
  fileprivate struct Key: Hashable {
    let server: UInt64
    let handle: UInt16?
    let uuid: BluetoothUUID?
  }

  private var names: [Key: String] = [:]

  fileprivate init(_ entries: [ValueEntry]) {
    for entry in entries {
      names[Key(entry.attribute)] = entry.profileName
    }
  }

  /// Returns the name of an attribute; nil if it has another one, or none.
  func name(of attribute: AttributeIdentity, _ reading: inout ValueReading) -> String? {
    names[Key(attribute)] ?? reading.name(attribute.uuid)
  }
}

extension ProfileNames.Key {
  fileprivate init(_ attribute: AttributeIdentity) {
    self.init(server: attribute.server, handle: attribute.handle, uuid: attribute.uuid)
  }
}
