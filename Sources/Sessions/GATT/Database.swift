// The attributes of one GATT server.

import Bluetooth

/// What is known of one GATT server: its attributes, and how much of it was asked for.
package struct Database: Sendable {
  /// What a discovery asks for.
  package enum Search: Int, CaseIterable, Sendable {
    case primaryServices, secondaryServices, includes, characteristics, descriptors
  }

  /// Two discoveries that disagree.
  package struct Disagreement: Sendable {
    /// What was said before.
    package let older: Attribute
    /// What is in force.
    package let newer: Attribute
  }

  /// What it is known by: `Attributes.key`.
  package internal(set) var key: UInt64
  var lastUse: Int
  /// In no order; those that are known stand in `order`.
  private(set) var slots: [Attribute] = []
  /// Handles and where the attribute stands in `slots`, in the order of handles: handle << 16 | slot.
  /// Small, so that one more costs little wherever it goes.
  private var order: [UInt32] = []
  /// Places in `slots` of attributes that are forgotten: the next ones get them.
  private var free: [UInt16] = []
  /// First handles of services and where their declaration stands in `slots`, in order: handle << 16 | slot.
  private var services: [UInt32] = []
  private var uuids = UUIDTable()
  /// Where what is known of its UUID stands in `uuids`, for each of `slots`.
  private var factOf: [UInt16] = []
  private var latest: (handle: UInt16, slot: Int) = (0, 0)
  /// Which handles were searched.
  package private(set) var searched = [HandleRanges](
    repeating: HandleRanges(), count: Search.allCases.count)
  /// Includes of services with long UUIDs, which are read apart: first and last handle.
  private(set) var openIncludes: [(start: UInt16, end: UInt16)] = []
  /// The Database Hash as it was read last, and where.
  package private(set) var hash: (value: [UInt8], packet: Int)?
  /// The connection on which it was made certain last that what was known before still holds.
  var certainOn = 0
  /// The packets of the first and the last discovery.
  package private(set) var discovery: ClosedRange<Int>?
  /// What discoveries disagree on; the first ones.
  package private(set) var disagreements: [Disagreement] = []
  /// How often Service Changed or a new hash has emptied it, or a part of it.
  package private(set) var changes = 0
  /// The declarations of the services that Service Changed has emptied last, or parts of them, as they were known.
  package private(set) var invalidated: [Attribute] = []
  /// What was supplied of it and is contradicted by the capture; the first ones.
  package private(set) var conflicts: [SuppliedConflict] = []
  /// Handles of which nothing that is supplied is taken any more, since it is contradicted.
  private var refuted = HandleRanges()
  /// The same, since the server has changed them after it was supplied, or before.
  private(set) var changed = HandleRanges()
  /// Which supplied map was applied to it.
  private(set) var map: Int?
  /// What the use of attributes says.
  package internal(set) var evidence = UseEvidence()

  private static let listed = 64

  init(key: UInt64, lastUse: Int) {
    self.key = key
    self.lastUse = lastUse
  }

  // MARK: Asking

  /// How many attributes are known.
  package var count: Int { order.count }

  /// The attribute at a place.
  package subscript(slot: Int) -> Attribute {
    var attribute = slots[slot]
    let fact = uuids.facts[Int(factOf[slot])]
    (attribute.groups, attribute.hasTwin) = (fact.groups, fact.users > 1)
    return attribute
  }

  /// The handle of the attribute at a place.
  func handle(at slot: Int) -> UInt16 { slots[slot].handle }

  /// Whether the attribute at a place is of the type `uuid`, a short one.
  func isShort(_ slot: Int, _ uuid: UInt16) -> Bool { slots[slot].uuid.isShort(uuid) }

  /// All attributes in the order of their handles.
  package var attributes: [Attribute] { order.map { self[Int($0 & 0xffff)] } }

  /// Where the handle stands in `order`, or would.
  private func position(_ handle: UInt16) -> Int { Self.position(handle, in: order) }

  /// The same in any list of handles.
  private static func position(_ handle: UInt16, in list: [UInt32]) -> Int {
    let wanted = UInt32(handle) << 16
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Where the handles of a range stand in such a list.
  private static func places(_ first: UInt16, _ last: UInt16, in list: [UInt32]) -> Range<Int> {
    let start = position(first, in: list)
    return start..<max(start, last == .max ? list.count : position(last + 1, in: list))
  }

  /// Where the attribute stands, if it is known.
  func look(_ handle: UInt16) -> Int? {
    let position = position(handle)
    guard position < order.count, order[position] >> 16 == UInt32(handle) else { return nil }
    return Int(order[position] & 0xffff)
  }

  /// The same, and remembered: traffic comes in runs.
  mutating func find(_ handle: UInt16) -> Int? {
    if latest.handle == handle, handle != 0 { return latest.slot }
    guard let slot = look(handle) else { return nil }
    latest = (handle, slot)
    return slot
  }

  /// The declaration of the service that holds a handle, where its range is known.
  package func service(of handle: UInt16) -> Attribute? {
    let next = Self.places(0, handle, in: services).upperBound
    guard next > 0 else { return nil }
    let slot = Int(services[next - 1] & 0xffff)
    return slots[slot].end >= handle ? slots[slot] : nil
  }

  /// The value of the characteristic that a descriptor belongs to: the one before it, where nothing but
  /// descriptors is known to stand between them (Core, Vol 3, Part G, 3.3.3). Nil also where that is
  /// far away: no characteristic has so many.
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

  /// Whether an attribute other than a descriptor is known between two handles.
  func hasBorder(after value: UInt16, upTo handle: UInt16) -> Bool {
    var position = position(value)
    while position < order.count, order[position] >> 16 <= UInt32(handle) {
      let known = slots[Int(order[position] & 0xffff)]
      if known.handle > value, known.kind != .descriptor { return true }
      position += 1
    }
    return false
  }

  /// Whether it is known that the server cannot tell of changes: then there are none (Core, Vol 3, Part
  /// G, 2.5.2).
  private var hasNoServiceChanged: Bool {
    searched[Search.characteristics.rawValue].covers(1, .max)
      && !uuids.has(.serviceChanged)
  }

  /// How an attribute is known on a connection.
  package func via(of attribute: Attribute, on connection: Int) -> Attribute.Via {
    guard attribute.via == .discovered, attribute.connection != connection,
      certainOn != connection, !hasNoServiceChanged
    else { return attribute.via }
    return .carried
  }

  // MARK: Learning

  /// Takes in what an attribute is.
  ///
  /// - Returns: whether there was room; and what was said of it before, where that was something else.
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
    // A list of types does not tell a value from a descriptor; the declaration has.
    if new.kind == .descriptor, before.kind == .value, before.uuid == new.uuid { new.kind = .value }
    // What is supplied or concluded says nothing against what the server has said.
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
      // UUIDs that nobody has any more would pile up.
      if uuids.isSparse(for: order.count) { rebuild() }
    }
    guard isChanged, before.via != .inferred, !isVaguer(before, than: new) else {
      return (true, nil)
    }
    if disagreements.count < Self.listed {
      disagreements.append(Disagreement(older: before, newer: new))
    }
    return (true, before)
  }

  /// Whether what was known before only said less: what a list of types calls a descriptor may be the
  /// value of a characteristic.
  private func isVaguer(_ before: Attribute, than new: Attribute) -> Bool {
    before.kind == .descriptor && new.kind == .value && before.uuid == new.uuid
  }

  /// Concludes whose a Client Characteristic Configuration is that was discovered below a value that was
  /// not: that of the nearest lower handle that ever sent a value, with nothing between that ends a
  /// characteristic, and no other configuration. The descriptors between belong to it, too.
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

  /// Puts an attribute that is new into a slot, and says which.
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

  /// Takes in that an attribute is a characteristic's value, where it seemed to be a descriptor.
  mutating func noteValue(_ slot: Int) {
    guard slots[slot].kind == .descriptor, !slots[slot].uuid.isDescriptor else { return }
    slots[slot].kind = .value
  }

  /// Takes in the value of a descriptor «Characteristic Extended Properties».
  mutating func note(extendedProperties value: UInt16, at slot: Int) {
    slots[slot].extendedProperties = value
  }

  /// Takes in that a search has covered handles, and says whether any of them is new.
  mutating func cover(_ search: Search, _ first: UInt16, _ last: UInt16) -> Bool {
    searched[search.rawValue].insert(max(1, first), last)
  }

  /// Takes in the packets of a request of discovery and its response, which has told something new.
  mutating func noteDiscovery(_ request: Int, _ response: Int) {
    let packets = min(request, response)...response
    discovery =
      discovery.map { min($0.lowerBound, packets.lowerBound)...packets.upperBound } ?? packets
  }

  /// Takes in that an include's service has a long UUID, which will be read.
  mutating func noteOpenInclude(_ start: UInt16, _ end: UInt16) {
    guard openIncludes.count < Self.listed, !openIncludes.contains(where: { $0.start == start })
    else { return }
    openIncludes.append((start, end))
  }

  mutating func closeInclude(_ start: UInt16) { openIncludes.removeAll { $0.start == start } }

  /// Takes in the Database Hash. Another one than before says that nothing holds any more; the same one
  /// that all does (Core, Vol 3, Part G, 7.3).
  mutating func note(hash value: [UInt8], connection: Int, packet: Int) {
    if let known = hash?.value {
      if known != value {
        forget(1, .max)
      } else {
        certainOn = connection
      }
    }
    hash = (value, packet)
  }

  /// Whether what a map says of a handle still counts.
  private func takesSupplied(_ handle: UInt16) -> Bool {
    !refuted.covers(handle, handle) && !changed.covers(handle, handle)
  }

  /// Notes that a map is applied, and which of its handles have changed since it was made.
  mutating func begin(map: Int, changed: HandleRanges) {
    self.map = map
    for range in changed.ranges { noteChange(range) }
  }

  /// Notes that the server has changed handles: of what is supplied nothing is known of them any more.
  private mutating func noteChange(_ range: ClosedRange<UInt16>) {
    changed.insert(atLeast: range)
  }

  /// Takes in what else is known of a server that turns out to be this one; its attributes are noted.
  mutating func adopt(_ other: Self) {
    map = map ?? other.map
    for range in other.refuted.ranges { refuted.insert(atLeast: range) }
    for range in other.changed.ranges {
      noteChange(range)
      dropSupplied(range)
    }
    for search in Search.allCases {
      for range in other.searched[search.rawValue].ranges {
        _ = cover(search, range.lowerBound, range.upperBound)
      }
    }
    if let discovery = other.discovery { noteDiscovery(discovery.lowerBound, discovery.upperBound) }
    if let hash = other.hash { self.hash = hash }
    certainOn = max(certainOn, other.certainOn)
    for conflict in other.conflicts { note(conflict) }
    lastUse = max(lastUse, other.lastUse)
    disagreements = Array((disagreements + other.disagreements).prefix(Self.listed))
    evidence = other.evidence
  }

  /// Forgets the attributes of a range, which the server says have changed (Core, Vol 3, Part G, 7.1).
  mutating func forget(_ first: UInt16, _ last: UInt16) {
    guard first <= last else { return }
    changes += 1
    noteChange(first...last)
    let before = Self.position(first, in: services)
    let inside = Self.places(first, last, in: services)
    invalidated = []
    // A service that reaches into the range may reach to somewhere else now.
    for service in services[..<before] {
      let slot = Int(service & 0xffff)
      guard slots[slot].end >= first else { continue }
      invalidated.append(slots[slot])
      slots[slot].end = 0
    }
    // One whose end is not known, or lies before its beginning, is none of them.
    for service in services[inside] where slots[Int(service & 0xffff)].end >= first {
      invalidated.append(slots[Int(service & 0xffff)])
    }
    latest = (0, 0)
    for search in searched.indices { searched[search].remove(first, last) }
    // The hash was that of all.
    hash = nil
    evidence.forget(first, last)
    openIncludes.removeAll { first <= $0.start && $0.start <= last }
    services.removeSubrange(inside)
    // Only what goes is touched: a server may say this with every packet.
    let gone = Self.places(first, last, in: order)
    for place in order[gone] {
      let slot = Int(place & 0xffff)
      uuids.remove(factOf[slot], isDeclaration: slots[slot].kind.isDeclaration)
      free.append(UInt16(slot))
    }
    order.removeSubrange(gone)
    // UUIDs that nobody has any more would pile up, and tell others apart that need not be.
    if !gone.isEmpty, order.isEmpty || uuids.isSparse(for: order.count) { rebuild() }
  }

  /// Takes in that the capture contradicts what was supplied: that goes, with what was supplied of the same
  /// service.
  mutating func note(_ conflict: SuppliedConflict) {
    if conflicts.count < Self.listed { conflicts.append(conflict) }
    refuted.insert(atLeast: conflict.range)
    dropSupplied(conflict.range)
  }

  /// Forgets what was supplied of a range.
  private mutating func dropSupplied(_ range: ClosedRange<UInt16>) {
    let before = order.count
    order.removeAll {
      range.contains(UInt16(truncatingIfNeeded: $0 >> 16))
        && slots[Int($0 & 0xffff)].via == .supplied
    }
    if order.count < before { rebuild() }
  }

  /// Puts together again what follows from the attributes that are left.
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
