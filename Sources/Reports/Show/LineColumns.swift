import Bluetooth
import Bytes

/// The columns of `show`'s lines: number, time, gap and connection at the start, then a packet's
/// name, subject and rest.
///
///     #      time    gap id   what            subject   details
///     97    0.1773         1 → Read Request   0x0010
///
/// The start differs little from one line to the next, so it is cached. For a packet that follows
/// within the same second only the digits that changed are overwritten. They are overwritten in the
/// line: bytes that were written just before are slow to copy.
struct LineColumns: ~Copyable {
  private let time: ShowOptions.TimeStyle
  private let hasGap: Bool
  private let hasAllHeadings: Bool
  private let glyphs: Glyphs
  private let usesColor: Bool
  /// Whether the signs of directions are the usual ones, without a style.
  private let hasUsualSigns: Bool
  /// The width of name and subject together, before the rest.
  private let subjectColumns: Int
  private var timeColumn: TimeColumn
  /// The column of packet numbers.
  private var numberColumns = GrowingColumn(digits: 5, margin: 0)
  /// The column of connection numbers, after a space.
  private var idColumns = GrowingColumn(digits: 2, margin: 1)
  /// The adapter that was seen first; records of other adapters name theirs.
  private var firstAdapter = AdapterIndex.unknown
  private var hasSeveralAdapters = false
  /// The time of the previous line.
  var previous: Timestamp?

  /// The number, time, gap and connection of the previous line as written, and their ends. If the
  /// line is plain, it already has the number of the next packet, and its fraction and connection
  /// may differ.
  private var front = Output()
  private var kept = Kept()
  private var cell = Output()
  private let passing = PassedByReference()

  /// The start of the previous line.
  private struct Kept {
    /// Whether there is a previous line whose time is in seconds since the start and not negative,
    /// and whose gap is empty.
    var isPlain = false
    /// The number in the line; 0 for none.
    var number = 0
    var numberEnd = 0
    /// The whole seconds of the time, and whether the start's fraction is greater than the time's.
    var seconds: Int64 = 0
    var borrows = false
    var timeEnd = 0
    var id = 0
    var idEnd = 0
  }

  /// The width of a controller's name, including a space after it.
  private static let adapterColumns = 5
  /// The width of a PDU's name, before its subject.
  private static let nameColumns = 16
  /// Narrower lines have no gap, and even narrower ones no time either.
  private static let columnsWithGap = 60
  private static let columnsWithTime = 48
  /// On narrower terminals, the parts of a packet's words have no headings.
  private static let columnsWithHeadings = 90
  /// The shortest gap that is printed, in nanoseconds.
  private static let shortestGap: Int64 = 500_000_000
  /// The maximum number of bytes of the columns apart from name, subject and rest, including blanks
  /// after them.
  static let mostBytes = 512

  init(_ options: ShowOptions, decimals: Int) {
    // On a narrow terminal the words are more important than the time.
    let width = options.width ?? .max
    hasGap = options.time != .delta && width >= Self.columnsWithGap
    hasAllHeadings = width >= Self.columnsWithHeadings
    time = options.time == .elapsed && width < Self.columnsWithTime ? .none : options.time
    glyphs = options.glyphs
    usesColor = options.usesColor
    hasUsualSigns = options.glyphs.isUTF8 && !options.usesColor
    timeColumn = TimeColumn(time, decimals: decimals, zoneOffset: options.zoneOffset)
    subjectColumns = width < 110 ? 24 : width < 130 ? 36 : 44
  }

  /// Records the controller of a packet, whether printed or not.
  mutating func observe(_ adapter: AdapterIndex) {
    if firstAdapter == .unknown { firstAdapter = adapter }
    if adapter != firstAdapter, adapter != .unknown { hasSeveralAdapters = true }
  }

  /// The width of the gap; 0 if the time column shows it, or there is no room.
  private var gapColumns: Int { hasGap ? 7 : 0 }

  /// Appends the headings of the columns.
  func head(into line: inout Output) {
    line.style(.dim, isOn: usesColor)
    line.spaces(numberColumns.width - 1)
    line.byte(0x23)
    timeColumn.head(into: &line)
    if gapColumns > 0 {
      line.spaces(gapColumns - 3)
      line.text("gap")
    }
    line.text(" id   what")
    if hasAllHeadings {
      line.spaces(Self.nameColumns - 4)
      line.text("subject")
      line.spaces(subjectColumns - Self.nameColumns - 7)
      line.text("details")
    }
    line.style(.plain, isOn: usesColor)
  }

  // MARK: In front

  /// Appends what precedes a packet's words.
  ///
  /// - Parameters:
  ///   - start: the time of the first record.
  ///   - id: the connection's number, 0 for none.
  ///   - line: must have room for `mostBytes`, so that nothing of the line is flushed before it is
  ///     complete: some of it is overwritten.
  mutating func prefix(
    _ packet: Int, _ time: Timestamp?, since start: Timestamp?, _ id: Int, _ adapter: AdapterIndex,
    _ direction: Direction?, isInferred: Bool = false, into line: inout Output
  ) {
    if let time, let start, goesOn(packet, time, start, id) {
      let base = line.count
      front.copy(Slice(start: 0, count: front.count), into: &line)
      let fraction =
        time.nanoseconds &+ (kept.borrows ? 1_000_000_000 : 0) &- start.nanoseconds
      line.put(fraction: fraction / 100_000, endingAt: base + kept.timeEnd)
      if id != kept.id {
        line.put(
          id == 0 ? 0x20 : 0x30 &+ UInt8(truncatingIfNeeded: id), at: base + kept.idEnd - 1)
      }
    } else {
      begin(packet, time, start, id)
      front.copy(Slice(start: 0, count: front.count), into: &line)
    }
    if let time { previous = time }
    // Usually the next packet is the next line.
    kept.isPlain = kept.isPlain && numberColumns.hasRoom(UInt(packet + 1))
    if kept.isPlain {
      front.increment(endingAt: kept.numberEnd)
      kept.number = packet + 1
    }
    if hasSeveralAdapters { self.adapter(adapter, into: &line) }
    // The usual signs are constants here, and written directly.
    switch direction {
    case .sent where hasUsualSigns && !isInferred: line.text(Glyphs(isUTF8: true).sent)
    case .received where hasUsualSigns && !isInferred: line.text(Glyphs(isUTF8: true).received)
    default: sign(direction, isInferred, into: &line)
    }
    line.byte(0x20)
  }

  /// Prepares the cached start for the next packet: its number is set, and its fraction and
  /// connection are to be overwritten. Returns false if anything other than digits has changed.
  private mutating func goesOn(
    _ packet: Int, _ time: Timestamp, _ start: Timestamp, _ id: Int
  ) -> Bool {
    guard kept.isPlain, let previous, packet >= kept.number,
      numberColumns.hasRoom(UInt(packet)), time.seconds == kept.seconds,
      Self.isSoon(time, after: previous),
      (time.nanoseconds < start.nanoseconds) == kept.borrows,
      id == kept.id || id < 10 && kept.id < 10
    else { return false }
    if packet != kept.number { front.put(UInt(packet), endingAt: kept.numberEnd) }
    return true
  }

  /// Writes the columns from scratch: right-aligned over spaces that are written first.
  @inline(never)
  private mutating func begin(
    _ packet: Int, _ time: Timestamp?, _ start: Timestamp?, _ id: Int
  ) {
    front.clear()
    kept = Kept()
    let number = UInt(packet)
    numberColumns.make(room: number)
    front.style(.dim, isOn: usesColor)
    front.spaces(numberColumns.width)
    kept.number = packet
    kept.numberEnd = front.count
    front.put(number, endingAt: kept.numberEnd)
    if let time {
      let start = start ?? time
      timeColumn.write(time, since: start, after: previous, into: &front)
      kept.timeEnd = front.count
      kept.seconds = time.seconds
      kept.borrows = time.nanoseconds < start.nanoseconds
      let hasGap = gap(time)
      kept.isPlain = self.time == .elapsed && !hasGap && !time.isEarlier(than: start)
    } else {
      front.spaces(timeColumn.width + gapColumns)
    }
    front.style(.plain, isOn: usesColor)
    if id > 0 { idColumns.make(room: UInt(id)) }
    front.spaces(idColumns.width)
    kept.id = id
    kept.idEnd = front.count
    if id > 0 { front.put(UInt(id), endingAt: kept.idEnd) }
    front.byte(0x20)
  }

  /// Returns whether a time follows another within the same second and in less than the shortest
  /// gap, as most do.
  private static func isSoon(_ time: Timestamp, after previous: Timestamp) -> Bool {
    time.seconds == previous.seconds
      && time.nanoseconds < previous.nanoseconds &+ UInt32(shortestGap)
  }

  /// Writes the gap since the previous line, and returns whether there was one.
  private mutating func gap(_ time: Timestamp) -> Bool {
    guard gapColumns > 0 else { return false }
    let previous = previous ?? time
    let gap = Self.isSoon(time, after: previous) ? 0 : time.nanoseconds(since: previous)
    guard gap >= Self.shortestGap else {
      front.spaces(gapColumns)
      return false
    }
    cell.clear()
    cell.gap(nanoseconds: gap)
    // Clocks that jump by years may need more than the column.
    front.spaces(max(1, gapColumns - cell.count))
    cell.copy(into: &front)
    return true
  }

  /// Appends the controller's column, which exists once there are several controllers.
  private func adapter(_ adapter: AdapterIndex, into line: inout Output) {
    let start = line.count
    if let number = adapter.number {
      line.text("hci")
      line.decimal(Int(number))
      line.byte(0x20)
    }
    line.spaces(start + Self.adapterColumns - line.count)
  }

  /// Appends the direction of the packet.
  @inline(never)
  private func sign(_ direction: Direction?, _ isInferred: Bool, into line: inout Output) {
    guard let direction else { return line.spaces(glyphs.isUTF8 ? 1 : 2) }
    line.style(direction == .sent ? .sent : .received, isOn: usesColor)
    switch direction {
    case .sent: line.text(isInferred ? glyphs.sentInferred : glyphs.sent)
    case .received: line.text(isInferred ? glyphs.receivedInferred : glyphs.received)
    }
    line.style(.plain, isOn: usesColor)
  }

  // MARK: Words

  /// Appends name, subject and rest in their columns; what does not fit shifts the next to the
  /// right. Names and subjects are ASCII, so that their bytes are their columns, except for what
  /// `surplus` counts.
  ///
  /// - Parameter style: the style of the name, unless the packet is a failure.
  func words(
    _ sentence: borrowing Sentence, _ style: TextStyle, into line: inout Output
  ) {
    let parts = sentence.parts
    if sentence.isFailure { line.style(.failure, isOn: usesColor) }
    let isNameStyled = usesColor && style != .plain && !sentence.isFailure
    if isNameStyled { line.text(style.sequence) }
    var start = line.count
    sentence.output.copy(parts.name, into: &line)
    if isNameStyled {
      let styled = line.count
      line.style(.plain, isOn: true)
      // The escape sequence has no columns.
      start += line.count - styled
    }
    if !parts.subject.isEmpty {
      align(start + Self.nameColumns, &line)
      sentence.output.copy(parts.subject, into: &line)
    }
    if !parts.rest.isEmpty {
      align(start + subjectColumns + sentence.surplus, &line)
      sentence.output.copy(parts.rest, into: &line)
    }
    if sentence.isFailure { line.style(.plain, isOn: usesColor) }
  }

  /// Appends a name without a subject, up to what follows it.
  func words(_ name: StaticString, into line: inout Output) {
    line.text(name)
    line.spaces(max(2, subjectColumns - name.utf8CodeUnitCount))
  }

  /// Appends blanks up to a column, or two if what comes before reaches into it.
  @inline(__always)
  private func align(_ column: Int, _ line: inout Output) {
    line.spaces(line.count < column ? column - line.count : 2)
  }
}
