import Bluetooth
import Bytes
import Sessions

/// The packets of a page: what the list and the ladder draw, in columns of small numbers and two tables of texts.
///
/// Grows up to the page's limit. What goes first is flow control and advertising, then what belongs to no connection;
/// after that the page takes no more packets. How many were left out is counted.
struct PageRows: Sendable {
  /// What is true of a packet.
  struct Flags: OptionSet, Sendable {
    let rawValue: UInt16
    static let sent = Self(rawValue: 1)
    static let received = Self(rawValue: 1 << 1)
    /// The packet reports a failure.
    static let failure = Self(rawValue: 1 << 2)
    /// Something is wrong with the packet itself.
    static let problem = Self(rawValue: 1 << 3)
    /// The packet carries no news (`show --brief`).
    static let folded = Self(rawValue: 1 << 4)
    /// The capture does not say when it was made.
    static let timeless = Self(rawValue: 1 << 5)
    static let request = Self(rawValue: 1 << 6)
    static let response = Self(rawValue: 1 << 7)
    static let advertising = Self(rawValue: 1 << 8)
    static let security = Self(rawValue: 1 << 9)
    /// The packet only makes room for others.
    static let flowControl = Self(rawValue: 1 << 10)
    /// The link is encrypted when the packet crosses it.
    static let encrypted = Self(rawValue: 1 << 11)
    /// The packet belongs to a run of folded packets.
    static let inRun = Self(rawValue: 1 << 12)
  }

  /// One packet.
  struct Row: Sendable {
    /// Microseconds since the first packet.
    var time: Int64
    var number: UInt32
    /// The places of the words up to the subject, and of the rest.
    var head: UInt32 = 0
    var rest: UInt32 = 0
    var connection: UInt32 = 0
    /// How many packets before this one its request is; 0: it answers none.
    var answers: UInt32 = 0
    var flags: Flags
    var layer: UInt8
  }

  private(set) var rows: [Row] = []
  private(set) var heads = TextTable()
  private(set) var rests = TextTable()
  /// What is wrong with packets: the messages, the packets' numbers, and the messages' places.
  private(set) var flaws = TextTable()
  private(set) var problems: [(packet: UInt32, text: UInt32)] = []
  /// The runs of folded packets: what a line says of each. Packets in runs name theirs in order.
  private(set) var runs: [UInt32] = [0]
  private var runTexts = TextTable()
  private(set) var runOfPacket: [(packet: UInt32, run: UInt32)] = []
  /// How many packets were left out, by what they are.
  private(set) var leftOut = (noise: 0, unconnected: 0, late: 0)
  /// What is left out from now on.
  private(set) var stage = Stage.all

  /// Which packets are taken.
  enum Stage: Int, Sendable, Comparable {
    case all, withoutNoise, connected, none
    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// Bytes that the page may have for packets.
  private let budget: Int
  /// Bytes that those taken so far need, estimated from above.
  private(set) var size = 0
  private var lastTime: Int64 = 0

  /// A row's number in the table of what rows have in common, with its comma.
  private static let commonBytes = 4
  /// Longer texts are cut: the details have all of it.
  static let mostText = 4096

  init(budget: Int) { self.budget = budget }

  /// Whether such a packet is taken; counts it as left out if not.
  mutating func takes(_ flags: Flags, connection: Int) -> Bool {
    guard stage > .all else { return true }
    if !flags.isDisjoint(with: [.advertising, .flowControl]) {
      leftOut.noise += 1
    } else if stage >= .connected, connection == 0 {
      leftOut.unconnected += 1
    } else if stage == .none {
      leftOut.late += 1
    } else {
      return true
    }
    return false
  }

  /// Adds a packet. What no longer fits goes.
  mutating func add(_ row: Row, head: RawSpan, rest: RawSpan) {
    var row = row
    row.head = Self.intern(head, &heads, &size)
    row.rest = Self.intern(rest, &rests, &size)
    size += Self.bytes(of: row, since: lastTime)
    lastTime = row.time
    rows.append(row)
    while size > budget, stage < .none { shrink() }
  }

  /// Adds what is wrong with the packet that was added last.
  mutating func add(problem: RawSpan) {
    guard let packet = rows.last?.number else { return }
    problems.append((packet, Self.intern(problem, &flaws, &size)))
    size += 8
  }

  /// Notes which run of folded packets the packet that was added last belongs to.
  mutating func fold(into run: Int) {
    guard let packet = rows.last?.number else { return }
    rows[rows.count - 1].flags.insert(.inRun)
    runOfPacket.append((packet, UInt32(run)))
    size += 2
  }

  /// Begins a run of folded packets.
  ///
  /// - Returns: its place.
  mutating func beginRun() -> Int {
    runs.append(0)
    return runs.count - 1
  }

  /// Words a run.
  mutating func word(run: Int, _ text: RawSpan) {
    runs[run] = Self.intern(text, &runTexts, &size)
    size += 4
  }

  private static func intern(
    _ text: RawSpan, _ table: inout TextTable, _ size: inout Int
  ) -> UInt32 {
    let count = table.count
    let place = table.place(of: text.cut(to: mostText))
    // Escaped, quoted, with a comma.
    if table.count > count { size += min(text.byteCount, mostText) * 17 / 16 + 4 }
    return UInt32(place)
  }

  private static func bytes(of row: Row, since time: Int64) -> Int {
    digits(row.time.subtractingReportingOverflow(time).partialValue) + digits(Int64(row.head))
      + digits(Int64(row.rest)) + 3 + commonBytes
  }

  private static func digits(_ number: Int64) -> Int {
    var (digits, rest) = (number < 0 ? 2 : 1, number.magnitude)
    while rest > 9 {
      digits += 1
      rest /= 10
    }
    return digits
  }

  /// Leaves out the next kind of packets.
  private mutating func shrink() {
    stage = Stage(rawValue: stage.rawValue + 1) ?? .none
    guard stage < .none else { return }
    let before = (rows, heads, rests, problems, runOfPacket, flaws)
    (rows, problems, runOfPacket) = ([], [], [])
    (heads, rests, flaws) = (TextTable(), TextTable(), TextTable())
    size = runTexts.byteCount + 4 * (runs.count + runTexts.count)
    lastTime = 0
    var (problem, run) = (0, 0)
    for var row in before.0 {
      let isKept = takes(row.flags, connection: Int(row.connection))
      if isKept {
        row.head = Self.intern(before.1[Int(row.head)], &heads, &size)
        row.rest = Self.intern(before.2[Int(row.rest)], &rests, &size)
        size += Self.bytes(of: row, since: lastTime)
        lastTime = row.time
        rows.append(row)
      }
      while problem < before.3.count, before.3[problem].packet == row.number {
        if isKept { add(problem: before.5[Int(before.3[problem].text)]) }
        problem += 1
      }
      if run < before.4.count, before.4[run].packet == row.number {
        if isKept { fold(into: Int(before.4[run].run)) }
        run += 1
      }
    }
  }

  /// The place of a packet's row; nil if it has none.
  func place(of packet: UInt32, before end: Int) -> Int? {
    var (low, high) = (0, end)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].number < packet { low = middle + 1 } else { high = middle }
    }
    return low < end && rows[low].number == packet ? low : nil
  }
}

extension RawSpan {
  /// The first `most` bytes, no character of UTF-8 cut in two.
  @_lifetime(copy self)
  func cut(to most: Int) -> RawSpan {
    guard byteCount > most else { return self }
    var end = most
    while end > 0, byte(at: end) & 0xc0 == 0x80 { end -= 1 }
    return part(Slice(start: 0, count: end))
  }
}

// MARK: JSON

extension PageRows {
  /// What many packets have in common, so that a row needs one number for it.
  private struct Common: Hashable {
    var connection: Kin
    var layer: UInt8
    var flags: UInt16
    /// How many rows before this one the request is; 0: none, or further away.
    var distance: Int
  }

  /// A packet's connection, as seen from the packet before that has one.
  private enum Kin: UInt8 {
    case none, same, next, other
  }

  /// Requests that are further away stand in a list of their own.
  private static let nearest = 40

  /// Writes the members of the data that describe packets.
  func write(into out: inout Output) {
    out.text("\"layers\":[")
    for (index, layer) in Selection.Layer.allCases.enumerated() {
      if index > 0 { out.byte(0x2c) }
      out.embedded(layer.key.bytes)
    }
    out.text("],\"t\":")
    var previous: Int64 = 0
    out.list(rows.indices) { index, out in
      out.decimal(Int(rows[index].time &- previous))
      previous = rows[index].time
    }
    // Texts are in the order in which they came: 0 stands for the next new one, else the place follows, counted from 1.
    var newest: UInt32 = 0
    out.text(",\"a\":")
    out.list(rows.indices) { index, out in out.place(rows[index].head, &newest) }
    newest = 0
    out.text(",\"b\":")
    out.list(rows.indices) { index, out in out.place(rows[index].rest, &newest) }
    writeNumbers(into: &out)
    writeCommon(into: &out)
    out.text(",\"heads\":")
    out.list(0..<heads.count) { place, out in out.embedded(heads[place]) }
    out.text(",\"rests\":")
    out.list(0..<rests.count) { place, out in out.embedded(rests[place]) }
    out.text(",\"problems\":")
    out.list(problems.indices) { index, out in
      out.decimal(UInt(problems[index].packet))
      out.byte(0x2c)
      out.decimal(UInt(problems[index].text))
    }
    out.text(",\"flaws\":")
    out.list(0..<flaws.count) { place, out in out.embedded(flaws[place]) }
    out.text(",\"runTexts\":")
    out.list(0..<runTexts.count) { place, out in out.embedded(runTexts[place]) }
    out.text(",\"runs\":")
    out.list(runs.indices) { index, out in out.decimal(UInt(runs[index])) }
    // How many runs have begun since that one, or less than 0 for as many new ones.
    var latest: UInt32 = 0
    out.text(",\"run\":")
    out.list(runOfPacket.indices) { index, out in
      let run = runOfPacket[index].run
      let skipped = run > latest ? run - latest : 0
      latest += skipped
      // A run of which no packet is left leaves a gap.
      out.decimal(skipped > 0 ? -Int(skipped) : Int(latest - run))
    }
  }

  /// Writes packets' numbers: where a run of consecutive ones begins, and how many it has.
  private func writeNumbers(into out: inout Output) {
    out.text(",\"n\":[")
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].number == rows[end - 1].number + 1 { end += 1 }
      if start > 0 { out.byte(0x2c) }
      out.decimal(UInt(rows[start].number))
      out.byte(0x2c)
      out.decimal(end - start)
      start = end
    }
    out.byte(0x5d)
  }

  private func writeCommon(into out: inout Output) {
    var places: [Common: Int] = [:]
    var all: [Common] = []
    var far: [(row: Int, request: Int)] = []
    var last: (common: Common, place: Int)?
    var connection: UInt32 = 0
    var others: [UInt32] = []
    out.text(",\"m\":")
    out.list(rows.indices) { index, out in
      let row = rows[index]
      var kin = Kin.none
      if row.connection > 0 {
        kin =
          row.connection == connection ? .same : row.connection == connection + 1 ? .next : .other
        if kin == .other { others.append(row.connection) }
        connection = row.connection
      }
      var common = Common(
        connection: kin, layer: row.layer, flags: row.flags.rawValue, distance: 0)
      if row.answers > 0, row.answers < row.number,
        let request = place(of: row.number - row.answers, before: index)
      {
        if index - request <= Self.nearest {
          common.distance = index - request
        } else {
          far.append((index, request))
        }
      }
      if let last, last.common == common {
        out.decimal(last.place)
        return
      }
      let place = places[common] ?? all.count
      if place == all.count {
        places[common] = place
        all.append(common)
      }
      last = (common, place)
      out.decimal(place)
    }
    out.text(",\"common\":")
    out.list(all.indices) { index, out in
      out.decimal(UInt(all[index].connection.rawValue))
      out.byte(0x2c)
      out.decimal(UInt(all[index].layer))
      out.byte(0x2c)
      out.decimal(UInt(all[index].flags))
      out.byte(0x2c)
      out.decimal(all[index].distance)
    }
    out.text(",\"others\":")
    out.list(others.indices) { index, out in out.decimal(UInt(others[index])) }
    out.text(",\"far\":")
    out.list(far.indices) { index, out in
      out.decimal(far[index].row)
      out.byte(0x2c)
      out.decimal(far[index].request)
    }
  }
}

extension Output {
  /// Writes the place of a text, where texts are numbered in the order in which they come.
  fileprivate mutating func place(_ place: UInt32, _ newest: inout UInt32) {
    guard place == newest + 1 else { return decimal(UInt(place) + 1) }
    newest = place
    byte(0x30)
  }

  /// Writes a JSON list, its elements by `element`.
  mutating func list(_ indices: Range<Int>, _ element: (Int, inout Output) -> Void) {
    byte(0x5b)
    for index in indices {
      if index > indices.lowerBound { byte(0x2c) }
      element(index, &self)
    }
    byte(0x5d)
  }
}
