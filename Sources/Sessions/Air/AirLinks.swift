package import Bluetooth
import Bytes
import Captures
import Cryptography
import Dissectors

/// The payload of a packet from the air that is to be read further.
enum AirPayload {
  case none
  /// It is in the packet's bytes.
  case plain
  /// It was decrypted, and is this many bytes at the beginning of the buffer.
  case decrypted(count: Int)
}

/// The connections and streams on the air, by access address.
///
/// A packet is believed only if its CRC is right; a damaged one is counted, and changes nothing
/// else.
package struct AirLinks: Sendable {
  /// What the sniffers' headers claim that is known to be wrong, and other facts about the capture.
  package struct CaptureClaims: Sendable {
    /// Records from the air.
    package var records = 0
    package var advertising = 0
    package var data = 0
    package var crcErrors = 0
    /// Of these, on advertising channels.
    package var advertisingErrors = 0
    package var resent = 0
    package var empty = 0
    /// Whether channels are indices although the format counts in RF order; nil: undecided.
    package var isChannelIndex: Bool?
    /// Packets whose CRC claim is wrong, and the first of them.
    package var wrongCRCClaims = 0
    package var firstWrongCRCClaim = 0
    /// Whether the CRCs were not recorded.
    package var lacksCRCs = false
    package var clockGoesBack = 0
    /// Records that the sniffer's own count shows to be lost between sniffer and file.
    package var sniffersLosses = 0
    /// The format and protocol version of the first record.
    package var format: SnifferFormat?
    package var version: UInt8 = 0
  }

  /// A stream that other packets announce.
  private struct Announcement: Equatable, Sendable {
    var accessAddress: UInt32
    var stream: AirFact.Stream
    var crcInit: UInt32
    /// The connection that it belongs to.
    var owner = 0
    /// The train that it is or belongs to.
    var train: PeriodicTrain?
    /// Whether it has the responses to a train.
    var answersTrain = false
  }

  /// An access address that is not known to be used: one packet may be noise.
  private struct Candidate: Sendable {
    var accessAddress: UInt32
    var checks = CRCChecks()
    var packet: Int
  }

  package private(set) var claims = CaptureClaims()
  /// The connections and streams, open and ended; bounded.
  package private(set) var all: [AirLink] = []
  /// The positions in `all` of those that are open.
  private var positions: [UInt32: Int] = [:]
  private var latest: (accessAddress: UInt32, position: Int)?
  private var candidates: [Candidate] = []
  /// The access addresses of streams that other packets announce.
  private var announced: [Announcement] = []
  private var timing = AirTiming()
  private var pointers: AuxiliaryPointers
  /// The report that the current packet's advertising PDU amounts to, and its periodic train.
  private(set) var report: AdvertisingReport?
  private(set) var train: PeriodicTrain?
  private var advertisingChecks = CRCChecks()
  /// The channel selection bit of advertisers, each in the place of its address's lowest bits.
  private var selections: [UInt64] = []
  private var counter: (interface: AdapterIndex, value: UInt16)?
  private var handles: UInt16 = 0
  /// Whether the channels of a connection will show how the capture counts channels.
  private var isJudging = false
  private let keys: LinkKeys
  private let shared: SharedLimits
  private var limits: Limits { shared.values }

  init(_ bonds: [Bond], _ limits: SharedLimits) {
    keys = LinkKeys(bonds)
    shared = limits
    pointers = AuxiliaryPointers(limit: limits.values.airPointers)
  }

  /// Whether any record came from the air.
  package var isEmpty: Bool { claims.records == 0 }

  /// Returns the connection with this number.
  package func link(connection: Int) -> AirLink? {
    all.first { $0.connection == connection && $0.stream == .connection }
  }

  /// Returns the value that the CRC of packets with this access address starts with; nil: unknown.
  package func crcInit(of accessAddress: UInt32) -> UInt32? {
    if accessAddress == AirPacket.advertising { return CRC24.advertising }
    return position(of: accessAddress).flatMap { all[$0].crcInit }
  }

  /// Returns whether the connection with this access address was encrypted when it ended: what
  /// still comes is not decrypted.
  package func hasEndedEncrypted(_ accessAddress: UInt32) -> Bool {
    position(of: accessAddress).map { all[$0].isEnded && all[$0].security.state == .encrypted }
      ?? false
  }

  private func position(of accessAddress: UInt32) -> Int? {
    if let latest, latest.accessAddress == accessAddress { return latest.position }
    return positions[accessAddress]
  }

  /// Ends a file that the next one does not continue.
  mutating func endFile() {
    for position in positions.values { all[position].isEnded = true }
    positions.removeAll(keepingCapacity: true)
    latest = nil
    candidates.removeAll(keepingCapacity: true)
    announced.removeAll(keepingCapacity: true)
  }

  // MARK: Records

  /// Follows a packet, and returns the payload that is to be read further.
  mutating func follow(
    _ packet: inout Packet, _ links: inout Links, _ names: Names, _ known: inout KnownKeys,
    into buffer: inout BlockBuffer
  ) -> AirPayload {
    guard let air = packet.dissection.air else { return .none }
    note(air.header, packet.record)
    packet.answer.air = AirFact()
    if report != nil { (report, train) = (nil, nil) }
    switch packet.dissection.content {
    case .advertising(let pdu):
      followAdvertising(pdu, air, &packet, &links, names)
      return .none
    case .linkData(let pdu): return followData(pdu, air, &packet, &links, &known, into: &buffer)
    default: return .none
    }
  }

  private mutating func note(_ header: AirHeader, _ record: borrowing CaptureRecord) {
    claims.records += 1
    if claims.format == nil, case .air(let format) = record.framing {
      (claims.format, claims.version) = (format, header.version)
    }
    if let value = header.counter {
      if let counter, counter.interface == record.adapter {
        let gap = value &- counter.value &- 1
        // Bounded: at most 2¹⁵ for each record.
        if gap < 0x8000 { claims.sniffersLosses &+= Int(gap) }
      }
      counter = (record.adapter, value)
    }
  }

  /// Returns the index of the channel in a header; nil: it has none, or it is not known yet how the
  /// capture counts channels.
  private func channel(_ header: AirHeader) -> UInt8? {
    guard let channel = header.channel, channel < 40 else { return nil }
    guard header.isRFOrder else { return channel }
    if claims.isChannelIndex ?? false { return channel }
    // As the format says, unless a connection shows it soon, or the number is an index of a primary
    // channel.
    if claims.isChannelIndex == nil,
      isJudging || header.kind == .unknown && (channel == 37 || channel == 38)
    {
      return nil
    }
    return RFChannel.index(ofPosition: channel)
  }

  /// Returns the channel index with which a packet was whitened. Until it is known how the capture
  /// counts channels, its format decides.
  func whiteningChannel(_ header: AirHeader) -> UInt8? {
    channel(header) ?? header.channel.flatMap { RFChannel.index(ofPosition: $0) }
  }

  // MARK: Advertising

  private mutating func followAdvertising(
    _ pdu: AdvertisingPDU, _ air: AirPacket, _ packet: inout Packet, _ links: inout Links,
    _ names: Names
  ) {
    claims.advertising += 1
    var isWrongClaim = false
    let crc = advertisingChecks.check(
      air, packet.bytes, initial: CRC24.advertising, isTruncated: packet.record.isTruncated,
      isWrongClaim: &isWrongClaim)
    if isWrongClaim { noteWrongClaim(packet.record.number) }
    packet.answer.air?.crc = crc
    settleChannels(pdu, air.header, crc)
    packet.answer.air?.channel = channel(air.header)
    if advertisingChecks.isNotRecorded { claims.lacksCRCs = true }
    guard crc != .wrong else {
      claims.crcErrors += 1
      claims.advertisingErrors += 1
      return
    }
    let time = timing.time(air, packet.record)
    claims.clockGoesBack = timing.stepsBack
    packet.dissection.readAdvertising(packet.bytes, isTruncated: packet.record.isTruncated)
    let index = channel(air.header)
    switch pdu.kind {
    case .advInd, .directInd: remember(pdu, packet.bytes)
    case .connectInd:
      if isAuxiliary(air.header) { packet.answer.air?.place = .auxiliary }
      guard let request = ConnectIndication(pdu, packet.bytes) else { return }
      open(request, pdu, air, time, &packet, &links, names)
      return
    case .scanRequest:
      guard let index, index < 37 else { return }
      packet.answer.air?.place = .auxiliary
      if let scanned = pdu.parties(packet.bytes).receiver {
        pointers.add(
          scanned: scanned, pdu.receiverType, channel: index, at: time, on: packet.record.adapter)
      }
      return
    case .extended:
      followExtended(pdu, air, index, time, &packet)
      return
    default: break
    }
    report = pdu.report(packet.bytes, air.header, .primary)
  }

  /// Follows a packet of extended advertising, and completes what only the packets before it state.
  private mutating func followExtended(
    _ pdu: AdvertisingPDU, _ air: AirPacket, _ index: UInt8?, _ time: PacketTime?,
    _ packet: inout Packet
  ) {
    guard let header = ExtendedHeader(packet.bytes, pdu.payload) else { return }
    var place = AdvertisingPDU.place(channel: index, auxiliaryKind: air.header.auxiliaryKind)
    var before: AuxiliaryPointers.Beginning?
    if place != .primary, let index {
      before = pointers.take(
        channel: index, at: time, dataInfo: header.dataInfo, on: packet.record.adapter)
      if let before, air.header.auxiliaryKind ?? 0 == 0 { place = before.place }
    }
    packet.answer.air?.place = place
    var found = pdu.report(packet.bytes, air.header, place)
    if let before {
      if found?.address == nil {
        found?.address = before.address
        found?.addressType = before.addressType
      }
      if place == .chain { found?.eventType |= before.eventType }
      if header.dataInfo == nil, let info = before.dataInfo { found?.sid = UInt8(info >> 12) }
      found?.primaryPHY = before.primaryPHY
    }
    report = found
    let address = header.advertiser ?? before?.address
    let type = header.advertiser == nil ? before?.addressType ?? .anonymous : pdu.senderType
    if let pointer = header.auxiliary {
      pointers.add(
        pointer,
        AuxiliaryPointers.Beginning(
          place: place == .primary ? .auxiliary : .chain, address: address, addressType: type,
          // Only a scan response has its bit in every part.
          eventType: (found?.eventType ?? 0) & 0xf, dataInfo: header.dataInfo ?? before?.dataInfo,
          primaryPHY: place == .primary ? air.header.phy : before?.primaryPHY),
        from: time, on: packet.record.adapter)
    }
    if let sync = header.sync {
      announce(
        Announcement(
          accessAddress: sync.accessAddress, stream: .periodicAdvertising, crcInit: sync.crcInit,
          train: PeriodicTrain(address: address, addressType: type, sid: header.sid ?? 0xff)))
    }
  }

  /// Follows a packet of a periodic train.
  private mutating func followTrain(
    _ position: Int, _ pdu: LinkPDU, _ air: AirPacket, _ packet: inout Packet
  ) {
    let advertising = AdvertisingPDU(pdu)
    guard advertising.kind == .extended,
      let header = ExtendedHeader(packet.bytes, advertising.payload)
    else { return }
    packet.dissection.content = .advertising(advertising)
    packet.dissection.readAdvertising(packet.bytes, isTruncated: packet.record.isTruncated)
    let place: AdvertisingPDU.Place =
      all[position].answersTrain || air.header.auxiliaryKind == 3
      ? .response : air.header.auxiliaryKind == 1 ? .chain : .sync
    packet.answer.air?.place = place
    train = all[position].train
    report = advertising.report(packet.bytes, air.header, place)
    if report?.address == nil, let train {
      report?.address = train.address
      report?.addressType = train.addressType
    }
    if let responses = TrainData.responses(packet.bytes, header.acad) {
      var announcement = Announcement(
        accessAddress: responses.accessAddress, stream: .periodicAdvertising,
        crcInit: all[position].crcInit ?? 0, train: train)
      announcement.answersTrain = true
      announce(announcement)
    }
    if let group = TrainData.bigInfo(packet.bytes, header.acad) {
      for number in 0...group.streams {
        announce(
          Announcement(
            accessAddress: group.accessAddress(ofStream: number), stream: .broadcastIsochronous,
            crcInit: group.crcInit(ofStream: number), train: train))
      }
    }
  }

  /// Returns whether an advertising PDU was sent on a channel other than 37, 38 and 39.
  private func isAuxiliary(_ header: AirHeader) -> Bool {
    if header.kind == .auxiliaryAdvertising { return true }
    return channel(header).map { $0 < 37 } ?? false
  }

  private mutating func noteWrongClaim(_ packet: Int) {
    if claims.wrongCRCClaims == 0 { claims.firstWrongCRCClaim = packet }
    claims.wrongCRCClaims += 1
  }

  /// Decides from the channel of an advertising PDU how the writer counts channels. Primary ones
  /// are 37, 38 and 39: 0, 12 and 39 in RF order.
  private mutating func settleChannels(
    _ pdu: AdvertisingPDU, _ header: AirHeader, _ crc: AirFact.CRC
  ) {
    guard claims.isChannelIndex == nil, header.isRFOrder, crc == .right,
      let channel = header.channel
    else { return }
    switch pdu.kind {
    case .extended where header.kind == .auxiliaryAdvertising: break
    case .advInd, .directInd, .nonConnInd, .scanResponse, .scanInd, .extended:
      if channel == 0 || channel == 12 { claims.isChannelIndex = false }
      if channel == 37 || channel == 38 { claims.isChannelIndex = true }
    default: break
    }
  }

  /// Remembers whether an advertiser supports Channel Selection Algorithm 2.
  private mutating func remember(_ pdu: AdvertisingPDU, _ bytes: RawSpan) {
    guard let address = pdu.parties(bytes).sender else { return }
    if selections.isEmpty { selections = [UInt64](repeating: 0, count: Self.selectionPlaces) }
    selections[Int(truncatingIfNeeded: address.value) & (Self.selectionPlaces - 1)] =
      address.value << 2 | 2 | (pdu.supportsAlgorithm2 ? 1 : 0)
  }

  private static let selectionPlaces = 256

  /// Returns whether an advertiser supports Channel Selection Algorithm 2; nil: it was not heard.
  private func selection(of address: DeviceAddress) -> Bool? {
    guard !selections.isEmpty else { return nil }
    let entry = selections[Int(truncatingIfNeeded: address.value) & (Self.selectionPlaces - 1)]
    return entry >> 2 == address.value && entry & 2 != 0 ? entry & 1 == 1 : nil
  }

  /// Opens the connection that CONNECT_IND or AUX_CONNECT_REQ asks for.
  private mutating func open(
    _ request: ConnectIndication, _ pdu: AdvertisingPDU, _ air: AirPacket, _ time: PacketTime?,
    _ packet: inout Packet, _ links: inout Links, _ names: Names
  ) {
    let number = packet.record.number
    let isAuxiliary = isAuxiliary(air.header)
    if let position = find(request.accessAddress), all[position].isDuplicate(request, packet.record)
    {
      // Another sniffer heard it, too.
      packet.answer.link = slot(position, packet.record, links)
      return
    }
    endOthers(request, packet.record, &links)
    var link = AirLink(packet.record.adapter, request.accessAddress, packet: number)
    link.stream = .connection
    link.opening = number
    link.central = AirParty(address: request.initiator, type: request.initiatorType)
    link.peripheral = AirParty(address: request.advertiser, type: request.advertiserType)
    link.crcInit = request.crcInit
    link.hop = request.hop
    link.clockAccuracy = request.clockAccuracy
    link.channelMap = request.channelMap
    if isAuxiliary {
      link.channelSelection = 2
    } else if !pdu.supportsAlgorithm2 {
      link.channelSelection = 1
    } else {
      link.channelSelection = selection(of: request.advertiser).map { $0 ? 2 : 1 } ?? 0
    }
    let phy = isAuxiliary ? air.header.phy ?? 0 : 1
    (link.phyFromCentral, link.phyFromPeripheral) = (phy, phy)
    // The first event begins 1.25 ms later, after AUX_CONNECT_REQ 2.5 or 3.75 ms (Core, Vol 6,
    // Part B, 4.5.3).
    let delay: Int64 = isAuxiliary ? (phy == 3 ? 3750 : 2500) : 1250
    link.clock.open(
      interval: request.interval, map: request.channelMap, hop: request.hop,
      algorithm: link.channelSelection,
      begins: time.map { $0.end + delay + Int64(request.windowOffset) * 1250 })
    isJudging = air.header.isRFOrder && claims.isChannelIndex == nil
    let position = add(link)
    let slot = connect(position, packet.record, &links, isOpeningMissing: false)
    links[slot].interval = request.interval
    links[slot].latency = request.latency
    links[slot].supervisionTimeout = request.timeout
    if phy > 0 { links[slot].figures.phys = (phy, phy) }
    name(position, &links, names)
    packet.answer.link = slot
    packet.answer.opened = true
    // The initiator becomes the central.
    packet.record.set(.sent, isInferred: false)
    packet.answer.air?.directionEvidence = .opcode
  }

  /// Ends open connections of the same two devices, or with the same access address: a new one
  /// shows that they have ended.
  private mutating func endOthers(
    _ request: ConnectIndication, _ record: borrowing CaptureRecord, _ links: inout Links
  ) {
    for (accessAddress, position) in positions
    where all[position].stream == .connection && !all[position].isEnded {
      let isSamePair =
        all[position].central?.address == request.initiator
        && all[position].peripheral?.address == request.advertiser
      guard isSamePair || accessAddress == request.accessAddress else { continue }
      end(position, .unknown, reason: nil, record, &links)
    }
  }

  /// Ends a connection.
  mutating func end(
    _ position: Int, _ ending: Connection.Ending, reason: StatusCode?,
    _ record: borrowing CaptureRecord, _ links: inout Links
  ) {
    guard !all[position].isEnded else { return }
    // What still comes, such as the acknowledgement, belongs to it.
    all[position].isEnded = true
    guard let slot = all[position].slot, links.id(slot) == all[position].connection,
      links[slot].isOpen
    else { return }
    links.close(slot, ending, reason: reason, packet: record.number, time: record.time)
  }

  /// Adds a link, in place of the oldest ended one if there are too many. Returns its position.
  private mutating func add(_ link: AirLink) -> Int {
    let position: Int
    if all.count < max(1, limits.airLinks) {
      position = all.count
      all.append(link)
    } else {
      let isBetter = { (left: Int, right: Int) in
        (self.all[left].isEnded ? 0 : 1, self.all[left].latestPacket)
          < (self.all[right].isEnded ? 0 : 1, self.all[right].latestPacket)
      }
      position = all.indices.min(by: isBetter) ?? 0
      if positions[all[position].accessAddress] == position {
        positions[all[position].accessAddress] = nil
      }
      all[position] = link
    }
    positions[link.accessAddress] = position
    latest = nil
    return position
  }

  /// Opens a link for a connection in `Links`.
  private mutating func connect(
    _ position: Int, _ record: borrowing CaptureRecord, _ links: inout Links,
    isOpeningMissing: Bool
  ) -> LinkSlot {
    // A number that never appears; it starts again long after its link was forgotten.
    handles = handles == .max ? 1 : handles + 1
    let slot = links.open(
      LinkKey(all[position].interface, handles), .le, packet: record.number, time: record.time,
      isOpeningMissing: isOpeningMissing)
    links[slot].isOnAir = true
    links[slot].set(localRole: .central)
    all[position].slot = slot
    all[position].handle = handles
    all[position].connection = links.id(slot)
    return slot
  }

  /// Gives a link in `Links` its devices.
  private func name(_ position: Int, _ links: inout Links, _ names: Names) {
    guard let slot = all[position].slot else { return }
    if let peripheral = all[position].peripheral {
      links[slot].peer = peripheral.address
      links[slot].peerType = peripheral.type
      links[slot].name = names.find(peripheral.address, peripheral.type)
    }
    if let central = all[position].central {
      links[slot].localAddress = central.address
      links[slot].localType = central.type
    }
  }

  // MARK: Data

  /// Returns the position of the link with an access address, if it is open.
  private mutating func find(_ accessAddress: UInt32) -> Int? {
    if let latest, latest.accessAddress == accessAddress { return latest.position }
    guard let position = positions[accessAddress] else { return nil }
    latest = (accessAddress, position)
    return position
  }

  private mutating func followData(
    _ pdu: LinkPDU, _ air: AirPacket, _ packet: inout Packet, _ links: inout Links,
    _ known: inout KnownKeys, into buffer: inout BlockBuffer
  ) -> AirPayload {
    claims.data += 1
    guard let position = find(air.accessAddress) ?? begin(pdu, air, packet, &links) else {
      packet.answer.air?.crc =
        air.header.crc == .wrong ? .wrong : .unknown
      if air.header.crc == .wrong { claims.crcErrors += 1 }
      packet.answer.air?.channel = channel(air.header)
      return .none
    }
    var isWrongClaim = false
    let crc = all[position].checks.check(
      air, packet.bytes, initial: all[position].crcInit, isTruncated: packet.record.isTruncated,
      isWrongClaim: &isWrongClaim)
    if isWrongClaim { noteWrongClaim(packet.record.number) }
    if all[position].crcInit == nil, let found = all[position].checks.vote(air, packet.bytes) {
      all[position].crcInit = found
      all[position].isCRCInitFound = true
    }
    let index = channel(air.header)
    packet.answer.air?.crc = crc
    packet.answer.air?.channel = index
    packet.answer.air?.stream = all[position].stream
    all[position].latestPacket = packet.record.number
    if all[position].checks.isNotRecorded { claims.lacksCRCs = true }
    packet.answer.link = slot(position, packet.record, links)
    guard crc != .wrong else {
      claims.crcErrors += 1
      all[position].count(
        error: air.header, channel: index, timing.time(air, packet.record),
        packet: packet.record.number)
      if let slot = packet.answer.link { links[slot].mayMissBefore = all[position].gap }
      return .none
    }
    guard all[position].stream == .connection else {
      all[position].count(stream: packet.record, air.header)
      if let direction = air.header.direction {
        packet.record.set(direction, isInferred: false)
        packet.answer.air?.directionEvidence = .capture
      }
      if all[position].stream == .periodicAdvertising { followTrain(position, pdu, air, &packet) }
      return .none
    }
    return followConnection(position, pdu, air, &packet, &links, &known, into: &buffer)
  }

  private func slot(
    _ position: Int, _ record: borrowing CaptureRecord, _ links: borrowing Links
  ) -> LinkSlot? {
    guard let slot = all[position].slot, links.id(slot) == all[position].connection else {
      return nil
    }
    return slot
  }

  /// Follows a packet with an access address that no packet opened. Returns the position of its
  /// link once the address is known to be in use: the capture calls the CRC right, or several
  /// packets need the same initial value.
  private mutating func begin(
    _ pdu: LinkPDU, _ air: AirPacket, _ packet: borrowing Packet, _ links: inout Links
  ) -> Int? {
    guard air.pdu.count >= 2, !air.isAdvertising, air.header.crc != .wrong else { return nil }
    var link = AirLink(packet.record.adapter, air.accessAddress, packet: packet.record.number)
    if let known = announced.last(where: { $0.accessAddress == air.accessAddress }) {
      link.stream = known.stream
      link.crcInit = known.crcInit
      link.owner = known.owner
      link.train = known.train
      link.answersTrain = known.answersTrain
      return add(link)
    }
    switch air.header.kind {
    case .auxiliaryAdvertising: link.stream = .periodicAdvertising
    case .streamFromCentral, .streamFromPeripheral: link.stream = .connectedIsochronous
    case .broadcastStream: link.stream = .broadcastIsochronous
    default: link.stream = .connection
    }
    let place: Int
    if let found = candidates.firstIndex(where: { $0.accessAddress == air.accessAddress }) {
      place = found
    } else {
      if candidates.count >= limits.airCandidates { candidates.removeFirst() }
      candidates.append(
        Candidate(accessAddress: air.accessAddress, packet: packet.record.number))
      place = candidates.count - 1
    }
    let initial = candidates[place].checks.vote(air, packet.bytes)
    guard initial != nil || air.header.crc == .right else { return nil }
    link.checks = candidates[place].checks
    link.crcInit = initial
    link.isCRCInitFound = initial != nil
    candidates.remove(at: place)
    // A stream of a connection has its initial value.
    if link.stream == .connection, let owner = owner(of: air, packet.bytes) {
      link.stream = .connectedIsochronous
      link.owner = all[owner].connection
      link.crcInit = all[owner].crcInit
    }
    let position = add(link)
    if link.stream == .connection {
      all[position].security.state = .unknown
      _ = connect(position, packet.record, &links, isOpeningMissing: true)
    }
    return position
  }

  /// Returns the position of the connection whose initial value a packet's CRC needs.
  private func owner(of air: AirPacket, _ bytes: RawSpan) -> Int? {
    guard let crc = air.crc, crc != 0, !air.header.isDecrypted else { return nil }
    let initial = CRC24.initial(of: bytes.part(air.pdu), crc: crc)
    return positions.values.filter {
      all[$0].stream == .connection && all[$0].crcInit == initial && !all[$0].isCRCInitFound
    }.max { all[$0].latestPacket < all[$1].latestPacket }
  }

  private mutating func followConnection(
    _ position: Int, _ pdu: LinkPDU, _ air: AirPacket, _ packet: inout Packet,
    _ links: inout Links, _ known: inout KnownKeys, into buffer: inout BlockBuffer
  ) -> AirPayload {
    let time = timing.time(air, packet.record)
    claims.clockGoesBack = timing.stepsBack
    if claims.isChannelIndex == nil, air.header.isRFOrder, let raw = air.header.channel, raw < 40 {
      claims.isChannelIndex = all[position].judgeChannel(raw, at: time)
    }
    let index = channel(air.header)
    packet.answer.air?.channel = index
    all[position].follow(pdu, air, index, time, &packet)
    guard let direction = packet.record.direction, let slot = packet.answer.link else {
      return .none
    }
    if direction == .received, !all[position].isEnded { links[slot].isEstablished = true }
    if packet.answer.air?.isResent ?? false { claims.resent += 1 }
    if pdu.isEmpty { claims.empty += 1 }
    links[slot].mayMissBefore = all[position].gap
    guard !pdu.isEmpty, !(packet.answer.air?.isResent ?? true), !all[position].isEnded else {
      return .none
    }
    let payload = all[position].read(pdu, air, &packet, keys, known, into: &buffer)
    links[slot].mayMissBefore = all[position].gap
    if let key = all[position].learnedKey {
      // It is the key of later connections of the two devices, too.
      var found = KnownKeys.Key(
        .longTerm, key.littleEndian, .pairing, packet: packet.record.number)
      found.connection = all[position].connection
      known.add(found)
      all[position].learnedKey = nil
    }
    return payload
  }

  // MARK: Control

  /// Follows a control PDU that was read.
  mutating func follow(_ control: LinkControl, _ packet: borrowing Packet) {
    guard let air = packet.dissection.air, let position = find(air.accessAddress) else { return }
    all[position].follow(control, packet)
    if case .cisIndication(let indication) = control {
      announce(
        Announcement(
          accessAddress: indication.accessAddress, stream: .connectedIsochronous,
          crcInit: all[position].crcInit ?? 0, owner: all[position].connection))
    }
  }

  /// Follows a Security Manager PDU.
  mutating func follow(_ pdu: SMPPDU, _ packet: borrowing Packet) {
    guard let air = packet.dissection.air, let direction = packet.record.direction,
      let position = find(air.accessAddress)
    else { return }
    all[position].pairing.observe(
      pdu, packet.bytes, body: packet.dissection.body, from: direction, packet: packet.record.number
    )
  }

  /// Ends the connection of a packet.
  mutating func end(
    _ packet: borrowing Packet, _ ending: Connection.Ending, reason: StatusCode?,
    _ links: inout Links
  ) {
    guard let air = packet.dissection.air, let position = find(air.accessAddress) else { return }
    end(position, ending, reason: reason, packet.record, &links)
  }

  /// Records the access address of a stream.
  private mutating func announce(_ announcement: Announcement) {
    guard !announced.contains(announcement) else { return }
    if announced.count >= limits.airStreams { announced.removeFirst() }
    announced.append(announcement)
  }
}
