import Bluetooth
import Bytes

/// The assignment of several files to controllers, and the renumbering of controllers.
///
/// Files with identical records belong to the same controllers, and so do files that follow one
/// another in time. Files that overlap in time without common records belong to different ones, and
/// so do files with HCI and those of a sniffer.
package struct MergePlan: Sendable {
  /// The number of each file's group of common controllers.
  private(set) var groups: [Int] = []
  /// For each file, the new numbers of controllers that are renumbered.
  private(set) var adapters: [[AdapterIndex: AdapterIndex]] = []
  /// Remarks on controllers that are renumbered, or cannot be.
  package private(set) var remarks: [String] = []
  /// Whether there is more than one group with HCI.
  package private(set) var hasSeveralControllers = false

  /// Reads the files and creates the plan.
  ///
  /// - Throws: The error of opening a file, unless it is only damaged.
  package init(_ inputs: [CaptureFile]) throws(CaptureFailure) {
    var source = try MergedSource(inputs, plan: nil)
    do throws(CaptureFailure) {
      while try source.next() != nil {}
    } catch {
      // Damage is reported again when the files are read.
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
    // Controllers keep their numbers if they can; of those, the ones of the first files.
    let members = found.map(\.files).sorted { ($0.min() ?? 0) < ($1.min() ?? 0) }
    let controllers = members.filter { !facts.isFromAir($0[0]) }
    hasSeveralControllers = controllers.count > 1
    number(controllers + members.filter { facts.isFromAir($0[0]) }, facts, names)
  }

  /// Files of the same controllers.
  private struct Group {
    var files: [Int] = []
    /// When the last of them ends.
    var end: Timestamp?
    /// Files that may overlap in time with a file that begins later.
    var running: [Int] = []

    /// Adds a file; files are added in the order in which they begin.
    mutating func add(_ file: Int, _ facts: MergeFacts) {
      files.append(file)
      guard let span = facts.spans[file] else { return }
      running.removeAll { facts.spans[$0].map { !span.first.isEarlier(than: $0.last) } ?? true }
      running.append(file)
      if let end, !end.isEarlier(than: span.last) { return }
      end = span.last
    }
  }

  /// Returns the index of the group that a file belongs to, or of a new one.
  private static func place(of file: Int, among groups: [Group], _ facts: MergeFacts) -> Int {
    let same = Set(facts.partners(of: file).filter { facts.areSame(file, $0) })
    if !same.isEmpty, let known = groups.firstIndex(where: { !same.isDisjoint(with: $0.files) }) {
      return known
    }
    var best: (group: Int, end: Timestamp)?
    for (place, group) in groups.enumerated() {
      if facts.isFromAir(group.files[0]) != facts.isFromAir(file)
        || group.running.contains(where: { facts.differ(file, $0) })
      {
        continue
      }
      guard let end = group.end else { return place }
      // Among several, the file continues the group that ended last.
      if let known = best, !known.end.isEarlier(than: end) { continue }
      best = (place, end)
    }
    return best?.group ?? groups.count
  }

  /// Renumbers the controllers of each group that clash with those of files named earlier.
  private mutating func number(_ members: [[Int]], _ facts: MergeFacts, _ names: [String]) {
    var taken: Set<AdapterIndex> = []
    // All numbers below this one are taken.
    var free: AdapterIndex = 0
    for files in members {
      let used = files.reduce(into: Set<AdapterIndex>()) { $0.formUnion(facts.adapters[$1]) }
      let before = taken
      var changes: [AdapterIndex: AdapterIndex] = [:]
      var shared: Set<AdapterIndex> = []
      taken.formUnion(used.subtracting(before))
      for adapter in used.intersection(before).sorted() {
        while free < .unknown, taken.contains(free) { free = AdapterIndex(free.value + 1) }
        guard free < .unknown else {
          shared.insert(adapter)
          continue
        }
        taken.insert(free)
        changes[adapter] = free
      }
      if changes.isEmpty, shared.isEmpty { continue }
      for file in files.sorted() {
        adapters[file] = changes
        remark(
          on: changes, shared, facts.adapters[file], CaptureFailure.subject(names[file]),
          facts.isFromAir(file) ? "sniffer " : "hci")
      }
    }
  }

  /// Adds remarks about the renumbering of a file's controllers.
  private mutating func remark(
    on changes: [AdapterIndex: AdapterIndex], _ shared: Set<AdapterIndex>, _ own: Set<AdapterIndex>,
    _ subject: String, _ name: String
  ) {
    let changed = changes.filter { own.contains($0.key) }.sorted { $0.key < $1.key }
    for (adapter, number) in changed.prefix(Self.mostRemarks) {
      remarks.append("\(name)\(adapter.value) of \(subject) is \(name)\(number.value)")
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

  /// The maximum number of renumbered controllers reported per file.
  private static let mostRemarks = 8
}

/// The evidence for grouping files by controller. Its size grows with the number of files and of
/// the records that two files share, not with the number of all pairs of files.
struct MergeFacts: Sendable {
  /// A file's record positions in the merged sequence, evenly sampled up to a limit.
  private struct Places: Sendable {
    private(set) var kept: [Int32] = []
    /// One of every `step` positions is kept.
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

    /// Returns the number of records between two positions, including those not sampled.
    func count(after first: Int, before last: Int) -> Int {
      max(0, position(last) - position(first + 1)) * step
    }

    /// Returns the number of samples before a position.
    private func position(_ place: Int) -> Int {
      var (low, high) = (0, kept.count)
      while low < high {
        let middle = (low + high) / 2
        if kept[middle] < place { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// The time range of each file's records; nil if none has a time.
  private(set) var spans: [(first: Timestamp, last: Timestamp)?]
  /// The controllers of each file.
  private(set) var adapters: [Set<AdapterIndex>]
  /// Whether each file has a record with HCI.
  private var holdsHCI: [Bool]
  private var places: [Places]
  /// The merged positions of each file's first record with a time, and of its last record.
  private var begins: [Int]
  private var ends: [Int]
  /// The number of records observed.
  private var count = 0
  /// The number of records of a file that another one also has: `file << 32 | other`.
  private var shared: [UInt64: Int] = [:]
  /// For each file, the files that share records with it.
  private var others: [[Int]]

  /// The overlap, in nanoseconds, from which files without common records cannot be from the same
  /// controller. Setting the clock makes successive logs overlap by less.
  private static let longestStep: Int64 = 1_000_000_000
  /// The maximum number of pairs of files whose common records are counted.
  private static let mostPairs = 262_144

  init(count: Int) {
    spans = Array(repeating: nil, count: count)
    adapters = Array(repeating: [], count: count)
    holdsHCI = Array(repeating: false, count: count)
    places = Array(repeating: Places(), count: count)
    begins = Array(repeating: -1, count: count)
    ends = begins
    others = Array(repeating: [], count: count)
  }

  /// Processes the current record of a file.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ file: Int, at time: Timestamp,
    _ repeats: inout RepeatedRecords
  ) {
    if record.adapter != .unknown { adapters[file].insert(record.adapter) }
    if !record.framing.isFromAir { holdsHCI[file] = true }
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

  /// Returns whether a sniffer recorded all of a file.
  func isFromAir(_ file: Int) -> Bool { !holdsHCI[file] && ends[file] >= 0 }

  /// Returns the files that share records with `file`.
  func partners(of file: Int) -> [Int] { others[file] }

  /// Returns how many records of a file came between the first and the last one of another file.
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

  /// Returns whether two files share at least half of the records from their common time in one of
  /// them; a few records may be equal by chance.
  func areSame(_ left: Int, _ right: Int) -> Bool {
    let common = (shared[Self.pair(left, right)] ?? 0) + (shared[Self.pair(right, left)] ?? 0)
    return common > 0 && 2 * common >= min(during(left, right), during(right, left))
  }

  /// Returns whether two files overlap in time without sharing records.
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
