import Bluetooth
import Bytes
package import Captures
package import Dissectors

/// The devices that advertised and their data, the scans in which they were heard, and what the
/// captured host itself advertised. A report that needs this owns one and feeds it; the memory of a
/// pass does not contain it, so that other reports pay nothing.
///
/// Bounded: if there are too many advertisers, those that were heard first, and not again since
/// room was last made, are dropped.
package struct Advertisers: Sendable {
  package internal(set) var scans: Scans
  /// The host's own advertising.
  package internal(set) var own: OwnAdvertising
  /// The advertisers, in no particular order.
  var devices: [Advertiser] = []
  private var index: [UInt64: Int] = [:]
  /// The index at which the next search for room starts.
  private var hand = 0
  /// The number of forgotten advertisers; one that came back counts again.
  package private(set) var forgotten = 0
  /// The indexes in `devices` of the last packet's devices, once for each time it mentioned them.
  package private(set) var told: [Int] = []
  /// The memory that is left for advertisers' data.
  var budget: PayloadBudget
  private var commands: HostCommands
  /// The controllers to which commands were sent.
  private var commanded: Set<AdapterIndex> = []
  /// The identities of resolvable addresses, from connections.
  var identities: [DeviceAddress: (address: DeviceAddress, type: AddressType)] = [:]
  /// Connections whose peer is unknown, by number: their first packets and their handles.
  private var strangers: [Int: (packet: Int, handle: UInt16)] = [:]
  private var otherEndings = 0
  private var gap = 0
  var lastPacket = 0
  var lastTime: Timestamp?
  let limits: Limits

  /// Creates an empty table.
  package init(_ limits: Limits = Limits()) {
    self.limits = limits
    scans = Scans(limits)
    own = OwnAdvertising(limits)
    commands = HostCommands(limit: limits.commands)
    budget = PayloadBudget(bytes: limits.payloadBytes, others: limits.otherPayloads)
  }

  /// The connections whose peer is unknown, with their first packets and their handles.
  package var unknownPeers: [(connection: Int, packet: Int, handle: UInt16)] {
    strangers.map { ($0.key, $0.value.packet, $0.value.handle) }
      .sorted { $0.connection < $1.connection }
  }

  /// The maximum number of remembered advertisers.
  package var limit: Int { max(1, limits.listedAdvertisers) }

  /// Processes one packet after the memory of the pass has.
  ///
  /// - Parameter isCounted: whether its reports are wanted; commands are applied in any case.
  package mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory, isCounted: Bool = true
  ) {
    // A record that repeats one of another file was already counted and applied.
    if !told.isEmpty { told.removeAll(keepingCapacity: true) }
    guard record.original == nil else { return }
    lastPacket = record.number
    if let time = record.time { lastTime = time }
    if memory.links.gap != gap {
      gap = memory.links.gap
      own.lose()
    }
    if answer.opened || answer.closed || memory.links.otherEndings != otherEndings {
      observeLinks(record, answer, memory, isCounted: isCounted)
    }
    for done in commands.answered(by: record, dissection, bytes, answer) { apply(done) }
    switch dissection.content {
    case .event(let event):
      observe(event, record, dissection, bytes, answer, memory, isCounted: isCounted)
    case .command(let command):
      if commanded.count < limits.adapters { commanded.insert(record.adapter) }
      if ScanParameters.opcodes.contains(command.opcode)
        || ScanSwitch.opcodes.contains(command.opcode)
        || command.opcode == ContentFilterChange.opcode
        || AdvertisingCommand.concerns(command.opcode)
      {
        send(command.opcode, record, bytes.part(dissection.body))
      }
    case .note(let note):
      if note.kind.endsController, record.adapter != .unknown {
        forget(record.adapter, packet: record.number, time: record.time)
      }
    case .control(let control):
      if control.isEvent {
        observe(control, record, dissection.body, bytes, isCounted: isCounted)
      } else if AdvertisingCommand.concerns(control: control.code) {
        send(control.code, isControl: true, record, bytes.part(dissection.body))
      }
    case .acl, .sco, .iso, .controllerLog, .unknown: break
    }
  }

  // MARK: Commands

  private mutating func send(
    _ opcode: UInt16, isControl: Bool = false, _ record: borrowing CaptureRecord,
    _ parameters: RawSpan
  ) {
    if let lost = commands.send(opcode, isControl: isControl, record, parameters) { apply(lost) }
  }

  /// Applies a command that was answered: it takes effect, or was refused.
  private mutating func apply(_ done: HostCommands.Done) {
    let (command, status) = (done.command, done.status)
    let (adapter, packet, time) = (command.adapter, command.packet, command.time)
    let parameters = command.parameters.bytes
    if !command.isControl, ScanSwitch.opcodes.contains(command.opcode) {
      guard let change = try? ScanSwitch(command.opcode, parameters) else { return }
      scans.turn(change, adapter, status, packet: packet, time: time)
    } else if !command.isControl, ScanParameters.opcodes.contains(command.opcode) {
      guard status == .success,
        let setting = try? ScanParameters(command.opcode, parameters)
      else { return }
      scans.set(setting, adapter)
    } else if !command.isControl, command.opcode == ContentFilterChange.opcode {
      guard status == .success, let change = ContentFilterChange(parameters) else { return }
      scans.filter(change, adapter)
    } else if let known = command.advertising {
      if status == .success {
        own.apply(
          known, parameters, isCut: command.isCut, adapter, packet: packet, time: time, &budget)
      } else if case .data(let set, let kind, _, _) = known {
        own.refuse(set, kind, adapter)
      } else if case .enable(true, let sets) = known {
        own.refuse(sets, status, adapter, packet: packet, time: time)
      }
    } else if command.isCut {
      // It may have contained part of some data.
      own.lose()
    }
  }

  /// Applies the unanswered commands of an adapter that begin a scan: a report shows that they took
  /// effect.
  mutating func beginScan(_ adapter: AdapterIndex) {
    guard !commands.isEmpty, !scans.isOn(adapter) else { return }
    let begun = commands.takeAll {
      $0.adapter == adapter && !$0.isControl
        && (ScanSwitch.opcodes.contains($0.opcode) || ScanParameters.opcodes.contains($0.opcode))
    }
    for done in begun { apply(done) }
  }

  /// Applies the commands that are unanswered at the end of the capture: as far as is known, they
  /// took effect.
  mutating func finishCommands() {
    for done in commands.takeAll({ _ in true }) { apply(done) }
    own.forgetManagement(of: commanded)
  }

  private mutating func forget(_ adapter: AdapterIndex, packet: Int, time: Timestamp?) {
    commands.forget(adapter)
    scans.forget(adapter, packet: packet, time: time)
    own.forget(adapter, packet: packet, time: time)
  }

  // MARK: Events

  private mutating func observe(
    _ event: HCIEvent, _ record: borrowing CaptureRecord, _ dissection: Dissection,
    _ bytes: RawSpan, _ answer: Answer, _ memory: borrowing Memory, isCounted: Bool
  ) {
    let adapter = record.adapter
    let body = dissection.body
    let start = Int(body.start)
    switch event.code {
    case HCIEvent.leMetaCode:
      if !memory.advertisements.reports.isEmpty {
        hear(memory.advertisements, record, bytes, isCounted: isCounted)
      } else if let subevent = event.subevent(bytes, body) {
        observeLE(subevent, record, bytes, body, answer, memory)
      }
    case HCIEvent.commandCompleteCode:
      guard body.count >= 3 else { return }
      let opcode = bytes.littleEndianU16(at: start + 1)
      let status = StatusCode(rawValue: body.count > 3 ? bytes.byte(at: start + 3) : 0)
      if opcode == 0xfd56, isCounted { observeBatch(record, dissection, bytes) }
      if opcode == HCICommand.reset, status == .success {
        forget(adapter, packet: record.number, time: record.time)
      } else if opcode == HCICommand.leReadMaximumAdvertisingDataLength, status == .success,
        body.count >= 6
      {
        own.learn(longest: Int(bytes.littleEndianU16(at: start + 4)), adapter)
      }
    case 0x02, 0x22, 0x2f:
      if isCounted { hear(inquiry: event.code, record, bytes, body) }
    case HCIEvent.vendorCode:
      observeVendors(record, dissection, bytes, answer, memory, isCounted: isCounted)
    default: break
    }
  }

  /// Processes an event without reports: the end of a scan or of an advertising set.
  private mutating func observeLE(
    _ subevent: UInt8, _ record: borrowing CaptureRecord, _ bytes: RawSpan, _ body: Slice,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    let adapter = record.adapter
    var cursor = Cursor(bytes, body)
    guard (try? cursor.u8()) != nil else { return }
    switch subevent {
    case 0x11:
      // LE Scan Timeout (Core, Vol 4, Part E, 7.7.65.17).
      scans.end(adapter, .timeout, packet: record.number, time: record.time)
    case AdvertisingSetTerminated.subevent:
      guard let ended = try? AdvertisingSetTerminated(parsing: &cursor) else { return }
      let ending: OwnAdvertiser.Ending =
        ended.status == .success
        ? .connection(answer.link.map { memory.links.id($0) })
        : ended.status == .operationCancelledByHost ? .host : .controller(ended.status)
      own.end(
        ended.set, ending, adapter, packet: record.number, time: record.time, isProof: true)
    case LEConnectionComplete.version1, LEConnectionComplete.enhanced,
      LEConnectionComplete.enhancedVersion2:
      // High duty cycle directed advertising ends on its own: LE (Enhanced) Connection Complete
      // then has the status Advertising Timeout (Core, Vol 4, Part E, 7.8.9).
      if let status = try? cursor.u8(), status == 0x3c {
        own.end(
          AdvertisingSet(.legacy, 0), .controller(StatusCode(rawValue: 0x3c)), adapter,
          packet: record.number, time: record.time, isProof: false)
      }
      fallthrough
    default:
      // A connection ends the advertising started by legacy commands.
      guard answer.opened, let link = answer.link else { return }
      let connection = memory.links.connection(link)
      if connection.role(of: .local) == .peripheral {
        own.end(
          AdvertisingSet(.legacy, 0), .connection(connection.id), adapter,
          packet: record.number, time: record.time, isProof: false)
      }
    }
  }

  // MARK: Connections

  private mutating func observeLinks(
    _ record: borrowing CaptureRecord, _ answer: Answer, _ memory: borrowing Memory, isCounted: Bool
  ) {
    if let link = answer.link { note(memory.links.connection(link), isCounted: isCounted) }
    guard memory.links.otherEndings != otherEndings else { return }
    otherEndings = memory.links.otherEndings
    if let departed = memory.links.departed { note(departed, isCounted: isCounted) }
  }

  mutating func note(_ connection: Connection, isCounted: Bool) {
    guard connection.id != 0 else { return }
    guard let peer = connection.peer else {
      if isCounted, strangers.count < limits.listedConnections, strangers[connection.id] == nil {
        strangers[connection.id] = (connection.firstPacket, connection.handle)
      }
      return
    }
    strangers[connection.id] = nil
    let type = connection.peerType ?? .public
    if let resolvable = connection.peerResolvable {
      identify(resolvable, as: peer, type)
    }
    // An all-zero address means none.
    if let identity = connection.identity, identity.address != .zero {
      identify(peer, as: identity.address, identity.type)
    }
    guard isCounted else { return }
    let place = place(peer, type, packet: connection.firstPacket)
    devices[place].note(type)
    devices[place].connect(connection.id, isClassic: connection.transport == .brEDR)
  }

  private mutating func identify(
    _ address: DeviceAddress, as identity: DeviceAddress, _ type: AddressType
  ) {
    guard address != identity, identities.count < limit || identities[address] != nil else {
      return
    }
    identities[address] = (identity, type)
  }

  // MARK: The table

  /// Returns a device's key. It depends on public or random, not on whether the controller resolved
  /// the address.
  static func key(_ address: DeviceAddress?, _ type: AddressType, _ sync: UInt16? = nil) -> UInt64 {
    if let address { return address.value | UInt64(type.rawValue & 1) << 48 }
    return 1 << 63 | (sync.map { UInt64($0) | 1 << 32 } ?? 0)
  }

  /// Returns the index of a device, and adds the device if it is new.
  mutating func place(
    _ address: DeviceAddress?, _ type: AddressType, sync: UInt16? = nil, packet: Int
  ) -> Int {
    let key = Self.key(address, type, sync)
    let place = index[key] ?? take(Advertiser(key, address, sync: sync, packet: packet))
    told.append(place)
    return place
  }

  /// Adds a new device, if necessary in the place of one that was not heard lately.
  private mutating func take(_ device: Advertiser) -> Int {
    if devices.count < limit {
      devices.append(device)
      index[device.key] = devices.count - 1
      return devices.count - 1
    }
    while devices[hand].wasHeardLately {
      devices[hand].wasHeardLately = false
      hand = (hand + 1) % devices.count
    }
    let free = hand
    hand = (hand + 1) % devices.count
    forgotten += 1
    devices[free].payloads.release(into: &budget)
    index[devices[free].key] = nil
    devices[free] = device
    index[device.key] = free
    return free
  }
}
