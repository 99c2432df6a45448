import Bluetooth
import Bytes
import Histories
import Meanings
import Sessions

/// Something that took longer on one side than on the other.
struct TimingDifference: Sendable {
  /// What was measured.
  enum Kind: JSONKey, Sendable {
    /// The time until answers.
    case latency = "latency"
    /// The time between values that a server sends on its own.
    case interval = "interval"
    /// The time from one step of the conversation to the next.
    case step = "step"
  }

  /// One side, in nanoseconds; the median of several samples.
  struct Half: Equatable, Sendable {
    let time: Int64
    /// The number of samples.
    let count: Int
    /// For a step: the packet that ends it.
    var packet: Int?
  }

  /// What was measured.
  let kind: Kind
  /// The name of what was measured: `Read`, `Notification 2a37 Heart Rate Measurement`.
  let name: Wording
  let left: Half
  let right: Half

  /// The criterion, in words, for reporting that two sets of samples differ.
  static let criterion: Wording =
    """
    medians of at least 5 differ by more than 2 ms, a quarter, and three times the spread of both; a single \
    step by more than 1 s and to more than double
    """
}

/// What is measured alike on both sides: answers by the kind of operation, values that a server
/// sends by the server's role and the attribute.
private struct Measure: Hashable {
  var operation: Int
  var isByCentral: Bool?
  var role: [UInt8]?
}

/// Times of one kind on one side.
private struct Samples {
  var kind: TimingDifference.Kind
  var name: Wording
  var times: [Int64] = []

  private static func median(_ sorted: [Int64]) -> Int64 {
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The median, and the median distance of the samples from it.
  var middle: (median: Int64, scatter: Int64) {
    let median = Self.median(times.sorted())
    return (median, Self.median(times.map { abs($0 - median) }.sorted()))
  }
}

extension Difference {
  private static let leastSamples = 5
  private static let leastDifference: Int64 = 2_000_000
  private static let leastStep: Int64 = 1_000_000_000
  /// Longer times count as this, 115 days, so that computations cannot overflow.
  private static let longest: Int64 = 10_000_000_000_000_000
  /// The most steps that are reported, those that differ most.
  private static let mostSteps = 8

  /// Returns the differences between the times of both sides.
  func timingDifferences() -> [TimingDifference] {
    var timing: [TimingDifference] = []
    let (left, right) = (
      Self.samples(operations.left, sessions.left), Self.samples(operations.right, sessions.right)
    )
    // Few measures have enough samples; a hostile peer can create many that have not.
    let others = Dictionary(
      uniqueKeysWithValues: right.lazy.filter { $0.samples.times.count >= Self.leastSamples }
        .map { ($0.measure, $0.samples) })
    for (measure, one) in left where one.times.count >= Self.leastSamples {
      guard let other = others[measure] else { continue }
      let (here, there) = (one.middle, other.middle)
      let difference = abs(here.median - there.median)
      guard difference > Self.leastDifference,
        difference > min(here.median, there.median) / 4,
        difference > 3 * (here.scatter + there.scatter)
      else { continue }
      timing.append(
        TimingDifference(
          kind: one.kind, name: one.name,
          left: TimingDifference.Half(time: here.median, count: one.times.count),
          right: TimingDifference.Half(time: there.median, count: other.times.count)))
    }
    return timing + stepDifferences()
  }

  /// Returns the times of one side by measure, in the order in which the measures first appear.
  private static func samples(
    _ operations: [ComparedOperation], _ session: ComparedSession
  ) -> [(measure: Measure, samples: Samples)] {
    var found: [(measure: Measure, samples: Samples)] = []
    // Looked up by kind or attribute first: keys and text for each of a hundred thousand would take
    // too long.
    var latencies: [Int: Int] = [:]
    var intervals: [Int: Int] = [:]
    var places: [Measure: Int] = [:]
    func number(_ measure: Measure, _ kind: TimingDifference.Kind, _ name: Wording) -> Int {
      if let known = places[measure] { return known }
      places[measure] = found.count
      found.append((measure, Samples(kind: kind, name: name)))
      return found.count - 1
    }
    var last: [Int: Int] = [:]
    for (place, operation) in operations.enumerated() {
      if let latency = operation.latency {
        let kind = operation.kind.number
        let index =
          latencies[kind]
          ?? number(Measure(operation: kind), .latency, session.kindWords(of: operation))
        latencies[kind] = index
        found[index].samples.times.append(min(latency, longest))
      }
      guard operation.joinsRuns, let role = operation.role else { continue }
      if let before = last[role].map({ operations[$0] }),
        before.connection == operation.connection,
        let interval = span((before, operation))
      {
        let index: Int
        if let known = intervals[role] {
          index = known
        } else {
          let measure = Measure(
            operation: operation.kind.number, isByCentral: operation.isByCentral,
            role: session.roles[role].key)
          let title = session.title(of: operation)
          let name: Wording = operation.isByCentral == true ? "\(title) by the central" : title
          index = number(measure, .interval, name)
          intervals[role] = index
        }
        found[index].samples.times.append(interval)
      }
      last[role] = place
    }
    return found
  }

  /// Returns the differences between the times from one step to the next, if both sides have both.
  private func stepDifferences() -> [TimingDifference] {
    // The longest so far, of equal ones the first.
    var longest: [(difference: Int64, timing: TimingDifference)] = []
    for (step, next) in zip(steps, steps.dropFirst()) {
      guard let one = step.left?.last, let other = step.right?.last,
        let then = next.left?.first, let thereafter = next.right?.first
      else { continue }
      let left = (operations.left[one], operations.left[then])
      let right = (operations.right[other], operations.right[thereafter])
      // The first operation of a capture that begins within a connection may have begun before.
      guard !isFirstShown(left.0, sessions.left), !isFirstShown(right.0, sessions.right),
        left.0.connection == left.1.connection, right.0.connection == right.1.connection,
        let times = Self.span(left), let others = Self.span(right)
      else { continue }
      let difference = abs(times - others)
      guard difference > Self.leastStep, max(times, others) > 2 * min(times, others) else {
        continue
      }
      let place = longest.firstIndex { $0.difference < difference } ?? longest.count
      guard place < Self.mostSteps else { continue }
      let name: Wording =
        "\(sessions.left.title(of: left.0)) to \(sessions.left.title(of: left.1))"
      longest.insert(
        (
          difference,
          TimingDifference(
            kind: .step, name: name,
            left: TimingDifference.Half(time: times, count: 1, packet: left.1.packet),
            right: TimingDifference.Half(time: others, count: 1, packet: right.1.packet))
        ), at: place)
      if longest.count > Self.mostSteps { longest.removeLast() }
    }
    return longest.map(\.timing)
  }

  private func isFirstShown(_ operation: ComparedOperation, _ session: ComparedSession) -> Bool {
    guard let connection = session.history(of: operation)?.connection else { return false }
    return connection.isOpeningMissing && operation.packet <= connection.firstPacket
  }

  private static func span(_ pair: (ComparedOperation, ComparedOperation)) -> Int64? {
    guard let start = pair.0.time, let end = pair.1.time else { return nil }
    let span = end.nanoseconds(since: start)
    return span < 0 ? nil : min(span, longest)
  }
}
