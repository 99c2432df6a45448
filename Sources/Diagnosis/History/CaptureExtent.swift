package import Bluetooth
import Bytes
package import Captures
import Dissectors
import Sessions

/// The capture as a whole: how long it is, and what it lacks.
package struct CaptureExtent: Sendable {
  /// Records.
  package private(set) var records = 0
  /// The first time of all, and the last.
  package private(set) var earliest: Timestamp?
  package private(set) var latest: Timestamp?
  /// Records that the capture says were dropped.
  package private(set) var dropped: UInt64 = 0
  /// The packets in front of which they were, the first ones.
  package private(set) var drops: [Int] = []
  /// Records whose end the capture did not keep.
  package private(set) var truncated = 0
  /// What its source says of it; nil before the end.
  package private(set) var summary: CaptureSummary?
  /// What ended it before its end, where something did.
  package private(set) var failure: CaptureFailure?
  /// Connections that are not remembered, since there were too many.
  package private(set) var unlistedConnections = 0

  /// Nothing seen.
  init() {}

  /// Whether records are missing somewhere.
  package var hasGaps: Bool { dropped > 0 || failure != nil }

  private static let mostDrops = 16

  /// Takes a packet.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    records += 1
    if let time = record.time, time.isWritable {
      if let earliest, !time.isEarlier(than: earliest) {} else { earliest = time }
      if let latest, time.isEarlier(than: latest) {} else { latest = time }
    }
    if record.drops > 0 {
      dropped += record.drops
      if drops.count < Self.mostDrops { drops.append(record.number) }
    }
    if record.isTruncated { truncated += 1 }
  }

  /// Takes the end.
  mutating func finish(
    _ summary: CaptureSummary?, _ failure: CaptureFailure?, unlistedConnections: Int
  ) {
    self.summary = summary
    self.failure = failure
    self.unlistedConnections = unlistedConnections
  }
}
