import Bluetooth
import Bytes
import Captures
import Dissectors

/// The devices that advertised and their data, the scans in which they were heard, and what the
/// captured host itself advertised. A report that needs this owns one and feeds it; the memory of a
/// pass does not contain it, so that other reports pay nothing.
///
/// Bounded: if there are too many advertisers, those that were heard first, and not again since
/// room was last made, are dropped.
package struct Advertisers: Sendable {
  package private(set) var scans: Scans
  /// The host's own advertising.
  package private(set) var own: OwnAdvertising
  /// The advertisers, in no particular order.
  package private(set) var devices: [Advertiser] = []
  /// The indexes in `devices` in the order of their first packets, once the capture has ended. Of
  /// devices with one identity, it has only the one that represents them all.
  package private(set) var order: [Int] = []
  private var index: [UInt64: Int] = [:]
  /// The index at which the next search for room starts.
  private var hand = 0
  /// The number of forgotten advertisers; one that came back counts again.
  package private(set) var forgotten = 0
  /// The indexes in `devices` of the last packet's devices, once for each time it mentioned them.
  package private(set) var mentioned: [Int] = []
  /// The memory that is left for advertisers' data.
  private(set) var budget: PayloadBudget
  private var commands: HostCommands
  /// The controllers to which commands were sent.
  private var commanded: Set<AdapterIndex> = []
  /// The identities of resolvable addresses, from connections.
  private var identities: [DeviceAddress: (address: DeviceAddress, type: AddressType)] = [:]
  /// Connections whose peer is unknown, by number: their first packets and their handles.
  private var strangers: [Int: (packet: Int, handle: UInt16)] = [:]
  private var otherEndings = 0
  private var gap = 0
  private var lastPacket = 0
  private var lastTime: Timestamp?
  private let limits: Limits

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
    _ packet: borrowing Packet, _ memory: borrowing Memory, isCounted: Bool = true
  ) {
    // A record that repeats one of another file was already counted and applied.
    if !mentioned.isEmpty { mentioned.removeAll(keepingCapacity: true) }
    guard packet.record.original == nil else { return }
    lastPacket = packet.record.number
    if let time = packet.record.time { lastTime = time }
    if memory.links.gap != gap {
      gap = memory.links.gap
      own.lose()
    }
    if packet.answer.opened || packet.answer.closed || memory.links.otherEndings != otherEndings {
      observeLinks(packet, memory, isCounted: isCounted)
    }
    for done in commands.answered(by: packet) { apply(done) }
    switch packet.dissection.content {
    case .event(let event):
      observe(event, packet, memory, isCounted: isCounted)
    case .command(let command):
      if commanded.count < limits.adapters { commanded.insert(packet.record.adapter) }
      if ScanParameters.opcodes.contains(command.opcode)
        || ScanSwitch.opcodes.contains(command.opcode)
        || command.opcode == ContentFilterChange.opcode
        || AdvertisingCommand.concerns(command.opcode)
      {
        send(command.opcode, packet.record, packet.bytes.part(packet.dissection.body))
      }
    case .note(let note):
      if note.kind.endsController, packet.record.adapter != .unknown {
        forget(packet.record.adapter, packet: packet.record.number, time: packet.record.time)
      }
    case .control(let control):
      if control.isEvent {
        observe(control, packet.record, packet.dissection.body, packet.bytes, isCounted: isCounted)
      } else if AdvertisingCommand.concerns(control: control.code) {
        send(
          control.code, isControl: true, packet.record, packet.bytes.part(packet.dissection.body))
      }
    case .advertising, .linkData:
      if !memory.advertisements.reports.isEmpty {
        hear(
          memory.advertisements, packet.record, packet.bytes, packet.answer.air ?? AirFact(),
          isCounted: isCounted)
      }
    case .acl, .sco, .iso, .controllerLog, .unknown, .linkControl: break
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
  private mutating func beginScan(_ adapter: AdapterIndex) {
    guard !commands.isEmpty, !scans.isOn(adapter) else { return }
    let begun = commands.takeAll {
      $0.adapter == adapter && !$0.isControl
        && (ScanSwitch.opcodes.contains($0.opcode) || ScanParameters.opcodes.contains($0.opcode))
    }
    for done in begun { apply(done) }
  }

  /// Applies the commands that are unanswered at the end of the capture: as far as is known, they
  /// took effect.
  private mutating func finishCommands() {
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
    _ event: HCIEvent, _ packet: borrowing Packet, _ memory: borrowing Memory, isCounted: Bool
  ) {
    let adapter = packet.record.adapter
    switch packet.dissection.fact {
    case .commandComplete(let complete):
      if complete.opcode == 0xfd56, isCounted { observeBatch(packet) }
      // A short answer reports no failure.
      guard complete.status ?? .success == .success else { break }
      if complete.opcode == HCICommand.reset {
        forget(adapter, packet: packet.record.number, time: packet.record.time)
      } else if complete.opcode == HCICommand.leReadMaximumAdvertisingDataLength,
        complete.returns.count >= 3
      {
        let longest = packet.bytes.littleEndianU16(at: Int(complete.returns.start) + 1)
        own.learn(longest: Int(longest), adapter)
      }
    case .scanTimeout:
      scans.end(adapter, .timeout, packet: packet.record.number, time: packet.record.time)
    case .setTerminated(let ended):
      let ending: OwnAdvertiser.Ending =
        ended.status == .success
        ? .connection(packet.answer.link.map { memory.links.id($0) })
        : ended.status == .operationCancelledByHost ? .host : .controller(ended.status)
      own.end(
        ended.set, ending, adapter, packet: packet.record.number, time: packet.record.time,
        isProof: true)
    case .connection(let complete):
      // High duty cycle directed advertising ends on its own: LE (Enhanced) Connection Complete
      // then has the status Advertising Timeout (Core, Vol 4, Part E, 7.8.9).
      if complete.status == .advertisingTimeout {
        own.end(
          AdvertisingSet(.legacy, 0), .controller(.advertisingTimeout), adapter,
          packet: packet.record.number, time: packet.record.time, isProof: false)
      }
    default:
      if !memory.advertisements.reports.isEmpty {
        hear(memory.advertisements, packet.record, packet.bytes, nil, isCounted: isCounted)
      } else if event.code == HCIEvent.vendorCode {
        observeVendors(packet, memory, isCounted: isCounted)
      } else if isCounted, event.isInquiryResult {
        hear(inquiry: event.code, packet.record, packet.bytes, packet.dissection.body)
      }
    }
    // A connection ends the advertising started by legacy commands.
    guard event.isLEMeta, packet.answer.opened, let link = packet.answer.link else { return }
    let connection = memory.links.connection(link)
    if connection.role(of: .local) == .peripheral {
      own.end(
        AdvertisingSet(.legacy, 0), .connection(connection.id), adapter,
        packet: packet.record.number, time: packet.record.time, isProof: false)
    }
  }

  // MARK: Connections

  private mutating func observeLinks(
    _ packet: borrowing Packet, _ memory: borrowing Memory, isCounted: Bool
  ) {
    if let link = packet.answer.link { note(memory.links.connection(link), isCounted: isCounted) }
    guard memory.links.otherEndings != otherEndings else { return }
    otherEndings = memory.links.otherEndings
    if let departed = memory.links.departed { note(departed, isCounted: isCounted) }
  }

  private mutating func note(_ connection: Connection, isCounted: Bool) {
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
    // All zeros: no address.
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
  private static func key(_ address: DeviceAddress?, _ type: AddressType, _ sync: UInt16? = nil)
    -> UInt64
  {
    if let address { return address.value | UInt64(type.rawValue & 1) << 48 }
    return 1 << 63 | (sync.map { UInt64($0) | 1 << 32 } ?? 0)
  }

  /// Returns the index of a device, and adds the device if it is new.
  private mutating func place(
    _ address: DeviceAddress?, _ type: AddressType, sync: UInt16? = nil, packet: Int
  ) -> Int {
    let key = Self.key(address, type, sync)
    let place = index[key] ?? insert(key, address, sync: sync, packet: packet)
    mentioned.append(place)
    return place
  }

  /// Adds a new device, if necessary in the place of one that was not heard lately.
  private mutating func insert(
    _ key: UInt64, _ address: DeviceAddress?, sync: UInt16?, packet: Int
  ) -> Int {
    if devices.count < limit {
      index[key] = devices.count
      devices.append(Advertiser(key, address, sync: sync, packet: packet))
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
    devices[free] = Advertiser(key, address, sync: sync, packet: packet)
    index[key] = free
    return free
  }

  // MARK: Reports

  /// Processes the advertising reports of a packet.
  ///
  /// - Parameter air: what is known of a packet from the air; nil for a controller's reports.
  private mutating func hear(
    _ advertisements: Advertisements, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ air: AirFact?, isCounted: Bool
  ) {
    let adapter = record.adapter
    for position in advertisements.reports.indices {
      let advertisement = advertisements.reports[position]
      let report = advertisement.report
      guard let event = advertisement.event else { continue }
      let begins = advertisement.isCounted
      // A train is received whether a scan is running or not.
      var hearing: Scans.Hearing?
      if air != nil {
        hearing = .onAir
      } else if event != .periodic {
        beginScan(adapter)
        hearing = scans.hear(
          adapter, packet: record.number, time: record.time,
          isCounted: isCounted && begins)
      }
      guard isCounted else { continue }
      let train = advertisement.train
      let address = report.address ?? train?.address
      let type = report.address == nil ? train?.addressType ?? .anonymous : report.addressType
      let place = place(
        address, type, sync: address == nil ? report.syncHandle : nil, packet: record.number)
      devices[place].note(type)
      devices[place].note(report)
      if let channel = air?.channel { devices[place].note(channel: channel) }
      if begins {
        devices[place].count(event, packet: record.number, time: record.time, signal: report.rssi)
        if let hearing { devices[place].measure(hearing, report.rssi) }
      } else {
        devices[place].goesOn(record.number, record.time)
      }
      // A part is not data by itself, and a directed advertisement has none.
      guard !advertisement.isPart, event != .advDirectInd || !report.data.isEmpty else { continue }
      let properties: UInt8
      switch event {
      case .extended: properties = UInt8(report.eventType & 0x0f)
      // The subevents of a train have their own data.
      case .periodic: properties = report.subevent ?? 0xff
      default: properties = 0
      }
      let stream = AdvertisingStream(
        event, properties: properties, sid: report.sid ?? train?.sid ?? 0xff,
        isScanResponse: report.isScanResponse)
      let isTruncated = report.isCut || report.dataStatus != .complete
      let isRepeated: Bool
      if let joined = advertisement.joined {
        isRepeated = devices[place].record(
          stream, advertisements.joined.bytes.part(joined), isTruncated: isTruncated,
          packet: record.number, time: record.time, adapter: adapter, hearing,
          limit: limits.payloads, &budget)
      } else {
        isRepeated = devices[place].record(
          stream, bytes.part(report.data), isTruncated: isTruncated, packet: record.number,
          time: record.time, adapter: adapter, hearing, limit: limits.payloads, &budget)
      }
      if isRepeated, let hearing, hearing.filtersDuplicates == nil {
        scans.proveDuplicates(hearing.id)
      }
    }
  }

  /// Processes the results of an inquiry: number (1 byte), then for each address (6), page scan
  /// repetition mode (1), reserved (1; 2 in the oldest event), class of device (3), clock offset
  /// (2), except in the oldest event RSSI (1), and in the newest the extended inquiry response
  /// (240) (Core, Vol 4, Part E, 7.7.2, 7.7.33, 7.7.38).
  private mutating func hear(
    inquiry code: UInt8, _ record: borrowing CaptureRecord, _ bytes: RawSpan, _ body: Slice
  ) {
    var cursor = Cursor(bytes, body)
    guard let count = try? cursor.u8() else { return }
    for _ in 0..<count {
      guard let address = try? DeviceAddress(parsing: &cursor),
        (try? cursor.take(code == 0x02 ? 8 : 7)) != nil
      else { return }
      var signal: Int8?
      if code != 0x02 {
        guard let byte = try? cursor.u8() else { return }
        signal = AdvertisingReport.signal(byte)
      }
      let place = place(address, .public, packet: record.number)
      devices[place].note(.public)
      devices[place].count(.inquiry, packet: record.number, time: record.time, signal: signal)
      guard code == 0x2f else { continue }
      let data = cursor.takeUpTo(240)
      add(AdvertisingStream(.inquiry), bytes.part(data), record, place)
    }
  }

  /// Processes what the kernel found: address (6 bytes), type (1: 0 BR/EDR, 1 LE public, 2 LE
  /// random), RSSI (1), flags (4), length (2), AD structures; Advertisement Monitor Device Found
  /// begins with a handle (2) (BlueZ, doc/mgmt-protocol.rst). This repeats what reports contain, so
  /// it counts only for devices without reports.
  private mutating func observe(
    _ control: ControlRecord, _ record: borrowing CaptureRecord, _ body: Slice, _ bytes: RawSpan,
    isCounted: Bool
  ) {
    if control.code == ManagementEvent.discovering, body.count >= 2 {
      // Discovering: address types (1 byte), whether it is running (1).
      scans.discover(
        bytes.byte(at: Int(body.start)), isOn: bytes.byte(at: Int(body.start) + 1) != 0,
        record.adapter, packet: record.number, time: record.time)
    } else if control.code == ManagementEvent.advertisingRemoved, !body.isEmpty {
      own.end(
        AdvertisingSet(.management, bytes.byte(at: Int(body.start))), .host,
        record.adapter, packet: record.number, time: record.time, isProof: false)
    }
    guard isCounted else { return }
    let isMonitors = control.code == ManagementEvent.advertisementMonitorDeviceFound
    guard control.code == ManagementEvent.deviceFound || isMonitors else { return }
    var cursor = Cursor(bytes, body)
    if isMonitors, (try? cursor.u16()) == nil { return }
    guard let address = try? DeviceAddress(parsing: &cursor), let kind = try? cursor.u8(),
      let signal = try? cursor.u8(), (try? cursor.take(4)) != nil, let length = try? cursor.u16()
    else { return }
    let type: AddressType = kind == 2 ? .random : .public
    let place = place(address, type, packet: record.number)
    guard !devices[place].hasReports else { return }
    devices[place].note(type)
    devices[place].count(
      .management, packet: record.number, time: record.time,
      signal: AdvertisingReport.signal(signal))
    if kind == 0 { devices[place].noteClassic() }
    let data = cursor.takeUpTo(Int(length))
    guard !data.isEmpty else { return }
    add(AdvertisingStream(.management), bytes.part(data), record, place)
  }

  private mutating func add(
    _ stream: AdvertisingStream, _ data: RawSpan, _ record: borrowing CaptureRecord, _ place: Int
  ) {
    _ = devices[place].record(
      stream, data, isTruncated: record.isTruncated, packet: record.number, time: record.time,
      adapter: record.adapter, nil, limit: limits.payloads, &budget)
  }

  /// Processes Android's events: Multi Advertising State Change (0x55: instance, reason, handle),
  /// in which reason 0 is a connection, and Advertisement Tracking (0x56: filter (1 byte), state
  /// (1), whether more follows (1: 0 means yes), address (6), type (1), TX power (1), RSSI (1),
  /// time (2), length (1), data, length (1), scan response) (Android, "HCI requirements").
  private mutating func observeVendors(
    _ packet: borrowing Packet, _ memory: borrowing Memory, isCounted: Bool
  ) {
    let body = packet.dissection.body
    guard !body.isEmpty, let row = packet.dissection.parameters?.row else { return }
    let code = packet.bytes.byte(at: Int(body.start))
    guard code == 0x55 || code == 0x56, row == PDUTable.core.androidEvent(code) else { return }
    var cursor = Cursor(packet.bytes, body)
    guard (try? cursor.u8()) != nil else { return }
    if code == 0x55 {
      guard let instance = try? cursor.u8(), (try? cursor.u8()) == 0 else { return }
      own.end(
        AdvertisingSet(.android, instance),
        .connection(packet.answer.link.map { memory.links.id($0) }.flatMap { $0 == 0 ? nil : $0 }),
        packet.record.adapter, packet: packet.record.number, time: packet.record.time, isProof: true
      )
      return
    }
    guard isCounted, (try? cursor.take(2)) != nil, (try? cursor.u8()) == 0,
      let address = try? DeviceAddress(parsing: &cursor), let kind = try? cursor.u8(),
      (try? cursor.u8()) != nil, let signal = try? cursor.u8(), (try? cursor.take(2)) != nil
    else { return }
    let type = AddressType(rawValue: kind)
    let place = place(address, type, packet: packet.record.number)
    devices[place].note(type)
    devices[place].count(
      .tracking, packet: packet.record.number, time: packet.record.time,
      signal: AdvertisingReport.signal(signal))
    for isScanResponse in [false, true] {
      guard let length = try? cursor.u8() else { return }
      let data = cursor.takeUpTo(Int(length))
      if isScanResponse, data.isEmpty { return }
      add(
        AdvertisingStream(.tracking, isScanResponse: isScanResponse), packet.bytes.part(data),
        packet.record,
        place)
    }
  }

  /// Processes the results that Android LE Batch Scan returns for Read Results (0x04), if the table
  /// of vendor commands contains it: number of commands (1 byte), opcode (2), status (1),
  /// subcommand (1), form (1: 1 truncated, 2 full), number of records (1), for each address (6),
  /// type (1), TX power (1), RSSI (1), time (2, units of 50 ms before now); full records also
  /// length (1), data, length (1), scan response (Android, "HCI requirements"; the same sizes in
  /// GattService.java, parseTruncatedResults and parseFullResults [mem]).
  private mutating func observeBatch(_ packet: borrowing Packet) {
    guard let row = packet.dissection.parameters?.completed, row == PDUTable.core.command(0xfd56)
    else { return }
    var cursor = Cursor(packet.bytes, packet.dissection.body)
    guard (try? cursor.take(3)) != nil, (try? cursor.u8()) == 0, (try? cursor.u8()) == 0x04,
      let form = try? cursor.u8(), form == 1 || form == 2, let count = try? cursor.u8()
    else { return }
    for _ in 0..<count {
      guard let address = try? DeviceAddress(parsing: &cursor), let kind = try? cursor.u8(),
        (try? cursor.take(4)) != nil
      else { return }
      let type = AddressType(rawValue: kind)
      let place = place(address, type, packet: packet.record.number)
      devices[place].note(type)
      // Its RSSI is older than levels measured now, so it is ignored.
      devices[place].count(
        .batch, packet: packet.record.number, time: packet.record.time, signal: nil)
      guard form == 2 else { continue }
      for isScanResponse in [false, true] {
        guard let length = try? cursor.u8() else { return }
        let data = cursor.takeUpTo(Int(length))
        if data.isEmpty { continue }
        add(
          AdvertisingStream(.batch, isScanResponse: isScanResponse), packet.bytes.part(data),
          packet.record,
          place)
      }
    }
  }

  // MARK: The end

  /// Ends the capture: unanswered commands took effect as far as is known, what is running was
  /// running up to this packet, and devices with one identity are merged.
  package mutating func finish(_ memory: borrowing Memory, isCounted: Bool = true) {
    memory.links.forEach { note($0, isCounted: isCounted) }
    finishCommands()
    scans.finish(packet: lastPacket, time: lastTime)
    own.finish(packet: lastPacket, time: lastTime)
    for position in devices.indices { devices[position].settle { scans.isProven($0) } }
    unite(memory)
  }

  /// Returns the device at an index from `mentioned`, as it is known now.
  package func device(at place: Int, _ memory: borrowing Memory) -> Advertiser {
    var device = devices[place]
    if let address = device.address, let found = identity(of: device, address, memory.identities) {
      device.identity = found.address
      device.identityType = found.type
    }
    return device
  }

  /// Returns the identity of an address, if a connection or a key reveals it.
  private func identity(
    of device: Advertiser, _ address: DeviceAddress, _ identities: Identities
  ) -> (address: DeviceAddress, type: AddressType)? {
    if let known = self.identities[address] { return known }
    return device.addressKind == .randomResolvable ? identities.search(address) : nil
  }

  /// Merges the devices of one identity.
  private mutating func unite(_ memory: borrowing Memory) {
    let places = devices.indices.sorted {
      (devices[$0].firstPacket, devices[$0].key) < (devices[$1].firstPacket, devices[$1].key)
    }
    let resolved = resolve(memory.identities)
    if identities.isEmpty, resolved.isEmpty {
      order = places
      return
    }
    var representatives: [UInt64: Int] = [:]
    for place in places {
      if let address = devices[place].address {
        if let found = identities[address] ?? resolved[devices[place].key] {
          devices[place].identity = found.address
          devices[place].identityType = found.type
        }
        let key =
          devices[place].identity.map { Self.key($0, devices[place].identityType ?? .public) }
          ?? devices[place].key
        if let known = representatives[key] {
          let device = devices[place]
          if devices[known].identity == nil {
            devices[known].identity = device.identity ?? devices[known].address
            devices[known].identityType = device.identityType
          }
          devices[known].absorb(device, limit: limits.payloads)
          continue
        }
        representatives[key] = place
      }
      order.append(place)
    }
  }

  /// Returns the identities that keys reveal of devices with resolvable addresses, by the devices'
  /// keys.
  private func resolve(
    _ keys: Identities
  ) -> [UInt64: (address: DeviceAddress, type: AddressType)] {
    var found: [UInt64: (address: DeviceAddress, type: AddressType)] = [:]
    guard !keys.isEmpty else { return found }
    let places = devices.indices.lazy.filter { [devices] place in
      Advertiser.kind(devices[place].address, devices[place].types) == .randomResolvable
    }
    keys.search(places.compactMap { [devices] in devices[$0].address }) {
      found[Self.key($0, .random)] = $1
    }
    return found
  }
}
