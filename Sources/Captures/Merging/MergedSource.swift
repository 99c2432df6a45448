import Bluetooth
import Bytes

/// Several files as one capture, their records in the order of time: logs that were begun anew, two
/// controllers, both ends of a link.
///
/// The records of a file stay in their order, wherever its clock goes back; one without a time follows
/// the one before it. What two files of the same controllers both have is handed out once, and what are
/// different controllers have different numbers: a `MergePlan` tells which are, and the files are read
/// once for that before. A file that is damaged gives what can be read of it, and the others go on;
/// `failures` has what was wrong, and `next` throws the first of it at the very end.
package struct MergedSource: CaptureSource, ~Copyable {
  /// What is known of the files together: the finest clock, and the datalink that holds most.
  package private(set) var summary: CaptureSummary
  /// What was wrong with files that were read as far as they go.
  package private(set) var failures: [CaptureFailure] = []
  /// How many records of each file were left out, since another has them.
  package private(set) var repeated: [Int]

  private let files: [MergedFile]
  private let plan: MergePlan?
  private var repeats = RepeatedRecords()
  /// What is learnt for a plan.
  private(set) var facts: MergeFacts
  /// The file whose record was handed out last.
  private var current: Int?
  /// The files that have a record, as a heap: the one whose record comes first is the first.
  private var open: [Int] = []
  private var hasBegun = false
  private var number = 0
  private var hasEnded = false

  /// Opens the files.
  ///
  /// - Throws: what opening a file throws, where it is not only damaged; `failure.file` is its name.
  package init(_ inputs: [CaptureFile], _ plan: MergePlan) throws(CaptureFailure) {
    try self.init(inputs, plan: plan)
  }

  /// - Parameter plan: nil: all records are handed out, and what makes a plan is gathered.
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
    var summary =
      fullest ?? known.first
      ?? CaptureSummary(format: .btsnoop, datalink: nil, datalinkName: "", timeDecimals: 6)
    summary.timeDecimals = known.map(\.timeDecimals).max() ?? 6
    summary.lacksDirection = known.contains(where: \.mayLackDirection)
    return summary
  }

  /// Whether `next` can answer without waiting for input: files never wait.
  package var isReady: Bool { true }

  /// The next record by time.
  ///
  /// - Throws: the first of `failures`, at the end of the last file.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    while !hasEnded {
      if let current { advance(current) }
      current = nil
      if !hasBegun { begin() }
      guard let first = open.first else { break }
      current = first
      // A record of a chunk, which stays as it is until its file goes on.
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
      let adapter = record.adapter.map { plan.adapters[first][$0] ?? $0 }
      let whole = record.with(section: 0).with(number: number).with(adapter: adapter)
      return unsafe _overrideLifetime(whole, mutating: &self)
    }
    guard !hasEnded else { return nil }
    hasEnded = true
    gather()
    if let failure = failures.first { throw failure }
    return nil
  }

  /// Whether the record of a file comes before another's; of the same time that of the one named first.
  private func precedes(_ file: Int, _ other: Int) -> Bool {
    if files[file].time.isEarlier(than: files[other].time) { return true }
    return file < other && !files[other].time.isEarlier(than: files[file].time)
  }

  /// Goes to the first record of each file.
  private mutating func begin() {
    hasBegun = true
    for file in files.indices where advances(file) { open.append(file) }
    for place in stride(from: open.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
  }

  /// Goes to the next record of the file that is first.
  private mutating func advance(_ file: Int) {
    if !advances(file) {
      open.swapAt(0, open.count - 1)
      open.removeLast()
    }
    sink(from: 0)
  }

  /// Moves the file at a place behind those whose records come before its own.
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

  /// Goes to the next record of a file, and says whether there is one.
  private mutating func advances(_ file: Int) -> Bool {
    do throws(CaptureFailure) {
      try files[file].advance()
    } catch {
      failures.append(error)
    }
    return files[file].isOpen
  }

  /// Takes in what the files say at their ends.
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
