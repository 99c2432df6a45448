import Bluetooth
package import Bytes
package import Captures
import Reports
package import Sessions

/// `trace`: the capture as the callbacks that an app could have received, in the order of packets,
/// merged with the app's own log if there is one.
///
/// Some events are known only later. Lines wait for at most a second to be sorted.
package struct TraceReport: PacketReport, ~Copyable {
  /// A line that waits to be sorted.
  private struct Waiting: Sendable {
    var event: AppEvent
  }

  private let options: TraceOptions
  private var events: AppEvents
  private var waiting: [Waiting] = []
  /// The index of the first line that was not printed.
  private var first = 0
  /// The latest time of all packets.
  private var latest: Timestamp?
  /// The part of the selection that is about what lines say.
  private var watched: WatchedSelection
  private var lines: TraceLines
  private var log: AppLog.Reader?
  /// The number of lines of the log that were printed.
  private var written = 0
  private var window: TimeWindow
  private var records = 0
  /// Which packets from the air stay encrypted.
  private var unread: String?
  /// Whether anything was not selected.
  private var wasLeftOut = false
  /// The connections of selected devices and those of each exclusion's devices: all of what happens
  /// on them is about the device, whatever address it uses.
  private var chosen: [Set<Int>]
  /// The part of the selection that is about the packets of lines; nil: all are selected.
  private let packets: WatchedSelection?
  /// Which of the latest packets it selects.
  private var recent = RecentPackets()

  /// After this many nanoseconds, or packets, nothing arrives that belongs before a packet.
  private static let patience: Int64 = 1_100_000_000
  private static let mostWaiting = 4096
  private static let mostChosen = 65_536

  /// Creates a trace of a capture with this summary.
  package init(_ options: TraceOptions, _ summary: CaptureSummary, limits: Limits = Limits()) {
    self.options = options
    events = AppEvents(
      reportsDuplicates: options.reportsDuplicates, for: options.platform, limits)
    watched = WatchedSelection(options.selection.excluding { $0.ofPackets.isEverything })
    chosen = Array(repeating: [], count: watched.excluded.count + 1)
    lines = TraceLines(options, summary)
    let packets = options.selection.excluding { !$0.ofPackets.isEverything }.mapped(\.ofPackets)
    self.packets = packets.isEverything ? nil : WatchedSelection(packets)
    window = TimeWindow(options.selection, options.time.readingOffset(options.zoneOffset))
  }

  /// Whether the number of lines that were requested is printed.
  package var isSatisfied: Bool { lines.isFull }

  /// Why nothing was printed.
  package var remark: String? {
    if records == 0 { return "the capture holds no records" }
    let sentences = [emptiness, logRemark, unread].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
  }

  /// Why nothing was printed, or nil if something was.
  private var emptiness: String? {
    if lines.count > written || lines.isFull { return nil }
    if let absence = watched.devices.absence { return absence }
    return wasLeftOut
      ? "no callback matches the selection"
      : "the capture shows nothing that an app would receive"
  }

  /// Why the app's log is not among the lines.
  private var logRemark: String? {
    guard options.log != nil else { return nil }
    guard let log else {
      return "the capture has no times: the app's log cannot be merged with it"
    }
    guard log.times != nil else {
      return "no line of the app's log begins with a time"
    }
    let cut = log.cut.map { "only the first \($0) lines of the app's log are read" }
    let shortened =
      log.isShortened
      ? "only the first \(AppLog.mostText >> 20) MB of each line of the app's log is shown" : nil
    let sentences = [cut, shortened, distance].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
  }

  /// How far the log is from the capture, if no line of the log was written during the capture.
  private var distance: String? {
    guard let start = window.start, let latest, let (first, last) = log?.times else { return nil }
    let words: String
    if latest.isEarlier(than: first) {
      words = "begins \(Self.words(first.nanoseconds(since: latest))) after the capture's end"
    } else if last.isEarlier(than: start) {
      words = "ends \(Self.words(start.nanoseconds(since: last))) before the capture's beginning"
    } else {
      return nil
    }
    return
      "the app's log \(words): --clock-offset SECONDS corrects its clock, --time local reads its times as this machine's"
  }

  /// Returns a long duration in its largest unit.
  private static func words(_ nanoseconds: Int64) -> String {
    let seconds = nanoseconds / 1_000_000_000
    let units = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
    let (size, name) = units.first { seconds >= 2 * Int64($0.0) } ?? (1, "second")
    let count = seconds / Int64(size)
    return count == 1 ? "1 \(name)" : "\(count) \(name)s"
  }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    records += 1
    lines.follow(packet, memory)
    if window.start == nil, let time = packet.record.time { begin(time) }
    if let time = packet.record.time, latest.map({ $0.isEarlier(than: time) }) ?? true {
      latest = time
    }
    watched.learn(memory.names)
    if let packets {
      recent.insert(
        packet.record.number,
        isChosen: packets.admits(packet, memory))
    }
    events.observe(packet, memory)
    insertLatest()
    guard first < waiting.count else { return }
    lines.vantage = memory.vantage
    release(before: packet.record.number, into: &output)
  }

  package mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32? {
    guard first < waiting.count else { return nil }
    // Nothing has arrived for a second, so nothing is missing, except for the end of a search.
    if isOverdue {
      isOverdue = false
      release(before: .max, into: &output)
      return nil
    }
    isOverdue = true
    return 1100
  }

  /// Whether the source was already waited for.
  private var isOverdue = false

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    events.finish(memory)
    unread = memory.air.encryptionRemark
    insertLatest()
    lines.vantage = memory.vantage
    release(before: .max, into: &output)
    while let line = log?.next { write(line, into: &output) }
  }

  private mutating func begin(_ time: Timestamp) {
    window.observe(time)
    lines.start = time
    guard let log = options.log else { return }
    self.log = AppLog.Reader(log, time, options.time.readingOffset(options.zoneOffset))
  }

  // MARK: Order

  private mutating func insertLatest() {
    for event in events.latest {
      if admits(event) { insert(event) } else { wasLeftOut = true }
    }
    if !events.latest.isEmpty { isOverdue = false }
  }

  private mutating func admits(_ event: AppEvent) -> Bool {
    if packets != nil, !recent.contains(event.packet) { return false }
    guard window.contains(event.time) else { return false }
    guard Self.matches(event, watched.selection, watched.devices, &chosen[0]) else { return false }
    for (index, one) in watched.excluded.enumerated()
    where Self.matches(event, one.selection, one.devices, &chosen[index + 1]) {
      return false
    }
    return true
  }

  /// Returns whether an event is selected by what it says, apart from exclusions.
  ///
  /// - Parameter chosen: the connections of the selected devices so far.
  private static func matches(
    _ event: AppEvent, _ selection: Selection, _ devices: DeviceWatch, _ chosen: inout Set<Int>
  ) -> Bool {
    if !selection.admits(connection: event.connection) { return false }
    if !selection.admits(adapter: event.adapter) { return false }
    if selection.errorsOnly, !event.hasFailed { return false }
    if selection.isOfAttributes, !event.concerns(where: { selection.admits($0, $1, in: $2) }) {
      return false
    }
    guard !selection.devices.isEmpty else { return true }
    if event.connection > 0, chosen.contains(event.connection) { return true }
    let addresses = [event.peer, event.otherAddress]
    guard addresses.contains(where: { $0.map { devices.isWanted($0) } ?? false }) else {
      return false
    }
    if event.connection > 0, chosen.count < mostChosen { chosen.insert(event.connection) }
    return true
  }

  /// Prints the lines before which nothing can be inserted any more.
  private mutating func release(before packet: Int, into output: inout Output) {
    while first < waiting.count {
      let event = waiting[first].event
      if packet < .max, waiting.count - first < Self.mostWaiting, let latest, let own = event.time,
        latest.nanoseconds(since: own) < Self.patience
      {
        break
      }
      while let own = event.time, let line = log?.next, line.time.isEarlier(than: own) {
        write(line, into: &output)
      }
      lines.write(event, into: &output)
      first += 1
    }
    guard first == waiting.count || first > Self.mostWaiting else { return }
    waiting.removeFirst(first)
    first = 0
  }

  /// Inserts a line at its position, which is nearly always the end.
  private mutating func insert(_ event: AppEvent) {
    var place = waiting.count
    while place > first, waiting[place - 1].event.packet > event.packet { place -= 1 }
    guard place < waiting.count else { return waiting.append(Waiting(event: event)) }
    waiting.insert(Waiting(event: event), at: place)
  }

  private mutating func write(_ line: AppLog.Line, into output: inout Output) {
    if window.contains(line.time) { lines.write(line, into: &output) }
    written += 1
    log?.advance()
  }
}

/// Which of the latest packets are chosen.
private struct RecentPackets: Sendable {
  private var bits = [UInt64](repeating: 0, count: Self.most / 64)
  private var latest = 0
  /// More than come in the time that lines wait.
  private static let most = 1 << 18

  mutating func insert(_ number: Int, isChosen: Bool) {
    latest = number
    let (word, bit) = (number / 64 % bits.count, UInt64(1) << UInt64(number % 64))
    if isChosen { bits[word] |= bit } else { bits[word] &= ~bit }
  }

  func contains(_ number: Int) -> Bool {
    guard number >= 0, number <= latest, number > latest - Self.most else { return false }
    return bits[number / 64 % bits.count] >> UInt64(number % 64) & 1 == 1
  }
}

extension Selection {
  /// The part that is about packets; the others are about what a line says.
  fileprivate var ofPackets: Selection {
    var selection = Selection()
    (selection.packets, selection.layers, selection.directions) = (packets, layers, directions)
    (selection.opcodes, selection.events) = (opcodes, events)
    (selection.statuses, selection.values) = (statuses, values)
    return selection
  }
}
