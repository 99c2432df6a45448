import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// How a link went: parameters, procedures, acknowledgements, end.
package struct LinkHistory: Sendable {
  /// Nothing seen.
  init() {}

  /// Takes a packet.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {}

  /// Takes the end of the capture.
  mutating func finish(
    _ connection: Connection, _ extent: CaptureExtent
  ) {}
}
