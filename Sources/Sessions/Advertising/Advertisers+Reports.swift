import Bluetooth
import Bytes
import Captures
import Dissectors

/// Reports of devices.
extension Advertisers {
  /// Processes the advertising reports of a packet.
  mutating func hear(
    _ advertisements: Advertisements, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    isCounted: Bool
  ) {
    let adapter = record.adapter
    for position in advertisements.reports.indices {
      let advertisement = advertisements.reports[position]
      let report = advertisement.report
      guard let event = advertisement.event else { continue }
      let begins = advertisement.isCounted
      // A train is received whether a scan is running or not.
      var hearing: Scans.Hearing?
      if event != .periodic {
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
      if begins {
        devices[place].count(
          event, packet: record.number, time: record.time, signal: report.rssi)
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
        isRepeated = devices[place].take(
          stream, advertisements.joined.bytes.part(joined), isTruncated: isTruncated,
          packet: record.number, time: record.time, adapter: adapter, hearing,
          limit: limits.payloads, &budget)
      } else {
        isRepeated = devices[place].take(
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
  mutating func hear(
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
        signal = Int8(bitPattern: byte)
      }
      let place = place(address, .public, packet: record.number)
      devices[place].note(.public)
      devices[place].count(.inquiry, packet: record.number, time: record.time, signal: signal)
      guard code == 0x2f else { continue }
      let data = cursor.takeUpTo(240)
      take(AdvertisingStream(.inquiry), bytes.part(data), record, place)
    }
  }

  /// Processes what the kernel found: address (6 bytes), type (1: 0 BR/EDR, 1 LE public, 2 LE
  /// random), RSSI (1), flags (4), length (2), AD structures; Advertisement Monitor Device Found
  /// begins with a handle (2) (BlueZ, doc/mgmt-protocol.rst). This repeats what reports contain, so
  /// it counts only for devices without reports.
  mutating func observe(
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
      signal: signal == 127 ? nil : Int8(bitPattern: signal))
    if kind == 0 { devices[place].noteClassic() }
    let data = cursor.takeUpTo(Int(length))
    guard !data.isEmpty else { return }
    take(AdvertisingStream(.management), bytes.part(data), record, place)
  }

  private mutating func take(
    _ stream: AdvertisingStream, _ data: RawSpan, _ record: borrowing CaptureRecord, _ place: Int
  ) {
    _ = devices[place].take(
      stream, data, isTruncated: record.isTruncated, packet: record.number, time: record.time,
      adapter: record.adapter, nil, limit: limits.payloads, &budget)
  }

  /// Processes Android's events: Multi Advertising State Change (0x55: instance, reason, handle),
  /// in which reason 0 is a connection, and Advertisement Tracking (0x56: filter (1 byte), state
  /// (1), whether more follows (1: 0 means yes), address (6), type (1), TX power (1), RSSI (1),
  /// time (2), length (1), data, length (1), scan response) (Android, "HCI requirements").
  mutating func observeVendors(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory, isCounted: Bool
  ) {
    let body = dissection.body
    guard !body.isEmpty, let row = dissection.parameters?.row else { return }
    let code = bytes.byte(at: Int(body.start))
    guard code == 0x55 || code == 0x56, row.name.description.hasPrefix("Android") else {
      return
    }
    var cursor = Cursor(bytes, body)
    guard (try? cursor.u8()) != nil else { return }
    if code == 0x55 {
      guard let instance = try? cursor.u8(), (try? cursor.u8()) == 0 else { return }
      own.end(
        AdvertisingSet(.android, instance),
        .connection(answer.link.map { memory.links.id($0) }.flatMap { $0 == 0 ? nil : $0 }),
        record.adapter, packet: record.number, time: record.time, isProof: true)
      return
    }
    guard isCounted, (try? cursor.take(2)) != nil, (try? cursor.u8()) == 0,
      let address = try? DeviceAddress(parsing: &cursor), let kind = try? cursor.u8(),
      (try? cursor.u8()) != nil, let signal = try? cursor.u8(), (try? cursor.take(2)) != nil
    else { return }
    let type = AddressType(rawValue: kind)
    let place = place(address, type, packet: record.number)
    devices[place].note(type)
    devices[place].count(
      .tracking, packet: record.number, time: record.time, signal: Int8(bitPattern: signal))
    for isScanResponse in [false, true] {
      guard let length = try? cursor.u8() else { return }
      let data = cursor.takeUpTo(Int(length))
      if isScanResponse, data.isEmpty { return }
      take(
        AdvertisingStream(.tracking, isScanResponse: isScanResponse), bytes.part(data), record,
        place)
    }
  }

  /// Processes the results that Android LE Batch Scan returns for Read Results (0x04), if the table
  /// of vendor commands contains it: number of commands (1 byte), opcode (2), status (1),
  /// subcommand (1), form (1: 1 truncated, 2 full), number of records (1), for each address (6),
  /// type (1), TX power (1), RSSI (1), time (2, units of 50 ms before now); full records also
  /// length (1), data, length (1), scan response (Android, "HCI requirements"; the same sizes in
  /// GattService.java, parseTruncatedResults and parseFullResults [mem]).
  mutating func observeBatch(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan
  ) {
    guard let row = dissection.parameters?.completed,
      row.name.description.hasPrefix("Android")
    else { return }
    var cursor = Cursor(bytes, dissection.body)
    guard (try? cursor.take(3)) != nil, (try? cursor.u8()) == 0, (try? cursor.u8()) == 0x04,
      let form = try? cursor.u8(), form == 1 || form == 2, let count = try? cursor.u8()
    else { return }
    for _ in 0..<count {
      guard let address = try? DeviceAddress(parsing: &cursor), let kind = try? cursor.u8(),
        (try? cursor.take(4)) != nil
      else { return }
      let type = AddressType(rawValue: kind)
      let place = place(address, type, packet: record.number)
      devices[place].note(type)
      // Its RSSI is older than levels measured now, so it is ignored.
      devices[place].count(.batch, packet: record.number, time: record.time, signal: nil)
      guard form == 2 else { continue }
      for isScanResponse in [false, true] {
        guard let length = try? cursor.u8() else { return }
        let data = cursor.takeUpTo(Int(length))
        if data.isEmpty { continue }
        take(
          AdvertisingStream(.batch, isScanResponse: isScanResponse), bytes.part(data), record,
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

  /// The devices in the order of their first packets, once the capture has ended.
  package var all: [Advertiser] { devices }

  /// Returns the device at an index from `told`, as it is known now.
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
    devices.sort { ($0.firstPacket, $0.key) < ($1.firstPacket, $1.key) }
    var united: [Advertiser] = []
    var places: [UInt64: Int] = [:]
    united.reserveCapacity(devices.count)
    for var device in devices {
      if let address = device.address {
        if let found = identity(of: device, address, memory.identities) {
          device.identity = found.address
          device.identityType = found.type
        }
        let key =
          device.identity.map { Self.key($0, device.identityType ?? .public) } ?? device.key
        if let known = places[key] {
          if united[known].identity == nil {
            united[known].identity = device.identity ?? united[known].address
            united[known].identityType = device.identityType
          }
          united[known].absorb(device, limit: limits.payloads)
          continue
        }
        places[key] = united.count
      }
      united.append(device)
    }
    devices = united
  }
}
