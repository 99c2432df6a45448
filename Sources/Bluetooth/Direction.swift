/// Which way a packet went, seen from the host whose traffic was captured.
package enum Direction: UInt8, Sendable {
  /// Host to controller.
  case sent = 0
  /// Controller to host.
  case received = 1

  /// The other way.
  package var reversed: Direction { self == .sent ? .received : .sent }
}
