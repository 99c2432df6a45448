package import Bluetooth

/// Where a link stands in `Links`; valid until as many others have been opened.
package struct LinkSlot: Equatable, Sendable {
  /// The position.
  package let index: Int
}

/// All links that are open, and those that ended last. Bounded: where all slots are open, the one
/// that was silent longest is forgotten.
package struct Links: Sendable {
  private struct Slot: Sendable {
    var connection: Connection
    var transactions = Transactions()
    var pairing = PairingState()
  }

  private var slots: [Slot] = []
  /// The packet that used each slot last, above `openUse` where its link is open: apart from the slots, which
  /// are large, since all are looked through for the least.
  private var uses: [Int] = []
  private static let openUse = 1 << 62
  private var index: [UInt32: Int] = [:]
  private let limit: Int
  private var connections = 0
  /// Connections that are open and remembered.
  private var openCount = 0
  /// The link that was looked up last: traffic comes in runs.
  private var latest: (key: UInt32, slot: Int)?
  /// The most links that were open at one time.
  package private(set) var mostOpen = 0
  /// Whether an open link had to be forgotten.
  private(set) var hasForgotten = false
  /// How many connections have ended by something else than their own event: a reset, a connection
  /// under the same handle, too many others.
  package private(set) var otherEndings = 0
  /// The last one that was replaced or forgotten, since its slot may be another's already.
  package private(set) var departed: Connection?
  /// The last record that tells of lost ones: nothing before it is known to go on.
  package private(set) var gap = 0
  /// The controller whose records those were; nil: all.
  package private(set) var gapAdapter: UInt16?
  /// Whether the capture has Number Of Completed Packets events.
  package internal(set) var tellsCompleted = false
  /// Data and events come over two ways (USB endpoints, queues): by so many packets data may seem
  /// to come before its link has begun or after it has ended.
  private static let race = 32

  init(limit: Int) {
    self.limit = max(1, limit)
    slots.reserveCapacity(self.limit)
    uses.reserveCapacity(self.limit)
    index.reserveCapacity(self.limit)
  }

  private static func key(_ adapter: UInt16, _ handle: UInt16) -> UInt32 {
    UInt32(adapter) << 16 | UInt32(handle)
  }

  /// The connection in a slot, as a copy.
  package func connection(_ slot: LinkSlot) -> Connection { slots[slot.index].connection }

  /// Whether the link in a slot is encrypted; nil where that is not known.
  package func isEncrypted(_ slot: LinkSlot) -> Bool? { slots[slot.index].connection.isEncrypted }

  /// The number of the connection in a slot; 0 for a link that is none.
  package func id(_ slot: LinkSlot) -> Int { slots[slot.index].connection.id }

  /// How often what says which connection is in a slot has changed.
  package func changes(_ slot: LinkSlot) -> Int { slots[slot.index].connection.changes }

  /// The peer of the link in a slot.
  package func peer(_ slot: LinkSlot) -> DeviceAddress? { slots[slot.index].connection.peer }

  /// The identity address that the peer of the link in a slot gave.
  package func identity(_ slot: LinkSlot) -> DeviceAddress? {
    slots[slot.index].connection.identity?.address
  }

  /// Gives the name of a device to its links that are open.
  mutating func takeName(_ name: Names.Entry?, of address: DeviceAddress, _ type: AddressType) {
    guard let name else { return }
    for position in slots.indices where slots[position].connection.isOpen {
      // Public and random count, not whether the controller resolved the address.
      guard slots[position].connection.peer == address,
        (slots[position].connection.peerType?.rawValue ?? 0) & 1 == type.rawValue & 1
      else { continue }
      slots[position].connection.name = name
    }
  }

  /// The resolvable private address that the peer uses, where its identity is known.
  package func peerResolvable(_ slot: LinkSlot) -> DeviceAddress? {
    slots[slot.index].connection.peerResolvable
  }

  /// The connection in a slot, in place.
  subscript(slot: LinkSlot) -> Connection {
    _read { yield slots[slot.index].connection }
    _modify { yield &slots[slot.index].connection }
  }

  /// The open transactions of the link in a slot.
  subscript(transactions slot: LinkSlot) -> Transactions {
    _read { yield slots[slot.index].transactions }
    _modify { yield &slots[slot.index].transactions }
  }

  /// How far pairing is on the link in a slot.
  subscript(pairing slot: LinkSlot) -> PairingState {
    _read { yield slots[slot.index].pairing }
    _modify { yield &slots[slot.index].pairing }
  }

  /// How many connections were seen so far.
  package var count: Int { connections }

  /// Whether any link is open.
  var hasOpen: Bool { !index.isEmpty }

  /// The links that are open.
  var open: [LinkSlot] {
    slots.indices.filter { slots[$0].connection.isOpen }.map { LinkSlot(index: $0) }
  }

  /// The connection that is open under this handle, as a copy; nothing is noted.
  package func known(_ adapter: UInt16, _ handle: UInt16) -> Connection? {
    index[Self.key(adapter, handle)].map { slots[$0].connection }
  }

  /// Whether a link is open under this handle; nothing is copied or noted.
  func isOpen(_ adapter: UInt16, _ handle: UInt16) -> Bool {
    index[Self.key(adapter, handle)] != nil
  }

  /// Whether this connection is the one that is open under this handle, and its peer was heard on it; nothing is
  /// copied or noted.
  package func isEstablished(_ id: Int, _ adapter: UInt16, _ handle: UInt16) -> Bool {
    guard let position = index[Self.key(adapter, handle)] else { return false }
    return slots[position].connection.id == id && slots[position].connection.isEstablished
  }

  /// The open link with this handle.
  mutating func find(_ adapter: UInt16, _ handle: UInt16, packet: Int) -> LinkSlot? {
    let key = Self.key(adapter, handle)
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

  /// The open BR/EDR connection with this peer. Only for packets that have an address and no handle:
  /// it is looked for.
  mutating func find(_ adapter: UInt16, peer: DeviceAddress, packet: Int) -> LinkSlot? {
    for position in slots.indices
    where slots[position].connection.peer == peer && slots[position].connection.transport == .brEDR
      && slots[position].connection.adapter == adapter && slots[position].connection.ending == nil
    {
      uses[position] = Self.openUse | packet
      return LinkSlot(index: position)
    }
    return nil
  }

  /// The link with this handle that ended last, while it is remembered, where data of `packet` can
  /// only be its own: the host did not know yet, or the data was under way.
  func findEnded(
    _ adapter: UInt16, _ handle: UInt16, _ direction: Direction?, packet: Int
  ) -> LinkSlot? {
    var found: (position: Int, end: Int)?
    for position in slots.indices {
      let connection = slots[position].connection
      guard connection.adapter == adapter, connection.handle == handle,
        let end = connection.lastPacket, end > found?.end ?? -1
      else { continue }
      found = (position, end)
    }
    // Records that were lost since may have held the opening of another link.
    guard let found, found.end >= gap, direction == .sent || packet - found.end <= Self.race,
      slots[found.position].connection.transport != .synchronous
    else { return nil }
    return LinkSlot(index: found.position)
  }

  /// The open link of a connection that is now told to have begun, where data has come before that:
  /// the host has not used it, so it cannot have known of an earlier one.
  mutating func adopt(
    _ adapter: UInt16, _ handle: UInt16, _ transport: Connection.Transport, packet: Int
  ) -> LinkSlot? {
    guard let slot = find(adapter, handle, packet: packet) else { return nil }
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

  /// Forgets the open transactions of an adapter, or of all: records were lost before `packet`.
  mutating func forgetTransactions(of adapter: UInt16?, packet: Int) {
    gap = packet
    gapAdapter = adapter
    for position in slots.indices
    where adapter == nil || slots[position].connection.adapter == adapter {
      slots[position].connection.hasLostPackets = true
      slots[position].transactions.forgetOpen()
      slots[position].pairing = PairingState()
    }
  }

  /// Opens a link; one that is open under the same handle has been replaced by it.
  mutating func open(
    _ adapter: UInt16, _ handle: UInt16, _ transport: Connection.Transport, packet: Int,
    time: Timestamp?, isOpeningMissing: Bool = false
  ) -> LinkSlot {
    if let previous = find(adapter, handle, packet: packet) {
      close(previous, .replaced, reason: nil, packet: packet, time: time)
      otherEndings += 1
      departed = self[previous]
    }
    let isConnection = transport != .synchronous
    if isConnection { connections += 1 }
    let connection = Connection(
      id: isConnection ? connections : 0, adapter: adapter, handle: handle,
      transport: transport, packet: packet, time: time, isOpeningMissing: isOpeningMissing)
    let position = place(Slot(connection: connection), packet: packet)
    index[Self.key(adapter, handle)] = position
    latest = (Self.key(adapter, handle), position)
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
    // Slots whose link has ended go first, then the one that was silent longest.
    var chosen = 0
    for position in uses.indices where uses[position] < uses[chosen] { chosen = position }
    let forgotten = slots[chosen].connection
    if forgotten.isOpen {
      hasForgotten = true
      otherEndings += 1
      departed = forgotten
      departed?.ending = .forgotten
      if forgotten.id != 0 { openCount -= 1 }
      index[Self.key(forgotten.adapter, forgotten.handle)] = nil
    }
    slots[chosen] = slot
    uses[chosen] = use
    return chosen
  }

  /// Ends a link. What is known of it stays readable until its slot is needed.
  mutating func close(
    _ slot: LinkSlot, _ ending: Connection.Ending, reason: StatusCode?, packet: Int,
    time: Timestamp?
  ) {
    let key = Self.key(self[slot].adapter, self[slot].handle)
    if self[slot].isOpen, self[slot].id != 0 { openCount -= 1 }
    uses[slot.index] &= ~Self.openUse
    self[slot].ending = ending
    self[slot].reason = reason
    self[slot].lastPacket = packet
    self[slot].lastTime = time
    self[transactions: slot] = Transactions()
    self[pairing: slot] = PairingState()
    index[key] = nil
    latest = nil
  }

  /// Ends all links of an adapter that was reset or went away.
  mutating func closeAll(of adapter: UInt16, packet: Int, time: Timestamp?) {
    for position in slots.indices {
      let connection = slots[position].connection
      guard connection.isOpen, connection.adapter == adapter else { continue }
      close(LinkSlot(index: position), .reset, reason: nil, packet: packet, time: time)
      otherEndings += 1
      departed = slots[position].connection
    }
  }

  /// Leaves all links at the end of a file that no other goes on with.
  ///
  /// - Parameters:
  ///   - packet: the file's last record.
  ///   - time: when that was.
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

  /// How many ACL packets the captured host has sent on a link, and how many of them are completed: they
  /// left the controller and the peer acknowledged them. Nil where the counts are not to be trusted, since
  /// the capture lacks records of the link. Where it has no such events (`tellsCompleted`), the second
  /// count says nothing.
  package func flow(_ slot: LinkSlot) -> (sent: Int, completed: Int)? {
    guard !self[slot].isOpeningMissing, !self[slot].hasLostPackets else { return nil }
    return (self[slot].sentPackets, self[slot].completedPackets)
  }

  /// How many data packets the host has sent to a controller for its LE links, and the controller still holds: its
  /// buffers are for all of them (Core, Vol 4, Part E, 4.1.1), and what a link has there is given up with the link
  /// (4.3). Nil where that is not known of one of them.
  package func outstanding(on adapter: UInt16) -> Int? {
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

  /// Tells `visit` every link that is remembered.
  package func forEach(_ visit: (Connection) -> Void) {
    for slot in slots { visit(slot.connection) }
  }
}
