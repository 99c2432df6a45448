/// Which connections of two sessions are compared with each other.
///
/// If both sides have the same number, they are paired one by one, in order. If one side has more,
/// those that have most in common are paired, also in order: a connection that failed before the
/// others must not shift all later ones.
struct ConnectionPairing: Sendable {
  /// The indexes of the connections that belong together, in ascending order.
  let pairs: [(left: Int, right: Int)]

  /// The most operations of a connection that are considered.
  private static let mostOperations = 64
  /// The most comparisons of connections; with more, connections are paired in order.
  private static let mostComparisons = 10_000

  /// Determines which connections belong together.
  init(_ left: ComparedSession, _ right: ComparedSession) {
    let (here, there) = (left.connections.count, right.connections.count)
    guard here != there, here > 0, there > 0, here <= Self.mostComparisons / there else {
      pairs = (0..<min(here, there)).map { ($0, $0) }
      return
    }
    var numbers: [Trait: Int] = [:]
    let (traits, others) = (Self.traits(left, &numbers), Self.traits(right, &numbers))
    // How much the best pairing of the connections from each index on has in common, filled from
    // the end.
    var best = [[Int]](repeating: [Int](repeating: 0, count: there + 1), count: here + 1)
    // A pair counts even if it has nothing in common: only what cannot be paired is left over.
    let worth = { (one: Int, other: Int) in
      1 + Self.countCommon(traits[one], others[other])
    }
    for one in (0..<here).reversed() {
      for other in (0..<there).reversed() {
        best[one][other] = max(
          best[one + 1][other + 1] + worth(one, other), best[one + 1][other], best[one][other + 1])
      }
    }
    var pairs: [(left: Int, right: Int)] = []
    var (one, other) = (0, 0)
    while one < here, other < there {
      if best[one][other] == best[one + 1][other + 1] + worth(one, other) {
        pairs.append((one, other))
        (one, other) = (one + 1, other + 1)
      } else if best[one][other] == best[one + 1][other] {
        one += 1
      } else {
        other += 1
      }
    }
    self.pairs = pairs
  }

  /// An operation with its outcome.
  private struct Trait: Hashable {
    var kind: Int
    var role: [UInt8]
    var value: [UInt8]
    var failure: [UInt8]
  }

  /// Returns the traits of each connection of a session as ascending numbers; new ones get the next
  /// number.
  private static func traits(_ session: ComparedSession, _ numbers: inout [Trait: Int]) -> [[Int]] {
    session.connections.map { connection in
      var own: Set<Int> = []
      for operation in connection.operations.prefix(mostOperations) {
        let trait = Trait(
          kind: operation.kind.number, role: operation.role.map { session.roles[$0].key } ?? [],
          value: operation.value.map { Array(session.bytes($0)) } ?? [],
          failure: operation.failure.map { Array(session.bytes($0)) } ?? [])
        let number = numbers[trait] ?? numbers.count
        numbers[trait] = number
        own.insert(number)
      }
      return own.sorted()
    }
  }

  /// Returns how many of these ascending numbers are in both lists.
  private static func countCommon(_ one: [Int], _ other: [Int]) -> Int {
    var (left, right, count) = (0, 0, 0)
    while left < one.count, right < other.count {
      let (here, there) = (one[left], other[right])
      if here == there { count += 1 }
      if here <= there { left += 1 }
      if there <= here { right += 1 }
    }
    return count
  }
}

extension ComparedSession {
  /// The session with each connection's operations separated by the device that did them, for the
  /// two ends of a link: what both devices send at the same time crosses, so each end has a
  /// different order. Discovery operations that are now adjacent are merged, as in
  /// `ComparedOperation.count`.
  var partedByDevice: ComparedSession {
    var parted = self
    for place in connections.indices {
      var operations: [ComparedOperation] = []
      for isByCentral in [true, false, nil] as [Bool?] {
        let start = operations.count
        for operation in connections[place].operations {
          // The end comes last.
          let device = operation.kind == .end ? nil : operation.isByCentral
          guard device == isByCentral else { continue }
          guard operation.kind == .discovery, operations.count > start,
            let last = operations.last, last.kind == .discovery, last.failure == nil
          else {
            operations.append(operation)
            continue
          }
          operations[operations.count - 1].absorb(operation)
        }
      }
      parted.connections[place].operations = operations[...]
    }
    return parted
  }
}

extension ComparedOperation {
  /// Merges a search that continues where this one stopped.
  fileprivate mutating func absorb(_ other: ComparedOperation) {
    count += other.count
    lastPacket = max(lastPacket, other.lastPacket)
    requests.formUnion(other.requests)
    (failure, unknown) = (other.failure, unknown ?? other.unknown)
    failedRequest = other.failedRequest
  }
}
