import Bluetooth
import Bytes

/// Several files as one capture: one behind the other, the one that begins first in time first, their
/// records numbered on.
///
/// Nothing is sorted or dropped: the records of a file stay together and in their order. Where a file
/// begins before those before it have ended, `summary.remarks` says so, and how many of its records
/// they have already. Files are opened one after the other; each is looked at once before, to learn
/// when it begins. What cannot be opened twice (standard input, a named pipe) stays where it is named,
/// as do files without a time. A file that is damaged gives what can be read of it, and the next one
/// goes on; `failures` has what was wrong, and `next` throws the first of it at the very end.
package struct JoinedSource: CaptureSource, ~Copyable {
  /// What is known of the files together: format and datalink are the first one's, the clock is the
  /// finest.
  package private(set) var summary: CaptureSummary
  /// What was wrong with files that were read as far as they go, in the order of reading.
  package private(set) var failures: [CaptureFailure] = []

  private let sources: [CaptureFile]
  private var current: CaptureReader?
  private var file = -1
  /// The number of the last record, and that of the last one of the files before.
  private var number = 0
  private var numberBefore = 0
  private var overlap = Overlap()
  /// What the current file's controllers are numbered from, and those of another device would be.
  private var firstAdapter: UInt16 = 0
  private var nextAdapter: UInt16 = 0
  private var hasEnded = false

  /// Looks at the files and puts them in order.
  ///
  /// - Throws: what opening a file throws, where it is not only damaged; `failure.file` is its name.
  package init(_ files: [CaptureFile]) throws(CaptureFailure) {
    var starts: [Timestamp?] = []
    var summaries: [CaptureSummary?] = []
    for file in files {
      var start: Timestamp?
      var summary: CaptureSummary?
      do throws(CaptureFailure) {
        if file.canBeOpenedAgain {
          var reader = try CaptureReader(file.open())
          summary = reader.summary
          if let record = try reader.next() { start = record.time }
        }
      } catch {
        // Damage comes again when the file's turn comes.
        if error.kind != .damaged { throw error.of(file.name) }
      }
      starts.append(start)
      summaries.append(summary)
    }
    let order = Self.order(starts)
    sources = order.map { files[$0] }
    overlap = Overlap(starts: order.map { starts[$0] })
    summary = Self.summary(order.map { (files[$0].name, summaries[$0]) })
  }

  /// The order of files by time: those with one change places among themselves.
  private static func order(_ starts: [Timestamp?]) -> [Int] {
    let timed = starts.indices.filter { starts[$0] != nil }
    let sorted = timed.sorted { left, right in
      guard let first = starts[left], let second = starts[right] else { return left < right }
      return first == second ? left < right : first.isEarlier(than: second)
    }
    var order = Array(starts.indices)
    for (place, index) in zip(timed, sorted) { order[place] = index }
    return order
  }

  private static func summary(_ files: [(String, CaptureSummary?)]) -> CaptureSummary {
    let known = files.compactMap(\.1)
    var summary =
      known.first
      ?? CaptureSummary(format: .btsnoop, datalink: nil, datalinkName: "", timeDecimals: 6)
    summary.timeDecimals = known.map(\.timeDecimals).max() ?? 6
    summary.leftOut = []
    summary.files = files.map { CaptureSummary.File(name: $0, summary: $1.map { .init($0) }) }
    return summary
  }

  /// Whether the current file can answer without waiting. Between two files nobody knows.
  package var isReady: Bool {
    switch current {
    case .some(let reader): return reader.isReady
    case nil: return hasEnded
    }
  }

  /// The next record of the current file, or the first one of the next.
  ///
  /// - Throws: the first of `failures`, at the end of the last file.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    while !hasEnded {
      if current == nil, !openNext() { break }
      do throws(CaptureFailure) {
        if let record = try current?.next() {
          number = numberBefore + record.number
          summary.files[file].records += 1
          let original = overlap.observe(record, file: file, number: number)
          if record.number == 1 { firstAdapter = overlap.isOtherDevice ? nextAdapter : 0 }
          // Controllers of another device are others, whatever their numbers.
          let adapter = record.adapter.map { $0 &+ firstAdapter }
          if let adapter { nextAdapter = max(nextAdapter, adapter &+ 1) }
          return record.with(file: file, number: number, original: original).with(adapter: adapter)
        }
      } catch {
        failures.append(error.of(sources[file].name))
      }
      close()
    }
    guard !hasEnded else { return nil }
    hasEnded = true
    summary.remarks += overlap.remarks(sources.map(\.name))
    if let failure = failures.first { throw failure }
    return nil
  }

  /// Opens the next file that can be; false behind the last one.
  private mutating func openNext() -> Bool {
    while file + 1 < sources.count {
      file += 1
      do throws(CaptureFailure) {
        let reader = try CaptureReader(sources[file].open())
        let opened = reader.summary
        summary.files[file].summary = .init(opened)
        summary.lacksDirection = summary.lacksDirection || opened.lacksDirection
        current = consume reader
        return true
      } catch {
        failures.append(error.of(sources[file].name))
      }
    }
    return false
  }

  /// Closes the current file and keeps what it left to say.
  private mutating func close() {
    if let ended = currentSummary {
      summary.lacksDirection = summary.lacksDirection || ended.lacksDirection
      for left in ended.leftOut {
        if let known = summary.leftOut.firstIndex(where: { $0.name == left.name }) {
          summary.leftOut[known].count += left.count
        } else {
          summary.leftOut.append(left)
        }
      }
    }
    current = nil
    numberBefore = number
  }

  private var currentSummary: CaptureSummary? {
    switch current {
    case .some(let reader): return reader.summary
    case nil: return nil
    }
  }
}

/// Where a file begins before the ones before it have ended, and which of its records those had.
private struct Overlap: Sendable {
  /// When each file begins.
  private var starts: [Timestamp?] = []
  /// The latest time of the files before the current one, and of those including it.
  private var before: Timestamp?
  private var latest: Timestamp?
  private var file = -1
  /// When the files that are still to come begin at the earliest.
  private var nextStart: Timestamp?
  /// What the records were that are later than that, and their numbers.
  private var seen: [UInt64: Int] = [:]
  private var found: [(file: Int, nanoseconds: Int64, again: Int, isOther: Bool)] = []
  /// Whether the current file is of another device: it begins well before those before it have ended, and its
  /// first record is none of theirs. A clock that is set back is less.
  private(set) var isOtherDevice = false
  private static let leastOverlap: Int64 = 60_000_000_000

  init() {}

  init(starts: [Timestamp?]) { self.starts = starts }

  /// Takes a record, which has this number among all.
  ///
  /// - Returns: the number of the same record in a file before.
  mutating func observe(_ record: borrowing CaptureRecord, file: Int, number: Int) -> Int? {
    guard let time = record.time else { return nil }
    var original: Int?
    let isFirst = file != self.file
    if isFirst {
      self.file = file
      isOtherDevice = false
      before = latest
      nextStart = starts.dropFirst(file + 1).compactMap(\.self).min { $0.isEarlier(than: $1) }
      if let before, time.isEarlier(than: before) {
        found.append((file, before.nanoseconds(since: time), 0, false))
      }
    }
    let isAgain = before.map { !$0.isEarlier(than: time) } ?? false
    let mayComeAgain = nextStart.map { !time.isEarlier(than: $0) } ?? false
    if isAgain || mayComeAgain {
      let digest = Self.digest(record)
      if isAgain, let known = seen[digest], let last = found.indices.last, found[last].file == file
      {
        found[last].again += 1
        original = known
      }
      if mayComeAgain, original == nil, seen.count < CaptureLimits.overlapRecords {
        seen[digest] = number
      }
    }
    if isFirst, original == nil, let last = found.last, last.file == file {
      isOtherDevice = last.nanoseconds >= Self.leastOverlap
      found[found.count - 1].isOther = isOtherDevice
    }
    if let latest, !latest.isEarlier(than: time) { return original }
    latest = time
    return original
  }

  /// Time, direction and bytes in one number (FNV-1a).
  private static func digest(_ record: borrowing CaptureRecord) -> UInt64 {
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    func mix(_ value: UInt64) { digest = (digest ^ value) &* 0x100_0000_01b3 }
    mix(UInt64(bitPattern: record.time?.seconds ?? 0))
    mix(UInt64(record.time?.nanoseconds ?? 0))
    mix(UInt64(record.direction.map { $0.rawValue } ?? 2))
    for offset in 0..<record.bytes.byteCount { mix(UInt64(record.bytes.byte(at: offset))) }
    return digest
  }

  /// A sentence for each overlap.
  func remarks(_ names: [String]) -> [String] {
    found.map { file, nanoseconds, again, isOther in
      let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
      let milliseconds = String(rest / 1_000_000)
      let zeros = String(repeating: "0", count: 3 - milliseconds.count)
      let first = CaptureFailure.subject(names[file])
      let records = again == 1 ? "1 of its records is" : "\(again) of its records are"
      return "\(first) overlaps the files before it by \(seconds).\(zeros)\(milliseconds) s"
        + (again > 0 ? "; \(records) in those too and shown twice" : "")
        + (isOther ? "; it is another device's: its controllers are numbered on" : "")
    }
  }
}
