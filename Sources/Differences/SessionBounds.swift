/// The most of a capture that is kept for comparison: for two captures, including the memory for
/// comparing, below 600 MB.
package struct SessionBounds: Sendable {
  /// Operations of all connections.
  package var operations = 250_000
  /// Bytes that operations share: values, words and fields.
  package var bytes = 1 << 26
  /// Connections with operations.
  package var connections = 65_536
  /// Requests of one connection that wait for an answer. Each bearer has one at a time, if its
  /// client follows the rules (Core, Vol 3, Part F, 3.3.2).
  package var unanswered = 64

  /// Creates the default bounds.
  package init() {}
}
