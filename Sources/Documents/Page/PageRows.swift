import Bluetooth
import Bytes
import Reports
import Sessions

/// The packets of a page, as the list and the ladder draw them: columns of small numbers, and
/// tables of texts.
///
/// Grows up to its budget. After that, flow control and advertising are left out, then packets of
/// no connection, and finally all later packets. The packets left out are counted.
struct PageRows: Sendable {
  /// The properties of a packet.
  struct Flags: OptionSet, Sendable {
    let rawValue: UInt16
    static let sent = Self(rawValue: 1)
    static let received = Self(rawValue: 1 << 1)
    /// The packet reports a failure.
    static let failure = Self(rawValue: 1 << 2)
    /// Something is wrong with the packet itself.
    static let problem = Self(rawValue: 1 << 3)
    /// The packet is routine, so that `show --brief` folds it.
    static let folded = Self(rawValue: 1 << 4)
    /// The record has no time.
    static let timeless = Self(rawValue: 1 << 5)
    static let request = Self(rawValue: 1 << 6)
    static let response = Self(rawValue: 1 << 7)
    static let advertising = Self(rawValue: 1 << 8)
    static let security = Self(rawValue: 1 << 9)
    /// The packet only reports free buffers, or is empty.
    static let flowControl = Self(rawValue: 1 << 10)
    /// The link was encrypted when the packet was sent.
    static let encrypted = Self(rawValue: 1 << 11)
    /// The packet belongs to a run of folded packets.
    static let inRun = Self(rawValue: 1 << 12)
  }

  /// One packet.
  struct Row: Sendable {
    /// Microseconds since the first packet.
    var time: Int64
    var number: UInt32
    /// The place in `heads` of the words up to the subject and of the packet's codes, and in
    /// `rests` of the other words.
    var head: UInt32 = 0
    var rest: UInt32 = 0
    var connection: UInt32 = 0
    /// The packet number minus that of its request, or 0 if it answers no request.
    var answers: UInt32 = 0
    var flags: Flags
    var layer: UInt8
  }

  private(set) var rows: [Row] = []
  private(set) var heads = TextTable(bytes: usualBytes)
  private(set) var rests = TextTable(bytes: usualBytes)
  /// What is wrong with packets: the messages, and the packets' numbers with their messages'
  /// places.
  private(set) var flaws = TextTable()
  private(set) var problems: [(packet: UInt32, text: UInt32)] = []
  /// The places of the runs' words in `runTexts`; run 0 is unused. `runOfPacket` has the run of
  /// each folded packet, in order.
  private(set) var runs: [UInt32] = [0]
  private var runTexts = TextTable()
  private(set) var runOfPacket: [(packet: UInt32, run: UInt32)] = []
  /// The number of packets left out, by kind.
  private(set) var leftOut = (noise: 0, unconnected: 0, late: 0)
  /// The kinds of packets that are still added.
  private(set) var stage = Stage.all

  /// The kinds of packets that are added.
  enum Stage: Int, Sendable, Comparable {
    case all, withoutNoise, connected, none
    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The bytes that the page has for packets.
  private let budget: Int
  /// An upper estimate of the bytes that the packets need so far.
  private(set) var size = 0
  private var lastTime: Int64 = 0

  /// The bytes of a row's number in the table of shared properties, with its comma.
  private static let commonBytes = 4
  /// The bytes of each of the larger tables in most captures.
  static let usualBytes = 65_536
  /// The largest size of a text in bytes; longer ones are cut.
  static let mostText = 4096

  init(budget: Int) { self.budget = budget }

  /// Returns whether such a packet is still added; counts it as left out if not.
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

  /// Adds a packet, then leaves out kinds of packets until the rest fits the budget.
  mutating func add(_ row: Row, head: RawSpan, rest: RawSpan) {
    var row = row
    row.head = Self.intern(head, &heads, &size)
    row.rest = Self.intern(rest, &rests, &size)
    size += Self.bytes(of: row, since: lastTime)
    lastTime = row.time
    rows.append(row)
    while size > budget, stage < .none { shrink() }
  }

  /// Adds a message about what is wrong with the latest packet.
  mutating func add(problem: RawSpan) {
    guard let packet = rows.last?.number else { return }
    problems.append((packet, Self.intern(problem, &flaws, &size)))
    size += 8
  }

  /// Records the run of folded packets that the latest packet belongs to.
  mutating func fold(into run: Int) {
    guard let packet = rows.last?.number else { return }
    rows[rows.count - 1].flags.insert(.inRun)
    runOfPacket.append((packet, UInt32(run)))
    size += 2
  }

  /// Begins a run of folded packets.
  ///
  /// - Returns: the run's place.
  mutating func beginRun() -> Int {
    runs.append(0)
    return runs.count - 1
  }

  /// Sets the words of a run.
  mutating func word(run: Int, _ text: RawSpan) {
    runs[run] = Self.intern(text, &runTexts, &size)
    size += 4
  }

  private static func intern(
    _ text: RawSpan, _ table: inout TextTable, _ size: inout Int
  ) -> UInt32 {
    let count = table.count
    let place = table.place(of: text.cut(to: mostText))
    // The text is escaped and quoted, and a comma follows.
    if table.count > count { size += min(text.byteCount, mostText) * 17 / 16 + 4 }
    return UInt32(place)
  }

  private static func bytes(of row: Row, since time: Int64) -> Int {
    digits(row.time.subtractingReportingOverflow(time).partialValue) + digits(Int64(row.head))
      + digits(Int64(row.rest)) + 3 + commonBytes
  }

  /// Returns the characters of a number, comparing small ones with constants, since to divide costs
  /// more and this is called thrice for every packet.
  private static func digits(_ number: Int64) -> Int {
    let sign = number < 0 ? 1 : 0
    let magnitude = number.magnitude
    if magnitude < 100 { return sign + (magnitude < 10 ? 1 : 2) }
    if magnitude < 10_000 { return sign + (magnitude < 1000 ? 3 : 4) }
    var (digits, rest) = (sign + 4, magnitude / 10_000)
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    return digits
  }

  /// Leaves out the next kind of packets.
  private mutating func shrink() {
    stage = Stage(rawValue: stage.rawValue + 1) ?? .none
    guard stage < .none else { return }
    rebuild { $0.takes($1.flags, connection: Int($1.connection)) }
  }

  /// Leaves out all packets but the first `count`.
  mutating func keep(first count: Int) {
    leftOut.late += max(0, rows.count - count)
    rows.removeLast(max(0, rows.count - count))
    // Texts are in the order of their first use.
    heads.keep(first: rows.reduce(0) { max($0, Int($1.head)) } + 1)
    rests.keep(first: rows.reduce(0) { max($0, Int($1.rest)) } + 1)
    let last = rows.last?.number ?? 0
    problems.removeAll { $0.packet > last }
    flaws.keep(first: problems.reduce(0) { max($0, Int($1.text)) } + 1)
    runOfPacket.removeAll { $0.packet > last }
  }

  /// Keeps the packets that `keeps` returns true for, with their texts. The tables are renewed one
  /// after the other, since they are large.
  private mutating func rebuild(_ keeps: (inout Self, Row) -> Bool) {
    var kept = 0
    for place in rows.indices where keeps(&self, rows[place]) {
      rows[kept] = rows[place]
      kept += 1
    }
    rows.removeLast(rows.count - kept)
    size = runTexts.byteCount + 4 * (runs.count + runTexts.count)
    heads = renewed(heads, \.head)
    rests = renewed(rests, \.rest)
    lastTime = 0
    let before = (problems, runOfPacket, flaws)
    (problems, runOfPacket, flaws) = ([], [], TextTable())
    var (problem, run) = (0, 0)
    for row in rows {
      size += Self.bytes(of: row, since: lastTime)
      lastTime = row.time
      while problem < before.0.count, before.0[problem].packet <= row.number {
        if before.0[problem].packet == row.number {
          problems.append(
            (row.number, Self.intern(before.2[Int(before.0[problem].text)], &flaws, &size)))
          size += 8
        }
        problem += 1
      }
      while run < before.1.count, before.1[run].packet <= row.number {
        if before.1[run].packet == row.number {
          runOfPacket.append(before.1[run])
          size += 2
        }
        run += 1
      }
    }
  }

  /// Returns the table of the texts that rows have, in the order of their use.
  ///
  /// - Parameter place: the texts of the rows, which get new places.
  private mutating func renewed(
    _ table: TextTable, _ place: WritableKeyPath<Row, UInt32>
  ) -> TextTable {
    var new = TextTable(bytes: table.byteCount)
    for row in rows.indices {
      let text = table[Int(rows[row][keyPath: place])]
      rows[row][keyPath: place] = Self.intern(text, &new, &size)
    }
    return new
  }

  /// Returns the place of a packet's row, or nil if it has none before `end`.
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
  /// Returns the first `most` bytes at most, without cutting a UTF-8 character in two.
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
  /// Properties that many packets share, so that a row needs only one number for all of them.
  private struct Common {
    var connection: Kin
    var layer: UInt8
    var flags: UInt16
    /// How many rows earlier the request is. 0 means that the packet answers no request, or one too
    /// far away to link to.
    var distance: Int

    /// All of them as one number; `distance` is at most `nearest`.
    var code: Int {
      Int(connection.rawValue) << 32 | Int(layer) << 24 | Int(flags) << 8 | distance
    }
  }

  /// A packet's connection, relative to the previous packet that has one.
  private enum Kin: UInt8 {
    case none, same, next, other
  }

  /// The largest distance in `Common`; requests further away are in a list of their own.
  private static let nearest = 40

  /// The bytes that `write` writes.
  var writtenBytes: Int {
    var bytes = 0
    var out = Output()
    write(into: &out) { out in
      guard out.count > Self.usualBytes else { return }
      bytes += out.count
      out.clear()
    }
    return bytes + out.count
  }

  /// Writes the members of the page's data that describe packets.
  ///
  /// - Parameter spill: called after each list, and after each text of the large tables.
  func write(into out: inout Output, _ spill: (inout Output) -> Void = { _ in }) {
    out.text("\"layers\":[")
    // The layers of the air are the last ones: they are left out if no packet needs them.
    let last = max(
      Selection.Layer.note.rawValue, rows.reduce(0) { max($0, $1.layer) })
    for (index, layer) in Selection.Layer.allCases.enumerated() where layer.rawValue <= last {
      if index > 0 { out.byte(0x2c) }
      out.embedded(layer.key.bytes)
    }
    out.text("],\"t\":")
    var previous: Int64 = 0
    out.list(rows.indices) { index, out in
      out.decimal(Int(rows[index].time &- previous))
      previous = rows[index].time
    }
    // Texts are in the order of their first use: 0 is the next new text, and any other number is a
    // text's place plus 1.
    var newest: UInt32 = 0
    out.text(",\"a\":")
    out.list(rows.indices) { index, out in out.place(rows[index].head, &newest) }
    newest = 0
    out.text(",\"b\":")
    out.list(rows.indices) { index, out in out.place(rows[index].rest, &newest) }
    writeNumbers(into: &out)
    writeCommon(into: &out)
    out.text(",\"heads\":")
    spill(&out)
    heads.write(into: &out, spill)
    out.text(",\"rests\":")
    rests.write(into: &out, spill)
    out.text(",\"problems\":")
    out.list(problems.indices) { index, out in
      out.decimal(UInt(problems[index].packet))
      out.byte(0x2c)
      out.decimal(UInt(problems[index].text))
    }
    out.text(",\"flaws\":")
    flaws.write(into: &out)
    out.text(",\"runTexts\":")
    runTexts.write(into: &out)
    out.text(",\"runs\":")
    out.list(runs.indices) { index, out in out.decimal(UInt(runs[index])) }
    // The number of runs that have begun since the packet's run; if negative, the number of runs
    // that begin here.
    var latest: UInt32 = 0
    out.text(",\"run\":")
    out.list(runOfPacket.indices) { index, out in
      let run = runOfPacket[index].run
      let skipped = run > latest ? run - latest : 0
      latest += skipped
      // Runs without remaining packets are skipped, so more than one can begin at once.
      out.decimal(skipped > 0 ? -Int(skipped) : Int(latest - run))
    }
  }

  /// Writes packet numbers as runs of consecutive ones: the first number and the count.
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
    var places: [Int: Int] = [:]
    var all: [Common] = []
    var far: [(row: Int, request: Int)] = []
    // Where the latest ones are, by the last bits of a product of their codes.
    var recent = [(code: Int, place: Int)](repeating: (-1, 0), count: 256)
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
      let code = common.code
      let bits = (code &* 0x1e37_79b9_7f4a_7c15) >> 32 & 255
      if recent[bits].code == code { return out.decimal(recent[bits].place) }
      let place = places[code] ?? all.count
      if place == all.count {
        places[code] = place
        all.append(common)
      }
      recent[bits] = (code, place)
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
  /// Writes the place of a text: 0 for the next new one, otherwise the place plus 1.
  fileprivate mutating func place(_ place: UInt32, _ newest: inout UInt32) {
    guard place == newest + 1 else { return decimal(UInt(place) + 1) }
    newest = place
    byte(0x30)
  }

  /// Writes a JSON list, calling `element` for each index.
  mutating func list(_ indices: Range<Int>, _ element: (Int, inout Output) -> Void) {
    byte(0x5b)
    for index in indices {
      if index > indices.lowerBound { byte(0x2c) }
      element(index, &self)
    }
    byte(0x5d)
  }
}
