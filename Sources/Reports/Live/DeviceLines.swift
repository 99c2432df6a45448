import Bluetooth
package import Bytes
package import Captures
package import Sessions

/// Live `devices` without a terminal for a table: a line, or an object if `isJSON` is set, when a
/// device is first heard, and when there is news of it.
///
/// What changes all the time is not always reported: new kinds of data from a device are reported
/// at once, but further changes at most every 10 s. The same applies to the signal strength if it
/// differs by 15 dB from the last report. Without times neither is reported.
package struct DeviceLines: PacketReport, ~Copyable {
  private let options: DevicesOptions
  private var listing: DeviceListing
  private var page: DevicesPage
  private var document: DevicesDocument
  private var numberColumns = GrowingColumn(digits: 5, margin: 0)
  private var timeColumn: TimeColumn
  private var hasHeader = false
  private var line = Output()
  private var ascii = Output()
  /// The time of the previous line.
  private var previous: Timestamp?
  /// What was reported of each device, by index.
  private var reported: [ReportedDevice] = []

  /// Creates lines for a capture with this summary.
  package init(_ options: DevicesOptions, _ summary: CaptureSummary, limits: Limits = Limits()) {
    self.options = options
    listing = DeviceListing(options, summary, limits: limits)
    page = DevicesPage(listing.emptyList, options)
    document = DevicesDocument(
      listing.emptyList, showsKeys: options.show.showsKeys, profiles: options.show.profiles)
    timeColumn = TimeColumn(
      options.times ?? options.show.time, decimals: summary.timeDecimals,
      zoneOffset: options.show.zoneOffset)
  }

  /// Always false: scans go on, and devices may become known by name.
  package var isSatisfied: Bool { false }

  /// Why nothing was found, or that not everything is reported.
  package var remark: String? { listing.remark }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    if listing.start == nil, packet.record.time != nil {
      listing.observe(packet, memory)
      page.list = listing.emptyList
      document.list = page.list
    } else {
      listing.observe(packet, memory)
    }
    if listing.advertisers.mentioned.isEmpty { return }
    let places = listing.advertisers.mentioned
    for (index, place) in places.enumerated() where !places[..<index].contains(place) {
      write(place, packet.record, memory, into: &output)
    }
  }

  package mutating func learn(_ summary: CaptureSummary) { listing.source = summary }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}

  private mutating func write(
    _ place: Int, _ record: borrowing CaptureRecord, _ memory: borrowing Memory,
    into output: inout Output
  ) {
    let device = listing.advertisers.device(at: place, memory)
    guard listing.admits(device, memory) else { return }
    while reported.count <= place { reported.append(ReportedDevice()) }
    if reported[place].key != device.key { reported[place] = ReportedDevice(key: device.key) }
    let mayBeNamed = reported[place].takesName(device, generation: memory.names.generation)
    let entry = mayBeNamed ? ListedDevice(device, memory.names) : nil
    let news = reported[place].update(
      device, name: entry?.facts.name, isNamed: mayBeNamed, record.time)
    guard !news.isEmpty else { return }
    listing.hasListed = true
    let listed = entry ?? ListedDevice(device, memory.names)
    if options.isJSON {
      document.write(listed, news, into: &output)
    } else {
      write(listed, news, reported[place], record.number, record.time, into: &output)
    }
    reported[place].markReported(news)
  }

  // MARK: Text

  private mutating func write(
    _ entry: ListedDevice, _ news: DeviceNews, _ reported: ReportedDevice, _ packet: Int,
    _ time: Timestamp?, into output: inout Output
  ) {
    numberColumns.make(room: UInt(packet))
    if !hasHeader { header(into: &output) }
    line.clear()
    line.style(.dim, isOn: options.show.usesColor)
    line.spaces(numberColumns.width)
    line.put(UInt(packet), endingAt: line.count)
    if let time {
      timeColumn.write(time, since: listing.start ?? time, after: previous, into: &line)
      previous = time
    } else {
      line.spaces(timeColumn.width)
    }
    line.style(.plain, isOn: options.show.usesColor)
    line.text("  ")
    page.out.clear()
    if news.contains(.device) { page.introduce(entry) } else { page.change(entry, news, reported) }
    page.out.copy(into: &line)
    output.line(
      &line, ascii: &ascii, columns: options.show.width, options.show.glyphs)
  }

  private mutating func header(into output: inout Output) {
    hasHeader = true
    line.style(.dim, isOn: options.show.usesColor)
    line.spaces(numberColumns.width - 1)
    line.byte(0x23)
    timeColumn.head(into: &line)
    line.text("  device")
    line.style(.plain, isOn: options.show.usesColor)
    output.line(
      &line, ascii: &ascii, columns: options.show.width, options.show.glyphs)
  }
}

extension DevicesPage {
  /// Appends a new device: its identity, signal strength and data.
  fileprivate mutating func introduce(_ entry: ListedDevice) {
    heading(entry)
    if let signal = entry.device.lastSignal {
      out.text("; RSSI ")
      out.decimal(Int(signal))
      out.text(" dBm")
    }
    guard let payload = entry.device.newest else { return }
    sentence.advertiser = entry.sender
    out.text("; ")
    data(payload)
  }

  /// Appends the news of a known device.
  fileprivate mutating func change(
    _ entry: ListedDevice, _ news: DeviceNews, _ reported: ReportedDevice
  ) {
    let device = entry.device
    address(device)
    if let name = entry.facts.name, !news.contains(.name) {
      out.byte(0x20)
      out.quoted(name.bytes)
    }
    var isFirst = true
    func begin(_ out: inout Output) {
      out.text(isFirst ? "  " : "; ")
      isFirst = false
    }
    if news.contains(.connection) {
      begin(&out)
      out.text("connection ")
      out.decimal(device.latestConnection)
    }
    if news.contains(.name), let name = entry.facts.name {
      begin(&out)
      out.text("name ")
      out.quoted(name.bytes)
    }
    if news.contains(.data), let payload = device.newest {
      begin(&out)
      out.text(payload.stream.words)
      out.text(": ")
      sentence.advertiser = entry.sender
      data(payload)
      if reported.newChanges > 1 {
        out.text(" (changed ")
        out.decimal(reported.newChanges)
        out.text(" times)")
      }
    }
    if news.contains(.signal), let before = reported.signal {
      begin(&out)
      out.text("RSSI ")
      out.decimal(reported.level)
      out.text(" dBm, was ")
      out.decimal(before)
    }
  }
}

extension Advertiser {
  /// The most recent data.
  fileprivate var newest: Payload? {
    var newest: Payload?
    for payload in payloads.all where payload.lastPacket > newest?.lastPacket ?? 0 {
      newest = payload
    }
    return newest
  }
}
