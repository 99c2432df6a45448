import Bluetooth
import Bytes
import Decoders
import Dissectors
import Sessions

extension Details {
  /// Appends the advertising reports of a packet.
  static func advertisements<Sink: FieldSink & ~Copyable>(
    _ bytes: RawSpan, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    guard !memory.advertisements.reports.isEmpty else { return }
    sink.beginList("advertisements")
    for index in memory.advertisements.reports.indices {
      let advertisement = memory.advertisements.reports[index]
      sink.advertiser = memory.advertiser(of: advertisement)
      sink.beginItem()
      report(advertisement.report, advertisement.train, to: &sink)
      if let chain = advertisement.chain {
        sink.packets("reassembled_from", memory.advertisements.packets[chain])
      }
      if advertisement.lacksFirstPart { sink.word("first_part", "missing") }
      if let joined = advertisement.joined {
        // The joined data has no position in this record.
        data(memory.advertisements.joined.bytes, joined, placedAt: nil, to: &sink)
      } else if advertisement.isPart, advertisement.partNumber != 1 {
        // A part may start anywhere, so what looks like structures may not be any.
        payload(
          advertisement.report.data, of: bytes, isSecret: advertisement.mayHoldSecret, to: &sink)
      } else {
        data(bytes, advertisement.report.data, placedAt: 0, to: &sink)
      }
      sink.endItem()
    }
    sink.advertiser = KnownAdvertiser()
    sink.endList()
  }

  private static func report<Sink: FieldSink & ~Copyable>(
    _ report: AdvertisingReport, _ train: PeriodicTrain?, to sink: inout Sink
  ) {
    if let address = report.address ?? train?.address { sink.address("address", address) }
    switch report.kind {
    case .legacy, .directed, .extended:
      addressType(report.address, report.addressType, to: &sink)
      sink.identifier(
        "event_type", UInt64(report.eventType), digits: report.kind == .extended ? 4 : 2)
    case .periodic, .bigInfo:
      if let train { addressType(train.address, train.addressType, to: &sink) }
    case .response: break
    }
    if let name = report.legacyName {
      sink.name("event", name)
    } else {
      switch report.kind {
      case .periodic: sink.word("event", "periodic")
      case .response: sink.word("event", "periodic_response")
      case .bigInfo: sink.word("event", "big_info")
      case .extended:
        sink.word("event", "extended")
        sink.words(
          "properties", bits: Int(report.eventType & 0x1f), of: 5,
          AdvertisingReport.propertyKey(bit:))
      case .legacy: sink.word("event", "reserved_type")
      case .directed: break
      }
    }
    // All zeros: the advertisement is not directed at a device.
    if let direct = report.directAddress, direct != .zero { sink.address("direct_address", direct) }
    if let direct = report.directAddress, direct != .zero, let type = report.directAddressType,
      let kind = AddressKind(direct, type).key
    {
      sink.word("direct_address_type", kind)
    }
    if let sync = report.syncHandle { sink.identifier("sync_handle", UInt64(sync), digits: 4) }
    if let set = report.advertisingHandle { sink.number("advertising_handle", Int(set)) }
    if let subevent = report.subevent, subevent != 0xff { sink.number("subevent", Int(subevent)) }
    if report.wasNotSent { sink.flag("sent", false) }
    if let slot = report.responseSlot { sink.number("response_slot", Int(slot)) }
    if let counter = report.eventCounter { sink.number("event_counter", Int(counter)) }
    if let rssi = report.rssi { sink.quantity("rssi", Int(rssi), .dBm) }
    if let invalid = report.invalidRSSI { sink.invalid("rssi", Int(invalid)) }
    if let power = report.txPower { sink.quantity("tx_power", Int(power), .dBm) }
    if let phy = report.primaryPHY, let name = CodeSet.phy.name(of: UInt64(phy)) {
      sink.name("primary_phy", name)
    }
    if let phy = report.secondaryPHY, phy != 0, let name = CodeSet.phy.name(of: UInt64(phy)) {
      sink.name("secondary_phy", name)
    }
    if let cte = report.cteType, cte != 0xff, let name = CodeSet.cteType.name(of: UInt64(cte)) {
      sink.name("cte_type", name)
    }
    if let sid = report.sid ?? train?.sid, sid != 0xff { sink.number("sid", Int(sid)) }
    if let interval = report.periodicInterval, interval != 0 {
      sink.quantity("periodic_interval", Int(interval), .interval)
    }
    if report.dataStatus != .complete { sink.word("data_status", report.dataStatus.key) }
  }

  /// Appends the periodic advertising train that an event reports as lost.
  static func lost<Sink: FieldSink & ~Copyable>(_ train: PeriodicTrain, to sink: inout Sink) {
    sink.begin("train")
    if let address = train.address { sink.address("address", address) }
    addressType(train.address, train.addressType, to: &sink)
    if train.sid != 0xff { sink.number("sid", Int(train.sid)) }
    sink.end()
  }

  private static func addressType<Sink: FieldSink & ~Copyable>(
    _ address: DeviceAddress?, _ type: AddressType, to sink: inout Sink
  ) {
    if let kind = AddressKind(address ?? .zero, type).key { sink.word("address_type", kind) }
  }

  /// Appends advertising data: its bytes, then its AD structures.
  ///
  /// - Parameter placedAt: the offset of `bytes` in the packet; nil if they are not in it because
  ///   the data was split over several packets.
  static func data<Sink: FieldSink & ~Copyable>(
    _ bytes: RawSpan, _ slice: Slice, placedAt base: Int?, to sink: inout Sink
  ) {
    guard !slice.isEmpty else { return }
    if let base { sink.at(base + Int(slice.start), Int(slice.count)) }
    if !sink.showsKeys, ADStructures.holdSecret(bytes, slice) {
      sink.hidden("data", Int(slice.count))
    } else {
      sink.bytes("data", bytes.part(slice))
    }
    structures(bytes, slice, placedAt: base, to: &sink)
  }

  /// Appends the AD structures in the part `slice` of `bytes`.
  ///
  /// - Parameters:
  ///   - parameter: the parameter of the command or event that contains them; nil for a report's
  ///     data.
  ///   - base: the offset of `bytes` in the packet; nil if they are not in it.
  static func structures<Sink: FieldSink & ~Copyable>(
    of parameter: StaticString? = nil, _ bytes: RawSpan, _ slice: Slice, placedAt base: Int?,
    to sink: inout Sink
  ) {
    if let parameter { sink.beginStructures(of: parameter) } else { sink.beginList("fields") }
    var structures = ADStructures(bytes, slice)
    while let structure = structures.next() {
      let data = structure.data
      // Length and type precede the data.
      if let base { sink.at(base + Int(data.start) - 2, Int(data.count) + 2) }
      sink.beginItem()
      if let base { sink.at(base + Int(data.start) - 1, 1) }
      sink.identifier("type", UInt64(structure.type.rawValue), digits: 2)
      if let name = structure.type.name(count: Int(data.count)) { sink.name("name", name) }
      if let base { sink.at(base + Int(data.start), Int(data.count)) }
      value(of: structure.type, bytes, data, to: &sink)
      sink.endItem()
    }
    sink.endList()
  }

  /// Appends the content of a structure: an object or a code under `value`, a name or URI under
  /// `text`, UUIDs under `uuids`; or bytes with an unknown meaning under `data`.
  private static func value<Sink: FieldSink & ~Copyable>(
    of type: ADType, _ bytes: RawSpan, _ slice: Slice, to sink: inout Sink
  ) {
    let data = bytes.part(slice)
    let isWhole = type.misfit(count: data.byteCount) == nil
    switch type.layout(count: data.byteCount) {
    case .secret:
      if sink.showsKeys { sink.bytes("data", data) } else { sink.hidden("data", data.byteCount) }
    case .flags where data.byteCount > 0:
      sink.flags("value", UInt64(data.byte(at: 0)), digits: 2, .advertisingFlags)
      rest(data.dropping(1), to: &sink)
    case .name: sink.string("text", data)
    case .uuids(let width), .solicitedUUIDs(let width):
      sink.uuids("uuids", data, width: width)
      rest(data.dropping(data.byteCount / width * width), to: &sink)
    case .appearance where isWhole:
      let appearance = Appearance(rawValue: data.littleEndianU16(at: 0))
      sink.code("value", UInt64(appearance.rawValue), digits: 4, assigned: appearance.name)
    case .serviceData(let width) where isWhole:
      sink.begin("value")
      var cursor = Cursor(data)
      let uuid = try? BluetoothUUID(parsing: &cursor, width: width)
      if let uuid { sink.namedUUID(uuid) }
      sink.bytes("data", data.dropping(width))
      sink.end()
      sink.ownAddress(in: data.dropping(width))
      if let uuid, sink.decoded(.serviceData, uuid, data.dropping(width)) { return }
      sink.decoded(type, data)
    case .manufacturerData where isWhole:
      let company = CompanyID(rawValue: data.littleEndianU16(at: 0))
      sink.begin("value")
      sink.code("company", UInt64(company.rawValue), digits: 4, assigned: company.name)
      sink.bytes("data", data.dropping(2))
      if let area = OverflowArea(bytes, slice) {
        sink.number("overflow_area_bits", area.services(bytes))
      }
      sink.end()
      sink.ownAddress(in: data.dropping(2))
      if sink.decoded(.company, BluetoothUUID(company.rawValue), data.dropping(2)) { return }
      sink.decoded(type, data)
    case .deviceClass where isWhole:
      deviceClass(data, to: &sink)
    case .uri where isWhole: uri(data, to: &sink)
    case .fields where isWhole:
      sink.begin("value")
      // If the bytes end too early, the packet's problems report that.
      let left = try? ADFields.walk(type, bytes, slice, &sink)
      sink.end()
      if let left { rest(bytes.part(left), to: &sink) }
    default:
      sink.bytes("data", data)
      sink.decoded(type, data)
    }
  }

  private static func rest<Sink: FieldSink & ~Copyable>(_ data: RawSpan, to sink: inout Sink) {
    if data.byteCount > 0 { sink.bytes("data", data) }
  }

  /// Appends a class of device: its code and minor class, its major class, its services.
  private static func deviceClass<Sink: FieldSink & ~Copyable>(
    _ data: RawSpan, to sink: inout Sink
  ) {
    let number = UInt32(data.littleEndianU16(at: 0)) | UInt32(data.byte(at: 2)) << 16
    let device = DeviceClass(rawValue: number)
    sink.begin("value")
    sink.code("class", UInt64(number), digits: 6, assigned: device.minor ?? device.major)
    if let major = device.major { sink.string("major_class", major.bytes) }
    sink.beginList("services")
    for bit in DeviceClass.serviceBits {
      guard let service = device.service(bit: bit) else { continue }
      sink.beginItem()
      sink.number("bit", bit)
      sink.string("name", service.bytes)
      sink.endItem()
    }
    sink.endList()
    sink.end()
  }

  /// Appends a URI with its scheme expanded from the first character.
  private static func uri<Sink: FieldSink & ~Copyable>(_ data: RawSpan, to sink: inout Sink) {
    let (scheme, rest) = data.uri
    sink.string("text", scheme?.name, data.part(rest))
  }
}

extension RawSpan {
  /// The scheme that a URI's first character stands for, and the rest; if the scheme is unknown,
  /// the rest is everything.
  var uri: (scheme: URIScheme?, rest: Slice) {
    let all = Slice(start: 0, count: byteCount)
    guard case .scalar(let scalar, let count) = textUnit(at: 0) else { return (nil, all) }
    let scheme = URIScheme(rawValue: scalar)
    guard scheme == .none || scheme.name != nil else { return (nil, all) }
    return (scheme, Slice(start: count, count: byteCount - count))
  }
}
