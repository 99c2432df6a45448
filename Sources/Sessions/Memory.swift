package import Bluetooth
import Bytes
import Captures
import Dissectors

/// Everything that the captured host and its peers have sent that later packets depend on.
package struct Memory: ~Copyable, Sendable {
  package private(set) var links: Links
  /// The names of devices.
  package private(set) var names: Names
  /// The advertising reports of the current packet, and incomplete ones.
  package private(set) var advertisements: Advertisements
  /// The attributes of GATT servers.
  package private(set) var attributes: Attributes
  /// The identities behind resolvable private addresses.
  package private(set) var identities: Identities
  /// The keys of bonds.
  package private(set) var keys: KnownKeys
  package private(set) var adapters: Adapters
  /// What the capture contains so far.
  package private(set) var coverage = Coverage()
  /// The connections and streams that a sniffer recorded.
  package private(set) var air: AirLinks
  /// The services of RFCOMM channels.
  package private(set) var services: KnownServices
  /// The L2CAP channels.
  package private(set) var channels: Channels
  /// The L2CAP signalling requests, and what is known about the current packet's commands.
  package private(set) var signals: Signals
  /// Values in parts, and those that the current packet completes.
  package private(set) var longValues: LongValues
  /// The handles requested by requests for several values.
  package private(set) var askedHandles = AskedHandles()
  /// What remains uncertain about the request that the current packet answers.
  package private(set) var doubt = ResponseDoubt()
  /// Where the capture was recorded: on the air, unless it has commands or events of a host, too.
  package var vantage: Vantage { air.isEmpty || !coverage.isDataOnly ? .host : .air }
  private(set) var commands: Commands
  /// The supplied maps.
  private var supplied = SuppliedMaps()
  private(set) var controlCommands: ControlCommands
  private let shared: SharedLimits
  private var limits: Limits { shared.values }
  private let passing = PassedByReference()
  /// The ACL connections of connected isochronous streams, by their handles.
  private var streams = Streams()
  /// The roles that this host will have on BR/EDR links.
  private var roles = ClassicRoles()
  /// Whether the capture has any response or confirmation so far that the host sent, and any that
  /// it received.
  private var heard: (sent: Bool, received: Bool) = (false, false)
  /// The limits that were reached so far.
  package private(set) var reached = ReachedLimits()

  /// Creates an empty memory.
  ///
  /// - Parameters:
  ///   - secretTypes: the attributes whose values are secret.
  ///   - bonds: devices known from other sources: their keys and their names.
  package init(
    _ limits: Limits = Limits(), secretTypes: SecretTypes = SecretTypes(), bonds: [Bond] = []
  ) {
    shared = SharedLimits(limits)
    links = Links(limit: limits.links)
    names = Names(limit: limits.names)
    advertisements = Advertisements(shared)
    attributes = Attributes(shared, secretTypes)
    identities = Identities(limits)
    adapters = Adapters(shared)
    channels = Channels(limits)
    signals = Signals(limits)
    services = KnownServices(limits)
    commands = Commands(limit: limits.commands)
    controlCommands = ControlCommands(limit: limits.controlCommands)
    longValues = LongValues(shared)
    air = AirLinks(bonds, shared)
    keys = KnownKeys(bonds, shared)
    identities.learn(bonds)
    for bond in bonds where !bond.isAnyDevice {
      if let name = bond.name { names.learn(bond.address, bond.type, fullName: name.bytes) }
    }
  }

  /// Finds the link that ACL data belongs to, and opens one if its opening was not seen. Data after
  /// the link's end is a problem.
  mutating func link(_ header: ACLHeader, _ packet: inout Packet) -> LinkSlot {
    let link = link(LinkKey(packet.record.adapter, header.handle), &packet)
    packet.answer.link = link
    if !links[link].isOpen, let direction = packet.record.direction {
      packet.dissection.problems.add(
        Problem(direction == .sent ? .sentAfterEnd : .receivedAfterEnd))
    }
    return link
  }

  private mutating func link(_ key: LinkKey, _ packet: inout Packet) -> LinkSlot {
    let (number, time) = (packet.record.number, packet.record.time)
    if let slot = links.find(key, packet: number) { return slot }
    // Data still under way when a link ended does not open a new one.
    if let ended = links.findEnded(key, packet.record.direction, packet: number) { return ended }
    packet.answer.opened = true
    return links.open(key, .unknown, packet: number, time: time, isOpeningMissing: true)
  }

  /// Follows a packet from the air, and returns the payload that is to be read further.
  mutating func followAir(
    _ packet: inout Packet, into buffer: inout BlockBuffer
  ) -> AirPayload {
    let payload = air.follow(&packet, &links, names, &keys, into: &buffer)
    if packet.answer.opened, let link = packet.answer.link { resolvePeer(of: link) }
    return payload
  }

  /// Reads the payload of a packet from the air: a control PDU, or data, which L2CAP joins as it
  /// joins ACL data.
  mutating func readAir(_ packet: inout Packet, _ pdu: LinkPDU) {
    if pdu.isControl {
      packet.dissection.readControl(
        pdu.with(payload: packet.dissection.body), packet.bytes,
        isTruncated: packet.record.isTruncated)
    } else if let link = packet.answer.link {
      let header = ACLHeader(
        onAir: links[link].handle, isStart: pdu.llid == 2,
        length: UInt16(packet.dissection.body.count))
      packet.dissection.content = .acl(header)
    }
  }

  /// Returns whether ACL data that may be a controller's debug log is one: the controller sends it,
  /// and no connection has its handle.
  func isControllerLog(_ header: ACLHeader, _ record: borrowing CaptureRecord) -> Bool {
    record.direction != .sent && !links.isOpen(LinkKey(record.adapter, header.handle))
  }

  /// Ends a file that the next one does not continue: the outcome of everything open is unknown.
  ///
  /// - Parameters:
  ///   - packet: the file's last record.
  ///   - time: the time of that record.
  mutating func endFile(packet: Int, time: Timestamp?) {
    links.endFile(packet: packet, time: time)
    air.endFile()
    adapters.endFile()
  }

  /// Forgets what waits for an answer: records before this one are missing, or it is the first.
  ///
  /// - Parameter adapter: the controller whose records are missing; unknown: any.
  mutating func lose(before record: borrowing CaptureRecord, of adapter: AdapterIndex) {
    links.forgetTransactions(of: adapter, packet: record.number)
    commands.forget(adapter)
    controlCommands.forget(adapter)
    advertisements.lose(before: record.time, of: adapter)
    guard !channels.isEmpty || !signals.isEmpty || !longValues.isUnused else { return }
    let connections = links.ids { adapter.mayBe($0.adapter) }
    let isLost = { (connection: Int) in connections.contains(connection) }
    longValues.lose { adapter == .unknown || isLost($0) }
    channels.lose(isLost)
    signals.forget(isLost)
  }

  /// Supplies maps from other sources, which count until a server reports something else.
  package mutating func supply(_ maps: [SuppliedMap]) { supplied = SuppliedMaps(maps) }

  /// How the supplied maps were used; nil if there were none.
  ///
  /// Only for the end of a capture, since it computes hashes.
  package var suppliedUse: SuppliedUse? { supplied.use(of: attributes) }

  /// Returns the attribute `handle` that a PDU with this opcode and direction refers to, or nil if
  /// it is not known.
  package func attribute(
    _ handle: UInt16, _ opcode: ATTOpcode, _ direction: Direction, on link: LinkSlot
  ) -> Attributes.Place? {
    attributes.look(handle, of: Attributes.key(of: opcode.server(direction), links[link]))
  }

  /// Returns whether the capture may contain the answers sent in a direction. An export of data
  /// alone often lacks them, so that none counts as missing. A capture with commands or events
  /// contains them.
  package func hasHeard(_ direction: Direction) -> Bool {
    !coverage.isDataOnly || hasSeenAnswers(direction)
  }

  /// Returns whether a response or a confirmation was seen in a direction. Without one, a filter
  /// may have removed them.
  package func hasSeenAnswers(_ direction: Direction) -> Bool {
    direction == .sent ? heard.sent : heard.received
  }

  /// Processes one packet and completes what is known about it.
  mutating func observe(_ packet: inout Packet) {
    coverage.observe(packet.record, packet.dissection)
    // The confirmation still belongs to the attribute that reported the change.
    if attributes.changed != nil, let pdu = packet.dissection.att, pdu.opcode.role != .confirmation
    {
      attributes.forgetChanged()
    }
    clearNews()
    switch packet.dissection.content {
    case .command(let command): observe(command, &packet)
    case .event(let event): observe(event, &packet)
    case .acl: observeData(&packet)
    case .note(let note): observe(note, &packet)
    case .control(let control): observe(control, &packet)
    case .iso(let header):
      let stream = LinkKey(packet.record.adapter, header.handle)
      // Its data shows that the handle is a stream, whose beginning may be missing.
      if !links.isOpen(stream) {
        _ = links.open(
          stream, .synchronous, packet: packet.record.number, time: packet.record.time,
          isOpeningMissing: true)
      }
      if let key = streams.connection(of: stream) {
        packet.answer.link = links.find(key, packet: packet.record.number)
      }
    case .advertising: observeAdvertising(&packet)
    case .linkControl(let pdu): observe(control: pdu, &packet)
    case .sco, .controllerLog, .unknown, .linkData: break
    }
    if links.hasForgotten || commands.hasForgotten || names.hasForgotten || channels.hasForgotten
      || signals.hasForgotten
    {
      reached.report(links.hasForgotten, .links, limits.links, &packet.dissection.problems)
      reached.report(commands.hasForgotten, .commands, limits.commands, &packet.dissection.problems)
      reached.report(names.hasForgotten, .names, limits.names, &packet.dissection.problems)
      reached.report(channels.hasForgotten, .channels, limits.channels, &packet.dissection.problems)
      reached.report(
        signals.hasForgotten, .signalling, limits.signallingRequests, &packet.dissection.problems)
    }
  }

  /// Ends the capture: applies what would take effect with the next ATT PDU.
  mutating func finish() { attributes.forgetChanged() }

  /// Forgets what only the packet before this one showed.
  private mutating func clearNews() {
    if advertisements.hasNews { advertisements.clear() }
    if !signals.notes.isEmpty { signals.clear() }
    if !services.news.isEmpty { services.clear() }
    if !doubt.isEmpty { doubt.clear() }
    if !longValues.isEmpty { longValues.clear() }
  }

  /// Records the limits that a packet's problems report.
  mutating func noteLimits(_ problems: Problems, packet: Int) {
    reached.note(problems, packet: packet)
  }

  // MARK: Commands and notes

  private mutating func observe(_ command: HCICommand, _ packet: inout Packet) {
    let adapter = packet.record.adapter
    let handle = packet.dissection.parameters?.connectionHandle(packet.bytes)
    if let handle {
      packet.answer.link = links.find(LinkKey(adapter, handle), packet: packet.record.number)
    } else if let peer = packet.dissection.parameters?.deviceAddress(packet.bytes) {
      packet.answer.link = links.find(adapter, peer: peer, packet: packet.record.number)
      roles.learn(command, peer, packet.bytes, packet.dissection.body, adapter)
    }
    commands.send(
      command.opcode, adapter: adapter, handle: handle, packet: packet.record.number,
      time: packet.record.time, link: packet.answer.link,
      connection: packet.answer.link.map { links[$0].id } ?? 0)
    if command.opcode == Streams.createOpcode {
      streams.learn(created: packet.bytes, packet.dissection.body, adapter)
    }
    if identities.learn(command, packet.bytes, packet.dissection.body) { resolveLinks() }
    keys.observe(command.opcode, packet.bytes, packet.dissection.body, packet: packet.record.number)
    let isKeyReply = command.opcode == HCICommand.leLongTermKeyRequestReply
    if let handle, isKeyReply || command.opcode == HCICommand.leEnableEncryption {
      keys.observe(
        encrypting: packet.bytes, packet.dissection.body, isReply: isKeyReply,
        LinkKey(adapter, handle), packet.answer.link.map { links[$0] },
        isShortTerm: packet.answer.link.map { links[pairing: $0].createsShortTermKey } ?? false,
        packet: packet.record.number)
    }
    if command.opcode == HCICommand.reset { links.noteReset(of: adapter) }
    links.openingPHYs.learn(command.opcode, packet.bytes, packet.dissection.body, adapter)
    guard let link = packet.answer.link else { return }
    switch command.opcode {
    case HCICommand.disconnect:
      links[link].disconnectPacket = packet.record.number
      links[link].disconnectTime = packet.record.time
    case HCICommand.leEnableEncryption, HCICommand.leLongTermKeyRequestReply:
      links[link].beginEncryption()
    // Its event reports the PHYs.
    case HCICommand.leSetPHY: links[link].opensOn1M = false
    default: break
    }
  }

  private mutating func observe(_ note: MonitorNote, _ packet: inout Packet) {
    adapters.observe(note, packet.record.adapter, packet.bytes)
    if note.kind == .controlClose, let cookie = note.cookie {
      controlCommands.forget(cookie: cookie)
    } else if note.kind.endsController, packet.record.adapter != .unknown {
      close(packet.record.adapter, &packet)
    }
  }

  /// Processes a command of the management interface, or the event that answers one.
  private mutating func observe(_ control: ControlRecord, _ packet: inout Packet) {
    let body = packet.dissection.body
    let adapter = packet.record.adapter
    learnKeys(control, packet.bytes, body, packet: packet.record.number)
    if !control.isEvent {
      controlCommands.send(
        control, adapter: adapter, Request(packet: packet.record.number, time: packet.record.time))
    } else if let opcode = control.answeredOpcode(packet.bytes, body) {
      let request = controlCommands.answer(opcode, cookie: control.cookie, adapter: adapter)
      packet.answer.answers(request, at: packet.record.time)
    } else {
      takeName(names.learn(control, packet.bytes, body))
    }
  }

  // MARK: Events

  /// Records which command is answered, and the link it referred to if the event does not contain
  /// it.
  private mutating func answered(
    _ opcode: UInt16, _ adapter: AdapterIndex, handle: UInt16?, allows allowed: UInt8,
    _ packet: inout Packet
  ) {
    let found = commands.answer(opcode, adapter: adapter, handle: handle, allows: allowed)
    guard let command = found else { return }
    packet.answer.answers(command.request, at: packet.record.time)
    if packet.answer.link == nil, let link = command.link, links[link].id == command.connection {
      packet.answer.link = link
    }
  }

  private mutating func observe(_ event: HCIEvent, _ packet: inout Packet) {
    let (adapter, body) = (packet.record.adapter, packet.dissection.body)
    let handle = packet.dissection.parameters?.connectionHandle(packet.bytes)
    if let handle {
      packet.answer.link = links.find(LinkKey(adapter, handle), packet: packet.record.number)
    } else if let peer = packet.dissection.parameters?.deviceAddress(packet.bytes) {
      packet.answer.link = links.find(adapter, peer: peer, packet: packet.record.number)
    }
    if let link = packet.answer.link, links[link].transport == .unknown, event.isOfClassicLinks {
      links[link].transport = .brEDR
      links[link].isTransportInferred = true
    }
    switch packet.dissection.fact {
    case .commandComplete(let complete):
      answered(complete.opcode, adapter, handle: handle, allows: complete.credits, &packet)
      observeReturn(complete.opcode, &packet)
    case .commandStatus(let status):
      answered(status.opcode, adapter, handle: handle, allows: status.credits, &packet)
      guard status.status != .success else { return }
      if status.opcode == HCICommand.disconnect {
        // It ends nothing.
        links.withdrawDisconnect(packet.answer.request?.packet)
      } else if status.opcode == HCICommand.leEnableEncryption, let link = packet.answer.link {
        links[link].failEncryption()
      }
    case .completedPackets(let completed):
      links.observe(completed, packet.bytes, packet.record, &packet.answer.link)
    case .classicConnection(let complete), .synchronousConnection(let complete):
      packet.answer.link = links.open(complete, names, &roles, packet.record)
      packet.answer.opened = packet.answer.link != nil && complete.isConnection
    case .connection(let complete):
      packet.answer.link = links.open(complete, names, packet.record)
      guard let link = packet.answer.link else { return }
      resolvePeer(of: link)
      packet.answer.opened = true
    case .disconnection(let ended): observe(ended, &packet)
    case .encryption(let change): observe(change, &packet)
    case .roleChange(let change):
      // It may come before Connection Complete.
      guard change.status == .success, let role = LinkRole(rawValue: change.role) else { return }
      if let link = packet.answer.link {
        links[link].set(localRole: role)
      } else {
        roles.expect(change.peer, role, adapter)
      }
    case .stream(let established):
      guard established.status == .success else { return }
      let stream = LinkKey(adapter, established.handle)
      packet.answer.link = links.open(
        stream, .synchronous, packet: packet.record.number, time: packet.record.time)
      if let key = streams.connection(of: stream),
        let link = links.find(key, packet: packet.record.number)
      {
        packet.answer.link = link
      }
    case .streamRequest(let request):
      streams.learn(adapter, stream: request.stream, connection: request.connection)
    case .linkKey(let notified): keys.observe(notified, packet.bytes, packet: packet.record.number)
    case .sharedSecret(let complete):
      keys.observe(complete, packet.bytes, packet: packet.record.number)
    case .connectionUpdate(let update):
      guard update.status == .success, let link = packet.answer.link else { return }
      links[link].interval = update.interval
      links[link].latency = update.latency
      links[link].supervisionTimeout = update.supervisionTimeout
    case .dataLength(let change):
      if let link = packet.answer.link { links[link].figures.note(change) }
    case .phys(let update):
      guard update.status == .success, let link = packet.answer.link else { return }
      links[link].figures.phys = (update.sent, update.received)
    case .subrate(let change):
      guard change.status == .success, let link = packet.answer.link else { return }
      links[link].supervisionTimeout = change.supervisionTimeout
    case .remoteFeatures(let remote):
      if let link = packet.answer.link { links[link].hear(remote.status) }
    case .remoteVersion(let version):
      if let link = packet.answer.link { links[link].hear(version.status) }
    case .periodicSync(let sync):
      advertisements.observe(sync, adapter: adapter, &packet.dissection.problems)
    case .periodicSyncLost(let train): advertisements.lose(train: train, adapter: adapter)
    case .other where event.isLEMeta:
      guard let subevent = event.subevent(packet.bytes, body),
        AdvertisingReport.kind(ofSubevent: subevent) != nil
      else { return }
      advertisements.observe(
        packet.bytes, body: body, adapter: adapter, packet: packet.record.number,
        time: packet.record.time,
        &packet.dissection.problems)
      names.learn(from: advertisements, packet.bytes)
      if !identities.isEmpty { identities.resolve(advertisements) }
    case .other where event.code == HCIEvent.readRemoteSupportedFeaturesCompleteCode:
      guard let link = packet.answer.link,
        let status = packet.dissection.parameters?.status(packet.bytes)
      else {
        return
      }
      links[link].hear(StatusCode(rawValue: status))
    case .other
    where event.code == HCIEvent.remoteNameRequestCompleteCode
      || event.code == HCIEvent.extendedInquiryResultCode:
      takeName(names.learn(event.code, packet.bytes, body))
    case .keyRequest(let request):
      keys.requested = (LinkKey(adapter, request.handle), request.ediv, request.rand)
    case .hardwareError, .authentication, .parameterRequest, .scanTimeout, .setTerminated, .other:
      break
    }
  }

  private mutating func observe(_ ended: DisconnectionComplete, _ packet: inout Packet) {
    // A handle without data may belong to a stream whose beginning is missing.
    guard let link = packet.answer.link else { return }
    // A failed Disconnect ends nothing.
    guard ended.status == .success else { return links[link].disconnectPacket = nil }
    commands.giveUp(HCICommand.disconnect, adapter: packet.record.adapter, handle: ended.handle)
    end(links[link].id)
    links.close(
      link, links[link].ending(for: ended.reason), reason: ended.reason,
      packet: packet.record.number,
      time: packet.record.time)
    packet.answer.ending = links[link].ending
    packet.answer.closed = links[link].transport != .synchronous
  }

  private mutating func observe(_ change: EncryptionChange, _ packet: inout Packet) {
    guard change.status == .success else {
      if let link = packet.answer.link { links[link].failEncryption() }
      return
    }
    let link: LinkSlot
    if let known = packet.answer.link {
      link = known
    } else {
      link = links.open(
        LinkKey(packet.record.adapter, change.handle), .unknown, packet: packet.record.number,
        time: packet.record.time, isOpeningMissing: true)
      packet.answer.link = link
      packet.answer.opened = true
    }
    // Without this byte, nothing is known to have changed.
    guard let isOn = change.isOn else { return }
    links[link].isEncrypted = isOn
    guard isOn else { return }
    links[pairing: link].encrypt()
    if !change.isRefresh { trustAttributes(on: link) }
  }

  private mutating func observeReturn(_ opcode: UInt16, _ packet: inout Packet) {
    guard let parameters = packet.dissection.parameters, parameters.status(packet.bytes) == 0 else {
      return
    }
    adapters.observeReturn(opcode, packet.record.adapter, packet.bytes, parameters.inner)
    // Status (1 byte), handle (2), role (1).
    if opcode == HCICommand.roleDiscovery, let link = packet.answer.link,
      parameters.inner.count >= 4,
      let role = LinkRole(rawValue: packet.bytes.byte(at: Int(parameters.inner.start) + 3))
    {
      links[link].set(localRole: role)
    }
    // Status (1 byte), handle (2), TX PHY (1), RX PHY (1).
    if opcode == HCICommand.leReadPHY, let link = packet.answer.link, parameters.inner.count >= 5 {
      let start = Int(parameters.inner.start)
      links[link].figures.phys = (
        packet.bytes.byte(at: start + 3), packet.bytes.byte(at: start + 4)
      )
    }
    if opcode == HCICommand.reset, packet.record.adapter != .unknown {
      close(packet.record.adapter, &packet)
    }
  }

  /// Ends the connections of an adapter that was reset or removed, and forgets its commands and
  /// advertisements.
  private mutating func close(_ adapter: AdapterIndex, _ packet: inout Packet) {
    for connection in links.ids(where: { $0.isOpen && $0.adapter == adapter }) { end(connection) }
    links.closeAll(of: adapter, packet: packet.record.number, time: packet.record.time)
    commands.forget(adapter)
    advertisements.forget(adapter)
    packet.answer.closed = true
  }

  /// Ends the channels of a connection that has ended, and forgets what waits on them.
  private mutating func end(_ connection: Int) {
    channels.closeAll(of: connection)
    signals.forget { $0 == connection }
  }

  // MARK: The air

  /// Processes an advertising PDU, as a report of a controller about it would be.
  private mutating func observeAdvertising(_ packet: inout Packet) {
    guard let report = air.report else { return }
    advertisements.observe(
      report, report.kind == .extended ? nil : air.train, packet.bytes,
      adapter: packet.record.adapter, packet: packet.record.number, time: packet.record.time,
      &packet.dissection.problems)
    names.learn(from: advertisements, packet.bytes)
    if !identities.isEmpty { identities.resolve(advertisements) }
  }

  /// Processes a Link Layer control PDU.
  private mutating func observe(control pdu: LinkPDU, _ packet: inout Packet) {
    guard let control = LinkControl(packet.bytes, packet.dissection.body) else { return }
    air.follow(control, packet)
    guard let link = packet.answer.link, let direction = packet.record.direction else { return }
    switch control {
    case .terminate(let reason):
      end(links[link].id)
      let ending: Connection.Ending = direction == .sent ? .localHost : .peer
      air.end(packet, ending, reason: reason, &links)
      packet.answer.ending = links[link].ending
      packet.answer.closed = true
    case .connectionUpdate(let update):
      links[link].interval = update.interval
      links[link].latency = update.latency
      links[link].supervisionTimeout = update.timeout
    case .phyUpdate(let central, let peripheral, _):
      // 0 leaves a PHY as it is, which may be unknown.
      let phys = links[link].figures.phys
      guard let sent = AirHeader.phy(ofBits: central) ?? phys?.sent,
        let received = AirHeader.phy(ofBits: peripheral) ?? phys?.received
      else { break }
      links[link].figures.phys = (sent, received)
    case .length(let lengths, let isResponse):
      links[link].figures.note(lengths, isResponse: isResponse, from: direction)
    case .encryptionRequest: links[link].beginEncryption()
    case .startEncryptionRequest:
      links[link].isEncrypted = true
      links[pairing: link].encrypt()
      trustAttributes(on: link)
    case .reject(let opcode, _) where opcode == nil || opcode == .encryptionRequest:
      links[link].failEncryption()
    default: break
    }
  }

  // MARK: Data

  private mutating func observeData(_ packet: inout Packet) {
    guard let link = packet.answer.link, let direction = packet.record.direction,
      case .acl(let header) = packet.dissection.content
    else { return }
    links[link].count(direction, bytes: Int(header.length), isCut: packet.record.isTruncated)
    if links[link].transport == .unknown,
      let channel = packet.dissection.l2cap?.cid ?? packet.answer.fragment.channel
    {
      links[link].inferTransport(from: channel)
    }
    if let pdu = packet.dissection.smp {
      if packet.dissection.air != nil { air.follow(pdu, packet) }
      let sender = Side(sent: direction)
      packet.answer.pairing = links[pairing: link].observe(
        pdu, from: sender, overBREDR: packet.dissection.l2cap?.cid == .brEDRSecurityManager,
        packet: packet.record.number, time: packet.record.time)
      keys.observe(
        pdu, from: sender, connection: links[link].id, packet: packet.record.number, packet.bytes)
      if links[link].isEncrypted == nil, pdu.opcode.distributesKeys {
        links[link].isEncrypted = true
      }
      if direction == .received || links[link].isOnAir {
        learnIdentity(pdu, packet.bytes, link, direction)
      }
      if pdu.opcode == .pairingResponse {
        packet.answer.answers(links[pairing: link].request, at: packet.record.time)
      }
      return
    }
    if packet.dissection.isSignalling {
      signals.observe(&packet, links.id(link), direction, &channels)
      return
    }
    if let channel = packet.answer.channel, channel.psm == .sdp, !packet.isCut {
      services.observe(
        packet.dissection.body, of: packet.bytes, channel.serial, direction,
        server: Attributes.key(of: Side(sent: direction), links[link]))
    }
    guard let pdu = packet.dissection.att else { return }
    if pdu.opcode.role == .response || pdu.opcode.role == .confirmation {
      if direction == .sent { heard.sent = true } else { heard.received = true }
    }
    if packet.answer.channel == nil, let length = packet.dissection.l2cap?.length {
      if direction == .received {
        if length > links[link].largestReceivedATT { links[link].largestReceivedATT = length }
      } else if length > links[link].largestSentATT {
        links[link].largestSentATT = length
      }
    }
    checkLength(pdu.opcode, link, &packet)
    // Notifications and commands have no answer.
    if pdu.opcode.role != .unacknowledged {
      observeTransaction(pdu.opcode, &packet, direction)
    }
    observeAttributes(pdu.opcode, &packet, direction)
    guard pdu.opcode.role != .unacknowledged else { return }
    let mtu = mtu(on: link, packet.answer.channel).value
    longValues.observe(
      pdu.opcode, packet, direction, connection: links.id(link), mtu: mtu,
      isCertain: doubt.isEmpty)
    learnDeviceName(pdu.opcode, packet, direction, mtu: mtu)
  }

  /// Reports a PDU that a server sends on its own and that exceeds the MTU, if that is known (Core,
  /// Vol 3, Part F, 3.4.7.1).
  private func checkLength(_ opcode: ATTOpcode, _ link: LinkSlot, _ packet: inout Packet) {
    guard opcode.isServers, opcode.role != .response, packet.answer.channel == nil,
      let length = packet.dissection.l2cap?.length, length > BearerMTU.byDefault,
      let mtu = links[link].knownMTU, length > mtu
    else { return }
    packet.dissection.problems.add(Problem(.sduTooLong, Int(length), Int(mtu)))
  }

  /// Processes a request or what answers it, on the link's own bearer or an enhanced one.
  private mutating func observeTransaction(
    _ opcode: ATTOpcode, _ packet: inout Packet, _ direction: Direction
  ) {
    let fields = packet.dissection.attFields
    guard let link = packet.answer.link else { return }
    if let bearer = packet.answer.channel {
      if opcode == .exchangeMTURequest {
        packet.dissection.problems.add(Problem(.mtuExchangeNotAllowed))
      }
      var slot = bearer.slot
      if opcode.role == .response {
        slot = channels.answeredBearer(
          slot,
          Transactions.Response(packet.record.number, opcode, fields, packet.bytes),
          fields,
          direction, isWhole: !packet.isCut,
          attributes,
          of: Attributes.key(of: opcode.server(direction), links[link]))
      }
      let impossible =
        opcode == .readResponse && channels[transactions: slot].hasSeveral(direction.reversed)
        ? impossible(channels[transactions: slot], packet, direction) : []
      let request = channels[transactions: slot].observe(
        opcode, &packet, direction, since: links[link].mayMissBefore, impossible: impossible,
        isAnswerable: hasHeard(direction.reversed), &doubt)
      if slot != bearer.slot, let request {
        packet.dissection.problems.add(Problem(.answersOtherChannel, request.packet))
      }
      packet.answer.answers(request, at: packet.record.time)
      return
    }
    let impossible =
      opcode == .readResponse && links[transactions: link].hasSeveral(direction.reversed)
      ? impossible(links[transactions: link], packet, direction) : []
    let request = links[transactions: link].observe(
      opcode, &packet, direction, since: links[link].mayMissBefore, impossible: impossible,
      isAnswerable: hasHeard(direction.reversed)
        && !(coverage.isDataOnly && links[link].isOneSided(direction)), &doubt)
    packet.answer.answers(request, at: packet.record.time)
    links[link].exchangeMTU(opcode, fields.mtu, request)
  }

  /// Returns the packets of open requests that a Read Response cannot answer, since their
  /// attributes' values have other lengths.
  @inline(never)
  private func impossible(
    _ transactions: Transactions, _ packet: borrowing Packet, _ direction: Direction
  ) -> [Int] {
    guard let count = packet.dissection.attFields.value.map({ Int($0.count) }),
      let link = packet.answer.link, !packet.isCut
    else { return [] }
    let key = Attributes.key(of: ATTOpcode.readResponse.server(direction), links[link])
    var found: [Int] = []
    transactions.forEachOpen(direction.reversed) { request in
      guard let handle = request.handle,
        let length = attributes.valueLength(handle, of: key), length != count
      else { return }
      found.append(request.packet)
    }
    return found
  }

  /// Learns what a PDU reveals about attributes, and finds the one that it refers to.
  private mutating func observeAttributes(
    _ opcode: ATTOpcode, _ packet: inout Packet, _ direction: Direction
  ) {
    let fields = packet.dissection.attFields
    guard let link = packet.answer.link else { return }
    if !supplied.isEmpty, !links[link].hasLookedForMap {
      links[link].hasLookedForMap = true
      supplied.apply(
        to: links.connection(link), names, &attributes, packet: packet.record.number,
        limit: limits.suppliedServers)
    }
    if let handles = fields.handles {
      askedHandles.note(packet.bytes.part(handles), packet: packet.record.number)
    }
    attributes.observe(
      opcode, &packet, of: Attributes.key(of: opcode.server(direction), links[link]),
      on: links.id(link), doubt, &supplied)
  }

  /// Records that a link is encrypted. If the key is from an earlier pairing, the two are bonded:
  /// the server then reports changes, so what was known of both still holds (Core, Vol 3, Part G,
  /// 2.5.2).
  private mutating func trustAttributes(on link: LinkSlot) {
    guard links[pairing: link].request == nil else { return }
    for side in [Side.peer, .local] {
      attributes.makeCertain(Attributes.key(of: side, links[link]), on: links.id(link))
    }
  }

  // MARK: Channels

  /// Processes a frame on a channel that signalling opens, and finds what is known about the
  /// channel.
  mutating func channel(
    _ link: LinkSlot, _ header: L2CAPHeader, _ direction: Direction, _ packet: inout Packet
  ) {
    packet.answer.channel = channels.observe(
      header, of: links.id(link), links[link].transport, direction, &packet)
  }

  /// What is known about the frames of a channel in one direction, accessed in place.
  subscript(way channel: ChannelFact, direction: Direction) -> Channel.Flow {
    _read { yield channels[channel.slot].ways[Int(direction.rawValue)] }
    _modify { yield &channels[channel.slot].ways[Int(direction.rawValue)] }
  }

  // MARK: Identities and names

  /// Learns from what a peer distributes when the two pair: its key, then the address that belongs
  /// to it.
  private mutating func learnIdentity(
    _ pdu: SMPPDU, _ bytes: RawSpan, _ link: LinkSlot, _ direction: Direction
  ) {
    switch pdu {
    case .identityInformation(let key):
      identities.expect(bytes.part(key), connection: links[link].id)
    case .identityAddressInformation(let found):
      if identities.complete(found.address, found.addressType, connection: links.id(link)) {
        resolveLinks()
      }
      if direction == .received {
        identify(link, found.address, found.addressType)
      } else if found.address != links[link].localAddress, found.address != .zero {
        links[link].localIdentity = found.address
      }
    default: break
    }
  }

  /// Learns from the keys that the management interface reports, among them those that resolve
  /// identities.
  private mutating func learnKeys(
    _ control: ControlRecord, _ bytes: RawSpan, _ body: Slice, packet: Int
  ) {
    guard var reported = ManagementKeys(control, bytes, body) else { return }
    var isNew = false
    while let key = reported.next(bytes) {
      keys.observe(key, bytes, packet: packet)
      guard case .identityResolving(let key) = key else { continue }
      if identities.learn(bytes.part(key.key), key.device.address, key.device.type) { isNew = true }
    }
    if isNew { resolveLinks() }
  }

  /// Resolves the peer of a link if it has a resolvable address; on the air the central, too.
  private mutating func resolvePeer(of link: LinkSlot) {
    if links[link].localIdentity == nil, links[link].localType == .random,
      let central = links[link].localAddress, let identity = identities.resolve(central)
    {
      links[link].localIdentity = identity.address
    }
    guard links[link].identity == nil, links[link].peerType == .random,
      let peer = links[link].peer, let identity = identities.resolve(peer)
    else { return }
    identify(link, identity.address, identity.type)
  }

  /// Resolves the peers of all open links after a key was added.
  private mutating func resolveLinks() {
    for link in links.open { resolvePeer(of: link) }
  }

  /// Records the identity of a link's peer. What was learnt about the peer under another address is
  /// added to it.
  private mutating func identify(
    _ link: LinkSlot, _ address: DeviceAddress, _ type: AddressType
  ) {
    // A device without an identity address gives zeros (Core, Vol 3, Part H, 2.4.2.1 [mem]).
    guard address != .zero else { return }
    let before = Attributes.key(of: .peer, links[link])
    links[link].identity = (address, type)
    attributes.rename(before, to: Attributes.key(of: .peer, links[link]))
    if links[link].name == nil { links[link].name = names.find(address, type) }
  }

  /// Learns the Device Name (2a00) of the peer's server, once all of it was read (Core, Vol 3, Part
  /// C, 12.1).
  private mutating func learnDeviceName(
    _ opcode: ATTOpcode, _ packet: borrowing Packet, _ direction: Direction, mtu: Int
  ) {
    let fields = packet.dissection.attFields
    guard direction == .received, !packet.isCut, doubt.isEmpty, let link = packet.answer.link,
      let request = packet.answer.request
    else { return }
    switch opcode {
    case .readResponse, .readBlobResponse, .errorResponse:
      if !longValues.isEmpty {
        let bytes = longValues.bytes
        for joined in longValues.values where joined.offset == 0 && !joined.isCut {
          guard let place = attribute(joined.handle, opcode, direction, on: link),
            attributes.isShort(place, Self.deviceName)
          else { continue }
          learnDeviceName(bytes.bytes.part(joined.value), of: link)
        }
      } else if opcode == .readResponse, let value = fields.value,
        let place = packet.answer.attribute,
        attributes.isShort(place, Self.deviceName), Int(value.count) + 1 < mtu
      {
        learnDeviceName(packet.bytes.part(value), of: link)
      }
    case .readByTypeResponse:
      guard request.type?.shortForm == Self.deviceName, let items = fields.items,
        let length = items.singleValueLength, !ATTItems.isFull(length, mtu: mtu)
      else { return }
      var cursor = Cursor(packet.bytes, items.list)
      guard let value = items.next(&cursor)?.value else { return }
      learnDeviceName(packet.bytes.part(value), of: link)
    default: break
    }
  }

  private mutating func learnDeviceName(_ name: RawSpan, of link: LinkSlot) {
    guard let address = links[link].peer, let type = links[link].peerType else { return }
    names.learn(address, type, deviceName: name)
    takeName((address, type))
  }

  private static let deviceName: UInt16 = 0x2a00

  /// Gives the links of a device the name that was learnt.
  private mutating func takeName(_ device: (address: DeviceAddress, type: AddressType)?) {
    guard let (address, type) = device else { return }
    links.takeName(names.find(address, type), of: address, type)
  }

  // MARK: Records that an earlier file already contains

  /// Processes a record that was already processed, and learns nothing from it: its connection may
  /// have ended since, and its command may have been answered. What is known beyond its bytes is
  /// shown with the first one. A data PDU is only parsed if it is completely in the record, on a
  /// channel that is the same on all links.
  mutating func observeAgain(_ packet: inout Packet) {
    clearNews()
    let (bytes, body) = (packet.record.bytes, packet.dissection.body)
    switch packet.dissection.content {
    case .event(let event):
      guard let subevent = event.subevent(bytes, body),
        AdvertisingReport.kind(ofSubevent: subevent) != nil
      else { return }
      advertisements.observeAgain(bytes, body: body)
    case .acl(let header):
      let start = Int(body.start)
      // Only the link of the first record shows which values are keys.
      guard header.boundary != .continuation, !attributes.hasKeyMaterial,
        body.count >= L2CAPHeader.size,
        Int(bytes.littleEndianU16(at: start)) + L2CAPHeader.size == Int(body.count),
        !ChannelID(rawValue: bytes.littleEndianU16(at: start + 2)).isDynamic
      else { return }
      packet.answer.fragment.start = start
      let pdu = bytes.part(Slice(start: 0, count: body.end))
      packet.dissection.parsePDU(pdu, from: start, isTruncated: false)
    default: break
    }
  }
}
