import Bluetooth
import Bytes

/// A detector of records that occur in several files with the same time in microseconds, direction
/// and bytes.
///
/// A repetition within one file does not count. Only the last `CaptureLimits.overlapRecords`
/// records are remembered, by a randomly seeded hash.
struct RepeatedRecords: Sendable {
  /// A record seen before.
  private struct Met: Sendable {
    /// The highest number of its occurrences in a single file.
    var most = 0
    /// Its number of occurrences in each of the first files that have it.
    var counts: [(file: Int, count: Int)] = []
  }

  private var met: [Int: Met] = [:]
  /// The number of files tracked per record. In further files it always counts as a repetition.
  private static let mostFiles = 8
  /// A ring of remembered digests, and the index of the oldest.
  private var ring: [Int] = []
  private var oldest = 0

  /// Processes a file's record.
  ///
  /// - Parameter group: Only files of the same group can share a record.
  /// - Returns: Whether another file had it before.
  mutating func isRepeated(
    _ record: borrowing CaptureRecord, in file: Int, of group: Int
  ) -> Bool {
    !others(record, in: file, of: group).isEmpty
  }

  /// Processes a file's record.
  ///
  /// - Returns: The files that had it before; empty if the record is new.
  mutating func others(
    _ record: borrowing CaptureRecord, in file: Int, of group: Int
  ) -> [Int] {
    let digest = Self.digest(record, group)
    remember(digest)
    var entry = met[digest] ?? Met()
    let place: Int
    if let known = entry.counts.firstIndex(where: { $0.file == file }) {
      place = known
    } else if entry.counts.count < Self.mostFiles {
      place = entry.counts.count
      entry.counts.append((file, 0))
    } else {
      return entry.counts.map(\.file)
    }
    entry.counts[place].count += 1
    let count = entry.counts[place].count
    var others: [Int] = []
    if count > entry.most {
      entry.most = count
    } else {
      others = entry.counts.filter { $0.file != file && $0.count >= count }.map(\.file)
    }
    met[digest] = entry
    return others
  }

  private mutating func remember(_ digest: Int) {
    guard ring.count >= CaptureLimits.overlapRecords else {
      ring.append(digest)
      return
    }
    met[ring[oldest]] = nil
    ring[oldest] = digest
    oldest = (oldest + 1) % ring.count
  }

  /// Hashes what identifies a record, whatever format it is stored in.
  private static func digest(_ record: borrowing CaptureRecord, _ group: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(group)
    hasher.combine(record.time?.seconds)
    hasher.combine((record.time?.nanoseconds ?? 0) / 1000)
    // A type byte before the packet and a type in the record's header are equivalent.
    var losses = WriterLosses()
    let target = TargetRecord(record, as: .h4, &losses)
    hasher.combine(record.direction?.rawValue ?? 2)
    if let target {
      let type = target.type ?? record.bytes.byte(at: 0)
      hasher.combine(type)
      combine(target.type == nil ? record.bytes.dropping(1) : record.bytes, &hasher)
    } else {
      if case .monitor(let opcode) = record.framing { hasher.combine(opcode) }
      combine(record.bytes, &hasher)
    }
    return hasher.finalize()
  }

  private static func combine(_ bytes: RawSpan, _ hasher: inout Hasher) {
    hasher.combine(bytes.byteCount)
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}
