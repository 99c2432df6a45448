package import Bluetooth
import Bytes
import Captures
import Dissectors

/// What is known about a packet beyond its bytes, when it arrives.
package struct Answer: Sendable {
  /// The link that the packet belongs to, as a slot in `Memory.links`.
  package var link: LinkSlot?
  /// The request, command or indication that the packet answers.
  package var request: Request?
  /// The time since `request`, in nanoseconds; nil if unknown.
  package var latency: Int64?
  /// For a Security Manager PDU: its step of the pairing.
  package var pairing: PairingStep?
  /// For data on a channel that signalling opens: what is known about the channel.
  package var channel: ChannelFact?
  /// For ACL data: what became of the fragment.
  package var fragment = FragmentFate()
  /// Whether the packet opened the connection that `link` refers to.
  package var opened = false
  /// The attribute that an ATT PDU refers to, if it is known, as a place in `Memory.attributes`.
  package var attribute: Attributes.Place?
  /// Whether an ATT PDU lists values, one of which belongs to an attribute whose values are keys.
  package internal(set) var listsKeyMaterial = false
  /// Whether the packet ended connections: that of `link`, or all of an adapter that was reset.
  package var closed = false
  /// Who or what ended the link, if the packet reports that it has ended.
  package var ending: Connection.Ending?
  private let passing = PassedByReference()

  init() {}

  /// Records the request that the packet answers.
  mutating func answers(_ request: Request?, at time: Timestamp?) {
    guard let request else { return }
    self.request = request
    latency = request.latency(until: time)
  }
}

/// Everything that the captured host and its peers have sent that later packets depend on.
package struct Memory: ~Copyable, Sendable {
  package internal(set) var links: Links
  /// The names of devices.
  package internal(set) var names: Names
  /// The advertising reports of the current packet, and incomplete ones.
  package internal(set) var advertisements: Advertisements
  /// The attributes of GATT servers.
  package internal(set) var attributes: Attributes
  /// The identities behind resolvable private addresses.
  package internal(set) var identities: Identities
  /// The keys of bonds.
  package internal(set) var keys: KnownKeys
  package internal(set) var adapters: Adapters
  /// What the capture contains so far.
  package internal(set) var coverage = Coverage()
  /// The L2CAP channels.
  package internal(set) var channels: Channels
  /// The L2CAP signalling requests, and what is known about the current packet's commands.
  package internal(set) var signals: Signals
  /// Values in parts, and those that the current packet completes.
  package internal(set) var longValues = LongValues()
  /// The handles requested by requests for several values.
  package internal(set) var askedHandles = AskedHandles()
  /// What remains uncertain about the request that the current packet answers.
  package internal(set) var doubt = ResponseDoubt()
  var commands: Commands
  /// The supplied maps.
  var supplied = SuppliedMaps()
  var controlCommands: ControlCommands
  let shared: SharedLimits
  private var limits: Limits { shared.values }
  private let passing = PassedByReference()
  /// The ACL connections of connected isochronous streams, by their handles.
  var streams = Streams()
  /// The roles that this host will have on BR/EDR links.
  var roles = ClassicRoles()
  /// Whether the capture has any response or confirmation so far that the host sent, and any that
  /// it received.
  var heard: (sent: Bool, received: Bool) = (false, false)
  /// The tables that were already reported as full, one bit each, by `Problem.Limited`.
  private var said: UInt16 = 0
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
    commands = Commands(limit: limits.commands)
    controlCommands = ControlCommands(limit: limits.controlCommands)
    keys = KnownKeys(bonds, shared)
    identities.learn(bonds)
    for bond in bonds {
      if let name = bond.name { names.learn(bond.address, bond.type, fullName: name.bytes) }
    }
  }

  /// Returns the link that ACL data belongs to, and opens one if its opening was not seen.
  mutating func link(_ handle: UInt16, _ record: borrowing CaptureRecord, _ answer: inout Answer)
    -> LinkSlot
  {
    let key = LinkKey(record.adapter, handle)
    if let slot = links.find(key, packet: record.number) { return slot }
    // Data still under way when a link ended does not open a new one.
    if let ended = links.findEnded(key, record.direction, packet: record.number) {
      return ended
    }
    answer.opened = true
    return links.open(
      key, .unknown, packet: record.number, time: record.time, isOpeningMissing: true)
  }

  /// Returns whether ACL data that may be a controller's debug log is one: the controller sends it,
  /// and no connection has its handle.
  func isControllerLog(_ header: ACLHeader, _ record: borrowing CaptureRecord) -> Bool {
    record.direction != .sent && !links.isOpen(LinkKey(record.adapter, header.handle))
  }

  /// Ends a file that the next one does not continue: it is unknown what became of whatever was
  /// open.
  ///
  /// - Parameters:
  ///   - packet: the file's last record.
  ///   - time: the time of that record.
  mutating func endFile(packet: Int, time: Timestamp?) {
    links.endFile(packet: packet, time: time)
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
    var connections: Set<Int> = []
    links.forEach { connection in
      if adapter.mayBe(connection.adapter) { connections.insert(connection.id) }
    }
    let isLost = { (connection: Int) in connections.contains(connection) }
    longValues.lose { adapter == .unknown || isLost($0) }
    channels.lose(isLost)
    signals.forget(isLost)
  }

  /// Returns whether the capture may contain the answers sent in a direction. An export of data
  /// alone often lacks them, so that none counts as missing. A capture with commands or events
  /// contains them.
  package func hasHeard(_ direction: Direction) -> Bool {
    !coverage.isDataOnly || (direction == .sent ? heard.sent : heard.received)
  }

  /// Processes one packet and completes what is known about it.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that the dissection's slices count from.
  ///   - answer: what is already known; completed here.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ bytes: RawSpan,
    _ answer: inout Answer
  ) {
    coverage.observe(record, dissection)
    if advertisements.hasNews { advertisements.clear() }
    if !signals.notes.isEmpty { signals.clear() }
    if !doubt.isEmpty { doubt.clear() }
    if !longValues.isEmpty { longValues.clear() }
    switch dissection.content {
    case .command(let command): observe(command, record, dissection, bytes, &answer)
    case .event(let event): observe(event, record, &dissection, bytes, &answer)
    case .acl: observeData(record, &dissection, bytes, &answer)
    case .note(let note): observe(note, record, bytes, &answer)
    case .control(let control): observe(control, record, dissection, bytes, &answer)
    case .iso(let header):
      if let key = streams.connection(of: LinkKey(record.adapter, header.handle)) {
        answer.link = links.find(key, packet: record.number)
      }
    case .sco, .controllerLog, .unknown: break
    }
    if links.hasForgotten || commands.hasForgotten || names.hasForgotten || channels.hasForgotten
      || signals.hasForgotten
    {
      say(links.hasForgotten, .links, limits.links, &dissection.problems)
      say(commands.hasForgotten, .commands, limits.commands, &dissection.problems)
      say(names.hasForgotten, .names, limits.names, &dissection.problems)
      say(channels.hasForgotten, .channels, limits.channels, &dissection.problems)
      say(signals.hasForgotten, .signalling, limits.signallingRequests, &dissection.problems)
    }
  }

  /// Records the limits that a packet's problems report.
  mutating func noteLimits(_ problems: Problems, packet: Int) {
    reached.note(problems, packet: packet)
  }

  /// Reports once that a table is full.
  private mutating func say(
    _ isFull: Bool, _ limited: Problem.Limited, _ limit: Int, _ problems: inout Problems
  ) {
    let bit = UInt16(1) << UInt16(limited.rawValue)
    guard isFull, said & bit == 0 else { return }
    said |= bit
    problems.add(Problem(limited, limit: limit))
  }

  // MARK: Commands and notes

  private mutating func observe(
    _ command: HCICommand, _ record: borrowing CaptureRecord, _ dissection: Dissection,
    _ bytes: RawSpan, _ answer: inout Answer
  ) {
    let adapter = record.adapter
    let handle = dissection.parameters?.connectionHandle(bytes)
    if let handle {
      answer.link = links.find(LinkKey(adapter, handle), packet: record.number)
    } else if let peer = dissection.parameters?.deviceAddress(bytes) {
      answer.link = links.find(adapter, peer: peer, packet: record.number)
      roles.learn(command, peer, bytes, dissection.body, adapter)
    }
    commands.send(
      command.opcode, adapter: adapter, handle: handle, packet: record.number,
      time: record.time, link: answer.link, connection: answer.link.map { links[$0].id } ?? 0)
    if command.opcode == Streams.createOpcode {
      streams.learn(created: bytes, dissection.body, adapter)
    }
    learnIdentity(command, bytes, dissection.body)
    keys.observe(command.opcode, bytes, dissection.body, packet: record.number)
    if command.opcode == HCICommand.reset { links.noteReset(of: adapter) }
    guard let link = answer.link else { return }
    switch command.opcode {
    case HCICommand.disconnect: links[link].disconnectPacket = record.number
    case HCICommand.leEnableEncryption, HCICommand.leLongTermKeyRequestReply:
      links[link].beginEncryption()
    default: break
    }
  }

  private mutating func observe(
    _ note: MonitorNote, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ answer: inout Answer
  ) {
    adapters.observe(note, record.adapter, bytes)
    if note.kind == .controlClose, let cookie = note.cookie {
      controlCommands.forget(cookie: cookie)
    } else if note.kind.endsController, record.adapter != .unknown {
      close(record.adapter, record, &answer)
    }
  }

  /// Processes a command of the management interface, or the event that answers one.
  private mutating func observe(
    _ control: ControlRecord, _ record: borrowing CaptureRecord, _ dissection: Dissection,
    _ bytes: RawSpan, _ answer: inout Answer
  ) {
    let body = dissection.body
    let adapter = record.adapter
    learnKeys(control, bytes, body, packet: record.number)
    if !control.isEvent {
      controlCommands.send(
        control, adapter: adapter, Request(packet: record.number, time: record.time))
    } else if let opcode = control.answeredOpcode(bytes, body) {
      let request = controlCommands.answer(opcode, cookie: control.cookie, adapter: adapter)
      answer.answers(request, at: record.time)
    } else {
      learnName(control, bytes, body)
    }
  }
}
