// The attributes of all GATT servers: which UUID a handle stands for, and how that is known.

package import Bluetooth
import Bytes
import Dissectors

/// The GATT databases of a capture.
///
/// A server is a peer by its identity where that is known, else by its address, or this host by its
/// controller; its attributes stay known over reconnections. Bounded: the server that was silent
/// longest goes; attributes beyond the limit of one server are not remembered.
package struct Attributes: Sendable {
  /// Where an attribute stands; valid until the next packet.
  package struct Place: Equatable, Sendable {
    let server: Int
    let slot: Int
  }

  /// The databases.
  package private(set) var servers: [Database] = []
  /// The server that was asked for last: traffic comes in runs.
  private var latest = 0
  /// Keys that have become others: a device told who it is.
  private var renamed: [(from: UInt64, to: UInt64)] = []
  /// Whether something was not remembered for want of room, and that has not been said yet.
  private var isFull = false
  private var hasSaidFull = false
  /// Whether there was an attribute, or a request for one, whose value is a key or holds a secret.
  package private(set) var hasKeyMaterial = false
  /// Which attributes have such values.
  package let secretTypes: SecretTypes
  /// The supplied maps that are out of date and whose server is forgotten, and whether that server's address
  /// tells it from all others.
  private var outdated: [(map: Int, isIdentified: Bool)] = []
  private let shared: SharedLimits
  private var limits: Limits { shared.values }

  init(_ limits: SharedLimits, _ secretTypes: SecretTypes) {
    shared = limits
    self.secretTypes = secretTypes
  }

  // MARK: Asking
  //
  // What is asked for every packet reaches for single attributes, and asks the databases themselves only
  // where those do not tell: a database is copied for that.

  /// The attribute at a place.
  package subscript(place: Place) -> Attribute { servers[place.server][place.slot] }

  /// The service that holds the attribute at a place, where its range is known.
  @inline(never)
  package func service(of place: Place) -> BluetoothUUID? {
    servers[place.server].service(of: servers[place.server].handle(at: place.slot))?.uuid
  }

  /// The service whose range holds a handle of which nothing else is known.
  func service(of handle: UInt16, of key: UInt64) -> BluetoothUUID? {
    servers.first { $0.key == key }?.service(of: handle)?.uuid
  }

  /// The value of the characteristic that a descriptor belongs to, where that is known.
  @inline(__always)
  package func value(before place: Place) -> Place? {
    servers[place.server].slots[place.slot].kind == .descriptor ? value(ofDescriptor: place) : nil
  }

  @inline(never)
  private func value(ofDescriptor place: Place) -> Place? {
    let handle = servers[place.server].slots[place.slot].handle
    return servers[place.server].value(before: handle).map {
      Place(server: place.server, slot: $0)
    }
  }

  /// How the attribute at a place is known on a connection.
  @inline(__always)
  package func via(of place: Place, on connection: Int) -> Attribute.Via {
    let via = servers[place.server].slots[place.slot].via
    return via == .discovered && servers[place.server].slots[place.slot].connection != connection
      ? viaAgain(place, connection) : via
  }

  /// How an attribute is known that was discovered on another connection.
  @inline(never)
  private func viaAgain(_ place: Place, _ connection: Int) -> Attribute.Via {
    servers[place.server].via(of: servers[place.server][place.slot], on: connection)
  }

  /// Where the attribute `handle` of a server stands, if it is known.
  mutating func find(_ handle: UInt16, of key: UInt64, packet: Int) -> Place? {
    guard let server = server(key), let slot = servers[server].find(handle) else { return nil }
    servers[server].lastUse = packet
    return Place(server: server, slot: slot)
  }

  /// The same where nothing is to be noted.
  func look(_ handle: UInt16, of key: UInt64) -> Place? {
    guard let server = servers.firstIndex(where: { $0.key == key }),
      let slot = servers[server].look(handle)
    else { return nil }
    return Place(server: server, slot: slot)
  }

  /// Whether an item of a Read By Type Response whose request is not in the capture is an attribute's value
  /// that was read: not a declaration, of which discovery lists many, nor what reads like one.
  func isRead(_ handle: UInt16, _ value: RawSpan, of key: UInt64) -> Bool {
    if let place = look(handle, of: currentKey(key)) { return !self[place].kind.isDeclaration }
    if let declaration = CharacteristicDeclaration(value) {
      return declaration.valueHandle <= handle
    }
    return IncludeDeclaration(value) == nil
  }

  /// Whether the attribute at a place is of the type `uuid`, a short one.
  func isShort(_ place: Place, _ uuid: UInt16) -> Bool {
    servers[place.server].isShort(place.slot, uuid)
  }

  /// Takes in that an attribute sends its value: then it is a characteristic's, where a list of types has not
  /// told it from a descriptor.
  mutating func noteValue(_ place: Place) { servers[place.server].noteValue(place.slot) }

  /// What a server is known by: a peer by its identity or address and whether that is random, where
  /// it is not known by its connection, and this host by its controller.
  package static func key(isLocal: Bool, _ connection: Connection) -> UInt64 {
    if isLocal { return 1 << 63 | UInt64(connection.adapter) }
    if let identity = connection.identity { return key(identity.address, identity.type) }
    guard let peer = connection.peer else { return 1 << 62 | UInt64(connection.id) }
    return key(peer, connection.peerType ?? .public)
  }

  /// Whether the key is of this host's own server.
  static func isLocal(_ key: UInt64) -> Bool { key >> 63 == 1 }

  /// The same of a device that is no connection's peer.
  package static func key(_ address: DeviceAddress, _ type: AddressType) -> UInt64 {
    address.value | UInt64(type.rawValue & 1) << 48
  }

  /// What a server is known by now that was known by `key`.
  package func currentKey(_ key: UInt64) -> UInt64 {
    renamed.last { $0.from == key }?.to ?? key
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

  /// Takes in what an attribute is, and says what was said of it before, where that was something else.
  mutating func note(_ attribute: Attribute, _ server: Int) -> Attribute? {
    if secretTypes.contains(attribute.uuid) { hasKeyMaterial = true }
    let (hasRoom, older) = servers[server].note(attribute, limit: limits.attributes)
    if !hasRoom { isFull = true }
    return older
  }

  /// Takes in that what was supplied of the attribute at a place is contradicted; it is not known any more.
  mutating func refute(
    _ place: Place, _ operation: AttributeUse.Operation, _ error: ATTErrorCode?, packet: Int
  ) -> SuppliedConflict {
    let conflict = servers[place.server].conflict(place.slot, operation, error, packet: packet)
    servers[place.server].note(conflict)
    return conflict
  }

  /// Whether use contradicts what was supplied of the attribute at a place.
  func contradiction(
    _ place: Place, _ opcode: ATTOpcode, _ fields: ATTFields, _ request: Request?
  ) -> (operation: AttributeUse.Operation, error: ATTErrorCode?)? {
    servers[place.server].contradiction(place.slot, opcode, fields, request)
  }

  /// Changes one database in place.
  mutating func change(_ server: Int, _ change: (inout Database) -> Void) {
    change(&servers[server])
  }

  /// Forgets the attributes of a range, which the server says have changed (Core, Vol 3, Part G, 7.1).
  mutating func forget(_ first: UInt16, _ last: UInt16, of key: UInt64) {
    guard let server = server(key) else { return }
    servers[server].forget(first, last)
  }

  /// Takes in that what is known of a server is certain to hold on a connection.
  mutating func makeCertain(_ key: UInt64, on connection: Int) {
    guard let server = server(key) else { return }
    servers[server].certainOn = connection
  }

  /// Takes in that a device that was known by `old` is the one that is known by `new`: what it has
  /// said last is added to what it has said before.
  mutating func rename(_ old: UInt64, to new: UInt64) {
    guard old != new else { return }
    if renamed.count >= max(1, limits.servers) { renamed.removeFirst() }
    for index in renamed.indices where renamed[index].to == old { renamed[index].to = new }
    renamed.append((old, new))
    guard let from = servers.firstIndex(where: { $0.key == old }) else { return }
    guard let known = servers.firstIndex(where: { $0.key == new }) else {
      servers[from].key = new
      return
    }
    let moved = servers[from]
    for attribute in moved.attributes { _ = note(attribute, known) }
    servers[known].adopt(moved)
    servers.remove(at: from)
    latest = 0
  }

  /// The server of this key, which is new where it is not known.
  mutating func open(_ key: UInt64, packet: Int) -> Int {
    if let known = server(key) {
      servers[known].lastUse = packet
      return known
    }
    let new = Database(key: key, lastUse: packet)
    if servers.count < max(1, limits.servers) {
      servers.append(new)
      latest = servers.count - 1
    } else {
      latest = servers.indices.min { servers[$0].lastUse < servers[$1].lastUse } ?? 0
      noteOutdated(servers[latest])
      servers[latest] = new
      isFull = true
    }
    return latest
  }

  // MARK: Supplied maps

  /// Whether no other device has this key: it is not a private address, which changes, nor a connection.
  private static func isIdentified(_ key: UInt64) -> Bool {
    guard key >> 62 == 0 else { return false }
    let (isRandom, isStatic) = (key >> 48 & 1 == 1, key >> 46 & 0b11 == 0b11)
    return !isRandom || isStatic
  }

  private mutating func noteOutdated(_ server: Database) {
    guard let map = server.map, !server.changed.isEmpty else { return }
    let new = (map: map, isIdentified: Self.isIdentified(server.key))
    if !outdated.contains(where: { $0 == new }) { outdated.append(new) }
  }

  /// The server of this key, to which the map of a number may be applied: it was to none before, as far as
  /// that is known, and no server has said that all of it has changed that may be the same one. Nil where it
  /// may not.
  mutating func begin(map: Int, of key: UInt64, packet: Int) -> Int? {
    let isIdentified = Self.isIdentified(key)
    // Two devices whose addresses stay are not the same one.
    let mayBeSame = { (isOther: Bool) in !isIdentified || !isOther }
    if outdated.contains(where: { $0.map == map && mayBeSame($0.isIdentified) }) { return nil }
    var changed = HandleRanges()
    for server in servers
    where server.map == map && server.key != key && mayBeSame(Self.isIdentified(server.key)) {
      for range in server.changed.ranges { changed.insert(atLeast: range) }
    }
    let server = open(key, packet: packet)
    guard servers[server].map == nil else { return nil }
    servers[server].begin(map: map, changed: changed)
    return server
  }

  // MARK: Conclusions

  /// Takes in a Write Request to an attribute that is not known, whose value is what CCCDs take.
  mutating func noteConfiguration(_ handle: UInt16, of key: UInt64, packet: Int) {
    let server = open(key, packet: packet)
    servers[server].evidence.write(handle, packet: packet)
  }

  /// Takes in that a write was refused.
  mutating func noteRefusal(_ handle: UInt16, of key: UInt64) {
    guard let server = server(key), !servers[server].evidence.writes.isEmpty else { return }
    servers[server].evidence.refuse(handle)
  }

  /// Takes in a notification or indication, and what follows from it.
  ///
  /// - Parameter isKnown: whether it is known what the handle stands for: then it tells of no other
  ///   attribute but one that was written.
  mutating func noteSending(
    _ handle: UInt16, isKnown: Bool, of key: UInt64, connection: Int, packet: Int
  ) {
    let server: Int
    if isKnown {
      guard let known = self.server(key), !servers[known].evidence.writes.isEmpty else { return }
      server = known
    } else {
      server = open(key, packet: packet)
      guard servers[server].evidence.isNews(handle) else { return }
    }
    let conclusion = servers[server].conclude(handle, packet: packet)
    if !isKnown { servers[server].joinConfiguration(of: handle) }
    guard let conclusion else { return }
    var attribute = Attribute(
      handle: conclusion.handle, kind: .descriptor, uuid: .clientConfiguration,
      connection: connection, packet: packet)
    attribute.via = .inferred
    attribute.target = conclusion.value
    _ = note(attribute, server)
  }
}

extension Database {
  /// What follows from a notification or indication.
  mutating func conclude(_ handle: UInt16, packet: Int) -> UseEvidence.Conclusion? {
    // Taken out, so that it is not copied.
    var evidence = UseEvidence()
    swap(&evidence, &self.evidence)
    defer { swap(&evidence, &self.evidence) }
    return evidence.receive(handle, packet: packet) { hasBorder(after: $0, upTo: $1) }
  }
}
