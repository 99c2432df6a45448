import Bytes
import Reports

/// The fields and bytes of packets, for the part of a page that shows one of them.
///
/// They share the room that the packets themselves leave. If it is exceeded, bytes are dropped
/// first, then the fields of flow control (which never get more than a sixteenth), then those of
/// packets without ATT, pairing or a failure, then those of other packets, later ones first. Fields
/// of failing packets are never dropped, except those for which `keepsFailing` has no room: they
/// count as others.
struct PageDetails: Sendable {
  /// The importance of a packet's fields to the reader.
  enum Rank: Int, Sendable {
    case failing, important, other, routine
  }

  /// Lines that several packets share: those with which their fields begin, or those after them.
  struct Lines: Sendable {
    fileprivate let rank: Rank
    fileprivate let part: Int
    fileprivate let place: UInt32
  }

  /// Lists of lines, each as runs of places that follow each other.
  private struct LineLists: Sendable {
    private var runs: [(first: UInt32, count: UInt32)] = []
    private var ends: [UInt32] = []
    var count: Int { ends.count }

    /// Adds lines to the list that `end` completes.
    mutating func add(_ run: Range<Int>) {
      runs.append((UInt32(run.lowerBound), UInt32(run.count)))
    }

    mutating func end() { ends.append(UInt32(runs.count)) }

    /// - Parameter numbers: texts of all places.
    func write(_ list: Int, _ numbers: borrowing NumberTexts, into out: inout Output) {
      out.byte(0x5b)
      let start = list > 0 ? Int(ends[list - 1]) : 0
      for run in start..<Int(ends[list]) {
        let first = Int(runs[run].first)
        numbers.write(first..<first + Int(runs[run].count), isFirst: run == start, into: &out)
      }
      out.byte(0x5d)
    }
  }

  /// The fields of some packets. Each distinct line is kept once; packets are lists of lines, of
  /// which the first ones may be shared by several, and the rest by those with the same value.
  private struct Part: Sendable {
    var lines = TextTable(bytes: PageDetails.partBytes)
    /// For each line, the one that followed it last time, unless that is the next in `lines`; for
    /// the empty one, the first of the latest packet. Packets of one kind have mostly the same
    /// lines.
    private var followers: [UInt32] = [0]
    /// The packets, and the places in `beginnings` and `rests` of each one's lines.
    private(set) var packets: [(number: UInt32, beginning: UInt32, rest: UInt32)] = []
    private var beginnings = LineLists()
    /// The last line of each beginning.
    private var lastLines: [Int] = [0]
    private var rests = LineLists()
    /// The size of each of `rests`.
    private var restSizes: [Int] = []
    var size = 32

    init() { beginnings.end() }

    /// Adds a packet whose lines are known.
    ///
    /// - Parameters:
    ///   - beginning: the place of its first lines; 0: none.
    ///   - rest: the place of those after them.
    mutating func add(_ packet: Int, _ beginning: UInt32, _ rest: UInt32) {
      packets.append((UInt32(truncatingIfNeeded: packet), beginning, rest))
      size += 12 + (beginning < 10 ? 0 : 2) + restSizes[Int(rest)]
    }

    /// Adds the first lines of a packet, and returns their place.
    mutating func add(beginning text: RawSpan) -> UInt32 {
      let (last, bytes) = add(text, after: 0, isBeginning: true)
      lastLines.append(last)
      size += 3 + bytes
      return UInt32(beginnings.count - 1)
    }

    /// Adds the lines of a packet after its first ones, and returns their place.
    ///
    /// - Parameters:
    ///   - text: the lines, each with its newline.
    ///   - beginning: the place of those before them; 0: none.
    mutating func add(rest text: RawSpan, after beginning: UInt32) -> UInt32 {
      restSizes.append(add(text, after: lastLines[Int(beginning)], isBeginning: false).bytes)
      return UInt32(rests.count - 1)
    }

    /// Adds a list of lines, and returns the last one and the bytes of their places.
    ///
    /// - Parameter last: the line before them; 0: none.
    private mutating func add(
      _ text: RawSpan, after last: Int, isBeginning: Bool
    ) -> (last: Int, bytes: Int) {
      var (start, last, bytes) = (0, last, 0)
      while start < text.byteCount {
        let expected = follower(of: last)
        var run = expected..<lines.end(from: expected, in: text, at: &start)
        if run.isEmpty {
          let place = add(text, from: &start, expected)
          run = place..<place + 1
        }
        if run.lowerBound != expected { followers[last] = UInt32(run.lowerBound) }
        last = run.upperBound - 1
        if Self.bytes(of: run.lowerBound) == Self.bytes(of: last) {
          bytes += run.count * Self.bytes(of: last)
        } else {
          for place in run { bytes += Self.bytes(of: place) }
        }
        if isBeginning { beginnings.add(run) } else { rests.add(run) }
      }
      if isBeginning { beginnings.end() } else { rests.end() }
      return (last, bytes)
    }

    /// Returns the bytes of a place, with its comma.
    private static func bytes(of place: Int) -> Int {
      place < 10 ? 2 : place < 100 ? 3 : place < 1000 ? 4 : 5
    }

    private func follower(of line: Int) -> Int {
      line < followers.count && followers[line] > 0 ? Int(followers[line]) : line + 1
    }

    /// Returns the place of the line that begins at `start`, and moves `start` after it.
    ///
    /// - Parameter expected: the line that was expected here.
    private mutating func add(
      _ text: RawSpan, from start: inout Int, _ expected: Int
    ) -> Int {
      let count = text.dropping(start).firstOffset(of: 0x0a).map { $0 + 1 } ?? text.byteCount
      let line = text.part(Slice(start: start, count: count))
      start += count
      let place = count <= PageRows.mostText ? lines.place(of: line) : placeOfCut(line)
      if place == followers.count {
        // What follows the expected line probably follows this one, too.
        followers.append(UInt32(follower(of: expected)))
        // Its three tabs are escaped.
        let isField = lines[place].firstOffset(of: 0x09) != nil
        size += (lines[place].byteCount - 1) * 17 / 16 + (isField ? 6 : 3)
      }
      return place
    }

    /// Returns the place of the beginning of a line that is too long.
    private mutating func placeOfCut(_ line: RawSpan) -> Int {
      var beginning = line.cut(to: PageRows.mostText).array
      beginning.append(0x0a)
      return lines.place(of: beginning.bytes)
    }

    /// - Parameter numbers: texts of all places.
    func write(_ numbers: borrowing NumberTexts, into out: inout Output) {
      out.text("{\"lines\":")
      lines.write(withoutLast: 1, into: &out)
      out.text(",\"n\":")
      out.list(packets.indices) { index, out in out.decimal(UInt(packets[index].number)) }
      out.text(",\"begins\":")
      out.list(0..<beginnings.count) { index, out in beginnings.write(index, numbers, into: &out) }
      out.text(",\"b\":")
      out.list(packets.indices) { index, out in out.decimal(UInt(packets[index].beginning)) }
      out.text(",\"x\":")
      out.list(packets.indices) { index, out in
        rests.write(Int(packets[index].rest), numbers, into: &out)
      }
      out.byte(0x7d)
    }
  }

  /// Parts by rank. Each has a bounded size, so that the last ones can be dropped.
  private var parts: [[Part]] = [[], [], [], []]
  private static let partBytes = 65_536
  /// The bytes of records that hide nothing, and the hexadecimal digits of the others, with `..`
  /// for hidden bytes. Most pages have no room for them, so digits are only written at the end.
  private var records = TextTable(bytes: PageRows.usualBytes)
  private var hidden = TextTable()
  private var hexPackets: [(packet: UInt32, place: UInt32, isHidden: Bool)] = []
  private var hexSize = 0
  private var fieldsSize = 0
  private var routineSize = 0
  private var failingSize = 0
  /// The bytes for packets and their details, and those of them that packets leave to the details.
  private let room: Int
  private let least: Int
  private var budget: Int
  private var keepsBytes = true
  /// Only fields of ranks below this one are still recorded.
  private var end = 4
  /// The number of packets whose fields are not on the page.
  private(set) var withoutFields = 0

  /// The largest record whose bytes are kept; no reader would look at more.
  private static let mostBytes = 2048

  /// - Parameter room: the bytes for packets and their details.
  init(room: Int) {
    (self.room, least) = (room, Self.least(room))
    budget = room
  }

  /// Returns the bytes that are left to details however many packets there are.
  static func least(_ room: Int) -> Int { room / 16 }

  /// Updates the budget from the number of bytes that packets need so far.
  mutating func learn(rows: Int) {
    let updated = max(least, room - rows)
    // All that was added fits the previous one.
    guard updated != budget else { return }
    budget = updated
    fit()
  }

  /// Whether fields of failing packets have room that packets never take.
  var keepsFailing: Bool { failingSize < least }

  /// Returns whether to record the fields of a packet of this rank; counts the packet if not.
  mutating func wantsFields(_ rank: Rank) -> Bool {
    let wants =
      rank.rawValue < end && fieldsSize < 2 * budget
      && (rank != .routine || routineSize < budget / 16)
    if !wants { withoutFields += 1 }
    return wants
  }

  /// Returns whether the fields of a packet of this rank can begin with these lines.
  // Inlined, since a call would copy all details.
  @inline(__always)
  func has(_ beginning: Lines, _ rank: Rank) -> Bool {
    beginning.rank == rank && beginning.part == parts[rank.rawValue].count - 1
      && parts[rank.rawValue][beginning.part].size <= Self.partBytes
  }

  /// Adds lines with which the fields of packets of this rank begin.
  mutating func add(beginning text: RawSpan, _ rank: Rank) -> Lines {
    var place: UInt32 = 0
    let part = extend(rank) { place = $0.add(beginning: text) }
    return Lines(rank: rank, part: part, place: place)
  }

  /// Adds a packet's fields, and returns those after its first lines.
  ///
  /// - Parameter beginning: the lines before them, if `has` shows that they are present.
  @discardableResult
  mutating func add(
    fields: RawSpan, after beginning: Lines? = nil, of packet: Int, _ rank: Rank
  ) -> Lines {
    let first = beginning?.place ?? 0
    var place: UInt32 = 0
    let part = extend(rank, beginning?.part) {
      place = $0.add(rest: fields, after: first)
      $0.add(packet, first, place)
    }
    fit()
    return Lines(rank: rank, part: part, place: place)
  }

  /// Adds a packet's fields that are known. Returns false if they cannot follow its first lines.
  mutating func add(_ rest: Lines, after beginning: Lines, of packet: Int) -> Bool {
    guard rest.rank == beginning.rank, rest.part == beginning.part else { return false }
    _ = extend(rest.rank, rest.part) { $0.add(packet, beginning.place, rest.place) }
    fit()
    return true
  }

  /// Adds to a part of a rank: if none is given, to the last one, or to a new one if that is full.
  /// Returns the part's place.
  private mutating func extend(
    _ rank: Rank, _ part: Int? = nil, _ add: (inout Part) -> Void
  ) -> Int {
    let place = rank.rawValue
    if part == nil, parts[place].last.map({ $0.size > Self.partBytes }) ?? true {
      parts[place].append(Part())
    }
    let last = part ?? parts[place].count - 1
    let size = parts[place][last].size
    add(&parts[place][last])
    let growth = parts[place][last].size - size
    fieldsSize += growth
    if rank == .routine { routineSize += growth }
    if rank == .failing { failingSize += growth }
    return last
  }

  /// Returns whether the bytes of a record of this length are kept.
  func wantsBytes(_ count: Int) -> Bool { keepsBytes && count <= Self.mostBytes }

  mutating func add(_ record: RawSpan, hiding secrets: Secrets, of packet: Int) {
    let count = records.count + hidden.count
    let place: Int
    if secrets.isEmpty {
      place = records.place(of: record)
    } else {
      var text = Output()
      text.hex(record, hiding: secrets)
      place = hidden.place(of: text.bytes)
    }
    hexSize += 12 + (records.count + hidden.count > count ? 2 * record.byteCount + 3 : 0)
    hexPackets.append((UInt32(truncatingIfNeeded: packet), UInt32(place), !secrets.isEmpty))
    fit()
  }

  private mutating func fit() {
    if keepsBytes, fieldsSize + hexSize > budget || hexSize > budget / 8 * 3 {
      keepsBytes = false
      (records, hidden, hexPackets, hexSize) = (TextTable(), TextTable(), [], 0)
    }
    while fieldsSize > budget, let rank = parts.lastIndex(where: { !$0.isEmpty }), rank > 0,
      let part = parts[rank].popLast()
    {
      fieldsSize -= part.size
      withoutFields += part.packets.count
      end = rank
    }
  }

  /// Writes the fields and bytes as JSON, and forgets them part by part: a page needs them once,
  /// and both would take as much memory again.
  mutating func take(into out: inout Output) {
    out.reserve(fieldsSize + hexSize)
    out.text("{\"fields\":[")
    let numbers = NumberTexts(parts.joined().reduce(0) { max($0, $1.lines.count) })
    var isFirst = true
    for rank in parts.indices {
      parts[rank].reverse()
      while let part = parts[rank].popLast() {
        if !isFirst { out.byte(0x2c) }
        isFirst = false
        part.write(numbers, into: &out)
      }
    }
    out.text("],\"hex\":")
    // Both tables begin with the empty text, which is written once.
    let first = records.count - 1
    out.list(0..<first + hidden.count) { place, out in
      guard place <= first else { return out.embedded(hidden[place - first]) }
      out.byte(0x22)
      out.hex(records[place])
      out.byte(0x22)
    }
    out.text(",\"bytes\":")
    out.list(hexPackets.indices) { index, out in
      out.decimal(UInt(hexPackets[index].packet))
      out.byte(0x2c)
      let (_, place, isHidden) = hexPackets[index]
      out.decimal(Int(place) + (isHidden ? first : 0))
    }
    out.byte(0x7d)
    (records, hidden, hexPackets) = (TextTable(), TextTable(), [])
  }
}

/// The texts of small numbers, for lists of many runs of consecutive ones.
private struct NumberTexts: ~Copyable {
  private var text = Output()
  /// For each number, where its text begins, with a comma before it; then the end of the last one.
  private var starts: [Int32] = []

  /// Writes the numbers below `count`.
  init(_ count: Int) {
    starts.reserveCapacity(count + 1)
    for number in 0..<count {
      starts.append(Int32(text.count))
      text.byte(0x2c)
      text.decimal(UInt(number))
    }
    starts.append(Int32(text.count))
  }

  /// Writes consecutive numbers as a part of a list.
  func write(_ numbers: Range<Int>, isFirst: Bool, into out: inout Output) {
    let start = Int(starts[numbers.lowerBound]) + (isFirst ? 1 : 0)
    text.copy(
      Slice(start: start, count: Int(starts[numbers.upperBound]) - start), into: &out)
  }
}
