package import Bluetooth
import Bytes

/// Values of one attribute that followed each other in one direction and in one way. If there are
/// enough of them they are a transfer.
package struct TransferRun: Sendable {
  /// A run is a transfer with this many values, or this many bytes.
  private static let least = (values: 50, bytes: 5_000)
  /// In nanoseconds: after a longer pause another run begins.
  static let longestPause: Int64 = 1_000_000_000

  /// What the link was like in this direction.
  package internal(set) var carrier: LinkCarrier
  package let operation: ValueOperation
  package let firstPacket: Int
  package let firstTime: Timestamp
  package private(set) var lastPacket: Int
  package private(set) var lastTime: Timestamp
  package private(set) var values = 0
  package private(set) var bytes = 0
  /// The length of the longest value, and how many have it.
  package private(set) var longest = 0
  package private(set) var alike = 0
  /// How many were one of the last few again, as in a loop that polls.
  package private(set) var repeats = 0
  /// The packets of the Link Layer that carried them, and the time that these take on the air with
  /// their acknowledgements, in microseconds.
  package private(set) var packets = 0
  package private(set) var airTime = 0
  /// The times, an interval apart, at which any of the values came or were acknowledged, and the
  /// most packets of the Link Layer at one of them.
  package private(set) var events = 0
  package private(set) var mostInEvent = 0
  private var inEvent = 0
  /// The size of the last frame, and what it takes.
  private var lastFrame = -1
  private var lastCost = (packets: 0, time: 0)
  private var eventTime: Timestamp?
  /// The values for which something came back before the next one: the response or confirmation
  /// that ends a request; if values are read, the next request; for other values anything.
  package private(set) var answered = 0
  /// In nanoseconds: the time until that came, and from then until the next value.
  package private(set) var waited: Int64 = 0
  package private(set) var longestWait: Int64 = 0
  package private(set) var idle: Int64 = 0
  private var answerTime: Timestamp?
  /// ACL packets that the controller completed, how long it held them, in nanoseconds, and how many
  /// of them were completed when it held others of the link.
  package private(set) var completed = 0
  package private(set) var held: Int64 = 0
  package private(set) var longestHeld: Int64 = 0
  package private(set) var behind = 0
  /// The most of the link's packets that it still held then.
  package private(set) var mostLeft = 0
  /// How often it held none of the link's packets any more, and whether that was so after the last
  /// value. If not, the capture may lack that some packets were completed.
  package private(set) var dry = 0
  package private(set) var isDrained = false
  private var isTrackLost = false
  /// The hashes of the last values, in a ring.
  private var recent = InlineArray<8, UInt64>(repeating: 0)

  init(_ carrier: LinkCarrier, _ operation: ValueOperation, packet: Int, time: Timestamp) {
    (self.carrier, self.operation) = (carrier, operation)
    (firstPacket, lastPacket, firstTime, lastTime) = (packet, packet, time, time)
  }

  /// No run.
  static let none = Self(
    .unknown, .notification, packet: 0, time: Timestamp(seconds: 0, nanoseconds: 0))

  /// Whether it has begun.
  var isOpen: Bool { values > 0 }

  package var isTransfer: Bool { values >= Self.least.values || bytes >= Self.least.bytes }

  /// How long it took, in nanoseconds.
  package var span: Int64 { max(0, lastTime.nanoseconds(since: firstTime)) }

  /// The bytes per second. The first value is not counted, since the span begins with it.
  package var rate: Int {
    values > 1 ? Rate.perSecond(bytes - bytes / values, span) : 0
  }

  /// The connection intervals in the span, in hundredths; nil: unknown.
  package var intervals: Int? {
    carrier.period > 0 ? Int(span / max(1, carrier.period / 100)) : nil
  }

  // MARK: Recording

  /// Records a value in a frame of L2CAP of this size.
  mutating func note(
    length: Int, hash: UInt64, frame: Int, packet: Int, _ time: Timestamp, isSent: Bool
  ) {
    if let answerTime { idle.add(clamped: max(0, time.nanoseconds(since: answerTime))) }
    answerTime = nil
    (lastPacket, lastTime) = (packet, time)
    isDrained = false
    for index in recent.indices where recent[index] == hash {
      repeats &+= 1
      break
    }
    recent[values % recent.count] = hash
    values &+= 1
    bytes &+= length
    if length > longest { (longest, alike) = (length, 0) }
    if length == longest { alike &+= 1 }
    // Most have the same size.
    if frame != lastFrame {
      lastFrame = frame
      lastCost = carrier.cost(of: frame)
    }
    packets &+= lastCost.packets
    airTime.add(clamped: lastCost.time)
    // When a sent one crossed the link is known once it is acknowledged.
    if !isSent { noteEvent(time, lastCost.packets) }
  }

  /// Records what came back for the last value.
  mutating func noteAnswer(_ role: ATTOpcode.Role, _ time: Timestamp) {
    guard answerTime == nil, values > answered else { return }
    if operation == .read {
      guard role == .request else { return }
    } else if operation.isAcknowledged {
      guard role == .response || role == .confirmation else { return }
    }
    let wait = max(0, time.nanoseconds(since: lastTime))
    answered &+= 1
    waited.add(clamped: wait)
    longestWait = max(longestWait, wait)
    answerTime = time
  }

  /// Records that the controller completed an ACL packet.
  ///
  /// - Parameters:
  ///   - length: the bytes in it.
  ///   - since: when it was sent.
  ///   - left: how many of the link's packets the controller still holds.
  mutating func complete(length: Int, since: Timestamp, left: Int, _ time: Timestamp) {
    guard isOpen else { return }
    let wait = max(0, time.nanoseconds(since: since))
    // The clock was set, or the link was dead.
    guard wait <= Self.longestPause else { return }
    completed &+= 1
    held.add(clamped: wait)
    longestHeld = max(longestHeld, wait)
    if left > 0 { behind &+= 1 }
    mostLeft = max(mostLeft, left)
    noteEvent(time, carrier.cost(of: length).packets)
  }

  /// Records that the controller holds none of the link's packets.
  mutating func drain() {
    dry &+= 1
    isDrained = !isTrackLost
  }

  /// Records that it is no longer known which packets the controller holds.
  mutating func loseTrack() { (isDrained, isTrackLost) = (false, true) }

  /// Counts packets that crossed the link together: within three quarters of an interval.
  private mutating func noteEvent(_ time: Timestamp, _ packets: Int) {
    if let eventTime, time.nanoseconds(since: eventTime) < carrier.period / 4 * 3 {
      inEvent &+= packets
    } else {
      eventTime = time
      events &+= 1
      inEvent = packets
    }
    mostInEvent = max(mostInEvent, inEvent)
  }
}
