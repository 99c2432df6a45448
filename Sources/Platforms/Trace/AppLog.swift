import Bluetooth
import Bytes
import Reports

/// An app's own log: lines with times, to be merged with a trace.
///
/// The time is at the start of a line, with or without brackets: date and time (`2023-11-14
/// 22:13:20.175`, RFC 3339, with slashes, with a `T`, a zone or a comma before the fraction), the
/// formats of logcat and syslog without a year (`11-14 22:13:20.175`, `Nov 14 22:13:20`), a time of
/// day, or seconds or milliseconds since 1970. In text copied from macOS's Console it follows the
/// type of the line. A line without a time belongs to the previous one.
package struct AppLog: Sendable {
  /// A line of the log, with the lines that belong to it.
  struct Line: Sendable {
    /// The line number in the file.
    var number: Int
    var time: Timestamp
    var text: [UInt8]
  }

  /// The file's content.
  private let text: [UInt8]
  /// The offset to add to its times, in nanoseconds.
  private let offset: Int64
  /// The number of lines that are read at most.
  private let most: Int
  /// The maximum number of lines that are read.
  static let most = 1_000_000
  /// The maximum number of bytes of a line, together with the lines that belong to it.
  static let mostText = 1 << 20

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - text: the file's content.
  ///   - offset: the nanoseconds by which the app's clock is to be advanced.
  ///   - most: the maximum number of lines that are read.
  package init(_ text: [UInt8], offset: Int64, most: Int = Self.most) {
    (self.text, self.offset, self.most) = (text, offset, most)
  }

  /// The lines with their times, in the file's order, one at a time; lines before the first time
  /// are omitted.
  struct Reader: Sendable {
    private let log: AppLog
    private let start: Timestamp
    private let zoneOffset: @Sendable (Int64) -> Int64
    /// The next line.
    private(set) var next: Line?
    /// The line after `next`: that it has a time shows where `next` ends.
    private var after: Line?
    /// The first and the last time so far.
    private(set) var times: (first: Timestamp, last: Timestamp)?
    /// Whether a line has more bytes than are kept.
    private(set) var isShortened = false
    /// The number of the file's lines that were read, and where the next one begins.
    private var number = 0
    private var position = 0

    /// - Parameters:
    ///   - start: the time of the capture's first record, which provides the date if the log has
    ///     none.
    ///   - zoneOffset: how times without a zone are read.
    init(_ log: AppLog, _ start: Timestamp, _ zoneOffset: @escaping @Sendable (Int64) -> Int64) {
      (self.log, self.start, self.zoneOffset) = (log, start, zoneOffset)
      advance()
    }

    /// The number of lines that were read, if the file has more; otherwise nil.
    var cut: Int? { number == log.most && position < log.text.count ? number : nil }

    /// Moves to the line after `next`.
    mutating func advance() {
      (next, after) = (after, nil)
      while after == nil, let range = takeLine() {
        let line = log.text[range]
        if let time = AppLog.time(line, start, zoneOffset)?.adding(log.offset) {
          let last = times?.last ?? time
          times = (
            Timestamp.earlier(times?.first, time), last.isEarlier(than: time) ? time : last
          )
          after = Line(number: number, time: time, text: [])
          isShortened = Self.add(line, to: &after) || isShortened
          if next == nil { (next, after) = (after, nil) }
        } else if !line.isEmpty {
          isShortened = Self.add(line, to: &next) || isShortened
        }
      }
    }

    /// Returns the range of the file's next line, without its line break.
    private mutating func takeLine() -> Range<Int>? {
      let (text, start) = (log.text, position)
      guard start <= text.count, number < log.most else { return nil }
      let end = text[start...].firstIndex(of: 0x0a) ?? text.count
      (number, position) = (number + 1, end + 1)
      return start..<(end > start && text[end - 1] == 0x0d ? end - 1 : end)
    }

    /// Adds text to a line, if there is one. Returns whether there was no room for all of it.
    private static func add(_ text: ArraySlice<UInt8>, to line: inout Line?) -> Bool {
      guard let before = line?.text.count else { return false }
      guard before < AppLog.mostText else { return true }
      if before > 0 { line?.text.append(0x0a) }
      let room = AppLog.mostText - before
      line?.text += text.prefix(room)
      return text.count > room
    }
  }

  /// Returns the time at the start of a line.
  private static func time(
    _ line: ArraySlice<UInt8>, _ start: Timestamp, _ zoneOffset: (Int64) -> Int64
  ) -> Timestamp? {
    // Brackets and blanks before the time.
    let rest = line.drop { $0 == 0x5b || $0 == 0x20 || $0 == 0x09 || $0 == 0x28 }
    var words = rest.prefix(64).split(maxSplits: 4) { $0 == 0x20 || $0 == 0x09 }.map { word in
      withZone(word.prefix { !($0 == 0x5d || $0 == 0x29 || $0 == 0x7c) })
    }
    if let month = words.first.flatMap(month), words.count > 2, let day = Int(words[1]), day < 32 {
      // syslog: Nov 14 22:13:20.
      words[0...1] = ["\(twoDigits(month))-\(twoDigits(day))"]
    } else if words.first?.utf8.allSatisfy({ $0 >= 0x41 && $0 <= 0x7a }) == true {
      // Console: Default, Info, Debug, Error or Fault, a tab, the time.
      guard rest.dropFirst(words[0].utf8.count).first == 0x09 else { return nil }
      words.removeFirst()
    }
    guard let first = words.first?.utf8.first, first >= 0x30, first <= 0x39 else { return nil }
    if let time = sinceEpoch(words[0]) { return time }
    let date = words[0].utf8
    if date.count == 10, date.dropFirst(4).first == 0x2f {
      words[0] = String(words[0].map { $0 == "/" ? "-" : $0 })
    }
    // logcat: 11-14 22:13:20.175. Of the years around the capture's, the one that brings the time
    // closest.
    if words.count > 1, words[0].utf8.count == 5, words[0].utf8.dropFirst(2).first == 0x2d {
      let year = CivilDate(days: CivilDate.floorDivide(start.seconds, 86_400).0).year
      let times = [year, year - 1, year + 1].compactMap { year in
        (try? TimePoint("\(year)-\(words[0]) \(words[1])"))?.resolved(
          start, after: nil, zoneOffset)
      }
      return times.min {
        abs($0.seconds - start.seconds) < abs($1.seconds - start.seconds)
      }
    }
    let candidates = words.count > 1 ? ["\(words[0]) \(words[1])", words[0]] : [words[0]]
    for candidate in candidates where candidate.contains(":") {
      let text = candidate.hasSuffix(":") ? String(candidate.dropLast()) : candidate
      if let point = try? TimePoint(text) {
        return point.resolved(start, after: nil, zoneOffset)
      }
    }
    return nil
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the number of a month from the first three letters of its English name.
  private static func month(_ word: String) -> Int? { months.firstIndex(of: word).map { $0 + 1 } }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// Returns a word with a point before the fraction and a colon in the zone: Xcode's console
  /// writes `22:13:20,175+0100`, also with a point.
  private static func withZone(_ word: some Sequence<UInt8>) -> String {
    var bytes = word.map { $0 == 0x2c ? UInt8(ascii: ".") : $0 }
    if bytes.count > 5, bytes.contains(0x3a), [0x2b, 0x2d].contains(bytes[bytes.count - 5]) {
      bytes.insert(0x3a, at: bytes.count - 2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Parses seconds since 1970 with a fraction, or milliseconds.
  private static func sinceEpoch(_ word: String) -> Timestamp? {
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, whole.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let number = Int64(whole)
    else { return nil }
    switch (whole.utf8.count, parts.count) {
    case (13, 1):
      return Timestamp(
        seconds: number / 1000, nanoseconds: UInt32(number % 1000) * 1_000_000)
    case (10, 1...2):
      let digits = parts.count == 2 ? parts[1].prefix(9) : ""
      guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
      let padded = digits + String(repeating: "0", count: 9 - digits.utf8.count)
      return Timestamp(seconds: number, nanoseconds: UInt32(padded) ?? 0)
    default: return nil
    }
  }
}
