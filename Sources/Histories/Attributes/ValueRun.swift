package import Bluetooth

/// The first attributes of a set. They are kept in place: each run of values has several lists.
package struct HandleList: Sendable {
  private static let most = 4

  /// Has room for `most`.
  private var first = InlineArray<4, UInt16>(repeating: 0)
  private var count = 0
  package private(set) var hasMore = false

  package var handles: [UInt16] { first.indices.prefix(count).map { first[$0] } }

  private func place(of handle: UInt16) -> Int? {
    for place in 0..<count where first[place] == handle { return place }
    return nil
  }

  mutating func note(_ handle: UInt16) {
    if handle == 0 || place(of: handle) != nil { return }
    guard count < Self.most else {
      hasMore = true
      return
    }
    first[count] = handle
    count += 1
  }

  mutating func join(_ other: Self) {
    for place in 0..<other.count { note(other.first[place]) }
    hasMore = hasMore || other.hasMore
  }

  mutating func remove(_ handle: UInt16) {
    guard let place = place(of: handle) else { return }
    for next in place + 1..<count { first[next - 1] = first[next] }
    count -= 1
  }

  /// Returns whether another list has these attributes, too.
  func isPart(of other: Self) -> Bool {
    for place in 0..<count where other.place(of: first[place]) == nil { return false }
    return other.hasMore || !hasMore
  }
}

/// A value that a client prepares to write, part by part (Core, Vol 3, Part F, 3.4.6).
package struct PreparedWrite: Sendable {
  package internal(set) var attributes = HandleList()
  /// The number of parts that the server accepted.
  package internal(set) var parts = 0
  /// The offset in the value at which the parts end.
  package internal(set) var end = 0
  /// The number of bytes in all parts.
  private var sum = 0
  /// The number of bytes that were sent: fewer than up to the end, if a part is missing.
  var length: Int { late == nil ? end : sum }
  /// The first part that starts, at an offset, after the end of its attribute's previous parts.
  package private(set) var late: (moment: Moment, handle: UInt16, offset: Int, end: Int)?
  /// The ends of the parts of each attribute, for the first attributes.
  private var ends: [(handle: UInt16, end: Int)] = []

  private static let mostEnds = 16

  /// The first values of 2 bytes that consist of one part, which may be subscriptions.
  private var short: [(handle: UInt16, value: [UInt8], moment: Moment)] = []
  private static let mostShort = 8

  /// The values of 2 bytes, with the requests that contain them.
  var shortValues: [(handle: UInt16, value: [UInt8], moment: Moment)] {
    short.filter { one in ends.contains { $0.handle == one.handle && $0.end == 2 } }
  }

  /// Records a part that is known to the server: its place in the value, and the first bytes.
  mutating func append(
    _ handle: UInt16, _ offset: Int, _ length: Int, _ value: [UInt8], _ moment: Moment
  ) {
    let end = offset &+ length
    sum &+= length
    if offset == 0, length == 2, value.count == 2, short.count < Self.mostShort {
      short.append((handle, value, moment))
    }
    if let known = ends.firstIndex(where: { $0.handle == handle }) {
      if late == nil, offset > ends[known].end { late = (moment, handle, offset, ends[known].end) }
      ends[known].end = max(ends[known].end, end)
    } else if ends.count < Self.mostEnds {
      ends.append((handle, end))
    }
  }
  package let first: Moment
  /// The packet with the last response.
  package internal(set) var last: Int

  init(_ first: Moment) { (self.first, last) = (first, first.packet) }
}

/// Consecutive values that were transferred in the same way, for the story.
package struct ValueRun: Sendable {
  package enum Kind: Equatable, Sendable {
    case reads, writes, sent
    /// Prepared writes that the client cancelled, or neither executed nor cancelled.
    case cancelled, prepared
    /// Messages of a vendor's protocol, identified by its index.
    case vendor(Int)
    /// Several of these, if there are too many runs to report.
    case mixed
  }

  package enum Act: Int, CaseIterable, Sendable {
    case read, written, commanded, notified, indicated
  }

  package internal(set) var kind: Kind
  /// The side whose values they are.
  package internal(set) var server: Side
  package internal(set) var first: Moment
  package internal(set) var last: Int
  package internal(set) var reads = 0
  /// The number of Write Requests, and of prepared writes that were executed.
  package internal(set) var writes = 0
  package internal(set) var commands = 0
  /// The number of parts of long values; for reads, those after the first part.
  package internal(set) var parts = 0
  package internal(set) var cancelled = 0
  package internal(set) var notifications = 0
  package internal(set) var indications = 0
  package internal(set) var confirmed = 0
  package internal(set) var requests = 0
  package internal(set) var answered = 0
  /// The latencies of the first responses, in nanoseconds.
  package internal(set) var latencies: [Int64] = []
  /// The attributes of each `Act`.
  private var subjects = InlineArray<5, HandleList>(repeating: HandleList())

  private static let mostLatencies = 64

  init(_ kind: Kind, _ server: Side, _ first: Moment) {
    (self.kind, self.server, self.first, last) = (kind, server, first, first.packet)
  }

  /// Whether it counts nothing any more.
  var isEmpty: Bool { values + parts == 0 }

  private var values: Int {
    reads + writes + commands + cancelled + notifications + indications + requests
  }

  /// The shortest, the median and the longest latency.
  package var latency: (least: Int64, median: Int64, most: Int64)? {
    let sorted = latencies.sorted()
    guard let least = sorted.first, let most = sorted.last else { return nil }
    return (least, sorted[sorted.count / 2], most)
  }

  /// Returns the attributes on which an operation was done.
  package func attributes(_ act: Act) -> HandleList { subjects[act.rawValue] }

  /// Up to this many values of one kind between several other kinds are not reported separately.
  private static let few = 2

  /// Returns whether it only repeats what was done in another run with the same attributes: either
  /// several kinds in turn, or one kind a few times.
  fileprivate func goesOn(like other: Self) -> Bool {
    guard server == other.server, kind == .mixed || values <= Self.few else { return false }
    return subjects.indices.allSatisfy { subjects[$0].isPart(of: other.subjects[$0]) }
  }

  package var attributes: HandleList {
    var all = HandleList()
    for act in subjects.indices { all.join(subjects[act]) }
    return all
  }

  /// Adds a value that was transferred in the packets from `start` to `packet`. Responses on
  /// several bearers may arrive in another order than their requests.
  mutating func note(
    _ act: Act, _ handle: UInt16, from start: Moment, to packet: Int, _ latency: Int64?
  ) {
    begin(start)
    last = max(last, packet)
    subjects[act.rawValue].note(handle)
    if let latency, latencies.count < Self.mostLatencies { latencies.append(latency) }
  }

  private mutating func begin(_ moment: Moment) {
    if moment.packet < first.packet { first = moment }
  }

  mutating func note(_ act: Act, _ others: HandleList) { subjects[act.rawValue].join(others) }

  /// Removes an attribute that turned out to be something else.
  mutating func remove(_ act: Act, _ handle: UInt16) { subjects[act.rawValue].remove(handle) }

  package mutating func join(_ other: Self) {
    if kind != other.kind { kind = .mixed }
    begin(other.first)
    last = max(last, other.last)
    reads += other.reads
    writes += other.writes
    commands += other.commands
    parts += other.parts
    cancelled += other.cancelled
    notifications += other.notifications
    indications += other.indications
    confirmed += other.confirmed
    requests += other.requests
    answered += other.answered
    for act in subjects.indices { subjects[act].join(other.subjects[act]) }
    if !other.latencies.isEmpty {
      latencies += other.latencies.prefix(max(0, Self.mostLatencies - latencies.count))
    }
  }
}

extension [ValueRun] {
  /// Reduces the runs to at most `most`. Adjacent runs of one kind are merged, and the rest is
  /// divided evenly. Runs of the servers on both sides stay separate, since what is a write of one
  /// side is never a write of the other.
  package mutating func fold(to most: Int) {
    guard count > most, most > 1 else { return }
    // Runs are large, so no second list of them is built.
    var kept = 0
    for index in 1..<count {
      if self[kept].kind == self[index].kind && self[kept].server == self[index].server
        || self[kept].kind == .mixed && self[index].goesOn(like: self[kept])
      {
        self[kept].join(self[index])
      } else {
        kept += 1
        swapAt(kept, index)
      }
    }
    removeLast(count - kept - 1)
    let all = count
    guard all > most else { return }
    let groups = contains { $0.server != self[0].server } ? most / 2 : most
    kept = 0
    for group in 0..<groups {
      let (from, to) = (group * all / groups, (group + 1) * all / groups)
      var other: Int?
      for index in from + 1..<to {
        if self[index].server == self[from].server {
          self[from].join(self[index])
        } else if let other {
          self[other].join(self[index])
        } else {
          other = index
        }
      }
      keep(from, &kept)
      if let other { keep(other, &kept) }
    }
    removeLast(all - kept)
  }

  /// Moves a run to the end of those that are kept. A run that continues in the same way does not
  /// start a new line.
  private mutating func keep(_ run: Int, _ kept: inout Int) {
    let before = self[..<kept].suffix(2).lastIndex { $0.server == self[run].server }
    if let before, self[before].kind == .mixed, self[run].goesOn(like: self[before]) {
      self[before].join(self[run])
    } else {
      swapAt(kept, run)
      kept += 1
    }
  }
}
