import Bluetooth
import Bytes
import Sessions

/// The content of a row of the table.
extension ValuesTable {
  /// Appends how often values arrived, if they are sent without being requested.
  static func rate(_ series: ValueSeries, into text: inout Output) {
    switch series.operation {
    case .notification, .indication, .writeWithoutResponse, .advertisement, .data: break
    case .read, .write, .signedWrite, .preparedWrite: return
    }
    guard series.count > 2, let first = series.firstTime, let last = series.lastTime else { return }
    let nanoseconds = last.nanoseconds(since: first)
    // A rate needs more than a second of values.
    guard nanoseconds >= 1_000_000_000 else { return }
    let perSecond = Double(series.count - 1) * 1e9 / Double(nanoseconds)
    let (value, unit): (Double, StaticString) =
      perSecond >= 0.1
      ? (perSecond, "/s")
      : perSecond * 60 >= 0.1 ? (perSecond * 60, "/min") : (perSecond * 3600, "/h")
    if value >= 99.5 {
      text.decimal(Int(min(value, 1e9) + 0.5))
    } else {
      text.fixed(Int(value * 10 + 0.5), decimals: 1, trim: false)
    }
    text.text(unit)
  }

  /// Returns the first and the last value, with their details.
  func value(_ series: ValueSeries, _ entry: ValueEntry) -> [UInt8] {
    var text = Output()
    let hides = hides(series, entry)
    if let firstLength = series.firstLength, let lastLength = series.lastLength {
      if hides, !(series.isReadable && !series.firstText.isEmpty && !series.lastText.isEmpty) {
        text.text("<hidden>, ")
        text.count(lastLength, "byte", "bytes")
      } else {
        sample(series.first, firstLength, series.firstText, series, into: &text)
        if series.distinct.count > 1 || series.distinct.isAtLeast {
          text.text(glyphs.isUTF8 ? " → " : " -> ")
          sample(series.last, lastLength, series.lastText, series, into: &text)
        }
      }
      distinct(series, hides: hides, into: &text)
    }
    var isFirst = true
    for reason in series.reasons {
      var why = Output()
      why.why(
        reason.outcome, of: series.operation, isAcknowledged: reason.isAcknowledged,
        error: reason.error)
      guard why.count > 0 else { continue }
      if text.count > 0 { text.text(isFirst ? ": " : ", ") }
      isFirst = false
      if series.reasons.count > 1 { Self.share(reason.count, of: series.count, into: &text) }
      why.copy(into: &text)
    }
    remarks(series, into: &text)
    return text.bytes.array
  }

  /// Returns whether the bytes of values are hidden.
  private func hides(_ series: ValueSeries, _ entry: ValueEntry) -> Bool {
    !options.showsKeys && (series.isSecret || secretTypes.contains(entry.attribute.uuid))
  }

  private func sample(
    _ bytes: [UInt8], _ length: Int, _ meaning: [UInt8], _ series: ValueSeries,
    into text: inout Output
  ) {
    if !meaning.isEmpty {
      let isLong = meaning.count > Self.shownMeaning
      let count =
        isLong ? [UInt8](meaning.prefix(Self.shownMeaning)).wholeCharacters : meaning.count
      text.raw(meaning.bytes.part(Slice(start: 0, count: count)))
      if isLong { text.text(glyphs.ellipsis) }
    } else if series.readsLikeText, length > 0 {
      let shown = min(bytes.bytes.countWithoutZeros, Self.shownText)
      let length = length <= bytes.count ? bytes.bytes.countWithoutZeros : length
      text.byte(0x22)
      // A character may be cut in two; the rest of it would look like an invalid one.
      let count = shown < length ? [UInt8](bytes.prefix(shown)).wholeCharacters : shown
      text.printable(bytes.bytes.part(Slice(start: 0, count: count)), isQuoted: true)
      if shown < length { text.text(glyphs.ellipsis) }
      text.byte(0x22)
      bytesInAll(length, shown, into: &text)
    } else {
      text.valueBytes(bytes.bytes.part(Slice(start: 0, count: Self.shownBytes)))
      if Self.shownBytes < length { text.text(glyphs.ellipsis) }
      bytesInAll(length, Self.shownBytes, into: &text)
    }
  }

  private func bytesInAll(_ length: Int, _ shown: Int, into text: inout Output) {
    guard shown < length else { return }
    text.text(" (")
    text.count(length, "byte", "bytes")
    text.byte(0x29)
  }

  private func distinct(_ series: ValueSeries, hides: Bool, into text: inout Output) {
    guard series.count > 1, !hides else { return }
    if series.distinct.isAtLeast {
      text.text(", more than ")
      text.decimal(series.distinct.count)
      text.text(" different")
    } else if series.distinct.count == 1 {
      text.text(series.count == 2 ? ", both times" : ", each time")
    } else if series.distinct.count == series.count {
      // For two values the arrow shows it.
      if series.count > 2 { text.text(", all different") }
    } else {
      text.text(", ")
      text.decimal(series.distinct.count)
      text.text(" different")
    }
    if series.shortest < series.longest, series.count > 2 {
      text.text(", ")
      text.decimal(series.shortest)
      text.text(glyphs.to)
      text.count(series.longest, "byte", "bytes")
    }
  }

  private func remarks(_ series: ValueSeries, into text: inout Output) {
    for (number, words) in [
      (series.outcome == .done ? series.partial : 0, ValueWords.beginsLate),
      (series.cut, ValueWords.cut),
      (series.mayGoOn, ValueWords.mayGoOn),
      (series.restRefused, ValueWords.restRefused(series.vantage)),
      (series.wrongEchoes, "the server repeated something else"),
      // For one or two values, the values themselves show it.
      (series.count > 2 ? series.doubtful : 0, "wrong layout or checksum"),
    ] as [(Int, StaticString)] where number > 0 {
      if text.count > 0 { text.text(", ") }
      if series.count > 1 {
        Self.share(number, of: series.count, into: &text)
      }
      text.text(words)
    }
  }

  /// Appends `2 of 3: `.
  private static func share(_ number: Int, of count: Int, into text: inout Output) {
    text.decimal(number)
    text.text(" of ")
    text.decimal(count)
    text.text(": ")
  }

  /// Returns the trends of the most important numbers, one for each unit, with their range and
  /// their median.
  package func courses(_ series: ValueSeries, _ entry: ValueEntry) -> [[UInt8]] {
    guard series.outcome == .done else { return [] }
    guard !series.quantities.isEmpty else { return course(series, entry).map { [$0] } ?? [] }
    return series.quantities.compactMap { quantity in
      let trend = quantity.trend
      guard trend.count > 2, trend.smallest < trend.largest else { return nil }
      return Self.text { text in
        bars(trend, into: &text)
        text.number(trend.smallest, decimals: quantity.decimals)
        text.text(glyphs.isUTF8 ? "…" : "..")
        text.number(trend.largest, decimals: quantity.decimals)
        unit(quantity, into: &text)
        guard let median = quantity.median else { return }
        text.text(", median ")
        text.number(median, decimals: quantity.decimals)
        unit(quantity, into: &text)
      }
    }
  }

  private func unit(_ quantity: QuantitySeries, into text: inout Output) {
    guard !quantity.unit.isEmpty else { return }
    text.byte(0x20)
    text.raw(quantity.unit.bytes)
  }

  private func bars(_ trend: Trend, into text: inout Output) {
    for point in trend.points {
      let share = (point - trend.smallest) / (trend.largest - trend.smallest)
      glyphs.bar(min(7, max(0, Int(share * 8))), into: &text)
    }
    text.text("  ")
  }

  /// Returns the trend of a series of numbers, with its range.
  private func course(_ series: ValueSeries, _ entry: ValueEntry) -> [UInt8]? {
    let course = series.course
    guard series.outcome == .done, series.count > 2, !course.isBroken, course.width > 0,
      course.trend.smallest < course.trend.largest, !series.readsLikeText,
      // The attribute's type may have become known later.
      NumberForm(entry.attribute.uuid) == course.form,
      // Two assumed numbers are more likely flags.
      !course.form.isAssumed || series.distinct.isAtLeast || series.distinct.count > 2,
      !hides(series, entry)
    else { return nil }
    return Self.text { text in
      bars(course.trend, into: &text)
      text.number(course.trend.smallest, decimals: 0)
      text.text(glyphs.isUTF8 ? "…" : "..")
      text.number(course.trend.largest, decimals: 0)
      text.text(course.form.isAssumed ? " if " : " as ")
      if course.form.isAssumed, course.width > 1 { text.text("little-endian ") }
      text.text(course.form.isSigned ? "sint" : "uint")
      text.decimal(8 * course.width)
    }
  }
}

extension Glyphs {
  /// Appends a bar with a height of 0 to 7.
  func bar(_ height: Int, into output: inout Output) {
    let bars: InlineArray<8, StaticString> =
      isUTF8 ? ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] : ["_", "_", ".", "-", "-", "=", "^", "#"]
    output.text(bars[height])
  }
}

extension [UInt8] {
  /// The number of bytes that form complete UTF-8 characters, if the last one may be cut.
  fileprivate var wholeCharacters: Int {
    var end = count
    while end > 0, count - end < 4, self[end - 1] & 0xc0 == 0x80 { end -= 1 }
    guard end > 0, self[end - 1] >= 0xc0 else { return count }
    if case .scalar(_, let length) = bytes.textUnit(at: end - 1), end - 1 + length == count {
      return count
    }
    return end - 1
  }
}
