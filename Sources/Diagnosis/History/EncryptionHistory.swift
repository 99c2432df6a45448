import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// How a connection was encrypted, and with which keys.
package struct EncryptionHistory: Sendable {
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
