import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The use of one controller: power, scanning, advertising, connecting, and the states of its Link
/// Layer. Bounded: the numbers of commands that wait for their answers and of known advertising
/// sets are limited.
struct AdapterEvents: Sendable {
  /// The controller's index; unknown if the capture contains none.
  let index: AdapterIndex
  private var power: AppEvent.Power?
  private var wasReset = false
  private var commands = HostCommands(limit: 64)
  private var states: Set<AppEvent.LinkLayerState> = []
  private var scanning = ScanSetup()
  /// A scan that was stopped, until it is clear that it does not start again at once.
  private var stopped: (packet: Int, time: Timestamp?)?
  /// A scan that starts again this soon may have been interrupted by the stack, in nanoseconds.
  private static let interruption: Int64 = 300_000_000
  private var sets = AdvertisedSets()
  private var requests = ConnectRequests()
  /// Whether the capture has the commands with which the kernel carries out what its management
  /// interface requests.
  private var hasCommands = false

  init(_ index: AdapterIndex) { self.index = index }

  // MARK: Packets

  /// Processes a command, an event, a note or a record of the management interface.
  mutating func observe(_ packet: borrowing Packet, into events: inout [AppEvent]) {
    switch packet.dissection.content {
    case .command(let command):
      hasCommands = true
      observe(command.opcode, packet.record, packet.bytes.part(packet.dissection.body), &events)
    case .event:
      observe(packet.dissection.fact, packet, &events)
    case .note(let note):
      guard note.kind.endsController else { return }
      lose(.off, packet.record, &events)
    case .control(let control):
      if !control.isEvent {
        scanning.discover(control.code, packet.bytes.part(packet.dissection.body))
      }
      guard !hasCommands else { return }
      observe(control, packet, &events)
    case .acl, .sco, .iso, .controllerLog, .unknown, .advertising, .linkData, .linkControl: break
    }
  }

  /// Records how many connections of this controller are open now.
  mutating func connections(
    _ count: Int, _ record: borrowing CaptureRecord, into events: inout [AppEvent]
  ) {
    turn(.connected, count > 0, record, &events)
  }

  /// Reports what is settled at this packet, since nothing came that would change it.
  mutating func pass(_ record: borrowing CaptureRecord, into events: inout [AppEvent]) {
    requests.pass(record, &events)
    guard let stopped else { return }
    if let time = record.time, let end = stopped.time,
      time.nanoseconds(since: end) <= Self.interruption
    {
      return
    }
    reportStop(&events)
  }

  private mutating func reportStop(_ events: inout [AppEvent]) {
    guard let stopped else { return }
    events.append(AppEvent(.scanStopped, packet: stopped.packet, time: stopped.time))
    self.stopped = nil
  }

  /// Ends the capture.
  mutating func finish(into events: inout [AppEvent]) {
    let start = events.count
    reportStop(&events)
    requests.finish(&events)
    for position in events.indices.dropFirst(start) { events[position].adapter = index }
  }

  /// Forgets what depends on lost records: the devices on the filter accept list.
  mutating func lose() { requests = ConnectRequests() }

  // MARK: Commands

  private mutating func observe(
    _ opcode: UInt16, _ record: borrowing CaptureRecord, _ parameters: RawSpan,
    _ events: inout [AppEvent]
  ) {
    switch opcode {
    case HCICommand.leCreateConnectionCancel: requests.cancel(record)
    case HCICommand.disconnect:
      var cursor = Cursor(parameters)
      if let handle = try? cursor.u16() { requests.disconnect(handle & 0x0fff) }
      return
    case ContentFilterChange.opcode:
      if let change = ContentFilterChange(parameters) { scanning.apply(change) }
      return
    default:
      guard opcode == HCICommand.reset || Self.isFollowed(opcode) else { return }
    }
    commands.send(opcode, record, parameters)
  }

  private static func isFollowed(_ opcode: UInt16) -> Bool {
    ScanParameters.opcodes.contains(opcode) || ScanSwitch.opcodes.contains(opcode)
      || LECreateConnection.opcodes.contains(opcode) || AdvertisingCommand.concerns(opcode)
      || HCICommand.waitsForAttempts(opcode)
  }

  /// Records that a command uses the controller: if it was reset before, it is ready by then.
  private mutating func use(_ command: HostCommands.Command, _ events: inout [AppEvent]) {
    guard power != .on else { return }
    power = .on
    guard wasReset else { return }
    events.append(AppEvent(.power(.on), packet: command.packet, time: command.time))
  }

  /// Applies a command that was carried out or refused.
  private mutating func report(
    _ command: HostCommands.Command, _ status: StatusCode, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    let parameters = command.parameters
    switch command.opcode {
    case HCICommand.reset:
      guard status == .success else { return }
      if power == .on { lose(.off, record, &events) }
      clear(record, &events)
      wasReset = true
    case let opcode where ScanParameters.opcodes.contains(opcode):
      if status == .success { scanning.set(try? ScanParameters(opcode, parameters.bytes)) }
    case let opcode where ScanSwitch.opcodes.contains(opcode):
      guard let wanted = try? ScanSwitch(opcode, parameters.bytes) else { return }
      scan(wanted, command, status, record, &events)
    case let opcode where LECreateConnection.opcodes.contains(opcode):
      use(command, &events)
      var cursor = Cursor(parameters.bytes)
      let wanted = try? LECreateConnection(opcode, parsing: &cursor)
      requests.begin(wanted, (command.packet, command.time), status, record, &events)
      if status == .success { turn(.initiating, true, record, &events) }
    case HCICommand.leCreateConnectionCancel:
      if status != .success { requests.refuseCancel() }
    case let opcode where HCICommand.waitsForAttempts(opcode):
      guard status == .success else { return }
      requests.change(opcode, parameters.bytes, (command.packet, command.time), record, &events)
    default:
      guard let asked = command.advertising else { return }
      advertise(asked, command, status, record, &events)
    }
  }

  private mutating func scan(
    _ wanted: ScanSwitch, _ command: HostCommands.Command, _ status: StatusCode,
    _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    if !wanted.isOn {
      guard states.contains(.scanning), status == .success else { return }
      stopped = (command.packet, command.time)
      turn(.scanning, false, record, &events)
      return
    }
    use(command, &events)
    guard status == .success else {
      events.append(AppEvent(.scanRefused(status), record))
      return
    }
    // Starting a scan that runs changes nothing.
    let isRestart = stopped != nil || states.contains(.scanning)
    stopped = nil
    events.append(
      AppEvent(
        isRestart ? .scanRestarted : .scanStarted(scanning.request(wanted)),
        packet: command.packet, time: command.time))
    turn(.scanning, true, record, &events)
  }

  private mutating func advertise(
    _ asked: AdvertisingCommand, _ command: HostCommands.Command, _ status: StatusCode,
    _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    let (all, isCut) = (command.parameters, command.isCut)
    let parameters = all.bytes
    guard case .enable(let isOn, let named) = asked else {
      guard status == .success else {
        sets.refuse(asked)
        if case .instance(let set, _, _, _) = asked {
          sets.observe(asked, parameters, isCut: isCut)
          begin([sets.own(set)], status, record, &events)
        }
        return
      }
      sets.observe(asked, parameters, isCut: isCut)
      if case .instance(let set, _, _, _) = asked {
        sets.turn(set, isOn: true)
        begin([sets.own(set)], status, record, &events)
      }
      return
    }
    guard isOn else {
      guard status == .success, sets.turnOff(named) else { return }
      events.append(AppEvent(.advertisingStopped, packet: command.packet, time: command.time))
      turn(.advertising, sets.isAnyOn, record, &events)
      return
    }
    use(command, &events)
    if status == .success { for set in named { sets.turn(set, isOn: true) } }
    begin(named.map { sets.own($0) }, status, record, &events)
  }

  private mutating func begin(
    _ begun: [OwnAdvertisement], _ status: StatusCode, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    for advertisement in begun {
      events.append(AppEvent(.advertisingStarted(advertisement, status), record))
    }
    if status == .success { turn(.advertising, true, record, &events) }
  }

  // MARK: Events

  private mutating func observe(
    _ fact: EventFact, _ packet: borrowing Packet, _ events: inout [AppEvent]
  ) {
    switch fact {
    case .disconnection(let ended):
      if ended.status == .success { requests.end(ended.handle) }
    case .commandComplete(let complete):
      answered(packet.answer.request?.packet, complete.status ?? .success, packet.record, &events)
    case .commandStatus(let status):
      answered(packet.answer.request?.packet, status.status, packet.record, &events)
    case .hardwareError: lose(.resetting, packet.record, &events)
    case .connection(let complete): report(complete, packet.record, &events)
    case .setTerminated(let ended):
      sets.turn(ended.set, isOn: false)
      turn(.advertising, sets.isAnyOn, packet.record, &events)
    case .scanTimeout where states.contains(.scanning):
      events.append(AppEvent(.scanStopped, packet.record))
      turn(.scanning, false, packet.record, &events)
    default: break
    }
  }

  private mutating func answered(
    _ request: Int?, _ status: StatusCode, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    guard let command = commands.take(request, isControl: false) else { return }
    report(command, status, record, &events)
  }

  private mutating func report(
    _ complete: LEConnectionComplete, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    let isPeripheral = complete.status == .success && complete.role == 1
    if isPeripheral || complete.status == .advertisingTimeout {
      // Legacy advertising ends with the connection that it leads to (Core, Vol 4, Part E, 7.8.9).
      sets.turn(AdvertisingSet(.legacy, 0), isOn: false)
      turn(.advertising, sets.isAnyOn, record, &events)
      return
    }
    turn(.initiating, false, record, &events)
    requests.complete(complete, record, &events)
  }

  // MARK: The kernel's management interface

  private mutating func observe(
    _ control: ControlRecord, _ packet: borrowing Packet, _ events: inout [AppEvent]
  ) {
    let body = packet.bytes.part(packet.dissection.body)
    if control.isAnswer {
      guard let command = commands.take(packet.answer.request?.packet, isControl: true) else {
        return
      }
      let status = StatusCode(rawValue: control.status(packet.bytes, packet.dissection.body) ?? 0)
      report(command, status, packet.record, &events)
    } else if !control.isEvent {
      commands.send(control.code, isControl: true, packet.record, body)
    } else if control.code == ManagementEvent.discovering, body.byteCount >= 2 {
      // Address types (1 byte), discovering (1) (BlueZ, doc/mgmt-protocol.rst).
      let isOn = body.byte(at: 1) != 0
      guard isOn != states.contains(.scanning), body.byte(at: 0) & 6 != 0 else { return }
      let request = AppEvent.ScanRequest(
        services: scanning.chosen, isActive: true, reportsDuplicates: true)
      events.append(AppEvent(isOn ? .scanStarted(request) : .scanStopped, packet.record))
      turn(.scanning, isOn, packet.record, &events)
    }
  }

  // MARK: States

  /// Records that Bluetooth is unavailable, or is being reset.
  private mutating func lose(
    _ power: AppEvent.Power, _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    if self.power != power, self.power == .on || power == .resetting {
      events.append(AppEvent(.power(power), record))
    }
    self.power = power
    clear(record, &events)
  }

  private mutating func clear(_ record: borrowing CaptureRecord, _ events: inout [AppEvent]) {
    reportStop(&events)
    commands = HostCommands(limit: 64)
    scanning = ScanSetup()
    sets = AdvertisedSets()
    requests.finish(&events)
    requests = ConnectRequests()
    for state in AppEvent.LinkLayerState.allCases where states.contains(state) {
      turn(state, false, record, &events)
    }
  }

  private mutating func turn(
    _ state: AppEvent.LinkLayerState, _ isOn: Bool, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    guard states.contains(state) != isOn else { return }
    if isOn { states.insert(state) } else { states.remove(state) }
    events.append(
      AppEvent(.linkLayer(states.sorted { $0.rawValue < $1.rawValue }), record))
  }
}

extension AppEvent {
  /// Creates an event of a record.
  init(_ what: What, _ record: borrowing CaptureRecord) {
    self.init(what, packet: record.number, time: record.time)
  }
}
