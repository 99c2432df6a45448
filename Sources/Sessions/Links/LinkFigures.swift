import Bluetooth
import Dissectors

/// How a link carries data, and how much: what events report of the Link Layer, and the bytes of
/// ACL packets. It has only plain values.
package struct LinkFigures: Sendable {
  /// The number of intervals that are kept.
  private static let most = 8
  private var first = InlineArray<8, UInt16>(repeating: 0)
  /// The number of intervals that were in force one after the other.
  package private(set) var intervalCount = 0
  /// The PHYs with which this host's controller and the peer send, in HCI's values; nil: not
  /// reported.
  package internal(set) var phys: (sent: UInt8, received: UInt8)?
  /// The longest packets that this host's controller and the peer send; nil: not reported.
  package private(set) var lengths: (sent: PacketLength, received: PacketLength)?
  /// What a side on the air can send and take, until the other side answers.
  private var offered: (sends: PacketLength, takes: PacketLength)?
  /// The data in ACL packets, with L2CAP's headers.
  package private(set) var bytes: (sent: Int, received: Int) = (0, 0)

  /// The intervals in the order in which they were in force, in units of 1.25 ms: if there were
  /// more than eight, the first seven and the last.
  package var intervals: [UInt16] { (0..<min(intervalCount, Self.most)).map { first[$0] } }

  mutating func note(interval: UInt16?) {
    guard let interval,
      intervalCount == 0 || first[min(intervalCount, Self.most) - 1] != interval
    else { return }
    first[min(intervalCount, Self.most - 1)] = interval
    intervalCount &+= 1
  }

  mutating func note(_ change: LEDataLengthChange) {
    lengths = (
      PacketLength(octets: change.sent, time: change.sentTime),
      PacketLength(octets: change.received, time: change.receivedTime)
    )
  }

  /// Processes LL_LENGTH_REQ or LL_LENGTH_RSP: each side sends what it can and the other takes
  /// (Core, Vol 6, Part B, 4.5.10).
  mutating func note(
    _ own: LinkControl.Lengths, isResponse: Bool, from direction: Direction
  ) {
    let sends = PacketLength(octets: own.maxTXOctets, time: own.maxTXTime)
    let takes = PacketLength(octets: own.maxRXOctets, time: own.maxRXTime)
    guard isResponse else {
      offered = (sends, takes)
      return
    }
    guard let offered else { return }
    let (answer, request) = (sends.limited(to: offered.takes), offered.sends.limited(to: takes))
    lengths = direction == .sent ? (answer, request) : (request, answer)
    self.offered = nil
  }

  mutating func count(_ count: Int, isSent: Bool) {
    if isSent { bytes.sent &+= count } else { bytes.received &+= count }
  }
}

extension Connection {
  /// Whether the capture has all that happened to an LE link, as far as is known.
  private var isKnownFromItsOpening: Bool {
    transport == .le && !isOpeningMissing && !hasLostPackets
  }

  /// The PHYs with which this host's controller and the peer send; `isDefault`: no event reports
  /// them, but commands show that the link can only have opened on LE 1M.
  package var phys: (sent: UInt8, received: UInt8, isDefault: Bool)? {
    if let phys = figures.phys { return (phys.sent, phys.received, false) }
    return isKnownFromItsOpening && opensOn1M ? (1, 1, true) : nil
  }

  /// The longest packets that this host's controller and the peer send.
  package var lengths: (sent: PacketLength, received: PacketLength)? {
    if let lengths = figures.lengths { return lengths }
    // On the air, what changes them may be encrypted.
    return isKnownFromItsOpening && reportsLengths && !isOnAir ? (.initial, .initial) : nil
  }
}
