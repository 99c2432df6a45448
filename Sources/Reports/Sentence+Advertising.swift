import Bluetooth
import Bytes
import Dissectors
import Sessions

/// What is said of advertising.
extension Sentence {
  /// The reports of an event: the first in full, the others by their addresses.
  mutating func advertisements(_ bytes: RawSpan, _ memory: Memory) {
    let reports = memory.advertisements.reports
    let first = reports[0]
    name(first.report.title)
    if let address = first.report.address {
      output.address(address)
    } else if let sync = first.report.syncHandle {
      output.text("sync ")
      output.handle(sync)
    } else {
      output.text("anonymous")
    }
    endSubject()
    report(first, bytes, memory)
    guard reports.count > 1 else { return }
    output.text("; and ")
    output.decimal(reports.count - 1)
    output.text(" more:")
    for advertisement in reports.dropFirst() {
      output.byte(0x20)
      if let address = advertisement.report.address { output.address(address) }
    }
  }

  private mutating func report(
    _ advertisement: Advertisement, _ bytes: RawSpan, _ memory: Memory
  ) {
    let report = advertisement.report
    if let rssi = report.rssi {
      output.decimal(Int(rssi))
      output.text(" dBm")
    }
    if let name = report.legacyName {
      // A scan response's name has said it.
      if !report.isScanResponse {
        comma()
        output.text(name)
      }
    } else if report.kind == .extended {
      properties(report)
    }
    if let direct = report.directAddress {
      comma()
      output.text("to ")
      output.address(direct)
    }
    if let chain = advertisement.chain {
      comma()
      output.text("joined from")
      for packet in memory.advertisements.packets[chain] {
        output.byte(0x20)
        output.packet(packet)
      }
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
    comma()
    let end: DataEnd = report.isCut || report.dataStatus != .complete ? .cutOff : .broken
    if let joined = advertisement.joined {
      advertisingData(memory.advertisements.joined.bytes, joined, end)
    } else {
      advertisingData(bytes, report.data, end)
    }
  }

  /// A part of an advertisement that is joined later. The first begins with whole structures; the
  /// others begin anywhere.
  private mutating func part(_ advertisement: Advertisement, _ bytes: RawSpan) {
    switch advertisement.partNumber {
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

  /// What an AD structure means that reaches past the end of the data.
  enum DataEnd {
    case broken, cutOff, goesOn
  }

  /// AD structures, each in a few words.
  mutating func advertisingData(_ bytes: RawSpan, _ slice: Slice, _ end: DataEnd = .broken) {
    var structures = ADStructures(bytes, slice)
    var isFirst = true
    while let structure = structures.next() {
      if !isFirst { output.text("; ") }
      isFirst = false
      self.structure(structure.type, bytes.part(structure.data))
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

  private mutating func structure(_ type: ADType, _ data: RawSpan) {
    switch type.layout(count: data.byteCount) {
    case .flags: flags(data)
    case .name: output.quoted(data)
    case .uuids(let width): uuids(data, width)
    case .solicitedUUIDs(let width):
      output.text("solicits ")
      uuids(data, width)
    case .txPower where data.byteCount == 1:
      output.text("sent at ")
      output.decimal(Int(Int8(bitPattern: data.byte(at: 0))))
      output.text(" dBm")
    case .appearance where data.byteCount == 2:
      output.text("appearance ")
      output.hexadecimal(UInt64(data.littleEndianU16(at: 0)), digits: 4)
    case .serviceData(let width) where data.byteCount >= width:
      var cursor = Cursor(data)
      if let uuid = try? BluetoothUUID(parsing: &cursor, width: width) { output.uuid(uuid) }
      output.text(" data ")
      output.hex(data.dropping(width), separator: 0x20)
    case .manufacturerData where data.byteCount >= 2:
      output.text("company ")
      output.hexadecimal(UInt64(data.littleEndianU16(at: 0)), digits: 4)
      output.text(" data ")
      output.hex(data.dropping(2), separator: 0x20)
    case .secret where !showsKeys:
      output.text(type.name(count: data.byteCount) ?? "")
      output.text(" <hidden>")
    default:
      if let name = type.name(count: data.byteCount) {
        output.text(name)
      } else {
        output.text("type ")
        output.hexadecimal(UInt64(type.rawValue), digits: 2)
      }
      output.byte(0x20)
      output.hex(data, separator: 0x20)
    }
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

  /// The Flags in words where all of them have some, else in hexadecimal.
  private mutating func flags(_ data: RawSpan) {
    let flags = data.byte(at: 0)
    guard data.byteCount == 1, flags != 0, flags & 0xe0 == 0 else {
      output.text("flags ")
      output.hex(data)
      return
    }
    var isFirst = true
    for bit in 0..<5 where flags >> bit & 1 == 1 {
      // Controller and host each say for themselves that they do both; once is enough here.
      if bit == 4, flags & 0x08 != 0 { continue }
      if !isFirst { output.text(", ") }
      isFirst = false
      output.text(ADType.flagWord(bit: bit))
    }
  }
}

extension AdvertisingReport {
  /// What the report is, at the front of a line.
  var title: StaticString {
    if isScanResponse { return "Scan Response" }
    switch kind {
    case .periodic: return "Periodic Advertising"
    case .directed: return "Directed Advertising"
    default: return "Advertising"
    }
  }
}
