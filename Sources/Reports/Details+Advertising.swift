import Bluetooth
import Bytes
import Dissectors
import Sessions

extension Details {
  /// The advertising reports of a packet.
  static func advertisements<Sink: FieldSink & ~Copyable>(
    _ bytes: RawSpan, _ memory: Memory, to sink: inout Sink
  ) {
    guard !memory.advertisements.reports.isEmpty else { return }
    sink.beginList("advertisements")
    for index in memory.advertisements.reports.indices {
      let advertisement = memory.advertisements.reports[index]
      sink.beginItem()
      report(advertisement.report, to: &sink)
      if let chain = advertisement.chain {
        sink.packets("reassembled_from", memory.advertisements.packets[chain])
      }
      if let joined = advertisement.joined {
        data(memory.advertisements.joined.bytes, joined, isJoined: true, to: &sink)
      } else if advertisement.isPart, advertisement.partNumber != 1 {
        // It begins anywhere: what looks like structures may be none.
        payload(
          advertisement.report.data, of: bytes, isSecret: advertisement.mayHoldSecret, to: &sink)
      } else {
        data(bytes, advertisement.report.data, to: &sink)
      }
      sink.endItem()
    }
    sink.endList()
  }

  private static func report<Sink: FieldSink & ~Copyable>(
    _ report: AdvertisingReport, to sink: inout Sink
  ) {
    if let address = report.address {
      sink.address("address", address)
    }
    if report.kind != .periodic {
      if let kind = AddressKind(report.address ?? .zero, report.addressType).key {
        sink.word("address_type", kind)
      }
      sink.identifier(
        "event_type", UInt64(report.eventType), digits: report.kind == .extended ? 4 : 2)
    }
    if let name = report.legacyName {
      sink.word("event", name)
    } else if report.kind == .periodic {
      sink.word("event", "periodic")
    } else if report.kind == .extended {
      sink.word("event", "extended")
      sink.words(
        "properties", bits: Int(report.eventType & 0x1f), of: 5,
        AdvertisingReport.propertyKey(bit:))
    }
    if let direct = report.directAddress { sink.address("direct_address", direct) }
    if let direct = report.directAddress, let type = report.directAddressType,
      let kind = AddressKind(direct, type).key
    {
      sink.word("direct_address_type", kind)
    }
    if let sync = report.syncHandle { sink.identifier("sync_handle", UInt64(sync), digits: 4) }
    if let rssi = report.rssi { sink.quantity("rssi", Int(rssi), .dBm) }
    if let power = report.txPower { sink.quantity("tx_power", Int(power), .dBm) }
    if let phy = report.primaryPHY, let name = CodeSet.phy.name(of: UInt64(phy)) {
      sink.word("primary_phy", name)
    }
    if let phy = report.secondaryPHY, phy != 0, let name = CodeSet.phy.name(of: UInt64(phy)) {
      sink.word("secondary_phy", name)
    }
    if let sid = report.sid, sid != 0xff { sink.number("sid", Int(sid)) }
    if let interval = report.periodicInterval, interval != 0 {
      sink.quantity("periodic_interval", Int(interval), .interval)
    }
    if report.dataStatus != .complete { sink.word("data_status", report.dataStatus.key) }
  }

  /// Advertising data: its bytes, then its AD structures.
  ///
  /// - Parameter isJoined: it came in several packets, so that it stands in no place of this one.
  private static func data<Sink: FieldSink & ~Copyable>(
    _ bytes: RawSpan, _ slice: Slice, isJoined: Bool = false, to sink: inout Sink
  ) {
    guard !slice.isEmpty else { return }
    sink.at(Int(slice.start), isJoined ? 0 : Int(slice.count))
    if !sink.showsKeys, ADStructures.holdSecret(bytes, slice) {
      sink.hidden("data", Int(slice.count))
    } else {
      sink.bytes("data", bytes.part(slice))
    }
    sink.beginList("fields")
    var structures = ADStructures(bytes, slice)
    while let structure = structures.next() {
      let start = Int(structure.data.start)
      sink.beginItem()
      sink.at(start - 1, isJoined ? 0 : 1)
      sink.identifier("type", UInt64(structure.type.rawValue), digits: 2)
      if let name = structure.type.name(count: Int(structure.data.count)) {
        sink.word("name", name)
      }
      sink.at(start, isJoined ? 0 : Int(structure.data.count))
      value(of: structure.type, bytes.part(structure.data), to: &sink)
      sink.endItem()
    }
    sink.endList()
  }

  private static func value<Sink: FieldSink & ~Copyable>(
    of type: ADType, _ data: RawSpan, to sink: inout Sink
  ) {
    switch type.layout(count: data.byteCount) {
    case .flags where data.byteCount == 1:
      sink.flags("value", UInt64(data.byte(at: 0)), digits: 2, .advertisingFlags)
    case .name: sink.string("value", data)
    case .txPower where data.byteCount == 1:
      sink.number("value", Int(Int8(bitPattern: data.byte(at: 0))))
    case .appearance where data.byteCount == 2:
      sink.identifier("value", UInt64(data.littleEndianU16(at: 0)), digits: 4)
    case .uuids(let width), .solicitedUUIDs(let width):
      sink.uuids("value", data, width: width)
    case .serviceData(let width) where data.byteCount >= width:
      var cursor = Cursor(data)
      if let uuid = try? BluetoothUUID(parsing: &cursor, width: width) { sink.uuid("uuid", uuid) }
      sink.bytes("value", data.dropping(width))
    case .manufacturerData where data.byteCount >= 2:
      sink.identifier("company", UInt64(data.littleEndianU16(at: 0)), digits: 4)
      sink.bytes("value", data.dropping(2))
    case .secret where !sink.showsKeys: sink.hidden("value", data.byteCount)
    default: sink.bytes("value", data)
    }
  }
}
