package import Bluetooth
import Bytes
import Dissectors

/// The channels that signalling has opened, and those that were used without that. Bounded: closed
/// ones go first, then those whose opening is not in the capture, then the one that was silent longest.
package struct Channels: Sendable {
  /// How often channels for one service were opened.
  package struct Tally: Sendable {
    /// The service.
    package let psm: PSM
    /// Whether they are credit-based.
    package let isCreditBased: Bool
    /// How many.
    package var count: Int
  }

  private var slots: [Channel] = []
  private var transactions: [Transactions] = []
  /// Channels by connection, direction of the frames and the identifier that those carry.
  private var index: [UInt64: Int] = [:]
  /// The channel that was looked up last: traffic comes in runs.
  private var latest: (key: UInt64, slot: Int)?
  private var serial = 0
  private let limit: Int
  private let tallyLimit: Int
  /// Whether a channel that may still be open had to be forgotten.
  private(set) var hasForgotten = false
  /// The channels that were opened, by service, in the order in which these came first.
  package private(set) var opened: [Tally] = []
  /// Those that were opened for services that there was no room to count one by one.
  package private(set) var otherOpened = 0

  init(_ limits: Limits) {
    limit = max(2, limits.channels)
    tallyLimit = limits.services
  }

  /// Identifiers are the receiver's: the same number means one channel in sent frames and maybe
  /// another in received ones.
  private static func key(_ connection: Int, _ direction: Direction, _ cid: ChannelID) -> UInt64 {
    UInt64(truncatingIfNeeded: connection) << 17 | UInt64(direction.rawValue) << 16
      | UInt64(cid.rawValue)
  }

  /// The channel of frames that go in `direction` and carry `cid`.
  mutating func find(_ connection: Int, _ direction: Direction, _ cid: ChannelID) -> Int? {
    let key = Self.key(connection, direction, cid)
    if let latest, latest.key == key { return latest.slot }
    guard let slot = index[key] else { return nil }
    latest = (key, slot)
    return slot
  }

  /// The places of all that are remembered.
  var indices: Range<Int> { slots.indices }

  /// Whether there are none.
  var isEmpty: Bool { slots.isEmpty }

  /// A channel, in place.
  subscript(slot: Int) -> Channel {
    _read { yield slots[slot] }
    _modify { yield &slots[slot] }
  }

  /// The open transactions of an ATT bearer.
  subscript(transactions slot: Int) -> Transactions {
    _read { yield transactions[slot] }
    _modify { yield &transactions[slot] }
  }

  // MARK: Opening and closing

  /// Opens a channel with both ends; others that had one of them are replaced. Where such a one was
  /// open for all that is known, that is a problem.
  mutating func open(
    _ connection: Int, local: ChannelID?, remote: ChannelID?, _ psm: PSM?, _ mode: Channel.Mode,
    packet: Int, _ problems: inout Problems
  ) -> Int {
    if let local { displace(connection, .received, local, packet: packet, &problems) }
    if let remote { displace(connection, .sent, remote, packet: packet, &problems) }
    let slot = place(connection, mode, packet: packet)
    slots[slot].psm = psm
    slots[slot].local = local
    slots[slot].remote = remote
    claim(slot)
    if let psm { count(psm, isCreditBased: mode == .creditBased) }
    return slot
  }

  /// Takes an end from the channel that is open with it: it can be only one's. The other end still
  /// leads to that channel, which counts as closed.
  private mutating func displace(
    _ connection: Int, _ direction: Direction, _ cid: ChannelID, packet: Int,
    _ problems: inout Problems
  ) {
    let key = Self.key(connection, direction, cid)
    // Where records were lost its closing may be among them.
    guard let slot = index[key], slots[slot].closedBy == nil, slots[slot].mode != .unknown,
      !slots[slot].isInferred
    else { return }
    problems.add(Problem(.channelInUse, Int(cid.rawValue)))
    close(slot, packet: packet)
    latest = nil
    index[key] = nil
    if direction == .sent { slots[slot].remote = nil } else { slots[slot].local = nil }
  }

  /// A channel whose opening is not in the capture: of that only the end is known that the frame
  /// carries.
  mutating func openUnknown(
    _ connection: Int, _ direction: Direction, _ cid: ChannelID, packet: Int
  ) -> Int {
    let slot = place(connection, .unknown, packet: packet)
    if direction == .sent { slots[slot].remote = cid } else { slots[slot].local = cid }
    claim(slot)
    return slot
  }

  /// Makes a channel's ends lead to it.
  private mutating func claim(_ slot: Int) {
    let channel = slots[slot]
    latest = nil
    if let local = channel.local { claim(slot, .received, local) }
    if let remote = channel.remote { claim(slot, .sent, remote) }
  }

  private mutating func claim(_ slot: Int, _ direction: Direction, _ cid: ChannelID) {
    let key = Self.key(slots[slot].connection, direction, cid)
    // The channel that had this end is gone; its other end must not lead to half of it.
    if let previous = index[key], previous != slot { release(previous) }
    index[key] = slot
  }

  /// Takes a channel out of the index and leaves its place to others.
  private mutating func release(_ slot: Int) {
    let channel = slots[slot]
    latest = nil
    if let local = channel.local { drop(slot, channel.connection, .received, local) }
    if let remote = channel.remote { drop(slot, channel.connection, .sent, remote) }
    slots[slot].closedBy = 0
    slots[slot].lastUse = 0
    slots[slot].local = nil
    slots[slot].remote = nil
  }

  private mutating func drop(
    _ slot: Int, _ connection: Int, _ direction: Direction, _ cid: ChannelID
  ) {
    let key = Self.key(connection, direction, cid)
    if index[key] == slot { index[key] = nil }
  }

  private mutating func place(_ connection: Int, _ mode: Channel.Mode, packet: Int) -> Int {
    serial += 1
    let channel = Channel(connection, serial: serial, mode, packet: packet)
    if slots.count < limit {
      slots.append(channel)
      transactions.append(Transactions())
      return slots.count - 1
    }
    var chosen = 0
    for position in slots.indices where isSooner(position, than: chosen) { chosen = position }
    if slots[chosen].closedBy == nil { hasForgotten = true }
    release(chosen)
    slots[chosen] = channel
    transactions[chosen] = Transactions()
    return chosen
  }

  /// Whether a channel makes room before another.
  private func isSooner(_ position: Int, than other: Int) -> Bool {
    let (left, right) = (rank(position), rank(other))
    return left == right ? slots[position].lastUse < slots[other].lastUse : left < right
  }

  private func rank(_ slot: Int) -> Int {
    slots[slot].closedBy != nil ? 0 : slots[slot].mode == .unknown ? 1 : 2
  }

  private mutating func count(_ psm: PSM, isCreditBased: Bool) {
    let known = opened.firstIndex { $0.psm == psm && $0.isCreditBased == isCreditBased }
    if let known {
      opened[known].count += 1
    } else if opened.count < tallyLimit {
      opened.append(Tally(psm: psm, isCreditBased: isCreditBased, count: 1))
    } else {
      otherOpened += 1
    }
  }

  /// A channel has been closed. Where it was stays known: frames may be under way.
  mutating func close(_ slot: Int, packet: Int) {
    slots[slot].closedBy = packet
    transactions[slot] = Transactions()
  }

  /// A connection has ended: so have its channels.
  mutating func closeAll(of connection: Int) {
    for slot in slots.indices
    where slots[slot].connection == connection && slots[slot].closedBy == nil {
      // Frames may still be under way: of those it is known what they are.
      slots[slot].closedBy = 0
      transactions[slot] = Transactions()
    }
  }

  /// Records were lost: what is open is only likely to be so still, and where its SDUs, credits and
  /// transactions stand is not known.
  mutating func lose(_ isLost: (_ connection: Int) -> Bool) {
    for slot in slots.indices where isLost(slots[slot].connection) {
      slots[slot].isInferred = true
      slots[slot].evidence = Evidence()
      for way in slots[slot].ways.indices {
        slots[slot].ways[way].credits = nil
        slots[slot].ways[way].isInStep = false
      }
      transactions[slot].forgetOpen()
    }
  }

  /// What credits a connection's channels have is no longer known.
  mutating func forgetCredits(of connection: Int) {
    for slot in slots.indices where slots[slot].connection == connection {
      for way in slots[slot].ways.indices { slots[slot].ways[way].credits = nil }
    }
  }

  // MARK: Credits

  /// Takes the credit for a frame and says what is wrong with it.
  ///
  /// - Returns: whether it was the last credit.
  mutating func send(
    _ slot: Int, _ direction: Direction, length: Int, _ problems: inout Problems
  ) -> Bool {
    let way = Int(direction.rawValue)
    slots[slot].ways[way].used += 1
    let now = slots[slot].ways[way]
    if let mps = now.mps, length > mps { problems.add(Problem(.frameTooLong, length, Int(mps))) }
    guard let credits = now.credits else { return false }
    if credits == 0 {
      problems.add(Problem(.noCredits, now.used, now.given))
      return false
    }
    slots[slot].ways[way].credits = credits - 1
    return credits == 1
  }

  /// Adds credits for frames that go in `direction`.
  mutating func give(
    _ slot: Int, _ direction: Direction, _ credits: Int, _ problems: inout Problems
  ) {
    let way = Int(direction.rawValue)
    slots[slot].ways[way].given += credits
    let total = (slots[slot].ways[way].credits ?? 0) + credits
    if credits == 0 || total > 0xffff {
      problems.add(Problem(.invalidCredits, credits, total))
    }
    if slots[slot].ways[way].credits != nil { slots[slot].ways[way].credits = min(total, 0xffff) }
  }

  // MARK: Inference

  /// Takes a frame on a channel whose opening is not in the capture. Where requests one way have been
  /// answered the other way often enough, the two ends are taken for one ATT bearer.
  ///
  /// - Parameter pdu: the ATT PDU that the frame would hold.
  mutating func weigh(_ slot: Int, _ direction: Direction, _ pdu: ATTPDU?) {
    guard !slots[slot].evidence.isDisproved else { return }
    guard let pdu, pdu.opcode.name != nil else {
      slots[slot].evidence = Evidence()
      slots[slot].evidence.isDisproved = true
      return
    }
    switch pdu.opcode.role {
    case .request: slots[slot].evidence.request = pdu.opcode
    case .response:
      let answered = pdu.fields.requestOpcode ?? pdu.opcode
      // The one channel the other way on which that was asked; where there are two it could be both.
      var asked: Int?
      for other in slots.indices where other != slot && isAsked(other, slot, direction, answered) {
        guard asked == nil else { return }
        asked = other
      }
      guard let asked else { return }
      slots[asked].evidence.request = nil
      let partner = slots[slot].serial
      if slots[asked].evidence.partner != partner { slots[asked].evidence.answers = 0 }
      slots[asked].evidence.partner = partner
      slots[asked].evidence.answers += 1
      if slots[asked].evidence.answers >= Evidence.enough { join(asked, slot, direction) }
    default: break
    }
  }

  /// Whether a request that a response to `opcode` can answer waits on a channel the other way.
  private func isAsked(
    _ other: Int, _ slot: Int, _ direction: Direction, _ answer: ATTOpcode
  ) -> Bool {
    // Field by field: a channel is too large to be copied for each of many.
    guard slots[other].mode == .unknown, slots[other].connection == slots[slot].connection,
      slots[other].closedBy == nil, !slots[other].evidence.isDisproved,
      let request = slots[other].evidence.request,
      direction == .sent ? slots[other].remote == nil : slots[other].local == nil
    else { return false }
    return request == answer || request.response == answer
  }

  /// Makes one bearer of two ends.
  ///
  /// - Parameter direction: that of the frames of `slot`.
  private mutating func join(_ other: Int, _ slot: Int, _ direction: Direction) {
    let otherChannel = slots[other]
    release(other)
    if direction == .sent {
      slots[slot].local = otherChannel.local
    } else {
      slots[slot].remote = otherChannel.remote
    }
    slots[slot].psm = .eatt
    slots[slot].mode = .creditBased
    slots[slot].isInferred = true
    for way in slots[slot].ways.indices { slots[slot].ways[way].isInStep = false }
    claim(slot)
  }
}
