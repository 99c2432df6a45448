import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The pairings of a connection.
package struct PairingHistory: Sendable {
  /// Nothing seen.
  init() {}

  /// Takes a packet.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {}

  /// Takes the end of the capture.
  mutating func finish(
    _ connection: Connection, _ memory: borrowing Memory, _ extent: CaptureExtent
  ) {}
}

extension ConnectionHistory {
  /// How the devices were paired, as the JSON contract names it.
  package var paired: StaticString { "unknown" }
}
