/// Attributes, the first ones.
package struct HandleList: Sendable {
  /// Their handles.
  package private(set) var handles: [UInt16] = []
  /// Whether there are more.
  package private(set) var hasMore = false

  private static let most = 4

  mutating func note(_ handle: UInt16) {
    if handle == 0 || handles.contains(handle) { return }
    if handles.count < Self.most { handles.append(handle) } else { hasMore = true }
  }

  mutating func join(_ other: Self) {
    for handle in other.handles { note(handle) }
    hasMore = hasMore || other.hasMore
  }

  mutating func remove(_ handle: UInt16) { handles.removeAll { $0 == handle } }
}

/// A value that a client prepares to write, part by part (Core, Vol 3, Part F, 3.4.6).
package struct PreparedWrite: Sendable {
  /// The attributes.
  package internal(set) var attributes = HandleList()
  /// How many parts the server took.
  package internal(set) var parts = 0
  /// Behind which byte of the value they end.
  package internal(set) var end = 0
  /// The first part that begins behind the end of those before it of its attribute.
  package private(set) var late: LatePart?
  /// Where the parts of each attribute end, of the first ones.
  private var ends: [(handle: UInt16, end: Int)] = []

  /// A part that leaves a gap before it.
  package struct LatePart: Sendable {
    /// Its request.
    package let moment: Moment
    /// The attribute.
    package let handle: UInt16
    /// Where it begins.
    package let offset: Int
    /// Where the parts before it end.
    package let end: Int
  }

  private static let mostEnds = 16

  /// Takes where a part begins and ends.
  mutating func take(_ handle: UInt16, _ offset: Int, _ length: Int, _ moment: Moment) {
    let end = offset &+ length
    if let known = ends.firstIndex(where: { $0.handle == handle }) {
      if late == nil, offset > ends[known].end {
        late = LatePart(moment: moment, handle: handle, offset: offset, end: ends[known].end)
      }
      ends[known].end = max(ends[known].end, end)
    } else if ends.count < Self.mostEnds {
      ends.append((handle, end))
    }
  }
  /// The first request.
  package let first: Moment
  /// The packet with the last answer.
  package internal(set) var last: Int

  init(_ first: Moment) {
    self.first = first
    last = first.packet
  }
}

/// Values that crossed one after the other in the same way, for the story.
package struct ValueRun: Sendable {
  /// What kind of values.
  package enum Kind: Equatable, Sendable {
    case reads, writes, sent
    /// Prepared writes that the client cancelled, or neither executed nor cancelled.
    case cancelled, prepared
    /// Messages of a vendor's protocol, by its place.
    case vendor(Int)
    /// Several of these, where there are too many runs to tell.
    case mixed
  }

  /// What was done with an attribute.
  package enum Act: Int, CaseIterable, Sendable {
    case read, written, commanded, notified, indicated
  }

  /// What kind.
  package internal(set) var kind: Kind
  /// Whose values.
  package internal(set) var server: Side
  /// The first packet.
  package internal(set) var first: Moment
  /// The last packet.
  package internal(set) var last: Int
  /// Values that were read.
  package internal(set) var reads = 0
  /// Write Requests, and prepared writes that were executed.
  package internal(set) var writes = 0
  /// Write Commands.
  package internal(set) var commands = 0
  /// Parts of long values; of reads those behind the first one.
  package internal(set) var parts = 0
  /// Prepared writes that were cancelled.
  package internal(set) var cancelled = 0
  /// Values that were notified.
  package internal(set) var notifications = 0
  /// Values that were indicated.
  package internal(set) var indications = 0
  /// Indications that were confirmed.
  package internal(set) var confirmed = 0
  /// Requests of a vendor's protocol.
  package internal(set) var requests = 0
  /// How many of them were answered.
  package internal(set) var answered = 0
  /// How long the first answers took, in nanoseconds.
  package internal(set) var latencies: [Int64] = []
  /// With what, by `Act`.
  private var subjects = [HandleList](repeating: HandleList(), count: Act.allCases.count)

  private static let mostLatencies = 64

  init(_ kind: Kind, _ server: Side, _ first: Moment) {
    self.kind = kind
    self.server = server
    self.first = first
    last = first.packet
  }

  /// Whether nothing is left of it.
  var isEmpty: Bool {
    reads + writes + commands + parts + cancelled + notifications + indications + requests == 0
  }

  /// The shortest latency, the one in the middle and the longest.
  package var latency: (least: Int64, median: Int64, most: Int64)? {
    let sorted = latencies.sorted()
    guard let least = sorted.first, let most = sorted.last else { return nil }
    return (least, sorted[sorted.count / 2], most)
  }

  /// The attributes with which something was done.
  package func attributes(_ act: Act) -> HandleList { subjects[act.rawValue] }

  /// Of so few values of one kind, in the middle of several kinds, nothing is told apart.
  private static let few = 2

  /// Whether nothing is done that was not done in a run before with the same attributes: of several kinds by
  /// turns, or of one kind a few times.
  fileprivate func goesOn(like other: Self) -> Bool {
    let values =
      reads + writes + commands + cancelled + notifications + indications + requests
    guard server == other.server, kind == .mixed || values <= Self.few else { return false }
    return zip(subjects, other.subjects).allSatisfy { own, before in
      own.handles.allSatisfy { before.handles.contains($0) } && (before.hasMore || !own.hasMore)
    }
  }

  /// All attributes.
  package var attributes: HandleList {
    var all = HandleList()
    for list in subjects { all.join(list) }
    return all
  }

  /// Takes a value in that crossed in the packets from `start` to `packet`. Answers on several bearers come in
  /// another order than their requests.
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

  /// Takes in another attribute of what was noted last.
  mutating func note(_ act: Act, _ others: HandleList) { subjects[act.rawValue].join(others) }

  /// Takes out an attribute that turned out to be something else.
  mutating func remove(_ act: Act, _ handle: UInt16) { subjects[act.rawValue].remove(handle) }

  /// Takes in another run that follows.
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
    for act in Act.allCases { subjects[act.rawValue].join(other.subjects[act.rawValue]) }
    latencies += other.latencies.prefix(max(0, Self.mostLatencies - latencies.count))
  }
}

extension [ValueRun] {
  /// The same with at most so many: runs of one kind that follow each other are one, and of what is left
  /// equally many each.
  package func folded(to most: Int) -> [ValueRun] {
    guard count > most, most > 0 else { return self }
    var merged: [ValueRun] = []
    for run in self {
      if let last = merged.last,
        last.kind == run.kind && last.server == run.server
          || last.kind == .mixed && run.goesOn(like: last)
      {
        merged[merged.count - 1].join(run)
      } else {
        merged.append(run)
      }
    }
    guard merged.count > most else { return merged }
    var folded: [ValueRun] = []
    folded.reserveCapacity(most)
    for group in 0..<most {
      let (from, to) = (group * merged.count / most, (group + 1) * merged.count / most)
      guard from < to else { continue }
      var one = merged[from]
      for run in merged[(from + 1)..<to] { one.join(run) }
      // What goes on in the same way makes no new line.
      if let last = folded.last, last.kind == .mixed, one.goesOn(like: last) {
        folded[folded.count - 1].join(one)
      } else {
        folded.append(one)
      }
    }
    return folded
  }
}
