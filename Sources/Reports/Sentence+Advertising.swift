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
      comma()
      output.text(name)
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
    if report.dataStatus == .incomplete {
      comma()
      output.text("first part")
    } else if report.dataStatus == .truncated {
      comma()
      output.text("truncated")
    }
    comma()
    if let joined = advertisement.joined {
      advertisingData(memory.advertisements.joined.bytes, joined)
    } else {
      advertisingData(bytes, report.data, isWhole: report.dataStatus == .complete)
    }
  }

  private mutating func properties(_ report: AdvertisingReport) {
    for bit in 0..<3 where report.eventType >> UInt16(bit) & 1 == 1 {
      comma()
      output.text(AdvertisingReport.propertyKey(bit: bit))
    }
  }

  /// AD structures, each in a few words. Where more of the data is to come, a structure that ends
  /// early is not broken.
  mutating func advertisingData(_ bytes: RawSpan, _ slice: Slice, isWhole: Bool = true) {
    guard !slice.isEmpty else {
      output.text("no data")
      return
    }
    var structures = ADStructures(bytes, slice)
    var isFirst = true
    while let structure = structures.next() {
      if !isFirst { output.text("; ") }
      isFirst = false
      self.structure(structure.type, bytes.part(structure.data))
    }
    if let overrun = structures.overrun, let offset = overrun.offset {
      if !isFirst { output.text("; ") }
      output.text(isWhole ? "broken: " : "begun: ")
      let start = Int(offset)
      if case .secret? = structures.brokenLayout, !showsKeys {
        output.text("<hidden>")
        return
      }
      output.hex(bytes.part(Slice(start: start, count: slice.end - start)), separator: 0x20)
    }
  }

  private mutating func structure(_ type: ADType, _ data: RawSpan) {
    switch type.layout(count: data.byteCount) {
    case .flags:
      output.text("flags ")
      output.hex(data)
    case .name: output.quoted(data)
    case .uuids(let width): output.uuids(data, width: width)
    case .solicitedUUIDs(let width):
      output.text("solicits ")
      output.uuids(data, width: width)
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
