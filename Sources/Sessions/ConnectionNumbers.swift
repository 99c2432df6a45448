/// The numbers of some connections, the first few; and how many there are.
package struct ConnectionNumbers: Sendable {
  /// The first ones that were noted.
  package private(set) var first: [Int] = []
  /// How many there are.
  package private(set) var count = 0
  /// The greatest that was noted: connections are numbered as they come, so that behind the first few
  /// only greater ones are new.
  package private(set) var latest = 0

  /// None.
  package init() {}

  /// Notes a connection, which may have been noted before; tells whether it is new.
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

  /// Takes in those that were noted elsewhere.
  package mutating func absorb(_ other: Self, limit: Int) {
    let new = other.first.filter { !first.contains($0) }
    count += other.count - (other.first.count - new.count)
    latest = max(latest, other.latest)
    first = Array((first + new).sorted().prefix(limit))
  }
}
