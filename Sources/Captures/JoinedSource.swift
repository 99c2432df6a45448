import Bluetooth
import Bytes

/// Several files read as one capture, in order of their first timestamps and numbered
/// consecutively.
///
/// Nothing is sorted or dropped: the records of a file stay together and in order. If a file begins
/// before the previous ones have ended, `summary.files` has it, and how many of its records
/// the previous files also have. Files are opened one at a time; each is examined once beforehand
/// to find when it begins. Files that cannot be opened twice (standard input, a named pipe) keep
/// their place, as do files without a time. A damaged file is read up to the damage, and the next
/// one follows: its first record is marked (`followsDamage`), and `summary.holes` has the place.
/// `failures` holds what was wrong, and `next` throws the first failure at the very end.
package struct JoinedSource: CaptureSource, ~Copyable {
  /// The properties of all files together: the first file's format and datalink, and the finest
  /// clock.
  package private(set) var summary: CaptureSummary
  /// The failures of files that were read up to the damage, in reading order.
  package private(set) var failures: [CaptureFailure] = []

  private let sources: [CaptureFile]
  /// The damage of archives, by which other logs were lost.
  private let unread: [CaptureFailure]
  /// Whether a file was damaged and no record has followed.
  private var isAfterDamage = false
  private var current: CaptureReader?
  private var file = -1
  /// The number of the last record, and of the last one of the previous files.
  private var number = 0
  private var numberBefore = 0
  private var overlap = Overlap()
  /// The numbers of controllers, and of sniffers that recorded a file of their own.
  private var controllers = Numbers()
  private var sniffers = Numbers()
  /// Whether a sniffer recorded the current file.
  private var isFromAir = false
  private var isFirstRecord = false
  private var hasEnded = false

  /// Examines the files and sorts them by time.
  ///
  /// - Parameter damages: The damage of the archives that the files are from.
  /// - Throws: The error of opening a file, unless it is only damaged. `failure.file` is its name.
  package init(
    _ files: [CaptureFile], damages: [CaptureFailure] = []
  ) throws(CaptureFailure) {
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
        // Damage is reported again when the file is read.
        if error.kind != .damaged { throw error.of(file.name) }
      }
      starts.append(start)
      summaries.append(summary)
    }
    let order = Self.order(starts)
    sources = order.map { files[$0] }
    overlap = Overlap(starts: order.map { starts[$0] })
    unread = damages.filter { damage in
      !files.contains { $0.damage != nil && $0.name == damage.file }
    }
    summary = Self.summary(order.map { (files[$0].name, summaries[$0]) })
    // Files that cannot be examined may hold HCI.
    if summary.holdsHCI || summaries.contains(where: { $0 == nil }) {
      sniffers.base = CaptureLimits.controllers
    }
  }

  /// Returns the order of the files by time. Files with a time are sorted among their own
  /// positions.
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
    for other in known { summary.add(contentsOf: other) }
    if files.count > 1 {
      // Each file's remarks are added when it has been read.
      summary.remarks = []
      summary.files = files.map { CaptureSummary.File(name: $0, summary: $1.map { .init($0) }) }
    }
    return summary
  }

  /// Whether the current file can return a record without waiting; unknown between two files.
  package var isReady: Bool {
    switch current {
    case .some(let reader): return reader.isReady
    case nil: return hasEnded
    }
  }

  /// Returns the next record of the current file, or the first of the next file.
  ///
  /// - Throws: The first of `failures`, at the end of the last file.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    while !hasEnded {
      if current == nil, !openNext() { break }
      do throws(CaptureFailure) {
        if let record = try current?.next() {
          number = numberBefore + record.number
          if !summary.files.isEmpty { summary.files[file].records += 1 }
          let original = overlap.observe(record, file: file, number: number)
          let isOther = isFirstRecord ? overlap.isOtherDevice : nil
          isFirstRecord = false
          let adapter =
            isFromAir
            ? sniffers.adapter(record.adapter, ofOtherDevice: isOther)
            : controllers.adapter(record.adapter, ofOtherDevice: isOther)
          let followsDamage = isAfterDamage
          isAfterDamage = false
          // A file that begins within the damaged one may have what that lacks.
          if followsDamage, original != nil { summary.forgetPlaceOfHole() }
          return record.with(file: file, number: number, original: original).with(adapter: adapter)
            .following(damage: followsDamage)
        }
        if let damage = sources[file].damage { fail(damage) }
      } catch {
        fail(error.of(sources[file].name))
      }
      close()
    }
    guard !hasEnded else { return nil }
    hasEnded = true
    for (file, words) in overlap.words { summary.files[file].overlap = words }
    summary.holes += unread.map { CaptureSummary.Hole(failure: $0, after: nil) }
    if let failure = failures.first { throw failure }
    return nil
  }

  /// The numbers of controllers or sniffers in all files.
  private struct Numbers: Sendable {
    /// The first number of all.
    var base: UInt16 = 0
    /// The number added to those of the current file, and the one for a file of another device.
    private var first: UInt16 = 0
    private var next: UInt16 = 0

    /// Returns the number of a controller, given its number in its file.
    ///
    /// - Parameter isOther: For a file's first record: whether the file is from another device.
    mutating func adapter(_ known: AdapterIndex, ofOtherDevice isOther: Bool?) -> AdapterIndex {
      // Controllers of another device are different ones, whatever their numbers.
      if let isOther { first = isOther ? max(next, base) : base }
      guard let number = known.number else { return known }
      let adapter = AdapterIndex(number &+ first)
      next = max(next, adapter.value &+ 1)
      return adapter
    }
  }

  /// Opens the next file that can be opened; returns false after the last one.
  private mutating func openNext() -> Bool {
    while file + 1 < sources.count {
      file += 1
      do throws(CaptureFailure) {
        let reader = try CaptureReader(sources[file].open())
        let opened = reader.summary
        if !summary.files.isEmpty { summary.files[file].summary = .init(opened) }
        summary.lacksDirection = summary.lacksDirection || opened.lacksDirection
        summary.add(contentsOf: opened)
        isFromAir = !opened.holdsHCI
        current = consume reader
        isFirstRecord = true
        return true
      } catch {
        fail(error.of(sources[file].name))
      }
    }
    return false
  }

  /// Records what is wrong with the current file.
  private mutating func fail(_ failure: CaptureFailure) {
    failures.append(failure)
    let after = number > numberBefore ? number : nil
    summary.holes.append(CaptureSummary.Hole(failure: failure, after: after))
    isAfterDamage = true
  }

  /// Closes the current file and keeps its remaining facts for the summary.
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
      if summary.files.isEmpty {
        summary.remarks = ended.remarks
      } else {
        summary.files[file].remarks = ended.remarks
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

/// A detector of files that begin before the previous ones have ended, and of the records they
/// share.
private struct Overlap: Sendable {
  /// The time at which each file begins.
  private var starts: [Timestamp?] = []
  /// The latest time in the files before the current one, and including it.
  private var before: Timestamp?
  private var latest: Timestamp?
  private var file = -1
  /// The earliest time at which one of the remaining files begins.
  private var nextStart: Timestamp?
  /// The digests of the records at or after that time, and their numbers.
  private var seen: [UInt64: Int] = [:]
  private var found: [(file: Int, nanoseconds: Int64, again: Int, isOther: Bool)] = []
  /// Whether the current file is from another device: it begins well before the previous ones have
  /// ended, and its first record is not one of theirs. A clock set back jumps by less.
  private(set) var isOtherDevice = false
  private static let leastOverlap: Int64 = 60_000_000_000

  init() {}

  init(starts: [Timestamp?]) { self.starts = starts }

  /// Processes a record that has this number in the joined capture.
  ///
  /// - Returns: The number of the identical record in an earlier file.
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

  /// Hashes time, direction and bytes (FNV-1a).
  private static func digest(_ record: borrowing CaptureRecord) -> UInt64 {
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    func mix(_ value: UInt64) { digest = (digest ^ value) &* 0x100_0000_01b3 }
    mix(UInt64(bitPattern: record.time?.seconds ?? 0))
    mix(UInt64(record.time?.nanoseconds ?? 0))
    mix(UInt64(record.direction.map { $0.rawValue } ?? 2))
    for offset in 0..<record.bytes.byteCount { mix(UInt64(record.bytes.byte(at: offset))) }
    return digest
  }

  /// Each overlap in words, without the subject.
  var words: [(file: Int, words: String)] {
    found.map { file, nanoseconds, again, isOther in
      let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
      let milliseconds = String(rest / 1_000_000)
      let zeros = String(repeating: "0", count: 3 - milliseconds.count)
      let records = again == 1 ? "1 of its records is" : "\(again) of its records are"
      let words =
        "overlaps the files before it by \(seconds).\(zeros)\(milliseconds) s"
        + (again > 0 ? "; \(records) in those too and shown twice" : "")
        + (isOther ? "; it is from another device, so its controllers get new numbers" : "")
      return (file, words)
    }
  }
}
