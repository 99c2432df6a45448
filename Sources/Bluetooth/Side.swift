/// One of the two ends of a link.
package enum Side: UInt8, Sendable {
  /// The captured host.
  case local
  /// The other device.
  case peer

  /// Creates the sender of a packet in this direction.
  package init(sent direction: Direction) { self = direction == .sent ? .local : .peer }

  package var other: Side { self == .local ? .peer : .local }
}
