import Bluetooth
import Bytes

/// Finds records that several files have: with the same time, in microseconds, direction and bytes.
///
/// What stands in a file twice is no repeat. Only the last `CaptureLimits.overlapRecords` are remembered,
/// by a hash that nobody can foresee.
struct RepeatedRecords: Sendable {
  /// A record that was met.
  private struct Met: Sendable {
    /// How often it stands in the file that has it most often.
    var most = 0
    /// How often it stands in each file that has it: in the first ones.
    var counts: [(file: Int, count: Int)] = []
  }

  private var met: [Int: Met] = [:]
  /// So many files are told of a record; in further ones it is a repeat, also where it stands there twice.
  private static let mostFiles = 8
  /// What was met, in a ring, and where the oldest stands.
  private var ring: [Int] = []
  private var oldest = 0

  /// Takes in a record of a file.
  ///
  /// - Parameter group: only files of one group can have the same record.
  /// - Returns: whether another file had it before.
  mutating func isRepeated(
    _ record: borrowing CaptureRecord, in file: Int, of group: Int
  ) -> Bool {
    !others(record, in: file, of: group).isEmpty
  }

  /// Takes in a record of a file.
  ///
  /// - Returns: the files that had it before; none where the record is new.
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

  /// What tells a record from others, whichever format it is stored in.
  private static func digest(_ record: borrowing CaptureRecord, _ group: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(group)
    hasher.combine(record.time?.seconds)
    hasher.combine((record.time?.nanoseconds ?? 0) / 1000)
    // A type byte in front and a type in the record's header are the same.
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
