/// The direction of a packet, as seen from the captured host.
@usableFromInline
package enum Direction: UInt8, Sendable {
  /// Host to controller.
  case sent = 0
  /// Controller to host.
  case received = 1

  /// The opposite direction.
  package var reversed: Direction { self == .sent ? .received : .sent }
}
