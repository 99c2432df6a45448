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
  package init(_ inputs: [MergedSource.Input]) throws(CaptureFailure) {
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
    var members: [[Int]] = []
    for file in facts.order {
      let found = group(of: file, among: members, facts)
      if found == members.count { members.append([]) }
      members[found].append(file)
      groups[file] = found
    }
    number(members, facts, names)
  }

  /// The group that a file belongs to, or the number of a new one.
  private func group(of file: Int, among members: [[Int]], _ facts: MergeFacts) -> Int {
    for (group, files) in members.enumerated()
    where files.contains(where: { facts.areSame(file, $0) }) {
      return group
    }
    var best: (group: Int, end: Timestamp)?
    for (group, files) in members.enumerated() {
      if files.contains(where: { facts.differ(file, $0) }) { continue }
      guard
        let end = files.compactMap({ facts.spans[$0]?.last }).max(by: { $0.isEarlier(than: $1) })
      else { return group }
      // Of several the one that ended last goes on.
      if let known = best, !known.end.isEarlier(than: end) { continue }
      best = (group, end)
    }
    return best?.group ?? members.count
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

/// What the records of several files tell of whose they are.
struct MergeFacts: Sendable {
  /// From when to when each file's records are; nil where it has none with a time.
  private(set) var spans: [(first: Timestamp, last: Timestamp)?]
  /// The controllers of each file.
  private(set) var adapters: [Set<UInt16>]
  /// How many records of a file come while another one runs, and how many of them that one has, too.
  private var during: [[Int]]
  private var shared: [[Int]]

  /// From so long on files of one time cannot be the same controller's, where they have nothing in common:
  /// a clock that was set makes logs that follow one another overlap by less.
  private static let longestStep: Int64 = 1_000_000_000

  init(count: Int) {
    spans = Array(repeating: nil, count: count)
    adapters = Array(repeating: [], count: count)
    during = Array(repeating: Array(repeating: 0, count: count), count: count)
    shared = during
  }

  /// Takes in the record that a file is at: one of `files`.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ file: Int, _ files: [MergedFile],
    _ repeats: inout RepeatedRecords
  ) {
    if let adapter = record.adapter { adapters[file].insert(adapter) }
    if record.time != nil {
      let time = files[file].time
      spans[file] = (spans[file]?.first ?? time, time)
    }
    for other in files.indices where other != file && files[other].isOpen && spans[other] != nil {
      during[file][other] += 1
    }
    for other in repeats.others(record, in: file, of: 0) { shared[file][other] += 1 }
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
    let common = shared[left][right] + shared[right][left]
    return common > 0 && 2 * common >= min(during[left][right], during[right][left])
  }

  /// Whether two files are of one time and have nothing in common.
  func differ(_ left: Int, _ right: Int) -> Bool {
    guard !areSame(left, right), let one = spans[left], let other = spans[right] else {
      return false
    }
    let start = one.first.isEarlier(than: other.first) ? other.first : one.first
    let end = one.last.isEarlier(than: other.last) ? one.last : other.last
    let common = end.nanoseconds(since: start)
    let shortest = min(
      one.last.nanoseconds(since: one.first), other.last.nanoseconds(since: other.first))
    return common > Self.longestStep || common > 0 && common > shortest / 2
  }
}
