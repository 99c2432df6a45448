import Bluetooth
import Dissectors

/// What decides how fast one direction of a link can be. It has only plain values.
package struct LinkCarrier: Equatable, Sendable {
  /// The connection interval, in units of 1.25 ms; 0: unknown.
  package var interval: UInt16
  /// The PHY of the data and that of the acknowledgements, in HCI's values.
  package var phy: UInt8
  package var answerPHY: UInt8
  /// The most bytes in a packet of the Link Layer on this PHY.
  package var length: UInt16
  /// Whether the link is encrypted; nil: unknown, and packets are assumed to be encrypted, which
  /// makes them longer.
  package var isEncrypted: Bool?
  /// The ATT_MTU; if its exchange may be missing, it is no smaller than this.
  package var mtu: UInt16
  package var isMTUKnown: Bool
  /// Whether PHY and length are known: events report them, or the link opened with the defaults.
  /// If not, no rate is calculated from them.
  package var isKnown: Bool

  init(
    interval: UInt16?, phys: (sent: UInt8, received: UInt8)?,
    lengths: (sent: PacketLength, received: PacketLength)?, isEncrypted: Bool?, mtu: UInt16,
    isMTUKnown: Bool, _ direction: Direction
  ) {
    let (sent, received) = phys ?? (1, 1)
    let isSent = direction == .sent
    self.interval = interval ?? 0
    (phy, answerPHY) = isSent ? (sent, received) : (received, sent)
    length =
      ((isSent ? lengths?.sent : lengths?.received) ?? .initial).effective(onPHY: phy)
    self.isEncrypted = isEncrypted
    (self.mtu, self.isMTUKnown) = (mtu, isMTUKnown)
    isKnown = phys != nil && lengths != nil
  }

  /// A link of which nothing is known.
  static let unknown = Self(
    interval: nil, phys: nil, lengths: nil, isEncrypted: nil, mtu: BearerMTU.byDefault,
    isMTUKnown: false, .sent)

  /// Returns whether another one differs at most in the MTU, which can be known later.
  func isAlike(_ other: Self) -> Bool {
    (interval, phy, answerPHY, length) == (other.interval, other.phy, other.answerPHY, other.length)
      && (isEncrypted, isKnown) == (other.isEncrypted, other.isKnown)
  }

  /// The connection interval in nanoseconds; 0: unknown.
  package var period: Int64 { Int64(interval) * 1_250_000 }

  /// Returns the packets of the Link Layer that carry a frame of L2CAP, and the time in
  /// microseconds that they take with their acknowledgements.
  package func cost(of frame: Int) -> (packets: Int, time: Int) {
    let length = max(Int(length), 1)
    if frame <= length { return (1, exchange(frame)) }
    let (whole, rest) = frame.quotientAndRemainder(dividingBy: length)
    var time = whole * exchange(length)
    if rest > 0 { time += exchange(rest) }
    return (whole + (rest > 0 ? 1 : 0), time)
  }

  private func exchange(_ octets: Int) -> Int {
    AirTime.exchange(of: octets, onPHY: phy, answer: answerPHY, isEncrypted: isEncrypted ?? true)
  }

  /// Returns how many bytes per second values of this size could have, if each came in one PDU and
  /// the two controllers used all of each interval; nil if the interval is unknown.
  ///
  /// - Parameter header: the bytes of the PDU and its frame around the value.
  package func rate(ofValues size: Int, header: Int) -> Int? {
    let interval = Int(interval) * 1250
    guard isKnown, interval > 0, size > 0 else { return nil }
    let (packets, time) = cost(of: size + header)
    // A controller sends no packet that does not end before the next interval.
    let perInterval = max(1, interval * packets / max(time, 1))
    return Rate.perSecond(size * perInterval / packets, Int64(interval) * 1000)
  }
}

/// Rates of transfers.
package enum Rate {
  /// Returns a rate per second.
  ///
  /// - Parameter time: in nanoseconds.
  package static func perSecond(_ count: Int, _ time: Int64) -> Int {
    guard count > 0, time > 0 else { return 0 }
    let product = UInt(count).multipliedFullWidth(by: 1_000_000_000)
    guard product.high < UInt(time) else { return .max }
    return Int(clamping: UInt(time).dividingFullWidth(product).quotient)
  }
}
