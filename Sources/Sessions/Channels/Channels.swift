package import Bluetooth
import Bytes
import Captures
import Dissectors

/// The channels that signalling has opened, and those used without being seen to open. Bounded:
/// closed channels are dropped first, then those whose opening is missing, then the one that was
/// silent longest.
package struct Channels: Sendable {
  /// How often channels for one service were opened.
  package struct Tally: Sendable {
    /// The service.
    package let psm: PSM
    /// Whether the channels are credit-based.
    package let isCreditBased: Bool
    /// The number of channels.
    package var count: Int
  }

  private var slots: [Channel] = []
  private var transactions: [Transactions] = []
  /// Channels by connection, direction of the frames, and the channel ID in those frames.
  private var index: [UInt64: Int] = [:]
  /// The channel that was looked up last, since consecutive packets often use the same one.
  private var latest: (key: UInt64, slot: Int)?
  private var serial = 0
  private let limit: Int
  private let tallyLimit: Int
  /// Whether a channel that may still be open had to be forgotten.
  private(set) var hasForgotten = false
  /// The opened channels by service, in the order in which the services first appeared.
  package private(set) var opened: [Tally] = []
  /// The number of channels opened for services beyond the limit.
  package private(set) var otherOpened = 0

  init(_ limits: Limits) {
    limit = max(2, limits.channels)
    tallyLimit = limits.services
  }

  /// Returns the index key. Channel IDs are the receiver's: the same number means one channel in
  /// sent frames and possibly another in received ones.
  private static func key(_ connection: Int, _ direction: Direction, _ cid: ChannelID) -> UInt64 {
    UInt64(truncatingIfNeeded: connection) << 17 | UInt64(direction.rawValue) << 16
      | UInt64(cid.rawValue)
  }

  /// Returns the channel of frames that go in `direction` and carry `cid`.
  mutating func find(_ connection: Int, _ direction: Direction, _ cid: ChannelID) -> Int? {
    let key = Self.key(connection, direction, cid)
    if let latest, latest.key == key { return latest.slot }
    guard let slot = index[key] else { return nil }
    latest = (key, slot)
    return slot
  }

  /// The indexes of all remembered channels.
  var indices: Range<Int> { slots.indices }

  /// Whether no channel is remembered.
  var isEmpty: Bool { slots.isEmpty }

  /// A channel, accessed in place.
  subscript(slot: Int) -> Channel {
    _read { yield slots[slot] }
    _modify { yield &slots[slot] }
  }

  /// The open transactions of an ATT bearer.
  subscript(transactions slot: Int) -> Transactions {
    _read { yield transactions[slot] }
    _modify { yield &transactions[slot] }
  }

  // MARK: Frames

  /// Processes a frame: counts it, reads what the mode of its channel puts before the payload, and
  /// returns what is known about the channel.
  ///
  /// - Parameter transport: the transport of its connection.
  mutating func observe(
    _ header: L2CAPHeader, of connection: Int, _ transport: Connection.Transport,
    _ direction: Direction, _ packet: inout Packet
  ) -> ChannelFact {
    let (number, pdu) = (packet.record.number, packet.bytes)
    let isTruncated = packet.answer.fragment.isTruncated
    let slot =
      find(connection, direction, header.cid)
      ?? openUnknown(connection, direction, header.cid, packet: number)
    slots[slot].lastUse = number
    if let closedBy = slots[slot].closedBy, closedBy > 0 {
      packet.dissection.problems.add(Problem(.channelClosed, closedBy))
    }
    var fact = ChannelFact(slots[slot], slot: slot)
    switch slots[slot].mode {
    case .unknown:
      // Only on LE do dynamic channel IDs end there. On BR/EDR a B-frame may look like anything,
      // except for RFCOMM, whose frames have lengths and check sequences.
      if header.cid.rawValue < 0x80, !isTruncated, transport != .brEDR {
        weigh(slot, direction, packet.dissection.looksLikeATTFrame(pdu))
      }
      if transport != .le, !isTruncated, recognizeRFCOMM(slot, packet.dissection, pdu) {
        slots[slot].psm = .rfcomm
        slots[slot].mode = .basic
        slots[slot].isInferred = true
        fact = ChannelFact(slots[slot], slot: slot)
        observeRFCOMM(slot, direction, missing: 0, &fact, &packet)
      }
    case .basic:
      guard fact.bearer != nil || fact.psm == .rfcomm else { break }
      let missing =
        isTruncated ? max(0, Int(header.length) - Int(packet.dissection.body.count)) : 0
      if fact.bearer != nil {
        packet.dissection.parseChannelATT(pdu, missing: missing)
      } else {
        observeRFCOMM(slot, direction, missing: missing, &fact, &packet)
      }
    case .creditBased:
      fact.isOutOfCredits = send(
        slot, direction, length: Int(header.length), &packet.dissection.problems)
    case .standardControl, .enhancedControl, .extendedControl:
      if let layout = slots[slot].mode.control {
        packet.dissection.takeControl(layout, pdu, isCut: isTruncated)
      }
    }
    return fact
  }

  // MARK: RFCOMM

  /// After this many RFCOMM frames in a row, a channel whose opening is missing counts as one of
  /// RFCOMM.
  private static let enoughSerialFrames: UInt8 = 3

  /// Weighs a frame on a channel whose opening is missing, and returns whether the channel carries
  /// RFCOMM: several frames have the right lengths and check sequences, or one carries Apple's
  /// accessory protocol.
  private mutating func recognizeRFCOMM(
    _ slot: Int, _ dissection: borrowing Dissection, _ pdu: RawSpan
  ) -> Bool {
    guard let frame = dissection.looksLikeRFCOMM(pdu) else {
      slots[slot].serialFrames = 0
      return false
    }
    slots[slot].serialFrames += 1
    return slots[slot].serialFrames >= Self.enoughSerialFrames
      || frame.carriesData && AccessoryProtocol(pdu, frame.payload) != nil
  }

  /// Reads an RFCOMM frame, and finds the serial channel that it belongs to.
  ///
  /// - Parameter missing: the number of its bytes that the capture did not keep.
  private mutating func observeRFCOMM(
    _ slot: Int, _ direction: Direction, missing: Int, _ fact: inout ChannelFact,
    _ packet: inout Packet
  ) {
    packet.dissection.parseRFCOMM(packet.bytes, missing: missing)
    guard let frame = packet.dissection.rfcomm, frame.kind.name != nil else { return }
    let sender = Side(sent: direction)
    if frame.dlci == .control {
      if frame.kind == .sabm { slots[slot].initiator = sender }
      return
    }
    let initiator =
      slots[slot].initiator ?? (frame.isFromInitiator ? sender : sender.other)
    fact.serialChannel = SerialFact(
      channel: .rfcomm(frame.dlci.serverChannel),
      server: frame.dlci.isServedByInitiator ? initiator : initiator.other)
    if frame.carriesData { fact.accessory = recognizeAccessory(slot, frame, packet.bytes) }
  }

  /// Recognizes Apple's accessory protocol on a serial channel, from the first bytes that can only
  /// belong to it.
  private mutating func recognizeAccessory(
    _ slot: Int, _ frame: RFCOMMFrame, _ pdu: RawSpan
  ) -> AccessoryProtocol? {
    if let known = slots[slot].accessory, known.dlci == frame.dlci { return known.is }
    guard let found = AccessoryProtocol(pdu, frame.payload) else { return nil }
    slots[slot].accessory = (frame.dlci, found)
    return found
  }

  // MARK: Opening and closing

  /// Opens a channel with both ends, and replaces other channels that used one of them. It is a
  /// problem if such a channel was still open as far as is known.
  mutating func open(
    _ connection: Int, local: ChannelID?, remote: ChannelID?, _ psm: PSM?, _ mode: Channel.Mode,
    server: Side? = nil, packet: Int, _ problems: inout Problems
  ) -> Int {
    if let local { displace(connection, .received, local, packet: packet, &problems) }
    if let remote { displace(connection, .sent, remote, packet: packet, &problems) }
    let slot = place(connection, mode, packet: packet)
    slots[slot].psm = psm
    slots[slot].server = server
    slots[slot].local = local
    slots[slot].remote = remote
    claim(slot)
    if let psm { count(psm, isCreditBased: mode == .creditBased) }
    return slot
  }

  /// Takes an end from the channel that is open with it, since only one channel can have it. The
  /// other end still leads to that channel, which counts as closed.
  private mutating func displace(
    _ connection: Int, _ direction: Direction, _ cid: ChannelID, packet: Int,
    _ problems: inout Problems
  ) {
    let key = Self.key(connection, direction, cid)
    // If records were lost, they may contain its closing.
    guard let slot = index[key], slots[slot].closedBy == nil, slots[slot].mode != .unknown,
      !slots[slot].isInferred
    else { return }
    problems.add(Problem(.channelInUse, Int(cid.rawValue)))
    close(slot, packet: packet)
    latest = nil
    index[key] = nil
    if direction == .sent { slots[slot].remote = nil } else { slots[slot].local = nil }
  }

  /// Adds a channel whose opening is missing: only the end that the frame carries is known.
  mutating func openUnknown(
    _ connection: Int, _ direction: Direction, _ cid: ChannelID, packet: Int
  ) -> Int {
    let slot = place(connection, .unknown, packet: packet)
    if direction == .sent { slots[slot].remote = cid } else { slots[slot].local = cid }
    claim(slot)
    return slot
  }

  /// Registers a channel's ends in the index.
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

  /// Removes a channel from the index and frees its place.
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

  /// Returns whether a channel is dropped before another.
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

  /// Closes a channel. It stays in the index, since frames may be under way.
  mutating func close(_ slot: Int, packet: Int) {
    slots[slot].closedBy = packet
    transactions[slot] = Transactions()
  }

  /// Closes the channels of a connection that has ended.
  mutating func closeAll(of connection: Int) {
    for slot in slots.indices
    where slots[slot].connection == connection && slots[slot].closedBy == nil {
      // Frames may still be under way, so the channels stay in the index.
      slots[slot].closedBy = 0
      transactions[slot] = Transactions()
    }
  }

  /// Records that records were lost. Open channels are only likely to be still open, and the state
  /// of their SDUs, credits and transactions is unknown.
  mutating func lose(_ isLost: (_ connection: Int) -> Bool) {
    for slot in slots.indices where isLost(slots[slot].connection) {
      slots[slot].isInferred = true
      slots[slot].evidence = BearerEvidence()
      for way in slots[slot].ways.indices {
        slots[slot].ways[way].credits = nil
        slots[slot].ways[way].isInStep = false
      }
      transactions[slot].forgetOpen()
    }
  }

  /// Forgets the credits of a connection's channels.
  mutating func forgetCredits(of connection: Int) {
    for slot in slots.indices where slots[slot].connection == connection {
      for way in slots[slot].ways.indices { slots[slot].ways[way].credits = nil }
    }
  }

  // MARK: Credits

  /// Uses up the credit for a frame, and adds the frame's problems.
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

  /// Weighs a frame on a channel whose opening is missing. If requests in one direction were
  /// answered in the other often enough, the two ends count as one ATT bearer.
  ///
  /// - Parameter pdu: the ATT PDU that the frame would hold.
  mutating func weigh(
    _ slot: Int, _ direction: Direction, _ pdu: (opcode: ATTOpcode, fields: ATTFields)?
  ) {
    guard !slots[slot].evidence.isDisproved else { return }
    guard let pdu, pdu.opcode.name != nil else {
      slots[slot].evidence = BearerEvidence()
      slots[slot].evidence.isDisproved = true
      return
    }
    switch pdu.opcode.role {
    case .request: slots[slot].evidence.request = pdu.opcode
    case .response:
      let answered = pdu.fields.requestOpcode ?? pdu.opcode
      // The one channel in the other direction with such a request; if there are two, either may be
      // meant.
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
      if slots[asked].evidence.answers >= BearerEvidence.enough { join(asked, slot, direction) }
    default: break
    }
  }

  /// Returns whether a request that a response to `opcode` can answer waits on a channel in the
  /// other direction.
  private func isAsked(
    _ other: Int, _ slot: Int, _ direction: Direction, _ answer: ATTOpcode
  ) -> Bool {
    // Field by field: a channel is too large to copy for each of many.
    guard slots[other].mode == .unknown, slots[other].connection == slots[slot].connection,
      slots[other].closedBy == nil, !slots[other].evidence.isDisproved,
      let request = slots[other].evidence.request,
      direction == .sent ? slots[other].remote == nil : slots[other].local == nil
    else { return false }
    return request == answer || request.response == answer
  }

  /// Joins two ends into one bearer.
  ///
  /// - Parameter direction: the direction of the frames of `slot`.
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
