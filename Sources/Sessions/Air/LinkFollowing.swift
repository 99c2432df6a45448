// How one connection on the air is followed, packet by packet.

import Bluetooth
import Bytes
import Captures
import Cryptography
import Dissectors

extension AirLink {
  // MARK: Counting

  /// Counts a damaged packet, by the side that the capture names. Its event was not missed.
  mutating func count(
    error header: AirHeader, channel: UInt8?, _ time: PacketTime?, packet: Int
  ) {
    gap = packet
    let side = header.direction.map { Int($0.rawValue) } ?? 2
    counts[side].crcErrors += 1
    count(side, channel, isError: true)
    let claim = header.version == 3 ? header.eventCounter : nil
    guard
      let number = claim.map({ clock.place(of: $0) }) ?? time.map({ clock.event(at: $0.start) }),
      let number, number > max(lastEvent ?? -1, damagedEvents.last ?? -1)
    else { return }
    if damagedEvents.count >= Self.mostDamaged { damagedEvents.removeFirst() }
    damagedEvents.append(number)
  }

  private static let mostDamaged = 64

  /// Counts a packet of a stream.
  mutating func count(stream record: borrowing CaptureRecord, _ header: AirHeader) {
    let side = header.direction.map { Int($0.rawValue) } ?? 2
    counts[side].packets += 1
    note(side, record)
    if let rssi = header.rssi { counts[side].rssi.count(rssi) }
  }

  private mutating func count(_ side: Int, _ channel: UInt8?, isError: Bool) {
    guard let channel, channel < 40, side < 2 else { return }
    if cells.isEmpty { cells = [UInt32](repeating: 0, count: 160) }
    cells[(side * 40 + Int(channel)) * 2 + (isError ? 1 : 0)] &+= 1
  }

  private mutating func note(_ side: Int, _ record: borrowing CaptureRecord) {
    if counts[side].firstPacket == 0 { counts[side].firstPacket = record.number }
    counts[side].lastPacket = record.number
    counts[side].lastTime = record.time
  }

  // MARK: Events and sides

  /// Returns whether a request to connect is the one that opened this connection, as another
  /// sniffer of the capture heard it.
  func isDuplicate(_ request: ConnectIndication, _ record: borrowing CaptureRecord) -> Bool {
    !isEnded && interface != record.adapter && central?.address == request.initiator
      && peripheral?.address == request.advertiser
  }

  /// Returns whether the capture gives channels as indices, once enough packets are on the
  /// predicted channel only so, or only in RF order; nil: undecided. While the opening does not say
  /// which algorithm selects the channels, that is decided with it.
  mutating func judgeChannel(_ raw: UInt8, at time: PacketTime?) -> Bool? {
    guard let time, let order = RFChannel.index(ofPosition: raw), order != raw else { return nil }
    let predicted = clock.channels(at: time.start)
    let fits = [
      predicted.first == raw, predicted.second == raw, predicted.first == order,
      predicted.second == order,
    ]
    for place in 0..<4 where fits[place] { channelFits[place] += 1 }
    var best = 0
    for place in 1..<4 where channelFits[place] > channelFits[best] { best = place }
    for place in 0..<4 where place != best && channelFits[place] * 2 > channelFits[best] {
      return nil
    }
    guard channelFits[best] >= 8 else { return nil }
    clock.settle(algorithm: best & 1 == 0 ? 1 : 2)
    return best < 2
  }

  /// Finds a packet's event and side, and whether it is new.
  mutating func follow(
    _ pdu: LinkPDU, _ air: AirPacket, _ channel: UInt8?, _ time: PacketTime?, _ packet: inout Packet
  ) {
    // Earlier versions lose count after a gap.
    let claim = air.header.version == 3 ? air.header.eventCounter : nil
    let isExact = time.map { $0.isExact || arePausesExact } ?? false
    let step: EventClock.Step
    if packet.record.adapter == interface {
      step = clock.step(
        start: time?.start, end: time?.end, channel: channel, claim: claim, isExact: isExact)
    } else {
      // Another sniffer has another clock. What both heard is taken for resent.
      step = EventClock.Step(event: clock.event, isNew: false)
    }
    count(step, packet.record.number)
    if !step.isNew, let time, let latestEnd, 0..<1000 ~= time.start - latestEnd {
      if 90...210 ~= time.start - latestEnd { pauses.fitting += 1 } else { pauses.other += 1 }
    }
    latestEnd = time?.end
    let (side, via) = direction.decide(
      pdu,
      Sides.Evidence(
        opcode: opcodeSide(pdu, packet.bytes), claim: air.header.direction,
        start: isExact ? time?.start : nil, end: isExact ? time?.end : nil,
        lateness: isExact ? step.lateness : nil, isNewEvent: step.isNew),
      packet: packet.record.number)
    // An opcode or a MIC proves the side.
    packet.record.set(side, isInferred: via >= .timing)
    packet.answer.air?.directionEvidence = via
    packet.answer.air?.event = step.event.map { UInt16(truncatingIfNeeded: $0) }
    packet.answer.air?.eventEvidence = step.evidence
    if isExact, step.isNew { noteDrift(step, isCentral: side == .sent) }
    heard |= 1 << side.rawValue
    acknowledge(pdu, side, step, air, channel, &packet)
  }

  /// Adds how late an event of the central began. What deviates by more than clocks do is a change
  /// of the interval, or of the place in the transmit window.
  private mutating func noteDrift(_ step: EventClock.Step, isCentral: Bool) {
    let passed = Int64(clamping: step.passed).multiplied(clamped: clock.interval)
    driftPause.add(clamped: passed)
    guard isCentral, let lateness = step.lateness else { return }
    if passed > 0, abs(lateness) <= driftPause / 1000 + 50 {
      drift.deviation.add(clamped: lateness)
      drift.time.add(clamped: driftPause)
    }
    driftPause = 0
  }

  /// Whether the capture's times are exact enough to show the pauses of the Link Layer.
  private var arePausesExact: Bool {
    pauses.fitting >= 4 && pauses.fitting * 10 >= 7 * (pauses.fitting + pauses.other)
  }

  private mutating func count(_ step: EventClock.Step, _ packet: Int) {
    guard step.isNew, let event = step.event else { return }
    let heardBefore = heard
    if heard == 1 { eventsOnlyCentral += 1 }
    if heard == 2 { eventsOnlyPeripheral += 1 }
    heard = 0
    eventsSeen += 1
    if earliestEvent == nil { earliestEvent = event }
    // What was missed before the first packet counts only if the opening says so.
    let damaged = damagedEvents.count { $0 < event }
    damagedEvents.removeAll(keepingCapacity: true)
    let missed = lastEvent == nil && opening == 0 ? 0 : max(0, step.passed - 1 - damaged)
    eventsDamaged &+= damaged
    eventsWithout &+= missed
    if missed > longestHole { (longestHole, longestHolePacket) = (missed, packet) }
    if missed > 0 { security.miss(events: missed) }
    // In each event the central sends first.
    if missed > 0 || heardBefore == 2 { gap = packet }
    lastEvent = max(lastEvent ?? 0, event)
    if lostTrack == nil, let since = clock.wrongCountsSince {
      lostTrack = (since, packet, latestUpdate)
      eventsSeenBeforeLoss = eventsSeen
    }
    if lostTrack == nil, let update = unreadUpdate, event - update.event >= Self.leastLost,
      (eventsSeen - update.seen) * 10 < event - update.event, !isFiltered
    {
      (lostTrack, eventsSeenBeforeLoss) = ((update.event, packet, latestUpdate), update.seen)
    }
  }

  /// A sniffer that meets less than a tenth of this many events follows another interval.
  private static let leastLost = 100

  /// Returns the only side that may send a control PDU or one of the Security Manager, if it is
  /// plain.
  private func opcodeSide(_ pdu: LinkPDU, _ bytes: RawSpan) -> Direction? {
    guard !pdu.isEmpty, pdu.payload.count > 0 else { return nil }
    switch security.state {
    case .clear, .requested, .plain: break
    case .unknown where !pdu.isControl: break
    case .answered, .encrypted, .unknown: return nil
    }
    let start = Int(pdu.payload.start)
    if pdu.isControl {
      return LinkOpcode(rawValue: bytes.byte(at: start)).sender.role.map {
        $0 == .central ? .sent : .received
      }
    }
    // L2CAP's length (2 bytes), channel (2); the code, and what follows it (Core, Vol 3, Part H,
    // 3.5.1, 3.5.2 and 3.6.7). An encrypted PDU does not look so by chance.
    guard pdu.llid == 2, pdu.payload.count > 4,
      Int(bytes.littleEndianU16(at: start)) + 4 == Int(pdu.payload.count),
      bytes.littleEndianU16(at: start + 2) == ChannelID.securityManager.rawValue
    else { return nil }
    switch (SMPOpcode(rawValue: bytes.byte(at: start + 4)), pdu.payload.count) {
    case (.pairingRequest, 11): return .sent
    case (.pairingResponse, 11), (.securityRequest, 6): return .received
    default: return nil
    }
  }

  private mutating func acknowledge(
    _ pdu: LinkPDU, _ side: Direction, _ step: EventClock.Step, _ air: AirPacket,
    _ channel: UInt8?, _ packet: inout Packet
  ) {
    let place = Int(side.rawValue)
    let isSecret = security.state == .encrypted
    let outcome = acknowledgements[place].accept(
      pdu, content: Self.content(pdu, packet.bytes), event: step.event, isEncrypted: isSecret)
    counts[place].packets += 1
    note(place, packet.record)
    if let rssi = air.header.rssi { counts[place].rssi.count(rssi) }
    count(place, channel, isError: false)
    if pdu.isEmpty { counts[place].empty += 1 }
    switch outcome {
    case .new: break
    case .newAfterMissed:
      counts[place].missed += 1
      packet.answer.air?.missedBefore = 1
      gap = packet.record.number
    case .resent: packet.answer.air?.isResent = true
    case .resentUnsure:
      packet.answer.air?.isResent = true
      packet.answer.air?.isResendUnsure = true
    }
    if packet.answer.air?.isResent ?? false { counts[place].resent += 1 }
    // The central sends another PDU only after the last one was acknowledged.
    if side == .sent, awaitsPeripheral, packet.answer.air?.isResent == false {
      gap = packet.record.number
    }
    awaitsPeripheral = side == .sent
    if let phy = air.header.phy {
      if side == .sent { phyFromCentral = phy } else { phyFromPeripheral = phy }
    }
  }

  /// Returns a number that identifies a PDU's LLID, length and payload.
  private static func content(_ pdu: LinkPDU, _ bytes: RawSpan) -> UInt64 {
    // FNV-1a.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let payload = bytes.part(pdu.payload)
    for offset in 0..<payload.byteCount {
      hash = (hash ^ UInt64(payload.byte(at: offset))) &* 0x100_0000_01b3
    }
    return hash << 10 | UInt64(pdu.length) << 2 | UInt64(pdu.llid)
  }

  // MARK: Encryption

  /// Returns the payload of a new PDU, decrypted if possible.
  mutating func read(
    _ pdu: LinkPDU, _ air: AirPacket, _ packet: inout Packet, _ keys: LinkKeys,
    _ known: KnownKeys, into buffer: inout BlockBuffer
  ) -> AirPayload {
    if air.header.isDecrypted {
      noteFirmware(packet.record.number)
      packet.answer.air?.encryption = .byFirmware
      return .plain
    }
    let first = pdu.payload.isEmpty ? 0 : packet.bytes.byte(at: Int(pdu.payload.start))
    switch security.state {
    case .clear:
      // The start of encryption may be among what was missed.
      guard gap > 0 || !pairing.isEmpty, !isPlausible(pdu, packet.bytes) else { return .plain }
      security.state = .unknown
      looks = (1, 0)
      return leave(pdu, &packet)
    case .requested:
      // Until encryption has started, the central sends no other control PDU of this length (Core,
      // Vol 6, Part B, 5.1.3.1).
      let isStart = pdu.isControl && pdu.length == 5 && packet.record.direction == .sent
      if !isStart, isPlausible(pdu, packet.bytes) { return .plain }
      security.state = .encrypted
    case .plain:
      packet.answer.air?.encryption = .before
      return .plain
    case .unknown: return looksPlain(pdu, packet.bytes) ? .plain : leave(pdu, &packet)
    case .answered:
      let isStart =
        pdu.isControl && pdu.length == 1 && first == LinkOpcode.startEncryptionRequest.rawValue
      if isStart || pdu.length <= 4 { return .plain }
    case .encrypted:
      if pdu.isControl, pdu.length == 1, first == LinkOpcode.startEncryptionResponse.rawValue {
        // It was decrypted before it was saved.
        security.state = .plain
        update { $0.keySource = .sniffer }
        packet.answer.air?.encryption = .before
        return .plain
      }
      if pdu.length <= 4 { return .plain }
    }
    return decrypt(pdu, &packet, keys, known, into: &buffer)
  }

  private mutating func noteFirmware(_ packet: Int) {
    if periods.isEmpty { begin(EncryptionPeriod()) }
    update {
      if $0.keySource == nil { $0.keySource = .sniffer }
      if $0.firstEncrypted == 0 { $0.firstEncrypted = packet }
      $0.decrypted += 1
    }
  }

  /// Changes the latest encryption period.
  private mutating func update(_ change: (inout EncryptionPeriod) -> Void) {
    guard !periods.isEmpty else { return }
    change(&periods[periods.count - 1])
  }

  private mutating func begin(_ period: EncryptionPeriod) {
    if periods.count >= Self.mostPeriods {
      periods.removeFirst()
    }
    periods.append(period)
    security.begin()
  }

  private static let mostPeriods = 8
  private static let mostSearches = 8

  private mutating func decrypt(
    _ pdu: LinkPDU, _ packet: inout Packet, _ keys: LinkKeys, _ known: KnownKeys,
    into buffer: inout BlockBuffer
  ) -> AirPayload {
    guard let side = packet.record.direction, !packet.record.isTruncated else {
      return leave(pdu, &packet)
    }
    update { if $0.firstEncrypted == 0 { $0.firstEncrypted = packet.record.number } }
    let encrypted = EncryptedPDU(
      header: pdu.flags, payload: packet.bytes.part(pdu.payload), direction: side)
    var plain = security.decrypt(encrypted, into: &buffer)
    if plain == nil, security.mayTryKeys {
      plain = find(keys, known, encrypted, into: &buffer)
    }
    guard let plain else { return leave(pdu, &packet) }
    security.state = .encrypted
    if plain.direction != side { correct(pdu, to: plain.direction, &packet) }
    packet.answer.air?.encryption = .decrypted
    packet.answer.air?.packetCounter = plain.counter
    packet.answer.air?.missedBefore = UInt32(clamping: plain.missed)
    if plain.missed > 0 { gap = packet.record.number }
    counts[Int(plain.direction.rawValue)].decrypted += 1
    update { $0.decrypted += 1 }
    return .decrypted(count: Int(pdu.payload.count) - LinkCipher.codeSize)
  }

  /// Corrects the side of a packet, which its MIC proves.
  private mutating func correct(
    _ pdu: LinkPDU, to side: Direction, _ packet: inout Packet
  ) {
    direction.correct(
      pdu, to: side, claim: packet.dissection.air?.header.direction, packet: packet.record.number)
    packet.record.set(side, isInferred: false)
    packet.answer.air?.directionEvidence = .mic
  }

  /// Tries the keys that may fit.
  private mutating func find(
    _ keys: LinkKeys, _ known: KnownKeys, _ pdu: borrowing EncryptedPDU,
    into buffer: inout BlockBuffer
  ) -> LinkSecurity.Plain? {
    guard let period = periods.last, period.request != 0, period.response != 0 else { return nil }
    let start = EncryptionStart(
      centralDiversifier: period.centralDiversifier,
      peripheralDiversifier: period.peripheralDiversifier, centralVector: period.centralVector,
      peripheralVector: period.peripheralVector)
    let window = security.nextAttempt()
    let candidates = keys.candidates(
      pairing, central, peripheral, ediv: period.ediv, rand: period.rand, known)
    update {
      $0.keysTried = max($0.keysTried, candidates.count)
      $0.keysGiven = keys.count
    }
    for candidate in candidates {
      let cipher =
        candidate.isSessionKey
        ? LinkCipher(sessionKey: candidate.key, start)
        : LinkCipher(longTermKey: candidate.key, start)
      if let plain = security.keep(cipher, if: pdu, window: window, into: &buffer) {
        update { $0.keySource = candidate.source }
        if pairing.isSecureConnections, candidate.source != .distributed, !candidate.isSessionKey {
          learnedKey = candidate.key
        }
        return plain
      }
    }
    return search(start, pdu, window, into: &buffer)
  }

  /// Searches for the temporary key of a legacy pairing that was heard, once.
  private mutating func search(
    _ start: EncryptionStart, _ pdu: borrowing EncryptedPDU, _ window: UInt64,
    into buffer: inout BlockBuffer
  ) -> LinkSecurity.Plain? {
    guard searches < Self.mostSearches, !pairing.hasSearched, pairing.hasRandoms else { return nil }
    if let method = pairing.method {
      switch method.association {
      case .justWorks, .outOfBand: return nil
      default: break
      }
    }
    pairing.hasSearched = true
    searches += 1
    pairing.found =
      pairing.hasConfirm
      ? pairing.searchPasskey(central, peripheral)
      : pairing.searchPasskey(
        start,
        TemporaryKeySearch.PDU(
          header: pdu.header, direction: pdu.direction, counter: 0, payload: pdu.payload.array))
    guard let passkey = pairing.found, let key = pairing.shortTermKey(passkey) else { return nil }
    let cipher = LinkCipher(longTermKey: key, start)
    guard let plain = security.keep(cipher, if: pdu, window: window, into: &buffer) else {
      return nil
    }
    update { $0.keySource = .search }
    return plain
  }

  /// Leaves a PDU encrypted, and records why.
  private mutating func leave(_ pdu: LinkPDU, _ packet: inout Packet) -> AirPayload {
    packet.answer.air?.encryption = .unread
    gap = packet.record.number
    if let side = packet.record.direction { counts[Int(side.rawValue)].undecrypted += 1 }
    if periods.isEmpty { begin(EncryptionPeriod()) }
    let reason = reason
    update {
      $0.undecrypted += 1
      if $0.firstUndecrypted == 0 { $0.firstUndecrypted = packet.record.number }
      $0.lastUndecrypted = packet.record.number
      if $0.reason == nil { $0.reason = reason }
    }
    // The sniffer cannot read an update either, and then follows the old interval.
    if pdu.isControl, pdu.length == 16, packet.record.direction == .sent {
      latestUpdate = packet.record.number
      if let lastEvent { unreadUpdate = (lastEvent, eventsSeen) }
    }
    return .none
  }

  /// Why the latest period is not decrypted.
  private var reason: UndecryptedReason {
    guard let period = periods.last else { return .beganBefore }
    if security.cipher != nil { return .lostCounter }
    if period.response == 0 && period.request == 0 {
      return opening == 0 ? .beganBefore : .requestMissing
    }
    if period.request == 0 { return .requestMissing }
    if period.response == 0 { return .responseMissing }
    if pairing.isSecureConnections { return .secureConnections }
    guard !pairing.isEmpty else { return period.keysGiven > 0 ? .keysDoNotFit : .earlierBond }
    if pairing.method?.association == .outOfBand { return .outOfBand }
    return pairing.hasRandoms ? .keysDoNotFit : .pairingIncomplete
  }

  /// Returns whether a PDU can be plain: a control PDU of the right length, or the beginning of an
  /// L2CAP PDU on a channel that LE has. A continuation always can.
  private func isPlausible(_ pdu: LinkPDU, _ bytes: RawSpan) -> Bool {
    let start = Int(pdu.payload.start)
    let count = Int(pdu.payload.count)
    switch pdu.llid {
    case 3:
      guard count > 0 else { return false }
      let opcode = LinkOpcode(rawValue: bytes.byte(at: start))
      // Those that begin encryption have no other length; vendors use the last opcodes.
      if opcode.isNeverEncrypted { return count == 1 || count == 13 || count == 23 }
      return opcode.rawValue >= 0xf0
        || LinkOpcode.candidates(length: count, from: nil).has(opcode)
    case 2:
      return count >= 4 && Int(bytes.littleEndianU16(at: start)) + 4 >= count
        && 1...0x7f ~= bytes.littleEndianU16(at: start + 2)
    default: return true
    }
  }

  /// Returns whether a PDU seems to be plain, if it is not known whether the connection is
  /// encrypted.
  private mutating func looksPlain(_ pdu: LinkPDU, _ bytes: RawSpan) -> Bool {
    let isPlain =
      pdu.llid == 1 ? looks.plain > looks.encrypted : isPlausible(pdu, bytes)
    if isPlain { looks.plain += 1 } else { looks.encrypted += 1 }
    if looks.plain >= 3, looks.encrypted == 0 { security.state = .clear }
    if looks.encrypted >= 3, looks.encrypted > 3 * looks.plain { security.state = .encrypted }
    return isPlain
  }

  // MARK: Control PDUs

  /// Follows a control PDU.
  mutating func follow(_ control: LinkControl, _ packet: borrowing Packet) {
    let number = packet.record.number
    switch control {
    case .encryptionRequest(let request):
      var period = EncryptionPeriod()
      period.request = number
      (period.rand, period.ediv) = (request.rand, request.ediv)
      (period.centralDiversifier, period.centralVector) = (request.diversifier, request.vector)
      begin(period)
      security.state = .requested
    case .encryptionResponse(let diversifier, let vector):
      if periods.isEmpty || security.state != .requested { begin(EncryptionPeriod()) }
      update {
        $0.response = number
        ($0.peripheralDiversifier, $0.peripheralVector) = (diversifier, vector)
      }
      security.state = .answered
    case .startEncryptionRequest:
      if periods.isEmpty { begin(EncryptionPeriod()) }
      update { $0.start = number }
      security.state = .encrypted
    case .reject(let opcode, _) where opcode == nil || opcode == .encryptionRequest:
      if security.state == .requested || security.state == .answered { security.state = .clear }
    case .pauseResponse where packet.record.direction == .sent: security.state = .clear
    case .connectionUpdate(let update):
      clock.change(
        interval: update.interval, offset: Int64(update.windowOffset) * 1250, at: update.instant)
      if packet.answer.air?.encryption == .decrypted { latestUpdate = number }
    case .channelMap(let map, let instant):
      clock.change(map: map, at: instant)
      channelMap = map
    default: break
    }
  }
}
