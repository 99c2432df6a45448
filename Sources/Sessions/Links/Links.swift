package import Bluetooth
import Bytes
import Captures
import Dissectors

/// A link's position in `Links`; valid until as many other links have been opened.
package struct LinkSlot: Equatable, Sendable {
  package let index: Int
}

/// All open links, and those that ended last. Bounded: if all slots are open, the link that was
/// silent longest is forgotten.
package struct Links: Sendable {
  private struct Slot: Sendable {
    var connection: Connection
    var transactions = Transactions()
    var pairing = PairingState()
  }

  private var slots: [Slot] = []
  /// The packet that last used each slot, plus `openUse` if its link is open. Kept apart from the
  /// slots, which are large, because all are scanned for the minimum.
  private var uses: [Int] = []
  private static let openUse = 1 << 62
  private var index: [LinkKey: Int] = [:]
  private let limit: Int
  private var connections = 0
  /// The number of connections that are open and remembered.
  private var openCount = 0
  /// The link that was looked up last, since consecutive packets often belong to the same one.
  private var latest: (key: LinkKey, slot: Int)?
  /// The most links that were open at one time.
  package private(set) var mostOpen = 0
  /// Whether an open link had to be forgotten.
  private(set) var hasForgotten = false
  /// The number of connections that ended by something other than their own event: a reset, a new
  /// connection with the same handle, or too many others.
  package private(set) var otherEndings = 0
  /// The last connection that was replaced or forgotten; its slot may already be reused.
  package private(set) var departed: Connection?
  /// The last record before which others were lost: nothing before it is known to continue.
  package private(set) var gap = 0
  /// Whether records were lost after the first one.
  private var hasGap = false
  /// The adapters that were reset or removed: none of their links was open before the capture.
  private var resetAdapters: Set<AdapterIndex> = []
  /// The controller whose records were lost; unknown: any.
  package private(set) var gapAdapter = AdapterIndex.unknown
  /// Whether the capture has Number Of Completed Packets events.
  package private(set) var reportsCompletedPackets = false
  var openingPHYs = OpeningPHYs()
  private let passing = PassedByReference()
  /// Data and events take two paths (USB endpoints, queues). Data can seem to precede the start of
  /// its link or to follow its end by up to this many packets.
  private static let race = 32

  init(limit: Int) {
    self.limit = max(1, limit)
    slots.reserveCapacity(self.limit)
    uses.reserveCapacity(self.limit)
    index.reserveCapacity(self.limit)
  }

  /// Returns a copy of the connection in a slot.
  package func connection(_ slot: LinkSlot) -> Connection { slots[slot.index].connection }

  /// Returns what decides how fast a direction of the link in a slot can be.
  package func carrier(_ slot: LinkSlot, _ direction: Direction) -> LinkCarrier {
    // What has changed since may be missing.
    let isKnown = !self[slot].hasLostPackets
    return LinkCarrier(
      interval: isKnown ? self[slot].interval : nil,
      phys: isKnown ? self[slot].phys.map { ($0.sent, $0.received) } : nil,
      lengths: isKnown ? self[slot].lengths : nil, isEncrypted: self[slot].isEncrypted,
      mtu: BearerMTU.value(exchanged: self[slot].mtu, largest: self[slot].largestATT),
      isMTUKnown: self[slot].knownMTU != nil, direction)
  }

  /// Returns whether the capture has all packets of the link in a slot, as far as is known, and the
  /// controller holds this many of those that were sent.
  func isKnownFromItsOpening(_ slot: LinkSlot, held: Int) -> Bool {
    !self[slot].isOpeningMissing && !self[slot].hasLostPackets
      && self[slot].sentPackets - self[slot].completedPackets == held
  }

  /// Returns the last packet before which others of the link in a slot may be missing; 0: none.
  package func gap(of slot: LinkSlot) -> Int {
    max(gap, slots[slot.index].connection.mayMissBefore)
  }

  /// Returns whether the link in a slot is encrypted; nil if unknown.
  package func isEncrypted(_ slot: LinkSlot) -> Bool? { slots[slot.index].connection.isEncrypted }

  /// Returns the number of the connection in a slot; 0 if the link is not a connection.
  package func id(_ slot: LinkSlot) -> Int { slots[slot.index].connection.id }

  /// Returns how often the identifying properties of the connection in a slot have changed.
  package func changes(_ slot: LinkSlot) -> Int { slots[slot.index].connection.changes }

  /// Returns the peer of the link in a slot.
  package func peer(_ slot: LinkSlot) -> DeviceAddress? { slots[slot.index].connection.peer }

  /// Returns the identity address that the peer of the link in a slot sent.
  package func identity(_ slot: LinkSlot) -> DeviceAddress? {
    slots[slot.index].connection.identity?.address
  }

  /// Sets the name of a device on its open links.
  mutating func takeName(_ name: Names.Entry?, of address: DeviceAddress, _ type: AddressType) {
    guard let name else { return }
    for position in slots.indices where slots[position].connection.isOpen {
      // Only public or random matters, not whether the controller resolved the address.
      guard slots[position].connection.peer == address,
        (slots[position].connection.peerType?.rawValue ?? 0) & 1 == type.rawValue & 1
      else { continue }
      slots[position].connection.name = name
    }
  }

  /// Returns the resolvable private address that the peer uses, if its identity is known.
  package func peerResolvable(_ slot: LinkSlot) -> DeviceAddress? {
    slots[slot.index].connection.peerResolvable
  }

  /// The connection in a slot, accessed in place.
  subscript(slot: LinkSlot) -> Connection {
    _read { yield slots[slot.index].connection }
    _modify { yield &slots[slot.index].connection }
  }

  /// The open transactions of the link in a slot.
  subscript(transactions slot: LinkSlot) -> Transactions {
    _read { yield slots[slot.index].transactions }
    _modify { yield &slots[slot.index].transactions }
  }

  /// The pairing state of the link in a slot.
  subscript(pairing slot: LinkSlot) -> PairingState {
    _read { yield slots[slot.index].pairing }
    _modify { yield &slots[slot.index].pairing }
  }

  /// The number of connections seen so far.
  package var count: Int { connections }

  /// The open links.
  var open: [LinkSlot] {
    slots.indices.filter { slots[$0].connection.isOpen }.map { LinkSlot(index: $0) }
  }

  /// Returns a copy of the open connection with this key; records nothing.
  package func known(_ key: LinkKey) -> Connection? { index[key].map { slots[$0].connection } }

  /// Returns the number of the open connection with this key; copies and records nothing.
  package func id(_ key: LinkKey) -> Int? { index[key].map { slots[$0].connection.id } }

  /// Returns whether a link with this key is open; copies and records nothing.
  func isOpen(_ key: LinkKey) -> Bool { index[key] != nil }

  /// Returns whether this connection is the open one with this key, and its peer was heard on it;
  /// copies and records nothing.
  package func isEstablished(_ id: Int, _ key: LinkKey) -> Bool {
    guard let position = index[key] else { return false }
    return slots[position].connection.id == id && slots[position].connection.isEstablished
  }

  /// Returns the open link with this key.
  mutating func find(_ key: LinkKey, packet: Int) -> LinkSlot? {
    let position: Int
    if let latest, latest.key == key {
      position = latest.slot
    } else {
      guard let found = index[key] else { return nil }
      position = found
      latest = (key, found)
    }
    uses[position] = Self.openUse | packet
    return LinkSlot(index: position)
  }

  /// Returns the open BR/EDR connection with this peer. This is a linear search, only for packets
  /// that have an address and no handle.
  mutating func find(_ adapter: AdapterIndex, peer: DeviceAddress, packet: Int) -> LinkSlot? {
    for position in slots.indices
    where slots[position].connection.peer == peer && slots[position].connection.transport == .brEDR
      && slots[position].connection.adapter == adapter && slots[position].connection.ending == nil
    {
      uses[position] = Self.openUse | packet
      return LinkSlot(index: position)
    }
    return nil
  }

  /// Returns the link with this key that ended last, if it is still remembered and the data of
  /// `packet` can only be its own: the host did not know of the end yet, or the data was under way.
  func findEnded(_ key: LinkKey, _ direction: Direction?, packet: Int) -> LinkSlot? {
    var found: (position: Int, end: Int)?
    for position in slots.indices {
      let connection = slots[position].connection
      guard connection.key == key, let end = connection.lastPacket, end > found?.end ?? -1
      else { continue }
      found = (position, end)
    }
    // Lost records since then may have contained the opening of another link.
    guard let found, found.end >= gap, direction == .sent || packet - found.end <= Self.race,
      slots[found.position].connection.transport != .synchronous
    else { return nil }
    return LinkSlot(index: found.position)
  }

  /// Returns the open link of a connection that is only now reported to have begun, after its data.
  /// The host has not used it, so it cannot have known of an earlier one.
  mutating func adopt(
    _ key: LinkKey, _ transport: Connection.Transport, packet: Int
  ) -> LinkSlot? {
    guard let slot = find(key, packet: packet) else { return nil }
    let connection = self[slot]
    let isOpen = connection.isTransportInferred || connection.transport == .unknown
    guard isOpen, connection.isEstablished, !connection.isUsed,
      packet - connection.firstPacket <= Self.race, connection.firstPacket >= gap
    else { return nil }
    self[slot].transport = transport
    self[slot].isTransportInferred = false
    self[slot].isOpeningMissing = false
    if connection.isEncrypted == nil { self[slot].isEncrypted = false }
    return slot
  }

  /// Opens the link that a controller reports; returns nil if it could not be opened.
  ///
  /// - Parameter roles: the roles that this host will have.
  mutating func open(
    _ complete: ConnectionComplete, _ names: Names, _ roles: inout ClassicRoles,
    _ record: borrowing CaptureRecord
  ) -> LinkSlot? {
    let isConnection = complete.isConnection
    let role = isConnection ? roles.take(complete.peer, record.adapter) : nil
    guard complete.status == .success else { return nil }
    let key = LinkKey(record.adapter, complete.handle)
    let adopted = isConnection ? adopt(key, .brEDR, packet: record.number) : nil
    let link =
      adopted
      ?? open(
        key, isConnection ? .brEDR : .synchronous, packet: record.number, time: record.time)
    self[link].peer = complete.peer
    self[link].peerType = .public
    self[link].set(localRole: role)
    self[link].isEstablished = true
    self[link].name = names.find(complete.peer, .public)
    return link
  }

  /// Opens the LE connection that a controller reports; returns nil if it could not be opened.
  mutating func open(
    _ complete: LEConnectionComplete, _ names: Names, _ record: borrowing CaptureRecord
  ) -> LinkSlot? {
    guard complete.status == .success else { return nil }
    let key = LinkKey(record.adapter, complete.handle)
    let link =
      adopt(key, .le, packet: record.number)
      ?? open(key, .le, packet: record.number, time: record.time)
    self[link].peer = complete.peer
    self[link].peerType = complete.peerType
    self[link].set(localRole: LinkRole(rawValue: complete.role))
    self[link].opensOn1M = openingPHYs.areDefault(record.adapter, isCentral: complete.role == 0)
    self[link].reportsLengths = openingPHYs.reportLengths(record.adapter)
    if complete.role == 0 { openingPHYs.open(record.adapter) }
    // The peripheral learns of a connection from the central's packet; the central only created it.
    if complete.role != 0 { self[link].isEstablished = true }
    self[link].interval = complete.interval
    self[link].latency = complete.latency
    self[link].supervisionTimeout = complete.supervisionTimeout
    self[link].peerResolvable = complete.peerResolvable
    self[link].name =
      names.find(complete.peer, complete.peerType)
      ?? complete.peerResolvable.flatMap { names.find($0, .random) }
    return link
  }

  /// Records completed packets, which the peer has acknowledged, and sets `link` if they are of
  /// one link.
  mutating func observe(
    _ completed: CompletedPackets, _ bytes: RawSpan, _ record: borrowing CaptureRecord,
    _ link: inout LinkSlot?
  ) {
    if completed.count > 0 { reportsCompletedPackets = true }
    for index in 0..<completed.count {
      let (handle, packets) = completed.link(index, bytes)
      let found = find(LinkKey(record.adapter, handle), packet: record.number)
      if let found, packets > 0 {
        self[found].isEstablished = true
        self[found].completedPackets &+= packets
      }
      if completed.isOfOne { link = found }
    }
  }

  /// Forgets the open transactions of one adapter or of all: records were lost before `packet`.
  mutating func forgetTransactions(of adapter: AdapterIndex, packet: Int) {
    hasGap = hasGap || gap != 0 && gap != packet
    gap = packet
    gapAdapter = adapter
    openingPHYs.forget()
    for position in slots.indices
    where adapter.mayBe(slots[position].connection.adapter) {
      slots[position].connection.hasLostPackets = true
      slots[position].transactions.forgetOpen()
      slots[position].pairing = PairingState()
    }
  }

  /// Opens a link; an open link with the same key is replaced by it.
  mutating func open(
    _ key: LinkKey, _ transport: Connection.Transport, packet: Int, time: Timestamp?,
    isOpeningMissing: Bool = false
  ) -> LinkSlot {
    if let previous = find(key, packet: packet) {
      close(previous, .replaced, reason: nil, packet: packet, time: time)
      otherEndings += 1
      departed = self[previous]
    }
    let isConnection = transport != .synchronous
    if isConnection { connections += 1 }
    let connection = Connection(
      id: isConnection ? connections : 0, key, transport, packet: packet, time: time,
      isOpeningMissing: isOpeningMissing,
      isOpeningLost: isOpeningMissing && (hasGap || resetAdapters.contains(key.adapter)))
    let position = place(Slot(connection: connection), packet: packet)
    index[key] = position
    latest = (key, position)
    if isConnection { openCount += 1 }
    mostOpen = max(mostOpen, openCount)
    return LinkSlot(index: position)
  }

  private mutating func place(_ slot: Slot, packet: Int) -> Int {
    let use = Self.openUse | packet
    if slots.count < limit {
      slots.append(slot)
      uses.append(use)
      return slots.count - 1
    }
    // Slots whose link has ended are reused first, then the one that was silent longest.
    var chosen = 0
    for position in uses.indices where uses[position] < uses[chosen] { chosen = position }
    let forgotten = slots[chosen].connection
    if forgotten.isOpen {
      hasForgotten = true
      otherEndings += 1
      departed = forgotten
      departed?.ending = .forgotten
      if forgotten.id != 0 { openCount -= 1 }
      index[forgotten.key] = nil
    }
    slots[chosen] = slot
    uses[chosen] = use
    return chosen
  }

  /// Ends a link. What is known about it stays readable until its slot is reused.
  mutating func close(
    _ slot: LinkSlot, _ ending: Connection.Ending, reason: StatusCode?, packet: Int,
    time: Timestamp?
  ) {
    if self[slot].isOpen, self[slot].id != 0 { openCount -= 1 }
    uses[slot.index] &= ~Self.openUse
    self[slot].ending = ending
    self[slot].reason = reason
    self[slot].lastPacket = packet
    self[slot].lastTime = time
    self[transactions: slot] = Transactions()
    self[pairing: slot] = PairingState()
    index[self[slot].key] = nil
    latest = nil
  }

  /// Records that an adapter is reset or removed: its later links were not open before.
  mutating func noteReset(of adapter: AdapterIndex) { resetAdapters.insert(adapter) }

  /// Ends all links of an adapter that was reset or removed.
  mutating func closeAll(of adapter: AdapterIndex, packet: Int, time: Timestamp?) {
    noteReset(of: adapter)
    for position in slots.indices {
      let connection = slots[position].connection
      guard connection.isOpen, connection.adapter == adapter else { continue }
      close(LinkSlot(index: position), .reset, reason: nil, packet: packet, time: time)
      otherEndings += 1
      departed = slots[position].connection
    }
  }

  /// Ends all links at the end of a file that no other file continues.
  ///
  /// - Parameters:
  ///   - packet: the file's last record.
  ///   - time: the time of that record.
  mutating func endFile(packet: Int, time: Timestamp?) {
    for position in slots.indices where slots[position].connection.isOpen {
      close(LinkSlot(index: position), .fileEnded, reason: nil, packet: packet, time: time)
      otherEndings += 1
      departed = slots[position].connection
    }
  }

  /// Forgets a Disconnect command that the controller refused.
  mutating func withdrawDisconnect(_ packet: Int?) {
    guard let packet else { return }
    for position in slots.indices where slots[position].connection.disconnectPacket == packet {
      slots[position].connection.disconnectPacket = nil
    }
  }

  /// Returns how many ACL packets the captured host has sent on a link, and how many of them are
  /// completed: they left the controller and the peer acknowledged them. Returns nil if the counts
  /// are unreliable because the capture lacks records of the link. The second count is meaningless
  /// if the capture has no such events (`reportsCompletedPackets`).
  package func flow(_ slot: LinkSlot) -> (sent: Int, completed: Int)? {
    guard !self[slot].isOpeningMissing, !self[slot].hasLostPackets else { return nil }
    return (self[slot].sentPackets, self[slot].completedPackets)
  }

  /// Returns how many data packets the host has sent for its LE links that the controller still
  /// holds. The controller's buffers are shared by all links (Core, Vol 4, Part E, 4.1.1), and a
  /// link's packets are discarded when it ends (4.3). Returns nil if the count of any of the links
  /// is unknown.
  package func outstanding(on adapter: AdapterIndex) -> Int? {
    var sum = 0
    for position in slots.indices
    where slots[position].connection.adapter == adapter && slots[position].connection.isOpen
      && slots[position].connection.transport == .le
    {
      guard let flow = flow(LinkSlot(index: position)) else { return nil }
      sum += flow.sent - flow.completed
    }
    return sum
  }

  /// Returns the numbers of the remembered connections that match.
  func ids(where isMatch: (Connection) -> Bool) -> [Int] {
    slots.compactMap { isMatch($0.connection) ? $0.connection.id : nil }
  }

  /// Calls `visit` with the connection that ended by something other than its own event, if any did
  /// after the first `known` ones; if several did, also with every link that is remembered.
  package func forEachEnding(after known: Int, _ visit: (Connection) -> Void) {
    guard otherEndings != known else { return }
    if let departed { visit(departed) }
    // One of them is the departed one; the others still have their slots.
    if otherEndings - known > 1 { forEach(visit) }
  }

  /// Calls `visit` with every link that is remembered.
  package func forEach(_ visit: (Connection) -> Void) {
    for slot in slots { visit(slot.connection) }
  }
}
