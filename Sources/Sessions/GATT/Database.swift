// The attributes of one GATT server.

import Bluetooth

/// A GATT server's attributes, and which of its handles have been searched.
package struct Database: Sendable {
  /// The kind of attribute that a discovery searches for.
  package enum Search: Int, CaseIterable, Sendable {
    case primaryServices, secondaryServices, includes, characteristics, descriptors
  }

  /// Two discoveries that disagree.
  package struct Disagreement: Sendable {
    /// The attribute as it was known before.
    package let older: Attribute
    /// The attribute now in force; nil if a later search did not list the service.
    package let newer: Attribute?
    /// The packet that contradicts the older discovery.
    package let packet: Int
  }

  /// The server's key (`Attributes.key`).
  package internal(set) var key: UInt64
  var lastUse: Int
  /// The attributes in no order; `order` lists the known ones.
  private(set) var slots: [Attribute] = []
  /// The known handles in ascending order, each with its index in `slots`: handle << 16 | slot. The
  /// entries are small, so inserting one is cheap anywhere.
  private var order: [UInt32] = []
  /// Indexes in `slots` of forgotten attributes, to be reused.
  private var free: [UInt16] = []
  /// The first handles of services in ascending order, each with its declaration's index in
  /// `slots`: handle << 16 | slot.
  private var services: [UInt32] = []
  private var uuids = UUIDTable()
  /// For each of `slots`, the index of its UUID's entry in `uuids`.
  private var factOf: [UInt16] = []
  private var latest: (handle: UInt16, slot: Int) = (0, 0)
  /// The handles that were searched, by kind of search.
  package private(set) var searched = [HandleRanges](
    repeating: HandleRanges(), count: Search.allCases.count)
  /// The handles whose descriptors were searched on the last connection that searched any.
  private var descriptorSearch = (connection: 0, handles: HandleRanges())
  /// Includes of services with 128-bit UUIDs, which are read separately: first and last handle.
  private(set) var openIncludes: [(start: UInt16, end: UInt16)] = []
  /// The Database Hash that was read last, and the packet.
  package private(set) var hash: (value: [UInt8], packet: Int)?
  /// The connection on which the known attributes were last proven to be still valid.
  var certainOn = 0
  /// The packets of the first and the last discovery.
  package private(set) var discovery: ClosedRange<Int>?
  /// Contradictory discoveries, up to `listed`.
  package private(set) var disagreements: [Disagreement] = []
  /// How often Service Changed or a new hash has invalidated the database or part of it.
  package private(set) var changes = 0
  /// The declarations, as they were known, of the services that the last change affected in whole
  /// or in part.
  package private(set) var invalidated: [Attribute] = []
  /// Supplied attributes that the capture contradicts, up to `listed`.
  package private(set) var conflicts: [SuppliedConflict] = []
  /// Handles whose supplied attributes are ignored because the capture contradicts them.
  private var refuted = HandleRanges()
  /// Handles whose supplied attributes are ignored because the server has changed them.
  private(set) var changed = HandleRanges()
  /// The number of the supplied map that was applied.
  private(set) var map: Int?
  /// Evidence from how attributes are used.
  package internal(set) var evidence = UseEvidence()
  /// How attributes were used that are known only from an earlier connection.
  var outdatedUses = OutdatedUses()
  /// The last use of such attributes on a connection that shows that they have changed.
  package var outdatedUse: OutdatedUse? { outdatedUses.found }

  private static let listed = 64

  init(key: UInt64, lastUse: Int) {
    self.key = key
    self.lastUse = lastUse
  }

  // MARK: Asking

  /// The number of known attributes.
  package var count: Int { order.count }

  /// The attribute in a slot.
  package subscript(slot: Int) -> Attribute {
    var attribute = slots[slot]
    let fact = uuids.facts[Int(factOf[slot])]
    (attribute.part, attribute.hasTwin) = (fact.part, fact.users > 1)
    return attribute
  }

  /// The handle of the attribute in a slot.
  func handle(at slot: Int) -> UInt16 { slots[slot].handle }

  /// Returns whether the attribute in a slot has the 16-bit type `uuid`.
  func isShort(_ slot: Int, _ uuid: UInt16) -> Bool { slots[slot].uuid.isShort(uuid) }

  /// Returns the services that a range contains in whole or in part.
  package func services(in range: ClosedRange<UInt16>) -> [Attribute] {
    services.map { slots[Int($0 & 0xffff)] }.filter {
      $0.handle <= range.upperBound && $0.end >= range.lowerBound
    }
  }

  /// All attributes in ascending order of their handles.
  package var attributes: [Attribute] { order.map { self[Int($0 & 0xffff)] } }

  /// Returns the index of a handle in `order`, or where it would be inserted.
  private func position(_ handle: UInt16) -> Int { Self.position(handle, in: order) }

  /// Returns the index of a handle in such a list, or where it would be inserted.
  private static func position(_ handle: UInt16, in list: [UInt32]) -> Int {
    let wanted = UInt32(handle) << 16
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the indexes of a range of handles in such a list.
  private static func places(_ first: UInt16, _ last: UInt16, in list: [UInt32]) -> Range<Int> {
    let start = position(first, in: list)
    return start..<max(start, last == .max ? list.count : position(last + 1, in: list))
  }

  /// Returns the attribute's slot, or nil if the attribute is not known.
  // Inlined, since a call would copy the database.
  @inline(__always)
  func look(_ handle: UInt16) -> Int? {
    let position = position(handle)
    guard position < order.count, order[position] >> 16 == UInt32(handle) else { return nil }
    return Int(order[position] & 0xffff)
  }

  /// Returns the attribute's slot and caches it, since consecutive packets often use the same
  /// handle.
  mutating func find(_ handle: UInt16) -> Int? {
    if latest.handle == handle, handle != 0 { return latest.slot }
    guard let slot = look(handle) else { return nil }
    latest = (handle, slot)
    return slot
  }

  /// Returns the declaration of the service that contains a handle, or nil if no known range does.
  package func service(of handle: UInt16) -> Attribute? {
    serviceSlot(of: handle).map { slots[$0] }
  }

  /// Returns the UUID of that service. Used for every value; inlined, since a call would copy the
  /// database.
  @inline(__always)
  func serviceUUID(of handle: UInt16) -> BluetoothUUID? {
    guard let slot = serviceSlot(of: handle) else { return nil }
    return slots[slot].uuid
  }

  @inline(__always)
  private func serviceSlot(of handle: UInt16) -> Int? {
    let next =
      handle == .max ? services.count : Self.position(handle + 1, in: services)
    guard next > 0 else { return nil }
    let slot = Int(services[next - 1] & 0xffff)
    return slots[slot].end >= handle ? slot : nil
  }

  /// Returns the slot of the characteristic value that a descriptor belongs to: the nearest value
  /// before it, if only known descriptors lie between them (Core, Vol 3, Part G, 3.3.3), and no
  /// more than `mostDescriptors`. Otherwise returns the value that was inferred, if any.
  func value(before handle: UInt16) -> Int? {
    var position = position(handle)
    guard position < order.count, order[position] >> 16 == UInt32(handle) else { return nil }
    let own = slots[Int(order[position] & 0xffff)]
    guard own.kind == .descriptor else { return nil }
    if own.via == .inferred { return look(own.target) }
    let concluded = own.target == 0 ? nil : look(own.target)
    var expected = handle
    for _ in 0..<Self.mostDescriptors where position > 0 {
      position -= 1
      let slot = Int(order[position] & 0xffff)
      guard slots[slot].handle + 1 == expected else { return concluded }
      if slots[slot].kind == .value { return slot }
      guard slots[slot].kind == .descriptor else { return concluded }
      expected = slots[slot].handle
    }
    return concluded
  }

  private static let mostDescriptors = 16

  /// Returns whether an attribute other than a descriptor is known after `value`, up to `handle`.
  func hasBorder(after value: UInt16, upTo handle: UInt16) -> Bool {
    var position = position(value)
    while position < order.count, order[position] >> 16 <= UInt32(handle) {
      let known = slots[Int(order[position] & 0xffff)]
      if known.handle > value, known.kind != .descriptor { return true }
      position += 1
    }
    return false
  }

  /// Whether the server is known to lack Service Changed, in which case its attributes never change
  /// (Core, Vol 3, Part G, 2.5.2).
  private var hasNoServiceChanged: Bool {
    searched[Search.characteristics.rawValue].covers(1, .max)
      && !uuids.has(.serviceChanged)
  }

  /// Returns how an attribute is known on a connection.
  package func via(of attribute: Attribute, on connection: Int) -> Attribute.Via {
    guard attribute.via == .discovered, attribute.connection != connection,
      certainOn != connection, !hasNoServiceChanged
    else { return attribute.via }
    return .carried
  }

  // MARK: Learning

  /// Records an attribute.
  ///
  /// - Returns: whether there was room, and the previous attribute if it disagrees.
  mutating func note(_ new: Attribute, limit: Int) -> (hasRoom: Bool, older: Attribute?) {
    guard new.handle != 0 else { return (true, nil) }
    if new.via == .supplied, !takesSupplied(new.handle) { return (true, nil) }
    guard let slot = look(new.handle) else {
      guard order.count < min(limit, 0xffff) else { return (false, nil) }
      let slot = place(new)
      order.insert(UInt32(new.handle) << 16 | UInt32(slot), at: position(new.handle))
      if new.kind == .service { insertService(new.handle, slot) }
      return (true, nil)
    }
    let before = slots[slot]
    var new = new
    // A list of types does not distinguish a value from a descriptor; the declaration did.
    if new.kind == .descriptor, before.kind == .value, before.uuid == new.uuid { new.kind = .value }
    // A supplied or inferred attribute does not override a discovered one.
    if new.via != .discovered, before.via == .discovered { return (true, nil) }
    if new.kind == .service, new.end == 0 { new.end = before.end }
    if new.kind == .descriptor, before.kind == .descriptor, new.target == 0 {
      new.target = before.target
    }
    if new.extendedProperties == nil { new.extendedProperties = before.extendedProperties }
    let isChanged = !new.agrees(with: before)
    if before.kind == .service, new.kind != .service { removeService(new.handle) }
    if before.kind != .service, new.kind == .service { insertService(new.handle, slot) }
    slots[slot] = new
    if before.uuid != new.uuid || before.kind.isDeclaration != new.kind.isDeclaration {
      uuids.remove(factOf[slot], isDeclaration: before.kind.isDeclaration)
      factOf[slot] = uuids.add(new.uuid, isDeclaration: new.kind.isDeclaration)
      // UUIDs that are no longer used would pile up.
      if uuids.isSparse(for: order.count) { rebuild() }
    }
    guard isChanged, before.via != .inferred, !isVaguer(before, than: new) else {
      return (true, nil)
    }
    note(Disagreement(older: before, newer: new, packet: new.packet))
    if before.connection != new.connection {
      outdatedUses.note(
        .discovery, new.handle...new.handle, on: new.connection, packet: new.packet)
    }
    return (true, before)
  }

  private mutating func note(_ disagreement: Disagreement) {
    if disagreements.count < Self.listed { disagreements.append(disagreement) }
  }

  /// Forgets the primary services that a search of these handles has not listed: a device that
  /// restarts with other firmware has other services, without a Service Changed indication.
  ///
  /// - Parameter packet: The response, from which the listed services are known.
  mutating func forgetServices(missingFrom packet: Int, _ first: UInt16, _ last: UInt16) {
    // Handles of missing services. Those of the next listed service are known anew, and stay.
    var gone: [(first: UInt16, last: UInt16)] = []
    var isInGap = false
    for place in Self.places(first, last, in: services) {
      let service = slots[Int(services[place] & 0xffff)]
      if service.packet == packet {
        if isInGap {
          gone[gone.count - 1].last = min(gone[gone.count - 1].last, service.handle - 1)
        }
        isInGap = false
      } else if service.via == .discovered, !service.isSecondary {
        note(Disagreement(older: service, newer: nil, packet: packet))
        if !isInGap { gone.append((service.handle, service.handle)) }
        isInGap = true
        gone[gone.count - 1].last = max(gone[gone.count - 1].last, service.end)
      }
    }
    for handles in gone { forget(handles.first, handles.last, keeping: packet) }
  }

  /// Returns whether the previous entry was only less precise: a list of types can report the value
  /// of a characteristic as a descriptor.
  private func isVaguer(_ before: Attribute, than new: Attribute) -> Bool {
    before.kind == .descriptor && new.kind == .value && before.uuid == new.uuid
  }

  /// Assigns a discovered Client Characteristic Configuration to a value that was not discovered:
  /// `sender`, the nearest lower handle that ever sent a value, if neither an attribute that ends a
  /// characteristic nor another configuration lies between. The descriptors between belong to it,
  /// too.
  mutating func joinConfiguration(of sender: UInt16) {
    var position = position(sender)
    var between: [Int] = []
    while position < order.count, between.count < Self.mostDescriptors {
      let slot = Int(order[position] & 0xffff)
      position += 1
      if slots[slot].handle == sender { continue }
      guard slots[slot].kind == .descriptor else { return }
      between.append(slot)
      guard slots[slot].uuid == .clientConfiguration else { continue }
      for slot in between
      where slots[slot].via == .discovered && sender > slots[slot].target
        && value(before: slots[slot].handle) == nil
      {
        slots[slot].target = sender
      }
      return
    }
  }

  /// Stores a new attribute and returns its slot.
  private mutating func place(_ new: Attribute) -> Int {
    let fact = uuids.add(new.uuid, isDeclaration: new.kind.isDeclaration)
    if let slot = free.popLast() {
      slots[Int(slot)] = new
      factOf[Int(slot)] = fact
      return Int(slot)
    }
    slots.append(new)
    factOf.append(fact)
    return slots.count - 1
  }

  private mutating func insertService(_ handle: UInt16, _ slot: Int) {
    services.insert(
      UInt32(handle) << 16 | UInt32(slot), at: Self.position(handle, in: services))
  }

  private mutating func removeService(_ handle: UInt16) {
    services.removeSubrange(Self.places(handle, handle, in: services))
  }

  /// Marks an attribute as a characteristic value that was taken for a descriptor.
  mutating func noteValue(_ slot: Int) {
    guard slots[slot].kind == .descriptor, !slots[slot].uuid.isDescriptor else { return }
    slots[slot].kind = .value
  }

  /// Records the value of a Characteristic Extended Properties descriptor.
  mutating func note(extendedProperties value: UInt16, at slot: Int) {
    slots[slot].extendedProperties = value
  }

  /// Records that a search on a connection has covered handles, and returns whether any of them is
  /// new.
  mutating func cover(
    _ search: Search, _ first: UInt16, _ last: UInt16, on connection: Int
  ) -> Bool {
    if search == .descriptors {
      if descriptorSearch.connection != connection {
        descriptorSearch = (connection, HandleRanges())
      }
      _ = descriptorSearch.handles.insert(max(1, first), last)
    }
    return searched[search.rawValue].insert(max(1, first), last)
  }

  /// Returns whether the descriptors among these handles were searched completely on a connection,
  /// the last one with such a search.
  package func hasSearchedDescriptors(
    _ first: UInt16, _ last: UInt16, on connection: Int
  ) -> Bool {
    first > last
      || descriptorSearch.connection == connection && descriptorSearch.handles.covers(first, last)
  }

  /// Records the packets of a discovery request and of its response, which reported something new.
  mutating func noteDiscovery(_ request: Int, _ response: Int) {
    let packets = min(request, response)...response
    discovery =
      discovery.map { min($0.lowerBound, packets.lowerBound)...packets.upperBound } ?? packets
  }

  /// Records that an include's service has a 128-bit UUID, which will be read separately.
  mutating func noteOpenInclude(_ start: UInt16, _ end: UInt16) {
    guard openIncludes.count < Self.listed, !openIncludes.contains(where: { $0.start == start })
    else { return }
    openIncludes.append((start, end))
  }

  mutating func closeInclude(_ start: UInt16) { openIncludes.removeAll { $0.start == start } }

  /// Records the Database Hash. If it differs from the previous one, all attributes are forgotten;
  /// if it is the same, all of them are still valid (Core, Vol 3, Part G, 7.3).
  mutating func note(hash value: [UInt8], connection: Int, packet: Int) {
    if let known = hash?.value {
      if known != value {
        forget(1, .max)
        outdatedUses.note(.hash, on: connection, packet: packet)
      } else {
        certainOn = connection
      }
    }
    hash = (value, packet)
  }

  /// Returns whether a supplied map still counts for a handle.
  private func takesSupplied(_ handle: UInt16) -> Bool {
    !refuted.covers(handle, handle) && !changed.covers(handle, handle)
  }

  /// Records which map is applied, and which of its handles have changed since it was made.
  mutating func begin(map: Int, changed: HandleRanges) {
    self.map = map
    for range in changed.ranges { noteChange(range) }
  }

  /// Records handles that the server has changed: supplied attributes no longer count for them.
  private mutating func noteChange(_ range: ClosedRange<UInt16>) {
    changed.insert(atLeast: range)
  }

  /// Merges what else is known of a server that turns out to be this one; its attributes are
  /// already recorded.
  mutating func adopt(_ other: Self) {
    map = map ?? other.map
    for range in other.refuted.ranges { refuted.insert(atLeast: range) }
    for range in other.changed.ranges {
      noteChange(range)
      dropSupplied(range)
    }
    for search in Search.allCases {
      for range in other.searched[search.rawValue].ranges {
        _ = searched[search.rawValue].insert(range.lowerBound, range.upperBound)
      }
    }
    if other.descriptorSearch.connection > descriptorSearch.connection {
      descriptorSearch = other.descriptorSearch
    } else if other.descriptorSearch.connection == descriptorSearch.connection {
      for range in other.descriptorSearch.handles.ranges {
        _ = descriptorSearch.handles.insert(range.lowerBound, range.upperBound)
      }
    }
    if let discovery = other.discovery { noteDiscovery(discovery.lowerBound, discovery.upperBound) }
    if let hash = other.hash { self.hash = hash }
    certainOn = max(certainOn, other.certainOn)
    for conflict in other.conflicts { note(conflict) }
    lastUse = max(lastUse, other.lastUse)
    disagreements = Array((disagreements + other.disagreements).prefix(Self.listed))
    evidence = other.evidence
    if let theirs = other.outdatedUse, outdatedUse.map({ $0.packet < theirs.packet }) ?? true {
      outdatedUses = other.outdatedUses
    }
  }

  /// Forgets the attributes of a range that the server reports as changed (Core, Vol 3, Part G,
  /// 7.1).
  ///
  /// - Parameter packet: The packet from which services before the range are known anew, if any:
  ///   they keep their ends.
  mutating func forget(_ first: UInt16, _ last: UInt16, keeping packet: Int? = nil) {
    guard first <= last else { return }
    changes += 1
    noteChange(first...last)
    let before = Self.position(first, in: services)
    let inside = Self.places(first, last, in: services)
    invalidated = []
    // A service that extends into the range may end elsewhere now.
    for service in services[..<before] {
      let slot = Int(service & 0xffff)
      guard slots[slot].end >= first, slots[slot].packet != packet else { continue }
      invalidated.append(slots[slot])
      slots[slot].end = 0
    }
    // A service whose end is unknown or lies before its start does not count.
    for service in services[inside] where slots[Int(service & 0xffff)].end >= first {
      invalidated.append(slots[Int(service & 0xffff)])
    }
    latest = (0, 0)
    for search in searched.indices { searched[search].remove(first, last) }
    descriptorSearch.handles.remove(first, last)
    // The hash covered the whole database.
    hash = nil
    evidence.forget(first, last)
    openIncludes.removeAll { first <= $0.start && $0.start <= last }
    services.removeSubrange(inside)
    // Only removed entries are touched, since a server may send this with every packet.
    let gone = Self.places(first, last, in: order)
    for place in order[gone] {
      let slot = Int(place & 0xffff)
      uuids.remove(factOf[slot], isDeclaration: slots[slot].kind.isDeclaration)
      free.append(UInt16(slot))
    }
    order.removeSubrange(gone)
    // UUIDs that are no longer used would pile up and make others look distinct.
    if !gone.isEmpty, order.isEmpty || uuids.isSparse(for: order.count) { rebuild() }
  }

  /// Records that the capture contradicts a supplied attribute. The supplied attributes of the same
  /// service are dropped.
  mutating func note(_ conflict: SuppliedConflict) {
    if conflicts.count < Self.listed { conflicts.append(conflict) }
    refuted.insert(atLeast: conflict.range)
    dropSupplied(conflict.range)
  }

  /// Forgets the supplied attributes of a range.
  private mutating func dropSupplied(_ range: ClosedRange<UInt16>) {
    let before = order.count
    order.removeAll {
      range.contains(UInt16(truncatingIfNeeded: $0 >> 16))
        && slots[Int($0 & 0xffff)].via == .supplied
    }
    if order.count < before { rebuild() }
  }

  /// Rebuilds the derived tables from the remaining attributes.
  private mutating func rebuild() {
    let left = order.map { slots[Int($0 & 0xffff)] }
    slots.removeAll(keepingCapacity: true)
    free.removeAll(keepingCapacity: true)
    factOf.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
    services.removeAll(keepingCapacity: true)
    uuids = UUIDTable()
    latest = (0, 0)
    for (slot, attribute) in left.enumerated() {
      slots.append(attribute)
      factOf.append(uuids.add(attribute.uuid, isDeclaration: attribute.kind.isDeclaration))
      order.append(UInt32(attribute.handle) << 16 | UInt32(slot))
      if attribute.kind == .service {
        services.append(UInt32(attribute.handle) << 16 | UInt32(slot))
      }
    }
  }
}
