package import Bytes
package import Captures
package import Sessions

/// Prints nothing, for `live -w -`, which writes the capture to standard output. Packets are
/// counted nevertheless (`Counted`).
package struct SilentReport: PacketReport {
  package init() {}

  /// Always false: only the end of the source, or the user, ends it.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {}

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}
