import Bluetooth
import Bytes
import Dissectors
import Meanings
import Sessions

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
    sentence.advertiser = entry.sender
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
      out.text(", identity ")
      out.address(identity)
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
    for event in AdvertisingEvent.all where device.counts[event] > 0 {
      out.decimal(device.counts[event])
      out.byte(0x20)
      out.text(event.words)
      out.text(", ")
    }
    range(device.firstReport, device.lastPacket, isOpen: false)
    at(device.firstTime)
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
      if range.min != range.max {
        for level in device.signals.count > 2 ? [range.median, range.max] : [range.max] {
          out.text(glyphs.ellipsis)
          out.decimal(level)
        }
      }
      out.text(" dBm")
    } else if let signal = device.firstSignal {
      out.text("; first ")
      out.decimal(Int(signal))
      out.text(" dBm")
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
        // A sniffer may have missed what came on the primary channels.
        if device.primaryPHYs != 0 { out.text(", then ") }
        phys(device.secondaryPHYs)
      }
    }
    if device.channels != 0 {
      begin(device.channels.nonzeroBitCount == 1 ? "channel " : "channels ", &out)
      channels(device.channels)
    }
    var streams = list.streams(of: device)
    if let interval = device.periodicInterval {
      begin("periodic train every ", &out)
      out.quantity(Int(interval), .interval)
      if let train = streams.firstIndex(where: { $0.stream == .periodicAdvertising }) {
        out.write(" (\(streams.remove(at: train).received))")
      }
    }
    if let called = device.called {
      begin("calls ", &out)
      out.address(called)
    }
    for stream in streams {
      begin(stream.streamNoun, &out)
      out.write(" \(stream.received)")
    }
    if !isFirst { out.byte(0x0a) }
  }

  mutating func phys(_ bits: UInt8) {
    out.listed((1..<8).filter { bits >> UInt8($0) & 1 == 1 }, separatedBy: " and ") { out, bit in
      if let name = CodeSet.phy.name(of: UInt64(bit)) { out.name(name) } else { out.decimal(bit) }
    }
  }

  /// Appends the channels in the order of their indices, neighbours as a range: `3, 37–39`.
  private mutating func channels(_ bits: UInt64) {
    var isFirst = true
    var channel = 0
    while channel < 40 {
      guard bits >> UInt64(channel) & 1 == 1 else {
        channel += 1
        continue
      }
      var end = channel
      while end < 39, bits >> UInt64(end + 1) & 1 == 1 { end += 1 }
      out.separate(&isFirst)
      out.decimal(channel)
      if end > channel {
        out.text(end > channel + 1 ? glyphs.to : ", ")
        out.decimal(end)
      }
      channel = end + 1
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
    var rows: [PayloadRow] = []
    cells.clear()
    let joined = Set(joins.lazy.map(\.response))
    for place in all.indices where !joined.contains(place) {
      rows.append(row(place, all[place], isUnder: false, most(all[place])))
      guard !joins.isEmpty else { continue }
      for (index, join) in joins.enumerated()
      where join.advertisement == place
        && !joins[..<index].contains(where: { $0.response == join.response })
      {
        let response = all[join.response]
        rows.append(row(join.response, response, isUnder: true, most(response)))
      }
    }
    var columns = (packet: 0, title: 0, size: 0)
    for row in rows {
      columns.packet = max(columns.packet, Int(row.packet.count))
      columns.title = max(columns.title, Int(row.title.count))
      columns.size = max(columns.size, Int(row.size.count))
    }
    if !hasPayloadHeadings {
      hasPayloadHeadings = true
      columns = (max(5, columns.packet), max(3, columns.title), max(4, columns.size))
      out.text("  first")
      out.spaces(columns.packet - 5 + 2)
      out.text("PDU")
      out.spaces(columns.title - 3 + 2)
      out.text("size")
      out.spaces(columns.size - 4 + 2)
      out.text("content\n")
    }
    for row in rows {
      out.text("  ")
      pad(row.packet, columns.packet)
      pad(row.title, columns.title)
      pad(row.size, columns.size)
      data(all[row.place])
      if row.isUnder {
        let others = joins.filter { $0.response == row.place }.dropFirst()
        if !others.isEmpty { out.text("; also to") }
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

  private mutating func pad(_ cell: Slice, _ columns: Int) {
    cells.copy(cell, into: &out)
    out.spaces(columns - Int(cell.count) + 2)
  }

  /// Writes the cells of one row: packet, kind, size and number.
  private mutating func row(
    _ place: Int, _ payload: Payload, isUnder: Bool, _ most: Int?
  ) -> PayloadRow {
    let start = cells.count
    cells.packet(payload.firstPacket)
    let title = cells.count
    if isUnder { cells.text("  ") }
    cells.text(payload.stream.words)
    if payload.stream.event == .extended {
      if payload.stream.properties & 4 != 0 { cells.text(", directed") }
    }
    if !payload.stream.isLegacy, payload.stream.sid != 0xff {
      cells.text(" SID ")
      cells.decimal(Int(payload.stream.sid))
    }
    let size = cells.count
    cells.decimal(payload.usedBytes)
    if let most {
      cells.text(" of ")
      cells.decimal(most)
    }
    cells.text(" bytes")
    if payload.count > 1 {
      cells.text(", ")
      cells.decimal(payload.count)
      cells.text(" times")
    }
    return PayloadRow(
      place: place, isUnder: isUnder, packet: Slice(start: start, count: title - start),
      title: Slice(start: title, count: size - title),
      size: Slice(start: size, count: cells.count - size))
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

extension AirLink {
  /// The access address of a stream, and how many packets were received.
  fileprivate var received: Wording {
    "\(accessAddressWords), \(count: packets, "packet", "packets")"
  }
}

/// A line about data: its index among the device's, and the slices of `cells` that begin it.
private struct PayloadRow {
  let place: Int
  /// Whether it is a scan response under its advertisement.
  let isUnder: Bool
  let packet: Slice
  let title: Slice
  let size: Slice
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
