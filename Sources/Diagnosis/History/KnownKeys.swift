import Bytes
import Captures
import Dissectors
import Sessions

/// The keys of bonds that are known: from the Security Manager, HCI, the management interface, and from a
/// file. What they are is printed only where keys are asked for.
package struct KnownKeys: Sendable {
  /// No key.
  package init() {}

  /// Takes a packet.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {}
}
