import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What a controller was asked, and what it refused: commands, attempts to connect, advertising, scanning.
package struct AdapterHistory: Sendable {
  /// The controller's index; 0xffff where the capture does not tell one.
  package let index: UInt16

  /// Nothing seen.
  init(_ index: UInt16) { self.index = index }

  /// Takes a command, an event, a management record or a note.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {}

  /// Takes the end of the capture.
  mutating func finish(_ extent: CaptureExtent) {}
}
