import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The data packets that a controller holds, and its buffers for them (Core, Vol 4, Part E, 4.1.1).
///
/// Wherever the capture may lack records, counting begins again, so that the number held is at most
/// underestimated. Bounded by the number of links.
package struct DataBuffers: Sendable {
  /// The number of buffers, and the answer that reports it.
  package typealias Capacity = (packets: Int, moment: Moment)

  /// More packets than there are buffers.
  package struct Excess: Sendable {
    /// The first packet that the controller still held, if known.
    package let since: Int?
    /// The packet that was too much.
    package let moment: Moment
    package let capacity: Capacity
    /// The largest number of packets that the controller was to hold.
    package internal(set) var most: Int
    /// The last of them.
    package internal(set) var last: Moment
  }

  /// A time in which all buffers were used and none was returned.
  package struct Withheld: Sendable {
    package let capacity: Capacity
    /// The connection whose packet took the last buffer, and that packet.
    package let connection: Int
    package let since: Moment
    /// When they still were.
    package internal(set) var until: Moment
    /// Whether the buffers are those of LE alone.
    fileprivate let isLE: Bool
    /// Whether the controller has returned buffers before.
    package let hasReturned: Bool
    /// Whether only packets of one connection took the buffers, whose peer may have stopped taking
    /// them.
    package let isOfOneLink: Bool
    /// Whether the capture has any other record of the controller in this time: without one the
    /// host may have slept.
    package fileprivate(set) var isHeard = false
    /// Whether the peer of that connection was heard in this time.
    package fileprivate(set) var isPeerHeard = false
    /// Whether the buffers were returned at its end.
    package fileprivate(set) var isOver = false
    /// Its length in nanoseconds.
    package var length: Int64 { until.nanoseconds(since: since) ?? 0 }
  }

  private struct Held: Sendable {
    let connection: Int
    let isLE: Bool
    var count = 0
    /// The number of packets that the controller has not reported as completed, whatever shows that
    /// they arrived.
    var unreturned = 0
    /// The packet with which the count began; nil if some were completed since.
    var since: Int?
  }

  /// The first overflows that the controller reports.
  /// Link_Type 1 is ACL. With the excess of packets, if the capture shows it.
  package private(set) var overflows: [(moment: Moment, linkType: UInt8, excess: Excess?)] = []
  /// The first excess after which the controller completed no packet for a second or more.
  package private(set) var stuck: Excess?
  /// The longest time in which all buffers were used and none was returned.
  package private(set) var withheld: Withheld?
  private var full: Withheld?
  /// Whether the host sent more than the controller can hold, so that the capture lacks what
  /// returned buffers.
  private var hasUnseenReturns = false
  /// The last packet that completes others.
  package private(set) var lastCompleted = 0
  private var classic: Capacity?
  private var le: Capacity?
  /// Whether LE data uses the buffers of BR/EDR.
  private var isShared = false
  private var held: [Held] = []
  private var excess: Excess?
  private var gap = 0

  private static let most = 8
  private static let mostLinks = 64
  private static let leastSilence: Int64 = 1_000_000_000

  /// Records the answer to a command if that reads the buffers: status (1 byte), then LE Read
  /// Buffer Size: length (2), packets (1); Read Buffer Size: length (2), synchronous length (1),
  /// packets (2) (Core, Vol 4, Part E, 7.8.2 and 7.4.5).
  mutating func learn(_ complete: CommandComplete, _ moment: Moment, _ bytes: RawSpan) {
    var cursor = Cursor(bytes, complete.returns)
    guard complete.status == .success, (try? cursor.u8()) != nil, let length = try? cursor.u16()
    else { return }
    switch complete.opcode {
    case HCICommand.readBufferSize:
      guard (try? cursor.u8()) != nil, let packets = try? cursor.u16() else { return }
      classic = packets > 0 ? (Int(packets), moment) : nil
    case HCICommand.leReadBufferSize, HCICommand.leReadBufferSizeV2:
      guard let packets = try? cursor.u8() else { return }
      isShared = length == 0 || packets == 0
      le = isShared ? nil : (Int(packets), moment)
    default: break
    }
  }

  /// Counts a packet that the host sends.
  mutating func send(_ moment: Moment, connection: Int, isLE: Bool, gap lost: Int) {
    guard let capacity = isLE && !isShared ? le : classic else { return }
    forget(after: lost)
    var place = held.firstIndex { $0.connection == connection }
    if place == nil, held.count < Self.mostLinks {
      place = held.count
      held.append(Held(connection: connection, isLE: isLE))
    }
    guard let place else { return }
    if held[place].count == 0 { held[place].since = moment.packet }
    held[place].count += 1
    held[place].unreturned += 1
    var (sum, unreturned, links) = (0, 0, 0)
    for link in held where isShared || link.isLE == isLE {
      sum += link.count
      unreturned += link.unreturned
      if link.unreturned > 0 { links += 1 }
    }
    if unreturned > capacity.packets {
      full = nil
      hasUnseenReturns = true
    } else if unreturned == capacity.packets, !hasUnseenReturns {
      full = Withheld(
        capacity: capacity, connection: connection, since: moment, until: moment,
        isLE: isLE && !isShared, hasReturned: lastCompleted > 0, isOfOneLink: links == 1)
    }
    // An export may lack all events that complete packets.
    guard sum > capacity.packets, lastCompleted > 0 else { return }
    if excess == nil {
      excess = Excess(
        since: held.count == 1 ? held[place].since : nil, moment: moment, capacity: capacity,
        most: sum, last: moment)
    } else if sum > excess?.most ?? 0 {
      excess?.most = sum
      excess?.last = moment
    }
  }

  /// Records a command, an event, or data from the peer of a connection.
  mutating func hear(from connection: Int? = nil) {
    guard full != nil else { return }
    full?.isHeard = true
    if let connection, connection == full?.connection { full?.isPeerHeard = true }
  }

  /// Whether completed packets matter.
  var isCounting: Bool { !held.isEmpty }

  /// Records that packets of a connection are completed.
  mutating func complete(_ count: Int, connection: Int, _ moment: Moment, gap lost: Int) {
    guard count > 0 else { return }
    lastCompleted = moment.packet
    forget(after: lost)
    // It goes on.
    settle(moment)
    excess = nil
    guard let place = held.firstIndex(where: { $0.connection == connection }) else { return }
    full?.isOver = true
    returnBuffers(of: held[place], moment)
    full?.isOver = false
    held[place].count = max(0, held[place].count - count)
    held[place].unreturned = max(0, held[place].unreturned - count)
    held[place].since = nil
  }

  /// Records that the peer answered on a connection: what was sent there before has arrived.
  mutating func answer(_ connection: Int) {
    guard let place = held.firstIndex(where: { $0.connection == connection }) else { return }
    excess = nil
    (held[place].count, held[place].since) = (0, nil)
  }

  /// Records the end of a connection, whose packets are discarded.
  mutating func close(_ connection: Int, _ moment: Moment) {
    settle(moment)
    if let link = held.first(where: { $0.connection == connection }) {
      returnBuffers(of: link, moment)
    }
    excess = nil
    held.removeAll { $0.connection == connection }
  }

  /// Records a Data Buffer Overflow event: link type (1 byte) (Core, Vol 4, Part E, 7.7.26).
  mutating func overflow(_ moment: Moment, _ bytes: RawSpan, _ body: Slice) {
    guard overflows.count < Self.most, !body.isEmpty else { return }
    overflows.append(
      (moment, bytes.byte(at: Int(body.start)), excess))
  }

  mutating func reset(_ moment: Moment) {
    finish(moment)
    forget()
    (classic, le, isShared, hasUnseenReturns) = (nil, nil, false, false)
  }

  /// Processes the end of the capture.
  mutating func finish(_ moment: Moment) {
    settle(moment)
    endFull(moment)
  }

  /// Forgets what the controller holds, because records are missing.
  mutating func forget() {
    held.removeAll(keepingCapacity: true)
    (excess, full) = (nil, nil)
  }

  private mutating func forget(after lost: Int) {
    if lost != gap { forget() }
    gap = lost
  }

  /// Records that a link's buffers are free again. LE may have buffers of its own.
  private mutating func returnBuffers(of link: Held, _ moment: Moment) {
    if full?.isLE == (link.isLE && !isShared) { endFull(moment) }
  }

  /// Keeps the time in which all buffers were used until this moment.
  private mutating func endFull(_ moment: Moment) {
    guard var full else { return }
    full.until = moment
    if full.length > withheld?.length ?? 0 { withheld = full }
    self.full = nil
  }

  /// Keeps an excess after which nothing was completed until this moment.
  private mutating func settle(_ moment: Moment) {
    guard stuck == nil, let excess, moment.nanoseconds(since: excess.last) ?? 0 >= Self.leastSilence
    else { return }
    stuck = excess
  }
}
