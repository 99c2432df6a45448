package import Bytes
package import Captures
package import Decoders
package import Dissectors
package import Sessions

/// `convert`, where a record is written with what only the whole story tells: the direction that its
/// link type has no room for, and its line as a comment.
package struct WritingReport: PacketReport, ~Copyable {
  /// Where records go.
  package var writer: CaptureWriter
  /// How many packets were written with a direction that is inferred.
  package private(set) var inferredDirections = 0
  private let kept: ChosenPackets?
  private let saysLines: Bool
  private var sentence: Sentence
  private var line = Output()

  /// A report that writes records to `writer`.
  ///
  /// - Parameters:
  ///   - kept: which of them; nil: all.
  ///   - saysLines: whether what `show` says of a packet becomes its comment.
  package init(
    _ writer: consuming CaptureWriter, keeping kept: ChosenPackets?, saysLines: Bool,
    profiles: SuppliedProfiles?
  ) {
    self.writer = writer
    self.kept = kept
    self.saysLines = saysLines
    // What is hidden stays hidden; a comment is UTF-8.
    sentence = Sentence(showsKeys: false, glyphs: .utf8, profiles: profiles)
  }

  /// Whether nothing that follows is written.
  package var isSatisfied: Bool { writer.failure != nil }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    let isKept = kept?.contains(record.number) ?? true
    line.clear()
    if saysLines {
      if isKept {
        sentence.clear()
        sentence.packet(record, dissection, bytes, answer, memory)
        sentence.copySummary(escaped: false, into: &line)
      } else {
        sentence.follow(record, dissection, bytes, answer, memory)
      }
    }
    guard isKept else { return writer.skip(record) }
    if record.isDirectionInferred { inferredDirections += 1 }
    // Here a record is known with all that belongs to it, and not yet written.
    Self.write(record, line, to: &writer)
  }

  // Apart, so that the line is lent while the writer changes.
  private static func write(
    _ record: borrowing CaptureRecord, _ line: borrowing Output, to writer: inout CaptureWriter
  ) {
    writer.write(record, comment: line.bytes)
  }

  package mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32? {
    writer.flush()
    return nil
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    writer.finish()
  }
}
