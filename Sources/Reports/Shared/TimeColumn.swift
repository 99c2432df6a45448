package import Bluetooth
package import Bytes

/// The time column of lines, in the requested style. The width of seconds grows with the greatest
/// number so far.
package struct TimeColumn: Sendable {
  let style: ShowOptions.TimeStyle
  private let decimals: Int
  private let zoneOffset: @Sendable (Int64) -> Int64
  private var clock = Clock()
  /// The column of the whole seconds, after a space.
  private var secondColumns = GrowingColumn(digits: 4, margin: 1)

  /// - Parameters:
  ///   - decimals: the number of decimals of the capture's times.
  ///   - zoneOffset: returns the offset of the local time zone, in seconds east of UTC.
  package init(
    _ style: ShowOptions.TimeStyle, decimals: Int,
    zoneOffset: @escaping @Sendable (Int64) -> Int64
  ) {
    self.style = style
    self.decimals = decimals
    self.zoneOffset = zoneOffset
  }

  /// The width of the column, including a space before the time.
  package var width: Int {
    switch style {
    case .elapsed, .delta: secondColumns.width + 5
    case .utc: 22 + decimals
    case .local: 21 + decimals
    case .none: 0
    }
  }

  /// Appends the heading of the column.
  package func head(into line: inout Output) {
    guard width > 0 else { return }
    line.spaces(width - 4)
    line.text("time")
  }

  /// Appends a time.
  ///
  /// - Parameters:
  ///   - start: the time of the first record.
  ///   - previous: the time of the previous line.
  package mutating func write(
    _ time: Timestamp, since start: Timestamp, after previous: Timestamp?,
    into line: inout Output
  ) {
    switch style {
    case .elapsed: elapsed(time, since: start, into: &line)
    case .delta: elapsed(time, since: previous ?? time, into: &line)
    case .none: break
    case .utc where !time.isWritable, .local where !time.isWritable: line.spaces(width)
    case .utc:
      line.byte(0x20)
      clock.utc(time, decimals: decimals, into: &line)
    case .local:
      line.byte(0x20)
      let offset = zoneOffset(time.seconds)
      clock.local(time, offset: offset, decimals: decimals, into: &line)
    }
  }

  /// The time between two timestamps, with a sign.
  private struct Elapsed {
    let isNegative: Bool
    let seconds: UInt
    let nanoseconds: UInt32

    init(_ time: Timestamp, since earlier: Timestamp) {
      isNegative = time.isEarlier(than: earlier)
      let (from, to) = isNegative ? (time, earlier) : (earlier, time)
      let borrows = to.nanoseconds < from.nanoseconds
      seconds = UInt(bitPattern: Int(to.seconds &- from.seconds)) &- (borrows ? 1 : 0)
      nanoseconds = to.nanoseconds &+ (borrows ? 1_000_000_000 : 0) &- from.nanoseconds
    }
  }

  /// Appends seconds with four decimals, rounded down. In the width, the sign takes the place of a
  /// digit.
  private mutating func elapsed(
    _ time: Timestamp, since earlier: Timestamp, into line: inout Output
  ) {
    let elapsed = Elapsed(time, since: earlier)
    secondColumns.make(
      room: elapsed.isNegative ? elapsed.seconds.multiplied(clamped: 10) : elapsed.seconds)
    line.spaces(width)
    let end = line.count
    line.put(fraction: elapsed.nanoseconds / 100_000, endingAt: end)
    let first = line.put(elapsed.seconds, endingAt: end - 5)
    if elapsed.isNegative { line.put(0x2d, at: first - 1) }
  }
}
