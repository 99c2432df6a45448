package import Bytes
package import Captures
package import Decoders
package import Sessions

/// Writes records for `convert` with what only the context reveals: a direction that the link type
/// cannot hold, and the packet's line as a comment.
package struct WritingReport: PacketReport, ~Copyable {
  /// The destination of the records.
  package var writer: CaptureWriter
  /// The number of packets that were written with an inferred direction.
  package private(set) var inferredDirections = 0
  private let kept: ChosenPackets?
  private let writesLines: Bool
  private var sentence: Sentence
  private var line = Output()

  /// Creates a report that writes records to `writer`.
  ///
  /// - Parameters:
  ///   - kept: the packets to write; nil: all.
  ///   - writesLines: whether the line that `show` prints for a packet becomes its comment.
  package init(
    _ writer: consuming CaptureWriter, keeping kept: ChosenPackets?, writesLines: Bool,
    profiles: SuppliedProfiles?
  ) {
    self.writer = writer
    self.kept = kept
    self.writesLines = writesLines
    // Secrets stay hidden; comments are UTF-8.
    sentence = Sentence(showsKeys: false, glyphs: .utf8, profiles: profiles)
  }

  /// Whether nothing more will be written.
  package var isSatisfied: Bool { writer.failure != nil }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    let isKept = kept?.contains(packet.record.number) ?? true
    line.clear()
    if writesLines {
      if isKept {
        sentence.clear()
        sentence.packet(packet, memory)
        sentence.copySummary(escaped: false, into: &line)
      } else {
        sentence.follow(packet, memory)
      }
    }
    guard isKept else { return writer.skip(packet.record) }
    if packet.record.isDirectionInferred { inferredDirections += 1 }
    // At this point everything about the record is known, and it is not written yet.
    Self.write(packet.record, line, to: &writer)
  }

  // A separate function, so that the line is borrowed while the writer changes.
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
