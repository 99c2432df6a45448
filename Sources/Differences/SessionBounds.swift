/// How much of a capture is kept at most to be compared: of two, and with what comparing them takes, below 600 MB.
package struct SessionBounds: Sendable {
  /// Operations of all connections.
  package var operations = 250_000
  /// Bytes that they share: values, words and fields.
  package var bytes = 1 << 26
  /// Connections with operations.
  package var connections = 65_536
  /// Requests of one connection that wait for an answer. Each bearer has one at a time, if its client keeps to the
  /// rules (Core, Vol 3, Part F, 3.3.2).
  package var unanswered = 64

  /// The usual bounds.
  package init() {}
}
