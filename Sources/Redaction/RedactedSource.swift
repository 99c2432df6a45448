import Bytes
package import Captures
import Dissectors

/// A capture after redaction: the records of another source, with everything sensitive replaced.
package struct RedactedSource<Base: CaptureSource & ~Copyable>: CaptureSource, ~Copyable {
  /// The source of the original records.
  package private(set) var base: Base
  private let redaction: Redaction
  /// The bytes of the current record and its dissection, which are reused for the next one.
  private var bytes: [UInt8] = []
  private var dissection = Dissection()
  /// The report on the replacements so far.
  package private(set) var report: RedactionReport

  /// Creates a source of the records of `base`, which must be those from which the redaction was
  /// learnt.
  package init(_ base: consuming Base, _ redaction: Redaction) {
    self.base = base
    self.redaction = redaction
    report = redaction.report
  }

  package var summary: CaptureSummary { base.summary.hidingDamagedFiles() }

  package var isReady: Bool { base.isReady }

  package var failures: [CaptureFailure] { base.failures }

  package mutating func wait(milliseconds: Int32) -> Bool { base.wait(milliseconds: milliseconds) }

  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    try Self.next(&base, redaction, &dissection, &report, &bytes)
  }

  /// Returns the next record. `base` lends it only until its bytes are replaced; the result borrows
  /// `bytes`.
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
