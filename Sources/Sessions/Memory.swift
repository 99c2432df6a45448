package import Bluetooth
import Bytes
import Captures
import Dissectors
import Synchronization

/// What is known about a packet beyond its bytes, at the moment it comes.
package struct Answer: Sendable {
  /// The link that the packet belongs to: look it up in `Memory.links`.
  package var link: LinkSlot?
  /// The request, command or indication that the packet answers.
  package var request: Request?
  /// The time since that was sent, in nanoseconds; nil where it is not known.
  package var latency: Int64?
  /// Of a PDU of the Security Manager: what is known of its pairing.
  package var pairing: PairingStep?
  /// Of data on a channel that signalling opens: what is known of the channel.
  package var channel: ChannelFact?
  /// Of ACL data: what became of the fragment.
  package var fragment = FragmentFate()
  /// The connection that the packet opened, if any: `link` is that one.
  package var opened = false
  /// The attribute that an ATT PDU is about, where that was discovered: look it up in
  /// `Memory.attributes`.
  package var attribute: Attributes.Place?
  /// Whether an ATT PDU lists values and one of them is that of an attribute whose values are keys.
  package internal(set) var listsKeyMaterial = false
  /// Whether the packet ended connections: `link`'s, or all of an adapter that was reset.
  package var closed = false
  /// Who or what ended the link, where the packet tells that it has ended.
  package var ending: Connection.Ending?
  /// Nothing: it is handed on by its address, as a dissection is.
  private let anchor: (any Sendable)? = nil

  init() {}

  /// Notes what the packet answers.
  mutating func answers(_ request: Request?, at time: Timestamp?) {
    guard let request else { return }
    self.request = request
    latency = request.latency(until: time)
  }
}

/// What the captured host and its peers have said so far that later packets depend on.
package struct Memory: ~Copyable, Sendable {
  /// The links.
  package internal(set) var links: Links
  /// The names of devices.
  package internal(set) var names: Names
  /// The advertising reports of the current packet, and those that are incomplete.
  package internal(set) var advertisements: Advertisements
  /// The attributes of GATT servers.
  package internal(set) var attributes: Attributes
  /// The identities behind resolvable private addresses.
  package internal(set) var identities: Identities
  /// The controllers.
  package internal(set) var adapters: Adapters
  /// What the capture holds so far.
  package internal(set) var coverage = Coverage()
  /// The L2CAP channels.
  package internal(set) var channels: Channels
  /// The L2CAP signalling requests, and what is known of the current packet's commands.
  package internal(set) var signals: Signals
  /// Values in parts, and those that the current packet completes.
  package internal(set) var longValues = LongValues()
  /// What requests for several values ask for.
  package internal(set) var askedHandles = AskedHandles()
  /// What the answer of the current packet leaves open.
  package internal(set) var doubt = ResponseDoubt()
  var commands: Commands
  /// The maps that were supplied.
  var supplied = SuppliedMaps()
  var controlCommands: ControlCommands
  let shared: SharedLimits
  private var limits: Limits { shared.values }
  /// Nothing. A type with this in it stays where it is: the compiler hands on its address. Of others as
  /// large as this it would hand on a copy, bit by bit, with every packet.
  private let anchor = Atomic<Bool>(false)
  /// The ACL connections of connected isochronous streams, by their handles.
  var streams = Streams()
  /// The roles that this host will have on BR/EDR links.
  var roles = ClassicRoles()
  /// Whether the capture has any response or confirmation that the host has sent so far, and any that it has received.
  var heard: (sent: Bool, received: Bool) = (false, false)
  /// The tables of which it was said that they are full: a bit each, by `Problem.Limited`.
  private var said: UInt16 = 0
  /// The limits that were reached so far.
  package private(set) var reached = ReachedLimits()

  /// Nothing known.
  ///
  /// - Parameters:
  ///   - secretTypes: which attributes have values that are secret.
  ///   - bonds: which devices are known from elsewhere: their identity resolving keys, and their names.
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
    identities.learn(bonds)
    for bond in bonds {
      if let name = bond.name { names.learn(bond.address, bond.type, fullName: name.bytes) }
    }
  }

  /// The link that ACL data belongs to; one that was not seen to open is opened here.
  mutating func link(_ handle: UInt16, _ record: borrowing CaptureRecord, _ answer: inout Answer)
    -> LinkSlot
  {
    let adapter = record.adapter ?? 0xffff
    if let slot = links.find(adapter, handle, packet: record.number) { return slot }
    // What is still under way when a link has ended says nothing of a new one.
    if let ended = links.findEnded(adapter, handle, record.direction, packet: record.number) {
      return ended
    }
    answer.opened = true
    return links.open(
      adapter, handle, .unknown, packet: record.number, time: record.time, isOpeningMissing: true)
  }

  /// Whether ACL data that may be a controller's debug log is one: the controller sends it, and no connection
  /// has its handle.
  func isControllerLog(_ header: ACLHeader, _ record: borrowing CaptureRecord) -> Bool {
    record.direction != .sent && !links.isOpen(record.adapter ?? 0xffff, header.handle)
  }

  /// Takes the end of a file that the next one does not go on with: whatever was open then, nobody knows how it
  /// went on.
  ///
  /// - Parameters:
  ///   - packet: the file's last record.
  ///   - time: when that was.
  mutating func endFile(packet: Int, time: Timestamp?) {
    links.endFile(packet: packet, time: time)
    adapters.endFile()
  }

  /// Forgets what waits for an answer: the capture lacks records before this one, or begins with it.
  ///
  /// - Parameter adapter: the controller whose records are missing; nil: all.
  mutating func lose(before record: borrowing CaptureRecord, of adapter: UInt16?) {
    links.forgetTransactions(of: adapter, packet: record.number)
    commands.forget(adapter)
    controlCommands.forget(adapter)
    advertisements.lose(before: record.time, of: adapter)
    guard !channels.isEmpty || !signals.isEmpty || !longValues.isUnused else { return }
    var connections: Set<Int> = []
    links.forEach { connection in
      if adapter == nil || connection.adapter == adapter { connections.insert(connection.id) }
    }
    let isLost = { (connection: Int) in connections.contains(connection) }
    longValues.lose { adapter == nil || isLost($0) }
    channels.lose(isLost)
    signals.forget(isLost)
  }

  /// Whether the capture may have the answers that are sent in a direction: an export of data alone often lacks them, and
  /// then none is missing. A capture with commands or events has them.
  package func hasHeard(_ direction: Direction) -> Bool {
    !coverage.isDataOnly || (direction == .sent ? heard.sent : heard.received)
  }

  /// Takes in one packet and says what is known about it.
  ///
  /// - Parameters:
  ///   - bytes: what the dissection's slices count from.
  ///   - answer: what is known already; completed here.
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
      let adapter = record.adapter ?? 0xffff
      if let handle = streams.connection(of: header.handle, adapter) {
        answer.link = links.find(adapter, handle, packet: record.number)
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

  /// Remembers which limits a packet's problems tell of.
  mutating func noteLimits(_ problems: Problems, packet: Int) {
    reached.note(problems, packet: packet)
  }

  /// Says once that a table is full.
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
    let adapter = record.adapter ?? 0xffff
    let handle = dissection.parameters?.connectionHandle(bytes)
    if let handle {
      answer.link = links.find(adapter, handle, packet: record.number)
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
    if command.opcode == HCICommand.disconnect, let link = answer.link {
      links[link].disconnectPacket = record.number
    }
  }

  private mutating func observe(
    _ note: MonitorNote, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ answer: inout Answer
  ) {
    adapters.observe(note, record.adapter, bytes)
    switch note.kind {
    case .controlClose:
      if let cookie = note.cookie { controlCommands.forget(cookie: cookie) }
    case .closeIndex, .deletedIndex:
      guard let adapter = record.adapter else { return }
      close(adapter, record, &answer)
    default: break
    }
  }

  /// A command of the management interface, or the event that answers one.
  private mutating func observe(
    _ control: ControlRecord, _ record: borrowing CaptureRecord, _ dissection: Dissection,
    _ bytes: RawSpan, _ answer: inout Answer
  ) {
    let body = dissection.body
    let adapter = record.adapter ?? 0xffff
    learnIdentity(control, bytes, body)
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
