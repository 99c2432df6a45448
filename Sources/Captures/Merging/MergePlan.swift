import Bluetooth
import Bytes

/// Which of several files are of the same controllers, and what the others' are called.
///
/// Files that have the same records are of the same controllers, and so are those that follow one
/// another in time. Files of one time that have nothing in common are of different ones.
package struct MergePlan: Sendable {
  /// Which files belong together: the number of each one's group.
  private(set) var groups: [Int] = []
  /// What the controllers of each file become that are renumbered.
  private(set) var adapters: [[UInt16: UInt16]] = []
  /// What is to be said of controllers that are renumbered, or cannot be.
  package private(set) var remarks: [String] = []
  /// Whether there are several groups.
  package var hasSeveralControllers: Bool { Set(groups).count > 1 }

  /// Reads the files to learn it.
  ///
  /// - Throws: what opening a file throws, where it is not only damaged.
  package init(_ inputs: [CaptureFile]) throws(CaptureFailure) {
    var source = try MergedSource(inputs, plan: nil)
    do throws(CaptureFailure) {
      while try source.next() != nil {}
    } catch {
      // Damage comes again when the files are read.
      if error.kind != .damaged { throw error }
    }
    self.init(source.facts, names: inputs.map(\.name))
  }

  init(_ facts: MergeFacts, names: [String]) {
    groups = Array(repeating: 0, count: names.count)
    adapters = Array(repeating: [:], count: names.count)
    var found: [Group] = []
    for file in facts.order {
      let place = Self.place(of: file, among: found, facts)
      if place == found.count { found.append(Group()) }
      found[place].add(file, facts)
      groups[file] = place
    }
    number(found.map(\.files), facts, names)
  }

  /// Files of the same controllers.
  private struct Group {
    var files: [Int] = []
    /// When the last of them ends.
    var end: Timestamp?
    /// Those that may be of one time with a file that begins later.
    var running: [Int] = []

    /// Adds a file; files come in the order in which they begin.
    mutating func add(_ file: Int, _ facts: MergeFacts) {
      files.append(file)
      guard let span = facts.spans[file] else { return }
      running.removeAll { facts.spans[$0].map { !span.first.isEarlier(than: $0.last) } ?? true }
      running.append(file)
      if let end, !end.isEarlier(than: span.last) { return }
      end = span.last
    }
  }

  /// The place of the group that a file belongs to, or of a new one.
  private static func place(of file: Int, among groups: [Group], _ facts: MergeFacts) -> Int {
    let same = Set(facts.partners(of: file).filter { facts.areSame(file, $0) })
    if !same.isEmpty, let known = groups.firstIndex(where: { !same.isDisjoint(with: $0.files) }) {
      return known
    }
    var best: (group: Int, end: Timestamp)?
    for (place, group) in groups.enumerated() {
      if group.running.contains(where: { facts.differ(file, $0) }) { continue }
      guard let end = group.end else { return place }
      // Of several the one that ended last goes on.
      if let known = best, !known.end.isEarlier(than: end) { continue }
      best = (place, end)
    }
    return best?.group ?? groups.count
  }

  /// Gives the controllers of groups numbers that those whose files were named before do not have.
  private mutating func number(_ members: [[Int]], _ facts: MergeFacts, _ names: [String]) {
    var taken: Set<UInt16> = []
    // All numbers below this one are taken.
    var free: UInt16 = 0
    for files in members.sorted(by: { ($0.min() ?? 0) < ($1.min() ?? 0) }) {
      let used = files.reduce(into: Set<UInt16>()) { $0.formUnion(facts.adapters[$1]) }
      let before = taken
      var changes: [UInt16: UInt16] = [:]
      var shared: Set<UInt16> = []
      taken.formUnion(used.subtracting(before))
      for adapter in used.intersection(before).sorted() {
        while free < Self.noAdapter, taken.contains(free) { free += 1 }
        guard free < Self.noAdapter else {
          shared.insert(adapter)
          continue
        }
        taken.insert(free)
        changes[adapter] = free
      }
      if changes.isEmpty, shared.isEmpty { continue }
      for file in files.sorted() {
        adapters[file] = changes
        remark(on: changes, shared, facts.adapters[file], CaptureFailure.subject(names[file]))
      }
    }
  }

  /// Says what becomes of a file's controllers.
  private mutating func remark(
    on changes: [UInt16: UInt16], _ shared: Set<UInt16>, _ own: Set<UInt16>, _ subject: String
  ) {
    let changed = changes.filter { own.contains($0.key) }.sorted { $0.key < $1.key }
    for (adapter, number) in changed.prefix(Self.mostRemarks) {
      remarks.append("hci\(adapter) of \(subject) is hci\(number)")
    }
    if changed.count > Self.mostRemarks {
      remarks.append(
        "\(changed.count - Self.mostRemarks) more controllers of \(subject) have other numbers")
    }
    let count = shared.intersection(own).count
    if count > 0 {
      remarks.append(
        count == 1
          ? "1 controller of \(subject) has the number of another file's: no other is free"
          : "\(count) controllers of \(subject) have the numbers of other files': no others are free"
      )
    }
  }

  /// The number that means none, in the monitor's records.
  private static let noAdapter: UInt16 = 0xffff
  /// So many controllers of a file are named that are renumbered.
  private static let mostRemarks = 8
}

/// What the records of several files tell of whose they are. What is kept grows with the files, and with the
/// records that two of them have in common, never with all pairs of files.
struct MergeFacts: Sendable {
  /// Where records of a file came among those of all files: so many as there is room for, evenly.
  private struct Places: Sendable {
    private(set) var kept: [Int32] = []
    /// One in so many is kept.
    private var step = 1
    private var count = 0
    private static let most = 1024

    mutating func append(_ place: Int) {
      defer { count += 1 }
      guard count % step == 0 else { return }
      if kept.count == Self.most {
        kept = stride(from: 0, to: kept.count, by: 2).map { kept[$0] }
        step *= 2
        if count % step != 0 { return }
      }
      kept.append(Int32(clamping: place))
    }

    /// How many there are between two places, those left out.
    func count(after first: Int, before last: Int) -> Int {
      max(0, position(last) - position(first + 1)) * step
    }

    /// How many are kept before a place.
    private func position(_ place: Int) -> Int {
      var (low, high) = (0, kept.count)
      while low < high {
        let middle = (low + high) / 2
        if kept[middle] < place { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// From when to when each file's records are; nil where it has none with a time.
  private(set) var spans: [(first: Timestamp, last: Timestamp)?]
  /// The controllers of each file.
  private(set) var adapters: [Set<UInt16>]
  private var places: [Places]
  /// Among the records of all files, where each file's first one with a time came, and its last one.
  private var begins: [Int]
  private var ends: [Int]
  /// How many records were observed.
  private var count = 0
  /// How many records of a file another one has, too: `file << 32 | other`.
  private var shared: [UInt64: Int] = [:]
  /// The files that have records in common with each one.
  private var others: [[Int]]

  /// From so long on files of one time cannot be the same controller's, where they have nothing in common:
  /// a clock that was set makes logs that follow one another overlap by less.
  private static let longestStep: Int64 = 1_000_000_000
  /// Pairs of files of which it is known how many records they have in common.
  private static let mostPairs = 262_144

  init(count: Int) {
    spans = Array(repeating: nil, count: count)
    adapters = Array(repeating: [], count: count)
    places = Array(repeating: Places(), count: count)
    begins = Array(repeating: -1, count: count)
    ends = begins
    others = Array(repeating: [], count: count)
  }

  /// Takes in the record that a file is at.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ file: Int, at time: Timestamp,
    _ repeats: inout RepeatedRecords
  ) {
    if let adapter = record.adapter { adapters[file].insert(adapter) }
    if record.time != nil {
      if spans[file] == nil { begins[file] = count }
      spans[file] = (spans[file]?.first ?? time, time)
    }
    places[file].append(count)
    ends[file] = count
    count += 1
    for other in repeats.others(record, in: file, of: 0) { share(file, other) }
  }

  private mutating func share(_ file: Int, _ other: Int) {
    let pair = Self.pair(file, other)
    if let known = shared[pair] {
      shared[pair] = known + 1
    } else if shared.count < Self.mostPairs {
      if shared[Self.pair(other, file)] == nil {
        others[file].append(other)
        others[other].append(file)
      }
      shared[pair] = 1
    }
  }

  private static func pair(_ file: Int, _ other: Int) -> UInt64 {
    UInt64(file) << 32 | UInt64(other)
  }

  /// The files that have records in common with a file.
  func partners(of file: Int) -> [Int] { others[file] }

  /// How many records of a file came while another one ran.
  private func during(_ file: Int, _ other: Int) -> Int {
    guard begins[other] >= 0 else { return 0 }
    return places[file].count(after: begins[other], before: ends[other])
  }

  /// The files in the order in which they begin.
  var order: [Int] {
    spans.indices.sorted { left, right in
      guard let first = spans[left]?.first, let second = spans[right]?.first else {
        return spans[left] == nil && spans[right] != nil || left < right
      }
      return first == second ? left < right : first.isEarlier(than: second)
    }
  }

  /// Whether two files have records in common, at least half of those of their common time in one of
  /// them: single ones may be alike by chance.
  func areSame(_ left: Int, _ right: Int) -> Bool {
    let common = (shared[Self.pair(left, right)] ?? 0) + (shared[Self.pair(right, left)] ?? 0)
    return common > 0 && 2 * common >= min(during(left, right), during(right, left))
  }

  /// Whether two files are of one time and have nothing in common.
  func differ(_ left: Int, _ right: Int) -> Bool {
    guard let one = spans[left], let other = spans[right] else { return false }
    let start = one.first.isEarlier(than: other.first) ? other.first : one.first
    let end = one.last.isEarlier(than: other.last) ? one.last : other.last
    let common = end.nanoseconds(since: start)
    let shortest = min(
      one.last.nanoseconds(since: one.first), other.last.nanoseconds(since: other.first))
    guard common > Self.longestStep || common > 0 && common > shortest / 2 else { return false }
    return !areSame(left, right)
  }
}
