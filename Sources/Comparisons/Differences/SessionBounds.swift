/// The most of a capture that is kept for comparison. Both sides have the same limits: with
/// everything that comparing them takes, they stay below 160 MB.
package struct SessionBounds: Sendable {
  /// Operations of all connections.
  var operations = 100_000
  /// Bytes that operations share: values, words and fields.
  var bytes = 1 << 24
  /// Attributes to which operations refer.
  var attributes = 32_768
  /// Connections with operations.
  var connections = 65_536
  /// Requests of one connection that wait for an answer. Each bearer has one at a time, if its
  /// client follows the rules (Core, Vol 3, Part F, 3.3.2).
  var unanswered = 64

  /// Creates the default bounds.
  init() {}
}
