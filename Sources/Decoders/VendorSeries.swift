import Bluetooth
import Bytes

/// The messages so far of a series that one message announced.
struct VendorSeries: Sendable {
  let conversation: UInt64
  let owner: Int
  /// Whether they are requests, and their command.
  let isRequest: Bool
  let command: Int
  /// The packet that announced them, and their number.
  let announcement: Int
  let count: Int
  /// The field that numbers them, or an empty string; then the number of the first.
  let index: String
  let first: Int
  /// How many milliseconds to wait for the next one.
  let timeout: Int
  /// The time of the last one.
  var last: Timestamp?
  private(set) var received = 0
  /// Which ones came, one bit each; kept if they are numbered and not too many.
  private var seen: [UInt64] = []

  /// The most messages that are distinguished by their numbers.
  private static let mostNumbered = 65_536
  /// The most missing messages that are listed.
  static let listed = 16

  init(
    _ rule: VendorProtocol.Series, count: Int, isRequest: Bool, _ moment: VendorMessages.Moment
  ) {
    conversation = moment.conversation
    owner = moment.place
    self.isRequest = isRequest
    command = rule.command
    announcement = moment.packet
    self.count = count
    index = rule.index
    first = rule.first
    timeout = rule.timeout
    last = moment.time
  }

  private var isNumbered: Bool { !index.isEmpty && count <= Self.mostNumbered }

  /// Returns whether the next message is overdue.
  func isOver(_ time: Timestamp?) -> Bool {
    guard let last, let time else { return false }
    return time.nanoseconds(since: last) > Int64(timeout) * 1_000_000
  }

  /// Counts one of the messages, by its number if it has one.
  mutating func take(_ number: Int?, _ time: Timestamp?) -> SeriesNote {
    let isLate = isOver(time)
    var note = SeriesNote(announcement: announcement, count: count, received: received)
    note.isLate = isLate
    if let time { last = time }
    if isNumbered, let number {
      let (place, hasOverflown) = number.subtractingReportingOverflow(first)
      guard !hasOverflown, place >= 0, place < count else {
        note.isBeyond = true
        return note
      }
      while seen.count <= place / 64 { seen.append(0) }
      guard seen[place / 64] >> (place % 64) & 1 == 0 else {
        note.isRepeated = true
        return note
      }
      seen[place / 64] |= 1 << (place % 64)
    }
    received += 1
    note.received = received
    return note
  }

  /// What is missing when no more messages will come.
  var unfinished: Unfinished {
    var missing: [Int] = []
    if isNumbered {
      var place = 0
      while place < count, missing.count < Self.listed {
        let isThere = place / 64 < seen.count && seen[place / 64] >> (place % 64) & 1 == 1
        if !isThere { missing.append(first &+ place) }
        place += 1
      }
    }
    return Unfinished(
      kind: .series, packet: announcement, count: count, received: received, missing: missing)
  }
}

extension VendorMessages {
  /// The most series that are remembered.
  private static let mostSeries = 64

  /// Finds the series that a message belongs to, and begins the one that it announces.
  mutating func follow(
    _ sighting: inout VendorSighting, _ message: VendorProtocol.Message, _ frame: Frame,
    _ bytes: RawSpan, _ moment: Moment
  ) {
    let isMember = take(&sighting, message, frame, bytes, moment)
    if !isMember { endOverdue(&sighting, moment) }
    guard let rule = message.series, frame.isSound else { return }
    let count = looker.count(of: rule, message, frame, bytes, sighting, moment.vendor)
    guard let count, count >= 0 else { return }
    // Messages of an earlier announcement that did not come will not come any more.
    for place in series.indices.reversed()
    where isOf(series[place], moment) && series[place].command == rule.command {
      end(place, &sighting)
    }
    var note = SeriesNote(announcement: moment.packet, count: count, received: 0)
    note.isAnnouncement = true
    sighting.series = note
    guard count > 0 else { return }
    if let tally = tally(moment.vendor.profile, moment.place, moment.conversation) {
      tallies[tally].series += 1
    }
    // The oldest series is dropped.
    if series.count >= Self.mostSeries {
      let oldest = series.removeFirst()
      self.note(oldest.unfinished, oldest.owner, oldest.conversation)
    }
    series.append(
      VendorSeries(rule, count: count, isRequest: sighting.isRequest, moment))
  }

  private func isOf(_ series: VendorSeries, _ moment: Moment) -> Bool {
    series.owner == moment.place && series.conversation == moment.conversation
  }

  /// Counts a message that was announced. Returns false if it was not announced.
  private mutating func take(
    _ sighting: inout VendorSighting, _ message: VendorProtocol.Message, _ frame: Frame,
    _ bytes: RawSpan, _ moment: Moment
  ) -> Bool {
    let found = series.firstIndex {
      isOf($0, moment) && $0.command == frame.command && $0.isRequest == sighting.isRequest
    }
    guard let found, message.series == nil else { return false }
    // A damaged message may come again.
    guard frame.isSound else { return true }
    var number: Int?
    if !series[found].index.isEmpty {
      number = looker.number(
        of: series[found].index, message, frame, bytes, sighting, moment.vendor)
    }
    let note = series[found].take(number, moment.time)
    sighting.series = note
    if note.isComplete {
      series.remove(at: found)
      if let tally = tally(moment.vendor.profile, moment.place, moment.conversation) {
        tallies[tally].completed += 1
      }
    }
    return true
  }

  /// Ends the series of a conversation that are overdue.
  private mutating func endOverdue(_ sighting: inout VendorSighting, _ moment: Moment) {
    for place in series.indices.reversed()
    where isOf(series[place], moment) && series[place].isOver(moment.time) {
      end(place, &sighting)
    }
  }

  private mutating func end(_ place: Int, _ sighting: inout VendorSighting) {
    let one = series.remove(at: place)
    sighting.unfinished.append(one.unfinished)
    note(one.unfinished, one.owner, one.conversation)
  }
}
