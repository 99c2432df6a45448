import Bluetooth
import Bytes
import Dissectors
import Sessions

/// What is said of one device.
extension DevicesPage {
  mutating func device(_ entry: ListedDevice) {
    let device = entry.device
    heading(entry)
    if !device.otherAddresses.isEmpty {
      out.text("  also as ")
      for (index, address) in device.otherAddresses.enumerated() {
        if index > 0 { out.text(", ") }
        out.address(address)
      }
      out.byte(0x0a)
    }
    if device.reports > 0 {
      counts(entry)
      air(device)
    }
    if device.payloads.all.count(where: { !$0.stream.isScanResponse }) > 1 { offers(entry.said) }
    apple(entry.said)
    payloads(device.payloads, device.joins) { $0.stream.mostBytes }
  }

  private mutating func heading(_ entry: ListedDevice) {
    let device = entry.device
    if let address = device.address {
      out.address(address)
      out.text("  ")
      if let kind = device.addressKind { out.text(kind.words) } else { out.text("unknown type") }
    } else if let sync = device.syncHandle {
      out.text("sync ")
      out.handle(sync)
      out.text("  periodic train of an unknown advertiser")
    } else {
      out.text("anonymous")
    }
    if let identity = device.identity, identity != device.address {
      out.text(", identity ")
      out.address(identity)
    }
    who(entry.said)
    switch (device.wasConnectable, device.wasNotConnectable) {
    case (true, false): out.text(", connectable")
    case (false, true): out.text(", not connectable")
    case (true, true): out.text(", connectable at times")
    case (false, false): break
    }
    if device.isClassic { out.text(", BR/EDR") }
    connections(device.connections, of: device.connectionCount)
    if device.reports == 0 { out.text(", not heard advertising") }
    out.byte(0x0a)
  }

  /// How many reports, how often, how strong.
  private mutating func counts(_ entry: ListedDevice) {
    let device = entry.device
    out.text("  ")
    var isFirst = true
    for event in AdvertisingEvent.allCases where device.count(event) > 0 {
      if !isFirst { out.text(", ") }
      isFirst = false
      out.decimal(device.count(event))
      out.byte(0x20)
      out.text(event.words)
    }
    out.text(", ")
    range(device.firstReport, device.lastPacket, isOpen: false)
    if device.reports > 1 {
      out.text(" in ")
      out.duration(nanoseconds: span(device.firstTime, device.lastTime))
    }
    if let gaps = device.gaps, let interval = gaps.estimate {
      out.text(device.scanPaused ? "; at most about " : "; about ")
      out.duration(nanoseconds: Int64(interval) * 1000)
      out.text(" apart")
    }
    if let range = device.signals.range {
      out.text("; RSSI ")
      out.decimal(range.min)
      if device.signals.count > 2, range.min != range.max {
        out.text(glyphs.ellipsis)
        out.decimal(range.median)
      }
      if range.min != range.max {
        out.text(glyphs.ellipsis)
        out.decimal(range.max)
      }
      out.text(" dBm")
    } else if let signal = device.firstSignal {
      out.text("; first ")
      out.decimal(Int(signal))
      out.text(" dBm")
    }
    if device.changes > 0 {
      out.text("; data changed ")
      if device.changes == 1 {
        out.text("in ")
      } else {
        out.count(device.changes, "time", "times")
        out.text(", last in ")
      }
      out.packet(device.lastChange)
    }
    out.byte(0x0a)
  }

  /// What deviates from a device that advertises to all on LE 1M.
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

  private mutating func phys(_ bits: UInt8) {
    var isFirst = true
    for bit in 1..<8 where bits >> UInt8(bit) & 1 == 1 {
      if !isFirst { out.text(" and ") }
      isFirst = false
      if let name = CodeSet.phy.name(of: UInt64(bit)) { out.text(name) } else { out.decimal(bit) }
    }
  }

  // MARK: Payloads

  /// The distinct data, each scan response under the advertisement that it first came behind.
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
    out.text("  and ")
    if payloads.hasMoreOthers { out.text("at least ") }
    out.decimal(payloads.otherCount)
    out.text(" more that are not kept\n")
  }

  private mutating func pad(_ text: [UInt8], _ columns: Int) {
    out.raw(text.bytes)
    out.spaces(columns - text.count + 2)
  }

  /// What stands in the columns: packet, kind, size and number.
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
      title.text(" SID ")
      title.decimal(Int(payload.stream.sid))
    }
    var size = Output()
    size.decimal(payload.usedBytes)
    if let most {
      size.text(" of ")
      size.decimal(most)
    }
    size.text(" bytes")
    if payload.count > 1 {
      size.text(", ")
      size.count(payload.count, "time", "times")
    }
    return (packet.bytes.array, title.bytes.array, size.bytes.array)
  }

  private mutating func data(_ payload: Payload) {
    sentence.clear()
    if payload.isTruncated { sentence.output.text("truncated, ") }
    let slice = Slice(start: 0, count: payload.data.count)
    sentence.advertisingData(
      payload.data.bytes, slice, payload.isTruncated ? .cutOff : .broken)
    sentence.output.copy(into: &out)
  }

  // MARK: The host's own

  mutating func own(_ own: ListedOwn) {
    let set = own.set
    out.text("this host")
    adapter(set.adapter)
    out.text("  ")
    if let address = own.address {
      out.address(address)
      out.byte(0x20)
      out.text(AddressKind(address, own.isAddressRandom ? .random : .public).words)
      if own.isAddressRandom, set.randomAddresses > 1 {
        out.text(", the last of ")
        out.decimal(set.randomAddresses)
        out.text(" addresses")
      }
    } else {
      out.text("address not in the capture")
    }
    if let type = set.parameters?.ownAddressType, type >= 2 {
      out.text(", or what the controller makes of it")
    }
    who(own.said)
    if let properties = set.parameters?.properties {
      out.text(properties & 1 == 1 ? ", connectable" : ", not connectable")
      if properties & 4 != 0 { out.text(", directed") }
      if properties & 0x20 != 0 { out.text(", anonymous") }
    }
    switch set.set.family {
    case .legacy: break
    case .extended:
      out.text(", set ")
      out.decimal(Int(set.set.handle))
    case .android:
      out.text(", instance ")
      out.decimal(Int(set.set.handle))
    }
    out.byte(0x0a)
    periods(set)
    offers(own)
    apple(own.said)
    payloads(set.payloads, []) { own.mostBytes(of: $0) }
  }

  private mutating func offers(_ own: ListedOwn) {
    guard own.set.payloads.all.count(where: { !$0.stream.isScanResponse }) > 1 else { return }
    offers(own.said)
  }

  private mutating func periods(_ set: OwnAdvertiser) {
    out.text("  ")
    let on = set.periods.filter { $0.refusal == nil }
    if let first = on.first, let last = on.last {
      if last.ending == nil {
        out.text("on since ")
        out.packet(first.firstPacket)
      } else {
        out.text("on ")
        range(first.firstPacket, last.lastPacket, isOpen: false)
      }
      let times = on.count + set.furtherPeriods
      if times > 1 {
        out.text(", ")
        out.decimal(times)
        out.text(" times")
      }
      out.text(", ")
      let spans = on.map { span($0.firstTime, $0.lastTime) }
      out.duration(nanoseconds: spans.reduce(0) { $0.addingReportingOverflow($1).partialValue })
      if times > 1 { out.text(" in all") }
      ending(last.ending)
    } else {
      out.text("set up, but not switched on in this capture")
    }
    if let refused = set.periods.last(where: { $0.refusal != nil }), let why = refused.refusal {
      out.text("; refused in ")
      out.packet(refused.firstPacket)
      out.text(": ")
      out.named(why.name, UInt64(why.rawValue), digits: 2)
    }
    if let parameters = set.parameters {
      out.text("; interval ")
      let (least, most) = (Int(parameters.interval.lowerBound), Int(parameters.interval.upperBound))
      if least != most {
        out.fixed(least * Scale.slots.multiplier, decimals: Scale.slots.decimals)
        out.text(glyphs.to)
      }
      out.quantity(most, .slots)
      if parameters.primaryPHY != 1 || parameters.secondaryPHY > 1 {
        out.text(", on ")
        phys(1 << (parameters.primaryPHY & 7))
        if parameters.secondaryPHY > 0 {
          out.text(", then ")
          phys(1 << (parameters.secondaryPHY & 7))
        }
      }
      if let peer = parameters.peer {
        out.text(", calls ")
        out.address(peer)
      }
    }
    if set.isPeriodic { out.text("; with a periodic train") }
    if set.changes > 0 {
      out.text("; data changed meanwhile ")
      if set.changes == 1 {
        out.text("in ")
      } else {
        out.count(set.changes, "time", "times")
        out.text(", last in ")
      }
      out.packet(set.lastChange)
    }
    out.byte(0x0a)
  }

  private mutating func ending(_ ending: OwnAdvertiser.Ending?) {
    switch ending {
    case .host?: break
    case .connection(let number)?:
      out.text(", ended by ")
      if let number {
        out.text("connection ")
        out.decimal(number)
      } else {
        out.text("a connection")
      }
    case .controller(let status)?:
      out.text(", ended with ")
      out.named(status.name, UInt64(status.rawValue), digits: 2)
    case .reset?: out.text(", ended by a reset")
    case nil: out.text(", still on at the end")
    }
  }
}

extension AdvertisingEvent {
  /// As a person reads it behind a number.
  fileprivate var words: StaticString {
    switch self {
    case .extended: "extended"
    case .periodic: "periodic"
    case .management: "by MGMT Device Found"
    case .tracking: "by Android LE Advertisement Tracking"
    case .inquiry: "by inquiry"
    case .own: "own"
    default: key
    }
  }
}

extension AdvertisingStream {
  /// What stands in front of data.
  fileprivate var words: StaticString {
    switch event {
    case .own, .extended, .tracking:
      return isScanResponse ? "scan response" : event == .extended ? "extended" : "advertisement"
    case .management: return "as found"
    case .inquiry: return "inquiry"
    case .periodic: return "periodic"
    default: return event.key
    }
  }
}
