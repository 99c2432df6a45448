import Bluetooth
import Bytes
import Captures
import Dissectors

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
  /// Whether the packet ended connections: `link`'s, or all of an adapter that was reset.
  package var closed = false

  init() {}

  /// Notes what the packet answers.
  mutating func answers(_ request: Request?, at time: Timestamp?) {
    guard let request else { return }
    self.request = request
    guard let time, let sent = request.time else { return }
    // Below zero the clock was set meanwhile, and the time between is not known.
    let nanoseconds = time.nanoseconds(since: sent)
    if nanoseconds >= 0 { latency = nanoseconds }
  }
}

/// What the captured host and its peers have said so far that later packets depend on.
package struct Memory: Sendable {
  /// The links.
  package internal(set) var links: Links
  /// The names of devices.
  package private(set) var names: Names
  /// The advertising reports of the current packet, and those that are incomplete.
  package private(set) var advertisements: Advertisements
  /// The attributes of GATT servers.
  package internal(set) var attributes: Attributes
  /// The controllers.
  package private(set) var adapters: Adapters
  /// The L2CAP channels.
  package internal(set) var channels: Channels
  /// The L2CAP signalling requests, and what is known of the current packet's commands.
  package internal(set) var signals: Signals
  private var commands: Commands
  private var controlCommands: ControlCommands
  private let limits: Limits
  /// The tables of which it was said that they are full: a bit each, by `Problem.Limited`.
  private var said: UInt8 = 0

  /// Nothing known.
  package init(_ limits: Limits = Limits()) {
    self.limits = limits
    links = Links(limit: limits.links)
    names = Names(limit: limits.names)
    advertisements = Advertisements(limits)
    attributes = Attributes(limits)
    adapters = Adapters(limits)
    channels = Channels(limits)
    signals = Signals(limits)
    commands = Commands(limit: limits.commands)
    controlCommands = ControlCommands(limit: limits.controlCommands)
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

  /// Forgets what waits for an answer: the capture lacks records before this one.
  ///
  /// - Parameter adapter: the controller whose records are missing; nil: all.
  mutating func lose(before record: borrowing CaptureRecord, of adapter: UInt16?) {
    links.forgetTransactions(of: adapter, packet: record.number)
    commands.forget(adapter)
    controlCommands.forget(adapter)
    advertisements.lose(before: record.time, of: adapter)
    guard !channels.isEmpty || !signals.isEmpty else { return }
    var connections: Set<Int> = []
    links.forEach { connection in
      if adapter == nil || connection.adapter == adapter { connections.insert(connection.id) }
    }
    let isLost = { (connection: Int) in connections.contains(connection) }
    channels.lose(isLost)
    signals.forget(isLost)
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
    if !advertisements.reports.isEmpty { advertisements.clear() }
    if !signals.notes.isEmpty { signals.clear() }
    if record.number == 1 { advertisements.lose(before: record.time, of: nil) }
    switch dissection.content {
    case .command(let command): observe(command, record, dissection, bytes, &answer)
    case .event(let event): observe(event, record, &dissection, bytes, &answer)
    case .acl: observeData(record, &dissection, bytes, &answer)
    case .note(let note): observe(note, record, bytes, &answer)
    case .control(let control): observe(control, record, dissection.body, bytes, &answer)
    case .sco, .iso, .unknown: break
    }
    if links.hasForgotten || commands.hasForgotten || names.hasForgotten || channels.hasForgotten
      || signals.hasForgotten
    {
      say(links.hasForgotten, .open, limits.links, &dissection.problems)
      say(commands.hasForgotten, .commands, limits.commands, &dissection.problems)
      say(names.hasForgotten, .names, limits.names, &dissection.problems)
      say(channels.hasForgotten, .channels, limits.channels, &dissection.problems)
      say(signals.hasForgotten, .signalling, limits.signallingRequests, &dissection.problems)
    }
  }

  /// Says once that a table is full.
  private mutating func say(
    _ isFull: Bool, _ limited: Problem.Limited, _ limit: Int, _ problems: inout Problems
  ) {
    let bit = UInt8(1) << UInt8(limited.rawValue)
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
    if let handle { answer.link = links.find(adapter, handle, packet: record.number) }
    commands.send(
      command.opcode, adapter: adapter, handle: handle, packet: record.number,
      time: record.time, link: answer.link, connection: answer.link.map { links[$0].id } ?? 0)
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
    _ control: ControlRecord, _ record: borrowing CaptureRecord, _ body: Slice, _ bytes: RawSpan,
    _ answer: inout Answer
  ) {
    let adapter = record.adapter ?? 0xffff
    if !control.isEvent {
      controlCommands.send(
        control, adapter: adapter, Request(packet: record.number, time: record.time))
    } else if let opcode = control.answeredOpcode(bytes, body) {
      let request = controlCommands.answer(opcode, cookie: control.cookie, adapter: adapter)
      answer.answers(request, at: record.time)
    }
  }

  // MARK: Events

  /// Notes which command is answered, and which link that was about where the event does not say.
  private mutating func answered(
    _ opcode: UInt16, _ adapter: UInt16, handle: UInt16?, allows allowed: UInt8,
    _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    let found = commands.answer(opcode, adapter: adapter, handle: handle, allows: allowed)
    guard let command = found else { return }
    answer.answers(command.request, at: record.time)
    if answer.link == nil, let link = command.link, links[link].id == command.connection {
      answer.link = link
    }
  }

  private mutating func observe(
    _ event: HCIEvent, _ record: borrowing CaptureRecord, _ dissection: inout Dissection,
    _ bytes: RawSpan, _ answer: inout Answer
  ) {
    let adapter = record.adapter ?? 0xffff
    let body = dissection.body
    let handle = dissection.parameters?.connectionHandle(bytes)
    if let handle { answer.link = links.find(adapter, handle, packet: record.number) }
    var cursor = Cursor(bytes, body)
    switch event.code {
    case HCIEvent.leMetaCode:
      guard let subevent = try? cursor.u8() else { return }
      observeLE(subevent, &cursor, record, &dissection, bytes, &answer)
    case HCIEvent.commandCompleteCode:
      guard body.count >= 3 else { return }
      let opcode = bytes.littleEndianU16(at: Int(body.start) + 1)
      let allowed = bytes.byte(at: Int(body.start))
      answered(opcode, adapter, handle: handle, allows: allowed, record, &answer)
      observeReturn(opcode, dissection, record, bytes, &answer)
    case HCIEvent.commandStatusCode:
      guard body.count >= 4 else { return }
      let opcode = bytes.littleEndianU16(at: Int(body.start) + 2)
      let allowed = bytes.byte(at: Int(body.start) + 1)
      answered(opcode, adapter, handle: handle, allows: allowed, record, &answer)
      // A Disconnect that was refused ends nothing.
      if opcode == HCICommand.disconnect, bytes.byte(at: Int(body.start)) != 0 {
        links.withdrawDisconnect(answer.request?.packet)
      }
    case HCIEvent.numberOfCompletedPacketsCode:
      observeCompleted(&cursor, record, &answer)
    case ConnectionComplete.code, ConnectionComplete.synchronousCode:
      guard let complete = try? ConnectionComplete(parsing: &cursor) else { return }
      open(complete, record, &answer)
    case HCIEvent.disconnectionCompleteCode, LinkEvent.encryptionChangeCode,
      LinkEvent.encryptionChangeV2Code, LinkEvent.encryptionKeyRefreshCode:
      guard let change = try? LinkEvent(parsing: &cursor) else { return }
      observe(change, event.code, record, &answer)
    case 0x0b, 0x0c:
      // Read Remote Supported Features Complete, Read Remote Version Information Complete.
      hear(answer.link, dissection.parameters?.status(bytes))
    default: break
    }
  }

  /// Features or a version establish the link if they came from the peer: on success, or where it
  /// has answered that it does not know the request. A link that was never established ends these
  /// procedures too, with its reason.
  private mutating func hear(_ link: LinkSlot?, _ status: UInt8?) {
    guard let link, let status = status.map({ StatusCode(rawValue: $0) }) else { return }
    if status == .success || status == .unsupportedRemoteFeature {
      links[link].isEstablished = true
    }
  }

  /// Packets that were completed were acknowledged by the peer.
  @_lifetime(cursor: copy cursor)
  private mutating func observeCompleted(
    _ cursor: inout Cursor, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    guard let event = try? NumberOfCompletedPackets(parsing: &cursor) else { return }
    for _ in 0..<event.count {
      guard let completed = try? NumberOfCompletedPackets.Link(parsing: &cursor) else { return }
      let link = links.find(record.adapter ?? 0xffff, completed.handle, packet: record.number)
      if let link, completed.packets > 0 { links[link].isEstablished = true }
      if event.count == 1 { answer.link = link }
    }
  }

  private mutating func observe(
    _ change: LinkEvent, _ code: UInt8, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    guard change.status == .success else {
      // A Disconnect that failed ends nothing.
      if code == HCIEvent.disconnectionCompleteCode, let link = answer.link {
        links[link].disconnectPacket = nil
      }
      return
    }
    let adapter = record.adapter ?? 0xffff
    let link: LinkSlot
    if let known = answer.link {
      link = known
    } else if code == HCIEvent.disconnectionCompleteCode {
      // A handle that no data came over may be a stream's, whose beginning is not in the capture.
      return
    } else {
      link = links.open(
        adapter, change.handle, .unknown, packet: record.number, time: record.time,
        isOpeningMissing: true)
      answer.link = link
      answer.opened = true
    }
    switch code {
    case HCIEvent.disconnectionCompleteCode:
      let reason = change.detail.map { StatusCode(rawValue: $0) }
      commands.giveUp(HCICommand.disconnect, adapter: adapter, handle: change.handle)
      end(links[link].id)
      links.close(
        link, links[link].ending(for: reason), reason: reason, packet: record.number,
        time: record.time)
      answer.closed = links[link].transport != .synchronous
    case LinkEvent.encryptionKeyRefreshCode:
      links[link].isEncrypted = true
    default:
      // Without the byte that says so nothing has changed for all that is known.
      if let isEnabled = change.detail { links[link].isEncrypted = isEnabled != 0 }
    }
  }

  private mutating func open(
    _ complete: ConnectionComplete, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    answer.link = nil
    guard complete.status == .success else { return }
    let isConnection = complete.linkType == 1
    let adapter = record.adapter ?? 0xffff
    let adopted =
      isConnection
      ? links.adopt(adapter, complete.handle, .brEDR, packet: record.number) : nil
    let link =
      adopted
      ?? links.open(
        adapter, complete.handle, isConnection ? .brEDR : .synchronous, packet: record.number,
        time: record.time)
    links[link].peer = complete.peer
    links[link].peerType = .public
    links[link].isEstablished = true
    links[link].name = names.find(complete.peer, .public)
    answer.link = link
    answer.opened = isConnection
  }

  @_lifetime(cursor: copy cursor)
  private mutating func observeLE(
    _ subevent: UInt8, _ cursor: inout Cursor, _ record: borrowing CaptureRecord,
    _ dissection: inout Dissection, _ bytes: RawSpan, _ answer: inout Answer
  ) {
    if AdvertisingReport.kind(ofSubevent: subevent) != nil {
      advertisements.observe(
        bytes, body: dissection.body, adapter: record.adapter ?? 0xffff, packet: record.number,
        time: record.time, &dissection.problems)
      names.learn(from: advertisements, bytes)
    } else if PeriodicSync.established.contains(subevent)
      || PeriodicSync.received.contains(subevent) || subevent == PeriodicSync.lost
    {
      advertisements.observeTrain(
        subevent, &cursor, adapter: record.adapter ?? 0xffff, &dissection.problems)
    } else if LEConnectionComplete.subevents.contains(subevent) {
      guard let complete = try? LEConnectionComplete(subevent: subevent, parsing: &cursor) else {
        return
      }
      open(complete, record, &answer)
    } else if subevent == LEConnectionUpdateComplete.subevent {
      guard let update = try? LEConnectionUpdateComplete(parsing: &cursor),
        update.status == .success, let link = answer.link
      else { return }
      links[link].interval = update.interval
      links[link].latency = update.latency
      links[link].supervisionTimeout = update.supervisionTimeout
    } else if LinkEvent.isochronousSubevents.contains(subevent) {
      guard let established = try? LinkEvent(parsing: &cursor), established.status == .success
      else { return }
      answer.link = links.open(
        record.adapter ?? 0xffff, established.handle, .synchronous, packet: record.number,
        time: record.time)
    } else if subevent == 0x04 {
      // LE Read Remote Features Complete.
      hear(answer.link, dissection.parameters?.status(bytes))
    }
  }

  private mutating func open(
    _ complete: LEConnectionComplete, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    answer.link = nil
    guard complete.status == .success else { return }
    let adapter = record.adapter ?? 0xffff
    let link =
      links.adopt(adapter, complete.handle, .le, packet: record.number)
      ?? links.open(adapter, complete.handle, .le, packet: record.number, time: record.time)
    links[link].peer = complete.peer
    links[link].peerType = complete.peerType
    links[link].localRole = complete.role == 0 ? .central : complete.role == 1 ? .peripheral : nil
    // The peripheral learns of a connection from the central's packet; the central only created it.
    if complete.role != 0 { links[link].isEstablished = true }
    links[link].interval = complete.interval
    links[link].latency = complete.latency
    links[link].supervisionTimeout = complete.supervisionTimeout
    links[link].name = names.find(complete.peer, complete.peerType)
    answer.link = link
    answer.opened = true
  }

  private mutating func observeReturn(
    _ opcode: UInt16, _ dissection: Dissection, _ record: borrowing CaptureRecord,
    _ bytes: RawSpan, _ answer: inout Answer
  ) {
    guard let parameters = dissection.parameters, parameters.status(bytes) == 0 else { return }
    adapters.observeReturn(opcode, record.adapter, bytes, parameters.inner)
    if opcode == HCICommand.reset, let adapter = record.adapter {
      close(adapter, record, &answer)
    }
  }

  /// What an adapter forgets when it is reset or goes away.
  private mutating func close(
    _ adapter: UInt16, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    var ended: [Int] = []
    links.forEach { connection in
      if connection.isOpen, connection.adapter == adapter { ended.append(connection.id) }
    }
    for connection in ended { end(connection) }
    links.closeAll(of: adapter, packet: record.number, time: record.time)
    commands.forget(adapter)
    advertisements.forget(adapter)
    answer.closed = true
  }

  /// A connection has ended: so have its channels and what waits on them.
  private mutating func end(_ connection: Int) {
    channels.closeAll(of: connection)
    signals.forget { $0 == connection }
  }
}
