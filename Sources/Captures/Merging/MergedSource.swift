import Bluetooth
import Bytes

/// Several files read as one capture, with their records in order of time: logs that were
/// restarted, two controllers, or both ends of a link.
///
/// A file's records keep their order even if its clock goes back; a record without a time follows
/// the one before it. Records that two files of the same controllers share are returned once, and
/// different controllers get different numbers, as determined by a `MergePlan`, for which the files
/// are read once beforehand. A damaged file is read up to the damage, and the others continue.
/// `failures` holds what was wrong, and `next` throws the first failure at the very end.
package struct MergedSource: CaptureSource, ~Copyable {
  /// The properties of all files together: the finest clock, and the most expressive datalink.
  package private(set) var summary: CaptureSummary
  /// The failures of files that were read up to the damage.
  package private(set) var failures: [CaptureFailure] = []
  /// The number of records of each file left out because another file has them.
  package private(set) var repeated: [Int]

  private let files: [MergedFile]
  private let plan: MergePlan?
  private var repeats = RepeatedRecords()
  /// The evidence collected for a plan.
  private(set) var facts: MergeFacts
  /// The file whose record was returned last.
  private var current: Int?
  /// The files that have a record, as a heap with the earliest record first.
  private var open: [Int] = []
  private var hasBegun = false
  private var number = 0
  private var hasEnded = false

  /// Opens the files.
  ///
  /// - Throws: The error of opening a file, unless it is only damaged. `failure.file` is its name.
  package init(_ inputs: [CaptureFile], _ plan: MergePlan) throws(CaptureFailure) {
    try self.init(inputs, plan: plan)
  }

  /// - Parameter plan: If nil, all records are returned, and the evidence for a plan is collected.
  init(_ inputs: [CaptureFile], plan: MergePlan?) throws(CaptureFailure) {
    var files: [MergedFile] = []
    for input in inputs { files.append(try MergedFile(input)) }
    self.files = files
    self.plan = plan
    repeated = Array(repeating: 0, count: files.count)
    facts = MergeFacts(count: files.count)
    summary = Self.summary(files)
  }

  private static func summary(_ files: [MergedFile]) -> CaptureSummary {
    let known = files.compactMap(\.summary)
    let fullest =
      known.first(where: \.holdsMonitorRecords) ?? known.first(where: \.mayLackDirection)
      ?? known.first(where: \.holdsHCI)
    var summary =
      fullest ?? known.first
      ?? CaptureSummary(format: .btsnoop, datalink: nil, datalinkName: "", timeDecimals: 6)
    summary.timeDecimals = known.map(\.timeDecimals).max() ?? 6
    summary.lacksDirection = known.contains(where: \.mayLackDirection)
    for other in known { summary.add(contentsOf: other) }
    return summary
  }

  /// Always true: files never wait.
  package var isReady: Bool { true }

  /// Returns the next record by time.
  ///
  /// - Throws: The first of `failures`, at the end of the last file.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    while !hasEnded {
      if let current { advance(current) }
      current = nil
      if !hasBegun { begin() }
      guard let first = open.first else { break }
      current = first
      // A record in a chunk, which is unchanged until its file advances.
      let (chunk, position) = (files[first].chunk, files[first].position)
      let record = chunk.record(at: position)
      guard let plan else {
        facts.observe(record, first, at: files[first].time, &repeats)
        return unsafe _overrideLifetime(record, mutating: &self)
      }
      if repeats.isRepeated(record, in: first, of: plan.groups[first]) {
        repeated[first] += 1
        continue
      }
      number += 1
      let adapter = plan.adapters[first][record.adapter] ?? record.adapter
      let whole = record.with(section: 0).with(number: number).with(adapter: adapter)
      return unsafe _overrideLifetime(whole, mutating: &self)
    }
    guard !hasEnded else { return nil }
    hasEnded = true
    gather()
    if let failure = failures.first { throw failure }
    return nil
  }

  /// Returns whether a file's record precedes another's. At equal times, the file named first
  /// precedes.
  private func precedes(_ file: Int, _ other: Int) -> Bool {
    if files[file].time.isEarlier(than: files[other].time) { return true }
    return file < other && !files[other].time.isEarlier(than: files[file].time)
  }

  /// Advances each file to its first record and builds the heap.
  private mutating func begin() {
    hasBegun = true
    for file in files.indices where advances(file) { open.append(file) }
    for place in stride(from: open.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
  }

  /// Advances the first file of the heap to its next record.
  private mutating func advance(_ file: Int) {
    if !advances(file) {
      open.swapAt(0, open.count - 1)
      open.removeLast()
    }
    sink(from: 0)
  }

  /// Moves the file at `start` down the heap, below files with earlier records.
  private mutating func sink(from start: Int) {
    var place = start
    while true {
      var first = place
      for child in 2 * place + 1...2 * place + 2
      where child < open.count && precedes(open[child], open[first]) {
        first = child
      }
      if first == place { return }
      open.swapAt(first, place)
      place = first
    }
  }

  /// Advances a file to its next record; returns whether there is one.
  private mutating func advances(_ file: Int) -> Bool {
    do throws(CaptureFailure) {
      try files[file].advance()
    } catch {
      failures.append(error)
    }
    return files[file].isOpen
  }

  /// Collects the remarks of the files at their ends.
  private mutating func gather() {
    summary.leftOut = []
    for file in files {
      for left in file.summary?.leftOut ?? [] {
        if let known = summary.leftOut.firstIndex(where: { $0.name == left.name }) {
          summary.leftOut[known].count += left.count
        } else {
          summary.leftOut.append(left)
        }
      }
    }
    for (file, count) in repeated.enumerated() where count > 0 {
      let records = count == 1 ? "1 of its records is" : "\(count) of its records are"
      summary.remarks.append(
        "\(CaptureFailure.subject(files[file].name)): \(records) in another file, too, and written once"
      )
    }
    summary.remarks += plan?.remarks ?? []
  }
}
