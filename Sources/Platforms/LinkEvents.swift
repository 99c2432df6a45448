import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// How connections begin, change and end. Bounded: the number that is followed is limited.
struct LinkEvents: Sendable {
  private struct Link: Sendable {
    var id: Int
    var key: LinkKey
    /// Whether the link was reported as established.
    var isReported: Bool
    var peer: DeviceAddress?
    var role: LinkRole?
    var encryptionFailure: StatusCode?
    var pairing = PairingProgress()
    /// Whether there is a bond, as far as the capture shows.
    var isBonded = false
    /// Whether its beginning is missing from the capture.
    var lacksBeginning = false
  }

  /// Devices with which a bond was seen, the latest last.
  private var bonded: [DeviceAddress] = []
  private static let mostBonded = 256
  /// The open links.
  private var open = ConnectionTable<Link>()
  private var otherEndings = 0
  /// Whether the peer of one of them was not heard yet.
  private var hasSilent = false
  private static let most = 1024

  // MARK: Packets

  /// Processes a packet.
  ///
  /// - Returns: the connections that ended with it.
  mutating func observe(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into events: inout [AppEvent]
  ) -> [Int] {
    if packet.answer.opened, let link = packet.answer.link {
      begin(memory.links.connection(link), packet.record, memory, &events)
    }
    if hasSilent { hear(packet.record, memory, &events) }
    if let link = packet.answer.link, let position = position(memory.links.id(link)) {
      if case .event = packet.dissection.content {
        observe(packet.dissection.fact, position, packet.record, packet.bytes, &events)
      } else if case .linkControl = packet.dissection.content {
        if let control = LinkControl(packet.bytes, packet.dissection.body) {
          observe(control, position, packet.record, memory.links.connection(link), &events)
        }
      } else if let pdu = packet.dissection.smp, let direction = packet.record.direction {
        observe(pdu, position, direction, packet.record, &events)
      } else if packet.dissection.att != nil, packet.answer.request?.opcode == .exchangeMTURequest {
        observeMTU(packet, memory.links.connection(link), &events)
      } else if packet.dissection.isSignalling, !packet.answer.fragment.isFragment {
        observeSignalling(position, packet, memory.signals.notes, &events)
      }
    }
    guard packet.answer.closed || memory.links.otherEndings != otherEndings else { return [] }
    var ids: [Int] = []
    if memory.links.otherEndings - otherEndings > 1 {
      ids = open.connections
    } else {
      if packet.answer.closed, let link = packet.answer.link { ids.append(memory.links.id(link)) }
      if memory.links.otherEndings != otherEndings, let departed = memory.links.departed {
        ids.append(departed.id)
      }
      ids.sort()
    }
    otherEndings = memory.links.otherEndings
    return end(ids, packet, memory, &events)
  }

  /// Returns the number of open connections of a controller.
  func count(on adapter: AdapterIndex) -> Int {
    open.indices.count { open[$0].key.adapter == adapter }
  }

  /// Returns whether a connection is open on which nothing agreed before the capture, or by a bond,
  /// applies.
  func isAllKnown(of id: Int) -> Bool {
    guard let position = position(id) else { return false }
    return !open[position].lacksBeginning && !open[position].isBonded
  }

  private func position(_ id: Int) -> Int? { open.place(of: id) }

  /// Forgets the progress of pairing on the links of a controller, or of all, whose records were
  /// lost.
  mutating func lose(_ adapter: AdapterIndex) {
    for position in open.indices where adapter.mayBe(open[position].key.adapter) {
      open[position].pairing = PairingProgress()
    }
  }

  // MARK: Begin and end

  private mutating func begin(
    _ connection: Connection, _ record: borrowing CaptureRecord, _ memory: borrowing Memory,
    _ events: inout [AppEvent]
  ) {
    guard connection.id != 0, connection.transport == .le || connection.transport == .unknown,
      open.indices.count < Self.most
    else { return }
    let peer = connection.identity?.address ?? connection.peer
    if let known = position(connection.id) {
      // Its data came before its beginning.
      (open[known].peer, open[known].role) = (peer, connection.role(of: .local))
      open[known].isReported = false
      add(.linkCreated, known, record, &events)
      hasSilent = true
      return
    }
    // What was open before the capture began was reported before.
    var begun = Link(
      id: connection.id, key: connection.key, isReported: connection.isOpeningMissing, peer: peer,
      role: connection.role(of: .local))
    begun.lacksBeginning = connection.isOpeningMissing
    let addresses = [peer, connection.peer]
    begun.isBonded = bonded.contains { known in
      addresses.contains(known) || memory.identities.identity(of: known)?.address == peer
    }
    let position = open.add(begun, of: connection.id, most: Self.most)
    guard !connection.isOpeningMissing else { return }
    add(.linkCreated, position, record, &events)
    hasSilent = true
  }

  /// Reports links whose peer was heard in the meantime.
  private mutating func hear(
    _ record: borrowing CaptureRecord, _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    hasSilent = false
    for position in open.indices where !open[position].isReported {
      guard memory.links.isEstablished(open[position].id, open[position].key) else {
        hasSilent = true
        continue
      }
      reportEstablished(position, record, &events)
    }
  }

  private mutating func reportEstablished(
    _ position: Int, _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    guard !open[position].isReported else { return }
    open[position].isReported = true
    add(.linkEstablished, position, record, &events)
  }

  /// Ends those of these links that are no longer open, the latest first.
  private mutating func end(
    _ ids: [Int], _ packet: borrowing Packet, _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) -> [Int] {
    var ended: [Int] = []
    for id in ids.reversed() {
      guard let position = position(id) else { continue }
      let link = open[position]
      if let known = memory.links.known(link.key), known.id == link.id,
        known.isOpen
      {
        continue
      }
      var last: Connection?
      if let slot = packet.answer.link, memory.links.id(slot) == link.id {
        last = memory.links.connection(slot)
      } else if let departed = memory.links.departed, departed.id == link.id {
        last = departed
      } else {
        memory.links.forEach { if $0.id == link.id { last = $0 } }
      }
      let ending = last?.ending ?? .unknown
      // The file ended, not the link: no app was notified.
      if ending == .fileEnded {
        ended.append(link.id)
        open.remove(link.id)
        continue
      }
      if case .began = link.pairing.stage {
        let isUnsettled = link.pairing.mayHaveBonded
        add(.bonding(isUnsettled ? .unsettled : .failed(nil)), position, packet.record, &events)
      }
      if !link.isReported, ending == .neverEstablished {
        let reason = last?.reason ?? .connectionFailedToBeEstablished
        add(.connectFailed(.notEstablished(reason)), position, packet.record, &events)
      } else {
        let details = AppEvent.LinkEnd(
          ending: ending, reason: last?.reason, role: last?.role(of: .local),
          wasEstablished: link.isReported, encryptionFailure: link.encryptionFailure)
        // Only this host's side can end a link on which the peer was never heard.
        if !link.isReported, ending != .localHost, ending != .reset {
          add(.linkEstablished, position, packet.record, &events)
        }
        add(.disconnected(details), position, packet.record, &events)
      }
      ended.append(link.id)
      open.remove(link.id)
    }
    return ended
  }

  private func add(
    _ what: AppEvent.What, _ position: Int, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent], request: Request? = nil, latency: Int64? = nil
  ) {
    var event = AppEvent(what, record)
    event.connection = open[position].id
    event.adapter = open[position].key.adapter
    event.peer = open[position].peer
    event.role = open[position].role
    event.request = request?.packet
    event.latency = latency
    events.append(event)
  }

  // MARK: Events of the controller

  private mutating func observe(
    _ fact: EventFact, _ position: Int, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ events: inout [AppEvent]
  ) {
    switch fact {
    case .encryption(let change):
      // Success, or a refusal that the peer has sent.
      if change.status == .success || change.status == .pinOrKeyMissing {
        reportEstablished(position, record, &events)
      }
      encrypt(isOn: change.isOn ?? true, change.status, position, record, &events)
    case .commandComplete(let complete):
      // Status (1 byte), handle (2).
      var cursor = Cursor(bytes, complete.returns)
      guard let status = complete.status, (try? cursor.take(3)) != nil else { return }
      let (first, second) = ((try? cursor.u8()) ?? 0, (try? cursor.u8()) ?? 0)
      switch complete.opcode {
      // Read RSSI: RSSI (1) (Core, Vol 4, Part E, 7.5.4).
      case HCICommand.readRSSI:
        add(.rssi(Int8(bitPattern: first), status), position, record, &events)
      // LE Read PHY: TX PHY (1), RX PHY (1) (7.8.47).
      case HCICommand.leReadPHY:
        add(.phyRead(sent: first, received: second, status), position, record, &events)
      default: break
      }
    case .phys(let update):
      add(
        .phy(sent: update.sent, received: update.received, update.status), position, record,
        &events)
    case .connectionUpdate(let update):
      add(
        .parameters(
          interval: update.interval, latency: update.latency, timeout: update.supervisionTimeout,
          update.status), position, record, &events)
    default: break
    }
  }

  private mutating func encrypt(
    isOn: Bool, _ status: StatusCode, _ position: Int, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    open[position].encryptionFailure = status == .success ? nil : status
    add(.encryption(isOn: isOn, status), position, record, &events)
    if status == .success, isOn {
      // Without pairing only the key of a bond can do that.
      if case .idle = open[position].pairing.stage { noteBond(position) }
      open[position].pairing.encrypt()
    }
    reportBond(position, record, &events)
  }

  // MARK: The air

  /// Processes a control PDU from the air. The controllers report what it changes to their hosts.
  ///
  /// - Parameter connection: the connection, as it is after the PDU.
  private mutating func observe(
    _ control: LinkControl, _ position: Int, _ record: borrowing CaptureRecord,
    _ connection: Connection, _ events: inout [AppEvent]
  ) {
    switch control {
    case .startEncryptionRequest: encrypt(isOn: true, .success, position, record, &events)
    case .reject(let opcode, let status) where opcode ?? .encryptionRequest == .encryptionRequest:
      encrypt(isOn: true, status, position, record, &events)
    case .phyUpdate(let central, let peripheral, _) where central | peripheral != 0:
      guard let phys = connection.figures.phys else { return }
      add(
        .phy(sent: phys.sent, received: phys.received, .success), position, record, &events)
    case .connectionUpdate(let update):
      add(
        .parameters(
          interval: update.interval, latency: update.latency, timeout: update.timeout, .success),
        position, record, &events)
    default: break
    }
  }

  // MARK: MTU

  private func observeMTU(
    _ packet: borrowing Packet, _ connection: Connection, _ events: inout [AppEvent]
  ) {
    guard let opcode = packet.dissection.att?.opcode, let request = packet.answer.request,
      request.opcode == .exchangeMTURequest, let position = position(connection.id)
    else { return }
    let byPeer = packet.record.direction == .sent
    if opcode == .exchangeMTUResponse {
      add(
        .mtu(connection.mtu ?? 23, byPeer: byPeer, nil), position, packet.record, &events,
        request: request, latency: packet.answer.latency)
    } else if opcode == .errorResponse, let error = packet.dissection.attFields.error {
      add(
        .mtu(23, byPeer: byPeer, error), position, packet.record, &events, request: request,
        latency: packet.answer.latency)
    }
  }

  // MARK: Pairing

  private mutating func observe(
    _ pdu: SMPPDU, _ position: Int, _ direction: Direction, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    switch pdu {
    case .pairing(let features) where features.opcode == .pairingRequest:
      open[position].pairing.begin(features)
      add(.bonding(.began(wasBonded: open[position].isBonded)), position, record, &events)
    case .pairing(let features): open[position].pairing.answer(features)
    case .failed(let reason):
      guard case .began = open[position].pairing.stage else { return }
      open[position].pairing = PairingProgress()
      add(.bonding(.failed(reason)), position, record, &events)
    case .encryptionInformation, .centralIdentification, .identityInformation,
      .identityAddressInformation, .signingInformation:
      open[position].pairing.takeKey(pdu)
      reportBond(position, record, &events)
    default: break
    }
  }

  /// Reports that the two are bonded, once nothing is missing any more.
  private mutating func reportBond(
    _ position: Int, _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    guard let isBond = open[position].pairing.conclude() else { return }
    if isBond { noteBond(position) }
    add(.bonding(isBond ? .bonded : .paired), position, record, &events)
  }

  private mutating func noteBond(_ position: Int) {
    open[position].isBonded = true
    guard let peer = open[position].peer, !bonded.contains(peer) else { return }
    if bonded.count >= Self.mostBonded { bonded.removeFirst() }
    bonded.append(peer)
  }

  // MARK: Channels

  private func observeSignalling(
    _ position: Int, _ packet: borrowing Packet, _ notes: [SignalNote], _ events: inout [AppEvent]
  ) {
    guard let direction = packet.record.direction, packet.dissection.l2cap?.cid == .leSignalling
    else { return }
    var commands = SignallingCommands(packet.dissection.body)
    guard let command = commands.next(packet.bytes), command.data.count == command.length
    else { return }
    var rest = Slice.empty
    guard command.code == .leConnectionResponse || command.code == .enhancedConnectionResponse,
      let pdu = try? SignallingPDU(command, packet.bytes, rest: &rest), !pdu.isPending,
      let result = pdu.result, let note = notes.first, let psm = note.psm
    else { return }
    add(
      .channel(psm, byPeer: direction == .sent, result: result.code, set: result.set), position,
      packet.record, &events, request: note.request, latency: note.latency)
  }
}
