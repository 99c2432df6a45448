import Bluetooth
import Bytes
import Decoders
import Dissectors
import Sessions

/// `devices --json`: one object for each scan, then one for each device (json.md).
struct DevicesDocument: ~Copyable {
  /// What is listed; to write a single entry, only its times matter.
  var list: DeviceList
  private var sink: JSONSink
  private var clock = Clock()

  init(_ list: DeviceList, showsKeys: Bool, profiles: SuppliedProfiles?) {
    self.list = list
    sink = JSONSink(showsKeys: showsKeys, profiles: profiles)
  }

  mutating func write(into output: inout Output) {
    for scan in list.scans {
      sink.beginDocument(in: &output)
      self.scan(scan)
      line(into: &output)
    }
    for place in list.devices.indices {
      sink.beginDocument(in: &output)
      device(list.devices[place])
      line(into: &output)
    }
    for stranger in list.strangers {
      sink.beginDocument(in: &output)
      sink.word("type", "device")
      sink.packets("connections", [stranger.connection])
      sink.number("connections_total", 1)
      if let address = stranger.accessAddress {
        sink.identifier("access_address", UInt64(address), digits: 8)
      }
      sink.beginList("events")
      sink.endList()
      sink.number("packet", stranger.packet)
      line(into: &output)
    }
    for own in list.own {
      sink.beginDocument(in: &output)
      self.own(own)
      line(into: &output)
    }
  }

  /// Writes one device that has news.
  mutating func write(_ entry: ListedDevice, _ news: DeviceNews, into output: inout Output) {
    sink.beginDocument(in: &output)
    device(entry, news)
    line(into: &output)
  }

  private mutating func line(into output: inout Output) {
    sink.endDocument(in: &output)
  }

  // MARK: Scans

  private mutating func scan(_ scan: Scan) {
    sink.word("type", "scan")
    adapter(scan.adapter)
    stretch(scan.firstPacket, scan.firstTime, scan.lastPacket, scan.lastTime)
    if let refusal = scan.refusal {
      sink.code("refused", UInt64(refusal.rawValue), digits: 2, refusal.name)
    } else if let ending = scan.ending {
      sink.word("ended_by", ending.key)
    }
    if scan.isOpeningMissing { sink.flag("opening_missing", true) }
    if scan.hasDuplicates { sink.word("duplicates_reported_via", "inferred") }
    if let types = scan.discovery {
      sink.flags("discovery", UInt64(types), digits: 2, .managementAddressTypes)
    }
    if let parameters = scan.parameters {
      sink.beginList("phys")
      setting(parameters.le1M, "LE 1M")
      setting(parameters.leCoded, "LE Coded")
      sink.endList()
      sink.code(
        "filter_policy", UInt64(parameters.filterPolicy), digits: 2,
        CodeSet.scanFilterPolicy.name(of: UInt64(parameters.filterPolicy)))
    }
    if let filter = scan.filterDuplicates {
      sink.code(
        "filter_duplicates", UInt64(filter), digits: 2,
        CodeSet.filterDuplicates.name(of: UInt64(filter)))
    }
    if scan.duration > 0 { sink.quantity("scan_duration", Int(scan.duration), .timeout) }
    if scan.period > 0 { sink.quantity("period", Int(scan.period), .inquiry) }
    if scan.contentFilters > 0 { sink.number("content_filters", scan.contentFilters) }
    sink.number("reports", scan.reports)
  }

  private mutating func setting(_ setting: ScanSetting?, _ phy: StaticString) {
    guard let setting else { return }
    sink.beginItem()
    sink.word("phy", phy)
    sink.word("scan", setting.isActive ? "active" : "passive")
    sink.quantity("interval", Int(setting.interval), .slots)
    sink.quantity("window", Int(setting.window), .slots)
    sink.endItem()
  }

  // MARK: Pieces

  private mutating func adapter(_ index: AdapterIndex) {
    if let number = index.number { sink.number("adapter", Int(number)) }
  }

  /// Appends the first and the last packet, the time of the first, and the duration.
  private mutating func stretch(
    _ first: Int, _ firstTime: Timestamp?, _ last: Int, _ lastTime: Timestamp?
  ) {
    sink.number("packet", first)
    sink.number("last_packet", last)
    time(firstTime)
    if let firstTime, let lastTime {
      sink.key("duration_s")
      sink.output.elapsed(lastTime, since: firstTime)
    }
  }

  private mutating func time(_ time: Timestamp?) {
    guard let time else { return }
    sink.time(time, since: list.start, decimals: list.decimals, &clock)
  }

  private mutating func facts(_ facts: AdvertisedFacts) {
    if let name = facts.name { sink.string("name", name.bytes) }
    if let appearance = facts.appearance {
      sink.code(
        "appearance", UInt64(appearance.rawValue), digits: 4, assigned: appearance.name)
    }
    if !facts.services.isEmpty {
      sink.beginList("services")
      for uuid in facts.services {
        sink.beginItem()
        sink.namedUUID(uuid)
        sink.endItem()
      }
      sink.endList()
    }
    if !facts.companies.isEmpty {
      sink.beginList("companies")
      for company in facts.companies {
        sink.beginItem()
        sink.identifier("code", UInt64(company.rawValue), digits: 4)
        if let name = company.name { sink.string("name", name.bytes) }
        sink.endItem()
      }
      sink.endList()
    }
  }

  // MARK: Devices

  private mutating func device(_ entry: ListedDevice, _ news: DeviceNews = []) {
    let device = entry.device
    sink.word("type", "device")
    if !news.isEmpty {
      sink.beginList("news")
      for (one, key) in DeviceNews.keys where news.contains(one) { sink.element(word: key) }
      sink.endList()
    }
    if let address = device.address { sink.address("address", address) }
    sink.beginList("address_types")
    for type: AddressType in [.public, .random, .publicIdentity, .randomIdentity]
    where device.types >> type.rawValue & 1 == 1 {
      if let address = device.address, let key = AddressKind(address, type).key {
        sink.element(word: key)
      }
    }
    sink.endList()
    if let identity = device.identity { sink.address("identity", identity) }
    if !device.otherAddresses.isEmpty {
      sink.beginList("other_addresses")
      for address in device.otherAddresses { sink.element(address: address) }
      sink.endList()
    }
    if let sync = device.syncHandle, device.address == nil {
      sink.identifier("sync_handle", UInt64(sync), digits: 4)
    }
    facts(entry.facts)
    if device.isClassic { sink.flag("br_edr", true) }
    if device.wasConnectable || device.wasNotConnectable {
      sink.flag("connectable", device.wasConnectable)
    }
    if !device.connections.isEmpty {
      sink.packets("connections", device.connections[...])
      sink.number("connections_total", device.connectionCount)
    }
    sink.counts("events", by: "event", of: AdvertisingEvent.all) { ($0.key, device.counts[$0]) }
    if device.reports > 0 {
      stretch(device.firstReport, device.firstTime, device.lastPacket, device.lastTime)
    } else {
      sink.number("packet", device.firstPacket)
    }
    air(device)
    statistics(entry)
    if device.changes > 0 {
      sink.number("changes", device.changes)
      sink.number("last_change", device.lastChange)
    }
    apple(entry.facts.appleLimits)
    sink.advertiser = entry.sender
    payloads(device.payloads, device.joins) { $0.stream.mostBytes }
  }

  private mutating func air(_ device: Advertiser) {
    phys("primary_phys", device.primaryPHYs)
    phys("secondary_phys", device.secondaryPHYs)
    if device.channels != 0 {
      let channels = (0..<40).filter { device.channels >> UInt64($0) & 1 == 1 }
      sink.packets("channels", channels[...])
    }
    if let interval = device.periodicInterval {
      sink.quantity("periodic_interval", Int(interval), .interval)
    }
    streams(list.streams(of: device))
    if let called = device.called { sink.address("direct_address", called) }
  }

  /// Appends the trains and streams that a sniffer recorded.
  private mutating func streams(_ streams: [AirLink]) {
    guard !streams.isEmpty else { return }
    sink.beginList("streams")
    for stream in streams {
      guard let key = stream.stream.streamKey else { continue }
      sink.beginItem()
      sink.word("kind", key)
      if stream.answersTrain { sink.flag("responses", true) }
      sink.identifier("access_address", UInt64(stream.accessAddress), digits: 8)
      sink.number("packets", stream.packets)
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func phys(_ key: StaticString, _ bits: UInt8) {
    guard bits != 0 else { return }
    sink.beginList(key)
    for bit in 0..<8 where bits >> UInt8(bit) & 1 == 1 {
      if let name = CodeSet.phy.name(of: UInt64(bit)) {
        sink.element(name)
      }
    }
    sink.endList()
  }

  private mutating func statistics(_ entry: ListedDevice) {
    let device = entry.device
    if let signal = device.firstSignal { sink.quantity("first_rssi", Int(signal), .dBm) }
    if let range = device.signals.range {
      sink.begin("rssi_dbm")
      sink.number("min", range.min)
      sink.number("median", range.median)
      sink.number("max", range.max)
      sink.end()
    }
    if let gaps = device.gaps, let interval = gaps.estimate {
      sink.key("interval_ms")
      sink.output.fixed(interval, decimals: 3)
      sink.number("interval_gaps", gaps.count)
      if device.scanPaused { sink.flag("interval_is_upper_bound", true) }
    }
    if let silence = entry.silence { sink.word("no_statistics", silence.key) }
  }

  private mutating func apple(_ limits: AppleLimits) {
    guard !limits.isEmpty else { return }
    sink.beginList("not_from_ios_app")
    if limits.contains(.types) { sink.element(word: "types") }
    if limits.contains(.advertisementLength) { sink.element(word: "advertisement_length") }
    if limits.contains(.scanResponseLength) { sink.element(word: "scan_response_length") }
    sink.endList()
  }

  /// Appends the distinct data. Scan responses are listed under the advertisements that they
  /// followed, as often as they did.
  private mutating func payloads(
    _ payloads: Payloads, _ joins: [Advertiser.Join], most: (Payload) -> Int?
  ) {
    if !payloads.all.isEmpty {
      let joined = Set(joins.lazy.map(\.response))
      sink.beginList("payloads")
      for (place, payload) in payloads.all.enumerated() where !joined.contains(place) {
        sink.beginItem()
        self.payload(payload, count: payload.count, most(payload))
        if joins.contains(where: { $0.advertisement == place }) {
          sink.beginList("scan_responses")
          for join in joins where join.advertisement == place {
            let response = payloads.all[join.response]
            sink.beginItem()
            self.payload(response, count: join.count, most(response))
            sink.endItem()
          }
          sink.endList()
        }
        sink.endItem()
      }
      sink.endList()
    }
    if payloads.otherCount > 0 {
      sink.number("payloads_omitted", payloads.otherCount)
      if payloads.hasMoreOthers { sink.flag("payloads_omitted_at_least", true) }
    }
  }

  private mutating func payload(_ payload: Payload, count: Int, _ most: Int?) {
    let stream = payload.stream
    if stream.event == .own {
      sink.word("event", stream.isScanResponse ? "own_scan_response" : "own_advertisement")
    } else {
      sink.word("event", stream.event.key)
    }
    if stream.event == .extended {
      sink.words(
        "properties", bits: Int(stream.properties), of: 4, AdvertisingReport.propertyKey(bit:))
    }
    if stream.sid != 0xff { sink.number("sid", Int(stream.sid)) }
    sink.number("count", count)
    sink.number("packet", payload.firstPacket)
    sink.number("last_packet", payload.lastPacket)
    sink.number("length", payload.usedBytes)
    if let most { sink.number("most", most) }
    if payload.isTruncated { sink.flag("truncated", true) }
    if let limits = payload.appleLimits { apple(limits) }
    Details.data(
      payload.data.bytes, Slice(start: 0, count: payload.data.count), placedAt: nil, to: &sink)
  }

  // MARK: The host's own

  private mutating func own(_ own: ListedOwn) {
    let set = own.set
    sink.word("type", "device")
    sink.flag("this_host", true)
    adapter(set.adapter)
    switch set.set.family {
    case .legacy: sink.word("commands", "legacy")
    case .extended: sink.word("commands", "extended")
    case .android: sink.word("commands", "android")
    case .management: sink.word("commands", "mgmt")
    }
    if set.set.family != .legacy { sink.number("advertising_handle", Int(set.set.handle)) }
    if let address = own.address {
      sink.address("address", address)
      sink.beginList("address_types")
      if let key = AddressKind(address, own.isAddressRandom ? .random : .public).key {
        sink.element(word: key)
      }
      sink.endList()
    }
    if let type = set.parameters?.ownAddressType {
      sink.code(
        "own_address_type", UInt64(type), digits: 2, CodeSet.ownAddressType.name(of: UInt64(type)))
    }
    facts(own.facts)
    if let parameters = set.parameters { self.parameters(parameters) }
    sink.beginList("events")
    sink.endList()
    sink.number("packet", set.firstPacket)
    time(set.firstTime)
    sink.beginList("periods")
    for period in set.periods { self.period(period) }
    sink.endList()
    if set.furtherPeriods > 0 { sink.number("periods_omitted", set.furtherPeriods) }
    if set.isPeriodic { sink.flag("periodic", true) }
    if set.changes > 0 {
      sink.number("changes", set.changes)
      sink.number("last_change", set.lastChange)
    }
    apple(own.facts.appleLimits)
    sink.advertiser = own.sender
    payloads(set.payloads, []) { own.mostBytes(of: $0) }
  }

  private mutating func parameters(_ parameters: AdvertisingParameters) {
    sink.flag("connectable", parameters.properties & 1 == 1)
    sink.flag("scannable", parameters.properties & 2 != 0)
    sink.flag("legacy", parameters.properties & 0x10 != 0)
    if let interval = parameters.interval {
      sink.quantity("interval_min", Int(interval.lowerBound), .slots)
      sink.quantity("interval_max", Int(interval.upperBound), .slots)
    }
    // The kernel selects the PHYs of an instance.
    guard parameters.ownAddressType != nil else { return }
    phys("primary_phys", 1 << (parameters.primaryPHY & 7))
    if parameters.secondaryPHY > 0 { phys("secondary_phys", 1 << (parameters.secondaryPHY & 7)) }
    if let peer = parameters.peer { sink.address("direct_address", peer) }
  }

  private mutating func period(_ period: OwnAdvertiser.Period) {
    sink.beginItem()
    stretch(period.firstPacket, period.firstTime, period.lastPacket, period.lastTime)
    if period.isOpeningMissing { sink.flag("opening_missing", true) }
    if let refusal = period.refusal {
      sink.code("refused", UInt64(refusal.rawValue), digits: 2, refusal.name)
    } else if let ending = period.ending {
      sink.word("ended_by", ending.key)
      if case .connection(let number?) = ending { sink.number("connection", number) }
      if case .controller(let status) = ending {
        sink.code("reason", UInt64(status.rawValue), digits: 2, status.name)
      }
    }
    sink.endItem()
  }
}
