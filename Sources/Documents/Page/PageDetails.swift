import Bytes
import Reports

/// The fields and bytes of packets, for the part of a page that shows one of them.
///
/// They share a budget, which is smaller on a page with many packets. If it is exceeded, bytes are
/// dropped first, then the fields of flow control (which never get more than a sixteenth), then
/// those of packets without ATT, pairing or a failure, then those of other packets, later ones
/// first. Fields of failing packets are never dropped, but none are added once all fields need
/// twice the budget.
struct PageDetails: Sendable {
  /// The importance of a packet's fields to the reader.
  enum Rank: Int, Sendable {
    case failing, important, other, routine
  }

  /// The fields of some packets. Each distinct line is kept once; packets are lists of lines.
  private struct Part: Sendable {
    var lines = TextTable()
    /// For each line, the one that followed it last time; for the empty one, the first of the
    /// latest packet. Packets of one kind have mostly the same lines.
    var followers: [UInt32] = [0]
    var packets: [UInt32] = []
    var ends: [UInt32] = []
    var places: [UInt32] = []
    var size = 32

    mutating func add(_ packet: Int, _ text: RawSpan) {
      var start = 0
      var (last, expected) = (0, Int(followers[0]))
      while start < text.byteCount {
        var place = expected
        if expected > 0, let count = lines.length(of: expected, ifLineOf: text, at: start) {
          start += count + 1
        } else {
          place = add(text, from: &start)
        }
        followers[last] = UInt32(place)
        // What followed a line that is unexpected and new probably follows here, too.
        expected = Int(followers[place] > 0 ? followers[place] : followers[expected])
        last = place
        size += place < 10 ? 2 : place < 100 ? 3 : place < 1000 ? 4 : 5
        places.append(UInt32(place))
      }
      packets.append(UInt32(truncatingIfNeeded: packet))
      ends.append(UInt32(places.count))
      size += 10
    }

    /// Returns the place of the line that begins at `start`, and moves `start` behind it.
    private mutating func add(_ text: RawSpan, from start: inout Int) -> Int {
      let end = text.dropping(start).firstOffset(of: 0x0a).map { start + $0 } ?? text.byteCount
      let line = text.part(Slice(start: start, count: end - start)).cut(to: PageRows.mostText)
      start = end + 1
      let place = lines.place(of: line)
      if place == followers.count {
        followers.append(0)
        size += line.byteCount * 17 / 16 + 3
      }
      return place
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

  /// Parts by rank. Each has a bounded size, so that the last ones can be dropped.
  private var parts: [[Part]] = [[], [], [], []]
  private static let partBytes = 65_536
  /// The hexadecimal digits of records, with `..` for hidden bytes.
  private var hex = TextTable()
  private var hexPackets: [(packet: UInt32, text: UInt32)] = []
  private var hexSize = 0
  private var fieldsSize = 0
  private var routineSize = 0
  /// The bytes for details on a page with few packets; `least` is for one with many.
  let most: Int
  private let least: Int
  private let whole: Int
  private var budget: Int
  private var keepsBytes = true
  /// Only fields of ranks below this one are still recorded.
  private var end = 4
  /// The number of packets whose fields are not on the page.
  private(set) var withoutFields = 0

  /// The largest record whose bytes are kept; no reader would look at more.
  private static let mostBytes = 2048

  /// - Parameter limit: the largest size of the whole page, in bytes.
  init(limit: Int) {
    (most, least, whole) = (limit / 16, limit / 100, limit / 10)
    budget = most
  }

  /// Updates the budget from the number of bytes that packets need so far.
  mutating func learn(rows: Int) {
    budget = max(least, min(most, whole - rows))
    fit()
  }

  /// Returns whether to record the fields of a packet of this rank; counts the packet if not.
  mutating func wantsFields(_ rank: Rank) -> Bool {
    let wants =
      rank.rawValue < end && fieldsSize < 2 * budget
      && (rank != .routine || routineSize < budget / 16)
    if !wants { withoutFields += 1 }
    return wants
  }

  mutating func add(fields: RawSpan, of packet: Int, _ rank: Rank) {
    let place = rank.rawValue
    if parts[place].last.map({ $0.size > Self.partBytes }) ?? true { parts[place].append(Part()) }
    let last = parts[place].count - 1
    let size = parts[place][last].size
    parts[place][last].add(packet, fields)
    let growth = parts[place][last].size - size
    fieldsSize += growth
    if rank == .routine { routineSize += growth }
    fit()
  }

  /// Returns whether the bytes of a record of this length are kept.
  func wantsBytes(_ count: Int) -> Bool { keepsBytes && count <= Self.mostBytes }

  mutating func add(hex text: RawSpan, of packet: Int) {
    let count = hex.count
    let place = hex.place(of: text)
    hexSize += 12 + (hex.count > count ? text.byteCount + 3 : 0)
    hexPackets.append((UInt32(truncatingIfNeeded: packet), UInt32(place)))
    fit()
  }

  private mutating func fit() {
    if keepsBytes, fieldsSize + hexSize > budget || hexSize > budget / 8 * 3 {
      keepsBytes = false
      (hex, hexPackets, hexSize) = (TextTable(), [], 0)
    }
    while fieldsSize > budget, let rank = parts.lastIndex(where: { !$0.isEmpty }), rank > 0,
      let part = parts[rank].popLast()
    {
      fieldsSize -= part.size
      withoutFields += part.packets.count
      end = rank
    }
  }

  /// Writes the fields and bytes as JSON.
  func write(into out: inout Output) {
    out.text("{\"fields\":[")
    var isFirst = true
    for part in parts.joined() {
      if !isFirst { out.byte(0x2c) }
      isFirst = false
      part.write(into: &out)
    }
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
