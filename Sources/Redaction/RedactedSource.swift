import Bytes
package import Captures
import Dissectors

/// A capture as it is after redaction: the records of another source, with what is sensitive replaced.
package struct RedactedSource<Base: CaptureSource & ~Copyable>: CaptureSource, ~Copyable {
  /// The source of the records as they were.
  package private(set) var base: Base
  private let redaction: Redaction
  /// The bytes of the record that is handed out, and what it was: used again for the next.
  private var bytes: [UInt8] = []
  private var dissection = Dissection()
  /// What was replaced so far.
  package private(set) var report: RedactionReport

  /// The records of `base`, which must be those from which the redaction was learnt.
  package init(_ base: consuming Base, _ redaction: Redaction) {
    self.base = base
    self.redaction = redaction
    report = redaction.report
  }

  package var summary: CaptureSummary { base.summary }

  package var isReady: Bool { base.isReady }

  package mutating func wait(milliseconds: Int32) -> Bool { base.wait(milliseconds: milliseconds) }

  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    try Self.next(&base, redaction, &dissection, &report, &bytes)
  }

  /// The record is lent by `base` only until its bytes have been replaced: what is handed out lends `bytes`.
  @_lifetime(&bytes)
  private static func next(
    _ base: inout Base, _ redaction: Redaction, _ dissection: inout Dissection,
    _ report: inout RedactionReport, _ bytes: inout [UInt8]
  ) throws(CaptureFailure) -> CaptureRecord? {
    guard let record = try base.next(), record.number <= redaction.last else { return nil }
    redaction.write(record, into: &bytes, &dissection, counting: &report)
    return record.replacing(bytes.bytes)
  }
}
