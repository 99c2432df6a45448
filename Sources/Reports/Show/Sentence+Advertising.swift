import Bluetooth
import Bytes
import Decoders
import Dissectors
import Meanings
import Sessions

/// The description of advertising.
extension Sentence {
  /// Appends the reports of an event: the first in full, the next two by address, RSSI and name,
  /// and the number of the rest.
  ///
  /// - Parameter air: for a PDU on the air: its name, and how it was received.
  mutating func advertisements(
    _ bytes: RawSpan, _ memory: borrowing Memory,
    onAir air: (name: AssignedName, packet: AirPacket?, fact: AirFact)? = nil
  ) {
    let reports = memory.advertisements.reports
    let first = reports[0]
    name(air?.name ?? AssignedName(first.report.title))
    whose(first)
    endSubject()
    advertiser = memory.advertiser(of: first)
    report(first, bytes, memory, onAir: air.map { ($0.packet, $0.fact) })
    advertiser = KnownAdvertiser()
    guard reports.count > 1 else { return }
    for advertisement in reports.dropFirst().prefix(Self.devicesInLine - 1) {
      output.text("; ")
      whose(advertisement)
      if let rssi = advertisement.report.rssi {
        output.text(", ")
        output.decimal(Int(rssi))
        output.text(" dBm")
      } else if let invalid = advertisement.report.invalidRSSI {
        output.text(", ")
        output.invalidSignal(Int(invalid))
      }
      if let joined = advertisement.joined {
        name(in: memory.advertisements.joined.bytes.part(joined))
      } else if !advertisement.isPart {
        name(in: bytes.part(advertisement.report.data))
      }
    }
    guard reports.count > Self.devicesInLine else { return }
    output.text("; and ")
    output.decimal(reports.count - Self.devicesInLine)
    output.text(" more")
  }

  /// Appends the sender of a report.
  private mutating func whose(_ advertisement: Advertisement) {
    let report = advertisement.report
    if let address = report.address {
      output.address(address)
    } else if report.syncHandle != nil {
      train(advertisement)
    } else if let slot = report.responseSlot {
      output.text("slot ")
      output.decimal(Int(slot))
    } else {
      output.text("anonymous")
    }
  }

  /// Appends the advertiser of a train if known, otherwise the train's handle.
  mutating func train(_ advertisement: Advertisement) {
    if let address = advertisement.train?.address {
      output.address(address)
    } else if let sync = advertisement.report.syncHandle {
      output.text("sync ")
      output.handle(sync)
    }
  }

  /// Appends a train that ends: its advertiser, and its set.
  mutating func train(_ train: PeriodicTrain) {
    if let address = train.address {
      comma()
      output.address(address)
    }
    sid(train)
  }

  private mutating func sid(_ train: PeriodicTrain) {
    guard train.sid != 0xff else { return }
    comma()
    output.text("SID ")
    output.decimal(Int(train.sid))
  }

  private mutating func report(
    _ advertisement: Advertisement, _ bytes: RawSpan, _ memory: borrowing Memory,
    onAir air: (packet: AirPacket?, fact: AirFact)?
  ) {
    let report = advertisement.report
    if let rssi = report.rssi {
      output.decimal(Int(rssi))
      output.text(" dBm")
    } else if let invalid = report.invalidRSSI {
      output.invalidSignal(Int(invalid))
    }
    if let air { signal(air.packet, air.fact, hasStrength: true) }
    addressKind(advertisement)
    if let name = report.legacyName {
      // The name of a scan response already includes it, as does that of a PDU on the air.
      if !report.isScanResponse, air == nil {
        comma()
        output.name(name)
      }
    } else if report.kind == .extended {
      properties(report)
    } else if report.kind == .legacy {
      comma()
      output.text("reserved type ")
      output.hexadecimal(UInt64(report.eventType), digits: 2)
    }
    if let direct = report.directAddress {
      comma()
      output.text("to ")
      output.address(direct)
    }
    periodic(report, advertisement.train)
    if let chain = advertisement.chain {
      comma()
      output.text("joined from")
      for packet in memory.advertisements.packets[chain] {
        output.byte(0x20)
        output.packet(packet)
      }
    }
    if report.dataStatus == .failed {
      comma()
      output.text("not received")
      return
    }
    if report.isCut || report.dataStatus == .truncated {
      comma()
      output.text("truncated")
    }
    if advertisement.isPart {
      comma()
      part(advertisement, bytes)
      return
    }
    // ADV_DIRECT_IND has no data.
    if air != nil, report.kind == .legacy, report.eventType == 1, report.data.isEmpty { return }
    comma()
    let end: DataEnd = report.isCut || report.dataStatus != .complete ? .cutOff : .broken
    if let joined = advertisement.joined {
      advertisingData(memory.advertisements.joined.bytes, joined, end)
    } else {
      advertisingData(bytes, report.data, end)
    }
  }

  /// Appends the kind of the report's address.
  private mutating func addressKind(_ advertisement: Advertisement) {
    let report = advertisement.report
    let kind: AddressKind
    if let address = report.address {
      kind = AddressKind(address, report.addressType)
    } else if let train = advertisement.train, let address = train.address {
      kind = AddressKind(address, train.addressType)
    } else {
      return
    }
    comma()
    output.text(kind.words)
  }

  /// Appends which train of the advertiser it is, and the subevent.
  private mutating func periodic(_ report: AdvertisingReport, _ train: PeriodicTrain?) {
    if let train { sid(train) }
    if let set = report.advertisingHandle {
      comma()
      output.text("set ")
      output.decimal(Int(set))
    }
    if let subevent = report.subevent, subevent != 0xff {
      comma()
      output.text("subevent ")
      output.decimal(Int(subevent))
    }
    if report.wasNotSent {
      comma()
      output.text("which was not sent")
    }
  }

  /// Appends a part of an advertisement that is joined later. The first part starts with complete
  /// structures; the others may start anywhere.
  private mutating func part(_ advertisement: Advertisement, _ bytes: RawSpan) {
    switch advertisement.partNumber {
    case 0 where advertisement.lacksFirstPart:
      output.text("a later part; the first seems to be missing from the capture")
    case 0: output.text("part of a longer one")
    case 1: output.text("first part")
    case let number:
      output.text("part ")
      output.decimal(number)
    }
    output.text(", ")
    output.count(Int(advertisement.report.data.count), "byte", "bytes")
    guard advertisement.partNumber == 1 else { return }
    output.text("; ")
    advertisingData(bytes, advertisement.report.data, .goesOn)
  }

  private mutating func properties(_ report: AdvertisingReport) {
    for bit in 0..<3 where report.eventType >> UInt16(bit) & 1 == 1 {
      comma()
      output.text(AdvertisingReport.propertyKey(bit: bit))
    }
  }

  /// What an AD structure that extends beyond the end of the data means.
  enum DataEnd {
    case broken, cutOff, goesOn
  }

  /// Appends AD structures, each in a few words: names first, then services and companies, then the
  /// others, since a terminal may cut the line.
  mutating func advertisingData(_ bytes: RawSpan, _ slice: Slice, _ end: DataEnd = .broken) {
    var isFirst = true
    for rank in 0..<2 {
      var structures = ADStructures(bytes, slice)
      while let structure = structures.next() {
        if structure.type.rank == rank { self.structure(structure, bytes, &isFirst) }
      }
    }
    var structures = ADStructures(bytes, slice)
    while let structure = structures.next() {
      if structure.type.rank == 2 { self.structure(structure, bytes, &isFirst) }
    }
    guard let overrun = structures.overrun, let offset = overrun.offset else {
      if isFirst { output.text("no data") }
      return
    }
    if !isFirst { output.text("; ") }
    switch end {
    case .broken: output.text("broken: ")
    case .cutOff: output.text("cut off: ")
    case .goesOn:
      output.text(glyphs.ellipsis)
      return
    }
    if case .secret? = structures.brokenLayout, !showsKeys {
      output.text("<hidden>")
      return
    }
    let start = Int(offset)
    output.hex(bytes.part(Slice(start: start, count: slice.end - start)), separator: 0x20)
  }

  private mutating func structure(
    _ structure: ADStructure, _ bytes: RawSpan, _ isFirst: inout Bool
  ) {
    if !isFirst { output.text("; ") }
    isFirst = false
    self.structure(structure.type, bytes, structure.data)
  }

  private mutating func structure(_ type: ADType, _ bytes: RawSpan, _ slice: Slice) {
    let data = bytes.part(slice)
    let isWhole = type.misfit(count: data.byteCount) == nil
    switch type.layout(count: data.byteCount) {
    case .flags: flags(data)
    case .name:
      if type == .broadcastName { output.text("broadcast ") }
      output.quoted(data)
    case .uuids(let width) where isWhole: uuids(data, width)
    case .solicitedUUIDs(let width) where isWhole:
      output.text("solicits ")
      uuids(data, width)
    case .appearance where isWhole:
      let appearance = Appearance(rawValue: data.littleEndianU16(at: 0))
      output.text("appearance ")
      output.assigned(appearance.name, UInt64(appearance.rawValue), digits: 4)
    case .serviceData(let width) where isWhole:
      var cursor = Cursor(data)
      guard let uuid = try? BluetoothUUID(parsing: &cursor, width: width) else { return }
      output.uuid(uuid.shortest)
      output.meaning(of: uuid, isFitting: true)
      advertised(.serviceData, uuid, data.dropping(width), type, data)
    case .manufacturerData where isWhole:
      let company = CompanyID(rawValue: data.littleEndianU16(at: 0))
      output.text("company ")
      output.assigned(company.name, UInt64(company.rawValue), digits: 4)
      if let area = OverflowArea(bytes, slice) {
        output.text(" overflow area, ")
        output.count(area.services(bytes), "bit", "bits")
        output.text(" set:")
        following(" ", bytes.part(area.mask))
      } else {
        advertised(.company, BluetoothUUID(company.rawValue), data.dropping(2), type, data)
      }
    case .deviceClass where isWhole:
      let number = UInt32(data.littleEndianU16(at: 0)) | UInt32(data.byte(at: 2)) << 16
      let device = DeviceClass(rawValue: number)
      output.text("class ")
      output.assigned(device.minor ?? device.major, UInt64(number), digits: 6)
    case .uri where isWhole:
      let (scheme, rest) = data.uri
      output.quoted(scheme?.name, data.part(rest))
    case .secret where !showsKeys:
      output.name(type.name(count: data.byteCount) ?? "")
      output.text(" <hidden>")
    case .fields where isWhole: fields(type, bytes, slice)
    default:
      if !meaning(.advertisingData, BluetoothUUID(UInt16(type.rawValue)), data, goesOn: false) {
        undescribed(type, data)
      }
    }
  }

  /// Appends the fields of a structure that have a place in the line.
  private mutating func fields(_ type: ADType, _ bytes: RawSpan, _ slice: Slice) {
    let start = output.count
    goesOn = true
    let left = try? ADFields.walk(type, bytes, slice, &self)
    goesOn = false
    if left == nil { output.shorten(to: start) }
    // Without any such field, the bytes are shown.
    if output.count == start { undescribed(type, bytes.part(slice)) }
  }

  private mutating func undescribed(_ type: ADType, _ data: RawSpan) {
    if let name = type.name(count: data.byteCount) {
      output.name(name)
    } else {
      output.text("type ")
      output.hexadecimal(UInt64(type.rawValue), digits: 2)
    }
    following(" ", data)
  }

  /// Appends how a profile decodes service data or manufacturer data, or the whole structure by its
  /// type; otherwise the bytes.
  private mutating func advertised(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, _ data: RawSpan, _ type: ADType, _ whole: RawSpan
  ) {
    if !meaning(kind, uuid, data),
      !meaning(.advertisingData, BluetoothUUID(UInt16(type.rawValue)), whole)
    {
      following(" data ", data)
    }
    output.ownAddress(advertiser.place(in: data))
  }

  /// Appends how a profile decodes data, after a colon if `goesOn` is set. Returns false if none
  /// does.
  private mutating func meaning(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, _ data: RawSpan, goesOn: Bool = true
  ) -> Bool {
    guard reading.read(kind, uuid, data, of: advertiser),
      let definition = reading.meaning.decoded.definition
    else { return false }
    if goesOn { output.text(": ") }
    output.string(definition.name)
    output.byte(0x20)
    reading.meaning.line.copy(into: &output)
    return true
  }

  /// Appends bytes after a few words, if there are any.
  private mutating func following(_ words: StaticString, _ bytes: RawSpan) {
    guard bytes.byteCount > 0 else { return }
    output.text(words)
    output.hex(bytes, separator: 0x20)
  }

  private mutating func uuids(_ list: RawSpan, _ width: Int) {
    if list.byteCount < width {
      output.text("no ")
      output.decimal(8 * width)
      output.text("-bit UUIDs")
    } else {
      output.uuids(list, width: width)
    }
  }

  /// Appends the Flags in words if all bits have a name, otherwise in hexadecimal.
  private mutating func flags(_ data: RawSpan) {
    let flags = data.byte(at: 0)
    guard data.byteCount == 1, flags != 0, flags & 0xe0 == 0 else {
      output.text("flags")
      following(" ", data)
      return
    }
    var isFirst = true
    for bit in 0..<5 where flags >> bit & 1 == 1 {
      // Controller and host each declare that they support both; once is enough here.
      if bit == 4, flags & 0x08 != 0 { continue }
      if !isFirst { output.text(", ") }
      isFirst = false
      output.text(ADType.flagWord(bit: bit))
    }
  }
}

extension ADType {
  /// The position of a structure in the line: 0 identifies the device, 1 shows what it offers, 2 is
  /// the rest.
  fileprivate var rank: Int {
    switch rawValue {
    case 0x08, 0x09, 0x30: 0
    case 0x02...0x07, 0x16, 0x20, 0x21, 0xff: 1
    default: 2
    }
  }
}

extension Output {
  /// Appends a signal strength that no receiver can report.
  mutating func invalidSignal(_ value: Int) {
    text("invalid RSSI ")
    decimal(value)
  }
}
