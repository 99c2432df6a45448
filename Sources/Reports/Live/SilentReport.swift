package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// Prints nothing: `live -w -`, whose standard output is the capture. What came is counted all the same
/// (`Counted`).
package struct SilentReport: PacketReport {
  /// Creates the report.
  package init() {}

  /// Never: only the source's end, or the user's, ends it.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {}

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}
