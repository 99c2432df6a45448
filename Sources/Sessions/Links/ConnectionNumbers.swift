/// The numbers of some connections, up to a limit, and the number of all.
package struct ConnectionNumbers: Sendable {
  /// The numbers that were recorded first.
  package private(set) var first: [Int] = []
  /// The number of connections.
  package private(set) var count = 0
  /// The greatest number recorded. Connections are numbered in order, so once `first` is full only
  /// greater numbers are new.
  package private(set) var latest = 0

  package init() {}

  /// Records a connection, which may already be recorded, and returns whether it is new.
  @discardableResult
  package mutating func note(_ connection: Int, limit: Int) -> Bool {
    guard connection != latest, !first.contains(connection) else { return false }
    if first.count < limit {
      first.append(connection)
    } else if connection < latest {
      return false
    }
    count += 1
    latest = max(latest, connection)
    return true
  }

  /// Merges numbers that were recorded elsewhere.
  package mutating func absorb(_ other: Self, limit: Int) {
    let new = other.first.filter { !first.contains($0) }
    count += other.count - (other.first.count - new.count)
    latest = max(latest, other.latest)
    first = Array((first + new).sorted().prefix(limit))
  }
}
