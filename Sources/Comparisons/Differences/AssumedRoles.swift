import Bluetooth
import Sessions

// Which device did something, for captures that do not show the roles: those without events, and
// those that begin within a connection.

extension ComparedSession {
  /// Assumes the role of the captured host where a capture does not show it: the one with which
  /// more operations equal those of the other side.
  static func assumeRoles(_ left: inout ComparedSession, _ right: inout ComparedSession) {
    let (one, other) = (left.localRole, right.localRole)
    let first = one ?? other ?? .central
    if one == nil, other != nil {
      left.assume(left.likelyRole(beside: right, first))
      right.assume(first)
    } else {
      left.assume(first)
      right.assume(other ?? right.likelyRole(beside: left, first))
    }
  }

  /// Returns the likelier role if the other session's host has a known or assumed one: the same
  /// unless more operations fit the opposite.
  private func likelyRole(beside other: ComparedSession, _ role: LinkRole) -> LinkRole {
    let others = other.acts(as: role)
    return common(as: role, with: others) >= common(as: role.other, with: others)
      ? role : role.other
  }

  /// What is done to which attribute by which device.
  private struct Act: Hashable {
    var kind: Int
    var attribute: [UInt8]
    var isByCentral: Bool
  }

  /// Returns what is done if the captured host has this role.
  private func acts(as role: LinkRole) -> Set<Act> {
    var acts: Set<Act> = []
    for connection in connections {
      for operation in connection.operations {
        guard let isByHost = operation.isByHost else { continue }
        acts.insert(
          Act(
            kind: operation.kind.number, attribute: operation.role.map { roles[$0].key } ?? [],
            isByCentral: operation.isByCentral ?? (isByHost == (role == .central))))
      }
    }
    return acts
  }

  private func common(as role: LinkRole, with others: Set<Act>) -> Int {
    acts(as: role).intersection(others).count
  }

  private mutating func assume(_ role: LinkRole) {
    assumedRole = role
    if !knowsServers, role == .peripheral {
      servers = (servers.central, servers.peripheral)
    }
  }

  /// Returns the operations of all connections, one after the other, with their devices. Those of
  /// the connections become parts of the same list.
  mutating func takeOperations() -> [ComparedOperation] {
    var all: [ComparedOperation] = []
    all.reserveCapacity(connections.reduce(0) { $0 + $1.operations.count })
    for place in connections.indices {
      all += connections[place].operations
      connections[place].operations = []
    }
    for index in all.indices {
      all[index].isByCentralAssumed =
        all[index].isByCentral
        ?? (all[index].kind == .connect
          ? true : all[index].isByHost.map { $0 == (assumedRole == .central) })
    }
    return all
  }

  /// Gives the connections their parts of the list of all operations.
  mutating func share(_ all: [ComparedOperation], _ ranges: [Range<Int>]) {
    for place in connections.indices { connections[place].operations = all[ranges[place]] }
  }

  /// The range of each connection's operations among all operations.
  var ranges: [Range<Int>] {
    var start = 0
    return connections.map { connection in
      defer { start += connection.operations.count }
      return start..<start + connection.operations.count
    }
  }
}
