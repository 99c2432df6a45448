import Bytes

/// The fields and bytes of packets, for the part of a page that shows one of them.
///
/// They have a budget of their own. Bytes go first, then the fields of packets that carry no attribute, pairing or
/// failure; after that only the fields of packets that fail are added.
struct PageDetails: Sendable {
  /// The lines of some packets' fields: each line once, packets as lists of lines.
  private struct Fields: Sendable {
    var lines = TextTable()
    var packets: [UInt32] = []
    var ends: [UInt32] = []
    var places: [UInt32] = []
    var size = 0

    mutating func add(_ packet: Int, _ text: RawSpan) {
      var start = 0
      while start < text.byteCount {
        var end = start
        while end < text.byteCount, text.byte(at: end) != 0x0a { end += 1 }
        let line = text.part(Slice(start: start, count: end - start))
        let count = lines.count
        let place = lines.place(of: line.cut(to: PageRows.mostText))
        if lines.count > count { size += min(line.byteCount, PageRows.mostText) + 4 }
        size += place < 10 ? 2 : place < 100 ? 3 : place < 1000 ? 4 : place < 10_000 ? 5 : 6
        places.append(UInt32(place))
        start = end + 1
      }
      packets.append(UInt32(truncatingIfNeeded: packet))
      ends.append(UInt32(places.count))
      size += 6
    }

    func write(into out: inout Output) {
      out.text("{\"lines\":")
      out.list(0..<lines.count) { place, out in out.embedded(lines[place]) }
      out.text(",\"n\":")
      out.list(packets.indices) { index, out in out.decimal(UInt(packets[index])) }
      out.text(",\"x\":")
      out.list(packets.indices) { index, out in
        let start = index > 0 ? Int(ends[index - 1]) : 0
        out.list(start..<Int(ends[index])) { place, out in out.decimal(UInt(places[place])) }
      }
      out.byte(0x7d)
    }
  }

  private var important = Fields()
  private var others = Fields()
  /// Hexadecimal digits of records, `..` for bytes that are hidden.
  private var hex = TextTable()
  private var hexPackets: [(packet: UInt32, text: UInt32)] = []
  private var hexSize = 0
  private let budget: Int
  private var keepsBytes = true
  private var keepsOthers = true
  /// Packets whose fields, or whose bytes, are not on the page.
  private(set) var withoutFields = 0
  private(set) var withoutBytes = 0

  /// The share of the budget that only packets that fail may use.
  private static let reserve = 8
  /// Longer records are not kept: none has so many bytes that a person would read.
  private static let mostBytes = 2048

  init(budget: Int) { self.budget = budget }

  /// Whether the fields of such a packet are worth writing; counts those that are not.
  mutating func wantsFields(isImportant: Bool, isFailure: Bool) -> Bool {
    let size = important.size + others.size
    let wants = isFailure ? size < budget : size < budget - budget / Self.reserve && (isImportant || keepsOthers)
    if !wants { withoutFields += 1 }
    return wants
  }

  mutating func add(fields: RawSpan, of packet: Int, isImportant: Bool) {
    if isImportant { important.add(packet, fields) } else { others.add(packet, fields) }
    fit()
  }

  /// Whether bytes of a record are kept; counts those that are not.
  mutating func wantsBytes(_ count: Int) -> Bool {
    let wants = keepsBytes && count <= Self.mostBytes
    if !wants { withoutBytes += 1 }
    return wants
  }

  mutating func add(hex text: RawSpan, of packet: Int) {
    let count = hex.count
    let place = hex.place(of: text)
    hexSize += 12 + (hex.count > count ? text.byteCount + 3 : 0)
    hexPackets.append((UInt32(truncatingIfNeeded: packet), UInt32(place)))
    fit()
  }

  private mutating func fit() {
    if keepsBytes, important.size + others.size + hexSize > budget {
      keepsBytes = false
      withoutBytes += hexPackets.count
      (hex, hexPackets, hexSize) = (TextTable(), [], 0)
    }
    let most = budget - budget / Self.reserve
    if keepsOthers, important.size + others.size > most, !others.packets.isEmpty {
      keepsOthers = false
      withoutFields += others.packets.count
      others = Fields()
    }
  }

  /// Writes all of it.
  func write(into out: inout Output) {
    out.text("{\"fields\":[")
    important.write(into: &out)
    out.byte(0x2c)
    others.write(into: &out)
    out.text("],\"hex\":")
    out.list(0..<hex.count) { place, out in out.embedded(hex[place]) }
    out.text(",\"bytes\":")
    out.list(hexPackets.indices) { index, out in
      out.decimal(UInt(hexPackets[index].packet))
      out.byte(0x2c)
      out.decimal(UInt(hexPackets[index].text))
    }
    out.byte(0x7d)
  }
}
