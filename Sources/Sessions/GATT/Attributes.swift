// The attributes of all GATT servers: the UUID of each handle, and how it is known.

package import Bluetooth
import Bytes
import Dissectors

/// The GATT databases of a capture.
///
/// A server is a peer, identified by its identity address if known, else by its address; or this
/// host, identified by its controller. Its attributes stay known across reconnections. The table is
/// bounded: the server that was silent longest is dropped, and attributes beyond the limit of one
/// server are not recorded.
package struct Attributes: Sendable {
  /// An attribute's position; valid until the next packet.
  package struct Place: Equatable, Sendable {
    let server: Int
    let slot: Int
  }

  package private(set) var servers: [Database] = []
  /// The server that was looked up last, since consecutive packets often use the same one.
  private var latest = 0
  /// Keys that were replaced because a device's identity became known.
  private var renamed: [(from: UInt64, to: UInt64)] = []
  /// Whether something was not recorded for lack of room.
  private var isFull = false
  private var hasReportedFull = false
  /// Whether an attribute, or a request for one, was seen whose value is a key or holds a secret.
  package private(set) var hasKeyMaterial = false
  /// The attributes with such values.
  package let secretTypes: SecretTypes
  /// The supplied maps that are out of date and whose server was forgotten, and whether that
  /// server's address distinguishes it from all others.
  private var outdated: [(map: Int, isIdentified: Bool)] = []
  /// The handles that the latest indication of Service Changed reports.
  package private(set) var changed:
    (first: UInt16, last: UInt16, key: UInt64, connection: Int, packet: Int)?
  private let shared: SharedLimits
  private var limits: Limits { shared.values }

  init(_ limits: SharedLimits, _ secretTypes: SecretTypes) {
    shared = limits
    self.secretTypes = secretTypes
  }

  // MARK: Asking
  //
  // Lookups made for every packet read single attributes. They ask a database itself only if those
  // do not suffice, because that copies the database.

  /// The attribute at a place.
  package subscript(place: Place) -> Attribute { servers[place.server][place.slot] }

  /// Returns the UUID of the service that contains the attribute at a place, if its range is known.
  @inline(never)
  package func service(of place: Place) -> BluetoothUUID? {
    servers[place.server].serviceUUID(of: servers[place.server].slots[place.slot].handle)
  }

  /// Returns the UUID of the service whose range contains a handle that is otherwise unknown.
  func service(of handle: UInt16, of key: UInt64) -> BluetoothUUID? {
    guard let server = servers.firstIndex(where: { $0.key == key }) else { return nil }
    return servers[server].serviceUUID(of: handle)
  }

  /// Returns the value of the characteristic that a descriptor belongs to, if known.
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

  /// Returns how the attribute at a place is known on a connection.
  @inline(__always)
  package func via(of place: Place, on connection: Int) -> Attribute.Via {
    let via = servers[place.server].slots[place.slot].via
    return via == .discovered && servers[place.server].slots[place.slot].connection != connection
      ? viaAgain(place, connection) : via
  }

  /// Returns how an attribute that was discovered on another connection is known.
  @inline(never)
  private func viaAgain(_ place: Place, _ connection: Int) -> Attribute.Via {
    servers[place.server].via(of: servers[place.server][place.slot], on: connection)
  }

  /// Returns the place of a server's attribute `handle`, or nil if it is not known.
  mutating func find(_ handle: UInt16, of key: UInt64, packet: Int) -> Place? {
    guard let server = server(key), let slot = servers[server].find(handle) else { return nil }
    servers[server].lastUse = packet
    return Place(server: server, slot: slot)
  }

  /// Returns the same as `find`, but records nothing.
  func look(_ handle: UInt16, of key: UInt64) -> Place? {
    guard let server = servers.firstIndex(where: { $0.key == key }),
      let slot = servers[server].look(handle)
    else { return nil }
    return Place(server: server, slot: slot)
  }

  /// Returns the length of the values of a server's attribute `handle`, if its type fixes it.
  func valueLength(_ handle: UInt16, of key: UInt64) -> Int? {
    look(handle, of: key).flatMap { self[$0].uuid.valueLength }
  }

  /// Returns whether an item of a Read By Type Response whose request is missing is an attribute's
  /// value that was read. A declaration, of which discovery lists many, or what looks like one,
  /// does not count.
  func isRead(_ handle: UInt16, _ value: RawSpan, of key: UInt64) -> Bool {
    if let place = look(handle, of: currentKey(key)) { return !self[place].kind.isDeclaration }
    if let declaration = CharacteristicDeclaration(value) {
      return declaration.valueHandle <= handle
    }
    return IncludeDeclaration(value) == nil
  }

  /// Returns whether the attribute at a place has the 16-bit type `uuid`.
  func isShort(_ place: Place, _ uuid: UInt16) -> Bool {
    servers[place.server].isShort(place.slot, uuid)
  }

  /// Records a PDU about an attribute: that it was used, or that it is no longer valid, though it
  /// is known only from an earlier connection.
  @inline(__always)
  mutating func noteUse(
    _ place: Place, _ opcode: ATTOpcode, _ error: ATTErrorCode?, on connection: Int, packet: Int
  ) {
    if via(of: place, on: connection) == .carried {
      noteCarried(place, opcode, error, on: connection, packet: packet)
    }
  }

  @inline(never)
  private mutating func noteCarried(
    _ place: Place, _ opcode: ATTOpcode, _ error: ATTErrorCode?, on connection: Int, packet: Int
  ) {
    if let error {
      guard error.rawValue == 0x12 || error.rawValue == 0x01 else { return }
      servers[place.server].outdatedUses.note(.refusal(error), on: connection, packet: packet)
      return
    }
    switch opcode {
    case .readResponse, .readBlobResponse, .writeResponse, .prepareWriteResponse, .writeCommand,
      .signedWriteCommand, .handleValueNotification, .handleValueIndication:
      servers[place.server].outdatedUses.use(
        servers[place.server].handle(at: place.slot), on: connection, packet: packet)
    default: break
    }
  }

  /// Records that an attribute sends its value. It is then a characteristic's value, even if a list
  /// of types left open whether it is a descriptor.
  mutating func noteValue(_ place: Place) { servers[place.server].noteValue(place.slot) }

  /// Returns the key of a server: for a peer its identity or address and whether that is random, or
  /// its connection if no address is known; for this host its controller.
  package static func key(of side: Side, _ connection: Connection) -> UInt64 {
    if side == .local {
      // On the air, the devices that connect differ, and nothing shows which are the same.
      return connection.isOnAir
        ? 3 << 62 | UInt64(connection.id) : 1 << 63 | UInt64(connection.adapter.value)
    }
    if let identity = connection.identity { return key(identity.address, identity.type) }
    guard let peer = connection.peer else { return 1 << 62 | UInt64(connection.id) }
    return key(peer, connection.peerType ?? .public)
  }

  /// Returns whether the key belongs to this host's own server; on the air, to a central's.
  package static func isLocal(_ key: UInt64) -> Bool { key >> 63 == 1 }

  /// Returns where a server that is local was recorded.
  package static func vantage(ofLocal key: UInt64) -> Vantage { key >> 62 == 3 ? .air : .host }

  /// Returns the key of a device that is no connection's peer.
  package static func key(_ address: DeviceAddress, _ type: AddressType) -> UInt64 {
    address.value | UInt64(type.rawValue & 1) << 48
  }

  /// Returns the current key of a server once known by `key`.
  package func currentKey(_ key: UInt64) -> UInt64 {
    renamed.last { $0.from == key }?.to ?? key
  }

  /// The current keys of the servers that were known by others.
  package var currentKeys: [UInt64: UInt64] {
    Dictionary(renamed.map { ($0.from, $0.to) }) { $1 }
  }

  private mutating func server(_ key: UInt64) -> Int? {
    if latest < servers.count, servers[latest].key == key { return latest }
    guard let found = servers.firstIndex(where: { $0.key == key }) else { return nil }
    latest = found
    return found
  }

  /// Returns the last outdated use of a server's attributes, if any.
  package func outdatedUse(of key: UInt64) -> OutdatedUse? {
    servers.first { $0.key == currentKey(key) }?.outdatedUse
  }

  // MARK: Learning

  /// Returns the limit of attributes, once, after something had no room.
  mutating func takeLimitReached() -> Int? {
    guard isFull, !hasReportedFull else { return nil }
    hasReportedFull = true
    return limits.attributes
  }

  /// Records that a key was requested by its type.
  mutating func noteKeyMaterial() { hasKeyMaterial = true }

  /// Records an attribute, and returns the previous one if it disagrees.
  mutating func note(_ attribute: Attribute, _ server: Int) -> Attribute? {
    if secretTypes.contains(attribute.uuid) { hasKeyMaterial = true }
    let (hasRoom, older) = servers[server].note(attribute, limit: limits.attributes)
    if !hasRoom { isFull = true }
    return older
  }

  /// Records that the capture contradicts the supplied attribute at a place, which is then no
  /// longer known.
  mutating func refute(
    _ place: Place, _ operation: ValueOperation, _ error: ATTErrorCode?, packet: Int
  ) -> SuppliedConflict {
    let conflict = servers[place.server].conflict(place.slot, operation, error, packet: packet)
    servers[place.server].note(conflict)
    return conflict
  }

  /// Returns the operation and error with which use contradicts the supplied attribute at a place,
  /// if it does.
  func contradiction(
    _ place: Place, _ opcode: ATTOpcode, _ fields: ATTFields, _ request: Request?
  ) -> (operation: ValueOperation, error: ATTErrorCode?)? {
    servers[place.server].contradiction(place.slot, opcode, fields, request)
  }

  /// Records that a server reports a range of its handles as changed.
  mutating func noteChanged(
    _ first: UInt16, _ last: UInt16, of key: UInt64, connection: Int, packet: Int
  ) {
    changed = (first, last, key, connection, packet)
  }

  /// Changes one database in place.
  mutating func change(_ server: Int, _ change: (inout Database) -> Void) {
    change(&servers[server])
  }

  /// Forgets the attributes of the range that a server has reported as changed (Core, Vol 3, Part
  /// G, 7.1). This takes effect after the indication and its confirmation, since the range may
  /// contain the attribute that carried it.
  mutating func forgetChanged() {
    guard let changed else { return }
    self.changed = nil
    guard let server = server(changed.key) else { return }
    let (first, last) = (changed.first, changed.last)
    servers[server].forget(first, last)
    guard first <= last else { return }
    servers[server].outdatedUses.note(
      .serviceChanged, first...last, on: changed.connection, packet: changed.packet)
  }

  /// Records that what is known about a server certainly holds on a connection.
  mutating func makeCertain(_ key: UInt64, on connection: Int) {
    guard let server = server(key) else { return }
    servers[server].certainOn = connection
  }

  /// Records that the device known by `old` is the one known by `new`: its later attributes are
  /// added to the earlier ones.
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

  /// Returns the server with this key, and creates it if it is not known.
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

  /// Returns whether no other device has this key: it is neither a private address, which changes,
  /// nor a connection.
  package static func isIdentified(_ key: UInt64) -> Bool {
    guard key >> 62 == 0 else { return false }
    let (isRandom, isStatic) = (key >> 48 & 1 == 1, key >> 46 & 0b11 == 0b11)
    return !isRandom || isStatic
  }

  private mutating func noteOutdated(_ server: Database) {
    guard let map = server.map, !server.changed.isEmpty else { return }
    let new = (map: map, isIdentified: Self.isIdentified(server.key))
    if !outdated.contains(where: { $0 == new }) { outdated.append(new) }
  }

  /// Returns the server with this key if the supplied map `map` may be applied to it. The map must
  /// not have been applied to it before, as far as is known, and no server that may be the same one
  /// must have reported that all of it changed. Returns nil otherwise.
  mutating func begin(map: Int, of key: UInt64, packet: Int) -> Int? {
    let isIdentified = Self.isIdentified(key)
    // Two devices with permanent addresses are not the same one.
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

  /// Records a Write Request to an unknown attribute, with a value that fits a CCCD.
  mutating func noteConfiguration(_ handle: UInt16, of key: UInt64, packet: Int) {
    let server = open(key, packet: packet)
    servers[server].evidence.write(handle, packet: packet)
  }

  /// Records that a write was refused.
  mutating func noteRefusal(_ handle: UInt16, of key: UInt64) {
    guard let server = server(key), !servers[server].evidence.writes.isEmpty else { return }
    servers[server].evidence.refuse(handle)
  }

  /// Records that a write was accepted.
  mutating func noteAcceptance(_ handle: UInt16, of key: UInt64) {
    guard let server = server(key), !servers[server].evidence.writes.isEmpty else { return }
    servers[server].evidence.accept(handle)
  }

  /// Records a notification or indication, and what follows from it.
  ///
  /// - Parameter isKnown: whether the handle's attribute is known: then the packet only reveals an
  ///   attribute that was written.
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
  /// Returns what follows from a notification or indication.
  mutating func conclude(_ handle: UInt16, packet: Int) -> UseEvidence.Conclusion? {
    // Swapped out, so that it is not copied.
    var evidence = UseEvidence()
    swap(&evidence, &self.evidence)
    defer { swap(&evidence, &self.evidence) }
    return evidence.receive(handle, packet: packet) { hasBorder(after: $0, upTo: $1) }
  }
}
