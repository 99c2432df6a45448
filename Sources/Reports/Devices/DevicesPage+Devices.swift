import Bluetooth
import Bytes
import Dissectors
import Sessions
import Words

/// The description of one device.
extension DevicesPage {
  mutating func device(_ entry: ListedDevice) {
    let device = entry.device
    heading(entry)
    out.byte(0x0a)
    if !device.otherAddresses.isEmpty {
      out.text("  also as ")
      out.listed(device.otherAddresses) { $0.address($1) }
      out.byte(0x0a)
    }
    if device.reports > 0 {
      counts(entry)
      air(device)
    }
    if device.payloads.all.count(where: { !$0.stream.isScanResponse }) > 1 { offers(entry.facts) }
    apple(entry.facts)
    sentence.advertiser = device.sender
    payloads(device.payloads, device.joins) { $0.stream.mostBytes }
  }

  /// Appends its address, type and name.
  mutating func heading(_ entry: ListedDevice) {
    let device = entry.device
    address(device)
    if device.address != nil {
      out.text("  ")
      if let kind = device.addressKind { out.text(kind.words) } else { out.text("unknown type") }
    } else if device.syncHandle != nil {
      out.text("  periodic train of an unknown advertiser")
    }
    if let identity = device.identity, identity != device.address {
      out.write(", identity \(identity)")
    }
    who(entry.facts)
    switch (device.wasConnectable, device.wasNotConnectable) {
    case (true, false): out.text(", connectable")
    case (false, true): out.text(", not connectable")
    case (true, true): out.text(", connectable at times")
    case (false, false): break
    }
    if device.isClassic { out.text(", BR/EDR") }
    connections(device.connections, of: device.connectionCount)
    if device.reports == 0 { out.text(", not heard advertising") }
  }

  /// Appends the address, or what identifies the device instead.
  mutating func address(_ device: Advertiser) {
    if let address = device.address {
      out.address(address)
    } else if let sync = device.syncHandle {
      out.write("sync \(handle: sync)")
    } else {
      out.text("anonymous")
    }
  }

  /// Appends the number of reports, their interval and the signal strength.
  private mutating func counts(_ entry: ListedDevice) {
    let device = entry.device
    out.text("  ")
    out.listed(AdvertisingEvent.allCases.filter { device.count($0) > 0 }) {
      $0.write("\(device.count($1)) \($1.words)")
    }
    out.text(", ")
    range(device.firstReport, device.lastPacket, isOpen: false)
    at(device.firstTime)
    if device.reports > 1 {
      out.write(" in \(duration: span(device.firstTime, device.lastTime))")
    }
    if let gaps = device.gaps, let interval = gaps.estimate {
      out.text(device.scanPaused ? "; at most about " : "; about ")
      out.write("\(duration: Int64(interval) * 1000) apart")
    }
    if let range = device.signals.range {
      out.write("; RSSI \(range.min)")
      if device.signals.count > 2, range.min != range.max {
        out.write("\(glyphs.ellipsis)\(range.median)")
      }
      if range.min != range.max { out.write("\(glyphs.ellipsis)\(range.max)") }
      out.text(" dBm")
    } else if let signal = device.firstSignal {
      out.write("; first \(signal) dBm")
    }
    changes("; data changed ", device.changes, last: device.lastChange)
    out.byte(0x0a)
  }

  /// Appends what differs from a device that advertises to all on LE 1M.
  private mutating func air(_ device: Advertiser) {
    var isFirst = true
    func begin(_ words: StaticString, _ out: inout Output) {
      out.text(isFirst ? "  " : ", ")
      isFirst = false
      out.text(words)
    }
    if device.primaryPHYs & ~2 != 0 || device.secondaryPHYs & ~2 != 0 {
      begin("on ", &out)
      phys(device.primaryPHYs)
      if device.secondaryPHYs != 0 {
        out.text(", then ")
        phys(device.secondaryPHYs)
      }
    }
    if let interval = device.periodicInterval {
      begin("periodic train every ", &out)
      out.quantity(Int(interval), .interval)
    }
    if let called = device.called {
      begin("calls ", &out)
      out.address(called)
    }
    if !isFirst { out.byte(0x0a) }
  }

  mutating func phys(_ bits: UInt8) {
    out.listed((1..<8).filter { bits >> UInt8($0) & 1 == 1 }, separatedBy: " and ") { out, bit in
      if let name = CodeSet.phy.name(of: UInt64(bit)) { out.name(name) } else { out.decimal(bit) }
    }
  }

  // MARK: Payloads

  /// Appends the distinct data, with each scan response under the advertisement that it first
  /// followed.
  mutating func payloads(
    _ payloads: Payloads, _ joins: [Advertiser.Join], most: (Payload) -> Int?
  ) {
    let all = payloads.all
    guard !all.isEmpty else { return }
    var order: [(place: Int, isUnder: Bool)] = []
    var responses: [Int: [Int]] = [:]
    var joined: Set<Int> = []
    for join in joins where joined.insert(join.response).inserted {
      responses[join.advertisement, default: []].append(join.response)
    }
    for place in all.indices where !joined.contains(place) {
      order.append((place, false))
      for response in responses[place] ?? [] { order.append((response, true)) }
    }
    var columns = (packet: 0, title: 0, size: 0)
    let rows = order.map { entry in
      cells(all[entry.place], isUnder: entry.isUnder, most(all[entry.place]))
    }
    for cell in rows {
      columns.packet = max(columns.packet, cell.packet.count)
      columns.title = max(columns.title, cell.title.count)
      columns.size = max(columns.size, cell.size.count)
    }
    for (entry, cell) in zip(order, rows) {
      out.text("  ")
      pad(cell.packet, columns.packet)
      pad(cell.title, columns.title)
      pad(cell.size, columns.size)
      data(all[entry.place])
      let others = joins.filter { $0.response == entry.place }.dropFirst()
      if entry.isUnder, !others.isEmpty {
        out.text("; also to")
        for other in others {
          out.byte(0x20)
          out.packet(all[other.advertisement].firstPacket)
        }
      }
      out.byte(0x0a)
    }
    guard payloads.otherCount > 0 else { return }
    let least: StaticString = payloads.hasMoreOthers ? "at least " : ""
    out.write("  and \(least)\(payloads.otherCount) more that are not kept\n")
  }

  private mutating func pad(_ text: [UInt8], _ columns: Int) {
    out.raw(text.bytes)
    out.spaces(columns - text.count + 2)
  }

  /// Returns the content of the columns: packet, kind, size and number.
  private func cells(
    _ payload: Payload, isUnder: Bool, _ most: Int?
  ) -> (packet: [UInt8], title: [UInt8], size: [UInt8]) {
    var packet = Output()
    packet.packet(payload.firstPacket)
    var title = Output()
    if isUnder { title.text("  ") }
    title.text(payload.stream.words)
    if payload.stream.event == .extended {
      if payload.stream.properties & 4 != 0 { title.text(", directed") }
    }
    if !payload.stream.isLegacy, payload.stream.sid != 0xff {
      title.write(" SID \(payload.stream.sid)")
    }
    var size = Output()
    size.decimal(payload.usedBytes)
    if let most { size.write(" of \(most)") }
    size.text(" bytes")
    if payload.count > 1 { size.write(", \(payload.count) times") }
    return (packet.bytes.array, title.bytes.array, size.bytes.array)
  }

  /// Appends the content of the data.
  mutating func data(_ payload: Payload) {
    sentence.clear()
    if payload.isTruncated { sentence.output.text("truncated, ") }
    let slice = Slice(start: 0, count: payload.data.count)
    sentence.advertisingData(
      payload.data.bytes, slice, payload.isTruncated ? .cutOff : .broken)
    sentence.output.copy(into: &out)
  }
}

extension AdvertisingEvent {
  /// In words, after a number.
  var words: StaticString {
    switch self {
    case .extended: "extended"
    case .periodic: "periodic"
    case .reserved: "of a reserved type"
    case .management: "by MGMT Device Found"
    case .tracking: "by Android LE Advertisement Tracking"
    case .batch: "by Android LE Batch Scan"
    case .inquiry: "by inquiry"
    case .own: "own"
    default: key
    }
  }
}

extension AdvertisingStream {
  /// The words before data.
  var words: StaticString {
    switch event {
    case .own, .extended, .tracking, .batch:
      return isScanResponse ? "scan response" : event == .extended ? "extended" : "advertisement"
    case .management: return "as found"
    case .inquiry: return "inquiry"
    case .periodic: return "periodic"
    case .reserved: return "reserved type"
    default: return event.key
    }
  }
}
