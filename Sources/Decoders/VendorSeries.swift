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
    _ rule: VendorProtocol.Series, count: Int, isRequest: Bool, _ context: VendorMessages.Context
  ) {
    conversation = context.conversation
    owner = context.owner
    self.isRequest = isRequest
    command = rule.command
    announcement = context.packet
    self.count = count
    index = rule.index
    first = rule.first
    timeout = rule.timeout
    last = context.time
  }

  private var isNumbered: Bool { !index.isEmpty && count <= Self.mostNumbered }

  /// Returns whether the next message is overdue.
  func isOver(_ time: Timestamp?) -> Bool {
    guard let last, let time else { return false }
    return time.nanoseconds(since: last) > Int64(timeout) * 1_000_000
  }

  /// Counts one of the messages, by its number if it has one.
  mutating func count(_ number: Int?, _ time: Timestamp?) -> SeriesNote {
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
